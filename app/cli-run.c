/* SPDX-License-Identifier: GPL-3.0-or-later */
/* app/cli-run.c: the verb run: one trial (or its repeats), from conditions to a saved ledger.
 *
 * The ledger is read before the run, so that a broken one is noticed while nothing is lost; the run is noted in the
 * recovery journal before it starts and taken out after the ledger was saved. SIGINT and SIGTERM cancel: the record
 * says so and is saved. */
#include "cli.h"

#include <errno.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <glib-unix.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "assay-axes.h"
#include "assay-export.h"
#include "assay-inspect.h"
#include "assay-store.h"
#include "assay-trial.h"

#define NOT_GIVEN G_MININT

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

static AssayRecord *
run_to_end (AssayTrial *trial)
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
      g_print ("\n[%s] %s\n", output->question, text);
    }
  const char *problem = assay_values_get_text (assay_record_get_outcome (record), ASSAY_FIELD_ERROR);
  if (problem != NULL)
    g_printerr ("assay: %s\n", problem);
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
  if (g_file_set_contents (path, csv, -1, &error))
    return TRUE;
  cli_complain (CLI_BAD_FILE, "%s", error->message);
  return FALSE;
}

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

static int
run_once (CliTrial *self, gint64 repeat, gint64 n_repeats)
{
  g_autofree char *journal = assay_journal_dup_default_folder ();
  g_autoptr (AssayTrial) trial = assay_trial_new (self->conditions, self->questions, self->parent, self->changed);
  g_autoptr (AssayRecord) started = assay_trial_dup_started_record (trial);
  g_autoptr (GError) error = NULL;
  if (!assay_journal_write (journal, self->ledger_path, started, &error))
    g_printerr (_("assay: the recovery journal cannot be written, so a crash would lose this run: %s\n"), error->message);

  g_autoptr (AssayRecord) record = run_to_end (trial);
  assay_ledger_add_run (self->ledger, record);
  g_autofree char *samples = self->samples_path != NULL ? samples_dup_path (self, repeat, n_repeats) : NULL;
  const gboolean sampled = samples == NULL || run_write_samples (trial, samples);
  const gboolean saved = run_save (self, record, journal);
  run_print (self->ledger, record, self->json);
  return saved && sampled ? cli_exit_status (assay_record_get_status (record)) : CLI_FAILED;
}

