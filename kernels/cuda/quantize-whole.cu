/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cuda/quantize-whole.cu: float32 to bitsandbytes' NF4, FP4 and INT8. Built without fused products.
 */
#include "device.cuh"
#include "quantize.h"
#include "shared/encode-whole.h"

typedef struct
{
  uint8_t *codes; /* of the first element */
  float *absmax;  /* of its block */
  const float *x;
  size_t n;
  bool is_nf4;
} BlockJob;

static __device__ inline uint8_t
quantize_4bit_code (float scaled, const uint8_t *order, const float borders[15])
{
  unsigned place = 0;
  for (unsigned k = 0; k < 15; k++)
    place += scaled > borders[k];
  return order[place];
}

/* A warp for each block, a lane for each byte: two numbers. */
static __global__ void
quantize_blocks_kernel (BlockJob job)
{
  const size_t blocks = (job.n + ASSAY_WHOLE_BLOCK - 1) / ASSAY_WHOLE_BLOCK;
  const size_t warps = (size_t) gridDim.x * blockDim.x / CUDA_WARP;
  const unsigned at = threadIdx.x % CUDA_WARP * 2;
  float borders[15];
  const uint8_t *order = whole_borders (job.is_nf4, borders);
  for (size_t i = ((size_t) blockIdx.x * blockDim.x + threadIdx.x) / CUDA_WARP; i < blocks; i += warps)
    {
      const size_t from = i * ASSAY_WHOLE_BLOCK, rest = job.n - from;
      const bool is_short = rest < ASSAY_WHOLE_BLOCK;
      const float a = at < rest ? job.x[from + at] : 0.0f, b = at + 1 < rest ? job.x[from + at + 1] : 0.0f;
      const float max = warp_max (fmaxf (fabsf (a), fabsf (b)));
      const float divisor = max < WHOLE_MAGNITUDE_MIN ? WHOLE_MAGNITUDE_MIN : max;
      const uint8_t high = quantize_4bit_code (whole_scale (a, divisor, is_short), order, borders);
      const uint8_t low = quantize_4bit_code (whole_scale (b, divisor, is_short), order, borders);
      if (at < rest)
        job.codes[(from + at) / 2] = (uint8_t) (high << 4 | low);
      if (at == 0)
        job.absmax[i] = is_short ? divisor : max;
    }
}

/* A block for each row. codes and scales: of the first row. */
static __global__ void
quantize_int8_kernel (uint8_t *codes, float *scales, const float *x, size_t n, size_t n_rows)
{
  __shared__ float partial[CUDA_WARP];
  for (size_t row = blockIdx.x; row < n_rows; row += gridDim.x)
    {
      float max = 0;
      for (size_t i = threadIdx.x; i < n; i += blockDim.x)
        max = fmaxf (max, fabsf (x[row * n + i]));
      const float scale = whole_int8_scale (block_max (max, partial));
      for (size_t i = threadIdx.x; i < n; i += blockDim.x)
        codes[row * n + i] = whole_int8_code (x[row * n + i], scale);
      if (threadIdx.x == 0)
        scales[row] = scale;
    }
}

AssayStatus
cuda_quantize_whole (AssayBackend *b, const AssayTensor *w, const float *x, size_t first, size_t n_rows,
                     float *absmax)
{
  const cudaStream_t stream = cuda_backend (b)->compute_stream;
  const size_t n = (size_t) w->shape[0], from = first * n;
  uint8_t *data = (uint8_t *) w->data;
  AssayWholeLayout layout;
  if (!assay_whole_layout (w->dtype, w->shape[0], (int64_t) cuda_n_rows (w), &layout))
    return cuda_fault (b, ASSAY_UNSUPPORTED, "the matrix is too large");
  if (w->dtype == ASSAY_DTYPE_INT8)
    ASSAY_LAUNCH (quantize_int8_kernel, cuda_blocks (n_rows, 1), CUDA_BLOCK, 0, stream, data + from,
                  (float *) (data + layout.scale) + first, x, n, n_rows);
  else
    {
      BlockJob job = {};
      job.codes = data + from / 2;
      job.absmax = (assay_whole_is_double (w->dtype) ? absmax : (float *) (data + layout.absmax))
                   + from / ASSAY_WHOLE_BLOCK;
      job.x = x;
      job.n = n_rows * n;
      job.is_nf4 = w->dtype == ASSAY_DTYPE_NF4 || w->dtype == ASSAY_DTYPE_NF4_DOUBLE;
      ASSAY_LAUNCH (quantize_blocks_kernel, cuda_blocks (job.n, 2 * CUDA_BLOCK), CUDA_BLOCK, 0, stream, job);
    }
  return cuda_launched (b, "quantize");
}

