/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-chart-legend.c: the layers that occur, in the stack's order from the bottom, wrapped. */
#include "assay-chart-draw-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>

typedef void (*LegendFunc) (AssayChartPen *pen, guint layer, double x, guint row);

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

/* Calls `func` (may be NULL) for each entry; returns the rows. ASSAY_N_LAYERS is the driver's line. */
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

  for (guint layer = 0; layer <= ASSAY_N_LAYERS; layer++)
    {
      const gboolean driver = layer == ASSAY_N_LAYERS;
      if (driver ? !picture->data->own_memory : picture->data->layer_max[layer] <= 0)
        continue;
      const double entry = entry_width (text, picture->style,
                                        driver ? _("whole device, driver") : assay_layer_get_label (layer));
      if (x > left && x + entry > left + width)
        {
          x = left;
          row++;
        }
      if (func != NULL)
        func (pen, layer, x, row);
      x += entry;
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
draw_entry (AssayChartPen *pen, guint layer, double x, guint row)
{
  const double line = pen->layout->line_height;
  const double y = pen->layout->legend_y + row * line * 1.3;
  const double middle = y + line / 2.0, size = swatch_size (pen->style);

  if (layer < ASSAY_N_LAYERS)
    draw_swatch (pen, layer, x, floor (middle - size / 2.0), size);
  else
    {
      assay_chart_pen_ink (pen, ASSAY_INK_TEXT);
      cairo_set_line_width (pen->cr, 1.0);
      cairo_move_to (pen->cr, x, middle);
      cairo_rel_line_to (pen->cr, size, 0.0);
      cairo_stroke (pen->cr);
    }
  assay_chart_pen_text (pen, x + size + 5.0, y, ASSAY_TEXT_LEFT, ASSAY_INK_TEXT, FALSE,
                        layer < ASSAY_N_LAYERS ? assay_layer_get_label (layer) : _("whole device, driver"));
}

void
assay_chart_draw_legend (AssayChartPen *pen)
{
  legend_walk (pen->text, pen->picture, pen->layout->stack.x, pen->layout->stack.width, pen, draw_entry);
}
