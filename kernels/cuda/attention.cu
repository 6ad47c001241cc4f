/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cuda/attention.cu: softmax (q k^T) v in one pass over the keys, scores never held for more than a
 * tile.
 *
 * A row is one head of one query. A block has a tile of rows that share a key head, so that a tile of keys,
 * once unpacked into shared memory, meets all of them; keys and values pass through the same place, some
 * dimensions at a time. Where rows are few, as in decoding, the keys are split among blocks, each of which
 * leaves its maximum, sum and unfinished output for a second kernel to combine.
 *
 *   scores [rows, KEYS] = q [rows, dim] * keys^T      out [rows, dim_v] = out * shrink + exp (scores - max) *
 * values */
#include "attention.h"
#include "device.cuh"

#include <math.h>

#define KEYS 32u          /* of a tile: a lane each */
#define CHUNK 64u         /* dimensions that are unpacked at a time */
#define PITCH (CHUNK + 4) /* floats from one key to the next: lanes read fours without meeting in a bank */
#define SCORE_PITCH (KEYS + 1)
#define THREADS 128u
#define MAX_ROWS ATTENTION_MAX_ROWS

/* Shared memory of a block, floats. */
typedef struct
{
  float *q;                  /* [rows, q_pitch], zeros behind each */
  float *out;                /* [rows, dim_v] */
  float *chunk;              /* [KEYS, PITCH] */
  float *scores;             /* [rows, SCORE_PITCH] */
  float *max, *sum, *shrink; /* [rows] */
  uint32_t q_pitch;          /* whole fours */
} AttentionTile;

static __device__ void
attention_place (AttentionTile *tile, float *at, const AttentionJob &job)
{
  tile->q_pitch = (job.k.dim + 3) / 4 * 4;
  tile->chunk = at; /* first, with q: they are read by fours */
  at += KEYS * PITCH;
  tile->q = at;
  at += job.tile_rows * tile->q_pitch;
  tile->out = at;
  at += job.tile_rows * job.v.dim;
  tile->scores = at;
  at += job.tile_rows * SCORE_PITCH;
  tile->max = at;
  tile->sum = tile->max + job.tile_rows;
  tile->shrink = tile->sum + job.tile_rows;
}

/* Row r of a key head's rows: the query it belongs to, and the first element of it in [n_tokens, n_heads,
 * dim]. */
static __device__ inline size_t
attention_row (const AttentionJob &job, uint32_t kv_head, size_t r, uint32_t *query)
{
  *query = (uint32_t) (r / job.group);
  return (size_t) *query * job.n_heads + (size_t) kv_head * job.group + r % job.group;
}

/* The keys that a query sees. */
static __device__ inline void
attention_range (const AttentionJob &job, uint32_t query, uint32_t *from, uint32_t *to)
{
  *to = job.first + query + 1;
  *from = job.window > 0 && *to > job.window ? *to - job.window : 0;
}

/* Element d of a key head in a cache's row. */
static __device__ inline float
attention_read (const AttentionCache &cache, size_t key, size_t d)
{
  const uint8_t *row = cache.data + key * cache.row_bytes;
  if (cache.dtype == ASSAY_DTYPE_F16)
    return __half2float (reinterpret_cast<const __half *> (row)[d]);
  if (cache.dtype == ASSAY_DTYPE_F32)
    return reinterpret_cast<const float *> (row)[d];
  const uint8_t *block = row + d / 32 * 34;
  return float_of_half (load_2_bytes<1> (block)) * (float) (int8_t) block[2 + d % 32];
}

