/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The view Run, the chart as a widget and the next-trial bar, driven as a person drives them. */
#include <string.h>

#include "assay-choice.h"
#include "assay-memory-chart.h"
#include "assay-next-trial-bar.h"
#include "assay-run-view.h"
#include "views-driver.h"

#define MS G_GINT64_CONSTANT (1000000)

/* Run */

static void
test_run_shows_answers_and_verdict (void)
{
  if (views_no_display ())
    return;
  Scene scene = views_scene_new (assay_run_view_new ());

  g_assert_nonnull (views_find (scene.view, views_is_label, "No Run Yet"));
  views_scene_show (&scene, FIXTURE_BASE);
  g_autofree char *answers = views_dup_text (views_find (scene.view, views_is_answer, NULL));
  g_assert_nonnull (strstr (answers, "Which gas do plants take in"));
  g_assert_nonnull (strstr (answers, "月球的引力"));
  g_assert_nonnull (strstr (answers, "<b>서울</b>")); /* plain text, never markup */
  g_assert_nonnull (views_find (scene.view, views_is_label, "131 MiB"));
  views_scene_show (&scene, FIXTURE_FULL);
  g_assert_nonnull (views_find (scene.view, views_is_label, "✕"));
  g_assert_nonnull (views_find (scene.view, views_is_label, "The device's memory did not suffice"));
  g_assert_null (views_find (scene.view, views_is_label, "oom_device")); /* said in words, and once */
  views_scene_clear (&scene);
}

/* base ran to the end and was judged bad: here only the first is told. */
static void
test_run_says_nothing_about_quality (void)
{
  if (views_no_display ())
    return;
  Scene scene = views_scene_new (assay_run_view_new ());

  views_scene_show (&scene, FIXTURE_BASE);
  g_assert_null (views_find (scene.view, views_is_label, "quality"));
  g_assert_null (views_find (scene.view, views_is_label, "criterion"));
  g_assert_null (views_find (scene.view, views_is_label, "review"));
  views_scene_clear (&scene);
}

/* A scene over another ledger than the driver's own. */
static Scene
virtual_scene_new (GtkWidget *view)
{
  Scene scene = views_scene_new (view);

  g_object_unref (scene.ledger);
  scene.ledger = views_fixture_virtual_ledger_new ();
  g_object_set (view, "ledger", scene.ledger, NULL);
  views_settle ();
  return scene;
}

static void
test_ending_shows_foretold_beside_measured (void)
{
  if (views_no_display ())
    return;
  Scene scene = virtual_scene_new (assay_run_view_new ());

  views_scene_show (&scene, FIXTURE_GROUP);
  g_assert_nonnull (views_find (scene.view, views_is_term, "Peak VRAM")); /* in the popover */
  g_assert_nonnull (views_find (scene.view, views_is_term, "149 MiB"));
  g_assert_nonnull (views_find (scene.view, views_is_term, "150 MiB"));
  g_assert_nonnull (views_find (scene.view, views_is_term, "+0.7 %"));
  g_assert_null (views_find (scene.view, views_is_label, "contradict"));
  g_assert_nonnull (views_find (scene.view, views_is_label, "✓ “Offload mode” moved as planned"));
  g_assert_nonnull (views_find (scene.view, views_is_label, "8.01 GiB")); /* over the link */
  views_scene_clear (&scene);
}

