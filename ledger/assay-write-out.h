/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-write-out.h: a text or a picture to where a person wants it. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Whole or not at all, where there is a plain file or none; a symbolic link leads to its file. A device or a pipe is
 * written into, and stays what it is. Blocks. Errors: G_FILE_ERROR. */
gboolean assay_write_out (const char *path, const char *data, gsize length, GError **error);

G_END_DECLS
