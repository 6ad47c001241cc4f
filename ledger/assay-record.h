/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-record.h: one run, as it is written into the book.
 *
 * A record is built by one thread (the trial's worker, an importer, the reader) and sealed with
 * assay_record_seal() when it is handed on. Sealed records are immutable and shared freely between threads;
 * an edit (a review, a next trial) makes a changed copy, which replaces the old one in the ledger. So a save
 * on a worker thread needs only references. It is a GObject because lists in the window hold it. */
#pragma once

#include <glib-object.h>

#include "assay-ledger-error.h"
#include "assay-series.h"
#include "assay-values.h"

G_BEGIN_DECLS

/* record.md, 'status': in the order of the field's domain */
typedef enum
{
  ASSAY_STATUS_COMPLETED,
  ASSAY_STATUS_OOM_DEVICE,
  ASSAY_STATUS_OOM_HOST,
  ASSAY_STATUS_TIME_LIMIT,
  ASSAY_STATUS_CANCELLED,
  ASSAY_STATUS_LOAD_FAILED,
  ASSAY_STATUS_FAILED,
  ASSAY_STATUS_KILLED,
  ASSAY_STATUS_INTERRUPTED,
  ASSAY_STATUS_INVALID,
  ASSAY_STATUS_INVALID_OUTPUT,
  ASSAY_N_STATUSES,
  ASSAY_STATUS_UNKNOWN = ASSAY_N_STATUSES, /* the record does not say */
} AssayRunStatus;

const char *assay_run_status_get_name (AssayRunStatus status);  /* "oom_device"; "unknown" */
AssayRunStatus assay_run_status_from_name (const char *name);

typedef struct
{
  char *question;                      /* question id; "" for a free prompt */
  char *text; /* bytes as the model made them, a NUL behind them; may hold anything, NULs too */
  gsize text_length;
  gint64 input_tokens, output_tokens;  /* -1 unknown */
  gint64 prompt_ns, generate_ns;       /* -1 unknown */
  char *finish;                        /* stop, length, cancelled, error */
  gboolean partial;
  char *asset; /* side file's name in NAME.assets, or NULL; verified against its hash */
  gboolean asset_missing;              /* the side file is gone or its hash differs */
  GBytes *attachment;      /* what `asset` is to hold, until a save has written it; NULL once read from a ledger */
} AssayOutput;

typedef struct
{
  char *criterion;                     /* criterion id of the ledger */
  char *question;                      /* or NULL: about the run as a whole */
  gint value;                          /* 1..5, or 0/1 for yes_no; 0 for free words */
  char *words;                         /* of a free criterion; NULL for the others */
} AssayScore;

typedef enum { ASSAY_VERDICT_NOT_JUDGED, ASSAY_VERDICT_PASS, ASSAY_VERDICT_FAIL } AssayVerdict;
const char *assay_verdict_get_name (AssayVerdict verdict);      /* "not judged", "pass", "fail" */

typedef struct
{
  char *id;
  char *reviewer;
  char *at;                            /* RFC 3339 with offset */
  gboolean blind;
  char *supersedes;                    /* id of the review this corrects, or NULL */
  guint64 order_seed;                  /* what the order of the runs was drawn from; 0 not recorded */
  guint position;                      /* the how-manieth the reviewer saw in that order, from 1; 0 not recorded */
  GPtrArray *scores;                   /* (element-type AssayScore) */
  AssayVerdict verdict;
  char *quality_note;                  /* or NULL */
} AssayReview;

/* One signal, one changed axis, everything else held fixed. */
typedef struct
{
  char *signal;                        /* assay_signal_get_name() */
  char *axis;                          /* field name that changes, or an axis without a field */
  char *from, *to;                     /* file form; NULL is unset */
  char **held;                         /* names of what stays fixed */
  char *note;                          /* or NULL */
  /* what the planner said of it when it was chosen; -1: it was not asked, or could not say */
  gint64 predicted_peak_vram, predicted_peak_ram; /* bytes, as the engine's allocator counts */
  gint64 predicted_ns;                 /* at least */
  char *invalid;                       /* why this cannot be followed (two axes, no change …), or NULL */
} AssayNextTrial;

AssayOutput *assay_output_new (const char *question);
void assay_output_free (AssayOutput *self);
/* An output that is no text, such as an image: it becomes a side file. suffix: ".png". Takes the bytes. */
void assay_output_take_attachment (AssayOutput *self, GBytes *bytes, const char *suffix);
gboolean assay_output_says_same (const AssayOutput *a, const AssayOutput *b); /* byte for byte; an image: the same file */
AssayReview *assay_review_new (const char *reviewer);           /* id and `at` filled in */
AssayReview *assay_review_copy (const AssayReview *self);
void assay_review_free (AssayReview *self);
void assay_review_set_score (AssayReview *self, const char *criterion, const char *question, gint value);
void assay_review_set_words (AssayReview *self, const char *criterion, const char *question, const char *words);
const AssayScore *assay_review_find_score (const AssayReview *self, const char *criterion,
                                           const char *question);
AssayNextTrial *assay_next_trial_new (void);
AssayNextTrial *assay_next_trial_copy (const AssayNextTrial *self);
void assay_next_trial_free (AssayNextTrial *self);

#define ASSAY_TYPE_RECORD (assay_record_get_type ())
G_DECLARE_FINAL_TYPE (AssayRecord, assay_record, ASSAY, RECORD, GObject)

/* A fresh record with a new run id (UTC time to the second and six random hex digits), unsealed. */
AssayRecord *assay_record_new (void);
AssayRecord *assay_record_copy (AssayRecord *self); /* (transfer full) an unsealed copy with the same id */
void assay_record_seal (AssayRecord *self);
gboolean assay_record_is_sealed (AssayRecord *self);

const char *assay_record_get_id (AssayRecord *self);
const char *assay_record_get_parent (AssayRecord *self);        /* run id this one continues, or NULL */
const char *assay_record_get_changed (AssayRecord *self); /* the field changed since the parent, or NULL */
const char *assay_record_get_planned (AssayRecord *self);       /* id of the planned trial it carries out, or NULL */
void assay_record_set_planned (AssayRecord *self, const char *planned);
/* When a person accepted what was in effect though it is not what was asked for, RFC 3339; NULL: nobody did. */
const char *assay_record_get_accepted (AssayRecord *self);
void assay_record_set_accepted (AssayRecord *self, const char *accepted);
void assay_record_set_id (AssayRecord *self, const char *id);
void assay_record_set_parent (AssayRecord *self, const char *parent, const char *changed);

/* (transfer none). The setters of AssayValues may be used on these until the record is sealed. `effective`
 * holds only what differed from what was asked. */
AssayValues *assay_record_get_conditions (AssayRecord *self);
AssayValues *assay_record_get_effective (AssayRecord *self);
AssayValues *assay_record_get_burden (AssayRecord *self);
AssayValues *assay_record_get_outcome (AssayRecord *self);
void assay_record_take_conditions (AssayRecord *self, AssayValues *values);

/* The values a field's group keeps it in; for a condition: effective where set, else as requested. */
const AssayValues *assay_record_get_values_for (AssayRecord *self, AssayFieldId field);

AssayRunStatus assay_record_get_status (AssayRecord *self);
void assay_record_set_status (AssayRecord *self, AssayRunStatus status);

GPtrArray *assay_record_get_outputs (AssayRecord *self);        /* (element-type AssayOutput) */
GPtrArray *assay_record_get_reviews (AssayRecord *self);        /* (element-type AssayReview), oldest first */

/* Memory over time, phases and marks. (transfer none); never NULL, may be empty. A sealed record's series no
 * longer changes. Files keep at most ASSAY_SERIES_KEPT samples, downsampled without losing a peak. */
AssaySeries *assay_record_get_series (AssayRecord *self);
void assay_record_take_series (AssayRecord *self, AssaySeries *series);

const AssayNextTrial *assay_record_get_next_trial (AssayRecord *self); /* or NULL */
void assay_record_take_next_trial (AssayRecord *self, AssayNextTrial *next);

/* The reviews that count: the last by each reviewer that no other supersedes. (transfer container) */
GPtrArray *assay_record_get_current_reviews (AssayRecord *self);

/* Holders of device memory before the run, GPUs' process names and the like: free text lines, kept with
 * vram_baseline. */
const char *assay_record_get_baseline_holders (AssayRecord *self);
void assay_record_set_baseline_holders (AssayRecord *self, const char *holders);

/* A run of the file that could not be understood: shown as damaged, written back unchanged. */
gboolean assay_record_is_damaged (AssayRecord *self);
const char *assay_record_get_damage (AssayRecord *self);        /* reason, and where it was in the file; or NULL */

/* Notices about a readable run (duplicate id, rating out of range left aside …): NULL-terminated, may be
 * empty. */
const char *const *assay_record_get_notices (AssayRecord *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayOutput, assay_output_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayReview, assay_review_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayNextTrial, assay_next_trial_free)

G_END_DECLS
