/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/hf-windows.c: which layers see only the last tokens.
 *
 * Four rules came one after the other: a window for all layers (mistral, phi3), a window that is off unless
 * use_sliding_window says so, and then for the last layers (qwen), a period (gemma), and a list of every
 * layer's type, which wins over all. */
#include "hf-private.h"

#include <string.h>

enum
{
  MOST_LAYERS = 1024
};

static gboolean
windows_read_types (const HfTranslation *self, const AssayJsonNode *list, guint8 *slides, GError **error)
{
  static const char key[] = "layer_types";
  guint i = 0;
  if (list->type != ASSAY_JSON_ARRAY)
    return assay_hf_fail_type (self, list, key, "a list", error);
  if (list->n != self->n_layers)
    return assay_hf_fail (self->folder, ASSAY_ENGINE_ERROR_FORMAT, "hf-config-mismatch", "config.json", key,
                          error, "%u types for %u layers", list->n, self->n_layers);
  for (const AssayJsonNode *type = assay_json_tree_first (self->config, list); type != NULL;
       type = assay_json_tree_next (self->config, list, type), i++)
    {
      slides[i] = assay_json_node_is_text (type, "sliding_attention");
      if (slides[i] || assay_json_node_is_text (type, "full_attention"))
        continue;
      g_autofree char *shown = assay_json_node_dup_value (type);
      return assay_hf_unsupported (self, key, error,
                                   "%s is not computed by this engine, only full_attention and "
                                   "sliding_attention; choose another runtime or model",
                                   shown);
    }
  return TRUE;
}

static gboolean
windows_read_period (const HfTranslation *self, guint8 *slides, GError **error)
{
  guint period = self->class->full_period, first;
  if (strcmp (self->class->architecture, "gemma3") == 0
      && !assay_hf_read_uint (self, self->model, "sliding_window_pattern", 1, MOST_LAYERS, period, &period,
                              error))
    return FALSE;
  if (!assay_hf_read_uint (self, self->model, "max_window_layers", 0, G_MAXINT32, 28, &first, error))
    return FALSE;
  for (guint i = 0; i < self->n_layers; i++)
    slides[i] = period > 0 ? (i + 1) % period != 0 : i >= first;
  return TRUE;
}

static void
windows_put (const HfTranslation *self, guint window, const guint8 *slides)
{
  g_autofree char *key = g_strdup_printf ("%s.attention.sliding_window_pattern", self->class->architecture);
  enum
  {
    GGUF_BOOL = 7
  };
  assay_hf_put_uint (self, "attention.sliding_window", window);
  assay_gguf_build_array (self->out, key, GGUF_BOOL, self->n_layers);
  for (guint i = 0; i < self->n_layers; i++)
    assay_gguf_build_element_u8 (self->out, slides[i]);
}

gboolean
assay_hf_translate_windows (HfTranslation *self, GError **error)
{
  static const char key[] = "sliding_window";
  const gboolean absent = assay_json_tree_find (self->config, self->model, key) == NULL;
  const gboolean qwen = g_str_has_prefix (self->class->architecture, "qwen");
  const AssayJsonNode *types = assay_hf_find (self, self->model, "layer_types");
  guint8 slides[MOST_LAYERS];
  guint window;
  gboolean used;
  if (!assay_hf_read_uint (self, self->model, key, 1, G_MAXINT32, absent ? self->class->window : 0, &window,
                           error)
      || !assay_hf_read_flag (self, self->model, "use_sliding_window", !qwen, &used, error))
    return FALSE;
  if (qwen && !used)
    window = 0;
  if (!qwen && self->class->full_period == 0) /* transformers does not read the other keys here */
    {
      if (window > 0)
        assay_hf_put_uint (self, "attention.sliding_window", window);
      return TRUE;
    }
  if (!(types != NULL ? windows_read_types (self, types, slides, error)
                      : windows_read_period (self, slides, error)))
    return FALSE;
  const gboolean any = memchr (slides, 1, self->n_layers) != NULL;
  if (any && window == 0 && types != NULL)
    return assay_hf_fail (self->folder, ASSAY_ENGINE_ERROR_FORMAT, "hf-config-mismatch", "config.json", key,
                          error, "there is no window, but layer_types has layers that need one");
  if (any && window > 0)
    windows_put (self, window, slides);
  else if (self->class->full_period > 0)
    assay_hf_put_uint (self, "attention.sliding_window", 0); /* a GGUF that is silent has the family's */
  return TRUE;
}
