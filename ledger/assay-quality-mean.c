/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-quality-mean.c: see assay-quality-mean.h. */
#include "assay-quality-mean.h"

#include <math.h>
#include <string.h>

#include <glib/gi18n-lib.h>

#include "assay-gates.h"

static const char *const exclusion_names[] = { "damaged",    "not_completed",    "no_status", "not_reviewed",
                                               "superseded", "earlier_criteria", "no_scores" };

const char *
assay_exclusion_get_name (AssayExclusion exclusion)
{
  g_return_val_if_fail (exclusion < G_N_ELEMENTS (exclusion_names), NULL);
  return exclusion_names[exclusion];
}

/* The run's reviews that count, none of earlier criteria. (transfer container) */
static GPtrArray *
run_dup_counted_reviews (AssayLedger *ledger, AssayRecord *run)
{
  GPtrArray *reviews = assay_record_get_current_reviews (run);
  for (guint i = reviews->len; i > 0; i--)
    if (assay_criteria_is_earlier (assay_ledger_get_criteria (ledger), reviews->pdata[i - 1]))
      g_ptr_array_remove_index (reviews, i - 1);
  return reviews;
}

static gboolean
review_has_number (AssayLedger *ledger, const AssayReview *review)
{
  for (guint i = 0; i < review->scores->len; i++)
    {
      const AssayScore *score = g_ptr_array_index (review->scores, i);
      const AssayCriterion *criterion
          = assay_criteria_find (assay_ledger_get_criteria (ledger), score->criterion);
      if (criterion != NULL && criterion->kind != ASSAY_CRITERION_FREE)
        return TRUE;
    }
  return FALSE;
}

/* ---- who is left out ---- */

static char *
exclusion_dup_status (AssayRecord *run)
{
  const char *status = assay_run_status_get_name (assay_record_get_status (run));
  const guint n = assay_record_get_reviews (run)->len;
  if (n == 0)
    return g_strdup_printf (_("did not complete: %s"), status);
  return g_strdup_printf (g_dngettext (GETTEXT_PACKAGE,
                                       "did not complete: %s; %u review kept and not counted",
                                       "did not complete: %s; %u reviews kept and not counted", n),
                          status, n);
}

static char *
exclusion_dup_reason (AssayRecord *run, AssayExclusion exclusion)
{
  switch (exclusion)
    {
    case ASSAY_EXCLUDED_DAMAGED:
      return g_strdup (_("its entry is damaged"));
    case ASSAY_EXCLUDED_NOT_COMPLETED:
      return exclusion_dup_status (run);
    case ASSAY_EXCLUDED_NO_STATUS:
      return g_strdup (_("no status was recorded"));
    case ASSAY_EXCLUDED_NOT_REVIEWED:
      return g_strdup (_("not judged: no review yet"));
    case ASSAY_EXCLUDED_SUPERSEDED:
      return g_strdup (_("its reviews are all superseded"));
    case ASSAY_EXCLUDED_EARLIER_CRITERIA:
      return g_strdup (_("reviewed by earlier criteria only"));
    case ASSAY_EXCLUDED_NO_SCORES:
    default:
      return g_strdup (_("reviewed without scores"));
    }
}

/* FALSE: it is in the means. */
static gboolean
run_is_excluded (AssayLedger *ledger, AssayRecord *run, AssayExclusion *exclusion)
{
  const AssayRunStatus status = assay_record_get_status (run);
  if (assay_record_is_damaged (run))
    *exclusion = ASSAY_EXCLUDED_DAMAGED;
  else if (status != ASSAY_STATUS_COMPLETED)
    *exclusion = status == ASSAY_STATUS_UNKNOWN ? ASSAY_EXCLUDED_NO_STATUS : ASSAY_EXCLUDED_NOT_COMPLETED;
  else
    {
      g_autoptr(GPtrArray) current = assay_record_get_current_reviews (run);
      g_autoptr(GPtrArray) counted = run_dup_counted_reviews (ledger, run);
      *exclusion = assay_record_get_reviews (run)->len == 0 ? ASSAY_EXCLUDED_NOT_REVIEWED
                   : current->len == 0                      ? ASSAY_EXCLUDED_SUPERSEDED
                   : counted->len == 0                      ? ASSAY_EXCLUDED_EARLIER_CRITERIA
                                                            : ASSAY_EXCLUDED_NO_SCORES;
      for (guint i = 0; i < counted->len; i++)
        if (review_has_number (ledger, counted->pdata[i]))
          return FALSE;
    }
  return TRUE;
}

static void
excluded_run_free (gpointer data)
{
  AssayExcludedRun *self = data;
  g_free (self->reason);
  g_free (self);
}

static void
means_sort_out (AssayQualityMeans *self, AssayLedger *ledger, GPtrArray *runs, GPtrArray *counted)
{
  for (guint i = 0; i < runs->len; i++)
    {
      AssayExclusion exclusion;
      if (!run_is_excluded (ledger, runs->pdata[i], &exclusion))
        {
          g_ptr_array_add (counted, runs->pdata[i]);
          continue;
        }
      AssayExcludedRun *excluded = g_new0 (AssayExcludedRun, 1);
      excluded->run = runs->pdata[i];
      excluded->exclusion = exclusion;
      excluded->reason = exclusion_dup_reason (runs->pdata[i], exclusion);
      g_ptr_array_add (self->excluded, excluded);
    }
  self->n_runs = counted->len;
}

