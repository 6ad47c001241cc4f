/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/assay-discovery.c: the walk's files, each opened once for the verdict that loading would give. */
#include "assay-discovery-private.h"

#include "assay-inspect.h"
#include "assay-model-id.h"

#include <glib/gi18n-lib.h>
#include <string.h>

typedef struct
{
  GPtrArray *found;      /* AssayFoundModel */
  GHashTable *sets;      /* "FOLDER/PREFIX of N" of split models that are listed */
  GHashTable *folders;   /* folder -> its AssayFoundModel: models in Hugging Face's layout */
  GCancellable *cancellable;
} Discovery;

/* For a file named like a part: its set, the same for all of them, and the name for people. (transfer
 * full) */
static char *
discovery_dup_set (const char *path, char **name)
{
  static GRegex *regex;
  if (g_once_init_enter (&regex))
    {
      GRegex *made
          = g_regex_new ("^(.*)-[0-9]{5}-of-([0-9]{5})\\.gguf$", G_REGEX_RAW | G_REGEX_OPTIMIZE, 0, NULL);
      g_once_init_leave (&regex, made);
    }
  g_autoptr (GMatchInfo) match = NULL;
  if (!g_regex_match (regex, path, 0, &match))
    return NULL;
  g_autofree char *prefix = g_match_info_fetch (match, 1);
  g_autofree char *count = g_match_info_fetch (match, 2);
  *name = g_filename_display_basename (prefix);
  return g_strdup_printf ("%s of %s", prefix, count);
}

static char *
discovery_dup_name (const DiscoveryFile *file)
{
  if (file->name != NULL)
    return g_utf8_make_valid (file->name, -1);
  g_autofree char *base = g_filename_display_basename (file->path);
  if (g_str_has_suffix (base, ".gguf"))
    base[strlen (base) - strlen (".gguf")] = '\0';
  return g_steal_pointer (&base);
}

static void
discovery_take_inspection (AssayFoundModel *model, const AssayInspection *inspection)
{
  model->model_id = g_strdup (inspection->model_id);
  model->revision = g_strdup (inspection->model_revision);
  model->architecture = g_strdup (inspection->config.architecture);
  model->quantization = g_strdup (inspection->quantization);
  g_autoptr (AssayValues) facts = assay_values_new ();
  assay_inspection_fill_conditions (inspection, facts);
  model->dtype = g_strdup (assay_values_get_text (facts, ASSAY_FIELD_DTYPE));
  model->context_length = inspection->config.context_length;
  model->bytes = assay_model_file_get_bytes (inspection->file);
  g_free (model->path); /* a split model goes by its first part */
  model->path = g_strdup (assay_model_file_get_path (inspection->file));
}

/* The list has the file's or folder's name beside the problem already; of a file in the folder its own
 * name stays. */
static char *
discovery_dup_problem (const char *path, const GError *error)
{
  g_autofree char *prefix = g_filename_display_name (path);
  const gsize n = strlen (prefix);
  const char *rest = strncmp (error->message, prefix, n) == 0 ? error->message + n : "";
  return assay_discovery_dup_skipped_words (path, error,
                                            g_str_has_prefix (rest, ": ")    ? rest + 2
                                            : rest[0] == G_DIR_SEPARATOR ? rest + 1
                                                                         : error->message);
}

static gboolean
discovery_is_split_error (const GError *error)
{
  return g_str_has_prefix (assay_engine_error_get_reason (error), "gguf-split-");
}

/* The folder of weights beside a config.json, which are one model together: safetensors, or pickles, which
 * the list says why they are not. NULL: the file is a model by itself. (transfer full) */
static char *
discovery_dup_folder (const DiscoveryFile *file)
{
  if (file->name != NULL || g_str_has_suffix (file->path, ".gguf") || g_str_has_suffix (file->path, ".ggml"))
    return NULL;
  g_autofree char *folder = g_path_get_dirname (file->path);
  g_autofree char *config = g_build_filename (folder, "config.json", NULL);
  return g_file_test (config, G_FILE_TEST_EXISTS) ? g_steal_pointer (&folder) : NULL;
}

/* "org/name" of a cache's snapshot, whose folder is named by a commit; elsewhere the folder's own name. */
static char *
discovery_dup_folder_name (const char *folder)
{
  g_autofree char *revision = NULL;
  char *name;
  assay_model_id_from_path (folder, &name, &revision);
  return name != NULL ? name : g_filename_display_basename (folder);
}

static AssayFoundModel *
discovery_add (Discovery *d, const char *store, const char *path, char *name)
{
  AssayFoundModel *model = g_object_new (ASSAY_TYPE_FOUND_MODEL, NULL);
  model->store = g_strdup (store);
  model->path = g_strdup (path);
  model->name = name;
  g_ptr_array_add (d->found, model);
  return model;
}

/* One entry a folder, at its first file; the bytes of one that cannot be opened are those of its files.
 * Takes folder. */
static void
discovery_open_folder (Discovery *d, const DiscoveryFile *file, char *folder)
{
  g_autofree char *path = folder;
  AssayFoundModel *known = g_hash_table_lookup (d->folders, folder);
  if (known != NULL)
    {
      known->bytes += known->problem != NULL ? file->bytes : 0;
      return;
    }
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayInspection) inspection = assay_inspect (folder, FALSE, d->cancellable, &error);
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  AssayFoundModel *model = discovery_add (d, file->store, folder, discovery_dup_folder_name (folder));
  model->bytes = file->bytes;
  if (inspection != NULL)
    discovery_take_inspection (model, inspection);
  else
    model->problem = discovery_dup_problem (folder, error);
  g_hash_table_insert (d->folders, g_steal_pointer (&path), model);
}

