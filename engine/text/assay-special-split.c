/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/text/assay-special-split.c: a text cut at its special tokens.
 *
 * Twice: first at those that are looked for in the text as it is, then, what lies between them once it is
 * normalized, at the others. Only models in Hugging Face's layout have others, and tokens that take the
 * blanks around them. */
#include "assay-tokenizer-private.h"

#include <string.h>

typedef struct
{
  AssayTokenizer *tokenizer;
  AssayMerger *merger;
  gboolean parse_special;
  GArray *ids;
  GCancellable *cancellable;
  GError **error;
} Split;

/* What becomes of the text between two specials. */
typedef gboolean (*SplitPart) (Split *s, const char *text, gsize length, guint place);

typedef gboolean (*Accept) (gconstpointer owner, gint32 id);

static gboolean
accept_user_defined (gconstpointer owner, gint32 id)
{
  return tokenizer_type (owner, id) == ASSAY_TOKEN_USER_DEFINED;
}

static gboolean
accept_all (gconstpointer owner, gint32 id)
{
  return TRUE;
}

/* Those of the text as it is. */
static gboolean
accept_early (gconstpointer owner, gint32 id)
{
  const AssayTokenizer *self = owner;
  return self->added == NULL || (self->added[id] & ASSAY_ADDED_NORMALIZED) == 0;
}

static gboolean
accept_early_user_defined (gconstpointer owner, gint32 id)
{
  return accept_early (owner, id) && accept_user_defined (owner, id);
}

/* ---- around a token ---- */

/* Unicode's \w. */
static gboolean
is_word_char (gunichar c)
{
  if (c == ASSAY_UNI_INVALID)
    return FALSE;
  switch (g_unichar_type (c))
    {
    case G_UNICODE_LOWERCASE_LETTER:
    case G_UNICODE_MODIFIER_LETTER:
    case G_UNICODE_OTHER_LETTER:
    case G_UNICODE_TITLECASE_LETTER:
    case G_UNICODE_UPPERCASE_LETTER:
    case G_UNICODE_SPACING_MARK:
    case G_UNICODE_ENCLOSING_MARK:
    case G_UNICODE_NON_SPACING_MARK:
    case G_UNICODE_DECIMAL_NUMBER:
    case G_UNICODE_LETTER_NUMBER:
    case G_UNICODE_CONNECT_PUNCTUATION: return TRUE;
    default: /* joiners, and letters in circles and squares */
      return c == 0x200C || c == 0x200D || (c >= 0x24B6 && c <= 0x24E9) || (c >= 0x1F130 && c <= 0x1F149)
             || (c >= 0x1F150 && c <= 0x1F169) || (c >= 0x1F170 && c <= 0x1F189);
    }
}

/* The character that ends at p. */
static const char *
previous_char (const char *start, const char *p, gunichar *c)
{
  const char *first = p - 1;
  while (first > start && p - first < 4 && ((guchar)*first & 0xC0) == 0x80)
    first--;
  if (assay_unicode_next (first, p, c) == (guint)(p - first))
    return first;
  *c = ASSAY_UNI_INVALID;
  return p - 1;
}

static gboolean
is_whole_word (const char *start, const char *token, gsize length, const char *end)
{
  gunichar c;
  if (token > start)
    {
      previous_char (start, token, &c);
      if (is_word_char (c))
        return FALSE;
    }
  if (token + length == end)
    return TRUE;
  assay_unicode_next (token + length, end, &c);
  return !is_word_char (c);
}

static const char *
skip_blanks_left (const char *start, const char *p)
{
  gunichar c;
  while (p > start)
    {
      const char *first = previous_char (start, p, &c);
      if (c == ASSAY_UNI_INVALID || assay_unicode_class (c) != ASSAY_UNI_SPACE)
        break;
      p = first;
    }
  return p;
}

static const char *
skip_blanks_right (const char *p, const char *end)
{
  gunichar c;
  while (p < end)
    {
      const guint length = assay_unicode_next (p, end, &c);
      if (c == ASSAY_UNI_INVALID || assay_unicode_class (c) != ASSAY_UNI_SPACE)
        break;
      p += length;
    }
  return p;
}

/* ---- cutting ---- */

static gboolean
split_at (Split *s, const AssaySpecialIndex *index, Accept accept, const char *text, gsize length,
          guint place, SplitPart part)
{
  const guint8 *added = s->tokenizer->added;
  const char *end = text + length, *start = text; /* start: of what is in no token yet */
  for (const char *p = text; p < end;)
    {
      gsize matched = 0;
      const gint32 id = assay_special_index_match (index, p, (gsize)(end - p), accept, &matched);
      const guint flags = id >= 0 && added != NULL ? added[id] : 0;
      if (id < 0 || ((flags & ASSAY_ADDED_WHOLE_WORD) != 0 && !is_whole_word (text, p, matched, end)))
        {
          p += id < 0 ? 1 : matched;
          continue;
        }
      const char *first = (flags & ASSAY_ADDED_TAKES_LEFT) != 0 ? skip_blanks_left (text, p) : p;
      if (first > start && !part (s, start, first - start, start == text ? place : place & ~ASSAY_PART_FIRST))
        return FALSE;
      g_array_append_val (s->ids, id);
      p += matched;
      start = (flags & ASSAY_ADDED_TAKES_RIGHT) != 0 ? skip_blanks_right (p, end) : p;
    }
  return start >= end || part (s, start, end - start, start == text ? place : place & ~ASSAY_PART_FIRST);
}

static gboolean
split_encode (Split *s, const char *text, gsize length, guint place)
{
  if (g_cancellable_set_error_if_cancelled (s->cancellable, s->error))
    return FALSE;
  return s->tokenizer->kind->encode (s->tokenizer, s->merger, text, length, place, s->ids, s->cancellable,
                                     s->error);
}

/* Between the specials of the text as it is. */
static gboolean
split_normalize (Split *s, const char *text, gsize length, guint place)
{
  AssayTokenizer *self = s->tokenizer;
  const gboolean has_late = self->late.ids->len > 0;
  g_autoptr (GString) normal = self->nfc ? assay_text_normalize (text, length) : NULL;
  g_autofree char *marked = NULL;
  if (normal != NULL)
    {
      text = normal->str;
      length = normal->len;
    }
  if (!has_late)
    return split_encode (s, text, length, place);
  if (self->marks_early)
    {
      marked = self->kind->mark (self, text, length, place, &length);
      if (marked == NULL)
        {
          assay_merger_set_no_memory (s->error);
          return FALSE;
        }
      text = marked;
      place |= ASSAY_PART_MARKED;
    }
  return split_at (s, &self->late, s->parse_special ? accept_all : accept_user_defined, text, length, place,
                   split_encode);
}

gboolean
assay_tokenizer_encode_text (AssayTokenizer *self, AssayMerger *merger, const char *text, gsize length,
                             gboolean parse_special, gboolean is_first, GArray *ids,
                             GCancellable *cancellable, GError **error)
{
  Split s = { self, merger, parse_special, ids, cancellable, error };
  return split_at (&s, &self->specials, parse_special ? accept_early : accept_early_user_defined, text,
                   length, is_first ? ASSAY_PART_FIRST : 0, split_normalize);
}
