/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-report-table.h: tables on pages: as wide as a page, however many columns there are. */
#pragma once

#include "assay-report-page.h"

G_BEGIN_DECLS

/* rows: (element-type GStrv), all as long as the first, which holds the columns' names. Columns that do not fit beside
 * one another come in tables of their own, each with the first column again. */
void report_table_draw (ReportPage *page, GPtrArray *rows);

G_END_DECLS
