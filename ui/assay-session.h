/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-session.h: what one window is about: the library, the open ledger, the run looked at, the run going on, and
 * the trial being set up.
 *
 * Knows no widget. Does every file operation on other threads and holds itself while one is under way, so it may be
 * dropped at any time. What went wrong is a notice, not a dialog. Main thread. */
#pragma once

#include "assay-draft.h"
#include "assay-library.h"
#include "assay-notice.h"
#include "assay-queue.h"
#include "assay-settings.h"
#include "assay-sweep.h"
#include "assay-trial.h"
#include "assay-undo.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_SESSION (assay_session_get_type ())
G_DECLARE_FINAL_TYPE (AssaySession, assay_session, ASSAY, SESSION, GObject)

/* Properties, read-only, notified:
 *  "library" (AssayLibrary), "draft" (AssayDraft), "notices" (GListStore of AssayNotice): the same objects always;
 *  "ledger" (AssayLedger or NULL), "record" (AssayRecord: the run looked at, or NULL: the one going on),
 *  "trial" (AssayTrial going on, or NULL), "shown-trial" (AssayTrial: "trial" while no other run is looked at),
 *  "running" (boolean), "work" (string: what is being waited for, in words; NULL when nothing), "idle" (boolean: no run,
 *  no save under way), "undo" (AssayUndo of the open ledger; NULL where nothing can be edited), "question-set" (string: name of the questions of the next run, or NULL: a free prompt). */
/* Signal: "happened" (string: what was done, string: an action of the window that takes it back or NULL, string: that
 * action's label, GVariant: its argument or NULL). */
AssaySession *assay_session_new (AssaySettings *settings);
AssaySettings *assay_session_get_settings (AssaySession *self);
AssayLibrary *assay_session_get_library (AssaySession *self);
AssayDraft *assay_session_get_draft (AssaySession *self);
GListStore *assay_session_get_notices (AssaySession *self);
AssayLedger *assay_session_get_ledger (AssaySession *self);
AssayRecord *assay_session_get_record (AssaySession *self);
gboolean assay_session_is_running (AssaySession *self);
gboolean assay_session_is_idle (AssaySession *self);
const char *assay_session_get_work (AssaySession *self);

/* Ledgers */
void assay_session_open (AssaySession *self, const char *path);
void assay_session_open_salvaged (AssaySession *self, const char *path);
void assay_session_close_ledger (AssaySession *self);          /* the next run begins a ledger of its own */
void assay_session_select (AssaySession *self, AssayRecord *record); /* NULL: the run going on */
void assay_session_retry_save (AssaySession *self);
void assay_session_save_elsewhere (AssaySession *self, const char *path);
gboolean assay_session_has_unsaved (AssaySession *self);       /* a save failed and was not made good */
void assay_session_add_recovered (AssaySession *self);
gboolean assay_session_has_open (AssaySession *self, const char *path);
char *assay_session_dup_title_of (AssaySession *self, const char *path); /* as the library knows it, else the file's name */

/* Edits and whole ledgers. Whatever is deleted comes back by undo, or from the trash. */
AssayUndo *assay_session_get_undo (AssaySession *self);
void assay_session_undo (AssaySession *self);
void assay_session_redo (AssaySession *self);
void assay_session_rename (AssaySession *self, const char *title);
void assay_session_delete_run (AssaySession *self, const char *run_id);
void assay_session_delete_review (AssaySession *self, const char *run_id, const char *review_id);
void assay_session_duplicate (AssaySession *self, const char *path);
void assay_session_trash (AssaySession *self, const char *path);
void assay_session_restore (AssaySession *self, const char *path);
/* A ledger is copied into the library and opened; plain records go into the open ledger, or into a new one. */
void assay_session_import (AssaySession *self, const char *path);

/* The next trial */
void assay_session_choose_model (AssaySession *self, const char *path);
/* A file that names no pre-tokenizer too: its runs are marked as ones whose tokens may be wrong. */
void assay_session_choose_unverified_model (AssaySession *self, const char *path);
void assay_session_use_bundled_questions (AssaySession *self);
void assay_session_use_questions_file (AssaySession *self, const char *path);
void assay_session_use_free_prompt (AssaySession *self);
/* Why the ledger keeps its questions, or NULL while they may be chosen. */
const char *assay_session_get_questions_lock (AssaySession *self);
GPtrArray *assay_session_get_questions (AssaySession *self);   /* of the next run; NULL: a free prompt */
const char *assay_session_get_question_set (AssaySession *self);
/* Continues the run looked at where it was carried through, else an unlocked copy of it; without one a baseline. */
void assay_session_new_trial (AssaySession *self);
void assay_session_continue_run (AssaySession *self);          /* one field open, whatever came of the run */
void assay_session_copy_run (AssaySession *self);              /* every field open, with the run's values */
void assay_session_new_baseline (AssaySession *self);
/* What is set up is kept for the next start without being asked to: save writes what is due at once, discard goes back
 * to what the form would hold without it. */
void assay_session_save_draft (AssaySession *self);
void assay_session_discard_draft (AssaySession *self);
void assay_session_plan (AssaySession *self, const char *run_id, const char *field, const char *to);
void assay_session_start (AssaySession *self);
void assay_session_stop (AssaySession *self);

/* The queue of the open ledger. Signal "queue-changed" (): its state, its trials or the ledger are other ones. */
void assay_session_add_to_queue (AssaySession *self);          /* what is set up */
AssaySweep *assay_session_read_sweep (AssaySession *self, const char *values, GError **error); /* of the open field */
void assay_session_add_sweep (AssaySession *self, AssaySweep *sweep);
AssayQueue *assay_session_get_queue (AssaySession *self);      /* (transfer none) of the open ledger while active; or NULL */
gboolean assay_session_can_run_queue (AssaySession *self);     /* something is left, and nothing runs */
void assay_session_start_queue (AssaySession *self);
void assay_session_pause_queue (AssaySession *self);           /* the trial going on ends first */
void assay_session_retry_queue (AssaySession *self);           /* these three: while it waits for a decision */
void assay_session_skip_in_queue (AssaySession *self);
void assay_session_run_anyway (AssaySession *self);
void assay_session_unplan (AssaySession *self, const char *id); /* NULL: all that are left */
void assay_session_move_planned (AssaySession *self, const char *id, gint by);
char *assay_session_take_queue_words (AssaySession *self);     /* (transfer full) what became of it, told once; or NULL */

void assay_session_try_sample (AssaySession *self);

G_END_DECLS