static void
test_ending_tells_contradiction_and_unplanned_change (void)
{
  if (views_no_display ())
    return;
  Scene scene = virtual_scene_new (assay_run_view_new ());

  views_scene_show (&scene, FIXTURE_OFF);
  g_assert_nonnull (views_find (scene.view, views_is_label, "foretold 121 MiB of “Peak VRAM”, measured 150 MiB"));
  g_assert_nonnull (views_find (scene.view, views_is_term, "≠ +19.3 %"));
  GtkWidget *child = views_find (scene.view, views_is_label, "≠ “Offload mode” moved as planned");
  g_assert_nonnull (child);
  g_assert_nonnull (strstr (gtk_label_get_text (GTK_LABEL (child)), "also moved: “Generator device”"));
  g_assert_null (views_find (scene.view, views_is_label, "quality"));
  views_scene_show (&scene, FIXTURE_RESIDENT); /* no child: nothing is left of the other's words */
  g_assert_null (views_find (scene.view, views_is_label, "as planned"));
  g_assert_null (views_find (scene.view, views_is_term, "≠ +19.3 %"));
  views_scene_clear (&scene);
}

/* Without a ledger there are no criteria to judge by, and the run's own words remain. */
static void
test_ending_without_a_ledger_still_tells_the_contradiction (void)
{
  if (views_no_display ())
    return;
  Scene scene = virtual_scene_new (assay_run_view_new ());

  g_object_set (scene.view, "ledger", NULL, NULL);
  views_scene_show (&scene, FIXTURE_OFF);
  g_assert_nonnull (views_find (scene.view, views_is_label, "≠ The run contradicts its forecast: foretold 121 MiB"));
  views_scene_clear (&scene);
}

static void
test_run_asks_for_the_next_trial (void)
{
  if (views_no_display ())
    return;
  Scene scene = views_scene_new (assay_run_view_new ());
  guint n = 0;

  g_signal_connect_swapped (scene.view, "plan-next", G_CALLBACK (views_count_cb), &n);
  views_scene_show (&scene, FIXTURE_FULL);
  views_click (scene.view, "Plan the Next Trial");
  g_assert_cmpuint (n, ==, 1);
  views_scene_clear (&scene);
}

static void
test_run_views_come_and_go_while_the_series_grows (void)
{
  if (views_no_display ())
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
  views_settle ();
}

/* The chart as a widget */

static void
test_chart_keys_move_and_zoom (void)
{
  if (views_no_display ())
    return;
  GtkWidget *chart = assay_memory_chart_new ();
  Scene scene = views_scene_new (chart);
  g_autoptr(AssaySeries) series = views_fixture_series_new (FALSE, 3);
  gint64 from_ns, to_ns, zoomed_from_ns, zoomed_to_ns;

  assay_memory_chart_set_series (ASSAY_MEMORY_CHART (chart), series);
  views_settle ();
  g_assert_null (assay_memory_chart_dup_readout (ASSAY_MEMORY_CHART (chart)));
  g_assert_true (views_press (chart, GDK_KEY_Right)); /* begins at the peak */
  g_autofree char *peak = assay_memory_chart_dup_readout (ASSAY_MEMORY_CHART (chart));
  g_assert_nonnull (strstr (peak, "prompt"));
  g_assert_true (views_press (chart, GDK_KEY_Left));
  g_autofree char *left = assay_memory_chart_dup_readout (ASSAY_MEMORY_CHART (chart));
  g_assert_cmpstr (peak, !=, left);
  assay_memory_chart_get_view (ASSAY_MEMORY_CHART (chart), &from_ns, &to_ns);
  g_assert_true (views_press (chart, GDK_KEY_plus));
  assay_memory_chart_get_view (ASSAY_MEMORY_CHART (chart), &zoomed_from_ns, &zoomed_to_ns);
  g_assert_cmpint (zoomed_to_ns - zoomed_from_ns, <, to_ns - from_ns);
  g_assert_true (views_press (chart, GDK_KEY_0));
  assay_memory_chart_get_view (ASSAY_MEMORY_CHART (chart), &zoomed_from_ns, &zoomed_to_ns);
  g_assert_cmpint (zoomed_from_ns, ==, from_ns);
  g_assert_cmpint (zoomed_to_ns, ==, to_ns);
  views_scene_clear (&scene);
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
  if (views_no_display ())
    return;
  Scene scene = views_scene_new (assay_next_trial_bar_new ());
  Planned planned = { 0 };

  g_signal_connect (scene.view, "trial-planned", G_CALLBACK (on_planned), &planned);
  views_scene_show (&scene, FIXTURE_FULL);
  views_click (views_find (scene.view, views_is_type, "AssayCandidateRow"), "Choose");
  const AssayNextTrial *next
      = assay_record_get_next_trial (assay_ledger_find_run (scene.ledger, FIXTURE_FULL));
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
  g_assert_nonnull (views_find (scene.view, views_is_label, "✓ Planned"));
  for (guint i = 0; i < assay_ledger_get_n_runs (scene.ledger); i++) /* and no other run was touched */
    if (!g_str_equal (assay_record_get_id (assay_ledger_get_run (scene.ledger, i)), FIXTURE_FULL))
      g_assert_null (assay_record_get_next_trial (assay_ledger_get_run (scene.ledger, i)));
  planned_clear (&planned);
  views_scene_clear (&scene);
}

