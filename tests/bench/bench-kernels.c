/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/bench/bench-kernels.c: how fast the CPU kernels are here.
 *
 *   bench-kernels [threads [avx512|avx2|scalar [exact|float16|bfloat16|int8]]]
 *
 * decode: GB/s of weights read, cold (a set of matrices larger than the caches) and one token. prompt:
 * GFLOP/s with 128 and 512 tokens. Machines that share their cores are noisy: each figure is the best of
 * several rounds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels.h"

#define ROUNDS 7

static double
now (void)
{
  struct timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

static size_t
matrix_bytes (AssayDtype dtype, size_t n, size_t rows)
{
  return assay_dtype_matrix_bytes (dtype, (int64_t) n, (int64_t) rows);
}

/* Like bytes, which make small scales: what the codes are makes no difference to the time. */
static AssayTensor
make_weight (AssayDtype dtype, size_t n, size_t rows)
{
  const size_t size = matrix_bytes (dtype, n, rows);
  uint8_t *bytes = malloc (size);
  memset (bytes, 0x11, size);
  return (AssayTensor) { dtype, { (int64_t) n, (int64_t) rows, 1, 1 },
                         assay_dtype_info (dtype)->whole ? 0 : matrix_bytes (dtype, n, 1), bytes };
}

static double
best_seconds (AssayBackend *b, const AssayTensor *w, size_t n_tokens)
{
  const size_t n = (size_t) w->shape[0], rows = (size_t) w->shape[1];
  float *x = malloc (n * n_tokens * sizeof *x), *y = malloc (rows * n_tokens * sizeof *y);
  void *workspace = NULL;
  double best = 1e9;
  const size_t bytes = b->ops->matmul_workspace (b, w, n_tokens);
  b->ops->alloc (b, bytes, &workspace);
  for (size_t i = 0; i < n * n_tokens; i++)
    x[i] = (float) (i % 17) / 2 - 4; /* no outliers to LLM.int8() */
  for (int i = 0; i < ROUNDS; i++)
    {
      const double start = now ();
      b->ops->matmul (b, y, w, x, n_tokens, NULL, workspace);
      const double took = now () - start;
      best = took < best ? took : best;
    }
  b->ops->free (b, workspace, bytes);
  free (x);
  free (y);
  return best;
}

static void
bench_format (AssayBackend *b, AssayDtype dtype)
{
  const AssayTensor large = make_weight (dtype, 2048, 65536), small = make_weight (dtype, 1536, 576);
  const double decode = best_seconds (b, &large, 1);
  const double hot = best_seconds (b, &small, 1);
  const double prompt = best_seconds (b, &small, 128), long_prompt = best_seconds (b, &small, 512);
  printf ("%-10s decode %6.1f GB/s cold, %6.1f hot   prompt %7.0f GFLOP/s at 128, %7.0f at 512\n",
          assay_dtype_info (dtype)->name, 1e-9 * (double) matrix_bytes (dtype, 2048, 65536) / decode,
          1e-9 * (double) matrix_bytes (dtype, 1536, 576) / hot, 2e-9 * 1536 * 576 * 128 / prompt,
          2e-9 * 1536 * 576 * 512 / long_prompt);
  fflush (stdout);
  free ((void *) large.data);
  free ((void *) small.data);
}

static double
attention_seconds (AssayBackend *b, AssayAttention *a)
{
  const size_t n = (size_t) a->n_tokens * a->n_heads * a->head_dim;
  float *q = calloc (n, sizeof *q), *y = calloc (n, sizeof *y);
  void *workspace = NULL;
  double best = 1e9;
  b->ops->alloc (b, b->ops->attention_workspace (b, a), &workspace);
  for (int i = 0; i < ROUNDS; i++)
    {
      const double start = now ();
      b->ops->attention (b, y, q, a, workspace);
      const double took = now () - start;
      best = took < best ? took : best;
    }
  b->ops->free (b, workspace, 0);
  free (q);
  free (y);
  return best;
}

static void
bench_attention (AssayBackend *b, AssayDtype dtype)
{
  const AssayDtypeInfo *info = assay_dtype_info (dtype);
  const size_t width = 192, keys = 2048;
  const size_t row_bytes = matrix_bytes (dtype, width, 1);
  void *k = calloc (keys, row_bytes), *v = calloc (keys, row_bytes);
  const AssayTensor kt = { dtype, { (int64_t) width, (int64_t) keys, 1, 1 }, row_bytes, k };
  AssayTensor vt = kt;
  AssayAttention a = {
    .k = &kt, .v = &vt, .n_heads = 9, .n_kv_heads = 3, .head_dim = 64, .head_dim_v = 64, .scale = 0.125f
  };
  vt.data = v;
  a.n_tokens = 512;
  const double prompt = attention_seconds (b, &a);
  a.n_tokens = 1;
  a.first = 511;
  const double decode = attention_seconds (b, &a);
  printf ("attention over a %s cache, 9 heads of 64 on 3: 512 queries %.2f ms (%.0f GFLOP/s), one query at "
          "511 %.1f us\n",
          info->name, 1e3 * prompt, 1e-9 * 4 * 64 * 9 * 512 * 513 / 2 / prompt, 1e6 * decode);
  free (k);
  free (v);
}

static void
bench_overhead (AssayBackend *b)
{
  static float x[576], y[192];
  const AssayTensor w = make_weight (ASSAY_DTYPE_Q4_1, 576, 192);
  void *workspace = NULL;
  double best = 1e9;
  b->ops->alloc (b, b->ops->matmul_workspace (b, &w, 1), &workspace);
  for (int i = 0; i < 50; i++)
    {
      const double start = now ();
      for (int k = 0; k < 100; k++)
        b->ops->matmul (b, y, &w, x, 1, NULL, workspace);
      best = now () - start < best ? now () - start : best;
    }
  printf ("one 576 x 192 Q4_1 product, hot: %.2f us\n", 1e4 * best);
  b->ops->free (b, workspace, 0);
  free ((void *) w.data);
}

/* A small llama: 30 layers of 576 with 9 heads on 3, feed-forward 1536, 49152 tokens. */
enum { N = 576, N_KV = 192, N_FF = 1536, N_LAYERS = 30, N_VOCAB = 49152, CONTEXT = 1024 };

typedef struct
{
  AssayTensor q, k, v, o, gate, up, down, k_cache, v_cache;
} Layer;

typedef struct
{
  Layer layers[N_LAYERS];
  AssayTensor table;
  float *norm, *x, *h, *q, *k, *v, *a, *b, *logits;
  void *workspace;
} Model;

static AssayTensor
make_cache (void)
{
  AssayTensor t = make_weight (ASSAY_DTYPE_F16, N_KV, CONTEXT);
  memset ((void *) t.data, 0, t.row_bytes * CONTEXT);
  return t;
}

static Model *
make_model (AssayBackend *b)
{
  Model *m = calloc (1, sizeof *m);
  void *floats = calloc ((size_t) CONTEXT * (4 * N + 2 * N_KV + 2 * N_FF) + N + N_VOCAB, sizeof (float));
  m->norm = floats;
  m->x = m->norm + N;
  m->h = m->x + CONTEXT * N;
  m->q = m->h + CONTEXT * N;
  m->k = m->q + 2 * CONTEXT * N;
  m->v = m->k + CONTEXT * N_KV;
  m->a = m->v + CONTEXT * N_KV;
  m->b = m->a + CONTEXT * N_FF;
  m->logits = m->b + CONTEXT * N_FF;
  m->table = make_weight (ASSAY_DTYPE_Q8_0, N, N_VOCAB);
  for (int i = 0; i < N_LAYERS; i++)
    m->layers[i] = (Layer) { make_weight (ASSAY_DTYPE_Q4_1, N, N), make_weight (ASSAY_DTYPE_Q4_1, N, N_KV),
                             make_weight (ASSAY_DTYPE_Q4_1, N, N_KV), make_weight (ASSAY_DTYPE_Q4_1, N, N),
                             make_weight (ASSAY_DTYPE_Q4_1, N, N_FF), make_weight (ASSAY_DTYPE_Q4_1, N, N_FF),
                             make_weight (ASSAY_DTYPE_Q4_1, N_FF, N), make_cache (), make_cache () };
  b->ops->alloc (b, 64 << 20, &m->workspace);
  return m;
}

static void
model_layer (AssayBackend *b, Model *m, const Layer *l, size_t n, uint32_t first)
{
  const AssayKernels *ops = b->ops;
  const AssayRope rope = { 64, true, 10000, 1, 1, NULL };
  const AssayAttention attention
    = { &l->k_cache, &l->v_cache, 9, 3, 64, 64, (uint32_t) n, first, 0, 0.125f, 0 };
  ops->rmsnorm (b, m->h, m->x, m->norm, n, N, 1e-5f);
  ops->matmul (b, m->q, &l->q, m->h, n, NULL, m->workspace);
  ops->matmul (b, m->k, &l->k, m->h, n, NULL, m->workspace);
  ops->matmul (b, m->v, &l->v, m->h, n, NULL, m->workspace);
  ops->rope (b, m->q, &rope, n, 9, 64, first);
  ops->rope (b, m->k, &rope, n, 3, 64, first);
  ops->kv_store (b, &l->k_cache, m->k, n, first);
  ops->kv_store (b, &l->v_cache, m->v, n, first);
  ops->attention (b, m->h, m->q, &attention, m->workspace);
  ops->matmul (b, m->q, &l->o, m->h, n, NULL, m->workspace);
  ops->add (b, m->x, m->q, n * N, 1.0f);
  ops->rmsnorm (b, m->h, m->x, m->norm, n, N, 1e-5f);
  ops->matmul (b, m->a, &l->gate, m->h, n, NULL, m->workspace);
  ops->matmul (b, m->b, &l->up, m->h, n, NULL, m->workspace);
  ops->gated (b, m->a, m->a, m->b, n * N_FF, ASSAY_ACTIVATION_SILU);
  ops->matmul (b, m->q, &l->down, m->a, n, NULL, m->workspace);
  ops->add (b, m->x, m->q, n * N, 1.0f);
}

static double
model_seconds (AssayBackend *b, Model *m, size_t n, uint32_t first)
{
  const AssaySampling greedy = { 0, 1, 0, 1, 1, 1 };
  const double start = now ();
  int32_t token;
  for (size_t i = 0; i < n * N; i++)
    m->x[i] = (float) (i % 13) - 6;
  for (int i = 0; i < N_LAYERS; i++)
    model_layer (b, m, &m->layers[i], n, first);
  b->ops->rmsnorm (b, m->h, m->x + (n - 1) * N, m->norm, 1, N, 1e-5f);
  b->ops->matmul (b, m->logits, &m->table, m->h, 1, NULL, m->workspace);
  b->ops->sample (b, &token, m->logits, N_VOCAB, &greedy, m->workspace);
  return now () - start;
}

static void
bench_model (AssayBackend *b)
{
  Model *m = make_model (b);
  double prompt = 1e9, decode = 1e9;
  for (int i = 0; i < ROUNDS; i++)
    {
      const double a = model_seconds (b, m, 512, 0);
      prompt = a < prompt ? a : prompt;
      for (uint32_t k = 0; k < 32; k++)
        {
          const double token = model_seconds (b, m, 1, 512 + k);
          decode = token < decode ? token : decode;
        }
    }
  printf ("a 135M llama in Q4_1: prompt of 512 %.0f tokens/s, decode behind it %.1f tokens/s\n", 512 / prompt,
          1 / decode);
  b->ops->free (b, m->workspace, 0);
  for (int i = 0; i < N_LAYERS; i++)
    for (size_t k = 0; k < sizeof (Layer) / sizeof (AssayTensor); k++)
      free ((void *) ((AssayTensor *) &m->layers[i])[k].data);
  free ((void *) m->table.data);
  free (m->norm);
  free (m);
}

static AssayCompute
compute_of (const char *name)
{
  return strcmp (name, "exact") == 0      ? ASSAY_COMPUTE_F32
         : strcmp (name, "float16") == 0  ? ASSAY_COMPUTE_F16
         : strcmp (name, "bfloat16") == 0 ? ASSAY_COMPUTE_BF16
                                          : ASSAY_COMPUTE_INT8;
}

int
main (int argc, char *argv[])
{
  static const AssayDtype dtypes[]
    = { ASSAY_DTYPE_F32,  ASSAY_DTYPE_F16,  ASSAY_DTYPE_BF16, ASSAY_DTYPE_Q4_0,   ASSAY_DTYPE_Q4_1,
        ASSAY_DTYPE_Q5_0, ASSAY_DTYPE_Q5_1, ASSAY_DTYPE_Q8_0, ASSAY_DTYPE_Q2_K,   ASSAY_DTYPE_Q3_K,
        ASSAY_DTYPE_Q4_K, ASSAY_DTYPE_Q5_K, ASSAY_DTYPE_Q6_K, ASSAY_DTYPE_IQ4_NL, ASSAY_DTYPE_IQ4_XS,
        ASSAY_DTYPE_NF4,  ASSAY_DTYPE_FP4,  ASSAY_DTYPE_NF4_DOUBLE, ASSAY_DTYPE_INT8 };
  AssayCpuOptions options = { .n_threads = argc > 1 ? (uint32_t) atoi (argv[1]) : 0, .isa = ASSAY_CPU_BEST };
  if (argc > 2)
    options.isa = strcmp (argv[2], "avx2") == 0 ? ASSAY_CPU_AVX2
                  : strcmp (argv[2], "scalar") == 0 ? ASSAY_CPU_SCALAR : ASSAY_CPU_AVX512;
  options.compute = compute_of (argc > 3 ? argv[3] : "int8");
  AssayBackend *b = assay_cpu_backend_new (&options);
  if (b == NULL)
    {
      fprintf (stderr, "this processor cannot run that version\n");
      return 1;
    }
  printf ("%s, %u threads\n", assay_cpu_get_kernel_name (b), assay_cpu_get_n_threads (b));
  bench_overhead (b);
  bench_model (b);
  bench_attention (b, ASSAY_DTYPE_F32);
  bench_attention (b, ASSAY_DTYPE_F16);
  bench_attention (b, ASSAY_DTYPE_Q8_0);
  for (size_t i = 0; i < sizeof dtypes / sizeof dtypes[0]; i++)
    bench_format (b, dtypes[i]);
  b->ops->destroy (b);
  return 0;
}
