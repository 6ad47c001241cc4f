/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/assay-trial-record.c: what a run says about itself: the only place that writes burden and outcome.
 *
 * Nothing is guessed: a figure that was not had is unknown, with the reason. The engine's own high-water
 * marks are exact; what comes from /proc is sampled and says how often. */
#include "assay-trial-private.h"

#include "assay-device-host-private.h"
#include "assay-device-private.h"

#include <glib/gi18n-lib.h>

/* --- conditions in effect --- */

static void
values_copy_field (AssayValues *to, const AssayValues *from, AssayFieldId field)
{
  gint64 integer;
  double real;
  gboolean boolean;
  if (assay_values_get_state (from, field) == ASSAY_VALUE_UNKNOWN)
    {
      assay_values_set_unknown (to, field, assay_values_get_reason (from, field));
      return;
    }
  switch (assay_field_get_info (field)->type)
    {
    case ASSAY_VALUE_TYPE_INTEGER:
      if (assay_values_get_integer (from, field, &integer))
        assay_values_set_integer (to, field, integer);
      break;
    case ASSAY_VALUE_TYPE_REAL:
      if (assay_values_get_real (from, field, &real))
        assay_values_set_real (to, field, real);
      break;
    case ASSAY_VALUE_TYPE_BOOLEAN:
      if (assay_values_get_boolean (from, field, &boolean))
        assay_values_set_boolean (to, field, boolean);
      break;
    default:
      if (assay_values_get_text (from, field) != NULL)
        assay_values_set_text (to, field, assay_values_get_text (from, field));
    }
}

/* What the file says is what was run; what was asked for stays in the conditions. A path stands as it was
 * given, and so does a name that the file has no other for. */
