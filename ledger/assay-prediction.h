/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-prediction.h: what the planner foretold of a run beside what it took.
 *
 * A prediction is written once, before the run, and never edited: where the run speaks against it, both stay, and the
 * next plan for the same model and offload mode is shown with the errors so far. Any thread that owns the ledger. */
#pragma once

#include "assay-ledger.h"

G_BEGIN_DECLS

#define ASSAY_PREDICTION_TOLERANCE 0.05 /* of what was measured; an error beyond it contradicts */

typedef struct
{
  char *run_id;
  AssayRunStatus status;
  AssayFieldId field;           /* what was measured: peak_vram, peak_ram_engine, peak_weights … */
  gint64 predicted;             /* in the field's unit, bytes */
  gint64 measured;              /* -1 unknown; of a run that ended early, what it had reached by then */
  double error;                 /* (measured − predicted) / measured; NaN where nothing was measured to the end */
  gboolean contradicted;        /* beyond the tolerance, or foretold to fit and ended for lack of this memory */
} AssayPredictionError;

/* Every term of the record that was foretold: the peaks of device and host first, then each category. Only the peaks
 * are judged. A figure of the driver is no measure of what the planner counts: peaks of another kind than 'allocated'
 * count as unknown. (transfer full) (element-type AssayPredictionError) */
GPtrArray *assay_prediction_terms (AssayRecord *record);

/* "foretold 3.20 GiB of peak_vram, which fits in 4.00 GiB; it ended as oom_device"; NULL where nothing speaks against
 * the prediction, or there is none. Translated. (transfer full) */
char *assay_prediction_dup_contradiction (AssayRecord *record);

/* The errors of earlier runs of a model in one offload mode (NULL: none), newest first: one a run, of the device's
 * memory where the run used any, else of the host's. (transfer full) (element-type AssayPredictionError) */
GPtrArray *assay_prediction_errors (AssayLedger *ledger, const char *model_id, const char *offload_mode);

/* One sentence on them, for the next plan: how far they were off, and which run contradicted last. NULL for none.
 * Translated. (transfer full) */
char *assay_prediction_dup_words (GPtrArray *errors);

void assay_prediction_error_free (AssayPredictionError *self);

G_END_DECLS
