/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was foretold and what came: both are kept, and told apart. */
#include <math.h>

#include "assay-gates.h"
#include "assay-ledger-private.h"
#include "assay-merge.h"
#include "assay-prediction.h"
#include "assay-store.h"
#include "judgment.h"

#define GIB G_GINT64_CONSTANT (1073741824)

/* 12 GiB on a card of 24, by plain arithmetic. */
static AssayRecord *
foretold_to_fit (const char *id, AssayRunStatus status)
{
  return judgment_run (id, status, "model_id", "flux", "device", "cuda:0", "offload_mode", "model",
                       "vram_budget", "25769803776", "predicted_peak_vram", "12884901888", "peak_vram",
                       "12884901888", NULL);
}

static void
test_fitting_that_ran_out_of_memory (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  AssayRecord *record = judgment_add (ledger, foretold_to_fit ("r", ASSAY_STATUS_OOM_DEVICE));
  judgment_add (ledger, judgment_run ("other", ASSAY_STATUS_COMPLETED, "model_id", "flux", "device", "cuda:0",
                                      "offload_mode", "sequential", "predicted_peak_vram", "100", "peak_vram",
                                      "100", NULL));
  g_autofree char *words = assay_prediction_dup_contradiction (record);
  g_assert_cmpstr (words, ==,
                   "foretold 12.0 GiB of peak_vram, which fits in 24.0 GiB; it ended as oom_device");
  g_autoptr(AssayGates) gates = assay_gates_judge (ledger, record);
  g_assert_nonnull (strstr (gates->evidence[ASSAY_GATE_FEASIBILITY], words));
  g_autoptr(GPtrArray) errors = assay_prediction_errors (ledger, "flux", "model");
  g_autoptr(GPtrArray) others = assay_prediction_errors (ledger, "flux", "sequential");
  g_autofree char *next = assay_prediction_dup_words (errors);
  g_autofree char *fine = assay_prediction_dup_words (others);
  g_assert_cmpuint (errors->len, ==, 1);
  g_assert_cmpstr (next, ==, "1 of 1 earlier forecasts was contradicted, the last by run r (oom_device)");
  g_assert_cmpstr (fine, ==, "1 earlier forecast, not contradicted; largest error +0.0 %");
}

static void
test_only_the_memory_that_was_short_contradicts (void)
{
  static const struct
  {
    const char *device, *vram_budget, *ram_budget, *memory;
    AssayRunStatus status;
    gboolean contradicted;
  } rows[] = {
    { "cuda:0", "200", "0", "400", ASSAY_STATUS_OOM_DEVICE, TRUE },
    { "cuda:0", "99", "0", "400", ASSAY_STATUS_OOM_DEVICE, FALSE }, /* foretold not to fit */
    { "cuda:0", "0", "0", "400", ASSAY_STATUS_OOM_DEVICE, TRUE }, /* the card itself is the limit */
    { "cuda:0", "0", "0", "?no driver", ASSAY_STATUS_OOM_DEVICE, FALSE },
    { "cuda:0", "200", "60", "400", ASSAY_STATUS_OOM_HOST, TRUE },
    { "cuda:0", "200", "40", "400", ASSAY_STATUS_OOM_HOST, FALSE },
    { "cuda:0", "200", "0", "400", ASSAY_STATUS_OOM_HOST, FALSE },
    { "cpu", "60", "0", "?none", ASSAY_STATUS_OOM_DEVICE,
      TRUE }, /* on cpu the budget is one of host memory */
    { "cpu", "40", "0", "?none", ASSAY_STATUS_OOM_DEVICE, FALSE },
    { "cuda:0", "200", "60", "400", ASSAY_STATUS_CANCELLED, FALSE },
    { "cuda:0", "200", "60", "400", ASSAY_STATUS_LOAD_FAILED, FALSE },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr(AssayRecord) record
          = judgment_run ("r", rows[i].status, "device", rows[i].device, "vram_budget", rows[i].vram_budget,
                          "ram_budget", rows[i].ram_budget, "device_memory", rows[i].memory,
                          "predicted_peak_vram", "100", "predicted_peak_ram", "50", NULL);
      g_autofree char *words = assay_prediction_dup_contradiction (record);
      if ((words != NULL) != rows[i].contradicted)
        g_error ("row %zu: %s", i, words != NULL ? words : "nothing");
    }
}

