/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loading, saving and merging from inside: what the ledger in memory is told, and when. */
#include <glib/gstdio.h>
#include <string.h>
#include <sys/resource.h>

#include "assay-lock.h"
#include "ledger-fixture.h"

typedef struct
{
  char *folder, *path;
} Place;

static void
place_set_up (Place *place, gconstpointer data)
{
  place->folder = fixture_dup_folder ();
  place->path = g_build_filename (place->folder, "book.ledger.xml", NULL);
}

static void
place_tear_down (Place *place, gconstpointer data)
{
  fixture_remove_folder (place->folder);
  g_free (place->folder);
  g_free (place->path);
}

static void
add (AssayLedger *ledger, const char *id)
{
  g_autoptr(AssayRecord) record = fixture_record (id, 5);
  assay_ledger_add_run (ledger, record);
}

static void
review (AssayLedger *ledger, const char *run, const char *reviewer)
{
  g_autoptr(AssayReview) made = assay_review_new (reviewer);
  g_autoptr(GError) error = NULL;
  g_free (made->id);
  made->id = g_strconcat ("by-", reviewer, NULL);
  assay_ledger_add_review (ledger, run, made, &error);
  g_assert_no_error (error);
}

static void
test_save_and_load (Place *place, gconstpointer data)
{
  g_autoptr(AssayLedger) ledger = fixture_ledger (3);

  g_assert_true (assay_ledger_is_unsaved (ledger));
  fixture_save (ledger, place->path);
  g_assert_false (assay_ledger_is_unsaved (ledger));
  g_assert_cmpstr (assay_ledger_get_path (ledger), ==, place->path);
  g_autoptr(AssayLedger) again = fixture_load (place->path);
  fixture_same_ledgers (ledger, again);
  g_assert_false (assay_ledger_is_unsaved (again));

  /* Saving what nobody changed leaves the same bytes. */
  g_autofree char *before = fixture_read (place->path, NULL);
  fixture_save (again, NULL);
  fixture_save (ledger, NULL);
  g_autofree char *after = fixture_read (place->path, NULL);
  g_assert_cmpstr (before, ==, after);
}

static void
test_failure_changes_nothing (Place *place, gconstpointer data)
{
  g_autoptr(AssayLedger) ledger = fixture_ledger (1);
  g_autoptr(GError) error = NULL;
  g_autofree char *gone = g_build_filename (place->folder, "gone", "book.ledger.xml", NULL);

  fixture_save (ledger, place->path);
  add (ledger, "more");
  g_assert_false (assay_store_save (ledger, gone, &error));
  g_assert_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_SAVE);
  g_assert_nonnull (strstr (error->message, "gone"));
  g_assert_true (assay_ledger_is_unsaved (ledger));
  g_assert_cmpstr (assay_ledger_get_path (ledger), ==, place->path);
  g_assert_cmpuint (assay_ledger_get_n_runs (ledger), ==, 2);
  fixture_save (ledger, NULL);
  g_assert_false (assay_ledger_is_unsaved (ledger));
}

static void
test_two_windows_join_runs_and_reviews (Place *place, gconstpointer data)
{
  g_autoptr(AssayLedger) first = fixture_ledger (3);
  fixture_save (first, place->path);
  g_autoptr(AssayLedger) second = fixture_load (place->path);

  add (first, "from-first");
  review (first, "run-0", "Ada");
  review (first, "run-1", "Ada");
  assay_ledger_remove_run (first, "run-2");
  fixture_save (first, NULL);
  add (second, "from-second");
  review (second, "run-0", "Bob");
  assay_ledger_set_title (second, "renamed");
  fixture_save (second, NULL);

  g_autoptr(AssayLedger) both = fixture_load (place->path);
  g_assert_cmpuint (assay_ledger_get_n_runs (second), ==, assay_ledger_get_n_runs (both));
  for (guint i = 0; i < assay_ledger_get_n_runs (both); i++) /* what came in stands last in the window */
    fixture_same_records (
        assay_ledger_get_run (both, i),
        assay_ledger_find_run (second, assay_record_get_id (assay_ledger_get_run (both, i))));
  g_assert_cmpstr (assay_ledger_get_title (both), ==, "renamed");
  g_assert_nonnull (assay_ledger_find_run (both, "from-first"));
  g_assert_nonnull (assay_ledger_find_run (both, "from-second"));
  g_assert_cmpuint (assay_record_get_reviews (assay_ledger_find_run (both, "run-0"))->len, ==, 3);
  g_assert_cmpuint (assay_record_get_reviews (assay_ledger_find_run (both, "run-1"))->len, ==, 2);
  g_assert_null (assay_ledger_find_run (both, "run-2")); /* the other still had it, and only that */
  g_assert_null (assay_ledger_find_run (second, "run-2"));
}

