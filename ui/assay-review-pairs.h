/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-review-pairs.h: two outputs to the same question, side by side and nameless: which is better?
 *
 * Pairs and sides come from the balanced plan of assay-blind.h, a set at a time. Each choice is in the ledger at once; one
 * that is made anew supersedes the earlier one. Nothing of the runs is told here, before or after. */
#pragma once

#include <adwaita.h>

#include "assay-ledger.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_REVIEW_PAIRS (assay_review_pairs_get_type ())
G_DECLARE_FINAL_TYPE (AssayReviewPairs, assay_review_pairs, ASSAY, REVIEW_PAIRS, AdwBin)

/* Signal: "finished" (): the last of the set was chosen, and a person goes on. */
/* FALSE: there is nothing to compare. */
gboolean assay_review_pairs_begin (AssayReviewPairs *self, AssayLedger *ledger, const char *reviewer, guint64 seed);
void assay_review_pairs_stop (AssayReviewPairs *self); /* nothing stays behind */
guint assay_review_pairs_get_n_chosen (AssayReviewPairs *self); /* since it began */

/* How many comparisons the set in which a reviewer stands after n_judged ends with, for so many runs: every run of a whole
 * set occurs equally often, an even number of times. */
guint assay_review_pairs_count_set (guint n_runs, guint n_judged);

G_END_DECLS
