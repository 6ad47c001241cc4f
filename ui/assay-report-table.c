/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-report-table.h"

#define GAP 6.0
#define WIDEST 118.0      /* before what is left over is shared out */
#define NARROWEST 34.0
#define MEASURED_ROWS 200u
#define CELL_CHARS 700

static const ReportLettering head_lettering = { .points = 7.5, .n_bold = G_MAXUINT, .ink = ASSAY_INK_TEXT, .tag = "TH" };
static const ReportLettering cell_lettering = { .points = 7.5, .ink = ASSAY_INK_TEXT, .tag = "TD" };

/* Some columns of the rows, beside one another. */
typedef struct
{
  GPtrArray *rows;
  guint columns[64];      /* which; the first of all first */
  double widths[64];
  guint n;
} Band;

static char *
cell_dup_text (const char *cell)
{
  if (g_utf8_strlen (cell, -1) <= CELL_CHARS)
    return g_strdup (cell);
  g_autofree char *head = g_utf8_substring (cell, 0, CELL_CHARS - 1);
  return g_strconcat (head, "…", NULL);
}

static double
row_set_cell (ReportPage *page, GStrv row, guint column, double width, const ReportLettering *how)
{
  g_autofree char *text = cell_dup_text (row[column]);
  return report_page_set_text (page, text, width, how);
}

/* What the column would like, within limits: of its first rows, which speak for the others. */
static double
column_measure (ReportPage *page, GPtrArray *rows, guint column)
{
  const guint n_without_font = page->n_without_font;
  double width = NARROWEST;
  for (guint i = 0; i < MIN (rows->len, MEASURED_ROWS) && width < WIDEST; i++)
    {
      int wanted;
      row_set_cell (page, rows->pdata[i], column, -1, i == 0 ? &head_lettering : &cell_lettering);
      pango_layout_get_size (page->text, &wanted, NULL);
      width = MAX (width, (double) wanted / PANGO_SCALE + 1.0);
    }
  page->n_without_font = n_without_font; /* they are counted when they are drawn */
  return MIN (width, WIDEST);
}

static double
band_get_width (const Band *band)
{
  double width = -GAP;
  for (guint i = 0; i < band->n; i++)
    width += band->widths[i] + GAP;
  return width;
}

static void
band_add (Band *band, guint column, double width)
{
  band->columns[band->n] = column;
  band->widths[band->n++] = width;
}

/* What is left over goes to the columns that were cut. */
static void
band_widen (Band *band)
{
  const double left = REPORT_TEXT_WIDTH - band_get_width (band);
  guint n_cut = 0;
  for (guint i = 0; i < band->n; i++)
    n_cut += band->widths[i] >= WIDEST;
  for (guint i = 0; n_cut > 0 && left > 0 && i < band->n; i++)
    if (band->widths[i] >= WIDEST)
      band->widths[i] += left / n_cut;
}

static double
band_measure_row (ReportPage *page, const Band *band, guint row, const ReportLettering *how)
{
  const guint n_without_font = page->n_without_font;
  double height = 0;
  for (guint i = 0; i < band->n; i++)
    height = MAX (height, row_set_cell (page, band->rows->pdata[row], band->columns[i], band->widths[i], how));
  page->n_without_font = n_without_font;
  return height + 4.0;
}

static void
band_draw_rule (ReportPage *page, const Band *band)
{
  report_page_ink (page, ASSAY_INK_GRID);
  cairo_set_line_width (page->cr, 0.5);
  cairo_move_to (page->cr, REPORT_MARGIN, page->y);
  cairo_line_to (page->cr, REPORT_MARGIN + band_get_width (band), page->y);
  cairo_stroke (page->cr);
}

static void
band_draw_row (ReportPage *page, const Band *band, guint row, const ReportLettering *how)
{
  const double height = band_measure_row (page, band, row, how);
  double x = REPORT_MARGIN;
  cairo_tag_begin (page->cr, "TR", NULL);
  for (guint i = 0; i < band->n; i++)
    {
      row_set_cell (page, band->rows->pdata[row], band->columns[i], band->widths[i], how);
      report_page_show_text (page, x, page->y + 2.0, how);
      x += band->widths[i] + GAP;
    }
  cairo_tag_end (page->cr, "TR");
  page->y += height;
  band_draw_rule (page, band);
}

/* The names again at the top of every page. */
static void
band_draw (ReportPage *page, const Band *band)
{
  const double head = band_measure_row (page, band, 0, &head_lettering);
  guint n_pages = 0;
  report_page_skip (page, 6.0);
  for (guint row = 1; row < band->rows->len; row++)
    {
      const double height = band_measure_row (page, band, row, &cell_lettering);
      report_page_need (page, height + (n_pages == page->n_pages ? 0 : head));
      if (n_pages != page->n_pages)
        band_draw_row (page, band, 0, &head_lettering);
      n_pages = page->n_pages;
      band_draw_row (page, band, row, &cell_lettering);
    }
  report_page_skip (page, 6.0);
}

void
report_table_draw (ReportPage *page, GPtrArray *rows)
{
  const guint n_columns = rows->len > 0 ? g_strv_length (rows->pdata[0]) : 0;
  const double first = n_columns > 0 ? column_measure (page, rows, 0) : 0;
  for (guint column = 1; column < n_columns;)
    {
      Band band = { .rows = rows };
      band_add (&band, 0, first);
      do
        {
          band_add (&band, column, column_measure (page, rows, column));
          column++;
        }
      while (column < n_columns && band.n < G_N_ELEMENTS (band.columns)
             && band_get_width (&band) + GAP + column_measure (page, rows, column) <= REPORT_TEXT_WIDTH);
      band_widen (&band);
      band_draw (page, &band);
    }
}
