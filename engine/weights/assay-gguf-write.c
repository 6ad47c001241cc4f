/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/assay-gguf-write.c: see the header.
 *
 * The metadata is built whole in memory (20 MiB in the largest known files); tensor data only passes through.
 */
#include "assay-gguf-write.h"

#include "assay-hidden-name.h"
#include "assay-output-file.h"
#include "gguf-build.h"
#include "model-private.h"

#include <string.h>

enum { TENSOR_COUNT_AT = 8 };

typedef struct
{
  char *key;
  gboolean is_real;
  union
  {
    guint32 whole;
    float real;
  } value;
  gboolean written;
} WriteNumber;

typedef struct
{
  char *name;
  gsize name_length;
  guint n_dims;
  gint64 shape[4];
  AssayDtype dtype;
  guint64 bytes, offset; /* offset from the start of the data */
} WriteTensor;

struct _AssayGgufWrite
{
  AssayModelFile *from;
  const ModelPart *values; /* of it */
  GArray *numbers;         /* WriteNumber */
  GPtrArray *dropped;      /* char *: keys and their beginnings */
  GArray *tensors;         /* WriteTensor */
  guint64 alignment;
  guint64 data_bytes; /* of all tensors, padded */
  guint64 data_start;
  guint current; /* the tensor whose bytes come next */
  AssayOutputFile *output;
};

static void
write_number_clear (gpointer data)
{
  g_free (((WriteNumber *) data)->key);
}

static void
write_tensor_clear (gpointer data)
{
  g_free (((WriteTensor *) data)->name);
}

AssayGgufWrite *
assay_gguf_write_new (AssayModelFile *from)
{
  AssayGgufWrite *self = g_new0 (AssayGgufWrite, 1);
  self->from = assay_model_file_ref (from);
  self->numbers = g_array_new (FALSE, FALSE, sizeof (WriteNumber));
  g_array_set_clear_func (self->numbers, write_number_clear);
  self->dropped = g_ptr_array_new_with_free_func (g_free);
  assay_gguf_write_drop (self, "split.");
  self->tensors = g_array_new (FALSE, TRUE, sizeof (WriteTensor));
  g_array_set_clear_func (self->tensors, write_tensor_clear);
  self->values = from->translated != NULL ? from->translated : g_ptr_array_index (from->parts, 0);
  self->alignment = self->values->alignment > 0 ? self->values->alignment : 32;
  return self;
}

void
assay_gguf_write_free (AssayGgufWrite *self)
{
  if (self == NULL)
    return;
  assay_output_file_free (self->output);
  g_array_unref (self->numbers);
  g_ptr_array_unref (self->dropped);
  g_array_unref (self->tensors);
  assay_model_file_unref (self->from);
  g_free (self);
}

void
assay_gguf_write_set_u32 (AssayGgufWrite *self, const char *key, guint32 value)
{
  const WriteNumber number = { .key = g_strdup (key), .value.whole = value };
  g_array_append_val (self->numbers, number);
}

void
assay_gguf_write_set_f32 (AssayGgufWrite *self, const char *key, float value)
{
  const WriteNumber number = { .key = g_strdup (key), .is_real = TRUE, .value.real = value };
  g_array_append_val (self->numbers, number);
}

void
assay_gguf_write_drop (AssayGgufWrite *self, const char *key)
{
  g_ptr_array_add (self->dropped, g_strdup (key));
}

static guint64
write_padded (const AssayGgufWrite *self, guint64 n)
{
  return (n + self->alignment - 1) & ~(self->alignment - 1);
}

guint64
assay_gguf_write_add_tensor (AssayGgufWrite *self, AssayBytes name, guint n_dims, const gint64 *shape,
                             AssayDtype dtype)
{
  gint64 n_rows = 1;
  WriteTensor tensor = { .name = g_memdup2 (name.data, name.length),
                         .name_length = name.length,
                         .n_dims = n_dims,
                         .shape = { 1, 1, 1, 1 },
                         .dtype = dtype,
                         .offset = self->data_bytes };
  for (guint i = 0; i < n_dims; i++)
    {
      tensor.shape[i] = shape[i];
      n_rows *= i > 0 ? shape[i] : 1;
    }
  tensor.bytes = assay_dtype_matrix_bytes (dtype, tensor.shape[0], n_rows);
  g_array_append_val (self->tensors, tensor);
  self->data_bytes += write_padded (self, tensor.bytes);
  return tensor.bytes;
}

static WriteNumber *
write_find_number (AssayGgufWrite *self, const guint8 *key, gsize length)
{
  for (guint i = 0; i < self->numbers->len; i++)
    {
      WriteNumber *number = &g_array_index (self->numbers, WriteNumber, i);
      if (strlen (number->key) == length && memcmp (number->key, key, length) == 0)
        return number;
    }
  return NULL;
}

static void
write_put_number (GgufBuild *build, WriteNumber *number)
{
  if (number->is_real)
    assay_gguf_build_f32 (build, number->key, number->value.real);
  else
    assay_gguf_build_u32 (build, number->key, number->value.whole);
  number->written = TRUE;
}

