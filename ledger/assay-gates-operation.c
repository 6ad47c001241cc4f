/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-gates-operation.c: can this burden be carried again and again?
 *
 * Asked of a setting, not of one run: the record and its repeats are measured together. Figures come from
 * runs that completed; the others count only as retries, since a time of a run that broke off says nothing
 * about the setting's. A family of which none completed has nothing to carry: it is not judged, and no
 * percentage is made of it. */
#include "assay-gates-private.h"

#include "assay-axes.h"

#include <math.h>

#include <glib/gi18n-lib.h>

typedef struct
{
  double seconds;
  guint n;
} Mean;

static void
mean_add (Mean *mean, double seconds)
{
  mean->seconds += seconds;
  mean->n++;
}

static double
mean_get (const Mean *mean)
{
  return mean->n > 0 ? mean->seconds / mean->n : NAN;
}

/* Every answer with both its times; the run as a whole when no answer has them. */
static void
operation_add_latency (Mean *latency, AssayRecord *record)
{
  GPtrArray *outputs = assay_record_get_outputs (record);
  guint n_timed = 0;
  for (guint i = 0; i < outputs->len; i++)
    {
      const AssayOutput *output = g_ptr_array_index (outputs, i);
      if (output->prompt_ns < 0 || output->generate_ns < 0)
        continue;
      mean_add (latency, ((double) output->prompt_ns + (double) output->generate_ns) / 1e9);
      n_timed++;
    }
  double elapsed;
  if (n_timed == 0
      && assay_values_get_real (assay_record_get_burden (record), ASSAY_FIELD_ELAPSED_SECONDS, &elapsed))
    mean_add (latency, elapsed);
}

static void
operation_add_run (GatesOperation *out, Mean *latency, Mean *speed, AssayRecord *record)
{
  const AssayRunStatus status = assay_record_get_status (record);
  if (status == ASSAY_STATUS_CANCELLED || status == ASSAY_STATUS_INTERRUPTED
      || status == ASSAY_STATUS_UNKNOWN)
    return;
  out->n_counted++;
  if (status != ASSAY_STATUS_COMPLETED)
    return;
  out->n_completed++;
  const AssayValues *burden = assay_record_get_burden (record);
  double rate;
  gint64 ram;
  operation_add_latency (latency, record);
  if (assay_values_get_real (burden, ASSAY_FIELD_GENERATE_TOKENS_PER_SECOND, &rate))
    mean_add (speed, rate);
  if (assay_values_get_integer (burden, ASSAY_FIELD_PEAK_RAM, &ram))
    out->peak_ram = MAX (out->peak_ram, ram);
}

static GatesFinding
finding_at_most (double figure, double threshold)
{
  if (threshold < 0)
    return GATES_NOT_ASKED;
  if (isnan (figure))
    return GATES_NO_FIGURE;
  return figure <= threshold ? GATES_WITHIN : GATES_BEYOND;
}

static void
operation_find (GatesOperation *out, const AssayCriteria *criteria)
{
  const gboolean any = out->n_completed > 0;
  const double retried = any ? 1.0 - (double) out->n_completed / out->n_counted : NAN;
  out->latency = finding_at_most (out->latency_seconds, criteria->mean_latency_seconds);
  out->retries = finding_at_most (retried, criteria->max_retry_rate);
  out->ram = finding_at_most (out->peak_ram >= 0 ? (double) out->peak_ram : NAN, (double) criteria->max_ram);
  out->throughput = criteria->min_tokens_per_second < 0                                ? GATES_NOT_ASKED
                    : isnan (out->tokens_per_second)                                   ? GATES_NO_FIGURE
                    : out->tokens_per_second >= criteria->min_tokens_per_second ? GATES_WITHIN
                                                                                       : GATES_BEYOND;
}

static gboolean
operation_is_asked (const AssayCriteria *criteria)
{
  return criteria->mean_latency_seconds >= 0 || criteria->max_retry_rate >= 0
         || criteria->min_tokens_per_second >= 0 || criteria->max_ram >= 0;
}

