/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cuda/vectorwise.cu: LLM.int8(): products of weights whose rows and of activations whose tokens are
 * 8-bit codes with one scale each, but for columns where any token has an outlier; see
 * kernels/cpu/matmul-vectorwise.c. How many outliers there are stays on the device: the host need not wait.
 */
#include "device.cuh"
#include "matvec.cuh"

#define TOKENS 8u /* that meet a row at a time */
#define WARPS 4u
#define FLAGS_AHEAD 16u /* read before the first is used: one way to memory for all */

typedef struct
{
  const float *x; /* [n_tokens, n] */
  size_t n, stride, n_tokens;
  int8_t *codes;       /* [n_tokens, stride] */
  float *scales;       /* [n_tokens] */
  uint8_t *is_outlier; /* [n] */
  uint32_t *outliers;  /* [n], ascending */
  uint32_t *n_outliers;
  AssayDtype form;
  uint32_t words; /* that weights are read by: 4 or 1, where rows are whole aligned ones; 0: bytes */
} Vectorwise;

static size_t
vectorwise_place (Vectorwise *v, uint8_t *workspace)
{
  const size_t scales = cuda_round_up (v->n_tokens * v->stride, 256);
  const size_t flags = scales + cuda_round_up (v->n_tokens * sizeof *v->scales, 256);
  const size_t outliers = flags + cuda_round_up (v->n, 256);
  const size_t count = outliers + cuda_round_up (v->n * sizeof *v->outliers, 256);
  if (workspace != NULL)
    {
      v->codes = (int8_t *) workspace;
      v->scales = (float *) (workspace + scales);
      v->is_outlier = workspace + flags;
      v->outliers = (uint32_t *) (workspace + outliers);
      v->n_outliers = (uint32_t *) (workspace + count);
    }
  return count + 256;
}

static Vectorwise
vectorwise_new (const CudaWeight *w, size_t n_tokens)
{
  Vectorwise v = {};
  v.n = w->n;
  v.n_tokens = n_tokens;
  v.stride = cuda_round_up (w->n, 64);
  return v;
}

size_t
cuda_vectorwise_bytes (const CudaWeight *w, size_t n_tokens)
{
  Vectorwise v = vectorwise_new (w, n_tokens);
  return vectorwise_place (&v, NULL);
}

static __global__ void
vectorwise_flag_kernel (Vectorwise v)
{
  const size_t stride = (size_t) gridDim.x * blockDim.x;
  for (size_t i = (size_t) blockIdx.x * blockDim.x + threadIdx.x; i < v.n; i += stride)
    {
      bool is_outlier = false;
      for (size_t t = 0; t < v.n_tokens; t++)
        is_outlier |= fabsf (matvec_round (v.x[t * v.n + i], v.form)) >= INT8_OUTLIER_LIMIT;
      v.is_outlier[i] = is_outlier;
    }
}

/* One warp: the outliers in order. */
static __global__ void
vectorwise_list_kernel (Vectorwise v)
{
  const unsigned lane = threadIdx.x;
  uint32_t count = 0;
  for (size_t from = lane; from < v.n + lane; from += CUDA_WARP * FLAGS_AHEAD)
    {
      bool mine[FLAGS_AHEAD];
      for (unsigned k = 0; k < FLAGS_AHEAD; k++)
        mine[k] = from + k * CUDA_WARP < v.n && v.is_outlier[from + k * CUDA_WARP];
      for (unsigned k = 0; k < FLAGS_AHEAD; k++)
        {
          const unsigned all = __ballot_sync (CUDA_ALL_LANES, mine[k]);
          if (mine[k])
            v.outliers[count + (uint32_t) __popc (all & ((1u << lane) - 1))] = (uint32_t) (from + k * CUDA_WARP);
          count += (uint32_t) __popc (all);
        }
    }
  if (lane == 0)
    *v.n_outliers = count;
}

/* A block for each token. A NaN is greater than any magnitude, and makes the scale one. */
static __global__ void
vectorwise_quantize_kernel (Vectorwise v)
{
  __shared__ uint32_t greatest;
  for (size_t t = blockIdx.x; t < v.n_tokens; t += gridDim.x)
    {
      uint32_t most = 0;
      __syncthreads ();
      if (threadIdx.x == 0)
        greatest = 0;
      __syncthreads ();
      for (size_t i = threadIdx.x; i < v.n; i += blockDim.x)
        {
          const float magnitude = fabsf (round_to_half (matvec_round (v.x[t * v.n + i], v.form)));
          const uint32_t bits = magnitude >= ASSAY_INT8_THRESHOLD ? 0 : __float_as_uint (magnitude);
          most = bits > most ? bits : most;
        }
      atomicMax (&greatest, most);
      __syncthreads ();
      const float max = __uint_as_float (greatest), inverse = max > 0 ? 127.0f / max : 0.0f;
      if (threadIdx.x == 0)
        v.scales[t] = max;
      for (size_t i = threadIdx.x; i < v.stride; i += blockDim.x)
        {
          const float x = i < v.n ? round_to_half (matvec_round (v.x[t * v.n + i], v.form)) : 0.0f;
          const bool is_coded
            = i < v.n && inverse > 0 && fabsf (x) < ASSAY_INT8_THRESHOLD && !v.is_outlier[i];
          v.codes[t * v.stride + i] = is_coded ? (int8_t) rintf (x * inverse) : 0;
        }
    }
}