static void
test_a_removed_run_stays_removed (Place *place, gconstpointer data)
{
  g_autoptr(AssayLedger) first = fixture_ledger (3);
  fixture_save (first, place->path);
  g_autoptr(AssayLedger) second = fixture_load (place->path);

  add (second, "other");
  fixture_save (second, NULL);
  assay_ledger_remove_run (first, "run-1");
  fixture_save (first, NULL);
  g_autoptr(AssayLedger) both = fixture_load (place->path);
  g_assert_null (assay_ledger_find_run (both, "run-1"));
  g_assert_nonnull (assay_ledger_find_run (both, "other"));
}

static AssayNextTrial *
next_trial (const char *to)
{
  AssayNextTrial *next = assay_next_trial_new ();
  next->signal = g_strdup ("too_slow");
  next->axis = g_strdup ("dtype");
  next->from = g_strdup ("bfloat16");
  next->to = g_strdup (to);
  return next;
}

static void
test_next_trials_merge_three_ways (Place *place, gconstpointer data)
{
  g_autoptr(AssayLedger) first = fixture_ledger (2);
  fixture_save (first, place->path);
  g_autoptr(AssayLedger) second = fixture_load (place->path);
  g_autoptr(AssayNextTrial) a = next_trial ("float16"), b = next_trial ("float32");

  g_assert_true (assay_ledger_set_next_trial (first, "run-0", a, NULL));
  g_assert_true (assay_ledger_set_next_trial (first, "run-1", a, NULL));
  fixture_save (first, NULL);
  review (second, "run-0", "Bob"); /* did not touch the plan: the other's stays */
  g_assert_true (assay_ledger_set_next_trial (second, "run-1", b, NULL));
  fixture_save (second, NULL);
  g_assert_cmpstr (assay_record_get_next_trial (assay_ledger_find_run (second, "run-0"))->to, ==, "float16");
  g_assert_cmpstr (assay_record_get_next_trial (assay_ledger_find_run (second, "run-1"))->to, ==, "float32");
}

static void
test_two_runs_of_one_id_are_both_kept (Place *place, gconstpointer data)
{
  g_autoptr(AssayLedger) first = fixture_ledger (1);
  fixture_save (first, place->path);
  g_autoptr(AssayLedger) second = fixture_load (place->path);
  g_autoptr(AssayRecord) x = fixture_record ("same", 1), y = fixture_record ("same", 2);

  assay_ledger_add_run (first, x);
  fixture_save (first, NULL);
  assay_ledger_add_run (second, y);
  fixture_save (second, NULL);
  g_autoptr(AssayLedger) both = fixture_load (place->path);
  g_assert_cmpuint (assay_ledger_get_n_runs (both), ==, 3);
  g_assert_true (g_str_has_prefix (assay_record_get_id (assay_ledger_get_run (both, 2)), "same-dup-"));
}

static void
test_save_as_over_another_ledger_is_refused (Place *place, gconstpointer data)
{
  g_autofree char *other = g_build_filename (place->folder, "other.ledger.xml", NULL);
  g_autoptr(AssayLedger) first = fixture_ledger (1), second = fixture_ledger (2);
  g_autoptr(GError) error = NULL;

  fixture_save (first, place->path);
  fixture_save (second, other);
  g_assert_false (assay_store_save (second, place->path, &error));
  g_assert_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_SAVE);
  g_autoptr(AssayLedger) still = fixture_load (place->path);
  g_assert_cmpuint (assay_ledger_get_n_runs (still), ==, 1);
}

static void
test_edits_after_a_save_are_kept (Place *place, gconstpointer data)
{
  g_autoptr(AssayLedger) ledger = fixture_ledger (2);

  fixture_save (ledger, place->path);
  for (guint i = 0; i < 5; i++)
    {
      g_autofree char *reviewer = g_strdup_printf ("reviewer %u", i);
      review (ledger, "run-1", reviewer);
      fixture_save (ledger, NULL);
      g_autoptr(AssayLedger) again = fixture_load (place->path);
      fixture_same_ledgers (ledger, again);
    }
  assay_ledger_set_title (ledger, "first");
  fixture_save (ledger, NULL);
  AssayCriteria *criteria = assay_criteria_copy (assay_ledger_get_criteria (ledger));
  criteria->vram_budget = 77;
  assay_ledger_take_criteria (ledger, criteria);
  fixture_save (ledger, NULL);
  g_autoptr(AssayLedger) again = fixture_load (place->path);
  fixture_same_ledgers (ledger, again);
  g_assert_cmpint (assay_ledger_get_criteria (again)->vram_budget, ==, 77);
}

