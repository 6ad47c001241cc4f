/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cuda/norm.cu: norms and softmax: a block for each row. */
#include "backend.h"
#include "device.cuh"

static __global__ void
rmsnorm_kernel (float *y, const float *x, const float *w, size_t n_rows, size_t n, float eps)
{
  __shared__ float partial[CUDA_WARP];
  for (size_t row = blockIdx.x; row < n_rows; row += gridDim.x)
    {
      const float *from = x + row * n;
      float squares = 0;
      for (size_t i = threadIdx.x; i < n; i += blockDim.x)
        squares += from[i] * from[i];
      const float factor = 1.0f / sqrtf (block_sum (squares, partial) / (float) n + eps);
      for (size_t i = threadIdx.x; i < n; i += blockDim.x)
        y[row * n + i] = from[i] * factor * w[i];
    }
}

/* bias may be NULL. */
static __global__ void
layernorm_kernel (float *y, const float *x, const float *w, const float *bias, size_t n_rows, size_t n,
                  float eps)
{
  __shared__ float partial[CUDA_WARP];
  for (size_t row = blockIdx.x; row < n_rows; row += gridDim.x)
    {
      const float *from = x + row * n;
      float sum = 0, squares = 0;
      for (size_t i = threadIdx.x; i < n; i += blockDim.x)
        sum += from[i];
      const float mean = block_sum (sum, partial) / (float) n;
      for (size_t i = threadIdx.x; i < n; i += blockDim.x)
        squares += (from[i] - mean) * (from[i] - mean);
      const float factor = 1.0f / sqrtf (block_sum (squares, partial) / (float) n + eps);
      for (size_t i = threadIdx.x; i < n; i += blockDim.x)
        y[row * n + i] = (from[i] - mean) * factor * w[i] + (bias != NULL ? bias[i] : 0.0f);
    }
}

static __global__ void
softmax_kernel (float *x, size_t n_rows, size_t n)
{
  __shared__ float partial[CUDA_WARP];
  for (size_t row = blockIdx.x; row < n_rows; row += gridDim.x)
    {
      float *at = x + row * n, max = -INFINITY, sum = 0;
      for (size_t i = threadIdx.x; i < n; i += blockDim.x)
        max = fmaxf (max, at[i]);
      max = block_max (max, partial);
      for (size_t i = threadIdx.x; i < n; i += blockDim.x)
        {
          at[i] = expf (at[i] - max);
          sum += at[i];
        }
      sum = block_sum (sum, partial);
      for (size_t i = threadIdx.x; i < n; i += blockDim.x)
        at[i] /= sum;
    }
}

/* Short rows, as of a head, need no more than a warp or two. */
static unsigned
norm_threads (size_t n)
{
  return n >= CUDA_BLOCK ? CUDA_BLOCK : n > 0 ? (unsigned) cuda_round_up (n, CUDA_WARP) : CUDA_WARP;
}

AssayStatus
cuda_rmsnorm (AssayBackend *b, float *y, const float *x, const float *w, size_t n_rows, size_t n, float eps)
{
  CUDA_TRY (cuda_enter (b));
  if (n_rows == 0 || n == 0)
    return ASSAY_OK;
  ASSAY_LAUNCH (rmsnorm_kernel, cuda_blocks (n_rows, 1), norm_threads (n), 0,
                cuda_backend (b)->compute_stream, y, x, w, n_rows, n, eps);
  return cuda_launched (b, "rmsnorm");
}

AssayStatus
cuda_layernorm (AssayBackend *b, float *y, const float *x, const float *w, const float *bias, size_t n_rows,
                size_t n, float eps)
{
  CUDA_TRY (cuda_enter (b));
  if (n_rows == 0 || n == 0)
    return ASSAY_OK;
  ASSAY_LAUNCH (layernorm_kernel, cuda_blocks (n_rows, 1), norm_threads (n), 0,
                cuda_backend (b)->compute_stream, y, x, w, bias, n_rows, n, eps);
  return cuda_launched (b, "layernorm");
}

AssayStatus
cuda_softmax (AssayBackend *b, float *x, size_t n_rows, size_t n)
{
  CUDA_TRY (cuda_enter (b));
  if (n_rows == 0 || n == 0)
    return ASSAY_OK;
  ASSAY_LAUNCH (softmax_kernel, cuda_blocks (n_rows, 1), norm_threads (n), 0,
                cuda_backend (b)->compute_stream, x, n_rows, n);
  return cuda_launched (b, "softmax");
}