/* A folder's download, or its parts, are one entry. */
static void
discovery_skip (Discovery *d, const DiscoveryFile *file)
{
  g_autofree char *folder = g_path_get_dirname (file->path);
  g_autofree char *key = g_strconcat (folder, "\n", file->problem, file->name == NULL ? file->path : "", NULL);
  AssayFoundModel *model = g_hash_table_lookup (d->folders, key);
  if (model == NULL)
    {
      model = discovery_add (d, file->store, file->path, discovery_dup_name (file));
      model->problem = g_strdup (file->problem);
      g_hash_table_insert (d->folders, g_steal_pointer (&key), model);
    }
  model->bytes += file->bytes;
}

static void
discovery_open (Discovery *d, const DiscoveryFile *file)
{
  if (file->problem != NULL)
    {
      discovery_skip (d, file);
      return;
    }
  char *folder = discovery_dup_folder (file);
  if (folder != NULL)
    {
      discovery_open_folder (d, file, folder);
      return;
    }
  g_autofree char *set_name = NULL;
  g_autofree char *set = discovery_dup_set (file->path, &set_name);
  if (set != NULL && g_hash_table_contains (d->sets, set))
    return;
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayInspection) inspection = assay_inspect (file->path, FALSE, d->cancellable, &error);
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  const gboolean is_set = inspection != NULL ? assay_model_file_get_n_parts (inspection->file) > 1
                                             : discovery_is_split_error (error);
  AssayFoundModel *model = discovery_add (
      d, file->store, file->path, set != NULL && is_set ? g_strdup (set_name) : discovery_dup_name (file));
  model->bytes = file->bytes;
  if (inspection != NULL)
    discovery_take_inspection (model, inspection);
  else
    model->problem = discovery_dup_problem (file->path, error);
  if (set != NULL && is_set)
    g_hash_table_add (d->sets, g_steal_pointer (&set));
}

static gint
discovery_compare (gconstpointer a, gconstpointer b)
{
  const AssayFoundModel *x = *(AssayFoundModel *const *) a, *y = *(AssayFoundModel *const *) b;
  if ((x->problem == NULL) != (y->problem == NULL))
    return x->problem == NULL ? -1 : 1;
  const int order = g_utf8_collate (x->name, y->name);
  return order != 0 ? order : strcmp (x->path, y->path);
}

static void
discovery_walk_all (DiscoveryWalk *walk, const char *const *extra_folders, gboolean stores)
{
  g_autoptr (GPtrArray) list = stores ? assay_discovery_list_stores () : NULL;
  for (guint i = 0; extra_folders != NULL && extra_folders[i] != NULL; i++)
    assay_discovery_walk_store (
        walk, &(DiscoveryStore) { .folder = (char *) extra_folders[i], .name = N_("Chosen folder") });
  for (guint i = 0; list != NULL && i < list->len; i++)
    assay_discovery_walk_store (walk, g_ptr_array_index (list, i));
}

GPtrArray *
assay_discovery_scan (const char *const *extra_folders, gboolean stores, GCancellable *cancellable,
                      GError **error)
{
  g_autoptr (DiscoveryWalk) walk = assay_discovery_walk_new (cancellable);
  g_autoptr (GPtrArray) found = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (GHashTable) sets = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GHashTable) folders = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  Discovery d = { found, sets, folders, cancellable };
  discovery_walk_all (walk, extra_folders, stores);
  GPtrArray *files = assay_discovery_walk_get_files (walk);
  for (guint i = 0; i < files->len && !g_cancellable_is_cancelled (cancellable); i++)
    discovery_open (&d, g_ptr_array_index (files, i));
  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return NULL;
  if (assay_discovery_walk_get_limit (walk) != NULL)
    g_message ("%s", assay_discovery_walk_get_limit (walk));
  g_ptr_array_sort (found, discovery_compare);
  return g_steal_pointer (&found);
}

typedef struct
{
  char **extra_folders;
  gboolean stores;
} ScanJob;

static void
discovery_job_free (gpointer data)
{
  ScanJob *job = data;
  g_strfreev (job->extra_folders);
  g_free (job);
}

static void
discovery_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const ScanJob *job = data;
  GError *error = NULL;
  GPtrArray *found
      = assay_discovery_scan ((const char *const *) job->extra_folders, job->stores, cancellable, &error);
  if (found != NULL)
    g_task_return_pointer (task, found, (GDestroyNotify) g_ptr_array_unref);
  else
    g_task_return_error (task, error);
}

void
assay_discovery_scan_async (const char *const *extra_folders, gboolean stores, GCancellable *cancellable,
                            GAsyncReadyCallback callback, gpointer data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, data);
  ScanJob *job = g_new0 (ScanJob, 1);
  job->extra_folders = g_strdupv ((char **) extra_folders);
  job->stores = stores;
  g_task_set_source_tag (task, assay_discovery_scan_async);
  g_task_set_task_data (task, job, discovery_job_free);
  g_task_run_in_thread (task, discovery_thread);
}

GPtrArray *
assay_discovery_scan_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
