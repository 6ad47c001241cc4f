/* SPDX-License-Identifier: GPL-3.0-or-later */
/* app/cli-compare.c: what may be said of two or more runs, and of a ledger as a whole. */
#include "cli.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "assay-answers.h"
#include "assay-effects.h"
#include "assay-pareto.h"

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
json_real (JsonBuilder *b, const char *name, double value)
{
  json_builder_set_member_name (b, name);
  if (isnan (value) || isinf (value))
    json_builder_add_null_value (b);
  else
    json_builder_add_double_value (b, value);
}

static void
json_boolean (JsonBuilder *b, const char *name, gboolean value)
{
  json_builder_set_member_name (b, name);
  json_builder_add_boolean_value (b, value);
}

static void
json_array (JsonBuilder *b, const char *name)
{
  json_builder_set_member_name (b, name);
  json_builder_begin_array (b);
}

static void
json_ids (JsonBuilder *b, const char *name, GPtrArray *runs)
{
  json_array (b, name);
  for (guint i = 0; i < runs->len; i++)
    {
      g_autofree char *valid = g_utf8_make_valid (assay_record_get_id (runs->pdata[i]), -1); /* as in cli_json_text() */
      json_builder_add_string_value (b, valid);
    }
  json_builder_end_array (b);
}

/* --- one comparison --- */

static void
json_differences (JsonBuilder *b, GPtrArray *differences)
{
  json_array (b, "axes");
  for (guint i = 0; i < differences->len; i++)
    {
      const AssayDifference *d = g_ptr_array_index (differences, i);
      if (!d->implied)
        json_builder_add_string_value (b, assay_axis_get_name (d->axis));
    }
  json_builder_end_array (b);
  json_array (b, "differences");
  for (guint i = 0; i < differences->len; i++)
    {
      const AssayDifference *d = g_ptr_array_index (differences, i);
      json_builder_begin_object (b);
      cli_json_text (b, "axis", assay_axis_get_name (d->axis));
      cli_json_text (b, "field", assay_field_get_info (d->field)->name);
      cli_json_text (b, "from", d->from);
      cli_json_text (b, "to", d->to);
      json_boolean (b, "hidden", assay_axis_is_hidden (d->axis));
      json_boolean (b, "implied", d->implied);
      json_builder_end_object (b);
    }
  json_builder_end_array (b);
}

static void
json_answers (JsonBuilder *b, GPtrArray *answers)
{
  json_array (b, "answers");
  for (guint i = 0; i < answers->len; i++)
    {
      const AssayAnswers *one = g_ptr_array_index (answers, i);
      json_builder_begin_object (b);
      cli_json_text (b, "question", one->question);
      cli_json_integer (b, "runs", one->n);
      cli_json_integer (b, "different", one->n_different);
      if (one->n_different > 1 && one->is_text)
        cli_json_integer (b, "differs_from_character", one->same_characters + 1);
      else
        cli_json_text (b, "differs_from_character", NULL);
      cli_json_text (b, "first", assay_record_get_id (one->first));
      cli_json_text (b, "parting", one->parting != NULL ? assay_record_get_id (one->parting) : NULL);
      json_builder_end_object (b);
    }
  json_builder_end_array (b);
}

static void
json_comparison (JsonBuilder *b, const AssayComparison *comparison)
{
  const gboolean claims = comparison->reason == ASSAY_REASON_NONE;
  cli_json_text (b, "kind", assay_comparison_kind_get_name (comparison->kind));
  cli_json_text (b, "reason", claims ? NULL : assay_comparison_reason_get_name (comparison->reason));
  cli_json_text (b, "sentence", comparison->sentence);
  json_differences (b, comparison->differences);
}

/* --- an effect --- */

static void
json_side (JsonBuilder *b, const char *name, const AssayRepeats *side)
{
  json_builder_set_member_name (b, name);
  json_builder_begin_object (b);
  cli_json_integer (b, "n", side->n);
  json_real (b, "mean", side->mean);
  json_real (b, "median", side->median);
  json_real (b, "low", side->low);
  json_real (b, "high", side->high);
  json_boolean (b, "warm_up_left_out", side->warm_up);
  json_builder_end_object (b);
}

static void
json_figures (JsonBuilder *b, GArray *figures)
{
  json_array (b, "figures");
  for (guint i = 0; i < figures->len; i++)
    {
      const AssayEffectFigure *figure = &g_array_index (figures, AssayEffectFigure, i);
      const AssayFieldInfo *info = assay_field_get_info (figure->field);
      json_builder_begin_object (b);
      cli_json_text (b, "field", info->name);
      cli_json_text (b, "unit", assay_unit_get_name (info->unit));
      json_side (b, "from", &figure->from);
      json_side (b, "to", &figure->to);
      json_real (b, "difference", figure->difference);
      json_real (b, "ratio", figure->ratio);
      cli_json_text (b, "spread", assay_spread_get_name (figure->spread));
      json_builder_end_object (b);
    }
  json_builder_end_array (b);
}

