/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-session-private.h: the session's state, for the files that make up the session. */
#pragma once

#include "assay-keeper.h"
#include "assay-lock.h"
#include "assay-queue.h"
#include "assay-session.h"

G_BEGIN_DECLS

typedef enum
{
  SESSION_PROP_0,
  SESSION_PROP_LIBRARY,
  SESSION_PROP_DRAFT,
  SESSION_PROP_NOTICES,
  SESSION_PROP_LEDGER,
  SESSION_PROP_RECORD,
  SESSION_PROP_TRIAL,
  SESSION_PROP_SHOWN_TRIAL,
  SESSION_PROP_RUNNING,
  SESSION_PROP_WORK,
  SESSION_PROP_IDLE,
  SESSION_PROP_QUESTION_SET,
  SESSION_PROP_UNDO,
  SESSION_N_PROPS
} SessionProp;

struct _AssaySession
{
  GObject parent_instance;
  AssaySettings *settings;    /* owned */
  AssayLibrary *library;      /* owned */
  AssayDraft *draft;          /* owned */
  char *suggested;            /* owned: what the draft's open field was set to, and nobody chose; or NULL */
  GListStore *notices;        /* owned */
  GPtrArray *keepers;         /* owned: AssayKeeper; the open ledger's and those that still have something to save */

  AssayLedger *ledger;        /* owned */
  AssayRecord *record;        /* owned */
  GPtrArray *questions;       /* owned; NULL: a free prompt */
  char *question_set;         /* owned */
  char *questions_from;       /* owned: path a person chose them from, "" for a free prompt; NULL: as they came */
  char *draft_as_filled;      /* owned: the draft before a person edited it, as text; NULL: between two ledgers */
  char *draft_saved;          /* owned: the same of what is on disk; NULL: nothing of this draft */
  guint draft_due;            /* source id */
  GCancellable *foretelling;  /* owned: of a suggestion that is only the table's so far; NULL: none is */
  GPtrArray *bundled;         /* owned: the questions that come with the program */
  char *bundled_set;          /* owned */

  AssayTrial *trial;          /* owned: the one going on */
  AssayKeeper *trial_keeper;  /* owned: of the ledger that the trial belongs to */
  AssayValues *conditions;    /* owned: of all repeats */
  GPtrArray *trial_questions; /* owned */
  AssayRecord *trial_parent;  /* owned */
  char *trial_changed;        /* owned */
  AssayRecord *trial_planned; /* owned: the planned trial it carries out; NULL: what was set up */
  AssayQueue *queue;          /* owned: the one begun last; NULL: none was */
  AssayLedger *queue_ledger;  /* owned: the open one, whose planned trials are watched */
  AssayLock *queue_lock;      /* owned: no other program runs the queue meanwhile; or NULL */
  gboolean queue_runs;        /* from its first trial to its last, but for a pause */
  char *queue_ended;          /* owned: what became of the queue that ended last, in words; or NULL */
  gint64 repeats_left;
  gboolean stopped;           /* a person stopped: no more repeats */

  GFileMonitor *monitor;      /* owned: of the open ledger's file; NULL when there is none */
  guint follow_due;           /* source id */

  GCancellable *loading;      /* owned: the ledger being opened */
  GCancellable *inspecting;   /* owned: the model file being read */
  GPtrArray *recovered;       /* owned: journal entries on offer */
  guint n_working;
  char *work;                 /* owned */
};

void session_notify (AssaySession *self, SessionProp prop);
void session_post_error (AssaySession *self, const char *id, const char *what, const GError *error);
/* Work that a person may be waiting for; words are shown until the last one ends. */
void session_begin_work (AssaySession *self, const char *words);
void session_end_work (AssaySession *self);

/* Tells what was done, and how it is taken back. All borrowed; argument is sunk. */
void session_tell (AssaySession *self, const char *message, const char *action, const char *label, GVariant *argument);
/* Leaves the ledger alone when something is still to be done in it; then it says so. */
gboolean session_can_leave_file (AssaySession *self, const char *path);

/* The one that keeps `ledger` saved, made when there is none. (transfer none) */
AssayKeeper *session_keep (AssaySession *self, AssayLedger *ledger);
/* assay-session-queue.c */
void session_watch_queue (AssaySession *self);           /* of the ledger that is open now */
void session_adopt_planned (AssaySession *self);         /* interrupted runs of its queue, from the recovery journal */
void session_unlock_queue (AssaySession *self);          /* others may run it */
void session_end_planned (AssaySession *self, AssayRecord *record); /* the queue goes on */

/* assay-session-run.c */
gboolean session_prepare_ledger (AssaySession *self);    /* one that a run can be written into; FALSE: said why there is none */
void session_run_planned (AssaySession *self, AssayLedger *ledger, AssayRecord *planned);
void session_end_run (AssaySession *self);
void session_clear_trial (AssaySession *self);           /* which has ended; the ledger stays kept for the next one */

void session_set_ledger (AssaySession *self, AssayLedger *ledger);
void session_set_questions (AssaySession *self, GPtrArray *questions, const char *question_set);
void session_load_bundled_questions (AssaySession *self, GAsyncReadyCallback then, gpointer data);
void session_describe_model (AssaySession *self);
void session_offer_recovered (AssaySession *self);
void session_stop_foretelling (AssaySession *self);
void session_continue (AssaySession *self, AssayRecord *parent, AssayFieldId field, const char *to);

/* The draft outlives the program: watch once; look when the form was filled for a ledger, or for none; mark when it was
 * filled anew; leave before the ledger becomes another one; forget when it is run. */
void session_watch_draft (AssaySession *self);
void session_unwatch_draft (AssaySession *self);
void session_look_for_draft (AssaySession *self);
gboolean session_is_as_filled (AssaySession *self); /* nobody edits, and nothing runs */
void session_mark_draft (AssaySession *self);
void session_leave_draft (AssaySession *self);
void session_forget_draft (AssaySession *self);

/* The open ledger follows its file from here on; called again when either becomes another. */
void session_follow_file (AssaySession *self);
void session_unfollow_file (AssaySession *self);

/* A fresh ledger in the library's folder, open and kept. (transfer none) */
AssayLedger *session_create_ledger (AssaySession *self, const char *title);

G_END_DECLS
