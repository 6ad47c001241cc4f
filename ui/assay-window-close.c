/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-window-close.c: leaving while something is under way. A run is never cut off without its record, and a
 * hidden window that still works says so in a notification. */
#include "assay-window-private.h"

#include <glib/gi18n-lib.h>

#define RUN_NOTIFICATION "run-goes-on"

static AdwMessageDialog *
window_ask (AssayWindow *self, const char *heading, const char *body)
{
  AdwMessageDialog *dialog =
    ADW_MESSAGE_DIALOG (adw_message_dialog_new (GTK_WINDOW (self), heading, NULL));
  adw_message_dialog_set_body (dialog, body);
  g_set_weak_pointer (&self->question, GTK_WINDOW (dialog));
  return dialog;
}

/* What it asks about is over: nobody is asked any more. Whoever asked to leave sees first what came of it. */
static void
on_running_while_asked (GtkWindow *dialog, GParamSpec *pspec, AssaySession *session)
{
  if (!assay_session_is_running (session))
    gtk_window_close (dialog);
}

static void
window_present_while_running (AssayWindow *self, AdwMessageDialog *dialog)
{
  g_signal_connect_object (self->session, "notify::running", G_CALLBACK (on_running_while_asked), dialog,
                           G_CONNECT_SWAPPED);
  gtk_window_present (GTK_WINDOW (dialog));
}

static void
on_stop_response (AssayWindow *self, const char *response)
{
  if (g_strcmp0 (response, "stop") == 0)
    assay_session_stop (self->session);
}

void
window_ask_stop (AssayWindow *self)
{
  if (self->question != NULL)
    return;
  AdwMessageDialog *dialog =
    window_ask (self, _("Stop This Run?"), _("What was measured and answered so far is kept, as a cancelled run."));
  adw_message_dialog_add_responses (dialog, "stay", _("_Keep Running"), "stop", _("_Stop"), NULL);
  adw_message_dialog_set_response_appearance (dialog, "stop", ADW_RESPONSE_DESTRUCTIVE);
  adw_message_dialog_set_default_response (dialog, "stay");
  adw_message_dialog_set_close_response (dialog, "stay");
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_stop_response), self, G_CONNECT_SWAPPED);
  window_present_while_running (self, dialog);
}

static void
window_keep_running (AssayWindow *self)
{
  GApplication *application = G_APPLICATION (gtk_window_get_application (GTK_WINDOW (self)));
  g_autoptr(GNotification) notification = g_notification_new (_("A run goes on"));
  g_notification_set_body (notification, _("Assay ends when it is recorded. Open Assay again to see it."));
  g_application_send_notification (application, RUN_NOTIFICATION, notification);
  self->close_when_idle = TRUE;
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
}

void
assay_window_stop_and_close (AssayWindow *self)
{
  g_return_if_fail (ASSAY_IS_WINDOW (self));
  self->close_when_idle = TRUE;
  assay_session_stop (self->session);
  window_on_idle (self);
}

static void
on_running_response (AssayWindow *self, const char *response)
{
  if (g_strcmp0 (response, "stop") == 0)
    assay_window_stop_and_close (self);
  else if (g_strcmp0 (response, "background") == 0)
    window_keep_running (self);
}

static void
window_ask_running (AssayWindow *self)
{
  const gboolean queue = assay_session_get_queue (self->session) != NULL;
  AdwMessageDialog *dialog = window_ask (self, queue ? _("The Queue Is Running") : _("A Run Is Going On"),
                                         queue ? _("It can go on without a window, or stop now: the trial going on is recorded as a cancelled run, and what is left stays planned.")
                                               : _("It can go on without a window, or stop now as a cancelled run. Both are recorded."));
  adw_message_dialog_add_responses (dialog, "stay", _("_Stay"), "background", _("_Keep Running"), "stop",
                                    _("Stop and _Close"), NULL);
  adw_message_dialog_set_response_appearance (dialog, "stop", ADW_RESPONSE_DESTRUCTIVE);
  adw_message_dialog_set_default_response (dialog, "stay");
  adw_message_dialog_set_close_response (dialog, "stay");
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_running_response), self, G_CONNECT_SWAPPED);
  window_present_while_running (self, dialog);
}

static void
on_unsaved_response (AssayWindow *self, const char *response)
{
  if (g_strcmp0 (response, "discard") == 0)
    gtk_window_destroy (GTK_WINDOW (self));
  else if (g_strcmp0 (response, "elsewhere") == 0)
    window_save_elsewhere (self);
  else if (g_strcmp0 (response, "save") == 0 && assay_review_view_save_drafts (self->review_view))
    {
      self->close_when_idle = TRUE; /* once the file has it; else the window stays and says why */
      window_on_idle (self);
    }
}

/* way, label: a response that saves, or NULL */
static void
window_ask_unsaved (AssayWindow *self, const char *heading, const char *body, const char *way, const char *label)
{
  AdwMessageDialog *dialog = window_ask (self, heading, body);
  adw_message_dialog_add_responses (dialog, "stay", _("_Stay"), NULL);
  adw_message_dialog_add_response (dialog, "discard", _("_Close Without Saving"));
  if (way != NULL)
    adw_message_dialog_add_response (dialog, way, label);
  adw_message_dialog_set_response_appearance (dialog, "discard", ADW_RESPONSE_DESTRUCTIVE);
  adw_message_dialog_set_default_response (dialog, "stay");
  adw_message_dialog_set_close_response (dialog, "stay");
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_unsaved_response), self, G_CONNECT_SWAPPED);
  gtk_window_present (GTK_WINDOW (dialog));
}

static void
window_ask_review (AssayWindow *self)
{
  if (assay_review_view_can_save_drafts (self->review_view))
    window_ask_unsaved (self, _("A Review Is Not Saved"), _("Its scores and note would be lost."), "save",
                        _("_Save and Close"));
  else
    window_ask_unsaved (self, _("A Review Is Not Saved"),
                        _("Its scores and note would be lost. To be saved it needs a verdict and your name."), NULL, NULL);
}

void
window_on_idle (AssayWindow *self)
{
  if (!self->close_when_idle || !assay_session_is_idle (self->session))
    return;
  self->close_when_idle = FALSE;
  GApplication *application = G_APPLICATION (gtk_window_get_application (GTK_WINDOW (self)));
  g_application_withdraw_notification (application, RUN_NOTIFICATION);
  if (assay_session_has_unsaved (self->session))
    gtk_window_present (GTK_WINDOW (self)); /* its notice says what is not saved */
  else
    gtk_window_destroy (GTK_WINDOW (self));
}

gboolean
window_on_close_request (AssayWindow *self)
{
  if (self->question != NULL)
    return GDK_EVENT_STOP;
  if (assay_session_is_running (self->session))
    window_ask_running (self);
  else if (assay_session_has_unsaved (self->session))
    window_ask_unsaved (self, _("Not Saved"), _("The last save failed. What changed since is only in this window."), "elsewhere",
                        _("Save _Elsewhere…"));
  else if (assay_review_view_would_lose (self->review_view)) /* others are taken up at the next start */
    window_ask_review (self);
  else if (!assay_session_is_idle (self->session))
    self->close_when_idle = TRUE;
  else
    return GDK_EVENT_PROPAGATE;
  return GDK_EVENT_STOP;
}
