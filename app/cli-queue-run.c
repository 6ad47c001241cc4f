/* SPDX-License-Identifier: GPL-3.0-or-later */
/* app/cli-queue-run.c: the queue without a window: what it pauses for, an option decides.
 *
 * Exit status: the greatest of its runs' (0 where all completed). A trial that it stopped before counts as the run that
 * was foretold, 10 or 11; one that was skipped counts as nothing. */
#include "cli.h"

#include <glib/gi18n.h>
#include <string.h>

#include "assay-lock.h"
#include "assay-queue.h"
#include "assay-store.h"
#include "assay-sweep.h"

#define LOOK_AGAIN_SECONDS 2u

typedef struct
{
  AssayLedger *ledger;
  const char *path;
  const CliQueueOptions *options;
  gboolean json;
  AssayQueue *queue;
  GMainLoop *loop;
  gint64 waits_until_us; /* 0: waits for nothing */
  guint look_again;      /* source id */
  int status;
} QueueRun;

gboolean
cli_queue_check_options (const CliQueueOptions *options)
{
  static const char *const unfit[] = { "stop", "skip", "run", NULL };
  if (options->unfit != NULL && !g_strv_contains (unfit, options->unfit))
    cli_complain (CLI_USAGE, _("--unfit is stop, skip or run, not ‘%s’"), options->unfit);
  else if (options->wait_seconds < 0)
    cli_complain (CLI_USAGE, _("--wait is a number of seconds"));
  else
    return TRUE;
  return FALSE;
}

void
cli_queue_clear_options (CliQueueOptions *options)
{
  g_clear_pointer (&options->unfit, g_free);
}

static void
on_run (AssayQueue *queue, AssayRecord *planned, gpointer data)
{
  QueueRun *self = data;
  const char *id = assay_record_get_id (planned);
  g_autoptr (AssayRecord) record = NULL;
  CliTrial trial = { .ledger_path = self->path,
                     .ledger = self->ledger,
                     .conditions = assay_record_get_conditions (planned),
                     .questions = assay_queue_get_questions (self->ledger, planned),
                     .parent = assay_record_get_parent (planned),
                     .changed = assay_record_get_changed (planned),
                     .planned = id,
                     .json = self->json };
  self->waits_until_us = 0;
  const int status = cli_trial_run_once (&trial, 0, 1, &record);
  self->status = MAX (self->status, status);
  if (record == NULL) /* not saved: what comes after could not be either */
    assay_queue_stop (queue);
  AssayRecord *last = assay_ledger_find_planned_run (self->ledger, id);
  assay_queue_finished (queue, last);
}

static gboolean
on_look_again (gpointer data)
{
  QueueRun *self = data;
  self->look_again = 0;
  assay_queue_retry (self->queue);
  return G_SOURCE_REMOVE;
}

/* Memory that others hold may come free; what never fits does not. */
static gboolean
queue_waits (QueueRun *self, const AssayReadiness *readiness)
{
  const gint64 now_us = g_get_monotonic_time ();
  if (readiness->state != ASSAY_READY_HELD || self->options->wait_seconds == 0)
    return FALSE;
  if (self->waits_until_us == 0)
    {
      self->waits_until_us = now_us + (gint64) self->options->wait_seconds * G_USEC_PER_SEC;
      g_printerr (_("assay: waiting: %s\n"), readiness->words);
    }
  if (now_us >= self->waits_until_us)
    return FALSE;
  self->look_again = g_timeout_add_seconds (LOOK_AGAIN_SECONDS, on_look_again, self);
  return TRUE;
}

static void
queue_decide (QueueRun *self)
{
  const AssayReadiness *readiness = assay_queue_get_readiness (self->queue);
  if (queue_waits (self, readiness))
    return;
  self->waits_until_us = 0;
  g_autofree char *change = assay_planned_dup_change (self->ledger, assay_queue_get_current (self->queue));
  g_printerr (_("assay: planned trial %s (%s): %s\n"), assay_record_get_id (assay_queue_get_current (self->queue)), change,
              readiness->words);
  if (g_strcmp0 (self->options->unfit, "run") == 0)
    assay_queue_run_anyway (self->queue);
  else if (g_strcmp0 (self->options->unfit, "skip") == 0)
    assay_queue_skip (self->queue);
  else
    {
      self->status = MAX (self->status, cli_exit_status (readiness->status));
      g_printerr (_("assay: the queue stops here; what is left stays planned (--unfit skip or run goes on)\n"));
      assay_queue_stop (self->queue);
    }
}

static gboolean
on_decide (gpointer data)
{
  QueueRun *self = data;
  if (assay_queue_get_state (self->queue) == ASSAY_QUEUE_PAUSED)
    queue_decide (self);
  return G_SOURCE_REMOVE;
}

static void
on_state (AssayQueue *queue, GParamSpec *pspec, gpointer data)
{
  if (assay_queue_get_state (queue) == ASSAY_QUEUE_PAUSED)
    g_idle_add (on_decide, data);
}

