/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-store.h: ledgers on disk.
 *
 * Saved means: the run survives a power cut one millisecond later. At any instant the file is a complete
 * earlier or later state. A save takes the lock, reads again what changed on disk, merges by run id and
 * review id, writes a sibling, flushes it, reads it back, keeps the old one as .bak, renames, flushes the
 * folder. The blocking calls are for workers and the command line; the window uses the async pairs, which
 * work on a snapshot. */
#pragma once

#include "assay-ledger.h"

G_BEGIN_DECLS

#define ASSAY_LEDGER_SUFFIX ".ledger.xml"
#define ASSAY_LEDGER_NAMESPACE "urn:assay:ledger:1"

/* Returns: (transfer full); NULL with FORMAT, LOST, CONFLICT or a G_FILE_ERROR, each naming the file, and
 * offset and line where there is one. The file is never touched. */
AssayLedger *assay_store_load (const char *path, GError **error);

/* The runs before the damage, as a read-only ledger without a path; NULL when none could be read. For
 * CONFLICT: the union of both sides by run id. */
AssayLedger *assay_store_salvage (const char *path, GError **error);

/* Saves to the ledger's path (or to `path` when not NULL, which then becomes its path). On success the ledger
 * holds the merged runs and is not unsaved. On failure nothing changed: not the file, not the ledger. */
gboolean assay_store_save (AssayLedger *ledger, const char *path, GError **error);

void assay_store_load_async (const char *path, GCancellable *cancellable, GAsyncReadyCallback callback,
                             gpointer data);
AssayLedger *assay_store_load_finish (GAsyncResult *result, GError **error);
/* Overlapping saves of one ledger are queued; edits made meanwhile stay unsaved. */
void assay_store_save_async (AssayLedger *ledger, const char *path, GCancellable *cancellable,
                             GAsyncReadyCallback callback, gpointer data);
gboolean assay_store_save_finish (AssayLedger *ledger, GAsyncResult *result, GError **error);

/* Takes in what other programs wrote to the ledger's file, and writes nothing: runs that are new there, reviews,
 * the header. Queued with the saves. A ledger with edits of its own is left as it is, since its next save does
 * the same; so is a read-only one. Error: SAVE when the file is gone or can no longer be read. */
void assay_store_refresh_async (AssayLedger *ledger, GCancellable *cancellable, GAsyncReadyCallback callback,
                                gpointer data);
gboolean assay_store_refresh_finish (AssayLedger *ledger, GAsyncResult *result, GError **error);

/* XML in memory, for tests and exports: what a save would write. */
GBytes *assay_store_serialize (AssayLedger *ledger, GError **error);
AssayLedger *assay_store_parse (GBytes *xml, const char *name, GError **error);

/* The folder of a ledger's side files, NAME.assets beside NAME.ledger.xml. (transfer full) */
char *assay_store_dup_assets_path (const char *ledger_path);

/* The recovery journal: one flushed file per run under `folder` (default: the user's state folder), for runs
 * that began and were not yet saved. begin writes what is known at the start (conditions, ledger path), so
 * that a run the app died in is found as `interrupted`; end removes it after the ledger was saved. */
char *assay_journal_dup_default_folder (void);
gboolean assay_journal_write (const char *folder, const char *ledger_path, AssayRecord *record,
                              GError **error);
gboolean assay_journal_remove (const char *folder, const char *run_id, GError **error);
typedef struct { char *ledger_path; AssayRecord *record; } AssayJournalEntry; /* record: sealed */
void assay_journal_entry_free (AssayJournalEntry *self);
/* Entries left by processes that no longer live. A run without a status comes back as `interrupted`.
 * (transfer full) */
GPtrArray *assay_journal_list (const char *folder, GError **error);

G_END_DECLS
