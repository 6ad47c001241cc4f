/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A child process as the runtime: the same record as of the engine's own runs, and what the child tells is told apart from
 * what was measured. */
#include <string.h>

#include "assay-assets.h"
#include "assay-repetition.h"
#include "process-fixture.h"

static const char *
effective_text (AssayRecord *record, AssayFieldId field)
{
  return assay_values_get_text (assay_record_get_values_for (record, field), field);
}

static void
test_a_child_is_a_runtime_like_another (void)
{
  g_autoptr (TrialWatch) watch = trial_watch_new (process_conditions ("well"), NULL, NULL);
  trial_watch_run (watch);
  AssayRecord *record = watch->record;
  gint64 seed;
  double seconds;
  trial_fixture_assert_status (record, ASSAY_STATUS_COMPLETED);
  const AssayOutput *output = trial_fixture_output (record, 0);
  g_assert_cmpstr (output->text, ==, "Weighed and\nfound well");
  g_assert_cmpstr (watch->text->str, ==, output->text);
  g_assert_cmpstr (output->finish, ==, "length");
  g_assert_cmpint (output->input_tokens, ==, 5);
  g_assert_cmpint (trial_fixture_burden (record, ASSAY_FIELD_OUTPUT_TOKENS), ==, 3);
  g_assert_cmpint (trial_fixture_burden (record, ASSAY_FIELD_PEAK_RAM), >, 1 << 20);
  g_assert_true (assay_values_get_real (assay_record_get_burden (record), ASSAY_FIELD_ELAPSED_SECONDS, &seconds));
  g_assert_true (assay_values_get_integer (assay_record_get_effective (record), ASSAY_FIELD_SEED, &seed));
  g_assert_cmpint (seed, ==, 7);
  g_assert_nonnull (strstr (effective_text (record, ASSAY_FIELD_RUNTIME_VERSION), "fake 1.0; program "));
  g_assert_nonnull (strstr (effective_text (record, ASSAY_FIELD_RUNTIME_VERSION), "recipe "));
  g_assert_nonnull (effective_text (record, ASSAY_FIELD_MODEL_METADATA_SHA256));
  g_assert_cmpint (assay_values_get_state (assay_record_get_burden (record), ASSAY_FIELD_PEAK_KV_CACHE), ==,
                   ASSAY_VALUE_UNKNOWN);
  g_autoptr (GPtrArray) phases = assay_series_dup_phases (assay_record_get_series (record));
  g_assert_cmpuint (phases->len, ==, 4); /* the one it begins in, and the three it told */
}

static void
test_every_question_is_asked (void)
{
  g_autoptr (GPtrArray) questions = process_questions ("well", "well with\\a backslash", NULL);
  g_autoptr (TrialWatch) watch = trial_watch_new (process_conditions (NULL), questions, NULL);
  trial_watch_run (watch);
  trial_fixture_assert_status (watch->record, ASSAY_STATUS_COMPLETED);
  g_assert_cmpuint (assay_record_get_outputs (watch->record)->len, ==, 2);
  g_assert_cmpstr (trial_fixture_output (watch->record, 0)->question, ==, "q0");
  g_assert_nonnull (strstr (trial_fixture_output (watch->record, 1)->text, "well with\\a backslash"));
  g_assert_cmpint (trial_fixture_burden (watch->record, ASSAY_FIELD_INPUT_TOKENS), ==, 10);
}

static void
test_a_child_is_told_the_conditions (void)
{
  AssayValues *conditions = process_conditions ("echo");
  assay_values_set_text (conditions, ASSAY_FIELD_SYSTEM_PROMPT, "two\nlines");
  g_autoptr (AssayRecord) record = trial_fixture_run (conditions, NULL);
  trial_fixture_assert_status (record, ASSAY_STATUS_COMPLETED);
  const char *text = trial_fixture_output (record, 0)->text;
  g_assert_nonnull (strstr (text, "model_path=/"));
  g_assert_nonnull (strstr (text, "max_tokens=12;"));
  g_assert_nonnull (strstr (text, assay_record_get_id (record)));
  g_assert_nonnull (strstr (text, "system_prompt=two\nlines;"));
  g_assert_nonnull (strstr (text, "prompt=None;"));
}

