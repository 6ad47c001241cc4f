/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/kernels/test-attention.c: attention and the KV cache against plain sums in double.
 *
 * Tolerance 2e-6 of 1 + |y|: values are of the order of one, and a result is a weighted mean of them. */
#include <math.h>
#include <string.h>

#include "kernels-test.h"

#define TOLERANCE 2e-6

typedef struct
{
  guint32 n_heads, n_kv_heads, dim, dim_v, n_tokens, first, window;
  float soft_cap;
} Shape;

typedef struct
{
  Shape shape;
  AssayTensor k, v;     /* of memory in k_bytes, v_bytes */
  KtBuffer q, k_bytes, v_bytes;
} Case;

static AssayTensor
cache_new (KtBuffer *bytes, AssayDtype dtype, gsize width, gsize capacity)
{
  const gsize element = dtype == ASSAY_DTYPE_F16 ? 2 : 4;
  *bytes = kt_buffer_new ((width * element * capacity + 3) / 4);
  memset (bytes->data, 0, bytes->n * 4);
  return (AssayTensor) { dtype, { (gint64) width, (gint64) capacity, 1, 1 }, width * element, bytes->data };
}

static void
cache_fill (AssayBackend *b, const AssayTensor *cache, gsize keys, guint32 seed)
{
  g_auto(KtBuffer) x = kt_buffer_new ((gsize) cache->shape[0] * keys);
  kt_fill (&x, seed, -2, 2);
  /* in two pieces, as a prompt and what follows would */
  const gsize some = keys / 3;
  g_assert_cmpint (b->ops->kv_store (b, cache, x.data, some, 0), ==, ASSAY_OK);
  g_assert_cmpint (
    b->ops->kv_store (b, cache, x.data + some * (gsize) cache->shape[0], keys - some, (guint32) some), ==,
    ASSAY_OK);
}

static Case
case_new (AssayBackend *b, Shape s, AssayDtype dtype)
{
  Case self = { .shape = s, .q = kt_buffer_new ((gsize) s.n_tokens * s.n_heads * s.dim) };
  const gsize keys = (gsize) s.first + s.n_tokens;
  self.k = cache_new (&self.k_bytes, dtype, (gsize) s.n_kv_heads * s.dim, keys + 2);
  self.v = cache_new (&self.v_bytes, dtype, (gsize) s.n_kv_heads * s.dim_v, keys + 2);
  cache_fill (b, &self.k, keys, 1);
  cache_fill (b, &self.v, keys, 2);
  kt_fill (&self.q, 3, -2, 2);
  return self;
}

static void
case_clear (Case *self)
{
  kt_buffer_clear (&self->q);
  kt_buffer_clear (&self->k_bytes);
  kt_buffer_clear (&self->v_bytes);
}

static AssayAttention
case_arguments (const Case *self)
{
  const Shape *s = &self->shape;
  return (AssayAttention){ &self->k,   &self->v,    s->n_heads, s->n_kv_heads, s->dim,
                           s->dim_v,   s->n_tokens, s->first,   s->window,     1 / sqrtf ((float) s->dim),
                           s->soft_cap };
}

static KtBuffer
case_run (AssayBackend *b, const Case *self)
{
  const AssayAttention a = case_arguments (self);
  KtBuffer y = kt_buffer_new ((gsize) a.n_tokens * a.n_heads * a.head_dim_v);
  g_auto(KtBuffer) workspace = kt_buffer_new ((b->ops->attention_workspace (b, &a) + 3) / 4);
  g_assert_cmpint (b->ops->attention (b, y.data, self->q.data, &a, workspace.data), ==, ASSAY_OK);
  kt_buffer_check (&y);
  return y;
}

/* The cache as the backend reads it. */
static float *
cache_read (AssayBackend *b, const AssayTensor *cache)
{
  float *y = g_new (float, (gsize) cache->shape[0] * (gsize) cache->shape[1]);
  g_assert_cmpint (b->ops->dequantize (b, y, cache, 0, (gsize) cache->shape[1]), ==, ASSAY_OK);
  return y;
}

static double
case_score (const Shape *s, const float *q, const float *k)
{
  double sum = 0;
  for (gsize d = 0; d < s->dim; d++)
    sum += (double) q[d] * k[d];
  sum *= 1 / sqrt (s->dim);
  return s->soft_cap > 0 ? s->soft_cap * tanh (sum / s->soft_cap) : sum;
}

