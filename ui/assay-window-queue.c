/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-window-queue.c: the queue's actions, and what the window says when it has ended or waits. */
#include "assay-window-private.h"

#include <glib/gi18n-lib.h>

/* What keeps the trial from being run later keeps it from being planned: that is said where the person is. */
static void
on_add_to_queue (GtkWidget *widget, const char *name, GVariant *argument)
{
  AssayWindow *self = ASSAY_WINDOW (widget);
  const char *problem = assay_draft_get_problem (assay_session_get_draft (self->session));
  if (problem == NULL)
    {
      assay_session_add_to_queue (self->session);
      return;
    }
  g_autofree char *why = g_strdup_printf (_("This trial cannot be planned yet. %s"), problem);
  window_show_view (self, "setup");
  assay_notices_post (assay_session_get_notices (self->session), assay_notice_new ("run", TRUE, why));
}

static void
on_sweep (GtkWidget *widget, const char *name, GVariant *argument)
{
  AssayWindow *self = ASSAY_WINDOW (widget);
  if (self->started) /* not window_show_view(): the form would take the focus to its open field */
    adw_view_stack_set_visible_child_name (self->views, "setup");
  else
    window_show_view (self, "setup");
  assay_sweep_panel_open (self->sweep_panel);
}

static void
on_queue_run (GtkWidget *widget, const char *name, GVariant *argument)
{
  assay_session_start_queue (ASSAY_WINDOW (widget)->session);
}

static void
on_queue_pause (GtkWidget *widget, const char *name, GVariant *argument)
{
  assay_session_pause_queue (ASSAY_WINDOW (widget)->session);
}

static void
on_queue_retry (GtkWidget *widget, const char *name, GVariant *argument)
{
  assay_session_retry_queue (ASSAY_WINDOW (widget)->session);
}

static void
on_queue_skip (GtkWidget *widget, const char *name, GVariant *argument)
{
  assay_session_skip_in_queue (ASSAY_WINDOW (widget)->session);
}

static void
on_queue_run_anyway (GtkWidget *widget, const char *name, GVariant *argument)
{
  assay_session_run_anyway (ASSAY_WINDOW (widget)->session);
}

static void
on_queue_discard (GtkWidget *widget, const char *name, GVariant *argument)
{
  assay_session_unplan (ASSAY_WINDOW (widget)->session, NULL);
}

void
window_install_queue_actions (GtkWidgetClass *widget_class)
{
  const struct { const char *name; GtkWidgetActionActivateFunc activate; } actions[] = {
    { "win.add-to-queue", on_add_to_queue },
    { "win.sweep", on_sweep },
    { "win.queue-run", on_queue_run },
    { "win.queue-pause", on_queue_pause },
    { "win.queue-retry", on_queue_retry },
    { "win.queue-skip", on_queue_skip },
    { "win.queue-run-anyway", on_queue_run_anyway },
    { "win.queue-discard", on_queue_discard },
  };
  for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
    gtk_widget_class_install_action (widget_class, actions[i].name, NULL, actions[i].activate);
}

static void
window_on_queue_blind (AssayWindow *self)
{
  assay_queue_bar_set_blind (self->queue_bar, window_is_blind (self));
  if (window_is_blind (self))
    assay_sweep_panel_close (self->sweep_panel);
}

/* A sweep is of the form's open field, and stands above the form alone. */
static void
window_on_queue_view (AssayWindow *self)
{
  if (g_strcmp0 (adw_view_stack_get_visible_child_name (self->views), "setup") != 0)
    assay_sweep_panel_close (self->sweep_panel);
}

void
window_watch_queue (AssayWindow *self)
{
  assay_queue_bar_set_session (self->queue_bar, self->session);
  assay_sweep_panel_set_session (self->sweep_panel, self->session);
  g_signal_connect_object (self->review_view, "notify::blind", G_CALLBACK (window_on_queue_blind), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->views, "notify::visible-child", G_CALLBACK (window_on_queue_view), self, G_CONNECT_SWAPPED);
  window_on_queue_blind (self);
}
