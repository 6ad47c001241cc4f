/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/convert/quantize-foreign.c: what a model of Hugging Face's layout says by keys that only this engine
 * reads, said as GGUF says it.
 *
 * Divisors of the rotation are tensors there: llama3's are computed, longrope's are given. YaRN's magnitude
 * is a multiple of what its factor makes by itself. The order of q's and k's rows is the plan's work; its key
 * goes. */
#include "quantize-private.h"

#include <string.h>

typedef struct
{
  AssayGgufWrite *out;
  AssayModelFile *file;
  const AssayModelConfig *config;
  GPtrArray *vectors; /* of floats, owned; their tensors were added in this order */
} Foreign;

static void
foreign_add_vector (Foreign *self, const char *name, float *values)
{
  const gint64 n = self->config->rope.n_dims / 2;
  assay_gguf_write_add_tensor (self->out, (AssayBytes) { name, strlen (name) }, 1, &n, ASSAY_DTYPE_F32);
  g_ptr_array_add (self->vectors, values);
}

static gboolean
foreign_add_divisors (Foreign *self, const char *name, guint context_length, GError **error)
{
  float *values = g_new (float, self->config->rope.n_dims / 2);
  foreign_add_vector (self, name, values);
  return assay_config_fill_rope_divisor (self->config, self->file, context_length, values, error);
}

/* The key is a factor on what the reader makes of the rest by itself. */
static void
foreign_set_magnitude (Foreign *self)
{
  AssayRopeScaling plain = self->config->rope_scaling;
  plain.attention_factor = 0;
  const double by_itself = plain.kind == ASSAY_ROPE_YARN ? assay_rope_scaling_get_magnitude (&plain) : 1;
  g_autofree char *key = g_strconcat (self->config->architecture, ".rope.scaling.attn_factor", NULL);
  assay_gguf_write_set_f32 (self->out, key, (float) (self->config->rope.magnitude / by_itself));
}

GPtrArray *
assay_quantize_put_foreign (AssayGgufWrite *out, AssayModelFile *file, const AssayModelConfig *config,
                            GError **error)
{
  g_autoptr (GPtrArray) vectors = g_ptr_array_new_with_free_func (g_free);
  Foreign self = { out, file, config, vectors };
  const AssayRopeScaling *scaling = &config->rope_scaling;
  assay_gguf_write_drop (out, "assay.rope.half_split");
  if (config->rope_tensors != ASSAY_ROPE_TENSORS_NONE
      || strcmp (assay_model_file_get_format (file), "gguf") == 0)
    return g_steal_pointer (&vectors);
  if (scaling->kind == ASSAY_ROPE_LLAMA3)
    {
      g_autofree char *prefix = g_strconcat (config->architecture, ".rope.scaling.", NULL);
      assay_gguf_write_drop (out, prefix);
      assay_gguf_write_drop (out, "assay.rope.");
      return foreign_add_divisors (&self, "rope_freqs.weight", 0, error) ? g_steal_pointer (&vectors) : NULL;
    }
  if (scaling->kind == ASSAY_ROPE_YARN || scaling->kind == ASSAY_ROPE_LONG)
    {
      foreign_set_magnitude (&self);
      assay_gguf_write_drop (out, "assay.rope.attention_factor");
    }
  if (scaling->kind != ASSAY_ROPE_LONG)
    return g_steal_pointer (&vectors);
  assay_gguf_write_drop (out, "assay.rope.long_factor");
  assay_gguf_write_drop (out, "assay.rope.short_factor");
  return foreign_add_divisors (&self, "rope_factors_long.weight", G_MAXUINT, error)
                 && foreign_add_divisors (&self, "rope_factors_short.weight", 0, error)
             ? g_steal_pointer (&vectors)
             : NULL;
}