static __device__ inline int
vectorwise_dot_16 (uint4 a, uint4 b, int sum)
{
  sum = __dp4a ((int) a.y, (int) b.y, __dp4a ((int) a.x, (int) b.x, sum));
  return __dp4a ((int) a.w, (int) b.w, __dp4a ((int) a.z, (int) b.z, sum));
}

/* A lane's share of a row's integer products with up to TOKENS tokens. */
static __device__ void
vectorwise_dot (int sums[TOKENS], const Vectorwise &v, const uint8_t *row, size_t first, unsigned n_tokens)
{
  const unsigned lane = threadIdx.x % CUDA_WARP;
  const int8_t *codes = v.codes + first * v.stride;
  if (v.words == 4)
    for (size_t i = lane; i < v.n / 16; i += CUDA_WARP)
      {
        const uint4 weights = reinterpret_cast<const uint4 *> (row)[i];
        for (unsigned t = 0; t < TOKENS; t++)
          if (t < n_tokens)
            sums[t] = vectorwise_dot_16 (weights, reinterpret_cast<const uint4 *> (codes + t * v.stride)[i], sums[t]);
      }
  else if (v.words == 1)
    for (size_t i = lane; i < v.n / 4; i += CUDA_WARP)
      {
        const int weights = reinterpret_cast<const int *> (row)[i];
        for (unsigned t = 0; t < TOKENS; t++)
          if (t < n_tokens)
            sums[t] = __dp4a (weights, reinterpret_cast<const int *> (codes + t * v.stride)[i], sums[t]);
      }
  else
    for (size_t i = lane; i < v.n; i += CUDA_WARP)
      for (unsigned t = 0; t < TOKENS; t++)
        if (t < n_tokens)
          sums[t] += (int8_t) row[i] * codes[t * v.stride + i];
}

/* What every `step`th outlier from `first` on adds for one token. */
static __device__ float
vectorwise_outliers (const Vectorwise &v, const uint8_t *row, float scale, size_t t, unsigned first,
                     unsigned step)
{
  const uint32_t n_outliers = *v.n_outliers;
  float sum = 0;
  for (uint32_t k = first; k < n_outliers; k += step)
    {
      const uint32_t i = v.outliers[k];
      const float weight = matvec_round ((float) (int8_t) row[i] * scale * INT8_UNIT, v.form);
      sum += weight * matvec_round (v.x[t * v.n + i], v.form);
    }
  return sum;
}

/* An integer sum as the result's, but for outliers. */
static __device__ inline float
vectorwise_value (const Vectorwise &v, int sum, size_t t, float scale, float bias)
{
  return matvec_round ((float) sum * (v.scales[t] * scale) * INT8_UNIT_SQUARED + bias, v.form);
}

/* A warp for each row, a line of blocks for each TOKENS tokens. */
static __global__ void
vectorwise_product_kernel (float *y, CudaWeight w, Vectorwise v, const float *bias)
{
  const size_t first = (size_t) blockIdx.y * TOKENS;
  const unsigned n_tokens = (unsigned) (v.n_tokens - first < TOKENS ? v.n_tokens - first : TOKENS);
  const unsigned warp = threadIdx.x / CUDA_WARP, lane = threadIdx.x % CUDA_WARP;
  const uint32_t n_outliers = *v.n_outliers;
  for (size_t r = (size_t) blockIdx.x * WARPS + warp; r < w.n_rows; r += (size_t) gridDim.x * WARPS)
    {
      const uint8_t *row = w.data + r * w.n;
      int sums[TOKENS] = {};
      vectorwise_dot (sums, v, row, first, n_tokens);
      for (unsigned t = 0; t < TOKENS; t++)
        {
          if (t >= n_tokens)
            break;
          const float scale = w.scale[r], rest = bias != NULL ? bias[r] : 0.0f;
          float value = vectorwise_value (v, warp_sum_int (sums[t]), first + t, scale, rest);
          if (n_outliers > 0)
            value = matvec_round (
              value + warp_sum (vectorwise_outliers (v, row, scale, first + t, lane, CUDA_WARP)), v.form);
          if (lane == 0)
            y[(first + t) * w.n_rows + r] = value;
        }
    }
}

