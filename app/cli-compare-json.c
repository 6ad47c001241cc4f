/* SPDX-License-Identifier: GPL-3.0-or-later */
/* app/cli-compare-json.c: comparisons, effects and frontiers for scripts. */
#include "cli-compare.h"

static void
json_ids (JsonBuilder *b, const char *name, GPtrArray *runs)
{
  cli_json_array (b, name);
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
  cli_json_array (b, "axes");
  for (guint i = 0; i < differences->len; i++)
    {
      const AssayDifference *d = g_ptr_array_index (differences, i);
      if (!d->implied)
        json_builder_add_string_value (b, assay_axis_get_name (d->axis));
    }
  json_builder_end_array (b);
  cli_json_array (b, "differences");
  for (guint i = 0; i < differences->len; i++)
    {
      const AssayDifference *d = g_ptr_array_index (differences, i);
      json_builder_begin_object (b);
      cli_json_text (b, "axis", assay_axis_get_name (d->axis));
      cli_json_text (b, "field", assay_field_get_info (d->field)->name);
      cli_json_text (b, "from", d->from);
      cli_json_text (b, "to", d->to);
      cli_json_boolean (b, "hidden", assay_axis_is_hidden (d->axis));
      cli_json_boolean (b, "implied", d->implied);
      json_builder_end_object (b);
    }
  json_builder_end_array (b);
}

void
cli_compare_add_answers (JsonBuilder *b, GPtrArray *answers)
{
  cli_json_array (b, "answers");
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
json_comparison (JsonBuilder *b, const AssayComparison *comparison, const char *sentence)
{
  const gboolean claims = comparison->reason == ASSAY_REASON_NONE;
  cli_json_text (b, "kind", assay_comparison_kind_get_name (comparison->kind));
  cli_json_text (b, "reason", claims ? NULL : assay_comparison_reason_get_name (comparison->reason));
  cli_json_text (b, "sentence", sentence);
  json_differences (b, comparison->differences);
}

void
cli_compare_add_comparison (JsonBuilder *b, const AssayComparison *comparison)
{
  json_comparison (b, comparison, comparison->sentence);
}

/* --- an effect --- */

static void
json_side (JsonBuilder *b, const char *name, const AssayRepeats *side)
{
  json_builder_set_member_name (b, name);
  json_builder_begin_object (b);
  cli_json_integer (b, "n", side->n);
  cli_json_real (b, "mean", side->mean);
  cli_json_real (b, "median", side->median);
  cli_json_real (b, "low", side->low);
  cli_json_real (b, "high", side->high);
  cli_json_boolean (b, "warm_up_left_out", side->warm_up);
  json_builder_end_object (b);
}

static void
json_figures (JsonBuilder *b, GArray *figures)
{
  cli_json_array (b, "figures");
  for (guint i = 0; i < figures->len; i++)
    {
      const AssayEffectFigure *figure = &g_array_index (figures, AssayEffectFigure, i);
      const AssayFieldInfo *info = assay_field_get_info (figure->field);
      json_builder_begin_object (b);
      cli_json_text (b, "field", info->name);
      cli_json_text (b, "unit", assay_unit_get_name (info->unit));
      json_side (b, "from", &figure->from);
      json_side (b, "to", &figure->to);
      cli_json_real (b, "difference", figure->difference);
      cli_json_real (b, "ratio", figure->ratio);
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
  cli_json_boolean (b, "criteria_changed", effect->criteria_changed);
  cli_json_array (b, "criteria");
  for (guint i = 0; i < effect->criteria->len; i++)
    {
      const AssayEffectCriterion *criterion = g_ptr_array_index (effect->criteria, i);
      json_builder_begin_object (b);
      cli_json_text (b, "criterion", criterion->criterion->id);
      cli_json_real (b, "from", criterion->from);
      cli_json_real (b, "to", criterion->to);
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
  g_autofree char *sentence = assay_effect_dup_words (effect); /* of the settings, not of the two runs that speak for them */
  json_builder_begin_object (b);
  json_ids (b, "from", effect->from);
  json_ids (b, "to", effect->to);
  json_comparison (b, effect->comparison, sentence);
  json_figures (b, effect->figures);
  json_quality (b, effect);
  cli_compare_add_answers (b, effect->answers);
  json_builder_end_object (b);
}

/* --- the ledger as a whole --- */

void
cli_compare_add_families (JsonBuilder *b, const AssayEffects *effects)
{
  cli_json_array (b, "families");
  for (guint i = 0; i < effects->families->len; i++)
    {
      const AssayEffectFamily *family = g_ptr_array_index (effects->families, i);
      json_builder_begin_object (b);
      cli_json_text (b, "axis", assay_axis_get_name (family->axis));
      cli_json_array (b, "effects");
      for (guint k = 0; k < family->effects->len; k++)
        json_effect (b, g_ptr_array_index (family->effects, k));
      json_builder_end_array (b);
      json_builder_end_object (b);
    }
  json_builder_end_array (b);
  cli_json_array (b, "kept_out");
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
  cli_json_real (b, "seconds", point->seconds);
  cli_json_integer (b, "n", point->n);
  cli_json_text (b, "feasibility", assay_verdict_get_name (point->feasibility));
  cli_json_text (b, "quality", assay_verdict_get_name (point->quality));
  cli_json_boolean (b, "on_quality_frontier", point->on_quality_frontier);
  cli_json_boolean (b, "on_ran_frontier", point->on_ran_frontier);
  json_builder_end_object (b);
}

void
cli_compare_add_frontiers (JsonBuilder *b, const AssayPareto *pareto)
{
  cli_json_array (b, "frontiers");
  for (guint i = 0; i < pareto->groups->len; i++)
    {
      const AssayParetoGroup *group = g_ptr_array_index (pareto->groups, i);
      json_builder_begin_object (b);
      cli_json_text (b, "field", assay_field_get_info (group->peak)->name);
      cli_json_text (b, "kind", group->kind);
      cli_json_array (b, "points");
      for (guint k = 0; k < group->points->len; k++)
        json_point (b, g_ptr_array_index (group->points, k));
      json_builder_end_array (b);
      json_builder_end_object (b);
    }
  json_builder_end_array (b);
  cli_json_array (b, "left_out");
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
