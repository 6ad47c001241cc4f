/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Preferences in a ledger's file: kept, corrected, taken back, merged, and refused where they are none; and
 * what they add up to. */
#include <math.h>
#include <string.h>

#include "assay-edit.h"
#include "assay-export.h"
#include "assay-merge.h"
#include "assay-preference-figures.h"
#include "ledger-fixture.h"

#define AT "at='2026-11-30T07:20:11Z'"
#define RUN(id, status)                                                                                      \
  "<run id='" id "'><outcome><status>" status "</status><output question='q1'>x</output></outcome></run>\n"
#define RUNS RUN ("a", "completed") RUN ("b", "completed") RUN ("c", "completed") RUN ("gone", "oom_device")
#define PREFERENCE(id, left, right, choice)                                                                  \
  "<preference id='" id "' reviewer='Ada' " AT " question='q1' left='" left "' right='" right                \
  "' choice='" choice "'/>\n"

static void
pair_set_up (FixturePair *pair, gconstpointer data)
{
  fixture_pair_open (pair, fixture_parse (FIXTURE_HEAD RUN ("run-0", "completed") RUN ("run-1", "completed")
                                              RUN ("run-2", "completed") FIXTURE_TAIL));
}

static void
pair_tear_down (FixturePair *pair, gconstpointer data)
{
  fixture_pair_close (pair);
}

/* (transfer none), of the ledger */
static const AssayPreference *
choose (AssayLedger *ledger, const char *reviewer, const char *left, const char *right, AssayChoice choice)
{
  g_autoptr(AssayPreference) made = assay_preference_new (reviewer, "q1", left, right, choice);
  g_autoptr(GError) error = NULL;
  made->blind = TRUE;
  made->order_seed = 4711;
  made->position = 1;
  assay_ledger_add_preference (ledger, made, &error);
  g_assert_no_error (error);
  return assay_ledger_find_preference (ledger, made->id);
}

static guint
count (AssayLedger *ledger)
{
  return assay_ledger_get_preferences (ledger)->len;
}

static void
test_a_preference_survives_the_file (FixturePair *pair, gconstpointer data)
{
  g_autoptr(AssayPreference) made = assay_preference_ref (
      (AssayPreference *) choose (pair->first, "Zoë <&\x01>", "run-0", "run-1", ASSAY_CHOICE_BOTH_BAD));
  g_assert_true (assay_ledger_is_unsaved (pair->first));
  fixture_save (pair->first, NULL);
  g_assert_false (assay_ledger_is_unsaved (pair->first));
  g_autoptr(AssayLedger) disk = fixture_load (pair->path);
  g_assert_cmpuint (count (disk), ==, 1);
  g_assert_true (assay_preference_equal (made, assay_ledger_find_preference (disk, made->id)));
  g_assert_cmpstr (assay_ledger_get_notices (disk)[0], ==, NULL);
  fixture_save (disk, NULL); /* as its own bytes */
  assay_ledger_set_title (disk, "another");
  fixture_save (disk, NULL);
  g_autoptr(AssayLedger) again = fixture_load (pair->path);
  g_assert_true (assay_preference_equal (made, assay_ledger_find_preference (again, made->id)));
}

static void
test_two_programs_choices_are_joined (FixturePair *pair, gconstpointer data)
{
  choose (pair->first, "Ada", "run-0", "run-1", ASSAY_CHOICE_LEFT);
  choose (pair->second, "Bob", "run-1", "run-0", ASSAY_CHOICE_LEFT);
  fixture_save (pair->first, NULL);
  fixture_save (pair->second, NULL);
  g_assert_cmpuint (count (pair->second), ==, 2);
  choose (pair->first, "Ada", "run-0", "run-2", ASSAY_CHOICE_TIE);
  fixture_save (pair->first, NULL);
  g_assert_cmpuint (count (pair->first), ==, 3);
  g_autoptr(AssayLedger) disk = fixture_load (pair->path);
  g_assert_cmpuint (count (disk), ==, 3);
}

