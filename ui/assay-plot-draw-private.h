/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-plot-draw-private.h: what the parts of the plot's drawing share. */
#pragma once

#include "assay-chart-draw-private.h"
#include "assay-plot-draw.h"

#define ASSAY_PLOT_MANY 1000u /* marks; from here on they are small, and those under one just like them are left out */

typedef struct
{
  AssayChartPen pen;                /* text and ink */
  cairo_t *cr;                      /* borrowed, as the next three */
  const AssayPlotPicture *picture;
  const AssayPlotLayout *layout;
  AssayPlotData *data;
  GArray *drawn;                    /* owned; (element-type guint) marks that are not under one just like them */
} AssayPlotPen;

/* A mark of this kind around a place, radius in pixels; the same in the plot and in its legend. */
void assay_plot_draw_sign (AssayChartPen *pen, AssayVerdict feasibility, AssayVerdict quality, double x, double y,
                           double radius);
void assay_plot_draw_marks (AssayPlotPen *self);
GArray *assay_plot_thin_out (const AssayPlotLayout *layout, const AssayPlotData *data); /* (element-type guint) */

typedef struct
{
  AssayChartRect place;
  char *words;          /* owned */
} AssayPlotName;

GArray *assay_plot_place_names (AssayPlotPen *self); /* (element-type AssayPlotName) */
void assay_plot_draw_names (AssayPlotPen *self);
void assay_plot_draw_frontiers (AssayPlotPen *self);
/* The ends of the lines that show the spread of repeats; the mark's own place where there is none. */
void assay_plot_layout_get_whiskers (const AssayPlotLayout *layout, const AssayPlotMark *mark, double *left, double *foot,
                                     double *right, double *top);
/* In the middle of a line of the legend. */
void assay_plot_draw_frontier_key (AssayChartPen *pen, gboolean passed, double x, double y, double width);

guint assay_plot_legend_n_rows (PangoLayout *text, const AssayPlotPicture *picture, double left, double width);
void assay_plot_draw_legend (AssayPlotPen *self);
