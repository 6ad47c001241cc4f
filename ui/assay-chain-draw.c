/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-chain-draw.h"

#include <pango/pangocairo.h>

#define EDGE 12.0       /* around the box, and between it and what is in it */
#define SPINE 30.0      /* where the line runs, from the left */
#define ARROW 5.0
#define CORNER 6.0

typedef struct
{
  cairo_t *cr;          /* borrowed */
  const AssayChartStyle *style;
  PangoLayout *text;    /* owned */
  double y;             /* what is drawn next stands here */
  gboolean visible;     /* else only measured */
} ChainPen;

static void
pen_init (ChainPen *pen, cairo_t *cr, const AssayChartStyle *style, gboolean visible)
{
  g_autoptr(PangoFontDescription) font = pango_font_description_new ();
  *pen = (ChainPen){ .cr = cr, .style = style, .visible = visible, .text = pango_cairo_create_layout (cr) };
  pango_font_description_set_family (font, style->font_family);
  pango_font_description_set_absolute_size (font, style->font_px * PANGO_SCALE);
  pango_layout_set_font_description (pen->text, font);
  pango_layout_set_wrap (pen->text, PANGO_WRAP_WORD_CHAR);
  pango_context_set_round_glyph_positions (pango_layout_get_context (pen->text), FALSE); /* pages have no pixels */
}

static void
pen_set_ink (ChainPen *pen, AssayInk ink)
{
  GdkRGBA color;
  assay_chart_style_get_ink (pen->style, ink, &color);
  cairo_set_source_rgba (pen->cr, color.red, color.green, color.blue, color.alpha);
}

/* The first n_bold bytes stand out. */
static void
pen_write (ChainPen *pen, double x, double width, const char *words, guint n_bold)
{
  g_autoptr(PangoAttrList) attributes = pango_attr_list_new ();
  PangoAttribute *bold = pango_attr_weight_new (PANGO_WEIGHT_BOLD);
  int height;
  bold->end_index = n_bold;
  pango_attr_list_insert (attributes, bold);
  pango_layout_set_attributes (pen->text, attributes);
  pango_layout_set_width (pen->text, (int) (MAX (width, 40.0) * PANGO_SCALE));
  pango_layout_set_text (pen->text, words, -1);
  pango_layout_get_size (pen->text, NULL, &height);
  if (pen->visible)
    {
      pen_set_ink (pen, ASSAY_INK_TEXT);
      cairo_move_to (pen->cr, x, pen->y);
      pango_cairo_show_layout (pen->cr, pen->text);
    }
  pen->y += (double) height / PANGO_SCALE + 2.0;
}

static void
pen_write_lines (ChainPen *pen, const AssayChainStep *step, gboolean on_way, double x, double width)
{
  for (guint i = 0; i < step->lines->len; i++)
    {
      const AssayChainLine *line = g_ptr_array_index (step->lines, i);
      if (line->on_way != on_way)
        continue;
      g_autofree char *words = g_strdup_printf ("%s: %s", line->label, line->text);
      pen_write (pen, x, width, words, (guint) strlen (line->label) + 1);
    }
}

static void
pen_draw_line (ChainPen *pen, double from, double to, gboolean arrow)
{
  if (!pen->visible)
    return;
  pen_set_ink (pen, ASSAY_INK_DIM);
  cairo_set_line_width (pen->cr, 1.5);
  cairo_move_to (pen->cr, SPINE, from);
  cairo_line_to (pen->cr, SPINE, to);
  cairo_stroke (pen->cr);
  if (!arrow)
    return;
  cairo_move_to (pen->cr, SPINE - ARROW, to - 2.0 * ARROW);
  cairo_line_to (pen->cr, SPINE + ARROW, to - 2.0 * ARROW);
  cairo_line_to (pen->cr, SPINE, to);
  cairo_close_path (pen->cr);
  cairo_fill (pen->cr);
}

/* A first run has no way to it. */
static void
pen_draw_way (ChainPen *pen, const AssayChainStep *step, double width)
{
  const double from = pen->y, before = from + EDGE / 2;
  pen->y = before;
  pen_write_lines (pen, step, TRUE, SPINE + EDGE, width - SPINE - 2 * EDGE);
  if (pen->y == before)
    {
      pen->y = from;
      return;
    }
  pen->y += EDGE / 2;
  pen_draw_line (pen, from, pen->y, TRUE);
}

