/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-field-row.h"

#include <glib/gi18n-lib.h>

#include "assay-accessible.h"
#include "assay-field-editor.h"
#include "assay-field-help.h"
#include "assay-question-chooser.h"

struct _AssayFieldRow
{
  GtkListBoxRow parent_instance;
  AssayDraft *draft;  /* owned */
  AssayFieldId field;
  GtkWidget *editor;  /* the field's control */
  gboolean own_editor; /* an AssayFieldEditor, not one that was handed in */

  /* template children */
  GtkLabel *label, *name, *was, *value, *idle, *note, *error, *help_text;
  GtkWidget *lock, *beside, *below, *help;
};

G_DEFINE_FINAL_TYPE (AssayFieldRow, assay_field_row, GTK_TYPE_LIST_BOX_ROW)

AssayFieldId
assay_field_row_get_field (AssayFieldRow *self)
{
  return self->field;
}

/* Facts of the file are shown, and in a child they are changed through the file. */
static gboolean
row_shows_editor (AssayFieldRow *self)
{
  if (!assay_draft_is_open (self->draft, self->field) || assay_draft_is_derived (self->field))
    return FALSE;
  return !self->own_editor || assay_draft_is_typed (self->draft, self->field);
}

static char *
row_dup_line (AssayFieldRow *self, const char *shown)
{
  if (self->field == ASSAY_FIELD_MODEL_PATH)
    return g_filename_display_basename (shown);
  return g_strdelimit (g_strdup (shown), "\n", ' ');
}

static void
row_show_value (AssayFieldRow *self)
{
  g_autofree char *shown = assay_draft_is_derived (self->field)
                             ? assay_draft_dup_calls (self->draft)
                             : assay_values_dup_display (assay_draft_get_values (self->draft), self->field);
  const gboolean empty = shown == NULL || *shown == '\0';
  g_autofree char *line = empty ? g_strdup (_("not set")) : row_dup_line (self, shown);
  gtk_label_set_text (self->value, line);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->value), empty || strlen (shown) < 12 ? NULL : shown);
}

static void
row_show_was (AssayFieldRow *self)
{
  const gboolean child = assay_draft_get_parent (self->draft) != NULL;
  const gboolean open = assay_draft_is_open (self->draft, self->field) && !assay_draft_is_derived (self->field);
  gtk_widget_set_visible (GTK_WIDGET (self->was), child && open);
  if (!child || !open)
    return;
  g_autofree char *was = assay_draft_dup_was (self->draft, self->field);
  g_autofree char *text = g_strdup_printf (_("was %s"), was);
  gtk_label_set_text (self->was, text);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->was), text);
}

/* The rule in words, and nothing to type into: a value here would change nothing, or break the rule. */
static void
row_show_idle (AssayFieldRow *self)
{
  const char *reason = assay_draft_get_idle_reason (self->draft, self->field);
  assay_accessible_set_idle (self->editor, reason);
  if (reason == NULL && ASSAY_IS_QUESTION_CHOOSER (self->editor) && row_shows_editor (self))
    reason = assay_question_chooser_get_reason (ASSAY_QUESTION_CHOOSER (self->editor));
  gtk_widget_set_visible (GTK_WIDGET (self->idle), reason != NULL);
  gtk_label_set_text (self->idle, reason != NULL ? reason : "");
}

static void
row_show_note (AssayFieldRow *self)
{
  const char *note = assay_draft_get_note (self->draft, self->field);
  gtk_widget_set_visible (GTK_WIDGET (self->note), note != NULL);
  gtk_label_set_text (self->note, note != NULL ? note : "");
}

static void
row_show_error (AssayFieldRow *self)
{
  const char *error = assay_draft_get_error (self->draft, self->field);
  g_autofree char *cut = NULL;
  if (error == NULL && self->own_editor && assay_field_editor_is_cut (ASSAY_FIELD_EDITOR (self->editor)))
    error = cut = g_strdup_printf (_("Cut at %d characters, the most a field holds"), ASSAY_FIELD_TEXT_LIMIT);
  gtk_widget_set_visible (GTK_WIDGET (self->error), error != NULL);
  gtk_label_set_text (self->error, error != NULL ? error : "");
}

static gboolean
row_can_unlock (AssayFieldRow *self)
{
  return assay_draft_can_unlock (self->draft, self->field)
         && assay_draft_get_idle_reason (self->draft, self->field) == NULL;
}

/* A padlock that opens shows its keyhole; of both it is told why they are shut. */
static void
row_show_lock (AssayFieldRow *self)
{
  const gboolean locked = !assay_draft_is_open (self->draft, self->field) && !assay_draft_is_derived (self->field);
  gtk_widget_set_visible (self->lock, locked);
  gtk_widget_set_tooltip_text (self->lock, locked ? assay_field_help_get_lock_reason (self->draft, self->field) : NULL);
  const char *icon = row_can_unlock (self) ? "assay-padlock-openable-symbolic" : "changes-prevent-symbolic";
  if (g_strcmp0 (gtk_menu_button_get_icon_name (GTK_MENU_BUTTON (self->lock)), icon) != 0)
    gtk_menu_button_set_icon_name (GTK_MENU_BUTTON (self->lock), icon);
}

