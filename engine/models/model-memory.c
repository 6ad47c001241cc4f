/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/models/model-memory.c: memory beside the weights: the cache once, the rest for passes of a size.
 *
 * A pass allocates nothing, so its peak is known before it begins. */
#include "assay-model-private.h"

#include <inttypes.h>

/* --- the cache: [sequence][layer] keys, then values --- */

#define CACHE_ALIGN 16u /* what a card reads at once; blocks of Q8_0 keys may end anywhere before float values */

static guint64
cache_bytes (const AssayModel *self, AssayDtype dtype, guint head_dim)
{
  const guint64 bytes
      = assay_dtype_matrix_bytes (dtype, (gint64) self->config.n_kv_heads * head_dim, self->context);
  return (bytes + CACHE_ALIGN - 1) / CACHE_ALIGN * CACHE_ALIGN;
}

static AssayTensor
cache_tensor (const AssayModel *self, AssayDtype dtype, guint head_dim, void *data)
{
  const gint64 n = (gint64) self->config.n_kv_heads * head_dim;
  return (AssayTensor) { .dtype = dtype, .shape = { n, self->context, 1, 1 }, .data = data,
                         .row_bytes = assay_dtype_matrix_bytes (dtype, n, 1) };
}

static gboolean
cache_check_rows (const AssayModel *self, AssayDtype dtype, guint head_dim, GError **error)
{
  const AssayDtypeInfo *info = assay_dtype_info (dtype);
  const guint64 n = (guint64) self->config.n_kv_heads * head_dim;
  if (n % info->block_elements == 0)
    return TRUE;
  assay_engine_error_set (error, ASSAY_ENGINE_ERROR_RULE, "cache-rows", NULL, "kv_cache_type", -1,
                          "a cached row of this model has %" PRIu64
                          " elements, which are no whole blocks "
                          "of %s (%u elements each): choose float16 or float32",
                          n, info->name, info->block_elements);
  return FALSE;
}

gboolean
assay_model_check_cache (AssayModel *self, GError **error)
{
  return cache_check_rows (self, self->k_dtype, self->config.head_dim, error)
         && cache_check_rows (self, self->v_dtype, self->config.head_dim_v, error);
}

gboolean
assay_model_allocate_cache (AssayModel *self, GError **error)
{
  const guint64 layer = cache_bytes (self, self->k_dtype, self->config.head_dim)
                        + cache_bytes (self, self->v_dtype, self->config.head_dim_v);
  guint64 total;
  if (!g_uint64_checked_mul (&total, layer, (guint64) self->config.n_layers * self->n_sequences))
    total = G_MAXUINT64; /* refused below, with this number */
  self->kv = assay_device_alloc (self->device, ASSAY_MEMORY_KV_CACHE, total, error);
  return self->kv != NULL;
}

void
assay_model_get_cache (AssayModel *self, guint layer, guint sequence, AssayTensor *k, AssayTensor *v)
{
  const guint64 k_bytes = cache_bytes (self, self->k_dtype, self->config.head_dim);
  const guint64 v_bytes = cache_bytes (self, self->v_dtype, self->config.head_dim_v);
  char *data = assay_buffer_get_data (self->kv);
  data += ((guint64) sequence * self->config.n_layers + layer) * (k_bytes + v_bytes);
  *k = cache_tensor (self, self->k_dtype, self->config.head_dim, data);
  *v = cache_tensor (self, self->v_dtype, self->config.head_dim_v, data + k_bytes);
}

/* --- what a pass works in --- */

/* The greatest rank and the greatest output of linears that have low-rank parts. */
static void
memory_find_low_rank (AssayModel *self, guint64 *rank, guint64 *n_out)
{
  *rank = *n_out = 0;
  for (guint i = 0; i < self->linears->len; i++)
    {
      const AssayLinear *linear = g_ptr_array_index (self->linears, i);
      for (guint k = 0; linear->low_rank != NULL && k < linear->low_rank->len; k++)
        {
          const AssayLowRank *part = &g_array_index (linear->low_rank, AssayLowRank, k);
          *rank = MAX (*rank, (guint64) part->a.shape[1]);
          *n_out = MAX (*n_out, (guint64) part->b.shape[1]);
        }
    }
}

static gboolean
memory_allocate_activations (AssayModel *self, guint n, GError **error)
{
  const guint64 stream = (guint64) n * self->config.n_embd;
  const guint64 scratch = self->graph->scratch_floats (&self->config, n);
  guint64 rank, n_out;
  memory_find_low_rank (self, &rank, &n_out);
  self->activations
      = assay_device_alloc (self->device, ASSAY_MEMORY_ACTIVATIONS,
                            (2 * stream + scratch + n * (rank + n_out)) * sizeof (float), error);
  if (self->activations == NULL)
    return FALSE;
  float *data = assay_buffer_get_data (self->activations);
  self->a = (AssayActivations) { .x = data, .h = data + stream, .scratch = data + 2 * stream,
                                 .low_rank = data + 2 * stream + scratch };
  return TRUE;
}

static gboolean
memory_reserve_pass (AssayModel *self, guint n_tokens, GError **error)
{
  g_clear_pointer (&self->activations, assay_buffer_free);
  g_clear_pointer (&self->workspace, assay_buffer_free);
  self->n_reserved = 0;
  if (!memory_allocate_activations (self, n_tokens, error))
    return FALSE;
  self->workspace = assay_device_alloc (self->device, ASSAY_MEMORY_WORKSPACE,
                                        assay_graph_workspace_bytes (self, n_tokens), error);
  if (self->workspace == NULL)
    return FALSE;
  self->n_reserved = n_tokens;
  return TRUE;
}

static gboolean
memory_reserve_logits (AssayModel *self, guint n_logits, GError **error)
{
  g_clear_pointer (&self->logits, assay_buffer_free);
  self->n_logits_reserved = 0;
  self->logits = assay_device_alloc (self->device, ASSAY_MEMORY_OUTPUT,
                                     (guint64) n_logits * self->config.n_vocab * sizeof (float), error);
  if (self->logits == NULL)
    return FALSE;
  self->n_logits_reserved = n_logits;
  return TRUE;
}

gboolean
assay_model_reserve (AssayModel *self, guint n_tokens, guint n_logits, GError **error)
{
  return (n_tokens <= self->n_reserved || memory_reserve_pass (self, n_tokens, error))
         && (n_logits <= self->n_logits_reserved || memory_reserve_logits (self, n_logits, error));
}

void
assay_model_free_memory (AssayModel *self)
{
  g_clear_pointer (&self->logits, assay_buffer_free);
  g_clear_pointer (&self->workspace, assay_buffer_free);
  g_clear_pointer (&self->activations, assay_buffer_free);
  g_clear_pointer (&self->kv, assay_buffer_free);
  self->n_reserved = self->n_logits_reserved = 0;
}

float *
assay_model_get_logit_rows (AssayModel *self)
{
  return (float *) assay_buffer_get_data (self->logits) + (gsize) self->first_logit * self->config.n_vocab;
}
