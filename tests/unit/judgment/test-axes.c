/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Differences as axes: what counts, what follows, what cannot matter. */
#include "assay-axes.h"
#include "judgment.h"

static const AssayDifference *
find (GPtrArray *differences, AssayAxis axis)
{
  for (guint i = 0; i < differences->len; i++)
    if (((const AssayDifference *) differences->pdata[i])->axis == axis)
      return differences->pdata[i];
  return NULL;
}

/* Counts, and checks that the quick question agrees. */
static guint
count (AssayRecord *a, AssayRecord *b)
{
  g_autoptr(GPtrArray) differences = assay_axes_diff (a, b);
  const guint n = assay_axes_count (differences);
  g_assert_cmpint (assay_axes_is_repeat (a, b), ==, n == 0);
  g_assert_cmpint (assay_axes_is_repeat (b, a), ==, n == 0);
  return n;
}

#define RUN(...) judgment_run ("r", ASSAY_STATUS_COMPLETED, __VA_ARGS__, NULL)

static void
test_equal_runs_have_no_axis (void)
{
  g_autoptr(AssayRecord) a
      = RUN ("model_id", "m", "dtype", "float32", "temperature", "0.5", "peak_vram", "1");
  g_autoptr(AssayRecord) b
      = RUN ("model_id", "m", "dtype", "float32", "temperature", "0.5", "peak_vram", "2");
  g_assert_cmpuint (count (a, b), ==, 0);
}

static void
test_model_path_is_no_axis (void)
{
  g_autoptr(AssayRecord) a = RUN ("model_path", "/a/m.gguf", "repeats", "1", "sample_interval_ms", "20");
  g_autoptr(AssayRecord) b = RUN ("model_path", "/b/m.gguf", "repeats", "3", "sample_interval_ms", "50");
  g_autoptr(GPtrArray) differences = assay_axes_diff (a, b);
  g_assert_cmpuint (differences->len, ==, 0);
}

static void
test_effective_value_decides (void)
{
  g_autoptr(AssayRecord) a = RUN ("context_length", "8192", "effective.context_length", "4096");
  g_autoptr(AssayRecord) b = RUN ("context_length", "4096");
  g_autoptr(AssayRecord) c = RUN ("context_length", "8192");
  g_assert_cmpuint (count (a, b), ==, 0);
  g_assert_cmpuint (count (a, c), ==, 1);
}

static void
test_unset_on_one_side_differs (void)
{
  g_autoptr(AssayRecord) a = RUN ("top_k", "0");
  g_autoptr(AssayRecord) b = RUN ("model_path", "x");
  g_autoptr(AssayRecord) c = RUN ("driver", "?none");
  g_autoptr(AssayRecord) d = RUN ("driver", "580");
  g_assert_cmpuint (count (a, b), ==, 1);
  g_assert_cmpuint (count (b, c), ==, 0); /* neither is known */
  g_assert_cmpuint (count (c, d), ==, 1);
  g_autoptr(GPtrArray) differences = assay_axes_diff (a, b);
  const AssayDifference *difference = find (differences, ASSAY_AXIS_SAMPLING);
  g_assert_cmpstr (difference->from, ==, "0");
  g_assert_null (difference->to);
}

static void
test_quantization_is_one_axis_with_its_followers (void)
{
  g_autoptr(AssayRecord) a
      = RUN ("model_id", "m", "quantization", "Q8_0", "quantization_method", "gguf", "quantized_modules",
             "all", "weight_format", "gguf", "model_content_hash", "x", "model_metadata_sha256", "u",
             "matmul_kernel", "avx512 q8_0", "device", "cpu");
  g_autoptr(AssayRecord) b
      = RUN ("model_id", "m", "quantization", "Q4_1", "quantization_method", "gguf", "quantized_modules",
             "linear", "weight_format", "gguf, 2 files", "model_content_hash", "y", "model_metadata_sha256",
             "v", "matmul_kernel", "avx512 q4_1", "device", "cpu");
  g_autoptr(GPtrArray) differences = assay_axes_diff (a, b);
  g_assert_cmpuint (assay_axes_count (differences), ==, 1);
  g_assert_false (find (differences, ASSAY_AXIS_QUANTIZATION)->implied);
  g_assert_true (find (differences, ASSAY_AXIS_MODEL_CONTENT)->implied);
  g_assert_true (find (differences, ASSAY_AXIS_WEIGHT_FORMAT)->implied);
  g_assert_true (find (differences, ASSAY_AXIS_KERNEL)->implied);
  g_autofree char *text = assay_axes_describe (differences);
  g_assert_cmpstr (text, ==, "quantization: Q8_0 → Q4_1");
}

