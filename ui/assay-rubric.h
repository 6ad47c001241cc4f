/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-rubric.h: the ledger's criteria as rows, those about the answer in sight apart from those about
 * the whole run. */
#pragma once

#include <gtk/gtk.h>

#include "assay-review-draft.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_RUBRIC (assay_rubric_get_type ())
G_DECLARE_FINAL_TYPE (AssayRubric, assay_rubric, ASSAY, RUBRIC, GtkWidget)

/* Signals: "scored" (const char *criterion, const char *question, int value): by a person; question NULL: the
 * whole run; value ASSAY_CRITERION_UNSET: taken back. "worded" (criterion, question, const char *words): "": taken back. */
void assay_rubric_set_criteria (AssayRubric *self,
                                const AssayCriteria *criteria); /* read, not kept; NULL: none */

/* Shows the scores of `draft` (NULL: none) for an answer; n_answers is how many there are to rate. */
void
assay_rubric_load (AssayRubric *self, const AssayReviewDraft *draft, const char *question, guint n_answers);
gboolean assay_rubric_focus (AssayRubric *self, const char *criterion); /* NULL: the first */

G_END_DECLS
