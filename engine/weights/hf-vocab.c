/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/hf-vocab.c: the vocabulary: pieces of the model, and tokens that were added to it.
 *
 * Ids come from the file and may have holes; nothing is allocated by the largest before it was compared with
 * vocab_size, and with how many tokens there are. */
#include "hf-tokenizer.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <string.h>

enum
{
  GGUF_U8 = 0,
  GGUF_I32 = 5,
  GGUF_STRING = 8,
  HOLES_ALLOWED = 65536
};

static AssayBytes
vocab_get_text (gconstpointer owner, guint32 id)
{
  return ((const HfTokenizer *)owner)->tokens[id];
}

gint64
assay_hf_tokenizer_find (const HfTokenizer *self, AssayBytes text)
{
  return assay_name_table_find (self->by_text, text.data, text.length);
}

G_GNUC_PRINTF (4, 5)
static gboolean
vocab_fail (const HfTokenizer *self, AssayBytes token, GError **error, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *what = g_strdup_vprintf (_(format), args);
  va_end (args);
  g_autofree char *shown = assay_engine_escape (token.data, token.length);
  return assay_hf_tokenizer_fail (self, ASSAY_ENGINE_ERROR_FORMAT, "hf-vocabulary", "vocab", error,
                                  "token \"%s\": %s", shown, what);
}

/* ---- ids ---- */

static gboolean
vocab_check_id (const HfTokenizer *self, AssayBytes token, const AssayJsonNode *id, GError **error)
{
  if (id != NULL && id->type == ASSAY_JSON_INTEGER && id->integer >= 0 && id->integer < self->t->n_vocab)
    return TRUE;
  g_autofree char *shown = id != NULL ? assay_json_node_dup_value (id) : g_strdup ("missing");
  return vocab_fail (self, token, error, "its id is %s; config.json's vocab_size allows 0 to %u", shown,
                     self->t->n_vocab - 1);
}

static AssayBytes
vocab_added_text (const HfTokenizer *self, const AssayJsonNode *added)
{
  const AssayJsonNode *content = assay_json_tree_find (self->json, added, "content");
  return content != NULL && content->type == ASSAY_JSON_TEXT ? content->text : (AssayBytes){ "", 0 };
}

/* vocab: an object of ids; added: a list, or NULL. */
static gboolean
vocab_count (HfTokenizer *self, const AssayJsonNode *vocab, const AssayJsonNode *added, GError **error)
{
  gint64 last = -1;
  for (const AssayJsonNode *id = assay_json_tree_first (self->json, vocab); id != NULL;
       id = assay_json_tree_next (self->json, vocab, id))
    {
      if (!vocab_check_id (self, id->key, id, error))
        return FALSE;
      last = MAX (last, id->integer);
    }
  for (const AssayJsonNode *token = added != NULL ? assay_json_tree_first (self->json, added) : NULL;
       token != NULL; token = assay_json_tree_next (self->json, added, token))
    {
      const AssayJsonNode *id = assay_json_tree_find (self->json, token, "id");
      if (!vocab_check_id (self, vocab_added_text (self, token), id, error))
        return FALSE;
      last = MAX (last, id->integer);
    }
  if (last < 0)
    return assay_hf_tokenizer_fail (self, ASSAY_ENGINE_ERROR_FORMAT, "hf-vocabulary", "vocab", error,
                                    "the vocabulary is empty");
  const guint64 n = (guint64)vocab->n + (added != NULL ? added->n : 0);
  if ((guint64)last > 2 * n + HOLES_ALLOWED)
    return assay_hf_tokenizer_fail (self, ASSAY_ENGINE_ERROR_FORMAT, "hf-vocabulary", "vocab", error,
                                    "%" PRIu64 " tokens with ids up to %" PRId64, n, last);
  self->n_tokens = (guint)last + 1;
  return TRUE;
}

