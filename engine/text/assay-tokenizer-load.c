/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/text/assay-tokenizer-load.c: the tokenizer's keys, each checked against the others before it is
 * believed. */
#include "assay-tokenizer-private.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#define KEY(name) "tokenizer.ggml." name

enum { MOST_TOKENS = 1 << 24 }; /* each of at most 64 KiB: the model file sees to that */
enum { GGUF_INT32 = 5, GGUF_FLOAT32 = 6, GGUF_STRING = 8 };

void
assay_tokenizer_set_error (AssayTokenizer *self, GError **error, const char *reason, const char *key,
                           const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (_(format), args);
  va_end (args);
  assay_engine_error_set (error, ASSAY_ENGINE_ERROR_FORMAT, reason, assay_model_file_get_path (self->file),
                          key, assay_model_file_get_value_offset (self->file, key), "%s", text);
}

void
assay_tokenizer_notice (AssayTokenizer *self, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_ptr_array_add (self->notices, g_strdup_vprintf (_(format), args));
  va_end (args);
}

char *
assay_tokenizer_escape (AssayTokenizer *self, gint32 id)
{
  return assay_engine_escape (self->tokens[id].data, self->tokens[id].length);
}

gboolean
assay_tokenizer_load_flag (AssayTokenizer *self, const char *key, gboolean *out, GError **error)
{
  if (!assay_model_file_has (self->file, key) || assay_model_file_get_bool (self->file, key, out))
    return TRUE;
  assay_tokenizer_set_error (self, error, "tokenizer-bad-type", key, "not true or false");
  return FALSE;
}

/* ---- the arrays ---- */

static gboolean
load_tokens (AssayTokenizer *self, GError **error)
{
  guint type;
  guint64 length;
  if (!assay_model_file_get_array (self->file, KEY ("tokens"), &type, &length))
    assay_tokenizer_set_error (self, error, "tokenizer-missing", KEY ("tokens"),
                               "the file has no list of tokens, so no text can be given to it");
  else if (type != GGUF_STRING)
    assay_tokenizer_set_error (self, error, "tokenizer-bad-type", KEY ("tokens"),
                               "element type %u, must be %d (strings)", type, GGUF_STRING);
  else if (length == 0 || length > MOST_TOKENS)
    assay_tokenizer_set_error (self, error, "tokenizer-size", KEY ("tokens"),
                               "%" PRIu64 " tokens; 1 to %d are allowed", length, MOST_TOKENS);
  else
    {
      self->n_tokens = (guint) length;
      self->tokens = g_new (AssayBytes, length);
      self->types = g_malloc (length);
      memset (self->types, ASSAY_TOKEN_NORMAL, length);
      for (guint i = 0; i < self->n_tokens; i++)
        {
          self->tokens[i] = assay_model_file_get_array_string (self->file, KEY ("tokens"), i);
          self->longest = MAX (self->longest, self->tokens[i].length);
        }
      return TRUE;
    }
  return FALSE;
}

gboolean
assay_tokenizer_load_array (AssayTokenizer *self, const char *key, guint wanted, const guint8 **data,
                            GError **error)
{
  guint type;
  guint64 length;
  *data = NULL;
  if (!assay_model_file_has (self->file, key))
    return TRUE;
  if (!assay_model_file_get_array (self->file, key, &type, &length) || type != wanted)
    assay_tokenizer_set_error (self, error, "tokenizer-bad-type", key,
                               "must be an array of element type %u (%s)", wanted,
                               wanted == GGUF_INT32 ? "int32" : wanted == GGUF_FLOAT32 ? "float32" : "uint8");
  else if (length != self->n_tokens)
    assay_tokenizer_set_error (self, error, "tokenizer-count", key,
                               "%" PRIu64 " entries for %u tokens", length, self->n_tokens);
  else
    {
      *data = assay_model_file_get_array_data (self->file, key);
      return TRUE;
    }
  return FALSE;
}

static gboolean
load_types (AssayTokenizer *self, GError **error)
{
  const guint8 *types;
  guint n_odd = 0;
  if (!assay_tokenizer_load_array (self, KEY ("token_type"), GGUF_INT32, &types, error))
    return FALSE;
  for (guint i = 0; types != NULL && i < self->n_tokens; i++)
    {
      gint32 type;
      memcpy (&type, types + 4 * (gsize) i, 4);
      type = GINT32_FROM_LE (type);
      if (type >= ASSAY_TOKEN_NORMAL && type <= ASSAY_TOKEN_BYTE)
        self->types[i] = (guint8) type;
      else
        n_odd++;
    }
  if (types == NULL && self->kind == &assay_score_bpe_kind)
    assay_score_bpe_guess_bytes (self);
  if (n_odd > 0)
    assay_tokenizer_notice (self, "%u tokens have a type that is not known; they are taken as normal", n_odd);
  return TRUE;
}

