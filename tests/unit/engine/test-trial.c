/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/engine/test-trial.c: a run that goes well, and what its record says. */
#include "trial-fixture.h"

#include <math.h>
#include <string.h>

static gint64
integer (const AssayValues *values, AssayFieldId field)
{
  gint64 value = -1;
  g_assert_true (assay_values_get_integer (values, field, &value));
  return value;
}

static double
real (const AssayValues *values, AssayFieldId field)
{
  double value = -1;
  g_assert_true (assay_values_get_real (values, field, &value));
  return value;
}

static void
test_completes (void)
{
  g_autoptr (TrialWatch) watch = trial_watch_new (trial_fixture_conditions ("tiny-f32.gguf"), NULL, NULL);
  g_autofree char *id = g_strdup (assay_trial_get_run_id (watch->trial));
  g_assert_null (assay_trial_get_record (watch->trial));
  trial_watch_run (watch);
  trial_fixture_assert_status (watch->record, ASSAY_STATUS_COMPLETED);
  g_assert_cmpstr (assay_record_get_id (watch->record), ==, id);
  g_assert_null (trial_fixture_outcome (watch->record, ASSAY_FIELD_ERROR));
  const AssayOutput *output = trial_fixture_output (watch->record, 0);
  g_assert_cmpint (output->output_tokens, ==, 12);
  g_assert_cmpstr (output->finish, ==, "length");
  g_assert_false (output->partial);
  g_autofree char *shown = g_utf8_make_valid (output->text, (gssize) output->text_length);
  g_assert_cmpstr (watch->text->str, ==, shown);
  g_assert_true (
    g_str_has_suffix (watch->phases, "generate ")); /* quick ones may be over before they are told */
}

static void
test_phases_and_peaks (void)
{
  g_autoptr (AssayRecord) record = trial_fixture_run (trial_fixture_conditions ("tiny-f16.gguf"), NULL);
  g_autoptr (GPtrArray) phases = assay_series_dup_phases (assay_record_get_series (record));
  static const char *const expected[] = { "load", "convert", "prompt",
                                          "generate" }; /* its norms are stored in F16 */
  const AssayValues *burden = assay_record_get_burden (record);
  gint64 end_ns = 0;
  double sum = 0;
  g_assert_cmpuint (phases->len, ==, G_N_ELEMENTS (expected));
  for (guint i = 0; i < phases->len; i++)
    {
      const AssayPhase *phase = g_ptr_array_index (phases, i);
      g_assert_cmpstr (phase->name, ==, expected[i]);
      g_assert_cmpint (phase->start_ns, >=, end_ns);
      g_assert_cmpint (phase->duration_ns, >=, 0);
      end_ns = phase->start_ns + phase->duration_ns;
    }
  const AssayPhase *generate = g_ptr_array_index (phases, 3);
  g_assert_cmpint (generate->peak_allocated, >, integer (burden, ASSAY_FIELD_PEAK_KV_CACHE));
  for (AssayFieldId f = ASSAY_FIELD_LOAD_SECONDS; f <= ASSAY_FIELD_GENERATE_SECONDS; f++)
    sum += real (burden, f);
  g_assert_cmpfloat (sum, <=, real (burden, ASSAY_FIELD_ELAPSED_SECONDS));
  g_assert_cmpfloat (real (burden, ASSAY_FIELD_SAMPLING_SECONDS), <=,
                     real (burden, ASSAY_FIELD_GENERATE_SECONDS));
  g_assert_cmpfloat (real (burden, ASSAY_FIELD_FIRST_TOKEN_SECONDS), >=,
                     real (burden, ASSAY_FIELD_PROMPT_SECONDS));
}

