/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-journal.c: runs that are not in their ledger yet.
 *
 * An entry is a ledger of one run, RUN_ID.journal.xml, which any tool of ours opens; a processing instruction
 * before its root says which ledger it belongs to and which process wrote it. Written as durably as a ledger.
 */
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <errno.h>
#include <string.h>

#include "assay-process.h"
#include "assay-store-private.h"
#include "assay-xml-guard.h"
#include "assay-xml-write.h"

#define JOURNAL_SUFFIX ".journal.xml"
#define JOURNAL_MARK "<?assay-journal "

char *
assay_journal_dup_default_folder (void)
{
  return g_build_filename (g_get_user_state_dir (), "assay", "journal", NULL);
}

/* The run id as a file name: ids of foreign ledgers may hold anything. */
static char *
journal_dup_path (const char *folder, const char *run_id)
{
  g_autofree char *safe = g_uri_escape_string (run_id, NULL, FALSE);
  g_autofree char *hash = strlen (safe) < 180 && *safe != '.'
                              ? NULL
                              : g_compute_checksum_for_string (G_CHECKSUM_SHA256, run_id, -1);
  g_autofree char *name = g_strconcat (hash == NULL ? safe : hash, JOURNAL_SUFFIX, NULL);
  return g_build_filename (folder, name, NULL);
}

static gboolean
journal_make_folder (const char *folder, GError **error)
{
  if (g_mkdir_with_parents (folder, 0700) == 0)
    return TRUE;
  const int saved = errno;
  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (saved),
               _("The folder %s could not be made: %s"), folder, g_strerror (saved));
  return FALSE;
}

gboolean
assay_journal_write (const char *folder, const char *ledger_path, AssayRecord *record, GError **error)
{
  g_autofree char *path = journal_dup_path (folder, record->id);
  g_autofree char *owner = assay_process_dup_self ();
  g_autofree char *escaped_owner = g_uri_escape_string (owner, NULL, FALSE);
  g_autofree char *escaped_path = ledger_path == NULL ? g_strdup ("")
                                                      : g_uri_escape_bytes ((const guint8 *) ledger_path,
                                                                            strlen (ledger_path), "/");
  g_autoptr(AssayLedger) ledger = assay_ledger_new (ASSAY_TASK_LANGUAGE, "");

  if (!journal_make_folder (folder, error))
    return FALSE;
  assay_ledger_load_run (ledger, g_object_ref (record));
  if (!assay_store_write_assets (ledger, path, error))
    return FALSE;
  g_autoptr(GBytes) xml = assay_xml_write_ledger (ledger);
  const char *data = g_bytes_get_data (xml, NULL);
  const char *root = strstr (data, "<ledger");
  GString *out = g_string_new_len (data, root - data);
  g_string_append_printf (out, JOURNAL_MARK "owner=\"%s\" path=\"%s\"?>\n", escaped_owner, escaped_path);
  g_string_append (out, root);
  g_autoptr(GBytes) bytes = g_string_free_to_bytes (out);
  return assay_durable_replace (path, bytes, NULL, error);
}

static void
journal_remove_assets (const char *path)
{
  g_autofree char *assets = assay_store_dup_assets_path (path);
  g_autoptr(GDir) dir = g_dir_open (assets, 0, NULL);

  for (const char *name; dir != NULL && (name = g_dir_read_name (dir)) != NULL;)
    {
      g_autofree char *file = g_build_filename (assets, name, NULL);
      g_unlink (file);
    }
  if (dir != NULL)
    g_rmdir (assets);
}

gboolean
assay_journal_remove (const char *folder, const char *run_id, GError **error)
{
  g_autofree char *path = journal_dup_path (folder, run_id);

  assay_durable_sweep (path);
  journal_remove_assets (path);
  if (g_unlink (path) == 0 || errno == ENOENT)
    return TRUE;
  const int saved = errno;
  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (saved), _("%s could not be removed: %s"), path,
               g_strerror (saved));
  return FALSE;
}

void
assay_journal_entry_free (AssayJournalEntry *self)
{
  if (self == NULL)
    return;
  g_free (self->ledger_path);
  g_clear_object (&self->record);
  g_free (self);
}

