/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/test-device-weights.c: every weight format and cache format on the emulated device. What is
 * read or made is the CPU's, bit for bit. */
#include <math.h>
#include <string.h>

#include "device-test.h"

/* Odd shapes, of whole blocks. */
static AssayTensor
weight_new (AssayDtype dtype, gsize most_blocks, gsize most_rows)
{
  const gsize elements = assay_dtype_info (dtype)->block_elements;
  const gsize blocks = elements == 1 ? dt_size (most_blocks * 64) + 1 : dt_size (most_blocks) + 1;
  return dt_weight (dtype, blocks * elements, dt_size (most_rows) + 1);
}

/* --- reading --- */

static void
check_dequantize (DtPair *pair, const AssayTensor *w, const AssayTensor *there)
{
  AssayBackend *cpu = pair->cpu, *b = pair->device;
  const gsize n = (gsize) w->shape[0], rows = (gsize) w->shape[1];
  const gsize first = (gsize) g_test_rand_int_range (0, (gint) rows + 1);
  const gsize count = (gsize) g_test_rand_int_range (0, (gint) (rows - first) + 1);
  g_autofree float *y = g_new (float, count *n + 1);
  float *on_y = dt_put (pair, NULL, count * n * 4);
  dt_both (pair, cpu->ops->dequantize (cpu, y, w, first, count),
           b->ops->dequantize (b, on_y, there, first, count));
  dt_check_bytes (pair, on_y, y, count * n * 4, assay_dtype_info (w->dtype)->name);
}

static void
check_embed (DtPair *pair, const AssayTensor *w, const AssayTensor *there, gsize n_tokens, float scale)
{
  AssayBackend *cpu = pair->cpu, *b = pair->device;
  const gsize n = (gsize) w->shape[0];
  g_autofree gint32 *ids = g_new (gint32, n_tokens + 1);
  g_autofree float *y = g_new (float, n_tokens *n + 1);
  float *on_y = dt_put (pair, NULL, n_tokens * n * 4);
  for (gsize i = 0; i < n_tokens; i++)
    ids[i] = g_test_rand_int_range (0, (gint) w->shape[1]);
  dt_both (pair, cpu->ops->embed (cpu, y, w, ids, n_tokens, scale),
           b->ops->embed (b, on_y, there, ids, n_tokens, scale));
  dt_check_bytes (pair, on_y, y, n_tokens * n * 4, assay_dtype_info (w->dtype)->name);
}

static void
test_rows_of_every_format (void)
{
  DtPair pair;
  dt_open (&pair, ASSAY_COMPUTE_F32, 0);
  DT_FOR_EACH_DTYPE (dtype, assay_dtype_can_compute)
  for (int i = 0; i < 3; i++)
    {
      AssayTensor w = weight_new ((AssayDtype) dtype, 4, 40);
      const AssayTensor there = dt_put_tensor (&pair, &w, dt_tensor_bytes (&w));
      check_dequantize (&pair, &w, &there);
      check_embed (&pair, &w, &there, dt_size (70), i > 0 ? 1.0f : 0.37f);
      dt_release (&pair);
      kt_weight_clear (&w);
    }
  dt_close (&pair);
}

static void
test_embed_takes_many_tokens_and_no_wrong_one (void)
{
  DtPair pair;
  dt_open (&pair, ASSAY_COMPUTE_F32, 0);
  AssayBackend *b = pair.device;
  AssayTensor w = kt_weight (ASSAY_DTYPE_Q4_0, 32, 50, 1);
  const AssayTensor there = dt_put_tensor (&pair, &w, dt_tensor_bytes (&w));
  float *y = dt_put (&pair, NULL, 2 * 32 * 4);
  check_embed (&pair, &w, &there, 3000, 1);
  const gint32 wrong[][2] = { { 0, 50 }, { -1, 0 } };
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    g_assert_cmpint (b->ops->embed (b, y, &there, wrong[i], 2, 1), ==, ASSAY_DEVICE_FAULT);
  kt_weight_clear (&w);
  dt_close (&pair);
}

