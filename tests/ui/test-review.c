/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reviewing, driven as a person drives it: keys pressed, text entered, buttons clicked. */
#include <glib/gstdio.h>
#include <string.h>

#include "assay-answer-view.h"
#include "assay-criterion-row.h"
#include "assay-display-text.h"
#include "assay-review-shelf.h"
#include "assay-review-view.h"
#include "assay-rubric-build.h"
#include "assay-store.h"
#include "views-driver.h"

static Scene
review_scene (const char *reviewer, const char *run_id)
{
  Scene scene = views_scene_new (assay_review_view_new ());

  g_object_set (scene.view, "reviewer", reviewer, NULL);
  views_scene_show (&scene, run_id);
  g_assert_true (gtk_widget_activate_action (scene.view, "review.by-name", NULL));
  views_settle ();
  return scene;
}

static void
save (Scene *scene, const char *action)
{
  g_assert_true (gtk_widget_activate_action (scene->view, action, NULL));
  views_settle ();
  GtkWidget *anyway = views_find (scene->view, views_is_button, "Save Anyway");
  if (gtk_widget_get_mapped (anyway)) /* these tests are about other things than answers that are not rated */
    views_click (scene->view, "Save Anyway");
  views_settle ();
}

static const AssayReview *
last_review (Scene *scene, const char *run_id, guint n_expected)
{
  GPtrArray *reviews = assay_record_get_reviews (assay_ledger_find_run (scene->ledger, run_id));

  g_assert_cmpuint (reviews->len, ==, n_expected);
  return g_ptr_array_index (reviews, n_expected - 1);
}

static void
enter_note (Scene *scene, const char *text)
{
  GtkTextBuffer *buffer
      = gtk_text_view_get_buffer (GTK_TEXT_VIEW (views_find (scene->view, views_is_note, NULL)));

  gtk_text_buffer_set_text (buffer, text, -1);
}

static void
test_saved_review_holds_what_was_given (void)
{
  if (views_no_display ())
    return;
  Scene scene = review_scene ("Ana", FIXTURE_CHILD);
  GtkWidget *answers = views_find (scene.view, views_is_type, "AssayAnswerView");

  g_assert_true (views_press (views_find (scene.view, views_is_criterion, "groundedness"), GDK_KEY_4));
  g_assert_true (
      views_press (views_find (scene.view, views_is_criterion, "expected_answer_seen"), GDK_KEY_y));
  assay_answer_view_step (ASSAY_ANSWER_VIEW (answers), 1);
  g_assert_true (
      views_press (views_find (scene.view, views_is_criterion, "expected_answer_seen"), GDK_KEY_0));
  enter_note (&scene, "names 月球, says little");
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (views_find (scene.view, views_is_button, "Pass")), TRUE);
  g_assert_true (assay_review_view_has_drafts (ASSAY_REVIEW_VIEW (scene.view)));
  save (&scene, "review.save");
  const AssayReview *review = last_review (&scene, FIXTURE_CHILD, 1);
  g_assert_cmpstr (review->reviewer, ==, "Ana");
  g_assert_cmpint (review->verdict, ==, ASSAY_VERDICT_PASS);
  g_assert_cmpstr (review->quality_note, ==, "names 月球, says little");
  g_assert_cmpint (assay_review_find_score (review, "groundedness", NULL)->value, ==, 4);
  g_assert_cmpint (assay_review_find_score (review, "expected_answer_seen", "q1")->value, ==, 1);
  g_assert_cmpint (assay_review_find_score (review, "expected_answer_seen", "q2")->value, ==, 0);
  g_assert_null (assay_review_find_score (review, "completeness", NULL));
  g_assert_null (review->supersedes);
  g_assert_true (assay_ledger_is_unsaved (scene.ledger));
  g_assert_false (assay_review_view_has_drafts (ASSAY_REVIEW_VIEW (scene.view)));
  views_scene_clear (&scene);
}

