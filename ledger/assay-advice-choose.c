/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-advice-choose.c: a candidate as the next_trial that is written into the record. */
#include "assay-advice-private.h"

#include <glib/gi18n-lib.h>

static const char *
candidate_get_name (const AssayCandidate *self)
{
  return self->field != ASSAY_FIELD_INVALID ? assay_field_get_info (self->field)->name
                                            : assay_axis_get_name (self->axis);
}

/* The value as files hold it: what a person typed may carry a unit. */
static char *
candidate_dup_value (const AssayCandidate *self, const char *to, GError **error)
{
  if (self->field == ASSAY_FIELD_INVALID)
    return g_strdup (to);
  g_autoptr(AssayValues) values = assay_values_new ();
  if (!assay_values_parse_user (values, self->field, to, error))
    return NULL;
  return assay_values_dup_text (values, self->field);
}

static char **
advice_dup_held_without (const AssayAdvice *self, AssayAxis axis)
{
  g_autoptr(GStrvBuilder) held = g_strv_builder_new ();
  for (char **name = self->held_with_candidates; *name != NULL; name++)
    if (assay_axis_from_name (*name) != axis)
      g_strv_builder_add (held, *name);
  return g_strv_builder_end (held);
}

/* What was foretold of the candidate's own value is not foretold of another. */
static void
next_take_foretold (AssayNextTrial *next, const AssayCandidate *candidate)
{
  if (candidate->to == NULL || g_strcmp0 (next->to, candidate->to) != 0)
    return;
  next->predicted_peak_vram = candidate->predicted_peak_vram;
  next->predicted_peak_ram = candidate->predicted_peak_ram;
  next->predicted_ns = candidate->predicted_seconds >= 0 ? (gint64) (candidate->predicted_seconds * 1e9) : -1;
}

static AssayNextTrial *
advice_take_change (const AssayAdvice *self, const AssayCandidate *candidate, const char *to, const char *note,
                    GError **error)
{
  const char *name = candidate_get_name (candidate);
  g_autofree char *value = to != NULL ? candidate_dup_value (candidate, to, error) : NULL;
  if (to != NULL && value == NULL)
    return NULL;
  if (g_strcmp0 (value, candidate->from) == 0)
    {
      g_set_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_RULE,
                   _("%s is '%s' already: a next trial changes one thing"), name,
                   value != NULL ? value : _("unset"));
      return NULL;
    }
  AssayNextTrial *next = assay_next_trial_new ();
  next->signal = g_strdup (assay_signal_get_name (self->signal));
  next->axis = g_strdup (name);
  next->from = g_strdup (candidate->from);
  next->to = g_steal_pointer (&value);
  g_strfreev (next->held);
  next->held = advice_dup_held_without (self, candidate->axis);
  next->note = g_strdup (note);
  next_take_foretold (next, candidate);
  return next;
}

static void
set_value_missing (const AssayCandidate *candidate, GError **error)
{
  const char *name = candidate_get_name (candidate);
  g_autofree char *message
      = candidate->field == ASSAY_FIELD_INVALID
            ? g_strdup_printf (_("%s is no condition of a run: change it in the ledger's criteria and judge the same "
                                 "outputs anew; to note it as the plan, give the criterion's new words"),
                               name)
            : g_strdup_printf (_("only you can say the new value of %s: give one"), name);
  g_set_error_literal (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_RULE, message);
}

AssayNextTrial *
assay_advice_choose (const AssayAdvice *self, guint k, const char *to, const char *note, GError **error)
{
  g_return_val_if_fail (self != NULL, NULL);
  if (k >= self->candidates->len)
    {
      g_set_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_RULE,
                   _("there is no candidate %u, only %u"), k + 1, self->candidates->len);
      return NULL;
    }
  const AssayCandidate *candidate = g_ptr_array_index (self->candidates, k);
  if (to == NULL)
    to = candidate->to;
  if (to == NULL)
    {
      set_value_missing (candidate, error);
      return NULL;
    }
  return advice_take_change (self, candidate, to, note, error);
}

AssayNextTrial *
assay_advice_choose_field (const AssayAdvice *self, AssayRecord *record, AssayFieldId field, const char *to,
                           const char *note, GError **error)
{
  g_return_val_if_fail (self != NULL && ASSAY_IS_RECORD (record) && field < ASSAY_N_FIELDS, NULL);
  const AssayFieldInfo *info = assay_field_get_info (field);
  if (info->group != ASSAY_GROUP_CONDITIONS || info->axis == ASSAY_AXIS_NONE || assay_axis_is_hidden (info->axis))
    {
      g_set_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_RULE,
                   _("%s is no condition that a trial can change"), info->name);
      return NULL;
    }
  g_autofree char *from = advice_dup_value (record, field);
  const AssayCandidate candidate = { .axis = info->axis, .field = field, .from = from };
  return advice_take_change (self, &candidate, to, note, error);
}
