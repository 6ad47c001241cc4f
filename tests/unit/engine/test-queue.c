/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A ledger's planned trials one after another: their order, what they pause for, and that each is as if it ran alone. */
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "assay-child.h"
#include "assay-queue.h"
#include "assay-sweep.h"
#include "tiny-model.h"
#include "trial-fixture.h"

static char *folder, *model;

typedef struct
{
  AssayLedger *ledger; /* with one run, that the planned trials continue */
  AssayRecord *parent;
  AssayQueue *queue;
  GMainLoop *loop;
  guint n_ended, n_paused;
} Bench;

/* Runs a planned trial as a window or the command line would. */
static void
on_run (AssayQueue *queue, AssayRecord *planned, Bench *self)
{
  AssayValues *conditions = assay_record_get_conditions (planned);
  g_autoptr (AssayTrial) trial = assay_trial_new (conditions, NULL, assay_record_get_parent (planned),
                                                  assay_record_get_changed (planned));
  if (assay_record_get_parent (planned) != NULL)
    assay_trial_set_parent (trial, self->parent);
  assay_trial_set_planned (trial, assay_record_get_id (planned));
  assay_trial_start (trial);
  while (assay_trial_get_record (trial) == NULL)
    g_main_context_iteration (NULL, TRUE);
  assay_ledger_add_run (self->ledger, assay_trial_get_record (trial));
  assay_queue_finished (queue, assay_trial_get_record (trial));
}

static void
on_ended (AssayQueue *queue, Bench *self)
{
  self->n_ended++;
  g_main_loop_quit (self->loop);
}

static void
on_state (AssayQueue *queue, GParamSpec *pspec, Bench *self)
{
  if (assay_queue_get_state (queue) != ASSAY_QUEUE_PAUSED)
    return;
  self->n_paused++;
  g_main_loop_quit (self->loop);
}

static AssayValues *
bench_conditions (void)
{
  AssayValues *conditions = trial_fixture_conditions (model);
  assay_values_set_real (conditions, ASSAY_FIELD_TEMPERATURE, 0.9);
  assay_values_set_integer (conditions, ASSAY_FIELD_SEED, 7);
  return conditions;
}

static void
set_up (Bench *self, gconstpointer data)
{
  self->ledger = assay_ledger_new (ASSAY_TASK_LANGUAGE, "queue");
  self->parent = trial_fixture_run (bench_conditions (), NULL);
  trial_fixture_assert_status (self->parent, ASSAY_STATUS_COMPLETED);
  assay_ledger_add_run (self->ledger, self->parent);
  self->queue = assay_queue_new (self->ledger);
  self->loop = g_main_loop_new (NULL, FALSE);
  g_signal_connect (self->queue, "run", G_CALLBACK (on_run), self);
  g_signal_connect (self->queue, "ended", G_CALLBACK (on_ended), self);
  g_signal_connect (self->queue, "notify::state", G_CALLBACK (on_state), self);
}

static void
tear_down (Bench *self, gconstpointer data)
{
  g_signal_handlers_disconnect_by_data (self->queue, self);
  g_object_unref (self->queue);
  g_object_unref (self->ledger);
  g_object_unref (self->parent);
  g_main_loop_unref (self->loop);
}

static AssaySweep *
sweep_new (Bench *self, const char *field, const char *values)
{
  g_autoptr (GError) error = NULL;
  AssaySweep *sweep = assay_sweep_new (self->parent, assay_field_from_name (field), values, &error);
  g_assert_no_error (error);
  return sweep;
}

static void
plan_sweep (Bench *self, const char *field, const char *values)
{
  g_autoptr (AssaySweep) sweep = sweep_new (self, field, values);
  g_autoptr (GError) error = NULL;
  assay_ledger_add_planned (self->ledger, sweep->planned, &error);
  g_assert_no_error (error);
}

/* On a device of its own with so much memory; a baseline. */
static void
plan_budget (Bench *self, const char *budget)
{
  g_autoptr (AssayValues) conditions = bench_conditions ();
  g_autoptr (GPtrArray) list = g_ptr_array_new_with_free_func (g_object_unref);
  g_assert_true (assay_values_parse (conditions, ASSAY_FIELD_DEVICE, "virtual", NULL));
  g_assert_true (assay_values_parse_user (conditions, ASSAY_FIELD_VRAM_BUDGET, budget, NULL));
  assay_trial_fill_defaults (conditions);
  g_ptr_array_add (list, assay_planned_new (conditions, NULL, NULL));
  assay_ledger_add_planned (self->ledger, list, NULL);
}

