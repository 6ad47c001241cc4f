/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cpu/simd-attention.h: one query against rows of the cache (decode). Included once by each isa-*.c,
 * after its vec-*.h and simd-float.h. */
#pragma once

#include "cpu.h"

/* Lane sums of eight vectors at once: fewer steps than one after the other. */
VEC_INLINE __m256
attention_sum_8 (const vf *sum)
{
  __m256 a[8];
  for (int i = 0; i < 8; i++)
#if VW == 16
    a[i] = _mm256_add_ps (_mm512_castps512_ps256 (sum[i]), _mm512_extractf32x8_ps (sum[i], 1));
#else
    a[i] = sum[i];
#endif
  const __m256 low = _mm256_hadd_ps (_mm256_hadd_ps (a[0], a[1]), _mm256_hadd_ps (a[2], a[3]));
  const __m256 high = _mm256_hadd_ps (_mm256_hadd_ps (a[4], a[5]), _mm256_hadd_ps (a[6], a[7]));
  return _mm256_add_ps (_mm256_permute2f128_ps (low, high, 0x20), _mm256_permute2f128_ps (low, high, 0x31));
}

VEC_INLINE void
attention_scores_8 (float *scores, const float *q, const uint8_t *k, size_t stride, AssayDtype dtype,
                    size_t dim)
{
  vf sum[8];
  size_t i = 0;
  for (size_t j = 0; j < 8; j++)
    sum[j] = v_set (0.0f);
  for (; i + VW <= dim; i += VW)
    {
      const vf x = v_load (q + i);
      for (size_t j = 0; j < 8; j++)
        sum[j] = v_fma (x, v_load_at (k + j * stride, dtype, i), sum[j]);
    }
  if (i < dim)
    {
      const vf x = v_load_n (q + i, dim - i);
      for (size_t j = 0; j < 8; j++)
        sum[j] = v_fma (x, v_load_tail_at (k + j * stride, dtype, i, dim - i), sum[j]);
    }
  _mm256_storeu_ps (scores, attention_sum_8 (sum));
}

VEC_INLINE void
attention_scores_as (float *scores, const float *q, const uint8_t *k, size_t stride, AssayDtype dtype,
                     size_t n_keys, size_t dim)
{
  size_t j = 0;
  for (; j + 8 <= n_keys; j += 8)
    attention_scores_8 (scores + j, q, k + j * stride, stride, dtype, dim);
  for (; j < n_keys; j++)
    scores[j] = simd_dot_as (q, k + j * stride, dtype, dim);
}

static void
simd_scores (float *scores, const float *q, const void *k, size_t stride, AssayDtype dtype, size_t n_keys,
             size_t dim)
{
  switch ((int) dtype)
    {
    case ASSAY_DTYPE_F16: attention_scores_as (scores, q, k, stride, ASSAY_DTYPE_F16, n_keys, dim); break;
    case ASSAY_DTYPE_Q8_0: attention_scores_as (scores, q, k, stride, ASSAY_DTYPE_Q8_0, n_keys, dim); break;
    default: attention_scores_as (scores, q, k, stride, ASSAY_DTYPE_F32, n_keys, dim);
    }
}

/* `parts` vectors of y from element i on, a constant number, kept in registers over all the keys; even and
 * odd keys in sums of their own. */
VEC_INLINE void
attention_mix_part (float *y, const float *weights, const uint8_t *v, size_t stride, AssayDtype dtype,
                    size_t n_keys, size_t i, size_t parts)
{
  vf even[4], odd[4];
  size_t j = 0;
  for (size_t p = 0; p < parts; p++)
    {
      even[p] = v_load (y + i + p * VW);
      odd[p] = v_set (0.0f);
    }
  for (; j + 2 <= n_keys; j += 2)
    {
      const vf a = v_set (weights[j]), b = v_set (weights[j + 1]);
      for (size_t p = 0; p < parts; p++)
        {
          even[p] = v_fma (a, v_load_at (v + j * stride, dtype, i + p * VW), even[p]);
          odd[p] = v_fma (b, v_load_at (v + (j + 1) * stride, dtype, i + p * VW), odd[p]);
        }
    }
  if (j < n_keys)
    for (size_t p = 0; p < parts; p++)
      even[p] = v_fma (v_set (weights[j]), v_load_at (v + j * stride, dtype, i + p * VW), even[p]);
  for (size_t p = 0; p < parts; p++)
    v_store (y + i + p * VW, even[p] + odd[p]);
}

VEC_INLINE void
attention_mix_tail (float *y, const float *weights, const uint8_t *v, size_t stride, AssayDtype dtype,
                    size_t n_keys, size_t i, size_t n)
{
  vf sum = v_load_n (y + i, n);
  for (size_t j = 0; j < n_keys; j++)
    sum = v_fma (v_set (weights[j]), v_load_tail_at (v + j * stride, dtype, i, n), sum);
  v_store_n (y + i, sum, n);
}

VEC_INLINE void
attention_mix_as (float *y, const float *weights, const uint8_t *v, size_t stride, AssayDtype dtype,
                  size_t n_keys, size_t dim)
{
  size_t i = 0;
  for (; i + 4 * VW <= dim; i += 4 * VW)
    attention_mix_part (y, weights, v, stride, dtype, n_keys, i, 4);
  for (; i + VW <= dim; i += VW)
    attention_mix_part (y, weights, v, stride, dtype, n_keys, i, 1);
  if (i < dim)
    attention_mix_tail (y, weights, v, stride, dtype, n_keys, i, dim - i);
}

static void
simd_mix (float *y, const float *weights, const void *v, size_t stride, AssayDtype dtype, size_t n_keys,
          size_t dim)
{
  switch ((int) dtype)
    {
    case ASSAY_DTYPE_F16: attention_mix_as (y, weights, v, stride, ASSAY_DTYPE_F16, n_keys, dim); break;
    case ASSAY_DTYPE_Q8_0: attention_mix_as (y, weights, v, stride, ASSAY_DTYPE_Q8_0, n_keys, dim); break;
    default: attention_mix_as (y, weights, v, stride, ASSAY_DTYPE_F32, n_keys, dim);
    }
}
