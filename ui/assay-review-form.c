/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-review-form.c: rubric, verdict and note: they show a draft, and what a person enters goes into it. */
#include "assay-review-view-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "assay-review-next.h"
#include "assay-review-words.h"

#define NOTE_LIMIT 20000 /* characters */

void
review_view_say (AssayReviewView *self, const char *words, gboolean problem)
{
  g_clear_pointer (&self->told, assay_review_free);
  g_clear_pointer (&self->told_run, g_free);
  gtk_label_set_text (self->message, words != NULL ? words : "");
  gtk_widget_set_visible (GTK_WIDGET (self->message), words != NULL);
  if (problem)
    {
      gtk_widget_add_css_class (GTK_WIDGET (self->message), "error");
      review_view_show_part (self, GTK_WIDGET (self->message));
    }
  else
    gtk_widget_remove_css_class (GTK_WIDGET (self->message), "error");
}

/* Something was begun: whether it will still be there tomorrow. */
static void
view_show_kept (AssayReviewView *self)
{
  const char *problem = assay_review_drafts_get_problem (self->drafts);
  g_autofree char *words
    = problem != NULL ? g_strdup_printf (_("Begun, and not kept: %s. Save it before you leave."), problem)
                      : g_strdup (_("Begun, not saved: kept on this computer until you save it."));

  gtk_label_set_text (self->kept, words);
  gtk_widget_set_visible (self->kept_part, self->draft != NULL && self->draft->dirty);
  gtk_widget_set_css_classes (GTK_WIDGET (self->kept),
                              problem != NULL ? (const char *[]) { "error", NULL }
                                              : (const char *[]) { "dim-label", "caption", NULL });
}

void
review_view_load_scores (AssayReviewView *self)
{
  const guint n_answers = self->record != NULL ? assay_record_get_outputs (self->record)->len : 0;

  assay_rubric_load (self->rubric, self->draft, assay_answer_view_get_question (self->answers), n_answers);
}

/* Whether this reviewer has judged this run: then what the machine would say may be seen. */
static gboolean
view_is_judged (AssayReviewView *self)
{
  return self->draft != NULL && self->draft->base != NULL
         && g_strcmp0 (self->draft->base_reviewer, self->reviewer_name) == 0;
}

void
review_view_show_outcome (AssayReviewView *self, const AssayReview *review, const char *run_id)
{
  g_autoptr(AssayReview) told = assay_review_copy (review);
  g_autofree char *run = g_strdup (run_id);
  g_autofree char *words = assay_review_words_dup_outcome (self->ledger, told, run);

  review_view_say (self, words, FALSE);
  self->told = g_steal_pointer (&told);
  self->told_run = g_steal_pointer (&run);
}

void
review_view_show_judged (AssayReviewView *self)
{
  const gboolean judged = view_is_judged (self) && self->mode != REVIEW_BLIND;

  assay_answer_view_set_hints_shown (self->answers, judged);
  gtk_widget_set_visible (GTK_WIDGET (self->correcting), judged);
  gtk_label_set_text (
      self->correcting,
      _("You reviewed this run. Saving again corrects that review; it stays in the ledger."));
  if (judged && !self->draft->dirty)
    review_view_show_outcome (self, self->draft->review, NULL);
}

static void
view_load_form (AssayReviewView *self)
{
  const AssayReview *review = self->draft != NULL ? self->draft->review : NULL;
  g_autofree char *note = review != NULL && review->quality_note != NULL
                            ? g_utf8_make_valid (review->quality_note, -1) : g_strdup ("");

  self->loading = TRUE;
  review_view_load_scores (self);
  gtk_text_buffer_set_text (gtk_text_view_get_buffer (self->note), note, -1);
  gtk_toggle_button_set_active (self->pass, review != NULL && review->verdict == ASSAY_VERDICT_PASS);
  gtk_toggle_button_set_active (self->fail, review != NULL && review->verdict == ASSAY_VERDICT_FAIL);
  self->loading = FALSE;
  review_view_hide_gaps (self);
  review_view_say (self, NULL, FALSE);
  review_view_show_judged (self);
  view_show_kept (self);
  review_view_notify_drafts (self);
}

static void
view_edited (AssayReviewView *self)
{
  self->draft->dirty = TRUE;
  assay_review_drafts_edited (self->drafts, assay_record_get_id (self->record), self->draft);
  review_view_say (self, NULL, FALSE);
  review_view_hide_gaps (self);
  view_show_kept (self);
  review_view_notify_drafts (self);
}

static void
on_scored (AssayRubric *rubric, const char *criterion, const char *question, int value, AssayReviewView *self)
{
  if (self->draft == NULL)
    return;
  assay_review_draft_set_score (self->draft, criterion, question, value);
  review_view_load_scores (self);
  view_edited (self);
}

