/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-compare.c: what a comparison of two runs may claim.
 *
 * An effect is claimed only where exactly one axis moved, by somebody's choice, and both runs are what they say they
 * are. Everything else gets a sentence too, which names the reason: the person then knows which run is missing. */
#include "assay-compare.h"

#include "assay-axes-private.h"
#include "assay-compare-private.h"
#include "assay-repeats.h"

#include <math.h>

#include <glib/gi18n-lib.h>

/* Requested and effective */

static gboolean
field_may_deviate (AssayRecord *record, AssayFieldId field)
{
  return assay_field_get_info (field)->axis != ASSAY_AXIS_NONE /* where a file lies explains nothing */
         && assay_values_get_state (assay_record_get_effective (record), field) != ASSAY_VALUE_UNSET
         && !axes_leaves_choice (assay_record_get_conditions (record), field);
}

char *
assay_compare_dup_deviation (AssayRecord *record)
{
  g_return_val_if_fail (ASSAY_IS_RECORD (record), NULL);
  GString *text = g_string_new (NULL);
  for (AssayFieldId field = 0; field < ASSAY_N_FIELDS; field++)
    {
      if (!field_may_deviate (record, field))
        continue;
      g_autofree char *was = assay_values_dup_text (assay_record_get_effective (record), field);
      g_autofree char *wanted = assay_values_dup_text (assay_record_get_conditions (record), field);
      if (g_strcmp0 (was, wanted) != 0)
        compare_add (text, _("%s: %s instead of %s"), assay_field_get_info (field)->name,
                      was != NULL ? was : _("unknown"), wanted);
    }
  return g_string_free (text, text->len == 0);
}

gboolean
assay_compare_left_choice (AssayRecord *record, AssayFieldId field)
{
  g_return_val_if_fail (ASSAY_IS_RECORD (record) && field < ASSAY_N_FIELDS, FALSE);
  return axes_leaves_choice (assay_record_get_conditions (record), field);
}

gboolean
assay_compare_is_as_asked (AssayRecord *record)
{
  g_return_val_if_fail (ASSAY_IS_RECORD (record), FALSE);
  g_autofree char *deviation = assay_record_get_accepted (record) != NULL ? NULL : assay_compare_dup_deviation (record);
  return deviation == NULL;
}

/* Reasons to refuse */

const char *
assay_comparison_kind_get_name (AssayComparisonKind kind)
{
  static const char *const names[] = { "same", "effect", "confounded", "refused", "no_effect" };
  g_return_val_if_fail (kind < G_N_ELEMENTS (names), NULL);
  return names[kind];
}

const char *
assay_comparison_reason_get_name (AssayComparisonReason reason)
{
  static const char *const names[]
      = { "none",         "same_run",       "damaged",        "not_completed",       "not_as_asked",        "mixed_memory_kinds",
          "several_axes", "driver_changed", "model_replaced", "hidden_axis_changed", "no_observable_effect" };
  g_return_val_if_fail (reason < G_N_ELEMENTS (names), NULL);
  return names[reason];
}

char *
compare_refuse_run (AssayRecord *record, gboolean accepted, AssayComparisonReason *reason)
{
  const char *id = assay_record_get_id (record);
  const AssayRunStatus status = assay_record_get_status (record);
  *reason = ASSAY_REASON_DAMAGED;
  if (assay_record_is_damaged (record))
    return g_strdup_printf (_("not compared: the entry of run %s is damaged"), id);
  *reason = ASSAY_REASON_NOT_COMPLETED;
  if (status != ASSAY_STATUS_COMPLETED)
    return g_strdup_printf (_("not compared: run %s did not complete (%s)"), id,
                            assay_run_status_get_name (status));
  *reason = ASSAY_REASON_NOT_AS_ASKED;
  g_autofree char *deviation = accepted || assay_compare_is_as_asked (record) ? NULL : assay_compare_dup_deviation (record);
  if (deviation != NULL)
    return g_strdup_printf (
        _("not compared: in run %s, what was in effect is not what was asked for (%s); accept it "
           "to compare what was in effect"),
        id, deviation);
  *reason = ASSAY_REASON_NONE;
  return NULL;
}

