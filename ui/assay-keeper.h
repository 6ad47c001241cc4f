/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-keeper.h: keeps one ledger saved, and what was edited in it.
 *
 * Every edit of the ledger leads to a save soon after; edits made during a save lead to another. A failed save leaves
 * the edits in memory and says so; it is tried again when asked, or with the next edit. Main thread. */
#pragma once

#include "assay-undo.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_KEEPER (assay_keeper_get_type ())
G_DECLARE_FINAL_TYPE (AssayKeeper, assay_keeper, ASSAY, KEEPER, GObject)

/* Properties, read-only, notified: "ledger" (AssayLedger), "busy" (boolean: a save is under way or due), "error" (string:
 * why the last save failed, NULL when it did not). */
AssayKeeper *assay_keeper_new (AssayLedger *ledger);
AssayLedger *assay_keeper_get_ledger (AssayKeeper *self);      /* (transfer none) */
AssayUndo *assay_keeper_get_undo (AssayKeeper *self);          /* (transfer none): the same always */
gboolean assay_keeper_is_busy (AssayKeeper *self);
const char *assay_keeper_get_error (AssayKeeper *self);
void assay_keeper_save (AssayKeeper *self);
void assay_keeper_save_as (AssayKeeper *self, const char *path);
/* The run's journal entry is taken away once a save that holds the run has succeeded. */
void assay_keeper_add_journalled (AssayKeeper *self, const char *run_id);

G_END_DECLS
