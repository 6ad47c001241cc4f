/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/text/assay-score-bpe.c: SentencePiece-style BPE ("llama"): no words, characters merged by the score
 * of what they make, spaces written as U+2581, and characters that the vocabulary lacks written as their
 * bytes.
 *
 * Pairs are looked up by their text: a character may be no token by itself and still be part of one. */
#include "assay-tokenizer-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#define KEY(name) "tokenizer.ggml." name
#define SPACE_MARK "\342\226\201" /* U+2581 */
enum { SPACE_MARK_LENGTH = 3 };

/* ---- byte tokens ---- */

/* "<0xXX>" → 0..255; else -1. */
static int
parse_byte (AssayBytes piece)
{
  if (piece.length != 6 || memcmp (piece.data, "<0x", 3) != 0 || piece.data[5] != '>')
    return -1;
  const int high = g_ascii_xdigit_value (piece.data[3]), low = g_ascii_xdigit_value (piece.data[4]);
  return high >= 0 && low >= 0 ? high << 4 | low : -1;
}

void
assay_score_bpe_guess_bytes (AssayTokenizer *self)
{
  guint n = 0;
  for (guint i = 0; i < self->n_tokens; i++)
    if (parse_byte (self->tokens[i]) >= 0)
      {
        self->types[i] = ASSAY_TOKEN_BYTE;
        n++;
      }
  assay_tokenizer_notice (self, "the file has no token types; %u tokens are taken as bytes by their text", n);
}

static gboolean
load_bytes (AssayTokenizer *self, GError **error)
{
  guint n = 0, n_repeated = 0, first_repeated = 0;
  for (guint i = 0; i < self->n_tokens; i++)
    {
      if (tokenizer_type (self, i) != ASSAY_TOKEN_BYTE)
        continue;
      const int byte = parse_byte (self->tokens[i]);
      if (byte < 0)
        {
          g_autofree char *shown = assay_tokenizer_escape (self, i);
          assay_tokenizer_set_error (self, error, "tokenizer-bad-byte", KEY ("tokens"),
                                     "token %u \"%s\" is marked as a byte but is not <0x00> to <0xFF>", i,
                                     shown);
          return FALSE;
        }
      if (self->byte_ids[byte] >= 0)
        first_repeated = n_repeated++ == 0 ? i : first_repeated;
      else
        {
          self->byte_ids[byte] = (gint32) i;
          n++;
        }
    }
  if (n_repeated > 0)
    assay_tokenizer_notice (self,
                            ngettext ("%u token repeats a byte, the first is %u; the earlier ones are used",
                                      "%u tokens repeat a byte, the first is %u; the earlier ones are used", n_repeated),
                            n_repeated, first_repeated);
  self->byte_fallback = n == 256;
  if (n < 256)
    assay_tokenizer_notice (self, "the vocabulary has %u of the 256 byte tokens; characters it lacks %s", n,
                            self->unknown >= 0 ? _("become the unknown token") : _("are left out of a text"));
  return TRUE;
}

static gboolean
score_bpe_load (AssayTokenizer *self, gboolean allow_missing_pre, GError **error)
{
  gboolean prefix = self->space_prefix != ASSAY_SPACE_NEVER;
  self->add_bos = TRUE;
  if (!assay_model_file_has (self->file, "assay.tokenizer.space_prefix"))
    {
      prefix = TRUE;
      if (!assay_tokenizer_load_flag (self, KEY ("add_space_prefix"), &prefix, error))
        return FALSE;
      self->space_prefix = prefix ? ASSAY_SPACE_ALWAYS : ASSAY_SPACE_NEVER;
    }
  self->strip_space = prefix;
  return load_bytes (self, error)
         && assay_tokenizer_load_flag (self, "assay.tokenizer.strip_space", &self->strip_space, error)
         && assay_tokenizer_load_flag (self, "assay.tokenizer.byte_fallback", &self->byte_fallback, error)
         && (!self->by_rank || assay_tokenizer_load_merges (self, error));
}

/* ---- encoding ---- */

static gboolean
score_lookup (gconstpointer owner, const char *text, const AssaySymbol *left, const AssaySymbol *right,
              guint32 *order, gint32 *merged)
{
  const AssayTokenizer *self = owner;
  const gsize length = (gsize) left->length + right->length;
  const gint32 id
      = length <= self->longest ? assay_piece_table_find (&self->pieces, text + left->start, length) : -1;
  if (id < 0)
    return FALSE;
  *order = self->orders[id];
  *merged = id;
  return TRUE;
}

static gboolean
gets_space (const AssayTokenizer *self, const char *text, gsize length, guint place)
{
  const gboolean has_space
      = length > 0
        && (*text == ' '
            || (length >= SPACE_MARK_LENGTH && memcmp (text, SPACE_MARK, SPACE_MARK_LENGTH) == 0));
  switch (self->space_prefix)
    {
    case ASSAY_SPACE_ALWAYS: return TRUE;
    case ASSAY_SPACE_UNLESS_SPACE: return !has_space;
    case ASSAY_SPACE_FIRST_UNLESS_SPACE: return !has_space && (place & ASSAY_PART_FIRST) != 0;
    case ASSAY_SPACE_NEVER: break;
    }
  return FALSE;
}

