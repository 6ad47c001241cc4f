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

typedef void (*LegendFunc) (AssayChartPen *pen, guint entry, double x, guint row);

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

static double
swatch_size (const AssayChartStyle *style)
{
  return ceil (style->font_px * 0.9);
}

static double
entry_width (PangoLayout *text, const AssayChartStyle *style, const char *words)
{
  return swatch_size (style) + 5.0 + assay_chart_text_measure (text, words, FALSE) + 18.0;
}

/* Calls `func` (may be NULL) for each entry; returns the rows. */
static guint
legend_walk (PangoLayout *text,
             const AssayChartPicture *picture,
             double left,
             double width,
             AssayChartPen *pen,
             LegendFunc func)
{
  double x = left;
  guint row = 0;

  for (guint entry = 0; entry < N_ENTRIES; entry++)
    {
      if (!entry_occurs (picture->data, entry))
        continue;
      const double wide = entry_width (text, picture->style, entry_get_label (entry));
      if (x > left && x + wide > left + width)
        {
          x = left;
          row++;
        }
      if (func != NULL)
        func (pen, entry, x, row);
      x += wide;
    }
  return row + 1;
}

guint
assay_chart_legend_n_rows (PangoLayout *text, const AssayChartPicture *picture, double left, double width)
{
  return legend_walk (text, picture, left, width, NULL, NULL);
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
draw_entry (AssayChartPen *pen, guint entry, double x, guint row)
{
  const double line = pen->layout->line_height;
  const double y = pen->layout->legend_y + row * line * 1.3;
  const double middle = y + line / 2.0, size = swatch_size (pen->style);

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
  legend_walk (pen->text, pen->picture, pen->layout->stack.x, pen->layout->stack.width, pen, draw_entry);
}
