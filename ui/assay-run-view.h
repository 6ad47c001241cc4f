/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-run-view.h: a trial while it goes on, or a past run: chart, progress, answers, figures, and how it
 * ended.
 *
 * Says whether it ran and what it took; never anything about quality. */
#pragma once

#include <adwaita.h>

#include "assay-trial.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_RUN_VIEW (assay_run_view_get_type ())
G_DECLARE_FINAL_TYPE (AssayRunView, assay_run_view, ASSAY, RUN_VIEW, AdwBin)

/* Properties, read and write, nullable: "trial" (AssayTrial; shown rather than the record), "record"
 * (AssayRecord: a past run), "ledger" (AssayLedger of either); "planning" (boolean: the
 * plan for the next trial is open beside it). Signals: "plan-next" (); "problem" (const char
 * *message): for a notice. */
GtkWidget *assay_run_view_new (void);
void assay_run_view_set_trial (AssayRunView *self, AssayTrial *trial);
void assay_run_view_set_record (AssayRunView *self, AssayRecord *record);
void assay_run_view_set_ledger (AssayRunView *self, AssayLedger *ledger);

G_END_DECLS
