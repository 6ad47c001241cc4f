/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cpu/simd-codes.h: 32 codes of a block at a time, as unsigned bytes in element order, and the block's scales.
 * Included once by each isa-*.c, after its vec-*.h. `dtype` is a constant wherever these are called, so that nothing is
 * left of the switches. */
#pragma once

#include "cpu.h"
#include "half.h"

VEC_INLINE __m256i
codes_join (__m128i low, __m128i high)
{
  return _mm256_inserti128_si256 (_mm256_castsi128_si256 (low), high, 1);
}

/* 16 bytes: the low nibbles, then the high ones */
VEC_INLINE __m256i
codes_nibbles (const uint8_t *qs)
{
  const __m128i bytes = _mm_loadu_si128 ((const __m128i *) qs);
  return _mm256_and_si256 (codes_join (bytes, _mm_srli_epi16 (bytes, 4)), _mm256_set1_epi8 (15));
}

/* 16 in every byte whose bit is set */
VEC_INLINE __m256i
codes_fifth_bits (const uint8_t *qh)
{
  const __m256i spread = _mm256_shuffle_epi8 (
    _mm256_set1_epi32 ((int) load_u32 (qh)),
    _mm256_setr_epi8 (0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3));
  const __m256i bit = _mm256_set1_epi64x ((long long) 0x8040201008040201);
  return _mm256_and_si256 (_mm256_cmpeq_epi8 (_mm256_and_si256 (spread, bit), bit), _mm256_set1_epi8 (16));
}

/* bits [shift, shift + width) of 32 bytes */
VEC_INLINE __m256i
codes_bits (const uint8_t *bytes, int shift, int mask)
{
  const __m256i all = _mm256_loadu_si256 ((const __m256i *) bytes);
  return _mm256_and_si256 (_mm256_srli_epi16 (all, shift), _mm256_set1_epi8 ((char) mask));
}

/* Sub-block s, of 32 elements, of one block. */
VEC_INLINE __m256i
codes_get (AssayDtype dtype, const uint8_t *block, uint32_t s)
{
  switch ((int) dtype)
    {
    case ASSAY_DTYPE_Q4_0: return codes_nibbles (block + 2);
    case ASSAY_DTYPE_Q4_1: return codes_nibbles (block + 4);
    case ASSAY_DTYPE_Q5_0: return _mm256_or_si256 (codes_nibbles (block + 6), codes_fifth_bits (block + 2));
    case ASSAY_DTYPE_Q5_1: return _mm256_or_si256 (codes_nibbles (block + 8), codes_fifth_bits (block + 4));
    case ASSAY_DTYPE_Q4_K: return codes_bits (block + 16 + 32 * (s >> 1), 4 * (s & 1), 15);
    case ASSAY_DTYPE_Q5_K:
      return _mm256_or_si256 (codes_bits (block + 48 + 32 * (s >> 1), 4 * (s & 1), 15),
                              _mm256_slli_epi16 (codes_bits (block + 16, (int) s, 1), 4));
    case ASSAY_DTYPE_Q6_K:
      return _mm256_or_si256 (
        codes_bits (block + 64 * (s >> 2) + 32 * (s & 1), s & 2 ? 4 : 0, 15),
        _mm256_slli_epi16 (codes_bits (block + 128 + 32 * (s >> 2), 2 * (int) (s & 3), 3), 4));
    default:
      return _mm256_xor_si256 (_mm256_loadu_si256 ((const __m256i *) (block + 2)), _mm256_set1_epi8 ((char) 0x80));
    }
}

VEC_INLINE float
codes_f16 (const uint8_t *p)
{
  return _cvtsh_ss (load_u16 (p));
}

/* The eight scales and minimums of Q4_K and Q5_K, four bytes of each at a time. */
VEC_INLINE void
codes_k_scales (const uint8_t *block, __m256 *d, __m256 *m)
{
  const uint32_t b0 = load_u32 (block + 4), b1 = load_u32 (block + 8), b2 = load_u32 (block + 12);
  const uint64_t sc = (b0 & 0x3f3f3f3f) | (uint64_t) ((b2 & 0x0f0f0f0f) | (b0 >> 2 & 0x30303030)) << 32;
  const uint64_t mn = (b1 & 0x3f3f3f3f) | (uint64_t) ((b2 >> 4 & 0x0f0f0f0f) | (b1 >> 2 & 0x30303030)) << 32;
  *d = _mm256_set1_ps (codes_f16 (block))
       * _mm256_cvtepi32_ps (_mm256_cvtepu8_epi32 (_mm_cvtsi64_si128 ((long long) sc)));
  *m = _mm256_set1_ps (-codes_f16 (block + 2))
       * _mm256_cvtepi32_ps (_mm256_cvtepu8_epi32 (_mm_cvtsi64_si128 ((long long) mn)));
}