/* Until it pauses or ends. */
static void
wait_for_it (Bench *self)
{
  if (assay_queue_get_state (self->queue) == ASSAY_QUEUE_CHECKING)
    g_main_loop_run (self->loop);
}

static void
run_queue (Bench *self)
{
  assay_queue_start (self->queue);
  wait_for_it (self);
}

static AssayRecord *
get_run (Bench *self, guint i)
{
  return assay_ledger_get_run (self->ledger, i);
}

static void
test_a_sweep_moves_one_axis (Bench *self, gconstpointer data)
{
  plan_sweep (self, "max_tokens", "4, 6, 8");
  run_queue (self);
  g_assert_cmpuint (self->n_ended, ==, 1);
  g_assert_cmpuint (assay_ledger_get_n_runs (self->ledger), ==, 4);
  g_assert_cmpuint (assay_ledger_count_left (self->ledger), ==, 0);
  for (guint i = 1; i < 4; i++)
    {
      g_autoptr (AssayChildVerdict) verdict = assay_child_verdict (self->parent, get_run (self, i));
      AssayRecord *planned = assay_ledger_get_planned (self->ledger)->pdata[i - 1];
      if (!verdict->satisfied)
        g_error ("%s", verdict->words);
      g_assert_cmpstr (assay_record_get_planned (get_run (self, i)), ==, assay_record_get_id (planned));
      g_assert_cmpint (trial_fixture_output (get_run (self, i), 0)->output_tokens, ==, 2 + 2 * i);
    }
}

/* Nothing is carried over from the trial before: not the drawn numbers, not the cache, not its type. */
static void
test_each_answer_is_that_of_its_own_conditions (Bench *self, gconstpointer data)
{
  plan_sweep (self, "seed", "1, 2, 3");
  plan_sweep (self, "kv_cache_type", "q8_0, float16");
  plan_sweep (self, "seed", "11");
  run_queue (self);
  g_assert_cmpuint (assay_ledger_get_n_runs (self->ledger), ==, 7);
  g_autoptr (GHashTable) texts = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 1; i < 7; i++)
    {
      AssayRecord *planned = assay_ledger_get_planned (self->ledger)->pdata[i - 1], *run = get_run (self, i);
      g_autoptr (AssayRecord) alone = trial_fixture_run (assay_values_copy (assay_record_get_conditions (planned)), NULL);
      trial_fixture_assert_status (run, ASSAY_STATUS_COMPLETED);
      g_assert_true (assay_values_equal (assay_record_get_conditions (run), assay_record_get_conditions (planned)));
      g_assert_cmpstr (trial_fixture_output (run, 0)->text, ==, trial_fixture_output (alone, 0)->text);
      g_hash_table_add (texts, trial_fixture_output (run, 0)->text);
    }
  g_assert_cmpuint (g_hash_table_size (texts), >=, 4); /* else the comparison could not see it */
}

static void
test_repeats_are_runs_of_their_own (Bench *self, gconstpointer data)
{
  g_autoptr (AssaySweep) sweep = sweep_new (self, "max_tokens", "4,6");
  assay_sweep_set_repeats (sweep, 2);
  assay_ledger_add_planned (self->ledger, sweep->planned, NULL);
  run_queue (self);
  g_assert_cmpuint (assay_ledger_get_n_runs (self->ledger), ==, 5);
  g_assert_cmpuint (assay_ledger_count_planned_runs (self->ledger, assay_record_get_id (sweep->planned->pdata[0])), ==, 2);
  g_assert_cmpuint (assay_ledger_count_left (self->ledger), ==, 0);
}

static void
test_pauses_before_what_cannot_fit (Bench *self, gconstpointer data)
{
  plan_budget (self, "1 GiB");
  plan_budget (self, "4 KiB");
  plan_budget (self, "1 GiB");
  run_queue (self);
  g_assert_cmpuint (self->n_paused, ==, 1);
  g_assert_cmpuint (assay_queue_get_n_finished (self->queue), ==, 1);
  const AssayReadiness *readiness = assay_queue_get_readiness (self->queue);
  g_assert_cmpint (readiness->state, ==, ASSAY_READY_NEVER);
  g_assert_cmpint (readiness->status, ==, ASSAY_STATUS_OOM_DEVICE);
  g_assert_nonnull (strstr (readiness->words, "4.00 KiB"));
  assay_queue_retry (self->queue);
  wait_for_it (self);
  g_assert_cmpuint (self->n_paused, ==, 2);
  assay_queue_skip (self->queue);
  wait_for_it (self);
  g_assert_cmpuint (self->n_ended, ==, 1);
  g_assert_cmpuint (assay_ledger_get_n_runs (self->ledger), ==, 3);
  g_assert_cmpuint (assay_ledger_count_left (self->ledger), ==, 1); /* skipped, and still planned */
}

