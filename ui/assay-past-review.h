/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-past-review.h: a review that is in the ledger already, in words; superseded ones stay, marked. */
#pragma once

#include <gtk/gtk.h>

#include "assay-ledger.h"

G_BEGIN_DECLS

/* Makes the rows of a run's reviews, newest first. Those that count have a button; its clicks call `correct`
 * (GtkButton *, object). Each has a menu, from which "win.delete-review" deletes it. */
void assay_past_reviews_fill (
    GtkListBox *list, const AssayCriteria *criteria, AssayRecord *record, GCallback correct, gpointer object);
void assay_past_reviews_clear (GtkListBox *list);
const char *assay_past_review_get_id (GtkWidget *button); /* of the review whose button it is */

G_END_DECLS
