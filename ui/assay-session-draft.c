/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-session-draft.c: what is being set up outlives the program.
 *
 * What a person changed since the form was filled is written soon after, one file a ledger, and is offered back, by
 * simply being there again, when that ledger is opened next. It goes when the trial is run, or when the form is what it
 * would be without it. */
#include "assay-session-private.h"

#include <glib/gi18n-lib.h>

#include "assay-draft-file.h"

#define SAVE_AFTER_MS 400

static GPtrArray *sessions; /* borrowed: every window's; NULL before the first */

static const char *
session_get_draft_key (AssaySession *self)
{
  return self->ledger != NULL ? assay_ledger_get_path (self->ledger) : NULL;
}

/* What follows from the rest, or is the ledger's, is no edit. (transfer full) */
static char *
session_dup_draft_text (AssaySession *self)
{
  AssayRecord *parent = assay_draft_get_parent (self->draft);
  g_autoptr(AssayValues) values = assay_values_copy (assay_draft_get_values (self->draft));
  assay_values_unset (values, ASSAY_FIELD_QUESTION_SET);
  const AssayDraftFile file = {
    .values = values,
    .parent = parent != NULL ? (char *) assay_record_get_id (parent) : NULL,
    .open = assay_draft_get_open_field (self->draft),
    .questions = self->questions_from,
  };
  return assay_draft_file_dup_text (&file);
}

static void
written_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(AssaySession) self = data;
  g_autoptr(GError) error = NULL;
  if (!assay_draft_file_write_finish (result, &error))
    session_post_error (self, "draft", _("What is set up here would be lost with this window"), error);
}

void
assay_session_save_draft (AssaySession *self)
{
  g_return_if_fail (ASSAY_IS_SESSION (self));
  const gboolean due = self->draft_due != 0;
  g_clear_handle_id (&self->draft_due, g_source_remove);
  if (!due || self->draft_as_filled == NULL)
    return;
  g_autofree char *text = session_dup_draft_text (self);
  if (g_strcmp0 (text, self->draft_saved) == 0)
    return;
  if (!g_str_equal (text, self->draft_as_filled))
    assay_draft_file_write_async (session_get_draft_key (self), text, written_cb, g_object_ref (self));
  else if (self->draft_saved != NULL)
    assay_draft_file_remove (session_get_draft_key (self));
  g_free (self->draft_saved);
  self->draft_saved = g_str_equal (text, self->draft_as_filled) ? NULL : g_steal_pointer (&text);
}

static gboolean
session_on_draft_due (gpointer data)
{
  assay_session_save_draft (data);
  return G_SOURCE_REMOVE;
}

/* The first edit sets the time: somebody who goes on typing is saved too. */
static void
session_on_draft_changed (AssaySession *self)
{
  if (self->draft_due == 0)
    self->draft_due = g_timeout_add (SAVE_AFTER_MS, session_on_draft_due, self);
}

void
session_watch_draft (AssaySession *self)
{
  if (sessions == NULL)
    sessions = g_ptr_array_new ();
  g_ptr_array_add (sessions, self);
  g_signal_connect_object (self->draft, "changed", G_CALLBACK (session_on_draft_changed), self, G_CONNECT_SWAPPED);
}

void
session_unwatch_draft (AssaySession *self)
{
  assay_session_save_draft (self);
  if (sessions != NULL)
    g_ptr_array_remove (sessions, self);
}

/* From here on an edit is what differs from what the form holds now. */
void
session_mark_draft (AssaySession *self)
{
  g_free (self->draft_as_filled);
  self->draft_as_filled = session_dup_draft_text (self);
}

/* Before the ledger becomes another one: what belongs to it is written. */
void
session_leave_draft (AssaySession *self)
{
  assay_session_save_draft (self);
  g_clear_pointer (&self->draft_saved, g_free);
  g_clear_pointer (&self->draft_as_filled, g_free);
  g_clear_pointer (&self->questions_from, g_free);
  assay_notices_dismiss (self->notices, "draft");
}

/* It is run: its record has it all. */
void
session_forget_draft (AssaySession *self)
{
  g_clear_handle_id (&self->draft_due, g_source_remove);
  assay_draft_file_remove (session_get_draft_key (self));
  g_clear_pointer (&self->draft_saved, g_free);
  session_mark_draft (self);
  assay_notices_dismiss (self->notices, "draft");
}

