/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-export-json.c: a ledger as JSON, nothing left out.
 *
 * Values are plain members, so that a script reads .burden.peak_vram; an unknown is null and its reason
 * stands in "unknown"; how a figure was measured stands in "measures". An unset field is absent. */
#include "assay-export-private.h"

#include <string.h>

#include <json-glib/json-glib.h>

#include "assay-planned.h"
#include "assay-preference.h"

static void
json_add_bytes (JsonBuilder *json, const char *text, gsize length)
{
  if (text == NULL)
    json_builder_add_null_value (json);
  else if (g_utf8_validate (text, (gssize) length, NULL))
    {
      g_autofree char *copy = g_strndup (text, length);
      json_builder_add_string_value (json, copy);
    }
  else
    {
      g_autofree char *encoded = g_base64_encode ((const guchar *) text, length);
      json_builder_begin_object (json);
      json_builder_set_member_name (json, "base64");
      json_builder_add_string_value (json, encoded);
      json_builder_end_object (json);
    }
}

static void
json_add_text (JsonBuilder *json, const char *name, const char *text)
{
  json_builder_set_member_name (json, name);
  json_add_bytes (json, text, text != NULL ? strlen (text) : 0);
}

static void
json_add_int (JsonBuilder *json, const char *name, gint64 value)
{
  json_builder_set_member_name (json, name);
  json_builder_add_int_value (json, value);
}

/* A negative count, size or time is unknown. */
static void
json_add_count (JsonBuilder *json, const char *name, gint64 value)
{
  json_builder_set_member_name (json, name);
  if (value < 0)
    json_builder_add_null_value (json);
  else
    json_builder_add_int_value (json, value);
}

static void
json_add_threshold (JsonBuilder *json, const char *name, double value)
{
  json_builder_set_member_name (json, name);
  if (value < 0)
    json_builder_add_null_value (json);
  else
    json_builder_add_double_value (json, value);
}

static void
json_add_boolean (JsonBuilder *json, const char *name, gboolean value)
{
  json_builder_set_member_name (json, name);
  json_builder_add_boolean_value (json, value);
}

static void
json_begin (JsonBuilder *json, const char *name)
{
  json_builder_set_member_name (json, name);
  json_builder_begin_object (json);
}

static void
json_begin_array (JsonBuilder *json, const char *name)
{
  json_builder_set_member_name (json, name);
  json_builder_begin_array (json);
}

/* Values */

static void
json_add_value (JsonBuilder *json, const AssayValues *values, AssayFieldId field)
{
  const AssayFieldInfo *info = assay_field_get_info (field);
  gint64 integer = 0;
  double real = 0;
  gboolean boolean = FALSE;
  json_builder_set_member_name (json, info->name);
  if (assay_values_get_state (values, field) != ASSAY_VALUE_SET)
    json_builder_add_null_value (json);
  else if (info->type == ASSAY_VALUE_TYPE_INTEGER && assay_values_get_integer (values, field, &integer))
    json_builder_add_int_value (json, integer);
  else if (info->type == ASSAY_VALUE_TYPE_REAL && assay_values_get_real (values, field, &real))
    json_builder_add_double_value (json, real);
  else if (info->type == ASSAY_VALUE_TYPE_BOOLEAN && assay_values_get_boolean (values, field, &boolean))
    json_builder_add_boolean_value (json, boolean);
  else
    {
      const char *text = assay_values_get_text (values, field);
      json_add_bytes (json, text, text != NULL ? strlen (text) : 0);
    }
}

static void
json_add_measure (JsonBuilder *json, const AssayValues *values, AssayFieldId field)
{
  const AssayMeasure *measure = assay_values_get_measure (values, field);
  if (measure == NULL)
    return;
  json_begin (json, assay_field_get_info (field)->name);
  json_add_text (json, "kind", measure->kind);
  json_add_text (json, "source", measure->source);
  json_add_int (json, "interval_ns", measure->interval_ns);
  json_add_int (json, "samples", (gint64) MIN (measure->n_samples, (guint64) G_MAXINT64));
  json_builder_end_object (json);
}

