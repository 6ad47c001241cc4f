/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/kernels/test-vectorwise.c: LLM.int8() against bitsandbytes, and its versions against each other.
 *
 * bitsandbytes rounds to the activations' type, once before and once after the outliers are added, and its
 * CPU version has a constant that is off by 1.8e-5: tolerances are one step of the type, and 3e-5. */
#include <math.h>
#include <string.h>

#include "kernels-test.h"
#include "whole-format.h"

#define FLOAT16_TOLERANCE 1e-3
#define BFLOAT16_TOLERANCE 8e-3
#define FLOAT32_TOLERANCE 3e-5
#define LAYER_TOLERANCE 1e-2 /* relative L2 of a layer's result from that without quantization */

typedef struct
{
  AssayCompute compute;
  double tolerance;
  gsize n, rows, n_tokens, n_outliers;
  GByteArray *codes;                            /* owned */
  GArray *scales, *bias, *x, *y, *exact;        /* owned, of float */
} Layer;

static void
layer_free (gpointer data)
{
  Layer *self = data;
  GArray **arrays[] = { &self->scales, &self->bias, &self->x, &self->y, &self->exact };
  for (gsize i = 0; i < G_N_ELEMENTS (arrays); i++)
    g_clear_pointer (arrays[i], g_array_unref);
  g_clear_pointer (&self->codes, g_byte_array_unref);
  g_free (self);
}

static Layer *
layer_new (char **words)
{
  Layer *self = g_new0 (Layer, 1);
  const gboolean half = g_str_equal (words[1], "float16"), brain = g_str_equal (words[1], "bfloat16");
  g_assert_cmpuint (g_strv_length (words), ==, 6);
  self->compute = half ? ASSAY_COMPUTE_F16 : brain ? ASSAY_COMPUTE_BF16 : ASSAY_COMPUTE_INT8;
  self->tolerance = half ? FLOAT16_TOLERANCE : brain ? BFLOAT16_TOLERANCE : FLOAT32_TOLERANCE;
  self->n = g_ascii_strtoull (words[2], NULL, 10);
  self->rows = g_ascii_strtoull (words[3], NULL, 10);
  self->n_tokens = g_ascii_strtoull (words[4], NULL, 10);
  self->n_outliers = g_ascii_strtoull (words[5], NULL, 10);
  return self;
}

static GByteArray *
hex_decode (const char *text)
{
  GByteArray *bytes = g_byte_array_new ();
  for (; text[0] != '\0'; text += 2)
    {
      const guint8 byte = (guint8) (g_ascii_xdigit_value (text[0]) << 4 | g_ascii_xdigit_value (text[1]));
      g_byte_array_append (bytes, &byte, 1);
    }
  return bytes;
}

static void
layer_read_line (Layer *self, const char *key, const char *text)
{
  struct { const char *key; GArray **to; } floats[] = { { "scales", &self->scales }, { "bias", &self->bias },
    { "x", &self->x }, { "y", &self->y }, { "exact", &self->exact } };
  g_autoptr(GByteArray) bytes = hex_decode (text);
  if (g_str_equal (key, "codes"))
    self->codes = g_steal_pointer (&bytes);
  else
    for (gsize i = 0; i < G_N_ELEMENTS (floats); i++)
      if (g_str_equal (key, floats[i].key))
        {
          *floats[i].to = g_array_new (FALSE, FALSE, sizeof (float));
          g_array_append_vals (*floats[i].to, bytes->data, bytes->len / sizeof (float));
        }
}

static GPtrArray *
layers_read (void)
{
  g_autofree char *path = g_build_filename (g_getenv ("ASSAY_TEST_DATA"), "int8", "int8.txt", NULL);
  g_autofree char *text = NULL;
  g_autoptr(GError) error = NULL;
  GPtrArray *layers = g_ptr_array_new_with_free_func (layer_free);
  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  g_auto(GStrv) lines = g_strsplit (g_strstrip (text), "\n", -1);
  for (guint i = 1; lines[i] != NULL; i++)
    {
      g_auto(GStrv) words = g_strsplit (lines[i], " ", -1);
      if (g_str_equal (words[0], "case"))
        g_ptr_array_add (layers, layer_new (words));
      else
        layer_read_line (g_ptr_array_index (layers, layers->len - 1), words[0], words[1]);
    }
  return layers;
}

