/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/ui/views-demo.c: shows one view with made-up runs, for looking at it.
 *
 *   views-demo
 * chart|vram|live|empty|run|past|failed|group|off|trial|streamed|review|judged|silent|compare|devices|next
 *     [WIDTHxHEIGHT [TEXT-PERCENT]]
 *
 * trial and streamed run the model in ASSAY_DEFAULT_MODEL, the latter over the virtual device's link. */
#include <adwaita.h>

#include "assay-compare-view.h"
#include "assay-memory-chart.h"
#include "assay-next-trial-bar.h"
#include "assay-review-view.h"
#include "assay-run-view.h"
#include "views-fixture.h"

static gboolean
grow_cb (gpointer data)
{
  static gint64 t_ns;

  t_ns += 20 * 1000000;
  views_fixture_append (data, t_ns, 20 << 20, (t_ns / 1000000) % 3000 * 5000, 92 << 20);
  return G_SOURCE_CONTINUE;
}

static GtkWidget *
chart_new (const char *what)
{
  GtkWidget *chart = assay_memory_chart_new ();
  const gboolean live = g_str_equal (what, "live");
  g_autoptr(AssaySeries) series
      = live ? assay_series_new (20000000) : views_fixture_series_new (g_str_equal (what, "vram"), 12);

  if (live)
    g_timeout_add (20, grow_cb, assay_series_ref (series));
  assay_memory_chart_set_live (ASSAY_MEMORY_CHART (chart), live);
  assay_memory_chart_set_series (ASSAY_MEMORY_CHART (chart), series);
  assay_memory_chart_set_budget (ASSAY_MEMORY_CHART (chart), 70 << 20);
  return chart;
}

static GtkWidget *
run_new (AssayLedger *ledger, const char *id)
{
  GtkWidget *view = assay_run_view_new ();

  g_object_set (view, "ledger", ledger, "record", id != NULL ? assay_ledger_find_run (ledger, id) : NULL,
                NULL);
  return view;
}

static void
stream_conditions (AssayValues *conditions)
{
  assay_values_set_text (conditions, ASSAY_FIELD_DEVICE, "virtual");
  assay_values_set_text (conditions, ASSAY_FIELD_OFFLOAD_MODE, "group");
  assay_values_set_integer (conditions, ASSAY_FIELD_OFFLOAD_GRANULARITY, 2);
  assay_values_set_integer (conditions, ASSAY_FIELD_VRAM_BUDGET, G_GINT64_CONSTANT (200) << 20);
  assay_values_set_integer (conditions, ASSAY_FIELD_LINK_BANDWIDTH, G_GINT64_CONSTANT (2) << 30);
}

static GtkWidget *
trial_new (AssayLedger *ledger, gboolean streamed)
{
  GtkWidget *view = assay_run_view_new ();
  AssayValues *conditions = assay_values_new ();
  const char *path = g_getenv ("ASSAY_DEFAULT_MODEL");

  assay_values_set_text (conditions, ASSAY_FIELD_MODEL_PATH,
                         path != NULL ? path : "ASSAY_DEFAULT_MODEL is not set");
  assay_values_set_integer (conditions, ASSAY_FIELD_MAX_TOKENS, 120);
  if (streamed)
    stream_conditions (conditions);
  assay_trial_fill_defaults (conditions);
  g_autoptr(AssayTrial) trial = assay_trial_new (conditions, assay_ledger_get_questions (ledger), NULL, NULL);
  g_object_set (view, "ledger", ledger, "trial", trial, NULL);
  assay_trial_start (trial);
  assay_values_unref (conditions);
  return view;
}

static GtkWidget *
review_new (AssayLedger *ledger, const char *id, const char *reviewer)
{
  GtkWidget *view = assay_review_view_new ();

  g_object_set (view, "reviewer", reviewer, "ledger", ledger, "record", assay_ledger_find_run (ledger, id),
                NULL);
  gtk_widget_activate_action (view, "review.by-name", NULL);
  return view;
}

