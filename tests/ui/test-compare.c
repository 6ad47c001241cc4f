/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The view Compare: its table, its plot and what it says, driven as a person drives them. */
#include <string.h>

#include "assay-compare-cell.h"
#include "assay-compare-view.h"
#include "assay-comparison-plot.h"
#include "assay-compare.h"
#include "assay-field-labels.h"
#include "assay-run-row.h"
#include "views-driver.h"

/* What is said */

static void
compare (Scene *scene, const char *a, const char *b)
{
  const char *const ids[] = { a, b, NULL };

  assay_compare_view_select (ASSAY_COMPARE_VIEW (scene->view), ids);
  views_settle ();
}

static void
test_two_runs_tell_effect_confounded_or_refused (void)
{
  if (views_no_display ())
    return;
  Scene scene = views_scene_new (assay_compare_view_new ());
  AssayCompareView *view = ASSAY_COMPARE_VIEW (scene.view);

  compare (&scene, FIXTURE_BASE, NULL);
  g_assert_nonnull (strstr (assay_compare_view_get_findings (view), "Select two or more"));
  compare (&scene, FIXTURE_BASE, FIXTURE_CHILD);
  g_assert_nonnull (strstr (assay_compare_view_get_findings (view), "the effect of Context length"));
  g_assert_null (strstr (assay_compare_view_get_findings (view), "confounded"));
  compare (&scene, FIXTURE_BASE, FIXTURE_SLOW);
  g_assert_nonnull (strstr (assay_compare_view_get_findings (view), "confounded"));
  compare (&scene, FIXTURE_FULL, FIXTURE_BASE);
  g_assert_nonnull (strstr (assay_compare_view_get_findings (view), "did not complete"));
  views_scene_clear (&scene);
}

static void
test_differences_from_the_baseline_are_marked (void)
{
  if (views_no_display ())
    return;
  Scene scene = views_scene_new (assay_compare_view_new ());

  views_settle ();
  g_assert_nonnull (views_find (scene.view, views_is_label, "≠ 1024"));
  g_assert_nonnull (views_find (scene.view, views_is_label, "≠ Q8_0"));
  g_assert_null (views_find (scene.view, views_is_label, "≠ 2048"));
  compare (&scene, FIXTURE_SLOW, NULL); /* another baseline */
  g_assert_nonnull (views_find (scene.view, views_is_label, "≠ Q4_1"));
  g_assert_null (views_find (scene.view, views_is_label, "≠ Q8_0"));
  views_scene_clear (&scene);
}

static gboolean
is_check (GtkWidget *widget, const char *label)
{
  const char *own = GTK_IS_CHECK_BUTTON (widget) ? gtk_check_button_get_label (GTK_CHECK_BUTTON (widget)) : NULL;

  return own != NULL && g_str_has_prefix (own, label); /* the unit follows */
}

static void
test_forecasts_and_the_link_are_columns_where_they_occur (void)
{
  if (views_no_display ())
    return;
  Scene scene = views_scene_new (assay_compare_view_new ());
  g_autoptr(AssayLedger) devices = views_fixture_virtual_ledger_new ();
  GtkWidget *link = views_find (scene.view, is_check, "Over the link");

  views_settle ();
  g_assert_nonnull (link);
  g_assert_false (gtk_check_button_get_active (GTK_CHECK_BUTTON (link))); /* runs in RAM */
  g_assert_null (views_find (scene.view, views_is_label, "8.01 GiB"));
  assay_compare_view_set_ledger (ASSAY_COMPARE_VIEW (scene.view), devices);
  views_settle ();
  g_assert_true (gtk_check_button_get_active (GTK_CHECK_BUTTON (link)));
  g_assert_nonnull (views_find (scene.view, views_is_label, "Over the link (GiB)"));
  g_assert_nonnull (views_find (scene.view, views_is_term, "8.01"));
  g_assert_nonnull (views_find (scene.view, views_is_term, "1.73"));
  g_assert_nonnull (views_find (scene.view, views_is_term, "149"));
  g_assert_nonnull (views_find (scene.view, views_is_label, "+0.7 %"));
  g_assert_nonnull (views_find (scene.view, views_is_label, "≠ +19.3 %, contradicted"));
  g_assert_nonnull (views_find (scene.view, views_is_label, "✓ only that"));
  g_assert_nonnull (views_find (scene.view, views_is_label, "≠ and more"));
  views_scene_clear (&scene);
}

