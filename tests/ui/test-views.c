/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The views as widgets, driven as a person drives them: buttons are clicked, keys pressed, text entered. */
#include <adwaita.h>
#include <string.h>

#include "assay-answer-view.h"
#include "assay-compare-view.h"
#include "assay-criterion-row.h"
#include "assay-display-text.h"
#include "assay-memory-chart.h"
#include "assay-next-trial-bar.h"
#include "assay-review-view.h"
#include "assay-run-view.h"
#include "views-fixture.h"

#define MS G_GINT64_CONSTANT (1000000)

/* Finding and using widgets */

typedef gboolean (*Match) (GtkWidget *widget, const char *wanted);

static GtkWidget *
find (GtkWidget *widget, Match match, const char *wanted)
{
  if (match (widget, wanted))
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL; child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find (child, match, wanted);
      if (found != NULL)
        return found;
    }
  return NULL;
}

static gboolean
is_button (GtkWidget *widget, const char *label)
{
  return GTK_IS_BUTTON (widget) && g_strcmp0 (gtk_button_get_label (GTK_BUTTON (widget)), label) == 0;
}

/* A label whose words contain `part` and that a person sees. */
static gboolean
is_label (GtkWidget *widget, const char *part)
{
  return GTK_IS_LABEL (widget) && gtk_widget_get_mapped (widget)
         && strstr (gtk_label_get_text (GTK_LABEL (widget)), part) != NULL;
}

static gboolean
is_type (GtkWidget *widget, const char *type)
{
  return g_str_equal (G_OBJECT_TYPE_NAME (widget), type);
}

static gboolean
is_criterion (GtkWidget *widget, const char *id)
{
  return ASSAY_IS_CRITERION_ROW (widget) && g_str_equal (assay_criterion_row_get_id (ASSAY_CRITERION_ROW (widget)), id);
}

static gboolean
is_note (GtkWidget *widget, const char *wanted)
{
  return GTK_IS_TEXT_VIEW (widget) && gtk_text_view_get_editable (GTK_TEXT_VIEW (widget));
}

static gboolean
is_answer (GtkWidget *widget, const char *wanted)
{
  return GTK_IS_TEXT_VIEW (widget) && !gtk_text_view_get_editable (GTK_TEXT_VIEW (widget));
}

static void
click (GtkWidget *root, const char *label)
{
  GtkWidget *button = find (root, is_button, label);

  g_assert_nonnull (button);
  g_assert_true (gtk_widget_is_sensitive (button));
  g_signal_emit_by_name (button, "clicked");
}

static GtkEventControllerKey *
get_keys (GtkWidget *widget)
{
  g_autoptr(GListModel) controllers = gtk_widget_observe_controllers (widget);
  GtkEventControllerKey *keys = NULL;

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr(GtkEventController) controller = g_list_model_get_item (controllers, i);
      if (GTK_IS_EVENT_CONTROLLER_KEY (controller))
        keys = GTK_EVENT_CONTROLLER_KEY (controller);
    }
  g_assert_nonnull (keys);
  return keys;
}

static gboolean
press (GtkWidget *widget, guint keyval)
{
  gboolean handled = FALSE;

  g_signal_emit_by_name (get_keys (widget), "key-pressed", keyval, 0u, (GdkModifierType) 0, &handled);
  return handled;
}

static char *
dup_text (GtkWidget *text_view)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (text_view));
  GtkTextIter start, end;

  gtk_text_buffer_get_bounds (buffer, &start, &end);
  return gtk_text_buffer_get_text (buffer, &start, &end, TRUE);
}

static void
settle (void)
{
  const gint64 until = g_get_monotonic_time () + 150000;

  while (g_get_monotonic_time () < until)
    if (!g_main_context_iteration (NULL, FALSE))
      g_usleep (2000);
}

typedef struct
{
  GtkWidget *window, *view;
  AssayLedger *ledger;
} Scene;

static Scene
scene_new (GtkWidget *view)
{
  Scene scene = { gtk_window_new (), view, views_fixture_ledger_new () };

  gtk_window_set_default_size (GTK_WINDOW (scene.window), 900, 640);
  gtk_window_set_child (GTK_WINDOW (scene.window), view);
  if (g_object_class_find_property (G_OBJECT_GET_CLASS (view), "ledger") != NULL)
    g_object_set (view, "ledger", scene.ledger, NULL);
  gtk_window_present (GTK_WINDOW (scene.window));
  settle ();
  return scene;
}