static void
test_a_failed_trial_is_a_record_and_stops_nothing (Bench *self, gconstpointer data)
{
  plan_budget (self, "4 KiB");
  plan_budget (self, "1 GiB");
  assay_queue_set_runs_anyway (self->queue, TRUE);
  run_queue (self);
  g_assert_cmpuint (self->n_paused, ==, 0);
  trial_fixture_assert_status (get_run (self, 1), ASSAY_STATUS_OOM_DEVICE);
  trial_fixture_assert_status (get_run (self, 2), ASSAY_STATUS_COMPLETED);
}

static void
test_stops_at_a_failure_where_that_is_asked (Bench *self, gconstpointer data)
{
  plan_budget (self, "4 KiB");
  plan_budget (self, "1 GiB");
  assay_queue_set_stops_at_failure (self->queue, TRUE);
  run_queue (self);
  assay_queue_run_anyway (self->queue);
  wait_for_it (self);
  g_assert_cmpuint (self->n_ended, ==, 1);
  trial_fixture_assert_status (get_run (self, 1), ASSAY_STATUS_OOM_DEVICE);
  g_assert_cmpuint (assay_ledger_get_n_runs (self->ledger), ==, 2);
  g_assert_cmpuint (assay_ledger_count_left (self->ledger), ==, 1);
}

static void
test_only_those_that_were_named_are_run (Bench *self, gconstpointer data)
{
  plan_sweep (self, "seed", "1");
  g_autoptr (AssaySweep) sweep = sweep_new (self, "max_tokens", "4,6");
  assay_ledger_add_planned (self->ledger, sweep->planned, NULL);
  assay_queue_set_only (self->queue, sweep->planned);
  run_queue (self);
  g_assert_cmpuint (assay_ledger_get_n_runs (self->ledger), ==, 3);
  g_assert_cmpstr (assay_record_get_changed (get_run (self, 1)), ==, "max_tokens");
  g_assert_cmpuint (assay_ledger_count_left (self->ledger), ==, 1);
}

/* The one that is looked at goes; what is left decides, not what was. */
static void
test_a_trial_removed_while_it_is_looked_at_is_not_run (Bench *self, gconstpointer data)
{
  plan_sweep (self, "max_tokens", "4,6");
  assay_queue_start (self->queue);
  const char *const ids[] = { assay_record_get_id (assay_queue_get_current (self->queue)), NULL };
  assay_ledger_remove_planned (self->ledger, ids);
  wait_for_it (self);
  g_assert_cmpuint (assay_ledger_get_n_runs (self->ledger), ==, 2);
  g_assert_cmpint (trial_fixture_output (get_run (self, 1), 0)->output_tokens, ==, 6);
}

static void
test_stopping_leaves_the_rest_planned (Bench *self, gconstpointer data)
{
  plan_sweep (self, "max_tokens", "4,6");
  assay_queue_start (self->queue);
  assay_queue_stop (self->queue);
  g_assert_cmpuint (self->n_ended, ==, 1);
  while (g_main_context_iteration (NULL, FALSE)) /* an answer that comes too late */
    ;
  g_assert_cmpuint (assay_ledger_get_n_runs (self->ledger), ==, 1);
  run_queue (self);
  g_assert_cmpuint (assay_ledger_get_n_runs (self->ledger), ==, 3);
}

/* --- sweeps --- */

typedef struct
{
  const char *field, *values, *planned, *told; /* planned: "4 6"; told: part of the first sentence, or NULL */
} SweepCase;

