/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "views-fixture.h"

#include <math.h>

#define MIB (1024 * 1024)
#define MS G_GINT64_CONSTANT (1000000)

static AssaySample
sample_blank (gint64 t_ns)
{
  AssaySample sample = { .t_ns = t_ns,
                         .reserved = -1,
                         .mapped_weights = -1,
                         .ram_anonymous = -1,
                         .ram_mapped = -1,
                         .ram_pinned = -1,
                         .ram_system = -1,
                         .vram_device = -1, .link_bytes = -1 };
  return sample;
}

void
views_fixture_append (AssaySeries *series, gint64 t_ns, gint64 weights, gint64 activations, gint64 mapped)
{
  AssaySample sample = sample_blank (t_ns);

  sample.allocated[ASSAY_MEMORY_WEIGHTS] = weights;
  sample.allocated[ASSAY_MEMORY_ACTIVATIONS] = activations;
  sample.mapped_weights = mapped;
  sample.ram_anonymous = weights + activations;
  sample.ram_mapped = mapped;
  assay_series_append (series, &sample);
}

typedef struct
{
  AssaySeries *series;
  gboolean own_memory;
  gint64 t_ns;
  gint64 reserved, link_bytes;
} Maker;

/* As a virtual device under group offload: two blocks of weights in the window, copied again in every pass;
 * the allocator keeps what it once took until it is trimmed. */
static void
maker_fill_device (Maker *maker, AssaySample *sample, gint64 sum, double loaded)
{
  const gboolean passes = sample->allocated[ASSAY_MEMORY_KV_CACHE] > 0;
  const gint64 block = 4 * (gint64)MIB;

  maker->reserved = MAX (maker->reserved, (sum + block - 1) / block * block);
  maker->link_bytes
      += passes ? 38 * (gint64)MIB + (maker->t_ns / MS % 7) * MIB : (gint64)(loaded < 1.0 ? 2 * MIB : 0);
  sample->reserved = sample->vram_device = maker->reserved;
  sample->link_bytes = maker->link_bytes;
}

static void
maker_append (Maker *maker, double loaded, double cache_mib, double activations_mib, double workspace_mib)
{
  AssaySample sample = sample_blank (maker->t_ns);
  gint64 sum = 0;

  sample.allocated[ASSAY_MEMORY_WEIGHTS] = (maker->own_memory ? 96 * loaded : 20 * loaded) * MIB;
  sample.allocated[ASSAY_MEMORY_KV_CACHE] = cache_mib * MIB;
  sample.allocated[ASSAY_MEMORY_ACTIVATIONS] = activations_mib * MIB;
  sample.allocated[ASSAY_MEMORY_WORKSPACE] = workspace_mib * MIB;
  sample.allocated[ASSAY_MEMORY_STAGING] = loaded < 1.0 ? 6 * MIB : 0;
  sample.allocated[ASSAY_MEMORY_OUTPUT] = cache_mib > 0.0 ? 2 * MIB : 0;
  for (guint i = 0; i < ASSAY_N_MEMORY; i++)
    sum += sample.allocated[i];
  sample.mapped_weights = maker->own_memory ? -1 : (gint64) (92 * loaded * MIB);
  if (maker->own_memory)
    maker_fill_device (maker, &sample, sum, loaded);
  sample.ram_anonymous = maker->own_memory ? (gint64)((48 + 92 * loaded) * MIB) : sum + 38 * MIB;
  sample.ram_mapped = (gint64) (92 * loaded * MIB) + 24 * MIB;
  sample.ram_pinned = 0;
  sample.ram_system = 5300 * (gint64) MIB;
  assay_series_append (maker->series, &sample);
  maker->t_ns += 20 * MS;
}

static void
maker_question (Maker *maker, guint question)
{
  g_autofree char *name = g_strdup_printf ("q%u", question + 1);
  const double before = 10.0 + question % 5;

  assay_series_add_mark (maker->series, maker->t_ns, "question", name);
  assay_series_begin_phase (maker->series, "prompt", maker->t_ns);
  for (guint i = 0; i < 15; i++)
    maker_append (maker, 1.0, before + i * 0.4, 20.0 + (question == 3 ? 12.0 : 0.0) + 6.0 * fabs (sin (i)),
                  9.0);
  assay_series_begin_phase (maker->series, "generate", maker->t_ns);
  for (guint i = 0; i < 60; i++)
    maker_append (maker, 1.0, before + 6.0 + i * 0.12, 4.0, 3.0 + i % 2);
}

AssaySeries *
views_fixture_series_new (gboolean own_memory, guint n_questions)
{
  Maker maker = { assay_series_new (20 * MS), own_memory, 0 };

  assay_series_begin_phase (maker.series, "load", 0);
  for (guint i = 0; i < 40; i++)
    maker_append (&maker, i / 40.0, 0.0, 0.0, 0.0);
  assay_series_begin_phase (maker.series, "convert", maker.t_ns);
  for (guint i = 0; i < 15; i++)
    maker_append (&maker, 1.0, 0.0, 0.0, 14.0);
  assay_series_add_mark (maker.series, maker.t_ns, "trim", "14.0 MiB");
  maker.reserved = 0;
  for (guint question = 0; question < n_questions; question++)
    maker_question (&maker, question);
  assay_series_end_phase (maker.series, maker.t_ns, -1);
  return maker.series;
}

