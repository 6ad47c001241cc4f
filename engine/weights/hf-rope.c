/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/hf-rope.c: rotation, in the words of two generations: rope_theta and rope_scaling beside
 * each other, or rope_parameters with both inside (of gemma3, once for each type of layer). */
#include "hf-private.h"

#include <math.h>
#include <string.h>

enum
{
  GGUF_F32 = 6,
  MOST_PAIRS = 2048
};

typedef struct
{
  const AssayJsonNode *parameters; /* rope_parameters, rope_scaling, or a part of them; NULL */
  const char *name; /* of that, for messages */
  const char *type; /* static; "default" */
  guint n_dims;
} HfRope;

static gboolean
rope_is (const HfRope *rope, const char *type)
{
  return strcmp (rope->type, type) == 0;
}

static gboolean
rope_find_type (const HfTranslation *self, HfRope *rope, GError **error)
{
  static const char *const known[] = { "default", "linear", "dynamic", "llama3", "yarn", "longrope" };
  const gboolean is_phi3 = strcmp (self->class->architecture, "phi3") == 0;
  const AssayJsonNode *type;
  if (!assay_hf_read_text (self, rope->parameters, "rope_type", &type, error)
      || (type == NULL && !assay_hf_read_text (self, rope->parameters, "type", &type, error)))
    return FALSE;
  rope->type = "default";
  if (type == NULL)
    return TRUE;
  /* phi3's older names */
  if (is_phi3 && (assay_json_node_is_text (type, "su") || assay_json_node_is_text (type, "yarn")))
    {
      rope->type = "longrope";
      return TRUE;
    }
  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (assay_json_node_is_text (type, known[i]))
      {
        rope->type = known[i];
        return TRUE;
      }
  g_autofree char *shown = assay_json_node_dup_value (type);
  g_autofree char *list
      = g_strjoinv (", ", (char *[]){ "default", "linear", "llama3", "yarn", "longrope", NULL });
  return assay_hf_unsupported (
      self, rope->name, error,
      "type %s is not computed by this engine, only %s; choose another runtime or model", shown, list);
}

/* The object itself; of gemma3, its part for the layers that see everything. */
static gboolean
rope_find_parameters (const HfTranslation *self, HfRope *rope, GError **error)
{
  const gboolean is_gemma3 = strcmp (self->class->architecture, "gemma3") == 0;
  rope->name = "rope_scaling";
  rope->parameters = assay_hf_find (self, self->model, rope->name);
  if (rope->parameters == NULL)
    {
      rope->name = "rope_parameters";
      rope->parameters = assay_hf_find (self, self->model, rope->name);
    }
  if (rope->parameters == NULL)
    return TRUE;
  if (rope->parameters->type != ASSAY_JSON_OBJECT)
    return assay_hf_fail_type (self, rope->parameters, rope->name, "an object", error);
  const AssayJsonNode *full = assay_hf_find (self, rope->parameters, "full_attention");
  const AssayJsonNode *sliding = assay_hf_find (self, rope->parameters, "sliding_attention");
  if (full == NULL && sliding == NULL)
    return TRUE;
  if (!is_gemma3)
    return assay_hf_unsupported (self, rope->name, error,
                                 "one for each type of layer is known of gemma3 only");
  if (full != NULL && full->type != ASSAY_JSON_OBJECT)
    return assay_hf_fail_type (self, full, "full_attention", "an object", error);
  rope->parameters = full;
  return TRUE;
}

static gboolean
rope_put_local (const HfTranslation *self, GError **error)
{
  const AssayJsonNode *all = assay_hf_find (self, self->model, "rope_parameters");
  HfRope local = { .name = "rope_parameters", .parameters = assay_hf_find (self, all, "sliding_attention") };
  double theta;
  if (self->class->rope_theta_local == 0)
    return TRUE;
  if (!rope_find_type (self, &local, error))
    return FALSE;
  if (!rope_is (&local, "default"))
    return assay_hf_unsupported (self, local.name, error,
                                 "sliding layers of type '%s' are not computed by this engine", local.type);
  if (!assay_hf_read_real (self, self->model, "rope_local_base_freq", 0, 1e12, self->class->rope_theta_local,
                           &theta, error)
      || !assay_hf_read_real (self, local.parameters, "rope_theta", 0, 1e12, theta, &theta, error))
    return FALSE;
  assay_hf_put_real (self, "rope.freq_base_swa", theta);
  return TRUE;
}

