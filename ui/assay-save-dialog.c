/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-save-dialog.h"

#include <glib/gi18n-lib.h>

#include "assay-display-text.h"

static void
tell_saved (GtkWidget *view, GFile *file)
{
  g_autofree char *name = g_file_get_parse_name (file);
  g_autofree char *shown = assay_display_line (name, 200);
  g_autofree char *message = g_strdup_printf (_("Saved to %s"), shown);

  if (g_signal_lookup ("saved", G_OBJECT_TYPE (view)) != 0)
    g_signal_emit_by_name (view, "saved", message);
}

static void
saved_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(GtkWidget) view = data;
  g_autoptr(GError) error = NULL;

  if (g_file_replace_contents_finish (G_FILE (source), result, NULL, &error))
    {
      tell_saved (view, G_FILE (source));
      return;
    }
  g_autofree char *message = g_strdup_printf (_("Not saved: %s"), error->message);
  g_signal_emit_by_name (view, "problem", message);
}

static void
on_response (GtkNativeDialog *dialog, int response, GtkWidget *view)
{
  g_autoptr(GFile) file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
  GBytes *bytes = g_object_get_data (G_OBJECT (dialog), "bytes");

  if (response == GTK_RESPONSE_ACCEPT && file != NULL)
    g_file_replace_contents_bytes_async (file, bytes, NULL, FALSE, G_FILE_CREATE_NONE, NULL, saved_cb,
                                         g_object_ref (view));
  g_object_unref (dialog);
}

void
assay_save_dialog_run (GtkWidget *view, const char *title, const char *name, GBytes *bytes)
{
  g_return_if_fail (GTK_IS_WIDGET (view) && bytes != NULL);
  GtkRoot *root = gtk_widget_get_root (view);
  GtkFileChooserNative *dialog
    = gtk_file_chooser_native_new (title, GTK_IS_WINDOW (root) ? GTK_WINDOW (root) : NULL,
                                   GTK_FILE_CHOOSER_ACTION_SAVE, _("_Save"), _("_Cancel"));

  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (dialog), name);
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  g_object_set_data_full (G_OBJECT (dialog), "bytes", g_bytes_ref (bytes), (GDestroyNotify) g_bytes_unref);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_response), view, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}
