/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-session.c: the session's properties and the ledger it has open. The model and questions of the next run are
 * in assay-session-model.c, running is in assay-session-run.c, what earlier programs left is in
 * assay-session-recovery.c, edits and whole ledgers in assay-session-edit.c, what others do to the file in assay-session-follow.c, what is set up and not
 * run yet in assay-session-draft.c. */
#include "assay-session-private.h"

#include <glib/gi18n-lib.h>

#include "assay-store.h"

G_DEFINE_FINAL_TYPE (AssaySession, assay_session, G_TYPE_OBJECT)

static GParamSpec *properties[SESSION_N_PROPS];
static guint happened_signal;

void
session_notify (AssaySession *self, SessionProp prop)
{
  g_object_notify_by_pspec (G_OBJECT (self), properties[prop]);
}

void
session_post_error (AssaySession *self, const char *id, const char *what, const GError *error)
{
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  g_autofree char *message = g_strdup_printf ("%s: %s", what, error->message);
  assay_notices_post (self->notices, assay_notice_new (id, TRUE, message));
}

void
session_tell (AssaySession *self, const char *message, const char *action, const char *label, GVariant *argument)
{
  g_autoptr(GVariant) kept = argument != NULL ? g_variant_ref_sink (argument) : NULL;
  g_signal_emit (self, happened_signal, 0, message, action, label, kept);
}

void
session_begin_work (AssaySession *self, const char *words)
{
  self->n_working++;
  g_free (self->work);
  self->work = g_strdup (words);
  session_notify (self, SESSION_PROP_WORK);
}

void
session_end_work (AssaySession *self)
{
  g_assert (self->n_working > 0);
  if (--self->n_working > 0)
    return;
  g_clear_pointer (&self->work, g_free);
  session_notify (self, SESSION_PROP_WORK);
}

static void
session_on_keeper_error (AssaySession *self, GParamSpec *pspec, AssayKeeper *keeper)
{
  const char *error = assay_keeper_get_error (keeper);
  if (error == NULL)
    {
      assay_notices_dismiss (self->notices, "save");
      return;
    }
  g_autofree char *message =
    g_strdup_printf (_("“%s” is not saved; nothing is lost while this window is open. %s"),
                     assay_ledger_get_title (assay_keeper_get_ledger (keeper)), error);
  assay_notices_dismiss (self->notices, "file-on-disk"); /* the save says the same, and more */
  AssayNotice *notice = assay_notice_new ("save", TRUE, message);
  assay_notice_with_action (notice, _("Retry"), "win.retry-save", NULL);
  assay_notice_with_action (notice, _("Save Elsewhere…"), "win.save-elsewhere", NULL);
  assay_notices_post (self->notices, notice);
}

/* A ledger that is no longer open is kept only until it is saved. */
static void
session_on_keeper_busy (AssaySession *self, GParamSpec *pspec, AssayKeeper *keeper)
{
  const gboolean needed = assay_keeper_is_busy (keeper) || assay_keeper_get_error (keeper) != NULL ||
                          keeper == self->trial_keeper || assay_keeper_get_ledger (keeper) == self->ledger;
  if (!needed)
    g_ptr_array_remove (self->keepers, keeper);
  session_notify (self, SESSION_PROP_IDLE);
}

