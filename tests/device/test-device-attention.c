/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/test-device-attention.c: attention on the emulated device: grouped heads, windows, soft caps,
 * small caches, few queries with keys split among blocks. */
#include <math.h>
#include <string.h>

#include "device-test.h"

typedef struct
{
  guint n_kv_heads, group, head_dim, head_dim_v, n_tokens, first, window;
  float soft_cap;
  AssayDtype k, v;
} Shape;

/* A cache as the CPU's kv_store() fills it, `capacity` rows. */
static AssayTensor
cache_new (DtPair *pair, AssayDtype dtype, gsize width, gsize n_rows, gsize capacity)
{
  const AssayDtypeInfo *info = assay_dtype_info (dtype);
  const gsize row_bytes = width / info->block_elements * info->block_bytes;
  g_autofree float *x = dt_random (width * n_rows, -2, 2);
  const AssayTensor cache = {
    dtype, { (gint64) width, (gint64) capacity, 1, 1 }, row_bytes, g_malloc (row_bytes * capacity + 1)
  };
  memset ((gpointer) cache.data, 0xff, row_bytes * capacity);
  g_assert_cmpint (pair->cpu->ops->kv_store (pair->cpu, &cache, x, n_rows, 0), ==, ASSAY_OK);
  return cache;
}

static void
check_attention (DtPair *pair, const Shape *s)
{
  AssayBackend *cpu = pair->cpu, *b = pair->device;
  const guint n_heads = s->n_kv_heads * s->group;
  const gsize keys = s->first + s->n_tokens, n_q = (gsize) s->n_tokens * n_heads * s->head_dim,
              n_y = (gsize) s->n_tokens * n_heads * s->head_dim_v;
  AssayTensor k = cache_new (pair, s->k, s->n_kv_heads * s->head_dim, keys, keys + 3),
              v = cache_new (pair, s->v, s->n_kv_heads * s->head_dim_v, keys, keys + 3);
  const AssayTensor on_k = dt_put_tensor (pair, &k, dt_tensor_bytes (&k)),
                    on_v = dt_put_tensor (pair, &v, dt_tensor_bytes (&v));
  g_autofree float *q = dt_random (n_q, -3, 3), *y = g_new (float, n_y + 1);
  const float scale = (float) (1 / sqrt (s->head_dim));
  const AssayAttention a = { &k,          &v,       n_heads,   s->n_kv_heads, s->head_dim, s->head_dim_v,
                             s->n_tokens, s->first, s->window, scale,         s->soft_cap };
  AssayAttention there = a;
  there.k = &on_k;
  there.v = &on_v;
  g_autofree guint8 *workspace = g_malloc (cpu->ops->attention_workspace (cpu, &a) + 1);
  gpointer on_workspace = dt_put (pair, NULL, b->ops->attention_workspace (b, &there));
  const float *on_q = dt_put (pair, q, n_q * 4);
  float *on_y = dt_put (pair, NULL, n_y * 4);
  g_autofree char *label = g_strdup_printf (
      "%u key heads of %u and %u, %u each, %u tokens from %u, window %u, cap %g, %s and %s", s->n_kv_heads,
      s->head_dim, s->head_dim_v, s->group, s->n_tokens, s->first, s->window, (double) s->soft_cap,
      assay_dtype_info (s->k)->name, assay_dtype_info (s->v)->name);
  dt_both (pair, cpu->ops->attention (cpu, y, q, &a, workspace),
           b->ops->attention (b, on_y, on_q, &there, on_workspace));
  dt_check (pair, on_y, y, NULL, n_y, 1e-5, label);
  dt_release (pair);
  kt_weight_clear (&k);
  kt_weight_clear (&v);
}

static AssayDtype
any_cache (guint head_dim)
{
  static const AssayDtype dtypes[] = { ASSAY_DTYPE_F32, ASSAY_DTYPE_F16, ASSAY_DTYPE_Q8_0 };
  return dtypes[g_test_rand_int_range (0, head_dim % 32 == 0 ? 3 : 2)];
}

static void
test_random_shapes (void)
{
  static const guint dims[] = { 1, 5, 31, 32, 33, 64, 80, 96, 128 }, tokens[] = { 1, 1, 2, 5, 17, 33 };
  DtPair pair;
  dt_open (&pair, ASSAY_COMPUTE_F32, 0);
  for (int i = 0; i < 40; i++)
    {
      Shape s = { (guint) g_test_rand_int_range (1, 4), (guint) g_test_rand_int_range (1, 5) };
      s.head_dim = dims[g_test_rand_int_range (0, G_N_ELEMENTS (dims))];
      s.head_dim_v = g_test_rand_bit () ? s.head_dim : dims[g_test_rand_int_range (0, G_N_ELEMENTS (dims))];
      s.n_tokens = tokens[g_test_rand_int_range (0, G_N_ELEMENTS (tokens))];
      s.first = (guint) dt_size (70);
      s.window = i % 3 ? 0 : (guint) g_test_rand_int_range (1, 40);
      s.soft_cap = i % 4 ? 0 : 2.5f;
      s.k = any_cache (s.head_dim);
      s.v = any_cache (s.head_dim_v);
      check_attention (&pair, &s);
    }
  dt_close (&pair);
}

