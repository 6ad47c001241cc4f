/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-window-blind.c: what the window hides while answers are judged blind: the runs of the sidebar, the other views,
 * every action and every notice that could tell which run is looked at. They are hidden, not covered: a screen reader
 * finds no more than the eye. Whatever is added to the window later is off as well, unless it is named here. */
#include "assay-window-private.h"

static const char *const kept_actions[] = {
  "win.open", "win.open-ledger", "win.open-salvaged", "win.add-folder", "win.remove-folder", "win.search",
  "win.toggle-sidebar", "win.menu", "win.retry-save", "win.save-elsewhere", "win.leave-review", NULL };
static const char *const told_notices[] = { "save", "file", "open", "view", NULL };

static void
window_enable_actions (AssayWindow *self, gboolean enabled)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_GET_CLASS (self);
  const GVariantType *parameter;
  const char *name, *property;
  GType owner;
  for (guint i = 0; gtk_widget_class_query_action (widget_class, i, &owner, &name, &parameter, &property); i++)
    if (owner == ASSAY_TYPE_WINDOW && !g_strv_contains (kept_actions, name))
      gtk_widget_action_set_enabled (GTK_WIDGET (self), name, enabled);
}

static void
window_show_other_views (AssayWindow *self, gboolean shown)
{
  g_autoptr(GtkSelectionModel) pages = adw_view_stack_get_pages (self->views);
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (pages)); i++)
    {
      g_autoptr(AdwViewStackPage) page = g_list_model_get_item (G_LIST_MODEL (pages), i);
      if (g_str_equal (adw_view_stack_page_get_name (page), "review"))
        continue;
      adw_view_stack_page_set_visible (page, shown);
      gtk_widget_set_visible (adw_view_stack_page_get_child (page), shown); /* else a screen reader finds what it holds */
    }
  gtk_widget_set_visible (self->next_revealer, shown);
  gtk_widget_set_visible (self->queue_place, shown); /* what waits in it may have a run's settings */
}

gboolean
window_is_blind (AssayWindow *self)
{
  return assay_review_view_is_blind (self->review_view);
}

/* Other windows: one that has the same ledger would show its runs. It is not seen until the review is left; and none tells
 * by its marks what was just judged. */

static gboolean
window_shows_ledger_of (AssayWindow *self, AssayWindow *other)
{
  AssayLedger *ledger = assay_session_get_ledger (other->session);
  const char *path = ledger != NULL ? assay_ledger_get_path (ledger) : NULL;
  return path != NULL && assay_session_has_open (self->session, path);
}

static void
window_give_way (AssayWindow *self, AssayWindow *to)
{
  if (to == NULL && self->gave_way)
    gtk_widget_set_visible (GTK_WIDGET (self), TRUE);
  else if (to != NULL)
    {
      gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
      gtk_window_present (GTK_WINDOW (to));
    }
  self->gave_way = to != NULL;
}

/* (element-type AssayWindow): those that can show something */
static GList *
windows_list (void)
{
  GApplication *application = g_application_get_default (); /* a window that is closed has none any more */
  GList *list = NULL;
  for (GList *l = application != NULL ? gtk_application_get_windows (GTK_APPLICATION (application)) : NULL; l != NULL;
       l = l->next)
    if (ASSAY_IS_WINDOW (l->data) && ASSAY_WINDOW (l->data)->session != NULL)
      list = g_list_prepend (list, l->data);
  return list;
}

static void
windows_follow_blind (GList *windows, AssayWindow *leaving)
{
  for (GList *l = windows; l != NULL; l = l->next)
    {
      AssayWindow *self = l->data, *same = NULL;
      gboolean any = FALSE;
      for (GList *k = windows; k != NULL; k = k->next)
        if (k->data != leaving && window_is_blind (k->data))
          {
            any = TRUE;
            if (k->data != self && window_shows_ledger_of (self, k->data))
              same = k->data;
          }
      assay_library_sidebar_set_marks_hidden (self->sidebar, any);
      if (self != leaving)
        window_give_way (self, window_is_blind (self) ? NULL : same);
    }
}

static void
window_heed_blind (void)
{
  g_autoptr(GList) windows = windows_list ();
  windows_follow_blind (windows, NULL);
}

static void
on_unrealize (AssayWindow *self)
{
  g_autoptr(GList) windows = windows_list ();
  windows_follow_blind (windows, self);
}

static void
window_on_blind (AssayWindow *self)
{
  const gboolean blind = window_is_blind (self);
  if (blind)
    adw_view_stack_set_visible_child_name (self->views, "review");
  if (blind && self->toast != NULL)
    adw_toast_dismiss (self->toast);
  assay_library_sidebar_set_runs_hidden (self->sidebar, blind);
  assay_notice_bar_set_told (self->notices, blind ? told_notices : NULL);
  window_show_other_views (self, !blind);
  window_enable_actions (self, !blind);
  gtk_widget_set_visible (self->leave_button, blind);
  /* All that stands there is at the end by then: as much at the start, left empty, would make the window wider. */
  adw_header_bar_set_centering_policy (self->header_bar,
                                       blind ? ADW_CENTERING_POLICY_LOOSE : ADW_CENTERING_POLICY_STRICT);
  window_refresh_run (self);
  window_heed_blind ();
}

void
window_watch_blind (AssayWindow *self)
{
  g_signal_connect_object (self->review_view, "notify::blind", G_CALLBACK (window_on_blind), self, G_CONNECT_SWAPPED);
  g_signal_connect (self->session, "notify::ledger", G_CALLBACK (window_heed_blind), NULL);
  g_signal_connect (self, "map", G_CALLBACK (window_heed_blind), NULL);
  g_signal_connect (self, "unrealize", G_CALLBACK (on_unrealize), NULL);
}

static void
on_leave_review (GtkWidget *widget, const char *name, GVariant *argument)
{
  assay_review_view_leave_blind (ASSAY_WINDOW (widget)->review_view);
}

void
window_install_blind_actions (GtkWidgetClass *widget_class)
{
  gtk_widget_class_install_action (widget_class, "win.leave-review", NULL, on_leave_review);
}