static const SweepCase sweeps[] = {
  { "max_tokens", "4", "4", NULL },
  { "max_tokens", " 4 , 6,8 ", "4 6 8", NULL },
  { "max_tokens", "4..8", "4 5 6 7 8", NULL },
  { "max_tokens", "4..11+3", "4 7 10", NULL },
  { "max_tokens", "4..64x2", "4 8 16 32 64", NULL },
  { "max_tokens", "4,12,6", "4 6", "what run" },
  { "max_tokens", "4,6,4", "4 6", "twice" },
  { "temperature", "0..1+0.25", "0 0.25 0.5 0.75 1", NULL },
  { "temperature", "0.1..0.5+1e-1", "0.1 0.2 0.3 0.4 0.5", NULL },
  { "vram_budget", "1GiB..4GiBx2", "1073741824 2147483648 4294967296", NULL },
  { "vram_budget", "1GiB..2GiB+512MiB", "1073741824 1610612736 2147483648", NULL },
  { "prompt", "Weigh this\\, then that,Weigh", "Weigh this, then that|Weigh", NULL },
};

static void
test_values_of_a_sweep (Bench *self, gconstpointer data)
{
  for (guint i = 0; i < G_N_ELEMENTS (sweeps); i++)
    {
      g_autoptr (AssaySweep) sweep = sweep_new (self, sweeps[i].field, sweeps[i].values);
      const AssayFieldId field = assay_field_from_name (sweeps[i].field);
      g_autoptr (GString) text = g_string_new (NULL);
      for (guint k = 0; k < sweep->planned->len; k++)
        {
          g_autofree char *one = assay_values_dup_text (assay_record_get_conditions (sweep->planned->pdata[k]), field);
          g_string_append_printf (text, "%s%s", k == 0 ? "" : field == ASSAY_FIELD_PROMPT ? "|" : " ", one);
          g_assert_cmpstr (assay_record_get_parent (sweep->planned->pdata[k]), ==, assay_record_get_id (self->parent));
          g_assert_cmpstr (assay_record_get_changed (sweep->planned->pdata[k]), ==, sweeps[i].field);
        }
      g_assert_cmpstr (text->str, ==, sweeps[i].planned);
      g_assert_cmpuint (sweep->told->len, ==, sweeps[i].told != NULL);
      if (sweeps[i].told != NULL)
        g_assert_nonnull (strstr (sweep->told->pdata[0], sweeps[i].told));
    }
}

typedef struct
{
  const char *field, *values, *word;
} SweepRefusal;

static const SweepRefusal refusals[] = {
  { "max_tokens", "4,many", "many" },
  { "max_tokens", "4,,6", "empty" },
  { "max_tokens", "", "empty" },
  { "max_tokens", "8..4", "smaller" },
  { "max_tokens", "4..8+0", "step" },
  { "max_tokens", "4..8+x", "step" },
  { "max_tokens", "4..8x1", "factor" },
  { "max_tokens", "1..100000", "at most 100" },
  { "max_tokens", "12", "nothing" },
  { "max_tokens", "*", "no list of choices" },
  { "offload_mode", "none,group", "offload_mode=group" }, /* the processor has no second memory */
  { "model_path", "other.gguf", "model_path" },
  { "offload_api", "x", "offload_api" },
  { "peak_ram", "4", "peak_ram" },
};

static void
test_what_breaks_a_rule_is_refused_in_its_words (Bench *self, gconstpointer data)
{
  for (guint i = 0; i < G_N_ELEMENTS (refusals); i++)
    {
      g_autoptr (GError) error = NULL;
      AssaySweep *sweep
          = assay_sweep_new (self->parent, assay_field_from_name (refusals[i].field), refusals[i].values, &error);
      g_assert_null (sweep);
      g_assert_true (error->domain == ASSAY_LEDGER_ERROR);
      if (strstr (error->message, refusals[i].word) == NULL)
        g_error ("%s=%s: %s", refusals[i].field, refusals[i].values, error->message);
    }
}

/* "*" is all that can be run, and what cannot is told. */
static void
test_all_choices_are_those_that_can_be_run (Bench *self, gconstpointer data)
{
  g_autoptr (AssaySweep) sweep = sweep_new (self, "kv_cache_type", "*");
  const guint n = g_strv_length ((char **) assay_field_get_choices (ASSAY_FIELD_KV_CACHE_TYPE));
  g_assert_cmpuint (sweep->planned->len, >=, 2);
  g_assert_cmpuint (sweep->planned->len + sweep->told->len, ==, n);
}

/* --- readiness --- */

typedef struct
{
  gint64 need, free, total;
  gboolean on_card;
  const char *holders;
  AssayReadyState state;
  const char *word;
} Judged;

