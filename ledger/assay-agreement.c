/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-agreement.c: tables of judgments from the reviews of a ledger. */
#include "assay-agreement.h"

#include <math.h>
#include <string.h>

#include <glib/gi18n-lib.h>

#include "assay-gates.h"

typedef struct
{
  AssayRecord *run;
  const char *question;
  GArray *judgments; /* (element-type AssayJudgment) */
} Unit;

/* One criterion over all runs. */
typedef struct
{
  const AssayCriterion *criterion;
  GPtrArray *units;      /* (element-type Unit) */
  GHashTable *reviewers; /* names */
  GHashTable *of_run;    /* question, or "" → Unit, borrowed: of the run that is gone through */
} Table;

static void
unit_free (gpointer data)
{
  Unit *unit = data;
  g_array_unref (unit->judgments);
  g_free (unit);
}

static Unit *
table_get_unit (Table *self, AssayRecord *run, const char *question)
{
  const char *key = question != NULL ? question : "";
  Unit *unit = g_hash_table_lookup (self->of_run, key);
  if (unit != NULL)
    return unit;
  unit = g_new0 (Unit, 1);
  unit->run = run;
  unit->question = question;
  unit->judgments = g_array_new (FALSE, FALSE, sizeof (AssayJudgment));
  g_ptr_array_add (self->units, unit);
  g_hash_table_insert (self->of_run, (gpointer) key, unit);
  return unit;
}

/* Who scores the same twice in one review means the latter. */
static void
unit_add (Unit *self, const char *reviewer, gint value)
{
  const AssayJudgment judgment = { reviewer, value };
  const guint n = self->judgments->len;
  if (n > 0 && strcmp (g_array_index (self->judgments, AssayJudgment, n - 1).reviewer, reviewer) == 0)
    g_array_set_size (self->judgments, n - 1);
  g_array_append_val (self->judgments, judgment);
}

static void
table_add_review (Table *self, AssayRecord *run, const AssayReview *review)
{
  for (guint i = 0; i < review->scores->len; i++)
    {
      const AssayScore *score = g_ptr_array_index (review->scores, i);
      if (strcmp (score->criterion, self->criterion->id) != 0
          || (score->question != NULL) != self->criterion->per_question)
        continue;
      unit_add (table_get_unit (self, run, score->question), review->reviewer, score->value);
      g_hash_table_add (self->reviewers, review->reviewer);
    }
}

static void
table_add_run (Table *self, const AssayCriteria *criteria, AssayRecord *run)
{
  if (assay_record_is_damaged (run) || assay_record_get_status (run) != ASSAY_STATUS_COMPLETED)
    return;
  g_autoptr(GPtrArray) reviews = assay_record_get_current_reviews (run);
  g_hash_table_remove_all (self->of_run);
  for (guint i = 0; i < reviews->len; i++)
    if (!assay_criteria_is_earlier (criteria, g_ptr_array_index (reviews, i)))
      table_add_review (self, run, g_ptr_array_index (reviews, i));
}

static void
table_compute (Table *self, AssayAlpha *out)
{
  g_autoptr(GArray) values = g_array_new (FALSE, FALSE, sizeof (double));
  g_autofree gsize *ends = g_new (gsize, (gsize) self->units->len + 1);
  for (guint u = 0; u < self->units->len; u++)
    {
      const GArray *judgments = ((Unit *) g_ptr_array_index (self->units, u))->judgments;
      for (guint i = 0; i < judgments->len; i++)
        {
          const double value = g_array_index (judgments, AssayJudgment, i).value;
          g_array_append_val (values, value);
        }
      ends[u] = values->len;
    }
  assay_alpha_compute_units ((const double *) (gpointer) values->data, ends, self->units->len,
                             g_hash_table_size (self->reviewers),
                             self->criterion->kind == ASSAY_CRITERION_YES_NO ? ASSAY_ALPHA_NOMINAL : ASSAY_ALPHA_ORDINAL,
                             ASSAY_ALPHA_SEED, ASSAY_ALPHA_RESAMPLES, out);
}

/* ---- disagreements ---- */

static void
disagreement_free (gpointer data)
{
  AssayDisagreement *self = data;
  g_array_unref (self->judgments);
  g_free (self);
}

static int
judgment_compare (gconstpointer a, gconstpointer b)
{
  return g_strcmp0 (((const AssayJudgment *) a)->reviewer, ((const AssayJudgment *) b)->reviewer);
}

static gint
unit_get_spread (const Unit *unit)
{
  gint low = G_MAXINT, high = G_MININT;
  for (guint i = 0; i < unit->judgments->len; i++)
    {
      low = MIN (low, g_array_index (unit->judgments, AssayJudgment, i).value);
      high = MAX (high, g_array_index (unit->judgments, AssayJudgment, i).value);
    }
  return high - low;
}

static void
table_list_disagreements (Table *self, GPtrArray *list)
{
  for (guint u = 0; u < self->units->len; u++)
    {
      const Unit *unit = g_ptr_array_index (self->units, u);
      const gint spread = unit_get_spread (unit);
      if (spread == 0)
        continue;
      AssayDisagreement *made = g_new0 (AssayDisagreement, 1);
      made->run = unit->run;
      made->question = unit->question;
      made->criterion = self->criterion->id;
      made->spread = spread;
      made->judgments = g_array_ref (unit->judgments);
      g_array_sort (made->judgments, judgment_compare);
      g_ptr_array_add (list, made);
    }
}

