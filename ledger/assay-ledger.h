/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-ledger.h: a header and an ordered list of runs; a GListModel of AssayRecord, oldest first.
 *
 * Lives on one thread, usually the window's. To save on another, take a snapshot (cheap: references to sealed
 * records). Change signals come through GListModel::items-changed and notify. */
#pragma once

#include <gio/gio.h>

#include "assay-record.h"

G_BEGIN_DECLS

typedef enum { ASSAY_CRITERION_SCALE, ASSAY_CRITERION_YES_NO, ASSAY_CRITERION_FREE } AssayCriterionKind;

typedef struct
{
  char *id;                 /* "groundedness" */
  char *label;              /* for people; may be NULL: the id is shown */
  AssayCriterionKind kind;
  char *low, *high;         /* words at 1 and at 5; NULL for yes/no and for free words */
  gint pass;                /* scale: at least this; yes/no: 1 asks for yes; 0 no threshold, as always for free words */
  gboolean per_question;
  gboolean required;        /* a review is not whole without it */
} AssayCriterion;

/* The thresholds of the three gates. A negative number is 'not set'. */
typedef struct
{
  gint64 vram_budget;             /* bytes */
  double time_limit_seconds;
  double mean_latency_seconds;    /* operation */
  double max_retry_rate;          /* operation, 0..1 */
  double min_tokens_per_second;   /* operation */
  gint64 max_ram;                 /* operation, bytes of peak_ram */
  GPtrArray *criteria;            /* quality: (element-type AssayCriterion) */
  char *changed_at;               /* RFC 3339: when they were last changed after a review was written; or NULL */
  char *changed_from;             /* ids that they then had: "accuracy, fluency"; or NULL */
} AssayCriteria;

typedef struct
{
  char *id;                 /* "q1" */
  char *language;           /* "en", "zh", "ko"; may be NULL */
  char *text;
  char *expected;           /* expected answer, or NULL */
  char *hint; /* '|'-separated strings any of which hints at it, or NULL: the expected answer itself */
} AssayQuestion;

AssayCriteria *assay_criteria_new (void);                       /* nothing set, no criteria */
AssayCriteria *assay_criteria_new_default (AssayTask task);     /* the template of a task kind */
AssayCriteria *assay_criteria_copy (const AssayCriteria *self);
void assay_criteria_free (AssayCriteria *self);
const AssayCriterion *assay_criteria_find (const AssayCriteria *self, const char *id);
gboolean assay_criteria_equal (const AssayCriteria *a, const AssayCriteria *b);
gboolean assay_criteria_same_quality (const AssayCriteria *a, const AssayCriteria *b); /* thresholds of the others aside */
char *assay_criteria_dup_ids (const AssayCriteria *self);       /* "accuracy, fluency"; NULL when there are none */
/* Whether the review was written before the criteria were last changed: what it says is not compared with later ones. */
gboolean assay_criteria_is_earlier (const AssayCriteria *self, const AssayReview *review);
const char *assay_criterion_kind_get_name (AssayCriterionKind kind); /* "scale", "yes_no", "free" */
gboolean assay_criterion_kind_from_name (const char *name, AssayCriterionKind *kind); /* FALSE: none of them */
AssayCriterion *assay_criterion_new (const char *id, AssayCriterionKind kind);
AssayCriterion *assay_criterion_copy (const AssayCriterion *self);
gboolean assay_criterion_equal (const AssayCriterion *a, const AssayCriterion *b);
void assay_criterion_free (AssayCriterion *self);
AssayQuestion *assay_question_new (const char *id, const char *text);
void assay_question_free (AssayQuestion *self);

#define ASSAY_TYPE_LEDGER (assay_ledger_get_type ())
G_DECLARE_FINAL_TYPE (AssayLedger, assay_ledger, ASSAY, LEDGER, GObject)

/* Properties: "title" (string, rw), "path" (string, ro), "unsaved" (boolean, ro), "read-only" (boolean, ro),
 * "n-runs" (uint, ro). Signals: "criteria-changed" (), "planned-changed" (): see assay-planned.h. */