/* The rows stay as they are: a person is typing into one. */
static void
on_worded (AssayRubric *rubric, const char *criterion, const char *question, const char *words, AssayReviewView *self)
{
  if (self->draft == NULL)
    return;
  assay_review_draft_set_words (self->draft, criterion, question, words);
  view_edited (self);
}

/* Two buttons of which none need be down: a person may take a verdict back. */
static void
on_verdict_toggled (GtkToggleButton *button, AssayReviewView *self)
{
  GtkToggleButton *other = button == self->pass ? self->fail : self->pass;

  if (self->loading || self->draft == NULL)
    return;
  if (gtk_toggle_button_get_active (button))
    {
      self->loading = TRUE;
      gtk_toggle_button_set_active (other, FALSE);
      self->loading = FALSE;
    }
  self->draft->review->verdict = gtk_toggle_button_get_active (self->pass)   ? ASSAY_VERDICT_PASS
                                 : gtk_toggle_button_get_active (self->fail) ? ASSAY_VERDICT_FAIL
                                                                             : ASSAY_VERDICT_NOT_JUDGED;
  view_edited (self);
}

static void
on_note_changed (GtkTextBuffer *buffer, AssayReviewView *self)
{
  GtkTextIter start, end;

  if (self->loading || self->draft == NULL)
    return;
  gtk_text_buffer_get_bounds (buffer, &start, &end);
  g_free (self->draft->review->quality_note);
  self->draft->review->quality_note = gtk_text_buffer_get_text (buffer, &start, &end, FALSE);
  view_edited (self);
}

/* Before the text goes in: pasting a hundred megabytes must not stop the window. */
static void
on_note_insert (GtkTextBuffer *buffer, GtkTextIter *at, const char *text, int length, AssayReviewView *self)
{
  const gsize n_bytes = length < 0 ? strlen (text) : (gsize) length;
  const gsize room = MAX (NOTE_LIMIT - gtk_text_buffer_get_char_count (buffer), 0);

  if (self->loading || n_bytes <= room
      || (n_bytes <= room * 4 && (gsize)g_utf8_strlen (text, n_bytes) <= room))
    return;
  g_signal_stop_emission_by_name (buffer, "insert-text");
  review_view_say (self, _("Not inserted: a note holds at most 20000 characters."), TRUE);
}

void
review_view_take_draft (AssayReviewView *self, AssayReviewDraft *draft)
{
  assay_review_draft_free (self->draft);
  self->draft = draft;
  view_load_form (self);
}

/* Puts what is being written aside under the run it is about. */
void
review_view_stash_draft (AssayReviewView *self)
{
  if (self->draft != NULL && self->draft->dirty && self->record != NULL)
    assay_review_drafts_put_aside (self->drafts, assay_record_get_id (self->record), g_steal_pointer (&self->draft));
  g_clear_pointer (&self->draft, assay_review_draft_free);
}

void
review_view_begin_draft (AssayReviewView *self)
{
  if (!review_view_may_review (self))
    {
      review_view_take_draft (self, NULL);
      return;
    }
  const gboolean blind = self->mode == REVIEW_BLIND;
  const AssayReview *own = assay_review_find_own (self->record, self->reviewer_name);
  AssayReviewDraft *draft = assay_review_drafts_take_up (self->drafts, assay_record_get_id (self->record), blind);
  if (draft == NULL)
    draft = assay_review_draft_new (own);
  else
    assay_review_draft_rebase (draft, own);
  draft->blind = blind;
  draft->order_seed = blind ? self->seed : 0;
  review_view_take_draft (self, draft);
}

/* What an earlier program left has been read. */
static void
on_drafts_loaded (AssayReviewView *self)
{
  if (self->draft == NULL || !self->draft->dirty)
    review_view_begin_draft (self);
  review_view_notify_drafts (self);
}

void
review_view_bind_form (GtkWidgetClass *widget_class)
{
  gtk_widget_class_bind_template_child (widget_class, AssayReviewView, correcting);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewView, kept);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewView, kept_part);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewView, message);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewView, rubric);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewView, note);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewView, pass);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewView, fail);
  gtk_widget_class_bind_template_callback (widget_class, on_scored);
  gtk_widget_class_bind_template_callback (widget_class, on_worded);
  gtk_widget_class_bind_template_callback (widget_class, on_verdict_toggled);
}

void
review_view_init_form (AssayReviewView *self)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (self->note);

  g_signal_connect_object (self->drafts, "loaded", G_CALLBACK (on_drafts_loaded), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->drafts, "kept", G_CALLBACK (view_show_kept), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (buffer, "insert-text", G_CALLBACK (on_note_insert), self, 0);
  g_signal_connect_object (buffer, "changed", G_CALLBACK (on_note_changed), self, 0);
}