static void
test_a_choice_taken_back_stays_away (FixturePair *pair, gconstpointer data)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *id = g_strdup (choose (pair->first, "Ada", "run-0", "run-1", ASSAY_CHOICE_LEFT)->id);
  fixture_save (pair->first, NULL);
  assay_ledger_set_title (pair->second, "knows of it");
  fixture_save (pair->second, NULL);
  g_assert_cmpuint (count (pair->second), ==, 1);
  g_assert_cmpint (assay_edit_get_kind (pair->edits->pdata[0]), ==, ASSAY_EDIT_ADD_PREFERENCE);
  g_assert_true (assay_ledger_revert (pair->first, pair->edits->pdata[0], &error));
  g_assert_cmpuint (count (pair->first), ==, 0);
  fixture_save (pair->first, NULL);
  choose (pair->second, "Bob", "run-0", "run-2", ASSAY_CHOICE_LEFT);
  fixture_save (pair->second, NULL); /* still held the one that was taken back */
  g_assert_null (assay_ledger_find_preference (pair->second, id));
  g_assert_cmpuint (count (pair->second), ==, 1);

  g_assert_true (assay_ledger_revert (pair->first, pair->edits->pdata[1], &error)); /* and back again */
  fixture_save (pair->first, NULL);
  g_autoptr(AssayLedger) disk = fixture_load (pair->path);
  g_assert_nonnull (assay_ledger_find_preference (disk, id));
  g_assert_cmpuint (count (disk), ==, 2);
}

static void
test_a_snapshot_does_not_change (FixturePair *pair, gconstpointer data)
{
  choose (pair->first, "Ada", "run-0", "run-1", ASSAY_CHOICE_LEFT);
  g_autoptr(AssayLedger) snapshot = assay_ledger_snapshot (pair->first);
  choose (pair->first, "Ada", "run-0", "run-2", ASSAY_CHOICE_LEFT);
  g_assert_cmpuint (count (snapshot), ==, 1);
  g_assert_cmpuint (count (pair->first), ==, 2);
}

static void
test_what_cannot_be_is_refused (FixturePair *pair, gconstpointer data)
{
  const struct
  {
    const char *reviewer, *question, *left, *right, *supersedes;
    gint code;
  } bad[] = {
    { "Ada", "q1", "run-0", "no-run", NULL, ASSAY_LEDGER_ERROR_NO_SUCH },
    { "Ada", "q1", "run-0", "run-0", NULL, ASSAY_LEDGER_ERROR_VALUE },
    { "Ada", "no-question", "run-0", "run-1", NULL, ASSAY_LEDGER_ERROR_NO_SUCH },
    { "", "q1", "run-0", "run-1", NULL, ASSAY_LEDGER_ERROR_VALUE },
    { "Ada", "q1", "run-0", "run-1", "nothing", ASSAY_LEDGER_ERROR_NO_SUCH },
  };
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr(GError) error = NULL;
      g_autoptr(AssayPreference) made = assay_preference_new (bad[i].reviewer, bad[i].question, bad[i].left,
                                                               bad[i].right, ASSAY_CHOICE_LEFT);
      made->supersedes = g_strdup (bad[i].supersedes);
      g_assert_false (assay_ledger_add_preference (pair->first, made, &error));
      g_assert_error (error, ASSAY_LEDGER_ERROR, bad[i].code);
    }
  g_autoptr(GError) error = NULL;
  const AssayPreference *there = choose (pair->first, "Ada", "run-0", "run-1", ASSAY_CHOICE_LEFT);
  g_assert_false (assay_ledger_add_preference (pair->first, (AssayPreference *) there, &error));
  g_assert_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_VALUE);
  g_assert_cmpuint (count (pair->first), ==, 1);
}

/* ---- from a file ---- */

