/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-review-shelf.h: reviews begun and not saved, kept for when the program is started again.
 *
 * One small file for each run that is being judged, in the user's state folder, by ledger; two where it is judged blind
 * and by name: those are two reviews. Written and removed through
 * the disk queue, read on another thread. A file that cannot be read is passed over and left where it is. */
#pragma once

#include <gio/gio.h>

#include "assay-review-draft.h"

G_BEGIN_DECLS

/* What tells the reviews apart: the run, and whether it is judged blind. (transfer full) */
char *assay_review_shelf_dup_key (const char *run_id, gboolean blind);
const char *assay_review_shelf_get_run (const char *key);

/* text: of assay_review_shelf_dup_text(). */
void assay_review_shelf_write_async (const char *ledger_id, const char *key, const char *text,
                                     GAsyncReadyCallback callback, gpointer data);
gboolean assay_review_shelf_write_finish (GAsyncResult *result, GError **error);
void assay_review_shelf_remove (const char *ledger_id, const char *key);
void assay_review_shelf_read_async (const char *ledger_id, GAsyncReadyCallback callback, gpointer data);
/* Key → AssayReviewDraft, each dirty. (transfer full) */
GHashTable *assay_review_shelf_read_finish (GAsyncResult *result, GError **error);

/* The text of a file, and back; NULL where the text is none. (transfer full) */
char *assay_review_shelf_dup_text (const char *run_id, const AssayReviewDraft *draft);
AssayReviewDraft *assay_review_shelf_parse (const char *text, gsize length, char **run_id);

G_END_DECLS
