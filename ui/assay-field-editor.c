/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-field-editor.h"

#include <glib/gi18n-lib.h>

#include "assay-choice.h"
#include "assay-device-names.h"
#include "assay-field-choices.h"

enum { TEXT_SHOWN = 16 };      /* characters of a text's entry */

struct _AssayFieldEditor
{
  GtkWidget parent_instance;
  AssayDraft *draft;       /* owned */
  AssayFieldId field;
  GtkWidget *child;        /* the outermost control */
  GtkWidget *entry;        /* one of these three is the control itself; the others are NULL */
  GtkWidget *drop_down;
  GtkTextBuffer *buffer;
  GListStore *choices;     /* owned: AssayChoice; of a drop-down */
  guint n_offered;         /* of the choices; one more where the draft holds another machine's value */
  GPtrArray *devices;      /* owned: AssayDeviceInfo; NULL until known, and for other fields */
  GCancellable *asking;    /* owned: for the devices */
  char *shown;             /* owned: file form last shown or entered; NULL unset */
  gboolean entering;       /* a person's edit is on its way into the draft */
  gboolean showing;        /* the draft's value is on its way into the control */
};

G_DEFINE_FINAL_TYPE (AssayFieldEditor, assay_field_editor, GTK_TYPE_WIDGET)

gboolean
assay_field_editor_is_tall (AssayFieldId field)
{
  return field == ASSAY_FIELD_PROMPT || field == ASSAY_FIELD_SYSTEM_PROMPT || field == ASSAY_FIELD_ATTACHED_COMPONENTS;
}

gboolean
assay_field_editor_is_cut (AssayFieldEditor *self)
{
  if (self->entry != NULL)
    return gtk_entry_get_text_length (GTK_ENTRY (self->entry)) >= ASSAY_FIELD_TEXT_LIMIT;
  return self->buffer != NULL && gtk_text_buffer_get_char_count (self->buffer) >= ASSAY_FIELD_TEXT_LIMIT;
}

/* With a unit where that loses nothing, else the exact number. */
static char *
editor_dup_text (AssayFieldEditor *self)
{
  const AssayValues *values = assay_draft_get_values (self->draft);
  g_autofree char *exact = assay_values_dup_text (values, self->field);
  g_autofree char *shown = assay_values_dup_display (values, self->field);
  if (exact == NULL)
    return g_strdup ("");
  g_autoptr(AssayValues) again = assay_values_new ();
  if (shown == NULL || !assay_values_parse_user (again, self->field, shown, NULL))
    return g_steal_pointer (&exact);
  g_autofree char *reread = assay_values_dup_text (again, self->field);
  return g_strcmp0 (reread, exact) == 0 ? g_steal_pointer (&shown) : g_steal_pointer (&exact);
}

static void
editor_enter (AssayFieldEditor *self, const char *text)
{
  if (self->showing || !assay_draft_is_open (self->draft, self->field))
    return;
  self->entering = TRUE;
  assay_draft_set_typed (self->draft, self->field, text);
  self->entering = FALSE;
  g_free (self->shown);
  self->shown = assay_values_dup_text (assay_draft_get_values (self->draft), self->field);
}

static void
on_entry_changed (AssayFieldEditor *self)
{
  editor_enter (self, gtk_editable_get_text (GTK_EDITABLE (self->entry)));
}

static void
on_buffer_changed (AssayFieldEditor *self)
{
  GtkTextIter start, end;
  gtk_text_buffer_get_bounds (self->buffer, &start, &end);
  if (gtk_text_iter_get_offset (&end) > ASSAY_FIELD_TEXT_LIMIT)
    {
      gtk_text_buffer_get_iter_at_offset (self->buffer, &start, ASSAY_FIELD_TEXT_LIMIT);
      gtk_text_buffer_delete (self->buffer, &start, &end); /* comes back here */
      return;
    }
  g_autofree char *text = gtk_text_buffer_get_text (self->buffer, &start, &end, FALSE);
  editor_enter (self, text);
}

static void
on_selected (AssayFieldEditor *self)
{
  AssayChoice *choice = gtk_drop_down_get_selected_item (GTK_DROP_DOWN (self->drop_down));
  if (choice == NULL || self->showing)
    return;
  if (assay_choice_get_problem (choice) == NULL) /* keys get at what cannot be clicked */
    editor_enter (self, assay_choice_get_value (choice) != NULL ? assay_choice_get_value (choice) : "");
  assay_field_editor_sync (self); /* back to what holds; "as stored" is another choice's name */
}

static void
editor_add_choice (AssayFieldEditor *self, const char *value, const char *label)
{
  g_autoptr(AssayChoice) choice = assay_choice_new (value, label);
  g_list_store_insert (self->choices, self->n_offered++, choice);
}

static guint
editor_find_choice (AssayFieldEditor *self, const char *text)
{
  for (guint i = 0; i < self->n_offered; i++)
    {
      g_autoptr(AssayChoice) choice = g_list_model_get_item (G_LIST_MODEL (self->choices), i);
      if (g_strcmp0 (assay_choice_get_value (choice), text) == 0)
        return i;
    }
  return G_MAXUINT;
}