static gboolean
rope_put_base (const HfTranslation *self, HfRope *rope, GError **error)
{
  static const char key[] = "partial_rotary_factor";
  double theta, part;
  if (!assay_hf_read_real (self, self->model, "rope_theta", 0, 1e12, self->class->rope_theta, &theta, error)
      || !assay_hf_read_real (self, rope->parameters, "rope_theta", 0, 1e12, theta, &theta, error)
      || !assay_hf_read_real (self, self->model, key, 0, 1, 1, &part, error)
      || !assay_hf_read_real (self, rope->parameters, key, 0, 1, part, &part, error))
    return FALSE;
  if (part != 1 && strcmp (self->class->architecture, "phi3") != 0)
    return assay_hf_unsupported (self, key, error, "is %g, but %s rotates whole heads", part,
                                 self->class->model_type);
  rope->n_dims = (guint)(self->head_dim * part);
  if (rope->n_dims < 2 || rope->n_dims % 2 != 0)
    return assay_hf_fail (self->folder, ASSAY_ENGINE_ERROR_FORMAT, "hf-config-mismatch", "config.json", key,
                          error, "%g of %u elements a head are %u to rotate; it must be an even number", part,
                          self->head_dim, rope->n_dims);
  assay_hf_put_uint (self, "rope.dimension_count", rope->n_dims);
  assay_hf_put_real (self, "rope.freq_base", theta);
  if (self->class->half_split)
    assay_gguf_build_bool (self->out, "assay.rope.half_split", TRUE);
  return TRUE;
}

/* ---- scaling ---- */

/* transformers prefers the one beside the object; of phi3 it is there even when the file does not say it. */
static gboolean
rope_read_original (const HfTranslation *self, const HfRope *rope, guint *out, GError **error)
{
  static const char key[] = "original_max_position_embeddings";
  enum
  {
    PHI3_ORIGINAL = 4096
  };
  const guint beside = strcmp (self->class->architecture, "phi3") == 0 ? PHI3_ORIGINAL : 0;
  if (!assay_hf_read_uint (self, rope->parameters, key, 1, G_MAXINT32, self->context_length, out, error))
    return FALSE;
  return assay_hf_read_uint (self, self->model, key, 1, G_MAXINT32, beside > 0 ? beside : *out, out, error);
}

/* A list of one divisor a pair. */
static gboolean
rope_put_divisors (const HfTranslation *self, const HfRope *rope, const char *key, const char *name,
                   GError **error)
{
  const AssayJsonNode *list = assay_hf_find (self, rope->parameters, key);
  if (list == NULL)
    return assay_hf_fail (self->folder, ASSAY_ENGINE_ERROR_FORMAT, "hf-config-missing", "config.json", key,
                          error, "longrope needs this list of divisors");
  if (list->type != ASSAY_JSON_ARRAY)
    return assay_hf_fail_type (self, list, key, "a list", error);
  if (list->n != rope->n_dims / 2)
    return assay_hf_fail (self->folder, ASSAY_ENGINE_ERROR_FORMAT, "hf-config-mismatch", "config.json", key,
                          error, "%u divisors for %u pairs", list->n, rope->n_dims / 2);
  assay_gguf_build_array (self->out, name, GGUF_F32, list->n);
  for (const AssayJsonNode *node = assay_json_tree_first (self->config, list); node != NULL;
       node = assay_json_tree_next (self->config, list, node))
    {
      if (node->type != ASSAY_JSON_INTEGER && node->type != ASSAY_JSON_REAL)
        return assay_hf_fail_type (self, node, key, "numbers", error);
      const double value = node->type == ASSAY_JSON_INTEGER ? (double)node->integer : node->real;
      if (!isfinite (value) || value <= 0 || value > 1e6)
        return assay_hf_fail_range (self, node, key, "above 0 and at most 1e6 is allowed", error);
      assay_gguf_build_element_f32 (self->out, (float)value);
    }
  return TRUE;
}

static gboolean
rope_put_llama3 (const HfTranslation *self, const HfRope *rope, GError **error)
{
  static const struct
  {
    const char *from, *to;
  } rows[] = {
    { "low_freq_factor", "assay.rope.low_freq_factor" },
    { "high_freq_factor", "assay.rope.high_freq_factor" },
  };
  double values[2];
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      if (assay_hf_find (self, rope->parameters, rows[i].from) == NULL)
        return assay_hf_fail (self->folder, ASSAY_ENGINE_ERROR_FORMAT, "hf-config-missing", "config.json",
                              rows[i].from, error, "llama3's scaling needs it");
      if (!assay_hf_read_real (self, rope->parameters, rows[i].from, 0, 1e6, 0, &values[i], error))
        return FALSE;
      assay_gguf_build_f32 (self->out, rows[i].to, (float)values[i]);
    }
  return values[0] < values[1]
         || assay_hf_fail (self->folder, ASSAY_ENGINE_ERROR_FORMAT, "hf-config-mismatch", "config.json",
                           "high_freq_factor", error, "is %g; it must be above low_freq_factor, %g",
                           values[1], values[0]);
}

static double
rope_magnitude (double factor, double weight)
{
  return factor <= 1 ? 1 : 0.1 * weight * log (factor) + 1;
}

