/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Four signals that stay four, each with its own axes, and one axis a candidate. */
#include "assay-advice.h"
#include "assay-repetition.h"
#include "judgment.h"

#define GIB "1073741824"

static const AssayCandidate *
find (const AssayAdvice *advice, const char *name)
{
  const AssayFieldId field = assay_field_from_name (name);
  for (guint i = 0; i < advice->candidates->len; i++)
    {
      const AssayCandidate *candidate = advice->candidates->pdata[i];
      if (field == candidate->field
          && (field != ASSAY_FIELD_INVALID || candidate->axis == assay_axis_from_name (name)))
        return candidate;
    }
  return NULL;
}

/* The candidates' names in order, to be read at a glance. */
static char *
names_of (const AssayAdvice *advice)
{
  GString *names = g_string_new (NULL);
  for (guint i = 0; i < advice->candidates->len; i++)
    {
      const AssayCandidate *candidate = advice->candidates->pdata[i];
      g_assert_cmpint (strlen (candidate->why), >, 0);
      g_assert_cmpint (candidate->predicted_peak_vram, ==, -1);
      g_assert_cmpint (candidate->predicted_peak_ram, ==, -1);
      g_assert_cmpint (candidate->predicted_link_bytes, ==, -1);
      g_assert_cmpfloat (candidate->predicted_seconds, ==, -1);
      g_assert_null (candidate->problem);
      g_string_append_printf (names, "%s%s", i > 0 ? " " : "",
                              candidate->field != ASSAY_FIELD_INVALID
                                  ? assay_field_get_info (candidate->field)->name
                                  : assay_axis_get_name (candidate->axis));
    }
  return g_string_free (names, FALSE);
}

/* The values of all candidates for a field, each with a blank behind it; until the next call. */
static const char *
values_of (const AssayAdvice *advice, const char *name)
{
  static char values[200];
  values[0] = '\0';
  for (guint i = 0; i < advice->candidates->len; i++)
    {
      const AssayCandidate *candidate = advice->candidates->pdata[i];
      if (candidate->field != assay_field_from_name (name))
        continue;
      g_strlcat (values, candidate->to != NULL ? candidate->to : "?", sizeof values);
      g_strlcat (values, " ", sizeof values);
    }
  return values;
}

/* What is said to stay fixed is moved by no candidate, and each candidate holds what the others move. */
static void
assert_held_apart (const AssayAdvice *advice)
{
  for (guint i = 0; i < advice->candidates->len; i++)
    {
      const AssayCandidate *candidate = advice->candidates->pdata[i];
      for (char **name = advice->held; *name != NULL; name++)
        g_assert_cmpint (assay_axis_from_name (*name), !=, candidate->axis);
    }
  for (char **name = advice->held; *name != NULL; name++)
    g_assert_true (g_strv_contains ((const char *const *) advice->held_with_candidates, *name));
}

static void
assert_advice (const AssayAdvice *advice, AssaySignal signal, const char *names)
{
  g_autofree char *got = names_of (advice);
  g_assert_cmpstr (assay_signal_get_name (advice->signal), ==, assay_signal_get_name (signal));
  g_assert_cmpstr (got, ==, names);
  g_assert_cmpint (strlen (advice->evidence), >, 0);
  g_assert_cmpint (strlen (advice->words), >, 0);
  assert_held_apart (advice);
}

static gboolean
holds (const AssayAdvice *advice, const char *name)
{
  return g_strv_contains ((const char *const *) advice->held, name);
}