AssayKeeper *
session_keep (AssaySession *self, AssayLedger *ledger)
{
  for (guint i = 0; i < self->keepers->len; i++)
    if (assay_keeper_get_ledger (g_ptr_array_index (self->keepers, i)) == ledger)
      return g_ptr_array_index (self->keepers, i);
  AssayKeeper *keeper = assay_keeper_new (ledger);
  g_signal_connect_object (keeper, "notify::error", G_CALLBACK (session_on_keeper_error), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (keeper, "notify::busy", G_CALLBACK (session_on_keeper_busy), self, G_CONNECT_SWAPPED);
  g_ptr_array_add (self->keepers, keeper);
  return keeper;
}

/* An edit replaces the record by a changed copy: the one looked at follows. */
static void
session_on_runs_changed (AssaySession *self)
{
  if (self->record == NULL)
    return;
  AssayRecord *now = assay_ledger_find_run (self->ledger, assay_record_get_id (self->record));
  const guint n = assay_ledger_get_n_runs (self->ledger);
  if (now == NULL && n > 0) /* deleted: the newest one that is left */
    now = assay_ledger_get_run (self->ledger, n - 1);
  assay_session_select (self, now);
}

/* Renamed here or elsewhere, or the name taken back. */
static void
session_on_title (AssaySession *self)
{
  session_notify (self, SESSION_PROP_LEDGER);
}

static void
session_on_received (AssaySession *self, guint n, AssayLedger *ledger)
{
  g_autofree char *message = g_strdup_printf (
    ngettext ("Another window or program saved “%s”: %u run is new, changed or gone. It is shown here as it is now.",
              "Another window or program saved “%s”: %u runs are new, changed or gone. They are shown here as they are now.",
              n), assay_ledger_get_title (ledger), n);
  assay_notices_post (self->notices, assay_notice_new ("received", FALSE, message));
}

static void
session_leave_ledger (AssaySession *self)
{
  if (self->ledger == NULL)
    return;
  g_signal_handlers_disconnect_by_func (self->ledger, session_on_runs_changed, self);
  g_signal_handlers_disconnect_by_func (self->ledger, session_on_received, self);
  g_signal_handlers_disconnect_by_func (self->ledger, session_on_title, self);
  assay_notices_dismiss (self->notices, "received");
  g_signal_handlers_disconnect_by_func (self->ledger, session_follow_file, self);
  AssayLedger *left = g_steal_pointer (&self->ledger);
  for (guint i = self->keepers->len; i-- > 0;)
    {
      g_autoptr(AssayKeeper) keeper = g_object_ref (g_ptr_array_index (self->keepers, i));
      if (assay_keeper_get_ledger (keeper) == left)
        session_on_keeper_busy (self, NULL, keeper);
    }
  g_object_unref (left);
}

void
session_set_ledger (AssaySession *self, AssayLedger *ledger)
{
  session_leave_draft (self);
  g_clear_object (&self->record);
  session_leave_ledger (self);
  if (ledger != NULL)
    {
      self->ledger = g_object_ref (ledger);
      g_signal_connect_object (ledger, "items-changed", G_CALLBACK (session_on_runs_changed), self, G_CONNECT_SWAPPED);
      g_signal_connect_object (ledger, "notify::title", G_CALLBACK (session_on_title), self, G_CONNECT_SWAPPED);
      g_signal_connect_object (ledger, "received", G_CALLBACK (session_on_received), self, G_CONNECT_SWAPPED);
      g_signal_connect_object (ledger, "notify::path", G_CALLBACK (session_follow_file), self, G_CONNECT_SWAPPED);
      if (!assay_ledger_is_read_only (ledger))
        session_keep (self, ledger);
      assay_draft_set_task (self->draft, assay_ledger_get_task (ledger));
    }
  session_follow_file (self);
  session_watch_queue (self);
  session_notify (self, SESSION_PROP_LEDGER);
  session_notify (self, SESSION_PROP_RECORD);
  session_notify (self, SESSION_PROP_SHOWN_TRIAL);
  session_notify (self, SESSION_PROP_UNDO);
}

static void
session_report_reading (AssaySession *self, AssayLedger *ledger)
{
  const char *const *notices = assay_ledger_get_notices (ledger);
  const char *reason = assay_ledger_get_read_only_reason (ledger);
  assay_notices_dismiss (self->notices, "read-only");
  assay_notices_dismiss (self->notices, "reading");
  if (assay_ledger_is_read_only (ledger))
    {
      g_autofree char *message = g_strdup_printf (_("“%s” is open for reading only. %s"),
                                                  assay_ledger_get_title (ledger), reason != NULL ? reason : "");
      assay_notices_post (self->notices, assay_notice_new ("read-only", FALSE, message));
    }
  if (notices != NULL && notices[0] != NULL)
    {
      const guint n = g_strv_length ((char **) notices);
      g_autofree char *more =
        g_strdup_printf (ngettext ("%s (and %u more note)", "%s (and %u more notes)", n - 1), notices[0], n - 1);
      assay_notices_post (self->notices, assay_notice_new ("reading", FALSE, n > 1 ? more : notices[0]));
    }
}

static void
session_show_ledger (AssaySession *self, AssayLedger *ledger)
{
  assay_notices_dismiss (self->notices, "open");
  session_set_ledger (self, ledger);
  session_report_reading (self, ledger);
  const guint n = assay_ledger_get_n_runs (ledger);
  if (n > 0)
    assay_session_select (self, assay_ledger_get_run (ledger, n - 1));
  GPtrArray *questions = assay_ledger_get_questions (ledger);
  if (questions != NULL && questions->len > 0)
    session_set_questions (self, questions, assay_ledger_get_question_set (ledger));
  else if (n == 0)
    session_set_questions (self, self->bundled, self->bundled_set);
  else
    session_set_questions (self, NULL, NULL);
  assay_session_new_trial (self);
  session_look_for_draft (self);
}

typedef struct
{
  AssaySession *session;
  GCancellable *cancellable;
  char *path;
} Opening;

static void
opening_free (gpointer data)
{
  Opening *opening = data;
  g_object_unref (opening->session);
  g_object_unref (opening->cancellable);
  g_free (opening->path);
  g_free (opening);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Opening, opening_free)

static Opening *
opening_new (AssaySession *self, const char *path)
{
  if (self->loading != NULL)
    g_cancellable_cancel (self->loading);
  g_clear_object (&self->loading);
  self->loading = g_cancellable_new ();
  Opening *opening = g_new0 (Opening, 1);
  opening->session = g_object_ref (self);
  opening->cancellable = g_object_ref (self->loading);
  opening->path = g_strdup (path);
  g_autofree char *name = g_filename_display_basename (path);
  g_autofree char *words = g_strdup_printf (_("Opening %s…"), name);
  session_begin_work (self, words);
  return opening;
}

static void
opening_refused (Opening *opening, const GError *error)
{
  AssaySession *self = opening->session;
  if (g_cancellable_is_cancelled (opening->cancellable))
    return;
  AssayNotice *notice = assay_notice_new ("open", TRUE, error->message);
  if (error->domain == ASSAY_LEDGER_ERROR && error->code != ASSAY_LEDGER_ERROR_BUSY)
    assay_notice_with_action (notice, _("Open What Can Be Read"), "win.open-salvaged", opening->path);
  assay_notice_with_action (notice, _("Retry"), "win.open-ledger", opening->path);
  assay_notices_post (self->notices, notice);
}

static void
load_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(Opening) opening = data;
  g_autoptr(GError) error = NULL;
  g_autoptr(AssayLedger) ledger = assay_store_load_finish (result, &error);
  session_end_work (opening->session);
  if (ledger == NULL)
    opening_refused (opening, error);
  else if (!g_cancellable_is_cancelled (opening->cancellable))
    session_show_ledger (opening->session, ledger);
}

