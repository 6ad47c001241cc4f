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
  g_test_add_func ("/ledger/axes/visible-come-first", test_visible_come_first_and_form_has_no_hidden);
  g_test_add_func ("/ledger/axes/description-cuts-long-text", test_description_cuts_long_text);
  return g_test_run ();
}
