/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-store.c: loading and saving.
 *
 * A save works on a snapshot: everything that can fail happens to it, and only when the new state is safe on
 * disk is the ledger told (store_apply), on its own thread, where edits made meanwhile stay what they are:
 * unsaved. */
#include "assay-store-private.h"

#include <errno.h>
#include <glib/gi18n-lib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "assay-assets.h"
#include "assay-lock.h"
#include "assay-merge.h"
#include "assay-planned-private.h"
#include "assay-preference-private.h"
#include "assay-removed.h"
#include "assay-xml-guard.h"
#include "assay-xml-read.h"
#include "assay-xml-write.h"

#define STORE_LOCK_WAIT_MS 10000

char *
assay_store_dup_assets_path (const char *ledger_path)
{
  if (g_str_has_suffix (ledger_path, ASSAY_LEDGER_SUFFIX))
    {
      g_autofree char *stem = g_strndup (ledger_path, strlen (ledger_path) - strlen (ASSAY_LEDGER_SUFFIX));
      return g_strconcat (stem, ".assets", NULL);
    }
  return g_strconcat (ledger_path, ".assets", NULL);
}

/* ---- loading ---- */

AssayLedger *
assay_store_read (GBytes *bytes, const char *name, const char *assets, GError **error)
{
  g_autofree char *notice = NULL;
  g_autoptr(GBytes) text = assay_xml_guard_decode (bytes, name, &notice, error);

  if (text == NULL)
    return NULL;
  AssayLedger *ledger = assay_xml_read_ledger (text, name, assets, error);
  if (ledger != NULL && notice != NULL)
    assay_ledger_add_notice (ledger, "%s", notice);
  return ledger;
}

AssayLedger *
assay_store_parse (GBytes *xml, const char *name, GError **error)
{
  return assay_store_read (xml, name, NULL, error);
}

static AssayLedger *
store_read_file (const char *path, AssayFileMark *mark, GError **error)
{
  g_autofree char *assets = assay_store_dup_assets_path (path);
  g_autoptr(GBytes) bytes = assay_durable_read (path, ASSAY_XML_MAX_BYTES, FALSE, mark, error);
  return bytes == NULL ? NULL : assay_store_read (bytes, path, assets, error);
}

static void
store_judge_place (AssayLedger *ledger, const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);
  struct stat st;

  if (assay_ledger_is_read_only (ledger) || stat (path, &st) != 0)
    return;
  if ((st.st_mode & 0222) == 0 || access (path, W_OK) != 0)
    assay_ledger_set_read_only (ledger, _("The file is read-only: changes can be saved in another place"));
  else if (access (folder, W_OK) != 0)
    assay_ledger_set_read_only (ledger, _("The folder is read-only: changes can be saved in another place"));
}

AssayLedger *
assay_store_load (const char *path, GError **error)
{
  g_autofree char *target = assay_durable_dup_target (path);
  AssayFileMark mark = { 0 };
  AssayLedger *ledger = store_read_file (target, &mark, error);

  if (ledger == NULL)
    return NULL;
  ledger->mark = mark;
  assay_ledger_set_path (ledger, path);
  store_judge_place (ledger, target);
  return ledger;
}

/* ---- saving ---- */

GBytes *
assay_store_serialize (AssayLedger *ledger, GError **error)
{
  g_autoptr(GBytes) bytes = assay_xml_write_ledger (ledger);
  g_autoptr(AssayLedger) read = assay_store_read (bytes, ledger->title, NULL, error);
  return read == NULL ? NULL : g_steal_pointer (&bytes);
}

static gboolean
store_check_read (AssayLedger *read, guint n_runs, GError **error)
{
  if (!assay_ledger_is_read_only (read) && read->runs->len <= n_runs)
    return TRUE;
  g_set_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_SAVE, _("the new file does not read back as it was meant: %s"),
               assay_ledger_is_read_only (read) ? read->read_only_reason : _("it has runs that nobody put there"));
  return FALSE;
}

/* Before the rename: the file must read as a ledger that can be written again, with every run it was given and no new
 * damage. The runs that nobody edited were read as XML before, and their seals say that they came back as they were;
 * well-formed elements in a well-formed text leave it well-formed. So what is read here is the text around them. */