static void
test_impossible_ones_are_left_aside_and_kept (void)
{
  static const char *const bad[] = {
    PREFERENCE ("", "a", "b", "left"),
    PREFERENCE ("p", "a", "a", "left"),
    PREFERENCE ("p", "", "b", "left"),
    PREFERENCE ("p", "a", "b", "up"),
    PREFERENCE ("p", "a", "b", ""),
    "<preference id='p' reviewer='' " AT " left='a' right='b' choice='left'/>\n",
    "<preference id='p' reviewer='A' at='yesterday' left='a' right='b' choice='left'/>\n",
    "<preference id='p' reviewer='A' " AT " left='a' right='b' choice='left' order_seed='-1'/>\n",
    "<preference id='p' reviewer='A' " AT
    " left='a' right='b' choice='left' position='99999999999999999999'/>\n",
    "<preference id='p' reviewer='A' " AT " left='a' right='b' choice='left' blind='maybe'/>\n",
    "<preference/>\n",
  };
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autofree char *xml = g_strconcat (FIXTURE_HEAD, bad[i], RUNS, FIXTURE_TAIL, NULL);
      g_autoptr(AssayLedger) ledger = fixture_parse (xml);
      g_assert_cmpuint (count (ledger), ==, 0);
      g_assert_nonnull (strstr (assay_ledger_get_notices (ledger)[0], "left aside"));
      g_autofree char *out = fixture_serialize (ledger);
      g_autofree char *kept = g_strndup (bad[i], strlen (bad[i]) - 1);
      g_assert_nonnull (strstr (out, kept));
    }
}

static void
test_the_same_id_is_read_once_or_kept_beside (void)
{
  g_autoptr(AssayLedger) ledger = fixture_parse (
      FIXTURE_HEAD PREFERENCE ("p", "a", "b", "left") PREFERENCE ("p", "a", "b", "left")
          PREFERENCE ("p", "a", "b", "right") PREFERENCE ("p", "b", "c", "tie") RUNS FIXTURE_TAIL);
  g_assert_cmpuint (count (ledger), ==, 3);
  g_assert_cmpint (assay_ledger_find_preference (ledger, "p")->choice, ==, ASSAY_CHOICE_LEFT);
  g_assert_cmpint (assay_ledger_find_preference (ledger, "p-dup-2")->choice, ==, ASSAY_CHOICE_RIGHT);
  g_assert_cmpint (assay_ledger_find_preference (ledger, "p-dup-3")->choice, ==, ASSAY_CHOICE_TIE);
  g_autofree char *out = fixture_serialize (ledger);
  g_autoptr(AssayLedger) again = fixture_parse (out);
  g_assert_cmpuint (count (again), ==, 3);
  g_assert_cmpstr (assay_ledger_get_notices (again)[0], ==, NULL);
}

static void
test_what_a_newer_version_adds_survives (void)
{
  const char *element
      = "<x:preference xmlns:x='urn:assay:ledger:1' id='p' reviewer='Ada' " AT
        " left='a' right='b' question='q1' choice='left' mood='good'><x:why>because</x:why></x:preference>";
  g_autofree char *xml = g_strconcat (FIXTURE_HEAD, RUN ("a", "completed"), element, RUN ("b", "completed"),
                                      FIXTURE_TAIL, NULL);
  g_autoptr(AssayLedger) ledger = fixture_parse (xml);
  g_assert_cmpuint (count (ledger), ==, 1);
  assay_ledger_set_title (ledger, "edited");
  g_autofree char *out = fixture_serialize (ledger);
  g_assert_nonnull (strstr (out, element));
  g_autoptr(AssayLedger) again = fixture_parse (out);
  g_assert_cmpuint (count (again), ==, 1);
}

static void
test_a_hundred_thousand_are_read_and_written (void)
{
  g_autoptr(GString) xml = g_string_new (FIXTURE_HEAD);
  for (guint i = 0; i < 100000; i++)
    g_string_append_printf (
        xml, "<preference id='p%u' reviewer='R%u' " AT " question='q1' left='%s' right='b' choice='%s'/>\n",
        i, i % 7, i % 3 == 0 ? "nowhere" : "a", i % 2 == 0 ? "left" : "right");
  g_string_append (xml, RUNS FIXTURE_TAIL);
  const gint64 start = g_get_monotonic_time ();
  g_autoptr(AssayLedger) ledger = fixture_parse (xml->str);
  const gint64 read = g_get_monotonic_time ();
  g_assert_cmpuint (count (ledger), ==, 100000);
  g_autoptr(AssayPreferenceFigures) figures = assay_preference_figures_new (ledger);
  const gint64 counted = g_get_monotonic_time ();
  g_assert_cmpuint (figures->uncounted->len, ==, 33334);
  g_assert_cmpuint (figures->n_counted, ==, 66666);
  g_assert_cmpuint (figures->n_reviewers, ==, 7);
  g_autoptr(GBytes) bytes = assay_store_serialize (ledger, NULL);
  g_assert_cmpuint (g_bytes_get_size (bytes), >, 10000000);
  g_test_message ("read in %.0f ms, counted in %.0f ms", (double) (read - start) / 1e3,
                  (double) (counted - read) / 1e3);
  if (!RUNNING_SANITIZED)
    g_assert_cmpint (counted - start, <, 10 * G_USEC_PER_SEC);
}

