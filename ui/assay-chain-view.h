/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-chain-view.h: the chain of trials that leads to a run, a step a row; a step opens its run.
 *
 * Rows are drawn when they come into sight, so that a chain of thousands costs what is on screen. Follows the ledger
 * while it is edited. */
#pragma once

#include <adwaita.h>

#include "assay-chain.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_CHAIN_VIEW (assay_chain_view_get_type ())
G_DECLARE_FINAL_TYPE (AssayChainView, assay_chain_view, ASSAY, CHAIN_VIEW, AdwBin)

/* Signals: "run-activated" (AssayRecord): a step was chosen; "closed" (): back to the run, or the run is gone;
 * "problem" (const char *message): translated, for an inline notice. */

/* ledger NULL: nothing is shown. */
void assay_chain_view_show (AssayChainView *self, AssayLedger *ledger, const char *run_id);
const char *assay_chain_view_get_run_id (AssayChainView *self); /* NULL: nothing is shown */

G_END_DECLS
