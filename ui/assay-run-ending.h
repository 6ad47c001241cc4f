/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-run-ending.h: how a run ended: whether it ran, what it took beside what was foretold, whether it
 * changed what was planned. Never anything about quality. */
#pragma once

#include <adwaita.h>

#include "assay-ledger.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_RUN_ENDING (assay_run_ending_get_type ())
G_DECLARE_FINAL_TYPE (AssayRunEnding, assay_run_ending, ASSAY, RUN_ENDING, AdwBin)

/* Signal: "plan-next" (). ledger: may be NULL. */
void assay_run_ending_show (AssayRunEnding *self, AssayLedger *ledger, AssayRecord *record);

/* The plan for the next trial is open beside it: what both would say is left to the plan. */
void assay_run_ending_set_planning (AssayRunEnding *self, gboolean planning);

G_END_DECLS
