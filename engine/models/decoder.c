/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/models/decoder.c: the graph of every family here: Llama, Mistral, Qwen, Gemma, Phi, GPT-2.
 *
 *   x = embed (tokens) * scale [+ positions]                       x, h  [n, n_embd]
 *   each layer:  h = norm (x);  q, k, v = h W                      q     [n, n_heads, head_dim]
 *                [q, k = norm of each head];  rope (q, k)          k, v  [n, n_kv_heads, head_dim]
 *                cache k, v;  h = attention (q, cache) W;  x += [norm] (h)
 *                h = norm (x);  h = (act (h Wg) * (h Wu)) Wd       gate, up [n, n_ff]
 *                or             h = act (h Wu) Wd;         x += [norm] (h)
 *   last tokens: logits = [cap] (norm (x) W)
 *
 * They differ by the config's features only, each of them one line of a pass; so they share one file. Fused
 * matrices are rows of q, k, v and of gate, up: they are declared as parts, and the pass knows nothing of
 * it. */
#include "assay-model-private.h"

static void
decoder_build_fused (AssayModel *self, gint group, AssayLayer *l)
{
  const AssayModelConfig *c = &self->config;
  const guint64 q = (guint64) c->n_heads * c->head_dim, k = (guint64) c->n_kv_heads * c->head_dim;
  const guint64 v = (guint64) c->n_kv_heads * c->head_dim_v;
  assay_model_add_linear_part (self, "decoder", group, "attn_qkv", "attn_q", 0, q, &l->q);
  assay_model_add_linear_part (self, "decoder", group, "attn_qkv", "attn_k", q, k, &l->k);
  assay_model_add_linear_part (self, "decoder", group, "attn_qkv", "attn_v", q + k, v, &l->v);
}

static void
decoder_build_attention (AssayModel *self, gint group, AssayLayer *l)
{
  const AssayModelConfig *c = &self->config;
  assay_model_add_norm (self, "decoder", group, "attn_norm", &l->attn_norm);
  if (c->fused_qkv)
    decoder_build_fused (self, group, l);
  else
    {
      assay_model_add_linear (self, "decoder", group, "attn_q", &l->q);
      assay_model_add_linear (self, "decoder", group, "attn_k", &l->k);
      assay_model_add_linear (self, "decoder", group, "attn_v", &l->v);
    }
  if (c->qk_norm)
    {
      assay_model_add_norm (self, "decoder", group, "attn_q_norm", &l->q_norm);
      assay_model_add_norm (self, "decoder", group, "attn_k_norm", &l->k_norm);
    }
  assay_model_add_linear (self, "decoder", group, "attn_output", &l->output);
  if (c->post_norms)
    assay_model_add_norm (self, "decoder", group, "post_attention_norm", &l->post_attn_norm);
}

static void
decoder_build_feed_forward (AssayModel *self, gint group, AssayLayer *l)
{
  const AssayModelConfig *c = &self->config;
  assay_model_add_norm (self, "decoder", group, "ffn_norm", &l->ffn_norm);
  if (c->fused_gate_up)
    {
      assay_model_add_linear_part (self, "decoder", group, "ffn_up", "ffn_gate", 0, c->n_ff, &l->gate);
      assay_model_add_linear_part (self, "decoder", group, "ffn_up", "ffn_up", c->n_ff, c->n_ff, &l->up);
    }
  else
    {
      if (c->gated)
        assay_model_add_linear (self, "decoder", group, "ffn_gate", &l->gate);
      assay_model_add_linear (self, "decoder", group, "ffn_up", &l->up);
    }
  assay_model_add_linear (self, "decoder", group, "ffn_down", &l->down);
  if (c->post_norms)
    assay_model_add_norm (self, "decoder", group, "post_ffw_norm", &l->post_ffn_norm);
}

/* Positions that were learned end with their table. */
static gboolean
decoder_check_context (AssayModel *self, GError **error)
{
  const AssayModelConfig *c = &self->config;
  if (!c->learned_positions || self->context <= c->context_length)
    return TRUE;
  assay_engine_error_set (error, ASSAY_ENGINE_ERROR_RULE, "context-beyond-positions", NULL, "context_length",
                          -1,
                          "%u tokens; this %s has learned %u positions and no others: choose at most %u",
                          self->context, c->architecture, c->context_length, c->context_length);
  return FALSE;
}

static gboolean
decoder_build (AssayModel *self, GError **error)
{
  const AssayModelConfig *c = &self->config;
  if (!decoder_check_context (self, error))
    return FALSE;
  self->ropes[1] = c->rope_local;
  assay_model_add_embedding (self, "token_embd", &self->embedding);
  if (c->learned_positions)
    assay_model_add_embedding (self, "position_embd", &self->positions);
  for (guint i = 0; i < c->n_layers; i++)
    {
      AssayLayer *l = &self->layers[i];
      l->window = assay_config_get_window (c, i);
      l->rope = c->learned_positions ? NULL : &self->ropes[l->window > 0 && c->has_rope_local];
      decoder_build_attention (self, (gint) i, l);
      decoder_build_feed_forward (self, (gint) i, l);
    }
  assay_model_add_norm (self, "head", -1, "output_norm", &self->output_norm);
  assay_model_add_linear (self, "head", -1, c->tied_output ? "token_embd" : "output", &self->head);
  return TRUE;
}

