/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-gates.c: the three verdicts, each from its own evidence.
 *
 * 'It runs' and 'it is good' are different findings. So the feasibility gate never looks at a review, the
 * quality gate looks at the status only to leave out reviews of runs that made no output to judge, and 'not
 * judged' is an answer like the others: silence is never read as a pass or a fail. */
#include "assay-gates-private.h"

#include "assay-prediction.h"
#include "assay-quality-mean.h"

#include <math.h>

#include <glib/gi18n-lib.h>

static const char *const gate_names[ASSAY_N_GATES] = { "feasibility", "quality", "operation" };

const char *
assay_gate_get_name (AssayGate gate)
{
  g_return_val_if_fail (gate < ASSAY_N_GATES, NULL);
  return gate_names[gate];
}

const char *
assay_gate_get_word (AssayGate gate)
{
  switch (gate)
    {
    case ASSAY_GATE_FEASIBILITY:
      return C_ ("gate", "ran");
    case ASSAY_GATE_QUALITY:
      return C_ ("gate", "good");
    case ASSAY_GATE_OPERATION:
      return C_ ("gate", "bearable");
    case ASSAY_N_GATES:
    default:
      g_return_val_if_reached (NULL);
    }
}

const char *
assay_verdict_get_mark (AssayVerdict verdict)
{
  return verdict == ASSAY_VERDICT_PASS ? "✓" : verdict == ASSAY_VERDICT_FAIL ? "✕" : "–";
}

const char *
assay_verdict_get_word (AssayVerdict verdict)
{
  return verdict == ASSAY_VERDICT_PASS   ? _("pass")
         : verdict == ASSAY_VERDICT_FAIL ? _("fail")
                                         : _("not judged");
}

/* Feasibility */

static gboolean
record_is_on_cpu (AssayRecord *record)
{
  const AssayValues *values = assay_record_get_values_for (record, ASSAY_FIELD_DEVICE);
  return g_strcmp0 (assay_values_get_text (values, ASSAY_FIELD_DEVICE), "cpu") == 0;
}

/* The exact high-water mark of the engine's allocator, which older records hold in their phases only; -1 unknown. */
static gint64
record_get_engine_peak (AssayRecord *record)
{
  gint64 peak;
  if (assay_values_get_integer (assay_record_get_burden (record), ASSAY_FIELD_PEAK_RAM_ENGINE, &peak))
    return peak;
  g_autoptr(GPtrArray) phases = assay_series_dup_phases (assay_record_get_series (record));
  peak = -1;
  for (guint i = 0; i < phases->len; i++)
    peak = MAX (peak, ((const AssayPhase *) g_ptr_array_index (phases, i))->peak_allocated);
  return peak;
}

GatesFinding
assay_gates_check_budget (AssayLedger *ledger, AssayRecord *record, gint64 *peak)
{
  const gint64 budget = assay_ledger_get_criteria (ledger)->vram_budget;
  *peak = -1;
  gboolean known = assay_values_get_integer (assay_record_get_burden (record), ASSAY_FIELD_PEAK_VRAM, peak);
  if (!known && record_is_on_cpu (record))
    {
      *peak = record_get_engine_peak (record);
      known = *peak >= 0;
    }
  if (budget < 0)
    return GATES_NOT_ASKED;
  if (!known)
    return GATES_NO_FIGURE;
  return *peak <= budget ? GATES_WITHIN : GATES_BEYOND;
}

GatesFinding
assay_gates_check_time (AssayLedger *ledger, AssayRecord *record, double *seconds)
{
  const double limit = assay_ledger_get_criteria (ledger)->time_limit_seconds;
  *seconds = NAN;
  const gboolean known
      = assay_values_get_real (assay_record_get_burden (record), ASSAY_FIELD_ELAPSED_SECONDS, seconds);
  if (limit < 0)
    return GATES_NOT_ASKED;
  if (!known)
    return GATES_NO_FIGURE;
  return *seconds <= limit ? GATES_WITHIN : GATES_BEYOND;
}