/* The 16 scales of Q6_K. */
VEC_INLINE void
codes_q6_k_scales (const uint8_t *block, __m256 *low, __m256 *high)
{
  const __m128i scales = _mm_loadu_si128 ((const __m128i *) (block + 192));
  const __m256 d = _mm256_set1_ps (codes_f16 (block + 208));
  *low = d * _mm256_cvtepi32_ps (_mm256_cvtepi8_epi32 (scales));
  *high = d * _mm256_cvtepi32_ps (_mm256_cvtepi8_epi32 (_mm_srli_si128 (scales, 8)));
}

/* d and m of every group of one block */
VEC_INLINE void
codes_scales (AssayDtype dtype, const uint8_t *block, float *d, float *m)
{
  __m256 x, y;
  switch ((int) dtype)
    {
    case ASSAY_DTYPE_Q4_1:
    case ASSAY_DTYPE_Q5_1:
      d[0] = codes_f16 (block);
      m[0] = codes_f16 (block + 2);
      break;
    case ASSAY_DTYPE_Q4_K:
    case ASSAY_DTYPE_Q5_K:
      codes_k_scales (block, &x, &y);
      _mm256_storeu_ps (d, x);
      _mm256_storeu_ps (m, y);
      break;
    case ASSAY_DTYPE_Q6_K:
      codes_q6_k_scales (block, &x, &y);
      _mm256_storeu_ps (d, x);
      _mm256_storeu_ps (d + 8, y);
      break;
    default:
      d[0] = codes_f16 (block);
    }
}

/* Constants of a format; the same as in its CpuFormat. */
VEC_INLINE bool
codes_has_min (AssayDtype dtype)
{
  return dtype == ASSAY_DTYPE_Q4_1 || dtype == ASSAY_DTYPE_Q5_1 || dtype == ASSAY_DTYPE_Q4_K || dtype == ASSAY_DTYPE_Q5_K;
}

VEC_INLINE bool
codes_is_k (AssayDtype dtype)
{
  return dtype == ASSAY_DTYPE_Q4_K || dtype == ASSAY_DTYPE_Q5_K || dtype == ASSAY_DTYPE_Q6_K;
}

VEC_INLINE size_t
codes_block_bytes (AssayDtype dtype)
{
  switch ((int) dtype)
    {
    case ASSAY_DTYPE_Q4_0: return 18;
    case ASSAY_DTYPE_Q4_1: return 20;
    case ASSAY_DTYPE_Q5_0: return 22;
    case ASSAY_DTYPE_Q5_1: return 24;
    case ASSAY_DTYPE_Q8_0: return 34;
    case ASSAY_DTYPE_Q4_K: return 144;
    case ASSAY_DTYPE_Q5_K: return 176;
    default: return 210;
    }
}

/* Picks the version of FUNCTION for a format: FUNCTION (dtype, ...) with dtype a constant. */
#define CODES_SWITCH(format, FUNCTION, ...)                                       \
  switch ((int) (format)->dtype)                                                  \
    {                                                                             \
    case ASSAY_DTYPE_Q4_0: FUNCTION (ASSAY_DTYPE_Q4_0, __VA_ARGS__); break;       \
    case ASSAY_DTYPE_Q4_1: FUNCTION (ASSAY_DTYPE_Q4_1, __VA_ARGS__); break;       \
    case ASSAY_DTYPE_Q5_0: FUNCTION (ASSAY_DTYPE_Q5_0, __VA_ARGS__); break;       \
    case ASSAY_DTYPE_Q5_1: FUNCTION (ASSAY_DTYPE_Q5_1, __VA_ARGS__); break;       \
    case ASSAY_DTYPE_Q8_0: FUNCTION (ASSAY_DTYPE_Q8_0, __VA_ARGS__); break;       \
    case ASSAY_DTYPE_Q4_K: FUNCTION (ASSAY_DTYPE_Q4_K, __VA_ARGS__); break;       \
    case ASSAY_DTYPE_Q5_K: FUNCTION (ASSAY_DTYPE_Q5_K, __VA_ARGS__); break;       \
    default: FUNCTION (ASSAY_DTYPE_Q6_K, __VA_ARGS__); break;                     \
    }
