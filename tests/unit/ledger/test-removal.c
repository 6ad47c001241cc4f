/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was removed from a ledger, taking edits back, and what another program makes of both. */
#include <string.h>

#include "assay-edit.h"
#include "ledger-fixture.h"

static void
pair_set_up (FixturePair *pair, gconstpointer data)
{
  fixture_pair_open (pair, fixture_ledger (3));
}

static void
pair_tear_down (FixturePair *pair, gconstpointer data)
{
  fixture_pair_close (pair);
}

static void
review (AssayLedger *ledger, const char *run, const char *reviewer)
{
  g_autoptr(AssayReview) made = assay_review_new (reviewer);
  g_autoptr(GError) error = NULL;
  g_free (made->id);
  made->id = g_strconcat ("by-", reviewer, NULL);
  assay_ledger_add_review (ledger, run, made, &error);
  g_assert_no_error (error);
}

static gboolean
has_review (AssayLedger *ledger, const char *run, const char *id)
{
  GPtrArray *reviews = assay_record_get_reviews (assay_ledger_find_run (ledger, run));
  for (guint i = 0; i < reviews->len; i++)
    if (strcmp (((AssayReview *) g_ptr_array_index (reviews, i))->id, id) == 0)
      return TRUE;
  return FALSE;
}

static void
plan (AssayLedger *ledger, const char *run, const char *to)
{
  g_autoptr(AssayNextTrial) next = assay_next_trial_new ();
  g_autoptr(GError) error = NULL;
  next->signal = g_strdup ("too_slow");
  next->axis = g_strdup ("dtype");
  next->from = g_strdup ("bfloat16");
  next->to = g_strdup (to);
  assay_ledger_set_next_trial (ledger, run, next, &error);
  g_assert_no_error (error);
}

/* Takes the newest edit of the first ledger back. */
static void
take_back (FixturePair *pair)
{
  g_autoptr(GError) error = NULL;
  assay_ledger_revert (pair->first, g_ptr_array_index (pair->edits, pair->edits->len - 1), &error);
  g_assert_no_error (error);
}

static void
test_survives_the_save_of_one_who_still_has_it (FixturePair *pair, gconstpointer data)
{
  assay_ledger_remove_run (pair->first, "run-1");
  fixture_save (pair->first, NULL);
  assay_ledger_set_title (pair->second, "still has it");
  fixture_save (pair->second, NULL);
  g_assert_null (assay_ledger_find_run (pair->second, "run-1"));
  g_autoptr(AssayLedger) disk = fixture_load (pair->path);
  g_assert_null (assay_ledger_find_run (disk, "run-1"));
  g_assert_true (assay_ledger_has_removed_run (disk, "run-1"));
  g_assert_cmpuint (assay_ledger_get_n_runs (disk), ==, 2);
}

static void
test_taken_back_brings_the_run_to_all (FixturePair *pair, gconstpointer data)
{
  assay_ledger_remove_run (pair->first, "run-1");
  fixture_save (pair->first, NULL);
  assay_ledger_set_title (pair->second, "one save between");
  fixture_save (pair->second, NULL);
  take_back (pair);
  fixture_save (pair->first, NULL);
  g_assert_cmpstr (assay_record_get_id (assay_ledger_get_run (pair->first, 1)), ==, "run-1");
  assay_ledger_set_title (pair->second, "and one after");
  fixture_save (pair->second, NULL);
  g_assert_nonnull (assay_ledger_find_run (pair->second, "run-1"));
  fixture_save (pair->first, NULL);
  g_autoptr(AssayLedger) disk = fixture_load (pair->path);
  g_assert_nonnull (assay_ledger_find_run (disk, "run-1"));
  g_assert_false (assay_ledger_has_removed_run (disk, "run-1"));
}

static void
test_a_review_outlives_the_removal_of_its_run (FixturePair *pair, gconstpointer data)
{
  assay_ledger_remove_run (pair->first, "run-1");
  fixture_save (pair->first, NULL);
  review (pair->second, "run-1", "Bob"); /* has not seen the removal */
  fixture_save (pair->second, NULL);
  g_autoptr(AssayLedger) disk = fixture_load (pair->path);
  g_assert_true (has_review (disk, "run-1", "by-Bob"));
  g_assert_false (assay_ledger_has_removed_run (disk, "run-1"));
  assay_ledger_set_title (pair->first, "merges");
  fixture_save (pair->first, NULL);
  g_assert_true (has_review (pair->first, "run-1", "by-Bob"));
}

