/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-compare-picture.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "assay-chart-draw-private.h"

#define MOST_ROWS 400u    /* a picture of more is no picture: the CSV has them all */
#define LEAST_WIDTH 760.0
#define PLOT_HEIGHT 320.0
#define MARGIN 16.0
#define GAP 14.0          /* between columns */

typedef struct
{
  const AssayComparePicture *what;
  AssayChartStyle *style;   /* owned */
  AssayChartPen pen;        /* of the surface that is drawn on */
  double line;              /* height of a row */
  double *widths;           /* owned; of the columns */
  guint n_columns, n_rows;
  double width, height, plot_height;
} Sheet;

static const char *const *
sheet_get_line (const Sheet *self, guint row)
{
  return g_ptr_array_index (self->what->lines, row);
}

static void
sheet_measure_columns (Sheet *self, PangoLayout *text)
{
  for (guint row = 0; row < self->n_rows; row++)
    for (guint column = 0; column < self->n_columns; column++)
      {
        const gboolean bold = row == 0 || g_array_index (self->what->is_chosen, gboolean, row);
        const double width = assay_chart_text_measure (text, sheet_get_line (self, row)[column], bold);
        self->widths[column] = MAX (self->widths[column], ceil (width));
      }
}

static void
sheet_init (Sheet *self, const AssayComparePicture *what)
{
  PangoContext *context = pango_font_map_create_context (pango_cairo_font_map_get_default ());

  *self = (Sheet){ .what = what, .style = assay_chart_style_new_paper () };
  g_autoptr(PangoLayout) text = assay_chart_text_new (context, self->style);
  g_object_unref (context);
  self->line = ceil (self->style->font_px * 1.7);
  self->n_rows = MIN (what->lines->len, MOST_ROWS + 1);
  self->n_columns = g_strv_length ((char **) sheet_get_line (self, 0));
  self->widths = g_new0 (double, self->n_columns + 1);
  sheet_measure_columns (self, text);
  double wide = 2 * MARGIN;
  for (guint i = 0; i < self->n_columns; i++)
    wide += self->widths[i] + GAP;
  self->width = MAX (wide, LEAST_WIDTH);
  self->plot_height = what->data != NULL ? PLOT_HEIGHT : 0.0;
  self->height = self->plot_height + 2 * MARGIN + self->line * (self->n_rows + (what->lines->len > self->n_rows ? 1 : 0));
}

static void
sheet_draw_plot (Sheet *self, cairo_t *cr)
{
  const AssayPlotPicture picture = { .data = self->what->data,
                                     .style = self->style,
                                     .width = self->width - 2 * MARGIN,
                                     .height = self->plot_height,
                                     .selected = self->what->selected,
                                     .focused = -1 };
  AssayPlotLayout layout;

  if (self->what->data == NULL)
    return;
  cairo_save (cr);
  cairo_translate (cr, MARGIN, MARGIN / 2.0);
  assay_plot_layout_init (&layout, &picture);
  assay_plot_draw (cr, &picture, &layout);
  cairo_restore (cr);
}

/* Chosen rows are bold and on a ground of their own. */
static void
sheet_draw_row (Sheet *self, guint row, double y)
{
  const gboolean chosen = row > 0 && g_array_index (self->what->is_chosen, gboolean, row);
  double x = MARGIN;

  if (chosen)
    {
      assay_chart_pen_ink (&self->pen, ASSAY_INK_BAND);
      assay_chart_pen_rectangle (&self->pen, MARGIN / 2.0, y, self->width - MARGIN, self->line);
    }
  for (guint column = 0; column < self->n_columns; column++)
    {
      const gboolean number = g_array_index (self->what->is_number, gboolean, column);
      assay_chart_pen_text (&self->pen, number ? x + self->widths[column] : x, y + self->line * 0.12,
                            number ? ASSAY_TEXT_RIGHT : ASSAY_TEXT_LEFT, ASSAY_INK_TEXT, row == 0 || chosen,
                            sheet_get_line (self, row)[column]);
      x += self->widths[column] + GAP;
    }
}

static void
sheet_draw_rule (Sheet *self, double y)
{
  assay_chart_pen_ink (&self->pen, ASSAY_INK_GRID);
  assay_chart_pen_rectangle (&self->pen, MARGIN / 2.0, y, self->width - MARGIN, 1.0);
}

static void
sheet_draw_rest (Sheet *self, double y)
{
  const guint n = self->what->lines->len - self->n_rows;
  g_autofree char *words
    = g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "and %u more row; the CSV holds all of them",
                                    "and %u more rows; the CSV holds all of them", n),
                       n);

  assay_chart_pen_text (&self->pen, MARGIN, y + self->line * 0.12, ASSAY_TEXT_LEFT, ASSAY_INK_DIM, FALSE, words);
}

static void
sheet_draw (cairo_t *cr, gpointer data)
{
  Sheet *self = data;
  const double top = self->plot_height + MARGIN;

  assay_chart_pen_init_plain (&self->pen, cr, self->style);
  assay_chart_pen_ink (&self->pen, ASSAY_INK_PAPER);
  assay_chart_pen_rectangle (&self->pen, 0.0, 0.0, self->width, self->height);
  sheet_draw_plot (self, cr);
  for (guint row = 0; row < self->n_rows; row++)
    sheet_draw_row (self, row, top + row * self->line);
  sheet_draw_rule (self, top + self->line);
  if (self->what->lines->len > self->n_rows)
    sheet_draw_rest (self, top + self->n_rows * self->line);
  assay_chart_pen_clear (&self->pen);
}

GBytes *
assay_compare_picture_render (const AssayComparePicture *self, AssayChartFormat format, GError **error)
{
  Sheet sheet;

  g_return_val_if_fail (self->lines->len > 0, NULL);
  sheet_init (&sheet, self);
  GBytes *bytes = assay_chart_render (format, sheet.width, sheet.height, sheet_draw, &sheet, error);
  assay_chart_style_free (sheet.style);
  g_free (sheet.widths);
  return bytes;
}
