/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cpu/simd-codes.h: 32 codes of a block at a time, as unsigned bytes in element order, and the
 * block's scales. Included once by each isa-*.c, after its vec-*.h. `dtype` is a constant wherever these are
 * called, so that nothing is left of the switches. */
#pragma once

#include "cpu.h"
#include "dequantize.h"
#include "shared/half.h"

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
  const __m256i spread
    = _mm256_shuffle_epi8 (_mm256_set1_epi32 ((int) load_u32 (qh)),
                           _mm256_setr_epi8 (0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2,
                                             2, 2, 3, 3, 3, 3, 3, 3, 3, 3));
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

/* Codes of IQ4_NL and IQ4_XS to their values, 128 added. */
VEC_INLINE __m128i
codes_table (void)
{
  return _mm_xor_si128 (_mm_loadu_si128 ((const __m128i *) iq4_values), _mm_set1_epi8 ((char) 0x80));
}

VEC_INLINE __m256i
codes_look_up (__m256i nibbles)
{
  return _mm256_shuffle_epi8 (_mm256_broadcastsi128_si256 (codes_table ()), nibbles);
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
    case ASSAY_DTYPE_Q2_K: return codes_bits (block + 16 + 32 * (s >> 2), 2 * (int) (s & 3), 3);
    case ASSAY_DTYPE_Q3_K:
      return _mm256_or_si256 (codes_bits (block + 32 + 32 * (s >> 2), 2 * (int) (s & 3), 3),
                              _mm256_slli_epi16 (codes_bits (block, (int) s, 1), 2));
    case ASSAY_DTYPE_IQ4_NL: return codes_look_up (codes_nibbles (block + 2));
    case ASSAY_DTYPE_IQ4_XS: return codes_look_up (codes_nibbles (block + 8 + 16 * s));
    default:
      return _mm256_xor_si256 (_mm256_loadu_si256 ((const __m256i *) (block + 2)),
                               _mm256_set1_epi8 ((char) 0x80));
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

/* The 16 signed scales of Q6_K and Q3_K, before d. */
VEC_INLINE __m128i
codes_signed_scales (AssayDtype dtype, const uint8_t *block)
{
  if (dtype == ASSAY_DTYPE_Q6_K)
    return _mm_loadu_si128 ((const __m128i *) (block + 192));
  const uint32_t a = load_u32 (block + 96), b = load_u32 (block + 100), c = load_u32 (block + 104);
  const uint32_t low = 0x0f0f0f0f, high = 0x30303030;
  return _mm_sub_epi8 (
    _mm_setr_epi32 ((int) ((a & low) | (c << 4 & high)), (int) ((b & low) | (c << 2 & high)),
                    (int) ((a >> 4 & low) | (c & high)), (int) ((b >> 4 & low) | (c >> 2 & high))),
    _mm_set1_epi8 (32));
}

VEC_INLINE __m256
codes_iq4_xs_scales (const uint8_t *block)
{
  const __m256i s = _mm256_setr_epi32 (0, 1, 2, 3, 4, 5, 6, 7);
  const __m256i low = _mm256_and_si256 (
    _mm256_srlv_epi32 (_mm256_set1_epi32 ((int) load_u32 (block + 4)), _mm256_slli_epi32 (s, 2)),
    _mm256_set1_epi32 (15));
  const __m256i high = _mm256_and_si256 (
    _mm256_srlv_epi32 (_mm256_set1_epi32 (load_u16 (block + 2)), _mm256_slli_epi32 (s, 1)),
    _mm256_set1_epi32 (3));
  const __m256i six
    = _mm256_sub_epi32 (_mm256_or_si256 (low, _mm256_slli_epi32 (high, 4)), _mm256_set1_epi32 (32));
  return _mm256_set1_ps (codes_f16 (block)) * _mm256_cvtepi32_ps (six);
}

/* factor * eight bytes, signed or not */
VEC_INLINE __m256
codes_scale_8 (float factor, __m128i bytes, bool is_signed)
{
  return _mm256_set1_ps (factor)
         * _mm256_cvtepi32_ps (is_signed ? _mm256_cvtepi8_epi32 (bytes) : _mm256_cvtepu8_epi32 (bytes));
}

/* 16 bytes times a factor */
VEC_INLINE void
codes_scale_16 (float *out, float factor, __m128i bytes, bool is_signed)
{
  _mm256_storeu_ps (out, codes_scale_8 (factor, bytes, is_signed));
  _mm256_storeu_ps (out + 8, codes_scale_8 (factor, _mm_srli_si128 (bytes, 8), is_signed));
}

/* d and m of every group of one block */
VEC_INLINE void
codes_scales (AssayDtype dtype, const uint8_t *block, float *d, float *m)
{
  const __m128i nibble = _mm_set1_epi8 (15);
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
      codes_scale_16 (d, codes_f16 (block + 208), codes_signed_scales (dtype, block), true);
      break;
    case ASSAY_DTYPE_Q3_K:
      codes_scale_16 (d, codes_f16 (block + 108), codes_signed_scales (dtype, block), true);
      break;
    case ASSAY_DTYPE_Q2_K:
      codes_scale_16 (d, codes_f16 (block + 80),
                      _mm_and_si128 (_mm_loadu_si128 ((const __m128i *) block), nibble), false);
      codes_scale_16 (m, -codes_f16 (block + 82),
                      _mm_and_si128 (_mm_srli_epi16 (_mm_loadu_si128 ((const __m128i *) block), 4), nibble),
                      false);
      break;
    case ASSAY_DTYPE_IQ4_XS:
      _mm256_storeu_ps (d, codes_iq4_xs_scales (block));
      break;
    default:
      d[0] = codes_f16 (block);
    }
}

