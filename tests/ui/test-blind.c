/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Judging blind, at the view itself: whatever a widget holds, shown or not, says nothing of the run. */
#include <string.h>

#include "assay-answer-view.h"
#include "assay-blind.h"
#include "assay-criterion-row.h"
#include "assay-review-draft.h"
#include "assay-review-gaps.h"
#include "assay-review-next.h"
#include "assay-review-pairs.h"
#include "assay-review-shelf.h"
#include "assay-review-view.h"
#include "views-driver.h"

/* Ids, settings that differ, and times of the fixture's runs. */
static const char *const telling[] = { "ba5e00", "c41d00", "510300", "2048", "1024", "Q8_0", "Q4_1", "float32", "context_length",
                                       "9.4", "9.1", "245", "MiB", "GiB" };

static Scene
blind_scene (const char *action)
{
  Scene scene = views_scene_new (assay_review_view_new ());

  views_scene_show (&scene, FIXTURE_BASE);
  g_object_set (scene.view, "reviewer", "Ana", NULL);
  g_assert_true (gtk_widget_activate_action (scene.view, action, NULL));
  views_settle ();
  return scene;
}

static void
text_assert_silent (const char *text)
{
  for (guint i = 0; text != NULL && i < G_N_ELEMENTS (telling); i++)
    if (strstr (text, telling[i]) != NULL)
      g_error ("“%s” is told in “%s”", telling[i], text);
}

/* Also of pages that are not turned to. Returns how many texts there were. */
static guint
widget_assert_silent (GtkWidget *widget)
{
  guint n = 1;

  text_assert_silent (gtk_widget_get_tooltip_text (widget));
  if (GTK_IS_LABEL (widget))
    text_assert_silent (gtk_label_get_text (GTK_LABEL (widget)));
  if (GTK_IS_EDITABLE (widget))
    text_assert_silent (gtk_editable_get_text (GTK_EDITABLE (widget)));
  if (ADW_IS_STATUS_PAGE (widget))
    text_assert_silent (adw_status_page_get_description (ADW_STATUS_PAGE (widget)));
  if (GTK_IS_TEXT_VIEW (widget))
    {
      g_autofree char *text = views_dup_text (widget);
      text_assert_silent (text);
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL; child = gtk_widget_get_next_sibling (child))
    n += widget_assert_silent (child);
  return n;
}

static void
rate_all (Scene *scene)
{
  AssayAnswerView *answers = ASSAY_ANSWER_VIEW (views_find (scene->view, views_is_type, "AssayAnswerView"));

  views_press (views_find (scene->view, views_is_criterion, "groundedness"), GDK_KEY_4);
  views_press (views_find (scene->view, views_is_criterion, "completeness"), GDK_KEY_5);
  for (;;)
    {
      views_press (views_find (scene->view, views_is_criterion, "expected_answer_seen"), GDK_KEY_y);
      if (assay_answer_view_is_last (answers))
        break;
      assay_answer_view_step (answers, 1);
    }
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (views_find (scene->view, views_is_button, "Pass")), TRUE);
}

static guint
ledger_count_blind (AssayLedger *ledger, const char *reviewer)
{
  guint n = 0;

  for (guint i = 0; i < assay_ledger_get_n_runs (ledger); i++)
    {
      const AssayReview *review = assay_review_find_own (assay_ledger_get_run (ledger, i), reviewer);
      n += review != NULL && review->blind && review->order_seed != 0;
    }
  return n;
}