static void
test_burden (void)
{
  g_autoptr (AssayRecord) record = trial_fixture_run (trial_fixture_conditions ("tiny-f32.gguf"), NULL);
  const AssayValues *burden = assay_record_get_burden (record);
  /* 2 * layers * context * kv heads * head dim * bytes */
  g_assert_cmpint (integer (burden, ASSAY_FIELD_PEAK_KV_CACHE), ==, 2 * 2 * 64 * 2 * 8 * 4);
  g_assert_cmpint (integer (burden, ASSAY_FIELD_PEAK_OUTPUT), ==, 288 * 4);
  g_assert_cmpint (integer (burden, ASSAY_FIELD_PEAK_STAGING), ==, 0);
  g_assert_cmpint (integer (burden, ASSAY_FIELD_PEAK_WEIGHTS), >, 100000); /* in place, and still a need */
  g_assert_cmpint (integer (burden, ASSAY_FIELD_STORAGE_BYTES), ==, 156608);
  g_assert_cmpint (integer (burden, ASSAY_FIELD_PEAK_RAM), >, 0);
  g_assert_cmpint (integer (burden, ASSAY_FIELD_OUTPUT_TOKENS), ==, 12);
  g_assert_cmpint (integer (burden, ASSAY_FIELD_INPUT_TOKENS), ==,
                   trial_fixture_output (record, 0)->input_tokens);
  const AssayMeasure *kv = assay_values_get_measure (burden, ASSAY_FIELD_PEAK_KV_CACHE);
  g_assert_cmpstr (kv->source, ==, "allocator");
  g_assert_cmpint (kv->interval_ns, ==, 0);
  const AssayMeasure *ram = assay_values_get_measure (burden, ASSAY_FIELD_PEAK_RAM);
  g_assert_cmpuint (ram->n_samples, >=, 2);
  for (AssayFieldId f = ASSAY_FIELD_PEAK_VRAM; f <= ASSAY_FIELD_VRAM_BASELINE; f++)
    {
      g_assert_cmpint (assay_values_get_state (burden, f), ==, ASSAY_VALUE_UNKNOWN);
      g_assert_nonnull (strstr (assay_values_get_reason (burden, f), "no memory of its own"));
    }
}

static void
test_effective_is_what_differed (void)
{
  AssayValues *conditions = trial_fixture_conditions_with ("tiny-f32.gguf", ASSAY_FIELD_SEED, "-1");
  g_autoptr (AssayRecord) record = trial_fixture_run (conditions, NULL);
  const AssayValues *effective = assay_record_get_effective (record);
  static const AssayFieldId told[] = {
    /* by the file, the device and the defaults */
    ASSAY_FIELD_MODEL_METADATA_SHA256, ASSAY_FIELD_MODEL_CONTENT_HASH, ASSAY_FIELD_RUNTIME_VERSION,
    ASSAY_FIELD_DEVICE_NAME,           ASSAY_FIELD_ATTENTION_KERNEL,   ASSAY_FIELD_MATMUL_KERNEL,
    ASSAY_FIELD_OPERATING_SYSTEM,      ASSAY_FIELD_GENERATOR_DEVICE,   ASSAY_FIELD_DEVICE,
    ASSAY_FIELD_CHAT_FORMAT,           ASSAY_FIELD_QUANTIZATION,       ASSAY_FIELD_OFFLOAD_MODE,
  };
  for (guint i = 0; i < G_N_ELEMENTS (told); i++)
    g_assert_nonnull (assay_values_get_text (effective, told[i]));
  static const AssayFieldId kept[] = {
    /* as asked */
    ASSAY_FIELD_MODEL_PATH, ASSAY_FIELD_PROMPT, ASSAY_FIELD_MAX_TOKENS, ASSAY_FIELD_CONTEXT_LENGTH,
    ASSAY_FIELD_COMPUTE_DTYPE, ASSAY_FIELD_THREADS,
  };
  for (guint i = 0; i < G_N_ELEMENTS (kept); i++)
    g_assert_cmpint (assay_values_get_state (effective, kept[i]), ==, ASSAY_VALUE_UNSET);
  g_assert_cmpint (integer (effective, ASSAY_FIELD_SEED), >=, 0);
  g_assert_cmpint (integer (assay_record_get_conditions (record), ASSAY_FIELD_SEED), ==, -1);
  g_assert_cmpint (assay_values_get_state (effective, ASSAY_FIELD_DRIVER), ==, ASSAY_VALUE_UNKNOWN);
}

