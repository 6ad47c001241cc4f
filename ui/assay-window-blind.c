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

void
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
