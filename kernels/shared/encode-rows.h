/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/shared/encode-rows.h: 32 numbers of float32 to a block of Q4_0, Q4_1, Q5_0, Q5_1 or Q8_0.
 *
 * The scales are not searched for: a block's extremes decide, as in ggml, and the bytes are the same. Codes are
 * of the scale before it is rounded to float16. */
#pragma once

#include "half.h"
#include "portable.h"

#include <math.h>

/* Below this a scale is nothing to float16, and its inverse may be too much for float32. */
#define SCALE_MIN 1e-30f

ASSAY_SHARED void
rows_store_f16 (uint8_t *at, float value)
{
  const uint16_t bits = f16_from_float (value);
  memcpy (at, &bits, sizeof bits);
}

ASSAY_SHARED float
rows_inverse (float scale)
{
  return fabsf (scale) < SCALE_MIN ? 0.0f : 1.0f / scale;
}

/* The element of greatest magnitude, with its sign; the first of equals. */
ASSAY_SHARED float
rows_extreme (const float *x)
{
  float extreme = x[0];
  for (uint32_t i = 1; i < 32; i++)
    if (fabsf (x[i]) > fabsf (extreme))
      extreme = x[i];
  return extreme;
}

ASSAY_SHARED void
rows_range (const float *x, float *min, float *max)
{
  *min = *max = x[0];
  for (uint32_t i = 1; i < 32; i++)
    {
      *min = x[i] < *min ? x[i] : *min;
      *max = x[i] > *max ? x[i] : *max;
    }
}

ASSAY_SHARED void
rows_pack_nibbles (uint8_t *qs, const uint8_t *codes)
{
  for (uint32_t i = 0; i < 16; i++)
    qs[i] = (uint8_t) ((codes[i] & 15) | codes[i + 16] << 4);
}

ASSAY_SHARED void
rows_pack_fifth_bits (uint8_t *qh, const uint8_t *codes)
{
  uint32_t bits = 0;
  for (uint32_t i = 0; i < 32; i++)
    bits |= (uint32_t) (codes[i] >> 4) << i;
  memcpy (qh, &bits, sizeof bits);
}

/* Codes about `zero`, the middle one: the extreme gets code 0. Returns the scale. */
ASSAY_SHARED float
rows_encode_offset (uint8_t *codes, const float *x, int zero)
{
  const float d = rows_extreme (x) / (float) -zero, id = rows_inverse (d);
  for (uint32_t i = 0; i < 32; i++)
    {
      const int code = (int) (x[i] * id + ((float) zero + 0.5f));
      codes[i] = (uint8_t) (code < 2 * zero ? code : 2 * zero - 1);
    }
  return d;
}

/* Codes from the minimum, 0, up to the maximum, `top`. Returns the scale. */
ASSAY_SHARED float
rows_encode_min (uint8_t *codes, const float *x, int top, float *min)
{
  float max;
  rows_range (x, min, &max);
  const float d = (max - *min) / (float) top, id = rows_inverse (d);
  for (uint32_t i = 0; i < 32; i++)
    {
      const int code = (int) ((x[i] - *min) * id + 0.5f);
      codes[i] = (uint8_t) (code < top ? code : top);
    }
  return d;
}

ASSAY_SHARED void
encode_q4_0 (uint8_t *b, const float *x)
{
  uint8_t codes[32];
  rows_store_f16 (b, rows_encode_offset (codes, x, 8));
  rows_pack_nibbles (b + 2, codes);
}

ASSAY_SHARED void
encode_q4_1 (uint8_t *b, const float *x)
{
  uint8_t codes[32];
  float min;
  rows_store_f16 (b, rows_encode_min (codes, x, 15, &min));
  rows_store_f16 (b + 2, min);
  rows_pack_nibbles (b + 4, codes);
}

ASSAY_SHARED void
encode_q5_0 (uint8_t *b, const float *x)
{
  uint8_t codes[32];
  rows_store_f16 (b, rows_encode_offset (codes, x, 16));
  rows_pack_fifth_bits (b + 2, codes);
  rows_pack_nibbles (b + 6, codes);
}

ASSAY_SHARED void
encode_q5_1 (uint8_t *b, const float *x)
{
  uint8_t codes[32];
  float min;
  rows_store_f16 (b, rows_encode_min (codes, x, 31, &min));
  rows_store_f16 (b + 2, min);
  rows_pack_fifth_bits (b + 4, codes);
  rows_pack_nibbles (b + 8, codes);
}

ASSAY_SHARED void
encode_q8_0 (uint8_t *b, const float *x)
{
  const float d = fabsf (rows_extreme (x)) / 127.0f, id = rows_inverse (d);
  rows_store_f16 (b, d);
  for (uint32_t i = 0; i < 32; i++)
    b[2 + i] = (uint8_t) (int8_t) roundf (x[i] * id);
}
