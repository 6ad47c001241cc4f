/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-compare-row.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "assay-child.h"
#include "assay-compare.h"
#include "assay-display-text.h"
#include "assay-prediction.h"
#include "assay-quality-mean.h"
#include "assay-repeats.h"
#include "assay-run-row.h"
#include "assay-setting.h"
#include "assay-record-words.h"

#define MOST_IDS 20 /* in a tooltip */

struct _AssayCompareRow
{
  GObject parent_instance;
  AssayLedger *ledger;    /* owned */
  GPtrArray *family;      /* owned: the repeats, oldest first */
  AssayRecord *record;    /* owned: the one that speaks for them */
  AssayGates *gates;      /* owned; NULL: not judged since the ledger changed */
  AssayQualityMeans *means; /* owned; the same of scores */
  double *greatest;       /* owned: [ASSAY_N_COMPARE_COLUMNS], −∞ where unknown; NULL: not looked up since a run changed */
};

G_DEFINE_FINAL_TYPE (AssayCompareRow, assay_compare_row, G_TYPE_OBJECT)

static AssayRecord *
row_get_first (AssayCompareRow *self)
{
  return g_ptr_array_index (self->family, 0);
}

static const AssayGates *
row_get_gates (AssayCompareRow *self)
{
  if (self->gates != NULL)
    return self->gates;
  self->gates = assay_gates_judge_setting (self->ledger, self->family);
  return self->gates;
}

static char *
verdict_words (AssayVerdict verdict)
{
  const char *words = verdict == ASSAY_VERDICT_PASS   ? _("pass")
                      : verdict == ASSAY_VERDICT_FAIL ? _("fail")
                                                      : _("not judged");

  return g_strdup_printf ("%s %s", assay_verdict_get_mark (verdict), words);
}

static char *
row_dup_run (AssayCompareRow *self)
{
  g_autofree char *id = assay_display_line (assay_run_get_short_id (assay_record_get_id (self->record)), 24);
  g_autofree char *title = assay_run_dup_title (self->ledger, row_get_first (self));
  g_autofree char *shown = assay_display_line (title, 120);
  const guint n = self->family->len;

  if (n == 1)
    return g_strdup_printf ("%s · %s", id, shown);
  /* Translators: how often a trial was run, its typical run, and what the trial is: “3 runs, 3f2a9c · baseline”. */
  return g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "%u run, %s · %s", "%u runs, %s · %s", n), n, id, shown);
}

static char *
row_dup_status (AssayCompareRow *self)
{
  const AssayRunStatus status = assay_record_get_status (self->record);
  guint n_same = 0;

  if (assay_record_is_damaged (self->record))
    return g_strdup (_("damaged"));
  for (guint i = 0; i < self->family->len; i++)
    n_same += assay_record_get_status (g_ptr_array_index (self->family, i)) == status;
  const char *name = assay_record_words_status (status);
  /* Translators: “2 of 3 completed” */
  return n_same < self->family->len ? g_strdup_printf (_("%u of %u %s"), n_same, self->family->len, name)
                                    : g_strdup (name);
}

static AssayFieldId
row_column_field (AssayCompareRow *self, AssayCompareColumn column)
{
  if (column == ASSAY_COMPARE_PEAK)
    return assay_compare_get_own_peak (self->record);
  if (column == ASSAY_COMPARE_FORETOLD && assay_compare_get_own_peak (self->record) != ASSAY_FIELD_PEAK_VRAM)
    return ASSAY_FIELD_PREDICTED_PEAK_RAM;
  return assay_compare_column_get_field (column);
}

static char *
row_dup_value (AssayCompareRow *self, AssayFieldId field)
{
  g_autofree char *display
      = assay_values_dup_display (assay_record_get_values_for (self->record, field), field);

  return assay_display_line (*display != '\0' ? display : "—", 80);
}

/* A figure of the burden over the repeats that completed; of a run that did not, its own. FALSE: unknown */
static gboolean
row_summarize (AssayCompareRow *self, AssayFieldId field, AssayRepeats *out)
{
  if (assay_field_get_info (field)->group == ASSAY_GROUP_BURDEN && assay_repeats_summarize (self->family, field, out))
    return TRUE;
  double value;
  if (!assay_values_get_real (assay_record_get_values_for (self->record, field), field, &value))
    return FALSE;
  *out = (AssayRepeats) { .n = 1, .first = value, .median = value, .low = value, .high = value, .mean = value };
  return TRUE;
}

