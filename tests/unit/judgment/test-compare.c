/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What may be claimed of two runs. */
#include <math.h>

#include "assay-compare.h"
#include "assay-repeats.h"
#include "assay-effects.h"
#include "judgment.h"

static AssayRecord *
run_of (AssayLedger *ledger, const char *id, const char *mode, const char *peak, const char *seconds)
{
  return judgment_add (ledger, judgment_run (id, ASSAY_STATUS_COMPLETED, "device", "cuda:0", "offload_mode",
                                             mode, "peak_vram", peak, "elapsed_seconds", seconds, NULL));
}

static void
assert_says (const AssayComparison *comparison, AssayComparisonKind kind, const char *words)
{
  g_test_message ("%s", comparison->sentence);
  g_assert_cmpint (comparison->kind, ==, kind);
  if (strstr (comparison->sentence, words) == NULL)
    g_error ("'%s' does not say '%s'", comparison->sentence, words);
}

static void
test_one_axis_has_an_effect (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  AssayRecord *a = judgment_run ("a", ASSAY_STATUS_COMPLETED, "offload_mode", "none", "peak_vram", "1000",
                                 "elapsed_seconds", "10", NULL);
  AssayRecord *b = judgment_run ("b", ASSAY_STATUS_COMPLETED, "offload_mode", "model", "peak_vram", "390",
                                 "elapsed_seconds", "34", NULL);
  judgment_review (a, "Ana", ASSAY_VERDICT_PASS);
  judgment_review (b, "Ana", ASSAY_VERDICT_PASS);
  a = judgment_add (ledger, a);
  b = judgment_add (ledger, b);
  g_autoptr(AssayComparison) there = assay_compare_runs (ledger, a, b);
  g_autoptr(AssayComparison) back = assay_compare_runs (ledger, b, a);
  assert_says (there, ASSAY_COMPARISON_EFFECT,
               "the effect of offload_mode: −61 % VRAM, ×3.4 time, quality unchanged (2 reviews)");
  g_assert_cmpfloat_with_epsilon (there->peak_ratio, 0.39, 1e-9);
  g_assert_cmpfloat_with_epsilon (there->time_ratio, 3.4, 1e-9);
  assert_says (back, ASSAY_COMPARISON_EFFECT, "+156 % VRAM, ×0.3 time");
}

static void
test_quality_that_moved_is_named (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  AssayRecord *a = judgment_run ("a", ASSAY_STATUS_COMPLETED, "quantization", "Q8_0", NULL);
  AssayRecord *b = judgment_run ("b", ASSAY_STATUS_COMPLETED, "quantization", "Q2_K", NULL);
  judgment_review (a, "Ana", ASSAY_VERDICT_PASS);
  judgment_review (b, "Ana", ASSAY_VERDICT_FAIL);
  judgment_review (b, "Bo", ASSAY_VERDICT_FAIL);
  a = judgment_add (ledger, a);
  b = judgment_add (ledger, b);
  g_autoptr(AssayComparison) comparison = assay_compare_runs (ledger, a, b);
  assert_says (comparison, ASSAY_COMPARISON_EFFECT, "quality pass → fail (3 reviews)");
  g_assert_true (isnan (comparison->peak_ratio) && isnan (comparison->time_ratio));
  assert_says (comparison, ASSAY_COMPARISON_EFFECT, "time not known of both");
}

/* What two people made of the same words is no effect of what the runs differ in. */
static void
test_same_answers_judged_differently_are_no_effect (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  AssayRecord *a = judgment_run ("a", ASSAY_STATUS_COMPLETED, "device", "cpu", "peak_ram", "100", NULL);
  AssayRecord *b = judgment_run ("b", ASSAY_STATUS_COMPLETED, "device", "virtual", "peak_ram", "90", NULL);
  judgment_output (a, "q1", "Paris");
  judgment_output (b, "q1", "Paris");
  judgment_review (a, "Ana", ASSAY_VERDICT_FAIL);
  judgment_review (b, "Ana", ASSAY_VERDICT_PASS);
  a = judgment_add (ledger, a);
  b = judgment_add (ledger, b);
  g_autoptr(AssayComparison) comparison = assay_compare_runs (ledger, a, b);
  assert_says (comparison, ASSAY_COMPARISON_EFFECT,
               "the same answers were judged differently, no effect on quality: fail and pass (2 reviews)");
  g_assert_null (strstr (comparison->sentence, "→ pass"));
  g_autoptr(GPtrArray) from = g_ptr_array_new (), to = g_ptr_array_new ();
  g_ptr_array_add (from, a);
  g_ptr_array_add (to, b);
  g_autoptr(AssayEffect) effect = assay_effect_new (ledger, from, to, FALSE);
  g_autofree char *words = assay_effect_dup_words (effect);
  g_assert_nonnull (strstr (words, "the same answers were judged differently, no effect on quality"));
  g_assert_null (strstr (words, "→ pass"));
}