static void
test_bad_ones_by_the_thousand_are_told_once (void)
{
  g_autoptr(GString) xml = g_string_new (FIXTURE_HEAD);
  for (guint i = 0; i < 5000; i++)
    g_string_append (xml, PREFERENCE ("p", "a", "a", "left"));
  g_string_append (xml, RUNS FIXTURE_TAIL);
  g_autoptr(AssayLedger) ledger = fixture_parse (xml->str);
  g_assert_cmpuint (g_strv_length ((char **) assay_ledger_get_notices (ledger)), ==, 11);
}

/* Bytes changed, taken out and doubled anywhere: whatever still reads is written and read again as the same.
 */
static void
test_whatever_reads_is_written_and_read_again (void)
{
  static const char words[] = "\"'<>/& \xff=abp19-"
                              "preference"
                              "left"
                              "right";
  static const char *const whole = FIXTURE_HEAD PREFERENCE ("p1", "a", "b", "left")
      PREFERENCE ("p2", "b", "c", "tie") "<removed preference='p3' at='2026-11-30T07:20:11Z'/>\n" PREFERENCE (
          "p1", "c", "b", "right") RUNS FIXTURE_TAIL;
  g_autoptr(GRand) rand = g_rand_new_with_seed ((guint32) g_test_rand_int ());
  const gsize head = strlen (FIXTURE_HEAD);
  guint n_read = 0;
  for (guint round = 0; round < 3000; round++)
    {
      g_autoptr(GString) xml = g_string_new (whole);
      for (gint n = g_rand_int_range (rand, 1, 4); n > 0; n--)
        {
          const gssize at = g_rand_int_range (rand, (gint32) head, (gint32) xml->len);
          const gssize length = g_rand_int_range (rand, 1, 200);
          if (g_rand_boolean (rand))
            xml->str[at] = words[g_rand_int_range (rand, 0, sizeof words - 1)];
          else if (g_rand_boolean (rand))
            g_string_erase (xml, at, MIN ((gssize) xml->len - at, length / 4));
          else
            g_string_insert_len (xml, at, whole + head, length);
        }
      g_autoptr(GBytes) bytes = g_bytes_new (xml->str, xml->len);
      g_autoptr(AssayLedger) ledger = assay_store_parse (bytes, "damaged", NULL);
      if (ledger == NULL)
        continue;
      g_autofree char *out = fixture_serialize (ledger);
      g_autoptr(AssayLedger) again = fixture_parse (out);
      g_assert_cmpuint (count (again), ==, count (ledger));
      for (guint i = 0; i < count (ledger); i++)
        g_assert_true (assay_preference_equal (assay_ledger_get_preferences (ledger)->pdata[i],
                                               assay_ledger_get_preferences (again)->pdata[i]));
      g_autoptr(AssayPreferenceFigures) figures = assay_preference_figures_new (ledger);
      g_assert_cmpuint (figures->n_counted + figures->uncounted->len + figures->n_superseded, ==,
                        count (ledger));
      n_read++;
    }
  g_assert_cmpuint (n_read, >, 100);
}

/* ---- which stand, and what they add up to ---- */