static const Judged judged[] = {
  { 100, 100, 200, FALSE, "", ASSAY_READY, NULL },
  { 101, 100, 200, FALSE, "firefox (812): 50 B", ASSAY_READY_HELD, "firefox (812)" },
  { 101, 100, 200, TRUE, "python3 (90): 99 B", ASSAY_READY_HELD, "python3 (90)" },
  { 101, 100, 200, TRUE, "", ASSAY_READY_HELD, "other programs" },
  { 201, 100, 200, FALSE, "firefox (812): 50 B", ASSAY_READY_NEVER, "this machine" },
  { 201, 100, 200, TRUE, "python3 (90): 99 B", ASSAY_READY_NEVER, "the card" },
  { 101, -1, 200, FALSE, "", ASSAY_READY, NULL },
  { 101, 100, -1, FALSE, "x", ASSAY_READY_HELD, "x" },
};

static void
test_who_holds_the_memory_is_named (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (judged); i++)
    {
      const Judged *j = &judged[i];
      const AssayReadyMemory memory = { .need = j->need, .free = j->free, .total = j->total, .on_card = j->on_card };
      AssayReadyState state;
      g_autofree char *words = assay_readiness_judge (&memory, j->holders, &state);
      g_assert_cmpint (state, ==, j->state);
      g_assert_true ((words == NULL) == (j->word == NULL));
      if (j->word != NULL)
        g_assert_nonnull (strstr (words, j->word));
    }
}

/* A child with more than anybody else here. */
static void
test_holders_of_ram (void)
{
  const gsize bytes = (gsize) 1 << 30;
  int ready[2];
  char byte = 0;
  g_assert_cmpint (pipe (ready), ==, 0);
  const pid_t child = fork ();
  if (child == 0)
    {
      char *held = malloc (bytes);
      memset (held, 1, bytes);
      (void) !write (ready[1], held, 1);
      pause ();
      _exit (held[bytes / 2]);
    }
  g_assert_cmpint (read (ready[0], &byte, 1), ==, 1);
  g_autofree char *holders = assay_ram_dup_holders ();
  kill (child, SIGKILL);
  waitpid (child, NULL, 0);
  close (ready[0]);
  close (ready[1]);
  g_autofree char *named = g_strdup_printf ("(%d): 1.0", (int) child), *own = g_strdup_printf ("(%d):", (int) getpid ());
  g_assert_nonnull (strstr (holders, named));
  g_assert_null (strstr (holders, own));
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("assay-queue-XXXXXX", NULL);
  model = g_build_filename (folder, "model.gguf", NULL);
  tiny_model_save (&(TinyModel){ .tokenizer = TINY_GPT2, .n_embd = 64, .seed = 1 }, model); /* heads of a block of q8_0 */
#define ADD(NAME, FUNC) g_test_add ("/engine/queue/" NAME, Bench, NULL, set_up, FUNC, tear_down)
  ADD ("a-sweep-moves-one-axis", test_a_sweep_moves_one_axis);
  ADD ("each-answer-is-that-of-its-own-conditions", test_each_answer_is_that_of_its_own_conditions);
  ADD ("repeats-are-runs-of-their-own", test_repeats_are_runs_of_their_own);
  ADD ("pauses-before-what-cannot-fit", test_pauses_before_what_cannot_fit);
  ADD ("a-failed-trial-is-a-record-and-stops-nothing", test_a_failed_trial_is_a_record_and_stops_nothing);
  ADD ("stops-at-a-failure-where-that-is-asked", test_stops_at_a_failure_where_that_is_asked);
  ADD ("only-those-that-were-named-are-run", test_only_those_that_were_named_are_run);
  ADD ("a-trial-removed-while-it-is-looked-at-is-not-run", test_a_trial_removed_while_it_is_looked_at_is_not_run);
  ADD ("stopping-leaves-the-rest-planned", test_stopping_leaves_the_rest_planned);
  ADD ("values-of-a-sweep", test_values_of_a_sweep);
  ADD ("what-breaks-a-rule-is-refused-in-its-words", test_what_breaks_a_rule_is_refused_in_its_words);
  ADD ("all-choices-are-those-that-can-be-run", test_all_choices_are_those_that_can_be_run);
#undef ADD
  g_test_add_func ("/engine/readiness/who-holds-the-memory-is-named", test_who_holds_the_memory_is_named);
  g_test_add_func ("/engine/readiness/holders-of-ram", test_holders_of_ram);
  const int result = g_test_run ();
  g_unlink (model);
  g_rmdir (folder);
  g_free (folder);
  g_free (model);
  return result;
}
