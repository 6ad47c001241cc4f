/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cpu/dequantize.h: block formats to float32, bit for bit what the formats define.
 *
 * y gets n elements, a multiple of the format's block; blocks may stand at any address. */
#pragma once

#include "kernels.h"

typedef void (*CpuDequantize) (float *y, const void *blocks, size_t n);

/* NULL for a format these kernels do not compute with. */
CpuDequantize cpu_dequantize_get (AssayDtype dtype);

void cpu_dequantize_q2_k (float *y, const void *blocks, size_t n);
void cpu_dequantize_q3_k (float *y, const void *blocks, size_t n);
void cpu_dequantize_q4_k (float *y, const void *blocks, size_t n);
void cpu_dequantize_q5_k (float *y, const void *blocks, size_t n);
void cpu_dequantize_q6_k (float *y, const void *blocks, size_t n);
void cpu_dequantize_q8_k (float *y, const void *blocks, size_t n);

void cpu_dequantize_iq1_s (float *y, const void *blocks, size_t n);
void cpu_dequantize_iq1_m (float *y, const void *blocks, size_t n);
void cpu_dequantize_iq2_xxs (float *y, const void *blocks, size_t n);
void cpu_dequantize_iq2_xs (float *y, const void *blocks, size_t n);
void cpu_dequantize_iq2_s (float *y, const void *blocks, size_t n);
void cpu_dequantize_iq3_xxs (float *y, const void *blocks, size_t n);
void cpu_dequantize_iq3_s (float *y, const void *blocks, size_t n);

void cpu_dequantize_tq1_0 (float *y, const void *blocks, size_t n);
void cpu_dequantize_tq2_0 (float *y, const void *blocks, size_t n);
void cpu_dequantize_iq4_nl (float *y, const void *blocks, size_t n);
void cpu_dequantize_iq4_xs (float *y, const void *blocks, size_t n);
void cpu_dequantize_mxfp4 (float *y, const void *blocks, size_t n);
void cpu_dequantize_nvfp4 (float *y, const void *blocks, size_t n);

/* The 6-bit scale (sc) and minimum (mn) of sub-block s that Q4_K and Q5_K pack into 12 bytes. */
static inline void
cpu_k_scale (const uint8_t *packed, uint32_t s, uint8_t *sc, uint8_t *mn)
{
  if (s < 4)
    {
      *sc = packed[s] & 63;
      *mn = packed[s + 4] & 63;
      return;
    }
  *sc = (uint8_t) ((packed[s + 4] & 15) | (packed[s - 4] >> 6) << 4);
  *mn = (uint8_t) (packed[s + 4] >> 4 | (packed[s] >> 6) << 4);
}

/* The 6-bit scale of sub-block s of Q3_K, -32 .. 31, packed in 12 bytes. */
static inline int
cpu_q3_k_scale (const uint8_t *packed, uint32_t s)
{
  const int low = s < 8 ? packed[s] & 15 : packed[s - 8] >> 4;
  return low + 16 * (packed[8 + (s & 3)] >> (2 * (s >> 2)) & 3) - 32;
}

/* The 6-bit scale of sub-block s of IQ4_XS, -32 .. 31, of a whole block. */
static inline int
cpu_iq4_xs_scale (const uint8_t *block, uint32_t s)
{
  const int low = block[4 + (s >> 1)] >> (4 * (s & 1)) & 15;
  return low + 16 * (block[2 + (s >> 2)] >> (2 * (s & 3)) & 3) - 32;
}

/* What the 16 codes of IQ4_NL and IQ4_XS stand for. */
extern const int8_t cpu_iq4_values[16];
