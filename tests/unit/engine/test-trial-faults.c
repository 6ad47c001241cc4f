/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/engine/test-trial-faults.c: whatever fails, a run ends as a record with a cause, and nothing is
 * kept. */
#include "trial-fixture.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* --- every n-th call of the device fails --- */

static AssayValues *
short_run (void)
{
  AssayValues *conditions = trial_fixture_conditions_with ("tiny-f16.gguf", ASSAY_FIELD_MAX_TOKENS, "3");
  assay_values_parse (conditions, ASSAY_FIELD_CONTEXT_LENGTH, "16", NULL);
  assay_values_set_text (conditions, ASSAY_FIELD_PROMPT, "Hi");
  return conditions;
}

static void
check_failed_record (AssayRecord *record, const FaultPlan *plan)
{
  const AssayRunStatus status = assay_record_get_status (record);
  const char *phase = trial_fixture_outcome (record, ASSAY_FIELD_FAILED_PHASE);
  const AssayValues *burden = assay_record_get_burden (record);
  g_assert_nonnull (trial_fixture_outcome (record, ASSAY_FIELD_ERROR));
  g_assert_nonnull (trial_fixture_outcome (record, ASSAY_FIELD_ERROR_CODE));
  g_assert_true (g_strv_contains ((const char *const[]) { "convert", "prompt", "generate", NULL }, phase));
  g_assert_cmpint (assay_values_get_state (burden, ASSAY_FIELD_PEAK_KV_CACHE), ==, ASSAY_VALUE_SET);
  g_assert_cmpint (assay_values_get_state (burden, ASSAY_FIELD_ELAPSED_SECONDS), ==, ASSAY_VALUE_SET);
  if (status == ASSAY_STATUS_OOM_HOST)
    return;
  g_assert_cmpint (plan->failure, ==, ASSAY_DEVICE_FAULT);
  if (status == ASSAY_STATUS_INVALID_OUTPUT) /* drawing is where a backend reports a NaN */
    g_assert_cmpstr (phase, ==, "generate");
  else
    g_assert_true (status == ASSAY_STATUS_FAILED || status == ASSAY_STATUS_LOAD_FAILED);
}

static void
each_call_fails (AssayStatus failure)
{
  guint n = 1, n_recovered = 0;
  for (gboolean failed = TRUE; failed; n++)
    {
      FaultPlan plan = { .fail_at = n, .failure = failure };
      g_autoptr (AssayRecord) record = trial_fixture_run (short_run (), &plan);
      failed = plan.failed;
      /* Memory refused once is there when the cached blocks were given back. */
      const gboolean recovered = failed && assay_record_get_status (record) == ASSAY_STATUS_COMPLETED;
      n_recovered += recovered;
      if (failed && !recovered)
        check_failed_record (record, &plan);
      else
        trial_fixture_assert_status (record, ASSAY_STATUS_COMPLETED);
      g_assert_cmpint (plan.bytes_held, ==, 0);
      g_assert_cmpuint (plan.n_blocks, ==, 0);
    }
  g_test_message ("%u calls failed one by one, %u of them without harm", n - 2, n_recovered);
  g_assert_cmpuint (n_recovered, <=, 4); /* allocations after those of the conversion were freed */
  g_assert_cmpuint (n, >, 90); /* allocations, conversions and three forward passes of two layers */
}

static void
test_every_call_out_of_memory (void)
{
  each_call_fails (ASSAY_NO_MEMORY);
}

static void
test_every_call_faults (void)
{
  each_call_fails (ASSAY_DEVICE_FAULT);
}

static void
test_partial_text_is_kept (void)
{
  FaultPlan count = { 0 };
  g_autoptr (AssayRecord) whole = trial_fixture_run (short_run (), &count);
  FaultPlan plan = { .fail_at = count.n_calls - 5, .failure = ASSAY_DEVICE_FAULT };
  g_autoptr (AssayRecord) record = trial_fixture_run (short_run (), &plan);
  trial_fixture_assert_status (record, ASSAY_STATUS_FAILED);
  const AssayOutput *output = trial_fixture_output (record, 0);
  g_assert_true (output->partial);
  g_assert_cmpstr (output->finish, ==, "error");
  g_assert_cmpint (output->output_tokens, ==, 2);
  g_assert_true (g_str_has_prefix (trial_fixture_output (whole, 0)->text, output->text));
  gint64 step = -1;
  g_assert_true (
    assay_values_get_integer (assay_record_get_outcome (record), ASSAY_FIELD_FAILED_STEP, &step));
  g_assert_cmpint (step, ==, 2);
}