/* free: kt_weight_clear */
static AssayTensor
weight_new (const gint8 *codes, const float *scales, gsize n, gsize rows)
{
  AssayWholeLayout layout;
  g_assert_true (assay_whole_layout (ASSAY_DTYPE_INT8, (gint64) n, (gint64) rows, &layout));
  guint8 *bytes = g_malloc0 (layout.bytes);
  memcpy (bytes, codes, n * rows);
  memcpy (bytes + layout.scale, scales, rows * sizeof *scales);
  return (AssayTensor) { ASSAY_DTYPE_INT8, { (gint64) n, (gint64) rows, 1, 1 }, 0, bytes };
}

static KtBuffer
product_run (AssayBackend *b, const AssayTensor *w, const float *x, const float *bias, gsize n_tokens)
{
  KtBuffer y = kt_buffer_new (n_tokens * (gsize) w->shape[1]);
  g_auto(KtBuffer) workspace = kt_buffer_new ((b->ops->matmul_workspace (b, w, n_tokens) + 3) / 4);
  g_assert_cmpint (b->ops->matmul (b, y.data, w, x, n_tokens, bias, workspace.data), ==, ASSAY_OK);
  kt_buffer_check (&y);
  return y;
}

static double
relative_distance (const float *a, const float *b, gsize n)
{
  double difference = 0, size = 0;
  for (gsize i = 0; i < n; i++)
    {
      difference += ((double) a[i] - b[i]) * ((double) a[i] - b[i]);
      size += (double) b[i] * b[i];
    }
  return sqrt (difference / size);
}

static void
check_layer (AssayBackend *b, const Layer *self)
{
  const float *expected = &g_array_index (self->y, float, 0), *exact = &g_array_index (self->exact, float, 0);
  AssayTensor w = weight_new ((const gint8 *) self->codes->data, &g_array_index (self->scales, float, 0),
                              self->n, self->rows);
  g_auto(KtBuffer) y = product_run (b, &w, &g_array_index (self->x, float, 0),
                                    &g_array_index (self->bias, float, 0), self->n_tokens);
  g_autofree double *wanted = g_new (double, y.n);
  for (gsize i = 0; i < y.n; i++)
    wanted[i] = expected[i];
  if (!kt_is_close (y.data, wanted, NULL, y.n, self->tolerance))
    g_error ("%s, %zu x %zu, %zu tokens, %zu outliers", assay_cpu_get_kernel_name (b), self->n, self->rows,
             self->n_tokens, self->n_outliers);
  const double theirs = relative_distance (expected, exact, y.n);
  const double ours = relative_distance (y.data, exact, y.n);
  g_test_message ("%zu x %zu, %zu tokens: %.4f from the exact result, bitsandbytes %.4f", self->n, self->rows,
                  self->n_tokens, ours, theirs);
  g_assert_true (ours <= LAYER_TOLERANCE || theirs > LAYER_TOLERANCE);
  kt_weight_clear (&w);
}

static void
test_equals_bitsandbytes (void)
{
  g_autoptr(GPtrArray) layers = layers_read ();
  g_assert_cmpuint (layers->len, ==, 18);
  for (int isa = ASSAY_CPU_SCALAR; isa < ASSAY_CPU_BEST; isa++)
    for (guint i = 0; i < layers->len; i++)
      {
        const Layer *layer = g_ptr_array_index (layers, i);
        AssayBackend *b = kt_backend_with ((AssayCpuIsa) isa, 2, layer->compute);
        if (b == NULL)
          continue;
        check_layer (b, layer);
        b->ops->destroy (b);
      }
}

static const struct { gsize n, rows, n_tokens, n_outliers; } shapes[] = {
  { 1, 1, 1, 0 },    { 31, 3, 1, 0 },     { 33, 33, 2, 1 },    { 65, 17, 3, 0 },  { 127, 129, 1, 40 },
  { 288, 65, 7, 3 }, { 600, 31, 130, 0 }, { 1100, 5, 66, 200 }, { 63, 1, 5, 63 }, { 4096, 39, 1, 2 },
};

typedef struct
{
  AssayTensor w;        /* owned */
  KtBuffer x, bias;     /* owned */
  gsize n_tokens;
} Product;

static Product
product_new (gsize n, gsize rows, gsize n_tokens, gsize n_outliers)
{
  Product self = { kt_weight (ASSAY_DTYPE_INT8, n, rows, (guint32) (n + rows)), kt_buffer_new (n * n_tokens),
                   kt_buffer_new (rows), n_tokens };
  kt_fill (&self.x, 31, -5, 5);
  kt_fill (&self.bias, 32, -1, 1);
  for (gsize i = 0; i < n_outliers; i++)
    self.x.data[i % n_tokens * n + (i * 7 + 2) % n] = i % 2 ? -30.0f : 6.0f + (float) (i % 20);
  return self;
}

