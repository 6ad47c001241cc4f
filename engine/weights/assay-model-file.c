/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/assay-model-file.c: a model of one or more parts, of either kind. */
#include "gguf-private.h"
#include "safetensors-private.h"

#include <string.h>
#include <unistd.h>

static AssayBytes
model_file_name_of (gconstpointer owner, guint32 index)
{
  const AssayModelFile *self = owner;
  return g_array_index (self->tensors, AssayTensorInfo, index).canonical;
}

AssayModelFile *
assay_model_file_new_empty (const char *format)
{
  AssayModelFile *self = g_new0 (AssayModelFile, 1);
  g_atomic_ref_count_init (&self->ref_count);
  g_mutex_init (&self->lock);
  self->format = format;
  self->parts = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_model_part_free);
  self->tensors = g_array_new (FALSE, FALSE, sizeof (AssayTensorInfo));
  self->notices = g_ptr_array_new_with_free_func (g_free);
  return self;
}

gboolean
assay_model_file_index_tensors (AssayModelFile *self, GError **error)
{
  self->names = assay_name_table_new (model_file_name_of, self);
  for (guint i = 0; i < self->tensors->len; i++)
    {
      const AssayTensorInfo *tensor = &g_array_index (self->tensors, AssayTensorInfo, i);
      if (assay_name_table_add (self->names, i))
        continue;
      const ModelPart *part = g_ptr_array_index (self->parts, tensor->part);
      g_autofree char *name = assay_engine_escape (tensor->name.data, tensor->name.length);
      g_autofree char *field = g_strdup_printf ("tensor '%s'", name);
      assay_engine_error_set (
          error, ASSAY_ENGINE_ERROR_FORMAT,
          self->translated != NULL ? "safetensors-duplicate-tensor" : "gguf-duplicate-tensor", part->path,
          field, -1,
          "the model has another tensor of this name or for this place; the files do not belong together");
      return FALSE;
    }
  return TRUE;
}

void
assay_model_file_join_notices (AssayModelFile *self)
{
  for (guint p = 0; p < self->parts->len; p++)
    {
      ModelPart *part = g_ptr_array_index (self->parts, p);
      for (guint i = 0; i < part->notices->len; i++)
        g_ptr_array_add (self->notices, g_strdup (g_ptr_array_index (part->notices, i)));
      if (part->n_notices > part->notices->len)
        g_ptr_array_add (self->notices,
                         g_strdup_printf ("%u more of these", part->n_notices - part->notices->len));
    }
  g_ptr_array_add (self->notices, NULL);
}

static void
model_file_join_tensors (AssayModelFile *self)
{
  for (guint p = 0; p < self->parts->len; p++)
    {
      ModelPart *part = g_ptr_array_index (self->parts, p);
      for (guint i = 0; i < part->tensors->len; i++)
        {
          AssayTensorInfo tensor = g_array_index (part->tensors, AssayTensorInfo, i);
          tensor.part = p;
          g_array_append_val (self->tensors, tensor);
        }
    }
}

AssayModelFile *
assay_model_file_new_gguf (ModelPart *opened, GCancellable *cancellable, GError **error)
{
  g_autoptr (AssayModelFile) self = assay_model_file_new_empty ("gguf");
  g_ptr_array_add (self->parts, opened);
  if (assay_gguf_is_split (opened) && !assay_gguf_open_parts (self->parts, cancellable, error))
    return NULL;
  self->path = g_strdup (((ModelPart *) g_ptr_array_index (self->parts, 0))->path);
  model_file_join_tensors (self);
  if (!assay_model_file_index_tensors (self, error))
    return NULL;
  assay_model_file_join_notices (self);
  return g_steal_pointer (&self);
}

static gboolean
model_file_begins_with_header (const char *path, GCancellable *cancellable)
{
  gint fd = -1;
  g_autoptr (ModelPart) part = assay_model_part_open (path, NULL, &fd, NULL);
  if (part == NULL)
    return FALSE;
  const gsize n = (gsize) MIN (part->size, (guint64) MODEL_FIRST_BYTES);
  const gboolean ok = assay_model_part_read (part, fd, n, cancellable, NULL);
  close (fd);
  return ok
         && (assay_file_kind_is_safetensors (part->metadata, n, part->size)
             || (g_str_has_suffix (path, ".safetensors") && !assay_file_kind_is_gguf (part->metadata, n)));
}

