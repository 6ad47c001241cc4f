/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/model-values.c: the metadata of a model; in a split one, that of the first part; of
 * safetensors, the translation of the folder's texts. */
#include "gguf-private.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static ModelPart *
values_part (AssayModelFile *self)
{
  return self->translated != NULL ? self->translated : g_ptr_array_index (self->parts, 0);
}

static const GgufValue *
values_find (AssayModelFile *self, const char *key, guint type)
{
  const GgufValue *value = assay_gguf_part_find (values_part (self), key);
  return value != NULL && value->type == type ? value : NULL;
}

static AssayBytes
values_string_at (ModelPart *part, guint32 at)
{
  guint64 length;
  memcpy (&length, part->metadata + at, sizeof length);
  const char *text = (const char *) part->metadata + at + sizeof length;
  return (AssayBytes) { text, (gsize) GUINT64_FROM_LE (length) };
}

gboolean
assay_model_file_has (AssayModelFile *self, const char *key)
{
  return assay_gguf_part_find (values_part (self), key) != NULL;
}

gboolean
assay_model_file_get_uint (AssayModelFile *self, const char *key, guint64 *out)
{
  return assay_gguf_part_get_uint (values_part (self), assay_gguf_part_find (values_part (self), key), out);
}

gboolean
assay_model_file_get_int (AssayModelFile *self, const char *key, gint64 *out)
{
  return assay_gguf_part_get_int (values_part (self), assay_gguf_part_find (values_part (self), key), out);
}

static double
values_float (const guint8 *at, guint type)
{
  union { guint32 bits; float value; } f32;
  union { guint64 bits; double value; } f64;
  if (type == GGUF_F32)
    {
      memcpy (&f32.bits, at, sizeof f32.bits);
      f32.bits = GUINT32_FROM_LE (f32.bits);
      return f32.value;
    }
  memcpy (&f64.bits, at, sizeof f64.bits);
  f64.bits = GUINT64_FROM_LE (f64.bits);
  return f64.value;
}

gboolean
assay_model_file_get_real (AssayModelFile *self, const char *key, double *out)
{
  ModelPart *part = values_part (self);
  const GgufValue *value = assay_gguf_part_find (part, key);
  gint64 whole;
  if (value != NULL && (value->type == GGUF_F32 || value->type == GGUF_F64))
    *out = values_float (part->metadata + value->value_at, value->type);
  else if (assay_gguf_part_get_int (part, value, &whole))
    *out = (double) whole;
  else
    return FALSE;
  return TRUE;
}

gboolean
assay_model_file_get_bool (AssayModelFile *self, const char *key, gboolean *out)
{
  ModelPart *part = values_part (self);
  const GgufValue *value = assay_gguf_part_find (part, key);
  if (value == NULL || (value->type != GGUF_BOOL && value->type != GGUF_U8)
      || part->metadata[value->value_at] > 1)
    return FALSE;
  *out = part->metadata[value->value_at];
  return TRUE;
}

gboolean
assay_model_file_get_string (AssayModelFile *self, const char *key, AssayBytes *out)
{
  const GgufValue *value = values_find (self, key, GGUF_STRING);
  if (value == NULL)
    return FALSE;
  *out = values_string_at (values_part (self), value->value_at);
  return TRUE;
}

gboolean
assay_model_file_get_array (AssayModelFile *self, const char *key, guint *type, guint64 *length)
{
  const GgufValue *value = values_find (self, key, GGUF_ARRAY);
  if (value == NULL)
    return FALSE;
  *type = value->element_type;
  *length = value->count;
  return TRUE;
}

AssayBytes
assay_model_file_get_array_string (AssayModelFile *self, const char *key, guint64 i)
{
  const GgufValue *value = values_find (self, key, GGUF_ARRAY);
  g_return_val_if_fail (value != NULL && value->element_type == GGUF_STRING && i < value->count,
                        ((AssayBytes) { "", 0 }));
  ModelPart *part = values_part (self);
  return values_string_at (part, g_array_index (part->string_at, guint32, value->strings + i));
}

gboolean
assay_model_file_get_array_uint (AssayModelFile *self, const char *key, guint64 i, guint64 *out)
{
  const GgufValue *value = values_find (self, key, GGUF_ARRAY);
  if (value == NULL || i >= value->count)
    return FALSE;
  const GgufValue element = {
    .type = value->element_type,
    .value_at = value->value_at + (guint32) i * assay_gguf_type_bytes (value->element_type),
  };
  return assay_gguf_part_get_uint (values_part (self), &element, out);
}

const void *
assay_model_file_get_array_data (AssayModelFile *self, const char *key)
{
  const GgufValue *value = values_find (self, key, GGUF_ARRAY);
  if (value == NULL || assay_gguf_type_bytes (value->element_type) == 0)
    return NULL;
  return values_part (self)->metadata + value->value_at;
}

gint64
assay_model_file_get_value_offset (AssayModelFile *self, const char *key)
{
  const GgufValue *value = assay_gguf_part_find (values_part (self), key);
  return value != NULL && self->translated == NULL ? (gint64) value->value_at : -1;
}

guint
assay_model_file_get_n_keys (AssayModelFile *self)
{
  return values_part (self)->values->len;
}

AssayBytes
assay_model_file_get_key (AssayModelFile *self, guint i)
{
  ModelPart *part = values_part (self);
  g_return_val_if_fail (i < part->values->len, ((AssayBytes) { "", 0 }));
  return assay_gguf_part_get_key (part, &g_array_index (part->values, GgufValue, i));
}

static char *
values_dup_number (ModelPart *part, const GgufValue *value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  guint64 natural;
  gint64 whole;
  if (assay_gguf_part_get_uint (part, value, &natural))
    return g_strdup_printf ("%" PRIu64, natural);
  if (assay_gguf_part_get_int (part, value, &whole))
    return g_strdup_printf ("%" PRId64, whole);
  const double real = values_float (part->metadata + value->value_at, value->type);
  return g_strdup (g_ascii_formatd (text, sizeof text, value->type == GGUF_F32 ? "%.7g" : "%.15g", real));
}

char *
assay_model_file_dup_value (AssayModelFile *self, const char *key)
{
  ModelPart *part = values_part (self);
  const GgufValue *value = assay_gguf_part_find (part, key);
  if (value == NULL)
    return NULL;
  switch (value->type)
    {
    case GGUF_STRING:
      {
        const AssayBytes text = values_string_at (part, value->value_at);
        return assay_engine_escape (text.data, text.length);
      }
    case GGUF_ARRAY:
      return g_strdup_printf ("[%u %s]", value->count, assay_gguf_type_name (value->element_type));
    case GGUF_BOOL:
      return g_strdup (part->metadata[value->value_at] ? "true" : "false");
    default:
      return values_dup_number (part, value);
    }
}
