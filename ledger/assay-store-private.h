/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-store-private.h: what store, salvage and journal share. */
#pragma once

#include "assay-ledger-private.h"
#include "assay-store.h"

G_BEGIN_DECLS

/* Bytes to a ledger; name is what messages call it, assets the folder of side files or NULL. */
AssayLedger *assay_store_read (GBytes *bytes, const char *name, const char *assets, GError **error);

/* Writes the side files of a ledger's long outputs, for the ledger file `target`. */
gboolean assay_store_write_assets (AssayLedger *ledger, const char *target, GError **error);

G_END_DECLS
