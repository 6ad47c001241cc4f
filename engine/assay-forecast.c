/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/assay-forecast.c: a trial's own steps over devices that count.
 *
 * Phases come as the run has them; prompt and generate once, with the longest prompt and a full batch, since
 * nothing but the size of a pass decides what they take. */
#include "assay-forecast.h"

#include <glib/gi18n-lib.h>

#include "assay-device-host-private.h"
#include "assay-rig.h"
#include "assay-trial-private.h"

typedef struct
{
  AssayForecast *out;
  const AssayValues *conditions; /* defaults filled in */
  const AssayInspection *inspection;
  GPtrArray *prompts; /* (element-type GArray of gint32) */
  AssayRig rig;
  AssayLinkFigures load, prompt, pass; /* over the link: while loading, in the longest prompt, in a pass of all */
  AssayLinkFigures headless;           /* in a pass that computes no logits */
} Forecasting;

/* --- what moves --- */

/* Since `before`. */
static AssayLinkFigures
forecast_get_moved (Forecasting *f, const AssayLinkFigures *before)
{
  AssayLinkFigures figures = { 0 };
  if (f->rig.link != NULL)
    assay_link_get_figures (f->rig.link, &figures);
  figures.bytes -= before->bytes;
  figures.n_copies -= before->n_copies;
  return figures;
}

/* Which the link needs at least. */
static double
forecast_get_seconds (Forecasting *f, guint64 bytes, guint64 n_copies)
{
  gint64 bandwidth = 0;
  double latency_s = 0;
  assay_values_get_integer (f->conditions, ASSAY_FIELD_LINK_BANDWIDTH, &bandwidth);
  assay_values_get_real (f->conditions, ASSAY_FIELD_LINK_LATENCY_SECONDS, &latency_s);
  return n_copies * latency_s + (bandwidth > 0 ? (double) bytes / bandwidth : 0);
}

/* The passes of a prompt: all but the last of its chunks leave out the head. */
static guint64
forecast_count_chunks (Forecasting *f, guint i)
{
  const guint chunk = assay_model_get_chunk (f->rig.model);
  return (((GArray *) g_ptr_array_index (f->prompts, i))->len + chunk - 1) / chunk;
}

static guint
forecast_find_longest (Forecasting *f)
{
  guint longest = 0;
  for (guint i = 0; i < f->prompts->len; i++)
    if (((GArray *) g_ptr_array_index (f->prompts, i))->len
        > ((GArray *) g_ptr_array_index (f->prompts, longest))->len)
      longest = i;
  return longest;
}

/* The first token comes with the prompt; the last one needs no pass. */
static guint64
forecast_count_decodes (Forecasting *f)
{
  gint64 most = 0;
  guint64 n = 0;
  const guint batch = MAX (f->rig.options.n_sequences, 1);
  assay_values_get_integer (f->conditions, ASSAY_FIELD_MAX_TOKENS, &most);
  for (guint i = 0; i < f->prompts->len; i += batch)
    {
      guint64 longest = 0;
      for (guint k = i; k < MIN (i + batch, f->prompts->len); k++)
        {
          const guint length = ((GArray *) g_ptr_array_index (f->prompts, k))->len;
          const guint64 room = f->rig.options.context_length - length;
          longest = MAX (longest, MIN ((guint64) most - 1, room));
        }
      n += longest;
    }
  return n;
}

/* The last of a prompt's passes is like any other. */
static void
forecast_count_headless (Forecasting *f)
{
  const guint64 n = forecast_count_chunks (f, forecast_find_longest (f)) - 1;
  if (n == 0)
    return;
  f->headless.bytes = (f->prompt.bytes - f->out->pass_bytes) / n;
  f->headless.n_copies = (f->prompt.n_copies - f->pass.n_copies) / n;
}

static void
forecast_count_passes (Forecasting *f)
{
  AssayForecast *out = f->out;
  guint64 chunks = 0;
  for (guint i = 0; i < f->prompts->len; i++)
    chunks += forecast_count_chunks (f, i);
  const guint64 headless = chunks - f->prompts->len, decodes = forecast_count_decodes (f);
  const guint64 n_copies
      = f->load.n_copies + headless * f->headless.n_copies + f->prompts->len * f->pass.n_copies;
  out->n_passes = chunks + decodes;
  out->prompt_bytes = headless * f->headless.bytes + f->prompts->len * out->pass_bytes;
  out->link_bytes = out->load_bytes + out->prompt_bytes + decodes * out->pass_bytes;
  out->pass_seconds = forecast_get_seconds (f, out->pass_bytes, f->pass.n_copies);
  out->seconds = forecast_get_seconds (f, out->load_bytes + out->prompt_bytes, n_copies);
  out->longest_seconds
      = forecast_get_seconds (f, out->link_bytes, n_copies + decodes * f->pass.n_copies);
}

