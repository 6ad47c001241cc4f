/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cpu/matmul-vectorwise.c: products as LLM.int8() has them, of weights whose rows and of activations
 * whose tokens are 8-bit codes with one scale each.
 *
 * A column where any token of the call has an activation of 6 or more is an outlier: it leaves the integer
 * product and is multiplied in the activations' own form with dequantized weights. So a result depends on the
 * tokens beside it, as it does in bitsandbytes, whose rounding is kept step by step. */
#include "cpu.h"
#include "shared/int8.h"
#include "whole-format.h"

#include <math.h>
#include <string.h>

#define CHUNK_ROWS 32u      /* whole panels on every instruction set */
#define TILE_TOKENS 64u     /* met by the rows of a chunk before the next ones, so their codes stay near */
#define OUTLIER_BLOCK 64u   /* columns multiplied at a time */
#define CHUNK_TOKENS 16u
#define CHUNK_ACTIVATIONS 65536u

typedef struct
{
  const CpuIsa *isa;
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
  const uint32_t *columns;      /* [block]: the outliers whose turn it is */
  size_t block;
  bool is_last;                 /* of the blocks */
  float *gathered;              /* [n_tokens, block]: their activations */
} VectorwiseJob;

static size_t
vectorwise_place (VectorwiseJob *job, uint8_t *workspace)
{
  const size_t codes = job->n_tokens * cpu_vectorwise_stride (job->n);
  const size_t tokens = codes + cpu_round_up (job->n_tokens * sizeof (CpuToken), 64);
  const size_t flags = tokens + cpu_round_up (job->n, 64);
  const size_t outliers = flags + cpu_round_up (job->n * sizeof *job->outliers, 64);
  if (workspace != NULL)
    {
      job->codes = (int8_t *) workspace;
      job->tokens = (CpuToken *) (workspace + codes);
      job->is_outlier = workspace + tokens;
      job->outliers = (uint32_t *) (workspace + flags);
      job->gathered = (float *) (workspace + outliers);
    }
  return outliers + job->n_tokens * cpu_min (job->n, OUTLIER_BLOCK) * sizeof *job->gathered;
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
  const size_t first = chunk * job->columns_per_chunk;
  const size_t count = cpu_min (job->n - first, job->columns_per_chunk);
  uint8_t *flags = job->is_outlier + first;
  (void) worker;
  memset (flags, 0, count);
  for (size_t t = 0; t < job->n_tokens; t++)
    {
      const float *x = job->x + t * job->n + first;
      for (size_t i = 0; i < count; i++)
        flags[i] |= fabsf (x[i]) >= INT8_OUTLIER_LIMIT;
    }
}

static uint32_t
vectorwise_count (size_t n, size_t per_chunk)
{
  return (uint32_t) ((n + per_chunk - 1) / per_chunk);
}

static void
vectorwise_find_outliers (CpuPool *pool, VectorwiseJob *job)
{
  job->columns_per_chunk = cpu_round_up (CHUNK_ACTIVATIONS / job->n_tokens + 1, 64);
  cpu_pool_run (pool, vectorwise_find_chunk, job,
                vectorwise_count (job->n, job->columns_per_chunk));
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
                            job->codes + t * cpu_vectorwise_stride (job->n), job->tokens + t, n_tokens,
                            job->n);
  for (size_t i = 0; i < n_tokens; i++)
    {
      float *y = job->y + (t + i) * job->n_rows + first;
      for (size_t r = 0; r < n_rows; r++)
        y[r] = (float) sums[i * CHUNK_ROWS + r] * (job->tokens[t + i].scale * scales[r]) * INT8_UNIT_SQUARED;
      for (size_t r = 0; job->bias != NULL && r < n_rows; r++)
        y[r] += job->bias[first + r];
      vectorwise_round (job, y, n_rows);
    }
}

static void
vectorwise_chunk (void *data, uint32_t chunk, uint32_t worker)
{
  const VectorwiseJob *job = data;
  const size_t first = chunk * job->rows_per_chunk, end = cpu_min (first + job->rows_per_chunk, job->n_rows);
  (void) worker;
  for (size_t r = first; r < end; r += CHUNK_ROWS)
    for (size_t t = 0; t < job->n_tokens; t += TILE_TOKENS)
      vectorwise_tile (job, r, cpu_min (end - r, CHUNK_ROWS), t, cpu_min (job->n_tokens - t, TILE_TOKENS));
}

/* --- outliers --- */

static void
vectorwise_gather_chunk (void *data, uint32_t chunk, uint32_t worker)
{
  const VectorwiseJob *job = data;
  const size_t first = CHUNK_TOKENS * (size_t) chunk;
  (void) worker;
  for (size_t t = first; t < cpu_min (first + CHUNK_TOKENS, job->n_tokens); t++)
    for (size_t i = 0; i < job->block; i++)
      job->gathered[t * job->block + i] = job->x[t * job->n + job->columns[i]];
}

