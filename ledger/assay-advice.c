/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-advice.c: from what happened to the one thing to change next.
 *
 * The table of the subject, row by row: each signal has its own axes and its own list of what to hold fixed.
 * The order of the candidates comes from the record (what filled the memory, in which phase it ended), so
 * that the first one touches what was short; every one moves one axis. Predicted peaks are the planner's to
 * fill. */
#include "assay-advice-private.h"

#include <glib/gi18n-lib.h>

#include "assay-gates-private.h"

/* The candidates */

static void
candidate_free (gpointer data)
{
  AssayCandidate *self = data;
  g_free (self->from);
  g_free (self->to);
  g_free (self->why);
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
  candidate->predicted_peak_vram = candidate->predicted_peak_ram = -1;
  g_ptr_array_add (self->candidates, candidate);
}

static void
advice_add_input_scale (AssayAdvice *self, AssayTask task, AssayRecord *record, const char *why)
{
  char *to;
  const AssayFieldId field = advice_smaller_input (task, record, &to);
  advice_add (self, record, field, to, why);
}

/* A format that no file is known to hold would be refused before the run: it is named as an example only. */
void
advice_add_quantization (AssayAdvice *self, AssayRecord *record, const char *why)
{
  gboolean at_floor;
  g_autofree char *to = advice_smaller_quantization (record, &at_floor);
  g_autofree char *longer = NULL;
  if (at_floor)
    return;
  if (!advice_has_stored_format (record))
    {
      advice_add (self, record, ASSAY_FIELD_QUANTIZATION, g_steal_pointer (&to), why);
      return;
    }
  if (to != NULL)
    longer = g_strdup_printf (_("%s. Choose a file of the same model with fewer bits, such as %s"), why, to);
  else
    longer = g_strdup_printf (_("%s. Choose a file of the same model with fewer bits"), why);
  advice_add (self, record, ASSAY_FIELD_QUANTIZATION, NULL, longer);
}

/* On the device cpu nothing waits anywhere else: there is no offload to choose. */
gboolean
advice_can_offload (AssayRecord *record)
{
  return g_strcmp0 (advice_get_text (record, ASSAY_FIELD_DEVICE), "cpu") != 0;
}

static void
advice_add_stronger_offload (AssayAdvice *self, AssayRecord *record)
{
  g_autofree char *to = advice_stronger_offload (advice_get_text (record, ASSAY_FIELD_OFFLOAD_MODE));
  if (to != NULL && advice_can_offload (record))
    advice_add (self, record, ASSAY_FIELD_OFFLOAD_MODE, g_steal_pointer (&to),
                _("Smaller units wait in CPU memory: the same numbers are computed, transfers cost time"));
}

static void
advice_add_smaller_model (AssayAdvice *self, AssayRecord *record)
{
  advice_add (self, record, ASSAY_FIELD_MODEL_ID, NULL,
              _("A smaller model needs less of everything; it is another model, so judge its output anew"));
}

/* Whether weights, rather than what grows with the input, filled the memory. */
static gboolean
record_is_filled_by_weights (AssayRecord *record)
{
  static const AssayFieldId scaled[] = { ASSAY_FIELD_PEAK_KV_CACHE, ASSAY_FIELD_PEAK_ACTIVATIONS,
                                         ASSAY_FIELD_PEAK_WORKSPACE };
  gint64 weights, bytes, others = 0;
  gboolean known = FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (scaled); i++)
    if (advice_get_integer (record, scaled[i], &bytes))
      {
        others += bytes;
        known = TRUE;
      }
  if (known && advice_get_integer (record, ASSAY_FIELD_PEAK_WEIGHTS, &weights))
    return weights >= others;
  const char *phase = assay_values_get_text (assay_record_get_outcome (record), ASSAY_FIELD_FAILED_PHASE);
  return phase == NULL || g_str_equal (phase, "load") || g_str_equal (phase, "convert");
}

static void
advice_for_oom_device (AssayAdvice *self, AssayTask task, AssayRecord *record)
{
  const gboolean by_weights = record_is_filled_by_weights (record);
  if (!by_weights)
    advice_add_input_scale (
        self, task, record,
        _("Most of the memory went to what grows with the input; cut too far, it is another task"));
  advice_add_stronger_offload (self, record);
  advice_add_quantization (self, record, _("Fewer bits a weight; the output's quality must be judged anew"));
  if (by_weights)
    advice_add_input_scale (
        self, task, record,
        _("Shrinks intermediate tensors and cache, not the weights; cut too far, it is another task"));
}

