/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-draft-model.c: what the choice of a model brings along, and what it takes with it. */
#include "assay-draft-private.h"

#include <glib/gi18n-lib.h>

static const char *
quantization_get_compute (const char *quantization)
{
  return g_strcmp0 (quantization, "none") == 0 ? "float32" : "int8";
}

void
draft_follow_quantization (AssayValues *values, const char *from)
{
  const char *compute = assay_values_get_text (values, ASSAY_FIELD_COMPUTE_DTYPE);
  if (from != NULL && g_strcmp0 (compute, quantization_get_compute (from)) == 0)
    assay_values_unset (values, ASSAY_FIELD_COMPUTE_DTYPE);
  assay_trial_fill_defaults (values);
}

/* In a baseline, what belongs to the model before gives way to what this one would have, unless a person entered it.
 * before: what that model would have been given; NULL where it is not known. */
static void
draft_follow_model (AssayDraft *self, const AssayInspection *before)
{
  gint64 context = 0, given = 0;
  const gint64 most = self->inspection->config.context_length;
  g_autoptr(AssayValues) of_before = assay_values_new ();
  if (before != NULL)
    assay_trial_fill_model_defaults (of_before, before);
  const gboolean filled = assay_values_get_integer (of_before, ASSAY_FIELD_CONTEXT_LENGTH, &given);
  if (!self->typed[ASSAY_FIELD_CONTEXT_LENGTH]
      && assay_values_get_integer (self->values, ASSAY_FIELD_CONTEXT_LENGTH, &context)
      && (context > most || (filled && context == given)))
    assay_values_unset (self->values, ASSAY_FIELD_CONTEXT_LENGTH);
  if (!self->typed[ASSAY_FIELD_CHAT_FORMAT])
    assay_values_unset (self->values, ASSAY_FIELD_CHAT_FORMAT);
  assay_trial_fill_defaults (self->values);
  assay_trial_fill_model_defaults (self->values, self->inspection);
}

static gboolean
values_agree (const AssayValues *a, const AssayValues *b, AssayFieldId field)
{
  g_autofree char *left = assay_values_dup_text (a, field), *right = assay_values_dup_text (b, field);
  return g_strcmp0 (left, right) == 0;
}

static void
draft_note_change (AssayDraft *self, const AssayValues *before, AssayFieldId field)
{
  g_autofree char *was = assay_values_dup_display (before, field);
  const gboolean had = assay_values_get_state (before, field) == ASSAY_VALUE_SET;
  g_autofree char *most = g_strdup_printf ("%u", self->inspection->config.context_length);
  g_clear_pointer (&self->note[field], g_free);
  if (!had || values_agree (before, self->values, field))
    return;
  self->note[field] = field == ASSAY_FIELD_CONTEXT_LENGTH
                        ? g_strdup_printf (_("was %s, this model has at most %s"), was, most)
                        : g_strdup_printf (_("was %s, set anew for this model"), was);
}

static void
draft_take_facts (AssayDraft *self, const AssayInspection *before)
{
  g_autoptr(AssayValues) was = assay_values_copy (self->values), facts = assay_values_new ();
  const char *quantization = assay_values_get_text (was, ASSAY_FIELD_QUANTIZATION);
  const AssayInspection *inspection = self->inspection;
  assay_inspection_fill_conditions (inspection, facts);
  for (guint f = 0; f < ASSAY_N_FIELDS; f++)
    if (assay_values_get_state (facts, f) == ASSAY_VALUE_SET
        && (self->parent == NULL || assay_draft_is_from_file (f) || f == ASSAY_FIELD_MODEL_BYTES))
      assay_values_copy_field (self->values, facts, f);
    else if (assay_draft_is_from_file (f))
      assay_values_unset (self->values, f);
  if (inspection->tokenizer != NULL && !assay_tokenizer_is_verified (inspection->tokenizer))
    assay_values_set_text (self->values, ASSAY_FIELD_TOKENIZER_NOTE, "unverified");
  else
    assay_values_unset (self->values, ASSAY_FIELD_TOKENIZER_NOTE);
  if (self->parent != NULL)
    return;
  draft_follow_quantization (self->values, quantization);
  draft_follow_model (self, before);
  draft_note_change (self, was, ASSAY_FIELD_CONTEXT_LENGTH);
  draft_note_change (self, was, ASSAY_FIELD_CHAT_FORMAT);
}

void
assay_draft_take_inspection (AssayDraft *self, AssayInspection *inspection, gboolean describe_only)
{
  g_return_if_fail (ASSAY_IS_DRAFT (self) && inspection != NULL);
  g_autoptr(AssayInspection) before = g_steal_pointer (&self->inspection);
  self->inspection = inspection;
  if (!describe_only)
    draft_take_facts (self, before);
  draft_update (self);
}
