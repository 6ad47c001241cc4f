/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-criterion-row.h: one criterion of the rubric: 1 to 5 with words at both ends, yes and no, or free words.
 *
 * One stop of Tab. While it has the focus 1–5 (or Y, N, 1, 0) set the value, Left and Right move it,
 * Backspace clears. */
#pragma once

#include <gtk/gtk.h>

#include "assay-ledger.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_CRITERION_ROW (assay_criterion_row_get_type ())
G_DECLARE_FINAL_TYPE (AssayCriterionRow, assay_criterion_row, ASSAY, CRITERION_ROW, GtkWidget)

#define ASSAY_CRITERION_UNSET (-1)
#define ASSAY_CRITERION_MOST_WORDS 2000 /* characters */

/* Properties: "value" (int: 1..5, or 0/1 for yes/no; ASSAY_CRITERION_UNSET), "words" (string: of a free criterion),
 * notified when a person sets them too. */
GtkWidget *assay_criterion_row_new (const AssayCriterion *criterion); /* read, not kept */
const char *assay_criterion_row_get_id (AssayCriterionRow *self);
gboolean assay_criterion_row_is_per_question (AssayCriterionRow *self);
int assay_criterion_row_get_value (AssayCriterionRow *self);
void assay_criterion_row_set_value (AssayCriterionRow *self, int value);

const char *assay_criterion_row_get_words (AssayCriterionRow *self);
void assay_criterion_row_set_words (AssayCriterionRow *self, const char *words);

/* "Expected answer seen": the label, or the id made readable. (transfer full) */
char *assay_criterion_dup_label (const AssayCriterion *criterion);

G_END_DECLS