static void
test_three_modes_have_no_winner (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  AssayRecord *none = run_of (ledger, "a", "none", "6200000000", "3.2");
  AssayRecord *model = run_of (ledger, "b", "model", "5200000000", "4.3");
  AssayRecord *sequential = run_of (ledger, "c", "sequential", "3600000000", "21.4");
  AssayRecord *const runs[] = { model, sequential };
  static const char *const says[] = { "−16 % VRAM, ×1.3 time", "−42 % VRAM, ×6.7 time" };
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr(AssayComparison) comparison = assay_compare_runs (ledger, none, runs[i]);
      assert_says (comparison, ASSAY_COMPARISON_EFFECT, says[i]);
      assert_says (comparison, ASSAY_COMPARISON_EFFECT, "offload_mode");
      assert_says (comparison, ASSAY_COMPARISON_EFFECT, "quality not judged");
      g_assert_null (strstr (comparison->sentence, "best"));
    }
}

static void
test_repeats_are_the_same (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  AssayRecord *a = run_of (ledger, "a", "none", "100", "10"),
              *b = run_of (ledger, "b", "none", "100", "10.2");
  g_autoptr(AssayComparison) comparison = assay_compare_runs (ledger, a, b);
  assert_says (comparison, ASSAY_COMPARISON_SAME, "VRAM unchanged, ×1.02 time");
}

static void
test_two_axes_are_confounded_and_named (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  AssayRecord *a
      = judgment_run ("a", ASSAY_STATUS_COMPLETED, "offload_mode", "none", "generator_device", "cuda", NULL);
  AssayRecord *b
      = judgment_run ("b", ASSAY_STATUS_COMPLETED, "offload_mode", "model", "generator_device", "cpu", NULL);
  assay_record_set_parent (b, "a", "offload_mode");
  a = judgment_add (ledger, a);
  b = judgment_add (ledger, b);
  g_autoptr(AssayComparison) comparison = assay_compare_runs (ledger, a, b);
  assert_says (comparison, ASSAY_COMPARISON_CONFOUNDED, "not one axis");
  assert_says (comparison, ASSAY_COMPARISON_CONFOUNDED,
               "offload_mode: none → model, generator_device: cuda → cpu");
  assert_says (comparison, ASSAY_COMPARISON_CONFOUNDED, "the plan to change offload_mode alone was not kept");
  g_assert_null (strstr (comparison->sentence, "effect of"));
}

static void
test_ended_early_is_refused (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  AssayRecord *a = run_of (ledger, "a", "none", "100", "10");
  for (AssayRunStatus status = ASSAY_STATUS_OOM_DEVICE; status <= ASSAY_STATUS_UNKNOWN; status++)
    {
      g_autofree char *id = g_strdup_printf ("b%d", status);
      AssayRecord *b = judgment_add (
          ledger, judgment_run (id, status, "offload_mode", "model", "peak_vram", "50", NULL));
      g_autoptr(AssayComparison) comparison = assay_compare_runs (ledger, a, b);
      assert_says (comparison, ASSAY_COMPARISON_REFUSED, assay_run_status_get_name (status));
      g_assert_true (isnan (comparison->peak_ratio) && isnan (comparison->time_ratio));
    }
}

static void
test_a_run_beside_itself_is_refused (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  AssayRecord *a = run_of (ledger, "a", "none", "100", "10");
  g_autoptr(AssayRecord) copy = assay_record_copy (a);
  g_autoptr(AssayComparison) itself = assay_compare_runs (ledger, a, a);
  g_autoptr(AssayComparison) again = assay_compare_runs_in_effect (ledger, a, copy);
  assert_says (itself, ASSAY_COMPARISON_REFUSED, "this is one and the same run (a)");
  assert_says (again, ASSAY_COMPARISON_REFUSED, "this is one and the same run (a)");
  g_assert_true (isnan (itself->peak_ratio) && isnan (itself->time_ratio));
}

