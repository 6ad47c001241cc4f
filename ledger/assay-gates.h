/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-gates.h: the three verdicts. Each answers its own question and never another's. */
#pragma once

#include "assay-ledger.h"

G_BEGIN_DECLS

typedef enum { ASSAY_GATE_FEASIBILITY, ASSAY_GATE_QUALITY, ASSAY_GATE_OPERATION, ASSAY_N_GATES } AssayGate;

typedef struct
{
  AssayVerdict verdict[ASSAY_N_GATES];
  char *evidence[ASSAY_N_GATES];   /* one translated line each: the figures the verdict stands on */
} AssayGates;

const char *assay_gate_get_name (AssayGate gate);   /* "feasibility" */
const char *assay_gate_get_word (AssayGate gate);   /* translated: "ran", "good", "bearable" */
const char *assay_verdict_get_mark (AssayVerdict verdict); /* "✓", "✕", "–" */
const char *assay_verdict_get_word (AssayVerdict verdict); /* translated: "pass", "fail", "not judged" */

/* Feasibility: status completed, and within vram_budget and time_limit_seconds where set; a figure known to
 * be over one of them fails in any case. Not judged: a run that a person stopped or that the app's end cut
 * off (the setting was not put to the test), and one whose peak is unknown where a budget is set.
 *
 * Quality: the persons' verdicts of the current reviews of a run that completed, or whose status nobody
 * recorded (any fail fails, disagreement included); none is not judged, whatever the status. Reviews of any
 * other run are kept and not counted.
 *
 * Operation: the record's figures and those of its repeats in `ledger` (same conditions), against the
 * thresholds; not judged when no threshold is set, when one of them has no figure, or when no run of the
 * family completed. Latency is the mean time of one answer (prompt and generation), of the whole run where
 * answers carry no times.
 *
 * ledger lends criteria and repeats. */
AssayGates *assay_gates_judge (AssayLedger *ledger, AssayRecord *record);
void assay_gates_free (AssayGates *self);

/* What the scores would suggest by the thresholds, to be shown only after a person's verdict. A criterion is
 * met when the mean of its scores reaches the threshold: for yes/no, when all say yes. Not judged while one
 * has no score, and, where the run that is judged is given, while one that was rated by question leaves out a question. */
AssayVerdict assay_gates_suggest (const AssayCriteria *criteria, const AssayReview *review, AssayRecord *run);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayGates, assay_gates_free)

G_END_DECLS