/* A reading takes longer than a millisecond at times; the figure's interval is that of its samples. */
static void
test_interval_is_the_real_one (void)
{
  AssayValues *conditions = trial_fixture_conditions_with ("tiny-f32.gguf", ASSAY_FIELD_SAMPLE_INTERVAL_MS, "1");
  assay_values_parse (conditions, ASSAY_FIELD_MAX_TOKENS, "60", NULL);
  g_autoptr (AssayRecord) record = trial_fixture_run (conditions, NULL);
  const AssayValues *burden = assay_record_get_burden (record);
  const AssayMeasure *ram = assay_values_get_measure (burden, ASSAY_FIELD_PEAK_RAM);
  const double mean_ns = real (burden, ASSAY_FIELD_ELAPSED_SECONDS) * 1e9 / ram->n_samples;
  g_assert_cmpint (ram->interval_ns, >, 0);
  g_assert_cmpfloat (fabs (ram->interval_ns - mean_ns), <, mean_ns / 4 + 1e6); /* the two clocks are read apart */
  g_assert_cmpint (ram->interval_ns, !=, 1000000);
  g_assert_cmpint (assay_series_get_interval_ns (assay_record_get_series (record)), ==, 1000000);
}

/* Asked and true are two things: neither is written over the other. */
static void
test_a_contradicted_name_is_kept_as_asked (void)
{
  AssayValues *conditions = trial_fixture_conditions_with ("tiny-f32.gguf", ASSAY_FIELD_MODEL_ID,
                                                           "somebody/else");
  assay_values_set_text (conditions, ASSAY_FIELD_MODEL_REVISION, "v7");
  assay_values_set_text (conditions, ASSAY_FIELD_QUANTIZED_MODULES, "ffn_up");
  assay_values_set_text (conditions, ASSAY_FIELD_TOKENIZER_NOTE, "unverified");
  g_autoptr (AssayRecord) record = trial_fixture_run (conditions, NULL);
  const AssayValues *asked = assay_record_get_conditions (record), *is = assay_record_get_effective (record);
  g_autofree char *path = engine_fixture_dup_path ("logits", "tiny-f32.gguf");
  g_autoptr (AssayInspection) inspection = assay_inspect (path, FALSE, NULL, NULL);
  trial_fixture_assert_status (record, ASSAY_STATUS_COMPLETED);
  g_assert_cmpstr (assay_values_get_text (asked, ASSAY_FIELD_MODEL_ID), ==, "somebody/else");
  g_assert_cmpstr (assay_values_get_text (is, ASSAY_FIELD_MODEL_ID), ==, inspection->model_id);
  g_assert_cmpstr (assay_values_get_text (asked, ASSAY_FIELD_MODEL_REVISION), ==, "v7");
  g_assert_cmpstr (assay_values_get_text (is, ASSAY_FIELD_MODEL_REVISION), ==, inspection->model_revision);
  g_assert_cmpstr (assay_values_get_text (asked, ASSAY_FIELD_QUANTIZED_MODULES), ==, "ffn_up");
  g_assert_cmpstr (assay_values_get_text (is, ASSAY_FIELD_QUANTIZED_MODULES), ==, "none");
  g_assert_cmpstr (assay_values_get_text (asked, ASSAY_FIELD_TOKENIZER_NOTE), ==, "unverified");
  g_assert_cmpstr (assay_values_get_text (is, ASSAY_FIELD_TOKENIZER_NOTE), ==, "verified");
}

static AssayRecord *
run_hot (const char *seed, const char *threads)
{
  AssayValues *conditions = trial_fixture_conditions_with ("tiny-f32.gguf", ASSAY_FIELD_SEED, seed);
  assay_values_parse (conditions, ASSAY_FIELD_TEMPERATURE, "1", NULL);
  assay_values_parse (conditions, ASSAY_FIELD_MAX_TOKENS, "40", NULL);
  assay_values_parse (conditions, ASSAY_FIELD_THREADS, threads, NULL);
  return trial_fixture_run (conditions, NULL);
}

static void
test_drawn_seed_reproduces (void)
{
  g_autoptr (AssayRecord) drawn = run_hot ("-1", "1"), other = run_hot ("-1", "1");
  g_autofree char *seed = assay_values_dup_text (assay_record_get_effective (drawn), ASSAY_FIELD_SEED);
  g_autoptr (AssayRecord) again = run_hot (seed, "1");
  g_assert_cmpstr (trial_fixture_output (drawn, 0)->text, ==, trial_fixture_output (again, 0)->text);
  g_assert_cmpstr (trial_fixture_output (drawn, 0)->text, !=, trial_fixture_output (other, 0)->text);
}

