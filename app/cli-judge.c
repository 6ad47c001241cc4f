/* SPDX-License-Identifier: GPL-3.0-or-later */
/* app/cli-judge.c: a person's part: review and next. */
#include "cli.h"

#include <glib/gi18n.h>
#include <string.h>

#include "assay-advice.h"
#include "assay-change.h"
#include "assay-forecast.h"
#include "assay-gates.h"
#include "assay-preference.h"
#include "assay-store.h"

#define NOT_GIVEN G_MININT

/* CRITERION=VALUE or CRITERION@QUESTION=VALUE; VALUE is 1 to 5, or yes/no. */
static gboolean
review_apply_score (AssayReview *review, const char *text)
{
  g_auto (GStrv) parts = g_strsplit (text, "=", 2);
  if (g_strv_length (parts) != 2)
    return FALSE;
  g_auto (GStrv) name = g_strsplit (parts[0], "@", 2);
  gint64 value = 0;
  if (strcmp (parts[1], "yes") == 0 || strcmp (parts[1], "no") == 0)
    value = parts[1][0] == 'y';
  else if (!g_ascii_string_to_signed (parts[1], 10, 0, 5, &value, NULL))
    return FALSE;
  assay_review_set_score (review, name[0], name[1], (gint) value);
  return TRUE;
}

/* CRITERION=TEXT or CRITERION@QUESTION=TEXT, of a free criterion. */
static gboolean
review_apply_words (AssayReview *review, const char *text)
{
  g_auto (GStrv) parts = g_strsplit (text, "=", 2);
  if (g_strv_length (parts) != 2)
    return FALSE;
  g_auto (GStrv) name = g_strsplit (parts[0], "@", 2);
  assay_review_set_words (review, name[0], name[1], parts[1]);
  return TRUE;
}

static AssayReview *
review_build (const char *reviewer, char **scores, char **words, const char *verdict, const char *note)
{
  g_autoptr (AssayReview) review = assay_review_new (reviewer);
  for (char **s = scores; s != NULL && *s != NULL; s++)
    if (!review_apply_score (review, *s))
      {
        cli_complain (CLI_USAGE, _("--score wants CRITERION=1…5, or CRITERION=yes or no, not ‘%s’"), *s);
        return NULL;
      }
  for (char **w = words; w != NULL && *w != NULL; w++)
    if (!review_apply_words (review, *w))
      {
        cli_complain (CLI_USAGE, _("--words wants CRITERION=TEXT, not ‘%s’"), *w);
        return NULL;
      }
  if (g_strcmp0 (verdict, "pass") == 0)
    review->verdict = ASSAY_VERDICT_PASS;
  else if (g_strcmp0 (verdict, "fail") == 0)
    review->verdict = ASSAY_VERDICT_FAIL;
  else
    {
      cli_complain (CLI_USAGE, _("--verdict pass or fail is needed: it is yours to give, not the scores’"));
      return NULL;
    }
  review->quality_note = g_strdup (note);
  return g_steal_pointer (&review);
}

/* A yes would be a one of five, the worst. */
static gboolean
review_check_words (AssayLedger *ledger, char **scores)
{
  for (char **s = scores; s != NULL && *s != NULL; s++)
    {
      g_autofree char *name = g_strndup (*s, strcspn (*s, "@="));
      const AssayCriterion *criterion = assay_criteria_find (assay_ledger_get_criteria (ledger), name);
      const char *value = strchr (*s, '=') + 1;
      if (criterion == NULL || criterion->kind != ASSAY_CRITERION_SCALE || g_ascii_isdigit (*value))
        continue;
      cli_complain (CLI_USAGE, _("--score wants CRITERION=1…5, or CRITERION=yes or no, not ‘%s’"), *s);
      return FALSE;
    }
  return TRUE;
}

