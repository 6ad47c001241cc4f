/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/kernels/test-matmul.c: every weight format, every instruction set, against sums in double.
 *
 * Tolerances are shares of sum |x w|, the size that rounding goes by: 1e-6 with float32 activations; with two
 * terms of int8 the activations' own rounding, half of 1/32512 of the largest of 32, comes first: twice that
 * here, where the activations are half the largest in the mean. */
#include <math.h>
#include <string.h>

#include "kernels-test.h"

#define EXACT_TOLERANCE 1e-6
#define INT8_TOLERANCE 3e-5
#define EXTREME_TOLERANCE 5e-6 /* a group has products of one sign only: the float32 sums round more */
#define INT8_AGREEMENT 1e-6 /* of the instruction sets with each other, which round activations alike */

static const AssayDtype all_dtypes[] = {
  ASSAY_DTYPE_F32,     ASSAY_DTYPE_F16,   ASSAY_DTYPE_BF16,  ASSAY_DTYPE_Q4_0,   ASSAY_DTYPE_Q4_1,
  ASSAY_DTYPE_Q5_0,    ASSAY_DTYPE_Q5_1,  ASSAY_DTYPE_Q8_0,  ASSAY_DTYPE_Q2_K,   ASSAY_DTYPE_Q3_K,
  ASSAY_DTYPE_Q4_K,    ASSAY_DTYPE_Q5_K,  ASSAY_DTYPE_Q6_K,  ASSAY_DTYPE_IQ4_NL, ASSAY_DTYPE_IQ4_XS,
  ASSAY_DTYPE_IQ2_XXS, ASSAY_DTYPE_IQ3_S, ASSAY_DTYPE_TQ1_0, ASSAY_DTYPE_TQ2_0,  ASSAY_DTYPE_MXFP4,
  ASSAY_DTYPE_NF4,     ASSAY_DTYPE_FP4,   ASSAY_DTYPE_NF4_DOUBLE, ASSAY_DTYPE_FP4_DOUBLE,
};

typedef struct
{
  AssayTensor w;      /* owned */
  KtBuffer x, bias;   /* owned */
  gsize n_tokens;
  double *y, *scale;  /* owned: [n_tokens, rows] in double, and sum |x w| */
} Product;

static void
product_clear (Product *self)
{
  kt_weight_clear (&self->w);
  kt_buffer_clear (&self->x);
  kt_buffer_clear (&self->bias);
  g_free (self->y);
  g_free (self->scale);
}

static void
product_compute (Product *self, const float *weights)
{
  const gsize n = (gsize) self->w.shape[0], rows = (gsize) self->w.shape[1];
  for (gsize t = 0; t < self->n_tokens; t++)
    for (gsize r = 0; r < rows; r++)
      {
        double sum = self->bias.data[r], scale = fabs (sum);
        for (gsize i = 0; i < n; i++)
          {
            sum += (double) self->x.data[t * n + i] * weights[r * n + i];
            scale += fabs ((double) self->x.data[t * n + i] * weights[r * n + i]);
          }
        self->y[t * rows + r] = sum;
        self->scale[t * rows + r] = scale;
      }
}

static void
product_update (Product *self)
{
  AssayBackend *b = kt_backend (ASSAY_CPU_SCALAR, 1, TRUE);
  const gsize rows = (gsize) self->w.shape[1];
  g_auto(KtBuffer) weights = kt_buffer_new ((gsize) self->w.shape[0] * rows);
  g_assert_cmpint (b->ops->dequantize (b, weights.data, &self->w, 0, rows), ==, ASSAY_OK);
  product_compute (self, weights.data);
  b->ops->destroy (b);
}

static Product
product_new (AssayDtype dtype, gsize n, gsize rows, gsize n_tokens)
{
  Product self = { kt_weight (dtype, n, rows, 7 * dtype + (guint32) (n + rows)), kt_buffer_new (n * n_tokens),
                   kt_buffer_new (rows), n_tokens, g_new0 (double, n_tokens * rows + 1),
                   g_new0 (double, n_tokens * rows + 1) };
  kt_fill (&self.x, 99, -2, 2);
  kt_fill (&self.bias, 98, -1, 1);
  product_update (&self);
  return self;
}

