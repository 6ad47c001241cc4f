/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/engine/test-trial-stop.c: cancelling, time limits, and what is refused before a run. */
#include "trial-fixture.h"

#include <string.h>

#define ANSWER_MS 200

/* --- cancelling, to the unit --- */

static void
cancel (gpointer trial)
{
  assay_trial_cancel (trial);
  assay_trial_cancel (trial); /* any number of times */
}

/* Cancels before the device's n-th call: after that one no other unit may begin. */
static TrialWatch *
cancel_at (guint n, FaultPlan *plan)
{
  AssayValues *conditions = trial_fixture_conditions_with ("tiny-f32.gguf", ASSAY_FIELD_MAX_TOKENS, "3");
  TrialWatch *watch = trial_watch_new (conditions, NULL, plan);
  plan->hook_at = n;
  plan->hook = cancel;
  plan->hook_data = watch->trial;
  trial_watch_run (watch);
  return watch;
}

static void
test_cancel_within_one_unit (void)
{
  guint n_partial = 0, n_completed = 0;
  FaultPlan whole = { .forced_token = 3 + 'x' };
  g_autoptr (AssayRecord) record = trial_fixture_run (
    trial_fixture_conditions_with ("tiny-f32.gguf", ASSAY_FIELD_MAX_TOKENS, "3"), &whole);
  for (guint n = 1; n <= whole.n_calls; n++)
    {
      FaultPlan plan = { .forced_token = 3 + 'x' };
      g_autoptr (TrialWatch) watch = cancel_at (n, &plan);
      const AssayRunStatus status = assay_record_get_status (watch->record);
      /* A unit and what belongs to it: attention is rope twice, two stores and itself. */
      g_assert_cmpuint (plan.n_calls, <=, n + 6);
      g_assert_cmpint (plan.bytes_held, ==, 0);
      if (status == ASSAY_STATUS_COMPLETED)
        {
          g_assert_cmpuint (n, ==, whole.n_calls); /* drawing the last token: nothing is left to stop */
          n_completed++;
          continue;
        }
      g_assert_cmpint (status, ==, ASSAY_STATUS_CANCELLED);
      g_assert_cmpstr (trial_fixture_outcome (watch->record, ASSAY_FIELD_ERROR_CODE), ==, "cancelled");
      g_assert_nonnull (trial_fixture_outcome (watch->record, ASSAY_FIELD_FAILED_PHASE));
      if (assay_record_get_outputs (watch->record)->len == 0)
        continue;
      const AssayOutput *output = trial_fixture_output (watch->record, 0);
      g_assert_true (output->partial);
      g_assert_cmpstr (output->finish, ==, "cancelled");
      n_partial++;
    }
  g_assert_cmpuint (n_partial, >, 20);
  g_assert_cmpuint (n_completed, ==, 1);
}

static void
test_cancel_before_the_start (void)
{
  g_autoptr (TrialWatch) watch = trial_watch_new (trial_fixture_conditions ("tiny-f32.gguf"), NULL, NULL);
  assay_trial_cancel (watch->trial);
  trial_watch_run (watch);
  trial_fixture_assert_status (watch->record, ASSAY_STATUS_CANCELLED);
}

static void
test_cancel_after_the_end (void)
{
  g_autoptr (TrialWatch) watch = trial_watch_new (trial_fixture_conditions ("tiny-f32.gguf"), NULL, NULL);
  trial_watch_run (watch);
  assay_trial_cancel (watch->trial);
  trial_watch_wait (watch);
  trial_fixture_assert_status (watch->record, ASSAY_STATUS_COMPLETED);
}

/* --- cancelling, by the clock, with a real model --- */

static AssayValues *
long_run (const char *path)
{
  GString *prompt = g_string_new (NULL);
  for (guint i = 0; i < 400; i++)
    g_string_append_printf (prompt, "Item %u weighs %u grams. ", i, i * 37 % 101);
  AssayValues *conditions = trial_fixture_conditions_with (path, ASSAY_FIELD_CONTEXT_LENGTH, "8192");
  assay_values_set_text (conditions, ASSAY_FIELD_PROMPT, prompt->str);
  assay_values_parse (conditions, ASSAY_FIELD_MAX_TOKENS, "4000", NULL);
  assay_values_parse (conditions, ASSAY_FIELD_SAMPLE_INTERVAL_MS, "50", NULL);
  g_string_free (prompt, TRUE);
  return conditions;
}

