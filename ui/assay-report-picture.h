/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-report-picture.h: charts, plots and chains on pages: the drawings of the window, on paper's colours. */
#pragma once

#include "assay-report-page.h"
#include "assay-report.h"

G_BEGIN_DECLS

#define REPORT_CHART_HEIGHT 212.0 /* three on a page */

void report_picture_draw_chart (ReportPage *page, AssayLedger *ledger, AssayRecord *record);
void report_picture_draw_plot (ReportPage *page, AssayLedger *ledger, guint group);
void report_picture_draw_step (ReportPage *page, const AssayChainStep *step, gboolean has_next);

G_END_DECLS
