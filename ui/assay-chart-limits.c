/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-chart-limits.c: lines across a lane with their words: the budget, what was foretold; and the peak.
 *
 * All are written near one height when a forecast is right and the budget tight, so each takes the first of
 * some places where nothing is written yet. */
#include "assay-chart-draw-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>

/* A limit far above the run would press the stack flat; then it is told in words only. */
gboolean
assay_chart_limit_fits (gint64 limit_bytes, gint64 max_bytes)
{
  return limit_bytes > 0 && limit_bytes / 3 <= max_bytes;
}

gboolean
assay_chart_rects_touch (const AssayChartRect *a, const AssayChartRect *b)
{
  return a->x < b->x + b->width && a->x + a->width > b->x && a->y < b->y + b->height
         && a->y + a->height > b->y;
}

gboolean
assay_chart_is_on_plate (AssayChartPen *pen, const AssayChartRect *words)
{
  for (guint i = 0; i < pen->n_plates; i++)
    if (assay_chart_rects_touch (words, &pen->plates[i]))
      return TRUE;
  return FALSE;
}

static void
draw_plate (AssayChartPen *pen, const AssayChartRect *plate)
{
  GdkRGBA color;

  g_assert (pen->n_plates < G_N_ELEMENTS (pen->plates));
  pen->plates[pen->n_plates++] = *plate;
  assay_chart_style_get_ink (pen->style, ASSAY_INK_PLOT, &color);
  color.alpha = pen->style->high_contrast ? 1.0 : 0.86;
  assay_chart_pen_color (pen, &color);
  cairo_rectangle (pen->cr, plate->x, plate->y, plate->width, plate->height);
  cairo_fill (pen->cr);
}

static AssayChartRect
place_inside (const AssayChartRect *place, const AssayChartRect *lane)
{
  const double most_x = lane->x + lane->width - place->width, most_y = lane->y + lane->height - place->height;

  return (AssayChartRect) { MAX (MIN (place->x, most_x), lane->x), MAX (MIN (place->y, most_y), lane->y + 1.0),
                           place->width, place->height };
}

/* At one of the places, moved into the lane: the first that is free, or else the very first. */
static void
write_words (AssayChartPen *pen,
             const AssayChartRect *lane,
             const char *words,
             AssayInk ink,
             const AssayChartRect *places,
             guint n_places)
{
  AssayChartRect chosen = place_inside (&places[0], lane);

  for (guint i = 1; i < n_places && assay_chart_is_on_plate (pen, &chosen); i++)
    chosen = place_inside (&places[i], lane);
  if (assay_chart_is_on_plate (pen, &chosen))
    chosen = place_inside (&places[0], lane);
  draw_plate (pen, &chosen);
  assay_chart_pen_text (pen, chosen.x + 3.0, chosen.y, ASSAY_TEXT_LEFT, ink, FALSE, words);
}

typedef struct
{
  const AssayChartRect *lane;
  const AssayBytesAxis *axis;
  gint64 bytes;
  AssayInk ink;
  double dash; /* length of a dash; the gap is four */
  const char *words;
} Limit;

static double
limit_y (const Limit *limit)
{
  return floor (assay_chart_rect_y (limit->lane, limit->axis, limit->bytes)) + 0.5;
}

static void
draw_limit_line (AssayChartPen *pen, const Limit *limit)
{
  const double dashes[] = { limit->dash, 4.0 }, y = limit_y (limit);

  assay_chart_pen_ink (pen, limit->ink);
  cairo_set_line_width (pen->cr, pen->style->high_contrast ? 2.0 : 1.5);
  cairo_set_dash (pen->cr, dashes, 2, 0.0);
  cairo_move_to (pen->cr, limit->lane->x, y);
  cairo_line_to (pen->cr, limit->lane->x + limit->lane->width, y);
  cairo_stroke (pen->cr);
  cairo_set_dash (pen->cr, NULL, 0, 0.0);
}

static void
draw_limit_words (AssayChartPen *pen, const Limit *limit)
{
  const AssayChartRect *lane = limit->lane;
  const double line = pen->layout->line_height, y = limit_y (limit);
  const double width = assay_chart_text_measure (pen->text, limit->words, FALSE) + 6.0;
  const double right = lane->x + lane->width - width - 1.0, left = lane->x + 1.0;
  const AssayChartRect places[] = { { right, y - line - 1.0, width, line },
                                    { right, y + 2.0, width, line },
                                    { left, y - line - 1.0, width, line },
                                    { left, y + 2.0, width, line },
                                    { right, y + 3.0 + line, width, line } };

  write_words (pen, lane, limit->words, limit->ink, places, G_N_ELEMENTS (places));
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
  const gint64 peak
      = pen->data->own_memory ? assay_chart_data_get_peak (pen->data) : pen->data->peak_allocated;
  const gint64 over = peak - pen->picture->budget_bytes;

  if (over <= 0)
    return g_steal_pointer (&budget);
  g_autofree char *excess = assay_format_bytes (over);
  return g_strdup_printf (_("%s, exceeded by %s"), budget, excess);
}

static char *
foretold_words (AssayChartPen *pen)
{
  g_autofree char *bytes = assay_format_bytes (pen->picture->foretold_bytes);

  return g_strdup_printf (pen->data->own_memory ? _("foretold %s") : _("engine foretold %s"), bytes);
}

