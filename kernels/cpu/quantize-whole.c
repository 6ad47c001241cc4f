/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cpu/quantize-whole.c: float32 to bitsandbytes' NF4, FP4 and INT8. Sums follow PyTorch's order with one
 * thread. */
#include "quantize.h"

#include "shared/encode-whole.h"

void
cpu_quantize_4bit (const AssayTensor *w, float *absmax, const float *x, size_t first, size_t n)
{
  float borders[15];
  const bool is_nf4 = w->dtype == ASSAY_DTYPE_NF4 || w->dtype == ASSAY_DTYPE_NF4_DOUBLE;
  const uint8_t *order = whole_borders (is_nf4, borders);
  for (size_t done = 0, part; done < n; done += part)
    {
      part = n - done < ASSAY_WHOLE_BLOCK ? n - done : ASSAY_WHOLE_BLOCK;
      absmax[(first + done) / ASSAY_WHOLE_BLOCK]
        = whole_encode_block ((uint8_t *) w->data + (first + done) / 2, x + done, part, order, borders);
    }
}

/* --- their statistics --- */

#define SUM_LANES 8u
#define SUM_ROWS 4u

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

/* Adds `count` steps of SUM_ROWS vectors of `lanes` numbers, level by level: each takes up the sums of so
 * many steps of the one below. */
static SumRows
sum_cascade (const float *x, size_t count, uint32_t lanes)
{
  SumRows level[WHOLE_SUM_LEVELS] = { 0 };
  const uint32_t power = whole_sum_level_power (count);
  const size_t mask = ((size_t) 1 << power) - 1;
  for (size_t i = 0; i < count;)
    {
      for (uint32_t r = 0; r < SUM_ROWS; r++)
        for (uint32_t k = 0; k < lanes; k++)
          level[0].lane[r][k] += x[(i * SUM_ROWS + r) * lanes + k];
      i++;
      for (uint32_t j = 1; j < WHOLE_SUM_LEVELS && (i >> ((j - 1) * power) & mask) == 0; j++)
        {
          sum_add (&level[j], &level[j - 1]);
          level[j - 1] = (SumRows) { 0 };
        }
    }
  for (uint32_t j = 1; j < WHOLE_SUM_LEVELS; j++)
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
      const float nested = whole_encode_statistics (data + layout->absmax + i, absmax + i, part, offset);
      memcpy (data + layout->nested + i / ASSAY_WHOLE_NESTED * 4, &nested, sizeof nested);
    }
}

/* --- INT8 --- */

void
cpu_quantize_int8_row (const AssayTensor *w, const AssayWholeLayout *layout, const float *x, size_t row)
{
  const size_t n = (size_t) w->shape[0];
  uint8_t *data = (uint8_t *) w->data;
  const float scale = whole_int8_scale (whole_greatest_magnitude (x, n));
  for (size_t i = 0; i < n; i++)
    data[row * n + i] = whole_int8_code (x[i], scale);
  memcpy (data + layout->scale + 4 * row, &scale, sizeof scale);
}