/* panel [block, width]: the outliers' columns of up to `width` rows, zeros behind them. */
static void
vectorwise_pack_outliers (const VectorwiseJob *job, float *panel, size_t width, size_t first, size_t n_rows)
{
  float scales[CHUNK_ROWS], row[OUTLIER_BLOCK];
  vectorwise_read_scales (job, scales, first, n_rows);
  memset (panel, 0, job->block * width * sizeof *panel);
  for (size_t r = 0; r < n_rows; r++)
    {
      const int8_t *codes = job->weights + (first + r) * job->n;
      for (size_t i = 0; i < job->block; i++)
        row[i] = (float) codes[job->columns[i]] * scales[r] * INT8_UNIT;
      vectorwise_round (job, row, job->block);
      for (size_t i = 0; i < job->block; i++)
        panel[i * width + r] = row[i];
    }
}

static void
vectorwise_multiply (const VectorwiseJob *job, float *tile, const float *panel, size_t width, size_t t,
                     size_t n_tokens)
{
  const float *x = job->gathered + t * job->block;
  if (job->isa->gemm != NULL)
    {
      job->isa->gemm (tile, width, x, job->block, panel, n_tokens, job->block, false);
      return;
    }
  for (size_t i = 0; i < n_tokens; i++)
    for (size_t r = 0; r < width; r++)
      {
        double sum = 0;
        for (size_t k = 0; k < job->block; k++)
          sum += (double) x[i * job->block + k] * panel[k * width + r];
        tile[i * width + r] = (float) sum;
      }
}

static void
vectorwise_add_outliers (const VectorwiseJob *job, size_t width, size_t first, size_t n_rows)
{
  float panel[OUTLIER_BLOCK * CHUNK_ROWS], tile[TILE_TOKENS * CHUNK_ROWS];
  vectorwise_pack_outliers (job, panel, width, first, n_rows);
  for (size_t t = 0; t < job->n_tokens; t += TILE_TOKENS)
    {
      const size_t n_tokens = cpu_min (job->n_tokens - t, TILE_TOKENS);
      vectorwise_multiply (job, tile, panel, width, t, n_tokens);
      for (size_t i = 0; i < n_tokens; i++)
        {
          float *y = job->y + (t + i) * job->n_rows + first;
          for (size_t r = 0; r < n_rows; r++)
            y[r] += tile[i * width + r];
          if (job->is_last)
            vectorwise_round (job, y, n_rows);
        }
    }
}

static void
vectorwise_outliers_chunk (void *data, uint32_t chunk, uint32_t worker)
{
  const VectorwiseJob *job = data;
  const size_t first = chunk * job->rows_per_chunk, end = cpu_min (first + job->rows_per_chunk, job->n_rows);
  const size_t width = job->isa->gemm != NULL ? job->isa->panel_width : CHUNK_ROWS;
  (void) worker;
  for (size_t r = first; r < end; r += width)
    vectorwise_add_outliers (job, width, r, cpu_min (end - r, width));
}

static void
vectorwise_run_outliers (CpuPool *pool, VectorwiseJob *job)
{
  for (size_t i = 0; i < job->n_outliers; i += OUTLIER_BLOCK)
    {
      job->columns = job->outliers + i;
      job->block = cpu_min (job->n_outliers - i, OUTLIER_BLOCK);
      job->is_last = i + job->block == job->n_outliers;
      cpu_pool_run (pool, vectorwise_gather_chunk, job, vectorwise_count (job->n_tokens, CHUNK_TOKENS));
      cpu_pool_run (pool, vectorwise_outliers_chunk, job,
                    vectorwise_count (job->n_rows, job->rows_per_chunk));
    }
}

void
cpu_vectorwise (CpuBackend *self, float *y, const AssayTensor *w, const float *x, AssayDtype dtype,
                size_t n_tokens, const float *bias, void *workspace)
{
  AssayWholeLayout layout;
  VectorwiseJob job = { .isa = self->isa, .y = y, .x = x, .bias = bias, .dtype = dtype,
                        .n = (size_t) w->shape[0], .n_rows = (size_t) w->shape[1], .n_tokens = n_tokens };
  assay_whole_layout (w->dtype, w->shape[0], w->shape[1], &layout);
  job.weights = w->data;
  job.scales = (const uint8_t *) w->data + layout.scale;
  job.rows_per_chunk = cpu_round_up (CHUNK_ACTIVATIONS / (job.n * n_tokens + 1) + 1, CHUNK_ROWS);
  vectorwise_place (&job, workspace);
  vectorwise_find_outliers (self->pool, &job);
  cpu_pool_run (self->pool, vectorwise_quantize_chunk, &job, vectorwise_count (n_tokens, CHUNK_TOKENS));
  cpu_pool_run (self->pool, vectorwise_chunk, &job, vectorwise_count (job.n_rows, job.rows_per_chunk));
  vectorwise_run_outliers (self->pool, &job);
}
