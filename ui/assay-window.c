/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-window.c: see the header. The window joins widgets to the session and does nothing itself; files are in
 * assay-window-files.c, leaving is in assay-window-close.c. */
#include "assay-window-private.h"

#include <glib/gi18n-lib.h>

#include "assay-advice.h"

G_DEFINE_FINAL_TYPE (AssayWindow, assay_window, ADW_TYPE_APPLICATION_WINDOW)

static const char *const view_names[] = { "setup", "run", "review", "compare" };

static void
window_refresh_page (AssayWindow *self)
{
  gtk_stack_set_visible_child_name (self->pages, self->started ? "ledger" : "start");
  adw_view_switcher_title_set_view_switcher_enabled (self->switcher, self->started);
  gtk_widget_set_visible (self->switcher_bar, self->started);
}

/* A plan belongs to a run that has ended, and stands beside what the run was: elsewhere it would cover the view. */
static void
window_refresh_next_trial (AssayWindow *self)
{
  const char *view = adw_view_stack_get_visible_child_name (self->views);
  if (assay_session_get_record (self->session) == NULL || g_strcmp0 (view, "run") != 0)
    gtk_revealer_set_reveal_child (GTK_REVEALER (self->next_revealer), FALSE);
}

/* In a low window the views scroll together, as high as the highest: each begins at its top. */
static void
window_on_view_changed (AssayWindow *self)
{
  GtkWidget *scroller = gtk_widget_get_ancestor (GTK_WIDGET (self->views), GTK_TYPE_SCROLLED_WINDOW);
  gtk_adjustment_set_value (gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (scroller)), 0);
  assay_notices_dismiss (assay_session_get_notices (self->session), "run");
  window_refresh_next_trial (self);
  window_remember_view (self);
}

void
window_show_view (AssayWindow *self, const char *name)
{
  if (window_is_blind (self)) /* the others would tell; they come back with "Leave Review" */
    return;
  self->started = TRUE;
  window_refresh_page (self);
  adw_view_stack_set_visible_child_name (self->views, name);
  if (g_str_equal (name, "setup"))
    assay_setup_view_show_open_field (self->setup_view);
}

static void
window_refresh_title (AssayWindow *self)
{
  AssayLedger *ledger = assay_session_get_ledger (self->session);
  const char *title = ledger != NULL ? assay_ledger_get_title (ledger) : NULL;
  g_autofree char *full = title != NULL ? g_strdup_printf (_("%s — Assay"), title) : g_strdup (_("Assay"));
  gtk_window_set_title (GTK_WINDOW (self), full);
  adw_view_switcher_title_set_title (self->switcher, title != NULL ? title : _("Assay"));
  if (ledger != NULL && !self->started)
    window_show_view (self, window_take_first_view (self, assay_ledger_get_n_runs (ledger) > 0 ? "run" : "setup"));
}

void
window_refresh_run (AssayWindow *self)
{
  const gboolean running = assay_session_is_running (self->session);
  const char *problem = assay_draft_get_problem (assay_session_get_draft (self->session));
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (self));
  const gboolean pressed = focus != NULL && (focus == self->run_button || focus == self->stop_button);
  gtk_widget_set_visible (self->run_button, !running && !window_is_blind (self));
  gtk_widget_set_visible (self->queue_button, !window_is_blind (self));
  gtk_widget_set_visible (self->trial_buttons, !window_is_blind (self));
  gtk_widget_set_visible (self->stop_button, running);
  if (pressed) /* or else it would move to whatever comes first in the window */
    gtk_widget_grab_focus (running ? self->stop_button : GTK_WIDGET (self->run_view));
  /* Pressed all the same it says what is missing, where that stands: an insensitive one would swallow the question. */
  if (problem == NULL)
    gtk_widget_add_css_class (self->run_button, "suggested-action");
  else
    gtk_widget_remove_css_class (self->run_button, "suggested-action");
  gtk_widget_set_tooltip_text (self->run_button, problem != NULL ? problem : _("Run the trial (F5)"));
  if (running || problem == NULL)
    assay_notices_dismiss (assay_session_get_notices (self->session), "run");
}

static void
window_on_running (AssayWindow *self)
{
  window_refresh_run (self);
  gtk_revealer_set_reveal_child (GTK_REVEALER (self->next_revealer), FALSE);
  if (assay_session_is_running (self->session))
    window_show_view (self, "run");
}

static gboolean
window_plan_has_focus (AssayWindow *self)
{
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (self));
  return focus != NULL && gtk_widget_is_ancestor (focus, self->next_revealer);
}

