/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/models/assay-config.c: the numbers of a model.
 *
 * A number is read with its range, and used in arithmetic only afterwards. A key of the architecture that is
 * not known here is refused by name: it may change what the model computes, and a wrong answer is worse than
 * none. */
#include "config-private.h"

#include <math.h>
#include <string.h>

static const char *const architectures[] = { "llama", NULL };

/* Keys that are read below, and keys that say nothing about the computation. */
static const char *const known_keys[] = {
  "context_length",
  "embedding_length",
  "block_count",
  "feed_forward_length",
  "vocab_size",
  "expert_count",
  "expert_used_count",
  "tensor_data_layout",
  "attention.head_count",
  "attention.head_count_kv",
  "attention.key_length",
  "attention.value_length",
  "attention.layer_norm_rms_epsilon",
  "attention.layer_norm_epsilon",
  "attention.sliding_window",
  "attention.causal",
  "use_parallel_residual",
  "rope.dimension_count",
  "rope.freq_base",
  "rope.scale_linear",
  "rope.scaling.type",
  "rope.scaling.factor",
  "rope.scaling.attn_factor",
  "rope.scaling.original_context_length",
  "rope.scaling.finetuned",
  NULL,
};

typedef struct
{
  AssayModelFile *file;
  const char *architecture;
  char key[96];
} ConfigReader;

gboolean
assay_config_fail (AssayModelFile *file, AssayEngineError code, const char *reason, const char *key,
                   GError **error, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *message = g_strdup_vprintf (format, args);
  va_end (args);
  assay_engine_error_set (error, code, reason, assay_model_file_get_path (file), key,
                          key != NULL ? assay_model_file_get_value_offset (file, key) : -1, "%s", message);
  return FALSE;
}

static const char *
config_key (ConfigReader *r, const char *name)
{
  g_snprintf (r->key, sizeof r->key, "%s.%s", r->architecture, name);
  return r->key;
}

static gboolean
config_set_missing (ConfigReader *r, const char *key, GError **error)
{
  return assay_config_fail (r->file, ASSAY_ENGINE_ERROR_FORMAT, "config-missing", key, error,
                            "the key is missing");
}

static gboolean
config_set_type (ConfigReader *r, const char *key, const char *wanted, GError **error)
{
  g_autofree char *shown = assay_model_file_dup_value (r->file, key);
  return assay_config_fail (r->file, ASSAY_ENGINE_ERROR_FORMAT, "config-type", key, error,
                            "is '%s' instead of %s", shown, wanted);
}

/* An array of one number a layer counts as that number when all are equal. */
static gboolean
config_read_layers (ConfigReader *r, const char *key, guint n_layers, guint64 *out, GError **error)
{
  guint type;
  guint64 length, value;
  assay_model_file_get_array (r->file, key, &type, &length);
  if (length != n_layers)
    return assay_config_fail (r->file, ASSAY_ENGINE_ERROR_FORMAT, "config-mismatch", key, error,
                              "%" G_GUINT64_FORMAT " numbers for %u layers", length, n_layers);
  for (guint i = 0; i < n_layers; i++)
    {
      if (!assay_model_file_get_array_uint (r->file, key, i, &value))
        return config_set_type (r, key, "whole numbers", error);
      if (i > 0 && value != *out)
        return assay_config_fail (r->file, ASSAY_ENGINE_ERROR_UNSUPPORTED, "per-layer-sizes", key, error,
                                  "layers of different sizes (%" G_GUINT64_FORMAT " and %" G_GUINT64_FORMAT
                                  ") are not computed by this engine; choose another runtime or model",
                                  *out, value);
      *out = value;
    }
  return TRUE;
}

/* n_layers: more than 0 where one number a layer is allowed. fallback: 0 makes the key required. */
static gboolean
config_read_uint (ConfigReader *r, const char *name, guint64 least, guint64 most, guint fallback,
                  guint n_layers, guint *out, GError **error)
{
  const char *key = config_key (r, name);
  guint type;
  guint64 value = fallback, length;
  if (!assay_model_file_has (r->file, key))
    {
      *out = fallback;
      return fallback > 0 || least == 0 || config_set_missing (r, key, error);
    }
  if (n_layers > 0 && assay_model_file_get_array (r->file, key, &type, &length))
    {
      if (!config_read_layers (r, key, n_layers, &value, error))
        return FALSE;
    }
  else if (!assay_model_file_get_uint (r->file, key, &value))
    return config_set_type (r, key, "a whole number", error);
  if (value < least || value > most)
    return assay_config_fail (r->file, ASSAY_ENGINE_ERROR_FORMAT, "config-range", key, error,
                              "is %" G_GUINT64_FORMAT "; from %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT
                              " is allowed",
                              value, least, most);
  *out = (guint) value;
  return TRUE;
}

