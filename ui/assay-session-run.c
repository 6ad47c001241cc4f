/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-session-run.c: planning a trial, running it and its repeats one after another, and handing what came out to
 * the ledger. A run is in the recovery journal from before its start until a save holds it. */
#include "assay-session-private.h"

#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>

#include "assay-advice.h"
#include "assay-change.h"
#include "assay-foretell.h"
#include "assay-recovery.h"
#include "assay-store.h"

/* The first that names a value, so that the form opens ready to run. */
static AssayFieldId
session_pick_candidate (AssaySession *self, const AssayAdvice *advice, char **to)
{
  for (guint i = 0; advice != NULL && i < advice->candidates->len; i++)
    {
      const AssayCandidate *candidate = g_ptr_array_index (advice->candidates, i);
      if (candidate->field >= ASSAY_N_FIELDS || candidate->to == NULL || assay_draft_is_from_file (candidate->field) ||
          !assay_draft_can_unlock (self->draft, candidate->field))
        continue;
      *to = g_strdup (candidate->to);
      return candidate->field;
    }
  return ASSAY_FIELD_CONTEXT_LENGTH;
}

/* What the run's plan names; else what the table advises, until it is foretold. */
static AssayFieldId
session_suggest_field (AssaySession *self, AssayRecord *record, char **to, gboolean *is_planned)
{
  const AssayNextTrial *next = assay_record_get_next_trial (record);
  const AssayFieldId planned =
    next != NULL && next->invalid == NULL && next->axis != NULL ? assay_field_from_name (next->axis) : ASSAY_FIELD_INVALID;
  if (planned < ASSAY_N_FIELDS && assay_draft_can_unlock (self->draft, planned))
    {
      *to = g_strdup (next->to);
      *is_planned = TRUE;
      return planned;
    }
  g_autoptr(AssayAdvice) advice = assay_advice_for (self->ledger, record);
  return session_pick_candidate (self, advice, to);
}

void
session_stop_foretelling (AssaySession *self)
{
  if (self->foretelling != NULL)
    g_cancellable_cancel (self->foretelling);
  g_clear_object (&self->foretelling);
}

/* The draft was filled from a run: what it asks, and its model, follow. open: the field that may change. */
static void
session_follow_draft (AssaySession *self, AssayFieldId open)
{
  const gboolean asked_prompt = assay_draft_has_prompt (self->draft);
  GPtrArray *questions = self->ledger != NULL ? assay_ledger_get_questions (self->ledger) : NULL;
  if (asked_prompt && open != ASSAY_FIELD_PROMPT)
    session_set_questions (self, NULL, NULL);
  else if (questions != NULL && questions->len > 0)
    session_set_questions (self, questions, assay_ledger_get_question_set (self->ledger));
  session_describe_model (self);
}

/* A plan can name another model; which file that is only the person knows. */
static void
session_ask_for_file (AssaySession *self, AssayFieldId field, const char *to)
{
  assay_notices_dismiss (self->notices, "planned-file");
  if (to == NULL || !assay_draft_is_from_file (field))
    return;
  const char *label = g_dgettext (GETTEXT_PACKAGE, assay_field_get_info (field)->label);
  /* Translators: a field's label, and its planned value */
  g_autofree char *message = g_strdup_printf (_("The plan is %s: %s. Choose a model file that has it."), label, to);
  assay_notices_post (self->notices, assay_notice_new ("planned-file", FALSE, message));
}

void
session_continue (AssaySession *self, AssayRecord *parent, AssayFieldId field, const char *to)
{
  g_clear_pointer (&self->suggested, g_free);
  session_stop_foretelling (self);
  assay_notices_dismiss (self->notices, "unlocked");
  assay_draft_continue (self->draft, parent, field, to);
  session_ask_for_file (self, field, to);
  session_follow_draft (self, field);
}

