/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The three gates: a truth table of each, and that none ever speaks for another. */
#include "assay-gates.h"
#include "judgment.h"

static AssayVerdict
verdict_of (AssayLedger *ledger, AssayRecord *record, AssayGate gate)
{
  g_autoptr(AssayGates) gates = assay_gates_judge (ledger, record);
  for (AssayGate each = 0; each < ASSAY_N_GATES; each++)
    {
      g_assert_nonnull (gates->evidence[each]);
      g_assert_cmpint (strlen (gates->evidence[each]), >, 0);
      g_assert_null (strchr (gates->evidence[each], '\n'));
    }
  return gates->verdict[gate];
}

static AssayRecord *
run_with (AssayRunStatus status, const char *peak, const char *seconds)
{
  AssayRecord *record = judgment_run ("r", status, NULL);
  if (peak != NULL)
    g_assert_true (assay_values_parse (assay_record_get_burden (record), ASSAY_FIELD_PEAK_VRAM, peak, NULL));
  if (seconds != NULL)
    g_assert_true (
        assay_values_parse (assay_record_get_burden (record), ASSAY_FIELD_ELAPSED_SECONDS, seconds, NULL));
  assay_record_seal (record);
  return record;
}

static void
test_feasibility_table (void)
{
  static const struct
  {
    AssayRunStatus status;
    const char *peak, *seconds;
    gint64 budget;
    double limit;
    AssayVerdict wanted;
  } rows[] = {
    { ASSAY_STATUS_COMPLETED, NULL, NULL, -1, -1, ASSAY_VERDICT_PASS },
    { ASSAY_STATUS_COMPLETED, "100", "5", 100, 5, ASSAY_VERDICT_PASS },
    { ASSAY_STATUS_COMPLETED, "101", "5", 100, 5, ASSAY_VERDICT_FAIL },
    { ASSAY_STATUS_COMPLETED, "100", "5.001", 100, 5, ASSAY_VERDICT_FAIL },
    { ASSAY_STATUS_COMPLETED, NULL, "5", 100, 5, ASSAY_VERDICT_NOT_JUDGED },
    { ASSAY_STATUS_COMPLETED, "100", NULL, 100, 5, ASSAY_VERDICT_NOT_JUDGED },
    { ASSAY_STATUS_COMPLETED, NULL, "6", 100, 5, ASSAY_VERDICT_FAIL },
    { ASSAY_STATUS_COMPLETED, "0", NULL, 0, -1, ASSAY_VERDICT_PASS },
    { ASSAY_STATUS_OOM_DEVICE, "1", "1", 100, 5, ASSAY_VERDICT_FAIL },
    { ASSAY_STATUS_OOM_HOST, NULL, NULL, -1, -1, ASSAY_VERDICT_FAIL },
    { ASSAY_STATUS_TIME_LIMIT, NULL, NULL, -1, -1, ASSAY_VERDICT_FAIL },
    { ASSAY_STATUS_LOAD_FAILED, NULL, NULL, -1, -1, ASSAY_VERDICT_FAIL },
    { ASSAY_STATUS_FAILED, NULL, NULL, -1, -1, ASSAY_VERDICT_FAIL },
    { ASSAY_STATUS_KILLED, NULL, NULL, -1, -1, ASSAY_VERDICT_FAIL },
    { ASSAY_STATUS_INVALID, NULL, NULL, -1, -1, ASSAY_VERDICT_FAIL },
    { ASSAY_STATUS_INVALID_OUTPUT, NULL, NULL, -1, -1, ASSAY_VERDICT_FAIL },
    { ASSAY_STATUS_CANCELLED, NULL, NULL, -1, -1, ASSAY_VERDICT_NOT_JUDGED },
    { ASSAY_STATUS_CANCELLED, "101", NULL, 100, -1, ASSAY_VERDICT_FAIL },
    { ASSAY_STATUS_INTERRUPTED, NULL, NULL, -1, -1, ASSAY_VERDICT_NOT_JUDGED },
    { ASSAY_STATUS_UNKNOWN, "1", "1", 100, 5, ASSAY_VERDICT_NOT_JUDGED },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr(AssayLedger) ledger = judgment_ledger ();
      g_autoptr(AssayRecord) record = run_with (rows[i].status, rows[i].peak, rows[i].seconds);
      judgment_criteria (ledger)->vram_budget = rows[i].budget;
      judgment_criteria (ledger)->time_limit_seconds = rows[i].limit;
      g_test_message ("row %u", (guint) i);
      g_assert_cmpint (verdict_of (ledger, record, ASSAY_GATE_FEASIBILITY), ==, rows[i].wanted);
      g_assert_cmpint (verdict_of (ledger, record, ASSAY_GATE_QUALITY), ==, ASSAY_VERDICT_NOT_JUDGED);
      g_assert_cmpint (verdict_of (ledger, record, ASSAY_GATE_OPERATION), ==, ASSAY_VERDICT_NOT_JUDGED);
    }
}

