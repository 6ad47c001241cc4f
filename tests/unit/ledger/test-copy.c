/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copies of ledgers and their way to the trash and back. The home of this test is a folder of its own: the trash too. */
#include <glib/gstdio.h>
#include <string.h>

#include "assay-copy.h"
#include "assay-trash.h"
#include "ledger-fixture.h"

typedef struct
{
  char *folder, *library, *path, *assets;
} Place;

static void
place_set_up (Place *place, gconstpointer data)
{
  g_autoptr(AssayLedger) ledger = fixture_ledger (2);
  g_autoptr(GError) error = NULL;
  place->folder = g_build_filename (g_get_home_dir (), "assay-copy", NULL);
  place->library = g_build_filename (place->folder, "library", NULL);
  place->path = g_build_filename (place->folder, "book.ledger.xml", NULL);
  place->assets = g_build_filename (place->folder, "book.assets", NULL);
  g_assert_cmpint (g_mkdir_with_parents (place->folder, 0700), ==, 0);
  assay_store_save (ledger, place->path, &error);
  g_assert_no_error (error);
  g_mkdir (place->assets, 0700);
  g_autofree char *side = g_build_filename (place->assets, "picture.png", NULL);
  fixture_write (side, "side", -1);
}

static void
place_tear_down (Place *place, gconstpointer data)
{
  fixture_remove_folder (place->library);
  fixture_remove_folder (place->assets);
  fixture_remove_folder (place->folder);
  g_free (place->folder);
  g_free (place->library);
  g_free (place->path);
  g_free (place->assets);
}

static void
assert_side_file (const char *ledger_path)
{
  g_autofree char *assets = assay_store_dup_assets_path (ledger_path);
  g_autofree char *side = g_build_filename (assets, "picture.png", NULL);
  g_autofree char *text = fixture_read (side, NULL);
  g_assert_cmpstr (text, ==, "side");
}

static void
test_import_takes_a_free_name_each_time (Place *place, gconstpointer data)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *first = assay_copy_import (place->path, place->library, &error);
  g_assert_no_error (error);
  g_autofree char *before = fixture_read (first, NULL);
  g_autofree char *second = assay_copy_import (place->path, place->library, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (first, !=, second);
  g_assert_true (g_str_has_suffix (second, "book 2.ledger.xml"));
  g_autofree char *after = fixture_read (first, NULL);
  g_assert_cmpstr (before, ==, after);
  g_autofree char *original = fixture_read (place->path, NULL);
  g_assert_cmpstr (before, ==, original);
  assert_side_file (first);
  assert_side_file (second);
  g_autofree char *side = assay_store_dup_assets_path (second);
  fixture_remove_folder (side);
  g_autofree char *other = assay_store_dup_assets_path (first);
  fixture_remove_folder (other);
}

static void
test_import_refuses_what_is_no_ledger_and_what_is_there (Place *place, gconstpointer data)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *broken = g_build_filename (place->folder, "broken.ledger.xml", NULL);
  fixture_write (broken, "<ledger", -1);
  g_assert_null (assay_copy_import (broken, place->library, &error));
  g_assert_nonnull (error);
  g_assert_false (g_file_test (place->library, G_FILE_TEST_EXISTS));
  g_clear_error (&error);
  g_assert_null (assay_copy_import (place->path, place->folder, &error));
  g_assert_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_SAVE);
}

static void
test_a_duplicate_is_a_ledger_of_its_own (Place *place, gconstpointer data)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *path = assay_copy_duplicate (place->path, "the other", &error);
  g_assert_no_error (error);
  g_autoptr(AssayLedger) original = fixture_load (place->path), copy = fixture_load (path);
  g_assert_cmpstr (assay_ledger_get_title (copy), ==, "the other");
  g_assert_cmpstr (assay_ledger_get_id (copy), !=, assay_ledger_get_id (original));
  g_assert_cmpuint (assay_ledger_get_n_runs (copy), ==, assay_ledger_get_n_runs (original));
  for (guint i = 0; i < assay_ledger_get_n_runs (copy); i++)
    fixture_same_records (assay_ledger_get_run (copy, i), assay_ledger_get_run (original, i));
  g_assert_false (assay_ledger_is_read_only (copy));
  assert_side_file (path);
  g_autofree char *assets = assay_store_dup_assets_path (path);
  fixture_remove_folder (assets);
}

static void
test_the_trash_gives_back_what_it_took (Place *place, gconstpointer data)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *before = fixture_read (place->path, NULL);
  assay_trash_ledger (place->path, &error);
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED))
    {
      g_assert_true (g_file_test (place->path, G_FILE_TEST_EXISTS));
      g_test_skip ("this file system has no trash");
      return;
    }
  g_assert_no_error (error);
  g_assert_false (g_file_test (place->path, G_FILE_TEST_EXISTS));
  g_assert_false (g_file_test (place->assets, G_FILE_TEST_EXISTS));
  assay_trash_restore_ledger (place->path, &error);
  g_assert_no_error (error);
  g_autofree char *after = fixture_read (place->path, NULL);
  g_assert_cmpstr (before, ==, after);
  assert_side_file (place->path);
  g_assert_false (assay_trash_restore_ledger (place->path, &error)); /* once */
  g_assert_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_NO_SUCH);
}

static void
test_the_trash_overwrites_nothing (Place *place, gconstpointer data)
{
  g_autoptr(GError) error = NULL;
  if (!assay_trash_ledger (place->path, &error))
    {
      g_test_skip ("this file system has no trash");
      return;
    }
  fixture_write (place->path, "somebody else's", -1);
  g_assert_false (assay_trash_restore_ledger (place->path, &error));
  g_assert_nonnull (error);
  g_autofree char *text = fixture_read (place->path, NULL);
  g_assert_cmpstr (text, ==, "somebody else's");
}

int
main (int argc, char *argv[])
{
  g_autofree char *home = g_dir_make_tmp ("assay-copy-XXXXXX", NULL);
  g_autofree char *share = g_build_filename (home, "share", NULL); /* where the trash is */
  g_setenv ("HOME", home, TRUE);
  g_setenv ("XDG_DATA_HOME", share, TRUE);
  g_test_init (&argc, &argv, NULL);
#define ADD(NAME, FUNC) g_test_add ("/ledger/copy/" NAME, Place, NULL, place_set_up, FUNC, place_tear_down)
  ADD ("import-takes-a-free-name-each-time", test_import_takes_a_free_name_each_time);
  ADD ("import-refuses-what-is-no-ledger-and-what-is-there", test_import_refuses_what_is_no_ledger_and_what_is_there);
  ADD ("a-duplicate-is-a-ledger-of-its-own", test_a_duplicate_is_a_ledger_of_its_own);
  ADD ("the-trash-gives-back-what-it-took", test_the_trash_gives_back_what_it_took);
  ADD ("the-trash-overwrites-nothing", test_the_trash_overwrites_nothing);
  const int status = g_test_run ();
  char *sweep[] = { "rm", "-r", home, NULL };
  g_spawn_sync (NULL, sweep, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, NULL, NULL);
  return status;
}
