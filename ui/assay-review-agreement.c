/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-review-agreement.c: see the header. The interval of an agreement takes a thousand resamples: all figures are
 * made on another thread, of a snapshot, which the rows then speak of. */
#include "assay-review-agreement.h"

#include <glib/gi18n-lib.h>

#include "assay-agreement.h"
#include "assay-criterion-row.h"
#include "assay-display-text.h"
#include "assay-preference-figures.h"
#include "assay-run-row.h"

#define MOST_ROWS 200 /* of a list */

typedef struct
{
  AssayLedger *ledger; /* owned: a snapshot, which the figures borrow from */
  AssayAgreementTable *agreement;
  AssayPreferenceFigures *preferences;
} Figures;

struct _AssayReviewAgreement
{
  AdwBin parent_instance;

  /* owned */
  AssayLedger *ledger;
  GCancellable *counting;

  /* template children */
  GtkStack *stack;
  GtkListBox *criteria, *disagreements, *pairings;
  GtkLabel *agreed, *more, *bias, *uncounted;
  GtkWidget *criteria_part, *disagreements_part, *pairings_part, *back;
};

static guint open_output_signal;

G_DEFINE_FINAL_TYPE (AssayReviewAgreement, assay_review_agreement, ADW_TYPE_BIN)

static void
figures_free (gpointer data)
{
  Figures *figures = data;
  g_clear_pointer (&figures->agreement, assay_agreement_free);
  g_clear_pointer (&figures->preferences, assay_preference_figures_free);
  g_object_unref (figures->ledger);
  g_free (figures);
}

static void
list_clear (GtkListBox *list)
{
  GtkWidget *row;

  while ((row = GTK_WIDGET (gtk_list_box_get_row_at_index (list, 0))) != NULL)
    gtk_list_box_remove (list, row);
}

static GtkWidget *
list_add (GtkListBox *list, const char *title, const char *subtitle)
{
  g_autofree char *escaped_title = g_markup_escape_text (title, -1);
  g_autofree char *escaped_subtitle = g_markup_escape_text (subtitle, -1);
  GtkWidget *row = g_object_new (ADW_TYPE_ACTION_ROW, "title", escaped_title, "subtitle", escaped_subtitle, "title-lines",
                                 0, "subtitle-lines", 0, NULL);

  gtk_list_box_append (list, row);
  return row;
}

/* "3f2a9c · offload_mode: none → model" */
static char *
run_dup_name (AssayLedger *ledger, AssayRecord *run)
{
  g_autofree char *title = assay_run_dup_title (ledger, run);

  return g_strdup_printf ("%s · %s", assay_run_get_short_id (assay_record_get_id (run)), title);
}

/* Criteria */

static void
agreement_show_criteria (AssayReviewAgreement *self, const AssayAgreementTable *table)
{
  for (guint i = 0; i < table->criteria->len; i++)
    {
      const AssayAgreement *agreement = g_ptr_array_index (table->criteria, i);
      g_autofree char *label = assay_criterion_dup_label (agreement->criterion);
      g_autofree char *words = assay_alpha_dup_words (&agreement->alpha);
      list_add (self->criteria, label, words);
    }
  gtk_widget_set_visible (self->criteria_part, table->criteria->len > 0);
}

/* "Ada: 4 · Kim: 2" */
static char *
disagreement_dup_judgments (const AssayCriterion *criterion, const AssayDisagreement *disagreement)
{
  g_autoptr(GString) words = g_string_new (NULL);

  for (guint i = 0; i < disagreement->judgments->len; i++)
    {
      const AssayJudgment *judgment = &g_array_index (disagreement->judgments, AssayJudgment, i);
      g_autofree char *reviewer = assay_display_line (judgment->reviewer, 40);
      g_string_append_printf (words, i > 0 ? " · %s: " : "%s: ", reviewer);
      if (criterion != NULL && criterion->kind == ASSAY_CRITERION_YES_NO)
        g_string_append (words, judgment->value != 0 ? _("yes") : _("no"));
      else
        g_string_append_printf (words, "%d", judgment->value);
    }
  return g_string_free (g_steal_pointer (&words), FALSE);
}

