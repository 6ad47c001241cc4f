/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Planned trials in a ledger's file: kept, told from done ones, merged, and refused where they are none. */
#include <string.h>

#include "assay-edit.h"
#include "assay-export.h"
#include "assay-planned.h"
#include "ledger-fixture.h"

static AssayRecord *
plan_new (gint64 tokens, gint64 repeats)
{
  g_autoptr(AssayRecord) base = fixture_record ("base", 1);
  g_autoptr(AssayValues) conditions = assay_values_copy (assay_record_get_conditions (base));
  assay_values_set_integer (conditions, ASSAY_FIELD_MAX_TOKENS, tokens);
  assay_values_set_integer (conditions, ASSAY_FIELD_REPEATS, repeats);
  return assay_planned_new (conditions, "run-0", "max_tokens");
}

static void
add (AssayLedger *ledger, AssayRecord *planned)
{
  g_autoptr(GPtrArray) list = g_ptr_array_new ();
  g_autoptr(GError) error = NULL;
  g_ptr_array_add (list, planned);
  assay_ledger_add_planned (ledger, list, &error);
  g_assert_no_error (error);
}

/* Carries a planned trial out. */
static void
carry_out (AssayLedger *ledger, AssayRecord *planned, const char *id, AssayRunStatus status)
{
  g_autoptr(AssayRecord) base = fixture_record (id, 5);
  g_autoptr(AssayRecord) run = assay_record_copy (base);
  assay_record_set_planned (run, assay_record_get_id (planned));
  assay_record_set_status (run, status);
  assay_record_seal (run);
  assay_ledger_add_run (ledger, run);
}

/* "5 6 7": the answers' lengths of what is left, which tells the trials apart. */
static char *
dup_left (AssayLedger *ledger)
{
  g_autoptr(GPtrArray) left = assay_ledger_dup_left (ledger);
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < left->len; i++)
    {
      gint64 tokens = 0;
      assay_values_get_integer (assay_record_get_conditions (left->pdata[i]), ASSAY_FIELD_MAX_TOKENS, &tokens);
      g_string_append_printf (text, "%s%d", i > 0 ? " " : "", (int) tokens);
    }
  return g_string_free (text, FALSE);
}

static void
assert_left (AssayLedger *ledger, const char *wanted)
{
  g_autofree char *left = dup_left (ledger);
  g_assert_cmpstr (left, ==, wanted);
}

static AssayRecord *
get (AssayLedger *ledger, guint position)
{
  return g_ptr_array_index (assay_ledger_get_planned (ledger), position);
}

static void
removed (AssayLedger *ledger, AssayRecord *planned)
{
  const char *const ids[] = { assay_record_get_id (planned), NULL };
  g_assert_cmpuint (assay_ledger_remove_planned (ledger, ids), ==, 1);
}

static void
take_back (FixturePair *queue)
{
  g_autoptr(GError) error = NULL;
  assay_ledger_revert (queue->first, g_ptr_array_index (queue->edits, queue->edits->len - 1), &error);
  g_assert_no_error (error);
}

static void
set_up (FixturePair *queue, gconstpointer data)
{
  AssayLedger *first = fixture_ledger (1);
  for (gint64 tokens = 5; tokens < 8; tokens++)
    {
      g_autoptr(AssayRecord) planned = plan_new (tokens, 1);
      add (first, planned);
    }
  fixture_pair_open (queue, first);
}

static void
tear_down (FixturePair *queue, gconstpointer data)
{
  fixture_pair_close (queue);
}

static void
test_read_back_as_they_were (FixturePair *queue, gconstpointer data)
{
  assert_left (queue->second, "5 6 7");
  for (guint i = 0; i < 3; i++)
    {
      g_assert_true (assay_planned_equal (get (queue->first, i), get (queue->second, i)));
      g_assert_cmpstr (assay_record_get_id (get (queue->first, i)), ==, assay_record_get_id (get (queue->second, i)));
    }
  g_assert_cmpstr (assay_record_get_parent (get (queue->second, 0)), ==, "run-0");
  g_assert_cmpstr (assay_record_get_changed (get (queue->second, 0)), ==, "max_tokens");
  g_assert_cmpuint (assay_ledger_get_n_runs (queue->second), ==, 1);
}

