/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-edit.c: edits of a run, and taking an edit back.
 *
 * An edit is taken back from what the ledger holds now, not by putting the old record back: a review that came in from
 * another program meanwhile stays. */
#include "assay-edit.h"

#include <glib/gi18n-lib.h>

#include "assay-compare.h"
#include "assay-planned-private.h"
#include "assay-removed.h"

/* The run to edit, as an unsealed copy; NULL with NO_SUCH, or READ_ONLY for a damaged run. */
static AssayRecord *
ledger_begin_edit (AssayLedger *self, const char *run_id, GError **error)
{
  AssayRecord *record = assay_ledger_find_run (self, run_id);

  if (record == NULL)
    {
      g_set_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_NO_SUCH,
                   _("There is no run “%s” in this ledger"), run_id);
      return NULL;
    }
  if (assay_record_is_damaged (record))
    {
      g_set_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_READ_ONLY,
                   _("Run “%s” is damaged and kept as it is: %s"), run_id, record->damage);
      return NULL;
    }
  return assay_record_copy (record);
}

static gboolean
ledger_check_criterion (AssayLedger *self, const AssayScore *score, GError **error)
{
  const GPtrArray *criteria = self->criteria->criteria;
  if (assay_criteria_find (self->criteria, score->criterion) != NULL)
    return TRUE;
  g_autoptr(GString) known = g_string_new (NULL);
  for (guint i = 0; i < criteria->len; i++)
    g_string_append_printf (known, "%s%s", i == 0 ? "" : ", ",
                            ((AssayCriterion *) g_ptr_array_index (criteria, i))->id);
  g_set_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_NO_SUCH,
               _("“%s” is no criterion of this ledger; it has: %s"), score->criterion,
               known->len > 0 ? known->str : _("none"));
  return FALSE;
}

/* Nobody judges the answer to a question that was never put. */
static gboolean
ledger_check_question (AssayLedger *self, AssayRecord *record, const char *question, GError **error)
{
  for (guint i = 0; i < record->outputs->len; i++)
    if (g_strcmp0 (((AssayOutput *) g_ptr_array_index (record->outputs, i))->question, question) == 0)
      return TRUE;
  for (guint i = 0; i < self->questions->len; i++)
    if (g_strcmp0 (((AssayQuestion *) g_ptr_array_index (self->questions, i))->id, question) == 0)
      return TRUE;
  g_set_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_NO_SUCH,
               _("Run “%s” has no output to the question “%s”"), record->id, question);
  return FALSE;
}

static gboolean
ledger_check_review (AssayLedger *self, AssayRecord *record, const AssayReview *review, GError **error)
{
  if (review->reviewer == NULL || *review->reviewer == '\0' || review->at == NULL)
    {
      g_set_error_literal (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_VALUE,
                           _("A review needs its reviewer's name and its time"));
      return FALSE;
    }
  for (guint i = 0; i < record->reviews->len; i++)
    if (g_strcmp0 (((AssayReview *) g_ptr_array_index (record->reviews, i))->id, review->id) == 0)
      {
        g_set_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_VALUE, _("Review “%s” is there already"),
                     review->id);
        return FALSE;
      }
  for (guint i = 0; i < review->scores->len; i++)
    {
      const AssayScore *score = g_ptr_array_index (review->scores, i);
      if (!ledger_check_criterion (self, score, error)
          || (score->question != NULL && !ledger_check_question (self, record, score->question, error)))
        return FALSE;
      g_autofree char *problem = assay_criteria_check_score (self->criteria, score);
      if (problem == NULL)
        continue;
      g_set_error_literal (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_VALUE, problem);
      return FALSE;
    }
  return TRUE;
}

gboolean
assay_ledger_add_review (AssayLedger *self, const char *run_id, AssayReview *review, GError **error)
{
  g_autoptr(AssayRecord) edited = ledger_begin_edit (self, run_id, error);

  if (edited == NULL || !ledger_check_review (self, edited, review, error))
    return FALSE;
  g_ptr_array_add (edited->reviews, assay_review_copy (review));
  assay_record_seal (edited);
  assay_ledger_replace_run (self, edited);
  return TRUE;
}

gboolean
assay_ledger_set_next_trial (AssayLedger *self, const char *run_id, AssayNextTrial *next, GError **error)
{
  g_autoptr(AssayRecord) edited = ledger_begin_edit (self, run_id, error);

  if (edited == NULL)
    return FALSE;
  g_autofree char *problem = assay_record_check_next_trial (edited, next);
  if (problem != NULL)
    {
      g_set_error_literal (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_RULE, problem);
      return FALSE;
    }
  assay_record_take_next_trial (edited, assay_next_trial_copy (next));
  assay_record_seal (edited);
  assay_ledger_replace_run (self, edited);
  return TRUE;
}