/* The workspace is guarded too: what is asked for must be enough. */
static KtBuffer
product_run (AssayBackend *b, const Product *self)
{
  KtBuffer y = kt_buffer_new (self->n_tokens * (gsize) self->w.shape[1]);
  const gsize bytes = b->ops->matmul_workspace (b, &self->w, self->n_tokens);
  g_auto(KtBuffer) workspace = kt_buffer_new ((bytes + 3) / 4);
  g_assert_cmpint (
    b->ops->matmul (b, y.data, &self->w, self->x.data, self->n_tokens, self->bias.data, workspace.data), ==,
    ASSAY_OK);
  kt_buffer_check (&y);
  return y;
}

static gsize
whole_blocks (AssayDtype dtype, gsize n)
{
  const gsize block = assay_dtype_info (dtype)->block_elements;
  return (n + block - 1) / block * block;
}

static void
check_format (AssayBackend *b, AssayDtype dtype, gboolean exact)
{
  static const struct { gsize n, rows, n_tokens;
  } sizes[] = {
    { 1, 1, 1 },    { 31, 3, 1 },    { 33, 33, 2 },   { 65, 17, 3 },
    { 288, 65, 7 }, { 600, 31, 13 }, { 1100, 5, 50 }, { 64, 1, 5 },
    { 2240, 9, 1 },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_auto(KtBuffer) y = { 0 };
      Product product
        = product_new (dtype, whole_blocks (dtype, sizes[i].n), sizes[i].rows, sizes[i].n_tokens);
      y = product_run (b, &product);
      if (!kt_is_close (y.data, product.y, product.scale, y.n, exact ? EXACT_TOLERANCE : INT8_TOLERANCE))
        g_error ("%s, %s, %zu x %zu, %zu tokens", assay_cpu_get_kernel_name (b),
                 assay_dtype_info (dtype)->name, sizes[i].n, sizes[i].rows, sizes[i].n_tokens);
      product_clear (&product);
    }
}

static void
check_formats (AssayBackend *b, gpointer data)
{
  const gboolean exact = g_str_has_suffix (assay_cpu_get_kernel_name (b), "float32");
  for (gsize i = 0; i < G_N_ELEMENTS (all_dtypes); i++)
    check_format (b, all_dtypes[i], exact);
  if (exact) /* what else becomes of it: test-vectorwise.c */
    check_format (b, ASSAY_DTYPE_INT8, exact);
}

static void
test_products_are_right (void)
{
  kt_for_each_backend (check_formats, NULL);
}

/* The codes of every block as large as they get, and so are the activations' terms: 127 * 256 is one of 32,
 * the others are 126 * 256 + 127. */
static void
check_extreme (AssayBackend *b, AssayDtype dtype, gsize codes_at, gsize codes_bytes, int code, gsize n_tokens)
{
  Product product = product_new (dtype, 512, 19, n_tokens);
  const gsize block_bytes = assay_dtype_info (dtype)->block_bytes;
  guint8 *bytes = (guint8 *) product.w.data;
  for (gsize i = 0; i < 19 * product.w.row_bytes; i += block_bytes)
    memset (bytes + i + codes_at, code, codes_bytes);
  for (gsize i = 0; i < product.x.n; i++)
    product.x.data[i] = (i % 32 == 0 ? 32512.0f : 32383.0f) * (i / 64 % 2 ? -1 : 1);
  product_update (&product);
  g_auto(KtBuffer) y = product_run (b, &product);
  if (!kt_is_close (y.data, product.y, product.scale, y.n, EXTREME_TOLERANCE))
    g_error ("%s, %s, codes 0x%02x", assay_cpu_get_kernel_name (b), assay_dtype_info (dtype)->name,
             (guint) code);
  product_clear (&product);
}

