/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cpu/dequantize-iq.c: formats of one to three bits, whose codes name entries of a codebook. */
#include "dequantize.h"

#include "shared/half.h"
#include "shared/iq-grids.h"

static void
iq_put_8 (float *y, float d, uint16_t entry, uint8_t signs)
{
  for (uint32_t i = 0; i < 8; i++)
    y[i] = d * iq2_values[entry >> (2 * i) & 3] * (signs >> i & 1 ? -1.0f : 1.0f);
}

static void
iq_put_4 (float *y, float d, const float *values, uint16_t entry, uint32_t signs)
{
  for (uint32_t i = 0; i < 4; i++)
    y[i] = d * values[entry >> (4 * i) & 15] * (signs >> i & 1 ? -1.0f : 1.0f);
}

static void
iq_put_ternary (float *y, float d, float delta, uint16_t entry)
{
  for (uint32_t i = 0; i < 8; i++)
    y[i] = d * ((float) (int) (entry >> (2 * i) & 3) - 1.0f + delta);
}

/* | d f16 | 8 x (4 entries u8, signs 4 x 7 bits and scale 4 bits) | */
void
cpu_dequantize_iq2_xxs (float *y, const void *blocks, size_t n)
{
  const uint8_t *b = blocks;
  for (; n >= 256; n -= 256, b += 66, y += 256)
    for (uint32_t s = 0; s < 8; s++)
      {
        const uint8_t *q = b + 2 + 8 * s;
        const uint32_t rest = load_u32 (q + 4);
        const float d = load_f16 (b) * (0.5f + (float) (rest >> 28)) * 0.25f;
        for (uint32_t i = 0; i < 4; i++)
          iq_put_8 (y + 32 * s + 8 * i, d, iq2_xxs_grid[q[i]], iq_signs (rest >> (7 * i) & 127));
      }
}

/* | d f16 | 32 x (entry 9 bits, signs 7 bits) | scales 16 x 4 bits | */
void
cpu_dequantize_iq2_xs (float *y, const void *blocks, size_t n)
{
  const uint8_t *b = blocks;
  for (; n >= 256; n -= 256, b += 74, y += 256)
    for (uint32_t i = 0; i < 32; i++)
      {
        const uint32_t scale = b[66 + i / 4] >> (4 * (i / 2 % 2)) & 15;
        const uint16_t q = load_u16 (b + 2 + 2 * i);
        iq_put_8 (y + 8 * i, load_f16 (b) * (0.5f + (float) scale) * 0.25f, iq2_xs_grid[q & 511],
                  iq_signs (q >> 9));
      }
}

/* | d f16 | low bits of 32 entries | signs 32 | high bits 32 x 2 | scales 16 x 4 bits | */
void
cpu_dequantize_iq2_s (float *y, const void *blocks, size_t n)
{
  const uint8_t *b = blocks;
  for (; n >= 256; n -= 256, b += 82, y += 256)
    for (uint32_t i = 0; i < 32; i++)
      {
        const uint32_t scale = b[74 + i / 4] >> (4 * (i / 2 % 2)) & 15;
        const uint32_t entry = b[2 + i] | (b[66 + i / 4] >> (2 * (i % 4)) & 3u) << 8;
        iq_put_8 (y + 8 * i, load_f16 (b) * (0.5f + (float) scale) * 0.25f, iq2_s_grid[entry], b[34 + i]);
      }
}

/* | d f16 | 64 entries u8 | 8 x (signs 4 x 7 bits and scale 4 bits) | */
void
cpu_dequantize_iq3_xxs (float *y, const void *blocks, size_t n)
{
  const uint8_t *b = blocks;
  for (; n >= 256; n -= 256, b += 98, y += 256)
    for (uint32_t i = 0; i < 64; i++)
      {
        const uint32_t rest = load_u32 (b + 66 + 4 * (i / 8));
        const float d = load_f16 (b) * (0.5f + (float) (rest >> 28)) * 0.5f;
        const uint32_t signs = iq_signs (rest >> (7 * (i / 2 % 4)) & 127);
        iq_put_4 (y + 4 * i, d, iq3_xxs_values, iq3_xxs_grid[b[2 + i]], signs >> (4 * (i % 2)));
      }
}

/* | d f16 | low bits of 64 entries | high bits 64 x 1 | signs 32 | scales 8 x 4 bits | */
void
cpu_dequantize_iq3_s (float *y, const void *blocks, size_t n)
{
  const uint8_t *b = blocks;
  for (; n >= 256; n -= 256, b += 110, y += 256)
    for (uint32_t i = 0; i < 64; i++)
      {
        const uint32_t scale = b[106 + i / 16] >> (4 * (i / 8 % 2)) & 15;
        const uint32_t entry = b[2 + i] | (b[66 + i / 8] >> (i % 8) & 1u) << 8;
        const uint32_t signs = b[74 + i / 2];
        iq_put_4 (y + 4 * i, load_f16 (b) * (float) (1 + 2 * scale), iq3_s_values, iq3_s_grid[entry],
                  signs >> (4 * (i % 2)));
      }
}

/* | d f16 | low bits of 32 entries | 8 x (high bits 4 x 3, scale 3, sign of delta 1) | */
void
cpu_dequantize_iq1_s (float *y, const void *blocks, size_t n)
{
  const uint8_t *b = blocks;
  for (; n >= 256; n -= 256, b += 50, y += 256)
    for (uint32_t i = 0; i < 32; i++)
      {
        const uint32_t rest = load_u16 (b + 34 + 2 * (i / 4));
        const uint32_t entry = b[2 + i] | (rest >> (3 * (i % 4)) & 7) << 8;
        iq_put_ternary (y + 8 * i, load_f16 (b) * (float) (2 * (rest >> 12 & 7) + 1),
                        rest & 0x8000 ? -0.125f : 0.125f, iq1_s_grid[entry]);
      }
}

/* | low bits of 32 entries | 32 x (high bits 3, sign of delta 1) | 4 x (scales 4 x 3 bits, 4 bits of d) | */
void
cpu_dequantize_iq1_m (float *y, const void *blocks, size_t n)
{
  const uint8_t *b = blocks;
  for (; n >= 256; n -= 256, b += 56, y += 256)
    {
      const float d = iq1_m_scale (b);
      for (uint32_t i = 0; i < 32; i++)
        {
          const uint32_t scale = load_u16 (b + 48 + 2 * (i / 8)) >> (3 * (i / 2 % 4)) & 7;
          const uint32_t high = b[32 + i / 2] >> (4 * (i % 2));
          iq_put_ternary (y + 8 * i, d * (float) (2 * scale + 1),
                          high & 8 ? -0.125f : 0.125f, iq1_s_grid[b[i] | (high & 7) << 8]);
        }
    }
}