/* What fits comes first, once the planner has said what does; whoever began to edit is not disturbed. */
static void
foretold_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  AssaySession *self = ASSAY_SESSION (source);
  g_autofree char *to = NULL;
  g_autoptr(AssayForetold) foretold = assay_foretell_finish (result, NULL);
  if (foretold == NULL || assay_draft_get_parent (self->draft) != foretold->record || !session_is_as_filled (self))
    return;
  const AssayFieldId field = session_pick_candidate (self, foretold->advice, &to);
  if (to == NULL || (field == assay_draft_get_open_field (self->draft) && g_strcmp0 (to, self->suggested) == 0))
    return;
  session_continue (self, foretold->record, field, to);
  self->suggested = g_steal_pointer (&to);
  session_mark_draft (self);
}

/* The run looked at, else the ledger's last; NULL where there is none to go on from. */
static AssayRecord *
session_find_run (AssaySession *self)
{
  AssayRecord *record = self->record;
  if (record == NULL && self->ledger != NULL && assay_ledger_get_n_runs (self->ledger) > 0)
    record = assay_ledger_get_run (self->ledger, assay_ledger_get_n_runs (self->ledger) - 1);
  return record != NULL && !assay_record_is_damaged (record) ? record : NULL;
}

/* A run that was broken off, or never began, measured nothing that one change could be held against. */
static gboolean
run_is_worth_continuing (AssayRecord *record)
{
  const AssayRunStatus status = assay_record_get_status (record);
  return status != ASSAY_STATUS_CANCELLED && status != ASSAY_STATUS_INTERRUPTED && status != ASSAY_STATUS_INVALID
         && status != ASSAY_STATUS_LOAD_FAILED;
}

static void
session_copy (AssaySession *self, AssayRecord *record)
{
  g_autoptr(AssayValues) from = assay_change_dup_base (record);
  g_clear_pointer (&self->suggested, g_free);
  session_stop_foretelling (self);
  assay_settings_fill_trial (self->settings, from);
  assay_draft_start_baseline (self->draft, from);
  session_follow_draft (self, ASSAY_FIELD_INVALID);
}

static void
session_tell_unlocked (AssaySession *self)
{
  AssayNotice *notice = assay_notice_new ("unlocked", FALSE, _("The run before was not carried through, so this is a "
                                                               "copy of it with every field open."));
  assay_notice_with_action (notice, _("Continue It with One Change"), "win.continue-run", NULL);
  assay_notices_post (self->notices, notice);
}

void
assay_session_copy_run (AssaySession *self)
{
  g_return_if_fail (ASSAY_IS_SESSION (self));
  AssayRecord *record = session_find_run (self);
  assay_notices_dismiss (self->notices, "unlocked");
  if (record != NULL)
    session_copy (self, record);
  else
    assay_session_new_baseline (self);
  session_mark_draft (self);
}

void
assay_session_new_trial (AssaySession *self)
{
  g_return_if_fail (ASSAY_IS_SESSION (self));
  AssayRecord *record = session_find_run (self);
  if (record != NULL && run_is_worth_continuing (record))
    {
      assay_session_continue_run (self);
      return;
    }
  assay_session_copy_run (self);
  if (record != NULL)
    session_tell_unlocked (self);
}

void
assay_session_continue_run (AssaySession *self)
{
  g_return_if_fail (ASSAY_IS_SESSION (self));
  gboolean planned = FALSE;
  g_autofree char *to = NULL;
  AssayRecord *record = session_find_run (self);
  if (record == NULL)
    {
      assay_session_copy_run (self);
      assay_notices_post (self->notices, assay_notice_new ("unlocked", FALSE,
                          _("There is no run to continue yet: this is a new baseline.")));
      return;
    }
  const AssayFieldId field = session_suggest_field (self, record, &to, &planned);
  session_continue (self, record, field, to);
  self->suggested = g_steal_pointer (&to);
  session_mark_draft (self);
  if (planned)
    return;
  self->foretelling = g_cancellable_new ();
  assay_foretell_async (self, self->ledger, record, self->foretelling, foretold_cb, NULL);
}