static void
test_nothing_tells_until_saved (void)
{
  if (views_no_display ())
    return;
  Scene scene = blind_scene ("review.blind");

  g_assert_true (assay_review_view_is_blind (ASSAY_REVIEW_VIEW (scene.view)));
  for (guint n = 0; n < 3; n++) /* of the four runs one left no output */
    {
      rate_all (&scene);
      g_assert_cmpuint (widget_assert_silent (scene.view), >, 100);
      g_assert_true (gtk_widget_activate_action (scene.view, "review.advance", NULL));
      views_settle ();
      g_assert_cmpuint (ledger_count_blind (scene.ledger, "Ana"), ==, n + 1);
      g_assert_true ((views_find (scene.view, views_is_label, "It was run") != NULL) == (n != 1)); /* it would tell the last */
      g_assert_true ((views_find (scene.view, views_is_label, "told after the last one") != NULL) == (n == 1));
      g_assert_true ((views_find (scene.view, views_is_label, "The one before it was run") != NULL) == (n == 2));
      if (n == 1)
        widget_assert_silent (scene.view);
      g_assert_nonnull (views_find (scene.view, views_is_label, "Your verdict: pass; the thresholds would suggest pass"));
      g_assert_true (gtk_widget_activate_action (scene.view, "review.advance", NULL));
      views_settle ();
    }
  g_assert_false (assay_review_view_is_blind (ASSAY_REVIEW_VIEW (scene.view)));
  g_assert_nonnull (views_find (scene.view, views_is_label, "Ana has reviewed all 3 runs"));
  views_scene_clear (&scene);
}

static void
test_a_run_chosen_in_the_window_changes_nothing (void)
{
  if (views_no_display ())
    return;
  Scene scene = blind_scene ("review.blind");
  g_autofree char *before = views_dup_text (views_find (scene.view, views_is_answer, NULL));

  views_press (views_find (scene.view, views_is_criterion, "groundedness"), GDK_KEY_2);
  views_scene_show (&scene, FIXTURE_SLOW);
  views_scene_show (&scene, FIXTURE_CHILD);
  g_object_set (scene.view, "reviewer", "Lee", NULL); /* in another window */
  views_settle ();
  g_autofree char *after = views_dup_text (views_find (scene.view, views_is_answer, NULL));
  g_assert_cmpstr (before, ==, after);
  g_assert_cmpstr (assay_review_view_get_reviewer (ASSAY_REVIEW_VIEW (scene.view)), ==, "Ana");
  widget_assert_silent (scene.view);
  views_scene_clear (&scene);
}

static void
test_without_a_name_nothing_begins (void)
{
  if (views_no_display ())
    return;
  Scene scene = views_scene_new (assay_review_view_new ());

  views_scene_show (&scene, FIXTURE_BASE);
  g_object_set (scene.view, "reviewer", "  ", NULL);
  gtk_widget_activate_action (scene.view, "review.blind", NULL);
  views_settle ();
  g_assert_false (assay_review_view_is_blind (ASSAY_REVIEW_VIEW (scene.view)));
  g_assert_nonnull (views_find (scene.view, views_is_label, "Enter your name first"));
  views_scene_clear (&scene);
}

static gboolean
verdict_is_given (Scene *scene)
{
  return gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (views_find (scene->view, views_is_button, "Pass")))
         || gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (views_find (scene->view, views_is_button, "Fail")));
}

/* Else a form that is filled in already would tell, among nameless runs, which it is. */
static void
test_what_is_begun_by_name_stays_by_name (void)
{
  if (views_no_display ())
    return;
  Scene scene = blind_scene ("review.by-name");
  static const char *const ids[] = { FIXTURE_BASE, FIXTURE_CHILD, FIXTURE_SLOW };

  for (guint i = 0; i < G_N_ELEMENTS (ids); i++) /* whichever is first blind */
    {
      views_scene_show (&scene, ids[i]);
      gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (views_find (scene.view, views_is_button, "Fail")), TRUE);
    }
  gtk_widget_activate_action (scene.view, "review.start", NULL);
  gtk_widget_activate_action (scene.view, "review.blind", NULL);
  views_settle ();
  g_assert_false (verdict_is_given (&scene));
  rate_all (&scene);
  gtk_widget_activate_action (scene.view, "review.save-next", NULL);
  views_settle ();
  g_assert_cmpuint (ledger_count_blind (scene.ledger, "Ana"), ==, 1);
  assay_review_view_leave_blind (ASSAY_REVIEW_VIEW (scene.view));
  gtk_widget_activate_action (scene.view, "review.by-name", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (ids); i++)
    {
      views_scene_show (&scene, ids[i]);
      g_assert_true (gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (views_find (scene.view, views_is_button, "Fail"))));
    }
  views_scene_clear (&scene);
}

