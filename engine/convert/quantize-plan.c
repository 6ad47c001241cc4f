/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/convert/quantize-plan.c: which tensor becomes what, before anything is read. */
#include "models/assay-format.h"
#include "quantize-private.h"

#include "models/assay-module-list.h"

#include <string.h>

/* Matrices that are no linear weights, or too small to gain and too sensitive to lose. */
static const char *const kept[] = { "_norm.weight", "ffn_gate_inp.weight", "position_embd.weight",
                                    "pos_embd.weight", "token_types.weight" };

gboolean
assay_quantize_is_matrix (const AssayTensorInfo *tensor)
{
  g_autofree char *name = g_strndup (tensor->canonical.data, tensor->canonical.length);
  if (tensor->n_dims < 2 || !g_str_has_suffix (name, ".weight"))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (kept); i++)
    if (g_str_has_suffix (name, kept[i]))
      return FALSE;
  return TRUE;
}

/* What is not a chosen matrix: vectors and tables are float32 in every GGUF file, other matrices stay as they
 * are. */
static AssayDtype
plan_keep (const AssayTensorInfo *tensor)
{
  const gboolean half = tensor->dtype == ASSAY_DTYPE_F16 || tensor->dtype == ASSAY_DTYPE_BF16;
  return half && !assay_quantize_is_matrix (tensor) ? ASSAY_DTYPE_F32 : tensor->dtype;
}

/* llama's q and k: neighbours turn together in a GGUF, halves in a Hugging Face file. */
static guint
plan_interleave (const AssayTensorInfo *tensor, const AssayModelConfig *config)
{
  g_autofree char *name = g_strndup (tensor->canonical.data, tensor->canonical.length);
  if (strcmp (config->architecture, "llama") != 0 || config->rope.adjacent)
    return 0;
  return strstr (name, ".attn_q.") != NULL   ? config->n_heads
         : strstr (name, ".attn_k.") != NULL ? config->n_kv_heads
                                             : 0;
}

static gboolean
plan_is_chosen (const AssayTensorInfo *tensor, AssayModuleList *list)
{
  g_autofree char *canonical = g_strndup (tensor->canonical.data, tensor->canonical.length);
  g_autofree char *own = g_strndup (tensor->name.data, tensor->name.length);
  return assay_quantize_is_matrix (tensor) && (list == NULL || assay_module_list_has (list, canonical, own));
}

static gboolean
plan_wants_all (const char *modules)
{
  return modules == NULL || *modules == '\0' || strcmp (modules, "default") == 0;
}

static gboolean
plan_check_method (AssayModelFile *file, AssayDtype dtype, GError **error)
{
  const AssayDtypeInfo *info = assay_dtype_info (dtype);
  if (info != NULL && !info->whole && assay_dtype_can_quantize (dtype))
    return TRUE;
  assay_engine_error_set (
      error, ASSAY_ENGINE_ERROR_RULE, "quantize-method", assay_model_file_get_path (file), NULL, -1,
      info != NULL && info->whole
          ? "GGUF has no form for %s; choose it as the quantization of a run, which makes it while the "
            "model is loaded"
          : "%s cannot be written here; q8_0, q4_0, q4_1, q5_0, q5_1, q4_k, q5_k, q6_k, f16, bf16 and "
            "f32 can",
      info != NULL ? info->name : "this format");
  return FALSE;
}

static gboolean
plan_check_modules (AssayModelFile *file, AssayModuleList *list, GError **error)
{
  const char *idle = list != NULL ? assay_module_list_get_idle (list) : NULL;
  if (idle == NULL)
    return TRUE;
  g_autofree char *shown = assay_engine_escape (idle, strlen (idle));
  assay_engine_error_set (
      error, ASSAY_ENGINE_ERROR_RULE, "quantize-modules", assay_model_file_get_path (file), NULL, -1,
      "'%s' names no matrix of this model; names are such as attn_q, blk.3.ffn_down, ffn_*, output "
      "(assay inspect lists the tensors)",
      shown);
  return FALSE;
}

/* Codes of codes: what was lost is not known any more, and nobody wants it twice. */
static gboolean
plan_check_source (AssayModelFile *file, GError **error)
{
  for (guint i = 0; i < assay_model_file_get_n_tensors (file); i++)
    if (assay_dtype_info (assay_model_file_get_tensor (file, i)->dtype)->whole)
      {
        assay_engine_error_set (error, ASSAY_ENGINE_ERROR_RULE, "quantize-source",
                                assay_model_file_get_path (file), NULL, -1,
                                "its matrices are in bitsandbytes' form already (%s); choose the unquantized "
                                "model that it was made of",
                                assay_dtype_info (assay_model_file_get_tensor (file, i)->dtype)->name);
        return FALSE;
      }
  return TRUE;
}

