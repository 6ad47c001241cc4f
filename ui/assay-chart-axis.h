/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-chart-axis.h: round steps for bytes and for time, and their words. Pure arithmetic. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  const char *unit;   /* translated: "MiB" */
  double unit_bytes;
  double step_bytes;  /* distance of the lines */
  double top_bytes;   /* upper end, a multiple of the step, above every value */
  int decimals;
  gboolean per_second;
} AssayBytesAxis;

typedef enum { ASSAY_TIME_SECONDS, ASSAY_TIME_MINUTES, ASSAY_TIME_HOURS } AssayTimeForm;

typedef struct
{
  AssayTimeForm form;
  gint64 step_ns;
  int decimals;       /* of seconds */
} AssayTimeAxis;

/* The smallest of 1, 2, 5 × 10^k with at most max_ticks of them in span. */
double assay_axis_nice_step (double span, guint max_ticks);

void assay_bytes_axis_init (AssayBytesAxis *self, gint64 max_bytes, guint max_ticks);
/* Bytes a second, without room above the highest value. */
void assay_bytes_axis_init_rate (AssayBytesAxis *self, double max_bytes_per_s, guint max_ticks);
char *assay_bytes_axis_dup_label (const AssayBytesAxis *self, double bytes);  /* "200 MiB" */

void assay_time_axis_init (AssayTimeAxis *self, gint64 span_ns, guint max_ticks);
char *assay_time_axis_dup_label (const AssayTimeAxis *self, gint64 t_ns);     /* "12.5 s", "2:30" */
const char *assay_time_axis_get_caption (const AssayTimeAxis *self);          /* translated, names the unit */

/* The stretch a run that goes on is shown over: it grows in steps, so that the picture stands still between
 * them. */
gint64 assay_time_axis_live_span (gint64 end_ns);

G_END_DECLS
