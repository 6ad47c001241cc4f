/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-advice-memory.c: what to change where memory did not suffice.
 *
 * Every step of a ladder is a candidate of its own, so that a planner can tell which is the smallest that
 * fits: a run that is foretold to fit under group offload need not be made to crawl under sequential. */
#include "assay-advice-private.h"

#include <glib/gi18n-lib.h>

/* Numbers */

/* A format that no file is known to hold would be refused before the run: it is named as an example only. */
static void
add_stored_quantization (AssayAdvice *self, AssayRecord *record, const char *example, const char *why)
{
  g_autofree char *longer
      = example != NULL ? g_strdup_printf (
            _("%s. Choose a file of the same model with fewer bits, such as %s"), why, example)
                        : g_strdup_printf (_("%s. Choose a file of the same model with fewer bits"), why);
  advice_add (self, record, ASSAY_FIELD_QUANTIZATION, NULL, longer);
}

void
advice_add_quantization (AssayAdvice *self, AssayRecord *record, guint n_most, const char *why)
{
  gboolean at_floor;
  g_auto(GStrv) types = advice_dup_smaller_quantizations (record, &at_floor);
  if (at_floor)
    return;
  if (advice_has_stored_format (record))
    add_stored_quantization (self, record, types[0], why);
  else if (types[0] == NULL) /* a type nobody here knows: only the person can say what is smaller */
    advice_add (self, record, ASSAY_FIELD_QUANTIZATION, NULL, why);
  for (guint i = 0; i < n_most && types[i] != NULL && !advice_has_stored_format (record); i++)
    advice_add (self, record, ASSAY_FIELD_QUANTIZATION, g_strdup (types[i]), why);
}

static void
add_dtype (AssayAdvice *self, AssayRecord *record)
{
  const char *type = advice_get_text (record, ASSAY_FIELD_QUANTIZATION);
  if ((type != NULL && !g_str_equal (type, "none")) || advice_has_stored_format (record)
      || g_strcmp0 (advice_get_text (record, ASSAY_FIELD_DTYPE), "float32") != 0)
    return;
  advice_add (self, record, ASSAY_FIELD_DTYPE, g_strdup ("float16"),
              _("Half the bytes of every weight; rounds least, but magnitudes beyond 65504 overflow"));
  advice_add (self, record, ASSAY_FIELD_DTYPE, g_strdup ("bfloat16"),
              _("Half the bytes of every weight; keeps the range of float32, and rounds more"));
}

static void
add_cache_type (AssayAdvice *self, AssayRecord *record, AssayFieldId field)
{
  const char *type = advice_get_text (record, field);
  const char *const *choices = assay_field_get_choices (field); /* biggest first */
  for (guint i = 0; type != NULL && choices[i] != NULL; i++)
    if (g_str_equal (type, choices[i]) && choices[i + 1] != NULL)
      advice_add (
          self, record, field, g_strdup (choices[i + 1]),
          _("The cache grows with the context and shrinks with its type; the answers may change a little"));
}

/* The values' type is a step of its own only where it was chosen apart from that of the keys. */
static void
add_cache_types (AssayAdvice *self, AssayRecord *record)
{
  add_cache_type (self, record, ASSAY_FIELD_KV_CACHE_TYPE);
  if (g_strcmp0 (advice_get_text (record, ASSAY_FIELD_V_CACHE_TYPE),
                 advice_get_text (record, ASSAY_FIELD_KV_CACHE_TYPE))
      != 0)
    add_cache_type (self, record, ASSAY_FIELD_V_CACHE_TYPE);
}

/* Placement */

static void
add_smaller_units (AssayAdvice *self, AssayRecord *record, const char *why)
{
  gint64 group;
  if (!advice_is_grouped (record) || !advice_get_integer (record, ASSAY_FIELD_OFFLOAD_GRANULARITY, &group)
      || group < 1)
    return;
  advice_add (self, record, ASSAY_FIELD_OFFLOAD_GRANULARITY, g_strdup_printf ("%" G_GINT64_FORMAT, group / 2),
              why);
}

static void
add_stronger_offload (AssayAdvice *self, AssayRecord *record)
{
  if (!advice_can_offload (record))
    return;
  if (advice_is_prefetch (record, TRUE) && advice_is_offloaded (record))
    advice_add (
        self, record, ASSAY_FIELD_PREFETCH, g_strdup ("false"),
        _("Only the unit that computes lies on the device, and the copy of the next one is waited for"));
  add_smaller_units (self, record,
                     _("Fewer layers lie on the device at once: the same numbers, more transfers"));
  g_auto(GStrv) modes = advice_dup_offload_modes (advice_get_text (record, ASSAY_FIELD_OFFLOAD_MODE), 1);
  for (guint i = 0; modes[i] != NULL; i++)
    advice_add (self, record, ASSAY_FIELD_OFFLOAD_MODE, g_strdup (modes[i]),
                _("Smaller units wait in CPU memory: the same numbers are computed, transfers cost time"));
}

