/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cpu/simd-int8.h: activations to two terms of int8, see CpuGroup. Included once by each isa-*.c,
 * after its vec-*.h. */
#pragma once

#include "cpu.h"
#include "shared/half.h"

#include <math.h>

/* 32 activations as whole numbers of 16 bits, a and b the first and the second half; in each half the
 * quarters stand in the order 0 2 1 3. */
typedef struct
{
  __m256i a, b;
} Int8Pair;

VEC_INLINE int32_t
int8_sum_16 (__m256i whole)
{
  const __m256i eight = _mm256_madd_epi16 (whole, _mm256_set1_epi16 (1));
  const __m128i four = _mm_add_epi32 (_mm256_castsi256_si128 (eight), _mm256_extracti128_si256 (eight, 1));
  const __m128i two = _mm_add_epi32 (four, _mm_shuffle_epi32 (four, 0x4e));
  return _mm_cvtsi128_si32 (_mm_add_epi32 (two, _mm_shuffle_epi32 (two, 0xb1)));
}

/* Bytes in element order. */
VEC_INLINE void
int8_store (int8_t *to, __m256i a, __m256i b)
{
  const __m256i order = _mm256_setr_epi32 (0, 4, 1, 5, 2, 6, 3, 7);
  _mm256_storeu_si256 ((__m256i *) to, _mm256_permutevar8x32_epi32 (_mm256_packs_epi16 (a, b), order));
}

VEC_INLINE __m256i
int8_high (__m256i whole)
{
  return _mm256_srai_epi16 (_mm256_add_epi16 (whole, _mm256_set1_epi16 (128)), 8);
}

VEC_INLINE __m256i
int8_low (__m256i whole, __m256i high)
{
  return _mm256_max_epi16 (_mm256_sub_epi16 (whole, _mm256_slli_epi16 (high, 8)), _mm256_set1_epi16 (-127));
}

/* Both terms to their places; returns what they stand for. */
VEC_INLINE Int8Pair
int8_split (int8_t *high, int8_t *low, Int8Pair whole)
{
  const __m256i high_a = int8_high (whole.a), high_b = int8_high (whole.b);
  const __m256i low_a = int8_low (whole.a, high_a), low_b = int8_low (whole.b, high_b);
  int8_store (high, high_a, high_b);
  int8_store (low, low_a, low_b);
  return (Int8Pair) { _mm256_add_epi16 (_mm256_slli_epi16 (high_a, 8), low_a),
                      _mm256_add_epi16 (_mm256_slli_epi16 (high_b, 8), low_b) };
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
int8_quantize_32 (const float *x, Int8Pair *whole)
{
  const __m256i plain = _mm256_set1_epi32 (0x7fffffff);
  const __m256 a = _mm256_loadu_ps (x), b = _mm256_loadu_ps (x + 8), c = _mm256_loadu_ps (x + 16),
               d = _mm256_loadu_ps (x + 24);
  const uint32_t bits = int8_max_bits (
    _mm256_and_si256 (_mm256_castps_si256 (a), plain), _mm256_and_si256 (_mm256_castps_si256 (b), plain),
    _mm256_and_si256 (_mm256_castps_si256 (c), plain), _mm256_and_si256 (_mm256_castps_si256 (d), plain));
  const float max = float_from_bits (bits);
  whole->a = whole->b = _mm256_setzero_si256 ();
  if (bits >= 0x7f800000)
    return NAN;
  if (max < 1e-30f)
    return 0.0f;
  const __m256 inverse = _mm256_set1_ps (CPU_ACTIVATION_MAX / max);
  whole->a = _mm256_packs_epi32 (_mm256_cvtps_epi32 (a * inverse), _mm256_cvtps_epi32 (b * inverse));
  whole->b = _mm256_packs_epi32 (_mm256_cvtps_epi32 (c * inverse), _mm256_cvtps_epi32 (d * inverse));
  return max / CPU_ACTIVATION_MAX;
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
      Int8Pair whole;
      const float d = int8_quantize_32 (x + i, &whole);
      whole = int8_split (codes + i, codes + n + i, whole);
      const int32_t first = int8_sum_16 (whole.a), second = int8_sum_16 (whole.b);
      if (format->group == 16)
        {
          *groups++ = int8_group (format, d, first);
          *groups++ = int8_group (format, d, second);
        }
      else
        *groups++ = int8_group (format, d, first + second);
    }
}
