/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cpu/simd-decode.h: rows of a weight, as they lie in the file, times one quantized activation row (decode); 256
 * bits at a time. Included by isa-avx2.c after simd-codes.h; the AVX-512 version is simd-decode-wide.h. */
#pragma once

/* Eight partial sums of 32 products of codes and activations, less the offset's share. */
VEC_INLINE __m256
int8_dot_32 (AssayDtype dtype, __m256i codes, const int8_t *activations, __m256i start)
{
  const __m256i a = _mm256_loadu_si256 ((const __m256i *) activations);
  /* Codes above 128 do not fit the 16-bit pairs: there, magnitudes with the sign moved to the activation. */
  if (dtype == ASSAY_DTYPE_Q8_0)
    {
      const __m256i w = _mm256_xor_si256 (codes, _mm256_set1_epi8 ((char) 0x80));
      return _mm256_cvtepi32_ps (v_dot4_256 (_mm256_setzero_si256 (), _mm256_abs_epi8 (w), _mm256_sign_epi8 (a, w)));
    }
  return _mm256_cvtepi32_ps (v_dot4_256 (start, codes, a));
}

VEC_INLINE __m256i
int8_start (int32_t bias)
{
  return _mm256_zextsi128_si256 (_mm_cvtsi32_si128 (bias));
}

VEC_INLINE float
int8_sum_256 (__m256 a)
{
  const __m128 y = _mm_add_ps (_mm256_castps256_ps128 (a), _mm256_extractf128_ps (a, 1));
  const __m128 z = _mm_add_ps (y, _mm_movehl_ps (y, y));
  return _mm_cvtss_f32 (_mm_add_ss (z, _mm_movehdup_ps (z)));
}

/* Formats of 32: two blocks side by side in two sums. */
VEC_INLINE void
int8_block (AssayDtype dtype, const uint8_t *block, const int8_t *codes, const CpuGroup *group, __m256 *sum, __m128 *minimums)
{
  const __m256i w = codes_get (dtype, block, 0);
  if (codes_has_min (dtype))
    {
      /* (d, m) * (d of the activations, their sum), the products one beside the other */
      const __m128 own = _mm_cvtph_ps (_mm_cvtsi32_si128 ((int) load_u32 (block)));
      const __m128 both = own * _mm_castsi128_ps (_mm_loadl_epi64 ((const __m128i *) group));
      *minimums = *minimums + both;
      *sum = _mm256_fmadd_ps (int8_dot_32 (dtype, w, codes, _mm256_setzero_si256 ()), _mm256_broadcastss_ps (both), *sum);
    }
  else
    *sum = _mm256_fmadd_ps (int8_dot_32 (dtype, w, codes, int8_start (group->bias)),
                            _mm256_set1_ps (codes_f16 (block) * group->d), *sum);
}

VEC_INLINE float
int8_row_32 (AssayDtype dtype, const uint8_t *row, const int8_t *codes, const CpuGroup *groups, size_t n)
{
  const size_t bytes = codes_block_bytes (dtype);
  __m256 sum0 = _mm256_setzero_ps (), sum1 = _mm256_setzero_ps ();
  __m128 min0 = _mm_setzero_ps (), min1 = _mm_setzero_ps ();
  size_t i = 0;
  for (; i + 2 <= n / 32; i += 2)
    {
      int8_block (dtype, row + i * bytes, codes + 32 * i, groups + i, &sum0, &min0);
      int8_block (dtype, row + (i + 1) * bytes, codes + 32 * (i + 1), groups + i + 1, &sum1, &min1);
    }
  if (i < n / 32)
    int8_block (dtype, row + i * bytes, codes + 32 * i, groups + i, &sum0, &min0);
  return int8_sum_256 (sum0 + sum1) + _mm_cvtss_f32 (_mm_movehdup_ps (min0 + min1));
}

