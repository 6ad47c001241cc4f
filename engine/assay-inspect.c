/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/assay-inspect.c: opens a model as loading does, short of its weights. */
#include "assay-inspect.h"

#include "assay-inspect-private.h"
#include "assay-model-id.h"
#include "assay-rig.h"

#include <string.h>

void
assay_inspection_free (AssayInspection *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->tokenizer, assay_tokenizer_unref);
  g_clear_pointer (&self->file, assay_model_file_unref);
  g_free (self->path);
  g_free (self->chat_problem);
  g_free (self->model_id);
  g_free (self->model_revision);
  g_free (self->quantization);
  g_free (self);
}

static gint
inspect_compare_bytes (gconstpointer a, gconstpointer b)
{
  const guint64 x = ((const InspectFormat *) a)->bytes, y = ((const InspectFormat *) b)->bytes;
  return x > y ? -1 : x < y;
}

GArray *
assay_inspect_count_formats (AssayModelFile *file, gboolean matrices_only)
{
  GArray *formats = g_array_new (FALSE, TRUE, sizeof (InspectFormat));
  for (guint i = 0; i < assay_model_file_get_n_tensors (file); i++)
    {
      const AssayTensorInfo *tensor = assay_model_file_get_tensor (file, i);
      if (matrices_only && tensor->n_dims < 2)
        continue;
      guint k = 0;
      while (k < formats->len && g_array_index (formats, InspectFormat, k).info->dtype != tensor->dtype)
        k++;
      if (k == formats->len)
        g_array_append_val (formats, ((InspectFormat) { .info = assay_dtype_info (tensor->dtype) }));
      g_array_index (formats, InspectFormat, k).bytes += tensor->bytes;
      g_array_index (formats, InspectFormat, k).n_tensors++;
    }
  g_array_sort (formats, inspect_compare_bytes);
  return formats;
}

static char *
inspect_dup_quantization (AssayModelFile *file)
{
  g_autoptr (GArray) formats = assay_inspect_count_formats (file, TRUE);
  const AssayDtypeInfo *most = formats->len > 0 ? g_array_index (formats, InspectFormat, 0).info : NULL;
  for (guint i = 0; i < formats->len; i++) /* the method leaves large tables alone: it is not the bytes that tell */
    if (g_array_index (formats, InspectFormat, i).info->whole)
      return g_strdup (g_array_index (formats, InspectFormat, i).info->name);
  return g_strdup (most != NULL && most->quantized ? most->name : "none");
}

static void
inspect_name (AssayInspection *self, const char *path)
{
  AssayBytes version;
  assay_model_id_from_path (path, &self->model_id, &self->model_revision);
  if (self->model_id == NULL)
    self->model_id = assay_model_id_from_metadata (self->file);
  if (self->model_revision == NULL && assay_model_file_get_string (self->file, "general.version", &version)
      && version.length > 0)
    self->model_revision = assay_engine_escape (version.data, version.length);
}

AssayInspection *
assay_inspect (const char *path, gboolean allow_missing_pre, GCancellable *cancellable, GError **error)
{
  g_return_val_if_fail (path != NULL, NULL);
  g_autoptr (AssayInspection) self = g_new0 (AssayInspection, 1);
  self->path = g_strdup (path);
  self->allows_missing_pre = allow_missing_pre;
  self->file = assay_model_file_open (path, cancellable, error);
  if (self->file == NULL || !assay_config_read (&self->config, self->file, error)
      || g_cancellable_set_error_if_cancelled (cancellable, error))
    return NULL;
  self->tokenizer = assay_tokenizer_new (self->file, allow_missing_pre, error);
  if (self->tokenizer == NULL)
    return NULL;
  g_autoptr (GError) problem = NULL;
  if (!assay_chat_format_recognise (self->file, self->tokenizer, &self->chat_format, &problem))
    {
      self->chat_format = ASSAY_CHAT_RAW; /* raw prompts always work */
      self->chat_problem = g_strdup (problem->message);
    }
  self->quantization = inspect_dup_quantization (self->file);
  inspect_name (self, path);
  return g_steal_pointer (&self);
}

/* "attn_q" of "blk.7.attn_q.weight", "token_embd" of "token_embd.weight". (transfer full) */
static char *
inspect_dup_module (const AssayTensorInfo *tensor)
{
  g_autofree char *name = assay_engine_escape (tensor->canonical.data, tensor->canonical.length);
  g_auto (GStrv) words = g_strsplit (name, ".", -1);
  const guint n = g_strv_length (words);
  return g_strdup (strcmp (words[0], "blk") == 0 && n > 2 ? words[2] : words[0]);
}

