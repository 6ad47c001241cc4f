/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-removed.h: which runs, reviews and planned trials were removed from a ledger.
 *
 * The file keeps it, as <removed run="…" review="…" at="…"/> or <removed planned="…" at="…"/> before the first run, so that a program that still holds
 * the removed one does not bring it back with its next save. Taking a removal back takes the element away. Tables are
 * immutable, and swapped as a whole: snapshots share them. */
#pragma once

#include "assay-ledger-private.h"

G_BEGIN_DECLS

typedef struct
{
  char *run;        /* NULL: a planned trial or a preference */
  char *review;     /* NULL: the run itself */
  char *planned;    /* of the planned trial, or NULL */
  char *preference; /* of the preference, or NULL */
  char *at;         /* when, or NULL */
  guint64 checksum; /* of the run as it was then, 0 unknown: not in the file */
} AssayRemoval;

GHashTable *assay_removed_new (void);                             /* key → AssayRemoval */
void assay_removed_add (GHashTable *table, const char *run, const char *review, const char *at, guint64 checksum);
void assay_removed_add_planned (GHashTable *table, const char *planned, const char *at);
gboolean assay_removed_has_planned (GHashTable *table, const char *planned);
void assay_removed_add_preference (GHashTable *table, const char *preference, const char *at);
gboolean assay_removed_has_preference (GHashTable *table, const char *preference);
const AssayRemoval *assay_removed_find (GHashTable *table, const char *run, const char *review);

/* What both sides made of `base`: added by either, or in both. (transfer full) */
GHashTable *assay_removed_merge (GHashTable *ours, GHashTable *theirs, GHashTable *base);

/* For a table that nobody shares yet. */
void assay_removed_forget_preference (GHashTable *table, const char *preference);

/* The ledger's own table, swapped for a changed one. */
void assay_ledger_note_removed (AssayLedger *self, const char *run, const char *review, guint64 checksum);
void assay_ledger_forget_removed (AssayLedger *self, const char *run, const char *review);
void assay_ledger_note_removed_planned (AssayLedger *self, const char *const *ids, guint n);
void assay_ledger_forget_removed_planned (AssayLedger *self, const char *const *ids, guint n);
void assay_ledger_note_removed_preference (AssayLedger *self, const char *preference);
void assay_ledger_forget_removed_preference (AssayLedger *self, const char *preference);
void assay_ledger_take_removed (AssayLedger *self, GHashTable *table); /* (transfer full) */

void assay_xml_write_removed (GString *out, GHashTable *table);

G_END_DECLS
