/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-chart-layers.c: the layers of the stack as steps, filled and hatched.
 *
 * A step stands until the next one begins. On a screen a layer is filled some columns at a time: what cairo needs for a
 * shape grows with the square of its steps, and a noisy hour has one in every column. On paper it is one shape, which
 * shows no seams however far it is enlarged. */
#include "assay-chart-draw-private.h"

#include <math.h>

#define CHUNK 16u /* columns */

typedef struct
{
  guint begin, end;  /* columns that are known */
  double right;      /* where the last of them ends */
  double *low, *high; /* owned: y of the layer's two edges, a column each */
} Steps;

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
  assay_chart_style_ink_hatch (pen->style, pen->cr);
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

/* Lines of one direction, so that the tile can be repeated: along, across, or falling to the right. */
static void
tile_path (cairo_t *cr, double angle, int size)
{
  if (angle == 0.0)
    cairo_rectangle (cr, 0, 0, size, 1);
  else if (angle == G_PI_2)
    cairo_rectangle (cr, 0, 0, 1, size);
  else
    for (int i = -1; i <= 1; i++) /* the corners belong to the neighbours' lines */
      {
        cairo_move_to (cr, (i - 1) * size, -size - 0.7);
        cairo_rel_line_to (cr, 3 * size, 3 * size);
        cairo_rel_line_to (cr, 0, 1.4);
        cairo_rel_line_to (cr, -3 * size, -3 * size);
      }
}

/* NULL for a plain layer. (transfer full) */
static cairo_pattern_t *
hatch_tile_new (const AssayChartStyle *style, guint layer)
{
  double angle, spacing;

  if (!assay_chart_style_get_hatch (style, layer, &angle, &spacing))
    return NULL;
  const gboolean slanted = angle != 0.0 && angle != G_PI_2;
  const int size = (int)lround (slanted ? spacing * G_SQRT2 : spacing);
  cairo_surface_t *tile = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, size, size);
  cairo_t *cr = cairo_create (tile);
  tile_path (cr, angle, size);
  assay_chart_style_ink_hatch (style, cr);
  cairo_fill (cr);
  cairo_destroy (cr);
  cairo_pattern_t *pattern = cairo_pattern_create_for_surface (tile);
  cairo_pattern_set_extend (pattern, CAIRO_EXTEND_REPEAT);
  cairo_pattern_set_filter (pattern, CAIRO_FILTER_NEAREST);
  if (angle < 0.0)
    cairo_pattern_set_matrix (pattern, &(cairo_matrix_t){ .xx = 1.0, .yy = -1.0 }); /* rising */
  cairo_surface_destroy (tile);
  return pattern;
}

/* Steps */

static double
steps_x (AssayChartPen *pen, const Steps *steps, guint column)
{
  return column == steps->end ? steps->right : pen->layout->stack.x + column;
}

static void
steps_init (AssayChartPen *pen, Steps *steps)
{
  const GArray *columns = pen->data->columns;
  const double known = assay_chart_known_x (pen), foot = pen->layout->stack.y + pen->layout->stack.height;

  *steps = (Steps){ .right = known, .low = g_new (double, columns->len), .high = g_new (double, columns->len) };
  while (steps->begin < columns->len
         && g_array_index (columns, AssayChartColumn, steps->begin).t_ns < 0)
    steps->begin++;
  steps->end = (guint)CLAMP (ceil (known - pen->layout->stack.x), steps->begin, columns->len);
  for (guint i = 0; i < columns->len; i++)
    steps->low[i] = foot;
}

static void
steps_clear (Steps *steps)
{
  g_free (steps->low);
  g_free (steps->high);
}

/* A column without a sample holds what was before it. */
static void
steps_read_top (AssayChartPen *pen, Steps *steps, guint layer)
{
  const GArray *columns = pen->data->columns;

  for (guint i = steps->begin; i < steps->end; i++)
    {
      const AssayChartColumn *column = &g_array_index (columns, AssayChartColumn, i);
      gint64 sum = 0;

      for (guint k = 0; k <= layer; k++)
        sum += column->layers[k];
      steps->high[i] = column->t_ns < 0 && i > steps->begin
                           ? steps->high[i - 1]
                           : assay_chart_rect_y (&pen->layout->stack, &pen->stack_axis, sum);
    }
}

