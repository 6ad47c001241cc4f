/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-library-sidebar.h: the library and, below it, the runs of the open ledger; one search for both. */
#pragma once

#include <gtk/gtk.h>

#include "assay-session.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_LIBRARY_SIDEBAR (assay_library_sidebar_get_type ())
G_DECLARE_FINAL_TYPE (AssayLibrarySidebar, assay_library_sidebar, ASSAY, LIBRARY_SIDEBAR, GtkWidget)

/* Signals: "run-activated" (): a run is to be shown; also while keys go through the list. "chosen" (): a person is done
 * here: a ledger or a run was clicked, or taken by Return. */
void assay_library_sidebar_set_session (AssayLibrarySidebar *self, AssaySession *session); /* once */
void assay_library_sidebar_focus_search (AssayLibrarySidebar *self);
void assay_library_sidebar_rename (AssayLibrarySidebar *self); /* asks for the open ledger's title, in place */
void assay_library_sidebar_renew (AssayLibrarySidebar *self); /* what the rows say is put in other words now */
/* While answers are judged blind: nothing of any run is held by a widget. */
/* What the ledgers have shown: a judgment that was just given would be told by what changes there. */
void assay_library_sidebar_set_marks_hidden (AssayLibrarySidebar *self, gboolean hidden);
void assay_library_sidebar_set_runs_hidden (AssayLibrarySidebar *self, gboolean hidden);

G_END_DECLS
