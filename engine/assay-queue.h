/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/assay-queue.h: a ledger's planned trials, one after another.
 *
 * Decides what comes next and whether it can be run now; running and saving is its owner's: a window keeps its
 * journal on other threads, the command line waits. So each trial is a run like any other, and nothing of one is
 * carried into the next. Lives on the thread that made it, whose main context brings the answers. */
#pragma once

#include "assay-planned.h"
#include "assay-readiness.h"

G_BEGIN_DECLS

typedef enum
{
  ASSAY_QUEUE_IDLE,     /* not begun, stopped, or all done */
  ASSAY_QUEUE_CHECKING, /* the next one's forecast is made */
  ASSAY_QUEUE_RUNNING,  /* between "run" and assay_queue_finished() */
  ASSAY_QUEUE_PAUSED,   /* waits for a decision: the problem says why */
} AssayQueueState;

#define ASSAY_TYPE_QUEUE (assay_queue_get_type ())
G_DECLARE_FINAL_TYPE (AssayQueue, assay_queue, ASSAY, QUEUE, GObject)

/* Property "state" (uint AssayQueueState, ro, notified: also when the problem of a pause is another one).
 * Signals:
 *  "run" (AssayRecord *planned): the owner runs it once, adds the record, which names it, to the ledger, and calls
 *    assay_queue_finished();
 *  "ended" (): nothing is left of it, it was stopped, or a trial failed and it stops at failures. */
AssayQueue *assay_queue_new (AssayLedger *ledger);
/* Only these, and what the ledger plans beside them stays for later; NULL: all. */
void assay_queue_set_only (AssayQueue *self, GPtrArray *planned);
void assay_queue_set_stops_at_failure (AssayQueue *self, gboolean stops);
void assay_queue_set_runs_anyway (AssayQueue *self, gboolean runs); /* never pauses */

AssayLedger *assay_queue_get_ledger (AssayQueue *self);
AssayQueueState assay_queue_get_state (AssayQueue *self);
AssayRecord *assay_queue_get_current (AssayQueue *self);            /* (transfer none) checked, run or waiting; or NULL */
const AssayReadiness *assay_queue_get_readiness (AssayQueue *self); /* of the current one; NULL while it is made */
guint assay_queue_get_n_finished (AssayQueue *self);                /* runs since start() */
gboolean assay_queue_is_active (AssayQueue *self);                  /* any state but IDLE */
gboolean assay_queue_is_stopping (AssayQueue *self);                /* ends with the trial that runs now */

void assay_queue_start (AssayQueue *self);      /* from IDLE */
void assay_queue_retry (AssayQueue *self);      /* from PAUSED: looks again */
void assay_queue_skip (AssayQueue *self);       /* from PAUSED: it stays planned, and is passed over this time */
void assay_queue_run_anyway (AssayQueue *self); /* from PAUSED */
/* No further trial begins. While one runs that one goes on, and "ended" comes after it. */
void assay_queue_stop (AssayQueue *self);
/* The run that "run" asked for has ended, and its record is in the ledger. */
void assay_queue_finished (AssayQueue *self, AssayRecord *record);

/* The questions a planned trial asks; NULL: its own prompt. (transfer none) */
GPtrArray *assay_queue_get_questions (AssayLedger *ledger, AssayRecord *planned);

G_END_DECLS
