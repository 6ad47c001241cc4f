/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A forecast is held against what a run of the same conditions took, family by family and mode by mode. */
#include <glib/gstdio.h>

#include "assay-forecast.h"
#include "tiny-model.h"
#include "trial-fixture.h"

#define MIB (1024.0 * 1024.0)

/* The conditions that vary; every combination is run. */
static const char *const modes[] = { "none", "model", "group", "sequential" };
static const struct
{
  const char *dtype, *quantization;
} formats[] = {
  { "float32", "none" }, { "float16", "none" }, { "bfloat16", "none" }, { "float32", "Q8_0" },
  { "float16", "Q4_0" }, { "float32", "nf4" },  { "float16", "int8" },
};
static const struct
{
  const char *context, *batch;
} scales[] = { { "48", "1" }, { "96", "3" }, { "40", "2" } };
static const TinyFamily families[] = { TINY_FAMILY_LLAMA, TINY_FAMILY_GEMMA2, TINY_FAMILY_GPT2 };

static char *
family_dup_path (const char *folder, TinyFamily family)
{
  const TinyModel options = { .family = family,
                              .n_layers = 4,
                              .n_embd = 64,
                              .n_heads = 2,
                              .n_kv_heads = 1,
                              .tokenizer = TINY_GPT2,
                              .own_output = family == TINY_FAMILY_LLAMA };
  char *path = g_strdup_printf ("%s/family-%d.gguf", folder, family);
  tiny_model_save (&options, path);
  return path;
}

static AssayValues *
combination_new (const char *path, const char *mode, guint format, guint scale)
{
  const struct
  {
    AssayFieldId field;
    const char *value;
  } set[] = {
    { ASSAY_FIELD_DEVICE, "virtual" },
    { ASSAY_FIELD_OFFLOAD_MODE, mode },
    { ASSAY_FIELD_DTYPE, formats[format].dtype },
    { ASSAY_FIELD_QUANTIZATION, formats[format].quantization },
    { ASSAY_FIELD_CONTEXT_LENGTH, scales[scale].context },
    { ASSAY_FIELD_BATCH_SIZE, scales[scale].batch },
    { ASSAY_FIELD_MAX_TOKENS, "2" },
  };
  AssayValues *conditions = trial_fixture_conditions (path);
  for (guint i = 0; i < G_N_ELEMENTS (set); i++)
    g_assert_true (assay_values_parse (conditions, set[i].field, set[i].value, NULL));
  return conditions;
}

static void
assert_same (AssayRecord *record, AssayFieldId predicted, AssayFieldId measured)
{
  const gint64 foretold = trial_fixture_burden (record, predicted),
               found = trial_fixture_burden (record, measured);
  g_assert_cmpint (foretold, >=, 0);
  g_assert_cmpint (foretold, ==, found);
}

static void
check_record (AssayRecord *record)
{
  static const struct
  {
    AssayFieldId predicted, measured;
  } pairs[] = {
    { ASSAY_FIELD_PREDICTED_PEAK_VRAM, ASSAY_FIELD_PEAK_VRAM },
    { ASSAY_FIELD_PREDICTED_PEAK_RAM, ASSAY_FIELD_PEAK_RAM_ENGINE },
    { ASSAY_FIELD_PREDICTED_WEIGHTS, ASSAY_FIELD_PEAK_WEIGHTS },
    { ASSAY_FIELD_PREDICTED_KV_CACHE, ASSAY_FIELD_PEAK_KV_CACHE },
    { ASSAY_FIELD_PREDICTED_ACTIVATIONS, ASSAY_FIELD_PEAK_ACTIVATIONS },
    { ASSAY_FIELD_PREDICTED_WORKSPACE, ASSAY_FIELD_PEAK_WORKSPACE },
    { ASSAY_FIELD_PREDICTED_OUTPUT, ASSAY_FIELD_PEAK_OUTPUT },
  };
  g_assert_cmpstr (assay_values_get_text (assay_record_get_outcome (record), ASSAY_FIELD_ERROR), ==, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (pairs); i++)
    assert_same (record, pairs[i].predicted, pairs[i].measured);
  const gint64 process = trial_fixture_burden (record, ASSAY_FIELD_PEAK_RAM)
                         - trial_fixture_burden (record, ASSAY_FIELD_RAM_BASELINE);
  const gint64 engine = trial_fixture_burden (record, ASSAY_FIELD_PREDICTED_PEAK_RAM);
  g_assert_cmpfloat (process - engine, <, 32 * MIB); /* tokenizer, threads, the process itself */
  g_assert_cmpint (trial_fixture_burden (record, ASSAY_FIELD_LINK_BYTES), <=,
                   trial_fixture_burden (record, ASSAY_FIELD_PREDICTED_LINK_BYTES));
}

