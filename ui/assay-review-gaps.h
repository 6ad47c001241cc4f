/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-review-gaps.h: what a review that is being written does not say yet. No widgets. */
#pragma once

#include "assay-review-draft.h"

G_BEGIN_DECLS

typedef struct
{
  guint n_answers;
  guint n_unrated;            /* answers that lack a score of a criterion asked of each */
  GPtrArray *criteria;        /* (element-type AssayCriterion), borrowed: those that lack a score somewhere */
  const AssayCriterion *first; /* borrowed; NULL: nothing is missing */
  const char *first_question; /* borrowed: where it is missing; NULL: of the whole run, or of a free prompt */
} AssayReviewGaps;

/* Every criterion that is scored counts, and those of free words that are required. outputs: (element-type
 * AssayOutput). Criteria and outputs outlive the result. */
AssayReviewGaps *assay_review_gaps_new (const AssayReviewDraft *draft, const AssayCriteria *criteria, GPtrArray *outputs);
void assay_review_gaps_free (AssayReviewGaps *self);
char *assay_review_gaps_dup_count (const AssayReviewGaps *self);   /* "11 of 12 answers are not fully rated." */
char *assay_review_gaps_dup_missing (const AssayReviewGaps *self); /* "Missing: Groundedness, Tone (required)." */

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayReviewGaps, assay_review_gaps_free)

G_END_DECLS
