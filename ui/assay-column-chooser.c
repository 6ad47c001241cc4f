/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-column-chooser.h"

static void
on_toggled (GtkCheckButton *check, GtkColumnViewColumn *column)
{
  const gboolean active = gtk_check_button_get_active (check);

  if (active == gtk_column_view_column_get_visible (column)) /* it follows the column */
    return;
  assay_column_chooser_choose (column, active);
}

static void
on_visible_changed (GtkCheckButton *check, GParamSpec *pspec, GtkColumnViewColumn *column)
{
  gtk_check_button_set_active (check, gtk_column_view_column_get_visible (column));
}

static GtkWidget *
check_new (GtkColumnViewColumn *column)
{
  GtkWidget *check = gtk_check_button_new ();

  g_object_bind_property (column, "title", check, "label", G_BINDING_SYNC_CREATE);
  gtk_check_button_set_active (GTK_CHECK_BUTTON (check), gtk_column_view_column_get_visible (column));
  g_signal_connect_object (check, "toggled", G_CALLBACK (on_toggled), column, 0);
  g_signal_connect_object (column, "notify::visible", G_CALLBACK (on_visible_changed), check,
                           G_CONNECT_SWAPPED);
  return check;
}

void
assay_column_chooser_fill (GtkMenuButton *button, GtkColumnView *table)
{
  GListModel *columns = gtk_column_view_get_columns (table);
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 3), *popover = gtk_popover_new ();
  GtkWidget *scrolled = gtk_scrolled_window_new (); /* a low screen holds not all of them */

  for (guint i = 1; i < g_list_model_get_n_items (columns); i++)
    {
      g_autoptr(GtkColumnViewColumn) column = g_list_model_get_item (columns, i);
      gtk_box_append (GTK_BOX (box), check_new (column));
    }
  g_object_set (scrolled, "child", box, "hscrollbar-policy", GTK_POLICY_NEVER, "max-content-height", 380,
                "propagate-natural-height", TRUE, "propagate-natural-width", TRUE, NULL);
  gtk_popover_set_child (GTK_POPOVER (popover), scrolled);
  gtk_menu_button_set_popover (button, popover);
}

void
assay_column_chooser_suggest (GtkColumnViewColumn *column, gboolean visible)
{
  if (!assay_column_chooser_is_chosen (column))
    gtk_column_view_column_set_visible (column, visible);
}

void
assay_column_chooser_choose (GtkColumnViewColumn *column, gboolean visible)
{
  g_object_set_data (G_OBJECT (column), "chosen", GINT_TO_POINTER (TRUE));
  gtk_column_view_column_set_visible (column, visible);
}

gboolean
assay_column_chooser_is_chosen (GtkColumnViewColumn *column)
{
  return g_object_get_data (G_OBJECT (column), "chosen") != NULL;
}
