/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-memory-chart-save.c: asks where to, and has the file written on another thread. */
#include "assay-memory-chart-private.h"

#include <glib/gi18n-lib.h>

#include "assay-chart-export.h"

static void
export_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(AssayMemoryChart) self = data;
  g_autoptr(GError) error = NULL;

  if (assay_chart_export_finish (result, &error) || g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  g_autofree char *message = g_strdup_printf (_("The chart was not saved: %s"), error->message);
  g_signal_emit_by_name (self, "export-failed", message);
}

static void
on_save_response (GtkNativeDialog *dialog, int response, AssayMemoryChart *self)
{
  g_autoptr(GFile) file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
  AssayChartExport what = { .width = MAX (gtk_widget_get_width (GTK_WIDGET (self)), 640),
                            .height = MAX (gtk_widget_get_height (GTK_WIDGET (self)), 400),
                            .budget_bytes = self->budget_bytes,
                            .foretold_bytes = self->foretold_bytes,
                            .ram_budget_bytes = self->ram_budget_bytes,
                            .stated_peak = self->data->stated_peak };

  assay_chart_format_from_suffix (g_object_get_data (G_OBJECT (dialog), "suffix"), &what.format);
  assay_memory_chart_get_view (self, &what.from_ns, &what.to_ns);
  if (response == GTK_RESPONSE_ACCEPT && file != NULL && self->data->series != NULL)
    assay_chart_export_async (self->data->series, &what, file, self->cancellable, export_cb,
                              g_object_ref (self));
  g_object_unref (dialog);
}

void
assay_memory_chart_save (GtkWidget *widget, const char *action, GVariant *parameter)
{
  GtkRoot *root = gtk_widget_get_root (widget);
  GtkFileChooserNative *dialog
    = gtk_file_chooser_native_new (_("Save the Chart"), GTK_IS_WINDOW (root) ? GTK_WINDOW (root) : NULL,
                                   GTK_FILE_CHOOSER_ACTION_SAVE, _("_Save"), _("_Cancel"));
  const char *suffix = g_variant_get_string (parameter, NULL);
  /* Translators: the file name that is offered for a saved chart; the suffix follows */
  g_autofree char *name = g_strdup_printf ("%s.%s", _("memory"), suffix);

  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (dialog), name);
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  g_object_set_data_full (G_OBJECT (dialog), "suffix", g_strdup (suffix), g_free);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_save_response), widget, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}
