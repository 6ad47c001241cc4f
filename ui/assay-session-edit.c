/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-session-edit.c: edits of the open ledger that no view makes by itself, undo, and ledgers as a whole: copies,
 * imports, the trash. */
#include "assay-session-private.h"

#include <glib/gi18n-lib.h>

#include "assay-copy.h"
#include "assay-edit.h"
#include "assay-export.h"
#include "assay-store.h"
#include "assay-trash.h"

AssayUndo *
assay_session_get_undo (AssaySession *self)
{
  g_return_val_if_fail (ASSAY_IS_SESSION (self), NULL);
  if (self->ledger == NULL || assay_ledger_is_read_only (self->ledger))
    return NULL;
  return assay_keeper_get_undo (session_keep (self, self->ledger));
}

static void
on_step_edited (AssayRecord **back, const AssayEdit *edit)
{
  if (assay_edit_get_kind (edit) == ASSAY_EDIT_ADD_RUN)
    g_set_object (back, edit->after);
}

/* A run that comes back is the one that is looked at, as it was when it went. */
static void
session_step (AssaySession *self, gboolean (*step) (AssayUndo *, GError **), const char *refused)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AssayRecord) back = NULL;
  AssayUndo *undo = assay_session_get_undo (self);
  const gulong id = undo != NULL ? g_signal_connect_swapped (self->ledger, "edited", G_CALLBACK (on_step_edited), &back) : 0;
  if (undo != NULL && !step (undo, &error))
    session_post_error (self, "undo", refused, error);
  else
    assay_notices_dismiss (self->notices, "undo");
  if (undo != NULL)
    g_signal_handler_disconnect (self->ledger, id);
  if (back != NULL)
    assay_session_select (self, back);
}

void
assay_session_undo (AssaySession *self)
{
  g_return_if_fail (ASSAY_IS_SESSION (self));
  session_step (self, assay_undo_undo, _("This cannot be undone"));
}

void
assay_session_redo (AssaySession *self)
{
  g_return_if_fail (ASSAY_IS_SESSION (self));
  session_step (self, assay_undo_redo, _("This cannot be done again"));
}

/* Nothing can be edited: that is said, and why. */
static gboolean
session_refuse_edit (AssaySession *self)
{
  if (self->ledger == NULL)
    return TRUE;
  if (!assay_ledger_is_read_only (self->ledger))
    return FALSE;
  const char *reason = assay_ledger_get_read_only_reason (self->ledger);
  g_autofree char *message = g_strdup_printf (_("“%s” is open for reading only. %s"),
                                              assay_ledger_get_title (self->ledger), reason != NULL ? reason : "");
  assay_notices_post (self->notices, assay_notice_new ("read-only", TRUE, message));
  return TRUE;
}

void
assay_session_rename (AssaySession *self, const char *title)
{
  g_return_if_fail (ASSAY_IS_SESSION (self) && title != NULL);
  if (!session_refuse_edit (self))
    assay_ledger_set_title (self->ledger, title);
}

static guint
ledger_count_children (AssayLedger *ledger, const char *run_id)
{
  guint n = 0;
  for (guint i = 0; i < assay_ledger_get_n_runs (ledger); i++)
    if (g_strcmp0 (assay_record_get_parent (assay_ledger_get_run (ledger, i)), run_id) == 0)
      n++;
  return n;
}

void
assay_session_delete_run (AssaySession *self, const char *run_id)
{
  g_return_if_fail (ASSAY_IS_SESSION (self) && run_id != NULL);
  if (session_refuse_edit (self))
    return;
  const guint n = ledger_count_children (self->ledger, run_id);
  if (!assay_ledger_remove_run (self->ledger, run_id))
    return;
  g_autofree char *message =
    n == 0 ? g_strdup (_("Run deleted"))
           : g_strdup_printf (ngettext ("Run deleted; %u run that continues it says so", "Run deleted; %u runs that continue it say so", n), n);
  session_tell (self, message, "win.undo", _("Undo"), NULL);
}

void
assay_session_delete_review (AssaySession *self, const char *run_id, const char *review_id)
{
  g_return_if_fail (ASSAY_IS_SESSION (self) && run_id != NULL && review_id != NULL);
  g_autoptr(GError) error = NULL;
  if (session_refuse_edit (self))
    return;
  if (assay_ledger_remove_review (self->ledger, run_id, review_id, &error))
    session_tell (self, _("Review deleted"), "win.undo", _("Undo"), NULL);
  else
    session_post_error (self, "review", _("The review cannot be deleted"), error);
}

/* ---- whole ledgers ---- */

gboolean
assay_session_has_open (AssaySession *self, const char *path)
{
  g_return_val_if_fail (ASSAY_IS_SESSION (self), FALSE);
  return self->ledger != NULL && g_strcmp0 (assay_ledger_get_path (self->ledger), path) == 0;
}