static void
on_ended (AssayQueue *queue, gpointer data)
{
  g_main_loop_quit (((QueueRun *) data)->loop);
}

static void
queue_tell_left (AssayLedger *ledger)
{
  const guint left = assay_ledger_count_left (ledger);
  if (left > 0)
    g_printerr (ngettext ("assay: %u planned trial is left\n", "assay: %u planned trials are left\n", left), left);
}

/* The one that is at a queue takes up what is planned meanwhile. Where no lock can be made, no run can be saved either,
 * which says so itself. */
int
cli_queue_perform (AssayLedger *ledger, const char *path, GPtrArray *only, const CliQueueOptions *options, gboolean json)
{
  g_autofree char *canonical = g_canonicalize_filename (path, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayLock) lock = assay_lock_take_queue (canonical, &error);
  if (g_error_matches (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_BUSY))
    return cli_complain (CLI_BAD_FILE, "%s", error->message);
  g_autoptr (AssayQueue) queue = assay_queue_new (ledger);
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  QueueRun self = { .ledger = ledger, .path = canonical, .options = options, .json = json, .queue = queue, .loop = loop };
  assay_queue_set_only (queue, only);
  assay_queue_set_stops_at_failure (queue, options->stop_at_failure);
  g_signal_connect (queue, "run", G_CALLBACK (on_run), &self);
  g_signal_connect (queue, "ended", G_CALLBACK (on_ended), &self);
  g_signal_connect (queue, "notify::state", G_CALLBACK (on_state), &self);
  assay_queue_start (queue);
  if (assay_queue_is_active (queue))
    g_main_loop_run (loop);
  else if (!json)
    g_print ("%s\n", _("Nothing is planned."));
  queue_tell_left (ledger);
  return self.status;
}

/* --- run --sweep --- */

static int
sweep_complain_of_two (char **sweeps)
{
  g_autoptr (GString) names = g_string_new (NULL);
  for (char **s = sweeps; *s != NULL; s++)
    g_string_append_printf (names, "%s%.*s", names->len > 0 ? ", " : "", (int) strcspn (*s, "="), *s);
  return cli_complain (CLI_RULE, _("one axis at a time: --sweep names %s. Run them as separate sweeps."), names->str);
}

static AssaySweep *
sweep_read (AssayRecord *parent, const char *text, int *status)
{
  g_autoptr (GError) error = NULL;
  const char *equals = strchr (text, '=');
  g_autofree char *name = equals != NULL ? g_strndup (text, (gsize) (equals - text)) : NULL;
  const AssayFieldId field = name != NULL ? assay_field_from_name (name) : ASSAY_FIELD_INVALID;
  *status = CLI_USAGE;
  if (field == ASSAY_FIELD_INVALID)
    {
      cli_complain (CLI_USAGE, _("--sweep takes FIELD=VALUES (‘assay fields’ lists the fields), not ‘%s’"), text);
      return NULL;
    }
  AssaySweep *sweep = assay_sweep_new (parent, field, equals + 1, &error);
  if (sweep == NULL)
    {
      *status = g_error_matches (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_RULE) ? CLI_RULE : CLI_USAGE;
      cli_complain (*status, "%s", error->message);
    }
  return sweep;
}

static int
sweep_plan (AssayLedger *ledger, const char *path, AssaySweep *sweep)
{
  GError *error = NULL;
  for (guint i = 0; i < sweep->told->len; i++)
    g_printerr ("assay: %s\n", (const char *) sweep->told->pdata[i]);
  if (!assay_ledger_add_planned (ledger, sweep->planned, &error))
    return cli_fail (CLI_RULE, error);
  return cli_save_ledger (ledger, path) ? CLI_OK : CLI_FAILED;
}

int
cli_queue_sweep (const char *path, const char *from, char **sweeps, gint repeats, gboolean later,
                 const CliQueueOptions *options, gboolean json)
{
  int status;
  if (sweeps[1] != NULL)
    return sweep_complain_of_two (sweeps);
  if (!cli_queue_check_options (options))
    return CLI_USAGE;
  g_autoptr (AssayLedger) ledger = cli_load_ledger (path);
  if (ledger == NULL)
    return CLI_BAD_FILE;
  if (assay_ledger_is_read_only (ledger))
    return cli_complain (CLI_BAD_FILE, "%s", assay_ledger_get_read_only_reason (ledger));
  AssayRecord *parent = cli_find_run (ledger, from);
  if (parent == NULL)
    return CLI_USAGE;
  g_autoptr (AssaySweep) sweep = sweep_read (parent, sweeps[0], &status);
  if (sweep == NULL)
    return status;
  if (repeats > 0)
    assay_sweep_set_repeats (sweep, repeats);
  cli_trial_adopt_journal (ledger, path);
  status = sweep_plan (ledger, path, sweep);
  if (status != CLI_OK)
    return status;
  if (!later)
    return cli_queue_perform (ledger, path, sweep->planned, options, json);
  queue_tell_left (ledger);
  return CLI_OK;
}
