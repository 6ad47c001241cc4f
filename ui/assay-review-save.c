/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-review-save.c: from what a person entered to a review in the ledger, or to the reason why not. */
#include "assay-review-view-private.h"

#include <glib/gi18n-lib.h>

#include "assay-blind.h"
#include "assay-review-gaps.h"
#include "assay-review-next.h"
#include "assay-review-shelf.h"

static gboolean
view_has_name (AssayReviewView *self)
{
  g_autofree char *name = g_strdup (self->reviewer_name);

  return *g_strstrip (name) != '\0';
}

/* What is missing before the review may be saved; moves the focus there. (transfer full) */
static char *
view_dup_obstacle (AssayReviewView *self)
{
  if (!view_has_name (self))
    {
      gtk_widget_grab_focus (GTK_WIDGET (self->reviewer));
      return g_strdup (_("Not saved: enter your name first, so that it is clear whose judgment this is."));
    }
  if (assay_review_draft_is_empty (self->draft))
    return g_strdup (_("Nothing to save yet: give a verdict, and scores or a note."));
  if (self->draft->review->verdict == ASSAY_VERDICT_NOT_JUDGED)
    {
      gtk_widget_grab_focus (GTK_WIDGET (self->pass));
      return g_strdup (_("Not saved: set the verdict, pass or fail; it is yours to give."));
    }
  return NULL;
}

/* Answers that are not rated */

void
review_view_hide_gaps (AssayReviewView *self)
{
  self->gaps_accepted = FALSE;
  gtk_widget_set_visible (self->gaps_part, FALSE);
}

static AssayReviewGaps *
view_find_gaps (AssayReviewView *self)
{
  return assay_review_gaps_new (self->draft, assay_ledger_get_criteria (self->ledger),
                                assay_record_get_outputs (self->record));
}

/* FALSE: a person is asked, in place, and nothing is saved yet. action: what saves when that is accepted; static. */
static gboolean
view_accepts_gaps (AssayReviewView *self, const char *action)
{
  g_autoptr(AssayReviewGaps) gaps = view_find_gaps (self);

  if (gaps->first == NULL || self->gaps_accepted)
    return TRUE;
  g_autofree char *count = assay_review_gaps_dup_count (gaps);
  g_autofree char *missing = assay_review_gaps_dup_missing (gaps);
  gtk_label_set_text (self->gaps, count);
  gtk_label_set_text (self->gaps_missing, missing);
  self->asked_by = action;
  review_view_say (self, NULL, FALSE);
  gtk_widget_set_visible (self->gaps_part, TRUE);
  gtk_widget_grab_focus (self->to_gap);
  review_view_show_part (self, self->gaps_part);
  return FALSE;
}

static void
on_save_anyway (GtkWidget *widget, const char *action, GVariant *parameter)
{
  AssayReviewView *self = ASSAY_REVIEW_VIEW (widget);

  self->gaps_accepted = TRUE;
  gtk_widget_activate_action (widget, self->asked_by, NULL);
  review_view_hide_gaps (self);
}

static void
on_go_to_gap (GtkWidget *widget, const char *action, GVariant *parameter)
{
  AssayReviewView *self = ASSAY_REVIEW_VIEW (widget);

  if (self->draft == NULL)
    return;
  g_autoptr(AssayReviewGaps) gaps = view_find_gaps (self);
  review_view_hide_gaps (self);
  if (gaps->first == NULL)
    return;
  if (gaps->first->per_question && gaps->first_question != NULL)
    assay_answer_view_go_to (self->answers, gaps->first_question);
  assay_rubric_focus (self->rubric, gaps->first->id);
}

/* To the ledger */

/* (transfer full): the review as the ledger has it; NULL when it refused, and the view says why */
static AssayReview *
view_record_draft (AssayReviewView *self, const char *of_run, AssayReviewDraft *draft)
{
  g_autofree char *run_id = g_strdup (of_run); /* what it stands in goes: the record is replaced, the draft dropped */
  g_autofree char *name = g_strstrip (g_strdup (self->reviewer_name));
  g_autoptr(GError) error = NULL;
  AssayRecord *run = assay_ledger_find_run (self->ledger, run_id);
  const gboolean blind = draft->blind;

  assay_review_draft_rebase (draft, run != NULL ? assay_review_find_own (run, name) : NULL);
  g_autoptr(AssayReview) review = assay_review_draft_finish (draft, name, assay_ledger_get_criteria (self->ledger));
  if (blind)
    assay_blind_stamp_review (self->ledger, review, draft->order_seed);
  if (assay_ledger_add_review (self->ledger, run_id, review, &error))
    {
      assay_review_drafts_drop (self->drafts, run_id, blind);
      return g_steal_pointer (&review);
    }
  review_view_say (self, error->message, TRUE);
  return NULL;
}

static void
view_remember_reviewer (AssayReviewView *self, const char *name)
{
  g_auto(GStrv) names = assay_reviewers_remember ((const char *const *) self->reviewers, name);

  assay_review_view_set_reviewer (self, name);
  g_object_set (self, "reviewers", names, NULL);
}

