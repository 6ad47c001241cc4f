/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/models/model-weights.c: units and their tensors, as build() declares them.
 *
 * Nothing is read here and nothing can fail for want of memory; what a format rule forbids is kept as the
 * model's first build error, so that a family's build() is a plain list of what it has. */
#include "assay-model-private.h"

#include <inttypes.h>
#include <string.h>

void
assay_model_init_weights (AssayModel *self)
{
  self->units = g_array_new (FALSE, FALSE, sizeof (AssayModelUnit));
  self->weights = g_array_new (FALSE, FALSE, sizeof (AssayWeight));
  self->linears = g_ptr_array_new ();
  self->names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_array_unref);
}

void
assay_model_clear_weights (AssayModel *self)
{
  for (guint i = 0; i < self->linears->len; i++)
    g_clear_pointer (&((AssayLinear *) g_ptr_array_index (self->linears, i))->low_rank, g_array_unref);
  g_hash_table_unref (self->names);
  g_ptr_array_unref (self->linears);
  g_array_unref (self->weights);
  g_array_unref (self->units);
  g_clear_error (&self->build_error);
}

AssayWeight *
assay_model_get_weight (AssayModel *self, guint i)
{
  return &g_array_index (self->weights, AssayWeight, i);
}

AssayTensor
assay_weight_get_tensor (const AssayWeight *weight)
{
  const AssayDtypeInfo *info = assay_dtype_info (weight->dtype);
  return (AssayTensor) {
    .dtype = weight->dtype,
    .shape = { weight->n, (gint64) weight->n_rows, 1, 1 },
    .row_bytes = info->whole ? 0 : (gsize) weight->n / info->block_elements * info->block_bytes,
  };
}

AssayTensor *
assay_weight_get_target (const AssayWeight *weight)
{
  if (weight->tensor != NULL)
    return weight->tensor;
  AssayLowRank *part = &g_array_index (weight->linear->low_rank, AssayLowRank, weight->part);
  return weight->is_b ? &part->b : &part->a;
}

void
assay_model_set_unit_bytes (AssayModel *self)
{
  for (guint i = 0; i < self->units->len; i++)
    g_array_index (self->units, AssayModelUnit, i).weight_bytes = 0;
  for (guint i = 0; i < self->weights->len; i++)
    {
      const AssayWeight *weight = assay_model_get_weight (self, i);
      g_array_index (self->units, AssayModelUnit, weight->unit).weight_bytes += weight->bytes;
    }
}

/* --- declaring --- */

/* Neighbouring parts of one fused matrix make one unit. */
static guint
weights_add_unit (AssayModel *self, const char *component, gint group, const char *module)
{
  const AssayModelUnit unit = { component, group, module, 0 };
  if (self->units->len > 0)
    {
      const AssayModelUnit *last = &g_array_index (self->units, AssayModelUnit, self->units->len - 1);
      if (last->group == group && g_str_equal (last->module, module)
          && g_str_equal (last->component, component))
        return self->units->len - 1;
    }
  g_array_append_val (self->units, unit);
  return self->units->len - 1;
}

static char *
weights_dup_name (gint group, const char *module, const char *suffix)
{
  return group < 0 ? g_strconcat (module, suffix, NULL)
                   : g_strdup_printf ("blk.%d.%s%s", group, module, suffix);
}

static const AssayTensorInfo *
weights_require (AssayModel *self, const char *name)
{
  const AssayTensorInfo *info = assay_model_file_find_tensor (self->file, name);
  if (info == NULL && self->build_error == NULL)
    assay_engine_error_set (&self->build_error, ASSAY_ENGINE_ERROR_FORMAT, "tensor-missing",
                            assay_model_file_get_path (self->file), name, -1,
                            "the tensor is not in the file");
  return info;
}

static void
weights_refuse_format (AssayModel *self, const AssayWeight *weight, const char *name)
{
  const AssayDtypeInfo *info = assay_dtype_info (weight->dtype);
  if (self->build_error == NULL)
    assay_engine_error_set (&self->build_error, ASSAY_ENGINE_ERROR_RULE, "format-rows", NULL, name, -1,
                            "its rows of %" PRId64
                            " elements are no whole blocks of %s (%u elements each): "
                            "choose another quantization, or leave the module out with quantized_modules",
                            weight->n, info->name, info->block_elements);
}

static gboolean
weights_check_split (AssayModel *self, const AssayTensorInfo *info, guint64 first, const char *name)
{
  if (assay_tensor_info_can_split (info, first))
    return TRUE;
  if (self->build_error == NULL)
    assay_engine_error_set (&self->build_error, ASSAY_ENGINE_ERROR_UNSUPPORTED, "format-split",
                            assay_model_file_get_part_path (self->file, info->part), name, -1,
                            "is several matrices in one, and a block of %s lies across the border at row "
                            "%" PRIu64 "; choose the unquantized model",
                            assay_dtype_info (info->dtype)->name, first);
  return FALSE;
}

