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
  guint place;       /* in the order of the ledger */
  GArray *judgments; /* (element-type AssayJudgment) */
} Unit;

/* One criterion over all runs. */
typedef struct
{
  const AssayCriterion *criterion;
  GPtrArray *units;      /* (element-type Unit) */
  GHashTable *reviewers; /* name → number + 1 */
} Table;

static void
unit_free (gpointer data)
{
  Unit *unit = data;
  g_array_unref (unit->judgments);
  g_free (unit);
}

/* Units of this run come one behind the other, from `from` on. */
static Unit *
table_get_unit (Table *self, AssayRecord *run, const char *question, guint from)
{
  for (guint i = from; i < self->units->len; i++)
    {
      Unit *unit = g_ptr_array_index (self->units, i);
      if (g_strcmp0 (unit->question, question) == 0)
        return unit;
    }
  Unit *unit = g_new0 (Unit, 1);
  unit->run = run;
  unit->question = question;
  unit->place = self->units->len;
  unit->judgments = g_array_new (FALSE, FALSE, sizeof (AssayJudgment));
  g_ptr_array_add (self->units, unit);
  return unit;
}

static void
table_add_review (Table *self, AssayRecord *run, const AssayReview *review, guint from)
{
  for (guint i = 0; i < review->scores->len; i++)
    {
      const AssayScore *score = g_ptr_array_index (review->scores, i);
      const AssayJudgment judgment = { review->reviewer, score->value };
      if (strcmp (score->criterion, self->criterion->id) != 0
          || (score->question != NULL) != self->criterion->per_question)
        continue;
      Unit *unit = table_get_unit (self, run, score->question, from);
      g_array_append_val (unit->judgments, judgment);
      if (!g_hash_table_contains (self->reviewers, review->reviewer))
        g_hash_table_insert (self->reviewers, review->reviewer,
                             GUINT_TO_POINTER (g_hash_table_size (self->reviewers) + 1));
    }
}

static void
table_add_run (Table *self, const AssayCriteria *criteria, AssayRecord *run)
{
  if (assay_record_is_damaged (run) || assay_record_get_status (run) != ASSAY_STATUS_COMPLETED)
    return;
  g_autoptr(GPtrArray) reviews = assay_record_get_current_reviews (run);
  const guint from = self->units->len;
  for (guint i = 0; i < reviews->len; i++)
    if (!assay_criteria_is_earlier (criteria, g_ptr_array_index (reviews, i)))
      table_add_review (self, run, g_ptr_array_index (reviews, i), from);
}

static void
table_compute (Table *self, AssayAlpha *out)
{
  const guint n_observers = g_hash_table_size (self->reviewers), n_units = self->units->len;
  g_autofree double *values = g_new (double, (gsize) n_observers *n_units + 1);
  for (gsize i = 0; i < (gsize) n_observers * n_units; i++)
    values[i] = NAN;
  for (guint u = 0; u < n_units; u++)
    {
      const GArray *judgments = ((Unit *) g_ptr_array_index (self->units, u))->judgments;
      for (guint i = 0; i < judgments->len; i++)
        {
          const AssayJudgment *judgment = &g_array_index (judgments, AssayJudgment, i);
          const guint o = GPOINTER_TO_UINT (g_hash_table_lookup (self->reviewers, judgment->reviewer)) - 1;
          values[(gsize) o * n_units + u] = judgment->value;
        }
    }
  assay_alpha_compute (values, n_observers, n_units,
                       self->criterion->kind == ASSAY_CRITERION_YES_NO ? ASSAY_ALPHA_NOMINAL
                                                                       : ASSAY_ALPHA_ORDINAL,
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
                  .reviewers = g_hash_table_new (g_str_hash, g_str_equal) };
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
