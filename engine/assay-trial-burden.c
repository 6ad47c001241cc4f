/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/assay-trial-burden.c: what a run took: memory, time, the link. The only place that writes burden.
 *
 * Nothing is guessed: a figure that was not had is unknown, with the reason. The engine's own high-water
 * marks are exact; what comes from /proc is sampled and says how often. */
#include "assay-trial-private.h"

#include "assay-device-host-private.h"

/* --- burden: memory --- */

static const AssayMeasure by_allocator = { .kind = "allocated", .source = "allocator" };
static const AssayMeasure by_clock = { .source = "monotonic clock" };

/* More than there is is a wrong reading, whoever made it. capacity -1: unknown. */
static void
burden_set_within (AssayValues *burden, AssayFieldId field, gint64 bytes, gint64 capacity,
                   const AssayMeasure *measure, const char *reason)
{
  if (bytes < 0)
    assay_values_set_unknown (burden, field, reason);
  else if (capacity >= 0 && bytes > capacity)
    assay_values_set_unknown (burden, field,
                              "the reading exceeds the memory of this machine and was refused");
  else
    assay_values_set_integer (burden, field, bytes);
  assay_values_set_measure (burden, field, measure);
}

/* Of memory that is the machine's. */
static void
burden_set_bytes (
    AssayValues *burden, AssayFieldId field, gint64 bytes, const AssayMeasure *measure, const char *reason)
{
  const gint64 total = assay_host_read_total (), swap = MAX (assay_host_read_meminfo ("SwapTotal"), 0);
  burden_set_within (burden, field, bytes, total >= 0 ? total + swap : -1, measure, reason);
}

/* Of memory that is a card's. */
static void
burden_set_vram (TrialRun *run, AssayValues *burden, AssayFieldId field, gint64 bytes, const AssayMeasure *measure,
                 const char *reason)
{
  burden_set_within (burden, field, bytes, (gint64) assay_device_get_memory (run->rig.device), measure, reason);
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
  if (run->rig.device != NULL)
    assay_device_get_figures (run->rig.device, &figures);
  const gint64 capacity = run->rig.device != NULL ? (gint64) assay_device_get_memory (run->rig.device) : -1;
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    burden_set_within (burden, fields[i].field,
                       run->rig.device != NULL ? (gint64) figures.peak[fields[i].category] : -1, capacity,
                       &by_allocator, "the run ended before anything was allocated");
  const gboolean separate = run->rig.host != run->rig.device;
  const AssayMeasure weights = { .kind = separate ? "allocated" : "mapped and allocated",
                                 .source = separate ? "allocator" : "engine" };
  const gint64 bytes = (gint64) ((separate ? 0 : run->mapped_bytes) + figures.peak[ASSAY_MEMORY_WEIGHTS]);
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
    peak = (AssaySample){ .ram_anonymous = -1, .ram_mapped = -1, .ram_pinned = -1, .ram_system = -1 };
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
                              .source = assay_meter_get_ram_source (run->meter),
                              .n_samples = 1 };
  burden_set_bytes (burden, ASSAY_FIELD_RAM_BASELINE, run->ram_baseline, &once, reason);
}

static void
burden_set_all_unknown (AssayValues *burden, const AssayFieldId *fields, guint n, const char *reason)
{
  for (guint i = 0; i < n; i++)
    assay_values_set_unknown (burden, fields[i], reason);
}

/* The virtual device is made for the run: nothing can be in use before it, and no driver counts beside. */
static void
burden_write_virtual (TrialRun *run, AssayValues *burden)
{
  static const AssayFieldId by_driver[] = { ASSAY_FIELD_PEAK_VRAM_PROCESS, ASSAY_FIELD_PEAK_VRAM_DEVICE };
  static const AssayMeasure held = { .kind = "reserved", .source = "allocator" };
  AssayDeviceFigures figures;
  assay_device_get_figures (run->rig.device, &figures);
  burden_set_bytes (burden, ASSAY_FIELD_PEAK_VRAM, (gint64) figures.peak_allocated, &by_allocator, NULL);
  burden_set_bytes (burden, ASSAY_FIELD_PEAK_VRAM_RESERVED, (gint64) figures.peak_reserved, &held, NULL);
  burden_set_bytes (burden, ASSAY_FIELD_VRAM_BASELINE, 0, &held, NULL);
  burden_set_all_unknown (burden, by_driver, G_N_ELEMENTS (by_driver), "the virtual device has no driver");
}

