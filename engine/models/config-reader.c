/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/models/config-reader.c: one number of a model by its key, used in arithmetic only after this. */
#include "config-private.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

gboolean
assay_config_fail (AssayModelFile *file, AssayEngineError code, const char *reason, const char *key,
                   GError **error, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *message = g_strdup_vprintf (_(format), args);
  va_end (args);
  assay_engine_error_set (error, code, reason, assay_model_file_get_path (file), key,
                          key != NULL ? assay_model_file_get_value_offset (file, key) : -1, "%s", message);
  return FALSE;
}

const char *
assay_config_key (ConfigReader *r, const char *name)
{
  if (g_str_has_prefix (name, "assay."))
    g_strlcpy (r->key, name, sizeof r->key);
  else
    g_snprintf (r->key, sizeof r->key, "%s.%s", r->family->name, name);
  return r->key;
}

gboolean
assay_config_has (ConfigReader *r, const char *name)
{
  return assay_model_file_has (r->file, assay_config_key (r, name));
}

gboolean
assay_config_set_missing (ConfigReader *r, const char *key, GError **error)
{
  return assay_config_fail (r->file, ASSAY_ENGINE_ERROR_FORMAT, "config-missing", key, error,
                            "the key is missing");
}

gboolean
assay_config_set_type (ConfigReader *r, const char *key, const char *wanted, GError **error)
{
  g_autofree char *shown = assay_model_file_dup_value (r->file, key);
  return assay_config_fail (r->file, ASSAY_ENGINE_ERROR_FORMAT, "config-type", key, error,
                            "is '%s' instead of %s", shown, wanted);
}

gboolean
assay_config_mismatch (ConfigReader *r, const char *name, GError **error, const char *what, guint64 a,
                       const char *relation, guint64 b)
{
  return assay_config_fail (r->file, ASSAY_ENGINE_ERROR_FORMAT, "config-mismatch", assay_config_key (r, name),
                            error, "%s: %" PRIu64 " %s %" PRIu64, what, a, relation, b);
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
                              "%" PRIu64 " numbers for %u layers", length, n_layers);
  for (guint i = 0; i < n_layers; i++)
    {
      if (!assay_model_file_get_array_uint (r->file, key, i, &value))
        return assay_config_set_type (r, key, "whole numbers", error);
      if (i > 0 && value != *out)
        return assay_config_fail (r->file, ASSAY_ENGINE_ERROR_UNSUPPORTED, "per-layer-sizes", key, error,
                                  "layers of different sizes (%" PRIu64 " and %" PRIu64
                                  ") are not computed by this engine; choose another runtime or model",
                                  *out, value);
      *out = value;
    }
  return TRUE;
}

gboolean
assay_config_read_uint (ConfigReader *r, const char *name, guint64 least, guint64 most, guint fallback,
                        guint n_layers, guint *out, GError **error)
{
  const char *key = assay_config_key (r, name);
  guint type;
  guint64 value = fallback, length;
  if (!assay_model_file_has (r->file, key))
    {
      *out = fallback;
      return fallback > 0 || least == 0 || assay_config_set_missing (r, key, error);
    }
  if (n_layers > 0 && assay_model_file_get_array (r->file, key, &type, &length))
    {
      if (!config_read_layers (r, key, n_layers, &value, error))
        return FALSE;
    }
  else if (!assay_model_file_get_uint (r->file, key, &value))
    return assay_config_set_type (r, key, "a whole number", error);
  if (value < least || value > most)
    return assay_config_fail (r->file, ASSAY_ENGINE_ERROR_FORMAT, "config-range", key, error,
                              "is %" PRIu64 "; from %" PRIu64 " to %" PRIu64
                              " is allowed",
                              value, least, most);
  *out = (guint) value;
  return TRUE;
}

static gboolean
config_read_number (ConfigReader *r, const char *name, gboolean allow_zero, double most, double fallback,
                    double *out, GError **error)
{
  const char *key = assay_config_key (r, name);
  double value = fallback;
  *out = fallback;
  if (!assay_model_file_has (r->file, key))
    return !isnan (fallback) || assay_config_set_missing (r, key, error);
  if (!assay_model_file_get_real (r->file, key, &value))
    return assay_config_set_type (r, key, "a number", error);
  if (!isfinite (value) || !((float) value > 0 || (allow_zero && value == 0)) || value > most)
    return assay_config_fail (r->file, ASSAY_ENGINE_ERROR_FORMAT, "config-range", key, error,
                              "is %g; it must be above 0 and at most %g", value, most);
  *out = value;
  return TRUE;
}

gboolean
assay_config_read_real (ConfigReader *r, const char *name, double most, double fallback, double *out,
                        GError **error)
{
  return config_read_number (r, name, FALSE, most, fallback, out, error);
}

gboolean
assay_config_read_float (ConfigReader *r, const char *name, double most, double fallback, float *out,
                         GError **error)
{
  double value;
  const gboolean ok = config_read_number (r, name, FALSE, most, fallback, &value, error);
  *out = (float) value;
  return ok;
}

gboolean
assay_config_read_cap (ConfigReader *r, const char *name, double most, double fallback, float *out,
                       GError **error)
{
  double value;
  const gboolean ok = config_read_number (r, name, TRUE, most, fallback, &value, error);
  *out = (float) value;
  return ok;
}

gboolean
assay_config_read_flag (ConfigReader *r, const char *name, gboolean fallback, gboolean *out, GError **error)
{
  const char *key = assay_config_key (r, name);
  *out = fallback;
  return !assay_model_file_has (r->file, key) || assay_model_file_get_bool (r->file, key, out)
         || assay_config_set_type (r, key, "true or false", error);
}

gboolean
assay_config_check_flag (ConfigReader *r, const char *name, gboolean usual, GError **error)
{
  gboolean value;
  if (!assay_config_read_flag (r, name, usual, &value, error))
    return FALSE;
  if (value == usual)
    return TRUE;
  return assay_config_fail (
      r->file, ASSAY_ENGINE_ERROR_UNSUPPORTED, "variant-unknown", assay_config_key (r, name), error,
      "this variant of %s is not computed by this engine; choose another runtime or model", r->family->name);
}
