/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-gate-mark.h: the verdict of one gate, with its evidence one click away. The mark tells, the colour repeats
 * it. */
#pragma once

#include <gtk/gtk.h>

#include "assay-gates.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_GATE_MARK (assay_gate_mark_get_type ())
G_DECLARE_FINAL_TYPE (AssayGateMark, assay_gate_mark, ASSAY, GATE_MARK, GtkWidget)

GtkWidget *assay_gate_mark_new (void);
/* words: what is shown, "good ✓"; NULL: that. evidence: figures apart by " · ", runs by line ends; NULL: there is none
 * to show, and no button. */
void assay_gate_mark_set (AssayGateMark *self, AssayGate gate, AssayVerdict verdict, const char *words,
                          const char *evidence);
/* What it stands for in words, in its tooltip and for who cannot see it, until it is set again. */
void assay_gate_mark_describe (AssayGateMark *self, const char *words);

G_END_DECLS