static gboolean
store_verify (GBytes *text, gpointer data, GError **error)
{
  const AssayXmlWritten *wanted = data;
  g_autoptr(AssayLedger) read = assay_store_read (text, _("the new file"), NULL, error);

  if (read == NULL || !store_check_read (read, wanted->fresh->len, error))
    return FALSE;
  for (guint i = 0; i < wanted->fresh->len; i++)
    {
      AssayRecord *record = g_ptr_array_index (wanted->fresh, i);
      AssayRecord *same = i < read->runs->len ? g_ptr_array_index (read->runs, i) : NULL;
      if (same == NULL || (same->damage != NULL && record->damage == NULL)
          || (record->damage == NULL && g_strcmp0 (same->id, record->id) != 0))
        {
          g_set_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_SAVE,
                       _("run “%s” does not read back: %s"), record->id,
                       same != NULL && same->damage != NULL ? same->damage : _("it is missing"));
          return FALSE;
        }
    }
  return TRUE;
}

gboolean
assay_store_write_assets (AssayLedger *snapshot, const char *target, GError **error)
{
  g_autofree char *folder = assay_store_dup_assets_path (target);

  for (guint i = 0; i < snapshot->runs->len; i++)
    {
      AssayRecord *record = g_ptr_array_index (snapshot->runs, i);
      for (guint k = 0; k < record->outputs->len; k++)
        {
          const AssayOutput *output = g_ptr_array_index (record->outputs, k);
          gsize length = output->text_length;
          const char *bytes = output->attachment != NULL ? g_bytes_get_data (output->attachment, &length) : output->text;
          if (bytes == NULL || (output->attachment == NULL && length <= ASSAY_ASSET_INLINE_MAX))
            continue;
          g_autofree char *name = assay_output_dup_asset (output);
          if (!assay_asset_write (folder, name, bytes, length, error))
            return FALSE;
        }
    }
  return TRUE;
}

/* May the snapshot join what already lies at the target? */
static gboolean
store_check_other (AssayLedger *snapshot, AssayLedger *disk, const char *target, gboolean own, GError **error)
{
  if (assay_ledger_is_read_only (disk))
    {
      g_set_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_READ_ONLY, "%s: %s", target,
                   disk->read_only_reason);
      return FALSE;
    }
  /* Two programs may each have begun a new ledger under one name: the first one there gives its id. */
  const gboolean fresh = snapshot->frame == NULL && snapshot->task == disk->task;
  if (own || fresh || g_strcmp0 (snapshot->id, disk->id) == 0)
    return TRUE;
  g_set_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_SAVE,
               _("%s holds another ledger already (“%s”, %u runs); choose another name"), target, disk->title,
               disk->runs->len);
  return FALSE;
}

static gboolean
store_merge_disk (AssayLedger *snapshot, const char *target, gboolean own, GError **error)
{
  const AssayFileMark now = assay_file_mark_of (target);
  g_autoptr(GError) problem = NULL;
  AssayFileMark mark = { 0 };

  if (!now.known && own && snapshot->mark.known)
    {
      g_set_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_SAVE,
                   _("%s was moved or removed since it was opened. Nothing is made anew in its place: "
                      "choose where to "
                      "save the ledger."),
                   target);
      return FALSE;
    }
  if (!now.known || (own && assay_file_mark_equal (&now, &snapshot->mark)))
    return TRUE;
  g_autoptr(AssayLedger) disk = store_read_file (target, &mark, &problem);
  if (disk == NULL)
    {
      g_set_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_SAVE,
                   _("%s was changed by another program and cannot be read; it is left alone, save in "
                      "another place: %s"),
                   target, problem->message);
      return FALSE;
    }
  if (!store_check_other (snapshot, disk, target, own, error))
    return FALSE;
  assay_merge_ledger (snapshot, disk);
  return TRUE;
}

/* The snapshot as the disk has it: with its mark, so that the file counts as known. Waits for no lock: a file is
 * replaced as a whole. */
static gboolean
store_refresh (AssayLedger *snapshot, const char *path, GError **error)
{
  g_autofree char *target = assay_durable_dup_target (path);
  const AssayFileMark mark = assay_file_mark_of (target);

  if (!store_merge_disk (snapshot, target, TRUE, error))
    return FALSE;
  if (mark.known && !assay_file_mark_equal (&mark, &snapshot->mark))
    assay_ledger_note_known (snapshot);
  snapshot->mark = mark; /* of before the reading: what was written meanwhile is read next time */
  return TRUE;
}