static void
test_one_with_a_run_is_done (FixturePair *queue, gconstpointer data)
{
  carry_out (queue->first, get (queue->first, 0), "run-a", ASSAY_STATUS_COMPLETED);
  carry_out (queue->first, get (queue->first, 1), "run-b", ASSAY_STATUS_INTERRUPTED);
  assert_left (queue->first, "7");
  g_assert_cmpuint (assay_ledger_get_planned (queue->first)->len, ==, 3); /* to tell how far it came */
  fixture_save (queue->first, NULL);
  g_autoptr(AssayLedger) disk = fixture_load (queue->path);
  assert_left (disk, "7");
  g_assert_cmpuint (assay_ledger_get_planned (disk)->len, ==, 1);
  g_assert_cmpstr (assay_record_get_planned (assay_ledger_find_run (disk, "run-b")), ==,
                   assay_record_get_id (get (queue->first, 1)));
}

static void
test_repeats_are_as_many_runs (FixturePair *queue, gconstpointer data)
{
  g_autoptr(AssayRecord) twice = plan_new (9, 2);
  add (queue->first, twice);
  carry_out (queue->first, twice, "run-a", ASSAY_STATUS_COMPLETED);
  assert_left (queue->first, "5 6 7 9");
  fixture_save (queue->first, NULL);
  g_autoptr(AssayLedger) disk = fixture_load (queue->path);
  assert_left (disk, "5 6 7 9");
  g_assert_cmpuint (assay_ledger_count_planned_runs (disk, assay_record_get_id (twice)), ==, 1);
  carry_out (disk, twice, "run-b", ASSAY_STATUS_OOM_HOST);
  assert_left (disk, "5 6 7");
}

static void
test_merge_by_id (FixturePair *queue, gconstpointer data)
{
  g_autoptr(AssayRecord) nine = plan_new (9, 1), ten = plan_new (10, 1);
  add (queue->first, nine);
  fixture_save (queue->first, NULL);
  add (queue->second, ten);
  carry_out (queue->second, get (queue->second, 0), "run-a", ASSAY_STATUS_COMPLETED);
  fixture_save (queue->second, NULL);
  assert_left (queue->second, "6 7 9 10");
  assay_ledger_set_title (queue->first, "takes it in");
  fixture_save (queue->first, NULL);
  assert_left (queue->first, "6 7 9 10");
}

static void
test_a_removed_one_stays_removed (FixturePair *queue, gconstpointer data)
{
  removed (queue->first, get (queue->first, 1));
  fixture_save (queue->first, NULL);
  assert_left (queue->first, "5 7");
  assay_ledger_set_title (queue->second, "still has it");
  fixture_save (queue->second, NULL);
  assert_left (queue->second, "5 7");
  g_autofree char *text = fixture_read (queue->path, NULL);
  g_assert_nonnull (strstr (text, "<removed planned=\""));
  take_back (queue);
  fixture_save (queue->first, NULL);
  assert_left (queue->first, "5 6 7");
  assay_ledger_set_title (queue->second, "has it again");
  fixture_save (queue->second, NULL);
  assert_left (queue->second, "5 6 7");
}

/* Its result was not wanted: that asks for no other one, in no program. */
static void
test_a_deleted_run_is_not_asked_for_again (FixturePair *queue, gconstpointer data)
{
  carry_out (queue->first, get (queue->first, 0), "run-a", ASSAY_STATUS_COMPLETED);
  assay_ledger_remove_run (queue->first, "run-a");
  assert_left (queue->first, "6 7");
  fixture_save (queue->first, NULL);
  assay_ledger_set_title (queue->second, "does not know");
  fixture_save (queue->second, NULL);
  assert_left (queue->second, "6 7");
  take_back (queue);
  fixture_save (queue->first, NULL);
  assert_left (queue->first, "6 7");
  g_assert_nonnull (assay_ledger_find_run (queue->first, "run-a"));
}

static void
test_an_older_file_takes_no_planned_trial_away (FixturePair *queue, gconstpointer data)
{
  g_autofree char *older = fixture_read (queue->path, NULL);
  g_autoptr(AssayRecord) nine = plan_new (9, 1);
  add (queue->first, nine);
  fixture_save (queue->first, NULL);
  fixture_write (queue->path, older, -1);
  assay_ledger_set_title (queue->first, "again");
  fixture_save (queue->first, NULL);
  g_autoptr(AssayLedger) disk = fixture_load (queue->path);
  assert_left (disk, "5 6 7 9");
}

