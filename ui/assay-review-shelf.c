/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-review-shelf.c: see the header. Key files: ids of foreign ledgers may hold any byte, so they are escaped; a
 * score is a list of criterion, question ("": the whole run), value and words. */
#include "assay-review-shelf.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>

#include "assay-disk-queue.h"
#include "assay-durable.h"

#define GROUP "review"
#define SCORES "scores"
#define SUFFIX ".review"
#define MOST_BYTES (4 << 20)
#define MOST_FILES 1000 /* a folder may hold anything */
#define BLIND '\001'     /* no id of a ledger begins with it: XML has no such character */

typedef struct
{
  char *folder, *path; /* owned */
  char *text;          /* owned; NULL: the file goes */
} ShelfJob;

static void
job_free (gpointer data)
{
  ShelfJob *job = data;
  g_free (job->folder);
  g_free (job->path);
  g_free (job->text);
  g_free (job);
}

char *
assay_review_shelf_dup_key (const char *run_id, gboolean blind)
{
  return blind ? g_strdup_printf ("%c%s", BLIND, run_id) : g_strdup (run_id);
}

const char *
assay_review_shelf_get_run (const char *key)
{
  return *key == BLIND ? key + 1 : key;
}

/* Ids as names: they may hold anything. */
static char *
shelf_dup_folder (const char *ledger_id)
{
  g_autofree char *name = g_compute_checksum_for_string (G_CHECKSUM_SHA256, ledger_id, -1);
  return g_build_filename (g_get_user_state_dir (), "assay", "reviews", name, NULL);
}

static ShelfJob *
job_new (const char *ledger_id, const char *key)
{
  ShelfJob *job = g_new0 (ShelfJob, 1);
  g_autofree char *name = g_compute_checksum_for_string (G_CHECKSUM_SHA256, key, -1);
  g_autofree char *file = g_strconcat (name, SUFFIX, NULL);
  job->folder = shelf_dup_folder (ledger_id);
  job->path = g_build_filename (job->folder, file, NULL);
  return job;
}

/* Text */

static void
key_set (GKeyFile *file, const char *key, const char *text)
{
  if (text == NULL)
    return;
  g_autofree char *escaped = g_uri_escape_string (text, NULL, TRUE);
  g_key_file_set_string (file, GROUP, key, escaped);
}

static char *
key_dup (GKeyFile *file, const char *key)
{
  g_autofree char *escaped = g_key_file_get_string (file, GROUP, key, NULL);
  return escaped != NULL ? g_uri_unescape_string (escaped, NULL) : NULL;
}

static void
key_set_score (GKeyFile *file, guint index, const AssayScore *score)
{
  g_autofree char *key = g_strdup_printf ("%u", index);
  g_autofree char *criterion = g_uri_escape_string (score->criterion, NULL, TRUE);
  g_autofree char *question = g_uri_escape_string (score->question != NULL ? score->question : "", NULL, TRUE);
  g_autofree char *value = g_strdup_printf ("%d", score->value);
  g_autofree char *words = score->words != NULL ? g_uri_escape_string (score->words, NULL, TRUE) : NULL;
  const char *parts[] = { criterion, question, value, words };
  g_key_file_set_string_list (file, SCORES, key, parts, words != NULL ? 4 : 3);
}

char *
assay_review_shelf_dup_text (const char *run_id, const AssayReviewDraft *draft)
{
  g_autoptr(GKeyFile) file = g_key_file_new ();
  const AssayReview *review = draft->review;
  key_set (file, "run", run_id);
  key_set (file, "base", draft->base);
  key_set (file, "base-reviewer", draft->base_reviewer);
  key_set (file, "verdict", assay_verdict_get_name (review->verdict));
  key_set (file, "note", review->quality_note);
  if (draft->blind)
    g_key_file_set_uint64 (file, GROUP, "blind-order", draft->order_seed);
  for (guint i = 0; i < review->scores->len; i++)
    key_set_score (file, i, g_ptr_array_index (review->scores, i));
  return g_key_file_to_data (file, NULL, NULL);
}

static void
draft_take_score (AssayReviewDraft *draft, GKeyFile *file, const char *key)
{
  gsize n = 0;
  gint64 value;
  g_auto(GStrv) parts = g_key_file_get_string_list (file, SCORES, key, &n, NULL);
  if (n < 3 || !g_ascii_string_to_signed (parts[2], 10, 0, 5, &value, NULL))
    return;
  g_autofree char *criterion = g_uri_unescape_string (parts[0], NULL);
  g_autofree char *question = g_uri_unescape_string (parts[1], NULL);
  g_autofree char *words = n > 3 ? g_uri_unescape_string (parts[3], NULL) : NULL;
  const char *about = question != NULL && *question != '\0' ? question : NULL;
  if (criterion != NULL && words != NULL)
    assay_review_set_words (draft->review, criterion, about, words);
  else if (criterion != NULL)
    assay_review_set_score (draft->review, criterion, about, (int) value);
}

