/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/text/assay-tokenizer-folder.c: what a tokenizer in Hugging Face's layout says beyond GGUF's words,
 * under the keys that its translation writes. */
#include "assay-tokenizer-private.h"

#include <inttypes.h>
#include <string.h>

#define KEY(name) "assay.tokenizer." name

enum
{
  GGUF_UINT8 = 0,
  GGUF_INT32 = 5
};

static gboolean
bytes_are (AssayBytes bytes, const char *text)
{
  return bytes.length == strlen (text) && memcmp (bytes.data, text, bytes.length) == 0;
}

/* One of the names, or the default when the key is absent. */
static gboolean
folder_load_choice (AssayTokenizer *self, const char *key, const char *const *names, guint *choice,
                    GError **error)
{
  AssayBytes text;
  if (!assay_model_file_has (self->file, key))
    return TRUE;
  const gboolean is_text = assay_model_file_get_string (self->file, key, &text);
  for (guint i = 0; is_text && names[i] != NULL; i++)
    if (bytes_are (text, names[i]))
      {
        *choice = i;
        return TRUE;
      }
  g_autofree char *shown = assay_model_file_dup_value (self->file, key);
  g_autofree char *list = g_strjoinv (", ", (char **)names);
  assay_tokenizer_set_error (self, error, "tokenizer-bad-type", key, "is '%s'; one of %s is allowed", shown,
                             list);
  return FALSE;
}

static gboolean
folder_load_ends (AssayTokenizer *self, GError **error)
{
  static const char key[] = KEY ("end_token_ids");
  guint type;
  guint64 length, id;
  if (!assay_model_file_get_array (self->file, key, &type, &length))
    return TRUE;
  for (guint64 i = 0; i < length; i++)
    {
      if (!assay_model_file_get_array_uint (self->file, key, i, &id) || id >= self->n_tokens)
        {
          assay_tokenizer_set_error (self, error, "tokenizer-id-range", key,
                                     "entry %" PRIu64 " is no token; 0 to %u are", i,
                                     self->n_tokens - 1);
          return FALSE;
        }
      self->types[id] |= ASSAY_TOKEN_IS_END;
    }
  return TRUE;
}

gboolean
assay_tokenizer_load_folder (AssayTokenizer *self, GError **error)
{
  static const char *const normalizers[] = { "none", "nfc", NULL };
  static const char *const prefixes[] = { "never", "always", "unless-space", "first-unless-space", NULL };
  guint normalizer = 0, prefix = self->space_prefix;
  self->fuse_unknown = TRUE;
  if (!folder_load_choice (self, KEY ("normalizer"), normalizers, &normalizer, error)
      || !folder_load_choice (self, KEY ("space_prefix"), prefixes, &prefix, error)
      || !folder_load_ends (self, error)
      || !assay_tokenizer_load_flag (self, KEY ("fuse_unknown"), &self->fuse_unknown, error)
      || !assay_tokenizer_load_flag (self, KEY ("by_rank"), &self->by_rank, error)
      || !assay_tokenizer_load_flag (self, KEY ("marks_early"), &self->marks_early, error)
      || !assay_tokenizer_load_flag (self, KEY ("split_words"), &self->split_words, error))
    return FALSE;
  self->last_merge_counts = assay_model_file_has (self->file, KEY ("space_prefix")); /* every folder has it */
  self->nfc = normalizer == 1;
  self->space_prefix = (AssaySpacePrefix)prefix;
  return assay_tokenizer_load_array (self, KEY ("added_flags"), GGUF_UINT8, &self->added, error);
}

/* The text that such a token has in a normalized text; (transfer full). */
static char *
late_dup_text (AssayTokenizer *self, gint32 id, gsize *length)
{
  AssayBytes text = self->tokens[id];
  g_autoptr (GString) normal = self->nfc ? assay_text_normalize (text.data, text.length) : NULL;
  if (normal != NULL)
    text = (AssayBytes){ normal->str, normal->len };
  if (self->marks_early)
    return self->kind->mark (self, text.data, text.length, ASSAY_PART_FIRST, length);
  *length = text.length;
  return g_memdup2 (text.data, text.length);
}

static gboolean
late_is_one (const AssayTokenizer *self, guint id)
{
  const AssayTokenType type = tokenizer_type (self, (gint32)id);
  return (self->added[id] & ASSAY_ADDED_NORMALIZED) != 0 && self->tokens[id].length > 0
         && (type == ASSAY_TOKEN_CONTROL || type == ASSAY_TOKEN_UNKNOWN || type == ASSAY_TOKEN_USER_DEFINED);
}

void
assay_tokenizer_load_late (AssayTokenizer *self)
{
  for (guint i = 0; self->added != NULL && i < self->n_tokens; i++)
    {
      if (!late_is_one (self, i))
        continue;
      if (self->late_texts == NULL)
        {
          self->late_texts = g_new0 (AssayBytes, self->n_tokens);
          self->late_chunk = g_string_chunk_new (4096);
        }
      gsize length = 0;
      g_autofree char *text = late_dup_text (self, (gint32)i, &length);
      if (text == NULL)
        continue;
      self->late_texts[i]
          = (AssayBytes){ g_string_chunk_insert_len (self->late_chunk, text, (gssize)length), length };
      assay_special_index_add (&self->late, (gint32)i);
    }
  assay_special_index_sort (&self->late);
}
