/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/judgment/test-quality-mean.c: which runs are in a mean, and why each other one is not. */
#include <math.h>
#include <string.h>

#include "assay-quality-mean.h"
#include "judgment.h"

static AssayLedger *
ledger_with_criteria (void)
{
  AssayLedger *ledger = judgment_ledger ();
  AssayCriteria *criteria = judgment_criteria (ledger);
  g_ptr_array_add (criteria->criteria, assay_criterion_new ("good", ASSAY_CRITERION_SCALE));
  g_ptr_array_add (criteria->criteria, assay_criterion_new ("seen", ASSAY_CRITERION_YES_NO));
  g_ptr_array_add (criteria->criteria, assay_criterion_new ("words", ASSAY_CRITERION_FREE));
  return ledger;
}

static AssayRecord *
run (const char *id, AssayRunStatus status)
{
  AssayRecord *record = judgment_run (id, status, NULL);
  judgment_output (record, "q1", "answer");
  return record;
}

static AssayReview *
score (AssayRecord *record, const char *reviewer, gint good)
{
  AssayReview *review = judgment_review (record, reviewer, ASSAY_VERDICT_PASS);
  assay_review_set_score (review, "good", NULL, good);
  return review;
}

static void
assert_near (double value, double expected)
{
  if (!(fabs (value - expected) < 1e-12))
    g_error ("%.17g is not %.17g", value, expected);
}

static void
test_a_run_counts_once_however_often_it_was_reviewed (void)
{
  g_autoptr(AssayLedger) ledger = ledger_with_criteria ();
  AssayRecord *a = run ("a", ASSAY_STATUS_COMPLETED), *b = run ("b", ASSAY_STATUS_COMPLETED);
  for (guint i = 0; i < 9; i++)
    {
      g_autofree char *name = g_strdup_printf ("R%u", i);
      score (a, name, 5);
    }
  score (b, "R0", 2);
  judgment_add (ledger, a);
  judgment_add (ledger, b);
  g_autoptr(AssayQualityMeans) means = assay_quality_means_new (ledger, NULL);
  g_assert_cmpuint (means->means->len, ==, 2);
  const AssayQualityMean *good = means->means->pdata[0], *seen = means->means->pdata[1];
  assert_near (good->mean, 3.5);
  assert_near (good->spread, sqrt (4.5));
  g_assert_cmpuint (good->n_runs, ==, 2);
  g_assert_cmpuint (good->n_scores, ==, 10);
  g_assert_cmpuint (good->n_reviewers, ==, 9);
  g_assert_true (isnan (seen->mean) && seen->n_runs == 0);
  g_autofree char *words = assay_quality_mean_dup_words (good), *none = assay_quality_mean_dup_words (seen);
  g_assert_cmpstr (words, ==, "3.5 of 5, 2 runs");
  g_assert_cmpstr (none, ==, "not judged");
  g_assert_cmpuint (means->excluded->len, ==, 0);
}