static void
json_add_values (JsonBuilder *json, const char *name, const AssayValues *values, gboolean with_measures)
{
  json_begin (json, name);
  for (AssayFieldId field = 0; field < ASSAY_N_FIELDS; field++)
    if (assay_values_get_state (values, field) != ASSAY_VALUE_UNSET)
      json_add_value (json, values, field);
  json_begin (json, "unknown");
  for (AssayFieldId field = 0; field < ASSAY_N_FIELDS; field++)
    if (assay_values_get_state (values, field) == ASSAY_VALUE_UNKNOWN)
      json_add_text (json, assay_field_get_info (field)->name, assay_values_get_reason (values, field));
  json_builder_end_object (json);
  if (with_measures)
    {
      json_begin (json, "measures");
      for (AssayFieldId field = 0; field < ASSAY_N_FIELDS; field++)
        json_add_measure (json, values, field);
      json_builder_end_object (json);
    }
  json_builder_end_object (json);
}

/* Parts of a run */

static void
json_add_output (JsonBuilder *json, const AssayOutput *output)
{
  json_builder_begin_object (json);
  json_add_text (json, "question", output->question);
  json_builder_set_member_name (json, "text");
  json_add_bytes (json, output->text, output->text_length);
  json_add_count (json, "input_tokens", output->input_tokens);
  json_add_count (json, "output_tokens", output->output_tokens);
  json_add_count (json, "prompt_ns", output->prompt_ns);
  json_add_count (json, "generate_ns", output->generate_ns);
  json_add_text (json, "finish", output->finish);
  json_add_boolean (json, "partial", output->partial);
  json_add_text (json, "asset", output->asset);
  json_add_boolean (json, "asset_missing", output->asset_missing);
  json_builder_end_object (json);
}

static void
json_add_score (JsonBuilder *json, const AssayScore *score)
{
  json_builder_begin_object (json);
  json_add_text (json, "criterion", score->criterion);
  json_add_text (json, "question", score->question);
  if (score->words != NULL)
    json_add_text (json, "words", score->words);
  else
    json_add_int (json, "value", score->value);
  json_builder_end_object (json);
}

static void
json_add_review (JsonBuilder *json, const AssayReview *review, gboolean counts)
{
  json_builder_begin_object (json);
  json_add_text (json, "id", review->id);
  json_add_text (json, "reviewer", review->reviewer);
  json_add_text (json, "at", review->at);
  json_add_boolean (json, "blind", review->blind);
  json_add_text (json, "supersedes", review->supersedes);
  json_add_boolean (json, "superseded", !counts);
  json_add_count (json, "order_seed", review->order_seed > 0 ? (gint64) review->order_seed : -1);
  json_add_count (json, "position", review->position > 0 ? (gint64) review->position : -1);
  json_add_text (json, "verdict", assay_verdict_get_name (review->verdict));
  json_add_text (json, "quality_note", review->quality_note);
  json_begin_array (json, "scores");
  for (guint i = 0; i < review->scores->len; i++)
    json_add_score (json, review->scores->pdata[i]);
  json_builder_end_array (json);
  json_builder_end_object (json);
}

static void
json_add_next_trial (JsonBuilder *json, const AssayNextTrial *next)
{
  json_builder_set_member_name (json, "next_trial");
  if (next == NULL)
    {
      json_builder_add_null_value (json);
      return;
    }
  json_builder_begin_object (json);
  json_add_text (json, "signal", next->signal);
  json_add_text (json, "axis", next->axis);
  json_add_text (json, "from", next->from);
  json_add_text (json, "to", next->to);
  json_begin_array (json, "held");
  for (guint i = 0; next->held != NULL && next->held[i] != NULL; i++)
    json_add_bytes (json, next->held[i], strlen (next->held[i]));
  json_builder_end_array (json);
  json_add_text (json, "note", next->note);
  json_add_count (json, "predicted_peak_vram", next->predicted_peak_vram);
  json_add_count (json, "predicted_peak_ram", next->predicted_peak_ram);
  json_add_count (json, "predicted_ns", next->predicted_ns);
  json_add_text (json, "invalid", next->invalid);
  json_builder_end_object (json);
}

