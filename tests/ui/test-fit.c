/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/ui/test-fit.c: nothing is cut off: every label of every view, in a window of 720 × 540, and at twice the text size
 * in one of 1280 × 800.
 *
 * A label that ends in an ellipsis is in order where its whole text stands in a tooltip of its own or of what it lies in.
 * The language comes from the environment, so that the same test runs for each. */
#include <adwaita.h>
#include <glib/gi18n.h>
#include <locale.h>

#include "assay-fold-panes.h"
#include "assay-help-pages.h"
#include "assay-help.h"
#include "assay-preferences.h"
#include "assay-tooltip.h"
#include "assay-window.h"
#include "views-driver.h"

typedef struct
{
  const char *name;
  int width, height, scale;
} Desk;

#define NARROW 700 /* px, in a window of 720 */

static const Desk desks[] = { { "narrow", 720, 540, 1 }, { "large-text", 1280, 800, 2 } };
static const Desk *desk = &desks[0]; /* of the test that runs */
static AdwApplication *application;

static gboolean
has_tooltip (GtkWidget *widget)
{
  for (; widget != NULL && !GTK_IS_ROOT (widget); widget = gtk_widget_get_parent (widget))
    if (assay_tooltip_get (widget) != NULL || gtk_widget_get_tooltip_markup (widget) != NULL)
      return TRUE;
  return FALSE;
}

static const char *
label_get_fault (GtkLabel *label)
{
  GtkWidget *widget = GTK_WIDGET (label);
  int width, height;
  if (pango_layout_is_ellipsized (gtk_label_get_layout (label)))
    return has_tooltip (widget) ? NULL : "ends in an ellipsis and has no tooltip";
  pango_layout_get_pixel_size (gtk_label_get_layout (label), &width, &height);
  if (width > gtk_widget_get_width (widget) + 1)
    return "is wider than its place";
  return height > gtk_widget_get_height (widget) + 1 ? "is higher than its place" : NULL;
}

/* where: NULL counts without a word. */
static guint
count_faults (GtkWidget *widget, const char *where)
{
  guint n = 0;
  if (!gtk_widget_get_mapped (widget))
    return 0;
  if (GTK_IS_LABEL (widget) && *gtk_label_get_text (GTK_LABEL (widget)) != '\0')
    {
      const char *fault = label_get_fault (GTK_LABEL (widget));
      if (fault != NULL && where != NULL)
        g_test_message ("%s: “%s” %s", where, gtk_label_get_text (GTK_LABEL (widget)), fault);
      n += fault != NULL;
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL; child = gtk_widget_get_next_sibling (child))
    n += count_faults (child, where);
  return n;
}

static void
wait_ms (guint ms)
{
  guint over = 0;
  g_timeout_add_once (ms, (GSourceOnceFunc) views_count_cb, &over);
  while (over == 0)
    g_main_context_iteration (NULL, TRUE);
}

/* What is the widest of all that cannot be made narrower, down to what holds nothing as wide. */
static void
tell_wide (GtkWidget *widget, int least)
{
  gboolean within = FALSE;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL; child = gtk_widget_get_next_sibling (child))
    {
      int width;
      gtk_widget_measure (child, GTK_ORIENTATION_HORIZONTAL, -1, &width, NULL, NULL, NULL);
      if (width <= least || !gtk_widget_get_visible (child))
        continue;
      within = TRUE;
      tell_wide (child, least);
    }
  if (!within)
    g_test_message ("%s “%s” is as wide", G_OBJECT_TYPE_NAME (widget), gtk_widget_get_name (widget));
}

static void
assert_fits (GtkWidget *window, const char *where)
{
  int width, height;
  wait_ms (200);
  for (guint i = 0; i < 40 && count_faults (window, NULL) > 0; i++) /* laid out when the machine comes to it */
    wait_ms (100);
  gtk_widget_measure (window, GTK_ORIENTATION_HORIZONTAL, -1, &width, NULL, NULL, NULL);
  gtk_widget_measure (window, GTK_ORIENTATION_VERTICAL, desk->width, &height, NULL, NULL, NULL);
  if (width > desk->width || height > desk->height)
    g_test_message ("%s: the window needs %d × %d", where, width, height);
  if (width > desk->width)
    tell_wide (window, desk->width);
  const guint n = count_faults (window, where);
  g_assert_cmpint (width, <=, desk->width);
  g_assert_cmpint (height, <=, desk->height);
  g_assert_cmpuint (n, ==, 0);
}