char *
assay_session_dup_title_of (AssaySession *self, const char *path)
{
  g_return_val_if_fail (ASSAY_IS_SESSION (self) && path != NULL, NULL);
  if (assay_session_has_open (self, path))
    return g_strdup (assay_ledger_get_title (self->ledger));
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (self->library)); i++)
    {
      g_autoptr(AssayLibraryItem) item = g_list_model_get_item (G_LIST_MODEL (self->library), i);
      if (g_strcmp0 (assay_library_item_get_path (item), path) == 0)
        return g_strdup (assay_library_item_get_title (item));
    }
  return g_filename_display_basename (path);
}

static AssayKeeper *
session_find_keeper (AssaySession *self, const char *path)
{
  for (guint i = 0; i < self->keepers->len; i++)
    {
      AssayKeeper *keeper = g_ptr_array_index (self->keepers, i);
      if (g_strcmp0 (assay_ledger_get_path (assay_keeper_get_ledger (keeper)), path) == 0)
        return keeper;
    }
  return NULL;
}

gboolean
session_can_leave_file (AssaySession *self, const char *path)
{
  AssayKeeper *keeper = session_find_keeper (self, path);
  const char *why = NULL;
  if (keeper != NULL && keeper == self->trial_keeper)
    why = _("A run is going on in this ledger: stop it first, or wait until it has ended.");
  else if (keeper != NULL && (assay_keeper_is_busy (keeper) || assay_keeper_get_error (keeper) != NULL))
    why = _("This ledger is not saved yet: it can be deleted or copied once it is.");
  if (why != NULL)
    assay_notices_post (self->notices, assay_notice_new ("file", TRUE, why));
  return why == NULL;
}

typedef struct
{
  AssaySession *session;
  char *path;   /* what it is about */
  char *title;  /* of a copy */
  char *folder; /* of the library */
} FileJob;

static void
file_job_free (gpointer data)
{
  FileJob *job = data;
  g_object_unref (job->session);
  g_free (job->path);
  g_free (job->title);
  g_free (job->folder);
  g_free (job);
}

static void
session_run_job (AssaySession *self, const char *path, const char *title, GTaskThreadFunc thread,
                 GAsyncReadyCallback callback, const char *words)
{
  FileJob *job = g_new0 (FileJob, 1);
  job->session = g_object_ref (self);
  job->path = g_strdup (path);
  job->title = g_strdup (title);
  job->folder = g_strdup (assay_library_get_folder (self->library));
  g_autoptr(GTask) task = g_task_new (self, NULL, callback, NULL);
  g_task_set_task_data (task, job, file_job_free);
  session_begin_work (self, words);
  g_task_run_in_thread (task, thread);
}

static void
task_return_path (GTask *task, char *path, GError *error)
{
  if (path != NULL)
    g_task_return_pointer (task, path, g_free);
  else
    g_task_return_error (task, error);
}

static void
duplicate_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const FileJob *job = data;
  GError *error = NULL;
  char *path = assay_copy_duplicate (job->path, job->title, &error);
  task_return_path (task, path, error);
}

static void
duplicated_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  AssaySession *self = ASSAY_SESSION (source);
  g_autoptr(GError) error = NULL;
  g_autofree char *path = g_task_propagate_pointer (G_TASK (result), &error);
  session_end_work (self);
  if (path == NULL)
    {
      session_post_error (self, "file", _("The ledger was not duplicated"), error);
      return;
    }
  assay_library_rescan (self->library);
  assay_session_open (self, path);
}

void
assay_session_duplicate (AssaySession *self, const char *path)
{
  g_return_if_fail (ASSAY_IS_SESSION (self) && path != NULL);
  if (!session_can_leave_file (self, path))
    return;
  g_autofree char *name = assay_session_dup_title_of (self, path);
  g_autofree char *title = g_strdup_printf (_("%s (copy)"), name);
  session_run_job (self, path, title, duplicate_thread, duplicated_cb, _("Copying the ledger…"));
}

static void
trash_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const FileJob *job = data;
  GError *error = NULL;
  char *path = assay_trash_ledger (job->path, &error) ? g_strdup (job->path) : NULL;
  task_return_path (task, path, error);
}

static void
trashed_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  AssaySession *self = ASSAY_SESSION (source);
  g_autoptr(GError) error = NULL;
  const FileJob *job = g_task_get_task_data (G_TASK (result));
  g_autofree char *path = g_task_propagate_pointer (G_TASK (result), &error);
  session_end_work (self);
  assay_library_rescan (self->library);
  if (path == NULL)
    {
      g_autofree char *name = g_filename_display_basename (job->path);
      g_autofree char *message = g_strdup_printf (_("“%s” was not deleted"), name);
      session_post_error (self, "file", message, error);
      return;
    }
  g_autofree char *message = g_strdup_printf (_("“%s” is in the trash"), job->title);
  session_tell (self, message, "win.restore-ledger", _("Undo"), g_variant_new_bytestring (path));
}

