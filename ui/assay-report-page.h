/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-report-page.h: the pages of a PDF: where the next thing goes, and what stands on each of them.
 *
 * A4, in points. Text goes through pango as plain text; what a font is missing for is counted, so that the report can
 * say so. One thread. */
#pragma once

#include <cairo.h>
#include <pango/pangocairo.h>

#include "assay-chart-style.h"

G_BEGIN_DECLS

#define REPORT_WIDTH 595.276
#define REPORT_HEIGHT 841.89
#define REPORT_MARGIN 48.0
#define REPORT_TEXT_WIDTH (REPORT_WIDTH - 2 * REPORT_MARGIN)
#define REPORT_FOOT (REPORT_HEIGHT - REPORT_MARGIN - 18.0) /* the foot of what is told; the page's number is below */

typedef struct
{
  GByteArray *bytes;          /* owned, as all below */
  cairo_surface_t *surface;
  cairo_t *cr;
  PangoLayout *text;
  AssayChartStyle *style;
  char *title;                /* at the foot of every page */
  double y;                   /* what comes next stands here */
  guint n_pages;              /* begun */
  guint n_without_font;       /* characters that no font of this machine has */
  int section;                /* the outline's entry that those below belong to */
} ReportPage;

void report_page_init (ReportPage *page, const char *title);
/* The bytes of the finished PDF; NULL with an error when cairo failed. Clears the page. (transfer full) */
GBytes *report_page_finish (ReportPage *page, GError **error);

/* Begins another page unless `height` still fits on this one. */
void report_page_need (ReportPage *page, double height);
void report_page_skip (ReportPage *page, double height); /* some space, but not at the top of a page */
void report_page_add_outline (ReportPage *page, const char *words, gboolean is_section);
void report_page_ink (ReportPage *page, AssayInk ink);

typedef struct
{
  double points;              /* size of the letters */
  guint n_bold;               /* bytes from the beginning that stand out */
  double hang;                /* of the lines after the first, further in */
  AssayInk ink;
  const char *tag;            /* of the PDF's structure: "P", "H1" */
} ReportLettering;

/* A paragraph between x and the right margin, over as many pages as it needs. */
void report_page_write (ReportPage *page, double x, const char *words, const ReportLettering *how);
/* For cells: sets page->text up without drawing. Returns: its height. */
double report_page_set_text (ReportPage *page, const char *words, double width, const ReportLettering *how);
void report_page_show_text (ReportPage *page, double x, double y, const ReportLettering *how);

G_END_DECLS
