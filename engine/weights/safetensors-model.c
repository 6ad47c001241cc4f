/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/safetensors-model.c: a folder's tensors and texts become a model that is read like a GGUF.
 *
 * Tensors are ordered by canonical name, so that a model is the same in one file or in several. */
#include "bitsandbytes.h"
#include "gguf-private.h"
#include "safetensors-private.h"

#include <glib/gi18n-lib.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

typedef struct
{
  const char *canonical; /* NULL: no part of the model */
  guint change;
} HfName;

struct _AssayHfNames
{
  HfName *names;         /* [n] */
  guint n;
  GStringChunk *strings;
  GPtrArray *notices;    /* char *: the model's; lent */
};

void
assay_hf_names_set (AssayHfNames *names, guint i, const char *canonical, guint change)
{
  g_return_if_fail (i < names->n && canonical != NULL && canonical[0] != '\0');
  names->names[i] = (HfName) { g_string_chunk_insert (names->strings, canonical), change };
}

void
assay_hf_names_notice (AssayHfNames *names, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_ptr_array_add (names->notices, g_strdup_vprintf (_(format), args));
  va_end (args);
}

static gboolean
model_fail (const AssayModelFile *self, AssayEngineError code, const char *reason,
            const AssayHfTensor *tensor, guint part, GError **error, const char *message)
{
  g_autofree char *name = assay_engine_escape (tensor->name.data, tensor->name.length);
  g_autofree char *field = g_strdup_printf ("tensor '%s'", name);
  assay_engine_error_set (error, code, reason, ((ModelPart *)g_ptr_array_index (self->parts, part))->path,
                          field, -1, "%s", message);
  return FALSE;
}

static gboolean
model_check_tensor (const AssayModelFile *self, const AssayHfTensor *tensor, const HfName *name, guint part,
                    GError **error)
{
  if (!tensor->readable)
    {
      g_autofree char *message = g_strdup_printf ("stored as %s, which is not read; weights in F32, F16 or "
                                                  "BF16 are. Choose a version of the model without "
                                                  "this quantization, or a GGUF of it",
                                                  tensor->dtype_name);
      return model_fail (self, ASSAY_ENGINE_ERROR_UNSUPPORTED, "safetensors-dtype", tensor, part, error,
                         message);
    }
  if (tensor->n_dims > 4 || ((name->change & ASSAY_CHANGE_TRANSPOSE) != 0 && tensor->n_dims != 2))
    {
      g_autofree char *message = g_strdup_printf (
          "has %u dimensions, which no weight of this place in a model has", tensor->n_dims);
      return model_fail (self, ASSAY_ENGINE_ERROR_FORMAT, "safetensors-shape", tensor, part, error, message);
    }
  return TRUE;
}

/* The file counts dimensions from the slowest, the engine from the fastest. */
static void
model_add_tensor (AssayModelFile *self, const AssayHfTensor *tensor, const HfName *name,
                  const TensorPlace *place)
{
  const gboolean transposed = (name->change & ASSAY_CHANGE_TRANSPOSE) != 0;
  AssayTensorInfo info = {
    .name = tensor->name,
    .canonical = { name->canonical, strlen (name->canonical) },
    .change = name->change,
    .dtype = tensor->dtype,
    .n_dims = tensor->n_dims,
    .shape = { 1, 1, 1, 1 },
    .bytes = place->bytes,
    .part = place->part,
    .offset = place->offset,
    .assembled = place->whole,
  };
  for (guint i = 0; i < tensor->n_dims; i++)
    info.shape[i] = tensor->shape[transposed ? i : tensor->n_dims - 1 - i];
  info.row_bytes
      = (guint64)info.shape[0] * assay_dtype_info (info.dtype)->block_bytes; /* a shape is below 2^40 */
  g_array_append_val (self->tensors, info);
}

static gint
model_compare_tensors (gconstpointer a, gconstpointer b)
{
  return strcmp (((const AssayTensorInfo *)a)->canonical.data, ((const AssayTensorInfo *)b)->canonical.data);
}

