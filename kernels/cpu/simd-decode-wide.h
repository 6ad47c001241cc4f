/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cpu/simd-decode-wide.h: rows of a weight, as they lie in the file, times one quantized activation
 * row (decode); 64 codes at a time. Included by isa-avx512.c after simd-codes.h.
 *
 * Unpacking is what limits decode of formats below 8 bits, so scales too are handled for two blocks at once,
 * and go to the lanes of their block by a permutation. */
#pragma once

VEC_INLINE __m512i
wide_join (__m256i low, __m256i high)
{
  return _mm512_inserti64x4 (_mm512_castsi256_si512 (low), high, 1);
}

/* Two blocks of 32: each one's bytes twice, where the second time shifts down the high nibbles. */
VEC_INLINE __m512i
wide_nibbles (const uint8_t *first, const uint8_t *second)
{
  const __m512i bytes = _mm512_mask_broadcast_i32x4 (
    _mm512_broadcast_i32x4 (_mm_loadu_si128 ((const __m128i *) first)), 0xff00,
    _mm_loadu_si128 ((const __m128i *) second));
  const __m512i shifted = _mm512_srlv_epi64 (bytes, _mm512_setr_epi64 (0, 0, 4, 4, 0, 0, 4, 4));
  return _mm512_and_si512 (shifted, _mm512_set1_epi8 (15));
}

VEC_INLINE __m512i
wide_fifth_bits (__m512i codes, uint32_t first, uint32_t second)
{
  return _mm512_mask_add_epi8 (codes, (__mmask64) (first | (uint64_t) second << 32), codes,
                               _mm512_set1_epi8 (16));
}

/* Two blocks of 32, one after the other. */
VEC_INLINE __m512i
wide_codes (AssayDtype dtype, const uint8_t *block)
{
  const uint8_t *second = block + codes_block_bytes (dtype);
  switch ((int) dtype)
    {
    case ASSAY_DTYPE_Q4_0: return wide_nibbles (block + 2, second + 2);
    case ASSAY_DTYPE_IQ4_NL:
      return _mm512_shuffle_epi8 (_mm512_broadcast_i32x4 (codes_table ()),
                                  wide_nibbles (block + 2, second + 2));
    case ASSAY_DTYPE_Q4_1: return wide_nibbles (block + 4, second + 4);
    case ASSAY_DTYPE_Q5_0:
      return wide_fifth_bits (wide_nibbles (block + 6, second + 6), load_u32 (block + 2),
                              load_u32 (second + 2));
    case ASSAY_DTYPE_Q5_1:
      return wide_fifth_bits (wide_nibbles (block + 8, second + 8), load_u32 (block + 4),
                              load_u32 (second + 4));
    default:
      return wide_join (codes_get (dtype, block, 0), codes_get (dtype, second, 0));
    }
}

typedef struct
{
  __m512 sum;
  __m128 minimums;        /* lanes 1 and 3 count */
} WideSum;

/* 64 codes times both terms of the activations: 16 sums. */
VEC_INLINE __m512
wide_dot (__m512i w, const int8_t *codes, size_t n, __m512i start)
{
  const __m512i high = _mm512_dpbusd_epi32 (_mm512_setzero_si512 (), w, _mm512_loadu_si512 (codes));
  return _mm512_cvtepi32_ps (
    _mm512_dpbusd_epi32 (v_join_terms (high, start), w, _mm512_loadu_si512 (codes + n)));
}

/* Two blocks of 32 elements. groups: | d | sum or bias | d | sum or bias | */
VEC_INLINE void
wide_pair (AssayDtype dtype, const uint8_t *block, const int8_t *codes, size_t n, const CpuGroup *groups,
           WideSum *to)
{
  const size_t bytes = codes_block_bytes (dtype);
  const __m512i lanes = _mm512_setr_epi32 (0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 2, 2, 2, 2, 2, 2);
  const __m128 both = _mm_loadu_ps (&groups->d);
  __m512i start = _mm512_setzero_si512 ();
  __m128 scale;
  if (codes_has_min (dtype))
    {
      const __m128i halves
        = _mm_insert_epi32 (_mm_cvtsi32_si128 ((int) load_u32 (block)), (int) load_u32 (block + bytes), 1);
      scale = _mm_cvtph_ps (halves) * both;
      to->minimums = to->minimums + scale;
    }
  else
    {
      const __m128i halves
        = _mm_insert_epi16 (_mm_cvtsi32_si128 (load_u16 (block)), load_u16 (block + bytes), 2);
      scale = _mm_cvtph_ps (halves) * _mm_moveldup_ps (both);
      start = _mm512_maskz_permutexvar_epi32 (0x0101, _mm512_add_epi32 (lanes, _mm512_set1_epi32 (1)),
                                              _mm512_castsi128_si512 (_mm_castps_si128 (both)));
    }
  to->sum = _mm512_fmadd_ps (wide_dot (wide_codes (dtype, block), codes, n, start),
                             _mm512_permutexvar_ps (lanes, _mm512_castps128_ps512 (scale)), to->sum);
}