/* Right of the lane's title, leftwards of what stands there already. */
static void
write_above (AssayChartPen *pen, const Limit *limit, double *right)
{
  g_autofree char *words = g_strdup_printf (_("%s, above this picture"), limit->words);
  const double y = limit->lane->y - pen->layout->line_height * 1.2;

  *right -= assay_chart_pen_text (pen, *right, y, ASSAY_TEXT_RIGHT, limit->ink, FALSE, words) + 14.0;
}

void
assay_chart_draw_limits (AssayChartPen *pen)
{
  const AssayChartPicture *picture = pen->picture;
  const AssayChartRect *lane = &pen->layout->stack;
  g_autofree char *budget = picture->budget_bytes > 0 ? budget_words (pen) : NULL;
  g_autofree char *foretold = picture->foretold_bytes > 0 ? foretold_words (pen) : NULL;
  const Limit limits[] = {
    { lane, &pen->stack_axis, picture->budget_bytes, ASSAY_INK_BUDGET, 6.0, budget },
    { lane, &pen->stack_axis, picture->foretold_bytes, ASSAY_INK_FORETOLD, 2.0, foretold },
  };
  gboolean fits[G_N_ELEMENTS (limits)];
  double right = lane->x + lane->width;

  for (guint i = 0; i < G_N_ELEMENTS (limits); i++)
    {
      fits[i] = assay_chart_limit_fits (limits[i].bytes, assay_chart_data_get_peak (pen->data));
      if (fits[i])
        draw_limit_line (pen, &limits[i]);
      else if (limits[i].words != NULL)
        write_above (pen, &limits[i], &right);
    }
  if (fits[0])
    draw_crossing (pen, limit_y (&limits[0]));
  for (guint i = 0; i < G_N_ELEMENTS (limits); i++)
    if (fits[i])
      draw_limit_words (pen, &limits[i]);
}

/* The engine's host memory is a part of what this lane shows, so its budget is named as the engine's. */
void
assay_chart_draw_ram_limit (AssayChartPen *pen, double title_end)
{
  const AssayChartRect *lane = &pen->layout->lines;
  const gint64 budget = pen->picture->ram_budget_bytes;

  if (budget <= 0 || !pen->data->own_memory)
    return;
  g_autofree char *bytes = assay_format_bytes (budget);
  g_autofree char *words = g_strdup_printf (_("engine's RAM budget %s"), bytes);
  const Limit limit = { lane, &pen->lines_axis, budget, ASSAY_INK_BUDGET, 6.0, words };
  double right = lane->x + lane->width;
  if (assay_chart_limit_fits (budget, assay_chart_lines_max (pen->picture, NULL)))
    {
      draw_limit_line (pen, &limit);
      draw_limit_words (pen, &limit);
    }
  else if (title_end + assay_chart_text_measure (pen->text, words, FALSE) * 2.0 < right)
    write_above (pen, &limit, &right);
}

static char *
peak_words (AssayChartPen *pen)
{
  const AssayPhase *phase = assay_chart_data_find_phase (pen->data, assay_chart_data_get_peak_ns (pen->data));
  g_autofree char *bytes = assay_format_bytes (assay_chart_data_get_peak (pen->data));
  g_autofree char *at = assay_format_seconds (assay_chart_data_get_peak_ns (pen->data) / 1e9);

  /* Without a memory of its own the stack is the process at one moment, but for programs and libraries that it maps: what
   * the run itself needed is a part of it. */
  if (phase != NULL && !pen->data->own_memory && pen->data->layer_max[ASSAY_LAYER_MAPPED_WEIGHTS] > 0)
    return g_strdup_printf (_("peak of anonymous memory and mapped weights %s, %s, %s"), bytes, phase->name, at);
  if (phase != NULL && !pen->data->own_memory)
    return g_strdup_printf (_("peak of anonymous memory %s, %s, %s"), bytes, phase->name, at);
  if (phase != NULL)
    return g_strdup_printf (_("peak %s, %s, %s"), bytes, phase->name, at);
  return g_strdup_printf (_("peak %s, %s"), bytes, at);
}

void
assay_chart_draw_peak (AssayChartPen *pen)
{
  const AssayChartRect *rect = &pen->layout->stack;
  const gint64 t_ns = assay_chart_data_get_peak_ns (pen->data);

  if (t_ns < pen->data->from_ns || t_ns > pen->data->to_ns)
    return;
  g_autofree char *words = peak_words (pen);
  const double line = pen->layout->line_height;
  const double x = assay_chart_pen_x (pen, t_ns);
  const double y = assay_chart_rect_y (rect, &pen->stack_axis, assay_chart_data_get_peak (pen->data));
  const double width = assay_chart_text_measure (pen->text, words, FALSE) + 6.0;
  const gboolean leftwards = x + 10.0 + width > rect->x + rect->width;
  const double beside = leftwards ? x - 7.0 - width : x + 7.0, other = leftwards ? x + 7.0 : x - 7.0 - width;
  const AssayChartRect places[] = { { beside, y - line - 2.0, width, line },
                                    { other, y - line - 2.0, width, line },
                                    { beside, y + 3.0, width, line },
                                    { other, y + 3.0, width, line },
                                    { beside, y + 4.0 + line, width, line } };

  write_words (pen, rect, words, ASSAY_INK_TEXT, places, G_N_ELEMENTS (places));
  assay_chart_pen_ink (pen, ASSAY_INK_TEXT);
  cairo_arc (pen->cr, x, y, 3.5, 0.0, 2.0 * G_PI);
  cairo_fill (pen->cr);
}
