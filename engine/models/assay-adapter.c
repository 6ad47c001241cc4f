/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/models/assay-adapter.c: life of an adapter, and the pairs that its tensors make. */
#include "adapter-private.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <stdarg.h>

AssayAdapter *
assay_adapter_new (AssayModelFile *file)
{
  AssayAdapter *self = g_new0 (AssayAdapter, 1);
  g_atomic_ref_count_init (&self->ref_count);
  self->file = file;
  self->parts = g_array_new (FALSE, TRUE, sizeof (AssayAdapterPart));
  self->by_module = g_hash_table_new (g_str_hash, g_str_equal);
  return self;
}

AssayAdapter *
assay_adapter_ref (AssayAdapter *self)
{
  g_return_val_if_fail (self != NULL, NULL);
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

void
assay_adapter_unref (AssayAdapter *self)
{
  if (self == NULL || !g_atomic_ref_count_dec (&self->ref_count))
    return;
  g_clear_pointer (&self->by_module, g_hash_table_unref);
  for (guint i = 0; i < self->parts->len; i++)
    g_free ((char *) g_array_index (self->parts, AssayAdapterPart, i).module);
  g_array_unref (self->parts);
  assay_model_file_unref (self->file);
  g_free (self->architecture);
  g_free (self);
}

gboolean
assay_adapter_fail (AssayAdapter *self, AssayEngineError code, const char *reason,
                    const AssayTensorInfo *tensor, GError **error, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *message = g_strdup_vprintf (_(format), args);
  va_end (args);
  g_autofree char *field = NULL;
  if (tensor != NULL)
    {
      g_autofree char *name = assay_engine_escape (tensor->name.data, tensor->name.length);
      field = g_strdup_printf ("tensor '%s'", name);
    }
  assay_engine_error_set (error, code, reason, assay_model_file_get_path (self->file), field, -1, "%s",
                          message);
  return FALSE;
}

static AssayAdapterPart *
adapter_find_part (AssayAdapter *self, const char *module)
{
  gpointer found;
  if (g_hash_table_lookup_extended (self->by_module, module, NULL, &found))
    return &g_array_index (self->parts, AssayAdapterPart, GPOINTER_TO_UINT (found));
  const AssayAdapterPart part = { .module = g_strdup (module) };
  g_hash_table_insert (self->by_module, (char *) part.module, GUINT_TO_POINTER (self->parts->len));
  g_array_append_val (self->parts, part);
  return &g_array_index (self->parts, AssayAdapterPart, self->parts->len - 1);
}

gboolean
assay_adapter_add (AssayAdapter *self, const char *module, const AssayTensorInfo *tensor, gboolean is_b,
                   GError **error)
{
  AssayAdapterPart *part = adapter_find_part (self, module);
  const AssayTensorInfo **place = is_b ? &part->b : &part->a;
  if (*place != NULL)
    return assay_adapter_fail (self, ASSAY_ENGINE_ERROR_FORMAT, "adapter-duplicate", tensor, error,
                               "%s has two %c matrices; the file was written wrongly", module,
                               is_b ? 'B' : 'A');
  if (!assay_dtype_can_compute (tensor->dtype))
    return assay_adapter_fail (
        self, ASSAY_ENGINE_ERROR_UNSUPPORTED, "tensor-type-unsupported", tensor, error,
        "is stored as %s, which is not computed with here; make the adapter again as F16 or F32",
        assay_dtype_info (tensor->dtype)->name);
  if (tensor->n_dims != 2 || tensor->shape[0] < 1 || tensor->shape[1] < 1)
    return assay_adapter_fail (
        self, ASSAY_ENGINE_ERROR_FORMAT, "adapter-shape", tensor, error,
        "a low-rank part is a matrix with rows and columns; this one has %u dimensions, %" PRId64
        " by %" PRId64,
        tensor->n_dims, tensor->shape[0], tensor->shape[1]);
  *place = tensor;
  return TRUE;
}

static gboolean
adapter_check_part (AssayAdapter *self, AssayAdapterPart *part, GError **error)
{
  if (part->a == NULL || part->b == NULL)
    return assay_adapter_fail (self, ASSAY_ENGINE_ERROR_FORMAT, "adapter-pair",
                               part->a != NULL ? part->a : part->b, error,
                               "%s has no %c beside its %c; the file is incomplete: fetch or make it again",
                               part->module, part->a != NULL ? 'B' : 'A', part->a != NULL ? 'A' : 'B');
  if (part->a->shape[1] != part->b->shape[0])
    return assay_adapter_fail (self, ASSAY_ENGINE_ERROR_FORMAT, "adapter-rank", part->b, error,
                               "%s: A has rank %" PRId64 ", B has rank %" PRId64
                               "; they do not belong together",
                               part->module, part->a->shape[1], part->b->shape[0]);
  if (part->a->shape[1] > ADAPTER_RANK_MAX)
    return assay_adapter_fail (self, ASSAY_ENGINE_ERROR_FORMAT, "adapter-rank", part->a, error,
                               "a rank of %" PRId64 "; at most %u is allowed", part->a->shape[1],
                               ADAPTER_RANK_MAX);
  part->rank = (guint) part->a->shape[1];
  return TRUE;
}

gboolean
assay_adapter_check (AssayAdapter *self, GError **error)
{
  g_clear_pointer (&self->by_module, g_hash_table_unref);
  if (self->parts->len == 0)
    return assay_adapter_fail (self, ASSAY_ENGINE_ERROR_FORMAT, "adapter-empty", NULL, error,
                               "holds no low-rank part; it is no LoRA adapter");
  for (guint i = 0; i < self->parts->len; i++)
    if (!adapter_check_part (self, &g_array_index (self->parts, AssayAdapterPart, i), error))
      return FALSE;
  return TRUE;
}

/* A folder is PEFT's; so is what lies in one under the names that PEFT gives. */
static char *
adapter_dup_folder (const char *path)
{
  if (g_file_test (path, G_FILE_TEST_IS_DIR))
    return g_strdup (path);
  g_autofree char *name = g_path_get_basename (path);
  return g_str_has_suffix (name, ".safetensors") || g_str_equal (name, "adapter_config.json")
             ? g_path_get_dirname (path)
             : NULL;
}

AssayAdapter *
assay_adapter_open (const char *path, GCancellable *cancellable, GError **error)
{
  g_return_val_if_fail (path != NULL, NULL);
  g_autofree char *folder = adapter_dup_folder (path);
  return folder != NULL ? assay_adapter_open_peft (folder, cancellable, error)
                        : assay_adapter_open_gguf (path, cancellable, error);
}

AssayModelFile *
assay_adapter_get_file (AssayAdapter *self)
{
  return self->file;
}

const char *
assay_adapter_get_architecture (AssayAdapter *self)
{
  return self->architecture;
}

gboolean
assay_adapter_is_half_split (AssayAdapter *self)
{
  return self->half_split;
}

guint
assay_adapter_get_n_parts (AssayAdapter *self)
{
  return self->parts->len;
}

const AssayAdapterPart *
assay_adapter_get_part (AssayAdapter *self, guint i)
{
  g_return_val_if_fail (i < self->parts->len, NULL);
  return &g_array_index (self->parts, AssayAdapterPart, i);
}
