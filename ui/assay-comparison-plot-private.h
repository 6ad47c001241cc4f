/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-comparison-plot-private.h: the widget's state, shared by its drawing and its input. */
#pragma once

#include "assay-comparison-plot.h"

struct _AssayComparisonPlot
{
  GtkWidget parent_instance;

  /* owned */
  AssayPlotData *data;          /* NULL: nothing is drawn */
  AssayChartStyle *style;
  GdkTexture *picture;          /* NULL: draw again */
  GtkSelectionModel *rows;
  GHashTable *marks;            /* run id, borrowed from the data → mark + 1 */
  guint8 *selected;             /* of each mark */

  int hovered, focused;         /* marks; -1: none */
  AssayPlotLayout layout;
};

void comparison_plot_redraw (AssayComparisonPlot *self);             /* forgets the kept picture */
int comparison_plot_find_row (AssayComparisonPlot *self, gpointer row); /* its mark; -1: it has none */
void comparison_plot_tell (AssayComparisonPlot *self); /* the mark read out, to who does not see it */
void comparison_plot_add_input (AssayComparisonPlot *self);
