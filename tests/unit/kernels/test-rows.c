/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/kernels/test-rows.c: norms, gates, softmax, rope and the rest against double, at odd sizes.
 *
 * Tolerance 3e-6 of 1 + |y| unless said otherwise: some rounding steps of float32. */
#include <math.h>
#include <string.h>

#include "kernels-test.h"

#define TOLERANCE 3e-6

static const gsize lengths[] = { 1, 3, 7, 8, 15, 16, 31, 33, 65, 576, 1000, 20001 };

/* Runs `fill_and_check` for each length on each backend. */
typedef void (*LengthCheck) (AssayBackend *b, gsize n);

static void
check_lengths (AssayBackend *b, gpointer data)
{
  const LengthCheck check = *(const LengthCheck *) data;
  for (gsize i = 0; i < G_N_ELEMENTS (lengths); i++)
    check (b, lengths[i]);
}

static void
for_each_length (LengthCheck check)
{
  kt_for_each_backend (check_lengths, &check);
}

#define ASSERT_CLOSE(b, y, expected, n, tolerance)                                                           \
  if (!kt_is_close ((y), (expected), NULL, (n), (tolerance)))                                                \
  g_error ("%s: %s, %zu", G_STRFUNC, assay_cpu_get_kernel_name (b), (gsize) (n))

static void
check_rmsnorm (AssayBackend *b, gsize n)
{
  g_auto(KtBuffer) x = kt_buffer_new (3 * n), w = kt_buffer_new (n);
  g_autofree double *expected = g_new (double, 3 * n);
  kt_fill (&x, 5, -3, 3);
  kt_fill (&w, 6, -1, 2);
  for (gsize r = 0; r < 3; r++)
    {
      double sum = 0;
      for (gsize i = 0; i < n; i++)
        sum += (double) x.data[r * n + i] * x.data[r * n + i];
      for (gsize i = 0; i < n; i++)
        expected[r * n + i] = x.data[r * n + i] / sqrt (sum / n + 1e-5f) * w.data[i];
    }
  g_assert_cmpint (b->ops->rmsnorm (b, x.data, x.data, w.data, 3, n, 1e-5f), ==, ASSAY_OK);
  ASSERT_CLOSE (b, x.data, expected, 3 * n, TOLERANCE);
}

static void
test_rmsnorm (void)
{
  for_each_length (check_rmsnorm);
}

/* A mean a thousand times the spread: sums of squares would lose it. */
static void
check_layernorm (AssayBackend *b, gsize n)
{
  g_auto (KtBuffer) x = kt_buffer_new (2 * n), w = kt_buffer_new (n), bias = kt_buffer_new (n),
                    y = kt_buffer_new (2 * n);
  g_autofree double *expected = g_new (double, 2 * n);
  kt_fill (&x, 7, 63, 65);
  kt_fill (&w, 8, -1, 2);
  kt_fill (&bias, 9, -1, 1);
  for (gsize r = 0; r < 2; r++)
    {
      double sum = 0, squares = 0;
      for (gsize i = 0; i < n; i++)
        sum += x.data[r * n + i];
      for (gsize i = 0; i < n; i++)
        squares += pow (x.data[r * n + i] - sum / n, 2);
      for (gsize i = 0; i < n; i++)
        expected[r * n + i]
          = (x.data[r * n + i] - sum / n) / sqrt (squares / n + 1e-2f) * w.data[i] + bias.data[i];
    }
  g_assert_cmpint (b->ops->layernorm (b, y.data, x.data, w.data, bias.data, 2, n, 1e-2f), ==, ASSAY_OK);
  ASSERT_CLOSE (b, y.data, expected, 2 * n, 1e-4); /* the mean, 64, is only known to 4e-6 */
  for (gsize i = 0; i < 2 * n; i++)
    expected[i] -= bias.data[i % n];
  g_assert_cmpint (b->ops->layernorm (b, x.data, x.data, w.data, NULL, 2, n, 1e-2f), ==, ASSAY_OK);
  ASSERT_CLOSE (b, x.data, expected, 2 * n, 1e-4);
}