gboolean
assay_compare_row_get_figures (AssayCompareRow *self, AssayCompareColumn column, AssayRepeats *figures)
{
  g_return_val_if_fail (ASSAY_IS_COMPARE_ROW (self), FALSE);
  const AssayFieldId field = row_column_field (self, column);

  return field != ASSAY_FIELD_INVALID && row_summarize (self, field, figures);
}

static double *
row_find_greatest (AssayCompareRow *self)
{
  double *greatest = g_new (double, ASSAY_N_COMPARE_COLUMNS);
  AssayRepeats figures;

  for (guint column = 0; column < ASSAY_N_COMPARE_COLUMNS; column++)
    greatest[column] = assay_compare_column_is_numeric (column) && assay_compare_row_get_figures (self, column, &figures)
                         ? figures.high : -INFINITY;
  return greatest;
}

/* Asked of every row for every column whenever one run changed. */
gboolean
assay_compare_row_get_greatest (AssayCompareRow *self, AssayCompareColumn column, double *greatest)
{
  g_return_val_if_fail (ASSAY_IS_COMPARE_ROW (self) && assay_compare_column_is_numeric (column), FALSE);

  if (self->greatest == NULL)
    self->greatest = row_find_greatest (self);
  *greatest = self->greatest[column];
  return isfinite (*greatest);
}

/* "131"; of repeats that differ, mean and range: "9.40 (9.21–9.63)". */
static char *
row_dup_figure (AssayCompareRow *self, AssayFieldId field, const AssayCompareUnit *unit)
{
  AssayRepeats figures;

  if (!row_summarize (self, field, &figures))
    return g_strdup ("—");
  g_autofree char *mean = assay_compare_unit_dup_number (unit, figures.mean);
  g_autofree char *low = assay_compare_unit_dup_number (unit, figures.low);
  g_autofree char *high = assay_compare_unit_dup_number (unit, figures.high);
  return g_str_equal (low, high) ? g_steal_pointer (&mean)
                                 : g_strdup_printf (C_ ("mean and range", "%s (%s–%s)"), mean, low, high);
}

static char *
row_dup_peak (AssayCompareRow *self, const AssayCompareUnit *unit)
{
  const AssayFieldId field = assay_compare_get_own_peak (self->record);
  g_autofree char *value = row_dup_figure (self, field, unit);

  if (unit->memory != NULL
      || assay_values_get_state (assay_record_get_burden (self->record), field) != ASSAY_VALUE_SET)
    return g_steal_pointer (&value);
  return g_strdup_printf ("%s %s", field == ASSAY_FIELD_PEAK_VRAM ? _("VRAM") : _("RAM"), value);
}

/* Of the memory that the peak column shows; FALSE where nothing was foretold of it. */
gboolean
assay_compare_row_get_error (AssayCompareRow *self, double *error, gboolean *contradicted)
{
  g_return_val_if_fail (ASSAY_IS_COMPARE_ROW (self), FALSE);
  const AssayFieldId field = assay_compare_get_own_peak (self->record) == ASSAY_FIELD_PEAK_VRAM
                                 ? ASSAY_FIELD_PEAK_VRAM : ASSAY_FIELD_PEAK_RAM_ENGINE;
  g_autoptr(GPtrArray) terms = assay_prediction_terms (self->record);

  for (guint i = 0; i < terms->len; i++)
    {
      const AssayPredictionError *term = g_ptr_array_index (terms, i);
      if (term->field != field)
        continue;
      *error = term->error;
      *contradicted = term->contradicted;
      return TRUE;
    }
  return FALSE;
}

static char *
row_dup_error (AssayCompareRow *self)
{
  gboolean contradicted;
  double error;

  if (!assay_compare_row_get_error (self, &error, &contradicted))
    return g_strdup ("—");
  g_autofree char *share = isnan (error) ? NULL : assay_display_percent (error);
  if (!contradicted)
    return g_strdup (share != NULL ? share : "—");
  return share != NULL ? g_strdup_printf (_("≠ %s, contradicted"), share) : g_strdup (_("≠ contradicted"));
}

