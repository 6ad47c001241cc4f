/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-window-chain.c: the chain of trials, which takes the run's place in the view Run until it is closed or another
 * run is looked at. */
#include "assay-window-private.h"

#include <glib/gi18n-lib.h>

static void
window_leave_chain (AssayWindow *self)
{
  gtk_stack_set_visible_child (self->run_pages, GTK_WIDGET (self->run_view));
  assay_chain_view_show (self->chain_view, NULL, NULL);
}

static void
on_chain_closed (AssayWindow *self)
{
  const gboolean here = gtk_stack_get_visible_child (self->run_pages) == GTK_WIDGET (self->chain_view);
  window_leave_chain (self);
  if (here)
    gtk_widget_grab_focus (GTK_WIDGET (self->run_view));
}

static void
on_step_activated (AssayWindow *self, AssayRecord *record)
{
  window_leave_chain (self);
  assay_session_select (self->session, record);
  window_show_view (self, "run");
  gtk_widget_grab_focus (GTK_WIDGET (self->run_view));
}

/* id: empty for the run that is looked at. */
static AssayRecord *
window_find_chain_end (AssayWindow *self, const char *id)
{
  AssayLedger *ledger = assay_session_get_ledger (self->session);
  if (ledger == NULL)
    return NULL;
  return *id != '\0' ? assay_ledger_find_run (ledger, id) : assay_session_get_record (self->session);
}

static void
on_show_chain (GtkWidget *widget, const char *name, GVariant *argument)
{
  AssayWindow *self = ASSAY_WINDOW (widget);
  AssayRecord *record = window_find_chain_end (self, g_variant_get_bytestring (argument));
  if (record == NULL)
    {
      window_tell (self, "chain", FALSE, _("Choose a run first: its chain leads from the first run to it."));
      return;
    }
  assay_session_select (self->session, record);
  assay_chain_view_show (self->chain_view, assay_session_get_ledger (self->session), assay_record_get_id (record));
  gtk_stack_set_visible_child (self->run_pages, GTK_WIDGET (self->chain_view));
  window_show_view (self, "run");
  gtk_widget_grab_focus (GTK_WIDGET (self->chain_view));
  gtk_revealer_set_reveal_child (GTK_REVEALER (self->next_revealer), FALSE); /* the plan is the chain's last step */
}

void
window_install_chain_actions (GtkWidgetClass *widget_class)
{
  gtk_widget_class_install_action (widget_class, "win.show-chain", "ay", on_show_chain);
}

void
window_bind_chain (GtkWidgetClass *widget_class)
{
  gtk_widget_class_bind_template_child (widget_class, AssayWindow, run_pages);
  gtk_widget_class_bind_template_child (widget_class, AssayWindow, chain_view);
  gtk_widget_class_bind_template_callback (widget_class, on_chain_closed);
  gtk_widget_class_bind_template_callback (widget_class, on_step_activated);
}

/* An edit of the run swaps its record and leaves the chain, which follows the ledger by itself. */
static void
on_record_changed (AssayWindow *self)
{
  AssayRecord *record = assay_session_get_record (self->session);
  const char *shown = assay_chain_view_get_run_id (self->chain_view);
  if (record == NULL || g_strcmp0 (assay_record_get_id (record), shown) != 0)
    window_leave_chain (self);
}

/* Whoever turns to another run, ledger or trial wants to see that; and a blind review leaves no row behind that could
 * tell. */
void
window_watch_chain (AssayWindow *self)
{
  g_signal_connect_object (self->review_view, "notify::blind", G_CALLBACK (window_leave_chain), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->session, "notify::record", G_CALLBACK (on_record_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->session, "notify::ledger", G_CALLBACK (window_leave_chain), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->session, "notify::trial", G_CALLBACK (window_leave_chain), self, G_CONNECT_SWAPPED);
}