static AssayVerdict
feasibility_verdict (AssayRunStatus status, GatesFinding budget, GatesFinding time)
{
  if (budget == GATES_BEYOND || time == GATES_BEYOND)
    return ASSAY_VERDICT_FAIL;
  switch (status)
    {
    case ASSAY_STATUS_COMPLETED:
      if (budget == GATES_NO_FIGURE || time == GATES_NO_FIGURE)
        return ASSAY_VERDICT_NOT_JUDGED;
      return ASSAY_VERDICT_PASS;
    case ASSAY_STATUS_CANCELLED:
    case ASSAY_STATUS_INTERRUPTED:
    case ASSAY_STATUS_UNKNOWN:
      return ASSAY_VERDICT_NOT_JUDGED;
    case ASSAY_STATUS_OOM_DEVICE:
    case ASSAY_STATUS_OOM_HOST:
    case ASSAY_STATUS_TIME_LIMIT:
    case ASSAY_STATUS_LOAD_FAILED:
    case ASSAY_STATUS_FAILED:
    case ASSAY_STATUS_KILLED:
    case ASSAY_STATUS_INVALID:
    case ASSAY_STATUS_INVALID_OUTPUT:
    default:
      return ASSAY_VERDICT_FAIL;
    }
}

void
assay_gates_add_evidence (GString *line, const char *format, ...)
{
  va_list args;
  if (line->len > 0)
    g_string_append (line, " · ");
  va_start (args, format);
  g_string_append_vprintf (line, format, args);
  va_end (args);
}

static void
feasibility_add_peak (
    GString *line, AssayLedger *ledger, AssayRecord *record, GatesFinding finding, gint64 peak)
{
  const gboolean on_cpu = record_is_on_cpu (record);
  g_autofree char *shown = peak >= 0 ? assay_format_bytes ((guint64) peak) : NULL;
  if (finding == GATES_NOT_ASKED)
    {
      if (shown != NULL)
        assay_gates_add_evidence (line, on_cpu ? _("peak engine memory %s") : _("peak VRAM %s"), shown);
      return;
    }
  g_autofree char *budget = assay_format_bytes ((guint64) assay_ledger_get_criteria (ledger)->vram_budget);
  if (finding == GATES_NO_FIGURE)
    assay_gates_add_evidence (line, _("peak memory unknown, budget %s"), budget);
  else if (finding == GATES_WITHIN)
    assay_gates_add_evidence (
        line, on_cpu ? _("peak engine memory %s within %s") : _("peak VRAM %s within %s"), shown, budget);
  else
    assay_gates_add_evidence (line, on_cpu ? _("peak engine memory %s over %s") : _("peak VRAM %s over %s"),
                              shown, budget);
}

static void
feasibility_add_time (GString *line, AssayLedger *ledger, GatesFinding finding, double seconds)
{
  g_autofree char *shown = isnan (seconds) ? NULL : assay_format_seconds (seconds);
  if (finding == GATES_NOT_ASKED)
    {
      if (shown != NULL)
        assay_gates_add_evidence (line, _("took %s"), shown);
      return;
    }
  g_autofree char *limit = assay_format_seconds (assay_ledger_get_criteria (ledger)->time_limit_seconds);
  if (finding == GATES_NO_FIGURE)
    assay_gates_add_evidence (line, _("time unknown, limit %s"), limit);
  else
    assay_gates_add_evidence (
        line, finding == GATES_WITHIN ? _("took %s within %s") : _("took %s, over %s"), shown, limit);
}

AssayVerdict
assay_gates_judge_feasibility (AssayLedger *ledger, AssayRecord *record)
{
  gint64 peak;
  double seconds;
  const GatesFinding budget = assay_gates_check_budget (ledger, record, &peak);
  return feasibility_verdict (assay_record_get_status (record), budget,
                              assay_gates_check_time (ledger, record, &seconds));
}

static void
gates_judge_feasibility (AssayGates *self, AssayLedger *ledger, AssayRecord *record)
{
  GString *line = g_string_new (NULL);
  const AssayRunStatus status = assay_record_get_status (record);
  gint64 peak;
  double seconds;
  const GatesFinding budget = assay_gates_check_budget (ledger, record, &peak);
  const GatesFinding time = assay_gates_check_time (ledger, record, &seconds);
  self->verdict[ASSAY_GATE_FEASIBILITY] = feasibility_verdict (status, budget, time);
  if (status == ASSAY_STATUS_UNKNOWN)
    assay_gates_add_evidence (line, "%s", _("no status was recorded"));
  else
    assay_gates_add_evidence (line, _("status %s"), assay_run_status_get_name (status));
  feasibility_add_peak (line, ledger, record, budget, peak);
  feasibility_add_time (line, ledger, time, seconds);
  g_autofree char *contradiction = assay_prediction_dup_contradiction (record);
  if (contradiction != NULL)
    assay_gates_add_evidence (line, _("the forecast is contradicted: %s"), contradiction);
  const char *error = assay_values_get_text (assay_record_get_outcome (record), ASSAY_FIELD_ERROR);
  if (error != NULL && *error != '\0')
    {
      g_autofree char *valid = g_utf8_make_valid (error, -1);
      assay_gates_add_evidence (line, "%s", g_strdelimit (valid, "\n\r\t", ' '));
    }
  self->evidence[ASSAY_GATE_FEASIBILITY] = g_string_free (line, FALSE);
}

