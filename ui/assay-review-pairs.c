/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-review-pairs.c: see the header. The plan is made of a snapshot, so that its runs stay while the ledger takes in
 * the choices. */
#include "assay-review-pairs.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "assay-accessible.h"
#include "assay-blind.h"
#include "assay-display-text.h"
#include "assay-fold-layout.h"
#include "assay-review-next.h"

#define QUESTION_LIMIT 3000 /* characters */
#define MOST_IN_SET 60

struct _AssayReviewPairs
{
  AdwBin parent_instance;

  /* owned */
  AssayLedger *ledger, *snapshot;
  AssayBlindPlan *plan;
  GPtrArray *chosen;  /* by pair of the plan: AssayPreference as it stands, or NULL */
  char *reviewer;
  guint at;           /* of the plan's pairs */
  guint n_chosen;

  /* template children */
  GtkLabel *words, *question, *message, *chosen_words;
  GtkProgressBar *progress;
  GtkTextView *left, *right;
  GtkWidget *left_button, *previous;
};

static guint finished_signal;

G_DEFINE_FINAL_TYPE (AssayReviewPairs, assay_review_pairs, ADW_TYPE_BIN)

guint
assay_review_pairs_count_set (guint n_runs, guint n_judged)
{
  const guint in_set = CLAMP (n_runs * 2, 2, MOST_IN_SET); /* a run in four of them */

  return (n_judged / in_set + 1) * in_set;
}

/* What is shown */

static void
text_view_show (GtkTextView *view, AssayRecord *record, const char *question)
{
  GPtrArray *outputs = assay_record_get_outputs (record);
  g_autofree char *text = NULL;

  for (guint i = 0; i < outputs->len && text == NULL; i++)
    {
      const AssayOutput *output = g_ptr_array_index (outputs, i);
      if (g_strcmp0 (output->question, question) == 0 && output->text != NULL)
        text = assay_display_text (output->text, output->text_length, ASSAY_DISPLAY_LIMIT, NULL);
    }
  gtk_text_buffer_set_text (gtk_text_view_get_buffer (view), text != NULL ? text : "", -1);
}

static void
pairs_say (AssayReviewPairs *self, const char *words)
{
  gtk_label_set_text (self->message, words);
  gtk_widget_set_visible (GTK_WIDGET (self->message), *words != '\0');
}

static void
pairs_show_question (AssayReviewPairs *self, const AssayBlindPair *pair)
{
  const AssayQuestion *question = assay_ledger_find_question (self->snapshot, pair->question);
  const char *prompt = assay_values_get_text (assay_record_get_conditions (pair->left), ASSAY_FIELD_PROMPT);
  const char *text = question != NULL ? question->text : prompt;
  g_autofree char *shown = text != NULL ? assay_display_text (text, strlen (text), QUESTION_LIMIT, NULL) : g_strdup ("");

  gtk_label_set_text (self->question, shown);
}

static const char *
choice_get_words (AssayChoice choice)
{
  return choice == ASSAY_CHOICE_LEFT    ? _("You chose the left one.")
         : choice == ASSAY_CHOICE_RIGHT ? _("You chose the right one.")
         : choice == ASSAY_CHOICE_TIE   ? _("You chose a tie.")
                                        : _("You chose: both bad.");
}

static void
pairs_show_progress (AssayReviewPairs *self)
{
  const AssayPreference *chosen = g_ptr_array_index (self->chosen, self->at);
  g_autofree char *name = assay_display_line (self->reviewer, 60);
  /* Translators: beside the words “Side by Side”: number and count of comparisons, and a person's name. */
  g_autofree char *words
      = g_strdup_printf (C_ ("blind review", "comparison %u of %u · reviewer %s · which runs made them is not told before the end"),
                         self->at + 1, self->plan->pairs->len, name);

  gtk_label_set_text (self->words, words);
  gtk_progress_bar_set_fraction (self->progress, (double) self->at / self->plan->pairs->len);
  gtk_label_set_text (self->chosen_words, chosen != NULL ? choice_get_words (chosen->choice) : "");
  gtk_widget_set_sensitive (self->previous, self->at > 0);
}