static void
product_clear (Product *self)
{
  kt_weight_clear (&self->w);
  kt_buffer_clear (&self->x);
  kt_buffer_clear (&self->bias);
}

/* Integer sums are exact: without outliers versions differ by nothing, else by the order of the outliers'
 * float sum, which may tip the rounding of a result. */
static void
check_agreement (AssayCpuIsa isa, AssayCompute compute, gsize shape)
{
  AssayBackend *b = kt_backend_with (isa, 1, compute);
  AssayBackend *scalar = kt_backend_with (ASSAY_CPU_SCALAR, 1, compute);
  const double tolerance = compute == ASSAY_COMPUTE_F16    ? FLOAT16_TOLERANCE
                           : compute == ASSAY_COMPUTE_BF16 ? BFLOAT16_TOLERANCE
                                                           : 5e-5;
  Product p = product_new (shapes[shape].n, shapes[shape].rows, shapes[shape].n_tokens,
                           shapes[shape].n_outliers);
  if (b != NULL)
    {
      g_auto(KtBuffer) y = product_run (b, &p.w, p.x.data, p.bias.data, p.n_tokens);
      g_auto(KtBuffer) expected = product_run (scalar, &p.w, p.x.data, p.bias.data, p.n_tokens);
      g_autofree double *wanted = g_new (double, y.n);
      for (gsize i = 0; i < y.n; i++)
        wanted[i] = expected.data[i];
      if (shapes[shape].n_outliers == 0)
        g_assert_cmpmem (y.data, y.n * 4, expected.data, y.n * 4);
      else if (!kt_is_close (y.data, wanted, NULL, y.n, tolerance))
        g_error ("%s, shape %zu", assay_cpu_get_kernel_name (b), shape);
      b->ops->destroy (b);
    }
  product_clear (&p);
  scalar->ops->destroy (scalar);
}

static void
test_versions_agree (void)
{
  static const AssayCompute computes[] = { ASSAY_COMPUTE_F16, ASSAY_COMPUTE_BF16, ASSAY_COMPUTE_INT8 };
  for (int isa = ASSAY_CPU_AVX2; isa < ASSAY_CPU_BEST; isa++)
    for (gsize c = 0; c < G_N_ELEMENTS (computes); c++)
      for (gsize i = 0; i < G_N_ELEMENTS (shapes); i++)
        check_agreement ((AssayCpuIsa) isa, computes[c], i);
}

static void
test_threads_do_not_change_a_bit (void)
{
  static const guint32 counts[] = { 2, 3, 5 };
  for (gsize i = 0; i < G_N_ELEMENTS (shapes); i++)
    {
      AssayBackend *one = kt_backend_with (ASSAY_CPU_BEST, 1, ASSAY_COMPUTE_F16);
      Product p = product_new (shapes[i].n, shapes[i].rows, shapes[i].n_tokens, shapes[i].n_outliers);
      g_auto(KtBuffer) expected = product_run (one, &p.w, p.x.data, p.bias.data, p.n_tokens);
      for (gsize k = 0; k < G_N_ELEMENTS (counts); k++)
        {
          AssayBackend *b = kt_backend_with (ASSAY_CPU_BEST, counts[k], ASSAY_COMPUTE_F16);
          g_auto(KtBuffer) y = product_run (b, &p.w, p.x.data, p.bias.data, p.n_tokens);
          g_assert_cmpmem (y.data, y.n * 4, expected.data, expected.n * 4);
          b->ops->destroy (b);
        }
      product_clear (&p);
      one->ops->destroy (one);
    }
}

/* Codes as far from zero as a byte goes, -128 too, which only a damaged file has. */
static void
check_extremes (AssayBackend *b, gint8 code)
{
  enum { N = 700, ROWS = 5, TOKENS = 3 };
  g_autofree gint8 *codes = g_malloc (N * ROWS);
  const float scales[ROWS] = { 127, 127, 127, 127, 127 };
  g_auto(KtBuffer) x = kt_buffer_new (N * TOKENS);
  memset (codes, code, N * ROWS);
  for (gsize i = 0; i < x.n; i++)
    x.data[i] = i % 3 ? 4.0f : -4.0f;
  AssayTensor w = weight_new (codes, scales, N, ROWS);
  g_auto(KtBuffer) y = product_run (b, &w, x.data, NULL, TOKENS);
  for (gsize t = 0; t < TOKENS; t++)
    for (gsize r = 0; r < ROWS; r++)
      {
        double sum = 0;
        for (gsize i = 0; i < N; i++)
          sum += (double) x.data[t * N + i] * code;
        g_assert_cmpfloat_with_epsilon (y.data[t * ROWS + r], sum, 1e-5 * fabs (sum));
      }
  kt_weight_clear (&w);
}

