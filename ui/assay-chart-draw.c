/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-chart-draw.c: where things lie, the ground of the lanes, their axes and the phases. */
#include "assay-chart-draw-private.h"
#include "assay-record-words.h"

#include <glib/gi18n-lib.h>
#include <math.h>

/* The strip first, then the second lane, as long as the stack keeps most of the height. */
static void
layout_split (AssayChartLayout *layout, const AssayChartData *data, double free_height)
{
  const double line = layout->line_height;
  const gboolean strip = data->rate_max > 0.0 && free_height > line * 8.0;
  const double strip_height = strip ? floor (line * 2.4) : 0.0, strip_gap = strip ? line * 1.6 : 0.0;
  const double rest = free_height - strip_height - strip_gap;
  const gboolean second = rest > line * 11.0;
  const double lines_height = second ? floor ((rest - line * 2.2) * 0.29) : 0.0;
  const double lines_gap = second ? line * 2.2 : 0.0;
  const double x = layout->stack.x, width = layout->stack.width;

  layout->stack.height = floor (MAX (rest - lines_height - lines_gap, 16.0));
  layout->foot = layout->stack.y + layout->stack.height;
  layout->strip = (AssayChartRect) { x, layout->foot + strip_gap, width, strip_height };
  layout->foot = layout->strip.y + strip_height;
  layout->lines = (AssayChartRect) { x, layout->foot + lines_gap, width, lines_height };
  layout->foot = layout->lines.y + lines_height;
}

void
assay_chart_layout_init (AssayChartLayout *layout, const AssayChartPicture *picture)
{
  PangoContext *context = pango_font_map_create_context (pango_cairo_font_map_get_default ());
  g_autoptr(PangoLayout) text = assay_chart_text_new (context, picture->style);
  const double line = ceil (picture->style->font_px * 1.45);
  const char *widest = picture->data->rate_max > 0.0 ? "0000 MiB/s" : "0000 MiB";
  const double left = ceil (assay_chart_text_measure (text, widest, FALSE)) + 8.0, right = 12.0;
  const double width = MAX (floor (picture->width - left - right), 16.0);
  const guint legend_rows = assay_chart_legend_n_rows (text, picture, left, width);
  const gboolean caption = picture->height > line * 16.0; /* the axis' labels carry their unit too */
  const double axis = line * (caption ? 2.4 : 1.4);
  const double below = axis + legend_rows * line * 1.3;

  g_object_unref (context);
  *layout = (AssayChartLayout){ .line_height = line, .n_columns = (guint) width, .caption = caption };
  layout->stack = (AssayChartRect) { left, line * 1.4, width, 0.0 };
  layout_split (layout, picture->data, picture->height - below - line * 1.4);
  layout->legend_y = layout->foot + axis;
}

/* What layout_split() asks of the height. */
double
assay_chart_get_least_height (const AssayChartPicture *picture)
{
  const double line = ceil (picture->style->font_px * 1.45), strip = picture->data->rate_max > 0.0 ? 4.0 : 0.0;
  const double legend_rows = 2.0, axis = 2.4, title = 1.4, lanes = 11.5;

  return ceil (line * (title + lanes + strip + axis + legend_rows * 1.3));
}

/* The maxima, which decide the lanes and the legend's rows, are read first, over the stretch that is kept
 * where there is one: that reads only what is new. */
void
assay_chart_layout_update (AssayChartLayout *layout,
                           const AssayChartPicture *picture,
                           gint64 from_ns,
                           gint64 to_ns)
{
  AssayChartData *data = picture->data;

  if (data->from_ns < data->to_ns)
    assay_chart_data_update (data, data->from_ns, data->to_ns, data->columns->len);
  else
    assay_chart_data_update (data, from_ns, to_ns, 1);
  assay_chart_layout_init (layout, picture);
  assay_chart_data_update (data, from_ns, to_ns, layout->n_columns);
}

static void
draw_ground (AssayChartPen *pen, const AssayChartRect *rect)
{
  assay_chart_pen_ink (pen, ASSAY_INK_PLOT);
  assay_chart_pen_rectangle (pen, rect->x, rect->y, rect->width, rect->height);
}

