/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/ui/chart-drawing.h: the chart as a picture whose pixels can be counted. */
#pragma once

#include "assay-chart-draw.h"

typedef struct
{
  cairo_surface_t *surface;
  AssayChartLayout layout;
} ChartDrawing;

/* What a picture is asked to show beside the series; not above 0: none. */
typedef struct
{
  gint64 budget, foretold, ram_budget;
} ChartLimits;

/* The whole run, without the window's surroundings. The caller destroys the surface. */
ChartDrawing chart_drawing_new_with (AssaySeries *series, const ChartLimits *limits, AssayChartStyle *style,
                                     int width, int height, gboolean readout);
ChartDrawing chart_drawing_new (AssaySeries *series, gint64 budget, AssayChartStyle *style, int width,
                                int height, gboolean readout);
guint32 chart_drawing_rgb (const GdkRGBA *color);
/* Pixels of exactly this colour between two heights of a plot, in fractions of it from the top. */
guint chart_drawing_count_in (const ChartDrawing *drawing, const AssayChartRect *rect, guint32 rgb, double from,
                              double to);
/* Of the first lane. */
guint chart_drawing_count (const ChartDrawing *drawing, guint32 rgb, double from, double to);
cairo_surface_t *chart_drawing_read_png (GBytes *png); /* the caller destroys it */
