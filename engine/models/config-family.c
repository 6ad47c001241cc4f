/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/models/config-family.c: what each architecture is, and which keys it knows.
 *
 * A key of the architecture that is not known here is refused by name: it may change what the model
 * computes, and a wrong answer is worse than none. */
#include "config-private.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { ALL_SLIDE = 0, NONE_SLIDES = 1 };

/* Of qwen2 and qwen3 a window alone says nothing, for it is off in what was published; it takes a pattern. */
static const ConfigFamily families[] = {
  { .name = "llama", .bit = LLAMA, .adjacent_pairs = TRUE, .window_period = ALL_SLIDE },
  { .name = "qwen2", .bit = QWEN2, .window_period = NONE_SLIDES },
  { .name = "qwen3", .bit = QWEN3, .window_period = NONE_SLIDES },
  { .name = "gemma2", .bit = GEMMA2, .activation = ASSAY_ACTIVATION_GELU_TANH, .window = 4096,
    .window_period = 2, .wide_layers = 46, .attention_soft_cap = 50, .output_soft_cap = 30 },
  { .name = "gemma3", .bit = GEMMA3, .activation = ASSAY_ACTIVATION_GELU_TANH, .window_period = 6,
    .wide_layers = 62 },
  { .name = "gpt2", .bit = GPT2, .activation = ASSAY_ACTIVATION_GELU_TANH, .window_period = NONE_SLIDES },
  { .name = "phi3", .bit = PHI3, .window_period = ALL_SLIDE },
};

/* Keys that are read, and keys that say nothing about the computation. */
static const struct { const char *name; guint families; } known_keys[] = {
  { "context_length", ALL_FAMILIES },
  { "embedding_length", ALL_FAMILIES },
  { "block_count", ALL_FAMILIES },
  { "feed_forward_length", ALL_FAMILIES },
  { "vocab_size", ALL_FAMILIES },
  { "expert_count", ALL_FAMILIES },
  { "expert_used_count", ALL_FAMILIES },
  { "tensor_data_layout", ALL_FAMILIES },
  { "use_parallel_residual", ALL_FAMILIES },
  { "attention.causal", ALL_FAMILIES },
  { "attention.head_count", ALL_FAMILIES },
  { "attention.head_count_kv", ALL_FAMILIES },
  { "attention.key_length", ALL_FAMILIES },
  { "attention.value_length", ALL_FAMILIES },
  { "attention.scale", ALL_FAMILIES },
  { "attention.layer_norm_epsilon", ALL_FAMILIES },
  { "attention.layer_norm_rms_epsilon", ALL_FAMILIES },
  { "attention.sliding_window", ALL_FAMILIES & ~GPT2 },
  { "attention.sliding_window_pattern", ALL_FAMILIES & ~GPT2 },
  { "attn_logit_softcapping", GEMMA },
  { "final_logit_softcapping", GEMMA },
  { "rope.dimension_count", ALL_FAMILIES & ~GPT2 },
  { "rope.freq_base", ALL_FAMILIES & ~GPT2 },
  { "rope.freq_base_swa", GEMMA3 },
  { "rope.scale_linear", ALL_FAMILIES & ~GPT2 },
  { "rope.scaling.type", ALL_FAMILIES & ~GPT2 },
  { "rope.scaling.factor", ALL_FAMILIES & ~GPT2 },
  { "rope.scaling.attn_factor", ALL_FAMILIES & ~GPT2 },
  { "rope.scaling.original_context_length", ALL_FAMILIES & ~GPT2 },
  { "rope.scaling.finetuned", ALL_FAMILIES & ~GPT2 },
  { "rope.scaling.yarn_ext_factor", ALL_FAMILIES & ~GPT2 },
  { "rope.scaling.yarn_attn_factor", ALL_FAMILIES & ~GPT2 },
  { "rope.scaling.yarn_beta_fast", ALL_FAMILIES & ~GPT2 },
  { "rope.scaling.yarn_beta_slow", ALL_FAMILIES & ~GPT2 },
};

gboolean
assay_config_find_family (ConfigReader *r, GError **error)
{
  static const char key[] = "general.architecture";
  AssayBytes name;
  if (!assay_model_file_get_string (r->file, key, &name))
    return assay_model_file_has (r->file, key) ? assay_config_set_type (r, key, "a text", error)
                                               : assay_config_set_missing (r, key, error);
  g_autoptr (GString) list = g_string_new (NULL);
  for (guint i = 0; i < G_N_ELEMENTS (families); i++)
    {
      r->family = &families[i];
      if (name.length == strlen (r->family->name) && memcmp (name.data, r->family->name, name.length) == 0)
        return TRUE;
      g_string_append_printf (list, "%s%s", i > 0 ? ", " : "", r->family->name);
    }
  g_autofree char *shown = assay_engine_escape (name.data, name.length);
  return assay_config_fail (r->file, ASSAY_ENGINE_ERROR_UNSUPPORTED, "architecture-unknown", key, error,
                            "'%s'; this engine computes: %s. Choose another runtime or model", shown,
                            list->str);
}

static gboolean
family_knows (const ConfigFamily *family, const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (known_keys); i++)
    if ((known_keys[i].families & family->bit) != 0 && g_str_equal (known_keys[i].name, name))
      return TRUE;
  return FALSE;
}