/* A folder, one of its texts that stand for it, or a file that is so by its content or, where that is
 * broken, by its name. */
static gboolean
model_file_is_safetensors (const char *path, GCancellable *cancellable)
{
  g_autofree char *base = g_path_get_basename (path);
  return g_file_test (path, G_FILE_TEST_IS_DIR) || strcmp (base, "config.json") == 0
         || g_str_has_suffix (base, ".safetensors.index.json")
         || model_file_begins_with_header (path, cancellable);
}

AssayModelFile *
assay_model_file_open (const char *path, GCancellable *cancellable, GError **error)
{
  g_return_val_if_fail (path != NULL, NULL);
  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return NULL;
  if (model_file_is_safetensors (path, cancellable))
    return assay_safetensors_open (path, assay_hf_translate, cancellable, error);
  ModelPart *part = assay_gguf_part_open (path, cancellable, error);
  return part != NULL ? assay_model_file_new_gguf (part, cancellable, error) : NULL;
}

AssayModelFile *
assay_model_file_open_bytes (const void *data, gsize length, const char *name, GError **error)
{
  g_return_val_if_fail (data != NULL || length == 0, NULL);
  ModelPart *part = assay_gguf_part_open_bytes (data, length, name, error);
  return part != NULL ? assay_model_file_new_gguf (part, NULL, error) : NULL;
}

AssayModelFile *
assay_model_file_ref (AssayModelFile *self)
{
  g_return_val_if_fail (self != NULL, NULL);
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

void
assay_model_file_unref (AssayModelFile *self)
{
  if (self == NULL || !g_atomic_ref_count_dec (&self->ref_count))
    return;
  assay_model_file_unmap (self);
  assay_name_table_free (self->names);
  g_clear_pointer (&self->tensors, g_array_unref);
  g_clear_pointer (&self->wholes, g_array_unref);
  g_clear_pointer (&self->notices, g_ptr_array_unref);
  g_clear_pointer (&self->parts, g_ptr_array_unref);
  g_clear_pointer (&self->translated, assay_model_part_free);
  g_clear_pointer (&self->strings, g_string_chunk_free);
  g_free (self->path);
  g_mutex_clear (&self->lock);
  g_free (self->metadata_sha256);
  g_free (self);
}

static ModelPart *
model_file_part (AssayModelFile *self, guint i)
{
  return g_ptr_array_index (self->parts, i);
}

const char *
assay_model_file_get_path (AssayModelFile *self)
{
  return self->path;
}

guint
assay_model_file_get_n_parts (AssayModelFile *self)
{
  return self->parts->len;
}

const char *
assay_model_file_get_part_path (AssayModelFile *self, guint part)
{
  g_return_val_if_fail (part < self->parts->len, NULL);
  return model_file_part (self, part)->path;
}

const char *
assay_model_file_get_format (AssayModelFile *self)
{
  return self->format;
}

guint64
assay_model_file_get_bytes (AssayModelFile *self)
{
  guint64 bytes = 0;
  for (guint i = 0; i < self->parts->len; i++)
    bytes += model_file_part (self, i)->size;
  return bytes;
}

const char *const *
assay_model_file_get_notices (AssayModelFile *self)
{
  return (const char *const *) self->notices->pdata;
}

guint
assay_model_file_get_n_tensors (AssayModelFile *self)
{
  return self->tensors->len;
}

const AssayTensorInfo *
assay_model_file_get_tensor (AssayModelFile *self, guint i)
{
  g_return_val_if_fail (i < self->tensors->len, NULL);
  return &g_array_index (self->tensors, AssayTensorInfo, i);
}

const AssayTensorInfo *
assay_model_file_find_tensor (AssayModelFile *self, const char *name)
{
  const gint64 i = assay_name_table_find (self->names, name, strlen (name));
  return i >= 0 ? &g_array_index (self->tensors, AssayTensorInfo, i) : NULL;
}