static void
agreement_add_disagreement (AssayReviewAgreement *self, const Figures *figures, const AssayDisagreement *disagreement)
{
  const AssayCriterion *criterion
      = assay_criteria_find (assay_ledger_get_criteria (figures->ledger), disagreement->criterion);
  g_autofree char *label = criterion != NULL ? assay_criterion_dup_label (criterion) : g_strdup (disagreement->criterion);
  g_autofree char *judgments = disagreement_dup_judgments (criterion, disagreement);
  g_autofree char *run = run_dup_name (figures->ledger, disagreement->run);
  g_autofree char *question = disagreement->question != NULL ? assay_display_line (disagreement->question, 60) : NULL;
  g_autofree char *where = question != NULL ? g_strdup_printf ("%s · %s", run, question) : g_strdup (run);
  g_autofree char *title = g_strdup_printf (C_ ("disagreement", "%s — %s"), label, judgments);
  GtkWidget *row = list_add (self->disagreements, title, where);

  g_object_set_data_full (G_OBJECT (row), "run", g_strdup (assay_record_get_id (disagreement->run)), g_free);
  g_object_set_data_full (G_OBJECT (row), "question", g_strdup (disagreement->question), g_free);
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), TRUE);
  gtk_widget_set_tooltip_text (row, _("Open this output"));
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), gtk_image_new_from_icon_name ("go-next-symbolic"));
}

static void
agreement_show_disagreements (AssayReviewAgreement *self, const Figures *figures)
{
  GPtrArray *all = figures->agreement->disagreements;
  g_autofree char *more
      = all->len > MOST_ROWS
            ? g_strdup_printf (ngettext ("and %u smaller one", "and %u smaller ones", all->len - MOST_ROWS),
                               all->len - MOST_ROWS)
            : NULL;

  for (guint i = 0; i < all->len && i < MOST_ROWS; i++)
    agreement_add_disagreement (self, figures, g_ptr_array_index (all, i));
  gtk_widget_set_visible (GTK_WIDGET (self->disagreements), all->len > 0);
  gtk_label_set_text (self->more, more != NULL ? more : "");
  gtk_widget_set_visible (GTK_WIDGET (self->more), more != NULL);
  gtk_label_set_text (self->agreed,
                      figures->agreement->n_reviewers > 1
                          ? _("No two reviewers differ about any output.")
                          : _("For a second opinion, another person goes back, enters their own name and begins."));
  gtk_widget_set_visible (GTK_WIDGET (self->agreed), all->len == 0);
  gtk_widget_set_visible (self->disagreements_part, figures->agreement->n_reviewers > 0);
}

/* Side by side */

static void
agreement_add_pairing (AssayReviewAgreement *self, AssayLedger *ledger, const AssayPairing *pairing)
{
  g_autofree char *first = run_dup_name (ledger, pairing->first);
  g_autofree char *second = run_dup_name (ledger, pairing->second);
  /* Translators: two runs, set against each other. */
  g_autofree char *title = g_strdup_printf (C_ ("side by side", "%s\nagainst %s"), first, second);
  g_autofree char *words
      = g_strdup_printf (C_ ("side by side", "preferred: the first %u times, the second %u times; ties: %u; both bad: %u"),
                         pairing->first_wins, pairing->second_wins, pairing->ties, pairing->both_bad);

  list_add (self->pairings, title, words);
}

static void
agreement_show_preferences (AssayReviewAgreement *self, AssayLedger *ledger, const AssayPreferenceFigures *figures)
{
  g_autofree char *figure = assay_position_bias_dup_words (&figures->bias);
  /* Translators: a share with its interval: “left chosen in 14 of 20 decided comparisons (70 %, …), p = 0.12”. */
  g_autofree char *bias = g_strdup_printf (_("Was a side favoured? %s."), figure);
  g_autofree char *uncounted
      = figures->uncounted->len == 0
            ? NULL
            : g_strdup_printf (ngettext ("%u choice is kept and not counted: %s", "%u choices are kept and not counted: %s",
                                         figures->uncounted->len), figures->uncounted->len,
                               ((const AssayUncounted *) g_ptr_array_index (figures->uncounted, 0))->reason);

  for (guint i = 0; i < figures->pairings->len && i < MOST_ROWS; i++)
    agreement_add_pairing (self, ledger, g_ptr_array_index (figures->pairings, i));
  gtk_label_set_text (self->bias, bias);
  gtk_label_set_text (self->uncounted, uncounted != NULL ? uncounted : "");
  gtk_widget_set_visible (GTK_WIDGET (self->uncounted), uncounted != NULL);
  gtk_widget_set_visible (GTK_WIDGET (self->pairings), figures->pairings->len > 0);
  gtk_widget_set_visible (self->pairings_part, figures->n_counted > 0 || figures->uncounted->len > 0);
}

