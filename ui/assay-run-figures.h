/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-run-figures.h: the column of figures beside the answers: a label and a value with its unit, row by
 * row. */
#pragma once

#include <gtk/gtk.h>

#include "assay-memory-chart.h"
#include "assay-trial.h"

G_BEGIN_DECLS

void assay_run_figures_show_trial (GtkGrid *grid, AssayTrial *trial, AssayMemoryChart *chart);
void assay_run_figures_show_record (GtkGrid *grid, AssayRecord *record);

G_END_DECLS
