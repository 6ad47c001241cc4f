/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-review-reveal.h: after a blind review is saved: which run it was, what the thresholds would say, and what a
 * program noticed about its answers. */
#pragma once

#include <adwaita.h>

#include "assay-ledger.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_REVIEW_REVEAL (assay_review_reveal_get_type ())
G_DECLARE_FINAL_TYPE (AssayReviewReveal, assay_review_reveal, ASSAY, REVIEW_REVEAL, AdwBin)

/* Its button has the action review.continue, and takes the focus. n_left: runs that are still to be judged. With one left
 * the name of this one would tell that one's: both are told after the last. before: the run that was not told, or NULL. */
void assay_review_reveal_show (AssayReviewReveal *self, AssayLedger *ledger, AssayRecord *record, const AssayReview *review,
                               guint n_left, AssayRecord *before);
void assay_review_reveal_clear (AssayReviewReveal *self); /* nothing stays behind */
gboolean assay_review_reveal_is_told (guint n_left);      /* which run it was */

G_END_DECLS