/* --- output --- */

static void
test_not_numbers (void)
{
  FaultPlan plan = { .poison_logits = TRUE };
  g_autoptr (AssayRecord) record = trial_fixture_run (trial_fixture_conditions ("tiny-f32.gguf"), &plan);
  trial_fixture_assert_status (record, ASSAY_STATUS_INVALID_OUTPUT);
  g_assert_cmpstr (trial_fixture_outcome (record, ASSAY_FIELD_ERROR_CODE), ==, "output-not-finite");
  g_assert_cmpuint (assay_record_get_outputs (record)->len, ==, 0);
}

static void
test_nothing_comes_out (void)
{
  FaultPlan plan = { .forced_token = TRIAL_EOS };
  g_autoptr (AssayRecord) record = trial_fixture_run (trial_fixture_conditions ("tiny-f32.gguf"), &plan);
  trial_fixture_assert_status (record, ASSAY_STATUS_INVALID_OUTPUT);
  g_assert_cmpstr (trial_fixture_outcome (record, ASSAY_FIELD_ERROR_CODE), ==, "output-empty");
  g_assert_cmpstr (trial_fixture_outcome (record, ASSAY_FIELD_FAILED_PHASE), ==, "generate");
  g_assert_cmpint (trial_fixture_output (record, 0)->output_tokens, ==, 0);
  g_assert_cmpstr (trial_fixture_output (record, 0)->finish, ==, "stop");
}

/* That it ran and that it is good stay apart: one blank among answers is for a person to judge. */
static void
test_one_blank_among_answers (void)
{
  FaultPlan plan = { .forced_token = TRIAL_EOS, .n_forced = 1 };
  g_autoptr (GPtrArray) questions = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_question_free);
  g_ptr_array_add (questions, assay_question_new ("q1", "Weigh it"));
  g_ptr_array_add (questions, assay_question_new ("q2", "Weigh it twice"));
  AssayValues *conditions = trial_fixture_conditions_with ("tiny-f32.gguf", ASSAY_FIELD_MAX_TOKENS, "3");
  g_autoptr (TrialWatch) watch = trial_watch_new (conditions, questions, &plan);
  trial_watch_run (watch);
  trial_fixture_assert_status (watch->record, ASSAY_STATUS_COMPLETED);
  g_assert_cmpuint (trial_fixture_output (watch->record, 0)->text_length, ==, 0);
  g_assert_cmpint (trial_fixture_output (watch->record, 1)->output_tokens, >, 0);
}

/* A zero byte is a token like any other, and no record can hold one. */
static void
test_zero_bytes_are_escaped (void)
{
  FaultPlan plan = { .forced_token = 3 };
  AssayValues *conditions = trial_fixture_conditions_with ("tiny-f32.gguf", ASSAY_FIELD_MAX_TOKENS, "2");
  g_autoptr (AssayRecord) record = trial_fixture_run (conditions, &plan);
  trial_fixture_assert_status (record, ASSAY_STATUS_COMPLETED);
  g_assert_cmpstr (trial_fixture_output (record, 0)->text, ==, "\u2400\u2400");
  g_assert_cmpuint (trial_fixture_output (record, 0)->text_length, ==, strlen ("\u2400\u2400"));
}

/* --- memory --- */