static void
session_tell_restored (AssaySession *self, const AssayDraftFile *file, gboolean orphan)
{
  g_autoptr(GDateTime) at = g_date_time_new_from_unix_local (file->saved_at);
  g_autofree char *when = at != NULL ? g_date_time_format (at, "%x %H:%M") : g_strdup ("");
  g_autofree char *message = g_strdup_printf (
    /* Translators: %s is a date and a time */
    orphan ? _("The trial that was being set up is restored from %s, as a baseline: the run that it continued is no "
               "longer in this ledger.")
           : _("The trial that was being set up is restored from %s."), when);
  AssayNotice *notice = assay_notice_new ("draft", FALSE, message);
  assay_notice_with_action (notice, _("Show"), "win.show-draft", NULL);
  assay_notice_with_action (notice, _("Discard"), "win.discard-draft", NULL);
  assay_notices_post (self->notices, notice);
}

static void
session_restore_child (AssaySession *self, const AssayDraftFile *file, AssayRecord *parent)
{
  g_autofree char *to = assay_values_dup_text (file->values, file->open);
  const char *path = assay_values_get_text (file->values, ASSAY_FIELD_MODEL_PATH);
  session_continue (self, parent, file->open, to);
  if (assay_draft_is_from_file (file->open) && path != NULL)
    assay_session_choose_model (self, path);
  else if (to == NULL)
    assay_draft_set_typed (self->draft, file->open, "");
}

static void
session_restore_questions (AssaySession *self, const char *from)
{
  if (from == NULL || assay_session_get_questions_lock (self) != NULL)
    return;
  if (*from != '\0')
    assay_session_use_questions_file (self, from);
  else
    assay_session_use_free_prompt (self);
}

static void
session_restore_draft (AssaySession *self, const AssayDraftFile *file)
{
  AssayRecord *parent =
    file->parent != NULL && self->ledger != NULL ? assay_ledger_find_run (self->ledger, file->parent) : NULL;
  if (parent != NULL && !assay_record_is_damaged (parent) && assay_draft_can_unlock (self->draft, file->open))
    session_restore_child (self, file, parent);
  else
    {
      assay_draft_start_baseline (self->draft, file->values);
      session_describe_model (self);
      session_restore_questions (self, file->questions);
    }
  session_tell_restored (self, file, file->parent != NULL && parent == NULL);
}

typedef struct
{
  AssaySession *session; /* owned */
  char *key;             /* owned: of which ledger */
} Restoring;

static void
restoring_free (gpointer data)
{
  Restoring *restoring = data;
  g_object_unref (restoring->session);
  g_free (restoring->key);
  g_free (restoring);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Restoring, restoring_free)

/* It is another window's, which still has it. */
static gboolean
session_shares_draft (AssaySession *self, const char *key)
{
  for (guint i = 0; i < sessions->len; i++)
    {
      AssaySession *other = g_ptr_array_index (sessions, i);
      if (other != self && other->draft_saved != NULL && g_strcmp0 (session_get_draft_key (other), key) == 0)
        return TRUE;
    }
  return FALSE;
}

/* Whoever began to edit, or to run, in the meantime is not disturbed. */
gboolean
session_is_as_filled (AssaySession *self)
{
  g_autofree char *text = session_dup_draft_text (self);
  return !assay_session_is_running (self) && g_strcmp0 (text, self->draft_as_filled) == 0;
}

static void
read_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(Restoring) restoring = data;
  AssaySession *self = restoring->session;
  g_autoptr(GError) error = NULL;
  g_autoptr(AssayDraftFile) file = assay_draft_file_read_finish (result, &error);
  if (g_strcmp0 (restoring->key, session_get_draft_key (self)) != 0)
    return;
  if (error != NULL)
    session_post_error (self, "draft", _("The trial that was being set up cannot be restored"), error);
  if (file == NULL || !session_is_as_filled (self) || session_shares_draft (self, restoring->key))
    return;
  session_restore_draft (self, file);
  g_free (self->draft_saved);
  self->draft_saved = session_dup_draft_text (self);
}

void
session_look_for_draft (AssaySession *self)
{
  Restoring *restoring = g_new0 (Restoring, 1);
  session_mark_draft (self);
  restoring->session = g_object_ref (self);
  restoring->key = g_strdup (session_get_draft_key (self));
  assay_draft_file_read_async (restoring->key, read_cb, restoring);
}

void
assay_session_discard_draft (AssaySession *self)
{
  g_return_if_fail (ASSAY_IS_SESSION (self));
  g_clear_pointer (&self->questions_from, g_free);
  if (self->ledger != NULL)
    assay_session_new_trial (self);
  else
    {
      session_set_questions (self, self->bundled, self->bundled_set);
      assay_draft_start_baseline (self->draft, NULL); /* knows no parent, so that nothing is taken over */
      assay_session_new_baseline (self);
    }
  session_forget_draft (self);
}
