/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-next-trial-bar.h: what happened, and the one thing to change next.
 *
 * Each candidate is foretold by the planner on another thread and takes its place by what came out.
 * Choosing a candidate writes the run's next_trial into the ledger at once; a note added later is written
 * when it is left. Each candidate moves one axis. */
#pragma once

#include <adwaita.h>

#include "assay-ledger.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_NEXT_TRIAL_BAR (assay_next_trial_bar_get_type ())
G_DECLARE_FINAL_TYPE (AssayNextTrialBar, assay_next_trial_bar, ASSAY, NEXT_TRIAL_BAR, AdwBin)

/* Properties, read and write, nullable: "ledger" (AssayLedger), "record" (AssayRecord of it).
 * Signals: "trial-planned" (const char *run_id, const char *field, const char *to); "review-wanted" (): the person
 * goes to judge the output first. */
GtkWidget *assay_next_trial_bar_new (void);
void assay_next_trial_bar_set_ledger (AssayNextTrialBar *self, AssayLedger *ledger);
void assay_next_trial_bar_set_record (AssayNextTrialBar *self, AssayRecord *record);
void assay_next_trial_bar_show_top (AssayNextTrialBar *self); /* the headline is at its top */

G_END_DECLS
