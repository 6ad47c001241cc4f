/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-copy.h: a ledger with its side files at another place, under a name that is free there.
 *
 * Nothing is ever overwritten, nor is the original touched. Blocking; any thread. */
#pragma once

#include "assay-ledger.h"

G_BEGIN_DECLS

/* Copies the file as it is. Refuses what cannot be read as a ledger, and one that lies in the folder already.
 * Returns: (transfer full) the copy's path. */
char *assay_copy_import (const char *from, const char *folder, GError **error);

/* The same runs as a ledger of its own, beside the original, under another id and title. (transfer full): its path */
char *assay_copy_duplicate (const char *from, const char *title, GError **error);

/* "NAME.ledger.xml", or "NAME 2.ledger.xml" and so on: the first that is free in the folder. (transfer full) */
char *assay_copy_dup_free_path (const char *folder, const char *base);

G_END_DECLS