/* y holds cuBLAS's integer sums, and gets the results in their place. */
static __global__ void
vectorwise_finish_kernel (float *y, CudaWeight w, Vectorwise v, const float *bias)
{
  const size_t stride = (size_t) gridDim.x * blockDim.x;
  const uint32_t n_outliers = *v.n_outliers;
  for (size_t i = (size_t) blockIdx.x * blockDim.x + threadIdx.x; i < v.n_tokens * w.n_rows; i += stride)
    {
      const size_t t = i / w.n_rows, r = i % w.n_rows;
      const float scale = w.scale[r], rest = bias != NULL ? bias[r] : 0.0f;
      float value = vectorwise_value (v, __float_as_int (y[i]), t, scale, rest);
      if (n_outliers > 0)
        value = matvec_round (value + vectorwise_outliers (v, w.data + r * w.n, scale, t, 0, 1), v.form);
      y[i] = value;
    }
}

/* Of any shape. */
static AssayStatus
vectorwise_few (AssayBackend *b, float *y, const CudaWeight *w, const Vectorwise *v, const float *bias)
{
  const size_t token_blocks = (v->n_tokens + TOKENS - 1) / TOKENS;
  if (token_blocks > 65535)
    return cuda_fault (b, ASSAY_UNSUPPORTED, "%zu tokens at a time are too many for an int8 product",
                       v->n_tokens);
  ASSAY_LAUNCH (vectorwise_product_kernel, dim3 (cuda_blocks (w->n_rows, WARPS), (unsigned) token_blocks),
                WARPS * CUDA_WARP, 0, cuda_backend (b)->compute_stream, y, *w, *v, bias);
  return cuda_launched (b, "matmul");
}

/* On tensor cores, where cuBLAS knows the shape: rows and columns by fours are what it asks for. */
static AssayStatus
vectorwise_many (AssayBackend *b, float *y, const CudaWeight *w, const Vectorwise *v, const float *bias)
{
  const CudaBackend *self = cuda_backend (b);
  const int32_t one = 1, zero = 0;
  const cublasStatus_t status
    = cublasGemmEx (self->blas, CUBLAS_OP_T, CUBLAS_OP_N, (int) w->n_rows, (int) v->n_tokens, (int) w->n,
                    &one, w->data, CUDA_R_8I, (int) w->n, v->codes, CUDA_R_8I, (int) v->stride, &zero, y,
                    CUDA_R_32I, (int) w->n_rows, CUBLAS_COMPUTE_32I, CUBLAS_GEMM_DEFAULT);
  if (status == CUBLAS_STATUS_NOT_SUPPORTED)
    return vectorwise_few (b, y, w, v, bias);
  CUDA_TRY (cuda_check_blas (b, status, "matmul"));
  ASSAY_LAUNCH (vectorwise_finish_kernel, cuda_blocks (v->n_tokens * w->n_rows, CUDA_BLOCK), CUDA_BLOCK, 0,
                self->compute_stream, y, *w, *v, bias);
  return cuda_launched (b, "matmul");
}

AssayStatus
cuda_vectorwise (AssayBackend *b, float *y, const CudaWeight *w, const float *x, AssayDtype form,
                 size_t n_tokens, const float *bias, void *workspace)
{
  const cudaStream_t stream = cuda_backend (b)->compute_stream;
  Vectorwise v = vectorwise_new (w, n_tokens);
  v.x = x;
  v.form = form;
  const size_t places = w->n | (size_t) (uintptr_t) w->data;
  v.words = places % 16 == 0 ? 4 : places % 4 == 0 ? 1 : 0;
  vectorwise_place (&v, (uint8_t *) workspace);
  ASSAY_LAUNCH (vectorwise_flag_kernel, cuda_blocks (w->n, CUDA_BLOCK), CUDA_BLOCK, 0, stream, v);
  ASSAY_LAUNCH (vectorwise_list_kernel, 1, CUDA_WARP, 0, stream, v);
  ASSAY_LAUNCH (vectorwise_quantize_kernel, cuda_blocks (n_tokens, 1), CUDA_BLOCK, 0, stream, v);
  CUDA_TRY (cuda_launched (b, "matmul"));
  return v.words > 0 && w->n_rows % 4 == 0 && n_tokens > TOKENS ? vectorwise_many (b, y, w, &v, bias)
                                                                : vectorwise_few (b, y, w, &v, bias);
}
