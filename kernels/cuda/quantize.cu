/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cuda/quantize.cu: rows of float32 become rows of a weight, with the CPU's own encoders: a thread has a
 * block, so that the bytes are the same. Built without fused products. Runs once for each weight. */
#include "device.cuh"
#include "quantize.h"
#include "shared/encode-k.h"
#include "shared/encode-rows.h"

#define ROWS_MULTIPLE ASSAY_WHOLE_BLOCK /* of a whole matrix that come at a time */

typedef struct
{
  uint8_t *rows;
  size_t row_bytes, n, n_rows;
  const float *x;
  AssayDtype dtype;
  uint32_t block_elements, block_bytes;
} EncodeJob;

static __device__ void
quantize_encode (uint8_t *to, uint8_t *codes, const float *x, AssayDtype dtype)
{
  switch ((int) dtype)
    {
    case ASSAY_DTYPE_Q4_0: encode_q4_0 (to, x); break;
    case ASSAY_DTYPE_Q4_1: encode_q4_1 (to, x); break;
    case ASSAY_DTYPE_Q5_0: encode_q5_0 (to, x); break;
    case ASSAY_DTYPE_Q5_1: encode_q5_1 (to, x); break;
    case ASSAY_DTYPE_Q8_0: encode_q8_0 (to, x); break;
    case ASSAY_DTYPE_Q4_K: encode_q4_k (to, codes, x); break;
    case ASSAY_DTYPE_Q5_K: encode_q5_k (to, codes, x); break;
    case ASSAY_DTYPE_Q6_K: encode_q6_k (to, codes, x); break;
    case ASSAY_DTYPE_F16:
      {
        const uint16_t bits = f16_from_float (*x);
        memcpy (to, &bits, sizeof bits);
        break;
      }
    case ASSAY_DTYPE_BF16:
      {
        const uint16_t bits = bf16_from_float (*x);
        memcpy (to, &bits, sizeof bits);
        break;
      }
    default: memcpy (to, x, sizeof *x);
    }
}

/* A thread for each block. What it writes down between steps lies in shared memory, for the device would set aside
 * as much for every thread it can hold. */
static __global__ void
quantize_rows_kernel (EncodeJob job)
{
  __shared__ uint8_t codes[CUDA_WARP][K_SUPER + 4];
  const size_t blocks = job.n / job.block_elements, stride = (size_t) gridDim.x * blockDim.x;
  for (size_t i = (size_t) blockIdx.x * blockDim.x + threadIdx.x; i < job.n_rows * blocks; i += stride)
    quantize_encode (job.rows + i / blocks * job.row_bytes + i % blocks * job.block_bytes,
                     codes[threadIdx.x], job.x + i * job.block_elements, job.dtype);
}

/* *first: the least index of a magnitude beyond the limit. Magnitudes compare as integers, infinity and NaN above
 * all others. */