static void
test_layernorm (void)
{
  for_each_length (check_layernorm);
}

static const AssayActivation activations[]
  = { ASSAY_ACTIVATION_SILU, ASSAY_ACTIVATION_GELU_TANH, ASSAY_ACTIVATION_GELU };

static double
activation_of (double x, AssayActivation activation)
{
  switch (activation)
    {
    case ASSAY_ACTIVATION_SILU: return x / (1 + exp (-x));
    case ASSAY_ACTIVATION_GELU_TANH:
      return 0.5 * x * (1 + tanh (0.7978845608028654 * (x + 0.044715 * x * x * x)));
    default: return 0.5 * x * erfc (-x / sqrt (2));
    }
}

static void
check_gated (AssayBackend *b, gsize n)
{
  for (gsize k = 0; k < G_N_ELEMENTS (activations); k++)
    {
      g_auto(KtBuffer) gate = kt_buffer_new (n), up = kt_buffer_new (n), y = kt_buffer_new (n);
      g_autofree double *expected = g_new (double, n);
      kt_fill (&gate, 10, -12, 12);
      kt_fill (&up, 11, -3, 3);
      for (gsize i = 0; i < n; i++)
        expected[i] = activation_of (gate.data[i], activations[k]) * up.data[i];
      g_assert_cmpint (b->ops->gated (b, y.data, gate.data, up.data, n, activations[k]), ==, ASSAY_OK);
      ASSERT_CLOSE (b, y.data, expected, n, 1e-6);
      g_assert_cmpint (b->ops->gated (b, up.data, gate.data, up.data, n, activations[k]), ==, ASSAY_OK);
      ASSERT_CLOSE (b, up.data, expected, n, 1e-6);
    }
}

static void
check_activate (AssayBackend *b, gsize n)
{
  for (gsize k = 0; k < G_N_ELEMENTS (activations); k++)
    {
      g_auto(KtBuffer) x = kt_buffer_new (n), y = kt_buffer_new (n);
      g_autofree double *expected = g_new (double, n);
      kt_fill (&x, 22, -12, 12);
      for (gsize i = 0; i < n; i++)
        expected[i] = activation_of (x.data[i], activations[k]);
      g_assert_cmpint (b->ops->activate (b, y.data, x.data, n, activations[k]), ==, ASSAY_OK);
      ASSERT_CLOSE (b, y.data, expected, n, 5e-7);
      g_assert_cmpint (b->ops->activate (b, x.data, x.data, n, activations[k]), ==, ASSAY_OK);
      g_assert_cmpmem (x.data, n * 4, y.data, n * 4);
    }
}

static void
test_activate (void)
{
  for_each_length (check_activate);
}

/* Where a gelu is nearly zero it is still right in relative terms. */
static void
check_gelu_tail (AssayBackend *b, gpointer data)
{
  g_auto(KtBuffer) x = kt_buffer_new (1000), y = kt_buffer_new (1000);
  double expected[1000], scale[1000];
  for (gsize i = 0; i < 1000; i++)
    {
      x.data[i] = -12.0f + 0.024f * (float) i;
      expected[i] = activation_of (x.data[i], ASSAY_ACTIVATION_GELU);
      scale[i] = fabs (expected[i]);
    }
  g_assert_cmpint (b->ops->activate (b, y.data, x.data, 1000, ASSAY_ACTIVATION_GELU), ==, ASSAY_OK);
  if (!kt_is_close (y.data, expected, scale, 1000, 2e-5))
    g_error ("%s", assay_cpu_get_kernel_name (b));
}

static void
test_gelu_tail (void)
{
  kt_for_each_backend (check_gelu_tail, NULL);
}

static void
test_gated (void)
{
  for_each_length (check_gated);
}

