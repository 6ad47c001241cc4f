/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cpu/attention.c: softmax (q k^T) v in one pass over the keys.
 *
 * Keys come in blocks; a running maximum and sum rescale what is there when a block brings a greater score,
 * so scores are never held for more than one block. Here chunks are single heads of single queries, which
 * suits decode; many queries go by tiles, attention-tile.c. */
#include "cpu.h"

#include <math.h>

#define KEY_BLOCK 64
#define SMALL 65536u        /* products that are not worth a second thread */

typedef struct
{
  const CpuIsa *isa;
  const AssayAttention *a;
  float *y;
  const float *q;
} AttentionJob;

static float
attention_scores (const AttentionJob *job, float *scores, const float *q, size_t kv_head, size_t first,
                  size_t n)
{
  const AssayAttention *a = job->a;
  job->isa->scores (scores, q, cpu_attention_row (a->k, first, kv_head, a->head_dim), a->k->row_bytes,
                    a->k->dtype, n, a->head_dim);
  return job->isa->score (scores, n, a->scale, a->soft_cap);
}

static void
attention_head (const AttentionJob *job, uint32_t query, uint32_t head)
{
  const AssayAttention *a = job->a;
  const size_t kv_head = head / (a->n_heads / a->n_kv_heads);
  const float *q = job->q + ((size_t) query * a->n_heads + head) * a->head_dim;
  float *y = job->y + ((size_t) query * a->n_heads + head) * a->head_dim_v;
  float scores[KEY_BLOCK], max = -INFINITY, sum = 0;
  size_t first, end;
  cpu_attention_range (a, query, &first, &end);
  for (size_t i = 0; i < a->head_dim_v; i++)
    y[i] = 0;
  for (size_t n; first < end; first += n)
    {
      n = cpu_min (end - first, KEY_BLOCK);
      const float block_max = attention_scores (job, scores, q, kv_head, first, n);
      if (block_max > max)
        {
          const float shrink = expf (max - block_max);
          for (size_t i = 0; i < a->head_dim_v; i++)
            y[i] *= shrink;
          sum *= shrink;
          max = block_max;
        }
      sum += job->isa->exp_sum (scores, n, max);
      job->isa->mix (y, scores, cpu_attention_row (a->v, first, kv_head, a->head_dim_v), a->v->row_bytes,
                     a->v->dtype, n, a->head_dim_v);
    }
  for (size_t i = 0; i < a->head_dim_v; i++)
    y[i] /= sum;
}

static void
attention_chunk (void *data, uint32_t chunk, uint32_t worker)
{
  const AttentionJob *job = data;
  (void) worker;
  attention_head (job, chunk / job->a->n_heads, chunk % job->a->n_heads);
}

/* Short contexts are done before another thread has woken up. */
static void
attention_rows (CpuBackend *self, AttentionJob *job)
{
  const AssayAttention *a = job->a;
  const uint32_t n = a->n_tokens * a->n_heads;
  if ((uint64_t) (a->first + a->n_tokens) * n * (a->head_dim + a->head_dim_v) > SMALL)
    cpu_pool_run (self->pool, attention_chunk, job, n);
  else
    for (uint32_t i = 0; i < n; i++)
      attention_chunk (job, i, 0);
}

static bool
attention_is_cache (const AssayTensor *t, size_t n_heads, size_t dim, size_t keys)
{
  return cpu_cache_holds (t->dtype, dim) && (size_t) t->shape[0] == n_heads * dim
         && (size_t) t->shape[1] >= keys;
}

static AssayStatus
attention_check (AssayBackend *b, const AssayAttention *a)
{
  const size_t keys = (size_t) a->first + a->n_tokens;
  if (a->n_kv_heads == 0 || a->n_heads % a->n_kv_heads != 0)
    return cpu_fault (b, ASSAY_UNSUPPORTED, "%u query heads cannot share %u key heads evenly", a->n_heads,
                      a->n_kv_heads);
  if (!attention_is_cache (a->k, a->n_kv_heads, a->head_dim, keys)
      || !attention_is_cache (a->v, a->n_kv_heads, a->head_dim_v, keys))
    return cpu_fault (b, ASSAY_UNSUPPORTED,
                      "attention over %zu keys needs F32, F16 or (heads of whole blocks of 32) Q8_0 caches "
                      "of that many rows, %u heads of %u and %u each",
                      keys, a->n_kv_heads, a->head_dim, a->head_dim_v);
  return ASSAY_OK;
}

size_t
cpu_attention_workspace (AssayBackend *b, const AssayAttention *a)
{
  const CpuBackend *self = cpu_backend (b);
  if (!cpu_attention_tile_is_used (self->isa, a))
    return 0;
  return cpu_attention_tile_bytes (self->isa, a) * cpu_pool_get_n_threads (self->pool);
}

AssayStatus
cpu_attention (AssayBackend *b, float *y, const float *q, const AssayAttention *a, void *workspace)
{
  AttentionJob job = { cpu_backend (b)->isa, a, y, q };
  const AssayStatus status = attention_check (b, a);
  if (status != ASSAY_OK)
    return status;
  if (cpu_attention_tile_is_used (job.isa, a))
    cpu_attention_tile (cpu_backend (b), y, q, a, workspace);
  else
    attention_rows (cpu_backend (b), &job);
  return ASSAY_OK;
}
