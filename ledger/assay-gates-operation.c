/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-gates-operation.c: can this burden be carried again and again?
 *
 * Asked of a setting, not of one run: the record and its repeats are measured together. Figures come from
 * runs that completed; the others count only as retries, since a time of a run that broke off says nothing
 * about the setting's. A family of which none completed has nothing to carry: it is not judged, and no
 * percentage is made of it. */
#include "assay-gates-private.h"

#include "assay-ledger-private.h"
#include "assay-repeats.h"

#include <math.h>

#include <glib/gi18n-lib.h>

typedef struct
{
  double seconds;
  guint n;
} Mean;

/* What runs of one setting add up to; kept with the setting, since each of its rows asks. */
typedef struct
{
  Mean latency, speed;
  gint64 peak_ram;
  guint n_counted, n_completed;
} Sums;

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
sums_add_run (Sums *self, AssayRecord *record)
{
  const AssayRunStatus status = assay_record_get_status (record);
  if (status == ASSAY_STATUS_CANCELLED || status == ASSAY_STATUS_INTERRUPTED
      || status == ASSAY_STATUS_UNKNOWN)
    return;
  self->n_counted++;
  if (status != ASSAY_STATUS_COMPLETED)
    return;
  self->n_completed++;
  const AssayValues *burden = assay_record_get_burden (record);
  double rate;
  gint64 ram;
  operation_add_latency (&self->latency, record);
  if (assay_values_get_real (burden, ASSAY_FIELD_GENERATE_TOKENS_PER_SECOND, &rate))
    mean_add (&self->speed, rate);
  if (assay_values_get_integer (burden, ASSAY_FIELD_PEAK_RAM, &ram))
    self->peak_ram = MAX (self->peak_ram, ram);
}

static void
sums_add (Sums *self, const Sums *other)
{
  self->latency.seconds += other->latency.seconds;
  self->latency.n += other->latency.n;
  self->speed.seconds += other->speed.seconds;
  self->speed.n += other->speed.n;
  self->peak_ram = MAX (self->peak_ram, other->peak_ram);
  self->n_counted += other->n_counted;
  self->n_completed += other->n_completed;
}

static const Sums *
sums_of_setting (AssayRepeatsSetting *setting)
{
  if (setting->sums == NULL)
    {
      Sums *sums = g_new0 (Sums, 1);
      sums->peak_ram = -1;
      for (guint i = 0; i < setting->runs->len; i++)
        sums_add_run (sums, g_ptr_array_index (setting->runs, i));
      setting->sums = sums;
    }
  return setting->sums;
}

/* As an unsaved edit, or before it is added, a record is not the one that the ledger holds under its id. */
static void
sums_add_with_own (Sums *self, AssayLedger *ledger, AssayRecord *record)
{
  g_autoptr(GPtrArray) repeats = assay_repeats_find (ledger, record);
  for (guint i = 0; i < repeats->len; i++)
    {
      AssayRecord *run = g_ptr_array_index (repeats, i);
      if (g_strcmp0 (assay_record_get_id (run), assay_record_get_id (record)) != 0)
        sums_add_run (self, run);
    }
  sums_add_run (self, record);
}

static void
sums_add_repeats (Sums *self, AssayLedger *ledger, AssayRecord *record)
{
  if (assay_ledger_find_run (ledger, assay_record_get_id (record)) != record)
    {
      sums_add_with_own (self, ledger, record);
      return;
    }
  g_autoptr(GPtrArray) settings = assay_repeats_index_find (assay_ledger_get_repeats (ledger), record);
  for (guint i = 0; i < settings->len; i++)
    sums_add (self, sums_of_setting (g_ptr_array_index (settings, i)));
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
  Sums sums = { .peak_ram = -1 };
  if (operation_is_asked (assay_ledger_get_criteria (ledger)))
    sums_add_repeats (&sums, ledger, record);
  else
    sums_add_run (&sums, record); /* without a threshold nobody asks, and no repeats are looked for */
  *out = (GatesOperation){ .latency_seconds = mean_get (&sums.latency), .tokens_per_second = mean_get (&sums.speed),
                           .peak_ram = sums.peak_ram, .n_counted = sums.n_counted, .n_completed = sums.n_completed };
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
