/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/assay-trial-record.c: what a run says about itself: the conditions in effect and the outcome.
 *
 * Nothing is guessed: what was not had is unknown, with the reason. */
#include "assay-trial-private.h"

#include "assay-device-host-private.h"
#include "assay-device-private.h"
#include "assay-repetition.h"

#include <glib/gi18n-lib.h>

/* --- conditions in effect --- */

static gboolean
run_is_requantized (TrialRun *run, const AssayValues *facts)
{
  const char *asked = assay_values_get_text (run->actual, ASSAY_FIELD_QUANTIZATION);
  return asked != NULL
         && g_ascii_strcasecmp (asked, assay_values_get_text (facts, ASSAY_FIELD_QUANTIZATION)) != 0;
}

/* What is made while loading is as it was asked for, whatever the file holds. */
static gboolean
field_is_made (AssayFieldId field, gboolean requantized)
{
  return field == ASSAY_FIELD_DTYPE
         || (requantized
             && (field == ASSAY_FIELD_QUANTIZATION || field == ASSAY_FIELD_QUANTIZATION_METHOD
                 || field == ASSAY_FIELD_QUANTIZED_MODULES));
}

/* What the file says is what was run; what was asked for stays in the conditions. A path stands as it was
 * given, and so does a name that the file has no other for. */
static void
run_write_model (TrialRun *run)
{
  g_autoptr (AssayValues) facts = assay_values_new ();
  assay_inspection_fill_conditions (run->inspection, facts);
  const gboolean requantized = run_is_requantized (run, facts);
  for (AssayFieldId field = 0; field < ASSAY_N_FIELDS; field++)
    {
      const AssayValueState known = assay_values_get_state (facts, field);
      const gboolean stands = field == ASSAY_FIELD_MODEL_PATH || known == ASSAY_VALUE_UNKNOWN
                              || field_is_made (field, requantized);
      if (known == ASSAY_VALUE_UNSET
          || (stands && assay_values_get_state (run->actual, field) == ASSAY_VALUE_SET))
        continue;
      assay_values_copy_field (run->actual, facts, field);
    }
}

void
trial_run_write_environment (TrialRun *run)
{
  AssayValues *c = run->actual;
  AssayModelFile *file = run->inspection->file;
  run_write_model (run);
  assay_values_set_text (c, ASSAY_FIELD_MODEL_METADATA_SHA256, assay_model_file_get_metadata_sha256 (file));
  assay_values_set_integer (c, ASSAY_FIELD_MODEL_BYTES, (gint64) assay_model_file_get_bytes (file));
  assay_values_set_integer (assay_record_get_burden (run->record), ASSAY_FIELD_STORAGE_BYTES,
                            (gint64) assay_model_file_get_bytes (file));
  const gboolean noted = assay_values_get_state (c, ASSAY_FIELD_TOKENIZER_NOTE) == ASSAY_VALUE_SET;
  if (!assay_tokenizer_is_verified (run->inspection->tokenizer))
    assay_values_set_text (c, ASSAY_FIELD_TOKENIZER_NOTE, "unverified");
  else if (noted) /* allowed, and not needed */
    assay_values_set_text (c, ASSAY_FIELD_TOKENIZER_NOTE, "verified");
}