/* The review that is corrected must be there and the reviewer's own: nobody corrects another's judgment. */
static gboolean
review_supersede (AssayReview *review, AssayRecord *record, const char *earlier)
{
  GPtrArray *reviews = assay_record_get_reviews (record);
  if (earlier == NULL)
    return TRUE;
  for (guint i = 0; i < reviews->len; i++)
    {
      const AssayReview *there = g_ptr_array_index (reviews, i);
      if (g_strcmp0 (there->id, earlier) != 0)
        continue;
      if (g_strcmp0 (there->reviewer, review->reviewer) != 0)
        return cli_complain (CLI_USAGE, _("review ‘%s’ is by %s; only its own reviewer corrects it"), earlier, there->reviewer),
               FALSE;
      review->supersedes = g_strdup (earlier);
      return TRUE;
    }
  cli_complain (CLI_USAGE, _("run %s has no review ‘%s’; ‘assay show’ lists them"), assay_record_get_id (record), earlier);
  return FALSE;
}

/* An id from a file may hold anything, quotes too. */
static void
review_print_json (const AssayReview *review, const char *run_id, AssayVerdict quality)
{
  g_autoptr (JsonBuilder) b = json_builder_new ();
  json_builder_begin_object (b);
  cli_json_text (b, "review", review->id);
  cli_json_text (b, "run_id", run_id);
  cli_json_text (b, "quality", assay_verdict_get_name (quality));
  json_builder_end_object (b);
  cli_print_json (json_builder_get_root (b));
}

int
cli_review (int argc, char **argv)
{
  gboolean json = FALSE;
  g_autofree char *reviewer = NULL, *verdict = NULL, *note = NULL, *supersedes = NULL;
  g_auto (GStrv) scores = NULL, words = NULL;
  const GOptionEntry entries[] = {
    { "reviewer", 0, 0, G_OPTION_ARG_FILENAME, &reviewer, N_("Who judges"), "NAME" },
    { "score", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &scores, N_("A score for one criterion, 1 to 5 or yes/no; CRITERION@QUESTION for one question"), "CRITERION=VALUE" },
    { "words", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &words, N_("What is said to a free criterion; CRITERION@QUESTION for one question"), "CRITERION=TEXT" },
    { "verdict", 0, 0, G_OPTION_ARG_FILENAME, &verdict, N_("pass or fail"), "VERDICT" },
    { "note", 0, 0, G_OPTION_ARG_FILENAME, &note, N_("What was seen in the output"), "TEXT" },
    { "supersedes", 0, 0, G_OPTION_ARG_FILENAME, &supersedes, N_("The review of the same person that this corrects; it stays in the ledger"), "REVIEW_ID" },
    { NULL },
  };
  if (!cli_parse ("review", entries, 2, 2, &argc, &argv, &json))
    return CLI_USAGE;
  if (reviewer == NULL || reviewer[0] == '\0')
    return cli_complain (CLI_USAGE, _("--reviewer NAME is needed"));
  g_autoptr (AssayReview) review = review_build (reviewer, scores, words, verdict, note);
  if (review == NULL)
    return CLI_USAGE;
  g_autoptr (AssayLedger) ledger = cli_load_ledger (argv[1]);
  AssayRecord *record = ledger != NULL ? cli_find_run (ledger, argv[2]) : NULL;
  if (record == NULL)
    return ledger == NULL ? CLI_BAD_FILE : CLI_USAGE;
  if (!review_check_words (ledger, scores) || !review_supersede (review, record, supersedes))
    return CLI_USAGE;
  g_autofree char *run_id = g_strdup (assay_record_get_id (record));
  GError *error = NULL;
  if (!assay_ledger_add_review (ledger, run_id, review, &error))
    return cli_fail (CLI_USAGE, error);
  if (!cli_save_ledger (ledger, NULL))
    return CLI_BAD_FILE;
  g_autoptr (AssayGates) gates = assay_gates_judge (ledger, assay_ledger_find_run (ledger, run_id));
  if (json)
    review_print_json (review, run_id, gates->verdict[ASSAY_GATE_QUALITY]);
  else
    g_print ("%s: %s\n", assay_gate_get_name (ASSAY_GATE_QUALITY), gates->evidence[ASSAY_GATE_QUALITY]);
  return CLI_OK;
}

