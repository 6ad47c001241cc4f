/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-advice.c: from what happened to the one thing to change next.
 *
 * The table of the subject, row by row: each signal has its own axes and its own list of what to hold fixed.
 * The order of the candidates comes from the record (what filled the memory, in which phase it ended), so
 * that the first one touches what was short; every one moves one axis. What a planner says of them is filled in and
 * ranked in assay-advice-rank.c. */
#include "assay-advice-private.h"

#include <glib/gi18n-lib.h>

#include "assay-gates-private.h"
#include "assay-repetition.h"

/* The candidates */

static void
candidate_free (gpointer data)
{
  AssayCandidate *self = data;
  g_free (self->from);
  g_free (self->to);
  g_free (self->why);
  g_free (self->problem);
  g_free (self);
}

void
advice_add (AssayAdvice *self, AssayRecord *record, AssayFieldId field, char *to_taken, const char *why)
{
  AssayCandidate *candidate = g_new0 (AssayCandidate, 1);
  candidate->axis
      = field != ASSAY_FIELD_INVALID ? assay_field_get_info (field)->axis : ASSAY_AXIS_EVALUATION_CRITERION;
  candidate->field = field;
  candidate->from = field != ASSAY_FIELD_INVALID ? advice_dup_value (record, field) : NULL;
  candidate->to = to_taken;
  candidate->why = g_strdup (why);
  candidate->predicted_peak_vram = candidate->predicted_peak_ram = candidate->predicted_link_bytes = -1;
  candidate->predicted_seconds = -1;
  candidate->fits = TRUE; /* as far as is known */
  g_ptr_array_add (self->candidates, candidate);
}

void
advice_add_input_scale (AssayAdvice *self, AssayTask task, AssayRecord *record, const char *why)
{
  char *to;
  const AssayFieldId field = advice_smaller_input (task, record, &to);
  advice_add (self, record, field, to, why);
}

void
advice_add_smaller_model (AssayAdvice *self, AssayRecord *record)
{
  advice_add (self, record, ASSAY_FIELD_MODEL_ID, NULL,
              _("A smaller model needs less of everything; it is another model, so judge its output anew"));
}

/* On the device cpu nothing waits anywhere else: there is no offload to choose. */
gboolean
advice_can_offload (AssayRecord *record)
{
  return g_strcmp0 (advice_get_text (record, ASSAY_FIELD_DEVICE), "cpu") != 0;
}

gboolean
advice_is_grouped (AssayRecord *record)
{
  return g_strcmp0 (advice_get_text (record, ASSAY_FIELD_OFFLOAD_MODE), "group") == 0;
}

/* What is known to be larger than the budget need not be tried without offload. What a pass moves are the weights as they
 * are computed with; the file holds them as they were stored. */
static gboolean
record_can_fit_whole (AssayRecord *record)
{
  gint64 weights, budget;
  return (!advice_get_integer (record, ASSAY_FIELD_LINK_PASS_BYTES, &weights)
          && !advice_get_integer (record, ASSAY_FIELD_MODEL_BYTES, &weights))
         || !advice_get_integer (record, ASSAY_FIELD_VRAM_BUDGET, &budget) || budget == 0 || weights < budget;
}

static void
advice_add_coarser_units (AssayAdvice *self, AssayRecord *record)
{
  const char *mode = advice_get_text (record, ASSAY_FIELD_OFFLOAD_MODE);
  const char *why = _("Larger units move at once: fewer transfers and waits, more memory on the device");
  gint64 group;
  if (!advice_can_offload (record))
    return;
  if (advice_is_prefetch (record, FALSE) && advice_is_offloaded (record))
    advice_add (self, record, ASSAY_FIELD_PREFETCH, g_strdup ("true"),
                _("The next unit is copied while this one computes, where there is room for both"));
  const gboolean known = advice_get_integer (record, ASSAY_FIELD_OFFLOAD_GRANULARITY, &group);
  if (advice_is_grouped (record) && (!known || group < 1024))
    advice_add (self, record, ASSAY_FIELD_OFFLOAD_GRANULARITY,
                known ? g_strdup_printf ("%" G_GINT64_FORMAT, CLAMP (group * 2, 1, 1024)) : NULL, why);
  g_auto(GStrv) weaker = advice_dup_offload_modes (mode, -1);
  for (guint i = 0; weaker[i] != NULL; i++)
    if (!g_str_equal (weaker[i], "none") || record_can_fit_whole (record))
      advice_add (self, record, ASSAY_FIELD_OFFLOAD_MODE, g_strdup (weaker[i]), why);
}