static void
test_cpu_budget_takes_engine_memory (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  AssayRecord *run
      = judgment_run ("r", ASSAY_STATUS_COMPLETED, "device", "cpu", "peak_vram", "?no device memory", NULL);
  const AssayPhase phases[]
      = { { .name = (char *)"load", .peak_allocated = 90, .peak_ram = -1, .duration_ns = 1 },
          { .name = (char *)"prompt", .peak_allocated = 120, .peak_ram = -1, .duration_ns = 1 } };
  for (gsize i = 0; i < G_N_ELEMENTS (phases); i++)
    assay_series_add_phase (assay_record_get_series (run), &phases[i]);
  AssayRecord *record = judgment_add (ledger, run);
  judgment_criteria (ledger)->vram_budget = 120;
  g_assert_cmpint (verdict_of (ledger, record, ASSAY_GATE_FEASIBILITY), ==, ASSAY_VERDICT_PASS);
  judgment_criteria (ledger)->vram_budget = 119;
  g_assert_cmpint (verdict_of (ledger, record, ASSAY_GATE_FEASIBILITY), ==, ASSAY_VERDICT_FAIL);
  AssayRecord *stated = judgment_add (ledger, judgment_run ("s", ASSAY_STATUS_COMPLETED, "device", "cpu", "peak_vram",
                                                            "?no device memory", "peak_ram_engine", "119", NULL));
  g_assert_cmpint (verdict_of (ledger, stated, ASSAY_GATE_FEASIBILITY), ==, ASSAY_VERDICT_PASS);
}

static void
test_quality_table (void)
{
  static const struct
  {
    AssayRunStatus status;
    int verdicts[3]; /* by three reviewers; -1 none */
    AssayVerdict wanted;
  } rows[] = {
    { ASSAY_STATUS_COMPLETED, { -1, -1, -1 }, ASSAY_VERDICT_NOT_JUDGED },
    { ASSAY_STATUS_COMPLETED, { ASSAY_VERDICT_PASS, -1, -1 }, ASSAY_VERDICT_PASS },
    { ASSAY_STATUS_COMPLETED, { ASSAY_VERDICT_FAIL, -1, -1 }, ASSAY_VERDICT_FAIL },
    { ASSAY_STATUS_COMPLETED,
      { ASSAY_VERDICT_PASS, ASSAY_VERDICT_FAIL, ASSAY_VERDICT_PASS },
      ASSAY_VERDICT_FAIL },
    { ASSAY_STATUS_COMPLETED, { ASSAY_VERDICT_NOT_JUDGED, -1, -1 }, ASSAY_VERDICT_NOT_JUDGED },
    { ASSAY_STATUS_COMPLETED, { ASSAY_VERDICT_NOT_JUDGED, ASSAY_VERDICT_PASS, -1 }, ASSAY_VERDICT_PASS },
    { ASSAY_STATUS_UNKNOWN, { ASSAY_VERDICT_PASS, -1, -1 }, ASSAY_VERDICT_PASS },
    { ASSAY_STATUS_FAILED, { ASSAY_VERDICT_FAIL, -1, -1 }, ASSAY_VERDICT_NOT_JUDGED },
    { ASSAY_STATUS_FAILED, { ASSAY_VERDICT_PASS, -1, -1 }, ASSAY_VERDICT_NOT_JUDGED },
    { ASSAY_STATUS_CANCELLED, { ASSAY_VERDICT_FAIL, -1, -1 }, ASSAY_VERDICT_NOT_JUDGED },
    { ASSAY_STATUS_INVALID, { ASSAY_VERDICT_PASS, -1, -1 }, ASSAY_VERDICT_NOT_JUDGED },
    { ASSAY_STATUS_INVALID_OUTPUT, { ASSAY_VERDICT_FAIL, -1, -1 }, ASSAY_VERDICT_NOT_JUDGED },
    { ASSAY_STATUS_OOM_DEVICE, { ASSAY_VERDICT_PASS, -1, -1 }, ASSAY_VERDICT_NOT_JUDGED },
  };
  static const char *const reviewers[] = { "Ana", "Bo", "Cho" };
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr(AssayLedger) ledger = judgment_ledger ();
      AssayRecord *run = judgment_run ("r", rows[i].status, NULL);
      for (guint k = 0; k < 3; k++)
        if (rows[i].verdicts[k] >= 0)
          judgment_review (run, reviewers[k], rows[i].verdicts[k]);
      AssayRecord *record = judgment_add (ledger, run);
      g_test_message ("row %u", (guint) i);
      g_assert_cmpint (verdict_of (ledger, record, ASSAY_GATE_QUALITY), ==, rows[i].wanted);
      /* whatever the persons say, the run ran or did not */
      g_assert_cmpint (verdict_of (ledger, record, ASSAY_GATE_FEASIBILITY) == ASSAY_VERDICT_PASS, ==,
                       rows[i].status == ASSAY_STATUS_COMPLETED);
    }
}