static void
check_gated_extremes (AssayBackend *b, gpointer data)
{
  const float gate[] = { 1e30f, -1e30f, 0, -0.0f, 89, -89, 120, -120, NAN };
  const float up[] = { 1, 1, 1, 1, 1, 1, 1, 1, 1 };
  const double expected[] = { 1e30, 0, 0, 0, 89, -89 * 2.2273639e-39, 120, 0 };
  for (int kind = ASSAY_ACTIVATION_SILU; kind <= ASSAY_ACTIVATION_GELU; kind++)
    {
      g_auto(KtBuffer) y = kt_buffer_new (9);
      g_assert_cmpint (b->ops->gated (b, y.data, gate, up, 9, (AssayActivation) kind), ==, ASSAY_OK);
      ASSERT_CLOSE (b, y.data, expected, 8, TOLERANCE);
      g_assert_true (isnan (y.data[8]));
    }
  g_assert_cmpint (b->ops->gated (b, NULL, NULL, NULL, 0, (AssayActivation) 7), ==, ASSAY_UNSUPPORTED);
  g_assert_cmpint (b->ops->activate (b, NULL, NULL, 0, (AssayActivation) 7), ==, ASSAY_UNSUPPORTED);
}

static void
test_gated_extremes (void)
{
  kt_for_each_backend (check_gated_extremes, NULL);
}

static void
check_softmax (AssayBackend *b, gsize n)
{
  g_auto(KtBuffer) x = kt_buffer_new (2 * n);
  g_autofree double *expected = g_new (double, 2 * n), *scale = g_new (double, 2 * n);
  kt_fill (&x, 12, 80, 100);
  x.data[n / 2] = n > 1 ? -INFINITY : 3;
  for (gsize r = 0; r < 2; r++)
    {
      double sum = 0;
      for (gsize i = 0; i < n; i++)
        sum += exp (x.data[r * n + i] - 90.0);
      for (gsize i = 0; i < n; i++)
        scale[r * n + i] = expected[r * n + i] = exp (x.data[r * n + i] - 90.0) / sum;
    }
  g_assert_cmpint (b->ops->softmax (b, x.data, 2, n), ==, ASSAY_OK);
  if (!kt_is_close (x.data, expected, scale, 2 * n, 3e-6)) /* relative */
    g_error ("%s, %zu", assay_cpu_get_kernel_name (b), n);
}

static void
test_softmax (void)
{
  for_each_length (check_softmax);
}

static void
check_soft_cap (AssayBackend *b, gsize n)
{
  g_auto(KtBuffer) x = kt_buffer_new (n);
  g_autofree double *expected = g_new (double, n), *scale = g_new (double, n);
  kt_fill (&x, 13, -200, 200);
  x.data[0] = 1e-3f;
  for (gsize i = 0; i < n; i++)
    {
      expected[i] = 30 * tanh (x.data[i] / 30.0);
      scale[i] = fabs (expected[i]);
    }
  g_assert_cmpint (b->ops->soft_cap (b, x.data, n, 30), ==, ASSAY_OK);
  if (!kt_is_close (x.data, expected, scale, n, 1e-6)) /* relative */
    g_error ("%s, %zu", assay_cpu_get_kernel_name (b), n);
}

static void
test_soft_cap (void)
{
  for_each_length (check_soft_cap);
}

static void
check_add (AssayBackend *b, gsize n)
{
  g_auto(KtBuffer) x = kt_buffer_new (n), y = kt_buffer_new (n), sum = kt_buffer_new (n);
  kt_fill (&x, 14, -1, 1);
  kt_fill (&y, 15, -1, 1);
  for (gsize i = 0; i < n; i++)
    sum.data[i] = y.data[i] + x.data[i];
  g_assert_cmpint (b->ops->add (b, y.data, x.data, n, 1.0f), ==, ASSAY_OK);
  g_assert_cmpmem (y.data, n * 4, sum.data, n * 4);
}

static void
test_add (void)
{
  for_each_length (check_add);
}

typedef struct
{
  AssayRope rope;
  gsize n_tokens, n_heads, head_dim;
  guint32 first;
} RopeCase;

