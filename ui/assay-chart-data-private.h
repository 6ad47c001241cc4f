/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-chart-data-private.h: between what the chart knows of memory and of the link, and how its columns are
 * filled. */
#pragma once

#include "assay-chart-pyramid.h"

guint assay_chart_data_find_column (AssayChartData *self, gint64 t_ns); /* times outside: the nearest */
GArray *assay_chart_data_dup_samples (AssayChartData *self, gint64 from_ns, gint64 to_ns); /* at full rate */

/* One sample as a stretch. last: the link's point before it, moved on to it. */
void assay_chart_data_read_sample (AssayChartData *self,
                                   const AssaySample *sample,
                                   AssayLinkPoint *last,
                                   AssayChartStretch *out);
/* A stretch that lies in one column, or one sample, into the columns and the rates. */
void assay_chart_data_paint (AssayChartData *self, const AssayChartStretch *stretch);
void assay_chart_data_fill (AssayChartData *self, gint64 from_ns, gint64 to_ns, guint n_columns);

void assay_chart_link_reset (AssayChartData *self);
void assay_chart_link_note_stretch (AssayChartData *self, gint64 end_ns);
AssayLinkPoint assay_chart_link_get_point_before (AssayChartData *self, gint64 t_ns);
/* Between the two; -1 where the sample knows of no link. Moves `last` on to the sample. */
double assay_chart_link_read (AssayChartData *self, const AssaySample *sample, AssayLinkPoint *last);
void assay_chart_link_paint (AssayChartData *self, const AssayChartStretch *stretch);
