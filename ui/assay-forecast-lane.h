/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-forecast-lane.h: one memory of a forecast as a bar, its categories stacked in the chart's colours, the budget
 * as a line.
 *
 * Categories have their peaks at different moments, so that together they can be more than the peak of the sum: the bar
 * is as long as the latter and shares it out; the tooltip and the description hold each category's own figure. */
#pragma once

#include <gtk/gtk.h>

#include "assay-series.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_FORECAST_LANE (assay_forecast_lane_get_type ())
G_DECLARE_FINAL_TYPE (AssayForecastLane, assay_forecast_lane, ASSAY, FORECAST_LANE, GtkWidget)

GtkWidget *assay_forecast_lane_new (const char *name);
/* Lanes whose figures are in one group have bars of one length. */
void assay_forecast_lane_join (AssayForecastLane *self, GtkSizeGroup *figures);
/* mapped: pages of the model file, which no budget counts. limit: what may be used; limited: a person set it, else it is
 * what the machine has left. */
void assay_forecast_lane_show (AssayForecastLane *self, const guint64 *categories, guint64 peak, guint64 mapped,
                               guint64 limit, gboolean limited);

G_END_DECLS
