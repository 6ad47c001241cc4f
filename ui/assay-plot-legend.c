/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-plot-legend.c: what the shapes, fills and lines say, in words; only those that occur. */
#include "assay-plot-draw-private.h"

#include <glib/gi18n-lib.h>

enum
{
  ENTRY_RAN,
  ENTRY_DID_NOT_RUN,
  ENTRY_RAN_NOT_JUDGED,
  ENTRY_GOOD,
  ENTRY_NOT_GOOD,
  ENTRY_GOOD_NOT_JUDGED,
  ENTRY_PASSED_LINE,
  ENTRY_RAN_LINE,
  ENTRY_SPREAD,
  N_ENTRIES
};

typedef struct
{
  AssayPlotPen *plot;     /* NULL while rows are counted */
  gboolean occurs[N_ENTRIES];
} Legend;

static gboolean
mark_is_spread (const AssayPlotMark *mark)
{
  return mark->peak.low < mark->peak.high || mark->seconds.low < mark->seconds.high;
}

static guint
entry_of_fill (AssayVerdict quality)
{
  return quality == ASSAY_VERDICT_PASS   ? ENTRY_GOOD
         : quality == ASSAY_VERDICT_FAIL ? ENTRY_NOT_GOOD
                                         : ENTRY_GOOD_NOT_JUDGED;
}

static guint
entry_of_shape (AssayVerdict feasibility)
{
  return feasibility == ASSAY_VERDICT_PASS   ? ENTRY_RAN
         : feasibility == ASSAY_VERDICT_FAIL ? ENTRY_DID_NOT_RUN
                                             : ENTRY_RAN_NOT_JUDGED;
}

static void
legend_init (Legend *self, const AssayPlotData *data)
{
  *self = (Legend){ 0 };
  for (guint i = 0; i < data->marks->len; i++)
    {
      const AssayPlotMark *mark = assay_plot_data_get_mark (data, i);
      self->occurs[entry_of_shape (mark->feasibility)] = TRUE;
      self->occurs[entry_of_fill (mark->quality)] = TRUE;
      self->occurs[ENTRY_SPREAD] |= mark_is_spread (mark);
    }
  self->occurs[ENTRY_PASSED_LINE] = data->passed->len > 1;
  self->occurs[ENTRY_RAN_LINE] = data->ran->len > 1;
}

static const char *
entry_get_words (guint entry)
{
  switch (entry)
    {
    /* Translators: a shape of the plot and what it says; the fills that follow say how quality was judged */
    case ENTRY_RAN:
      return C_ ("plot legend", "circle: ran");
    case ENTRY_DID_NOT_RUN:
      return C_ ("plot legend", "triangle: did not run");
    case ENTRY_RAN_NOT_JUDGED:
      return C_ ("plot legend", "diamond: ran not judged");
    case ENTRY_GOOD:
      return C_ ("plot legend", "full: good");
    case ENTRY_NOT_GOOD:
      return C_ ("plot legend", "crossed: not good");
    case ENTRY_GOOD_NOT_JUDGED:
      return C_ ("plot legend", "hollow: not judged");
    case ENTRY_PASSED_LINE:
      return C_ ("plot legend", "not beaten among the good");
    case ENTRY_RAN_LINE:
      return C_ ("plot legend", "not beaten among all that ran");
    case ENTRY_SPREAD:
    default:
      return C_ ("plot legend", "spread of repeats");
    }
}

static const char *
legend_get_label (guint entry, gpointer data)
{
  const Legend *self = data;

  return self->occurs[entry] ? entry_get_words (entry) : NULL;
}

static void
draw_spread_key (AssayChartPen *pen, double x, double y, double width)
{
  assay_chart_pen_ink (pen, ASSAY_INK_DIM);
  cairo_set_line_width (pen->cr, 1.2);
  cairo_move_to (pen->cr, x, y);
  cairo_line_to (pen->cr, x + width, y);
  cairo_move_to (pen->cr, x, y - 3.0);
  cairo_line_to (pen->cr, x, y + 3.0);
  cairo_move_to (pen->cr, x + width, y - 3.0);
  cairo_line_to (pen->cr, x + width, y + 3.0);
  cairo_stroke (pen->cr);
}

/* A shape is shown hollow, a fill as a circle: each entry says one thing. */
static void
draw_key (AssayChartPen *pen, guint entry, double x, double y, double size)
{
  static const AssayVerdict verdicts[] = { ASSAY_VERDICT_PASS, ASSAY_VERDICT_FAIL, ASSAY_VERDICT_NOT_JUDGED };

  if (entry <= ENTRY_RAN_NOT_JUDGED)
    assay_plot_draw_sign (pen, verdicts[entry - ENTRY_RAN], ASSAY_VERDICT_NOT_JUDGED, x + size / 2.0, y, size / 2.2);
  else if (entry <= ENTRY_GOOD_NOT_JUDGED)
    assay_plot_draw_sign (pen, ASSAY_VERDICT_PASS, verdicts[entry - ENTRY_GOOD], x + size / 2.0, y, size / 2.2);
  else if (entry <= ENTRY_RAN_LINE)
    assay_plot_draw_frontier_key (pen, entry == ENTRY_PASSED_LINE, x, y, size);
  else
    draw_spread_key (pen, x, y, size);
}

static void
legend_draw_entry (guint entry, double x, guint row, gpointer data)
{
  const Legend *self = data;
  AssayChartPen *pen = &self->plot->pen;
  const double line = self->plot->layout->line_height, y = self->plot->layout->legend_y + row * line * 1.3;
  const double size = assay_chart_legend_get_swatch (pen->style);

  if (row >= self->plot->layout->legend_rows)
    return;
  draw_key (pen, entry, x, y + line / 2.0, size);
  assay_chart_pen_text (pen, x + size + 5.0, y, ASSAY_TEXT_LEFT, ASSAY_INK_TEXT, FALSE, entry_get_words (entry));
}

guint
assay_plot_legend_n_rows (PangoLayout *text, const AssayPlotPicture *picture, double left, double width)
{
  Legend legend;

  legend_init (&legend, picture->data);
  const AssayLegendFlow flow = { text, picture->style, left, width, N_ENTRIES, legend_get_label, NULL, &legend };
  return assay_chart_legend_flow (&flow);
}

void
assay_plot_draw_legend (AssayPlotPen *self)
{
  const AssayPlotLayout *layout = self->layout;
  Legend legend;

  legend_init (&legend, self->data);
  legend.plot = self;
  const AssayLegendFlow flow = { self->pen.text, self->picture->style, layout->plot.x, layout->plot.width, N_ENTRIES,
                                 legend_get_label, legend_draw_entry, &legend };
  assay_chart_legend_flow (&flow);
}