static void
test_what_moved_first_is_not_offloaded (void)
{
  AssayValues *conditions = process_conditions ("moved_first");
  assay_values_set_text (conditions, ASSAY_FIELD_DEVICE, "cuda:0");
  assay_values_set_text (conditions, ASSAY_FIELD_OFFLOAD_MODE, "sequential");
  g_autoptr (AssayRecord) record = trial_fixture_run (conditions, NULL);
  trial_fixture_assert_status (record, ASSAY_STATUS_COMPLETED);
  g_assert_cmpstr (assay_values_get_text (assay_record_get_conditions (record), ASSAY_FIELD_OFFLOAD_MODE), ==,
                   "sequential");
  g_assert_cmpstr (effective_text (record, ASSAY_FIELD_OFFLOAD_MODE), ==, "none");
  g_assert_cmpstr (effective_text (record, ASSAY_FIELD_OFFLOAD_API), ==, "to_cuda, enable_sequential_cpu_offload");
  g_assert_nonnull (strstr (trial_fixture_outcome (record, ASSAY_FIELD_RUNTIME_LOG), "are resident"));
}

static void
test_peaks_are_kept_overall_and_by_phase (void)
{
  AssayValues *conditions = process_conditions ("grow");
  assay_values_set_text (conditions, ASSAY_FIELD_DEVICE, "cuda:0");
  g_autoptr (AssayRecord) record = trial_fixture_run (conditions, NULL);
  trial_fixture_assert_status (record, ASSAY_STATUS_COMPLETED);
  g_autoptr (GPtrArray) phases = assay_series_dup_phases (assay_record_get_series (record));
  const AssayPhase *load = phases->pdata[phases->len - 2], *generate = phases->pdata[phases->len - 1];
  g_assert_cmpstr (generate->name, ==, "generate");
  g_assert_cmpint (load->peak_allocated, ==, 5000);
  g_assert_cmpint (trial_fixture_burden (record, ASSAY_FIELD_PEAK_VRAM), ==, 5000);
  g_assert_cmpint (generate->peak_allocated, ==, 1200);
}

static void
test_three_memories_stay_three (void)
{
  AssayValues *conditions = process_conditions ("three_memories");
  assay_values_set_text (conditions, ASSAY_FIELD_DEVICE, "cuda:0");
  g_autoptr (AssayRecord) record = trial_fixture_run (conditions, NULL);
  const AssayValues *burden = assay_record_get_burden (record);
  static const struct { AssayFieldId field; const char *kind; gint64 bytes; } rows[] = {
    { ASSAY_FIELD_PEAK_VRAM, "allocated", 0 },
    { ASSAY_FIELD_PEAK_VRAM_RESERVED, "reserved", 12455405158 },
    { ASSAY_FIELD_PEAK_VRAM_PROCESS, "process", 13314398618 },
  };
  trial_fixture_assert_status (record, ASSAY_STATUS_COMPLETED);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      const AssayMeasure *measure = assay_values_get_measure (burden, rows[i].field);
      g_assert_cmpint (trial_fixture_burden (record, rows[i].field), ==, rows[i].bytes);
      g_assert_cmpstr (measure->kind, ==, rows[i].kind);
      g_assert_cmpstr (measure->source, ==, "child: torch 2.9");
    }
}

