/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Running out of memory, in every phase: what the record says of it, and that the next run finds all of it
 * again. */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/stat.h>

#include "tiny-model.h"
#include "trial-fixture.h"

#define MIB (1024 * 1024)

static char *folder, *model;

/* Wide enough that its matrices matter beside its cache. */
static void
model_save (void)
{
  const TinyModel options
      = { .n_layers = 4, .n_embd = 128, .n_heads = 4, .n_kv_heads = 2, .tokenizer = TINY_GPT2 };
  folder = g_dir_make_tmp ("assay-memory-XXXXXX", NULL);
  model = g_build_filename (folder, "model.gguf", NULL);
  tiny_model_save (&options, model);
}

static AssayValues *
memory_conditions (const char *mode)
{
  AssayValues *conditions = trial_fixture_conditions (model);
  assay_values_set_text (conditions, ASSAY_FIELD_DEVICE, "virtual");
  assay_values_set_text (conditions, ASSAY_FIELD_OFFLOAD_MODE, mode);
  return conditions;
}

static gint64
shared_memory_bytes (void)
{
  g_autofree char *text = NULL;
  g_assert_true (g_file_get_contents ("/proc/self/status", &text, NULL, NULL));
  const char *at = strstr (text, "RssShmem:");
  g_assert_nonnull (at);
  return (gint64) g_ascii_strtoull (at + strlen ("RssShmem:"), NULL, 10) * 1024;
}

/* Cause, phase, request and the peaks so far; then a run in the same process that has what it needs. */
static void
assert_out_of_memory (AssayValues *conditions, FaultPlan *plan, AssayRunStatus status, const char *phase)
{
  gint64 request = 0;
  const gint64 before = shared_memory_bytes ();
  g_autoptr (AssayRecord) record = trial_fixture_run (conditions, plan);
  trial_fixture_assert_status (record, status);
  g_assert_cmpstr (trial_fixture_outcome (record, ASSAY_FIELD_FAILED_PHASE), ==, phase);
  if (plan == NULL)
    {
      g_assert_true (
          assay_values_get_integer (assay_record_get_outcome (record), ASSAY_FIELD_FAILED_REQUEST, &request));
      g_assert_cmpint (request, >, 0);
    }
  g_assert_cmpint (trial_fixture_burden (record, ASSAY_FIELD_PEAK_RAM_ENGINE), >=, 0);
  g_assert_cmpint (trial_fixture_burden (record, ASSAY_FIELD_PREDICTED_PEAK_RAM), >=, 0);
  g_assert_cmpint (ABS (shared_memory_bytes () - before), <, MIB);
  g_autoptr (AssayRecord) next = trial_fixture_run (memory_conditions ("none"), NULL);
  trial_fixture_assert_status (next, ASSAY_STATUS_COMPLETED);
}

static AssayRecord *
run_completed (const char *mode)
{
  AssayRecord *record = trial_fixture_run (memory_conditions (mode), NULL);
  trial_fixture_assert_status (record, ASSAY_STATUS_COMPLETED);
  return record;
}

static void
test_on_the_device_while_loading (void)
{
  AssayValues *conditions = memory_conditions ("none");
  g_autoptr (AssayRecord) fits = run_completed ("none");
  assay_values_set_integer (conditions, ASSAY_FIELD_VRAM_BUDGET,
                            trial_fixture_burden (fits, ASSAY_FIELD_PEAK_WEIGHTS) / 2);
  assert_out_of_memory (conditions, NULL, ASSAY_STATUS_OOM_DEVICE, "load");
}

static void
test_on_the_device_in_the_prompt (void)
{
  AssayValues *conditions = memory_conditions ("none");
  g_autoptr (AssayRecord) fits = run_completed ("none");
  assay_values_set_integer (conditions, ASSAY_FIELD_VRAM_BUDGET,
                            trial_fixture_burden (fits, ASSAY_FIELD_PEAK_VRAM) - 1);
  assert_out_of_memory (conditions, NULL, ASSAY_STATUS_OOM_DEVICE, "prompt");
}

static void
test_on_the_device_while_converting (void)
{
  AssayValues *conditions = memory_conditions ("none");
  assay_values_set_text (conditions, ASSAY_FIELD_QUANTIZATION, "Q8_0");
  assay_values_set_integer (conditions, ASSAY_FIELD_VRAM_BUDGET, 64 * 1024);
  assert_out_of_memory (conditions, NULL, ASSAY_STATUS_OOM_DEVICE, "convert");
}

static void
test_in_the_host_while_converting (void)
{
  AssayValues *conditions = memory_conditions ("sequential");
  assay_values_set_text (conditions, ASSAY_FIELD_QUANTIZATION, "Q8_0");
  assay_values_set_integer (conditions, ASSAY_FIELD_RAM_BUDGET, 64 * 1024);
  assert_out_of_memory (conditions, NULL, ASSAY_STATUS_OOM_HOST, "convert");
}

