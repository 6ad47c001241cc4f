/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-forecast-legend.h: which colour of the forecast's lanes is which category of memory; those that are needed. */
#pragma once

#include <gtk/gtk.h>

#include "assay-forecast.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_FORECAST_LEGEND (assay_forecast_legend_get_type ())
G_DECLARE_FINAL_TYPE (AssayForecastLegend, assay_forecast_legend, ASSAY, FORECAST_LEGEND, GtkWidget)

GtkWidget *assay_forecast_legend_new (void);
void assay_forecast_legend_show (AssayForecastLegend *self, const AssayForecast *forecast);

G_END_DECLS
