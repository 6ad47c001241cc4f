/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-advice.h: from what happened to the one thing to change next. */
#pragma once

#include "assay-ledger.h"

G_BEGIN_DECLS

typedef enum
{
  ASSAY_SIGNAL_NONE,            /* nothing calls for a change, or nothing is judged yet, or another failure */
  ASSAY_SIGNAL_OOM_DEVICE,
  ASSAY_SIGNAL_OOM_HOST,
  ASSAY_SIGNAL_TOO_SLOW,
  ASSAY_SIGNAL_QUALITY_MISS,
  ASSAY_N_SIGNALS
} AssaySignal;

const char *assay_signal_get_name (AssaySignal signal);   /* "none", "oom_device", "oom_host", "too_slow", "quality_miss" */
const char *assay_signal_get_words (AssaySignal signal);  /* translated sentence */

typedef struct
{
  AssayAxis axis;
  AssayFieldId field;           /* ASSAY_FIELD_INVALID for an axis of the ledger (evaluation criterion) */
  char *from, *to;              /* file form; to is NULL when only the person can say */
  char *why;                    /* translated sentence */
  /* what a planner said of it; -1 until then, or where it cannot say (`problem`) */
  gint64 predicted_peak_vram, predicted_peak_ram, predicted_link_bytes; /* bytes */
  double predicted_seconds;     /* at least; -1 unknown */
  gboolean fits;                /* within the budgets and the time limit, as far as is known */
  char *problem;                /* why it cannot be foretold or run, or NULL */
  gboolean refused;             /* it cannot be run, as `problem` says */
} AssayCandidate;

/* What a planner says of conditions. */
typedef struct
{
  gint64 peak_vram, peak_ram, link_bytes; /* -1: unknown */
  double seconds;               /* at least; -1 unknown */
  gboolean fits;
} AssayPrediction;
/* FALSE with an error when these conditions cannot be foretold or may not be run. */
typedef gboolean (*AssayPredictFunc) (const AssayValues *conditions, AssayPrediction *out, gpointer data, GError **error);

typedef struct
{
  AssaySignal signal;
  const char *words;            /* translated sentence: the signal's, closer to how this run ended */
  char *evidence;               /* translated: the figures behind the signal */
  GPtrArray *candidates;        /* (element-type AssayCandidate), best first, one axis each */
  char **held;                  /* names to hold fixed and check, whichever candidate is chosen */
  char **held_with_candidates;  /* as above, with what the candidates change: a choice leaves out its own axis */
  gboolean review_wanted;       /* it ran within what is set, and nobody has judged the output: review it first */
} AssayAdvice;

/* The four signals stay four: device memory, host memory, slow, quality. A failure comes before slowness,
 * slowness before quality. A run that completed over the ledger's memory thresholds gives the memory's
 * signal, as it would on the machine they stand for. A completed run without a signal gives the changes from
 * which one would learn. Works on any record, a refused one included: a failure of another kind gives no
 * candidates and says why. */
AssayAdvice *assay_advice_for (AssayLedger *ledger, AssayRecord *record);
void assay_advice_free (AssayAdvice *self);
/* Asks a planner about every candidate that has a value (the record's effective conditions with one field changed), then
 * ranks anew: what fits before what does not, among these the smallest change first; then what only the person can say.
 * Where memory was short, what is foretold to need no less is dropped, and where nothing fits a candidate goes further
 * along its axis. Quantization that would change no tensor is dropped always. No candidate is added.
 * What cannot be run comes last, with its `problem`, and is dropped where another candidate moves its axis.
 * Takes the planner's time: call it off the UI thread. */
void assay_advice_predict (AssayAdvice *self, AssayRecord *record, AssayPredictFunc predict, gpointer data);

/* The next_trial that choosing candidate k (from 0) writes; `to` overrides the candidate's value. NULL with
 * RULE when there is none such, when the candidate leaves the value to the person and `to` is NULL, or when
 * nothing would change; with VALUE when `to` is none of the field's. What is held leaves out the axis that
 * moves. (transfer full) */
AssayNextTrial *assay_advice_choose (const AssayAdvice *self, guint k, const char *to, const char *note, GError **error);
/* The same for a condition that is no candidate: the person's own idea. `record` is the one advised on; `to` NULL
 * unsets the field. RULE when the field is no condition that a trial can change. (transfer full) */
AssayNextTrial *assay_advice_choose_field (const AssayAdvice *self, AssayRecord *record, AssayFieldId field,
                                           const char *to, const char *note, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayAdvice, assay_advice_free)

G_END_DECLS