static void
test_a_unit_of_two_sizes_is_no_number (void)
{
  AssayValues *conditions = process_conditions ("units");
  assay_values_set_text (conditions, ASSAY_FIELD_DEVICE, "cuda:0");
  g_autoptr (AssayRecord) record = trial_fixture_run (conditions, NULL);
  const AssayValues *burden = assay_record_get_burden (record);
  g_assert_cmpint (trial_fixture_burden (record, ASSAY_FIELD_PEAK_VRAM), ==, G_GINT64_CONSTANT (15006) << 20);
  g_assert_cmpint (trial_fixture_burden (record, ASSAY_FIELD_PEAK_VRAM_DEVICE), ==, 4096);
  g_assert_nonnull (strstr (assay_values_get_reason (burden, ASSAY_FIELD_PEAK_VRAM_RESERVED), "'16726 MB'"));
  g_assert_nonnull (strstr (assay_values_get_reason (burden, ASSAY_FIELD_PEAK_VRAM_PROCESS), "'1,5 GB'"));
}

/* Each of three has a peak of 96 MiB, one after another; at no moment do they have more than one such together. */
static void
test_memory_is_the_sum_of_a_moment (void)
{
  const gint64 mib = 1 << 20;
  AssayValues *conditions = process_conditions ("family");
  g_autoptr (AssayRecord) record = trial_fixture_run (conditions, NULL);
  trial_fixture_assert_status (record, ASSAY_STATUS_COMPLETED);
  const gint64 peak = trial_fixture_burden (record, ASSAY_FIELD_PEAK_RAM);
  g_test_message ("peak %" G_GINT64_FORMAT " MiB", peak / mib);
  g_assert_cmpint (peak, >, (16 + 96) * mib);
  g_assert_cmpint (peak, <, (16 + 96 + 2 * 16 + 60) * mib); /* and not 16 + 3 · 96 */
}

static void
test_out_of_device_memory_is_called_so (void)
{
  AssayValues *conditions = process_conditions ("runs_out_of_device");
  assay_values_set_text (conditions, ASSAY_FIELD_DEVICE, "cuda:0");
  g_autoptr (AssayRecord) record = trial_fixture_run (conditions, NULL);
  trial_fixture_assert_status (record, ASSAY_STATUS_OOM_DEVICE);
  g_assert_cmpstr (trial_fixture_outcome (record, ASSAY_FIELD_FAILED_PHASE), ==, "generate");
  gint64 step = -1;
  g_assert_true (assay_values_get_integer (assay_record_get_outcome (record), ASSAY_FIELD_FAILED_STEP, &step));
  g_assert_cmpint (step, ==, 1);
  g_assert_nonnull (strstr (trial_fixture_outcome (record, ASSAY_FIELD_RUNTIME_LOG), "CUDA out of memory"));

  g_autoptr (AssayRecord) told = trial_fixture_run (process_conditions ("tells_why"), NULL);
  trial_fixture_assert_status (told, ASSAY_STATUS_OOM_DEVICE);
  g_assert_cmpstr (trial_fixture_outcome (told, ASSAY_FIELD_ERROR), ==, "11.6 GiB were not enough");
  gint64 request = 0;
  g_assert_true (assay_values_get_integer (assay_record_get_outcome (told), ASSAY_FIELD_FAILED_REQUEST, &request));
  g_assert_cmpint (request, ==, G_GINT64_CONSTANT (2) << 30);
}

/* The limit is that of the run's own scope: it ends the child, and this program lives on. */
static void
test_a_memory_limit_ends_only_the_child (void)
{
  AssayValues *conditions = process_conditions ("takes_too_much");
  assay_values_parse (conditions, ASSAY_FIELD_VRAM_BUDGET, "67108864", NULL);
  g_autoptr (AssayRecord) record = trial_fixture_run (conditions, NULL);
  const char *scope = effective_text (record, ASSAY_FIELD_PROCESS_SCOPE);
  if (scope == NULL || !g_str_has_prefix (scope, "control group"))
    {
      g_test_skip ("no control group of its own is allowed here");
      return;
    }
  trial_fixture_assert_status (record, ASSAY_STATUS_KILLED);
  const char *error = trial_fixture_outcome (record, ASSAY_FIELD_ERROR);
  g_assert_nonnull (strstr (error, "killed(9)"));
  g_assert_nonnull (strstr (error, "memory limit of the run's scope was hit (oom_kill 1)"));
  g_assert_cmpint (trial_fixture_burden (record, ASSAY_FIELD_PEAK_RAM), >, 16 << 20);
  g_assert_nonnull (strstr (trial_fixture_outcome (record, ASSAY_FIELD_RUNTIME_LOG), assay_record_get_id (record)));
  const char *folder = strchr (scope, '/');
  g_assert_false (g_file_test (folder, G_FILE_TEST_EXISTS)); /* and it is gone */
}

