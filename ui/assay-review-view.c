/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-review-view-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "assay-past-review.h"
#include "assay-review-next.h"
#include "assay-review-words.h"
#include "assay-rubric-editor.h"

#define NOTE_LIMIT 20000 /* characters */

enum { PROP_0, PROP_LEDGER, PROP_RECORD, PROP_REVIEWER, PROP_REVIEWERS, PROP_HAS_DRAFTS, N_PROPS };
enum { NEXT_RUN, PROBLEM, N_SIGNALS };

static GParamSpec *properties[N_PROPS];
static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (AssayReviewView, assay_review_view, ADW_TYPE_BIN)

void
review_view_say (AssayReviewView *self, const char *words, gboolean problem)
{
  g_clear_pointer (&self->told, assay_review_free);
  g_clear_pointer (&self->told_run, g_free);
  gtk_label_set_text (self->message, words != NULL ? words : "");
  gtk_widget_set_visible (GTK_WIDGET (self->message), words != NULL);
  if (problem)
    gtk_widget_add_css_class (GTK_WIDGET (self->message), "error");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (self->message), "error");
}

static gboolean
view_may_review (AssayReviewView *self)
{
  return self->ledger != NULL && self->record != NULL && !assay_record_is_damaged (self->record)
         && assay_record_get_outputs (self->record)->len > 0;
}

gboolean
assay_review_view_has_drafts (AssayReviewView *self)
{
  g_return_val_if_fail (ASSAY_IS_REVIEW_VIEW (self), FALSE);
  return g_hash_table_size (assay_review_drafts_get_aside (self->drafts)) > 0
         || (self->draft != NULL && self->draft->dirty);
}

gboolean
assay_review_view_would_lose (AssayReviewView *self)
{
  g_return_val_if_fail (ASSAY_IS_REVIEW_VIEW (self), FALSE);
  return assay_review_view_has_drafts (self) && assay_review_drafts_get_problem (self->drafts) != NULL;
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

static void
view_load_scores (AssayReviewView *self)
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

/* The ledger in memory was changed at once; only its file makes a review saved. */
static void
on_ledger_saved (AssayReviewView *self)
{
  if (self->told != NULL)
    review_view_show_outcome (self, self->told, self->told_run);
}

static void
view_show_judged (AssayReviewView *self)
{
  const gboolean judged = view_is_judged (self);

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
  view_load_scores (self);
  gtk_text_buffer_set_text (gtk_text_view_get_buffer (self->note), note, -1);
  gtk_toggle_button_set_active (self->pass, review != NULL && review->verdict == ASSAY_VERDICT_PASS);
  gtk_toggle_button_set_active (self->fail, review != NULL && review->verdict == ASSAY_VERDICT_FAIL);
  self->loading = FALSE;
  review_view_say (self, NULL, FALSE);
  view_show_judged (self);
  view_show_kept (self);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_HAS_DRAFTS]);
}

static void
view_edited (AssayReviewView *self)
{
  self->draft->dirty = TRUE;
  assay_review_drafts_edited (self->drafts, assay_record_get_id (self->record), self->draft);
  review_view_say (self, NULL, FALSE);
  view_show_kept (self);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_HAS_DRAFTS]);
}

static void
on_scored (AssayRubric *rubric, const char *criterion, const char *question, int value, AssayReviewView *self)
{
  if (self->draft == NULL)
    return;
  assay_review_draft_set_score (self->draft, criterion, question, value);
  view_load_scores (self);
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
static void
view_stash_draft (AssayReviewView *self)
{
  if (self->draft != NULL && self->draft->dirty && self->record != NULL)
    assay_review_drafts_put_aside (self->drafts, assay_record_get_id (self->record), g_steal_pointer (&self->draft));
  g_clear_pointer (&self->draft, assay_review_draft_free);
}

void
review_view_begin_draft (AssayReviewView *self)
{
  if (!view_may_review (self))
    {
      review_view_take_draft (self, NULL);
      return;
    }
  AssayReviewDraft *draft = assay_review_drafts_take_up (self->drafts, assay_record_get_id (self->record));
  if (draft == NULL)
    draft = assay_review_draft_new (assay_review_find_own (self->record, self->reviewer_name));
  review_view_take_draft (self, draft);
}

/* What an earlier program left has been read. */
static void
on_drafts_loaded (AssayReviewView *self)
{
  if (self->draft == NULL || !self->draft->dirty)
    review_view_begin_draft (self);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_HAS_DRAFTS]);
}

