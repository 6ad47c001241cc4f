/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-plot-scale.h: an axis of bytes or of seconds, from nothing on, or by factors where the values span more
 * than 50×. Pure arithmetic. */
#pragma once

#include "assay-chart-axis.h"

G_BEGIN_DECLS

#define ASSAY_PLOT_MOST_TICKS 24u

typedef struct
{
  gboolean log;
  double from, to;             /* bytes or seconds */
  double ticks[ASSAY_PLOT_MOST_TICKS];
  guint n_ticks;
  AssayBytesAxis bytes;        /* of an axis of bytes */
  AssayTimeAxis time;          /* of one of seconds */
  gboolean is_time;
} AssayPlotScale;

/* low, high: of the values, whiskers included; low above high: there are none. */
void assay_plot_scale_init_bytes (AssayPlotScale *self, double low, double high, guint max_ticks);
void assay_plot_scale_init_seconds (AssayPlotScale *self, double low, double high, guint max_ticks);

double assay_plot_scale_get_share (const AssayPlotScale *self, double value); /* 0 to 1 of the axis */
char *assay_plot_scale_dup_label (const AssayPlotScale *self, double value);  /* "200 MiB", "12.5 s" */

G_END_DECLS
