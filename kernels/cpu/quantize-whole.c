/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cpu/quantize-whole.c: float32 to bitsandbytes' NF4, FP4 and INT8: the bytes that library makes on a
 * processor, quirks included, so that a model quantized here and one quantized there are the same model.
 *
 * Its quirks: a short last block is divided by its magnitude, where whole blocks are multiplied by the
 * inverse; FP4 sends numbers just above zero to code 8, which stands for zero too; absmax codes are looked up
 * at 65536 places. Sums follow PyTorch's order with one thread. */
#include "quantize.h"

#include "half.h"

#include <math.h>

/* What the library puts in place of nothing. */
#define MAGNITUDE_MIN 1e-38f

/* Codes in the order of what they stand for: FP4's two zeros as the library happens to sort them. */
static const uint8_t nf4_order[16] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
static const uint8_t fp4_order[16] = { 11, 10, 13, 12, 15, 14, 9, 0, 8, 1, 6, 7, 4, 5, 2, 3 };

static float
clamp_unit (float value)
{
  return value < -1.0f ? -1.0f : value > 1.0f ? 1.0f : value;
}

static float
greatest_magnitude (const float *x, size_t n)
{
  float max = 0;
  for (size_t i = 0; i < n; i++)
    max = fabsf (x[i]) > max ? fabsf (x[i]) : max;
  return max;
}

/* --- NF4 and FP4 --- */

/* Borders between neighbours; a number on a border belongs to the lower one. */
static const uint8_t *
whole_borders (AssayDtype dtype, float *borders)
{
  const bool is_nf4 = dtype == ASSAY_DTYPE_NF4 || dtype == ASSAY_DTYPE_NF4_DOUBLE;
  const uint8_t *order = is_nf4 ? nf4_order : fp4_order;
  const float *values = assay_whole_values (dtype);
  for (uint32_t i = 0; i < 15; i++)
    borders[i] = (values[order[i]] + values[order[i + 1]]) / 2.0f;
  return order;
}

/* places [n]: how many borders lie below each number. Counting them all has no branch to mispredict. */
static void
whole_find_places (uint8_t *places, const float *x, size_t n, const float *borders)
{
  int32_t counts[ASSAY_WHOLE_BLOCK] = { 0 };
  for (uint32_t k = 0; k < 15; k++)
    for (uint32_t i = 0; i < ASSAY_WHOLE_BLOCK; i++)
      counts[i] += x[i] > borders[k];
  for (size_t i = 0; i < n; i++)
    places[i] = (uint8_t) counts[i];
}

/* scaled [ASSAY_WHOLE_BLOCK]: a block's numbers by its magnitude, zeros beyond. Returns the magnitude. */
static float
whole_scale_block (float *scaled, const float *x, size_t n)
{
  const float max = greatest_magnitude (x, n), divisor = max < MAGNITUDE_MIN ? MAGNITUDE_MIN : max;
  const float inverse = 1.0f / divisor;
  const bool is_short = n < ASSAY_WHOLE_BLOCK;
  for (size_t i = 0; i < n; i++)
    scaled[i] = clamp_unit (is_short ? x[i] / divisor : x[i] * inverse);
  for (size_t i = n; i < ASSAY_WHOLE_BLOCK; i++)
    scaled[i] = 0;
  return is_short ? divisor : max;
}

void
cpu_quantize_4bit (const AssayTensor *w, float *absmax, const float *x, size_t first, size_t n)
{
  float borders[15], scaled[ASSAY_WHOLE_BLOCK];
  uint8_t places[ASSAY_WHOLE_BLOCK];
  const uint8_t *order = whole_borders (w->dtype, borders);
  for (size_t done = 0, part; done < n; done += part)
    {
      uint8_t *codes = (uint8_t *) w->data + (first + done) / 2;
      part = n - done < ASSAY_WHOLE_BLOCK ? n - done : ASSAY_WHOLE_BLOCK;
      absmax[(first + done) / ASSAY_WHOLE_BLOCK] = whole_scale_block (scaled, x + done, part);
      whole_find_places (places, scaled, part + part % 2, borders);
      for (size_t i = 0; i < part; i += 2)
        codes[i / 2] = (uint8_t) (order[places[i]] << 4 | order[places[i + 1]]);
    }
}

/* --- their statistics --- */

#define SUM_LANES 8u
#define SUM_ROWS 4u
#define SUM_LEVELS 4u

typedef struct
{
  float lane[SUM_ROWS][SUM_LANES];
} SumRows;

static void
sum_add (SumRows *to, const SumRows *from)
{
  for (uint32_t r = 0; r < SUM_ROWS; r++)
    for (uint32_t k = 0; k < SUM_LANES; k++)
      to->lane[r][k] += from->lane[r][k];
}

/* 2^power additions to a level before it is added to the next. */
static uint32_t
sum_level_power (size_t count)
{
  uint32_t log = 0;
  while ((UINT64_C (1) << log) < count)
    log++;
  return log / SUM_LEVELS > 4 ? log / SUM_LEVELS : 4;
}

