/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-window-state.c: what the next start finds again, the view and the ledger, and what follows from a
 * preference while the window is open. */
#include "assay-window-private.h"

static AssaySettings *
window_get_settings (AssayWindow *self)
{
  return assay_session_get_settings (self->session);
}

void
window_remember_view (AssayWindow *self)
{
  if (self->started)
    g_object_set (window_get_settings (self), "last-view",
                  adw_view_stack_get_visible_child_name (self->views), NULL);
}

const char *
assay_window_get_help_topic (AssayWindow *self)
{
  static const char *const topics[][2] = {
    { "setup", "first-trial" }, { "run", "chart" }, { "review", "gates" }, { "compare", "next-trial" } };
  g_return_val_if_fail (ASSAY_IS_WINDOW (self), NULL);
  const char *view = self->started ? adw_view_stack_get_visible_child_name (self->views) : NULL;
  for (guint i = 0; i < G_N_ELEMENTS (topics); i++)
    if (g_strcmp0 (view, topics[i][0]) == 0)
      return topics[i][1];
  return NULL;
}

/* A file's name need not be text; its address is. */
static void
window_remember_ledger (AssayWindow *self)
{
  AssayLedger *ledger = assay_session_get_ledger (self->session);
  const char *path = ledger != NULL ? assay_ledger_get_path (ledger) : NULL;
  g_autofree char *address = path != NULL ? g_filename_to_uri (path, NULL, NULL) : NULL;
  if (ledger != NULL)
    g_object_set (window_get_settings (self), "last-ledger", address != NULL ? address : "", NULL);
}

const char *
window_take_first_view (AssayWindow *self, const char *otherwise)
{
  const char *view = g_intern_string (self->first_view != NULL ? self->first_view : otherwise);
  g_clear_pointer (&self->first_view, g_free);
  return view;
}

static void
restore_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(AssayWindow) self = data;
  g_autoptr(GFileInfo) info = g_file_query_info_finish (G_FILE (source), result, NULL);
  if (info == NULL || self->session == NULL || assay_session_get_ledger (self->session) != NULL)
    return; /* it was moved or deleted, which is no error; or something else was opened meanwhile */
  const char *view = assay_settings_get_last_view (window_get_settings (self));
  const gboolean known = *view != '\0' && adw_view_stack_get_child_by_name (self->views, view) != NULL;
  g_free (self->first_view);
  self->first_view = known ? g_strdup (view) : NULL;
  assay_window_open_file (self, G_FILE (source));
}

void
assay_window_restore (AssayWindow *self)
{
  g_return_if_fail (ASSAY_IS_WINDOW (self));
  const char *address = assay_settings_get_last_ledger (window_get_settings (self));
  if (*address == '\0')
    return;
  g_autoptr(GFile) file = g_file_new_for_uri (address);
  g_file_query_info_async (file, G_FILE_ATTRIBUTE_STANDARD_TYPE, G_FILE_QUERY_INFO_NONE, G_PRIORITY_DEFAULT,
                           NULL, restore_cb, g_object_ref (self));
}

/* Words that hold sizes were made when they were shown: each part is told again what it shows. */
static void
window_renew_sizes (AssayWindow *self)
{
  GObject *parts[]
      = { G_OBJECT (self->run_view), G_OBJECT (self->compare_view), G_OBJECT (self->next_trial_bar) };
  AssayLedger *ledger = assay_session_get_ledger (self->session);
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      g_object_set (parts[i], "ledger", NULL, NULL);
      g_object_set (parts[i], "ledger", ledger, NULL);
    }
  g_object_set (self->run_view, "record", NULL, NULL);
  g_object_set (self->run_view, "record", assay_session_get_record (self->session), NULL);
  g_signal_emit_by_name (assay_session_get_draft (self->session), "changed");
  assay_library_sidebar_renew (self->sidebar);
}

/* In a narrow window the title stands where the views' names would, and may be cut. */
static void
window_refresh_title_tip (AssayWindow *self)
{
  const gboolean shown = adw_view_switcher_title_get_title_visible (self->switcher);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->switcher),
                               shown ? adw_view_switcher_title_get_title (self->switcher) : NULL);
}

/* ---- the library beside the views, or over them ---- */

/* What is remembered is whether the library stands beside the views; over them it comes only when it is called. */
static void
window_on_revealed (AssayWindow *self)
{
  if (self->session != NULL && !adw_flap_get_folded (self->flap))
    g_object_set (window_get_settings (self), "show-sidebar", adw_flap_get_reveal_flap (self->flap), NULL);
}

static void
window_on_folded (AssayWindow *self)
{
  gboolean beside = FALSE;
  g_object_get (window_get_settings (self), "show-sidebar", &beside, NULL);
  adw_flap_set_reveal_flap (self->flap, beside && !adw_flap_get_folded (self->flap));
}

/* What was chosen lies under the library where that has no room of its own. */
static void
window_on_chosen (AssayWindow *self)
{
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (self));
  const gboolean inside = focus != NULL && gtk_widget_is_ancestor (focus, GTK_WIDGET (self->sidebar));
  if (!adw_flap_get_folded (self->flap))
    return;
  adw_flap_set_reveal_flap (self->flap, FALSE);
  if (inside)
    gtk_widget_child_focus (GTK_WIDGET (self->pages), GTK_DIR_TAB_FORWARD);
}

void
window_watch_state (AssayWindow *self)
{
  window_on_folded (self);
  g_signal_connect_object (self->flap, "notify::folded", G_CALLBACK (window_on_folded), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->flap, "notify::reveal-flap", G_CALLBACK (window_on_revealed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->sidebar, "chosen", G_CALLBACK (window_on_chosen), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->switcher, "notify::title-visible", G_CALLBACK (window_refresh_title_tip), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->switcher, "notify::title", G_CALLBACK (window_refresh_title_tip), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->session, "notify::ledger", G_CALLBACK (window_remember_ledger), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (window_get_settings (self), "notify::decimal-sizes",
                           G_CALLBACK (window_renew_sizes), self, G_CONNECT_SWAPPED);
}
