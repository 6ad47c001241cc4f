/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-undo.h: the edits of one open ledger, to be taken back and done again until it is closed.
 *
 * Listens to the ledger, so that whoever edits it need not know. A run that ends is no edit; one that is deleted or
 * imported is. Main thread. */
#pragma once

#include "assay-ledger.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_UNDO (assay_undo_get_type ())
G_DECLARE_FINAL_TYPE (AssayUndo, assay_undo, ASSAY, UNDO, GObject)

/* Properties, read-only, notified: "undo-label", "redo-label" (string: "Undo Delete Run"; NULL when there is nothing). */
AssayUndo *assay_undo_new (AssayLedger *ledger);
const char *assay_undo_get_undo_label (AssayUndo *self);
const char *assay_undo_get_redo_label (AssayUndo *self);

/* What could not be taken back stays the next step; the error says why. */
gboolean assay_undo_undo (AssayUndo *self, GError **error);
gboolean assay_undo_redo (AssayUndo *self, GError **error);

/* All edits between the two are one step, runs that are added too. */
void assay_undo_begin (AssayUndo *self);
void assay_undo_end (AssayUndo *self);

G_END_DECLS
