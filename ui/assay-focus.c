/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-focus.h"

gboolean
assay_focus_through (GtkWidget *widget, GtkDirectionType direction)
{
  const gboolean back
    = direction == GTK_DIR_TAB_BACKWARD || direction == GTK_DIR_UP || direction == GTK_DIR_LEFT;
  GtkWidget *child = gtk_widget_get_focus_child (widget);

  if (child == NULL)
    child = back ? gtk_widget_get_last_child (widget) : gtk_widget_get_first_child (widget);
  while (child != NULL && !gtk_widget_child_focus (child, direction))
    child = back ? gtk_widget_get_prev_sibling (child) : gtk_widget_get_next_sibling (child);
  return child != NULL;
}
