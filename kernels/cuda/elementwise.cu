/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cuda/elementwise.cu: gates, sums and caps: a thread for each element. */
#include "backend.h"
#include "device.cuh"

static __device__ inline float
activation_of (float x, AssayActivation activation)
{
  switch (activation)
    {
    case ASSAY_ACTIVATION_GELU_TANH:
      return 0.5f * x * (1.0f + tanhf (0.79788456080286536f * (x + 0.044715f * x * x * x)));
    case ASSAY_ACTIVATION_GELU:
      return 0.5f * x * erfcf (-0.70710678118654752f * x);
    default:
      return x / (1.0f + expf (-x));
    }
}

/* up: NULL for ones. */
static __global__ void
gated_kernel (float *y, const float *gate, const float *up, size_t n, AssayActivation activation)
{
  const size_t stride = (size_t) gridDim.x * blockDim.x;
  for (size_t i = (size_t) blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    {
      const float value = activation_of (gate[i], activation);
      y[i] = up != NULL ? value * up[i] : value;
    }
}

static __global__ void
add_kernel (float *y, const float *x, size_t n, float scale)
{
  const size_t stride = (size_t) gridDim.x * blockDim.x;
  for (size_t i = (size_t) blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    y[i] += scale * x[i];
}

static __global__ void
soft_cap_kernel (float *x, size_t n, float cap)
{
  const size_t stride = (size_t) gridDim.x * blockDim.x;
  for (size_t i = (size_t) blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    x[i] = cap * tanhf (x[i] / cap);
}

static AssayStatus
activation_launch (AssayBackend *b, float *y, const float *gate, const float *up, size_t n,
                   AssayActivation activation, const char *operation)
{
  CUDA_TRY (cuda_enter (b));
  if (activation != ASSAY_ACTIVATION_SILU && activation != ASSAY_ACTIVATION_GELU_TANH
      && activation != ASSAY_ACTIVATION_GELU)
    return cuda_fault (b, ASSAY_UNSUPPORTED, "activation number %d is not known", (int) activation);
  if (n == 0)
    return ASSAY_OK;
  ASSAY_LAUNCH (gated_kernel, cuda_blocks (n, CUDA_BLOCK), CUDA_BLOCK, 0, cuda_backend (b)->compute_stream, y,
                gate, up, n, activation);
  return cuda_launched (b, operation);
}

AssayStatus
cuda_gated (AssayBackend *b, float *y, const float *gate, const float *up, size_t n,
            AssayActivation activation)
{
  return activation_launch (b, y, gate, up, n, activation, "gated");
}

AssayStatus
cuda_activate (AssayBackend *b, float *y, const float *x, size_t n, AssayActivation activation)
{
  return activation_launch (b, y, x, NULL, n, activation, "activate");
}

AssayStatus
cuda_add (AssayBackend *b, float *y, const float *x, size_t n, float scale)
{
  CUDA_TRY (cuda_enter (b));
  if (n == 0)
    return ASSAY_OK;
  ASSAY_LAUNCH (add_kernel, cuda_blocks (n, CUDA_BLOCK), CUDA_BLOCK, 0, cuda_backend (b)->compute_stream, y,
                x, n, scale);
  return cuda_launched (b, "add");
}

AssayStatus
cuda_soft_cap (AssayBackend *b, float *x, size_t n, float cap)
{
  CUDA_TRY (cuda_enter (b));
  if (n == 0)
    return ASSAY_OK;
  ASSAY_LAUNCH (soft_cap_kernel, cuda_blocks (n, CUDA_BLOCK), CUDA_BLOCK, 0, cuda_backend (b)->compute_stream,
                x, n, cap);
  return cuda_launched (b, "soft_cap");
}