static GPtrArray *
questions_new (void)
{
  static const char *const texts[][3] = {
    { "q1", "Which gas do plants take in to make sugar?", "carbon dioxide" },
    { "q2", "潮汐为什么一天涨落两次？请用两句话回答，并指出相关的天体。", "月球" },
    { "q3", "한국의 수도는 어디입니까? 한 단어로 답하십시오.", "서울" },
  };
  GPtrArray *questions = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_question_free);

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      AssayQuestion *question = assay_question_new (texts[i][0], texts[i][1]);
      question->expected = g_strdup (texts[i][2]);
      g_ptr_array_add (questions, question);
    }
  return questions;
}

static void
add_output (AssayRecord *record, const char *question, const char *text)
{
  AssayOutput *output = assay_output_new (question);

  output->text = g_strdup (text);
  output->text_length = strlen (text);
  output->output_tokens = 57;
  output->finish = g_strdup ("stop");
  g_ptr_array_add (assay_record_get_outputs (record), output);
}

static void
add_outputs (AssayRecord *record)
{
  add_output (record, "q1",
              "Plants take in carbon dioxide from the air and, with light and water, make sugar of it. "
              "The oxygen that is left goes back into the air.");
  add_output (record, "q2", "月球的引力在地球的两侧各拉起一个水峰；地球自转时，大多数海岸每天经过这两个水峰。");
  add_output (record, "q3", "대한민국의 수도는 <b>서울</b>입니다.");
}

static AssayRecord *
record_new (const char *id, const char *context_length, gint64 peak, double seconds)
{
  AssayRecord *record = assay_record_new ();
  AssayValues *conditions = assay_record_get_conditions (record), *burden = assay_record_get_burden (record);

  assay_record_set_id (record, id);
  assay_values_set_text (conditions, ASSAY_FIELD_MODEL_ID, "HuggingFaceTB/SmolLM2-135M-Instruct");
  assay_values_set_text (conditions, ASSAY_FIELD_QUANTIZATION, "Q4_1");
  assay_values_set_text (conditions, ASSAY_FIELD_COMPUTE_DTYPE, "int8");
  assay_values_set_text (conditions, ASSAY_FIELD_DEVICE, "cpu");
  assay_values_set_text (conditions, ASSAY_FIELD_OFFLOAD_MODE, "none");
  g_assert_true (assay_values_parse (conditions, ASSAY_FIELD_CONTEXT_LENGTH, context_length, NULL));
  assay_values_set_integer (burden, ASSAY_FIELD_PEAK_RAM, peak);
  assay_values_set_integer (burden, ASSAY_FIELD_PEAK_RAM_MAPPED, 116 * (gint64) MIB);
  assay_values_set_real (burden, ASSAY_FIELD_ELAPSED_SECONDS, seconds);
  assay_values_set_real (burden, ASSAY_FIELD_GENERATE_TOKENS_PER_SECOND, 120.0 / seconds);
  assay_record_set_status (record, ASSAY_STATUS_COMPLETED);
  return record;
}

static void
add_run (AssayLedger *ledger, AssayRecord *record)
{
  assay_record_seal (record);
  assay_ledger_add_run (ledger, record);
  g_object_unref (record);
}

static void
add_runs (AssayLedger *ledger)
{
  AssayRecord *base = record_new (FIXTURE_BASE, "2048", 131 * (gint64) MIB, 9.4);
  AssayRecord *child = record_new (FIXTURE_CHILD, "1024", 119 * (gint64) MIB, 9.1);
  AssayRecord *full = record_new (FIXTURE_FULL, "8192", 402 * (gint64) MIB, 1.7);
  AssayRecord *slow = record_new (FIXTURE_SLOW, "2048", 133 * (gint64) MIB, 245.0);

  add_outputs (base);
  assay_record_take_series (base, views_fixture_series_new (FALSE, 3));
  add_outputs (child);
  assay_record_set_parent (child, FIXTURE_BASE, "context_length");
  assay_record_take_series (child, views_fixture_series_new (TRUE, 12));
  assay_record_set_parent (full, FIXTURE_BASE, "context_length");
  assay_record_set_status (full, ASSAY_STATUS_OOM_DEVICE);
  assay_values_set_text (assay_record_get_outcome (full), ASSAY_FIELD_FAILED_PHASE, "prompt");
  assay_values_set_text (assay_record_get_outcome (full), ASSAY_FIELD_ERROR,
                         "kv_cache: asks for 384 MiB, 18.0 MiB of the budget of 402 MiB are left");
  assay_record_take_series (full, views_fixture_series_new (FALSE, 1));
  add_outputs (slow);
  assay_values_set_text (assay_record_get_conditions (slow), ASSAY_FIELD_COMPUTE_DTYPE, "float32");
  assay_values_set_text (assay_record_get_conditions (slow), ASSAY_FIELD_QUANTIZATION, "Q8_0");
  add_run (ledger, base);
  add_run (ledger, child);
  add_run (ledger, full);
  add_run (ledger, slow);
}

