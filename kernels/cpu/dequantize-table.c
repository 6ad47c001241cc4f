/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cpu/dequantize-table.c: ternary formats, and 4-bit formats whose codes are looked up. */
#include "dequantize.h"

#include "half.h"

const int8_t cpu_iq4_values[16]
  = { -127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113 };
static const int8_t e2m1_doubled[16] = { 0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12 };

/* | qs 48 | qh 4 | d f16 |: base-3 digits, five a byte (four in qh), the first one most significant */
void
cpu_dequantize_tq1_0 (float *y, const void *blocks, size_t n)
{
  static const uint8_t power[5] = { 1, 3, 9, 27, 81 };
  const uint8_t *b = blocks;
  for (; n >= 256; n -= 256, b += 54, y += 256)
    {
      const float d = load_f16 (b + 52);
      for (uint32_t e = 0; e < 256; e++)
        {
          const uint8_t byte = e < 160 ? b[e % 32] : e < 240 ? b[32 + (e - 160) % 16] : b[48 + (e - 240) % 4];
          const uint8_t digit = (uint8_t) (e < 160 ? e / 32 : e < 240 ? (e - 160) / 16 : (e - 240) / 4);
          const uint8_t shifted = (uint8_t) (byte * power[digit]);
          y[e] = d * (float) ((3 * shifted >> 8) - 1);
        }
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
    dequantize_nibbles (y, b + 2, 16, cpu_iq4_values, load_f16 (b));
}

/* | d f16 | scales_h u16 | scales_l 4 | qs 128 | */
void
cpu_dequantize_iq4_xs (float *y, const void *blocks, size_t n)
{
  const uint8_t *b = blocks;
  for (; n >= 256; n -= 256, b += 136, y += 256)
    for (uint32_t s = 0; s < 8; s++)
      dequantize_nibbles (y + 32 * s, b + 8 + 16 * s, 16, cpu_iq4_values,
                          load_f16 (b) * (float) cpu_iq4_xs_scale (b, s));
}

/* 2^(e - 128): halved, since the table is doubled */
static float
dequantize_e8m0_half (uint8_t e)
{
  return float_from_bits (e < 2 ? UINT32_C (0x00200000) << e : (uint32_t) (e - 1) << 23);
}

/* | e | qs 16 | */
void
cpu_dequantize_mxfp4 (float *y, const void *blocks, size_t n)
{
  const uint8_t *b = blocks;
  for (; n >= 32; n -= 32, b += 17, y += 32)
    dequantize_nibbles (y, b + 1, 16, e2m1_doubled, dequantize_e8m0_half (b[0]));
}

/* Unsigned E4M3, halved. The sign bit is not looked at; 0x7f, its NaN, counts as nothing. */
static float
dequantize_e4m3_half (uint8_t x)
{
  const uint32_t exponent = x >> 3 & 15, mantissa = x & 7;
  if (x == 0x7f)
    return 0.0f;
  if (exponent == 0)
    return (float) mantissa * 0x1p-10f;
  return float_from_bits ((exponent - 7 + 127 - 1) << 23 | mantissa << 20);
}

/* | scales 4 | qs 32 |: four times 16 elements */
void
cpu_dequantize_nvfp4 (float *y, const void *blocks, size_t n)
{
  const uint8_t *b = blocks;
  for (; n >= 64; n -= 64, b += 36, y += 64)
    for (uint32_t s = 0; s < 4; s++)
      dequantize_nibbles (y + 16 * s, b + 4 + 8 * s, 8, e2m1_doubled, dequantize_e4m3_half (b[s]));
}