static gboolean
store_write (AssayLedger *snapshot, const char *target, GError **error)
{
  g_autoptr(AssayXmlWritten) written = assay_xml_write_splice (snapshot);
  AssayDurableSave save = { .keep_backup = TRUE, .verify = store_verify, .data = written };

  if (!assay_durable_replace_splice (target, written->splice, &save, error))
    return FALSE;
  for (guint i = 0; i < written->made->len; i++)
    {
      AssayMadeSource *pair = g_ptr_array_index (written->made, i);
      assay_record_keep_source (pair->record, pair->source, written->scope, pair->checksum);
    }
  snapshot->mark = save.mark;
  if (save.owner_lost)
    assay_ledger_add_notice (snapshot, _("The file's owner or access list could not be kept"));
  if (save.links_parted)
    assay_ledger_add_notice (snapshot,
                             _("The file had other names (hard links); those keep the earlier state"));
  return TRUE;
}

/* The frame as it now lies on disk: a later save writes header bytes back only if they are of this state. */
static gboolean
store_renew_frame (AssayLedger *snapshot)
{
  if (snapshot->frame != NULL && snapshot->header_edits == snapshot->saved_header_edits)
    return TRUE;
  g_autoptr(AssayLedger) bare = assay_ledger_snapshot (snapshot);
  g_ptr_array_set_size (bare->runs, 0);
  g_ptr_array_unref (bare->preferences);
  bare->preferences = assay_preference_list_new ();
  g_hash_table_remove_all (bare->positions);
  g_autoptr(GBytes) bytes = assay_xml_write_ledger (bare);
  g_autoptr(AssayLedger) read = assay_store_read (bytes, "", NULL, NULL);
  if (read == NULL)
    return FALSE;
  AssayFrame *frame = read->frame;
  GHashTable *leads = frame->leads;
  read->frame = NULL;
  if (snapshot->frame != NULL) /* the bare ledger had no runs to put them before */
    {
      frame->leads = g_hash_table_ref (snapshot->frame->leads);
      g_hash_table_unref (leads);
      g_clear_pointer (&frame->tail, g_bytes_unref);
      frame->tail = snapshot->frame->tail == NULL ? NULL : g_bytes_ref (snapshot->frame->tail);
    }
  assay_frame_unref (snapshot->frame);
  snapshot->frame = frame;
  return TRUE;
}

static gboolean
store_is_current (AssayLedger *snapshot, const char *target)
{
  const AssayFileMark now = assay_file_mark_of (target);
  return now.known && assay_file_mark_equal (&now, &snapshot->mark) && !assay_ledger_is_unsaved (snapshot);
}

/* Everything that can fail. On success the snapshot is what lies on disk. */
static gboolean
store_commit (AssayLedger *snapshot, const char *path, GError **error)
{
  g_autofree char *target = assay_durable_dup_target (path);
  g_autofree char *folder = g_path_get_dirname (target);
  const gboolean own = g_strcmp0 (path, snapshot->path) == 0;

  if (snapshot->frame != NULL && !g_str_has_prefix (snapshot->frame->version, "1."))
    {
      g_set_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_READ_ONLY, "%s", snapshot->read_only_reason);
      return FALSE;
    }
  if (own && assay_ledger_is_read_only (snapshot))
    {
      g_set_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_READ_ONLY, "%s: %s", path,
                   snapshot->read_only_reason);
      return FALSE;
    }
  if (!g_file_test (folder, G_FILE_TEST_IS_DIR))
    {
      g_set_error (
          error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_SAVE,
          _("The folder %s is not there (any more); nothing is made anew in its place. Choose where to save "
             "the ledger."),
          folder);
      return FALSE;
    }
  g_autoptr(AssayLock) lock = assay_lock_take (target, STORE_LOCK_WAIT_MS, error);
  if (lock == NULL)
    return FALSE;
  assay_durable_sweep (target);
  if (own && store_is_current (snapshot, target)) /* and the backup stays what it is */
    return TRUE;
  if (!store_merge_disk (snapshot, target, own, error) || !assay_store_write_assets (snapshot, target, error)
      || !store_write (snapshot, target, error))
    return FALSE;
  store_renew_frame (snapshot);
  assay_ledger_note_known (snapshot);
  g_clear_pointer (&snapshot->read_only_reason, g_free);
  assay_ledger_set_path (snapshot, path);
  return TRUE;
}

/* What the ledger was when its snapshot was taken. */
typedef struct
{
  GHashTable *runs;    /* run id → record */
  GHashTable *removed;
  GPtrArray *planned;
  GPtrArray *preferences;
} StoreBase;

