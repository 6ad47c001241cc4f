/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/text/assay-pre-rules.h: what the patterns differ in. The .c file says who uses which. */
#pragma once

#include "assay-pre-split.h"

typedef enum
{
  PRE_CONTRACTIONS_NONE,
  PRE_CONTRACTIONS_LOWER,
  PRE_CONTRACTIONS_ANY_CASE,
  PRE_CONTRACTIONS_SUFFIX
} AssayPreContractions;
typedef enum { PRE_PREFIX_SPACE, PRE_PREFIX_NOT_ALNUM, PRE_PREFIX_NOT_PUNCT } AssayPrePrefix;
typedef enum { PRE_WORD_LETTERS, PRE_WORD_MARKS, PRE_WORD_CASED } AssayPreWord;
typedef enum { PRE_PASS_NONE, PRE_PASS_EACH_NUMBER, PRE_PASS_THREE_NUMBERS, PRE_PASS_HAN_KANA } AssayPrePass;

enum { PRE_DIGITS_WITH_SPACE = 255 };

struct _AssayPreRule
{
  const char *names;     /* comma-separated, as files write them */
  const char *layouts[2];/* as assay_pre_rule_dup_name_of_layout() is given them; NULL: none */
  AssayPrePass passes[2];
  AssayPreContractions contractions;
  AssayPrePrefix prefix;
  AssayPreWord word;
  guint digits;          /* at most so many together; PRE_DIGITS_WITH_SPACE: any, a space before; 0: never */
  guint others;          /* classes of the punctuation alternative */
  const char *tail;      /* may follow it */
  gboolean punct_leads;  /* one ASCII punctuation character and ASCII letters are one word */
  gboolean line_ends;    /* blanks end after their last line end */
  gboolean ignore_merges, add_bos;
};