/* "attn_k attn_q ffn_down" of one format, in order of the alphabet. (transfer full) */
static char *
inspect_dup_modules_of (AssayModelFile *file, AssayDtype dtype)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < assay_model_file_get_n_tensors (file); i++)
    {
      const AssayTensorInfo *tensor = assay_model_file_get_tensor (file, i);
      g_autofree char *module = tensor->dtype == dtype ? inspect_dup_module (tensor) : NULL;
      if (module != NULL && !g_ptr_array_find_with_equal_func (names, module, g_str_equal, NULL))
        g_ptr_array_add (names, g_steal_pointer (&module));
    }
  g_ptr_array_sort (names, assay_inspect_compare_texts);
  g_ptr_array_add (names, NULL);
  return g_strjoinv (" ", (char **) names->pdata);
}

gint
assay_inspect_compare_texts (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

/* "Q4_1: attn_k …; Q8_0: token_embd", or "none". (transfer full) */
static char *
inspect_dup_quantized_modules (AssayModelFile *file)
{
  g_autoptr (GArray) formats = assay_inspect_count_formats (file, FALSE);
  g_autoptr (GString) text = g_string_new (NULL);
  for (guint i = 0; i < formats->len; i++)
    {
      const AssayDtypeInfo *info = g_array_index (formats, InspectFormat, i).info;
      if (!info->quantized)
        continue;
      g_autofree char *modules = inspect_dup_modules_of (file, info->dtype);
      g_string_append_printf (text, "%s%s: %s", text->len > 0 ? "; " : "", info->name, modules);
    }
  return g_strdup (text->len > 0 ? text->str : "none");
}

/* The record's word for the format of what is not quantized. */
static const char *
inspect_get_dtype (AssayModelFile *file)
{
  g_autoptr (GArray) formats = assay_inspect_count_formats (file, FALSE);
  for (guint i = 0; i < formats->len; i++)
    switch (g_array_index (formats, InspectFormat, i).info->dtype)
      {
      case ASSAY_DTYPE_F16: return "float16";
      case ASSAY_DTYPE_BF16: return "bfloat16";
      case ASSAY_DTYPE_F32: return "float32";
      default: break;
      }
  return "float32";
}

void
assay_inspection_fill_conditions (const AssayInspection *self, AssayValues *conditions)
{
  const guint n_parts = assay_model_file_get_n_parts (self->file);
  const char *container = assay_model_file_get_format (self->file);
  g_autofree char *format = n_parts == 1 ? g_strdup (container) : g_strdup_printf ("%s, %u files", container, n_parts);
  g_autofree char *modules = inspect_dup_quantized_modules (self->file);
  assay_values_set_text (conditions, ASSAY_FIELD_MODEL_ID, self->model_id);
  if (self->model_revision != NULL)
    assay_values_set_text (conditions, ASSAY_FIELD_MODEL_REVISION, self->model_revision);
  else
    assay_values_set_unknown (conditions, ASSAY_FIELD_MODEL_REVISION, "neither the file nor its place tells");
  assay_values_set_text (conditions, ASSAY_FIELD_MODEL_PATH, assay_model_file_get_path (self->file));
  assay_values_set_text (conditions, ASSAY_FIELD_WEIGHT_FORMAT, format);
  assay_values_set_text (conditions, ASSAY_FIELD_ARCHITECTURE, self->config.architecture);
  assay_values_set_text (conditions, ASSAY_FIELD_QUANTIZATION, self->quantization);
  assay_values_set_text (conditions, ASSAY_FIELD_QUANTIZATION_METHOD, assay_rig_get_method (self->quantization));
  assay_values_set_text (conditions, ASSAY_FIELD_QUANTIZED_MODULES, modules);
  assay_values_set_text (conditions, ASSAY_FIELD_DTYPE, inspect_get_dtype (self->file));
  assay_values_set_integer (conditions, ASSAY_FIELD_MODEL_BYTES,
                            (gint64) assay_model_file_get_bytes (self->file));
}

static void
inspect_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  GError *error = NULL;
  AssayInspection *self = assay_inspect (data, FALSE, cancellable, &error);
  if (self != NULL)
    g_task_return_pointer (task, self, (GDestroyNotify) assay_inspection_free);
  else
    g_task_return_error (task, error);
}

void
assay_inspect_async (const char *path, GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, data);
  g_task_set_source_tag (task, assay_inspect_async);
  g_task_set_task_data (task, g_strdup (path), g_free);
  g_task_run_in_thread (task, inspect_thread);
}

AssayInspection *
assay_inspect_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