static void
test_device_memory_filled_by_weights (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  AssayRecord *record = judgment_add (
      ledger, judgment_run ("r", ASSAY_STATUS_OOM_DEVICE, "model_id", "m", "device", "cuda:0", "offload_mode",
                            "none", "quantization", "none", "weight_format", "gguf", "context_length", "8192",
                            "failed_phase", "load", "failed_request", GIB, "elapsed_seconds", "3", NULL));
  g_autoptr(AssayAdvice) advice = assay_advice_for (ledger, record);
  assert_advice (advice, ASSAY_SIGNAL_OOM_DEVICE, "offload_mode offload_mode offload_mode quantization quantization context_length");
  g_assert_cmpstr (find (advice, "offload_mode")->from, ==, "none");
  g_assert_cmpstr (find (advice, "offload_mode")->to, ==, "model");
  g_assert_cmpstr (values_of (advice, "offload_mode"), ==, "model group sequential ");
  g_assert_cmpstr (values_of (advice, "quantization"), ==, "Q8_0 Q4_K ");
  g_assert_cmpstr (find (advice, "context_length")->to, ==, "4096");
  g_assert_cmpstr (advice->words, ==, assay_signal_get_words (ASSAY_SIGNAL_OOM_DEVICE));
  g_assert_true (holds (advice, "model_id") && holds (advice, "evaluation_criterion")
                 && holds (advice, "elapsed_seconds"));
  g_assert_nonnull (strstr (advice->evidence, "load"));
  g_assert_nonnull (strstr (advice->evidence, "1.00 GiB"));
}

static void
test_device_memory_filled_by_input (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  AssayRecord *by_phase
      = judgment_add (ledger, judgment_run ("a", ASSAY_STATUS_OOM_DEVICE, "device", "virtual", "offload_mode",
                                            "group", "quantization", "Q4_1", "context_length", "4096",
                                            "failed_phase", "prompt", NULL));
  AssayRecord *by_bytes = judgment_add (
      ledger, judgment_run ("b", ASSAY_STATUS_OOM_DEVICE, "device", "virtual", "offload_mode", "sequential",
                            "quantization", "Q2_K", "context_length", "4096", "failed_phase", "load",
                            "peak_weights", "10", "peak_kv_cache", "30", NULL));
  AssayRecord *by_forecast = judgment_add (
      ledger, judgment_run ("c", ASSAY_STATUS_OOM_DEVICE, "device", "cpu", "quantization", "Q2_K", "context_length",
                            "4096", "kv_cache_type", "float16", "failed_phase", "load", "peak_weights", "10",
                            "peak_kv_cache", "0", "predicted_weights", "10", "predicted_kv_cache", "30", NULL));
  g_autoptr(AssayAdvice) first = assay_advice_for (ledger, by_phase);
  g_autoptr(AssayAdvice) third = assay_advice_for (ledger, by_forecast);
  g_autoptr(AssayAdvice) second = assay_advice_for (ledger, by_bytes);
  assert_advice (first, ASSAY_SIGNAL_OOM_DEVICE, "context_length offload_mode quantization");
  g_assert_cmpstr (find (first, "offload_mode")->to, ==, "sequential");
  g_assert_cmpstr (values_of (first, "quantization"), ==, "Q4_K "); /* the engine makes none smaller */
  assert_advice (third, ASSAY_SIGNAL_OOM_DEVICE, "context_length kv_cache_type");
  g_assert_nonnull (strstr (find (third, "context_length")->why, "Most of the memory"));
  /* nothing stronger than sequential, nothing smaller that could be made */
  assert_advice (second, ASSAY_SIGNAL_OOM_DEVICE, "context_length");
}

static void
test_no_offload_on_cpu (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  AssayRecord *record
      = judgment_add (ledger, judgment_run ("r", ASSAY_STATUS_OOM_DEVICE, "device", "cpu", "offload_mode",
                                            "none", "quantization", "Q8_0", "context_length", "2048", NULL));
  g_autoptr(AssayAdvice) advice = assay_advice_for (ledger, record);
  assert_advice (advice, ASSAY_SIGNAL_OOM_DEVICE, "quantization quantization context_length");
}

static void
test_completed_over_budget_is_device_memory (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  judgment_criteria (ledger)->vram_budget = 100;
  AssayRecord *record
      = judgment_add (ledger, judgment_run ("r", ASSAY_STATUS_COMPLETED, "device", "cuda:0", "peak_vram",
                                            "101", "offload_mode", "none", NULL));
  g_autoptr(AssayAdvice) advice = assay_advice_for (ledger, record);
  g_assert_cmpint (advice->signal, ==, ASSAY_SIGNAL_OOM_DEVICE);
}

