/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/judgment/test-setting.c: repeats taken together: spread, percentiles, failures, and the gates
 * over them. */
#include <math.h>
#include <string.h>

#include "assay-setting.h"
#include "judgment.h"

static void
assert_near (double value, double expected)
{
  if (!(fabs (value - expected) < 1e-9))
    g_error ("%.17g is not %.17g", value, expected);
}

static void
test_percentiles_are_values_that_were_measured (void)
{
  double hundred[100], few[] = { 3, 1, 2 }, one[] = { 7 };
  AssayDistribution d;
  for (guint i = 0; i < 100; i++)
    hundred[i] = 100 - i;
  assay_distribution_compute (hundred, 100, &d);
  assert_near (d.p5, 5);
  assert_near (d.median, 50.5);
  assert_near (d.p95, 95);
  assert_near (d.mean, 50.5);
  assert_near (d.spread, sqrt (100.0 * 101.0 / 12.0)); /* of 1 … n: n (n + 1) / 12 */
  assay_distribution_compute (few, 3, &d);
  assert_near (d.p5, 1);
  assert_near (d.median, 2);
  assert_near (d.p95, 3);
  assert_near (d.spread, 1);
  assay_distribution_compute (one, 1, &d);
  g_assert_true (d.n == 1 && d.median == 7 && isnan (d.spread));
  assay_distribution_compute (NULL, 0, &d);
  g_assert_true (d.n == 0 && isnan (d.mean) && isnan (d.p95));
}

/* A small spread on a large value survives. */
static void
test_digits_are_not_lost (void)
{
  double values[] = { 1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16 };
  AssayDistribution d;
  assay_distribution_compute (values, 4, &d);
  assert_near (d.spread * d.spread, 30);
}

static AssayRecord *
add_run (AssayLedger *ledger, const char *id, AssayRunStatus status, const char *seconds, const char *speed)
{
  AssayRecord *record = judgment_run (id, status, "model_id", "m", "elapsed_seconds", seconds, "peak_ram",
                                      "1048576", "storage_bytes", "2097152",
                                      speed != NULL ? "generate_tokens_per_second" : NULL, speed, NULL);
  return judgment_add (ledger, record);
}

static GPtrArray *
all_runs (AssayLedger *ledger)
{
  GPtrArray *runs = g_ptr_array_new ();
  for (guint i = 0; i < assay_ledger_get_n_runs (ledger); i++)
    g_ptr_array_add (runs, assay_ledger_get_run (ledger, i));
  return runs;
}

static AssayLedger *
five_runs (void)
{
  AssayLedger *ledger = judgment_ledger ();
  add_run (ledger, "a", ASSAY_STATUS_COMPLETED, "1", "10");
  add_run (ledger, "b", ASSAY_STATUS_COMPLETED, "2", "12");
  add_run (ledger, "c", ASSAY_STATUS_COMPLETED, "3", "14");
  add_run (ledger, "d", ASSAY_STATUS_OOM_DEVICE, "0.5", NULL);
  add_run (ledger, "e", ASSAY_STATUS_CANCELLED, "9", NULL);
  return ledger;
}

static void
test_figures_come_from_completed_runs (void)
{
  g_autoptr(AssayLedger) ledger = five_runs ();
  g_autoptr(GPtrArray) runs = all_runs (ledger);
  AssaySettingFigures figures;
  assay_setting_measure (runs, &figures);
  g_assert_cmpuint (figures.n_counted, ==, 4);
  g_assert_cmpuint (figures.n_completed, ==, 3);
  g_assert_cmpuint (figures.n_failed, ==, 1);
  g_assert_cmpuint (figures.n_stopped, ==, 1);
  assert_near (figures.lost_seconds, 0.5);
  assert_near (figures.elapsed.mean, 2);
  assert_near (figures.elapsed.p95, 3);
  assert_near (figures.tokens_per_second.mean, 12);
  assert_near (figures.tokens_per_second.spread, 2);
  assert_near (figures.tokens_per_second.p5, 10);
  g_assert_cmpint (figures.storage_bytes, ==, 2097152);
  g_autofree char *words = assay_setting_dup_words (&figures);
  g_assert_cmpstr (words, ==,
                   "latency of 3 answers: mean 2.00 s ± 1.00 s, median 2.00 s, 95 % within 3.00 s · "
                   "speed of 3 runs: mean 12 ± 2 tokens/s, median 12, 95 % reach 10 · peak RAM 1.00 MiB · "
                   "model files 2.00 MiB · 1 run failed after 500 ms");
}