static void
run_write_model (TrialRun *run)
{
  g_autoptr (AssayValues) facts = assay_values_new ();
  assay_inspection_fill_conditions (run->inspection, facts);
  for (AssayFieldId field = 0; field < ASSAY_N_FIELDS; field++)
    {
      const AssayValueState known = assay_values_get_state (facts, field);
      const gboolean stands = field == ASSAY_FIELD_MODEL_PATH || known == ASSAY_VALUE_UNKNOWN;
      if (known == ASSAY_VALUE_UNSET
          || (stands && assay_values_get_state (run->actual, field) == ASSAY_VALUE_SET))
        continue;
      values_copy_field (run->actual, facts, field);
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
  assay_values_set_unknown (c, ASSAY_FIELD_DRIVER, "the cpu device has no driver");
}

static void
run_write_device (TrialRun *run)
{
  AssayValues *c = run->actual;
  assay_values_set_text (c, ASSAY_FIELD_MATMUL_KERNEL, assay_device_get_kernel_name (run->device));
  if (assay_device_get_n_threads (run->device) > 0)
    assay_values_set_integer (c, ASSAY_FIELD_THREADS, assay_device_get_n_threads (run->device));
  if (g_strcmp0 (assay_values_get_text (c, ASSAY_FIELD_QUANTIZATION), "none") == 0)
    /* only quantized weights meet int8 activations */
    assay_values_set_text (c, ASSAY_FIELD_COMPUTE_DTYPE, "float32");
  if (run->model != NULL)
    assay_values_set_text (c, ASSAY_FIELD_ATTENTION_KERNEL, assay_model_get_attention_kernel (run->model));
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
trial_run_write_effective (TrialRun *run)
{
  AssayValues *effective = assay_record_get_effective (run->record);
  run_write_machine (run);
  if (run->device != NULL)
    run_write_device (run);
  for (AssayFieldId field = 0; field < ASSAY_N_FIELDS; field++)
    if (assay_field_get_info (field)->group == ASSAY_GROUP_CONDITIONS
        && assay_values_get_state (run->actual, field) != ASSAY_VALUE_UNSET
        && !values_same_field (run->actual, run->trial->conditions, field))
      values_copy_field (effective, run->actual, field);
}

/* --- burden: memory --- */

static const AssayMeasure by_allocator = { .kind = "allocated", .source = "allocator" };
static const AssayMeasure by_clock = { .source = "monotonic clock" };

/* More than the machine has is a wrong reading, whoever made it. */
static void
burden_set_bytes (AssayValues *burden, AssayFieldId field, gint64 bytes, const AssayMeasure *measure,
                  const char *reason)
{
  const gint64 total = assay_host_read_total (), swap = MAX (assay_host_read_meminfo ("SwapTotal"), 0);
  if (bytes < 0)
    assay_values_set_unknown (burden, field, reason);
  else if (total >= 0 && bytes > total + swap)
    assay_values_set_unknown (burden, field,
                              "the reading exceeds the memory of this machine and was refused");
  else
    assay_values_set_integer (burden, field, bytes);
  assay_values_set_measure (burden, field, measure);
}

static void
burden_write_categories (TrialRun *run, AssayValues *burden)
{
  static const struct
  {
    AssayMemory category;
    AssayFieldId field;
  } fields[] = {
    { ASSAY_MEMORY_KV_CACHE, ASSAY_FIELD_PEAK_KV_CACHE },
    { ASSAY_MEMORY_ACTIVATIONS, ASSAY_FIELD_PEAK_ACTIVATIONS },
    { ASSAY_MEMORY_WORKSPACE, ASSAY_FIELD_PEAK_WORKSPACE },
    { ASSAY_MEMORY_STAGING, ASSAY_FIELD_PEAK_STAGING },
    { ASSAY_MEMORY_OUTPUT, ASSAY_FIELD_PEAK_OUTPUT },
  };
  AssayDeviceFigures figures = { 0 };
  if (run->device != NULL)
    assay_device_get_figures (run->device, &figures);
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    burden_set_bytes (burden, fields[i].field,
                      run->device != NULL ? (gint64) figures.peak[fields[i].category] : -1, &by_allocator,
                      "the run ended before anything was allocated");
  const AssayMeasure weights = { .kind = "mapped and allocated", .source = "engine" };
  const gint64 bytes = (gint64) (run->mapped_bytes + figures.peak[ASSAY_MEMORY_WEIGHTS]);
  if (run->mapped_bytes > 0) /* unchecked: what is mapped may exceed what the machine has */
    assay_values_set_integer (burden, ASSAY_FIELD_PEAK_WEIGHTS, bytes);
  else
    assay_values_set_unknown (burden, ASSAY_FIELD_PEAK_WEIGHTS,
                              "the run ended before the weights were mapped");
  assay_values_set_measure (burden, ASSAY_FIELD_PEAK_WEIGHTS, &weights);
}

/* What came of the interval that was asked for: reading takes its own time. Never 0, which would mean
 * exact. */
static gint64
burden_mean_interval_ns (TrialRun *run, guint64 n_samples)
{
  const gint64 elapsed_ns = assay_trial_now_ns () - run->start_ns;
  return MAX (elapsed_ns / (gint64) MAX (n_samples, 1), 1);
}

static void
burden_write_ram (TrialRun *run, AssayValues *burden)
{
  AssaySample peak;
  const char *reason = assay_meter_get_ram_problem (run->meter);
  reason = reason != NULL ? reason : "no sample was taken";
  if (!assay_series_get_peak (run->trial->series, &peak))
    peak = (AssaySample) { .ram_anonymous = -1, .ram_mapped = -1, .ram_pinned = -1, .ram_system = -1 };
  const guint64 n_samples = assay_series_get_n_measured (run->trial->series);
  AssayMeasure measure = { .kind = "anonymous and pinned, process tree",
                           .source = assay_meter_get_ram_source (run->meter),
                           .interval_ns = burden_mean_interval_ns (run, n_samples),
                           .n_samples = n_samples };
  burden_set_bytes (burden, ASSAY_FIELD_PEAK_RAM,
                    peak.ram_anonymous < 0 ? -1 : peak.ram_anonymous + MAX (peak.ram_pinned, 0), &measure,
                    reason);
  measure.kind = "file-backed, process tree";
  burden_set_bytes (burden, ASSAY_FIELD_PEAK_RAM_MAPPED, peak.ram_mapped, &measure, reason);
  measure.kind = "pinned";
  burden_set_bytes (burden, ASSAY_FIELD_PEAK_RAM_PINNED, peak.ram_pinned, &measure, reason);
  measure.kind = "system";
  measure.source = "/proc/meminfo";
  burden_set_bytes (burden, ASSAY_FIELD_PEAK_RAM_SYSTEM, peak.ram_system, &measure,
                    "/proc/meminfo cannot be read");
  const AssayMeasure once = { .kind = "anonymous and pinned, process tree",
                              .source = assay_meter_get_ram_source (run->meter), .n_samples = 1 };
  burden_set_bytes (burden, ASSAY_FIELD_RAM_BASELINE, run->ram_baseline, &once, reason);
}

static void
burden_write_vram (AssayValues *burden)
{
  static const AssayFieldId fields[] = { ASSAY_FIELD_PEAK_VRAM, ASSAY_FIELD_PEAK_VRAM_RESERVED,
                                         ASSAY_FIELD_PEAK_VRAM_PROCESS, ASSAY_FIELD_PEAK_VRAM_DEVICE,
                                         ASSAY_FIELD_VRAM_BASELINE };
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    assay_values_set_unknown (burden, fields[i], "the cpu device has no memory of its own");
}

/* --- burden: time and tokens --- */

static void
burden_set_seconds (AssayValues *burden, AssayFieldId field, gint64 ns, gboolean reached)
{
  if (reached)
    assay_values_set_real (burden, field, ns / 1e9);
  else
    assay_values_set_unknown (burden, field, "the run ended before it");
  assay_values_set_measure (burden, field, &by_clock);
}

static void
burden_set_speed (AssayValues *burden, AssayFieldId field, gint64 tokens, gint64 ns)
{
  if (tokens > 0 && ns > 0)
    assay_values_set_real (burden, field, tokens * 1e9 / ns);
  else
    assay_values_set_unknown (burden, field, "no token was processed in it");
  assay_values_set_measure (burden, field, &by_clock);
}

static void
burden_write_time (TrialRun *run, AssayValues *burden)
{
  const gboolean asked = run->model != NULL, drawn = run->generate_ns > 0;
  burden_set_seconds (burden, ASSAY_FIELD_ELAPSED_SECONDS, assay_trial_now_ns () - run->start_ns, TRUE);
  burden_set_seconds (burden, ASSAY_FIELD_LOAD_SECONDS, run->load_ns, run->load_ns > 0);
  burden_set_seconds (burden, ASSAY_FIELD_CONVERT_SECONDS, run->convert_ns, asked || run->convert_ns > 0);
  burden_set_seconds (burden, ASSAY_FIELD_PROMPT_SECONDS, run->prompt_ns, asked);
  burden_set_seconds (burden, ASSAY_FIELD_GENERATE_SECONDS, run->generate_ns, drawn);
  burden_set_seconds (burden, ASSAY_FIELD_SAMPLING_SECONDS, run->sampling_ns, drawn);
  burden_set_seconds (burden, ASSAY_FIELD_FIRST_TOKEN_SECONDS,
                      run->n_first_tokens > 0 ? run->first_token_ns / run->n_first_tokens : 0,
                      run->n_first_tokens > 0);
  assay_values_set_integer (burden, ASSAY_FIELD_INPUT_TOKENS, run->input_tokens);
  assay_values_set_integer (burden, ASSAY_FIELD_OUTPUT_TOKENS, run->output_tokens);
  burden_set_speed (burden, ASSAY_FIELD_PROMPT_TOKENS_PER_SECOND, run->input_tokens, run->prompt_ns);
  burden_set_speed (burden, ASSAY_FIELD_GENERATE_TOKENS_PER_SECOND, run->output_tokens, run->generate_ns);
}

void
trial_run_write_burden (TrialRun *run)
{
  AssayValues *burden = assay_record_get_burden (run->record);
  burden_write_time (run, burden);
  burden_write_categories (run, burden);
  burden_write_ram (run, burden);
  burden_write_vram (burden);
  if (assay_values_get_state (burden, ASSAY_FIELD_STORAGE_BYTES) == ASSAY_VALUE_UNSET)
    assay_values_set_unknown (burden, ASSAY_FIELD_STORAGE_BYTES,
                              "the run ended before the files were looked at");
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

void
trial_run_write_outcome (TrialRun *run, const GError *error)
{
  AssayValues *outcome = assay_record_get_outcome (run->record);
  if (error == NULL)
    {
      assay_record_set_status (run->record, ASSAY_STATUS_COMPLETED);
      return;
    }
  const gboolean loading = run->model == NULL;
  assay_record_set_status (run->record, status_of_error (error, loading));
  assay_values_set_text (outcome, ASSAY_FIELD_ERROR, error->message);
  assay_values_set_text (outcome, ASSAY_FIELD_ERROR_CODE, code_of_error (error));
  /* Prompts are measured while loading, before the weights are read; a person looks for it at the prompt. */
  const gboolean prompt = g_error_matches (error, ASSAY_ENGINE_ERROR, ASSAY_ENGINE_ERROR_CONTEXT);
  const gboolean output = g_error_matches (error, ASSAY_ENGINE_ERROR, ASSAY_ENGINE_ERROR_OUTPUT);
  const char *phase = prompt ? "prompt" : output ? "generate" : run->phase;
  if (phase != NULL)
    assay_values_set_text (outcome, ASSAY_FIELD_FAILED_PHASE, phase);
  if (run->step >= 0 && run->phase != NULL)
    assay_values_set_integer (outcome, ASSAY_FIELD_FAILED_STEP, run->step);
  if (assay_engine_error_get_request (error) > 0)
    assay_values_set_integer (outcome, ASSAY_FIELD_FAILED_REQUEST,
                              (gint64) MIN (assay_engine_error_get_request (error), (guint64) G_MAXINT64));
}