static void
test_host_memory (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  AssayRecord *record = judgment_add (
      ledger, judgment_run ("r", ASSAY_STATUS_OOM_HOST, "model_id", "m", "device", "cuda:0", "offload_mode",
                            "group", "offload_granularity", "4", "quantization", "int8", "weight_format",
                            "safetensors", "question_set", "basic-12", "context_length", "4096", NULL));
  g_autoptr(AssayAdvice) advice = assay_advice_for (ledger, record);
  assert_advice (advice, ASSAY_SIGNAL_OOM_HOST, "quantization offload_granularity offload_mode offload_mode model_id");
  g_assert_cmpstr (find (advice, "quantization")->to, ==, "nf4");
  g_assert_cmpstr (find (advice, "offload_granularity")->to, ==, "2");
  g_assert_cmpstr (values_of (advice, "offload_mode"), ==, "model none ");
  g_assert_null (find (advice, "model_id")->to);
  g_assert_true (holds (advice, "question_set") && holds (advice, "context_length"));
  g_assert_false (holds (advice, "model_id")); /* a candidate changes it */
}

static void
test_completed_over_ram_is_host_memory (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  judgment_criteria (ledger)->max_ram = 100;
  AssayRecord *record = judgment_add (
      ledger, judgment_run ("r", ASSAY_STATUS_COMPLETED, "device", "cpu", "peak_ram", "101", NULL));
  g_autoptr(AssayAdvice) advice = assay_advice_for (ledger, record);
  assert_advice (advice, ASSAY_SIGNAL_OOM_HOST, "quantization model_id");
}

static void
test_too_slow (void)
{
  static const struct
  {
    const char *mode, *granularity, *names, *field, *to;
  } rows[] = {
    { "none", "1", "model_id context_length", NULL, NULL },
    { "sequential", "1", "offload_mode offload_mode offload_mode model_id context_length", "offload_mode", "group" },
    { "group", "4", "offload_granularity offload_mode offload_mode model_id context_length", "offload_granularity",
      "8" },
    { "group", "1024", "offload_mode offload_mode model_id context_length", "offload_mode", "model" },
    { "model", "1", "offload_mode model_id context_length", "offload_mode", "none" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr(AssayLedger) ledger = judgment_ledger ();
      AssayRecord *record
          = judgment_add (ledger, judgment_run ("r", ASSAY_STATUS_TIME_LIMIT, "model_id", "m", "device",
                                                "cuda:0", "offload_mode", rows[i].mode, "offload_granularity",
                                                rows[i].granularity, "context_length", "4096", NULL));
      g_autoptr(AssayAdvice) advice = assay_advice_for (ledger, record);
      assert_advice (advice, ASSAY_SIGNAL_TOO_SLOW, rows[i].names);
      g_assert_cmpstr (advice->words, ==, "It ran into the time limit");
      g_assert_true (holds (advice, "quality_note") && holds (advice, "device"));
      g_assert_false (holds (advice, "context_length"));
      if (rows[i].field != NULL)
        g_assert_cmpstr (find (advice, rows[i].field)->to, ==, rows[i].to);
    }
}

static void
test_slow_by_thresholds (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  AssayRecord *run = judgment_run ("r", ASSAY_STATUS_COMPLETED, "device", "cpu", "elapsed_seconds", "30",
                                   "context_length", "4096", NULL);
  judgment_review (run, "Ana", ASSAY_VERDICT_PASS);
  AssayRecord *record = judgment_add (ledger, run);
  judgment_criteria (ledger)->mean_latency_seconds = 20;
  g_autoptr(AssayAdvice) latency = assay_advice_for (ledger, record);
  assert_advice (latency, ASSAY_SIGNAL_TOO_SLOW, "model_id context_length runtime"); /* correct but slow */
  g_assert_cmpstr (latency->words, ==, "It runs, but too slowly");
  judgment_criteria (ledger)->mean_latency_seconds = -1;
  judgment_criteria (ledger)->time_limit_seconds = 20;
  g_autoptr(AssayAdvice) limit = assay_advice_for (ledger, record);
  g_assert_cmpint (limit->signal, ==, ASSAY_SIGNAL_TOO_SLOW);
}

static void
test_no_full_placement_of_what_cannot_fit (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  AssayRecord *record = judgment_add (
      ledger, judgment_run ("r", ASSAY_STATUS_TIME_LIMIT, "device", "cuda:0", "offload_mode", "model",
                            "model_bytes", "200", "vram_budget", "100", "context_length", "64", NULL));
  g_autoptr(AssayAdvice) advice = assay_advice_for (ledger, record);
  g_assert_null (find (advice, "offload_mode"));
  AssayRecord *streamed = judgment_add (
      ledger, judgment_run ("t", ASSAY_STATUS_TIME_LIMIT, "device", "virtual", "offload_mode", "sequential", "prefetch",
                            "false", "model_bytes", "200", "vram_budget", "100", "context_length", "64", NULL));
  g_autoptr(AssayAdvice) weaker = assay_advice_for (ledger, streamed);
  g_assert_cmpstr (values_of (weaker, "offload_mode"), ==, "group model ");
  g_assert_cmpstr (values_of (weaker, "prefetch"), ==, "true ");
  /* made smaller while loading, or without a limit */
  static const struct { const char *pass, *budget; } rows[] = { { "90", "100" }, { "?no link", "0" } };
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr(AssayRecord) fits
        = judgment_run ("s", ASSAY_STATUS_TIME_LIMIT, "device", "cuda:0", "offload_mode", "model", "model_bytes", "200",
                        "link_pass_bytes", rows[i].pass, "vram_budget", rows[i].budget, "context_length", "64", NULL);
      g_autoptr(AssayAdvice) whole = assay_advice_for (ledger, fits);
      g_assert_cmpstr (values_of (whole, "offload_mode"), ==, "none ");
    }
}