static void
check_extremes (AssayBackend *b, gpointer data)
{
  static const struct { AssayDtype dtype; gsize at, bytes; int code; } extremes[] = {
    { ASSAY_DTYPE_Q4_1, 4, 16, 0xff }, { ASSAY_DTYPE_Q5_1, 4, 20, 0xff }, { ASSAY_DTYPE_Q5_0, 2, 20, 0x00 },
    { ASSAY_DTYPE_Q8_0, 2, 32, 0x80 }, { ASSAY_DTYPE_Q8_0, 2, 32, 0x7f }, { ASSAY_DTYPE_Q5_K, 16, 160, 0xff },
    { ASSAY_DTYPE_Q6_K, 0, 192, 0xff }, { ASSAY_DTYPE_Q6_K, 0, 192, 0x00 },
    { ASSAY_DTYPE_IQ4_NL, 2, 16, 0x00 },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (extremes); i++)
    for (gsize n_tokens = 1; n_tokens < 20; n_tokens += 12)
      check_extreme (b, extremes[i].dtype, extremes[i].at, extremes[i].bytes, extremes[i].code, n_tokens);
}

static void
test_extreme_codes_do_not_saturate (void)
{
  kt_for_each_backend (check_extremes, NULL);
}

static void
check_agreement (AssayBackend *b, AssayDtype dtype, gsize n_tokens)
{
  AssayBackend *scalar = kt_backend (ASSAY_CPU_SCALAR, 1, FALSE);
  Product product = product_new (dtype, 768, 37, n_tokens);
  g_auto(KtBuffer) y = product_run (b, &product);
  g_auto(KtBuffer) expected = product_run (scalar, &product);
  for (gsize i = 0; i < y.n; i++)
    product.y[i] = expected.data[i];
  if (!kt_is_close (y.data, product.y, product.scale, y.n, INT8_AGREEMENT))
    g_error ("%s and scalar, %s", assay_cpu_get_kernel_name (b), assay_dtype_info (dtype)->name);
  product_clear (&product);
  scalar->ops->destroy (scalar);
}

static void
test_int8_versions_agree_closely (void)
{
  for (int isa = ASSAY_CPU_AVX2; isa < ASSAY_CPU_BEST; isa++)
    {
      AssayBackend *b = kt_backend ((AssayCpuIsa) isa, 1, FALSE);
      if (b == NULL)
        continue;
      for (gsize i = 0; i < G_N_ELEMENTS (all_dtypes); i++)
        {
          check_agreement (b, all_dtypes[i], 1);
          check_agreement (b, all_dtypes[i], 17);
        }
      b->ops->destroy (b);
    }
}

static void
test_threads_do_not_change_a_bit (void)
{
  static const guint32 counts[] = { 2, 3, 5 };
  for (int exact = 0; exact < 2; exact++)
    for (gsize i = 0; i < G_N_ELEMENTS (all_dtypes); i++)
      for (gsize n_tokens = 1; n_tokens < 40; n_tokens += 29)
        {
          AssayBackend *one = kt_backend (ASSAY_CPU_BEST, 1, exact);
          Product product = product_new (all_dtypes[i], 512, 300, n_tokens);
          g_auto(KtBuffer) expected = product_run (one, &product);
          for (gsize k = 0; k < G_N_ELEMENTS (counts); k++)
            {
              AssayBackend *b = kt_backend (ASSAY_CPU_BEST, counts[k], exact);
              g_auto(KtBuffer) y = product_run (b, &product);
              g_assert_cmpmem (y.data, y.n * 4, expected.data, expected.n * 4);
              b->ops->destroy (b);
            }
          product_clear (&product);
          one->ops->destroy (one);
        }
}

