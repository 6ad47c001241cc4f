/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cuda/rows.cu: rows of a weight read as floats (embed, dequantize, and the tiles of long products).
 *
 * One kernel asks for the format as it goes, since memory is what takes the time; built without fused products, so
 * that rows are those of the CPU bit for bit. */
#include "decode.cuh"

#define IDS_PER_LAUNCH 128u

/* Which rows a launch reads: a range, or ids that travel with the launch, so that no copy can be too late. */
typedef struct
{
  size_t first, by_id;
  size_t ids[IDS_PER_LAUNCH];
} RowChoice;

template <bool aligned>
static __device__ void
rows_decode (Piece *p, const CudaWeight &w, size_t row, size_t from, unsigned count)
{
  switch (w.dtype)
    {
#define DECODE(name)                                                        \
  case ASSAY_DTYPE_##name:                                                  \
    decode_piece<ASSAY_DTYPE_##name, aligned> (p, w, row, from, count);     \
    break;
      ASSAY_CUDA_FORMATS (DECODE)
#undef DECODE
    default:
      break;
    }
}

static __device__ inline void
rows_put (float *y, float value)
{
  *y = value;
}

static __device__ inline void
rows_put (__half *y, float value)
{
  *y = __float2half_rn (value);
}

static __device__ inline void
rows_put (__nv_bfloat16 *y, float value)
{
  *y = __float2bfloat16_rn (value);
}

static __device__ inline float
rows_value (const Piece &piece, unsigned k, float scale)
{
  const float value = piece.code[k] * piece.scale + piece.min;
  return scale == 1.0f ? value : value * scale;
}

/* By 16 bytes where they can be: a thread's piece is no neighbour's, so that single numbers would each be a way to
 * memory. */
template <typename Float>
static __device__ inline void
rows_store (Float *y, const Float piece[PIECE], unsigned count)
{
  constexpr unsigned n_words = PIECE * sizeof (Float) / sizeof (uint4);
  if (count == PIECE && reinterpret_cast<uintptr_t> (y) % sizeof (uint4) == 0)
    {
      uint4 words[n_words];
      memcpy (words, piece, sizeof words);
      for (unsigned k = 0; k < n_words; k++)
        reinterpret_cast<uint4 *> (y)[k] = words[k];
    }
  else
    for (unsigned k = 0; k < PIECE; k++)
      if (k < count)
        y[k] = piece[k];
}

/* y [n_rows, n] = scale * the rows chosen; a thread for each piece. aligned: the weight is. */
template <typename Float, bool aligned>
static __global__ void
rows_kernel (Float *y, CudaWeight w, RowChoice rows, size_t n_rows, float scale)
{
  const size_t pieces = (w.n + PIECE - 1) / PIECE, stride = (size_t) gridDim.x * blockDim.x;
  for (size_t i = (size_t) blockIdx.x * blockDim.x + threadIdx.x; i < n_rows * pieces; i += stride)
    {
      const size_t row = i / pieces, from = i % pieces * PIECE;
      const unsigned count = (unsigned) (w.n - from < PIECE ? w.n - from : PIECE);
      Piece piece;
      Float values[PIECE];
      rows_decode<aligned> (&piece, w, rows.by_id ? rows.ids[row] : rows.first + row, from, count);
      for (unsigned k = 0; k < PIECE; k++)
        rows_put (&values[k], rows_value (piece, k, scale));
      rows_store (&y[row * w.n + from], values, count);
    }
}

template <typename Float>
static AssayStatus
rows_launch (AssayBackend *b, Float *y, const CudaWeight *w, const RowChoice &rows, size_t n_rows, float scale,
             const char *operation)
{
  const size_t pieces = n_rows * ((w->n + PIECE - 1) / PIECE);
  if (pieces == 0)
    return ASSAY_OK;
  const cudaStream_t stream = cuda_backend (b)->compute_stream;
  const unsigned blocks = cuda_blocks (pieces, CUDA_BLOCK);
  if (w->aligned)
    ASSAY_LAUNCH ((rows_kernel<Float, true>), blocks, CUDA_BLOCK, 0, stream, y, *w, rows, n_rows, scale);
  else
    ASSAY_LAUNCH ((rows_kernel<Float, false>), blocks, CUDA_BLOCK, 0, stream, y, *w, rows, n_rows, scale);
  return cuda_launched (b, operation);
}

AssayStatus
cuda_weight_read (AssayBackend *b, void *y, AssayDtype to, const CudaWeight *w, size_t first, size_t n_rows)
{
  RowChoice rows = {};
  rows.first = first;
  if (to == ASSAY_DTYPE_F16)
    return rows_launch (b, (__half *) y, w, rows, n_rows, 1.0f, "dequantize");
  if (to == ASSAY_DTYPE_BF16)
    return rows_launch (b, (__nv_bfloat16 *) y, w, rows, n_rows, 1.0f, "dequantize");
  return rows_launch (b, (float *) y, w, rows, n_rows, 1.0f, "dequantize");
}

AssayStatus
cuda_dequantize (AssayBackend *b, float *y, const AssayTensor *w, size_t first, size_t n_rows)
{
  CudaWeight weight;
  CUDA_TRY (cuda_enter (b));
  CUDA_TRY (cuda_weight_look (b, &weight, w));
  if (first > weight.n_rows || n_rows > weight.n_rows - first)
    return cuda_fault (b, ASSAY_DEVICE_FAULT, "rows %zu to %zu are outside a weight of %zu rows", first,
                       first + n_rows, weight.n_rows);
  return cuda_weight_read (b, y, ASSAY_DTYPE_F32, &weight, first, n_rows);
}

/* ids: on the host. */
AssayStatus
cuda_embed (AssayBackend *b, float *y, const AssayTensor *table, const int32_t *ids, size_t n_tokens, float scale)
{
  CudaWeight weight;
  CUDA_TRY (cuda_enter (b));
  CUDA_TRY (cuda_weight_look (b, &weight, table));
  for (size_t i = 0; i < n_tokens; i++)
    if (ids[i] < 0 || (size_t) ids[i] >= weight.n_rows)
      return cuda_fault (b, ASSAY_DEVICE_FAULT, "token id %d is outside the embedding table of %zu rows", ids[i],
                         weight.n_rows);
  for (size_t done = 0, part; done < n_tokens; done += part)
    {
      RowChoice rows = {};
      part = cuda_min (n_tokens - done, IDS_PER_LAUNCH);
      rows.by_id = true;
      for (size_t i = 0; i < part; i++)
        rows.ids[i] = (size_t) ids[done + i];
      CUDA_TRY (rows_launch (b, y + done * weight.n, &weight, rows, part, scale, "embed"));
    }
  return ASSAY_OK;
}