static void
case_expect_head (const Shape *s, double *y, const float *q, const float *k, const float *v, gsize i, gsize h)
{
  const gsize kv = h / (s->n_heads / s->n_kv_heads), position = s->first + i;
  double total = 0;
  for (gsize key = 0; key <= position; key++)
    {
      if (s->window > 0 && position - key >= s->window)
        continue;
      const double weight = exp (case_score (s, q, k + (key * s->n_kv_heads + kv) * s->dim));
      total += weight;
      for (gsize d = 0; d < s->dim_v; d++)
        y[d] += weight * v[(key * s->n_kv_heads + kv) * s->dim_v + d];
    }
  for (gsize d = 0; d < s->dim_v; d++)
    y[d] /= total;
}

static double *
case_expect (AssayBackend *b, const Case *self)
{
  const Shape *s = &self->shape;
  g_autofree float *k = cache_read (b, &self->k), *v = cache_read (b, &self->v);
  double *y = g_new0 (double, (gsize) s->n_tokens * s->n_heads * s->dim_v);
  for (gsize i = 0; i < s->n_tokens; i++)
    for (gsize h = 0; h < s->n_heads; h++)
      case_expect_head (s, y + (i * s->n_heads + h) * s->dim_v, self->q.data + (i * s->n_heads + h) * s->dim,
                        k, v, i, h);
  return y;
}

static const Shape shapes[] = {
  { 1, 1, 1, 1, 1, 0, 0, 0 },       { 9, 3, 64, 64, 1, 0, 0, 0 },     { 9, 3, 64, 64, 1, 200, 0, 0 },
  { 4, 4, 31, 33, 3, 5, 0, 0 },     { 9, 3, 64, 64, 70, 0, 0, 0 },    { 6, 1, 65, 17, 130, 3, 0, 0 },
  { 2, 1, 80, 80, 65, 100, 50, 0 }, { 2, 2, 16, 16, 1, 300, 64, 30 }, { 4, 2, 128, 128, 9, 0, 4, 50 },
  { 3, 3, 8, 40, 129, 7, 1, 0 },    { 10, 2, 32, 32, 5, 61, 0, 20 },
};

static void
check_shapes (AssayBackend *b, gpointer data)
{
  for (gsize i = 0; i < G_N_ELEMENTS (shapes); i++)
    for (int half = 0; half < 2; half++)
      {
        Case c = case_new (b, shapes[i], half ? ASSAY_DTYPE_F16 : ASSAY_DTYPE_F32);
        g_auto(KtBuffer) y = case_run (b, &c);
        g_autofree double *expected = case_expect (b, &c);
        if (!kt_is_close (y.data, expected, NULL, y.n, TOLERANCE))
          g_error ("%s, shape %zu, half %d", assay_cpu_get_kernel_name (b), i, half);
        case_clear (&c);
      }
}

static void
test_equals_the_definition (void)
{
  kt_for_each_backend (check_shapes, NULL);
}

static void
test_threads_do_not_change_a_bit (void)
{
  static const guint32 counts[] = { 2, 3, 5 };
  for (gsize i = 0; i < G_N_ELEMENTS (shapes); i++)
    {
      AssayBackend *one = kt_backend (ASSAY_CPU_BEST, 1, FALSE);
      Case c = case_new (one, shapes[i], ASSAY_DTYPE_F16);
      g_auto(KtBuffer) expected = case_run (one, &c);
      for (gsize k = 0; k < G_N_ELEMENTS (counts); k++)
        {
          AssayBackend *b = kt_backend (ASSAY_CPU_BEST, counts[k], FALSE);
          g_auto(KtBuffer) y = case_run (b, &c);
          g_assert_cmpmem (y.data, y.n * 4, expected.data, expected.n * 4);
          b->ops->destroy (b);
        }
      case_clear (&c);
      one->ops->destroy (one);
    }
}

/* Scores beyond what exp can take: only the running maximum keeps them apart. */
static void
check_large_scores (AssayBackend *b, gpointer data)
{
  Case c = case_new (b, (Shape) { 2, 1, 64, 64, 40, 100, 0, 0 }, ASSAY_DTYPE_F32);
  for (gsize i = 0; i < c.q.n; i++)
    c.q.data[i] *= 300;
  g_auto(KtBuffer) y = case_run (b, &c);
  for (gsize i = 0; i < y.n; i++)
    g_assert_true (fabsf (y.data[i]) <= 2.00001f);
  case_clear (&c);
}

static void
test_large_scores_stay_finite (void)
{
  kt_for_each_backend (check_large_scores, NULL);
}