/* What is not on offer here is shown as it is, such as another machine's device, for as long as it holds. */
static guint
editor_find_or_add_choice (AssayFieldEditor *self, const char *text)
{
  const guint n = g_list_model_get_n_items (G_LIST_MODEL (self->choices));
  const guint offered = editor_find_choice (self, text);
  if (offered != G_MAXUINT)
    return offered;
  g_autoptr(AssayChoice) last = g_list_model_get_item (G_LIST_MODEL (self->choices), n - 1);
  if (n > self->n_offered && g_strcmp0 (assay_choice_get_value (last), text) == 0)
    return n - 1;
  g_autoptr(AssayChoice) choice = assay_choice_new (text, text);
  g_list_store_splice (self->choices, self->n_offered, n - self->n_offered, (gpointer *) &choice, 1);
  return self->n_offered;
}

static void
editor_drop_extra_choice (AssayFieldEditor *self)
{
  const guint n = g_list_model_get_n_items (G_LIST_MODEL (self->choices));
  if (n > self->n_offered && gtk_drop_down_get_selected (GTK_DROP_DOWN (self->drop_down)) < self->n_offered)
    g_list_store_splice (self->choices, self->n_offered, n - self->n_offered, NULL, 0);
}

/* This machine's own reason, then the rule that the choice would break. */
static char *
editor_dup_choice_problem (AssayFieldEditor *self, const char *value)
{
  for (guint i = 0; self->devices != NULL && i < self->devices->len; i++)
    {
      const AssayDeviceInfo *device = g_ptr_array_index (self->devices, i);
      if (device->problem != NULL && g_strcmp0 (device->name, value) == 0)
        return g_strdup (device->problem);
    }
  return assay_draft_dup_choice_problem (self->draft, self->field, value);
}

static void
editor_sync_choices (AssayFieldEditor *self)
{
  g_autofree char *text = assay_values_dup_text (assay_draft_get_values (self->draft), self->field);
  if (text == NULL && assay_field_choices_names_automatic (self->field))
    text = g_strdup ("auto");
  const guint selected = editor_find_or_add_choice (self, text);
  if (!self->entering)
    {
      gtk_drop_down_set_selected (GTK_DROP_DOWN (self->drop_down), selected);
      editor_drop_extra_choice (self);
    }
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (self->choices)); i++)
    {
      g_autoptr(AssayChoice) choice = g_list_model_get_item (G_LIST_MODEL (self->choices), i);
      g_autofree char *problem = editor_dup_choice_problem (self, assay_choice_get_value (choice));
      assay_choice_set_problem (choice, problem);
    }
}

static void
editor_show (AssayFieldEditor *self)
{
  self->showing = TRUE;
  g_autofree char *text = editor_dup_text (self);
  if (self->entry != NULL)
    {
      gtk_editable_set_text (GTK_EDITABLE (self->entry), text);
      gtk_widget_set_tooltip_text (self->entry, strlen (text) > TEXT_SHOWN ? text : NULL); /* more than it shows */
    }
  else if (self->buffer != NULL)
    gtk_text_buffer_set_text (self->buffer, text, -1);
  self->showing = FALSE;
}

void
assay_field_editor_sync (AssayFieldEditor *self)
{
  g_return_if_fail (ASSAY_IS_FIELD_EDITOR (self));
  if (self->drop_down != NULL)
    {
      self->showing = TRUE;
      editor_sync_choices (self);
      self->showing = FALSE;
      return;
    }
  g_autofree char *text = assay_values_dup_text (assay_draft_get_values (self->draft), self->field);
  if (self->entering || g_strcmp0 (text, self->shown) == 0)
    return;
  g_free (self->shown);
  self->shown = g_steal_pointer (&text);
  editor_show (self);
}

void
assay_field_editor_reset (AssayFieldEditor *self)
{
  g_return_if_fail (ASSAY_IS_FIELD_EDITOR (self));
  assay_field_editor_sync (self);
  if (self->drop_down == NULL)
    editor_show (self);
}

static void
editor_fill_choices (AssayFieldEditor *self)
{
  const char *const *choices = assay_field_choices_get (self->field);
  if (!assay_field_choices_names_automatic (self->field))
    editor_add_choice (self, NULL, assay_field_choices_get_unset_label (self->field));
  for (; *choices != NULL; choices++)
    {
      g_autofree char *label = assay_field_choices_dup_label (self->field, *choices);
      editor_add_choice (self, *choices, label);
    }
}

static void
devices_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(AssayFieldEditor) self = data;
  g_autoptr(GPtrArray) devices = assay_device_names_finish (result, NULL);
  if (devices == NULL || self->choices == NULL)
    return;
  self->showing = TRUE;
  for (guint i = 0; i < devices->len; i++)
    {
      const AssayDeviceInfo *device = g_ptr_array_index (devices, i);
      if (editor_find_choice (self, device->name) == G_MAXUINT)
        editor_add_choice (self, device->name, device->name);
    }
  self->showing = FALSE;
  self->devices = g_steal_pointer (&devices);
  assay_field_editor_sync (self);
}

