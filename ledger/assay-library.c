/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-library.c: the list of ledgers, kept up while files come and go.
 *
 * A scan runs in GLib's pool and hands over what it found in batches, so that the first lines show while
 * later files are still read. A batch is merged into the sorted list as one change of the smallest stretch.
 * Changes on disk are gathered for a moment and answered by another scan, which reads only files that
 * changed: one way to be right instead of one per kind of event. A scan holds the library weakly; dropping it
 * in mid-scan is safe. */
#include "assay-library-private.h"

/* Shared by the library's thread and the scan's. */
typedef struct
{
  GWeakRef library;
  GMainContext *home;
  char **folders;
  GHashTable *known;        /* path → item; read by the scan only */
  LibraryScan scan;         /* the scan's until it ends, then home's */
  GHashTable *seen;         /* paths; as scan */
  GMutex lock;
  GPtrArray *fresh;         /* under lock: found and not yet merged */
  gboolean wake_queued;     /* under lock */
} Job;

struct _AssayLibrary
{
  GObject parent_instance;
  char **folders, *notice;     /* owned; folders: NULL for none */
  GPtrArray *items;            /* sorted */
  GHashTable *by_path;         /* path → item, borrowed from items */
  LibraryWatch *watch;
  GMainContext *home;
  GCancellable *cancellable;   /* of the scan in flight */
  Job *job;                    /* owned reference; NULL when none is in flight */
  gboolean again;              /* something changed while a scan was in flight */
};

static void library_list_model_init (GListModelInterface *iface);
G_DEFINE_FINAL_TYPE_WITH_CODE (AssayLibrary, assay_library, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, library_list_model_init))

enum { PROP_0, PROP_FOLDER, PROP_SCANNING, PROP_NOTICE, N_PROPS };
static GParamSpec *properties[N_PROPS];

static void library_start (AssayLibrary *self);

/* The list model */

static GType
library_get_item_type (GListModel *model)
{
  return ASSAY_TYPE_LIBRARY_ITEM;
}

static guint
library_get_n_items (GListModel *model)
{
  return ASSAY_LIBRARY (model)->items->len;
}

static gpointer
library_get_item (GListModel *model, guint position)
{
  AssayLibrary *self = ASSAY_LIBRARY (model);
  return position < self->items->len ? g_object_ref (g_ptr_array_index (self->items, position)) : NULL;
}

static void
library_list_model_init (GListModelInterface *iface)
{
  iface->get_item_type = library_get_item_type;
  iface->get_n_items = library_get_n_items;
  iface->get_item = library_get_item;
}

/* Takes the new sorted list and announces the stretch between the parts that stayed. */
static void
library_swap (AssayLibrary *self, GPtrArray *items_taken)
{
  g_autoptr(GPtrArray) old = self->items;
  GPtrArray *new = items_taken;
  guint head = 0, tail = 0;
  while (head < old->len && head < new->len && old->pdata[head] == new->pdata[head])
    head++;
  while (tail < old->len - head && tail < new->len - head
         && old->pdata[old->len - 1 - tail] == new->pdata[new->len - 1 - tail])
    tail++;
  self->items = new;
  g_hash_table_remove_all (self->by_path);
  for (guint i = 0; i < new->len; i++)
    g_hash_table_insert (self->by_path, (gpointer)assay_library_item_get_path (new->pdata[i]), new->pdata[i]);
  if (old->len - head - tail > 0 || new->len - head - tail > 0)
    g_list_model_items_changed (G_LIST_MODEL (self), head, old->len - head - tail, new->len - head - tail);
}

/* fresh: items found; each replaces the one of its path. seen: when not NULL, paths outside it are gone. */
static void
library_merge (AssayLibrary *self, GPtrArray *fresh, GHashTable *seen)
{
  g_autoptr(GHashTable) replaced = g_hash_table_new (g_str_hash, g_str_equal);
  GPtrArray *items = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 0; i < fresh->len; i++)
    if (g_hash_table_lookup (self->by_path, assay_library_item_get_path (fresh->pdata[i])) != fresh->pdata[i])
      {
        g_hash_table_add (replaced, (gpointer) assay_library_item_get_path (fresh->pdata[i]));
        g_ptr_array_add (items, g_object_ref (fresh->pdata[i]));
      }
  for (guint i = 0; i < self->items->len; i++)
    {
      const char *path = assay_library_item_get_path (self->items->pdata[i]);
      if (!g_hash_table_contains (replaced, path) && (seen == NULL || g_hash_table_contains (seen, path)))
        g_ptr_array_add (items, g_object_ref (self->items->pdata[i]));
    }
  g_ptr_array_sort (items, library_item_compare);
  library_swap (self, items);
}

/* The scan */

static void
job_clear (gpointer data)
{
  Job *job = data;
  g_weak_ref_clear (&job->library);
  g_main_context_unref (job->home);
  g_strfreev (job->folders);
  g_hash_table_unref (job->known);
  g_hash_table_unref (job->seen);
  library_scan_clear (&job->scan);
  g_mutex_clear (&job->lock);
  g_ptr_array_unref (job->fresh);
}

