/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-plot-draw.h: the plot of a comparison as cairo calls; the screen, saved files and the report share them.
 *
 * A setting is a mark at its own peak memory (upwards) and its time (to the right), with whiskers over its repeats. Its
 * shape says whether it ran, its fill whether it was judged good: neither by colour alone. A line joins the settings that
 * no other beats among those whose quality passed, a dashed one those among all that ran.
 *
 * Many marks in one place are drawn once, so that what a picture costs is bounded by its size. */
#pragma once

#include <cairo.h>

#include "assay-chart-draw.h"
#include "assay-plot-data.h"
#include "assay-plot-scale.h"

G_BEGIN_DECLS

typedef struct
{
  AssayPlotData *data;          /* borrowed */
  const AssayChartStyle *style; /* borrowed */
  double width, height;
  const guint8 *selected;       /* borrowed; one of each mark, not 0: ringed; NULL: none is */
  int focused;                  /* the mark that keys stand at; -1: none */
  gboolean paper;               /* fill the ground, for files */
} AssayPlotPicture;

typedef struct
{
  AssayChartRect plot;
  AssayPlotScale memory, time;
  double line_height;           /* of the text */
  double mark_radius;
  double legend_y;
  guint legend_rows;            /* that there is room for */
} AssayPlotLayout;

double assay_plot_get_least_height (const AssayChartStyle *style);
void assay_plot_layout_init (AssayPlotLayout *layout, const AssayPlotPicture *picture);
void assay_plot_draw (cairo_t *cr, const AssayPlotPicture *picture, const AssayPlotLayout *layout);

/* The box with a mark's exact figures, beside it. */
void assay_plot_draw_readout (cairo_t *cr, const AssayPlotPicture *picture, const AssayPlotLayout *layout, guint mark);

void assay_plot_layout_get_place (const AssayPlotLayout *layout, const AssayPlotMark *mark, double *x, double *y);
/* The nearest mark to a point, no further away than a finger is wide; -1: there is none. */
int assay_plot_layout_find (const AssayPlotLayout *layout, const AssayPlotData *data, double x, double y);

G_END_DECLS