static void
scene_show (Scene *scene, const char *run_id)
{
  g_object_set (scene->view, "record", assay_ledger_find_run (scene->ledger, run_id), NULL);
  settle ();
}

static void
scene_clear (Scene *scene)
{
  gtk_window_destroy (GTK_WINDOW (scene->window));
  settle ();
  g_object_unref (scene->ledger);
}

static gboolean
no_display (void)
{
  if (gtk_init_check ())
    return FALSE;
  g_test_skip ("no display: run under xvfb-run");
  return TRUE;
}

/* Run */

static void
test_run_shows_answers_and_verdict (void)
{
  if (no_display ())
    return;
  Scene scene = scene_new (assay_run_view_new ());

  g_assert_nonnull (find (scene.view, is_label, "No Run Yet"));
  scene_show (&scene, FIXTURE_BASE);
  g_autofree char *answers = dup_text (find (scene.view, is_answer, NULL));
  g_assert_nonnull (strstr (answers, "Which gas do plants take in"));
  g_assert_nonnull (strstr (answers, "月球的引力"));
  g_assert_nonnull (strstr (answers, "<b>서울</b>")); /* plain text, never markup */
  g_assert_nonnull (find (scene.view, is_label, "131 MiB"));
  scene_show (&scene, FIXTURE_FULL);
  g_assert_nonnull (find (scene.view, is_label, "✕"));
  g_assert_nonnull (find (scene.view, is_label, "oom_device"));
  scene_clear (&scene);
}

/* base ran to the end and was judged bad: here only the first is told. */
static void
test_run_says_nothing_about_quality (void)
{
  if (no_display ())
    return;
  Scene scene = scene_new (assay_run_view_new ());

  scene_show (&scene, FIXTURE_BASE);
  g_assert_null (find (scene.view, is_label, "quality"));
  g_assert_null (find (scene.view, is_label, "criterion"));
  g_assert_null (find (scene.view, is_label, "review"));
  scene_clear (&scene);
}

static void
count_cb (gpointer counter)
{
  ++*(guint *) counter;
}

static void
test_run_asks_for_the_next_trial (void)
{
  if (no_display ())
    return;
  Scene scene = scene_new (assay_run_view_new ());
  guint n = 0;

  g_signal_connect_swapped (scene.view, "plan-next", G_CALLBACK (count_cb), &n);
  scene_show (&scene, FIXTURE_FULL);
  click (scene.view, "_Plan the Next Trial");
  g_assert_cmpuint (n, ==, 1);
  scene_clear (&scene);
}

static void
test_run_views_come_and_go_while_the_series_grows (void)
{
  if (no_display ())
    return;
  g_autoptr(AssaySeries) series = assay_series_new (MS);

  for (guint i = 0; i < 60; i++)
    {
      GtkWidget *window = gtk_window_new (), *chart = assay_memory_chart_new ();

      gtk_window_set_child (GTK_WINDOW (window), chart);
      assay_memory_chart_set_series (ASSAY_MEMORY_CHART (chart), series);
      assay_memory_chart_set_live (ASSAY_MEMORY_CHART (chart), TRUE);
      gtk_window_present (GTK_WINDOW (window));
      for (guint k = 0; k < 5; k++)
        {
          views_fixture_append (series, (i * 5 + k) * MS, 1000000 * k, 0, 0);
          g_main_context_iteration (NULL, FALSE);
        }
      gtk_window_destroy (GTK_WINDOW (window));
    }
  settle ();
}

/* The chart as a widget */

