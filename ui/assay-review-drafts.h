/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-review-drafts.h: the reviews of one ledger that were begun and not saved, run by run. One begun blind and one
 * begun by name are two: else what was entered by name would tell, in a blind review, which run it is.
 *
 * What is edited is on the disk a moment later, so that neither the end of the program nor a crash loses it. Main
 * thread; files are another's. */
#pragma once

#include "assay-review-draft.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_REVIEW_DRAFTS (assay_review_drafts_get_type ())
G_DECLARE_FINAL_TYPE (AssayReviewDrafts, assay_review_drafts, ASSAY, REVIEW_DRAFTS, GObject)

/* Signals: "loaded" (): what an earlier program left is there; "kept" (): the last edit is on the disk, or
 * get_problem() says why not. */
AssayReviewDrafts *assay_review_drafts_new (void);
void assay_review_drafts_set_ledger (AssayReviewDrafts *self, AssayLedger *ledger); /* NULL: none */

/* A draft that is being written stays its writer's; it is told here at every edit. */
void assay_review_drafts_edited (AssayReviewDrafts *self, const char *run_id, const AssayReviewDraft *draft);
void assay_review_drafts_put_aside (AssayReviewDrafts *self, const char *run_id, AssayReviewDraft *draft); /* takes it */
AssayReviewDraft *assay_review_drafts_take_up (AssayReviewDrafts *self, const char *run_id,
                                               gboolean blind); /* (transfer full) or NULL */
void assay_review_drafts_drop (AssayReviewDrafts *self, const char *run_id, gboolean blind); /* saved, or given up */
void assay_review_drafts_flush (AssayReviewDrafts *self);                   /* what waits is written now */

GHashTable *assay_review_drafts_get_aside (AssayReviewDrafts *self); /* assay_review_shelf_dup_key() → AssayReviewDraft */
const char *assay_review_drafts_get_problem (AssayReviewDrafts *self); /* why the last edit is not kept, or NULL */

G_END_DECLS
