/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cpu/simd-float.h: products in float32. Included once by each isa-*.c, after its vec-*.h. */
#pragma once

#include "cpu.h"
#include "shared/half.h"

VEC_INLINE size_t
simd_element_bytes (AssayDtype dtype)
{
  return dtype == ASSAY_DTYPE_F32 ? 4 : 2;
}

VEC_INLINE vf
v_load_as (const uint8_t *p, AssayDtype dtype)
{
  return dtype == ASSAY_DTYPE_F32 ? v_load (p) : dtype == ASSAY_DTYPE_F16 ? v_load_f16 (p) : v_load_bf16 (p);
}

/* Elements from i on, a multiple of VW; of Q8_0 too. */
VEC_INLINE vf
v_load_at (const uint8_t *row, AssayDtype dtype, size_t i)
{
  if (dtype != ASSAY_DTYPE_Q8_0)
    return v_load_as (row + i * simd_element_bytes (dtype), dtype);
  const uint8_t *block = row + i / 32 * 34;
  return v_from_int (v_load_int8 (block + 2 + i % 32)) * v_set (_cvtsh_ss (load_u16 (block)));
}

/* The last n < VW elements, from i on, zeros behind them. Rows of Q8_0 have none. */
VEC_INLINE vf
v_load_tail_at (const uint8_t *row, AssayDtype dtype, size_t i, size_t n)
{
  uint8_t bytes[4 * VW] = { 0 };
  if (dtype == ASSAY_DTYPE_Q8_0)
    return v_set (0.0f);
  memcpy (bytes, row + i * simd_element_bytes (dtype), n * simd_element_bytes (dtype));
  return v_load_as (bytes, dtype);
}

/* Four sums run side by side, since one would wait for itself. */
VEC_INLINE float
simd_dot_as (const float *x, const uint8_t *w, AssayDtype dtype, size_t n)
{
  vf sum[4] = { v_set (0.0f), v_set (0.0f), v_set (0.0f), v_set (0.0f) };
  size_t i = 0;
  for (; i + 4 * VW <= n; i += 4 * VW)
    for (size_t j = 0; j < 4; j++)
      sum[j] = v_fma (v_load (x + i + j * VW), v_load_at (w, dtype, i + j * VW), sum[j]);
  for (; i + VW <= n; i += VW)
    sum[0] = v_fma (v_load (x + i), v_load_at (w, dtype, i), sum[0]);
  if (i < n)
    sum[1] = v_fma (v_load_n (x + i, n - i), v_load_tail_at (w, dtype, i, n - i), sum[1]);
  return v_sum ((sum[0] + sum[1]) + (sum[2] + sum[3]));
}

static float
simd_dot (const float *x, const void *w, AssayDtype dtype, size_t n)
{
  switch ((int) dtype)
    {
    case ASSAY_DTYPE_F16: return simd_dot_as (x, w, ASSAY_DTYPE_F16, n);
    case ASSAY_DTYPE_BF16: return simd_dot_as (x, w, ASSAY_DTYPE_BF16, n);
    default: return simd_dot_as (x, w, ASSAY_DTYPE_F32, n);
    }
}

VEC_INLINE void
simd_to_float_as (float *y, const uint8_t *x, AssayDtype dtype, size_t n)
{
  size_t i = 0;
  for (; i + VW <= n; i += VW)
    v_store (y + i, v_load_at (x, dtype, i));
  if (i < n)
    v_store_n (y + i, v_load_tail_at (x, dtype, i, n - i), n - i);
}

static void
simd_to_float (float *y, const void *x, AssayDtype dtype, size_t n)
{
  switch ((int) dtype)
    {
    case ASSAY_DTYPE_F16: simd_to_float_as (y, x, ASSAY_DTYPE_F16, n); break;
    case ASSAY_DTYPE_BF16: simd_to_float_as (y, x, ASSAY_DTYPE_BF16, n); break;
    default: memcpy (y, x, n * sizeof *y);
    }
}

static void
simd_to_f16 (void *y, const float *x, size_t n)
{
  uint8_t *out = y;
  size_t i = 0;
  for (; i + VW <= n; i += VW)
    v_store_f16 (out + 2 * i, v_load (x + i));
  for (; i < n; i++)
    {
      const uint16_t bits = f16_from_float (x[i]);
      memcpy (out + 2 * i, &bits, sizeof bits);
    }
}

typedef uint32_t vu __attribute__ ((vector_size (VW * 4)));