static void
test_draft_survives_looking_at_another_run (void)
{
  if (views_no_display ())
    return;
  Scene scene = review_scene ("Ana", FIXTURE_CHILD);

  views_press (views_find (scene.view, views_is_criterion, "groundedness"), GDK_KEY_2);
  enter_note (&scene, "half a thought");
  views_scene_show (&scene, FIXTURE_BASE);
  g_assert_cmpint (assay_criterion_row_get_value (
                       ASSAY_CRITERION_ROW (views_find (scene.view, views_is_criterion, "groundedness"))),
                   ==, ASSAY_CRITERION_UNSET);
  g_assert_true (assay_review_view_has_drafts (ASSAY_REVIEW_VIEW (scene.view)));
  views_scene_show (&scene, FIXTURE_FULL);
  views_scene_show (&scene, FIXTURE_CHILD);
  g_autofree char *note = views_dup_text (views_find (scene.view, views_is_note, NULL));
  g_assert_cmpstr (note, ==, "half a thought");
  g_assert_cmpint (assay_criterion_row_get_value (
                       ASSAY_CRITERION_ROW (views_find (scene.view, views_is_criterion, "groundedness"))),
                   ==, 2);
  last_review (&scene, FIXTURE_BASE, 1); /* nothing was written anywhere */
  g_assert_cmpuint (assay_record_get_reviews (assay_ledger_find_run (scene.ledger, FIXTURE_CHILD))->len, ==,
                    0);
  views_scene_clear (&scene);
}

static void
test_correction_supersedes_and_keeps_the_earlier_one (void)
{
  if (views_no_display ())
    return;
  Scene scene = review_scene ("Kim", FIXTURE_BASE);
  g_autofree char *first = g_strdup (last_review (&scene, FIXTURE_BASE, 1)->id);

  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (views_find (scene.view, views_is_button, "Pass")), TRUE);
  save (&scene, "review.save");
  const AssayReview *review = last_review (&scene, FIXTURE_BASE, 2);
  g_assert_cmpstr (review->supersedes, ==, first);
  g_assert_cmpint (review->verdict, ==, ASSAY_VERDICT_PASS);
  g_assert_cmpint (assay_review_find_score (review, "groundedness", NULL)->value, ==, 2); /* carried over */
  g_assert_nonnull (views_find (scene.view, views_is_label, "superseded"));
  views_scene_clear (&scene);
}

static void
test_another_persons_review_supersedes_nothing (void)
{
  if (views_no_display ())
    return;
  Scene scene = review_scene ("Ana", FIXTURE_BASE);

  views_click (scene.view, "Correct"); /* Kim's, taken up … */
  g_assert_cmpstr (assay_review_view_get_reviewer (ASSAY_REVIEW_VIEW (scene.view)), ==, "Kim");
  views_press (views_find (scene.view, views_is_criterion, "groundedness"), GDK_KEY_5);
  g_object_set (scene.view, "reviewer", "Lee", NULL); /* … and given another name */
  save (&scene, "review.save");
  const AssayReview *review = last_review (&scene, FIXTURE_BASE, 2);
  g_assert_cmpstr (review->reviewer, ==, "Lee");
  g_assert_null (review->supersedes);
  views_scene_clear (&scene);
}

static void
test_suggestion_and_hint_come_after_saving_only (void)
{
  if (views_no_display ())
    return;
  Scene scene = review_scene ("Ana", FIXTURE_BASE);

  g_assert_null (views_find (scene.view, views_is_label, "hint"));
  views_press (views_find (scene.view, views_is_criterion, "groundedness"), GDK_KEY_1);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (views_find (scene.view, views_is_button, "Pass")), TRUE);
  g_assert_null (views_find (scene.view, views_is_label, "suggest"));
  save (&scene, "review.save");
  g_assert_nonnull (views_find (scene.view, views_is_label, "would suggest fail"));
  g_assert_null (views_find (scene.view, views_is_label, "Saved"));
  g_assert_nonnull (views_find (scene.view, views_is_label, "Hints, not scores:\nThe expected answer occurs"));
  g_assert_cmpint (last_review (&scene, FIXTURE_BASE, 2)->verdict, ==,
                   ASSAY_VERDICT_PASS); /* the person's stands */
  views_scene_clear (&scene);
}

static void
test_run_without_output_cannot_be_rated (void)
{
  if (views_no_display ())
    return;
  Scene scene = review_scene ("Ana", FIXTURE_FULL);

  g_assert_nonnull (views_find (scene.view, views_is_label, "left no output"));
  gtk_widget_activate_action (scene.view, "review.save", NULL);
  g_assert_cmpuint (assay_record_get_reviews (assay_ledger_find_run (scene.ledger, FIXTURE_FULL))->len, ==,
                    0);
  g_assert_false (assay_review_view_has_drafts (ASSAY_REVIEW_VIEW (scene.view)));
  views_scene_clear (&scene);
}

