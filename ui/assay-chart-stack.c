/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-chart-stack.c: the first lane: memory by category, the budget, the driver's line, marks and the
 * peak. */
#include "assay-chart-draw-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>

/* A budget far above the run would press the stack flat; then it is told in words only. */
static gboolean
budget_fits (const AssayChartPicture *picture)
{
  return picture->budget_bytes >= 0 && picture->budget_bytes / 3 <= picture->data->peak_total;
}

gint64
assay_chart_stack_max (const AssayChartPicture *picture)
{
  const AssayChartData *data = picture->data;
  gint64 max = data->peak_total;

  if (data->own_memory)
    max = MAX (max, data->driver_max);
  return budget_fits (picture) ? MAX (max, picture->budget_bytes) : max;
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
static double
known_x (AssayChartPen *pen)
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
  cairo_line_to (pen->cr, known_x (pen), y);
}

static void
path_backwards (AssayChartPen *pen, guint n_layers)
{
  const AssayChartRect *rect = &pen->layout->stack;
  const GArray *columns = pen->data->columns;
  double right = known_x (pen);

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
  double right = known_x (pen);

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

static void
draw_plate (AssayChartPen *pen, double x, double y, double width)
{
  const AssayChartRect plate = { x - 3.0, y, width + 6.0, pen->layout->line_height };
  GdkRGBA color;

  g_assert (pen->n_plates < G_N_ELEMENTS (pen->plates));
  pen->plates[pen->n_plates++] = plate;
  assay_chart_style_get_ink (pen->style, ASSAY_INK_PLOT, &color);
  color.alpha = pen->style->high_contrast ? 1.0 : 0.82;
  assay_chart_pen_color (pen, &color);
  cairo_rectangle (pen->cr, plate.x, plate.y, plate.width, plate.height);
  cairo_fill (pen->cr);
}

static void
draw_crossing (AssayChartPen *pen, double budget_y)
{
  const gint64 t_ns = assay_chart_data_find_crossing (pen->data, pen->picture->budget_bytes);

  if (t_ns < pen->data->from_ns) /* never, or before what is shown */
    return;
  const double x = assay_chart_pen_x (pen, t_ns);
  cairo_move_to (pen->cr, x, budget_y);
  cairo_rel_line_to (pen->cr, -5.0, -9.0);
  cairo_rel_line_to (pen->cr, 10.0, 0.0);
  cairo_close_path (pen->cr);
  assay_chart_pen_ink (pen, ASSAY_INK_BUDGET);
  cairo_fill (pen->cr);
}

/* On a device without memory of its own the budget counts what the engine allocates, not the rest of the
 * process. */
static char *
budget_words (AssayChartPen *pen)
{
  g_autofree char *bytes = assay_format_bytes (pen->picture->budget_bytes);
  g_autofree char *budget
      = g_strdup_printf (pen->data->own_memory ? _("budget %s") : _("engine's budget %s"), bytes);
  const gint64 over = pen->data->peak_allocated - pen->picture->budget_bytes;

  if (over > 0)
    {
      g_autofree char *excess = assay_format_bytes (over);
      return g_strdup_printf (_("%s, exceeded by %s"), budget, excess);
    }
  if (!budget_fits (pen->picture))
    return g_strdup_printf (_("%s, above this picture"), budget);
  return g_steal_pointer (&budget);
}

static void
draw_budget (AssayChartPen *pen)
{
  const AssayChartRect *rect = &pen->layout->stack;

  if (pen->picture->budget_bytes < 0)
    return;
  g_autofree char *words = budget_words (pen);
  const double right = rect->x + rect->width;
  if (!budget_fits (pen->picture))
    {
      assay_chart_pen_text (pen, right, rect->y - pen->layout->line_height * 1.2, ASSAY_TEXT_RIGHT,
                            ASSAY_INK_BUDGET, FALSE, words);
      return;
    }
  const double y = floor (assay_chart_rect_y (rect, &pen->stack_axis, pen->picture->budget_bytes)) + 0.5;
  const double dashes[] = { 6.0, 4.0 };
  assay_chart_pen_ink (pen, ASSAY_INK_BUDGET);
  cairo_set_line_width (pen->cr, pen->style->high_contrast ? 2.0 : 1.5);
  cairo_set_dash (pen->cr, dashes, 2, 0.0);
  cairo_move_to (pen->cr, rect->x, y);
  cairo_line_to (pen->cr, right, y);
  cairo_stroke (pen->cr);
  cairo_set_dash (pen->cr, NULL, 0, 0.0);
  draw_crossing (pen, y);
  const double width = assay_chart_text_measure (pen->text, words, FALSE);
  draw_plate (pen, right - 4.0 - width, y - pen->layout->line_height - 1.0, width);
  assay_chart_pen_text (pen, right - 4.0, y - pen->layout->line_height - 1.0, ASSAY_TEXT_RIGHT,
                        ASSAY_INK_BUDGET, FALSE, words);
}

/* Ticks along the foot of the lane; a trim is a triangle, a resident unit a square, the rest are strokes. */
static void
draw_mark (AssayChartPen *pen, const AssayMark *mark, double x, double foot)
{
  if (g_str_equal (mark->kind, "trim"))
    {
      cairo_move_to (pen->cr, x, foot - 9.0);
      cairo_rel_line_to (pen->cr, -4.0, 8.0);
      cairo_rel_line_to (pen->cr, 8.0, 0.0);
      cairo_close_path (pen->cr);
    }
  else if (g_str_equal (mark->kind, "resident"))
    cairo_rectangle (pen->cr, x - 2.0, foot - 6.0, 4.0, 4.0);
  else
    cairo_rectangle (pen->cr, floor (x), foot - 7.0, 1.0, 7.0);
}

static void
draw_marks (AssayChartPen *pen)
{
  const AssayChartRect *rect = &pen->layout->stack;
  double last_x = -G_MAXDOUBLE;

  cairo_new_path (pen->cr);
  for (guint i = 0; i < pen->data->marks->len; i++)
    {
      const AssayMark *mark = g_ptr_array_index (pen->data->marks, i);
      const double x = assay_chart_pen_x (pen, mark->t_ns);

      if (mark->t_ns < pen->data->from_ns || mark->t_ns > pen->data->to_ns || x - last_x < 3.0)
        continue;
      draw_mark (pen, mark, x, rect->y + rect->height);
      last_x = x;
    }
  assay_chart_pen_ink (pen, ASSAY_INK_TEXT);
  cairo_fill (pen->cr);
}

static char *
peak_words (AssayChartPen *pen)
{
  const AssayPhase *phase = assay_chart_data_find_phase (pen->data, pen->data->peak_ns);
  g_autofree char *bytes = assay_format_bytes (pen->data->peak_total);
  g_autofree char *at = assay_format_seconds (pen->data->peak_ns / 1e9);

  if (phase != NULL)
    return g_strdup_printf (_("peak %s, %s, %s"), bytes, phase->name, at);
  return g_strdup_printf (_("peak %s, %s"), bytes, at);
}

static void
draw_peak (AssayChartPen *pen)
{
  const AssayChartRect *rect = &pen->layout->stack;
  const gint64 t_ns = pen->data->peak_ns;

  if (t_ns < pen->data->from_ns || t_ns > pen->data->to_ns)
    return;
  g_autofree char *words = peak_words (pen);
  const double x = assay_chart_pen_x (pen, t_ns);
  const double y = assay_chart_rect_y (rect, &pen->stack_axis, pen->data->peak_total);
  const double width = assay_chart_text_measure (pen->text, words, FALSE);
  const gboolean leftwards = x + 10.0 + width > rect->x + rect->width;
  const double text_x = MAX (leftwards ? x - 10.0 - width : x + 10.0, rect->x + 3.0);
  const double text_y = MAX (y - pen->layout->line_height - 2.0, rect->y + 1.0);

  draw_plate (pen, text_x, text_y, width);
  assay_chart_pen_text (pen, text_x, text_y, ASSAY_TEXT_LEFT, ASSAY_INK_TEXT, FALSE, words);
  assay_chart_pen_ink (pen, ASSAY_INK_TEXT);
  cairo_arc (pen->cr, x, y, 3.5, 0.0, 2.0 * G_PI);
  cairo_fill (pen->cr);
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
  if (pen->data->own_memory)
    assay_chart_draw_line (pen, rect, &pen->stack_axis, ASSAY_LINE_DRIVER,
                           G_STRUCT_OFFSET (AssayChartColumn, vram_device));
  draw_marks (pen);
  cairo_restore (pen->cr);
  draw_budget (pen);
  draw_peak (pen);
}
