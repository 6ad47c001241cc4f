/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-chain-draw.h: a chain of trials as cairo calls, a step at a time; the screen, saved pictures and the report
 * share them.
 *
 * Boxes stand down the page. The change that led to a run is written on the line to its box, what the run took and how
 * it was judged in the box; verdicts are marks with words, so that they read in grey. Text goes through pango as plain
 * text, never markup. Any thread, one at a time. */
#pragma once

#include <cairo.h>

#include "assay-chain.h"
#include "assay-chart-style.h"

G_BEGIN_DECLS

typedef struct
{
  const AssayChainStep *step;   /* borrowed, as the style */
  const AssayChartStyle *style;
  double width;
  gboolean has_next;            /* the line goes on to another step */
} AssayChainPicture;

/* Of the step with the line that leads to it. */
double assay_chain_draw_measure (cairo_t *cr, const AssayChainPicture *picture);
/* At the origin. Returns: the height it took. */
double assay_chain_draw_step (cairo_t *cr, const AssayChainPicture *picture);

/* A whole chain as one picture, on paper's ground. steps: (element-type AssayChainStep). heading and problem stand
 * above the first box; problem may be NULL. */
typedef struct
{
  const char *heading, *problem;
  GPtrArray *steps;
  const AssayChartStyle *style;
  double width;
} AssayChainSheet;

double assay_chain_sheet_measure (const AssayChainSheet *sheet);
void assay_chain_sheet_draw (cairo_t *cr, const AssayChainSheet *sheet);

G_END_DECLS