static __global__ void
quantize_check_kernel (unsigned long long *first, const float *x, size_t n, uint32_t limit)
{
  const size_t stride = (size_t) gridDim.x * blockDim.x;
  for (size_t i = (size_t) blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    if ((__float_as_uint (x[i]) & 0x7fffffff) > limit)
      {
        atomicMin (first, (unsigned long long) i);
        break;
      }
}

/* float16 is in all of ggml's blocks, and between the weights and INT8. */
static uint32_t
quantize_limit (AssayDtype dtype)
{
  switch ((int) dtype)
    {
    case ASSAY_DTYPE_F32:
    case ASSAY_DTYPE_BF16: return UINT32_MAX;
    case ASSAY_DTYPE_NF4:
    case ASSAY_DTYPE_FP4:
    case ASSAY_DTYPE_NF4_DOUBLE:
    case ASSAY_DTYPE_FP4_DOUBLE: return 0x7f7fffff;
    default: return 0x477fe000; /* 65504 */
    }
}

/* Says which number is too great, the first by its place. Waits. */
static AssayStatus
quantize_look (AssayBackend *b, const AssayTensor *w, const float *x, size_t first, size_t n_rows)
{
  CudaBackend *self = cuda_backend (b);
  const uint32_t limit = quantize_limit (w->dtype);
  const size_t width = (size_t) w->shape[0], n = n_rows * width;
  float value;
  if (limit == UINT32_MAX)
    return ASSAY_OK;
  CUDA_TRY (cuda_check (b, cudaMemsetAsync (self->results, 0xff, sizeof *self->results, self->compute_stream),
                        "quantize"));
  ASSAY_LAUNCH (quantize_check_kernel, cuda_blocks (n, CUDA_BLOCK), CUDA_BLOCK, 0, self->compute_stream,
                (unsigned long long *) self->results, x, n, limit);
  CUDA_TRY (cuda_launched (b, "quantize"));
  CUDA_TRY (cuda_read_results (b, 1, "quantize"));
  const size_t i = self->host_results[0];
  if (i == UINT64_MAX)
    return ASSAY_OK;
  CUDA_TRY (cuda_download (b, &value, x + i, sizeof value));
  return cuda_fault (b, ASSAY_DEVICE_FAULT, "element %zu of row %zu of a weight is %g; %s holds up to %g", i % width,
                     first + i / width, (double) value, assay_dtype_info (w->dtype)->name,
                     limit == 0x477fe000 ? 65504.0 : 3.4028234663852886e38);
}

static AssayStatus
quantize_check (AssayBackend *b, const AssayTensor *w, size_t first, size_t n_rows)
{
  const AssayDtypeInfo *info = assay_dtype_info (w->dtype);
  const size_t all = cuda_n_rows (w);
  if (!assay_dtype_can_quantize (w->dtype))
    return cuda_fault (b, ASSAY_UNSUPPORTED, "the CUDA device cannot make weights of format %s (number %u)",
                       info != NULL ? info->name : "unknown", (unsigned) w->dtype);
  if (w->shape[0] % info->block_elements != 0)
    return cuda_fault (b, ASSAY_UNSUPPORTED, "rows of %lld elements are not whole %s blocks of %u",
                       (long long) w->shape[0], info->name, info->block_elements);
  if (first > all || n_rows > all - first)
    return cuda_fault (b, ASSAY_DEVICE_FAULT, "rows %zu to %zu are outside a weight of %zu rows", first,
                       first + n_rows, all);
  if (info->whole && (first % ROWS_MULTIPLE != 0 || (n_rows % ROWS_MULTIPLE != 0 && first + n_rows != all)))
    return cuda_fault (b, ASSAY_DEVICE_FAULT, "%zu rows from row %zu of a matrix in %s are not whole blocks", n_rows,
                       first, info->name);
  return ASSAY_OK;
}

static AssayStatus
quantize_rows (AssayBackend *b, const AssayTensor *w, const float *x, size_t first, size_t n_rows)
{
  const AssayDtypeInfo *info = assay_dtype_info (w->dtype);
  EncodeJob job = {};
  job.rows = (uint8_t *) w->data + first * w->row_bytes;
  job.row_bytes = w->row_bytes;
  job.n = (size_t) w->shape[0];
  job.n_rows = n_rows;
  job.x = x;
  job.dtype = w->dtype;
  job.block_elements = info->block_elements;
  job.block_bytes = info->block_bytes;
  ASSAY_LAUNCH (quantize_rows_kernel, cuda_blocks (n_rows * (job.n / job.block_elements), CUDA_WARP),
                CUDA_WARP, 0, cuda_backend (b)->compute_stream, job);
  return cuda_launched (b, "quantize");
}

AssayStatus
cuda_quantize (AssayBackend *b, const AssayTensor *w, const float *x, size_t first, size_t n_rows, void *scratch)
{
  CUDA_TRY (cuda_enter_queue (b));
  CUDA_TRY (quantize_check (b, w, first, n_rows));
  if (n_rows == 0 || w->shape[0] == 0)
    return ASSAY_OK;
  CUDA_TRY (quantize_look (b, w, x, first, n_rows));
  return assay_dtype_info (w->dtype)->whole ? cuda_quantize_whole (b, w, x, first, n_rows, (float *) scratch)
                                            : quantize_rows (b, w, x, first, n_rows);
}