static void
on_criteria_changed (AssayLedger *ledger, gint64 *old_budget)
{
  const AssayCriteria *old = g_object_get_data (G_OBJECT (ledger), "old");
  *old_budget = old->vram_budget;
}

/* What is made from them, such as means, points to them. */
static void
test_criteria_stay_in_place_until_a_change_was_told (Place *place, gconstpointer data)
{
  g_autoptr(AssayLedger) ledger = fixture_ledger (2);
  const AssayCriteria *criteria = assay_ledger_get_criteria (ledger);
  gint64 old_budget = -1;

  fixture_save (ledger, place->path);
  review (ledger, "run-1", "Ada");
  fixture_save (ledger, NULL);
  g_assert_true (assay_ledger_get_criteria (ledger) == criteria);
  g_autoptr(AssayLedger) other = fixture_load (place->path);
  AssayCriteria *changed = assay_criteria_copy (criteria);
  changed->vram_budget = criteria->vram_budget + 1;
  assay_ledger_take_criteria (other, changed);
  fixture_save (other, NULL);
  g_object_set_data (G_OBJECT (ledger), "old", (gpointer) criteria);
  const gint64 expected = criteria->vram_budget;
  g_signal_connect (ledger, "criteria-changed", G_CALLBACK (on_criteria_changed), &old_budget);
  add (ledger, "later");
  fixture_save (ledger, NULL);
  g_assert_cmpint (old_budget, ==, expected);
  g_assert_cmpint (assay_ledger_get_criteria (ledger)->vram_budget, ==, expected + 1);
}

typedef struct
{
  AssayLedger *ledger;
  GMainLoop *loop;
  guint left;
} Saves;

static void
saved_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  Saves *saves = data;
  g_autoptr(GError) error = NULL;
  g_assert_true (assay_store_save_finish (saves->ledger, result, &error));
  g_assert_no_error (error);
  if (--saves->left == 0)
    g_main_loop_quit (saves->loop);
}

static void
loaded_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  Saves *saves = data;
  saves->ledger = assay_store_load_finish (result, NULL);
  g_main_loop_quit (saves->loop);
}

static void
test_saves_on_a_worker_are_queued (Place *place, gconstpointer data)
{
  g_autoptr(AssayLedger) ledger = fixture_ledger (2);
  Saves saves = { ledger, g_main_loop_new (NULL, FALSE), 3 };

  assay_store_save_async (ledger, place->path, NULL, saved_cb, &saves);
  add (ledger, "meanwhile");
  g_assert_true (assay_ledger_is_unsaved (ledger));
  assay_store_save_async (ledger, NULL, NULL, saved_cb, &saves);
  review (ledger, "run-0", "Ada");
  assay_store_save_async (ledger, NULL, NULL, saved_cb, &saves);
  g_main_loop_run (saves.loop);
  g_assert_false (assay_ledger_is_unsaved (ledger));

  assay_store_load_async (place->path, NULL, loaded_cb, &saves);
  g_main_loop_run (saves.loop);
  g_assert_nonnull (saves.ledger);
  fixture_same_ledgers (ledger, saves.ledger);
  g_object_unref (saves.ledger);
  g_main_loop_unref (saves.loop);
}

static void
test_edit_during_a_save_stays_unsaved (Place *place, gconstpointer data)
{
  g_autoptr(AssayLedger) ledger = fixture_ledger (2);
  Saves saves = { ledger, g_main_loop_new (NULL, FALSE), 1 };

  fixture_save (ledger, place->path);
  review (ledger, "run-0", "Ada");
  assay_store_save_async (ledger, NULL, NULL, saved_cb, &saves);
  review (ledger, "run-0", "Bob");
  g_main_loop_run (saves.loop);
  g_assert_true (assay_ledger_is_unsaved (ledger));
  fixture_save (ledger, NULL);
  g_autoptr(AssayLedger) again = fixture_load (place->path);
  fixture_same_ledgers (ledger, again);
  g_assert_cmpuint (assay_record_get_reviews (assay_ledger_find_run (again, "run-0"))->len, ==, 3);
  g_main_loop_unref (saves.loop);
}