static char *
refuse_itself (AssayRecord *a, AssayRecord *b, AssayComparisonReason *reason)
{
  if (a != b && g_strcmp0 (assay_record_get_id (a), assay_record_get_id (b)) != 0)
    return NULL;
  *reason = ASSAY_REASON_SAME_RUN;
  return g_strdup_printf (_("not compared: this is one and the same run (%s); choose two"), assay_record_get_id (a));
}

/* A figure of the allocator beside one of the driver: their ratio is that of two instruments, not of two
 * runs. */
static char *
refuse_pair (AssayRecord *a, AssayRecord *b, AssayComparisonReason *reason)
{
  const AssayFieldId peak = compare_get_peak_field (a, b);
  const char *kind_a = compare_get_kind (a, peak), *kind_b = compare_get_kind (b, peak);
  gint64 ignored;
  if (!assay_values_get_integer (assay_record_get_burden (a), peak, &ignored)
      || !assay_values_get_integer (assay_record_get_burden (b), peak, &ignored))
    return NULL;
  if (kind_a == NULL || kind_b == NULL || g_str_equal (kind_a, kind_b))
    return NULL;
  *reason = ASSAY_REASON_MIXED_MEMORY;
  return g_strdup_printf (
      _("not compared: %s of run %s is of the kind '%s', that of run %s of the kind '%s'"),
      assay_field_get_info (peak)->name, assay_record_get_id (a), kind_a, assay_record_get_id (b), kind_b);
}

/* Which of what moved keeps an effect from being claimed; NONE for one axis that a person chose. */
static AssayComparisonReason
differences_find_reason (GPtrArray *differences)
{
  AssayComparisonReason reason = ASSAY_REASON_NONE;
  guint n_chosen = 0;
  for (guint i = 0; i < differences->len; i++)
    {
      const AssayDifference *difference = g_ptr_array_index (differences, i);
      if (difference->implied)
        continue;
      n_chosen += !assay_axis_is_hidden (difference->axis);
      if (difference->axis == ASSAY_AXIS_DRIVER)
        reason = ASSAY_REASON_DRIVER;
      else if (difference->axis == ASSAY_AXIS_MODEL_CONTENT && reason != ASSAY_REASON_DRIVER)
        reason = ASSAY_REASON_MODEL_REPLACED;
      else if (assay_axis_is_hidden (difference->axis) && reason == ASSAY_REASON_NONE)
        reason = ASSAY_REASON_HIDDEN_AXIS;
    }
  return n_chosen > 1 ? ASSAY_REASON_SEVERAL_AXES : reason;
}

/* Nothing that a person chose differs, and still these are no repeats. */
static char *
refuse_hidden (const AssayComparison *self, gboolean accepted, AssayComparisonReason *reason)
{
  const AssayComparisonReason found = differences_find_reason (self->differences);
  if (accepted || found < ASSAY_REASON_DRIVER || assay_axes_count (self->differences) != 1)
    return NULL;
  g_autofree char *change = assay_axes_describe (self->differences);
  *reason = found;
  return g_strdup_printf (_("not compared: no repeats, something moved that nobody chose (%s); accept it to read its effect"),
                          change);
}

/* The sentence */

static const AssayDifference *
compare_get_single (const AssayComparison *self)
{
  for (guint i = 0; i < self->differences->len; i++)
    if (!((const AssayDifference *) g_ptr_array_index (self->differences, i))->implied)
      return g_ptr_array_index (self->differences, i);
  return NULL;
}

static char *
sentence_for_effect (const AssayComparison *self, AssayLedger *ledger, AssayRecord *a, AssayRecord *b)
{
  const AssayDifference *moved = compare_get_single (self);
  g_autofree char *change = assay_axes_describe (self->differences);
  GString *figures = g_string_new (NULL);
  compare_add_figures (figures, self, ledger, a, b, moved->axis);
  g_autofree char *tail = g_string_free (figures, FALSE);
  return g_strdup_printf (_("the effect of %s: %s; %s"), assay_field_get_info (moved->field)->name, tail,
                          change);
}