static GtkWidget *
open_window (gboolean with_ledger)
{
  g_object_set (assay_settings_get_default (), "window-width", desk->width, "window-height", desk->height,
                NULL);
  GtkWidget *window = assay_window_new (GTK_APPLICATION (application));
  if (with_ledger)
    {
      g_autofree char *path = g_build_filename (g_getenv ("ASSAY_SOURCE_ROOT"), "data", "samples", "sample.ledger.xml", NULL);
      g_autofree char *copy = g_build_filename (g_get_user_data_dir (), "sample.ledger.xml", NULL);
      g_autoptr(GFile) from = g_file_new_for_path (path), to = g_file_new_for_path (copy);
      g_mkdir_with_parents (g_get_user_data_dir (), 0700);
      g_file_copy (from, to, G_FILE_COPY_OVERWRITE, NULL, NULL, NULL, NULL);
      assay_window_open_file (ASSAY_WINDOW (window), to);
    }
  gtk_window_present (GTK_WINDOW (window));
  wait_ms (1200);
  return window;
}

/* Whatever the language. */
static gboolean
is_verdict (GtkWidget *widget, const char *unused)
{
  return GTK_IS_TOGGLE_BUTTON (widget) && g_strcmp0 (gtk_buildable_get_buildable_id (GTK_BUILDABLE (widget)), "pass") == 0;
}

/* Where an answer is judged blind, where that is saved with gaps, and what is told then. */
static void
check_review (GtkWidget *window, void (*check) (GtkWidget *window, const char *where))
{
  GtkWidget *view = views_find (window, views_is_type, "AssayReviewView");
  gtk_widget_activate_action (window, "win.view", "s", "review");
  g_object_set (view, "reviewer", "Ada", NULL);
  gtk_widget_activate_action (view, "review.blind", NULL);
  check (window, "blind");
  views_press (views_find (view, views_is_criterion, "groundedness"), GDK_KEY_4);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (views_find (view, is_verdict, NULL)), TRUE);
  gtk_widget_activate_action (view, "review.save-next", NULL);
  check (window, "gaps");
  gtk_widget_activate_action (view, "review.save-anyway", NULL);
  check (window, "revealed");
  gtk_widget_activate_action (window, "win.leave-review", NULL);
  check (window, "lobby");
  gtk_widget_activate_action (view, "review.pairs", NULL);
  check (window, "side by side");
  gtk_widget_activate_action (window, "win.leave-review", NULL);
  gtk_widget_activate_action (view, "review.agreement", NULL);
  check (window, "agreement");
  gtk_widget_activate_action (view, "review.by-name", NULL);
  check (window, "by name");
}

static void
check_views (void)
{
  static const char *const views[] = { "setup", "run", "review", "compare" };
  GtkWidget *window = open_window (TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (views); i++)
    {
      gtk_widget_activate_action (window, "win.view", "s", views[i]);
      assert_fits (window, views[i]);
    }
  check_review (window, assert_fits);
  gtk_widget_activate_action (window, "win.view", "s", "run");
  gtk_widget_activate_action (window, "win.plan-next", NULL);
  assert_fits (window, "plan");
  gtk_window_destroy (GTK_WINDOW (window));
}

static gboolean
is_of_type (GtkWidget *widget, const char *type)
{
  return g_str_equal (G_OBJECT_TYPE_NAME (widget), type);
}

/* What is in sight of it: what stands on a page that is not shown is measured when its turn comes. */
static void
assert_narrow (GtkWidget *window, const char *type, int most)
{
  GtkWidget *part = views_find (window, is_of_type, type);
  int width;
  gtk_widget_measure (part, GTK_ORIENTATION_HORIZONTAL, -1, &width, NULL, NULL, NULL);
  g_test_message ("%s needs %d px", type, width);
  if (width > most)
    tell_wide (part, most);
  g_assert_cmpint (width, <=, most);
}

static void
assert_review_narrow (GtkWidget *window, const char *where)
{
  wait_ms (300);
  g_test_message ("%s:", where);
  assert_narrow (window, "AssayReviewView", NARROW);
  assert_narrow (window, "AdwHeaderBar", desks[0].width);
}

