/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/weights/st-writer.c: see the header. */
#include "st-writer.h"

#include "gguf-writer.h"

#include <ftw.h>
#include <stdio.h>
#include <string.h>

static void
st_tensor_free (gpointer data)
{
  StTensor *tensor = data;
  g_free (tensor->name);
  g_byte_array_unref (tensor->data);
  g_free (tensor);
}

StWriter *
st_writer_new (void)
{
  StWriter *self = g_new0 (StWriter, 1);
  self->tensors = g_ptr_array_new_with_free_func (st_tensor_free);
  return self;
}

void
st_writer_free (StWriter *self)
{
  g_ptr_array_unref (self->tensors);
  g_free (self);
}

static guint
st_dtype_bits (const char *dtype)
{
  static const struct { const char *name; guint bits;
  } sizes[] = { { "F64", 64 }, { "I64", 64 }, { "F32", 32 }, { "I32", 32 },    { "BF16", 16 }, { "F16", 16 },
                { "I16", 16 }, { "U8", 8 },   { "I8", 8 },   { "F8_E4M3", 8 }, { "F4", 4 } };
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    if (strcmp (sizes[i].name, dtype) == 0)
      return sizes[i].bits;
  g_error ("no such format: %s", dtype);
}

void
st_writer_add (StWriter *self, const char *name, const char *dtype, guint n_dims, const guint64 *shape)
{
  StTensor *tensor = g_new0 (StTensor, 1);
  guint64 bits = st_dtype_bits (dtype);
  tensor->name = g_strdup (name);
  tensor->dtype = dtype;
  tensor->n_dims = n_dims;
  for (guint i = 0; i < n_dims; i++)
    bits *= tensor->shape[i] = shape[i];
  tensor->data = g_byte_array_new ();
  g_autoptr (GRand) rand = g_rand_new_with_seed (g_str_hash (name));
  for (guint64 i = 0; i < bits / 8; i++)
    {
      const guint8 byte = (guint8) g_rand_int_range (rand, 0, 0x3d); /* finite as any float */
      g_byte_array_append (tensor->data, &byte, 1);
    }
  g_ptr_array_add (self->tensors, tensor);
}

void
st_writer_add_every (StWriter *self, const GByteArray *file, guint first, guint n)
{
  g_autoptr (SafetensorsSet) set = assay_safetensors_set_new ();
  g_autoptr (GError) error = NULL;
  if (!assay_safetensors_read_bytes (set, file->data, file->len, "whole", &error))
    g_error ("%s", error->message);
  for (guint i = first; i < set->tensors->len; i += n)
    {
      const AssayHfTensor *from = &g_array_index (set->tensors, AssayHfTensor, i);
      const TensorPlace *place = &g_array_index (set->places, TensorPlace, i);
      StTensor *tensor = g_new0 (StTensor, 1);
      tensor->name = g_strndup (from->name.data, from->name.length);
      tensor->dtype = from->dtype_name;
      tensor->n_dims = from->n_dims;
      for (guint k = 0; k < from->n_dims; k++)
        tensor->shape[k] = (guint64) from->shape[k];
      tensor->data = g_byte_array_new ();
      g_byte_array_append (tensor->data, file->data + place->offset, (guint) place->bytes);
      g_ptr_array_add (self->tensors, tensor);
    }
}

GByteArray *
st_writer_bytes (StWriter *self)
{
  g_autoptr (GString) header = g_string_new ("{\"__metadata__\":{\"format\":\"pt\"}");
  gsize at = 0;
  for (guint i = 0; i < self->tensors->len; i++)
    {
      const StTensor *tensor = g_ptr_array_index (self->tensors, i);
      g_string_append_printf (header, ",\"%s\":{\"dtype\":\"%s\",\"shape\":[", tensor->name, tensor->dtype);
      for (guint k = 0; k < tensor->n_dims; k++)
        g_string_append_printf (header, "%s%" G_GUINT64_FORMAT, k > 0 ? "," : "", tensor->shape[k]);
      g_string_append_printf (header, "],\"data_offsets\":[%zu,%zu]}", at, at + tensor->data->len);
      at += tensor->data->len;
    }
  g_string_append_printf (header, "}%*s", (int) self->padding, "");
  GByteArray *bytes = st_file_of (header->str, (gssize) header->len, 0);
  for (guint i = 0; i < self->tensors->len; i++)
    {
      const GByteArray *data = ((StTensor *) g_ptr_array_index (self->tensors, i))->data;
      g_byte_array_append (bytes, data->data, data->len);
    }
  return bytes;
}

GByteArray *
st_file_of (const char *header, gssize length, gsize data_bytes)
{
  GByteArray *bytes = g_byte_array_new ();
  const gsize n = length >= 0 ? (gsize) length : strlen (header);
  const guint64 le = GUINT64_TO_LE ((guint64) n);
  g_byte_array_append (bytes, (const guint8 *) &le, sizeof le);
  g_byte_array_append (bytes, (const guint8 *) header, (guint) n);
  const guint before = bytes->len;
  g_byte_array_set_size (bytes, before + (guint) data_bytes);
  memset (bytes->data + before, 0, data_bytes);
  return bytes;
}

void
st_folder_init (StFolder *self)
{
  self->path = g_dir_make_tmp ("assay-folder-XXXXXX", NULL);
  g_assert_nonnull (self->path);
  st_folder_put (self, "config.json", "{}");
}