static void
test_a_chosen_column_stays_as_it_was_chosen (void)
{
  if (views_no_display ())
    return;
  Scene scene = views_scene_new (assay_compare_view_new ());
  g_autoptr(AssayLedger) devices = views_fixture_virtual_ledger_new ();
  GtkWidget *link = views_find (scene.view, is_check, "Over the link");
  GtkWidget *waited = views_find (scene.view, is_check, "Link wait");

  gtk_check_button_set_active (GTK_CHECK_BUTTON (link), TRUE);
  gtk_check_button_set_active (GTK_CHECK_BUTTON (link), FALSE);
  assay_compare_view_set_ledger (ASSAY_COMPARE_VIEW (scene.view), devices);
  views_settle ();
  g_assert_false (gtk_check_button_get_active (GTK_CHECK_BUTTON (link)));
  g_assert_true (gtk_check_button_get_active (GTK_CHECK_BUTTON (waited)));
  g_assert_null (views_find (scene.view, views_is_label, "8.01 GiB"));
  views_scene_clear (&scene);
}

static void
test_table_follows_the_ledger (void)
{
  if (views_no_display ())
    return;
  Scene scene = views_scene_new (assay_compare_view_new ());
  g_autoptr(AssayReview) review = assay_review_new ("Lee");
  g_autoptr(AssayLedger) empty = assay_ledger_new (ASSAY_TASK_LANGUAGE, "empty");

  views_settle ();
  g_assert_null (views_find (scene.view, views_is_label, "✓ pass"));
  review->verdict = ASSAY_VERDICT_PASS;
  g_assert_true (assay_ledger_add_review (scene.ledger, FIXTURE_CHILD, review, NULL));
  views_settle ();
  g_assert_nonnull (views_find (scene.view, views_is_label, "✓ pass"));
  g_assert_nonnull (views_find (scene.view, views_is_label, "c41d00 · ")); /* in its old place */
  assay_compare_view_set_ledger (ASSAY_COMPARE_VIEW (scene.view), empty);
  views_settle ();
  g_assert_nonnull (views_find (scene.view, views_is_label, "Nothing to Compare Yet"));
  views_scene_clear (&scene);
}

static AssayRecord *
record_in_window (const char *runtime, gint64 engine_mib, gint64 process_mib)
{
  AssayRecord *record = assay_record_new ();
  AssayValues *burden = assay_record_get_burden (record);

  assay_record_set_id (record, "20261130T000000Z-abc123");
  assay_record_set_status (record, ASSAY_STATUS_COMPLETED);
  assay_values_set_text (assay_record_get_conditions (record), ASSAY_FIELD_RUNTIME, runtime);
  assay_values_set_unknown (burden, ASSAY_FIELD_PEAK_VRAM, "no device memory");
  assay_values_set_integer (burden, ASSAY_FIELD_PEAK_RAM, process_mib << 20);
  assay_values_set_integer (burden, ASSAY_FIELD_PEAK_RAM_ENGINE, engine_mib << 20);
  assay_values_set_integer (burden, ASSAY_FIELD_PREDICTED_PEAK_RAM, G_GINT64_CONSTANT (20) << 20);
  return record;
}

static AssayCompareRow *
row_of (AssayLedger *ledger, AssayRecord *first, AssayRecord *second)
{
  g_autoptr(GPtrArray) family = g_ptr_array_new_with_free_func (g_object_unref);

  g_ptr_array_add (family, first);
  if (second != NULL)
    g_ptr_array_add (family, second);
  return assay_compare_row_new (ledger, family);
}

static void
assert_peak (AssayCompareRow *row, const char *peak)
{
  const AssayCompareUnit mib = { 1 << 20, "MiB" };
  g_autofree char *shown = assay_compare_row_dup_text (row, ASSAY_COMPARE_PEAK, &mib);
  g_autofree char *foretold = assay_compare_row_dup_text (row, ASSAY_COMPARE_FORETOLD, &mib);

  g_assert_cmpstr (shown, ==, peak);
  g_assert_nonnull (strstr (foretold, "20"));
}