static void
rope_expect (const RopeCase *c, const float *x, double *y)
{
  const gsize half = c->rope.n_dims / 2;
  for (gsize at = 0; at < c->n_tokens * c->n_heads * c->head_dim; at += c->head_dim)
    {
      const double position = c->first + (double) (at / c->head_dim / c->n_heads);
      for (gsize d = 0; d < c->head_dim; d++)
        y[at + d] = x[at + d];
      for (gsize i = 0; i < half; i++)
        {
          const double angle = position * c->rope.scale * pow (c->rope.base, -2.0 * i / c->rope.n_dims)
                               / (c->rope.divisor != NULL ? c->rope.divisor[i] : 1);
          const gsize p = at + (c->rope.adjacent ? 2 * i : i), q = c->rope.adjacent ? p + 1 : p + half;
          y[p] = c->rope.magnitude * (x[p] * cos (angle) - x[q] * sin (angle));
          y[q] = c->rope.magnitude * (x[p] * sin (angle) + x[q] * cos (angle));
        }
    }
}

static void
check_rope (AssayBackend *b, gpointer data)
{
  static const float divisor[64] = { [0 ... 20] = 1, [21 ... 40] = 3.5f, [41 ... 63] = 8 };
  const RopeCase cases[] = {
    { { 64, TRUE, 10000, 1, 1, NULL }, 3, 9, 64, 0 },
    { { 64, FALSE, 10000, 1, 1, NULL }, 1, 3, 64, 131071 },
    { { 128, FALSE, 5e5f, 1, 1, divisor }, 40, 2, 128, 7 },
    { { 128, TRUE, 5e5f, 1, 1, divisor }, 2, 2, 130, 100000 },
    { { 2, FALSE, 100, 1, 1, NULL }, 5, 1, 3, 3 },
    { { 22, FALSE, 10000, 0.125f, 1.1386f, NULL }, 35, 3, 33, 60 },
    { { 30, TRUE, 1e6f, 0.25f, 0.9f, NULL }, 4, 1, 31, 9 },
    { { 0, TRUE, 1e6f, 1, 1, NULL }, 4, 1, 5, 9 },
    { { 1024, FALSE, 10000, 1, 1, NULL }, 2, 1, 1024, 50 },
    { { 64, TRUE, 10000, 1, 1, NULL }, 2, 2, 64, 4000000000u },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const RopeCase *c = &cases[i];
      const gsize n = c->n_tokens * c->n_heads * c->head_dim;
      g_auto(KtBuffer) x = kt_buffer_new (n);
      g_autofree double *expected = g_new (double, n);
      kt_fill (&x, 16, -2, 2);
      rope_expect (c, x.data, expected);
      g_assert_cmpint (b->ops->rope (b, x.data, &c->rope, c->n_tokens, c->n_heads, c->head_dim, c->first), ==,
                       ASSAY_OK);
      if (!kt_is_close (x.data, expected, NULL, n, 1e-6))
        g_error ("%s, case %zu", assay_cpu_get_kernel_name (b), i);
    }
}

static void
test_rope (void)
{
  kt_for_each_backend (check_rope, NULL);
}

static void
test_rope_refuses_odd_heads (void)
{
  AssayBackend *b = kt_backend (ASSAY_CPU_BEST, 1, FALSE);
  const AssayRope odd = { 3, TRUE, 1e4f, 1, 1, NULL }, wide = { 8, TRUE, 1e4f, 1, 1, NULL };
  float x[8] = { 0 };
  g_assert_cmpint (b->ops->rope (b, x, &odd, 1, 1, 8, 0), ==, ASSAY_UNSUPPORTED);
  g_assert_cmpint (b->ops->rope (b, x, &wide, 1, 1, 6, 0), ==, ASSAY_UNSUPPORTED);
  b->ops->destroy (b);
}

