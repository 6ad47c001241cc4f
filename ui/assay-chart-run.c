/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-chart-run.h"

static gint64
values_get_bytes (const AssayValues *values, AssayFieldId field)
{
  gint64 bytes;

  return assay_values_get_integer (values, field, &bytes) ? bytes : -1;
}

/* The run's own limit, else the ledger's. */
static gint64
run_find_budget (AssayLedger *ledger, AssayRecord *record)
{
  const gint64 budget = values_get_bytes (assay_record_get_conditions (record), ASSAY_FIELD_VRAM_BUDGET);

  if (budget > 0)
    return budget;
  return ledger != NULL ? assay_ledger_get_criteria (ledger)->vram_budget : -1;
}

/* Of the device's memory where there is one, else of what the engine allocates in RAM: what the chart stacks. */
static gint64
run_find_foretold (AssayRecord *record)
{
  const AssayValues *burden = assay_record_get_burden (record);
  const gint64 device = values_get_bytes (burden, ASSAY_FIELD_PREDICTED_PEAK_VRAM);

  return device > 0 ? device : values_get_bytes (burden, ASSAY_FIELD_PREDICTED_PEAK_RAM);
}

/* An allocator's high-water mark only: a driver's figure counts what the chart does not stack. */
static gint64
run_find_stated_peak (AssayRecord *record)
{
  const AssayValues *burden = assay_record_get_burden (record);
  const AssayMeasure *measure = assay_values_get_measure (burden, ASSAY_FIELD_PEAK_VRAM);
  const gboolean allocated = measure != NULL && g_strcmp0 (measure->kind, "allocated") == 0;

  return allocated ? values_get_bytes (burden, ASSAY_FIELD_PEAK_VRAM) : 0;
}

void
assay_chart_run_set_limits (AssayChartExport *chart, AssayLedger *ledger, AssayRecord *record)
{
  g_return_if_fail (chart != NULL && ASSAY_IS_RECORD (record));
  chart->budget_bytes = run_find_budget (ledger, record);
  chart->foretold_bytes = run_find_foretold (record);
  chart->ram_budget_bytes = values_get_bytes (assay_record_get_conditions (record), ASSAY_FIELD_RAM_BUDGET);
  chart->stated_peak = run_find_stated_peak (record);
}
