/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-thresholds-editor.h: what the gates of memory, time and daily use are judged by, as a person types it. */
#pragma once

#include <adwaita.h>

#include "assay-gates.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_THRESHOLDS_EDITOR (assay_thresholds_editor_get_type ())
G_DECLARE_FINAL_TYPE (AssayThresholdsEditor, assay_thresholds_editor, ASSAY, THRESHOLDS_EDITOR, GtkWidget)

/* Signal: "changed" (). */
void assay_thresholds_editor_load (AssayThresholdsEditor *self, const AssayCriteria *criteria);
void assay_thresholds_editor_focus (AssayThresholdsEditor *self, AssayGate gate); /* the first of this gate */
/* Reads them into `criteria`; each that cannot be read says so beside it. Returns: the first of these, or NULL. */
GtkWidget *assay_thresholds_editor_store (AssayThresholdsEditor *self, AssayCriteria *criteria);

G_END_DECLS
