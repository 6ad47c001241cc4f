/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cpu/simd-panel.h: VW rows of a quantized weight, unpacked once and met by many tokens (prompt).
 * Included once by each isa-*.c, after its vec-*.h and simd-codes.h.
 *
 * A panel holds, for every 32 elements:
 *   codes  [8][VW][4] bytes: four elements of row 0, the same four of row 1, ... then the next four
 *   d      [32 / group][VW] floats
 *   m      the same, where the format has minimums
 * So a lane is a row, nothing is summed across lanes, and a result of VW rows is one store. Rows past the end
 * are zero. */
#pragma once

VEC_INLINE size_t
panel_block_bytes (AssayDtype dtype)
{
  return VW * (32 + 4 * codes_groups (dtype) * (codes_has_min (dtype) ? 2 : 1));
}

/* One block of up to 8 rows, into lanes [lane, lane + 8). */
VEC_INLINE void
panel_pack_8 (AssayDtype dtype, uint8_t *panel, const uint8_t *block, size_t row_bytes, size_t n_rows,
              size_t lane)
{
  const size_t n_parts = codes_is_k (dtype) ? 8 : 1, per_part = codes_groups (dtype);
  float d[8][16] = { 0 }, m[8][16] = { 0 };
  for (size_t r = 0; r < n_rows; r++)
    codes_scales (dtype, block + r * row_bytes, d[r], m[r]);
#pragma GCC unroll 8
  for (size_t s = 0; s < n_parts; s++, panel += panel_block_bytes (dtype))
    {
      __m256i row[8];
      float *scales = (float *) (panel + 32 * VW) + lane;
      for (size_t r = 0; r < 8; r++)
        row[r]
          = r < n_rows ? codes_get (dtype, block + r * row_bytes, (uint32_t) s) : _mm256_setzero_si256 ();
      simd_transpose (panel + 4 * lane, 4 * VW, row);
      for (size_t g = 0; g < per_part; g++)
        for (size_t r = 0; r < 8; r++)
          {
            scales[g * VW + r] = d[r][s * per_part + g];
            if (codes_has_min (dtype))
              scales[(per_part + g) * VW + r] = m[r][s * per_part + g];
          }
    }
}

VEC_INLINE void
panel_pack (AssayDtype dtype, uint8_t *panel, const uint8_t *rows, size_t row_bytes, size_t n_rows, size_t n)
{
  const size_t parts = codes_is_k (dtype) ? 8 : 1;
  for (size_t i = 0; i < n / 32; i += parts, rows += codes_block_bytes (dtype))
    for (size_t lane = 0; lane < VW; lane += 8)
      {
        const size_t left = n_rows > lane ? n_rows - lane : 0;
        uint8_t *to = panel + i * panel_block_bytes (dtype);
        /* the common case apart, where the compiler sees eight rows */
        if (left >= 8)
          panel_pack_8 (dtype, to, rows + lane * row_bytes, row_bytes, 8, lane);
        else
          panel_pack_8 (dtype, to, rows + lane * row_bytes, row_bytes, left, lane);
      }
}

static void
simd_pack_int8 (void *panel, const CpuFormat *format, const uint8_t *rows, size_t row_bytes, size_t n_rows,
                size_t n)
{
  CODES_SWITCH (format, panel_pack, panel, rows, row_bytes, n_rows, n)
}

/* Four activations of one token, in every lane. */
VEC_INLINE vi
panel_spread (const int8_t *codes)
{
  return v_set_int ((int32_t) load_u32 (codes));
}

VEC_INLINE vi
panel_dot (AssayDtype dtype, vi sum, vi w, vi a)
{
#if VW == 8
  if (codes_are_bytes (dtype))
    {
      const vi plain = _mm256_xor_si256 (w, _mm256_set1_epi8 ((char) 0x80));
      return v_dot4 (sum, _mm256_abs_epi8 (plain), _mm256_sign_epi8 (a, plain));
    }
#endif
  (void) dtype;
  return v_dot4 (sum, w, a);
}

VEC_INLINE vi
panel_start (AssayDtype dtype, const CpuGroup *group)
{
  return codes_has_min (dtype) || (VW == 8 && codes_are_bytes (dtype)) ? v_set_int (0)
                                                                       : v_set_int (group->bias);
}

/* One group, words [from, to), times one of the terms of `tokens` activation rows. */
VEC_INLINE void
panel_words (AssayDtype dtype, size_t tokens, vi *dot, const uint8_t *panel, const int8_t *codes, size_t n,
             size_t from, size_t to)
{
  PANEL_UNROLL
  for (size_t j = from; j < to; j++)
    {
      const vi w = v_load_int (panel + j * 4 * VW);
      for (size_t t = 0; t < tokens; t++)
        dot[t] = panel_dot (dtype, dot[t], w, panel_spread (codes + 2 * t * n + 4 * j));
    }
}

