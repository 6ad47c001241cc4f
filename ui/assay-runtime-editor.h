/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-runtime-editor.h: the program of a child process, or the script it is given: typed, chosen from the disk, or,
 * for a script, one of those that come with Assay. */
#pragma once

#include <gtk/gtk.h>

#include "assay-draft.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_RUNTIME_EDITOR (assay_runtime_editor_get_type ())
G_DECLARE_FINAL_TYPE (AssayRuntimeEditor, assay_runtime_editor, ASSAY, RUNTIME_EDITOR, GtkWidget)

/* field: program or recipe. */
GtkWidget *assay_runtime_editor_new (AssayDraft *draft, AssayFieldId field);

G_END_DECLS
