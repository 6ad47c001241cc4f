/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-review-view-private.h: the panel from the inside: its properties (assay-review-view.c), the form and the draft
 * that it edits (assay-review-form.c), what of it is in sight (assay-review-scroll.c), which page is shown and what is
 * judged blind (assay-review-mode.c), and what is saved (assay-review-save.c). */
#pragma once

#include "assay-answer-view.h"
#include "assay-fold-panes.h"
#include "assay-review-agreement.h"
#include "assay-review-drafts.h"
#include "assay-review-lobby.h"
#include "assay-review-pairs.h"
#include "assay-review-reveal.h"
#include "assay-review-view.h"
#include "assay-reviewer-entry.h"
#include "assay-rubric.h"

G_BEGIN_DECLS

typedef enum
{
  REVIEW_START,     /* how to review is still to be chosen, where there is a choice: one run is shown by name */
  REVIEW_BY_NAME,   /* a person wants to know which run it is */
  REVIEW_BLIND,
  REVIEW_REVEAL,    /* between two runs of a blind review: which one it was */
  REVIEW_PAIRS,     /* two outputs side by side, blind */
  REVIEW_AGREEMENT, /* what several reviewers say */
} ReviewMode;

struct _AssayReviewView
{
  AdwBin parent_instance;

  /* owned */
  AssayLedger *ledger;
  AssayRecord *chosen;          /* the run looked at in the window; unlike `record` in a blind review */
  AssayRecord *record;          /* whose outputs are in sight */
  AssayReviewDraft *draft;      /* of the record; NULL without one */
  AssayReviewDrafts *drafts;    /* begun, not saved, of other runs; keeps this one too */
  GSignalGroup *ledger_signals;
  char *reviewer_name;
  char **reviewers;             /* names that signed before, or NULL */
  AssayReview *told;            /* the message tells what became of it, and follows the file; NULL: another message */
  char *told_run;               /* id of its run, where that is no longer in sight */
  gboolean naming;              /* the entries follow the name, not the other way round */
  gboolean loading;             /* the form follows the draft, not the other way round */
  char *untold_run;             /* id of what was judged blind last, where its name would tell the only other's; or NULL */
  ReviewMode mode;
  gboolean was_blind;           /* as was told last */
  guint64 seed;                 /* of the order of the blind reviews of seed_reviewer; 0: none drawn yet */
  char *seed_reviewer;
  gboolean gaps_accepted;       /* a person was asked, and saves with answers that are not rated */
  const char *asked_by;         /* static: the action that was asked about gaps */
  guint scroll_id, scroll_frames; /* tick callback, and how often it came */
  GtkWidget *scroll_to;         /* weak; NULL: the top */

  /* template children */
  GtkStack *stack;
  AdwStatusPage *empty;
  AssayReviewLobby *lobby;
  AssayReviewReveal *reveal;
  AssayReviewPairs *pairs;
  AssayReviewAgreement *agreement;
  GtkScrolledWindow *form;
  AssayFoldPanes *panes;
  AssayAnswerView *answers;
  GtkLabel *correcting, *left_out, *kept, *message, *advance_label, *blind_words, *gaps, *gaps_missing;
  AssayRubric *rubric;
  GtkWidget *past_part, *kept_part, *blind_bar, *name_bar, *gaps_part, *to_gap, *save, *advance, *edit_criteria;
  GtkProgressBar *blind_progress;
  GtkTextView *note;
  GtkListBox *past;
  GtkToggleButton *pass, *fail;
  AssayReviewerEntry *reviewer;
};

/* assay-review-view.c */
void review_view_notify_drafts (AssayReviewView *self);
void review_view_notify_blind (AssayReviewView *self);
gboolean review_view_may_review (AssayReviewView *self);
void review_view_show_past (AssayReviewView *self);
void review_view_set_shown (AssayReviewView *self, AssayRecord *record); /* NULL: none */
void review_view_refresh (AssayReviewView *self);                        /* all that follows from mode and record */

/* assay-review-form.c */
void review_view_say (AssayReviewView *self, const char *words, gboolean problem); /* NULL: nothing */
/* run_id: of a run that is no longer in sight, or NULL. */
void review_view_show_outcome (AssayReviewView *self, const AssayReview *review, const char *run_id);
void review_view_take_draft (AssayReviewView *self, AssayReviewDraft *draft); /* NULL: nothing to judge */
void review_view_begin_draft (AssayReviewView *self);
void review_view_stash_draft (AssayReviewView *self);
void review_view_load_scores (AssayReviewView *self);
void review_view_show_judged (AssayReviewView *self);
void review_view_bind_form (GtkWidgetClass *widget_class);
void review_view_init_form (AssayReviewView *self);

/* assay-review-scroll.c */
void review_view_show_part (AssayReviewView *self, GtkWidget *part);
void review_view_show_answer (AssayReviewView *self);                /* another one came: it is read first */
void review_view_begin_answer (AssayReviewView *self);               /* that, and the keys go to the first criterion */

/* assay-review-mode.c */
void review_view_set_mode (AssayReviewView *self, ReviewMode mode);
void review_view_show_page (AssayReviewView *self);
void review_view_show_progress (AssayReviewView *self);
void review_view_listen_anywhere (AssayReviewView *self); /* for the key that goes on */
void review_view_reveal (AssayReviewView *self, const AssayReview *review);
void review_view_follow_ledger (AssayReviewView *self); /* its runs have changed */
gboolean review_view_is_form (AssayReviewView *self);   /* outputs and rubric are in sight */
void review_view_bind_modes (GtkWidgetClass *widget_class);

/* assay-review-save.c: the actions that save and discard */
void review_view_hide_gaps (AssayReviewView *self);
void review_view_install_save (GtkWidgetClass *widget_class);

G_END_DECLS
