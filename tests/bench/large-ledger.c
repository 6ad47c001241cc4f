/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/bench/large-ledger.c: see large-ledger.h.
 *
 * What is alike from run to run in real ledgers (model, build, machine) is alike here, what differs differs; the
 * lengths are those of runs of a 135 M model over the twelve questions that ship. */
#include "large-ledger.h"

#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "assay-store.h"

#define SECOND G_GINT64_CONSTANT (1000000000)
#define N_QUESTIONS 12u
#define N_IN_CHAIN 5u
#define N_FOLDERS 20u

typedef struct { AssayFieldId field; const char *text; } Setting;

static const Setting conditions[] = {
  { ASSAY_FIELD_MODEL_ID, "SmolLM2-135M-Instruct" },
  { ASSAY_FIELD_MODEL_PATH, "models/SmolLM2-135M-Instruct.Q4_1.gguf" },
  { ASSAY_FIELD_WEIGHT_FORMAT, "gguf" },
  { ASSAY_FIELD_ARCHITECTURE, "llama" },
  { ASSAY_FIELD_DTYPE, "float32" },
  { ASSAY_FIELD_COMPUTE_DTYPE, "int8" },
  { ASSAY_FIELD_QUANTIZATION, "Q4_1" },
  { ASSAY_FIELD_QUANTIZATION_METHOD, "gguf" },
  { ASSAY_FIELD_QUANTIZED_MODULES,
    "Q4_1: attn_k attn_output attn_q attn_v ffn_down ffn_gate ffn_up; Q8_0: token_embd" },
  { ASSAY_FIELD_RUNTIME, "native" },
  { ASSAY_FIELD_DEVICE, "cpu" },
  { ASSAY_FIELD_OFFLOAD_MODE, "none" },
  { ASSAY_FIELD_THREADS, "4" },
  { ASSAY_FIELD_CONTEXT_LENGTH, "4096" },
  { ASSAY_FIELD_KV_CACHE_TYPE, "float16" },
  { ASSAY_FIELD_BATCH_SIZE, "1" },
  { ASSAY_FIELD_QUESTION_SET, "basic-12 sha256:f719bc4fc22a06a360934af6d9ef94797137e62b65df7bd9cf4fe4a2be3f442c" },
  { ASSAY_FIELD_CHAT_FORMAT, "auto" },
  { ASSAY_FIELD_MAX_TOKENS, "256" },
  { ASSAY_FIELD_TEMPERATURE, "0" },
  { ASSAY_FIELD_TOP_K, "0" },
  { ASSAY_FIELD_TOP_P, "1" },
  { ASSAY_FIELD_SEED, "0" },
  { ASSAY_FIELD_SAMPLE_INTERVAL_MS, "20" },
};

static const Setting effective[] = {
  { ASSAY_FIELD_WEIGHT_ACCESS, "mapped" },
  { ASSAY_FIELD_V_CACHE_TYPE, "float16" },
  { ASSAY_FIELD_CHAT_FORMAT, "chatml" },
  { ASSAY_FIELD_MODEL_CONTENT_HASH, "xxh3-128:4690a4e2895a6e55b09be015a5e56c8e" },
  { ASSAY_FIELD_RUNTIME_VERSION, "assay 0.1.0, gcc 12.2.0" },
  { ASSAY_FIELD_DEVICE_NAME, "Example processor of four cores" },
  { ASSAY_FIELD_ATTENTION_KERNEL, "online softmax, float16 cache" },
  { ASSAY_FIELD_MATMUL_KERNEL, "avx512-vnni int8x2" },
  { ASSAY_FIELD_OPERATING_SYSTEM, "Linux 6.1.0-18-amd64 x86_64, Debian GNU/Linux 12 (bookworm)" },
};

/* The last three runs of a chain each change one of these. */
static const Setting steps[][3] = {
  { { ASSAY_FIELD_CONTEXT_LENGTH, "2048" }, { ASSAY_FIELD_THREADS, "2" }, { ASSAY_FIELD_KV_CACHE_TYPE, "float32" } },
  { { ASSAY_FIELD_MAX_TOKENS, "128" }, { ASSAY_FIELD_CONTEXT_LENGTH, "1024" }, { ASSAY_FIELD_THREADS, "1" } },
  { { ASSAY_FIELD_QUANTIZATION, "Q8_0" }, { ASSAY_FIELD_TEMPERATURE, "0.7" }, { ASSAY_FIELD_SEED, "7" } },
};

