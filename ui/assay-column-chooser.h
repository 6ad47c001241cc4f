/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-column-chooser.h: a button whose popover says which columns of a table are shown.
 *
 * A table may show and hide columns by itself as long as the person has not chosen. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* The columns that the table has by now; the first is always shown. */
void assay_column_chooser_fill (GtkMenuButton *button, GtkColumnView *table);

/* Shows or hides a column by default: does nothing once the person has chosen. */
void assay_column_chooser_suggest (GtkColumnViewColumn *column, gboolean visible);

/* As if a person had: to be told by the column's "visible" before it is asked whether it was chosen. */
void assay_column_chooser_choose (GtkColumnViewColumn *column, gboolean visible);
gboolean assay_column_chooser_is_chosen (GtkColumnViewColumn *column);

G_END_DECLS
