/* SPDX-License-Identifier: GPL-3.0-or-later */
/* app/cli-trial.c: one trial, or its repeats, from whole conditions to a saved ledger.
 *
 * The run is noted in the recovery journal before it starts and taken out after the ledger was saved. SIGINT and SIGTERM
 * cancel: the record says so and is saved. */
#include "cli.h"

#include <errno.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <glib-unix.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "assay-export.h"
#include "assay-store.h"
#include "assay-trial.h"
#include "assay-write-out.h"

typedef struct
{
  GMainLoop *loop;
  AssayTrial *trial;
  AssayRecord *record; /* owned, once finished */
  gboolean interactive;
} RunState;

static void
on_finished (AssayTrial *trial, AssayRecord *record, gpointer data)
{
  RunState *state = data;
  state->record = g_object_ref (record);
  g_main_loop_quit (state->loop);
}

static gboolean
on_signal (gpointer data)
{
  RunState *state = data;
  assay_trial_cancel (state->trial);
  return G_SOURCE_CONTINUE;
}

static void
on_status_text (AssayTrial *trial, GParamSpec *pspec, gpointer data)
{
  RunState *state = data;
  if (!state->interactive)
    return;
  g_autofree char *text = NULL;
  g_object_get (trial, "status-text", &text, NULL);
  g_printerr ("\r\033[K%s", text != NULL ? text : "");
}

AssayRecord *
cli_trial_run_to_end (AssayTrial *trial)
{
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  RunState state = { .loop = loop, .trial = trial, .interactive = isatty (STDERR_FILENO) };
  g_signal_connect (trial, "finished", G_CALLBACK (on_finished), &state);
  g_signal_connect (trial, "notify::status-text", G_CALLBACK (on_status_text), &state);
  const guint interrupt = g_unix_signal_add (SIGINT, on_signal, &state);
  const guint terminate = g_unix_signal_add (SIGTERM, on_signal, &state);
  const guint hang_up = g_unix_signal_add (SIGHUP, on_signal, &state);
  assay_trial_start (trial);
  g_main_loop_run (loop);
  g_source_remove (interrupt);
  g_source_remove (terminate);
  g_source_remove (hang_up);
  g_signal_handlers_disconnect_by_data (trial, &state);
  if (state.interactive)
    g_printerr ("\r\033[K");
  return state.record;
}

static void
run_print (AssayLedger *ledger, AssayRecord *record, gboolean json)
{
  if (json)
    {
      g_autofree char *text = assay_export_record_json (ledger, record);
      g_print ("%s\n", text);
      return;
    }
  static const AssayFieldId shown[] = { ASSAY_FIELD_PEAK_VRAM, ASSAY_FIELD_PEAK_RAM, ASSAY_FIELD_PEAK_RAM_MAPPED,
                                        ASSAY_FIELD_ELAPSED_SECONDS, ASSAY_FIELD_GENERATE_TOKENS_PER_SECOND };
  g_print ("run_id: %s\nstatus: %s\n", assay_record_get_id (record), assay_run_status_get_name (assay_record_get_status (record)));
  for (gsize i = 0; i < G_N_ELEMENTS (shown); i++)
    if (assay_values_get_state (assay_record_get_burden (record), shown[i]) == ASSAY_VALUE_SET)
      {
        g_autofree char *text = assay_values_dup_display (assay_record_get_burden (record), shown[i]);
        g_print ("%s: %s\n", assay_field_get_info (shown[i])->name, text);
      }
  GPtrArray *outputs = assay_record_get_outputs (record);
  for (guint i = 0; i < outputs->len; i++)
    {
      const AssayOutput *output = g_ptr_array_index (outputs, i);
      g_autofree char *text = cli_dup_printable (output->text, output->text_length);
      if (*output->question != '\0')
        g_print ("\n[%s] %s\n", output->question, text);
      else
        g_print ("\n%s\n", text);
    }
  const char *problem = assay_values_get_text (assay_record_get_outcome (record), ASSAY_FIELD_ERROR);
  if (problem != NULL)
    cli_complain (CLI_OK, "%s", problem);
}

/* Saves; a failure leaves the run in the journal, where the next start finds it. */
static gboolean
run_save (CliTrial *self, AssayRecord *record, const char *journal)
{
  GError *error = NULL;
  if (!assay_store_save (self->ledger, self->ledger_path, &error))
    {
      cli_fail (CLI_FAILED, error);
      error = NULL;
      if (assay_journal_write (journal, self->ledger_path, record, &error))
        g_printerr (_("assay: the run is kept in the recovery journal and is added at the next run into this ledger\n"));
      else
        cli_fail (CLI_FAILED, error);
      return FALSE;
    }
  if (!assay_journal_remove (journal, assay_record_get_id (record), &error))
    cli_fail (CLI_OK, error);
  return TRUE;
}

