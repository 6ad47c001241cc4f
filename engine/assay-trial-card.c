/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/assay-trial-card.c: of a run on a card: what held its memory before, and which card it was. */
#include "assay-trial-private.h"

#include "cuda-module.h"

#define NVML_MOST_NS (G_GINT64_CONSTANT (2) * 1000000000)

static gboolean
card_get_info (TrialRun *run, AssayCudaInfo *out)
{
  char fault[256];
  const gint ordinal = assay_cuda_parse_ordinal (assay_values_get_text (run->actual, ASSAY_FIELD_DEVICE));
  const AssayCudaModule *module = ordinal >= 0 ? assay_cuda_module_get (NULL) : NULL;
  return module != NULL && module->get_info (ordinal, out, fault, sizeof fault);
}

/* Before the run takes any of it. Without a card nothing is done here: opening it says why. */
void
trial_run_watch_card (TrialRun *run)
{
  AssayCudaInfo card;
  AssayNvmlFigures figures;
  g_autofree char *problem = NULL;
  run->vram_baseline = -1;
  if (!card_get_info (run, &card))
    return;
  run->nvml = assay_nvml_new (card.uuid, assay_series_get_interval_ns (run->trial->series));
  if (!assay_nvml_wait (run->nvml, NVML_MOST_NS, &problem) || !assay_nvml_get (run->nvml, &figures))
    return;
  g_autofree char *holders = assay_nvml_dup_holders (run->nvml);
  run->vram_baseline = figures.device;
  if (*holders != '\0')
    assay_record_set_baseline_holders (run->record, holders);
}

static char *
card_dup_version (int version)
{
  return g_strdup_printf ("CUDA %d.%d", version / 1000, version % 1000 / 10);
}

void
trial_run_write_card (TrialRun *run)
{
  AssayValues *c = run->actual;
  AssayCudaInfo card;
  if (!card_get_info (run, &card))
    return;
  g_autofree char *driver = card_dup_version (card.driver_version), *runtime = card_dup_version (card.runtime_version);
  g_autofree char *build = g_strdup_printf ("assay " ASSAY_VERSION ", gcc " __VERSION__ ", %s", runtime);
  assay_values_set_text (c, ASSAY_FIELD_DEVICE_NAME, card.name);
  assay_values_set_text (c, ASSAY_FIELD_DRIVER, driver);
  assay_values_set_text (c, ASSAY_FIELD_RUNTIME_VERSION, build);
  assay_values_set_text (c, ASSAY_FIELD_GENERATOR_DEVICE, assay_values_get_text (c, ASSAY_FIELD_DEVICE));
}
