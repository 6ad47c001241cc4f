/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cpu/vec-avx512.h: the vector steps that the simd-*.h files are written in, 16 floats at a time. */
#pragma once

#include <immintrin.h>
#include <stdint.h>

#define VW 16
#define VEC_INLINE static inline __attribute__ ((always_inline))

typedef __m512 vf;
typedef __m512i vi;

VEC_INLINE vf v_load (const void *p) { return _mm512_loadu_ps (p); }
VEC_INLINE void v_store (void *p, vf a) { _mm512_storeu_ps (p, a); }
VEC_INLINE vf v_set (float x) { return _mm512_set1_ps (x); }
VEC_INLINE vf v_fma (vf a, vf b, vf c) { return _mm512_fmadd_ps (a, b, c); }

/* When one is NaN: the second. */
VEC_INLINE vf v_max (vf a, vf b) { return _mm512_max_ps (a, b); }
VEC_INLINE vf v_min (vf a, vf b) { return _mm512_min_ps (a, b); }

VEC_INLINE vf
v_load_n (const float *p, size_t n)
{
  return _mm512_maskz_loadu_ps ((__mmask16) ((1u << n) - 1), p);
}

VEC_INLINE void
v_store_n (float *p, vf a, size_t n)
{
  _mm512_mask_storeu_ps (p, (__mmask16) ((1u << n) - 1), a);
}

VEC_INLINE vf v_load_f16 (const void *p) { return _mm512_cvtph_ps (_mm256_loadu_si256 (p)); }

VEC_INLINE void
v_store_f16 (void *p, vf a)
{
  _mm256_storeu_si256 (p, _mm512_cvtps_ph (a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}

VEC_INLINE vf
v_load_bf16 (const void *p)
{
  return _mm512_castsi512_ps (_mm512_slli_epi32 (_mm512_cvtepu16_epi32 (_mm256_loadu_si256 (p)), 16));
}

/* rounded to float16 and back */
VEC_INLINE vf
v_round_f16 (vf a)
{
  return _mm512_cvtph_ps (_mm512_cvtps_ph (a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}

/* 16 values, and one of them in every lane */
typedef vf v_table;

VEC_INLINE v_table v_load_table (const float *values) { return v_load (values); }

/* by 16 bytes of 0..15 */
VEC_INLINE vf
v_look_up (v_table table, __m128i codes)
{
  return _mm512_permutexvar_ps (_mm512_cvtepu8_epi32 (codes), table);
}

VEC_INLINE vi v_to_int (vf a) { return _mm512_cvtps_epi32 (a); }
VEC_INLINE vf v_from_int (vi a) { return _mm512_cvtepi32_ps (a); }

/* a * 2^n, n whole, -126 .. 128 */
VEC_INLINE vf v_scale (vf a, vf n) { return _mm512_scalef_ps (a, n); }

/* where a < b: x, else y */
VEC_INLINE vf
v_if_less (vf a, vf b, vf x, vf y)
{
  return _mm512_mask_blend_ps (_mm512_cmp_ps_mask (a, b, _CMP_LT_OQ), y, x);
}

VEC_INLINE vf v_abs (vf a) { return _mm512_abs_ps (a); }
VEC_INLINE vf v_with_sign (vf a, vf sign)
{
  return _mm512_or_ps (a, _mm512_and_ps (sign, _mm512_set1_ps (-0.0f)));
}

/* 8 floats, each in two lanes */
VEC_INLINE vf
v_load_twice (const float *p)
{
  const __m512i lanes = _mm512_setr_epi32 (0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7);
  return _mm512_permutexvar_ps (lanes, _mm512_castps256_ps512 (_mm256_loadu_ps (p)));
}

VEC_INLINE vf v_swap_pairs (vf a) { return _mm512_permute_ps (a, 0xb1); }
VEC_INLINE vf v_minus_even (vf a)
{
  return _mm512_xor_ps (a, _mm512_castsi512_ps (_mm512_set1_epi64 (0x80000000)));
}

/* The order of a sum across lanes is part of a kernel's result. */
VEC_INLINE float
v_sum (vf a)
{
  const __m256 x = _mm256_add_ps (_mm512_castps512_ps256 (a), _mm512_extractf32x8_ps (a, 1));
  const __m128 y = _mm_add_ps (_mm256_castps256_ps128 (x), _mm256_extractf128_ps (x, 1));
  const __m128 z = _mm_add_ps (y, _mm_movehl_ps (y, y));
  return _mm_cvtss_f32 (_mm_add_ss (z, _mm_movehdup_ps (z)));
}

VEC_INLINE float v_greatest (vf a) { return _mm512_reduce_max_ps (a); }

/* sum of four products a (unsigned) * b (signed) added to each lane */
VEC_INLINE vi v_dot4 (vi sum, vi a, vi b) { return _mm512_dpbusd_epi32 (sum, a, b); }
/* the same with both signed; a counts as 128 more than it is */
VEC_INLINE vi
v_dot4_signed (vi sum, vi a, vi b)
{
  return v_dot4 (sum, _mm512_xor_si512 (a, _mm512_set1_epi8 ((char) 0x80)), b);
}

/* What v_dot4_signed() leaves to add, times the sum of all b. */
#define V_DOT4_SIGNED_OFFSET (-128)

/* the lane sums of a, b, c and d */
VEC_INLINE __m128i
v_sum_int_4 (vi a, vi b, vi c, vi d)
{
  const vi sums[4] = { a, b, c, d };
  __m256i half[4];
  for (int i = 0; i < 4; i++)
    half[i] = _mm256_add_epi32 (_mm512_castsi512_si256 (sums[i]), _mm512_extracti64x4_epi64 (sums[i], 1));
  const __m256i all
    = _mm256_hadd_epi32 (_mm256_hadd_epi32 (half[0], half[1]), _mm256_hadd_epi32 (half[2], half[3]));
  return _mm_add_epi32 (_mm256_castsi256_si128 (all), _mm256_extracti128_si256 (all, 1));
}

/* VW whole numbers of -127..127 */
VEC_INLINE void
v_store_int8 (int8_t *p, vi a)
{
  _mm_storeu_si128 ((__m128i *) p, _mm512_cvtsepi32_epi8 (a));
}

VEC_INLINE vi v_load_int8 (const void *p) { return _mm512_cvtepi8_epi32 (_mm_loadu_si128 (p)); }
VEC_INLINE vi v_set_int (int32_t x) { return _mm512_set1_epi32 (x); }
/* 256 * a + b */
VEC_INLINE vi v_join_terms (vi a, vi b) { return _mm512_add_epi32 (_mm512_slli_epi32 (a, 8), b); }
VEC_INLINE vi v_load_int (const void *p) { return _mm512_loadu_si512 (p); }