/* A run on the virtual device; what it took beside what was foretold. */
static AssayRecord *
virtual_record_new (const char *id, const char *mode, gint64 peak_mib, gint64 foretold_mib, gint64 moved_mib)
{
  AssayRecord *record = record_new (id, "2048", 140 * (gint64)MIB, 12.3);
  AssayValues *conditions = assay_record_get_conditions (record), *burden = assay_record_get_burden (record);
  const AssayMeasure measure = { .kind = (char *)"allocated" };

  assay_values_set_text (conditions, ASSAY_FIELD_DEVICE, "virtual");
  assay_values_set_text (conditions, ASSAY_FIELD_GENERATOR_DEVICE, "cpu");
  assay_values_set_text (conditions, ASSAY_FIELD_OFFLOAD_MODE, mode);
  assay_values_set_integer (conditions, ASSAY_FIELD_VRAM_BUDGET, 160 * (gint64)MIB);
  assay_values_set_integer (conditions, ASSAY_FIELD_RAM_BUDGET, 192 * (gint64)MIB);
  assay_values_set_integer (burden, ASSAY_FIELD_PEAK_VRAM, peak_mib * MIB);
  assay_values_set_measure (burden, ASSAY_FIELD_PEAK_VRAM, &measure);
  assay_values_set_integer (burden, ASSAY_FIELD_PEAK_WEIGHTS, 96 * (gint64)MIB);
  assay_values_set_integer (burden, ASSAY_FIELD_PEAK_KV_CACHE, 28 * (gint64)MIB);
  assay_values_set_integer (burden, ASSAY_FIELD_LINK_BYTES, moved_mib * MIB);
  assay_values_set_real (burden, ASSAY_FIELD_LINK_STALL_SECONDS, moved_mib > 1000 ? 1.73 : 0.0);
  assay_values_set_integer (burden, ASSAY_FIELD_PREDICTED_PEAK_VRAM, foretold_mib * MIB);
  assay_values_set_integer (burden, ASSAY_FIELD_PREDICTED_WEIGHTS, 96 * (gint64)MIB);
  assay_values_set_integer (burden, ASSAY_FIELD_PREDICTED_KV_CACHE, 28 * (gint64)MIB);
  add_outputs (record);
  assay_record_take_series (record, views_fixture_series_new (TRUE, 3));
  return record;
}

AssayLedger *
views_fixture_virtual_ledger_new (void)
{
  AssayLedger *ledger = assay_ledger_new (ASSAY_TASK_LANGUAGE, "SmolLM2 on a virtual device");
  AssayRecord *group = virtual_record_new (FIXTURE_GROUP, "group", 150, 149, 8200);
  AssayRecord *off = virtual_record_new (FIXTURE_OFF, "sequential", 150, 121, 8600);

  assay_ledger_take_criteria (ledger, assay_criteria_new_default (ASSAY_TASK_LANGUAGE));
  assay_ledger_take_questions (ledger, questions_new (), "three sha256:0");
  assay_record_set_parent (group, FIXTURE_RESIDENT, "offload_mode");
  assay_record_set_parent (off, FIXTURE_GROUP, "offload_mode");
  assay_values_set_text (assay_record_get_conditions (off), ASSAY_FIELD_GENERATOR_DEVICE, "virtual");
  add_run (ledger, virtual_record_new (FIXTURE_RESIDENT, "none", 157, 157, 96));
  add_run (ledger, group);
  add_run (ledger, off);
  return ledger;
}

AssayLedger *
views_fixture_ledger_new (void)
{
  AssayLedger *ledger = assay_ledger_new (ASSAY_TASK_LANGUAGE, "SmolLM2 on a small machine");
  AssayCriteria *criteria = assay_criteria_new_default (ASSAY_TASK_LANGUAGE);
  AssayCriterion *completeness = assay_criterion_new ("completeness", ASSAY_CRITERION_SCALE);
  g_autoptr(AssayReview) review = assay_review_new ("Kim");

  completeness->low = g_strdup ("misses the question");
  completeness->high = g_strdup ("answers it all");
  completeness->pass = 4;
  g_ptr_array_add (criteria->criteria, completeness);
  criteria->vram_budget = 120 * (gint64) MIB;
  criteria->time_limit_seconds = 120.0;
  assay_ledger_take_criteria (ledger, criteria);
  assay_ledger_take_questions (ledger, questions_new (), "three sha256:0");
  add_runs (ledger);
  assay_review_set_score (review, "groundedness", NULL, 2);
  review->verdict = ASSAY_VERDICT_FAIL;
  review->quality_note = g_strdup ("The second answer names no bodies.");
  g_assert_true (assay_ledger_add_review (ledger, FIXTURE_BASE, review, NULL));
  return ledger;
}
