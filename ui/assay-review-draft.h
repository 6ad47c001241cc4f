/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-review-draft.h: a review while it is being written, and those left for later, run by run. No
 * widgets. */
#pragma once

#include "assay-ledger.h"

G_BEGIN_DECLS

typedef struct
{
  AssayReview *review;   /* owned: scores, verdict, note so far */
  char *base;            /* owned: id of the review it began from, or NULL */
  char *base_reviewer;   /* owned: whose that was */
  gboolean dirty;        /* differs from what is saved */
  gboolean blind;        /* nobody was told whose outputs these are while it was written */
  guint64 order_seed;    /* of the order that the run came in; 0: none */
} AssayReviewDraft;

AssayReviewDraft *assay_review_draft_new (const AssayReview *base); /* NULL: an empty one */
/* The same reviewer has saved another review since: this one corrects it. own: NULL for none. */
void assay_review_draft_rebase (AssayReviewDraft *self, const AssayReview *own);
void assay_review_draft_free (AssayReviewDraft *self);
gboolean assay_review_draft_is_empty (const AssayReviewDraft *self);
int assay_review_draft_get_score (const AssayReviewDraft *self,
                                  const char *criterion,
                                  const char *question); /* -1: none */
void
assay_review_draft_set_score (AssayReviewDraft *self, const char *criterion, const char *question, int value);
const char *assay_review_draft_get_words (const AssayReviewDraft *self, const char *criterion,
                                          const char *question); /* "": none */
void assay_review_draft_set_words (AssayReviewDraft *self, const char *criterion, const char *question,
                                   const char *words);
const char *assay_output_get_scored_question (const AssayOutput *output); /* as scores name it; NULL: a free prompt */
guint assay_review_draft_count_questions (const AssayReviewDraft *self); /* with at least one score */

/* What saving it now writes: a fresh id and time; it supersedes the base where the reviewer is the same:
 * another person's review is another opinion. What the criteria no longer ask for is left out. (transfer full) */
AssayReview *assay_review_draft_finish (const AssayReviewDraft *self, const char *reviewer, const AssayCriteria *criteria);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayReviewDraft, assay_review_draft_free)

G_END_DECLS