static void
test_review_needs_a_name_and_something_said (void)
{
  if (views_no_display ())
    return;
  Scene scene = review_scene ("  ", FIXTURE_CHILD);

  views_press (views_find (scene.view, views_is_criterion, "groundedness"), GDK_KEY_3);
  save (&scene, "review.save");
  g_assert_nonnull (views_find (scene.view, views_is_label, "enter your name"));
  g_object_set (scene.view, "reviewer", "Ana", NULL);
  views_press (views_find (scene.view, views_is_criterion, "groundedness"), GDK_KEY_BackSpace);
  save (&scene, "review.save");
  g_assert_nonnull (views_find (scene.view, views_is_label, "Nothing to save yet"));
  g_assert_cmpuint (assay_record_get_reviews (assay_ledger_find_run (scene.ledger, FIXTURE_CHILD))->len, ==,
                    0);
  views_scene_clear (&scene);
}

static void
test_review_without_a_verdict_is_not_saved (void)
{
  if (views_no_display ())
    return;
  Scene scene = review_scene ("Ana", FIXTURE_CHILD);
  GtkWidget *pass = views_find (scene.view, views_is_button, "Pass");

  views_press (views_find (scene.view, views_is_criterion, "groundedness"), GDK_KEY_3);
  save (&scene, "review.save");
  g_assert_nonnull (views_find (scene.view, views_is_label, "set the verdict"));
  g_assert_true (gtk_root_get_focus (gtk_widget_get_root (pass)) == pass);
  g_assert_cmpuint (assay_record_get_reviews (assay_ledger_find_run (scene.ledger, FIXTURE_CHILD))->len, ==,
                    0);
  g_assert_true (assay_review_view_has_drafts (ASSAY_REVIEW_VIEW (scene.view)));
  views_scene_clear (&scene);
}

static void
test_reviews_left_for_later_are_saved_together_once_whole (void)
{
  if (views_no_display ())
    return;
  Scene scene = review_scene ("Ana", FIXTURE_CHILD);
  AssayReviewView *view = ASSAY_REVIEW_VIEW (scene.view);

  views_press (views_find (scene.view, views_is_criterion, "groundedness"), GDK_KEY_3);
  views_scene_show (&scene, FIXTURE_BASE);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (views_find (scene.view, views_is_button, "Pass")), TRUE);
  g_assert_false (assay_review_view_can_save_drafts (view)); /* the other one has no verdict */
  views_scene_show (&scene, FIXTURE_CHILD);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (views_find (scene.view, views_is_button, "Fail")), TRUE);
  g_object_set (scene.view, "reviewer", " ", NULL);
  g_assert_false (assay_review_view_can_save_drafts (view));
  g_object_set (scene.view, "reviewer", "Ana", NULL);
  g_assert_true (assay_review_view_can_save_drafts (view));
  g_assert_true (assay_review_view_save_drafts (view));
  g_assert_false (assay_review_view_has_drafts (view));
  g_assert_cmpint (last_review (&scene, FIXTURE_CHILD, 1)->verdict, ==, ASSAY_VERDICT_FAIL);
  g_assert_cmpint (last_review (&scene, FIXTURE_BASE, 2)->verdict, ==, ASSAY_VERDICT_PASS);
  views_scene_clear (&scene);
}

static void
test_saved_is_said_once_the_file_has_it (void)
{
  if (views_no_display ())
    return;
  Scene scene = review_scene ("Ana", FIXTURE_CHILD);
  g_autofree char *folder = g_dir_make_tmp ("assay-review-XXXXXX", NULL);
  g_autofree char *nowhere = g_build_filename (folder, "gone", "a.ledger.xml", NULL);
  g_autofree char *path = g_build_filename (folder, "a.ledger.xml", NULL);
  g_autoptr(GError) error = NULL;

  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (views_find (scene.view, views_is_button, "Pass")), TRUE);
  save (&scene, "review.save");
  g_assert_false (assay_store_save (scene.ledger, nowhere, &error));
  g_assert_null (views_find (scene.view, views_is_label, "Saved"));
  g_assert_nonnull (views_find (scene.view, views_is_label, "Not in the file yet"));
  g_clear_error (&error);
  g_assert_true (assay_store_save (scene.ledger, path, &error));
  g_assert_nonnull (views_find (scene.view, views_is_label, "Saved. Your verdict: pass"));
  views_scene_clear (&scene);
  g_autoptr(GDir) files = g_dir_open (folder, 0, NULL);
  for (const char *name = g_dir_read_name (files); name != NULL; name = g_dir_read_name (files))
    {
      g_autofree char *file = g_build_filename (folder, name, NULL);
      g_unlink (file);
    }
  g_rmdir (folder);
}