static void
test_chart_keys_move_and_zoom (void)
{
  if (no_display ())
    return;
  GtkWidget *chart = assay_memory_chart_new ();
  Scene scene = scene_new (chart);
  g_autoptr(AssaySeries) series = views_fixture_series_new (FALSE, 3);
  gint64 from_ns, to_ns, zoomed_from_ns, zoomed_to_ns;

  assay_memory_chart_set_series (ASSAY_MEMORY_CHART (chart), series);
  settle ();
  g_assert_null (assay_memory_chart_dup_readout (ASSAY_MEMORY_CHART (chart)));
  g_assert_true (press (chart, GDK_KEY_Right)); /* begins at the peak */
  g_autofree char *peak = assay_memory_chart_dup_readout (ASSAY_MEMORY_CHART (chart));
  g_assert_nonnull (strstr (peak, "prompt"));
  g_assert_true (press (chart, GDK_KEY_Left));
  g_autofree char *left = assay_memory_chart_dup_readout (ASSAY_MEMORY_CHART (chart));
  g_assert_cmpstr (peak, !=, left);
  assay_memory_chart_get_view (ASSAY_MEMORY_CHART (chart), &from_ns, &to_ns);
  g_assert_true (press (chart, GDK_KEY_plus));
  assay_memory_chart_get_view (ASSAY_MEMORY_CHART (chart), &zoomed_from_ns, &zoomed_to_ns);
  g_assert_cmpint (zoomed_to_ns - zoomed_from_ns, <, to_ns - from_ns);
  g_assert_true (press (chart, GDK_KEY_0));
  assay_memory_chart_get_view (ASSAY_MEMORY_CHART (chart), &zoomed_from_ns, &zoomed_to_ns);
  g_assert_cmpint (zoomed_from_ns, ==, from_ns);
  g_assert_cmpint (zoomed_to_ns, ==, to_ns);
  scene_clear (&scene);
}

/* Review */

static Scene
review_scene (const char *reviewer, const char *run_id)
{
  Scene scene = scene_new (assay_review_view_new ());

  g_object_set (scene.view, "reviewer", reviewer, NULL);
  scene_show (&scene, run_id);
  return scene;
}

static void
save (Scene *scene, const char *action)
{
  g_assert_true (gtk_widget_activate_action (scene->view, action, NULL));
  settle ();
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
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (find (scene->view, is_note, NULL)));

  gtk_text_buffer_set_text (buffer, text, -1);
}

static void
test_saved_review_holds_what_was_given (void)
{
  if (no_display ())
    return;
  Scene scene = review_scene ("Ana", FIXTURE_CHILD);
  GtkWidget *answers = find (scene.view, is_type, "AssayAnswerView");

  g_assert_true (press (find (scene.view, is_criterion, "groundedness"), GDK_KEY_4));
  g_assert_true (press (find (scene.view, is_criterion, "expected_answer_seen"), GDK_KEY_y));
  assay_answer_view_step (ASSAY_ANSWER_VIEW (answers), 1);
  g_assert_true (press (find (scene.view, is_criterion, "expected_answer_seen"), GDK_KEY_0));
  enter_note (&scene, "names 月球, says little");
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (find (scene.view, is_button, "_Pass")), TRUE);
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
  scene_clear (&scene);
}

static void
test_draft_survives_looking_at_another_run (void)
{
  if (no_display ())
    return;
  Scene scene = review_scene ("Ana", FIXTURE_CHILD);

  press (find (scene.view, is_criterion, "groundedness"), GDK_KEY_2);
  enter_note (&scene, "half a thought");
  scene_show (&scene, FIXTURE_BASE);
  g_assert_cmpint (assay_criterion_row_get_value (ASSAY_CRITERION_ROW (find (scene.view, is_criterion, "groundedness"))), ==,
                   ASSAY_CRITERION_UNSET);
  g_assert_true (assay_review_view_has_drafts (ASSAY_REVIEW_VIEW (scene.view)));
  scene_show (&scene, FIXTURE_FULL);
  scene_show (&scene, FIXTURE_CHILD);
  g_autofree char *note = dup_text (find (scene.view, is_note, NULL));
  g_assert_cmpstr (note, ==, "half a thought");
  g_assert_cmpint (assay_criterion_row_get_value (ASSAY_CRITERION_ROW (find (scene.view, is_criterion, "groundedness"))), ==, 2);
  last_review (&scene, FIXTURE_BASE, 1); /* nothing was written anywhere */
  g_assert_cmpuint (assay_record_get_reviews (assay_ledger_find_run (scene.ledger, FIXTURE_CHILD))->len, ==, 0);
  scene_clear (&scene);
}

static void
test_correction_supersedes_and_keeps_the_earlier_one (void)
{
  if (no_display ())
    return;
  Scene scene = review_scene ("Kim", FIXTURE_BASE);
  g_autofree char *first = g_strdup (last_review (&scene, FIXTURE_BASE, 1)->id);

  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (find (scene.view, is_button, "_Pass")), TRUE);
  save (&scene, "review.save");
  const AssayReview *review = last_review (&scene, FIXTURE_BASE, 2);
  g_assert_cmpstr (review->supersedes, ==, first);
  g_assert_cmpint (review->verdict, ==, ASSAY_VERDICT_PASS);
  g_assert_cmpint (assay_review_find_score (review, "groundedness", NULL)->value, ==, 2); /* carried over */
  g_assert_nonnull (find (scene.view, is_label, "superseded"));
  scene_clear (&scene);
}

