/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-window.h: the window: the library at the left, one ledger at the right. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define ASSAY_TYPE_WINDOW (assay_window_get_type ())
G_DECLARE_FINAL_TYPE (AssayWindow, assay_window, ASSAY, WINDOW, AdwApplicationWindow)

GtkWidget *assay_window_new (GtkApplication *application);
/* The first window of a start without a file: the ledger and the view of the last one. */
void assay_window_restore (AssayWindow *self);
/* What the help says about what is shown; NULL: nothing in particular. */
const char *assay_window_get_help_topic (AssayWindow *self);
/* A ledger is opened; a model file begins a trial; a folder of ledgers joins the library; anything else is refused in
 * words. */
void assay_window_open_file (AssayWindow *self, GFile *file);
gboolean assay_window_has_open (AssayWindow *self, GFile *file);
gboolean assay_window_is_free (AssayWindow *self); /* still on its first page */
/* Without a question: for the end of the person's session. The window goes when the run is recorded and saved. */
void assay_window_stop_and_close (AssayWindow *self);

G_END_DECLS
