/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-plot-mark.c: the signs of the plot. A circle ran, a triangle did not, a diamond was not put to the test; full
 * was judged good, crossed was judged not good, hollow was not judged. The ink only repeats it. */
#include "assay-plot-draw-private.h"

#include <math.h>

#define MOST_RINGS 300u
#define MOST_CELLS 1500.0 /* places of the plot that hold one mark of a kind each, where there are many */

static void
path_sign (cairo_t *cr, AssayVerdict feasibility, double x, double y, double radius)
{
  const double wide = radius * 1.16;

  cairo_new_path (cr);
  if (feasibility == ASSAY_VERDICT_PASS)
    {
      cairo_arc (cr, x, y, radius, 0.0, 2.0 * G_PI);
      return;
    }
  cairo_move_to (cr, x, y + wide);
  if (feasibility == ASSAY_VERDICT_FAIL) /* a triangle on its tip */
    {
      cairo_line_to (cr, x - wide, y - radius * 0.8);
      cairo_line_to (cr, x + wide, y - radius * 0.8);
    }
  else
    {
      cairo_line_to (cr, x - wide, y);
      cairo_line_to (cr, x, y - wide);
      cairo_line_to (cr, x + wide, y);
    }
  cairo_close_path (cr);
}

/* Within the narrowest of the shapes. */
static void
draw_cross (cairo_t *cr, double x, double y, double radius)
{
  const double arm = radius * 0.5;

  cairo_new_path (cr);
  cairo_move_to (cr, x - arm, y - arm);
  cairo_line_to (cr, x + arm, y + arm);
  cairo_move_to (cr, x + arm, y - arm);
  cairo_line_to (cr, x - arm, y + arm);
  cairo_stroke (cr);
}

void
assay_plot_draw_sign (AssayChartPen *pen, AssayVerdict feasibility, AssayVerdict quality, double x, double y,
                      double radius)
{
  static const AssayInk inks[] = { [ASSAY_VERDICT_NOT_JUDGED] = ASSAY_INK_TEXT,
                                   [ASSAY_VERDICT_PASS] = ASSAY_INK_PASS,
                                   [ASSAY_VERDICT_FAIL] = ASSAY_INK_FAIL };

  path_sign (pen->cr, feasibility, x, y, radius);
  assay_chart_pen_ink (pen, quality == ASSAY_VERDICT_PASS ? ASSAY_INK_PASS : ASSAY_INK_PLOT);
  cairo_fill_preserve (pen->cr);
  assay_chart_pen_ink (pen, inks[quality]);
  cairo_set_line_width (pen->cr, MAX (radius * 0.28, 1.2));
  cairo_stroke (pen->cr);
  if (quality == ASSAY_VERDICT_FAIL)
    draw_cross (pen->cr, x, feasibility == ASSAY_VERDICT_FAIL ? y - radius * 0.2 : y, radius);
}

/* Those under one just like them, by less than a cell, are left out; of each kind there are at most as many as there are
 * cells. What lies on a frontier or is selected is always there. */
GArray *
assay_plot_thin_out (const AssayPlotLayout *layout, const AssayPlotData *data)
{
  const AssayChartRect *plot = &layout->plot;
  const double cell = MAX (sqrt (plot->width * plot->height / MOST_CELLS), 1.0);
  const guint columns = (guint) (plot->width / cell) + 1, rows = (guint) (plot->height / cell) + 1;
  g_autofree guint16 *taken = data->marks->len > ASSAY_PLOT_MANY ? g_new0 (guint16, (gsize) columns * rows) : NULL;
  GArray *kept = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint i = 0; i < data->marks->len; i++)
    {
      const AssayPlotMark *mark = assay_plot_data_get_mark (data, i);
      double x, y;
      assay_plot_layout_get_place (layout, mark, &x, &y);
      const guint place = (guint) ((y - plot->y) / cell) * columns + (guint) ((x - plot->x) / cell);
      const guint16 kind = (guint16) (1u << (mark->feasibility * 3 + mark->quality));
      if (taken != NULL && (taken[place] & kind) != 0 && !mark->on_ran_frontier && !mark->on_quality_frontier)
        continue;
      if (taken != NULL)
        taken[place] |= kind;
      g_array_append_val (kept, i);
    }
  return kept;
}