/* The window takes more and more: the smaller trial may be the one in the larger process. */
static void
test_peak_of_this_engine_is_what_it_needed (void)
{
  g_autoptr(AssayLedger) ledger = assay_ledger_new (ASSAY_TASK_LANGUAGE, "RAM");
  g_autoptr(AssayCompareRow) large = row_of (ledger, record_in_window ("native", 92, 131), NULL);
  g_autoptr(AssayCompareRow) small
      = row_of (ledger, record_in_window ("native", 24, 140), record_in_window ("native", 26, 150));
  g_autoptr(AssayCompareRow) child = row_of (ledger, record_in_window ("process", 24, 140), NULL);

  assert_peak (large, "RAM 92");
  assert_peak (small, "RAM 25 (24–26)");
  assert_peak (child, "RAM 140");
  g_assert_cmpint (assay_compare_row_order (small, large, ASSAY_COMPARE_PEAK), <, 0);
}

/* Pages of the model's file are in no peak of the engine's: they have a column where some run uses them. */
static void
test_mapped_weights_have_a_column (void)
{
  g_autoptr(AssayLedger) ledger = assay_ledger_new (ASSAY_TASK_LANGUAGE, "RAM");
  AssayRecord *mapping = record_in_window ("native", 12, 140);
  g_autoptr(AssayCompareRow) without = row_of (ledger, record_in_window ("native", 92, 131), NULL);
  AssayValues *burden = assay_record_get_burden (mapping);
  const AssayMeasure kind = { .kind = (char *) "mapped and allocated" };

  assay_values_set_integer (burden, ASSAY_FIELD_PEAK_WEIGHTS, G_GINT64_CONSTANT (94) << 20);
  assay_values_set_measure (burden, ASSAY_FIELD_PEAK_WEIGHTS, &kind);
  g_autoptr(AssayCompareRow) with = row_of (ledger, mapping, NULL);
  g_assert_true (assay_compare_row_has (with, ASSAY_COMPARE_MAPPED));
  g_assert_false (assay_compare_row_has (without, ASSAY_COMPARE_MAPPED));
  g_assert_cmpint (assay_compare_get_mapped_weights (mapping), ==, G_GINT64_CONSTANT (94) << 20);
}

/* "auto" was kept, whatever it came to. */
static void
test_what_was_left_to_the_engine_was_not_asked_for (void)
{
  g_autoptr(AssayLedger) ledger = assay_ledger_new (ASSAY_TASK_LANGUAGE, "asked");
  AssayRecord *record = record_in_window ("native", 12, 140);

  assay_values_set_text (assay_record_get_conditions (record), ASSAY_FIELD_CHAT_FORMAT, "auto");
  assay_values_set_text (assay_record_get_effective (record), ASSAY_FIELD_CHAT_FORMAT, "chatml");
  assay_values_set_integer (assay_record_get_conditions (record), ASSAY_FIELD_CONTEXT_LENGTH, 2048);
  assay_values_set_integer (assay_record_get_effective (record), ASSAY_FIELD_CONTEXT_LENGTH, 1024);
  g_autoptr(AssayCompareRow) row = row_of (ledger, record, NULL);
  g_autofree char *format = assay_compare_row_dup_asked (row, ASSAY_COMPARE_CHAT_FORMAT);
  g_autofree char *context = assay_compare_row_dup_asked (row, ASSAY_COMPARE_CONTEXT_LENGTH);
  g_assert_null (format);
  g_assert_nonnull (context);
}

static void
test_row_of_a_run_tells_what_it_needed (void)
{
  if (views_no_display ())
    return;
  g_autoptr(AssayLedger) ledger = assay_ledger_new (ASSAY_TASK_LANGUAGE, "RAM");
  g_autoptr(AssayRecord) record = record_in_window ("native", 24, 140);
  Scene scene = views_scene_new (assay_run_row_new ());

  assay_run_row_show (ASSAY_RUN_ROW (scene.view), ledger, record);
  g_assert_nonnull (views_find (scene.view, views_is_label, "abc123 · RAM 24.0 MiB"));
  views_scene_clear (&scene);
}

/* The plot */