static guint
store_apply_removals (AssayLedger *ledger, AssayLedger *snapshot, const StoreBase *before)
{
  GHashTableIter iter;
  gpointer id, was;
  guint n = 0;

  g_hash_table_iter_init (&iter, before->runs);
  while (g_hash_table_iter_next (&iter, &id, &was))
    if (assay_ledger_find_run (snapshot, id) == NULL && assay_ledger_find_run (ledger, id) == was)
      {
        assay_ledger_receive_removal (ledger, id);
        n++;
      }
  assay_ledger_take_removed (ledger, assay_removed_merge (ledger->removed, snapshot->removed, before->removed));
  return n;
}

/* Runs that the commit brought in, changed or took away, on the ledger's thread. */
static void
store_apply (AssayLedger *ledger, AssayLedger *snapshot, const StoreBase *before)
{
  guint n_received = store_apply_removals (ledger, snapshot, before);

  for (guint i = 0; i < snapshot->runs->len; i++)
    {
      AssayRecord *merged = g_ptr_array_index (snapshot->runs, i);
      AssayRecord *was = g_hash_table_lookup (before->runs, merged->id);
      AssayRecord *now = assay_ledger_find_run (ledger, merged->id);
      if (merged == was || merged == now)
        continue;
      if (now != was) /* edited meanwhile: the next save joins both */
        continue;
      assay_ledger_receive_run (ledger, merged);
      n_received++;
    }
  if (ledger->header_edits == snapshot->header_edits)
    assay_ledger_receive_header (ledger, snapshot);
  if (ledger->preferences == before->preferences)
    assay_ledger_receive_preferences (ledger, g_ptr_array_ref (snapshot->preferences));
  if (ledger->planned == before->planned) /* else edited meanwhile: the next save joins both */
    assay_ledger_receive_planned (ledger, g_ptr_array_ref (snapshot->planned));
  for (char **p = (char **) snapshot->notices->pdata; *p != NULL; p++)
    assay_ledger_add_notice (ledger, "%s", *p);
  if (ledger->read_only_reason != NULL)
    assay_ledger_set_read_only (ledger, NULL);
  assay_ledger_set_path (ledger, snapshot->path);
  assay_ledger_mark_saved (ledger, snapshot);
  assay_ledger_tell_received (ledger, n_received);
}

static void
store_base_clear (StoreBase *self)
{
  g_clear_pointer (&self->runs, g_hash_table_unref);
  g_clear_pointer (&self->removed, g_hash_table_unref);
  g_clear_pointer (&self->planned, g_ptr_array_unref);
  g_clear_pointer (&self->preferences, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (StoreBase, store_base_clear)

static GHashTable *
store_index_runs (AssayLedger *ledger)
{
  GHashTable *index = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_object_unref);

  for (guint i = 0; i < ledger->runs->len; i++)
    {
      AssayRecord *record = g_ptr_array_index (ledger->runs, i);
      g_hash_table_insert (index, g_strdup (record->id), g_object_ref (record));
    }
  return index;
}

static StoreBase
store_base_of (AssayLedger *ledger)
{
  return (StoreBase){ .runs = store_index_runs (ledger),
                      .removed = g_hash_table_ref (ledger->removed),
                      .planned = g_ptr_array_ref (ledger->planned),
                      .preferences = g_ptr_array_ref (ledger->preferences) };
}

static const char *
store_pick_path (AssayLedger *ledger, const char *path, GError **error)
{
  if (path == NULL)
    path = ledger->path;
  if (path == NULL)
    g_set_error_literal (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_SAVE,
                         _("The ledger has no file yet; choose where to save it"));
  return path;
}

gboolean
assay_store_save (AssayLedger *ledger, const char *path, GError **error)
{
  const char *chosen = store_pick_path (ledger, path, error);

  if (chosen == NULL)
    return FALSE;
  g_autofree char *kept = g_strdup (chosen);
  g_autoptr(AssayLedger) snapshot = assay_ledger_snapshot (ledger);
  g_auto(StoreBase) before = store_base_of (snapshot);
  if (!store_commit (snapshot, kept, error))
    return FALSE;
  store_apply (ledger, snapshot, &before);
  return TRUE;
}

/* ---- without waiting ---- */

static void
load_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  GError *error = NULL;
  AssayLedger *ledger = assay_store_load (data, &error);

  if (ledger != NULL)
    {
      assay_ledger_get_repeats (ledger); /* here, and not when the first row asks for it */
      g_task_return_pointer (task, ledger, g_object_unref);
    }
  else
    g_task_return_error (task, error);
}

void
assay_store_load_async (const char *path, GCancellable *cancellable, GAsyncReadyCallback callback,
                        gpointer data)
{
  g_autoptr(GTask) task = g_task_new (NULL, cancellable, callback, data);
  g_task_set_source_tag (task, assay_store_load_async);
  g_task_set_task_data (task, g_strdup (path), g_free);
  g_task_run_in_thread (task, load_thread);
}

