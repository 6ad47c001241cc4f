/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-library-private.h: one walk over a folder of ledgers. */
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
  /* results */
  GPtrArray *folders;         /* (element-type char*): those searched, the root first */
  char *notice;               /* why something may be missing, or NULL */
  guint n_entries, n_ledgers;
} LibraryScan;

gboolean library_scan_run (LibraryScan *self, const char *root, GError **error);
void library_scan_clear (LibraryScan *self);

/* What tells a changed file: reading the same bytes again would give the same item. */
typedef struct
{
  guint64 device, inode, size;
  gint64 mtime_ns, ctime_ns;
} LibraryStamp;

/* Reads the ledger, or finds out why it cannot be read. */
AssayLibraryItem *library_item_read (const char *path);
gboolean library_item_is_current (AssayLibraryItem *self);
int library_item_compare (gconstpointer a, gconstpointer b); /* of AssayLibraryItem**, for g_ptr_array_sort */

G_END_DECLS
