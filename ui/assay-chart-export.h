/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-chart-export.h: the chart as a PNG, SVG or PDF file, the same drawing as on screen, on paper's
 * colours.
 *
 * Rendered and written on a worker thread. A picture is rendered in memory and put in place whole: a full
 * disk leaves the old file. The series may go on growing meanwhile. */
#pragma once

#include <cairo.h>
#include <gio/gio.h>

#include "assay-chart-style.h"

G_BEGIN_DECLS

typedef enum { ASSAY_CHART_PNG, ASSAY_CHART_SVG, ASSAY_CHART_PDF, ASSAY_N_CHART_FORMATS } AssayChartFormat;

const char *assay_chart_format_get_suffix (AssayChartFormat format); /* "png" */
gboolean assay_chart_format_from_suffix (const char *suffix, AssayChartFormat *format); /* FALSE: none of them */

/* Any picture as the bytes of such a file. On a surface of its own; a PNG is scaled up. */
typedef void (*AssayChartDrawFunc) (cairo_t *cr, gpointer data);
GBytes *assay_chart_render (AssayChartFormat format, double width, double height, AssayChartDrawFunc draw, gpointer data,
                            GError **error);

typedef struct
{
  AssayChartFormat format;
  double width, height;         /* pixels; points of a page */
  gint64 from_ns, to_ns;
  gint64 budget_bytes, foretold_bytes, ram_budget_bytes, stated_peak; /* not above 0: none */
} AssayChartExport;

void assay_chart_export_draw (cairo_t *cr, AssaySeries *series, const AssayChartExport *what); /* at the origin */
GBytes *assay_chart_export_render (AssaySeries *series, const AssayChartExport *what, GError **error);

void assay_chart_export_async (AssaySeries *series,
                               const AssayChartExport *what,
                               GFile *file,
                               GCancellable *cancellable,
                               GAsyncReadyCallback callback,
                               gpointer data);
gboolean assay_chart_export_finish (GAsyncResult *result, GError **error);

G_END_DECLS