static gboolean
vocab_set (HfTokenizer *self, guint id, AssayBytes text, GError **error)
{
  const AssayBytes other = self->tokens[id];
  if (other.data != NULL)
    {
      g_autofree char *shown = assay_engine_escape (other.data, other.length);
      return vocab_fail (self, text, error, "its id %u is also that of \"%s\"", id, shown);
    }
  self->tokens[id] = text;
  self->types[id] = ASSAY_TOKEN_NORMAL;
  return assay_name_table_add (self->by_text, id) || vocab_fail (self, text, error, "it has two ids");
}

static gboolean
vocab_fill (HfTokenizer *self, const AssayJsonNode *vocab, GError **error)
{
  self->tokens = g_new0 (AssayBytes, self->n_tokens);
  self->types = g_malloc (self->n_tokens);
  self->flags = g_malloc0 (self->n_tokens);
  memset (self->types, ASSAY_TOKEN_UNUSED, self->n_tokens);
  self->by_text = assay_name_table_new (vocab_get_text, self);
  for (const AssayJsonNode *id = assay_json_tree_first (self->json, vocab); id != NULL;
       id = assay_json_tree_next (self->json, vocab, id))
    if (!vocab_set (self, (guint)id->integer, id->key, error))
      return FALSE;
  return TRUE;
}

/* ---- added tokens ---- */

static gboolean
added_read_flag (const HfTokenizer *self, const AssayJsonNode *token, const char *key, gboolean fallback,
                 gboolean *out, GError **error)
{
  const AssayJsonNode *node = assay_json_tree_find (self->json, token, key);
  *out = fallback;
  if (node == NULL || node->type == ASSAY_JSON_NULL)
    return TRUE;
  *out = node->integer != 0;
  return node->type == ASSAY_JSON_BOOL
         || assay_hf_tokenizer_fail (self, ASSAY_ENGINE_ERROR_FORMAT, "hf-vocabulary", key, error,
                                     "an added token's is neither true nor false");
}

static gboolean
added_read_flags (HfTokenizer *self, const AssayJsonNode *token, guint id, GError **error)
{
  static const struct
  {
    const char *key;
    guint flag;
  } rows[] = {
    { "lstrip", ASSAY_ADDED_TAKES_LEFT },
    { "rstrip", ASSAY_ADDED_TAKES_RIGHT },
    { "single_word", ASSAY_ADDED_WHOLE_WORD },
    { "normalized", ASSAY_ADDED_NORMALIZED },
  };
  gboolean special;
  if (!added_read_flag (self, token, "special", FALSE, &special, error))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      gboolean set;
      if (!added_read_flag (self, token, rows[i].key, FALSE, &set, error))
        return FALSE;
      self->flags[id] |= set ? rows[i].flag : 0;
    }
  self->types[id] = special ? ASSAY_TOKEN_CONTROL : ASSAY_TOKEN_USER_DEFINED;
  return TRUE;
}

static gboolean
added_read (HfTokenizer *self, const AssayJsonNode *list, GError **error)
{
  for (const AssayJsonNode *token = list != NULL ? assay_json_tree_first (self->json, list) : NULL;
       token != NULL; token = assay_json_tree_next (self->json, list, token))
    {
      const AssayBytes text = vocab_added_text (self, token);
      const guint id = (guint)assay_json_tree_find (self->json, token, "id")->integer;
      const gint64 known = assay_hf_tokenizer_find (self, text);
      if (text.length == 0)
        return vocab_fail (self, text, error, "an added token without text");
      if (known >= 0 && known != id)
        return vocab_fail (self, text, error, "it is added as %u, but is %" PRId64 " already", id,
                           known);
      if ((known < 0 && !vocab_set (self, id, text, error)) || !added_read_flags (self, token, id, error))
        return FALSE;
    }
  return TRUE;
}

/* ---- the model ---- */

static gboolean
model_read_flag (const HfTokenizer *self, const AssayJsonNode *model, const char *key, gboolean *out,
                 GError **error)
{
  const AssayJsonNode *node = assay_json_tree_find (self->json, model, key);
  *out = node != NULL && node->integer != 0 && node->type == ASSAY_JSON_BOOL;
  return node == NULL || node->type == ASSAY_JSON_NULL || node->type == ASSAY_JSON_BOOL
         || assay_hf_tokenizer_fail (self, ASSAY_ENGINE_ERROR_FORMAT, "hf-vocabulary", key, error,
                                     "neither true nor false");
}

