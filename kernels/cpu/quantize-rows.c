/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cpu/quantize-rows.c: float32 to the plain formats, and to those with blocks of 32.
 *
 * The blocks' scales are not searched for: a block's extremes decide, as in ggml, and the bytes are the same.
 * Codes are of the scale before it is rounded to float16. */
#include "quantize.h"

#include "half.h"

#include <math.h>

/* Below this a scale is nothing to float16, and its inverse may be too much for float32. */
#define SCALE_MIN 1e-30f

static void
store_f16 (uint8_t *at, float value)
{
  const uint16_t bits = f16_from_float (value);
  memcpy (at, &bits, sizeof bits);
}

static float
inverse (float scale)
{
  return fabsf (scale) < SCALE_MIN ? 0.0f : 1.0f / scale;
}

void
cpu_quantize_f16 (void *blocks, const float *x, size_t n)
{
  uint8_t *out = blocks;
  for (size_t i = 0; i < n; i++)
    store_f16 (out + 2 * i, x[i]);
}

void
cpu_quantize_bf16 (void *blocks, const float *x, size_t n)
{
  uint8_t *out = blocks;
  for (size_t i = 0; i < n; i++)
    {
      const uint16_t bits = bf16_from_float (x[i]);
      memcpy (out + 2 * i, &bits, sizeof bits);
    }
}

static void
quantize_f32 (void *blocks, const float *x, size_t n)
{
  if (n > 0)
    memcpy (blocks, x, n * sizeof *x);
}

/* The element of greatest magnitude, with its sign; the first of equals. */
static float
rows_extreme (const float *x)
{
  float extreme = x[0];
  for (uint32_t i = 1; i < 32; i++)
    if (fabsf (x[i]) > fabsf (extreme))
      extreme = x[i];
  return extreme;
}

static void
rows_range (const float *x, float *min, float *max)
{
  *min = *max = x[0];
  for (uint32_t i = 1; i < 32; i++)
    {
      *min = x[i] < *min ? x[i] : *min;
      *max = x[i] > *max ? x[i] : *max;
    }
}

static void
rows_pack_nibbles (uint8_t *qs, const uint8_t *codes)
{
  for (uint32_t i = 0; i < 16; i++)
    qs[i] = (uint8_t) ((codes[i] & 15) | codes[i + 16] << 4);
}

static void
rows_pack_fifth_bits (uint8_t *qh, const uint8_t *codes)
{
  uint32_t bits = 0;
  for (uint32_t i = 0; i < 32; i++)
    bits |= (uint32_t) (codes[i] >> 4) << i;
  memcpy (qh, &bits, sizeof bits);
}

/* Codes about `zero`, the middle one: the extreme gets code 0. Returns the scale. */
static float
rows_encode_offset (uint8_t *codes, const float *x, int zero)
{
  const float d = rows_extreme (x) / (float) -zero, id = inverse (d);
  for (uint32_t i = 0; i < 32; i++)
    {
      const int code = (int) (x[i] * id + ((float) zero + 0.5f));
      codes[i] = (uint8_t) (code < 2 * zero ? code : 2 * zero - 1);
    }
  return d;
}

/* Codes from the minimum, 0, up to the maximum, `top`. Returns the scale. */
static float
rows_encode_min (uint8_t *codes, const float *x, int top, float *min)
{
  float max;
  rows_range (x, min, &max);
  const float d = (max - *min) / (float) top, id = inverse (d);
  for (uint32_t i = 0; i < 32; i++)
    {
      const int code = (int) ((x[i] - *min) * id + 0.5f);
      codes[i] = (uint8_t) (code < top ? code : top);
    }
  return d;
}

void
cpu_quantize_q4_0 (void *blocks, const float *x, size_t n)
{
  uint8_t *b = blocks, codes[32];
  for (; n >= 32; n -= 32, b += 18, x += 32)
    {
      store_f16 (b, rows_encode_offset (codes, x, 8));
      rows_pack_nibbles (b + 2, codes);
    }
}

void
cpu_quantize_q4_1 (void *blocks, const float *x, size_t n)
{
  uint8_t *b = blocks, codes[32];
  float min;
  for (; n >= 32; n -= 32, b += 20, x += 32)
    {
      store_f16 (b, rows_encode_min (codes, x, 15, &min));
      store_f16 (b + 2, min);
      rows_pack_nibbles (b + 4, codes);
    }
}

void
cpu_quantize_q5_0 (void *blocks, const float *x, size_t n)
{
  uint8_t *b = blocks, codes[32];
  for (; n >= 32; n -= 32, b += 22, x += 32)
    {
      store_f16 (b, rows_encode_offset (codes, x, 16));
      rows_pack_fifth_bits (b + 2, codes);
      rows_pack_nibbles (b + 6, codes);
    }
}

void
cpu_quantize_q5_1 (void *blocks, const float *x, size_t n)
{
  uint8_t *b = blocks, codes[32];
  float min;
  for (; n >= 32; n -= 32, b += 24, x += 32)
    {
      store_f16 (b, rows_encode_min (codes, x, 31, &min));
      store_f16 (b + 2, min);
      rows_pack_fifth_bits (b + 4, codes);
      rows_pack_nibbles (b + 8, codes);
    }
}

void
cpu_quantize_q8_0 (void *blocks, const float *x, size_t n)
{
  uint8_t *b = blocks;
  for (; n >= 32; n -= 32, b += 34, x += 32)
    {
      const float d = fabsf (rows_extreme (x)) / 127.0f, id = inverse (d);
      store_f16 (b, d);
      for (uint32_t i = 0; i < 32; i++)
        b[2 + i] = (uint8_t) (int8_t) roundf (x[i] * id);
    }
}

CpuQuantize
cpu_quantize_get (AssayDtype dtype)
{
  switch ((int) dtype)
    {
    case ASSAY_DTYPE_F32: return quantize_f32;
    case ASSAY_DTYPE_F16: return cpu_quantize_f16;
    case ASSAY_DTYPE_BF16: return cpu_quantize_bf16;
    case ASSAY_DTYPE_Q4_0: return cpu_quantize_q4_0;
    case ASSAY_DTYPE_Q4_1: return cpu_quantize_q4_1;
    case ASSAY_DTYPE_Q5_0: return cpu_quantize_q5_0;
    case ASSAY_DTYPE_Q5_1: return cpu_quantize_q5_1;
    case ASSAY_DTYPE_Q8_0: return cpu_quantize_q8_0;
    case ASSAY_DTYPE_Q4_K: return cpu_quantize_q4_k;
    case ASSAY_DTYPE_Q5_K: return cpu_quantize_q5_k;
    case ASSAY_DTYPE_Q6_K: return cpu_quantize_q6_k;
    default: return NULL;
    }
}
