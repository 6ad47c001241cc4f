/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-plot-draw.c: where things lie, the ground with its axes, and the two frontiers. */
#include "assay-plot-draw-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#define FINGER 14.0       /* pixels from a mark that still mean it */
#define LEGEND_SHARE 0.45 /* of the height that axis and legend may take: in a low picture its last rows are left out */

/* Where things lie */

static void
spread_of (const AssayPlotData *data, gsize offset, double *low, double *high)
{
  *low = G_MAXDOUBLE;
  *high = -G_MAXDOUBLE;
  for (guint i = 0; i < data->marks->len; i++)
    {
      const AssayPlotFigure *figure = (gconstpointer) ((const char *) assay_plot_data_get_mark (data, i) + offset);
      *low = MIN (*low, figure->low);
      *high = MAX (*high, figure->high);
    }
}

static void
layout_init_scales (AssayPlotLayout *layout, const AssayPlotData *data)
{
  const guint rows = MAX ((guint) (layout->plot.height / (layout->line_height * 2.2)), 2);
  const guint columns = MAX ((guint) (layout->plot.width / (layout->line_height * 5.0)), 2);
  double low, high;

  spread_of (data, G_STRUCT_OFFSET (AssayPlotMark, peak), &low, &high);
  assay_plot_scale_init_bytes (&layout->memory, low, high, rows);
  spread_of (data, G_STRUCT_OFFSET (AssayPlotMark, seconds), &low, &high);
  assay_plot_scale_init_seconds (&layout->time, low, high, columns);
}

static double
layout_get_line (const AssayChartStyle *style)
{
  return ceil (style->font_px * 1.45);
}

void
assay_plot_layout_init (AssayPlotLayout *layout, const AssayPlotPicture *picture)
{
  PangoContext *context = pango_font_map_create_context (pango_cairo_font_map_get_default ());
  g_autoptr(PangoLayout) text = assay_chart_text_new (context, picture->style);
  const double line = layout_get_line (picture->style), top = line * 1.5, right = 14.0;
  const double left = ceil (assay_chart_text_measure (text, "0000 MiB", FALSE)) + 8.0;
  const double width = MAX (floor (picture->width - left - right), 16.0);
  const double axis = line * 1.5, most_rows = (picture->height * LEGEND_SHARE - axis) / (line * 1.3);
  const guint n_rows = assay_plot_legend_n_rows (text, picture, left, width);
  const guint legend_rows = MIN (n_rows, (guint) MAX (most_rows, 0.0));
  const double below = axis + legend_rows * line * 1.3;

  const double radius = MAX (picture->style->font_px * 0.46, 3.5);

  *layout = (AssayPlotLayout){ .line_height = line,
                               .mark_radius = picture->data->marks->len > ASSAY_PLOT_MANY ? radius * 0.6 : radius };
  g_object_unref (context);
  layout->plot = (AssayChartRect){ left, top, width, MAX (floor (picture->height - top - below), 16.0) };
  layout->legend_rows = legend_rows;
  layout->legend_y = layout->plot.y + layout->plot.height + axis;
  layout_init_scales (layout, picture->data);
}

/* Four lines of plot between its title and a row of legend. */
double
assay_plot_get_least_height (const AssayChartStyle *style)
{
  return ceil (layout_get_line (style) * (1.5 + 4.0 + 1.5 + 1.3));
}

static double
layout_get_x (const AssayPlotLayout *layout, double seconds)
{
  return layout->plot.x + layout->plot.width * assay_plot_scale_get_share (&layout->time, seconds);
}

static double
layout_get_y (const AssayPlotLayout *layout, double bytes)
{
  return layout->plot.y + layout->plot.height * (1.0 - assay_plot_scale_get_share (&layout->memory, bytes));
}

void
assay_plot_layout_get_place (const AssayPlotLayout *layout, const AssayPlotMark *mark, double *x, double *y)
{
  *x = layout_get_x (layout, mark->seconds.at);
  *y = layout_get_y (layout, mark->peak.at);
}

