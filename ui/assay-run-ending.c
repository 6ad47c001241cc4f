/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-run-ending.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "assay-advice.h"
#include "assay-child.h"
#include "assay-compare.h"
#include "assay-display-text.h"
#include "assay-focus.h"
#include "assay-fold-layout.h"
#include "assay-gates.h"
#include "assay-prediction.h"

struct _AssayRunEnding
{
  AdwBin parent_instance;

  /* template children */
  GtkLabel *verdict, *evidence, *signal_words, *contradiction, *child;
  GtkWidget *plan_next, *review, *forecast;
  gboolean planning, passed; /* passed: the feasibility gate */
  GtkGrid *terms;
};

enum
{
  PLAN_NEXT,
  N_SIGNALS
};
static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (AssayRunEnding, assay_run_ending, ADW_TYPE_BIN)

/* NULL hides the label. */
static void
label_show (GtkLabel *label, const char *words)
{
  g_autofree char *labelled = words != NULL ? assay_display_labels (words) : NULL;
  g_autofree char *line = words != NULL ? assay_display_line (labelled, 600) : NULL;

  gtk_widget_set_visible (GTK_WIDGET (label), line != NULL);
  gtk_label_set_text (label, line != NULL ? line : "");
}

static void
label_reveal (GtkLabel *label, gboolean wanted)
{
  gtk_widget_set_visible (GTK_WIDGET (label), wanted && *gtk_label_get_text (label) != '\0');
}

/* The plan, while it is open, states the signal itself, and the evidence of a run that did not pass; what a run that did
 * pass took, it does not. */
static void
ending_show_reasons (AssayRunEnding *self)
{
  label_reveal (self->evidence, !self->planning || self->passed);
  label_reveal (self->signal_words, !self->planning);
}

/* How it ended is said in plain words already; the record's own word for it stands in the tooltip. */
static const char *
evidence_skip_status (const char *evidence, AssayRunStatus status)
{
  g_autofree char *words = g_strdup_printf (_("status %s"), assay_run_status_get_name (status));

  if (status == ASSAY_STATUS_UNKNOWN || !g_str_has_prefix (evidence, words))
    return evidence;
  evidence += strlen (words);
  return g_str_has_prefix (evidence, " · ") ? evidence + strlen (" · ") : evidence;
}

static void
ending_show_verdict (AssayRunEnding *self, AssayLedger *ledger, AssayRecord *record)
{
  const AssayRunStatus status = assay_record_get_status (record);

  self->passed = FALSE;
  if (ledger == NULL)
    {
      gtk_label_set_text (self->verdict, assay_run_status_get_name (status));
      gtk_label_set_text (self->evidence, "");
      return;
    }
  g_autoptr(AssayGates) gates = assay_gates_judge (ledger, record);
  const AssayVerdict verdict = gates->verdict[ASSAY_GATE_FEASIBILITY];
  self->passed = verdict == ASSAY_VERDICT_PASS;
  const char *words = verdict == ASSAY_VERDICT_PASS   ? _("It ran to the end")
                      : verdict == ASSAY_VERDICT_FAIL ? _("It did not pass the feasibility gate")
                                                      : _("Whether it runs is not judged");
  g_autofree char *line = g_strdup_printf ("%s %s", assay_verdict_get_mark (verdict), words);
  g_autofree char *labelled
      = assay_display_labels (evidence_skip_status (gates->evidence[ASSAY_GATE_FEASIBILITY], status));
  g_autofree char *evidence = assay_display_line (labelled, 600);
  g_autofree char *recorded = g_strdup_printf (_("status %s"), assay_run_status_get_name (status));
  gtk_label_set_text (self->verdict, line);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->verdict), recorded);
  gtk_label_set_text (self->evidence, evidence);
}

/* The verdict or the record's error says it already. */
static gboolean
status_is_told (AssayRunStatus status)
{
  return status == ASSAY_STATUS_COMPLETED || status == ASSAY_STATUS_CANCELLED
         || status == ASSAY_STATUS_INTERRUPTED;
}

