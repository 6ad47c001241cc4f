/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A child that floods, mumbles, hides, lingers, dies or never was: it ends, the record says how, nothing stays behind. */
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "process-fixture.h"
#include "runtimes/assay-protocol.h"
#include "runtimes/assay-spawn.h"

static AssayRecord *
run (const char *scenario)
{
  return trial_fixture_run (process_conditions (scenario), NULL);
}

static void
assert_error (AssayRecord *record, AssayRunStatus status, const char *words)
{
  trial_fixture_assert_status (record, status);
  const char *error = trial_fixture_outcome (record, ASSAY_FIELD_ERROR);
  if (error == NULL || strstr (error, words) == NULL)
    g_error ("'%s' is not in: %s", words, error);
}

/* Are there processes whose parent is this one? A child in the middle of its end does not count. */
static void
assert_nobody_left (void)
{
  g_autofree char *text = NULL;
  g_assert_true (g_file_get_contents ("/proc/thread-self/children", &text, NULL, NULL));
  g_assert_cmpstr (text, ==, "");
}

/* --- words --- */

static void
test_a_flood_is_drained_and_forgotten (void)
{
  g_autoptr (AssayRecord) record = run ("floods");
  trial_fixture_assert_status (record, ASSAY_STATUS_COMPLETED);
  g_assert_cmpstr (trial_fixture_output (record, 0)->text, ==, "still here");
  g_assert_null (trial_fixture_outcome (record, ASSAY_FIELD_RUNTIME_LOG));
}

static void
test_a_line_without_an_end_is_cut (void)
{
  g_autoptr (AssayRecord) record = run ("endless_line");
  trial_fixture_assert_status (record, ASSAY_STATUS_COMPLETED);
  g_assert_cmpstr (trial_fixture_output (record, 0)->text, ==, "after it");
  g_autofree char *words = g_strdup_printf ("(%u bytes", 600 * 65536 - ASSAY_SPAWN_LINE_MAX);
  g_assert_nonnull (strstr (trial_fixture_outcome (record, ASSAY_FIELD_RUNTIME_LOG), words));
}

static void
test_any_bytes_are_kept_and_both_pipes_read (void)
{
  g_autoptr (TrialWatch) watch = trial_watch_new (process_conditions ("speaks_to_stderr_first"), NULL, NULL);
  trial_watch_run (watch); /* every piece that came was valid UTF-8 */
  trial_fixture_assert_status (watch->record, ASSAY_STATUS_COMPLETED);
  g_assert_cmpstr (trial_fixture_output (watch->record, 0)->text, ==,
                   "one two\\\xE2\x90\x80\xff\x1b[31mredhalf a li");
}

static void
test_what_a_child_hides_is_not_written_down (void)
{
  g_setenv ("HF_TOKEN", "hf_verysecret", TRUE);
  g_autoptr (AssayRecord) record = run ("prints_a_secret");
  g_unsetenv ("HF_TOKEN");
  g_assert_cmpstr (trial_fixture_outcome (record, ASSAY_FIELD_RUNTIME_LOG), ==, "warning: using ***");
}

/* --- no output --- */

static void
test_an_exit_of_zero_alone_is_no_success (void)
{
  g_autoptr (AssayRecord) record = run ("nothing");
  assert_error (record, ASSAY_STATUS_INVALID_OUTPUT, "gave no answer");
  g_autoptr (GPtrArray) questions = process_questions ("answers_half", "and this", NULL);
  g_autoptr (TrialWatch) watch = trial_watch_new (process_conditions (NULL), questions, NULL);
  trial_watch_run (watch);
  assert_error (watch->record, ASSAY_STATUS_INVALID_OUTPUT, "gave no answer to q1");
}

static void
test_closed_pipes_are_not_the_end (void)
{
  const gint64 start_us = g_get_monotonic_time ();
  g_autoptr (AssayRecord) record = run ("closes_early");
  trial_fixture_assert_status (record, ASSAY_STATUS_COMPLETED);
  g_assert_cmpint (g_get_monotonic_time () - start_us, >=, 500000);
}

/* --- ends --- */

static void
test_a_failure_keeps_status_text_and_last_lines (void)
{
  g_autoptr (AssayRecord) record = run ("fails");
  assert_error (record, ASSAY_STATUS_FAILED, "exit status 3; its last words: dotnet not found");
  const char *log = trial_fixture_outcome (record, ASSAY_FIELD_RUNTIME_LOG);
  g_auto (GStrv) lines = g_strsplit (log, "\n", -1);
  g_assert_cmpuint (g_strv_length (lines), ==, 50);
  g_assert_cmpstr (lines[0], ==, "line 31");
  g_assert_true (trial_fixture_output (record, 0)->partial);
  g_assert_cmpstr (trial_fixture_outcome (record, ASSAY_FIELD_FAILED_PHASE), ==, "generate");
}