/* The d and the second member of eight groups. */
VEC_INLINE void
int8_split_groups (const CpuGroup *groups, __m256 *d, __m256 *second)
{
  const __m256 low = _mm256_loadu_ps (&groups[0].d), high = _mm256_loadu_ps (&groups[4].d);
  const __m256 a = _mm256_permute2f128_ps (low, high, 0x20), b = _mm256_permute2f128_ps (low, high, 0x31);
  *d = _mm256_shuffle_ps (a, b, 0x88);
  *second = _mm256_shuffle_ps (a, b, 0xdd);
}

VEC_INLINE float
int8_row_k_min (AssayDtype dtype, const uint8_t *row, const int8_t *codes, const CpuGroup *groups, size_t n)
{
  __m256 sum0 = _mm256_setzero_ps (), sum1 = _mm256_setzero_ps (), minimums = _mm256_setzero_ps ();
  for (size_t i = 0; i < n / 256; i++, row += codes_block_bytes (dtype), codes += 256, groups += 8)
    {
      __m256 d, m, activation_d, activation_sum;
      float scale[8];
      codes_k_scales (row, &d, &m);
      int8_split_groups (groups, &activation_d, &activation_sum);
      minimums = _mm256_fmadd_ps (m, activation_sum, minimums);
      _mm256_storeu_ps (scale, d * activation_d);
#pragma GCC unroll 4
      for (uint32_t s = 0; s < 8; s += 2)
        {
          sum0 = _mm256_fmadd_ps (int8_dot_32 (dtype, codes_get (dtype, row, s), codes + 32 * s, _mm256_setzero_si256 ()),
                                  _mm256_set1_ps (scale[s]), sum0);
          sum1 = _mm256_fmadd_ps (int8_dot_32 (dtype, codes_get (dtype, row, s + 1), codes + 32 * (s + 1),
                                               _mm256_setzero_si256 ()),
                                  _mm256_set1_ps (scale[s + 1]), sum1);
        }
    }
  return int8_sum_256 ((sum0 + sum1) + minimums);
}

/* Q6_K: the lower four partial sums belong to one group of 16, the upper four to the next. */
VEC_INLINE float
int8_row_q6_k (AssayDtype dtype, const uint8_t *row, const int8_t *codes, const CpuGroup *groups, size_t n)
{
  __m256 sum = _mm256_setzero_ps ();
  for (size_t i = 0; i < n / 256; i++, row += codes_block_bytes (dtype), codes += 256, groups += 16)
    {
      __m256 low, high;
      float scale[16];
      codes_q6_k_scales (row, &low, &high);
      _mm256_storeu_ps (scale, low);
      _mm256_storeu_ps (scale + 8, high);
#pragma GCC unroll 8
      for (uint32_t s = 0; s < 8; s++)
        {
          const __m256i start = codes_join (_mm_cvtsi32_si128 (groups[2 * s].bias),
                                            _mm_cvtsi32_si128 (groups[2 * s + 1].bias));
          const __m256 d = _mm256_insertf128_ps (_mm256_castps128_ps256 (_mm_set1_ps (scale[2 * s])),
                                                 _mm_set1_ps (scale[2 * s + 1]), 1);
          sum = _mm256_fmadd_ps (int8_dot_32 (dtype, codes_get (dtype, row, s), codes + 32 * s, start),
                                 d * _mm256_set1_ps (groups[2 * s].d), sum);
        }
    }
  return int8_sum_256 (sum);
}

VEC_INLINE void
int8_rows (AssayDtype dtype, float *y, const uint8_t *rows, size_t row_bytes, size_t n_rows, const int8_t *codes,
           const CpuGroup *groups, size_t n)
{
  for (size_t r = 0; r < n_rows; r++, rows += row_bytes)
    y[r] = !codes_is_k (dtype)    ? int8_row_32 (dtype, rows, codes, groups, n)
           : codes_has_min (dtype) ? int8_row_k_min (dtype, rows, codes, groups, n)
                                   : int8_row_q6_k (dtype, rows, codes, groups, n);
}

static void
simd_gemv_int8 (float *y, const CpuFormat *format, const uint8_t *rows, size_t row_bytes, size_t n_rows,
                const int8_t *codes, const CpuGroup *groups, size_t n)
{
  CODES_SWITCH (format, int8_rows, y, rows, row_bytes, n_rows, codes, groups, n)
}
