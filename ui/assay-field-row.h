/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-field-row.h: one field of the form: its label, the record's own name beneath, and its editor; or, where the
 * trial holds it fixed, its value and a padlock. What is wrong stands under it. */
#pragma once

#include <gtk/gtk.h>

#include "assay-draft.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_FIELD_ROW (assay_field_row_get_type ())
G_DECLARE_FINAL_TYPE (AssayFieldRow, assay_field_row, ASSAY, FIELD_ROW, GtkListBoxRow)

/* editor: the control to use instead of the field's own (transfer floating), or NULL. */
GtkWidget *assay_field_row_new (AssayDraft *draft, AssayFieldId field, GtkWidget *editor);
AssayFieldId assay_field_row_get_field (AssayFieldRow *self);

G_END_DECLS
