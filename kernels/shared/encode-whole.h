/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/shared/encode-whole.h: float32 to the parts of bitsandbytes' NF4, FP4 and INT8: the bytes that library
 * makes on a processor, quirks included, so that a model quantized here and one quantized there are the same.
 *
 * Its quirks: a short last block is divided by its magnitude, where whole blocks are multiplied by the
 * inverse; FP4 sends numbers just above zero to code 8, which stands for zero too; absmax codes are looked up
 * at 65536 places. */
#pragma once

#include "half.h"
#include "portable.h"
#include "whole-format.h"
#include "whole-tables.h"

#include <math.h>

/* What the library puts in place of nothing. */
#define WHOLE_MAGNITUDE_MIN 1e-38f

/* Codes in the order of what they stand for: FP4's two zeros as the library happens to sort them. */
ASSAY_TABLE uint8_t nf4_order[16] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
ASSAY_TABLE uint8_t fp4_order[16] = { 11, 10, 13, 12, 15, 14, 9, 0, 8, 1, 6, 7, 4, 5, 2, 3 };

ASSAY_SHARED float
whole_clamp_unit (float value)
{
  return value < -1.0f ? -1.0f : value > 1.0f ? 1.0f : value;
}

ASSAY_SHARED float
whole_greatest_magnitude (const float *x, size_t n)
{
  float max = 0;
  for (size_t i = 0; i < n; i++)
    max = fabsf (x[i]) > max ? fabsf (x[i]) : max;
  return max;
}

/* --- NF4 and FP4 --- */

/* Borders between neighbours; a number on a border belongs to the lower one. */
ASSAY_SHARED const uint8_t *
whole_borders (bool is_nf4, float *borders)
{
  const uint8_t *order = is_nf4 ? nf4_order : fp4_order;
  const float *values = is_nf4 ? nf4_values : fp4_values;
  for (uint32_t i = 0; i < 15; i++)
    borders[i] = (values[order[i]] + values[order[i + 1]]) / 2.0f;
  return order;
}

/* places [n]: how many borders lie below each number. Counting them all has no branch to mispredict. */
ASSAY_SHARED void
whole_find_places (uint8_t *places, const float *x, size_t n, const float *borders)
{
  int32_t counts[ASSAY_WHOLE_BLOCK] = { 0 };
  for (uint32_t k = 0; k < 15; k++)
    for (uint32_t i = 0; i < ASSAY_WHOLE_BLOCK; i++)
      counts[i] += x[i] > borders[k];
  for (size_t i = 0; i < n; i++)
    places[i] = (uint8_t) counts[i];
}

/* A number by its block's magnitude, which is not nothing. */
ASSAY_SHARED float
whole_scale (float x, float divisor, bool is_short)
{
  const float inverse = 1.0f / divisor;
  return whole_clamp_unit (is_short ? x / divisor : x * inverse);
}

/* scaled [ASSAY_WHOLE_BLOCK]: a block's numbers by its magnitude, zeros beyond. Returns the magnitude. */
ASSAY_SHARED float
whole_scale_block (float *scaled, const float *x, size_t n)
{
  const float max = whole_greatest_magnitude (x, n);
  const float divisor = max < WHOLE_MAGNITUDE_MIN ? WHOLE_MAGNITUDE_MIN : max;
  const bool is_short = n < ASSAY_WHOLE_BLOCK;
  for (size_t i = 0; i < n; i++)
    scaled[i] = whole_scale (x[i], divisor, is_short);
  for (size_t i = n; i < ASSAY_WHOLE_BLOCK; i++)
    scaled[i] = 0;
  return is_short ? divisor : max;
}

/* A block of n numbers: its codes, two a byte. Returns the magnitude. */
ASSAY_SHARED float
whole_encode_block (uint8_t *codes, const float *x, size_t n, const uint8_t *order, const float *borders)
{
  float scaled[ASSAY_WHOLE_BLOCK];
  uint8_t places[ASSAY_WHOLE_BLOCK];
  const float magnitude = whole_scale_block (scaled, x, n);
  whole_find_places (places, scaled, n + n % 2, borders);
  for (size_t i = 0; i < n; i += 2)
    codes[i / 2] = (uint8_t) (order[places[i]] << 4 | order[places[i + 1]]);
  return magnitude;
}

/* --- their statistics --- */

#define WHOLE_SUM_LEVELS 4u

/* Of a sum in the order of torch.sum(): 2^power additions to a level before it is added to the next. */
ASSAY_SHARED uint32_t
whole_sum_level_power (size_t count)
{
  uint32_t log = 0;
  while ((UINT64_C (1) << log) < count)
    log++;
  return log / WHOLE_SUM_LEVELS > 4 ? log / WHOLE_SUM_LEVELS : 4;
}

/* The entry of the dynamic map nearest to value, -1 .. 1, after that was moved to one of 65536 places. */
ASSAY_SHARED uint8_t
whole_dynamic_code (float value)
{
  const double place = floorf ((value + 1.0f) * 32767.5f + 0.5f);
  const float moved = (float) (place / 65535 * 2 - 1);
  uint32_t low = 0, high = 255;
  while (low < high)
    {
      const uint32_t middle = (low + high) / 2;
      const float border
        = (dynamic_values[middle] + dynamic_values[middle + 1]) / 2.0f;
      if (moved > border)
        low = middle + 1;
      else
        high = middle;
    }
  return (uint8_t) low;
}

/* The code of an absmax without the offset; max: the greatest magnitude of such rests. */
ASSAY_SHARED uint8_t
whole_statistics_code (float rest, float max)
{
  const float inverse = 1.0f / max;
  return max > 0 ? whole_dynamic_code (whole_clamp_unit (rest * inverse)) : 0;
}

/* Up to ASSAY_WHOLE_NESTED magnitudes, the offset taken off. Returns their own magnitude. */
ASSAY_SHARED float
whole_encode_statistics (uint8_t *codes, const float *absmax, size_t n, float offset)
{
  float rest[ASSAY_WHOLE_NESTED];
  for (size_t i = 0; i < n; i++)
    rest[i] = absmax[i] - offset;
  const float max = whole_greatest_magnitude (rest, n);
  for (size_t i = 0; i < n; i++)
    codes[i] = whole_statistics_code (rest[i], max);
  return max;
}

/* --- INT8, which the library makes of float16 only --- */

/* max: the greatest magnitude of the row. */
ASSAY_SHARED float
whole_int8_scale (float max)
{
  return f16_round (max);
}

ASSAY_SHARED uint8_t
whole_int8_code (float x, float scale)
{
  const float inverse = scale > 0 ? 1.0f / scale * 127.0f : 0.0f;
  return (uint8_t) (int8_t) rintf (f16_round (x) * inverse);
}