AssayLedger *
assay_store_load_finish (GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, NULL), NULL);
  return g_task_propagate_pointer (G_TASK (result), error);
}

typedef struct
{
  char *path;               /* as asked for, or NULL: the ledger's at the time */
  AssayLedger *snapshot;
  StoreBase before;
  gboolean refresh;         /* reads only */
  GTask *task;              /* the caller's */
} SaveJob;

static void
save_job_free (gpointer data)
{
  SaveJob *job = data;
  g_free (job->path);
  g_clear_object (&job->snapshot);
  store_base_clear (&job->before);
  g_clear_object (&job->task);
  g_free (job);
}

static void save_start_next (AssayLedger *ledger);

static void
save_thread (GTask *work, gpointer source, gpointer data, GCancellable *cancellable)
{
  SaveJob *job = data;
  GError *error = NULL;

  if (job->refresh ? store_refresh (job->snapshot, job->path, &error)
                   : store_commit (job->snapshot, job->path, &error))
    g_task_return_boolean (work, TRUE);
  else
    g_task_return_error (work, error);
}

static void
save_done_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  AssayLedger *ledger = ASSAY_LEDGER (source);
  SaveJob *job = g_task_get_task_data (G_TASK (result));
  g_autoptr(GTask) task = g_object_ref (job->task);
  g_autoptr(AssayLedger) kept = g_object_ref (ledger);
  GError *error = NULL;
  const gboolean done = g_task_propagate_boolean (G_TASK (result), &error);

  if (done)
    store_apply (ledger, job->snapshot, &job->before);
  ledger->saving = FALSE;
  if (done)
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
  save_start_next (ledger);
}

static void
save_start_next (AssayLedger *ledger)
{
  GTask *task = ledger->saving ? NULL : g_queue_pop_head (&ledger->saves);
  GError *error = NULL;

  if (task == NULL)
    return;
  const gboolean refresh = g_task_get_source_tag (task) == assay_store_refresh_async;
  const gboolean left_alone = refresh && (assay_ledger_is_unsaved (ledger) || assay_ledger_is_read_only (ledger));
  const char *path = store_pick_path (ledger, g_task_get_task_data (task), &error);
  if (path == NULL || left_alone)
    {
      if (path == NULL)
        g_task_return_error (task, error);
      else
        g_task_return_boolean (task, TRUE);
      g_object_unref (task);
      save_start_next (ledger);
      return;
    }
  SaveJob *job = g_new0 (SaveJob, 1);
  job->path = g_strdup (path);
  job->snapshot = assay_ledger_snapshot (ledger);
  job->before = store_base_of (job->snapshot);
  job->refresh = refresh;
  job->task = task;
  ledger->saving = TRUE;
  /* Not the caller's cancellable: a save that has begun ends one way or the other. */
  g_autoptr(GTask) work = g_task_new (ledger, NULL, save_done_cb, NULL);
  g_task_set_task_data (work, job, save_job_free);
  g_task_run_in_thread (work, save_thread);
}

/* Takes the task. */
static void
save_queue (AssayLedger *ledger, GTask *task, const char *path)
{
  g_task_set_check_cancellable (task, FALSE);
  g_task_set_task_data (task, g_strdup (path), g_free);
  if (g_task_return_error_if_cancelled (task))
    {
      g_object_unref (task);
      return;
    }
  g_queue_push_tail (&ledger->saves, task);
  save_start_next (ledger);
}

void
assay_store_save_async (AssayLedger *ledger, const char *path, GCancellable *cancellable,
                        GAsyncReadyCallback callback, gpointer data)
{
  GTask *task = g_task_new (ledger, cancellable, callback, data);

  g_task_set_source_tag (task, assay_store_save_async);
  save_queue (ledger, task, path);
}

void
assay_store_refresh_async (AssayLedger *ledger, GCancellable *cancellable, GAsyncReadyCallback callback,
                           gpointer data)
{
  GTask *task = g_task_new (ledger, cancellable, callback, data);

  g_task_set_source_tag (task, assay_store_refresh_async);
  save_queue (ledger, task, NULL);
}

gboolean
assay_store_refresh_finish (AssayLedger *ledger, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, ledger), FALSE);
  return g_task_propagate_boolean (G_TASK (result), error);
}

gboolean
assay_store_save_finish (AssayLedger *ledger, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, ledger), FALSE);
  return g_task_propagate_boolean (G_TASK (result), error);
}
