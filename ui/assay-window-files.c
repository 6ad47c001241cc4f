/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-window-files.c: choosing, dropping, importing and exporting files. Reading and writing happen on other
 * threads. */
#include "assay-window-private.h"

#include <glib/gi18n-lib.h>

#include "assay-export.h"
#include "assay-store.h"

typedef void (*PathFunc) (AssayWindow *self, const char *path);

static void
window_tell (AssayWindow *self, const char *id, gboolean is_error, const char *message)
{
  assay_notices_post (assay_session_get_notices (self->session), assay_notice_new (id, is_error, message));
}

static void
on_response (GtkNativeDialog *dialog, int response, gpointer data)
{
  g_autoptr(AssayWindow) self = data;
  PathFunc then = (PathFunc) g_object_get_data (G_OBJECT (dialog), "then");
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

static GtkFileChooserNative *
window_ask_file (AssayWindow *self, const char *title, GtkFileChooserAction action, const char *filter_name,
                 const char *pattern, PathFunc then) /* pattern: some, ' ' between */
{
  const gboolean save = action == GTK_FILE_CHOOSER_ACTION_SAVE;
  GtkFileChooserNative *dialog =
    gtk_file_chooser_native_new (title, GTK_WINDOW (self), action, save ? _("_Save") : _("_Open"), NULL);
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
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  g_object_set_data (G_OBJECT (dialog), "then", (gpointer) then);
  g_signal_connect (dialog, "response", G_CALLBACK (on_response), g_object_ref (self));
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
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

/* Export: the ending of the name chooses the format. */
typedef struct
{
  AssayLedger *ledger; /* a snapshot */
  AssayExportFormat format;
  char *path;
} Export;

static void
export_free (gpointer data)
{
  Export *job = data;
  g_object_unref (job->ledger);
  g_free (job->path);
  g_free (job);
}

static void
export_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Export *job = data;
  GError *error = NULL;
  g_autofree char *text = assay_export_ledger (job->ledger, NULL, job->format, &error);
  if (text != NULL && g_file_set_contents (job->path, text, -1, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

static void
export_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  AssayWindow *self = ASSAY_WINDOW (source);
  g_autoptr(GError) error = NULL;
  const Export *job = g_task_get_task_data (G_TASK (result));
  g_autofree char *name = g_filename_display_name (job->path);
  const gboolean done = g_task_propagate_boolean (G_TASK (result), &error);
  if (self->session == NULL)
    return;
  g_autofree char *message = done ? g_strdup_printf (_("Exported to %s"), name)
                                  : g_strdup_printf (_("Nothing was exported: %s"), error->message);
  window_tell (self, "export", !done, message);
}

static void
window_export_to (AssayWindow *self, const char *path)
{
  AssayLedger *ledger = assay_session_get_ledger (self->session);
  const char *dot = strrchr (path, '.');
  AssayExportFormat format;
  if (ledger == NULL)
    return;
  if (dot == NULL || !assay_export_format_from_name (dot + 1, &format))
    {
      window_tell (self, "export", TRUE, _("The name's ending chooses the format: .csv, .json, .md or .kv"));
      return;
    }
  Export *job = g_new0 (Export, 1);
  job->ledger = assay_ledger_snapshot (ledger);
  job->format = format;
  job->path = g_strdup (path);
  g_autoptr(GTask) task = g_task_new (self, NULL, export_cb, NULL);
  g_task_set_task_data (task, job, export_free);
  g_task_run_in_thread (task, export_thread);
}

static void
on_export (GtkWidget *widget, const char *name, GVariant *argument)
{
  AssayWindow *self = ASSAY_WINDOW (widget);
  AssayLedger *ledger = assay_session_get_ledger (self->session);
  if (ledger == NULL)
    {
      window_tell (self, "export", FALSE, _("Open a ledger to export it."));
      return;
    }
  GtkFileChooserNative *dialog = window_ask_file (self, _("Export as CSV, JSON, Markdown or Key-Value"),
                                                  GTK_FILE_CHOOSER_ACTION_SAVE, _("CSV tables"), "*.csv",
                                                  window_export_to);
  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (dialog), "assay.csv");
}

static void
import_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  GError *error = NULL;
  g_autofree char *text = NULL;
  g_autofree char *name = g_filename_display_basename (data);
  gsize length;
  GPtrArray *records = NULL;
  if (g_file_get_contents (data, &text, &length, &error))
    records = assay_import_key_value (text, (gssize) length, name, &error);
  if (records != NULL)
    g_task_return_pointer (task, records, (GDestroyNotify) g_ptr_array_unref);
  else
    g_task_return_error (task, error);
}

static void
import_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  AssayWindow *self = ASSAY_WINDOW (source);
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) records = g_task_propagate_pointer (G_TASK (result), &error);
  AssayLedger *ledger = self->session != NULL ? assay_session_get_ledger (self->session) : NULL;
  if (ledger == NULL)
    return;
  if (records == NULL)
    {
      g_autofree char *message = g_strdup_printf (_("Nothing was imported: %s"), error->message);
      window_tell (self, "import", TRUE, message);
      return;
    }
  guint n = 0;
  for (guint i = 0; i < records->len; i++)
    {
      AssayRecord *record = g_ptr_array_index (records, i);
      if (assay_ledger_find_run (ledger, assay_record_get_id (record)) != NULL)
        continue;
      assay_record_seal (record);
      assay_ledger_add_run (ledger, record);
      n++;
    }
  g_autofree char *message = g_strdup_printf (ngettext ("%u run was imported.", "%u runs were imported.", n), n);
  window_tell (self, "import", FALSE, message);
}

