/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-chain-change.c: why a step was taken, what changed with it, and what was foretold of it.
 *
 * What changed is read from the two runs, not from the plan: a plan may be of another child by now, or not have been
 * kept. Why is the plan's, where it is the one that was followed; else what the run before calls for. */
#include "assay-chain-private.h"

#include <glib/gi18n-lib.h>

#include "assay-advice-private.h"
#include "assay-axes-private.h"
#include "assay-child.h"
#include "assay-prediction.h"
#include "assay-repetition.h"

static void
figures_add (GString *figures, AssayFieldId field, gint64 bytes)
{
  if (bytes < 0)
    return;
  g_autofree char *shown = assay_format_bytes ((guint64) bytes);
  g_string_append_printf (figures, "%s%s %s", figures->len > 0 ? "; " : "", assay_field_get_info (field)->name, shown);
}

/* "peak_vram 400 MiB; peak_ram_engine 12 MiB; at least 0.56 s"; NULL where nothing was foretold. */
static char *
plan_dup_foretold (const AssayNextTrial *next)
{
  GString *figures = g_string_new (NULL);
  figures_add (figures, ASSAY_FIELD_PEAK_VRAM, next->predicted_peak_vram);
  figures_add (figures, ASSAY_FIELD_PEAK_RAM_ENGINE, next->predicted_peak_ram);
  if (next->predicted_ns > 0)
    {
      g_autofree char *seconds = assay_format_seconds ((double) next->predicted_ns / 1e9);
      g_string_append_printf (figures, _("; at least %s"), seconds);
    }
  return g_string_free (figures, figures->len == 0);
}

static char *
run_dup_foretold (AssayRecord *run)
{
  static const struct { AssayFieldId predicted, measured; } peaks[]
      = { { ASSAY_FIELD_PREDICTED_PEAK_VRAM, ASSAY_FIELD_PEAK_VRAM },
          { ASSAY_FIELD_PREDICTED_PEAK_RAM, ASSAY_FIELD_PEAK_RAM_ENGINE } };
  GString *figures = g_string_new (NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (peaks); i++)
    {
      gint64 bytes;
      if (assay_values_get_integer (assay_record_get_burden (run), peaks[i].predicted, &bytes))
        figures_add (figures, peaks[i].measured, bytes);
    }
  return g_string_free (figures, figures->len == 0);
}

/* When the change was chosen and when it was run, apart: the second knows more. */
static void
step_add_foretold (AssayChainStep *step, const AssayNextTrial *plan, AssayRecord *run)
{
  g_autofree char *chosen = plan != NULL ? plan_dup_foretold (plan) : NULL;
  g_autofree char *before = run != NULL ? run_dup_foretold (run) : NULL;
  if (chosen != NULL && (before == NULL || g_str_equal (chosen, before)))
    step->predicted = g_steal_pointer (&chosen);
  else if (chosen != NULL)
    step->predicted = g_strdup_printf (_("%s (when it was chosen); %s (before it ran)"), chosen, before);
  else
    step->predicted = g_steal_pointer (&before);
  chain_step_add_line (step, TRUE, C_ ("chain", "predicted"),
                       step->predicted != NULL ? step->predicted : _("nothing was foretold"));
}

/* Signals */

static AssaySignal
signal_from_name (const char *name)
{
  AssaySignal signal = ASSAY_SIGNAL_NONE;
  while (signal < ASSAY_N_SIGNALS && g_strcmp0 (assay_signal_get_name (signal), name) != 0)
    signal++;
  return signal;
}

/* None of the four, and still something to be seen in the run: what its advice says is what was chosen with. */
static char *
signal_dup_sight (AssayRecord *parent)
{
  if (assay_record_is_damaged (parent) || assay_record_get_status (parent) != ASSAY_STATUS_COMPLETED)
    return NULL;
  g_autofree char *note = assay_repetition_dup_note (parent);
  return note != NULL ? g_strdup_printf ("%s · %s", advice_get_words (ASSAY_SIGNAL_NONE, parent), note) : NULL;
}

static void
step_add_signal (AssayChainStep *step, AssayRecord *parent)
{
  const AssaySignal signal = signal_from_name (step->signal);
  g_autofree char *words = signal == ASSAY_SIGNAL_NONE ? signal_dup_sight (parent) : NULL;
  if (words == NULL)
    words = signal < ASSAY_N_SIGNALS ? g_strdup_printf ("%s: %s", step->signal, assay_signal_get_words (signal))
                                     : g_strdup (step->signal);
  g_autofree char *unplanned = g_strdup_printf (_("%s (no plan of it was kept: so the run before calls for)"), words);
  chain_step_add_line (step, TRUE, C_ ("chain", "signal"), step->planned ? words : unplanned);
}

static char *
parent_dup_signal (AssayLedger *ledger, AssayRecord *parent)
{
  if (assay_record_is_damaged (parent))
    return g_strdup ("none");
  g_autoptr(AssayAdvice) advice = assay_advice_for (ledger, parent);
  return g_strdup (assay_signal_get_name (advice->signal));
}

/* Changes */

static void
step_set_change (AssayChainStep *step, const char *axis, char *from_taken, char *to_taken)
{
  step->axis = chain_dup_line (axis);
  step->from = from_taken;
  step->to = to_taken;
  step->change = g_strdup_printf ("%s: %s → %s", step->axis, step->from, step->to);
}

static const AssayDifference *
differences_find (GPtrArray *differences, AssayAxis axis)
{
  for (guint i = 0; i < differences->len; i++)
    {
      const AssayDifference *difference = g_ptr_array_index (differences, i);
      if (difference->axis == axis)
        return difference;
    }
  return NULL;
}

