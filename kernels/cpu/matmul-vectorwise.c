/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cpu/matmul-vectorwise.c: products as LLM.int8() has them, of weights whose rows and of activations
 * whose tokens are 8-bit codes with one scale each.
 *
 * A column where any token of the call has an activation of 6 or more is an outlier: it leaves the integer
 * product and is multiplied in the activations' own form with dequantized weights. So a result depends on the
 * tokens beside it, as it does in bitsandbytes, whose rounding is kept step by step. */
#include "cpu.h"
#include "whole-format.h"

#include <math.h>
#include <string.h>

/* Below 6 by half a step of float16: from here on rounding gives 6, ties going to even. */
#define OUTLIER_LIMIT (ASSAY_INT8_THRESHOLD - 0x1p-9f)

#define CHUNK_ROWS 32u
#define TILE_TOKENS 64u     /* met by the rows of a chunk before the next ones: their codes stay in the cache */
#define OUTLIER_BLOCK 32u   /* columns multiplied at a time */
#define CHUNK_TOKENS 16u
#define CHUNK_ACTIVATIONS 65536u

#define UNIT 7.874015718698502e-3f          /* 1 / 127 */
#define UNIT_SQUARED 6.200012400024800e-5f  /* 1 / 127^2 */

typedef struct
{
  const CpuIsa *isa;
  const AssayTensor *w;
  float *y;
  const float *x, *bias;
  AssayDtype dtype;             /* of the activations: F32, F16 or BF16 */
  size_t n, n_rows, n_tokens, columns_per_chunk, rows_per_chunk;
  const int8_t *weights;        /* [n_rows, n] */
  const uint8_t *scales;        /* float [n_rows] */
  int8_t *codes;                /* [n_tokens, stride of n] */
  CpuToken *tokens;             /* [n_tokens] */
  uint8_t *is_outlier;          /* [n] */
  uint32_t *outliers;           /* [n_outliers] of n */
  size_t n_outliers;
} VectorwiseJob;

static size_t
vectorwise_place (VectorwiseJob *job, uint8_t *workspace)
{
  const size_t codes = job->n_tokens * cpu_vectorwise_stride (job->n);
  const size_t tokens = codes + cpu_round_up (job->n_tokens * sizeof (CpuToken), 64);
  const size_t flags = tokens + cpu_round_up (job->n, 64);
  if (workspace != NULL)
    {
      job->codes = (int8_t *) workspace;
      job->tokens = (CpuToken *) (workspace + codes);
      job->is_outlier = workspace + tokens;
      job->outliers = (uint32_t *) (workspace + flags);
    }
  return flags + cpu_round_up (job->n * sizeof *job->outliers, 64);
}

size_t
cpu_vectorwise_bytes (const AssayTensor *w, size_t n_tokens)
{
  VectorwiseJob job = { .n = (size_t) w->shape[0], .n_tokens = n_tokens };
  return vectorwise_place (&job, NULL);
}

static void
vectorwise_find_chunk (void *data, uint32_t chunk, uint32_t worker)
{
  const VectorwiseJob *job = data;
  const size_t first = chunk * job->columns_per_chunk, count = cpu_min (job->n - first, job->columns_per_chunk);
  uint8_t *flags = job->is_outlier + first;
  (void) worker;
  memset (flags, 0, count);
  for (size_t t = 0; t < job->n_tokens; t++)
    {
      const float *x = job->x + t * job->n + first;
      for (size_t i = 0; i < count; i++)
        flags[i] |= fabsf (x[i]) >= OUTLIER_LIMIT;
    }
}

static void
vectorwise_find_outliers (CpuPool *pool, VectorwiseJob *job)
{
  job->columns_per_chunk = cpu_round_up (CHUNK_ACTIVATIONS / job->n_tokens + 1, 64);
  cpu_pool_run (pool, vectorwise_find_chunk, job,
                (uint32_t) ((job->n + job->columns_per_chunk - 1) / job->columns_per_chunk));
  for (size_t i = 0; i < job->n; i++)
    if (job->is_outlier[i])
      job->outliers[job->n_outliers++] = (uint32_t) i;
}

static void
vectorwise_quantize (const VectorwiseJob *job, size_t t)
{
  int8_t *codes = job->codes + t * cpu_vectorwise_stride (job->n);
  CpuToken *token = &job->tokens[t];
  token->scale = job->isa->quantize_vectorwise (codes, job->x + t * job->n, job->n);
  token->sum = 0;
  for (size_t i = 0; i < job->n_outliers; i++)
    codes[job->outliers[i]] = 0;
  for (size_t i = 0; i < job->n; i++)
    token->sum += codes[i];
  memset (codes + job->n, 0, cpu_vectorwise_stride (job->n) - job->n);
}

static void
vectorwise_quantize_chunk (void *data, uint32_t chunk, uint32_t worker)
{
  const VectorwiseJob *job = data;
  const size_t first = CHUNK_TOKENS * (size_t) chunk;
  (void) worker;
  for (size_t t = first; t < cpu_min (first + CHUNK_TOKENS, job->n_tokens); t++)
    vectorwise_quantize (job, t);
}