static void
test_uncounted_review_is_named (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  AssayRecord *run = judgment_run ("r", ASSAY_STATUS_FAILED, NULL);
  judgment_review (run, "Ana", ASSAY_VERDICT_FAIL);
  g_autoptr(AssayGates) gates = assay_gates_judge (ledger, judgment_add (ledger, run));
  g_assert_nonnull (strstr (gates->evidence[ASSAY_GATE_QUALITY], "1 review kept and not counted"));
  g_assert_nonnull (strstr (gates->evidence[ASSAY_GATE_QUALITY], "failed"));
}

static void
test_superseded_review_does_not_count (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  AssayRecord *run = judgment_run ("r", ASSAY_STATUS_COMPLETED, NULL);
  AssayReview *first = judgment_review (run, "Ana", ASSAY_VERDICT_FAIL);
  AssayReview *second = judgment_review (run, "Ana", ASSAY_VERDICT_PASS);
  second->supersedes = g_strdup (first->id);
  AssayRecord *record = judgment_add (ledger, run);
  g_assert_cmpint (verdict_of (ledger, record, ASSAY_GATE_QUALITY), ==, ASSAY_VERDICT_PASS);
}

/* Operation */

static AssayRecord *
timed (const char *id, AssayRunStatus status, const char *seconds)
{
  return judgment_run (id, status, "model_id", "m", "elapsed_seconds", seconds, NULL);
}

static void
test_operation_means_over_repeats (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  AssayRecord *first = judgment_add (ledger, timed ("a", ASSAY_STATUS_COMPLETED, "10"));
  judgment_add (ledger, timed ("b", ASSAY_STATUS_COMPLETED, "20"));
  judgment_add (ledger, judgment_run ("other", ASSAY_STATUS_COMPLETED, "model_id", "n", "elapsed_seconds",
                                      "900", NULL));
  judgment_criteria (ledger)->mean_latency_seconds = 15;
  g_assert_cmpint (verdict_of (ledger, first, ASSAY_GATE_OPERATION), ==, ASSAY_VERDICT_PASS);
  judgment_criteria (ledger)->mean_latency_seconds = 14.9;
  g_assert_cmpint (verdict_of (ledger, first, ASSAY_GATE_OPERATION), ==, ASSAY_VERDICT_FAIL);
}

static void
test_operation_latency_is_of_an_answer (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  AssayRecord *run = timed ("a", ASSAY_STATUS_COMPLETED, "60");
  for (guint i = 0; i < 2; i++)
    {
      AssayOutput *output = judgment_output (run, i == 0 ? "q1" : "q2", "text");
      output->prompt_ns = 1 * G_GINT64_CONSTANT (1000000000);
      output->generate_ns = (2 + 2 * i) * G_GINT64_CONSTANT (1000000000);
    }
  AssayRecord *record = judgment_add (ledger, run);
  judgment_criteria (ledger)->mean_latency_seconds = 4; /* (3 + 5) / 2 */
  g_assert_cmpint (verdict_of (ledger, record, ASSAY_GATE_OPERATION), ==, ASSAY_VERDICT_PASS);
  judgment_criteria (ledger)->mean_latency_seconds = 3.9;
  g_assert_cmpint (verdict_of (ledger, record, ASSAY_GATE_OPERATION), ==, ASSAY_VERDICT_FAIL);
}