static void
on_plan_mapped (AssayWindow *self)
{
  gtk_widget_grab_focus (GTK_WIDGET (self->next_trial_bar));
}

static void
window_plan_next (AssayWindow *self)
{
  if (assay_session_get_record (self->session) == NULL)
    return;
  window_show_view (self, "run");
  if (!window_plan_has_focus (self))
    g_set_weak_pointer (&self->plan_opener, gtk_window_get_focus (GTK_WINDOW (self)));
  gtk_revealer_set_reveal_child (GTK_REVEALER (self->next_revealer), TRUE);
  on_plan_mapped (self); /* if it is up already */
}

/* The focus may have scrolled it while it had no height. */
static void
on_plan_revealed (AssayWindow *self)
{
  assay_next_trial_bar_show_top (self->next_trial_bar);
}

/* The focus goes back to where it was, when it is still to be seen. */
static void
on_plan_closed (AssayWindow *self)
{
  const gboolean mapped = self->plan_opener != NULL && gtk_widget_get_mapped (self->plan_opener);
  if (window_plan_has_focus (self))
    gtk_widget_grab_focus (mapped ? self->plan_opener : GTK_WIDGET (self->run_view));
  gtk_revealer_set_reveal_child (GTK_REVEALER (self->next_revealer), FALSE);
}

/* 'Save and next': the next run that this person has not reviewed; when there is none, what was saved stays in sight. */
static void
on_review_next (AssayWindow *self, AssayRecord *next)
{
  if (next != NULL)
    assay_session_select (self->session, next);
}

static void
on_compare_activated (AssayWindow *self, AssayRecord *record)
{
  assay_session_select (self->session, record);
  window_show_view (self, "run");
}

/* From the sidebar the view stays, unless it cannot show a run. */
static void
on_sidebar_activated (AssayWindow *self)
{
  const char *view = adw_view_stack_get_visible_child_name (self->views);
  if (g_strcmp0 (view, "review") != 0 || assay_session_get_record (self->session) == NULL)
    window_show_view (self, "run");
}

static void
on_trial_planned (AssayWindow *self, const char *run_id, const char *field, const char *to)
{
  assay_session_plan (self->session, run_id, field, to);
  window_show_view (self, "setup");
  if (to == NULL && assay_draft_is_from_file (assay_field_from_name (field)))
    assay_setup_view_choose_model (self->setup_view);
}

static void
on_review_wanted (AssayWindow *self)
{
  on_plan_closed (self);
  window_show_view (self, "review");
}

static void
on_view_problem (AssayWindow *self, const char *message)
{
  assay_notices_post (assay_session_get_notices (self->session), assay_notice_new ("view", TRUE, message));
}

static void
on_view_saved (AssayWindow *self, const char *message)
{
  g_signal_emit_by_name (self->session, "happened", message, NULL, NULL, NULL);
}

static gboolean
window_shows_what_runs (AssayWindow *self)
{
  const char *view = adw_view_stack_get_visible_child_name (self->views);
  return g_strcmp0 (view, "review") != 0 && g_strcmp0 (view, "compare") != 0;
}

/* What keeps the trial from running is told where the person is; what stands on another page is shown before it runs. */
static void
on_run_clicked (AssayWindow *self)
{
  GListStore *notices = assay_session_get_notices (self->session);
  const char *problem = assay_draft_get_problem (assay_session_get_draft (self->session));
  const gboolean shown = window_shows_what_runs (self);
  if (problem == NULL && shown)
    {
      assay_session_start (self->session);
      return;
    }
  g_autofree char *why = problem != NULL
                           ? g_strdup_printf (_("This trial cannot run yet. %s"), problem)
                           : g_strdup (_("This is the trial that is set up. Press Run again to start it."));
  window_show_view (self, "setup");
  assay_notices_post (notices, assay_notice_new ("run", problem != NULL, why));
}

static void
on_stop_clicked (AssayWindow *self)
{
  assay_session_stop (self->session);
}

static void
on_run (GtkWidget *widget, const char *name, GVariant *argument)
{
  AssayWindow *self = ASSAY_WINDOW (widget);
  if (!assay_session_is_running (self->session))
    on_run_clicked (self);
}

static void
on_new_trial (GtkWidget *widget, const char *name, GVariant *argument)
{
  AssayWindow *self = ASSAY_WINDOW (widget);
  assay_session_new_trial (self->session);
  window_show_view (self, "setup");
}

