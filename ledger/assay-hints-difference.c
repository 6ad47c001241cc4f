/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-hints-difference.c: where two texts part. */
#include "assay-hints-private.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#define CHARACTERS_BEFORE 12u
#define CHARACTERS_AFTER 24u

/* Behind the character at `at`; a byte that begins none is one itself. */
static gsize
text_step (const char *text, gsize length, gsize at)
{
  const gunichar c = g_utf8_get_char_validated (text + at, (gssize) (length - at));
  if (c == (gunichar) -1 || c == (gunichar) -2)
    return at + 1;
  return at + MAX (1, g_unichar_to_utf8 (c, NULL));
}

/* The byte where they part, moved back to where its character begins in both; *character counts from 1.
 * FALSE: the same. */
static gboolean
difference_find (const AssayOutput *a, const AssayOutput *b, gsize *byte, guint *character)
{
  const gsize shorter = MIN (a->text_length, b->text_length);
  gsize same = 0, at = 0;
  while (same < shorter && a->text[same] == b->text[same])
    same++;
  if (same == a->text_length && same == b->text_length)
    return FALSE;
  *character = 1;
  while (at < same)
    {
      const gsize next_a = text_step (a->text, a->text_length, at),
                  next_b = text_step (b->text, b->text_length, at);
      if (next_a > same || next_b > same || next_a != next_b)
        break;
      at = next_a;
      ++*character;
    }
  *byte = at;
  return TRUE;
}

guint
assay_hint_first_difference (const AssayOutput *a, const AssayOutput *b)
{
  gsize byte;
  guint character;
  return difference_find (a, b, &byte, &character) ? character : 0;
}

static gsize
text_step_back (const char *text, gsize at)
{
  gsize back = at - 1;
  while (back > 0 && at - back < 4 && ((guint8) text[back] & 0xc0) == 0x80)
    back--;
  return back;
}

/* Nothing that breaks a line, moves a cursor or turns the direction of what stands behind it. */
static void
text_flatten (char *text)
{
  for (char *p = text; *p != '\0'; p = g_utf8_next_char (p))
    {
      const gunichar c = g_utf8_get_char (p);
      if (g_unichar_iscntrl (c) || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069))
        memset (p, ' ', (gsize) (g_utf8_next_char (p) - p));
    }
}

/* The text around a byte, on one line, as far as it can be shown. (transfer full) */
static char *
text_dup_around (const AssayOutput *output, gsize byte)
{
  gsize start = byte, end = byte;
  for (guint i = 0; i < CHARACTERS_BEFORE && start > 0; i++)
    start = text_step_back (output->text, start);
  for (guint i = 0; i < CHARACTERS_AFTER && end < output->text_length; i++)
    end = text_step (output->text, output->text_length, end);
  g_autofree char *part = g_utf8_make_valid (output->text + start, (gssize) (end - start));
  text_flatten (part);
  return g_strconcat (start > 0 ? "…" : "", part, end < output->text_length ? "…" : "", NULL);
}

char *
hint_dup_difference (const AssayOutput *here, const AssayOutput *there)
{
  gsize byte;
  guint character;
  if (here->asset != NULL || there->asset != NULL || !difference_find (here, there, &byte, &character))
    return NULL;
  g_autofree char *ours = text_dup_around (here, byte), *theirs = text_dup_around (there, byte);
  /* translators: where two texts first differ, and what stands there in this one and in the other */
  return g_strdup_printf (_("first difference at character %u: “%s” here, “%s” there"), character, ours,
                          theirs);
}