void
assay_session_open (AssaySession *self, const char *path)
{
  g_return_if_fail (ASSAY_IS_SESSION (self) && path != NULL);
  for (guint i = 0; i < self->keepers->len; i++)
    {
      AssayLedger *ledger = assay_keeper_get_ledger (g_ptr_array_index (self->keepers, i));
      if (g_strcmp0 (assay_ledger_get_path (ledger), path) == 0)
        {
          if (ledger != self->ledger)
            session_show_ledger (self, ledger);
          return;
        }
    }
  Opening *opening = opening_new (self, path);
  assay_store_load_async (path, opening->cancellable, load_cb, opening);
}

static void
salvage_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  GError *error = NULL;
  AssayLedger *ledger = assay_store_salvage (data, &error);
  if (ledger != NULL)
    g_task_return_pointer (task, ledger, g_object_unref);
  else
    g_task_return_error (task, error);
}

static void
salvage_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(Opening) opening = data;
  g_autoptr(GError) error = NULL;
  g_autoptr(AssayLedger) ledger = g_task_propagate_pointer (G_TASK (result), &error);
  session_end_work (opening->session);
  if (ledger == NULL)
    session_post_error (opening->session, "open", _("Nothing could be read"), error);
  else
    session_show_ledger (opening->session, ledger);
}

void
assay_session_open_salvaged (AssaySession *self, const char *path)
{
  g_return_if_fail (ASSAY_IS_SESSION (self) && path != NULL);
  g_autoptr(GTask) task = g_task_new (self, NULL, salvage_cb, opening_new (self, path));
  g_task_set_task_data (task, g_strdup (path), g_free);
  g_task_run_in_thread (task, salvage_thread);
}

