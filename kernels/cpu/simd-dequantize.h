/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cpu/simd-dequantize.h: the formats with integer kernels as float32, bit for bit as dequantize.c
 * gives them: a product and a sum each round on their own. Included once by each isa-*.c, after its vec-*.h
 * and simd-codes.h. */
#pragma once

#include "dequantize.h"

VEC_INLINE int
dequantize_offset (AssayDtype dtype)
{
  switch ((int) dtype)
    {
    case ASSAY_DTYPE_Q4_0: return 8;
    case ASSAY_DTYPE_Q5_0: return 16;
    case ASSAY_DTYPE_Q6_K: return 32;
    case ASSAY_DTYPE_Q3_K: return 4;
    default: return codes_are_bytes (dtype) ? 128 : 0;
    }
}

/* Eight codes of one group. */
VEC_INLINE void
dequantize_8 (AssayDtype dtype, float *y, __m128i codes, float d, float m)
{
  const __m256i whole
    = _mm256_sub_epi32 (_mm256_cvtepu8_epi32 (codes), _mm256_set1_epi32 (dequantize_offset (dtype)));
  __m256 value = _mm256_cvtepi32_ps (whole) * _mm256_set1_ps (d);
  if (codes_has_min (dtype))
    value = value + _mm256_set1_ps (m);
  _mm256_storeu_ps (y, value);
}

VEC_INLINE void
dequantize_16 (AssayDtype dtype, float *y, __m128i codes, float d, float m)
{
  dequantize_8 (dtype, y, codes, d, m);
  dequantize_8 (dtype, y + 8, _mm_srli_si128 (codes, 8), d, m);
}

VEC_INLINE void
dequantize_blocks (AssayDtype dtype, float *y, const uint8_t *block, size_t n)
{
  const size_t parts = codes_is_k (dtype) ? 8 : 1, groups = codes_groups (dtype);
  for (size_t i = 0; i < n / 32; i += parts, block += codes_block_bytes (dtype))
    {
      float d[16], m[16] = { 0 };
      codes_scales (dtype, block, d, m);
#pragma GCC unroll 8
      for (size_t s = 0; s < parts; s++, y += 32)
        {
          const __m256i codes = codes_get (dtype, block, (uint32_t) s);
          const size_t low = s * groups, high = s * groups + groups - 1;
          dequantize_16 (dtype, y, _mm256_castsi256_si128 (codes), d[low], m[low]);
          dequantize_16 (dtype, y + 16, _mm256_extracti128_si256 (codes, 1), d[high], m[high]);
        }
    }
}

/* The 64 codes of a block of NF4 or FP4, one a byte, the first of two from the high half. */
typedef struct
{
  __m128i part[4];
} Codes64;

VEC_INLINE Codes64
codes_4bit (const uint8_t *codes)
{
  const __m256i bytes = _mm256_loadu_si256 ((const __m256i *) codes), nibble = _mm256_set1_epi8 (15);
  const __m256i first = _mm256_and_si256 (_mm256_srli_epi16 (bytes, 4), nibble);
  const __m256i second = _mm256_and_si256 (bytes, nibble);
  const __m256i a = _mm256_unpacklo_epi8 (first, second), b = _mm256_unpackhi_epi8 (first, second);
  return (Codes64) { { _mm256_castsi256_si128 (a), _mm256_castsi256_si128 (b),
                       _mm256_extracti128_si256 (a, 1), _mm256_extracti128_si256 (b, 1) } };
}

/* Values of element i on, a multiple of VW. */
VEC_INLINE vf
codes_values (v_table table, const Codes64 *codes, size_t i)
{
  const __m128i part = codes->part[i / 16];
  return v_look_up (table, i % 16 == 0 ? part : _mm_srli_si128 (part, 8));
}

static void
simd_dequantize_4bit (float *y, const uint8_t *codes, const float *values, const float *absmax,
                      size_t n_blocks)
{
  const v_table table = v_load_table (values);
  for (size_t b = 0; b < n_blocks; b++, y += 64)
    {
      const Codes64 block = codes_4bit (codes + 32 * b);
      const vf scale = v_set (absmax[b]);
#pragma GCC unroll 8
      for (size_t i = 0; i < 64; i += VW)
        v_store (y + i, codes_values (table, &block, i) * scale);
    }
}

static float
simd_dot_4bit (const float *x, const uint8_t *codes, const float *values, const float *absmax,
               size_t n_blocks)
{
  const v_table table = v_load_table (values);
  vf sum = v_set (0.0f);
  for (size_t b = 0; b < n_blocks; b++, x += 64)
    {
      const Codes64 block = codes_4bit (codes + 32 * b);
      vf even = codes_values (table, &block, 0) * v_load (x);
      vf odd = codes_values (table, &block, VW) * v_load (x + VW);
#pragma GCC unroll 4
      for (size_t i = 2 * VW; i < 64; i += 2 * VW)
        {
          even = v_fma (codes_values (table, &block, i), v_load (x + i), even);
          odd = v_fma (codes_values (table, &block, i + VW), v_load (x + i + VW), odd);
        }
      sum = v_fma (even + odd, v_set (absmax[b]), sum);
    }
  return v_sum (sum);
}

static void
simd_dequantize (float *y, const CpuFormat *format, const void *blocks, size_t n)
{
  CODES_SWITCH (format, dequantize_blocks, y, blocks, n)
}
