/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart-drawing.h"

#include <gio/gio.h>
#include <math.h>

#define MS G_GINT64_CONSTANT (1000000)

ChartDrawing
chart_drawing_new_with (AssaySeries *series,
                        const ChartLimits *limits,
                        AssayChartStyle *style,
                        int width,
                        int height,
                        gboolean readout)
{
  g_autoptr(AssayChartData) data = assay_chart_data_new (series);
  const AssayChartPicture picture = { .data = data,
                                      .style = style,
                                      .budget_bytes = limits->budget,
                                      .foretold_bytes = limits->foretold,
                                      .ram_budget_bytes = limits->ram_budget,
                                      .width = width,
                                      .height = height,
                                      .paper = TRUE };
  const gint64 end_ns = MAX (assay_series_get_end_ns (series), MS) + 1;
  ChartDrawing drawing = { .surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, width, height) };
  cairo_t *cr = cairo_create (drawing.surface);

  assay_chart_data_update (data, 0, end_ns, 1);
  assay_chart_layout_init (&drawing.layout, &picture);
  assay_chart_data_update (data, 0, end_ns, drawing.layout.n_columns);
  assay_chart_draw (cr, &picture, &drawing.layout);
  if (readout)
    assay_chart_draw_readout (cr, &picture, &drawing.layout, end_ns / 2);
  g_assert_cmpint (cairo_status (cr), ==, CAIRO_STATUS_SUCCESS);
  cairo_destroy (cr);
  cairo_surface_flush (drawing.surface);
  return drawing;
}

ChartDrawing
chart_drawing_new (
    AssaySeries *series, gint64 budget, AssayChartStyle *style, int width, int height, gboolean readout)
{
  const ChartLimits limits = { .budget = budget };

  return chart_drawing_new_with (series, &limits, style, width, height, readout);
}

guint32
chart_drawing_rgb (const GdkRGBA *color)
{
  return (guint32)lround (color->red * 255) << 16 | (guint32)lround (color->green * 255) << 8
         | (guint32)lround (color->blue * 255);
}

guint
chart_drawing_count_in (
    const ChartDrawing *drawing, const AssayChartRect *rect, guint32 rgb, double from, double to)
{
  const guchar *bytes = cairo_image_surface_get_data (drawing->surface);
  const int stride = cairo_image_surface_get_stride (drawing->surface);
  guint n = 0;

  for (int y = rect->y + rect->height * from; y < rect->y + rect->height * to; y++)
    for (int x = rect->x; x < rect->x + rect->width; x++)
      n += (((const guint32 *)(bytes + y * stride))[x] & 0xffffff) == rgb;
  return n;
}

guint
chart_drawing_count (const ChartDrawing *drawing, guint32 rgb, double from, double to)
{
  return chart_drawing_count_in (drawing, &drawing->layout.stack, rgb, from, to);
}

static cairo_status_t
read_cb (void *closure, unsigned char *data, unsigned int length)
{
  GInputStream *stream = closure;

  return g_input_stream_read_all (stream, data, length, NULL, NULL, NULL) ? CAIRO_STATUS_SUCCESS
                                                                          : CAIRO_STATUS_READ_ERROR;
}

cairo_surface_t *
chart_drawing_read_png (GBytes *png)
{
  g_autoptr(GInputStream) stream = g_memory_input_stream_new_from_bytes (png);

  return cairo_image_surface_create_from_png_stream (read_cb, stream);
}
