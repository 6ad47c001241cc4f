/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-prediction.c: what the planner foretold of a run beside what it took.
 *
 * Two things contradict a prediction: a peak that is off by more than the tolerance, and a run that ended for
 * lack of the very memory it was foretold to fit into. A run that ended early for another reason has not
 * reached its peak: then only more than foretold counts, never less. */
#include "assay-prediction.h"

#include <math.h>

#include <glib/gi18n-lib.h>

static const struct
{
  AssayFieldId predicted, measured;
} terms[] = {
  { ASSAY_FIELD_PREDICTED_PEAK_VRAM, ASSAY_FIELD_PEAK_VRAM },
  { ASSAY_FIELD_PREDICTED_PEAK_RAM, ASSAY_FIELD_PEAK_RAM_ENGINE },
  { ASSAY_FIELD_PREDICTED_WEIGHTS, ASSAY_FIELD_PEAK_WEIGHTS },
  { ASSAY_FIELD_PREDICTED_KV_CACHE, ASSAY_FIELD_PEAK_KV_CACHE },
  { ASSAY_FIELD_PREDICTED_ACTIVATIONS, ASSAY_FIELD_PEAK_ACTIVATIONS },
  { ASSAY_FIELD_PREDICTED_WORKSPACE, ASSAY_FIELD_PEAK_WORKSPACE },
  { ASSAY_FIELD_PREDICTED_STAGING, ASSAY_FIELD_PEAK_STAGING },
  { ASSAY_FIELD_PREDICTED_OUTPUT, ASSAY_FIELD_PEAK_OUTPUT },
};
#define N_JUDGED 2 /* the peaks: categories only explain them */

void
assay_prediction_error_free (AssayPredictionError *self)
{
  if (self == NULL)
    return;
  g_free (self->run_id);
  g_free (self);
}

static const char *
record_get_text (AssayRecord *record, AssayFieldId field)
{
  return assay_values_get_text (assay_record_get_values_for (record, field), field);
}

static gboolean
record_is_on_cpu (AssayRecord *record)
{
  return g_strcmp0 (record_get_text (record, ASSAY_FIELD_DEVICE), "cpu") == 0;
}

/* What the planner counts is what the engine's allocator hands out; the driver sees a context and a cache
 * besides. */
static gint64
record_get_measured (AssayRecord *record, AssayFieldId field)
{
  const AssayValues *burden = assay_record_get_burden (record);
  const AssayMeasure *measure = assay_values_get_measure (burden, field);
  const gboolean judged = field == ASSAY_FIELD_PEAK_VRAM || field == ASSAY_FIELD_PEAK_RAM_ENGINE;
  gint64 bytes;
  if (!assay_values_get_integer (burden, field, &bytes)
      || (judged && measure != NULL && measure->kind != NULL && !g_str_equal (measure->kind, "allocated")))
    return -1;
  return bytes;
}

/* Weights that are used in place are pages of the file: none of what was foretold. Beside that stands what the engine held
 * of weights in host memory, or nothing where the record does not say. */
static AssayFieldId
record_get_measured_field (AssayRecord *record, AssayFieldId field)
{
  const AssayMeasure *measure = assay_values_get_measure (assay_record_get_burden (record), field);
  const gboolean mapped = field == ASSAY_FIELD_PEAK_WEIGHTS && measure != NULL && measure->kind != NULL
                          && !g_str_equal (measure->kind, "allocated");
  return mapped ? ASSAY_FIELD_PEAK_RAM_WEIGHTS : field;
}

/* A limit of the conditions, or what the machine has; 0 and unset are no limit of the engine's. */
static gint64
record_get_limit (AssayRecord *record, AssayFieldId budget, AssayFieldId machine)
{
  gint64 bytes;
  if (assay_values_get_integer (assay_record_get_values_for (record, budget), budget, &bytes) && bytes > 0)
    return bytes;
  if (machine != ASSAY_FIELD_INVALID
      && assay_values_get_integer (assay_record_get_values_for (record, machine), machine, &bytes)
      && bytes > 0)
    return bytes;
  return -1;
}

