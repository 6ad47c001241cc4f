/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chain-story.h"

#include "assay-advice.h"
#include "assay-change.h"
#include "judgment.h"

#define MIB G_GINT64_CONSTANT (1048576)

const char *const chain_story_ids[CHAIN_STORY_RUNS]
    = { "20261101T080000Z-a00001", "20261101T081000Z-b00002", "20261101T082000Z-c00003", "20261101T083000Z-d00004",
        "20261101T084000Z-e00005" };
const char *const chain_story_axes[CHAIN_STORY_RUNS]
    = { NULL, "offload_mode", "offload_mode", "prefetch", "model_id" };
const char *const chain_story_signals[CHAIN_STORY_RUNS]
    = { NULL, "oom_device", "too_slow", "too_slow", "quality_miss" };
const char chain_story_branch[] = "20261101T081500Z-f00006";

static const struct
{
  const char *to, *note;
  AssayRunStatus status;
  gint64 predicted_mib, peak_mib;
  double seconds;
} steps[CHAIN_STORY_RUNS] = {
  { NULL, NULL, ASSAY_STATUS_OOM_DEVICE, 700, 512, 0.4 },
  { "sequential", "does it fit | at <all>? 한국어 中文", ASSAY_STATUS_COMPLETED, 300, 300, 90 },
  { "group", "fewer copies", ASSAY_STATUS_COMPLETED, 380, 380, 60 },
  { "true", "copy while it computes", ASSAY_STATUS_COMPLETED, 450, 452, 18 },
  { "org/better-360M", "the same question to a larger one", ASSAY_STATUS_COMPLETED, 490, 600, 19 },
};

/* As the planner would: fixed figures of the step that is being planned. */
static gboolean
story_predict (const AssayValues *conditions, AssayPrediction *out, gpointer data, GError **error)
{
  const guint step = GPOINTER_TO_UINT (data);
  *out = (AssayPrediction){ .peak_vram = steps[step].predicted_mib * MIB, .peak_ram = 64 * MIB, .link_bytes = -1,
                            .seconds = 0.5, .fits = TRUE };
  return TRUE;
}

static AssayNextTrial *
advice_choose_axis (const AssayAdvice *advice, AssayRecord *record, guint step, GError **error)
{
  const AssayFieldId field = assay_field_from_name (chain_story_axes[step]);
  for (guint k = 0; k < advice->candidates->len; k++)
    {
      const AssayCandidate *candidate = g_ptr_array_index (advice->candidates, k);
      if (candidate->field == field && (candidate->to == NULL || g_str_equal (candidate->to, steps[step].to)))
        return assay_advice_choose (advice, k, steps[step].to, steps[step].note, error);
    }
  return assay_advice_choose_field (advice, record, field, steps[step].to, steps[step].note, error);
}

static void
story_plan (AssayLedger *ledger, guint step)
{
  g_autoptr(GError) error = NULL;
  AssayRecord *parent = assay_ledger_find_run (ledger, chain_story_ids[step - 1]);
  g_autoptr(AssayAdvice) advice = assay_advice_for (ledger, parent);
  assay_advice_predict (advice, parent, story_predict, GUINT_TO_POINTER (step));
  g_assert_cmpstr (assay_signal_get_name (advice->signal), ==, chain_story_signals[step]);
  g_autoptr(AssayNextTrial) next = advice_choose_axis (advice, parent, step, &error);
  g_assert_no_error (error);
  assay_ledger_set_next_trial (ledger, chain_story_ids[step - 1], next, &error);
  g_assert_no_error (error);
}

static AssayRecord *
story_continue (AssayLedger *ledger, guint step)
{
  g_autoptr(GError) error = NULL;
  AssayRecord *parent = assay_ledger_find_run (ledger, chain_story_ids[step - 1]);
  const AssayNextTrial *next = assay_record_get_next_trial (parent);
  AssayRecord *child = assay_record_new ();
  AssayValues *conditions = assay_change_dup_base (parent);
  assay_change_apply (conditions, assay_field_from_name (next->axis), next->to, &error);
  g_assert_no_error (error);
  assay_record_take_conditions (child, conditions);
  assay_record_set_parent (child, assay_record_get_id (parent), next->axis);
  return child;
}

static AssayRecord *
story_begin (void)
{
  return judgment_run ("first", ASSAY_STATUS_UNKNOWN, "model_id", "org/small-135M", "device", "virtual", "vram_budget",
                       "536870912", "offload_mode", "none", "prefetch", "false", "quantization", "Q4_1", "context_length", "2048", "prompt",
                       "Name the capital of Korea.", NULL);
}

static void
record_set_peak (AssayRecord *record, AssayFieldId field, gint64 bytes)
{
  assay_values_set_integer (assay_record_get_burden (record), field, bytes);
  assay_values_set_measure (assay_record_get_burden (record), field,
                            &(AssayMeasure){ .kind = "allocated", .source = "allocator" });
}

