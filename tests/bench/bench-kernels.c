/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/bench/bench-kernels.c: how fast the CPU kernels are here.
 *
 *   bench-kernels [threads [avx512|avx2|scalar [exact]]]
 *
 * decode: GB/s of weights read, cold (a set of matrices larger than the caches) and one token. prompt: GFLOP/s with 128
 * and 512 tokens. Machines that share their cores are noisy: each figure is the best of several rounds. */
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

/* Zero bytes but for small scales: what the codes are makes no difference to the time. */
static AssayTensor
make_weight (AssayDtype dtype, size_t n, size_t rows)
{
  const AssayDtypeInfo *info = assay_dtype_info (dtype);
  const size_t row_bytes = n / info->block_elements * info->block_bytes;
  uint8_t *bytes = malloc (row_bytes * rows);
  memset (bytes, 0x11, row_bytes * rows);
  return (AssayTensor) { dtype, { (int64_t) n, (int64_t) rows, 1, 1 }, row_bytes, bytes };
}

static double
best_seconds (AssayBackend *b, const AssayTensor *w, size_t n_tokens)
{
  const size_t n = (size_t) w->shape[0], rows = (size_t) w->shape[1];
  float *x = malloc (n * n_tokens * sizeof *x), *y = malloc (rows * n_tokens * sizeof *y);
  void *workspace = NULL;
  double best = 1e9;
  b->ops->alloc (b, b->ops->matmul_workspace (b, w, n_tokens), &workspace);
  for (size_t i = 0; i < n * n_tokens; i++)
    x[i] = (float) (i % 17) - 8;
  for (int i = 0; i < ROUNDS; i++)
    {
      const double start = now ();
      b->ops->matmul (b, y, w, x, n_tokens, NULL, workspace);
      const double took = now () - start;
      best = took < best ? took : best;
    }
  b->ops->free (b, workspace, 0);
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
  printf ("%-8s decode %6.1f GB/s cold, %6.1f hot   prompt %7.0f GFLOP/s at 128, %7.0f at 512\n",
          assay_dtype_info (dtype)->name, 1e-9 * (double) large.row_bytes * 65536 / decode,
          1e-9 * (double) small.row_bytes * 576 / hot, 2e-9 * 1536 * 576 * 128 / prompt,
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
  void *k = calloc (keys * width, info->block_bytes), *v = calloc (keys * width, info->block_bytes);
  const AssayTensor kt = { dtype, { (int64_t) width, (int64_t) keys, 1, 1 }, width * info->block_bytes, k };
  AssayTensor vt = kt;
  AssayAttention a = { .k = &kt, .v = &vt, .n_heads = 9, .n_kv_heads = 3, .head_dim = 64, .head_dim_v = 64, .scale = 0.125f };
  vt.data = v;
  a.n_tokens = 512;
  const double prompt = attention_seconds (b, &a);
  a.n_tokens = 1;
  a.first = 511;
  const double decode = attention_seconds (b, &a);
  printf ("attention over a %s cache, 9 heads of 64 on 3: 512 queries %.2f ms (%.0f GFLOP/s), one query at 511 %.1f us\n",
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

int
main (int argc, char *argv[])
{
  static const AssayDtype dtypes[] = { ASSAY_DTYPE_F32, ASSAY_DTYPE_F16, ASSAY_DTYPE_BF16, ASSAY_DTYPE_Q4_0, ASSAY_DTYPE_Q4_1,
                                       ASSAY_DTYPE_Q5_0, ASSAY_DTYPE_Q5_1, ASSAY_DTYPE_Q8_0, ASSAY_DTYPE_Q2_K,
                                       ASSAY_DTYPE_Q3_K, ASSAY_DTYPE_Q4_K, ASSAY_DTYPE_Q5_K, ASSAY_DTYPE_Q6_K,
                                       ASSAY_DTYPE_IQ4_NL, ASSAY_DTYPE_IQ4_XS };
  AssayCpuOptions options = { .n_threads = argc > 1 ? (uint32_t) atoi (argv[1]) : 0, .isa = ASSAY_CPU_BEST };
  if (argc > 2)
    options.isa = strcmp (argv[2], "avx2") == 0 ? ASSAY_CPU_AVX2
                  : strcmp (argv[2], "scalar") == 0 ? ASSAY_CPU_SCALAR : ASSAY_CPU_AVX512;
  options.exact = argc > 3;
  AssayBackend *b = assay_cpu_backend_new (&options);
  if (b == NULL)
    {
      fprintf (stderr, "this processor cannot run that version\n");
      return 1;
    }
  printf ("%s, %u threads\n", assay_cpu_get_kernel_name (b), assay_cpu_get_n_threads (b));
  bench_overhead (b);
  bench_attention (b, ASSAY_DTYPE_F32);
  bench_attention (b, ASSAY_DTYPE_F16);
  for (size_t i = 0; i < sizeof dtypes / sizeof dtypes[0]; i++)
    bench_format (b, dtypes[i]);
  b->ops->destroy (b);
  return 0;
}
