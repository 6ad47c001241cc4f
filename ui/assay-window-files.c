/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-window-files.c: choosing, opening and dropping files. What a file is, is found out on another thread; import
 * and export are in assay-window-exchange.c. */
#include "assay-window-private.h"

#include <glib/gi18n-lib.h>

#include "assay-dropped.h"
#include "assay-store.h"

void
window_tell (AssayWindow *self, const char *id, gboolean is_error, const char *message)
{
  assay_notices_post (assay_session_get_notices (self->session), assay_notice_new (id, is_error, message));
}

static void
on_response (GtkNativeDialog *dialog, int response, gpointer data)
{
  g_autoptr(AssayWindow) self = data;
  WindowPathFunc then = (WindowPathFunc) g_object_get_data (G_OBJECT (dialog), "then");
  g_autoptr(GFile) file = NULL;
  if (response == GTK_RESPONSE_ACCEPT)
    file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
  g_autofree char *path = file != NULL ? g_file_get_path (file) : NULL;
  if (path != NULL && self->session != NULL)
    then (self, path);
  else if (file != NULL && self->session != NULL)
    window_tell (self, "file", TRUE, _("Only files of this machine can be used."));
  g_object_unref (dialog);
}

GtkFileChooserNative *
window_ask_file (AssayWindow *self, const char *title, GtkFileChooserAction action, const char *filter_name,
                 const char *pattern, WindowPathFunc then)
{
  const gboolean save = action == GTK_FILE_CHOOSER_ACTION_SAVE;
  GtkFileChooserNative *dialog =
    gtk_file_chooser_native_new (title, GTK_WINDOW (self), action, save ? _("_Save") : _("_Open"), NULL);
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  g_object_set_data (G_OBJECT (dialog), "then", (gpointer) then);
  g_signal_connect (dialog, "response", G_CALLBACK (on_response), g_object_ref (self));
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
  if (pattern == NULL)
    return dialog;
  g_autoptr(GtkFileFilter) filter = gtk_file_filter_new ();
  gtk_file_filter_set_name (filter, filter_name);
  g_auto(GStrv) patterns = g_strsplit (pattern, " ", 0);
  for (guint i = 0; patterns[i] != NULL; i++)
    gtk_file_filter_add_pattern (filter, patterns[i]);
  gtk_file_chooser_add_filter (GTK_FILE_CHOOSER (dialog), filter);
  g_autoptr(GtkFileFilter) all = gtk_file_filter_new ();
  gtk_file_filter_set_name (all, _("All files"));
  gtk_file_filter_add_pattern (all, "*");
  gtk_file_chooser_add_filter (GTK_FILE_CHOOSER (dialog), all);
  return dialog;
}

static void
window_open_path (AssayWindow *self, const char *path)
{
  self->started = FALSE; /* the ledger decides which view comes first */
  assay_session_open (self->session, path);
}

static void
on_open (GtkWidget *widget, const char *name, GVariant *argument)
{
  window_ask_file (ASSAY_WINDOW (widget), _("Open a Ledger"), GTK_FILE_CHOOSER_ACTION_OPEN, _("Ledgers"),
                   "*" ASSAY_LEDGER_SUFFIX, window_open_path);
}

static void
window_choose_model (AssayWindow *self, const char *path)
{
  window_show_view (self, "setup");
  assay_session_choose_model (self->session, path);
}

static void
on_choose_model_file (GtkWidget *widget, const char *name, GVariant *argument)
{
  window_ask_file (ASSAY_WINDOW (widget), _("Choose a Model File"), GTK_FILE_CHOOSER_ACTION_OPEN, _("Models"),
                   "*.gguf *.safetensors *.safetensors.index.json", window_choose_model);
}

static void
window_save_to (AssayWindow *self, const char *path)
{
  g_autofree char *full =
    g_str_has_suffix (path, ".xml") ? g_strdup (path) : g_strconcat (path, ASSAY_LEDGER_SUFFIX, NULL);
  assay_session_save_elsewhere (self->session, full);
}

