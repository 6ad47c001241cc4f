/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/judgment/test-agreement.c: Krippendorff's alpha against its author's example and another
 * implementation, and what of a ledger goes into it. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "assay-agreement.h"
#include "judgment.h"

static void
assert_near (double value, double expected, double tolerance)
{
  if (fabs (value - expected) > tolerance)
    g_error ("%.17g is not %.17g", value, expected);
}

static double
alpha_of (const double *values, guint n_observers, guint n_units, AssayAlphaMetric metric)
{
  AssayAlpha alpha;
  assay_alpha_compute (values, n_observers, n_units, metric, 1, 0, &alpha);
  return alpha.alpha;
}

/* Krippendorff (2011), the table of section C with its four figures. */
#define X NAN
static const double published[4 * 12] = {
  1, 2, 3, 3, 2, 1, 4, 1, 2, X, X, X, 1, 2, 3, 3, 2, 2, 4, 1, 2, 5, X, 3,
  X, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, X, 1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, X,
};

static void
test_the_published_example_comes_out (void)
{
  AssayAlpha alpha;
  assert_near (alpha_of (published, 4, 12, ASSAY_ALPHA_NOMINAL), 0.743, 0.0005);
  assert_near (alpha_of (published, 4, 12, ASSAY_ALPHA_ORDINAL), 0.815, 0.0005);
  assert_near (alpha_of (published, 4, 12, ASSAY_ALPHA_INTERVAL), 0.849, 0.0005);
  assert_near (alpha_of (published, 4, 12, ASSAY_ALPHA_RATIO), 0.797, 0.0005);
  assay_alpha_compute (published, 4, 12, ASSAY_ALPHA_NOMINAL, 1, 0, &alpha);
  g_assert_cmpuint (alpha.n_observers, ==, 4);
  g_assert_cmpuint (alpha.n_units, ==, 11); /* the last unit was judged once */
  g_assert_cmpuint (alpha.n_values, ==, 40);
  g_assert_true (isnan (alpha.low) && isnan (alpha.high));
}

static double *
read_table (char **lines, guint *at, guint *n_observers, guint *n_units)
{
  g_assert_cmpint (sscanf (lines[(*at)++], "table %u %u", n_observers, n_units), ==, 2);
  double *values = g_new (double, *n_observers **n_units);
  for (guint o = 0; o < *n_observers; o++)
    {
      g_auto(GStrv) words = g_strsplit (lines[(*at)++], " ", -1);
      g_assert_cmpuint (g_strv_length (words), ==, *n_units);
      for (guint u = 0; u < *n_units; u++)
        values[o * *n_units + u] = *words[u] == '.' ? NAN : g_ascii_strtod (words[u], NULL);
    }
  return values;
}

static void
test_a_hundred_random_tables_come_out_as_elsewhere (void)
{
  g_autofree char *path = g_build_filename (g_getenv ("ASSAY_TEST_DATA"), "agreement", "tables.txt", NULL);
  g_autofree char *text = NULL;
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_auto(GStrv) lines = g_strsplit (g_strchomp (text), "\n", -1);
  guint n_tables = 0;
  for (guint at = 0; lines[at] != NULL; at++, n_tables++)
    {
      guint n_observers, n_units;
      g_autofree double *values = read_table (lines, &at, &n_observers, &n_units);
      g_auto(GStrv) figures = g_strsplit (lines[at], " ", -1);
      for (guint metric = 0; metric < 4; metric++)
        {
          const double alpha = alpha_of (values, n_observers, n_units, (AssayAlphaMetric) metric);
          if (strcmp (figures[0], "undefined") == 0)
            g_assert_true (isnan (alpha));
          else
            assert_near (alpha, g_ascii_strtod (figures[metric], NULL), 1e-12);
        }
    }
  g_assert_cmpuint (n_tables, ==, 100);
}

static AssayAlphaState
state_of (const double *values, guint n_observers, guint n_units)
{
  AssayAlpha alpha;
  assay_alpha_compute (values, n_observers, n_units, ASSAY_ALPHA_ORDINAL, 1, 100, &alpha);
  g_assert_true (isnan (alpha.alpha) == (alpha.state != ASSAY_ALPHA_DEFINED));
  return alpha.state;
}

