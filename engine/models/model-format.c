/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/models/model-format.c: which format each matrix is computed with.
 *
 * The customary choices: a GGUF method quantizes every matrix but learned positions, as llama.cpp does;
 * bitsandbytes' methods leave the embedding and the output matrix alone, as Transformers does. Vectors are
 * float32 always. */
#include "assay-format.h"
#include "assay-model-private.h"

#include <string.h>

static gboolean
format_fits (AssayDtype dtype, gint64 n)
{
  const AssayDtypeInfo *info = assay_dtype_info (dtype);
  return info->whole || n % info->block_elements == 0;
}

AssayDtype
assay_format_fit (AssayDtype wanted, gint64 n)
{
  static const AssayDtype nearest[][2] = { { ASSAY_DTYPE_Q4_K, ASSAY_DTYPE_Q5_0 },
                                           { ASSAY_DTYPE_Q5_K, ASSAY_DTYPE_Q5_1 },
                                           { ASSAY_DTYPE_Q6_K, ASSAY_DTYPE_Q8_0 } };
  if (format_fits (wanted, n))
    return wanted;
  for (guint i = 0; i < G_N_ELEMENTS (nearest); i++)
    if (nearest[i][0] == wanted && format_fits (nearest[i][1], n))
      return nearest[i][1];
  return ASSAY_DTYPE_F16;
}

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
format_is_listed (AssayModel *self,
                  const AssayModelUnit *unit,
                  const char *module,
                  const AssayTensorInfo *stored)
{
  g_autofree char *name
      = unit->group < 0 ? g_strdup (module) : g_strdup_printf ("blk.%d.%s", unit->group, module);
  g_autofree char *own = g_strndup (stored->name.data, stored->name.length);
  return assay_module_list_has (self->modules, name, own);
}

static gboolean
format_is_chosen (AssayModel *self,
                  const AssayModelUnit *unit,
                  const char *module,
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
assay_format_choose (AssayModel *self,
                     const AssayModelUnit *unit,
                     const char *module,
                     const AssayTensorInfo *stored)
{
  const AssayDtype real = self->format.float_dtype, quantized = self->format.quantized;
  if (quantized == ASSAY_DTYPE_AS_STORED || !format_is_chosen (self, unit, module, stored))
    return assay_dtype_info (stored->dtype)->quantized || real == ASSAY_DTYPE_AS_STORED ? stored->dtype
                                                                                        : real;
  if (assay_dtype_info (quantized)
          ->quantized) /* a module that a person names is refused where it does not fit */
    return self->modules != NULL ? quantized : assay_format_fit (quantized, stored->shape[0]);
  return real != ASSAY_DTYPE_AS_STORED ? real : quantized;
}

/* "attn_k attn_q" of the chosen matrices that are of one format now, each once, in the order of a pass.
 * (transfer full) */
static char *
format_dup_modules (AssayModel *self, AssayDtype dtype)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (guint i = 0; i < self->weights->len; i++)
    {
      const AssayWeight *weight = &g_array_index (self->weights, AssayWeight, i);
      const AssayModelUnit *unit = &g_array_index (self->units, AssayModelUnit, weight->unit);
      if (!weight->vector && weight->linear == NULL && weight->dtype == dtype
          && format_is_chosen (self, unit, unit->module, weight->info)
          && !g_ptr_array_find_with_equal_func (names, unit->module, g_str_equal, NULL))
        g_ptr_array_add (names, (gpointer) unit->module);
    }
  g_ptr_array_add (names, NULL);
  return g_strjoinv (" ", (char **) names->pdata);
}

char *
assay_model_dup_fallen_back (AssayModel *self)
{
  const AssayDtype wanted = self->format.quantized;
  static const AssayDtype others[]
      = { ASSAY_DTYPE_Q5_0, ASSAY_DTYPE_Q5_1, ASSAY_DTYPE_Q8_0, ASSAY_DTYPE_F16 };
  if (wanted == ASSAY_DTYPE_AS_STORED || !assay_dtype_info (wanted)->quantized || self->modules != NULL)
    return NULL;
  g_autofree char *fit = format_dup_modules (self, wanted);
  g_autoptr (GString) text = g_string_new (NULL);
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    {
      g_autofree char *names = others[i] != wanted ? format_dup_modules (self, others[i]) : g_strdup ("");
      if (*names != '\0')
        g_string_append_printf (text, "; %s: %s", assay_dtype_info (others[i])->name, names);
    }
  return text->len > 0 ? g_strdup_printf ("%s: %s%s", assay_dtype_info (wanted)->name, fit, text->str) : NULL;
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