static void
test_same_seed_same_text (void)
{
  g_autoptr (AssayRecord) first = run_hot ("7", "1");
  for (guint i = 0; i < 10; i++)
    {
      const char *threads[] = { "1", "2", "3" };
      g_autoptr (AssayRecord) again = run_hot ("7", threads[i % 3]);
      g_assert_cmpstr (trial_fixture_output (again, 0)->text, ==, trial_fixture_output (first, 0)->text);
    }
  g_autoptr (AssayRecord) other = run_hot ("8", "1");
  g_assert_cmpstr (trial_fixture_output (other, 0)->text, !=, trial_fixture_output (first, 0)->text);
}

static void
test_default_model_repeats (void)
{
  g_autofree char *path = engine_fixture_dup_default_model ();
  if (path == NULL)
    return;
  g_autofree char *text = NULL;
  const guint n = ENGINE_SANITIZED ? 2 : 10;
  for (guint i = 0; i < n; i++)
    {
      const char *threads[] = { "2", "1", "3" };
      AssayValues *conditions = trial_fixture_conditions_with (path, ASSAY_FIELD_THREADS, threads[i % 3]);
      assay_values_parse (conditions, ASSAY_FIELD_TEMPERATURE, "0.8", NULL);
      assay_values_parse (conditions, ASSAY_FIELD_COMPUTE_DTYPE, "int8", NULL);
      assay_values_parse (conditions, ASSAY_FIELD_KV_CACHE_TYPE, "float16", NULL);
      assay_values_parse (conditions, ASSAY_FIELD_MAX_TOKENS, "24", NULL);
      g_autoptr (AssayRecord) record = trial_fixture_run (conditions, NULL);
      trial_fixture_assert_status (record, ASSAY_STATUS_COMPLETED);
      if (text == NULL)
        text = g_strdup (trial_fixture_output (record, 0)->text);
      g_assert_cmpstr (trial_fixture_output (record, 0)->text, ==, text);
      g_assert_cmpstr (assay_values_get_text (assay_record_get_effective (record), ASSAY_FIELD_CHAT_FORMAT),
                       ==, "chatml");
    }
  g_test_message ("the text: %s", text);
}

static void
test_questions (void)
{
  g_autoptr (GPtrArray) questions = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_question_free);
  for (guint i = 0; i < 3; i++)
    {
      g_autofree char *id = g_strdup_printf ("q%u", i + 1);
      g_ptr_array_add (questions, assay_question_new (id, i == 1 ? "Weigh it twice" : "Weigh it"));
    }
  AssayValues *conditions = trial_fixture_conditions ("tiny-f32.gguf"); /* its prompt is not asked */
  g_autoptr (TrialWatch) watch = trial_watch_new (conditions, questions, NULL);
  trial_watch_run (watch);
  trial_fixture_assert_status (watch->record, ASSAY_STATUS_COMPLETED);
  g_assert_cmpuint (assay_record_get_outputs (watch->record)->len, ==, 3);
  gint64 tokens = 0;
  for (guint i = 0; i < 3; i++)
    {
      const AssayOutput *output = trial_fixture_output (watch->record, i);
      const AssayQuestion *question = g_ptr_array_index (questions, i);
      g_assert_cmpstr (output->question, ==, question->id);
      g_assert_cmpint (output->prompt_ns, >, 0);
      g_assert_cmpint (output->generate_ns, >, 0);
      tokens += output->output_tokens;
    }
  g_assert_cmpint (integer (assay_record_get_burden (watch->record), ASSAY_FIELD_OUTPUT_TOKENS), ==, tokens);
  /* Greedy, and nothing of one question stays for the next. */
  g_assert_cmpstr (trial_fixture_output (watch->record, 0)->text, ==,
                   trial_fixture_output (watch->record, 2)->text);
  g_autoptr (GPtrArray) marks = assay_series_dup_marks (assay_record_get_series (watch->record));
  g_assert_cmpuint (marks->len, ==, 3);
  g_assert_cmpstr (assay_values_get_text (assay_record_get_effective (watch->record), ASSAY_FIELD_PROMPT), ==,
                   "");
}

/* However fast the tokens come. */
static void
test_updates_are_coalesced (void)
{
  AssayValues *conditions = trial_fixture_conditions_with ("tiny-f32.gguf", ASSAY_FIELD_MAX_TOKENS, "240");
  assay_values_parse (conditions, ASSAY_FIELD_CONTEXT_LENGTH, "256", NULL);
  FaultPlan plan = { .forced_token = 3 + 'x' };
  g_autoptr (TrialWatch) watch = trial_watch_new (conditions, NULL, &plan);
  trial_watch_run (watch);
  const double elapsed_s = real (assay_record_get_burden (watch->record), ASSAY_FIELD_ELAPSED_SECONDS);
  g_assert_cmpint (trial_fixture_output (watch->record, 0)->output_tokens, ==, 240);
  g_assert_cmpuint (watch->text->len, ==, 240);
  g_assert_cmpfloat (watch->n_texts, <=, 2 + elapsed_s / 0.030);
  g_assert_cmpfloat (watch->n_wakes, <=, 2 + elapsed_s / 0.030);
}

