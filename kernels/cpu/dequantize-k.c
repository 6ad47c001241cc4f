/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cpu/dequantize-k.c: the K formats, blocks of 256 with scales of their own inside. */
#include "dequantize.h"

#include "half.h"

/* | scales 16 | qs 64 | d f16 | dmin f16 | */
void
cpu_dequantize_q2_k (float *y, const void *blocks, size_t n)
{
  const uint8_t *b = blocks;
  for (; n >= 256; n -= 256, b += 84, y += 256)
    {
      const float d = load_f16 (b + 80), dmin = load_f16 (b + 82);
      for (uint32_t e = 0; e < 256; e++)
        {
          const uint8_t scale = b[e >> 4];
          const uint8_t q = b[16 + 32 * (e >> 7) + (e & 31)] >> (2 * (e >> 5 & 3)) & 3;
          y[e] = d * (float) (scale & 15) * (float) q - dmin * (float) (scale >> 4);
        }
    }
}

static int
dequantize_q3_k_scale (const uint8_t *packed, uint32_t s)
{
  const int low = s < 8 ? packed[s] & 15 : packed[s - 8] >> 4;
  return low + 16 * (packed[8 + (s & 3)] >> (2 * (s >> 2)) & 3) - 32;
}

/* | hmask 32 | qs 64 | scales 12 | d f16 | */
void
cpu_dequantize_q3_k (float *y, const void *blocks, size_t n)
{
  const uint8_t *b = blocks;
  for (; n >= 256; n -= 256, b += 110, y += 256)
    {
      const float d = load_f16 (b + 108);
      for (uint32_t s = 0; s < 16; s++)
        {
          const float scale = d * (float) dequantize_q3_k_scale (b + 96, s);
          for (uint32_t e = 16 * s; e < 16 * s + 16; e++)
            {
              const int low = b[32 + 32 * (e >> 7) + (e & 31)] >> (2 * (e >> 5 & 3)) & 3;
              y[e] = scale * (float) (low + 4 * (b[e & 31] >> (e >> 5) & 1) - 4);
            }
        }
    }
}

/* | d f16 | dmin f16 | scales 12 | qs 128 | */
void
cpu_dequantize_q4_k (float *y, const void *blocks, size_t n)
{
  const uint8_t *b = blocks;
  for (; n >= 256; n -= 256, b += 144, y += 256)
    for (uint32_t s = 0; s < 8; s++)
      {
        uint8_t sc, mn;
        cpu_k_scale (b + 4, s, &sc, &mn);
        const float d = load_f16 (b) * (float) sc, m = load_f16 (b + 2) * (float) mn;
        for (uint32_t l = 0; l < 32; l++)
          y[32 * s + l] = d * (float) (b[16 + 32 * (s >> 1) + l] >> (4 * (s & 1)) & 15) - m;
      }
}

/* | d f16 | dmin f16 | scales 12 | qh 32 | qs 128 | */
void
cpu_dequantize_q5_k (float *y, const void *blocks, size_t n)
{
  const uint8_t *b = blocks;
  for (; n >= 256; n -= 256, b += 176, y += 256)
    for (uint32_t s = 0; s < 8; s++)
      {
        uint8_t sc, mn;
        cpu_k_scale (b + 4, s, &sc, &mn);
        const float d = load_f16 (b) * (float) sc, m = load_f16 (b + 2) * (float) mn;
        for (uint32_t l = 0; l < 32; l++)
          {
            const uint32_t low = b[48 + 32 * (s >> 1) + l] >> (4 * (s & 1)) & 15;
            y[32 * s + l] = d * (float) (low + 16 * (b[16 + l] >> s & 1)) - m;
          }
      }
}

/* | ql 128 | qh 64 | scales 16 | d f16 | */
void
cpu_dequantize_q6_k (float *y, const void *blocks, size_t n)
{
  const uint8_t *b = blocks;
  for (; n >= 256; n -= 256, b += 210, y += 256)
    {
      const float d = load_f16 (b + 208);
      for (uint32_t e = 0; e < 256; e++)
        {
          const uint32_t h = e >> 7, k = e >> 5 & 3, l = e & 31;
          const int low = b[64 * h + 32 * (k & 1) + l] >> (k < 2 ? 0 : 4) & 15;
          const int high = b[128 + 32 * h + l] >> (2 * k) & 3;
          y[e] = d * (float) (int8_t) b[192 + (e >> 4)] * (float) (low + 16 * high - 32);
        }
    }
}

/* | d f32 | qs 256 | sums 32 | */
void
cpu_dequantize_q8_k (float *y, const void *blocks, size_t n)
{
  const uint8_t *b = blocks;
  for (; n >= 256; n -= 256, b += 292, y += 256)
    {
      const float d = float_from_bits (load_u32 (b));
      for (uint32_t e = 0; e < 256; e++)
        y[e] = d * (float) (int8_t) b[4 + e];
    }
}