/* What a baseline starts from: the child at hand, but for a change that was only suggested. (transfer full) */
static AssayValues *
session_dup_baseline (AssaySession *self)
{
  AssayRecord *parent = assay_draft_get_parent (self->draft);
  if (parent == NULL || self->ledger == NULL)
    return assay_values_new ();
  const AssayValues *values = assay_draft_get_values (self->draft);
  g_autofree char *open = assay_values_dup_text (values, assay_draft_get_open_field (self->draft));
  const gboolean untouched = self->suggested != NULL && g_strcmp0 (open, self->suggested) == 0;
  return untouched ? assay_change_dup_base (parent) : assay_values_copy (values);
}

void
assay_session_new_baseline (AssaySession *self)
{
  g_return_if_fail (ASSAY_IS_SESSION (self));
  g_autoptr(AssayValues) from = session_dup_baseline (self);
  assay_settings_fill_trial (self->settings, from);
  assay_draft_start_baseline (self->draft, from);
}

void
assay_session_plan (AssaySession *self, const char *run_id, const char *field_name, const char *to)
{
  g_return_if_fail (ASSAY_IS_SESSION (self) && run_id != NULL && field_name != NULL);
  AssayRecord *record = self->ledger != NULL ? assay_ledger_find_run (self->ledger, run_id) : NULL;
  const AssayFieldId field = assay_field_from_name (field_name);
  if (record == NULL)
    return;
  if (field < ASSAY_N_FIELDS && assay_draft_can_unlock (self->draft, field))
    session_continue (self, record, field, to);
  else
    assay_session_new_trial (self);
  session_mark_draft (self); /* the plan is in the record */
}

/* "HuggingFaceTB/SmolLM2-135M-Instruct" names a ledger by its last part. */
static char *
session_dup_model_title (AssaySession *self)
{
  const AssayValues *values = assay_draft_get_values (self->draft);
  const char *id = assay_values_get_text (values, ASSAY_FIELD_MODEL_ID);
  const char *path = assay_values_get_text (values, ASSAY_FIELD_MODEL_PATH);
  if (id != NULL && *id != '\0')
    {
      const char *slash = strrchr (id, '/');
      return g_utf8_make_valid (slash != NULL && slash[1] != '\0' ? slash + 1 : id, -1);
    }
  return path != NULL ? g_filename_display_basename (path) : g_strdup (_("Untitled"));
}

/* A file name a person recognises; the ledger's own id keeps it apart from every other. */
static char *
session_dup_ledger_path (AssaySession *self, AssayLedger *ledger)
{
  g_autoptr(GString) name = g_string_new (NULL);
  for (const char *c = assay_ledger_get_title (ledger); *c != '\0' && name->len < 80; c = g_utf8_next_char (c))
    {
      const gunichar u = g_utf8_get_char (c);
      if (g_unichar_isalnum (u) || (name->len > 0 && (u == '.' || u == '_')))
        g_string_append_unichar (name, u);
      else if (name->len > 0 && name->str[name->len - 1] != '-')
        g_string_append_c (name, '-');
    }
  g_string_append_printf (name, "-%.6s" ASSAY_LEDGER_SUFFIX, assay_ledger_get_id (ledger));
  return g_build_filename (assay_library_get_folder (self->library), name->str, NULL);
}

static void
folder_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  g_mkdir_with_parents (data, 0700); /* what goes wrong here the save tells, with the file's name */
  g_task_return_boolean (task, TRUE);
}

/* A save makes no folder anew: one that has gone may be a disk that is not there. The default one is Assay's own. */
static void
session_make_library_folder (AssaySession *self)
{
  g_autofree char *own = assay_library_dup_default_folder ();
  if (g_strcmp0 (own, assay_library_get_folder (self->library)) != 0)
    return;
  g_autoptr(GTask) task = g_task_new (NULL, NULL, NULL, NULL);
  g_task_set_task_data (task, g_steal_pointer (&own), g_free);
  g_task_run_in_thread (task, folder_thread);
}

AssayLedger *
session_create_ledger (AssaySession *self, const char *title)
{
  g_autoptr(AssayLedger) ledger = assay_ledger_new (assay_draft_get_task (self->draft), title);
  assay_ledger_take_criteria (ledger, assay_criteria_new_default (assay_ledger_get_task (ledger)));
  g_autofree char *path = session_dup_ledger_path (self, ledger);
  assay_ledger_set_path (ledger, path);
  session_make_library_folder (self);
  session_set_ledger (self, ledger);
  return self->ledger;
}