/* One query over many keys: they are shared out among blocks. */
static void
test_long_contexts (void)
{
  static const guint keys[] = { 127, 128, 129, 513, 1300, 2049 };
  DtPair pair;
  dt_open (&pair, ASSAY_COMPUTE_F32, 0);
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    for (guint window = 0; window < 1000; window += 700)
      {
        const Shape s = { 1 + i % 2,
                          3,
                          64,
                          32,
                          1 + i % 3,
                          keys[i] - 1,
                          window,
                          i % 2 ? 0 : 30.0f,
                          i % 2 ? ASSAY_DTYPE_F16 : ASSAY_DTYPE_Q8_0,
                          ASSAY_DTYPE_F16 };
        check_attention (&pair, &s);
      }
  dt_close (&pair);
}

/* Scores whose exponentials would overflow. */
static void
test_large_scores (void)
{
  DtPair pair;
  dt_open (&pair, ASSAY_COMPUTE_F32, 0);
  AssayBackend *b = pair.device;
  AssayTensor k = cache_new (&pair, ASSAY_DTYPE_F32, 32, 90, 90),
              v = cache_new (&pair, ASSAY_DTYPE_F32, 32, 90, 90);
  const AssayTensor on_k = dt_put_tensor (&pair, &k, dt_tensor_bytes (&k)),
                    on_v = dt_put_tensor (&pair, &v, dt_tensor_bytes (&v));
  g_autofree float *q = dt_random (32, 500, 900), *y = g_new (float, 32), *workspace = g_new (float, 100000);
  AssayAttention a = { &k, &v, 1, 1, 32, 32, 1, 89, 0, 1, 0 };
  float *on_q = dt_put (&pair, q, 128), *on_y = dt_put (&pair, NULL, 128);
  g_assert_cmpuint (pair.cpu->ops->attention_workspace (pair.cpu, &a), <=, 400000);
  g_assert_cmpint (pair.cpu->ops->attention (pair.cpu, y, q, &a, workspace), ==, ASSAY_OK);
  a.k = &on_k;
  a.v = &on_v;
  gpointer on_workspace = dt_put (&pair, NULL, b->ops->attention_workspace (b, &a));
  g_assert_cmpint (b->ops->attention (b, on_y, on_q, &a, on_workspace), ==, ASSAY_OK);
  dt_check (&pair, on_y, y, NULL, 32, 1e-4, "large scores");
  for (int i = 0; i < 32; i++)
    g_assert_true (isfinite (y[i]));
  kt_weight_clear (&k);
  kt_weight_clear (&v);
  dt_close (&pair);
}

static void
test_no_tokens_and_wrong_shapes (void)
{
  DtPair pair;
  dt_open (&pair, ASSAY_COMPUTE_F32, 0);
  AssayBackend *b = pair.device;
  AssayTensor k = cache_new (&pair, ASSAY_DTYPE_F32, 64, 9, 9);
  const AssayTensor on_k = dt_put_tensor (&pair, &k, dt_tensor_bytes (&k));
  float *memory = dt_put (&pair, NULL, 4096);
  AssayAttention a = { &on_k, &on_k, 4, 2, 32, 32, 0, 0, 0, 1, 0 };
  g_assert_cmpint (b->ops->attention (b, memory, memory, &a, memory), ==, ASSAY_OK);
  a.n_tokens = 1;
  a.first = 9;
  g_assert_cmpint (b->ops->attention (b, memory, memory, &a, memory), ==, ASSAY_UNSUPPORTED);
  a.first = 0;
  a.n_heads = 3;
  g_assert_cmpint (b->ops->attention (b, memory, memory, &a, memory), ==, ASSAY_UNSUPPORTED);
  g_assert_cmpstr (b->fault, !=, "");
  kt_weight_clear (&k);
  dt_close (&pair);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/device/attention/random-shapes-are-the-cpus", test_random_shapes);
  g_test_add_func ("/device/attention/long-contexts-are-the-cpus", test_long_contexts);
  g_test_add_func ("/device/attention/large-scores-stay-finite", test_large_scores);
  g_test_add_func ("/device/attention/no-tokens-and-wrong-shapes", test_no_tokens_and_wrong_shapes);
  return g_test_run ();
}
