/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-session-follow.c: the open ledger follows its file: what another program saved there appears, and a file that
 * went away is told at once, while there is still time to save elsewhere. */
#include "assay-session-private.h"

#include <glib/gi18n-lib.h>

#include "assay-store.h"

#define QUIET_MS 250 /* a save is several events */
#define NOTICE "file-on-disk"

static void
follow_post_problem (AssaySession *self, AssayLedger *ledger, const GError *error)
{
  g_autofree char *message = g_strdup_printf (_("“%s” is open here, but no longer joined to its file. %s"),
                                              assay_ledger_get_title (ledger), error->message);
  AssayNotice *notice = assay_notice_new (NOTICE, TRUE, message);
  assay_notice_with_action (notice, _("Save Elsewhere…"), "win.save-elsewhere", NULL);
  assay_notices_post (self->notices, notice);
}

static void
refreshed_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(AssaySession) self = data;
  AssayLedger *ledger = ASSAY_LEDGER (source);
  g_autoptr(GError) error = NULL;
  const gboolean read = assay_store_refresh_finish (ledger, result, &error);
  if (ledger != self->ledger)
    return;
  if (read)
    assay_notices_dismiss (self->notices, NOTICE);
  else
    follow_post_problem (self, ledger, error);
}

static gboolean
follow_on_due (gpointer data)
{
  AssaySession *self = data;
  self->follow_due = 0;
  assay_store_refresh_async (self->ledger, NULL, refreshed_cb, g_object_ref (self));
  return G_SOURCE_REMOVE;
}

static void
follow_on_changed (AssaySession *self)
{
  g_clear_handle_id (&self->follow_due, g_source_remove);
  self->follow_due = g_timeout_add (QUIET_MS, follow_on_due, self);
}

void
session_unfollow_file (AssaySession *self)
{
  g_clear_handle_id (&self->follow_due, g_source_remove);
  if (self->monitor != NULL)
    g_file_monitor_cancel (self->monitor);
  g_clear_object (&self->monitor);
}

void
session_follow_file (AssaySession *self)
{
  session_unfollow_file (self);
  assay_notices_dismiss (self->notices, NOTICE);
  const char *path = self->ledger != NULL ? assay_ledger_get_path (self->ledger) : NULL;
  if (path == NULL)
    return;
  g_autoptr(GFile) file = g_file_new_for_path (path);
  self->monitor = g_file_monitor_file (file, G_FILE_MONITOR_NONE, NULL, NULL);
  if (self->monitor != NULL) /* no watches left on this machine: the next save still merges */
    g_signal_connect_object (self->monitor, "changed", G_CALLBACK (follow_on_changed), self, G_CONNECT_SWAPPED);
}
