/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-session-queue.c: planned trials of the open ledger: adding them, and running them one after another.
 *
 * The queue says what comes next; its trials are run as any other (assay-session-run.c). From the first to the last the
 * session counts as running, but for a pause, in which a person decides. */
#include "assay-session-private.h"

#include <glib/gi18n-lib.h>

#include "assay-store.h"

static void
session_tell_queue (AssaySession *self)
{
  g_signal_emit_by_name (self, "queue-changed");
}

AssayQueue *
assay_session_get_queue (AssaySession *self)
{
  g_return_val_if_fail (ASSAY_IS_SESSION (self), NULL);
  const gboolean shown = self->queue != NULL && assay_queue_is_active (self->queue)
                         && assay_queue_get_ledger (self->queue) == self->ledger;
  return shown ? self->queue : NULL;
}

gboolean
assay_session_can_run_queue (AssaySession *self)
{
  g_return_val_if_fail (ASSAY_IS_SESSION (self), FALSE);
  return self->ledger != NULL && !assay_ledger_is_read_only (self->ledger) && !assay_session_is_running (self)
         && (self->queue == NULL || !assay_queue_is_active (self->queue)) && assay_ledger_count_left (self->ledger) > 0;
}

/* --- what is planned --- */

static void
session_plan (AssaySession *self, GPtrArray *planned)
{
  g_autoptr(GError) error = NULL;
  if (!assay_ledger_add_planned (self->ledger, planned, &error))
    {
      session_post_error (self, "queue", _("The queue cannot take it"), error);
      return;
    }
  g_autofree char *message = g_strdup_printf (
    ngettext ("%u trial added to the queue", "%u trials added to the queue", planned->len), planned->len);
  session_tell (self, message, "win.undo", _("Undo"), NULL);
}

void
assay_session_add_to_queue (AssaySession *self)
{
  g_return_if_fail (ASSAY_IS_SESSION (self));
  if (assay_draft_get_problem (self->draft) != NULL || !session_prepare_ledger (self))
    return;
  AssayRecord *parent = assay_draft_get_parent (self->draft);
  g_autoptr(AssayValues) conditions = assay_draft_dup_conditions (self->draft);
  g_autoptr(GPtrArray) planned = g_ptr_array_new_with_free_func (g_object_unref);
  g_ptr_array_add (planned, assay_planned_new (conditions, parent != NULL ? assay_record_get_id (parent) : NULL,
                                               assay_draft_get_changed (self->draft)));
  session_plan (self, planned);
}

AssaySweep *
assay_session_read_sweep (AssaySession *self, const char *values, GError **error)
{
  g_return_val_if_fail (ASSAY_IS_SESSION (self), NULL);
  AssayRecord *parent = assay_draft_get_parent (self->draft);
  if (parent != NULL)
    return assay_sweep_new (parent, assay_draft_get_open_field (self->draft), values, error);
  g_set_error_literal (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_RULE,
                       _("A sweep continues a run with one field at several values: continue a run first."));
  return NULL;
}

void
assay_session_add_sweep (AssaySession *self, AssaySweep *sweep)
{
  g_return_if_fail (ASSAY_IS_SESSION (self) && sweep != NULL);
  if (session_prepare_ledger (self))
    session_plan (self, sweep->planned);
}

void
assay_session_unplan (AssaySession *self, const char *id)
{
  g_return_if_fail (ASSAY_IS_SESSION (self));
  if (self->ledger == NULL || assay_ledger_is_read_only (self->ledger))
    return;
  g_autoptr(GPtrArray) left = assay_ledger_dup_left (self->ledger), ids = g_ptr_array_new ();
  for (guint i = 0; i < left->len; i++)
    if (id == NULL || g_strcmp0 (assay_record_get_id (left->pdata[i]), id) == 0)
      g_ptr_array_add (ids, (char *) assay_record_get_id (left->pdata[i]));
  g_ptr_array_add (ids, NULL);
  const guint n = assay_ledger_remove_planned (self->ledger, (const char *const *) ids->pdata);
  if (n == 0)
    return;
  g_autofree char *message
    = g_strdup_printf (ngettext ("%u planned trial removed", "%u planned trials removed", n), n);
  session_tell (self, message, "win.undo", _("Undo"), NULL);
}