static void
test_another_persons_review_supersedes_nothing (void)
{
  if (no_display ())
    return;
  Scene scene = review_scene ("Ana", FIXTURE_BASE);

  click (scene.view, "Correct"); /* Kim's, taken up … */
  g_assert_cmpstr (assay_review_view_get_reviewer (ASSAY_REVIEW_VIEW (scene.view)), ==, "Kim");
  press (find (scene.view, is_criterion, "groundedness"), GDK_KEY_5);
  g_object_set (scene.view, "reviewer", "Lee", NULL); /* … and given another name */
  save (&scene, "review.save");
  const AssayReview *review = last_review (&scene, FIXTURE_BASE, 2);
  g_assert_cmpstr (review->reviewer, ==, "Lee");
  g_assert_null (review->supersedes);
  scene_clear (&scene);
}

static void
test_suggestion_and_hint_come_after_saving_only (void)
{
  if (no_display ())
    return;
  Scene scene = review_scene ("Ana", FIXTURE_BASE);

  g_assert_null (find (scene.view, is_label, "hint"));
  press (find (scene.view, is_criterion, "groundedness"), GDK_KEY_1);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (find (scene.view, is_button, "_Pass")), TRUE);
  g_assert_null (find (scene.view, is_label, "suggest"));
  save (&scene, "review.save");
  g_assert_nonnull (find (scene.view, is_label, "would suggest fail"));
  g_assert_nonnull (find (scene.view, is_label, "hint, not a score: the expected answer occurs"));
  g_assert_cmpint (last_review (&scene, FIXTURE_BASE, 2)->verdict, ==, ASSAY_VERDICT_PASS); /* the person's stands */
  scene_clear (&scene);
}

static void
test_run_without_output_cannot_be_rated (void)
{
  if (no_display ())
    return;
  Scene scene = review_scene ("Ana", FIXTURE_FULL);

  g_assert_nonnull (find (scene.view, is_label, "left no output"));
  gtk_widget_activate_action (scene.view, "review.save", NULL);
  g_assert_cmpuint (assay_record_get_reviews (assay_ledger_find_run (scene.ledger, FIXTURE_FULL))->len, ==, 0);
  g_assert_false (assay_review_view_has_drafts (ASSAY_REVIEW_VIEW (scene.view)));
  scene_clear (&scene);
}

static void
test_review_needs_a_name_and_something_said (void)
{
  if (no_display ())
    return;
  Scene scene = review_scene ("  ", FIXTURE_CHILD);

  press (find (scene.view, is_criterion, "groundedness"), GDK_KEY_3);
  save (&scene, "review.save");
  g_assert_nonnull (find (scene.view, is_label, "enter your name"));
  g_object_set (scene.view, "reviewer", "Ana", NULL);
  press (find (scene.view, is_criterion, "groundedness"), GDK_KEY_BackSpace);
  save (&scene, "review.save");
  g_assert_nonnull (find (scene.view, is_label, "Nothing to save yet"));
  g_assert_cmpuint (assay_record_get_reviews (assay_ledger_find_run (scene.ledger, FIXTURE_CHILD))->len, ==, 0);
  scene_clear (&scene);
}

static void
test_save_and_next_asks_for_the_next_run (void)
{
  if (no_display ())
    return;
  Scene scene = review_scene ("Ana", FIXTURE_CHILD);
  guint n = 0;

  g_signal_connect_swapped (scene.view, "next-run", G_CALLBACK (count_cb), &n);
  save (&scene, "review.save-next");
  g_assert_cmpuint (n, ==, 0); /* nothing was said */
  press (find (scene.view, is_criterion, "completeness"), GDK_KEY_5);
  save (&scene, "review.save-next");
  g_assert_cmpuint (n, ==, 1);
  last_review (&scene, FIXTURE_CHILD, 1);
  scene_clear (&scene);
}

