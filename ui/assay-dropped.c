/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-dropped.c: by name first; a file without a telling name by its first bytes, since stores of other programs
 * name models by their hash. Whether it can be used is said by whoever opens it. */
#include "assay-dropped.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const model_endings[] = { ".gguf", ".safetensors", ".safetensors.index.json", NULL };

static AssayDropped *
dropped_new (void)
{
  AssayDropped *self = g_new0 (AssayDropped, 1);
  self->ledgers = g_ptr_array_new_with_free_func (g_free);
  self->models = g_ptr_array_new_with_free_func (g_free);
  self->records = g_ptr_array_new_with_free_func (g_free);
  self->folders = g_ptr_array_new_with_free_func (g_free);
  self->refused = g_ptr_array_new_with_free_func (g_free);
  return self;
}

void
assay_dropped_free (AssayDropped *self)
{
  g_ptr_array_unref (self->ledgers);
  g_ptr_array_unref (self->models);
  g_ptr_array_unref (self->records);
  g_ptr_array_unref (self->folders);
  g_ptr_array_unref (self->refused);
  g_free (self);
}

static gboolean
name_is_model (const char *name)
{
  for (guint i = 0; model_endings[i] != NULL; i++)
    if (g_str_has_suffix (name, model_endings[i]))
      return TRUE;
  return FALSE;
}

/* Only a plain file is read: a pipe would wait for ever. */
static gboolean
file_begins_as_model (const char *path)
{
  char magic[4] = "";
  struct stat info;
  const int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return FALSE;
  const gboolean plain = fstat (fd, &info) == 0 && S_ISREG (info.st_mode);
  const gboolean fits = plain && pread (fd, magic, sizeof magic, 0) == sizeof magic && memcmp (magic, "GGUF", 4) == 0;
  close (fd);
  return fits;
}

static GPtrArray *
dropped_pick_for_folder (AssayDropped *self, const char *path)
{
  GPtrArray *list = self->refused;
  g_autoptr(GDir) folder = g_dir_open (path, 0, NULL);
  for (const char *name; folder != NULL && (name = g_dir_read_name (folder)) != NULL;)
    {
      if (g_str_equal (name, "config.json") || name_is_model (name))
        return self->models;
      if (g_str_has_suffix (name, ".ledger.xml"))
        list = self->folders;
    }
  return list;
}

static GPtrArray *
dropped_pick (AssayDropped *self, const char *path)
{
  if (g_file_test (path, G_FILE_TEST_IS_DIR))
    return dropped_pick_for_folder (self, path);
  if (g_str_has_suffix (path, ".xml"))
    return self->ledgers;
  if (g_str_has_suffix (path, ".kv"))
    return self->records;
  return name_is_model (path) || file_begins_as_model (path) ? self->models : self->refused;
}

static void
sort_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const GPtrArray *paths = data;
  AssayDropped *self = dropped_new ();
  for (guint i = 0; i < paths->len; i++)
    g_ptr_array_add (dropped_pick (self, g_ptr_array_index (paths, i)), g_strdup (g_ptr_array_index (paths, i)));
  g_task_return_pointer (task, self, (GDestroyNotify) assay_dropped_free);
}

void
assay_dropped_sort_async (GPtrArray *paths, GAsyncReadyCallback callback, gpointer data)
{
  g_autoptr(GTask) task = g_task_new (NULL, NULL, callback, data);
  g_task_set_task_data (task, g_ptr_array_ref (paths), (GDestroyNotify) g_ptr_array_unref);
  g_task_run_in_thread (task, sort_thread);
}

AssayDropped *
assay_dropped_sort_finish (GAsyncResult *result)
{
  return g_task_propagate_pointer (G_TASK (result), NULL);
}
