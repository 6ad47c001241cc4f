/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cpu/simd-int8.h: activations to int8. Included once by each isa-*.c, after its vec-*.h. */
#pragma once

#include "cpu.h"
#include "half.h"

#include <math.h>

VEC_INLINE int32_t
int8_sum_128 (__m128i codes)
{
  const __m128i pairs = _mm_maddubs_epi16 (_mm_set1_epi8 (1), codes);
  const __m128i fours = _mm_madd_epi16 (pairs, _mm_set1_epi16 (1));
  const __m128i twos = _mm_add_epi32 (fours, _mm_shuffle_epi32 (fours, 0x4e));
  return _mm_cvtsi128_si32 (_mm_add_epi32 (twos, _mm_shuffle_epi32 (twos, 0xb1)));
}

/* The greatest magnitude's bits. As integers they order like the magnitudes, and NaN comes out on top. */
VEC_INLINE uint32_t
int8_max_bits (__m256i a, __m256i b, __m256i c, __m256i d)
{
  const __m256i x = _mm256_max_epi32 (_mm256_max_epi32 (a, b), _mm256_max_epi32 (c, d));
  const __m128i y = _mm_max_epi32 (_mm256_castsi256_si128 (x), _mm256_extracti128_si256 (x, 1));
  const __m128i z = _mm_max_epi32 (y, _mm_shuffle_epi32 (y, 0x4e));
  return (uint32_t) _mm_cvtsi128_si32 (_mm_max_epi32 (z, _mm_shuffle_epi32 (z, 0xb1)));
}

/* 32 activations; returns the scale, NaN when one of them is not finite */
VEC_INLINE float
int8_quantize_32 (const float *x, __m256i *codes)
{
  const __m256i plain = _mm256_set1_epi32 (0x7fffffff);
  const __m256 a = _mm256_loadu_ps (x), b = _mm256_loadu_ps (x + 8), c = _mm256_loadu_ps (x + 16),
               d = _mm256_loadu_ps (x + 24);
  const uint32_t bits = int8_max_bits (
    _mm256_and_si256 (_mm256_castps_si256 (a), plain), _mm256_and_si256 (_mm256_castps_si256 (b), plain),
    _mm256_and_si256 (_mm256_castps_si256 (c), plain), _mm256_and_si256 (_mm256_castps_si256 (d), plain));
  const float max = float_from_bits (bits);
  *codes = _mm256_setzero_si256 ();
  if (bits >= 0x7f800000)
    return NAN;
  if (max < 1e-30f)
    return 0.0f;
  const __m256 inverse = _mm256_set1_ps (127.0f / max);
  const __m256i ab = _mm256_packs_epi32 (_mm256_cvtps_epi32 (a * inverse), _mm256_cvtps_epi32 (b * inverse));
  const __m256i cd = _mm256_packs_epi32 (_mm256_cvtps_epi32 (c * inverse), _mm256_cvtps_epi32 (d * inverse));
  *codes
    = _mm256_permutevar8x32_epi32 (_mm256_packs_epi16 (ab, cd), _mm256_setr_epi32 (0, 4, 1, 5, 2, 6, 3, 7));
  return max / 127.0f;
}

VEC_INLINE CpuGroup
int8_group (const CpuFormat *format, float d, int32_t sum)
{
  CpuGroup group = { .d = d };
  if (format->has_min)
    group.sum = d * (float) sum;
  else
    group.bias = -format->offset * sum;
  return group;
}

static void
simd_quantize (int8_t *codes, CpuGroup *groups, const float *x, size_t n, const CpuFormat *format)
{
  for (size_t i = 0; i < n; i += 32)
    {
      __m256i q;
      const float d = int8_quantize_32 (x + i, &q);
      const int32_t low = int8_sum_128 (_mm256_castsi256_si128 (q));
      const int32_t high = int8_sum_128 (_mm256_extracti128_si256 (q, 1));
      _mm256_storeu_si256 ((__m256i *) (codes + i), q);
      if (format->group == 16)
        {
          *groups++ = int8_group (format, d, low);
          *groups++ = int8_group (format, d, high);
        }
      else
        *groups++ = int8_group (format, d, low + high);
    }
}
