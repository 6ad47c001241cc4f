/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-assets.h: side files, in NAME.assets beside NAME.ledger.xml, named by what they hold.
 *
 * A name is "sha256-", 64 hex digits and a short suffix: nothing else is opened, so no ledger can point
 * outside its folder. A file is written and flushed before the ledger that names it, and never changed. */
#pragma once

#include "assay-record.h"

G_BEGIN_DECLS

#define ASSAY_ASSET_INLINE_MAX 262144u                      /* longer texts go to side files */
#define ASSAY_ASSET_MAX_BYTES (G_GUINT64_CONSTANT (64) << 20)

gboolean assay_asset_is_name (const char *name);
char *assay_asset_dup_name (const char *bytes, gsize length, const char *suffix); /* ".txt" of a text */

/* NULL when it is missing, too large, no plain file, or not what its name says. */
GBytes *assay_asset_read (const char *folder, const char *name);

/* Writes what is not there yet, folder included, and flushes it. */
gboolean assay_asset_write (const char *folder, const char *name, const char *bytes, gsize length,
                            GError **error);

/* The side file's name for an output that is too long for the ledger, or that names one; else NULL. (transfer
 * full) */
char *assay_output_dup_asset (const AssayOutput *output);

G_END_DECLS
