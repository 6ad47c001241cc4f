/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-draft-rules.c: what the conditions of a draft break, all of it at once, and in words. */
#include "assay-draft-private.h"

#include <glib/gi18n-lib.h>

#include "assay-axes.h"
#include "assay-display-text.h"
#include "assay-engine-error.h"

static const char *
field_get_label (AssayFieldId field)
{
  return g_dgettext (GETTEXT_PACKAGE, assay_field_get_info (field)->label);
}

static char *
draft_find_rule_of_child (AssayDraft *self)
{
  const char *name = field_get_label (self->open);
  g_autoptr(GPtrArray) differences = assay_axes_diff_conditions (self->base, self->values);
  const guint n = assay_axes_count (differences);
  if (n == 1)
    return NULL;
  if (n == 0)
    return g_strdup_printf (_("%s still has the parent's value: a trial changes one thing"), name);
  g_autofree char *all = assay_axes_describe (differences);
  return g_strdup_printf (_("More than one thing would change: %s"), all);
}

const char *
draft_get_rule (AssayDraft *self, AssayFieldId field)
{
  for (guint i = 0; i < self->rules->len; i++)
    {
      const AssayBrokenRule *rule = g_ptr_array_index (self->rules, i);
      if (rule->field == field)
        return rule->words;
    }
  return NULL;
}

/* words: taken; NULL: nothing. A field is told of once. */
static void
draft_take_rule (AssayDraft *self, AssayFieldId field, char *words)
{
  if (words == NULL || draft_get_rule (self, field) != NULL)
    {
      g_free (words);
      return;
    }
  AssayBrokenRule *rule = g_new (AssayBrokenRule, 1);
  *rule = (AssayBrokenRule) { field, assay_display_labels (words) };
  g_free (words);
  g_ptr_array_add (self->rules, rule);
}

static void
draft_take_rule_of_model (AssayDraft *self, const AssayValues *conditions)
{
  g_autoptr(GError) error = NULL;
  if (self->inspection == NULL || assay_draft_is_process (self)
      || assay_trial_check_model (conditions, self->inspection, &error))
    return;
  draft_take_rule (self, assay_field_from_name (assay_engine_error_get_field (error)), g_strdup (error->message));
}

/* What is not chosen yet, then every rule that is broken: a person mends them in one go. */
void
draft_find_rules (AssayDraft *self)
{
  const gboolean no_model = !assay_draft_is_process (self)
                            && assay_values_get_state (self->values, ASSAY_FIELD_MODEL_PATH) != ASSAY_VALUE_SET;
  const gboolean no_prompt = self->question_set == NULL && !assay_draft_has_prompt (self);
  g_ptr_array_set_size (self->rules, 0);
  draft_take_rule (self, ASSAY_FIELD_MODEL_PATH, no_model ? g_strdup (_("Choose a model file")) : NULL);
  draft_take_rule (self, ASSAY_FIELD_PROMPT,
                   no_prompt ? g_strdup (_("Write a prompt, or choose a question set")) : NULL);
  g_autoptr(AssayValues) conditions = assay_draft_dup_conditions (self);
  g_autoptr(GPtrArray) broken = assay_trial_list_broken (conditions);
  for (guint i = 0; i < broken->len; i++)
    {
      const AssayBrokenRule *rule = g_ptr_array_index (broken, i);
      draft_take_rule (self, rule->field, g_strdup (rule->words));
    }
  draft_take_rule_of_model (self, conditions);
  if (self->parent != NULL && self->rules->len == 0)
    draft_take_rule (self, self->open, draft_find_rule_of_child (self));
}

static void
problem_add (GString *problem, const char *words)
{
  g_string_append_printf (problem, "%s%s", problem->len > 0 ? "\n" : "", words);
}

char *
draft_dup_problem (AssayDraft *self)
{
  GString *problem = g_string_new (NULL);
  for (guint f = 0; f < ASSAY_N_FIELDS; f++)
    if (self->typed_error[f] != NULL)
      problem_add (problem, self->typed_error[f]);
  for (guint i = 0; i < self->rules->len; i++)
    {
      const AssayBrokenRule *rule = g_ptr_array_index (self->rules, i);
      if (self->typed_error[rule->field] == NULL)
        problem_add (problem, rule->words);
    }
  if (self->refused && draft_get_rule (self, self->foretold_field) == NULL)
    problem_add (problem, self->foretold);
  return g_string_free (problem, problem->len == 0);
}