static gboolean
record_is_grouped (AssayRecord *record)
{
  return g_strcmp0 (advice_get_text (record, ASSAY_FIELD_OFFLOAD_MODE), "group") == 0;
}

static void
advice_for_oom_host (AssayAdvice *self, AssayRecord *record)
{
  const gboolean offloads = advice_can_offload (record);
  gint64 group;
  advice_add_quantization (
      self, record,
      _("Weights that wait in CPU memory shrink, if the runtime keeps them in that format there"));
  if (offloads && record_is_grouped (record)
      && advice_get_integer (record, ASSAY_FIELD_OFFLOAD_GRANULARITY, &group) && group > 1)
    advice_add (self, record, ASSAY_FIELD_OFFLOAD_GRANULARITY,
                g_strdup_printf ("%" G_GINT64_FORMAT, group / 2),
                _("Smaller groups need smaller pinned transfer buffers"));
  g_autofree char *weaker = advice_weaker_offload (advice_get_text (record, ASSAY_FIELD_OFFLOAD_MODE));
  if (offloads && weaker != NULL)
    advice_add (self, record, ASSAY_FIELD_OFFLOAD_MODE, g_steal_pointer (&weaker),
                _("Less waits in CPU memory, if the device has room for it"));
  advice_add_smaller_model (self, record);
}

/* What is known to be larger than the budget need not be tried without offload. */
static gboolean
record_can_fit_whole (AssayRecord *record)
{
  gint64 model, budget;
  return !advice_get_integer (record, ASSAY_FIELD_MODEL_BYTES, &model)
         || !advice_get_integer (record, ASSAY_FIELD_VRAM_BUDGET, &budget) || model < budget;
}