static void
test_errors_beyond_the_tolerance (void)
{
  static const struct
  {
    AssayRunStatus status;
    const char *predicted, *measured;
    gboolean contradicted;
    double error;
  } rows[] = {
    { ASSAY_STATUS_COMPLETED, "100", "100", FALSE, 0 },
    { ASSAY_STATUS_COMPLETED, "95", "100", FALSE, 0.05 },
    { ASSAY_STATUS_COMPLETED, "94", "100", TRUE, 0.06 },
    { ASSAY_STATUS_COMPLETED, "106", "100", TRUE, -0.06 },
    { ASSAY_STATUS_COMPLETED, "0", "100", TRUE, 1 },
    { ASSAY_STATUS_COMPLETED, "0", "0", FALSE, NAN },
    { ASSAY_STATUS_COMPLETED, "100", "?no allocator", FALSE, NAN },
    { ASSAY_STATUS_CANCELLED, "200", "100", FALSE, NAN }, /* not there yet */
    { ASSAY_STATUS_CANCELLED, "90", "100", TRUE, NAN },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr(AssayRecord) record
          = judgment_run ("r", rows[i].status, "device", "virtual", "predicted_peak_vram", rows[i].predicted,
                          "peak_vram", rows[i].measured, NULL);
      g_autoptr(GPtrArray) all = assay_prediction_terms (record);
      const AssayPredictionError *term = all->pdata[0];
      g_assert_cmpuint (all->len, ==, 1);
      g_assert_cmpint (term->contradicted, ==, rows[i].contradicted);
      g_assert_true (isnan (rows[i].error) == isnan (term->error));
      if (!isnan (rows[i].error))
        g_assert_cmpfloat_with_epsilon (term->error, rows[i].error, 1e-12);
    }
}

static void
test_the_drivers_figure_is_not_the_planners (void)
{
  g_autoptr(AssayRecord) record = judgment_run ("r", ASSAY_STATUS_COMPLETED, "device", "cuda:0",
                                                 "predicted_peak_vram", "100", "peak_vram", "400", NULL);
  const AssayMeasure process = { .kind = "process" }, allocated = { .kind = "allocated" };
  assay_values_set_measure (assay_record_get_burden (record), ASSAY_FIELD_PEAK_VRAM, &process);
  g_assert_null (assay_prediction_dup_contradiction (record));
  assay_values_set_measure (assay_record_get_burden (record), ASSAY_FIELD_PEAK_VRAM, &allocated);
  g_autofree char *words = assay_prediction_dup_contradiction (record);
  g_assert_cmpstr (words, ==, "foretold 100 B of peak_vram, measured 400 B");
}

static void
test_every_term_has_its_error_and_the_peaks_are_judged (void)
{
  g_autoptr(AssayRecord) record
      = judgment_run ("r", ASSAY_STATUS_COMPLETED, "device", "virtual", "predicted_peak_vram", "100",
                      "peak_vram", "100", "predicted_peak_ram", "40", "peak_ram_engine", "40",
                      "predicted_weights", "60", "peak_weights", "80", "predicted_output", "5", NULL);
  g_autoptr(GPtrArray) all = assay_prediction_terms (record);
  g_assert_cmpuint (all->len, ==, 4);
  const AssayPredictionError *weights = all->pdata[2], *output = all->pdata[3];
  g_assert_cmpint (weights->field, ==, ASSAY_FIELD_PEAK_WEIGHTS);
  g_assert_cmpfloat_with_epsilon (weights->error, 0.25, 1e-12);
  g_assert_false (weights->contradicted);
  g_assert_cmpint (output->measured, ==, -1);
  g_assert_null (assay_prediction_dup_contradiction (record));
}

static void
test_mapped_weights_are_no_allocated_ones (void)
{
  const AssayMeasure mapped = { .kind = "mapped and allocated", .source = "engine" };
  g_autoptr(AssayRecord) record
      = judgment_run ("r", ASSAY_STATUS_COMPLETED, "device", "cpu", "predicted_weights", "0", "peak_weights", "93",
                      "peak_ram_weights", "0", NULL);
  assay_values_set_measure (assay_record_get_burden (record), ASSAY_FIELD_PEAK_WEIGHTS, &mapped);
  g_autoptr(GPtrArray) all = assay_prediction_terms (record);
  const AssayPredictionError *weights = all->pdata[0];
  g_assert_cmpuint (all->len, ==, 1);
  g_assert_cmpint (weights->field, ==, ASSAY_FIELD_PEAK_RAM_WEIGHTS);
  g_assert_cmpint (weights->measured, ==, 0);
}