static void
test_save_and_next_asks_for_the_next_run (void)
{
  if (views_no_display ())
    return;
  Scene scene = review_scene ("Ana", FIXTURE_CHILD);
  guint n = 0;

  g_signal_connect_swapped (scene.view, "next-run", G_CALLBACK (views_count_cb), &n);
  save (&scene, "review.save-next");
  g_assert_cmpuint (n, ==, 0); /* nothing was said */
  views_press (views_find (scene.view, views_is_criterion, "completeness"), GDK_KEY_5);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (views_find (scene.view, views_is_button, "Fail")), TRUE);
  save (&scene, "review.save-next");
  g_assert_cmpuint (n, ==, 1);
  last_review (&scene, FIXTURE_CHILD, 1);
  views_scene_clear (&scene);
}

static void
test_note_refuses_a_hundred_megabytes (void)
{
  if (views_no_display ())
    return;
  Scene scene = review_scene ("Ana", FIXTURE_CHILD);
  g_autofree char *much = g_strnfill (100 << 20, 'x');
  const gint64 start = g_get_monotonic_time ();

  gtk_text_buffer_insert_at_cursor (
      gtk_text_view_get_buffer (GTK_TEXT_VIEW (views_find (scene.view, views_is_note, NULL))), much, -1);
  g_test_message ("refused in %.2f s", (g_get_monotonic_time () - start) / 1e6);
  g_assert_nonnull (views_find (scene.view, views_is_label, "at most 20000"));
  g_autofree char *note = views_dup_text (views_find (scene.view, views_is_note, NULL));
  g_assert_cmpstr (note, ==, "");
  views_scene_clear (&scene);
}

static void
test_conditions_and_burden_are_not_shown_in_review (void)
{
  if (views_no_display ())
    return;
  Scene scene = review_scene ("Ana", FIXTURE_BASE);
  static const char *const hidden[] = { "Q4_1", "SmolLM2", "2048", "MiB", "ba5e00", "9.40" };

  for (guint i = 0; i < G_N_ELEMENTS (hidden); i++)
    g_assert_null (views_find (scene.view, views_is_label, hidden[i]));
  views_scene_clear (&scene);
}

static void
test_criterion_keys_stay_in_their_range (void)
{
  if (views_no_display ())
    return;
  AssayCriterion *criterion = assay_criterion_new ("sharpness", ASSAY_CRITERION_SCALE);
  GtkWidget *row = assay_criterion_row_new (criterion);
  Scene scene = views_scene_new (row);

  g_assert_false (views_press (row, GDK_KEY_6));
  g_assert_false (views_press (row, GDK_KEY_0));
  g_assert_false (views_press (row, GDK_KEY_Tab));
  g_assert_true (views_press (row, GDK_KEY_KP_5));
  g_assert_true (views_press (row, GDK_KEY_Right));
  g_assert_cmpint (assay_criterion_row_get_value (ASSAY_CRITERION_ROW (row)), ==, 5);
  g_assert_true (views_press (row, GDK_KEY_Left));
  g_assert_cmpint (assay_criterion_row_get_value (ASSAY_CRITERION_ROW (row)), ==, 4);
  g_assert_true (views_press (row, GDK_KEY_Delete));
  g_assert_cmpint (assay_criterion_row_get_value (ASSAY_CRITERION_ROW (row)), ==, ASSAY_CRITERION_UNSET);
  g_assert_nonnull (views_find (row, views_is_label, "Sharpness"));
  views_scene_clear (&scene);
  assay_criterion_free (criterion);
}

/* What is kept, and what is made of names */

