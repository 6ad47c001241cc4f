/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-advice-signal.c: which of the four signals a record gives, and the figures behind it.
 *
 * Memory of the device, memory of the computer, slowness and quality are four failures with four remedies; a
 * load that failed or a process that died is none of them, and moving an axis would hide its cause. */
#include "assay-advice-private.h"

#include <glib/gi18n-lib.h>

#include "assay-gates-private.h"

static const char *const signal_names[ASSAY_N_SIGNALS] = { "none", "oom_device", "oom_host", "too_slow",
                                                           "quality_miss" };

const char *
assay_signal_get_name (AssaySignal signal)
{
  g_return_val_if_fail (signal < ASSAY_N_SIGNALS, NULL);
  return signal_names[signal];
}

const char *
assay_signal_get_words (AssaySignal signal)
{
  switch (signal)
    {
    case ASSAY_SIGNAL_OOM_DEVICE:
      return _("The device's memory did not suffice");
    case ASSAY_SIGNAL_OOM_HOST:
      return _("The computer's memory did not suffice");
    case ASSAY_SIGNAL_TOO_SLOW:
      return _("It runs, but too slowly");
    case ASSAY_SIGNAL_QUALITY_MISS:
      return _("It runs, but the output misses the quality criterion");
    case ASSAY_SIGNAL_NONE:
    case ASSAY_N_SIGNALS:
    default:
      return _("Nothing calls for a change");
    }
}

static gboolean
signal_is_over_ram (AssayLedger *ledger, AssayRecord *record)
{
  const gint64 limit = assay_ledger_get_criteria (ledger)->max_ram;
  gint64 peak;
  return limit >= 0
         && assay_values_get_integer (assay_record_get_burden (record), ASSAY_FIELD_PEAK_RAM, &peak)
         && peak > limit;
}

static gboolean
signal_is_too_slow (AssayLedger *ledger, AssayRecord *record)
{
  double seconds;
  GatesOperation figures;
  if (assay_gates_check_time (ledger, record, &seconds) == GATES_BEYOND)
    return TRUE;
  assay_gates_measure (ledger, record, &figures);
  return figures.latency == GATES_BEYOND || figures.throughput == GATES_BEYOND;
}

AssaySignal
advice_find_signal (AssayLedger *ledger, AssayRecord *record)
{
  const AssayRunStatus status = assay_record_get_status (record);
  gint64 peak;
  if (assay_record_is_damaged (record))
    return ASSAY_SIGNAL_NONE;
  if (status == ASSAY_STATUS_OOM_DEVICE)
    return ASSAY_SIGNAL_OOM_DEVICE;
  if (status == ASSAY_STATUS_OOM_HOST)
    return ASSAY_SIGNAL_OOM_HOST;
  if (status == ASSAY_STATUS_TIME_LIMIT)
    return ASSAY_SIGNAL_TOO_SLOW;
  if (status != ASSAY_STATUS_COMPLETED)
    return ASSAY_SIGNAL_NONE;
  if (assay_gates_check_budget (ledger, record, &peak) == GATES_BEYOND)
    return ASSAY_SIGNAL_OOM_DEVICE;
  if (signal_is_over_ram (ledger, record))
    return ASSAY_SIGNAL_OOM_HOST;
  if (signal_is_too_slow (ledger, record))
    return ASSAY_SIGNAL_TOO_SLOW;
  return assay_gates_judge_quality (record) == ASSAY_VERDICT_FAIL ? ASSAY_SIGNAL_QUALITY_MISS
                                                                  : ASSAY_SIGNAL_NONE;
}

static void
evidence_add_failure (GString *line, AssayRecord *record)
{
  const AssayValues *outcome = assay_record_get_outcome (record);
  const char *phase = assay_values_get_text (outcome, ASSAY_FIELD_FAILED_PHASE);
  g_autofree char *request = assay_values_dup_display (outcome, ASSAY_FIELD_FAILED_REQUEST);
  gint64 peak;
  if (phase != NULL)
    assay_gates_add_evidence (line, _("ended in phase %s"), phase);
  if (assay_values_get_state (outcome, ASSAY_FIELD_FAILED_REQUEST) == ASSAY_VALUE_SET)
    assay_gates_add_evidence (line, _("a request of %s could not be met"), request);
  if (assay_values_get_integer (assay_record_get_burden (record), ASSAY_FIELD_PEAK_RAM, &peak)
      && assay_record_get_status (record) == ASSAY_STATUS_OOM_HOST)
    {
      g_autofree char *shown = assay_format_bytes ((guint64) peak);
      assay_gates_add_evidence (line, _("peak RAM %s"), shown);
    }
}

/* A record whose failure is none of the four: another axis would hide the cause, not mend it. */
static char *
evidence_for_none (AssayRecord *record)
{
  const AssayRunStatus status = assay_record_get_status (record);
  if (assay_record_is_damaged (record))
    return g_strdup (_("this run's entry is damaged"));
  switch (status)
    {
    case ASSAY_STATUS_COMPLETED:
      return g_strdup (assay_gates_judge_quality (record) == ASSAY_VERDICT_NOT_JUDGED
                         ? _("it ran within what is set; nobody has judged the output yet")
                         : _("it ran within what is set, and the output passed"));
    case ASSAY_STATUS_UNKNOWN:
      return g_strdup (_("the record does not say how the run ended"));
    case ASSAY_STATUS_CANCELLED:
    case ASSAY_STATUS_INTERRUPTED:
      return g_strdup_printf (_("%s before its end: run it again unchanged"),
                              assay_run_status_get_name (status));
    case ASSAY_STATUS_OOM_DEVICE:
    case ASSAY_STATUS_OOM_HOST:
    case ASSAY_STATUS_TIME_LIMIT:
    case ASSAY_STATUS_LOAD_FAILED:
    case ASSAY_STATUS_FAILED:
    case ASSAY_STATUS_KILLED:
    case ASSAY_STATUS_INVALID:
    case ASSAY_STATUS_INVALID_OUTPUT:
    default:
      return g_strdup_printf (_("%s: mend the cause that the error names, then run it again unchanged"),
                              assay_run_status_get_name (status));
    }
}

char *
advice_dup_evidence (AssaySignal signal, AssayLedger *ledger, AssayRecord *record)
{
  if (signal == ASSAY_SIGNAL_NONE)
    return evidence_for_none (record);
  g_autoptr(AssayGates) gates = assay_gates_judge (ledger, record);
  const gboolean completed = assay_record_get_status (record) == ASSAY_STATUS_COMPLETED;
  GString *line = g_string_new (NULL);
  if (signal == ASSAY_SIGNAL_QUALITY_MISS)
    assay_gates_add_evidence (line, "%s", gates->evidence[ASSAY_GATE_QUALITY]);
  else
    assay_gates_add_evidence (line, "%s", gates->evidence[ASSAY_GATE_FEASIBILITY]);
  if (completed && (signal == ASSAY_SIGNAL_OOM_HOST || signal == ASSAY_SIGNAL_TOO_SLOW))
    assay_gates_add_evidence (line, "%s", gates->evidence[ASSAY_GATE_OPERATION]);
  if (!completed)
    evidence_add_failure (line, record);
  return g_string_free (line, FALSE);
}