static void
window_import_from (AssayWindow *self, const char *path)
{
  g_autoptr(GTask) task = g_task_new (self, NULL, import_cb, NULL);
  g_task_set_task_data (task, g_strdup (path), g_free);
  g_task_run_in_thread (task, import_thread);
}

static void
on_import (GtkWidget *widget, const char *name, GVariant *argument)
{
  AssayWindow *self = ASSAY_WINDOW (widget);
  AssayLedger *ledger = assay_session_get_ledger (self->session);
  if (ledger == NULL || assay_ledger_is_read_only (ledger))
    window_tell (self, "import", FALSE, _("Open a ledger that can be written, to import runs into it."));
  else
    window_ask_file (self, _("Import Plain Records"), GTK_FILE_CHOOSER_ACTION_OPEN, _("Plain records"), "*.kv",
                     window_import_from);
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
  gtk_widget_class_install_action (widget_class, "win.import", NULL, on_import);
  gtk_widget_class_install_action (widget_class, "win.export", NULL, on_export);
}

void
assay_window_open_file (AssayWindow *self, GFile *file)
{
  g_return_if_fail (ASSAY_IS_WINDOW (self) && G_IS_FILE (file));
  g_autofree char *path = g_file_get_path (file);
  if (path == NULL)
    window_tell (self, "file", TRUE, _("Only files of this machine can be used."));
  else if (g_str_has_suffix (path, ".xml"))
    window_open_path (self, path);
  else /* a file or a folder: inspecting says what it is, off this thread */
    window_choose_model (self, path);
}

static gboolean
on_drop (AssayWindow *self, const GValue *value)
{
  GSList *files = g_value_get_boxed (value);
  if (files == NULL)
    return FALSE;
  if (files->next != NULL)
    window_tell (self, "file", FALSE, _("One file at a time: the first one was taken."));
  assay_window_open_file (self, files->data);
  return TRUE;
}

void
window_accept_drops (AssayWindow *self)
{
  GtkDropTarget *target = gtk_drop_target_new (GDK_TYPE_FILE_LIST, GDK_ACTION_COPY);
  g_signal_connect_object (target, "drop", G_CALLBACK (on_drop), self, G_CONNECT_SWAPPED);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (target));
}