/* "GGGG…" on a card: its arithmetic is the first suspect. On the processor, that nothing is drawn is. */
static void
test_repetition_asks_for_its_cause (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  g_autofree char *letters = g_strnfill (100, 'G');
  static const char *const devices[] = { "cuda:0", "cpu" };
  for (guint i = 0; i < G_N_ELEMENTS (devices); i++)
    {
      AssayRecord *record = judgment_run (devices[i], ASSAY_STATUS_COMPLETED, "model_id", "m", "device", devices[i],
                                          "quantization", "Q4_1", "context_length", "4096", "offload_mode", "none",
                                          "temperature", "0", NULL);
      judgment_output (record, "q1", letters);
      judgment_review (record, "Ana", ASSAY_VERDICT_PASS);
      judgment_add (ledger, record);
      g_autoptr(AssayAdvice) advice = assay_advice_for (ledger, record);
      assert_advice (advice, ASSAY_SIGNAL_NONE,
                     i == 0 ? "device temperature model_id prompt" : "temperature model_id prompt device");
      g_assert_cmpstr (find (advice, "temperature")->to, ==, "0.7");
      g_assert_cmpint (strstr (find (advice, "device")->why, "broke") != NULL, ==, i == 0);
      g_assert_cmpstr (advice->words, ==, "The output is one pattern over and over"); /* a pass says nothing else */
      g_assert_nonnull (strstr (advice->evidence, "repetition"));
      g_assert_cmpstr (find (advice, "device")->to, ==, i == 0 ? "cpu" : NULL);
      g_assert_true (holds (advice, "context_length") && holds (advice, "quantization") && !holds (advice, "device"));
      g_autoptr(GError) error = NULL;
      g_autoptr(AssayNextTrial) next = assay_advice_choose (advice, i == 0 ? 0 : 3, i == 0 ? NULL : "virtual", NULL, &error);
      g_assert_no_error (error);
      g_assert_cmpstr (next->axis, ==, "device");
    }
}

/* What only looks alike: too short, a pattern that is a sentence, one that is a part of a whole answer. */
static void
test_repetition_is_measured (void)
{
  static const struct { const char *pattern; guint times; const char *behind; gboolean suspicious; } cases[] = {
    { "G", 100, "", TRUE },          { "G", 63, "", FALSE },         { "ab ", 40, "\n", TRUE },
    { "0123456789abcdef", 8, "", TRUE }, { "0123456789abcdefg", 40, "", FALSE },
    { "The capital of France is Paris. ", 20, "", FALSE },
    { "-", 80, " and that is the whole of the table that you asked me to draw.", FALSE },
    { "-", 800, " and that is it.", TRUE },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      GString *text = g_string_new (NULL);
      for (guint k = 0; k < cases[i].times; k++)
        g_string_append (text, cases[i].pattern);
      g_string_append (text, cases[i].behind);
      g_autoptr(AssayRecord) record = judgment_run ("r", ASSAY_STATUS_COMPLETED, NULL);
      judgment_output (record, "q1", text->str);
      g_autofree char *note = assay_repetition_dup_note (record);
      g_assert_cmpint (note != NULL, ==, cases[i].suspicious);
      g_string_free (text, TRUE);
    }
}