static void
forecast_count_link (Forecasting *f)
{
  AssayPlacementFigures figures = { 0 };
  if (f->rig.link != NULL)
    assay_placement_get_figures (assay_model_get_placement (f->rig.model), &figures);
  f->out->load_bytes = figures.load_bytes;
  f->out->pass_bytes = figures.pass_bytes;
  forecast_count_headless (f);
  forecast_count_passes (f);
}

/* --- phases --- */

static void
forecast_begin (Forecasting *f)
{
  assay_device_mark_phase (f->rig.device);
  assay_device_mark_phase (f->rig.host);
}

static guint64
forecast_over (guint64 peak, guint64 budget)
{
  return budget > 0 && peak > budget ? peak - budget : 0;
}

static void
forecast_end (Forecasting *f, const char *name)
{
  AssayDeviceFigures device, host;
  const gboolean separate = f->rig.host != f->rig.device;
  assay_device_get_figures (f->rig.device, &device);
  assay_device_get_figures (f->rig.host, &host);
  const AssayForecastPhase phase
      = { name, separate ? device.phase_peak_allocated : 0, host.phase_peak_allocated };
  g_array_append_val (f->out->phases, phase);
  if (f->out->first_refused == NULL
      && (forecast_over (phase.peak_device, f->out->budget) > 0
          || forecast_over (phase.peak_host, f->out->host_budget) > 0))
    f->out->first_refused = name;
}

static gboolean
forecast_load (Forecasting *f, GError **error)
{
  const char *attached = assay_values_get_text (f->conditions, ASSAY_FIELD_ATTACHED_COMPONENTS);
  if (!assay_rig_make_model (&f->rig, f->inspection, error))
    return FALSE;
  if (attached != NULL && *attached != '\0' && !g_str_equal (attached, "none"))
    {
      forecast_begin (f);
      if (!assay_rig_attach (&f->rig, f->conditions, NULL, NULL, error))
        return FALSE;
      forecast_end (f, "attach");
    }
  forecast_begin (f);
  if (!assay_rig_place (&f->rig, NULL, NULL, NULL, error))
    return FALSE;
  forecast_end (f, assay_model_needs_conversion (f->rig.model) ? "convert" : "load");
  f->load = forecast_get_moved (f, &f->load);
  return TRUE;
}

static gboolean
forecast_prompt (Forecasting *f, GError **error)
{
  const guint i = forecast_find_longest (f), length = ((GArray *) g_ptr_array_index (f->prompts, i))->len;
  g_autofree gint32 *tokens = g_new0 (gint32, length);
  forecast_begin (f);
  if (!assay_model_prompt (f->rig.model, 0, tokens, length, NULL, NULL, error))
    return FALSE;
  forecast_end (f, "prompt");
  assay_model_reset (f->rig.model, 0);
  f->prompt = forecast_get_moved (f, &f->load);
  return TRUE;
}

static gboolean
forecast_generate (Forecasting *f, GError **error)
{
  const guint n = MIN (f->rig.options.n_sequences, f->prompts->len);
  g_autofree guint *sequences = g_new0 (guint, n);
  g_autofree gint32 *tokens = g_new0 (gint32, n);
  for (guint i = 0; i < n; i++)
    sequences[i] = i;
  const AssayLinkFigures before = forecast_get_moved (f, &(AssayLinkFigures) { 0 });
  forecast_begin (f);
  if (!assay_model_decode (f->rig.model, sequences, tokens, n, NULL, NULL, error))
    return FALSE;
  forecast_end (f, "generate");
  f->pass = forecast_get_moved (f, &before);
  return TRUE;
}

/* --- the whole --- */

