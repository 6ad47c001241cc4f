/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-library-private.h: one walk over a folder of ledgers, and the watch over it. */
#pragma once

#include "assay-library.h"

G_BEGIN_DECLS

#define LIBRARY_MAX_DEPTH 8
#define LIBRARY_MAX_ENTRIES 200000u /* directory entries looked at */
#define LIBRARY_MAX_LEDGERS 10000u

/* Called on the scanning thread for each ledger, in no order. */
typedef void (*LibraryFound) (AssayLibraryItem *item_taken, gpointer data);

typedef struct
{
  GHashTable *known;          /* path → AssayLibraryItem of an earlier scan, or NULL */
  GCancellable *cancellable;  /* or NULL */
  LibraryFound found;
  gpointer data;
  const char *label;          /* what the root is called in groups; "" or NULL: nothing */
  const char *root;           /* of the walk going on */
  /* results, of all walks together */
  GPtrArray *folders;         /* (element-type char*): those searched, each root before what is in it */
  char *notice;               /* why something may be missing, or NULL */
  guint n_entries, n_ledgers;
} LibraryScan;

/* One root after another may be walked with one scan. */
gboolean library_scan_run (LibraryScan *self, const char *root, GError **error);
void library_scan_set_notice (LibraryScan *self, char *notice_taken); /* the first one stays */
void library_scan_clear (LibraryScan *self);

/* What tells a changed file: reading the same bytes again would give the same item. */
typedef struct
{
  guint64 device, inode, size;
  gint64 mtime_ns, ctime_ns;
} LibraryStamp;

/* Reads the ledger, or finds out why it cannot be read. */
AssayLibraryItem *library_item_read (const char *path, const char *group);
gboolean library_item_is_current (AssayLibraryItem *self);
int library_item_compare (gconstpointer a, gconstpointer b); /* of AssayLibraryItem**, for g_ptr_array_sort */

/* Calls back, on the home context, a moment after something changed in a watched folder. */
typedef struct _LibraryWatch LibraryWatch;
typedef void (*LibraryChanged) (gpointer data);
LibraryWatch *library_watch_new (GMainContext *home, LibraryChanged changed, gpointer data);
void library_watch_free (LibraryWatch *self);
void library_watch_clear (LibraryWatch *self);                    /* watches nothing, and forgets what it gathered */
gboolean library_watch_add (LibraryWatch *self, const char *folder); /* FALSE when it is watched, or cannot be */

/* Watches the roots and these folders, and no others. Returns: whether one is watched only now, so that
 * changes since the scan passed it may have been missed. */
gboolean library_watch_keep (LibraryWatch *self, const char *const *roots, GPtrArray *folders);

G_END_DECLS
