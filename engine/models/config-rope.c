/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/models/config-rope.c: rotation as a model's keys and tensors describe it.
 *
 * GGUF has keys for linear and YaRN; llama3 and longrope come to it as tensors of divisors. Models in
 * Hugging Face's layout say by further keys, "assay.rope.…", what GGUF has no words for. */
#include "config-private.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define FREQS "rope_freqs.weight"
#define FACTORS_LONG "rope_factors_long.weight"
#define FACTORS_SHORT "rope_factors_short.weight"

static gboolean
rope_read_kind (ConfigReader *r, AssayRopeKind *out, GError **error)
{
  /* as AssayRopeKind */
  static const char *const names[] = { "none", "linear", "llama3", "yarn", "longrope", NULL };
  const char *key = assay_config_key (r, "rope.scaling.type");
  AssayBytes type;
  *out = ASSAY_ROPE_LINEAR;
  if (!assay_model_file_has (r->file, key))
    return TRUE;
  if (!assay_model_file_get_string (r->file, key, &type))
    return assay_config_set_type (r, key, "a text", error);
  for (guint i = 0; names[i] != NULL; i++)
    if (type.length == strlen (names[i]) && memcmp (type.data, names[i], type.length) == 0)
      {
        *out = (AssayRopeKind) i;
        return TRUE;
      }
  g_autofree char *shown = assay_engine_escape (type.data, type.length);
  g_autofree char *list = g_strjoinv (", ", (char **) names);
  return assay_config_fail (r->file, ASSAY_ENGINE_ERROR_UNSUPPORTED, "rope-scaling", key, error,
                            "'%s' is not computed by this engine, only %s; choose another runtime or model",
                            shown, list);
}

/* Where GGUF says nothing, the defaults are transformers'. */
static gboolean
rope_read_yarn (ConfigReader *r, AssayRopeScaling *s, GError **error)
{
  float extrapolation;
  if (!assay_config_read_real (r, "rope.scaling.yarn_beta_fast", 1e6, 32, &s->beta_fast, error)
      || !assay_config_read_real (r, "rope.scaling.yarn_beta_slow", 1e6, 1, &s->beta_slow, error)
      || !assay_config_read_cap (r, "rope.scaling.yarn_ext_factor", 1, 1, &extrapolation, error)
      || !assay_config_read_flag (r, "assay.rope.truncate", TRUE, &s->truncate, error))
    return FALSE;
  s->extrapolation = extrapolation;
  return TRUE;
}

static gboolean
rope_read_llama3 (ConfigReader *r, AssayRopeScaling *s, GError **error)
{
  if (s->kind != ASSAY_ROPE_LLAMA3)
    return TRUE;
  if (!assay_config_read_real (r, "assay.rope.low_freq_factor", 1e6, NAN, &s->low_freq, error)
      || !assay_config_read_real (r, "assay.rope.high_freq_factor", 1e6, NAN, &s->high_freq, error))
    return FALSE;
  return s->high_freq > s->low_freq
         || assay_config_fail (r->file, ASSAY_ENGINE_ERROR_FORMAT, "config-mismatch",
                               "assay.rope.high_freq_factor", error,
                               "is %g; it must be above low_freq_factor, %g", s->high_freq, s->low_freq);
}

static gboolean
rope_read_scaling (ConfigReader *r, AssayModelConfig *c, GError **error)
{
  AssayRopeScaling *s = &c->rope_scaling;
  float given, multiplier, yarn_multiplier;
  guint original;
  if (!rope_read_kind (r, &s->kind, error)
      || !assay_config_read_uint (r, "rope.scaling.original_context_length", 1, G_MAXINT32, c->context_length,
                                  0, &original, error))
    return FALSE;
  const gboolean is_legacy = !assay_config_has (r, "rope.scaling.factor");
  if (!assay_config_read_real (r, is_legacy ? "rope.scale_linear" : "rope.scaling.factor", 1e6, 1, &s->factor,
                               error)
      || !assay_config_read_cap (r, "assay.rope.attention_factor", 1e3, 0, &given, error)
      || !assay_config_read_float (r, "rope.scaling.attn_factor", 1e3, 1, &multiplier, error)
      || !assay_config_read_float (r, "rope.scaling.yarn_attn_factor", 1e3, 1, &yarn_multiplier, error)
      || !rope_read_yarn (r, s, error))
    return FALSE;
  if (s->kind == ASSAY_ROPE_LONG && !assay_config_has (r, "assay.rope.long_factor"))
    s->factor = 1; /* of GGUF's longrope, attn_factor is all that is said of the magnitude */
  s->original_context = original;
  s->attention_factor = given;
  if (!rope_read_llama3 (r, s, error))
    return FALSE;
  c->rope.scale = s->kind == ASSAY_ROPE_LINEAR ? (float) (1 / s->factor) : 1;
  c->rope.magnitude = (float) assay_rope_scaling_get_magnitude (s) * multiplier * yarn_multiplier;
  return TRUE;
}

/* Yarn divides by the logarithm of the base. */
static gboolean
rope_check_scaling (ConfigReader *r, const AssayModelConfig *c, GError **error)
{
  const AssayRopeScaling *s = &c->rope_scaling;
  const gboolean has_base = s->kind != ASSAY_ROPE_YARN || c->rope.base > 1;
  if (has_base && isfinite (c->rope.magnitude) && c->rope.magnitude > 0)
    return TRUE;
  return assay_config_fail (r->file, ASSAY_ENGINE_ERROR_FORMAT, "config-range",
                            assay_config_key (r, "rope.scaling.type"), error,
                            "base %g, factor %g and an original context of %g tokens give no usable rotation",
                            (double) c->rope.base, s->factor, s->original_context);
}

