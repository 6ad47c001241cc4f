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
  guint64 headless_bytes; /* over the link, in a pass that computes no logits */
} Forecasting;

/* --- what moves --- */

static guint64
forecast_get_moved (Forecasting *f)
{
  AssayLinkFigures figures = { 0 };
  if (f->rig.link != NULL)
    assay_link_get_figures (f->rig.link, &figures);
  return figures.bytes;
}

/* The passes of a prompt: all but the last of its chunks leave out the head. */
static guint64
forecast_count_chunks (Forecasting *f, guint i)
{
  const guint chunk = assay_model_get_chunk (f->rig.model);
  return (((GArray *) g_ptr_array_index (f->prompts, i))->len + chunk - 1) / chunk;
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

static void
forecast_count_passes (Forecasting *f)
{
  AssayForecast *out = f->out;
  guint64 chunks = 0;
  for (guint i = 0; i < f->prompts->len; i++)
    chunks += forecast_count_chunks (f, i);
  const guint64 headless = chunks - f->prompts->len, decodes = forecast_count_decodes (f);
  out->n_passes = chunks + decodes;
  out->prompt_bytes = headless * f->headless_bytes + f->prompts->len * out->pass_bytes;
  out->link_bytes = out->load_bytes + out->prompt_bytes + decodes * out->pass_bytes;
}

static void
forecast_count_link (Forecasting *f)
{
  AssayForecast *out = f->out;
  AssayPlacementFigures figures = { 0 };
  gint64 bandwidth = 0;
  if (f->rig.link != NULL)
    assay_placement_get_figures (assay_model_get_placement (f->rig.model), &figures);
  out->load_bytes = figures.load_bytes;
  out->pass_bytes = figures.pass_bytes;
  forecast_count_passes (f);
  if (f->rig.link == NULL
      || !assay_values_get_integer (f->conditions, ASSAY_FIELD_LINK_BANDWIDTH, &bandwidth))
    return;
  out->pass_seconds = (double) out->pass_bytes / bandwidth;
  out->seconds = (double) (out->load_bytes + out->prompt_bytes) / bandwidth;
  out->longest_seconds = (double) out->link_bytes / bandwidth;
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
      if (!assay_rig_attach (&f->rig, f->conditions, NULL, error))
        return FALSE;
      forecast_end (f, "attach");
    }
  forecast_begin (f);
  if (!assay_rig_place (&f->rig, NULL, NULL, NULL, error))
    return FALSE;
  forecast_end (f, assay_model_needs_conversion (f->rig.model) ? "convert" : "load");
  return TRUE;
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

static gboolean
forecast_prompt (Forecasting *f, GError **error)
{
  const guint i = forecast_find_longest (f), length = ((GArray *) g_ptr_array_index (f->prompts, i))->len;
  g_autofree gint32 *tokens = g_new0 (gint32, length);
  const guint64 before = forecast_get_moved (f);
  forecast_begin (f);
  if (!assay_model_prompt (f->rig.model, 0, tokens, length, NULL, NULL, error))
    return FALSE;
  forecast_end (f, "prompt");
  assay_model_reset (f->rig.model, 0);
  const guint64 chunks = forecast_count_chunks (f, i), moved = forecast_get_moved (f) - before;
  AssayPlacementFigures figures;
  assay_placement_get_figures (assay_model_get_placement (f->rig.model), &figures);
  f->headless_bytes = chunks > 1 ? (moved - figures.pass_bytes) / (chunks - 1) : 0;
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
  forecast_begin (f);
  if (!assay_model_decode (f->rig.model, sequences, tokens, n, NULL, NULL, error))
    return FALSE;
  forecast_end (f, "generate");
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
  out->budget = on_cpu ? 0 : vram > 0 ? (guint64) vram : available;
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
}

static gboolean
forecast_run (Forecasting *f, GError **error)
{
  forecast_set_budgets (f);
  if (!assay_rig_read (&f->rig, f->conditions, f->inspection, error)
      || !assay_rig_open_plan (&f->rig, f->conditions, error) || !forecast_load (f, error)
      || !forecast_prompt (f, error) || !forecast_generate (f, error))
    return FALSE;
  forecast_count_link (f);
  forecast_sum_up (f);
  return TRUE;
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
      || !assay_trial_check_model (actual, inspection, error))
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