void
assay_plot_layout_get_whiskers (const AssayPlotLayout *layout, const AssayPlotMark *mark, double *left, double *foot,
                                double *right, double *top)
{
  *left = layout_get_x (layout, mark->seconds.low);
  *right = layout_get_x (layout, mark->seconds.high);
  *foot = layout_get_y (layout, mark->peak.low);
  *top = layout_get_y (layout, mark->peak.high);
}

int
assay_plot_layout_find (const AssayPlotLayout *layout, const AssayPlotData *data, double x, double y)
{
  double nearest = FINGER;
  int found = -1;

  for (guint i = 0; i < data->marks->len; i++)
    {
      double at_x, at_y;
      assay_plot_layout_get_place (layout, assay_plot_data_get_mark (data, i), &at_x, &at_y);
      const double distance = hypot (at_x - x, at_y - y);
      if (distance > nearest)
        continue;
      nearest = distance;
      found = (int) i;
    }
  return found;
}

/* The ground */

static void
draw_memory_axis (AssayPlotPen *self)
{
  const AssayChartRect *plot = &self->layout->plot;
  const AssayPlotScale *scale = &self->layout->memory;

  cairo_set_line_width (self->cr, 1.0);
  for (guint i = 0; i < scale->n_ticks; i++)
    {
      g_autofree char *label = assay_plot_scale_dup_label (scale, scale->ticks[i]);
      const double y = floor (layout_get_y (self->layout, scale->ticks[i])) + 0.5;
      assay_chart_pen_ink (&self->pen, ASSAY_INK_GRID);
      cairo_move_to (self->cr, plot->x, y);
      cairo_line_to (self->cr, plot->x + plot->width, y);
      cairo_stroke (self->cr);
      assay_chart_pen_text (&self->pen, plot->x - 6.0, y - self->layout->line_height / 2.0, ASSAY_TEXT_RIGHT,
                            ASSAY_INK_DIM, FALSE, label);
    }
}

static void
draw_time_axis (AssayPlotPen *self)
{
  const AssayChartRect *plot = &self->layout->plot;
  const AssayPlotScale *scale = &self->layout->time;
  const double foot = plot->y + plot->height;

  for (guint i = 0; i < scale->n_ticks; i++)
    {
      g_autofree char *label = assay_plot_scale_dup_label (scale, scale->ticks[i]);
      const double x = floor (layout_get_x (self->layout, scale->ticks[i])) + 0.5;
      const double half = assay_chart_text_measure (self->pen.text, label, FALSE) / 2.0;
      assay_chart_pen_ink (&self->pen, ASSAY_INK_GRID);
      cairo_move_to (self->cr, x, plot->y);
      cairo_line_to (self->cr, x, foot + 4.0);
      cairo_stroke (self->cr);
      assay_chart_pen_text (&self->pen, MIN (x, self->picture->width - half - 1.0), foot + 4.0, ASSAY_TEXT_CENTER,
                            ASSAY_INK_DIM, FALSE, label);
    }
}

static const char *
time_axis_get_words (const AssayPlotScale *scale)
{
  if (scale->log)
    return C_ ("plot axis", "against time, in steps of ten times");
  switch (scale->time.form)
    {
    case ASSAY_TIME_SECONDS:
      return C_ ("plot axis", "against time, seconds");
    case ASSAY_TIME_MINUTES:
      return C_ ("plot axis", "against time, min:s");
    case ASSAY_TIME_HOURS:
    default:
      return C_ ("plot axis", "against time, h:min");
    }
}

static void
draw_title (AssayPlotPen *self)
{
  const double x = self->layout->plot.x, y = self->layout->line_height * 0.15;
  const double width
    = assay_chart_pen_text (&self->pen, x, y, ASSAY_TEXT_LEFT, ASSAY_INK_TEXT, TRUE, self->data->label);

  assay_chart_pen_text (&self->pen, x + width + 8.0, y, ASSAY_TEXT_LEFT, ASSAY_INK_TEXT, FALSE,
                        time_axis_get_words (&self->layout->time));
}