static void
json_add_sample (JsonBuilder *json, const AssaySample *sample)
{
  json_builder_begin_object (json);
  json_add_int (json, "t_ns", sample->t_ns);
  for (AssayMemory category = 0; category < ASSAY_N_MEMORY; category++)
    json_add_count (json, assay_memory_get_name (category), sample->allocated[category]);
  json_add_count (json, "reserved", sample->reserved);
  json_add_count (json, "mapped_weights", sample->mapped_weights);
  json_add_count (json, "ram_anonymous", sample->ram_anonymous);
  json_add_count (json, "ram_mapped", sample->ram_mapped);
  json_add_count (json, "ram_pinned", sample->ram_pinned);
  json_add_count (json, "ram_system", sample->ram_system);
  json_add_count (json, "vram_device", sample->vram_device);
  json_add_count (json, "link_bytes", sample->link_bytes);
  json_builder_end_object (json);
}

static void
json_add_phase (JsonBuilder *json, const AssayPhase *phase)
{
  json_builder_begin_object (json);
  json_add_text (json, "name", phase->name);
  json_add_int (json, "start_ns", phase->start_ns);
  json_add_count (json, "duration_ns", phase->duration_ns);
  json_add_count (json, "peak_allocated", phase->peak_allocated);
  json_add_count (json, "peak_ram", phase->peak_ram);
  json_builder_end_object (json);
}

static void
json_add_mark (JsonBuilder *json, const AssayMark *mark)
{
  json_builder_begin_object (json);
  json_add_int (json, "t_ns", mark->t_ns);
  json_add_text (json, "kind", mark->kind);
  json_add_text (json, "text", mark->text);
  json_builder_end_object (json);
}

static void
json_add_series (JsonBuilder *json, AssaySeries *series)
{
  g_autoptr(GArray) samples = assay_series_dup_samples (series);
  g_autoptr(GPtrArray) phases = assay_series_dup_phases (series);
  g_autoptr(GPtrArray) marks = assay_series_dup_marks (series);
  json_begin (json, "series");
  json_add_int (json, "interval_ns", assay_series_get_interval_ns (series));
  json_add_int (json, "measured", (gint64) assay_series_get_n_measured (series));
  json_begin_array (json, "phases");
  for (guint i = 0; i < phases->len; i++)
    json_add_phase (json, phases->pdata[i]);
  json_builder_end_array (json);
  json_begin_array (json, "marks");
  for (guint i = 0; i < marks->len; i++)
    json_add_mark (json, marks->pdata[i]);
  json_builder_end_array (json);
  json_begin_array (json, "samples");
  for (guint i = 0; i < samples->len; i++)
    json_add_sample (json, &g_array_index (samples, AssaySample, i));
  json_builder_end_array (json);
  json_builder_end_object (json);
}

static void
json_add_gates (JsonBuilder *json, AssayLedger *ledger, AssayRecord *record)
{
  g_autoptr(AssayGates) gates = assay_gates_judge (ledger, record);
  json_begin (json, "gates");
  for (AssayGate gate = 0; gate < ASSAY_N_GATES; gate++)
    json_add_text (json, assay_gate_get_name (gate), export_get_gate (gates, gate));
  json_builder_end_object (json);
}

static void
json_add_lists (JsonBuilder *json, AssayRecord *record)
{
  GPtrArray *outputs = assay_record_get_outputs (record), *reviews = assay_record_get_reviews (record);
  g_autoptr(GPtrArray) current = assay_record_get_current_reviews (record);
  const char *const *notices = assay_record_get_notices (record);
  json_begin_array (json, "outputs");
  for (guint i = 0; i < outputs->len; i++)
    json_add_output (json, outputs->pdata[i]);
  json_builder_end_array (json);
  json_begin_array (json, "reviews");
  for (guint i = 0; i < reviews->len; i++)
    json_add_review (json, reviews->pdata[i], g_ptr_array_find (current, reviews->pdata[i], NULL));
  json_builder_end_array (json);
  json_begin_array (json, "notices");
  for (guint i = 0; notices != NULL && notices[i] != NULL; i++)
    json_add_bytes (json, notices[i], strlen (notices[i]));
  json_builder_end_array (json);
}