static AssayVerdict
verdict_from_name (const char *name)
{
  for (AssayVerdict verdict = ASSAY_VERDICT_PASS; verdict <= ASSAY_VERDICT_FAIL; verdict++)
    if (g_strcmp0 (name, assay_verdict_get_name (verdict)) == 0)
      return verdict;
  return ASSAY_VERDICT_NOT_JUDGED;
}

AssayReviewDraft *
assay_review_shelf_parse (const char *text, gsize length, char **run_id)
{
  g_autoptr(GKeyFile) file = g_key_file_new ();
  if (!g_key_file_load_from_data (file, text, length, G_KEY_FILE_NONE, NULL))
    return NULL;
  g_autofree char *run = key_dup (file, "run");
  if (run == NULL || *run == '\0')
    return NULL;
  AssayReviewDraft *draft = assay_review_draft_new (NULL);
  g_autofree char *verdict = key_dup (file, "verdict");
  draft->base = key_dup (file, "base");
  draft->base_reviewer = key_dup (file, "base-reviewer");
  draft->review->verdict = verdict_from_name (verdict);
  draft->review->quality_note = key_dup (file, "note");
  draft->dirty = TRUE;
  draft->blind = g_key_file_has_key (file, GROUP, "blind-order", NULL);
  draft->order_seed = g_key_file_get_uint64 (file, GROUP, "blind-order", NULL);
  g_auto(GStrv) keys = g_key_file_get_keys (file, SCORES, NULL, NULL);
  for (guint i = 0; keys != NULL && keys[i] != NULL; i++)
    draft_take_score (draft, file, keys[i]);
  *run_id = g_steal_pointer (&run);
  return draft;
}

/* Files, on the disk queue's thread */

static gboolean
job_write (const ShelfJob *job, GError **error)
{
  g_autoptr(GBytes) bytes = g_bytes_new_static (job->text, strlen (job->text));
  if (g_mkdir_with_parents (job->folder, 0700) != 0)
    {
      const int saved = errno;
      g_set_error_literal (error, G_FILE_ERROR, g_file_error_from_errno (saved), g_strerror (saved));
      return FALSE;
    }
  return assay_durable_replace (job->path, bytes, NULL, error);
}

static void
shelf_job_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const ShelfJob *job = data;
  GError *error = NULL;
  if (job->text == NULL)
    {
      g_unlink (job->path);
      g_task_return_boolean (task, TRUE);
    }
  else if (job_write (job, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

static void
shelf_push (ShelfJob *job, GAsyncReadyCallback callback, gpointer data)
{
  GTask *task = g_task_new (NULL, NULL, callback, data);
  g_task_set_task_data (task, job, job_free);
  assay_disk_queue_push (task, shelf_job_thread);
}

void
assay_review_shelf_write_async (const char *ledger_id, const char *key, const char *text,
                                GAsyncReadyCallback callback, gpointer data)
{
  ShelfJob *job = job_new (ledger_id, key);
  job->text = g_strdup (text);
  shelf_push (job, callback, data);
}

gboolean
assay_review_shelf_write_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_boolean (G_TASK (result), error);
}

void
assay_review_shelf_remove (const char *ledger_id, const char *key)
{
  shelf_push (job_new (ledger_id, key), NULL, NULL);
}

static void
shelf_read_file (GHashTable *drafts, const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autoptr(GBytes) bytes = assay_durable_read (path, MOST_BYTES, TRUE, NULL, NULL);
  g_autofree char *run_id = NULL;
  gsize length = 0;
  const char *text = bytes != NULL ? g_bytes_get_data (bytes, &length) : NULL;
  AssayReviewDraft *draft = text != NULL ? assay_review_shelf_parse (text, length, &run_id) : NULL;
  if (draft != NULL)
    g_hash_table_insert (drafts, assay_review_shelf_dup_key (run_id, draft->blind), draft);
}

static void
shelf_read_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const char *folder = data;
  GHashTable *drafts
    = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) assay_review_draft_free);
  g_autoptr(GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  for (guint n = 0; dir != NULL && n < MOST_FILES && (name = g_dir_read_name (dir)) != NULL; n++)
    if (g_str_has_suffix (name, SUFFIX) && *name != '.')
      shelf_read_file (drafts, folder, name);
  g_task_return_pointer (task, drafts, (GDestroyNotify) g_hash_table_unref);
}

void
assay_review_shelf_read_async (const char *ledger_id, GAsyncReadyCallback callback, gpointer data)
{
  GTask *task = g_task_new (NULL, NULL, callback, data);
  g_task_set_task_data (task, shelf_dup_folder (ledger_id), g_free);
  assay_disk_queue_push (task, shelf_read_thread); /* after what was asked to be written */
}

GHashTable *
assay_review_shelf_read_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