static void
count_changes (GListModel *model, guint position, guint removed, guint added, gpointer data)
{
  *(guint *) data += removed + added;
}

static void
test_listeners_hear_of_merged_runs (Place *place, gconstpointer data)
{
  g_autoptr(AssayLedger) first = fixture_ledger (1);
  guint changes = 0;

  fixture_save (first, place->path);
  g_autoptr(AssayLedger) second = fixture_load (place->path);
  add (second, "a");
  add (second, "b");
  fixture_save (second, NULL);
  g_signal_connect (first, "items-changed", G_CALLBACK (count_changes), &changes);
  assay_ledger_set_title (first, "x");
  fixture_save (first, NULL);
  g_assert_cmpuint (changes, ==, 2);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (first)), ==, 3);
  g_assert_false (assay_ledger_is_unsaved (first));
}

typedef struct
{
  GMainLoop *loop;
  GError *error;
} Refresh;

static void
refreshed_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  Refresh *refresh = data;
  g_assert_true (assay_store_refresh_finish (ASSAY_LEDGER (source), result, &refresh->error)
                 == (refresh->error == NULL));
  g_main_loop_quit (refresh->loop);
}

/* (transfer full): why it failed, or NULL */
static GError *
refresh_wait (AssayLedger *ledger)
{
  Refresh refresh = { g_main_loop_new (NULL, FALSE), NULL };

  assay_store_refresh_async (ledger, NULL, refreshed_cb, &refresh);
  g_main_loop_run (refresh.loop);
  g_main_loop_unref (refresh.loop);
  return refresh.error;
}

static void
test_refresh_takes_in_what_others_saved_and_writes_nothing (Place *place, gconstpointer data)
{
  g_autoptr(AssayLedger) first = fixture_ledger (1);
  guint changes = 0;

  fixture_save (first, place->path);
  g_autoptr(AssayLedger) second = fixture_load (place->path);
  add (second, "a");
  review (second, "run-0", "Ada");
  fixture_save (second, NULL);
  GStatBuf was, now;
  g_assert_cmpint (g_stat (place->path, &was), ==, 0);
  g_signal_connect (first, "items-changed", G_CALLBACK (count_changes), &changes);
  g_assert_no_error (refresh_wait (first));
  fixture_same_ledgers (first, second);
  g_assert_cmpuint (changes, ==, 3); /* one run added, one replaced */
  g_assert_false (assay_ledger_is_unsaved (first));
  g_assert_no_error (refresh_wait (first));
  g_assert_cmpuint (changes, ==, 3);
  g_assert_cmpint (g_stat (place->path, &now), ==, 0);
  g_assert_cmpuint (was.st_ino, ==, now.st_ino);
}

static void
test_refresh_leaves_own_edits_to_the_next_save (Place *place, gconstpointer data)
{
  g_autoptr(AssayLedger) first = fixture_ledger (1);

  fixture_save (first, place->path);
  g_autoptr(AssayLedger) second = fixture_load (place->path);
  add (second, "theirs");
  fixture_save (second, NULL);
  add (first, "ours");
  g_assert_no_error (refresh_wait (first));
  g_assert_true (assay_ledger_is_unsaved (first));
  g_assert_null (assay_ledger_find_run (first, "theirs"));
  fixture_save (first, NULL);
  g_assert_nonnull (assay_ledger_find_run (first, "theirs"));
}

static void
test_refresh_tells_that_the_file_is_gone (Place *place, gconstpointer data)
{
  g_autoptr(AssayLedger) ledger = fixture_ledger (1);

  fixture_save (ledger, place->path);
  g_assert_cmpint (g_unlink (place->path), ==, 0);
  g_autoptr(GError) error = refresh_wait (ledger);
  g_assert_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_SAVE);
  g_assert_nonnull (strstr (error->message, place->path));
  g_assert_cmpuint (assay_ledger_get_n_runs (ledger), ==, 1);
}

static void
test_lock_is_exclusive (Place *place, gconstpointer data)
{
  g_autoptr(GError) error = NULL;
  AssayLock *held = assay_lock_take (place->path, 0, &error);

  g_assert_no_error (error);
  g_assert_null (assay_lock_take (place->path, 50, &error));
  g_assert_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_BUSY);
  g_assert_nonnull (strstr (error->message, ".lock"));
  assay_lock_release (held);
  g_clear_error (&error);
  held = assay_lock_take (place->path, 0, &error);
  g_assert_no_error (error);
  assay_lock_release (held);
}