static void
test_dtype_is_not_quantization (void)
{
  g_autoptr(AssayRecord) a = RUN ("quantization", "none", "dtype", "bfloat16");
  g_autoptr(AssayRecord) b = RUN ("quantization", "Q4_1", "dtype", "float32");
  g_assert_cmpuint (count (a, b), ==, 2);
}

static void
test_same_name_other_content_counts (void)
{
  g_autoptr(AssayRecord) a = RUN ("model_id", "m", "model_content_hash", "x");
  g_autoptr(AssayRecord) b = RUN ("model_id", "m", "model_content_hash", "y");
  g_assert_cmpuint (count (a, b), ==, 1);
}

static void
test_dtype_brings_content_of_unquantized_only (void)
{
  g_autoptr(AssayRecord) a = RUN ("dtype", "float16", "quantization", "none", "model_content_hash", "x");
  g_autoptr(AssayRecord) b = RUN ("dtype", "bfloat16", "quantization", "none", "model_content_hash", "y");
  g_autoptr(AssayRecord) c = RUN ("dtype", "float16", "quantization", "Q4_1", "model_content_hash", "x");
  g_autoptr(AssayRecord) d = RUN ("dtype", "bfloat16", "quantization", "Q4_1", "model_content_hash", "y");
  g_assert_cmpuint (count (a, b), ==, 1);
  g_assert_cmpuint (count (c, d), ==, 2);
}

static void
test_generator_device_is_never_implied (void)
{
  g_autoptr(AssayRecord) a = RUN ("offload_mode", "none", "generator_device", "cuda", "device", "cuda:0");
  g_autoptr(AssayRecord) b = RUN ("offload_mode", "model", "generator_device", "cpu", "device", "cuda:0");
  g_assert_cmpuint (count (a, b), ==, 2);
}

static void
test_kernel_alone_counts (void)
{
  g_autoptr(AssayRecord) a = RUN ("offload_mode", "none", "attention_kernel", "flash");
  g_autoptr(AssayRecord) b = RUN ("offload_mode", "none", "attention_kernel", "math");
  g_autoptr(AssayRecord) c = RUN ("offload_mode", "model", "attention_kernel", "math");
  g_assert_cmpuint (count (a, b), ==, 1);
  g_assert_cmpuint (count (a, c), ==, 2); /* offload chooses no kernel */
}

static void
test_device_brings_driver_name_and_kernel (void)
{
  g_autoptr(AssayRecord) a
      = RUN ("device", "cpu", "device_name", "Xeon", "driver", "?none", "matmul_kernel", "avx2");
  g_autoptr(AssayRecord) b
      = RUN ("device", "cuda:0", "device_name", "H200", "driver", "580", "matmul_kernel", "cublas");
  g_assert_cmpuint (count (a, b), ==, 1);
}

static void
test_seed_matters_only_where_something_is_drawn (void)
{
  g_autoptr(AssayRecord) greedy_a = RUN ("temperature", "0", "seed", "1", "top_k", "40");
  g_autoptr(AssayRecord) greedy_b = RUN ("temperature", "0", "seed", "2", "top_k", "10");
  g_autoptr(AssayRecord) drawn_a = RUN ("temperature", "0.7", "seed", "1");
  g_autoptr(AssayRecord) drawn_b = RUN ("temperature", "0.7", "seed", "2");
  g_autoptr(AssayRecord) image_a = RUN ("seed", "1");
  g_autoptr(AssayRecord) image_b = RUN ("seed", "2");
  g_assert_cmpuint (count (greedy_a, greedy_b), ==, 0);
  g_assert_cmpuint (count (drawn_a, drawn_b), ==, 1);
  g_assert_cmpuint (count (image_a, image_b), ==, 1);
}

static void
test_longest_answer_counts_when_greedy (void)
{
  g_autoptr(AssayRecord) a = RUN ("temperature", "0", "max_tokens", "16");
  g_autoptr(AssayRecord) b = RUN ("temperature", "0", "max_tokens", "64");
  g_assert_cmpuint (count (a, b), ==, 1);
}

