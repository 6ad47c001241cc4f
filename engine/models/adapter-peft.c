/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/models/adapter-peft.c: an adapter as PEFT saves it: adapter_config.json and
 * adapter_model.safetensors.
 *
 * Tensors are named after the model's modules,
 * "base_model.model.model.layers.3.self_attn.q_proj.lora_A.weight"; they are given the names of a GGUF
 * adapter, and read as such. The config says nothing of the architecture, so each name is looked up among all
 * families': no name means different modules in two of them. */
#include "adapter-private.h"

#include "weights/gguf-build.h"
#include "weights/safetensors-private.h"

#include <math.h>
#include <string.h>

#define PEFT_CONFIG "adapter_config.json"
#define PEFT_WEIGHTS "adapter_model.safetensors"
#define PEFT_PREFIX "base_model.model."
#define PEFT_A ".lora_A.weight"
#define PEFT_B ".lora_B.weight"

static gboolean
peft_fail (const AssayHfFolder *folder, AssayEngineError code, const char *reason, const char *name,
           const char *what, GError **error)
{
  g_autofree char *shown = assay_engine_escape (name, strlen (name));
  g_autofree char *field = g_strdup_printf ("tensor '%s'", shown);
  assay_engine_error_set (error, code, reason, folder->path, field, -1, "%s", what);
  return FALSE;
}

/* What a tensor is that is neither A nor B of a linear module. */
static gboolean
peft_refuse (const AssayHfFolder *folder, const char *name, GError **error)
{
  static const struct
  {
    const char *part, *reason, *what;
  } kinds[] = {
    { "lora_embedding_", "adapter-embedding", "adapts the embedding; only linear modules are adapted here" },
    { "lora_magnitude_vector", "adapter-dora",
      "belongs to DoRA, which scales the weights' columns as well; merge the "
      "adapter into the model first" },
    { ".bias", "adapter-bias", "is a bias; only plain LoRA is attached" },
    { "lora_", "adapter-tensor", "belongs to another kind of LoRA; only plain LoRA is attached" },
    { "", "adapter-modules",
      "is a module's own weight, which the adapter would replace; merge it into the model first" },
  };
  guint i = 0;
  while (strstr (name, kinds[i].part) == NULL)
    i++;
  return peft_fail (folder, ASSAY_ENGINE_ERROR_UNSUPPORTED, kinds[i].reason, name, kinds[i].what, error);
}

static char *
peft_dup_canonical (const char *module)
{
  static const char *const families[] = { "llama", "phi3", "gpt2" };
  for (guint i = 0; i < G_N_ELEMENTS (families); i++)
    {
      char *name = assay_hf_dup_canonical_name (families[i], module);
      if (name != NULL)
        return name;
    }
  return NULL;
}

/* The module's name in the model: between prefix and suffix. NULL: not so named. (transfer full) */
static char *
peft_dup_module (const char *name, gboolean *is_b)
{
  *is_b = g_str_has_suffix (name, PEFT_B);
  if (!g_str_has_prefix (name, PEFT_PREFIX) || (!*is_b && !g_str_has_suffix (name, PEFT_A)))
    return NULL;
  const gsize around = strlen (PEFT_PREFIX) + strlen (PEFT_A);
  return strlen (name) > around ? g_strndup (name + strlen (PEFT_PREFIX), strlen (name) - around) : NULL;
}

static gboolean
peft_translate_tensor (const AssayHfFolder *folder, guint i, AssayHfNames *names, GError **error)
{
  gboolean is_b;
  g_autofree char *name = g_strndup (folder->tensors[i].name.data, folder->tensors[i].name.length);
  g_autofree char *module = peft_dup_module (name, &is_b);
  if (module == NULL)
    return peft_refuse (folder, name, error);
  g_autofree char *canonical = peft_dup_canonical (module);
  if (canonical == NULL)
    return peft_fail (folder, ASSAY_ENGINE_ERROR_UNSUPPORTED, "adapter-module", name,
                      "adapts a module that none of the model families known here has", error);
  g_autofree char *target = g_strdup_printf ("%s.weight.lora_%c", canonical, is_b ? 'b' : 'a');
  assay_hf_names_set (names, i, target, ASSAY_CHANGE_NONE);
  return TRUE;
}

