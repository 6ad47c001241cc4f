/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/models/model-format.c: which format each matrix is computed with.
 *
 * The customary choices: a GGUF method quantizes every matrix but learned positions, as llama.cpp does;
 * bitsandbytes' methods leave the embedding and the output matrix alone, as Transformers does. Vectors are
 * float32 always. */
#include "assay-model-private.h"

#include <string.h>

void
assay_format_init (AssayModel *self, const AssayWeightFormat *format)
{
  const char *modules = format->modules;
  self->format = *format;
  self->format.modules = NULL; /* borrowed: kept as a list */
  if (modules != NULL && *modules != '\0' && !g_str_equal (modules, "default"))
    self->modules = assay_module_list_new (modules);
}

gboolean
assay_format_check (AssayModel *self, GError **error)
{
  const char *idle = self->modules != NULL ? assay_module_list_get_idle (self->modules) : NULL;
  if (idle == NULL || self->format.quantized == ASSAY_DTYPE_AS_STORED)
    return TRUE;
  g_autofree char *shown = assay_engine_escape (idle, strlen (idle));
  assay_engine_error_set (
      error, ASSAY_ENGINE_ERROR_RULE, "module-unknown", NULL, "quantized_modules", -1,
      "'%s' names no matrix of this model: names are like attn_q, ffn_down or blk.3.attn_q", shown);
  return FALSE;
}

static gboolean
format_is_listed (AssayModel *self, const AssayModelUnit *unit, const char *module,
                  const AssayTensorInfo *stored)
{
  g_autofree char *name
      = unit->group < 0 ? g_strdup (module) : g_strdup_printf ("blk.%d.%s", unit->group, module);
  g_autofree char *own = g_strndup (stored->name.data, stored->name.length);
  return assay_module_list_has (self->modules, name, own);
}

static gboolean
format_is_chosen (AssayModel *self, const AssayModelUnit *unit, const char *module,
                  const AssayTensorInfo *stored)
{
  const AssayDtypeInfo *info = assay_dtype_info (self->format.quantized);
  if (self->modules != NULL)
    return format_is_listed (self, unit, module, stored);
  if (!info->quantized)
    return TRUE;
  if (info->whole)
    return g_str_equal (unit->component, "decoder");
  return !g_str_equal (module, "position_embd");
}

AssayDtype
assay_format_choose (AssayModel *self, const AssayModelUnit *unit, const char *module,
                     const AssayTensorInfo *stored)
{
  const AssayDtype real = self->format.float_dtype, quantized = self->format.quantized;
  if (quantized == ASSAY_DTYPE_AS_STORED || !format_is_chosen (self, unit, module, stored))
    return assay_dtype_info (stored->dtype)->quantized || real == ASSAY_DTYPE_AS_STORED ? stored->dtype
                                                                                        : real;
  if (assay_dtype_info (quantized)->quantized)
    return quantized;
  return real != ASSAY_DTYPE_AS_STORED ? real : quantized;
}

gboolean
assay_weight_is_changed (const AssayWeight *weight)
{
  return weight->dtype != weight->info->dtype || weight->info->change != ASSAY_CHANGE_NONE
         || weight->turn_dim > 0;
}

gboolean
assay_weight_is_in_file (const AssayWeight *weight)
{
  return !assay_weight_is_changed (weight) && weight->info->assembled == 0;
}