static void
test_note_refuses_a_hundred_megabytes (void)
{
  if (no_display ())
    return;
  Scene scene = review_scene ("Ana", FIXTURE_CHILD);
  g_autofree char *much = g_strnfill (100 << 20, 'x');
  const gint64 start = g_get_monotonic_time ();

  gtk_text_buffer_insert_at_cursor (gtk_text_view_get_buffer (GTK_TEXT_VIEW (find (scene.view, is_note, NULL))), much, -1);
  g_assert_cmpint (g_get_monotonic_time () - start, <, 5 * G_USEC_PER_SEC);
  g_assert_nonnull (find (scene.view, is_label, "at most 20000"));
  g_autofree char *note = dup_text (find (scene.view, is_note, NULL));
  g_assert_cmpstr (note, ==, "");
  scene_clear (&scene);
}

static void
test_conditions_and_burden_are_not_shown_in_review (void)
{
  if (no_display ())
    return;
  Scene scene = review_scene ("Ana", FIXTURE_BASE);
  static const char *const hidden[] = { "Q4_1", "SmolLM2", "2048", "MiB", "ba5e00", "9.40" };

  for (guint i = 0; i < G_N_ELEMENTS (hidden); i++)
    g_assert_null (find (scene.view, is_label, hidden[i]));
  scene_clear (&scene);
}

static void
test_criterion_keys_stay_in_their_range (void)
{
  if (no_display ())
    return;
  AssayCriterion *criterion = assay_criterion_new ("sharpness", ASSAY_CRITERION_SCALE);
  GtkWidget *row = assay_criterion_row_new (criterion);
  Scene scene = scene_new (row);

  g_assert_false (press (row, GDK_KEY_6));
  g_assert_false (press (row, GDK_KEY_0));
  g_assert_false (press (row, GDK_KEY_Tab));
  g_assert_true (press (row, GDK_KEY_KP_5));
  g_assert_true (press (row, GDK_KEY_Right));
  g_assert_cmpint (assay_criterion_row_get_value (ASSAY_CRITERION_ROW (row)), ==, 5);
  g_assert_true (press (row, GDK_KEY_Left));
  g_assert_cmpint (assay_criterion_row_get_value (ASSAY_CRITERION_ROW (row)), ==, 4);
  g_assert_true (press (row, GDK_KEY_Delete));
  g_assert_cmpint (assay_criterion_row_get_value (ASSAY_CRITERION_ROW (row)), ==, ASSAY_CRITERION_UNSET);
  g_assert_nonnull (find (row, is_label, "Sharpness"));
  scene_clear (&scene);
  assay_criterion_free (criterion);
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
  if (no_display ())
    return;
  Scene scene = scene_new (assay_review_view_new ());
  AssayRecord *record = assay_record_new ();
  AssayOutput *output = assay_output_new ("q1");

  output->text = g_strnfill (50 << 20, 'x');
  output->text_length = 50 << 20;
  g_ptr_array_add (assay_record_get_outputs (record), output);
  assay_record_set_status (record, ASSAY_STATUS_COMPLETED);
  assay_record_seal (record);
  const gint64 start = g_get_monotonic_time ();
  assay_ledger_add_run (scene.ledger, record);
  scene_show (&scene, assay_record_get_id (record));
  g_assert_cmpint (g_get_monotonic_time () - start, <, 10 * G_USEC_PER_SEC);
  g_autofree char *text = dup_text (find (scene.view, is_answer, NULL));
  g_assert_cmpuint (strlen (text), ==, ASSAY_DISPLAY_LIMIT);
  g_assert_nonnull (find (scene.view, is_label, "Cut for display"));
  scene_clear (&scene);
  g_object_unref (record);
}

static void
test_hint_looks_past_case_and_width (void)
{
  AssayQuestion *question = assay_question_new ("q", "?");
  gboolean known;

  g_assert_false (assay_answer_hint_found (question, "x", 1, &known));
  g_assert_false (known);
  question->expected = g_strdup ("Carbon Dioxide");
  g_assert_true (assay_answer_hint_found (question, "it is CARBON DIOXIDE.", 21, &known));
  g_assert_true (known);
  question->hint = g_strdup ("CO2| 二氧化碳 ");
  g_assert_true (assay_answer_hint_found (question, "是二氧化碳", strlen ("是二氧化碳"), &known));
  g_assert_true (assay_answer_hint_found (question, "ＣＯ２", strlen ("ＣＯ２"), &known));
  g_assert_false (assay_answer_hint_found (question, "carbon dioxide", 14, &known));
  assay_question_free (question);
}

/* Next trial */

typedef struct
{
  guint n;
  char *run_id, *field, *to;
} Planned;

