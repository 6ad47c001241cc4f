/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cpu/quantize.c: rows of float32 become rows of a weight.
 *
 * Runs once for each weight, when a model is loaded or written in another format. Chunks are rows, or
 * blocks where a format's blocks cross the rows' borders. */
#include "quantize.h"

#include "cpu.h"
#include "shared/half.h"

#include <stdatomic.h>

/* Rows of a 4-bit matrix that come at a time begin with a block, whatever their length. */
#define ROWS_MULTIPLE ASSAY_WHOLE_BLOCK

/* Blocks of NF4 and FP4 to a chunk: enough to outweigh claiming it. */
#define CHUNK_ELEMENTS (64 * ASSAY_WHOLE_BLOCK)

typedef struct
{
  const AssayTensor *w;
  CpuQuantize encode;           /* of a format of rows, else NULL */
  AssayWholeLayout layout;      /* of the others */
  float *absmax;                /* [layout.n_blocks] */
  const float *x;
  size_t first, n_rows;
  uint32_t limit;               /* greatest magnitude the format holds, as bits */
  size_t done;                  /* chunks of earlier runs of the pool */
  _Atomic bool beyond;
} QuantizeJob;

static bool
quantize_is_4bit (const QuantizeJob *job)
{
  return job->layout.n_blocks > 0;
}

/* float16 is in all of ggml's blocks, and between the weights and INT8. */
static uint32_t
quantize_limit (AssayDtype dtype)
{
  switch ((int) dtype)
    {
    case ASSAY_DTYPE_F32:
    case ASSAY_DTYPE_BF16: return UINT32_MAX;
    case ASSAY_DTYPE_NF4:
    case ASSAY_DTYPE_FP4:
    case ASSAY_DTYPE_NF4_DOUBLE:
    case ASSAY_DTYPE_FP4_DOUBLE: return 0x7f7fffff;
    default: return bits_from_float (65504.0f);
    }
}

/* Magnitudes compare as integers, infinity and NaN above all others. */
static bool
quantize_is_beyond (const float *x, size_t n, uint32_t limit)
{
  uint32_t max = 0;
  for (size_t i = 0; i < n; i++)
    {
      const uint32_t bits = bits_from_float (x[i]) & 0x7fffffff;
      max = bits > max ? bits : max;
    }
  return max > limit;
}

static void
quantize_row (QuantizeJob *job, size_t row)
{
  const size_t n = (size_t) job->w->shape[0];
  const float *x = job->x + row * n;
  if (quantize_is_beyond (x, n, job->limit))
    job->beyond = true;
  else if (job->encode != NULL)
    job->encode ((uint8_t *) job->w->data + (job->first + row) * job->w->row_bytes, x, n);
  else
    cpu_quantize_int8_row (job->w, &job->layout, x, job->first + row);
}

static void
quantize_blocks (QuantizeJob *job, size_t chunk)
{
  const size_t n = (size_t) job->w->shape[0], from = chunk * CHUNK_ELEMENTS;
  const size_t count = cpu_min (CHUNK_ELEMENTS, job->n_rows * n - from);
  if (quantize_is_beyond (job->x + from, count, job->limit))
    job->beyond = true;
  else
    cpu_quantize_4bit (job->w, job->absmax, job->x + from, job->first * n + from, count);
}

static void
quantize_chunk (void *data, uint32_t chunk, uint32_t worker)
{
  QuantizeJob *job = data;
  (void) worker;
  if (quantize_is_4bit (job))
    quantize_blocks (job, job->done + chunk);
  else
    quantize_row (job, job->done + chunk);
}

/* The pool counts to a million. */
static void
quantize_run (CpuPool *pool, QuantizeJob *job)
{
  const size_t n = (size_t) job->w->shape[0];
  const size_t n_chunks
    = quantize_is_4bit (job) ? (job->n_rows * n + CHUNK_ELEMENTS - 1) / CHUNK_ELEMENTS : job->n_rows;
  for (size_t part; job->done < n_chunks; job->done += part)
    {
      part = cpu_min (n_chunks - job->done, 4096);
      cpu_pool_run (pool, quantize_chunk, job, (uint32_t) part);
    }
}