static guint
check_family (const char *path)
{
  guint n = 0;
  for (guint mode = 0; mode < G_N_ELEMENTS (modes); mode++)
    for (guint format = 0; format < G_N_ELEMENTS (formats); format++)
      for (guint scale = 0; scale < G_N_ELEMENTS (scales); scale++, n++)
        {
          AssayValues *conditions = combination_new (path, modes[mode], format, scale);
          g_autoptr (GPtrArray) questions
              = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_question_free);
          for (guint i = 0; i < 3; i++)
            {
              g_autofree char *id = g_strdup_printf ("q%u", i);
              g_ptr_array_add (questions,
                               assay_question_new (id, "weigh the metal, then judge how fine it is"));
            }
          assay_values_unset (conditions, ASSAY_FIELD_PROMPT);
          TrialWatch *watch = trial_watch_new (conditions, questions, NULL);
          trial_watch_run (watch);
          check_record (watch->record);
          trial_watch_free (watch);
        }
  return n;
}

static void
test_peaks_are_those_of_the_run (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("assay-forecast-XXXXXX", &error);
  guint n = 0;
  for (guint i = 0; i < G_N_ELEMENTS (families); i++)
    {
      g_autofree char *path = family_dup_path (folder, families[i]);
      n += check_family (path);
      g_unlink (path);
    }
  g_rmdir (folder);
  g_test_message ("%u combinations", n);
  g_assert_cmpuint (n, >=, 200);
}

/* --- shapes of large models, of which only the metadata is there --- */

typedef struct
{
  AssayFieldId field;
  const char *value;
} Condition;

/* 32 layers, 8 KV heads of 128. (transfer full) */
static AssayInspection *
large_new (char **path)
{
  const TinyModel shape = { .n_layers = 32,
                            .n_embd = 4096,
                            .n_ff = 14336,
                            .n_heads = 32,
                            .n_kv_heads = 8,
                            .context_length = 131072,
                            .matrices = ASSAY_DTYPE_Q4_K,
                            .embedding = ASSAY_DTYPE_Q4_K,
                            .tokenizer = TINY_GPT2,
                            .own_output = TRUE,
                            .sparse = TRUE };
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("assay-forecast-XXXXXX", &error);
  *path = g_build_filename (folder, "large.gguf", NULL);
  tiny_model_save (&shape, *path);
  AssayInspection *inspection = assay_inspect (*path, FALSE, NULL, &error);
  g_assert_no_error (error);
  return inspection;
}

static void
large_free (AssayInspection *inspection, char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);
  assay_inspection_free (inspection);
  g_unlink (path);
  g_rmdir (folder);
  g_free (path);
}

static AssayForecast *
large_foretell (const AssayInspection *inspection, const char *path, const Condition *set, guint n)
{
  g_autoptr (AssayValues) conditions = assay_values_new ();
  g_autoptr (GError) error = NULL;
  assay_values_set_text (conditions, ASSAY_FIELD_MODEL_PATH, path);
  assay_values_set_text (conditions, ASSAY_FIELD_PROMPT, "weigh");
  for (guint i = 0; i < n && set[i].value != NULL; i++)
    g_assert_true (assay_values_parse (conditions, set[i].field, set[i].value, NULL));
  AssayForecast *forecast = assay_forecast_new (conditions, inspection, NULL, &error);
  g_assert_no_error (error);
  return forecast;
}

