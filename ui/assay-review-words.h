/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-review-words.h: the longer sentences of the review panel. No widgets. */
#pragma once

#include "assay-ledger.h"

G_BEGIN_DECLS

/* What became of a review that the ledger has: whether its file has it too, and what the thresholds would say. */
char *assay_review_words_dup_outcome (AssayLedger *ledger, const AssayReview *review,
                                      const char *run_id); /* NULL: of the run in sight */
/* That a review of this run is kept and left out of means, or NULL where it counts. */
char *assay_review_words_dup_left_out (AssayRecord *record);
/* Why there is nothing to review; either may be NULL. */
char *assay_review_words_dup_empty (AssayLedger *ledger, AssayRecord *record);

G_END_DECLS
