/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-accessible.h"

void
assay_accessible_name (GtkWidget *widget, const char *name)
{
  gtk_accessible_update_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
}

void
assay_accessible_name_item (GtkListItem *item, const char *name)
{
  GtkWidget *child = gtk_list_item_get_child (item);
  GtkWidget *row = child != NULL ? gtk_widget_get_parent (child) : NULL;
  if (row != NULL)
    assay_accessible_name (row, name);
}

void
assay_accessible_set_idle (GtkWidget *widget, const char *reason)
{
  gtk_widget_set_sensitive (widget, reason == NULL);
  for (GtkWidget *inner = widget; inner != NULL; inner = gtk_widget_get_first_child (inner))
    {
      gtk_accessible_update_state (GTK_ACCESSIBLE (inner), GTK_ACCESSIBLE_STATE_DISABLED, reason != NULL, -1);
      gtk_accessible_update_property (GTK_ACCESSIBLE (inner), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                      reason != NULL ? reason : "", -1);
    }
}
