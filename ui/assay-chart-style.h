/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-chart-style.h: colours, hatches and the font of the chart: light, dark, high contrast, paper. */
#pragma once

#include <gtk/gtk.h>

#include "assay-chart-data.h"

G_BEGIN_DECLS

typedef struct
{
  gboolean dark, high_contrast;
  char *font_family;            /* owned */
  double font_px;               /* size of the small text; everything in the picture scales with it */
} AssayChartStyle;

/* The lines of the second lane, those of the device's memory in the first, and the link's strip. */
typedef enum
{
  ASSAY_LINE_ANONYMOUS,
  ASSAY_LINE_MAPPED,
  ASSAY_LINE_SYSTEM,
  ASSAY_LINE_DRIVER,
  ASSAY_LINE_RESERVED,
  ASSAY_LINE_LINK,
  ASSAY_N_LINES
} AssayChartLine;

typedef enum
{
  ASSAY_INK_TEXT,
  ASSAY_INK_DIM,
  ASSAY_INK_GRID,
  ASSAY_INK_BAND,               /* every other phase */
  ASSAY_INK_PLOT,               /* ground of a lane */
  ASSAY_INK_PAPER,              /* ground of the picture */
  ASSAY_INK_BUDGET,
  ASSAY_INK_FORETOLD,           /* what the planner said */
  ASSAY_INK_READOUT,
  ASSAY_INK_PASS,               /* judged; a shape or a fill always says the same */
  ASSAY_INK_FAIL,
  ASSAY_INK_CHOSEN,             /* what is selected */
} AssayInk;

AssayChartStyle *
assay_chart_style_new (gboolean dark, gboolean high_contrast, const char *font_family, double font_px);
AssayChartStyle *assay_chart_style_new_paper (void);      /* for files: light, sans, 11 px */
AssayChartStyle *assay_chart_style_new_for (GtkWidget *widget); /* its font, and what the desktop asks for */
void assay_chart_style_free (AssayChartStyle *self);
void assay_chart_style_get_ink (const AssayChartStyle *self, AssayInk ink, GdkRGBA *out);
void assay_chart_style_get_layer (const AssayChartStyle *self, guint layer, GdkRGBA *out);
void assay_chart_style_get_line (const AssayChartStyle *self, AssayChartLine line, GdkRGBA *out);

/* Mapped weights are hatched always (the system may take them back); in high contrast every layer has its own
 * hatch. Returns: FALSE where the layer is plain. */
gboolean
assay_chart_style_get_hatch (const AssayChartStyle *self, guint layer, double *angle, double *spacing);
void assay_chart_style_ink_hatch (const AssayChartStyle *self, cairo_t *cr);
const double *assay_chart_style_get_dash (AssayChartLine line, int *n_dashes);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayChartStyle, assay_chart_style_free)

G_END_DECLS
