/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cpu/vec-avx2.h: the vector steps that the simd-*.h files are written in, 8 floats at a time. */
#pragma once

#include <immintrin.h>
#include <stdint.h>
#include <string.h>

#define VW 8
#define VEC_INLINE static inline __attribute__ ((always_inline))

typedef __m256 vf;
typedef __m256i vi;

VEC_INLINE vf v_load (const void *p) { return _mm256_loadu_ps (p); }
VEC_INLINE void v_store (void *p, vf a) { _mm256_storeu_ps (p, a); }
VEC_INLINE vf v_set (float x) { return _mm256_set1_ps (x); }
VEC_INLINE vf v_fma (vf a, vf b, vf c) { return _mm256_fmadd_ps (a, b, c); }

/* When one is NaN: the second. */
VEC_INLINE vf v_max (vf a, vf b) { return _mm256_max_ps (a, b); }
VEC_INLINE vf v_min (vf a, vf b) { return _mm256_min_ps (a, b); }

VEC_INLINE vf
v_load_n (const float *p, size_t n)
{
  float lanes[VW] = { 0 };
  memcpy (lanes, p, n * sizeof *p);
  return _mm256_loadu_ps (lanes);
}

VEC_INLINE void
v_store_n (float *p, vf a, size_t n)
{
  float lanes[VW];
  _mm256_storeu_ps (lanes, a);
  memcpy (p, lanes, n * sizeof *p);
}

VEC_INLINE vf v_load_f16 (const void *p) { return _mm256_cvtph_ps (_mm_loadu_si128 (p)); }

VEC_INLINE void
v_store_f16 (void *p, vf a)
{
  _mm_storeu_si128 (p, _mm256_cvtps_ph (a, _MM_FROUND_TO_NEAREST_INT));
}

VEC_INLINE vf
v_load_bf16 (const void *p)
{
  return _mm256_castsi256_ps (_mm256_slli_epi32 (_mm256_cvtepu16_epi32 (_mm_loadu_si128 (p)), 16));
}

/* rounded to float16 and back */
VEC_INLINE vf v_round_f16 (vf a) { return _mm256_cvtph_ps (_mm256_cvtps_ph (a, _MM_FROUND_TO_NEAREST_INT)); }

/* 16 values, and one of them in every lane */
typedef struct
{
  vf low, high;
} v_table;

VEC_INLINE v_table
v_load_table (const float *values)
{
  return (v_table) { v_load (values), v_load (values + 8) };
}

/* by eight bytes of 0..15 */
VEC_INLINE vf
v_look_up (v_table table, __m128i codes)
{
  const __m256i wide = _mm256_cvtepu8_epi32 (codes);
  const __m256 low = _mm256_permutevar8x32_ps (table.low, wide);
  const __m256 high = _mm256_permutevar8x32_ps (table.high, wide);
  return _mm256_blendv_ps (low, high, _mm256_castsi256_ps (_mm256_slli_epi32 (wide, 28)));
}

VEC_INLINE vi v_to_int (vf a) { return _mm256_cvtps_epi32 (a); }
VEC_INLINE vf v_from_int (vi a) { return _mm256_cvtepi32_ps (a); }

/* a * 2^n, n whole, -126 .. 128: two factors, since 2^128 is no float */
VEC_INLINE vf
v_scale (vf a, vf n)
{
  const vi whole = _mm256_cvtps_epi32 (n), half = _mm256_srai_epi32 (whole, 1);
  const vi one = _mm256_set1_epi32 (127);
  const vf x = _mm256_castsi256_ps (_mm256_slli_epi32 (_mm256_add_epi32 (half, one), 23));
  const vf y = _mm256_castsi256_ps (
    _mm256_slli_epi32 (_mm256_add_epi32 (_mm256_sub_epi32 (whole, half), one), 23));
  return _mm256_mul_ps (_mm256_mul_ps (a, x), y);
}

/* where a < b: x, else y */
VEC_INLINE vf
v_if_less (vf a, vf b, vf x, vf y)
{
  return _mm256_blendv_ps (y, x, _mm256_cmp_ps (a, b, _CMP_LT_OQ));
}

