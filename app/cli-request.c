/* SPDX-License-Identifier: GPL-3.0-or-later */
/* app/cli-request.c: the conditions of `run` and `plan`, from what was said on the command line, the run that
 * is continued, the model file and the ledger's questions. */
#include "cli.h"

#include <glib/gi18n.h>
#include <string.h>

#include "assay-axes.h"
#include "assay-export.h"
#include "assay-inspect.h"
#include "assay-store.h"

static AssayLedger *
run_open_ledger (const char *path)
{
  if (path == NULL) /* a plan needs none */
    return assay_ledger_new (ASSAY_TASK_LANGUAGE, "");
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

/* Conditions that are chosen one by one, though they count as one axis. */
static gboolean
field_is_choice_of_its_own (AssayFieldId field)
{
  switch (assay_field_get_info (field)->axis)
    {
    case ASSAY_AXIS_INPUT_SCALE:
    case ASSAY_AXIS_SAMPLING:
    case ASSAY_AXIS_BUDGET:
    case ASSAY_AXIS_DTYPE:
      return TRUE;
    default:
      return field == ASSAY_FIELD_LINK_BANDWIDTH || field == ASSAY_FIELD_LINK_LATENCY_SECONDS;
    }
}

/* The fields of their own that differ, ", " between; *n: how many. (transfer full) */
static char *
child_dup_fields (const AssayValues *parent, const AssayValues *child, guint *n)
{
  GString *names = g_string_new (NULL);
  *n = 0;
  for (AssayFieldId field = 0; field < ASSAY_N_FIELDS; field++)
    {
      g_autofree char *was = assay_values_dup_text (parent, field), *is = assay_values_dup_text (child, field);
      if (g_strcmp0 (was, is) != 0 && field_is_choice_of_its_own (field))
        g_string_append_printf (names, "%s%s", (*n)++ > 0 ? ", " : "", assay_field_get_info (field)->name);
    }
  return g_string_free (names, FALSE);
}

/* A child of --from changes exactly one thing; what changed is named, or all that moved. */
static int
run_check_child (CliTrial *self, AssayRecord *parent)
{
  const AssayValues *was = assay_record_get_conditions (parent);
  g_autoptr (GPtrArray) differences = assay_axes_diff_conditions (was, self->conditions);
  const guint n = assay_axes_count (differences);
  guint n_fields;
  g_autofree char *fields = child_dup_fields (was, self->conditions, &n_fields);
  if (n > 1 || n_fields > 1)
    {
      g_autofree char *axes = n > 1 ? assay_axes_describe (differences) : g_strdup (fields);
      return cli_complain (CLI_RULE,
                           _("one thing at a time: against run %s these changed: %s. Run them as separate "
                             "trials, or without --from as a new baseline."),
                           self->parent, axes);
    }
  if (n == 1)
    self->changed
        = assay_field_get_info (((AssayDifference *) g_ptr_array_index (differences, 0))->field)->name;
  return CLI_OK;
}

/* A file named by a setting says itself what model it is. One that cannot be read is left to the trial, whose
 * record will tell. */
static void
run_identify_model (AssayValues *conditions, char **settings)
{
  for (char **s = settings; s != NULL && *s != NULL; s++)
    if (g_str_has_prefix (*s, "model_path="))
      {
        g_autoptr (AssayInspection) inspection
            = assay_inspect (assay_values_get_text (conditions, ASSAY_FIELD_MODEL_PATH), TRUE, NULL, NULL);
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
    assay_values_unset (self->conditions,
                        ASSAY_FIELD_QUESTION_SET); /* a child of a set's run may ask one prompt */
  else
    {
      GPtrArray *kept = assay_ledger_get_questions (self->ledger);
      if (kept == NULL || kept->len == 0)
        return run_load_questions (self, "basic-12");
      assay_values_set_text (self->conditions, ASSAY_FIELD_QUESTION_SET,
                             assay_ledger_get_question_set (self->ledger));
      self->questions = kept;
    }
  return CLI_OK;
}

static int
request_set_conditions (CliRequest *self, AssayRecord *parent)
{
  CliTrial *trial = &self->trial;
  trial->conditions
      = parent != NULL ? assay_values_copy (assay_record_get_conditions (parent)) : assay_values_new ();
  if (!cli_apply_settings (trial->conditions, self->settings))
    return CLI_USAGE;
  run_identify_model (trial->conditions, self->settings);
  cli_apply_settings (trial->conditions,
                      self->settings); /* what a person said stands before what the file says */
  const int input = run_choose_input (trial, self->questions, self->prompt);
  if (input != CLI_OK || parent == NULL)
    return input;
  trial->parent = assay_record_get_id (parent);
  self->parent = g_object_ref (parent);
  assay_trial_fill_defaults (trial->conditions); /* one spelling, and what follows from what was said */
  return run_check_child (trial, parent);
}

int
cli_request_read (CliRequest *self)
{
  if (self->prompt != NULL && self->questions != NULL)
    return cli_complain (CLI_USAGE, _("give --prompt or --questions, not both"));
  self->trial.ledger = run_open_ledger (self->ledger_path);
  if (self->trial.ledger == NULL)
    return CLI_BAD_FILE;
  self->trial.ledger_path = self->ledger_path;
  AssayRecord *parent = self->from != NULL ? cli_find_run (self->trial.ledger, self->from) : NULL;
  if (self->from != NULL && parent == NULL)
    return CLI_USAGE;
  return request_set_conditions (self, parent);
}

void
cli_request_clear (CliRequest *self)
{
  g_clear_object (&self->parent);
  g_clear_pointer (&self->trial.conditions, assay_values_unref);
  g_clear_object (&self->trial.ledger);
  g_clear_pointer (&self->ledger_path, g_free);
  g_clear_pointer (&self->from, g_free);
  g_clear_pointer (&self->questions, g_free);
  g_clear_pointer (&self->prompt, g_free);
  g_clear_pointer (&self->settings, g_strfreev);
}
