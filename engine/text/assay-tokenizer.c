/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/text/assay-tokenizer.c: what both kinds share: special tokens first, then the text between them. */
#include "assay-tokenizer-private.h"

#include <string.h>

#define MOST_BYTES ((gsize) 1 << 30)

/* ---- life ---- */

static const char *
tokenizer_text (gconstpointer owner, gint32 id, gsize *length)
{
  const AssayTokenizer *self = owner;
  *length = self->tokens[id].length;
  return self->tokens[id].data;
}

static const char *
tokenizer_late_text (gconstpointer owner, gint32 id, gsize *length)
{
  const AssayTokenizer *self = owner;
  *length = self->late_texts[id].length;
  return self->late_texts[id].data;
}

AssayTokenizer *
assay_tokenizer_new (AssayModelFile *file, gboolean allow_missing_pre, GError **error)
{
  g_return_val_if_fail (file != NULL, NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  g_autoptr(AssayTokenizer) self = g_new0 (AssayTokenizer, 1);
  g_atomic_ref_count_init (&self->ref_count);
  self->file = assay_model_file_ref (file);
  self->notices = g_ptr_array_new_with_free_func (g_free);
  self->verified = TRUE;
  assay_piece_table_init (&self->pieces, self, tokenizer_text);
  assay_special_index_init (&self->specials, self, tokenizer_text);
  assay_special_index_init (&self->late, self, tokenizer_late_text);
  assay_pair_table_init (&self->pairs);
  memset (self->byte_ids, 0xFF, sizeof self->byte_ids);
  if (!assay_tokenizer_load (self, allow_missing_pre, error))
    return NULL;
  g_ptr_array_add (self->notices, NULL);
  return g_steal_pointer (&self);
}

AssayTokenizer *
assay_tokenizer_ref (AssayTokenizer *self)
{
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

void
assay_tokenizer_unref (AssayTokenizer *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;
  assay_piece_table_clear (&self->pieces);
  assay_special_index_clear (&self->specials);
  assay_special_index_clear (&self->late);
  g_clear_pointer (&self->late_chunk, g_string_chunk_free);
  g_free (self->late_texts);
  assay_pair_table_clear (&self->pairs);
  g_free (self->tokens);
  g_free (self->types);
  g_free (self->orders);
  g_free (self->pre_name);
  g_ptr_array_unref (self->notices);
  assay_model_file_unref (self->file);
  g_free (self);
}

/* ---- encoding ---- */

GArray *
assay_tokenizer_encode (AssayTokenizer *self, const char *text, gssize length, AssayEncodeFlags flags,
                        GCancellable *cancellable, GError **error)
{
  g_return_val_if_fail (self != NULL, NULL);
  g_return_val_if_fail (text != NULL || length == 0, NULL);

  const gsize n = length < 0 ? strlen (text) : (gsize) length;
  if (n > MOST_BYTES)
    {
      assay_engine_error_set (
          error, ASSAY_ENGINE_ERROR_CONTEXT, "prompt-too-large", NULL, NULL, -1,
          "the prompt has %zu bytes; at most %zu are taken", n, MOST_BYTES);
      return NULL;
    }

  g_autoptr(GArray) ids = g_array_new (FALSE, FALSE, sizeof (gint32));
  AssayMerger merger = { 0 };
  const gboolean done
      = n == 0
        || assay_tokenizer_encode_text (self, &merger, text, n, (flags & ASSAY_ENCODE_PARSE_SPECIAL) != 0,
                                        (flags & ASSAY_ENCODE_CONTINUED) == 0, ids, cancellable, error);
  assay_merger_clear (&merger);
  if (!done)
    return NULL;

  /* A template may write its own. */
  const gboolean has_bos = ids->len > 0 && g_array_index (ids, gint32, 0) == self->bos;
  if ((flags & ASSAY_ENCODE_ADD_SPECIAL) != 0 && self->add_bos && !has_bos)
    g_array_prepend_val (ids, self->bos);
  if ((flags & ASSAY_ENCODE_ADD_SPECIAL) != 0 && self->add_eos)
    g_array_append_val (ids, self->eos);
  return g_steal_pointer (&ids);
}

/* ---- decoding ---- */

void
assay_tokenizer_decode_one (AssayTokenizer *self, gint32 id, gboolean render_special, gboolean *at_start,
                            GString *out)
{
  if (id < 0 || (guint) id >= self->n_tokens)
    return;
  const AssayBytes piece = self->tokens[id];
  const AssayTokenType type = tokenizer_type (self, id);
  if (type == ASSAY_TOKEN_CONTROL || type == ASSAY_TOKEN_UNKNOWN || type == ASSAY_TOKEN_UNUSED)
    {
      if (render_special)
        g_string_append_len (out, piece.data, piece.length);
      return;
    }

  const gsize before = out->len;
  if (type == ASSAY_TOKEN_USER_DEFINED && !self->by_rank)
    g_string_append_len (out, piece.data, piece.length);
  else
    self->kind->decode (self, id, out);
  const gboolean may_strip = self->strip_space && (type == ASSAY_TOKEN_NORMAL || self->by_rank);
  if (*at_start && may_strip && out->len > before && out->str[before] == ' ')
    g_string_erase (out, before, 1);
  *at_start = FALSE;
}

GString *
assay_tokenizer_decode (AssayTokenizer *self, const gint32 *ids, gsize n, gboolean render_special)
{
  g_return_val_if_fail (self != NULL, NULL);
  GString *out = g_string_new (NULL);
  gboolean at_start = TRUE;
  for (gsize i = 0; i < n; i++)
    assay_tokenizer_decode_one (self, ids[i], render_special, &at_start, out);
  return out;
}

/* ---- facts ---- */

guint
assay_tokenizer_get_n_tokens (AssayTokenizer *self)
{
  return self->n_tokens;
}

AssayBytes
assay_tokenizer_get_piece (AssayTokenizer *self, gint32 id)
{
  g_return_val_if_fail (id >= 0 && (guint) id < self->n_tokens, ((AssayBytes) { "", 0 }));
  return self->tokens[id];
}

gint32
assay_tokenizer_get_bos (AssayTokenizer *self)
{
  return self->bos;
}

gint32
assay_tokenizer_get_eos (AssayTokenizer *self)
{
  return self->eos;
}

gboolean
assay_tokenizer_adds_bos (AssayTokenizer *self)
{
  return self->add_bos;
}

gint32
assay_tokenizer_find_special (AssayTokenizer *self, const char *text)
{
  return assay_special_index_find (&self->specials, text, strlen (text));
}

gboolean
assay_tokenizer_is_end (AssayTokenizer *self, gint32 id)
{
  return id >= 0 && (guint) id < self->n_tokens && (self->types[id] & ASSAY_TOKEN_IS_END) != 0;
}

gboolean
assay_tokenizer_is_verified (AssayTokenizer *self)
{
  return self->verified;
}

const char *
assay_tokenizer_get_model (AssayTokenizer *self)
{
  return self->kind->model;
}

const char *
assay_tokenizer_get_pre (AssayTokenizer *self)
{
  return self->pre_name;
}

const char *const *
assay_tokenizer_get_notices (AssayTokenizer *self)
{
  return (const char *const *) self->notices->pdata;
}