gboolean
assay_ledger_set_accepted (AssayLedger *self, const char *run_id, gboolean accepted, GError **error)
{
  g_autoptr(AssayRecord) edited = ledger_begin_edit (self, run_id, error);
  g_autofree char *now = accepted ? assay_dup_now () : NULL;

  if (edited == NULL)
    return FALSE;
  g_autofree char *deviation = assay_compare_dup_deviation (edited);
  if (accepted && deviation == NULL)
    {
      g_set_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_RULE,
                   _("What was in effect in run “%s” is what was asked for: there is nothing to accept"), run_id);
      return FALSE;
    }
  if (accepted == (assay_record_get_accepted (edited) != NULL))
    return TRUE;
  assay_record_set_accepted (edited, now);
  assay_record_seal (edited);
  assay_ledger_replace_run (self, edited);
  return TRUE;
}

guint
assay_record_find_review (AssayRecord *self, const char *id)
{
  for (guint i = 0; i < self->reviews->len; i++)
    if (g_strcmp0 (((AssayReview *) g_ptr_array_index (self->reviews, i))->id, id) == 0)
      return i;
  return G_MAXUINT;
}

gboolean
assay_record_has_dropped_review (AssayRecord *self, const char *id)
{
  return self->dropped != NULL && id != NULL && g_strv_contains ((const char *const *) self->dropped, id);
}

void
assay_record_drop_review (AssayRecord *self, const char *id)
{
  const guint at = assay_record_find_review (self, id);
  g_return_if_fail (at != G_MAXUINT && !self->sealed);
  g_autoptr(GStrvBuilder) dropped = g_strv_builder_new ();
  if (self->dropped != NULL)
    g_strv_builder_addv (dropped, (const char **) self->dropped);
  g_strv_builder_add (dropped, id);
  g_strfreev (self->dropped);
  self->dropped = g_strv_builder_end (dropped);
  g_ptr_array_remove_index (self->reviews, at);
}

void
assay_record_restore_review (AssayRecord *self, guint position, const AssayReview *review)
{
  g_return_if_fail (!self->sealed);
  g_autoptr(GStrvBuilder) dropped = g_strv_builder_new ();
  for (char **p = self->dropped; p != NULL && *p != NULL; p++)
    if (g_strcmp0 (*p, review->id) != 0)
      g_strv_builder_add (dropped, *p);
  g_strfreev (self->dropped);
  self->dropped = g_strv_builder_end (dropped);
  g_ptr_array_insert (self->reviews, (gint) MIN (position, self->reviews->len), assay_review_copy (review));
}

gboolean
assay_ledger_remove_review (AssayLedger *self, const char *run_id, const char *review_id, GError **error)
{
  g_autoptr(AssayRecord) edited = ledger_begin_edit (self, run_id, error);

  if (edited == NULL)
    return FALSE;
  if (assay_record_find_review (edited, review_id) == G_MAXUINT)
    {
      g_set_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_NO_SUCH, _("Run “%s” has no review “%s”"), run_id,
                   review_id);
      return FALSE;
    }
  assay_record_drop_review (edited, review_id);
  assay_ledger_note_removed (self, run_id, review_id, 0);
  assay_record_seal (edited);
  assay_ledger_replace_run (self, edited);
  return TRUE;
}

/* ---- taking back ---- */

AssayEdit *
assay_edit_copy (const AssayEdit *self)
{
  AssayEdit *copy = g_new0 (AssayEdit, 1);
  g_set_object (&copy->before, self->before);
  g_set_object (&copy->after, self->after);
  copy->position = self->position;
  copy->title_before = g_strdup (self->title_before);
  copy->title_after = g_strdup (self->title_after);
  copy->criteria_before = self->criteria_before != NULL ? assay_criteria_copy (self->criteria_before) : NULL;
  copy->criteria_after = self->criteria_after != NULL ? assay_criteria_copy (self->criteria_after) : NULL;
  copy->preference_before = self->preference_before != NULL ? assay_preference_ref (self->preference_before) : NULL;
  copy->preference_after = self->preference_after != NULL ? assay_preference_ref (self->preference_after) : NULL;
  copy->planned_before = self->planned_before != NULL ? g_ptr_array_ref (self->planned_before) : NULL;
  copy->planned_after = self->planned_after != NULL ? g_ptr_array_ref (self->planned_after) : NULL;
  return copy;
}

void
assay_edit_free (AssayEdit *self)
{
  g_clear_object (&self->before);
  g_clear_object (&self->after);
  g_free (self->title_before);
  g_free (self->title_after);
  g_clear_pointer (&self->criteria_before, assay_criteria_free);
  g_clear_pointer (&self->criteria_after, assay_criteria_free);
  assay_preference_unref (self->preference_before);
  assay_preference_unref (self->preference_after);
  g_clear_pointer (&self->planned_before, g_ptr_array_unref);
  g_clear_pointer (&self->planned_after, g_ptr_array_unref);
  g_free (self);
}

