/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-library.h: folders of ledgers; a GListModel of AssayLibraryItem, scanned in the background
 * and watched.
 *
 * A folder is searched with its subfolders, within bounds (see the library's "notice"): hidden folders,
 * side files and folders behind symbolic links are left out. A file that cannot be read is an item with a
 * problem, and never keeps another from being listed. AssayLibrary lives on the thread that made it; items
 * never change and may be read anywhere. */
#pragma once

#include "assay-gates.h"
#include "assay-ledger.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_LIBRARY_ITEM (assay_library_item_get_type ())
G_DECLARE_FINAL_TYPE (AssayLibraryItem, assay_library_item, ASSAY, LIBRARY_ITEM, GObject)
/* Properties, all read-only: "path", "title", "task" (name; "" with a problem), "n-runs" (uint), "problem" (why it cannot
 * be opened, or NULL), "group" (the subfolder, as words; "" for the first folder itself), "feasibility", "quality",
 * "operation" (uint: AssayVerdict of the ledger).
 *
 * A ledger passes a gate when at least one of its runs does, and fails it when runs were judged and none passed. */
const char *assay_library_item_get_path (AssayLibraryItem *self);
const char *assay_library_item_get_title (AssayLibraryItem *self);
const char *assay_library_item_get_task_name (AssayLibraryItem *self);
guint assay_library_item_get_n_runs (AssayLibraryItem *self);
AssayVerdict assay_library_item_get_verdict (AssayLibraryItem *self, AssayGate gate);
void assay_library_item_count (AssayLibraryItem *self, AssayGate gate, guint *n_passed, guint *n_judged); /* runs */
const char *assay_library_item_get_problem (AssayLibraryItem *self);
const char *assay_library_item_get_group (AssayLibraryItem *self);

#define ASSAY_TYPE_LIBRARY (assay_library_get_type ())
G_DECLARE_FINAL_TYPE (AssayLibrary, assay_library, ASSAY, LIBRARY, GObject)
/* Properties: "folder" (string: the first one, or the only one), "scanning" (boolean, ro), "notice" (string, ro: why the list may not be
 * whole, or NULL). Items are sorted by task, group, title; those with a problem come last. */
AssayLibrary *assay_library_new (const char *folder);
const char *assay_library_get_folder (AssayLibrary *self);
void assay_library_set_folder (AssayLibrary *self, const char *folder);
/* Those after the first are shown as well, each under its name. One that cannot be read is told in the notice, and
 * keeps no other from being listed. */
void assay_library_set_folders (AssayLibrary *self, const char *const *folders);
void assay_library_rescan (AssayLibrary *self);                 /* files that did not change are not read again */
gboolean assay_library_is_scanning (AssayLibrary *self);
const char *assay_library_get_notice (AssayLibrary *self);
char *assay_library_dup_default_folder (void);                  /* the user's data folder, assay/ledgers */

/* The blocking form for the command line: (element-type AssayLibraryItem) (transfer full), sorted. NULL with
 * a G_FILE_ERROR when the folder itself cannot be read, or G_IO_ERROR_CANCELLED. */
GPtrArray *assay_library_scan (const char *folder, GCancellable *cancellable, GError **error);

G_END_DECLS