static void
check_embed (AssayBackend *b, gpointer data)
{
  static const AssayDtype some[] = { ASSAY_DTYPE_F32, ASSAY_DTYPE_F16, ASSAY_DTYPE_Q8_0, ASSAY_DTYPE_Q6_K };
  const gint32 ids[] = { 4, 0, 4, 6 }, outside[] = { 0, 7 }, negative[] = { -1 };
  for (gsize k = 0; k < G_N_ELEMENTS (some); k++)
    {
      AssayTensor table = kt_weight (some[k], 256, 7, 17);
      g_auto(KtBuffer) all = kt_buffer_new (7 * 256), y = kt_buffer_new (4 * 256);
      g_assert_cmpint (b->ops->dequantize (b, all.data, &table, 0, 7), ==, ASSAY_OK);
      g_assert_cmpint (b->ops->embed (b, y.data, &table, ids, 4, 3.0f), ==, ASSAY_OK);
      for (gsize t = 0; t < 4; t++)
        for (gsize i = 0; i < 256; i++)
          g_assert_cmpfloat (y.data[t * 256 + i], ==, 3.0f * all.data[(gsize) ids[t] * 256 + i]);
      g_assert_cmpint (b->ops->embed (b, y.data, &table, outside, 2, 1), ==, ASSAY_DEVICE_FAULT);
      g_assert_nonnull (strstr (b->fault, "token id 7"));
      g_assert_cmpint (b->ops->embed (b, y.data, &table, negative, 1, 1), ==, ASSAY_DEVICE_FAULT);
      kt_weight_clear (&table);
    }
}

static void
test_embed (void)
{
  kt_for_each_backend (check_embed, NULL);
}

/* Rows begin and end within blocks, at odd elements too. */
static void
check_whole (AssayBackend *b, gpointer data)
{
  static const AssayDtype whole[] = { ASSAY_DTYPE_NF4, ASSAY_DTYPE_FP4, ASSAY_DTYPE_NF4_DOUBLE,
                                      ASSAY_DTYPE_FP4_DOUBLE, ASSAY_DTYPE_INT8 };
  static const gsize widths[] = { 1, 64, 127, 200, 4160 };
  AssayBackend *scalar = kt_backend (ASSAY_CPU_SCALAR, 1, TRUE);
  for (gsize k = 0; k < G_N_ELEMENTS (whole); k++)
    for (gsize i = 0; i < G_N_ELEMENTS (widths); i++)
      {
        const gsize n = widths[i];
        AssayTensor w = kt_weight (whole[k], n, 9, 23);
        g_auto(KtBuffer) all = kt_buffer_new (9 * n), some = kt_buffer_new (4 * n);
        g_assert_cmpint (scalar->ops->dequantize (scalar, all.data, &w, 0, 9), ==, ASSAY_OK);
        g_assert_cmpint (b->ops->dequantize (b, some.data, &w, 3, 4), ==, ASSAY_OK);
        g_assert_cmpmem (some.data, 4 * n * 4, all.data + 3 * n, 4 * n * 4);
        kt_weight_clear (&w);
      }
  scalar->ops->destroy (scalar);
}

static void
test_whole (void)
{
  kt_for_each_backend (check_whole, NULL);
}

static void
check_nothing (AssayBackend *b, gpointer data)
{
  const AssayTensor empty = { ASSAY_DTYPE_F32, { 4, 0, 1, 1 }, 16, "" };
  const AssayRope rope = { 4, TRUE, 1e4f, 1, 1, NULL };
  g_auto(KtBuffer) y = kt_buffer_new (0);
  g_assert_cmpint (b->ops->rmsnorm (b, y.data, y.data, y.data, 0, 5, 1), ==, ASSAY_OK);
  g_assert_cmpint (b->ops->rmsnorm (b, y.data, y.data, y.data, 5, 0, 1), ==, ASSAY_OK);
  g_assert_cmpint (b->ops->layernorm (b, y.data, y.data, y.data, NULL, 0, 5, 1), ==, ASSAY_OK);
  g_assert_cmpint (b->ops->softmax (b, y.data, 0, 5), ==, ASSAY_OK);
  g_assert_cmpint (b->ops->softmax (b, y.data, 5, 0), ==, ASSAY_OK);
  g_assert_cmpint (b->ops->gated (b, y.data, y.data, y.data, 0, ASSAY_ACTIVATION_SILU), ==, ASSAY_OK);
  g_assert_cmpint (b->ops->activate (b, y.data, y.data, 0, ASSAY_ACTIVATION_SILU), ==, ASSAY_OK);
  g_assert_cmpint (b->ops->add (b, y.data, y.data, 0, 1.0f), ==, ASSAY_OK);
  g_assert_cmpint (b->ops->soft_cap (b, y.data, 0, 30), ==, ASSAY_OK);
  g_assert_cmpint (b->ops->rope (b, y.data, &rope, 0, 2, 4, 0), ==, ASSAY_OK);
  g_assert_cmpint (b->ops->embed (b, y.data, &empty, NULL, 0, 1), ==, ASSAY_OK);
  g_assert_cmpint (b->ops->kv_store (b, &empty, y.data, 0, 0), ==, ASSAY_OK);
  g_assert_cmpint (b->ops->dequantize (b, y.data, &empty, 0, 0), ==, ASSAY_OK);
  g_assert_cmpint (b->ops->sync (b), ==, ASSAY_OK);
}