/* At twice the text size too, in the least window: rows fold, and nothing forces a view to be wider. */
static void
test_views_fold_in_a_narrow_window (void)
{
  static const char *const types[] = { "AssaySetupView", "AssayRunView", "AssayCompareView", "AssayNextTrialBar" };
  if (views_no_display ())
    return;
  g_object_set (gtk_settings_get_default (), "gtk-xft-dpi", 2 * 96 * 1024, NULL);
  desk = &desks[1];
  GtkWidget *window = open_window (TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    assert_narrow (window, types[i], NARROW);
  check_review (window, assert_review_narrow);
  gtk_window_destroy (GTK_WINDOW (window));
}

static GtkWidget *
part_new (int width, int height)
{
  GtkWidget *part = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  gtk_widget_set_size_request (part, width, height);
  return part;
}

static void
panes_give (GtkWidget *panes, int width)
{
  int height;
  gtk_widget_measure (panes, GTK_ORIENTATION_VERTICAL, width, &height, NULL, NULL, NULL);
  gtk_widget_size_allocate (panes, &(GtkAllocation) { 0, 0, width, height }, -1);
}

/* The paned is their only child, and what a person drags. */
static void
test_parts_stack_and_the_divider_keeps_its_place (void)
{
  if (views_no_display ())
    return;
  GtkWidget *start = part_new (300, 200), *end = part_new (350, 240);
  GtkWidget *panes = g_object_ref_sink (g_object_new (ASSAY_TYPE_FOLD_PANES, "start-child", start, "end-child", end, NULL));
  GtkPaned *paned = GTK_PANED (gtk_widget_get_first_child (panes));
  int least;
  gtk_widget_measure (panes, GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL, NULL, NULL);
  g_assert_cmpint (least, ==, 350);
  panes_give (panes, 800);
  g_assert_false (assay_fold_panes_is_stacked (ASSAY_FOLD_PANES (panes)));
  g_assert_cmpint (gtk_widget_get_height (panes), ==, 240);
  gtk_paned_set_position (paned, 431);
  panes_give (panes, 500);
  g_assert_true (assay_fold_panes_is_stacked (ASSAY_FOLD_PANES (panes)));
  g_assert_cmpint (gtk_widget_get_height (panes), >=, 440);
  g_assert_cmpint (gtk_widget_get_width (start), ==, 500);
  g_assert_cmpint (gtk_widget_get_height (end), ==, 240);
  panes_give (panes, 800);
  g_assert_false (assay_fold_panes_is_stacked (ASSAY_FOLD_PANES (panes)));
  g_assert_cmpint (gtk_paned_get_position (paned), ==, 431);
  panes_give (panes, 1600);
  g_assert_cmpint (gtk_paned_get_position (paned), ==, 862);
  g_object_unref (panes);
}

static void
check_start (void)
{
  GtkWidget *window = open_window (FALSE);
  assert_fits (window, "start");
  gtk_window_destroy (GTK_WINDOW (window));
}

static void
check_preferences (void)
{
  GtkWidget *window = assay_preferences_new (assay_settings_get_default ());
  gtk_window_set_default_size (GTK_WINDOW (window), desk->width, desk->height);
  gtk_window_present (GTK_WINDOW (window));
  assert_fits (window, "preferences");
  gtk_window_destroy (GTK_WINDOW (window));
}

static void
check_help (void)
{
  guint n;
  const HelpTopic *topics = assay_help_get_topics (&n);
  GtkWidget *window = assay_help_new ();
  gtk_window_set_default_size (GTK_WINDOW (window), desk->width, desk->height);
  gtk_window_present (GTK_WINDOW (window));
  for (guint i = 0; i < n; i++)
    {
      assay_help_show_topic (ASSAY_HELP (window), topics[i].name);
      assert_fits (window, topics[i].name);
    }
  gtk_window_destroy (GTK_WINDOW (window));
}

static void
test_desk (gconstpointer data)
{
  if (views_no_display ())
    return;
  desk = data;
  g_object_set (gtk_settings_get_default (), "gtk-xft-dpi", desk->scale * 96 * 1024, NULL);
  check_start ();
  check_views ();
  check_preferences ();
  check_help ();
}

static void
make_application (void)
{
  application = ADW_APPLICATION (g_object_new (ADW_TYPE_APPLICATION, "application-id", "io.github.assay.Fit", "flags",
                                               G_APPLICATION_NON_UNIQUE, "resource-base-path",
                                               "/io/github/assay/Assay", NULL));
  g_application_register (G_APPLICATION (application), NULL, NULL);
  g_object_set (gtk_settings_get_default (), "gtk-enable-animations", FALSE, NULL);
}

/* Not those of the person who runs the tests. GTest's own isolation would hide the icons as well. */
static void
use_own_folders (const char *folder)
{
  static const char *const names[] = { "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename (folder, names[i], NULL);
      g_setenv (names[i], path, TRUE);
    }
}

int
main (int argc, char **argv)
{
  const char *catalogues = g_getenv ("ASSAY_LOCALE_DIR");
  g_autofree char *folder = g_dir_make_tmp ("assay-fit-XXXXXX", NULL);
  use_own_folders (folder);
  g_test_init (&argc, &argv, NULL);
  g_test_set_nonfatal_assertions (); /* every fault of every view is told, not the first */
  setlocale (LC_ALL, "");
  if (catalogues != NULL)
    bindtextdomain (GETTEXT_PACKAGE, catalogues);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  if (gtk_init_check ())
    make_application ();
  for (guint i = 0; i < G_N_ELEMENTS (desks); i++)
    {
      g_autofree char *name = g_strconcat ("/ui/fit/", desks[i].name, NULL);
      g_test_add_data_func (name, &desks[i], test_desk);
    }
  g_test_add_func ("/ui/fit/views-fold-in-a-narrow-window", test_views_fold_in_a_narrow_window);
  g_test_add_func ("/ui/fit/parts-stack-and-the-divider-keeps-its-place", test_parts_stack_and_the_divider_keeps_its_place);
  const int status = g_test_run ();
  g_autofree char *sweep = g_strdup_printf ("rm -rf '%s'", folder);
  return g_spawn_command_line_sync (sweep, NULL, NULL, NULL, NULL) ? status : 1;
}
