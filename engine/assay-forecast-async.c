/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/assay-forecast-async.c: forecasts for a window, in a thread; the model that was inspected last is
 * kept. */
#include "assay-forecast.h"

typedef struct
{
  AssayValues *conditions;
  GPtrArray *questions;
} ForecastTask;

/* A form changes one field after another of one model: its metadata is read once. */
static GMutex kept_lock;
static AssayInspection *kept;

static void
forecast_task_free (gpointer data)
{
  ForecastTask *self = data;
  assay_values_unref (self->conditions);
  g_clear_pointer (&self->questions, g_ptr_array_unref);
  g_free (self);
}

/* Under the lock. */
static AssayInspection *
kept_look_up (const AssayValues *conditions, GCancellable *cancellable, GError **error)
{
  const char *path = assay_values_get_text (conditions, ASSAY_FIELD_MODEL_PATH);
  const gboolean unverified
      = g_strcmp0 (assay_values_get_text (conditions, ASSAY_FIELD_TOKENIZER_NOTE), "unverified") == 0;
  const gboolean same
      = kept != NULL && g_strcmp0 (kept->path, path) == 0 && kept->allows_missing_pre == unverified;
  if (same && !assay_model_file_is_changed (kept->file))
    return kept;
  g_clear_pointer (&kept, assay_inspection_free);
  kept = assay_inspect (path != NULL ? path : "", unverified, cancellable, error);
  return kept;
}

AssayForecast *
assay_forecast_new_kept (const AssayValues *conditions,
                         GPtrArray *questions,
                         GCancellable *cancellable,
                         GError **error)
{
  g_mutex_lock (&kept_lock);
  const AssayInspection *inspection = kept_look_up (conditions, cancellable, error);
  AssayForecast *forecast
      = inspection != NULL ? assay_forecast_new (conditions, inspection, questions, error) : NULL;
  g_mutex_unlock (&kept_lock);
  return forecast;
}

gboolean
assay_forecast_predict (const AssayValues *conditions,
                        AssayPrediction *out,
                        gpointer questions,
                        GError **error)
{
  g_autoptr (AssayForecast) forecast = assay_forecast_new_kept (conditions, questions, NULL, error);
  if (forecast == NULL)
    return FALSE;
  out->peak_vram = forecast->on_cpu ? -1 : (gint64) forecast->peak_device;
  out->peak_ram = (gint64) forecast->peak_host;
  out->link_bytes = forecast->on_cpu ? -1 : (gint64) forecast->link_bytes;
  out->seconds = forecast->seconds > 0 ? forecast->seconds : -1;
  out->fits = forecast->over_device == 0 && forecast->over_host == 0;
  return TRUE;
}

static void
forecast_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const ForecastTask *asked = data;
  GError *error = NULL;
  AssayForecast *forecast = assay_forecast_new_kept (asked->conditions, asked->questions, cancellable, &error);
  if (forecast != NULL)
    g_task_return_pointer (task, forecast, (GDestroyNotify) assay_forecast_free);
  else
    g_task_return_error (task, error);
}

void
assay_forecast_async (AssayValues *conditions,
                      GPtrArray *questions,
                      GCancellable *cancellable,
                      GAsyncReadyCallback callback,
                      gpointer data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, data);
  ForecastTask *asked = g_new0 (ForecastTask, 1);
  asked->conditions = assay_values_copy (conditions);
  asked->questions = questions != NULL ? g_ptr_array_ref (questions) : NULL;
  g_task_set_source_tag (task, assay_forecast_async);
  g_task_set_task_data (task, asked, forecast_task_free);
  g_task_run_in_thread (task, forecast_thread);
}

AssayForecast *
assay_forecast_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
