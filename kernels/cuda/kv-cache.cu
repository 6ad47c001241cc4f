/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cuda/kv-cache.cu: rows of keys or values converted into their cache. Built without fused products:
 * the bytes of a block are the CPU's. */
#include "backend.h"
#include "device.cuh"
#include "shared/encode-rows.h"

static __global__ void
kv_store_kernel (uint8_t *rows, size_t row_bytes, bool half, const float *x, size_t n, size_t n_tokens)
{
  const size_t stride = (size_t) gridDim.x * blockDim.x;
  for (size_t i = (size_t) blockIdx.x * blockDim.x + threadIdx.x; i < n * n_tokens; i += stride)
    {
      uint8_t *row = rows + i / n * row_bytes;
      if (half)
        reinterpret_cast<__half *> (row)[i % n] = __float2half_rn (x[i]);
      else
        reinterpret_cast<float *> (row)[i % n] = x[i];
    }
}

/* A thread for each block of 32. A wild number makes its whole block NaN: rounded to a code, it would look
 * sane. */
static __global__ void
kv_store_q8_0_kernel (uint8_t *rows, size_t row_bytes, const float *x, size_t n, size_t n_tokens)
{
  const size_t blocks = n / 32, stride = (size_t) gridDim.x * blockDim.x;
  for (size_t i = (size_t) blockIdx.x * blockDim.x + threadIdx.x; i < blocks * n_tokens; i += stride)
    {
      uint8_t *to = rows + i / blocks * row_bytes + i % blocks * 34;
      const float *from = x + i * 32;
      float nothing = 0;
      for (unsigned k = 0; k < 32; k++)
        nothing += from[k] * 0.0f;
      if (nothing == 0.0f)
        encode_q8_0 (to, from);
      else
        for (unsigned k = 0; k < 34; k++)
          to[k] = k == 1 ? 0x7e : k > 1;
    }
}

static bool
kv_holds (AssayDtype dtype, size_t n)
{
  return dtype == ASSAY_DTYPE_F32 || dtype == ASSAY_DTYPE_F16 || (dtype == ASSAY_DTYPE_Q8_0 && n % 32 == 0);
}

AssayStatus
cuda_kv_store (AssayBackend *b, const AssayTensor *cache, const float *x, size_t n_tokens, uint32_t first)
{
  const size_t n = (size_t) cache->shape[0], capacity = (size_t) cache->shape[1], count = n * n_tokens;
  uint8_t *rows = (uint8_t *) cache->data + first * cache->row_bytes;
  const cudaStream_t stream = cuda_backend (b)->compute_stream;
  CUDA_TRY (cuda_enter (b));
  if (!kv_holds (cache->dtype, n))
    return cuda_fault (
      b, ASSAY_UNSUPPORTED,
      "a KV cache on the CUDA device is F32, F16 or (rows of whole blocks of 32) Q8_0, not format "
      "number %u with rows of %zu",
      (unsigned) cache->dtype, n);
  if (first > capacity || n_tokens > capacity - first)
    return cuda_fault (b, ASSAY_DEVICE_FAULT, "%zu tokens at position %u do not fit a KV cache of %zu",
                       n_tokens, first, capacity);
  if (count == 0)
    return ASSAY_OK;
  if (cache->dtype == ASSAY_DTYPE_Q8_0)
    ASSAY_LAUNCH (kv_store_q8_0_kernel, cuda_blocks (count / 32, CUDA_WARP), CUDA_WARP, 0, stream, rows,
                  cache->row_bytes, x, n, n_tokens);
  else
    ASSAY_LAUNCH (kv_store_kernel, cuda_blocks (count, CUDA_BLOCK), CUDA_BLOCK, 0, stream, rows,
                  cache->row_bytes, cache->dtype == ASSAY_DTYPE_F16, x, n, n_tokens);
  return cuda_launched (b, "kv_store");
}
