/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The chain from the first run: what each step tells, where it ends, and what hostile ledgers cannot do to it. */
#include <string.h>

#include "assay-advice.h"
#include "assay-chain.h"
#include "assay-ledger-private.h"
#include "assay-store.h"
#include "chain-story.h"
#include "judgment.h"

static void
link_run (AssayLedger *ledger, const char *id, const char *parent)
{
  AssayRecord *run = judgment_run (id, ASSAY_STATUS_COMPLETED, "model_id", "m", NULL);
  assay_record_set_parent (run, parent, NULL);
  judgment_add (ledger, run);
}

static void
test_story_reads_as_it_happened (void)
{
  g_autoptr(AssayLedger) ledger = chain_story_new ();
  g_autoptr(AssayChain) chain = assay_chain_new (ledger, chain_story_ids[CHAIN_STORY_RUNS - 1]);
  g_assert_cmpuint (assay_chain_get_length (chain), ==, CHAIN_STORY_RUNS);
  g_assert_null (assay_chain_get_problem (chain));
  for (guint i = 0; i < CHAIN_STORY_RUNS; i++)
    {
      g_autoptr(AssayChainStep) step = assay_chain_dup_step (chain, i);
      g_assert_cmpstr (assay_record_get_id (step->record), ==, chain_story_ids[i]);
      g_assert_cmpstr (step->axis, ==, chain_story_axes[i]);
      g_assert_cmpstr (step->signal, ==, chain_story_signals[i]);
      g_assert_true (step->planned == (i > 0));
      g_assert_true ((step->note != NULL) == (i > 0));
    }
}

static void
test_step_tells_change_forecast_and_figures (void)
{
  g_autoptr(AssayLedger) ledger = chain_story_new ();
  g_autoptr(AssayChain) chain = assay_chain_new (ledger, chain_story_ids[4]);
  g_autoptr(AssayChainStep) step = assay_chain_dup_step (chain, 2);
  g_assert_cmpstr (step->change, ==, "offload_mode: sequential → group");
  g_assert_cmpstr (step->predicted, ==,
                   "peak_vram 380 MiB; peak_ram_engine 64.0 MiB; at least 500 ms (when it was chosen); peak_vram 380 MiB "
                   "(before it ran)");
  g_assert_cmpstr (step->measured, ==, "peak_vram 380 MiB (allocated, allocator); elapsed_seconds 1 min 00 s");
  g_assert_cmpint (step->gates->verdict[ASSAY_GATE_FEASIBILITY], ==, ASSAY_VERDICT_PASS);
  g_assert_cmpint (step->gates->verdict[ASSAY_GATE_QUALITY], ==, ASSAY_VERDICT_NOT_JUDGED);
  g_assert_cmpint (step->gates->verdict[ASSAY_GATE_OPERATION], ==, ASSAY_VERDICT_FAIL);
}

static void
test_branches_and_the_plan_are_told (void)
{
  g_autoptr(AssayLedger) ledger = chain_story_new ();
  g_autoptr(AssayChain) chain = assay_chain_new (ledger, chain_story_ids[4]);
  g_autoptr(AssayChainStep) second = assay_chain_dup_step (chain, 1), planned = assay_chain_dup_step (chain, 5);
  g_assert_cmpuint (g_strv_length (second->branches), ==, 1);
  g_assert_cmpstr (second->branches[0], ==, chain_story_branch);
  g_assert_true (assay_chain_has_plan (chain));
  g_assert_null (planned->record);
  g_assert_cmpstr (planned->change, ==, "context_length: 2048 tokens → 1024 tokens");
  g_assert_cmpstr (planned->note, ==, "how short may it be?");
}

static void
test_text_holds_every_line_of_every_step (void)
{
  g_autoptr(AssayLedger) ledger = chain_story_new ();
  g_autoptr(AssayChain) chain = assay_chain_new (ledger, chain_story_ids[4]);
  g_autofree char *text = assay_chain_dup_text (chain);
  const char *at = text;
  for (guint i = 0; i <= CHAIN_STORY_RUNS; i++)
    {
      g_autoptr(AssayChainStep) step = assay_chain_dup_step (chain, i);
      for (guint k = 0; k < step->lines->len; k++)
        {
          const AssayChainLine *line = g_ptr_array_index (step->lines, k);
          g_autofree char *wanted = g_strdup_printf ("%s: %s\n", line->label, line->text);
          at = strstr (at, wanted);
          g_assert_nonnull (at);
        }
    }
}

