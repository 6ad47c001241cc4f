/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-tooltip.h: tooltips for what is bound anew while a list scrolls.
 *
 * GTK 4.8's own setter asks the display where the pointer is, and waits for the answer: forty rows of fifteen cells
 * took longer for that than for all the rest. These are looked up when somebody points. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

void assay_tooltip_set (GtkWidget *widget, const char *text);  /* NULL: none */
const char *assay_tooltip_get (GtkWidget *widget);             /* this one, or GTK's own; NULL */

G_END_DECLS
