/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-save-dialog.h: asks where, then writes bytes there without holding up the window. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* view: has the signal "problem" (const char *message), and may have "saved", which tell what came of it. The bytes are
 * kept until then. */
void assay_save_dialog_run (GtkWidget *view, const char *title, const char *name, GBytes *bytes);

G_END_DECLS