static char *
sentence_for_same (const AssayComparison *self, AssayLedger *ledger, AssayRecord *a, AssayRecord *b)
{
  GString *figures = g_string_new (NULL);
  compare_add_figures (figures, self, ledger, a, b, ASSAY_AXIS_NONE);
  g_autofree char *tail = g_string_free (figures, FALSE);
  return g_strdup_printf (_("repeats, no axis moved: %s"), tail);
}

/* The same tensors in a file whose header or tokenizer differs: an import rewrote it. */
static gboolean
compare_has_same_weights (const AssayComparison *self, AssayRecord *a, AssayRecord *b)
{
  const AssayFieldId field = ASSAY_FIELD_MODEL_CONTENT_HASH;
  const char *hash_a = assay_values_get_text (assay_record_get_values_for (a, field), field);
  const char *hash_b = assay_values_get_text (assay_record_get_values_for (b, field), field);
  for (guint i = 0; i < self->differences->len; i++)
    if (((const AssayDifference *)g_ptr_array_index (self->differences, i))->axis == ASSAY_AXIS_MODEL_CONTENT)
      return hash_a != NULL && g_strcmp0 (hash_a, hash_b) == 0;
  return FALSE;
}

/* The run says that one axis moved from its parent; more did. */
static gboolean
compare_breaks_plan (AssayRecord *a, AssayRecord *b)
{
  return assay_record_get_changed (b) != NULL
         && g_strcmp0 (assay_record_get_parent (b), assay_record_get_id (a)) == 0;
}

static char *
sentence_for_confounded (const AssayComparison *self, AssayRecord *a, AssayRecord *b)
{
  g_autofree char *change = assay_axes_describe (self->differences);
  const guint n = assay_axes_count (self->differences);
  GString *sentence = g_string_new (NULL);
  g_string_append_printf (sentence,
                          g_dngettext (GETTEXT_PACKAGE,
                                       "confounded, not one axis but %u, so that nothing is claimed: %s",
                                       "confounded, not one axis but %u, so that nothing is claimed: %s", n),
                          n, change);
  if (compare_breaks_plan (a, b))
    g_string_append_printf (sentence, _("; the plan to change %s alone was not kept"),
                            assay_record_get_changed (b));
  return g_string_free (sentence, FALSE);
}

/* Repeats of both whose times lie apart: then the clock shows an effect where nothing else does. */
static gboolean
compare_is_told_by_clock (AssayLedger *ledger, AssayRecord *a, AssayRecord *b)
{
  g_autoptr(GPtrArray) runs_a = assay_repeats_find (ledger, a), runs_b = assay_repeats_find (ledger, b);
  AssayRepeats of_a, of_b;
  return assay_repeats_summarize (runs_a, ASSAY_FIELD_ELAPSED_SECONDS, &of_a)
         && assay_repeats_summarize (runs_b, ASSAY_FIELD_ELAPSED_SECONDS, &of_b) && of_a.n > 1 && of_b.n > 1
         && (of_a.high < of_b.low || of_b.high < of_a.low);
}

static char *
sentence_for_no_effect (const AssayComparison *self)
{
  const char *name = assay_field_get_info (compare_get_single (self)->field)->name;
  g_autofree char *change = assay_axes_describe (self->differences);
  if (isnan (self->time_ratio))
    return g_strdup_printf (_("no observable effect of %s: peaks, phases and answers are equal; %s"), name, change);
  g_autofree char *times = compare_dup_change (ASSAY_FIELD_ELAPSED_SECONDS, self->time_ratio);
  return g_strdup_printf (
    _("no observable effect of %s: peaks, phases and answers are equal; %s time by the clock alone, which repeats do not "
      "tell from chance; %s"),
    name, times, change);
}