static void
test_errors_come_newest_first_one_a_run (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  judgment_add (ledger, judgment_run ("a", ASSAY_STATUS_COMPLETED, "model_id", "m", "device", "virtual",
                                      "offload_mode", "group", "predicted_peak_vram", "98", "peak_vram",
                                      "100", "predicted_peak_ram", "7", NULL));
  judgment_add (ledger,
                judgment_run ("b", ASSAY_STATUS_COMPLETED, "model_id", "m", "device", "virtual",
                              "offload_mode", "none", "predicted_peak_vram", "1", "peak_vram", "1", NULL));
  judgment_add (ledger,
                judgment_run ("c", ASSAY_STATUS_COMPLETED, "model_id", "n", "device", "virtual",
                              "offload_mode", "group", "predicted_peak_vram", "1", "peak_vram", "1", NULL));
  judgment_add (ledger, judgment_run ("d", ASSAY_STATUS_COMPLETED, "model_id", "m", "device", "virtual",
                                      "offload_mode", "group", NULL));
  judgment_add (ledger, judgment_run ("e", ASSAY_STATUS_OOM_HOST, "model_id", "m", "device", "virtual",
                                      "offload_mode", "group", "ram_budget", "50", "predicted_peak_vram",
                                      "90", "predicted_peak_ram", "40", NULL));
  judgment_add (ledger, judgment_run ("f", ASSAY_STATUS_COMPLETED, "model_id", "m", "device", "virtual",
                                      "offload_mode", "none", "effective.offload_mode", "group",
                                      "predicted_peak_vram", "103", "peak_vram", "100", NULL));
  g_autoptr(GPtrArray) errors = assay_prediction_errors (ledger, "m", "group");
  static const struct
  {
    const char *id;
    AssayFieldId field;
  } rows[] = { { "f", ASSAY_FIELD_PEAK_VRAM },
               { "e", ASSAY_FIELD_PEAK_RAM_ENGINE },
               { "a", ASSAY_FIELD_PEAK_VRAM } };
  g_assert_cmpuint (errors->len, ==, G_N_ELEMENTS (rows));
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      const AssayPredictionError *error = errors->pdata[i];
      g_assert_cmpstr (error->run_id, ==, rows[i].id);
      g_assert_cmpint (error->field, ==, rows[i].field);
    }
  g_autofree char *words = assay_prediction_dup_words (errors);
  g_assert_cmpstr (
      words, ==,
      "1 of 3 earlier forecasts was contradicted, the last by run e (oom_host); largest error −3.0 %");
  g_autoptr(GPtrArray) none = assay_prediction_errors (ledger, "m", NULL);
  g_assert_cmpuint (none->len, ==, 1);
  g_autoptr(GPtrArray) nobody = assay_prediction_errors (ledger, "x", "group");
  g_assert_null (assay_prediction_dup_words (nobody));
}

static void
test_on_cpu_the_error_is_of_host_memory (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  judgment_add (ledger, judgment_run ("a", ASSAY_STATUS_COMPLETED, "model_id", "m", "device", "cpu",
                                      "predicted_peak_vram", "0", "peak_vram", "?none", "predicted_peak_ram",
                                      "90", "peak_ram_engine", "100", NULL));
  g_autoptr(GPtrArray) errors = assay_prediction_errors (ledger, "m", "none");
  const AssayPredictionError *error = errors->pdata[0];
  g_assert_cmpint (error->field, ==, ASSAY_FIELD_PEAK_RAM_ENGINE);
  g_assert_true (error->contradicted);
}

/* Nobody edits the old prediction */

static gint64
predicted_of (AssayLedger *ledger, const char *id)
{
  gint64 bytes = -1;
  assay_values_get_integer (assay_record_get_burden (assay_ledger_find_run (ledger, id)),
                            ASSAY_FIELD_PREDICTED_PEAK_VRAM, &bytes);
  return bytes;
}

static AssayLedger *
read_again (AssayLedger *ledger)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GBytes) xml = assay_store_serialize (ledger, &error);
  g_assert_no_error (error);
  AssayLedger *back = assay_store_parse (xml, "t.ledger.xml", &error);
  g_assert_no_error (error);
  return back;
}