/* above < value <= most. fallback: NaN makes the key required. */
static gboolean
config_read_real (ConfigReader *r, const char *name, double most, double fallback, float *out, GError **error)
{
  const char *key = config_key (r, name);
  double value = fallback;
  if (!assay_model_file_has (r->file, key))
    {
      *out = (float) fallback;
      return !isnan (fallback) || config_set_missing (r, key, error);
    }
  if (!assay_model_file_get_real (r->file, key, &value))
    return config_set_type (r, key, "a number", error);
  if (!isfinite (value) || !((float) value > 0) || value > most)
    return assay_config_fail (r->file, ASSAY_ENGINE_ERROR_FORMAT, "config-range", key, error,
                              "is %g; it must be above 0 and at most %g", value, most);
  *out = (float) value;
  return TRUE;
}

static gboolean
config_mismatch (ConfigReader *r, const char *name, GError **error, const char *what, guint64 a,
                 const char *relation, guint64 b)
{
  return assay_config_fail (r->file, ASSAY_ENGINE_ERROR_FORMAT, "config-mismatch", config_key (r, name),
                            error, "%s: %" G_GUINT64_FORMAT " %s %" G_GUINT64_FORMAT, what, a, relation, b);
}

static gboolean
config_read_sizes (ConfigReader *r, AssayModelConfig *c, GError **error)
{
  return config_read_uint (r, "context_length", 1, G_MAXINT32, 0, 0, &c->context_length, error)
         && config_read_uint (r, "embedding_length", 1, 131072, 0, 0, &c->n_embd, error)
         && config_read_uint (r, "block_count", 1, 1024, 0, 0, &c->n_layers, error)
         && config_read_uint (r, "feed_forward_length", 1, 1048576, 0, c->n_layers, &c->n_ff, error)
         && config_read_real (r, "attention.layer_norm_rms_epsilon", 1, NAN, &c->norm_eps, error)
         && config_read_uint (r, "attention.sliding_window", 0, G_MAXINT32, 0, c->n_layers, &c->window,
                              error);
}

static gboolean
config_read_heads (ConfigReader *r, AssayModelConfig *c, GError **error)
{
  if (!config_read_uint (r, "attention.head_count", 1, 1024, 0, c->n_layers, &c->n_heads, error)
      || !config_read_uint (r, "attention.head_count_kv", 1, 1024, c->n_heads, c->n_layers, &c->n_kv_heads,
                            error))
    return FALSE;
  if (c->n_kv_heads > c->n_heads || c->n_heads % c->n_kv_heads != 0)
    return config_mismatch (r, "attention.head_count_kv", error,
                            "heads must be a multiple of key and value heads", c->n_heads, "heads,",
                            c->n_kv_heads);
  const gboolean divides = c->n_embd % c->n_heads == 0;
  if (!divides && !assay_model_file_has (r->file, config_key (r, "attention.key_length")))
    return config_mismatch (r, "attention.head_count", error, "the embedding does not divide into the heads",
                            c->n_embd, "elements, heads:", c->n_heads);
  const guint natural = divides ? c->n_embd / c->n_heads : 0;
  if (!config_read_uint (r, "attention.key_length", 1, 4096, natural, 0, &c->head_dim, error)
      || !config_read_uint (r, "attention.value_length", 1, 4096, divides ? natural : c->head_dim, 0,
                            &c->head_dim_v, error))
    return FALSE;
  if (c->head_dim % 2 != 0)
    return config_mismatch (r, "attention.head_count", error, "a head must have an even size", c->head_dim,
                            "elements, heads:", c->n_heads);
  return TRUE;
}

static gboolean
config_read_rope_scaling (ConfigReader *r, AssayRope *rope, GError **error)
{
  AssayBytes type = { "linear", 6 };
  float factor;
  const char *key = config_key (r, "rope.scaling.type");
  if (assay_model_file_has (r->file, key) && !assay_model_file_get_string (r->file, key, &type))
    return config_set_type (r, key, "a text", error);
  const gboolean is_linear = type.length == 6 && memcmp (type.data, "linear", 6) == 0;
  if (!is_linear && !(type.length == 4 && memcmp (type.data, "none", 4) == 0))
    {
      g_autofree char *shown = assay_engine_escape (type.data, type.length);
      return assay_config_fail (
          r->file, ASSAY_ENGINE_ERROR_UNSUPPORTED, "rope-scaling", key, error,
          "'%s' is not computed by this engine, only none and linear; choose another runtime or model",
          shown);
    }
  const gboolean is_legacy = !assay_model_file_has (r->file, config_key (r, "rope.scaling.factor"));
  if (!config_read_real (r, is_legacy ? "rope.scale_linear" : "rope.scaling.factor", 1e6, 1, &factor, error))
    return FALSE;
  rope->scale = is_linear ? 1 / factor : 1;
  return config_read_real (r, "rope.scaling.attn_factor", 1e3, 1, &rope->magnitude, error);
}