/* The driver's view is sampled; the allocator's is exact. */
static void
burden_write_card (TrialRun *run, AssayValues *burden)
{
  static const AssayMeasure held = { .kind = "reserved", .source = "allocator" };
  AssayDeviceFigures figures;
  AssayNvmlFigures card = { -1, -1, -1, -1, -1, -1, 0 };
  g_autofree char *problem = NULL;
  assay_device_get_figures (run->rig.device, &figures);
  if (!assay_nvml_wait (run->nvml, 0, &problem) || !assay_nvml_get (run->nvml, &card))
    card.peak_device = card.peak_process = -1;
  AssayMeasure seen = { .kind = "process", .source = "NVML", .n_samples = card.n_samples,
                        .interval_ns = burden_mean_interval_ns (run, card.n_samples) };
  burden_set_vram (run, burden, ASSAY_FIELD_PEAK_VRAM, (gint64) figures.peak_allocated, &by_allocator, NULL);
  burden_set_vram (run, burden, ASSAY_FIELD_PEAK_VRAM_RESERVED, (gint64) figures.peak_reserved, &held, NULL);
  burden_set_vram (run, burden, ASSAY_FIELD_PEAK_VRAM_PROCESS, card.peak_process, &seen,
                    problem != NULL ? problem : "NVML does not tell this process's use");
  seen.kind = "device";
  burden_set_vram (run, burden, ASSAY_FIELD_PEAK_VRAM_DEVICE, card.peak_device, &seen, problem);
  const AssayMeasure before = { .kind = "device", .source = "NVML", .n_samples = 1 };
  burden_set_vram (run, burden, ASSAY_FIELD_VRAM_BASELINE, run->vram_baseline, &before, problem);
}

/* --- burden: what a child told --- */

static void
burden_write_told_vram (TrialRun *run, AssayValues *burden)
{
  static const AssayFieldId fields[]
      = { ASSAY_FIELD_PEAK_VRAM, ASSAY_FIELD_PEAK_VRAM_RESERVED, ASSAY_FIELD_PEAK_VRAM_PROCESS,
          ASSAY_FIELD_PEAK_VRAM_DEVICE, ASSAY_FIELD_VRAM_BASELINE };
  gint64 capacity, bytes;
  const gboolean bounded = assay_values_get_integer (run->actual, ASSAY_FIELD_DEVICE_MEMORY, &capacity);
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    {
      const gboolean told = assay_values_get_integer (run->told, fields[i], &bytes);
      if (told && bounded && bytes > capacity)
        assay_values_set_unknown (burden, fields[i], "the child told more than the device has; refused");
      else if (assay_values_get_state (run->told, fields[i]) == ASSAY_VALUE_UNSET)
        assay_values_set_unknown (burden, fields[i],
                                  assay_trial_is_on_cpu (run->actual) ? "the cpu device has no memory of its own"
                                                                      : "the child process did not tell");
      else
        assay_values_copy_field (burden, run->told, fields[i]);
    }
}

/* What is counted inside the engine is not seen of a child, unless it tells. */
static void
burden_write_told (TrialRun *run, AssayValues *burden)
{
  static const AssayFieldId fields[]
      = { ASSAY_FIELD_PEAK_WEIGHTS,    ASSAY_FIELD_PEAK_KV_CACHE,  ASSAY_FIELD_PEAK_ACTIVATIONS,
          ASSAY_FIELD_PEAK_WORKSPACE,  ASSAY_FIELD_PEAK_STAGING,   ASSAY_FIELD_PEAK_OUTPUT,
          ASSAY_FIELD_PEAK_RAM_ENGINE, ASSAY_FIELD_PEAK_RAM_WEIGHTS, ASSAY_FIELD_CACHE_TRIMS,
          ASSAY_FIELD_LINK_BYTES,      ASSAY_FIELD_LINK_PASS_BYTES, ASSAY_FIELD_LINK_TRANSFERS,
          ASSAY_FIELD_LINK_SECONDS,    ASSAY_FIELD_LINK_STALL_SECONDS, ASSAY_FIELD_INPUT_TOKENS,
          ASSAY_FIELD_OUTPUT_TOKENS };
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    if (assay_values_get_state (burden, fields[i]) == ASSAY_VALUE_UNSET)
      assay_values_set_unknown (burden, fields[i], "the child process did not tell");
  for (AssayFieldId field = 0; field < ASSAY_N_FIELDS; field++)
    if (assay_values_get_state (run->told, field) != ASSAY_VALUE_UNSET)
      assay_values_copy_field (burden, run->told, field);
  burden_write_told_vram (run, burden);
}

static void
burden_write_vram (TrialRun *run, AssayValues *burden)
{
  static const AssayFieldId fields[]
      = { ASSAY_FIELD_PEAK_VRAM, ASSAY_FIELD_PEAK_VRAM_RESERVED, ASSAY_FIELD_PEAK_VRAM_PROCESS,
          ASSAY_FIELD_PEAK_VRAM_DEVICE, ASSAY_FIELD_VRAM_BASELINE };
  if (run->rig.device == NULL)
    burden_set_all_unknown (burden, fields, G_N_ELEMENTS (fields),
                            "the run ended before the device was opened");
  else if (run->rig.host == run->rig.device)
    burden_set_all_unknown (burden, fields, G_N_ELEMENTS (fields), "the cpu device has no memory of its own");
  else if (run->nvml != NULL)
    burden_write_card (run, burden);
  else
    burden_write_virtual (run, burden);
}