/* --- prefer --- */

static AssayPreference *
prefer_build (const char *reviewer, const char *question, const char *left, const char *right, const char *word,
              const char *supersedes)
{
  AssayChoice choice;
  if (reviewer == NULL || *reviewer == '\0')
    {
      cli_complain (CLI_USAGE, _("--reviewer NAME is needed"));
      return NULL;
    }
  if (!assay_choice_from_name (word, &choice))
    {
      cli_complain (CLI_USAGE, _("--choice left, right, tie or both_bad is needed"));
      return NULL;
    }
  AssayPreference *made = assay_preference_new (reviewer, question, left, right, choice);
  made->supersedes = g_strdup (supersedes);
  return made;
}

int
cli_prefer (int argc, char **argv)
{
  gboolean json = FALSE;
  g_autofree char *reviewer = NULL, *question = NULL, *choice = NULL, *supersedes = NULL;
  const GOptionEntry entries[] = {
    { "reviewer", 0, 0, G_OPTION_ARG_FILENAME, &reviewer, N_("Who judges"), "NAME" },
    { "question", 0, 0, G_OPTION_ARG_FILENAME, &question, N_("The question that both answered; left out for a free prompt"), "ID" },
    { "choice", 0, 0, G_OPTION_ARG_FILENAME, &choice, N_("left, right, tie or both_bad"), "CHOICE" },
    { "supersedes", 0, 0, G_OPTION_ARG_FILENAME, &supersedes, N_("The preference of the same person that this corrects; it stays in the ledger"), "PREFERENCE_ID" },
    { NULL },
  };
  if (!cli_parse ("prefer", entries, 3, 3, &argc, &argv, &json))
    return CLI_USAGE;
  g_autoptr (AssayLedger) ledger = cli_load_ledger (argv[1]);
  AssayRecord *left = ledger != NULL ? cli_find_run (ledger, argv[2]) : NULL;
  AssayRecord *right = left != NULL ? cli_find_run (ledger, argv[3]) : NULL;
  if (right == NULL)
    return ledger == NULL ? CLI_BAD_FILE : CLI_USAGE;
  g_autoptr (AssayPreference) made
    = prefer_build (reviewer, question, assay_record_get_id (left), assay_record_get_id (right), choice, supersedes);
  GError *error = NULL;
  if (made == NULL)
    return CLI_USAGE;
  if (!assay_ledger_add_preference (ledger, made, &error))
    return cli_fail (CLI_USAGE, error);
  if (!cli_save_ledger (ledger, NULL))
    return CLI_BAD_FILE;
  if (json)
    g_print ("{\"preference\": \"%s\", \"choice\": \"%s\"}\n", made->id, assay_choice_get_name (made->choice));
  else
    g_print ("%s: %s\n", made->id, assay_choice_get_name (made->choice));
  return CLI_OK;
}

/* --- next --- */

/* "     foretold: 1.21 GiB of VRAM, 300 MiB of RAM, at least 0.56 s: fits" */
static void
next_print_forecast (const AssayCandidate *c)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *vram = assay_format_bytes ((guint64) MAX (c->predicted_peak_vram, 0));
  g_autofree char *ram = assay_format_bytes ((guint64) MAX (c->predicted_peak_ram, 0));
  g_autofree char *seconds = assay_format_seconds (c->predicted_seconds);
  if (c->problem != NULL)
    g_print ("     %s: %s\n", _("not foretold"), c->problem);
  if (c->problem != NULL || c->predicted_peak_ram < 0)
    return;
  if (c->predicted_peak_vram >= 0)
    g_string_append_printf (text, _("%s of VRAM, "), vram);
  g_string_append_printf (text, _("%s of RAM"), ram);
  if (c->predicted_seconds > 0)
    g_string_append_printf (text, _(", at least %s"), seconds);
  g_print ("     %s: %s: %s\n", _("foretold"), text->str, c->fits ? _("fits") : _("does not fit"));
}

