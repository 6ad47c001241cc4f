/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-rubric-build.h"

#include <glib/gi18n-lib.h>

#include "assay-advice.h"

static char *
name_fold (const char *name)
{
  g_autofree char *stripped = g_strstrip (g_strdup (name));
  g_autofree char *normal = g_utf8_normalize (stripped, -1, G_NORMALIZE_ALL_COMPOSE);

  return g_utf8_casefold (normal != NULL ? normal : stripped, -1);
}

char *
assay_rubric_dup_problem (const char *const *names, guint n_names, guint index)
{
  g_return_val_if_fail (index < n_names, NULL);

  if (names[index] == NULL)
    return g_strdup (_("Give it a name."));
  g_autofree char *name = name_fold (names[index]);
  for (guint i = 0; i < index; i++)
    {
      g_autofree char *other = names[i] != NULL ? name_fold (names[i]) : NULL;
      if (g_strcmp0 (name, other) == 0)
        return g_strdup (_("Another criterion has this name."));
    }
  return NULL;
}

/* Ids */

static gboolean
ledger_has_scores (AssayLedger *ledger, const char *id)
{
  for (guint i = 0; i < assay_ledger_get_n_runs (ledger); i++)
    {
      GPtrArray *reviews = assay_record_get_reviews (assay_ledger_get_run (ledger, i));
      for (guint k = 0; k < reviews->len; k++)
        {
          GPtrArray *scores = ((const AssayReview *) g_ptr_array_index (reviews, k))->scores;
          for (guint s = 0; s < scores->len; s++)
            if (g_strcmp0 (((const AssayScore *) g_ptr_array_index (scores, s))->criterion, id) == 0)
              return TRUE;
        }
    }
  return FALSE;
}

/* "Says why" → "says_why"; letters of every script stay. */
static char *
id_from_name (const char *name)
{
  g_autofree char *lower = g_utf8_strdown (name, -1);
  GString *id = g_string_new (NULL);

  for (const char *p = lower; *p != '\0'; p = g_utf8_next_char (p))
    if (g_unichar_isalnum (g_utf8_get_char (p)))
      g_string_append_unichar (id, g_utf8_get_char (p));
    else if (id->len > 0 && id->str[id->len - 1] != '_')
      g_string_append_c (id, '_');
  while (id->len > 0 && id->str[id->len - 1] == '_')
    g_string_truncate (id, id->len - 1);
  if (id->len == 0)
    g_string_append (id, "criterion");
  return g_string_free (id, FALSE);
}

static gboolean
criteria_have_id (GPtrArray *criteria, const char *id)
{
  for (guint i = 0; i < criteria->len; i++)
    if (g_strcmp0 (((const AssayCriterion *) g_ptr_array_index (criteria, i))->id, id) == 0)
      return TRUE;
  return FALSE;
}

/* Also not one that a criterion of the past left scores under. */
static char *
id_make (AssayLedger *ledger, GPtrArray *criteria, const char *name)
{
  g_autofree char *base = id_from_name (name);
  char *id = g_strdup (base);

  for (guint n = 2; criteria_have_id (criteria, id) || ledger_has_scores (ledger, id); n++)
    {
      g_free (id);
      id = g_strdup_printf ("%s_%u", base, n);
    }
  return id;
}

void
assay_rubric_settle_ids (AssayLedger *ledger, GPtrArray *criteria)
{
  g_return_if_fail (ASSAY_IS_LEDGER (ledger) && criteria != NULL);

  for (guint i = 0; i < criteria->len; i++)
    {
      AssayCriterion *criterion = g_ptr_array_index (criteria, i);
      const AssayCriterion *before = assay_criteria_find (assay_ledger_get_criteria (ledger), criterion->id);
      const gboolean other_kind = before != NULL && before->kind != criterion->kind;
      if (*criterion->id != '\0' && !(other_kind && ledger_has_scores (ledger, criterion->id)))
        continue;
      const char *name = criterion->label != NULL ? criterion->label : criterion->id;
      char *id = id_make (ledger, criteria, name);
      g_free (criterion->id);
      criterion->id = id;
    }
}

/* The change */

guint
assay_rubric_count_reviews (AssayLedger *ledger)
{
  g_return_val_if_fail (ASSAY_IS_LEDGER (ledger), 0);

  const AssayCriteria *criteria = assay_ledger_get_criteria (ledger);
  guint n = 0;
  for (guint i = 0; i < assay_ledger_get_n_runs (ledger); i++)
    {
      g_autoptr(GPtrArray) reviews = assay_record_get_current_reviews (assay_ledger_get_run (ledger, i));
      for (guint k = 0; k < reviews->len; k++)
        n += !assay_criteria_is_earlier (criteria, g_ptr_array_index (reviews, k));
    }
  return n;
}

/* The candidate of a run whose quality was missed; NULL where the run's signal is another. (transfer full) */
static AssayNextTrial *
next_trial_new (AssayLedger *ledger, AssayRecord *record, const char *to)
{
  g_autoptr(AssayAdvice) advice = assay_advice_for (ledger, record);

  for (guint k = 0; k < advice->candidates->len; k++)
    if (((const AssayCandidate *) g_ptr_array_index (advice->candidates, k))->axis == ASSAY_AXIS_EVALUATION_CRITERION)
      return assay_advice_choose (advice, k, to, NULL, NULL);
  return NULL;
}

void
assay_rubric_apply (AssayLedger *ledger, AssayRecord *record, AssayCriteria *criteria)
{
  g_return_if_fail (ASSAY_IS_LEDGER (ledger) && criteria != NULL);

  const AssayCriteria *before = assay_ledger_get_criteria (ledger);
  g_autofree char *to = assay_criteria_dup_ids (criteria);
  g_autofree char *changed_at = g_strdup (before->changed_at);
  const gboolean may_note = record != NULL && assay_record_get_next_trial (record) == NULL && to != NULL;
  g_autoptr(AssayNextTrial) next = may_note ? next_trial_new (ledger, record, to) : NULL;

  assay_ledger_change_criteria (ledger, criteria);
  const gboolean moved = g_strcmp0 (changed_at, assay_ledger_get_criteria (ledger)->changed_at) != 0;
  if (next != NULL && moved)
    assay_ledger_set_next_trial (ledger, assay_record_get_id (record), next, NULL);
}