/* A yes against a no is as far apart as can be: as a one against a five. */
static gint
disagreement_get_weight (AssayLedger *ledger, const AssayDisagreement *self)
{
  const AssayCriterion *criterion = assay_criteria_find (assay_ledger_get_criteria (ledger), self->criterion);
  return criterion->kind == ASSAY_CRITERION_YES_NO ? 4 : self->spread;
}

static int
disagreement_compare (gconstpointer a, gconstpointer b, gpointer ledger)
{
  const gint x = disagreement_get_weight (ledger, *(AssayDisagreement *const *) a);
  const gint y = disagreement_get_weight (ledger, *(AssayDisagreement *const *) b);
  return y - x;
}

static void
agreement_add (AssayAgreementTable *self,
               AssayLedger *ledger,
               const AssayCriterion *criterion,
               GHashTable *everybody)
{
  Table table = { .criterion = criterion,
                  .units = g_ptr_array_new_with_free_func (unit_free),
                  .reviewers = g_hash_table_new (g_str_hash, g_str_equal),
                  .of_run = g_hash_table_new (g_str_hash, g_str_equal) };
  AssayAgreement *made = g_new0 (AssayAgreement, 1);
  GHashTableIter iter;
  gpointer name;
  for (guint i = 0; i < assay_ledger_get_n_runs (ledger); i++)
    table_add_run (&table, assay_ledger_get_criteria (ledger), assay_ledger_get_run (ledger, i));
  made->criterion = criterion;
  table_compute (&table, &made->alpha);
  g_ptr_array_add (self->criteria, made);
  table_list_disagreements (&table, self->disagreements);
  g_hash_table_iter_init (&iter, table.reviewers);
  while (g_hash_table_iter_next (&iter, &name, NULL))
    g_hash_table_add (everybody, name);
  g_ptr_array_unref (table.units);
  g_hash_table_unref (table.reviewers);
  g_hash_table_unref (table.of_run);
}

AssayAgreementTable *
assay_agreement_new (AssayLedger *ledger)
{
  g_return_val_if_fail (ASSAY_IS_LEDGER (ledger), NULL);
  const GPtrArray *criteria = assay_ledger_get_criteria (ledger)->criteria;
  g_autoptr(GHashTable) everybody = g_hash_table_new (g_str_hash, g_str_equal);
  AssayAgreementTable *self = g_new0 (AssayAgreementTable, 1);
  self->criteria = g_ptr_array_new_with_free_func (g_free);
  self->disagreements = g_ptr_array_new_with_free_func (disagreement_free);
  for (guint i = 0; i < criteria->len; i++)
    {
      const AssayCriterion *criterion = g_ptr_array_index (criteria, i);
      if (criterion->kind != ASSAY_CRITERION_FREE)
        agreement_add (self, ledger, criterion, everybody);
    }
  self->n_reviewers = g_hash_table_size (everybody);
  g_ptr_array_sort_with_data (self->disagreements, disagreement_compare, ledger);
  return self;
}

void
assay_agreement_free (AssayAgreementTable *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->criteria);
  g_ptr_array_unref (self->disagreements);
  g_free (self);
}

/* ---- words ---- */

static char *
alpha_dup_figure (const AssayAlpha *self)
{
  if (isnan (self->low))
    return g_strdup_printf (_("alpha %.2f"), self->alpha);
  /* translators: Krippendorff's alpha and the ends of its 95 % interval */
  return g_strdup_printf (_("alpha %.2f (%.2f to %.2f)"), self->alpha, self->low, self->high);
}

char *
assay_alpha_dup_words (const AssayAlpha *self)
{
  g_return_val_if_fail (self != NULL, NULL);
  switch (self->state)
    {
    case ASSAY_ALPHA_TOO_FEW_OBSERVERS:
      return g_strdup (self->n_observers == 0 ? _("no agreement to tell: nobody has scored this")
                                              : _("no agreement to tell: only one person has scored this"));
    case ASSAY_ALPHA_NOTHING_PAIRED:
      return g_strdup (_("no agreement to tell: nothing was scored by two people"));
    case ASSAY_ALPHA_NO_VARIATION:
      return g_strdup_printf (
          g_dngettext (GETTEXT_PACKAGE,
                       "no agreement to tell: all %u score is the same, which chance would do as well",
                       "no agreement to tell: all %u scores are the same, which chance would do as well",
                       self->n_values),
          self->n_values);
    case ASSAY_ALPHA_DEFINED:
    default:
      break;
    }
  g_autofree char *figure = alpha_dup_figure (self);
  g_autofree char *reviewers = g_strdup_printf (
      g_dngettext (GETTEXT_PACKAGE, "%u reviewer", "%u reviewers", self->n_observers), self->n_observers);
  g_autofree char *units = g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "%u output judged by two or more",
                                                         "%u outputs judged by two or more", self->n_units),
                                            self->n_units);
  /* translators: an agreement, the number of reviewers, the number of outputs */
  return g_strdup_printf (_("%s, %s, %s"), figure, reviewers, units);
}