static void
test_sees_a_key_too_many (void)
{
  AssayBackend *b = kt_backend (ASSAY_CPU_BEST, 1, FALSE);
  Case c = case_new (b, (Shape) { 2, 1, 32, 32, 20, 90, 64, 0 }, ASSAY_DTYPE_F32);
  g_autofree double *expected = case_expect (b, &c);
  c.shape.window = 65;
  g_auto(KtBuffer) y = case_run (b, &c);
  g_assert_false (kt_is_close (y.data, expected, NULL, y.n, TOLERANCE));
  case_clear (&c);
  b->ops->destroy (b);
}

static void
check_halves (AssayBackend *b, gpointer data)
{
  static const struct { float value; guint16 bits;
  } known[] = {
    { 0, 0 },
    { -0.0f, 0x8000 },
    { 1, 0x3c00 },
    { 65504, 0x7bff },
    { 65519.996f, 0x7bff },
    { 65520, 0x7c00 },
    { INFINITY, 0x7c00 },
    { 0x1p-24f, 1 },
    { 0x1p-25f, 0 },
    { 0x1.8p-24f, 2 },
    { 0x1.000002p-25f, 1 },
    { 0x1p-14f, 0x400 },
    { 0x1.ff8p-15f, 0x3ff },
    { 0x1.ffcp-15f, 0x400 },
    { 1.0009765625f, 0x3c01 },
    { 1.00048828125f, 0x3c00 },
    { 1.00146484375f, 0x3c02 },
    { -2.5f, 0xc100 },
    { 1e-20f, 0 },
  };
  float x[G_N_ELEMENTS (known)];
  guint16 half[G_N_ELEMENTS (known) + 1];
  half[G_N_ELEMENTS (known)] = 0xbeef;
  const AssayTensor cache
    = { ASSAY_DTYPE_F16, { G_N_ELEMENTS (known), 1, 1, 1 }, 2 * G_N_ELEMENTS (known), half };
  for (gsize i = 0; i < G_N_ELEMENTS (known); i++)
    x[i] = known[i].value;
  g_assert_cmpint (b->ops->kv_store (b, &cache, x, 1, 0), ==, ASSAY_OK);
  for (gsize i = 0; i < G_N_ELEMENTS (known); i++)
    g_assert_cmphex (half[i], ==, known[i].bits);
  g_assert_cmphex (half[G_N_ELEMENTS (known)], ==, 0xbeef);
}

static void
test_halves_round_to_even (void)
{
  kt_for_each_backend (check_halves, NULL);
}

static void
test_refuses_what_does_not_fit (void)
{
  AssayBackend *b = kt_backend (ASSAY_CPU_BEST, 1, FALSE);
  Case c = case_new (b, (Shape) { 4, 2, 8, 8, 3, 4, 0, 0 }, ASSAY_DTYPE_F32);
  AssayAttention a = case_arguments (&c);
  float y[96], x[48] = { 0 };
  a.first = 7; /* ten keys of a cache of nine */
  g_assert_cmpint (b->ops->attention (b, y, c.q.data, &a, NULL), ==, ASSAY_UNSUPPORTED);
  g_assert_nonnull (strstr (b->fault, "10 keys"));
  a.first = 4;
  a.n_heads = 5;
  g_assert_cmpint (b->ops->attention (b, y, c.q.data, &a, NULL), ==, ASSAY_UNSUPPORTED);
  g_assert_cmpint (b->ops->kv_store (b, &c.k, x, 3, 7), ==, ASSAY_DEVICE_FAULT);
  g_assert_cmpint (b->ops->kv_store (b, &c.k, x, 1, 4000000000u), ==, ASSAY_DEVICE_FAULT);
  a.n_heads = 4;
  a.n_tokens = 0;
  g_assert_cmpint (b->ops->attention (b, y, c.q.data, &a, NULL), ==, ASSAY_OK);
  case_clear (&c);
  b->ops->destroy (b);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/kernels/attention/equals-the-definition", test_equals_the_definition);
  g_test_add_func ("/kernels/attention/threads-do-not-change-a-bit", test_threads_do_not_change_a_bit);
  g_test_add_func ("/kernels/attention/large-scores-stay-finite", test_large_scores_stay_finite);
  g_test_add_func ("/kernels/attention/sees-a-key-too-many", test_sees_a_key_too_many);
  g_test_add_func ("/kernels/kv-store/halves-round-to-even", test_halves_round_to_even);
  g_test_add_func ("/kernels/attention/refuses-what-does-not-fit", test_refuses_what_does_not_fit);
  return g_test_run ();
}