static void
test_alpha_is_undefined_with_its_reason (void)
{
  const double one[] = { 1, 2, 3 }, apart[] = { 1, X, X, 2 }, same[] = { 4, 4, 4, 4 },
               differ[] = { 4, 4, 4, 3 };
  const double silent[] = { 1, 2, X, X };
  g_assert_cmpint (state_of (one, 1, 3), ==, ASSAY_ALPHA_TOO_FEW_OBSERVERS);
  g_assert_cmpint (state_of (silent, 2, 2), ==, ASSAY_ALPHA_TOO_FEW_OBSERVERS);
  g_assert_cmpint (state_of (NULL, 0, 0), ==, ASSAY_ALPHA_TOO_FEW_OBSERVERS);
  g_assert_cmpint (state_of (apart, 2, 2), ==, ASSAY_ALPHA_NOTHING_PAIRED);
  g_assert_cmpint (state_of (same, 2, 2), ==, ASSAY_ALPHA_NO_VARIATION);
  g_assert_cmpint (state_of (differ, 2, 2), ==, ASSAY_ALPHA_DEFINED);
}

static void
test_perfect_agreement_is_one_and_its_interval_too (void)
{
  const double values[] = { 1, 2, 3, 4, 1, 2, 3, 4 };
  AssayAlpha alpha;
  assay_alpha_compute (values, 2, 4, ASSAY_ALPHA_ORDINAL, 1, 500, &alpha);
  assert_near (alpha.alpha, 1, 1e-12);
  assert_near (alpha.low, 1, 1e-12);
  assert_near (alpha.high, 1, 1e-12);
}

static void
test_the_interval_follows_from_its_seed (void)
{
  AssayAlpha a, b, c;
  assay_alpha_compute (published, 4, 12, ASSAY_ALPHA_ORDINAL, 5, 1000, &a);
  assay_alpha_compute (published, 4, 12, ASSAY_ALPHA_ORDINAL, 5, 1000, &b);
  assay_alpha_compute (published, 4, 12, ASSAY_ALPHA_ORDINAL, 6, 1000, &c);
  g_assert_true (a.low == b.low && a.high == b.high);
  g_assert_true (a.low != c.low);
  g_assert_true (a.low < a.alpha && a.alpha < a.high && a.high <= 1);
  assert_near (a.low, c.low, 0.05); /* another seed says nearly the same */
}

/* Many units narrow it: 400 of the same kind against 25. */
static double
width_of (guint n_units)
{
  g_autofree double *values = g_new (double, 3 * n_units);
  g_autoptr(GRand) rand = g_rand_new_with_seed (8);
  AssayAlpha alpha;
  for (guint u = 0; u < n_units; u++)
    for (guint o = 0; o < 3; o++)
      values[o * n_units + u] = g_rand_double (rand) < 0.3 ? g_rand_int_range (rand, 1, 6) : 1 + u % 5;
  assay_alpha_compute (values, 3, n_units, ASSAY_ALPHA_ORDINAL, 2, 400, &alpha);
  return alpha.high - alpha.low;
}

static void
test_the_interval_narrows_with_more_units (void)
{
  const double few = width_of (25), many = width_of (400);
  g_assert_true (many < few / 2);
  g_assert_true (many > few / 8);
}

static void
test_a_hundred_thousand_units_take_no_time (void)
{
  const guint n_units = 100000;
  g_autofree double *values = g_new (double, 3 * n_units);
  g_autoptr(GRand) rand = g_rand_new_with_seed (9);
  AssayAlpha alpha;
  for (guint i = 0; i < 3 * n_units; i++)
    values[i] = g_rand_int_range (rand, 1, 6);
  const gint64 start = g_get_monotonic_time ();
  assay_alpha_compute (values, 3, n_units, ASSAY_ALPHA_ORDINAL, 1, ASSAY_ALPHA_RESAMPLES, &alpha);
  const gint64 took = g_get_monotonic_time () - start;
  g_test_message ("100,000 units, 1000 times: %.0f ms", (double) took / 1e3);
  assert_near (alpha.alpha, 0, 0.01); /* judges who throw dice */
  g_assert_true (alpha.low < 0 && alpha.high > 0 && alpha.high - alpha.low < 0.02);
  g_assert_cmpint (took, <, 30 * G_USEC_PER_SEC);
}

/* ---- of a ledger ---- */

static AssayLedger *
ledger_with_criteria (void)
{
  AssayLedger *ledger = judgment_ledger ();
  AssayCriteria *criteria = judgment_criteria (ledger);
  g_ptr_array_add (criteria->criteria, assay_criterion_new ("good", ASSAY_CRITERION_SCALE));
  g_ptr_array_add (criteria->criteria, assay_criterion_new ("seen", ASSAY_CRITERION_YES_NO));
  g_ptr_array_add (criteria->criteria, assay_criterion_new ("words", ASSAY_CRITERION_FREE));
  ((AssayCriterion *) criteria->criteria->pdata[1])->per_question = TRUE;
  return ledger;
}