/* The layer between two columns: along its upper edge and back along the lower one, with a corner only where it steps. */
static void
steps_path (AssayChartPen *pen, const Steps *steps, guint begin, guint end)
{
  cairo_t *cr = pen->cr;
  const double right = steps_x (pen, steps, end);

  cairo_move_to (cr, steps_x (pen, steps, begin), steps->high[begin]);
  for (guint i = begin + 1; i < end; i++)
    if (steps->high[i] != steps->high[i - 1])
      {
        cairo_line_to (cr, steps_x (pen, steps, i), steps->high[i - 1]);
        cairo_line_to (cr, steps_x (pen, steps, i), steps->high[i]);
      }
  cairo_line_to (cr, right, steps->high[end - 1]);
  cairo_line_to (cr, right, steps->low[end - 1]);
  for (guint i = end - 1; i > begin; i--)
    if (steps->low[i] != steps->low[i - 1])
      {
        cairo_line_to (cr, steps_x (pen, steps, i), steps->low[i]);
        cairo_line_to (cr, steps_x (pen, steps, i), steps->low[i - 1]);
      }
  cairo_line_to (cr, steps_x (pen, steps, begin), steps->low[begin]);
  cairo_close_path (cr);
}

static void
fill_steps (AssayChartPen *pen, const Steps *steps, guint layer)
{
  cairo_pattern_t *hatch = hatch_tile_new (pen->style, layer);
  GdkRGBA color;

  assay_chart_style_get_layer (pen->style, layer, &color);
  for (guint begin = steps->begin; begin < steps->end; begin += CHUNK)
    {
      cairo_new_path (pen->cr);
      steps_path (pen, steps, begin, MIN (begin + CHUNK, steps->end));
      assay_chart_pen_color (pen, &color);
      cairo_fill_preserve (pen->cr);
      if (hatch == NULL)
        continue;
      cairo_set_source (pen->cr, hatch);
      cairo_fill_preserve (pen->cr);
    }
  cairo_new_path (pen->cr);
  g_clear_pointer (&hatch, cairo_pattern_destroy);
}

/* Level pieces only: risers drawn as lines would cover the colour of a peak that is one pixel wide. */
static void
draw_edge (AssayChartPen *pen, const Steps *steps)
{
  assay_chart_pen_ink (pen, ASSAY_INK_TEXT);
  for (guint i = steps->begin, end; i < steps->end; i = end)
    {
      for (end = i + 1; end < steps->end && steps->high[end] == steps->high[i]; end++)
        ;
      assay_chart_pen_rectangle (pen, steps_x (pen, steps, i), floor (steps->high[i]),
                                 steps_x (pen, steps, end) - steps_x (pen, steps, i), 1.0);
    }
}

/* What the budget counts ends at the last category: the layers above belong to the rest of the process. In high contrast
 * every layer has its edge. */
static gboolean
layer_has_edge (AssayChartPen *pen, guint layer)
{
  return pen->style->high_contrast ? pen->data->layer_max[layer] > 0
                                   : layer + 1 == ASSAY_N_MEMORY && !pen->data->own_memory;
}

void
assay_chart_draw_layers (AssayChartPen *pen)
{
  Steps steps;

  steps_init (pen, &steps);
  for (guint layer = 0; layer < ASSAY_N_LAYERS && steps.begin < steps.end; layer++)
    {
      double *below = steps.low;

      steps_read_top (pen, &steps, layer);
      if (pen->data->layer_max[layer] > 0 && pen->picture->paper)
        {
          cairo_new_path (pen->cr);
          steps_path (pen, &steps, steps.begin, steps.end);
          assay_chart_fill_layer (pen, layer);
        }
      else if (pen->data->layer_max[layer] > 0)
        fill_steps (pen, &steps, layer);
      if (layer_has_edge (pen, layer))
        draw_edge (pen, &steps);
      steps.low = steps.high;
      steps.high = below;
    }
  steps_clear (&steps);
}
