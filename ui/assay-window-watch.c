/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-window-watch.c: what the desktop is told about a run: that the machine must not fall asleep
 * meanwhile, and, when it was long and nobody looks at the window, that it has ended. */
#include "assay-window-private.h"

#include <glib/gi18n-lib.h>

static void
window_inhibit (AssayWindow *self)
{
  GtkApplication *application = gtk_window_get_application (GTK_WINDOW (self));
  if (application == NULL || self->inhibit_cookie != 0)
    return;
  self->inhibit_cookie
      = gtk_application_inhibit (application, GTK_WINDOW (self), GTK_APPLICATION_INHIBIT_SUSPEND,
                                 _("A trial is running, and its times would be wrong"));
}

static void
window_uninhibit (AssayWindow *self)
{
  GtkApplication *application = gtk_window_get_application (GTK_WINDOW (self));
  if (application != NULL && self->inhibit_cookie != 0)
    gtk_application_uninhibit (application, self->inhibit_cookie);
  self->inhibit_cookie = 0;
}

/* NULL for an end that needs no telling: the person who stopped a run knows. */
static const char *
status_get_words (AssayRunStatus status)
{
  switch (status)
    {
    case ASSAY_STATUS_COMPLETED:
      return _("A run has completed");
    case ASSAY_STATUS_CANCELLED:
      return NULL;
    case ASSAY_STATUS_OOM_DEVICE:
    case ASSAY_STATUS_OOM_HOST:
      return _("A run ended: out of memory");
    case ASSAY_STATUS_TIME_LIMIT:
      return _("A run ended at its time limit");
    default:
      return _("A run has failed");
    }
}

/* queue: what became of one, or NULL: a run of its own ended. */
static void
window_tell_end (AssayWindow *self, double seconds, const char *queue)
{
  AssayLedger *ledger = self->run_ledger; /* another one may be open by now */
  const guint n = assay_ledger_get_n_runs (ledger);
  const char *run = n > 0 ? status_get_words (assay_record_get_status (assay_ledger_get_run (ledger, n - 1))) : NULL;
  const char *words = queue == NULL ? run : window_is_blind (self) ? _("The queue has ended or waits") : queue;
  if (words == NULL)
    return;
  g_autofree char *time = assay_format_seconds (seconds);
  /* Translators: the title of a ledger, and how long its newest run took: "First steps, after 4 min 05 s" */
  g_autofree char *body = g_strdup_printf (_("%s, after %s"), assay_ledger_get_title (ledger), time);
  const gboolean blind = window_is_blind (self); /* then no time is told: the run may be judged next */
  g_autoptr(GNotification) notification = g_notification_new (words);
  const guint id = gtk_application_window_get_id (GTK_APPLICATION_WINDOW (self));
  g_notification_set_body (notification, blind ? assay_ledger_get_title (ledger) : body);
  g_notification_set_default_action_and_target (notification, "app.show-window", "u", id);
  g_notification_add_button_with_target (notification, _("Show It"), "app.show-window", "u", id);
  g_application_send_notification (G_APPLICATION (gtk_window_get_application (GTK_WINDOW (self))),
                                   WINDOW_RUN_ENDED, notification);
}

static void
window_on_run_ended (AssayWindow *self)
{
  const double seconds = (double) (g_get_monotonic_time () - self->run_began_us) / G_USEC_PER_SEC;
  const guint after = assay_settings_get_notify_after_seconds (assay_session_get_settings (self->session));
  g_autofree char *queue = assay_session_take_queue_words (self->session);
  window_uninhibit (self);
  if (self->run_ledger != NULL && after > 0 && seconds >= after && !gtk_window_is_active (GTK_WINDOW (self)))
    window_tell_end (self, seconds, queue);
  g_clear_object (&self->run_ledger);
}

void
window_on_run_watched (AssayWindow *self)
{
  if (!assay_session_is_running (self->session))
    {
      window_on_run_ended (self);
      return;
    }
  self->run_began_us = g_get_monotonic_time ();
  g_set_object (&self->run_ledger, assay_session_get_ledger (self->session));
  window_inhibit (self);
}

/* Whoever looks at the window has seen it. */
void
window_on_active (AssayWindow *self)
{
  GtkApplication *application = gtk_window_get_application (GTK_WINDOW (self));
  if (application != NULL && gtk_window_is_active (GTK_WINDOW (self)))
    g_application_withdraw_notification (G_APPLICATION (application), WINDOW_RUN_ENDED);
}
