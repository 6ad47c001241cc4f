/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-review-agreement.h: what several reviewers say together: how far they agree on each criterion, where they do
 * not, what was preferred side by side, and whether a side was favoured.
 *
 * Names runs: never shown while answers are judged blind. */
#pragma once

#include <adwaita.h>

#include "assay-ledger.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_REVIEW_AGREEMENT (assay_review_agreement_get_type ())
G_DECLARE_FINAL_TYPE (AssayReviewAgreement, assay_review_agreement, ASSAY, REVIEW_AGREEMENT, AdwBin)

/* Its button has the action review.start. Signal: "open-output" (const char *run_id, const char *question or NULL).
 * ledger NULL: nothing is shown, and nothing stays behind. */
void assay_review_agreement_show (AssayReviewAgreement *self, AssayLedger *ledger);

G_END_DECLS
