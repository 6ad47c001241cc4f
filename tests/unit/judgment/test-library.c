/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A folder of ledgers that somebody else fills, badly at times. */
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "assay-library.h"
#include "assay-store.h"
#include "judgment.h"

#define PATIENCE_SECONDS 20

typedef struct
{
  char *folder;
} Fixture;

static void
fixture_set_up (Fixture *self, gconstpointer data)
{
  self->folder = g_dir_make_tmp ("assay-library-XXXXXX", NULL);
}

static void
remove_all (const char *path)
{
  g_autoptr(GDir) folder = g_file_test (path, G_FILE_TEST_IS_SYMLINK) ? NULL : g_dir_open (path, 0, NULL);
  for (const char *name; folder != NULL && (name = g_dir_read_name (folder)) != NULL;)
    {
      g_autofree char *child = g_build_filename (path, name, NULL);
      remove_all (child);
    }
  g_remove (path);
}

static void
fixture_tear_down (Fixture *self, gconstpointer data)
{
  remove_all (self->folder);
  g_free (self->folder);
}

static char *
path_in (Fixture *self, const char *name)
{
  return g_build_filename (self->folder, name, NULL);
}

static void
write_ledger (Fixture *self, const char *name, AssayTask task, const char *title, guint n_runs)
{
  g_autofree char *path = path_in (self, name);
  g_autofree char *folder = g_path_get_dirname (path);
  g_autoptr(AssayLedger) ledger = assay_ledger_new (task, title);
  g_autoptr(GError) error = NULL;
  for (guint i = 0; i < n_runs; i++)
    {
      g_autofree char *id = g_strdup_printf ("r%u", i);
      judgment_add (ledger,
                    judgment_run (id, i % 2 == 0 ? ASSAY_STATUS_COMPLETED : ASSAY_STATUS_FAILED, NULL));
    }
  g_mkdir_with_parents (folder, 0700);
  assay_store_save (ledger, path, &error);
  g_assert_no_error (error);
}

static GPtrArray *
scan (Fixture *self)
{
  g_autoptr(GError) error = NULL;
  GPtrArray *items = assay_library_scan (self->folder, NULL, &error);
  g_assert_no_error (error);
  return items;
}

static void
test_broken_ledger_hides_none (Fixture *self, gconstpointer data)
{
  for (guint i = 0; i < 50; i++)
    {
      g_autofree char *name = g_strdup_printf ("l%02u.ledger.xml", i);
      g_autofree char *title = g_strdup_printf ("Ledger %02u", i);
      write_ledger (self, name, ASSAY_TASK_LANGUAGE, title, i % 3);
    }
  g_autofree char *broken = path_in (self, "broken.ledger.xml");
  g_assert_true (g_file_set_contents (broken, "<ledger xmlns=\"urn:assay:ledger:1\"><run", -1, NULL));
  g_autofree char *other = path_in (self, "notes.xml");
  g_assert_true (g_file_set_contents (other, "<x/>", -1, NULL));
  g_autoptr(GPtrArray) items = scan (self);
  g_assert_cmpuint (items->len, ==, 51);
  for (guint i = 0; i < 50; i++)
    {
      g_autofree char *title = g_strdup_printf ("Ledger %02u", i);
      g_assert_cmpstr (assay_library_item_get_title (items->pdata[i]), ==, title);
      g_assert_null (assay_library_item_get_problem (items->pdata[i]));
      g_assert_cmpuint (assay_library_item_get_n_runs (items->pdata[i]), ==, i % 3);
    }
  g_assert_cmpstr (assay_library_item_get_path (items->pdata[50]), ==, broken);
  g_assert_cmpstr (assay_library_item_get_title (items->pdata[50]), ==, "broken");
  g_assert_cmpint (strlen (assay_library_item_get_problem (items->pdata[50])), >, 0);
  g_assert_cmpstr (assay_library_item_get_task_name (items->pdata[50]), ==, "");
}