static void
test_quality_miss (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  AssayRecord *run = judgment_run ("r", ASSAY_STATUS_COMPLETED, "model_id", "m", "device", "cuda:0",
                                   "offload_mode", "model", "question_set", "basic-12", NULL);
  judgment_review (run, "Ana", ASSAY_VERDICT_FAIL);
  g_autoptr(AssayAdvice) advice = assay_advice_for (ledger, judgment_add (ledger, run));
  assert_advice (advice, ASSAY_SIGNAL_QUALITY_MISS, "system_prompt model_id evaluation_criterion");
  g_assert_true (holds (advice, "device") && holds (advice, "offload_mode") && holds (advice, "status"));
  g_assert_false (holds (advice, "system_prompt"));
  g_assert_null (find (advice, "evaluation_criterion")->from); /* this ledger has no criteria */
  g_assert_nonnull (strstr (find (advice, "evaluation_criterion")->why, "change it in the ledger's criteria"));
  g_autoptr(GError) error = NULL;
  g_assert_null (assay_advice_choose (advice, advice->candidates->len - 1, NULL, NULL, &error));
  g_assert_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_RULE);
  g_assert_true (g_str_has_prefix (error->message, "evaluation_criterion is no condition of a run: change it in the "
                                                   "ledger's criteria"));
}