static void
draw_ground (AssayPlotPen *self)
{
  const AssayChartRect *plot = &self->layout->plot;

  assay_chart_pen_ink (&self->pen, ASSAY_INK_PLOT);
  assay_chart_pen_rectangle (&self->pen, plot->x, plot->y, plot->width, plot->height);
}

static void
draw_empty (AssayPlotPen *self)
{
  const AssayChartRect *plot = &self->layout->plot;

  assay_chart_pen_text (&self->pen, plot->x + plot->width / 2.0,
                        plot->y + plot->height / 2.0 - self->layout->line_height, ASSAY_TEXT_CENTER, ASSAY_INK_DIM,
                        FALSE, _("No run here states both its peak memory and its time."));
}

/* Frontiers */

static void
frontier_set_line (AssayChartPen *pen, gboolean passed)
{
  const double dashes[] = { 5.0, 4.0 };

  assay_chart_pen_ink (pen, passed ? ASSAY_INK_PASS : ASSAY_INK_TEXT);
  cairo_set_line_width (pen->cr, passed ? 2.0 : 1.4);
  cairo_set_dash (pen->cr, dashes, passed ? 0 : 2, 0.0);
}

static void
draw_frontier (AssayPlotPen *self, GArray *marks, gboolean passed)
{
  frontier_set_line (&self->pen, passed);
  cairo_new_path (self->cr);
  for (guint i = 0; i < marks->len; i++)
    {
      double x, y;
      assay_plot_layout_get_place (self->layout,
                                   assay_plot_data_get_mark (self->data, g_array_index (marks, guint, i)), &x, &y);
      cairo_line_to (self->cr, x, y);
    }
  cairo_stroke (self->cr);
  cairo_set_dash (self->cr, NULL, 0, 0.0);
}

void
assay_plot_draw_frontiers (AssayPlotPen *self)
{
  draw_frontier (self, self->data->passed, TRUE);
  draw_frontier (self, self->data->ran, FALSE); /* over it: where both run, dashes show on the line */
}

void
assay_plot_draw_frontier_key (AssayChartPen *pen, gboolean passed, double x, double y, double width)
{
  frontier_set_line (pen, passed);
  cairo_move_to (pen->cr, x, y);
  cairo_line_to (pen->cr, x + width, y);
  cairo_stroke (pen->cr);
  cairo_set_dash (pen->cr, NULL, 0, 0.0);
}

/* All of it */

static void
draw_settings (AssayPlotPen *self)
{
  draw_memory_axis (self);
  draw_time_axis (self);
  self->drawn = assay_plot_thin_out (self->layout, self->data);
  assay_plot_draw_frontiers (self);
  assay_plot_draw_marks (self);
  assay_plot_draw_names (self);
  assay_plot_draw_legend (self);
  g_array_unref (self->drawn);
}

void
assay_plot_draw (cairo_t *cr, const AssayPlotPicture *picture, const AssayPlotLayout *layout)
{
  AssayPlotPen self = { .cr = cr, .picture = picture, .layout = layout, .data = picture->data };

  assay_chart_pen_init_plain (&self.pen, cr, picture->style);
  if (picture->paper)
    {
      assay_chart_pen_ink (&self.pen, ASSAY_INK_PAPER);
      assay_chart_pen_rectangle (&self.pen, 0.0, 0.0, picture->width, picture->height);
    }
  draw_ground (&self);
  if (picture->data->marks->len == 0)
    draw_empty (&self);
  else
    {
      draw_title (&self);
      draw_settings (&self);
    }
  assay_chart_pen_clear (&self.pen);
}

void
assay_plot_draw_readout (cairo_t *cr, const AssayPlotPicture *picture, const AssayPlotLayout *layout, guint mark)
{
  g_autofree char *words = assay_plot_data_dup_readout (picture->data, mark);
  AssayChartPen pen;
  double x, y;

  assay_plot_layout_get_place (layout, assay_plot_data_get_mark (picture->data, mark), &x, &y);
  assay_chart_pen_init_plain (&pen, cr, picture->style);
  assay_chart_pen_box (&pen, x, layout->plot.y, picture->width, picture->height, layout->line_height, words);
  assay_chart_pen_clear (&pen);
}