static gboolean
load_orders (AssayTokenizer *self, GError **error)
{
  const guint8 *scores;
  if (!assay_tokenizer_load_array (self, KEY ("scores"), GGUF_FLOAT32, &scores, error))
    return FALSE;
  if (self->kind != &assay_score_bpe_kind)
    return TRUE;
  if (scores == NULL)
    {
      assay_tokenizer_set_error (self, error, "tokenizer-missing", KEY ("scores"),
                                 "a \"%s\" tokenizer needs a score for each token", self->kind->model);
      return FALSE;
    }

  self->orders = g_new (guint32, self->n_tokens);
  for (guint i = 0; i < self->n_tokens; i++)
    {
      guint32 bits;
      memcpy (&bits, scores + 4 * (gsize) i, 4);
      bits = GUINT32_FROM_LE (bits);
      if ((bits & 0x7FFFFFFF) > 0x7F800000)
        {
          assay_tokenizer_set_error (self, error, "tokenizer-bad-score", KEY ("scores"),
                                     "score %u is not a number", i);
          return FALSE;
        }
      if (bits == 0x80000000)
        bits = 0; /* -0 equals 0 */
      self->orders[i]
          = bits >> 31 ? bits : ~(bits | 0x80000000); /* the highest float becomes the smallest integer */
    }
  return TRUE;
}

static gboolean
check_embedding (AssayTokenizer *self, GError **error)
{
  const AssayTensorInfo *embedding = assay_model_file_find_tensor (self->file, "token_embd.weight");
  if (embedding == NULL)
    return TRUE; /* a vocabulary without a model; the model's loader asks for the tensor */
  if (embedding->shape[1] < self->n_tokens)
    {
      assay_tokenizer_set_error (self, error, "tokenizer-count", KEY ("tokens"),
                                 "%u tokens, but token_embd.weight has %" PRId64 " rows",
                                 self->n_tokens, embedding->shape[1]);
      return FALSE;
    }
  if (embedding->shape[1] > self->n_tokens)
    assay_tokenizer_notice (
        self, "token_embd.weight has %" PRId64 " rows for %u tokens; the rest is never used",
        embedding->shape[1], self->n_tokens);
  return TRUE;
}

/* ---- special tokens ---- */

static gboolean
load_special_id (AssayTokenizer *self, const char *key, gint32 *id, GError **error)
{
  gint64 value;
  if (!assay_model_file_has (self->file, key))
    return TRUE;
  if (assay_model_file_get_int (self->file, key, &value) && value >= 0 && value < self->n_tokens)
    {
      *id = (gint32) value;
      return TRUE;
    }
  g_autofree char *seen = assay_model_file_dup_value (self->file, key);
  assay_tokenizer_set_error (self, error, "tokenizer-id-range", key, "%s is no token; 0 to %u are", seen,
                             self->n_tokens - 1);
  return FALSE;
}

/* The ids that "llama" files may leave out; only where the token says itself that it is one. */
static gint32
default_id (const AssayTokenizer *self, gint32 id, AssayTokenType type)
{
  if (self->kind != &assay_score_bpe_kind || (guint) id >= self->n_tokens)
    return -1;
  return tokenizer_type (self, id) == type ? id : -1;
}

static gboolean
load_special_ids (AssayTokenizer *self, GError **error)
{
  static const char *const others[] = {
    KEY ("padding_token_id"), KEY ("seperator_token_id"), KEY ("mask_token_id"), KEY ("fim_pre_token_id"),
    KEY ("fim_suf_token_id"), KEY ("fim_mid_token_id"), KEY ("fim_pad_token_id"), KEY ("fim_rep_token_id"),
    KEY ("fim_sep_token_id"),
  };
  self->unknown = default_id (self, 0, ASSAY_TOKEN_UNKNOWN);
  self->bos = default_id (self, 1, ASSAY_TOKEN_CONTROL);
  self->eos = default_id (self, 2, ASSAY_TOKEN_CONTROL);
  self->eot = self->eom = -1;
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    {
      gint32 ignored;
      g_autoptr(GError) range = NULL;
      /* never used here: no reason to refuse the model */
      if (!load_special_id (self, others[i], &ignored, &range))
        assay_tokenizer_notice (self, "%s", range->message);
    }
  return load_special_id (self, KEY ("bos_token_id"), &self->bos, error)
         && load_special_id (self, KEY ("eos_token_id"), &self->eos, error)
         && load_special_id (self, KEY ("eot_token_id"), &self->eot, error)
         && load_special_id (self, KEY ("eom_token_id"), &self->eom, error)
         && load_special_id (self, KEY ("unknown_token_id"), &self->unknown, error);
}

/* Files mark some of these as normal or user-defined: then a person's text could end a turn. */
static void
mark_control (AssayTokenizer *self, gint32 id)
{
  const AssayTokenType type = tokenizer_type (self, id);
  if (type != ASSAY_TOKEN_NORMAL && type != ASSAY_TOKEN_USER_DEFINED)
    return;
  g_autofree char *shown = assay_tokenizer_escape (self, id);
  assay_tokenizer_notice (
      self, "token %d \"%s\" is taken as a control token, though the file does not mark it so", id, shown);
  self->types[id] = (self->types[id] & ASSAY_TOKEN_IS_END) | ASSAY_TOKEN_CONTROL;
}