void
assay_gates_measure (AssayLedger *ledger, AssayRecord *record, GatesOperation *out)
{
  Mean latency = { 0, 0 }, speed = { 0, 0 };
  *out = (GatesOperation){ .peak_ram = -1 };
  gboolean seen = FALSE;
  /* Without a threshold nobody asks, and a list of thousands need not look for repeats. */
  const guint n
      = operation_is_asked (assay_ledger_get_criteria (ledger)) ? assay_ledger_get_n_runs (ledger) : 0;
  for (guint i = 0; i < n; i++)
    {
      AssayRecord *run = assay_ledger_get_run (ledger, i);
      const gboolean same = g_strcmp0 (assay_record_get_id (run), assay_record_get_id (record)) == 0;
      if (!same && (assay_record_is_damaged (run) || !assay_axes_is_repeat (record, run)))
        continue;
      seen |= same;
      operation_add_run (out, &latency, &speed, same ? record : run);
    }
  if (!seen)
    operation_add_run (out, &latency, &speed, record);
  out->latency_seconds = mean_get (&latency);
  out->tokens_per_second = mean_get (&speed);
  operation_find (out, assay_ledger_get_criteria (ledger));
}

static void
operation_add_figures (GString *line, const GatesOperation *figures, const AssayCriteria *criteria)
{
  if (figures->latency == GATES_NO_FIGURE)
    assay_gates_add_evidence (line, "%s", _("latency unknown"));
  else if (figures->latency != GATES_NOT_ASKED)
    {
      g_autofree char *mean = assay_format_seconds (figures->latency_seconds);
      g_autofree char *limit = assay_format_seconds (criteria->mean_latency_seconds);
      assay_gates_add_evidence (line, _("mean latency %s, at most %s"), mean, limit);
    }
  if (figures->throughput == GATES_NO_FIGURE)
    assay_gates_add_evidence (line, "%s", _("tokens per second unknown"));
  else if (figures->throughput != GATES_NOT_ASKED)
    assay_gates_add_evidence (line, _("%.3g tokens/s, at least %.3g"), figures->tokens_per_second,
                              criteria->min_tokens_per_second);
  if (figures->ram == GATES_NO_FIGURE)
    assay_gates_add_evidence (line, "%s", _("peak RAM unknown"));
  else if (figures->ram != GATES_NOT_ASKED)
    {
      g_autofree char *peak = assay_format_bytes ((guint64) figures->peak_ram);
      g_autofree char *limit = assay_format_bytes ((guint64) criteria->max_ram);
      assay_gates_add_evidence (line, _("peak RAM %s, at most %s"), peak, limit);
    }
}

static AssayVerdict
operation_verdict (const GatesOperation *figures)
{
  const GatesFinding findings[] = { figures->latency, figures->throughput, figures->ram, figures->retries };
  AssayVerdict verdict = ASSAY_VERDICT_PASS;
  for (guint i = 0; i < G_N_ELEMENTS (findings); i++)
    if (findings[i] == GATES_BEYOND)
      return ASSAY_VERDICT_FAIL;
    else if (findings[i] == GATES_NO_FIGURE)
      verdict = ASSAY_VERDICT_NOT_JUDGED;
  return verdict;
}

void
assay_gates_judge_operation (AssayLedger *ledger, AssayRecord *record, AssayVerdict *verdict, char **evidence)
{
  const AssayCriteria *criteria = assay_ledger_get_criteria (ledger);
  *verdict = ASSAY_VERDICT_NOT_JUDGED;
  if (!operation_is_asked (criteria))
    {
      *evidence = g_strdup (_("no threshold is set"));
      return;
    }
  GString *line = g_string_new (NULL);
  GatesOperation figures;
  assay_gates_measure (ledger, record, &figures);
  if (figures.n_counted == 0)
    assay_gates_add_evidence (line, "%s", _("no run of this setting was let run to an end"));
  else
    assay_gates_add_evidence (
        line,
        g_dngettext (GETTEXT_PACKAGE, "%u of %u run completed", "%u of %u runs completed", figures.n_counted),
        figures.n_completed, figures.n_counted);
  if (figures.n_completed > 0)
    {
      *verdict = operation_verdict (&figures);
      operation_add_figures (line, &figures, criteria);
      if (figures.retries != GATES_NOT_ASKED)
        assay_gates_add_evidence (line, _("at most %.0f %% may fail"), criteria->max_retry_rate * 100);
    }
  *evidence = g_string_free (line, FALSE);
}