/* FILE.csv; of several repeats FILE-1.csv, FILE-2.csv … (transfer full) */
static char *
samples_dup_path (const CliTrial *self, gint64 repeat, gint64 n_repeats)
{
  if (n_repeats == 1)
    return g_strdup (self->samples_path);
  const gsize stem = strlen (self->samples_path) - (g_str_has_suffix (self->samples_path, ".csv") ? 4 : 0);
  return g_strdup_printf ("%.*s-%" G_GINT64_FORMAT "%s", (int) stem, self->samples_path, repeat + 1, self->samples_path + stem);
}

static gboolean
run_write_samples (AssayTrial *trial, const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *csv = assay_series_dup_csv (assay_trial_get_series (trial));
  if (assay_write_out (path, csv, strlen (csv), &error))
    return TRUE;
  cli_complain (CLI_BAD_FILE, "%s", error->message);
  return FALSE;
}

int
cli_trial_run_once (CliTrial *self, gint64 repeat, gint64 n_repeats, AssayRecord **out)
{
  g_autofree char *journal = assay_journal_dup_default_folder ();
  g_autoptr (AssayTrial) trial = assay_trial_new (self->conditions, self->questions, self->parent, self->changed);
  AssayRecord *parent = self->parent != NULL ? assay_ledger_find_run (self->ledger, self->parent) : NULL;
  if (parent != NULL)
    assay_trial_set_parent (trial, parent);
  if (self->planned != NULL)
    assay_trial_set_planned (trial, self->planned);
  g_autoptr (AssayRecord) started = assay_trial_dup_started_record (trial);
  g_autoptr (GError) error = NULL;
  if (!assay_journal_write (journal, self->ledger_path, started, &error))
    g_printerr (_("assay: the recovery journal cannot be written, so a crash would lose this run: %s\n"), error->message);

  g_autoptr (AssayRecord) record = cli_trial_run_to_end (trial);
  assay_ledger_add_run (self->ledger, record);
  g_autofree char *samples = self->samples_path != NULL ? samples_dup_path (self, repeat, n_repeats) : NULL;
  const gboolean sampled = samples == NULL || run_write_samples (trial, samples);
  const gboolean saved = run_save (self, record, journal);
  run_print (self->ledger, record, self->json);
  if (out != NULL)
    *out = saved ? g_object_ref (record) : NULL;
  return saved && sampled ? cli_exit_status (assay_record_get_status (record)) : CLI_FAILED;
}

void
cli_trial_adopt_journal (AssayLedger *ledger, const char *ledger_path)
{
  g_autofree char *journal = assay_journal_dup_default_folder ();
  g_autofree char *path = g_canonicalize_filename (ledger_path, NULL);
  g_autoptr (GPtrArray) entries = assay_journal_list (journal, NULL);
  for (guint i = 0; entries != NULL && i < entries->len; i++)
    {
      AssayJournalEntry *entry = g_ptr_array_index (entries, i);
      g_autofree char *entry_path = entry->ledger_path != NULL ? g_canonicalize_filename (entry->ledger_path, NULL) : NULL;
      if (g_strcmp0 (entry_path, path) != 0)
        continue;
      const char *id = assay_record_get_id (entry->record);
      if (assay_ledger_find_run (ledger, id) == NULL)
        {
          assay_ledger_add_run (ledger, entry->record);
          g_printerr (_("assay: run %s of an earlier session was added from the recovery journal (%s)\n"), id,
                      assay_run_status_get_name (assay_record_get_status (entry->record)));
          if (!assay_store_save (ledger, ledger_path, NULL))
            continue; /* the run to come will say why */
        }
      assay_journal_remove (journal, id, NULL);
    }
}

int
cli_trial_perform (CliTrial *self)
{
  AssayFieldId field = ASSAY_FIELD_INVALID;
  g_autofree char *path = g_canonicalize_filename (self->ledger_path, NULL);
  self->ledger_path = path;
  assay_trial_fill_defaults (self->conditions);
  g_autofree char *problem = assay_trial_check_conditions (self->conditions, &field);
  if (problem != NULL && field == ASSAY_FIELD_MODEL_PATH)
    return cli_complain (CLI_USAGE, _("%s; give --set model_path=FILE (‘assay models’ lists what is here)"), problem);
  /* Any other broken rule goes through the trial: the refusal is a record, status `invalid`. */
  cli_trial_adopt_journal (self->ledger, self->ledger_path);
  gint64 repeats = 1;
  assay_values_get_integer (self->conditions, ASSAY_FIELD_REPEATS, &repeats);
  int status = CLI_OK;
  for (gint64 i = 0; i < repeats && status == CLI_OK; i++)
    status = cli_trial_run_once (self, i, repeats, NULL);
  return status;
}