static void
json_add_run (JsonBuilder *json, AssayLedger *ledger, AssayRecord *record)
{
  json_builder_begin_object (json);
  json_add_text (json, "run_id", assay_record_get_id (record));
  json_add_text (json, "parent", assay_record_get_parent (record));
  json_add_text (json, "changed", assay_record_get_changed (record));
  json_add_text (json, "planned", assay_record_get_planned (record));
  json_add_text (json, "accepted", assay_record_get_accepted (record));
  json_add_text (json, "damage", assay_record_get_damage (record));
  json_add_values (json, "conditions", assay_record_get_conditions (record), FALSE);
  json_add_values (json, "effective", assay_record_get_effective (record), FALSE);
  json_add_values (json, "burden", assay_record_get_burden (record), TRUE);
  json_add_text (json, "baseline_holders", assay_record_get_baseline_holders (record));
  json_add_values (json, "outcome", assay_record_get_outcome (record), FALSE);
  json_add_gates (json, ledger, record);
  json_add_lists (json, record);
  json_add_next_trial (json, assay_record_get_next_trial (record));
  json_add_series (json, assay_record_get_series (record));
  json_builder_end_object (json);
}

/* The ledger */

static void
json_add_criterion (JsonBuilder *json, const AssayCriterion *criterion)
{
  json_builder_begin_object (json);
  json_add_text (json, "id", criterion->id);
  json_add_text (json, "label", criterion->label);
  json_add_text (json, "kind", assay_criterion_kind_get_name (criterion->kind));
  json_add_text (json, "low", criterion->low);
  json_add_text (json, "high", criterion->high);
  json_add_int (json, "pass", criterion->pass);
  json_add_boolean (json, "per_question", criterion->per_question);
  json_add_boolean (json, "required", criterion->required);
  json_builder_end_object (json);
}

static void
json_add_criteria (JsonBuilder *json, const AssayCriteria *criteria)
{
  json_begin (json, "criteria");
  json_add_text (json, "changed", criteria->changed_at);
  json_add_text (json, "changed_from", criteria->changed_from);
  json_begin (json, "feasibility");
  json_add_count (json, "vram_budget", criteria->vram_budget);
  json_add_threshold (json, "time_limit_seconds", criteria->time_limit_seconds);
  json_builder_end_object (json);
  json_begin_array (json, "quality");
  for (guint i = 0; i < criteria->criteria->len; i++)
    json_add_criterion (json, criteria->criteria->pdata[i]);
  json_builder_end_array (json);
  json_begin (json, "operation");
  json_add_threshold (json, "mean_latency_seconds", criteria->mean_latency_seconds);
  json_add_threshold (json, "max_retry_rate", criteria->max_retry_rate);
  json_add_threshold (json, "min_tokens_per_second", criteria->min_tokens_per_second);
  json_add_count (json, "max_ram", criteria->max_ram);
  json_builder_end_object (json);
  json_builder_end_object (json);
}

static void
json_add_questions (JsonBuilder *json, GPtrArray *questions)
{
  json_begin_array (json, "questions");
  for (guint i = 0; i < questions->len; i++)
    {
      const AssayQuestion *question = questions->pdata[i];
      json_builder_begin_object (json);
      json_add_text (json, "id", question->id);
      json_add_text (json, "language", question->language);
      json_add_text (json, "text", question->text);
      json_add_text (json, "expected", question->expected);
      json_add_text (json, "hint", question->hint);
      json_builder_end_object (json);
    }
  json_builder_end_array (json);
}

/* What is still to do. */
static void
json_add_planned (JsonBuilder *json, AssayLedger *ledger)
{
  g_autoptr(GPtrArray) left = assay_ledger_dup_left (ledger);
  json_begin_array (json, "planned");
  for (guint i = 0; i < left->len; i++)
    {
      json_builder_begin_object (json);
      json_add_text (json, "id", assay_record_get_id (left->pdata[i]));
      json_add_text (json, "parent", assay_record_get_parent (left->pdata[i]));
      json_add_text (json, "changed", assay_record_get_changed (left->pdata[i]));
      json_add_values (json, "conditions", assay_record_get_conditions (left->pdata[i]), FALSE);
      json_builder_end_object (json);
    }
  json_builder_end_array (json);
}

