/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-chart-pen.c: text, ink and scales of the chart's parts. Text goes through pango as plain text,
 * never markup: phase and mark names come from files. */
#include "assay-chart-draw-private.h"

PangoLayout *
assay_chart_text_new (PangoContext *context, const AssayChartStyle *style)
{
  PangoLayout *text = pango_layout_new (context);
  g_autoptr(PangoFontDescription) font = pango_font_description_new ();

  pango_font_description_set_family (font, style->font_family);
  pango_font_description_set_absolute_size (font, style->font_px * PANGO_SCALE);
  pango_layout_set_font_description (text, font);
  pango_layout_set_single_paragraph_mode (text, TRUE);
  return text;
}

#define TEXT_LIMIT                                                                                           \
  400 /* bytes: a longer name is no name, and shaping it at every frame would stall the window */

static void
text_set (PangoLayout *text, const char *words, gboolean bold)
{
  g_autoptr(PangoAttrList) attributes = pango_attr_list_new ();
  g_autofree char *valid = g_utf8_make_valid (words, strnlen (words, TEXT_LIMIT));

  if (bold)
    pango_attr_list_insert (attributes, pango_attr_weight_new (PANGO_WEIGHT_BOLD));
  pango_attr_list_insert (attributes, pango_attr_font_features_new ("tnum=1"));
  pango_layout_set_attributes (text, attributes);
  pango_layout_set_text (text, valid, -1);
}

double
assay_chart_text_measure (PangoLayout *text, const char *words, gboolean bold)
{
  int width;

  text_set (text, words, bold);
  pango_layout_get_size (text, &width, NULL);
  return (double) width / PANGO_SCALE;
}

double
assay_chart_pen_text (AssayChartPen *pen,
                      double x,
                      double y,
                      AssayTextAlign align,
                      AssayInk ink,
                      gboolean bold,
                      const char *words)
{
  const double width = assay_chart_text_measure (pen->text, words, bold);

  if (align == ASSAY_TEXT_RIGHT)
    x -= width;
  else if (align == ASSAY_TEXT_CENTER)
    x -= width / 2.0;
  assay_chart_pen_ink (pen, ink);
  cairo_move_to (pen->cr, x, y);
  pango_cairo_show_layout (pen->cr, pen->text);
  return width;
}

void
assay_chart_pen_color (AssayChartPen *pen, const GdkRGBA *color)
{
  cairo_set_source_rgba (pen->cr, color->red, color->green, color->blue, color->alpha);
}

void
assay_chart_pen_ink (AssayChartPen *pen, AssayInk ink)
{
  GdkRGBA color;

  assay_chart_style_get_ink (pen->style, ink, &color);
  assay_chart_pen_color (pen, &color);
}

void
assay_chart_pen_rectangle (AssayChartPen *pen, double x, double y, double width, double height)
{
  cairo_rectangle (pen->cr, x, y, width, height);
  cairo_fill (pen->cr);
}

double
assay_chart_layout_x (const AssayChartLayout *layout, const AssayChartData *data, gint64 t_ns)
{
  const double span = MAX (data->to_ns - data->from_ns, 1);

  return layout->stack.x + (t_ns - data->from_ns) / span * layout->stack.width;
}

gint64
assay_chart_layout_t (const AssayChartLayout *layout, const AssayChartData *data, double x)
{
  const double at = (x - layout->stack.x) / MAX (layout->stack.width, 1.0);

  return data->from_ns + (gint64) (CLAMP (at, 0.0, 1.0) * (data->to_ns - data->from_ns));
}

double
assay_chart_pen_x (AssayChartPen *pen, gint64 t_ns)
{
  return assay_chart_layout_x (pen->layout, pen->data, t_ns);
}

double
assay_chart_rect_y (const AssayChartRect *rect, const AssayBytesAxis *axis, double bytes)
{
  return rect->y + rect->height * (1.0 - bytes / axis->top_bytes);
}

void
assay_chart_pen_init_plain (AssayChartPen *pen, cairo_t *cr, const AssayChartStyle *style)
{
  PangoContext *context = pango_cairo_create_context (cr);

  *pen = (AssayChartPen){ .cr = cr, .style = style, .text = assay_chart_text_new (context, style) };
  g_object_unref (context);
}

void
assay_chart_pen_init (AssayChartPen *pen,
                      cairo_t *cr,
                      const AssayChartPicture *picture,
                      const AssayChartLayout *layout)
{
  const guint rows = MAX ((guint) (layout->stack.height / (layout->line_height * 2.6)), 2);
  const guint low_rows = MAX ((guint) (layout->lines.height / (layout->line_height * 2.0)), 2);

  assay_chart_pen_init_plain (pen, cr, picture->style);
  pen->picture = picture;
  pen->layout = layout;
  pen->data = picture->data;
  assay_bytes_axis_init (&pen->stack_axis, assay_chart_stack_max (picture), rows);
  assay_bytes_axis_init (&pen->lines_axis, assay_chart_lines_max (picture, NULL), low_rows);
  assay_bytes_axis_init_rate (&pen->strip_axis, MAX (pen->data->rate_max, 0.0), 4);
  assay_time_axis_init (&pen->time_axis, MAX (pen->data->to_ns - pen->data->from_ns, 1),
                        MAX ((guint) (layout->stack.width / (layout->line_height * 5.0)), 2));
}

void
assay_chart_pen_clear (AssayChartPen *pen)
{
  g_clear_object (&pen->text);
}
