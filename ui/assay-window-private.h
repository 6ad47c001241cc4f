/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-window-private.h: the window's parts, for the files that make up the window. */
#pragma once

#include "assay-chain-view.h"
#include "assay-compare-view.h"
#include "assay-library-sidebar.h"
#include "assay-next-trial-bar.h"
#include "assay-notice-bar.h"
#include "assay-queue-bar.h"
#include "assay-review-view.h"
#include "assay-run-view.h"
#include "assay-session.h"
#include "assay-setup-view.h"
#include "assay-sweep-panel.h"
#include "assay-window.h"

G_BEGIN_DECLS

struct _AssayWindow
{
  AdwApplicationWindow parent_instance;
  AssaySession *session;   /* owned */
  gboolean started;        /* past the first page */
  gboolean close_when_idle;
  char *first_view;        /* owned: what the first ledger is shown in, or NULL */
  AssayLedger *run_ledger; /* owned: where the run that goes on is kept, or NULL */
  gint64 run_began_us;
  guint inhibit_cookie;
  const char *export_kind; /* static: what is being exported as, or NULL */
  AdwToast *toast;         /* the newest, or NULL; a weak pointer */
  AssayUndo *undo;         /* owned: the open ledger's, or NULL */
  GtkWidget *plan_opener;  /* had the focus before the plan, or NULL; a weak pointer */
  gboolean gave_way;       /* not shown while its ledger is judged blind in another window */
  GtkWindow *question;     /* the dialog that asks something, or NULL; a weak pointer */

  /* template children */
  AssayLibrarySidebar *sidebar;
  AssayNoticeBar *notices;
  AssayQueueBar *queue_bar;
  AssaySweepPanel *sweep_panel;
  AssaySetupView *setup_view;
  GtkStack *run_pages;
  AssayRunView *run_view;
  AssayChainView *chain_view;
  AssayReviewView *review_view;
  AssayCompareView *compare_view;
  AssayNextTrialBar *next_trial_bar;
  AdwViewStack *views;
  AdwViewSwitcherTitle *switcher;
  AdwFlap *flap;
  GtkStack *pages;
  AdwToastOverlay *toasts;
  GMenu *edit_section, *recent_menu, *folder_section;
  GtkWidget *recent_box, *recent_list;
  AdwHeaderBar *header_bar;
  GtkWidget *trial_buttons, *trial_menu_button, *run_button, *queue_button, *stop_button, *leave_button, *menu_button;
  GtkWidget *next_revealer, *queue_place, *switcher_bar;
};

void window_show_view (AssayWindow *self, const char *name);
void window_save_elsewhere (AssayWindow *self);
void window_refresh_run (AssayWindow *self); /* the buttons that run, stop and leave */

/* assay-window-blind.c: what is hidden while answers are judged blind */
gboolean window_is_blind (AssayWindow *self);
void window_watch_blind (AssayWindow *self);
void window_install_blind_actions (GtkWidgetClass *widget_class);

/* assay-window-files.c: actions that choose and open files */
typedef void (*WindowPathFunc) (AssayWindow *self, const char *path);
void window_install_file_actions (GtkWidgetClass *widget_class);
void window_accept_drops (AssayWindow *self);
void window_tell (AssayWindow *self, const char *id, gboolean is_error, const char *message);
/* pattern: some, ' ' between; NULL for a folder. (transfer none): it frees itself */
GtkFileChooserNative *window_ask_file (AssayWindow *self, const char *title, GtkFileChooserAction action,
                                       const char *filter_name, const char *pattern, WindowPathFunc then);

/* assay-window-chain.c: the chain of trials, in the run's place */
void window_install_chain_actions (GtkWidgetClass *widget_class);
void window_bind_chain (GtkWidgetClass *widget_class); /* of the template */
void window_watch_chain (AssayWindow *self);

/* assay-window-queue.c */
void window_install_queue_actions (GtkWidgetClass *widget_class);
void window_watch_queue (AssayWindow *self);

/* assay-window-exchange.c */
void window_install_exchange_actions (GtkWidgetClass *widget_class);

/* assay-window-edit.c: undo, deletions, and the parts of the menu that change */
void window_install_edit_actions (GtkWidgetClass *widget_class);
void window_watch_edits (AssayWindow *self);

/* assay-window-state.c: what is remembered, and preferences that change what is shown */
void window_watch_state (AssayWindow *self);
void window_remember_view (AssayWindow *self);
const char *window_take_first_view (AssayWindow *self, const char *otherwise); /* (transfer none) */

/* assay-window-watch.c: what the desktop is told of a run */
#define WINDOW_RUN_ENDED "run-ended" /* a notification's id */
void window_on_run_watched (AssayWindow *self);
void window_on_active (AssayWindow *self);

/* assay-window-close.c: leaving with a run, a save or a review under way */
gboolean window_on_close_request (AssayWindow *self);
void window_on_idle (AssayWindow *self);
void window_ask_stop (AssayWindow *self);

G_END_DECLS
