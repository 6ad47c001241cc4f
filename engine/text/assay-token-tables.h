/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/text/assay-token-tables.h: text → token and pair → merge, built once a model.
 *
 * Two open-addressing tables rather than GHashTable: a vocabulary has 10^5 to 10^6 entries, each looked up by
 * bytes in the middle of a text, and the entries must stay small beside the file they come from. They grow
 * with what was put in, never with what a file announces. Hashes are seeded afresh, so that no file can be
 * made to collide. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  gconstpointer owner; /* given to the lookup of texts */
  const char *(*text) (gconstpointer owner, gint32 id, gsize *length);
  gint32 *slots;       /* owned; id, -1 empty */
  guint bits;
  gsize n;
  guint64 seed;
} AssayPieceTable;

void assay_piece_table_init (AssayPieceTable *self, gconstpointer owner,
                             const char *(*text) (gconstpointer owner, gint32 id, gsize *length));
void assay_piece_table_clear (AssayPieceTable *self);
/* Returns: FALSE, and nothing is added, when the text is there under another id. */
gboolean assay_piece_table_add (AssayPieceTable *self, gint32 id);
gint32 assay_piece_table_find (const AssayPieceTable *self, const char *text, gsize length); /* -1 */

typedef struct { gint32 left, right, rank, merged; } AssayPairSlot; /* left -1: empty */

typedef struct
{
  AssayPairSlot *slots; /* owned */
  guint bits;
  gsize n;
  guint64 seed;
} AssayPairTable;

void assay_pair_table_init (AssayPairTable *self);
void assay_pair_table_clear (AssayPairTable *self);
/* Returns: FALSE when the pair is there already. */
gboolean assay_pair_table_add (AssayPairTable *self, gint32 left, gint32 right, gint32 rank, gint32 merged);
/* Of a pair that is there. */
void assay_pair_table_set_rank (AssayPairTable *self, gint32 left, gint32 right, gint32 rank);
/* Returns: NULL when the pair does not merge. */
const AssayPairSlot *assay_pair_table_find (const AssayPairTable *self, gint32 left, gint32 right);

/* Control and user-defined tokens, for finding the longest that begins at a place. */
typedef struct
{
  gconstpointer owner;
  const char *(*text) (gconstpointer owner, gint32 id, gsize *length);
  GArray *ids;          /* owned; by text */
  guint first[257];     /* where each first byte begins in ids */
} AssaySpecialIndex;

void assay_special_index_init (AssaySpecialIndex *self, gconstpointer owner,
                               const char *(*text) (gconstpointer owner, gint32 id, gsize *length));
void assay_special_index_clear (AssaySpecialIndex *self);
void assay_special_index_add (AssaySpecialIndex *self, gint32 id);
void assay_special_index_sort (AssaySpecialIndex *self);                        /* after the last add */
/* The one that is exactly this text, or -1. */
gint32 assay_special_index_find (const AssaySpecialIndex *self, const char *text, gsize length);
/* The longest at text that accept takes, or -1. */
gint32 assay_special_index_match (const AssaySpecialIndex *self, const char *text, gsize length,
                                  gboolean (*accept) (gconstpointer owner, gint32 id), gsize *matched);

G_END_DECLS