static void
editor_make_drop_down (AssayFieldEditor *self)
{
  self->choices = g_list_store_new (ASSAY_TYPE_CHOICE);
  editor_fill_choices (self);
  self->drop_down = gtk_drop_down_new (G_LIST_MODEL (g_object_ref (self->choices)), NULL);
  assay_choice_set_up_drop_down (GTK_DROP_DOWN (self->drop_down));
  g_signal_connect_object (self->drop_down, "notify::selected-item", G_CALLBACK (on_selected), self,
                           G_CONNECT_SWAPPED);
  self->child = self->drop_down;
  if (self->field != ASSAY_FIELD_DEVICE)
    return;
  self->asking = g_cancellable_new ();
  assay_device_names_async (self->asking, devices_cb, g_object_ref (self));
}

static void
editor_make_entry (AssayFieldEditor *self)
{
  const AssayFieldInfo *info = assay_field_get_info (self->field);
  const gboolean text = info->type == ASSAY_VALUE_TYPE_TEXT;
  self->entry = gtk_entry_new ();
  gtk_entry_set_max_length (GTK_ENTRY (self->entry), ASSAY_FIELD_TEXT_LIMIT);
  gtk_entry_set_placeholder_text (GTK_ENTRY (self->entry), text ? _("not set") : _("automatic"));
  gtk_editable_set_width_chars (GTK_EDITABLE (self->entry), text ? TEXT_SHOWN : 11);
  gtk_editable_set_max_width_chars (GTK_EDITABLE (self->entry), text ? 24 : 14);
  if (!text)
    {
      gtk_editable_set_alignment (GTK_EDITABLE (self->entry), 1);
      gtk_widget_add_css_class (self->entry, "numeric");
    }
  g_signal_connect_object (self->entry, "changed", G_CALLBACK (on_entry_changed), self, G_CONNECT_SWAPPED);
  self->child = self->entry;
}

static GtkWidget *
editor_make_text_view (AssayFieldEditor *self)
{
  GtkWidget *view = gtk_text_view_new ();
  self->buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (view));
  gtk_text_view_set_wrap_mode (GTK_TEXT_VIEW (view), GTK_WRAP_WORD_CHAR);
  gtk_text_view_set_accepts_tab (GTK_TEXT_VIEW (view), FALSE);
  gtk_text_view_set_left_margin (GTK_TEXT_VIEW (view), 8);
  gtk_text_view_set_right_margin (GTK_TEXT_VIEW (view), 8);
  gtk_text_view_set_top_margin (GTK_TEXT_VIEW (view), 6);
  gtk_text_view_set_bottom_margin (GTK_TEXT_VIEW (view), 6);
  self->child = gtk_scrolled_window_new ();
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (self->child), view);
  gtk_scrolled_window_set_min_content_height (GTK_SCROLLED_WINDOW (self->child), 64);
  gtk_widget_add_css_class (self->child, "prompt-box");
  gtk_widget_set_hexpand (self->child, TRUE);
  g_signal_connect_object (self->buffer, "changed", G_CALLBACK (on_buffer_changed), self, G_CONNECT_SWAPPED);
  return view;
}

static void
assay_field_editor_dispose (GObject *object)
{
  AssayFieldEditor *self = ASSAY_FIELD_EDITOR (object);
  g_clear_pointer (&self->child, gtk_widget_unparent);
  if (self->asking != NULL)
    g_cancellable_cancel (self->asking);
  g_clear_object (&self->asking);
  g_clear_pointer (&self->devices, g_ptr_array_unref);
  self->entry = self->drop_down = NULL;
  self->buffer = NULL;
  g_clear_object (&self->choices);
  g_clear_object (&self->draft);
  g_clear_pointer (&self->shown, g_free);
  G_OBJECT_CLASS (assay_field_editor_parent_class)->dispose (object);
}

static void
assay_field_editor_class_init (AssayFieldEditorClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = assay_field_editor_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
}

static void
assay_field_editor_init (AssayFieldEditor *self)
{
}

GtkWidget *
assay_field_editor_new (AssayDraft *draft, AssayFieldId field)
{
  AssayFieldEditor *self = g_object_new (ASSAY_TYPE_FIELD_EDITOR, NULL);
  const AssayFieldInfo *info = assay_field_get_info (field);
  self->draft = g_object_ref (draft);
  self->field = field;
  GtkWidget *named;
  if (assay_field_choices_get (field) != NULL)
    editor_make_drop_down (self);
  else if (!assay_field_editor_is_tall (field))
    editor_make_entry (self);
  named = self->child == NULL ? editor_make_text_view (self) : self->child;
  const char *label = g_dgettext (GETTEXT_PACKAGE, info->label);
  gtk_accessible_update_property (GTK_ACCESSIBLE (named), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
  if (self->drop_down != NULL) /* the button inside is what takes the focus */
    gtk_accessible_update_property (GTK_ACCESSIBLE (gtk_widget_get_first_child (named)), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                    label, -1);
  gtk_widget_set_parent (self->child, GTK_WIDGET (self));
  assay_field_editor_reset (self);
  return GTK_WIDGET (self);
}