static gboolean
peft_translate (const AssayHfFolder *folder, GByteArray *metadata, AssayHfNames *names, GError **error)
{
  GgufBuild build;
  assay_gguf_build_start (&build, metadata);
  assay_gguf_build_text (&build, "general.type", "adapter", -1);
  assay_gguf_build_text (&build, "adapter.type", "lora", -1);
  assay_gguf_build_finish (&build);
  for (guint i = 0; i < folder->n_tensors; i++)
    if (!peft_translate_tensor (folder, i, names, error))
      return FALSE;
  return TRUE;
}

static gboolean
peft_take_tensors (AssayAdapter *self, GError **error)
{
  for (guint i = 0; i < assay_model_file_get_n_tensors (self->file); i++)
    {
      const AssayTensorInfo *tensor = assay_model_file_get_tensor (self->file, i);
      const gsize suffix = strlen (".weight.lora_a");
      g_autofree char *module = g_strndup (tensor->canonical.data, tensor->canonical.length - suffix);
      const gboolean is_b = tensor->canonical.data[tensor->canonical.length - 1] == 'b';
      if (!assay_adapter_add (self, module, tensor, is_b, error))
        return FALSE;
    }
  return assay_adapter_check (self, error);
}

static gboolean
peft_scale_part (AssayAdapter *self, AssayAdapterPart *part, const PeftConfig *config, GError **error)
{
  gboolean is_b;
  guint rank;
  double alpha;
  g_autofree char *name = g_strndup (part->a->name.data, part->a->name.length);
  g_autofree char *module = peft_dup_module (name, &is_b);
  if (!assay_peft_config_find (config, module, &rank, &alpha, error))
    return FALSE;
  if (rank != part->rank)
    return assay_adapter_fail (self, ASSAY_ENGINE_ERROR_FORMAT, "adapter-rank", part->a, error,
                               "has rank %u, but %s says %u; the two files do not belong together",
                               part->rank, PEFT_CONFIG, rank);
  part->scale = (float) (alpha / (config->rank_stabilized ? sqrt (rank) : rank));
  return TRUE;
}

/* Reads config and names the weights' file: both stay within the folder, or its hub cache. */
static PeftConfig *
peft_read_config (const ModelFolder *folder, char **weights, GCancellable *cancellable, GError **error)
{
  g_autoptr (GBytes) text = NULL;
  g_autofree char *path = assay_model_folder_dup_path (folder, PEFT_CONFIG);
  if (!assay_model_folder_read (folder, PEFT_CONFIG, PEFT_CONFIG_BYTES_MAX, cancellable, &text, error))
    return NULL;
  if (text == NULL || !assay_model_folder_is_present (folder, PEFT_WEIGHTS))
    {
      const char *hint
          = assay_model_folder_has (folder, "adapter_model.bin")
                ? "; its weights are Python's own format: save the adapter with safe_serialization=True"
                : "";
      assay_engine_error_set (error, ASSAY_ENGINE_ERROR_FORMAT, "not-an-adapter", folder->path, NULL, -1,
                              "%s is missing in this folder, so it is no PEFT adapter%s",
                              text == NULL ? PEFT_CONFIG : PEFT_WEIGHTS, hint);
      return NULL;
    }
  *weights = assay_model_folder_resolve (folder, PEFT_WEIGHTS, error);
  return *weights != NULL ? assay_peft_config_read (text, path, error) : NULL;
}

AssayAdapter *
assay_adapter_open_peft (const char *path, GCancellable *cancellable, GError **error)
{
  g_autofree char *weights = NULL;
  g_autoptr (ModelFolder) folder = assay_model_folder_open (path, error);
  g_autoptr (PeftConfig) config
      = folder != NULL ? peft_read_config (folder, &weights, cancellable, error) : NULL;
  AssayModelFile *file
      = config != NULL ? assay_safetensors_open_file (weights, peft_translate, cancellable, error) : NULL;
  if (file == NULL)
    return NULL;
  g_autoptr (AssayAdapter) self = assay_adapter_new (file);
  self->half_split = TRUE;
  if (!peft_take_tensors (self, error))
    return NULL;
  for (guint i = 0; i < self->parts->len; i++)
    if (!peft_scale_part (self, &g_array_index (self->parts, AssayAdapterPart, i), config, error))
      return NULL;
  return g_steal_pointer (&self);
}
