/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-attachments-editor.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "assay-accessible.h"
#include "models/assay-adapter.h"

#define FIELD ASSAY_FIELD_ATTACHED_COMPONENTS

struct _AssayAttachmentsEditor
{
  GtkWidget parent_instance;
  AssayDraft *draft;          /* owned */
  GPtrArray *entries;         /* owned: AssayAdapterEntry, the scale NAN where its text is none; NULL where
                               * the text is no list */
  char *shown;                /* owned: the text of the rows; NULL at first */
  GtkWidget *rows, *buttons;  /* children */
  GtkFileChooserNative *asking; /* owned */
};

G_DEFINE_FINAL_TYPE (AssayAttachmentsEditor, assay_attachments_editor, GTK_TYPE_WIDGET)

static char *
editor_dup_text (AssayAttachmentsEditor *self)
{
  const char *text = assay_values_get_text (assay_draft_get_values (self->draft), FIELD);
  return g_strdup (text != NULL ? text : "");
}

/* A scale of one is left out, except where the path itself would read as one. */
static void
text_append_entry (GString *text, const AssayAdapterEntry *entry)
{
  char scale[G_ASCII_DTOSTR_BUF_SIZE];
  g_ascii_formatd (scale, sizeof scale, "%.6g", (double) entry->scale);
  g_string_append_printf (text, "%s%s", text->len > 0 ? "\n" : "", entry->path);
  if (entry->scale != 1.0f || strchr (entry->path, '@') != NULL)
    g_string_append_printf (text, "@%s", scale);
}

/* The entry whose scale is no number, or NULL. */
static const AssayAdapterEntry *
editor_find_wrong (AssayAttachmentsEditor *self)
{
  for (guint i = 0; self->entries != NULL && i < self->entries->len; i++)
    if (isnan (((AssayAdapterEntry *) g_ptr_array_index (self->entries, i))->scale))
      return g_ptr_array_index (self->entries, i);
  return NULL;
}

static void
editor_write_wrong (AssayAttachmentsEditor *self, const AssayAdapterEntry *entry)
{
  g_autofree char *name = g_filename_display_basename (entry->path);
  g_autofree char *error =
    g_strdup_printf (_("The scale of %s must be a number from -%d to %d, such as 0.75"), name, ASSAY_ADAPTER_SCALE_MAX,
                     ASSAY_ADAPTER_SCALE_MAX);
  assay_draft_set_wrong_text (self->draft, FIELD, error);
}

static void
editor_write (AssayAttachmentsEditor *self)
{
  const AssayAdapterEntry *wrong = editor_find_wrong (self);
  if (wrong != NULL)
    {
      editor_write_wrong (self, wrong);
      return;
    }
  g_autoptr(GString) text = g_string_new (NULL);
  for (guint i = 0; self->entries != NULL && i < self->entries->len; i++)
    text_append_entry (text, g_ptr_array_index (self->entries, i));
  if (text->len == 0)
    g_string_assign (text, "none");
  g_free (self->shown);
  self->shown = g_strdup (text->str);
  assay_draft_set_typed (self->draft, FIELD, text->str);
}

static AssayAdapterEntry *
widget_get_entry (GtkWidget *widget)
{
  return g_object_get_data (G_OBJECT (widget), "entry");
}

static void
on_scale_changed (GtkEditable *editable, AssayAttachmentsEditor *self)
{
  g_autofree char *text = g_strdelimit (g_strstrip (g_strdup (gtk_editable_get_text (editable))), ",", '.');
  char *end;
  const double scale = g_ascii_strtod (text, &end);
  const gboolean valid = *text != '\0' && *end == '\0' && fabs (scale) <= ASSAY_ADAPTER_SCALE_MAX;
  if (valid)
    gtk_widget_remove_css_class (GTK_WIDGET (editable), "error");
  else
    gtk_widget_add_css_class (GTK_WIDGET (editable), "error");
  widget_get_entry (GTK_WIDGET (editable))->scale = valid ? (float) scale : NAN;
  editor_write (self);
}

static void
on_remove (GtkWidget *button, AssayAttachmentsEditor *self)
{
  g_ptr_array_remove (self->entries, widget_get_entry (button));
  gtk_box_remove (GTK_BOX (self->rows), gtk_widget_get_parent (button));
  gtk_widget_set_visible (self->rows, self->entries->len > 0);
  editor_write (self);
  gtk_widget_grab_focus (gtk_widget_get_first_child (self->buttons));
}