AssayLedger *assay_ledger_new (AssayTask task, const char *title);
AssayLedger *assay_ledger_snapshot (AssayLedger *self); /* (transfer full) shares the sealed records */

const char *assay_ledger_get_id (AssayLedger *self);            /* uuid */
const char *assay_ledger_get_title (AssayLedger *self);
void assay_ledger_set_title (AssayLedger *self, const char *title);
AssayTask assay_ledger_get_task (AssayLedger *self);
const char *assay_ledger_get_path (AssayLedger *self);          /* or NULL while unsaved */
void assay_ledger_set_path (AssayLedger *self, const char *path);
gboolean assay_ledger_is_read_only (AssayLedger *self);
const char *assay_ledger_get_read_only_reason (AssayLedger *self);
gboolean assay_ledger_is_unsaved (AssayLedger *self);

const AssayCriteria *assay_ledger_get_criteria (AssayLedger *self);
void assay_ledger_take_criteria (AssayLedger *self, AssayCriteria *criteria);
/* The same as an edit by a person: where a review of the ledger stands under the old quality criteria, the change is
 * noted in the new ones (the axis evaluation_criterion moves). */
void assay_ledger_change_criteria (AssayLedger *self, AssayCriteria *criteria);
GPtrArray *assay_ledger_get_questions (AssayLedger *self); /* (transfer none) (element-type AssayQuestion) */
const char *assay_ledger_get_question_set (AssayLedger *self);  /* "basic-12 sha256:…", or NULL */
void assay_ledger_take_questions (AssayLedger *self, GPtrArray *questions, const char *question_set);
const AssayQuestion *assay_ledger_find_question (AssayLedger *self, const char *id);

guint assay_ledger_get_n_runs (AssayLedger *self);
AssayRecord *assay_ledger_get_run (AssayLedger *self, guint position);     /* (transfer none) */
AssayRecord *assay_ledger_find_run (AssayLedger *self,
                                    const char *id); /* (transfer none); NULL when absent */

/* Sealed records only. add refuses an id that is present; insert puts a removed run back where it was; replace swaps
 * the run of the same id (used for an edit). A removed run stays removed for every program that has the ledger open,
 * unless one of them edited it meanwhile. */
void assay_ledger_add_run (AssayLedger *self, AssayRecord *record);
void assay_ledger_insert_run (AssayLedger *self, guint position, AssayRecord *record);
void assay_ledger_replace_run (AssayLedger *self, AssayRecord *record);
gboolean assay_ledger_remove_run (AssayLedger *self, const char *id);

/* Edits, each one step: copy, change, seal, replace; review and next are lent and copied. Errors: NO_SUCH for
 * a run, review or criterion that is not there; VALUE for a score outside its criterion; RULE for a next_trial that
 * moves no axis or more than one. */
gboolean assay_ledger_add_review (AssayLedger *self, const char *run_id, AssayReview *review, GError **error);
gboolean assay_ledger_remove_review (AssayLedger *self, const char *run_id, const char *review_id, GError **error);
/* Whether a person accepts what was in effect in a run though it is not what was asked for, so that it may be compared.
 * RULE: it is what was asked for. */
gboolean assay_ledger_set_accepted (AssayLedger *self, const char *run_id, gboolean accepted, GError **error);
/* Was this run removed on purpose, as opposed to never there? */
gboolean assay_ledger_has_removed_run (AssayLedger *self, const char *run_id);
gboolean assay_ledger_set_next_trial (AssayLedger *self, const char *run_id, AssayNextTrial *next,
                                      GError **error);

/* Notices of the reader: duplicates, newer elements kept, contradictions. NULL-terminated, may be empty. */
const char *const *assay_ledger_get_notices (AssayLedger *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayCriteria, assay_criteria_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayCriterion, assay_criterion_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayQuestion, assay_question_free)

G_END_DECLS