static void
test_keeps_the_order_that_was_given_last (FixturePair *queue, gconstpointer data)
{
  g_assert_true (assay_ledger_move_planned (queue->first, assay_record_get_id (get (queue->first, 2)), 0));
  assert_left (queue->first, "7 5 6");
  fixture_save (queue->first, NULL);
  g_autoptr(AssayRecord) nine = plan_new (9, 1);
  add (queue->second, nine); /* which is no order */
  fixture_save (queue->second, NULL);
  assert_left (queue->second, "7 5 6 9");
  g_assert_true (assay_ledger_move_planned (queue->second, assay_record_get_id (nine), 1));
  fixture_save (queue->second, NULL);
  g_autoptr(AssayLedger) disk = fixture_load (queue->path);
  assert_left (disk, "7 9 5 6");
  g_assert_false (assay_ledger_move_planned (queue->second, "none of these", 0));
  take_back (queue);
  assert_left (queue->first, "5 6 7");
}

static void
test_adding_is_taken_back (FixturePair *queue, gconstpointer data)
{
  g_autoptr(AssayRecord) nine = plan_new (9, 1);
  add (queue->first, nine);
  g_assert_cmpint (assay_edit_get_kind (g_ptr_array_index (queue->edits, 0)), ==, ASSAY_EDIT_QUEUE);
  fixture_save (queue->first, NULL);
  take_back (queue);
  assert_left (queue->first, "5 6 7");
  fixture_save (queue->first, NULL);
  take_back (queue); /* of the taking back: once more */
  assert_left (queue->first, "5 6 7 9");
}

static void
test_a_newer_version_s_parts_are_kept (FixturePair *queue, gconstpointer data)
{
  const char *body = "<planned id='p' parent='a' later='yes'><conditions><max_tokens>5</max_tokens></conditions>"
                     "<mood>calm</mood></planned><!-- between -->"
                     "<run id='a'><conditions><dtype>float32</dtype></conditions></run>";
  g_autofree char *xml = g_strconcat (FIXTURE_HEAD, body, FIXTURE_TAIL, NULL);
  g_autoptr(AssayLedger) ledger = fixture_parse (xml);
  assert_left (ledger, "5");
  assay_ledger_set_title (ledger, "written again");
  g_autofree char *again = fixture_serialize (ledger);
  g_assert_nonnull (strstr (again, "later='yes'"));
  g_assert_nonnull (strstr (again, "<mood>calm</mood>"));
  g_assert_nonnull (strstr (again, "<!-- between -->"));
}

typedef struct
{
  const char *planned, *told;
} Hostile;

static const Hostile hostile[] = {
  { "<planned><conditions/></planned>", "no id" },
  { "<planned id=''><conditions/></planned>", "no id" },
  { "<planned id='p'><conditions><max_tokens>-5</max_tokens></conditions></planned>", "max_tokens" },
  { "<planned id='p'><conditions><max_tokens>99999999999999999999</max_tokens></conditions></planned>", "max_tokens" },
  { "<planned id='p' changed='everything'><conditions/></planned>", "everything" },
  { "<planned id='p' checksum='fnv1a64:0000000000000000'><conditions/></planned>", "checksum" },
  { "<planned id='p'><conditions><seed>1</seed><seed>2</seed></conditions></planned>", "twice" },
  { "<planned id='p'/><planned id='p'/>", "twice" },
};

/* None is run, each is told, and its bytes stay where they were. */
static void
test_one_that_cannot_be_is_told_and_kept (FixturePair *queue, gconstpointer data)
{
  for (guint i = 0; i < G_N_ELEMENTS (hostile); i++)
    {
      g_autofree char *xml = g_strconcat (FIXTURE_HEAD, hostile[i].planned, FIXTURE_TAIL, NULL);
      g_autoptr(AssayLedger) ledger = fixture_parse (xml);
      const char *const *notices = assay_ledger_get_notices (ledger);
      g_assert_cmpuint (assay_ledger_count_left (ledger), ==, i + 1 == G_N_ELEMENTS (hostile) ? 1 : 0);
      g_assert_nonnull (notices[0]);
      if (strstr (notices[0], hostile[i].told) == NULL)
        g_error ("%s: “%s” does not say “%s”", hostile[i].planned, notices[0], hostile[i].told);
      assay_ledger_set_title (ledger, "written again");
      g_autofree char *again = fixture_serialize (ledger);
      const char *kept = strstr (hostile[i].planned + 1, "<planned");
      g_assert_nonnull (strstr (again, kept != NULL ? kept : hostile[i].planned));
    }
}