static const char *const words[] = {
  "The capital of France is Paris. ", "The chemical formula of water is H2O. ", "It is a polar molecule of hydrogen and oxygen, ",
  "which is why so much dissolves in it. ", "7 + 5 = 12. ", "法国的首都是巴黎。", "一年有十二个月，", "也就是三百六十五天。",
  "대한민국의 수도는 서울입니다. ", "일주일은 7일입니다. ", "I'm sorry for any confusion & will answer in one word. ", "In other words: ",
};

static void
put (AssayValues *values, const Setting *setting)
{
  g_autoptr(GError) error = NULL;
  bench_check (assay_values_parse (values, setting->field, setting->text, &error), error);
}

static void
put_bytes (AssayValues *burden, AssayFieldId field, gint64 bytes, const char *kind, const char *source, guint64 n)
{
  const AssayMeasure measure = { .kind = kind, .source = source, .interval_ns = n > 0 ? SECOND / 50 : 0, .n_samples = n };
  assay_values_set_integer (burden, field, bytes);
  assay_values_set_measure (burden, field, &measure);
}

static AssaySample
sample_at (GRand *rand, gint64 t_ns)
{
  AssaySample sample = { .t_ns = t_ns, .mapped_weights = 98362432, .ram_pinned = 0, .vram_device = -1, .link_bytes = -1 };
  sample.allocated[ASSAY_MEMORY_KV_CACHE] = 94371840;
  sample.allocated[ASSAY_MEMORY_ACTIVATIONS] = g_rand_int_range (rand, 0, 8) == 0 ? 709632 : 321024;
  sample.reserved = assay_sample_get_allocated (&sample);
  sample.ram_anonymous = 86000000 + g_rand_int_range (rand, 0, 600) * 4096;
  sample.ram_mapped = 129248256;
  sample.ram_system = 4174196736 + g_rand_int_range (rand, 0, 4000) * 4096;
  return sample;
}

static char *
dup_answer (GRand *rand)
{
  GString *text = g_string_new (NULL);
  for (gint n = g_rand_int_range (rand, 1, 12); n > 0; n--)
    g_string_append (text, words[g_rand_int_range (rand, 0, G_N_ELEMENTS (words))]);
  return g_string_free (text, FALSE);
}

static void
add_answer (AssayRecord *record, AssaySeries *series, GRand *rand, guint question, gint64 *now)
{
  g_autofree char *id = g_strdup_printf ("question-%u", question + 1);
  AssayOutput *output = assay_output_new (id);
  output->text = dup_answer (rand);
  output->text_length = strlen (output->text);
  output->input_tokens = 40 + question * 4;
  output->output_tokens = (gint64) output->text_length / 4;
  output->prompt_ns = output->input_tokens * (SECOND / 480) + g_rand_int_range (rand, 0, 1000000);
  output->generate_ns = output->output_tokens * (SECOND / 90) + g_rand_int_range (rand, 0, 1000000);
  output->finish = g_strdup ("stop");
  g_ptr_array_add (assay_record_get_outputs (record), output);
  const AssayPhase prompt = { .name = (char *) "prompt", .start_ns = *now, .duration_ns = output->prompt_ns,
                              .peak_allocated = 95671296, .peak_ram = 88162304 };
  const AssayPhase generate = { .name = (char *) "generate", .start_ns = *now + output->prompt_ns,
                                .duration_ns = output->generate_ns, .peak_allocated = 95671296, .peak_ram = 88410112 };
  assay_series_add_mark (series, *now, "question", id);
  assay_series_add_phase (series, &prompt);
  assay_series_add_phase (series, &generate);
  *now += output->prompt_ns + output->generate_ns;
}