/* Results are in the activations' form. */
static void
vectorwise_round (const VectorwiseJob *job, float *y, size_t n)
{
  if (job->dtype != ASSAY_DTYPE_F32)
    job->isa->round (y, y, job->dtype, n);
}

static void
vectorwise_read_scales (const VectorwiseJob *job, float *scales, size_t first, size_t n_rows)
{
  memcpy (scales, job->scales + first * sizeof *scales, n_rows * sizeof *scales);
}

/* The integer product of up to CHUNK_ROWS rows and TILE_TOKENS tokens. */
static void
vectorwise_tile (const VectorwiseJob *job, size_t first, size_t n_rows, size_t t, size_t n_tokens)
{
  int32_t sums[TILE_TOKENS * CHUNK_ROWS];
  float scales[CHUNK_ROWS];
  vectorwise_read_scales (job, scales, first, n_rows);
  job->isa->dot_vectorwise (sums, CHUNK_ROWS, job->weights + first * job->n, n_rows,
                            job->codes + t * cpu_vectorwise_stride (job->n), job->tokens + t, n_tokens, job->n);
  for (size_t i = 0; i < n_tokens; i++)
    {
      float *y = job->y + (t + i) * job->n_rows + first;
      for (size_t r = 0; r < n_rows; r++)
        y[r] = (float) sums[i * CHUNK_ROWS + r] * (job->tokens[t + i].scale * scales[r]) * UNIT_SQUARED;
      for (size_t r = 0; job->bias != NULL && r < n_rows; r++)
        y[r] += job->bias[first + r];
      vectorwise_round (job, y, n_rows);
    }
}

/* Up to OUTLIER_BLOCK columns of up to CHUNK_ROWS rows. */
static void
vectorwise_add_outliers (const VectorwiseJob *job, size_t first, size_t n_rows, const uint32_t *columns, size_t n)
{
  float weights[CHUNK_ROWS * OUTLIER_BLOCK], x[OUTLIER_BLOCK], scales[CHUNK_ROWS];
  vectorwise_read_scales (job, scales, first, n_rows);
  for (size_t r = 0; r < n_rows; r++)
    {
      for (size_t i = 0; i < n; i++)
        weights[r * n + i]
          = (float) job->weights[(first + r) * job->n + columns[i]] * scales[r] * UNIT;
      vectorwise_round (job, weights + r * n, n);
    }
  for (size_t t = 0; t < job->n_tokens; t++)
    {
      for (size_t i = 0; i < n; i++)
        x[i] = job->x[t * job->n + columns[i]];
      for (size_t r = 0; r < n_rows; r++)
        job->y[t * job->n_rows + first + r] += job->isa->dot (x, weights + r * n, ASSAY_DTYPE_F32, n);
    }
}

static void
vectorwise_rows (const VectorwiseJob *job, size_t first, size_t n_rows)
{
  for (size_t t = 0; t < job->n_tokens; t += TILE_TOKENS)
    vectorwise_tile (job, first, n_rows, t, cpu_min (job->n_tokens - t, TILE_TOKENS));
  if (job->n_outliers == 0)
    return;
  for (size_t i = 0; i < job->n_outliers; i += OUTLIER_BLOCK)
    vectorwise_add_outliers (job, first, n_rows, job->outliers + i,
                             cpu_min (job->n_outliers - i, OUTLIER_BLOCK));
  for (size_t t = 0; t < job->n_tokens; t++)
    vectorwise_round (job, job->y + t * job->n_rows + first, n_rows);
}

static void
vectorwise_chunk (void *data, uint32_t chunk, uint32_t worker)
{
  const VectorwiseJob *job = data;
  const size_t first = chunk * job->rows_per_chunk, end = cpu_min (first + job->rows_per_chunk, job->n_rows);
  (void) worker;
  for (size_t r = first; r < end; r += CHUNK_ROWS)
    vectorwise_rows (job, r, cpu_min (end - r, CHUNK_ROWS));
}

void
cpu_vectorwise (CpuBackend *self, float *y, const AssayTensor *w, const float *x, AssayDtype dtype,
                size_t n_tokens, const float *bias, void *workspace)
{
  AssayWholeLayout layout;
  VectorwiseJob job = { .isa = self->isa, .w = w, .y = y, .x = x, .bias = bias, .dtype = dtype,
                        .n = (size_t) w->shape[0], .n_rows = (size_t) w->shape[1], .n_tokens = n_tokens };
  assay_whole_layout (w->dtype, w->shape[0], w->shape[1], &layout);
  job.weights = w->data;
  job.scales = (const uint8_t *) w->data + layout.scale;
  vectorwise_place (&job, workspace);
  vectorwise_find_outliers (self->pool, &job);
  cpu_pool_run (self->pool, vectorwise_quantize_chunk, &job,
                (uint32_t) ((n_tokens + CHUNK_TOKENS - 1) / CHUNK_TOKENS));
  job.rows_per_chunk = cpu_round_up (CHUNK_ACTIVATIONS / (job.n * n_tokens + 1) + 1, CHUNK_ROWS);
  cpu_pool_run (self->pool, vectorwise_chunk, &job,
                (uint32_t) ((job.n_rows + job.rows_per_chunk - 1) / job.rows_per_chunk));
}