static gboolean
is_entry_row (GtkWidget *widget, const char *part)
{
  return views_is_type (widget, "AssayCandidateRow") && views_find (widget, views_is_label, part) != NULL;
}

static void
test_a_person_enters_the_value_that_only_they_know (void)
{
  if (views_no_display ())
    return;
  Scene scene = views_scene_new (assay_next_trial_bar_new ());

  views_scene_show (&scene, FIXTURE_BASE); /* judged bad: the model, the prompt or the criterion */
  GtkWidget *row = views_find (scene.view, is_entry_row, "Prompt: ");
  GtkWidget *entry = views_find (row, views_is_type, "GtkEntry");
  g_assert_false (gtk_widget_is_sensitive (views_find (row, views_is_button, "Choose")));
  gtk_editable_set_text (GTK_EDITABLE (entry), "Why, in one word?");
  views_click (row, "Choose");
  const AssayNextTrial *next
      = assay_record_get_next_trial (assay_ledger_find_run (scene.ledger, FIXTURE_BASE));
  g_assert_cmpstr (next->axis, ==, "prompt");
  g_assert_cmpstr (next->to, ==, "Why, in one word?");
  g_assert_cmpstr (next->signal, ==, "quality_miss");
  views_scene_clear (&scene);
}

static void
test_another_model_is_left_to_the_form (void)
{
  if (views_no_display ())
    return;
  Scene scene = views_scene_new (assay_next_trial_bar_new ());
  Planned planned = { 0 };

  g_signal_connect (scene.view, "trial-planned", G_CALLBACK (on_planned), &planned);
  views_scene_show (&scene, FIXTURE_BASE);
  GtkWidget *row = views_find (scene.view, is_entry_row, "model_id");
  g_assert_false (gtk_widget_get_visible (views_find (row, views_is_type, "GtkEntry")));
  views_click (row, "Choose a Model…");
  g_assert_cmpuint (planned.n, ==, 1);
  g_assert_cmpstr (planned.field, ==, "model_id");
  g_assert_null (planned.to);
  g_assert_null (assay_record_get_next_trial (assay_ledger_find_run (scene.ledger, FIXTURE_BASE)));
  planned_clear (&planned);
  views_scene_clear (&scene);
}

static void
on_review_wanted (GtkWidget *bar, guint *n)
{
  (*n)++;
}

static gboolean
is_shown_button (GtkWidget *widget, const char *label)
{
  return views_is_button (widget, label) && gtk_widget_get_mapped (widget);
}

