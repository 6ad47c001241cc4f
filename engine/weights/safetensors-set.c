/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/safetensors-set.c: all files of a model. The index says for each tensor which file has
 * it: a tensor that it does not name is left out, one that it names and that is not there is an error. */
#include "safetensors-private.h"

#include <string.h>

typedef struct
{
  const ModelFolder *folder;
  SafetensorsIndex *index; /* owned, or NULL */
  guint32 *n_wanted;       /* owned: tensors of each file by the index */
  SafetensorsSet *set;
  GCancellable *cancellable;
} SetReader;

static gboolean
set_is_indexed_for (const SafetensorsIndex *index, AssayBytes name, guint32 file)
{
  const gint64 i = assay_name_table_find (index->table, name.data, name.length);
  return i >= 0 && g_array_index (index->file_of, guint32, i) == file;
}

/* Names the first tensor that the index gives to the file and the file does not have. */
static gboolean
set_fail_stale (SetReader *r, guint32 file, guint first, guint n_missing, GError **error)
{
  const ModelPart *part = g_ptr_array_index (r->set->parts, r->set->parts->len - 1);
  g_autoptr (GHashTable) there = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = first; i < r->set->tensors->len; i++)
    {
      const AssayBytes name = g_array_index (r->set->tensors, AssayHfTensor, i).name;
      g_hash_table_add (there, g_strndup (name.data, name.length));
    }
  for (guint i = 0; i < r->index->names->len; i++)
    {
      const AssayBytes name = g_array_index (r->index->names, AssayBytes, i);
      g_autofree char *text = g_strndup (name.data, name.length);
      if (g_array_index (r->index->file_of, guint32, i) != file || g_hash_table_contains (there, text))
        continue;
      g_autofree char *shown = assay_engine_escape (name.data, name.length);
      g_autofree char *field = g_strdup_printf ("tensor '%s'", shown);
      assay_engine_error_set (
          error, ASSAY_ENGINE_ERROR_FORMAT, "safetensors-index-stale", part->path, field, -1,
          "the index says that it is in this file, which has no such tensor (%u of them are "
          "not there); index and files are of different versions: fetch them again",
          n_missing);
      return FALSE;
    }
  g_return_val_if_reached (FALSE);
}

/* Of the tensors from `first` on, which are one file's, those stay that the index gives to it. */
static gboolean
set_apply_index (SetReader *r, guint32 file, guint first, GError **error)
{
  SafetensorsSet *set = r->set;
  guint kept = first;
  for (guint i = first; i < set->tensors->len; i++)
    if (set_is_indexed_for (r->index, g_array_index (set->tensors, AssayHfTensor, i).name, file))
      {
        g_array_index (set->tensors, AssayHfTensor, kept) = g_array_index (set->tensors, AssayHfTensor, i);
        g_array_index (set->places, TensorPlace, kept++) = g_array_index (set->places, TensorPlace, i);
      }
  const guint n_left = set->tensors->len - kept;
  if (n_left > 0)
    {
      ModelPart *part = g_ptr_array_index (set->parts, set->parts->len - 1);
      g_autofree char *name = g_filename_display_basename (part->path);
      assay_model_part_notice (
          part, "%s has %u tensors that the index does not give to it; they were left out", name, n_left);
    }
  g_array_set_size (set->tensors, kept);
  g_array_set_size (set->places, kept);
  return kept - first == r->n_wanted[file]
         || set_fail_stale (r, file, first, r->n_wanted[file] - (kept - first), error);
}

static gboolean
set_read_file (SetReader *r, guint32 file, const char *name, GError **error)
{
  const guint first = r->set->tensors->len;
  g_autofree char *path = assay_model_folder_dup_path (r->folder, name);
  g_autofree char *place = assay_model_folder_resolve (r->folder, name, error);
  if (place == NULL || !assay_safetensors_read_part (r->set, path, place, r->cancellable, error))
    return FALSE;
  return r->index == NULL || set_apply_index (r, file, first, error);
}

static gboolean
set_read_index (SetReader *r, const char *name, GError **error)
{
  g_autoptr (GBytes) text = NULL;
  g_autofree char *path = assay_model_folder_dup_path (r->folder, name);
  if (!assay_model_folder_read (r->folder, name, SAFETENSORS_HEADER_MAX, r->cancellable, &text, error))
    return FALSE;
  r->index = assay_safetensors_index_new (text, path, error);
  if (r->index == NULL)
    return FALSE;
  r->n_wanted = g_new0 (guint32, r->index->files->len);
  for (guint i = 0; i < r->index->file_of->len; i++)
    r->n_wanted[g_array_index (r->index->file_of, guint32, i)]++;
  return TRUE;
}

