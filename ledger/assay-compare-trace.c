/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-compare-trace.c: whether two runs did the same, as far as anything recorded tells.
 *
 * A switch that was asked for and changed nothing leaves the same peaks, phases, marks and outputs behind. The clock is
 * left out, since two runs never take the same time; so are memory that was sampled and what belongs to the whole
 * machine. */
#include "assay-answers.h"
#include "assay-compare-private.h"

/* What the engine and its allocator count exactly. */
static const AssayFieldId exact[] = {
  ASSAY_FIELD_PEAK_VRAM,      ASSAY_FIELD_PEAK_VRAM_RESERVED, ASSAY_FIELD_PEAK_RAM_ENGINE, ASSAY_FIELD_PEAK_RAM_WEIGHTS,
  ASSAY_FIELD_PEAK_WEIGHTS,   ASSAY_FIELD_PEAK_KV_CACHE,      ASSAY_FIELD_PEAK_ACTIVATIONS, ASSAY_FIELD_PEAK_WORKSPACE,
  ASSAY_FIELD_PEAK_STAGING,   ASSAY_FIELD_PEAK_OUTPUT,        ASSAY_FIELD_LINK_BYTES,      ASSAY_FIELD_LINK_PASS_BYTES,
  ASSAY_FIELD_LINK_TRANSFERS, ASSAY_FIELD_CACHE_TRIMS,        ASSAY_FIELD_INPUT_TOKENS,    ASSAY_FIELD_OUTPUT_TOKENS,
};

static gboolean
field_is_peak (AssayFieldId field)
{
  return field == ASSAY_FIELD_PEAK_VRAM || field == ASSAY_FIELD_PEAK_VRAM_RESERVED
         || field == ASSAY_FIELD_PEAK_RAM_ENGINE;
}

/* At least one peak, and no figure that differs or that only one run states. */
static gboolean
figures_are_alike (AssayRecord *a, AssayRecord *b)
{
  const AssayValues *of_a = assay_record_get_burden (a), *of_b = assay_record_get_burden (b);
  gboolean any_peak = FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (exact); i++)
    {
      gint64 x = 0, y = 0;
      const gboolean x_known = assay_values_get_integer (of_a, exact[i], &x);
      const gboolean y_known = assay_values_get_integer (of_b, exact[i], &y);
      if (x_known != y_known || x != y)
        return FALSE;
      any_peak |= x_known && field_is_peak (exact[i]);
    }
  return any_peak;
}

static gboolean
outputs_are_alike (AssayRecord *a, AssayRecord *b)
{
  g_autoptr(GPtrArray) runs = g_ptr_array_new ();
  g_ptr_array_add (runs, a);
  g_ptr_array_add (runs, b);
  g_autoptr(GPtrArray) answers = assay_answers_compare (runs);
  return answers->len > 0 && assay_answers_count_same (answers) == answers->len
         && assay_record_get_outputs (a)->len == assay_record_get_outputs (b)->len
         && answers->len == assay_record_get_outputs (a)->len;
}

static gboolean
phases_are_alike (AssaySeries *a, AssaySeries *b)
{
  g_autoptr(GPtrArray) of_a = assay_series_dup_phases (a), of_b = assay_series_dup_phases (b);
  if (of_a->len != of_b->len)
    return FALSE;
  for (guint i = 0; i < of_a->len; i++)
    {
      const AssayPhase *x = of_a->pdata[i], *y = of_b->pdata[i];
      if (g_strcmp0 (x->name, y->name) != 0 || x->peak_allocated != y->peak_allocated)
        return FALSE;
    }
  return TRUE;
}

static gboolean
marks_are_alike (AssaySeries *a, AssaySeries *b)
{
  g_autoptr(GPtrArray) of_a = assay_series_dup_marks (a), of_b = assay_series_dup_marks (b);
  if (of_a->len != of_b->len)
    return FALSE;
  for (guint i = 0; i < of_a->len; i++)
    {
      const AssayMark *x = of_a->pdata[i], *y = of_b->pdata[i];
      if (g_strcmp0 (x->kind, y->kind) != 0 || g_strcmp0 (x->text, y->text) != 0)
        return FALSE;
    }
  return TRUE;
}

gboolean
compare_is_observed_alike (AssayRecord *a, AssayRecord *b)
{
  if (!figures_are_alike (a, b) || !outputs_are_alike (a, b))
    return FALSE; /* before the series, which are read from the file when first asked for */
  AssaySeries *of_a = assay_record_get_series (a), *of_b = assay_record_get_series (b);
  return phases_are_alike (of_a, of_b) && marks_are_alike (of_a, of_b);
}