static gboolean
model_take_tensors (AssayModelFile *self, const SafetensorsSet *set, const AssayHfNames *names,
                    GError **error)
{
  guint n_left = 0, first_left = 0;
  for (guint i = 0; i < set->tensors->len; i++)
    {
      const AssayHfTensor *tensor = &g_array_index (set->tensors, AssayHfTensor, i);
      const TensorPlace *place = &g_array_index (set->places, TensorPlace, i);
      if (names->names[i].canonical == NULL)
        {
          first_left = n_left++ == 0 ? i : first_left;
          continue;
        }
      if (!model_check_tensor (self, tensor, &names->names[i], place->part, error))
        return FALSE;
      model_add_tensor (self, tensor, &names->names[i], place);
    }
  g_array_sort (self->tensors, model_compare_tensors);
  if (n_left > 0)
    {
      const AssayBytes name = g_array_index (set->tensors, AssayHfTensor, first_left).name;
      g_autofree char *shown = assay_engine_escape (name.data, name.length);
      g_ptr_array_add (
          self->notices,
          g_strdup_printf ("%u tensors of the files are no part of the model and were left out, such as '%s'",
                           n_left, shown));
    }
  return assay_model_file_index_tensors (self, error);
}

/* Takes the set's files and strings. texts->path: for messages. */
static gboolean
model_fill (AssayModelFile *self, SafetensorsSet *set, const AssayHfFolder *texts,
            AssayHfTranslateFunc translate, GError **error)
{
  g_ptr_array_unref (self->parts);
  self->parts = g_steal_pointer (&set->parts);
  self->strings = g_steal_pointer (&set->strings);
  if (!assay_bitsandbytes_fold (self, set, error))
    return FALSE;
  GByteArray *metadata = g_byte_array_new ();
  g_autofree HfName *list = g_new0 (HfName, MAX (set->tensors->len, 1));
  AssayHfFolder folder = *texts;
  folder.tensors = (const AssayHfTensor *) (gconstpointer) set->tensors->data;
  folder.n_tensors = set->tensors->len;
  AssayHfNames names = { list, set->tensors->len, self->strings, self->notices };
  if (!translate (&folder, metadata, &names, error))
    {
      g_byte_array_unref (metadata);
      return FALSE;
    }
  self->translated = assay_gguf_part_new_translated (metadata, texts->path, error);
  return self->translated != NULL && model_take_tensors (self, set, &names, error);
}

typedef struct
{
  const char *name;
  gsize limit;
  gsize at; /* of its GBytes in AssayHfFolder */
} FolderText;

#define TEXT(name, limit, field) { name, limit, G_STRUCT_OFFSET (AssayHfFolder, field) }
enum { MIB = 1 << 20 };
static const FolderText folder_texts[] = {
  TEXT ("config.json", 4 * MIB, config),
  TEXT ("generation_config.json", 1 * MIB, generation_config),
  TEXT ("tokenizer.json", SAFETENSORS_HEADER_MAX, tokenizer),
  TEXT ("tokenizer_config.json", 16 * MIB, tokenizer_config),
  TEXT ("special_tokens_map.json", 4 * MIB, special_tokens_map),
  TEXT ("added_tokens.json", 16 * MIB, added_tokens),
  TEXT ("vocab.json", 64 * MIB, vocab),
  TEXT ("merges.txt", 64 * MIB, merges),
  TEXT ("chat_template.jinja", 1 * MIB, chat_template),
  TEXT ("tokenizer.model", 64 * MIB, tokenizer_model),
};

static gboolean
model_read_texts (AssayHfFolder *texts, const ModelFolder *folder, GCancellable *cancellable, GError **error)
{
  texts->path = folder->path;
  for (guint i = 0; i < G_N_ELEMENTS (folder_texts); i++)
    if (!assay_model_folder_read (folder, folder_texts[i].name, folder_texts[i].limit, cancellable,
                                  (GBytes **) G_STRUCT_MEMBER_P (texts, folder_texts[i].at), error))
      return FALSE;
  return TRUE;
}

static void
model_clear_texts (AssayHfFolder *texts)
{
  for (guint i = 0; i < G_N_ELEMENTS (folder_texts); i++)
    g_clear_pointer ((GBytes **) G_STRUCT_MEMBER_P (texts, folder_texts[i].at), g_bytes_unref);
}

