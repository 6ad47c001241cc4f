/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-chart-lines.c: the second lane: RAM of the process tree, and of the whole machine where it fits.
 *
 * The machine may use a hundred times what the run does; drawn to one scale the run's lines would lie on the
 * floor. Then the machine's figure stands in the title instead. */
#include "assay-chart-draw-private.h"

#include <glib/gi18n-lib.h>

#define PIECE 32 /* steps of a line that are stroked together */

gint64
assay_chart_lines_max (const AssayChartPicture *picture, gboolean *system_fits)
{
  const AssayChartData *data = picture->data;
  const gint64 measured = MAX (data->anonymous_max, data->mapped_max);
  const gboolean limited = data->own_memory && assay_chart_limit_fits (picture->ram_budget_bytes, measured);
  const gint64 process = limited ? MAX (measured, picture->ram_budget_bytes) : measured;
  const gboolean fits = data->system_max >= 0 && data->system_max / 4 <= process;

  if (system_fits != NULL)
    *system_fits = fits;
  return fits ? MAX (process, data->system_max) : process;
}

static void
line_style (AssayChartPen *pen, AssayChartLine line)
{
  GdkRGBA color;
  int n_dashes;
  const double *dashes = assay_chart_style_get_dash (line, &n_dashes);

  assay_chart_style_get_line (pen->style, line, &color);
  assay_chart_pen_color (pen, &color);
  cairo_set_dash (pen->cr, dashes, n_dashes, 0.0);
  cairo_set_line_width (pen->cr, line == ASSAY_LINE_DRIVER || line == ASSAY_LINE_RESERVED ? 1.0 : 1.75);
}

/* A dash would begin anew in every piece; what cairo needs for a line grows with the square of its steps. */
static void
stroke_piece (AssayChartPen *pen, guint *n_steps, double x, double y)
{
  if (cairo_get_dash_count (pen->cr) > 0 || ++*n_steps % PIECE != 0)
    return;
  cairo_stroke (pen->cr);
  cairo_move_to (pen->cr, x, y);
}

void
assay_chart_draw_line (AssayChartPen *pen,
                       const AssayChartRect *rect,
                       const AssayBytesAxis *axis,
                       AssayChartLine line,
                       gsize offset)
{
  const GArray *columns = pen->data->columns;
  gint64 held = -1; /* a gap where it is unknown */
  guint n_steps = 0;

  cairo_new_path (pen->cr);
  line_style (pen, line);
  for (guint i = 0; i < columns->len; i++)
    {
      const AssayChartColumn *column = &g_array_index (columns, AssayChartColumn, i);
      const gint64 bytes = G_STRUCT_MEMBER (gint64, column, offset);
      const double y = assay_chart_rect_y (rect, axis, MAX (bytes, 0));

      if (column->t_ns < 0 || bytes == held)
        continue;
      if (held >= 0) /* until this sample, as the stack */
        cairo_line_to (pen->cr, rect->x + i, assay_chart_rect_y (rect, axis, held));
      if (held >= 0 && bytes >= 0)
        cairo_line_to (pen->cr, rect->x + i, y);
      else if (bytes >= 0)
        cairo_move_to (pen->cr, rect->x + i, y);
      held = bytes;
      stroke_piece (pen, &n_steps, rect->x + i, y);
    }
  if (held >= 0)
    cairo_line_to (pen->cr, assay_chart_known_x (pen), assay_chart_rect_y (rect, axis, held));
  cairo_stroke (pen->cr);
  cairo_set_dash (pen->cr, NULL, 0, 0.0);
}

void
assay_chart_draw_line_key (AssayChartPen *pen, AssayChartLine line, double x, double y, double width)
{
  line_style (pen, line);
  cairo_move_to (pen->cr, x, y);
  cairo_rel_line_to (pen->cr, width, 0.0);
  cairo_stroke (pen->cr);
  cairo_set_dash (pen->cr, NULL, 0, 0.0);
}

