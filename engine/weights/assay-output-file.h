/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/assay-output-file.h: a large file, written piece by piece, that is there completely or not
 * at all.
 *
 * It grows under a hidden name in the folder of the path; finish() flushes it and gives it the name. Freed
 * before that, nothing is left; of a process that was killed, the next to write into that folder removes it. Small files that are held in memory are assay_durable_replace()'s. Blocking;
 * one thread. */
#pragma once

#include "assay-model-file.h"

G_BEGIN_DECLS

typedef struct _AssayOutputFile AssayOutputFile;

/* total: bytes that will be written; reserved at once where the file system can, so that a full disk is known
 * before the work. input: a model whose files are never replaced; may be NULL. Errors: RULE "output-exists"
 * (there is one, and not overwrite), "output-is-input" (through any link too), "output-no-file" (a folder, a
 * pipe); G_IO_ERROR (NO_SPACE, READ_ONLY, PERMISSION_DENIED …) with folder, bytes needed, and what was wrong.
 */
AssayOutputFile *assay_output_file_new (const char *path, guint64 total, gboolean overwrite,
                                        AssayModelFile *input, GError **error);
void assay_output_file_free (AssayOutputFile *self);
const char *assay_output_file_get_path (AssayOutputFile *self);
const char *assay_output_file_get_hidden_path (AssayOutputFile *self);
guint64 assay_output_file_get_written (AssayOutputFile *self);
gboolean assay_output_file_write (AssayOutputFile *self, const void *data, gsize bytes, GError **error);
/* At a place of its own, whatever was written before; counts as written, too. */
gboolean assay_output_file_write_at (AssayOutputFile *self, guint64 offset, const void *data, gsize bytes,
                                     GError **error);
gboolean assay_output_file_flush (AssayOutputFile *self, GError **error);  /* to the disk */
gboolean assay_output_file_finish (AssayOutputFile *self, GError **error); /* flushes, too */

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayOutputFile, assay_output_file_free)

G_END_DECLS