static void
pairs_show (AssayReviewPairs *self)
{
  const AssayBlindPair *pair = g_ptr_array_index (self->plan->pairs, self->at);

  pairs_show_question (self, pair);
  text_view_show (self->left, pair->left, pair->question);
  text_view_show (self->right, pair->right, pair->question);
  pairs_say (self, "");
  pairs_show_progress (self);
}

/* What is chosen */

static void
pairs_go_on (AssayReviewPairs *self)
{
  while (++self->at < self->plan->pairs->len)
    if (g_ptr_array_index (self->chosen, self->at) == NULL)
      {
        pairs_show (self);
        return;
      }
  self->at = self->plan->pairs->len - 1;
  g_signal_emit (self, finished_signal, 0);
}

static void
pairs_choose (AssayReviewPairs *self, AssayChoice choice)
{
  const AssayBlindPair *pair = g_ptr_array_index (self->plan->pairs, self->at);
  AssayPreference *before = g_ptr_array_index (self->chosen, self->at);
  g_autoptr(AssayPreference) preference = assay_preference_new (
      self->reviewer, pair->question, assay_record_get_id (pair->left), assay_record_get_id (pair->right), choice);
  g_autoptr(GError) error = NULL;

  preference->blind = TRUE;
  if (before != NULL && before->choice == choice)
    {
      pairs_go_on (self);
      return;
    }
  if (before != NULL)
    preference->supersedes = g_strdup (before->id);
  assay_blind_stamp_preference (self->ledger, preference, self->plan->seed);
  if (!assay_ledger_add_preference (self->ledger, preference, &error))
    {
      pairs_say (self, error->message);
      return;
    }
  g_clear_pointer (&g_ptr_array_index (self->chosen, self->at), assay_preference_unref);
  g_ptr_array_index (self->chosen, self->at) = g_steal_pointer (&preference);
  self->n_chosen++;
  pairs_go_on (self);
}

static void
on_choose (GtkWidget *widget, const char *action, GVariant *parameter)
{
  AssayReviewPairs *self = ASSAY_REVIEW_PAIRS (widget);
  AssayChoice choice;

  if (self->plan != NULL && assay_choice_from_name (g_variant_get_string (parameter, NULL), &choice))
    pairs_choose (self, choice);
}

static void
on_previous (GtkWidget *widget, const char *action, GVariant *parameter)
{
  AssayReviewPairs *self = ASSAY_REVIEW_PAIRS (widget);

  if (self->plan == NULL || self->at == 0)
    return;
  self->at--;
  pairs_show (self);
}

/* Begin and end */

static void
preference_unref_any (gpointer preference)
{
  g_clear_pointer (&preference, assay_preference_unref);
}

static guint
ledger_count_chosen (AssayLedger *ledger, const char *reviewer)
{
  g_autoptr(GPtrArray) current = assay_ledger_dup_current_preferences (ledger);
  guint n = 0;

  for (guint i = 0; i < current->len; i++)
    n += g_strcmp0 (((const AssayPreference *) g_ptr_array_index (current, i))->reviewer, reviewer) == 0;
  return n;
}

static void
pairs_take_plan (AssayReviewPairs *self)
{
  const AssayBlindPair *next = assay_blind_plan_get_next (self->plan);

  self->chosen = g_ptr_array_new_with_free_func (preference_unref_any);
  for (guint i = 0; i < self->plan->pairs->len; i++)
    {
      const AssayBlindPair *pair = g_ptr_array_index (self->plan->pairs, i);
      g_ptr_array_add (self->chosen,
                       pair->judged != NULL ? assay_preference_ref ((AssayPreference *) pair->judged) : NULL);
      if (pair == next)
        self->at = i;
    }
}

gboolean
assay_review_pairs_begin (AssayReviewPairs *self, AssayLedger *ledger, const char *reviewer, guint64 seed)
{
  g_return_val_if_fail (ASSAY_IS_REVIEW_PAIRS (self) && ASSAY_IS_LEDGER (ledger), FALSE);

  assay_review_pairs_stop (self);
  self->snapshot = assay_ledger_snapshot (ledger);
  const guint n_runs = assay_review_count_reviewable (ledger, MOST_IN_SET);
  const guint most = assay_review_pairs_count_set (n_runs, ledger_count_chosen (ledger, reviewer));
  self->plan = assay_blind_plan_pairs (self->snapshot, reviewer, seed, most);
  if (assay_blind_plan_get_next (self->plan) == NULL)
    {
      assay_review_pairs_stop (self);
      return FALSE;
    }
  self->ledger = g_object_ref (ledger);
  self->reviewer = g_strdup (reviewer);
  pairs_take_plan (self);
  pairs_show (self);
  gtk_widget_grab_focus (self->left_button);
  return TRUE;
}