static void
on_planned (GtkWidget *bar, const char *run_id, const char *field, const char *to, Planned *planned)
{
  planned->n++;
  planned->run_id = g_strdup (run_id);
  planned->field = g_strdup (field);
  planned->to = g_strdup (to);
}

static void
planned_clear (Planned *planned)
{
  g_free (planned->run_id);
  g_free (planned->field);
  g_free (planned->to);
}

static void
test_choosing_writes_exactly_one_axis (void)
{
  if (no_display ())
    return;
  Scene scene = scene_new (assay_next_trial_bar_new ());
  Planned planned = { 0 };

  g_signal_connect (scene.view, "trial-planned", G_CALLBACK (on_planned), &planned);
  scene_show (&scene, FIXTURE_FULL);
  click (find (scene.view, is_type, "AssayCandidateRow"), "Choose");
  const AssayNextTrial *next = assay_record_get_next_trial (assay_ledger_find_run (scene.ledger, FIXTURE_FULL));
  g_assert_nonnull (next);
  g_assert_cmpstr (next->signal, ==, "oom_device");
  g_assert_null (next->invalid);
  g_assert_cmpint (assay_field_from_name (next->axis), !=, ASSAY_FIELD_INVALID);
  g_assert_cmpstr (next->from, !=, next->to);
  for (guint i = 0; next->held[i] != NULL; i++)
    g_assert_cmpstr (next->held[i], !=, next->axis);
  g_assert_cmpuint (planned.n, ==, 1);
  g_assert_cmpstr (planned.run_id, ==, FIXTURE_FULL);
  g_assert_cmpstr (planned.field, ==, next->axis);
  g_assert_cmpstr (planned.to, ==, next->to);
  g_assert_nonnull (find (scene.view, is_label, "✓ Planned"));
  for (guint i = 0; i < assay_ledger_get_n_runs (scene.ledger); i++) /* and no other run was touched */
    if (!g_str_equal (assay_record_get_id (assay_ledger_get_run (scene.ledger, i)), FIXTURE_FULL))
      g_assert_null (assay_record_get_next_trial (assay_ledger_get_run (scene.ledger, i)));
  planned_clear (&planned);
  scene_clear (&scene);
}

static gboolean
is_entry_row (GtkWidget *widget, const char *part)
{
  return is_type (widget, "AssayCandidateRow") && find (widget, is_label, part) != NULL;
}

static void
test_a_person_enters_the_value_that_only_they_know (void)
{
  if (no_display ())
    return;
  Scene scene = scene_new (assay_next_trial_bar_new ());

  scene_show (&scene, FIXTURE_BASE); /* judged bad: the model, the prompt or the criterion */
  GtkWidget *row = find (scene.view, is_entry_row, "model_id");
  GtkWidget *entry = find (row, is_type, "GtkEntry");
  g_assert_false (gtk_widget_is_sensitive (find (row, is_button, "Choose")));
  gtk_editable_set_text (GTK_EDITABLE (entry), "HuggingFaceTB/SmolLM2-135M-Instruct"); /* what it is already */
  click (row, "Choose");
  g_assert_null (assay_record_get_next_trial (assay_ledger_find_run (scene.ledger, FIXTURE_BASE)));
  g_assert_nonnull (find (scene.view, is_label, "already"));
  gtk_editable_set_text (GTK_EDITABLE (entry), "HuggingFaceTB/SmolLM2-360M-Instruct");
  click (row, "Choose");
  const AssayNextTrial *next = assay_record_get_next_trial (assay_ledger_find_run (scene.ledger, FIXTURE_BASE));
  g_assert_cmpstr (next->axis, ==, "model_id");
  g_assert_cmpstr (next->to, ==, "HuggingFaceTB/SmolLM2-360M-Instruct");
  g_assert_cmpstr (next->signal, ==, "quality_miss");
  scene_clear (&scene);
}

static gboolean
is_note_entry (GtkWidget *widget, const char *wanted)
{
  return GTK_IS_ENTRY (widget)
         && g_strcmp0 (gtk_entry_get_placeholder_text (GTK_ENTRY (widget)), "why this, what to look for") == 0;
}

