/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-accessible.h: names for what is read out instead of seen. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

void assay_accessible_name (GtkWidget *widget, const char *name);
/* The row that GTK makes around a list item's child: it knows its own type only. */
void assay_accessible_name_item (GtkListItem *item, const char *name);

/* Cannot be used, and why; NULL: it can. The widget and what lies within it, since a screen reader asks the innermost. */
void assay_accessible_set_idle (GtkWidget *widget, const char *reason);

G_END_DECLS