static void
on_continue_run (GtkWidget *widget, const char *name, GVariant *argument)
{
  AssayWindow *self = ASSAY_WINDOW (widget);
  assay_session_continue_run (self->session);
  window_show_view (self, "setup");
}

static void
on_new_baseline (GtkWidget *widget, const char *name, GVariant *argument)
{
  AssayWindow *self = ASSAY_WINDOW (widget);
  assay_session_copy_run (self->session);
  window_show_view (self, "setup");
}

static void
on_new_ledger (GtkWidget *widget, const char *name, GVariant *argument)
{
  AssayWindow *self = ASSAY_WINDOW (widget);
  assay_session_close_ledger (self->session);
  window_show_view (self, "setup");
}

static void
on_try_sample (GtkWidget *widget, const char *name, GVariant *argument)
{
  assay_session_try_sample (ASSAY_WINDOW (widget)->session);
}

static void
on_choose_model (GtkWidget *widget, const char *name, GVariant *argument)
{
  AssayWindow *self = ASSAY_WINDOW (widget);
  window_show_view (self, "setup");
  assay_setup_view_choose_model (self->setup_view);
}

static void
on_plan_next (GtkWidget *widget, const char *name, GVariant *argument)
{
  window_plan_next (ASSAY_WINDOW (widget));
}

static void
on_search (GtkWidget *widget, const char *name, GVariant *argument)
{
  AssayWindow *self = ASSAY_WINDOW (widget);
  adw_flap_set_reveal_flap (self->flap, TRUE);
  assay_library_sidebar_focus_search (self->sidebar);
}

static void
on_toggle_sidebar (GtkWidget *widget, const char *name, GVariant *argument)
{
  AssayWindow *self = ASSAY_WINDOW (widget);
  adw_flap_set_reveal_flap (self->flap, !adw_flap_get_reveal_flap (self->flap));
}

static void
on_menu (GtkWidget *widget, const char *name, GVariant *argument)
{
  gtk_menu_button_popup (GTK_MENU_BUTTON (ASSAY_WINDOW (widget)->menu_button));
}

static void
on_view (GtkWidget *widget, const char *name, GVariant *argument)
{
  window_show_view (ASSAY_WINDOW (widget), g_variant_get_string (argument, NULL));
}

static void
window_step_view (AssayWindow *self, guint step)
{
  const char *view = adw_view_stack_get_visible_child_name (self->views);
  for (guint i = 0; i < G_N_ELEMENTS (view_names); i++)
    if (g_strcmp0 (view_names[i], view) == 0)
      {
        window_show_view (self, view_names[(i + step) % G_N_ELEMENTS (view_names)]);
        return;
      }
}

static void
on_next_view (GtkWidget *widget, const char *name, GVariant *argument)
{
  window_step_view (ASSAY_WINDOW (widget), 1);
}

static void
on_previous_view (GtkWidget *widget, const char *name, GVariant *argument)
{
  window_step_view (ASSAY_WINDOW (widget), G_N_ELEMENTS (view_names) - 1);
}

static void
on_show_draft (GtkWidget *widget, const char *name, GVariant *argument)
{
  window_show_view (ASSAY_WINDOW (widget), "setup");
}

static void
on_discard_draft (GtkWidget *widget, const char *name, GVariant *argument)
{
  assay_session_discard_draft (ASSAY_WINDOW (widget)->session);
}

static void
on_retry_save (GtkWidget *widget, const char *name, GVariant *argument)
{
  assay_session_retry_save (ASSAY_WINDOW (widget)->session);
}

static void
on_add_recovered (GtkWidget *widget, const char *name, GVariant *argument)
{
  assay_session_add_recovered (ASSAY_WINDOW (widget)->session);
}

/* Reaches here only when no popover, entry or dialog took the key for itself. */
static gboolean
on_key_pressed (AssayWindow *self, guint keyval, guint keycode, GdkModifierType state)
{
  if (keyval != GDK_KEY_Escape)
    return GDK_EVENT_PROPAGATE;
  if (gtk_revealer_get_reveal_child (GTK_REVEALER (self->next_revealer)))
    on_plan_closed (self);
  else if (assay_session_is_running (self->session))
    window_ask_stop (self);
  else
    return GDK_EVENT_PROPAGATE;
  return GDK_EVENT_STOP;
}