/* Elements d .. d + 7. */
static __device__ inline void
attention_read_8 (float out[8], const AttentionCache &cache, size_t key, size_t d)
{
  const uint8_t *row = cache.data + key * cache.row_bytes;
  if (cache.dtype == ASSAY_DTYPE_F16)
    {
      const uint4 words = *reinterpret_cast<const uint4 *> (row + 2 * d);
      const uint32_t word[4] = { words.x, words.y, words.z, words.w };
      for (uint32_t i = 0; i < 8; i++)
        out[i] = float_of_half (word[i / 2] >> (i % 2 * 16) & 0xffff);
    }
  else if (cache.dtype == ASSAY_DTYPE_Q8_0)
    {
      const uint8_t *block = row + d / 32 * 34;
      const float scale = float_of_half (load_2_bytes<2> (block));
      const uint2 codes = load_8_bytes<2> (block + 2 + d % 32);
      for (uint32_t i = 0; i < 8; i++)
        out[i] = scale * (float) (int8_t) byte_of (codes, i);
    }
  else
    for (uint32_t i = 0; i < 8; i++)
      out[i] = reinterpret_cast<const float *> (row)[d + i];
}

/* chunk = dimensions [from, from + CHUNK) of keys [key, key + n_keys), zeros beyond either. */
static __device__ void
attention_unpack (float *chunk, const AttentionCache &cache, uint32_t kv_head, size_t key, uint32_t n_keys,
                  uint32_t from)
{
  for (uint32_t i = threadIdx.x; i < KEYS * CHUNK / 8; i += THREADS)
    {
      const uint32_t k = i / (CHUNK / 8), d = from + i % (CHUNK / 8) * 8;
      const size_t at = (size_t) kv_head * cache.dim + d;
      float out[8] = {};
      if (k < n_keys && d < cache.dim && cache.eights)
        attention_read_8 (out, cache, key + k, at);
      else if (k < n_keys)
        for (uint32_t e = 0; e < 8; e++)
          out[e] = d + e < cache.dim ? attention_read (cache, key + k, at + e) : 0.0f;
      float4 *to = reinterpret_cast<float4 *> (chunk + k * PITCH + (d - from));
      to[0] = make_float4 (out[0], out[1], out[2], out[3]);
      to[1] = make_float4 (out[4], out[5], out[6], out[7]);
    }
}

/* Adds a chunk's part to the scores: a lane for each key, a warp for every fourth row. */
static __device__ void
attention_score_chunk (const AttentionTile &tile, const AttentionJob &job, uint32_t n_rows, uint32_t from,
                       float sums[MAX_ROWS / (THREADS / CUDA_WARP)])
{
  const uint32_t key = threadIdx.x % CUDA_WARP, warp = threadIdx.x / CUDA_WARP;
  const uint32_t count = job.k.dim - from < CHUNK ? job.k.dim - from : CHUNK;
  for (uint32_t d = 0; d < count; d += 4)
    {
      const float4 k = *reinterpret_cast<const float4 *> (tile.chunk + key * PITCH + d);
      for (uint32_t i = 0; i < MAX_ROWS / (THREADS / CUDA_WARP); i++)
        {
          const uint32_t row = warp + i * (THREADS / CUDA_WARP);
          if (row >= n_rows)
            break;
          const float4 q = *reinterpret_cast<const float4 *> (tile.q + row * tile.q_pitch + from + d);
          sums[i] += q.x * k.x + q.y * k.y + q.z * k.z + q.w * k.w;
        }
    }
}

/* Scores become weights, for the greatest so far; what was summed before shrinks. A warp has a row's keys. */
static __device__ void
attention_weigh (const AttentionTile &tile, const AttentionJob &job, size_t first_row, uint32_t row,
                 size_t key, float score)
{
  uint32_t from, to;
  attention_range (job, (uint32_t) ((first_row + row) / job.group), &from, &to);
  const bool is_visible = key >= from && key < to;
  score *= job.scale;
  if (job.soft_cap > 0)
    score = job.soft_cap * tanhf (score / job.soft_cap);
  const float before = tile.max[row], max = fmaxf (before, warp_max (is_visible ? score : -INFINITY));
  /* a NaN is not among the greatest, yet makes its own weight one; nothing visible so far weighs nothing */
  const float weight = is_visible ? expf (score - max) : 0.0f, sum = warp_sum (weight);
  const float shrink = before == max ? 1.0f : expf (before - max);
  tile.scores[row * SCORE_PITCH + threadIdx.x % CUDA_WARP] = weight;
  __syncwarp ();
  if (threadIdx.x % CUDA_WARP == 0)
    {
      tile.max[row] = max;
      tile.sum[row] = tile.sum[row] * shrink + sum;
      tile.shrink[row] = shrink;
    }
}

