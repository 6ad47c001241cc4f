/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-candidate-row.h: one thing that could be changed next: axis, old → new, why, and a button to
 * choose it. Where only the person can say the new value, a place to enter it. */
#pragma once

#include <gtk/gtk.h>

#include "assay-advice.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_CANDIDATE_ROW (assay_candidate_row_get_type ())
G_DECLARE_FINAL_TYPE (AssayCandidateRow, assay_candidate_row, ASSAY, CANDIDATE_ROW, GtkListBoxRow)

/* Signal: "chosen" (const char *to): to is NULL where the candidate has its own value. candidate is read, not
 * kept. */
GtkWidget *assay_candidate_row_new (const AssayCandidate *candidate, gboolean recommended);

G_END_DECLS