/* Failures and slowness only: whether the answers are good is no business of this view. */
static void
ending_show_signal (AssayRunEnding *self, AssayLedger *ledger, AssayRecord *record)
{
  g_autoptr(AssayAdvice) advice = ledger != NULL ? assay_advice_for (ledger, record) : NULL;
  const gboolean told = advice != NULL && advice->signal != ASSAY_SIGNAL_QUALITY_MISS
                        && (advice->signal != ASSAY_SIGNAL_NONE
                            || !status_is_told (assay_record_get_status (record)));

  label_show (self->signal_words, told ? advice->words : NULL);
}

/* The gate's evidence tells it too, where there are criteria to judge by; once is enough. */
static void
ending_show_contradiction (AssayRunEnding *self, AssayRecord *record)
{
  g_autofree char *sentence = assay_prediction_dup_contradiction (record);
  g_autofree char *labelled = sentence != NULL ? assay_display_labels (sentence) : NULL;
  const gboolean told = sentence == NULL || strstr (gtk_label_get_text (self->evidence), labelled) != NULL;
  g_autofree char *words
      = told ? NULL : g_strdup_printf (_("≠ The run contradicts its forecast: %s"), sentence);

  label_show (self->contradiction, words);
}

static void
ending_show_child (AssayRunEnding *self, AssayLedger *ledger, AssayRecord *record)
{
  const char *parent_id = assay_record_get_parent (record);
  AssayRecord *parent
      = ledger != NULL && parent_id != NULL ? assay_ledger_find_run (ledger, parent_id) : NULL;
  g_autoptr(AssayChildVerdict) verdict = parent != NULL ? assay_child_verdict (parent, record) : NULL;

  if (verdict == NULL)
    {
      label_show (self->child, NULL);
      return;
    }
  g_autofree char *words = g_strdup_printf ("%s %s", verdict->satisfied ? "✓" : "≠", verdict->words);
  label_show (self->child, words);
}

/* Foretold beside measured */

static void
terms_put (AssayRunEnding *self, int row, int column, const char *words, const char *css_class)
{
  GtkWidget *label = gtk_label_new (words);

  gtk_label_set_xalign (GTK_LABEL (label), column == 0 ? 0.0f : 1.0f);
  gtk_widget_add_css_class (label, css_class);
  gtk_grid_attach (self->terms, label, column, row, 1, 1);
}

static void
terms_put_bytes (AssayRunEnding *self, int row, int column, gint64 bytes)
{
  if (bytes < 0)
    {
      terms_put (self, row, column, _("unknown"), "dim-label");
      return;
    }
  g_autofree char *words = assay_format_bytes ((guint64)bytes);
  g_autofree char *exact = g_strdup_printf ("%'" G_GINT64_FORMAT, bytes);
  g_autofree char *tooltip = g_strdup_printf (_("%s bytes"), exact);
  terms_put (self, row, column, words, "numeric");
  gtk_widget_set_tooltip_text (gtk_grid_get_child_at (self->terms, column, row), tooltip);
}

static void
terms_put_term (AssayRunEnding *self, int row, const AssayPredictionError *term)
{
  const AssayFieldInfo *info = assay_field_get_info (term->field);
  g_autofree char *error = isnan (term->error) ? g_strdup ("–") : assay_display_percent (term->error);
  g_autofree char *marked = term->contradicted ? g_strdup_printf ("≠ %s", error) : g_strdup (error);

  terms_put (self, row, 0, _ (info->label), "body");
  gtk_widget_set_tooltip_text (gtk_grid_get_child_at (self->terms, 0, row), info->name);
  terms_put_bytes (self, row, 1, term->predicted);
  terms_put_bytes (self, row, 2, term->measured);
  terms_put (self, row, 3, marked, "numeric");
}

static void
terms_put_heading (AssayRunEnding *self)
{
  const char *const words[] = { "", _("Foretold"), _("Measured"), _("Error") };

  for (guint i = 1; i < G_N_ELEMENTS (words); i++)
    terms_put (self, 0, (int)i, words[i], "dim-label");
}

/* What lies in memory as pages of the model file is no part of what is foretold: it is told for itself. */
static void
terms_put_mapped (AssayRunEnding *self, int row, AssayRecord *record)
{
  const gint64 mapped = assay_compare_get_mapped_weights (record);

  if (mapped == 0)
    return;
  g_autofree char *bytes = assay_format_bytes ((guint64) mapped);
  g_autofree char *words = g_strdup_printf (_("Beside these, %s of weights are mapped from the file: the system can take "
                                              "such pages back, and no forecast counts them."), bytes);
  GtkWidget *label = g_object_new (GTK_TYPE_LABEL, "label", words, "xalign", 0.0f, "wrap", TRUE, "max-width-chars", 48,
                                   "margin-top", 6, NULL);
  gtk_widget_add_css_class (label, "caption");
  gtk_grid_attach (self->terms, label, 0, row, 4, 1);
}

