/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-chart-data.h: what the memory chart draws, one column a pixel.
 *
 * A run may hold a quarter of a million samples and the chart is redrawn while they arrive, so columns are
 * kept and new samples are joined into them; when the part that is shown or the width changes they are made again
 * from stretches of many samples (assay-chart-pyramid.h). No peak is lost, and none is made up: a column's stack is the true moment of the greatest total in
 * its stretch; what is drawn as lines keeps the greatest of each. What a link moved is a counter: its rate
 * belongs to the time between two samples, and a column keeps the greatest rate of the times it touches. A
 * device has memory of its own when samples say what its driver reports. Bytes and nanoseconds; -1 is unknown.
 * One thread. */
#pragma once

#include "assay-series.h"

G_BEGIN_DECLS

/* The layers of the stack, from the bottom: first what the engine allocated (the budget counts these), then
 * weights used in place, then the rest of the process. The last two exist only where the device has no memory
 * of its own. */
typedef enum
{
  ASSAY_LAYER_MAPPED_WEIGHTS = ASSAY_N_MEMORY,
  ASSAY_LAYER_OTHER,
  ASSAY_N_LAYERS
} AssayLayer; /* below these: the categories of AssayMemory */

/* How marks are drawn, one over the other: squares, strokes, triangles. */
typedef enum
{
  ASSAY_MARK_RESIDENT,
  ASSAY_MARK_OTHER,
  ASSAY_MARK_TRIM,
  ASSAY_N_MARKS
} AssayMarkKind;

typedef struct
{
  gint64 t_ns;                      /* -1: no sample lies in this column */
  gint64 layers[ASSAY_N_LAYERS];    /* unknown counts 0 */
  gint64 allocated;                 /* sum of the categories */
  gint64 total;                     /* sum of the layers */
  gint64 ram_anonymous, ram_mapped; /* process tree; pinned is part of anonymous here */
  gint64 ram_system;
  gint64 reserved;                  /* by the engine's allocator, cached blocks included */
  gint64 vram_device;
} AssayChartColumn;

typedef struct { gint64 t_ns, bytes; } AssayLinkPoint; /* moved by then */

typedef struct _AssayChartPyramid AssayChartPyramid;

typedef struct _AssayChartData
{
  AssaySeries *series;              /* owned; NULL is an empty chart */
  gint64 from_ns, to_ns;            /* the stretch that is shown */
  gboolean own_memory;              /* the device has memory of its own: the stack is VRAM */
  GArray *columns;                  /* (element-type AssayChartColumn) */
  GArray *rates;                    /* (element-type double) a column: bytes a second over the link; -1 unknown */
  GPtrArray *phases, *marks;        /* of the whole run */
  gint64 end_ns;                    /* of its last sample or phase, as of the last update */
  gint64 peak_ns, peak_total;       /* exact, of the whole run; -1 before the first sample */
  gint64 peak_allocated;
  gint64 stated_peak;               /* of device memory, by its allocator, in the run's record; not above 0: none */
  gint64 layer_max[ASSAY_N_LAYERS]; /* of the whole run: what the legend needs */
  gint64 anonymous_max, mapped_max, system_max, driver_max, reserved_max;
  gboolean driver_apart;            /* the driver says another figure than the allocator's */
  gint64 link_bytes;                /* moved over the link so far; -1: the run has no link */
  double rate_max;                  /* -1 unknown */
  guint n_marks[ASSAY_N_MARKS];     /* of each kind */

  /* how far the run has been read */
  gint64 seen_ns;
  guint64 seen_measured;
  AssayChartPyramid *pyramid;       /* owned: of the samples seen */
  guint seen_length;                /* of the series; it shrinks when neighbours are joined */
  AssayLinkPoint link_before;       /* of the sample before the one seen last */
  gint64 stretch_ns;                /* that a sample stands for, where neighbours were joined; else 0 */
} AssayChartData;

AssayChartData *assay_chart_data_new (AssaySeries *series);
void assay_chart_data_free (AssayChartData *self);

/* Brings the columns up to date with the series over [from, to), n of them. Returns: FALSE when nothing
 * changed. */
gboolean assay_chart_data_update (AssayChartData *self, gint64 from_ns, gint64 to_ns, guint n_columns);
void assay_chart_data_invalidate (AssayChartData *self); /* the next update reads everything again */

/* The greatest total; where the record states a greater one, between two samples, that. */
gint64 assay_chart_data_get_peak (const AssayChartData *self);
/* When it was: of the sample that saw it, or at the end of the phase that it is stated of. */
gint64 assay_chart_data_get_peak_ns (const AssayChartData *self);
double assay_chart_data_get_rate_at (AssayChartData *self, gint64 t_ns); /* bytes a second; -1 unknown */
void assay_chart_column_from_sample (const AssaySample *sample, gboolean own_memory, AssayChartColumn *out);
const AssayPhase *assay_chart_data_find_phase (AssayChartData *self, gint64 t_ns); /* or NULL */
const AssayMark *
assay_chart_data_find_mark (AssayChartData *self, gint64 t_ns, gint64 within_ns); /* nearest, or NULL */
gint64 assay_chart_data_get_end_ns (AssayChartData *self); /* now */
/* When the engine's memory was first over it, exactly, wherever in the run; -1 never. */
gint64 assay_chart_data_find_crossing (AssayChartData *self, gint64 budget_bytes);
/* Lines over the stack of a device with memory of its own: what its allocator holds, and what its driver says
 * where that is another figure. */
gboolean assay_chart_data_shows_reserved (const AssayChartData *self);
gboolean assay_chart_data_shows_driver (const AssayChartData *self);
AssayMarkKind assay_chart_mark_get_kind (const AssayMark *mark);
const char *assay_layer_get_label (guint layer); /* translated */
char *assay_chart_dup_rate (double bytes_per_s); /* translated: "2.10 GiB/s" */

/* One or two sentences for a person who does not see the picture. (transfer full) */
char *assay_chart_data_describe (AssayChartData *self, gint64 budget_bytes);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayChartData, assay_chart_data_free)

G_END_DECLS