/* The limit of the memory for lack of which the run ended, when that is the one measured by `field`; else -1.
 * On the device cpu the engine's budget is one of host memory. */
static gint64
record_get_missed_limit (AssayRecord *record, AssayFieldId field)
{
  const AssayRunStatus status = assay_record_get_status (record);
  const gboolean on_cpu = record_is_on_cpu (record);
  if (status == ASSAY_STATUS_OOM_DEVICE
      && field == (on_cpu ? ASSAY_FIELD_PEAK_RAM_ENGINE : ASSAY_FIELD_PEAK_VRAM))
    return record_get_limit (record, ASSAY_FIELD_VRAM_BUDGET,
                             on_cpu ? ASSAY_FIELD_INVALID : ASSAY_FIELD_DEVICE_MEMORY);
  if (status == ASSAY_STATUS_OOM_HOST && field == ASSAY_FIELD_PEAK_RAM_ENGINE)
    return record_get_limit (record, ASSAY_FIELD_RAM_BUDGET, ASSAY_FIELD_INVALID);
  return -1;
}

static gboolean
term_is_contradicted (const AssayPredictionError *term, AssayRecord *record)
{
  const gint64 limit = record_get_missed_limit (record, term->field);
  if (limit >= 0 && term->predicted <= limit)
    return TRUE;
  if (term->measured < 0)
    return FALSE;
  const double off = (double) term->measured - (double) term->predicted;
  const double most = ASSAY_PREDICTION_TOLERANCE * (double) term->measured;
  return off > most || (term->status == ASSAY_STATUS_COMPLETED && -off > most);
}

static AssayPredictionError *
term_new (AssayRecord *record, guint i)
{
  gint64 predicted;
  if (!assay_values_get_integer (assay_record_get_burden (record), terms[i].predicted, &predicted))
    return NULL;
  AssayPredictionError *term = g_new0 (AssayPredictionError, 1);
  term->run_id = g_strdup (assay_record_get_id (record));
  term->status = assay_record_get_status (record);
  term->field = record_get_measured_field (record, terms[i].measured);
  term->predicted = predicted;
  term->measured = record_get_measured (record, term->field);
  term->error = term->measured > 0 && term->status == ASSAY_STATUS_COMPLETED
                    ? ((double) term->measured - (double) predicted) / (double) term->measured
                    : NAN;
  term->contradicted = i < N_JUDGED && term_is_contradicted (term, record);
  return term;
}

static GPtrArray *
record_dup_terms (AssayRecord *record, guint n)
{
  GPtrArray *all = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_prediction_error_free);
  for (guint i = 0; i < n && !assay_record_is_damaged (record); i++)
    {
      AssayPredictionError *term = term_new (record, i);
      if (term != NULL)
        g_ptr_array_add (all, term);
    }
  return all;
}

GPtrArray *
assay_prediction_terms (AssayRecord *record)
{
  g_return_val_if_fail (ASSAY_IS_RECORD (record), NULL);
  return record_dup_terms (record, G_N_ELEMENTS (terms));
}

static char *
term_dup_words (const AssayPredictionError *term, gint64 missed_limit)
{
  const char *name = assay_field_get_info (term->field)->name;
  g_autofree char *predicted = assay_format_bytes ((guint64) term->predicted);
  if (missed_limit >= 0 && term->predicted <= missed_limit)
    {
      g_autofree char *limit = assay_format_bytes ((guint64) missed_limit);
      return g_strdup_printf (_("foretold %s of %s, which fits in %s; it ended as %s"), predicted, name,
                              limit, assay_run_status_get_name (term->status));
    }
  g_autofree char *measured = assay_format_bytes ((guint64) term->measured);
  return g_strdup_printf (_("foretold %s of %s, measured %s"), predicted, name, measured);
}

char *
assay_prediction_dup_contradiction (AssayRecord *record)
{
  g_return_val_if_fail (ASSAY_IS_RECORD (record), NULL);
  g_autoptr(GPtrArray) judged = record_dup_terms (record, N_JUDGED);
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < judged->len; i++)
    {
      const AssayPredictionError *term = g_ptr_array_index (judged, i);
      if (!term->contradicted)
        continue;
      g_autofree char *words = term_dup_words (term, record_get_missed_limit (record, term->field));
      g_string_append_printf (text, "%s%s", text->len > 0 ? ", " : "", words);
    }
  return g_string_free (text, text->len == 0);
}