void
window_save_elsewhere (AssayWindow *self)
{
  GtkFileChooserNative *dialog = window_ask_file (self, _("Save the Ledger Elsewhere"), GTK_FILE_CHOOSER_ACTION_SAVE,
                                                  _("Ledgers"), "*" ASSAY_LEDGER_SUFFIX, window_save_to);
  AssayLedger *ledger = assay_session_get_ledger (self->session);
  const char *path = ledger != NULL ? assay_ledger_get_path (ledger) : NULL;
  if (path == NULL)
    return;
  g_autofree char *base = g_path_get_basename (path);
  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (dialog), base);
}

static void
on_save_elsewhere (GtkWidget *widget, const char *name, GVariant *argument)
{
  window_save_elsewhere (ASSAY_WINDOW (widget));
}

static void
on_open_ledger (GtkWidget *widget, const char *name, GVariant *argument)
{
  window_open_path (ASSAY_WINDOW (widget), g_variant_get_bytestring (argument));
}

static void
on_choose_unverified_model (GtkWidget *widget, const char *name, GVariant *argument)
{
  assay_session_choose_unverified_model (ASSAY_WINDOW (widget)->session, g_variant_get_bytestring (argument));
}

static void
on_open_salvaged (GtkWidget *widget, const char *name, GVariant *argument)
{
  assay_session_open_salvaged (ASSAY_WINDOW (widget)->session, g_variant_get_bytestring (argument));
}

static void
window_add_folder (AssayWindow *self, const char *path)
{
  assay_settings_show_library_folder (assay_session_get_settings (self->session), path, TRUE);
}

static void
on_add_folder (GtkWidget *widget, const char *name, GVariant *argument)
{
  window_ask_file (ASSAY_WINDOW (widget), _("Show Another Folder of Ledgers"), GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER,
                   NULL, NULL, window_add_folder);
}

static void
on_remove_folder (GtkWidget *widget, const char *name, GVariant *argument)
{
  AssayWindow *self = ASSAY_WINDOW (widget);
  assay_settings_show_library_folder (assay_session_get_settings (self->session), g_variant_get_bytestring (argument),
                                      FALSE);
}

void
window_install_file_actions (GtkWidgetClass *widget_class)
{
  gtk_widget_class_install_action (widget_class, "win.open", NULL, on_open);
  gtk_widget_class_install_action (widget_class, "win.open-ledger", "ay", on_open_ledger);
  gtk_widget_class_install_action (widget_class, "win.open-salvaged", "ay", on_open_salvaged);
  gtk_widget_class_install_action (widget_class, "win.choose-unverified-model", "ay", on_choose_unverified_model);
  gtk_widget_class_install_action (widget_class, "win.choose-model-file", NULL, on_choose_model_file);
  gtk_widget_class_install_action (widget_class, "win.save-elsewhere", NULL, on_save_elsewhere);
  gtk_widget_class_install_action (widget_class, "win.add-folder", NULL, on_add_folder);
  gtk_widget_class_install_action (widget_class, "win.remove-folder", "ay", on_remove_folder);
}

static void
window_open_beside (AssayWindow *self, const char *path)
{
  GtkWidget *other = assay_window_new (gtk_window_get_application (GTK_WINDOW (self)));
  window_open_path (ASSAY_WINDOW (other), path);
  gtk_window_present (GTK_WINDOW (other));
}

/* What cannot be used is named, with what could be. */
static void
window_refuse_files (AssayWindow *self, GPtrArray *refused)
{
  if (refused->len == 0)
    return;
  g_autofree char *name = g_filename_display_basename (g_ptr_array_index (refused, 0));
  g_autofree char *message = g_strdup_printf (
    ngettext ("“%s” is no ledger and no model, and was left alone. A ledger’s name ends in .ledger.xml; a model is a .gguf "
              "or .safetensors file, or a folder with config.json.",
              "“%s” and %u more are no ledgers and no models, and were left alone. A ledger’s name ends in .ledger.xml; a "
              "model is a .gguf or .safetensors file, or a folder with config.json.", refused->len),
    name, refused->len - 1);
  window_tell (self, "file", TRUE, message);
}