static void
test_unaccepted_deviation_is_refused (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  AssayRecord *a = judgment_add (ledger, judgment_run ("a", ASSAY_STATUS_COMPLETED, "context_length", "2048",
                                                       "seed", "-1", "effective.seed", "7", "chat_format",
                                                       "auto", "effective.chat_format", "chatml",
                                                       "effective.driver", "5", "temperature", "0", NULL));
  AssayRecord *b
      = judgment_add (ledger, judgment_run ("b", ASSAY_STATUS_COMPLETED, "context_length", "8192",
                                            "effective.context_length", "4096", "seed", "7", "chat_format",
                                            "chatml", "driver", "5", "temperature", "0", NULL));
  g_assert_null (assay_compare_dup_deviation (a)); /* what was left to the engine is no deviation */
  g_autofree char *deviation = assay_compare_dup_deviation (b);
  g_assert_cmpstr (deviation, ==, "context_length: 4096 instead of 8192");
  g_autoptr(AssayComparison) refused = assay_compare_runs (ledger, a, b);
  g_autoptr(AssayComparison) accepted = assay_compare_runs_in_effect (ledger, a, b);
  assert_says (refused, ASSAY_COMPARISON_REFUSED, "context_length: 4096 instead of 8192");
  assert_says (accepted, ASSAY_COMPARISON_EFFECT, "context_length: 2048 tokens → 4096 tokens");
}

static void
test_mixed_memory_kinds_are_refused (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  const AssayMeasure allocated = { .kind = "allocated" }, process = { .kind = "process" };
  AssayRecord *a
      = judgment_run ("a", ASSAY_STATUS_COMPLETED, "offload_mode", "none", "peak_vram", "100", NULL);
  AssayRecord *b
      = judgment_run ("b", ASSAY_STATUS_COMPLETED, "offload_mode", "model", "peak_vram", "90", NULL);
  assay_values_set_measure (assay_record_get_burden (a), ASSAY_FIELD_PEAK_VRAM, &allocated);
  assay_values_set_measure (assay_record_get_burden (b), ASSAY_FIELD_PEAK_VRAM, &process);
  a = judgment_add (ledger, a);
  b = judgment_add (ledger, b);
  g_autoptr(AssayComparison) comparison = assay_compare_runs (ledger, a, b);
  assert_says (comparison, ASSAY_COMPARISON_REFUSED, "allocated");
  assert_says (comparison, ASSAY_COMPARISON_REFUSED, "process");
}

static void
test_ram_stands_in_where_no_device_has_memory (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  AssayRecord *a = judgment_add (ledger, judgment_run ("a", ASSAY_STATUS_COMPLETED, "device", "cpu",
                                                       "context_length", "4096", "peak_vram",
                                                       "?no device memory", "peak_ram", "200", NULL));
  AssayRecord *b = judgment_add (ledger, judgment_run ("b", ASSAY_STATUS_COMPLETED, "device", "cpu",
                                                       "context_length", "2048", "peak_vram",
                                                       "?no device memory", "peak_ram", "150", NULL));
  g_autoptr(AssayComparison) comparison = assay_compare_runs (ledger, a, b);
  assert_says (comparison, ASSAY_COMPARISON_EFFECT, "−25 % RAM");
}

static AssayRecord *
run_above (AssayLedger *ledger, const char *id, const char *peak, const char *baseline)
{
  return judgment_add (ledger, judgment_run (id, ASSAY_STATUS_COMPLETED, "device", "cpu", "peak_ram", peak,
                                             "ram_baseline", baseline, NULL));
}

static void
test_ram_is_compared_above_its_baseline (void)
{
  static const struct { const char *peak_a, *base_a, *peak_b, *base_b, *says; double ratio; } rows[] = {
    { "160", "60", "105", "5", "RAM above its baseline unchanged", 1 }, /* in a window, and as a command */
    { "160", "60", "55", "5", "−50 % RAM above its baseline", 0.5 },
    { "160", "60", "160", "?no /proc", "RAM not compared", NAN },
    { "160", "?no /proc", "160", "60", "RAM not compared", NAN },
    { "160", "?no /proc", "80", "?no /proc", "−50 % RAM", 0.5 },
    { "60", "60", "70", "60", "RAM above its baseline not known of both", NAN },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr(AssayLedger) ledger = judgment_ledger ();
      AssayRecord *a = run_above (ledger, "a", rows[i].peak_a, rows[i].base_a);
      AssayRecord *b = run_above (ledger, "b", rows[i].peak_b, rows[i].base_b);
      g_autoptr(AssayComparison) comparison = assay_compare_runs (ledger, a, b);
      assert_says (comparison, ASSAY_COMPARISON_SAME, rows[i].says);
      g_assert_true (isnan (rows[i].ratio) == isnan (comparison->peak_ratio));
      if (isnan (rows[i].ratio))
        g_assert_null (strchr (comparison->sentence, '%'));
      else
        g_assert_cmpfloat_with_epsilon (comparison->peak_ratio, rows[i].ratio, 1e-9);
    }
}

