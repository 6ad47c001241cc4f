/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-forecaster.h"

#include "assay-display-text.h"
#include "assay-engine-error.h"

#define COALESCE_MS 30

struct _AssayForecaster
{
  GObject parent_instance;
  AssayDraft *draft;          /* owned */
  GPtrArray *questions;       /* owned */
  AssayValues *asked;         /* owned: the conditions of the last question */
  GPtrArray *asked_questions; /* owned, borrowed for comparing only */
  AssayForecast *forecast;    /* owned */
  GError *error;              /* owned: why there is no answer */
  char *problem;              /* owned: the same for people; NULL: there is one */
  GCancellable *asking;       /* owned: of the question under way; NULL: none is */
  guint due;                  /* source id */
};

G_DEFINE_FINAL_TYPE (AssayForecaster, assay_forecaster, G_TYPE_OBJECT)

static guint changed_signal;

static void
forecaster_cancel (AssayForecaster *self)
{
  if (self->asking != NULL)
    g_cancellable_cancel (self->asking);
  g_clear_object (&self->asking);
}

/* A rule on a field keeps the trial from running. What does not fit a person may try; so too what a file is at fault
 * for, which can be another one by then. */
static void
forecaster_tell_draft (AssayForecaster *self)
{
  const char *name = self->error != NULL ? assay_engine_error_get_field (self->error) : NULL;
  const gboolean refused = g_error_matches (self->error, ASSAY_ENGINE_ERROR, ASSAY_ENGINE_ERROR_RULE);
  const AssayFieldId field = name != NULL ? assay_field_from_name (name) : ASSAY_FIELD_INVALID;
  assay_draft_set_foretold_problem (self->draft, field, field != ASSAY_FIELD_INVALID ? self->problem : NULL,
                                    refused);
}

static void
forecaster_forget (AssayForecaster *self)
{
  forecaster_cancel (self);
  g_clear_pointer (&self->forecast, assay_forecast_free);
  g_clear_error (&self->error);
  g_clear_pointer (&self->problem, g_free);
  g_clear_pointer (&self->asked, assay_values_unref);
  g_clear_pointer (&self->asked_questions, g_ptr_array_unref);
  forecaster_tell_draft (self);
  g_signal_emit (self, changed_signal, 0);
}

static void
forecast_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(AssayForecaster) self = data;
  g_autoptr(GError) error = NULL;
  AssayForecast *forecast = assay_forecast_finish (result, &error);
  if (g_task_get_cancellable (G_TASK (result)) != self->asking) /* an older question, or nobody asks any more */
    {
      assay_forecast_free (forecast);
      return;
    }
  g_clear_object (&self->asking);
  g_clear_error (&self->error);
  g_clear_pointer (&self->problem, g_free);
  self->error = g_steal_pointer (&error);
  self->problem = self->error != NULL ? assay_display_labels (self->error->message) : NULL;
  if (forecast != NULL)
    {
      g_clear_pointer (&self->forecast, assay_forecast_free);
      self->forecast = forecast;
    }
  forecaster_tell_draft (self);
  g_signal_emit (self, changed_signal, 0);
}

static void
forecaster_ask (AssayForecaster *self, AssayValues *conditions, GPtrArray *questions)
{
  forecaster_cancel (self);
  g_clear_pointer (&self->asked, assay_values_unref);
  g_clear_pointer (&self->asked_questions, g_ptr_array_unref);
  self->asked = assay_values_ref (conditions);
  self->asked_questions = questions != NULL ? g_ptr_array_ref (questions) : NULL;
  self->asking = g_cancellable_new ();
  assay_forecast_async (conditions, questions, self->asking, forecast_cb, g_object_ref (self));
  g_signal_emit (self, changed_signal, 0);
}

static gboolean
forecaster_on_due (gpointer data)
{
  AssayForecaster *self = data;
  const gboolean prompted = assay_draft_has_prompt (self->draft);
  const AssayValues *values = assay_draft_get_values (self->draft);
  const gboolean has_model = assay_values_get_state (values, ASSAY_FIELD_MODEL_PATH) == ASSAY_VALUE_SET;
  GPtrArray *questions = prompted ? NULL : self->questions;
  self->due = 0;
  if (!has_model || (!prompted && questions == NULL))
    {
      forecaster_forget (self);
      return G_SOURCE_REMOVE;
    }
  g_autoptr(AssayValues) conditions = assay_draft_dup_conditions (self->draft);
  if (self->asked == NULL || questions != self->asked_questions || !assay_values_equal (conditions, self->asked))
    forecaster_ask (self, conditions, questions);
  else if (self->asking == NULL) /* to a draft that was begun anew */
    forecaster_tell_draft (self);
  return G_SOURCE_REMOVE;
}

/* The first edit sets the time: somebody who goes on typing is answered too. */
static void
forecaster_on_changed (AssayForecaster *self)
{
  if (self->due == 0)
    self->due = g_timeout_add (COALESCE_MS, forecaster_on_due, self);
}

void
assay_forecaster_set_questions (AssayForecaster *self, GPtrArray *questions)
{
  g_return_if_fail (ASSAY_IS_FORECASTER (self));
  GPtrArray *old = self->questions;
  self->questions = questions != NULL ? g_ptr_array_ref (questions) : NULL;
  g_clear_pointer (&old, g_ptr_array_unref);
  forecaster_on_changed (self);
}

const AssayForecast *
assay_forecaster_get_forecast (AssayForecaster *self)
{
  g_return_val_if_fail (ASSAY_IS_FORECASTER (self), NULL);
  return self->forecast;
}

const char *
assay_forecaster_get_problem (AssayForecaster *self)
{
  g_return_val_if_fail (ASSAY_IS_FORECASTER (self), NULL);
  return self->problem;
}

gboolean
assay_forecaster_is_pending (AssayForecaster *self)
{
  g_return_val_if_fail (ASSAY_IS_FORECASTER (self), FALSE);
  return self->asking != NULL;
}

static void
assay_forecaster_dispose (GObject *object)
{
  AssayForecaster *self = ASSAY_FORECASTER (object);
  g_clear_handle_id (&self->due, g_source_remove);
  forecaster_cancel (self);
  g_clear_object (&self->draft);
  g_clear_pointer (&self->questions, g_ptr_array_unref);
  g_clear_pointer (&self->asked, assay_values_unref);
  g_clear_pointer (&self->asked_questions, g_ptr_array_unref);
  G_OBJECT_CLASS (assay_forecaster_parent_class)->dispose (object);
}

static void
assay_forecaster_finalize (GObject *object)
{
  AssayForecaster *self = ASSAY_FORECASTER (object);
  g_clear_pointer (&self->forecast, assay_forecast_free);
  g_clear_error (&self->error);
  g_clear_pointer (&self->problem, g_free);
  G_OBJECT_CLASS (assay_forecaster_parent_class)->finalize (object);
}

static void
assay_forecaster_class_init (AssayForecasterClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = assay_forecaster_dispose;
  G_OBJECT_CLASS (klass)->finalize = assay_forecaster_finalize;
  changed_signal = g_signal_new ("changed", ASSAY_TYPE_FORECASTER, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE,
                                 0);
}

static void
assay_forecaster_init (AssayForecaster *self)
{
}

AssayForecaster *
assay_forecaster_new (AssayDraft *draft)
{
  AssayForecaster *self = g_object_new (ASSAY_TYPE_FORECASTER, NULL);
  self->draft = g_object_ref (draft);
  g_signal_connect_object (draft, "changed", G_CALLBACK (forecaster_on_changed), self, G_CONNECT_SWAPPED);
  forecaster_on_changed (self);
  return self;
}
