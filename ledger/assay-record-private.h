/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-record-private.h: a record from the inside, for the reader, the writer and the merge.
 *
 * A record read from a file keeps the very bytes of its <run> element (`source`, a slice of the file's text).
 * As long as nobody edits it, a save writes those bytes back: so elements of newer versions, comments and
 * damaged runs survive in place and order, and saving ten thousand runs costs a copy. An edited copy keeps
 * them as `origin`, from which the writer takes over whatever was not edited. */
#pragma once

#include "assay-record.h"

G_BEGIN_DECLS

/* The namespace declarations in force around a <run>: prefix, URI, prefix, URI, …, NULL. Shared by all runs
 * of a file. */
typedef struct
{
  gatomicrefcount refs;
  char **declarations;
} AssayScope;

AssayScope *assay_scope_new (char **declarations);  /* (transfer full) */
AssayScope *assay_scope_ref (AssayScope *self);
void assay_scope_unref (AssayScope *self);
const char *assay_scope_lookup (const AssayScope *self, const char *prefix); /* URI, or NULL */

struct _AssayRecord
{
  GObject parent_instance;

  /* owned */
  char *id;
  char *parent;
  char *changed;
  char *duplicate_of;
  char *accepted;             /* when a person accepted what was in effect, as the file says; or NULL */
  char *planned;              /* id of the planned trial that this run carries out; or NULL */
  AssayValues *conditions, *effective, *burden, *outcome;
  GPtrArray *outputs;
  GPtrArray *reviews;
  char **dropped;             /* ids of reviews removed since the origin was written; or NULL */
  AssayNextTrial *next_trial;
  char *holders;
  char *damage;
  guint64 checksum;           /* of source or origin: its meaning, see assay-canon.h */
  gboolean has_checksum;      /* the file states it */
  GPtrArray *notices;         /* (element-type char*), NULL-terminated; NULL while there are none */

  GBytes *source; /* bytes of the <run> element that say exactly this record; NULL when edited or new */
  GBytes *origin;             /* bytes this copy was made from; NULL when made in memory */
  AssayScope *scope;          /* of source or origin */
  guint64 seal;               /* of source, where has_seal: see assay-splice.h */
  gboolean has_seal;
  gboolean led;               /* ASSAY_SPLICE_LEAD stands before source in memory */

  /* made when first asked for, under the lock in assay-record.c */
  AssaySeries *series;
  AssaySeries *(*load_series) (AssayRecord *self);
  AssayValues *derived;

  gboolean is_planned;        /* a planned trial, and no run: see assay-planned.h */
  gboolean sealed;
};

void assay_record_add_notice (AssayRecord *self, const char *format, ...) G_GNUC_PRINTF (2, 3);
void assay_record_set_damage (AssayRecord *self, const char *damage);

/* The bytes a save wrote for a sealed record become its source, so that the next save need not write them
 * anew. */
void assay_record_keep_source (AssayRecord *self, GBytes *source, AssayScope *scope, guint64 checksum);
GBytes *assay_record_dup_source (AssayRecord *self, AssayScope **scope); /* both (transfer full), or NULL */
/* The source when it was read or written as a part of a file, and may be put into another as it stands. */
GBytes *assay_record_dup_passage (AssayRecord *self, AssayScope **scope, guint64 *seal, gboolean *led);
GBytes *assay_record_dup_origin (AssayRecord *self, AssayScope **scope); /* likewise */

/* Reviews of a record not yet sealed, by id. */
guint assay_record_find_review (AssayRecord *self, const char *id);              /* G_MAXUINT when absent */
void assay_record_drop_review (AssayRecord *self, const char *id);
void assay_record_restore_review (AssayRecord *self, guint position, const AssayReview *review);
gboolean assay_record_has_dropped_review (AssayRecord *self, const char *id);

/* Why `next` cannot follow this record (unknown axis, two axes, no change, contradicts the record); NULL when
 * it can. (transfer full) */
char *assay_record_check_next_trial (AssayRecord *self, const AssayNextTrial *next);

/* Equal in everything that a run itself writes: conditions, effective, burden, outcome, outputs; not reviews
 * or plan. */
gboolean assay_record_same_run (AssayRecord *a, AssayRecord *b);
gboolean assay_record_same_outputs (AssayRecord *a, AssayRecord *b);
AssayReview *assay_review_new_empty (void);       /* nothing filled in */
gboolean assay_review_equal (const AssayReview *a, const AssayReview *b);
gboolean assay_next_trial_equal (const AssayNextTrial *a, const AssayNextTrial *b); /* NULL is fine */

AssayOutput *assay_output_copy (const AssayOutput *self);
char *assay_dup_now (void);                       /* RFC 3339, UTC, seconds */
char *assay_dup_random_id (const char *prefix);   /* prefix, UTC time to the second, six random hex digits */

G_END_DECLS