static void
test_a_removal_made_in_ignorance_of_a_review_is_dropped (FixturePair *pair, gconstpointer data)
{
  review (pair->second, "run-1", "Bob");
  fixture_save (pair->second, NULL);
  assay_ledger_remove_run (pair->first, "run-1");
  fixture_save (pair->first, NULL);
  g_assert_true (has_review (pair->first, "run-1", "by-Bob"));
  g_assert_false (assay_ledger_has_removed_run (pair->first, "run-1"));
}

static void
test_a_file_put_back_from_an_older_state_takes_no_run_away (FixturePair *pair, gconstpointer data)
{
  g_autofree char *older = fixture_read (pair->path, NULL);
  g_autoptr(AssayRecord) record = fixture_record ("run-new", 5);
  g_autoptr(GError) error = NULL;
  assay_ledger_add_run (pair->first, record);
  fixture_save (pair->first, NULL);
  g_file_set_contents (pair->path, older, -1, &error);
  g_assert_no_error (error);
  assay_ledger_set_title (pair->first, "again");
  fixture_save (pair->first, NULL);
  g_autoptr(AssayLedger) disk = fixture_load (pair->path);
  g_assert_nonnull (assay_ledger_find_run (disk, "run-new"));
}

static void
test_a_removed_review_stays_removed (FixturePair *pair, gconstpointer data)
{
  g_autoptr(GError) error = NULL;
  review (pair->first, "run-0", "Ada");
  fixture_save (pair->first, NULL);
  assay_ledger_set_title (pair->second, "now has the review");
  fixture_save (pair->second, NULL);
  assay_ledger_set_title (pair->first, "in step");
  fixture_save (pair->first, NULL);

  assay_ledger_remove_review (pair->first, "run-0", "by-Ada", &error);
  g_assert_no_error (error);
  fixture_save (pair->first, NULL);
  review (pair->second, "run-0", "Bob");
  fixture_save (pair->second, NULL);
  g_autoptr(AssayLedger) disk = fixture_load (pair->path);
  g_assert_false (has_review (disk, "run-0", "by-Ada"));
  g_assert_true (has_review (disk, "run-0", "by-Bob"));

  take_back (pair);
  fixture_save (pair->first, NULL);
  g_autoptr(AssayLedger) again = fixture_load (pair->path);
  g_assert_true (has_review (again, "run-0", "by-Ada"));
  g_assert_true (has_review (again, "run-0", "by-Bob"));
}

static void
test_a_review_taken_back_leaves_the_other_ones (FixturePair *pair, gconstpointer data)
{
  review (pair->first, "run-0", "Ada");
  fixture_save (pair->first, NULL);
  review (pair->second, "run-0", "Bob");
  fixture_save (pair->second, NULL);
  take_back (pair);
  fixture_save (pair->first, NULL);
  g_autoptr(AssayLedger) disk = fixture_load (pair->path);
  g_assert_false (has_review (disk, "run-0", "by-Ada"));
  g_assert_true (has_review (disk, "run-0", "by-Bob"));
}

static void
test_a_plan_taken_back_is_gone_after_a_merge (FixturePair *pair, gconstpointer data)
{
  g_autoptr(AssayRecord) was = g_object_ref (assay_ledger_find_run (pair->first, "run-0"));
  plan (pair->first, "run-0", "float16");
  fixture_save (pair->first, NULL);
  review (pair->second, "run-0", "Bob");
  fixture_save (pair->second, NULL);
  take_back (pair);
  fixture_save (pair->first, NULL);
  g_autoptr(AssayLedger) disk = fixture_load (pair->path);
  g_assert_true (assay_next_trial_equal (assay_record_get_next_trial (assay_ledger_find_run (disk, "run-0")),
                                         assay_record_get_next_trial (was)));
  g_assert_true (has_review (disk, "run-0", "by-Bob"));
}

static void
test_what_another_changed_since_is_not_taken_back (FixturePair *pair, gconstpointer data)
{
  g_autoptr(GError) error = NULL;
  plan (pair->first, "run-0", "float16");
  fixture_save (pair->first, NULL);
  assay_ledger_set_title (pair->second, "in step");
  fixture_save (pair->second, NULL);
  plan (pair->second, "run-0", "float32");
  fixture_save (pair->second, NULL);
  assay_ledger_set_title (pair->first, "merges");
  fixture_save (pair->first, NULL);
  g_assert_false (assay_ledger_revert (pair->first, g_ptr_array_index (pair->edits, 0), &error));
  g_assert_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_RULE);
  g_assert_cmpstr (assay_record_get_next_trial (assay_ledger_find_run (pair->first, "run-0"))->to, ==, "float32");
}