/* Earlier runs */

/* The memory that was short, then the one that was foretold to be needed: an error of zero bytes teaches
 * nothing. */
static AssayPredictionError *
record_dup_main_term (AssayRecord *record)
{
  g_autoptr(GPtrArray) judged = record_dup_terms (record, N_JUDGED);
  guint best = 0;
  for (guint i = 0; i < judged->len; i++)
    {
      const AssayPredictionError *term = g_ptr_array_index (judged, i);
      const AssayPredictionError *chosen = g_ptr_array_index (judged, best);
      if (record_get_missed_limit (record, term->field) >= 0)
        {
          best = i;
          break;
        }
      if (chosen->predicted == 0 && chosen->measured <= 0)
        best = i;
    }
  return judged->len > 0 ? g_ptr_array_steal_index (judged, best) : NULL;
}

static gboolean
record_is_of (AssayRecord *record, const char *model_id, const char *mode)
{
  const char *of = record_get_text (record, ASSAY_FIELD_OFFLOAD_MODE);
  return !assay_record_is_damaged (record)
         && g_strcmp0 (record_get_text (record, ASSAY_FIELD_MODEL_ID), model_id) == 0
         && g_str_equal (of != NULL ? of : "none", mode != NULL ? mode : "none");
}

GPtrArray *
assay_prediction_errors (AssayLedger *ledger, const char *model_id, const char *offload_mode)
{
  g_return_val_if_fail (ASSAY_IS_LEDGER (ledger), NULL);
  GPtrArray *errors = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_prediction_error_free);
  for (guint i = assay_ledger_get_n_runs (ledger); i > 0; i--)
    {
      AssayRecord *record = assay_ledger_get_run (ledger, i - 1);
      AssayPredictionError *error
          = record_is_of (record, model_id, offload_mode) ? record_dup_main_term (record) : NULL;
      if (error != NULL)
        g_ptr_array_add (errors, error);
    }
  return errors;
}

static const AssayPredictionError *
errors_find_contradiction (GPtrArray *errors, guint *n)
{
  const AssayPredictionError *last = NULL;
  *n = 0;
  for (guint i = 0; i < errors->len; i++)
    {
      const AssayPredictionError *error = g_ptr_array_index (errors, i);
      *n += error->contradicted;
      if (error->contradicted && last == NULL)
        last = error;
    }
  return last;
}

/* The error farthest from zero; NaN where no run was measured to its end. */
static double
errors_get_largest (GPtrArray *errors)
{
  double largest = NAN;
  for (guint i = 0; i < errors->len; i++)
    {
      const double error = ((const AssayPredictionError *) g_ptr_array_index (errors, i))->error;
      if (!isnan (error) && (isnan (largest) || fabs (error) > fabs (largest)))
        largest = error;
    }
  return largest;
}

char *
assay_prediction_dup_words (GPtrArray *errors)
{
  guint n;
  if (errors == NULL || errors->len == 0)
    return NULL;
  const AssayPredictionError *last = errors_find_contradiction (errors, &n);
  const double largest = errors_get_largest (errors);
  GString *text = g_string_new (NULL);
  if (last != NULL)
    g_string_append_printf (
        text,
        g_dngettext (GETTEXT_PACKAGE, "%u of %u earlier forecasts was contradicted, the last by run %s (%s)",
                     "%u of %u earlier forecasts were contradicted, the last by run %s (%s)", n),
        n, errors->len, last->run_id, assay_run_status_get_name (last->status));
  else
    g_string_append_printf (text,
                            g_dngettext (GETTEXT_PACKAGE, "%u earlier forecast, not contradicted",
                                         "%u earlier forecasts, none contradicted", errors->len),
                            errors->len);
  if (!isnan (largest))
    g_string_append_printf (text, _("; largest error %s%.1f %%"), largest < 0 ? "−" : "+",
                            fabs (largest) * 100);
  return g_string_free (text, FALSE);
}
