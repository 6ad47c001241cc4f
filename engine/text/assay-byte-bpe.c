/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/text/assay-byte-bpe.c: byte-level BPE ("gpt2"): words cut by a pattern, bytes merged by rank.
 *
 * The file writes bytes as printable characters: those that are printable in Latin-1 stand for themselves,
 * the 68 others for U+0100 and on. A merge is kept as a pair of token ids, so that merging never looks at
 * text. */
#include "assay-tokenizer-private.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <string.h>

#define KEY(name) "tokenizer.ggml." name

enum { MOST_MERGES = 1 << 24, GGUF_STRING = 8 };

/* ---- the alphabet ---- */

static gunichar
alphabet_char (guint8 byte)
{
  if (byte <= 0x20)
    return 0x100 + byte;
  if (byte >= 0x7F && byte <= 0xA0)
    return 0x121 + byte - 0x7F;
  return byte == 0xAD ? 0x143 : byte;
}

static int
alphabet_byte (gunichar c)
{
  if (c >= 0x100 && c <= 0x120)
    return (int) c - 0x100;
  if (c >= 0x121 && c <= 0x142)
    return (int) c - 0x121 + 0x7F;
  if (c == 0x143)
    return 0xAD;
  return c <= 0xFF && alphabet_char ((guint8) c) == c ? (int) c : -1;
}

static void
byte_bpe_decode (AssayTokenizer *self, gint32 id, GString *out)
{
  const AssayBytes piece = self->tokens[id];
  const char *end = piece.data + piece.length;
  for (const char *p = piece.data; p < end;)
    {
      gunichar c;
      const guint length = assay_unicode_next (p, end, &c);
      const int byte = alphabet_byte (c);
      if (byte >= 0)
        g_string_append_c (out, (char) byte);
      else
        g_string_append_len (out, p, length);
      p += length;
    }
}

/* ---- loading ---- */

static gboolean
load_pre (AssayTokenizer *self, gboolean allow_missing, GError **error)
{
  AssayBytes pre = { "", 0 };
  if (assay_model_file_has (self->file, KEY ("pre"))
      && !assay_model_file_get_string (self->file, KEY ("pre"), &pre))
    {
      assay_tokenizer_set_error (self, error, "tokenizer-bad-type", KEY ("pre"), "not a string");
      return FALSE;
    }
  self->pre = assay_pre_rule_find (pre.data, pre.length);
  if (self->pre != NULL)
    return TRUE;

  const gboolean unnamed = pre.length == 0 || (pre.length == 7 && memcmp (pre.data, "default", 7) == 0);
  if (unnamed && allow_missing)
    {
      self->pre = assay_pre_rule_fallback ();
      self->verified = FALSE;
      assay_tokenizer_notice (
          self, "the file does not name its pre-tokenizer; GPT-2's is used, and the tokens may be wrong");
      return TRUE;
    }
  if (unnamed)
    assay_tokenizer_set_error (
        self, error, "tokenizer-no-pre", KEY ("pre"),
        "the file does not name its pre-tokenizer, so its tokens may be wrong; convert the model "
        "again with a newer converter, or set tokenizer_note to 'unverified' to run it all the same");
  else
    {
      g_autofree char *names = assay_pre_rule_dup_names ();
      assay_engine_error_set (
          error, ASSAY_ENGINE_ERROR_UNSUPPORTED, "tokenizer-unknown-pre",
          assay_model_file_get_path (self->file), KEY ("pre"),
          assay_model_file_get_value_offset (self->file, KEY ("pre")),
          "pre-tokenizer \"%s\" is not known here; known are %s. A newer version may know it", self->pre_name,
          names);
    }
  return FALSE;
}

static void
load_bytes (AssayTokenizer *self)
{
  g_autoptr(GString) missing = g_string_new (NULL);
  for (guint byte = 0; byte < 256; byte++)
    {
      char text[6];
      self->byte_ids[byte]
          = assay_piece_table_find (&self->pieces, text, g_unichar_to_utf8 (alphabet_char (byte), text));
      if (self->byte_ids[byte] < 0)
        g_string_append_printf (missing, " %02X", byte);
    }
  if (missing->len > 0)
    assay_tokenizer_notice (self, "the vocabulary has no token for the bytes%s; they are left out of a text",
                            missing->str);
}

/* The token of a merge's half or whole; -1 with *is_control when only a control token has that text. */
static gint32
merge_piece (AssayTokenizer *self, const char *text, gsize length, gboolean *is_control)
{
  const gint32 id = assay_piece_table_find (&self->pieces, text, length);
  if (id < 0 && assay_special_index_find (&self->specials, text, length) >= 0)
    *is_control = TRUE;
  return id;
}