static gboolean
is_plot (GtkWidget *widget, const char *wanted)
{
  return ASSAY_IS_COMPARISON_PLOT (widget);
}

/* Its data come from a worker. */
static AssayPlotPicture
plot_wait (Scene *scene, guint n_marks)
{
  GtkWidget *plot = views_find (scene->view, is_plot, NULL);
  const gint64 end = g_get_monotonic_time () + 20 * G_USEC_PER_SEC;
  AssayPlotPicture picture;

  g_assert_nonnull (plot);
  do
    {
      views_settle ();
      assay_comparison_plot_get_picture (ASSAY_COMPARISON_PLOT (plot), &picture);
    }
  while ((picture.data == NULL || picture.data->marks->len != n_marks) && g_get_monotonic_time () < end);
  g_assert_nonnull (picture.data);
  g_assert_cmpuint (picture.data->marks->len, ==, n_marks);
  return picture;
}

static void
test_plot_and_table_share_the_selection (void)
{
  if (views_no_display ())
    return;
  Scene scene = views_scene_new (assay_compare_view_new ());
  GtkWidget *plot = views_find (scene.view, is_plot, NULL);

  compare (&scene, FIXTURE_BASE, FIXTURE_SLOW);
  AssayPlotPicture picture = plot_wait (&scene, 4);
  const int base = assay_plot_data_find_run (picture.data, FIXTURE_BASE);
  const int slow = assay_plot_data_find_run (picture.data, FIXTURE_SLOW);
  for (int i = 0; i < 4; i++)
    g_assert_cmpint (picture.selected[i], ==, i == base || i == slow);
  gtk_widget_grab_focus (plot);
  g_assert_true (views_press (plot, GDK_KEY_End)); /* the slowest */
  g_assert_true (views_press (plot, GDK_KEY_Return));
  views_settle ();
  for (int i = 0; i < 4; i++)
    g_assert_cmpint (picture.selected[i], ==, i == slow);
  g_assert_nonnull (strstr (assay_compare_view_get_findings (ASSAY_COMPARE_VIEW (scene.view)), "Select two or more"));
  views_scene_clear (&scene);
}

static void
test_keys_walk_the_marks_by_time_and_by_memory (void)
{
  if (views_no_display ())
    return;
  Scene scene = views_scene_new (assay_compare_view_new ());
  GtkWidget *plot = views_find (scene.view, is_plot, NULL);

  AssayPlotPicture picture = plot_wait (&scene, 4);
  gtk_window_set_focus_visible (GTK_WINDOW (scene.window), TRUE);
  gtk_widget_grab_focus (plot);
  g_assert_true (views_press (plot, GDK_KEY_Home));
  for (guint i = 0; i < 3; i++)
    g_assert_true (views_press (plot, GDK_KEY_Right));
  assay_comparison_plot_get_picture (ASSAY_COMPARISON_PLOT (plot), &picture);
  g_assert_cmpint (picture.focused, ==, 3);
  double before = assay_plot_data_get_mark (picture.data, 3)->peak.at;
  for (guint i = 0; i < 3; i++)
    {
      g_assert_true (views_press (plot, GDK_KEY_Down));
      assay_comparison_plot_get_picture (ASSAY_COMPARISON_PLOT (plot), &picture);
      const double now = assay_plot_data_get_mark (picture.data, (guint) picture.focused)->peak.at;
      g_assert_cmpfloat (now, <=, before);
      before = now;
    }
  g_autofree char *readout = assay_comparison_plot_dup_readout (ASSAY_COMPARISON_PLOT (plot));
  g_assert_nonnull (strstr (readout, "119 MiB"));
  views_scene_clear (&scene);
}

static void
ledger_add (AssayLedger *ledger, const char *id, gint64 vram_mib)
{
  g_autoptr(AssayRecord) record = record_in_window ("native", 24, 140);
  AssayValues *burden = assay_record_get_burden (record);

  assay_record_set_id (record, id);
  assay_values_set_text (assay_record_get_conditions (record), ASSAY_FIELD_DEVICE, vram_mib > 0 ? "virtual" : "cpu");
  assay_values_set_real (burden, ASSAY_FIELD_ELAPSED_SECONDS, 10);
  if (vram_mib > 0)
    assay_values_set_integer (burden, ASSAY_FIELD_PEAK_VRAM, vram_mib << 20);
  assay_record_seal (record);
  assay_ledger_add_run (ledger, record);
}