static void
test_odd_files_are_problems (Fixture *self, gconstpointer data)
{
  write_ledger (self, "good.ledger.xml", ASSAY_TASK_LANGUAGE, "Good", 1);
  g_autofree char *fifo = path_in (self, "pipe.ledger.xml");
  g_autofree char *loop = path_in (self, "loop.ledger.xml");
  g_autofree char *empty = path_in (self, "empty.ledger.xml");
  g_autofree char *device = path_in (self, "zero.ledger.xml");
  g_autofree char *gone = path_in (self, "gone.ledger.xml");
  g_assert_cmpint (mkfifo (fifo, 0600), ==, 0);
  g_assert_cmpint (symlink ("loop.ledger.xml", loop), ==, 0);
  g_assert_cmpint (symlink ("/dev/zero", device), ==, 0);
  g_assert_cmpint (symlink ("nowhere", gone), ==, 0);
  g_assert_true (g_file_set_contents (empty, "", 0, NULL));
  g_autoptr(GPtrArray) items = scan (self);
  g_assert_cmpuint (items->len, ==, 6);
  g_assert_null (assay_library_item_get_problem (items->pdata[0]));
  for (guint i = 1; i < 6; i++)
    g_assert_nonnull (assay_library_item_get_problem (items->pdata[i]));
}

static void
test_links_to_folders_are_not_entered (Fixture *self, gconstpointer data)
{
  write_ledger (self, "a/one.ledger.xml", ASSAY_TASK_LANGUAGE, "One", 0);
  g_autofree char *up = path_in (self, "a/up");
  g_autofree char *self_link = path_in (self, "a/self");
  g_autofree char *file_link = path_in (self, "a/linked.ledger.xml");
  g_assert_cmpint (symlink ("..", up), ==, 0);
  g_assert_cmpint (symlink (".", self_link), ==, 0);
  g_assert_cmpint (symlink ("one.ledger.xml", file_link), ==, 0);
  g_autoptr(GPtrArray) items = scan (self);
  g_assert_cmpuint (items->len, ==, 2);
  g_assert_null (assay_library_item_get_problem (items->pdata[1]));
}

static void
test_side_files_and_hidden_folders_are_left_out (Fixture *self, gconstpointer data)
{
  write_ledger (self, "one.ledger.xml", ASSAY_TASK_LANGUAGE, "One", 0);
  write_ledger (self, "one.assets/two.ledger.xml", ASSAY_TASK_LANGUAGE, "Two", 0);
  write_ledger (self, ".git/three.ledger.xml", ASSAY_TASK_LANGUAGE, "Three", 0);
  g_autoptr(GPtrArray) items = scan (self);
  g_assert_cmpuint (items->len, ==, 1);
}

static void
test_tasks_sort_before_titles (Fixture *self, gconstpointer data)
{
  write_ledger (self, "1.ledger.xml", ASSAY_TASK_MASK, "A", 0);
  write_ledger (self, "2.ledger.xml", ASSAY_TASK_LANGUAGE, "C", 0);
  write_ledger (self, "3.ledger.xml", ASSAY_TASK_IMAGE, "A", 0);
  write_ledger (self, "4.ledger.xml", ASSAY_TASK_LANGUAGE, "B", 0);
  static const char *const wanted[] = { "B", "C", "A", "A" };
  static const char *const tasks[] = { "language", "language", "image", "mask" };
  g_autoptr(GPtrArray) items = scan (self);
  g_assert_cmpuint (items->len, ==, 4);
  for (guint i = 0; i < 4; i++)
    {
      g_assert_cmpstr (assay_library_item_get_title (items->pdata[i]), ==, wanted[i]);
      g_assert_cmpstr (assay_library_item_get_task_name (items->pdata[i]), ==, tasks[i]);
    }
}

/* One letter a run: completed, failed, stopped by a person, damaged. */
static void
write_runs (Fixture *self, const char *name, const char *runs)
{
  g_autofree char *path = path_in (self, name);
  g_autoptr(AssayLedger) ledger = assay_ledger_new (ASSAY_TASK_LANGUAGE, name);
  g_autoptr(GError) error = NULL;
  for (guint i = 0; runs[i] != '\0'; i++)
    {
      g_autofree char *id = g_strdup_printf ("r%u", i);
      const AssayRunStatus status = runs[i] == 'c'   ? ASSAY_STATUS_COMPLETED
                                    : runs[i] == 'f' ? ASSAY_STATUS_FAILED
                                                     : ASSAY_STATUS_CANCELLED;
      judgment_add (ledger, judgment_run (id, status, NULL));
    }
  assay_store_save (ledger, path, &error);
  g_assert_no_error (error);
}

