/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-gate-marks.h: the three gates of a run, apart: "ran ✓  good –  bearable –". */
#pragma once

#include <gtk/gtk.h>

#include "assay-gates.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_GATE_MARKS (assay_gate_marks_get_type ())
G_DECLARE_FINAL_TYPE (AssayGateMarks, assay_gate_marks, ASSAY, GATE_MARKS, GtkWidget)

void assay_gate_marks_set_verdicts (AssayGateMarks *self, const AssayVerdict *verdicts); /* [ASSAY_N_GATES] */
/* Each mark opens its evidence. */
void assay_gate_marks_set_gates (AssayGateMarks *self, const AssayGates *gates);

G_END_DECLS
