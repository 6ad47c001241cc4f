/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-chart-readout.c: the exact values of one moment, as words and as the box beside the pointer. */
#include "assay-chart-draw-private.h"
#include "assay-record-words.h"

#include <glib/gi18n-lib.h>
#include <math.h>

static void
append_bytes (GString *words, const char *label, gint64 bytes)
{
  if (bytes < 0)
    return;
  g_autofree char *figure = assay_format_bytes (bytes);
  g_autofree char *exact = g_strdup_printf ("%'" G_GINT64_FORMAT, bytes);
  /* Translators: a memory category, its size, and the size in exact bytes */
  g_string_append_printf (words, _("%s: %s (%s bytes)"), label, figure, exact);
  g_string_append_c (words, '\n');
}

static void
append_moment (GString *words, AssayChartData *data, gint64 t_ns)
{
  const AssayPhase *phase = assay_chart_data_find_phase (data, t_ns);
  const AssayMark *mark = assay_chart_data_find_mark (data, t_ns, (data->to_ns - data->from_ns) / 200);

  g_string_append_printf (words, _("%.3f s"), t_ns / 1e9);
  if (phase != NULL)
    g_string_append_printf (words, " · %s", assay_record_words_phase (phase->name));
  g_string_append_c (words, '\n');
  if (mark != NULL)
    g_string_append_printf (words, "%s: %.60s\n", mark->kind, mark->text != NULL ? mark->text : "");
}

static void
append_link (GString *words, AssayChartData *data, const AssaySample *sample, gint64 t_ns)
{
  const double rate = assay_chart_data_get_rate_at (data, t_ns);

  append_bytes (words, _("Moved over the link"), sample->link_bytes);
  if (rate < 0.0)
    return;
  g_autofree char *figure = assay_chart_dup_rate (rate);
  g_string_append_printf (words, _("Over the link: %s"), figure);
  g_string_append_c (words, '\n');
}

char *
assay_chart_dup_readout (AssayChartData *data, gint64 t_ns)
{
  AssaySample sample;
  AssayChartColumn column;

  if (data->series == NULL || !assay_series_get_at (data->series, t_ns, &sample))
    return NULL;
  assay_chart_column_from_sample (&sample, data->own_memory, &column);
  GString *words = g_string_new (NULL);
  append_moment (words, data, t_ns);
  append_bytes (words, data->own_memory ? _("VRAM, total") : _("RAM, total"), column.total);
  for (guint layer = ASSAY_N_LAYERS; layer-- > 0;)
    if (data->layer_max[layer] > 0)
      append_bytes (words, assay_layer_get_label (layer), column.layers[layer]);
  append_bytes (words, _("Process, anonymous"), column.ram_anonymous);
  append_bytes (words, _("Process, mapped"), column.ram_mapped);
  append_bytes (words, _("Whole machine"), column.ram_system);
  if (assay_chart_data_shows_reserved (data))
    append_bytes (words, _("Reserved, cached blocks included"), column.reserved);
  if (assay_chart_data_shows_driver (data))
    append_bytes (words, _("Whole device, driver"), column.vram_device);
  append_link (words, data, &sample, t_ns);
  g_autofree char *valid = g_utf8_make_valid (words->str, words->len);
  g_string_free (words, TRUE);
  return g_strdup (g_strchomp (valid));
}

static void
draw_box (AssayChartPen *pen, double x, double y, double width, double height)
{
  assay_chart_pen_ink (pen, ASSAY_INK_READOUT);
  cairo_rectangle (pen->cr, x, y, width, height);
  cairo_fill (pen->cr);
  assay_chart_pen_ink (pen, ASSAY_INK_GRID);
  cairo_set_line_width (pen->cr, 1.0);
  cairo_rectangle (pen->cr, x + 0.5, y + 0.5, width - 1.0, height - 1.0);
  cairo_stroke (pen->cr);
}

void
assay_chart_pen_box (AssayChartPen *pen, double x, double top, double width, double height, double line_height,
                     const char *words)
{
  g_auto(GStrv) lines = g_strsplit (words, "\n", -1);
  const guint room = (guint) MAX ((height - 10.0) / line_height, 1.0);
  const guint n_lines = MIN (g_strv_length (lines), room); /* what matters most comes first */
  double wide = 0.0;

  for (guint i = 0; i < n_lines; i++)
    wide = MAX (wide, assay_chart_text_measure (pen->text, lines[i], i == 0));
  wide += 16.0;
  const double high = n_lines * line_height + 10.0;
  const double beside = x + 12.0 + wide > width ? x - 12.0 - wide : x + 12.0;
  const double left = floor (CLAMP (beside, 0.0, MAX (width - wide, 0.0)));
  const double y = floor (CLAMP (height - high, 0.0, MAX (top, 0.0)));

  draw_box (pen, left, y, wide, high);
  for (guint i = 0; i < n_lines; i++)
    assay_chart_pen_text (pen, left + 8.0, y + 5.0 + i * line_height, ASSAY_TEXT_LEFT, ASSAY_INK_TEXT, i == 0,
                          lines[i]);
}

void
assay_chart_draw_readout (cairo_t *cr,
                          const AssayChartPicture *picture,
                          const AssayChartLayout *layout,
                          gint64 t_ns)
{
  g_autofree char *words = assay_chart_dup_readout (picture->data, t_ns);
  AssayChartPen pen;

  if (words == NULL || t_ns < picture->data->from_ns || t_ns > picture->data->to_ns)
    return;
  assay_chart_pen_init (&pen, cr, picture, layout);
  const double x = floor (assay_chart_layout_x (layout, picture->data, t_ns)) + 0.5;
  assay_chart_pen_ink (&pen, ASSAY_INK_TEXT);
  cairo_set_line_width (cr, 1.0);
  cairo_move_to (cr, x, layout->stack.y);
  cairo_line_to (cr, x, layout->foot);
  cairo_stroke (cr);
  assay_chart_pen_box (&pen, x, layout->stack.y, picture->width, picture->height, layout->line_height, words);
  assay_chart_pen_clear (&pen);
}