/* Says which number it was, the first by its place, whichever thread met one. */
static AssayStatus
quantize_fault (AssayBackend *b, const QuantizeJob *job)
{
  const size_t n = (size_t) job->w->shape[0];
  size_t i = 0;
  while (!quantize_is_beyond (job->x + i, 1, job->limit))
    i++;
  return cpu_fault (b, ASSAY_DEVICE_FAULT, "element %zu of row %zu of a weight is %g; %s holds up to %g",
                    i % n, job->first + i / n, (double) job->x[i], assay_dtype_info (job->w->dtype)->name,
                    (double) float_from_bits (job->limit));
}

static AssayStatus
quantize_check (AssayBackend *b, const AssayTensor *w, size_t first, size_t n_rows)
{
  const AssayDtypeInfo *info = assay_dtype_info (w->dtype);
  if (!assay_dtype_can_quantize (w->dtype))
    return cpu_fault (b, ASSAY_UNSUPPORTED, "the CPU cannot make weights of format %s (number %u)",
                      info != NULL ? info->name : "unknown", (unsigned) w->dtype);
  if (w->shape[0] % info->block_elements != 0)
    return cpu_fault (b, ASSAY_UNSUPPORTED, "rows of %lld elements are not whole %s blocks of %u",
                      (long long) w->shape[0], info->name, info->block_elements);
  if (first > cpu_n_rows (w) || n_rows > cpu_n_rows (w) - first)
    return cpu_fault (b, ASSAY_DEVICE_FAULT, "rows %zu to %zu are outside a weight of %zu rows", first,
                      first + n_rows, cpu_n_rows (w));
  if (info->whole
      && (first % ROWS_MULTIPLE != 0 || (n_rows % ROWS_MULTIPLE != 0 && first + n_rows != cpu_n_rows (w))))
    return cpu_fault (b, ASSAY_DEVICE_FAULT, "%zu rows from row %zu of a matrix in %s are not whole blocks",
                      n_rows, first, info->name);
  return ASSAY_OK;
}

/* The layout of a whole format; all zero for others, and where the matrix would not fit memory. */
static AssayWholeLayout
quantize_layout (const AssayTensor *w)
{
  AssayWholeLayout layout = { 0 };
  assay_whole_layout (w->dtype, w->shape[0], (int64_t) cpu_n_rows (w), &layout);
  return layout;
}

AssayStatus
cpu_quantize (AssayBackend *b, const AssayTensor *w, const float *x, size_t first, size_t n_rows,
              void *scratch)
{
  const AssayStatus status = quantize_check (b, w, first, n_rows);
  if (status != ASSAY_OK || n_rows == 0 || w->shape[0] == 0)
    return status;
  QuantizeJob job = { .w = w,
                      .encode = cpu_quantize_get (w->dtype),
                      .layout = quantize_layout (w),
                      .x = x,
                      .first = first,
                      .n_rows = n_rows,
                      .limit = quantize_limit (w->dtype) };
  job.absmax = scratch;
  if (!assay_whole_is_double (w->dtype))
    job.absmax = (float *) ((uint8_t *) w->data + job.layout.absmax);
  quantize_run (cpu_backend (b)->pool, &job);
  return job.beyond ? quantize_fault (b, &job) : ASSAY_OK;
}

AssayStatus
cpu_quantize_finish (AssayBackend *b, const AssayTensor *w, void *scratch)
{
  (void) b;
  const AssayWholeLayout layout = quantize_layout (w);
  if (assay_whole_is_double (w->dtype))
    cpu_quantize_statistics (w, &layout, scratch);
  return ASSAY_OK;
}

size_t
cpu_quantize_scratch (AssayBackend *b, const AssayTensor *w)
{
  (void) b;
  return assay_whole_is_double (w->dtype) ? quantize_layout (w).n_blocks * sizeof (float) : 0;
}
