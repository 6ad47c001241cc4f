/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-comparison-plot.h: the plot above the comparison's table: settings as marks, and the same selection as the
 * table's.
 *
 * The pointer over a mark, or keys at it, show its exact figures; a click or Enter selects its rows, with Ctrl held
 * added to those selected. */
#pragma once

#include <gtk/gtk.h>

#include "assay-plot-draw.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_COMPARISON_PLOT (assay_comparison_plot_get_type ())
G_DECLARE_FINAL_TYPE (AssayComparisonPlot, assay_comparison_plot, ASSAY, COMPARISON_PLOT, GtkWidget)

/* Signals: "chosen" (guint position): the row that was selected by a mark, for the table to show;
 * "mark-activated" (AssayRecord): a mark was clicked twice. */
GtkWidget *assay_comparison_plot_new (void);

/* What is drawn; nothing is before. (transfer full) */
void assay_comparison_plot_take_data (AssayComparisonPlot *self, AssayPlotData *data);
/* rows: of AssayCompareRow; kept. */
void assay_comparison_plot_set_selection (AssayComparisonPlot *self, GtkSelectionModel *rows);
/* What is on screen, to draw it elsewhere: borrowed until the widget or its data change. */
void assay_comparison_plot_get_picture (AssayComparisonPlot *self, AssayPlotPicture *picture);
char *assay_comparison_plot_dup_readout (AssayComparisonPlot *self); /* NULL: none is shown */

G_END_DECLS