/* One mark of RAM and one of VRAM are never in one plot. */
static void
test_memory_of_different_kinds_is_plotted_apart (void)
{
  if (views_no_display ())
    return;
  Scene scene = views_scene_new (assay_compare_view_new ());
  g_autoptr(AssayLedger) mixed = assay_ledger_new (ASSAY_TASK_LANGUAGE, "mixed");
  GtkWidget *memory = views_find (scene.view, views_is_type, "GtkDropDown");

  plot_wait (&scene, 4);
  g_assert_false (gtk_widget_get_visible (memory));
  ledger_add (mixed, FIXTURE_BASE, 0);
  ledger_add (mixed, FIXTURE_CHILD, 300);
  assay_compare_view_set_ledger (ASSAY_COMPARE_VIEW (scene.view), mixed);
  AssayPlotPicture picture = plot_wait (&scene, 1);
  g_assert_true (gtk_widget_get_visible (memory));
  g_autofree char *first = g_strdup (picture.data->label);
  gtk_drop_down_set_selected (GTK_DROP_DOWN (memory), 1);
  picture = plot_wait (&scene, 1);
  g_assert_cmpstr (picture.data->label, !=, first);
  views_scene_clear (&scene);
}

/* The table */

static char *
table_dup_titles (GtkWidget *view)
{
  GListModel *columns = gtk_column_view_get_columns (GTK_COLUMN_VIEW (views_find (view, views_is_type, "GtkColumnView")));
  GString *titles = g_string_new (NULL);

  for (guint i = 0; i < g_list_model_get_n_items (columns); i++)
    {
      g_autoptr(GtkColumnViewColumn) column = g_list_model_get_item (columns, i);
      if (gtk_column_view_column_get_visible (column))
        g_string_append_printf (titles, "%s|", gtk_column_view_column_get_title (column));
    }
  return g_string_free (titles, FALSE);
}

static void
test_what_differs_stands_beside_the_run (void)
{
  if (views_no_display ())
    return;
  Scene scene = views_scene_new (assay_compare_view_new ());

  views_settle ();
  g_autofree char *titles = table_dup_titles (scene.view);
  g_assert_true (g_str_has_prefix (titles, "Run|Quantization|Context length (tokens)|Compute type|Peak RAM (MiB)|Time (s)|"
                                           "Speed (tokens/s)|"));
  g_assert_null (strstr (titles, "Model"));
  views_scene_clear (&scene);
}

/* Files */

static char *
cells_dup_line (GArray *cells, AssayCompareRow *row, const AssayCompareUnit *units)
{
  GString *line = g_string_new (NULL);

  for (guint i = 0; i < cells->len; i++)
    {
      const AssayCompareCell *cell = &g_array_index (cells, AssayCompareCell, i);
      gboolean is_number;
      g_autofree char *text = row != NULL ? assay_compare_cell_dup_text (cell, row, &units[cell->column], &is_number)
                                          : assay_compare_cell_dup_title (cell, &units[cell->column]);
      g_string_append_printf (line, "%s|", text != NULL ? text : "");
    }
  return g_string_free (line, FALSE);
}

