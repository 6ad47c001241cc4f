/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-report-pdf.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#include "assay-report-page.h"
#include "assay-report-picture.h"
#include "assay-report-table.h"
#include "assay-write-out.h"

static const ReportLettering title_lettering = { .points = 20, .n_bold = G_MAXUINT, .ink = ASSAY_INK_TEXT, .tag = "H1" };
static const ReportLettering heading_lettering = { .points = 13, .n_bold = G_MAXUINT, .ink = ASSAY_INK_TEXT, .tag = "H2" };
static const ReportLettering subheading_lettering = { .points = 9.5, .n_bold = G_MAXUINT, .ink = ASSAY_INK_TEXT, .tag = "H3" };
static const ReportLettering text_lettering = { .points = 9, .ink = ASSAY_INK_TEXT, .tag = "P" };
static const ReportLettering caption_lettering = { .points = 8, .ink = ASSAY_INK_DIM, .tag = "Caption" };

/* A heading does not stand alone at a page's foot: room is left for what comes under it. */
static void
pdf_write_heading (ReportPage *page, const char *words, const ReportLettering *how, double below, gboolean is_section)
{
  report_page_skip (page, how->points * 1.2);
  report_page_need (page, how->points * 3 + below);
  report_page_add_outline (page, words, is_section);
  report_page_write (page, REPORT_MARGIN, words, how);
  report_page_skip (page, 4.0);
}

/* "model_id: org/name", "Ana: pass. note": what it is about stands out. */
static void
pdf_write_item (ReportPage *page, const AssayReportBlock *block)
{
  const gboolean has_colon = block->lead == NULL || g_str_has_suffix (block->lead, ":");
  g_autofree char *lead
      = block->lead != NULL ? g_strconcat (block->lead, has_colon ? " " : ": ", NULL) : g_strdup ("");
  g_autofree char *words
      = g_strconcat ("•  ", lead, block->strong != NULL ? block->strong : "", block->text, NULL);
  ReportLettering how = text_lettering;
  how.n_bold = (guint) (strlen ("•  ") + strlen (lead) + (block->strong != NULL ? strlen (block->strong) : 0));
  how.tag = "LI";
  how.hang = 9;
  report_page_write (page, REPORT_MARGIN, words, &how);
  report_page_skip (page, 2.0);
}

static void
pdf_write_paragraph (ReportPage *page, const char *words, const ReportLettering *how)
{
  report_page_skip (page, 3.0);
  report_page_write (page, REPORT_MARGIN, words, how);
  report_page_skip (page, 6.0);
}

static void
pdf_write_picture (ReportPage *page, AssayLedger *ledger, const AssayReportBlock *block)
{
  if (block->kind == ASSAY_REPORT_CHART)
    report_picture_draw_chart (page, ledger, block->record);
  else
    report_picture_draw_plot (page, ledger, block->group);
  pdf_write_paragraph (page, block->text, &caption_lettering);
}

static gboolean
report_goes_on_with (const AssayReport *report, guint i, AssayReportKind kind)
{
  return i + 1 < report->blocks->len && ((AssayReportBlock *) report->blocks->pdata[i + 1])->kind == kind;
}

/* What the first thing under a heading wants at least. */
static double
report_get_below (const AssayReport *report, guint i)
{
  return report_goes_on_with (report, i, ASSAY_REPORT_CHART) ? REPORT_CHART_HEIGHT + 20
         : report_goes_on_with (report, i, ASSAY_REPORT_SUBHEADING)
                 || report_goes_on_with (report, i, ASSAY_REPORT_STEP)
             ? 120
             : 30;
}

static void
pdf_write_block (ReportPage *page, const AssayReport *report, guint i)
{
  const AssayReportBlock *block = report->blocks->pdata[i];
  const double below = report_get_below (report, i);
  switch (block->kind)
    {
    case ASSAY_REPORT_TITLE: pdf_write_paragraph (page, block->text, &title_lettering); break;
    case ASSAY_REPORT_HEADING: pdf_write_heading (page, block->text, &heading_lettering, below, TRUE); break;
    case ASSAY_REPORT_SUBHEADING: pdf_write_heading (page, block->text, &subheading_lettering, below, FALSE); break;
    case ASSAY_REPORT_ITEM: pdf_write_item (page, block); break;
    case ASSAY_REPORT_TABLE: report_table_draw (page, block->rows); break;
    case ASSAY_REPORT_STEP: report_picture_draw_step (page, block->step, report_goes_on_with (report, i, ASSAY_REPORT_STEP)); break;
    case ASSAY_REPORT_CHART:
    case ASSAY_REPORT_PLOT: pdf_write_picture (page, report->ledger, block); break;
    case ASSAY_REPORT_PARAGRAPH:
    default: pdf_write_paragraph (page, block->text, &text_lettering); break;
    }
}

/* Boxes in place of letters are no text that anyone can read. */
static void
pdf_tell_missing_fonts (ReportPage *page)
{
  const guint n = page->n_without_font;
  if (n == 0)
    return;
  g_autofree char *words = g_strdup_printf (
      g_dngettext (GETTEXT_PACKAGE,
                   "%u character is drawn as a box: no font of this machine has it. Install one for its script (for "
                   "Chinese and Korean, fonts-noto-cjk) and write the report again.",
                   "%u characters are drawn as boxes: no font of this machine has them. Install one for their script "
                   "(for Chinese and Korean, fonts-noto-cjk) and write the report again.", n),
      n);
  report_page_skip (page, 12.0);
  pdf_write_paragraph (page, words, &text_lettering);
}

GBytes *
assay_report_pdf_render (AssayLedger *ledger, const char *run_id, GError **error)
{
  g_return_val_if_fail (ASSAY_IS_LEDGER (ledger), NULL);
  g_autoptr(AssayReport) report = assay_report_new (ledger, run_id, error);
  ReportPage page;
  if (report == NULL)
    return NULL;
  report_page_init (&page, report->title);
  for (guint i = 0; i < report->blocks->len; i++)
    pdf_write_block (&page, report, i);
  pdf_tell_missing_fonts (&page);
  return report_page_finish (&page, error);
}

gboolean
assay_report_pdf_write (AssayLedger *ledger, const char *run_id, const char *path, GError **error)
{
  g_autoptr(GBytes) pdf = assay_report_pdf_render (ledger, run_id, error);
  return pdf != NULL
         && assay_write_out (path, g_bytes_get_data (pdf, NULL), g_bytes_get_size (pdf), error);
}
