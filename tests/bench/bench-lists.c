/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/bench/bench-lists.c: the lists of the window with thousands of entries: showing them, and scrolling.
 *
 *   bench-lists [RUNS [LEDGERS]]     10000 runs, 1000 ledgers unless given; needs a display
 *
 * A frame goes from moving the list to the picture of it: rows bound anew, laid out, drawn by the main thread, in
 * software when GSK_RENDERER=cairo. Times are of the main thread's work. A frame of sixty a second has 16.7 ms. Jumps,
 * as of one who drags the bar, are told apart: then every row is another. */
#include <adwaita.h>
#include <stdlib.h>

#include "assay-compare-view.h"
#include "assay-ledger-row.h"
#include "assay-run-row.h"
#include "assay-store.h"
#include "large-ledger.h"

#define N_FRAMES 400u
#define N_JUMPS 30u
#define WIDTH 1280
#define HEIGHT 800
#define STEP 120 /* pixels a frame: 7200 a second, a hard flick */

typedef struct
{
  GtkWidget *window;
  gboolean painted;
} Stage;

static void
on_after_paint (GdkFrameClock *clock, Stage *stage)
{
  stage->painted = TRUE;
}

/* Returns: ms of work until the next picture is there. */
static double
stage_paint (Stage *stage)
{
  const double start = bench_thread_ms ();
  stage->painted = FALSE;
  gtk_widget_queue_draw (stage->window);
  while (!stage->painted)
    g_main_context_iteration (NULL, TRUE);
  return bench_thread_ms () - start;
}

static Stage
stage_show (GtkWidget *child)
{
  Stage stage = { .window = gtk_window_new () };
  gtk_window_set_default_size (GTK_WINDOW (stage.window), WIDTH, HEIGHT);
  gtk_window_set_child (GTK_WINDOW (stage.window), child);
  gtk_window_present (GTK_WINDOW (stage.window));
  return stage;
}

static void
stage_settle (Stage *stage)
{
  g_signal_connect (gtk_widget_get_frame_clock (stage->window), "after-paint", G_CALLBACK (on_after_paint), stage);
  for (guint i = 0; i < 20; i++)
    stage_paint (stage);
}

static double
stage_scroll_to (Stage *stage, GtkAdjustment *down, double at)
{
  gtk_adjustment_set_value (down, at);
  return stage_paint (stage);
}

static void
bench_scroll (Stage *stage, GtkAdjustment *down)
{
  const double most = gtk_adjustment_get_upper (down) - gtk_adjustment_get_page_size (down);
  double flick[N_FRAMES], jump[N_JUMPS], at = 0;
  guint n_late = 0;
  for (guint i = 0; i < N_FRAMES; i++)
    {
      at = at + STEP > most ? 0 : at + STEP;
      flick[i] = stage_scroll_to (stage, down, at);
      n_late += flick[i] > 1000.0 / 60;
    }
  for (guint i = 0; i < N_JUMPS; i++)
    jump[i] = stage_scroll_to (stage, down, most * (i * 37 % N_JUMPS) / N_JUMPS);
  g_print ("%-34s %u of %u frames over 16.7 ms\n", "  scrolling it", n_late, N_FRAMES);
  bench_report_times ("  a frame of it", flick, N_FRAMES);
  bench_report_times ("  a jump", jump, N_JUMPS);
}

/* ---- the runs of a ledger, as the sidebar shows them ---- */

static void
on_setup_run (GtkListItemFactory *factory, GtkListItem *item)
{
  gtk_list_item_set_child (item, assay_run_row_new ());
}

static void
on_bind_run (GtkListItemFactory *factory, GtkListItem *item, AssayLedger *ledger)
{
  assay_run_row_show (ASSAY_RUN_ROW (gtk_list_item_get_child (item)), ledger, gtk_list_item_get_item (item));
}

static int
newest_first (gconstpointer a, gconstpointer b, gpointer data)
{
  return g_strcmp0 (assay_record_get_id ((AssayRecord *) b), assay_record_get_id ((AssayRecord *) a));
}