/* Rows that start at any byte, as a file mapped and cut into parts may have them. */
static void
test_rows_at_any_address (void)
{
  DtPair pair;
  dt_open (&pair, ASSAY_COMPUTE_F32, 0);
  DT_FOR_EACH_DTYPE (dtype, assay_dtype_can_compute)
  {
    const AssayDtypeInfo *info = assay_dtype_info (dtype);
    if (info->whole || !info->quantized)
      continue;
    AssayTensor w = dt_weight ((AssayDtype) dtype, 2 * info->block_elements, 5);
    const gsize bytes = dt_tensor_bytes (&w);
    guint8 *memory = dt_put (&pair, NULL, bytes + 1);
    AssayTensor there = w;
    there.data = memory + 1;
    g_assert_cmpint (pair.device->ops->upload (pair.device, memory + 1, w.data, bytes), ==, ASSAY_OK);
    check_dequantize (&pair, &w, &there);
    dt_release (&pair);
    kt_weight_clear (&w);
  }
  dt_close (&pair);
}

/* --- making --- */

static void
check_quantize (DtPair *pair, AssayDtype dtype, gsize n, gsize rows)
{
  AssayBackend *cpu = pair->cpu, *b = pair->device;
  const AssayDtypeInfo *info = assay_dtype_info (dtype);
  const gsize bytes = assay_dtype_matrix_bytes (dtype, (gint64) n, (gint64) rows), step = 64;
  g_autofree guint8 *data = g_malloc0 (bytes + 1);
  g_autofree float *x = dt_random (n * rows, -1, 1);
  const AssayTensor w = { dtype, { (gint64) n, (gint64) rows, 1, 1 }, info->whole ? 0 : bytes / rows, data };
  if (info->whole)
    x[0] = 7; /* an outlier, and blocks of nothing */
  for (gsize i = 64; i < MIN (n * rows, 128); i++)
    x[i] = 0;
  const AssayTensor there = dt_put_tensor (pair, &w, bytes);
  const float *on_x = dt_put (pair, x, n * rows * 4);
  g_autofree guint8 *scratch = g_malloc0 (cpu->ops->quantize_scratch (cpu, &w) + 1);
  gpointer on_scratch = dt_put (pair, NULL, b->ops->quantize_scratch (b, &there));
  for (gsize first = 0; first < rows; first += step)
    dt_both (pair, cpu->ops->quantize (cpu, &w, x + first * n, first, MIN (step, rows - first), scratch),
             b->ops->quantize (b, &there, on_x + first * n, first, MIN (step, rows - first), on_scratch));
  dt_both (pair, cpu->ops->quantize_finish (cpu, &w, scratch),
           b->ops->quantize_finish (b, &there, on_scratch));
  dt_check_bytes (pair, there.data, data, bytes, info->name);
  dt_release (pair);
}

static void
test_quantizes_as_the_cpu_does (void)
{
  DtPair pair;
  dt_open (&pair, ASSAY_COMPUTE_F32, 0);
  DT_FOR_EACH_DTYPE (dtype, assay_dtype_can_quantize)
  {
    const gsize elements = assay_dtype_info (dtype)->block_elements;
    check_quantize (&pair, (AssayDtype) dtype, 3 * elements, 1);
    check_quantize (&pair, (AssayDtype) dtype, elements == 1 ? 33 : elements, 131);
  }
  dt_close (&pair);
}