static void
test_note_is_written_with_the_choice_and_after_it (void)
{
  if (no_display ())
    return;
  Scene scene = scene_new (assay_next_trial_bar_new ());

  scene_show (&scene, FIXTURE_FULL);
  GtkWidget *entry = find (scene.view, is_note_entry, NULL);
  gtk_editable_set_text (GTK_EDITABLE (entry), "halve it");
  click (find (scene.view, is_type, "AssayCandidateRow"), "Choose");
  AssayRecord *record = assay_ledger_find_run (scene.ledger, FIXTURE_FULL);
  g_assert_cmpstr (assay_record_get_next_trial (record)->note, ==, "halve it");
  g_autofree char *axis = g_strdup (assay_record_get_next_trial (record)->axis);
  gtk_editable_set_text (GTK_EDITABLE (entry), "halve it, then look at q3");
  g_signal_emit_by_name (entry, "activate");
  record = assay_ledger_find_run (scene.ledger, FIXTURE_FULL);
  g_assert_cmpstr (assay_record_get_next_trial (record)->note, ==, "halve it, then look at q3");
  g_assert_cmpstr (assay_record_get_next_trial (record)->axis, ==, axis);
  scene_clear (&scene);
}

static void
test_typed_note_outlives_other_runs_and_reviews (void)
{
  if (no_display ())
    return;
  Scene scene = scene_new (assay_next_trial_bar_new ());
  g_autoptr(AssayReview) review = assay_review_new ("Lee");

  scene_show (&scene, FIXTURE_FULL);
  GtkWidget *entry = find (scene.view, is_note_entry, NULL);
  gtk_editable_set_text (GTK_EDITABLE (entry), "not chosen yet");
  scene_show (&scene, FIXTURE_BASE);
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (entry)), ==, "");
  scene_show (&scene, FIXTURE_FULL);
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (entry)), ==, "not chosen yet");
  scene_show (&scene, FIXTURE_CHILD);
  g_assert_null (find (scene.view, is_type, "AssayCandidateRow"));
  review->verdict = ASSAY_VERDICT_FAIL; /* elsewhere: the signal changes with it */
  g_assert_true (assay_ledger_add_review (scene.ledger, FIXTURE_CHILD, review, NULL));
  settle ();
  g_assert_nonnull (find (scene.view, is_label, "quality criterion"));
  g_assert_nonnull (find (scene.view, is_type, "AssayCandidateRow"));
  scene_clear (&scene);
}

/* Compare */

static void
compare (Scene *scene, const char *a, const char *b)
{
  const char *const ids[] = { a, b, NULL };

  assay_compare_view_select (ASSAY_COMPARE_VIEW (scene->view), ids);
  settle ();
}

static void
test_two_runs_tell_effect_confounded_or_refused (void)
{
  if (no_display ())
    return;
  Scene scene = scene_new (assay_compare_view_new ());
  AssayCompareView *view = ASSAY_COMPARE_VIEW (scene.view);

  compare (&scene, FIXTURE_BASE, NULL);
  g_assert_nonnull (strstr (assay_compare_view_get_findings (view), "Select two or more"));
  compare (&scene, FIXTURE_BASE, FIXTURE_CHILD);
  g_assert_nonnull (strstr (assay_compare_view_get_findings (view), "context_length"));
  g_assert_null (strstr (assay_compare_view_get_findings (view), "confounded"));
  compare (&scene, FIXTURE_BASE, FIXTURE_SLOW);
  g_assert_nonnull (strstr (assay_compare_view_get_findings (view), "confounded"));
  compare (&scene, FIXTURE_FULL, FIXTURE_BASE);
  g_assert_nonnull (strstr (assay_compare_view_get_findings (view), "did not complete"));
  scene_clear (&scene);
}

static void
test_differences_from_the_baseline_are_marked (void)
{
  if (no_display ())
    return;
  Scene scene = scene_new (assay_compare_view_new ());

  settle ();
  g_assert_nonnull (find (scene.view, is_label, "≠ 1024"));
  g_assert_nonnull (find (scene.view, is_label, "≠ Q8_0"));
  g_assert_null (find (scene.view, is_label, "≠ 2048"));
  compare (&scene, FIXTURE_SLOW, NULL); /* another baseline */
  g_assert_nonnull (find (scene.view, is_label, "≠ Q4_1"));
  g_assert_null (find (scene.view, is_label, "≠ Q8_0"));
  scene_clear (&scene);
}