static AssayChildVerdict *
row_dup_child_verdict (AssayCompareRow *self)
{
  const char *parent_id = assay_record_get_parent (self->record);
  AssayRecord *parent = parent_id != NULL ? assay_ledger_find_run (self->ledger, parent_id) : NULL;

  return parent != NULL ? assay_child_verdict (parent, self->record) : NULL;
}

static char *
row_dup_plan (AssayCompareRow *self)
{
  g_autoptr(AssayChildVerdict) verdict = row_dup_child_verdict (self);

  if (verdict == NULL)
    return g_strdup ("—");
  if (verdict->satisfied)
    return g_strdup (_("✓ only that"));
  return g_strdup (verdict->moved_as_planned ? _("≠ and more") : _("≠ not as planned"));
}

/* Scores */

const AssayCriterion *
assay_compare_row_get_criterion (AssayLedger *ledger)
{
  GPtrArray *criteria = assay_ledger_get_criteria (ledger)->criteria;
  const AssayCriterion *yes_no = NULL;

  for (guint i = 0; i < criteria->len; i++)
    {
      const AssayCriterion *criterion = g_ptr_array_index (criteria, i);
      if (criterion->kind == ASSAY_CRITERION_SCALE)
        return criterion;
      if (criterion->kind == ASSAY_CRITERION_YES_NO && yes_no == NULL)
        yes_no = criterion;
    }
  return yes_no;
}

static const AssayQualityMeans *
row_get_means (AssayCompareRow *self)
{
  if (self->means == NULL)
    self->means = assay_quality_means_new (self->ledger, self->family);
  return self->means;
}

gboolean
assay_compare_row_get_score (AssayCompareRow *self, double *mean, guint *n_runs)
{
  g_return_val_if_fail (ASSAY_IS_COMPARE_ROW (self), FALSE);
  const AssayCriterion *wanted = assay_compare_row_get_criterion (self->ledger);
  GPtrArray *means = row_get_means (self)->means;

  for (guint i = 0; i < means->len; i++)
    {
      const AssayQualityMean *one = g_ptr_array_index (means, i);
      if (one->criterion != wanted || one->n_runs == 0)
        continue;
      *mean = one->mean;
      *n_runs = one->n_runs;
      return TRUE;
    }
  return FALSE;
}

static char *
row_dup_score (AssayCompareRow *self, const AssayCompareUnit *unit)
{
  double mean;
  guint n;

  if (!assay_compare_row_get_score (self, &mean, &n))
    return g_strdup ("—");
  g_autofree char *number = assay_compare_unit_dup_number (unit, mean);
  /* Translators: a mean and of how many runs it is: “4.2 (n 3)” */
  return g_strdup_printf (C_ ("mean and count", "%s (n %u)"), number, n);
}

/* Every criterion with its mean, then the runs that are in none, each with its reason. */
static char *
row_dup_score_words (AssayCompareRow *self)
{
  const AssayQualityMeans *means = row_get_means (self);
  GString *words = g_string_new (NULL);

  for (guint i = 0; i < means->means->len; i++)
    {
      const AssayQualityMean *mean = g_ptr_array_index (means->means, i);
      const AssayCriterion *criterion = mean->criterion;
      g_autofree char *label = assay_display_line (criterion->label != NULL ? criterion->label : criterion->id, 60);
      g_autofree char *figure = assay_quality_mean_dup_words (mean);
      /* Translators: a criterion and its mean: “groundedness: 4.2 of 5, 3 runs” */
      g_string_append_printf (words, C_ ("criterion", "%s: %s"), label, figure);
      g_string_append_c (words, '\n');
    }
  for (guint i = 0; i < means->excluded->len && i < MOST_IDS; i++)
    {
      const AssayExcludedRun *excluded = g_ptr_array_index (means->excluded, i);
      const char *id = assay_run_get_short_id (assay_record_get_id (excluded->run));
      /* Translators: a run that is not in the means, and why */
      g_string_append_printf (words, _("%s left out: %s"), id, excluded->reason);
      g_string_append_c (words, '\n');
    }
  g_autofree char *valid = g_utf8_make_valid (words->str, (gssize) words->len);
  g_string_free (words, TRUE);
  return g_strdup (g_strchomp (valid));
}