static void
window_bind (AssayWindow *self)
{
  AssaySession *session = self->session;
  AssaySettings *settings = assay_session_get_settings (session);
  const GBindingFlags once = G_BINDING_SYNC_CREATE, both = G_BINDING_SYNC_CREATE | G_BINDING_BIDIRECTIONAL;
  GObject *with_ledger[] = { G_OBJECT (self->run_view), G_OBJECT (self->review_view), G_OBJECT (self->compare_view),
                             G_OBJECT (self->next_trial_bar) };
  for (guint i = 0; i < G_N_ELEMENTS (with_ledger); i++)
    g_object_bind_property (session, "ledger", with_ledger[i], "ledger", once);
  g_object_bind_property (session, "shown-trial", self->run_view, "trial", once);
  g_object_bind_property (session, "record", self->run_view, "record", once);
  g_object_bind_property (session, "record", self->review_view, "record", once);
  g_object_bind_property (session, "record", self->next_trial_bar, "record", once);
  g_object_bind_property (self->next_revealer, "reveal-child", self->run_view, "planning", once);
  g_object_bind_property (settings, "reviewer", self->review_view, "reviewer", both);
  g_object_bind_property (settings, "reviewers", self->review_view, "reviewers", both);
  g_object_bind_property (settings, "compare-columns", self->compare_view, "chosen-columns", both);
  g_object_bind_property (settings, "window-width", self, "default-width", both);
  g_object_bind_property (settings, "window-height", self, "default-height", both);
  g_object_bind_property (settings, "window-maximized", self, "maximized", both);
}