static void
check_edges (AssayBackend *b, gpointer data)
{
  const AssayTensor none = { ASSAY_DTYPE_F32, { 0, 3, 1, 1 }, 0, "" };
  const float bias[3] = { 1, 2, 3 };
  g_auto(KtBuffer) y = kt_buffer_new (15), nothing = kt_buffer_new (0);
  g_assert_cmpint (b->ops->matmul (b, nothing.data, &none, nothing.data, 0, NULL, nothing.data), ==,
                   ASSAY_OK);
  g_assert_cmpint (b->ops->matmul (b, y.data, &none, nothing.data, 5, bias, nothing.data), ==, ASSAY_OK);
  for (guint i = 0; i < 15; i++)
    g_assert_cmpfloat (y.data[i], ==, bias[i % 3]);
}

static void
test_empty_sizes_are_fine (void)
{
  kt_for_each_backend (check_edges, NULL);
}

/* A wild activation must be seen in the result, not rounded into a number that looks sane. */
static void
check_not_finite (AssayBackend *b, gpointer data)
{
  static const AssayDtype some[] = { ASSAY_DTYPE_Q4_0, ASSAY_DTYPE_Q4_1, ASSAY_DTYPE_Q8_0, ASSAY_DTYPE_Q4_K,
                                     ASSAY_DTYPE_Q6_K, ASSAY_DTYPE_F16 };
  for (gsize i = 0; i < G_N_ELEMENTS (some); i++)
    for (gsize n_tokens = 1; n_tokens <= 8; n_tokens += 7)
      {
        Product product = product_new (some[i], 256, 20, n_tokens);
        product.x.data[77] = i % 2 ? NAN : INFINITY;
        g_auto(KtBuffer) y = product_run (b, &product);
        for (gsize r = 0; r < 20; r++)
          g_assert_false (isfinite (y.data[r]));
        for (gsize r = 20; r < y.n; r++)
          g_assert_true (isfinite (y.data[r]));
        product_clear (&product);
      }
}

static void
test_not_finite_stays_so (void)
{
  kt_for_each_backend (check_not_finite, NULL);
}

/* Neighbouring floats whose rounding the two forms decide apart, ties and not finite ones among them. */
static void
check_rounding (AssayCpuIsa isa, AssayCompute compute, const char *name, const guint32 *bits,
                const guint32 *expected, gsize n)
{
  g_autofree float *one = g_new0 (float, n * n);
  AssayBackend *b = kt_backend_with (isa, 2, compute);
  if (b == NULL)
    return;
  g_assert_true (g_str_has_suffix (assay_cpu_get_kernel_name (b), name));
  for (gsize i = 0; i < n; i++)
    one[i * n + i] = 1;
  const AssayTensor w = { ASSAY_DTYPE_F32, { (gint64) n, (gint64) n, 1, 1 }, 4 * n, one };
  for (gsize k = 0; k < n; k++)
    {
      g_auto(KtBuffer) x = kt_buffer_new (n), y = kt_buffer_new (n),
                       workspace = kt_buffer_new ((b->ops->matmul_workspace (b, &w, 1) + 3) / 4);
      memset (x.data, 0, n * sizeof *x.data);
      memcpy (&x.data[k], &bits[k], sizeof bits[k]);
      g_assert_cmpint (b->ops->matmul (b, y.data, &w, x.data, 1, NULL, workspace.data), ==, ASSAY_OK);
      float value;
      memcpy (&value, &expected[k], sizeof value);
      if (isnan (value))
        g_assert_true (isnan (y.data[k]));
      else
        g_assert_cmpmem (&y.data[k], 4, &value, 4);
      g_assert_cmpmem (&x.data[k], 4, &bits[k], 4);
    }
  b->ops->destroy (b);
}