static void
test_a_crash_is_no_completion (void)
{
  g_autoptr (AssayRecord) record = run ("breaks");
  assert_error (record, ASSAY_STATUS_KILLED, "killed(11)");
  g_assert_true (trial_fixture_output (record, 0)->partial);
}

static void
test_a_time_limit_ends_what_never_ends (void)
{
  AssayValues *conditions = process_conditions ("never_ends");
  assay_values_parse (conditions, ASSAY_FIELD_TIME_LIMIT_SECONDS, "0.6", NULL);
  g_autoptr (AssayRecord) record = trial_fixture_run (conditions, NULL);
  trial_fixture_assert_status (record, ASSAY_STATUS_TIME_LIMIT);
  assert_nobody_left ();
}

static void
cancel_and_time (const char *scenario, gint64 most_ms)
{
  g_autoptr (TrialWatch) watch = trial_watch_new (process_conditions (scenario), NULL, NULL);
  assay_trial_start (watch->trial);
  while (watch->text->len == 0)
    g_main_context_iteration (NULL, TRUE);
  const gint64 start_us = g_get_monotonic_time ();
  assay_trial_cancel (watch->trial);
  assay_trial_cancel (watch->trial);
  trial_watch_wait (watch);
  const gint64 took_ms = (g_get_monotonic_time () - start_us) / 1000;
  g_test_message ("%s: gone %" G_GINT64_FORMAT " ms after the call", scenario, took_ms);
  trial_fixture_assert_status (watch->record, ASSAY_STATUS_CANCELLED);
  g_assert_cmpstr (trial_fixture_output (watch->record, 0)->text, ==, "begun"); /* what was made until then is kept */
  g_assert_cmpstr (trial_fixture_output (watch->record, 0)->finish, ==, "cancelled");
  g_assert_true (trial_fixture_output (watch->record, 0)->partial);
  assert_nobody_left ();
  if (!ENGINE_SANITIZED)
    g_assert_cmpint (took_ms, <, most_ms);
}

static void
test_cancel_is_answered_even_by_one_that_will_not_end (void)
{
  cancel_and_time ("never_ends", 1000); /* the grace of one that will not is half a second */
  cancel_and_time ("will_not_end", 2000);
}

/* --- who is left --- */

static void
test_whoever_is_left_behind_is_ended_and_nobody_else (void)
{
  g_autoptr (GSubprocess) stranger = g_subprocess_new (G_SUBPROCESS_FLAGS_NONE, NULL, "sleep", "600", NULL);
  g_autoptr (AssayRecord) record = run ("leaves_somebody");
  trial_fixture_assert_status (record, ASSAY_STATUS_COMPLETED);
  g_assert_nonnull (strstr (trial_fixture_outcome (record, ASSAY_FIELD_RUNTIME_LOG), "1 processes that the child had left"));
  g_assert_cmpint (kill ((pid_t) g_ascii_strtoll (g_subprocess_get_identifier (stranger), NULL, 10), 0), ==, 0);
  g_subprocess_force_exit (stranger);
  g_subprocess_wait (stranger, NULL, NULL);
}

/* Killed without a word, as a crash would: a program that runs such a child, in a process of its own. */
static void
test_nothing_outlives_this_program (void)
{
  if (g_test_subprocess ())
    {
      g_autoptr (TrialWatch) watch = trial_watch_new (process_conditions ("leaves_somebody_and_stays"), NULL, NULL);
      trial_watch_run (watch);
      return;
    }
  g_autofree char *mark = g_strdup_printf ("%s/mark-%d", g_get_tmp_dir (), getpid ());
  g_setenv ("ASSAY_TEST_MARK", mark, TRUE);
  g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);
  const char *argv[] = { self, "--GTestSubprocess", "-p", g_test_get_path (), NULL };
  g_autoptr (GSubprocess) twin = g_subprocess_newv (argv, G_SUBPROCESS_FLAGS_STDOUT_SILENCE | G_SUBPROCESS_FLAGS_STDERR_SILENCE, NULL);
  g_autofree char *pids = NULL;
  for (guint i = 0; i < 500 && !g_file_get_contents (mark, &pids, NULL, NULL); i++)
    g_usleep (20000);
  g_assert_nonnull (pids);
  g_subprocess_force_exit (twin);
  g_subprocess_wait (twin, NULL, NULL);
  g_auto (GStrv) each = g_strsplit (g_strstrip (pids), " ", -1);
  g_assert_cmpuint (g_strv_length (each), ==, 2);
  for (char **pid = each; *pid != NULL; pid++)
    {
      g_autofree char *folder = g_strdup_printf ("/proc/%s", *pid);
      for (guint i = 0; i < 250 && g_file_test (folder, G_FILE_TEST_EXISTS); i++)
        g_usleep (20000);
      g_assert_false (g_file_test (folder, G_FILE_TEST_EXISTS));
    }
  g_unlink (mark);
  g_unsetenv ("ASSAY_TEST_MARK");
}