static void
test_corrections_supersede_and_never_erase (void)
{
  g_autoptr(AssayLedger) ledger = fixture_parse (FIXTURE_HEAD PREFERENCE (
      "1", "a", "b",
      "left") "<preference id='2' reviewer='Ada' " AT
              " question='q1' left='a' right='b' choice='right' supersedes='1'/>\n"
              "<preference id='3' reviewer='Eve' " AT
              " question='q1' left='a' right='b' choice='left' supersedes='2'/>\n"
              "<preference id='4' reviewer='Ada' " AT
              " question='q1' left='b' right='c' choice='tie' supersedes='4'/>\n"
              "<preference id='5' reviewer='Ada' " AT
              " question='q1' left='b' right='c' choice='tie' supersedes='6'/>\n" RUNS FIXTURE_TAIL);
  g_autoptr(GPtrArray) current = assay_ledger_dup_current_preferences (ledger);
  g_assert_cmpuint (count (ledger), ==, 5);
  g_assert_cmpuint (current->len, ==, 4); /* nobody supersedes another's, itself, or what is not there */
  g_assert_cmpstr (((const AssayPreference *) current->pdata[0])->id, ==, "2");
}

static void
test_wins_are_counted_by_pair_whatever_the_side (void)
{
  g_autoptr(AssayLedger) ledger
      = fixture_parse (FIXTURE_HEAD PREFERENCE ("1", "b", "a", "left") PREFERENCE ("2", "a", "b", "right")
                           PREFERENCE ("3", "a", "b", "left") PREFERENCE ("4", "b", "a", "tie")
                               PREFERENCE ("5", "a", "b", "both_bad") PREFERENCE ("6", "c", "b", "right")
                                   PREFERENCE ("7", "a", "gone", "left")
                                       PREFERENCE ("8", "a", "nowhere", "left") RUNS FIXTURE_TAIL);
  g_autoptr(AssayPreferenceFigures) figures = assay_preference_figures_new (ledger);
  g_assert_cmpuint (figures->pairings->len, ==, 2);
  const AssayPairing *ab = figures->pairings->pdata[0], *bc = figures->pairings->pdata[1];
  g_assert_cmpstr (assay_record_get_id (ab->first), ==, "a");
  g_assert_cmpuint (ab->first_wins, ==, 1);
  g_assert_cmpuint (ab->second_wins, ==, 2);
  g_assert_cmpuint (ab->ties, ==, 1);
  g_assert_cmpuint (ab->both_bad, ==, 1);
  g_assert_cmpuint (bc->first_wins, ==, 1); /* b, on the right */
  g_assert_cmpuint (figures->uncounted->len, ==, 2);
  g_assert_cmpstr (((const AssayUncounted *) figures->uncounted->pdata[0])->reason, ==,
                   "the run gone ended as oom_device");
  g_assert_cmpstr (((const AssayUncounted *) figures->uncounted->pdata[1])->reason, ==,
                   "the run nowhere is not in this ledger");
  g_assert_cmpuint (figures->bias.n, ==, 4);
  g_assert_cmpuint (figures->bias.n_left, ==, 2);
}

static void
assert_near (double value, double expected)
{
  if (fabs (value - expected) > 1e-9)
    g_error ("%.17g is not %.17g", value, expected);
}

/* p from 2 · Σ C(n, i) / 2ⁿ by hand; the intervals are R's prop.test(correct = FALSE) and Wilson's own
 * formula. */
static void
test_position_bias_is_the_binomial_one (void)
{
  AssayPositionBias bias;
  assay_position_bias_compute (0, 0, &bias);
  g_assert_true (isnan (bias.share) && bias.p == 1);
  assay_position_bias_compute (3, 3, &bias);
  assert_near (bias.p, 0.25);
  assert_near (bias.high, 1);
  assay_position_bias_compute (14, 20, &bias);
  assert_near (bias.share, 0.7);
  assert_near (bias.p, 2.0 * (1 + 20 + 190 + 1140 + 4845 + 15504 + 38760) / 1048576);
  g_assert_true (fabs (bias.low - 0.4810) < 5e-5 && fabs (bias.high - 0.8545) < 5e-5);
  assay_position_bias_compute (10, 20, &bias);
  assert_near (bias.p, 1);
  assay_position_bias_compute (50500, 100000,
                               &bias); /* 3.16 standard deviations: no overflow, and still exact */
  g_assert_true (bias.p > 0.0015 && bias.p < 0.0017);
}

static void
test_json_tells_every_preference (void)
{
  g_autoptr(AssayLedger) ledger
      = fixture_parse (FIXTURE_HEAD PREFERENCE ("p-1", "a", "b", "both_bad") RUNS FIXTURE_TAIL);
  g_autofree char *json = assay_export_ledger (ledger, NULL, ASSAY_EXPORT_JSON, NULL);
  g_assert_nonnull (strstr (json, "\"preferences\""));
  g_assert_nonnull (strstr (json, "\"p-1\""));
  g_assert_nonnull (strstr (json, "\"both_bad\""));
}

