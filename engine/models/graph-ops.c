/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/models/graph-ops.c: steps of a pass that families share; each enters its unit before it computes. */
#include "assay-model-private.h"

static AssayBackend *
graph_backend (AssayModel *self)
{
  return assay_device_get_backend (self->device);
}

gboolean
assay_graph_embed (AssayModel *self, float *y, const AssayLinear *table, const gint32 *ids, guint n,
                   float scale, GError **error)
{
  AssayBackend *b = graph_backend (self);
  if (!assay_model_enter (self, table->unit, error))
    return FALSE;
  ASSAY_TRY (embed, y, &table->w, ids, n, scale);
  return TRUE;
}

/* y += scale * b (a x); both products lie in `low_rank`. */
static gboolean
graph_add_low_rank (AssayModel *self, float *y, const AssayLowRank *part, const float *x, guint n,
                    GError **error)
{
  AssayBackend *b = graph_backend (self);
  void *workspace = assay_buffer_get_data (self->workspace);
  float *narrow = self->a.low_rank;                           /* [n, rank] */
  float *wide = narrow + (gsize) n * (gsize) part->a.shape[1]; /* [n, n_out] */
  ASSAY_TRY (matmul, narrow, &part->a, x, n, NULL, workspace);
  ASSAY_TRY (matmul, wide, &part->b, narrow, n, NULL, workspace);
  ASSAY_TRY (add, y, wide, (gsize) n * (gsize) part->b.shape[1], part->scale);
  return TRUE;
}

gboolean
assay_graph_linear (AssayModel *self, float *y, const AssayLinear *linear, const float *x, guint n,
                    GError **error)
{
  AssayBackend *b = graph_backend (self);
  if (!assay_model_enter (self, linear->unit, error))
    return FALSE;
  const float *bias = linear->bias.shape[0] > 0 ? linear->bias.data : NULL;
  ASSAY_TRY (matmul, y, &linear->w, x, n, bias, assay_buffer_get_data (self->workspace));
  for (guint i = 0; linear->low_rank != NULL && i < linear->low_rank->len; i++)
    if (!graph_add_low_rank (self, y, &g_array_index (linear->low_rank, AssayLowRank, i), x, n, error))
      return FALSE;
  return TRUE;
}

gboolean
assay_graph_norm (AssayModel *self, float *y, const AssayNorm *norm, const float *x, guint n_rows, guint n,
                  GError **error)
{
  AssayBackend *b = graph_backend (self);
  if (!assay_model_enter (self, norm->unit, error))
    return FALSE;
  if (norm->bias.shape[0] > 0)
    ASSAY_TRY (layernorm, y, x, norm->w.data, norm->bias.data, n_rows, n, self->config.norm_eps);
  else
    ASSAY_TRY (rmsnorm, y, x, norm->w.data, n_rows, n, self->config.norm_eps);
  return TRUE;
}

/* --- attention --- */

static AssayAttention
graph_attention (AssayModel *self, guint layer, guint n, guint first)
{
  const AssayModelConfig *c = &self->config;
  return (AssayAttention) { .n_heads = c->n_heads, .n_kv_heads = c->n_kv_heads, .head_dim = c->head_dim,
                            .head_dim_v = c->head_dim_v, .n_tokens = n, .first = first,
                            .window = self->layers[layer].window };
}

gboolean
assay_graph_attend (AssayModel *self, const AssayPass *pass, guint layer, float *y, float *q, float *k,
                    const float *v, float scale, float soft_cap, GError **error)
{
  AssayBackend *b = graph_backend (self);
  const AssayModelConfig *c = &self->config;
  const AssayRope *rope = self->layers[layer].rope;
  for (guint i = 0; i < pass->n_spans; i++)
    {
      const AssaySpan *span = &pass->spans[i];
      AssayTensor k_cache, v_cache;
      assay_model_get_cache (self, layer, span->sequence, &k_cache, &v_cache);
      AssayAttention attention = graph_attention (self, layer, span->n, span->first);
      attention.k = &k_cache;
      attention.v = &v_cache;
      attention.scale = scale;
      attention.soft_cap = soft_cap;
      if (rope != NULL)
        {
          ASSAY_TRY (rope, q, rope, span->n, c->n_heads, c->head_dim, span->first);
          ASSAY_TRY (rope, k, rope, span->n, c->n_kv_heads, c->head_dim, span->first);
        }
      ASSAY_TRY (kv_store, &k_cache, k, span->n, span->first);
      ASSAY_TRY (kv_store, &v_cache, v, span->n, span->first);
      ASSAY_TRY (attention, y, q, &attention, assay_buffer_get_data (self->workspace));
      q += (gsize) span->n * c->n_heads * c->head_dim;
      k += (gsize) span->n * c->n_kv_heads * c->head_dim;
      v += (gsize) span->n * c->n_kv_heads * c->head_dim_v;
      y += (gsize) span->n * c->n_heads * c->head_dim_v;
    }
  return TRUE;
}

