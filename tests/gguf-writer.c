/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/gguf-writer.c: see the header. Numbers are written byte by byte, little-endian. */
#include "gguf-writer.h"

#include <string.h>
#include <unistd.h>

void
gguf_put_u32 (GByteArray *out, guint32 value)
{
  value = GUINT32_TO_LE (value);
  g_byte_array_append (out, (const guint8 *) &value, sizeof value);
}

void
gguf_put_u64 (GByteArray *out, guint64 value)
{
  value = GUINT64_TO_LE (value);
  g_byte_array_append (out, (const guint8 *) &value, sizeof value);
}

void
gguf_put_string (GByteArray *out, const char *text, gsize length)
{
  gguf_put_u64 (out, length);
  g_byte_array_append (out, (const guint8 *) text, (guint) length);
}

static GByteArray *
writer_dup (gconstpointer data, gsize length)
{
  GByteArray *out = g_byte_array_new ();
  g_byte_array_append (out, data, (guint) length);
  return out;
}

static void
writer_value_free (gpointer data)
{
  GgufWriterValue *value = data;
  g_byte_array_unref (value->key);
  g_byte_array_unref (value->value);
  g_free (value);
}

static void
writer_tensor_free (gpointer data)
{
  GgufWriterTensor *tensor = data;
  g_byte_array_unref (tensor->name);
  g_byte_array_unref (tensor->data);
  g_free (tensor);
}

GgufWriter *
gguf_writer_new (void)
{
  GgufWriter *self = g_new0 (GgufWriter, 1);
  self->values = g_ptr_array_new_with_free_func (writer_value_free);
  self->tensors = g_ptr_array_new_with_free_func (writer_tensor_free);
  self->trailing = g_byte_array_new ();
  self->version = 3;
  self->magic = 0x46554747;
  self->n_values = self->n_tensors = GGUF_AUTO;
  self->alignment = 32;
  return self;
}

void
gguf_writer_free (GgufWriter *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->values);
  g_ptr_array_unref (self->tensors);
  g_byte_array_unref (self->trailing);
  g_free (self);
}

GgufWriterValue *
gguf_writer_find (GgufWriter *self, const char *key)
{
  for (guint i = 0; i < self->values->len; i++)
    {
      GgufWriterValue *value = g_ptr_array_index (self->values, i);
      if (value->key->len == strlen (key) && memcmp (value->key->data, key, value->key->len) == 0)
        return value;
    }
  return NULL;
}

void
gguf_writer_append (GgufWriter *self, const char *key, gsize key_length, guint32 type, gconstpointer value,
                    gsize bytes)
{
  GgufWriterValue *entry = g_new0 (GgufWriterValue, 1);
  entry->key = writer_dup (key, key_length);
  entry->type = type;
  entry->value = writer_dup (value, bytes);
  g_ptr_array_add (self->values, entry);
}

void
gguf_writer_set (GgufWriter *self, const char *key, guint32 type, gconstpointer value, gsize bytes)
{
  GgufWriterValue *entry = gguf_writer_find (self, key);
  if (entry == NULL)
    {
      gguf_writer_append (self, key, strlen (key), type, value, bytes);
      return;
    }
  entry->type = type;
  g_byte_array_unref (entry->value);
  entry->value = writer_dup (value, bytes);
}

void
gguf_writer_set_u32 (GgufWriter *self, const char *key, guint32 value)
{
  value = GUINT32_TO_LE (value);
  gguf_writer_set (self, key, GGUF_TYPE_U32, &value, sizeof value);
}

void
gguf_writer_set_u64 (GgufWriter *self, const char *key, guint64 value)
{
  value = GUINT64_TO_LE (value);
  gguf_writer_set (self, key, GGUF_TYPE_U64, &value, sizeof value);
}

void
gguf_writer_set_f32 (GgufWriter *self, const char *key, float value)
{
  guint32 bits;
  memcpy (&bits, &value, sizeof bits);
  bits = GUINT32_TO_LE (bits);
  gguf_writer_set (self, key, GGUF_TYPE_F32, &bits, sizeof bits);
}

void
gguf_writer_set_bool (GgufWriter *self, const char *key, guint8 value)
{
  gguf_writer_set (self, key, GGUF_TYPE_BOOL, &value, sizeof value);
}

void
gguf_writer_set_string_n (GgufWriter *self, const char *key, const char *value, gsize length)
{
  g_autoptr (GByteArray) out = g_byte_array_new ();
  gguf_put_string (out, value, length);
  gguf_writer_set (self, key, GGUF_TYPE_STRING, out->data, out->len);
}