char *
assay_compare_row_dup_asked (AssayCompareRow *self, AssayCompareColumn column)
{
  g_return_val_if_fail (ASSAY_IS_COMPARE_ROW (self), NULL);
  const AssayFieldId field = row_column_field (self, column);
  const AssayValues *asked = assay_record_get_conditions (self->record);

  if (!assay_compare_column_is_condition (column)
      || assay_values_get_state (assay_record_get_effective (self->record), field) == ASSAY_VALUE_UNSET
      || assay_values_get_state (asked, field) == ASSAY_VALUE_UNSET || assay_compare_left_choice (self->record, field))
    return NULL;
  g_autofree char *display = assay_values_dup_display (asked, field);
  return assay_display_line (display, 60);
}

char *
assay_compare_row_dup_value (AssayCompareRow *self, AssayCompareColumn column, const AssayCompareUnit *unit)
{
  g_return_val_if_fail (ASSAY_IS_COMPARE_ROW (self), NULL);
  const AssayFieldId field = row_column_field (self, column);

  return *unit->name != '\0' ? row_dup_figure (self, field, unit) : row_dup_value (self, field);
}

/* What really happened, and what was asked for where that differs. */
static char *
row_dup_condition (AssayCompareRow *self, AssayCompareColumn column, const AssayCompareUnit *unit)
{
  g_autofree char *value = assay_compare_row_dup_value (self, column, unit);
  g_autofree char *asked = assay_compare_row_dup_asked (self, column);

  return asked != NULL ? g_strdup_printf (_("%s (asked for %s)"), value, asked) : g_steal_pointer (&value);
}

char *
assay_compare_row_dup_text (AssayCompareRow *self, AssayCompareColumn column, const AssayCompareUnit *unit)
{
  g_return_val_if_fail (ASSAY_IS_COMPARE_ROW (self), NULL);

  if (column == ASSAY_COMPARE_RUN)
    return row_dup_run (self);
  if (column == ASSAY_COMPARE_STATUS)
    return row_dup_status (self);
  if (assay_compare_column_is_gate (column))
    return verdict_words (row_get_gates (self)->verdict[column - ASSAY_COMPARE_RAN]);
  if (column == ASSAY_COMPARE_PEAK)
    return row_dup_peak (self, unit);
  if (column == ASSAY_COMPARE_ERROR)
    return row_dup_error (self);
  if (column == ASSAY_COMPARE_SCORE)
    return row_dup_score (self, unit);
  if (column == ASSAY_COMPARE_PLAN)
    return row_dup_plan (self);
  if (assay_compare_column_is_condition (column))
    return row_dup_condition (self, column, unit);
  return row_dup_figure (self, row_column_field (self, column), unit);
}

const char *
assay_compare_row_get_evidence (AssayCompareRow *self, AssayCompareColumn column, AssayVerdict *verdict)
{
  g_return_val_if_fail (ASSAY_IS_COMPARE_ROW (self) && assay_compare_column_is_gate (column), NULL);
  *verdict = row_get_gates (self)->verdict[column - ASSAY_COMPARE_RAN];
  return row_get_gates (self)->evidence[column - ASSAY_COMPARE_RAN];
}

/* Of one run its exact figure; of repeats how they spread. */
static char *
row_dup_figure_words (AssayCompareRow *self, AssayFieldId field)
{
  const AssayFieldInfo *info = assay_field_get_info (field);
  AssayRepeats figures;

  if (self->family->len > 1 && info->type == ASSAY_VALUE_TYPE_REAL && info->group == ASSAY_GROUP_BURDEN
      && assay_repeats_summarize (self->family, field, &figures))
    return assay_repeats_dup_words (&figures, field);
  g_autofree char *exact = assay_values_dup_text (assay_record_get_values_for (self->record, field), field);
  g_autofree char *shown = exact != NULL ? assay_display_line (exact, 300) : NULL;
  return shown != NULL ? g_strdup_printf ("%s: %s %s", info->name, shown, assay_unit_get_name (info->unit)) : NULL;
}

static char *
row_dup_plan_words (AssayCompareRow *self)
{
  g_autoptr(AssayChildVerdict) verdict = row_dup_child_verdict (self);

  return verdict != NULL ? assay_display_line (verdict->words, 600) : NULL;
}

static char *
row_dup_ids (AssayCompareRow *self)
{
  GString *ids = g_string_new (NULL);

  for (guint i = 0; i < self->family->len && i < MOST_IDS; i++)
    {
      g_autofree char *id = assay_display_line (assay_record_get_id (g_ptr_array_index (self->family, i)), 200);
      g_string_append_printf (ids, "%s%s", i > 0 ? "\n" : "", id);
    }
  return g_string_free (ids, FALSE);
}

