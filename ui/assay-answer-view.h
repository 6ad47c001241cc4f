/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-answer-view.h: the outputs of a run, one question at a time: question, answer, expected answer
 * folded away.
 *
 * One at a time keeps the widget the same size whatever a ledger holds. Shows nothing of conditions or
 * burden. */
#pragma once

#include <gtk/gtk.h>

#include "assay-ledger.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_ANSWER_VIEW (assay_answer_view_get_type ())
G_DECLARE_FINAL_TYPE (AssayAnswerView, assay_answer_view, ASSAY, ANSWER_VIEW, GtkWidget)

/* Signals: "question-changed" (); "problem" (const char *message). */
void assay_answer_view_show (AssayAnswerView *self,
                             AssayLedger *ledger,
                             AssayRecord *record); /* both may be NULL */
void assay_answer_view_set_hints_shown (AssayAnswerView *self, gboolean shown);
void assay_answer_view_set_blind (AssayAnswerView *self, gboolean blind); /* nothing of how the run ended */
void assay_answer_view_go_to (AssayAnswerView *self, const char *question);
void assay_answer_view_step (AssayAnswerView *self, int by);
guint assay_answer_view_get_index (AssayAnswerView *self);
gboolean assay_answer_view_is_last (AssayAnswerView *self); /* so is that of a run without any */
const char *assay_answer_view_get_question (AssayAnswerView *self); /* id; NULL: none, or a free prompt */

G_END_DECLS
