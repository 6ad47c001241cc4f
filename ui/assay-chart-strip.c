/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-chart-strip.c: the thin lane of the link: bytes a second, a column a pixel. */
#include "assay-chart-draw-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>

/* Neighbours of one rate are one rectangle: a saved file stays small. A rate that is not nothing is a pixel
 * high. */
static void
draw_rates (AssayChartPen *pen)
{
  const AssayChartRect *rect = &pen->layout->strip;
  const GArray *rates = pen->data->rates;
  const double foot = rect->y + rect->height;

  for (guint i = 0, end; i < rates->len; i = end)
    {
      const double rate = g_array_index (rates, double, i);

      for (end = i + 1; end < rates->len && g_array_index (rates, double, end) == rate; end++)
        ;
      if (rate <= 0.0)
        continue;
      const double y = MIN (floor (assay_chart_rect_y (rect, &pen->strip_axis, rate)), foot - 1.0);
      assay_chart_pen_rectangle (pen, rect->x + i, y, end - i, foot - y);
    }
}

static void
draw_strip_title (AssayChartPen *pen)
{
  const AssayChartRect *rect = &pen->layout->strip;
  const double y = rect->y - pen->layout->line_height * 1.2;
  g_autofree char *bytes = assay_format_bytes (MAX (pen->data->link_bytes, 0));
  g_autofree char *rate = assay_chart_dup_rate (pen->data->rate_max);
  g_autofree char *words = g_strdup_printf (_("%s moved, at most %s"), bytes, rate);
  const double x
      = rect->x + 8.0
        + assay_chart_pen_text (pen, rect->x, y, ASSAY_TEXT_LEFT, ASSAY_INK_TEXT, TRUE, _("Over the link"));

  assay_chart_pen_text (pen, x, y, ASSAY_TEXT_LEFT, ASSAY_INK_TEXT, FALSE, words);
}

void
assay_chart_draw_strip (AssayChartPen *pen)
{
  GdkRGBA color;

  draw_strip_title (pen);
  assay_chart_style_get_line (pen->style, ASSAY_LINE_LINK, &color);
  assay_chart_pen_color (pen, &color);
  draw_rates (pen);
}
