/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/kernels/test-attention.c: attention and the KV cache against plain sums in double.
 *
 * Tolerance 2e-6 of 1 + |y|: values are of the order of one, and a result is a weighted mean of them. Q8_0
 * caches are held to that against what they store, and against what was to be stored to two steps of theirs
 * (a 127th of the largest, 2): one of the values, one for what the keys do to the weights. */
#include <math.h>
#include <string.h>

#include "kernels-test.h"

#define TOLERANCE 2e-6
#define Q8_0_TOLERANCE (4.0 / 127)

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
  const gsize row_bytes = assay_dtype_matrix_bytes (dtype, (gint64) width, 1);
  *bytes = kt_buffer_new ((row_bytes * capacity + 3) / 4);
  memset (bytes->data, 0, bytes->n * 4);
  return (AssayTensor) { dtype, { (gint64) width, (gint64) capacity, 1, 1 }, row_bytes, bytes->data };
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
case_new (AssayBackend *b, Shape s, AssayDtype k_dtype, AssayDtype v_dtype)
{
  Case self = { .shape = s, .q = kt_buffer_new ((gsize) s.n_tokens * s.n_heads * s.dim) };
  const gsize keys = (gsize) s.first + s.n_tokens;
  self.k = cache_new (&self.k_bytes, k_dtype, (gsize) s.n_kv_heads * s.dim, keys + 2);
  self.v = cache_new (&self.v_bytes, v_dtype, (gsize) s.n_kv_heads * s.dim_v, keys + 2);
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

/* With keys and values each in a format of its own. */
static const AssayDtype caches[][2] = {
  { ASSAY_DTYPE_F32, ASSAY_DTYPE_F32 },   { ASSAY_DTYPE_F16, ASSAY_DTYPE_F16 },
  { ASSAY_DTYPE_F16, ASSAY_DTYPE_F32 },   { ASSAY_DTYPE_Q8_0, ASSAY_DTYPE_Q8_0 },
  { ASSAY_DTYPE_Q8_0, ASSAY_DTYPE_F16 },  { ASSAY_DTYPE_F16, ASSAY_DTYPE_Q8_0 },
};

static gboolean
shape_suits (const Shape *s, const AssayDtype *dtypes)
{
  return (dtypes[0] != ASSAY_DTYPE_Q8_0 || s->dim % 32 == 0)
         && (dtypes[1] != ASSAY_DTYPE_Q8_0 || s->dim_v % 32 == 0);
}

static const Shape shapes[] = {
  { 1, 1, 1, 1, 1, 0, 0, 0 },       { 9, 3, 64, 64, 1, 0, 0, 0 },     { 9, 3, 64, 64, 1, 200, 0, 0 },
  { 4, 4, 31, 33, 3, 5, 0, 0 },     { 9, 3, 64, 64, 70, 0, 0, 0 },    { 6, 1, 65, 17, 130, 3, 0, 0 },
  { 2, 1, 80, 80, 65, 100, 50, 0 }, { 2, 2, 16, 16, 1, 300, 64, 30 }, { 4, 2, 128, 128, 9, 0, 4, 50 },
  { 3, 3, 8, 40, 129, 7, 1, 0 },    { 10, 2, 32, 32, 5, 61, 0, 20 },
  { 4, 2, 64, 96, 67, 30, 40, 20 }, { 4, 2, 96, 32, 1, 150, 70, 20 }, { 2, 1, 32, 512, 6, 3, 0, 0 },
};

static void
check_shapes (AssayBackend *b, gpointer data)
{
  for (gsize i = 0; i < G_N_ELEMENTS (shapes); i++)
    for (gsize k = 0; k < G_N_ELEMENTS (caches); k++)
      {
        if (!shape_suits (&shapes[i], caches[k]))
          continue;
        Case c = case_new (b, shapes[i], caches[k][0], caches[k][1]);
        g_auto(KtBuffer) y = case_run (b, &c);
        g_autofree double *expected = case_expect (b, &c);
        if (!kt_is_close (y.data, expected, NULL, y.n, TOLERANCE))
          g_error ("%s, shape %zu, caches %zu", assay_cpu_get_kernel_name (b), i, k);
        case_clear (&c);
      }
}

static void
test_equals_the_definition (void)
{
  kt_for_each_backend (check_shapes, NULL);
}

/* The same numbers in caches of float32 say what should have come out. */
static void
check_q8_0 (AssayBackend *b, gpointer data)
{
  for (gsize i = 0; i < G_N_ELEMENTS (shapes); i++)
    for (gsize k = 1; k < G_N_ELEMENTS (caches); k++)
      {
        if (!shape_suits (&shapes[i], caches[k]))
          continue;
        Case plain = case_new (b, shapes[i], ASSAY_DTYPE_F32, ASSAY_DTYPE_F32);
        Case c = case_new (b, shapes[i], caches[k][0], caches[k][1]);
        g_auto(KtBuffer) y = case_run (b, &c);
        g_autofree double *expected = case_expect (b, &plain);
        if (!kt_is_close (y.data, expected, NULL, y.n, Q8_0_TOLERANCE))
          g_error ("%s, shape %zu, caches %zu", assay_cpu_get_kernel_name (b), i, k);
        case_clear (&plain);
        case_clear (&c);
      }
}

static void
test_small_caches_stay_near_float32 (void)
{
  kt_for_each_backend (check_q8_0, NULL);
}

static void
test_threads_do_not_change_a_bit (void)
{
  static const guint32 counts[] = { 2, 3, 5 };
  for (gsize i = 0; i < G_N_ELEMENTS (shapes); i++)
    {
      AssayBackend *one = kt_backend (ASSAY_CPU_BEST, 1, FALSE);
      const AssayDtype dtype = shapes[i].dim % 32 == 0 && i % 2 ? ASSAY_DTYPE_Q8_0 : ASSAY_DTYPE_F16;
      Case c = case_new (one, shapes[i], dtype, ASSAY_DTYPE_F16);
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
  Case c = case_new (b, (Shape) { 2, 1, 64, 64, 40, 100, 0, 0 }, ASSAY_DTYPE_F32, ASSAY_DTYPE_F32);
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
  Case c = case_new (b, (Shape) { 2, 1, 32, 32, 20, 90, 64, 0 }, ASSAY_DTYPE_F32, ASSAY_DTYPE_F32);
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

/* A block is its scale and 32 codes; a number that is none shows in its block and nowhere else. */
static void
check_q8_0_store (AssayBackend *b, gpointer data)
{
  float x[96];
  guint8 row[3 * 34 + 1];
  const AssayTensor cache = { ASSAY_DTYPE_Q8_0, { 96, 1, 1, 1 }, 3 * 34, row };
  g_auto(KtBuffer) y = kt_buffer_new (96);
  row[3 * 34] = 0xa5;
  for (gsize i = 0; i < 96; i++)
    x[i] = (float) i - 127;
  x[40] = NAN;
  g_assert_cmpint (b->ops->kv_store (b, &cache, x, 1, 0), ==, ASSAY_OK);
  g_assert_cmphex (row[3 * 34], ==, 0xa5);
  g_assert_cmphex (row[0], ==, 0x00); /* 1.0 */
  g_assert_cmphex (row[1], ==, 0x3c);
  g_assert_cmpint ((gint8) row[2], ==, -127);
  g_assert_cmpint ((gint8) row[33], ==, -96);
  g_assert_cmpint (b->ops->dequantize (b, y.data, &cache, 0, 1), ==, ASSAY_OK);
  for (gsize i = 0; i < 96; i++)
    if (i / 32 == 1)
      g_assert_true (isnan (y.data[i]));
    else
      g_assert_cmpfloat_with_epsilon (y.data[i], x[i], i < 32 ? 1e-6f : 0.3f);
}

static void
test_q8_0_stores_blocks (void)
{
  kt_for_each_backend (check_q8_0_store, NULL);
}

static void
test_refuses_broken_blocks (void)
{
  AssayBackend *b = kt_backend (ASSAY_CPU_BEST, 1, FALSE);
  float x[64] = { 0 }, y[64];
  guint8 bytes[2 * 34] = { 0 };
  const AssayTensor ragged = { ASSAY_DTYPE_Q8_0, { 48, 1, 1, 1 }, 51, bytes };
  const AssayTensor cache = { ASSAY_DTYPE_Q8_0, { 64, 1, 1, 1 }, 68, bytes };
  /* rows are whole blocks, but heads of 16 are not */
  const AssayAttention a = { &cache, &cache, 4, 4, 16, 16, 1, 0, 0, 1, 0 };
  g_assert_cmpint (b->ops->kv_store (b, &ragged, x, 1, 0), ==, ASSAY_UNSUPPORTED);
  g_assert_nonnull (strstr (b->fault, "rows of 48"));
  g_assert_cmpint (b->ops->attention (b, y, x, &a, NULL), ==, ASSAY_UNSUPPORTED);
  g_assert_nonnull (strstr (b->fault, "blocks of 32"));
  b->ops->destroy (b);
}

static void
test_refuses_what_does_not_fit (void)
{
  AssayBackend *b = kt_backend (ASSAY_CPU_BEST, 1, FALSE);
  Case c = case_new (b, (Shape) { 4, 2, 8, 8, 3, 4, 0, 0 }, ASSAY_DTYPE_F32, ASSAY_DTYPE_F32);
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
  g_test_add_func ("/kernels/attention/small-caches-stay-near-float32", test_small_caches_stay_near_float32);
  g_test_add_func ("/kernels/attention/refuses-broken-blocks", test_refuses_broken_blocks);
  g_test_add_func ("/kernels/kv-store/q8-0-stores-blocks", test_q8_0_stores_blocks);
  g_test_add_func ("/kernels/kv-store/halves-round-to-even", test_halves_round_to_even);
  g_test_add_func ("/kernels/attention/refuses-what-does-not-fit", test_refuses_what_does_not_fit);
  return g_test_run ();
}
