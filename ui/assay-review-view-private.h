/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-review-view-private.h: the panel from the inside: what is shown (assay-review-view.c), and what is saved
 * (assay-review-save.c). */
#pragma once

#include "assay-answer-view.h"
#include "assay-review-drafts.h"
#include "assay-review-view.h"
#include "assay-reviewer-entry.h"
#include "assay-rubric.h"

G_BEGIN_DECLS

struct _AssayReviewView
{
  AdwBin parent_instance;

  /* owned */
  AssayLedger *ledger;
  AssayRecord *record;
  AssayReviewDraft *draft;      /* of the record; NULL without one */
  AssayReviewDrafts *drafts;    /* begun, not saved, of other runs; keeps this one too */
  GSignalGroup *ledger_signals;
  char *reviewer_name;
  char **reviewers;             /* names that signed before, or NULL */
  AssayReview *told;            /* the message tells what became of it, and follows the file; NULL: another message */
  char *told_run;               /* id of its run, where that is no longer in sight */
  gboolean loading;             /* the form follows the draft, not the other way round */

  /* template children */
  GtkStack *stack;
  AdwStatusPage *empty;
  AssayAnswerView *answers;
  GtkLabel *correcting, *left_out, *kept, *message;
  AssayRubric *rubric;
  GtkWidget *past_part, *kept_part;
  GtkTextView *note;
  GtkListBox *past;
  GtkToggleButton *pass, *fail;
  AssayReviewerEntry *reviewer;
};

void review_view_say (AssayReviewView *self, const char *words, gboolean problem); /* NULL: nothing */
/* run_id: of a run that is no longer in sight, or NULL. */
void review_view_show_outcome (AssayReviewView *self, const AssayReview *review, const char *run_id);
void review_view_take_draft (AssayReviewView *self, AssayReviewDraft *draft); /* NULL: nothing to judge */
void review_view_begin_draft (AssayReviewView *self);

void review_view_install_save (GtkWidgetClass *widget_class); /* the actions that save and discard */

G_END_DECLS