/* What a child does not tell of itself is not known. */
static void
run_write_child (TrialRun *run)
{
  static const AssayFieldId fields[]
      = { ASSAY_FIELD_RUNTIME_VERSION, ASSAY_FIELD_GENERATOR_DEVICE, ASSAY_FIELD_ATTENTION_KERNEL,
          ASSAY_FIELD_MATMUL_KERNEL, ASSAY_FIELD_DRIVER, ASSAY_FIELD_DEVICE_NAME };
  AssayValues *c = run->actual;
  g_autofree char *processor = assay_host_dup_processor_name ();
  g_autofree char *system = assay_host_dup_system_name ();
  assay_values_set_text (c, ASSAY_FIELD_OPERATING_SYSTEM, system);
  if (assay_trial_is_on_cpu (c) && assay_values_get_state (c, ASSAY_FIELD_DEVICE_NAME) == ASSAY_VALUE_UNSET)
    assay_values_set_text (c, ASSAY_FIELD_DEVICE_NAME, processor);
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    if (assay_values_get_state (c, fields[i]) == ASSAY_VALUE_UNSET)
      assay_values_set_unknown (c, fields[i], "the child process did not tell");
  assay_values_set_unknown (c, ASSAY_FIELD_MODEL_CONTENT_HASH, "the child process reads the weights");
}

static void
run_write_machine (TrialRun *run)
{
  AssayValues *c = run->actual;
  g_autofree char *processor = assay_host_dup_processor_name ();
  g_autofree char *system = assay_host_dup_system_name ();
  assay_values_set_text (c, ASSAY_FIELD_RUNTIME_VERSION, "assay " ASSAY_VERSION ", gcc " __VERSION__);
  assay_values_set_text (c, ASSAY_FIELD_DEVICE_NAME, processor);
  assay_values_set_text (c, ASSAY_FIELD_OPERATING_SYSTEM, system);
  assay_values_set_text (c, ASSAY_FIELD_GENERATOR_DEVICE, "cpu");
  assay_values_set_unknown (c, ASSAY_FIELD_DRIVER,
                            assay_trial_is_on_cpu (c) ? "the cpu device has no driver"
                                                      : "the virtual device has no driver");
  trial_run_write_card (run);
}

static void
run_write_kernels (TrialRun *run)
{
  g_autofree char *fallen_back = assay_model_dup_fallen_back (run->rig.model);
  assay_values_set_text (run->actual, ASSAY_FIELD_ATTENTION_KERNEL,
                         assay_model_get_attention_kernel (run->rig.model));
  if (fallen_back != NULL)
    assay_values_set_text (run->actual, ASSAY_FIELD_QUANTIZED_MODULES, fallen_back);
}

static void
run_write_device (TrialRun *run)
{
  AssayValues *c = run->actual;
  AssayDevice *device = run->rig.device;
  assay_values_set_text (c, ASSAY_FIELD_MATMUL_KERNEL, assay_device_get_kernel_name (device));
  assay_values_set_integer (c, ASSAY_FIELD_DEVICE_MEMORY, (gint64) assay_device_get_memory (device));
  if (assay_device_get_n_threads (device) > 0)
    assay_values_set_integer (c, ASSAY_FIELD_THREADS, assay_device_get_n_threads (device));
  if (assay_rig_get_compute (c) == ASSAY_COMPUTE_INT8
      && g_strcmp0 (assay_values_get_text (c, ASSAY_FIELD_QUANTIZATION), "none") == 0)
    /* only quantized weights meet int8 activations */
    assay_values_set_text (c, ASSAY_FIELD_COMPUTE_DTYPE, "float32");
  if (run->rig.model != NULL)
    run_write_kernels (run);
}

static gboolean
values_same_field (const AssayValues *a, const AssayValues *b, AssayFieldId field)
{
  if (assay_values_get_state (a, field) != assay_values_get_state (b, field))
    return FALSE;
  g_autofree char *x = assay_values_dup_text (a, field), *y = assay_values_dup_text (b, field);
  return g_strcmp0 (x, y) == 0;
}

void
trial_run_write_effective (TrialRun *run, AssayRecord *record)
{
  AssayValues *effective = assay_record_get_effective (record);
  if (run->told != NULL)
    run_write_child (run);
  else
    run_write_machine (run);
  if (run->rig.device != NULL)
    run_write_device (run);
  for (AssayFieldId field = 0; field < ASSAY_N_FIELDS; field++)
    if (assay_field_get_info (field)->group == ASSAY_GROUP_CONDITIONS
        && assay_values_get_state (run->actual, field) != ASSAY_VALUE_UNSET
        && !values_same_field (run->actual, run->trial->conditions, field))
      assay_values_copy_field (effective, run->actual, field);
}

