/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/discovery-walk.c: finds files that may be models; opens none of them.
 *
 * Symlinks are followed, for the Hugging Face cache consists of them; a folder is entered once and a file
 * listed once, by device and inode, so that loops end and two names of one file are one entry. */
#include "assay-discovery-private.h"

#include "assay-model-id.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

enum { DEPTH_MAX = 8, ENTRIES_MAX = 200000, FILES_MAX = 4096, BIN_BYTES_MIN = 1 << 20 };

struct _DiscoveryWalk
{
  GCancellable *cancellable;
  GPtrArray *files;
  GHashTable *seen;     /* "device:inode" of files and folders */
  DiscoveryFile *pipeline; /* borrowed: the folder that all files being walked over are parts of; or NULL */
  guint n_entries;
  const char *limit;
};

static void
walk_file_free (gpointer data)
{
  DiscoveryFile *file = data;
  g_free (file->path);
  g_free (file->name);
  g_free (file);
}

DiscoveryWalk *
assay_discovery_walk_new (GCancellable *cancellable)
{
  DiscoveryWalk *self = g_new0 (DiscoveryWalk, 1);
  self->cancellable = cancellable != NULL ? g_object_ref (cancellable) : NULL;
  self->files = g_ptr_array_new_with_free_func (walk_file_free);
  self->seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  return self;
}

void
assay_discovery_walk_free (DiscoveryWalk *self)
{
  if (self == NULL)
    return;
  g_clear_object (&self->cancellable);
  g_ptr_array_unref (self->files);
  g_hash_table_unref (self->seen);
  g_free (self);
}

GPtrArray *
assay_discovery_walk_get_files (DiscoveryWalk *self)
{
  return self->files;
}

const char *
assay_discovery_walk_get_limit (DiscoveryWalk *self)
{
  return self->limit;
}

static gboolean
walk_is_first_visit (DiscoveryWalk *self, const struct stat *st)
{
  return g_hash_table_add (self->seen, g_strdup_printf ("%" PRIu64 ":%" PRIu64,
                                                        (guint64) st->st_dev, (guint64) st->st_ino));
}

/* Names of weights, also of kinds that this engine refuses: the list says why. */
static gboolean
walk_is_wanted (const char *name, const struct stat *st)
{
  static const char *const endings[] = { ".gguf", ".ggml", ".safetensors", ".pt", ".pth", ".ckpt" };
  g_autofree char *lower = g_ascii_strdown (name, -1);
  for (guint i = 0; i < G_N_ELEMENTS (endings); i++)
    if (g_str_has_suffix (lower, endings[i]))
      return TRUE;
  return g_str_has_suffix (lower, ".bin") && st->st_size >= BIN_BYTES_MIN;
}

/* What downloaders call a file that is not all there: "MODEL.gguf.part", or a blob of a cache. (transfer full), the name
 * it will have, empty for a blob; NULL: it is none. */
static char *
walk_dup_unfinished (const char *folder, const char *name)
{
  static const char *const endings[] = { ".incomplete", ".part", ".partial", ".downloadInProgress", ".crdownload",
                                         ".aria2" };
  const struct stat any = { .st_size = BIN_BYTES_MIN };
  for (guint i = 0; i < G_N_ELEMENTS (endings); i++)
    {
      if (!g_str_has_suffix (name, endings[i]))
        continue;
      g_autofree char *whole = g_strndup (name, strlen (name) - strlen (endings[i]));
      if (g_str_has_suffix (folder, "/blobs"))
        return g_strdup ("");
      return walk_is_wanted (whole, &any) ? g_steal_pointer (&whole) : NULL;
    }
  return NULL;
}

/* The parts of a Diffusers pipeline are one model together, that another program runs. */
static gboolean
walk_add_to_pipeline (DiscoveryWalk *self, const struct stat *st)
{
  if (self->pipeline != NULL)
    self->pipeline->bytes += (guint64) st->st_size;
  return self->pipeline != NULL;
}

static DiscoveryFile *
walk_take_file (DiscoveryWalk *self, const char *store, const char *path, const struct stat *st,
                const char *name)
{
  if (self->files->len >= FILES_MAX)
    {
      self->limit = "only the first 4096 model files are listed";
      return NULL;
    }
  DiscoveryFile *file = g_new0 (DiscoveryFile, 1);
  *file = (DiscoveryFile) { .path = g_strdup (path),
                           .name = g_strdup (name),
                           .store = store,
                           .device = st->st_dev,
                           .inode = st->st_ino,
                           .bytes = (guint64) st->st_size };
  g_ptr_array_add (self->files, file);
  return file;
}

