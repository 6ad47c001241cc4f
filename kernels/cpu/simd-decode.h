/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cpu/simd-decode.h: rows of a weight, as they lie in the file, times one quantized activation row
 * (decode); 256 bits at a time. Included by isa-avx2.c after simd-codes.h; the AVX-512 version is
 * simd-decode-wide.h. */
#pragma once

/* Eight partial sums of 32 products of codes and activations, less the offset's share. */
VEC_INLINE __m256
int8_dot_32 (AssayDtype dtype, __m256i codes, const int8_t *activations, size_t n, __m256i start)
{
  __m256i high = v_load_int (activations), low = v_load_int (activations + n);
  /* Codes above 128 do not fit the 16-bit pairs: there, magnitudes with the sign moved to the activation. */
  if (codes_are_bytes (dtype))
    {
      const __m256i w = _mm256_xor_si256 (codes, _mm256_set1_epi8 ((char) 0x80));
      high = _mm256_sign_epi8 (high, w);
      low = _mm256_sign_epi8 (low, w);
      codes = _mm256_abs_epi8 (w);
      start = _mm256_setzero_si256 ();
    }
  const __m256i highs = _mm256_madd_epi16 (_mm256_maddubs_epi16 (codes, high), _mm256_set1_epi16 (256));
  return _mm256_cvtepi32_ps (_mm256_add_epi32 (highs, v_dot4 (start, codes, low)));
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
int8_block (AssayDtype dtype, const uint8_t *block, const int8_t *codes, size_t n, const CpuGroup *group,
            __m256 *sum, __m128 *minimums)
{
  const __m256i w = codes_get (dtype, block, 0);
  if (codes_has_min (dtype))
    {
      /* (d, m) * (d of the activations, their sum), the products one beside the other */
      const __m128 own = _mm_cvtph_ps (_mm_cvtsi32_si128 ((int) load_u32 (block)));
      const __m128 both = own * _mm_castsi128_ps (_mm_loadl_epi64 ((const __m128i *) group));
      *minimums = *minimums + both;
      *sum = _mm256_fmadd_ps (int8_dot_32 (dtype, w, codes, n, _mm256_setzero_si256 ()),
                              _mm256_broadcastss_ps (both), *sum);
    }
  else
    *sum = _mm256_fmadd_ps (int8_dot_32 (dtype, w, codes, n, int8_start (group->bias)),
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
      int8_block (dtype, row + i * bytes, codes + 32 * i, n, groups + i, &sum0, &min0);
      int8_block (dtype, row + (i + 1) * bytes, codes + 32 * (i + 1), n, groups + i + 1, &sum1, &min1);
    }
  if (i < n / 32)
    int8_block (dtype, row + i * bytes, codes + 32 * i, n, groups + i, &sum0, &min0);
  return int8_sum_256 (sum0 + sum1) + _mm_cvtss_f32 (_mm_movehdup_ps (min0 + min1));
}

/* Where the integer sums of 32 elements start: each group's bias in the first lane that is its own. */
VEC_INLINE __m256i
int8_start_k (AssayDtype dtype, const CpuGroup *groups, uint32_t s)
{
  if (codes_has_min (dtype))
    return _mm256_setzero_si256 ();
  if (codes_groups (dtype) == 1)
    return int8_start (groups[s].bias);
  return codes_join (_mm_cvtsi32_si128 (groups[2 * s].bias), _mm_cvtsi32_si128 (groups[2 * s + 1].bias));
}

/* The scale of each lane: with two groups, the lower four lanes belong to the first. */
VEC_INLINE __m256
int8_scale_k (AssayDtype dtype, const float *scale, uint32_t s)
{
  if (codes_groups (dtype) == 1)
    return _mm256_set1_ps (scale[s]);
  return _mm256_insertf128_ps (_mm256_castps128_ps256 (_mm_set1_ps (scale[2 * s])),
                               _mm_set1_ps (scale[2 * s + 1]), 1);
}

/* Blocks of 256. */
VEC_INLINE float
int8_row_k (AssayDtype dtype, const uint8_t *row, const int8_t *codes, const CpuGroup *groups, size_t n)
{
  const size_t n_groups = 8 * codes_groups (dtype);
  __m256 sum[2] = { _mm256_setzero_ps (), _mm256_setzero_ps () };
  float minimums = 0;
  for (size_t i = 0; i < n / 256; i++, row += codes_block_bytes (dtype), codes += 256, groups += n_groups)
    {
      float d[16], m[16];
      codes_scales (dtype, row, d, m);
      for (size_t g = 0; g < n_groups; g++)
        {
          d[g] *= groups[g].d;
          if (codes_has_min (dtype))
            minimums += m[g] * groups[g].sum;
        }
#pragma GCC unroll 8
      for (uint32_t s = 0; s < 8; s++)
        sum[s % 2] = _mm256_fmadd_ps (
          int8_dot_32 (dtype, codes_get (dtype, row, s), codes + 32 * s, n, int8_start_k (dtype, groups, s)),
          int8_scale_k (dtype, d, s), sum[s % 2]);
    }
  return int8_sum_256 (sum[0] + sum[1]) + minimums;
}

VEC_INLINE void
int8_rows (AssayDtype dtype, float *y, const uint8_t *rows, size_t row_bytes, size_t n_rows,
           const int8_t *codes, const CpuGroup *groups, size_t n)
{
  for (size_t r = 0; r < n_rows; r++, rows += row_bytes)
    y[r] = codes_is_k (dtype) ? int8_row_k (dtype, rows, codes, groups, n)
                              : int8_row_32 (dtype, rows, codes, groups, n);
}

static void
simd_gemv_int8 (float *y, const CpuFormat *format, const uint8_t *rows, size_t row_bytes, size_t n_rows,
                const int8_t *codes, const CpuGroup *groups, size_t n)
{
  CODES_SWITCH (format, int8_rows, y, rows, row_bytes, n_rows, codes, groups, n)
}