/* Counting */

static void
count_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Figures *figures = g_new0 (Figures, 1);

  figures->ledger = g_object_ref (data);
  figures->agreement = assay_agreement_new (figures->ledger);
  figures->preferences = assay_preference_figures_new (figures->ledger);
  g_task_return_pointer (task, figures, figures_free);
}

static void
counted_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(AssayReviewAgreement) self = data;
  Figures *figures = g_task_propagate_pointer (G_TASK (result), NULL);

  if (figures == NULL) /* something else is shown by now */
    return;
  agreement_show_criteria (self, figures->agreement);
  agreement_show_disagreements (self, figures);
  agreement_show_preferences (self, figures->ledger, figures->preferences);
  gtk_stack_set_visible_child_name (self->stack, "figures");
  figures_free (figures);
}

static void
agreement_forget (AssayReviewAgreement *self)
{
  if (self->counting != NULL)
    g_cancellable_cancel (self->counting);
  g_clear_object (&self->counting);
  g_clear_object (&self->ledger);
}

void
assay_review_agreement_show (AssayReviewAgreement *self, AssayLedger *ledger)
{
  g_return_if_fail (ASSAY_IS_REVIEW_AGREEMENT (self));

  if (ledger == NULL && self->ledger == NULL)
    return;
  agreement_forget (self);
  list_clear (self->criteria);
  list_clear (self->disagreements);
  list_clear (self->pairings);
  gtk_label_set_text (self->bias, "");
  gtk_label_set_text (self->uncounted, "");
  gtk_stack_set_visible_child_name (self->stack, "counting");
  if (ledger == NULL)
    return;
  self->ledger = g_object_ref (ledger);
  self->counting = g_cancellable_new ();
  /* No source object: the other thread could be the last to let go of it. */
  g_autoptr(GTask) task = g_task_new (NULL, self->counting, counted_cb, g_object_ref (self));
  g_task_set_task_data (task, assay_ledger_snapshot (ledger), g_object_unref);
  g_task_run_in_thread (task, count_thread);
  gtk_widget_grab_focus (self->back);
}

static void
on_disagreement_activated (AssayReviewAgreement *self, GtkListBoxRow *row)
{
  g_signal_emit (self, open_output_signal, 0, g_object_get_data (G_OBJECT (row), "run"),
                 g_object_get_data (G_OBJECT (row), "question"));
}

static void
assay_review_agreement_dispose (GObject *object)
{
  agreement_forget (ASSAY_REVIEW_AGREEMENT (object));
  adw_bin_set_child (ADW_BIN (object), NULL);
  G_OBJECT_CLASS (assay_review_agreement_parent_class)->dispose (object);
}

static void
assay_review_agreement_class_init (AssayReviewAgreementClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = assay_review_agreement_dispose;
  open_output_signal = g_signal_new ("open-output", ASSAY_TYPE_REVIEW_AGREEMENT, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                     G_TYPE_NONE, 2, G_TYPE_STRING, G_TYPE_STRING);
  gtk_widget_class_set_template_from_resource (widget_class, "/io/github/assay/Assay/ui/assay-review-agreement.ui");
#define CHILD(name) gtk_widget_class_bind_template_child (widget_class, AssayReviewAgreement, name)
  CHILD (stack);
  CHILD (criteria);
  CHILD (criteria_part);
  CHILD (disagreements);
  CHILD (disagreements_part);
  CHILD (pairings);
  CHILD (pairings_part);
  CHILD (agreed);
  CHILD (more);
  CHILD (bias);
  CHILD (uncounted);
  CHILD (back);
#undef CHILD
  gtk_widget_class_bind_template_callback (widget_class, on_disagreement_activated);
}

static void
assay_review_agreement_init (AssayReviewAgreement *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