static void
whisker (cairo_t *cr, double x0, double y0, double x1, double y1)
{
  const double dx = y0 == y1 ? 0.0 : 3.0, dy = y0 == y1 ? 3.0 : 0.0; /* the ends, across */

  if (hypot (x1 - x0, y1 - y0) < 2.0)
    return;
  cairo_move_to (cr, x0, y0);
  cairo_line_to (cr, x1, y1);
  cairo_move_to (cr, x0 - dx, y0 - dy);
  cairo_line_to (cr, x0 + dx, y0 + dy);
  cairo_move_to (cr, x1 - dx, y1 - dy);
  cairo_line_to (cr, x1 + dx, y1 + dy);
  cairo_stroke (cr);
}

static void
draw_whiskers (AssayPlotPen *self, const AssayPlotMark *mark)
{
  double x, y, x0, y0, x1, y1;

  assay_plot_layout_get_place (self->layout, mark, &x, &y);
  assay_plot_layout_get_whiskers (self->layout, mark, &x0, &y0, &x1, &y1);
  assay_chart_pen_ink (&self->pen, ASSAY_INK_DIM);
  cairo_set_line_width (self->cr, 1.2);
  whisker (self->cr, x0, y, x1, y);
  whisker (self->cr, x, y0, x, y1);
}

static void
draw_ring (AssayPlotPen *self, double x, double y, double radius, gboolean dashed)
{
  const double dashes[] = { 3.0, 2.0 };

  assay_chart_pen_ink (&self->pen, dashed ? ASSAY_INK_TEXT : ASSAY_INK_CHOSEN);
  cairo_set_line_width (self->cr, 2.0);
  cairo_set_dash (self->cr, dashes, dashed ? 2 : 0, 0.0);
  cairo_new_path (self->cr);
  cairo_arc (self->cr, x, y, radius, 0.0, 2.0 * G_PI);
  cairo_stroke (self->cr);
  cairo_set_dash (self->cr, NULL, 0, 0.0);
}

static void
draw_mark (AssayPlotPen *self, guint index)
{
  const AssayPlotMark *mark = assay_plot_data_get_mark (self->data, index);
  double x, y;

  assay_plot_layout_get_place (self->layout, mark, &x, &y);
  assay_plot_draw_sign (&self->pen, mark->feasibility, mark->quality, x, y, self->layout->mark_radius);
}

static void
draw_selected_mark (AssayPlotPen *self, guint index)
{
  double x, y;

  if (self->picture->selected[index] == 0)
    return;
  assay_plot_layout_get_place (self->layout, assay_plot_data_get_mark (self->data, index), &x, &y);
  draw_mark (self, index);
  draw_ring (self, x, y, self->layout->mark_radius * 1.75, FALSE);
}

static guint
count_selected (const AssayPlotPen *self)
{
  guint n = 0;

  for (guint i = 0; i < self->data->marks->len; i++)
    n += self->picture->selected[i] != 0;
  return n;
}

/* Over all others: they are what a person looks for. Of very many only those that are drawn anyway are ringed. */
static void
draw_selected (AssayPlotPen *self)
{
  if (self->picture->selected == NULL)
    return;
  if (count_selected (self) > MOST_RINGS)
    for (guint i = 0; i < self->drawn->len; i++)
      draw_selected_mark (self, g_array_index (self->drawn, guint, i));
  else
    for (guint i = 0; i < self->data->marks->len; i++)
      draw_selected_mark (self, i);
}

static void
draw_focused (AssayPlotPen *self)
{
  const int focused = self->picture->focused;
  double x, y;

  if (focused < 0 || focused >= (int) self->data->marks->len)
    return;
  assay_plot_layout_get_place (self->layout, assay_plot_data_get_mark (self->data, (guint) focused), &x, &y);
  draw_ring (self, x, y, self->layout->mark_radius * 2.4, TRUE);
}

void
assay_plot_draw_marks (AssayPlotPen *self)
{
  for (guint i = 0; i < self->drawn->len; i++)
    draw_whiskers (self, assay_plot_data_get_mark (self->data, g_array_index (self->drawn, guint, i)));
  for (guint i = 0; i < self->drawn->len; i++)
    draw_mark (self, g_array_index (self->drawn, guint, i));
  draw_selected (self);
  draw_focused (self);
}