/* Phases of one name keep one shade, in the order in which names first come. */
static gboolean
phase_is_shaded (AssayChartPen *pen, guint index, GHashTable *shades)
{
  const AssayPhase *phase = g_ptr_array_index (pen->data->phases, index);
  gpointer shade;

  if (!g_hash_table_lookup_extended (shades, phase->name, NULL, &shade))
    {
      shade = GUINT_TO_POINTER (g_hash_table_size (shades) % 2);
      g_hash_table_insert (shades, phase->name, shade);
    }
  return shade != NULL;
}

static gboolean
phase_get_extent (AssayChartPen *pen, const AssayPhase *phase, double *x0, double *x1)
{
  const AssayChartData *data = pen->data;
  const gint64 now_ns = MAX (data->end_ns, phase->start_ns);
  const gint64 end_ns = phase->duration_ns < 0 ? now_ns : phase->start_ns + phase->duration_ns;

  if (end_ns <= data->from_ns || phase->start_ns >= data->to_ns)
    return FALSE;
  *x0 = floor (assay_chart_pen_x (pen, MAX (phase->start_ns, data->from_ns)));
  *x1 = floor (assay_chart_pen_x (pen, MIN (end_ns, data->to_ns)));
  return TRUE;
}

/* A run of many questions has a phase pair a question: bands too thin to see are left out, names that do not
 * fit too. */
static void
draw_bands (AssayChartPen *pen, const AssayChartRect *rect)
{
  g_autoptr(GHashTable) shades = g_hash_table_new (g_str_hash, g_str_equal);
  double x0, x1;

  assay_chart_pen_ink (pen, ASSAY_INK_BAND);
  for (guint i = 0; i < pen->data->phases->len; i++)
    if (phase_is_shaded (pen, i, shades)
        && phase_get_extent (pen, g_ptr_array_index (pen->data->phases, i), &x0, &x1) && x1 - x0 >= 1.0)
      assay_chart_pen_rectangle (pen, x0, rect->y, x1 - x0, rect->height);
}

static void
draw_phase_names (AssayChartPen *pen, const AssayChartRect *rect)
{
  const double y = rect->y + 2.0;
  double x0, x1;

  for (guint i = 0; i < pen->data->phases->len; i++)
    {
      const AssayPhase *phase = g_ptr_array_index (pen->data->phases, i);

      if (!phase_get_extent (pen, phase, &x0, &x1) || x1 - x0 < pen->layout->line_height)
        continue;
      const char *name = assay_record_words_phase (phase->name);
      const double width = assay_chart_text_measure (pen->text, name, FALSE);
      const AssayChartRect words = { x0 + 4.0, y, width, pen->layout->line_height };
      if (width + 8.0 <= x1 - x0 && !assay_chart_is_on_plate (pen, &words))
        assay_chart_pen_text (pen, x0 + 4.0, y, ASSAY_TEXT_LEFT, ASSAY_INK_DIM, FALSE, name);
    }
}

/* A low lane has more lines than its labels have room. */
static void
draw_bytes_axis (AssayChartPen *pen, const AssayChartRect *rect, const AssayBytesAxis *axis)
{
  const double step_px = MAX (rect->height * axis->step_bytes / axis->top_bytes, 1.0);
  const guint stride = MAX ((guint)ceil (pen->layout->line_height * 0.95 / step_px), 1);
  const guint n_steps = (guint)lround (axis->top_bytes / axis->step_bytes);

  cairo_set_line_width (pen->cr, 1.0);
  for (guint i = 0; i <= n_steps; i++)
    {
      const double bytes = i * axis->step_bytes;
      const double y = floor (assay_chart_rect_y (rect, axis, bytes)) + 0.5;

      assay_chart_pen_ink (pen, ASSAY_INK_GRID);
      cairo_move_to (pen->cr, rect->x, y);
      cairo_line_to (pen->cr, rect->x + rect->width, y);
      cairo_stroke (pen->cr);
      if (i % stride != 0)
        continue;
      g_autofree char *label = assay_bytes_axis_dup_label (axis, bytes);
      assay_chart_pen_text (pen, rect->x - 6.0, y - pen->layout->line_height / 2.0, ASSAY_TEXT_RIGHT,
                            ASSAY_INK_DIM, FALSE, label);
    }
}

