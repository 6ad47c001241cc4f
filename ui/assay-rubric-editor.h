/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-rubric-editor.h: what a ledger's runs are judged by, to be edited: quality criteria, and the thresholds of
 * the other two gates.
 *
 * A window of its own, so that an edit is whole: nothing of the ledger changes before Save. */
#pragma once

#include <adwaita.h>

#include "assay-gates.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_RUBRIC_EDITOR (assay_rubric_editor_get_type ())
G_DECLARE_FINAL_TYPE (AssayRubricEditor, assay_rubric_editor, ASSAY, RUBRIC_EDITOR, AdwWindow)

/* record: the run that is looked at, or NULL. */
GtkWindow *assay_rubric_editor_new (AssayLedger *ledger, AssayRecord *record);
/* The window has been presented: the keyboard goes to what this gate is judged by. */
void assay_rubric_editor_focus_gate (AssayRubricEditor *self, AssayGate gate);

G_END_DECLS