void
assay_session_move_planned (AssaySession *self, const char *id, gint by)
{
  g_return_if_fail (ASSAY_IS_SESSION (self) && id != NULL);
  if (self->ledger == NULL || assay_ledger_is_read_only (self->ledger))
    return;
  g_autoptr(GPtrArray) left = assay_ledger_dup_left (self->ledger);
  for (gint i = 0; i < (gint) left->len; i++)
    if (g_strcmp0 (assay_record_get_id (left->pdata[i]), id) == 0 && i + by >= 0 && i + by < (gint) left->len)
      {
        assay_ledger_move_planned (self->ledger, id, (guint) (by > 0 ? i + by + 1 : i + by));
        return;
      }
}

/* --- runs that were cut off --- */

/* A trial that was going on when the program died is no longer to do: its run, as far as it came, goes into the ledger
 * at once, so that nobody is offered it a second time. */
void
session_adopt_planned (AssaySession *self)
{
  const char *path = self->ledger != NULL ? assay_ledger_get_path (self->ledger) : NULL;
  if (path == NULL || self->recovered == NULL || assay_ledger_is_read_only (self->ledger))
    return;
  for (guint i = self->recovered->len; i-- > 0;)
    {
      const AssayJournalEntry *entry = g_ptr_array_index (self->recovered, i);
      const char *id = assay_record_get_id (entry->record), *planned = assay_record_get_planned (entry->record);
      if (planned == NULL || assay_ledger_find_planned (self->ledger, planned) == NULL
          || g_strcmp0 (entry->ledger_path, path) != 0 || assay_ledger_find_run (self->ledger, id) != NULL)
        continue;
      assay_keeper_add_journalled (session_keep (self, self->ledger), id);
      assay_ledger_add_run (self->ledger, entry->record);
      g_ptr_array_remove_index (self->recovered, i);
    }
  if (self->recovered->len == 0)
    assay_notices_dismiss (self->notices, "recovery");
}

void
session_watch_queue (AssaySession *self)
{
  if (self->queue_ledger != NULL)
    g_signal_handlers_disconnect_by_func (self->queue_ledger, session_tell_queue, self);
  g_set_object (&self->queue_ledger, self->ledger);
  if (self->ledger != NULL)
    {
      g_signal_connect_object (self->ledger, "planned-changed", G_CALLBACK (session_tell_queue), self, G_CONNECT_SWAPPED);
      g_signal_connect_object (self->ledger, "items-changed", G_CALLBACK (session_tell_queue), self, G_CONNECT_SWAPPED);
    }
  session_adopt_planned (self);
  session_tell_queue (self);
}

/* --- one program at it --- */

static void
lock_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  GError *error = NULL;
  AssayLock *lock = assay_lock_take_queue (data, &error);
  if (lock != NULL)
    g_task_return_pointer (task, lock, (GDestroyNotify) assay_lock_release);
  else
    g_task_return_error (task, error);
}

static void
unlock_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  assay_lock_release (data);
  g_task_return_boolean (task, TRUE);
}

void
session_unlock_queue (AssaySession *self)
{
  if (self->queue_lock == NULL)
    return;
  g_autoptr(GTask) task = g_task_new (NULL, NULL, NULL, NULL);
  g_task_set_task_data (task, g_steal_pointer (&self->queue_lock), NULL);
  g_task_run_in_thread (task, unlock_thread);
}

/* --- running --- */

static void
session_hold_queue (AssaySession *self)
{
  if (self->queue_runs)
    return;
  self->queue_runs = TRUE;
  self->trial_keeper = g_object_ref (session_keep (self, assay_queue_get_ledger (self->queue)));
  session_notify (self, SESSION_PROP_RUNNING);
  session_notify (self, SESSION_PROP_IDLE);
}

static void
session_on_queue_run (AssaySession *self, AssayRecord *planned, AssayQueue *queue)
{
  session_hold_queue (self);
  session_run_planned (self, assay_queue_get_ledger (queue), planned);
}

/* Another trial may have been run during a pause: that one is none of the queue's. */
static void
session_release_queue (AssaySession *self)
{
  if (self->queue_runs)
    session_end_run (self);
  self->queue_runs = FALSE;
}

static void
session_take_words (AssaySession *self, char *words)
{
  g_free (self->queue_ended);
  self->queue_ended = words;
}

/* While it waits for a decision the window may be closed, or another trial run. */
static void
session_on_queue_state (AssaySession *self, GParamSpec *pspec, AssayQueue *queue)
{
  if (assay_queue_get_state (queue) == ASSAY_QUEUE_PAUSED)
    {
      session_take_words (self, g_strdup_printf (_("The queue waits. %s"), assay_queue_get_readiness (queue)->words));
      session_release_queue (self);
    }
  session_tell_queue (self);
}