/* out = out * shrink + weights * values, of one chunk of dimensions: sixteen threads have a row's. */
static __device__ void
attention_mix_chunk (const AttentionTile &tile, const AttentionJob &job, uint32_t n_rows, uint32_t from)
{
  const uint32_t d = threadIdx.x % (CHUNK / 4) * 4;
  for (uint32_t row = threadIdx.x / (CHUNK / 4); row < n_rows; row += THREADS / (CHUNK / 4))
    {
      float sums[4] = {};
      for (uint32_t key = 0; key < KEYS; key++)
        {
          const float4 v = *reinterpret_cast<const float4 *> (tile.chunk + key * PITCH + d);
          const float weight = tile.scores[row * SCORE_PITCH + key];
          sums[0] += weight * v.x;
          sums[1] += weight * v.y;
          sums[2] += weight * v.z;
          sums[3] += weight * v.w;
        }
      float *out = tile.out + row * job.v.dim + from;
      for (uint32_t i = 0; i < 4; i++)
        if (from + d + i < job.v.dim)
          out[d + i] = out[d + i] * tile.shrink[row] + sums[i];
    }
}

static __device__ void
attention_tile_keys (const AttentionTile &tile, const AttentionJob &job, uint32_t kv_head, size_t first_row,
                     uint32_t n_rows, size_t key, uint32_t n_keys)
{
  const uint32_t warp = threadIdx.x / CUDA_WARP;
  float sums[MAX_ROWS / (THREADS / CUDA_WARP)] = {};
  for (uint32_t from = 0; from < job.k.dim; from += CHUNK)
    {
      __syncthreads ();
      attention_unpack (tile.chunk, job.k, kv_head, key, n_keys, from);
      __syncthreads ();
      attention_score_chunk (tile, job, n_rows, from, sums);
    }
  for (uint32_t i = 0; i < MAX_ROWS / (THREADS / CUDA_WARP); i++)
    {
      const uint32_t row = warp + i * (THREADS / CUDA_WARP);
      if (row < n_rows)
        attention_weigh (tile, job, first_row, row, key + threadIdx.x % CUDA_WARP, sums[i]);
    }
  for (uint32_t from = 0; from < job.v.dim; from += CHUNK)
    {
      __syncthreads ();
      attention_unpack (tile.chunk, job.v, kv_head, key, n_keys, from);
      __syncthreads ();
      attention_mix_chunk (tile, job, n_rows, from);
    }
}

static __device__ void
attention_begin (const AttentionTile &tile, const AttentionJob &job, uint32_t kv_head, size_t first_row,
                 uint32_t n_rows)
{
  uint32_t query;
  for (uint32_t i = threadIdx.x; i < n_rows * tile.q_pitch; i += THREADS)
    {
      const uint32_t d = i % tile.q_pitch;
      const size_t row = attention_row (job, kv_head, first_row + i / tile.q_pitch, &query);
      tile.q[i] = d < job.k.dim ? job.q[row * job.k.dim + d] : 0.0f;
    }
  for (uint32_t i = threadIdx.x; i < n_rows * job.v.dim; i += THREADS)
    tile.out[i] = 0;
  for (uint32_t i = threadIdx.x; i < n_rows; i += THREADS)
    {
      tile.max[i] = -INFINITY;
      tile.sum[i] = 0;
    }
}

