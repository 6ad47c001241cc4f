/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-recovery.h"

#include <glib/gi18n-lib.h>

#include "assay-disk-queue.h"

typedef struct
{
  char *ledger_path, *run_id; /* owned; run_id for a removal */
  AssayRecord *record;        /* owned; for a write */
} Job;

static void
job_free (gpointer data)
{
  Job *job = data;
  g_free (job->ledger_path);
  g_free (job->run_id);
  g_clear_object (&job->record);
  g_free (job);
}

static void
job_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Job *job = data;
  g_autofree char *folder = assay_journal_dup_default_folder ();
  GError *error = NULL;
  const gboolean done = job->record != NULL ? assay_journal_write (folder, job->ledger_path, job->record, &error)
                                            : assay_journal_remove (folder, job->run_id, &error);
  if (done)
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

static void
job_push (GTask *task, Job *job)
{
  g_task_set_task_data (task, job, job_free);
  assay_disk_queue_push (task, job_thread);
}

void
assay_recovery_write_async (const char *ledger_path, AssayRecord *record, GAsyncReadyCallback callback, gpointer data)
{
  Job *job = g_new0 (Job, 1);
  job->ledger_path = g_strdup (ledger_path);
  job->record = g_object_ref (record);
  job_push (g_task_new (NULL, NULL, callback, data), job);
}

gboolean
assay_recovery_write_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_boolean (G_TASK (result), error);
}

void
assay_recovery_remove (const char *run_id)
{
  Job *job = g_new0 (Job, 1);
  job->run_id = g_strdup (run_id);
  job_push (g_task_new (NULL, NULL, NULL, NULL), job);
}

static void
list_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  GError *error = NULL;
  g_autofree char *folder = assay_journal_dup_default_folder ();
  GPtrArray *entries = assay_journal_list (folder, &error);
  if (entries != NULL)
    g_task_return_pointer (task, entries, (GDestroyNotify) g_ptr_array_unref);
  else
    g_task_return_error (task, error);
}

void
assay_recovery_list_async (GAsyncReadyCallback callback, gpointer data)
{
  g_autoptr(GTask) task = g_task_new (NULL, NULL, callback, data);
  g_task_run_in_thread (task, list_thread);
}

GPtrArray *
assay_recovery_list_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}

/* The run may have reached the ledger and only its review not. */
static gboolean
recovery_merge (AssayLedger *ledger, AssayRecord *record, GError **error)
{
  const char *id = assay_record_get_id (record);
  AssayRecord *present = assay_ledger_find_run (ledger, id);
  if (present == NULL)
    {
      assay_ledger_add_run (ledger, record);
      return TRUE;
    }
  GPtrArray *reviews = assay_record_get_reviews (record);
  for (guint i = 0; i < reviews->len; i++)
    {
      const AssayReview *review = g_ptr_array_index (reviews, i);
      GPtrArray *known = assay_record_get_reviews (assay_ledger_find_run (ledger, id));
      gboolean found = FALSE;
      for (guint k = 0; k < known->len && !found; k++)
        found = g_strcmp0 (((AssayReview *) g_ptr_array_index (known, k))->id, review->id) == 0;
      if (!found && !assay_ledger_add_review (ledger, id, assay_review_copy (review), error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
recovery_add (const AssayJournalEntry *entry, const char *folder, GError **error)
{
  g_autoptr(AssayLedger) ledger = NULL;
  if (g_file_test (entry->ledger_path, G_FILE_TEST_EXISTS))
    ledger = assay_store_load (entry->ledger_path, error);
  else
    {
      g_autofree char *name = g_filename_display_basename (entry->ledger_path);
      if (g_str_has_suffix (name, ASSAY_LEDGER_SUFFIX))
        name[strlen (name) - strlen (ASSAY_LEDGER_SUFFIX)] = '\0';
      ledger = assay_ledger_new (ASSAY_TASK_LANGUAGE, name);
    }
  return ledger != NULL && recovery_merge (ledger, entry->record, error) &&
         assay_store_save (ledger, entry->ledger_path, error) &&
         assay_journal_remove (folder, assay_record_get_id (entry->record), error);
}

static void
add_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  GPtrArray *entries = data;
  GError *failure = NULL;
  g_autofree char *folder = assay_journal_dup_default_folder ();
  for (guint i = 0; i < entries->len; i++)
    {
      GError *error = NULL;
      if (recovery_add (g_ptr_array_index (entries, i), folder, &error))
        continue;
      if (failure == NULL)
        failure = error;
      else
        g_error_free (error);
    }
  if (failure != NULL)
    g_task_return_error (task, failure);
  else
    g_task_return_boolean (task, TRUE);
}

void
assay_recovery_add_async (GPtrArray *entries, GAsyncReadyCallback callback, gpointer data)
{
  g_autoptr(GTask) task = g_task_new (NULL, NULL, callback, data);
  g_task_set_task_data (task, g_ptr_array_ref (entries), (GDestroyNotify) g_ptr_array_unref);
  g_task_run_in_thread (task, add_thread);
}

gboolean
assay_recovery_add_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_boolean (G_TASK (result), error);
}
