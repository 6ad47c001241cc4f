/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-library-scan.c: a walk over a folder that somebody else fills.
 *
 * Breadth first with a queue, so that no depth of folders meets the stack. Folders behind symbolic links are
 * not entered: no loop can arise, and no link leads out of the folder that was chosen (the root itself may be
 * one). Entries, ledgers and depth are bounded; what a bound cuts off is said in the notice. */
#include "assay-library-private.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include <glib/gi18n-lib.h>

#include "assay-store.h"

typedef struct
{
  char *path;
  guint depth;
} Folder;

static void
folder_free (gpointer data)
{
  Folder *folder = data;
  g_free (folder->path);
  g_free (folder);
}

static Folder *
folder_new (char *path_taken, guint depth)
{
  Folder *folder = g_new (Folder, 1);
  *folder = (Folder){ .path = path_taken, .depth = depth };
  return folder;
}

void
library_scan_set_notice (LibraryScan *self, char *notice_taken)
{
  if (self->notice == NULL) /* the first one is the cause of what follows */
    self->notice = notice_taken;
  else
    g_free (notice_taken);
}

/* "Work / week 3": the root's label, then the folders within it. (transfer full) */
static char *
scan_dup_group (LibraryScan *self, const Folder *folder)
{
  const char *within = folder->path + strlen (self->root);
  while (G_IS_DIR_SEPARATOR (*within))
    within++;
  g_autofree char *shown = g_filename_display_name (within);
  g_auto(GStrv) parts = g_strsplit (shown, G_DIR_SEPARATOR_S, -1);
  g_autofree char *joined = g_strjoinv (" / ", parts);
  if (self->label == NULL || *self->label == '\0')
    return g_steal_pointer (&joined);
  return *joined == '\0' ? g_strdup (self->label) : g_strjoin (" / ", self->label, joined, NULL);
}

static void
scan_add_ledger (LibraryScan *self, const Folder *folder, const char *path)
{
  g_autofree char *group = scan_dup_group (self, folder);
  AssayLibraryItem *known = self->known != NULL ? g_hash_table_lookup (self->known, path) : NULL;
  self->n_ledgers++;
  if (known != NULL && library_item_is_current (known))
    self->found (g_object_ref (known), self->data);
  else
    self->found (library_item_read (path, group), self->data);
}

static gboolean
scan_is_folder (const char *path, const struct dirent *entry)
{
  struct stat info;
  if (entry->d_type != DT_UNKNOWN)
    return entry->d_type == DT_DIR;
  return lstat (path, &info) == 0 && S_ISDIR (info.st_mode);
}

static void
scan_entry (LibraryScan *self, const Folder *folder, const struct dirent *entry, GQueue *queue)
{
  if (entry->d_name[0] == '.' || g_str_has_suffix (entry->d_name, ".assets"))
    return;
  g_autofree char *path = g_build_filename (folder->path, entry->d_name, NULL);
  if (scan_is_folder (path, entry))
    {
      if (folder->depth + 1 < LIBRARY_MAX_DEPTH)
        g_queue_push_tail (queue, folder_new (g_steal_pointer (&path), folder->depth + 1));
      else
        library_scan_set_notice (self, g_strdup_printf (_("%s lies too deep and was not searched"), path));
      return;
    }
  if (g_str_has_suffix (entry->d_name, ASSAY_LEDGER_SUFFIX))
    scan_add_ledger (self, folder, path);
}

static gboolean
scan_is_full (LibraryScan *self, const char *path)
{
  if (self->n_ledgers < LIBRARY_MAX_LEDGERS && self->n_entries < LIBRARY_MAX_ENTRIES)
    return FALSE;
  library_scan_set_notice (
      self, g_strdup_printf (_("the list stops at %u ledgers and %u files, in %s: choose a smaller folder"),
                             self->n_ledgers, self->n_entries, path));
  return TRUE;
}

static gboolean
scan_folder (LibraryScan *self, const Folder *folder, GQueue *queue, GError **error)
{
  DIR *directory = opendir (folder->path);
  if (directory == NULL)
    {
      const int saved_errno = errno;
      g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (saved_errno),
                   _("the folder %s cannot be read: %s"), folder->path, g_strerror (saved_errno));
      return FALSE;
    }
  g_ptr_array_add (self->folders, g_strdup (folder->path));
  for (struct dirent *entry; (entry = readdir (directory)) != NULL;)
    {
      if (g_cancellable_is_cancelled (self->cancellable) || scan_is_full (self, folder->path))
        break;
      self->n_entries++;
      scan_entry (self, folder, entry, queue);
    }
  closedir (directory);
  return TRUE;
}

gboolean
library_scan_run (LibraryScan *self, const char *root, GError **error)
{
  GQueue queue = G_QUEUE_INIT;
  gboolean fine = TRUE;
  self->root = root;
  if (self->folders == NULL)
    self->folders = g_ptr_array_new_with_free_func (g_free);
  g_queue_push_tail (&queue, folder_new (g_strdup (root), 0));
  for (Folder *folder; fine && (folder = g_queue_pop_head (&queue)) != NULL; folder_free (folder))
    {
      g_autoptr(GError) failure = NULL;
      if (g_cancellable_set_error_if_cancelled (self->cancellable, error))
        fine = FALSE;
      else if (!scan_folder (self, folder, &queue, &failure))
        {
          if (folder->depth > 0)
            library_scan_set_notice (self, g_strdup (failure->message));
          else
            {
              g_propagate_error (error, g_steal_pointer (&failure));
              fine = FALSE;
            }
        }
    }
  if (fine && g_cancellable_set_error_if_cancelled (self->cancellable, error))
    fine = FALSE;
  g_queue_clear_full (&queue, folder_free);
  return fine;
}

void
library_scan_clear (LibraryScan *self)
{
  g_clear_pointer (&self->folders, g_ptr_array_unref);
  g_clear_pointer (&self->notice, g_free);
}

static void
scan_collect (AssayLibraryItem *item_taken, gpointer data)
{
  g_ptr_array_add (data, item_taken);
}

GPtrArray *
assay_library_scan (const char *folder, GCancellable *cancellable, GError **error)
{
  g_return_val_if_fail (folder != NULL, NULL);
  g_autoptr(GPtrArray) items = g_ptr_array_new_with_free_func (g_object_unref);
  LibraryScan scan = { .cancellable = cancellable, .found = scan_collect, .data = items };
  const gboolean fine = library_scan_run (&scan, folder, error);
  library_scan_clear (&scan);
  if (!fine)
    return NULL;
  g_ptr_array_sort (items, library_item_compare);
  return g_steal_pointer (&items);
}
