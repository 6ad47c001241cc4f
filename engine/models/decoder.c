/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/models/decoder.c: Llama, Mistral, SmolLM: pre-norm blocks, grouped-query attention, gated SiLU.
 *
 *   x = embed (tokens)                                             x, h  [n, n_embd]
 *   each layer:  h = norm (x);  q, k, v = h W;  rope (q, k)        q     [n, n_heads, head_dim]
 *                cache k, v;  x += attention (q, cache) W          k, v  [n, n_kv_heads, head_dim]
 *                h = norm (x);  x += (silu (h Wg) * (h Wu)) Wd     gate, up [n, n_ff]
 *   last tokens: logits = norm (x) W
 *
 * A GGUF of this family holds q and k for rotation of neighbouring pairs. */
#include "assay-model-private.h"

#include <math.h>

static void
decoder_build_layer (AssayModel *self, guint i)
{
  AssayLayer *l = &self->layers[i];
  const gint group = (gint) i;
  l->rope = &self->ropes[0];
  l->window = self->config.window;
  assay_model_add_norm (self, "decoder", group, "attn_norm", &l->attn_norm);
  assay_model_add_linear (self, "decoder", group, "attn_q", &l->q);
  assay_model_add_linear (self, "decoder", group, "attn_k", &l->k);
  assay_model_add_linear (self, "decoder", group, "attn_v", &l->v);
  assay_model_add_linear (self, "decoder", group, "attn_output", &l->output);
  assay_model_add_norm (self, "decoder", group, "ffn_norm", &l->ffn_norm);
  assay_model_add_linear (self, "decoder", group, "ffn_gate", &l->gate);
  assay_model_add_linear (self, "decoder", group, "ffn_up", &l->up);
  assay_model_add_linear (self, "decoder", group, "ffn_down", &l->down);
}

static gboolean
decoder_build (AssayModel *self, GError **error)
{
  const AssayModelConfig *c = &self->config;
  assay_model_add_embedding (self, "token_embd", &self->embedding);
  for (guint i = 0; i < c->n_layers; i++)
    decoder_build_layer (self, i);
  assay_model_add_norm (self, "head", -1, "output_norm", &self->output_norm);
  assay_model_add_linear (self, "head", -1, c->tied_output ? "token_embd" : "output", &self->head);
  return TRUE;
}

static guint64
decoder_scratch_floats (const AssayModelConfig *c, guint n)
{
  const guint64 q = (guint64) c->n_heads * c->head_dim, k = (guint64) c->n_kv_heads * c->head_dim;
  const guint64 v = (guint64) c->n_kv_heads * c->head_dim_v, attended = (guint64) c->n_heads * c->head_dim_v;
  return n * MAX (q + k + v + attended, 2 * (guint64) c->n_ff);
}

static gboolean
decoder_add (AssayModel *self, guint n, GError **error)
{
  AssayBackend *b = assay_device_get_backend (self->device);
  ASSAY_TRY (add, self->a.x, self->a.h, (gsize) n * self->config.n_embd, 1.0f);
  return TRUE;
}

static gboolean
decoder_attend (AssayModel *self, const AssayPass *pass, guint layer, GError **error)
{
  const AssayModelConfig *c = &self->config;
  const AssayLayer *l = &self->layers[layer];
  const guint n = pass->n_tokens;
  float *h = self->a.h;
  float *q = self->a.scratch;                                      /* [n, n_heads, head_dim] */
  float *k = q + (gsize) n * c->n_heads * c->head_dim;             /* [n, n_kv_heads, head_dim] */
  float *v = k + (gsize) n * c->n_kv_heads * c->head_dim;          /* [n, n_kv_heads, head_dim_v] */
  float *attended = v + (gsize) n * c->n_kv_heads * c->head_dim_v; /* [n, n_heads, head_dim_v] */
  return assay_graph_norm (self, h, &l->attn_norm, self->a.x, n, c->n_embd, error)
         && assay_graph_linear (self, q, &l->q, h, n, error)
         && assay_graph_linear (self, k, &l->k, h, n, error)
         && assay_graph_linear (self, v, &l->v, h, n, error)
         && assay_graph_attend (self, pass, layer, attended, q, k, v, 1.0f / sqrtf ((float) c->head_dim), 0, error)
         && assay_graph_linear (self, h, &l->output, attended, n, error)
         && decoder_add (self, n, error);
}

static gboolean
decoder_feed_forward (AssayModel *self, const AssayLayer *l, guint n, GError **error)
{
  AssayBackend *b = assay_device_get_backend (self->device);
  const AssayModelConfig *c = &self->config;
  float *h = self->a.h;
  float *gate = self->a.scratch, *up = gate + (gsize) n * c->n_ff; /* [n, n_ff] */
  if (!assay_graph_norm (self, h, &l->ffn_norm, self->a.x, n, c->n_embd, error)
      || !assay_graph_linear (self, gate, &l->gate, h, n, error)
      || !assay_graph_linear (self, up, &l->up, h, n, error))
    return FALSE;
  ASSAY_TRY (gated, gate, gate, up, (gsize) n * c->n_ff, ASSAY_ACTIVATION_SILU);
  return assay_graph_linear (self, h, &l->down, gate, n, error) && decoder_add (self, n, error);
}

static gboolean
decoder_forward (AssayModel *self, const AssayPass *pass, GError **error)
{
  const guint n = pass->n_tokens, n_embd = self->config.n_embd;
  if (!assay_graph_embed (self, self->a.x, &self->embedding, pass->tokens, n, 1.0f, error))
    return FALSE;
  for (guint i = 0; i < self->config.n_layers; i++)
    if (!decoder_attend (self, pass, i, error) || !decoder_feed_forward (self, &self->layers[i], n, error))
      return FALSE;
  if (pass->n_logits == 0)
    return TRUE;
  float *h = self->a.h;
  return assay_graph_take_last (self, pass, h, self->a.x, error)
         && assay_graph_norm (self, h, &self->output_norm, h, pass->n_logits, n_embd, error)
         && assay_graph_linear (self, assay_model_get_logit_rows (self), &self->head, h, pass->n_logits, error);
}

const AssayGraph assay_decoder_graph = {
  .build = decoder_build,
  .scratch_floats = decoder_scratch_floats,
  .forward = decoder_forward,
};
