/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-compare-found.h: what is found in a whole ledger without anybody asking: which settings are not beaten, and
 * what single axes do. Looked for on a worker thread, in a snapshot. */
#pragma once

#include <gio/gio.h>

#include "assay-effects.h"
#include "assay-pareto.h"

G_BEGIN_DECLS

typedef struct
{
  AssayLedger *snapshot;  /* owned; lends the effects their criteria */
  AssayPareto *pareto;
  AssayEffects *effects;
} AssayCompareFound;

void assay_compare_found_free (AssayCompareFound *self);

void assay_compare_find_async (AssayLedger *ledger, GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data);
/* (transfer full); NULL where it was cancelled */
AssayCompareFound *assay_compare_find_finish (GAsyncResult *result);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayCompareFound, assay_compare_found_free)

G_END_DECLS