/* A window grows while it shows a run: what this engine counted is the run's own. A child's is all that it took. */
static void
test_ram_of_this_engine_is_what_it_counted (void)
{
  static const struct { const char *of_a, *of_b, *says; AssayFieldId own; } rows[] = {
    { "native", "native", "−75 % RAM,", ASSAY_FIELD_PEAK_RAM_ENGINE },
    { "native", "process", "+20 % RAM,", ASSAY_FIELD_PEAK_RAM },
    { "process", "process", "+20 % RAM,", ASSAY_FIELD_PEAK_RAM },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr(AssayLedger) ledger = judgment_ledger ();
      AssayRecord *a = judgment_add (
          ledger, judgment_run ("a", ASSAY_STATUS_COMPLETED, "device", "cpu", "effective.runtime", rows[i].of_a,
                                "peak_vram", "?no device memory", "peak_ram", "200", "peak_ram_engine", "100", NULL));
      AssayRecord *b = judgment_add (
          ledger, judgment_run ("b", ASSAY_STATUS_COMPLETED, "device", "cpu", "effective.runtime", rows[i].of_b,
                                "peak_vram", "?no device memory", "peak_ram", "240", "peak_ram_engine", "25", NULL));
      g_autoptr(AssayComparison) comparison = assay_compare_runs_in_effect (ledger, a, b);
      assert_says (comparison, comparison->kind, rows[i].says);
      g_assert_cmpint (assay_compare_get_own_peak (b), ==, rows[i].own);
    }
}

static void
test_first_different_character_is_named (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  AssayRecord *a = judgment_run ("a", ASSAY_STATUS_COMPLETED, "offload_mode", "none", NULL);
  AssayRecord *b = judgment_run ("b", ASSAY_STATUS_COMPLETED, "offload_mode", "model", NULL);
  judgment_output (a, "q1", "same");
  judgment_output (b, "q1", "same");
  judgment_output (a, "q2", "수도는 서울"); /* 울 and 운 share their first bytes */
  judgment_output (b, "q2", "수도는 서운");
  a = judgment_add (ledger, a);
  b = judgment_add (ledger, b);
  g_autoptr(AssayComparison) comparison = assay_compare_runs (ledger, a, b);
  assert_says (comparison, ASSAY_COMPARISON_EFFECT, "1 of 2 answers the same, q2 differs from character 6");
}

static void
test_rewritten_file_has_the_same_weights (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  AssayRecord *a
      = judgment_add (ledger, judgment_run ("a", ASSAY_STATUS_COMPLETED, "model_id", "m",
                                            "model_metadata_sha256", "1", "model_content_hash", "x", NULL));
  AssayRecord *b
      = judgment_add (ledger, judgment_run ("b", ASSAY_STATUS_COMPLETED, "model_id", "m",
                                            "model_metadata_sha256", "2", "model_content_hash", "x", NULL));
  AssayRecord *c
      = judgment_add (ledger, judgment_run ("c", ASSAY_STATUS_COMPLETED, "model_id", "m",
                                            "model_metadata_sha256", "1", "model_content_hash", "y", NULL));
  g_autoptr(AssayComparison) same = assay_compare_runs (ledger, a, b);
  g_autoptr(AssayComparison) accepted = assay_compare_runs_in_effect (ledger, a, b);
  g_autoptr(AssayComparison) other = assay_compare_runs (ledger, a, c);
  assert_says (same, ASSAY_COMPARISON_REFUSED, "the same weights in a different file");
  assert_says (accepted, ASSAY_COMPARISON_EFFECT, "the same weights in a different file");
  g_assert_null (strstr (other->sentence, "the same weights"));
}