/* weight: all but dtype and bytes. */
static void
weights_append (AssayModel *self, AssayWeight *weight, const char *name, const char *as)
{
  const AssayModelUnit *unit = &g_array_index (self->units, AssayModelUnit, weight->unit);
  weight->twin = -1;
  weight->dtype = weight->vector ? ASSAY_DTYPE_F32
                                 : assay_format_choose (self, unit, as, weight->info);
  weight->bytes = assay_dtype_matrix_bytes (weight->dtype, weight->n, (gint64) weight->n_rows);
  if (weight->bytes == 0)
    weights_refuse_format (self, weight, name);
  *weight->tensor = assay_weight_get_tensor (weight);
  g_array_append_val (self->weights, *weight);
}

static void
weights_add_matrix (AssayModel *self, guint unit, const char *name, const char *as, guint64 first,
                    guint64 n_rows, AssayTensor *tensor)
{
  const AssayTensorInfo *info = weights_require (self, name);
  if (info == NULL || !weights_check_split (self, info, first, name))
    return;
  AssayWeight weight = { .file = self->file,
                         .info = info,
                         .first_row = first,
                         .unit = unit,
                         .n = info->shape[0],
                         .n_rows = n_rows > 0 ? n_rows : (guint64) info->shape[1],
                         .tensor = tensor };
  weights_append (self, &weight, name, as);
}

/* n: elements from `first` on; 0: all of them. Absent ones are left alone. */
static void
weights_add_vector (AssayModel *self, guint unit, const char *name, guint64 first, guint64 n,
                    AssayTensor *tensor)
{
  const AssayTensorInfo *info = assay_model_file_find_tensor (self->file, name);
  if (info == NULL)
    return;
  AssayWeight weight = { .file = self->file, .info = info, .first_row = first, .n_rows = 1, .unit = unit,
                         .n = n > 0 ? (gint64) n : info->shape[0], .vector = TRUE, .tensor = tensor };
  weights_append (self, &weight, name, NULL);
}

static void
weights_add_name (AssayModel *self, char *name, AssayLinear *linear, guint64 first)
{
  const AssayLinearRows rows = { linear, first };
  GArray *list = g_hash_table_lookup (self->names, name);
  if (list == NULL)
    {
      list = g_array_new (FALSE, FALSE, sizeof (AssayLinearRows));
      g_hash_table_insert (self->names, g_strdup (name), list);
    }
  g_array_append_val (list, rows);
  g_free (name);
}

void
assay_model_add_embedding (AssayModel *self, const char *module, AssayLinear *out)
{
  g_autofree char *name = weights_dup_name (-1, module, ".weight");
  *out = (AssayLinear) { .unit = weights_add_unit (self, "embedding", -1, module) };
  weights_add_matrix (self, out->unit, name, module, 0, 0, &out->w);
}

void
assay_model_add_linear_part (AssayModel *self, const char *component, gint group, const char *module,
                             const char *as, guint64 first, guint64 n_rows, AssayLinear *out)
{
  g_autofree char *weight = weights_dup_name (group, module, ".weight");
  g_autofree char *bias = weights_dup_name (group, module, ".bias");
  *out = (AssayLinear) { .unit = weights_add_unit (self, component, group, module) };
  weights_add_matrix (self, out->unit, weight, as, first, n_rows, &out->w);
  weights_add_vector (self, out->unit, bias, first, n_rows, &out->bias);
  g_ptr_array_add (self->linears, out);
  weights_add_name (self, weights_dup_name (group, module, ""), out, first);
  if (!g_str_equal (as, module)) /* a part that is named as the whole has the whole's rows only */
    weights_add_name (self, weights_dup_name (group, as, ""), out, 0);
}

void
assay_model_add_linear (AssayModel *self, const char *component, gint group, const char *module,
                        AssayLinear *out)
{
  assay_model_add_linear_part (self, component, group, module, module, 0, 0, out);
}

void
assay_model_add_norm (AssayModel *self, const char *component, gint group, const char *module, AssayNorm *out)
{
  g_autofree char *weight = weights_dup_name (group, module, ".weight");
  g_autofree char *bias = weights_dup_name (group, module, ".bias");
  *out = (AssayNorm) { .unit = weights_add_unit (self, component, group, module) };
  if (weights_require (self, weight) != NULL)
    weights_add_vector (self, out->unit, weight, 0, 0, &out->w);
  weights_add_vector (self, out->unit, bias, 0, 0, &out->bias);
}
