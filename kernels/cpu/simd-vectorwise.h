/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cpu/simd-vectorwise.h: the inner loops of LLM.int8(). Included once by each isa-*.c, after its
 * vec-*.h and simd-rows.h.
 *
 * Weights are met as they lie, four rows by some tokens at a time: each byte loaded is used that often, and
 * sums stay in registers over the whole row. */
#pragma once

#include "cpu.h"

#if VW == 16
#define VECTORWISE_TOKENS 4
#else
#define VECTORWISE_TOKENS 2
#endif

/* float16 activations, outliers zero; a NaN is none */
VEC_INLINE vf
vectorwise_load (const float *x, size_t n)
{
  const vf a = v_round_f16 (v_load_upto (x, n));
  return v_if_less (v_set (ASSAY_INT8_THRESHOLD - 0x1p-8f), v_abs (a), v_set (0.0f), a);
}

static float
simd_quantize_vectorwise (int8_t *codes, const float *x, size_t n)
{
  vf max = v_set (0.0f), nothing = v_set (0.0f); /* the latter NaN once it met one, else 0 */
  for (size_t i = 0; i < n; i += VW)
    {
      const vf a = vectorwise_load (x + i, n - i);
      max = v_max (v_abs (a), max);
      nothing = v_fma (a, v_set (0.0f), nothing);
    }
  const float greatest = v_greatest (max) + v_sum (nothing);
  const vf inverse = v_set (greatest > 0 ? 127.0f / greatest : 0.0f);
  for (size_t i = 0; i < n; i += VW)
    {
      int8_t lanes[VW];
      const vi whole = v_to_int (vectorwise_load (x + i, n - i) * inverse);
      v_store_int8 (n - i >= VW ? codes + i : lanes, whole);
      if (n - i < VW)
        memcpy (codes + i, lanes, n - i);
    }
  return greatest;
}

/* `n_rows` (4 or 1) and `n_tokens`, both constants. */
VEC_INLINE void
vectorwise_tile (int32_t *y, size_t ldy, const int8_t *rows, size_t n_rows, const int8_t *codes,
                 const CpuToken *tokens, size_t n_tokens, size_t n)
{
  const size_t stride = cpu_vectorwise_stride (n);
  vi sum[4][VECTORWISE_TOKENS];
  for (size_t r = 0; r < 4; r++)
    for (size_t t = 0; t < n_tokens; t++)
      sum[r][t] = v_set_int (0);
  for (size_t i = 0; i < n; i += 4 * VW)
    for (size_t r = 0; r < n_rows; r++)
      {
        const vi w = v_load_int (rows + r * n + i);
        for (size_t t = 0; t < n_tokens; t++)
          sum[r][t] = v_dot4_signed (sum[r][t], w, v_load_int (codes + t * stride + i));
      }
  for (size_t t = 0; t < n_tokens; t++)
    {
      const __m128i all
        = _mm_add_epi32 (v_sum_int_4 (sum[0][t], sum[1][t], sum[2][t], sum[3][t]),
                         _mm_set1_epi32 (V_DOT4_SIGNED_OFFSET * tokens[t].sum));
      if (n_rows == 4)
        _mm_storeu_si128 ((__m128i *) (y + t * ldy), all);
      else
        y[t * ldy] = _mm_cvtsi128_si32 (all);
    }
}

VEC_INLINE void
vectorwise_rows (int32_t *y, size_t ldy, const int8_t *rows, size_t n_rows, const int8_t *codes,
                 const CpuToken *tokens, size_t n_tokens, size_t n)
{
  const size_t stride = cpu_vectorwise_stride (n);
  size_t t = 0;
  for (; t + VECTORWISE_TOKENS <= n_tokens; t += VECTORWISE_TOKENS)
    vectorwise_tile (y + t * ldy, ldy, rows, n_rows, codes + t * stride, tokens + t, VECTORWISE_TOKENS, n);
  for (; t < n_tokens; t++)
    vectorwise_tile (y + t * ldy, ldy, rows, n_rows, codes + t * stride, tokens + t, 1, n);
}

static void
simd_dot_vectorwise (int32_t *y, size_t ldy, const int8_t *rows, size_t n_rows, const int8_t *codes,
                     const CpuToken *tokens, size_t n_tokens, size_t n)
{
  size_t r = 0;
  for (; r + 4 <= n_rows; r += 4)
    vectorwise_rows (y + r, ldy, rows + r * n, 4, codes, tokens, n_tokens, n);
  for (; r < n_rows; r++)
    vectorwise_rows (y + r, ldy, rows + r * n, 1, codes, tokens, n_tokens, n);
}