static void
test_an_unjudged_run_is_reviewed_first_or_learnt_from (void)
{
  if (views_no_display ())
    return;
  Scene scene = views_scene_new (assay_next_trial_bar_new ());
  guint n_wanted = 0;

  g_signal_connect (scene.view, "review-wanted", G_CALLBACK (on_review_wanted), &n_wanted);
  views_scene_show (&scene, FIXTURE_BASE); /* judged bad already */
  g_assert_null (views_find (scene.view, is_shown_button, "Review It First"));
  views_scene_show (&scene, FIXTURE_CHILD);
  g_assert_nonnull (views_find (scene.view, is_shown_button, "Review It First"));
  views_click (scene.view, "Review It First");
  g_assert_cmpuint (n_wanted, ==, 1);
  GtkWidget *row = views_find (scene.view, is_entry_row, "context_length");
  views_click (row, "Choose");
  const AssayNextTrial *next
      = assay_record_get_next_trial (assay_ledger_find_run (scene.ledger, FIXTURE_CHILD));
  g_assert_cmpstr (next->signal, ==, "none");
  g_assert_cmpstr (next->axis, ==, "context_length");
  views_scene_clear (&scene);
}

static void
choose_other_field (GtkWidget *row, const char *label)
{
  GtkDropDown *fields = GTK_DROP_DOWN (views_find (row, views_is_type, "GtkDropDown"));
  GListModel *model = gtk_drop_down_get_model (fields);

  for (guint i = 0; i < g_list_model_get_n_items (model); i++)
    {
      g_autoptr(AssayChoice) choice = g_list_model_get_item (model, i);
      if (g_str_equal (assay_choice_get_label (choice), label))
        {
          gtk_drop_down_set_selected (fields, i);
          return;
        }
    }
  g_assert_not_reached ();
}

static void
test_any_condition_can_be_planned (void)
{
  if (views_no_display ())
    return;
  Scene scene = views_scene_new (assay_next_trial_bar_new ());

  views_scene_show (&scene, FIXTURE_FULL);
  GtkWidget *row = views_find (scene.view, views_is_type, "AssayOtherChangeRow");
  gtk_expander_set_expanded (GTK_EXPANDER (views_find (row, views_is_type, "GtkExpander")), TRUE);
  views_settle ();
  choose_other_field (row, "Temperature");
  GtkWidget *entry = views_find (row, views_is_type, "GtkEntry");
  gtk_editable_set_text (GTK_EDITABLE (entry), "warm");
  views_click (row, "Choose");
  g_assert_null (assay_record_get_next_trial (assay_ledger_find_run (scene.ledger, FIXTURE_FULL)));
  gtk_editable_set_text (GTK_EDITABLE (entry), "0.75");
  views_click (row, "Choose");
  const AssayNextTrial *next
      = assay_record_get_next_trial (assay_ledger_find_run (scene.ledger, FIXTURE_FULL));
  g_assert_cmpstr (next->axis, ==, "temperature");
  g_assert_cmpstr (next->to, ==, "0.75");
  views_scene_clear (&scene);
}

static gboolean
is_note_entry (GtkWidget *widget, const char *wanted)
{
  return GTK_IS_ENTRY (widget)
         && g_strcmp0 (gtk_entry_get_placeholder_text (GTK_ENTRY (widget)), "why this, what to look for")
                == 0;
}

static void
test_note_is_written_with_the_choice_and_after_it (void)
{
  if (views_no_display ())
    return;
  Scene scene = views_scene_new (assay_next_trial_bar_new ());

  views_scene_show (&scene, FIXTURE_FULL);
  GtkWidget *entry = views_find (scene.view, is_note_entry, NULL);
  gtk_editable_set_text (GTK_EDITABLE (entry), "halve it");
  views_click (views_find (scene.view, views_is_type, "AssayCandidateRow"), "Choose");
  AssayRecord *record = assay_ledger_find_run (scene.ledger, FIXTURE_FULL);
  g_assert_cmpstr (assay_record_get_next_trial (record)->note, ==, "halve it");
  g_autofree char *axis = g_strdup (assay_record_get_next_trial (record)->axis);
  gtk_editable_set_text (GTK_EDITABLE (entry), "halve it, then look at q3");
  g_signal_emit_by_name (entry, "activate");
  record = assay_ledger_find_run (scene.ledger, FIXTURE_FULL);
  g_assert_cmpstr (assay_record_get_next_trial (record)->note, ==, "halve it, then look at q3");
  g_assert_cmpstr (assay_record_get_next_trial (record)->axis, ==, axis);
  views_scene_clear (&scene);
}