static void
window_take_model (AssayWindow *self, const AssayDropped *dropped)
{
  if (dropped->models->len == 0)
    return;
  const char *path = g_ptr_array_index (dropped->models, 0);
  g_autofree char *name = g_filename_display_basename (path);
  g_autofree char *message = NULL;
  if (dropped->ledgers->len > 0)
    message = g_strdup_printf (_("A ledger came with it, so the model “%s” was not taken: drop it alone."), name);
  else if (dropped->models->len > 1)
    message = g_strdup_printf (_("A trial has one model: “%s” was taken, the others were not."), name);
  if (message != NULL)
    window_tell (self, "file", FALSE, message);
  if (dropped->ledgers->len == 0)
    window_choose_model (self, path);
}

static void
window_take_dropped (AssayWindow *self, const AssayDropped *dropped)
{
  for (guint i = 0; i < dropped->ledgers->len; i++)
    if (i == 0)
      window_open_path (self, g_ptr_array_index (dropped->ledgers, i));
    else
      window_open_beside (self, g_ptr_array_index (dropped->ledgers, i));
  for (guint i = 0; i < dropped->folders->len; i++)
    window_add_folder (self, g_ptr_array_index (dropped->folders, i));
  for (guint i = 0; i < dropped->records->len; i++)
    assay_session_import (self->session, g_ptr_array_index (dropped->records, i));
  window_take_model (self, dropped);
  window_refuse_files (self, dropped->refused);
}

static void
sorted_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(AssayWindow) self = data;
  g_autoptr(AssayDropped) dropped = assay_dropped_sort_finish (result);
  if (self->session != NULL)
    window_take_dropped (self, dropped);
}

/* (element-type GFile) */
static void
window_open_files (AssayWindow *self, GSList *files)
{
  g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
  for (GSList *l = files; l != NULL; l = l->next)
    {
      char *path = g_file_get_path (l->data);
      if (path != NULL)
        g_ptr_array_add (paths, path);
      else
        window_tell (self, "file", TRUE, _("Only files of this machine can be used."));
    }
  if (paths->len > 0)
    assay_dropped_sort_async (paths, sorted_cb, g_object_ref (self));
}

void
assay_window_open_file (AssayWindow *self, GFile *file)
{
  g_return_if_fail (ASSAY_IS_WINDOW (self) && G_IS_FILE (file));
  GSList one = { .data = file };
  window_open_files (self, &one);
}

gboolean
assay_window_has_open (AssayWindow *self, GFile *file)
{
  g_return_val_if_fail (ASSAY_IS_WINDOW (self) && G_IS_FILE (file), FALSE);
  g_autofree char *path = g_file_get_path (file);
  return path != NULL && self->session != NULL && assay_session_has_open (self->session, path);
}

gboolean
assay_window_is_free (AssayWindow *self)
{
  g_return_val_if_fail (ASSAY_IS_WINDOW (self), FALSE);
  return self->session != NULL && !self->started && !assay_session_is_running (self->session);
}

static gboolean
on_drop (AssayWindow *self, const GValue *value)
{
  GSList *files = g_value_get_boxed (value);
  window_open_files (self, files);
  return files != NULL;
}

void
window_accept_drops (AssayWindow *self)
{
  GtkDropTarget *target = gtk_drop_target_new (GDK_TYPE_FILE_LIST, GDK_ACTION_COPY);
  g_signal_connect_object (target, "drop", G_CALLBACK (on_drop), self, G_CONNECT_SWAPPED);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (target));
}