static void
ending_show_terms (AssayRunEnding *self, AssayRecord *record)
{
  g_autoptr(GPtrArray) terms = assay_prediction_terms (record);
  int row = 1;

  while (gtk_widget_get_first_child (GTK_WIDGET (self->terms)) != NULL)
    gtk_grid_remove (self->terms, gtk_widget_get_first_child (GTK_WIDGET (self->terms)));
  terms_put_heading (self);
  for (guint i = 0; i < terms->len; i++)
    {
      const AssayPredictionError *term = g_ptr_array_index (terms, i);
      if (term->predicted > 0 || term->measured > 0)
        terms_put_term (self, row++, term);
    }
  if (row > 1)
    terms_put_mapped (self, row, record);
  gtk_widget_set_visible (self->forecast, row > 1);
}

void
assay_run_ending_show (AssayRunEnding *self, AssayLedger *ledger, AssayRecord *record)
{
  g_return_if_fail (ASSAY_IS_RUN_ENDING (self) && ASSAY_IS_RECORD (record));

  ending_show_verdict (self, ledger, record);
  ending_show_signal (self, ledger, record);
  ending_show_contradiction (self, record);
  ending_show_child (self, ledger, record);
  ending_show_terms (self, record);
  ending_show_reasons (self);
  gtk_widget_set_sensitive (self->plan_next, ledger != NULL && !assay_record_is_damaged (record));
  gtk_widget_set_visible (self->review, assay_record_get_outputs (record)->len > 0 && !assay_record_is_damaged (record));
}

void
assay_run_ending_set_planning (AssayRunEnding *self, gboolean planning)
{
  g_return_if_fail (ASSAY_IS_RUN_ENDING (self));

  self->planning = planning;
  ending_show_reasons (self);
}

/* To where one goes on from here. */
static gboolean
assay_run_ending_grab_focus (GtkWidget *widget)
{
  AssayRunEnding *self = ASSAY_RUN_ENDING (widget);

  return gtk_widget_grab_focus (gtk_widget_is_sensitive (self->plan_next) ? self->plan_next : self->forecast);
}

static void
on_plan_next (GtkButton *button, AssayRunEnding *self)
{
  g_signal_emit (self, signals[PLAN_NEXT], 0);
}

static void
assay_run_ending_dispose (GObject *object)
{
  adw_bin_set_child (ADW_BIN (object), NULL);
  G_OBJECT_CLASS (assay_run_ending_parent_class)->dispose (object);
}

static void
assay_run_ending_class_init (AssayRunEndingClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = assay_run_ending_dispose;
  widget_class->focus = assay_focus_through;
  widget_class->grab_focus = assay_run_ending_grab_focus;
  signals[PLAN_NEXT] = g_signal_new ("plan-next", ASSAY_TYPE_RUN_ENDING, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                     NULL, G_TYPE_NONE, 0);
  g_type_ensure (ASSAY_TYPE_FOLD_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class, "/io/github/assay/Assay/ui/assay-run-ending.ui");
  gtk_widget_class_bind_template_child (widget_class, AssayRunEnding, verdict);
  gtk_widget_class_bind_template_child (widget_class, AssayRunEnding, evidence);
  gtk_widget_class_bind_template_child (widget_class, AssayRunEnding, signal_words);
  gtk_widget_class_bind_template_child (widget_class, AssayRunEnding, contradiction);
  gtk_widget_class_bind_template_child (widget_class, AssayRunEnding, child);
  gtk_widget_class_bind_template_child (widget_class, AssayRunEnding, plan_next);
  gtk_widget_class_bind_template_child (widget_class, AssayRunEnding, review);
  gtk_widget_class_bind_template_child (widget_class, AssayRunEnding, forecast);
  gtk_widget_class_bind_template_child (widget_class, AssayRunEnding, terms);
  gtk_widget_class_bind_template_callback (widget_class, on_plan_next);
}

static void
assay_run_ending_init (AssayRunEnding *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