void
assay_session_close_ledger (AssaySession *self)
{
  g_return_if_fail (ASSAY_IS_SESSION (self));
  if (self->loading != NULL)
    g_cancellable_cancel (self->loading);
  session_set_ledger (self, NULL);
  session_set_questions (self, self->bundled, self->bundled_set);
  assay_session_new_baseline (self);
  session_look_for_draft (self);
}

void
assay_session_select (AssaySession *self, AssayRecord *record)
{
  g_return_if_fail (ASSAY_IS_SESSION (self));
  if (!g_set_object (&self->record, record))
    return;
  session_notify (self, SESSION_PROP_RECORD);
  session_notify (self, SESSION_PROP_SHOWN_TRIAL);
}

void
assay_session_retry_save (AssaySession *self)
{
  for (guint i = 0; i < self->keepers->len; i++)
    if (assay_keeper_get_error (g_ptr_array_index (self->keepers, i)) != NULL)
      assay_keeper_save (g_ptr_array_index (self->keepers, i));
}

void
assay_session_save_elsewhere (AssaySession *self, const char *path)
{
  for (guint i = 0; i < self->keepers->len; i++)
    if (assay_keeper_get_error (g_ptr_array_index (self->keepers, i)) != NULL)
      {
        assay_keeper_save_as (g_ptr_array_index (self->keepers, i), path);
        return;
      }
  if (self->ledger != NULL)
    assay_keeper_save_as (session_keep (self, self->ledger), path);
}

gboolean
assay_session_has_unsaved (AssaySession *self)
{
  for (guint i = 0; i < self->keepers->len; i++)
    if (assay_keeper_get_error (g_ptr_array_index (self->keepers, i)) != NULL)
      return TRUE;
  return FALSE;
}

gboolean
assay_session_is_idle (AssaySession *self)
{
  for (guint i = 0; i < self->keepers->len; i++)
    if (assay_keeper_is_busy (g_ptr_array_index (self->keepers, i)))
      return FALSE;
  return self->trial_keeper == NULL;
}

AssaySettings *assay_session_get_settings (AssaySession *self) { return self->settings; }
AssayLibrary *assay_session_get_library (AssaySession *self) { return self->library; }
AssayDraft *assay_session_get_draft (AssaySession *self) { return self->draft; }
GListStore *assay_session_get_notices (AssaySession *self) { return self->notices; }
AssayLedger *assay_session_get_ledger (AssaySession *self) { return self->ledger; }
AssayRecord *assay_session_get_record (AssaySession *self) { return self->record; }
gboolean assay_session_is_running (AssaySession *self) { return self->trial_keeper != NULL; }
const char *assay_session_get_work (AssaySession *self) { return self->work; }

