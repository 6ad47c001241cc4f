/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/text/assay-pre-split.c: passes and words.
 *
 * A pattern is a list of alternatives; the first that matches at a place wins. In order, each optional by
 * rule:
 *   contraction | prefix? letters | digits | space? others tail?
 *   | blanks up to the last line end | blanks but the last
 * A rule may isolate things in passes before it (each number; runs of kana and Han): what a pass cuts off is
 * split by the later ones on its own, as if it were a whole text. */
#include "assay-pre-split.h"

#include <string.h>

#include "assay-pre-rules.h"

typedef struct
{
  const AssayPreRule *rule;
  const char *end;
} Scan;

/* ---- characters ---- */

static guint
scan_class (const Scan *s, const char *p, gunichar *c)
{
  return assay_unicode_next (p, s->end, c);
}

static gboolean
scan_is (const Scan *s, const char *p, guint classes, guint *length)
{
  gunichar c;
  if (p >= s->end)
    return FALSE;
  *length = scan_class (s, p, &c);
  return (ASSAY_UNI_BIT (assay_unicode_class (c)) & classes) != 0;
}

/* Past at most max characters of the classes. */
static const char *
scan_run (const Scan *s, const char *p, guint classes, gsize max)
{
  guint length;
  for (; max > 0 && scan_is (s, p, classes, &length); max--)
    p += length;
  return p;
}

static gboolean
is_line_end (char c)
{
  return c == '\r' || c == '\n';
}

/* ---- alternatives: each returns the end of its match at p, or NULL ---- */

static const char *
scan_contraction (const Scan *s, const char *p)
{
  const gboolean any_case = s->rule->contractions == PRE_CONTRACTIONS_ANY_CASE;
  if (s->end - p < 2 || *p != '\'')
    return NULL;
  if (any_case && s->end - p >= 3 && memcmp (p + 1, "\305\277", 2) == 0) /* U+017F folds to s */
    return p + 3;

  const char a = any_case ? g_ascii_tolower (p[1]) : p[1];
  if (strchr ("stmd", a) != NULL && a != '\0')
    return p + 2;
  if (s->end - p < 3)
    return NULL;
  const char b = any_case ? g_ascii_tolower (p[2]) : p[2];
  const gboolean two = (a == 'r' && b == 'e') || (a == 'v' && b == 'e') || (a == 'l' && b == 'l');
  return two ? p + 3 : NULL;
}

/* [Lu Lt Lm Lo M]* [Ll Lm Lo M]+, else [Lu Lt Lm Lo M]+ [Ll Lm Lo M]*: what leads may be followed by less, so
 * a run without lower case gives back all after its last character that counts as both. */
enum
{
  CASED_BOTH = ASSAY_UNI_BIT (ASSAY_UNI_MODIFIER) | ASSAY_UNI_BIT (ASSAY_UNI_LETTER)
               | ASSAY_UNI_IS_MARK,
  CASED_HEAD = CASED_BOTH | ASSAY_UNI_BIT (ASSAY_UNI_UPPER) | ASSAY_UNI_BIT (ASSAY_UNI_TITLE),
  CASED_TAIL = CASED_BOTH | ASSAY_UNI_BIT (ASSAY_UNI_LOWER),
};

static const char *
scan_cased_tail (const Scan *s, const char *p)
{
  const char *both_end = NULL;
  guint length;
  for (; scan_is (s, p, CASED_HEAD, &length); p += length)
    {
      guint ignored;
      if (scan_is (s, p, CASED_BOTH, &ignored))
        both_end = p + length;
    }
  const char *end = scan_run (s, p, CASED_TAIL, G_MAXSIZE);
  return end > p ? end : both_end;
}

static const char *
scan_cased_head (const Scan *s, const char *p)
{
  const char *end = scan_run (s, p, CASED_HEAD, G_MAXSIZE);
  return end > p ? scan_run (s, end, CASED_TAIL, G_MAXSIZE) : NULL;
}

static const char *
scan_letters (const Scan *s, const char *p)
{
  const guint classes = ASSAY_UNI_IS_LETTER | (s->rule->word == PRE_WORD_LETTERS ? 0 : ASSAY_UNI_IS_MARK);
  const char *end = scan_run (s, p, classes, G_MAXSIZE);
  return end > p ? end : NULL;
}

/* The one character that may lead a word: its end, or p. */
static const char *
scan_prefix (const Scan *s, const char *p)
{
  guint length;
  switch (s->rule->prefix)
    {
    case PRE_PREFIX_SPACE:
      return p < s->end && *p == ' ' ? p + 1 : p;
    case PRE_PREFIX_NOT_ALNUM:
      if (is_line_end (*p) || scan_is (s, p, ASSAY_UNI_IS_LETTER | ASSAY_UNI_IS_NUMBER, &length))
        return p;
      break;
    case PRE_PREFIX_NOT_PUNCT:
      if (is_line_end (*p) || scan_is (s, p, ASSAY_UNI_IS_LETTER | ASSAY_UNI_IS_PUNCT, &length))
        return p;
      break;
    }
  gunichar c;
  return p + scan_class (s, p, &c);
}

