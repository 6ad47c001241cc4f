/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/ui/drag-source.c: another program's window, from which files are dragged: drag-source FILE…
 *
 * A small window at the display's corner offers the files, as a file manager does. The pointer is moved by the test. */
#include <gtk/gtk.h>

static GdkContentProvider *
on_prepare (GtkDragSource *source, double x, double y, gpointer files)
{
  return gdk_content_provider_new_typed (GDK_TYPE_FILE_LIST, files);
}

static void
on_activate (GtkApplication *application, gpointer files)
{
  GtkWidget *window = gtk_application_window_new (application);
  GtkDragSource *source = gtk_drag_source_new ();
  gtk_window_set_title (GTK_WINDOW (window), "drag source");
  gtk_window_set_default_size (GTK_WINDOW (window), 160, 120);
  gtk_window_set_child (GTK_WINDOW (window), gtk_label_new ("drag me"));
  g_signal_connect (source, "prepare", G_CALLBACK (on_prepare), files);
  gtk_widget_add_controller (window, GTK_EVENT_CONTROLLER (source));
  gtk_window_present (GTK_WINDOW (window));
}

int
main (int argc, char **argv)
{
  GSList *list = NULL;
  for (int i = argc - 1; i > 0; i--)
    list = g_slist_prepend (list, g_file_new_for_path (argv[i]));
  GdkFileList *files = g_boxed_copy (GDK_TYPE_FILE_LIST, list);
  g_autoptr(GtkApplication) application = gtk_application_new (NULL, G_APPLICATION_NON_UNIQUE);
  g_signal_connect (application, "activate", G_CALLBACK (on_activate), files);
  const int status = g_application_run (G_APPLICATION (application), 1, argv);
  g_boxed_free (GDK_TYPE_FILE_LIST, files);
  g_slist_free_full (list, g_object_unref);
  return status;
}
