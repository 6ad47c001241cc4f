/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which runs repeat one another, as a ledger keeps it while runs come and go: always what comparing each with each
 * finds. */
#include "assay-axes.h"
#include "assay-edit.h"
#include "assay-gates.h"
#include "assay-repeats.h"
#include "judgment.h"

#define N_STEPS 400

static const char *
pick (GRand *rand, const char *const *of, guint n)
{
  return of[g_rand_int_range (rand, 0, (gint32) n)];
}
#define PICK(rand, ...)                                                                                                \
  pick (rand, (const char *const[]){ __VA_ARGS__ }, G_N_ELEMENTS (((const char *const[]){ __VA_ARGS__ })))

/* Of few settings, so that there are repeats, and all that may be without effect. */
static AssayRecord *
make_run (GRand *rand, guint i)
{
  g_autofree char *id = g_strdup_printf ("run-%03u", i);
  const AssayRunStatus status = g_rand_boolean (rand) ? ASSAY_STATUS_COMPLETED : ASSAY_STATUS_FAILED;
  return judgment_run (id, status, "model_id", "m", "temperature", PICK (rand, "0", "0", "0.7"), "seed",
                       PICK (rand, "1", "2"), "effective.seed", PICK (rand, "1", "2", "?not told"), "top_k",
                       PICK (rand, "10", "40"), "time_limit_seconds", PICK (rand, "0", "0", "60"), "offload_mode",
                       PICK (rand, "none", "none", "group"), "offload_granularity", PICK (rand, "1", "2"), "context_length",
                       PICK (rand, "512", "512", "1024"), "elapsed_seconds", PICK (rand, "1", "4", "9"), NULL);
}

static void
assert_as_comparing_each (AssayLedger *ledger, AssayRecord *record)
{
  g_autoptr(GPtrArray) found = assay_repeats_find (ledger, record);
  guint n = 0;
  for (guint i = 0; i < assay_ledger_get_n_runs (ledger); i++)
    {
      AssayRecord *run = assay_ledger_get_run (ledger, i);
      if (!assay_axes_is_repeat (record, run))
        continue;
      g_assert_cmpuint (n, <, found->len);
      g_assert_true (g_ptr_array_index (found, n) == run);
      n++;
    }
  g_assert_cmpuint (found->len, ==, n);
}

static guint
random_position (GRand *rand, AssayLedger *ledger)
{
  return (guint) g_rand_int_range (rand, 0, (gint32) assay_ledger_get_n_runs (ledger));
}

/* One change, as a person or another program makes it. */
static void
change (GRand *rand, AssayLedger *ledger, guint step)
{
  g_autoptr(GError) error = NULL;
  const gint what = assay_ledger_get_n_runs (ledger) < 5 ? 0 : g_rand_int_range (rand, 0, 6);
  if (what < 3)
    {
      judgment_add (ledger, make_run (rand, step));
      return;
    }
  AssayRecord *run = assay_ledger_get_run (ledger, random_position (rand, ledger));
  g_autofree char *id = g_strdup (assay_record_get_id (run));
  if (what == 3)
    {
      g_autoptr(AssayReview) review = assay_review_new ("A");
      g_assert_true (assay_ledger_add_review (ledger, id, review, &error));
    }
  else if (what == 4)
    g_assert_true (assay_ledger_remove_run (ledger, id));
  else
    {
      g_autoptr(AssayRecord) other = make_run (rand, step);
      assay_record_set_id (other, id);
      assay_record_seal (other);
      assay_ledger_replace_run (ledger, other);
    }
}

static void
test_repeats_found_while_runs_come_and_go (void)
{
  const guint32 seed = (guint32) g_test_rand_int ();
  g_autoptr(GRand) rand = g_rand_new_with_seed (seed);
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  g_test_message ("seed %u", seed);
  for (guint step = 0; step < N_STEPS; step++)
    {
      change (rand, ledger, step);
      g_autoptr(AssayRecord) stranger = make_run (rand, N_STEPS);
      assert_as_comparing_each (ledger, stranger);
      assert_as_comparing_each (ledger, assay_ledger_get_run (ledger, random_position (rand, ledger)));
    }
}

static void
test_a_run_taken_back_stands_among_its_repeats_again (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  for (guint i = 0; i < 3; i++)
    {
      g_autofree char *id = g_strdup_printf ("r%u", i);
      judgment_add (ledger, judgment_run (id, ASSAY_STATUS_COMPLETED, "model_id", "m", NULL));
    }
  g_autoptr(AssayRecord) middle = g_object_ref (assay_ledger_get_run (ledger, 1));
  assert_as_comparing_each (ledger, middle);
  g_assert_true (assay_ledger_remove_run (ledger, "r1"));
  assert_as_comparing_each (ledger, middle);
  assay_ledger_insert_run (ledger, 1, middle);
  assert_as_comparing_each (ledger, middle);
}

/* The figures of a setting are kept: a new repeat, or one that goes, must move the verdict all the same. */
static void
test_operation_gate_follows_new_repeats (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  judgment_criteria (ledger)->mean_latency_seconds = 5;
  AssayRecord *quick = judgment_add (ledger, judgment_run ("quick", ASSAY_STATUS_COMPLETED, "model_id", "m", "elapsed_seconds", "2", NULL));
  g_autoptr(AssayGates) alone = assay_gates_judge (ledger, quick);
  g_assert_cmpint (alone->verdict[ASSAY_GATE_OPERATION], ==, ASSAY_VERDICT_PASS);
  judgment_add (ledger, judgment_run ("slow", ASSAY_STATUS_COMPLETED, "model_id", "m", "elapsed_seconds", "30", NULL));
  g_autoptr(AssayGates) both = assay_gates_judge (ledger, quick);
  g_assert_cmpint (both->verdict[ASSAY_GATE_OPERATION], ==, ASSAY_VERDICT_FAIL);
  g_assert_true (assay_ledger_remove_run (ledger, "slow"));
  g_autoptr(AssayGates) again = assay_gates_judge (ledger, quick);
  g_assert_cmpint (again->verdict[ASSAY_GATE_OPERATION], ==, ASSAY_VERDICT_PASS);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/judgment/repeats/found-while-runs-come-and-go", test_repeats_found_while_runs_come_and_go);
  g_test_add_func ("/judgment/repeats/a-run-taken-back-stands-among-its-repeats-again",
                   test_a_run_taken_back_stands_among_its_repeats_again);
  g_test_add_func ("/judgment/repeats/operation-gate-follows-new-repeats", test_operation_gate_follows_new_repeats);
  return g_test_run ();
}