static GtkWidget *
editor_make_scale (AssayAttachmentsEditor *self, AssayAdapterEntry *entry, const char *name)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  g_autofree char *label = g_strdup_printf (_("Scale of %s"), name);
  GtkWidget *scale = gtk_entry_new ();
  gtk_editable_set_text (GTK_EDITABLE (scale), g_ascii_formatd (text, sizeof text, "%.6g", (double) entry->scale));
  gtk_editable_set_width_chars (GTK_EDITABLE (scale), 12);
  gtk_editable_set_max_width_chars (GTK_EDITABLE (scale), 12);
  gtk_editable_set_alignment (GTK_EDITABLE (scale), 1);
  g_object_set_data (G_OBJECT (scale), "entry", entry);
  g_signal_connect_object (scale, "changed", G_CALLBACK (on_scale_changed), self, 0);
  assay_accessible_name (scale, label);
  return scale;
}

static GtkWidget *
editor_make_row (AssayAttachmentsEditor *self, AssayAdapterEntry *entry)
{
  g_autofree char *name = g_filename_display_basename (entry->path);
  g_autofree char *path = g_filename_display_name (entry->path);
  g_autofree char *remove_label = g_strdup_printf (_("Remove %s"), name);
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *label = g_object_new (GTK_TYPE_LABEL, "label", name, "xalign", 0.0f, "hexpand", TRUE, "ellipsize",
                                   PANGO_ELLIPSIZE_MIDDLE, "tooltip-text", path, NULL);
  GtkWidget *remove = gtk_button_new_from_icon_name ("list-remove-symbolic");
  GtkWidget *times = gtk_label_new ("×");
  gtk_widget_add_css_class (times, "dim-label");
  gtk_widget_add_css_class (remove, "flat");
  g_object_set_data (G_OBJECT (remove), "entry", entry);
  g_signal_connect_object (remove, "clicked", G_CALLBACK (on_remove), self, 0);
  assay_accessible_name (remove, remove_label);
  gtk_widget_set_tooltip_text (remove, remove_label);
  gtk_box_append (GTK_BOX (row), label);
  gtk_box_append (GTK_BOX (row), times);
  gtk_box_append (GTK_BOX (row), editor_make_scale (self, entry, name));
  gtk_box_append (GTK_BOX (row), remove);
  return row;
}

static void
on_clear (AssayAttachmentsEditor *self)
{
  assay_draft_set_typed (self->draft, FIELD, "none");
}

static GtkWidget *
editor_make_unreadable (AssayAttachmentsEditor *self, const char *text, const char *reason)
{
  g_autofree char *words = g_strdup_printf ("%s\n%s", text, reason);
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *label = g_object_new (GTK_TYPE_LABEL, "label", words, "xalign", 0.0f, "hexpand", TRUE, "wrap", TRUE,
                                   "wrap-mode", PANGO_WRAP_WORD_CHAR, NULL);
  GtkWidget *clear = gtk_button_new_with_label (_("Clear"));
  gtk_widget_set_valign (clear, GTK_ALIGN_CENTER);
  g_signal_connect_object (clear, "clicked", G_CALLBACK (on_clear), self, G_CONNECT_SWAPPED);
  gtk_box_append (GTK_BOX (row), label);
  gtk_box_append (GTK_BOX (row), clear);
  return row;
}

static void
editor_fill_rows (AssayAttachmentsEditor *self)
{
  GtkWidget *child;
  g_autoptr(GError) error = NULL;
  g_autofree char *text = editor_dup_text (self);
  while ((child = gtk_widget_get_first_child (self->rows)) != NULL)
    gtk_box_remove (GTK_BOX (self->rows), child);
  g_clear_pointer (&self->entries, g_ptr_array_unref);
  self->entries = assay_adapter_parse_list (text, &error);
  for (guint i = 0; self->entries != NULL && i < self->entries->len; i++)
    gtk_box_append (GTK_BOX (self->rows), editor_make_row (self, g_ptr_array_index (self->entries, i)));
  if (self->entries == NULL)
    gtk_box_append (GTK_BOX (self->rows), editor_make_unreadable (self, text, error->message));
  gtk_widget_set_visible (self->rows, gtk_widget_get_first_child (self->rows) != NULL);
}

/* A list that is being typed into is the draft's already; a wrong scale that the draft let go of is typed no more. */
static void
editor_sync (AssayAttachmentsEditor *self)
{
  g_autofree char *text = editor_dup_text (self);
  if (g_strcmp0 (text, self->shown) == 0
      && (editor_find_wrong (self) == NULL || assay_draft_has_wrong_text (self->draft, FIELD)))
    return;
  g_free (self->shown);
  self->shown = g_steal_pointer (&text);
  editor_fill_rows (self);
}

