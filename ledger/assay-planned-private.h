/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-planned-private.h: planned trials, for reader, writer, merge and undo. */
#pragma once

#include "assay-ledger-private.h"
#include "assay-planned.h"

G_BEGIN_DECLS

GPtrArray *assay_planned_list_new (void);

/* A planned trial as it was read; why it is none (transfer full), or NULL where it was taken. */
char *assay_ledger_load_planned (AssayLedger *self, AssayRecord *record);

/* Swaps the list without counting an edit; listeners are told where it is another one. (transfer full) */
void assay_ledger_receive_planned (AssayLedger *self, GPtrArray *planned);

/* What both sides have, but for what `ours` knows to be removed. Theirs come in their order, ours behind them; the
 * other way round where ours was put in another order. Done ones stay in memory, and no longer stand in the file. */
void assay_ledger_merge_planned (AssayLedger *ours, AssayLedger *disk);

/* Takes an edit back: what it brought goes, what it took comes back, in its order. */
void assay_ledger_revert_planned (AssayLedger *self, GPtrArray *before, GPtrArray *after);

void assay_xml_write_planned (GString *out, AssayLedger *ledger, AssayScope *scope);

G_END_DECLS