/* FALSE: it is listed a second time. */
static gboolean
add_pair (AssayTokenizer *self, gint32 left, gint32 right, gint32 rank, gint32 merged)
{
  if (assay_pair_table_add (&self->pairs, left, right, rank, merged))
    return TRUE;
  if (self->last_merge_counts)
    assay_pair_table_set_rank (&self->pairs, left, right, rank);
  return FALSE;
}

static gboolean
load_merge (AssayTokenizer *self, guint rank, GString *whole, guint *n_control, guint *n_twice,
            GError **error)
{
  const AssayBytes merge = assay_model_file_get_array_string (self->file, KEY ("merges"), rank);
  const char *space = merge.length > 1 ? memchr (merge.data + 1, ' ', merge.length - 1) : NULL;
  const gsize left = space != NULL ? (gsize) (space - merge.data) : 0;
  const gsize right = space != NULL ? merge.length - left - 1 : 0;
  g_autofree char *shown = NULL;
  if (right == 0)
    {
      shown = assay_engine_escape (merge.data, merge.length);
      assay_tokenizer_set_error (self, error, "tokenizer-bad-merge", KEY ("merges"),
                                 "merge %u \"%s\" is not two pieces with a space between", rank, shown);
      return FALSE;
    }

  g_string_truncate (whole, 0);
  g_string_append_len (whole, merge.data, left);
  g_string_append_len (whole, space + 1, right);
  gboolean is_control = FALSE;
  const gint32 a = merge_piece (self, merge.data, left, &is_control);
  const gint32 b = merge_piece (self, space + 1, right, &is_control);
  const gint32 ab = merge_piece (self, whole->str, whole->len, &is_control);
  if (a >= 0 && b >= 0 && ab >= 0)
    {
      *n_twice += !add_pair (self, a, b, (gint32) rank, ab);
      return TRUE;
    }
  if (is_control)
    {
      (*n_control)++;
      return TRUE;
    }
  shown = assay_engine_escape (merge.data, merge.length);
  assay_tokenizer_set_error (self, error, "tokenizer-bad-merge", KEY ("merges"),
                             "merge %u \"%s\": the %s is no token", rank, shown,
                             a < 0 ? _("first piece") : b < 0 ? _("second piece") : _("result"));
  return FALSE;
}

/* Left and right as ids: where a piece has a space in it, texts would not tell where the other begins. */
static gboolean
load_merge_ids (AssayTokenizer *self, const char *key, guint64 n, GError **error)
{
  g_autoptr (GString) whole = g_string_new (NULL);
  for (guint i = 0; i < n; i++)
    {
      guint64 pair[2];
      for (guint side = 0; side < 2; side++)
        if (!assay_model_file_get_array_uint (self->file, key, 2 * (guint64) i + side, &pair[side])
            || pair[side] >= self->n_tokens)
          {
            assay_tokenizer_set_error (self, error, "tokenizer-bad-merge", key, "merge %u names no token", i);
            return FALSE;
          }
      g_string_truncate (whole, 0);
      for (guint side = 0; side < 2; side++)
        g_string_append_len (whole, self->tokens[pair[side]].data, self->tokens[pair[side]].length);
      const gint32 merged = assay_piece_table_find (&self->pieces, whole->str, whole->len);
      if (merged < 0)
        {
          assay_tokenizer_set_error (self, error, "tokenizer-bad-merge", key,
                                     "merge %u: the result is no token", i);
          return FALSE;
        }
      add_pair (self, (gint32) pair[0], (gint32) pair[1], (gint32) i, merged);
    }
  return TRUE;
}

gboolean
assay_tokenizer_load_merges (AssayTokenizer *self, GError **error)
{
  static const char ids[] = "assay.tokenizer.merge_ids";
  guint type;
  guint64 length;
  if (assay_model_file_get_array (self->file, ids, &type, &length))
    return load_merge_ids (self, ids, MIN (length / 2, MOST_MERGES), error);
  if (!assay_model_file_get_array (self->file, KEY ("merges"), &type, &length))
    assay_tokenizer_set_error (self, error, "tokenizer-missing", KEY ("merges"),
                               "a \"%s\" tokenizer needs its list of merges", self->kind->model);
  else if (type != GGUF_STRING && length > 0)
    assay_tokenizer_set_error (self, error, "tokenizer-bad-type", KEY ("merges"),
                               "element type %u, must be %d (strings)", type, GGUF_STRING);
  else if (length > MOST_MERGES)
    assay_tokenizer_set_error (self, error, "tokenizer-size", KEY ("merges"),
                               "%" PRIu64 " merges; at most %d are allowed", length, MOST_MERGES);
  else
    {
      g_autoptr(GString) whole = g_string_new (NULL);
      guint n_control = 0, n_twice = 0;
      for (guint i = 0; i < length; i++)
        if (!load_merge (self, i, whole, &n_control, &n_twice, error))
          return FALSE;
      if (n_control > 0)
        assay_tokenizer_notice (self, "%u merges name a control token; they are left out", n_control);
      if (n_twice > 0)
        assay_tokenizer_notice (self, "%u merges are listed twice; the %s counts", n_twice,
                                self->last_merge_counts ? _("last") : _("first"));
      return TRUE;
    }
  return FALSE;
}