static void
add_review (AssayLedger *ledger, const char *id, const char *reviewer)
{
  g_autoptr(GError) error = NULL;
  AssayReview *review = assay_review_new (reviewer);
  assay_ledger_add_review (ledger, id, review, &error);
  g_assert_no_error (error);
  assay_review_free (review);
}

static void
test_edits_and_merges_keep_the_prediction (void)
{
  g_autoptr(AssayLedger) first = judgment_ledger ();
  judgment_add (first, foretold_to_fit ("r", ASSAY_STATUS_OOM_DEVICE));
  g_autoptr(AssayLedger) ours = read_again (first), theirs = read_again (first);
  g_autoptr(AssayNextTrial) next = assay_next_trial_new ();
  g_autoptr(GError) error = NULL;
  g_free (next->axis);
  next->axis = g_strdup ("offload_mode");
  next->from = g_strdup ("model");
  next->to = g_strdup ("sequential");
  assay_ledger_set_next_trial (ours, "r", next, &error);
  g_assert_no_error (error);
  add_review (ours, "r", "Ana");
  add_review (theirs, "r", "Bo");
  g_assert_cmpint (predicted_of (ours, "r"), ==, 12 * GIB);
  g_autoptr(AssayLedger) disk = read_again (theirs);
  assay_merge_ledger (ours, disk);
  g_autoptr(AssayLedger) back = read_again (ours);
  g_assert_cmpuint (assay_ledger_get_n_runs (back), ==, 1);
  g_assert_cmpuint (assay_record_get_reviews (assay_ledger_get_run (back, 0))->len, ==, 2);
  g_assert_cmpint (predicted_of (back, "r"), ==, 12 * GIB);
  g_autofree char *words = assay_prediction_dup_contradiction (assay_ledger_get_run (back, 0));
  g_assert_nonnull (words);
}

/* Another prediction under the same id is another run's: neither replaces the other. */
static void
test_a_changed_prediction_is_kept_beside (void)
{
  g_autoptr(AssayLedger) ours = judgment_ledger (), theirs = judgment_ledger ();
  AssayRecord *changed = foretold_to_fit ("r", ASSAY_STATUS_OOM_DEVICE);
  assay_values_set_integer (assay_record_get_burden (changed), ASSAY_FIELD_PREDICTED_PEAK_VRAM, 30 * GIB);
  judgment_add (ours, foretold_to_fit ("r", ASSAY_STATUS_OOM_DEVICE));
  judgment_add (theirs, changed);
  g_autoptr(AssayLedger) disk = read_again (theirs);
  assay_merge_ledger (ours, disk);
  g_assert_cmpuint (assay_ledger_get_n_runs (ours), ==, 2);
  const gint64 a = predicted_of (ours, "r");
  const gint64 b = predicted_of (ours, assay_record_get_id (assay_ledger_get_run (ours, 1)));
  g_assert_cmpint (MIN (a, b), ==, 12 * GIB);
  g_assert_cmpint (MAX (a, b), ==, 30 * GIB);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
#define ADD(NAME, FUNC) g_test_add_func ("/ledger/prediction/" NAME, FUNC)
  ADD ("C14-fitting-that-ran-out-of-memory", test_fitting_that_ran_out_of_memory);
  ADD ("only-the-memory-that-was-short-contradicts", test_only_the_memory_that_was_short_contradicts);
  ADD ("errors-beyond-the-tolerance", test_errors_beyond_the_tolerance);
  ADD ("the-drivers-figure-is-not-the-planners", test_the_drivers_figure_is_not_the_planners);
  ADD ("every-term-has-its-error-and-the-peaks-are-judged",
       test_every_term_has_its_error_and_the_peaks_are_judged);
  ADD ("mapped-weights-are-no-allocated-ones", test_mapped_weights_are_no_allocated_ones);
  ADD ("errors-come-newest-first-one-a-run", test_errors_come_newest_first_one_a_run);
  ADD ("on-cpu-the-error-is-of-host-memory", test_on_cpu_the_error_is_of_host_memory);
  ADD ("C14-edits-and-merges-keep-the-prediction", test_edits_and_merges_keep_the_prediction);
  ADD ("C14-a-changed-prediction-is-kept-beside", test_a_changed_prediction_is_kept_beside);
#undef ADD
  return g_test_run ();
}