static void
test_a_criterion_is_changed_from_those_there_are (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  g_autoptr(GError) error = NULL;
  g_ptr_array_add (judgment_criteria (ledger)->criteria, assay_criterion_new ("accuracy", ASSAY_CRITERION_SCALE));
  g_ptr_array_add (judgment_criteria (ledger)->criteria, assay_criterion_new ("fluency", ASSAY_CRITERION_SCALE));
  AssayRecord *run = judgment_run ("r", ASSAY_STATUS_COMPLETED, "model_id", "m", NULL);
  judgment_review (run, "Ana", ASSAY_VERDICT_FAIL);
  g_autoptr(AssayAdvice) advice = assay_advice_for (ledger, judgment_add (ledger, run));
  g_assert_cmpstr (find (advice, "evaluation_criterion")->from, ==, "accuracy, fluency");
  g_autoptr(AssayNextTrial) next
      = assay_advice_choose (advice, advice->candidates->len - 1, "accuracy", NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (next->from, ==, "accuracy, fluency");
  assay_ledger_set_next_trial (ledger, "r", next, &error);
  g_assert_no_error (error);
}

static void
test_quality_miss_of_an_image (void)
{
  g_autoptr(AssayLedger) ledger = assay_ledger_new (ASSAY_TASK_IMAGE, "Image");
  AssayRecord *run = judgment_run ("r", ASSAY_STATUS_COMPLETED, "prompt", "a cat", NULL);
  judgment_review (run, "Ana", ASSAY_VERDICT_FAIL);
  g_autoptr(AssayAdvice) advice = assay_advice_for (ledger, judgment_add (ledger, run));
  assert_advice (advice, ASSAY_SIGNAL_QUALITY_MISS, "prompt reference_inputs model_id evaluation_criterion");
  g_assert_cmpstr (find (advice, "prompt")->from, ==, "a cat");
}

static void
test_image_sizes (void)
{
  g_autoptr(AssayLedger) ledger = assay_ledger_new (ASSAY_TASK_IMAGE, "Image");
  AssayRecord *pixels
      = judgment_add (ledger, judgment_run ("a", ASSAY_STATUS_OOM_DEVICE, "width", "1024", "height", "1024",
                                            "batch_size", "1", "failed_phase", "denoise", NULL));
  AssayRecord *batch
      = judgment_add (ledger, judgment_run ("b", ASSAY_STATUS_OOM_DEVICE, "width", "1024", "batch_size", "4",
                                            "failed_phase", "denoise", NULL));
  AssayRecord *slow = judgment_add (ledger, judgment_run ("c", ASSAY_STATUS_TIME_LIMIT, "steps", "30", NULL));
  g_autoptr(AssayAdvice) first = assay_advice_for (ledger, pixels);
  g_autoptr(AssayAdvice) second = assay_advice_for (ledger, batch);
  g_autoptr(AssayAdvice) third = assay_advice_for (ledger, slow);
  g_assert_cmpstr (find (first, "width")->to, ==, "768");
  g_assert_cmpstr (find (second, "batch_size")->to, ==, "2");
  g_assert_cmpstr (find (third, "steps")->to, ==, "15");
}

static void
test_failure_comes_before_slowness_before_quality (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  judgment_criteria (ledger)->vram_budget = 100;
  judgment_criteria (ledger)->time_limit_seconds = 10;
  AssayRecord *run
      = judgment_run ("r", ASSAY_STATUS_COMPLETED, "peak_vram", "200", "elapsed_seconds", "20", NULL);
  judgment_review (run, "Ana", ASSAY_VERDICT_FAIL);
  AssayRecord *record = judgment_add (ledger, run);
  static const AssaySignal order[]
      = { ASSAY_SIGNAL_OOM_DEVICE, ASSAY_SIGNAL_TOO_SLOW, ASSAY_SIGNAL_QUALITY_MISS };
  for (gsize i = 0; i < G_N_ELEMENTS (order); i++)
    {
      g_autoptr(AssayAdvice) advice = assay_advice_for (ledger, record);
      g_assert_cmpint (advice->signal, ==, order[i]);
      if (i == 0)
        judgment_criteria (ledger)->vram_budget = 300;
      else
        judgment_criteria (ledger)->time_limit_seconds = 30;
    }
}

static void
test_other_failures_give_no_axis (void)
{
  static const AssayRunStatus statuses[]
      = { ASSAY_STATUS_LOAD_FAILED, ASSAY_STATUS_FAILED,         ASSAY_STATUS_KILLED,
          ASSAY_STATUS_INVALID,     ASSAY_STATUS_INVALID_OUTPUT, ASSAY_STATUS_CANCELLED,
          ASSAY_STATUS_INTERRUPTED, ASSAY_STATUS_UNKNOWN };
  for (gsize i = 0; i < G_N_ELEMENTS (statuses); i++)
    {
      g_autoptr(AssayLedger) ledger = judgment_ledger ();
      AssayRecord *run = judgment_run ("r", statuses[i], "model_id", "m", NULL);
      if (statuses[i] != ASSAY_STATUS_UNKNOWN)
        judgment_review (run, "Ana", ASSAY_VERDICT_FAIL);
      g_autoptr(AssayAdvice) advice = assay_advice_for (ledger, judgment_add (ledger, run));
      assert_advice (advice, ASSAY_SIGNAL_NONE, "");
      g_assert_false (advice->review_wanted);
      g_assert_cmpstr (advice->words, !=, assay_signal_get_words (ASSAY_SIGNAL_NONE));
      g_assert_null (advice->held[0]);
      g_assert_null (assay_advice_choose (advice, 0, "x", NULL, NULL));
    }
}

static void
test_a_failure_of_its_own_names_its_error (void)
{
  static const struct { AssayRunStatus status; const char *words; } rows[] = {
    { ASSAY_STATUS_LOAD_FAILED, "It did not run, for a reason of its own" },
    { ASSAY_STATUS_INVALID, "It did not run, for a reason of its own" },
    { ASSAY_STATUS_FAILED, "It failed, for a reason of its own" },
  };
  g_autofree char *longer = g_strnfill (5000, 'x');
  g_autofree char *error = g_strconcat ("tensor 3\nlies\x1b outside the file ", longer, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr(AssayLedger) ledger = judgment_ledger ();
      AssayRecord *run = judgment_run ("r", rows[i].status, "error", error, NULL);
      g_autoptr(AssayAdvice) advice = assay_advice_for (ledger, judgment_add (ledger, run));
      g_assert_cmpstr (advice->words, ==, rows[i].words);
      g_assert_nonnull (strstr (advice->evidence, "tensor 3 lies  outside the file x"));
      g_assert_cmpint (strlen (advice->evidence), <, 600);
    }
}

/* Nothing is wrong */

static AssayRecord *
fine_run (const char *device, AssayVerdict verdict)
{
  AssayRecord *run = judgment_run ("r", ASSAY_STATUS_COMPLETED, "model_id", "m", "device", device, "offload_mode",
                                   "none", "quantization", "Q4_1", "compute_dtype", "int8", "context_length", "1024",
                                   "question_set", "basic-12", "seed", "7", NULL);
  if (verdict != ASSAY_VERDICT_NOT_JUDGED)
    judgment_review (run, "Ana", verdict);
  return run;
}

static void
test_a_run_that_fits_is_a_place_to_learn_from (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  AssayRecord *record = judgment_add (ledger, fine_run ("cuda:0", ASSAY_VERDICT_PASS));
  g_autoptr(AssayAdvice) advice = assay_advice_for (ledger, record);
  assert_advice (advice, ASSAY_SIGNAL_NONE,
                 "quantization offload_mode compute_dtype context_length context_length model_id system_prompt");
  g_assert_cmpstr (values_of (advice, "quantization"), ==, "Q4_K ");
  g_assert_cmpstr (find (advice, "offload_mode")->to, ==, "model");
  g_assert_cmpstr (find (advice, "compute_dtype")->to, ==, "float32");
  g_assert_cmpstr (find (advice, "context_length")->to, ==, "512");
  g_assert_null (((AssayCandidate *) advice->candidates->pdata[4])->to); /* beyond the training is refused */
  g_assert_null (find (advice, "model_id")->to);
  g_assert_false (advice->review_wanted);
  g_assert_true (holds (advice, "device") && holds (advice, "seed") && holds (advice, "evaluation_criterion"));
  g_autoptr(AssayNextTrial) next = assay_advice_choose (advice, 1, NULL, NULL, NULL);
  g_assert_true (g_strv_contains ((const char *const *) next->held, "context_length"));
  g_assert_true (g_strv_contains ((const char *const *) next->held, "model_id"));
  g_assert_false (g_strv_contains ((const char *const *) next->held, "offload_mode"));
}

static void
test_learning_on_cpu_moves_no_offload (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  AssayRecord *record = judgment_add (ledger, fine_run ("cpu", ASSAY_VERDICT_PASS));
  g_autoptr(AssayAdvice) advice = assay_advice_for (ledger, record);
  g_assert_null (find (advice, "offload_mode"));
}

static void
test_learning_names_no_value_it_cannot_know (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  AssayRecord *record = judgment_add (ledger, judgment_run ("r", ASSAY_STATUS_COMPLETED, "device", "cpu",
                                                            "quantization", "Q2_K", "context_length", "2147483647",
                                                            "compute_dtype", "float32", NULL));
  g_autoptr(AssayAdvice) advice = assay_advice_for (ledger, record);
  assert_advice (advice, ASSAY_SIGNAL_NONE, "compute_dtype context_length context_length model_id prompt");
  g_assert_cmpstr (find (advice, "compute_dtype")->to, ==, "int8");
}

static void
test_learning_from_an_image (void)
{
  g_autoptr(AssayLedger) ledger = assay_ledger_new (ASSAY_TASK_IMAGE, "Image");
  AssayRecord *record = judgment_add (
      ledger, judgment_run ("r", ASSAY_STATUS_COMPLETED, "device", "cuda:0", "quantization", "nf4", "runtime",
                            "process", "offload_mode", "sequential", "width", "1024", "steps", "30", NULL));
  g_autoptr(AssayAdvice) advice = assay_advice_for (ledger, record);
  assert_advice (advice, ASSAY_SIGNAL_NONE, "width steps model_id prompt");
  g_assert_cmpstr (find (advice, "steps")->to, ==, "15");
}

static void
test_what_nobody_judged_is_reviewed_first (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  AssayRecord *record = judgment_add (ledger, fine_run ("cpu", ASSAY_VERDICT_NOT_JUDGED));
  g_autoptr(AssayAdvice) advice = assay_advice_for (ledger, record);
  g_assert_cmpint (advice->signal, ==, ASSAY_SIGNAL_NONE);
  g_assert_true (advice->review_wanted);
  g_assert_cmpint (advice->candidates->len, >, 0);
}

static void
test_context_keeps_the_longest_question (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  AssayRecord *run = judgment_run ("r", ASSAY_STATUS_OOM_DEVICE, "context_length", "1024", NULL);
  AssayOutput *output = judgment_output (run, "q1", "text");
  output->input_tokens = 700;
  output->output_tokens = 10;
  AssayRecord *tight = judgment_run ("t", ASSAY_STATUS_OOM_DEVICE, "context_length", "64", NULL);
  g_autoptr(AssayAdvice) advice = assay_advice_for (ledger, judgment_add (ledger, run));
  g_autoptr(AssayAdvice) floor = assay_advice_for (ledger, judgment_add (ledger, tight));
  g_assert_cmpstr (find (advice, "context_length")->to, ==, "768");
  g_assert_null (find (floor, "context_length")->to);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ledger/advice/device-memory-filled-by-weights", test_device_memory_filled_by_weights);
  g_test_add_func ("/ledger/advice/device-memory-filled-by-input", test_device_memory_filled_by_input);
  g_test_add_func ("/ledger/advice/no-offload-on-cpu", test_no_offload_on_cpu);
  g_test_add_func ("/ledger/advice/completed-over-budget-is-device-memory",
                   test_completed_over_budget_is_device_memory);
  g_test_add_func ("/ledger/advice/host-memory", test_host_memory);
  g_test_add_func ("/ledger/advice/completed-over-ram-is-host-memory",
                   test_completed_over_ram_is_host_memory);
  g_test_add_func ("/ledger/advice/too-slow", test_too_slow);
  g_test_add_func ("/ledger/advice/slow-by-thresholds", test_slow_by_thresholds);
  g_test_add_func ("/ledger/advice/no-full-placement-of-what-cannot-fit",
                   test_no_full_placement_of_what_cannot_fit);
  g_test_add_func ("/ledger/advice/repetition-moves-only-the-device", test_repetition_asks_for_its_cause);
  g_test_add_func ("/ledger/advice/repetition-is-measured-and-a-sentence-is-none", test_repetition_is_measured);
  g_test_add_func ("/ledger/advice/quality-miss", test_quality_miss);
  g_test_add_func ("/ledger/advice/quality-miss-of-an-image", test_quality_miss_of_an_image);
  g_test_add_func ("/ledger/advice/image-sizes", test_image_sizes);
  g_test_add_func ("/ledger/advice/failure-before-slowness-before-quality",
                   test_failure_comes_before_slowness_before_quality);
  g_test_add_func ("/ledger/advice/other-failures-give-no-axis", test_other_failures_give_no_axis);
  g_test_add_func ("/ledger/advice/a-failure-of-its-own-names-its-error", test_a_failure_of_its_own_names_its_error);
  g_test_add_func ("/ledger/advice/a-criterion-is-changed-from-those-there-are",
                   test_a_criterion_is_changed_from_those_there_are);
  g_test_add_func ("/ledger/advice/a-run-that-fits-is-a-place-to-learn-from",
                   test_a_run_that_fits_is_a_place_to_learn_from);
  g_test_add_func ("/ledger/advice/learning-on-cpu-moves-no-offload", test_learning_on_cpu_moves_no_offload);
  g_test_add_func ("/ledger/advice/learning-names-no-value-it-cannot-know",
                   test_learning_names_no_value_it_cannot_know);
  g_test_add_func ("/ledger/advice/learning-from-an-image", test_learning_from_an_image);
  g_test_add_func ("/ledger/advice/what-nobody-judged-is-reviewed-first",
                   test_what_nobody_judged_is_reviewed_first);
  g_test_add_func ("/ledger/advice/context-keeps-the-longest-question",
                   test_context_keeps_the_longest_question);
  return g_test_run ();
}
