/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Criteria: what they may ask for, and what a change of them does to reviews that stand. */
#include <string.h>

#include "assay-compare.h"
#include "assay-store.h"
#include "judgment.h"

static AssayRecord *
run_reviewed (AssayLedger *ledger, const char *id, const char *mode, const char *at, int value)
{
  AssayRecord *record = judgment_run (id, ASSAY_STATUS_COMPLETED, "offload_mode", mode, "peak_vram", "100",
                                      "elapsed_seconds", "10", NULL);
  AssayReview *review = judgment_review (record, "Ana", ASSAY_VERDICT_PASS);
  g_free (review->at);
  review->at = g_strdup (at);
  assay_review_set_score (review, "groundedness", NULL, value);
  return judgment_add (ledger, record);
}

static AssayLedger *
ledger_with_template (void)
{
  AssayLedger *ledger = judgment_ledger ();
  assay_ledger_take_criteria (ledger, assay_criteria_new_default (ASSAY_TASK_LANGUAGE));
  return ledger;
}

static void
rename_first (AssayLedger *ledger)
{
  AssayCriteria *changed = assay_criteria_copy (assay_ledger_get_criteria (ledger));
  AssayCriterion *first = g_ptr_array_index (changed->criteria, 0);
  g_free (first->label);
  first->label = g_strdup ("Says what was expected");
  assay_ledger_change_criteria (ledger, changed);
}

static void
test_change_without_reviews_leaves_no_mark (void)
{
  g_autoptr(AssayLedger) ledger = ledger_with_template ();
  rename_first (ledger);
  g_assert_null (assay_ledger_get_criteria (ledger)->changed_at);
}

static void
test_threshold_of_another_gate_is_no_change_of_quality (void)
{
  g_autoptr(AssayLedger) ledger = ledger_with_template ();
  run_reviewed (ledger, "a", "none", "2026-01-01T00:00:00Z", 4);
  AssayCriteria *changed = assay_criteria_copy (assay_ledger_get_criteria (ledger));
  changed->vram_budget = 4096;
  assay_ledger_change_criteria (ledger, changed);
  g_assert_cmpint (assay_ledger_get_criteria (ledger)->vram_budget, ==, 4096);
  g_assert_null (assay_ledger_get_criteria (ledger)->changed_at);
}

static void
test_change_after_reviews_is_noted_and_told (void)
{
  g_autoptr(AssayLedger) ledger = ledger_with_template ();
  AssayRecord *a = run_reviewed (ledger, "a", "none", "2026-01-01T00:00:00Z", 4);
  rename_first (ledger);
  const AssayCriteria *criteria = assay_ledger_get_criteria (ledger);
  g_assert_cmpstr (criteria->changed_from, ==, "expected_answer_seen, groundedness");
  g_assert_true (assay_criteria_is_earlier (criteria, g_ptr_array_index (assay_record_get_reviews (a), 0)));
  g_autoptr(AssayGates) gates = assay_gates_judge (ledger, a);
  g_assert_cmpint (gates->verdict[ASSAY_GATE_QUALITY], ==, ASSAY_VERDICT_PASS); /* a person's word stands */
  g_assert_nonnull (strstr (gates->evidence[ASSAY_GATE_QUALITY], "1 by earlier criteria"));
  g_assert_null (strstr (gates->evidence[ASSAY_GATE_QUALITY], "of 5"));
}

static void
test_quality_is_not_compared_over_a_change (void)
{
  g_autoptr(AssayLedger) ledger = ledger_with_template ();
  AssayRecord *a = run_reviewed (ledger, "a", "none", "2026-01-01T00:00:00Z", 4);
  rename_first (ledger);
  AssayRecord *b = run_reviewed (ledger, "b", "model", "2999-01-01T00:00:00Z", 2);
  g_autoptr(AssayComparison) comparison = assay_compare_runs (ledger, a, b);
  g_assert_cmpint (comparison->kind, ==, ASSAY_COMPARISON_EFFECT); /* memory and time are */
  g_assert_nonnull (strstr (comparison->sentence, "evaluation_criterion changed between the reviews"));
  g_assert_null (strstr (comparison->sentence, "quality unchanged"));
}

static AssayLedger *
saved_and_read (AssayLedger *ledger)
{
  g_autofree char *folder = g_dir_make_tmp ("assay-criteria-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "a.ledger.xml", NULL);
  g_autoptr(GError) error = NULL;
  g_assert_true (assay_store_save (ledger, path, &error));
  AssayLedger *read = assay_store_load (path, &error);
  g_assert_no_error (error);
  judgment_remove_folder (folder);
  return read;
}

static void
test_free_words_and_required_come_back (void)
{
  g_autoptr(AssayLedger) ledger = ledger_with_template ();
  AssayCriteria *changed = assay_criteria_copy (assay_ledger_get_criteria (ledger));
  AssayCriterion *tone = assay_criterion_new ("tone", ASSAY_CRITERION_FREE);
  tone->required = TRUE;
  g_ptr_array_add (changed->criteria, tone);
  assay_ledger_change_criteria (ledger, changed);
  AssayRecord *run = judgment_add (ledger, judgment_run ("a", ASSAY_STATUS_COMPLETED, NULL));
  g_autoptr(AssayReview) review = assay_review_new ("Ana");
  assay_review_set_words (review, "tone", NULL, "warm <& \"curt\"\n");
  g_assert_true (assay_ledger_add_review (ledger, assay_record_get_id (run), review, NULL));
  g_autoptr(AssayLedger) read = saved_and_read (ledger);
  g_assert_true (assay_criteria_equal (assay_ledger_get_criteria (ledger), assay_ledger_get_criteria (read)));
  GPtrArray *reviews = assay_record_get_reviews (assay_ledger_get_run (read, 0));
  g_assert_cmpuint (reviews->len, ==, 1);
  const AssayScore *score = assay_review_find_score (g_ptr_array_index (reviews, 0), "tone", NULL);
  g_assert_cmpstr (score->words, ==, "warm <& \"curt\"\n");
}

static void
test_words_and_scores_keep_to_their_criteria (void)
{
  g_autoptr(AssayLedger) ledger = ledger_with_template ();
  AssayRecord *run = judgment_add (ledger, judgment_run ("a", ASSAY_STATUS_COMPLETED, NULL));
  g_autoptr(AssayReview) review = assay_review_new ("Ana");
  g_autoptr(GError) error = NULL;
  assay_review_set_words (review, "groundedness", NULL, "well founded");
  g_assert_false (assay_ledger_add_review (ledger, assay_record_get_id (run), review, &error));
  g_assert_nonnull (strstr (error->message, "words where a score is asked for"));
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ledger/criteria/change-without-reviews-leaves-no-mark", test_change_without_reviews_leaves_no_mark);
  g_test_add_func ("/ledger/criteria/threshold-of-another-gate-is-no-change-of-quality",
                   test_threshold_of_another_gate_is_no_change_of_quality);
  g_test_add_func ("/ledger/criteria/change-after-reviews-is-noted-and-told", test_change_after_reviews_is_noted_and_told);
  g_test_add_func ("/ledger/criteria/quality-is-not-compared-over-a-change", test_quality_is_not_compared_over_a_change);
  g_test_add_func ("/ledger/criteria/free-words-and-required-come-back", test_free_words_and_required_come_back);
  g_test_add_func ("/ledger/criteria/words-and-scores-keep-to-their-criteria",
                   test_words_and_scores_keep_to_their_criteria);
  return g_test_run ();
}
