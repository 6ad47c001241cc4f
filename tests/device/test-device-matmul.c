/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/test-device-matmul.c: products with weights of every format, in every form of compute, of few
 * tokens and many, beside the scalar CPU kernels'. */
#include <math.h>
#include <string.h>

#include "device-test.h"

typedef struct
{
  AssayTensor w, there;
  gsize n, n_rows, n_tokens;
  float *x, *bias, *y;
  double *scale; /* [n_tokens, n_rows]: what a rounding is measured by */
} Product;

/* Sums of |x| |w|, and the bias. */
static void
product_measure (DtPair *pair, Product *self)
{
  g_autofree float *rows = g_new (float, self->n * self->n_rows + 1);
  self->scale = g_new (double, self->n_tokens * self->n_rows + 1);
  g_assert_cmpint (pair->cpu->ops->dequantize (pair->cpu, rows, &self->w, 0, self->n_rows), ==, ASSAY_OK);
  for (gsize t = 0; t < self->n_tokens; t++)
    for (gsize r = 0; r < self->n_rows; r++)
      {
        double sum = self->bias != NULL ? fabs ((double) self->bias[r]) : 0;
        for (gsize i = 0; i < self->n; i++)
          sum += fabs ((double) rows[r * self->n + i] * (double) self->x[t * self->n + i]);
        self->scale[t * self->n_rows + r] = sum;
      }
}

static Product
product_new (DtPair *pair, AssayDtype dtype, gsize n, gsize n_rows, gsize n_tokens, gboolean has_bias)
{
  Product self = { .n = n, .n_rows = n_rows, .n_tokens = n_tokens };
  self.w = dt_weight (dtype, n, n_rows);
  self.there = dt_put_tensor (pair, &self.w, dt_tensor_bytes (&self.w));
  self.x = dt_random (n * n_tokens, -2, 2);
  if (n > 1 && n_tokens > 1)
    self.x[n + 1] = 9; /* an outlier, for LLM.int8() */
  self.bias = has_bias ? dt_random (n_rows, -1, 1) : NULL;
  self.y = g_new (float, n_tokens *n_rows + 1);
  product_measure (pair, &self);
  return self;
}

static void
product_clear (Product *self)
{
  kt_weight_clear (&self->w);
  g_free (self->x);
  g_free (self->bias);
  g_free (self->y);
  g_free (self->scale);
}

static float *
product_run (DtPair *pair, Product *self)
{
  AssayBackend *cpu = pair->cpu, *b = pair->device;
  const gsize n_y = self->n_tokens * self->n_rows;
  g_autofree guint8 *workspace = g_malloc (cpu->ops->matmul_workspace (cpu, &self->w, self->n_tokens) + 1);
  gpointer on_workspace = dt_put (pair, NULL, b->ops->matmul_workspace (b, &self->there, self->n_tokens));
  const float *on_x = dt_put (pair, self->x, self->n * self->n_tokens * 4);
  const float *on_bias = self->bias != NULL ? dt_put (pair, self->bias, self->n_rows * 4) : NULL;
  float *on_y = dt_put (pair, NULL, n_y * 4);
  dt_both (pair, cpu->ops->matmul (cpu, self->y, &self->w, self->x, self->n_tokens, self->bias, workspace),
           b->ops->matmul (b, on_y, &self->there, on_x, self->n_tokens, on_bias, on_workspace));
  return on_y;
}

/* How far apart the two may be, as a part of the sum of magnitudes: the order of float32 sums, and where
 * weights of other formats enter a product of many tokens (or of rows too odd for the kernels of few), or
 * results are those of LLM.int8(), one rounding to the form. */
static double
product_tolerance (AssayDtype dtype, AssayCompute compute, gboolean is_many)
{
  const gboolean is_whole_int8 = dtype == ASSAY_DTYPE_INT8;
  if (compute == ASSAY_COMPUTE_F16 && (is_many || is_whole_int8))
    return 0x1p-10;
  if (compute == ASSAY_COMPUTE_BF16 && (is_many || is_whole_int8))
    return 0x1p-7;
  return 3e-6;
}

static void
check_product (DtPair *pair, AssayDtype dtype, AssayCompute compute, gsize n, gsize n_rows, gsize n_tokens)
{
  Product c = product_new (pair, dtype, n, n_rows, n_tokens, n_tokens % 2);
  const float *y = product_run (pair, &c);
  g_autofree char *label = g_strdup_printf ("%s, compute %d: %zu tokens, %zu rows of %zu",
                                            assay_dtype_info (dtype)->name, compute, n_tokens, n_rows, n);
  dt_check (pair, y, c.y, c.scale, n_tokens * n_rows,
            product_tolerance (dtype, compute, n_tokens > 8 || n % 8 != 0), label);
  dt_release (pair);
  product_clear (&c);
}

static void
test_every_format (gconstpointer data)
{
  const AssayCompute compute = (AssayCompute) GPOINTER_TO_INT (data);
  DtPair pair;
  dt_open (&pair, compute, 0);
  DT_FOR_EACH_DTYPE (dtype, assay_dtype_can_compute)
  {
    const gsize elements = assay_dtype_info (dtype)->block_elements;
    const gsize wide = elements == 1 ? 97 : elements * 3;
    check_product (&pair, (AssayDtype) dtype, compute, elements == 1 ? 33 : elements, 31, 1);
    check_product (&pair, (AssayDtype) dtype, compute, wide, 63, (gsize) g_test_rand_int_range (2, 9));
    check_product (&pair, (AssayDtype) dtype, compute, wide, 33, (gsize) g_test_rand_int_range (9, 20));
  }
  dt_close (&pair);
}

