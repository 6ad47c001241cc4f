/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-draft-file.c: a key file; values are escaped, since prompts have lines and paths may hold any bytes. */
#include "assay-draft-file.h"

#include <glib/gstdio.h>

#include "assay-disk-queue.h"
#include "assay-durable.h"

enum { TEXT_BYTES_MAX = 8 << 20 };

#define GROUP_DRAFT "draft"
#define GROUP_VALUES "values"

void
assay_draft_file_free (AssayDraftFile *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->values, assay_values_unref);
  g_free (self->parent);
  g_free (self->questions);
  g_free (self);
}

static void
text_put (GKeyFile *keys, const char *group, const char *key, const char *value)
{
  g_autofree char *escaped = g_strescape (value, NULL);
  g_key_file_set_string (keys, group, key, escaped);
}

char *
assay_draft_file_dup_text (const AssayDraftFile *self)
{
  g_autoptr(GKeyFile) keys = g_key_file_new ();
  if (self->parent != NULL)
    text_put (keys, GROUP_DRAFT, "parent", self->parent);
  if (self->open < ASSAY_N_FIELDS)
    text_put (keys, GROUP_DRAFT, "open", assay_field_get_info (self->open)->name);
  if (self->questions != NULL)
    text_put (keys, GROUP_DRAFT, "questions", self->questions);
  for (guint f = 0; f < ASSAY_N_FIELDS; f++)
    {
      g_autofree char *text = assay_values_dup_text (self->values, f);
      if (text != NULL)
        text_put (keys, GROUP_VALUES, assay_field_get_info (f)->name, text);
    }
  return g_key_file_to_data (keys, NULL, NULL);
}

/* (transfer full) */
static char *
text_get (GKeyFile *keys, const char *group, const char *key)
{
  g_autofree char *escaped = g_key_file_get_string (keys, group, key, NULL);
  return escaped != NULL ? g_strcompress (escaped) : NULL;
}

static void
text_read_values (GKeyFile *keys, AssayValues *values)
{
  for (guint f = 0; f < ASSAY_N_FIELDS; f++)
    {
      g_autofree char *text = text_get (keys, GROUP_VALUES, assay_field_get_info (f)->name);
      if (text != NULL && assay_field_get_info (f)->group == ASSAY_GROUP_CONDITIONS)
        assay_values_parse (values, f, text, NULL);
    }
}

AssayDraftFile *
assay_draft_file_parse (const char *text, gsize length, GError **error)
{
  g_autoptr(GKeyFile) keys = g_key_file_new ();
  if (!g_key_file_load_from_data (keys, text, length, G_KEY_FILE_NONE, error))
    return NULL;
  g_autofree char *open = text_get (keys, GROUP_DRAFT, "open");
  AssayDraftFile *self = g_new0 (AssayDraftFile, 1);
  self->values = assay_values_new ();
  text_read_values (keys, self->values);
  self->parent = text_get (keys, GROUP_DRAFT, "parent");
  self->questions = text_get (keys, GROUP_DRAFT, "questions");
  self->open = open != NULL ? assay_field_from_name (open) : ASSAY_FIELD_INVALID;
  if (self->open == ASSAY_FIELD_INVALID)
    g_clear_pointer (&self->parent, g_free);
  return self;
}

static char *
file_dup_path (const char *ledger_path)
{
  g_autofree char *hash =
    ledger_path != NULL ? g_compute_checksum_for_string (G_CHECKSUM_SHA256, ledger_path, -1) : g_strdup ("new");
  g_autofree char *name = g_strconcat (hash, ".draft", NULL);
  return g_build_filename (g_get_user_state_dir (), "assay", "drafts", name, NULL);
}

typedef struct
{
  char *path, *text; /* owned; text NULL: it is removed */
} FileJob;

static void
job_free (gpointer data)
{
  FileJob *job = data;
  g_free (job->path);
  g_free (job->text);
  g_free (job);
}

static void
write_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  FileJob *job = data;
  GError *error = NULL;
  g_autofree char *folder = g_path_get_dirname (job->path);
  g_autoptr(GBytes) bytes = job->text != NULL ? g_bytes_new (job->text, strlen (job->text)) : NULL;
  if (bytes == NULL)
    g_unlink (job->path); /* left behind it would be offered again, and can be discarded */
  else
    g_mkdir_with_parents (folder, 0700); /* what goes wrong here the write tells */
  if (bytes == NULL || assay_durable_replace (job->path, bytes, NULL, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

static GTask *
task_new (const char *ledger_path, const char *text, GAsyncReadyCallback callback, gpointer data)
{
  GTask *task = g_task_new (NULL, NULL, callback, data);
  FileJob *job = g_new0 (FileJob, 1);
  job->path = file_dup_path (ledger_path);
  job->text = g_strdup (text);
  g_task_set_task_data (task, job, job_free);
  return task;
}

void
assay_draft_file_write_async (const char *ledger_path, const char *text, GAsyncReadyCallback callback, gpointer data)
{
  g_return_if_fail (text != NULL);
  assay_disk_queue_push (task_new (ledger_path, text, callback, data), write_thread);
}

gboolean
assay_draft_file_write_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_boolean (G_TASK (result), error);
}

void
assay_draft_file_remove (const char *ledger_path)
{
  assay_disk_queue_push (task_new (ledger_path, NULL, NULL, NULL), write_thread);
}

static void
read_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const FileJob *job = data;
  g_autoptr(GError) error = NULL;
  AssayFileMark mark = { 0 };
  g_autoptr(GBytes) bytes = assay_durable_read (job->path, TEXT_BYTES_MAX, TRUE, &mark, &error);
  gsize length;
  const char *text = bytes != NULL ? g_bytes_get_data (bytes, &length) : NULL;
  AssayDraftFile *file = text != NULL ? assay_draft_file_parse (text, length, &error) : NULL;
  if (file != NULL)
    file->saved_at = mark.mtime_ns / G_GINT64_CONSTANT (1000000000);
  if (error == NULL || g_error_matches (error, G_FILE_ERROR, G_FILE_ERROR_NOENT))
    g_task_return_pointer (task, file, (GDestroyNotify) assay_draft_file_free);
  else
    g_task_return_error (task, g_steal_pointer (&error));
}

/* Behind the writes that were asked for before it. */
void
assay_draft_file_read_async (const char *ledger_path, GAsyncReadyCallback callback, gpointer data)
{
  assay_disk_queue_push (task_new (ledger_path, NULL, callback, data), read_thread);
}

AssayDraftFile *
assay_draft_file_read_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
