/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cuda/matmul.cu: which product to use.
 *
 * A few tokens go row by row over the weights as they lie (matvec.cuh). More go to cuBLAS: weights of another
 * form than the product's are unpacked, some rows at a time, into a tile that every token meets. */
#include "device.cuh"
#include "weight.h"

#define TILE_BYTES ((size_t) 32 << 20)
#define TILE_ROWS 64u /* tiles are whole multiples of so many rows */
#define MAX_INT8_COLUMNS 131072
#define MAX_DIMENSION 0x7fffffffu

#define ACTIVATION_MAX 32512.0f /* 127 * 256: see CpuGroup in kernels/cpu/cpu.h */

typedef struct
{
  CudaWeight w;
  AssayDtype product;   /* of both factors: F32, F16 or BF16 */
  bool vectorwise;      /* LLM.int8() */
  bool rounds_to_codes; /* activations as two terms of int8 */
  bool direct;          /* weights are in the product's form */
  size_t n_tokens, element_bytes, tile_rows;
  size_t x_bytes, tile_bytes; /* of the workspace */
} MatmulPlan;

static bool
matmul_knows_codes (AssayDtype dtype)
{
  switch ((int) dtype)
    {
    case ASSAY_DTYPE_Q4_0:
    case ASSAY_DTYPE_Q4_1:
    case ASSAY_DTYPE_Q5_0:
    case ASSAY_DTYPE_Q5_1:
    case ASSAY_DTYPE_Q8_0:
    case ASSAY_DTYPE_Q2_K:
    case ASSAY_DTYPE_Q3_K:
    case ASSAY_DTYPE_Q4_K:
    case ASSAY_DTYPE_Q5_K:
    case ASSAY_DTYPE_Q6_K:
    case ASSAY_DTYPE_IQ4_NL:
    case ASSAY_DTYPE_IQ4_XS:
      return true;
    default:
      return false;
    }
}

static AssayDtype
matmul_product (AssayCompute compute)
{
  return compute == ASSAY_COMPUTE_F16    ? ASSAY_DTYPE_F16
         : compute == ASSAY_COMPUTE_BF16 ? ASSAY_DTYPE_BF16
                                         : ASSAY_DTYPE_F32;
}

static void
matmul_plan_tile (MatmulPlan *plan)
{
  const size_t row_bytes = plan->w.n * plan->element_bytes;
  size_t rows = row_bytes > 0 ? TILE_BYTES / row_bytes : plan->w.n_rows;
  rows = rows > TILE_ROWS ? rows / TILE_ROWS * TILE_ROWS : rows > 0 ? rows : 1;
  plan->tile_rows = plan->direct ? plan->w.n_rows : cuda_min (rows, plan->w.n_rows);
  plan->tile_bytes = plan->direct ? 0 : cuda_round_up (plan->tile_rows * row_bytes, 256);
}

static AssayStatus
matmul_plan (AssayBackend *b, MatmulPlan *plan, const AssayTensor *w, size_t n_tokens)
{
  const AssayCompute compute = cuda_backend (b)->compute;
  *plan = MatmulPlan ();
  CUDA_TRY (cuda_weight_look (b, &plan->w, w));
  plan->w.n_rows = (size_t) w->shape[1];
  plan->n_tokens = n_tokens;
  plan->product = matmul_product (compute);
  plan->element_bytes = plan->product == ASSAY_DTYPE_F32 ? 4 : 2;
  plan->vectorwise = w->dtype == ASSAY_DTYPE_INT8 && compute != ASSAY_COMPUTE_F32;
  plan->rounds_to_codes = compute == ASSAY_COMPUTE_INT8 && matmul_knows_codes (w->dtype);
  plan->direct = w->dtype == plan->product;
  if (plan->rounds_to_codes || plan->product != ASSAY_DTYPE_F32)
    plan->x_bytes = cuda_round_up (n_tokens * plan->w.n * plan->element_bytes, 256);
  matmul_plan_tile (plan);
  return ASSAY_OK;
}

/* The same for a few tokens as for many: whether those can do without depends on where the weights will lie.
 */
size_t
cuda_matmul_workspace (AssayBackend *b, const AssayTensor *w, size_t n_tokens)
{
  MatmulPlan plan;
  if (matmul_plan (b, &plan, w, n_tokens) != ASSAY_OK)
    return 0;
  return plan.vectorwise ? cuda_vectorwise_bytes (&plan.w, n_tokens) : plan.x_bytes + plan.tile_bytes;
}

