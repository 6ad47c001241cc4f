/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/assay-trial-private.h: the trial's parts, between its files.
 *
 *   assay-trial.c            the object: properties, signals, the thread, the way of news to the home context
 *   assay-trial-run.c        the worker: phases, failures
 *   assay-trial-prompts.c    the questions as tokens
 *   assay-trial-answer.c     the worker: some questions at once, prompt and generate
 *   assay-trial-record.c     the worker: effective conditions, outcome
 *   assay-trial-burden.c     the worker: memory, time, link
 *   assay-trial-card.c       a card's memory before the run, and its name
 *   assay-trial-process.c    the worker where a child computes: its start, its turns, its end
 *   assay-trial-told.c       what the child says, line by line
 *   assay-trial-conditions.c defaults and the rules of the subject
 */
#pragma once

#include "assay-child.h"
#include "assay-forecast.h"
#include "assay-meter.h"
#include "assay-remaining.h"
#include "assay-rig.h"
#include "assay-trial.h"

G_BEGIN_DECLS

/* Why the run should end; the first reason stands. */
typedef enum { ASSAY_STOP_NONE, ASSAY_STOP_CANCELLED, ASSAY_STOP_TIME_LIMIT } AssayStop;

/* For tests: opens the rig's devices in another way than assay_rig_open(). */
typedef gboolean (*AssayRigFunc) (AssayRig *rig, const AssayValues *conditions, gpointer data, GError **error);

/* What the home side shows; written by the worker under the trial's lock. */
typedef struct
{
  gboolean running;
  const char *phase;      /* static */
  double fraction, remaining_seconds, tokens_per_second;
  guint question;
  const char *component, *module; /* of the unit being computed; static or the model's */
  gint group;
  char block[64];         /* the block in the window of a streamed model; "" where nothing is streamed */
  gint64 foretold_bytes;  /* the planner's peak of what the budget counts; -1 before it was asked */
} AssayTrialNews;

struct _AssayTrial
{
  GObject parent_instance;

  /* constant after new() */
  AssayValues *conditions;
  GPtrArray *questions;    /* (element-type AssayQuestion); NULL: the condition `prompt` */
  AssayRecord *started;    /* sealed */
  AssaySeries *series;
  GMainContext *home;
  GCancellable *stop;      /* cancelled for either reason */
  AssayRecord *parent;     /* or NULL */
  AssayRigFunc rig_func;
  gpointer rig_data;

  gint stop_reason;        /* AssayStop, atomic */
  gboolean was_started;    /* home thread */

  GMutex lock;             /* over all below */
  AssayTrialNews news;
  GQueue texts;            /* TrialText, oldest first */
  gboolean wake_queued;
  gint64 last_wake_us;
  AssayRecord *finished;   /* sealed; handed over by the worker */

  /* home thread: what was last told */
  AssayTrialNews told;
  gboolean told_finished;
};

/* --- assay-trial.c, for the worker --- */
void assay_trial_post_phase (AssayTrial *self, const char *phase);
void assay_trial_post_fraction (AssayTrial *self, double fraction, double remaining_seconds);
void assay_trial_post_question (AssayTrial *self, guint question);
void assay_trial_post_speed (AssayTrial *self, double tokens_per_second);
/* block: as of assay_placement_dup_resident(). */
void assay_trial_post_unit (AssayTrial *self, const AssayModelUnit *unit, const char *block);
void assay_trial_post_foretold (AssayTrial *self, guint64 bytes);
void assay_trial_post_text (AssayTrial *self, const char *question_id, const char *utf8);
void assay_trial_post_finished (AssayTrial *self, AssayRecord *record);    /* takes it; the last post */
guint assay_trial_get_n_questions (AssayTrial *self);
void assay_trial_stop (AssayTrial *self, AssayStop reason);                /* any thread */

/* For tests, before start(). */
void assay_trial_set_rig_func (AssayTrial *self, AssayRigFunc func, gpointer data);