static void
bench_runs (AssayLedger *ledger)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  g_signal_connect (factory, "setup", G_CALLBACK (on_setup_run), NULL);
  g_signal_connect (factory, "bind", G_CALLBACK (on_bind_run), ledger);
  const double start = bench_thread_ms ();
  GtkSorter *sorter = GTK_SORTER (gtk_custom_sorter_new (newest_first, NULL, NULL));
  GListModel *sorted = G_LIST_MODEL (gtk_sort_list_model_new (G_LIST_MODEL (g_object_ref (ledger)), sorter));
  GtkWidget *list = gtk_list_view_new (GTK_SELECTION_MODEL (gtk_single_selection_new (sorted)), factory);
  GtkWidget *scroller = gtk_scrolled_window_new ();
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), list);
  Stage stage = stage_show (scroller);
  g_print ("%-34s %9.1f ms\n", "list of runs: to be shown", bench_thread_ms () - start);
  stage_settle (&stage);
  bench_scroll (&stage, gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (scroller)));
  gtk_window_destroy (GTK_WINDOW (stage.window));
}

/* ---- the comparison ---- */

static GtkWidget *
find_table (GtkWidget *within)
{
  if (GTK_IS_COLUMN_VIEW (within))
    return within;
  GtkWidget *found = NULL;
  for (GtkWidget *child = gtk_widget_get_first_child (within); child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = find_table (child);
  return found;
}

static void
bench_compare (AssayLedger *ledger)
{
  GtkWidget *view = assay_compare_view_new ();
  const double start = bench_thread_ms ();
  assay_compare_view_set_ledger (ASSAY_COMPARE_VIEW (view), ledger);
  Stage stage = stage_show (view);
  g_print ("%-34s %9.1f ms\n", "comparison: to be shown", bench_thread_ms () - start);
  stage_settle (&stage);
  gtk_widget_activate_action (view, "fold.repeats", NULL); /* every run a row of its own */
  const double unfolded = bench_thread_ms ();
  stage_paint (&stage);
  g_print ("%-34s %9.1f ms\n", "comparison: every run a row", bench_thread_ms () - unfolded);
  GtkWidget *table = find_table (view);
  g_print ("%-34s %9u\n", "rows", g_list_model_get_n_items (G_LIST_MODEL (gtk_column_view_get_model (GTK_COLUMN_VIEW (table)))));
  bench_scroll (&stage, gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (table)));
  gtk_window_destroy (GTK_WINDOW (stage.window));
}

/* ---- the ledgers of a library, as the sidebar shows them ---- */

static GtkWidget *
create_row (gpointer item, gpointer data)
{
  return assay_ledger_row_new (item);
}

static void
bench_library (guint n_ledgers)
{
  g_autofree char *root = g_dir_make_tmp ("assay-bench-XXXXXX", NULL);
  g_autoptr(GPtrArray) paths = bench_make_library (root, n_ledgers, 2, 2);
  g_autoptr(GPtrArray) items = assay_library_scan (root, NULL, NULL);
  g_autoptr(GListStore) store = g_list_store_new (ASSAY_TYPE_LIBRARY_ITEM);
  bench_check (items != NULL && items->len == n_ledgers, NULL);
  const double start = bench_thread_ms ();
  GtkWidget *list = gtk_list_box_new (), *scroller = gtk_scrolled_window_new ();
  gtk_list_box_bind_model (GTK_LIST_BOX (list), G_LIST_MODEL (store), create_row, NULL, NULL);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), list);
  g_list_store_splice (store, 0, 0, items->pdata, items->len);
  Stage stage = stage_show (scroller);
  while (gtk_widget_get_frame_clock (stage.window) == NULL)
    g_main_context_iteration (NULL, TRUE);
  stage_settle (&stage);
  g_print ("%-34s %9.1f ms\n", "list of ledgers: to be shown", bench_thread_ms () - start);
  bench_scroll (&stage, gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (scroller)));
  gtk_window_destroy (GTK_WINDOW (stage.window));
  bench_remove_library (root, paths);
}

int
main (int argc, char **argv)
{
  const guint n_runs = argc > 1 ? (guint) strtoul (argv[1], NULL, 10) : 10000;
  const guint n_ledgers = argc > 2 ? (guint) strtoul (argv[2], NULL, 10) : 1000;
  if (!gtk_init_check ())
    {
      g_printerr ("bench-lists: there is no display\n");
      return 1;
    }
  adw_init ();
  g_autoptr(AssayLedger) ledger = bench_make_ledger ("A large ledger", n_runs, 20, 1);
  g_print ("lists of %u runs on %d × %d\n", n_runs, WIDTH, HEIGHT);
  bench_runs (ledger);
  bench_compare (ledger);
  g_print ("list of %u ledgers\n", n_ledgers);
  bench_library (n_ledgers);
  return 0;
}
