/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-report-picture.h"

#include "assay-chain-draw.h"
#include "assay-chart-draw.h"
#include "assay-chart-run.h"
#include "assay-plot-draw.h"

#define PLOT_HEIGHT 230.0
#define CHART_SCALE 0.68 /* letters of a chart are for screens */

/* Pictures have no tag of their own: cairo 1.16 refuses one around the groups that charts are drawn in. Their words
 * follow them. */
static void
picture_begin (ReportPage *page, double height)
{
  report_page_need (page, height + 20.0); /* with its words */
  cairo_save (page->cr);
  cairo_translate (page->cr, REPORT_MARGIN, page->y);
  cairo_rectangle (page->cr, 0, 0, REPORT_TEXT_WIDTH, height);
  cairo_clip (page->cr);
}

static void
picture_end (ReportPage *page, double height)
{
  cairo_restore (page->cr);
  page->y += height + 4.0;
}

void
report_picture_draw_chart (ReportPage *page, AssayLedger *ledger, AssayRecord *record)
{
  AssaySeries *series = assay_record_get_series (record);
  AssayChartExport what = { .format = ASSAY_CHART_PDF,
                            .width = REPORT_TEXT_WIDTH / CHART_SCALE,
                            .height = REPORT_CHART_HEIGHT / CHART_SCALE,
                            .to_ns = assay_series_get_end_ns (series) };
  assay_chart_run_set_limits (&what, ledger, record);
  picture_begin (page, REPORT_CHART_HEIGHT);
  cairo_scale (page->cr, CHART_SCALE, CHART_SCALE);
  assay_chart_export_draw (page->cr, series, &what);
  picture_end (page, REPORT_CHART_HEIGHT);
}

void
report_picture_draw_plot (ReportPage *page, AssayLedger *ledger, guint group)
{
  g_autoptr(AssayPareto) pareto = assay_pareto_new (ledger);
  g_return_if_fail (group < pareto->groups->len);
  g_autoptr(AssayPlotData) data = assay_plot_data_new (ledger, pareto->groups->pdata[group]);
  const AssayPlotPicture picture = { .data = data, .style = page->style, .width = REPORT_TEXT_WIDTH,
                                     .height = MAX (PLOT_HEIGHT, assay_plot_get_least_height (page->style)),
                                     .focused = -1 };
  AssayPlotLayout layout;
  picture_begin (page, picture.height);
  assay_plot_layout_init (&layout, &picture);
  assay_plot_draw (page->cr, &picture, &layout);
  picture_end (page, picture.height);
}

/* A step that is longer than a page is drawn smaller, so that nothing of it is lost. */
void
report_picture_draw_step (ReportPage *page, const AssayChainStep *step, gboolean has_next)
{
  const AssayChainPicture picture = { step, page->style, REPORT_TEXT_WIDTH, has_next };
  const double height = assay_chain_draw_measure (page->cr, &picture), most = REPORT_FOOT - REPORT_MARGIN;
  const double scale = height > most ? most / height : 1.0;
  report_page_need (page, height * scale);
  cairo_tag_begin (page->cr, "LI", NULL);
  cairo_save (page->cr);
  cairo_translate (page->cr, REPORT_MARGIN, page->y);
  cairo_scale (page->cr, scale, scale);
  assay_chain_draw_step (page->cr, &picture);
  cairo_restore (page->cr);
  cairo_tag_end (page->cr, "LI");
  page->y += height * scale;
}