static gboolean
byte_bpe_load (AssayTokenizer *self, gboolean allow_missing_pre, GError **error)
{
  if (!load_pre (self, allow_missing_pre, error))
    return FALSE;
  load_bytes (self);
  self->add_bos = assay_pre_rule_adds_bos (self->pre);
  self->whole_words = assay_pre_rule_ignores_merges (self->pre);
  return assay_tokenizer_load_flag (self, "assay.tokenizer.ignore_merges", &self->whole_words, error)
         && assay_tokenizer_load_merges (self, error);
}

/* ---- encoding ---- */

gboolean
assay_byte_bpe_lookup (gconstpointer owner, const char *text, const AssaySymbol *left,
                       const AssaySymbol *right, guint32 *order, gint32 *merged)
{
  const AssayTokenizer *self = owner;
  if (left->id < 0 || right->id < 0) /* a character that is no token */
    return FALSE;
  const AssayPairSlot *pair = assay_pair_table_find (&self->pairs, left->id, right->id);
  if (pair == NULL)
    return FALSE;
  *order = (guint32) pair->rank;
  *merged = pair->merged;
  return TRUE;
}

/* The token that is the whole word, or -1. */
static gint32
word_token (const AssayTokenizer *self, const char *word, gsize length, GString *mapped)
{
  if (length > self->longest)
    return -1;
  g_string_truncate (mapped, 0);
  for (gsize i = 0; i < length; i++)
    g_string_append_unichar (mapped, alphabet_char ((guint8) word[i]));
  const gint32 id = assay_piece_table_find (&self->pieces, mapped->str, mapped->len);
  return id >= 0 && tokenizer_type (self, id) == ASSAY_TOKEN_NORMAL ? id : -1;
}

static gboolean
encode_word (AssayTokenizer *self, AssayMerger *merger, const char *word, gsize length, GArray *ids,
             GCancellable *cancellable, GError **error)
{
  assay_merger_start (merger);
  for (gsize i = 0; i < length; i++)
    {
      const gint32 id = self->byte_ids[(guint8) word[i]];
      if (id >= 0 && !assay_merger_add (merger, (guint32) i, 1, id))
        {
          assay_merger_set_no_memory (error);
          return FALSE;
        }
    }
  if (merger->n_symbols > 1
      && !assay_merger_run (merger, word, self, assay_byte_bpe_lookup, cancellable, error))
    return FALSE;
  for (gsize i = 0; i < merger->n_symbols; i++)
    if (merger->symbols[i].length > 0)
      g_array_append_val (ids, merger->symbols[i].id);
  return TRUE;
}

static gboolean
byte_bpe_encode (AssayTokenizer *self, AssayMerger *merger, const char *text, gsize length,
                 guint place, GArray *ids, GCancellable *cancellable, GError **error)
{
  enum { POLL_EVERY = 4096 };
  g_autoptr(GString) mapped = g_string_new (NULL);
  g_autofree char *spaced = NULL;
  if (self->space_prefix != ASSAY_SPACE_NEVER && *text != ' ')
    {
      spaced = g_try_malloc (length + 1);
      if (spaced == NULL)
        {
          assay_merger_set_no_memory (error);
          return FALSE;
        }
      *spaced = ' ';
      memcpy (spaced + 1, text, length);
      text = spaced;
      length++;
    }

  AssayPreSplit split;
  assay_pre_split_init (&split, self->pre, text, length);
  const char *word;
  gsize n;
  for (guint i = 1; (n = assay_pre_split_next (&split, &word)) > 0; i++)
    {
      if (i % POLL_EVERY == 0 && g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
      const gint32 id = self->whole_words ? word_token (self, word, n, mapped) : -1;
      if (id >= 0)
        g_array_append_val (ids, id);
      else if (!encode_word (self, merger, word, n, ids, cancellable, error))
        return FALSE;
    }
  return TRUE;
}

const AssayTokenizerKind assay_byte_bpe_kind
    = { "gpt2", byte_bpe_load, byte_bpe_encode, NULL, byte_bpe_decode };