static void
on_gone (gpointer data, GObject *where)
{
  *(gboolean *) data = TRUE;
}

static void
test_dropped_while_running (void)
{
  gboolean gone = FALSE;
  AssayValues *conditions = trial_fixture_conditions ("tiny-f32.gguf");
  AssayTrial *trial = assay_trial_new (conditions, NULL, NULL, NULL);
  assay_values_unref (conditions);
  g_object_weak_ref (G_OBJECT (trial), on_gone, &gone);
  assay_trial_start (trial);
  g_object_unref (trial);
  while (!gone)
    g_main_context_iteration (NULL, FALSE);
}

/* The window's context is destroyed before the worker is done. */
static void
test_home_context_goes_away (void)
{
  GMainContext *home = g_main_context_new ();
  g_main_context_push_thread_default (home);
  AssayValues *conditions = trial_fixture_conditions ("tiny-f32.gguf");
  AssayTrial *trial = assay_trial_new (conditions, NULL, NULL, NULL);
  assay_values_unref (conditions);
  g_main_context_pop_thread_default (home);
  assay_trial_start (trial);
  g_main_context_unref (home);
  while (assay_trial_is_running (trial))
    g_usleep (1000);
  trial_fixture_assert_status (assay_trial_get_record (trial), ASSAY_STATUS_COMPLETED);
  g_object_unref (trial);
}

static void
test_started_record_is_for_the_journal (void)
{
  g_autoptr (TrialWatch) watch = trial_watch_new (trial_fixture_conditions ("tiny-f32.gguf"), NULL, NULL);
  g_autoptr (AssayRecord) started = assay_trial_dup_started_record (watch->trial);
  g_assert_true (assay_record_is_sealed (started));
  g_assert_cmpstr (assay_record_get_id (started), ==, assay_trial_get_run_id (watch->trial));
  g_assert_cmpint (assay_record_get_status (started), ==, ASSAY_STATUS_UNKNOWN);
  trial_watch_run (watch);
  g_assert_cmpint (assay_record_get_status (started), ==, ASSAY_STATUS_UNKNOWN);
}

int
main (int argc, char *argv[])
{
  engine_fixture_init (&argc, &argv);
  g_test_add_func ("/engine/trial/completes-with-a-sealed-record", test_completes);
  g_test_add_func ("/engine/trial/phases-are-in-order-with-their-peaks", test_phases_and_peaks);
  g_test_add_func ("/engine/trial/burden-is-measured-or-unknown-with-a-reason", test_burden);
  g_test_add_func ("/engine/trial/effective-holds-what-differed-and-nothing-else",
                   test_effective_is_what_differed);
  g_test_add_func ("/engine/trial/a-sampled-peak-has-the-interval-of-its-samples", test_interval_is_the_real_one);
  g_test_add_func ("/engine/trial/what-the-file-contradicts-is-kept-as-asked-and-as-it-is",
                   test_a_contradicted_name_is_kept_as_asked);
  g_test_add_func ("/engine/trial/a-drawn-seed-is-recorded-and-reproduces", test_drawn_seed_reproduces);
  g_test_add_func ("/engine/trial/same-seed-same-text-for-any-threads", test_same_seed_same_text);
  g_test_add_func ("/engine/trial/default-model-repeats-ten-times", test_default_model_repeats);
  g_test_add_func ("/engine/trial/questions-have-their-own-outputs", test_questions);
  g_test_add_func ("/engine/trial/updates-are-coalesced", test_updates_are_coalesced);
  g_test_add_func ("/engine/trial/dropping-it-mid-run-is-safe", test_dropped_while_running);
  g_test_add_func ("/engine/trial/its-home-context-may-go-away", test_home_context_goes_away);
  g_test_add_func ("/engine/trial/started-record-is-for-the-journal", test_started_record_is_for_the_journal);
  return g_test_run ();
}
