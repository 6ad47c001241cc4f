/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/models/adapter-gguf.c: an adapter as llama.cpp's converter writes it.
 *
 * general.type "adapter", adapter.type "lora", adapter.lora.alpha; tensors NAME.weight.lora_a {in, rank} and
 * NAME.weight.lora_b {rank, out}, NAME being the model's own. */
#include "adapter-private.h"

#include <math.h>
#include <string.h>

static gboolean
adapter_key_is (AssayModelFile *file, const char *key, const char *wanted)
{
  AssayBytes text;
  return assay_model_file_get_string (file, key, &text) && text.length == strlen (wanted)
         && memcmp (text.data, wanted, text.length) == 0;
}

static gboolean
gguf_adapter_check_kind (AssayAdapter *self, GError **error)
{
  if (!adapter_key_is (self->file, "general.type", "adapter"))
    return assay_adapter_fail (
        self, ASSAY_ENGINE_ERROR_FORMAT, "not-an-adapter", NULL, error,
        "general.type is not \"adapter\": this file is no adapter; a model is chosen as the model");
  if (!adapter_key_is (self->file, "adapter.type", "lora"))
    {
      g_autofree char *type = assay_model_file_dup_value (self->file, "adapter.type");
      return assay_adapter_fail (self, ASSAY_ENGINE_ERROR_UNSUPPORTED, "adapter-type", NULL, error,
                                 "adapter.type is \"%s\"; only \"lora\" is attached",
                                 type != NULL ? type : "");
    }
  if (assay_model_file_has (self->file, "adapter.alora.invocation_tokens"))
    return assay_adapter_fail (
        self, ASSAY_ENGINE_ERROR_UNSUPPORTED, "adapter-activated", NULL, error,
        "an activated LoRA, which works from an invocation token on; only plain LoRA is attached");
  return TRUE;
}

static gboolean
gguf_adapter_read_alpha (AssayAdapter *self, double *alpha, GError **error)
{
  if (!assay_model_file_get_real (self->file, "adapter.lora.alpha", alpha))
    return assay_adapter_fail (self, ASSAY_ENGINE_ERROR_FORMAT, "adapter-alpha", NULL, error,
                               "adapter.lora.alpha is missing or no number, so its strength is unknown");
  if (!isfinite (*alpha) || fabs (*alpha) > ADAPTER_ALPHA_MAX)
    return assay_adapter_fail (self, ASSAY_ENGINE_ERROR_FORMAT, "adapter-alpha", NULL, error,
                               "adapter.lora.alpha is %g; a finite number of at most a million is allowed",
                               *alpha);
  return TRUE;
}

static gboolean
gguf_adapter_add (AssayAdapter *self, const AssayTensorInfo *tensor, GError **error)
{
  g_autofree char *name = g_strndup (tensor->name.data, tensor->name.length);
  const gboolean is_b = g_str_has_suffix (name, ".weight.lora_b");
  if (!is_b && !g_str_has_suffix (name, ".weight.lora_a"))
    return assay_adapter_fail (self, ASSAY_ENGINE_ERROR_UNSUPPORTED, "adapter-tensor", tensor, error,
                               "is neither the A nor the B of a weight matrix; only plain LoRA is attached");
  name[strlen (name) - strlen (".weight.lora_a")] = '\0';
  if (g_str_equal (name, "token_embd") || g_str_equal (name, "position_embd"))
    return assay_adapter_fail (self, ASSAY_ENGINE_ERROR_UNSUPPORTED, "adapter-embedding", tensor, error,
                               "adapts the embedding; only linear modules are adapted here");
  return assay_adapter_add (self, name, tensor, is_b, error);
}

AssayAdapter *
assay_adapter_open_gguf (const char *path, GCancellable *cancellable, GError **error)
{
  AssayModelFile *file = assay_model_file_open (path, cancellable, error);
  if (file == NULL)
    return NULL;
  g_autoptr (AssayAdapter) self = assay_adapter_new (file);
  AssayBytes architecture;
  double alpha;
  if (!gguf_adapter_check_kind (self, error) || !gguf_adapter_read_alpha (self, &alpha, error))
    return NULL;
  if (assay_model_file_get_string (file, "general.architecture", &architecture))
    self->architecture = assay_engine_escape (architecture.data, architecture.length);
  for (guint i = 0; i < assay_model_file_get_n_tensors (file); i++)
    if (!gguf_adapter_add (self, assay_model_file_get_tensor (file, i), error))
      return NULL;
  if (!assay_adapter_check (self, error))
    return NULL;
  for (guint i = 0; i < self->parts->len; i++)
    {
      AssayAdapterPart *part = &g_array_index (self->parts, AssayAdapterPart, i);
      part->scale = alpha != 0 ? (float) (alpha / part->rank) : 1; /* llama.cpp: an alpha of 0 says nothing */
    }
  return g_steal_pointer (&self);
}
