/* SPDX-License-Identifier: GPL-3.0-or-later */
/* app/cli-run.c: the verb run: a trial, its repeats, and where they are written. The ledger is read before the run, so
 * that a broken one is noticed while nothing is lost. */
#include "cli.h"

#include <errno.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "assay-store.h"

#define NOT_GIVEN G_MININT

/* Samples replace samples, never a ledger, a model or anything else that somebody wrote. */
static gboolean
samples_may_go_to (const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);
  char head[5] = "";
  if (g_file_test (path, G_FILE_TEST_EXISTS))
    {
      FILE *file = g_file_test (path, G_FILE_TEST_IS_REGULAR) ? fopen (path, "re") : NULL;
      if (file == NULL || (fread (head, 1, 4, file) > 0 && strcmp (head, "t_ns") != 0))
        {
          cli_complain (CLI_USAGE, _("%s is there already and does not hold samples; name another file for --samples"), path);
          g_clear_pointer (&file, fclose);
          return FALSE;
        }
      fclose (file);
    }
  if (g_access (folder, W_OK) == 0)
    return TRUE;
  cli_complain (CLI_USAGE, _("samples cannot be written into %s: %s"), folder, g_strerror (errno));
  return FALSE;
}

/* What a save will need, asked before a trial is spent on it. */
gboolean
cli_trial_can_write (const char *ledger_path)
{
  g_autofree char *folder = g_path_get_dirname (ledger_path);
  if (!g_str_has_suffix (ledger_path, ASSAY_LEDGER_SUFFIX))
    g_printerr (_("assay: the library lists only files called *%s; this one is found by its path\n"), ASSAY_LEDGER_SUFFIX);
  if (g_access (folder, W_OK) == 0)
    return TRUE;
  cli_complain (CLI_BAD_FILE, _("the ledger cannot be saved into %s: %s"), folder, g_strerror (errno));
  return FALSE;
}

static int
run_check (CliRequest *request, gint repeats)
{
  if (request->ledger_path == NULL)
    return cli_complain (CLI_USAGE, _("--ledger FILE is needed: a run is always written down"));
  if (repeats != NOT_GIVEN && (repeats < 1 || repeats > 1000))
    return cli_complain (CLI_USAGE, _("--repeats is 1 to 1000"));
  return cli_trial_can_write (request->ledger_path) ? CLI_OK : CLI_BAD_FILE;
}

/* A sweep changes one field of a run, and nothing is said of its trials beside that. */
static int
run_sweep (CliRequest *request, char **sweeps, gint repeats, gboolean later, const CliQueueOptions *queue)
{
  if (request->from == NULL)
    return cli_complain (CLI_USAGE, _("--sweep needs --from RUN_ID: the run that all its trials continue"));
  if (request->settings != NULL || request->questions != NULL || request->prompt != NULL
      || request->trial.samples_path != NULL)
    return cli_complain (CLI_USAGE, _("--sweep is the one change of its trials: it goes without --set, --questions, "
                                      "--prompt and --samples"));
  return cli_queue_sweep (request->ledger_path, request->from, sweeps, repeats != NOT_GIVEN ? repeats : 0, later, queue,
                          request->trial.json);
}

static int
run_request (CliRequest *request, gint repeats)
{
  if (request->trial.samples_path != NULL && !samples_may_go_to (request->trial.samples_path))
    return CLI_USAGE;
  const int status = cli_request_read (request);
  if (status != CLI_OK)
    return status;
  if (assay_ledger_is_read_only (request->trial.ledger))
    return cli_complain (CLI_BAD_FILE, "%s", assay_ledger_get_read_only_reason (request->trial.ledger));
  if (repeats != NOT_GIVEN)
    assay_values_set_integer (request->trial.conditions, ASSAY_FIELD_REPEATS, repeats);
  return cli_trial_perform (&request->trial);
}

int
cli_run (int argc, char **argv)
{
  gint repeats = NOT_GIVEN;
  gboolean later = FALSE;
  g_autofree char *samples = NULL;
  g_auto (GStrv) sweeps = NULL;
  g_auto (CliQueueOptions) queue = { 0 };
  g_auto (CliRequest) request = { 0 };
  const GOptionEntry entries[] = {
    { "ledger", 0, 0, G_OPTION_ARG_FILENAME, &request.ledger_path, N_("The ledger to write into; made when it does not exist"), "FILE" },
    CLI_REQUEST_OPTIONS (request),
    { "repeats", 0, 0, G_OPTION_ARG_INT, &repeats, N_("Run it this often, each its own record"), "N" },
    { "samples", 0, 0, G_OPTION_ARG_FILENAME, &samples, N_("Write every memory sample here"), "FILE.csv" },
    { "sweep", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &sweeps, N_("Run --from again with one field at each of these values: FIELD=A,B,C; FIELD=FROM..TO+STEP; FIELD=FROM..TOxFACTOR; FIELD=* for all choices"), "FIELD=VALUES" },
    { "later", 0, 0, G_OPTION_ARG_NONE, &later, N_("Only plan the trials of --sweep; ‘assay queue’ runs them"), NULL },
    CLI_QUEUE_OPTIONS (queue),
    { NULL },
  };
  if (!cli_parse ("run", entries, 0, 0, &argc, &argv, &request.trial.json))
    return CLI_USAGE;
  request.trial.samples_path = samples;
  if (sweeps == NULL && (later || queue.unfit != NULL || queue.wait_seconds != 0 || queue.stop_at_failure))
    return cli_complain (CLI_USAGE, _("--later, --unfit, --wait and --stop-at-failure go with --sweep"));
  const int status = run_check (&request, repeats);
  if (status != CLI_OK)
    return status;
  return sweeps != NULL ? run_sweep (&request, sweeps, repeats, later, &queue) : run_request (&request, repeats);
}