/* A file that was asked for by name, but is no part of the folder's model. */
static gboolean
set_check_wanted (const SetReader *r, const SafetensorsChoice *choice, const char *wanted, GError **error)
{
  if (wanted == NULL || r->index == NULL || strcmp (wanted, choice->index) == 0
      || g_ptr_array_find_with_equal_func (r->index->files, wanted, g_str_equal, NULL))
    return TRUE;
  g_autofree char *path = assay_model_folder_dup_path (r->folder, wanted);
  assay_engine_error_set (
      error, ASSAY_ENGINE_ERROR_FORMAT, "safetensors-stray", path, NULL, -1,
      "not part of the model in this folder: %s does not name it; choose the folder, or move the "
      "file with its config.json and tokenizer to a folder of its own",
      choice->index);
  return FALSE;
}

/* Without an index nothing says which of two is right. */
static gboolean
set_check_names (const SafetensorsSet *set, GError **error)
{
  g_autoptr (GHashTable) seen
      = g_hash_table_new_full (g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, NULL);
  for (guint i = 0; set->parts->len > 1 && i < set->tensors->len; i++)
    {
      const AssayBytes name = g_array_index (set->tensors, AssayHfTensor, i).name;
      if (g_hash_table_add (seen, g_bytes_new_static (name.data, name.length)))
        continue;
      const guint32 part = g_array_index (set->places, TensorPlace, i).part;
      g_autofree char *shown = assay_engine_escape (name.data, name.length);
      g_autofree char *field = g_strdup_printf ("tensor '%s'", shown);
      assay_engine_error_set (
          error, ASSAY_ENGINE_ERROR_FORMAT, "safetensors-duplicate-tensor",
          ((ModelPart *)g_ptr_array_index (set->parts, part))->path, field, -1,
          "another file of the model has a tensor of this name; the files do not belong together");
      return FALSE;
    }
  return TRUE;
}

static void
set_notice_strays (const SetReader *r, GPtrArray *files, GPtrArray *notices)
{
  g_autoptr (GPtrArray) strays = assay_safetensors_list_strays (r->folder, files);
  for (guint i = 0; i < MIN (strays->len, (guint) MODEL_NOTICES_MAX); i++)
    {
      g_autofree char *name = g_filename_display_name (g_ptr_array_index (strays, i));
      g_ptr_array_add (notices, g_strdup_printf ("%s is not part of this model and was not read", name));
    }
}

static gboolean
set_read_all (SetReader *r, const SafetensorsChoice *choice, GPtrArray *notices, GError **error)
{
  GPtrArray *files = r->index != NULL ? r->index->files : choice->files;
  if (!assay_safetensors_check_present (r->folder, files, r->index != NULL, error))
    return FALSE;
  for (guint i = 0; i < files->len; i++)
    if (!set_read_file (r, i, g_ptr_array_index (files, i), error))
      return FALSE;
  set_notice_strays (r, files, notices);
  if (r->index == NULL && files->len > 1)
    g_ptr_array_add (
        notices, g_strdup ("the model is in several files without an index; they were taken by their names"));
  return r->index != NULL || set_check_names (r->set, error);
}

SafetensorsSet *
assay_safetensors_set_open (const ModelFolder *folder, const char *wanted, char **again, GPtrArray *notices,
                            GCancellable *cancellable, GError **error)
{
  g_autoptr (SafetensorsChoice) choice = assay_safetensors_choose (folder, wanted, error);
  if (choice == NULL)
    return NULL;
  g_autoptr (SafetensorsSet) set = assay_safetensors_set_new ();
  SetReader r = { .folder = folder, .set = set, .cancellable = cancellable };
  const gboolean ok = (choice->index == NULL || set_read_index (&r, choice->index, error))
                      && set_check_wanted (&r, choice, wanted, error)
                      && set_read_all (&r, choice, notices, error);
  g_clear_pointer (&r.index, assay_safetensors_index_free);
  g_free (r.n_wanted);
  if (!ok)
    return NULL;
  *again = choice->asked != NULL ? assay_model_folder_dup_path (folder, choice->asked) : g_strdup (folder->path);
  return g_steal_pointer (&set);
}