static void
cancel_in_phase (const char *path, const char *phase)
{
  AssayValues *conditions = long_run (path);
  if (g_str_equal (phase, "generate"))
    assay_values_set_text (conditions, ASSAY_FIELD_PROMPT, "Count to a thousand.");
  g_autoptr (TrialWatch) watch = trial_watch_new (conditions, NULL, NULL);
  assay_trial_start (watch->trial);
  while (!g_str_equal (assay_trial_get_phase (watch->trial), phase))
    g_usleep (200);
  const gint64 asked_us = g_get_monotonic_time ();
  assay_trial_cancel (watch->trial);
  trial_watch_wait (watch);
  const gint64 took_ms = (g_get_monotonic_time () - asked_us) / 1000;
  g_test_message ("%s: the record came %" G_GINT64_FORMAT " ms after the call", phase, took_ms);
  trial_fixture_assert_status (watch->record, ASSAY_STATUS_CANCELLED);
  g_assert_cmpstr (trial_fixture_outcome (watch->record, ASSAY_FIELD_FAILED_PHASE), ==, phase);
  if (!ENGINE_SANITIZED)
    g_assert_cmpint (took_ms, <=, ANSWER_MS);
}

static void
test_cancel_is_answered_in_time (void)
{
  g_autofree char *path = engine_fixture_dup_default_model ();
  if (path == NULL)
    return;
  cancel_in_phase (path, "load");
  cancel_in_phase (path, "prompt");
  cancel_in_phase (path, "generate");
  AssayValues *conditions = trial_fixture_conditions_with (path, ASSAY_FIELD_MAX_TOKENS, "3");
  g_autoptr (AssayRecord) next = trial_fixture_run (conditions, NULL);
  trial_fixture_assert_status (next, ASSAY_STATUS_COMPLETED);
}

/* --- time limit --- */

static void
wait_a_moment (gpointer data)
{
  g_usleep (1100000);
}

static void
test_time_limit (void)
{
  FaultPlan plan = { .hook_at = 100, .hook = wait_a_moment };
  AssayValues *conditions = trial_fixture_conditions_with ("tiny-f32.gguf", ASSAY_FIELD_TIME_LIMIT_SECONDS,
                                                           "1");
  assay_values_parse (conditions, ASSAY_FIELD_MAX_TOKENS, "60", NULL);
  g_autoptr (AssayRecord) record = trial_fixture_run (conditions, &plan);
  trial_fixture_assert_status (record, ASSAY_STATUS_TIME_LIMIT);
  g_assert_cmpstr (trial_fixture_outcome (record, ASSAY_FIELD_ERROR_CODE), ==, "time-limit");
  g_assert_cmpuint (plan.n_calls, <=, 110);
  g_assert_true (trial_fixture_output (record, 0)->partial);
}

static void
test_first_reason_stands (void)
{
  g_autoptr (TrialWatch) watch = trial_watch_new (trial_fixture_conditions ("tiny-f32.gguf"), NULL, NULL);
  assay_trial_stop (watch->trial, ASSAY_STOP_TIME_LIMIT);
  assay_trial_cancel (watch->trial);
  trial_watch_run (watch);
  trial_fixture_assert_status (watch->record, ASSAY_STATUS_TIME_LIMIT);
}

/* --- refusals --- */

static void
test_prompt_longer_than_the_context (void)
{
  AssayValues *conditions = trial_fixture_conditions_with ("tiny-f32.gguf", ASSAY_FIELD_CONTEXT_LENGTH, "20");
  assay_values_set_text (conditions, ASSAY_FIELD_PROMPT, "a prompt of far more letters than twenty");
  FaultPlan plan = { 0 };
  g_autoptr (AssayRecord) record = trial_fixture_run (conditions, &plan);
  trial_fixture_assert_status (record, ASSAY_STATUS_INVALID);
  const char *error = trial_fixture_outcome (record, ASSAY_FIELD_ERROR);
  g_assert_cmpstr (trial_fixture_outcome (record, ASSAY_FIELD_ERROR_CODE), ==, "prompt-too-long");
  g_assert_cmpstr (trial_fixture_outcome (record, ASSAY_FIELD_FAILED_PHASE), ==, "prompt");
  g_assert_nonnull (strstr (error, "the context holds 20"));
  g_assert_true (g_str_has_prefix (error, "the prompt has ")); /* and no name of a field before it */
  g_assert_true (g_regex_match_simple ("has [0-9]+ tokens", error, 0, 0));
  g_assert_cmpuint (plan.n_calls, ==, 0);
}

/* The answer ends where the context does, and is whole. */
static void
test_answer_ends_with_the_context (void)
{
  FaultPlan plan = { .forced_token = 3 + 'x' };
  AssayValues *conditions = trial_fixture_conditions_with ("tiny-f32.gguf", ASSAY_FIELD_CONTEXT_LENGTH, "20");
  assay_values_parse (conditions, ASSAY_FIELD_MAX_TOKENS, "1000", NULL);
  g_autoptr (AssayRecord) record = trial_fixture_run (conditions, &plan);
  trial_fixture_assert_status (record, ASSAY_STATUS_COMPLETED);
  const AssayOutput *output = trial_fixture_output (record, 0);
  g_assert_cmpstr (output->finish, ==, "length");
  /* the last one is not fed back */
  g_assert_cmpint (output->input_tokens + output->output_tokens, ==, 20 + 1);
}

