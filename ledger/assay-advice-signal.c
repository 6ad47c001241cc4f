/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-advice-signal.c: which of the four signals a record gives, and the figures behind it.
 *
 * Memory of the device, memory of the computer, slowness and quality are four failures with four remedies; a
 * load that failed or a process that died is none of them, and moving an axis would hide its cause. */
#include "assay-advice-private.h"

#include <glib/gi18n-lib.h>

#include "assay-gates-private.h"
#include "assay-repetition.h"

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

/* Of a run that gives no signal and did not complete either: 'nothing calls for a change' would hide that. */
static const char *
words_without_signal (AssayRecord *record)
{
  switch (assay_record_get_status (record))
    {
    case ASSAY_STATUS_COMPLETED:
      return assay_repetition_is_suspicious (record) ? _("The output is one pattern over and over")
                                                     : assay_signal_get_words (ASSAY_SIGNAL_NONE);
    case ASSAY_STATUS_UNKNOWN:
      return _("How it ended is not known");
    case ASSAY_STATUS_CANCELLED:
    case ASSAY_STATUS_INTERRUPTED:
      return _("It was ended early");
    case ASSAY_STATUS_LOAD_FAILED:
    case ASSAY_STATUS_INVALID:
      return _("It did not run, for a reason of its own");
    case ASSAY_STATUS_OOM_DEVICE:
    case ASSAY_STATUS_OOM_HOST:
    case ASSAY_STATUS_TIME_LIMIT:
    case ASSAY_STATUS_FAILED:
    case ASSAY_STATUS_KILLED:
    case ASSAY_STATUS_INVALID_OUTPUT:
    default:
      return _("It failed, for a reason of its own");
    }
}

const char *
advice_get_words (AssaySignal signal, AssayRecord *record)
{
  const AssayRunStatus status = assay_record_get_status (record);
  if (assay_record_is_damaged (record))
    return _("This run cannot be read");
  if (signal == ASSAY_SIGNAL_TOO_SLOW && status == ASSAY_STATUS_TIME_LIMIT)
    return _("It ran into the time limit");
  return signal == ASSAY_SIGNAL_NONE ? words_without_signal (record) : assay_signal_get_words (signal);
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

#define EVIDENCE_ERROR_MAX 400 /* characters; the record keeps the whole */

/* In one line, as the rest of the evidence. */
static char *
evidence_dup_error (AssayRecord *record)
{
  const char *error = assay_values_get_text (assay_record_get_outcome (record), ASSAY_FIELD_ERROR);
  if (error == NULL || *error == '\0')
    return NULL;
  g_autofree char *valid = g_utf8_make_valid (error, -1);
  const gboolean cut = g_utf8_strlen (valid, -1) > EVIDENCE_ERROR_MAX;
  g_autofree char *head = g_utf8_substring (valid, 0, MIN (g_utf8_strlen (valid, -1), EVIDENCE_ERROR_MAX));
  GString *line = g_string_new (NULL);
  for (const char *p = head; *p != '\0'; p = g_utf8_next_char (p))
    g_string_append_unichar (line, g_unichar_iscntrl (g_utf8_get_char (p)) ? ' ' : g_utf8_get_char (p));
  if (cut)
    g_string_append (line, "…");
  return g_string_free (line, FALSE);
}

static char *
evidence_for_failure (AssayRecord *record)
{
  const char *status = assay_run_status_get_name (assay_record_get_status (record));
  g_autofree char *error = evidence_dup_error (record);
  if (error == NULL)
    return g_strdup_printf (_("%s, and the record names no error: run it again unchanged"), status);
  return g_strdup_printf (_("%s: mend the cause, then run it again unchanged. The error: %s"), status, error);
}

/* A record whose failure is none of the four: another axis would hide the cause, not mend it. */
static char *
evidence_for_none (AssayRecord *record)
{
  const AssayRunStatus status = assay_record_get_status (record);
  g_autofree char *repetition = status == ASSAY_STATUS_COMPLETED ? assay_repetition_dup_note (record) : NULL;
  if (assay_record_is_damaged (record))
    return g_strdup (_("this run's entry is damaged"));
  switch (status)
    {
    case ASSAY_STATUS_COMPLETED:
      if (repetition != NULL) /* whoever passed it may not have seen it */
        return g_steal_pointer (&repetition);
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
      return evidence_for_failure (record);
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