static GtkWidget *
compare_new (AssayLedger *ledger)
{
  const char *const ids[] = { FIXTURE_BASE,     FIXTURE_CHILD, FIXTURE_FULL, FIXTURE_SLOW,
                              FIXTURE_RESIDENT, FIXTURE_GROUP, FIXTURE_OFF,  NULL };
  GtkWidget *view = assay_compare_view_new ();

  assay_compare_view_set_ledger (ASSAY_COMPARE_VIEW (view), ledger);
  assay_compare_view_select (ASSAY_COMPARE_VIEW (view), ids);
  return view;
}

static GtkWidget *
next_new (AssayLedger *ledger)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 12);
  const char *const ids[] = { FIXTURE_FULL, FIXTURE_BASE };

  for (guint i = 0; i < G_N_ELEMENTS (ids); i++)
    {
      GtkWidget *bar = assay_next_trial_bar_new ();
      g_object_set (bar, "ledger", ledger, "record", assay_ledger_find_run (ledger, ids[i]), NULL);
      gtk_box_append (GTK_BOX (box), bar);
    }
  return box;
}

static GtkWidget *
view_new (const char *what, AssayLedger *ledger)
{
  if (g_str_equal (what, "empty"))
    return run_new (ledger, NULL);
  if (g_str_equal (what, "run") || g_str_equal (what, "past"))
    return run_new (ledger, g_str_equal (what, "run") ? FIXTURE_BASE : FIXTURE_CHILD);
  if (g_str_equal (what, "group") || g_str_equal (what, "off"))
    return run_new (ledger, g_str_equal (what, "group") ? FIXTURE_GROUP : FIXTURE_OFF);
  if (g_str_equal (what, "failed"))
    return run_new (ledger, FIXTURE_FULL);
  if (g_str_equal (what, "trial") || g_str_equal (what, "streamed"))
    return trial_new (ledger, g_str_equal (what, "streamed"));
  if (g_str_equal (what, "review") || g_str_equal (what, "judged"))
    return review_new (ledger, FIXTURE_BASE, g_str_equal (what, "judged") ? "Kim" : "Ana");
  if (g_str_equal (what, "silent"))
    return review_new (ledger, FIXTURE_FULL, "Ana");
  if (g_str_equal (what, "compare") || g_str_equal (what, "devices"))
    return compare_new (ledger);
  if (g_str_equal (what, "next"))
    return next_new (ledger);
  return chart_new (what);
}

static void
load_style (void)
{
  GtkCssProvider *provider = gtk_css_provider_new ();

  gtk_css_provider_load_from_resource (provider, "/io/github/assay/Assay/style.css");
  gtk_style_context_add_provider_for_display (gdk_display_get_default (), GTK_STYLE_PROVIDER (provider),
                                              GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);
  g_object_unref (provider);
}

int
main (int argc, char *argv[])
{
  const char *what = argc > 1 ? argv[1] : "chart";
  int width = 1000, height = 700;

  if (argc > 2)
    sscanf (argv[2], "%dx%d", &width, &height);
  adw_init ();
  load_style ();
  if (argc > 3)
    g_object_set (gtk_settings_get_default (), "gtk-xft-dpi", 1024 * 96 * atoi (argv[3]) / 100, NULL);
  GtkWidget *window = gtk_window_new ();
  const char *const on_devices[] = { "group", "off", "devices", NULL };
  g_autoptr(AssayLedger) ledger = g_strv_contains (on_devices, what) ? views_fixture_virtual_ledger_new ()
                                                                      : views_fixture_ledger_new ();
  gtk_window_set_default_size (GTK_WINDOW (window), width, height);
  gtk_window_set_decorated (GTK_WINDOW (window), FALSE);
  gtk_window_set_child (GTK_WINDOW (window), view_new (what, ledger));
  gtk_window_present (GTK_WINDOW (window));
  while (g_list_model_get_n_items (gtk_window_get_toplevels ()) > 0)
    g_main_context_iteration (NULL, TRUE);
  return 0;
}
