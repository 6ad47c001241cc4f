/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-library-sidebar-private.h: the sidebar from the inside: its lists, and the menus of their rows
 * (assay-library-sidebar-menu.c). */
#pragma once

#include "assay-library-sidebar.h"

G_BEGIN_DECLS

struct _AssayLibrarySidebar
{
  GtkWidget parent_instance;
  AssaySession *session;          /* owned */
  GtkCustomFilter *ledger_filter; /* owned */
  GtkCustomFilter *run_filter;    /* owned */
  GtkSingleSelection *selection;  /* owned: the runs shown, newest first */
  GtkFilterListModel *runs;       /* owned */
  char *query;                    /* owned: case-folded; "" shows all */
  gboolean syncing;               /* the selection follows the session, not a person */
  gboolean runs_hidden, marks_hidden;

  GtkWidget *search, *ledgers, *run_list, *run_heading, *live, *live_label, *no_ledgers, *runs_scroller,
    *ledgers_scroller, *unsaved, *unsaved_row, *unsaved_title, *unsaved_detail, *nothing_found; /* template */
  GtkWidget *notice; /* template: why the list may not be whole */
  GtkWidget *hidden; /* template: says that the runs are hidden */
};

void sidebar_make_menus (AssayLibrarySidebar *self);
void sidebar_sync_record (AssayLibrarySidebar *self); /* the run looked at is the selected one, without a person's doing */
void sidebar_choose_run (AssayLibrarySidebar *self);  /* a person took the selected run */

G_END_DECLS
