/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-chart-stack.c: the first lane: memory by category, the allocator's and the driver's lines, and
 * marks. */
#include "assay-chart-draw-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>

gint64
assay_chart_stack_max (const AssayChartPicture *picture)
{
  const AssayChartData *data = picture->data;
  const gint64 peak = assay_chart_data_get_peak (data);
  gint64 max = peak;

  if (data->own_memory)
    max = MAX (max, MAX (data->driver_max, data->reserved_max));
  if (assay_chart_limit_fits (picture->foretold_bytes, peak))
    max = MAX (max, picture->foretold_bytes);
  return assay_chart_limit_fits (picture->budget_bytes, peak) ? MAX (max, picture->budget_bytes) : max;
}

/* The right end of what is known: the present of a run that goes on, at least a pixel after the last sample.
 */
double
assay_chart_known_x (AssayChartPen *pen)
{
  const gint64 end_ns = CLAMP (pen->data->end_ns, pen->data->from_ns, pen->data->to_ns);
  guint last = pen->data->columns->len;

  while (last > 0 && g_array_index (pen->data->columns, AssayChartColumn, last - 1).t_ns < 0)
    last--;
  return MAX (ceil (assay_chart_pen_x (pen, end_ns)), pen->layout->stack.x + last);
}

void
assay_chart_path_mark (cairo_t *cr, AssayMarkKind kind, double x, double foot)
{
  switch (kind)
    {
    case ASSAY_MARK_TRIM:
      cairo_move_to (cr, x, foot - 9.0);
      cairo_rel_line_to (cr, -4.0, 8.0);
      cairo_rel_line_to (cr, 8.0, 0.0);
      cairo_close_path (cr);
      break;
    case ASSAY_MARK_RESIDENT:
      cairo_rectangle (cr, x - 2.0, foot - 6.0, 4.0, 4.0);
      break;
    case ASSAY_MARK_OTHER:
    case ASSAY_N_MARKS:
    default:
      cairo_rectangle (cr, floor (x), foot - 7.0, 1.0, 7.0);
    }
}

/* Ticks along the foot of the lane. Marks of a kind that lie closer than can be told apart are drawn once;
 * none hides one of another kind. */
static void
draw_marks (AssayChartPen *pen, AssayMarkKind kind)
{
  const AssayChartRect *rect = &pen->layout->stack;
  const double apart = kind == ASSAY_MARK_RESIDENT ? 6.0 : 3.0;
  double last_x = -G_MAXDOUBLE;

  cairo_new_path (pen->cr);
  for (guint i = 0; i < pen->data->marks->len; i++)
    {
      const AssayMark *mark = g_ptr_array_index (pen->data->marks, i);
      const double x = assay_chart_pen_x (pen, mark->t_ns);

      if (assay_chart_mark_get_kind (mark) != kind || mark->t_ns < pen->data->from_ns
          || mark->t_ns > pen->data->to_ns || x - last_x < apart)
        continue;
      assay_chart_path_mark (pen->cr, kind, x, rect->y + rect->height);
      last_x = x;
    }
  assay_chart_pen_ink (pen, ASSAY_INK_TEXT);
  cairo_fill (pen->cr);
}

static void
draw_device_lines (AssayChartPen *pen)
{
  const AssayChartRect *rect = &pen->layout->stack;

  if (assay_chart_data_shows_reserved (pen->data))
    assay_chart_draw_line (pen, rect, &pen->stack_axis, ASSAY_LINE_RESERVED,
                           G_STRUCT_OFFSET (AssayChartColumn, reserved));
  if (assay_chart_data_shows_driver (pen->data))
    assay_chart_draw_line (pen, rect, &pen->stack_axis, ASSAY_LINE_DRIVER,
                           G_STRUCT_OFFSET (AssayChartColumn, vram_device));
}

void
assay_chart_draw_stack (AssayChartPen *pen)
{
  const AssayChartRect *rect = &pen->layout->stack;

  cairo_save (pen->cr);
  cairo_rectangle (pen->cr, rect->x, rect->y, rect->width, rect->height);
  cairo_clip (pen->cr);
  assay_chart_draw_layers (pen);
  draw_device_lines (pen);
  for (guint kind = 0; kind < ASSAY_N_MARKS; kind++)
    draw_marks (pen, kind);
  cairo_restore (pen->cr);
  assay_chart_draw_limits (pen);
  assay_chart_draw_peak (pen);
}