static void
on_reviewer_changed (AssayReviewView *self)
{
  const char *name = assay_reviewer_entry_get_name (self->reviewer);

  if (g_strcmp0 (name, self->reviewer_name) == 0)
    return;
  g_free (self->reviewer_name);
  self->reviewer_name = g_strdup (name);
  if (self->draft != NULL && !self->draft->dirty)
    review_view_begin_draft (self);
  else
    view_show_judged (self);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_REVIEWER]);
}

static void
on_correct (GtkButton *button, AssayReviewView *self)
{
  const char *id = assay_past_review_get_id (GTK_WIDGET (button));
  GPtrArray *reviews = assay_record_get_reviews (self->record);

  if (self->draft != NULL && self->draft->dirty)
    {
      review_view_say (self, _("Save or discard the review you began, then correct the other."), TRUE);
      return;
    }
  for (guint i = 0; i < reviews->len; i++)
    {
      const AssayReview *review = g_ptr_array_index (reviews, i);
      if (g_strcmp0 (review->id, id) != 0)
        continue;
      AssayReviewDraft *draft = assay_review_draft_new (review);
      assay_review_view_set_reviewer (self, review->reviewer);
      review_view_take_draft (self, draft);
      review_view_say (self, _("Change what was wrong and save: the earlier review stays, marked superseded."),
                FALSE);
      return;
    }
}

static void
view_show_past (AssayReviewView *self)
{
  const gboolean any
      = self->ledger != NULL && self->record != NULL && assay_record_get_reviews (self->record)->len > 0;

  gtk_widget_set_visible (self->past_part, any);
  if (any)
    assay_past_reviews_fill (self->past, assay_ledger_get_criteria (self->ledger), self->record,
                             G_CALLBACK (on_correct), self);
}

static void
view_show_page (AssayReviewView *self)
{
  const gboolean may = view_may_review (self);
  const gboolean writable = may && !assay_ledger_is_read_only (self->ledger);

  gtk_stack_set_visible_child_name (self->stack, may ? "review" : "empty");
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "review.save", writable);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "review.save-next", writable);
  if (may && !writable)
    review_view_say (self, assay_ledger_get_read_only_reason (self->ledger), TRUE);
  if (may)
    return;
  g_autofree char *reason = assay_review_words_dup_empty (self->ledger, self->record);
  g_autofree char *escaped = g_markup_escape_text (reason, -1);
  adw_status_page_set_description (self->empty, escaped);
}

static void
view_show_left_out (AssayReviewView *self)
{
  g_autofree char *words = self->record != NULL ? assay_review_words_dup_left_out (self->record) : NULL;

  gtk_label_set_text (self->left_out, words != NULL ? words : "");
  gtk_widget_set_visible (GTK_WIDGET (self->left_out), words != NULL);
}

static void
on_question_changed (AssayReviewView *self)
{
  view_load_scores (self);
}

static void
on_problem (AssayReviewView *self, const char *message)
{
  g_signal_emit (self, signals[PROBLEM], 0, message);
}

/* The record as it is after an edit of the ledger: same run, the form stays. */
static void
view_renew_record (AssayReviewView *self, AssayRecord *record)
{
  g_set_object (&self->record, record);
  assay_answer_view_show (self->answers, self->ledger, record);
  view_show_past (self);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_RECORD]);
}

static void
on_ledger_changed (AssayReviewView *self)
{
  AssayRecord *now = self->record != NULL
                         ? assay_ledger_find_run (self->ledger, assay_record_get_id (self->record))
                         : NULL;

  if (now != NULL && now != self->record)
    view_renew_record (self, now);
}

/* The form stays; scores of criteria that are gone are left out when it is saved. */
static void
on_criteria_changed (AssayReviewView *self)
{
  assay_rubric_set_criteria (self->rubric, assay_ledger_get_criteria (self->ledger));
  view_load_scores (self);
  view_show_past (self);
  if (self->told != NULL)
    review_view_show_outcome (self, self->told, self->told_run);
}

static void
on_edit_criteria (GtkWidget *widget, const char *action, GVariant *parameter)
{
  AssayReviewView *self = ASSAY_REVIEW_VIEW (widget);
  GtkWindow *editor = assay_rubric_editor_new (self->ledger, self->record);

  gtk_window_set_transient_for (editor, GTK_WINDOW (gtk_widget_get_root (widget)));
  gtk_window_present (editor);
}

/* Keys go to the first criterion when the view comes up: scoring begins at once. */
static gboolean
view_focus_cb (gpointer data)
{
  g_autoptr(AssayReviewView) self = data;

  if (self->draft != NULL && gtk_widget_get_mapped (GTK_WIDGET (self)))
    assay_rubric_focus (self->rubric, NULL);
  return G_SOURCE_REMOVE;
}