static void
test_one_colour_is_no_picture (void)
{
  g_autoptr (AssayRecord) black = trial_fixture_run (process_conditions ("black"), NULL);
  trial_fixture_assert_status (black, ASSAY_STATUS_INVALID_OUTPUT);
  g_assert_cmpstr (trial_fixture_outcome (black, ASSAY_FIELD_ERROR_CODE), ==, "output-uniform-image");
  g_assert_nonnull (strstr (trial_fixture_outcome (black, ASSAY_FIELD_ERROR), "uniform image: all 1024 × 1024"));
  g_assert_nonnull (strstr (trial_fixture_outcome (black, ASSAY_FIELD_ERROR), "invalid value encountered in cast"));
  g_assert_nonnull (strstr (trial_fixture_outcome (black, ASSAY_FIELD_RUNTIME_LOG), "invalid value encountered in cast"));

  g_autoptr (AssayRecord) picture = trial_fixture_run (process_conditions ("picture"), NULL);
  trial_fixture_assert_status (picture, ASSAY_STATUS_COMPLETED);
  const AssayOutput *output = trial_fixture_output (picture, 0);
  g_assert_null (output->text);
  g_assert_true (assay_asset_is_name (output->asset) && g_str_has_suffix (output->asset, ".png"));
  g_assert_cmpuint (g_bytes_get_size (output->attachment), >, 100);

  g_autoptr (AssayRecord) half = trial_fixture_run (process_conditions ("half_a_picture"), NULL);
  trial_fixture_assert_status (half, ASSAY_STATUS_INVALID_OUTPUT);
  g_autoptr (AssayRecord) stolen = trial_fixture_run (process_conditions ("someone_elses_picture"), NULL);
  trial_fixture_assert_status (stolen, ASSAY_STATUS_INVALID_OUTPUT);
}

static void
test_one_letter_over_and_over_is_flagged (void)
{
  AssayValues *conditions = process_conditions ("repeats");
  assay_values_set_text (conditions, ASSAY_FIELD_DEVICE, "cuda:0");
  g_autoptr (AssayRecord) record = trial_fixture_run (conditions, NULL);
  trial_fixture_assert_status (record, ASSAY_STATUS_COMPLETED);
  g_assert_cmpstr (trial_fixture_outcome (record, ASSAY_FIELD_OUTPUT_NOTE), ==, "suspicious: repetition 100 %");
  g_assert_true (assay_repetition_is_suspicious (record));
}

/* What the planner says is what the engine needs; of a child it says nothing, and that is no refusal. */
static void
test_a_child_cannot_be_foretold (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayValues) conditions = process_conditions ("well");
  g_autoptr (AssayInspection) inspection
      = assay_inspect (assay_values_get_text (conditions, ASSAY_FIELD_MODEL_PATH), FALSE, NULL, &error);
  g_assert_no_error (error);
  g_autoptr (AssayForecast) forecast = assay_forecast_new (conditions, inspection, NULL, &error);
  g_assert_null (forecast);
  g_assert_error (error, ASSAY_ENGINE_ERROR, ASSAY_ENGINE_ERROR_UNSUPPORTED);
}