static void
test_extreme_codes_do_not_saturate (void)
{
  for (int isa = ASSAY_CPU_SCALAR; isa < ASSAY_CPU_BEST; isa++)
    {
      AssayBackend *b = kt_backend_with ((AssayCpuIsa) isa, 1, ASSAY_COMPUTE_INT8);
      if (b == NULL)
        continue;
      check_extremes (b, 127);
      check_extremes (b, -127);
      check_extremes (b, -128);
      b->ops->destroy (b);
    }
}

static void
check_not_finite (AssayBackend *b, float value)
{
  Product p = product_new (200, 20, 3, 0);
  p.x.data[277] = value;
  g_auto(KtBuffer) y = product_run (b, &p.w, p.x.data, p.bias.data, 3);
  for (gsize i = 0; i < y.n; i++)
    g_assert_true (isfinite (y.data[i]) == (i / 20 != 1));
  product_clear (&p);
}

static void
test_not_finite_stays_so (void)
{
  for (int isa = ASSAY_CPU_SCALAR; isa < ASSAY_CPU_BEST; isa++)
    for (int compute = ASSAY_COMPUTE_F16; compute <= ASSAY_COMPUTE_INT8; compute++)
      {
        AssayBackend *b = kt_backend_with ((AssayCpuIsa) isa, 1, (AssayCompute) compute);
        if (b == NULL)
          continue;
        check_not_finite (b, NAN);
        check_not_finite (b, -INFINITY);
        b->ops->destroy (b);
      }
}

/* The columns that one token takes out of the integer product are out for all. */
static void
test_outliers_are_those_of_all_tokens (void)
{
  AssayBackend *b = kt_backend_with (ASSAY_CPU_BEST, 1, ASSAY_COMPUTE_INT8);
  Product p = product_new (300, 40, 2, 0);
  g_auto(KtBuffer) before = product_run (b, &p.w, p.x.data, p.bias.data, 2);
  p.x.data[300 + 11] = 50;
  g_auto(KtBuffer) after = product_run (b, &p.w, p.x.data, p.bias.data, 2);
  g_auto(KtBuffer) alone = product_run (b, &p.w, p.x.data, p.bias.data, 1);
  g_assert_cmpmem (alone.data, 40 * 4, before.data, 40 * 4);
  g_assert_true (memcmp (after.data, before.data, 40 * 4) != 0);
  product_clear (&p);
  b->ops->destroy (b);
}

static void
test_refuses_rows_beyond_32_bits (void)
{
  AssayBackend *b = kt_backend_with (ASSAY_CPU_BEST, 1, ASSAY_COMPUTE_F16);
  const AssayTensor w = { ASSAY_DTYPE_INT8, { 131073, 1, 1, 1 }, 0, "" };
  float y[1];
  g_assert_cmpint (b->ops->matmul (b, y, &w, NULL, 1, NULL, NULL), ==, ASSAY_UNSUPPORTED);
  g_assert_nonnull (strstr (b->fault, "131073"));
  b->ops->destroy (b);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/kernels/vectorwise/equals-bitsandbytes", test_equals_bitsandbytes);
  g_test_add_func ("/kernels/vectorwise/versions-agree", test_versions_agree);
  g_test_add_func ("/kernels/vectorwise/threads-do-not-change-a-bit", test_threads_do_not_change_a_bit);
  g_test_add_func ("/kernels/vectorwise/extreme-codes-do-not-saturate", test_extreme_codes_do_not_saturate);
  g_test_add_func ("/kernels/vectorwise/not-finite-stays-so", test_not_finite_stays_so);
  g_test_add_func ("/kernels/vectorwise/outliers-are-those-of-all-tokens",
                   test_outliers_are_those_of_all_tokens);
  g_test_add_func ("/kernels/vectorwise/refuses-rows-beyond-32-bits", test_refuses_rows_beyond_32_bits);
  return g_test_run ();
}