static gboolean
rope_read_local (ConfigReader *r, AssayModelConfig *c, GError **error)
{
  c->has_rope_local = r->family->bit == GEMMA3;
  c->rope_local = c->rope;
  c->rope_local.scale = c->rope_local.magnitude = 1;
  return assay_config_read_float (r, "rope.freq_base_swa", 1e12, 10000, &c->rope_local.base, error);
}

gboolean
assay_config_read_rope (ConfigReader *r, AssayModelConfig *c, GError **error)
{
  guint n_dims;
  gboolean half_split;
  if (c->learned_positions)
    return TRUE;
  if (!assay_config_read_uint (r, "rope.dimension_count", 2, 4096, c->head_dim, 0, &n_dims, error)
      || !assay_config_read_float (r, "rope.freq_base", 1e12, 10000, &c->rope.base, error)
      || !assay_config_read_flag (r, "assay.rope.half_split", !r->family->adjacent_pairs, &half_split, error)
      || !rope_read_scaling (r, c, error) || !rope_check_scaling (r, c, error))
    return FALSE;
  if (n_dims % 2 != 0 || n_dims > c->head_dim)
    return assay_config_mismatch (r, "rope.dimension_count", error,
                                  "rotated dimensions must be even and within the head", n_dims, "of",
                                  c->head_dim);
  c->rope.n_dims = n_dims;
  c->rope.adjacent = !half_split;
  return rope_read_local (r, c, error);
}

/* --- divisors --- */

static const char *
rope_array_key (gboolean is_long)
{
  return is_long ? "assay.rope.long_factor" : "assay.rope.short_factor";
}

static gboolean
rope_check_array (const AssayModelConfig *c, AssayModelFile *file, const char *key, GError **error)
{
  enum { GGUF_F32 = 6 };
  guint type;
  guint64 length;
  if (!assay_model_file_get_array (file, key, &type, &length))
    return assay_config_fail (file, ASSAY_ENGINE_ERROR_FORMAT, "config-missing", key, error,
                              "longrope needs its divisors, and they are neither here nor in %s",
                              FACTORS_LONG);
  if (type != GGUF_F32 || length != c->rope.n_dims / 2)
    return assay_config_fail (file, ASSAY_ENGINE_ERROR_FORMAT, "config-mismatch", key, error,
                              "%" PRIu64 " elements of type %u for %u pairs of float32", length,
                              type, c->rope.n_dims / 2);
  return TRUE;
}

gboolean
assay_config_finish_rope (AssayModelConfig *c, AssayModelFile *file, GError **error)
{
  const AssayRopeKind kind = c->rope_scaling.kind;
  if (assay_model_file_find_tensor (file, FACTORS_LONG) != NULL)
    c->rope_tensors = ASSAY_ROPE_TENSORS_LONG_SHORT;
  else if (assay_model_file_find_tensor (file, FREQS) != NULL)
    c->rope_tensors = ASSAY_ROPE_TENSORS_FREQS;
  c->has_rope_divisor = c->rope_tensors != ASSAY_ROPE_TENSORS_NONE || kind >= ASSAY_ROPE_LLAMA3;
  if (kind != ASSAY_ROPE_LONG || c->rope_tensors == ASSAY_ROPE_TENSORS_LONG_SHORT)
    return TRUE;
  return rope_check_array (c, file, rope_array_key (TRUE), error)
         && rope_check_array (c, file, rope_array_key (FALSE), error);
}

/* The stored divisors, unaligned little-endian float32; NULL where there are none or they are not mapped. */
static const guint8 *
rope_get_stored (const AssayModelConfig *c, AssayModelFile *file, gboolean is_long, const char **name)
{
  if (c->rope_tensors != ASSAY_ROPE_TENSORS_NONE)
    {
      *name = c->rope_tensors == ASSAY_ROPE_TENSORS_FREQS ? FREQS : is_long ? FACTORS_LONG : FACTORS_SHORT;
      if (assay_model_file_get_mapped_bytes (file) == 0)
        return NULL;
      return assay_model_file_get_data (file, assay_model_file_find_tensor (file, *name));
    }
  *name = rope_array_key (is_long);
  return c->rope_scaling.kind == ASSAY_ROPE_LONG ? assay_model_file_get_array_data (file, *name) : NULL;
}

gboolean
assay_config_fill_rope_divisor (const AssayModelConfig *self, AssayModelFile *file, guint context_length,
                                float *divisor, GError **error)
{
  const char *name;
  const gboolean is_long = context_length > self->rope_scaling.original_context;
  const guint8 *stored = rope_get_stored (self, file, is_long, &name);
  assay_rope_scaling_fill (&self->rope_scaling, self->rope.base, self->rope.n_dims, divisor);
  for (guint i = 0; stored != NULL && i < self->rope.n_dims / 2; i++)
    {
      union { guint32 bits; float value; } f32;
      memcpy (&f32.bits, stored + 4 * (gsize) i, sizeof f32.bits);
      f32.bits = GUINT32_FROM_LE (f32.bits);
      divisor[i] *= f32.value;
      if (!isfinite (divisor[i]) || divisor[i] <= 0)
        return assay_config_fail (file, ASSAY_ENGINE_ERROR_FORMAT, "config-range", name, error,
                                  "divisor %u of the rotation is %g; it must be above 0", i,
                                  (double) f32.value);
    }
  return TRUE;
}