static void
test_operation_counts_retries (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  AssayRecord *good = judgment_add (ledger, timed ("a", ASSAY_STATUS_COMPLETED, "1"));
  judgment_add (ledger, timed ("b", ASSAY_STATUS_OOM_DEVICE, "1"));
  judgment_add (ledger, timed ("c", ASSAY_STATUS_CANCELLED, "1"));
  judgment_criteria (ledger)->max_retry_rate = 0.5;
  g_assert_cmpint (verdict_of (ledger, good, ASSAY_GATE_OPERATION), ==, ASSAY_VERDICT_PASS);
  judgment_criteria (ledger)->max_retry_rate = 0.4;
  g_assert_cmpint (verdict_of (ledger, good, ASSAY_GATE_OPERATION), ==, ASSAY_VERDICT_FAIL);
}

static void
test_operation_of_none_that_ran_has_no_percentage (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  judgment_criteria (ledger)->max_retry_rate = 0.1;
  AssayRecord *record = NULL;
  for (guint i = 0; i < 5; i++)
    {
      g_autofree char *id = g_strdup_printf ("r%u", i);
      record = judgment_add (ledger, timed (id, ASSAY_STATUS_LOAD_FAILED, "1"));
    }
  g_autoptr(AssayGates) gates = assay_gates_judge (ledger, record);
  g_assert_cmpint (gates->verdict[ASSAY_GATE_OPERATION], ==, ASSAY_VERDICT_NOT_JUDGED);
  g_assert_nonnull (strstr (gates->evidence[ASSAY_GATE_OPERATION], "0 of 5"));
  g_assert_null (strchr (gates->evidence[ASSAY_GATE_OPERATION], '%'));
}

static void
test_operation_without_figure_is_not_judged (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  AssayRecord *record = judgment_add (ledger, timed ("a", ASSAY_STATUS_COMPLETED, "1"));
  judgment_criteria (ledger)->mean_latency_seconds = 5;
  judgment_criteria (ledger)->min_tokens_per_second = 5;
  g_assert_cmpint (verdict_of (ledger, record, ASSAY_GATE_OPERATION), ==, ASSAY_VERDICT_NOT_JUDGED);
  judgment_criteria (ledger)->mean_latency_seconds = 0.5; /* a known miss stands without the rest */
  g_assert_cmpint (verdict_of (ledger, record, ASSAY_GATE_OPERATION), ==, ASSAY_VERDICT_FAIL);
}

static void
test_operation_ram_and_speed (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  AssayRecord *record = judgment_add (ledger, judgment_run ("a", ASSAY_STATUS_COMPLETED, "peak_ram", "1000",
                                                            "generate_tokens_per_second", "7.5", NULL));
  judgment_criteria (ledger)->max_ram = 1000;
  judgment_criteria (ledger)->min_tokens_per_second = 7.5;
  g_assert_cmpint (verdict_of (ledger, record, ASSAY_GATE_OPERATION), ==, ASSAY_VERDICT_PASS);
  judgment_criteria (ledger)->max_ram = 999;
  g_assert_cmpint (verdict_of (ledger, record, ASSAY_GATE_OPERATION), ==, ASSAY_VERDICT_FAIL);
  judgment_criteria (ledger)->max_ram = -1;
  judgment_criteria (ledger)->min_tokens_per_second = 7.6;
  g_assert_cmpint (verdict_of (ledger, record, ASSAY_GATE_OPERATION), ==, ASSAY_VERDICT_FAIL);
}