static void
window_watch (AssayWindow *self)
{
  AssaySession *session = self->session;
  AssayDraft *draft = assay_session_get_draft (session);
  g_signal_connect_object (session, "notify::ledger", G_CALLBACK (window_refresh_title), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::running", G_CALLBACK (window_on_running), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::running", G_CALLBACK (window_on_run_watched), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::record", G_CALLBACK (window_refresh_next_trial), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::idle", G_CALLBACK (window_on_idle), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (draft, "notify::problem", G_CALLBACK (window_refresh_run), self, G_CONNECT_SWAPPED);
  window_watch_blind (self);
  g_signal_connect_object (self->views, "notify::visible-child", G_CALLBACK (window_on_view_changed), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_swapped (self, "notify::is-active", G_CALLBACK (window_on_active), self);
  window_watch_state (self);
  window_watch_chain (self);
  window_refresh_title (self);
  window_refresh_run (self);
  window_refresh_page (self);
}

static void
assay_window_dispose (GObject *object)
{
  AssayWindow *self = ASSAY_WINDOW (object);
  g_clear_weak_pointer (&self->question);
  g_clear_weak_pointer (&self->plan_opener);
  g_clear_weak_pointer (&self->toast);
  g_clear_object (&self->undo);
  if (self->session != NULL)
    assay_session_save_draft (self->session);
  g_clear_object (&self->session);
  g_clear_object (&self->run_ledger);
  g_clear_pointer (&self->first_view, g_free);
  gtk_widget_dispose_template (GTK_WIDGET (object), ASSAY_TYPE_WINDOW);
  G_OBJECT_CLASS (assay_window_parent_class)->dispose (object);
}

static void
window_ensure_types (void)
{
  g_type_ensure (ASSAY_TYPE_LIBRARY_SIDEBAR);
  g_type_ensure (ASSAY_TYPE_NOTICE_BAR);
  g_type_ensure (ASSAY_TYPE_QUEUE_BAR);
  g_type_ensure (ASSAY_TYPE_SWEEP_PANEL);
  g_type_ensure (ASSAY_TYPE_SETUP_VIEW);
  g_type_ensure (ASSAY_TYPE_CHAIN_VIEW);
  g_type_ensure (ASSAY_TYPE_RUN_VIEW);
  g_type_ensure (ASSAY_TYPE_REVIEW_VIEW);
  g_type_ensure (ASSAY_TYPE_COMPARE_VIEW);
  g_type_ensure (ASSAY_TYPE_NEXT_TRIAL_BAR);
}

static void
window_install_actions (GtkWidgetClass *widget_class)
{
  const struct { const char *name; GtkWidgetActionActivateFunc activate; } actions[] = {
    { "win.run", on_run },
    { "win.new-trial", on_new_trial },
    { "win.continue-run", on_continue_run },
    { "win.new-baseline", on_new_baseline },
    { "win.new-ledger", on_new_ledger },
    { "win.try-sample", on_try_sample },
    { "win.choose-model", on_choose_model },
    { "win.plan-next", on_plan_next },
    { "win.search", on_search },
    { "win.toggle-sidebar", on_toggle_sidebar },
    { "win.menu", on_menu },
    { "win.next-view", on_next_view },
    { "win.previous-view", on_previous_view },
    { "win.retry-save", on_retry_save },
    { "win.add-recovered", on_add_recovered },
    { "win.show-draft", on_show_draft },
    { "win.discard-draft", on_discard_draft },
  };
  for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
    gtk_widget_class_install_action (widget_class, actions[i].name, NULL, actions[i].activate);
  gtk_widget_class_install_action (widget_class, "win.view", "s", on_view);
  window_install_file_actions (widget_class);
  window_install_exchange_actions (widget_class);
  window_install_queue_actions (widget_class);
  window_install_chain_actions (widget_class);
  window_install_edit_actions (widget_class);
  window_install_blind_actions (widget_class);
}

static void
assay_window_class_init (AssayWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = assay_window_dispose;
  window_ensure_types ();
  window_install_actions (widget_class);
  gtk_widget_class_set_template_from_resource (widget_class, "/io/github/assay/Assay/ui/assay-window.ui");
#define CHILD(name) gtk_widget_class_bind_template_child (widget_class, AssayWindow, name)
  CHILD (sidebar);
  CHILD (notices);
  CHILD (queue_bar);
  CHILD (sweep_panel);
  CHILD (setup_view);
  window_bind_chain (widget_class);
  CHILD (run_view);
  CHILD (review_view);
  CHILD (compare_view);
  CHILD (next_trial_bar);
  CHILD (views);
  CHILD (switcher);
  CHILD (switcher_bar);
  CHILD (flap);
  CHILD (pages);
  CHILD (run_button);
  CHILD (queue_button);
  CHILD (header_bar);
  CHILD (trial_buttons);
  CHILD (stop_button);
  CHILD (leave_button);
  CHILD (queue_place);
  CHILD (menu_button);
  CHILD (trial_menu_button);
  CHILD (next_revealer);
  CHILD (toasts);
  CHILD (edit_section);
  CHILD (recent_menu);
  CHILD (folder_section);
  CHILD (recent_box);
  CHILD (recent_list);
#undef CHILD
  gtk_widget_class_bind_template_callback (widget_class, on_run_clicked);
  gtk_widget_class_bind_template_callback (widget_class, on_stop_clicked);
  gtk_widget_class_bind_template_callback (widget_class, on_plan_closed);
  gtk_widget_class_bind_template_callback (widget_class, on_plan_revealed);
  gtk_widget_class_bind_template_callback (widget_class, on_plan_mapped);
  gtk_widget_class_bind_template_callback (widget_class, on_review_next);
  gtk_widget_class_bind_template_callback (widget_class, on_compare_activated);
  gtk_widget_class_bind_template_callback (widget_class, on_sidebar_activated);
  gtk_widget_class_bind_template_callback (widget_class, on_trial_planned);
  gtk_widget_class_bind_template_callback (widget_class, on_review_wanted);
  gtk_widget_class_bind_template_callback (widget_class, on_view_problem);
  gtk_widget_class_bind_template_callback (widget_class, on_view_saved);
  gtk_widget_class_bind_template_callback (widget_class, on_key_pressed);
  gtk_widget_class_bind_template_callback (widget_class, window_plan_next);
  gtk_widget_class_bind_template_callback (widget_class, window_on_close_request);
}

/* A button's tooltip would cover the first entries of its open menu. */
static void
window_hush_menus (AssayWindow *self)
{
  GtkWidget *const buttons[] = { self->trial_menu_button, self->queue_button, self->menu_button };
  for (guint i = 0; i < G_N_ELEMENTS (buttons); i++)
    g_object_bind_property (gtk_menu_button_get_popover (GTK_MENU_BUTTON (buttons[i])), "visible", buttons[i],
                            "has-tooltip", G_BINDING_SYNC_CREATE | G_BINDING_INVERT_BOOLEAN);
}

static void
assay_window_init (AssayWindow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->session = assay_session_new (assay_settings_get_default ());
  assay_notice_bar_set_notices (self->notices, assay_session_get_notices (self->session));
  assay_library_sidebar_set_session (self->sidebar, self->session);
  assay_setup_view_set_session (self->setup_view, self->session);
  window_bind (self);
  window_watch (self);
  window_accept_drops (self);
  window_watch_edits (self);
  window_watch_queue (self);
  window_hush_menus (self);
}

GtkWidget *
assay_window_new (GtkApplication *application)
{
  return g_object_new (ASSAY_TYPE_WINDOW, "application", application, NULL);
}
