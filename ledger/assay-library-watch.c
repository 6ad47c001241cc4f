/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-library-watch.c: when a folder of ledgers may have changed.
 *
 * Says only that something happened, a moment after it did; what, the next scan finds out. The moment gathers
 * the many events of one save. It is not put off by later ones: a folder that is always busy is still looked
 * at. */
#include "assay-library-private.h"

#include <string.h>

#include "assay-store.h"

#define GATHER_MS 200
#define MAX_WATCHED 64

struct _LibraryWatch
{
  GMainContext *home;      /* owned */
  GHashTable *monitors;    /* folder → GFileMonitor */
  GSource *gather;         /* or NULL */
  LibraryChanged changed;
  gpointer data;
};

static void
monitor_free (gpointer monitor)
{
  g_signal_handlers_disconnect_by_data (monitor, g_object_get_data (monitor, "watch"));
  g_file_monitor_cancel (monitor);
  g_object_unref (monitor);
}

LibraryWatch *
library_watch_new (GMainContext *home, LibraryChanged changed, gpointer data)
{
  LibraryWatch *self = g_new0 (LibraryWatch, 1);
  self->home = g_main_context_ref (home);
  self->monitors = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, monitor_free);
  self->changed = changed;
  self->data = data;
  return self;
}

void
library_watch_clear (LibraryWatch *self)
{
  g_hash_table_remove_all (self->monitors);
  if (self->gather != NULL)
    g_source_destroy (self->gather);
  g_clear_pointer (&self->gather, g_source_unref);
}

void
library_watch_free (LibraryWatch *self)
{
  library_watch_clear (self);
  g_hash_table_unref (self->monitors);
  g_main_context_unref (self->home);
  g_free (self);
}

static gboolean
watch_gathered (gpointer data)
{
  LibraryWatch *self = data;
  g_clear_pointer (&self->gather, g_source_unref);
  self->changed (self->data);
  return G_SOURCE_REMOVE;
}

static gboolean
event_concerns_ledger (GFile *file, GFileMonitorEvent event)
{
  g_autofree char *name = file != NULL ? g_file_get_basename (file) : NULL;
  if (name == NULL)
    return FALSE;
  if (g_str_has_suffix (name, ASSAY_LEDGER_SUFFIX))
    return TRUE;
  /* A folder that comes or goes brings its ledgers along; temporary and side files have a point in their
   * names. */
  return event != G_FILE_MONITOR_EVENT_CHANGED && event != G_FILE_MONITOR_EVENT_ATTRIBUTE_CHANGED
         && strchr (name, '.') == NULL;
}

static void
on_monitor_changed (GFileMonitor *monitor, GFile *file, GFile *other, GFileMonitorEvent event, gpointer data)
{
  LibraryWatch *self = data;
  if (self->gather != NULL || (!event_concerns_ledger (file, event) && !event_concerns_ledger (other, event)))
    return;
  self->gather = g_timeout_source_new (GATHER_MS);
  g_source_set_callback (self->gather, watch_gathered, self, NULL);
  g_source_attach (self->gather, self->home);
}

gboolean
library_watch_add (LibraryWatch *self, const char *folder)
{
  g_autoptr(GFile) file = g_file_new_for_path (folder);
  if (g_hash_table_contains (self->monitors, folder) || g_hash_table_size (self->monitors) >= MAX_WATCHED)
    return FALSE;
  g_main_context_push_thread_default (self->home);
  GFileMonitor *monitor = g_file_monitor_directory (file, G_FILE_MONITOR_WATCH_MOVES, NULL, NULL);
  g_main_context_pop_thread_default (self->home);
  if (monitor == NULL) /* no watches left on this machine: asking for a scan still works */
    return FALSE;
  g_object_set_data (G_OBJECT (monitor), "watch", self);
  g_signal_connect (monitor, "changed", G_CALLBACK (on_monitor_changed), self);
  g_hash_table_insert (self->monitors, g_strdup (folder), monitor);
  return TRUE;
}

gboolean
library_watch_keep (LibraryWatch *self, const char *const *roots, GPtrArray *folders)
{
  g_autoptr(GHashTable) present = g_hash_table_new (g_str_hash, g_str_equal);
  GHashTableIter iter;
  gpointer path;
  gboolean added = FALSE;
  for (guint i = 0; roots[i] != NULL; i++)
    g_hash_table_add (present, (gpointer) roots[i]);
  for (guint i = 0; i < folders->len; i++)
    g_hash_table_add (present, folders->pdata[i]);
  g_hash_table_iter_init (&iter, self->monitors);
  while (g_hash_table_iter_next (&iter, &path, NULL))
    if (!g_hash_table_contains (present, path))
      g_hash_table_iter_remove (&iter);
  for (guint i = 0; i < folders->len; i++)
    added |= library_watch_add (self, folders->pdata[i]);
  return added;
}
