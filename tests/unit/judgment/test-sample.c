/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sample ledger that ships: made by the writer of today, valid, and honest about being an example. */
#include "assay-compare.h"
#include "assay-store.h"
#include "judgment.h"

static char *
source_path (const char *a, const char *b)
{
  return g_build_filename (g_getenv ("ASSAY_SOURCE_ROOT"), "data", a, b, NULL);
}

static AssayLedger *
load_sample (void)
{
  g_autofree char *path = source_path ("samples", "sample.ledger.xml");
  g_autoptr(GError) error = NULL;
  AssayLedger *ledger = assay_store_load (path, &error);
  g_assert_no_error (error);
  return ledger;
}

static void
test_is_what_the_writer_makes (void)
{
  g_autofree char *path = source_path ("samples", "sample.ledger.xml");
  g_autofree char *questions = source_path ("questions", "basic-12.questions.xml");
  const char *argv[] = { MAKE_SAMPLE, questions, NULL };
  g_autofree char *made = NULL, *shipped = NULL;
  g_autoptr(GError) error = NULL;
  int status;
  g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &made, NULL, &status, &error);
  g_assert_no_error (error);
  g_assert_true (g_spawn_check_wait_status (status, NULL));
  g_assert_true (g_file_get_contents (path, &shipped, NULL, &error));
  g_assert_cmpstr (made, ==, shipped);
}

static void
test_validates (void)
{
  g_autofree char *xmllint = g_find_program_in_path ("xmllint");
  g_autofree char *schema = source_path ("ledger.rng", NULL);
  g_autofree char *path = source_path ("samples", "sample.ledger.xml");
  const char *argv[] = { xmllint, "--noout", "--relaxng", schema, path, NULL };
  g_autofree char *said = NULL;
  g_autoptr(GError) error = NULL;
  int status;
  if (xmllint == NULL)
    {
      g_test_skip ("xmllint is not installed");
      return;
    }
  g_spawn_sync (NULL, (char **)argv, NULL, G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, NULL, &said, &status,
                &error);
  g_assert_no_error (error);
  if (!g_spawn_check_wait_status (status, NULL))
    g_error ("%s", said);
}

static void
test_says_it_is_an_example (void)
{
  g_autoptr(AssayLedger) ledger = load_sample ();
  g_assert_true (g_str_has_prefix (assay_ledger_get_title (ledger), "Example with made-up figures"));
  g_assert_null (assay_ledger_get_notices (ledger)[0]);
  for (guint i = 0; i < assay_ledger_get_n_runs (ledger); i++)
    {
      AssayRecord *run = assay_ledger_get_run (ledger, i);
      g_assert_false (assay_record_is_damaged (run));
      const char *const *notices = assay_record_get_notices (run);
      g_assert_true (notices == NULL || notices[0] == NULL);
    }
}

static void
test_tells_its_story (void)
{
  static const AssayVerdict ran[]
      = { ASSAY_VERDICT_PASS, ASSAY_VERDICT_FAIL, ASSAY_VERDICT_PASS, ASSAY_VERDICT_PASS };
  static const AssayVerdict good[] = { ASSAY_VERDICT_NOT_JUDGED, ASSAY_VERDICT_NOT_JUDGED, ASSAY_VERDICT_FAIL,
                                       ASSAY_VERDICT_NOT_JUDGED };
  g_autoptr(AssayLedger) ledger = load_sample ();
  g_assert_cmpuint (assay_ledger_get_n_runs (ledger), ==, 4);
  g_assert_cmpuint (assay_ledger_get_questions (ledger)->len, ==, 12);
  for (guint i = 0; i < 4; i++)
    {
      AssayRecord *run = assay_ledger_get_run (ledger, i);
      g_autoptr(AssayGates) gates = assay_gates_judge (ledger, run);
      g_assert_cmpint (gates->verdict[ASSAY_GATE_FEASIBILITY], ==, ran[i]);
      g_assert_cmpint (gates->verdict[ASSAY_GATE_QUALITY], ==, good[i]);
      if (i == 0)
        continue;
      AssayRecord *parent = assay_ledger_find_run (ledger, assay_record_get_parent (run));
      g_autoptr(GPtrArray) differences = assay_axes_diff (parent, run);
      g_assert_cmpuint (assay_axes_count (differences), ==, 1);
      g_assert_cmpint (((AssayDifference *) differences->pdata[0])->field, ==,
                       assay_field_from_name (assay_record_get_changed (run)));
    }
}

static void
test_its_plans_were_followed (void)
{
  g_autoptr(AssayLedger) ledger = load_sample ();
  for (guint i = 1; i < 3; i++)
    {
      const AssayNextTrial *next = assay_record_get_next_trial (assay_ledger_get_run (ledger, i));
      AssayRecord *child = assay_ledger_get_run (ledger, i + 1);
      g_assert_null (next->invalid);
      g_assert_cmpstr (next->axis, ==, assay_record_get_changed (child));
      g_autofree char *value
          = assay_values_dup_text (assay_record_get_conditions (child), assay_field_from_name (next->axis));
      g_assert_cmpstr (next->to, ==, value);
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ledger/sample/is-what-the-writer-makes", test_is_what_the_writer_makes);
  g_test_add_func ("/ledger/sample/validates", test_validates);
  g_test_add_func ("/ledger/sample/says-it-is-an-example", test_says_it_is_an_example);
  g_test_add_func ("/ledger/sample/tells-its-story", test_tells_its_story);
  g_test_add_func ("/ledger/sample/its-plans-were-followed", test_its_plans_were_followed);
  return g_test_run ();
}