static void
test_context_beyond_training (void)
{
  AssayValues *conditions = trial_fixture_conditions_with ("tiny-f32.gguf", ASSAY_FIELD_CONTEXT_LENGTH,
                                                           "257");
  g_autoptr (AssayRecord) record = trial_fixture_run (conditions, NULL);
  trial_fixture_assert_status (record, ASSAY_STATUS_INVALID);
  g_assert_nonnull (strstr (trial_fixture_outcome (record, ASSAY_FIELD_ERROR), "257"));
  g_assert_nonnull (strstr (trial_fixture_outcome (record, ASSAY_FIELD_ERROR), "256"));
}

static void
test_another_format_than_stored (void)
{
  static const struct { AssayFieldId field; const char *asked, *words; } cases[] = {
    { ASSAY_FIELD_QUANTIZATION, "Q2_K", "quantization asks for 'Q2_K', the file holds 'Q8_0'" },
    { ASSAY_FIELD_ARCHITECTURE, "qwen2", "architecture asks for 'qwen2', the file holds 'llama'" },
    { ASSAY_FIELD_WEIGHT_FORMAT, "safetensors", "weight_format asks for 'safetensors', the file holds 'gguf'" },
    { ASSAY_FIELD_WEIGHT_FORMAT, "gguf, 2 files", "asks for 'gguf, 2 files', the file holds 'gguf'" },
    { ASSAY_FIELD_CHAT_FORMAT, "llama3", "chat_format: llama3 needs <|start_header_id|>, <|end_header_id|>, <|eot_id|>" },
    { ASSAY_FIELD_QUESTION_SET, "hard-40", "question_set is 'hard-40', but the prompt 'Weigh it'" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      AssayValues *conditions = trial_fixture_conditions_with ("tiny-q8.gguf", cases[i].field, cases[i].asked);
      g_autoptr (AssayRecord) record = trial_fixture_run (conditions, NULL);
      trial_fixture_assert_status (record, ASSAY_STATUS_INVALID);
      g_assert_nonnull (strstr (trial_fixture_outcome (record, ASSAY_FIELD_ERROR), cases[i].words));
      g_assert_cmpstr (assay_values_get_text (assay_record_get_conditions (record), cases[i].field), ==,
                       cases[i].asked);
    }
}

static void
test_conditions_are_checked (void)
{
  static const struct { AssayFieldId field; const char *value, *words; } cases[] = {
    { ASSAY_FIELD_DEVICE, "cuda:first", "none of cpu, virtual, cuda:N" },
    { ASSAY_FIELD_DEVICE, "tpu", "none of cpu, virtual, cuda:N" },
    { ASSAY_FIELD_PROGRAM, "/usr/bin/python3", "belongs to the runtime 'process'" },
    { ASSAY_FIELD_RECIPE, "transformers", "belongs to the runtime 'process'" },
    { ASSAY_FIELD_OFFLOAD_MODE, "sequential", "nowhere to offload to" },
    { ASSAY_FIELD_OFFLOAD_API, "enable_model_cpu_offload", "offload_mode is 'none'" },
    { ASSAY_FIELD_OFFLOAD_API, "enable_magic", "no call of this engine" },
    { ASSAY_FIELD_PIPELINE_MOVED_TO_CUDA, "true", "no memory of its own to move to" },
    { ASSAY_FIELD_DEVICE_MAP, "auto", "everything lies on the cpu" },
    { ASSAY_FIELD_LINK_BANDWIDTH, "1000", "virtual device" },
    { ASSAY_FIELD_LINK_LATENCY_SECONDS, "0.001", "virtual device" },
    { ASSAY_FIELD_RAM_BUDGET, "1000", "vram_budget is that bound" },
    { ASSAY_FIELD_BATCH_SIZE, "65", "at most 64" },
    { ASSAY_FIELD_WIDTH, "512", "no condition of a language model" },
    { ASSAY_FIELD_MODEL_PATH, "", "choose a model file" },
    { ASSAY_FIELD_PROMPT, "", "nothing is asked" },
  };
  AssayFieldId field;
  g_autoptr (AssayValues) good = trial_fixture_conditions ("tiny-f32.gguf");
  assay_trial_fill_defaults (good);
  g_assert_null (assay_trial_check_conditions (good, &field));
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      AssayValues *conditions = trial_fixture_conditions_with ("tiny-f32.gguf", cases[i].field,
                                                               cases[i].value);
      g_autofree char *broken = assay_trial_check_conditions (conditions, &field);
      g_assert_cmpint (field, ==, cases[i].field);
      g_assert_nonnull (strstr (broken, cases[i].words));
      g_autoptr (AssayRecord) record = trial_fixture_run (conditions, NULL); /* and a run says the same */
      trial_fixture_assert_status (record, ASSAY_STATUS_INVALID);
      g_assert_cmpstr (trial_fixture_outcome (record, ASSAY_FIELD_ERROR), ==, broken); /* each name once */
    }
}

