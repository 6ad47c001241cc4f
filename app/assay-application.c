/* SPDX-License-Identifier: GPL-3.0-or-later */
/* app/assay-application.c: see the header. A second start hands its files to the first and raises its window, so that
 * one ledger is never edited by two windows of one person unknowingly. Two windows may still show one ledger: each takes
 * in what the other saves. */
#include "assay-application.h"

#include <glib-unix.h>
#include <glib/gi18n.h>
#include <signal.h>

#include "assay-dialogs.h"
#include "assay-disk-queue.h"
#include "assay-window.h"

struct _AssayApplication
{
  AdwApplication parent_instance;
  guint term_source, int_source; /* source ids */
};

G_DEFINE_FINAL_TYPE (AssayApplication, assay_application, ADW_TYPE_APPLICATION)

typedef struct
{
  const char *action;
  const char *keys[3];
} Accelerator;

static const Accelerator accelerators[] = {
  { "win.run", { "F5", NULL } },
  { "win.add-to-queue", { "<Shift>F5", NULL } },
  { "win.queue-run", { "<Control>F5", NULL } },
  { "win.new-trial", { "<Control>n", NULL } },
  { "win.plan-next", { "<Control>t", NULL } },
  { "win.new-ledger", { "<Control>l", NULL } },
  { "app.new-window", { "<Control><Shift>n", NULL } },
  { "win.undo", { "<Control>z", NULL } },
  { "win.redo", { "<Control><Shift>z", NULL } },
  { "win.rename-ledger", { "F2", NULL } },
  { "win.open", { "<Control>o", NULL } },
  { "win.search", { "<Control>f", NULL } },
  { "win.toggle-sidebar", { "F9", NULL } },
  { "win.menu", { "F10", NULL } },
  { "win.view::setup", { "<Alt>1", NULL } },
  { "win.view::run", { "<Alt>2", NULL } },
  { "win.view::review", { "<Alt>3", NULL } },
  { "win.view::compare", { "<Alt>4", NULL } },
  { "win.next-view", { "<Control>Page_Down", NULL } },
  { "win.previous-view", { "<Control>Page_Up", NULL } },
  { "win.show-help-overlay", { "<Control>question", "<Control>slash", NULL } },
  { "window.close", { "<Control>w", NULL } },
  { "app.help", { "F1", NULL } },
  { "app.preferences", { "<Control>comma", NULL } },
  { "app.quit", { "<Control>q", NULL } },
};

static GtkWidget *
application_find_window (AssayApplication *self)
{
  for (GList *l = gtk_application_get_windows (GTK_APPLICATION (self)); l != NULL; l = l->next)
    if (ASSAY_IS_WINDOW (l->data))
      return l->data;
  return NULL;
}

static void
assay_application_activate (GApplication *application)
{
  GtkWidget *window = application_find_window (ASSAY_APPLICATION (application));
  if (window == NULL)
    {
      window = assay_window_new (GTK_APPLICATION (application));
      assay_window_restore (ASSAY_WINDOW (window));
    }
  gtk_window_present (GTK_WINDOW (window));
}

/* A ledger that is open already is only shown; another one takes a window of its own, unless one is still on its first
 * page. Anything else, a model, is for the window in front. */
static GtkWidget *
application_pick_window (AssayApplication *self, GFile *file, gboolean is_first)
{
  g_autofree char *name = g_file_get_basename (file);
  const gboolean is_ledger = name != NULL && g_str_has_suffix (name, ".xml");
  GtkWidget *free_window = NULL;
  for (GList *l = gtk_application_get_windows (GTK_APPLICATION (self)); l != NULL; l = l->next)
    {
      if (!ASSAY_IS_WINDOW (l->data))
        continue;
      if (!is_ledger || assay_window_has_open (l->data, file))
        return l->data;
      if (is_first && free_window == NULL && assay_window_is_free (l->data))
        free_window = l->data;
    }
  return free_window != NULL ? free_window : assay_window_new (GTK_APPLICATION (self));
}

static void
assay_application_open (GApplication *application, GFile **files, int n_files, const char *hint)
{
  for (int i = 0; i < n_files; i++)
    {
      GtkWidget *window = application_pick_window (ASSAY_APPLICATION (application), files[i], i == 0);
      if (!assay_window_has_open (ASSAY_WINDOW (window), files[i]))
        assay_window_open_file (ASSAY_WINDOW (window), files[i]);
      gtk_window_present (GTK_WINDOW (window));
    }
}