static void
test_marks_are_of_all_runs (Fixture *self, gconstpointer data)
{
  static const struct { const char *runs; AssayVerdict verdict; guint n_passed, n_judged; } cases[] = {
    { "cfs", ASSAY_VERDICT_PASS, 1, 2 }, /* neither the last one stopped nor one failed takes it back */
    { "ccc", ASSAY_VERDICT_PASS, 3, 3 }, { "ffs", ASSAY_VERDICT_FAIL, 0, 2 },
    { "ss", ASSAY_VERDICT_NOT_JUDGED, 0, 0 }, { "", ASSAY_VERDICT_NOT_JUDGED, 0, 0 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *name = g_strdup_printf ("%u.ledger.xml", i);
      write_runs (self, name, cases[i].runs);
    }
  g_autoptr(GPtrArray) items = scan (self);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      AssayLibraryItem *item = items->pdata[i];
      guint feasibility, n_passed, n_judged;
      g_object_get (item, "feasibility", &feasibility, NULL);
      g_assert_cmpuint (feasibility, ==, cases[i].verdict);
      assay_library_item_count (item, ASSAY_GATE_FEASIBILITY, &n_passed, &n_judged);
      g_assert_cmpuint (n_passed, ==, cases[i].n_passed);
      g_assert_cmpuint (n_judged, ==, cases[i].n_judged);
      g_assert_cmpint (assay_library_item_get_verdict (item, ASSAY_GATE_QUALITY), ==, ASSAY_VERDICT_NOT_JUDGED);
    }
}