static void
test_a_kept_draft_comes_back_whole (void)
{
  g_autoptr(AssayReviewDraft) draft = assay_review_draft_new (NULL);
  char *run_id = NULL;

  assay_review_draft_set_score (draft, "a;b=c\n[x]", "q\xff", 5);
  assay_review_draft_set_score (draft, "whole", NULL, 0);
  assay_review_draft_set_words (draft, "tone", NULL, "dry; 건조하다");
  draft->review->verdict = ASSAY_VERDICT_FAIL;
  draft->review->quality_note = g_strdup ("first\n  second \\n %s 半句");
  draft->base = g_strdup ("r1");
  g_autofree char *text = assay_review_shelf_dup_text ("run/../1", draft);
  g_autoptr(AssayReviewDraft) again = assay_review_shelf_parse (text, strlen (text), &run_id);
  g_assert_nonnull (again);
  g_assert_cmpstr (run_id, ==, "run/../1");
  g_assert_cmpint (assay_review_draft_get_score (again, "a;b=c\n[x]", "q\xff"), ==, 5);
  g_assert_cmpint (assay_review_draft_get_score (again, "whole", NULL), ==, 0);
  g_assert_cmpstr (assay_review_draft_get_words (again, "tone", NULL), ==, "dry; 건조하다");
  g_assert_cmpint (again->review->verdict, ==, ASSAY_VERDICT_FAIL);
  g_assert_cmpstr (again->review->quality_note, ==, draft->review->quality_note);
  g_assert_cmpstr (again->base, ==, "r1");
  g_assert_true (again->dirty);
  g_free (run_id);
}

static void
test_a_damaged_draft_is_passed_over (void)
{
  static const char *const texts[] = { "", "no key file", "[review]\nnote=x\n", "[review]\nrun=\n", "\xff\xfe" };
  char *run_id = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    g_assert_null (assay_review_shelf_parse (texts[i], strlen (texts[i]), &run_id));
}

static AssayCriterion *
named (GPtrArray *criteria, const char *id, const char *label, AssayCriterionKind kind)
{
  AssayCriterion *criterion = assay_criterion_new (id, kind);

  criterion->label = g_strdup (label);
  g_ptr_array_add (criteria, criterion);
  return criterion;
}

static void
test_ids_are_kept_while_their_scores_can_be_read (void)
{
  g_autoptr(AssayLedger) ledger = views_fixture_ledger_new (); /* Kim scored groundedness */
  g_autoptr(GPtrArray) criteria = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_criterion_free);
  const AssayCriterion *kept = named (criteria, "completeness", "Is it all there?", ASSAY_CRITERION_SCALE);
  const AssayCriterion *other = named (criteria, "groundedness", NULL, ASSAY_CRITERION_YES_NO);
  const AssayCriterion *fresh = named (criteria, "", "Says  why!", ASSAY_CRITERION_FREE);
  const AssayCriterion *twin = named (criteria, "", "says why", ASSAY_CRITERION_FREE);
  const AssayCriterion *korean = named (criteria, "", "말투", ASSAY_CRITERION_FREE);

  assay_rubric_settle_ids (ledger, criteria);
  g_assert_cmpstr (kept->id, ==, "completeness");
  g_assert_cmpstr (other->id, ==, "groundedness_2"); /* its scores are of another kind */
  g_assert_cmpstr (fresh->id, ==, "says_why");
  g_assert_cmpstr (twin->id, ==, "says_why_2");
  g_assert_cmpstr (korean->id, ==, "말투");
}

static void
test_a_criterion_needs_a_name_of_its_own (void)
{
  static const char *const names[] = { "Tone", NULL, " TONE ", "Other" };
  static const gboolean wrong[] = { FALSE, TRUE, TRUE, FALSE };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *problem = assay_rubric_dup_problem (names, G_N_ELEMENTS (names), i);
      g_assert_cmpint (problem != NULL, ==, wrong[i]);
    }
}

/* Text from elsewhere */

static void
test_any_bytes_become_text_that_can_be_shown (void)
{
  gboolean cut;
  g_autofree char *shown = assay_display_text ("a\x01\xff\x1b[31m\x7f" "b\n", 10, 100, &cut);
  g_autofree char *short_text = assay_display_text ("月球月球", 12, 3, &cut);

  g_assert_true (g_utf8_validate (shown, -1, NULL));
  g_assert_cmpstr (shown, ==, "a\xe2\x90\x81\xef\xbf\xbd\xe2\x90\x9b[31m\xe2\x90\xa1" "b");
  g_assert_cmpstr (short_text, ==, "月球月");
  g_assert_true (cut);
}

