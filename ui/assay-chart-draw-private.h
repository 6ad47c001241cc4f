/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-chart-draw-private.h: what the parts of the drawing share. */
#pragma once

#include <pango/pangocairo.h>

#include "assay-chart-axis.h"
#include "assay-chart-draw.h"
#include "assay-values.h"

typedef struct
{
  cairo_t *cr;                        /* borrowed */
  PangoLayout *text;                  /* owned */
  const AssayChartPicture *picture;   /* borrowed, as the next two */
  const AssayChartLayout *layout;
  const AssayChartStyle *style;
  AssayChartData *data;
  AssayBytesAxis stack_axis, strip_axis, lines_axis;
  AssayTimeAxis time_axis;
  AssayChartRect plates[8];           /* where limits and the peak are written: names keep clear of them */
  guint n_plates;
} AssayChartPen;

typedef enum { ASSAY_TEXT_LEFT, ASSAY_TEXT_CENTER, ASSAY_TEXT_RIGHT } AssayTextAlign;

void assay_chart_pen_init (AssayChartPen *pen, cairo_t *cr, const AssayChartPicture *picture,
                           const AssayChartLayout *layout);
/* For text and ink in another picture: it has no axes, no data and no layout. */
void assay_chart_pen_init_plain (AssayChartPen *pen, cairo_t *cr, const AssayChartStyle *style);
void assay_chart_pen_clear (AssayChartPen *pen);

PangoLayout *assay_chart_text_new (PangoContext *context, const AssayChartStyle *style);
double assay_chart_text_measure (PangoLayout *text, const char *words, gboolean bold);
/* y is the top of the line. Returns: the width. */
double assay_chart_pen_text (AssayChartPen *pen,
                             double x,
                             double y,
                             AssayTextAlign align,
                             AssayInk ink,
                             gboolean bold,
                             const char *words);
void assay_chart_pen_ink (AssayChartPen *pen, AssayInk ink);
void assay_chart_pen_color (AssayChartPen *pen, const GdkRGBA *color);
/* Filled at once: what cairo needs for many rectangles in one shape grows with their square. */
void assay_chart_pen_rectangle (AssayChartPen *pen, double x, double y, double width, double height);
/* A box of lines, the first of them bold, beside the vertical line at x, in a picture of this size. */
void assay_chart_pen_box (AssayChartPen *pen, double x, double top, double width, double height, double line_height,
                          const char *words);
double assay_chart_pen_x (AssayChartPen *pen, gint64 t_ns);
double assay_chart_rect_y (const AssayChartRect *rect, const AssayBytesAxis *axis, double bytes);

gint64 assay_chart_stack_max (const AssayChartPicture *picture);
gint64 assay_chart_lines_max (const AssayChartPicture *picture, gboolean *system_fits);
void assay_chart_draw_stack (AssayChartPen *pen);
void assay_chart_draw_layers (AssayChartPen *pen);
void assay_chart_draw_strip (AssayChartPen *pen);
void assay_chart_draw_lines (AssayChartPen *pen);
void assay_chart_draw_line (AssayChartPen *pen, const AssayChartRect *rect, const AssayBytesAxis *axis,
                            AssayChartLine line, gsize offset);
void assay_chart_draw_line_key (AssayChartPen *pen, AssayChartLine line, double x, double y, double width);
double assay_chart_known_x (AssayChartPen *pen);
void assay_chart_fill_layer (AssayChartPen *pen, guint layer);  /* the current path, colour and hatch */

/* Limits and the peak, over what is drawn already. */
gboolean assay_chart_limit_fits (gint64 limit_bytes, gint64 max_bytes);
void assay_chart_draw_limits (AssayChartPen *pen);
void assay_chart_draw_ram_limit (AssayChartPen *pen, double title_end);
void assay_chart_draw_peak (AssayChartPen *pen);
gboolean assay_chart_is_on_plate (AssayChartPen *pen, const AssayChartRect *words);
gboolean assay_chart_rects_touch (const AssayChartRect *a, const AssayChartRect *b);
/* A path: a tick on the foot of a lane. */
void assay_chart_path_mark (cairo_t *cr, AssayMarkKind kind, double x, double foot);

/* A legend: entries one after another, in as many rows as they take. */
typedef struct
{
  PangoLayout *text;              /* borrowed, as all of it */
  const AssayChartStyle *style;
  double left, width;
  guint n_entries;
  const char *(*get_label) (guint entry, gpointer data);               /* NULL: it does not occur */
  void (*draw) (guint entry, double x, guint row, gpointer data);      /* NULL: only count the rows */
  gpointer data;
} AssayLegendFlow;

guint assay_chart_legend_flow (const AssayLegendFlow *flow); /* returns the rows */
double assay_chart_legend_get_swatch (const AssayChartStyle *style); /* the size of the sign before an entry's words */
guint
assay_chart_legend_n_rows (PangoLayout *text, const AssayChartPicture *picture, double left, double width);
void assay_chart_draw_legend (AssayChartPen *pen);