VEC_INLINE vf
v_round_bf16 (vf a)
{
  const vu bits = (vu) a;
  const vu rounded = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000;
  const vu is_nan = (vu) ((bits & 0x7fffffff) > 0x7f800000);
  return (vf) ((rounded & ~is_nan) | ((bits | 0x00400000) & 0xffff0000 & is_nan));
}

static void
simd_round (float *y, const float *x, AssayDtype dtype, size_t n)
{
  for (size_t i = 0; i < n; i += VW)
    {
      const vf a = v_load_upto (x + i, n - i);
      v_store_upto (y + i, dtype == ASSAY_DTYPE_F16 ? v_round_f16 (a) : v_round_bf16 (a), n - i);
    }
}

/* `rows` rows of a against one panel: sums stay in registers over all of k. */
VEC_INLINE void
simd_gemm_rows (float *c, size_t ldc, const float *a, size_t lda, const float *panel, size_t rows, size_t k,
                bool add)
{
  vf sum[6][2];
  for (size_t r = 0; r < rows; r++)
    for (size_t j = 0; j < 2; j++)
      sum[r][j] = add ? v_load (c + r * ldc + j * VW) : v_set (0.0f);
  for (size_t i = 0; i < k; i++, panel += 2 * VW)
    {
      const vf w0 = v_load (panel), w1 = v_load (panel + VW);
      for (size_t r = 0; r < rows; r++)
        {
          const vf x = v_set (a[r * lda + i]);
          sum[r][0] = v_fma (x, w0, sum[r][0]);
          sum[r][1] = v_fma (x, w1, sum[r][1]);
        }
    }
  for (size_t r = 0; r < rows; r++)
    for (size_t j = 0; j < 2; j++)
      v_store (c + r * ldc + j * VW, sum[r][j]);
}

static void
simd_gemm (float *c, size_t ldc, const float *a, size_t lda, const float *panel, size_t m, size_t k, bool add)
{
  for (; m >= 6; m -= 6, c += 6 * ldc, a += 6 * lda)
    simd_gemm_rows (c, ldc, a, lda, panel, 6, k, add);
  switch (m)
    {
    case 5: simd_gemm_rows (c, ldc, a, lda, panel, 5, k, add); break;
    case 4: simd_gemm_rows (c, ldc, a, lda, panel, 4, k, add); break;
    case 3: simd_gemm_rows (c, ldc, a, lda, panel, 3, k, add); break;
    case 2: simd_gemm_rows (c, ldc, a, lda, panel, 2, k, add); break;
    case 1: simd_gemm_rows (c, ldc, a, lda, panel, 1, k, add); break;
    default: break;
    }
}

/* 8 rows of 8 words, turned; column j goes to out + j * stride bytes */
VEC_INLINE void
simd_transpose (uint8_t *out, size_t stride, const __m256i *row)
{
  __m256i a[8], b[8];
  for (int i = 0; i < 4; i++)
    {
      a[2 * i] = _mm256_unpacklo_epi32 (row[2 * i], row[2 * i + 1]);
      a[2 * i + 1] = _mm256_unpackhi_epi32 (row[2 * i], row[2 * i + 1]);
    }
  for (int i = 0; i < 2; i++)
    {
      b[4 * i] = _mm256_unpacklo_epi64 (a[4 * i], a[4 * i + 2]);
      b[4 * i + 1] = _mm256_unpackhi_epi64 (a[4 * i], a[4 * i + 2]);
      b[4 * i + 2] = _mm256_unpacklo_epi64 (a[4 * i + 1], a[4 * i + 3]);
      b[4 * i + 3] = _mm256_unpackhi_epi64 (a[4 * i + 1], a[4 * i + 3]);
    }
  for (size_t j = 0; j < 4; j++)
    {
      _mm256_storeu_si256 ((__m256i *) (out + j * stride), _mm256_permute2x128_si256 (b[j], b[4 + j], 0x20));
      _mm256_storeu_si256 ((__m256i *) (out + (4 + j) * stride),
                           _mm256_permute2x128_si256 (b[j], b[4 + j], 0x31));
    }
}

static void
simd_turn (float *panel, const float *rows, size_t stride, size_t n)
{
  size_t i = 0;
  for (; i + 8 <= n; i += 8)
    {
      __m256i row[8];
      for (size_t r = 0; r < 8; r++)
        row[r] = _mm256_loadu_si256 ((const __m256i *) (rows + r * stride + i));
      simd_transpose ((uint8_t *) (panel + i * 2 * VW), 2 * VW * sizeof (float), row);
    }
  for (; i < n; i++)
    for (size_t r = 0; r < 8; r++)
      panel[i * 2 * VW + r] = rows[r * stride + i];
}