static void
burden_write_host (TrialRun *run, AssayValues *burden)
{
  static const char reason[] = "the run ended before anything was allocated";
  AssayDeviceFigures host = { 0 }, device = { 0 };
  const gboolean known = run->rig.host != NULL;
  if (known)
    {
      assay_device_get_figures (run->rig.host, &host);
      assay_device_get_figures (run->rig.device, &device);
    }
  burden_set_bytes (burden, ASSAY_FIELD_PEAK_RAM_ENGINE, known ? (gint64) host.peak_allocated : -1,
                    &by_allocator, reason);
  burden_set_bytes (burden, ASSAY_FIELD_PEAK_RAM_WEIGHTS,
                    known ? (gint64) host.peak[ASSAY_MEMORY_WEIGHTS] : -1, &by_allocator, reason);
  const gboolean separate = run->rig.host != run->rig.device;
  if (known)
    assay_values_set_integer (burden, ASSAY_FIELD_CACHE_TRIMS,
                              (gint64) (device.n_trims + (separate ? host.n_trims : 0)));
  else
    assay_values_set_unknown (burden, ASSAY_FIELD_CACHE_TRIMS, reason);
}

/* --- burden: the link --- */

static void
burden_write_link (TrialRun *run, AssayValues *burden)
{
  static const AssayFieldId fields[]
      = { ASSAY_FIELD_LINK_BYTES, ASSAY_FIELD_LINK_PASS_BYTES, ASSAY_FIELD_LINK_TRANSFERS,
          ASSAY_FIELD_LINK_SECONDS, ASSAY_FIELD_LINK_STALL_SECONDS };
  AssayLinkFigures link;
  AssayPlacementFigures placement = { 0 };
  if (run->rig.link == NULL)
    {
      burden_set_all_unknown (burden, fields, G_N_ELEMENTS (fields),
                              run->rig.device != NULL ? "the cpu device has no link"
                                                      : "the run ended before the device was opened");
      return;
    }
  assay_link_get_figures (run->rig.link, &link);
  if (run->placed)
    assay_placement_get_figures (assay_model_get_placement (run->rig.model), &placement);
  assay_values_set_integer (burden, ASSAY_FIELD_LINK_BYTES, (gint64) link.bytes);
  assay_values_set_integer (burden, ASSAY_FIELD_LINK_PASS_BYTES, (gint64) placement.pass_bytes);
  assay_values_set_integer (burden, ASSAY_FIELD_LINK_TRANSFERS, (gint64) link.n_copies);
  assay_values_set_real (burden, ASSAY_FIELD_LINK_SECONDS, link.busy_ns / 1e9);
  assay_values_set_real (burden, ASSAY_FIELD_LINK_STALL_SECONDS, link.stall_ns / 1e9);
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
  const gboolean asked = run->placed, drawn = run->generate_ns > 0;
  burden_set_seconds (burden, ASSAY_FIELD_ELAPSED_SECONDS, assay_trial_now_ns () - run->start_ns, TRUE);
  burden_set_seconds (burden, ASSAY_FIELD_LOAD_SECONDS, run->load_ns, run->load_ns > 0);
  burden_set_seconds (burden, ASSAY_FIELD_CONVERT_SECONDS, run->convert_ns, asked || run->convert_ns > 0);
  burden_set_seconds (burden, ASSAY_FIELD_PROMPT_SECONDS, run->prompt_ns, asked);
  burden_set_seconds (burden, ASSAY_FIELD_GENERATE_SECONDS, run->generate_ns, drawn);
  burden_set_seconds (burden, ASSAY_FIELD_SAMPLING_SECONDS, run->sampling_ns, drawn);
  burden_set_seconds (burden, ASSAY_FIELD_FIRST_TOKEN_SECONDS,
                      run->n_first_tokens > 0 ? run->first_token_ns / run->n_first_tokens : 0,
                      run->n_first_tokens > 0);
  if (run->told == NULL || run->input_tokens > 0)
    assay_values_set_integer (burden, ASSAY_FIELD_INPUT_TOKENS, run->input_tokens);
  if (run->told == NULL || run->output_tokens > 0)
    assay_values_set_integer (burden, ASSAY_FIELD_OUTPUT_TOKENS, run->output_tokens);
  burden_set_speed (burden, ASSAY_FIELD_PROMPT_TOKENS_PER_SECOND, run->input_tokens, run->prompt_ns);
  burden_set_speed (burden, ASSAY_FIELD_GENERATE_TOKENS_PER_SECOND, run->output_tokens, run->generate_ns);
}

static void
burden_write_engine (TrialRun *run, AssayValues *burden)
{
  burden_write_categories (run, burden);
  burden_write_vram (run, burden);
  burden_write_host (run, burden);
  burden_write_link (run, burden);
}

void
trial_run_write_burden (TrialRun *run)
{
  AssayValues *burden = assay_record_get_burden (run->record);
  burden_write_time (run, burden);
  burden_write_ram (run, burden);
  if (run->told != NULL)
    burden_write_told (run, burden);
  else
    burden_write_engine (run, burden);
  if (assay_values_get_state (burden, ASSAY_FIELD_STORAGE_BYTES) == ASSAY_VALUE_UNSET)
    assay_values_set_unknown (burden, ASSAY_FIELD_STORAGE_BYTES,
                              "the run ended before the files were looked at");
}
