/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-forecast-bar.h: what is known of a trial's memory before it runs.
 *
 * Says only what was computed: the weights from the file, the KV cache from the model's numbers and the context. What
 * it cannot know yet it names as not counted. Hidden while no model is chosen. */
#pragma once

#include <gtk/gtk.h>

#include "assay-draft.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_FORECAST_BAR (assay_forecast_bar_get_type ())
G_DECLARE_FINAL_TYPE (AssayForecastBar, assay_forecast_bar, ASSAY, FORECAST_BAR, GtkWidget)

GtkWidget *assay_forecast_bar_new (void);
void assay_forecast_bar_set_draft (AssayForecastBar *self, AssayDraft *draft); /* once */

G_END_DECLS