static void
json_quality (JsonBuilder *b, const AssayEffect *effect)
{
  json_builder_set_member_name (b, "quality");
  json_builder_begin_object (b);
  cli_json_text (b, "from", assay_verdict_get_name (effect->quality_from));
  cli_json_text (b, "to", assay_verdict_get_name (effect->quality_to));
  cli_json_integer (b, "reviews_from", effect->n_reviews_from);
  cli_json_integer (b, "reviews_to", effect->n_reviews_to);
  json_boolean (b, "criteria_changed", effect->criteria_changed);
  json_array (b, "criteria");
  for (guint i = 0; i < effect->criteria->len; i++)
    {
      const AssayEffectCriterion *criterion = g_ptr_array_index (effect->criteria, i);
      json_builder_begin_object (b);
      cli_json_text (b, "criterion", criterion->criterion->id);
      json_real (b, "from", criterion->from);
      json_real (b, "to", criterion->to);
      cli_json_integer (b, "runs_from", criterion->n_from);
      cli_json_integer (b, "runs_to", criterion->n_to);
      json_builder_end_object (b);
    }
  json_builder_end_array (b);
  json_builder_end_object (b);
}

static void
json_effect (JsonBuilder *b, const AssayEffect *effect)
{
  json_builder_begin_object (b);
  json_ids (b, "from", effect->from);
  json_ids (b, "to", effect->to);
  json_comparison (b, effect->comparison);
  json_figures (b, effect->figures);
  json_quality (b, effect);
  json_answers (b, effect->answers);
  json_builder_end_object (b);
}

/* --- the ledger as a whole --- */

static void
json_families (JsonBuilder *b, const AssayEffects *effects)
{
  json_array (b, "families");
  for (guint i = 0; i < effects->families->len; i++)
    {
      const AssayEffectFamily *family = g_ptr_array_index (effects->families, i);
      json_builder_begin_object (b);
      cli_json_text (b, "axis", assay_axis_get_name (family->axis));
      json_array (b, "effects");
      for (guint k = 0; k < family->effects->len; k++)
        json_effect (b, g_ptr_array_index (family->effects, k));
      json_builder_end_array (b);
      json_builder_end_object (b);
    }
  json_builder_end_array (b);
  json_array (b, "kept_out");
  for (guint i = 0; i < effects->kept_out->len; i++)
    {
      const AssayKeptOut *kept_out = g_ptr_array_index (effects->kept_out, i);
      json_builder_begin_object (b);
      cli_json_text (b, "run_id", assay_record_get_id (kept_out->record));
      cli_json_text (b, "reason", assay_comparison_reason_get_name (kept_out->reason));
      cli_json_text (b, "sentence", kept_out->words);
      json_builder_end_object (b);
    }
  json_builder_end_array (b);
}

static void
json_point (JsonBuilder *b, const AssayParetoPoint *point)
{
  json_builder_begin_object (b);
  cli_json_text (b, "run_id", assay_record_get_id (point->representative));
  json_ids (b, "runs", point->runs);
  cli_json_integer (b, "peak_bytes", (gint64) MIN (point->peak_bytes, G_MAXINT64));
  json_real (b, "seconds", point->seconds);
  cli_json_integer (b, "n", point->n);
  cli_json_text (b, "feasibility", assay_verdict_get_name (point->feasibility));
  cli_json_text (b, "quality", assay_verdict_get_name (point->quality));
  json_boolean (b, "on_quality_frontier", point->on_quality_frontier);
  json_boolean (b, "on_ran_frontier", point->on_ran_frontier);
  json_builder_end_object (b);
}

static void
json_frontiers (JsonBuilder *b, const AssayPareto *pareto)
{
  json_array (b, "frontiers");
  for (guint i = 0; i < pareto->groups->len; i++)
    {
      const AssayParetoGroup *group = g_ptr_array_index (pareto->groups, i);
      json_builder_begin_object (b);
      cli_json_text (b, "field", assay_field_get_info (group->peak)->name);
      cli_json_text (b, "kind", group->kind);
      json_array (b, "points");
      for (guint k = 0; k < group->points->len; k++)
        json_point (b, g_ptr_array_index (group->points, k));
      json_builder_end_array (b);
      json_builder_end_object (b);
    }
  json_builder_end_array (b);
  json_array (b, "left_out");
  for (guint i = 0; i < pareto->left_out->len; i++)
    {
      const AssayParetoLeftOut *left_out = g_ptr_array_index (pareto->left_out, i);
      json_builder_begin_object (b);
      cli_json_text (b, "run_id", assay_record_get_id (left_out->record));
      cli_json_text (b, "reason", assay_pareto_reason_get_name (left_out->reason));
      json_builder_end_object (b);
    }
  json_builder_end_array (b);
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
  for (guint i = 0; i < group->points->len; i++)
    {
      const AssayParetoPoint *point = g_ptr_array_index (group->points, i);
      g_autofree char *peak = assay_format_bytes (point->peak_bytes), *seconds = assay_format_seconds (point->seconds);
      if (quality ? point->on_quality_frontier : point->on_ran_frontier)
        say ("  %s: %s, %s", assay_record_get_id (point->representative), peak, seconds);
    }
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
  json_families (b, effects);
  json_frontiers (b, pareto);
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
  json_comparison (b, comparison);
  json_real (b, "peak_ratio", comparison->peak_ratio);
  json_real (b, "time_ratio", comparison->time_ratio);
  json_answers (b, answers);
  json_builder_end_object (b);
}

/* Which questions' answers depend on the run; of two runs the sentence says it. */
static void
print_answers (GPtrArray *runs)
{
  g_autoptr (GPtrArray) answers = assay_answers_compare (runs);
  for (guint i = 0; runs->len > 2 && i < answers->len; i++)
    {
      g_autofree char *words = assay_answers_dup_words (g_ptr_array_index (answers, i));
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
