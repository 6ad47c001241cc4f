/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-ledger-private.h: a ledger from the inside, for reader, writer, merge and store. */
#pragma once

#include "assay-durable.h"
#include "assay-ledger.h"
#include "assay-record-private.h"
#include "assay-repeats-index.h"

G_BEGIN_DECLS

/* A removal is kept in the ledger's own table, and never a chunk of its frame. */
typedef enum
{
  ASSAY_CHUNK_CRITERIA,
  ASSAY_CHUNK_QUESTIONS,
  ASSAY_CHUNK_FOREIGN,
  ASSAY_CHUNK_REMOVED,
  ASSAY_CHUNK_PLANNED, /* in the ledger's list, and likewise no chunk */
  ASSAY_CHUNK_PREFERENCE, /* the same */
} AssayChunkKind;
typedef struct
{
  AssayChunkKind kind;
  GBytes *bytes;
} AssayChunk;

/* What of a file is not runs, kept as bytes so that it survives. Immutable and shared by snapshots. */
typedef struct
{
  gatomicrefcount refs;
  AssayScope *scope;
  GBytes *prolog;           /* between the XML declaration and the root */
  char *version;            /* of the file */
  char *foreign_attributes; /* of the root, as XML text with a blank before each; or "" */
  GPtrArray *header; /* (element-type AssayChunk) what stands in the root before the first run, in order */
  GHashTable *leads;        /* run id → GBytes: what stands before that run beside white space */
  GBytes *tail;             /* between the last run and the root's end */
  GBytes *epilog;           /* after the root */
} AssayFrame;

AssayFrame *assay_frame_new (void);
void assay_frame_add_chunk (AssayFrame *self, AssayChunkKind kind, GBytes *bytes); /* (transfer full) */
AssayFrame *assay_frame_ref (AssayFrame *self);
void assay_frame_unref (AssayFrame *self);

struct _AssayLedger
{
  GObject parent_instance;

  /* owned */
  char *id;
  char *title;
  char *path;
  char *read_only_reason;
  AssayCriteria *criteria;
  GPtrArray *questions;       /* shared with snapshots: never changed, only swapped */
  char *question_set;
  GPtrArray *runs;            /* (element-type AssayRecord) */
  GHashTable *positions;      /* run id (borrowed from the record) → position + 1 */
  AssayRepeatsIndex *repeats; /* made when first asked for; NULL when it must be made anew */
  GPtrArray *notices;         /* (element-type char*), NULL-terminated */
  AssayFrame *frame;          /* NULL while the ledger was never in a file */
  GHashTable *known_ids;      /* run ids that the file held when last read or written */
  GHashTable *removed;        /* see assay-removed.h; never changed, only swapped */
  GPtrArray *preferences;     /* (element-type AssayPreference) never changed once a ledger is read, only swapped */
  GPtrArray *planned;         /* see assay-planned.h; never changed, only swapped */
  GHashTable *known_removed;  /* what the file held of it when last read or written */

  AssayTask task;
  AssayFileMark mark;
  guint64 edits;              /* counts every change */
  guint64 saved_edits;        /* what `edits` was when last saved */
  guint64 header_edits, saved_header_edits;
  guint64 order_edits, saved_order_edits; /* of the planned trials' order */

  GQueue saves;               /* (element-type GTask) asked for and not begun; the store's */
  gboolean saving;
};

/* Counts an edit that was made, and tells of it. */
typedef struct _AssayEdit AssayEdit;
void assay_ledger_note_edit (AssayLedger *self, const AssayEdit *edit);

void assay_ledger_add_notice (AssayLedger *self, const char *format, ...) G_GNUC_PRINTF (2, 3);
void assay_ledger_set_read_only (AssayLedger *self, const char *reason);

/* For reader and merge: no edit is counted, nothing is emitted. */
void assay_ledger_load_run (AssayLedger *self, AssayRecord *record);             /* (transfer full) */
void assay_ledger_load_header (AssayLedger *self, const char *id, const char *title, AssayTask task,
                               AssayCriteria *criteria, GPtrArray *questions, const char *question_set);
void assay_ledger_note_known (AssayLedger *self);
guint assay_ledger_get_position (AssayLedger *self, const char *id);             /* G_MAXUINT when absent */
AssayRepeatsIndex *assay_ledger_get_repeats (AssayLedger *self);                 /* (transfer none) */

/* Checks that need the whole ledger, over records not yet sealed: score ranges, parents, next trials. */
void assay_ledger_check_runs (AssayLedger *self);

/* Why a score cannot be; NULL when it can. (transfer full) */
char *assay_criteria_check_score (const AssayCriteria *criteria, const AssayScore *score);

/* What a save brought in from the disk: listeners are told, nothing counts as an edit. */
void assay_ledger_receive_run (AssayLedger *self, AssayRecord *record);
void assay_ledger_receive_removal (AssayLedger *self, const char *id);
void assay_ledger_tell_received (AssayLedger *self, guint n_runs);
void assay_ledger_receive_header (AssayLedger *self, AssayLedger *from);
void assay_ledger_mark_saved (AssayLedger *self, const AssayLedger *snapshot);

G_END_DECLS