static void
advice_add_coarser_units (AssayAdvice *self, AssayRecord *record)
{
  const char *mode = advice_get_text (record, ASSAY_FIELD_OFFLOAD_MODE);
  const char *why = _("Larger units move at once: fewer transfers and waits, more memory on the device");
  gint64 group;
  if (!advice_can_offload (record))
    return;
  if (record_is_grouped (record))
    {
      const gboolean known = advice_get_integer (record, ASSAY_FIELD_OFFLOAD_GRANULARITY, &group);
      if (!known || group < 1024)
        advice_add (self, record, ASSAY_FIELD_OFFLOAD_GRANULARITY,
                    known ? g_strdup_printf ("%" G_GINT64_FORMAT, MIN (group * 2, 1024)) : NULL, why);
      return;
    }
  g_autofree char *weaker = advice_weaker_offload (mode);
  if (weaker != NULL && (!g_str_equal (weaker, "none") || record_can_fit_whole (record)))
    advice_add (self, record, ASSAY_FIELD_OFFLOAD_MODE, g_steal_pointer (&weaker), why);
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

static char *
criteria_dup_ids (const AssayCriteria *criteria)
{
  GString *ids = g_string_new (NULL);
  for (guint i = 0; i < criteria->criteria->len; i++)
    g_string_append_printf (ids, "%s%s", i > 0 ? ", " : "",
                            ((const AssayCriterion *) g_ptr_array_index (criteria->criteria, i))->id);
  return g_string_free (ids, ids->len == 0);
}

static void
advice_add_criterion (AssayAdvice *self, AssayLedger *ledger, AssayRecord *record)
{
  advice_add (
      self, record, ASSAY_FIELD_INVALID, NULL,
      _("The criterion may ask for something else than the purpose; earlier reviews keep the old one"));
  AssayCandidate *candidate = g_ptr_array_index (self->candidates, self->candidates->len - 1);
  candidate->from = criteria_dup_ids (assay_ledger_get_criteria (ledger));
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

/* What to hold fixed and check */

static void
held_add_set (GStrvBuilder *held, AssayRecord *record, const AssayFieldId *fields, gsize n)
{
  for (gsize i = 0; i < n; i++)
    if (assay_values_get_state (assay_record_get_values_for (record, fields[i]), fields[i])
        == ASSAY_VALUE_SET)
      g_strv_builder_add (held, assay_field_get_info (fields[i])->name);
}

static void
held_add_input (GStrvBuilder *held, AssayRecord *record)
{
  static const AssayFieldId fields[] = {
    ASSAY_FIELD_PROMPT,           ASSAY_FIELD_QUESTION_SET,     ASSAY_FIELD_SYSTEM_PROMPT,
    ASSAY_FIELD_REFERENCE_INPUTS, ASSAY_FIELD_CONDITION_INPUTS, ASSAY_FIELD_PROMPT_STRUCTURE,
    ASSAY_FIELD_INPUT_SIZE,       ASSAY_FIELD_CONTEXT_LENGTH,   ASSAY_FIELD_WIDTH,
    ASSAY_FIELD_HEIGHT,           ASSAY_FIELD_BATCH_SIZE,
  };
  held_add_set (held, record, fields, G_N_ELEMENTS (fields));
}

/* Nothing is wrong, so everything that could explain a difference stays as it was. */
static void
held_add_everything (GStrvBuilder *held, AssayRecord *record)
{
  static const AssayFieldId fields[] = {
    ASSAY_FIELD_MODEL_ID,      ASSAY_FIELD_QUANTIZATION,  ASSAY_FIELD_COMPUTE_DTYPE,
    ASSAY_FIELD_RUNTIME,       ASSAY_FIELD_DEVICE,        ASSAY_FIELD_VRAM_BUDGET,
    ASSAY_FIELD_OFFLOAD_MODE,  ASSAY_FIELD_OFFLOAD_GRANULARITY, ASSAY_FIELD_THREADS,
    ASSAY_FIELD_KV_CACHE_TYPE, ASSAY_FIELD_STEPS,         ASSAY_FIELD_MAX_TOKENS,
    ASSAY_FIELD_TEMPERATURE,   ASSAY_FIELD_SEED,
  };
  held_add_set (held, record, fields, G_N_ELEMENTS (fields));
  held_add_input (held, record);
  g_strv_builder_add (held, assay_axis_get_name (ASSAY_AXIS_EVALUATION_CRITERION));
}

static char **
advice_dup_held (AssaySignal signal, AssayRecord *record)
{
  static const AssayFieldId devices[]
      = { ASSAY_FIELD_DEVICE, ASSAY_FIELD_DEVICE_NAME, ASSAY_FIELD_VRAM_BUDGET };
  static const AssayFieldId placement[] = { ASSAY_FIELD_DEVICE,       ASSAY_FIELD_VRAM_BUDGET,
                                            ASSAY_FIELD_OFFLOAD_MODE, ASSAY_FIELD_OFFLOAD_GRANULARITY,
                                            ASSAY_FIELD_DEVICE_MAP,   ASSAY_FIELD_QUANTIZATION };
  const char *criterion = assay_axis_get_name (ASSAY_AXIS_EVALUATION_CRITERION);
  g_autoptr(GStrvBuilder) held = g_strv_builder_new ();
  if (signal == ASSAY_SIGNAL_OOM_DEVICE)
    g_strv_builder_add_many (held, "model_id", criterion, "elapsed_seconds", NULL);
  else if (signal == ASSAY_SIGNAL_OOM_HOST)
    {
      g_strv_builder_add (held, "model_id");
      held_add_input (held, record);
      g_strv_builder_add (held, criterion);
    }
  else if (signal == ASSAY_SIGNAL_TOO_SLOW)
    {
      g_strv_builder_add (held, "quality_note");
      held_add_set (held, record, devices, G_N_ELEMENTS (devices));
      held_add_input (held, record);
    }
  else if (signal == ASSAY_SIGNAL_QUALITY_MISS)
    {
      held_add_set (held, record, placement, G_N_ELEMENTS (placement));
      g_strv_builder_add (held, "status");
    }
  else if (assay_record_get_status (record) == ASSAY_STATUS_COMPLETED)
    held_add_everything (held, record);
  return g_strv_builder_end (held);
}

static gboolean
advice_moves (const AssayAdvice *self, const char *name)
{
  for (guint i = 0; i < self->candidates->len; i++)
    if (((const AssayCandidate *) g_ptr_array_index (self->candidates, i))->axis == assay_axis_from_name (name))
      return TRUE;
  return FALSE;
}

static char **
advice_dup_held_always (const AssayAdvice *self)
{
  g_autoptr(GStrvBuilder) held = g_strv_builder_new ();
  for (char **name = self->held_with_candidates; *name != NULL; name++)
    if (!advice_moves (self, *name))
      g_strv_builder_add (held, *name);
  return g_strv_builder_end (held);
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
  else if (self->signal == ASSAY_SIGNAL_QUALITY_MISS)
    advice_for_quality_miss (self, ledger, record);
  else if (assay_record_get_status (record) == ASSAY_STATUS_COMPLETED && !assay_record_is_damaged (record))
    advice_explore (self, task, record);
  self->held_with_candidates = advice_dup_held (self->signal, record);
  self->held = advice_dup_held_always (self);
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