static gboolean
write_is_dropped (AssayGgufWrite *self, const guint8 *key, gsize length)
{
  for (guint i = 0; i < self->dropped->len; i++)
    {
      const char *dropped = g_ptr_array_index (self->dropped, i);
      const gsize n = strlen (dropped);
      if (n <= length && memcmp (key, dropped, n) == 0 && (n == length || dropped[n - 1] == '.'))
        return TRUE;
    }
  return FALSE;
}

static void
write_put_values (AssayGgufWrite *self, GgufBuild *build)
{
  const ModelPart *part = self->values;
  for (guint i = 0; i < part->values->len; i++)
    {
      const GgufValue *value = &g_array_index (part->values, GgufValue, i);
      const guint8 *key = part->metadata + value->key_at;
      const guint8 *entry = key - sizeof (guint64); /* the key's length stands before it */
      WriteNumber *number = write_find_number (self, key, value->key_length);
      if (number != NULL)
        write_put_number (build, number);
      else if (!write_is_dropped (self, key, value->key_length))
        assay_gguf_build_entry (build, entry, (gsize) (part->metadata + value->entry_end - entry));
    }
  for (guint i = 0; i < self->numbers->len; i++)
    if (!g_array_index (self->numbers, WriteNumber, i).written)
      write_put_number (build, &g_array_index (self->numbers, WriteNumber, i));
}

static void
write_put_tensors (AssayGgufWrite *self, GgufBuild *build)
{
  for (guint i = 0; i < self->tensors->len; i++)
    {
      const WriteTensor *tensor = &g_array_index (self->tensors, WriteTensor, i);
      assay_gguf_build_element_text (build, tensor->name, tensor->name_length);
      assay_gguf_build_element_u32 (build, tensor->n_dims);
      for (guint k = 0; k < tensor->n_dims; k++)
        assay_gguf_build_element_u64 (build, (guint64) tensor->shape[k]);
      assay_gguf_build_element_u32 (build, tensor->dtype);
      assay_gguf_build_element_u64 (build, tensor->offset);
    }
}

static GByteArray *
write_make_metadata (AssayGgufWrite *self)
{
  GByteArray *out = g_byte_array_new ();
  const guint64 n_tensors = GUINT64_TO_LE (self->tensors->len);
  GgufBuild build;
  assay_gguf_build_start (&build, out);
  write_put_values (self, &build);
  assay_gguf_build_finish (&build);
  write_put_tensors (self, &build);
  memcpy (out->data + TENSOR_COUNT_AT, &n_tensors, sizeof n_tensors);
  self->data_start = write_padded (self, out->len);
  return out;
}

static gboolean
write_pad_to (AssayGgufWrite *self, guint64 end, GError **error)
{
  static const guint8 zeros[4096];
  for (guint64 at; (at = assay_output_file_get_written (self->output)) < end;)
    if (!assay_output_file_write (self->output, zeros, (gsize) MIN (end - at, sizeof zeros), error))
      return FALSE;
  return TRUE;
}

guint64
assay_gguf_write_get_bytes (AssayGgufWrite *self)
{
  return self->data_start + self->data_bytes;
}

gboolean
assay_gguf_write_begin (AssayGgufWrite *self, const char *path, gboolean overwrite, GError **error)
{
  g_autoptr (GByteArray) metadata = write_make_metadata (self);
  self->output
      = assay_output_file_new (path, assay_gguf_write_get_bytes (self), overwrite, self->from, error);
  return self->output != NULL && assay_output_file_write (self->output, metadata->data, metadata->len, error)
         && write_pad_to (self, self->data_start, error);
}

gboolean
assay_gguf_write_append (AssayGgufWrite *self, const void *data, gsize bytes, GError **error)
{
  g_return_val_if_fail (self->current < self->tensors->len, FALSE);
  const WriteTensor *tensor = &g_array_index (self->tensors, WriteTensor, self->current);
  const guint64 start = self->data_start + tensor->offset;
  g_return_val_if_fail (assay_output_file_get_written (self->output) + bytes <= start + tensor->bytes, FALSE);
  if (!assay_output_file_write (self->output, data, bytes, error))
    return FALSE;
  if (assay_output_file_get_written (self->output) < start + tensor->bytes)
    return TRUE;
  self->current++;
  return write_pad_to (self, start + write_padded (self, tensor->bytes), error);
}

/* What the disk gives back must be read as what was meant: keys, names, and data of the right length. */
static gboolean
write_check (AssayGgufWrite *self, GError **error)
{
  GError *local = NULL;
  const char *hidden = assay_output_file_get_hidden_path (self->output);
  g_autoptr (AssayModelFile) back = assay_model_file_open (hidden, NULL, &local);
  if (back != NULL && assay_model_file_get_n_tensors (back) == self->tensors->len)
    return TRUE;
  if (back != NULL)
    assay_engine_error_set (&local, ASSAY_ENGINE_ERROR_FORMAT, "output-damaged", hidden, NULL, -1,
                            "what was read back is not what was written; the disk may be failing");
  assay_hidden_name_reveal (local, hidden, assay_output_file_get_path (self->output));
  g_propagate_error (error, local);
  return FALSE;
}

gboolean
assay_gguf_write_finish (AssayGgufWrite *self, GError **error)
{
  g_return_val_if_fail (assay_output_file_get_written (self->output) == assay_gguf_write_get_bytes (self),
                        FALSE);
  return assay_output_file_flush (self->output, error) && write_check (self, error)
         && assay_output_file_finish (self->output, error);
}