static void
test_sizes (void)
{
  static const gsize tokens[] = { 0, 1, 7, 8, 9, 33 };
  static const AssayDtype dtypes[] = { ASSAY_DTYPE_F32, ASSAY_DTYPE_F16, ASSAY_DTYPE_BF16, ASSAY_DTYPE_Q8_0 };
  DtPair pair;
  dt_open (&pair, ASSAY_COMPUTE_F32, 0);
  for (guint i = 0; i < G_N_ELEMENTS (tokens); i++)
    for (guint k = 0; k < G_N_ELEMENTS (dtypes); k++)
      {
        const gsize elements = assay_dtype_info (dtypes[k])->block_elements;
        check_product (&pair, dtypes[k], ASSAY_COMPUTE_F32, (dt_size (600 / elements) + 1) * elements,
                       dt_size (130) + 1, tokens[i]);
      }
  dt_close (&pair);
}

/* The sizes of real models, whose rows are read by whole words; those of INT8 are also cuBLAS's where there are tokens
 * enough. */
static void
check_whole_words (AssayCompute compute)
{
  static const AssayDtype dtypes[] = { ASSAY_DTYPE_F32, ASSAY_DTYPE_F16,        ASSAY_DTYPE_BF16,       ASSAY_DTYPE_NF4,
                                       ASSAY_DTYPE_FP4, ASSAY_DTYPE_NF4_DOUBLE, ASSAY_DTYPE_FP4_DOUBLE, ASSAY_DTYPE_INT8 };
  DtPair pair;
  dt_open (&pair, compute, 0);
  for (guint i = 0; i < G_N_ELEMENTS (dtypes); i++)
    for (gsize n_tokens = 1; n_tokens < 20; n_tokens += 6)
      {
        const gsize eights = (gsize) g_test_rand_int_range (1, 90);
        check_product (&pair, dtypes[i], compute, eights * 8, 36, n_tokens);
        check_product (&pair, dtypes[i], compute, eights * 16, 33, n_tokens);
        check_product (&pair, dtypes[i], compute, eights * 4, 20, n_tokens);
      }
  dt_close (&pair);
}

static void
test_whole_words (void)
{
  for (int compute = ASSAY_COMPUTE_F32; compute <= ASSAY_COMPUTE_BF16; compute++)
    check_whole_words ((AssayCompute) compute);
}

/* Rows that are not whole words, at addresses that are not either. */
static void
test_unaligned_weights (void)
{
  DtPair pair;
  dt_open (&pair, ASSAY_COMPUTE_F32, 0);
  for (gsize n_tokens = 1; n_tokens < 20; n_tokens += 9)
    for (guint shift = 1; shift < 4; shift++)
      {
        Product c = product_new (&pair, ASSAY_DTYPE_Q4_K, 512, 17, n_tokens, TRUE);
        const gsize bytes = dt_tensor_bytes (&c.w);
        guint8 *memory = dt_put (&pair, NULL, bytes + shift);
        g_assert_cmpint (pair.device->ops->upload (pair.device, memory + shift, c.w.data, bytes), ==,
                         ASSAY_OK);
        c.there.data = memory + shift;
        dt_check (&pair, product_run (&pair, &c), c.y, c.scale, n_tokens * c.n_rows, 3e-6, "unaligned");
        dt_release (&pair);
        product_clear (&c);
      }
  dt_close (&pair);
}

/* A matrix that does not fit the tile it is unpacked into. */
static void
test_more_than_a_tile (void)
{
  DtPair pair;
  dt_open (&pair, ASSAY_COMPUTE_F32, 0);
  check_product (&pair, ASSAY_DTYPE_Q8_0, ASSAY_COMPUTE_F32, 65536, 150, 9);
  dt_close (&pair);
}

static void
test_nan_stays_nan (void)
{
  DtPair pair;
  for (int compute = ASSAY_COMPUTE_F32; compute <= ASSAY_COMPUTE_INT8; compute++)
    {
      dt_open (&pair, (AssayCompute) compute, 0);
      for (gsize n_tokens = 1; n_tokens < 12; n_tokens += 10)
        {
          Product c = product_new (&pair, ASSAY_DTYPE_Q4_0, 64, 5, n_tokens, FALSE);
          c.x[n_tokens * 64 - 3] = NAN;
          g_autofree float *got = g_new (float, n_tokens * 5);
          dt_get (&pair, got, product_run (&pair, &c), n_tokens * 5 * 4);
          for (gsize r = 0; r < 5; r++)
            g_assert_true (isnan (got[(n_tokens - 1) * 5 + r]));
          dt_release (&pair);
          product_clear (&c);
        }
      dt_close (&pair);
    }
}

int
main (int argc, char *argv[])
{
  static const char *names[] = { "float32", "float16", "bfloat16", "int8" };
  g_test_init (&argc, &argv, NULL);
  for (int compute = ASSAY_COMPUTE_F32; compute <= ASSAY_COMPUTE_INT8; compute++)
    {
      g_autofree char *path = g_strdup_printf ("/device/matmul/every-format-in-%s", names[compute]);
      g_test_add_data_func (path, GINT_TO_POINTER (compute), test_every_format);
    }
  g_test_add_func ("/device/matmul/odd-sizes", test_sizes);
  g_test_add_func ("/device/matmul/rows-of-whole-words", test_whole_words);
  g_test_add_func ("/device/matmul/unaligned-weights", test_unaligned_weights);
  g_test_add_func ("/device/matmul/more-than-a-tile", test_more_than_a_tile);
  g_test_add_func ("/device/matmul/nan-stays-nan", test_nan_stays_nan);
  return g_test_run ();
}
