/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-chart-draw.h: the memory chart as cairo calls; the screen and the saved files share them.
 *
 * Lanes over one time axis: a stack of memory by category, a strip of what goes over the link a second, and
 * the process tree's RAM.
 * Values are held until the next sample, so that a peak of one sample is never thinner than a pixel. Any
 * thread, one at a time. */
#pragma once

#include <cairo.h>

#include "assay-chart-style.h"

G_BEGIN_DECLS

typedef struct { double x, y, width, height; } AssayChartRect;

typedef struct
{
  AssayChartRect stack;   /* plot of the first lane */
  AssayChartRect strip;   /* plot of the link; height 0 where there is none, or the picture is too low */
  AssayChartRect lines;   /* plot of the second; height 0 where the picture is too low for it */
  double foot;            /* of the lowest plot */
  double line_height;     /* of the text */
  gboolean caption;       /* room for the words under the time axis */
  double legend_y;
  guint n_columns;        /* what assay_chart_data_update() is to be asked for */
} AssayChartLayout;

typedef struct
{
  AssayChartData *data;         /* borrowed, up to date with the layout's n_columns */
  const AssayChartStyle *style; /* borrowed */
  gint64 budget_bytes;          /* this and the next two: not above 0: none */
  gint64 foretold_bytes;        /* the planner's peak of what the first lane counts as the engine's */
  gint64 ram_budget_bytes;      /* of the engine's host memory beside a device of its own */
  double width, height;
  gboolean paper;               /* fill the ground, for files */
} AssayChartPicture;

/* For all lanes, in the style's size of text. */
double assay_chart_get_least_height (const AssayChartPicture *picture);
/* Where things lie. Needs data's maxima (for the legend), not its columns. */
void assay_chart_layout_init (AssayChartLayout *layout, const AssayChartPicture *picture);
/* The same with the data brought up to date before, over [from, to), and its columns after. */
void assay_chart_layout_update (AssayChartLayout *layout,
                                const AssayChartPicture *picture,
                                gint64 from_ns,
                                gint64 to_ns);
void assay_chart_draw (cairo_t *cr, const AssayChartPicture *picture, const AssayChartLayout *layout);

/* The vertical line at t_ns and its box with the exact values of that time. */
void assay_chart_draw_readout (cairo_t *cr,
                               const AssayChartPicture *picture,
                               const AssayChartLayout *layout,
                               gint64 t_ns);
char *assay_chart_dup_readout (AssayChartData *data,
                               gint64 t_ns); /* the box's words, a line each; NULL without a sample */

double assay_chart_layout_x (const AssayChartLayout *layout, const AssayChartData *data, gint64 t_ns);
gint64 assay_chart_layout_t (const AssayChartLayout *layout, const AssayChartData *data, double x);

G_END_DECLS