static void
test_what_is_begun_blind_stays_blind (void)
{
  if (views_no_display ())
    return;
  Scene scene = blind_scene ("review.blind");
  static const char *const ids[] = { FIXTURE_BASE, FIXTURE_CHILD, FIXTURE_SLOW };

  rate_all (&scene);
  assay_review_view_leave_blind (ASSAY_REVIEW_VIEW (scene.view));
  gtk_widget_activate_action (scene.view, "review.by-name", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (ids); i++) /* one of them is it */
    {
      views_scene_show (&scene, ids[i]);
      g_assert_false (verdict_is_given (&scene));
    }
  gtk_widget_activate_action (scene.view, "review.start", NULL);
  gtk_widget_activate_action (scene.view, "review.blind", NULL);
  views_settle ();
  g_assert_true (verdict_is_given (&scene));
  gtk_widget_activate_action (scene.view, "review.save-next", NULL);
  views_settle ();
  g_assert_cmpuint (ledger_count_blind (scene.ledger, "Ana"), ==, 1);
  views_scene_clear (&scene);
}

/* One that is saved after the other corrects it: nobody has two opinions of a run. */
static void
test_both_of_a_run_are_one_opinion (void)
{
  g_autoptr(AssayReviewDraft) draft = assay_review_draft_new (NULL);
  g_autoptr(AssayReview) own = assay_review_new ("Ana");
  g_autoptr(AssayLedger) ledger = views_fixture_ledger_new ();

  assay_review_draft_rebase (draft, NULL);
  g_assert_null (draft->base);
  assay_review_draft_rebase (draft, own);
  g_autoptr(AssayReview) review = assay_review_draft_finish (draft, "Ana", assay_ledger_get_criteria (ledger));
  g_assert_cmpstr (review->supersedes, ==, own->id);
}

static void
add_differing_run (AssayLedger *ledger)
{
  g_autoptr(AssayRecord) record = assay_record_new ();
  AssayOutput *output = assay_output_new ("q1");

  output->text = g_strdup ("They take in the gas that people breathe out.");
  output->text_length = strlen (output->text);
  g_ptr_array_add (assay_record_get_outputs (record), output);
  assay_record_set_status (record, ASSAY_STATUS_COMPLETED);
  assay_record_seal (record);
  assay_ledger_add_run (ledger, record);
}

static void
test_comparisons_are_kept_at_once_and_made_anew (void)
{
  if (views_no_display ())
    return;
  Scene scene = blind_scene ("review.pairs");
  GtkWidget *pairs = views_find (scene.view, views_is_type, "AssayReviewPairs");

  g_assert_nonnull (views_find (scene.view, views_is_label, "nothing to compare")); /* the fixture's answers are alike */
  add_differing_run (scene.ledger);
  gtk_widget_activate_action (scene.view, "review.pairs", NULL);
  views_settle ();
  g_assert_true (assay_review_view_is_blind (ASSAY_REVIEW_VIEW (scene.view)));
  g_assert_nonnull (views_find (scene.view, views_is_label, "comparison 1 of 3"));
  g_assert_cmpuint (widget_assert_silent (scene.view), >, 100);
  gtk_widget_activate_action (pairs, "pairs.choose", "s", "tie");
  g_assert_cmpuint (assay_ledger_get_preferences (scene.ledger)->len, ==, 1);
  gtk_widget_activate_action (pairs, "pairs.previous", NULL);
  gtk_widget_activate_action (pairs, "pairs.choose", "s", "left");
  const AssayPreference *second = g_ptr_array_index (assay_ledger_get_preferences (scene.ledger), 1);
  g_assert_cmpint (second->choice, ==, ASSAY_CHOICE_LEFT);
  g_assert_nonnull (second->supersedes);
  g_assert_true (second->blind);
  views_scene_clear (&scene);
}

/* Without widgets */

static void
test_a_set_holds_every_run_equally_often (void)
{
  for (guint n_runs = 2; n_runs <= 30; n_runs++)
    for (guint n_judged = 0; n_judged < 200; n_judged++)
      {
        const guint end = assay_review_pairs_count_set (n_runs, n_judged);
        g_assert_cmpuint (end, >, n_judged);
        g_assert_cmpuint (end - n_judged, <=, n_runs * 2);
        g_assert_cmpuint (end * 2 % n_runs, ==, 0); /* two of each comparison */
      }
}

