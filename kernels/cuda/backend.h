/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cuda/backend.h: what the files of this folder share on the host's side.
 *
 * Every operation is a few checks, some launches on the compute stream and one look at the status. A launcher takes
 * any size: kernels walk their work in strides of the grid, and indices are size_t. */
#pragma once

#include "assay-cuda.h"
#include "launch.h"
#include "whole-format.h"

#include <cublas_v2.h>

#define CUDA_ROPE_SLOTS 4
#define CUDA_MAX_PAIRS 512u
#define CUDA_N_TICKETS 32u            /* copies whose events are kept */
#define CUDA_STAGING_BYTES (4u << 20) /* one of two pinned halves that upload and download go through */
#define CUDA_RESULT_WORDS 8u

/* A copy on the copy stream. */
typedef struct
{
  cudaEvent_t fence;          /* on the compute stream, where the copy was asked for */
  cudaEvent_t begin, end;     /* on the copy stream */
  cudaEvent_t before, after;  /* on the compute stream, around waiting for it */
  uint64_t ticket, bytes;     /* ticket 0: the slot is free */
  bool ordered, busy_counted, stall_counted;
} CudaCopy;

typedef struct
{
  float base;
  uint32_t n_dims;            /* 0: free */
  double *frequency;          /* [CUDA_MAX_PAIRS], on the device */
} CudaRopeSlot;

typedef struct
{
  AssayBackend base;
  int ordinal, sm;            /* sm: 90 for compute 9.0 */
  AssayCompute compute;
  bool tf32, sizes_only;
  int n_multiprocessors;
  char kernel_name[64];

  bool closed;                /* the context is spoilt: closed_fault says by what */
  char closed_fault[sizeof ((AssayBackend *) 0)->fault];

  cudaStream_t compute_stream, copy_stream;
  cublasHandle_t blas;
  cudaGraphExec_t graph;      /* of the last pass that was recorded, or NULL */
  bool recording;             /* operations are queued in a graph to be */
  uint8_t *fixed;             /* on the device: cuBLAS's workspace, rope's tables, results */
  size_t fixed_bytes;
  uint8_t *pinned;            /* two halves for staging, then results */
  size_t pinned_bytes;
  cudaEvent_t staged[2];
  bool is_staged[2];
  unsigned half;              /* the next one */

  uint64_t *results;          /* [CUDA_RESULT_WORDS] on the device */
  uint64_t *host_results;     /* the same, pinned */

  CudaRopeSlot ropes[CUDA_ROPE_SLOTS];
  unsigned next_rope;

  CudaCopy copies[CUDA_N_TICKETS];
  uint64_t n_copies;          /* tickets given out */
  AssayCudaCopyFigures copied;
} CudaBackend;

static inline CudaBackend *
cuda_backend (AssayBackend *b)
{
  return (CudaBackend *) b;
}

/* --- presence, probe.cu --- */

/* In words why cudaGetDeviceCount() and its like say that there is no device: "no driver". */
void cuda_explain_absence (char *text, size_t size, cudaError_t error);

/* --- faults, fault.cu --- */

/* Writes the fault and returns `status`. */
AssayStatus cuda_fault (AssayBackend *b, AssayStatus status, const char *format, ...)
  __attribute__ ((format (printf, 3, 4)));
/* OK for success; else the fault, with what was done, and NO_MEMORY or DEVICE_FAULT. Closes the backend unless
 * the error is known to leave the context whole. */
AssayStatus cuda_check (AssayBackend *b, cudaError_t error, const char *operation);
AssayStatus cuda_check_blas (AssayBackend *b, cublasStatus_t status, const char *operation);
/* What the launches since the last look came to. */
AssayStatus cuda_launched (AssayBackend *b, const char *operation);
/* At the door of each call: DEVICE_FAULT, with the old words, where the backend is closed. Else the calling
 * thread's device is this one. */
AssayStatus cuda_enter (AssayBackend *b);
/* The same for what waits, or orders streams, which cannot be recorded. */
AssayStatus cuda_enter_queue (AssayBackend *b);

#define CUDA_TRY(call)                       \
  do                                         \
    {                                        \
      const AssayStatus status_ = (call);    \
      if (status_ != ASSAY_OK)               \
        return status_;                      \
    }                                        \
  while (0)

/* --- sizes --- */

static inline size_t
cuda_min (size_t a, size_t b)
{
  return a < b ? a : b;
}

static inline size_t
cuda_round_up (size_t n, size_t multiple)
{
  return (n + multiple - 1) / multiple * multiple;
}

/* Blocks for n items, so many at a time; no more than a grid's first dimension should have, since kernels walk in
 * strides. */
