/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/judgment/test-blind.c: the order of a blind review, and the balance of what stands side by side.
 */
#include <string.h>

#include "assay-blind-private.h"
#include "assay-blind.h"
#include "judgment.h"

#define N_QUESTIONS_MOST 8u

static AssayRecord *
add_run (AssayLedger *ledger, guint number, guint n_questions)
{
  g_autofree char *id = g_strdup_printf ("run-%03u", number);
  AssayRecord *record = judgment_run (id, ASSAY_STATUS_COMPLETED, NULL);
  for (guint q = 0; q < n_questions; q++)
    {
      g_autofree char *question = g_strdup_printf ("q%u", q),
                      *text = g_strdup_printf ("answer %u of %u", q, number);
      judgment_output (record, question, text);
    }
  return judgment_add (ledger, record);
}

static AssayLedger *
ledger_of (guint n_runs, guint n_questions)
{
  AssayLedger *ledger = judgment_ledger ();
  for (guint i = 0; i < n_runs; i++)
    add_run (ledger, i, n_questions);
  return ledger;
}

static char *
order_dup_text (AssayLedger *ledger, guint64 seed)
{
  g_autoptr(GPtrArray) order = assay_blind_order (ledger, seed);
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < order->len; i++)
    g_string_append_printf (text, "%s ", assay_record_get_id (order->pdata[i]));
  return g_string_free (text, FALSE);
}

static void
test_one_seed_is_one_order (void)
{
  g_autoptr(AssayLedger) ledger = ledger_of (20, 1), backwards = judgment_ledger ();
  for (guint i = 20; i > 0; i--)
    add_run (backwards, i - 1, 1);
  g_autofree char *order = order_dup_text (ledger, 7), *again = order_dup_text (ledger, 7);
  g_autofree char *other = order_dup_text (ledger, 8), *turned = order_dup_text (backwards, 7);
  g_assert_cmpstr (order, ==, again);
  g_assert_cmpstr (order, ==, turned); /* whenever each came */
  g_assert_cmpstr (order, !=, other);
}

/* The very sequence: another version must show a recorded seed's runs in the same order. */
static void
test_the_order_of_a_seed_never_changes (void)
{
  g_autoptr(AssayLedger) ledger = ledger_of (6, 1);
  g_autofree char *order = order_dup_text (ledger, 12345);
  g_assert_cmpstr (order, ==, "run-002 run-004 run-005 run-003 run-000 run-001 ");
}

static void
test_a_later_run_moves_nobody (void)
{
  g_autoptr(AssayLedger) ledger = ledger_of (15, 1);
  for (guint64 seed = 1; seed < 50; seed++)
    {
      g_autoptr(GPtrArray) before = assay_blind_order (ledger, seed);
      g_autoptr(AssayLedger) more = assay_ledger_snapshot (ledger);
      add_run (more, 99, 1);
      g_autoptr(GPtrArray) after = assay_blind_order (more, seed);
      g_assert_cmpuint (after->len, ==, 16);
      for (guint i = 0, k = 0; i < after->len; i++)
        if (strcmp (assay_record_get_id (after->pdata[i]), "run-099") != 0)
          g_assert_true (after->pdata[i] == before->pdata[k++]);
    }
}

/* Each of 5 runs is first about 2000 times of 10,000: six standard deviations are 240. */
static void
test_every_run_is_first_as_often (void)
{
  g_autoptr(AssayLedger) ledger = ledger_of (5, 1);
  guint first[5] = { 0 };
  for (guint64 seed = 1; seed <= 10000; seed++)
    {
      g_autoptr(GPtrArray) order = assay_blind_order (ledger, seed);
      for (guint i = 0; i < 5; i++)
        first[i] += order->pdata[0] == assay_ledger_get_run (ledger, i);
    }
  for (guint i = 0; i < 5; i++)
    g_assert_cmpint (ABS ((gint) first[i] - 2000), <, 240);
}

static void
test_only_what_can_be_judged_is_shown (void)
{
  g_autoptr(AssayLedger) ledger = ledger_of (2, 1);
  for (guint status = 0; status <= ASSAY_N_STATUSES; status++)
    {
      g_autofree char *id = g_strdup_printf ("status-%u", status);
      AssayRecord *record = judgment_run (id, (AssayRunStatus) status, NULL);
      judgment_output (record, "q0", "something");
      judgment_add (ledger, record);
    }
  judgment_add (ledger, judgment_run ("silent", ASSAY_STATUS_COMPLETED, NULL));
  g_autoptr(GPtrArray) order = assay_blind_order (ledger, 3);
  g_assert_cmpuint (order->len, ==, 3); /* the two, and the completed one */
}

