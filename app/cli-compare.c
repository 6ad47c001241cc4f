/* SPDX-License-Identifier: GPL-3.0-or-later */
/* app/cli-compare.c: what may be said of two or more runs, and of a ledger as a whole. */
#include "cli-compare.h"

#include <glib/gi18n.h>
#include <string.h>

/* One line for a terminal: names and words of a ledger may hold anything. */
static void G_GNUC_PRINTF (1, 2)
say (const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *line = g_strdup_vprintf (format, args);
  va_end (args);
  g_autofree char *printable = cli_dup_printable (line, strlen (line));
  g_print ("%s\n", printable);
}

static void
print_family (const AssayEffectFamily *family)
{
  const AssayEffect *first = g_ptr_array_index (family->effects, 0);
  say (_("%s, from run %s:"), assay_axis_get_name (family->axis), assay_record_get_id (first->from->pdata[0]));
  for (guint i = 0; i < family->effects->len; i++)
    {
      const AssayEffect *effect = g_ptr_array_index (family->effects, i);
      g_autofree char *words = assay_effect_dup_words (effect);
      say ("  %s: %s", assay_record_get_id (effect->to->pdata[0]), words);
    }
}

/* quality: of those that passed; else of all that ran */
static void
print_frontier (const AssayParetoGroup *group, gboolean quality)
{
  say (quality ? _("not beaten on %s and time, quality passed:") : _("not beaten on %s and time, all that ran:"),
       group->label);
  guint n = 0;
  for (guint i = 0; i < group->points->len; i++)
    {
      const AssayParetoPoint *point = g_ptr_array_index (group->points, i);
      g_autofree char *peak = assay_format_bytes (point->peak_bytes), *seconds = assay_format_seconds (point->seconds);
      if (!(quality ? point->on_quality_frontier : point->on_ran_frontier))
        continue;
      say ("  %s: %s, %s", assay_record_get_id (point->representative), peak, seconds);
      n++;
    }
  if (n == 0)
    say ("  %s", C_ ("runs not beaten", "none"));
}

static void
compare_print_all (const AssayEffects *effects, const AssayPareto *pareto)
{
  if (effects->families->len == 0)
    say ("%s", _("no two settings differ in one axis alone"));
  for (guint i = 0; i < effects->families->len; i++)
    print_family (g_ptr_array_index (effects->families, i));
  for (guint i = 0; i < pareto->groups->len; i++)
    {
      print_frontier (g_ptr_array_index (pareto->groups, i), TRUE);
      print_frontier (g_ptr_array_index (pareto->groups, i), FALSE);
    }
  for (guint i = 0; i < effects->kept_out->len; i++)
    say ("%s", ((const AssayKeptOut *) g_ptr_array_index (effects->kept_out, i))->words);
}

static int
compare_all (AssayLedger *ledger, gboolean in_effect, gboolean json)
{
  g_autoptr (AssayEffects) effects = assay_effects_find (ledger, in_effect);
  g_autoptr (AssayPareto) pareto = assay_pareto_new (ledger);
  if (!json)
    {
      compare_print_all (effects, pareto);
      return CLI_OK;
    }
  g_autoptr (JsonBuilder) b = json_builder_new ();
  json_builder_begin_object (b);
  cli_compare_add_families (b, effects);
  cli_compare_add_frontiers (b, pareto);
  json_builder_end_object (b);
  cli_print_json (json_builder_get_root (b));
  return CLI_OK;
}

/* --- chosen runs --- */

