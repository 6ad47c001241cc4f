/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-trash.h: a ledger with its backup and side files goes to the desktop's trash, and comes back from it.
 *
 * Restoring reads the trash's own folders, since no trash: service may be running. Blocking; any thread. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Where a place has no trash nothing is deleted: the error says so. */
gboolean assay_trash_ledger (const char *path, GError **error);

/* What was put there last from this path. Never over a file that is there by now. */
gboolean assay_trash_restore_ledger (const char *path, GError **error);

G_END_DECLS