static void
test_the_operation_gate_tells_it_all (void)
{
  g_autoptr(AssayLedger) ledger = five_runs ();
  judgment_criteria (ledger)->mean_latency_seconds = 5;
  judgment_criteria (ledger)->max_retry_rate = 0.5;
  g_autoptr(AssayGates) gates = assay_gates_judge (ledger, assay_ledger_get_run (ledger, 1));
  const char *evidence = gates->evidence[ASSAY_GATE_OPERATION];
  g_assert_cmpint (gates->verdict[ASSAY_GATE_OPERATION], ==, ASSAY_VERDICT_PASS);
  g_assert_nonnull (strstr (evidence, "3 of 4 runs completed"));
  g_assert_nonnull (strstr (evidence, "mean latency 2.00 s, at most 5.00 s"));
  g_assert_nonnull (strstr (evidence, "± 1.00 s, median 2.00 s, 95 % within 3.00 s"));
  g_assert_nonnull (strstr (evidence, "1 run failed after"));
}

static void
test_the_cost_of_failing_is_unknown_where_one_does_not_say (void)
{
  g_autoptr(AssayLedger) ledger = five_runs ();
  judgment_add (ledger, judgment_run ("f", ASSAY_STATUS_FAILED, "model_id", "m", NULL));
  g_autoptr(GPtrArray) runs = all_runs (ledger);
  AssaySettingFigures figures;
  assay_setting_measure (runs, &figures);
  g_assert_true (isnan (figures.lost_seconds));
  g_autofree char *words = assay_setting_dup_words (&figures);
  g_assert_true (g_str_has_suffix (words, "2 runs failed"));
}

/* What the gates keep of a setting is renewed when a run joins it. */
static void
test_a_new_repeat_is_counted_at_once (void)
{
  g_autoptr(AssayLedger) ledger = five_runs ();
  judgment_criteria (ledger)->mean_latency_seconds = 5;
  g_autoptr(AssayGates) before = assay_gates_judge (ledger, assay_ledger_get_run (ledger, 0));
  add_run (ledger, "slow", ASSAY_STATUS_COMPLETED, "60", "1");
  g_autoptr(AssayGates) after = assay_gates_judge (ledger, assay_ledger_get_run (ledger, 0));
  g_assert_cmpint (before->verdict[ASSAY_GATE_OPERATION], ==, ASSAY_VERDICT_PASS);
  g_assert_cmpint (after->verdict[ASSAY_GATE_OPERATION], ==, ASSAY_VERDICT_FAIL);
  g_assert_nonnull (strstr (after->evidence[ASSAY_GATE_OPERATION], "latency of 4 answers"));
}

static void
test_a_setting_fails_where_one_of_its_runs_does (void)
{
  g_autoptr(AssayLedger) ledger = five_runs ();
  g_autoptr(GPtrArray) runs = all_runs (ledger), fine = g_ptr_array_new (), stopped = g_ptr_array_new ();
  g_ptr_array_add (fine, runs->pdata[0]);
  g_ptr_array_add (fine, runs->pdata[4]);
  g_ptr_array_add (stopped, runs->pdata[4]);
  g_autoptr(AssayGates) all = assay_gates_judge_setting (ledger, runs),
                         good = assay_gates_judge_setting (ledger, fine);
  g_autoptr(AssayGates) none = assay_gates_judge_setting (ledger, stopped);
  g_assert_cmpint (all->verdict[ASSAY_GATE_FEASIBILITY], ==, ASSAY_VERDICT_FAIL);
  g_assert_cmpint (good->verdict[ASSAY_GATE_FEASIBILITY], ==, ASSAY_VERDICT_PASS);
  g_assert_cmpint (none->verdict[ASSAY_GATE_FEASIBILITY], ==, ASSAY_VERDICT_NOT_JUDGED);
  g_assert_cmpint (all->verdict[ASSAY_GATE_QUALITY], ==, ASSAY_VERDICT_NOT_JUDGED);
  g_auto(GStrv) lines = g_strsplit (all->evidence[ASSAY_GATE_FEASIBILITY], "\n", -1);
  g_assert_cmpuint (g_strv_length (lines), ==, 5);
  g_assert_true (g_str_has_prefix (lines[3], "d: status oom_device"));
  g_assert_null (strchr (all->evidence[ASSAY_GATE_OPERATION], '\n'));
}

#define ADD(name, function) g_test_add_func ("/judgment/setting/" name, function)

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  ADD ("percentiles-are-values-that-were-measured", test_percentiles_are_values_that_were_measured);
  ADD ("digits-are-not-lost", test_digits_are_not_lost);
  ADD ("figures-come-from-completed-runs", test_figures_come_from_completed_runs);
  ADD ("the-operation-gate-tells-it-all", test_the_operation_gate_tells_it_all);
  ADD ("the-cost-of-failing-is-unknown-where-one-does-not-say",
       test_the_cost_of_failing_is_unknown_where_one_does_not_say);
  ADD ("a-new-repeat-is-counted-at-once", test_a_new_repeat_is_counted_at_once);
  ADD ("a-setting-fails-where-one-of-its-runs-does", test_a_setting_fails_where_one_of_its_runs_does);
  return g_test_run ();
}
