/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-chart-data-private.h: between what the chart knows of memory and what it knows of the link. */
#pragma once

#include "assay-chart-data.h"

guint assay_chart_data_find_column (AssayChartData *self, gint64 t_ns); /* times outside: the nearest */

void assay_chart_link_reset (AssayChartData *self);
/* What came since the last time, with the sample seen last again in front. paint: into the rates too. */
void assay_chart_link_note (AssayChartData *self, const GArray *news, gboolean paint);
/* The rates of all columns anew, from the samples in the stretch that is shown. */
void assay_chart_link_fill (AssayChartData *self, const GArray *samples);