/* What only a run has is no part of a plan. */
static void
test_results_in_a_plan_are_no_results (FixturePair *queue, gconstpointer data)
{
  g_autofree char *xml = g_strconcat (
      FIXTURE_HEAD, "<planned id='p' planned='p'><outcome><status>completed</status></outcome></planned>", FIXTURE_TAIL, NULL);
  g_autoptr(AssayLedger) ledger = fixture_parse (xml);
  g_assert_cmpuint (assay_ledger_count_left (ledger), ==, 1);
  g_assert_cmpuint (assay_ledger_get_n_runs (ledger), ==, 0);
}

static void
test_more_than_a_queue_holds_is_refused (FixturePair *queue, gconstpointer data)
{
  g_autoptr(AssayRecord) planned = plan_new (9, 1);
  g_autoptr(GPtrArray) list = g_ptr_array_new ();
  g_autoptr(GError) error = NULL;
  for (guint i = 0; i < ASSAY_PLANNED_MAX; i++)
    g_ptr_array_add (list, planned);
  g_assert_false (assay_ledger_add_planned (queue->first, list, &error));
  g_assert_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_RULE);
  assert_left (queue->first, "5 6 7");
}

static void
test_exported_as_json (FixturePair *queue, gconstpointer data)
{
  carry_out (queue->first, get (queue->first, 0), "run-a", ASSAY_STATUS_COMPLETED);
  g_autoptr(GError) error = NULL;
  g_autofree char *text = assay_export_ledger (queue->first, NULL, ASSAY_EXPORT_JSON, &error);
  g_assert_no_error (error);
  g_autofree char *done = g_strdup_printf ("\"planned\" : \"%s\"", assay_record_get_id (get (queue->first, 0)));
  g_autofree char *left = g_strdup_printf ("\"id\" : \"%s\"", assay_record_get_id (get (queue->first, 1)));
  g_assert_nonnull (strstr (text, done));
  g_assert_nonnull (strstr (text, left));
}

static void
test_a_full_queue_is_taken_off_at_once (FixturePair *queue, gconstpointer data)
{
  g_autoptr(GString) xml = g_string_new (FIXTURE_HEAD);
  g_autoptr(GPtrArray) ids = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < ASSAY_PLANNED_MAX; i++)
    {
      g_ptr_array_add (ids, g_strdup_printf ("p%u", i));
      g_string_append_printf (xml, "<planned id='p%u'/>", i);
    }
  g_ptr_array_add (ids, NULL);
  g_string_append (xml, FIXTURE_TAIL);
  g_autoptr(AssayLedger) ledger = fixture_parse (xml->str);
  const gint64 start = g_get_monotonic_time ();
  g_assert_cmpuint (assay_ledger_remove_planned (ledger, (const char *const *) ids->pdata), ==, ASSAY_PLANNED_MAX);
  g_assert_cmpint (g_get_monotonic_time () - start, <, G_USEC_PER_SEC);
  g_assert_cmpuint (assay_ledger_count_left (ledger), ==, 0);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
#define ADD(NAME, FUNC) g_test_add ("/ledger/planned/" NAME, FixturePair, NULL, set_up, FUNC, tear_down)
  ADD ("read-back-as-they-were", test_read_back_as_they_were);
  ADD ("one-with-a-run-is-done", test_one_with_a_run_is_done);
  ADD ("repeats-are-as-many-runs", test_repeats_are_as_many_runs);
  ADD ("merge-by-id", test_merge_by_id);
  ADD ("a-removed-one-stays-removed", test_a_removed_one_stays_removed);
  ADD ("a-deleted-run-is-not-asked-for-again", test_a_deleted_run_is_not_asked_for_again);
  ADD ("an-older-file-takes-no-planned-trial-away", test_an_older_file_takes_no_planned_trial_away);
  ADD ("keeps-the-order-that-was-given-last", test_keeps_the_order_that_was_given_last);
  ADD ("adding-is-taken-back", test_adding_is_taken_back);
  ADD ("a-newer-version-s-parts-are-kept", test_a_newer_version_s_parts_are_kept);
  ADD ("one-that-cannot-be-is-told-and-kept", test_one_that_cannot_be_is_told_and_kept);
  ADD ("results-in-a-plan-are-no-results", test_results_in_a_plan_are_no_results);
  ADD ("more-than-a-queue-holds-is-refused", test_more_than_a_queue_holds_is_refused);
  ADD ("exported-as-json", test_exported_as_json);
  ADD ("a-full-queue-is-taken-off-at-once", test_a_full_queue_is_taken_off_at_once);
  return g_test_run ();
}
