/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-plot-data.h: what the plot of a comparison shows: settings by their own peak memory and their time, of one
 * kind of memory.
 *
 * Figures are bytes and seconds. Belongs to the thread that owns the ledger. */
#pragma once

#include "assay-pareto.h"

G_BEGIN_DECLS

/* A figure over the repeats of a setting. */
typedef struct
{
  double at;        /* what is drawn */
  double low, high; /* its spread; both `at` where there is none */
} AssayPlotFigure;

typedef struct
{
  AssayPlotFigure peak, seconds;
  AssayVerdict feasibility, quality;
  gboolean on_quality_frontier, on_ran_frontier;
  gboolean deviates;   /* what was in effect is not what was asked for */
  guint n;             /* completed repeats; 0: it ended early, and the figures are those up to there */
  AssayRecord *record; /* owned; speaks for the setting */
  GPtrArray *runs;     /* owned; (element-type AssayRecord) */
  char *name;          /* owned: "3f2a9c" */
  char *title;         /* owned: what changed; NULL until assay_plot_data_get_title() was asked */
} AssayPlotMark;

typedef struct
{
  AssayLedger *ledger; /* owned */
  char *label;         /* owned; translated: "Peak VRAM (allocated)" */
  GArray *marks;       /* (element-type AssayPlotMark), least time first, then least peak */
  GArray *passed, *ran; /* (element-type guint) the marks on the two frontiers, least time first */
} AssayPlotData;

/* group: of assay_pareto_new(), borrowed for the call; NULL: there is nothing to draw, and the drawing says so. */
AssayPlotData *assay_plot_data_new (AssayLedger *ledger, const AssayParetoGroup *group);
void assay_plot_data_free (AssayPlotData *self);

const AssayPlotMark *assay_plot_data_get_mark (const AssayPlotData *self, guint index);
const char *assay_plot_data_get_title (AssayPlotData *self, guint index); /* "offload_mode: none → group" */
int assay_plot_data_find_run (const AssayPlotData *self, const char *run_id); /* -1: no mark holds it */

/* The whole of it for a person who does not see it, a few sentences. (transfer full) */
char *assay_plot_data_describe (AssayPlotData *self);
/* One mark with its exact figures and verdicts, a line each, its name first. (transfer full) */
char *assay_plot_data_dup_readout (AssayPlotData *self, guint index);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayPlotData, assay_plot_data_free)

G_END_DECLS