/* --- statistics --- */

#define SUM_LANES 8u
#define SUM_ROWS 4u

/* One of the chains that torch.sum() adds up side by side: steps of SUM_ROWS vectors of `lanes` numbers. */
static __device__ float
statistics_chain (const float *x, size_t count, unsigned lanes, unsigned row, unsigned lane)
{
  float level[WHOLE_SUM_LEVELS] = {};
  const uint32_t power = whole_sum_level_power (count);
  const size_t mask = ((size_t) 1 << power) - 1;
  for (size_t i = 0; i < count;)
    {
      level[0] += x[(i * SUM_ROWS + row) * lanes + lane];
      i++;
      for (uint32_t j = 1; j < WHOLE_SUM_LEVELS && (i >> ((j - 1) * power) & mask) == 0; j++)
        {
          level[j] += level[j - 1];
          level[j - 1] = 0;
        }
    }
  for (uint32_t j = 1; j < WHOLE_SUM_LEVELS; j++)
    level[0] += level[j];
  return level[0];
}

/* One warp: the mean of absmax, summed in the order of torch.sum(), see kernels/cpu/quantize-whole.c. */
static __global__ void
statistics_offset_kernel (float *offset, const float *x, size_t n)
{
  __shared__ float sums[SUM_ROWS][SUM_LANES];
  const unsigned lanes = n < SUM_LANES ? 1 : SUM_LANES, row = threadIdx.x / SUM_LANES,
                 lane = threadIdx.x % SUM_LANES;
  const size_t n_vectors = n / lanes, n_steps = n_vectors / SUM_ROWS;
  sums[row][lane] = lane < lanes ? statistics_chain (x, n_steps, lanes, row, lane) : 0.0f;
  __syncthreads ();
  if (threadIdx.x > 0)
    return;
  float sum = 0;
  for (size_t v = n_steps * SUM_ROWS; v < n_vectors; v++)
    for (unsigned k = 0; k < lanes; k++)
      sums[0][k] += x[v * lanes + k];
  for (unsigned r = 1; r < SUM_ROWS; r++)
    for (unsigned k = 0; k < lanes; k++)
      sums[0][k] += sums[r][k];
  for (size_t i = n_vectors * lanes; i < n; i++)
    sum += x[i];
  for (unsigned k = 0; k < lanes; k++)
    sum += sums[0][k];
  *offset = sum / (float) n;
}

/* A block for each nested block, a thread for each code. */
static __global__ void
statistics_encode_kernel (uint8_t *codes, float *nested, const float *offset, const float *absmax, size_t n)
{
  __shared__ float partial[CUDA_WARP];
  for (size_t from = (size_t) blockIdx.x * ASSAY_WHOLE_NESTED; from < n;
       from += (size_t) gridDim.x * ASSAY_WHOLE_NESTED)
    {
      const size_t i = from + threadIdx.x;
      const float rest = i < n ? absmax[i] - *offset : 0.0f, max = block_max (fabsf (rest), partial);
      if (i < n)
        codes[i] = whole_statistics_code (rest, max);
      if (threadIdx.x == 0)
        nested[from / ASSAY_WHOLE_NESTED] = max;
    }
}

AssayStatus
cuda_quantize_finish (AssayBackend *b, const AssayTensor *w, void *scratch)
{
  const cudaStream_t stream = cuda_backend (b)->compute_stream;
  uint8_t *data = (uint8_t *) w->data;
  AssayWholeLayout layout;
  CUDA_TRY (cuda_enter (b));
  if (!assay_whole_is_double (w->dtype)
      || !assay_whole_layout (w->dtype, w->shape[0], (int64_t) cuda_n_rows (w), &layout)
      || layout.n_blocks == 0)
    return ASSAY_OK;
  float *offset = (float *) (data + layout.offset);
  const float *absmax = (const float *) scratch;
  ASSAY_LAUNCH (statistics_offset_kernel, 1, SUM_ROWS * SUM_LANES, 0, stream, offset, absmax,
                layout.n_blocks);
  ASSAY_LAUNCH (statistics_encode_kernel, cuda_blocks (layout.n_nested, 1), ASSAY_WHOLE_NESTED, 0, stream,
                data + layout.absmax, (float *) (data + layout.nested), offset, absmax, layout.n_blocks);
  return cuda_launched (b, "quantize");
}

size_t
cuda_quantize_scratch (AssayBackend *b, const AssayTensor *w)
{
  AssayWholeLayout layout;
  (void) b;
  if (!assay_whole_is_double (w->dtype)
      || !assay_whole_layout (w->dtype, w->shape[0], (int64_t) cuda_n_rows (w), &layout))
    return 0;
  return layout.n_blocks * sizeof (float);
}