/* A correction of a review comes with the one it supersedes: by number it still is one more. */
AssayEditKind
assay_edit_get_kind (const AssayEdit *self)
{
  if (self->title_before != NULL)
    return ASSAY_EDIT_TITLE;
  if (self->criteria_before != NULL)
    return ASSAY_EDIT_CRITERIA;
  if (self->planned_before != NULL)
    return ASSAY_EDIT_QUEUE;
  if (self->preference_before != NULL || self->preference_after != NULL)
    return self->preference_after != NULL ? ASSAY_EDIT_ADD_PREFERENCE : ASSAY_EDIT_REMOVE_PREFERENCE;
  if (self->before == NULL)
    return ASSAY_EDIT_ADD_RUN;
  if (self->after == NULL)
    return ASSAY_EDIT_REMOVE_RUN;
  if (self->after->reviews->len != self->before->reviews->len)
    return self->after->reviews->len > self->before->reviews->len ? ASSAY_EDIT_ADD_REVIEW : ASSAY_EDIT_REMOVE_REVIEW;
  return assay_next_trial_equal (self->before->next_trial, self->after->next_trial) ? ASSAY_EDIT_RUN : ASSAY_EDIT_PLAN;
}

/* Reviews that the edit brought go, those that it took come back to their places. */
static void
revert_reviews (AssayLedger *self, AssayRecord *edited, const AssayEdit *edit)
{
  for (guint i = 0; i < edit->after->reviews->len; i++)
    {
      const char *id = ((AssayReview *) g_ptr_array_index (edit->after->reviews, i))->id;
      if (assay_record_find_review (edited, id) == G_MAXUINT
          || assay_record_find_review (edit->before, id) != G_MAXUINT)
        continue;
      assay_record_drop_review (edited, id);
      assay_ledger_note_removed (self, edited->id, id, 0);
    }
  for (guint i = 0; i < edit->before->reviews->len; i++)
    {
      const AssayReview *review = g_ptr_array_index (edit->before->reviews, i);
      if (assay_record_find_review (edited, review->id) != G_MAXUINT)
        continue;
      assay_record_restore_review (edited, i, review);
      assay_ledger_forget_removed (self, edited->id, review->id);
    }
}

static gboolean
revert_refuse_changed (GError **error)
{
  g_set_error_literal (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_RULE,
                       _("It was changed again by another window or program since"));
  return FALSE;
}

static gboolean
revert_changed_run (AssayLedger *self, const AssayEdit *edit, GError **error)
{
  const AssayEditKind kind = assay_edit_get_kind (edit);
  AssayRecord *now = assay_ledger_find_run (self, edit->after->id);
  if (kind == ASSAY_EDIT_RUN && now != edit->after)
    return revert_refuse_changed (error);
  if (kind == ASSAY_EDIT_PLAN && now != NULL && !assay_next_trial_equal (now->next_trial, edit->after->next_trial))
    return revert_refuse_changed (error);
  g_autoptr(AssayRecord) edited =
    kind == ASSAY_EDIT_RUN ? assay_record_copy (edit->before) : ledger_begin_edit (self, edit->after->id, error);
  if (edited == NULL)
    return FALSE;
  revert_reviews (self, edited, edit);
  if (kind == ASSAY_EDIT_PLAN)
    assay_record_take_next_trial (edited, edit->before->next_trial != NULL
                                            ? assay_next_trial_copy (edit->before->next_trial) : NULL);
  assay_record_seal (edited);
  assay_ledger_replace_run (self, edited);
  return TRUE;
}

static gboolean
revert_run (AssayLedger *self, const AssayEdit *edit, GError **error)
{
  if (edit->before != NULL && edit->after != NULL)
    return revert_changed_run (self, edit, error);
  const char *id = edit->before != NULL ? edit->before->id : edit->after->id;
  const gboolean present = assay_ledger_find_run (self, id) != NULL;
  if (edit->before != NULL && !present)
    assay_ledger_insert_run (self, edit->position, edit->before);
  else if (edit->before == NULL && !present)
    {
      g_set_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_NO_SUCH, _("There is no run “%s” in this ledger"), id);
      return FALSE;
    }
  else if (edit->before == NULL)
    assay_ledger_remove_run (self, id);
  return TRUE;
}

gboolean
assay_ledger_revert (AssayLedger *self, const AssayEdit *edit, GError **error)
{
  g_return_val_if_fail (ASSAY_IS_LEDGER (self) && edit != NULL, FALSE);
  if (edit->title_before != NULL)
    {
      if (g_strcmp0 (assay_ledger_get_title (self), edit->title_after) != 0)
        return revert_refuse_changed (error);
      assay_ledger_set_title (self, edit->title_before);
      return TRUE;
    }
  if (edit->criteria_before != NULL)
    {
      assay_ledger_take_criteria (self, assay_criteria_copy (edit->criteria_before));
      return TRUE;
    }
  if (edit->preference_after != NULL)
    return assay_ledger_remove_preference (self, edit->preference_after->id, error);
  if (edit->preference_before != NULL)
    return assay_ledger_add_preference (self, edit->preference_before, error);
  if (edit->planned_before != NULL)
    {
      assay_ledger_revert_planned (self, edit->planned_before, edit->planned_after);
      return TRUE;
    }
  return revert_run (self, edit, error);
}