/* --- activations --- */

static __global__ void
matmul_to_half_kernel (void *y, const float *x, size_t n, bool is_half)
{
  const size_t stride = (size_t) gridDim.x * blockDim.x;
  for (size_t i = (size_t) blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    if (is_half)
      static_cast<__half *> (y)[i] = __float2half_rn (x[i]);
    else
      static_cast<__nv_bfloat16 *> (y)[i] = __float2bfloat16_rn (x[i]);
}

/* A warp for each 32 activations: rounded to 16 bits in two terms of -127 .. 127; NaN where one of them is
 * not finite. */
static __global__ void
matmul_to_codes_kernel (float *y, const float *x, size_t n)
{
  const size_t stride = (size_t) gridDim.x * blockDim.x;
  for (size_t i = (size_t) blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    {
      uint32_t bits = __float_as_uint (x[i]) & 0x7fffffff;
      for (unsigned step = CUDA_WARP / 2; step > 0; step /= 2)
        {
          const uint32_t other = __shfl_xor_sync (CUDA_ALL_LANES, bits, (int) step);
          bits = other > bits ? other : bits;
        }
      const float max = __uint_as_float (bits);
      const bool is_wild = bits >= 0x7f800000, is_nothing = is_wild || max < 1e-30f;
      const int code = is_nothing ? 0 : (int) rintf (x[i] * (ACTIVATION_MAX / max));
      const int high = (code + 128) >> 8, rest = code - high * 256, low = rest < -127 ? -127 : rest;
      y[i] = is_wild ? NAN : is_nothing ? 0.0f : max / ACTIVATION_MAX * (float) (256 * high + low);
    }
}

/* x as the product takes it. */
static AssayStatus
matmul_make_ready (AssayBackend *b, const MatmulPlan *plan, const void **ready, const float *x,
                   void *workspace)
{
  const size_t n = plan->n_tokens * plan->w.n;
  const cudaStream_t stream = cuda_backend (b)->compute_stream;
  *ready = plan->x_bytes > 0 ? workspace : x;
  if (plan->x_bytes == 0)
    return ASSAY_OK;
  if (plan->rounds_to_codes)
    ASSAY_LAUNCH (matmul_to_codes_kernel, cuda_blocks (n, CUDA_BLOCK), CUDA_BLOCK, 0, stream,
                  (float *) workspace, x, n);
  else
    ASSAY_LAUNCH (matmul_to_half_kernel, cuda_blocks (n, CUDA_BLOCK), CUDA_BLOCK, 0, stream, workspace, x, n,
                  plan->product == ASSAY_DTYPE_F16);
  return cuda_launched (b, "matmul");
}

/* --- few tokens --- */

static AssayStatus
matmul_few (AssayBackend *b, const MatmulPlan *plan, float *y, const float *x, const float *bias,
            void *workspace)
{
  const void *ready = x;
  if (plan->rounds_to_codes)
    CUDA_TRY (matmul_make_ready (b, plan, &ready, x, workspace));
  CudaMatvec m = {};
  m.y = y;
  m.w = plan->w;
  m.x = (const float *) ready;
  m.bias = bias;
  m.n_tokens = plan->n_tokens;
  m.form = plan->product;
  m.x_aligned = (uintptr_t) ready % 16 == 0 && plan->w.n % 4 == 0;
  const cudaStream_t stream = cuda_backend (b)->compute_stream;
  if (!cuda_matvec_plain (&m, stream) && !cuda_matvec_blocks (&m, stream)
      && !cuda_matvec_codebooks (&m, stream))
    return cuda_fault (b, ASSAY_UNSUPPORTED, "no product with weights of format number %u",
                       (unsigned) plan->w.dtype);
  return cuda_launched (b, "matmul");
}

/* --- many tokens --- */

/* bias NULL: zeros */
static __global__ void
matmul_fill_kernel (float *y, const float *bias, size_t n_rows, size_t n)
{
  const size_t stride = (size_t) gridDim.x * blockDim.x;
  for (size_t i = (size_t) blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    y[i] = bias != NULL ? bias[i % n_rows] : 0.0f;
}

static AssayStatus
matmul_fill (AssayBackend *b, const MatmulPlan *plan, float *y, const float *bias)
{
  const size_t n = plan->n_tokens * plan->w.n_rows;
  ASSAY_LAUNCH (matmul_fill_kernel, cuda_blocks (n, CUDA_BLOCK), CUDA_BLOCK, 0,
                cuda_backend (b)->compute_stream, y, bias, plan->w.n_rows, n);
  return cuda_launched (b, "matmul");
}

/* cuBLAS counts columns first, where these rows are columns: y^T = w x^T. */
static AssayStatus
matmul_blas (AssayBackend *b, const MatmulPlan *plan, float *y, const void *rows, size_t n_rows,
             const void *x, bool add)
{
  const CudaBackend *self = cuda_backend (b);
  const float one = 1.0f, before = add ? 1.0f : 0.0f;
  const int n = (int) plan->w.n;
  const cudaDataType_t type = plan->product == ASSAY_DTYPE_F16    ? CUDA_R_16F
                              : plan->product == ASSAY_DTYPE_BF16 ? CUDA_R_16BF
                                                                  : CUDA_R_32F;
  const cublasComputeType_t compute
    = type == CUDA_R_32F && self->tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
  return cuda_check_blas (b,
                          cublasGemmEx (self->blas, CUBLAS_OP_T, CUBLAS_OP_N, (int) n_rows,
                                        (int) plan->n_tokens, n, &one, rows, type, n, x, type, n, &before, y,
                                        CUDA_R_32F, (int) plan->w.n_rows, compute, CUBLAS_GEMM_DEFAULT),
                          "matmul");
}

static AssayStatus
matmul_many (AssayBackend *b, const MatmulPlan *plan, float *y, const float *x, const float *bias,
             void *workspace)
{
  void *tile = (uint8_t *) workspace + plan->x_bytes;
  const void *ready;
  CUDA_TRY (matmul_make_ready (b, plan, &ready, x, workspace));
  if (bias != NULL)
    CUDA_TRY (matmul_fill (b, plan, y, bias));
  for (size_t first = 0, n_rows; first < plan->w.n_rows; first += n_rows)
    {
      n_rows = cuda_min (plan->w.n_rows - first, plan->tile_rows);
      if (!plan->direct)
        CUDA_TRY (cuda_weight_read (b, tile, plan->product, &plan->w, first, n_rows));
      CUDA_TRY (
        matmul_blas (b, plan, y + first, plan->direct ? plan->w.data : tile, n_rows, ready, bias != NULL));
    }
  return ASSAY_OK;
}

static AssayStatus
matmul_check (AssayBackend *b, const MatmulPlan *plan)
{
  if (plan->w.dtype == ASSAY_DTYPE_INT8 && plan->w.n > MAX_INT8_COLUMNS)
    return cuda_fault (b, ASSAY_UNSUPPORTED, "int8 products of rows of %zu elements can exceed 32 bits",
                       plan->w.n);
  if (plan->w.n > MAX_DIMENSION || plan->w.n_rows > MAX_DIMENSION || plan->n_tokens > MAX_DIMENSION)
    return cuda_fault (b, ASSAY_UNSUPPORTED, "a product of %zu by %zu by %zu is too large for cuBLAS",
                       plan->n_tokens, plan->w.n_rows, plan->w.n);
  if (plan->direct
      && ((uintptr_t) plan->w.data % plan->element_bytes != 0
          || plan->w.row_bytes != plan->w.n * plan->element_bytes))
    return cuda_fault (b, ASSAY_UNSUPPORTED,
                       "rows of a dense weight must lie one behind the other, whole elements");
  return ASSAY_OK;
}

AssayStatus
cuda_matmul (AssayBackend *b, float *y, const AssayTensor *w, const float *x, size_t n_tokens,
             const float *bias, void *workspace)
{
  MatmulPlan plan;
  CUDA_TRY (cuda_enter (b));
  CUDA_TRY (matmul_plan (b, &plan, w, n_tokens));
  CUDA_TRY (matmul_check (b, &plan));
  if (n_tokens == 0 || plan.w.n_rows == 0)
    return ASSAY_OK;
  if (plan.w.n == 0)
    return matmul_fill (b, &plan, y, bias);
  if (plan.vectorwise)
    return cuda_vectorwise (b, y, &plan.w, x, plan.product, n_tokens, bias, workspace);
  if (n_tokens <= CUDA_MATVEC_TOKENS && plan.w.aligned)
    return matmul_few (b, &plan, y, x, bias, workspace);
  return matmul_many (b, &plan, y, x, bias, workspace);
}