/* `tokens`, a constant, against one panel: sums stay in registers over the whole row. A group is gone through
 * twice, for one term each, since two integer sums a token would be too many registers. */
VEC_INLINE void
panel_tokens (AssayDtype dtype, size_t tokens, float *y, size_t ldy, const uint8_t *panel, size_t n_rows,
              const int8_t *codes, const CpuGroup *groups, size_t n)
{
  const size_t per_part = codes_groups (dtype), n_groups = n / 32 * per_part, words = 8 / per_part;
  vf sum[PANEL_TOKENS];
  for (size_t t = 0; t < tokens; t++)
    sum[t] = v_set (0.0f);
  for (size_t i = 0; i < n / 32; i++, panel += panel_block_bytes (dtype))
    for (size_t g = 0; g < per_part; g++)
      {
        const CpuGroup *group = groups + i * per_part + g;
        const float *scales = (const float *) (panel + 32 * VW);
        const vf d = v_load (scales + g * VW);
        vi dot[PANEL_TOKENS];
        for (size_t t = 0; t < tokens; t++)
          dot[t] = v_set_int (0);
        panel_words (dtype, tokens, dot, panel, codes + 32 * i, n, g * words, (g + 1) * words);
        for (size_t t = 0; t < tokens; t++)
          dot[t] = v_join_terms (dot[t], panel_start (dtype, group + t * n_groups));
        panel_words (dtype, tokens, dot, panel, codes + n + 32 * i, n, g * words, (g + 1) * words);
        for (size_t t = 0; t < tokens; t++)
          {
            sum[t] = v_fma (v_from_int (dot[t]), d * v_set (group[t * n_groups].d), sum[t]);
            if (codes_has_min (dtype))
              sum[t] = v_fma (v_load (scales + (per_part + g) * VW), v_set (group[t * n_groups].sum), sum[t]);
          }
      }
  for (size_t t = 0; t < tokens; t++)
    if (n_rows >= VW)
      v_store (y + t * ldy, sum[t]);
    else
      v_store_n (y + t * ldy, sum[t], n_rows);
}

VEC_INLINE void
panel_gemm (AssayDtype dtype, float *y, size_t ldy, const uint8_t *panel, size_t n_rows, const int8_t *codes,
            const CpuGroup *groups, size_t n_tokens, size_t n)
{
  const size_t n_groups = n / 32 * codes_groups (dtype);
  size_t t = 0;
  for (; t + PANEL_TOKENS <= n_tokens; t += PANEL_TOKENS)
    panel_tokens (dtype, PANEL_TOKENS, y + t * ldy, ldy, panel, n_rows, codes + 2 * t * n,
                  groups + t * n_groups, n);
  for (; t + 3 <= n_tokens; t += 3)
    panel_tokens (dtype, 3, y + t * ldy, ldy, panel, n_rows, codes + 2 * t * n, groups + t * n_groups, n);
  for (; t < n_tokens; t++)
    panel_tokens (dtype, 1, y + t * ldy, ldy, panel, n_rows, codes + 2 * t * n, groups + t * n_groups, n);
}

static void
simd_gemm_int8 (float *y, size_t ldy, const CpuFormat *format, const void *panel, size_t n_rows,
                const int8_t *codes, const CpuGroup *groups, size_t n_tokens, size_t n)
{
  CODES_SWITCH (format, panel_gemm, y, ldy, panel, n_rows, codes, groups, n_tokens, n)
}

/* What every vector version fills its table with. */
#define SIMD_ISA_MEMBERS                                                                                     \
  .rmsnorm = simd_rmsnorm, .layernorm = simd_layernorm, .gated = simd_gated, .activate = simd_activate,      \
  .add = simd_add,                                                                                           \
  .softmax = simd_softmax, .soft_cap = simd_soft_cap, .sincos = simd_sincos, .rotate = simd_rotate,          \
  .to_float = simd_to_float, .to_f16 = simd_to_f16, .dot = simd_dot, .scores = simd_scores, .mix = simd_mix, \
  .score = simd_score, .exp_sum = simd_exp_sum, .gemm = simd_gemm, .panel_width = 2 * VW, .turn = simd_turn, \
  .quantize = simd_quantize, .gemv_int8 = simd_gemv_int8, .panel_rows = VW, .pack_int8 = simd_pack_int8,     \
  .gemm_int8 = simd_gemm_int8, .dequantize = simd_dequantize, .round = simd_round,                           \
  .dequantize_4bit = simd_dequantize_4bit, .dot_4bit = simd_dot_4bit,                                        \
  .quantize_vectorwise = simd_quantize_vectorwise, .dot_vectorwise = simd_dot_vectorwise