static char *
queue_dup_words (AssayQueue *queue)
{
  const guint left = assay_ledger_count_left (assay_queue_get_ledger (queue)), done = assay_queue_get_n_finished (queue);
  if (left > 0)
    return g_strdup_printf (ngettext ("The queue has stopped; %u planned trial is left",
                                      "The queue has stopped; %u planned trials are left", left), left);
  return g_strdup_printf (ngettext ("The queue is done: %u run was recorded", "The queue is done: %u runs were recorded", done),
                          done);
}

static void
session_on_queue_ended (AssaySession *self, AssayQueue *queue)
{
  if (self->queue_runs)
    {
      session_take_words (self, queue_dup_words (queue));
      session_tell (self, self->queue_ended, NULL, NULL, NULL);
    }
  session_unlock_queue (self);
  session_release_queue (self);
  session_tell_queue (self);
}

char *
assay_session_take_queue_words (AssaySession *self)
{
  g_return_val_if_fail (ASSAY_IS_SESSION (self), NULL);
  return g_steal_pointer (&self->queue_ended);
}

void
session_end_planned (AssaySession *self, AssayRecord *record)
{
  session_clear_trial (self);
  assay_queue_finished (self->queue, record);
}

/* Where no lock can be made, no run can be saved either, which says so itself. */
static void
queue_locked_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  AssaySession *self = ASSAY_SESSION (source);
  g_autoptr(GError) error = NULL;
  self->queue_lock = g_task_propagate_pointer (G_TASK (result), &error);
  const gboolean busy = g_error_matches (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_BUSY);
  if (busy)
    session_post_error (self, "queue", _("Another program is running this queue"), error);
  if (!busy && !self->stopped)
    {
      assay_queue_start (self->queue);
      return;
    }
  session_unlock_queue (self);
  session_release_queue (self);
  session_tell_queue (self);
}

static void
session_lock_queue (AssaySession *self)
{
  g_autoptr(GTask) task = g_task_new (self, NULL, queue_locked_cb, NULL);
  g_task_set_task_data (task, g_strdup (assay_ledger_get_path (self->ledger)), g_free);
  g_task_run_in_thread (task, lock_thread);
}

void
assay_session_start_queue (AssaySession *self)
{
  g_return_if_fail (ASSAY_IS_SESSION (self));
  if (!assay_session_can_run_queue (self))
    return;
  session_adopt_planned (self);
  g_clear_object (&self->queue);
  session_take_words (self, NULL);
  self->queue = assay_queue_new (self->ledger);
  assay_queue_set_stops_at_failure (self->queue, assay_settings_get_queue_stops_at_failure (self->settings));
  g_signal_connect_object (self->queue, "run", G_CALLBACK (session_on_queue_run), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->queue, "ended", G_CALLBACK (session_on_queue_ended), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->queue, "notify::state", G_CALLBACK (session_on_queue_state), self, G_CONNECT_SWAPPED);
  self->stopped = FALSE;
  assay_notices_dismiss (self->notices, "queue");
  session_hold_queue (self);
  session_lock_queue (self);
}

void
assay_session_pause_queue (AssaySession *self)
{
  g_return_if_fail (ASSAY_IS_SESSION (self));
  if (self->queue != NULL)
    assay_queue_stop (self->queue);
  session_tell_queue (self);
}

/* After a pause, in which another trial may have begun. */
static gboolean
session_resume_queue (AssaySession *self)
{
  if (self->queue == NULL || assay_queue_get_state (self->queue) != ASSAY_QUEUE_PAUSED || assay_session_is_running (self))
    return FALSE;
  session_take_words (self, NULL);
  session_hold_queue (self);
  return TRUE;
}

void
assay_session_retry_queue (AssaySession *self)
{
  g_return_if_fail (ASSAY_IS_SESSION (self));
  if (session_resume_queue (self))
    assay_queue_retry (self->queue);
}

void
assay_session_skip_in_queue (AssaySession *self)
{
  g_return_if_fail (ASSAY_IS_SESSION (self));
  if (session_resume_queue (self))
    assay_queue_skip (self->queue);
}

void
assay_session_run_anyway (AssaySession *self)
{
  g_return_if_fail (ASSAY_IS_SESSION (self));
  if (session_resume_queue (self))
    assay_queue_run_anyway (self->queue);
}