static void
test_nothing_is_fine (void)
{
  kt_for_each_backend (check_nothing, NULL);
}

static void
test_threads_do_not_change_a_bit (void)
{
  static const guint32 counts[] = { 2, 3, 5 };
  const gsize n = 777, rows = 61;
  AssayBackend *one = kt_backend (ASSAY_CPU_BEST, 1, FALSE);
  for (gsize k = 0; k < G_N_ELEMENTS (counts); k++)
    {
      AssayBackend *backends[] = { one, kt_backend (ASSAY_CPU_BEST, counts[k], FALSE) };
      g_auto(KtBuffer) x = kt_buffer_new (n * rows), y = kt_buffer_new (n * rows), w = kt_buffer_new (n);
      KtBuffer *both[] = { &x, &y };
      kt_fill (&w, 20, -1, 1);
      for (gsize i = 0; i < 2; i++)
        {
          AssayBackend *b = backends[i];
          float *data = both[i]->data;
          kt_fill (both[i], 21, -4, 4);
          b->ops->rmsnorm (b, data, data, w.data, rows, n, 1e-6f);
          b->ops->gated (b, data, data, data, n * rows, ASSAY_ACTIVATION_SILU);
          b->ops->layernorm (b, data, data, w.data, NULL, rows, n, 1e-6f);
          b->ops->soft_cap (b, data, n * rows, 5);
          b->ops->softmax (b, data, rows, n);
        }
      g_assert_cmpmem (x.data, x.n * 4, y.data, y.n * 4);
      backends[1]->ops->destroy (backends[1]);
    }
  one->ops->destroy (one);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/kernels/rmsnorm/equals-the-definition", test_rmsnorm);
  g_test_add_func ("/kernels/layernorm/keeps-a-small-spread-about-a-large-mean", test_layernorm);
  g_test_add_func ("/kernels/gated/equals-the-definition", test_gated);
  g_test_add_func ("/kernels/activate/equals-the-definition", test_activate);
  g_test_add_func ("/kernels/activate/gelu-keeps-its-digits-far-below-zero", test_gelu_tail);
  g_test_add_func ("/kernels/gated/extremes-do-not-overflow", test_gated_extremes);
  g_test_add_func ("/kernels/softmax/is-right-for-large-numbers", test_softmax);
  g_test_add_func ("/kernels/soft-cap/is-right-near-zero-too", test_soft_cap);
  g_test_add_func ("/kernels/add/is-one-rounding", test_add);
  g_test_add_func ("/kernels/rope/equals-the-definition-at-far-positions", test_rope);
  g_test_add_func ("/kernels/rope/refuses-odd-heads", test_rope_refuses_odd_heads);
  g_test_add_func ("/kernels/embed/scales-rows-and-checks-ids", test_embed);
  g_test_add_func ("/kernels/dequantize/rows-of-whole-matrices-are-the-same-bits", test_whole);
  g_test_add_func ("/kernels/rows/nothing-to-do-is-fine", test_nothing_is_fine);
  g_test_add_func ("/kernels/rows/threads-do-not-change-a-bit", test_threads_do_not_change_a_bit);
  return g_test_run ();
}