/* 0 counts as absent, as in transformers. */
static gboolean
rope_put_yarn (const HfTranslation *self, const HfRope *rope, double factor, GError **error)
{
  static const struct
  {
    const char *from, *to;
  } rows[]
      = { { "beta_fast", "rope.scaling.yarn_beta_fast" }, { "beta_slow", "rope.scaling.yarn_beta_slow" } };
  double weight, all;
  gboolean truncate;
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      double beta;
      if (!assay_hf_read_real (self, rope->parameters, rows[i].from, -1e-300, 1e6, 0, &beta, error))
        return FALSE;
      if (beta > 0)
        assay_hf_put_real (self, rows[i].to, beta);
    }
  if (!assay_hf_read_real (self, rope->parameters, "mscale", -1e-300, 1e3, 0, &weight, error)
      || !assay_hf_read_real (self, rope->parameters, "mscale_all_dim", -1e-300, 1e3, 0, &all, error)
      || !assay_hf_read_flag (self, rope->parameters, "truncate", TRUE, &truncate, error))
    return FALSE;
  if (!truncate)
    assay_gguf_build_bool (self->out, "assay.rope.truncate", FALSE);
  if (weight > 0 && all > 0 && assay_hf_find (self, rope->parameters, "attention_factor") == NULL)
    assay_gguf_build_f32 (self->out, "assay.rope.attention_factor",
                          (float)(rope_magnitude (factor, weight) / rope_magnitude (factor, all)));
  return TRUE;
}

static gboolean
rope_put_factor (const HfTranslation *self, const HfRope *rope, guint original, double *factor,
                 GError **error)
{
  const gboolean derived = rope_is (rope, "yarn") || rope_is (rope, "longrope");
  if (!derived && assay_hf_find (self, rope->parameters, "factor") == NULL)
    return assay_hf_fail (self->folder, ASSAY_ENGINE_ERROR_FORMAT, "hf-config-missing", "config.json",
                          "factor", error, "a scaling of type %s needs it", rope->type);
  if (!assay_hf_read_real (self, rope->parameters, "factor", 0, 1e6, (double)self->context_length / original,
                           factor, error))
    return FALSE;
  assay_hf_put_text (self, "rope.scaling.type", rope->type);
  assay_hf_put_real (self, "rope.scaling.factor", *factor);
  return TRUE;
}

static gboolean
rope_put_scaling (const HfTranslation *self, const HfRope *rope, GError **error)
{
  guint original;
  double factor, attention;
  if (!rope_read_original (self, rope, &original, error)
      || !rope_put_factor (self, rope, original, &factor, error))
    return FALSE;
  if (rope_is (rope, "linear"))
    return TRUE;
  assay_hf_put_uint (self, "rope.scaling.original_context_length", original);
  if (rope_is (rope, "llama3"))
    return rope_put_llama3 (self, rope, error);
  if (!assay_hf_read_real (self, rope->parameters, "attention_factor", 0, 1e3, 0, &attention, error))
    return FALSE;
  if (attention > 0)
    assay_gguf_build_f32 (self->out, "assay.rope.attention_factor", (float)attention);
  return rope_is (rope, "yarn")
             ? rope_put_yarn (self, rope, factor, error)
             : rope_put_divisors (self, rope, "short_factor", "assay.rope.short_factor", error)
                   && rope_put_divisors (self, rope, "long_factor", "assay.rope.long_factor", error);
}

/* A yarn model was trained for its original context times the factor, whatever max_position_embeddings says.
 */
static gboolean
rope_stretch_context (HfTranslation *self, const HfRope *rope, GError **error)
{
  guint original;
  double factor;
  if (!rope_is (rope, "yarn"))
    return TRUE;
  if (!rope_read_original (self, rope, &original, error)
      || !assay_hf_read_real (self, rope->parameters, "factor", 0, 1e6, 1, &factor, error))
    return FALSE;
  const double stretched = floor (original * factor);
  if (stretched == self->context_length || stretched > G_MAXINT32)
    return TRUE;
  assay_hf_names_notice (
      self->names,
      "%s: %u tokens stretched %g times are not the %u of max_position_embeddings; the longer "
      "context is allowed",
      rope->name, original, factor, self->context_length);
  self->context_length = MAX (self->context_length, (guint)stretched);
  return TRUE;
}

gboolean
assay_hf_translate_rope (HfTranslation *self, GError **error)
{
  HfRope rope = { 0 };
  if (!rope_find_parameters (self, &rope, error) || !rope_find_type (self, &rope, error)
      || !rope_put_base (self, &rope, error) || !rope_put_local (self, error))
    return FALSE;
  /* dynamic changes nothing up to max_position_embeddings, and no run goes beyond it */
  if (rope_is (&rope, "default") || rope_is (&rope, "dynamic"))
    return TRUE;
  return rope_put_scaling (self, &rope, error) && rope_stretch_context (self, &rope, error);
}