void
assay_attachments_editor_add (AssayAttachmentsEditor *self, const char *path)
{
  g_return_if_fail (ASSAY_IS_ATTACHMENTS_EDITOR (self) && path != NULL);
  g_autofree char *text = editor_dup_text (self);
  const AssayAdapterEntry entry = { .path = (char *) path, .scale = 1.0f };
  if (editor_find_wrong (self) != NULL) /* what is typed stays */
    {
      AssayAdapterEntry *added = g_new (AssayAdapterEntry, 1);
      *added = (AssayAdapterEntry) { g_strdup (path), 1.0f };
      g_ptr_array_add (self->entries, added);
      gtk_box_append (GTK_BOX (self->rows), editor_make_row (self, added));
      editor_write (self);
      return;
    }
  g_autoptr(GString) list = g_string_new (g_str_equal (text, "none") ? "" : text);
  text_append_entry (list, &entry);
  assay_draft_set_typed (self->draft, FIELD, list->str);
}

static void
on_response (GtkNativeDialog *dialog, int response, AssayAttachmentsEditor *self)
{
  g_autoptr(GFile) file =
    response == GTK_RESPONSE_ACCEPT ? gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog)) : NULL;
  g_autofree char *path = file != NULL ? g_file_get_path (file) : NULL;
  if (path != NULL)
    assay_attachments_editor_add (self, path);
  g_clear_object (&self->asking);
}

static void
editor_ask (AssayAttachmentsEditor *self, const char *title, GtkFileChooserAction action)
{
  GtkWindow *window = GTK_WINDOW (gtk_widget_get_root (GTK_WIDGET (self)));
  if (self->asking != NULL)
    return;
  self->asking = gtk_file_chooser_native_new (title, window, action, _("_Add"), NULL);
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (self->asking), TRUE);
  g_signal_connect_object (self->asking, "response", G_CALLBACK (on_response), self, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (self->asking));
}

static void
on_add_file (AssayAttachmentsEditor *self)
{
  editor_ask (self, _("Attach a GGUF Adapter"), GTK_FILE_CHOOSER_ACTION_OPEN);
}

static void
on_add_folder (AssayAttachmentsEditor *self)
{
  editor_ask (self, _("Attach a PEFT Adapter’s Folder"), GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER);
}

static void
editor_add_button (AssayAttachmentsEditor *self, const char *label, const char *tooltip, GCallback callback)
{
  GtkWidget *button = gtk_button_new_with_label (label);
  gtk_widget_set_tooltip_text (button, tooltip);
  g_signal_connect_object (button, "clicked", callback, self, G_CONNECT_SWAPPED);
  gtk_box_append (GTK_BOX (self->buttons), button);
}

static void
assay_attachments_editor_dispose (GObject *object)
{
  AssayAttachmentsEditor *self = ASSAY_ATTACHMENTS_EDITOR (object);
  if (self->asking != NULL)
    gtk_native_dialog_destroy (GTK_NATIVE_DIALOG (self->asking));
  g_clear_object (&self->asking);
  g_clear_pointer (&self->rows, gtk_widget_unparent);
  g_clear_pointer (&self->buttons, gtk_widget_unparent);
  g_clear_pointer (&self->entries, g_ptr_array_unref);
  g_clear_object (&self->draft);
  g_clear_pointer (&self->shown, g_free);
  G_OBJECT_CLASS (assay_attachments_editor_parent_class)->dispose (object);
}

static void
assay_attachments_editor_class_init (AssayAttachmentsEditorClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = assay_attachments_editor_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BOX_LAYOUT);
}

static void
assay_attachments_editor_init (AssayAttachmentsEditor *self)
{
  GtkLayoutManager *layout = gtk_widget_get_layout_manager (GTK_WIDGET (self));
  gtk_orientable_set_orientation (GTK_ORIENTABLE (layout), GTK_ORIENTATION_VERTICAL);
  gtk_box_layout_set_spacing (GTK_BOX_LAYOUT (layout), 6);
  self->rows = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  self->buttons = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  gtk_widget_set_parent (self->rows, GTK_WIDGET (self));
  gtk_widget_set_parent (self->buttons, GTK_WIDGET (self));
  editor_add_button (self, _("Add a File…"), _("A LoRA adapter in one GGUF file"), G_CALLBACK (on_add_file));
  editor_add_button (self, _("Add a Folder…"), _("A PEFT adapter: adapter_config.json and its weights"),
                     G_CALLBACK (on_add_folder));
}

GtkWidget *
assay_attachments_editor_new (AssayDraft *draft)
{
  AssayAttachmentsEditor *self = g_object_new (ASSAY_TYPE_ATTACHMENTS_EDITOR, NULL);
  self->draft = g_object_ref (draft);
  g_signal_connect_object (draft, "changed", G_CALLBACK (editor_sync), self, G_CONNECT_SWAPPED);
  editor_sync (self);
  return GTK_WIDGET (self);
}