void
gguf_writer_set_string (GgufWriter *self, const char *key, const char *value)
{
  gguf_writer_set_string_n (self, key, value, strlen (value));
}

void
gguf_writer_set_array (GgufWriter *self, const char *key, guint32 element_type, guint64 count,
                       gconstpointer data, gsize bytes)
{
  g_autoptr (GByteArray) out = g_byte_array_new ();
  gguf_put_u32 (out, element_type);
  gguf_put_u64 (out, count);
  g_byte_array_append (out, data, (guint) bytes);
  gguf_writer_set (self, key, GGUF_TYPE_ARRAY, out->data, out->len);
}

void
gguf_writer_set_strings (GgufWriter *self, const char *key, const char *const *strings, gsize n)
{
  g_autoptr (GByteArray) out = g_byte_array_new ();
  for (gsize i = 0; i < n; i++)
    gguf_put_string (out, strings[i], strlen (strings[i]));
  gguf_writer_set_array (self, key, GGUF_TYPE_STRING, n, out->data, out->len);
}

void
gguf_writer_remove (GgufWriter *self, const char *key)
{
  g_ptr_array_remove (self->values, gguf_writer_find (self, key));
}

void
gguf_writer_set_alignment (GgufWriter *self, guint32 alignment)
{
  self->alignment = alignment;
  gguf_writer_set_u32 (self, "general.alignment", alignment);
}

GgufWriterTensor *
gguf_writer_add_tensor (GgufWriter *self, const char *name, guint n_dims, const guint64 *dims,
                        AssayDtype dtype, gconstpointer data)
{
  const AssayDtypeInfo *info = assay_dtype_info (dtype);
  guint64 elements = 1;
  GgufWriterTensor *tensor = g_new0 (GgufWriterTensor, 1);
  tensor->name = writer_dup (name, strlen (name));
  tensor->n_dims = n_dims;
  tensor->type = dtype;
  tensor->offset = GGUF_AUTO;
  for (guint i = 0; i < n_dims; i++)
    elements *= tensor->dims[i] = dims[i];
  const gsize size = elements / info->block_elements * info->block_bytes, bytes = self->sparse ? 0 : size;
  tensor->hole = size - bytes;
  tensor->data = g_byte_array_sized_new ((guint) bytes);
  g_byte_array_set_size (tensor->data, (guint) bytes);
  if (data != NULL && bytes > 0)
    memcpy (tensor->data->data, data, bytes);
  else if (bytes > 0)
    memset (tensor->data->data, 0, bytes);
  g_ptr_array_add (self->tensors, tensor);
  return tensor;
}

GgufWriterTensor *
gguf_writer_get_tensor (GgufWriter *self, const char *name)
{
  for (guint i = 0; i < self->tensors->len; i++)
    {
      GgufWriterTensor *tensor = g_ptr_array_index (self->tensors, i);
      if (tensor->name->len == strlen (name) && memcmp (tensor->name->data, name, tensor->name->len) == 0)
        return tensor;
    }
  g_error ("no tensor %s", name);
}

void
gguf_writer_remove_tensor (GgufWriter *self, const char *name)
{
  g_ptr_array_remove (self->tensors, gguf_writer_get_tensor (self, name));
}

void
gguf_writer_rename_tensor (GgufWriterTensor *tensor, const char *name, gsize length)
{
  g_byte_array_unref (tensor->name);
  tensor->name = writer_dup (name, length);
}

static guint64
writer_padded (guint64 n, guint32 alignment)
{
  return alignment == 0 ? n : (n + alignment - 1) / alignment * alignment;
}

static void
writer_pad (GByteArray *out, guint64 length)
{
  const guint old = out->len;
  if (length <= old)
    return;
  g_byte_array_set_size (out, (guint) length);
  memset (out->data + old, 0, length - old);
}

static void
writer_put_tensor_info (GByteArray *out, const GgufWriterTensor *tensor, guint64 offset)
{
  gguf_put_string (out, (const char *) tensor->name->data, tensor->name->len);
  gguf_put_u32 (out, tensor->n_dims);
  for (guint k = 0; k < MIN (tensor->n_dims, G_N_ELEMENTS (tensor->dims)); k++)
    gguf_put_u64 (out, tensor->dims[k]);
  gguf_put_u32 (out, tensor->type);
  gguf_put_u64 (out, tensor->offset == GGUF_AUTO ? offset : tensor->offset);
}

