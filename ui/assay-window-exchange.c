/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-window-exchange.c: import and export. Reading and writing happen on other threads. */
#include "assay-window-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "assay-export.h"
#include "assay-report-pdf.h"
#include "assay-store.h"
#include "assay-write-out.h"

/* Whatever the command line exports, and the ledger itself. */
typedef struct
{
  const char *name;     /* the action's argument and, with a point before it, the name's ending */
  const char *title;
  const char *filter;
  gboolean is_ledger;
} ExportKind;

static const ExportKind export_kinds[] = {
  { "csv", N_("Export as CSV"), N_("CSV tables"), FALSE },
  { "json", N_("Export as JSON"), N_("JSON"), FALSE },
  { "md", N_("Export as Markdown"), N_("Markdown"), FALSE },
  { "kv", N_("Export as Plain Records"), N_("Plain records"), FALSE },
  { "pdf", N_("Save the Report"), N_("PDF documents"), FALSE },
  { "ledger.xml", N_("Save a Copy of the Ledger"), N_("Ledgers"), TRUE },
};

static const ExportKind *
export_find_kind (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (export_kinds); i++)
    if (g_str_equal (export_kinds[i].name, name))
      return &export_kinds[i];
  return NULL;
}

static gboolean
is_report (const ExportKind *kind)
{
  return g_str_equal (kind->name, "pdf");
}

typedef struct
{
  AssayLedger *ledger; /* a snapshot */
  const ExportKind *kind;
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

static gboolean
export_write (const Export *job, GError **error)
{
  AssayExportFormat format;
  if (job->kind->is_ledger)
    return assay_store_save (job->ledger, job->path, error);
  if (is_report (job->kind))
    return assay_report_pdf_write (job->ledger, NULL, job->path, error);
  if (!assay_export_format_from_name (job->kind->name, &format))
    g_return_val_if_reached (FALSE);
  g_autofree char *text = assay_export_ledger (job->ledger, NULL, format, error);
  return text != NULL && assay_write_out (job->path, text, strlen (text), error);
}

static void
export_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  GError *error = NULL;
  if (export_write (data, &error))
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
  AssayNotice *notice = assay_notice_new ("export", !done, message);
  g_autofree char *address = done && is_report (job->kind) ? g_filename_to_uri (job->path, NULL, NULL) : NULL;
  if (address != NULL)
    assay_notice_with_action (notice, C_("button", "Open"), "win.open-report", address);
  assay_notices_post (assay_session_get_notices (self->session), notice);
}

static void
window_export_to (AssayWindow *self, const char *path)
{
  AssayLedger *ledger = assay_session_get_ledger (self->session);
  if (ledger == NULL || self->export_kind == NULL)
    return;
  g_autofree char *ending = g_strconcat (".", self->export_kind, NULL);
  Export *job = g_new0 (Export, 1);
  job->ledger = assay_ledger_snapshot (ledger);
  job->kind = export_find_kind (self->export_kind);
  job->path = g_str_has_suffix (path, ending) ? g_strdup (path) : g_strconcat (path, ending, NULL);
  g_autoptr(GTask) task = g_task_new (self, NULL, export_cb, NULL);
  g_task_set_task_data (task, job, export_free);
  g_task_run_in_thread (task, export_thread);
}

/* "NAME.csv" after the ledger's own file. (transfer full) */
static char *
export_dup_name (AssayLedger *ledger, const ExportKind *kind)
{
  const char *path = assay_ledger_get_path (ledger);
  g_autofree char *base = path != NULL ? g_filename_display_basename (path) : g_strdup ("assay");
  if (g_str_has_suffix (base, ASSAY_LEDGER_SUFFIX))
    base[strlen (base) - strlen (ASSAY_LEDGER_SUFFIX)] = '\0';
  return g_strdup_printf ("%s.%s", base, kind->name);
}

static void
on_export (GtkWidget *widget, const char *name, GVariant *argument)
{
  AssayWindow *self = ASSAY_WINDOW (widget);
  AssayLedger *ledger = assay_session_get_ledger (self->session);
  const ExportKind *kind = export_find_kind (g_variant_get_string (argument, NULL));
  if (kind == NULL)
    return;
  if (ledger == NULL)
    {
      window_tell (self, "export", FALSE, _("Open a ledger to export it."));
      return;
    }
  g_autofree char *pattern = g_strconcat ("*.", kind->name, NULL);
  g_autofree char *proposed = export_dup_name (ledger, kind);
  self->export_kind = kind->name;
  GtkFileChooserNative *dialog =
    window_ask_file (self, _(kind->title), GTK_FILE_CHOOSER_ACTION_SAVE, _(kind->filter), pattern, window_export_to);
  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (dialog), proposed);
}

/* In whatever the desktop reads such documents with; where there is nothing, GTK says so. */
static void
on_open_report (GtkWidget *widget, const char *name, GVariant *argument)
{
  gtk_show_uri (GTK_WINDOW (widget), g_variant_get_string (argument, NULL), GDK_CURRENT_TIME);
}

static void
window_import_from (AssayWindow *self, const char *path)
{
  assay_session_import (self->session, path);
}

static void
on_import (GtkWidget *widget, const char *name, GVariant *argument)
{
  window_ask_file (ASSAY_WINDOW (widget), _("Import a Ledger or Plain Records"), GTK_FILE_CHOOSER_ACTION_OPEN,
                   _("Ledgers and plain records"), "*" ASSAY_LEDGER_SUFFIX " *.kv", window_import_from);
}

void
window_install_exchange_actions (GtkWidgetClass *widget_class)
{
  gtk_widget_class_install_action (widget_class, "win.import", NULL, on_import);
  gtk_widget_class_install_action (widget_class, "win.export", "s", on_export);
  gtk_widget_class_install_action (widget_class, "win.open-report", "s", on_open_report);
}