/* --- outcome --- */

static AssayRunStatus
status_of_engine_error (gint code, gboolean loading)
{
  switch ((AssayEngineError) code)
    {
    case ASSAY_ENGINE_ERROR_OOM_DEVICE:
      return ASSAY_STATUS_OOM_DEVICE;
    case ASSAY_ENGINE_ERROR_OOM_HOST:
      return ASSAY_STATUS_OOM_HOST;
    case ASSAY_ENGINE_ERROR_TIME_LIMIT:
      return ASSAY_STATUS_TIME_LIMIT;
    case ASSAY_ENGINE_ERROR_RULE:
    case ASSAY_ENGINE_ERROR_CONTEXT:
      return ASSAY_STATUS_INVALID;
    case ASSAY_ENGINE_ERROR_OUTPUT:
      return ASSAY_STATUS_INVALID_OUTPUT;
    case ASSAY_ENGINE_ERROR_KILLED:
      return ASSAY_STATUS_KILLED;
    default:
      return loading ? ASSAY_STATUS_LOAD_FAILED : ASSAY_STATUS_FAILED;
    }
}

static AssayRunStatus
status_of_error (const GError *error, gboolean loading)
{
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return ASSAY_STATUS_CANCELLED;
  if (error->domain == ASSAY_ENGINE_ERROR)
    return status_of_engine_error (error->code, loading);
  return loading ? ASSAY_STATUS_LOAD_FAILED : ASSAY_STATUS_FAILED;
}

static const char *
code_of_error (const GError *error)
{
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return "cancelled";
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND))
    return "file-not-found";
  const char *reason = assay_engine_error_get_reason (error);
  return *reason != '\0' ? reason : "input-output";
}

/* Before any verdict, and none itself. */
static void
run_note_output (TrialRun *run)
{
  g_autofree char *note = assay_repetition_dup_note (run->record);
  if (note != NULL)
    assay_values_set_text (assay_record_get_outcome (run->record), ASSAY_FIELD_OUTPUT_NOTE, note);
}

void
trial_run_write_outcome (TrialRun *run, const GError *error)
{
  AssayValues *outcome = assay_record_get_outcome (run->record);
  run_note_output (run);
  if (error == NULL)
    {
      assay_record_set_status (run->record, ASSAY_STATUS_COMPLETED);
      return;
    }
  const gboolean loading = !run->placed;
  assay_record_set_status (run->record, status_of_error (error, loading));
  assay_values_set_text (outcome, ASSAY_FIELD_ERROR, error->message);
  assay_values_set_text (outcome, ASSAY_FIELD_ERROR_CODE, code_of_error (error));
  /* Prompts are measured while loading, before the weights are read; a person looks for it at the prompt. */
  const gboolean prompt = g_error_matches (error, ASSAY_ENGINE_ERROR, ASSAY_ENGINE_ERROR_CONTEXT);
  const gboolean output = g_error_matches (error, ASSAY_ENGINE_ERROR, ASSAY_ENGINE_ERROR_OUTPUT);
  const char *phase = prompt ? "prompt" : output && run->told == NULL ? "generate" : run->phase;
  if (phase != NULL)
    assay_values_set_text (outcome, ASSAY_FIELD_FAILED_PHASE, phase);
  if (run->step >= 0 && run->phase != NULL)
    assay_values_set_integer (outcome, ASSAY_FIELD_FAILED_STEP, run->step);
  if (assay_engine_error_get_request (error) > 0)
    assay_values_set_integer (outcome, ASSAY_FIELD_FAILED_REQUEST,
                              (gint64) MIN (assay_engine_error_get_request (error), (guint64) G_MAXINT64));
}
