/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-review-words.h"

#include <glib/gi18n-lib.h>

#include "assay-display-text.h"
#include "assay-gates.h"
#include "assay-run-row.h"

static const char *
words_of_suggestion (AssayVerdict verdict)
{
  return verdict == ASSAY_VERDICT_PASS   ? _("the thresholds would suggest pass")
         : verdict == ASSAY_VERDICT_FAIL ? _("the thresholds would suggest fail")
                                         : _("the thresholds suggest nothing for these scores");
}

static const char *
words_of_verdict (AssayVerdict verdict)
{
  return verdict == ASSAY_VERDICT_PASS   ? _("pass")
         : verdict == ASSAY_VERDICT_FAIL ? _("fail")
                                         : _("no verdict");
}

static char *
words_dup_outcome_of (const char *run_id, gboolean unsaved, const char *given, const char *suggested)
{
  g_autofree char *id = assay_display_line (assay_run_get_short_id (run_id), 24);

  return unsaved ? g_strdup_printf (_("Run %s: not in the file yet. Your verdict: %s; %s."), id, given, suggested)
                 : g_strdup_printf (_("Run %s: saved. Your verdict: %s; %s."), id, given, suggested);
}

/* The run that holds this review, as it was saved; NULL where none does any more. */
static AssayRecord *
ledger_find_reviewed (AssayLedger *ledger, const AssayReview *review)
{
  for (guint i = 0; i < assay_ledger_get_n_runs (ledger); i++)
    {
      AssayRecord *run = assay_ledger_get_run (ledger, i);
      GPtrArray *reviews = assay_record_get_reviews (run);
      for (guint k = 0; k < reviews->len; k++)
        if (g_strcmp0 (((const AssayReview *) g_ptr_array_index (reviews, k))->id, review->id) == 0)
          return run;
    }
  return NULL;
}

char *
assay_review_words_dup_outcome (AssayLedger *ledger, const AssayReview *review, const char *run_id)
{
  const char *given = words_of_verdict (review->verdict);
  const char *suggested
      = words_of_suggestion (assay_gates_suggest (assay_ledger_get_criteria (ledger), review,
                                                                ledger_find_reviewed (ledger, review)));

  if (run_id != NULL)
    return words_dup_outcome_of (run_id, assay_ledger_is_unsaved (ledger), given, suggested);
  return assay_ledger_is_unsaved (ledger)
             ? g_strdup_printf (_("Not in the file yet. Your verdict: %s; %s."), given, suggested)
             : g_strdup_printf (_("Saved. Your verdict: %s; %s."), given, suggested);
}

char *
assay_review_words_dup_left_out (AssayRecord *record)
{
  const AssayRunStatus status = assay_record_get_status (record);

  if (status == ASSAY_STATUS_COMPLETED || status == ASSAY_STATUS_UNKNOWN)
    return NULL;
  return g_strdup_printf (_("This run ended as %s: a review of it is kept, and left out of means and of the verdict “good”."),
                          assay_run_status_get_name (status));
}

char *
assay_review_words_dup_empty (AssayLedger *ledger, AssayRecord *record)
{
  if (ledger == NULL || record == NULL)
    return g_strdup (_("Choose a run whose answers you want to judge."));
  if (assay_record_is_damaged (record))
    return g_strdup (_("This run is damaged: what is left of it stays in the ledger unchanged."));
  const char *status = assay_run_status_get_name (assay_record_get_status (record));
  return g_strdup_printf (
      _("This run left no output (%s). Rating needs something to read: whether it runs is told by the "
         "feasibility gate, and says nothing about quality."),
      status);
}
