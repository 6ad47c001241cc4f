/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/text/assay-merger.h: the loop that both kinds of BPE share: of all adjacent pairs that may merge,
 * the best one, the leftmost of equals, until none is left.
 *
 * A linked list of symbols and a heap of candidates; a candidate whose symbols have changed since is skipped.
 * n log n also for a single word of a megabyte. The arrays are kept between words. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct
{
  guint32 start, length; /* bytes of the text; length 0: merged away */
  guint32 previous, next;/* ASSAY_MERGER_NONE at the ends */
  gint32 id;             /* -1: not a token by itself */
} AssaySymbol;

#define ASSAY_MERGER_NONE G_MAXUINT32

typedef struct { guint32 order, position, length; gint32 merged; } AssayCandidate;

/* order: smaller is better. FALSE: the two do not merge. */
typedef gboolean (*AssayMergeLookup) (gconstpointer owner, const char *text, const AssaySymbol *left,
                                      const AssaySymbol *right, guint32 *order, gint32 *merged);

typedef struct
{
  AssaySymbol *symbols;      /* owned */
  AssayCandidate *heap;      /* owned */
  gsize n_symbols, n_heap;
  gsize symbols_room, heap_room;
} AssayMerger;

void assay_merger_clear (AssayMerger *self);
void assay_merger_start (AssayMerger *self);
/* FALSE: no memory. */
gboolean assay_merger_add (AssayMerger *self, guint32 start, guint32 length, gint32 id);
/* FALSE with OOM_HOST or CANCELLED. Afterwards the symbols with a length, in order, are the result. */
gboolean assay_merger_run (AssayMerger *self, const char *text, gconstpointer owner, AssayMergeLookup lookup,
                           GCancellable *cancellable, GError **error);
void assay_merger_set_no_memory (GError **error);

G_END_DECLS