static void
test_missing_folder_and_cancelling_are_errors (Fixture *self, gconstpointer data)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *missing = path_in (self, "missing");
  g_assert_null (assay_library_scan (missing, NULL, &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT);
  g_assert_nonnull (strstr (error->message, missing));
  g_clear_error (&error);
  g_autoptr(GCancellable) cancellable = g_cancellable_new ();
  g_cancellable_cancel (cancellable);
  g_assert_null (assay_library_scan (self->folder, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

/* The live list */

typedef gboolean (*Condition) (AssayLibrary *library, gconstpointer data);

static gboolean
on_tick (gpointer data)
{
  return G_SOURCE_CONTINUE;
}

static void
wait_until (AssayLibrary *library, Condition condition, gconstpointer data)
{
  const gint64 end = g_get_monotonic_time () + PATIENCE_SECONDS * G_USEC_PER_SEC;
  const guint tick = g_timeout_add (20, on_tick, NULL);
  while (!condition (library, data) && g_get_monotonic_time () < end)
    g_main_context_iteration (NULL, TRUE);
  g_source_remove (tick);
  g_assert_true (condition (library, data));
}

static gboolean
is_idle (AssayLibrary *library, gconstpointer data)
{
  return !assay_library_is_scanning (library);
}

static gboolean
has_n (AssayLibrary *library, gconstpointer data)
{
  return is_idle (library, NULL)
         && g_list_model_get_n_items (G_LIST_MODEL (library)) == GPOINTER_TO_UINT (data);
}

static AssayLibraryItem *
item_at (AssayLibrary *library, guint position)
{
  g_autoptr(AssayLibraryItem) item = g_list_model_get_item (G_LIST_MODEL (library), position);
  return item; /* the list keeps it */
}

static gboolean
first_title_is (AssayLibrary *library, gconstpointer title)
{
  return g_list_model_get_n_items (G_LIST_MODEL (library)) > 0
         && g_strcmp0 (assay_library_item_get_title (item_at (library, 0)), title) == 0;
}

/* Follows items-changed as a view would, and must end with the same list. */
static void
on_items_changed (GListModel *model, guint position, guint removed, guint added, gpointer mirror)
{
  GPtrArray *items = mirror;
  g_assert_cmpuint (position + removed, <=, items->len);
  if (removed > 0)
    g_ptr_array_remove_range (items, position, removed);
  for (guint i = 0; i < added; i++)
    g_ptr_array_insert (items, (gint) (position + i), g_list_model_get_item (model, position + i));
  g_assert_cmpuint (items->len, ==, g_list_model_get_n_items (model));
}

static void
assert_mirrored (AssayLibrary *library, GPtrArray *mirror)
{
  g_assert_cmpuint (mirror->len, ==, g_list_model_get_n_items (G_LIST_MODEL (library)));
  for (guint i = 0; i < mirror->len; i++)
    g_assert_true (mirror->pdata[i] == item_at (library, i));
}

static void
test_list_follows_the_folder (Fixture *self, gconstpointer data)
{
  write_ledger (self, "b.ledger.xml", ASSAY_TASK_LANGUAGE, "B", 0);
  write_ledger (self, "d.ledger.xml", ASSAY_TASK_LANGUAGE, "D", 0);
  g_autoptr(AssayLibrary) library = assay_library_new (NULL);
  g_autoptr(GPtrArray) mirror = g_ptr_array_new_with_free_func (g_object_unref);
  g_signal_connect (library, "items-changed", G_CALLBACK (on_items_changed), mirror);
  assay_library_set_folder (library, self->folder);
  wait_until (library, has_n, GUINT_TO_POINTER (2));
  AssayLibraryItem *kept = item_at (library, 1);

  write_ledger (self, "c.ledger.xml", ASSAY_TASK_LANGUAGE, "C", 1);
  wait_until (library, has_n, GUINT_TO_POINTER (3));
  g_assert_true (item_at (library, 2) == kept); /* not read again */
  assert_mirrored (library, mirror);

  g_autofree char *b = path_in (self, "b.ledger.xml");
  g_assert_cmpint (g_unlink (b), ==, 0);
  wait_until (library, has_n, GUINT_TO_POINTER (2));
  g_assert_true (first_title_is (library, "C"));

  g_autofree char *d = path_in (self, "d.ledger.xml");
  g_assert_cmpint (g_unlink (d), ==, 0);
  write_ledger (self, "d.ledger.xml", ASSAY_TASK_LANGUAGE, "Aardvark", 0); /* moves to the front */
  wait_until (library, first_title_is, "Aardvark");
  wait_until (library, has_n, GUINT_TO_POINTER (2));
  assert_mirrored (library, mirror);
}

static void
test_new_subfolder_is_watched (Fixture *self, gconstpointer data)
{
  g_autoptr(AssayLibrary) library = assay_library_new (self->folder);
  wait_until (library, has_n, GUINT_TO_POINTER (0));
  write_ledger (self, "sub/a.ledger.xml", ASSAY_TASK_LANGUAGE, "A", 0);
  wait_until (library, has_n, GUINT_TO_POINTER (1));
  write_ledger (self, "sub/b.ledger.xml", ASSAY_TASK_LANGUAGE, "B", 0);
  wait_until (library, has_n, GUINT_TO_POINTER (2));
}

static void
test_unreadable_folder_is_a_notice (Fixture *self, gconstpointer data)
{
  g_autofree char *missing = path_in (self, "missing");
  g_autoptr(AssayLibrary) library = assay_library_new (missing);
  wait_until (library, is_idle, NULL);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (library)), ==, 0);
  g_assert_nonnull (strstr (assay_library_get_notice (library), missing));
}

static void
test_too_deep_is_a_notice (Fixture *self, gconstpointer data)
{
  write_ledger (self, "1/2/3/4/5/6/7/near.ledger.xml", ASSAY_TASK_LANGUAGE, "Near", 0);
  write_ledger (self, "1/2/3/4/5/6/7/8/far.ledger.xml", ASSAY_TASK_LANGUAGE, "Far", 0);
  g_autoptr(AssayLibrary) library = assay_library_new (self->folder);
  wait_until (library, has_n, GUINT_TO_POINTER (1));
  g_assert_nonnull (strstr (assay_library_get_notice (library), "too deep"));
}

static void
test_another_folder_empties_the_list_at_once (Fixture *self, gconstpointer data)
{
  write_ledger (self, "a.ledger.xml", ASSAY_TASK_LANGUAGE, "A", 0);
  write_ledger (self, "other/b.ledger.xml", ASSAY_TASK_LANGUAGE, "B", 0);
  g_autofree char *other = path_in (self, "other");
  g_autoptr(AssayLibrary) library = assay_library_new (self->folder);
  wait_until (library, has_n, GUINT_TO_POINTER (2));
  assay_library_set_folder (library, other);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (library)), ==, 0);
  wait_until (library, has_n, GUINT_TO_POINTER (1));
  g_assert_true (first_title_is (library, "B"));
}

static void
test_dropped_in_mid_scan (Fixture *self, gconstpointer data)
{
  for (guint i = 0; i < 20; i++)
    {
      g_autofree char *name = g_strdup_printf ("%u.ledger.xml", i);
      write_ledger (self, name, ASSAY_TASK_LANGUAGE, "L", 0);
    }
  for (guint i = 0; i < 20; i++)
    {
      AssayLibrary *library = assay_library_new (self->folder);
      for (guint k = 0; k < i % 4; k++)
        g_main_context_iteration (NULL, FALSE);
      g_object_unref (library);
    }
  g_autoptr(AssayLibrary) last = assay_library_new (self->folder);
  wait_until (last, has_n, GUINT_TO_POINTER (20));
}

