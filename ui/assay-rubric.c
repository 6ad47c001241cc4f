/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-rubric.h"

#include <glib/gi18n-lib.h>

#include "assay-criterion-row.h"

struct _AssayRubric
{
  GtkWidget parent_instance;

  GPtrArray *rows;      /* owned (element-type AssayCriterionRow) borrowed from the boxes */
  char *question;       /* owned: id of the answer in sight, or NULL */
  gboolean loading;     /* the rows follow the draft, not a person */

  /* template children */
  GtkWidget *question_part, *run_part;
  GtkBox *question_rows, *run_rows;
  GtkLabel *rated;
};

enum { SCORED, WORDED, N_SIGNALS };

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (AssayRubric, assay_rubric, GTK_TYPE_WIDGET)

/* NULL for criteria of the run as a whole. */
static const char *
row_question (AssayRubric *self, AssayCriterionRow *row)
{
  return assay_criterion_row_is_per_question (row) ? self->question : NULL;
}

static void
on_value_changed (AssayCriterionRow *row, GParamSpec *pspec, AssayRubric *self)
{
  if (!self->loading)
    g_signal_emit (self, signals[SCORED], 0, assay_criterion_row_get_id (row), row_question (self, row),
                   assay_criterion_row_get_value (row));
}

static void
on_words_changed (AssayCriterionRow *row, GParamSpec *pspec, AssayRubric *self)
{
  if (!self->loading)
    g_signal_emit (self, signals[WORDED], 0, assay_criterion_row_get_id (row), row_question (self, row),
                   assay_criterion_row_get_words (row));
}

static void
box_clear (GtkBox *box)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (box))) != NULL)
    gtk_box_remove (box, child);
}

static gboolean
box_has_rows (GtkBox *box)
{
  return gtk_widget_get_first_child (GTK_WIDGET (box)) != NULL;
}

static void
rubric_add_row (AssayRubric *self, const AssayCriterion *criterion)
{
  GtkBox *box = criterion->per_question ? self->question_rows : self->run_rows;
  GtkWidget *row = assay_criterion_row_new (criterion);

  if (box_has_rows (box))
    gtk_box_append (box, gtk_separator_new (GTK_ORIENTATION_HORIZONTAL));
  gtk_box_append (box, row);
  g_ptr_array_add (self->rows, row);
  g_signal_connect_object (row, "notify::value", G_CALLBACK (on_value_changed), self, 0);
  g_signal_connect_object (row, "notify::words", G_CALLBACK (on_words_changed), self, 0);
}

void
assay_rubric_set_criteria (AssayRubric *self, const AssayCriteria *criteria)
{
  g_return_if_fail (ASSAY_IS_RUBRIC (self));

  g_ptr_array_set_size (self->rows, 0);
  box_clear (self->question_rows);
  box_clear (self->run_rows);
  for (guint i = 0; criteria != NULL && i < criteria->criteria->len; i++)
    rubric_add_row (self, g_ptr_array_index (criteria->criteria, i));
  gtk_widget_set_visible (self->question_part, box_has_rows (self->question_rows));
  gtk_widget_set_visible (self->run_part, box_has_rows (self->run_rows));
}

static void
rubric_load_row (AssayRubric *self, AssayCriterionRow *row, const AssayReviewDraft *draft)
{
  const char *id = assay_criterion_row_get_id (row), *question = row_question (self, row);

  assay_criterion_row_set_value (
    row, draft != NULL ? assay_review_draft_get_score (draft, id, question) : ASSAY_CRITERION_UNSET);
  assay_criterion_row_set_words (row, draft != NULL ? assay_review_draft_get_words (draft, id, question) : "");
}

gboolean
assay_rubric_focus (AssayRubric *self, const char *criterion)
{
  g_return_val_if_fail (ASSAY_IS_RUBRIC (self), FALSE);

  for (guint i = 0; i < self->rows->len; i++)
    {
      AssayCriterionRow *row = g_ptr_array_index (self->rows, i);
      if (criterion == NULL || g_strcmp0 (assay_criterion_row_get_id (row), criterion) == 0)
        return gtk_widget_get_focusable (GTK_WIDGET (row))
                 ? gtk_widget_grab_focus (GTK_WIDGET (row))
                 : gtk_widget_child_focus (GTK_WIDGET (row), GTK_DIR_TAB_FORWARD);
    }
  return FALSE;
}

void
assay_rubric_load (AssayRubric *self, const AssayReviewDraft *draft, const char *question, guint n_answers)
{
  g_return_if_fail (ASSAY_IS_RUBRIC (self));

  const guint done = draft != NULL ? assay_review_draft_count_questions (draft) : 0;
  g_autofree char *words
      = n_answers > 1 ? g_strdup_printf (_("%u of %u answers rated"), done, n_answers) : NULL;

  if (g_strcmp0 (question, self->question) != 0)
    {
      g_free (self->question);
      self->question = g_strdup (question);
    }
  self->loading = TRUE;
  for (guint i = 0; i < self->rows->len; i++)
    rubric_load_row (self, g_ptr_array_index (self->rows, i), draft);
  self->loading = FALSE;
  gtk_label_set_text (self->rated, words != NULL ? words : "");
}

static void
assay_rubric_dispose (GObject *object)
{
  g_ptr_array_set_size (ASSAY_RUBRIC (object)->rows, 0);
  gtk_widget_dispose_template (GTK_WIDGET (object), ASSAY_TYPE_RUBRIC);
  G_OBJECT_CLASS (assay_rubric_parent_class)->dispose (object);
}

static void
assay_rubric_finalize (GObject *object)
{
  g_ptr_array_unref (ASSAY_RUBRIC (object)->rows);
  g_free (ASSAY_RUBRIC (object)->question);
  G_OBJECT_CLASS (assay_rubric_parent_class)->finalize (object);
}

static void
assay_rubric_class_init (AssayRubricClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = assay_rubric_dispose;
  G_OBJECT_CLASS (klass)->finalize = assay_rubric_finalize;
  signals[SCORED] = g_signal_new ("scored", ASSAY_TYPE_RUBRIC, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                  G_TYPE_NONE, 3, G_TYPE_STRING, G_TYPE_STRING, G_TYPE_INT);
  signals[WORDED] = g_signal_new ("worded", ASSAY_TYPE_RUBRIC, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                  G_TYPE_NONE, 3, G_TYPE_STRING, G_TYPE_STRING, G_TYPE_STRING);
  gtk_widget_class_set_template_from_resource (widget_class, "/io/github/assay/Assay/ui/assay-rubric.ui");
  gtk_widget_class_bind_template_child (widget_class, AssayRubric, question_part);
  gtk_widget_class_bind_template_child (widget_class, AssayRubric, run_part);
  gtk_widget_class_bind_template_child (widget_class, AssayRubric, question_rows);
  gtk_widget_class_bind_template_child (widget_class, AssayRubric, run_rows);
  gtk_widget_class_bind_template_child (widget_class, AssayRubric, rated);
}

static void
assay_rubric_init (AssayRubric *self)
{
  self->rows = g_ptr_array_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
}
