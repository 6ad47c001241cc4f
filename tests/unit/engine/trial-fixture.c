/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trial-fixture.h"

AssayValues *
trial_fixture_conditions (const char *model)
{
  static const struct
  {
    AssayFieldId field;
    const char *value;
  } set[] = {
    { ASSAY_FIELD_PROMPT, "Weigh it" },       { ASSAY_FIELD_MAX_TOKENS, "12" },
    { ASSAY_FIELD_CONTEXT_LENGTH, "64" },     { ASSAY_FIELD_COMPUTE_DTYPE, "float32" },
    { ASSAY_FIELD_KV_CACHE_TYPE, "float32" }, { ASSAY_FIELD_THREADS, "1" },
    { ASSAY_FIELD_SAMPLE_INTERVAL_MS, "5" },
  };
  AssayValues *values = assay_values_new ();
  g_autofree char *path = g_path_is_absolute (model) ? g_strdup (model)
                                                     : engine_fixture_dup_path ("logits", model);
  assay_values_set_text (values, ASSAY_FIELD_MODEL_PATH, path);
  for (guint i = 0; i < G_N_ELEMENTS (set); i++)
    g_assert_true (assay_values_parse (values, set[i].field, set[i].value, NULL));
  return values;
}

AssayValues *
trial_fixture_conditions_with (const char *model, AssayFieldId field, const char *value)
{
  AssayValues *values = trial_fixture_conditions (model);
  g_autoptr (GError) error = NULL;
  assay_values_parse (values, field, value, &error);
  g_assert_no_error (error);
  return values;
}

static gboolean
rig_with_plan (AssayRig *rig, const AssayValues *conditions, gpointer data, GError **error)
{
  gint64 budget = 0;
  const gboolean exact = assay_rig_get_compute (conditions) == ASSAY_COMPUTE_F32;
  assay_values_get_integer (conditions, ASSAY_FIELD_VRAM_BUDGET, &budget);
  rig->device = rig->host = assay_device_new ("cpu", engine_fixture_backend_new (data, exact), (guint64) budget);
  return TRUE;
}

static void
on_text (AssayTrial *trial, const char *question, const char *text, TrialWatch *self)
{
  g_assert_true (g_utf8_validate (text, -1, NULL));
  g_assert_cmpuint (self->n_finished, ==, 0);
  g_string_append (self->text, text);
  self->n_texts++;
}

static void
on_finished (AssayTrial *trial, AssayRecord *record, TrialWatch *self)
{
  g_assert_true (assay_record_is_sealed (record));
  g_assert_false (assay_trial_is_running (trial));
  self->n_finished++;
  g_set_object (&self->record, record);
}

static void
on_phase (AssayTrial *trial, GParamSpec *pspec, TrialWatch *self)
{
  char *longer = g_strconcat (self->phases, assay_trial_get_phase (trial), " ", NULL);
  g_free (self->phases);
  self->phases = longer;
}

static void
on_speed (AssayTrial *trial, GParamSpec *pspec, TrialWatch *self)
{
  self->n_wakes++;
}

TrialWatch *
trial_watch_new (AssayValues *conditions, GPtrArray *questions, FaultPlan *plan)
{
  TrialWatch *self = g_new0 (TrialWatch, 1);
  self->trial = assay_trial_new (conditions, questions, NULL, NULL);
  assay_values_unref (conditions);
  if (plan != NULL)
    assay_trial_set_rig_func (self->trial, rig_with_plan, plan);
  self->text = g_string_new (NULL);
  self->phases = g_strdup ("");
  g_signal_connect (self->trial, "text", G_CALLBACK (on_text), self);
  g_signal_connect (self->trial, "finished", G_CALLBACK (on_finished), self);
  g_signal_connect (self->trial, "notify::phase", G_CALLBACK (on_phase), self);
  g_signal_connect (self->trial, "notify::tokens-per-second", G_CALLBACK (on_speed), self);
  return self;
}

void
trial_watch_wait (TrialWatch *self)
{
  while (self->n_finished == 0)
    g_main_context_iteration (NULL, TRUE);
  while (g_main_context_iteration (NULL, FALSE)) /* whatever would come a second time */
    ;
  g_assert_cmpuint (self->n_finished, ==, 1);
  g_assert_true (self->record == assay_trial_get_record (self->trial));
}

void
trial_watch_run (TrialWatch *self)
{
  assay_trial_start (self->trial);
  trial_watch_wait (self);
}

void
trial_watch_free (TrialWatch *self)
{
  g_signal_handlers_disconnect_by_data (self->trial, self);
  g_object_unref (self->trial);
  g_clear_object (&self->record);
  g_string_free (self->text, TRUE);
  g_free (self->phases);
  g_free (self);
}

AssayRecord *
trial_fixture_run (AssayValues *conditions, FaultPlan *plan)
{
  g_autoptr (TrialWatch) watch = trial_watch_new (conditions, NULL, plan);
  trial_watch_run (watch);
  return g_object_ref (watch->record);
}

const AssayOutput *
trial_fixture_output (AssayRecord *record, guint i)
{
  GPtrArray *outputs = assay_record_get_outputs (record);
  g_assert_cmpuint (i, <, outputs->len);
  return g_ptr_array_index (outputs, i);
}

gint64
trial_fixture_burden (AssayRecord *record, AssayFieldId field)
{
  gint64 value = -1;
  assay_values_get_integer (assay_record_get_burden (record), field, &value);
  return value;
}

const char *
trial_fixture_outcome (AssayRecord *record, AssayFieldId field)
{
  return assay_values_get_text (assay_record_get_outcome (record), field);
}

void
trial_fixture_assert_status (AssayRecord *record, AssayRunStatus status)
{
  if (assay_record_get_status (record) != status)
    g_test_message ("error: %s", trial_fixture_outcome (record, ASSAY_FIELD_ERROR));
  g_assert_cmpstr (assay_run_status_get_name (assay_record_get_status (record)), ==,
                   assay_run_status_get_name (status));
}