/* --- programs that are none --- */

static void
test_every_reason_for_no_start_has_words_of_its_own (void)
{
  g_autofree char *folder = g_dir_make_tmp ("assay-XXXXXX", NULL);
  g_autofree char *text = g_build_filename (folder, "text", NULL), *program = g_build_filename (folder, "prog", NULL);
  g_assert_true (g_file_set_contents_full (text, "no program", -1, G_FILE_SET_CONTENTS_NONE, 0644, NULL));
  g_assert_true (g_file_set_contents_full (program, "\1\2\3\4", -1, G_FILE_SET_CONTENTS_NONE, 0755, NULL));
  const struct { const char *program; const char *words; } cases[] = {
    { "/nowhere/python3", "there is no such file" },
    { folder, "it may not be executed" },
    { text, "it may not be executed" },
    { program, "it is no program" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      AssayValues *conditions = process_conditions ("well");
      assay_values_set_text (conditions, ASSAY_FIELD_PROGRAM, cases[i].program);
      g_autoptr (AssayRecord) record = trial_fixture_run (conditions, NULL);
      assert_error (record, ASSAY_STATUS_LOAD_FAILED, cases[i].words);
      assert_error (record, ASSAY_STATUS_LOAD_FAILED, cases[i].program);
    }
  g_unlink (text);
  g_unlink (program);
  g_rmdir (folder);
}

static void
test_rules_of_the_process_runtime (void)
{
  static const struct { AssayFieldId field; const char *value, *words; } cases[] = {
    { ASSAY_FIELD_PROGRAM, "", "program is empty" },
    { ASSAY_FIELD_PROGRAM, "python3", "give its whole path" },
    { ASSAY_FIELD_RECIPE, "onnx", "none of diffusers, llama-cpp, transformers" },
    { ASSAY_FIELD_RECIPE, "/nowhere/x.py", "give the path of a script" },
    { ASSAY_FIELD_PIPELINE_MOVED_TO_CUDA, "true", "choose one of them" },
  };
  g_autofree char *data = g_build_filename (g_getenv ("ASSAY_SOURCE_ROOT"), "data", NULL);
  g_setenv ("ASSAY_DATA_DIR", data, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      AssayValues *conditions = process_conditions ("well");
      assay_values_set_text (conditions, ASSAY_FIELD_DEVICE, "cuda:0");
      assay_values_set_text (conditions, ASSAY_FIELD_OFFLOAD_MODE, "sequential");
      g_assert_true (assay_values_parse (conditions, cases[i].field, cases[i].value, NULL));
      g_autoptr (AssayRecord) record = trial_fixture_run (conditions, NULL);
      assert_error (record, ASSAY_STATUS_INVALID, cases[i].words);
    }
}

/* --- parts --- */

static void
test_lines_and_sizes_are_read_as_they_were_meant (void)
{
  static const struct { const char *text; gint64 bytes; } sizes[] = {
    { "0", 0 }, { "123", 123 }, { "7 B", 7 }, { "499MiB", G_GINT64_CONSTANT (499) << 20 }, { "1.5 GiB", 1610612736 },
    { "1.5", -1 }, { "109Mb", -1 }, { "1.5GB", -1 }, { "1,5 GiB", -1 }, { "-1", -1 }, { "", -1 }, { "1e3", -1 },
    { "0x10", -1 }, { "nan", -1 }, { "1e30 TiB", -1 }, { "99999999999 TiB", -1 },
  };
  char key[41];
  const char *value;
  gsize length;
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      gint64 bytes = -1;
      g_assert_cmpint (assay_protocol_parse_bytes (sizes[i].text, &bytes), ==, sizes[i].bytes >= 0);
      g_assert_cmpint (bytes, ==, sizes[i].bytes);
    }
  static const char *const odd[] = { "", ":", "text", "Text: x", "a b: c", "{\"json\": 1}",
                                     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa: x" };
  for (guint i = 0; i < G_N_ELEMENTS (odd); i++)
    g_assert_false (assay_protocol_split (odd[i], strlen (odd[i]), key, &value, &length));
  g_assert_true (assay_protocol_split ("text:  a: b", 11, key, &value, &length));
  g_assert_cmpstr (key, ==, "text");
  g_assert_cmpstr (value, ==, " a: b");
  g_autofree char *escaped = assay_protocol_escape ("a\nb\\n\t\r"), *back = assay_protocol_unescape (escaped, strlen (escaped), &length);
  g_assert_cmpstr (escaped, ==, "a\\nb\\\\n\\t\\r");
  g_assert_cmpstr (back, ==, "a\nb\\n\t\r");
}

/* The user's systemd is asked by words before the command. GLib reads the environment once: a twin has it from the start. */
static void
scope_assert_words (void)
{
  AssaySpawnScope *scope = assay_spawn_scope_new ("run-1", 1048576);
  const char *const argv[] = { "/bin/true", "a b", NULL };
  g_auto (GStrv) command = assay_spawn_scope_dup_command (scope, argv);
  g_autofree char *words = g_strjoinv ("|", command);
  g_assert_cmpstr (assay_spawn_scope_get_name (scope), ==, "systemd scope assay-run-1.scope");
  g_assert_nonnull (strstr (words, "/systemd-run|--user|--scope|--quiet|--collect|--unit=assay-run-1.scope|"
                                   "--property=MemoryMax=1048576|--property=MemorySwapMax=0|--|/bin/true|a b"));
  g_assert_cmpint (assay_spawn_scope_get_file (scope), ==, -1);
  assay_spawn_scope_free (scope);
}

static void
test_a_scope_of_systemd_holds_the_limit (void)
{
  if (g_test_subprocess ())
    {
      scope_assert_words ();
      return;
    }
  g_autofree char *folder = g_dir_make_tmp ("assay-XXXXXX", NULL), *tool = g_build_filename (folder, "systemd-run", NULL);
  g_autofree char *bus = g_build_filename (folder, "systemd", NULL), *socket = g_build_filename (bus, "private", NULL);
  g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);
  g_assert_true (g_file_set_contents_full (tool, "#!/bin/sh\n", -1, G_FILE_SET_CONTENTS_NONE, 0755, NULL));
  g_assert_cmpint (g_mkdir (bus, 0755), ==, 0);
  g_assert_true (g_file_set_contents (socket, "", -1, NULL));
  g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_SILENCE);
  g_subprocess_launcher_setenv (launcher, "XDG_RUNTIME_DIR", folder, TRUE);
  g_subprocess_launcher_setenv (launcher, "PATH", folder, TRUE);
  g_autoptr (GSubprocess) twin
      = g_subprocess_launcher_spawn (launcher, NULL, self, "--GTestSubprocess", "-p", g_test_get_path (), NULL);
  g_assert_true (g_subprocess_wait_check (twin, NULL, NULL));
  g_unlink (tool);
  g_unlink (socket);
  g_rmdir (bus);
  g_rmdir (folder);
}