static void
job_unref (gpointer job)
{
  g_atomic_rc_box_release_full (job, job_clear);
}

static GPtrArray *
job_take_fresh (Job *job)
{
  g_mutex_lock (&job->lock);
  GPtrArray *fresh = job->fresh;
  job->fresh = g_ptr_array_new_with_free_func (g_object_unref);
  job->wake_queued = FALSE;
  g_mutex_unlock (&job->lock);
  return fresh;
}

static gboolean
job_deliver (gpointer data) /* home thread */
{
  Job *job = data;
  g_autoptr(AssayLibrary) self = g_weak_ref_get (&job->library);
  g_autoptr(GPtrArray) fresh = job_take_fresh (job);
  if (self != NULL && self->job == job)
    library_merge (self, fresh, NULL);
  return G_SOURCE_REMOVE;
}

static void
job_found (AssayLibraryItem *item_taken, gpointer data) /* scanning thread */
{
  Job *job = data;
  if (!g_hash_table_add (job->seen, g_strdup (assay_library_item_get_path (item_taken))))
    {
      g_object_unref (item_taken); /* one folder lies in another */
      return;
    }
  g_mutex_lock (&job->lock);
  g_ptr_array_add (job->fresh, item_taken);
  const gboolean wake = !job->wake_queued;
  job->wake_queued = TRUE;
  g_mutex_unlock (&job->lock);
  if (!wake)
    return;
  g_autoptr(GSource) source = g_idle_source_new ();
  g_source_set_callback (source, job_deliver, g_atomic_rc_box_acquire (job), job_unref);
  g_source_attach (source, job->home);
}

/* The program's own folder is made with the first ledger: until then there is nothing to tell. */
static gboolean
job_is_own_folder_to_be (const char *folder, const GError *error)
{
  g_autofree char *own = assay_library_dup_default_folder ();
  return g_error_matches (error, G_FILE_ERROR, G_FILE_ERROR_NOENT) && g_strcmp0 (folder, own) == 0;
}

static void
job_run (GTask *task, gpointer source_object, gpointer data, GCancellable *cancellable)
{
  Job *job = data;
  GError *error = NULL;
  job->scan.known = job->known;
  job->scan.cancellable = cancellable;
  job->scan.found = job_found;
  job->scan.data = job;
  for (guint i = 0; job->folders[i] != NULL; i++)
    {
      g_autofree char *label = i > 0 ? g_filename_display_basename (job->folders[i]) : NULL;
      job->scan.label = label;
      if (library_scan_run (&job->scan, job->folders[i], &error))
        continue;
      if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        {
          g_task_return_error (task, error);
          return;
        }
      if (!job_is_own_folder_to_be (job->folders[i], error))
        library_scan_set_notice (&job->scan, g_strdup (error->message));
      g_clear_error (&error);
    }
  g_task_return_boolean (task, TRUE);
}

static void
library_set_notice (AssayLibrary *self, const char *notice)
{
  if (g_strcmp0 (self->notice, notice) == 0)
    return;
  g_free (self->notice);
  self->notice = g_strdup (notice);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_NOTICE]);
}

static void
library_changed (gpointer self)
{
  assay_library_rescan (self);
}

static void
library_scanned_cb (GObject *source, GAsyncResult *result, gpointer data) /* home thread */
{
  Job *job = g_task_get_task_data (G_TASK (result));
  g_autoptr(AssayLibrary) self = g_weak_ref_get (&job->library);
  g_autoptr(GError) error = NULL;
  const gboolean fine = g_task_propagate_boolean (G_TASK (result), &error);
  if (self == NULL || self->job != job)
    return;
  g_autoptr(GPtrArray) fresh = job_take_fresh (job);
  library_merge (self, fresh, job->seen);
  if (self->job != job) /* a listener chose another folder */
    return;
  library_set_notice (self, fine ? job->scan.notice : error->message);
  if (library_watch_keep (self->watch, (const char *const *) self->folders, job->scan.folders))
    self->again = TRUE;
  g_clear_pointer (&self->job, job_unref);
  g_clear_object (&self->cancellable);
  if (self->again)
    library_start (self);
  else
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SCANNING]);
}

static void
library_start (AssayLibrary *self)
{
  GHashTableIter iter;
  gpointer item;
  Job *job = g_atomic_rc_box_new0 (Job);
  g_weak_ref_init (&job->library, self);
  job->home = g_main_context_ref (self->home);
  job->folders = g_strdupv (self->folders);
  job->known = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_object_unref);
  job->seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  job->fresh = g_ptr_array_new_with_free_func (g_object_unref);
  g_mutex_init (&job->lock);
  g_hash_table_iter_init (&iter, self->by_path);
  while (g_hash_table_iter_next (&iter, NULL, &item))
    g_hash_table_insert (job->known, (gpointer) assay_library_item_get_path (item), g_object_ref (item));

  self->again = FALSE;
  self->job = g_atomic_rc_box_acquire (job);
  self->cancellable = g_cancellable_new ();
  g_main_context_push_thread_default (self->home);
  g_autoptr(GTask) task = g_task_new (NULL, self->cancellable, library_scanned_cb, NULL);
  g_main_context_pop_thread_default (self->home);
  g_task_set_task_data (task, job, job_unref);
  g_task_set_check_cancellable (task, FALSE); /* the scan says itself how far it came */
  g_task_run_in_thread (task, job_run);
}