static void
test_long_answer_is_cut_for_display (void)
{
  if (views_no_display ())
    return;
  Scene scene = views_scene_new (assay_review_view_new ());
  AssayRecord *record = assay_record_new ();
  AssayOutput *output = assay_output_new ("q1");

  output->text = g_strnfill (50 << 20, 'x');
  output->text_length = 50 << 20;
  g_ptr_array_add (assay_record_get_outputs (record), output);
  assay_record_set_status (record, ASSAY_STATUS_COMPLETED);
  assay_record_seal (record);
  const gint64 start = g_get_monotonic_time ();
  assay_ledger_add_run (scene.ledger, record);
  views_scene_show (&scene, assay_record_get_id (record));
  g_assert_true (gtk_widget_activate_action (scene.view, "review.by-name", NULL));
  g_test_message ("shown in %.2f s", (g_get_monotonic_time () - start) / 1e6);
  g_autofree char *text = views_dup_text (views_find (scene.view, views_is_answer, NULL));
  g_assert_cmpuint (strlen (text), ==, ASSAY_DISPLAY_LIMIT);
  g_assert_nonnull (views_find (scene.view, views_is_label, "Cut for display"));
  views_scene_clear (&scene);
  g_object_unref (record);
}

int
main (int argc, char *argv[])
{
  g_autofree char *state = g_dir_make_tmp ("assay-review-state-XXXXXX", NULL);

  g_setenv ("XDG_STATE_HOME", state, TRUE); /* reviews begun are kept there */
  g_test_init (&argc, &argv,
               NULL); /* directories stay: libadwaita wants GTK's schemas, and views touch no file */
  if (gtk_init_check ())
    adw_init ();
  g_test_add_func ("/ui/review/saved-review-holds-what-was-given", test_saved_review_holds_what_was_given);
  g_test_add_func ("/ui/review/draft-survives-looking-at-another-run",
                   test_draft_survives_looking_at_another_run);
  g_test_add_func ("/ui/review/correction-supersedes-and-keeps-the-earlier-one",
                   test_correction_supersedes_and_keeps_the_earlier_one);
  g_test_add_func ("/ui/review/another-persons-review-supersedes-nothing",
                   test_another_persons_review_supersedes_nothing);
  g_test_add_func ("/ui/review/suggestion-and-hint-come-after-saving-only",
                   test_suggestion_and_hint_come_after_saving_only);
  g_test_add_func ("/ui/review/run-without-output-cannot-be-rated", test_run_without_output_cannot_be_rated);
  g_test_add_func ("/ui/review/needs-a-name-and-something-said", test_review_needs_a_name_and_something_said);
  g_test_add_func ("/ui/review/without-a-verdict-is-not-saved", test_review_without_a_verdict_is_not_saved);
  g_test_add_func ("/ui/review/reviews-left-for-later-are-saved-together-once-whole",
                   test_reviews_left_for_later_are_saved_together_once_whole);
  g_test_add_func ("/ui/review/saved-is-said-once-the-file-has-it", test_saved_is_said_once_the_file_has_it);
  g_test_add_func ("/ui/review/save-and-next-asks-for-the-next-run",
                   test_save_and_next_asks_for_the_next_run);
  g_test_add_func ("/ui/review/note-refuses-a-hundred-megabytes", test_note_refuses_a_hundred_megabytes);
  g_test_add_func ("/ui/review/conditions-and-burden-are-not-shown",
                   test_conditions_and_burden_are_not_shown_in_review);
  g_test_add_func ("/ui/review/criterion-keys-stay-in-their-range", test_criterion_keys_stay_in_their_range);
  g_test_add_func ("/ui/review/a-kept-draft-comes-back-whole", test_a_kept_draft_comes_back_whole);
  g_test_add_func ("/ui/review/a-damaged-draft-is-passed-over", test_a_damaged_draft_is_passed_over);
  g_test_add_func ("/ui/rubric/ids-are-kept-while-their-scores-can-be-read",
                   test_ids_are_kept_while_their_scores_can_be_read);
  g_test_add_func ("/ui/rubric/a-criterion-needs-a-name-of-its-own", test_a_criterion_needs_a_name_of_its_own);
  g_test_add_func ("/ui/text/any-bytes-become-text-that-can-be-shown",
                   test_any_bytes_become_text_that_can_be_shown);
  g_test_add_func ("/ui/text/long-answer-is-cut-for-display", test_long_answer_is_cut_for_display);
  return g_test_run ();
}
