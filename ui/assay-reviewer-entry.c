/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-reviewer-entry.h"

#include <glib/gi18n-lib.h>

#include "assay-accessible.h"
#include "assay-display-text.h"
#include "assay-focus.h"

#define MOST_NAMES 12

struct _AssayReviewerEntry
{
  GtkWidget parent_instance;
  GtkWidget *entry, *button, *list; /* children */
};

static guint changed_signal;

G_DEFINE_FINAL_TYPE (AssayReviewerEntry, assay_reviewer_entry, GTK_TYPE_WIDGET)

char **
assay_reviewers_remember (const char *const *names, const char *name)
{
  g_autoptr(GStrvBuilder) builder = g_strv_builder_new ();
  guint n = 1;

  g_strv_builder_add (builder, name);
  for (guint i = 0; names != NULL && names[i] != NULL && n < MOST_NAMES; i++)
    if (g_strcmp0 (names[i], name) != 0)
      {
        g_strv_builder_add (builder, names[i]);
        n++;
      }
  return g_strv_builder_end (builder);
}

const char *
assay_reviewer_entry_get_name (AssayReviewerEntry *self)
{
  g_return_val_if_fail (ASSAY_IS_REVIEWER_ENTRY (self), NULL);
  return gtk_editable_get_text (GTK_EDITABLE (self->entry));
}

void
assay_reviewer_entry_set_name (AssayReviewerEntry *self, const char *name)
{
  g_return_if_fail (ASSAY_IS_REVIEWER_ENTRY (self));
  if (g_strcmp0 (name, assay_reviewer_entry_get_name (self)) != 0)
    gtk_editable_set_text (GTK_EDITABLE (self->entry), name != NULL ? name : "");
}

static void
on_name_clicked (GtkButton *button, AssayReviewerEntry *self)
{
  gtk_menu_button_popdown (GTK_MENU_BUTTON (self->button));
  assay_reviewer_entry_set_name (self, g_object_get_data (G_OBJECT (button), "name"));
  gtk_widget_grab_focus (self->entry);
}

static GtkWidget *
name_button_new (AssayReviewerEntry *self, const char *name)
{
  g_autofree char *shown = assay_display_line (name, 40);
  GtkWidget *button = gtk_button_new_with_label (shown);

  gtk_widget_set_halign (gtk_button_get_child (GTK_BUTTON (button)), GTK_ALIGN_START);
  gtk_widget_add_css_class (button, "flat");
  g_object_set_data_full (G_OBJECT (button), "name", g_strdup (name), g_free);
  g_signal_connect_object (button, "clicked", G_CALLBACK (on_name_clicked), self, 0);
  return button;
}

void
assay_reviewer_entry_set_known (AssayReviewerEntry *self, const char *const *names)
{
  g_return_if_fail (ASSAY_IS_REVIEWER_ENTRY (self));
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (self->list)) != NULL)
    gtk_box_remove (GTK_BOX (self->list), child);
  for (guint i = 0; names != NULL && names[i] != NULL; i++)
    gtk_box_append (GTK_BOX (self->list), name_button_new (self, names[i]));
  gtk_widget_set_visible (self->button, gtk_widget_get_first_child (self->list) != NULL);
}

static void
on_changed (AssayReviewerEntry *self)
{
  g_signal_emit (self, changed_signal, 0);
}

static gboolean
assay_reviewer_entry_grab_focus (GtkWidget *widget)
{
  return gtk_widget_grab_focus (ASSAY_REVIEWER_ENTRY (widget)->entry);
}

static void
assay_reviewer_entry_dispose (GObject *object)
{
  AssayReviewerEntry *self = ASSAY_REVIEWER_ENTRY (object);

  g_clear_pointer (&self->entry, gtk_widget_unparent);
  g_clear_pointer (&self->button, gtk_widget_unparent);
  G_OBJECT_CLASS (assay_reviewer_entry_parent_class)->dispose (object);
}

static void
assay_reviewer_entry_class_init (AssayReviewerEntryClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = assay_reviewer_entry_dispose;
  widget_class->focus = assay_focus_through;
  widget_class->grab_focus = assay_reviewer_entry_grab_focus;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BOX_LAYOUT);
  changed_signal = g_signal_new ("changed", ASSAY_TYPE_REVIEWER_ENTRY, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                 G_TYPE_NONE, 0);
}

static void
reviewer_entry_add_button (AssayReviewerEntry *self)
{
  GtkWidget *popover = gtk_popover_new ();

  self->list = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  gtk_popover_set_child (GTK_POPOVER (popover), self->list);
  self->button = gtk_menu_button_new ();
  gtk_menu_button_set_icon_name (GTK_MENU_BUTTON (self->button), "pan-down-symbolic");
  gtk_menu_button_set_popover (GTK_MENU_BUTTON (self->button), popover);
  gtk_widget_set_tooltip_text (self->button, _("Names that signed before"));
  assay_accessible_name (self->button, _("Names that signed before"));
  gtk_widget_set_visible (self->button, FALSE);
  gtk_widget_set_parent (self->button, GTK_WIDGET (self));
}

static void
assay_reviewer_entry_init (AssayReviewerEntry *self)
{
  gtk_widget_add_css_class (GTK_WIDGET (self), "linked");
  self->entry = gtk_entry_new ();
  gtk_widget_set_hexpand (self->entry, TRUE);
  gtk_editable_set_width_chars (GTK_EDITABLE (self->entry), 8);
  gtk_entry_set_max_length (GTK_ENTRY (self->entry), 120);
  gtk_entry_set_placeholder_text (GTK_ENTRY (self->entry), _("Your name"));
  gtk_widget_set_tooltip_text (self->entry, _("Reviewer: whose judgment this is"));
  assay_accessible_name (self->entry, _("Reviewer"));
  gtk_widget_set_parent (self->entry, GTK_WIDGET (self));
  reviewer_entry_add_button (self);
  g_signal_connect_object (self->entry, "changed", G_CALLBACK (on_changed), self, G_CONNECT_SWAPPED);
}