static guint64
decoder_scratch_floats (const AssayModelConfig *c, guint n)
{
  const guint64 q = (guint64) c->n_heads * c->head_dim, k = (guint64) c->n_kv_heads * c->head_dim;
  const guint64 v = (guint64) c->n_kv_heads * c->head_dim_v, attended = (guint64) c->n_heads * c->head_dim_v;
  return n * MAX (q + k + v + attended, (c->gated ? 2 : 1) * (guint64) c->n_ff);
}

static gboolean
decoder_embed (AssayModel *self, const AssayPass *pass, GError **error)
{
  const AssayModelConfig *c = &self->config;
  AssayBackend *b = assay_device_get_backend (self->device);
  const guint n = pass->n_tokens;
  if (!assay_graph_embed (self, self->a.x, &self->embedding, pass->tokens, n, c->embedding_scale, error))
    return FALSE;
  if (!c->learned_positions)
    return TRUE;
  g_autofree gint32 *positions = g_new (gint32, n);
  for (guint s = 0, at = 0; s < pass->n_spans; s++)
    for (guint i = 0; i < pass->spans[s].n; i++)
      positions[at++] = (gint32) (pass->spans[s].first + i);
  if (!assay_graph_embed (self, self->a.h, &self->positions, positions, n, 1, error))
    return FALSE;
  ASSAY_TRY (add, self->a.x, self->a.h, (gsize) n * c->n_embd, 1);
  return TRUE;
}

/* x += [norm] (h) */
static gboolean
decoder_add (AssayModel *self, const AssayNorm *norm, guint n, GError **error)
{
  const AssayModelConfig *c = &self->config;
  AssayBackend *b = assay_device_get_backend (self->device);
  float *h = self->a.h;
  if (c->post_norms && !assay_graph_norm (self, h, norm, h, n, c->n_embd, error))
    return FALSE;
  ASSAY_TRY (add, self->a.x, h, (gsize) n * c->n_embd, 1);
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
  if (!assay_graph_norm (self, h, &l->attn_norm, self->a.x, n, c->n_embd, error)
      || !assay_graph_linear (self, q, &l->q, h, n, error)
      || !assay_graph_linear (self, k, &l->k, h, n, error)
      || !assay_graph_linear (self, v, &l->v, h, n, error))
    return FALSE;
  if (c->qk_norm
      && (!assay_graph_norm (self, q, &l->q_norm, q, n * c->n_heads, c->head_dim, error)
          || !assay_graph_norm (self, k, &l->k_norm, k, n * c->n_kv_heads, c->head_dim, error)))
    return FALSE;
  return assay_graph_attend (self, pass, layer, attended, q, k, v, c->attention_scale, c->attention_soft_cap,
                             error)
         && assay_graph_linear (self, h, &l->output, attended, n, error)
         && decoder_add (self, &l->post_attn_norm, n, error);
}

static gboolean
decoder_feed_forward (AssayModel *self, const AssayLayer *l, guint n, GError **error)
{
  const AssayModelConfig *c = &self->config;
  AssayBackend *b = assay_device_get_backend (self->device);
  const gsize n_inner = (gsize) n * c->n_ff;
  float *h = self->a.h;
  float *up = self->a.scratch, *gate = up + n_inner; /* [n, n_ff] */
  if (!assay_graph_norm (self, h, &l->ffn_norm, self->a.x, n, c->n_embd, error)
      || (c->gated && !assay_graph_linear (self, gate, &l->gate, h, n, error))
      || !assay_graph_linear (self, up, &l->up, h, n, error))
    return FALSE;
  if (c->gated)
    ASSAY_TRY (gated, up, gate, up, n_inner, c->activation);
  else
    ASSAY_TRY (activate, up, up, n_inner, c->activation);
  return assay_graph_linear (self, h, &l->down, up, n, error) && decoder_add (self, &l->post_ffn_norm, n,
                                                                              error);
}

static gboolean
decoder_head (AssayModel *self, const AssayPass *pass, GError **error)
{
  const AssayModelConfig *c = &self->config;
  AssayBackend *b = assay_device_get_backend (self->device);
  float *h = self->a.h, *logits = assay_model_get_logit_rows (self);
  const guint n = pass->n_logits;
  if (!assay_graph_take_last (self, pass, h, self->a.x, error)
      || !assay_graph_norm (self, h, &self->output_norm, h, n, c->n_embd, error)
      || !assay_graph_linear (self, logits, &self->head, h, n, error))
    return FALSE;
  if (c->output_soft_cap > 0)
    ASSAY_TRY (soft_cap, logits, (gsize) n * c->n_vocab, c->output_soft_cap);
  return TRUE;
}

static gboolean
decoder_forward (AssayModel *self, const AssayPass *pass, GError **error)
{
  if (!decoder_embed (self, pass, error))
    return FALSE;
  for (guint i = 0; i < self->config.n_layers; i++)
    if (!decoder_attend (self, pass, i, error)
        || !decoder_feed_forward (self, &self->layers[i], pass->n_tokens, error))
      return FALSE;
  return pass->n_logits == 0 || decoder_head (self, pass, error);
}

const AssayGraph assay_decoder_graph = {
  .build = decoder_build,
  .scratch_floats = decoder_scratch_floats,
  .forward = decoder_forward,
};