GArray *
assay_quantize_plan (AssayModelFile *file, const AssayModelConfig *config,
                     const AssayQuantizeOptions *options, GError **error)
{
  g_autoptr (GArray) steps = g_array_new (FALSE, FALSE, sizeof (QuantizeStep));
  g_autoptr (AssayModuleList) list
      = plan_wants_all (options->modules) ? NULL : assay_module_list_new (options->modules);
  if (!plan_check_method (file, options->dtype, error) || !plan_check_source (file, error))
    return NULL;
  for (guint i = 0; i < assay_model_file_get_n_tensors (file); i++)
    {
      const AssayTensorInfo *tensor = assay_model_file_get_tensor (file, i);
      QuantizeStep step
          = { .tensor = tensor, .to = plan_keep (tensor), .interleave = plan_interleave (tensor, config) };
      if (plan_is_chosen (tensor, list))
        {
          step.to = assay_format_fit (options->dtype, tensor->shape[0]);
          step.fell_back = step.to != options->dtype;
        }
      g_array_append_val (steps, step);
    }
  return plan_check_modules (file, list, error) ? g_steal_pointer (&steps) : NULL;
}

/* Linear modules, and GPT-2's Conv1D, which Transformers turns and then holds as it does a linear module's; of
 * which the output is not customary: its errors are everybody's. */
static gboolean
plan_is_linear (const AssayTensorInfo *tensor, gboolean output)
{
  g_autofree char *name = g_strndup (tensor->canonical.data, tensor->canonical.length);
  return tensor->n_dims == 2 && assay_quantize_is_matrix (tensor)
         && (tensor->change & ~(guint) ASSAY_CHANGE_TRANSPOSE) == 0
         && !assay_dtype_info (tensor->dtype)->quantized && strcmp (name, "token_embd.weight") != 0
         && (output || strcmp (name, "output.weight") != 0);
}

static gboolean
plan_refuse_folder (AssayModelFile *file, const char *what, GError **error)
{
  assay_engine_error_set (error, ASSAY_ENGINE_ERROR_RULE, "quantize-method", assay_model_file_get_path (file),
                          NULL, -1, "%s", what);
  return FALSE;
}

GArray *
assay_quantize_plan_folder (AssayModelFile *file, const AssayQuantizeOptions *options, GError **error)
{
  g_autoptr (GArray) steps = g_array_new (FALSE, FALSE, sizeof (QuantizeStep));
  g_autoptr (AssayModuleList) list
      = plan_wants_all (options->modules) ? NULL : assay_module_list_new (options->modules);
  guint n = 0;
  if (strcmp (assay_model_file_get_format (file), "safetensors") != 0)
    {
      plan_refuse_folder (
          file,
          "bitsandbytes' formats have no place in a GGUF, and this model is one; choose the format as the "
          "quantization of a run, which makes it while the model is loaded, or take the model's "
          "safetensors folder",
          error);
      return NULL;
    }
  if (!plan_check_source (file, error))
    return NULL;
  for (guint i = 0; i < assay_model_file_get_n_tensors (file); i++)
    {
      QuantizeStep step = { .tensor = assay_model_file_get_tensor (file, i) };
      const gboolean chosen
          = plan_is_linear (step.tensor, list != NULL) && plan_is_chosen (step.tensor, list);
      step.to = chosen ? options->dtype : step.tensor->dtype;
      n += chosen;
      g_array_append_val (steps, step);
    }
  if (!plan_check_modules (file, list, error)
      || (n == 0
          && !plan_refuse_folder (file, "has no linear module that bitsandbytes would hold so", error)))
    return NULL;
  return g_steal_pointer (&steps);
}

/* llama.cpp's numbers for files of one format throughout; of the K-quants the "small" mixes'. */
static const struct
{
  AssayDtype dtype;
  guint32 file_type;
} file_types[] = {
  { ASSAY_DTYPE_F32, 0 },     { ASSAY_DTYPE_F16, 1 },     { ASSAY_DTYPE_Q4_0, 2 },  { ASSAY_DTYPE_Q4_1, 3 },
  { ASSAY_DTYPE_Q8_0, 7 },    { ASSAY_DTYPE_Q5_0, 8 },    { ASSAY_DTYPE_Q5_1, 9 },  { ASSAY_DTYPE_Q2_K, 10 },
  { ASSAY_DTYPE_Q3_K, 11 },   { ASSAY_DTYPE_Q4_K, 14 },   { ASSAY_DTYPE_Q5_K, 16 }, { ASSAY_DTYPE_Q6_K, 18 },
  { ASSAY_DTYPE_IQ4_NL, 25 }, { ASSAY_DTYPE_IQ4_XS, 30 }, { ASSAY_DTYPE_BF16, 32 },
};

static guint64
plan_step_bytes (const QuantizeStep *step)
{
  const gint64 *shape = step->tensor->shape;
  return assay_dtype_matrix_bytes (step->to, shape[0], shape[1] * shape[2] * shape[3]);
}

gboolean
assay_quantize_get_file_type (const GArray *steps, guint32 *out)
{
  guint64 most = 0;
  gboolean found = FALSE;
  for (guint k = 0; k < G_N_ELEMENTS (file_types); k++)
    {
      guint64 bytes = 0;
      for (guint i = 0; i < steps->len; i++)
        {
          const QuantizeStep *step = &g_array_index (steps, QuantizeStep, i);
          if (step->to == file_types[k].dtype && assay_quantize_is_matrix (step->tensor))
            bytes += plan_step_bytes (step);
        }
      if (bytes <= most)
        continue;
      most = bytes;
      *out = file_types[k].file_type;
      found = TRUE;
    }
  return found;
}