static double
draw_key (AssayChartPen *pen, double x, double y, AssayChartLine line, const char *words)
{
  assay_chart_draw_line_key (pen, line, x, y + pen->layout->line_height / 2.0, 22.0);
  return x + 28.0 + assay_chart_pen_text (pen, x + 28.0, y, ASSAY_TEXT_LEFT, ASSAY_INK_TEXT, FALSE, words)
         + 16.0;
}

static double
draw_system_words (AssayChartPen *pen, double x, double y)
{
  g_autofree char *bytes = assay_format_bytes (pen->data->system_max);
  g_autofree char *words = g_strdup_printf (_("whole machine up to %s"), bytes);
  const double right = pen->layout->lines.x + pen->layout->lines.width;

  if (assay_chart_text_measure (pen->text, words, FALSE) <= right - x)
    x += assay_chart_pen_text (pen, x, y, ASSAY_TEXT_LEFT, ASSAY_INK_DIM, FALSE, words);
  return x;
}

/* Returns: where the title ends. */
static double
draw_lines_title (AssayChartPen *pen, gboolean system_fits)
{
  const AssayChartData *data = pen->data;
  const double y = pen->layout->lines.y - pen->layout->line_height * 1.3;
  double x = pen->layout->lines.x;

  x += assay_chart_pen_text (pen, x, y, ASSAY_TEXT_LEFT, ASSAY_INK_TEXT, TRUE, _("RAM of the process tree"))
       + 12.0;
  if (data->anonymous_max >= 0)
    x = draw_key (pen, x, y, ASSAY_LINE_ANONYMOUS, _("anonymous"));
  if (data->mapped_max >= 0)
    x = draw_key (pen, x, y, ASSAY_LINE_MAPPED, _("mapped"));
  if (system_fits)
    return draw_key (pen, x, y, ASSAY_LINE_SYSTEM, _("whole machine"));
  return data->system_max >= 0 ? draw_system_words (pen, x, y) : x;
}

/* Beside a device with memory of its own, this is where the rest of the model waits: drawn as memory is in
 * the first lane. Mapped pages stay a line, since the system may take them back. */
static void
fill_anonymous (AssayChartPen *pen)
{
  const AssayChartRect *rect = &pen->layout->lines;
  const GArray *columns = pen->data->columns;
  double right = assay_chart_known_x (pen);
  GdkRGBA color;

  assay_chart_style_get_layer (pen->style, ASSAY_LAYER_OTHER, &color);
  assay_chart_pen_color (pen, &color);
  for (guint i = columns->len; i-- > 0;)
    {
      const AssayChartColumn *column = &g_array_index (columns, AssayChartColumn, i);
      if (column->t_ns < 0)
        continue;
      const double y = assay_chart_rect_y (rect, &pen->lines_axis, MAX (column->ram_anonymous, 0));
      assay_chart_pen_rectangle (pen, rect->x + i, y, right - rect->x - i, rect->y + rect->height - y);
      right = rect->x + i;
    }
}

void
assay_chart_draw_lines (AssayChartPen *pen)
{
  const AssayChartRect *rect = &pen->layout->lines;
  gboolean system_fits;

  assay_chart_lines_max (pen->picture, &system_fits);
  const double title_end = draw_lines_title (pen, system_fits);
  cairo_save (pen->cr);
  cairo_rectangle (pen->cr, rect->x, rect->y, rect->width, rect->height + 1.0);
  cairo_clip (pen->cr);
  if (pen->data->own_memory)
    fill_anonymous (pen);
  if (system_fits)
    assay_chart_draw_line (pen, rect, &pen->lines_axis, ASSAY_LINE_SYSTEM,
                           G_STRUCT_OFFSET (AssayChartColumn, ram_system));
  assay_chart_draw_line (pen, rect, &pen->lines_axis, ASSAY_LINE_MAPPED,
                         G_STRUCT_OFFSET (AssayChartColumn, ram_mapped));
  assay_chart_draw_line (pen, rect, &pen->lines_axis, ASSAY_LINE_ANONYMOUS,
                         G_STRUCT_OFFSET (AssayChartColumn, ram_anonymous));
  cairo_restore (pen->cr);
  assay_chart_draw_ram_limit (pen, title_end);
}