static void
test_all_broken_rules_are_listed (void)
{
  static const struct { AssayFieldId field; const char *value; } wrong[] = {
    { ASSAY_FIELD_OFFLOAD_MODE, "group" },
    { ASSAY_FIELD_DEVICE_MAP, "auto" },
    { ASSAY_FIELD_RAM_BUDGET, "1000" },
    { ASSAY_FIELD_BATCH_SIZE, "65" },
    { ASSAY_FIELD_PROMPT, "" },
  };
  AssayFieldId field;
  g_autoptr (AssayValues) conditions = trial_fixture_conditions ("tiny-f32.gguf");
  assay_trial_fill_defaults (conditions);
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    g_assert_true (assay_values_parse (conditions, wrong[i].field, wrong[i].value, NULL));
  g_autoptr (GPtrArray) all = assay_trial_list_broken (conditions);
  g_assert_cmpuint (all->len, ==, G_N_ELEMENTS (wrong));
  for (guint i = 0; i < all->len; i++)
    g_assert_cmpint (((AssayBrokenRule *) g_ptr_array_index (all, i))->field, ==, wrong[i].field);
  g_autofree char *first = assay_trial_check_conditions (conditions, &field);
  g_assert_cmpint (field, ==, ASSAY_FIELD_OFFLOAD_MODE);
  g_assert_cmpstr (first, ==, ((AssayBrokenRule *) g_ptr_array_index (all, 0))->words);
}

static void
test_defaults_leave_what_is_set (void)
{
  g_autoptr (AssayValues) values = assay_values_new ();
  gint64 seed = -2;
  assay_values_parse (values, ASSAY_FIELD_KV_CACHE_TYPE, "float32", NULL);
  assay_values_set_text (values, ASSAY_FIELD_QUANTIZATION, "Q4_1");
  assay_trial_fill_defaults (values);
  g_assert_cmpstr (assay_values_get_text (values, ASSAY_FIELD_KV_CACHE_TYPE), ==, "float32");
  g_assert_cmpstr (assay_values_get_text (values, ASSAY_FIELD_COMPUTE_DTYPE), ==, "int8");
  g_assert_true (assay_values_get_integer (values, ASSAY_FIELD_SEED, &seed));
  g_assert_cmpint (seed, ==, 0);
  g_assert_cmpint (assay_values_get_state (values, ASSAY_FIELD_CONTEXT_LENGTH), ==, ASSAY_VALUE_UNSET);
  for (AssayFieldId f = 0; f < ASSAY_N_FIELDS; f++)
    if (assay_values_get_state (values, f) == ASSAY_VALUE_SET)
      g_assert_cmpint (assay_field_get_info (f)->group, ==, ASSAY_GROUP_CONDITIONS);
}

int
main (int argc, char *argv[])
{
  engine_fixture_init (&argc, &argv);
  g_test_add_func ("/engine/stop/cancel-ends-within-one-unit-wherever-it-comes", test_cancel_within_one_unit);
  g_test_add_func ("/engine/stop/cancel-before-the-start-counts", test_cancel_before_the_start);
  g_test_add_func ("/engine/stop/cancel-after-the-end-changes-nothing", test_cancel_after_the_end);
  g_test_add_func ("/engine/stop/cancel-is-answered-in-200-ms-in-every-phase",
                   test_cancel_is_answered_in_time);
  g_test_add_func ("/engine/stop/time-limit-ends-a-run-and-keeps-its-text", test_time_limit);
  g_test_add_func ("/engine/stop/the-first-reason-stands", test_first_reason_stands);
  g_test_add_func ("/engine/stop/a-prompt-longer-than-the-context-is-refused-with-both-counts",
                   test_prompt_longer_than_the_context);
  g_test_add_func ("/engine/stop/an-answer-ends-with-the-context", test_answer_ends_with_the_context);
  g_test_add_func ("/engine/stop/a-context-beyond-training-is-refused-with-both-numbers",
                   test_context_beyond_training);
  g_test_add_func ("/engine/stop/another-format-than-the-file-holds-is-refused",
                   test_another_format_than_stored);
  g_test_add_func ("/engine/stop/conditions-that-break-a-rule-are-refused-by-name",
                   test_conditions_are_checked);
  g_test_add_func ("/engine/stop/all-broken-rules-are-listed", test_all_broken_rules_are_listed);
  g_test_add_func ("/engine/stop/defaults-leave-what-is-set", test_defaults_leave_what_is_set);
  return g_test_run ();
}
