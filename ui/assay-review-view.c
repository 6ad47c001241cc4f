/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-review-view-private.h"

#include <glib/gi18n-lib.h>

#include "assay-accessible.h"
#include "assay-fold-layout.h"
#include "assay-past-review.h"
#include "assay-review-words.h"
#include "assay-rubric-editor.h"

enum { PROP_0, PROP_LEDGER, PROP_RECORD, PROP_REVIEWER, PROP_REVIEWERS, PROP_HAS_DRAFTS, PROP_BLIND, N_PROPS };
enum { NEXT_RUN, PROBLEM, N_SIGNALS };

static GParamSpec *properties[N_PROPS];
static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (AssayReviewView, assay_review_view, ADW_TYPE_BIN)

void
review_view_notify_drafts (AssayReviewView *self)
{
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_HAS_DRAFTS]);
}

void
review_view_notify_blind (AssayReviewView *self)
{
  const gboolean blind = assay_review_view_is_blind (self);

  if (blind == self->was_blind)
    return;
  self->was_blind = blind;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_BLIND]);
}

gboolean
review_view_may_review (AssayReviewView *self)
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

/* The ledger in memory was changed at once; only its file makes a review saved. */
static void
on_ledger_saved (AssayReviewView *self)
{
  if (self->told != NULL)
    review_view_show_outcome (self, self->told, self->told_run);
}

/* The form, and the page before it, have an entry each. Whose order a blind review has stays, whatever is entered in
 * another window. */
void
assay_review_view_set_reviewer (AssayReviewView *self, const char *reviewer)
{
  g_return_if_fail (ASSAY_IS_REVIEW_VIEW (self));
  g_autofree char *name = g_strdup (reviewer != NULL ? reviewer : "");

  if (assay_review_view_is_blind (self))
    return;
  self->naming = TRUE;
  assay_reviewer_entry_set_name (self->reviewer, name);
  assay_review_lobby_set_name (self->lobby, name);
  self->naming = FALSE;
  if (g_str_equal (name, self->reviewer_name))
    return;
  g_free (self->reviewer_name);
  self->reviewer_name = g_steal_pointer (&name);
  if (self->draft != NULL && !self->draft->dirty)
    review_view_begin_draft (self);
  else
    review_view_show_judged (self);
  review_view_show_page (self);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_REVIEWER]);
}

static void
on_reviewer_changed (AssayReviewView *self, AssayReviewerEntry *entry)
{
  if (!self->naming)
    assay_review_view_set_reviewer (self, assay_reviewer_entry_get_name (entry));
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

void
review_view_show_past (AssayReviewView *self)
{
  const gboolean any = self->mode != REVIEW_BLIND && self->ledger != NULL && self->record != NULL
                       && assay_record_get_reviews (self->record)->len > 0;

  gtk_widget_set_visible (self->past_part, any);
  if (!any)
    assay_past_reviews_clear (self->past);
  else
    assay_past_reviews_fill (self->past, assay_ledger_get_criteria (self->ledger), self->record,
                             G_CALLBACK (on_correct), self);
}

static void
view_show_left_out (AssayReviewView *self)
{
  g_autofree char *words
      = self->record != NULL && self->mode != REVIEW_BLIND ? assay_review_words_dup_left_out (self->record) : NULL;

  gtk_label_set_text (self->left_out, words != NULL ? words : "");
  gtk_widget_set_visible (GTK_WIDGET (self->left_out), words != NULL);
}

static void
on_question_changed (AssayReviewView *self)
{
  review_view_load_scores (self);
  review_view_show_progress (self);
  review_view_show_answer (self);
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
  review_view_show_past (self);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_RECORD]);
}

static void
on_ledger_changed (AssayReviewView *self)
{
  review_view_follow_ledger (self);
}

/* The form stays; scores of criteria that are gone are left out when it is saved. */
static void
on_criteria_changed (AssayReviewView *self)
{
  assay_rubric_set_criteria (self->rubric, assay_ledger_get_criteria (self->ledger));
  review_view_load_scores (self);
  review_view_show_past (self);
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

  if (!gtk_widget_get_mapped (GTK_WIDGET (self)))
    return G_SOURCE_REMOVE;
  if (review_view_is_form (self))
    review_view_begin_answer (self);
  else if (self->mode == REVIEW_START)
    {
      assay_review_lobby_focus (self->lobby);
      review_view_show_part (self, gtk_root_get_focus (gtk_widget_get_root (GTK_WIDGET (self))));
    }
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

void
review_view_refresh (AssayReviewView *self)
{
  assay_answer_view_show (self->answers, self->ledger, self->record);
  review_view_begin_draft (self);
  view_show_left_out (self);
  review_view_show_past (self);
  review_view_show_page (self);
}

void
review_view_set_shown (AssayReviewView *self, AssayRecord *record)
{
  if (record != NULL && self->record != NULL && self->draft != NULL
      && g_str_equal (assay_record_get_id (record), assay_record_get_id (self->record)))
    {
      view_renew_record (self, record);
      return;
    }
  review_view_stash_draft (self);
  g_set_object (&self->record, record);
  review_view_refresh (self);
}

void
assay_review_view_set_ledger (AssayReviewView *self, AssayLedger *ledger)
{
  g_return_if_fail (ASSAY_IS_REVIEW_VIEW (self));

  if (ledger == self->ledger)
    return;
  review_view_stash_draft (self);
  g_set_object (&self->ledger, ledger);
  assay_review_drafts_set_ledger (self->drafts, ledger);
  g_signal_group_set_target (self->ledger_signals, ledger);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "review.edit-criteria",
                                 ledger != NULL && !assay_ledger_is_read_only (ledger));
  assay_rubric_set_criteria (self->rubric, ledger != NULL ? assay_ledger_get_criteria (ledger) : NULL);
  self->seed = 0;
  review_view_set_mode (self, REVIEW_START);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_LEDGER]);
}

