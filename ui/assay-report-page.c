/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-report-page.h"

#include <cairo-pdf.h>
#include <gio/gio.h>
#include <glib/gi18n-lib.h>
#include <string.h>

#define MOST_UNBROKEN 1000u  /* letters */
#define LONGEST_TITLE 200    /* letters, at the foot of every page and in the file's properties */

static cairo_status_t
append_cb (void *closure, const unsigned char *bytes, unsigned int length)
{
  g_byte_array_append (closure, bytes, length);
  return CAIRO_STATUS_SUCCESS;
}

static void
page_set_metadata (ReportPage *page)
{
  g_autofree char *creator = g_strdup_printf ("Assay %s", ASSAY_VERSION);
  cairo_pdf_surface_set_metadata (page->surface, CAIRO_PDF_METADATA_TITLE, page->title);
  cairo_pdf_surface_set_metadata (page->surface, CAIRO_PDF_METADATA_SUBJECT,
                                  C_ ("report", "A report of runs and reviews"));
  cairo_pdf_surface_set_metadata (page->surface, CAIRO_PDF_METADATA_CREATOR, creator);
}

static char *
dup_title (const char *title)
{
  if (g_utf8_strlen (title, -1) <= LONGEST_TITLE)
    return g_strdup (title);
  g_autofree char *beginning = g_utf8_substring (title, 0, LONGEST_TITLE - 1);
  return g_strconcat (beginning, "…", NULL);
}

void
report_page_init (ReportPage *page, const char *title)
{
  *page = (ReportPage){ .bytes = g_byte_array_new (),
                        .title = dup_title (title),
                        .style = assay_chart_style_new (FALSE, FALSE, "Sans", 8.5),
                        .y = REPORT_MARGIN,
                        .n_pages = 1,
                        .section = CAIRO_PDF_OUTLINE_ROOT };
  page->surface = cairo_pdf_surface_create_for_stream (append_cb, page->bytes, REPORT_WIDTH, REPORT_HEIGHT);
  page->cr = cairo_create (page->surface);
  page->text = pango_cairo_create_layout (page->cr);
  pango_context_set_round_glyph_positions (pango_layout_get_context (page->text), FALSE); /* paper has no pixels */
  page_set_metadata (page);
}

void
report_page_ink (ReportPage *page, AssayInk ink)
{
  GdkRGBA color;
  assay_chart_style_get_ink (page->style, ink, &color);
  cairo_set_source_rgb (page->cr, color.red, color.green, color.blue);
}

/* "title · page 3", below what is told. */
static void
page_write_foot (ReportPage *page)
{
  static const ReportLettering how = { .points = 7.5, .ink = ASSAY_INK_DIM };
  /* Translators: at the foot of a report's page: its title, and the page's number */
  g_autofree char *words = g_strdup_printf (_("%s · page %u"), page->title, page->n_pages);
  report_page_set_text (page, words, -1, &how);
  pango_layout_set_ellipsize (page->text, PANGO_ELLIPSIZE_MIDDLE);
  pango_layout_set_width (page->text, (int) (REPORT_TEXT_WIDTH * PANGO_SCALE));
  report_page_show_text (page, REPORT_MARGIN, REPORT_FOOT + 12.0, &how);
  pango_layout_set_ellipsize (page->text, PANGO_ELLIPSIZE_NONE);
}

static void
page_begin (ReportPage *page)
{
  page_write_foot (page);
  cairo_show_page (page->cr);
  page->n_pages++;
  page->y = REPORT_MARGIN;
}

void
report_page_need (ReportPage *page, double height)
{
  if (page->y > REPORT_MARGIN && page->y + height > REPORT_FOOT)
    page_begin (page);
}

void
report_page_skip (ReportPage *page, double height)
{
  if (page->y > REPORT_MARGIN)
    page->y += height;
}

void
report_page_add_outline (ReportPage *page, const char *words, gboolean is_section)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  g_autofree char *where = g_strdup_printf ("page=%u pos=[%d %s]", page->n_pages, (int) REPORT_MARGIN,
                                            g_ascii_formatd (number, sizeof number, "%.0f", page->y));
  const int parent = is_section ? CAIRO_PDF_OUTLINE_ROOT : page->section;
  const int entry = cairo_pdf_surface_add_outline (page->surface, parent, words, where, CAIRO_PDF_OUTLINE_FLAG_OPEN);
  if (is_section)
    page->section = entry;
}

/* Text */

/* Pango takes time with the square of what nothing breaks, which a file may have a million letters of: after so many a
 * line ends anyhow. */
