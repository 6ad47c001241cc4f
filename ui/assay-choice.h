/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-choice.h: one entry of a field's drop-down: a value, and why it cannot be taken now. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define ASSAY_TYPE_CHOICE (assay_choice_get_type ())
G_DECLARE_FINAL_TYPE (AssayChoice, assay_choice, ASSAY, CHOICE, GObject)

/* Properties: "label" (string, ro), "problem" (string, rw: NULL while the choice is valid). */
AssayChoice *assay_choice_new (const char *value, const char *label); /* value NULL: leaves the field unset */
const char *assay_choice_get_value (AssayChoice *self);
const char *assay_choice_get_label (AssayChoice *self);
const char *assay_choice_get_problem (AssayChoice *self);
void assay_choice_set_problem (AssayChoice *self, const char *problem);

/* Shows a model of choices. In the opened list the one taken has a mark; an invalid one is dim, says why, and cannot be
 * taken. */
void assay_choice_set_up_drop_down (GtkDropDown *drop_down);

G_END_DECLS
