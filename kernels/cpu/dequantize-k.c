/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cpu/dequantize-k.c: the K formats, blocks of 256 with scales of their own inside. */
#include "dequantize.h"

#include "shared/half.h"

/* | scales 16 | qs 64 | d f16 | dmin f16 | */
void
cpu_dequantize_q2_k (float *y, const void *blocks, size_t n)
{
  const uint8_t *b = blocks;
  for (; n >= 256; n -= 256, b += 84, y += 256)
    {
      const float d = load_f16 (b + 80), dmin = load_f16 (b + 82);
      for (uint32_t s = 0; s < 16; s++)
        {
          const float scale = d * (float) (b[s] & 15), m = dmin * (float) (b[s] >> 4);
          const uint8_t *qs = b + 16 + 32 * (s >> 3) + 16 * (s & 1);
          for (uint32_t l = 0; l < 16; l++)
            y[16 * s + l] = scale * (float) (qs[l] >> (s & 6) & 3) - m;
        }
    }
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
          const float scale = d * (float) q3_k_scale (b + 96, s);
          const uint8_t *qs = b + 32 + 32 * (s >> 3) + 16 * (s & 1), *high = b + 16 * (s & 1);
          for (uint32_t l = 0; l < 16; l++)
            y[16 * s + l] = scale * (float) ((qs[l] >> (s & 6) & 3) + 4 * (high[l] >> (s >> 1) & 1) - 4);
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
        q4_k_scale (b + 4, s, &sc, &mn);
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
        q4_k_scale (b + 4, s, &sc, &mn);
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
      for (uint32_t s = 0; s < 16; s++)
        {
          const uint32_t h = s >> 3, k = s >> 1 & 3;
          const uint8_t *low = b + 64 * h + 32 * (k & 1) + 16 * (s & 1),
                        *high = b + 128 + 32 * h + 16 * (s & 1);
          const float scale = d * (float) (int8_t) b[192 + s];
          for (uint32_t l = 0; l < 16; l++)
            y[16 * s + l]
              = scale * (float) ((low[l] >> (k < 2 ? 0 : 4) & 15) + 16 * (high[l] >> (2 * k) & 3) - 32);
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