static void
test_time_limit_matters_where_it_ended_a_run (void)
{
  g_autoptr(AssayRecord) a = RUN ("time_limit_seconds", "10");
  g_autoptr(AssayRecord) b = RUN ("time_limit_seconds", "20");
  g_autoptr(AssayRecord) c = judgment_run ("c", ASSAY_STATUS_TIME_LIMIT, "time_limit_seconds", "5", NULL);
  g_assert_cmpuint (count (a, b), ==, 0);
  g_assert_cmpuint (count (a, c), ==, 1);
}

static void
test_granularity_belongs_to_group_offload (void)
{
  g_autoptr(AssayRecord) none = RUN ("offload_mode", "none", "offload_granularity", "1");
  g_autoptr(AssayRecord) none4 = RUN ("offload_mode", "none", "offload_granularity", "4");
  g_autoptr(AssayRecord) group1 = RUN ("offload_mode", "group", "offload_granularity", "1");
  g_autoptr(AssayRecord) group4 = RUN ("offload_mode", "group", "offload_granularity", "4");
  g_assert_cmpuint (count (none, none4), ==, 0);
  g_assert_cmpuint (count (none, group4), ==, 1);
  g_assert_cmpuint (count (group1, group4), ==, 1);
}

static void
test_another_file_brings_content_and_the_same_file_does_not (void)
{
  static const struct { const char *path, *quantization, *dtype, *compute; guint n; } rows[] = {
    { "/m/q8.gguf", "Q4_K", "float32", "int8", 1 },   /* another file holds other bytes */
    { "/m/f16.gguf", "Q4_K", "float32", "int8", 2 },  /* converted while loading: the file should be the same */
    { "/m/bf16.gguf", "none", "bfloat16", "int8", 1 },
    { "/m/f16.gguf", "none", "bfloat16", "int8", 2 },
    { "/m/other.gguf", "none", "float32", "float32", 2 }, /* how products are computed says nothing of the file */
  };
  g_autoptr(AssayRecord) a = RUN ("model_id", "m", "model_path", "/m/f16.gguf", "quantization", "none", "dtype",
                                  "float32", "compute_dtype", "int8", "model_content_hash", "x");
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr(AssayRecord) b
        = RUN ("model_id", "m", "model_path", rows[i].path, "quantization", rows[i].quantization, "dtype",
               rows[i].dtype, "compute_dtype", rows[i].compute, "model_content_hash", "y");
      g_assert_cmpuint (count (a, b), ==, rows[i].n);
    }
  g_autoptr(AssayRecord) converted = RUN ("model_id", "m", "model_path", "/m/f16.gguf", "quantization", "Q4_K", "dtype",
                                          "float32", "compute_dtype", "int8", "model_content_hash", "x");
  g_assert_cmpuint (count (a, converted), ==, 1);
}

static void
test_prefetch_is_an_axis_where_something_is_copied (void)
{
  g_autoptr(AssayRecord) none = RUN ("offload_mode", "none", "prefetch", "false");
  g_autoptr(AssayRecord) none_on = RUN ("offload_mode", "none", "prefetch", "true");
  g_autoptr(AssayRecord) none_old = RUN ("offload_mode", "none");
  g_autoptr(AssayRecord) group = RUN ("offload_mode", "group", "prefetch", "false");
  g_autoptr(AssayRecord) group_on = RUN ("offload_mode", "group", "prefetch", "true");
  g_autoptr(AssayRecord) mapped = RUN ("offload_mode", "none", "prefetch", "false", "device_map", "head=cpu");
  g_autoptr(AssayRecord) mapped_on = RUN ("offload_mode", "none", "prefetch", "true", "device_map", "head=cpu");
  g_assert_cmpuint (count (none, none_on), ==, 0);
  g_assert_cmpuint (count (none_old, none_on), ==, 0);
  g_assert_cmpuint (count (group, group_on), ==, 1);
  g_assert_cmpuint (count (none, group_on), ==, 1); /* chosen anew with the mode */
  g_assert_cmpuint (count (mapped, mapped_on), ==, 1);
}

