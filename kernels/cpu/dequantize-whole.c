/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cpu/dequantize-whole.c: bitsandbytes' NF4, FP4 and INT8 to float32, with its rounding.
 *
 * A part of a row begins and ends anywhere in a block, since blocks know nothing of rows. */
#include "cpu.h"
#include "dequantize.h"
#include "shared/half.h"
#include "shared/int8.h"
#include "whole-format.h"

/* Blocks whose absmax are looked up at a time. */
#define BATCH 32u

static float
load_f32 (const uint8_t *at)
{
  return float_from_bits (load_u32 (at));
}

static float
whole_absmax (const uint8_t *data, const AssayWholeLayout *layout, size_t block)
{
  if (layout->n_nested == 0)
    return load_f32 (data + layout->absmax + 4 * block);
  const float nested = load_f32 (data + layout->nested + block / ASSAY_WHOLE_NESTED * 4);
  return assay_dynamic_values[data[layout->absmax + block]] * nested + load_f32 (data + layout->offset);
}

static void
dequantize_codes (float *y, const float *values, float absmax, const uint8_t *codes, size_t first, size_t n)
{
  for (size_t i = first; i < first + n; i++)
    *y++ = values[codes[i / 2] >> (i % 2 == 0 ? 4 : 0) & 15] * absmax;
}

/* Of up to BATCH whole blocks, as many as n elements have; returns how many those are. */
static size_t
whole_batch (float *absmax, const AssayTensor *w, const AssayWholeLayout *layout, size_t first, size_t n)
{
  const size_t n_blocks = cpu_min (n / ASSAY_WHOLE_BLOCK, BATCH);
  for (size_t i = 0; i < n_blocks; i++)
    absmax[i] = whole_absmax (w->data, layout, first / ASSAY_WHOLE_BLOCK + i);
  return n_blocks;
}

static size_t
dequantize_blocks (const CpuIsa *isa, float *y, const AssayTensor *w, const AssayWholeLayout *layout,
                   size_t first, size_t n)
{
  float absmax[BATCH];
  const size_t n_blocks = whole_batch (absmax, w, layout, first, n);
  isa->dequantize_4bit (y, (const uint8_t *) w->data + first / 2, assay_whole_values (w->dtype), absmax,
                        n_blocks);
  return n_blocks * ASSAY_WHOLE_BLOCK;
}

/* The rest of a block, or n of it. */
static size_t
dequantize_piece (float *y, const AssayTensor *w, const AssayWholeLayout *layout, size_t first, size_t n)
{
  const size_t count = cpu_min (n, ASSAY_WHOLE_BLOCK - first % ASSAY_WHOLE_BLOCK);
  const float absmax = whole_absmax (w->data, layout, first / ASSAY_WHOLE_BLOCK);
  dequantize_codes (y, assay_whole_values (w->dtype), absmax, w->data, first, count);
  return count;
}

static void
dequantize_4bit (const CpuIsa *isa, float *y, const AssayTensor *w, const AssayWholeLayout *layout,
                 size_t first, size_t n)
{
  for (size_t part; n > 0; first += part, n -= part, y += part)
    if (isa->dequantize_4bit != NULL && first % ASSAY_WHOLE_BLOCK == 0 && n >= ASSAY_WHOLE_BLOCK)
      part = dequantize_blocks (isa, y, w, layout, first, n);
    else
      part = dequantize_piece (y, w, layout, first, n);
}

static void
dequantize_int8 (float *y, const AssayTensor *w, const AssayWholeLayout *layout, size_t first, size_t n)
{
  const uint8_t *data = w->data;
  const size_t width = (size_t) w->shape[0];
  for (size_t part; n > 0; first += part, n -= part, y += part)
    {
      const float scale = load_f32 (data + layout->scale + first / width * 4);
      part = cpu_min (n, width - first % width);
      for (size_t i = 0; i < part; i++)
        y[i] = (float) (int8_t) data[first + i] * scale * INT8_UNIT;
    }
}

void
cpu_dequantize_whole (const CpuIsa *isa, float *y, const AssayTensor *w, size_t first, size_t n)
{
  AssayWholeLayout layout;
  if (!assay_whole_layout (w->dtype, w->shape[0], w->shape[1] * w->shape[2] * w->shape[3], &layout))
    return;
  if (w->dtype == ASSAY_DTYPE_INT8)
    dequantize_int8 (y, w, &layout, first, n);
  else
    dequantize_4bit (isa, y, w, &layout, first, n);
}

bool
cpu_whole_can_dot (const CpuIsa *isa, const AssayTensor *w)
{
  return isa->dot_4bit != NULL && assay_dtype_info (w->dtype)->whole && w->dtype != ASSAY_DTYPE_INT8
         && w->shape[0] % ASSAY_WHOLE_BLOCK == 0;
}

void
cpu_whole_dot (const CpuIsa *isa, float *y, const AssayTensor *w, const float *x, size_t first, size_t n_rows)
{
  const size_t n = (size_t) w->shape[0];
  const float *values = assay_whole_values (w->dtype);
  float absmax[BATCH];
  AssayWholeLayout layout;
  if (!assay_whole_layout (w->dtype, w->shape[0], w->shape[1], &layout))
    return;
  for (size_t r = 0; r < n_rows; r++)
    {
      const size_t row = (first + r) * n;
      y[r] = 0;
      for (size_t i = 0, n_blocks; i < n; i += n_blocks * ASSAY_WHOLE_BLOCK)
        {
          n_blocks = whole_batch (absmax, w, &layout, row + i, n - i);
          y[r] += isa->dot_4bit (x + i, (const uint8_t *) w->data + (row + i) / 2, values, absmax, n_blocks);
        }
    }
}