static void
test_a_figure_stands_alone_in_its_cell (void)
{
  g_autoptr(AssayLedger) ledger = assay_ledger_new (ASSAY_TASK_LANGUAGE, "RAM");
  g_autoptr(GPtrArray) rows = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(GArray) columns = g_array_new (FALSE, FALSE, sizeof (guint));
  const guint wanted[] = { ASSAY_COMPARE_PEAK, ASSAY_COMPARE_TIME, ASSAY_COMPARE_RAN };
  AssayCompareUnit units[ASSAY_N_COMPARE_COLUMNS] = { 0 };

  g_array_append_vals (columns, wanted, G_N_ELEMENTS (wanted));
  units[ASSAY_COMPARE_PEAK] = (AssayCompareUnit){ 1 << 20, "MiB", NULL };
  units[ASSAY_COMPARE_TIME] = (AssayCompareUnit){ 1, "s", NULL };
  g_ptr_array_add (rows, row_of (ledger, record_in_window ("native", 24, 140), record_in_window ("native", 27, 150)));
  g_ptr_array_add (rows, row_of (ledger, record_in_window ("native", 92, 131), NULL));
  g_autoptr(GArray) cells = assay_compare_cells_new (columns, rows);
  g_autofree char *titles = cells_dup_line (cells, NULL, units);
  g_autofree char *first = cells_dup_line (cells, g_ptr_array_index (rows, 0), units);
  g_autofree char *second = cells_dup_line (cells, g_ptr_array_index (rows, 1), units);
  g_assert_cmpstr (titles, ==, "Peak memory (MiB)|Peak memory (MiB), lowest|Peak memory (MiB), greatest|"
                               "Memory of the peak|Time (s)|ran|");
  g_assert_cmpstr (first, ==, "25.5|24|27|RAM||pass|");
  g_assert_cmpstr (second, ==, "92|92|92|RAM||pass|");
}

static void
test_sentences_call_fields_what_the_form_calls_them (void)
{
  static const struct { const char *said, *shown; } sentences[] = {
    { "the effect of offload_mode: −61 % VRAM; offload_mode: none → model",
      "the effect of Offload mode: −61 % VRAM; Offload mode: none → model" },
    { "threads: 1 → 2, another device for the threads", "Threads: 1 → 2, another device for the threads" },
    { "quality not compared (evaluation_criterion changed)", "quality not compared (Evaluation criterion changed)" },
    { "context_length：2048", "Context length：2048" },
    { "model: /tmp/offload_mode/x-context_length.gguf", "model: /tmp/offload_mode/x-context_length.gguf" },
    { "", "" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (sentences); i++)
    {
      g_autofree char *shown = assay_field_labels_put (sentences[i].said);
      g_assert_cmpstr (shown, ==, sentences[i].shown);
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv,
               NULL); /* directories stay: libadwaita wants GTK's schemas, and views touch no file */
  if (gtk_init_check ())
    adw_init ();
  g_test_add_func ("/ui/compare/two-runs-tell-effect-confounded-or-refused",
                   test_two_runs_tell_effect_confounded_or_refused);
  g_test_add_func ("/ui/compare/differences-from-the-baseline-are-marked",
                   test_differences_from_the_baseline_are_marked);
  g_test_add_func ("/ui/compare/mapped-weights-have-a-column", test_mapped_weights_have_a_column);
  g_test_add_func ("/ui/compare/what-was-left-to-the-engine-was-not-asked-for",
                   test_what_was_left_to_the_engine_was_not_asked_for);
  g_test_add_func ("/ui/compare/peak-of-this-engine-is-what-it-needed", test_peak_of_this_engine_is_what_it_needed);
  g_test_add_func ("/ui/run-row/tells-what-the-run-needed", test_row_of_a_run_tells_what_it_needed);
  g_test_add_func ("/ui/compare/table-follows-the-ledger", test_table_follows_the_ledger);
  g_test_add_func ("/ui/compare/forecasts-and-the-link-are-columns-where-they-occur",
                   test_forecasts_and_the_link_are_columns_where_they_occur);
  g_test_add_func ("/ui/compare/a-chosen-column-stays-as-it-was-chosen",
                   test_a_chosen_column_stays_as_it_was_chosen);
  g_test_add_func ("/ui/compare/plot-and-table-share-the-selection", test_plot_and_table_share_the_selection);
  g_test_add_func ("/ui/compare/keys-walk-the-marks-by-time-and-by-memory",
                   test_keys_walk_the_marks_by_time_and_by_memory);
  g_test_add_func ("/ui/compare/memory-of-different-kinds-is-plotted-apart",
                   test_memory_of_different_kinds_is_plotted_apart);
  g_test_add_func ("/ui/compare/what-differs-stands-beside-the-run", test_what_differs_stands_beside_the_run);
  g_test_add_func ("/ui/compare/a-figure-stands-alone-in-its-cell", test_a_figure_stands_alone_in_its_cell);
  g_test_add_func ("/ui/compare/sentences-call-fields-what-the-form-calls-them",
                   test_sentences_call_fields_what_the_form_calls_them);
  return g_test_run ();
}