static void
on_map (AssayReviewView *self)
{
  g_idle_add (view_focus_cb, g_object_ref (self));
}

static void
on_step_question (GtkWidget *widget, const char *action, GVariant *parameter)
{
  assay_answer_view_step (ASSAY_REVIEW_VIEW (widget)->answers,
                          g_str_equal (action, "review.next-question") ? 1 : -1);
}

static void
view_update (AssayReviewView *self)
{
  assay_answer_view_show (self->answers, self->ledger, self->record);
  review_view_begin_draft (self);
  view_show_left_out (self);
  view_show_past (self);
  view_show_page (self);
}

void
assay_review_view_set_ledger (AssayReviewView *self, AssayLedger *ledger)
{
  g_return_if_fail (ASSAY_IS_REVIEW_VIEW (self));

  if (ledger == self->ledger)
    return;
  view_stash_draft (self);
  g_set_object (&self->ledger, ledger);
  assay_review_drafts_set_ledger (self->drafts, ledger);
  g_signal_group_set_target (self->ledger_signals, ledger);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "review.edit-criteria",
                                 ledger != NULL && !assay_ledger_is_read_only (ledger));
  assay_rubric_set_criteria (self->rubric, ledger != NULL ? assay_ledger_get_criteria (ledger) : NULL);
  view_update (self);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_LEDGER]);
}

void
assay_review_view_set_record (AssayReviewView *self, AssayRecord *record)
{
  g_return_if_fail (ASSAY_IS_REVIEW_VIEW (self));

  if (record == self->record)
    return;
  if (record != NULL && self->record != NULL && self->draft != NULL
      && g_str_equal (assay_record_get_id (record), assay_record_get_id (self->record)))
    {
      view_renew_record (self, record);
      return;
    }
  view_stash_draft (self);
  g_set_object (&self->record, record);
  view_update (self);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_RECORD]);
}

void
assay_review_view_set_reviewer (AssayReviewView *self, const char *reviewer)
{
  g_return_if_fail (ASSAY_IS_REVIEW_VIEW (self));
  assay_reviewer_entry_set_name (self->reviewer, reviewer);
}

const char *
assay_review_view_get_reviewer (AssayReviewView *self)
{
  g_return_val_if_fail (ASSAY_IS_REVIEW_VIEW (self), NULL);
  return self->reviewer_name;
}

static void
assay_review_view_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  AssayReviewView *self = ASSAY_REVIEW_VIEW (object);

  switch (id)
    {
    case PROP_LEDGER:
      g_value_set_object (value, self->ledger);
      break;
    case PROP_RECORD:
      g_value_set_object (value, self->record);
      break;
    case PROP_REVIEWER:
      g_value_set_string (value, self->reviewer_name);
      break;
    case PROP_REVIEWERS:
      g_value_set_boxed (value, self->reviewers);
      break;
    case PROP_HAS_DRAFTS:
      g_value_set_boolean (value, assay_review_view_has_drafts (self));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
assay_review_view_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  AssayReviewView *self = ASSAY_REVIEW_VIEW (object);

  switch (id)
    {
    case PROP_LEDGER:
      assay_review_view_set_ledger (self, g_value_get_object (value));
      break;
    case PROP_RECORD:
      assay_review_view_set_record (self, g_value_get_object (value));
      break;
    case PROP_REVIEWER:
      assay_review_view_set_reviewer (self, g_value_get_string (value));
      break;
    case PROP_REVIEWERS:
      g_strfreev (self->reviewers);
      self->reviewers = g_value_dup_boxed (value);
      assay_reviewer_entry_set_known (self->reviewer, (const char *const *) self->reviewers);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
assay_review_view_dispose (GObject *object)
{
  AssayReviewView *self = ASSAY_REVIEW_VIEW (object);

  g_clear_object (&self->ledger_signals);
  if (self->drafts != NULL)
    assay_review_drafts_flush (self->drafts);
  g_clear_object (&self->drafts);
  g_clear_pointer (&self->draft, assay_review_draft_free);
  adw_bin_set_child (ADW_BIN (self), NULL);
  g_clear_object (&self->ledger);
  g_clear_object (&self->record);
  G_OBJECT_CLASS (assay_review_view_parent_class)->dispose (object);
}

static void
assay_review_view_finalize (GObject *object)
{
  AssayReviewView *self = ASSAY_REVIEW_VIEW (object);

  g_free (self->reviewer_name);
  g_strfreev (self->reviewers);
  g_clear_pointer (&self->told, assay_review_free);
  g_free (self->told_run);
  G_OBJECT_CLASS (assay_review_view_parent_class)->finalize (object);
}

static void
class_install_members (GObjectClass *object_class)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;

  properties[PROP_LEDGER] = g_param_spec_object ("ledger", NULL, NULL, ASSAY_TYPE_LEDGER, flags);
  properties[PROP_RECORD] = g_param_spec_object ("record", NULL, NULL, ASSAY_TYPE_RECORD, flags);
  properties[PROP_REVIEWER] = g_param_spec_string ("reviewer", NULL, NULL, "", flags);
  properties[PROP_REVIEWERS] = g_param_spec_boxed ("reviewers", NULL, NULL, G_TYPE_STRV,
                                                   G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  properties[PROP_HAS_DRAFTS]
    = g_param_spec_boolean ("has-drafts", NULL, NULL, FALSE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
  signals[NEXT_RUN] = g_signal_new ("next-run", ASSAY_TYPE_REVIEW_VIEW, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                    NULL, G_TYPE_NONE, 1, ASSAY_TYPE_RECORD);
  signals[PROBLEM] = g_signal_new ("problem", ASSAY_TYPE_REVIEW_VIEW, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                   G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
class_bind_children (GtkWidgetClass *widget_class)
{
  gtk_widget_class_bind_template_child (widget_class, AssayReviewView, stack);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewView, empty);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewView, answers);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewView, correcting);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewView, left_out);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewView, kept);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewView, kept_part);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewView, message);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewView, rubric);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewView, past_part);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewView, note);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewView, past);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewView, pass);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewView, fail);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewView, reviewer);
}

