/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-review-reveal.h: after a blind review is saved: which run it was, what the thresholds would say, and what a
 * program noticed about its answers. */
#pragma once

#include <adwaita.h>

#include "assay-ledger.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_REVIEW_REVEAL (assay_review_reveal_get_type ())
G_DECLARE_FINAL_TYPE (AssayReviewReveal, assay_review_reveal, ASSAY, REVIEW_REVEAL, AdwBin)

/* Its button has the action review.continue. record NULL: nothing is told, and nothing stays behind. */
void assay_review_reveal_show (AssayReviewReveal *self, AssayLedger *ledger, AssayRecord *record, const AssayReview *review);
void assay_review_reveal_set_last (AssayReviewReveal *self, gboolean last); /* takes the focus */

G_END_DECLS