static int
st_remove_entry (const char *path, const struct stat *st, int kind, struct FTW *place)
{
  return remove (path);
}

void
st_folder_clear (StFolder *self)
{
  nftw (self->path, st_remove_entry, 16, FTW_DEPTH | FTW_PHYS);
  g_clear_pointer (&self->path, g_free);
}

char *
st_folder_path (const StFolder *self, const char *name)
{
  return name != NULL ? g_build_filename (self->path, name, NULL) : g_strdup (self->path);
}

void
st_folder_put (const StFolder *self, const char *name, const char *text)
{
  g_autofree char *path = st_folder_path (self, name);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

void
st_folder_put_bytes (const StFolder *self, const char *name, const GByteArray *bytes)
{
  g_autofree char *path = st_folder_path (self, name);
  g_assert_true (g_file_set_contents (path, (const char *) bytes->data, bytes->len, NULL));
}

void
st_folder_put_tensors (const StFolder *self, const char *name, const char *const *tensors)
{
  static const guint64 shape[] = { 2, 3 };
  g_autoptr (StWriter) w = st_writer_new ();
  for (guint i = 0; tensors[i] != NULL; i++)
    st_writer_add (w, tensors[i], "F32", 2, shape);
  g_autoptr (GByteArray) bytes = st_writer_bytes (w);
  st_folder_put_bytes (self, name, bytes);
}

void
st_folder_put_index (const StFolder *self, const char *const *pairs)
{
  g_autoptr (GString) text = g_string_new ("{\"metadata\":{\"total_size\":1},\"weight_map\":{");
  for (guint i = 0; pairs[i] != NULL; i += 2)
    g_string_append_printf (text, "%s\"%s\":\"%s\"", i > 0 ? "," : "", pairs[i], pairs[i + 1]);
  g_string_append (text, "}}");
  st_folder_put (self, "model.safetensors.index.json", text->str);
}

static guint
st_change_of (const char *name)
{
  return g_str_has_prefix (name, "turn.") ? ASSAY_CHANGE_TRANSPOSE
         : g_str_has_prefix (name, "norm.") ? ASSAY_CHANGE_ADD_ONE : ASSAY_CHANGE_NONE;
}

static GByteArray *
st_read_family (const char *family, const char *name)
{
  g_autofree char *path = g_build_filename (g_getenv ("ASSAY_TEST_DATA"), "families", family, name, NULL);
  g_autoptr (GError) error = NULL;
  char *bytes;
  gsize length;
  if (!g_file_get_contents (path, &bytes, &length, &error))
    g_error ("%s", error->message);
  return g_byte_array_new_take ((guint8 *) bytes, length);
}

static void
st_folder_put_part (const StFolder *self, const GByteArray *whole, guint i, guint n, GPtrArray *pairs)
{
  g_autofree char *name = n == 1 ? g_strdup ("model.safetensors")
                                 : g_strdup_printf ("model-%05u-of-%05u.safetensors", i + 1, n);
  g_autoptr (StWriter) w = st_writer_new ();
  st_writer_add_every (w, whole, i, n);
  g_autoptr (GByteArray) bytes = st_writer_bytes (w);
  st_folder_put_bytes (self, name, bytes);
  for (guint k = 0; k < w->tensors->len; k++)
    {
      g_ptr_array_add (pairs, g_strdup (((StTensor *) g_ptr_array_index (w->tensors, k))->name));
      g_ptr_array_add (pairs, g_strdup (name));
    }
}

void
st_folder_put_family (const StFolder *self, const char *family, guint n_parts)
{
  static const char *const texts[] = { "config.json", "tokenizer.json" };
  g_autoptr (GByteArray) whole = st_read_family (family, "model.safetensors");
  g_autoptr (GPtrArray) pairs = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GByteArray) text = st_read_family (family, texts[i]);
      st_folder_put_bytes (self, texts[i], text);
    }
  for (guint i = 0; i < n_parts; i++)
    st_folder_put_part (self, whole, i, n_parts, pairs);
  g_ptr_array_add (pairs, NULL);
  if (n_parts > 1)
    st_folder_put_index (self, (const char *const *) pairs->pdata);
}

gboolean
st_translate (const AssayHfFolder *folder, GByteArray *gguf_metadata, AssayHfNames *names, GError **error)
{
  g_autoptr (GgufWriter) w = gguf_writer_new ();
  g_assert_nonnull (folder->config);
  gguf_writer_set_string (w, "general.architecture", "test");
  gguf_writer_set_u32 (w, "test.block_count", 7);
  g_autoptr (GByteArray) bytes = gguf_writer_bytes (w);
  g_byte_array_append (gguf_metadata, bytes->data, bytes->len);
  for (guint i = 0; i < folder->n_tensors; i++)
    {
      const AssayBytes bare = folder->tensors[i].name;
      g_autofree char *name = g_strndup (bare.data, bare.length);
      g_autofree char *canonical = g_strconcat ("c.", name, NULL);
      if (!g_str_has_prefix (name, "skip."))
        assay_hf_names_set (names, i, canonical, st_change_of (name));
    }
  return TRUE;
}

AssayModelFile *
st_folder_open (const StFolder *self, const char *name, GError **error)
{
  g_autofree char *path = st_folder_path (self, name);
  return assay_safetensors_open (path, st_translate, NULL, error);
}