static void
assay_review_view_class_init (AssayReviewViewClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = assay_review_view_dispose;
  object_class->finalize = assay_review_view_finalize;
  object_class->get_property = assay_review_view_get_property;
  object_class->set_property = assay_review_view_set_property;
  class_install_members (object_class);
  g_type_ensure (ASSAY_TYPE_ANSWER_VIEW);
  g_type_ensure (ASSAY_TYPE_RUBRIC);
  g_type_ensure (ASSAY_TYPE_REVIEWER_ENTRY);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/io/github/assay/Assay/ui/assay-review-view.ui");
  class_bind_children (widget_class);
  gtk_widget_class_bind_template_callback (widget_class, on_question_changed);
  gtk_widget_class_bind_template_callback (widget_class, on_problem);
  gtk_widget_class_bind_template_callback (widget_class, on_scored);
  gtk_widget_class_bind_template_callback (widget_class, on_worded);
  gtk_widget_class_bind_template_callback (widget_class, on_verdict_toggled);
  gtk_widget_class_bind_template_callback (widget_class, on_reviewer_changed);
  review_view_install_save (widget_class);
  gtk_widget_class_install_action (widget_class, "review.edit-criteria", NULL, on_edit_criteria);
  gtk_widget_class_install_action (widget_class, "review.next-question", NULL, on_step_question);
  gtk_widget_class_install_action (widget_class, "review.previous-question", NULL, on_step_question);
}

static void
assay_review_view_init (AssayReviewView *self)
{
  self->drafts = assay_review_drafts_new ();
  g_signal_connect_object (self->drafts, "loaded", G_CALLBACK (on_drafts_loaded), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->drafts, "kept", G_CALLBACK (view_show_kept), self, G_CONNECT_SWAPPED);
  g_signal_connect (self, "map", G_CALLBACK (on_map), NULL);
  self->reviewer_name = g_strdup ("");
  gtk_widget_init_template (GTK_WIDGET (self));
  self->ledger_signals = g_signal_group_new (ASSAY_TYPE_LEDGER);
  g_signal_group_connect_swapped (self->ledger_signals, "items-changed", G_CALLBACK (on_ledger_changed),
                                  self);
  g_signal_group_connect_swapped (self->ledger_signals, "criteria-changed", G_CALLBACK (on_criteria_changed), self);
  g_signal_group_connect_swapped (self->ledger_signals, "notify::unsaved", G_CALLBACK (on_ledger_saved), self);
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (self->note);
  g_signal_connect_object (buffer, "insert-text", G_CALLBACK (on_note_insert), self, 0);
  g_signal_connect_object (buffer, "changed", G_CALLBACK (on_note_changed), self, 0);
  view_update (self);
}

GtkWidget *
assay_review_view_new (void)
{
  return g_object_new (ASSAY_TYPE_REVIEW_VIEW, NULL);
}
