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
