/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cuda/matvec.cuh: the product of decoding, where reading the weights is what takes the time.
 *
 * A block has one or two rows; its threads take turns at their pieces of eight, and each piece, once unpacked,
 * meets all tokens. Two rows share what is read of x. */
#pragma once

#include "decode.cuh"

#define MATVEC_THREADS 128u

static __device__ inline float
matvec_round (float x, AssayDtype form)
{
  return form == ASSAY_DTYPE_F16 ? round_to_half (x) : form == ASSAY_DTYPE_BF16 ? round_to_bfloat (x) : x;
}

/* The device rounds two at a time as fast as one, and to bfloat16 four times as fast. */
static __device__ inline void
matvec_round_pair (float *a, float *b, AssayDtype form)
{
  const float2 pair = form == ASSAY_DTYPE_F16 ? __half22float2 (__floats2half2_rn (*a, *b))
                                              : __bfloat1622float2 (__floats2bfloat162_rn (*a, *b));
  *a = pair.x;
  *b = pair.y;
}

static __device__ inline void
matvec_load (float out[PIECE], const float *x, unsigned count, const CudaMatvec &m)
{
  if (m.x_aligned && count == PIECE)
    {
      const float4 a = reinterpret_cast<const float4 *> (x)[0], b = reinterpret_cast<const float4 *> (x)[1];
      out[0] = a.x, out[1] = a.y, out[2] = a.z, out[3] = a.w;
      out[4] = b.x, out[5] = b.y, out[6] = b.z, out[7] = b.w;
    }
  else
    for (unsigned i = 0; i < PIECE; i++)
      out[i] = i < count ? x[i] : 0.0f;
  if (m.form != ASSAY_DTYPE_F32)
    for (unsigned i = 0; i < PIECE; i += 2)
      matvec_round_pair (&out[i], &out[i + 1], m.form);
}

/* One token's product with a piece; sum: of x, where there is a minimum. */
template <AssayDtype format>
static __device__ inline float
matvec_dot (const Piece *p, const float x[PIECE], float sum)
{
  float dot = 0;
  for (unsigned i = 0; i < PIECE; i++)
    dot += p->code[i] * x[i];
  return format_has_min<format> ? dot * p->scale + sum * p->min : dot * p->scale;
}

/* This thread's share of rows [first, first + rows). */
template <AssayDtype format, unsigned tokens, unsigned rows>
static __device__ inline void
matvec_sum (float sums[rows][tokens], const CudaMatvec &m, size_t first, const float *values)
{
  const size_t pieces = (m.w.n + PIECE - 1) / PIECE;
  for (size_t k = threadIdx.x; k < pieces; k += blockDim.x)
    {
      const size_t from = k * PIECE;
      const unsigned count = (unsigned) (m.w.n - from < PIECE ? m.w.n - from : PIECE);
      Piece piece[rows];
      float x[PIECE];
      for (unsigned r = 0; r < rows; r++)
        decode_piece<format, true> (&piece[r], m.w, first + r < m.w.n_rows ? first + r : first, from, count,
                                    values);
      for (unsigned t = 0; t < tokens; t++)
        if (tokens == 1 || t < m.n_tokens)
          {
            float sum = 0;
            matvec_load (x, m.x + t * m.w.n + from, count, m);
            if (format_has_min<format>)
              for (unsigned i = 0; i < PIECE; i++)
                sum += x[i];
            for (unsigned r = 0; r < rows; r++)
              sums[r][t] += matvec_dot<format> (&piece[r], x, sum);
          }
    }
}

template <AssayDtype format, unsigned tokens, unsigned rows>
static __global__ void
matvec_kernel (CudaMatvec m)
{
  __shared__ float partial[MATVEC_THREADS / CUDA_WARP][rows * tokens];
  __shared__ float values[16]; /* looked up eight times a piece: nearer than the table */
  const unsigned warp = threadIdx.x / CUDA_WARP, lane = threadIdx.x % CUDA_WARP;
  if constexpr (format_has_values<format>)
    {
      if (threadIdx.x < 16)
        values[threadIdx.x] = format_values<format> ()[threadIdx.x];
      __syncthreads ();
    }
  for (size_t first = (size_t) blockIdx.x * rows; first < m.w.n_rows; first += (size_t) gridDim.x * rows)
    {
      float sums[rows][tokens] = {};
      matvec_sum<format, tokens, rows> (sums, m, first, values);
      for (unsigned k = 0; k < rows * tokens; k++)
        {
          const float sum = warp_sum (sums[k / tokens][k % tokens]);
          if (lane == 0)
            partial[warp][k] = sum;
        }
      __syncthreads ();
      const size_t row = first + threadIdx.x / tokens, t = threadIdx.x % tokens;
      if (threadIdx.x < rows * tokens && row < m.w.n_rows && t < m.n_tokens)
        {
          float sum = partial[0][threadIdx.x];
          for (unsigned k = 1; k < blockDim.x / CUDA_WARP; k++)
            sum += partial[k][threadIdx.x];
          m.y[t * m.w.n_rows + row] = sum + (m.bias != NULL ? m.bias[row] : 0.0f);
        }
      __syncthreads ();
    }
}

/* Short rows leave no work to a second warp. */
static inline unsigned
matvec_threads (const CudaMatvec *m)
{
  const size_t pieces = (m->w.n + PIECE - 1) / PIECE;
  return pieces >= MATVEC_THREADS ? MATVEC_THREADS
                                  : (unsigned) cuda_round_up (pieces > 0 ? pieces : 1, CUDA_WARP);
}

template <AssayDtype format>
static void
matvec_launch (const CudaMatvec *m, cudaStream_t stream)
{
  if (m->n_tokens == 1)
    ASSAY_LAUNCH ((matvec_kernel<format, 1, 2>), cuda_blocks (m->w.n_rows, 2), matvec_threads (m), 0, stream, *m);
  else
    ASSAY_LAUNCH ((matvec_kernel<format, CUDA_MATVEC_TOKENS, 1>), cuda_blocks (m->w.n_rows, 1), matvec_threads (m), 0,
                  stream, *m);
}

/* The body of cuda_matvec_plain() and its kin. */
#define MATVEC_CASE(name)                                  \
  case ASSAY_DTYPE_##name:                                 \
    matvec_launch<ASSAY_DTYPE_##name> (m, stream);         \
    return true;
#define MATVEC_FUNCTION(function, FORMATS)                 \
  bool function (const CudaMatvec *m, cudaStream_t stream) \
  {                                                        \
    switch ((int) m->w.dtype)                              \
      {                                                    \
        FORMATS (MATVEC_CASE)                              \
      default:                                             \
        return false;                                      \
      }                                                    \
  }