VEC_INLINE vf v_abs (vf a) { return _mm256_andnot_ps (_mm256_set1_ps (-0.0f), a); }
VEC_INLINE vf v_with_sign (vf a, vf sign)
{
  return _mm256_or_ps (a, _mm256_and_ps (sign, _mm256_set1_ps (-0.0f)));
}

/* 4 floats, each in two lanes */
VEC_INLINE vf
v_load_twice (const float *p)
{
  const __m256i lanes = _mm256_setr_epi32 (0, 0, 1, 1, 2, 2, 3, 3);
  return _mm256_permutevar8x32_ps (_mm256_castps128_ps256 (_mm_loadu_ps (p)), lanes);
}

VEC_INLINE vf v_swap_pairs (vf a) { return _mm256_permute_ps (a, 0xb1); }
VEC_INLINE vf v_minus_even (vf a)
{
  return _mm256_xor_ps (a, _mm256_castsi256_ps (_mm256_set1_epi64x (0x80000000)));
}

/* The order of a sum across lanes is part of a kernel's result. */
VEC_INLINE float
v_sum (vf a)
{
  const __m128 y = _mm_add_ps (_mm256_castps256_ps128 (a), _mm256_extractf128_ps (a, 1));
  const __m128 z = _mm_add_ps (y, _mm_movehl_ps (y, y));
  return _mm_cvtss_f32 (_mm_add_ss (z, _mm_movehdup_ps (z)));
}

VEC_INLINE float
v_greatest (vf a)
{
  const __m128 y = _mm_max_ps (_mm256_castps256_ps128 (a), _mm256_extractf128_ps (a, 1));
  const __m128 z = _mm_max_ps (y, _mm_movehl_ps (y, y));
  return _mm_cvtss_f32 (_mm_max_ss (z, _mm_movehdup_ps (z)));
}

/* sum of four products a (unsigned) * b (signed) added to each lane; pairs must fit 16 bits: a at most 128 */
VEC_INLINE vi
v_dot4 (vi sum, vi a, vi b)
{
  return _mm256_add_epi32 (sum, _mm256_madd_epi16 (_mm256_maddubs_epi16 (a, b), _mm256_set1_epi16 (1)));
}

/* the same with both signed, a from -128 and b from -127 on */
VEC_INLINE vi
v_dot4_signed (vi sum, vi a, vi b)
{
  return v_dot4 (sum, _mm256_abs_epi8 (a), _mm256_sign_epi8 (b, a));
}

/* What v_dot4_signed() leaves to add, times the sum of all b. */
#define V_DOT4_SIGNED_OFFSET 0

/* the lane sums of a, b, c and d */
VEC_INLINE __m128i
v_sum_int_4 (vi a, vi b, vi c, vi d)
{
  const __m256i sums = _mm256_hadd_epi32 (_mm256_hadd_epi32 (a, b), _mm256_hadd_epi32 (c, d));
  return _mm_add_epi32 (_mm256_castsi256_si128 (sums), _mm256_extracti128_si256 (sums, 1));
}

/* VW whole numbers of -127..127 */
VEC_INLINE void
v_store_int8 (int8_t *p, vi a)
{
  const __m128i words = _mm_packs_epi32 (_mm256_castsi256_si128 (a), _mm256_extracti128_si256 (a, 1));
  _mm_storel_epi64 ((__m128i *) p, _mm_packs_epi16 (words, words));
}

VEC_INLINE vi v_load_int8 (const void *p) { return _mm256_cvtepi8_epi32 (_mm_loadl_epi64 (p)); }
VEC_INLINE vi v_set_int (int32_t x) { return _mm256_set1_epi32 (x); }
/* 256 * a + b */
VEC_INLINE vi v_join_terms (vi a, vi b) { return _mm256_add_epi32 (_mm256_slli_epi32 (a, 8), b); }
VEC_INLINE vi v_load_int (const void *p) { return _mm256_loadu_si256 (p); }