static void
test_types_of_keys_and_values_are_two_axes (void)
{
  g_autoptr(AssayRecord) f16 = RUN ("kv_cache_type", "float16");
  g_autoptr(AssayRecord) both_f16 = RUN ("kv_cache_type", "float16", "v_cache_type", "float16");
  g_autoptr(AssayRecord) q8 = RUN ("kv_cache_type", "q8_0");
  g_autoptr(AssayRecord) both_q8 = RUN ("kv_cache_type", "q8_0", "effective.v_cache_type", "q8_0");
  g_autoptr(AssayRecord) only_k = RUN ("kv_cache_type", "q8_0", "v_cache_type", "float16");
  g_autoptr(AssayRecord) only_v = RUN ("kv_cache_type", "float16", "v_cache_type", "q8_0");
  g_assert_cmpuint (count (f16, both_f16), ==, 0); /* empty follows the keys */
  g_assert_cmpuint (count (q8, both_q8), ==, 0);
  g_assert_cmpuint (count (f16, q8), ==, 1);
  g_assert_cmpuint (count (f16, both_q8), ==, 1);
  g_assert_cmpuint (count (f16, only_k), ==, 1);
  g_assert_cmpuint (count (f16, only_v), ==, 1);
  g_assert_cmpuint (count (only_k, only_v), ==, 2);
  g_autoptr(GPtrArray) differences = assay_axes_diff (f16, only_v);
  const AssayDifference *difference = find (differences, ASSAY_AXIS_V_CACHE_TYPE);
  g_assert_cmpstr (difference->from, ==, "float16"); /* what the values had, though nobody named it */
  g_assert_cmpstr (difference->to, ==, "q8_0");
}

static void
test_weight_access_counts_unless_it_could_not_be_had (void)
{
  g_autoptr(AssayRecord) mapped = RUN ("quantization", "Q8_0", "weight_access", "mapped");
  g_autoptr(AssayRecord) read = RUN ("quantization", "Q8_0", "weight_access", "read");
  g_autoptr(AssayRecord) fell_back = RUN ("quantization", "Q4_K", "weight_access", "mapped", "effective.weight_access", "read");
  g_autoptr(AssayRecord) asked = RUN ("quantization", "Q4_K", "weight_access", "read");
  g_assert_cmpuint (count (mapped, read), ==, 1);
  g_assert_cmpuint (count (mapped, fell_back), ==, 1);
  g_assert_cmpuint (count (mapped, asked), ==, 2);
}

static void
test_offload_calls_belong_to_the_mode (void)
{
  g_autoptr(AssayRecord) a = RUN ("offload_mode", "group", "offload_api", "enable_group_offload");
  g_autoptr(AssayRecord) b = RUN ("offload_mode", "sequential", "offload_api", "enable_sequential_cpu_offload",
                                  "pipeline_moved_to_cuda", "true");
  g_autoptr(AssayRecord) attached = RUN ("offload_mode", "group", "offload_api", "attach, enable_group_offload",
                                         "attached_components", "lora.gguf");
  g_autoptr(AssayRecord) twice = RUN ("offload_mode", "group", "offload_api", "enable_group_offload, to_device");
  g_autoptr(AssayRecord) moved = RUN ("offload_mode", "group", "offload_api", "attach, enable_group_offload",
                                      "attached_components", "lora.gguf", "pipeline_moved_to_cuda", "true");
  g_assert_cmpuint (count (a, b), ==, 1);
  g_assert_cmpuint (count (a, attached), ==, 1); /* the call `attach` comes with the component */
  g_assert_cmpuint (count (a, twice), ==, 1);
  g_assert_cmpuint (count (a, moved), ==, 2);
}

static void
test_the_link_is_the_devices (void)
{
  g_autoptr(AssayRecord) a = RUN ("device", "virtual", "link_bandwidth", "1000", "link_latency_seconds", "0.1");
  g_autoptr(AssayRecord) b = RUN ("device", "virtual", "link_bandwidth", "2000", "link_latency_seconds", "0.2");
  g_autoptr(GPtrArray) differences = assay_axes_diff (a, b);
  g_assert_cmpuint (count (a, b), ==, 1);
  g_assert_nonnull (find (differences, ASSAY_AXIS_DEVICE));
}