static void
test_differing_settings_are_all_listed (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  AssayRecord *a = judgment_add (
      ledger, judgment_run ("a", ASSAY_STATUS_COMPLETED, "device_map", "ngl=100", "threads", "8", NULL));
  AssayRecord *b = judgment_add (
      ledger, judgment_run ("b", ASSAY_STATUS_COMPLETED, "threads", "4", "batch_size", "2", NULL));
  g_autoptr(AssayComparison) comparison = assay_compare_runs (ledger, a, b);
  assert_says (comparison, ASSAY_COMPARISON_CONFOUNDED, "not one axis but 3");
  assert_says (comparison, ASSAY_COMPARISON_CONFOUNDED,
               "device_map: ngl=100 → not set, threads: 8 → 4, batch_size: not set → 2");
}

static AssayRecord *
observed (AssayLedger *ledger, const char *id, const char *kernel, const char *peak, const char *seconds, const char *answer)
{
  AssayRecord *run = judgment_run (id, ASSAY_STATUS_COMPLETED, "device", "cuda:0", "prefetch", kernel, "offload_mode", "group",
                                   "peak_vram", peak, "peak_ram", "77", "ram_baseline", id[1] != 0 ? "3" : "4", "elapsed_seconds", seconds, NULL);
  judgment_output (run, "q1", answer);
  assay_series_add_phase (assay_record_get_series (run), &(AssayPhase){ .name = (char *) "load", .peak_allocated = 7 });
  return judgment_add (ledger, run);
}

/* Asked for, and nothing became different: that is said, and not called an effect. */
static void
test_what_nothing_shows_is_no_effect (void)
{
  static const struct { const char *peak, *seconds, *answer; AssayComparisonKind kind; } rows[] = {
    { "100", "11", "same", ASSAY_COMPARISON_NO_EFFECT }, { "100", "30", "same", ASSAY_COMPARISON_NO_EFFECT },
    { "101", "10", "same", ASSAY_COMPARISON_EFFECT },    { "100", "10", "other", ASSAY_COMPARISON_EFFECT },
    { "?lost", "10", "same", ASSAY_COMPARISON_EFFECT },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr(AssayLedger) ledger = judgment_ledger ();
      AssayRecord *a = observed (ledger, "a", "false", "100", "10", "same");
      AssayRecord *b = observed (ledger, "b", "true", rows[i].peak, rows[i].seconds, rows[i].answer);
      g_autoptr(AssayComparison) comparison = assay_compare_runs (ledger, a, b);
      const gboolean none = rows[i].kind == ASSAY_COMPARISON_NO_EFFECT;
      assert_says (comparison, rows[i].kind, none ? "no observable effect of prefetch" : "the effect of prefetch");
      g_assert_cmpint (comparison->reason, ==, none ? ASSAY_REASON_NO_EFFECT : ASSAY_REASON_NONE);
    }
}

static void
test_a_phase_that_differs_is_an_effect (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  AssayRecord *a = observed (ledger, "a", "false", "100", "10", "same");
  g_autoptr(AssayRecord) copy = assay_record_copy (observed (ledger, "b", "true", "100", "10", "same"));
  AssaySeries *series = assay_series_new (0);
  assay_series_add_phase (series, &(AssayPhase){ .name = (char *) "load", .peak_allocated = 8 });
  assay_record_take_series (copy, series);
  assay_record_seal (copy);
  g_autoptr(AssayComparison) comparison = assay_compare_runs (ledger, a, copy);
  assert_says (comparison, ASSAY_COMPARISON_EFFECT, "the effect of prefetch");
}

/* The clock alone proves nothing of single runs; of repeats that lie apart it does. */
static void
test_repeats_that_lie_apart_show_an_effect_on_time (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  AssayRecord *a = observed (ledger, "a", "false", "100", "10", "same");
  AssayRecord *b = observed (ledger, "b", "true", "100", "5", "same");
  g_autoptr(AssayComparison) single = assay_compare_runs (ledger, a, b);
  assert_says (single, ASSAY_COMPARISON_NO_EFFECT, "×0.5 time by the clock alone");
  observed (ledger, "a2", "false", "100", "11", "same");
  observed (ledger, "b2", "true", "100", "6", "same");
  g_autoptr(AssayComparison) apart = assay_compare_runs (ledger, a, b);
  assert_says (apart, ASSAY_COMPARISON_EFFECT, "×0.5 time");
  observed (ledger, "b3", "true", "100", "10.5", "same");
  g_autoptr(AssayComparison) meeting = assay_compare_runs (ledger, a, b);
  assert_says (meeting, ASSAY_COMPARISON_NO_EFFECT, "no observable effect");
}

