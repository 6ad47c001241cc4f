/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cpu/dequantize-table.c: ternary formats, and 4-bit formats whose codes are looked up. */
#include "dequantize.h"

#include "shared/half.h"

/* | qs 48 | qh 4 | d f16 | */
void
cpu_dequantize_tq1_0 (float *y, const void *blocks, size_t n)
{
  const uint8_t *b = blocks;
  for (; n >= 256; n -= 256, b += 54, y += 256)
    {
      const float d = load_f16 (b + 52);
      for (uint32_t e = 0; e < 256; e++)
        y[e] = d * (float) tq1_0_code (b, e);
    }
}

/* | qs 64 | d f16 | */
void
cpu_dequantize_tq2_0 (float *y, const void *blocks, size_t n)
{
  const uint8_t *b = blocks;
  for (; n >= 256; n -= 256, b += 66, y += 256)
    {
      const float d = load_f16 (b + 64);
      for (uint32_t e = 0; e < 256; e++)
        y[e] = d * (float) ((b[32 * (e >> 7) + (e & 31)] >> (2 * (e >> 5 & 3)) & 3) - 1);
    }
}

/* 2 * half codes: the low nibbles first, then the high ones */
static void
dequantize_nibbles (float *y, const uint8_t *qs, uint32_t half, const int8_t *table, float d)
{
  for (uint32_t i = 0; i < half; i++)
    {
      y[i] = d * (float) table[qs[i] & 15];
      y[i + half] = d * (float) table[qs[i] >> 4];
    }
}

/* | d f16 | qs 16 | */
void
cpu_dequantize_iq4_nl (float *y, const void *blocks, size_t n)
{
  const uint8_t *b = blocks;
  for (; n >= 32; n -= 32, b += 18, y += 32)
    dequantize_nibbles (y, b + 2, 16, iq4_values, load_f16 (b));
}

/* | d f16 | scales_h u16 | scales_l 4 | qs 128 | */
void
cpu_dequantize_iq4_xs (float *y, const void *blocks, size_t n)
{
  const uint8_t *b = blocks;
  for (; n >= 256; n -= 256, b += 136, y += 256)
    for (uint32_t s = 0; s < 8; s++)
      dequantize_nibbles (y + 32 * s, b + 8 + 16 * s, 16, iq4_values,
                          load_f16 (b) * (float) iq4_xs_scale (b, s));
}

/* | e | qs 16 | */
void
cpu_dequantize_mxfp4 (float *y, const void *blocks, size_t n)
{
  const uint8_t *b = blocks;
  for (; n >= 32; n -= 32, b += 17, y += 32)
    dequantize_nibbles (y, b + 1, 16, e2m1_doubled, e8m0_half (b[0]));
}

/* | scales 4 | qs 32 |: four times 16 elements */
void
cpu_dequantize_nvfp4 (float *y, const void *blocks, size_t n)
{
  const uint8_t *b = blocks;
  for (; n >= 64; n -= 64, b += 36, y += 64)
    for (uint32_t s = 0; s < 4; s++)
      dequantize_nibbles (y + 16 * s, b + 4 + 8 * s, 8, e2m1_doubled, e4m3_half (b[s]));
}