/* The text with its spaces marked. */
static char *
score_bpe_mark (AssayTokenizer *self, const char *text, gsize length, guint place, gsize *marked_length)
{
  const gboolean space_before = gets_space (self, text, length, place);
  gsize n_spaces = space_before;
  for (gsize i = 0; i < length; i++)
    n_spaces += text[i] == ' ';
  *marked_length = length + space_before + n_spaces * (SPACE_MARK_LENGTH - 1);
  char *marked = g_try_malloc (*marked_length + 1);
  if (marked == NULL)
    return NULL;

  char *out = marked;
  if (space_before)
    out = mempcpy (out, SPACE_MARK, SPACE_MARK_LENGTH);
  for (gsize i = 0; i < length; i++)
    if (text[i] == ' ')
      out = mempcpy (out, SPACE_MARK, SPACE_MARK_LENGTH);
    else
      *out++ = text[i];
  return marked;
}

static void
append_unknown (const AssayTokenizer *self, const char *text, gsize length, gboolean after_unknown,
                GArray *ids)
{
  if (self->byte_fallback)
    for (gsize i = 0; i < length; i++)
      g_array_append_val (ids, self->byte_ids[(guint8) text[i]]);
  else if (self->unknown >= 0 && !after_unknown)
    g_array_append_val (ids, self->unknown);
}

/* By rank, a character that nothing stands for is gone before merging, and its neighbours meet. */
static gboolean
add_characters (AssayTokenizer *self, AssayMerger *merger, const char *text, gsize length, GError **error)
{
  const gboolean drops = self->by_rank && !self->byte_fallback && self->unknown < 0;
  assay_merger_start (merger);
  for (const char *p = text; p < text + length;)
    {
      gunichar c;
      const guint n = assay_unicode_next (p, text + length, &c);
      const gint32 id = assay_piece_table_find (&self->pieces, p, n);
      if ((id >= 0 || !drops) && !assay_merger_add (merger, (guint32) (p - text), n, id))
        {
          assay_merger_set_no_memory (error);
          return FALSE;
        }
      p += n;
    }
  return TRUE;
}

static gboolean
encode_marked (AssayTokenizer *self, AssayMerger *merger, const char *text, gsize length, GArray *ids,
               GCancellable *cancellable, GError **error)
{
  if (!add_characters (self, merger, text, length, error)
      || !assay_merger_run (merger, text, self, self->by_rank ? assay_byte_bpe_lookup : score_lookup,
                            cancellable, error))
    return FALSE;

  gboolean after_unknown = FALSE;
  for (gsize i = 0; i < merger->n_symbols; i++)
    {
      const AssaySymbol *symbol = &merger->symbols[i];
      if (symbol->length == 0)
        continue;
      if (symbol->id >= 0)
        g_array_append_val (ids, symbol->id);
      else
        append_unknown (self, text + symbol->start, symbol->length, after_unknown && self->fuse_unknown, ids);
      after_unknown = symbol->id < 0;
    }
  return TRUE;
}

/* Where the word ends that begins at p: before the next mark of a space. */
static const char *
word_end (const char *p, const char *end)
{
  const char *next = end - p > 1 ? memmem (p + 1, (gsize)(end - p - 1), SPACE_MARK, SPACE_MARK_LENGTH) : NULL;
  return next != NULL ? next : end;
}

static gboolean
score_bpe_encode (AssayTokenizer *self, AssayMerger *merger, const char *text, gsize length, guint place,
                  GArray *ids, GCancellable *cancellable, GError **error)
{
  gsize n = length;
  g_autofree char *marked
      = (place & ASSAY_PART_MARKED) == 0 ? score_bpe_mark (self, text, length, place, &n) : NULL;
  if (marked == NULL && (place & ASSAY_PART_MARKED) == 0)
    {
      assay_merger_set_no_memory (error);
      return FALSE;
    }
  const char *p = marked != NULL ? marked : text, *end = p + n;
  while (p < end)
    {
      const char *next = self->split_words ? word_end (p, end) : end;
      if (!encode_marked (self, merger, p, (gsize) (next - p), ids, cancellable, error))
        return FALSE;
      p = next;
    }
  return TRUE;
}

/* ---- decoding ---- */

static void
score_bpe_decode (AssayTokenizer *self, gint32 id, GString *out)
{
  const gboolean is_late = self->late_texts != NULL && self->late_texts[id].data != NULL;
  const AssayBytes piece = is_late ? self->late_texts[id] : self->tokens[id];
  if (tokenizer_type (self, id) == ASSAY_TOKEN_BYTE)
    {
      g_string_append_c (out, (char) parse_byte (piece));
      return;
    }
  for (gsize i = 0; i < piece.length;)
    if (piece.length - i >= SPACE_MARK_LENGTH && memcmp (piece.data + i, SPACE_MARK, SPACE_MARK_LENGTH) == 0)
      {
        g_string_append_c (out, ' ');
        i += SPACE_MARK_LENGTH;
      }
    else
      g_string_append_c (out, piece.data[i++]);
}

const AssayTokenizerKind assay_score_bpe_kind
    = { "llama", score_bpe_load, score_bpe_encode, score_bpe_mark, score_bpe_decode };