int
main (int argc, char *argv[])
{
  engine_fixture_init (&argc, &argv);
  process_fixture_init ();
  g_test_add_func ("/engine/child/a-flood-is-drained-and-forgotten", test_a_flood_is_drained_and_forgotten);
  g_test_add_func ("/engine/child/a-line-without-an-end-is-cut", test_a_line_without_an_end_is_cut);
  g_test_add_func ("/engine/child/any-bytes-are-kept-and-both-pipes-read", test_any_bytes_are_kept_and_both_pipes_read);
  g_test_add_func ("/engine/child/secrets-of-the-environment-are-not-written-down",
                   test_what_a_child_hides_is_not_written_down);
  g_test_add_func ("/engine/child/an-exit-of-zero-alone-is-no-success", test_an_exit_of_zero_alone_is_no_success);
  g_test_add_func ("/engine/child/closed-pipes-are-not-the-end", test_closed_pipes_are_not_the_end);
  g_test_add_func ("/engine/child/a-failure-keeps-status-text-and-last-lines",
                   test_a_failure_keeps_status_text_and_last_lines);
  g_test_add_func ("/engine/child/a-crash-is-no-completion", test_a_crash_is_no_completion);
  g_test_add_func ("/engine/child/a-time-limit-ends-what-never-ends", test_a_time_limit_ends_what_never_ends);
  g_test_add_func ("/engine/child/cancel-is-answered-even-by-one-that-will-not-end",
                   test_cancel_is_answered_even_by_one_that_will_not_end);
  g_test_add_func ("/engine/child/whoever-is-left-behind-is-ended-and-nobody-else",
                   test_whoever_is_left_behind_is_ended_and_nobody_else);
  g_test_add_func ("/engine/child/nothing-outlives-this-program", test_nothing_outlives_this_program);
  g_test_add_func ("/engine/child/every-reason-for-no-start-has-words-of-its-own",
                   test_every_reason_for_no_start_has_words_of_its_own);
  g_test_add_func ("/engine/child/rules-of-the-process-runtime", test_rules_of_the_process_runtime);
  g_test_add_func ("/engine/child/lines-and-sizes-are-read-as-they-were-meant",
                   test_lines_and_sizes_are_read_as_they_were_meant);
  g_test_add_func ("/engine/child/a-scope-of-systemd-holds-the-limit", test_a_scope_of_systemd_holds_the_limit);
  return g_test_run ();
}