/* The last block of an odd number. */
VEC_INLINE void
wide_single (AssayDtype dtype, const uint8_t *block, const int8_t *codes, size_t n, const CpuGroup *group,
             WideSum *to)
{
  const __m256i start = codes_has_min (dtype) ? _mm256_setzero_si256 ()
                                              : _mm256_zextsi128_si256 (_mm_cvtsi32_si128 (group->bias));
  const __m256i w = codes_get (dtype, block, 0);
  const __m256i high
    = _mm256_dpbusd_epi32 (_mm256_setzero_si256 (), w, _mm256_loadu_si256 ((const __m256i *) codes));
  const __m256i dot = _mm256_dpbusd_epi32 (_mm256_add_epi32 (_mm256_slli_epi32 (high, 8), start), w,
                                           _mm256_loadu_si256 ((const __m256i *) (codes + n)));
  const __m256 scaled = _mm256_cvtepi32_ps (dot) * _mm256_set1_ps (codes_f16 (block) * group->d);
  to->sum = to->sum + _mm512_zextps256_ps512 (scaled);
  if (codes_has_min (dtype))
    to->minimums = to->minimums + _mm_setr_ps (0, codes_f16 (block + 2) * group->sum, 0, 0);
}

VEC_INLINE float
wide_row_32 (AssayDtype dtype, const uint8_t *row, const int8_t *codes, const CpuGroup *groups, size_t n)
{
  const size_t bytes = codes_block_bytes (dtype);
  WideSum a = { _mm512_setzero_ps (), _mm_setzero_ps () }, b = a;
  size_t i = 0;
  for (; i + 4 <= n / 32; i += 4)
    {
      wide_pair (dtype, row + i * bytes, codes + 32 * i, n, groups + i, &a);
      wide_pair (dtype, row + (i + 2) * bytes, codes + 32 * (i + 2), n, groups + i + 2, &b);
    }
  if (i + 2 <= n / 32)
    {
      wide_pair (dtype, row + i * bytes, codes + 32 * i, n, groups + i, &a);
      i += 2;
    }
  if (i < n / 32)
    wide_single (dtype, row + i * bytes, codes + 32 * i, n, groups + i, &b);
  const __m128 minimums = _mm_movehdup_ps (a.minimums + b.minimums);
  return v_sum (a.sum + b.sum) + _mm_cvtss_f32 (minimums)
         + _mm_cvtss_f32 (_mm_movehl_ps (minimums, minimums));
}

VEC_INLINE __m512i
wide_bits (const uint8_t *bytes, int shift, int step, int mask)
{
  const __m256i all = _mm256_loadu_si256 ((const __m256i *) bytes);
  return _mm512_and_si512 (wide_join (_mm256_srli_epi16 (all, shift), _mm256_srli_epi16 (all, shift + step)),
                           _mm512_set1_epi8 ((char) mask));
}

VEC_INLINE __m512i
wide_codes_2_bits (AssayDtype dtype, const uint8_t *block, int s)
{
  const __m512i low
    = wide_bits (block + (dtype == ASSAY_DTYPE_Q2_K ? 16 : 32) + 32 * (s >> 2), 2 * (s & 3), 2, 3);
  return dtype == ASSAY_DTYPE_Q2_K ? low
                                   : _mm512_or_si512 (low, _mm512_slli_epi16 (wide_bits (block, s, 1, 1), 2));
}

/* Sub-blocks s and s + 1 of a block of 256, s even. */
VEC_INLINE __m512i
wide_codes_k (AssayDtype dtype, const uint8_t *block, int s)
{
  if (dtype == ASSAY_DTYPE_Q6_K)
    {
      const __m512i low = _mm512_loadu_si512 (block + 64 * (s >> 2));
      return _mm512_or_si512 (
        _mm512_and_si512 (_mm512_srli_epi16 (low, s & 2 ? 4 : 0), _mm512_set1_epi8 (15)),
        _mm512_slli_epi16 (wide_bits (block + 128 + 32 * (s >> 2), 2 * (s & 3), 2, 3), 4));
    }
  if (dtype == ASSAY_DTYPE_IQ4_XS)
    return wide_join (codes_get (dtype, block, (uint32_t) s), codes_get (dtype, block, (uint32_t) s + 1));
  if (dtype == ASSAY_DTYPE_Q2_K || dtype == ASSAY_DTYPE_Q3_K)
    return wide_codes_2_bits (dtype, block, s);
  if (dtype == ASSAY_DTYPE_Q4_K)
    return wide_bits (block + 16 + 16 * s, 0, 4, 15);
  return _mm512_or_si512 (wide_bits (block + 48 + 16 * s, 0, 4, 15),
                          _mm512_slli_epi16 (wide_bits (block + 16, s, 1, 1), 4));
}