/* Quality */

/* A run that did not end well left nothing whole to review. Where nobody recorded a status, a person's word
 * stands. */
static gboolean
quality_is_counted (AssayRecord *record)
{
  const AssayRunStatus status = assay_record_get_status (record);
  return status == ASSAY_STATUS_COMPLETED || status == ASSAY_STATUS_UNKNOWN;
}

static void
quality_count (GPtrArray *reviews, guint counts[3])
{
  counts[ASSAY_VERDICT_NOT_JUDGED] = counts[ASSAY_VERDICT_PASS] = counts[ASSAY_VERDICT_FAIL] = 0;
  for (guint i = 0; i < reviews->len; i++)
    counts[((const AssayReview *) g_ptr_array_index (reviews, i))->verdict]++;
}

AssayVerdict
assay_gates_judge_quality (AssayRecord *record)
{
  if (!quality_is_counted (record))
    return ASSAY_VERDICT_NOT_JUDGED;
  g_autoptr(GPtrArray) reviews = assay_record_get_current_reviews (record);
  guint counts[3];
  quality_count (reviews, counts);
  return counts[ASSAY_VERDICT_FAIL] > 0   ? ASSAY_VERDICT_FAIL
         : counts[ASSAY_VERDICT_PASS] > 0 ? ASSAY_VERDICT_PASS
                                          : ASSAY_VERDICT_NOT_JUDGED;
}

AssayVerdict
assay_gates_join (AssayVerdict a, AssayVerdict b)
{
  return MAX (a, b); /* not judged, pass, fail */
}

static void
quality_add_scores (GString *line, const AssayCriteria *criteria, GPtrArray *reviews)
{
  for (guint i = 0; i < criteria->criteria->len; i++)
    {
      const AssayCriterion *criterion = g_ptr_array_index (criteria->criteria, i);
      const double mean = assay_quality_mean_of_reviews (criteria, reviews, criterion->id, NULL);
      if (isnan (mean) || criterion->kind == ASSAY_CRITERION_FREE)
        continue;
      const char *label = criterion->label != NULL ? criterion->label : criterion->id;
      if (criterion->kind == ASSAY_CRITERION_YES_NO)
        assay_gates_add_evidence (line, _("%s: yes in %.0f %%"), label, mean * 100);
      else
        assay_gates_add_evidence (line, _("%s: %.2g of 5"), label, mean);
    }
}

guint
assay_gates_count_earlier (const AssayCriteria *criteria, GPtrArray *reviews)
{
  guint n = 0;
  for (guint i = 0; i < reviews->len; i++)
    n += assay_criteria_is_earlier (criteria, g_ptr_array_index (reviews, i));
  return n;
}

static void
quality_add_earlier (GString *line, const AssayCriteria *criteria, GPtrArray *reviews)
{
  const guint n = assay_gates_count_earlier (criteria, reviews);
  if (n > 0)
    assay_gates_add_evidence (line,
                              g_dngettext (GETTEXT_PACKAGE, "%u by earlier criteria, its scores left out of means",
                                           "%u by earlier criteria, their scores left out of means", n),
                              n);
}

static void
gates_judge_quality (AssayGates *self, AssayLedger *ledger, AssayRecord *record)
{
  GString *line = g_string_new (NULL);
  g_autoptr(GPtrArray) reviews = assay_record_get_current_reviews (record);
  guint counts[3];
  quality_count (reviews, counts);
  const guint n = reviews->len, n_kept = assay_record_get_reviews (record)->len;
  self->verdict[ASSAY_GATE_QUALITY] = assay_gates_judge_quality (record);
  if (n_kept == 0)
    assay_gates_add_evidence (line, "%s", _("no review yet"));
  else if (!quality_is_counted (record))
    assay_gates_add_evidence (line,
                              g_dngettext (GETTEXT_PACKAGE,
                                           "%u review kept and not counted: the run ended as %s",
                                           "%u reviews kept and not counted: the run ended as %s", n_kept),
                              n_kept, assay_run_status_get_name (assay_record_get_status (record)));
  else
    {
      assay_gates_add_evidence (line,
                                g_dngettext (GETTEXT_PACKAGE, "%u review: %u pass, %u fail",
                                             "%u reviews: %u pass, %u fail", n),
                                n, counts[ASSAY_VERDICT_PASS], counts[ASSAY_VERDICT_FAIL]);
      if (counts[ASSAY_VERDICT_PASS] > 0 && counts[ASSAY_VERDICT_FAIL] > 0)
        assay_gates_add_evidence (line, "%s", _("the reviewers disagree"));
      quality_add_earlier (line, assay_ledger_get_criteria (ledger), reviews);
      quality_add_scores (line, assay_ledger_get_criteria (ledger), reviews);
    }
  self->evidence[ASSAY_GATE_QUALITY] = g_string_free (line, FALSE);
}