static void
compare_pair (JsonBuilder *b, AssayLedger *ledger, AssayRecord *base, AssayRecord *other, gboolean in_effect, gboolean json)
{
  g_autoptr (AssayComparison) comparison
    = in_effect ? assay_compare_runs_in_effect (ledger, base, other) : assay_compare_runs (ledger, base, other);
  if (!json)
    {
      say ("%s → %s: %s", assay_record_get_id (base), assay_record_get_id (other), comparison->sentence);
      return;
    }
  g_autoptr (GPtrArray) pair = g_ptr_array_new ();
  g_ptr_array_add (pair, base);
  g_ptr_array_add (pair, other);
  g_autoptr (GPtrArray) answers = assay_answers_compare (pair);
  json_builder_begin_object (b);
  cli_json_text (b, "a", assay_record_get_id (base));
  cli_json_text (b, "b", assay_record_get_id (other));
  cli_compare_add_comparison (b, comparison);
  cli_json_real (b, "peak_ratio", comparison->peak_ratio);
  cli_json_real (b, "time_ratio", comparison->time_ratio);
  cli_compare_add_answers (b, answers);
  json_builder_end_object (b);
}

/* Which questions' answers depend on the run; of two runs the sentence says it. */
static void
print_answers (GPtrArray *runs)
{
  g_autoptr (GPtrArray) answers = assay_answers_compare (runs);
  for (guint i = 0; runs->len > 2 && i < answers->len; i++)
    {
      g_autofree char *words = assay_answers_dup_words (g_ptr_array_index (answers, i), TRUE);
      say ("%s", words);
    }
}

static int
compare_chosen (AssayLedger *ledger, GPtrArray *runs, gboolean in_effect, gboolean json)
{
  g_autoptr (JsonBuilder) b = json_builder_new ();
  json_builder_begin_array (b);
  for (guint i = 1; i < runs->len; i++)
    compare_pair (b, ledger, runs->pdata[0], runs->pdata[i], in_effect, json);
  json_builder_end_array (b);
  if (json)
    cli_print_json (json_builder_get_root (b));
  else
    print_answers (runs);
  return CLI_OK;
}

/* Writes down what a person accepts, or no longer does. */
static int
compare_accept (AssayLedger *ledger, char **runs, gboolean accepted)
{
  for (char **id = runs; id != NULL && *id != NULL; id++)
    {
      GError *error = NULL;
      AssayRecord *run = cli_find_run (ledger, *id);
      if (run == NULL)
        return CLI_USAGE;
      g_autofree char *whole = g_strdup (assay_record_get_id (run));
      if (!assay_ledger_set_accepted (ledger, whole, accepted, &error))
        return cli_fail (CLI_RULE, error);
    }
  return CLI_OK;
}

int
cli_compare (int argc, char **argv)
{
  gboolean json = FALSE, in_effect = FALSE;
  g_auto (GStrv) accept = NULL, unaccept = NULL;
  const GOptionEntry entries[] = {
    { "accept", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &accept, N_("Write down that what was in effect in this run is accepted, though not what was asked for"), "RUN_ID" },
    { "unaccept", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &unaccept, N_("Take that back"), "RUN_ID" },
    { "in-effect", 0, 0, G_OPTION_ARG_NONE, &in_effect, N_("Compare what was in effect, also where it is not what was asked for"), NULL },
    { NULL },
  };
  if (!cli_parse ("compare", entries, 1, -1, &argc, &argv, &json))
    return CLI_USAGE;
  if (argc == 3)
    return cli_complain (CLI_USAGE, _("one run alone is not compared; name two or more, or none for the whole ledger"));
  g_autoptr (AssayLedger) ledger = cli_load_ledger (argv[1]);
  if (ledger == NULL)
    return CLI_BAD_FILE;
  int status = compare_accept (ledger, accept, TRUE);
  if (status == CLI_OK)
    status = compare_accept (ledger, unaccept, FALSE);
  if (status != CLI_OK)
    return status;
  if ((accept != NULL || unaccept != NULL) && !cli_save_ledger (ledger, NULL))
    return CLI_BAD_FILE;
  g_autoptr (GPtrArray) runs = g_ptr_array_new ();
  for (int i = 2; i < argc; i++)
    {
      AssayRecord *run = cli_find_run (ledger, argv[i]);
      if (run == NULL)
        return CLI_USAGE;
      g_ptr_array_add (runs, run);
    }
  return runs->len > 0 ? compare_chosen (ledger, runs, in_effect, json) : compare_all (ledger, in_effect, json);
}