static void
walk_take_unfinished (DiscoveryWalk *self, const char *store, const char *path, const char *name,
                      const struct stat *st)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *whole = walk_dup_unfinished (folder, name);
  g_autofree char *cache = g_path_get_dirname (folder);
  g_autofree char *snapshot = g_build_filename (cache, "snapshots", "-", NULL);
  g_autofree char *model_id = NULL, *revision = NULL;
  if (whole == NULL)
    return;
  if (*whole == '\0')
    assay_model_id_from_path (snapshot, &model_id, &revision);
  DiscoveryFile *file = walk_take_file (self, store, path, st, model_id != NULL ? model_id : whole);
  if (file != NULL)
    file->problem = _("an incomplete download: let the program that fetches it finish, or remove it there");
}

static void walk_folder (DiscoveryWalk *self, const char *store, const char *folder, guint depth);

static void
walk_entry (DiscoveryWalk *self, const char *store, const char *path, const char *name, guint depth)
{
  struct stat st = { 0 };
  const gboolean exists = stat (path, &st) == 0;
  if (exists && S_ISDIR (st.st_mode))
    walk_folder (self, store, path, depth + 1);
  else if (walk_is_wanted (name, &st) && (!exists || walk_is_first_visit (self, &st)))
    {
      if (!walk_add_to_pipeline (self, &st))
        walk_take_file (self, store, path, &st, NULL);
    }
  else if (exists)
    walk_take_unfinished (self, store, path, name, &st);
}

static gint
walk_compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

/* The order of a folder's entries is the disk's, so they are sorted: two scans of one disk give one list. */
static GPtrArray *
walk_list_names (DiscoveryWalk *self, const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  for (const char *name; dir != NULL && (name = g_dir_read_name (dir)) != NULL;)
    if (++self->n_entries <= ENTRIES_MAX)
      g_ptr_array_add (names, g_strdup (name));
    else
      {
        self->limit = "only the first 200000 files were looked at";
        break;
      }
  g_ptr_array_sort (names, walk_compare_names);
  return names;
}

/* Whether the folder is a Diffusers pipeline, which is then listed as one. */
static gboolean
walk_enter_pipeline (DiscoveryWalk *self, const char *store, const char *folder)
{
  g_autofree char *index = g_build_filename (folder, "model_index.json", NULL);
  g_autofree char *model_id = NULL, *revision = NULL;
  if (self->pipeline != NULL || !g_file_test (index, G_FILE_TEST_EXISTS))
    return FALSE;
  assay_model_id_from_path (folder, &model_id, &revision);
  g_autofree char *name = g_path_get_basename (folder);
  self->pipeline = walk_take_file (self, store, folder, &(struct stat) { 0 }, model_id != NULL ? model_id : name);
  if (self->pipeline != NULL)
    self->pipeline->problem = _("an image model of Diffusers; Assay’s own engine runs language models");
  return self->pipeline != NULL;
}

static void
walk_folder (DiscoveryWalk *self, const char *store, const char *folder, guint depth)
{
  struct stat st;
  if (depth > DEPTH_MAX || stat (folder, &st) != 0 || !S_ISDIR (st.st_mode)
      || !walk_is_first_visit (self, &st))
    return;
  g_autoptr (GPtrArray) names = walk_list_names (self, folder);
  const gboolean is_pipeline = walk_enter_pipeline (self, store, folder);
  for (guint i = 0; i < names->len && !g_cancellable_is_cancelled (self->cancellable); i++)
    {
      g_autofree char *path = g_build_filename (folder, g_ptr_array_index (names, i), NULL);
      walk_entry (self, store, path, g_ptr_array_index (names, i), depth);
    }
  if (is_pipeline)
    self->pipeline = NULL;
}

typedef struct
{
  DiscoveryWalk *walk;
  const DiscoveryStore *store;
} OllamaWalk;

static gboolean
walk_manifest (const char *manifest_path, gpointer data)
{
  OllamaWalk *ollama = data;
  struct stat st = { 0 };
  g_autofree char *blob = assay_model_id_read_manifest (ollama->store->folder, manifest_path);
  g_autofree char *name = assay_model_id_from_manifest_path (manifest_path);
  if (blob != NULL && (stat (blob, &st) != 0 || walk_is_first_visit (ollama->walk, &st)))
    walk_take_file (ollama->walk, ollama->store->name, blob, &st, name);
  return !g_cancellable_is_cancelled (ollama->walk->cancellable);
}

void
assay_discovery_walk_store (DiscoveryWalk *self, const DiscoveryStore *store)
{
  OllamaWalk ollama = { self, store };
  if (store->is_ollama)
    assay_model_id_walk_manifests (store->folder, walk_manifest, &ollama);
  else
    walk_folder (self, store->name, store->folder, 0);
}