static void
advice_for_too_slow (AssayAdvice *self, AssayTask task, AssayRecord *record)
{
  const char *why = _("Less input is less work; the same task must still fit");
  gint64 steps;
  advice_add_coarser_units (self, record);
  advice_add_smaller_model (self, record);
  if (task == ASSAY_TASK_IMAGE && advice_get_integer (record, ASSAY_FIELD_STEPS, &steps) && steps > 1)
    advice_add (self, record, ASSAY_FIELD_STEPS, g_strdup_printf ("%" G_GINT64_FORMAT, steps / 2),
                _("Time grows with the steps; memory does not"));
  else
    advice_add_input_scale (self, task, record, why);
  /* Correct but slow: the output is worth keeping, so a faster way to the same one is worth a trial. */
  if (assay_gates_judge_quality (record) == ASSAY_VERDICT_PASS)
    advice_add (self, record, ASSAY_FIELD_RUNTIME, NULL,
                _("The output is good: a faster runtime may keep it so"));
}

AssayFieldId
advice_get_prompt_field (AssayTask task, AssayRecord *record)
{
  const char *questions = advice_get_text (record, ASSAY_FIELD_QUESTION_SET);
  if (task == ASSAY_TASK_MASK && advice_get_text (record, ASSAY_FIELD_PROMPT) == NULL)
    return ASSAY_FIELD_PROMPT_STRUCTURE;
  return task == ASSAY_TASK_LANGUAGE && questions != NULL && *questions != '\0' ? ASSAY_FIELD_SYSTEM_PROMPT
                                                                               : ASSAY_FIELD_PROMPT;
}

static void
advice_add_criterion (AssayAdvice *self, AssayLedger *ledger, AssayRecord *record)
{
  advice_add (
      self, record, ASSAY_FIELD_INVALID, NULL,
      _("The criterion may ask for something else than the purpose: change it in the ledger's criteria; earlier "
         "reviews keep the old one"));
  AssayCandidate *candidate = g_ptr_array_index (self->candidates, self->candidates->len - 1);
  candidate->from = assay_criteria_dup_ids (assay_ledger_get_criteria (ledger));
}

static void
advice_for_quality_miss (AssayAdvice *self, AssayLedger *ledger, AssayRecord *record)
{
  const AssayTask task = assay_ledger_get_task (ledger);
  const AssayFieldId prompt = advice_get_prompt_field (task, record);
  advice_add (
      self, record, prompt, NULL,
      prompt == ASSAY_FIELD_SYSTEM_PROMPT
          ? _("Says what is wanted more clearly; the questions, and memory and time, stay what they are")
          : _("Says what is wanted more clearly; memory and time stay nearly what they are"));
  if (task != ASSAY_TASK_LANGUAGE)
    advice_add (self, record, ASSAY_FIELD_REFERENCE_INPUTS, NULL,
                _("Shows what is wanted instead of saying it"));
  advice_add (self, record, ASSAY_FIELD_MODEL_ID, NULL,
              _("Another model may be able to do what this one cannot"));
  advice_add_criterion (self, ledger, record);
}

AssayAdvice *
assay_advice_for (AssayLedger *ledger, AssayRecord *record)
{
  g_return_val_if_fail (ASSAY_IS_LEDGER (ledger) && ASSAY_IS_RECORD (record), NULL);
  AssayAdvice *self = g_new0 (AssayAdvice, 1);
  const AssayTask task = assay_ledger_get_task (ledger);
  self->signal = advice_find_signal (ledger, record);
  self->evidence = advice_dup_evidence (self->signal, ledger, record);
  self->candidates = g_ptr_array_new_with_free_func (candidate_free);
  self->words = advice_get_words (self->signal, record);
  if (self->signal == ASSAY_SIGNAL_OOM_DEVICE)
    advice_for_oom_device (self, task, record);
  else if (self->signal == ASSAY_SIGNAL_OOM_HOST)
    advice_for_oom_host (self, record);
  else if (self->signal == ASSAY_SIGNAL_TOO_SLOW)
    advice_for_too_slow (self, task, record);
  else if (assay_record_get_status (record) == ASSAY_STATUS_COMPLETED && assay_repetition_is_suspicious (record))
    advice_for_repetition (self, task, record); /* also where a person found the output bad: it is why */
  else if (self->signal == ASSAY_SIGNAL_QUALITY_MISS)
    advice_for_quality_miss (self, ledger, record);
  else if (assay_record_get_status (record) == ASSAY_STATUS_COMPLETED && !assay_record_is_damaged (record))
    advice_explore (self, task, record);
  advice_hold (self, record);
  self->review_wanted = self->signal == ASSAY_SIGNAL_NONE && advice_awaits_review (record);
  return self;
}

void
assay_advice_free (AssayAdvice *self)
{
  if (self == NULL)
    return;
  g_free (self->evidence);
  g_ptr_array_unref (self->candidates);
  g_strfreev (self->held);
  g_strfreev (self->held_with_candidates);
  g_free (self);
}