/* --- the worker's state --- */
typedef struct
{
  AssayTrial *trial;
  AssayRecord *record;      /* unsealed until the end */
  AssayRecord *so_far;      /* as it was held against the parent; NULL without one */
  AssayValues *actual;      /* conditions with defaults and what the file and the device say */
  AssayInspection *inspection;
  AssayRig rig;
  gboolean placed;          /* the model can be asked */
  guint n_blocks_to_mark;   /* streamed blocks whose arrival is still noted: two passes' */
  AssayMeter *meter;
  AssayChatFormat chat_format;
  GPtrArray *prompts;       /* (element-type GArray of gint32), one a question */
  guint64 mapped_bytes;

  gint64 start_ns, deadline_ns; /* monotonic; deadline 0: none */
  const char *phase;            /* open phase, or NULL */
  gint64 phase_start_ns;
  AssayRemaining remaining;
  gint64 load_ns, convert_ns, prompt_ns, generate_ns, sampling_ns, first_token_ns;
  guint n_first_tokens;
  gint64 input_tokens, output_tokens;
  guint question;               /* from 0 */
  gint64 step;                  /* token of the prompt or of the answer; -1 outside these phases */
  gint64 ram_baseline;
  AssayNvml *nvml;              /* of a card; NULL on other devices */
  gint64 vram_baseline;         /* in use on the card before the run; -1 unknown */
  guint n_empty;                /* questions answered with nothing */

  AssayValues *told;            /* burden as a child tells it; NULL where the engine computes */
  gint64 told_allocated, told_reserved; /* device memory now, by the child; -1 unknown */
  gint64 told_phase_peak;       /* greatest told_allocated of the open phase; -1 unknown */
} TrialRun;

gint64 assay_trial_now_ns (void);

/* --- assay-trial-run.c --- */
gpointer assay_trial_thread (gpointer trial);                        /* takes a reference */
void trial_run_begin_phase (TrialRun *run, const char *name);
gint64 trial_run_end_phase (TrialRun *run);                          /* its duration, also added to its sum */
gboolean trial_run_check_stop (TrialRun *run, GError **error);       /* CANCELLED or TIME_LIMIT */

gboolean trial_run_check_parent (TrialRun *run, GError **error);     /* that one axis moved, as far as is known yet */

/* --- assay-trial-process.c --- */
/* From the start of the child to its end, whatever that is. */
gboolean trial_run_process (TrialRun *run, GError **error);

/* --- assay-trial-prompts.c --- */
/* Every question wrapped and as tokens. (transfer full) (element-type GArray of gint32) */
GPtrArray *assay_trial_encode_prompts (const AssayValues *conditions, const AssayInspection *inspection,
                                       GPtrArray *questions, AssayChatFormat *format, GCancellable *cancellable,
                                       GError **error);

/* --- assay-trial-answer.c --- */
gboolean trial_run_tokenize (TrialRun *run, GError **error);
/* Questions [first, first + n), at once. */
gboolean trial_run_answer (TrialRun *run, guint first, guint n, GError **error);
/* Text of a record holds no NUL: pictures of it stand for it. Takes the bytes. (transfer full) */
char *trial_run_keep_text (GString *bytes, gsize *length);
gboolean trial_run_text_is_empty (const char *text);

/* --- assay-trial-card.c --- */
void trial_run_watch_card (TrialRun *run);    /* its use before the run; starts the driver's samples */
void trial_run_write_card (TrialRun *run);    /* effective conditions */

/* --- assay-trial-burden.c --- */
void trial_run_write_burden (TrialRun *run);

/* --- assay-trial-record.c --- */
void trial_run_write_environment (TrialRun *run);
void trial_run_write_effective (TrialRun *run, AssayRecord *record);
void trial_run_write_outcome (TrialRun *run, const GError *error);

/* --- assay-trial-conditions.c --- */
/* What follows from the other conditions: the calls that place the model, the type of cached values. */
void assay_trial_fill_consequences (AssayValues *conditions);
gboolean assay_trial_is_process (const AssayValues *conditions); /* a child computes, and not the engine */
gboolean assay_trial_is_on_cpu (const AssayValues *conditions); /* the engine computes in host memory */
/* assay_trial_check_conditions(), for those who need its reason code. RULE. */
gboolean assay_trial_check (const AssayValues *conditions, gboolean has_questions, GError **error);
/* RULE, for a message that names the field itself. Returns: FALSE. */
gboolean assay_trial_set_rule (GError **error, const char *reason, AssayFieldId field, const char *message);

G_END_DECLS
