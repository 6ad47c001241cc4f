/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/assay-readiness.c: see the header. The forecast tells whether the budget is kept; here its need is held against
 * what is free just now, which a budget says nothing about. */
#include "assay-readiness.h"

#include <glib/gi18n-lib.h>

#include "assay-device-host-private.h"
#include "assay-nvml.h"
#include "cuda-module.h"

#define NVML_MOST_NS (G_GINT64_CONSTANT (2) * 1000000000)

char *
assay_readiness_judge (const AssayReadyMemory *memory, const char *holders, AssayReadyState *state)
{
  *state = ASSAY_READY;
  if (memory->need < 0 || memory->free < 0 || memory->need <= memory->free)
    return NULL;
  g_autofree char *need = assay_format_bytes ((guint64) memory->need);
  g_autofree char *free = assay_format_bytes ((guint64) memory->free);
  g_autofree char *total = assay_format_bytes ((guint64) MAX (memory->total, 0));
  if (memory->total >= 0 && memory->need > memory->total)
    {
      *state = ASSAY_READY_NEVER;
      return memory->on_card ? g_strdup_printf (_("Needs %s of device memory, and the card has %s"), need, total)
                             : g_strdup_printf (_("Needs %s of RAM, and this machine has %s"), need, total);
    }
  *state = ASSAY_READY_HELD;
  if (*holders == '\0')
    return memory->on_card
               ? g_strdup_printf (_("Needs %s of device memory, and %s is free: other programs hold the rest"), need, free)
               : g_strdup_printf (_("Needs %s of RAM, and %s is free: other programs hold the rest"), need, free);
  /* Translators: the last %s is a list: "firefox (812): 2.10 GiB, python3 (90): 1.21 GiB" */
  return memory->on_card ? g_strdup_printf (_("Needs %s of device memory, and %s is free. Held by: %s"), need, free, holders)
                         : g_strdup_printf (_("Needs %s of RAM, and %s is free. Held by: %s"), need, free, holders);
}

static void
readiness_take (AssayReadiness *self, const AssayReadyMemory *memory, const char *holders)
{
  AssayReadyState state;
  char *words = assay_readiness_judge (memory, holders, &state);
  if (state == ASSAY_READY)
    return;
  self->state = state;
  self->status = memory->on_card ? ASSAY_STATUS_OOM_DEVICE : ASSAY_STATUS_OOM_HOST;
  g_free (self->words);
  self->words = words;
}

/* A card that cannot be asked is no reason to wait: the run will say what is wrong with it. */
static void
readiness_ask_card (AssayReadiness *self, gint ordinal, guint64 need)
{
  AssayCudaInfo card;
  AssayNvmlFigures figures;
  char fault[256];
  g_autofree char *problem = NULL;
  const AssayCudaModule *module = ordinal >= 0 ? assay_cuda_module_get (NULL) : NULL;
  if (module == NULL || !module->get_info (ordinal, &card, fault, sizeof fault))
    return;
  AssayNvml *nvml = assay_nvml_get_shared (card.uuid);
  if (!assay_nvml_wait (nvml, NVML_MOST_NS, &problem) || !assay_nvml_get (nvml, &figures))
    return;
  g_autofree char *holders = assay_nvml_dup_holders (nvml);
  const AssayReadyMemory memory
      = { .need = (gint64) need, .free = figures.free, .total = figures.total, .on_card = TRUE };
  readiness_take (self, &memory, holders);
}

static void
readiness_ask_machine (AssayReadiness *self, guint64 need)
{
  const AssayReadyMemory memory
      = { .need = (gint64) need, .free = assay_host_read_available (), .total = assay_host_read_total () };
  g_autofree char *holders = memory.need > memory.free ? assay_ram_dup_holders () : g_strdup ("");
  readiness_take (self, &memory, holders);
}

/* Without a budget the forecast's bound is what is free, and being over it is the machine's affair. */
static gboolean
readiness_is_over_budget (const AssayValues *conditions, const AssayForecast *forecast)
{
  gint64 vram = 0, ram = 0;
  assay_values_get_integer (conditions, ASSAY_FIELD_VRAM_BUDGET, &vram);
  assay_values_get_integer (conditions, ASSAY_FIELD_RAM_BUDGET, &ram);
  return (forecast->over_device > 0 && vram > 0) || (forecast->over_host > 0 && (forecast->on_cpu ? vram : ram) > 0);
}

AssayReadiness *
assay_readiness_new (const AssayValues *conditions, GPtrArray *questions)
{
  AssayReadiness *self = g_new0 (AssayReadiness, 1);
  g_autoptr (AssayForecast) forecast = assay_forecast_new_kept (conditions, questions, NULL, NULL);
  self->status = ASSAY_STATUS_COMPLETED;
  if (forecast == NULL)
    return self;
  self->words = assay_forecast_dup_words (forecast);
  if (readiness_is_over_budget (conditions, forecast))
    {
      self->state = ASSAY_READY_NEVER;
      self->status = forecast->status;
      return self;
    }
  const gint ordinal = assay_cuda_parse_ordinal (assay_values_get_text (conditions, ASSAY_FIELD_DEVICE));
  readiness_ask_machine (self, forecast->peak_host + (ordinal < 0 ? forecast->peak_device : 0));
  if (self->state == ASSAY_READY && ordinal >= 0)
    readiness_ask_card (self, ordinal, forecast->peak_device);
  return self;
}

void
assay_readiness_free (AssayReadiness *self)
{
  if (self == NULL)
    return;
  g_free (self->words);
  g_free (self);
}
