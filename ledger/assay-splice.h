/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-splice.h: a file to be written, most of which was read before: new text, and between it passages kept
 * as they are.
 *
 * Saving one review in a ledger of ten thousand runs writes two hundred megabytes again. None of it is copied on the
 * way: passages stay where they were read, and neighbours are written as one. Each carries a seal, taken when it was
 * read, so that what was written can be told from what was meant, memory gone bad included, without reading it as XML
 * again. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _AssaySplice AssaySplice;

AssaySplice *assay_splice_new (void);
AssaySplice *assay_splice_new_for_bytes (GBytes *bytes);    /* the whole file is one passage */
void assay_splice_free (AssaySplice *self);                 /* NULL is fine */

/* The new text; what is appended to it comes behind the last passage. (transfer none) */
GString *assay_splice_get_text (AssaySplice *self);

/* A passage at the text's present end. led: in memory, ASSAY_SPLICE_LEAD stands before it, as it was read with that
 * before it. */
#define ASSAY_SPLICE_LEAD "\n  "
void assay_splice_keep (AssaySplice *self, GBytes *passage, guint64 seal, gboolean led);

gsize assay_splice_get_length (AssaySplice *self);
GBytes *assay_splice_to_bytes (AssaySplice *self);          /* (transfer full) all of it, as a copy */

/* Its parts in order, neighbours in memory as one. FALSE: `each` said so, and was not called again. */
typedef gboolean (*AssaySpliceWrite) (const char *data, gsize length, gpointer data_of_caller);
gboolean assay_splice_write (AssaySplice *self, AssaySpliceWrite each, gpointer data);

/* Is what can be read this splice, to its end? read: at most `length` bytes into `buffer`; their number, 0 at the end,
 * -1 with errno. *text: the new text as it was read, or NULL. */
typedef gssize (*AssaySpliceRead) (char *buffer, gsize length, gpointer data_of_caller);
gboolean assay_splice_compare (AssaySplice *self, AssaySpliceRead read, gpointer data, GBytes **text);

/* 64 bits that any one changed byte changes; not against people. Never stored. */
guint64 assay_splice_seal (const char *data, gsize length);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssaySplice, assay_splice_free)

G_END_DECLS