void
assay_session_trash (AssaySession *self, const char *path)
{
  g_return_if_fail (ASSAY_IS_SESSION (self) && path != NULL);
  if (!session_can_leave_file (self, path))
    return;
  g_autofree char *kept = g_strdup (path); /* it may be the ledger's own */
  g_autofree char *title = assay_session_dup_title_of (self, kept);
  if (assay_session_has_open (self, kept))
    assay_session_close_ledger (self);
  session_run_job (self, kept, title, trash_thread, trashed_cb, _("Moving the ledger to the trash…"));
}

static void
restore_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const FileJob *job = data;
  GError *error = NULL;
  char *path = assay_trash_restore_ledger (job->path, &error) ? g_strdup (job->path) : NULL;
  task_return_path (task, path, error);
}

static void
restored_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  AssaySession *self = ASSAY_SESSION (source);
  g_autoptr(GError) error = NULL;
  g_autofree char *path = g_task_propagate_pointer (G_TASK (result), &error);
  session_end_work (self);
  assay_library_rescan (self->library);
  if (path == NULL)
    session_post_error (self, "file", _("The ledger did not come back from the trash"), error);
  else if (self->ledger == NULL)
    assay_session_open (self, path);
}

void
assay_session_restore (AssaySession *self, const char *path)
{
  g_return_if_fail (ASSAY_IS_SESSION (self) && path != NULL);
  session_run_job (self, path, NULL, restore_thread, restored_cb, _("Bringing the ledger back…"));
}

/* ---- imports ---- */

static void
import_ledger_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const FileJob *job = data;
  GError *error = NULL;
  char *path = assay_copy_import (job->path, job->folder, &error);
  task_return_path (task, path, error);
}

static void
imported_ledger_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  AssaySession *self = ASSAY_SESSION (source);
  g_autoptr(GError) error = NULL;
  g_autofree char *path = g_task_propagate_pointer (G_TASK (result), &error);
  session_end_work (self);
  if (path == NULL)
    {
      session_post_error (self, "import", _("Nothing was imported"), error);
      return;
    }
  g_autofree char *name = g_filename_display_basename (path);
  g_autofree char *message = g_strdup_printf (_("Copied into the library as %s"), name);
  assay_notices_dismiss (self->notices, "import");
  assay_library_rescan (self->library);
  assay_session_open (self, path);
  session_tell (self, message, NULL, NULL, NULL);
}

static void
import_records_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const FileJob *job = data;
  GError *error = NULL;
  g_autofree char *text = NULL;
  g_autofree char *name = g_filename_display_basename (job->path);
  gsize length;
  GPtrArray *records = NULL;
  if (g_file_get_contents (job->path, &text, &length, &error))
    records = assay_import_key_value (text, (gssize) length, name, &error);
  if (records != NULL)
    g_task_return_pointer (task, records, (GDestroyNotify) g_ptr_array_unref);
  else
    g_task_return_error (task, error);
}

static guint
session_add_records (AssaySession *self, GPtrArray *records)
{
  AssayUndo *undo = assay_session_get_undo (self);
  guint n = 0;
  assay_undo_begin (undo);
  for (guint i = 0; i < records->len; i++)
    {
      AssayRecord *record = g_ptr_array_index (records, i);
      if (assay_ledger_find_run (self->ledger, assay_record_get_id (record)) != NULL)
        continue;
      assay_record_seal (record);
      assay_ledger_add_run (self->ledger, record);
      n++;
    }
  assay_undo_end (undo);
  return n;
}

static void
imported_records_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  AssaySession *self = ASSAY_SESSION (source);
  g_autoptr(GError) error = NULL;
  const FileJob *job = g_task_get_task_data (G_TASK (result));
  g_autoptr(GPtrArray) records = g_task_propagate_pointer (G_TASK (result), &error);
  session_end_work (self);
  if (records == NULL)
    {
      session_post_error (self, "import", _("Nothing was imported"), error);
      return;
    }
  if (self->ledger == NULL)
    {
      g_autofree char *title = g_filename_display_basename (job->path);
      session_create_ledger (self, title);
    }
  if (session_refuse_edit (self))
    return;
  const guint n = session_add_records (self, records);
  g_autofree char *message = g_strdup_printf (ngettext ("%u run was imported", "%u runs were imported", n), n);
  assay_notices_dismiss (self->notices, "import");
  session_tell (self, message, n > 0 ? "win.undo" : NULL, _("Undo"), NULL);
}

void
assay_session_import (AssaySession *self, const char *path)
{
  g_return_if_fail (ASSAY_IS_SESSION (self) && path != NULL);
  if (g_str_has_suffix (path, ".xml"))
    session_run_job (self, path, NULL, import_ledger_thread, imported_ledger_cb, _("Copying the ledger…"));
  else
    session_run_job (self, path, NULL, import_records_thread, imported_records_cb, _("Importing…"));
}