static void
path_box (cairo_t *cr, double y, double width, double height)
{
  const double left = EDGE, right = width - EDGE, foot = y + height;
  cairo_new_sub_path (cr);
  cairo_arc (cr, right - CORNER, y + CORNER, CORNER, -G_PI_2, 0);
  cairo_arc (cr, right - CORNER, foot - CORNER, CORNER, 0, G_PI_2);
  cairo_arc (cr, left + CORNER, foot - CORNER, CORNER, G_PI_2, G_PI);
  cairo_arc (cr, left + CORNER, y + CORNER, CORNER, G_PI, 3 * G_PI_2);
  cairo_close_path (cr);
}

/* A dashed edge: that run has not been. */
static void
pen_draw_edge (ChainPen *pen, const AssayChainStep *step, double y, double width, double height)
{
  static const double dashes[] = { 5.0, 3.0 };
  path_box (pen->cr, y, width, height);
  pen_set_ink (pen, ASSAY_INK_PLOT);
  cairo_fill_preserve (pen->cr);
  pen_set_ink (pen, ASSAY_INK_DIM);
  cairo_set_line_width (pen->cr, 1.0);
  cairo_set_dash (pen->cr, dashes, step->record == NULL ? 2 : 0, 0);
  cairo_stroke (pen->cr);
  cairo_set_dash (pen->cr, NULL, 0, 0);
}

static void
pen_write_box (ChainPen *pen, const AssayChainStep *step, double width)
{
  g_autofree char *title = g_strdup_printf ("%u. %s", step->number, step->title);
  pen->y += EDGE / 2;
  pen_write (pen, 2 * EDGE, width - 4 * EDGE, title, (guint) strlen (title));
  pen_write_lines (pen, step, FALSE, 2 * EDGE, width - 4 * EDGE);
  pen->y += EDGE / 2;
}

static void
pen_draw_box (ChainPen *pen, const AssayChainStep *step, double width)
{
  const double y = pen->y;
  if (pen->visible)
    {
      ChainPen measure = *pen;
      measure.visible = FALSE;
      pen_write_box (&measure, step, width);
      pen_draw_edge (pen, step, y, width, measure.y - y);
    }
  pen_write_box (pen, step, width);
}

static double
step_draw (cairo_t *cr, const AssayChainPicture *picture, gboolean visible)
{
  ChainPen pen;
  pen_init (&pen, cr, picture->style, visible);
  pen_draw_way (&pen, picture->step, picture->width);
  pen_draw_box (&pen, picture->step, picture->width);
  if (picture->has_next)
    {
      pen_draw_line (&pen, pen.y, pen.y + EDGE / 2, FALSE);
      pen.y += EDGE / 2;
    }
  g_object_unref (pen.text);
  return pen.y;
}

double
assay_chain_draw_measure (cairo_t *cr, const AssayChainPicture *picture)
{
  return step_draw (cr, picture, FALSE);
}

double
assay_chain_draw_step (cairo_t *cr, const AssayChainPicture *picture)
{
  return step_draw (cr, picture, TRUE);
}

/* Sheets */

static double
sheet_draw_head (cairo_t *cr, const AssayChainSheet *sheet, gboolean visible)
{
  ChainPen pen;
  pen_init (&pen, cr, sheet->style, visible);
  pen.y = EDGE;
  pen_write (&pen, EDGE, sheet->width - 2 * EDGE, sheet->heading, (guint) strlen (sheet->heading));
  if (sheet->problem != NULL)
    pen_write (&pen, EDGE, sheet->width - 2 * EDGE, sheet->problem, 0);
  g_object_unref (pen.text);
  return pen.y + EDGE / 2;
}

static double
sheet_draw (cairo_t *cr, const AssayChainSheet *sheet, gboolean visible)
{
  double y = sheet_draw_head (cr, sheet, visible);
  for (guint i = 0; i < sheet->steps->len; i++)
    {
      const AssayChainPicture picture = { sheet->steps->pdata[i], sheet->style, sheet->width,
                                          i + 1 < sheet->steps->len };
      cairo_save (cr);
      cairo_translate (cr, 0, y);
      y += step_draw (cr, &picture, visible);
      cairo_restore (cr);
    }
  return y + EDGE;
}

double
assay_chain_sheet_measure (const AssayChainSheet *sheet)
{
  cairo_surface_t *surface = cairo_recording_surface_create (CAIRO_CONTENT_COLOR_ALPHA, NULL);
  cairo_t *cr = cairo_create (surface);
  const double height = sheet_draw (cr, sheet, FALSE);
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
  return height;
}

void
assay_chain_sheet_draw (cairo_t *cr, const AssayChainSheet *sheet)
{
  GdkRGBA ground;
  assay_chart_style_get_ink (sheet->style, ASSAY_INK_PAPER, &ground);
  cairo_set_source_rgb (cr, ground.red, ground.green, ground.blue);
  cairo_paint (cr);
  sheet_draw (cr, sheet, TRUE);
}
