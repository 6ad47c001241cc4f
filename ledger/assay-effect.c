/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-effect.c: from one setting to another, with the spread of their repeats.
 *
 * Whether anything may be claimed is decided once, for pairs of runs, in assay-compare.c: here a run speaks for each
 * setting, which settings allow, since their runs differ in no axis. */
#include "assay-answers.h"
#include "assay-compare-private.h"
#include "assay-effects.h"
#include "assay-gates-private.h"
#include "assay-quality-mean.h"

#include <math.h>

#include <glib/gi18n-lib.h>

const char *
assay_spread_get_name (AssaySpread spread)
{
  static const char *const names[] = { "unknown", "within", "beyond" };
  g_return_val_if_fail (spread < G_N_ELEMENTS (names), NULL);
  return names[spread];
}

/* Figures */

static GArray *
runs_dup_values (GPtrArray *runs, const ComparePeak *peak, AssayFieldId field)
{
  GArray *values = g_array_new (FALSE, FALSE, sizeof (double));
  for (guint i = 0; i < runs->len; i++)
    {
      double value = NAN;
      if (peak != NULL)
        value = compare_read_peak (peak, runs->pdata[i]);
      else if (!assay_values_get_real (assay_record_get_burden (runs->pdata[i]), field, &value))
        continue;
      if (!isnan (value))
        g_array_append_val (values, value);
    }
  return values;
}

static AssaySpread
figure_find_spread (const AssayEffectFigure *self)
{
  if (self->from.n < 2 || self->to.n < 2)
    return ASSAY_SPREAD_UNKNOWN;
  return self->from.high < self->to.low || self->to.high < self->from.low ? ASSAY_SPREAD_BEYOND : ASSAY_SPREAD_WITHIN;
}

/* peak: or NULL, then the field */
static void
effect_add_figure (AssayEffect *self, const ComparePeak *peak, AssayFieldId field, const char *words)
{
  g_autoptr(GArray) from = runs_dup_values (self->from, peak, field), to = runs_dup_values (self->to, peak, field);
  AssayEffectFigure figure = { .field = field, .words = words };
  if (from->len == 0 || to->len == 0)
    return;
  assay_repeats_summarize_values ((const double *) from->data, from->len, field, &figure.from);
  assay_repeats_summarize_values ((const double *) to->data, to->len, field, &figure.to);
  figure.difference = figure.to.mean - figure.from.mean;
  figure.ratio = figure.from.mean > 0 ? figure.to.mean / figure.from.mean : NAN;
  figure.spread = figure_find_spread (&figure);
  g_array_append_val (self->figures, figure);
}

static void
effect_add_figures (AssayEffect *self, AssayRecord *a, AssayRecord *b)
{
  ComparePeak peak;
  compare_find_peak (&peak, a, b);
  effect_add_figure (self, &peak, peak.field, peak.words);
  effect_add_figure (self, NULL, ASSAY_FIELD_ELAPSED_SECONDS, C_ ("a figure", "time"));
  effect_add_figure (self, NULL, ASSAY_FIELD_GENERATE_TOKENS_PER_SECOND, C_ ("a figure", "speed"));
}

/* Quality */

static AssayVerdict
runs_judge_quality (GPtrArray *runs, guint *n_reviews)
{
  AssayVerdict verdict = ASSAY_VERDICT_NOT_JUDGED;
  *n_reviews = 0;
  for (guint i = 0; i < runs->len; i++)
    {
      g_autoptr(GPtrArray) reviews = assay_record_get_current_reviews (runs->pdata[i]);
      *n_reviews += reviews->len;
      verdict = assay_gates_join (verdict, assay_gates_judge_quality (runs->pdata[i]));
    }
  return verdict;
}