/* ---- means ---- */

double
assay_quality_mean_of_reviews (const AssayCriteria *criteria,
                               GPtrArray *reviews,
                               const char *criterion,
                               guint *n_scores)
{
  double sum = 0;
  guint n = 0;
  for (guint i = 0; i < reviews->len; i++)
    {
      const AssayReview *review = g_ptr_array_index (reviews, i);
      if (assay_criteria_is_earlier (criteria, review)) /* a score of then is no score of now */
        continue;
      for (guint k = 0; k < review->scores->len; k++)
        {
          const AssayScore *score = g_ptr_array_index (review->scores, k);
          if (strcmp (score->criterion, criterion) != 0)
            continue;
          sum += score->value;
          n++;
        }
    }
  if (n_scores != NULL)
    *n_scores = n;
  return n > 0 ? sum / n : NAN;
}

static void
mean_add_reviewers (GHashTable *reviewers, GPtrArray *reviews, const char *criterion)
{
  for (guint i = 0; i < reviews->len; i++)
    {
      const AssayReview *review = g_ptr_array_index (reviews, i);
      for (guint k = 0; k < review->scores->len; k++)
        if (strcmp (((const AssayScore *) g_ptr_array_index (review->scores, k))->criterion, criterion) == 0)
          g_hash_table_add (reviewers, review->reviewer);
    }
}

static double
run_get_mean (AssayLedger *ledger, AssayRecord *run, AssayQualityMean *mean, GHashTable *reviewers)
{
  g_autoptr(GPtrArray) reviews = run_dup_counted_reviews (ledger, run);
  guint n_scores;
  const double value = assay_quality_mean_of_reviews (assay_ledger_get_criteria (ledger), reviews,
                                                      mean->criterion->id, &n_scores);
  mean_add_reviewers (reviewers, reviews, mean->criterion->id);
  mean->n_scores += n_scores;
  return value;
}

/* Welford's way, which does not lose digits. */
static AssayQualityMean *
mean_new (AssayLedger *ledger, const AssayCriterion *criterion, GPtrArray *runs)
{
  AssayQualityMean *self = g_new0 (AssayQualityMean, 1);
  g_autoptr(GHashTable) reviewers = g_hash_table_new (g_str_hash, g_str_equal);
  double mean = 0, squares = 0;
  self->criterion = criterion;
  for (guint i = 0; i < runs->len; i++)
    {
      const double value = run_get_mean (ledger, runs->pdata[i], self, reviewers);
      if (isnan (value))
        continue;
      const double off = value - mean;
      self->n_runs++;
      mean += off / self->n_runs;
      squares += off * (value - mean);
    }
  self->mean = self->n_runs > 0 ? mean : NAN;
  self->spread = self->n_runs > 1 ? sqrt (squares / (self->n_runs - 1)) : NAN;
  self->n_reviewers = g_hash_table_size (reviewers);
  return self;
}

AssayQualityMeans *
assay_quality_means_new (AssayLedger *ledger, GPtrArray *runs)
{
  g_return_val_if_fail (ASSAY_IS_LEDGER (ledger), NULL);
  const GPtrArray *criteria = assay_ledger_get_criteria (ledger)->criteria;
  g_autoptr(GPtrArray) all = runs != NULL ? g_ptr_array_ref (runs) : g_ptr_array_new (),
                        counted = g_ptr_array_new ();
  AssayQualityMeans *self = g_new0 (AssayQualityMeans, 1);
  self->means = g_ptr_array_new_with_free_func (g_free);
  self->excluded = g_ptr_array_new_with_free_func (excluded_run_free);
  for (guint i = 0; runs == NULL && i < assay_ledger_get_n_runs (ledger); i++)
    g_ptr_array_add (all, assay_ledger_get_run (ledger, i));
  means_sort_out (self, ledger, all, counted);
  for (guint i = 0; i < criteria->len; i++)
    {
      const AssayCriterion *criterion = g_ptr_array_index (criteria, i);
      if (criterion->kind != ASSAY_CRITERION_FREE)
        g_ptr_array_add (self->means, mean_new (ledger, criterion, counted));
    }
  return self;
}

void
assay_quality_means_free (AssayQualityMeans *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->means);
  g_ptr_array_unref (self->excluded);
  g_free (self);
}

char *
assay_quality_mean_dup_words (const AssayQualityMean *self)
{
  g_return_val_if_fail (self != NULL, NULL);
  if (self->n_runs == 0)
    return g_strdup (assay_verdict_get_word (ASSAY_VERDICT_NOT_JUDGED));
  if (self->criterion->kind == ASSAY_CRITERION_YES_NO)
    return g_strdup_printf (
        g_dngettext (GETTEXT_PACKAGE, "yes in %.0f %%, %u run", "yes in %.0f %%, %u runs", self->n_runs),
        self->mean * 100, self->n_runs);
  return g_strdup_printf (
      g_dngettext (GETTEXT_PACKAGE, "%.2g of 5, %u run", "%.2g of 5, %u runs", self->n_runs), self->mean,
      self->n_runs);
}