#define ADD_PAIR(name, function)                                                                             \
  g_test_add ("/ledger/preference/" name, FixturePair, NULL, pair_set_up, function, pair_tear_down)
#define ADD(name, function) g_test_add_func ("/ledger/preference/" name, function)

/* As with a run: else the next save would lose it without a word. */
static void
test_one_that_is_there_is_not_removed (void)
{
  g_autoptr(AssayLedger) ledger = fixture_parse (
      FIXTURE_HEAD "<removed preference='p' at='2026-11-30T07:20:11Z'/>" PREFERENCE ("p", "a", "b", "left") RUNS FIXTURE_TAIL);
  g_autoptr(AssayLedger) disk = fixture_parse (
      FIXTURE_HEAD "<removed preference='p' at='2026-11-30T07:20:11Z'/>" PREFERENCE ("p", "a", "b", "left") RUNS FIXTURE_TAIL);
  assay_merge_ledger (ledger, disk);
  g_assert_cmpuint (count (ledger), ==, 1);
}

static void
test_an_id_twenty_thousand_times_over_is_read_at_once (void)
{
  g_autoptr(GString) xml = g_string_new (FIXTURE_HEAD);
  for (guint i = 0; i < 20000; i++)
    g_string_append_printf (xml,
                            "<preference id='p' reviewer='r%u' at='2026-11-30T07:20:11Z' question='' left='a' "
                            "right='b' choice='tie'/>",
                            i);
  g_string_append (xml, FIXTURE_TAIL);
  const gint64 start = g_get_monotonic_time ();
  g_autoptr(AssayLedger) ledger = fixture_parse (xml->str);
  g_assert_cmpint (g_get_monotonic_time () - start, <, 10 * G_USEC_PER_SEC);
  g_assert_cmpuint (assay_ledger_get_preferences (ledger)->len, ==, 20000);
  g_assert_cmpstr (assay_ledger_find_preference (ledger, "p-dup-20000")->reviewer, ==, "r19999");
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  ADD_PAIR ("a-preference-survives-the-file", test_a_preference_survives_the_file);
  ADD_PAIR ("two-programs-choices-are-joined", test_two_programs_choices_are_joined);
  ADD_PAIR ("a-choice-taken-back-stays-away", test_a_choice_taken_back_stays_away);
  ADD_PAIR ("a-snapshot-does-not-change", test_a_snapshot_does_not_change);
  ADD_PAIR ("what-cannot-be-is-refused", test_what_cannot_be_is_refused);
  ADD ("impossible-ones-are-left-aside-and-kept", test_impossible_ones_are_left_aside_and_kept);
  ADD ("the-same-id-is-read-once-or-kept-beside", test_the_same_id_is_read_once_or_kept_beside);
  ADD ("what-a-newer-version-adds-survives", test_what_a_newer_version_adds_survives);
  ADD ("a-hundred-thousand-are-read-and-written", test_a_hundred_thousand_are_read_and_written);
  ADD ("bad-ones-by-the-thousand-are-told-once", test_bad_ones_by_the_thousand_are_told_once);
  ADD ("whatever-reads-is-written-and-read-again", test_whatever_reads_is_written_and_read_again);
  ADD ("corrections-supersede-and-never-erase", test_corrections_supersede_and_never_erase);
  ADD ("wins-are-counted-by-pair-whatever-the-side", test_wins_are_counted_by_pair_whatever_the_side);
  ADD ("position-bias-is-the-binomial-one", test_position_bias_is_the_binomial_one);
  ADD ("json-tells-every-preference", test_json_tells_every_preference);
  g_test_add_func ("/ledger/preference/one-that-is-there-is-not-removed", test_one_that_is_there_is_not_removed);
  g_test_add_func ("/ledger/preference/an-id-twenty-thousand-times-over-is-read-at-once",
                   test_an_id_twenty_thousand_times_over_is_read_at_once);
  return g_test_run ();
}
