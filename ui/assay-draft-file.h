/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-draft-file.h: a trial that was being set up, kept for when the program is started again.
 *
 * One file for each ledger, and one for trials that have none yet, in the user's state folder. Where two windows set up
 * trials of one ledger, the last one to be edited is kept. Files are read and written on other threads. */
#pragma once

#include "assay-values.h"

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct
{
  AssayValues *values;  /* owned: all that is set */
  char *parent;         /* owned: run id; NULL for a baseline */
  AssayFieldId open;    /* ASSAY_FIELD_INVALID for a baseline */
  char *questions;      /* owned: path of the question set's file, "" for a free prompt; NULL: what the ledger asks */
  gint64 saved_at;      /* seconds since 1970, of a file that was read */
} AssayDraftFile;

void assay_draft_file_free (AssayDraftFile *self);
/* The text of the file; two drafts are the same when their texts are. (transfer full) */
char *assay_draft_file_dup_text (const AssayDraftFile *self);
/* What a newer or a damaged file holds besides is passed over. */
AssayDraftFile *assay_draft_file_parse (const char *text, gsize length, GError **error);

/* ledger_path: NULL for a trial that has no ledger yet. */
void assay_draft_file_write_async (const char *ledger_path, const char *text, GAsyncReadyCallback callback, gpointer data);
gboolean assay_draft_file_write_finish (GAsyncResult *result, GError **error);
void assay_draft_file_remove (const char *ledger_path);
void assay_draft_file_read_async (const char *ledger_path, GAsyncReadyCallback callback, gpointer data);
/* NULL without an error where there is none. (transfer full) */
AssayDraftFile *assay_draft_file_read_finish (GAsyncResult *result, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayDraftFile, assay_draft_file_free)

G_END_DECLS
