/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-attachments-editor.h: the components that are attached to the model: files, each with its scale.
 *
 * The draft's text stays the record's form, PATH or PATH@SCALE, one a line. Text that is no such list is shown with its
 * reason and can be cleared. */
#pragma once

#include <gtk/gtk.h>

#include "assay-draft.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_ATTACHMENTS_EDITOR (assay_attachments_editor_get_type ())
G_DECLARE_FINAL_TYPE (AssayAttachmentsEditor, assay_attachments_editor, ASSAY, ATTACHMENTS_EDITOR, GtkWidget)

GtkWidget *assay_attachments_editor_new (AssayDraft *draft);
void assay_attachments_editor_add (AssayAttachmentsEditor *self, const char *path);

G_END_DECLS