static void
library_stop (AssayLibrary *self)
{
  if (self->cancellable != NULL)
    g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  g_clear_pointer (&self->job, job_unref);
  if (self->watch != NULL)
    library_watch_clear (self->watch);
}

void
assay_library_rescan (AssayLibrary *self)
{
  g_return_if_fail (ASSAY_IS_LIBRARY (self));
  if (self->folders == NULL)
    return;
  if (self->job != NULL)
    {
      self->again = TRUE;
      return;
    }
  library_start (self);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SCANNING]);
}

static gboolean
folders_equal (char **a, const char *const *b)
{
  if (a == NULL || b == NULL)
    return (gpointer) a == (gpointer) b;
  return g_strv_equal ((const char *const *) a, b);
}

void
assay_library_set_folders (AssayLibrary *self, const char *const *folders)
{
  g_return_if_fail (ASSAY_IS_LIBRARY (self));
  if (folders != NULL && folders[0] == NULL)
    folders = NULL;
  if (folders_equal (self->folders, folders))
    return;
  library_stop (self);
  library_swap (self, g_ptr_array_new_with_free_func (g_object_unref));
  g_strfreev (self->folders);
  self->folders = g_strdupv ((char **) folders);
  library_set_notice (self, NULL);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_FOLDER]);
  for (guint i = 0; folders != NULL && folders[i] != NULL; i++)
    library_watch_add (self->watch, folders[i]); /* before the scan: what changes meanwhile is noticed */
  if (folders == NULL)
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SCANNING]);
  else
    assay_library_rescan (self);
}

void
assay_library_set_folder (AssayLibrary *self, const char *folder)
{
  const char *const folders[] = { folder, NULL };
  assay_library_set_folders (self, folders);
}

/* The object */

static void
assay_library_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  AssayLibrary *self = ASSAY_LIBRARY (object);
  switch (id)
    {
    case PROP_FOLDER:
      g_value_set_string (value, assay_library_get_folder (self));
      break;
    case PROP_SCANNING:
      g_value_set_boolean (value, self->job != NULL);
      break;
    case PROP_NOTICE:
      g_value_set_string (value, self->notice);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
assay_library_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  if (id == PROP_FOLDER)
    assay_library_set_folder (ASSAY_LIBRARY (object), g_value_get_string (value));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
assay_library_dispose (GObject *object)
{
  AssayLibrary *self = ASSAY_LIBRARY (object);
  library_stop (self);
  g_clear_pointer (&self->watch, library_watch_free);
  G_OBJECT_CLASS (assay_library_parent_class)->dispose (object);
}

static void
assay_library_finalize (GObject *object)
{
  AssayLibrary *self = ASSAY_LIBRARY (object);
  g_strfreev (self->folders);
  g_free (self->notice);
  g_hash_table_unref (self->by_path);
  g_ptr_array_unref (self->items);
  g_main_context_unref (self->home);
  G_OBJECT_CLASS (assay_library_parent_class)->finalize (object);
}

static void
assay_library_class_init (AssayLibraryClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  object_class->get_property = assay_library_get_property;
  object_class->set_property = assay_library_set_property;
  object_class->dispose = assay_library_dispose;
  object_class->finalize = assay_library_finalize;
  properties[PROP_FOLDER] = g_param_spec_string (
      "folder", NULL, NULL, NULL, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY);
  properties[PROP_SCANNING] = g_param_spec_boolean ("scanning", NULL, NULL, FALSE,
                                                    G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  properties[PROP_NOTICE]
      = g_param_spec_string ("notice", NULL, NULL, NULL, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
assay_library_init (AssayLibrary *self)
{
  self->home = g_main_context_ref_thread_default ();
  self->items = g_ptr_array_new_with_free_func (g_object_unref);
  self->by_path = g_hash_table_new (g_str_hash, g_str_equal);
  self->watch = library_watch_new (self->home, library_changed, self);
}

AssayLibrary *
assay_library_new (const char *folder)
{
  return g_object_new (ASSAY_TYPE_LIBRARY, "folder", folder, NULL);
}

const char *
assay_library_get_folder (AssayLibrary *self)
{
  g_return_val_if_fail (ASSAY_IS_LIBRARY (self), NULL);
  return self->folders != NULL ? self->folders[0] : NULL;
}

gboolean
assay_library_is_scanning (AssayLibrary *self)
{
  g_return_val_if_fail (ASSAY_IS_LIBRARY (self), FALSE);
  return self->job != NULL;
}

const char *
assay_library_get_notice (AssayLibrary *self)
{
  g_return_val_if_fail (ASSAY_IS_LIBRARY (self), NULL);
  return self->notice;
}

char *
assay_library_dup_default_folder (void)
{
  return g_build_filename (g_get_user_data_dir (), "assay", "ledgers", NULL);
}