static gboolean
view_save (AssayReviewView *self, const char *action)
{
  if (self->draft == NULL)
    return FALSE;
  g_autofree char *obstacle = view_dup_obstacle (self);
  if (obstacle != NULL)
    {
      review_view_say (self, obstacle, TRUE);
      return FALSE;
    }
  if (!self->draft->dirty)
    return TRUE;
  if (!view_accepts_gaps (self, action))
    return FALSE;
  self->gaps_accepted = FALSE;
  g_autoptr(AssayReview) review = view_record_draft (self, assay_record_get_id (self->record), self->draft);
  if (review == NULL)
    return FALSE;
  view_remember_reviewer (self, review->reviewer);
  review_view_take_draft (self, assay_review_draft_new (review));
  return TRUE;
}

gboolean
assay_review_view_can_save_drafts (AssayReviewView *self)
{
  GHashTableIter iter;
  gpointer key, draft;

  g_return_val_if_fail (ASSAY_IS_REVIEW_VIEW (self), FALSE);
  if (self->ledger == NULL || assay_ledger_is_read_only (self->ledger) || !view_has_name (self))
    return FALSE;
  if (self->draft != NULL && self->draft->dirty
      && self->draft->review->verdict == ASSAY_VERDICT_NOT_JUDGED)
    return FALSE;
  g_hash_table_iter_init (&iter, assay_review_drafts_get_aside (self->drafts));
  while (g_hash_table_iter_next (&iter, &key, &draft)) /* some may be about runs that are gone */
    if (assay_ledger_find_run (self->ledger, assay_review_shelf_get_run (key)) == NULL
        || ((AssayReviewDraft *) draft)->review->verdict == ASSAY_VERDICT_NOT_JUDGED)
      return FALSE;
  return TRUE;
}

gboolean
assay_review_view_save_drafts (AssayReviewView *self)
{
  g_return_val_if_fail (assay_review_view_can_save_drafts (self), FALSE);
  if (self->draft != NULL && self->draft->dirty)
    {
      self->gaps_accepted = TRUE; /* a person who leaves has decided */
      if (!view_save (self, NULL))
        return FALSE;
    }
  g_autoptr(GList) keys = g_hash_table_get_keys (assay_review_drafts_get_aside (self->drafts));
  for (GList *at = keys; at != NULL; at = at->next)
    {
      AssayReviewDraft *draft = g_hash_table_lookup (assay_review_drafts_get_aside (self->drafts), at->data);
      g_autoptr(AssayReview) review = view_record_draft (self, assay_review_shelf_get_run (at->data), draft);
      if (review == NULL)
        return FALSE;
    }
  g_object_notify (G_OBJECT (self), "has-drafts");
  return TRUE;
}

static void
on_save (GtkWidget *widget, const char *action, GVariant *parameter)
{
  AssayReviewView *self = ASSAY_REVIEW_VIEW (widget);

  if (view_save (self, "review.save") && self->mode == REVIEW_BLIND)
    review_view_reveal (self, self->draft->review);
}

/* The verdict of the thresholds is told beside the next run: it was not to be seen before this one was saved. Of what was
 * judged blind it is told on a page of its own. */
static void
on_save_next (GtkWidget *widget, const char *action, GVariant *parameter)
{
  AssayReviewView *self = ASSAY_REVIEW_VIEW (widget);

  if (!view_save (self, "review.save-next"))
    return;
  if (self->mode == REVIEW_BLIND)
    {
      review_view_reveal (self, self->draft->review);
      return;
    }
  g_autoptr(AssayRecord) judged = g_object_ref (self->record);
  g_autoptr(AssayReview) review = assay_review_copy (self->draft->review);
  AssayRecord *next = assay_review_find_next (self->ledger, judged, self->reviewer_name);
  g_signal_emit_by_name (self, "next-run", next);
  if (self->record == NULL || g_str_equal (assay_record_get_id (self->record), assay_record_get_id (judged)))
    return;
  review_view_show_outcome (self, review, assay_record_get_id (judged));
  review_view_begin_answer (self);
}

static void
on_discard (GtkWidget *widget, const char *action, GVariant *parameter)
{
  AssayReviewView *self = ASSAY_REVIEW_VIEW (widget);

  if (self->draft == NULL || self->record == NULL)
    return;
  assay_review_drafts_drop (self->drafts, assay_record_get_id (self->record), self->draft->blind);
  review_view_begin_draft (self);
}

void
review_view_install_save (GtkWidgetClass *widget_class)
{
  gtk_widget_class_install_action (widget_class, "review.save", NULL, on_save);
  gtk_widget_class_install_action (widget_class, "review.save-next", NULL, on_save_next);
  gtk_widget_class_install_action (widget_class, "review.discard", NULL, on_discard);
  gtk_widget_class_install_action (widget_class, "review.save-anyway", NULL, on_save_anyway);
  gtk_widget_class_install_action (widget_class, "review.go-to-gap", NULL, on_go_to_gap);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewView, gaps_part);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewView, gaps);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewView, gaps_missing);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewView, to_gap);
}
