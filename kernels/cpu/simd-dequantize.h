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

/* 16 codes to y. */
VEC_INLINE void
dequantize_look_up (float *y, v_table table, __m128i codes, vf absmax)
{
  for (size_t i = 0; i < 16; i += VW, codes = _mm_srli_si128 (codes, 8))
    v_store (y + i, v_look_up (table, codes) * absmax);
}

static void
simd_dequantize_4bit (float *y, const uint8_t *codes, const float *values, const float *absmax, size_t n_blocks)
{
  const v_table table = v_load_table (values);
  const __m128i nibble = _mm_set1_epi8 (15);
  for (size_t i = 0; i < 4 * n_blocks; i++, codes += 8, y += 16)
    {
      const __m128i bytes = _mm_loadl_epi64 ((const __m128i *) codes);
      const __m128i first = _mm_and_si128 (_mm_srli_epi16 (bytes, 4), nibble), second = _mm_and_si128 (bytes, nibble);
      dequantize_look_up (y, table, _mm_unpacklo_epi8 (first, second), v_set (absmax[i / 4]));
    }
}

static void
simd_dequantize (float *y, const CpuFormat *format, const void *blocks, size_t n)
{
  CODES_SWITCH (format, dequantize_blocks, y, blocks, n)
}