static void
test_c79_a_cache_is_told_to_the_byte (void)
{
  static const struct
  {
    const char *context, *type;
    guint64 bytes;
  } cases[] = {
    { "8192", "float16", 1073741824 },
    { "8192", "q8_0", 570425344 },
    { "131072", "float16", 17179869184 },
  };
  char *path;
  AssayInspection *inspection = large_new (&path);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const Condition set[] = { { ASSAY_FIELD_CONTEXT_LENGTH, cases[i].context },
                                { ASSAY_FIELD_KV_CACHE_TYPE, cases[i].type } };
      g_autoptr (AssayForecast) forecast = large_foretell (inspection, path, set, G_N_ELEMENTS (set));
      g_assert_cmpuint (forecast->host[ASSAY_MEMORY_KV_CACHE], ==, cases[i].bytes);
    }
  large_free (inspection, path);
}

/* Elements of a layer's matrices, and of its norms. */
#define LAYER_MATRICES (4096ull * (4096 + 1024 + 1024 + 4096) + 3ull * 4096 * 14336)
#define LAYER_NORMS (2ull * 4096)

static void
test_c08_int8_that_waits_on_the_cpu_is_float32 (void)
{
  const Condition set[] = {
    { ASSAY_FIELD_DEVICE, "virtual" },
    { ASSAY_FIELD_DEVICE_MAP, "embedding=device, decoder.0-15=device, decoder.16-31=cpu, head=device" },
    { ASSAY_FIELD_QUANTIZATION, "int8" },
    { ASSAY_FIELD_QUANTIZATION_METHOD, "bitsandbytes-fp32-cpu" },
    { ASSAY_FIELD_CONTEXT_LENGTH, "512" },
  };
  char *path;
  AssayInspection *inspection = large_new (&path);
  g_autoptr (AssayForecast) as_transformers = large_foretell (inspection, path, set, G_N_ELEMENTS (set));
  const guint64 share = 16 * LAYER_MATRICES; /* norms wait in the mapped file, as they are */
  g_assert_cmpuint (as_transformers->host[ASSAY_MEMORY_WEIGHTS], >=, 4 * share);
  g_assert_cmpuint (as_transformers->host[ASSAY_MEMORY_WEIGHTS], <, 4 * share + share / 100);
  g_assert_cmpuint (as_transformers->pass_bytes, >=, 4 * share);

  Condition plain[G_N_ELEMENTS (set)];
  memcpy (plain, set, sizeof set);
  plain[3].value = "bitsandbytes";
  g_autoptr (AssayForecast) int8 = large_foretell (inspection, path, plain, G_N_ELEMENTS (plain));
  g_assert_cmpuint (int8->host[ASSAY_MEMORY_WEIGHTS], <, share + share / 50);
  large_free (inspection, path);
}

static void
test_c09_half_precision_on_the_cpu_bounds_the_time (void)
{
  const Condition set[] = {
    { ASSAY_FIELD_DEVICE, "virtual" },
    { ASSAY_FIELD_DEVICE_MAP, "embedding=device, decoder.0-15=device, decoder.16-31=cpu, head=device" },
    { ASSAY_FIELD_QUANTIZATION, "none" },
    { ASSAY_FIELD_DTYPE, "float16" },
    { ASSAY_FIELD_CONTEXT_LENGTH, "512" },
    { ASSAY_FIELD_LINK_BANDWIDTH, "10000000000" },
  };
  char *path;
  AssayInspection *inspection = large_new (&path);
  g_autoptr (AssayForecast) forecast = large_foretell (inspection, path, set, G_N_ELEMENTS (set));
  const guint64 share = 16 * (2 * LAYER_MATRICES + 4 * LAYER_NORMS); /* norms stay float32 */
  g_assert_cmpuint (forecast->pass_bytes, ==, share);
  g_assert_cmpfloat (forecast->pass_seconds, ==, (double) share / 1e10);
  g_autofree char *words = assay_forecast_dup_words (forecast);
  g_assert_nonnull (strstr (words, "over the link in each pass: at least"));
  large_free (inspection, path);
}

