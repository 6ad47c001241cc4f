/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-gate-marks.h: the three gates of a run or of a ledger, apart: "ran ✓  good –  bearable –". */
#pragma once

#include <gtk/gtk.h>

#include "assay-library.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_GATE_MARKS (assay_gate_marks_get_type ())
G_DECLARE_FINAL_TYPE (AssayGateMarks, assay_gate_marks, ASSAY, GATE_MARKS, GtkWidget)

/* A ledger's: each mark says how many of its runs it stands for. */
void assay_gate_marks_set_item (AssayGateMarks *self, AssayLibraryItem *item);
char *assay_gate_marks_dup_count (AssayLibraryItem *item, AssayGate gate); /* "ran: 2 of 5 runs". (transfer full) */
/* Each mark opens its evidence. */
void assay_gate_marks_set_gates (AssayGateMarks *self, const AssayGates *gates);

G_END_DECLS