static void
test_in_the_host_while_reading (void)
{
  AssayValues *conditions = memory_conditions ("group");
  assay_values_set_text (conditions, ASSAY_FIELD_WEIGHT_ACCESS, "read");
  assay_values_set_integer (conditions, ASSAY_FIELD_RAM_BUDGET, 64 * 1024);
  assert_out_of_memory (conditions, NULL, ASSAY_STATUS_OOM_HOST, "load");
}

static void
test_at_a_token (void)
{
  FaultPlan plan = { .failure = ASSAY_NO_MEMORY };
  AssayValues *conditions = trial_fixture_conditions (model);
  g_autoptr (AssayRecord) whole = trial_fixture_run (assay_values_ref (conditions), &plan);
  trial_fixture_assert_status (whole, ASSAY_STATUS_COMPLETED);
  plan = (FaultPlan){ .failure = ASSAY_NO_MEMORY, .fail_at = plan.n_calls - 3 };
  assert_out_of_memory (conditions, &plan, ASSAY_STATUS_OOM_HOST, "generate");
  g_assert_cmpint (plan.bytes_held, ==, 0);
}

static void
test_a_budget_that_just_suffices_does (void)
{
  static const char *const modes[] = { "none", "model", "group", "sequential" };
  gint64 last = G_MAXINT64;
  for (guint i = 0; i < G_N_ELEMENTS (modes); i++)
    {
      g_autoptr (AssayRecord) free_run = run_completed (modes[i]);
      const gint64 peak = trial_fixture_burden (free_run, ASSAY_FIELD_PEAK_VRAM);
      AssayValues *conditions = memory_conditions (modes[i]);
      assay_values_set_integer (conditions, ASSAY_FIELD_VRAM_BUDGET, peak);
      g_autoptr (AssayRecord) bound = trial_fixture_run (conditions, NULL);
      trial_fixture_assert_status (bound, ASSAY_STATUS_COMPLETED);
      g_assert_cmpstr (trial_fixture_output (bound, 0)->text, ==, trial_fixture_output (free_run, 0)->text);
      g_assert_cmpint (peak, <=, last);
      last = peak;
    }
}