static void
test_typed_note_outlives_other_runs_and_reviews (void)
{
  if (views_no_display ())
    return;
  Scene scene = views_scene_new (assay_next_trial_bar_new ());
  g_autoptr(AssayReview) review = assay_review_new ("Lee");

  views_scene_show (&scene, FIXTURE_FULL);
  GtkWidget *entry = views_find (scene.view, is_note_entry, NULL);
  gtk_editable_set_text (GTK_EDITABLE (entry), "not chosen yet");
  views_scene_show (&scene, FIXTURE_BASE);
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (entry)), ==, "");
  views_scene_show (&scene, FIXTURE_FULL);
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (entry)), ==, "not chosen yet");
  views_scene_show (&scene, FIXTURE_CHILD);
  g_assert_nonnull (views_find (scene.view, views_is_label, "Nothing calls for a change"));
  review->verdict = ASSAY_VERDICT_FAIL; /* elsewhere: the signal changes with it */
  g_assert_true (assay_ledger_add_review (scene.ledger, FIXTURE_CHILD, review, NULL));
  views_settle ();
  g_assert_nonnull (views_find (scene.view, views_is_label, "quality criterion"));
  g_assert_nonnull (views_find (scene.view, views_is_type, "AssayCandidateRow"));
  views_scene_clear (&scene);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv,
               NULL); /* directories stay: libadwaita wants GTK's schemas, and views touch no file */
  if (gtk_init_check ())
    adw_init ();
  g_test_add_func ("/ui/run/shows-answers-and-verdict", test_run_shows_answers_and_verdict);
  g_test_add_func ("/ui/run/says-nothing-about-quality", test_run_says_nothing_about_quality);
  g_test_add_func ("/ui/next/an-unjudged-run-is-reviewed-first-or-learnt-from",
                   test_an_unjudged_run_is_reviewed_first_or_learnt_from);
  g_test_add_func ("/ui/next/any-condition-can-be-planned", test_any_condition_can_be_planned);
  g_test_add_func ("/ui/run/asks-for-the-next-trial", test_run_asks_for_the_next_trial);
  g_test_add_func ("/ui/run/ending-shows-foretold-beside-measured",
                   test_ending_shows_foretold_beside_measured);
  g_test_add_func ("/ui/run/ending-tells-contradiction-and-unplanned-change",
                   test_ending_tells_contradiction_and_unplanned_change);
  g_test_add_func ("/ui/run/ending-without-a-ledger-still-tells-the-contradiction",
                   test_ending_without_a_ledger_still_tells_the_contradiction);
  g_test_add_func ("/ui/run/charts-come-and-go-while-the-series-grows",
                   test_run_views_come_and_go_while_the_series_grows);
  g_test_add_func ("/ui/chart/keys-move-and-zoom", test_chart_keys_move_and_zoom);
  g_test_add_func ("/ui/next/choosing-writes-exactly-one-axis", test_choosing_writes_exactly_one_axis);
  g_test_add_func ("/ui/next/a-person-enters-the-value-that-only-they-know",
                   test_a_person_enters_the_value_that_only_they_know);
  g_test_add_func ("/ui/next/another-model-is-left-to-the-form", test_another_model_is_left_to_the_form);
  g_test_add_func ("/ui/next/note-is-written-with-the-choice-and-after-it",
                   test_note_is_written_with_the_choice_and_after_it);
  g_test_add_func ("/ui/next/typed-note-outlives-other-runs-and-reviews",
                   test_typed_note_outlives_other_runs_and_reviews);
  return g_test_run ();
}