static AssayReview *
say (AssayRecord *record, const char *reviewer, gint good, gint seen)
{
  AssayReview *review = judgment_review (record, reviewer, ASSAY_VERDICT_PASS);
  if (good > 0)
    assay_review_set_score (review, "good", NULL, good);
  assay_review_set_score (review, "seen", "q1", seen);
  assay_review_set_score (review, "seen", "q2", 1);
  assay_review_set_words (review, "words", NULL, "hm");
  return review;
}

static void
test_reviews_of_a_ledger_are_counted_by_criterion (void)
{
  g_autoptr(AssayLedger) ledger = ledger_with_criteria ();
  AssayRecord *a = judgment_run ("a", ASSAY_STATUS_COMPLETED, NULL),
              *b = judgment_run ("b", ASSAY_STATUS_COMPLETED, NULL);
  AssayRecord *failed = judgment_run ("failed", ASSAY_STATUS_FAILED, NULL);
  judgment_output (failed, "q1", "half");
  say (a, "Ada", 5, 1);
  say (a, "Bob", 2, 0);
  say (b, "Ada", 4, 1);
  say (b, "Bob", 4, 1);
  say (b, "Cy", 0, 1);
  say (failed, "Ada", 1, 1);
  say (failed, "Bob", 5, 0);
  judgment_add (ledger, a);
  judgment_add (ledger, b);
  judgment_add (ledger, failed);
  g_autoptr(AssayAgreementTable) table = assay_agreement_new (ledger);
  g_assert_cmpuint (table->n_reviewers, ==, 3);
  g_assert_cmpuint (table->criteria->len, ==, 2); /* none of free words */
  const AssayAgreement *good = table->criteria->pdata[0], *seen = table->criteria->pdata[1];
  const double scale[] = { 5, 4, 2, 4 }, yes_no[] = { 1, 1, 1, 1, 0, 1, 1, 1, X, X, 1, 1 };
  g_assert_cmpstr (good->criterion->id, ==, "good");
  assert_near (good->alpha.alpha, alpha_of (scale, 2, 2, ASSAY_ALPHA_ORDINAL), 1e-12);
  g_assert_cmpuint (good->alpha.n_observers, ==, 2);
  assert_near (seen->alpha.alpha, alpha_of (yes_no, 3, 4, ASSAY_ALPHA_NOMINAL), 1e-12);
  g_assert_cmpuint (seen->alpha.n_units, ==, 4);

  g_assert_cmpuint (table->disagreements->len, ==, 2); /* the failed run's do not count */
  const AssayDisagreement *first = table->disagreements->pdata[0], *second = table->disagreements->pdata[1];
  g_assert_cmpstr (first->criterion, ==, "seen"); /* a yes against a no is as far apart as it gets */
  g_assert_cmpstr (first->question, ==, "q1");
  g_assert_cmpstr (second->criterion, ==, "good");
  g_assert_cmpint (second->spread, ==, 3);
  g_assert_cmpstr (assay_record_get_id (second->run), ==, "a");
  g_assert_cmpuint (second->judgments->len, ==, 2);
  g_assert_cmpstr (g_array_index (second->judgments, AssayJudgment, 0).reviewer, ==, "Ada");
  g_assert_cmpint (g_array_index (second->judgments, AssayJudgment, 0).value, ==, 5);
}

static void
test_a_corrected_review_counts_once (void)
{
  g_autoptr(AssayLedger) ledger = ledger_with_criteria ();
  AssayRecord *a = judgment_run ("a", ASSAY_STATUS_COMPLETED, NULL);
  judgment_output (a, "q1", "answer");
  AssayReview *first = say (a, "Ada", 1, 0);
  AssayReview *second = say (a, "Ada", 5, 1);
  second->supersedes = g_strdup (first->id);
  say (a, "Bob", 5, 1);
  judgment_add (ledger, a);
  g_autoptr(AssayAgreementTable) table = assay_agreement_new (ledger);
  g_assert_cmpuint (table->disagreements->len, ==, 0);
}

static void
test_a_ledger_without_reviews_says_why (void)
{
  g_autoptr(AssayLedger) ledger = ledger_with_criteria ();
  judgment_add (ledger, judgment_run ("a", ASSAY_STATUS_COMPLETED, NULL));
  g_autoptr(AssayAgreementTable) table = assay_agreement_new (ledger);
  g_autofree char *words
      = assay_alpha_dup_words (&((const AssayAgreement *) table->criteria->pdata[0])->alpha);
  g_assert_cmpstr (words, ==, "no agreement to tell: nobody has scored this");
}

