/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/plan/plan.c: see plan.h. */
#include "plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

typedef struct
{
  AssayBackend base;
  AssayBackend *like;         /* borrowed */
  uint64_t limit, bytes, peak, n_calls;
} PlanBackend;

static PlanBackend *
plan_backend (AssayBackend *b)
{
  return (PlanBackend *) b;
}

static void
plan_destroy (AssayBackend *b)
{
  free (b);
}

/* Address space only: PROT_NONE pages are never backed. */
static AssayStatus
plan_alloc (AssayBackend *b, size_t bytes, void **out)
{
  PlanBackend *self = plan_backend (b);
  *out = NULL;
  if (self->limit > 0 && (bytes > self->limit || self->bytes > self->limit - bytes))
    {
      snprintf (b->fault, sizeof b->fault, "%zu bytes more than %llu exceed the %llu planned for", bytes,
                (unsigned long long) self->bytes, (unsigned long long) self->limit);
      return ASSAY_NO_MEMORY;
    }
  void *memory
    = mmap (NULL, bytes > 0 ? bytes : 1, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    {
      snprintf (b->fault, sizeof b->fault, "no address space for %zu bytes", bytes);
      return ASSAY_NO_MEMORY;
    }
  *out = memory;
  self->bytes += bytes;
  self->peak = self->bytes > self->peak ? self->bytes : self->peak;
  return ASSAY_OK;
}

static void
plan_free (AssayBackend *b, void *memory, size_t bytes)
{
  if (memory == NULL)
    return;
  munmap (memory, bytes > 0 ? bytes : 1);
  plan_backend (b)->bytes -= bytes;
}

static AssayStatus
plan_count (AssayBackend *b)
{
  plan_backend (b)->n_calls++;
  return ASSAY_OK;
}

static AssayStatus
plan_upload (AssayBackend *b, void *device, const void *host, size_t bytes)
{
  (void) device, (void) host, (void) bytes;
  return plan_count (b);
}

/* What would come back is unknown; zeros are at least the same every time. */
static AssayStatus
plan_download (AssayBackend *b, void *host, const void *device, size_t bytes)
{
  (void) device;
  for (size_t i = 0; i < bytes; i++)
    ((unsigned char *) host)[i] = 0;
  return plan_count (b);
}

static AssayStatus
plan_embed (AssayBackend *b, float *y, const AssayTensor *table, const int32_t *ids, size_t n_tokens,
            float scale)
{
  (void) y, (void) table, (void) ids, (void) n_tokens, (void) scale;
  return plan_count (b);
}

static AssayStatus
plan_rmsnorm (AssayBackend *b, float *y, const float *x, const float *w, size_t n_rows, size_t n, float eps)
{
  (void) y, (void) x, (void) w, (void) n_rows, (void) n, (void) eps;
  return plan_count (b);
}

static AssayStatus
plan_layernorm (AssayBackend *b, float *y, const float *x, const float *w, const float *bias, size_t n_rows,
                size_t n, float eps)
{
  (void) y, (void) x, (void) w, (void) bias, (void) n_rows, (void) n, (void) eps;
  return plan_count (b);
}

static AssayStatus
plan_rope (AssayBackend *b, float *x, const AssayRope *rope, size_t n_tokens, size_t n_heads, size_t head_dim,
           uint32_t first)
{
  (void) x, (void) rope, (void) n_tokens, (void) n_heads, (void) head_dim, (void) first;
  return plan_count (b);
}

static AssayStatus
plan_matmul (AssayBackend *b, float *y, const AssayTensor *w, const float *x, size_t n_tokens,
             const float *bias, void *workspace)
{
  (void) y, (void) w, (void) x, (void) n_tokens, (void) bias, (void) workspace;
  return plan_count (b);
}

static size_t
plan_matmul_workspace (AssayBackend *b, const AssayTensor *w, size_t n_tokens)
{
  AssayBackend *like = plan_backend (b)->like;
  return like != NULL ? like->ops->matmul_workspace (like, w, n_tokens) : 0;
}

static AssayStatus
plan_kv_store (AssayBackend *b, const AssayTensor *cache, const float *x, size_t n_tokens, uint32_t first)
{
  (void) cache, (void) x, (void) n_tokens, (void) first;
  return plan_count (b);
}

static AssayStatus
plan_attention (AssayBackend *b, float *y, const float *q, const AssayAttention *a, void *workspace)
{
  (void) y, (void) q, (void) a, (void) workspace;
  return plan_count (b);
}

static size_t
plan_attention_workspace (AssayBackend *b, const AssayAttention *a)
{
  AssayBackend *like = plan_backend (b)->like;
  return like != NULL ? like->ops->attention_workspace (like, a) : 0;
}

static AssayStatus
plan_gated (AssayBackend *b, float *y, const float *gate, const float *up, size_t n,
            AssayActivation activation)
{
  (void) y, (void) gate, (void) up, (void) n, (void) activation;
  return plan_count (b);
}

static AssayStatus
plan_activate (AssayBackend *b, float *y, const float *x, size_t n, AssayActivation activation)
{
  (void) y, (void) x, (void) n, (void) activation;
  return plan_count (b);
}

static AssayStatus
plan_add (AssayBackend *b, float *y, const float *x, size_t n, float scale)
{
  (void) y, (void) x, (void) n, (void) scale;
  return plan_count (b);
}

static AssayStatus
plan_softmax (AssayBackend *b, float *x, size_t n_rows, size_t n)
{
  (void) x, (void) n_rows, (void) n;
  return plan_count (b);
}

static AssayStatus
plan_soft_cap (AssayBackend *b, float *x, size_t n, float cap)
{
  (void) x, (void) n, (void) cap;
  return plan_count (b);
}

/* A token there always is; that it means nothing does not matter to bytes. */
static AssayStatus
plan_sample (AssayBackend *b, int32_t *token, const float *logits, size_t n, const AssaySampling *s,
             void *workspace)
{
  (void) logits, (void) n, (void) s, (void) workspace;
  *token = 0;
  return plan_count (b);
}

static size_t
plan_sample_workspace (AssayBackend *b, size_t n)
{
  AssayBackend *like = plan_backend (b)->like;
  return like != NULL ? like->ops->sample_workspace (like, n) : 0;
}

static AssayStatus
plan_dequantize (AssayBackend *b, float *y, const AssayTensor *w, size_t first, size_t n_rows)
{
  (void) y, (void) w, (void) first, (void) n_rows;
  return plan_count (b);
}

static AssayStatus
plan_quantize (AssayBackend *b, const AssayTensor *w, const float *x, size_t first, size_t n_rows,
               void *scratch)
{
  (void) w, (void) x, (void) first, (void) n_rows, (void) scratch;
  return plan_count (b);
}

static AssayStatus
plan_quantize_finish (AssayBackend *b, const AssayTensor *w, void *scratch)
{
  (void) w, (void) scratch;
  return plan_count (b);
}

static size_t
plan_quantize_scratch (AssayBackend *b, const AssayTensor *w)
{
  AssayBackend *like = plan_backend (b)->like;
  return like != NULL ? like->ops->quantize_scratch (like, w) : 0;
}

static AssayStatus
plan_sync (AssayBackend *b)
{
  (void) b;
  return ASSAY_OK;
}

static const AssayKernels plan_kernels = {
  .name = "plan",
  .destroy = plan_destroy,
  .alloc = plan_alloc,
  .free = plan_free,
  .upload = plan_upload,
  .download = plan_download,
  .embed = plan_embed,
  .rmsnorm = plan_rmsnorm,
  .layernorm = plan_layernorm,
  .rope = plan_rope,
  .matmul = plan_matmul,
  .matmul_workspace = plan_matmul_workspace,
  .kv_store = plan_kv_store,
  .attention = plan_attention,
  .attention_workspace = plan_attention_workspace,
  .gated = plan_gated,
  .activate = plan_activate,
  .add = plan_add,
  .softmax = plan_softmax,
  .soft_cap = plan_soft_cap,
  .sample = plan_sample,
  .sample_workspace = plan_sample_workspace,
  .dequantize = plan_dequantize,
  .quantize = plan_quantize,
  .quantize_finish = plan_quantize_finish,
  .quantize_scratch = plan_quantize_scratch,
  .sync = plan_sync,
};

AssayBackend *
assay_plan_backend_new (AssayBackend *like, uint64_t limit_bytes)
{
  PlanBackend *self = calloc (1, sizeof *self);
  if (self == NULL)
    return NULL;
  self->base.ops = &plan_kernels;
  self->like = like;
  self->limit = limit_bytes;
  return &self->base;
}

uint64_t
assay_plan_get_bytes (const AssayBackend *b)
{
  return ((const PlanBackend *) b)->bytes;
}

uint64_t
assay_plan_get_peak_bytes (const AssayBackend *b)
{
  return ((const PlanBackend *) b)->peak;
}

void
assay_plan_reset_peak (AssayBackend *b)
{
  plan_backend (b)->peak = plan_backend (b)->bytes;
}

uint64_t
assay_plan_get_n_calls (const AssayBackend *b)
{
  return ((const PlanBackend *) b)->n_calls;
}