static void
test_title_and_criteria_are_taken_back (FixturePair *pair, gconstpointer data)
{
  g_autofree char *title = g_strdup (assay_ledger_get_title (pair->first));
  const gint64 budget = assay_ledger_get_criteria (pair->first)->vram_budget;
  AssayCriteria *criteria = assay_criteria_copy (assay_ledger_get_criteria (pair->first));
  assay_ledger_set_title (pair->first, "another");
  take_back (pair);
  g_assert_cmpstr (assay_ledger_get_title (pair->first), ==, title);
  criteria->vram_budget = budget + 1;
  assay_ledger_take_criteria (pair->first, criteria);
  g_assert_cmpint (assay_edit_get_kind (g_ptr_array_index (pair->edits, pair->edits->len - 1)), ==,
                   ASSAY_EDIT_CRITERIA);
  take_back (pair);
  g_assert_cmpint (assay_ledger_get_criteria (pair->first)->vram_budget, ==, budget);
}

static void
on_received (AssayLedger *ledger, guint n, gpointer data)
{
  *(guint *) data += n;
}

static void
test_what_comes_in_is_told_and_is_no_edit (FixturePair *pair, gconstpointer data)
{
  guint n_received = 0;
  g_signal_connect (pair->first, "received", G_CALLBACK (on_received), &n_received);
  review (pair->second, "run-0", "Bob");
  assay_ledger_remove_run (pair->second, "run-1");
  fixture_save (pair->second, NULL);
  assay_ledger_set_title (pair->first, "merges");
  const guint n_edits = pair->edits->len;
  fixture_save (pair->first, NULL);
  g_assert_cmpuint (n_received, ==, 2);
  g_assert_cmpuint (pair->edits->len, ==, n_edits);
}

/* Any text may be an id of another program's file. */
static void
test_any_id_is_kept_through_the_file (FixturePair *pair, gconstpointer data)
{
  static const char *const ids[] = { "a<b>&\"c\"", "\x01 \xff", "7/x", "x/7" };
  for (guint i = 0; i < G_N_ELEMENTS (ids); i++)
    {
      g_autoptr(AssayRecord) record = fixture_record (ids[i], 5);
      assay_ledger_add_run (pair->first, record);
      assay_ledger_remove_run (pair->first, ids[i]);
    }
  fixture_save (pair->first, NULL);
  g_autoptr(AssayLedger) disk = fixture_load (pair->path);
  assay_ledger_set_title (disk, "written again");
  fixture_save (disk, NULL);
  g_autoptr(AssayLedger) again = fixture_load (pair->path);
  for (guint i = 0; i < G_N_ELEMENTS (ids); i++)
    g_assert_true (assay_ledger_has_removed_run (again, ids[i]));
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
#define ADD(NAME, FUNC) g_test_add ("/ledger/removal/" NAME, FixturePair, NULL, pair_set_up, FUNC, pair_tear_down)
  ADD ("survives-the-save-of-one-who-still-has-it", test_survives_the_save_of_one_who_still_has_it);
  ADD ("taken-back-brings-the-run-to-all", test_taken_back_brings_the_run_to_all);
  ADD ("a-review-outlives-the-removal-of-its-run", test_a_review_outlives_the_removal_of_its_run);
  ADD ("a-removal-made-in-ignorance-of-a-review-is-dropped", test_a_removal_made_in_ignorance_of_a_review_is_dropped);
  ADD ("a-file-put-back-from-an-older-state-takes-no-run-away",
       test_a_file_put_back_from_an_older_state_takes_no_run_away);
  ADD ("a-removed-review-stays-removed", test_a_removed_review_stays_removed);
  ADD ("a-review-taken-back-leaves-the-other-ones", test_a_review_taken_back_leaves_the_other_ones);
  ADD ("a-plan-taken-back-is-gone-after-a-merge", test_a_plan_taken_back_is_gone_after_a_merge);
  ADD ("what-another-changed-since-is-not-taken-back", test_what_another_changed_since_is_not_taken_back);
  ADD ("title-and-criteria-are-taken-back", test_title_and_criteria_are_taken_back);
  ADD ("what-comes-in-is-told-and-is-no-edit", test_what_comes_in_is_told_and_is_no_edit);
  ADD ("any-id-is-kept-through-the-file", test_any_id_is_kept_through_the_file);
  return g_test_run ();
}