gboolean
assay_config_check_known (ConfigReader *r, GError **error)
{
  const gsize prefix = strlen (r->family->name);
  for (guint i = 0; i < assay_model_file_get_n_keys (r->file); i++)
    {
      const AssayBytes key = assay_model_file_get_key (r->file, i);
      if (key.length <= prefix || memcmp (key.data, r->family->name, prefix) != 0 || key.data[prefix] != '.')
        continue;
      g_autofree char *name = g_strndup (key.data + prefix + 1, key.length - prefix - 1);
      if (family_knows (r->family, name))
        continue;
      g_autofree char *shown = assay_engine_escape (key.data, key.length);
      return assay_config_fail (
          r->file, ASSAY_ENGINE_ERROR_UNSUPPORTED, "variant-unknown", shown, error,
          "this engine does not know the setting and what it changes; choose another runtime or model");
    }
  return assay_config_check_flag (r, "attention.causal", TRUE, error)
         && assay_config_check_flag (r, "use_parallel_residual", FALSE, error);
}

/* --- windows --- */

/* One flag a layer, stored as truth values or numbers. */
static gboolean
family_get_flag (ConfigReader *r, const char *key, guint type, guint i, guint64 *out)
{
  enum { GGUF_BOOL = 7 };
  const guint8 *flags = type == GGUF_BOOL ? assay_model_file_get_array_data (r->file, key) : NULL;
  if (flags == NULL)
    return assay_model_file_get_array_uint (r->file, key, i, out);
  *out = flags[i];
  return TRUE;
}

static gboolean
family_read_layer_flags (ConfigReader *r, AssayModelConfig *c, const char *key, guint type, guint64 length,
                         GError **error)
{
  if (length != c->n_layers)
    return assay_config_fail (r->file, ASSAY_ENGINE_ERROR_FORMAT, "config-mismatch", key, error,
                              "%" PRIu64 " flags for %u layers", length, c->n_layers);
  for (guint i = 0; i < c->n_layers; i++)
    {
      guint64 flag;
      if (!family_get_flag (r, key, type, i, &flag) || flag > 1)
        return assay_config_set_type (r, key, "a period, or true or false for each layer", error);
      c->slides[i / 8] |= (guint8) (flag << (i % 8));
    }
  return TRUE;
}

static gboolean
family_read_windows (ConfigReader *r, AssayModelConfig *c, GError **error)
{
  guint period = r->family->window_period, type;
  guint64 length;
  if (!assay_config_read_uint (r, "attention.sliding_window", 0, G_MAXINT32, r->family->window, c->n_layers,
                               &c->window, error))
    return FALSE;
  const char *key = assay_config_key (r, "attention.sliding_window_pattern");
  if (assay_model_file_get_array (r->file, key, &type, &length))
    return family_read_layer_flags (r, c, key, type, length, error);
  if (assay_model_file_has (r->file, key)
      && !assay_config_read_uint (r, "attention.sliding_window_pattern", 0, ASSAY_CONFIG_MAX_LAYERS, 0, 0,
                                  &period, error))
    return FALSE;
  for (guint i = 0; i < c->n_layers; i++)
    if (period == ALL_SLIDE || i % period < period - 1)
      c->slides[i / 8] |= (guint8) (1 << (i % 8));
  return TRUE;
}

guint
assay_config_get_window (const AssayModelConfig *self, guint layer)
{
  g_return_val_if_fail (layer < self->n_layers, 0);
  return (self->slides[layer / 8] >> (layer % 8) & 1) != 0 ? self->window : 0;
}

/* --- features --- */

static gboolean
family_read_scales (ConfigReader *r, AssayModelConfig *c, GError **error)
{
  const ConfigFamily *f = r->family;
  const gboolean is_wide = f->wide_layers > 0 && c->n_layers == f->wide_layers;
  const double natural = is_wide ? (double) c->n_embd / c->n_heads : c->head_dim;
  c->embedding_scale = (f->bit & GEMMA) != 0 ? sqrtf ((float) c->n_embd) : 1;
  return assay_config_read_float (r, "attention.scale", 1e4, 1 / sqrt (natural), &c->attention_scale, error)
         && assay_config_read_cap (r, "attn_logit_softcapping", 1e6, f->attention_soft_cap,
                                   &c->attention_soft_cap, error)
         && assay_config_read_cap (r, "final_logit_softcapping", 1e6, f->output_soft_cap, &c->output_soft_cap,
                                   error);
}

gboolean
assay_config_apply_family (ConfigReader *r, AssayModelConfig *c, GError **error)
{
  const guint bit = r->family->bit;
  c->activation = r->family->activation;
  c->layer_norm = bit == GPT2;
  c->gated = bit != GPT2;
  c->learned_positions = bit == GPT2;
  c->qk_norm = (bit & (QWEN3 | GEMMA3)) != 0;
  c->post_norms = (bit & GEMMA) != 0;
  c->fused_qkv = (bit & (GPT2 | PHI3)) != 0;
  c->fused_gate_up = bit == PHI3;
  return family_read_windows (r, c, error) && family_read_scales (r, c, error);
}
