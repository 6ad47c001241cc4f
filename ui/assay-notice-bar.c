/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-notice-bar.h"

#include <glib/gi18n-lib.h>

struct _AssayNoticeBar
{
  GtkWidget parent_instance;
  GListStore *notices; /* owned */
  const char *const *told; /* static: ids; NULL: all */
};

G_DEFINE_FINAL_TYPE (AssayNoticeBar, assay_notice_bar, GTK_TYPE_WIDGET)

static void
on_dismiss (GtkButton *button, AssayNoticeBar *self)
{
  /* The row, and with it the button, goes away during the call. */
  g_autofree char *id = g_strdup (g_object_get_data (G_OBJECT (button), "notice-id"));
  assay_notices_dismiss (self->notices, id);
}

static void
row_add_action (GtkWidget *row, const AssayNoticeAction *action)
{
  GtkWidget *button = gtk_button_new_with_label (action->label);
  gtk_actionable_set_detailed_action_name (GTK_ACTIONABLE (button), action->action);
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_box_append (GTK_BOX (row), button);
}

static void
row_add_close (AssayNoticeBar *self, GtkWidget *row, AssayNotice *notice)
{
  GtkWidget *button = gtk_button_new_from_icon_name ("window-close-symbolic");
  gtk_widget_add_css_class (button, "flat");
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_widget_set_tooltip_text (button, _("Dismiss"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, _("Dismiss"), -1);
  g_object_set_data_full (G_OBJECT (button), "notice-id", g_strdup (assay_notice_get_id (notice)), g_free);
  g_signal_connect_object (button, "clicked", G_CALLBACK (on_dismiss), self, 0);
  gtk_box_append (GTK_BOX (row), button);
}

static GtkWidget *
bar_make_row (AssayNoticeBar *self, AssayNotice *notice)
{
  const gboolean is_error = assay_notice_is_error (notice);
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  gtk_widget_add_css_class (row, "notice");
  gtk_widget_add_css_class (row, is_error ? "notice-error" : "notice-info");
  GtkWidget *icon =
    gtk_image_new_from_icon_name (is_error ? "dialog-warning-symbolic" : "dialog-information-symbolic");
  gtk_accessible_update_property (GTK_ACCESSIBLE (icon), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  is_error ? _("Warning") : _("Information"), -1);
  GtkWidget *label = g_object_new (GTK_TYPE_LABEL, "label", assay_notice_get_message (notice), "xalign", 0.0f, "wrap",
                                   TRUE, "wrap-mode", PANGO_WRAP_WORD_CHAR, "hexpand", TRUE, "lines", 6, "ellipsize",
                                   PANGO_ELLIPSIZE_END, "selectable", TRUE, "can-focus", FALSE, "accessible-role",
                                   GTK_ACCESSIBLE_ROLE_ALERT, NULL);
  gtk_widget_set_tooltip_text (label, assay_notice_get_message (notice));
  gtk_box_append (GTK_BOX (row), icon);
  gtk_box_append (GTK_BOX (row), label);
  for (guint i = 0; i < assay_notice_get_n_actions (notice); i++)
    row_add_action (row, assay_notice_get_action (notice, i));
  row_add_close (self, row, notice);
  return row;
}

static void
bar_rebuild (AssayNoticeBar *self)
{
  GtkWidget *child;
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self))) != NULL)
    gtk_widget_unparent (child);
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (self->notices)); i++)
    {
      g_autoptr(AssayNotice) notice = g_list_model_get_item (G_LIST_MODEL (self->notices), i);
      if (self->told == NULL || g_strv_contains (self->told, assay_notice_get_id (notice)))
        gtk_widget_set_parent (bar_make_row (self, notice), GTK_WIDGET (self));
    }
  gtk_widget_set_visible (GTK_WIDGET (self), gtk_widget_get_first_child (GTK_WIDGET (self)) != NULL);
}

void
assay_notice_bar_set_told (AssayNoticeBar *self, const char *const *ids)
{
  g_return_if_fail (ASSAY_IS_NOTICE_BAR (self));
  self->told = ids;
  bar_rebuild (self);
}

void
assay_notice_bar_set_notices (AssayNoticeBar *self, GListStore *notices)
{
  g_return_if_fail (ASSAY_IS_NOTICE_BAR (self) && self->notices == NULL);
  self->notices = g_object_ref (notices);
  g_signal_connect_object (notices, "items-changed", G_CALLBACK (bar_rebuild), self, G_CONNECT_SWAPPED);
  bar_rebuild (self);
}

static void
assay_notice_bar_dispose (GObject *object)
{
  GtkWidget *child;
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (object))) != NULL)
    gtk_widget_unparent (child);
  g_clear_object (&ASSAY_NOTICE_BAR (object)->notices);
  G_OBJECT_CLASS (assay_notice_bar_parent_class)->dispose (object);
}

static void
assay_notice_bar_class_init (AssayNoticeBarClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = assay_notice_bar_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BOX_LAYOUT);
}

static void
assay_notice_bar_init (AssayNoticeBar *self)
{
  gtk_orientable_set_orientation (GTK_ORIENTABLE (gtk_widget_get_layout_manager (GTK_WIDGET (self))),
                                  GTK_ORIENTATION_VERTICAL);
}