static void
test_seed_and_position_are_kept_by_the_record (void)
{
  g_autoptr(AssayLedger) ledger = ledger_of (3, 1);
  g_autoptr(GPtrArray) order = assay_blind_order (ledger, 77);
  g_assert_cmpuint (assay_blind_find_seed (ledger, "Ada"), ==, 0);
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr(AssayReview) review = assay_review_new ("Ada");
      assay_blind_stamp_review (ledger, review, 77);
      g_assert_cmpuint (review->position, ==, i + 1);
      g_assert_true (assay_ledger_add_review (ledger, assay_record_get_id (order->pdata[i]), review, NULL));
    }
  g_assert_cmpuint (assay_blind_find_seed (ledger, "Ada"), ==, 77);
  g_assert_cmpuint (assay_blind_find_seed (ledger, "Bob"), ==, 0);
  g_assert_cmpuint (assay_blind_next_position (ledger, "Ada", 77), ==, 3);
  g_assert_cmpuint (assay_blind_next_position (ledger, "Ada", 78), ==, 1);
  g_autoptr(AssayPreference) made
      = assay_preference_new ("Ada", "q0", "run-000", "run-001", ASSAY_CHOICE_TIE);
  assay_blind_stamp_preference (ledger, made, 77);
  g_assert_cmpuint (made->position, ==, 3);
}

static void
test_seeds_fit_a_json_number (void)
{
  for (guint i = 0; i < 1000; i++)
    {
      const guint64 seed = assay_blind_new_seed ();
      g_assert_true (seed > 0 && seed < G_GUINT64_CONSTANT (1) << 53);
    }
}

/* ---- side by side ---- */

typedef struct
{
  GHashTable *left, *right; /* run → count */
  GHashTable *pairs;        /* "a/b" → count */
  GHashTable *questions;    /* "a/b/q" */
} Tally;

static Tally
tally_new (void)
{
  return (Tally){ g_hash_table_new (NULL, NULL), g_hash_table_new (NULL, NULL),
                  g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL),
                  g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL) };
}

static void
tally_clear (Tally *tally)
{
  g_hash_table_unref (tally->left);
  g_hash_table_unref (tally->right);
  g_hash_table_unref (tally->pairs);
  g_hash_table_unref (tally->questions);
}

static guint
count_of (GHashTable *table, gconstpointer key)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (table, key));
}

static void
tally_add (Tally *tally, const AssayBlindPair *pair)
{
  const char *a = assay_record_get_id (pair->left), *b = assay_record_get_id (pair->right);
  char *key = strcmp (a, b) < 0 ? g_strconcat (a, "/", b, NULL) : g_strconcat (b, "/", a, NULL);
  g_assert_true (pair->left != pair->right);
  g_hash_table_insert (tally->left, pair->left, GUINT_TO_POINTER (count_of (tally->left, pair->left) + 1));
  g_hash_table_insert (tally->right, pair->right,
                       GUINT_TO_POINTER (count_of (tally->right, pair->right) + 1));
  g_assert_true (
      g_hash_table_add (tally->questions, g_strconcat (key, "/", pair->question, NULL))); /* never twice */
  g_hash_table_insert (tally->pairs, key, GUINT_TO_POINTER (count_of (tally->pairs, key) + 1));
}

static void
assert_sides_are_level (AssayLedger *ledger, Tally *tally)
{
  for (guint i = 0; i < assay_ledger_get_n_runs (ledger); i++)
    {
      AssayRecord *run = assay_ledger_get_run (ledger, i);
      const guint left = count_of (tally->left, run), right = count_of (tally->right, run);
      g_assert_cmpint (ABS ((gint) left - (gint) right), ==, (left + right) % 2);
    }
}

static void
assert_pairs_are_even (Tally *tally, guint n_runs)
{
  GHashTableIter iter;
  gpointer value;
  guint least = G_MAXUINT, most = 0;
  g_hash_table_iter_init (&iter, tally->pairs);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      least = MIN (least, GPOINTER_TO_UINT (value));
      most = MAX (most, GPOINTER_TO_UINT (value));
    }
  if (g_hash_table_size (tally->pairs) < n_runs * (n_runs - 1) / 2)
    least = 0;
  g_assert_cmpuint (most - least, <=, 1);
}