static AssayLedger *
ledger_judged_by (guint n_reviewers, guint n_runs)
{
  AssayLedger *ledger = ledger_with_criteria ();
  for (guint r = 0; r < n_runs; r++)
    {
      g_autofree char *id = g_strdup_printf ("r%u", r);
      AssayRecord *run = judgment_run (id, ASSAY_STATUS_COMPLETED, NULL);
      for (guint i = 0; i < n_reviewers; i++)
        {
          g_autofree char *name = g_strdup_printf ("%u of %u", i, r);
          say (run, name, (gint) (i + r) % 5 + 1, 1);
        }
      judgment_add (ledger, run);
    }
  return ledger;
}

/* A table of everybody and every run would be 20,000 × 10,000. */
static void
test_strangers_take_no_memory_for_what_they_did_not_judge (void)
{
  g_autoptr(AssayLedger) ledger = ledger_judged_by (2, 10000);
  struct rlimit before, tight;
  g_assert_cmpint (getrlimit (RLIMIT_AS, &before), ==, 0);
  tight = before;
  tight.rlim_cur = G_GUINT64_CONSTANT (1) << 30;
#ifndef __SANITIZE_ADDRESS__
  g_assert_cmpint (setrlimit (RLIMIT_AS, &tight), ==, 0);
#endif
  g_autoptr(AssayAgreementTable) table = assay_agreement_new (ledger);
  g_assert_cmpint (setrlimit (RLIMIT_AS, &before), ==, 0);
  g_assert_cmpuint (table->n_reviewers, ==, 20000);
  g_assert_cmpuint (((const AssayAgreement *) table->criteria->pdata[0])->alpha.n_units, ==, 10000);
}

static void
test_a_run_reviewed_thirty_thousand_times_is_gone_through_once (void)
{
  g_autoptr(AssayLedger) ledger = ledger_judged_by (30000, 1);
  const gint64 start = g_get_monotonic_time ();
  g_autoptr(GPtrArray) current = assay_record_get_current_reviews (assay_ledger_get_run (ledger, 0));
  g_assert_cmpuint (current->len, ==, 30000);
  g_assert_cmpint (g_get_monotonic_time () - start, <, G_USEC_PER_SEC);
}

static void
test_who_scores_the_same_twice_means_the_latter (void)
{
  g_autoptr(AssayLedger) ledger = ledger_with_criteria ();
  AssayRecord *a = judgment_run ("a", ASSAY_STATUS_COMPLETED, NULL);
  AssayReview *review = say (a, "Ada", 1, 1);
  AssayScore *again = g_new0 (AssayScore, 1);
  *again = (AssayScore){ .criterion = g_strdup (((AssayScore *) review->scores->pdata[0])->criterion), .value = 5 };
  g_ptr_array_add (review->scores, again);
  judgment_add (ledger, a);
  g_autoptr(AssayAgreementTable) table = assay_agreement_new (ledger);
  g_assert_cmpuint (table->disagreements->len, ==, 0); /* nobody disagrees with herself */
  g_assert_cmpuint (((const AssayAgreement *) table->criteria->pdata[0])->alpha.n_units, ==, 0);
}

#define ADD(name, function) g_test_add_func ("/judgment/agreement/" name, function)

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  ADD ("the-published-example-comes-out", test_the_published_example_comes_out);
  ADD ("a-hundred-random-tables-come-out-as-elsewhere", test_a_hundred_random_tables_come_out_as_elsewhere);
  ADD ("alpha-is-undefined-with-its-reason", test_alpha_is_undefined_with_its_reason);
  ADD ("perfect-agreement-is-one-and-its-interval-too", test_perfect_agreement_is_one_and_its_interval_too);
  ADD ("the-interval-follows-from-its-seed", test_the_interval_follows_from_its_seed);
  ADD ("the-interval-narrows-with-more-units", test_the_interval_narrows_with_more_units);
  ADD ("a-hundred-thousand-units-take-no-time", test_a_hundred_thousand_units_take_no_time);
  ADD ("reviews-of-a-ledger-are-counted-by-criterion", test_reviews_of_a_ledger_are_counted_by_criterion);
  ADD ("a-corrected-review-counts-once", test_a_corrected_review_counts_once);
  ADD ("a-ledger-without-reviews-says-why", test_a_ledger_without_reviews_says_why);
  ADD ("strangers-take-no-memory-for-what-they-did-not-judge",
       test_strangers_take_no_memory_for_what_they_did_not_judge);
  ADD ("a-run-reviewed-thirty-thousand-times-is-gone-through-once",
       test_a_run_reviewed_thirty_thousand_times_is_gone_through_once);
  ADD ("who-scores-the-same-twice-means-the-latter", test_who_scores_the_same_twice_means_the_latter);
  return g_test_run ();
}
