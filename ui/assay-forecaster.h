/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-forecaster.h: asks the planner what a draft will need, and asks again when it changes.
 *
 * Edits that come close together are one question; an answer to an older question is dropped, and what was foretold
 * last stays until the next one comes. The planner works on another thread. Main thread. */
#pragma once

#include "assay-draft.h"
#include "assay-forecast.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_FORECASTER (assay_forecaster_get_type ())
G_DECLARE_FINAL_TYPE (AssayForecaster, assay_forecaster, ASSAY, FORECASTER, GObject)

/* Signal: "changed" (): a new answer, a new question, or nothing left to ask. */
AssayForecaster *assay_forecaster_new (AssayDraft *draft);
/* (element-type AssayQuestion) what is asked while the draft has no prompt; NULL: nothing. */
void assay_forecaster_set_questions (AssayForecaster *self, GPtrArray *questions);
const AssayForecast *assay_forecaster_get_forecast (AssayForecaster *self); /* the last one, or NULL */
/* Why there is none for these conditions, or NULL. */
const char *assay_forecaster_get_problem (AssayForecaster *self);
/* What is held is of older conditions. */
gboolean assay_forecaster_is_pending (AssayForecaster *self);

G_END_DECLS