static void
next_print (const AssayAdvice *advice, const AssayNextTrial *planned)
{
  g_print ("%s: %s\n%s\n", assay_signal_get_name (advice->signal), advice->words, advice->evidence);
  for (guint i = 0; i < advice->candidates->len; i++)
    {
      const AssayCandidate *c = g_ptr_array_index (advice->candidates, i);
      g_print ("  %u. %s: %s → %s\n     %s\n", i + 1,
               c->field != ASSAY_FIELD_INVALID ? assay_field_get_info (c->field)->name : assay_axis_get_name (c->axis),
               c->from != NULL ? c->from : _("not set"), c->to != NULL ? c->to : _("yours to say (--to)"), c->why);
      next_print_forecast (c);
    }
  g_autofree char *held = g_strjoinv (", ", advice->held);
  g_print ("%s: %s\n", _("held fixed"), held);
  if (planned != NULL)
    g_print ("%s: %s: %s → %s%s%s\n", _("recorded as the next trial"), planned->axis,
             planned->from != NULL ? planned->from : _("not set"), planned->to != NULL ? planned->to : _("not set"),
             planned->note != NULL ? "; " : "", planned->note != NULL ? planned->note : "");
}

static void
next_json_count (JsonBuilder *b, const char *name, gint64 value)
{
  if (value >= 0)
    cli_json_integer (b, name, value);
  else
    cli_json_text (b, name, NULL);
}

static void
next_print_json (const AssayAdvice *advice, const AssayNextTrial *planned)
{
  g_autoptr (JsonBuilder) b = json_builder_new ();
  json_builder_begin_object (b);
  cli_json_text (b, "signal", assay_signal_get_name (advice->signal));
  cli_json_text (b, "evidence", advice->evidence);
  json_builder_set_member_name (b, "candidates");
  json_builder_begin_array (b);
  for (guint i = 0; i < advice->candidates->len; i++)
    {
      const AssayCandidate *c = g_ptr_array_index (advice->candidates, i);
      json_builder_begin_object (b);
      cli_json_text (b, "axis", assay_axis_get_name (c->axis));
      cli_json_text (b, "field", c->field != ASSAY_FIELD_INVALID ? assay_field_get_info (c->field)->name : "");
      cli_json_text (b, "from", c->from != NULL ? c->from : "");
      cli_json_text (b, "to", c->to);
      cli_json_text (b, "why", c->why);
      next_json_count (b, "predicted_peak_vram", c->predicted_peak_vram);
      next_json_count (b, "predicted_peak_ram", c->predicted_peak_ram);
      next_json_count (b, "predicted_link_bytes", c->predicted_link_bytes);
      cli_json_boolean (b, "fits", c->fits);
      cli_json_text (b, "problem", c->problem);
      json_builder_end_object (b);
    }
  json_builder_end_array (b);
  json_builder_set_member_name (b, "held");
  json_builder_begin_array (b);
  for (char **h = advice->held; h != NULL && *h != NULL; h++)
    json_builder_add_string_value (b, *h);
  json_builder_end_array (b);
  json_builder_set_member_name (b, "next_trial");
  if (planned != NULL)
    {
      json_builder_begin_object (b);
      cli_json_text (b, "axis", planned->axis);
      cli_json_text (b, "from", planned->from);
      cli_json_text (b, "to", planned->to);
      cli_json_text (b, "note", planned->note);
      json_builder_end_object (b);
    }
  else
    json_builder_add_null_value (b);
  json_builder_end_object (b);
  cli_print_json (json_builder_get_root (b));
}