/* Whole parts that take turns: what must fit is the largest and its work, and that is said before anything is loaded. */
static void
test_a_plan_names_the_largest_part (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayValues) conditions = trial_fixture_conditions ("tiny-f32.gguf");
  g_assert_true (assay_values_parse (conditions, ASSAY_FIELD_DEVICE, "virtual", NULL));
  g_assert_true (assay_values_parse (conditions, ASSAY_FIELD_OFFLOAD_MODE, "model", NULL));
  g_assert_true (assay_values_parse (conditions, ASSAY_FIELD_VRAM_BUDGET, "4096", NULL));
  g_autoptr (AssayInspection) inspection
      = assay_inspect (assay_values_get_text (conditions, ASSAY_FIELD_MODEL_PATH), FALSE, NULL, &error);
  g_autoptr (AssayForecast) forecast = assay_forecast_new (conditions, inspection, NULL, &error);
  g_assert_no_error (error);
  g_autofree char *words = assay_forecast_dup_words (forecast);
  g_autofree char *part = assay_format_bytes (forecast->device[ASSAY_MEMORY_WEIGHTS]);
  g_autofree char *sentence = g_strdup_printf ("The largest part, %s, and its working memory, ", part);
  g_assert_nonnull (strstr (words, sentence));
  g_assert_nonnull (strstr (words, "are more than 4.00 KiB: offload by group or sequential"));
}

static void
test_a_continued_run_moves_one_axis (void)
{
  g_autoptr (AssayRecord) parent = trial_fixture_run (process_conditions ("well"), NULL);
  for (guint n = 1; n <= 2; n++)
    {
      AssayValues *conditions = process_conditions ("well");
      assay_values_parse (conditions, ASSAY_FIELD_SEED, "99", NULL);
      if (n == 2)
        assay_values_parse (conditions, ASSAY_FIELD_MAX_TOKENS, "99", NULL);
      g_autoptr (AssayTrial) trial = assay_trial_new (conditions, NULL, assay_record_get_id (parent), "seed");
      assay_values_unref (conditions);
      assay_trial_set_parent (trial, parent);
      assay_trial_start (trial);
      while (assay_trial_get_record (trial) == NULL)
        g_main_context_iteration (NULL, TRUE);
      trial_fixture_assert_status (assay_trial_get_record (trial),
                                   n == 1 ? ASSAY_STATUS_COMPLETED : ASSAY_STATUS_INVALID);
    }
}

int
main (int argc, char *argv[])
{
  engine_fixture_init (&argc, &argv);
  process_fixture_init ();
  g_test_add_func ("/engine/process/a-child-is-a-runtime-like-another", test_a_child_is_a_runtime_like_another);
  g_test_add_func ("/engine/process/every-question-is-asked", test_every_question_is_asked);
  g_test_add_func ("/engine/process/a-child-is-told-the-conditions", test_a_child_is_told_the_conditions);
  g_test_add_func ("/engine/process/what-moved-first-is-not-offloaded", test_what_moved_first_is_not_offloaded);
  g_test_add_func ("/engine/process/peaks-are-kept-overall-and-by-phase", test_peaks_are_kept_overall_and_by_phase);
  g_test_add_func ("/engine/process/three-memories-stay-three", test_three_memories_stay_three);
  g_test_add_func ("/engine/process/a-unit-of-two-sizes-is-no-number", test_a_unit_of_two_sizes_is_no_number);
  g_test_add_func ("/engine/process/memory-is-the-sum-of-a-moment", test_memory_is_the_sum_of_a_moment);
  g_test_add_func ("/engine/process/out-of-device-memory-is-called-so", test_out_of_device_memory_is_called_so);
  g_test_add_func ("/engine/process/a-memory-limit-ends-only-the-child", test_a_memory_limit_ends_only_the_child);
  g_test_add_func ("/engine/process/one-colour-is-no-picture", test_one_colour_is_no_picture);
  g_test_add_func ("/engine/process/one-letter-over-and-over-is-flagged", test_one_letter_over_and_over_is_flagged);
  g_test_add_func ("/engine/process/a-child-cannot-be-foretold", test_a_child_cannot_be_foretold);
  g_test_add_func ("/engine/process/a-plan-names-the-largest-part", test_a_plan_names_the_largest_part);
  g_test_add_func ("/engine/process/a-continued-run-moves-one-axis", test_a_continued_run_moves_one_axis);
  return g_test_run ();
}
