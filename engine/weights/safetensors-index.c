/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/safetensors-index.c: which tensor lies in which file of a checkpoint in several.
 *
 * {"metadata": {...}, "weight_map": {tensor: file}}. The total size it may state has been wrong in
 * published models; sizes are taken from the files. */
#include "safetensors-private.h"

#include <string.h>

typedef struct
{
  SafetensorsIndex *index;
  AssayJsonScan *scan;
  const char *path;
  GHashTable *numbers;   /* file -> its number as first met, + 1 */
} IndexReader;

static AssayBytes
index_name_of (gconstpointer owner, guint32 i)
{
  const SafetensorsIndex *self = owner;
  return g_array_index (self->names, AssayBytes, i);
}

void
assay_safetensors_index_free (SafetensorsIndex *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->files);
  g_array_unref (self->names);
  g_array_unref (self->file_of);
  assay_name_table_free (self->table);
  g_string_chunk_free (self->strings);
  g_free (self);
}

static gboolean
index_next (IndexReader *r, AssayJsonItem *item, GError **error)
{
  if (assay_json_scan_next (r->scan, item))
    return TRUE;
  assay_safetensors_set_json_error (r->scan, r->path, "the index", 0, error);
  return FALSE;
}

static gboolean
index_fail (IndexReader *r, const char *reason, const AssayJsonItem *item, GError **error,
            const char *message)
{
  g_autofree char *name
      = assay_engine_escape (item->name.data != NULL ? item->name.data : "", item->name.length);
  g_autofree char *value
      = assay_engine_escape (item->text.data != NULL ? item->text.data : "", item->text.length);
  g_autofree char *field = item->is_member ? g_strdup_printf ("'%s'", name) : NULL;
  assay_engine_error_set (error, ASSAY_ENGINE_ERROR_FORMAT, reason, r->path, field, (gint64)item->at,
                          "%s%s%s%s", message, value[0] != '\0' ? ": '" : "", value,
                          value[0] != '\0' ? "'" : "");
  return FALSE;
}

/* A plain name, never a path. */
static gboolean
index_is_file_name (AssayBytes name)
{
  static const char suffix[] = ".safetensors";
  const gsize n = sizeof suffix - 1;
  if (name.length <= n || name.length > 255 || memcmp (name.data + name.length - n, suffix, n) != 0
      || name.data[0] == '.')
    return FALSE;
  for (gsize i = 0; i < name.length; i++)
    if (name.data[i] == '/' || name.data[i] == '\\' || g_ascii_iscntrl (name.data[i]))
      return FALSE;
  return TRUE;
}

/* *number: of the file, from 0. */
static gboolean
index_take_file (IndexReader *r, const AssayJsonItem *item, guint32 *number, GError **error)
{
  if (item->kind != ASSAY_JSON_ITEM_STRING || !index_is_file_name (item->text))
    return index_fail (r, "safetensors-path", item, error,
                       "its file must be the plain name of a .safetensors file in the same folder");
  g_autofree char *name = g_strndup (item->text.data, item->text.length);
  *number = GPOINTER_TO_UINT (g_hash_table_lookup (r->numbers, name));
  if (*number == 0)
    {
      if (r->index->files->len == SAFETENSORS_FILES_MAX)
        return index_fail (r, "safetensors-index", item, error, "too many files");
      g_ptr_array_add (r->index->files, name);
      *number = r->index->files->len;
      g_hash_table_insert (r->numbers, g_steal_pointer (&name), GUINT_TO_POINTER (*number));
    }
  --*number;
  return TRUE;
}

static gboolean
index_read_map (IndexReader *r, const AssayJsonItem *first, GError **error)
{
  SafetensorsIndex *index = r->index;
  AssayJsonItem item;
  if (first->kind != ASSAY_JSON_ITEM_OBJECT)
    return index_fail (r, "safetensors-index", first, error, "no list of tensors and their files");
  for (;;)
    {
      guint32 number;
      if (!index_next (r, &item, error))
        return FALSE;
      if (item.kind == ASSAY_JSON_ITEM_CLOSE)
        return TRUE;
      if (index->names->len == SAFETENSORS_TENSORS_MAX)
        return index_fail (r, "safetensors-too-many-tensors", &item, error, "too many tensors");
      if (!index_take_file (r, &item, &number, error))
        return FALSE;
      const AssayBytes name
          = { g_string_chunk_insert_len (index->strings, item.name.data, (gssize) item.name.length),
              item.name.length };
      g_array_append_val (index->names, name);
      g_array_append_val (index->file_of, number);
      assay_name_table_add (index->table,
                            index->names->len - 1); /* the scan saw to it that none is there twice */
    }
}

static gboolean
index_read (IndexReader *r, GError **error)
{
  gboolean has_map = FALSE;
  AssayJsonItem item;
  if (!index_next (r, &item, error))
    return FALSE;
  if (item.kind != ASSAY_JSON_ITEM_OBJECT)
    return index_fail (r, "safetensors-index", &item, error, "the index is no object");
  for (;;)
    {
      if (!index_next (r, &item, error))
        return FALSE;
      if (item.kind == ASSAY_JSON_ITEM_CLOSE)
        break;
      if (assay_json_bytes_are (item.name, "weight_map"))
        {
          if (!index_read_map (r, &item, error))
            return FALSE;
          has_map = TRUE;
        }
      else if (!assay_json_scan_skip (r->scan, &item))
        return index_next (r, &item, error);
    }
  if (!has_map || r->index->files->len == 0)
    return index_fail (r, "safetensors-index", &item, error, "the index has no weight_map that names a file");
  return index_next (r, &item, error); /* blanks, and the end */
}

static gint
index_compare_files (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

/* By name, in which people count them; not in the order in which some tensor mentions each. */
static void
index_sort_files (IndexReader *r)
{
  SafetensorsIndex *index = r->index;
  g_autofree guint32 *sorted = g_new (guint32, index->files->len);
  g_ptr_array_sort (index->files, index_compare_files);
  for (guint32 i = 0; i < index->files->len; i++)
    sorted[GPOINTER_TO_UINT (g_hash_table_lookup (r->numbers, g_ptr_array_index (index->files, i))) - 1] = i;
  for (guint i = 0; i < index->file_of->len; i++)
    g_array_index (index->file_of, guint32, i) = sorted[g_array_index (index->file_of, guint32, i)];
}

SafetensorsIndex *
assay_safetensors_index_new (GBytes *text, const char *path, GError **error)
{
  g_autoptr (SafetensorsIndex) self = g_new0 (SafetensorsIndex, 1);
  self->files = g_ptr_array_new_with_free_func (g_free);
  self->names = g_array_new (FALSE, FALSE, sizeof (AssayBytes));
  self->file_of = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->table = assay_name_table_new (index_name_of, self);
  self->strings = g_string_chunk_new (4096);
  gsize length;
  const char *start = g_bytes_get_data (text, &length);
  g_autoptr (AssayJsonScan) scan
      = assay_json_scan_new (start != NULL ? start : "", length, SAFETENSORS_DEPTH_MAX);
  g_autoptr (GHashTable) numbers = g_hash_table_new (g_str_hash, g_str_equal);
  IndexReader reader = { self, scan, path, numbers };
  if (!index_read (&reader, error))
    return NULL;
  index_sort_files (&reader);
  return g_steal_pointer (&self);
}
