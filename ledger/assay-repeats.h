/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-repeats.h: the same trial run several times, as one row. */
#pragma once

#include "assay-ledger.h"

G_BEGIN_DECLS

/* The runs of the ledger under the conditions of `record`, itself included when it is in the ledger, in the
 * ledger's order, whatever their status. (transfer container) (element-type AssayRecord) */
GPtrArray *assay_repeats_find (AssayLedger *ledger, AssayRecord *record);

/* All runs of the ledger, repeats together, in the order of each setting's first run; a damaged one stands alone, as
 * every run does where fold is FALSE. O(n). (transfer full) (element-type GPtrArray of AssayRecord, each a reference) */
GPtrArray *assay_repeats_fold (AssayLedger *ledger, gboolean fold);

/* The one that speaks for its repeats: of those that completed, and were judged where any was, the one with the median
 * time; else the last. (transfer none) */
AssayRecord *assay_repeats_get_typical (GPtrArray *runs);

/* One figure over repeats. All runs stay in the ledger; a warm-up is only left out of the summary.
 *
 * The rule: of three completed repeats or more, the first is a warm-up when it was slower than every other,
 * and by more than a tenth of their median (caches were cold). Slower is less for a speed, more for a time; no other
 * figure has a warm-up. */
typedef struct
{
  guint n;                /* completed repeats with this figure, the warm-up included */
  gboolean warm_up;       /* the first was left out */
  double first;           /* its figure */
  double median, low, high, mean; /* of the others */
} AssayRepeats;

/* field: a number of the burden. FALSE when no completed run of `runs` has the figure. */
gboolean assay_repeats_summarize (GPtrArray *runs, AssayFieldId field, AssayRepeats *out);

/* The same over figures in the order of their runs; field says what they are of. n at least 1. */
void assay_repeats_summarize_values (const double *values, guint n, AssayFieldId field, AssayRepeats *out);

/* "median 10 tokens/s, 9.9 to 10.1, of 5 repeats; the first (8.1) left out as warm-up". (transfer full) */
char *assay_repeats_dup_words (const AssayRepeats *self, AssayFieldId field);

G_END_DECLS