/* A value of the instruction, its escapes undone; NULL when absent. (transfer full) */
static char *
journal_dup_part (GBytes *bytes, const char *part)
{
  gsize length;
  const char *data = g_bytes_get_data (bytes, &length);
  const char *mark = memmem (data, length, JOURNAL_MARK, strlen (JOURNAL_MARK));
  const char *stop = mark == NULL ? NULL : memmem (mark, length - (gsize) (mark - data), "?>", 2);
  g_autofree char *key = g_strconcat (part, "=\"", NULL);

  if (stop == NULL)
    return NULL;
  const char *at = memmem (mark, (gsize) (stop - mark), key, strlen (key));
  const char *quote = at == NULL ? NULL : memchr (at + strlen (key), '"', (gsize) (stop - at) - strlen (key));
  if (quote == NULL)
    return NULL;
  at += strlen (key);
  g_autoptr(GBytes) value = g_uri_unescape_bytes (at, quote - at, NULL, NULL);
  return value == NULL ? NULL : g_strndup (g_bytes_get_data (value, NULL), g_bytes_get_size (value));
}

/* A run that its program did not live to end. */
static AssayRecord *
journal_interrupt (AssayRecord *record)
{
  if (record->damage != NULL || assay_record_get_status (record) != ASSAY_STATUS_UNKNOWN)
    return g_object_ref (record);
  AssayRecord *interrupted = assay_record_copy (record);
  assay_record_set_status (interrupted, ASSAY_STATUS_INTERRUPTED);
  assay_values_set_text (
      interrupted->outcome, ASSAY_FIELD_ERROR,
      _("The program ended before the run did; what it had measured is lost. Run it again."));
  assay_record_seal (interrupted);
  return interrupted;
}

/* A file that does not read is shown as a damaged run, not passed over. */
static AssayRecord *
journal_make_damaged (const char *name, const char *reason)
{
  AssayRecord *record = g_object_new (ASSAY_TYPE_RECORD, NULL);
  record->id = g_strndup (name, strlen (name) - strlen (JOURNAL_SUFFIX));
  assay_record_set_damage (record, reason);
  assay_record_seal (record);
  return record;
}

static AssayJournalEntry *
journal_read (const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autofree char *assets = assay_store_dup_assets_path (path);
  g_autoptr(GError) error = NULL;
  g_autoptr(GBytes) bytes = assay_durable_read (path, ASSAY_XML_MAX_BYTES, TRUE, NULL, &error);
  g_autoptr(AssayLedger) ledger = bytes == NULL ? NULL : assay_store_read (bytes, path, assets, &error);
  g_autofree char *owner = bytes == NULL ? NULL : journal_dup_part (bytes, "owner");

  if (owner != NULL && assay_process_judge (owner) == ASSAY_PROCESS_ALIVE)
    return NULL;
  AssayJournalEntry *entry = g_new0 (AssayJournalEntry, 1);
  entry->ledger_path = bytes == NULL ? NULL : journal_dup_part (bytes, "path");
  if (entry->ledger_path != NULL && *entry->ledger_path == '\0')
    g_clear_pointer (&entry->ledger_path, g_free);
  if (ledger != NULL && assay_ledger_get_n_runs (ledger) > 0)
    entry->record = journal_interrupt (assay_ledger_get_run (ledger, 0));
  else
    entry->record
        = journal_make_damaged (name, error == NULL ? _("the journal entry holds no run") : error->message);
  return entry;
}

GPtrArray *
assay_journal_list (const char *folder, GError **error)
{
  GPtrArray *entries = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_journal_entry_free);
  g_autoptr(GError) problem = NULL;
  g_autoptr(GDir) dir = g_dir_open (folder, 0, &problem);

  if (dir == NULL && g_error_matches (problem, G_FILE_ERROR, G_FILE_ERROR_NOENT))
    return entries;
  if (dir == NULL)
    {
      g_propagate_error (error, g_steal_pointer (&problem));
      g_ptr_array_unref (entries);
      return NULL;
    }
  for (const char *name; (name = g_dir_read_name (dir)) != NULL;)
    {
      AssayJournalEntry *entry
          = g_str_has_suffix (name, JOURNAL_SUFFIX) && *name != '.' ? journal_read (folder, name) : NULL;
      if (entry != NULL)
        g_ptr_array_add (entries, entry);
    }
  return entries;
}