static const char *
scan_word (const Scan *s, const char *p)
{
  const char *after = scan_prefix (s, p);
  const char *end = NULL;
  if (s->rule->word != PRE_WORD_CASED)
    {
      end = scan_letters (s, after);
      return end == NULL && after > p ? scan_letters (s, p) : end;
    }

  end = scan_cased_tail (s, after);
  if (end == NULL && after > p)
    end = scan_cased_tail (s, p);
  if (end == NULL)
    end = scan_cased_head (s, after);
  if (end == NULL && after > p)
    end = scan_cased_head (s, p);
  if (end != NULL && s->rule->contractions == PRE_CONTRACTIONS_SUFFIX)
    {
      const AssayPreRule any_case = { .contractions = PRE_CONTRACTIONS_ANY_CASE };
      const char *suffix = scan_contraction (&(Scan) { &any_case, s->end }, end);
      end = suffix != NULL ? suffix : end;
    }
  return end;
}

static const char *
scan_digits (const Scan *s, const char *p)
{
  if (s->rule->digits == 0)
    return NULL; /* isolated by a pass before */
  if (s->rule->digits == PRE_DIGITS_WITH_SPACE)
    {
      const char *start = *p == ' ' ? p + 1 : p;
      const char *end = scan_run (s, start, ASSAY_UNI_IS_NUMBER, G_MAXSIZE);
      return end > start ? end : NULL;
    }
  const char *end = scan_run (s, p, ASSAY_UNI_IS_NUMBER, s->rule->digits);
  return end > p ? end : NULL;
}

static const char *
scan_others (const Scan *s, const char *p)
{
  const char *start = *p == ' ' ? p + 1 : p;
  const char *end = scan_run (s, start, s->rule->others, G_MAXSIZE);
  if (end == start)
    return NULL;
  while (s->rule->tail != NULL && end < s->end && *end != '\0' && strchr (s->rule->tail, *end) != NULL)
    end++;
  return end;
}

static const char *
scan_blanks (const Scan *s, const char *p)
{
  const char *last = p, *line_end = NULL, *end = p;
  guint length;
  for (; scan_is (s, end, ASSAY_UNI_IS_SPACE, &length); end += length)
    {
      last = end;
      if (is_line_end (*end))
        line_end = end + 1;
    }
  if (end == p)
    return NULL;
  if (s->rule->line_ends && line_end != NULL)
    return line_end;
  return end == s->end || last == p ? end : last;
}

static const char *
scan_match (const Scan *s, const char *p)
{
  const AssayPreRule *rule = s->rule;
  const char *end = NULL;
  if (rule->contractions == PRE_CONTRACTIONS_LOWER || rule->contractions == PRE_CONTRACTIONS_ANY_CASE)
    end = scan_contraction (s, p);
  if (end == NULL && rule->punct_leads && strchr ("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", *p) != NULL
      && *p != '\0')
    {
      const char *q = p + 1;
      while (q < s->end && g_ascii_isalpha (*q))
        q++;
      end = q > p + 1 ? q : NULL;
    }
  if (end == NULL)
    end = scan_word (s, p);
  if (end == NULL)
    end = scan_digits (s, p);
  if (end == NULL)
    end = scan_others (s, p);
  if (end == NULL)
    end = scan_blanks (s, p);
  return end;
}

/* What no alternative matches stands alone, up to the next match. */
static const char *
scan_innermost (const Scan *s, const char *p)
{
  const char *end = scan_match (s, p);
  if (end != NULL)
    return end;
  gunichar c;
  do
    p += scan_class (s, p, &c);
  while (p < s->end && scan_match (s, p) == NULL);
  return p;
}

/* ---- passes ---- */

static guint
pass_length (const Scan *s, AssayPrePass pass, const char *p)
{
  gunichar c;
  const guint length = scan_class (s, p, &c);
  const AssayUniClass class = assay_unicode_class (c);
  switch (pass)
    {
    case PRE_PASS_EACH_NUMBER:
      return class == ASSAY_UNI_NUMBER || class == ASSAY_UNI_DIGIT_17 ? length : 0;
    case PRE_PASS_THREE_NUMBERS:
      return class == ASSAY_UNI_NUMBER ? (guint) (scan_run (s, p, ASSAY_UNI_IS_NUMBER, 3) - p) : 0;
    case PRE_PASS_HAN_KANA:
      return (c >= 0x4E00 && c <= 0x9FA5) || (c >= 0x3040 && c <= 0x30FF) ? length : 0;
    case PRE_PASS_NONE:
      break;
    }
  return 0;
}

static const char *
pass_next (const Scan *s, AssayPrePass pass, const char *p)
{
  guint length = pass_length (s, pass, p);
  const gboolean isolated = length > 0;
  if (pass == PRE_PASS_NONE)
    return s->end;
  if (isolated && pass != PRE_PASS_HAN_KANA)
    return p + length;
  gunichar c;
  do
    {
      p += isolated ? length : scan_class (s, p, &c);
      length = p < s->end ? pass_length (s, pass, p) : 0;
    }
  while (p < s->end && (length > 0) == isolated);
  return p;
}

void
assay_pre_split_init (AssayPreSplit *self, const AssayPreRule *rule, const char *text, gsize length)
{
  *self = (AssayPreSplit) { rule, text, text + length, { text, text } };
}

gsize
assay_pre_split_next (AssayPreSplit *self, const char **word)
{
  const char *p = self->pos;
  if (p >= self->end)
    return 0;
  const char *outer = self->end;
  for (guint i = 0; i < G_N_ELEMENTS (self->part_end); i++)
    {
      if (self->part_end[i] <= p)
        self->part_end[i] = pass_next (&(Scan) { self->rule, outer }, self->rule->passes[i], p);
      outer = self->part_end[i];
    }
  *word = p;
  self->pos = scan_innermost (&(Scan) { self->rule, outer }, p);
  return self->pos - p;
}