/* Constants of a format; the same as in its CpuFormat. */
VEC_INLINE bool
codes_has_min (AssayDtype dtype)
{
  return dtype == ASSAY_DTYPE_Q4_1 || dtype == ASSAY_DTYPE_Q5_1 || dtype == ASSAY_DTYPE_Q4_K
         || dtype == ASSAY_DTYPE_Q5_K || dtype == ASSAY_DTYPE_Q2_K;
}

/* Groups in 32 elements. */
VEC_INLINE size_t
codes_groups (AssayDtype dtype)
{
  return dtype == ASSAY_DTYPE_Q6_K || dtype == ASSAY_DTYPE_Q2_K || dtype == ASSAY_DTYPE_Q3_K ? 2 : 1;
}

/* Codes with 128 added: too large for sums of pairs in 16 bits. */
VEC_INLINE bool
codes_are_bytes (AssayDtype dtype)
{
  return dtype == ASSAY_DTYPE_Q8_0 || dtype == ASSAY_DTYPE_IQ4_NL || dtype == ASSAY_DTYPE_IQ4_XS;
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
    case ASSAY_DTYPE_IQ4_NL: return 18;
    case ASSAY_DTYPE_Q2_K: return 84;
    case ASSAY_DTYPE_Q3_K: return 110;
    case ASSAY_DTYPE_Q4_K: return 144;
    case ASSAY_DTYPE_Q5_K: return 176;
    case ASSAY_DTYPE_Q6_K: return 210;
    default: return 136;
    }
}

/* Blocks of 256. */
VEC_INLINE bool
codes_is_k (AssayDtype dtype)
{
  return codes_block_bytes (dtype) > 34;
}

/* Picks the version of FUNCTION for a format: FUNCTION (dtype, ...) with dtype a constant. */
#define CODES_SWITCH(format, FUNCTION, ...)                                         \
  switch ((int) (format)->dtype)                                                    \
    {                                                                               \
    case ASSAY_DTYPE_Q4_0: FUNCTION (ASSAY_DTYPE_Q4_0, __VA_ARGS__); break;         \
    case ASSAY_DTYPE_Q4_1: FUNCTION (ASSAY_DTYPE_Q4_1, __VA_ARGS__); break;         \
    case ASSAY_DTYPE_Q5_0: FUNCTION (ASSAY_DTYPE_Q5_0, __VA_ARGS__); break;         \
    case ASSAY_DTYPE_Q5_1: FUNCTION (ASSAY_DTYPE_Q5_1, __VA_ARGS__); break;         \
    case ASSAY_DTYPE_Q8_0: FUNCTION (ASSAY_DTYPE_Q8_0, __VA_ARGS__); break;         \
    case ASSAY_DTYPE_IQ4_NL: FUNCTION (ASSAY_DTYPE_IQ4_NL, __VA_ARGS__); break;     \
    case ASSAY_DTYPE_Q2_K: FUNCTION (ASSAY_DTYPE_Q2_K, __VA_ARGS__); break;         \
    case ASSAY_DTYPE_Q3_K: FUNCTION (ASSAY_DTYPE_Q3_K, __VA_ARGS__); break;         \
    case ASSAY_DTYPE_Q4_K: FUNCTION (ASSAY_DTYPE_Q4_K, __VA_ARGS__); break;         \
    case ASSAY_DTYPE_Q5_K: FUNCTION (ASSAY_DTYPE_Q5_K, __VA_ARGS__); break;         \
    case ASSAY_DTYPE_Q6_K: FUNCTION (ASSAY_DTYPE_Q6_K, __VA_ARGS__); break;         \
    default: FUNCTION (ASSAY_DTYPE_IQ4_XS, __VA_ARGS__); break;                     \
    }
