/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-run-figures.h: the column of figures beside the answers: what the run itself needed first and large, then a
 * label and a value with its unit, row by row; other measures of memory open below. */
#pragma once

#include <gtk/gtk.h>

#include "assay-memory-chart.h"
#include "assay-trial.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_RUN_FIGURES (assay_run_figures_get_type ())
G_DECLARE_FINAL_TYPE (AssayRunFigures, assay_run_figures, ASSAY, RUN_FIGURES, GtkWidget)

void assay_run_figures_show_trial (AssayRunFigures *self, AssayTrial *trial, AssayMemoryChart *chart);
void assay_run_figures_show_record (AssayRunFigures *self, AssayRecord *record);

G_END_DECLS