/* Runs what the record's next_trial says: its parent's conditions with one field changed. */
static int
next_run (AssayLedger *ledger, const char *path, const char *run_id, gboolean json)
{
  AssayRecord *parent = assay_ledger_find_run (ledger, run_id);
  const AssayNextTrial *next = assay_record_get_next_trial (parent);
  if (next == NULL)
    return cli_complain (CLI_USAGE, _("run %s has no next trial yet; choose one with --choose"), run_id);
  if (next->invalid != NULL)
    return cli_complain (CLI_RULE, _("the next trial of run %s cannot be run: %s"), run_id, next->invalid);
  const AssayFieldId field = assay_field_from_name (next->axis);
  if (field == ASSAY_FIELD_INVALID || assay_field_get_info (field)->group != ASSAY_GROUP_CONDITIONS)
    return cli_complain (CLI_RULE, _("‘%s’ is not a condition of a run: change it in the ledger, then run again"), next->axis);
  g_autoptr (AssayValues) conditions = assay_change_dup_base (parent);
  GError *error = NULL;
  if (!assay_change_apply (conditions, field, next->to, &error))
    return cli_fail (CLI_USAGE, error);
  CliTrial trial = {
    .ledger_path = path, .ledger = ledger, .conditions = conditions, .parent = run_id,
    .changed = assay_field_get_info (field)->name, .json = json,
    .questions = assay_values_get_text (conditions, ASSAY_FIELD_PROMPT) == NULL ? assay_ledger_get_questions (ledger) : NULL,
  };
  return cli_trial_perform (&trial);
}

int
cli_next (int argc, char **argv)
{
  gboolean json = FALSE, run = FALSE;
  gint choose = NOT_GIVEN;
  g_autofree char *note = NULL, *to = NULL;
  const GOptionEntry entries[] = {
    { "choose", 0, 0, G_OPTION_ARG_INT, &choose, N_("Record candidate K as the next trial"), "K" },
    { "to", 0, 0, G_OPTION_ARG_FILENAME, &to, N_("The new value, where it is yours to say"), "VALUE" },
    { "note", 0, 0, G_OPTION_ARG_FILENAME, &note, N_("Why"), "TEXT" },
    { "run", 0, 0, G_OPTION_ARG_NONE, &run, N_("Run the recorded next trial"), NULL },
    { NULL },
  };
  if (!cli_parse ("next", entries, 2, 2, &argc, &argv, &json))
    return CLI_USAGE;
  g_autoptr (AssayLedger) ledger = cli_load_ledger (argv[1]);
  if (ledger == NULL)
    return CLI_BAD_FILE;
  AssayRecord *record = cli_find_run (ledger, argv[2]);
  if (record == NULL)
    return CLI_USAGE;
  g_autofree char *run_id = g_strdup (assay_record_get_id (record));
  g_autoptr (AssayAdvice) advice = assay_advice_for (ledger, record);
  const gboolean prompted = assay_values_get_text (assay_record_get_conditions (record), ASSAY_FIELD_PROMPT) != NULL;
  assay_advice_predict (advice, record, assay_forecast_predict, prompted ? NULL : assay_ledger_get_questions (ledger));
  if (choose != NOT_GIVEN)
    {
      GError *error = NULL;
      g_autoptr (AssayNextTrial) next = choose > 0 ? assay_advice_choose (advice, (guint) choose - 1, to, note, &error) : NULL;
      if (next == NULL)
        return error != NULL ? cli_fail (CLI_RULE, error) : cli_complain (CLI_USAGE, _("candidates count from 1"));
      if (!assay_ledger_set_next_trial (ledger, run_id, next, &error))
        return cli_fail (CLI_RULE, error);
      if (!cli_save_ledger (ledger, NULL))
        return CLI_BAD_FILE;
      record = assay_ledger_find_run (ledger, run_id);
    }
  if (run)
    return next_run (ledger, argv[1], run_id, json);
  if (json)
    next_print_json (advice, assay_record_get_next_trial (record));
  else
    next_print (advice, assay_record_get_next_trial (record));
  return CLI_OK;
}