static void
test_journal_keeps_a_run (Place *place, gconstpointer data)
{
  g_autofree char *entries = g_build_filename (place->folder, "journal", NULL);
  g_autofree char *text = g_strnfill (300000, 'x');
  g_autoptr(AssayRecord) record = fixture_record_with_output ("../odd id", text, 300000);
  g_autoptr(GError) error = NULL;

  g_assert_true (assay_journal_write (entries, place->path, record, &error));
  g_assert_no_error (error);
  g_autoptr(GPtrArray) alive = assay_journal_list (entries, &error);
  g_assert_cmpuint (alive->len, ==, 0); /* its writer, this program, lives */
  g_assert_true (assay_journal_remove (entries, "../odd id", &error));
  g_autoptr(GDir) dir = g_dir_open (entries, 0, NULL);
  g_assert_null (g_dir_read_name (dir));
  g_autofree char *missing = g_build_filename (place->folder, "none", NULL);
  g_autoptr(GPtrArray) none = assay_journal_list (missing, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (none->len, ==, 0);
}

static void
make_big (const char *path, guint n)
{
  g_autoptr(AssayLedger) ledger = assay_ledger_new (ASSAY_TASK_LANGUAGE, "big");

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *id = g_strdup_printf ("run-%05u", i);
      g_autoptr(AssayRecord) base = fixture_record (id, 1000 + i);
      g_autoptr(AssayRecord) record = assay_record_copy (base);
      for (guint k = 0; k < 12; k++)
        {
          AssayOutput *output = assay_output_new ("q1");
          output->text = g_strnfill (120, 'a');
          output->text_length = 120;
          g_ptr_array_add (assay_record_get_outputs (record), output);
        }
      assay_record_take_series (record, assay_series_new (0));
      assay_record_seal (record);
      assay_ledger_add_run (ledger, record);
    }
  fixture_save (ledger, path);
}

#define NEWER                                                                                                \
  "<?xml version=\"1.0\"?>\n<ledger xmlns=\"urn:assay:ledger:1\" version=\"1.3\" id=\"i\" title=\"t\" "            \
  "task=\"language\" mood=\"calm\">\n  <weather unit=\"c\">12</weather>\n"                                         \
  "  <run id=\"old\"><conditions><future_field>9</future_field></conditions><tide>low</tide></run>\n</ledger>\n"

static void
assert_newer_is_whole (const char *path)
{
  static const char *const parts[]
      = { "version=\"1.3\"", "mood=\"calm\"", "<weather unit=\"c\">12</weather>",
          "<future_field>9</future_field>", "<tide>low</tide>", "checksum=\"" };
  g_autofree char *text = NULL;
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    if (strstr (text, parts[i]) == NULL)
      g_error ("'%s' is not in %s", parts[i], text);
  g_assert_null (strstr (text, "version=\"1.0\" id"));
}

/* What a 1.3 adds is written back, in the frame and in the runs, and a correct checksum lets it be changed. */
static void
test_a_newer_minor_version_is_kept_through_edits (Place *place, gconstpointer data)
{
  g_assert_true (g_file_set_contents (place->path, NEWER, -1, NULL));
  for (guint i = 0; i < 3; i++)
    {
      g_autofree char *id = g_strdup_printf ("new-%u", i);
      g_autoptr(AssayLedger) ledger = fixture_load (place->path);
      g_assert_false (assay_ledger_is_read_only (ledger));
      g_assert_cmpuint (assay_ledger_get_n_runs (ledger), ==, 1 + i);
      add (ledger, id);
      if (i == 1)
        assay_ledger_set_title (ledger, "another");
      review (ledger, "old", i == 0 ? "Ana" : i == 1 ? "Bo" : "Cy");
      fixture_save (ledger, place->path);
      assert_newer_is_whole (place->path);
    }
}

/* The same file, changed by hand with its checksum left as it was. */
static void
test_a_newer_minor_version_changed_by_hand_is_not_written (Place *place, gconstpointer data)
{
  g_autofree char *text = NULL;
  g_assert_true (g_file_set_contents (place->path, NEWER, -1, NULL));
  g_autoptr(AssayLedger) ledger = fixture_load (place->path);
  assay_ledger_set_title (ledger, "first");
  fixture_save (ledger, place->path);
  g_assert_true (g_file_get_contents (place->path, &text, NULL, NULL));
  char *title = strstr (text, "\"first\"");
  memcpy (title, "\"worst\"", 7);
  g_assert_true (g_file_set_contents (place->path, text, -1, NULL));
  g_autoptr(AssayLedger) edited = fixture_load (place->path);
  g_assert_true (assay_ledger_is_read_only (edited));
  g_assert_nonnull (strstr (assay_ledger_get_read_only_reason (edited), "checksum"));
}

