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

static gint64
layers_sum (const AssayChartColumn *column, guint n_layers)
{
  gint64 sum = 0;

  for (guint i = 0; i < n_layers; i++)
    sum += column->layers[i];
  return sum;
}

static double
column_x (AssayChartPen *pen, guint column)
{
  return pen->layout->stack.x + column;
}

/* The right end of what is known: the present of a run that goes on, at least a pixel after the last sample.
 */
double
assay_chart_known_x (AssayChartPen *pen)
{
  const gint64 end_ns = CLAMP (assay_chart_data_get_end_ns (pen->data), pen->data->from_ns, pen->data->to_ns);
  guint last = pen->data->columns->len;

  while (last > 0 && g_array_index (pen->data->columns, AssayChartColumn, last - 1).t_ns < 0)
    last--;
  return MAX (ceil (assay_chart_pen_x (pen, end_ns)), column_x (pen, last));
}

/* The top of the first n layers as steps, from left to right. */
static void
path_forwards (AssayChartPen *pen, guint n_layers)
{
  const AssayChartRect *rect = &pen->layout->stack;
  const GArray *columns = pen->data->columns;
  double y = rect->y + rect->height;

  for (guint i = 0; i < columns->len; i++)
    {
      const AssayChartColumn *column = &g_array_index (columns, AssayChartColumn, i);
      if (column->t_ns < 0)
        continue;
      cairo_line_to (pen->cr, column_x (pen, i), y);
      y = assay_chart_rect_y (rect, &pen->stack_axis, layers_sum (column, n_layers));
      cairo_line_to (pen->cr, column_x (pen, i), y);
    }
  cairo_line_to (pen->cr, assay_chart_known_x (pen), y);
}

static void
path_backwards (AssayChartPen *pen, guint n_layers)
{
  const AssayChartRect *rect = &pen->layout->stack;
  const GArray *columns = pen->data->columns;
  double right = assay_chart_known_x (pen);

  for (guint i = columns->len; i-- > 0;)
    {
      const AssayChartColumn *column = &g_array_index (columns, AssayChartColumn, i);
      if (column->t_ns < 0)
        continue;
      const double y = assay_chart_rect_y (rect, &pen->stack_axis, layers_sum (column, n_layers));
      cairo_line_to (pen->cr, right, y);
      right = column_x (pen, i);
      cairo_line_to (pen->cr, right, y);
    }
}

static void
draw_hatch (AssayChartPen *pen, double angle, double spacing)
{
  double x0, y0, x1, y1;

  cairo_clip_extents (pen->cr, &x0, &y0, &x1, &y1);
  const double reach = hypot (x1 - x0, y1 - y0);
  cairo_translate (pen->cr, x0, y0);
  cairo_rotate (pen->cr, angle);
  for (double y = -reach; y <= reach; y += spacing)
    {
      cairo_move_to (pen->cr, -reach, y);
      cairo_line_to (pen->cr, reach, y);
    }
  cairo_set_line_width (pen->cr, 1.0);
  cairo_set_source_rgba (pen->cr, 0.0, 0.0, 0.0, pen->style->high_contrast ? 0.75 : 0.22);
  cairo_stroke (pen->cr);
}

void
assay_chart_fill_layer (AssayChartPen *pen, guint layer)
{
  double angle, spacing;
  GdkRGBA color;

  assay_chart_style_get_layer (pen->style, layer, &color);
  assay_chart_pen_color (pen, &color);
  if (!assay_chart_style_get_hatch (pen->style, layer, &angle, &spacing))
    {
      cairo_fill (pen->cr);
      return;
    }
  cairo_save (pen->cr);
  cairo_fill_preserve (pen->cr);
  cairo_clip (pen->cr);
  draw_hatch (pen, angle, spacing);
  cairo_restore (pen->cr);
}

static void
draw_layers (AssayChartPen *pen)
{
  for (guint layer = 0; layer < ASSAY_N_LAYERS; layer++)
    {
      if (pen->data->layer_max[layer] <= 0)
        continue;
      cairo_new_path (pen->cr);
      path_forwards (pen, layer + 1);
      path_backwards (pen, layer);
      cairo_close_path (pen->cr);
      assay_chart_fill_layer (pen, layer);
    }
}

/* What the budget counts ends here; the layers above belong to the rest of the process. Level pieces only:
 * risers drawn as lines would cover the colour of a peak that is one pixel wide. */
static void
draw_allocated_edge (AssayChartPen *pen)
{
  const GArray *columns = pen->data->columns;
  double right = assay_chart_known_x (pen);

  if (pen->data->own_memory && !pen->style->high_contrast)
    return;
  for (guint i = columns->len; i-- > 0;)
    {
      const AssayChartColumn *column = &g_array_index (columns, AssayChartColumn, i);
      if (column->t_ns < 0)
        continue;
      const double y = assay_chart_rect_y (&pen->layout->stack, &pen->stack_axis, column->allocated);
      cairo_rectangle (pen->cr, column_x (pen, i), floor (y), right - column_x (pen, i), 1.0);
      right = column_x (pen, i);
    }
  assay_chart_pen_ink (pen, ASSAY_INK_TEXT);
  cairo_fill (pen->cr);
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
  draw_layers (pen);
  draw_allocated_edge (pen);
  draw_device_lines (pen);
  for (guint kind = 0; kind < ASSAY_N_MARKS; kind++)
    draw_marks (pen, kind);
  cairo_restore (pen->cr);
  assay_chart_draw_limits (pen);
  assay_chart_draw_peak (pen);
}