/* What BPE may do besides and is not done here: null, nothing or zero is fine. */
static gboolean
model_check_extras (const HfTokenizer *self, const AssayJsonNode *model, GError **error)
{
  static const char *const keys[] = { "dropout", "continuing_subword_prefix", "end_of_word_suffix" };
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      const AssayJsonNode *node = assay_json_tree_find (self->json, model, keys[i]);
      const gboolean none = node == NULL || node->type == ASSAY_JSON_NULL
                            || assay_json_node_is_text (node, "")
                            || (node->type == ASSAY_JSON_INTEGER && node->integer == 0)
                            || (node->type == ASSAY_JSON_REAL && node->real == 0);
      if (none)
        continue;
      g_autofree char *shown = assay_json_node_dup_value (node);
      return assay_hf_tokenizer_fail (self, ASSAY_ENGINE_ERROR_UNSUPPORTED, "hf-tokenizer", keys[i], error,
                                      "%s; this engine knows no such vocabularies. Choose another runtime",
                                      shown);
    }
  return TRUE;
}

static gboolean
model_check_type (const HfTokenizer *self, const AssayJsonNode *model, GError **error)
{
  const AssayJsonNode *type = assay_json_tree_find (self->json, model, "type");
  if (model == NULL || model->type != ASSAY_JSON_OBJECT)
    return assay_hf_tokenizer_fail (self, ASSAY_ENGINE_ERROR_FORMAT, "hf-vocabulary", "model", error,
                                    "the object with the vocabulary is missing");
  if (assay_json_node_is_text (type, "BPE")
      || (type == NULL && assay_json_tree_find (self->json, model, "merges") != NULL))
    return TRUE;
  g_autofree char *shown = type != NULL ? assay_json_node_dup_value (type) : g_strdup ("not named");
  return assay_hf_tokenizer_fail (
      self, ASSAY_ENGINE_ERROR_UNSUPPORTED, "hf-tokenizer", "model.type", error,
      "%s; this engine has BPE only (Unigram is T5's and others'). Choose another runtime", shown);
}

static gboolean
model_read_unknown (HfTokenizer *self, const AssayJsonNode *model, GError **error)
{
  const AssayJsonNode *node = assay_json_tree_find (self->json, model, "unk_token");
  self->unknown = -1;
  if (node == NULL || node->type == ASSAY_JSON_NULL || assay_json_node_is_text (node, ""))
    return TRUE;
  if (node->type == ASSAY_JSON_TEXT)
    self->unknown = assay_hf_tokenizer_find (self, node->text);
  if (self->unknown >= 0)
    return TRUE;
  g_autofree char *shown = assay_json_node_dup_value (node);
  return assay_hf_tokenizer_fail (self, ASSAY_ENGINE_ERROR_FORMAT, "hf-vocabulary", "unk_token", error,
                                  "%s is no token of the vocabulary", shown);
}

/* "<0x0A>" of a vocabulary that falls back to bytes. */
static gboolean
vocab_is_byte (AssayBytes text)
{
  static const char digits[] = "0123456789ABCDEF";
  return text.length == 6 && memcmp (text.data, "<0x", 3) == 0 && text.data[5] == '>'
         && memchr (digits, text.data[3], 16) != NULL && memchr (digits, text.data[4], 16) != NULL;
}

static void
vocab_mark_bytes (HfTokenizer *self)
{
  guint n = 0;
  for (guint i = 0; i < self->n_tokens; i++)
    n += self->types[i] == ASSAY_TOKEN_NORMAL && vocab_is_byte (self->tokens[i]);
  self->byte_fallback = self->byte_fallback && n == 256; /* where one is missing, characters become unknown */
  for (guint i = 0; self->byte_fallback && i < self->n_tokens; i++)
    if (self->types[i] == ASSAY_TOKEN_NORMAL && vocab_is_byte (self->tokens[i]))
      self->types[i] = ASSAY_TOKEN_BYTE;
}

