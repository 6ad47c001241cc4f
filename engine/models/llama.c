/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/models/llama.c: Llama, Mistral, SmolLM: pre-norm blocks, grouped-query attention, gated SiLU.
 *
 *   x = embed (tokens)                                             x, h  [n, n_embd]
 *   each layer:  h = norm (x);  q, k, v = h W;  rope (q, k)        q     [n, n_heads, head_dim]
 *                cache k, v;  x += attention (q, cache) W          k, v  [n, n_kv_heads, head_dim]
 *                h = norm (x);  x += (silu (h Wg) * (h Wu)) Wd     gate, up [n, n_ff]
 *   last token:  logits = norm (x) W
 *
 * A GGUF of this family holds q and k for rotation of neighbouring pairs. */
#include "assay-model-private.h"

#include <math.h>

/* Runs one kernel; names itself in the error. */
#define TRY(op, ...) \
  G_STMT_START { \
    const AssayStatus status_ = b->ops->op (b, __VA_ARGS__); \
    if (G_UNLIKELY (status_ != ASSAY_OK)) \
      return assay_device_check (self->device, status_, #op, error); \
  } G_STMT_END

static gboolean
llama_build_layer (AssayModel *self, guint i, GError **error)
{
  AssayLayer *l = &self->layers[i];
  const gint group = (gint) i;
  return assay_model_find_norm (self, "decoder", group, "attn_norm", &l->attn_norm, error)
         && assay_model_find_linear (self, "decoder", group, "attn_q", &l->q, error)
         && assay_model_find_linear (self, "decoder", group, "attn_k", &l->k, error)
         && assay_model_find_linear (self, "decoder", group, "attn_v", &l->v, error)
         && assay_model_find_linear (self, "decoder", group, "attn_output", &l->output, error)
         && assay_model_find_norm (self, "decoder", group, "ffn_norm", &l->ffn_norm, error)
         && assay_model_find_linear (self, "decoder", group, "ffn_gate", &l->gate, error)
         && assay_model_find_linear (self, "decoder", group, "ffn_up", &l->up, error)
         && assay_model_find_linear (self, "decoder", group, "ffn_down", &l->down, error);
}

static gboolean
llama_build (AssayModel *self, GError **error)
{
  const AssayModelConfig *c = &self->config;
  if (!assay_model_find_embedding (self, "token_embd", error))
    return FALSE;
  for (guint i = 0; i < c->n_layers; i++)
    if (!llama_build_layer (self, i, error))
      return FALSE;
  if (c->has_rope_divisor)
    {
      self->rope.divisor = assay_model_find_vector (self, "rope_freqs.weight", error);
      if (self->rope.divisor == NULL)
        return FALSE;
    }
  return assay_model_find_norm (self, "head", -1, "output_norm", &self->output_norm, error)
         && assay_model_find_linear (self, "head", -1, c->tied_output ? "token_embd" : "output", &self->head,
                                     error);
}

static guint64
llama_scratch_floats (const AssayModelConfig *c, guint n)
{
  const guint64 q = (guint64) c->n_heads * c->head_dim, k = (guint64) c->n_kv_heads * c->head_dim;
  const guint64 v = (guint64) c->n_kv_heads * c->head_dim_v, attended = (guint64) c->n_heads * c->head_dim_v;
  return n * MAX (q + k + v + attended, 2 * (guint64) c->n_ff);
}

static AssayAttention
llama_attention (AssayModel *self, const AssayLayer *l, guint n, guint first)
{
  const AssayModelConfig *c = &self->config;
  return (AssayAttention) {
    .k = &l->k_cache, .v = &l->v_cache,
    .n_heads = c->n_heads, .n_kv_heads = c->n_kv_heads, .head_dim = c->head_dim, .head_dim_v = c->head_dim_v,
    .n_tokens = n, .first = first, .window = c->window, .scale = 1.0f / sqrtf ((float) c->head_dim),
  };
}

static gsize
llama_layer_workspace (AssayModel *self, AssayBackend *b, const AssayLayer *l, guint n)
{
  const AssayLinear *linears[] = { &l->q, &l->k, &l->v, &l->output, &l->gate, &l->up, &l->down };
  const AssayAttention attention = llama_attention (self, l, n, self->context - n);
  gsize most = b->ops->attention_workspace (b, &attention);
  for (guint i = 0; i < G_N_ELEMENTS (linears); i++)
    most = MAX (most, b->ops->matmul_workspace (b, &linears[i]->w, n));
  return most;
}

/* A kernel may need more for few tokens than for many: every size of a chunk is asked for. */
static guint64
llama_workspace_bytes (AssayModel *self, guint chunk)
{
  AssayBackend *b = assay_device_get_backend (self->device);
  gsize most = b->ops->matmul_workspace (b, &self->head.w, 1);
  for (guint n = 1; n <= chunk; n++)
    for (guint i = 0; i < self->config.n_layers; i++)
      most = MAX (most, llama_layer_workspace (self, b, &self->layers[i], n));
  return most;
}

static gboolean
llama_linear (AssayModel *self, AssayBackend *b, float *y, const AssayLinear *l, const float *x, guint n,
              GError **error)
{
  if (!assay_model_enter (self, l->unit, error))
    return FALSE;
  TRY (matmul, y, &l->w, x, n, l->bias, assay_buffer_get_data (self->workspace));
  return TRUE;
}

static gboolean
llama_norm (AssayModel *self, AssayBackend *b, float *y, const AssayNorm *norm, const float *x, guint n,
            GError **error)
{
  if (!assay_model_enter (self, norm->unit, error))
    return FALSE;
  TRY (rmsnorm, y, x, norm->w, n, self->config.n_embd, self->config.norm_eps);
  return TRUE;
}

static gboolean
llama_attend (AssayModel *self, AssayBackend *b, const AssayLayer *l, guint n, GError **error)
{
  const AssayModelConfig *c = &self->config;
  const AssayAttention attention = llama_attention (self, l, n, self->position);
  float *h = self->a.h;
  float *q = self->a.scratch;                                  /* [n, n_heads, head_dim] */
  float *k = q + (gsize) n * c->n_heads * c->head_dim;         /* [n, n_kv_heads, head_dim] */
  float *v = k + (gsize) n * c->n_kv_heads * c->head_dim;      /* [n, n_kv_heads, head_dim_v] */
  float *attended = v + (gsize) n * c->n_kv_heads * c->head_dim_v; /* [n, n_heads, head_dim_v] */
  if (!llama_norm (self, b, h, &l->attn_norm, self->a.x, n, error)
      || !llama_linear (self, b, q, &l->q, h, n, error)
      || !llama_linear (self, b, k, &l->k, h, n, error)
      || !llama_linear (self, b, v, &l->v, h, n, error))
    return FALSE;
  TRY (rope, q, &self->rope, n, c->n_heads, c->head_dim, self->position);
  TRY (rope, k, &self->rope, n, c->n_kv_heads, c->head_dim, self->position);
  TRY (kv_store, &l->k_cache, k, n, self->position);
  TRY (kv_store, &l->v_cache, v, n, self->position);
  TRY (attention, attended, q, &attention, assay_buffer_get_data (self->workspace));
  if (!llama_linear (self, b, h, &l->output, attended, n, error))
    return FALSE;
  TRY (add, self->a.x, h, (gsize) n * c->n_embd, 1.0f);
  return TRUE;
}

static gboolean
llama_feed_forward (AssayModel *self, AssayBackend *b, const AssayLayer *l, guint n, GError **error)
{
  const AssayModelConfig *c = &self->config;
  float *h = self->a.h;
  float *gate = self->a.scratch, *up = gate + (gsize) n * c->n_ff; /* [n, n_ff] */
  if (!llama_norm (self, b, h, &l->ffn_norm, self->a.x, n, error)
      || !llama_linear (self, b, gate, &l->gate, h, n, error)
      || !llama_linear (self, b, up, &l->up, h, n, error))
    return FALSE;
  TRY (gated, gate, gate, up, (gsize) n * c->n_ff, ASSAY_ACTIVATION_SILU);
  if (!llama_linear (self, b, h, &l->down, gate, n, error))
    return FALSE;
  TRY (add, self->a.x, h, (gsize) n * c->n_embd, 1.0f);
  return TRUE;
}

static gboolean
llama_forward (AssayModel *self, const gint32 *tokens, guint n, gboolean head, GError **error)
{
  AssayBackend *b = assay_device_get_backend (self->device);
  if (!assay_model_enter (self, self->embedding_unit, error))
    return FALSE;
  TRY (embed, self->a.x, &self->embedding, tokens, n, 1.0f);
  for (guint i = 0; i < self->config.n_layers; i++)
    if (!llama_attend (self, b, &self->layers[i], n, error)
        || !llama_feed_forward (self, b, &self->layers[i], n, error))
      return FALSE;
  if (!head)
    return TRUE;
  const float *last = self->a.x + (gsize) (n - 1) * self->config.n_embd;
  return llama_norm (self, b, self->a.h, &self->output_norm, last, 1, error)
         && llama_linear (self, b, assay_buffer_get_data (self->logits), &self->head, self->a.h, 1, error);
}

const AssayGraph assay_llama_graph = {
  .architecture = "llama",
  .build = llama_build,
  .scratch_floats = llama_scratch_floats,
  .workspace_bytes = llama_workspace_bytes,
  .forward = llama_forward,
};