static void
writer_put_metadata (GgufWriter *self, GByteArray *out)
{
  gguf_put_u32 (out, self->magic);
  gguf_put_u32 (out, self->version);
  gguf_put_u64 (out, self->n_tensors == GGUF_AUTO ? self->tensors->len : self->n_tensors);
  gguf_put_u64 (out, self->n_values == GGUF_AUTO ? self->values->len : self->n_values);
  for (guint i = 0; i < self->values->len; i++)
    {
      const GgufWriterValue *value = g_ptr_array_index (self->values, i);
      gguf_put_string (out, (const char *) value->key->data, value->key->len);
      gguf_put_u32 (out, value->type);
      g_byte_array_append (out, value->value->data, value->value->len);
    }
  guint64 offset = 0;
  for (guint i = 0; i < self->tensors->len; i++)
    {
      const GgufWriterTensor *tensor = g_ptr_array_index (self->tensors, i);
      writer_put_tensor_info (out, tensor, offset);
      offset += writer_padded (tensor->data->len + tensor->hole, self->alignment);
    }
}

GByteArray *
gguf_writer_bytes (GgufWriter *self)
{
  GByteArray *out = g_byte_array_new ();
  writer_put_metadata (self, out);
  writer_pad (out, writer_padded (out->len, self->alignment));
  const guint64 start = out->len;
  for (guint i = 0; i < self->tensors->len; i++)
    {
      const GgufWriterTensor *tensor = g_ptr_array_index (self->tensors, i);
      g_byte_array_append (out, tensor->data->data, tensor->data->len);
      writer_pad (out, start + writer_padded (out->len - start, self->alignment));
    }
  g_byte_array_append (out, self->trailing->data, self->trailing->len);
  return out;
}

static guint64
writer_count_holes (GgufWriter *self)
{
  guint64 sum = 0;
  for (guint i = 0; i < self->tensors->len; i++)
    sum += writer_padded (((GgufWriterTensor *) g_ptr_array_index (self->tensors, i))->hole, self->alignment);
  return sum;
}

void
gguf_writer_save (GgufWriter *self, const char *path)
{
  g_autoptr (GByteArray) bytes = gguf_writer_bytes (self);
  g_autoptr (GError) error = NULL;
  const guint64 holes = writer_count_holes (self);
  g_file_set_contents (path, (const char *) bytes->data, bytes->len, &error);
  g_assert_no_error (error);
  if (holes > 0)
    g_assert_cmpint (truncate (path, (off_t) (bytes->len + holes)), ==, 0);
}

static void
writer_set_u16 (GgufWriter *self, const char *key, guint16 value)
{
  value = GUINT16_TO_LE (value);
  gguf_writer_set (self, key, GGUF_TYPE_U16, &value, sizeof value);
}

GgufWriter *
gguf_writer_part (GgufWriter *self, guint part, guint n_parts)
{
  GgufWriter *out = gguf_writer_new ();
  out->alignment = self->alignment;
  for (guint i = 0; part == 0 && i < self->values->len; i++)
    {
      const GgufWriterValue *value = g_ptr_array_index (self->values, i);
      gguf_writer_append (out, (const char *) value->key->data, value->key->len, value->type,
                          value->value->data, value->value->len);
    }
  if (self->alignment != 32)
    gguf_writer_set_alignment (out, self->alignment);
  const guint32 total = GUINT32_TO_LE (self->tensors->len);
  writer_set_u16 (out, "split.no", (guint16) part);
  writer_set_u16 (out, "split.count", (guint16) n_parts);
  gguf_writer_set (out, "split.tensors.count", GGUF_TYPE_I32, &total, sizeof total);
  for (guint i = self->tensors->len * part / n_parts; i < self->tensors->len * (part + 1) / n_parts; i++)
    {
      const GgufWriterTensor *tensor = g_ptr_array_index (self->tensors, i);
      g_autofree char *name = g_strndup ((const char *) tensor->name->data, tensor->name->len);
      gguf_writer_add_tensor (out, name, tensor->n_dims, tensor->dims, tensor->type, tensor->data->data);
    }
  return out;
}

void
gguf_writer_save_split (GgufWriter *self, const char *prefix, guint n_parts)
{
  for (guint i = 0; i < n_parts; i++)
    {
      g_autofree char *path = g_strdup_printf ("%s-%05u-of-%05u.gguf", prefix, i + 1, n_parts);
      g_autoptr (GgufWriter) part = gguf_writer_part (self, i, n_parts);
      gguf_writer_save (part, path);
    }
}
