/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-fold-panes.h: two parts with a divider between them, side by side where there is room for both, else one below
 * the other.
 *
 * To stand in what scrolls up and down: stacked, both are as high as they like. Which of the two it is follows from the
 * width and from what the parts need at least, never from what was shown before, so that it cannot go to and fro. Each
 * way has a place of the divider of its own. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define ASSAY_TYPE_FOLD_PANES (assay_fold_panes_get_type ())
G_DECLARE_FINAL_TYPE (AssayFoldPanes, assay_fold_panes, ASSAY, FOLD_PANES, GtkWidget)

/* Properties: "start-child", "end-child" (GtkWidget, to be set once). */

gboolean assay_fold_panes_is_stacked (AssayFoldPanes *self);

G_END_DECLS