static void
test_over_the_budget (void)
{
  AssayValues *conditions = trial_fixture_conditions_with ("tiny-f32.gguf", ASSAY_FIELD_VRAM_BUDGET, "10000");
  g_autoptr (AssayRecord) record = trial_fixture_run (conditions, NULL);
  trial_fixture_assert_status (record, ASSAY_STATUS_OOM_DEVICE);
  gint64 request = 0;
  assay_values_get_integer (assay_record_get_outcome (record), ASSAY_FIELD_FAILED_REQUEST, &request);
  g_assert_cmpint (request, ==, 2 * 2 * 64 * 2 * 8 * 4);
  g_assert_cmpstr (trial_fixture_outcome (record, ASSAY_FIELD_FAILED_PHASE), ==, "load");
  g_assert_nonnull (strstr (trial_fixture_outcome (record, ASSAY_FIELD_ERROR), "kv_cache"));
  g_autoptr (AssayRecord) next = trial_fixture_run (trial_fixture_conditions ("tiny-f32.gguf"), NULL);
  trial_fixture_assert_status (next, ASSAY_STATUS_COMPLETED);
}

/* What a run took is a budget that the same run fits, and a byte less is not. */
static void
test_budget_boundary (void)
{
  FaultPlan plan = { 0 };
  g_autoptr (AssayRecord) free_run = trial_fixture_run (trial_fixture_conditions ("tiny-f32.gguf"), &plan);
  gint64 sum = 0;
  for (AssayFieldId f = ASSAY_FIELD_PEAK_KV_CACHE; f <= ASSAY_FIELD_PEAK_OUTPUT; f++)
    {
      gint64 bytes = 0;
      g_assert_true (assay_values_get_integer (assay_record_get_burden (free_run), f, &bytes));
      sum += bytes;
    }
  for (guint less = 0; less < 2; less++)
    {
      g_autofree char *budget = g_strdup_printf ("%" G_GINT64_FORMAT, sum - less);
      AssayValues *conditions = trial_fixture_conditions_with ("tiny-f32.gguf", ASSAY_FIELD_VRAM_BUDGET,
                                                               budget);
      FaultPlan same = { 0 };
      g_autoptr (AssayRecord) record = trial_fixture_run (conditions, &same);
      trial_fixture_assert_status (record, less == 0 ? ASSAY_STATUS_COMPLETED : ASSAY_STATUS_OOM_DEVICE);
    }
}

/* --- files --- */

static void
test_missing_file (void)
{
  g_autoptr (AssayRecord) record = trial_fixture_run (trial_fixture_conditions ("/nowhere/model.gguf"), NULL);
  trial_fixture_assert_status (record, ASSAY_STATUS_LOAD_FAILED);
  g_assert_cmpstr (trial_fixture_outcome (record, ASSAY_FIELD_FAILED_PHASE), ==, "load");
  g_assert_nonnull (strstr (trial_fixture_outcome (record, ASSAY_FIELD_ERROR), "/nowhere/model.gguf"));
  g_assert_cmpint (assay_values_get_state (assay_record_get_burden (record), ASSAY_FIELD_GENERATE_SECONDS),
                   ==, ASSAY_VALUE_UNKNOWN);
}

static void
test_not_a_model (void)
{
  g_autofree char *path = engine_fixture_dup_path ("logits", "tiny.json");
  g_autoptr (AssayRecord) record = trial_fixture_run (trial_fixture_conditions (path), NULL);
  trial_fixture_assert_status (record, ASSAY_STATUS_LOAD_FAILED);
  g_assert_cmpstr (trial_fixture_outcome (record, ASSAY_FIELD_ERROR_CODE), !=, "");
}

static char *
copy_of_model (void)
{
  g_autofree char *from = engine_fixture_dup_path ("logits", "tiny-f32.gguf");
  g_autofree char *path = NULL;
  g_autofree char *data = NULL;
  gsize length;
  close (g_file_open_tmp ("assay-trial-XXXXXX.gguf", &path, NULL));
  g_assert_true (g_file_get_contents (from, &data, &length, NULL));
  g_assert_true (g_file_set_contents (path, data, (gssize) length, NULL));
  return g_steal_pointer (&path);
}