static void
test_sides_and_pairs_are_balanced_for_every_size (void)
{
  for (guint n_runs = 0; n_runs <= 13; n_runs++)
    for (guint n_questions = 1; n_questions <= 5; n_questions++)
      {
        g_autoptr(AssayLedger) ledger = ledger_of (n_runs, n_questions);
        const guint all = n_runs > 0 ? n_runs * (n_runs - 1) / 2 * n_questions : 0;
        for (guint max = 0; max <= all + 1; max += MAX (1u, all / 7))
          for (guint64 seed = 1; seed <= 3; seed++)
            {
              g_autoptr(AssayBlindPlan) plan = assay_blind_plan_pairs (ledger, "Ada", seed, max);
              Tally tally = tally_new ();
              g_assert_cmpuint (plan->pairs->len, ==, MIN (max, all));
              for (guint i = 0; i < plan->pairs->len; i++)
                {
                  tally_add (&tally, plan->pairs->pdata[i]);
                  assert_pairs_are_even (&tally, n_runs); /* at any point */
                }
              assert_sides_are_level (ledger, &tally);
              tally_clear (&tally);
            }
      }
}

static void
test_questions_are_spread_in_a_cycle (void)
{
  for (guint n_runs = 2; n_runs <= 9; n_runs++)
    {
      g_autoptr(AssayLedger) ledger = ledger_of (n_runs, 4);
      const guint per_cycle = n_runs * (n_runs - 1) / 2;
      g_autoptr(AssayBlindPlan) plan = assay_blind_plan_pairs (ledger, "Ada", 5, 4 * per_cycle);
      for (guint cycle = 0; cycle < 4; cycle++)
        {
          guint counts[4] = { 0 }, least = G_MAXUINT, most = 0;
          for (guint i = 0; i < per_cycle; i++)
            {
              const AssayBlindPair *pair = plan->pairs->pdata[cycle * per_cycle + i];
              counts[pair->question[1] - '0']++;
            }
          for (guint q = 0; q < 4; q++)
            {
              least = MIN (least, counts[q]);
              most = MAX (most, counts[q]);
            }
          g_assert_cmpuint (most - least, <=, 1);
        }
    }
}

static void
test_each_run_comes_once_before_any_comes_again (void)
{
  g_autoptr(AssayLedger) ledger = ledger_of (12, 3);
  g_autoptr(AssayBlindPlan) plan = assay_blind_plan_pairs (ledger, "Ada", 9, 1000);
  for (guint i = 0; i < plan->pairs->len; i += 6)
    {
      g_autoptr(GHashTable) seen = g_hash_table_new (NULL, NULL);
      for (guint k = i; k < i + 6; k++)
        {
          const AssayBlindPair *pair = plan->pairs->pdata[k];
          g_assert_true (g_hash_table_add (seen, pair->left));
          g_assert_true (g_hash_table_add (seen, pair->right));
        }
    }
}

/* Runs that answered different questions, some alike; and a session broken off anywhere and taken up again.
 */
static void
test_sides_are_level_with_gaps_and_after_a_break (void)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed ((guint32) g_test_rand_int ());
  for (guint round = 0; round < 60; round++)
    {
      g_autoptr(AssayLedger) ledger = judgment_ledger ();
      const guint n_runs = 2 + (guint) g_rand_int_range (rand, 0, 9);
      for (guint i = 0; i < n_runs; i++)
        {
          g_autofree char *id = g_strdup_printf ("run-%03u", i);
          AssayRecord *record = judgment_run (id, ASSAY_STATUS_COMPLETED, NULL);
          for (guint q = 0; q < N_QUESTIONS_MOST; q++)
            {
              g_autofree char *question = g_strdup_printf ("q%u", q);
              g_autofree char *text = g_strdup_printf ("%d", g_rand_int_range (rand, 0, 4));
              if (g_rand_int_range (rand, 0, 3) > 0)
                judgment_output (record, question, text);
            }
          judgment_add (ledger, record);
        }
      const guint64 seed = 1 + g_rand_int (rand);
      while (TRUE)
        {
          g_autoptr(AssayBlindPlan) plan = assay_blind_plan_pairs (ledger, "Ada", seed, 500);
          const guint n_more = (guint) g_rand_int_range (rand, 1, 30);
          Tally tally = tally_new ();
          guint n_made = 0;
          for (guint i = 0; i < plan->pairs->len; i++)
            tally_add (&tally, plan->pairs->pdata[i]);
          assert_sides_are_level (ledger, &tally);
          tally_clear (&tally);
          for (guint i = 0; i < plan->pairs->len && n_made < n_more; i++)
            {
              const AssayBlindPair *pair = plan->pairs->pdata[i];
              if (pair->judged != NULL)
                continue;
              g_autoptr(AssayPreference) made = assay_preference_new (
                  "Ada", pair->question, assay_record_get_id (pair->left), assay_record_get_id (pair->right),
                  (AssayChoice) g_rand_int_range (rand, 0, 4));
              assay_blind_stamp_preference (ledger, made, seed);
              g_assert_true (assay_ledger_add_preference (ledger, made, NULL));
              n_made++;
            }
          g_assert_true ((n_made == 0) == (plan->n_judged == plan->pairs->len));
          g_assert_true ((n_made == 0) == (assay_blind_plan_get_next (plan) == NULL));
          if (n_made == 0)
            break;
        }
    }
}

