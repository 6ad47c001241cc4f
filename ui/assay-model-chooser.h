/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-model-chooser.h: the models that are on this machine, in a list to search and choose from.
 *
 * Looks anew each time it is shown. A file that cannot be used is listed with the reason. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define ASSAY_TYPE_MODEL_CHOOSER (assay_model_chooser_get_type ())
G_DECLARE_FINAL_TYPE (AssayModelChooser, assay_model_chooser, ASSAY, MODEL_CHOOSER, GtkWidget)

/* Signals: "chosen" (const char *path); "file-wanted" (): a person wants to point at a file. */
GtkWidget *assay_model_chooser_new (void);
void assay_model_chooser_scan (AssayModelChooser *self, const char *const *extra_folders);

G_END_DECLS