static void
add_burden (AssayRecord *record, GRand *rand, gint64 elapsed_ns, guint n)
{
  static const AssayFieldId unknown[] = { ASSAY_FIELD_PEAK_VRAM, ASSAY_FIELD_PEAK_VRAM_RESERVED, ASSAY_FIELD_PEAK_VRAM_PROCESS,
                                          ASSAY_FIELD_PEAK_VRAM_DEVICE, ASSAY_FIELD_VRAM_BASELINE };
  static const AssayFieldId foretold[] = { ASSAY_FIELD_PREDICTED_PEAK_RAM, ASSAY_FIELD_PREDICTED_WEIGHTS,
                                           ASSAY_FIELD_PREDICTED_KV_CACHE, ASSAY_FIELD_PREDICTED_ACTIVATIONS,
                                           ASSAY_FIELD_PREDICTED_WORKSPACE, ASSAY_FIELD_PREDICTED_OUTPUT };
  static const AssayFieldId peaks[] = { ASSAY_FIELD_PEAK_RAM_ENGINE, ASSAY_FIELD_PEAK_WEIGHTS, ASSAY_FIELD_PEAK_KV_CACHE,
                                        ASSAY_FIELD_PEAK_ACTIVATIONS, ASSAY_FIELD_PEAK_WORKSPACE, ASSAY_FIELD_PEAK_OUTPUT };
  AssayValues *burden = assay_record_get_burden (record);
  for (guint i = 0; i < G_N_ELEMENTS (unknown); i++)
    assay_values_set_unknown (burden, unknown[i], "the cpu device has no memory of its own");
  for (guint i = 0; i < G_N_ELEMENTS (peaks); i++)
    put_bytes (burden, peaks[i], 393216 * (1 + i * i), "allocated", "allocator", 0);
  for (guint i = 0; i < G_N_ELEMENTS (foretold); i++)
    put_bytes (burden, foretold[i], 393216 * (1 + i * i), "predicted", "planner", 0);
  put_bytes (burden, ASSAY_FIELD_PEAK_RAM, 88410112 + g_rand_int_range (rand, 0, 300) * 4096,
             "anonymous and pinned, process tree", "/proc/PID/smaps_rollup", n);
  put_bytes (burden, ASSAY_FIELD_PEAK_RAM_MAPPED, 129248256, "file-backed, process tree", "/proc/PID/smaps_rollup", n);
  put_bytes (burden, ASSAY_FIELD_PEAK_RAM_SYSTEM, 4190000000 + g_rand_int_range (rand, 0, 4000) * 4096, "system",
             "/proc/meminfo", n);
  assay_values_set_real (burden, ASSAY_FIELD_ELAPSED_SECONDS, (double) elapsed_ns / SECOND);
  assay_values_set_real (burden, ASSAY_FIELD_LOAD_SECONDS, 0.26 + g_rand_double (rand) / 10);
  assay_values_set_real (burden, ASSAY_FIELD_PROMPT_TOKENS_PER_SECOND, 480 + g_rand_double (rand));
  assay_values_set_real (burden, ASSAY_FIELD_GENERATE_TOKENS_PER_SECOND, 88 + 4 * g_rand_double (rand));
  assay_values_set_integer (burden, ASSAY_FIELD_OUTPUT_TOKENS, 1063);
}

static void
add_review (AssayRecord *record, GRand *rand)
{
  AssayReview *review = assay_review_new ("First reviewer");
  review->blind = TRUE;
  for (guint i = 0; i < N_QUESTIONS; i++)
    {
      g_autofree char *id = g_strdup_printf ("question-%u", i + 1);
      assay_review_set_score (review, "expected_answer_seen", id, g_rand_int_range (rand, 0, 2));
    }
  assay_review_set_score (review, "groundedness", NULL, g_rand_int_range (rand, 1, 6));
  review->verdict = g_rand_boolean (rand) ? ASSAY_VERDICT_PASS : ASSAY_VERDICT_FAIL;
  review->quality_note = g_strdup ("English is right. The Korean answers repeat the question, and one sum is wrong.");
  g_ptr_array_add (assay_record_get_reviews (record), review);
}

static void
set_place (AssayRecord *record, const char *parent, guint i)
{
  const guint chain = i / N_IN_CHAIN, at = i % N_IN_CHAIN;
  const Setting *step = steps[chain % G_N_ELEMENTS (steps)];
  AssayValues *values = assay_record_get_conditions (record);
  g_autofree char *seed = g_strdup_printf ("%u", chain / 40); /* some two hundred runs share each setting */
  put (values, &(Setting){ ASSAY_FIELD_SEED, seed });
  for (guint k = 0; at >= 2 && k <= at - 2; k++)
    put (values, &step[k]);
  if (at == 1)
    assay_record_set_parent (record, parent, NULL);
  else if (at > 1)
    assay_record_set_parent (record, parent, assay_field_get_info (step[at - 2].field)->name);
}