static void
on_new_window (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  gtk_window_present (GTK_WINDOW (assay_window_new (GTK_APPLICATION (data))));
}

static void
on_quit (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  g_autoptr(GList) windows = g_list_copy (gtk_application_get_windows (GTK_APPLICATION (data)));
  for (GList *l = windows; l != NULL; l = l->next)
    gtk_window_close (GTK_WINDOW (l->data)); /* a run that goes on asks */
}

static void
on_preferences (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  assay_dialogs_show_preferences (gtk_application_get_active_window (GTK_APPLICATION (data)));
}

static void
on_about (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  assay_dialogs_show_about (gtk_application_get_active_window (GTK_APPLICATION (data)));
}

static void
on_help (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  GtkWindow *window = gtk_application_get_active_window (GTK_APPLICATION (data));
  assay_dialogs_show_help (data, ASSAY_IS_WINDOW (window) ? assay_window_get_help_topic (ASSAY_WINDOW (window)) : NULL);
}

/* From a notification, which may be older than the window it is about. */
static void
on_show_window (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  GtkWindow *window = gtk_application_get_window_by_id (GTK_APPLICATION (data), g_variant_get_uint32 (parameter));
  if (window != NULL)
    gtk_window_present (window);
  else
    g_application_activate (G_APPLICATION (data));
}

static const GActionEntry actions[] = {
  { .name = "quit", .activate = on_quit },
  { .name = "new-window", .activate = on_new_window },
  { .name = "preferences", .activate = on_preferences },
  { .name = "about", .activate = on_about },
  { .name = "help", .activate = on_help },
  { .name = "show-window", .activate = on_show_window, .parameter_type = "u" },
};

/* Logging out and ^C: the run is stopped and recorded, the ledger saved, then the program ends. */
static gboolean
on_ended_from_outside (gpointer data)
{
  g_autoptr(GList) windows = g_list_copy (gtk_application_get_windows (GTK_APPLICATION (data)));
  for (GList *l = windows; l != NULL; l = l->next)
    if (ASSAY_IS_WINDOW (l->data))
      assay_window_stop_and_close (l->data);
  return G_SOURCE_CONTINUE;
}

/* For tests: the direction comes with GTK's own translations, which may not be installed. */
static void
application_set_direction (void)
{
  const char *direction = g_getenv ("ASSAY_TEXT_DIRECTION");
  if (direction != NULL)
    gtk_widget_set_default_direction (g_str_equal (direction, "rtl") ? GTK_TEXT_DIR_RTL : GTK_TEXT_DIR_LTR);
}

static void
assay_application_startup (GApplication *application)
{
  AssayApplication *self = ASSAY_APPLICATION (application);
  G_APPLICATION_CLASS (assay_application_parent_class)->startup (application);
  application_set_direction ();
  g_action_map_add_action_entries (G_ACTION_MAP (self), actions, G_N_ELEMENTS (actions), self);
  for (guint i = 0; i < G_N_ELEMENTS (accelerators); i++)
    gtk_application_set_accels_for_action (GTK_APPLICATION (self), accelerators[i].action,
                                           (const char *const *) accelerators[i].keys);
  self->term_source = g_unix_signal_add (SIGTERM, on_ended_from_outside, self);
  self->int_source = g_unix_signal_add (SIGINT, on_ended_from_outside, self);
}

static void
assay_application_shutdown (GApplication *application)
{
  AssayApplication *self = ASSAY_APPLICATION (application);
  g_clear_handle_id (&self->term_source, g_source_remove);
  g_clear_handle_id (&self->int_source, g_source_remove);
  assay_disk_queue_drain ();
  G_APPLICATION_CLASS (assay_application_parent_class)->shutdown (application);
}

static void
assay_application_class_init (AssayApplicationClass *klass)
{
  GApplicationClass *application_class = G_APPLICATION_CLASS (klass);
  application_class->activate = assay_application_activate;
  application_class->open = assay_application_open;
  application_class->startup = assay_application_startup;
  application_class->shutdown = assay_application_shutdown;
}

static void
assay_application_init (AssayApplication *self)
{
}

AssayApplication *
assay_application_new (void)
{
  g_set_application_name (_("Assay"));
  gtk_window_set_default_icon_name (ASSAY_APPLICATION_ID);
  return g_object_new (ASSAY_TYPE_APPLICATION, "application-id", ASSAY_APPLICATION_ID, "flags",
                       G_APPLICATION_HANDLES_OPEN, "resource-base-path", "/io/github/assay/Assay", NULL);
}