static void
test_each_rule_ends_a_run_by_its_name (void)
{
  static const struct
  {
    const char *calls, *reason;
  } cases[] = {
    { "enable_group_offload, enable_group_offload", "offload-enabled-twice" },
    { "to_device, enable_group_offload", "moved-before-offload" },
    { "enable_group_offload, to_device", "moved-after-offload" },
    { "device_map, enable_group_offload", "device-map-not-reset" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      AssayValues *conditions = memory_conditions ("group");
      assay_values_set_text (conditions, ASSAY_FIELD_DEVICE_MAP, "embedding=cpu, decoder=cpu, head=cpu");
      assay_values_set_text (conditions, ASSAY_FIELD_OFFLOAD_API, cases[i].calls);
      g_autoptr (AssayRecord) record = trial_fixture_run (conditions, NULL);
      trial_fixture_assert_status (record, ASSAY_STATUS_INVALID);
      g_assert_cmpstr (trial_fixture_outcome (record, ASSAY_FIELD_ERROR_CODE), ==, cases[i].reason);
    }
}

/* The same name, size and time, other weights. */
static void
test_a_model_replaced_in_place_is_noticed (void)
{
  GStatBuf before;
  g_autofree char *path = g_build_filename (folder, "replaced.gguf", NULL);
  tiny_model_save (&(TinyModel){ .tokenizer = TINY_GPT2, .seed = 1 }, path);
  g_assert_cmpint (g_stat (path, &before), ==, 0);
  g_autoptr (AssayRecord) parent = trial_fixture_run (trial_fixture_conditions (path), NULL);
  trial_fixture_assert_status (parent, ASSAY_STATUS_COMPLETED);
  tiny_model_save (&(TinyModel){ .tokenizer = TINY_GPT2, .seed = 2 }, path);
  const struct timespec times[2] = { before.st_atim, before.st_mtim };
  g_assert_cmpint (utimensat (AT_FDCWD, path, times, 0), ==, 0);

  g_autoptr (AssayValues) conditions = trial_fixture_conditions_with (path, ASSAY_FIELD_MAX_TOKENS, "6");
  g_autoptr (AssayTrial) trial
      = assay_trial_new (conditions, NULL, assay_record_get_id (parent), "max_tokens");
  assay_trial_set_parent (trial, parent);
  assay_trial_start (trial);
  while (assay_trial_get_record (trial) == NULL)
    g_main_context_iteration (NULL, TRUE);
  AssayRecord *child = assay_trial_get_record (trial);
  trial_fixture_assert_status (child, ASSAY_STATUS_INVALID);
  g_assert_cmpstr (trial_fixture_outcome (child, ASSAY_FIELD_ERROR_CODE), ==, "not-one-axis");
  g_assert_nonnull (strstr (trial_fixture_outcome (child, ASSAY_FIELD_ERROR), "max_tokens"));
  g_unlink (path);
}

/* At a thousand bytes a second the model would take minutes to load; the limit is far below that. */
static void
test_a_slow_link_holds_no_end_up (void)
{
  static const char *const modes[] = { "none", "sequential" };
  for (guint i = 0; i < G_N_ELEMENTS (modes); i++)
    {
      AssayValues *conditions = memory_conditions (modes[i]);
      assay_values_set_integer (conditions, ASSAY_FIELD_LINK_BANDWIDTH, 1000);
      assay_values_set_real (conditions, ASSAY_FIELD_TIME_LIMIT_SECONDS, 0.2);
      const gint64 start = g_get_monotonic_time ();
      g_autoptr (AssayRecord) record = trial_fixture_run (conditions, NULL);
      trial_fixture_assert_status (record, ASSAY_STATUS_TIME_LIMIT);
      g_assert_cmpint (g_get_monotonic_time () - start, <, 20 * G_USEC_PER_SEC);
    }
}

static void
test_which_units_moved_is_told (void)
{
  static const char *const blocks[]
      = { "token_embd · ", "decoder 0 · ", "decoder 1 · ", "decoder 2 · ", "decoder 3 · ", "head · " };
  g_autoptr (AssayRecord) record = run_completed ("group");
  g_autoptr (GPtrArray) marks = assay_series_dup_marks (assay_record_get_series (record));
  guint n = 0;
  for (guint i = 0; i < marks->len; i++)
    {
      const AssayMark *mark = g_ptr_array_index (marks, i);
      if (!g_str_equal (mark->kind, "resident"))
        continue;
      g_assert_true (g_str_has_prefix (mark->text, blocks[n % G_N_ELEMENTS (blocks)]));
      n++;
    }
  g_assert_cmpuint (n, ==, 2 * G_N_ELEMENTS (blocks));
}

static void
test_answers_at_once_are_those_one_by_one (void)
{
  g_autoptr (GPtrArray) questions = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_question_free);
  static const char *const texts[] = { "weigh it", "the", "is it fine or is it not so fine", "a" };
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autofree char *id = g_strdup_printf ("q%u", i);
      g_ptr_array_add (questions, assay_question_new (id, texts[i]));
    }
  g_autoptr (AssayRecord) alone = NULL;
  for (guint batch = 1; batch <= 4; batch++)
    {
      AssayValues *conditions = memory_conditions ("none");
      assay_values_unset (conditions, ASSAY_FIELD_PROMPT);
      assay_values_set_integer (conditions, ASSAY_FIELD_BATCH_SIZE, batch);
      TrialWatch *watch = trial_watch_new (conditions, questions, NULL);
      trial_watch_run (watch);
      trial_fixture_assert_status (watch->record, ASSAY_STATUS_COMPLETED);
      for (guint i = 0; alone != NULL && i < G_N_ELEMENTS (texts); i++)
        g_assert_cmpstr (trial_fixture_output (watch->record, i)->text, ==,
                         trial_fixture_output (alone, i)->text);
      if (alone == NULL)
        alone = g_object_ref (watch->record);
      trial_watch_free (watch);
    }
}

int
main (int argc, char *argv[])
{
  engine_fixture_init (&argc, &argv);
  model_save ();
  g_test_add_func ("/engine/memory/on-the-device-while-loading", test_on_the_device_while_loading);
  g_test_add_func ("/engine/memory/on-the-device-in-the-prompt", test_on_the_device_in_the_prompt);
  g_test_add_func ("/engine/memory/on-the-device-while-converting", test_on_the_device_while_converting);
  g_test_add_func ("/engine/memory/in-the-host-while-converting", test_in_the_host_while_converting);
  g_test_add_func ("/engine/memory/in-the-host-while-reading", test_in_the_host_while_reading);
  g_test_add_func ("/engine/memory/at-a-token", test_at_a_token);
  g_test_add_func ("/engine/memory/a-budget-that-just-suffices-does", test_a_budget_that_just_suffices_does);
  g_test_add_func ("/engine/memory/each-rule-ends-a-run-by-its-name", test_each_rule_ends_a_run_by_its_name);
  g_test_add_func ("/engine/memory/a-model-replaced-in-place-is-noticed",
                   test_a_model_replaced_in_place_is_noticed);
  g_test_add_func ("/engine/memory/which-units-moved-is-told", test_which_units_moved_is_told);
  g_test_add_func ("/engine/memory/a-slow-link-holds-no-end-up", test_a_slow_link_holds_no_end_up);
  g_test_add_func ("/engine/memory/answers-at-once-are-those-one-by-one",
                   test_answers_at_once_are_those_one_by_one);
  const int status = g_test_run ();
  g_unlink (model);
  g_rmdir (folder);
  g_free (model);
  g_free (folder);
  return status;
}
