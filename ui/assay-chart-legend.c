/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-chart-legend.c: the layers that occur, in the stack's order from the bottom, wrapped. */
#include "assay-chart-draw-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>

/* Entries: the layers, then what is drawn over them. */
enum
{
  ENTRY_RESERVED = ASSAY_N_LAYERS,
  ENTRY_DRIVER,
  ENTRY_RESIDENT,
  ENTRY_TRIM,
  N_ENTRIES
};

static gboolean
entry_occurs (const AssayChartData *data, guint entry)
{
  switch (entry)
    {
    case ENTRY_RESERVED:
      return assay_chart_data_shows_reserved (data);
    case ENTRY_DRIVER:
      return assay_chart_data_shows_driver (data);
    case ENTRY_RESIDENT:
      return data->n_marks[ASSAY_MARK_RESIDENT] > 0;
    case ENTRY_TRIM:
      return data->n_marks[ASSAY_MARK_TRIM] > 0;
    default:
      return data->layer_max[entry] > 0;
    }
}

static const char *
entry_get_label (guint entry)
{
  switch (entry)
    {
    case ENTRY_RESERVED:
      return _("reserved");
    case ENTRY_DRIVER:
      return _("whole device, driver");
    case ENTRY_RESIDENT:
      return _("block arrived (first two passes)");
    case ENTRY_TRIM:
      return _("cache trimmed");
    default:
      return assay_layer_get_label (entry);
    }
}

double
assay_chart_legend_get_swatch (const AssayChartStyle *style)
{
  return ceil (style->font_px * 0.9);
}

static double
entry_width (PangoLayout *text, const AssayChartStyle *style, const char *words)
{
  return assay_chart_legend_get_swatch (style) + 5.0 + assay_chart_text_measure (text, words, FALSE) + 18.0;
}

guint
assay_chart_legend_flow (const AssayLegendFlow *flow)
{
  double x = flow->left;
  guint row = 0;

  for (guint entry = 0; entry < flow->n_entries; entry++)
    {
      const char *label = flow->get_label (entry, flow->data);
      if (label == NULL)
        continue;
      const double wide = entry_width (flow->text, flow->style, label);
      if (x > flow->left && x + wide > flow->left + flow->width)
        {
          x = flow->left;
          row++;
        }
      if (flow->draw != NULL)
        flow->draw (entry, x, row, flow->data);
      x += wide;
    }
  return row + 1;
}

static const char *
layer_get_label (guint entry, gpointer data)
{
  const AssayChartPen *pen = data;

  return entry_occurs (pen->data, entry) ? entry_get_label (entry) : NULL;
}

guint
assay_chart_legend_n_rows (PangoLayout *text, const AssayChartPicture *picture, double left, double width)
{
  AssayChartPen pen = { .data = picture->data };
  const AssayLegendFlow flow = { text, picture->style, left, width, N_ENTRIES, layer_get_label, NULL, &pen };

  return assay_chart_legend_flow (&flow);
}

static void
draw_swatch (AssayChartPen *pen, guint layer, double x, double y, double size)
{
  cairo_rectangle (pen->cr, x, y, size, size);
  assay_chart_fill_layer (pen, layer);
  if (!pen->style->high_contrast)
    return;
  assay_chart_pen_ink (pen, ASSAY_INK_TEXT);
  cairo_set_line_width (pen->cr, 1.0);
  cairo_rectangle (pen->cr, x + 0.5, y + 0.5, size - 1.0, size - 1.0);
  cairo_stroke (pen->cr);
}

static void
draw_entry (guint entry, double x, guint row, gpointer data)
{
  AssayChartPen *pen = data;
  const double line = pen->layout->line_height;
  const double y = pen->layout->legend_y + row * line * 1.3;
  const double middle = y + line / 2.0, size = assay_chart_legend_get_swatch (pen->style);

  if (entry < ASSAY_N_LAYERS)
    draw_swatch (pen, entry, x, floor (middle - size / 2.0), size);
  else if (entry == ENTRY_TRIM || entry == ENTRY_RESIDENT)
    {
      assay_chart_pen_ink (pen, ASSAY_INK_TEXT);
      assay_chart_path_mark (pen->cr, entry == ENTRY_TRIM ? ASSAY_MARK_TRIM : ASSAY_MARK_RESIDENT,
                             x + size / 2.0, middle + 4.0);
      cairo_fill (pen->cr);
    }
  else
    assay_chart_draw_line_key (pen, entry == ENTRY_DRIVER ? ASSAY_LINE_DRIVER : ASSAY_LINE_RESERVED, x,
                               middle, size);
  assay_chart_pen_text (pen, x + size + 5.0, y, ASSAY_TEXT_LEFT, ASSAY_INK_TEXT, FALSE,
                        entry_get_label (entry));
}

void
assay_chart_draw_legend (AssayChartPen *pen)
{
  const AssayChartRect *stack = &pen->layout->stack;
  const AssayLegendFlow flow
    = { pen->text, pen->style, stack->x, stack->width, N_ENTRIES, layer_get_label, draw_entry, pen };

  assay_chart_legend_flow (&flow);
}