static void
test_what_was_foretold_survives_the_file (void)
{
  g_autoptr(AssayLedger) ledger = chain_story_new ();
  g_autoptr(GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("assay-chain-XXXXXX", &error);
  g_autofree char *path = g_build_filename (folder, "story.ledger.xml", NULL);
  g_assert_true (assay_store_save (ledger, path, &error));
  g_assert_no_error (error);
  g_autoptr(AssayLedger) loaded = assay_store_load (path, &error);
  g_assert_no_error (error);
  g_autoptr(AssayChain) before = assay_chain_new (ledger, chain_story_ids[4]);
  g_autoptr(AssayChain) after = assay_chain_new (loaded, chain_story_ids[4]);
  g_autofree char *a = assay_chain_dup_text (before), *b = assay_chain_dup_text (after);
  g_assert_cmpstr (a, ==, b);
  judgment_remove_folder (folder);
}

static void
test_no_plan_is_said_and_the_signal_is_still_told (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  judgment_add (ledger, judgment_run ("a", ASSAY_STATUS_OOM_DEVICE, "model_id", "m", "device", "virtual", NULL));
  AssayRecord *child
      = judgment_run ("b", ASSAY_STATUS_COMPLETED, "model_id", "m", "device", "virtual", "offload_mode", "model", NULL);
  assay_record_set_parent (child, "a", "offload_mode");
  judgment_add (ledger, child);
  g_autoptr(AssayChain) chain = assay_chain_new (ledger, "b");
  g_autoptr(AssayChainStep) step = assay_chain_dup_step (chain, 1);
  g_assert_false (step->planned);
  g_assert_cmpstr (step->signal, ==, "oom_device");
  g_assert_null (step->predicted);
  g_autofree char *text = assay_chain_dup_text (chain);
  g_assert_nonnull (strstr (text, "no plan of it was kept"));
  g_assert_nonnull (strstr (text, "nothing was foretold"));
}

/* Hostile ledgers */

/* No signal of the four, and yet the bar told what the trial was chosen with. */
static void
test_repetition_is_told_as_the_reason (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  g_autofree char *letters = g_strnfill (100, 'G');
  g_autoptr(GError) error = NULL;
  AssayRecord *run = judgment_run ("a", ASSAY_STATUS_COMPLETED, "device", "virtual", NULL);
  judgment_output (run, "q1", letters);
  run = judgment_add (ledger, run);
  g_autoptr(AssayAdvice) advice = assay_advice_for (ledger, run);
  g_autoptr(AssayNextTrial) next = assay_advice_choose (advice, 0, NULL, NULL, &error);
  g_assert_no_error (error);
  assay_ledger_set_next_trial (ledger, "a", next, &error);
  g_assert_no_error (error);
  g_autoptr(AssayChain) chain = assay_chain_new (ledger, "a");
  g_autofree char *text = assay_chain_dup_text (chain);
  g_assert_nonnull (strstr (text, advice->words));
  g_assert_nonnull (strstr (text, advice->evidence));
  g_assert_null (strstr (text, "Nothing calls for a change"));
}

static void
test_missing_and_deleted_parents_are_told_apart (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  link_run (ledger, "gone", NULL);
  link_run (ledger, "a", "gone");
  link_run (ledger, "b", "never-there");
  assay_ledger_remove_run (ledger, "gone");
  g_autoptr(AssayChain) deleted = assay_chain_new (ledger, "a"), missing = assay_chain_new (ledger, "b");
  g_assert_nonnull (strstr (assay_chain_get_problem (deleted), "run gone, which was deleted"));
  g_assert_nonnull (strstr (assay_chain_get_problem (missing), "run never-there, which is not in this ledger"));
  g_assert_null (assay_chain_new (ledger, "nobody"));
}

static void
test_circle_ends_and_is_told (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  link_run (ledger, "a", "c");
  link_run (ledger, "b", "a");
  link_run (ledger, "c", "b");
  link_run (ledger, "self", "self");
  g_autoptr(AssayChain) chain = assay_chain_new (ledger, "c"), self = assay_chain_new (ledger, "self");
  g_assert_cmpuint (assay_chain_get_length (chain), ==, 3);
  g_assert_nonnull (strstr (assay_chain_get_problem (chain), "Run a continues run c"));
  g_assert_nonnull (strstr (assay_chain_get_problem (chain), "circle"));
  g_assert_cmpuint (assay_chain_get_length (self), ==, 1);
  g_assert_nonnull (strstr (assay_chain_get_problem (self), "circle"));
}

static void
test_two_parents_are_told (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  link_run (ledger, "a", NULL);
  link_run (ledger, "b", NULL);
  link_run (ledger, "c", "a b");
  g_autoptr(AssayChain) chain = assay_chain_new (ledger, "c");
  g_assert_cmpuint (assay_chain_get_length (chain), ==, 1);
  g_assert_nonnull (strstr (assay_chain_get_problem (chain), "several parents (a b)"));
}

static void
test_ten_thousand_steps_are_one_walk (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  g_autofree char *last = NULL;
  for (guint i = 0; i < 10000; i++)
    {
      g_autofree char *id = g_strdup_printf ("run-%05u", i);
      link_run (ledger, id, last);
      g_free (last);
      last = g_steal_pointer (&id);
    }
  const gint64 began_us = g_get_monotonic_time ();
  g_autoptr(AssayChain) chain = assay_chain_new (ledger, last);
  g_autoptr(AssayChainStep) step = assay_chain_dup_step (chain, 9999);
  g_assert_cmpuint (assay_chain_get_length (chain), ==, 10000);
  g_assert_cmpstr (assay_record_get_id (assay_chain_get_run (chain, 0)), ==, "run-00000");
  g_assert_cmpint (g_get_monotonic_time () - began_us, <, G_USEC_PER_SEC);
}

static void
test_list_tells_each_run_once (void)
{
  g_autoptr(AssayLedger) ledger = chain_story_new ();
  g_autoptr(GPtrArray) chains = assay_chain_list (ledger);
  g_assert_cmpuint (chains->len, ==, 2);
  g_assert_cmpuint (assay_chain_get_length (chains->pdata[0]), ==, CHAIN_STORY_RUNS);
  guint n_told = 0;
  for (guint i = 0; i < chains->len; i++)
    n_told += assay_chain_get_length (chains->pdata[i]) - assay_chain_get_n_told (chains->pdata[i]);
  g_assert_cmpuint (n_told, ==, assay_ledger_get_n_runs (ledger));
}

/* A forecast that is no number sets the run aside, with the reason; the chain still leads to it. */
static void
test_hostile_forecast_is_told (void)
{
  static const char *const values[] = { "-1", "12x", "99999999999999999999", "" };
  for (gsize i = 0; i < G_N_ELEMENTS (values); i++)
    {
      g_autofree char *xml = g_strdup_printf (
          "<ledger xmlns=\"urn:assay:ledger:1\" version=\"1.0\" id=\"l\" title=\"t\" task=\"language\"><run id=\"a\">"
          "<outcome><status>completed</status></outcome><next_trial signal=\"none\" axis=\"seed\" to=\"1\" "
          "predicted_peak_vram=\"%s\"/></run></ledger>", values[i]);
      g_autoptr(GBytes) bytes = g_bytes_new (xml, strlen (xml));
      g_autoptr(GError) error = NULL;
      g_autoptr(AssayLedger) ledger = assay_store_parse (bytes, "hostile", &error);
      g_assert_no_error (error);
      AssayRecord *run = assay_ledger_find_run (ledger, "a");
      g_assert_true (assay_record_is_damaged (run));
      g_assert_nonnull (strstr (assay_record_get_damage (run), "predicted_peak_vram"));
      g_autoptr(AssayChain) chain = assay_chain_new (ledger, "a");
      g_autofree char *text = assay_chain_dup_text (chain);
      g_assert_nonnull (strstr (text, "damaged: "));
      g_assert_false (assay_chain_has_plan (chain));
    }
}

static void
test_hostile_text_stays_one_line (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  AssayRecord *run = judgment_run ("a", ASSAY_STATUS_FAILED, "error", "line\nbreak\033[31m\xff\xfe", NULL);
  judgment_add (ledger, run);
  g_autoptr(AssayChain) chain = assay_chain_new (ledger, "a");
  g_autoptr(AssayChainStep) step = assay_chain_dup_step (chain, 0);
  for (guint k = 0; k < step->lines->len; k++)
    {
      const AssayChainLine *line = g_ptr_array_index (step->lines, k);
      g_assert_true (g_utf8_validate (line->text, -1, NULL));
      g_assert_null (strpbrk (line->text, "\n\033"));
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ledger/chain/story-reads-as-it-happened", test_story_reads_as_it_happened);
  g_test_add_func ("/ledger/chain/step-tells-change-forecast-and-figures", test_step_tells_change_forecast_and_figures);
  g_test_add_func ("/ledger/chain/branches-and-the-plan-are-told", test_branches_and_the_plan_are_told);
  g_test_add_func ("/ledger/chain/text-holds-every-line-of-every-step", test_text_holds_every_line_of_every_step);
  g_test_add_func ("/ledger/chain/what-was-foretold-survives-the-file", test_what_was_foretold_survives_the_file);
  g_test_add_func ("/ledger/chain/repetition-is-told-as-the-reason", test_repetition_is_told_as_the_reason);
  g_test_add_func ("/ledger/chain/no-plan-is-said-and-the-signal-is-still-told",
                   test_no_plan_is_said_and_the_signal_is_still_told);
  g_test_add_func ("/ledger/chain/missing-and-deleted-parents-are-told-apart",
                   test_missing_and_deleted_parents_are_told_apart);
  g_test_add_func ("/ledger/chain/circle-ends-and-is-told", test_circle_ends_and_is_told);
  g_test_add_func ("/ledger/chain/two-parents-are-told", test_two_parents_are_told);
  g_test_add_func ("/ledger/chain/ten-thousand-steps-are-one-walk", test_ten_thousand_steps_are_one_walk);
  g_test_add_func ("/ledger/chain/list-tells-each-run-once", test_list_tells_each_run_once);
  g_test_add_func ("/ledger/chain/hostile-forecast-is-told", test_hostile_forecast_is_told);
  g_test_add_func ("/ledger/chain/hostile-text-stays-one-line", test_hostile_text_stays_one_line);
  return g_test_run ();
}