static gboolean
config_read_rope (ConfigReader *r, AssayModelConfig *c, GError **error)
{
  guint n_dims;
  c->rope.adjacent = true; /* GGUF's llama rows are stored for adjacent pairs */
  if (!config_read_uint (r, "rope.dimension_count", 2, 4096, c->head_dim, 0, &n_dims, error)
      || !config_read_real (r, "rope.freq_base", 1e12, 10000, &c->rope.base, error)
      || !config_read_rope_scaling (r, &c->rope, error))
    return FALSE;
  if (n_dims % 2 != 0 || n_dims > c->head_dim)
    return config_mismatch (r, "rope.dimension_count", error,
                            "rotated dimensions must be even and within the head", n_dims, "of", c->head_dim);
  c->rope.n_dims = n_dims;
  return TRUE;
}

static gboolean
config_check_experts (ConfigReader *r, GError **error)
{
  guint n_experts, n_used;
  if (!config_read_uint (r, "expert_count", 0, 1024, 0, 0, &n_experts, error)
      || !config_read_uint (r, "expert_used_count", 0, 1024, 0, 0, &n_used, error))
    return FALSE;
  if (n_used > n_experts)
    return config_mismatch (r, "expert_used_count", error, "more experts used than there are", n_used, "of",
                            n_experts);
  if (n_experts == 0)
    return TRUE;
  return assay_config_fail (
      r->file, ASSAY_ENGINE_ERROR_UNSUPPORTED, "mixture-of-experts", config_key (r, "expert_count"), error,
      "a mixture of %u experts is not computed by this engine; choose another runtime or model", n_experts);
}

static gboolean
config_check_flag (ConfigReader *r, const char *name, gboolean usual, GError **error)
{
  gboolean value = usual;
  const char *key = config_key (r, name);
  if (assay_model_file_has (r->file, key) && !assay_model_file_get_bool (r->file, key, &value))
    return config_set_type (r, key, "true or false", error);
  if (value == usual)
    return TRUE;
  return assay_config_fail (
      r->file, ASSAY_ENGINE_ERROR_UNSUPPORTED, "variant-unknown", key, error,
      "this variant of %s is not computed by this engine; choose another runtime or model", r->architecture);
}

static gboolean
config_check_known (ConfigReader *r, GError **error)
{
  const gsize prefix = strlen (r->architecture);
  for (guint i = 0; i < assay_model_file_get_n_keys (r->file); i++)
    {
      const AssayBytes key = assay_model_file_get_key (r->file, i);
      if (key.length <= prefix || memcmp (key.data, r->architecture, prefix) != 0 || key.data[prefix] != '.')
        continue;
      g_autofree char *name = g_strndup (key.data + prefix + 1, key.length - prefix - 1);
      if (g_strv_contains (known_keys, name))
        continue;
      g_autofree char *shown = assay_engine_escape (key.data, key.length);
      return assay_config_fail (
          r->file, ASSAY_ENGINE_ERROR_UNSUPPORTED, "variant-unknown", shown, error,
          "this engine does not know the setting and what it changes; choose another runtime or model");
    }
  return config_check_flag (r, "attention.causal", TRUE, error)
         && config_check_flag (r, "use_parallel_residual", FALSE, error);
}

static gboolean
config_read_architecture (ConfigReader *r, AssayModelConfig *c, GError **error)
{
  static const char key[] = "general.architecture";
  AssayBytes name;
  if (!assay_model_file_get_string (r->file, key, &name))
    return assay_model_file_has (r->file, key) ? config_set_type (r, key, "a text", error)
                                               : config_set_missing (r, key, error);
  for (guint i = 0; architectures[i] != NULL; i++)
    if (name.length == strlen (architectures[i]) && memcmp (name.data, architectures[i], name.length) == 0)
      {
        r->architecture = architectures[i];
        g_strlcpy (c->architecture, architectures[i], sizeof c->architecture);
        return TRUE;
      }
  g_autofree char *shown = assay_engine_escape (name.data, name.length);
  g_autofree char *list = g_strjoinv (", ", (char **) architectures);
  return assay_config_fail (r->file, ASSAY_ENGINE_ERROR_UNSUPPORTED, "architecture-unknown", key, error,
                            "'%s'; this engine computes: %s. Choose another runtime or model", shown, list);
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
        error, "is %" G_GUINT64_FORMAT "; blocks of version 2 are read. Quantize the model again", version);
  return TRUE;
}

gboolean
assay_config_read (AssayModelConfig *self, AssayModelFile *file, GError **error)
{
  ConfigReader r = { .file = file };
  *self = (AssayModelConfig) { 0 };
  return config_check_general (&r, error) && config_read_architecture (&r, self, error)
         && config_read_sizes (&r, self, error) && config_read_heads (&r, self, error)
         && config_read_rope (&r, self, error) && config_check_experts (&r, error)
         && config_check_known (&r, error) && assay_config_check_tensors (self, file, error);
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