static void
test_equal_outputs_are_not_compared (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  for (guint i = 0; i < 3; i++)
    {
      g_autofree char *id = g_strdup_printf ("run-%03u", i);
      AssayRecord *record = judgment_run (id, ASSAY_STATUS_COMPLETED, NULL);
      judgment_output (record, "q0", i < 2 ? "the same" : "another");
      judgment_add (ledger, record);
    }
  g_autoptr(AssayBlindPlan) plan = assay_blind_plan_pairs (ledger, "Ada", 1, 100);
  g_assert_cmpuint (plan->pairs->len, ==, 2);
  g_assert_cmpuint (plan->n_identical, ==, 1);
}

static void
test_free_prompts_are_compared_where_they_are_the_same (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  const char *const prompts[] = { "Why?", "Why?", "How?" };
  for (guint i = 0; i < 3; i++)
    {
      g_autofree char *id = g_strdup_printf ("run-%03u", i);
      AssayRecord *record = judgment_run (id, ASSAY_STATUS_COMPLETED, "prompt", prompts[i], NULL);
      judgment_output (record, "", id);
      judgment_add (ledger, record);
    }
  g_autoptr(AssayBlindPlan) plan = assay_blind_plan_pairs (ledger, "Ada", 1, 100);
  g_assert_cmpuint (plan->pairs->len, ==, 1);
}

static void
test_ten_thousand_runs_are_planned_at_once (void)
{
  g_autoptr(AssayLedger) ledger = ledger_of (10000, 2);
  const gint64 start = g_get_monotonic_time ();
  g_autoptr(AssayBlindPlan) plan = assay_blind_plan_pairs (ledger, "Ada", 4, 10000);
  const gint64 took = g_get_monotonic_time () - start;
  Tally tally = tally_new ();
  g_assert_cmpuint (plan->pairs->len, ==, 10000);
  for (guint i = 0; i < plan->pairs->len; i++)
    tally_add (&tally, plan->pairs->pdata[i]);
  assert_sides_are_level (ledger, &tally);
  tally_clear (&tally);
  g_test_message ("10,000 of 10,000 runs: %.0f ms", (double) took / 1000.0);
}

/* A lopsided past, which cannot be made level: the rest comes as near as it can, and what was shown stays. */
static void
test_what_was_shown_is_not_turned (void)
{
  AssaySides sides[] = { { 0, 1, TRUE }, { 0, 2, TRUE }, { 0, 3, TRUE }, { 0, 1, FALSE }, { 1, 2, FALSE } };
  AssayRandom random = { 3 };
  assay_blind_balance (sides, G_N_ELEMENTS (sides), 4, &random);
  for (guint i = 0; i < 3; i++)
    g_assert_true (sides[i].left == 0 && sides[i].right == i + 1);
  g_assert_cmpuint (sides[3].left, ==, 1); /* 0 was left three times already */
}

#define ADD(name, function) g_test_add_func ("/judgment/blind/" name, function)

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  ADD ("one-seed-is-one-order", test_one_seed_is_one_order);
  ADD ("the-order-of-a-seed-never-changes", test_the_order_of_a_seed_never_changes);
  ADD ("a-later-run-moves-nobody", test_a_later_run_moves_nobody);
  ADD ("every-run-is-first-as-often", test_every_run_is_first_as_often);
  ADD ("only-what-can-be-judged-is-shown", test_only_what_can_be_judged_is_shown);
  ADD ("seed-and-position-are-kept-by-the-record", test_seed_and_position_are_kept_by_the_record);
  ADD ("seeds-fit-a-json-number", test_seeds_fit_a_json_number);
  ADD ("sides-and-pairs-are-balanced-for-every-size", test_sides_and_pairs_are_balanced_for_every_size);
  ADD ("questions-are-spread-in-a-cycle", test_questions_are_spread_in_a_cycle);
  ADD ("each-run-comes-once-before-any-comes-again", test_each_run_comes_once_before_any_comes_again);
  ADD ("sides-are-level-with-gaps-and-after-a-break", test_sides_are_level_with_gaps_and_after_a_break);
  ADD ("equal-outputs-are-not-compared", test_equal_outputs_are_not_compared);
  ADD ("free-prompts-are-compared-where-they-are-the-same",
       test_free_prompts_are_compared_where_they_are_the_same);
  ADD ("ten-thousand-runs-are-planned-at-once", test_ten_thousand_runs_are_planned_at_once);
  ADD ("what-was-shown-is-not-turned", test_what_was_shown_is_not_turned);
  return g_test_run ();
}
