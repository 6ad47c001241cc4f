/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cuda/attention-plan.cu: into how many blocks attention is cut, and what it may be asked for. */
#include "attention.h"

#define SPLIT_KEYS 64u /* the least that is worth a block of its own: each tile is a way to memory and back */
#define MAX_SPLITS 64u
#define SHARED_BYTES (48u * 1024u)

/* As many rows as shared memory has room for; 0: not even one. */
static uint32_t
attention_tile_rows (const AssayAttention *a)
{
  uint32_t rows = ATTENTION_MAX_ROWS;
  while (rows > 0
         && cuda_attention_shared_floats (rows, a->head_dim, a->head_dim_v) * sizeof (float) > SHARED_BYTES)
    rows /= 2;
  return rows;
}

/* Enough blocks to fill the device twice, where there are keys enough for them. */
static uint32_t
attention_splits (const CudaBackend *self, const AssayAttention *a)
{
  const uint32_t tile_rows = attention_tile_rows (a);
  if (a->n_kv_heads == 0 || tile_rows == 0)
    return 1;
  const size_t rows = (size_t) a->n_tokens * (a->n_heads / a->n_kv_heads);
  const size_t blocks = (rows + tile_rows - 1) / tile_rows * a->n_kv_heads;
  const size_t seen = (size_t) a->first + a->n_tokens,
               keys = a->window > 0 ? cuda_min (seen, a->window) : seen;
  const size_t wanted = blocks > 0 ? 2 * (size_t) self->n_multiprocessors / blocks : 1;
  const size_t splits = cuda_min (cuda_min (wanted, keys / SPLIT_KEYS), MAX_SPLITS);
  return splits > 1 ? (uint32_t) splits : 1;
}

/* For any number of keys up to those asked about: fewer keys are never split more. */
size_t
cuda_attention_workspace (AssayBackend *b, const AssayAttention *a)
{
  const size_t splits = attention_splits (cuda_backend (b), a);
  return splits > 1
           ? (size_t) a->n_tokens * a->n_heads * splits * (2 + (size_t) a->head_dim_v) * sizeof (float)
           : 0;
}

static bool
attention_is_cache (const AssayTensor *t, size_t n_heads, size_t dim, size_t keys)
{
  return (t->dtype == ASSAY_DTYPE_F32 || t->dtype == ASSAY_DTYPE_F16
          || (t->dtype == ASSAY_DTYPE_Q8_0 && dim % 32 == 0))
         && (size_t) t->shape[0] == n_heads * dim && (size_t) t->shape[1] >= keys;
}

static AssayStatus
attention_check (AssayBackend *b, const AssayAttention *a)
{
  const size_t keys = (size_t) a->first + a->n_tokens;
  if (a->n_kv_heads == 0 || a->n_heads % a->n_kv_heads != 0)
    return cuda_fault (b, ASSAY_UNSUPPORTED, "%u query heads cannot share %u key heads evenly", a->n_heads,
                       a->n_kv_heads);
  if (!attention_is_cache (a->k, a->n_kv_heads, a->head_dim, keys)
      || !attention_is_cache (a->v, a->n_kv_heads, a->head_dim_v, keys))
    return cuda_fault (b, ASSAY_UNSUPPORTED,
                       "attention over %zu keys needs F32, F16 or (heads of whole blocks of 32) Q8_0 caches "
                       "of that many rows, %u heads of %u and %u each",
                       keys, a->n_kv_heads, a->head_dim, a->head_dim_v);
  if (attention_tile_rows (a) == 0 || a->n_kv_heads > 65535)
    return cuda_fault (b, ASSAY_UNSUPPORTED,
                       "%u key heads of %u and %u dimensions are too many for the device", a->n_kv_heads,
                       a->head_dim, a->head_dim_v);
  return ASSAY_OK;
}

static AttentionCache
attention_cache (const AssayTensor *t, uint32_t dim)
{
  const size_t places = (size_t) (uintptr_t) t->data | t->row_bytes;
  AttentionCache cache = {};
  cache.data = (const uint8_t *) t->data;
  cache.row_bytes = t->row_bytes;
  cache.dtype = t->dtype;
  cache.dim = dim;
  cache.eights = dim % 8 == 0 && places % (t->dtype == ASSAY_DTYPE_Q8_0 ? 2 : 16) == 0;
  return cache;
}

static AttentionJob
attention_job (const CudaBackend *self, float *y, const float *q, const AssayAttention *a, void *workspace)
{
  AttentionJob job = {};
  job.y = y;
  job.q = q;
  job.k = attention_cache (a->k, a->head_dim);
  job.v = attention_cache (a->v, a->head_dim_v);
  job.n_heads = a->n_heads;
  job.group = a->n_heads / a->n_kv_heads;
  job.n_tokens = a->n_tokens;
  job.first = a->first;
  job.window = a->window;
  job.tile_rows = attention_tile_rows (a);
  job.n_splits = attention_splits (self, a);
  job.scale = a->scale;
  job.soft_cap = a->soft_cap;
  job.partial = job.n_splits > 1 ? (float *) workspace : NULL;
  return job;
}

AssayStatus
cuda_attention (AssayBackend *b, float *y, const float *q, const AssayAttention *a, void *workspace)
{
  CudaBackend *self = cuda_backend (b);
  CUDA_TRY (cuda_enter (b));
  CUDA_TRY (attention_check (b, a));
  const size_t rows = (size_t) a->n_tokens * (a->n_heads / a->n_kv_heads);
  if (rows == 0 || a->head_dim_v == 0)
    return ASSAY_OK;
  const AttentionJob job = attention_job (self, y, q, a, workspace);
  return cuda_attention_queue (b, &job, rows, a->n_kv_heads);
}
