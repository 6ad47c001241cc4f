/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-candidate-row.h: one thing that could be changed next: axis, old → new, why, and a button to
 * choose it. Where only the person can say the new value, a place to enter it. */
#pragma once

#include <gtk/gtk.h>

#include "assay-advice.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_CANDIDATE_ROW (assay_candidate_row_get_type ())
G_DECLARE_FINAL_TYPE (AssayCandidateRow, assay_candidate_row, ASSAY, CANDIDATE_ROW, GtkListBoxRow)

/* Signal: "chosen" (const char *to): to is NULL where the candidate has its own value. The candidate is read, not kept;
 * show() is called next, and again when more is known of the same change: what is being entered stays. */
GtkWidget *assay_candidate_row_new (const AssayCandidate *candidate);
/* position: in the list of candidates. pending: a planner is being asked. */
void assay_candidate_row_show (AssayCandidateRow *self, const AssayCandidate *candidate, guint position,
                               gboolean recommended, gboolean pending);
guint assay_candidate_row_get_position (AssayCandidateRow *self);

G_END_DECLS