/* Runs that an earlier session began on this ledger and could not save. */
static void
adopt_journal (CliTrial *self)
{
  g_autofree char *journal = assay_journal_dup_default_folder ();
  g_autofree char *path = g_canonicalize_filename (self->ledger_path, NULL);
  g_autoptr (GPtrArray) entries = assay_journal_list (journal, NULL);
  for (guint i = 0; entries != NULL && i < entries->len; i++)
    {
      AssayJournalEntry *entry = g_ptr_array_index (entries, i);
      g_autofree char *entry_path = entry->ledger_path != NULL ? g_canonicalize_filename (entry->ledger_path, NULL) : NULL;
      if (g_strcmp0 (entry_path, path) != 0)
        continue;
      const char *id = assay_record_get_id (entry->record);
      if (assay_ledger_find_run (self->ledger, id) == NULL)
        {
          assay_ledger_add_run (self->ledger, entry->record);
          g_printerr (_("assay: run %s of an earlier session was added from the recovery journal (%s)\n"), id,
                      assay_run_status_get_name (assay_record_get_status (entry->record)));
          if (!assay_store_save (self->ledger, self->ledger_path, NULL))
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
  adopt_journal (self);
  gint64 repeats = 1;
  assay_values_get_integer (self->conditions, ASSAY_FIELD_REPEATS, &repeats);
  int status = CLI_OK;
  for (gint64 i = 0; i < repeats && status == CLI_OK; i++)
    status = run_once (self, i, repeats);
  return status;
}

/* --- the verb --- */

static AssayLedger *
run_open_ledger (const char *path)
{
  if (g_file_test (path, G_FILE_TEST_EXISTS) || g_file_test (path, G_FILE_TEST_IS_SYMLINK))
    return cli_load_ledger (path);
  g_autofree char *title = g_path_get_basename (path);
  if (g_str_has_suffix (title, ASSAY_LEDGER_SUFFIX))
    title[strlen (title) - strlen (ASSAY_LEDGER_SUFFIX)] = '\0';
  AssayLedger *ledger = assay_ledger_new (ASSAY_TASK_LANGUAGE, title);
  assay_ledger_take_criteria (ledger, assay_criteria_new_default (ASSAY_TASK_LANGUAGE));
  return ledger;
}

/* NAME of a bundled set, or a file. (transfer full) */
static char *
questions_dup_path (const char *name)
{
  if (g_file_test (name, G_FILE_TEST_EXISTS) || strchr (name, '/') != NULL)
    return g_strdup (name);
  g_autofree char *file = g_strconcat (name, ".questions.xml", NULL);
  const char *data = g_getenv ("ASSAY_DATA_DIR");
  return g_build_filename (data != NULL ? data : ASSAY_DATA_DIR, "questions", file, NULL);
}

static int
run_load_questions (CliTrial *self, const char *name)
{
  GError *error = NULL;
  g_autofree char *set = NULL, *path = questions_dup_path (name);
  GPtrArray *questions = assay_questions_load (path, &set, &error);
  if (questions == NULL)
    return cli_fail (CLI_BAD_FILE, error);
  assay_values_set_text (self->conditions, ASSAY_FIELD_QUESTION_SET, set);
  assay_values_unset (self->conditions, ASSAY_FIELD_PROMPT);
  assay_ledger_take_questions (self->ledger, questions, set);
  self->questions = assay_ledger_get_questions (self->ledger);
  return CLI_OK;
}

/* A child of --from changes exactly one axis; what changed is named, or all that moved. */
static int
run_check_child (CliTrial *self, AssayRecord *parent)
{
  g_autoptr (GPtrArray) differences = assay_axes_diff_conditions (assay_record_get_conditions (parent), self->conditions);
  const guint n = assay_axes_count (differences);
  if (n > 1)
    {
      g_autofree char *axes = assay_axes_describe (differences);
      return cli_complain (CLI_RULE, _("one axis at a time: against run %s these changed: %s. Run them as separate trials, "
                                       "or without --from as a new baseline."),
                           self->parent, axes);
    }
  if (n == 1)
    self->changed = assay_field_get_info (((AssayDifference *) g_ptr_array_index (differences, 0))->field)->name;
  return CLI_OK;
}

/* A file named by a setting says itself what model it is. One that cannot be read is left to the trial, whose record
 * will tell. */
static void
run_identify_model (AssayValues *conditions, char **settings)
{
  for (char **s = settings; s != NULL && *s != NULL; s++)
    if (g_str_has_prefix (*s, "model_path="))
      {
        g_autoptr (AssayInspection) inspection = assay_inspect (assay_values_get_text (conditions, ASSAY_FIELD_MODEL_PATH),
                                                                TRUE, NULL, NULL);
        if (inspection != NULL)
          assay_inspection_fill_conditions (inspection, conditions);
      }
}

static int
run_choose_input (CliTrial *self, const char *questions, const char *prompt)
{
  if (prompt != NULL)
    {
      assay_values_set_text (self->conditions, ASSAY_FIELD_PROMPT, prompt);
      assay_values_unset (self->conditions, ASSAY_FIELD_QUESTION_SET);
    }
  else if (questions != NULL)
    return run_load_questions (self, questions);
  else if (assay_values_get_text (self->conditions, ASSAY_FIELD_PROMPT) != NULL)
    assay_values_unset (self->conditions, ASSAY_FIELD_QUESTION_SET); /* a child of a set's run may ask one prompt */
  else
    {
      GPtrArray *kept = assay_ledger_get_questions (self->ledger);
      if (kept == NULL || kept->len == 0)
        return run_load_questions (self, "basic-12");
      assay_values_set_text (self->conditions, ASSAY_FIELD_QUESTION_SET, assay_ledger_get_question_set (self->ledger));
      self->questions = kept;
    }
  return CLI_OK;
}

/* What a save will need, asked before a trial is spent on it. */
static gboolean
run_can_write (const char *ledger_path)
{
  g_autofree char *folder = g_path_get_dirname (ledger_path);
  if (!g_str_has_suffix (ledger_path, ASSAY_LEDGER_SUFFIX))
    g_printerr (_("assay: the library lists only files called *%s; this one is found by its path\n"), ASSAY_LEDGER_SUFFIX);
  if (g_access (folder, W_OK) == 0)
    return TRUE;
  cli_complain (CLI_BAD_FILE, _("the ledger cannot be saved into %s: %s"), folder, g_strerror (errno));
  return FALSE;
}

int
cli_run (int argc, char **argv)
{
  gboolean json = FALSE;
  gint repeats = NOT_GIVEN;
  g_autofree char *ledger_path = NULL, *from = NULL, *questions = NULL, *prompt = NULL, *samples = NULL;
  g_auto (GStrv) settings = NULL;
  const GOptionEntry entries[] = {
    { "ledger", 0, 0, G_OPTION_ARG_FILENAME, &ledger_path, N_("The ledger to write into; made when it does not exist"), "FILE" },
    { "set", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &settings, N_("A condition; ‘assay fields’ lists them"), "FIELD=VALUE" },
    { "from", 0, 0, G_OPTION_ARG_FILENAME, &from, N_("Continue this run: its conditions, with one axis changed"), "RUN_ID" },
    { "questions", 0, 0, G_OPTION_ARG_FILENAME, &questions, N_("A question set: a file, or the name of a bundled one (basic-12)"), "FILE" },
    { "prompt", 0, 0, G_OPTION_ARG_FILENAME, &prompt, N_("Ask only this"), "TEXT" },
    { "repeats", 0, 0, G_OPTION_ARG_INT, &repeats, N_("Run it this often, each its own record"), "N" },
    { "samples", 0, 0, G_OPTION_ARG_FILENAME, &samples, N_("Write every memory sample here"), "FILE.csv" },
    { NULL },
  };
  if (!cli_parse ("run", entries, 0, 0, &argc, &argv, &json))
    return CLI_USAGE;
  if (ledger_path == NULL)
    return cli_complain (CLI_USAGE, _("--ledger FILE is needed: a run is always written down"));
  if (prompt != NULL && questions != NULL)
    return cli_complain (CLI_USAGE, _("give --prompt or --questions, not both"));
  if (repeats != NOT_GIVEN && (repeats < 1 || repeats > 1000))
    return cli_complain (CLI_USAGE, _("--repeats is 1 to 1000"));
  if (!run_can_write (ledger_path))
    return CLI_BAD_FILE;
  if (samples != NULL && !samples_may_go_to (samples))
    return CLI_USAGE;
  g_autoptr (AssayLedger) ledger = run_open_ledger (ledger_path);
  if (ledger == NULL)
    return CLI_BAD_FILE;
  if (assay_ledger_is_read_only (ledger))
    return cli_complain (CLI_BAD_FILE, "%s", assay_ledger_get_read_only_reason (ledger));
  AssayRecord *parent = from != NULL ? cli_find_run (ledger, from) : NULL;
  if (from != NULL && parent == NULL)
    return CLI_USAGE;

  g_autoptr (AssayRecord) parent_ref = parent != NULL ? g_object_ref (parent) : NULL;
  g_autoptr (AssayValues) conditions = parent != NULL ? assay_values_copy (assay_record_get_conditions (parent)) : assay_values_new ();
  CliTrial trial = { .ledger_path = ledger_path, .ledger = ledger, .conditions = conditions, .samples_path = samples, .json = json,
                     .parent = parent != NULL ? assay_record_get_id (parent) : NULL };
  if (!cli_apply_settings (conditions, settings))
    return CLI_USAGE;
  run_identify_model (conditions, settings);
  cli_apply_settings (conditions, settings); /* what a person said stands before what the file says */
  const int input = run_choose_input (&trial, questions, prompt);
  if (input != CLI_OK)
    return input;
  if (repeats != NOT_GIVEN)
    assay_values_set_integer (conditions, ASSAY_FIELD_REPEATS, repeats);
  const int child = parent != NULL ? run_check_child (&trial, parent) : CLI_OK;
  return child != CLI_OK ? child : cli_trial_perform (&trial);
}