static void
add_weaker_offload (AssayAdvice *self, AssayRecord *record)
{
  if (!advice_can_offload (record))
    return;
  add_smaller_units (self, record, _("Smaller groups need smaller pinned transfer buffers"));
  g_auto(GStrv) modes = advice_dup_offload_modes (advice_get_text (record, ASSAY_FIELD_OFFLOAD_MODE), -1);
  for (guint i = 0; modes[i] != NULL; i++)
    advice_add (self, record, ASSAY_FIELD_OFFLOAD_MODE, g_strdup (modes[i]),
                _("Less waits in CPU memory, if the device has room for it"));
}

/* The signals */

/* Whether weights, rather than what grows with the input, fill the memory: 1 or 0; -1 where the figures are not there. */
static int
record_compare_weights (AssayRecord *record, AssayFieldId weights_field, const AssayFieldId *scaled, gsize n)
{
  gint64 weights, bytes, others = 0;
  gboolean known = FALSE;
  for (gsize i = 0; i < n; i++)
    if (advice_get_integer (record, scaled[i], &bytes))
      {
        others += bytes;
        known = TRUE;
      }
  return known && advice_get_integer (record, weights_field, &weights) ? weights >= others : -1;
}

/* What was foretold is of a whole run; a run that ended while loading has measured only its beginning. */
static gboolean
record_is_filled_by_weights (AssayRecord *record)
{
  static const AssayFieldId predicted[] = { ASSAY_FIELD_PREDICTED_KV_CACHE, ASSAY_FIELD_PREDICTED_ACTIVATIONS,
                                            ASSAY_FIELD_PREDICTED_WORKSPACE };
  static const AssayFieldId measured[]
      = { ASSAY_FIELD_PEAK_KV_CACHE, ASSAY_FIELD_PEAK_ACTIVATIONS, ASSAY_FIELD_PEAK_WORKSPACE };
  int weights = record_compare_weights (record, ASSAY_FIELD_PREDICTED_WEIGHTS, predicted, G_N_ELEMENTS (predicted));
  if (weights < 0)
    weights = record_compare_weights (record, ASSAY_FIELD_PEAK_WEIGHTS, measured, G_N_ELEMENTS (measured));
  if (weights >= 0)
    return weights > 0;
  const char *phase = assay_values_get_text (assay_record_get_outcome (record), ASSAY_FIELD_FAILED_PHASE);
  return phase == NULL || g_str_equal (phase, "load") || g_str_equal (phase, "convert");
}

#define BUDGET_STEP (G_GINT64_CONSTANT (1) << 20)

/* Where the run was foretold to need more than it was allowed, that much would do. */
static void
add_budget (AssayAdvice *self, AssayRecord *record)
{
  const AssayFieldId foretold
      = advice_can_offload (record) ? ASSAY_FIELD_PREDICTED_PEAK_VRAM : ASSAY_FIELD_PREDICTED_PEAK_RAM;
  gint64 need, budget;
  if (assay_record_get_status (record) != ASSAY_STATUS_OOM_DEVICE || !advice_get_integer (record, foretold, &need)
      || !advice_get_integer (record, ASSAY_FIELD_VRAM_BUDGET, &budget) || budget <= 0 || need <= budget
      || need > G_MAXINT64 - BUDGET_STEP)
    return;
  need = (need + BUDGET_STEP - 1) / BUDGET_STEP * BUDGET_STEP;
  advice_add (self, record, ASSAY_FIELD_VRAM_BUDGET, g_strdup_printf ("%" G_GINT64_FORMAT, need),
              _("The limit was set, and is not the machine's: raised to what was foretold, nothing else changes"));
}

void
advice_for_oom_device (AssayAdvice *self, AssayTask task, AssayRecord *record)
{
  const gboolean by_weights = record_is_filled_by_weights (record);
  if (!by_weights)
    {
      advice_add_input_scale (
          self, task, record,
          _("Most of the memory went to what grows with the input; cut too far, it is another task"));
      add_cache_types (self, record);
    }
  add_stronger_offload (self, record);
  advice_add_quantization (self, record, G_MAXUINT,
                           _("Fewer bits a weight; the output's quality must be judged anew"));
  add_dtype (self, record);
  if (by_weights)
    {
      advice_add_input_scale (
          self, task, record,
          _("Shrinks intermediate tensors and cache, not the weights; cut too far, it is another task"));
      add_cache_types (self, record);
    }
  add_budget (self, record);
}

/* The input stays: what it fills lies on the device, unless the device is the computer itself. */
void
advice_for_oom_host (AssayAdvice *self, AssayRecord *record)
{
  if (g_strcmp0 (advice_get_text (record, ASSAY_FIELD_WEIGHT_ACCESS), "read") == 0)
    advice_add (
        self, record, ASSAY_FIELD_WEIGHT_ACCESS, g_strdup ("mapped"),
        _("Weights used from the file need no memory of their own: the system can take their pages back"));
  advice_add_quantization (
      self, record, G_MAXUINT,
      _("Weights that wait in CPU memory shrink, if the runtime keeps them in that format there"));
  add_dtype (self, record);
  add_weaker_offload (self, record);
  if (!advice_can_offload (record))
    add_cache_types (self, record);
  advice_add_smaller_model (self, record);
}
