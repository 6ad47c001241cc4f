/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-durable.h: files that are there completely or not at all.
 *
 * A file is replaced by writing a sibling, flushing it, reading it back, keeping the old one as NAME.bak,
 * renaming and flushing the folder. Blocking. A failed flush is final for this attempt: Linux reports a
 * write-back error once, and a second fsync() that succeeds proves nothing. */
#pragma once

#include "assay-ledger-error.h"
#include "assay-splice.h"

G_BEGIN_DECLS

/* Which state of a file was seen. */
typedef struct
{
  gboolean known;
  guint64 device, inode, size;
  gint64 mtime_ns, ctime_ns;
} AssayFileMark;

gboolean assay_file_mark_equal (const AssayFileMark *a, const AssayFileMark *b);
AssayFileMark assay_file_mark_of (const char *path);   /* known is FALSE when there is none */

/* Reads a plain file; FIFOs, devices and folders are refused without waiting. Errors: G_FILE_ERROR, or FORMAT
 * when it is no plain file or larger than max. */
GBytes *assay_durable_read (const char *path, guint64 max, gboolean no_follow, AssayFileMark *mark,
                            GError **error);

/* Judges what was read back from the disk, before the rename. It is what was to be written, to the byte; text is the
 * part of it that is new, see assay-splice.h. */
typedef gboolean (*AssayDurableVerify) (GBytes *text, gpointer data, GError **error);

typedef struct
{
  gboolean keep_backup;
  AssayDurableVerify verify;
  gpointer data;
  /* results */
  AssayFileMark mark;
  gboolean owner_lost;      /* the old file was somebody else's, and the new one is not */
  gboolean links_parted;    /* other names of the old file keep the old state */
} AssayDurableSave;

/* save may be NULL. Errors: READ_ONLY when this place cannot be written; SAVE otherwise, with folder, reason
 * and bytes needed. */
gboolean assay_durable_replace (const char *path, GBytes *bytes, AssayDurableSave *save, GError **error);
gboolean assay_durable_replace_splice (const char *path, AssaySplice *splice, AssayDurableSave *save, GError **error);

/* Makes the last part of the path, private to the user where nothing else is said, and flushes its parent. */
gboolean assay_durable_make_folder (const char *path, GError **error);
gboolean assay_durable_flush_folder (const char *folder);   /* FALSE with errno set */

/* Removes siblings of `path` that a killed save left. Only under the file's lock. */
void assay_durable_sweep (const char *path);

/* The file that a name leads to: symbolic links resolved as far as they exist. (transfer full) */
char *assay_durable_dup_target (const char *path);

G_END_DECLS