/* Each copy waits for it, and a layer is one at least. */
static void
test_latency_bounds_the_time (void)
{
  const Condition set[] = {
    { ASSAY_FIELD_DEVICE, "virtual" },
    { ASSAY_FIELD_OFFLOAD_MODE, "group" },
    { ASSAY_FIELD_CONTEXT_LENGTH, "512" },
    { ASSAY_FIELD_LINK_LATENCY_SECONDS, "0.5" },
    { ASSAY_FIELD_LINK_BANDWIDTH, NULL },
  };
  char *path;
  AssayInspection *inspection = large_new (&path);
  g_autoptr (AssayForecast) alone = large_foretell (inspection, path, set, G_N_ELEMENTS (set));
  Condition both[G_N_ELEMENTS (set)];
  memcpy (both, set, sizeof set);
  both[4].value = "10000000000";
  g_autoptr (AssayForecast) with_speed = large_foretell (inspection, path, both, G_N_ELEMENTS (both));
  g_assert_cmpfloat (alone->pass_seconds, >=, 32 * 0.5);
  g_assert_cmpfloat (alone->seconds, >=, alone->pass_seconds);
  g_assert_cmpfloat (alone->longest_seconds, >, alone->seconds);
  g_assert_cmpfloat_with_epsilon (with_speed->pass_seconds, alone->pass_seconds + alone->pass_bytes / 1e10, 1e-6);
  g_assert_cmpfloat_with_epsilon (with_speed->longest_seconds,
                                  alone->longest_seconds + alone->link_bytes / 1e10, 1e-6);
  large_free (inspection, path);
}

static void
test_c15_scratch_counts_at_full_context (void)
{
  const Condition set[] = { { ASSAY_FIELD_DEVICE, "virtual" },
                            { ASSAY_FIELD_CONTEXT_LENGTH, "128000" },
                            { ASSAY_FIELD_VRAM_BUDGET, "8589934592" } };
  char *path;
  AssayInspection *inspection = large_new (&path);
  g_autoptr (AssayForecast) forecast = large_foretell (inspection, path, set, G_N_ELEMENTS (set));
  g_assert_cmpuint (forecast->device[ASSAY_MEMORY_KV_CACHE], ==, 128000ull * 131072);
  g_assert_cmpuint (forecast->device[ASSAY_MEMORY_WORKSPACE], >, 0);
  g_assert_cmpuint (forecast->over_device, ==, forecast->peak_device - (8ull << 30));
  g_assert_cmpstr (forecast->first_refused, ==, "load");
  g_autofree char *words = assay_forecast_dup_words (forecast);
  g_assert_true (g_str_has_prefix (words, "Does not fit by"));
  large_free (inspection, path);
}

static void
test_a_broken_rule_is_no_forecast (void)
{
  const Condition set[] = { { ASSAY_FIELD_DEVICE, "virtual" },
                            { ASSAY_FIELD_OFFLOAD_MODE, "model" },
                            { ASSAY_FIELD_PIPELINE_MOVED_TO_CUDA, "true" },
                            { ASSAY_FIELD_PROMPT, "weigh" } };
  char *path;
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayValues) conditions = assay_values_new ();
  AssayInspection *inspection = large_new (&path);
  assay_values_set_text (conditions, ASSAY_FIELD_MODEL_PATH, path);
  for (guint i = 0; i < G_N_ELEMENTS (set); i++)
    assay_values_parse (conditions, set[i].field, set[i].value, NULL);
  g_autoptr (AssayForecast) forecast = assay_forecast_new (conditions, inspection, NULL, &error);
  g_assert_null (forecast);
  g_assert_cmpstr (assay_engine_error_get_reason (error), ==, "moved-before-offload");
  large_free (inspection, path);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/forecast/peaks-are-those-of-the-run", test_peaks_are_those_of_the_run);
  g_test_add_func ("/engine/forecast/C79-a-cache-is-told-to-the-byte", test_c79_a_cache_is_told_to_the_byte);
  g_test_add_func ("/engine/forecast/C08-int8-that-waits-on-the-cpu-is-float32",
                   test_c08_int8_that_waits_on_the_cpu_is_float32);
  g_test_add_func ("/engine/forecast/C09-half-precision-on-the-cpu-bounds-the-time",
                   test_c09_half_precision_on_the_cpu_bounds_the_time);
  g_test_add_func ("/engine/forecast/latency-bounds-the-time", test_latency_bounds_the_time);
  g_test_add_func ("/engine/forecast/C15-scratch-counts-at-full-context",
                   test_c15_scratch_counts_at_full_context);
  g_test_add_func ("/engine/forecast/a-broken-rule-is-no-forecast", test_a_broken_rule_is_no_forecast);
  return g_test_run ();
}