static inline unsigned
cuda_blocks (size_t n, size_t per_block)
{
  return (unsigned) cuda_min ((n + per_block - 1) / per_block, 1u << 20);
}

static inline size_t
cuda_n_rows (const AssayTensor *t)
{
  return (size_t) t->shape[1] * (size_t) t->shape[2] * (size_t) t->shape[3];
}

/* --- memory, memory.cu --- */

AssayStatus cuda_alloc (AssayBackend *b, size_t bytes, void **out);
void cuda_free (AssayBackend *b, void *memory, size_t bytes);
AssayStatus cuda_upload (AssayBackend *b, void *device, const void *host, size_t bytes);
AssayStatus cuda_download (AssayBackend *b, void *host, const void *device, size_t bytes);
AssayStatus cuda_sync (AssayBackend *b);
/* Result words [0, n) come to host_results; waits. */
AssayStatus cuda_read_results (AssayBackend *b, unsigned n, const char *operation);

/* --- copies beside compute, link.cu --- */

AssayStatus cuda_pinned_alloc (AssayBackend *b, size_t bytes, void **out);
void cuda_pinned_free (AssayBackend *b, void *memory);
AssayStatus cuda_copy (AssayBackend *b, void *device, const void *host, size_t bytes, uint64_t *ticket);
AssayStatus cuda_copy_order (AssayBackend *b, uint64_t ticket);
AssayStatus cuda_copy_is_done (AssayBackend *b, uint64_t ticket, bool *done);
AssayStatus cuda_copy_wait (AssayBackend *b, uint64_t ticket);
AssayStatus cuda_copy_get_figures (AssayBackend *b, AssayCudaCopyFigures *out);

/* --- recorded passes, graph.cu --- */

AssayStatus cuda_graph_begin (AssayBackend *b);
AssayStatus cuda_graph_end (AssayBackend *b, bool run);

/* --- the operations, see kernels.h --- */

AssayBackend *cuda_backend_new (const AssayCudaOptions *options, char *fault, size_t fault_bytes);

AssayStatus cuda_embed (AssayBackend *b, float *y, const AssayTensor *table, const int32_t *ids, size_t n_tokens,
                        float scale);
AssayStatus cuda_dequantize (AssayBackend *b, float *y, const AssayTensor *w, size_t first, size_t n_rows);
AssayStatus cuda_kv_store (AssayBackend *b, const AssayTensor *cache, const float *x, size_t n_tokens,
                           uint32_t first);
AssayStatus cuda_rmsnorm (AssayBackend *b, float *y, const float *x, const float *w, size_t n_rows, size_t n,
                          float eps);
AssayStatus cuda_layernorm (AssayBackend *b, float *y, const float *x, const float *w, const float *bias,
                            size_t n_rows, size_t n, float eps);
AssayStatus cuda_softmax (AssayBackend *b, float *x, size_t n_rows, size_t n);
AssayStatus cuda_rope (AssayBackend *b, float *x, const AssayRope *rope, size_t n_tokens, size_t n_heads,
                       size_t head_dim, uint32_t first);
AssayStatus cuda_gated (AssayBackend *b, float *y, const float *gate, const float *up, size_t n,
                        AssayActivation activation);
AssayStatus cuda_activate (AssayBackend *b, float *y, const float *x, size_t n, AssayActivation activation);
AssayStatus cuda_add (AssayBackend *b, float *y, const float *x, size_t n, float scale);
AssayStatus cuda_soft_cap (AssayBackend *b, float *x, size_t n, float cap);
AssayStatus cuda_matmul (AssayBackend *b, float *y, const AssayTensor *w, const float *x, size_t n_tokens,
                         const float *bias, void *workspace);
size_t cuda_matmul_workspace (AssayBackend *b, const AssayTensor *w, size_t n_tokens);
AssayStatus cuda_attention (AssayBackend *b, float *y, const float *q, const AssayAttention *a, void *workspace);
size_t cuda_attention_workspace (AssayBackend *b, const AssayAttention *a);
AssayStatus cuda_sample (AssayBackend *b, int32_t *token, const float *logits, size_t n, const AssaySampling *s,
                         void *workspace);
size_t cuda_sample_workspace (AssayBackend *b, size_t n);
AssayStatus cuda_quantize (AssayBackend *b, const AssayTensor *w, const float *x, size_t first, size_t n_rows,
                           void *scratch);
AssayStatus cuda_quantize_finish (AssayBackend *b, const AssayTensor *w, void *scratch);
size_t cuda_quantize_scratch (AssayBackend *b, const AssayTensor *w);