static void
test_what_is_known_of_one_run_only_may_have_moved (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  AssayRecord *a = judgment_add (ledger, judgment_run ("a", ASSAY_STATUS_COMPLETED, "offload_mode", "none", NULL));
  AssayRecord *b = judgment_add (
      ledger, judgment_run ("b", ASSAY_STATUS_COMPLETED, "offload_mode", "model", "driver", "570.1", NULL));
  g_autoptr(AssayComparison) comparison = assay_compare_runs (ledger, a, b);
  assert_says (comparison, ASSAY_COMPARISON_CONFOUNDED,
               "offload_mode: none → model, driver: 570.1, known of one run only, so that it may have moved");
  g_assert_cmpint (comparison->reason, ==, ASSAY_REASON_DRIVER);
}

/* Each hidden axis, alone and along with one that was chosen. */
static void
test_every_hidden_axis_is_named (void)
{
  static const AssayFieldId fields[] = {
    ASSAY_FIELD_DRIVER, ASSAY_FIELD_RUNTIME_VERSION, ASSAY_FIELD_MODEL_CONTENT_HASH, ASSAY_FIELD_MODEL_METADATA_SHA256,
    ASSAY_FIELD_ATTENTION_KERNEL, ASSAY_FIELD_MATMUL_KERNEL, ASSAY_FIELD_DEVICE_NAME, ASSAY_FIELD_GENERATOR_DEVICE,
    ASSAY_FIELD_ATTACHED_CONTENT_HASH,
  };
  for (gsize i = 0; i < G_N_ELEMENTS (fields); i++)
    {
      const char *name = assay_field_get_info (fields[i])->name;
      g_autofree char *words = g_strdup_printf ("%s: old → new", name);
      g_autoptr(AssayLedger) ledger = judgment_ledger ();
      AssayRecord *a = judgment_add (ledger, judgment_run ("a", ASSAY_STATUS_COMPLETED, "threads", "4", name, "old", NULL));
      AssayRecord *b = judgment_add (ledger, judgment_run ("b", ASSAY_STATUS_COMPLETED, "threads", "4", name, "new", NULL));
      AssayRecord *c = judgment_add (ledger, judgment_run ("c", ASSAY_STATUS_COMPLETED, "threads", "8", name, "new", NULL));
      g_autoptr(AssayComparison) alone = assay_compare_runs (ledger, a, b);
      g_autoptr(AssayComparison) accepted = assay_compare_runs_in_effect (ledger, a, b);
      g_autoptr(AssayComparison) along = assay_compare_runs_in_effect (ledger, a, c);
      assert_says (alone, ASSAY_COMPARISON_REFUSED, words);
      assert_says (alone, ASSAY_COMPARISON_REFUSED, "nobody chose");
      assert_says (accepted, ASSAY_COMPARISON_EFFECT, words);
      assert_says (along, ASSAY_COMPARISON_CONFOUNDED, words);
      g_assert_cmpint (alone->reason, >=, ASSAY_REASON_DRIVER);
      g_assert_cmpint (along->reason, ==, alone->reason);
    }
}

/* Two runs of which `change` (pairs, NULL at the end) makes the second another trial than one axis allows. */
static AssayComparison *
compare_changed (AssayLedger *ledger, AssayRunStatus status, const char *kind, const char *const *change)
{
  static const AssayMeasure allocated = { .kind = "allocated" };
  const AssayMeasure other = { .kind = kind };
  g_autoptr(GError) error = NULL;
  AssayRecord *runs[2];
  for (guint i = 0; i < 2; i++)
    {
      runs[i] = judgment_run (i == 0 ? "a" : "b", i == 0 ? ASSAY_STATUS_COMPLETED : status, "model_id", "m",
                              "model_content_hash", "x", "driver", "570.1", "offload_mode", i == 0 ? "none" : "model",
                              "peak_vram", i == 0 ? "1000" : "390", "elapsed_seconds", i == 0 ? "10" : "34", NULL);
      assay_values_set_measure (assay_record_get_burden (runs[i]), ASSAY_FIELD_PEAK_VRAM, i == 0 ? &allocated : &other);
    }
  for (; *change != NULL; change += 2)
    {
      const gboolean effective = g_str_has_prefix (*change, "effective.");
      AssayValues *values = effective ? assay_record_get_effective (runs[1]) : assay_record_get_conditions (runs[1]);
      assay_values_parse (values, assay_field_from_name (*change + (effective ? strlen ("effective.") : 0)), change[1], &error);
      g_assert_no_error (error);
    }
  AssayRecord *a = judgment_add (ledger, runs[0]), *b = judgment_add (ledger, runs[1]);
  return assay_compare_runs (ledger, a, b);
}

