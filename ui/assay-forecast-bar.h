/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-forecast-bar.h: what the trial that is set up will need, as the planner foretells it.
 *
 * In words and an icon whether it fits, one lane for each memory, what moves over the link, and how far earlier
 * forecasts for this model and offload mode were off. While a new answer is awaited the last one stays, dimmed; while
 * a field holds text that is no value the bar says that it waits. Hidden
 * while there is no model or nothing is asked. */
#pragma once

#include <gtk/gtk.h>

#include "assay-session.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_FORECAST_BAR (assay_forecast_bar_get_type ())
G_DECLARE_FINAL_TYPE (AssayForecastBar, assay_forecast_bar, ASSAY, FORECAST_BAR, GtkWidget)

/* Property, read-only, notified: "problem" (string: why nothing can be foretold; it stands in the bar). */
void assay_forecast_bar_set_session (AssayForecastBar *self, AssaySession *session); /* once */
const char *assay_forecast_bar_get_problem (AssayForecastBar *self);

G_END_DECLS