static void
test_visible_come_first_and_form_has_no_hidden (void)
{
  g_autoptr(AssayRecord) a = RUN ("driver", "1", "seed", "1", "model_id", "m", "runtime_version", "1");
  g_autoptr(AssayRecord) b = RUN ("driver", "2", "seed", "2", "model_id", "n", "runtime_version", "2");
  g_autoptr(GPtrArray) differences = assay_axes_diff (a, b);
  gboolean hidden = FALSE;
  g_assert_cmpuint (differences->len, ==, 4);
  for (guint i = 0; i < differences->len; i++)
    {
      const gboolean now = assay_axis_is_hidden (((const AssayDifference *) differences->pdata[i])->axis);
      g_assert_false (hidden && !now);
      hidden = now;
    }
  g_autoptr(GPtrArray) form
      = assay_axes_diff_conditions (assay_record_get_conditions (a), assay_record_get_conditions (b));
  g_assert_cmpuint (form->len, ==, 2);
}

static void
test_description_cuts_long_text (void)
{
  g_autoptr(AssayRecord) a = RUN (
      "prompt", "한국어로 아주 길게 쓴 질문입니다. 줄도 바꾸고\n더 씁니다. 그래도 한 줄로 보입니다. 끝.",
      "seed", "1");
  g_autoptr(AssayRecord) b = RUN ("seed", "2");
  g_autoptr(GPtrArray) differences = assay_axes_diff (a, b);
  g_autofree char *text = assay_axes_describe (differences);
  g_assert_true (g_utf8_validate (text, -1, NULL));
  g_assert_null (strchr (text, '\n'));
  g_assert_nonnull (strstr (text, "… → not set, seed: 1 → 2"));
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ledger/axes/equal-runs-have-no-axis", test_equal_runs_have_no_axis);
  g_test_add_func ("/ledger/axes/model-path-is-no-axis", test_model_path_is_no_axis);
  g_test_add_func ("/ledger/axes/effective-value-decides", test_effective_value_decides);
  g_test_add_func ("/ledger/axes/unset-on-one-side-differs", test_unset_on_one_side_differs);
  g_test_add_func ("/ledger/axes/quantization-is-one-axis-with-its-followers",
                   test_quantization_is_one_axis_with_its_followers);
  g_test_add_func ("/ledger/axes/dtype-is-not-quantization", test_dtype_is_not_quantization);
  g_test_add_func ("/ledger/axes/same-name-other-content-counts", test_same_name_other_content_counts);
  g_test_add_func ("/ledger/axes/dtype-brings-content-of-unquantized-only",
                   test_dtype_brings_content_of_unquantized_only);
  g_test_add_func ("/ledger/axes/generator-device-is-never-implied", test_generator_device_is_never_implied);
  g_test_add_func ("/ledger/axes/kernel-alone-counts", test_kernel_alone_counts);
  g_test_add_func ("/ledger/axes/device-brings-driver-name-and-kernel",
                   test_device_brings_driver_name_and_kernel);
  g_test_add_func ("/ledger/axes/seed-matters-only-where-something-is-drawn",
                   test_seed_matters_only_where_something_is_drawn);
  g_test_add_func ("/ledger/axes/longest-answer-counts-when-greedy", test_longest_answer_counts_when_greedy);
  g_test_add_func ("/ledger/axes/time-limit-matters-where-it-ended-a-run",
                   test_time_limit_matters_where_it_ended_a_run);
  g_test_add_func ("/ledger/axes/granularity-belongs-to-group-offload",
                   test_granularity_belongs_to_group_offload);
  g_test_add_func ("/ledger/axes/another-file-brings-content-and-the-same-file-does-not",
                   test_another_file_brings_content_and_the_same_file_does_not);
  g_test_add_func ("/ledger/axes/prefetch-is-an-axis-where-something-is-copied",
                   test_prefetch_is_an_axis_where_something_is_copied);
  g_test_add_func ("/ledger/axes/C51-types-of-keys-and-values-are-two-axes",
                   test_types_of_keys_and_values_are_two_axes);
  g_test_add_func ("/ledger/axes/weight-access-counts-unless-it-could-not-be-had",
                   test_weight_access_counts_unless_it_could_not_be_had);
  g_test_add_func ("/ledger/axes/offload-calls-belong-to-the-mode", test_offload_calls_belong_to_the_mode);
  g_test_add_func ("/ledger/axes/the-link-is-the-devices", test_the_link_is_the_devices);
  g_test_add_func ("/ledger/axes/visible-come-first", test_visible_come_first_and_form_has_no_hidden);
  g_test_add_func ("/ledger/axes/description-cuts-long-text", test_description_cuts_long_text);
  return g_test_run ();
}