static char *
dup_breakable (const char *words)
{
  const char *end = words + strlen (words), *next;
  GString *text = g_string_sized_new ((gsize) (end - words));
  guint unbroken = 0;
  for (const char *c = words; c < end; c = next)
    {
      const gunichar letter = g_utf8_get_char_validated (c, end - c);
      next = g_utf8_find_next_char (c, end);
      next = next != NULL ? next : end;
      unbroken = letter == ' ' || letter == '\n' || g_unichar_iswide (letter) ? 0 : unbroken + 1;
      if (unbroken > MOST_UNBROKEN)
        {
          g_string_append_c (text, '\n');
          unbroken = 1;
        }
      g_string_append_len (text, c, next - c);
    }
  return g_string_free (text, FALSE);
}

double
report_page_set_text (ReportPage *page, const char *words, double width, const ReportLettering *how)
{
  g_autoptr(PangoFontDescription) font = pango_font_description_new ();
  g_autoptr(PangoAttrList) attributes = pango_attr_list_new ();
  PangoAttribute *bold = pango_attr_weight_new (PANGO_WEIGHT_BOLD);
  int height;
  pango_font_description_set_family (font, page->style->font_family);
  pango_font_description_set_absolute_size (font, how->points * PANGO_SCALE);
  bold->end_index = how->n_bold;
  pango_attr_list_insert (attributes, bold);
  pango_layout_set_font_description (page->text, font);
  pango_layout_set_attributes (page->text, attributes);
  pango_layout_set_wrap (page->text, PANGO_WRAP_WORD_CHAR);
  pango_layout_set_indent (page->text, (int) (-how->hang * PANGO_SCALE));
  pango_layout_set_width (page->text, width > 0 ? (int) (width * PANGO_SCALE) : -1);
  g_autofree char *breakable = dup_breakable (words);
  pango_layout_set_text (page->text, breakable, -1);
  pango_layout_get_size (page->text, NULL, &height);
  page->n_without_font += (guint) MAX (pango_layout_get_unknown_glyphs_count (page->text), 0);
  return (double) height / PANGO_SCALE;
}

static void
page_begin_tag (ReportPage *page, const ReportLettering *how)
{
  report_page_ink (page, how->ink);
  if (how->tag != NULL)
    cairo_tag_begin (page->cr, how->tag, NULL);
}

static void
page_end_tag (ReportPage *page, const ReportLettering *how)
{
  if (how->tag != NULL)
    cairo_tag_end (page->cr, how->tag);
}

void
report_page_show_text (ReportPage *page, double x, double y, const ReportLettering *how)
{
  page_begin_tag (page, how);
  cairo_move_to (page->cr, x, y);
  pango_cairo_show_layout (page->cr, page->text);
  page_end_tag (page, how);
}

static void
page_show_line (ReportPage *page, double x, PangoLayoutIter *iter, const ReportLettering *how)
{
  PangoRectangle extents;
  pango_layout_iter_get_line_extents (iter, NULL, &extents);
  const double height = (double) extents.height / PANGO_SCALE;
  const double above = (double) (pango_layout_iter_get_baseline (iter) - extents.y) / PANGO_SCALE;
  report_page_need (page, height);
  page_begin_tag (page, how);
  cairo_move_to (page->cr, x + (double) extents.x / PANGO_SCALE, page->y + above);
  pango_cairo_show_layout_line (page->cr, pango_layout_iter_get_line_readonly (iter));
  page_end_tag (page, how);
  page->y += height;
}

/* A layout of its own: page->text writes the foot where the paragraph goes on to another page. */
void
report_page_write (ReportPage *page, double x, const char *words, const ReportLettering *how)
{
  report_page_set_text (page, words, REPORT_WIDTH - REPORT_MARGIN - x, how);
  g_autoptr(PangoLayout) paragraph = pango_layout_copy (page->text);
  PangoLayoutIter *iter = pango_layout_get_iter (paragraph);
  do
    page_show_line (page, x, iter, how);
  while (pango_layout_iter_next_line (iter));
  pango_layout_iter_free (iter);
}

GBytes *
report_page_finish (ReportPage *page, GError **error)
{
  page_write_foot (page);
  cairo_show_page (page->cr);
  cairo_status_t status = cairo_status (page->cr);
  g_object_unref (page->text);
  cairo_destroy (page->cr);
  cairo_surface_finish (page->surface);
  if (status == CAIRO_STATUS_SUCCESS)
    status = cairo_surface_status (page->surface);
  cairo_surface_destroy (page->surface);
  assay_chart_style_free (page->style);
  g_free (page->title);
  GBytes *bytes = g_byte_array_free_to_bytes (g_steal_pointer (&page->bytes));
  if (status == CAIRO_STATUS_SUCCESS)
    return bytes;
  g_bytes_unref (bytes);
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, _("the report could not be drawn: %s"),
               cairo_status_to_string (status));
  return NULL;
}