/* The result, or this split's part of it. */
static __device__ void
attention_end (const AttentionTile &tile, const AttentionJob &job, uint32_t kv_head, size_t first_row,
               uint32_t n_rows, uint32_t split)
{
  uint32_t query;
  for (uint32_t i = threadIdx.x; i < n_rows * job.v.dim; i += THREADS)
    {
      const uint32_t row = i / job.v.dim, d = i % job.v.dim;
      const size_t at = attention_row (job, kv_head, first_row + row, &query);
      if (job.partial == NULL)
        job.y[at * job.v.dim + d] = tile.out[i] / tile.sum[row];
      else
        {
          float *part = job.partial + (at * job.n_splits + split) * (2 + job.v.dim);
          part[2 + d] = tile.out[i];
          if (d == 0)
            {
              part[0] = tile.max[row];
              part[1] = tile.sum[row];
            }
        }
    }
}

/* Blocks: tiles of rows, key heads, splits of the keys that the tile sees. */
static __global__ void
attention_kernel (AttentionJob job)
{
  ASSAY_DYNAMIC_SHARED (float, shared);
  const size_t all_rows = (size_t) job.n_tokens * job.group;
  const size_t first_row = (size_t) blockIdx.x * job.tile_rows;
  const uint32_t n_rows
    = (uint32_t) (all_rows - first_row < job.tile_rows ? all_rows - first_row : job.tile_rows);
  const uint32_t kv_head = blockIdx.y, split = blockIdx.z;
  AttentionTile tile;
  uint32_t from, to, other;
  attention_place (&tile, shared, job);
  attention_begin (tile, job, kv_head, first_row, n_rows);
  attention_range (job, (uint32_t) (first_row / job.group), &from, &other);
  attention_range (job, (uint32_t) ((first_row + n_rows - 1) / job.group), &other, &to);
  const size_t tiles = (to - from + KEYS - 1) / KEYS, per_split = (tiles + job.n_splits - 1) / job.n_splits;
  const size_t begin = from + split * per_split * KEYS, end = begin + per_split * KEYS;
  for (size_t key = begin; key < (end < to ? end : to); key += KEYS)
    attention_tile_keys (tile, job, kv_head, first_row, n_rows, key,
                         (uint32_t) (to - key < KEYS ? to - key : KEYS));
  __syncthreads ();
  attention_end (tile, job, kv_head, first_row, n_rows, split);
}

/* A block for each row. */
static __global__ void
attention_combine_kernel (AttentionJob job)
{
  const float *parts = job.partial + (size_t) blockIdx.x * job.n_splits * (2 + job.v.dim);
  const size_t pitch = 2 + job.v.dim;
  float max = -INFINITY;
  for (uint32_t s = 0; s < job.n_splits; s++)
    max = fmaxf (max, parts[s * pitch]);
  for (uint32_t d = threadIdx.x; d < job.v.dim; d += blockDim.x)
    {
      float out = 0, sum = 0;
      for (uint32_t s = 0; s < job.n_splits; s++)
        {
          const float *part = parts + s * pitch;
          const float shrink = part[0] == max ? 1.0f : expf (part[0] - max);
          sum += part[1] * shrink;
          out += part[2 + d] * shrink;
        }
      job.y[(size_t) blockIdx.x * job.v.dim + d] = out / sum;
    }
}

/* --- the launch --- */

size_t
cuda_attention_shared_floats (size_t rows, size_t dim, size_t dim_v)
{
  return rows * ((dim + 3) / 4 * 4 + dim_v + SCORE_PITCH + 3) + KEYS * PITCH;
}

AssayStatus
cuda_attention_queue (AssayBackend *b, const AttentionJob *job, size_t rows, uint32_t n_kv_heads)
{
  const cudaStream_t stream = cuda_backend (b)->compute_stream;
  const dim3 grid ((unsigned) ((rows + job->tile_rows - 1) / job->tile_rows), n_kv_heads, job->n_splits);
  const size_t shared
    = cuda_attention_shared_floats (job->tile_rows, job->k.dim, job->v.dim) * sizeof (float);
  ASSAY_LAUNCH (attention_kernel, grid, THREADS, shared, stream, *job);
  if (job->partial != NULL)
    ASSAY_LAUNCH (attention_combine_kernel, (unsigned) (job->n_tokens * job->n_heads), CUDA_WARP * 2, 0,
                  stream, *job);
  return cuda_launched (b, "attention");
}