static void
row_refresh (AssayFieldRow *self)
{
  const gboolean shows_editor = row_shows_editor (self);
  const gboolean tall = assay_field_editor_is_tall (self->field);
  if (self->own_editor)
    assay_field_editor_sync (ASSAY_FIELD_EDITOR (self->editor));
  row_show_value (self);
  gtk_widget_set_visible (self->beside, shows_editor && !tall);
  gtk_widget_set_visible (self->below, shows_editor && tall);
  gtk_widget_set_visible (GTK_WIDGET (self->value), !shows_editor);
  row_show_lock (self);
  row_show_was (self);
  row_show_idle (self);
  row_show_note (self);
  row_show_error (self);
}

static void
row_on_lock_moved (AssayFieldRow *self)
{
  if (self->own_editor)
    assay_field_editor_reset (ASSAY_FIELD_EDITOR (self->editor));
  row_refresh (self);
}

static void
row_set_texts (AssayFieldRow *self)
{
  const AssayFieldInfo *info = assay_field_get_info (self->field);
  const char *label = g_dgettext (GETTEXT_PACKAGE, info->label);
  g_autofree char *help = assay_field_help_dup_text (self->field);
  g_autofree char *locked = g_strdup_printf (_("%s is held fixed"), label);
  g_autofree char *about = g_strdup_printf (_("About %s"), label);
  gtk_label_set_text (self->label, label);
  gtk_label_set_text (self->name, info->name);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->label), label);
  gtk_label_set_text (self->help_text, help);
  assay_accessible_name (self->lock, locked);
  assay_accessible_name (self->help, about);
  assay_accessible_name (GTK_WIDGET (self), label);
}

static void
on_change_this (AssayFieldRow *self)
{
  gtk_menu_button_popdown (GTK_MENU_BUTTON (self->lock));
  assay_draft_move_lock (self->draft, self->field);
}

/* Made when it is asked for: there are forty padlocks. */
static void
row_fill_lock (GtkMenuButton *button, gpointer data)
{
  AssayFieldRow *self = data;
  GtkWidget *popover = gtk_popover_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  const char *reason = assay_field_help_get_lock_reason (self->draft, self->field);
  gtk_box_append (GTK_BOX (box), g_object_new (GTK_TYPE_LABEL, "label", reason, "wrap", TRUE, "max-width-chars", 36,
                                               "xalign", 0.0f, NULL));
  if (row_can_unlock (self))
    {
      GtkWidget *change = gtk_button_new_with_label (_("Change This Instead"));
      g_signal_connect_object (change, "clicked", G_CALLBACK (on_change_this), self, G_CONNECT_SWAPPED);
      gtk_box_append (GTK_BOX (box), change);
    }
  gtk_popover_set_child (GTK_POPOVER (popover), box);
  gtk_menu_button_set_popover (button, popover);
}

static void
assay_field_row_dispose (GObject *object)
{
  g_clear_object (&ASSAY_FIELD_ROW (object)->draft);
  gtk_widget_dispose_template (GTK_WIDGET (object), ASSAY_TYPE_FIELD_ROW);
  G_OBJECT_CLASS (assay_field_row_parent_class)->dispose (object);
}

static void
assay_field_row_class_init (AssayFieldRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = assay_field_row_dispose;
  gtk_widget_class_set_template_from_resource (widget_class, "/io/github/assay/Assay/ui/assay-field-row.ui");
#define CHILD(child) gtk_widget_class_bind_template_child (widget_class, AssayFieldRow, child)
  CHILD (label);
  CHILD (name);
  CHILD (was);
  CHILD (value);
  CHILD (idle);
  CHILD (note);
  CHILD (error);
  CHILD (help);
  CHILD (help_text);
  CHILD (lock);
  CHILD (beside);
  CHILD (below);
#undef CHILD
}

static void
assay_field_row_init (AssayFieldRow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

GtkWidget *
assay_field_row_new (AssayDraft *draft, AssayFieldId field, GtkWidget *editor)
{
  AssayFieldRow *self = g_object_new (ASSAY_TYPE_FIELD_ROW, NULL);
  self->draft = g_object_ref (draft);
  self->field = field;
  self->own_editor = editor == NULL;
  self->editor = editor != NULL ? editor : assay_field_editor_new (draft, field);
  gtk_widget_set_valign (self->editor, GTK_ALIGN_CENTER);
  gtk_widget_set_hexpand (self->editor, assay_field_editor_is_tall (field));
  gtk_box_append (GTK_BOX (assay_field_editor_is_tall (field) ? self->below : self->beside), self->editor);
  if (assay_draft_is_derived (field)) /* in full: its words are the point */
    g_object_set (self->value, "ellipsize", PANGO_ELLIPSIZE_NONE, "wrap", TRUE, "wrap-mode", PANGO_WRAP_WORD_CHAR,
                  "natural-wrap-mode", GTK_NATURAL_WRAP_NONE, "justify", GTK_JUSTIFY_RIGHT, NULL);
  row_set_texts (self);
  gtk_menu_button_set_create_popup_func (GTK_MENU_BUTTON (self->lock), row_fill_lock, self, NULL);
  g_signal_connect_object (draft, "changed", G_CALLBACK (row_refresh), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (draft, "notify::open-field", G_CALLBACK (row_on_lock_moved), self, G_CONNECT_SWAPPED);
  row_refresh (self);
  return GTK_WIDGET (self);
}