/* Adds `count` steps of SUM_ROWS vectors of `lanes` numbers, level by level: each takes up the sums of so
 * many steps of the one below. */
static SumRows
sum_cascade (const float *x, size_t count, uint32_t lanes)
{
  SumRows level[SUM_LEVELS] = { 0 };
  const uint32_t power = sum_level_power (count);
  const size_t mask = ((size_t) 1 << power) - 1;
  for (size_t i = 0; i < count;)
    {
      for (uint32_t r = 0; r < SUM_ROWS; r++)
        for (uint32_t k = 0; k < lanes; k++)
          level[0].lane[r][k] += x[(i * SUM_ROWS + r) * lanes + k];
      i++;
      for (uint32_t j = 1; j < SUM_LEVELS && (i >> ((j - 1) * power) & mask) == 0; j++)
        {
          sum_add (&level[j], &level[j - 1]);
          level[j - 1] = (SumRows) { 0 };
        }
    }
  for (uint32_t j = 1; j < SUM_LEVELS; j++)
    sum_add (&level[0], &level[j]);
  return level[0];
}

/* In the order of torch.sum() with one thread: the offset decides about codes, so its last bit counts. */
static float
sum_in_order (const float *x, size_t n)
{
  const uint32_t lanes = n < SUM_LANES ? 1 : SUM_LANES;
  const size_t n_vectors = n / lanes, n_steps = n_vectors / SUM_ROWS;
  SumRows sums = sum_cascade (x, n_steps, lanes);
  float sum = 0;
  for (size_t v = n_steps * SUM_ROWS; v < n_vectors; v++)
    for (uint32_t k = 0; k < lanes; k++)
      sums.lane[0][k] += x[v * lanes + k];
  for (uint32_t r = 1; r < SUM_ROWS; r++)
    for (uint32_t k = 0; k < lanes; k++)
      sums.lane[0][k] += sums.lane[r][k];
  for (size_t i = n_vectors * lanes; i < n; i++)
    sum += x[i];
  for (uint32_t k = 0; k < lanes; k++)
    sum += sums.lane[0][k];
  return sum;
}

/* The entry of the dynamic map nearest to value, -1 .. 1, after that was moved to one of 65536 places. */
static uint8_t
dynamic_code (float value)
{
  const double place = floorf ((value + 1.0f) * 32767.5f + 0.5f);
  const float moved = (float) (place / 65535 * 2 - 1);
  uint32_t low = 0, high = 255;
  while (low < high)
    {
      const uint32_t middle = (low + high) / 2;
      const float border
        = (assay_dynamic_values[middle] + assay_dynamic_values[middle + 1]) / 2.0f;
      if (moved > border)
        low = middle + 1;
      else
        high = middle;
    }
  return (uint8_t) low;
}

/* Up to ASSAY_WHOLE_NESTED magnitudes, the offset taken off. Returns their own magnitude. */
static float
statistics_encode (uint8_t *codes, const float *absmax, size_t n, float offset)
{
  float rest[ASSAY_WHOLE_NESTED];
  for (size_t i = 0; i < n; i++)
    rest[i] = absmax[i] - offset;
  const float max = greatest_magnitude (rest, n), inverse = 1.0f / max;
  for (size_t i = 0; i < n; i++)
    codes[i] = max > 0 ? dynamic_code (clamp_unit (rest[i] * inverse)) : 0;
  return max;
}

void
cpu_quantize_statistics (const AssayTensor *w, const AssayWholeLayout *layout, const float *absmax)
{
  uint8_t *data = (uint8_t *) w->data;
  if (layout->n_blocks == 0)
    return;
  const float offset = sum_in_order (absmax, layout->n_blocks) / (float) layout->n_blocks;
  memcpy (data + layout->offset, &offset, sizeof offset);
  for (size_t i = 0, part; i < layout->n_blocks; i += part)
    {
      part = layout->n_blocks - i < ASSAY_WHOLE_NESTED ? layout->n_blocks - i : ASSAY_WHOLE_NESTED;
      const float nested = statistics_encode (data + layout->absmax + i, absmax + i, part, offset);
      memcpy (data + layout->nested + i / ASSAY_WHOLE_NESTED * 4, &nested, sizeof nested);
    }
}

/* --- INT8 --- */

/* The library quantizes weights in float16 only. */
static float
int8_weight (float x)
{
  return f16_to_float (f16_from_float (x));
}

void
cpu_quantize_int8_row (const AssayTensor *w, const AssayWholeLayout *layout, const float *x, size_t row)
{
  const size_t n = (size_t) w->shape[0];
  uint8_t *data = (uint8_t *) w->data;
  const float scale = int8_weight (greatest_magnitude (x, n));
  const float inverse = scale > 0 ? 1.0f / scale * 127.0f : 0.0f;
  for (size_t i = 0; i < n; i++)
    data[row * n + i] = (uint8_t) (int8_t) rintf (int8_weight (x[i]) * inverse);
  memcpy (data + layout->scale + 4 * row, &scale, sizeof scale);
}