static void
test_every_run_left_out_is_told_with_its_reason (void)
{
  g_autoptr(AssayLedger) ledger = ledger_with_criteria ();
  AssayRecord *record;
  score (record = run ("fine", ASSAY_STATUS_COMPLETED), "Ada", 4);
  judgment_add (ledger, record);
  for (guint status = 1; status < ASSAY_N_STATUSES; status++)
    {
      g_autofree char *id = g_strdup_printf ("status-%u", status);
      score (record = run (id, (AssayRunStatus) status), "Ada", 1);
      judgment_add (ledger, record);
    }
  score (record = run ("no-status", ASSAY_STATUS_UNKNOWN), "Ada", 1);
  judgment_add (ledger, record);
  judgment_add (ledger, run ("not-reviewed", ASSAY_STATUS_COMPLETED));
  judgment_review (record = run ("verdict-alone", ASSAY_STATUS_COMPLETED), "Ada", ASSAY_VERDICT_FAIL);
  judgment_add (ledger, record);
  record = run ("superseded", ASSAY_STATUS_COMPLETED);
  AssayReview *first = score (record, "Ada", 1), *second = score (record, "Bob", 1);
  first->supersedes = g_strdup (second->id);
  second->supersedes = g_strdup (first->id);
  judgment_add (ledger, record);

  g_autoptr(AssayQualityMeans) means = assay_quality_means_new (ledger, NULL);
  const AssayQualityMean *good = means->means->pdata[0];
  assert_near (good->mean, 4); /* none of the ones that were left out */
  g_assert_cmpuint (good->n_runs, ==, 1);
  g_assert_cmpuint (means->n_runs, ==, 1);
  g_assert_cmpuint (means->excluded->len, ==, assay_ledger_get_n_runs (ledger) - 1);
  for (guint i = 0; i < means->excluded->len; i++)
    {
      const AssayExcludedRun *excluded = means->excluded->pdata[i];
      const char *id = assay_record_get_id (excluded->run);
      const AssayExclusion expected = g_str_has_prefix (id, "status-")    ? ASSAY_EXCLUDED_NOT_COMPLETED
                                      : g_str_equal (id, "no-status")     ? ASSAY_EXCLUDED_NO_STATUS
                                      : g_str_equal (id, "not-reviewed")  ? ASSAY_EXCLUDED_NOT_REVIEWED
                                      : g_str_equal (id, "verdict-alone") ? ASSAY_EXCLUDED_NO_SCORES
                                                                          : ASSAY_EXCLUDED_SUPERSEDED;
      g_assert_cmpint (excluded->exclusion, ==, expected);
      if (expected == ASSAY_EXCLUDED_NOT_COMPLETED)
        g_assert_nonnull (
            strstr (excluded->reason, assay_run_status_get_name (assay_record_get_status (excluded->run))));
    }
  const AssayExcludedRun *oom = means->excluded->pdata[0];
  g_assert_cmpstr (oom->reason, ==, "did not complete: oom_device; 1 review kept and not counted");
}

static void
test_scores_by_earlier_criteria_are_left_out (void)
{
  g_autoptr(AssayLedger) ledger = ledger_with_criteria ();
  AssayRecord *old = run ("old", ASSAY_STATUS_COMPLETED), *new = run ("new", ASSAY_STATUS_COMPLETED);
  AssayReview *earlier = score (old, "Ada", 1);
  score (new, "Ada", 5);
  g_free (earlier->at);
  earlier->at = g_strdup ("2026-01-01T00:00:00Z");
  judgment_criteria (ledger)->changed_at = g_strdup ("2026-06-01T00:00:00Z");
  judgment_add (ledger, old);
  judgment_add (ledger, new);
  g_autoptr(AssayQualityMeans) means = assay_quality_means_new (ledger, NULL);
  assert_near (((const AssayQualityMean *) means->means->pdata[0])->mean, 5);
  g_assert_cmpint (((const AssayExcludedRun *) means->excluded->pdata[0])->exclusion, ==,
                   ASSAY_EXCLUDED_EARLIER_CRITERIA);
}

static void
test_a_mean_is_over_the_runs_asked_for (void)
{
  g_autoptr(AssayLedger) ledger = ledger_with_criteria ();
  g_autoptr(GPtrArray) some = g_ptr_array_new ();
  for (guint i = 1; i <= 4; i++)
    {
      g_autofree char *id = g_strdup_printf ("run-%u", i);
      AssayRecord *record = run (id, ASSAY_STATUS_COMPLETED);
      score (record, "Ada", (gint) i);
      record = judgment_add (ledger, record);
      if (i > 2)
        g_ptr_array_add (some, record);
    }
  g_autoptr(AssayQualityMeans) means = assay_quality_means_new (ledger, some);
  assert_near (((const AssayQualityMean *) means->means->pdata[0])->mean, 3.5);
}

#define ADD(name, function) g_test_add_func ("/judgment/quality-mean/" name, function)

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  ADD ("a-run-counts-once-however-often-it-was-reviewed",
       test_a_run_counts_once_however_often_it_was_reviewed);
  ADD ("every-run-left-out-is-told-with-its-reason", test_every_run_left_out_is_told_with_its_reason);
  ADD ("scores-by-earlier-criteria-are-left-out", test_scores_by_earlier_criteria_are_left_out);
  ADD ("a-mean-is-over-the-runs-asked-for", test_a_mean_is_over_the_runs_asked_for);
  return g_test_run ();
}