static void
draw_time_axis (AssayChartPen *pen)
{
  const AssayTimeAxis *axis = &pen->time_axis;
  const AssayChartData *data = pen->data;
  const double y = pen->layout->foot, right = pen->layout->stack.x + pen->layout->stack.width;
  const gint64 first_ns = (data->from_ns + axis->step_ns - 1) / axis->step_ns * axis->step_ns;

  for (gint64 t_ns = first_ns; t_ns <= data->to_ns; t_ns += axis->step_ns)
    {
      g_autofree char *label = assay_time_axis_dup_label (axis, t_ns);
      const double x = floor (assay_chart_pen_x (pen, t_ns)) + 0.5;

      assay_chart_pen_ink (pen, ASSAY_INK_DIM);
      cairo_move_to (pen->cr, x, y);
      cairo_line_to (pen->cr, x, y + 4.0);
      cairo_stroke (pen->cr);
      const double half = assay_chart_text_measure (pen->text, label, FALSE) / 2.0;
      assay_chart_pen_text (pen, MIN (x, pen->picture->width - half - 1.0), y + 4.0, ASSAY_TEXT_CENTER,
                            ASSAY_INK_DIM, FALSE, label);
    }
  if (!pen->layout->caption)
    return;
  assay_chart_pen_text (pen, right, y + 4.0 + pen->layout->line_height, ASSAY_TEXT_RIGHT, ASSAY_INK_DIM,
                        FALSE, assay_time_axis_get_caption (axis));
}

static void
draw_title (AssayChartPen *pen)
{
  const AssayChartRect *rect = &pen->layout->stack;
  const double y = rect->y - pen->layout->line_height * 1.2;
  const double width = assay_chart_pen_text (pen, rect->x, y, ASSAY_TEXT_LEFT, ASSAY_INK_TEXT, TRUE,
                                             pen->data->own_memory ? _("VRAM") : _("RAM"));

  assay_chart_pen_text (pen, rect->x + width + 8.0, y, ASSAY_TEXT_LEFT, ASSAY_INK_TEXT, FALSE,
                        _("allocated by category"));
}

static void
draw_lane (AssayChartPen *pen, const AssayChartRect *rect, const AssayBytesAxis *axis)
{
  draw_ground (pen, rect);
  draw_bands (pen, rect);
  draw_bytes_axis (pen, rect, axis);
}

static void
draw_empty (AssayChartPen *pen)
{
  const AssayChartRect *rect = &pen->layout->stack;

  draw_ground (pen, rect);
  assay_chart_pen_text (pen, rect->x + rect->width / 2.0,
                        rect->y + rect->height / 2.0 - pen->layout->line_height, ASSAY_TEXT_CENTER,
                        ASSAY_INK_DIM, FALSE, _("No memory has been measured yet."));
}

void
assay_chart_draw (cairo_t *cr, const AssayChartPicture *picture, const AssayChartLayout *layout)
{
  AssayChartPen pen;

  assay_chart_pen_init (&pen, cr, picture, layout);
  if (picture->paper)
    {
      assay_chart_pen_ink (&pen, ASSAY_INK_PAPER);
      cairo_paint (cr);
    }
  draw_title (&pen);
  if (picture->data->peak_total < 0)
    draw_empty (&pen);
  else
    {
      draw_lane (&pen, &layout->stack, &pen.stack_axis);
      assay_chart_draw_stack (&pen);
      draw_phase_names (&pen, &layout->stack);
      if (layout->strip.height > 0.0)
        {
          draw_lane (&pen, &layout->strip, &pen.strip_axis);
          assay_chart_draw_strip (&pen);
        }
      if (layout->lines.height > 0.0)
        {
          draw_lane (&pen, &layout->lines, &pen.lines_axis);
          assay_chart_draw_lines (&pen);
        }
      draw_time_axis (&pen);
      assay_chart_draw_legend (&pen);
    }
  assay_chart_pen_clear (&pen);
}
