/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-help.h: the help, a window of its own that is there without a network. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define ASSAY_TYPE_HELP (assay_help_get_type ())
G_DECLARE_FINAL_TYPE (AssayHelp, assay_help, ASSAY, HELP, AdwWindow)

GtkWidget *assay_help_new (void);
void assay_help_show_topic (AssayHelp *self, const char *name); /* one that is not there is ignored */

G_END_DECLS