static void session_run_next (AssaySession *self);

void
session_clear_trial (AssaySession *self)
{
  g_clear_object (&self->trial);
  g_clear_object (&self->trial_planned);
  g_clear_pointer (&self->conditions, assay_values_unref);
  g_clear_pointer (&self->trial_questions, g_ptr_array_unref);
  session_notify (self, SESSION_PROP_TRIAL);
  session_notify (self, SESSION_PROP_SHOWN_TRIAL);
}

void
session_end_run (AssaySession *self)
{
  session_clear_trial (self);
  g_autoptr(AssayKeeper) keeper = g_steal_pointer (&self->trial_keeper);
  session_notify (self, SESSION_PROP_RUNNING);
  session_notify (self, SESSION_PROP_IDLE);
}

static void
finished_written_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(AssaySession) self = data;
  g_autoptr(GError) error = NULL;
  if (!assay_recovery_write_finish (result, &error))
    session_post_error (self, "journal", _("The recovery journal cannot be written"), error);
}

/* Nothing ran: that is said where the person is, whatever view that may be. */
static void
session_report_refusal (AssaySession *self, AssayRecord *record)
{
  const char *error = assay_values_get_text (assay_record_get_outcome (record), ASSAY_FIELD_ERROR);
  assay_notices_dismiss (self->notices, "refused");
  if (assay_record_get_status (record) == ASSAY_STATUS_INVALID && error != NULL)
    assay_notices_post (self->notices, assay_notice_new ("refused", TRUE, error));
}

static void
session_on_finished (AssaySession *self, AssayRecord *record, AssayTrial *trial)
{
  AssayLedger *ledger = assay_keeper_get_ledger (self->trial_keeper);
  assay_keeper_add_journalled (self->trial_keeper, assay_record_get_id (record));
  assay_recovery_write_async (assay_ledger_get_path (ledger), record, finished_written_cb, g_object_ref (self));
  const gboolean was_shown = self->record == NULL && self->ledger == ledger;
  assay_ledger_add_run (ledger, record);
  self->repeats_left--;
  session_report_refusal (self, record);
  const gboolean more = self->repeats_left > 0 && !self->stopped;
  if (more)
    {
      session_run_next (self);
      return;
    }
  if (was_shown)
    assay_session_select (self, record);
  if (self->trial_planned != NULL)
    session_end_planned (self, record);
  else
    session_end_run (self);
}

static void
started_written_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(AssaySession) self = data;
  g_autoptr(GError) error = NULL;
  if (!assay_recovery_write_finish (result, &error))
    session_post_error (self, "journal", _("The recovery journal cannot be written; the run goes on without it"), error);
  if (self->trial != NULL && !assay_trial_is_running (self->trial))
    assay_trial_start (self->trial);
  if (self->trial != NULL && self->stopped)
    assay_trial_cancel (self->trial);
}

/* Journal first, start after: an app that dies in between leaves an interrupted run, never a lost one. */
static void
session_run_next (AssaySession *self)
{
  g_clear_object (&self->trial);
  const char *parent = self->trial_planned != NULL  ? assay_record_get_parent (self->trial_planned)
                       : self->trial_parent != NULL ? assay_record_get_id (self->trial_parent) : NULL;
  self->trial = assay_trial_new (self->conditions, self->trial_questions, parent, self->trial_changed);
  if (self->trial_planned != NULL)
    assay_trial_set_planned (self->trial, assay_record_get_id (self->trial_planned));
  if (self->trial_parent != NULL)
    assay_trial_set_parent (self->trial, self->trial_parent);
  g_signal_connect_object (self->trial, "finished", G_CALLBACK (session_on_finished), self, G_CONNECT_SWAPPED);
  g_autoptr(AssayRecord) started = assay_trial_dup_started_record (self->trial);
  const char *path = assay_ledger_get_path (assay_keeper_get_ledger (self->trial_keeper));
  assay_recovery_write_async (path, started, started_written_cb, g_object_ref (self));
  session_notify (self, SESSION_PROP_TRIAL);
  session_notify (self, SESSION_PROP_SHOWN_TRIAL);
}