char *
assay_compare_row_dup_tooltip (AssayCompareRow *self, AssayCompareColumn column)
{
  g_return_val_if_fail (ASSAY_IS_COMPARE_ROW (self), NULL);

  if (column == ASSAY_COMPARE_RUN)
    return row_dup_ids (self);
  if (column == ASSAY_COMPARE_PLAN)
    return row_dup_plan_words (self);
  if (column == ASSAY_COMPARE_SCORE)
    return row_dup_score_words (self);
  if (column == ASSAY_COMPARE_ERROR)
    {
      g_autofree char *contradiction = assay_prediction_dup_contradiction (self->record);
      return contradiction != NULL ? assay_display_line (contradiction, 600) : NULL;
    }
  const AssayFieldId field = row_column_field (self, column);
  return field != ASSAY_FIELD_INVALID ? row_dup_figure_words (self, field) : NULL;
}

gboolean
assay_compare_row_differs (AssayCompareRow *self, AssayRecord *baseline, AssayCompareColumn column)
{
  g_return_val_if_fail (ASSAY_IS_COMPARE_ROW (self), FALSE);

  if (!assay_compare_column_is_condition (column) || baseline == NULL || baseline == self->record)
    return FALSE;
  const AssayFieldId field = assay_compare_column_get_field (column);
  return !assay_values_equal_in (assay_record_get_values_for (self->record, field),
                                 assay_record_get_values_for (baseline, field), field);
}

static int
order_numbers (AssayCompareRow *a, AssayCompareRow *b, AssayCompareColumn column)
{
  AssayRepeats x, y;
  const gboolean has_x = row_summarize (a, row_column_field (a, column), &x);
  const gboolean has_y = row_summarize (b, row_column_field (b, column), &y);

  if (!has_x || !has_y)
    return has_y - has_x;
  return (x.mean > y.mean) - (x.mean < y.mean);
}

/* The smaller error first, whichever way it went. */
static int
order_errors (AssayCompareRow *a, AssayCompareRow *b)
{
  double x = NAN, y = NAN;
  gboolean contradicted;

  assay_compare_row_get_error (a, &x, &contradicted);
  assay_compare_row_get_error (b, &y, &contradicted);
  x = isnan (x) ? G_MAXDOUBLE : fabs (x);
  y = isnan (y) ? G_MAXDOUBLE : fabs (y);
  return (x > y) - (x < y);
}

static int
order_scores (AssayCompareRow *a, AssayCompareRow *b)
{
  double x, y;
  guint ignored;
  const gboolean has_x = assay_compare_row_get_score (a, &x, &ignored);
  const gboolean has_y = assay_compare_row_get_score (b, &y, &ignored);

  return has_x && has_y ? (x > y) - (x < y) : has_y - has_x;
}

int
assay_compare_row_order (AssayCompareRow *a, AssayCompareRow *b, AssayCompareColumn column)
{
  if (column == ASSAY_COMPARE_ERROR)
    return order_errors (a, b);
  if (column == ASSAY_COMPARE_SCORE)
    return order_scores (a, b);
  if (assay_compare_column_is_numeric (column))
    return order_numbers (a, b, column);
  if (column == ASSAY_COMPARE_RUN)
    return g_strcmp0 (assay_record_get_id (row_get_first (a)), assay_record_get_id (row_get_first (b)));
  if (assay_compare_column_is_gate (column))
    {
      static const int ranks[]
          = { [ASSAY_VERDICT_PASS] = 0, [ASSAY_VERDICT_FAIL] = 1, [ASSAY_VERDICT_NOT_JUDGED] = 2 };
      return ranks[row_get_gates (a)->verdict[column - ASSAY_COMPARE_RAN]]
             - ranks[row_get_gates (b)->verdict[column - ASSAY_COMPARE_RAN]];
    }
  const AssayCompareUnit none = { 1, "", NULL };
  g_autofree char *x = assay_compare_row_dup_text (a, column, &none);
  g_autofree char *y = assay_compare_row_dup_text (b, column, &none);
  return g_utf8_collate (x, y);
}

static gboolean
criteria_ask_for_use (const AssayCriteria *criteria)
{
  return criteria->mean_latency_seconds >= 0 || criteria->max_retry_rate >= 0 || criteria->min_tokens_per_second >= 0
         || criteria->max_ram >= 0;
}