/* A look-up in x, as in a table. */
gboolean
assay_graph_take_last (AssayModel *self, const AssayPass *pass, float *y, const float *x, GError **error)
{
  AssayBackend *b = graph_backend (self);
  const AssayTensor rows = { .dtype = ASSAY_DTYPE_F32, .shape = { self->config.n_embd, pass->n_tokens, 1, 1 },
                             .row_bytes = self->config.n_embd * sizeof (float), .data = x };
  g_autofree gint32 *last = g_new (gint32, pass->n_spans);
  gint32 end = 0;
  for (guint i = 0; i < pass->n_spans; i++)
    {
      end += (gint32) pass->spans[i].n;
      last[i] = end - 1;
    }
  ASSAY_TRY (embed, y, &rows, last, pass->n_spans, 1.0f);
  return TRUE;
}

/* --- scratch --- */

/* Most matrices of a model have one of a few shapes. */
static void
workspace_add_shape (GPtrArray *shapes, const AssayTensor *w)
{
  for (guint i = 0; i < shapes->len; i++)
    {
      const AssayTensor *seen = g_ptr_array_index (shapes, i);
      if (seen->dtype == w->dtype && seen->shape[0] == w->shape[0] && seen->shape[1] == w->shape[1])
        return;
    }
  g_ptr_array_add (shapes, (gpointer) w);
}

static GPtrArray *
workspace_find_shapes (AssayModel *self)
{
  GPtrArray *shapes = g_ptr_array_new ();
  for (guint i = 0; i < self->linears->len; i++)
    {
      const AssayLinear *linear = g_ptr_array_index (self->linears, i);
      workspace_add_shape (shapes, &linear->w);
      for (guint k = 0; linear->low_rank != NULL && k < linear->low_rank->len; k++)
        {
          workspace_add_shape (shapes, &g_array_index (linear->low_rank, AssayLowRank, k).a);
          workspace_add_shape (shapes, &g_array_index (linear->low_rank, AssayLowRank, k).b);
        }
    }
  return shapes;
}

static gsize
workspace_of_attention (AssayModel *self, guint n)
{
  AssayBackend *b = graph_backend (self);
  gsize most = 0;
  for (guint i = 0; i < self->config.n_layers; i++)
    {
      if (i > 0 && self->layers[i].window == self->layers[i - 1].window)
        continue;
      AssayTensor k, v;
      assay_model_get_cache (self, i, 0, &k, &v);
      AssayAttention attention = graph_attention (self, i, n, self->context - n);
      attention.k = &k;
      attention.v = &v;
      most = MAX (most, b->ops->attention_workspace (b, &attention));
    }
  return most;
}

/* A kernel may need more for few tokens than for many: every size is asked for. */
guint64
assay_graph_workspace_bytes (AssayModel *self, guint n_tokens)
{
  AssayBackend *b = graph_backend (self);
  g_autoptr (GPtrArray) shapes = workspace_find_shapes (self);
  gsize most = b->ops->sample_workspace (b, self->config.n_vocab);
  for (guint n = 1; n <= n_tokens; n++)
    {
      most = MAX (most, workspace_of_attention (self, MIN (n, self->context)));
      for (guint i = 0; i < shapes->len; i++)
        most = MAX (most, b->ops->matmul_workspace (b, g_ptr_array_index (shapes, i), n));
    }
  return most;
}
