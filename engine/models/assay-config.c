/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/models/assay-config.c: the numbers of a model, in the order in which they depend on each other. */
#include "config-private.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static gboolean
config_read_sizes (ConfigReader *r, AssayModelConfig *c, GError **error)
{
  const char *eps = r->family->bit == GPT2 ? "attention.layer_norm_epsilon" : "attention.layer_norm_rms_epsilon";
  return assay_config_read_uint (r, "context_length", 1, G_MAXINT32, 0, 0, &c->context_length, error)
         && assay_config_read_uint (r, "embedding_length", 1, 131072, 0, 0, &c->n_embd, error)
         && assay_config_read_uint (r, "block_count", 1, ASSAY_CONFIG_MAX_LAYERS, 0, 0, &c->n_layers, error)
         && assay_config_read_uint (r, "feed_forward_length", 1, 1048576, 0, c->n_layers, &c->n_ff, error)
         && assay_config_read_float (r, eps, 1, NAN, &c->norm_eps, error);
}

static gboolean
config_read_heads (ConfigReader *r, AssayModelConfig *c, GError **error)
{
  if (!assay_config_read_uint (r, "attention.head_count", 1, 1024, 0, c->n_layers, &c->n_heads, error)
      || !assay_config_read_uint (r, "attention.head_count_kv", 1, 1024, c->n_heads, c->n_layers,
                                  &c->n_kv_heads, error))
    return FALSE;
  if (c->n_kv_heads > c->n_heads || c->n_heads % c->n_kv_heads != 0)
    return assay_config_mismatch (r, "attention.head_count_kv", error,
                                  "heads must be a multiple of key and value heads", c->n_heads, "heads,",
                                  c->n_kv_heads);
  const gboolean divides = c->n_embd % c->n_heads == 0;
  if (!divides && !assay_config_has (r, "attention.key_length"))
    return assay_config_mismatch (r, "attention.head_count", error, "the embedding does not divide into the heads",
                                  c->n_embd, "elements, heads:", c->n_heads);
  const guint natural = divides ? c->n_embd / c->n_heads : 0;
  if (!assay_config_read_uint (r, "attention.key_length", 1, 4096, natural, 0, &c->head_dim, error)
      || !assay_config_read_uint (r, "attention.value_length", 1, 4096, divides ? natural : c->head_dim, 0,
                                  &c->head_dim_v, error))
    return FALSE;
  if (c->head_dim % 2 != 0)
    return assay_config_mismatch (r, "attention.head_count", error, "a head must have an even size", c->head_dim,
                                  "elements, heads:", c->n_heads);
  return TRUE;
}

static gboolean
config_check_experts (ConfigReader *r, GError **error)
{
  guint n_experts, n_used;
  if (!assay_config_read_uint (r, "expert_count", 0, 1024, 0, 0, &n_experts, error)
      || !assay_config_read_uint (r, "expert_used_count", 0, 1024, 0, 0, &n_used, error))
    return FALSE;
  if (n_used > n_experts)
    return assay_config_mismatch (r, "expert_used_count", error, "more experts used than there are", n_used, "of",
                                  n_experts);
  if (n_experts == 0)
    return TRUE;
  return assay_config_fail (
      r->file, ASSAY_ENGINE_ERROR_UNSUPPORTED, "mixture-of-experts", assay_config_key (r, "expert_count"), error,
      "a mixture of %u experts is not computed by this engine; choose another runtime or model", n_experts);
}

/* Adapters, projectors and the like are GGUF too. */
static gboolean
config_check_general (ConfigReader *r, GError **error)
{
  AssayBytes type;
  guint64 version;
  if (assay_model_file_get_string (r->file, "general.type", &type)
      && !(type.length == 5 && memcmp (type.data, "model", 5) == 0))
    {
      g_autofree char *shown = assay_engine_escape (type.data, type.length);
      return assay_config_fail (r->file, ASSAY_ENGINE_ERROR_UNSUPPORTED, "not-a-model", "general.type", error,
                                "'%s' is no model by itself; choose the model it belongs to", shown);
    }
  if (assay_model_file_get_uint (r->file, "general.quantization_version", &version) && version != 2)
    return assay_config_fail (
        r->file, ASSAY_ENGINE_ERROR_UNSUPPORTED, "quantization-version", "general.quantization_version",
        error, "is %" PRIu64 "; blocks of version 2 are read. Quantize the model again", version);
  return TRUE;
}

gboolean
assay_config_read (AssayModelConfig *self, AssayModelFile *file, GError **error)
{
  ConfigReader r = { .file = file };
  *self = (AssayModelConfig) { 0 };
  if (!config_check_general (&r, error) || !assay_config_find_family (&r, error))
    return FALSE;
  g_strlcpy (self->architecture, r.family->name, sizeof self->architecture);
  return config_read_sizes (&r, self, error) && config_read_heads (&r, self, error)
         && assay_config_apply_family (&r, self, error) && assay_config_read_rope (&r, self, error)
         && config_check_experts (&r, error) && assay_config_check_known (&r, error)
         && assay_config_check_tensors (self, r.family, file, error) && assay_config_finish_rope (self, file, error);
}

guint64
assay_config_get_kv_bytes (const AssayModelConfig *self, guint context_length, AssayDtype dtype)
{
  const AssayDtypeInfo *info = assay_dtype_info (dtype);
  g_return_val_if_fail (info != NULL, 0);
  const guint64 elements
      = (guint64) self->n_layers * self->n_kv_heads * (self->head_dim + self->head_dim_v) * context_length;
  return elements / info->block_elements * info->block_bytes;
}