static void
assert_load_says (const char *path, const char *words, gboolean backup)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AssayLedger) ledger = assay_store_load (path, &error);
  g_assert_null (ledger);
  g_assert_nonnull (strstr (error->message, words));
  g_assert_cmpint (strstr (error->message, ".bak") != NULL, ==, backup);
}

static void
test_only_a_backup_that_exists_is_named (Place *place, gconstpointer data)
{
  g_autofree char *backup = g_strconcat (place->path, ".bak", NULL);
  g_assert_true (g_file_set_contents (place->path, "", 0, NULL));
  assert_load_says (place->path, "there is no backup beside it", FALSE);
  g_assert_true (g_file_set_contents (backup, "x", 1, NULL));
  assert_load_says (place->path, "open the backup", TRUE);
}

static void
test_x31_ten_thousand_runs_open_fast (Place *place, gconstpointer data)
{
  struct rusage before, after;

  if (!g_test_perf () && RUNNING_SANITIZED)
    {
      g_test_skip ("sanitizers slow this down");
      return;
    }
  make_big (place->path, 10000);
  getrusage (RUSAGE_SELF, &before);
  g_autoptr(AssayLedger) ledger = fixture_load (place->path);
  getrusage (RUSAGE_SELF, &after);
  const double seconds = (double) (after.ru_utime.tv_sec - before.ru_utime.tv_sec)
                         + (double) (after.ru_utime.tv_usec - before.ru_utime.tv_usec) / 1e6;
  g_test_message ("10,000 runs, %" G_GUINT64_FORMAT " bytes: %.2f s of processor time", ledger->mark.size,
                  seconds);
  g_assert_cmpuint (assay_ledger_get_n_runs (ledger), ==, 10000);
  g_assert_cmpfloat (seconds, <, 3); /* the promise is 3 s; 1 s is the aim */
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
#define ADD(NAME, FUNC) g_test_add ("/ledger/store/" NAME, Place, NULL, place_set_up, FUNC, place_tear_down)
  ADD ("save-and-load", test_save_and_load);
  ADD ("failure-changes-nothing", test_failure_changes_nothing);
  ADD ("two-windows-join-runs-and-reviews", test_two_windows_join_runs_and_reviews);
  ADD ("a-removed-run-stays-removed", test_a_removed_run_stays_removed);
  ADD ("next-trials-merge-three-ways", test_next_trials_merge_three_ways);
  ADD ("two-runs-of-one-id-are-both-kept", test_two_runs_of_one_id_are_both_kept);
  ADD ("save-as-over-another-ledger-is-refused", test_save_as_over_another_ledger_is_refused);
  ADD ("edits-after-a-save-are-kept", test_edits_after_a_save_are_kept);
  ADD ("criteria-stay-in-place-until-a-change-was-told", test_criteria_stay_in_place_until_a_change_was_told);
  ADD ("saves-on-a-worker-are-queued", test_saves_on_a_worker_are_queued);
  ADD ("edit-during-a-save-stays-unsaved", test_edit_during_a_save_stays_unsaved);
  ADD ("listeners-hear-of-merged-runs", test_listeners_hear_of_merged_runs);
  ADD ("refresh-takes-in-what-others-saved-and-writes-nothing",
       test_refresh_takes_in_what_others_saved_and_writes_nothing);
  ADD ("refresh-leaves-own-edits-to-the-next-save", test_refresh_leaves_own_edits_to_the_next_save);
  ADD ("refresh-tells-that-the-file-is-gone", test_refresh_tells_that_the_file_is_gone);
  ADD ("lock-is-exclusive", test_lock_is_exclusive);
  ADD ("journal-keeps-a-run", test_journal_keeps_a_run);
  ADD ("a-newer-minor-version-is-kept-through-edits", test_a_newer_minor_version_is_kept_through_edits);
  ADD ("a-newer-minor-version-changed-by-hand-is-not-written",
       test_a_newer_minor_version_changed_by_hand_is_not_written);
  ADD ("only-a-backup-that-exists-is-named", test_only_a_backup_that_exists_is_named);
  ADD ("X31-ten-thousand-runs-open-fast", test_x31_ten_thousand_runs_open_fast);
  return g_test_run ();
}