static void
test_suggestion (void)
{
  g_autoptr(AssayCriteria) criteria = assay_criteria_new ();
  AssayCriterion *scale = assay_criterion_new ("groundedness", ASSAY_CRITERION_SCALE);
  AssayCriterion *seen = assay_criterion_new ("seen", ASSAY_CRITERION_YES_NO);
  g_autoptr(AssayReview) review = assay_review_new ("Ana");
  scale->pass = 4;
  seen->pass = 1;
  g_ptr_array_add (criteria->criteria, scale);
  g_ptr_array_add (criteria->criteria, seen);
  g_assert_cmpint (assay_gates_suggest (criteria, review, NULL), ==, ASSAY_VERDICT_NOT_JUDGED);
  assay_review_set_score (review, "groundedness", NULL, 4);
  g_assert_cmpint (assay_gates_suggest (criteria, review, NULL), ==, ASSAY_VERDICT_NOT_JUDGED);
  assay_review_set_score (review, "seen", "q1", 1);
  g_assert_cmpint (assay_gates_suggest (criteria, review, NULL), ==, ASSAY_VERDICT_PASS);
  assay_review_set_score (review, "seen", "q2", 0);
  g_assert_cmpint (assay_gates_suggest (criteria, review, NULL), ==, ASSAY_VERDICT_FAIL);
  assay_review_set_score (review, "seen", "q2", 1);
  assay_review_set_score (review, "groundedness", NULL, 3);
  g_assert_cmpint (assay_gates_suggest (criteria, review, NULL), ==, ASSAY_VERDICT_FAIL);
  scale->pass = seen->pass = 0;
  g_assert_cmpint (assay_gates_suggest (criteria, review, NULL), ==, ASSAY_VERDICT_NOT_JUDGED);
}

/* The mean of what is rated may pass while the rest would not. */
static void
test_suggestion_waits_for_every_answer (void)
{
  g_autoptr(AssayCriteria) criteria = assay_criteria_new ();
  AssayCriterion *scale = assay_criterion_new ("groundedness", ASSAY_CRITERION_SCALE);
  g_autoptr(AssayReview) review = assay_review_new ("Ana"), whole = assay_review_new ("Bo");
  g_autoptr(AssayRecord) run = judgment_run ("r", ASSAY_STATUS_COMPLETED, NULL);
  scale->pass = 4;
  g_ptr_array_add (criteria->criteria, scale);
  judgment_output (run, "q1", "one");
  judgment_output (run, "q2", "two");
  assay_review_set_score (review, "groundedness", "q1", 5);
  g_assert_cmpint (assay_gates_suggest (criteria, review, NULL), ==, ASSAY_VERDICT_PASS);
  g_assert_cmpint (assay_gates_suggest (criteria, review, run), ==, ASSAY_VERDICT_NOT_JUDGED);
  assay_review_set_score (review, "groundedness", "q2", 1);
  g_assert_cmpint (assay_gates_suggest (criteria, review, run), ==, ASSAY_VERDICT_FAIL);
  assay_review_set_score (whole, "groundedness", NULL, 4);
  g_assert_cmpint (assay_gates_suggest (criteria, whole, run), ==, ASSAY_VERDICT_PASS);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ledger/gates/feasibility-truth-table", test_feasibility_table);
  g_test_add_func ("/ledger/gates/cpu-budget-takes-engine-memory", test_cpu_budget_takes_engine_memory);
  g_test_add_func ("/ledger/gates/quality-truth-table", test_quality_table);
  g_test_add_func ("/ledger/gates/uncounted-review-is-named", test_uncounted_review_is_named);
  g_test_add_func ("/ledger/gates/superseded-review-does-not-count", test_superseded_review_does_not_count);
  g_test_add_func ("/ledger/gates/operation-means-over-repeats", test_operation_means_over_repeats);
  g_test_add_func ("/ledger/gates/operation-latency-is-of-an-answer", test_operation_latency_is_of_an_answer);
  g_test_add_func ("/ledger/gates/operation-counts-retries", test_operation_counts_retries);
  g_test_add_func ("/ledger/gates/no-percentage-of-none-that-ran",
                   test_operation_of_none_that_ran_has_no_percentage);
  g_test_add_func ("/ledger/gates/operation-without-figure-is-not-judged",
                   test_operation_without_figure_is_not_judged);
  g_test_add_func ("/ledger/gates/operation-ram-and-speed", test_operation_ram_and_speed);
  g_test_add_func ("/ledger/gates/suggestion-needs-every-threshold", test_suggestion);
  g_test_add_func ("/ledger/gates/suggestion-waits-for-every-answer", test_suggestion_waits_for_every_answer);
  return g_test_run ();
}
