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

/* Kept with the setting, since each of its rows asks. */
static const AssaySettingFigures *
operation_measure_setting (AssayRepeatsSetting *setting)
{
  if (setting->sums == NULL)
    {
      setting->sums = g_new (AssaySettingFigures, 1);
      assay_setting_measure (setting->runs, setting->sums);
    }
  return setting->sums;
}

/* The repeats of the record and itself: as an unsaved edit, or before it is added, it is not the one that the ledger
 * holds under its id. */
static void
operation_measure_together (AssayLedger *ledger, AssayRecord *record, AssaySettingFigures *out)
{
  g_autoptr(GPtrArray) repeats = assay_repeats_find (ledger, record), runs = g_ptr_array_new ();
  for (guint i = 0; i < repeats->len; i++)
    if (g_strcmp0 (assay_record_get_id (repeats->pdata[i]), assay_record_get_id (record)) != 0)
      g_ptr_array_add (runs, repeats->pdata[i]);
  g_ptr_array_add (runs, record);
  assay_setting_measure (runs, out);
}

static void
operation_measure_repeats (AssayLedger *ledger, AssayRecord *record, AssaySettingFigures *out)
{
  const gboolean own = assay_ledger_find_run (ledger, assay_record_get_id (record)) == record;
  AssayRepeatsSetting *setting = own ? assay_repeats_index_get_setting (assay_ledger_get_repeats (ledger), record) : NULL;
  if (setting != NULL)
    *out = *operation_measure_setting (setting);
  else
    operation_measure_together (ledger, record, out);
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
  AssaySettingFigures *figures = &out->figures;
  g_autoptr(GPtrArray) alone = g_ptr_array_new ();
  g_ptr_array_add (alone, record);
  if (operation_is_asked (assay_ledger_get_criteria (ledger)))
    operation_measure_repeats (ledger, record, figures);
  else
    assay_setting_measure (alone, figures); /* without a threshold nobody asks, and no repeats are looked for */
  out->latency_seconds = figures->latency.mean;
  out->tokens_per_second = figures->tokens_per_second.mean;
  out->peak_ram = figures->peak_ram.n > 0 ? (gint64) figures->peak_ram.high : -1;
  out->n_counted = figures->n_counted;
  out->n_completed = figures->n_completed;
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
      g_autofree char *words = assay_setting_dup_words (&figures.figures);
      if (*words != '\0')
        assay_gates_add_evidence (line, "%s", words);
    }
  *evidence = g_string_free (line, FALSE);
}
