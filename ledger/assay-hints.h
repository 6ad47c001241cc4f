/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-hints.h: what a program can notice about an output.
 *
 * A hint and never a score: nothing of it enters a review, a gate or a mean, and it is shown only once the
 * review is saved. Outputs may hold any bytes; the expected answer, the language and patterns are looked for
 * in the first MiB. The same ledger gives the same hints. Any thread, on a ledger of its own. */
#pragma once

#include "assay-ledger.h"

G_BEGIN_DECLS

typedef enum
{
  ASSAY_HINT_EXPECTED,   /* does the expected answer occur? */
  ASSAY_HINT_REPEATS,    /* the same output over the repeats of these conditions? */
  ASSAY_HINT_RUNS,       /* and over the other completed runs of the ledger? */
  ASSAY_HINT_LANGUAGE,   /* written in the script of the question's language? */
  ASSAY_HINT_REPETITION, /* one short pattern over and over? */
} AssayHintKind;

typedef enum
{
  ASSAY_HINT_FAVOURABLE,
  ASSAY_HINT_DOUBTFUL,
  ASSAY_HINT_CANNOT_TELL,
} AssayHintLeaning;

typedef struct
{
  AssayHintKind kind;
  AssayHintLeaning leaning;
  char *text; /* one translated sentence, without the word "hint": the heading says that */
} AssayHint;

/* Hints about one output of a run of the ledger, in the order of AssayHintKind; those that do not apply (no
 * expected answer, no other run) are left out. May be empty. (transfer full) (element-type AssayHint) */
GPtrArray *assay_hints_for_output (AssayLedger *ledger, AssayRecord *record, const AssayOutput *output);
void assay_hint_free (AssayHint *self);
const char *assay_hint_kind_get_name (AssayHintKind kind); /* "expected" */
const char *
assay_hint_leaning_get_name (AssayHintLeaning leaning); /* "favourable", "doubtful", "cannot tell" */

/* Whether a string that hints at the expected answer occurs in `answer`, case and width aside. FALSE in
 * *known: the question has no expected answer. */
gboolean
assay_hint_find_expected (const AssayQuestion *question, const char *answer, gsize length, gboolean *known);

/* Where two outputs first differ, in characters from 1; 0 when they are the same. Bytes that are no UTF-8
 * count as one character each. */
guint assay_hint_first_difference (const AssayOutput *a, const AssayOutput *b);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayHint, assay_hint_free)

G_END_DECLS
