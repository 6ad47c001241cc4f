/* SPDX-License-Identifier: GPL-3.0-or-later */
/* That a person accepts what was in effect is kept in the file, merged like any edit, and can be taken back. */
#include "assay-compare.h"
#include "assay-edit.h"
#include "ledger-fixture.h"

#define RUNS                                                                                                          \
  "<run id='a'><conditions><context_length>8192</context_length></conditions><effective><context_length>4096"         \
  "</context_length></effective><outcome><status>completed</status></outcome></run>"                                  \
  "<run id='b'><conditions><context_length>2048</context_length></conditions><outcome><status>completed</status>"     \
  "</outcome></run>"

static AssayRecord *
run_of (AssayLedger *ledger, const char *id)
{
  return assay_ledger_find_run (ledger, id);
}

static void
accept (AssayLedger *ledger, const char *id, gboolean accepted)
{
  g_autoptr(GError) error = NULL;
  assay_ledger_set_accepted (ledger, id, accepted, &error);
  g_assert_no_error (error);
}

static AssayComparisonReason
compare (AssayLedger *ledger)
{
  g_autoptr(AssayComparison) comparison = assay_compare_runs (ledger, run_of (ledger, "b"), run_of (ledger, "a"));
  return comparison->reason;
}

static void
test_accepted_comes_back_from_the_file (void)
{
  g_autoptr(AssayLedger) ledger = fixture_parse (FIXTURE_HEAD RUNS FIXTURE_TAIL);
  g_assert_cmpint (compare (ledger), ==, ASSAY_REASON_NOT_AS_ASKED);
  accept (ledger, "a", TRUE);
  g_autofree char *xml = fixture_serialize (ledger);
  g_autoptr(AssayLedger) read = fixture_parse (xml);
  g_assert_cmpstr (assay_record_get_accepted (run_of (read, "a")), ==, assay_record_get_accepted (run_of (ledger, "a")));
  g_assert_cmpint (compare (read), ==, ASSAY_REASON_NONE);
  accept (read, "a", FALSE);
  g_autofree char *again = fixture_serialize (read);
  g_assert_null (strstr (again, "accepted"));
  g_assert_cmpint (compare (read), ==, ASSAY_REASON_NOT_AS_ASKED);
}

static void
test_what_was_asked_for_needs_no_accepting (void)
{
  g_autoptr(AssayLedger) ledger = fixture_parse (FIXTURE_HEAD RUNS FIXTURE_TAIL);
  g_autoptr(GError) error = NULL;
  g_assert_false (assay_ledger_set_accepted (ledger, "b", TRUE, &error));
  g_assert_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_RULE);
  g_clear_error (&error);
  g_assert_false (assay_ledger_set_accepted (ledger, "nobody", TRUE, &error));
  g_assert_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_NO_SUCH);
}

static void
test_what_is_no_time_accepts_nothing_and_is_kept (void)
{
  g_autoptr(AssayLedger) ledger = fixture_parse (FIXTURE_HEAD "<run accepted='yesterday' id='a'><conditions><context_length>8192"
                                                 "</context_length></conditions><effective><context_length>4096</context_length>"
                                                 "</effective><outcome><status>completed</status></outcome></run>" FIXTURE_TAIL);
  const char *const *notices = assay_record_get_notices (run_of (ledger, "a"));
  g_assert_null (assay_record_get_accepted (run_of (ledger, "a")));
  g_assert_false (assay_compare_is_as_asked (run_of (ledger, "a")));
  g_assert_nonnull (strstr (notices[0], "yesterday"));
  g_autoptr(AssayReview) review = assay_review_new ("Ana");
  review->verdict = ASSAY_VERDICT_PASS;
  g_assert_true (assay_ledger_add_review (ledger, "a", review, NULL));
  g_autofree char *xml = fixture_serialize (ledger);
  g_assert_nonnull (strstr (xml, "accepted=\"yesterday\""));
}

static void
test_merges_three_ways (void)
{
  g_autofree char *folder = fixture_dup_folder (), *path = g_build_filename (folder, "a.ledger.xml", NULL);
  fixture_write (path, FIXTURE_HEAD RUNS FIXTURE_TAIL, -1);
  g_autoptr(AssayLedger) first = fixture_load (path), second = fixture_load (path);
  g_autoptr(AssayReview) review = assay_review_new ("Bob");
  review->verdict = ASSAY_VERDICT_PASS;
  accept (first, "a", TRUE);
  g_assert_true (assay_ledger_add_review (second, "a", review, NULL)); /* of the same run, and says nothing of this */
  fixture_save (first, NULL);
  fixture_save (second, NULL);
  g_autoptr(AssayLedger) both = fixture_load (path);
  g_assert_nonnull (assay_record_get_accepted (run_of (both, "a")));
  g_assert_cmpuint (assay_record_get_reviews (run_of (both, "a"))->len, ==, 1);
  accept (second, "a", FALSE);
  g_autoptr(AssayReview) later = assay_review_new ("Cem");
  later->verdict = ASSAY_VERDICT_FAIL;
  g_assert_true (assay_ledger_add_review (both, "a", later, NULL)); /* still holds it accepted */
  fixture_save (both, NULL);
  fixture_save (second, NULL);
  g_autoptr(AssayLedger) taken_back = fixture_load (path);
  g_assert_null (assay_record_get_accepted (run_of (taken_back, "a")));
  g_assert_cmpuint (assay_record_get_reviews (run_of (taken_back, "a"))->len, ==, 2);
  fixture_remove_folder (folder);
}

static void
edited_cb (AssayLedger *ledger, const AssayEdit *edit, AssayEdit **kept)
{
  g_clear_pointer (kept, assay_edit_free);
  *kept = assay_edit_copy (edit);
}

static void
test_can_be_taken_back (void)
{
  g_autoptr(AssayLedger) ledger = fixture_parse (FIXTURE_HEAD RUNS FIXTURE_TAIL);
  g_autoptr(AssayEdit) edit = NULL, back = NULL;
  g_signal_connect (ledger, "edited", G_CALLBACK (edited_cb), &edit);
  accept (ledger, "a", TRUE);
  g_assert_cmpint (assay_edit_get_kind (edit), ==, ASSAY_EDIT_RUN);
  back = assay_edit_copy (edit);
  g_assert_true (assay_ledger_revert (ledger, back, NULL));
  g_assert_null (assay_record_get_accepted (run_of (ledger, "a")));
  g_autofree char *xml = fixture_serialize (ledger);
  g_assert_null (strstr (xml, "accepted"));
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
#define ADD(NAME, FUNC) g_test_add_func ("/ledger/accepted/" NAME, FUNC)
  ADD ("comes-back-from-the-file", test_accepted_comes_back_from_the_file);
  ADD ("what-was-asked-for-needs-no-accepting", test_what_was_asked_for_needs_no_accepting);
  ADD ("what-is-no-time-accepts-nothing-and-is-kept", test_what_is_no_time_accepts_nothing_and_is_kept);
  ADD ("merges-three-ways", test_merges_three_ways);
  ADD ("can-be-taken-back", test_can_be_taken_back);
#undef ADD
  return g_test_run ();
}