gboolean
assay_hf_vocab_read (HfTokenizer *self, GError **error)
{
  const AssayJsonNode *root = assay_json_tree_get_root (self->json);
  const AssayJsonNode *model = assay_json_tree_find (self->json, root, "model");
  const AssayJsonNode *vocab = assay_json_tree_find (self->json, model, "vocab");
  const AssayJsonNode *added = assay_json_tree_find (self->json, root, "added_tokens");
  if (!model_check_type (self, model, error) || !model_check_extras (self, model, error))
    return FALSE;
  if (vocab == NULL || vocab->type != ASSAY_JSON_OBJECT)
    return assay_hf_tokenizer_fail (self, ASSAY_ENGINE_ERROR_FORMAT, "hf-vocabulary", "vocab", error,
                                    "the object of tokens is missing");
  if (added != NULL && added->type != ASSAY_JSON_ARRAY)
    added = NULL;
  if (!vocab_count (self, vocab, added, error) || !vocab_fill (self, vocab, error)
      || !added_read (self, added, error)
      || !model_read_flag (self, model, "byte_fallback", &self->byte_fallback, error)
      || !model_read_flag (self, model, "ignore_merges", &self->ignore_merges, error)
      || !model_read_flag (self, model, "fuse_unk", &self->fuse_unknown, error)
      || !model_read_unknown (self, model, error))
    return FALSE;
  vocab_mark_bytes (self);
  return assay_hf_merges_read (self, model, error);
}

/* vocab.json is the object of tokens alone; which of them is special, GPT-2's own class knows. */
gboolean
assay_hf_vocab_read_old (HfTokenizer *self, GError **error)
{
  const AssayJsonNode *vocab = assay_json_tree_get_root (self->json);
  self->unknown = -1;
  if (!vocab_count (self, vocab, NULL, error) || !vocab_fill (self, vocab, error))
    return FALSE;
  const gint64 end = assay_hf_tokenizer_find (self, (AssayBytes){ "<|endoftext|>", 13 });
  if (end >= 0)
    self->types[end] = ASSAY_TOKEN_CONTROL;
  return assay_hf_merges_read_text (self, error);
}

/* ---- writing ---- */

static void
vocab_put_texts (const HfTokenizer *self)
{
  assay_gguf_build_array (self->t->out, "tokenizer.ggml.tokens", GGUF_STRING, self->n_tokens);
  for (guint i = 0; i < self->n_tokens; i++)
    {
      char hole[24];
      g_snprintf (hole, sizeof hole, "[PAD%u]", i);
      const gboolean is_hole = self->tokens[i].data == NULL;
      assay_gguf_build_element_text (self->t->out, is_hole ? hole : self->tokens[i].data,
                                     is_hole ? strlen (hole) : self->tokens[i].length);
    }
}

gboolean
assay_hf_vocab_put (HfTokenizer *self, GError **error)
{
  gboolean any = FALSE;
  vocab_put_texts (self);
  if (!self->byte_level && self->unknown >= 0 && self->types[self->unknown] == ASSAY_TOKEN_CONTROL)
    self->types[self->unknown] = ASSAY_TOKEN_UNKNOWN;
  assay_gguf_build_array (self->t->out, "tokenizer.ggml.token_type", GGUF_I32, self->n_tokens);
  for (guint i = 0; i < self->n_tokens; i++)
    {
      assay_gguf_build_element_u32 (self->t->out, self->types[i]);
      any = any || self->flags[i] != 0;
    }
  if (any)
    {
      assay_gguf_build_array (self->t->out, "assay.tokenizer.added_flags", GGUF_U8, self->n_tokens);
      for (guint i = 0; i < self->n_tokens; i++)
        assay_gguf_build_element_u8 (self->t->out, self->flags[i]);
    }
  return assay_hf_merges_put (self, error);
}