static gboolean
review_rates (const AssayReview *review, const AssayCriterion *criterion, const char *question)
{
  for (guint i = 0; i < review->scores->len; i++)
    {
      const AssayScore *score = g_ptr_array_index (review->scores, i);
      if (g_str_equal (score->criterion, criterion->id)
          && (score->question == NULL || g_str_equal (score->question, question)))
        return TRUE;
    }
  return FALSE;
}

/* A score of the run as a whole is of every answer. */
static gboolean
review_rates_all (const AssayReview *review, const AssayCriterion *criterion, AssayRecord *run)
{
  GPtrArray *outputs = assay_record_get_outputs (run);
  for (guint i = 0; i < outputs->len; i++)
    {
      const AssayOutput *output = g_ptr_array_index (outputs, i);
      if (!review_rates (review, criterion, output->question != NULL ? output->question : ""))
        return FALSE;
    }
  return TRUE;
}

/* run: or NULL */
static AssayVerdict
suggest_criterion (const AssayCriterion *criterion, const AssayReview *review, AssayRecord *run)
{
  double sum = 0;
  guint n = 0;
  for (guint i = 0; i < review->scores->len; i++)
    {
      const AssayScore *score = g_ptr_array_index (review->scores, i);
      if (g_str_equal (score->criterion, criterion->id))
        {
          sum += score->value;
          n++;
        }
    }
  if (n == 0 || (run != NULL && !review_rates_all (review, criterion, run)))
    return ASSAY_VERDICT_NOT_JUDGED;
  return sum >= (double) criterion->pass * n ? ASSAY_VERDICT_PASS : ASSAY_VERDICT_FAIL;
}

AssayVerdict
assay_gates_suggest (const AssayCriteria *criteria, const AssayReview *review, AssayRecord *run)
{
  g_return_val_if_fail (criteria != NULL && review != NULL, ASSAY_VERDICT_NOT_JUDGED);
  guint counts[3] = { 0, 0, 0 };
  for (guint i = 0; i < criteria->criteria->len; i++)
    {
      const AssayCriterion *criterion = g_ptr_array_index (criteria->criteria, i);
      if (criterion->pass > 0)
        counts[suggest_criterion (criterion, review, run)]++;
    }
  if (counts[ASSAY_VERDICT_FAIL] > 0)
    return ASSAY_VERDICT_FAIL;
  if (counts[ASSAY_VERDICT_NOT_JUDGED] > 0 || counts[ASSAY_VERDICT_PASS] == 0)
    return ASSAY_VERDICT_NOT_JUDGED;
  return ASSAY_VERDICT_PASS;
}

AssayGates *
assay_gates_judge (AssayLedger *ledger, AssayRecord *record)
{
  g_return_val_if_fail (ASSAY_IS_LEDGER (ledger) && ASSAY_IS_RECORD (record), NULL);
  AssayGates *self = g_new0 (AssayGates, 1);
  if (assay_record_is_damaged (record))
    {
      for (AssayGate gate = 0; gate < ASSAY_N_GATES; gate++)
        self->evidence[gate] = g_strdup (_("this run's entry is damaged"));
      return self;
    }
  gates_judge_feasibility (self, ledger, record);
  gates_judge_quality (self, ledger, record);
  assay_gates_judge_operation (ledger, record, &self->verdict[ASSAY_GATE_OPERATION],
                               &self->evidence[ASSAY_GATE_OPERATION]);
  return self;
}

void
assay_gates_free (AssayGates *self)
{
  if (self == NULL)
    return;
  for (AssayGate gate = 0; gate < ASSAY_N_GATES; gate++)
    g_free (self->evidence[gate]);
  g_free (self);
}