static gboolean
is_end_text (AssayBytes piece)
{
  static const char *const texts[] = {
    "<|eot_id|>",
    "<|im_end|>",
    "<|end|>",
    "<end_of_turn>",
    "<|endoftext|>",
    "<|eom_id|>",
    "<EOT>",
    "<|end_of_text|>",
    "<end_of_utterance>",
    "<\357\275\234end\342\226\201of\342\226\201sentence\357\275\234>",
  };
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    if (strlen (texts[i]) == piece.length && memcmp (texts[i], piece.data, piece.length) == 0)
      return TRUE;
  return FALSE;
}

static void
mark_ends (AssayTokenizer *self)
{
  const gint32 named[] = { self->bos, self->eos, self->eot, self->eom };
  for (guint i = 0; i < G_N_ELEMENTS (named); i++)
    {
      if (named[i] < 0)
        continue;
      if (i > 0)
        self->types[named[i]] |= ASSAY_TOKEN_IS_END;
      const AssayBytes piece = self->tokens[named[i]];
      if (piece.length > 2 && (piece.data[0] == '<' || piece.data[0] == '['))
        mark_control (self, named[i]);
    }
  for (guint i = 0; i < self->n_tokens; i++)
    if (is_end_text (self->tokens[i]))
      {
        self->types[i] |= ASSAY_TOKEN_IS_END;
        mark_control (self, i);
      }
}

/* ---- tables ---- */

static void
build_tables (AssayTokenizer *self)
{
  guint n_empty = 0, n_twice = 0, first_twice = 0;
  for (guint i = 0; i < self->n_tokens; i++)
    {
      const AssayTokenType type = tokenizer_type (self, i);
      if (self->tokens[i].length == 0)
        {
          n_empty++;
          continue;
        }
      if (type == ASSAY_TOKEN_CONTROL || type == ASSAY_TOKEN_UNKNOWN || type == ASSAY_TOKEN_USER_DEFINED)
        assay_special_index_add (&self->specials, i);
      if ((type == ASSAY_TOKEN_NORMAL || type == ASSAY_TOKEN_USER_DEFINED)
          && !assay_piece_table_add (&self->pieces, i) && n_twice++ == 0)
        first_twice = i;
    }
  assay_special_index_sort (&self->specials);
  if (n_empty > 0)
    assay_tokenizer_notice (self, "%u tokens are empty; they stand for no text", n_empty);
  if (n_twice > 0)
    assay_tokenizer_notice (
        self, "%u tokens repeat the text of an earlier one, the first is %u; text becomes the earlier",
        n_twice, first_twice);
}

static gboolean
load_adds (AssayTokenizer *self, GError **error)
{
  if (!assay_tokenizer_load_flag (self, KEY ("add_bos_token"), &self->add_bos, error)
      || !assay_tokenizer_load_flag (self, KEY ("add_eos_token"), &self->add_eos, error))
    return FALSE;
  if (self->add_bos && self->bos < 0)
    assay_tokenizer_notice (self, "a begin token is wanted before each text, but the file names none");
  if (self->add_eos && self->eos < 0)
    assay_tokenizer_notice (self, "an end token is wanted after each text, but the file names none");
  self->add_bos = self->add_bos && self->bos >= 0;
  self->add_eos = self->add_eos && self->eos >= 0;
  return TRUE;
}

static gboolean
load_kind (AssayTokenizer *self, GError **error)
{
  AssayBytes model;
  if (!assay_model_file_get_string (self->file, KEY ("model"), &model))
    {
      assay_tokenizer_set_error (self, error, "tokenizer-missing", KEY ("model"),
                                 "the file does not say which tokenizer it has");
      return FALSE;
    }
  const AssayTokenizerKind *const kinds[] = { &assay_byte_bpe_kind, &assay_score_bpe_kind };
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (strlen (kinds[i]->model) == model.length && memcmp (kinds[i]->model, model.data, model.length) == 0)
      {
        self->kind = kinds[i];
        return TRUE;
      }
  g_autofree char *shown = assay_engine_escape (model.data, model.length);
  assay_engine_error_set (error, ASSAY_ENGINE_ERROR_UNSUPPORTED, "tokenizer-unsupported",
                          assay_model_file_get_path (self->file), KEY ("model"),
                          assay_model_file_get_value_offset (self->file, KEY ("model")),
                          "tokenizer \"%s\"; this engine has \"gpt2\" and \"llama\"", shown);
  return FALSE;
}

gboolean
assay_tokenizer_load (AssayTokenizer *self, gboolean allow_missing_pre, GError **error)
{
  AssayBytes pre = { "", 0 };
  assay_model_file_get_string (self->file, KEY ("pre"), &pre);
  self->pre_name = assay_engine_escape (pre.data, pre.length);

  if (!load_kind (self, error) || !load_tokens (self, error) || !load_types (self, error)
      || !load_orders (self, error) || !check_embedding (self, error) || !load_special_ids (self, error))
    return FALSE;
  if (!assay_tokenizer_load_folder (self, error))
    return FALSE;
  mark_ends (self);
  build_tables (self);
  if (!self->kind->load (self, allow_missing_pre, error))
    return FALSE;
  assay_tokenizer_load_late (self);
  return load_adds (self, error);
}