/* The one that was planned, or the only one. */
static const AssayDifference *
differences_choose (GPtrArray *differences, AssayAxis planned)
{
  const AssayDifference *only = NULL;
  if (planned != ASSAY_AXIS_NONE)
    return differences_find (differences, planned);
  if (assay_axes_count (differences) != 1)
    return NULL;
  for (guint i = 0; only == NULL && i < differences->len; i++)
    {
      const AssayDifference *difference = g_ptr_array_index (differences, i);
      only = difference->implied ? NULL : difference;
    }
  return only;
}

static void
step_take_difference (AssayChainStep *step, const AssayDifference *difference, const char *changed)
{
  const AssayFieldId named = assay_field_from_name (changed != NULL ? changed : "");
  const char *name = named == difference->field ? changed : assay_field_get_info (difference->field)->name;
  char *from, *to;
  axes_dup_shown (difference->field, difference->from, difference->to, &from, &to);
  step_set_change (step, name, from, to);
}

/* Of an axis that no run tells (the ledger's criteria), the plan is all there is. */
static void
step_take_change_without (AssayChainStep *step, GPtrArray *differences, const char *changed, const AssayNextTrial *plan)
{
  g_autofree char *several = assay_axes_describe (differences);
  if (plan != NULL && assay_axis_from_name (plan->axis) == ASSAY_AXIS_EVALUATION_CRITERION)
    {
      step_set_change (step, plan->axis, chain_dup_line (plan->from != NULL ? plan->from : _("not set")),
                       chain_dup_line (plan->to != NULL ? plan->to : _("not set")));
      return;
    }
  step->axis = changed != NULL ? chain_dup_line (changed) : NULL;
  if (changed != NULL)
    step->change = g_strdup_printf (_("%s was to change, and did not"), step->axis);
  else if (*several != '\0')
    step->change = g_strdup_printf (_("several at once: %s"), several);
  else
    step->change = g_strdup (_("nothing changed: a repeat"));
}

static void
step_add_verdict (AssayChainStep *step, AssayRecord *parent, AssayRecord *child)
{
  g_autoptr(AssayChildVerdict) verdict = assay_child_verdict (parent, child);
  if (verdict == NULL)
    return;
  g_autofree char *text = g_strdup_printf ("%s %s", verdict->satisfied ? "✓" : "✕", verdict->words);
  chain_step_add_line (step, TRUE, C_ ("chain", "one axis at a time"), text);
}

/* The plan of the run before is this step's where it moves what this run moved. */
static const AssayNextTrial *
parent_get_plan (AssayRecord *parent, const char *changed)
{
  const AssayNextTrial *next = assay_record_is_damaged (parent) ? NULL : assay_record_get_next_trial (parent);
  const AssayAxis axis = assay_axis_from_name (changed);
  return next != NULL && axis != ASSAY_AXIS_NONE && assay_axis_from_name (next->axis) == axis ? next : NULL;
}

static void
step_tell_change (AssayChainStep *step, AssayRecord *parent, AssayRecord *child, const AssayNextTrial *plan)
{
  const char *changed = assay_record_get_changed (child);
  if (assay_record_is_damaged (parent) || assay_record_is_damaged (child))
    {
      step->change = g_strdup (_("unknown: one of the two runs is damaged"));
      return;
    }
  g_autoptr(GPtrArray) differences = assay_axes_diff (parent, child);
  const AssayDifference *difference = differences_choose (differences, assay_axis_from_name (changed));
  if (difference != NULL)
    step_take_difference (step, difference, changed);
  else
    step_take_change_without (step, differences, changed, plan);
}

void
chain_step_take_change (AssayChainStep *step, AssayLedger *ledger, AssayRecord *parent, AssayRecord *child)
{
  const AssayNextTrial *plan = parent_get_plan (parent, assay_record_get_changed (child));
  step->planned = plan != NULL;
  step->signal = plan != NULL ? chain_dup_line (plan->signal) : parent_dup_signal (ledger, parent);
  step->note = plan != NULL && plan->note != NULL ? chain_dup_line (plan->note) : NULL;
  step_tell_change (step, parent, child, plan);
  step_add_signal (step, parent);
  chain_step_add_line (step, TRUE, C_ ("chain", "changed"), step->change);
  step_add_foretold (step, plan, assay_record_is_damaged (child) ? NULL : child);
  chain_step_add_line (step, TRUE, C_ ("chain", "note"), step->note);
  step_add_verdict (step, parent, child);
}

/* A plan that nobody has run yet. */
void
chain_step_take_plan (AssayChainStep *step, AssayRecord *parent)
{
  const AssayNextTrial *next = assay_record_get_next_trial (parent);
  const AssayFieldId field = assay_field_from_name (next->axis != NULL ? next->axis : "");
  char *from, *to;
  step->planned = TRUE;
  step->signal = chain_dup_line (next->signal);
  step->note = next->note != NULL ? chain_dup_line (next->note) : NULL;
  if (field != ASSAY_FIELD_INVALID)
    axes_dup_shown (field, next->from, next->to, &from, &to);
  else
    {
      from = chain_dup_line (next->from != NULL ? next->from : _("not set"));
      to = chain_dup_line (next->to != NULL ? next->to : _("not set"));
    }
  step_set_change (step, next->axis, from, to);
  step_add_signal (step, parent);
  chain_step_add_line (step, TRUE, C_ ("chain", "next trial"), step->change);
  step_add_foretold (step, next, NULL);
  chain_step_add_line (step, TRUE, C_ ("chain", "note"), step->note);
  chain_step_add_line (step, TRUE, C_ ("chain", "cannot be followed"), next->invalid);
}