/* The first and the second members of 16 groups (8 with zeros behind them). */
VEC_INLINE void
wide_split_groups (const CpuGroup *groups, size_t n, __m512 *d, __m512 *second)
{
  const __m512 low = _mm512_loadu_ps (&groups[0].d),
               high = n == 16 ? _mm512_loadu_ps (&groups[8].d) : _mm512_setzero_ps ();
  const __m512i even = _mm512_setr_epi32 (0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  *d = _mm512_permutex2var_ps (low, even, high);
  *second = _mm512_permutex2var_ps (low, _mm512_add_epi32 (even, _mm512_set1_epi32 (1)), high);
}

/* 16 bytes times a factor. */
VEC_INLINE __m512
wide_scale_16 (float factor, __m128i bytes)
{
  return _mm512_set1_ps (factor) * _mm512_cvtepi32_ps (_mm512_cvtepi8_epi32 (bytes));
}

/* d and m of the 16 groups of a block, or of 8 with zeros behind them. */
VEC_INLINE void
wide_scales (AssayDtype dtype, const uint8_t *block, __m512 *d, __m512 *m)
{
  const __m128i bytes = _mm_loadu_si128 ((const __m128i *) block), nibble = _mm_set1_epi8 (15);
  __m256 x, y = _mm256_setzero_ps ();
  *m = _mm512_setzero_ps ();
  switch ((int) dtype)
    {
    case ASSAY_DTYPE_Q6_K:
    case ASSAY_DTYPE_Q3_K:
      *d = wide_scale_16 (codes_f16 (block + codes_block_bytes (dtype) - 2),
                          codes_signed_scales (dtype, block));
      return;
    case ASSAY_DTYPE_Q2_K:
      *d = wide_scale_16 (codes_f16 (block + 80), _mm_and_si128 (bytes, nibble));
      *m = wide_scale_16 (-codes_f16 (block + 82), _mm_and_si128 (_mm_srli_epi16 (bytes, 4), nibble));
      return;
    case ASSAY_DTYPE_IQ4_XS:
      x = codes_iq4_xs_scales (block);
      break;
    default:
      codes_k_scales (block, &x, &y);
    }
  *d = _mm512_zextps256_ps512 (x);
  *m = _mm512_zextps256_ps512 (y);
}

/* Blocks of 256. A group of 16 has four lanes, a group of 32 eight; its integer sum starts at its bias. */
VEC_INLINE float
wide_row_k (AssayDtype dtype, const uint8_t *row, const int8_t *codes, const CpuGroup *groups, size_t n)
{
  const size_t n_groups = 8 * codes_groups (dtype);
  const __m512i first = n_groups == 16 ? _mm512_setr_epi32 (0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3)
                                       : _mm512_setr_epi32 (0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1);
  __m512 sum[2] = { _mm512_setzero_ps (), _mm512_setzero_ps () }, minimums = _mm512_setzero_ps ();
  for (size_t i = 0; i < n / 256; i++, row += codes_block_bytes (dtype), codes += 256, groups += n_groups)
    {
      __m512 d, m, activation_d, second;
      wide_scales (dtype, row, &d, &m);
      wide_split_groups (groups, n_groups, &activation_d, &second);
      const __m512 scale = d * activation_d;
      if (codes_has_min (dtype))
        minimums = _mm512_fmadd_ps (m, second, minimums);
#pragma GCC unroll 4
      for (int s = 0; s < 8; s += 2)
        {
          const __m512i lanes = _mm512_add_epi32 (first, _mm512_set1_epi32 (s * (int) codes_groups (dtype)));
          const __m512i start = codes_has_min (dtype)
                                  ? _mm512_setzero_si512 ()
                                  : _mm512_maskz_permutexvar_epi32 (n_groups == 16 ? 0x1111 : 0x0101, lanes,
                                                                    _mm512_castps_si512 (second));
          sum[s / 2 % 2] = _mm512_fmadd_ps (wide_dot (wide_codes_k (dtype, row, s), codes + 32 * s, n, start),
                                            _mm512_permutexvar_ps (lanes, scale), sum[s / 2 % 2]);
        }
    }
  return v_sum (sum[0] + sum[1] + minimums);
}

VEC_INLINE void
wide_rows (AssayDtype dtype, float *y, const uint8_t *rows, size_t row_bytes, size_t n_rows,
           const int8_t *codes, const CpuGroup *groups, size_t n)
{
  for (size_t r = 0; r < n_rows; r++, rows += row_bytes)
    y[r] = codes_is_k (dtype) ? wide_row_k (dtype, rows, codes, groups, n)
                              : wide_row_32 (dtype, rows, codes, groups, n);
}

static void
simd_gemv_int8 (float *y, const CpuFormat *format, const uint8_t *rows, size_t row_bytes, size_t n_rows,
                const int8_t *codes, const CpuGroup *groups, size_t n)
{
  CODES_SWITCH (format, wide_rows, y, rows, row_bytes, n_rows, codes, groups, n)
}