static gboolean
json_names_run (GPtrArray *runs, const AssayPreference *made)
{
  for (guint i = 0; i < runs->len; i++)
    {
      const char *id = assay_record_get_id (runs->pdata[i]);
      if (g_strcmp0 (id, made->left) == 0 || g_strcmp0 (id, made->right) == 0)
        return TRUE;
    }
  return FALSE;
}

static void
json_add_preference (JsonBuilder *json, const AssayPreference *made, gboolean superseded)
{
  json_builder_begin_object (json);
  json_add_text (json, "id", made->id);
  json_add_text (json, "reviewer", made->reviewer);
  json_add_text (json, "at", made->at);
  json_add_text (json, "question", made->question);
  json_add_text (json, "left", made->left);
  json_add_text (json, "right", made->right);
  json_add_text (json, "choice", assay_choice_get_name (made->choice));
  json_add_boolean (json, "blind", made->blind);
  json_add_text (json, "supersedes", made->supersedes);
  json_add_boolean (json, "superseded", superseded);
  json_add_count (json, "order_seed", made->order_seed > 0 ? (gint64) made->order_seed : -1);
  json_add_count (json, "position", made->position > 0 ? (gint64) made->position : -1);
  json_builder_end_object (json);
}

/* Where only some runs are told, the preferences about them. */
static void
json_add_preferences (JsonBuilder *json, AssayLedger *ledger, GPtrArray *runs)
{
  GPtrArray *all = assay_ledger_get_preferences (ledger);
  g_autoptr(GPtrArray) current = assay_ledger_dup_current_preferences (ledger);
  const gboolean whole = runs->len == assay_ledger_get_n_runs (ledger);
  guint n_current = 0;

  json_begin_array (json, "preferences");
  for (guint i = 0; i < all->len; i++)
    {
      const AssayPreference *made = all->pdata[i];
      const gboolean stands = n_current < current->len && current->pdata[n_current] == made; /* alike in order */
      n_current += stands;
      if (whole || json_names_run (runs, made))
        json_add_preference (json, made, !stands);
    }
  json_builder_end_array (json);
}

static void
json_add_ledger (JsonBuilder *json, AssayLedger *ledger, GPtrArray *runs)
{
  json_builder_begin_object (json);
  json_add_text (json, "format", "assay-ledger");
  json_add_text (json, "version", "1.0");
  json_add_text (json, "id", assay_ledger_get_id (ledger));
  json_add_text (json, "title", assay_ledger_get_title (ledger));
  json_add_text (json, "task", assay_task_get_name (assay_ledger_get_task (ledger)));
  json_add_criteria (json, assay_ledger_get_criteria (ledger));
  json_add_text (json, "question_set", assay_ledger_get_question_set (ledger));
  json_add_questions (json, assay_ledger_get_questions (ledger));
  json_add_planned (json, ledger);
  json_add_preferences (json, ledger, runs);
  json_begin_array (json, "runs");
  for (guint i = 0; i < runs->len; i++)
    json_add_run (json, ledger, runs->pdata[i]);
  json_builder_end_array (json);
  json_builder_end_object (json);
}

static char *
json_finish (JsonBuilder *json)
{
  g_autoptr(JsonGenerator) generator = json_generator_new ();
  g_autoptr(JsonNode) root = json_builder_get_root (json);
  json_generator_set_pretty (generator, TRUE);
  json_generator_set_root (generator, root);
  g_autofree char *text = json_generator_to_data (generator, NULL);
  return g_strconcat (text, "\n", NULL);
}

char *
export_json (AssayLedger *ledger, GPtrArray *runs)
{
  g_autoptr(JsonBuilder) json = json_builder_new ();
  json_add_ledger (json, ledger, runs);
  return json_finish (json);
}

char *
assay_export_record_json (AssayLedger *ledger, AssayRecord *record)
{
  g_return_val_if_fail (ASSAY_IS_LEDGER (ledger) && ASSAY_IS_RECORD (record), NULL);
  g_autoptr(JsonBuilder) json = json_builder_new ();
  json_add_run (json, ledger, record);
  return json_finish (json);
}
