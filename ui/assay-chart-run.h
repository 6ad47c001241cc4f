/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-chart-run.h: what a run's own chart shows beside its samples: limits, the forecast, the stated peak. */
#pragma once

#include "assay-chart-export.h"
#include "assay-ledger.h"

G_BEGIN_DECLS

/* Fills budget_bytes, foretold_bytes, ram_budget_bytes and stated_peak; ledger may be NULL. */
void assay_chart_run_set_limits (AssayChartExport *chart, AssayLedger *ledger, AssayRecord *record);

G_END_DECLS
