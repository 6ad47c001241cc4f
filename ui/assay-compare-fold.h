/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-compare-fold.h: which runs of a ledger are repeats of one another. No widgets. */
#pragma once

#include "assay-ledger.h"

G_BEGIN_DECLS

/* The ledger's runs, repeats together, in the order of each family's first run; damaged runs stand alone.
 * fold FALSE: every run stands alone. (transfer full) (element-type GPtrArray of AssayRecord, each a reference) */
GPtrArray *assay_compare_fold (AssayLedger *ledger, gboolean fold);

/* The one that speaks for its repeats: of those that completed, and were judged where any was, the one with the median
 * time; else the last. */
AssayRecord *assay_compare_fold_get_typical (GPtrArray *family);

G_END_DECLS