static void
record_add_series (AssayRecord *record, guint step)
{
  AssaySeries *series = assay_series_new (20000000);
  const gint64 end_ns = (gint64) (steps[step].seconds * 1e9);
  assay_series_begin_phase (series, "generate", 0);
  for (int i = 0; i <= 20; i++)
    {
      AssaySample sample = { .t_ns = end_ns * i / 20, .reserved = -1, .mapped_weights = -1, .ram_anonymous = 64 * MIB,
                             .ram_mapped = -1, .ram_pinned = -1, .ram_system = -1, .vram_device = 600 * MIB,
                             .link_bytes = i * MIB };
      sample.allocated[ASSAY_MEMORY_WEIGHTS] = steps[step].peak_mib * MIB * 4 / 5;
      sample.allocated[ASSAY_MEMORY_KV_CACHE] = steps[step].peak_mib * MIB / 5 * MIN (i, 10) / 10;
      assay_series_append (series, &sample);
    }
  assay_series_end_phase (series, end_ns, steps[step].peak_mib * MIB);
  assay_record_take_series (record, series);
}

static void
story_measure (AssayRecord *record, guint step)
{
  AssayValues *burden = assay_record_get_burden (record);
  assay_record_set_status (record, steps[step].status);
  assay_values_set_integer (burden, ASSAY_FIELD_PREDICTED_PEAK_VRAM, steps[step].predicted_mib * MIB);
  assay_values_set_real (burden, ASSAY_FIELD_ELAPSED_SECONDS, steps[step].seconds);
  record_set_peak (record, ASSAY_FIELD_PEAK_VRAM, steps[step].peak_mib * MIB);
  record_add_series (record, step);
  if (steps[step].status == ASSAY_STATUS_COMPLETED)
    judgment_output (record, "", step == 4 ? "Seoul. 서울" : "Paris");
}

static void
story_add (AssayLedger *ledger, AssayRecord *record_taken, const char *id, guint step)
{
  assay_record_set_id (record_taken, id);
  story_measure (record_taken, step);
  judgment_add (ledger, record_taken);
}

static void
story_review (AssayLedger *ledger, guint step, const char *reviewer, AssayVerdict verdict, gint score)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AssayReview) review = assay_review_new (reviewer);
  review->verdict = verdict;
  review->blind = TRUE;
  assay_review_set_score (review, "groundedness", NULL, score);
  assay_ledger_add_review (ledger, chain_story_ids[step], review, &error);
  g_assert_no_error (error);
}

static void
story_set_criteria (AssayLedger *ledger)
{
  AssayCriteria *criteria = assay_criteria_new ();
  AssayCriterion *groundedness = assay_criterion_new ("groundedness", ASSAY_CRITERION_SCALE);
  groundedness->pass = 4;
  g_ptr_array_add (criteria->criteria, groundedness);
  criteria->time_limit_seconds = 120;
  criteria->mean_latency_seconds = 20;
  assay_ledger_take_criteria (ledger, criteria);
}

/* The story's end asks one more thing, which nobody has run. */
static void
story_plan_more (AssayLedger *ledger)
{
  g_autoptr(GError) error = NULL;
  AssayRecord *last = assay_ledger_find_run (ledger, chain_story_ids[4]);
  g_autoptr(AssayAdvice) advice = assay_advice_for (ledger, last);
  g_autoptr(AssayNextTrial) next = assay_advice_choose_field (advice, last, ASSAY_FIELD_CONTEXT_LENGTH, "1024",
                                                              "how short may it be?", &error);
  g_assert_no_error (error);
  assay_ledger_set_next_trial (ledger, chain_story_ids[4], next, &error);
  g_assert_no_error (error);
}

AssayLedger *
chain_story_new (void)
{
  AssayLedger *ledger = assay_ledger_new (ASSAY_TASK_LANGUAGE, "From failure to an answer 从失败到答案");
  story_set_criteria (ledger);
  story_add (ledger, story_begin (), chain_story_ids[0], 0);
  for (guint step = 1; step < CHAIN_STORY_RUNS; step++)
    {
      story_plan (ledger, step);
      story_add (ledger, story_continue (ledger, step), chain_story_ids[step], step);
      if (step == 2)
        story_add (ledger, story_continue (ledger, step), chain_story_branch, step);
      if (step == 3)
        {
          story_review (ledger, step, "Ana", ASSAY_VERDICT_FAIL, 2);
          story_review (ledger, step, "Bo", ASSAY_VERDICT_FAIL, 1);
        }
    }
  story_review (ledger, 4, "Ana", ASSAY_VERDICT_PASS, 5);
  story_review (ledger, 4, "Bo", ASSAY_VERDICT_PASS, 4);
  story_plan_more (ledger);
  return ledger;
}