/* Sparse, and longer than what may be mapped. */
static void
test_no_address_space (void)
{
  const guint64 bytes = G_GUINT64_CONSTANT (1) << 40;
  if (ENGINE_SANITIZED)
    {
      g_test_skip ("sanitizers reserve more address space than the limit allows");
      return;
    }
  g_autofree char *path = copy_of_model ();
  struct rlimit before;
  if (truncate (path, (off_t) bytes) != 0)
    {
      g_test_skip ("the file system holds no file of a TiB");
      g_unlink (path);
      return;
    }
  g_assert_cmpint (getrlimit (RLIMIT_AS, &before), ==, 0);
  const struct rlimit narrow = { .rlim_cur = bytes / 2, .rlim_max = before.rlim_max };
  g_assert_cmpint (setrlimit (RLIMIT_AS, &narrow), ==, 0);
  g_autoptr (AssayRecord) record = trial_fixture_run (trial_fixture_conditions (path), NULL);
  g_assert_cmpint (setrlimit (RLIMIT_AS, &before), ==, 0);
  gint64 request = 0;
  trial_fixture_assert_status (record, ASSAY_STATUS_OOM_HOST);
  g_assert_cmpstr (trial_fixture_outcome (record, ASSAY_FIELD_ERROR_CODE), ==, "no-host-memory");
  assay_values_get_integer (assay_record_get_outcome (record), ASSAY_FIELD_FAILED_REQUEST, &request);
  g_assert_cmpint (request, ==, (gint64) bytes);
  g_unlink (path);
}

static void
cut_short (gpointer path)
{
  g_assert_cmpint (truncate (path, 100000), ==, 0);
}

static void
test_file_cut_short_while_in_use (void)
{
  g_autofree char *path = copy_of_model ();
  FaultPlan plan = { .hook_at = 60, .hook = cut_short, .hook_data = path };
  g_autoptr (AssayRecord) record = trial_fixture_run (trial_fixture_conditions (path), &plan);
  trial_fixture_assert_status (record, ASSAY_STATUS_FAILED);
  g_assert_cmpstr (trial_fixture_outcome (record, ASSAY_FIELD_ERROR_CODE), ==, "file-changed");
  g_unlink (path);
}

static void
test_weights_that_are_not_numbers (void)
{
  g_autofree char *path = copy_of_model ();
  g_autofree char *data = NULL;
  gsize length;
  g_assert_true (g_file_get_contents (path, &data, &length, NULL));
  memset (data + length - 64, 0xFF, 4);
  g_assert_true (g_file_set_contents (path, data, (gssize) length, NULL));
  g_autoptr (AssayRecord) record = trial_fixture_run (trial_fixture_conditions (path), NULL);
  trial_fixture_assert_status (record, ASSAY_STATUS_LOAD_FAILED);
  g_assert_cmpstr (trial_fixture_outcome (record, ASSAY_FIELD_ERROR_CODE), ==, "weights-not-finite");
  g_unlink (path);
}

int
main (int argc, char *argv[])
{
  engine_fixture_init (&argc, &argv);
  g_test_add_func ("/engine/faults/every-call-out-of-memory", test_every_call_out_of_memory);
  g_test_add_func ("/engine/faults/every-call-faults", test_every_call_faults);
  g_test_add_func ("/engine/faults/partial-text-is-kept-and-marked", test_partial_text_is_kept);
  g_test_add_func ("/engine/faults/scores-that-are-not-numbers-are-invalid-output", test_not_numbers);
  g_test_add_func ("/engine/faults/nothing-at-all-is-invalid-output", test_nothing_comes_out);
  g_test_add_func ("/engine/faults/one-blank-among-answers-is-an-answer", test_one_blank_among_answers);
  g_test_add_func ("/engine/faults/zero-bytes-are-escaped", test_zero_bytes_are_escaped);
  g_test_add_func ("/engine/faults/over-the-budget-names-the-request-and-the-next-run-works",
                   test_over_the_budget);
  g_test_add_func ("/engine/faults/what-a-run-took-is-a-budget-it-fits", test_budget_boundary);
  g_test_add_func ("/engine/faults/a-missing-file-is-load-failed", test_missing_file);
  g_test_add_func ("/engine/faults/not-a-model-is-load-failed", test_not_a_model);
  g_test_add_func ("/engine/faults/no-address-space-is-oom-host", test_no_address_space);
  g_test_add_func ("/engine/faults/a-file-cut-short-while-in-use-is-a-failed-run",
                   test_file_cut_short_while_in_use);
  g_test_add_func ("/engine/faults/weights-that-are-not-numbers-are-refused",
                   test_weights_that_are_not_numbers);
  return g_test_run ();
}