static void
test_gaps_are_counted_and_named (void)
{
  g_autoptr(AssayLedger) ledger = views_fixture_ledger_new ();
  GPtrArray *outputs = assay_record_get_outputs (assay_ledger_find_run (ledger, FIXTURE_BASE));
  g_autoptr(AssayReviewDraft) draft = assay_review_draft_new (NULL);

  assay_review_draft_set_score (draft, "expected_answer_seen", "q2", 1);
  assay_review_draft_set_score (draft, "groundedness", NULL, 3);
  g_autoptr(AssayReviewGaps) gaps = assay_review_gaps_new (draft, assay_ledger_get_criteria (ledger), outputs);
  g_assert_cmpuint (gaps->n_answers, ==, outputs->len);
  g_assert_cmpuint (gaps->n_unrated, ==, outputs->len - 1);
  g_assert_cmpstr (gaps->first_question, ==, "q1");
  g_autofree char *missing = assay_review_gaps_dup_missing (gaps);
  g_assert_cmpstr (missing, ==, "Missing: Expected answer seen, Completeness.");
}

static void
test_a_blind_draft_is_kept_as_one (void)
{
  g_autoptr(AssayReviewDraft) draft = assay_review_draft_new (NULL);
  char *run_id = NULL;

  draft->blind = TRUE;
  draft->order_seed = (G_GUINT64_CONSTANT (1) << 53) - 1;
  g_autofree char *text = assay_review_shelf_dup_text ("run", draft);
  g_autoptr(AssayReviewDraft) again = assay_review_shelf_parse (text, strlen (text), &run_id);
  g_assert_true (again->blind);
  g_assert_cmpuint (again->order_seed, ==, draft->order_seed);
  g_free (run_id);
}

static void
test_outputs_are_counted_through (void)
{
  g_autoptr(AssayLedger) ledger = views_fixture_ledger_new ();
  const guint64 seed = 7;
  AssayRecord *first = assay_review_find_next_blind (ledger, "Kim", seed); /* Kim judged one run before */
  guint at, n;

  assay_review_count_outputs (ledger, "Kim", seed, first, 1, &at, &n);
  const guint each = assay_record_get_outputs (first)->len;
  g_assert_cmpuint (n, ==, 3 * each);
  g_assert_cmpuint (at, ==, each + 2);
}

int
main (int argc, char *argv[])
{
  g_autofree char *state = g_dir_make_tmp ("assay-blind-state-XXXXXX", NULL);

  g_setenv ("XDG_STATE_HOME", state, TRUE); /* reviews begun are kept there */
  g_test_init (&argc, &argv, NULL); /* directories stay: libadwaita wants GTK's schemas */
  if (gtk_init_check ())
    adw_init ();
  g_test_add_func ("/ui/blind/nothing-tells-until-saved", test_nothing_tells_until_saved);
  g_test_add_func ("/ui/blind/a-run-chosen-in-the-window-changes-nothing", test_a_run_chosen_in_the_window_changes_nothing);
  g_test_add_func ("/ui/blind/without-a-name-nothing-begins", test_without_a_name_nothing_begins);
  g_test_add_func ("/ui/blind/what-is-begun-by-name-stays-by-name", test_what_is_begun_by_name_stays_by_name);
  g_test_add_func ("/ui/blind/what-is-begun-blind-stays-blind", test_what_is_begun_blind_stays_blind);
  g_test_add_func ("/ui/blind/both-of-a-run-are-one-opinion", test_both_of_a_run_are_one_opinion);
  g_test_add_func ("/ui/blind/comparisons-are-kept-at-once-and-made-anew", test_comparisons_are_kept_at_once_and_made_anew);
  g_test_add_func ("/ui/blind/a-set-holds-every-run-equally-often", test_a_set_holds_every_run_equally_often);
  g_test_add_func ("/ui/blind/gaps-are-counted-and-named", test_gaps_are_counted_and_named);
  g_test_add_func ("/ui/blind/a-blind-draft-is-kept-as-one", test_a_blind_draft_is_kept_as_one);
  g_test_add_func ("/ui/blind/outputs-are-counted-through", test_outputs_are_counted_through);
  return g_test_run ();
}
