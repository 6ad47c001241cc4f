/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-criterion-editor.h: one criterion as a row to edit: its name, kind, words, threshold, what it is asked of. */
#pragma once

#include <adwaita.h>

#include "assay-ledger.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_CRITERION_EDITOR (assay_criterion_editor_get_type ())
G_DECLARE_FINAL_TYPE (AssayCriterionEditor, assay_criterion_editor, ASSAY, CRITERION_EDITOR, AdwExpanderRow)

/* Signals: "changed" (); "move" (int by); "remove" (). */
GtkWidget *assay_criterion_editor_new (const AssayCriterion *criterion); /* read, not kept; id "": a new one */
/* What the row says; its id is that of the criterion it began with. (transfer full) */
AssayCriterion *assay_criterion_editor_dup (AssayCriterionEditor *self);
gboolean assay_criterion_editor_has_name (AssayCriterionEditor *self);
void assay_criterion_editor_set_problem (AssayCriterionEditor *self, const char *problem); /* NULL: none */
void assay_criterion_editor_set_place (AssayCriterionEditor *self, gboolean first, gboolean last);
void assay_criterion_editor_focus_name (AssayCriterionEditor *self); /* opens the row */

G_END_DECLS