void
assay_review_pairs_stop (AssayReviewPairs *self)
{
  g_return_if_fail (ASSAY_IS_REVIEW_PAIRS (self));

  self->at = self->n_chosen = 0;
  g_clear_pointer (&self->chosen, g_ptr_array_unref);
  g_clear_pointer (&self->plan, assay_blind_plan_free);
  g_clear_pointer (&self->reviewer, g_free);
  g_clear_object (&self->snapshot);
  g_clear_object (&self->ledger);
  gtk_label_set_text (self->question, "");
  gtk_text_buffer_set_text (gtk_text_view_get_buffer (self->left), "", -1);
  gtk_text_buffer_set_text (gtk_text_view_get_buffer (self->right), "", -1);
}

guint
assay_review_pairs_get_n_chosen (AssayReviewPairs *self)
{
  g_return_val_if_fail (ASSAY_IS_REVIEW_PAIRS (self), 0);
  return self->n_chosen;
}

static void
assay_review_pairs_dispose (GObject *object)
{
  AssayReviewPairs *self = ASSAY_REVIEW_PAIRS (object);

  g_clear_pointer (&self->chosen, g_ptr_array_unref);
  g_clear_pointer (&self->plan, assay_blind_plan_free);
  g_clear_pointer (&self->reviewer, g_free);
  g_clear_object (&self->snapshot);
  g_clear_object (&self->ledger);
  adw_bin_set_child (ADW_BIN (object), NULL);
  G_OBJECT_CLASS (assay_review_pairs_parent_class)->dispose (object);
}

static void
class_add_keys (GtkWidgetClass *widget_class)
{
  static const struct { guint keyval; const char *choice; } keys[] = {
    { GDK_KEY_1, "left" },    { GDK_KEY_KP_1, "left" },     { GDK_KEY_Left, "left" },
    { GDK_KEY_2, "right" },   { GDK_KEY_KP_2, "right" },    { GDK_KEY_Right, "right" },
    { GDK_KEY_3, "tie" },     { GDK_KEY_KP_3, "tie" },      { GDK_KEY_Up, "tie" },
    { GDK_KEY_4, "both_bad" }, { GDK_KEY_KP_4, "both_bad" }, { GDK_KEY_Down, "both_bad" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    gtk_widget_class_add_binding_action (widget_class, keys[i].keyval, 0, "pairs.choose", "s", keys[i].choice);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_BackSpace, 0, "pairs.previous", NULL);
}

static void
assay_review_pairs_class_init (AssayReviewPairsClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = assay_review_pairs_dispose;
  finished_signal = g_signal_new ("finished", ASSAY_TYPE_REVIEW_PAIRS, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                  G_TYPE_NONE, 0);
  gtk_widget_class_install_action (widget_class, "pairs.choose", "s", on_choose);
  gtk_widget_class_install_action (widget_class, "pairs.previous", NULL, on_previous);
  class_add_keys (widget_class);
  g_type_ensure (ASSAY_TYPE_FOLD_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class, "/io/github/assay/Assay/ui/assay-review-pairs.ui");
  gtk_widget_class_bind_template_child (widget_class, AssayReviewPairs, words);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewPairs, progress);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewPairs, question);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewPairs, message);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewPairs, chosen_words);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewPairs, left);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewPairs, right);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewPairs, left_button);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewPairs, previous);
}

static void
assay_review_pairs_init (AssayReviewPairs *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  assay_accessible_name (GTK_WIDGET (self->progress), _("Comparisons made"));
  gtk_text_buffer_set_enable_undo (gtk_text_view_get_buffer (self->left), FALSE);
  gtk_text_buffer_set_enable_undo (gtk_text_view_get_buffer (self->right), FALSE);
}