/* The axis evaluation_criterion moved between some of the reviews and others. */
static gboolean
effect_mixes_criteria (const AssayEffect *self, AssayLedger *ledger)
{
  GPtrArray *const sides[] = { self->from, self->to };
  guint n = 0, earlier = 0;
  for (guint side = 0; side < 2; side++)
    for (guint i = 0; i < sides[side]->len; i++)
      {
        g_autoptr(GPtrArray) reviews = assay_record_get_current_reviews (sides[side]->pdata[i]);
        n += reviews->len;
        earlier += assay_gates_count_earlier (assay_ledger_get_criteria (ledger), reviews);
      }
  return earlier > 0 && earlier < n;
}

static void
effect_add_criteria (AssayEffect *self, AssayLedger *ledger)
{
  g_autoptr(AssayQualityMeans) from = assay_quality_means_new (ledger, self->from);
  g_autoptr(AssayQualityMeans) to = assay_quality_means_new (ledger, self->to);
  for (guint i = 0; i < from->means->len; i++)
    {
      const AssayQualityMean *a = from->means->pdata[i], *b = to->means->pdata[i];
      if (a->n_runs == 0 || b->n_runs == 0)
        continue;
      AssayEffectCriterion *criterion = g_new0 (AssayEffectCriterion, 1);
      *criterion = (AssayEffectCriterion){ a->criterion, a->mean, b->mean, a->n_runs, b->n_runs };
      g_ptr_array_add (self->criteria, criterion);
    }
}

/* The whole */

/* Those that may be compared; all of them where none may, for the reason to be told. (transfer container) */
static GPtrArray *
runs_dup_counted (GPtrArray *runs, gboolean in_effect)
{
  GPtrArray *counted = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 0; i < runs->len; i++)
    {
      AssayComparisonReason reason;
      g_autofree char *refusal = compare_refuse_run (runs->pdata[i], in_effect, &reason);
      if (refusal == NULL)
        g_ptr_array_add (counted, g_object_ref (runs->pdata[i]));
    }
  for (guint i = 0; counted->len == 0 && i < runs->len; i++)
    g_ptr_array_add (counted, g_object_ref (runs->pdata[i]));
  return counted;
}

static GPtrArray *
effect_dup_all_runs (const AssayEffect *self)
{
  GPtrArray *all = g_ptr_array_new ();
  g_ptr_array_extend (all, self->from, NULL, NULL);
  g_ptr_array_extend (all, self->to, NULL, NULL);
  return all;
}

AssayEffect *
assay_effect_new (AssayLedger *ledger, GPtrArray *from, GPtrArray *to, gboolean in_effect)
{
  g_return_val_if_fail (ASSAY_IS_LEDGER (ledger) && from->len > 0 && to->len > 0, NULL);
  AssayEffect *self = g_new0 (AssayEffect, 1);
  self->from = runs_dup_counted (from, in_effect);
  self->to = runs_dup_counted (to, in_effect);
  AssayRecord *a = assay_repeats_get_typical (self->from), *b = assay_repeats_get_typical (self->to);
  self->comparison = in_effect ? assay_compare_runs_in_effect (ledger, a, b) : assay_compare_runs (ledger, a, b);
  self->figures = g_array_new (FALSE, FALSE, sizeof (AssayEffectFigure));
  self->criteria = g_ptr_array_new_with_free_func (g_free);
  g_autoptr(GPtrArray) all = effect_dup_all_runs (self);
  self->answers = assay_answers_compare (all);
  self->quality_from = runs_judge_quality (self->from, &self->n_reviews_from);
  self->quality_to = runs_judge_quality (self->to, &self->n_reviews_to);
  self->criteria_changed = effect_mixes_criteria (self, ledger);
  if (self->comparison->kind == ASSAY_COMPARISON_REFUSED || self->comparison->kind == ASSAY_COMPARISON_CONFOUNDED)
    return self;
  effect_add_figures (self, a, b);
  effect_add_criteria (self, ledger);
  return self;
}

void
assay_effect_free (AssayEffect *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->from);
  g_ptr_array_unref (self->to);
  assay_comparison_free (self->comparison);
  g_array_unref (self->figures);
  g_ptr_array_unref (self->criteria);
  g_ptr_array_unref (self->answers);
  g_free (self);
}