static void
test_table_follows_the_ledger (void)
{
  if (no_display ())
    return;
  Scene scene = scene_new (assay_compare_view_new ());
  g_autoptr(AssayReview) review = assay_review_new ("Lee");
  g_autoptr(AssayLedger) empty = assay_ledger_new (ASSAY_TASK_LANGUAGE, "empty");

  settle ();
  g_assert_null (find (scene.view, is_label, "✓ pass"));
  review->verdict = ASSAY_VERDICT_PASS;
  g_assert_true (assay_ledger_add_review (scene.ledger, FIXTURE_CHILD, review, NULL));
  settle ();
  g_assert_nonnull (find (scene.view, is_label, "✓ pass"));
  g_assert_nonnull (find (scene.view, is_label, "c41d00 · ")); /* in its old place */
  assay_compare_view_set_ledger (ASSAY_COMPARE_VIEW (scene.view), empty);
  settle ();
  g_assert_nonnull (find (scene.view, is_label, "Nothing to Compare Yet"));
  scene_clear (&scene);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL); /* directories stay: libadwaita wants GTK's schemas, and views touch no file */
  if (gtk_init_check ())
    adw_init ();
  g_test_add_func ("/ui/run/shows-answers-and-verdict", test_run_shows_answers_and_verdict);
  g_test_add_func ("/ui/run/says-nothing-about-quality", test_run_says_nothing_about_quality);
  g_test_add_func ("/ui/run/asks-for-the-next-trial", test_run_asks_for_the_next_trial);
  g_test_add_func ("/ui/run/charts-come-and-go-while-the-series-grows", test_run_views_come_and_go_while_the_series_grows);
  g_test_add_func ("/ui/chart/keys-move-and-zoom", test_chart_keys_move_and_zoom);
  g_test_add_func ("/ui/review/saved-review-holds-what-was-given", test_saved_review_holds_what_was_given);
  g_test_add_func ("/ui/review/draft-survives-looking-at-another-run", test_draft_survives_looking_at_another_run);
  g_test_add_func ("/ui/review/correction-supersedes-and-keeps-the-earlier-one",
                   test_correction_supersedes_and_keeps_the_earlier_one);
  g_test_add_func ("/ui/review/another-persons-review-supersedes-nothing", test_another_persons_review_supersedes_nothing);
  g_test_add_func ("/ui/review/suggestion-and-hint-come-after-saving-only", test_suggestion_and_hint_come_after_saving_only);
  g_test_add_func ("/ui/review/run-without-output-cannot-be-rated", test_run_without_output_cannot_be_rated);
  g_test_add_func ("/ui/review/needs-a-name-and-something-said", test_review_needs_a_name_and_something_said);
  g_test_add_func ("/ui/review/save-and-next-asks-for-the-next-run", test_save_and_next_asks_for_the_next_run);
  g_test_add_func ("/ui/review/note-refuses-a-hundred-megabytes", test_note_refuses_a_hundred_megabytes);
  g_test_add_func ("/ui/review/conditions-and-burden-are-not-shown", test_conditions_and_burden_are_not_shown_in_review);
  g_test_add_func ("/ui/review/criterion-keys-stay-in-their-range", test_criterion_keys_stay_in_their_range);
  g_test_add_func ("/ui/text/any-bytes-become-text-that-can-be-shown", test_any_bytes_become_text_that_can_be_shown);
  g_test_add_func ("/ui/text/long-answer-is-cut-for-display", test_long_answer_is_cut_for_display);
  g_test_add_func ("/ui/text/hint-looks-past-case-and-width", test_hint_looks_past_case_and_width);
  g_test_add_func ("/ui/next/choosing-writes-exactly-one-axis", test_choosing_writes_exactly_one_axis);
  g_test_add_func ("/ui/next/a-person-enters-the-value-that-only-they-know",
                   test_a_person_enters_the_value_that_only_they_know);
  g_test_add_func ("/ui/next/note-is-written-with-the-choice-and-after-it", test_note_is_written_with_the_choice_and_after_it);
  g_test_add_func ("/ui/next/typed-note-outlives-other-runs-and-reviews", test_typed_note_outlives_other_runs_and_reviews);
  g_test_add_func ("/ui/compare/two-runs-tell-effect-confounded-or-refused", test_two_runs_tell_effect_confounded_or_refused);
  g_test_add_func ("/ui/compare/differences-from-the-baseline-are-marked", test_differences_from_the_baseline_are_marked);
  g_test_add_func ("/ui/compare/table-follows-the-ledger", test_table_follows_the_ledger);
  return g_test_run ();
}
