/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cuda/rope.cu: rotary positions. Angles are formed in double, as on the CPU; their rest after whole
 * turns is a small number, which float's own sine does well and ten times faster.
 *
 * Frequencies are kept on the device: a model asks for the same one or two sets in every layer. */
#include "backend.h"
#include "device.cuh"

#define TURN 6.283185307179586476925
#define HEADS_PER_THREAD 4u

static __global__ void
rope_frequency_kernel (double *frequency, float base, uint32_t n_dims)
{
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n_dims / 2)
    frequency[i] = pow ((double) base, -2.0 * i / n_dims);
}

/* A thread turns one pair of some heads of one token. */
static __global__ void
rope_kernel (float *x, AssayRope rope, const double *frequency, size_t n_tokens, size_t n_heads,
             size_t head_dim, uint32_t first)
{
  const size_t pairs = rope.n_dims / 2, parts = (n_heads + HEADS_PER_THREAD - 1) / HEADS_PER_THREAD;
  const size_t stride = (size_t) gridDim.x * blockDim.x;
  for (size_t i = (size_t) blockIdx.x * blockDim.x + threadIdx.x; i < n_tokens * parts * pairs; i += stride)
    {
      const size_t pair = i % pairs, part = i / pairs % parts, token = i / pairs / parts;
      const double divisor = rope.divisor != NULL ? rope.divisor[pair] : 1.0;
      const double angle = (double) (first + token) * rope.scale * frequency[pair] / divisor;
      float sine, cosine;
      sincosf ((float) (angle - rint (angle * (1 / TURN)) * TURN), &sine, &cosine);
      sine *= rope.magnitude;
      cosine *= rope.magnitude;
      const size_t a = rope.adjacent ? 2 * pair : pair, b = rope.adjacent ? a + 1 : a + pairs;
      const size_t end = n_heads < (part + 1) * HEADS_PER_THREAD ? n_heads : (part + 1) * HEADS_PER_THREAD;
      for (size_t h = part * HEADS_PER_THREAD; h < end; h++)
        {
          float *head = x + (token * n_heads + h) * head_dim;
          const float u = head[a], v = head[b];
          head[a] = u * cosine - v * sine;
          head[b] = u * sine + v * cosine;
        }
    }
}

/* The table of frequencies for this rope, filled in line with the operations before. */
static AssayStatus
rope_find_slot (AssayBackend *b, const AssayRope *rope, const double **frequency)
{
  CudaBackend *self = cuda_backend (b);
  for (const CudaRopeSlot &slot : self->ropes)
    if (slot.n_dims == rope->n_dims && slot.base == rope->base)
      {
        *frequency = slot.frequency;
        return ASSAY_OK;
      }
  CudaRopeSlot *slot = &self->ropes[self->next_rope++ % CUDA_ROPE_SLOTS];
  slot->n_dims = 0;
  ASSAY_LAUNCH (rope_frequency_kernel, cuda_blocks (rope->n_dims / 2, CUDA_BLOCK), CUDA_BLOCK, 0,
                self->compute_stream, slot->frequency, rope->base, rope->n_dims);
  CUDA_TRY (cuda_launched (b, "rope"));
  slot->n_dims = rope->n_dims;
  slot->base = rope->base;
  *frequency = slot->frequency;
  return ASSAY_OK;
}

AssayStatus
cuda_rope (AssayBackend *b, float *x, const AssayRope *rope, size_t n_tokens, size_t n_heads, size_t head_dim,
           uint32_t first)
{
  const double *frequency = NULL;
  CUDA_TRY (cuda_enter (b));
  if (rope->n_dims % 2 != 0 || rope->n_dims > head_dim || rope->n_dims / 2 > CUDA_MAX_PAIRS)
    return cuda_fault (b, ASSAY_UNSUPPORTED,
                       "rope over %u dimensions of a head of %zu: needs an even number, %u at most",
                       rope->n_dims, head_dim, 2 * CUDA_MAX_PAIRS);
  const size_t n = n_tokens * ((n_heads + HEADS_PER_THREAD - 1) / HEADS_PER_THREAD) * (rope->n_dims / 2);
  if (n == 0)
    return ASSAY_OK;
  CUDA_TRY (rope_find_slot (b, rope, &frequency));
  ASSAY_LAUNCH (rope_kernel, cuda_blocks (n, CUDA_BLOCK), CUDA_BLOCK, 0, cuda_backend (b)->compute_stream, x,
                *rope, frequency, n_tokens, n_heads, head_dim, first);
  return cuda_launched (b, "rope");
}
