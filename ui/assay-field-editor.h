/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-field-editor.h: the control for one field's value, chosen by the field's type.
 *
 * Text and numbers are typed (so that sizes take suffixes and a field can be left unset); choices, truth values and
 * devices are dropped down; long text has lines. An editor shows the draft's value and writes what a person enters
 * into it; it never overwrites what is being typed. */
#pragma once

#include <gtk/gtk.h>

#include "assay-draft.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_FIELD_EDITOR (assay_field_editor_get_type ())
G_DECLARE_FINAL_TYPE (AssayFieldEditor, assay_field_editor, ASSAY, FIELD_EDITOR, GtkWidget)

/* Longest text a field takes; more is cut with a message. */
#define ASSAY_FIELD_TEXT_LIMIT 65535

GtkWidget *assay_field_editor_new (AssayDraft *draft, AssayFieldId field);
gboolean assay_field_editor_is_tall (AssayFieldId field);      /* wants a line of its own */
void assay_field_editor_sync (AssayFieldEditor *self);         /* shows the draft's value */
void assay_field_editor_reset (AssayFieldEditor *self);        /* the same, and drops what was typed */
gboolean assay_field_editor_is_cut (AssayFieldEditor *self);   /* the limit was reached */

G_END_DECLS
