/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/text/assay-pre-split.h: cuts text into the words that byte-level BPE merges within.
 *
 * Models define these cuts by regular expressions. They are a dozen variations of one pattern, so they are
 * written here as one scanner with a rule for each: no regex engine, no backtracking over more than one run,
 * linear in the text. */
#pragma once

#include "assay-unicode.h"

G_BEGIN_DECLS

typedef struct _AssayPreRule AssayPreRule;

/* By the file's tokenizer.ggml.pre. NULL: not known. */
const AssayPreRule *assay_pre_rule_find (const char *name, gsize length);
/* By what a tokenizer.json does, step by step, a line each: "digits" (each on its own), "split PATTERN" (each
 * match on its own), "bytes" (in the alphabet of bytes) or "bytes-regex" (after GPT-2's cuts). Of rules that
 * are the same but for it, the one that ignores merges as asked. (transfer full) its first name; NULL: not
 * known. */
char *assay_pre_rule_dup_name_of_layout (const char *layout, gboolean ignore_merges);
const AssayPreRule *assay_pre_rule_fallback (void);         /* for files that do not name theirs */
/* Whether a whole word that is a token is that token. */
gboolean assay_pre_rule_ignores_merges (const AssayPreRule *rule);
gboolean assay_pre_rule_adds_bos (const AssayPreRule *rule);       /* when the file does not say */
char *assay_pre_rule_dup_names (void);                      /* all known, for messages */

typedef struct
{
  const AssayPreRule *rule;
  const char *pos, *end;
  const char *part_end[2]; /* where the part of each outer pass ends; == pos: to be found */
} AssayPreSplit;

void assay_pre_split_init (AssayPreSplit *self, const AssayPreRule *rule, const char *text, gsize length);
/* The next word is [*word, *word + length). Returns: its length; 0 at the end. Words make up the text. */
gsize assay_pre_split_next (AssayPreSplit *self, const char **word);

G_END_DECLS
