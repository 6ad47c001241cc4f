/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-merge.h: what two writers made of one ledger, as one. */
#pragma once

#include "assay-ledger-private.h"

G_BEGIN_DECLS

/* Takes into `ours` what `disk` has: runs by their id, reviews by theirs. A run that `ours` removed since it
 * was read stays removed, and one that the disk says was removed goes, unless the other side edited it meanwhile;
 * a run that is only missing on disk stays. Two different runs of one id are both kept.
 * Title, criteria and questions are ours where they were edited, else the disk's. Ours must be a snapshot
 * nobody else looks at. */
void assay_merge_ledger (AssayLedger *ours, AssayLedger *disk);

/* The union of two ledgers' runs, `a` first. (transfer full) */
AssayLedger *assay_merge_union (AssayLedger *a, AssayLedger *b);

G_END_DECLS