static void
assay_session_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  AssaySession *self = ASSAY_SESSION (object);
  switch (id)
    {
    case SESSION_PROP_LIBRARY: g_value_set_object (value, self->library); break;
    case SESSION_PROP_DRAFT: g_value_set_object (value, self->draft); break;
    case SESSION_PROP_NOTICES: g_value_set_object (value, self->notices); break;
    case SESSION_PROP_LEDGER: g_value_set_object (value, self->ledger); break;
    case SESSION_PROP_RECORD: g_value_set_object (value, self->record); break;
    case SESSION_PROP_TRIAL: g_value_set_object (value, self->trial); break;
    case SESSION_PROP_SHOWN_TRIAL: g_value_set_object (value, self->record == NULL ? self->trial : NULL); break;
    case SESSION_PROP_RUNNING: g_value_set_boolean (value, assay_session_is_running (self)); break;
    case SESSION_PROP_WORK: g_value_set_string (value, self->work); break;
    case SESSION_PROP_IDLE: g_value_set_boolean (value, assay_session_is_idle (self)); break;
    case SESSION_PROP_UNDO: g_value_set_object (value, assay_session_get_undo (self)); break;
    case SESSION_PROP_QUESTION_SET: g_value_set_string (value, self->question_set); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
assay_session_finalize (GObject *object)
{
  AssaySession *self = ASSAY_SESSION (object);
  session_unfollow_file (self);
  session_unwatch_draft (self);
  session_stop_foretelling (self);
  g_free (self->questions_from);
  g_free (self->draft_as_filled);
  g_free (self->draft_saved);
  g_clear_object (&self->settings);
  g_clear_object (&self->library);
  g_clear_object (&self->draft);
  g_clear_object (&self->notices);
  g_clear_pointer (&self->keepers, g_ptr_array_unref);
  g_clear_object (&self->ledger);
  g_clear_object (&self->record);
  g_clear_pointer (&self->questions, g_ptr_array_unref);
  g_free (self->suggested);
  g_free (self->question_set);
  g_clear_pointer (&self->bundled, g_ptr_array_unref);
  g_free (self->bundled_set);
  g_clear_object (&self->trial);
  g_clear_object (&self->trial_keeper);
  g_clear_pointer (&self->conditions, assay_values_unref);
  g_clear_pointer (&self->trial_questions, g_ptr_array_unref);
  g_clear_object (&self->trial_parent);
  g_free (self->trial_changed);
  g_clear_object (&self->trial_planned);
  session_unlock_queue (self);
  g_clear_object (&self->queue);
  g_clear_object (&self->queue_ledger);
  g_free (self->queue_ended);
  g_clear_object (&self->loading);
  g_clear_object (&self->inspecting);
  g_clear_pointer (&self->recovered, g_ptr_array_unref);
  g_free (self->work);
  G_OBJECT_CLASS (assay_session_parent_class)->finalize (object);
}

static void
assay_session_class_init (AssaySessionClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  object_class->get_property = assay_session_get_property;
  object_class->finalize = assay_session_finalize;
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;
#define OBJECT(ID, name, type) properties[SESSION_PROP_##ID] = g_param_spec_object (name, NULL, NULL, type, flags)
  OBJECT (LIBRARY, "library", ASSAY_TYPE_LIBRARY);
  OBJECT (DRAFT, "draft", ASSAY_TYPE_DRAFT);
  OBJECT (NOTICES, "notices", G_TYPE_LIST_STORE);
  OBJECT (LEDGER, "ledger", ASSAY_TYPE_LEDGER);
  OBJECT (RECORD, "record", ASSAY_TYPE_RECORD);
  OBJECT (TRIAL, "trial", ASSAY_TYPE_TRIAL);
  OBJECT (SHOWN_TRIAL, "shown-trial", ASSAY_TYPE_TRIAL);
  OBJECT (UNDO, "undo", ASSAY_TYPE_UNDO);
#undef OBJECT
  properties[SESSION_PROP_RUNNING] = g_param_spec_boolean ("running", NULL, NULL, FALSE, flags);
  properties[SESSION_PROP_WORK] = g_param_spec_string ("work", NULL, NULL, NULL, flags);
  properties[SESSION_PROP_IDLE] = g_param_spec_boolean ("idle", NULL, NULL, TRUE, flags);
  properties[SESSION_PROP_QUESTION_SET] = g_param_spec_string ("question-set", NULL, NULL, NULL, flags);
  g_object_class_install_properties (object_class, SESSION_N_PROPS, properties);
  happened_signal = g_signal_new ("happened", ASSAY_TYPE_SESSION, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 4,
                                  G_TYPE_STRING, G_TYPE_STRING, G_TYPE_STRING, G_TYPE_VARIANT);
  g_signal_new ("queue-changed", ASSAY_TYPE_SESSION, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
assay_session_init (AssaySession *self)
{
  self->notices = g_list_store_new (ASSAY_TYPE_NOTICE);
  self->keepers = g_ptr_array_new_with_free_func (g_object_unref);
  self->draft = assay_draft_new (ASSAY_TASK_LANGUAGE);
}

static void
session_on_library_folders (AssaySession *self)
{
  g_auto(GStrv) folders = assay_settings_dup_library_folders (self->settings);
  assay_library_set_folders (self->library, (const char *const *) folders);
}

AssaySession *
assay_session_new (AssaySettings *settings)
{
  AssaySession *self = g_object_new (ASSAY_TYPE_SESSION, NULL);
  self->settings = g_object_ref (settings);
  self->library = assay_library_new (NULL);
  session_on_library_folders (self);
  g_signal_connect_object (settings, "notify::library-folder", G_CALLBACK (session_on_library_folders), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (settings, "notify::more-library-folders", G_CALLBACK (session_on_library_folders), self,
                           G_CONNECT_SWAPPED);
  session_load_bundled_questions (self, NULL, NULL);
  session_offer_recovered (self);
  session_watch_draft (self);
  session_look_for_draft (self);
  return self;
}
