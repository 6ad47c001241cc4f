/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-memory-chart.h: memory over time, live or of a past run.
 *
 * Scroll, +/− zoom time; drag and Shift with Left and Right pan; double click and 0 show the whole run; Left, Right,
 * Home and End move the readout; the context menu saves PNG, SVG and PDF. Redraws only when samples came, at most once a
 * frame. */
#pragma once

#include <gtk/gtk.h>

#include "assay-series.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_MEMORY_CHART (assay_memory_chart_get_type ())
G_DECLARE_FINAL_TYPE (AssayMemoryChart, assay_memory_chart, ASSAY, MEMORY_CHART, GtkWidget)

/* Properties, read and write: "series" (pointer: AssaySeries), "budget" (int64 bytes, -1 none), "live"
 * (boolean: the series grows). Signal: "export-failed" (const char *message): translated, for an inline
 * notice. */
GtkWidget *assay_memory_chart_new (void);
void assay_memory_chart_set_series (AssayMemoryChart *self, AssaySeries *series); /* NULL: empty */
void assay_memory_chart_set_budget (AssayMemoryChart *self, gint64 budget_bytes);
/* The planner's peak of what the budget counts, and the limit of the engine's host memory beside a device of
 * its own; not above 0: none. */
void assay_memory_chart_set_foretold (AssayMemoryChart *self, gint64 foretold_bytes);
void assay_memory_chart_set_ram_budget (AssayMemoryChart *self, gint64 ram_budget_bytes);
/* What a run's record states as the most that the device's allocator gave, at times between two samples; after the
 * series. Not above 0: none. */
void assay_memory_chart_set_stated_peak (AssayMemoryChart *self, gint64 stated_peak);
void assay_memory_chart_set_live (AssayMemoryChart *self, gboolean live);

/* The exact values that the readout shows now, a line each; NULL when it shows none. (transfer full) */
/* Stands in the picture where no memory was measured: why the run ended. NULL: nothing. */
void assay_memory_chart_set_note (AssayMemoryChart *self, const char *note);
char *assay_memory_chart_dup_readout (AssayMemoryChart *self);

/* Greatest of the run so far, bytes, -1 before the first sample: the stack's total, what the engine
 * allocated, and the process tree's anonymous and pinned memory. As of the last redraw. */
void
assay_memory_chart_get_peaks (AssayMemoryChart *self, gint64 *total, gint64 *allocated, gint64 *anonymous);

/* The stretch of time shown. */
void assay_memory_chart_get_view (AssayMemoryChart *self, gint64 *from_ns, gint64 *to_ns);

G_END_DECLS