static void
test_quantize_refuses_what_it_cannot_keep (void)
{
  static const float wrong[] = { NAN, INFINITY, -INFINITY };
  DtPair pair;
  dt_open (&pair, ASSAY_COMPUTE_F32, 0);
  AssayBackend *cpu = pair.cpu, *b = pair.device;
  DT_FOR_EACH_DTYPE (dtype, assay_dtype_can_quantize)
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      const gsize n = MAX (assay_dtype_info (dtype)->block_elements, 32), rows = 3;
      const gsize bytes = assay_dtype_matrix_bytes ((AssayDtype) dtype, (gint64) n, (gint64) rows);
      g_autofree guint8 *data = g_malloc0 (bytes);
      g_autofree float *x = dt_random (n * rows, -1, 1);
      const AssayTensor w = { (AssayDtype) dtype,
                              { (gint64) n, (gint64) rows, 1, 1 },
                              assay_dtype_info (dtype)->whole ? 0 : bytes / rows,
                              data };
      x[n + 5] = wrong[i];
      const AssayTensor there = dt_put_tensor (&pair, &w, bytes);
      g_autofree guint8 *scratch = g_malloc0 (cpu->ops->quantize_scratch (cpu, &w) + 1);
      const float *on_x = dt_put (&pair, x, n * rows * 4);
      gpointer on_scratch = dt_put (&pair, NULL, b->ops->quantize_scratch (b, &there));
      const AssayStatus status = dt_both (&pair, cpu->ops->quantize (cpu, &w, x, 0, rows, scratch),
                                          b->ops->quantize (b, &there, on_x, 0, rows, on_scratch));
      g_assert_true (status == ASSAY_DEVICE_FAULT || !assay_dtype_info (dtype)->quantized);
      if (status != ASSAY_OK)
        g_assert_nonnull (strstr (b->fault, "element 5 of row 1"));
      dt_release (&pair);
    }
  dt_close (&pair);
}

/* --- caches --- */

static void
check_kv_store (DtPair *pair, AssayDtype dtype, gsize width)
{
  AssayBackend *cpu = pair->cpu, *b = pair->device;
  const gsize capacity = 20, first = (gsize) g_test_rand_int_range (0, 21);
  const gsize n_tokens = (gsize) g_test_rand_int_range (0, (gint) (capacity - first) + 1);
  const AssayDtypeInfo *info = assay_dtype_info (dtype);
  const gsize row_bytes = width / info->block_elements * info->block_bytes, bytes = row_bytes * capacity;
  g_autofree guint8 *data = g_malloc (bytes + 1);
  g_autofree float *x = dt_random (width * n_tokens, -4, 4);
  memset (data, 0xa5, bytes);
  const AssayTensor cache = { dtype, { (gint64) width, (gint64) capacity, 1, 1 }, row_bytes, data };
  const AssayTensor there = dt_put_tensor (pair, &cache, bytes);
  const float *on_x = dt_put (pair, x, width * n_tokens * 4);
  dt_both (pair, cpu->ops->kv_store (cpu, &cache, x, n_tokens, (guint32) first),
           b->ops->kv_store (b, &there, on_x, n_tokens, (guint32) first));
  dt_check_bytes (pair, there.data, data, bytes, info->name);
  dt_both (pair, cpu->ops->kv_store (cpu, &cache, x, 2, 19), b->ops->kv_store (b, &there, on_x, 2, 19));
  dt_release (pair);
}

static void
test_caches_are_the_cpus (void)
{
  DtPair pair;
  dt_open (&pair, ASSAY_COMPUTE_F32, 0);
  for (int i = 0; i < 8; i++)
    {
      check_kv_store (&pair, ASSAY_DTYPE_F32, dt_size (300));
      check_kv_store (&pair, ASSAY_DTYPE_F16, dt_size (300));
      check_kv_store (&pair, ASSAY_DTYPE_Q8_0, (dt_size (9) + 1) * 32);
    }
  dt_close (&pair);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/device/weights/rows-of-every-format-are-the-cpus", test_rows_of_every_format);
  g_test_add_func ("/device/weights/embed-takes-many-tokens-and-no-wrong-one",
                   test_embed_takes_many_tokens_and_no_wrong_one);
  g_test_add_func ("/device/weights/rows-at-any-address", test_rows_at_any_address);
  g_test_add_func ("/device/weights/quantizes-as-the-cpu-does", test_quantizes_as_the_cpu_does);
  g_test_add_func ("/device/weights/quantize-refuses-what-it-cannot-keep",
                   test_quantize_refuses_what_it_cannot_keep);
  g_test_add_func ("/device/weights/caches-are-the-cpus", test_caches_are_the_cpus);
  return g_test_run ();
}
