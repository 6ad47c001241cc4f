/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/models/model-attach.c: an adapter's low-rank parts beside the model's linears.
 *
 * Where the file holds q, k and v (or gate and up) as one matrix, a part for the whole is cut: every linear
 * takes its rows of B, and A is held once. Rows of B for q and k follow the order in which the model's own
 * rows rotate. */
#include "assay-model-private.h"

#include <inttypes.h>
#include <string.h>

static gboolean
attach_fail (AssayAdapter *adapter, AssayEngineError code, const char *reason, const char *module,
             GError **error, const char *message)
{
  g_autofree char *shown = module != NULL ? assay_engine_escape (module, strlen (module)) : NULL;
  assay_engine_error_set (error, code, reason, assay_model_file_get_path (assay_adapter_get_file (adapter)),
                          shown, -1, "%s", message);
  return FALSE;
}

static gboolean
attach_check_architecture (AssayModel *self, AssayAdapter *adapter, GError **error)
{
  const char *made_for = assay_adapter_get_architecture (adapter);
  if (made_for == NULL || g_str_equal (made_for, self->config.architecture))
    return TRUE;
  g_autofree char *shown = assay_engine_escape (made_for, strlen (made_for));
  g_autofree char *message
      = g_strdup_printf ("the adapter was made for '%s', the model is a %s: choose one made for it", shown,
                         self->config.architecture);
  return attach_fail (adapter, ASSAY_ENGINE_ERROR_RULE, "adapter-architecture", NULL, error, message);
}

/* The linears that the part is for; a tied output matrix goes by two names. */
static GArray *
attach_find (AssayModel *self, AssayAdapter *adapter, const AssayAdapterPart *part, GError **error)
{
  GArray *rows = g_hash_table_lookup (self->names, part->module);
  if (rows == NULL && self->config.tied_output && g_str_equal (part->module, "output"))
    rows = g_hash_table_lookup (self->names, "token_embd");
  if (rows == NULL)
    attach_fail (adapter, ASSAY_ENGINE_ERROR_RULE, "adapter-module-unknown", part->module, error,
                 "the model has no such linear module: the adapter was made for another model");
  return rows;
}

static gboolean
attach_check_shape (AssayAdapter *adapter, const AssayAdapterPart *part, GArray *rows, GError **error)
{
  gint64 n_out = 0;
  const AssayTensor *w = &g_array_index (rows, AssayLinearRows, 0).linear->w;
  for (guint i = 0; i < rows->len; i++)
    n_out += g_array_index (rows, AssayLinearRows, i).linear->w.shape[1];
  if (part->a->shape[0] == w->shape[0] && part->b->shape[1] == n_out
      && part->a->shape[1] == part->b->shape[0])
    return TRUE;
  g_autofree char *message = g_strdup_printf (
      "A is %" PRId64 " × %" PRId64 ", B is %" PRId64 " × %" PRId64
      "; the model's matrix is %" PRId64 " × %" PRId64
      ": the adapter was made for another model",
      part->a->shape[0], part->a->shape[1], part->b->shape[0], part->b->shape[1], w->shape[0], n_out);
  return attach_fail (adapter, ASSAY_ENGINE_ERROR_RULE, "adapter-shape", part->module, error, message);
}

/* --- adding --- */

/* A head's size where rows of q and k change their order, else 0. */
static guint
attach_get_turn_dim (AssayModel *self, AssayAdapter *adapter, const char *module)
{
  const gboolean gguf_adjacent = g_str_equal (self->config.architecture, "llama");
  const gboolean adjacent = !assay_adapter_is_half_split (adapter) && gguf_adjacent;
  const gboolean rotates = g_str_has_suffix (module, ".attn_q") || g_str_has_suffix (module, ".attn_k");
  return rotates && adjacent != self->config.rope.adjacent ? self->config.head_dim : 0;
}

static AssayWeight
attach_weight (AssayAdapter *adapter, const AssayTensorInfo *info, AssayLinear *linear)
{
  return (AssayWeight) { .file = assay_adapter_get_file (adapter), .info = info, .n = info->shape[0],
                         .n_rows = (guint64) info->shape[1], .unit = linear->unit, .dtype = ASSAY_DTYPE_F32,
                         .linear = linear, .part = linear->low_rank->len, .twin = -1 };
}

static void
attach_add_weight (AssayModel *self, AssayWeight *weight, AssayTensor *tensor)
{
  weight->bytes = assay_dtype_matrix_bytes (weight->dtype, weight->n, (gint64) weight->n_rows);
  *tensor = assay_weight_get_tensor (weight);
  g_array_append_val (self->weights, *weight);
}

static void
attach_add (AssayModel *self, AssayAdapter *adapter, const AssayAdapterPart *part,
            const AssayLinearRows *rows, float scale)
{
  AssayLinear *linear = rows->linear;
  if (linear->low_rank == NULL)
    linear->low_rank = g_array_new (FALSE, TRUE, sizeof (AssayLowRank));
  AssayLowRank low_rank = { .scale = part->scale * scale };
  AssayWeight a = attach_weight (adapter, part->a, linear), b = attach_weight (adapter, part->b, linear);
  b.is_b = TRUE;
  b.first_row = rows->first_row;
  b.n_rows = (guint64) linear->w.shape[1];
  b.turn_dim = attach_get_turn_dim (self, adapter, part->module);
  b.turn_adjacent = self->config.rope.adjacent;
  attach_add_weight (self, &a, &low_rank.a);
  attach_add_weight (self, &b, &low_rank.b);
  g_array_append_val (linear->low_rank, low_rank);
}

gboolean
assay_model_attach (AssayModel *self, AssayAdapter *adapter, float scale, GError **error)
{
  g_return_val_if_fail (self->placement == NULL, FALSE);
  const guint n = assay_adapter_get_n_parts (adapter);
  if (!attach_check_architecture (self, adapter, error))
    return FALSE;
  for (guint i = 0; i < n; i++)
    {
      const AssayAdapterPart *part = assay_adapter_get_part (adapter, i);
      GArray *rows = attach_find (self, adapter, part, error);
      if (rows == NULL || !attach_check_shape (adapter, part, rows, error))
        return FALSE;
    }
  if (!assay_device_is_plan (self->device) && !assay_model_file_map (assay_adapter_get_file (adapter), error))
    return FALSE;
  g_ptr_array_add (self->adapters, assay_adapter_ref (adapter));
  for (guint i = 0; i < n; i++)
    {
      const AssayAdapterPart *part = assay_adapter_get_part (adapter, i);
      GArray *rows = attach_find (self, adapter, part, error);
      for (guint k = 0; k < rows->len; k++)
        attach_add (self, adapter, part, &g_array_index (rows, AssayLinearRows, k), scale);
    }
  assay_model_set_unit_bytes (self);
  return TRUE;
}