static AssayRecord *
make_run (GRand *rand, const char *parent, guint i, guint n_samples)
{
  AssayRecord *record = assay_record_new ();
  g_autoptr(AssaySeries) series = assay_series_new (SECOND / 50);
  gint64 now = SECOND / 4;
  for (guint k = 0; k < G_N_ELEMENTS (conditions); k++)
    put (assay_record_get_conditions (record), &conditions[k]);
  for (guint k = 0; k < G_N_ELEMENTS (effective); k++)
    put (assay_record_get_effective (record), &effective[k]);
  set_place (record, parent, i);
  for (guint k = 0; k < n_samples; k++)
    {
      const AssaySample sample = sample_at (rand, k * (SECOND / 50));
      assay_series_append (series, &sample);
    }
  for (guint k = 0; k < N_QUESTIONS; k++)
    add_answer (record, series, rand, k, &now);
  add_burden (record, rand, now, n_samples);
  assay_record_take_series (record, g_steal_pointer (&series));
  assay_record_set_status (record, i % 40 == 39 ? ASSAY_STATUS_FAILED : ASSAY_STATUS_COMPLETED);
  if (i % 3 == 0)
    add_review (record, rand);
  assay_record_seal (record);
  return record;
}

static GPtrArray *
make_questions (void)
{
  GPtrArray *questions = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_question_free);
  for (guint i = 0; i < N_QUESTIONS; i++)
    {
      g_autofree char *id = g_strdup_printf ("question-%u", i + 1);
      g_ptr_array_add (questions, assay_question_new (id, words[i]));
    }
  return questions;
}

AssayLedger *
bench_make_ledger (const char *title, guint n_runs, guint n_samples, guint32 seed)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed (seed);
  AssayLedger *ledger = assay_ledger_new (ASSAY_TASK_LANGUAGE, title);
  AssayCriteria *criteria = assay_criteria_new_default (ASSAY_TASK_LANGUAGE);
  const char *parent = NULL;
  criteria->time_limit_seconds = 120;
  criteria->mean_latency_seconds = 5;
  criteria->min_tokens_per_second = 10;
  assay_ledger_take_criteria (ledger, criteria);
  assay_ledger_take_questions (ledger, make_questions (), NULL);
  for (guint i = 0; i < n_runs; i++)
    {
      g_autoptr(AssayRecord) record = make_run (rand, parent, i, n_samples);
      assay_ledger_add_run (ledger, record);
      parent = assay_record_get_id (record);
    }
  return ledger;
}

GPtrArray *
bench_make_library (const char *root, guint n_ledgers, guint n_runs, guint n_samples)
{
  GPtrArray *paths = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < n_ledgers; i++)
    {
      g_autofree char *title = g_strdup_printf ("Ledger %u", i + 1);
      g_autofree char *folder = g_strdup_printf ("%s/week %02u", root, i % N_FOLDERS + 1);
      char *path = g_strdup_printf ("%s/ledger-%04u" ASSAY_LEDGER_SUFFIX, folder, i + 1);
      g_autoptr(AssayLedger) ledger = bench_make_ledger (title, n_runs, n_samples, i);
      g_autoptr(GError) error = NULL;
      g_mkdir (folder, 0700);
      bench_check (assay_store_save (ledger, path, &error), error);
      g_ptr_array_add (paths, path);
    }
  return paths;
}

void
bench_remove_library (const char *root, GPtrArray *paths)
{
  for (guint i = 0; i < paths->len; i++)
    g_unlink (g_ptr_array_index (paths, i));
  for (guint i = 0; i < N_FOLDERS; i++)
    {
      g_autofree char *folder = g_strdup_printf ("%s/week %02u", root, i + 1);
      g_rmdir (folder);
    }
  g_rmdir (root);
}

void
bench_check (gboolean fine, GError *error)
{
  if (fine)
    return;
  g_printerr ("%s: %s\n", g_get_prgname (), error != NULL ? error->message : "failed");
  exit (1);
}

static double
clock_ms (clockid_t clock)
{
  struct timespec t;
  clock_gettime (clock, &t);
  return (double) t.tv_sec * 1e3 + (double) t.tv_nsec / 1e6;
}

double
bench_now_ms (void)
{
  return clock_ms (CLOCK_MONOTONIC);
}

double
bench_thread_ms (void)
{
  return clock_ms (CLOCK_THREAD_CPUTIME_ID);
}

static int
compare_times (const void *a, const void *b)
{
  const double x = *(const double *) a, y = *(const double *) b;
  return (x > y) - (x < y);
}

void
bench_report_times (const char *what, double *ms, guint n)
{
  qsort (ms, n, sizeof *ms, compare_times);
  g_print ("%-34s median %6.2f ms   p99 %6.2f ms   most %6.2f ms\n", what, ms[n / 2], ms[n * 99 / 100], ms[n - 1]);
}
