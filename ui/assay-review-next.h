/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-review-next.h: which run a reviewer judges next, and how far it went. No widgets. */
#pragma once

#include "assay-ledger.h"

G_BEGIN_DECLS

/* Whether there is something to judge and this reviewer has not. */
gboolean assay_review_is_awaited (AssayRecord *record, const char *reviewer);
/* The next such run after `record` in the ledger's order, then from its beginning; NULL: all are judged. */
AssayRecord *assay_review_find_next (AssayLedger *ledger, AssayRecord *record, const char *reviewer);

/* What this reviewer says of the run at present, or NULL. */
const AssayReview *assay_review_find_own (AssayRecord *record, const char *reviewer);

/* Blind */

typedef struct
{
  guint n_runs, n_outputs;  /* that can be judged blind */
  guint n_judged;           /* runs, by this reviewer */
  guint n_reviews;          /* of anybody, about any run of the ledger, and comparisons */
} AssayReviewProgress;

guint assay_review_count_reviewable (AssayLedger *ledger, guint enough); /* counts no further than that */
AssayReviewProgress assay_review_count_progress (AssayLedger *ledger, const char *reviewer);
/* The first of the order of the seed that this reviewer has not judged; NULL: all are judged. */
AssayRecord *assay_review_find_next_blind (AssayLedger *ledger, const char *reviewer, guint64 seed);
/* Which output of all, from 1, the one at `index` of `record` is to this reviewer, and how many there are. */
void assay_review_count_outputs (AssayLedger *ledger, const char *reviewer, guint64 seed, AssayRecord *record, guint index,
                                 guint *at, guint *n);

G_END_DECLS