static void
session_begin_run (AssaySession *self)
{
  AssayRecord *parent = assay_draft_get_parent (self->draft);
  self->stopped = FALSE;
  assay_notices_dismiss (self->notices, "unlocked");
  assay_notices_dismiss (self->notices, "planned-file");
  session_forget_draft (self);
  self->conditions = assay_draft_dup_conditions (self->draft);
  self->trial_questions = !assay_draft_has_prompt (self->draft) && self->questions != NULL
                            ? g_ptr_array_ref (self->questions) : NULL;
  g_set_object (&self->trial_parent, parent);
  g_free (self->trial_changed);
  self->trial_changed = g_strdup (assay_draft_get_changed (self->draft));
  if (!assay_values_get_integer (self->conditions, ASSAY_FIELD_REPEATS, &self->repeats_left))
    self->repeats_left = 1;
  self->trial_keeper = g_object_ref (session_keep (self, self->ledger));
  g_clear_object (&self->record);
  session_run_next (self);
  session_notify (self, SESSION_PROP_RECORD);
  session_notify (self, SESSION_PROP_RUNNING);
  session_notify (self, SESSION_PROP_IDLE);
}

/* Of a queue, in which the next trial may follow without anybody's doing: the view stays what a person made it, and only
 * one who follows is shown the new one. */
void
session_run_planned (AssaySession *self, AssayLedger *ledger, AssayRecord *planned)
{
  const char *parent_id = assay_record_get_parent (planned);
  AssayRecord *parent = parent_id != NULL ? assay_ledger_find_run (ledger, parent_id) : NULL;
  const char *shown = self->record != NULL ? assay_record_get_id (self->record) : NULL;
  const guint n = assay_ledger_get_n_runs (ledger);
  const char *newest = n > 0 ? assay_record_get_id (assay_ledger_get_run (ledger, n - 1)) : NULL;
  const gboolean follows = self->ledger == ledger && (shown == NULL || g_strcmp0 (shown, newest) == 0);
  GPtrArray *questions = assay_queue_get_questions (ledger, planned);
  self->stopped = FALSE;
  self->conditions = assay_values_ref (assay_record_get_conditions (planned));
  self->trial_questions = questions != NULL ? g_ptr_array_ref (questions) : NULL;
  g_set_object (&self->trial_parent, parent);
  g_free (self->trial_changed);
  self->trial_changed = g_strdup (assay_record_get_changed (planned));
  g_set_object (&self->trial_planned, planned);
  self->repeats_left = 1; /* the queue counts them */
  if (follows)
    g_clear_object (&self->record);
  session_run_next (self);
  if (follows)
    session_notify (self, SESSION_PROP_RECORD);
}

gboolean
session_prepare_ledger (AssaySession *self)
{
  if (self->ledger != NULL && assay_ledger_is_read_only (self->ledger))
    {
      assay_notices_post (self->notices, assay_notice_new ("read-only", TRUE,
                          _("This ledger is open for reading only: a run needs another ledger (New Ledger in the menu).")));
      return FALSE;
    }
  if (self->ledger == NULL)
    {
      g_autofree char *title = session_dup_model_title (self);
      session_forget_draft (self); /* of the trial without a ledger; below, of the ledger's */
      session_create_ledger (self, title);
    }
  if (assay_ledger_get_n_runs (self->ledger) == 0 && self->questions != NULL)
    assay_ledger_take_questions (self->ledger, g_ptr_array_ref (self->questions), self->question_set);
  return TRUE;
}

void
assay_session_start (AssaySession *self)
{
  g_return_if_fail (ASSAY_IS_SESSION (self));
  if (!assay_session_is_running (self) && assay_draft_get_problem (self->draft) == NULL && session_prepare_ledger (self))
    session_begin_run (self);
}

void
assay_session_stop (AssaySession *self)
{
  g_return_if_fail (ASSAY_IS_SESSION (self));
  self->stopped = TRUE;
  if (self->queue != NULL)
    assay_queue_stop (self->queue);
  if (self->trial != NULL)
    assay_trial_cancel (self->trial);
}
