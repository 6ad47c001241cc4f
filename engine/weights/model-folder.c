/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/model-folder.c: a folder of files that belong together. A name from a file is never a
 * path: it must be a plain name, and what it leads to must lie below the folder, or in the cache that the
 * folder is a snapshot of (whose snapshots are links into its blobs). */
#include "safetensors-private.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAMES_MAX = 20000 };

static gboolean
folder_set_io_error (const char *path, const char *what, GError **error)
{
  const int code = errno;
  g_autofree char *shown = g_filename_display_name (path);
  g_set_error (error, G_IO_ERROR, g_io_error_from_errno (code), "%s: %s: %s", shown, what, g_strerror (code));
  return FALSE;
}

/* .../models--ORG--NAME/snapshots/COMMIT -> .../models--ORG--NAME/blobs, or NULL. (transfer full) */
static char *
folder_dup_blobs (const char *real)
{
  g_autofree char *snapshots = g_path_get_dirname (real);
  g_autofree char *repository = g_path_get_dirname (snapshots);
  g_autofree char *middle = g_path_get_basename (snapshots);
  g_autofree char *name = g_path_get_basename (repository);
  return strcmp (middle, "snapshots") == 0 && g_str_has_prefix (name, "models--")
             ? g_build_filename (repository, "blobs", NULL)
             : NULL;
}

static gint
folder_compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

static gboolean
folder_list (ModelFolder *self, GError **error)
{
  g_autoptr (GDir) dir = g_dir_open (self->path, 0, error);
  self->names = g_ptr_array_new_with_free_func (g_free);
  if (dir == NULL)
    return FALSE;
  for (const char *name; (name = g_dir_read_name (dir)) != NULL;)
    {
      if (self->names->len == NAMES_MAX)
        {
          assay_engine_error_set (error, ASSAY_ENGINE_ERROR_FORMAT, "safetensors-folder", self->path, NULL,
                                  -1, "the folder has more than %d files; choose the model's own", NAMES_MAX);
          return FALSE;
        }
      g_ptr_array_add (self->names, g_strdup (name));
    }
  g_ptr_array_sort (self->names, folder_compare_names);
  return TRUE;
}

ModelFolder *
assay_model_folder_open (const char *path, GError **error)
{
  g_autoptr (ModelFolder) self = g_new0 (ModelFolder, 1);
  char *real = realpath (path, NULL);
  self->path = g_strdup (path);
  self->real = g_strdup (real);
  free (real);
  if (self->real == NULL)
    {
      folder_set_io_error (path, "cannot be opened", error);
      return NULL;
    }
  self->blobs = folder_dup_blobs (self->real);
  return folder_list (self, error) ? g_steal_pointer (&self) : NULL;
}

void
assay_model_folder_free (ModelFolder *self)
{
  if (self == NULL)
    return;
  g_free (self->path);
  g_free (self->real);
  g_free (self->blobs);
  g_clear_pointer (&self->names, g_ptr_array_unref);
  g_free (self);
}

gboolean
assay_model_folder_has (const ModelFolder *self, const char *name)
{
  for (guint i = 0; i < self->names->len; i++)
    if (strcmp (g_ptr_array_index (self->names, i), name) == 0)
      return TRUE;
  return FALSE;
}

char *
assay_model_folder_dup_path (const ModelFolder *self, const char *name)
{
  return g_build_filename (self->path, name, NULL);
}

gboolean
assay_model_folder_is_present (const ModelFolder *self, const char *name)
{
  struct stat st;
  g_autofree char *path = assay_model_folder_dup_path (self, name);
  return stat (path, &st) == 0;
}

static gboolean
folder_is_below (const char *path, const char *folder)
{
  const gsize n = folder != NULL ? strlen (folder) : 0;
  return n > 0 && strncmp (path, folder, n) == 0
         && (path[n] == G_DIR_SEPARATOR || folder[n - 1] == G_DIR_SEPARATOR);
}

char *
assay_model_folder_resolve (const ModelFolder *self, const char *name, GError **error)
{
  g_autofree char *path = assay_model_folder_dup_path (self, name);
  char *resolved = realpath (path, NULL);
  g_autofree char *real = g_strdup (resolved);
  free (resolved);
  if (real == NULL)
    {
      folder_set_io_error (path, "cannot be opened", error);
      return NULL;
    }
  if (folder_is_below (real, self->real) || folder_is_below (real, self->blobs))
    return g_steal_pointer (&real);
  g_autofree char *shown = g_filename_display_name (real);
  assay_engine_error_set (error, ASSAY_ENGINE_ERROR_FORMAT, "safetensors-path", path, NULL, -1,
                          "a link out of the model's folder, to %s; put the file itself there", shown);
  return NULL;
}

static gboolean
folder_check_limit (const ModelPart *part, gsize limit, GError **error)
{
  if (part->size <= limit)
    return TRUE;
  assay_engine_error_set (error, ASSAY_ENGINE_ERROR_FORMAT, "safetensors-text-too-large", part->path, NULL,
                          -1, "%" PRIu64 " bytes; at most %zu are read", part->size, limit);
  return FALSE;
}

gboolean
assay_model_folder_read (const ModelFolder *self, const char *name, gsize limit, GCancellable *cancellable,
                         GBytes **bytes, GError **error)
{
  gint fd = -1;
  *bytes = NULL;
  if (!assay_model_folder_has (self, name))
    return TRUE;
  g_autofree char *path = assay_model_folder_dup_path (self, name);
  g_autofree char *place = assay_model_folder_resolve (self, name, error);
  g_autoptr (ModelPart) part = place != NULL ? assay_model_part_open (path, place, &fd, error) : NULL;
  if (part == NULL)
    return FALSE;
  const gboolean ok = folder_check_limit (part, limit, error)
                      && assay_model_part_read (part, fd, (gsize) part->size, cancellable, error);
  close (fd);
  if (ok)
    *bytes = g_bytes_new_take (g_steal_pointer (&part->metadata), (gsize) part->size);
  return ok;
}