static void
compare_claim (AssayComparison *self, AssayLedger *ledger, AssayRecord *a, AssayRecord *b)
{
  const guint n = assay_axes_count (self->differences);
  if (n == 0)
    {
      self->kind = ASSAY_COMPARISON_SAME;
      self->sentence = sentence_for_same (self, ledger, a, b);
    }
  else if (n > 1)
    {
      self->kind = ASSAY_COMPARISON_CONFOUNDED;
      self->reason = differences_find_reason (self->differences);
      self->sentence = sentence_for_confounded (self, a, b);
    }
  else if (compare_is_observed_alike (a, b) && !compare_is_told_by_clock (ledger, a, b))
    {
      self->kind = ASSAY_COMPARISON_NO_EFFECT;
      self->reason = ASSAY_REASON_NO_EFFECT;
      self->sentence = sentence_for_no_effect (self);
    }
  else
    {
      self->kind = ASSAY_COMPARISON_EFFECT;
      self->sentence = sentence_for_effect (self, ledger, a, b);
    }
}

/* What was accepted is not hidden by that. */
static void
compare_tell_accepted (AssayComparison *self, AssayRecord *record)
{
  g_autofree char *deviation = assay_compare_dup_deviation (record), *head = NULL;
  if (deviation == NULL)
    return;
  head = g_steal_pointer (&self->sentence);
  self->sentence = g_strdup_printf (_("%s; accepted of run %s: %s"), head, assay_record_get_id (record), deviation);
}

static char *
compare_refuse (const AssayComparison *self, AssayRecord *a, AssayRecord *b, gboolean accepted,
                AssayComparisonReason *reason)
{
  char *sentence = refuse_itself (a, b, reason);
  if (sentence == NULL)
    sentence = compare_refuse_run (a, accepted, reason);
  if (sentence == NULL)
    sentence = compare_refuse_run (b, accepted, reason);
  if (sentence == NULL)
    sentence = refuse_pair (a, b, reason);
  if (sentence == NULL)
    sentence = refuse_hidden (self, accepted, reason);
  return sentence;
}

static AssayComparison *
compare_runs (AssayLedger *ledger, AssayRecord *a, AssayRecord *b, gboolean accepted)
{
  AssayComparison *self = g_new0 (AssayComparison, 1);
  self->differences = assay_axes_diff (a, b);
  self->peak_ratio = self->time_ratio = NAN;
  self->kind = ASSAY_COMPARISON_REFUSED;
  self->sentence = compare_refuse (self, a, b, accepted, &self->reason);
  if (self->sentence == NULL)
    {
      self->peak_ratio = compare_get_peak_ratio (a, b);
      self->time_ratio = compare_get_ratio (a, b, ASSAY_FIELD_ELAPSED_SECONDS);
      compare_claim (self, ledger, a, b);
      compare_tell_accepted (self, a);
      compare_tell_accepted (self, b);
    }
  if (compare_has_same_weights (self, a, b))
    {
      g_autofree char *head = g_steal_pointer (&self->sentence);
      self->sentence = g_strconcat (head, _("; the same weights in a different file"), NULL);
    }
  return self;
}

AssayComparison *
assay_compare_runs (AssayLedger *ledger, AssayRecord *a, AssayRecord *b)
{
  g_return_val_if_fail (ASSAY_IS_LEDGER (ledger) && ASSAY_IS_RECORD (a) && ASSAY_IS_RECORD (b), NULL);
  return compare_runs (ledger, a, b, FALSE);
}

AssayComparison *
assay_compare_runs_in_effect (AssayLedger *ledger, AssayRecord *a, AssayRecord *b)
{
  g_return_val_if_fail (ASSAY_IS_LEDGER (ledger) && ASSAY_IS_RECORD (a) && ASSAY_IS_RECORD (b), NULL);
  return compare_runs (ledger, a, b, TRUE);
}

void
assay_comparison_free (AssayComparison *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->differences);
  g_free (self->sentence);
  g_free (self);
}
