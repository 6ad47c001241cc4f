/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-library.h: a folder of ledgers; a GListModel of AssayLibraryItem, scanned in the background and watched. */
#pragma once

#include "assay-ledger.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_LIBRARY_ITEM (assay_library_item_get_type ())
G_DECLARE_FINAL_TYPE (AssayLibraryItem, assay_library_item, ASSAY, LIBRARY_ITEM, GObject)
/* Properties, all read-only: "path", "title", "task" (name), "n-runs" (uint), "problem" (why it cannot be opened, or
 * NULL), "feasibility", "quality", "operation" (uint: AssayVerdict of the newest run). */

#define ASSAY_TYPE_LIBRARY (assay_library_get_type ())
G_DECLARE_FINAL_TYPE (AssayLibrary, assay_library, ASSAY, LIBRARY, GObject)
/* Properties: "folder" (string), "scanning" (boolean, ro). Items are sorted by task, then title. */
AssayLibrary *assay_library_new (const char *folder);
const char *assay_library_get_folder (AssayLibrary *self);
void assay_library_set_folder (AssayLibrary *self, const char *folder);
void assay_library_rescan (AssayLibrary *self);
char *assay_library_dup_default_folder (void);                  /* the user's data folder, assay/ledgers */

/* The blocking form for the command line: (element-type AssayLibraryItem) (transfer full). */
GPtrArray *assay_library_scan (const char *folder, GCancellable *cancellable, GError **error);

G_END_DECLS