static void
forecast_set_budgets (Forecasting *f)
{
  AssayForecast *out = f->out;
  gint64 vram = 0, ram = 0;
  const guint64 available = (guint64) MAX (assay_host_read_available (), 0);
  const gboolean on_cpu = assay_trial_is_on_cpu (f->conditions);
  assay_values_get_integer (f->conditions, ASSAY_FIELD_VRAM_BUDGET, &vram);
  assay_values_get_integer (f->conditions, ASSAY_FIELD_RAM_BUDGET, &ram);
  const guint64 host = (guint64) (on_cpu ? vram : ram);
  out->on_cpu = on_cpu;
  out->host_budget = host > 0 ? host : available;
  out->budget = on_cpu ? 0 : vram > 0 ? (guint64) vram : (guint64) MAX (assay_device_get_available (f->rig.like), 0);
}

/* On `cpu` the budget is that of the device, the machine's memory is not. */
static AssayRunStatus
forecast_get_status (Forecasting *f)
{
  gint64 budget = 0;
  assay_values_get_integer (f->conditions, ASSAY_FIELD_VRAM_BUDGET, &budget);
  if (f->out->over_device > 0 || (f->out->over_host > 0 && f->out->on_cpu && budget > 0))
    return ASSAY_STATUS_OOM_DEVICE;
  return f->out->over_host > 0 ? ASSAY_STATUS_OOM_HOST : ASSAY_STATUS_COMPLETED;
}

static void
forecast_sum_up (Forecasting *f)
{
  AssayForecast *out = f->out;
  AssayDeviceFigures device, host;
  assay_device_get_figures (f->rig.device, &device);
  assay_device_get_figures (f->rig.host, &host);
  out->peak_device = out->on_cpu ? 0 : device.peak_allocated;
  out->peak_host = host.peak_allocated;
  for (guint i = 0; i < ASSAY_N_MEMORY; i++)
    {
      out->device[i] = out->on_cpu ? 0 : device.peak[i];
      out->host[i] = host.peak[i];
    }
  out->mapped_bytes = f->rig.options.read_weights ? 0 : assay_model_file_get_bytes (f->inspection->file);
  out->over_device = forecast_over (out->peak_device, out->budget);
  out->over_host = forecast_over (out->peak_host, out->host_budget);
  out->by_part = g_strcmp0 (assay_values_get_text (f->conditions, ASSAY_FIELD_OFFLOAD_MODE), "model") == 0;
  out->status = forecast_get_status (f);
}

static gboolean
forecast_run (Forecasting *f, GError **error)
{
  if (!assay_rig_read (&f->rig, f->conditions, f->inspection, error)
      || !assay_rig_open_plan (&f->rig, f->conditions, error))
    return FALSE;
  forecast_set_budgets (f);
  if (!forecast_load (f, error) || !forecast_prompt (f, error) || !forecast_generate (f, error))
    return FALSE;
  forecast_count_link (f);
  forecast_sum_up (f);
  return TRUE;
}

/* No refusal: the trial can be run, and then it is known. */
static gboolean
forecast_check_runtime (const AssayValues *conditions, GError **error)
{
  if (!assay_trial_is_process (conditions))
    return TRUE;
  assay_engine_error_set (error, ASSAY_ENGINE_ERROR_UNSUPPORTED, "child-unforeseen", NULL, NULL, -1, "%s",
                          _("what a child process needs is not foretold, it is measured while it runs"));
  return FALSE;
}

AssayForecast *
assay_forecast_new (const AssayValues *conditions,
                    const AssayInspection *inspection,
                    GPtrArray *questions,
                    GError **error)
{
  AssayChatFormat format;
  g_autoptr (AssayForecast) self = g_new0 (AssayForecast, 1);
  g_autoptr (AssayValues) actual = assay_values_copy (conditions);
  self->phases = g_array_new (FALSE, FALSE, sizeof (AssayForecastPhase));
  assay_trial_fill_defaults (actual);
  assay_trial_fill_consequences (actual);
  if (!assay_trial_check (actual, questions != NULL, error)
      || !forecast_check_runtime (actual, error) || !assay_trial_check_model (actual, inspection, error))
    return NULL;
  assay_trial_fill_model_defaults (actual, inspection);
  g_autoptr (GPtrArray) prompts
      = assay_trial_encode_prompts (actual, inspection, questions, &format, NULL, error);
  if (prompts == NULL)
    return NULL;
  Forecasting f = { .out = self, .conditions = actual, .inspection = inspection, .prompts = prompts };
  const gboolean ok = forecast_run (&f, error);
  assay_rig_clear (&f.rig);
  return ok ? g_steal_pointer (&self) : NULL;
}

void
assay_forecast_free (AssayForecast *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->phases);
  g_free (self);
}
