/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cpu/rope.c: rotary positions. Angles are formed in double: at position 100000 a float angle is off
 * by 0.004. */
#include "cpu.h"

#include <math.h>

#define PIECE_PAIRS 128   /* pairs whose cosines are held at a time */

typedef struct
{
  const CpuBackend *backend;
  const AssayRope *rope;
  float *x;
  size_t n_heads, head_dim, n_tokens, tokens_per_chunk;
  uint32_t first;
} RopeJob;

static void
rope_set_frequencies (CpuBackend *self, const AssayRope *rope)
{
  if (self->frequency_dims == rope->n_dims && self->frequency_base == rope->base)
    return;
  for (uint32_t i = 0; i < rope->n_dims / 2; i++)
    self->frequency[i] = pow (rope->base, -2.0 * i / rope->n_dims);
  self->frequency_dims = rope->n_dims;
  self->frequency_base = rope->base;
}

/* Pairs [from, from + n) of every head of one token. */
static void
rope_turn (const RopeJob *job, float *x, size_t from, size_t n, const float *cosine, const float *sine)
{
  const CpuIsa *isa = job->backend->isa;
  const size_t half = job->rope->n_dims / 2;
  for (size_t h = 0; h < job->n_heads; h++, x += job->head_dim)
    {
      if (job->rope->adjacent)
        isa->rotate (x + 2 * from, x + 2 * from + 1, cosine, sine, n, 2);
      else
        isa->rotate (x + from, x + from + half, cosine, sine, n, 1);
    }
}

static void
rope_token (const RopeJob *job, size_t token)
{
  const AssayRope *rope = job->rope;
  const double position = (double) (job->first + token) * rope->scale;
  float cosine[PIECE_PAIRS], sine[PIECE_PAIRS];
  double angle[PIECE_PAIRS];
  for (size_t from = 0, n; from < rope->n_dims / 2; from += n)
    {
      n = cpu_min (rope->n_dims / 2 - from, PIECE_PAIRS);
      for (size_t i = 0; i < n; i++)
        angle[i] = position * job->backend->frequency[from + i]
                   / (rope->divisor != NULL ? rope->divisor[from + i] : 1);
      job->backend->isa->sincos (cosine, sine, angle, n);
      if (rope->magnitude != 1.0f)
        for (size_t i = 0; i < n; i++)
          {
            cosine[i] *= rope->magnitude;
            sine[i] *= rope->magnitude;
          }
      rope_turn (job, job->x + token * job->n_heads * job->head_dim, from, n, cosine, sine);
    }
}

static void
rope_chunk (void *data, uint32_t chunk, uint32_t worker)
{
  const RopeJob *job = data;
  const size_t first = chunk * job->tokens_per_chunk;
  (void) worker;
  for (size_t i = first; i < cpu_min (first + job->tokens_per_chunk, job->n_tokens); i++)
    rope_token (job, i);
}

AssayStatus
cpu_rope (AssayBackend *b, float *x, const AssayRope *rope, size_t n_tokens, size_t n_heads, size_t head_dim,
          uint32_t first)
{
  RopeJob job
    = { cpu_backend (b), rope, x, n_heads, head_dim, n_tokens, n_tokens > 16 ? 16 : n_tokens, first };
  if (rope->n_dims % 2 != 0 || rope->n_dims > head_dim || rope->n_dims / 2 > CPU_MAX_PAIRS)
    return cpu_fault (b, ASSAY_UNSUPPORTED,
                      "rope over %u dimensions of a head of %zu: needs an even number, %d at most",
                      rope->n_dims, head_dim, 2 * CPU_MAX_PAIRS);
  if (n_tokens == 0 || n_heads == 0)
    return ASSAY_OK;
  rope_set_frequencies (cpu_backend (b), rope);
  cpu_pool_run (cpu_backend (b)->pool, rope_chunk, &job,
                (uint32_t) ((n_tokens + job.tokens_per_chunk - 1) / job.tokens_per_chunk));
  return ASSAY_OK;
}