/* Conditions are looked at side by side; see compare_table_arrange(). */
gboolean
assay_compare_row_has (AssayCompareRow *self, AssayCompareColumn column)
{
  g_return_val_if_fail (ASSAY_IS_COMPARE_ROW (self), FALSE);

  if (column == ASSAY_COMPARE_STATUS)
    return assay_record_get_status (self->record) != ASSAY_STATUS_COMPLETED;
  if (column == ASSAY_COMPARE_MAPPED)
    return assay_compare_get_mapped_weights (self->record) > 0;
  if (column == ASSAY_COMPARE_SCORE) /* not the mean itself, which every row would be asked for */
    return assay_record_get_reviews (self->record)->len > 0 && assay_compare_row_get_criterion (self->ledger) != NULL;
  if (column == ASSAY_COMPARE_BEARABLE)
    return criteria_ask_for_use (assay_ledger_get_criteria (self->ledger));
  if (column == ASSAY_COMPARE_PLAN) /* judging it would compare every field of both runs */
    return assay_record_get_parent (self->record) != NULL && assay_record_get_changed (self->record) != NULL;
  const AssayFieldId field
      = row_column_field (self, column == ASSAY_COMPARE_ERROR ? ASSAY_COMPARE_FORETOLD : column);
  return field != ASSAY_FIELD_INVALID
         && assay_values_get_state (assay_record_get_values_for (self->record, field), field) == ASSAY_VALUE_SET;
}

AssayRecord *
assay_compare_row_get_record (AssayCompareRow *self)
{
  g_return_val_if_fail (ASSAY_IS_COMPARE_ROW (self), NULL);
  return self->record;
}

GPtrArray *
assay_compare_row_get_family (AssayCompareRow *self)
{
  g_return_val_if_fail (ASSAY_IS_COMPARE_ROW (self), NULL);
  return self->family;
}

gboolean
assay_compare_row_holds (AssayCompareRow *self, const char *run_id)
{
  g_return_val_if_fail (ASSAY_IS_COMPARE_ROW (self), FALSE);

  for (guint i = 0; i < self->family->len; i++)
    if (g_strcmp0 (assay_record_get_id (g_ptr_array_index (self->family, i)), run_id) == 0)
      return TRUE;
  return FALSE;
}

void
assay_compare_row_renew (AssayCompareRow *self, AssayRecord *record)
{
  g_return_if_fail (ASSAY_IS_COMPARE_ROW (self));

  for (guint i = 0; i < self->family->len; i++)
    {
      AssayRecord **place = (AssayRecord **) &g_ptr_array_index (self->family, i);
      if (g_strcmp0 (assay_record_get_id (*place), assay_record_get_id (record)) == 0)
        g_set_object (place, record);
    }
  g_set_object (&self->record, assay_repeats_get_typical (self->family));
  g_clear_pointer (&self->greatest, g_free);
}

void
assay_compare_row_forget (AssayCompareRow *self)
{
  g_return_if_fail (ASSAY_IS_COMPARE_ROW (self));
  g_clear_pointer (&self->gates, assay_gates_free);
  g_clear_pointer (&self->means, assay_quality_means_free);
}

static void
assay_compare_row_finalize (GObject *object)
{
  AssayCompareRow *self = ASSAY_COMPARE_ROW (object);

  g_object_unref (self->ledger);
  g_object_unref (self->record);
  g_ptr_array_unref (self->family);
  g_clear_pointer (&self->gates, assay_gates_free);
  g_clear_pointer (&self->means, assay_quality_means_free);
  g_free (self->greatest);
  G_OBJECT_CLASS (assay_compare_row_parent_class)->finalize (object);
}

static void
assay_compare_row_class_init (AssayCompareRowClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = assay_compare_row_finalize;
}

static void
assay_compare_row_init (AssayCompareRow *self)
{
}

AssayCompareRow *
assay_compare_row_new (AssayLedger *ledger, GPtrArray *family)
{
  AssayCompareRow *self = g_object_new (ASSAY_TYPE_COMPARE_ROW, NULL);

  self->ledger = g_object_ref (ledger);
  self->family = g_ptr_array_ref (family);
  self->record = g_object_ref (assay_repeats_get_typical (family));
  return self;
}
