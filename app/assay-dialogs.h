/* SPDX-License-Identifier: GPL-3.0-or-later */
/* app/assay-dialogs.h: the windows that belong to the program and not to a ledger. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

/* parent: the window they belong before, or NULL. */
void assay_dialogs_show_preferences (GtkWindow *parent);
void assay_dialogs_show_about (GtkWindow *parent);
/* One help window for all; topic: of assay-help-pages.h, or NULL. */
void assay_dialogs_show_help (GtkApplication *application, const char *topic);

G_END_DECLS
