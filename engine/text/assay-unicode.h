/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/text/assay-unicode.h: the character classes that tokenizers split by.
 *
 * GLib knows them too, but at another Unicode version with every release of GLib, and a tokenizer must split
 * the same text the same way for ever: the table is that of the reference tokenizers (Unicode 16). Any
 * thread. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  ASSAY_UNI_OTHER, /* Z and C without White_Space, and what is not assigned */
  ASSAY_UNI_SPACE, /* White_Space */
  ASSAY_UNI_UPPER, /* Lu */
  ASSAY_UNI_LOWER, /* Ll */
  ASSAY_UNI_TITLE, /* Lt */
  ASSAY_UNI_MODIFIER, /* Lm */
  ASSAY_UNI_LETTER, /* Lo */
  ASSAY_UNI_MARK, /* M */
  ASSAY_UNI_NUMBER, /* N */
  ASSAY_UNI_PUNCT, /* P */
  ASSAY_UNI_SYMBOL, /* S */
  ASSAY_UNI_DIGIT_17, /* N since Unicode 17: known to the reference's digit splitter only */
} AssayUniClass;

#define ASSAY_UNI_BIT(class) (1u << (class))
enum
{
  ASSAY_UNI_IS_LETTER = ASSAY_UNI_BIT (ASSAY_UNI_UPPER) | ASSAY_UNI_BIT (ASSAY_UNI_LOWER)
                        | ASSAY_UNI_BIT (ASSAY_UNI_TITLE) | ASSAY_UNI_BIT (ASSAY_UNI_MODIFIER)
                        | ASSAY_UNI_BIT (ASSAY_UNI_LETTER),
  ASSAY_UNI_IS_MARK = ASSAY_UNI_BIT (ASSAY_UNI_MARK),
  ASSAY_UNI_IS_NUMBER = ASSAY_UNI_BIT (ASSAY_UNI_NUMBER),
  ASSAY_UNI_IS_SPACE = ASSAY_UNI_BIT (ASSAY_UNI_SPACE),
  ASSAY_UNI_IS_PUNCT = ASSAY_UNI_BIT (ASSAY_UNI_PUNCT) | ASSAY_UNI_BIT (ASSAY_UNI_SYMBOL),
};

/* Ascending: where a class begins, code point << 4 | class. Made by tests/reference/text.py. */
extern const guint32 assay_unicode_starts[];
extern const guint assay_unicode_n_starts;

AssayUniClass assay_unicode_class (gunichar c);

/* One character of bytes that need not be UTF-8. Returns: its length, 1..4; a byte that begins no character
 * counts as one of its own, with *c = ASSAY_UNI_INVALID. p < end. */
#define ASSAY_UNI_INVALID 0xFFFFFFFFu
guint assay_unicode_next (const char *p, const char *end, gunichar *c);

G_END_DECLS