static void
test_activations_are_rounded_to_the_compute_type (void)
{
  static const guint32 bits[] = { 0x3f801000, 0x3f801001, 0x3f803000, 0xbf80efff, 0x477fefff, 0x477ff000,
                                  0x33000000, 0x33000001, 0x7f800000, 0x7fc00000, 0x3f808000, 0x3f818000 };
  static const guint32 half[] = { 0x3f800000, 0x3f802000, 0x3f804000, 0xbf80e000, 0x477fe000, 0x7f800000,
                                  0x00000000, 0x33800000, 0x7f800000, 0x7fc00000, 0x3f808000, 0x3f818000 };
  static const guint32 brain[] = { 0x3f800000, 0x3f800000, 0x3f800000, 0xbf810000, 0x47800000, 0x47800000,
                                   0x33000000, 0x33000000, 0x7f800000, 0x7fc00000, 0x3f800000, 0x3f820000 };
  for (int isa = ASSAY_CPU_SCALAR; isa < ASSAY_CPU_BEST; isa++)
    {
      check_rounding ((AssayCpuIsa) isa, ASSAY_COMPUTE_F16, " float16", bits, half, G_N_ELEMENTS (bits));
      check_rounding ((AssayCpuIsa) isa, ASSAY_COMPUTE_BF16, " bfloat16", bits, brain, G_N_ELEMENTS (bits));
      check_rounding ((AssayCpuIsa) isa, ASSAY_COMPUTE_F32, " float32", bits, bits, G_N_ELEMENTS (bits));
    }
}

static void
test_sees_a_planted_wrong_value (void)
{
  AssayBackend *b = kt_backend (ASSAY_CPU_BEST, 1, TRUE);
  Product product = product_new (ASSAY_DTYPE_F32, 65, 9, 3);
  g_auto(KtBuffer) y = product_run (b, &product);
  g_assert_true (kt_is_close (y.data, product.y, product.scale, y.n, EXACT_TOLERANCE));
  y.data[13] += (float) (2e-5 * product.scale[13]);
  g_assert_false (kt_is_close (y.data, product.y, product.scale, y.n, EXACT_TOLERANCE));
  y.data[13] = NAN;
  g_assert_false (kt_is_close (y.data, product.y, product.scale, y.n, EXACT_TOLERANCE));
  product_clear (&product);
  b->ops->destroy (b);
}

static void
test_refuses_with_a_reason (void)
{
  AssayBackend *b = kt_backend (ASSAY_CPU_BEST, 1, FALSE);
  const AssayTensor integers = { ASSAY_DTYPE_I8, { 32, 1, 1, 1 }, 32, "" };
  const AssayTensor ragged = { ASSAY_DTYPE_Q4_K, { 300, 1, 1, 1 }, 144, "" };
  float y[1], x[300] = { 0 };
  g_assert_cmpint (b->ops->matmul (b, y, &integers, x, 1, NULL, NULL), ==, ASSAY_UNSUPPORTED);
  g_assert_nonnull (strstr (b->fault, "I8"));
  g_assert_cmpint (b->ops->matmul (b, y, &ragged, x, 1, NULL, NULL), ==, ASSAY_UNSUPPORTED);
  g_assert_nonnull (strstr (b->fault, "300"));
  b->ops->destroy (b);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/kernels/matmul/products-are-right", test_products_are_right);
  g_test_add_func ("/kernels/matmul/extreme-codes-do-not-saturate", test_extreme_codes_do_not_saturate);
  g_test_add_func ("/kernels/matmul/int8-versions-agree-closely", test_int8_versions_agree_closely);
  g_test_add_func ("/kernels/matmul/threads-do-not-change-a-bit", test_threads_do_not_change_a_bit);
  g_test_add_func ("/kernels/matmul/empty-sizes-are-fine", test_empty_sizes_are_fine);
  g_test_add_func ("/kernels/matmul/not-finite-stays-so", test_not_finite_stays_so);
  g_test_add_func ("/kernels/matmul/activations-are-rounded-to-the-compute-type",
                   test_activations_are_rounded_to_the_compute_type);
  g_test_add_func ("/kernels/matmul/sees-a-planted-wrong-value", test_sees_a_planted_wrong_value);
  g_test_add_func ("/kernels/matmul/refuses-with-a-reason", test_refuses_with_a_reason);
  return g_test_run ();
}