static void
test_six_ledgers_are_refused_and_the_seventh_is_not (void)
{
  static const struct
  {
    AssayRunStatus status;
    const char *kind, *change[3];
    AssayComparisonReason reason;
    const char *name, *says;
  } rows[] = {
    { ASSAY_STATUS_COMPLETED, "allocated", { "threads", "4" }, ASSAY_REASON_SEVERAL_AXES, "several_axes", "threads: not set → 4" },
    { ASSAY_STATUS_COMPLETED, "allocated", { "driver", "575.2" }, ASSAY_REASON_DRIVER, "driver_changed", "driver: 570.1 → 575.2" },
    { ASSAY_STATUS_COMPLETED, "allocated", { "model_content_hash", "y" }, ASSAY_REASON_MODEL_REPLACED, "model_replaced",
      "model_content_hash: x → y" },
    { ASSAY_STATUS_COMPLETED, "allocated", { "effective.offload_mode", "sequential" }, ASSAY_REASON_NOT_AS_ASKED, "not_as_asked",
      "offload_mode: sequential instead of model" },
    { ASSAY_STATUS_FAILED, "allocated", { NULL }, ASSAY_REASON_NOT_COMPLETED, "not_completed", "run b did not complete (failed)" },
    { ASSAY_STATUS_COMPLETED, "process", { NULL }, ASSAY_REASON_MIXED_MEMORY, "mixed_memory_kinds", "'process'" },
    { ASSAY_STATUS_COMPLETED, "allocated", { NULL }, ASSAY_REASON_NONE, "none", "the effect of offload_mode: −61 % VRAM, ×3.4 time" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr(AssayLedger) ledger = judgment_ledger ();
      g_autoptr(AssayComparison) comparison = compare_changed (ledger, rows[i].status, rows[i].kind, rows[i].change);
      assert_says (comparison, comparison->kind, rows[i].says);
      g_assert_cmpint (comparison->reason, ==, rows[i].reason);
      g_assert_cmpstr (assay_comparison_reason_get_name (comparison->reason), ==, rows[i].name);
      g_assert_cmpint (comparison->kind == ASSAY_COMPARISON_EFFECT, ==, rows[i].reason == ASSAY_REASON_NONE);
      g_assert_cmpint (strstr (comparison->sentence, "effect of") != NULL, ==, rows[i].reason == ASSAY_REASON_NONE);
    }
}

static void
add_repeat (AssayLedger *ledger, const char *id, AssayRunStatus status, const char *speed)
{
  judgment_add (ledger,
                judgment_run (id, status, "model_id", "m", "generate_tokens_per_second", speed, NULL));
}

static void
test_slow_first_repeat_is_a_warm_up (void)
{
  static const char *const speeds[] = { "8.1", "10.0", "10.1", "9.9", "10.0" };
  const AssayFieldId field = ASSAY_FIELD_GENERATE_TOKENS_PER_SECOND;
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  judgment_add (ledger, judgment_run ("other", ASSAY_STATUS_COMPLETED, "model_id", "n",
                                      "generate_tokens_per_second", "1", NULL));
  for (guint i = 0; i < G_N_ELEMENTS (speeds); i++)
    {
      g_autofree char *id = g_strdup_printf ("r%u", i);
      add_repeat (ledger, id, ASSAY_STATUS_COMPLETED, speeds[i]);
    }
  add_repeat (ledger, "crashed", ASSAY_STATUS_KILLED, "99");
  g_autoptr(GPtrArray) runs = assay_repeats_find (ledger, assay_ledger_find_run (ledger, "r3"));
  AssayRepeats figures;
  g_assert_cmpuint (runs->len, ==, 6); /* all kept, the one that died too */
  g_assert_true (assay_repeats_summarize (runs, field, &figures));
  g_assert_cmpuint (figures.n, ==, 5);
  g_assert_true (figures.warm_up);
  g_assert_cmpfloat (figures.median, ==, 10.0);
  g_assert_cmpfloat (figures.low, ==, 9.9);
  g_assert_cmpfloat (figures.high, ==, 10.1);
  g_autofree char *words = assay_repeats_dup_words (&figures, field);
  g_assert_cmpstr (words, ==,
                   "median 10 tokens/s, 9.9 to 10.1, of 5 repeats; the first (8.1) left out as warm-up");
}

static void
test_steady_repeats_have_no_warm_up (void)
{
  static const char *const speeds[] = { "9.5", "10.0", "10.1" };
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  AssayRepeats figures;
  for (guint i = 0; i < G_N_ELEMENTS (speeds); i++)
    {
      g_autofree char *id = g_strdup_printf ("r%u", i);
      add_repeat (ledger, id, ASSAY_STATUS_COMPLETED, speeds[i]);
    }
  g_autoptr(GPtrArray) runs = assay_repeats_find (ledger, assay_ledger_get_run (ledger, 0));
  g_assert_true (assay_repeats_summarize (runs, ASSAY_FIELD_GENERATE_TOKENS_PER_SECOND, &figures));
  g_assert_false (figures.warm_up);
  g_assert_cmpfloat (figures.median, ==, 10.0);
  g_assert_cmpfloat (figures.low, ==, 9.5);
  g_assert_false (assay_repeats_summarize (runs, ASSAY_FIELD_ELAPSED_SECONDS, &figures));
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ledger/compare/ram-of-this-engine-is-what-it-counted",
                   test_ram_of_this_engine_is_what_it_counted);
  g_test_add_func ("/ledger/compare/one-axis-has-an-effect", test_one_axis_has_an_effect);
  g_test_add_func ("/ledger/compare/quality-that-moved-is-named", test_quality_that_moved_is_named);
  g_test_add_func ("/ledger/compare/same-answers-judged-differently-are-no-effect",
                   test_same_answers_judged_differently_are_no_effect);
  g_test_add_func ("/ledger/compare/three-modes-have-no-winner", test_three_modes_have_no_winner);
  g_test_add_func ("/ledger/compare/repeats-are-the-same", test_repeats_are_the_same);
  g_test_add_func ("/ledger/compare/two-axes-are-confounded-and-named",
                   test_two_axes_are_confounded_and_named);
  g_test_add_func ("/ledger/compare/ended-early-is-refused", test_ended_early_is_refused);
  g_test_add_func ("/ledger/compare/a-run-beside-itself-is-refused", test_a_run_beside_itself_is_refused);
  g_test_add_func ("/ledger/compare/unaccepted-deviation-is-refused", test_unaccepted_deviation_is_refused);
  g_test_add_func ("/ledger/compare/mixed-memory-kinds-are-refused", test_mixed_memory_kinds_are_refused);
  g_test_add_func ("/ledger/compare/ram-stands-in-without-device-memory",
                   test_ram_stands_in_where_no_device_has_memory);
  g_test_add_func ("/ledger/compare/ram-is-compared-above-its-baseline", test_ram_is_compared_above_its_baseline);
  g_test_add_func ("/ledger/compare/first-different-character-is-named",
                   test_first_different_character_is_named);
  g_test_add_func ("/ledger/compare/rewritten-file-has-the-same-weights",
                   test_rewritten_file_has_the_same_weights);
  g_test_add_func ("/ledger/compare/C27-differing-settings-are-all-listed",
                   test_differing_settings_are_all_listed);
  g_test_add_func ("/ledger/compare/what-nothing-shows-is-no-effect", test_what_nothing_shows_is_no_effect);
  g_test_add_func ("/ledger/compare/a-phase-that-differs-is-an-effect", test_a_phase_that_differs_is_an_effect);
  g_test_add_func ("/ledger/compare/repeats-that-lie-apart-show-an-effect-on-time",
                   test_repeats_that_lie_apart_show_an_effect_on_time);
  g_test_add_func ("/ledger/compare/what-is-known-of-one-run-only-may-have-moved",
                   test_what_is_known_of_one_run_only_may_have_moved);
  g_test_add_func ("/ledger/compare/every-hidden-axis-is-named", test_every_hidden_axis_is_named);
  g_test_add_func ("/ledger/compare/six-ledgers-are-refused-and-the-seventh-is-not",
                   test_six_ledgers_are_refused_and_the_seventh_is_not);
  g_test_add_func ("/ledger/repeats/C30-slow-first-is-a-warm-up", test_slow_first_repeat_is_a_warm_up);
  g_test_add_func ("/ledger/repeats/steady-ones-have-no-warm-up", test_steady_repeats_have_no_warm_up);
  return g_test_run ();
}
