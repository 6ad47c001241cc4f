/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-advice-explore.c: what to change when nothing calls for a change.
 *
 * A run that fits is a place to measure from: each step moves one axis and says what the two runs together would
 * teach. Steps whose new value is known come first; what only a person can say comes last. */
#include "assay-advice-private.h"

#include <glib/gi18n-lib.h>

#include "assay-axes-private.h"
#include "assay-gates-private.h"

gboolean
advice_awaits_review (AssayRecord *record)
{
  return assay_record_get_status (record) == ASSAY_STATUS_COMPLETED && !assay_record_is_damaged (record)
         && assay_gates_judge_quality (record) == ASSAY_VERDICT_NOT_JUDGED;
}

static void
explore_quantization (AssayAdvice *self, AssayRecord *record)
{
  if (advice_get_text (record, ASSAY_FIELD_QUANTIZATION) != NULL)
    advice_add_quantization (
        self, record, 1, _("Teaches how much memory fewer bits a weight save, and whether the answers stay as good"));
}

static void
explore_offload (AssayAdvice *self, AssayRecord *record)
{
  g_auto(GStrv) modes = advice_dup_offload_modes (advice_get_text (record, ASSAY_FIELD_OFFLOAD_MODE), 1);
  if (modes[0] != NULL && advice_can_offload (record))
    advice_add (self, record, ASSAY_FIELD_OFFLOAD_MODE, g_strdup (modes[0]),
                _("Teaches how much device memory the same answers can do without, and what it costs in time"));
}

static void
explore_compute_type (AssayAdvice *self, AssayRecord *record)
{
  const char *type = advice_get_text (record, ASSAY_FIELD_COMPUTE_DTYPE);
  if (g_strcmp0 (type, "float32") == 0)
    advice_add (self, record, ASSAY_FIELD_COMPUTE_DTYPE, g_strdup ("int8"),
                _("Teaches how much time rounded products save, and whether it can be seen in the answers"));
  else if (type != NULL)
    advice_add (self, record, ASSAY_FIELD_COMPUTE_DTYPE, g_strdup ("float32"),
                _("Teaches whether rounding shows in the answers, and what exact products cost in time"));
}

static void
explore_less_input (AssayAdvice *self, AssayTask task, AssayRecord *record)
{
  char *to;
  const AssayFieldId field = advice_smaller_input (task, record, &to);
  if (to != NULL)
    advice_add (self, record, field, to,
                _("Teaches how much of the memory grows with the input, and whether the task still fits"));
}

/* How far up is not in the record: an engine refuses what is beyond the model's training. */
static void
explore_more_context (AssayAdvice *self, AssayTask task, AssayRecord *record)
{
  gint64 context;
  if (task == ASSAY_TASK_LANGUAGE && advice_get_integer (record, ASSAY_FIELD_CONTEXT_LENGTH, &context))
    advice_add (self, record, ASSAY_FIELD_CONTEXT_LENGTH, NULL,
                _("Teaches what room for longer texts costs in memory, before one is needed; more than the model "
                   "was trained for is refused"));
}

static void
explore_fewer_steps (AssayAdvice *self, AssayTask task, AssayRecord *record)
{
  gint64 steps;
  if (task == ASSAY_TASK_IMAGE && advice_get_integer (record, ASSAY_FIELD_STEPS, &steps) && steps > 1)
    advice_add (self, record, ASSAY_FIELD_STEPS, g_strdup_printf ("%" G_GINT64_FORMAT, steps / 2),
                _("Teaches whether the image needs so many steps; time grows with them, memory does not"));
}

static void
explore_by_person (AssayAdvice *self, AssayTask task, AssayRecord *record)
{
  advice_add (self, record, ASSAY_FIELD_MODEL_ID, NULL,
              _("Teaches whether another model does the same task with less, or does it better"));
  advice_add (self, record, advice_get_prompt_field (task, record), NULL,
              _("Teaches how much the answers depend on how it is said; memory and time stay nearly the same"));
}

static void
repetition_check_device (AssayAdvice *self, AssayRecord *record, gboolean on_cpu)
{
  advice_add (self, record, ASSAY_FIELD_DEVICE, on_cpu ? NULL : g_strdup ("cpu"),
              on_cpu ? _("The same trial on another device: the same pattern there clears this one's arithmetic")
                     : _("The output is one pattern over and over: the same trial on another device tells whether this one's "
                         "arithmetic broke"));
}

/* Where nothing is drawn, a loop that was entered is never left. */
static void
repetition_draw (AssayAdvice *self, AssayTask task, AssayRecord *record)
{
  if (task == ASSAY_TASK_LANGUAGE && axes_side_is_greedy (&(AssayAxesSide){ .record = record }))
    advice_add (self, record, ASSAY_FIELD_TEMPERATURE, g_strdup ("0.7"),
                _("Always taking the likeliest token runs small models into loops: drawing tells whether that is why"));
}

/* One pattern over and over has two causes: arithmetic that broke, which a device's own kernels are the first suspects
 * of, and a model that loops, as small ones do where nothing is drawn. On the processor the second is likelier. */
void
advice_for_repetition (AssayAdvice *self, AssayTask task, AssayRecord *record)
{
  const char *device = advice_get_text (record, ASSAY_FIELD_DEVICE);
  const gboolean on_cpu = device == NULL || g_str_equal (device, "cpu");
  if (!on_cpu)
    repetition_check_device (self, record, FALSE);
  repetition_draw (self, task, record);
  advice_add (self, record, ASSAY_FIELD_MODEL_ID, NULL, _("Another model may be able to do what this one cannot"));
  advice_add (self, record, advice_get_prompt_field (task, record), NULL,
              _("Teaches how much the answers depend on how it is said; memory and time stay nearly the same"));
  if (on_cpu)
    repetition_check_device (self, record, TRUE);
}

void
advice_explore (AssayAdvice *self, AssayTask task, AssayRecord *record)
{
  const gboolean stored = advice_has_stored_format (record);
  if (!stored)
    explore_quantization (self, record);
  explore_offload (self, record);
  explore_compute_type (self, record);
  explore_less_input (self, task, record);
  explore_fewer_steps (self, task, record);
  if (stored)
    explore_quantization (self, record);
  explore_more_context (self, task, record);
  explore_by_person (self, task, record);
}