#define ADD(path, function)                                                                                  \
  g_test_add ("/ledger/library/" path, Fixture, NULL, fixture_set_up, function, fixture_tear_down)

static void
test_folders_within_are_groups (Fixture *self, gconstpointer data)
{
  write_ledger (self, "b.ledger.xml", ASSAY_TASK_LANGUAGE, "B", 0);
  write_ledger (self, "week 3/a.ledger.xml", ASSAY_TASK_LANGUAGE, "A", 0);
  write_ledger (self, "week 3/deep/c.ledger.xml", ASSAY_TASK_LANGUAGE, "C", 0);
  g_autoptr(GPtrArray) items = scan (self);
  const char *const groups[] = { "", "week 3", "week 3 / deep" };
  g_assert_cmpuint (items->len, ==, G_N_ELEMENTS (groups));
  for (guint i = 0; i < items->len; i++)
    g_assert_cmpstr (assay_library_item_get_group (g_ptr_array_index (items, i)), ==, groups[i]);
}

static AssayLibraryItem *
find_titled (AssayLibrary *library, const char *title)
{
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (library)); i++)
    {
      g_autoptr(AssayLibraryItem) item = g_list_model_get_item (G_LIST_MODEL (library), i);
      if (g_strcmp0 (assay_library_item_get_title (item), title) == 0)
        return item; /* the library holds it */
    }
  return NULL;
}

static void
test_several_folders_are_one_library (Fixture *self, gconstpointer data)
{
  g_autofree char *first = path_in (self, "first");
  g_autofree char *other = path_in (self, "Work");
  g_autofree char *within = path_in (self, "first/within");
  g_autofree char *missing = path_in (self, "missing");
  write_ledger (self, "first/a.ledger.xml", ASSAY_TASK_LANGUAGE, "A", 0);
  write_ledger (self, "first/within/b.ledger.xml", ASSAY_TASK_LANGUAGE, "B", 0);
  write_ledger (self, "Work/c.ledger.xml", ASSAY_TASK_LANGUAGE, "C", 0);
  const char *const folders[] = { first, missing, other, within, NULL };
  g_autoptr(AssayLibrary) library = assay_library_new (NULL);
  assay_library_set_folders (library, folders);
  wait_until (library, has_n, GUINT_TO_POINTER (3));
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (library)), ==, 3); /* "within" is shown once */
  g_assert_cmpstr (assay_library_item_get_group (find_titled (library, "A")), ==, "");
  g_assert_cmpstr (assay_library_item_get_group (find_titled (library, "B")), ==, "within");
  g_assert_cmpstr (assay_library_item_get_group (find_titled (library, "C")), ==, "Work");
  g_assert_nonnull (strstr (assay_library_get_notice (library), "missing"));
  g_assert_cmpstr (assay_library_get_folder (library), ==, first);

  write_ledger (self, "Work/d.ledger.xml", ASSAY_TASK_LANGUAGE, "D", 0); /* and it is watched */
  wait_until (library, has_n, GUINT_TO_POINTER (4));
  g_assert_cmpstr (assay_library_item_get_group (find_titled (library, "D")), ==, "Work");
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  ADD ("broken-ledger-among-fifty-hides-none", test_broken_ledger_hides_none);
  ADD ("odd-files-are-problems", test_odd_files_are_problems);
  ADD ("links-to-folders-are-not-entered", test_links_to_folders_are_not_entered);
  ADD ("side-files-and-hidden-folders-are-left-out", test_side_files_and_hidden_folders_are_left_out);
  ADD ("tasks-sort-before-titles", test_tasks_sort_before_titles);
  ADD ("marks-are-of-all-runs", test_marks_are_of_all_runs);
  ADD ("missing-folder-and-cancelling-are-errors", test_missing_folder_and_cancelling_are_errors);
  ADD ("list-follows-the-folder", test_list_follows_the_folder);
  ADD ("new-subfolder-is-watched", test_new_subfolder_is_watched);
  ADD ("unreadable-folder-is-a-notice", test_unreadable_folder_is_a_notice);
  ADD ("too-deep-is-a-notice", test_too_deep_is_a_notice);
  ADD ("another-folder-empties-the-list-at-once", test_another_folder_empties_the_list_at_once);
  ADD ("folders-within-are-groups", test_folders_within_are_groups);
  ADD ("several-folders-are-one-library", test_several_folders_are_one_library);
  ADD ("dropped-in-mid-scan", test_dropped_in_mid_scan);
  return g_test_run ();
}
