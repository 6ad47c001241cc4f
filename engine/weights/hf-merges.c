/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/hf-merges.c: which pieces merge: "a b" in older files, ["a", "b"] in newer ones, where a
 * piece may have a space in it, and lines of merges.txt. */
#include "hf-tokenizer.h"

#include <string.h>

enum
{
  GGUF_I32 = 5,
  GGUF_F32 = 6,
  GGUF_STRING = 8
};

static gboolean
merges_fail (const HfTokenizer *self, const char *file, guint rank, const char *what, GError **error)
{
  return assay_hf_fail (self->t->folder, ASSAY_ENGINE_ERROR_FORMAT, "hf-merge", file, "merges", error,
                        "merge %u: %s. Fetch the file again", rank, what);
}

/* "a b": one space, something on both sides. */
static gboolean
merges_add_line (HfTokenizer *self, AssayBytes line, const char *file, GError **error)
{
  const guint rank = self->merges->len;
  const char *space = line.length > 0 ? memchr (line.data, ' ', line.length) : NULL;
  const gsize left = space != NULL ? (gsize)(space - line.data) : 0;
  if (space == NULL || left == 0 || left + 1 == line.length)
    return merges_fail (self, file, rank, "not two pieces with a space between", error);
  if (memchr (space + 1, ' ', line.length - left - 1) != NULL)
    return merges_fail (self, file, rank, "more than one space, so it can be read in more than one way",
                        error);
  const HfMerge merge = { { line.data, left }, { space + 1, line.length - left - 1 } };
  g_array_append_val (self->merges, merge);
  return TRUE;
}

static gboolean
merges_add_pair (HfTokenizer *self, const AssayJsonNode *pair, GError **error)
{
  const AssayJsonNode *left = assay_json_tree_first (self->json, pair);
  const AssayJsonNode *right = left != NULL ? assay_json_tree_next (self->json, pair, left) : NULL;
  if (pair->type != ASSAY_JSON_ARRAY || pair->n != 2 || left->type != ASSAY_JSON_TEXT
      || right->type != ASSAY_JSON_TEXT || left->text.length == 0 || right->text.length == 0)
    return merges_fail (self, self->file, self->merges->len, "neither a text nor a pair of pieces", error);
  const HfMerge merge = { left->text, right->text };
  g_array_append_val (self->merges, merge);
  return TRUE;
}

gboolean
assay_hf_merges_read (HfTokenizer *self, const AssayJsonNode *model, GError **error)
{
  const AssayJsonNode *list = assay_json_tree_find (self->json, model, "merges");
  if (list == NULL || list->type != ASSAY_JSON_ARRAY)
    return assay_hf_tokenizer_fail (self, ASSAY_ENGINE_ERROR_FORMAT, "hf-merge", "merges", error,
                                    "the model has no list of merges");
  for (const AssayJsonNode *node = assay_json_tree_first (self->json, list); node != NULL;
       node = assay_json_tree_next (self->json, list, node))
    if (!(node->type == ASSAY_JSON_TEXT ? merges_add_line (self, node->text, self->file, error)
                                        : merges_add_pair (self, node, error)))
      return FALSE;
  return TRUE;
}

/* merges.txt: the first line may tell the version, empty lines tell nothing. */
gboolean
assay_hf_merges_read_text (HfTokenizer *self, GError **error)
{
  gsize length;
  const char *p = g_bytes_get_data (self->t->folder->merges, &length), *end = p + length;
  while (p < end)
    {
      const char *line_end = memchr (p, '\n', (gsize)(end - p));
      AssayBytes line = { p, (gsize)((line_end != NULL ? line_end : end) - p) };
      p += line.length + (line_end != NULL);
      if (line.length > 0 && line.data[line.length - 1] == '\r')
        line.length--;
      const gboolean is_version
          = self->merges->len == 0 && line.length >= 8 && memcmp (line.data, "#version", 8) == 0;
      if (line.length > 0 && !is_version && !merges_add_line (self, line, "merges.txt", error))
        return FALSE;
    }
  return TRUE;
}

/* ---- writing ---- */

static gboolean
merges_have_space (const HfTokenizer *self)
{
  for (guint i = 0; i < self->merges->len; i++)
    {
      const HfMerge *merge = &g_array_index (self->merges, HfMerge, i);
      if (memchr (merge->left.data, ' ', merge->left.length) != NULL
          || memchr (merge->right.data, ' ', merge->right.length) != NULL)
        return TRUE;
    }
  return FALSE;
}

static gint64
merges_find_whole (const HfTokenizer *self, const HfMerge *merge, GString *buffer)
{
  g_string_truncate (buffer, 0);
  g_string_append_len (buffer, merge->left.data, (gssize)merge->left.length);
  g_string_append_len (buffer, merge->right.data, (gssize)merge->right.length);
  return assay_hf_tokenizer_find (self, (AssayBytes){ buffer->str, buffer->len });
}

static gboolean
merges_put_ids (const HfTokenizer *self, GError **error)
{
  assay_gguf_build_array (self->t->out, "assay.tokenizer.merge_ids", GGUF_I32,
                          2 * (guint64)self->merges->len);
  for (guint i = 0; i < self->merges->len; i++)
    {
      const HfMerge *merge = &g_array_index (self->merges, HfMerge, i);
      const gint64 left = assay_hf_tokenizer_find (self, merge->left);
      const gint64 right = assay_hf_tokenizer_find (self, merge->right);
      if (left < 0 || right < 0)
        return merges_fail (self, self->file, i,
                            left < 0 ? "the first piece is no token" : "the second piece is no token", error);
      assay_gguf_build_element_u32 (self->t->out, (guint32)left);
      assay_gguf_build_element_u32 (self->t->out, (guint32)right);
    }
  return TRUE;
}

static void
merges_put_texts (const HfTokenizer *self)
{
  g_autoptr (GString) text = g_string_new (NULL);
  assay_gguf_build_array (self->t->out, "tokenizer.ggml.merges", GGUF_STRING, self->merges->len);
  for (guint i = 0; i < self->merges->len; i++)
    {
      const HfMerge *merge = &g_array_index (self->merges, HfMerge, i);
      g_string_truncate (text, 0);
      g_string_append_len (text, merge->left.data, (gssize)merge->left.length);
      g_string_append_c (text, ' ');
      g_string_append_len (text, merge->right.data, (gssize)merge->right.length);
      assay_gguf_build_element_text (self->t->out, text->str, text->len);
    }
}

/* For readers that merge by score: the earlier a merge, the higher what it makes. */
static void
merges_put_scores (const HfTokenizer *self)
{
  g_autoptr (GString) buffer = g_string_new (NULL);
  g_autofree float *scores = g_new0 (float, self->n_tokens);
  for (guint i = self->merges->len; i-- > 0;)
    {
      const gint64 id = merges_find_whole (self, &g_array_index (self->merges, HfMerge, i), buffer);
      if (id >= 0)
        scores[id] = -(float)i;
    }
  assay_gguf_build_array (self->t->out, "tokenizer.ggml.scores", GGUF_F32, self->n_tokens);
  for (guint i = 0; i < self->n_tokens; i++)
    assay_gguf_build_element_f32 (self->t->out, scores[i]);
}

gboolean
assay_hf_merges_put (HfTokenizer *self, GError **error)
{
  if (!self->byte_level)
    merges_put_scores (self);
  if (merges_have_space (self))
    return merges_put_ids (self, error);
  merges_put_texts (self);
  return TRUE;
}
