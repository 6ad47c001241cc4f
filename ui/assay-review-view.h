/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-review-view.h: the human-review panel: outputs at the left, the rubric at the right.
 *
 * The person's scores and verdict only: what the thresholds suggest and what a string search finds appear
 * after saving. Conditions and burden are not shown. With two runs or more to judge, a blind review is offered first: it
 * chooses the runs itself, in an order of the reviewer's own, and the owner hides what could tell which it is. What is not saved yet is kept, run by run, on the disk too. A
 * correction is a new review that supersedes the old one. */
#pragma once

#include <adwaita.h>

#include "assay-ledger.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_REVIEW_VIEW (assay_review_view_get_type ())
G_DECLARE_FINAL_TYPE (AssayReviewView, assay_review_view, ASSAY, REVIEW_VIEW, AdwBin)

/* Properties, read and write: "ledger" (AssayLedger, nullable), "record" (AssayRecord, nullable; follows the
 * edits of the ledger), "reviewer" (string) and "reviewers" (strv: names that signed before), both to be remembered by
 * the owner. Read-only: "has-drafts" (boolean: reviews begun and not saved), "blind" (boolean: nothing
 * may tell which run is in sight). Signals: "next-run" (AssayRecord: what
 * this reviewer has not judged yet or wants to see, or NULL); "problem" (const char *message): for a notice. */
GtkWidget *assay_review_view_new (void);
void assay_review_view_set_ledger (AssayReviewView *self, AssayLedger *ledger);
void assay_review_view_set_record (AssayReviewView *self, AssayRecord *record);
void assay_review_view_set_reviewer (AssayReviewView *self, const char *reviewer);
const char *assay_review_view_get_reviewer (AssayReviewView *self);
gboolean assay_review_view_is_blind (AssayReviewView *self);
void assay_review_view_leave_blind (AssayReviewView *self); /* what was begun stays */
gboolean assay_review_view_has_drafts (AssayReviewView *self);
gboolean assay_review_view_would_lose (AssayReviewView *self); /* some, and they could not be kept on the disk */
/* Whether every review begun has its verdict and a reviewer's name; then they may all be saved as they are. */
gboolean assay_review_view_can_save_drafts (AssayReviewView *self);
gboolean assay_review_view_save_drafts (AssayReviewView *self); /* FALSE: the view says why */

G_END_DECLS
