/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-recovery.h: the recovery journal, off the window's thread.
 *
 * Writes and removals go through the disk queue. Failures to write are told by the callback; the run goes on without
 * its safety net. */
#pragma once

#include "assay-store.h"

G_BEGIN_DECLS

void assay_recovery_write_async (const char *ledger_path, AssayRecord *record, GAsyncReadyCallback callback, gpointer data);
gboolean assay_recovery_write_finish (GAsyncResult *result, GError **error);
void assay_recovery_remove (const char *run_id); /* tells nobody: a leftover is offered again and merges to nothing */

/* (element-type AssayJournalEntry) what earlier, ended programs left. */
void assay_recovery_list_async (GAsyncReadyCallback callback, gpointer data);
GPtrArray *assay_recovery_list_finish (GAsyncResult *result, GError **error);

/* Adds every entry to its ledger, which is made when it is gone, and takes it out of the journal. What could not be
 * added stays in the journal and is named in the error. */
void assay_recovery_add_async (GPtrArray *entries, GAsyncReadyCallback callback, gpointer data);
gboolean assay_recovery_add_finish (GAsyncResult *result, GError **error);

G_END_DECLS