void
assay_review_view_set_record (AssayReviewView *self, AssayRecord *record)
{
  g_return_if_fail (ASSAY_IS_REVIEW_VIEW (self));

  if (record == self->chosen)
    return;
  g_set_object (&self->chosen, record);
  if (self->mode == REVIEW_START && self->draft == NULL)
    review_view_set_mode (self, REVIEW_START);
  else if (self->mode == REVIEW_START || self->mode == REVIEW_BY_NAME)
    review_view_set_shown (self, record);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_RECORD]);
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
      g_value_set_object (value, self->chosen);
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
    case PROP_BLIND:
      g_value_set_boolean (value, assay_review_view_is_blind (self));
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
      assay_review_lobby_set_known (self->lobby, (const char *const *) self->reviewers);
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
  g_clear_weak_pointer (&self->scroll_to);
  if (self->drafts != NULL)
    assay_review_drafts_flush (self->drafts);
  g_clear_object (&self->drafts);
  g_clear_pointer (&self->draft, assay_review_draft_free);
  adw_bin_set_child (ADW_BIN (self), NULL);
  g_clear_object (&self->ledger);
  g_clear_object (&self->record);
  g_clear_object (&self->chosen);
  G_OBJECT_CLASS (assay_review_view_parent_class)->dispose (object);
}

static void
assay_review_view_finalize (GObject *object)
{
  AssayReviewView *self = ASSAY_REVIEW_VIEW (object);

  g_free (self->reviewer_name);
  g_free (self->seed_reviewer);
  g_strfreev (self->reviewers);
  g_clear_pointer (&self->told, assay_review_free);
  g_free (self->told_run);
  g_free (self->untold_run);
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
  properties[PROP_BLIND]
    = g_param_spec_boolean ("blind", NULL, NULL, FALSE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
  signals[NEXT_RUN] = g_signal_new ("next-run", ASSAY_TYPE_REVIEW_VIEW, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                    NULL, G_TYPE_NONE, 1, ASSAY_TYPE_RECORD);
  signals[PROBLEM] = g_signal_new ("problem", ASSAY_TYPE_REVIEW_VIEW, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                   G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
class_bind_children (GtkWidgetClass *widget_class)
{
  gtk_widget_class_bind_template_child (widget_class, AssayReviewView, form);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewView, panes);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewView, answers);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewView, left_out);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewView, past_part);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewView, past);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewView, reviewer);
  gtk_widget_class_bind_template_callback (widget_class, on_question_changed);
  gtk_widget_class_bind_template_callback (widget_class, on_problem);
  gtk_widget_class_bind_template_callback (widget_class, on_reviewer_changed);
  review_view_bind_form (widget_class);
  review_view_bind_modes (widget_class);
  review_view_install_save (widget_class);
}

static void
class_ensure_types (void)
{
  g_type_ensure (ASSAY_TYPE_ANSWER_VIEW);
  g_type_ensure (ASSAY_TYPE_FOLD_LAYOUT);
  g_type_ensure (ASSAY_TYPE_FOLD_PANES);
  g_type_ensure (ASSAY_TYPE_RUBRIC);
  g_type_ensure (ASSAY_TYPE_REVIEWER_ENTRY);
  g_type_ensure (ASSAY_TYPE_REVIEW_LOBBY);
  g_type_ensure (ASSAY_TYPE_REVIEW_REVEAL);
  g_type_ensure (ASSAY_TYPE_REVIEW_PAIRS);
  g_type_ensure (ASSAY_TYPE_REVIEW_AGREEMENT);
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
  class_ensure_types ();
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/io/github/assay/Assay/ui/assay-review-view.ui");
  class_bind_children (widget_class);
  gtk_widget_class_install_action (widget_class, "review.edit-criteria", NULL, on_edit_criteria);
  gtk_widget_class_install_action (widget_class, "review.next-question", NULL, on_step_question);
  gtk_widget_class_install_action (widget_class, "review.previous-question", NULL, on_step_question);
}

static void
assay_review_view_init (AssayReviewView *self)
{
  self->drafts = assay_review_drafts_new ();
  g_signal_connect (self, "map", G_CALLBACK (on_map), NULL);
  self->reviewer_name = g_strdup ("");
  gtk_widget_init_template (GTK_WIDGET (self));
  assay_accessible_name (GTK_WIDGET (self->blind_progress), _("Outputs judged"));
  self->ledger_signals = g_signal_group_new (ASSAY_TYPE_LEDGER);
  g_signal_group_connect_swapped (self->ledger_signals, "items-changed", G_CALLBACK (on_ledger_changed),
                                  self);
  g_signal_group_connect_swapped (self->ledger_signals, "criteria-changed", G_CALLBACK (on_criteria_changed), self);
  g_signal_group_connect_swapped (self->ledger_signals, "notify::unsaved", G_CALLBACK (on_ledger_saved), self);
  review_view_init_form (self);
  review_view_listen_anywhere (self);
  review_view_refresh (self);
}

GtkWidget *
assay_review_view_new (void)
{
  return g_object_new (ASSAY_TYPE_REVIEW_VIEW, NULL);
}
