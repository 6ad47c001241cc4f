/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/hf-read.c: one value of config.json, with its range; and how a failure names its place. */
#include "hf-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <stdarg.h>

#define CONFIG "config.json"

G_GNUC_PRINTF (8, 0)
static void
hf_set_error (const AssayHfFolder *folder, AssayEngineError code, const char *reason, const char *file,
              const char *key, gint64 offset, GError **error, const char *format, va_list args)
{
  g_autofree char *message = g_strdup_vprintf (_(format), args);
  g_autofree char *path = g_build_filename (folder->path, file, NULL);
  assay_engine_error_set (error, code, reason, path, key, offset, "%s", message);
}

gboolean
assay_hf_fail (const AssayHfFolder *folder, AssayEngineError code, const char *reason, const char *file,
               const char *key, GError **error, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  hf_set_error (folder, code, reason, file, key, -1, error, format, args);
  va_end (args);
  return FALSE;
}

G_GNUC_PRINTF (6, 7)
static gboolean
hf_fail_at (const HfTranslation *self, const AssayJsonNode *node, const char *reason, const char *key,
            GError **error, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  hf_set_error (self->folder, ASSAY_ENGINE_ERROR_FORMAT, reason, CONFIG, key, node->offset, error, format,
                args);
  va_end (args);
  return FALSE;
}

gboolean
assay_hf_unsupported (const HfTranslation *self, const char *key, GError **error, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  hf_set_error (self->folder, ASSAY_ENGINE_ERROR_UNSUPPORTED, "hf-variant", CONFIG, key, -1, error, format,
                args);
  va_end (args);
  return FALSE;
}

AssayJsonTree *
assay_hf_parse (const AssayHfFolder *folder, GBytes *text, const char *file, GError **error)
{
  gsize offset;
  const char *what;
  AssayJsonTree *tree = assay_json_tree_new (text, &offset, &what);
  g_autofree char *path = g_build_filename (folder->path, file, NULL);
  if (tree == NULL)
    assay_engine_error_set (error, ASSAY_ENGINE_ERROR_FORMAT, "hf-json", path, NULL, (gint64)offset,
                            "no sound JSON: %s. Fetch the file again", what);
  else if (assay_json_tree_get_root (tree)->type != ASSAY_JSON_OBJECT)
    {
      assay_engine_error_set (error, ASSAY_ENGINE_ERROR_FORMAT, "hf-json", path, NULL, 0,
                              "not a JSON object. Fetch the file again");
      g_clear_pointer (&tree, assay_json_tree_free);
    }
  return tree;
}

/* ---- values of config.json ---- */

const AssayJsonNode *
assay_hf_find (const HfTranslation *self, const AssayJsonNode *parent, const char *key)
{
  const AssayJsonNode *node = assay_json_tree_find (self->config, parent, key);
  return node != NULL && node->type != ASSAY_JSON_NULL ? node : NULL;
}

gboolean
assay_hf_fail_type (const HfTranslation *self, const AssayJsonNode *node, const char *key, const char *wanted,
                    GError **error)
{
  g_autofree char *shown = assay_json_node_dup_value (node);
  return hf_fail_at (self, node, "hf-config-type", key, error, "is %s instead of %s", shown, wanted);
}

gboolean
assay_hf_fail_range (const HfTranslation *self, const AssayJsonNode *node, const char *key,
                     const char *allowed, GError **error)
{
  g_autofree char *shown = assay_json_node_dup_value (node);
  return hf_fail_at (self, node, "hf-config-range", key, error, "is %s; %s", shown, allowed);
}

gboolean
assay_hf_read_uint (const HfTranslation *self, const AssayJsonNode *parent, const char *key, guint least,
                    guint most, guint fallback, guint *out, GError **error)
{
  const AssayJsonNode *node = assay_hf_find (self, parent, key);
  *out = fallback;
  if (node == NULL)
    return TRUE;
  if (node->type != ASSAY_JSON_INTEGER)
    return assay_hf_fail_type (self, node, key, "a whole number", error);
  if (node->integer < (gint64)least || node->integer > (gint64)most)
    {
      g_autofree char *allowed = g_strdup_printf ("from %u to %u is allowed", least, most);
      return assay_hf_fail_range (self, node, key, allowed, error);
    }
  *out = (guint)node->integer;
  return TRUE;
}

gboolean
assay_hf_read_real (const HfTranslation *self, const AssayJsonNode *parent, const char *key, double above,
                    double most, double fallback, double *out, GError **error)
{
  const AssayJsonNode *node = assay_hf_find (self, parent, key);
  *out = fallback;
  if (node == NULL)
    return TRUE;
  if (node->type != ASSAY_JSON_INTEGER && node->type != ASSAY_JSON_REAL)
    return assay_hf_fail_type (self, node, key, "a number", error);
  *out = node->type == ASSAY_JSON_INTEGER ? (double)node->integer : node->real;
  if (isfinite (*out) && *out > above && *out <= most)
    return TRUE;
  g_autofree char *allowed = g_strdup_printf ("above %g and at most %g is allowed", above, most);
  return assay_hf_fail_range (self, node, key, allowed, error);
}

gboolean
assay_hf_read_flag (const HfTranslation *self, const AssayJsonNode *parent, const char *key,
                    gboolean fallback, gboolean *out, GError **error)
{
  const AssayJsonNode *node = assay_hf_find (self, parent, key);
  *out = fallback;
  if (node == NULL)
    return TRUE;
  if (node->type != ASSAY_JSON_BOOL)
    return assay_hf_fail_type (self, node, key, "true or false", error);
  *out = node->integer != 0;
  return TRUE;
}

gboolean
assay_hf_read_text (const HfTranslation *self, const AssayJsonNode *parent, const char *key,
                    const AssayJsonNode **out, GError **error)
{
  *out = assay_hf_find (self, parent, key);
  return *out == NULL || (*out)->type == ASSAY_JSON_TEXT
         || assay_hf_fail_type (self, *out, key, "a text", error);
}

/* ---- keys of the architecture ---- */

static const char *
hf_key (const HfTranslation *self, const char *name, char key[96])
{
  g_snprintf (key, 96, "%s.%s", self->class->architecture, name);
  return key;
}

void
assay_hf_put_uint (const HfTranslation *self, const char *name, guint value)
{
  char key[96];
  assay_gguf_build_u32 (self->out, hf_key (self, name, key), value);
}

void
assay_hf_put_real (const HfTranslation *self, const char *name, double value)
{
  char key[96];
  assay_gguf_build_f32 (self->out, hf_key (self, name, key), (float)value);
}

void
assay_hf_put_text (const HfTranslation *self, const char *name, const char *value)
{
  char key[96];
  assay_gguf_build_text (self->out, hf_key (self, name, key), value, -1);
}