/* What the folder is when it has weights but no config.json. */
static gboolean
model_check_config (const ModelFolder *folder, const char *wanted, GError **error)
{
  if (assay_model_folder_has (folder, "config.json"))
    return TRUE;
  const char *what
      = assay_model_folder_has (folder, "adapter_config.json")
            ? "the folder holds an adapter and no model; choose the model that it belongs to"
        : assay_model_folder_has (folder, "model_index.json")
            ? "the folder holds a pipeline for pictures and no model of language"
            : "config.json is missing beside the weights; fetch the model's other files into the same "
              "folder";
  g_autofree char *path
      = wanted != NULL ? assay_model_folder_dup_path (folder, wanted) : g_strdup (folder->path);
  assay_engine_error_set (error, ASSAY_ENGINE_ERROR_FORMAT, "safetensors-config-missing", path, NULL, -1,
                          "%s", what);
  return FALSE;
}

static void
model_notice_programs (AssayModelFile *self, const ModelFolder *folder)
{
  for (guint i = 0; i < folder->names->len; i++)
    if (g_str_has_suffix (g_ptr_array_index (folder->names, i), ".py"))
      {
        g_ptr_array_add (self->notices,
                         g_strdup ("the folder holds Python programs; none of them is ever run"));
        return;
      }
}

static gboolean
model_read (AssayModelFile *self, const ModelFolder *folder, const char *wanted,
            AssayHfTranslateFunc translate, GCancellable *cancellable, GError **error)
{
  AssayHfFolder texts = { 0 };
  g_autoptr (SafetensorsSet) set
      = assay_safetensors_set_open (folder, wanted, &self->path, self->notices, cancellable, error);
  const gboolean ok = set != NULL && model_check_config (folder, wanted, error)
                      && model_read_texts (&texts, folder, cancellable, error)
                      && model_fill (self, set, &texts, translate, error);
  model_clear_texts (&texts);
  if (ok)
    model_notice_programs (self, folder);
  return ok;
}

AssayModelFile *
assay_safetensors_open (const char *path, AssayHfTranslateFunc translate, GCancellable *cancellable,
                        GError **error)
{
  const gboolean is_folder = g_file_test (path, G_FILE_TEST_IS_DIR);
  g_autofree char *folder_path = is_folder ? g_strdup (path) : g_path_get_dirname (path);
  g_autofree char *base = g_path_get_basename (path);
  const char *wanted = is_folder || strcmp (base, "config.json") == 0 ? NULL : base;
  g_autoptr (ModelFolder) folder = assay_model_folder_open (folder_path, error);
  if (folder == NULL)
    return NULL;
  g_autoptr (AssayModelFile) self = assay_model_file_new_empty ("safetensors");
  if (!model_read (self, folder, wanted, translate, cancellable, error))
    return NULL;
  assay_model_file_join_notices (self);
  return g_steal_pointer (&self);
}

/* A model of files that were read already. Takes their parts. */
static AssayModelFile *
model_new_of_set (SafetensorsSet *set, const AssayHfFolder *texts, const char *path,
                  AssayHfTranslateFunc translate, GError **error)
{
  g_autoptr (AssayModelFile) self = assay_model_file_new_empty ("safetensors");
  self->path = g_strdup (path);
  if (!model_fill (self, set, texts, translate, error))
    return NULL;
  assay_model_file_join_notices (self);
  return g_steal_pointer (&self);
}

AssayModelFile *
assay_safetensors_open_bytes (const AssayHfFolder *texts, const void *data, gsize length, const char *name,
                              AssayHfTranslateFunc translate, GError **error)
{
  g_autoptr (SafetensorsSet) set = assay_safetensors_set_new ();
  return assay_safetensors_read_bytes (set, data, length, name, error)
             ? model_new_of_set (set, texts, name, translate, error) : NULL;
}

AssayModelFile *
assay_safetensors_open_file (const char *path, AssayHfTranslateFunc translate, GCancellable *cancellable,
                             GError **error)
{
  const AssayHfFolder texts = { .path = path };
  g_autoptr (SafetensorsSet) set = assay_safetensors_set_new ();
  return assay_safetensors_read_part (set, path, NULL, cancellable, error)
             ? model_new_of_set (set, &texts, path, translate, error) : NULL;
}
