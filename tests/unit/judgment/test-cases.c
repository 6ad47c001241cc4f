/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What befell people who keep records of runs, as checks: imported, compared and told apart. The numbers are
 * those of the bank of cases. */
#include <glib/gstdio.h>
#include <math.h>

#include "assay-answers.h"
#include "assay-effects.h"
#include "assay-export.h"
#include "assay-merge.h"
#include "assay-pareto.h"
#include "assay-repeats.h"
#include "assay-store.h"
#include "judgment.h"

static AssayLedger *
ledger_of (const char *text)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) records = assay_import_key_value (text, -1, "case.txt", &error);
  g_assert_no_error (error);
  AssayLedger *ledger = judgment_ledger ();
  for (guint i = 0; i < records->len; i++)
    assay_ledger_add_run (ledger, records->pdata[i]);
  return ledger;
}

static AssayComparison *
compare (AssayLedger *ledger, const char *a, const char *b)
{
  AssayComparison *comparison
      = assay_compare_runs (ledger, assay_ledger_find_run (ledger, a), assay_ledger_find_run (ledger, b));
  g_test_message ("%s", comparison->sentence);
  return comparison;
}

static void
assert_says (const AssayComparison *comparison, AssayComparisonKind kind, const char *words)
{
  g_assert_cmpint (comparison->kind, ==, kind);
  if (strstr (comparison->sentence, words) == NULL)
    g_error ("'%s' does not say '%s'", comparison->sentence, words);
}

/* Three modes of offload: memory and time side by side, and nobody calls one of them best. */
static void
test_c04 (void)
{
  static const char text[]
      = "run_id: none\noffload_mode: none\npeak_vram: 6.2GB\nelapsed_seconds: 3.2\nstatus: completed\n\n"
        "run_id: model\noffload_mode: model\npeak_vram: 5.2GB\nelapsed_seconds: 4.3\nstatus: completed\n\n"
        "run_id: leaf\noffload_mode: sequential\npeak_vram: 3.6GB\nelapsed_seconds: 21.4\nstatus: "
        "completed\n";
  static const struct
  {
    const char *a, *b, *says;
  } rows[] = {
    { "none", "model", "the effect of offload_mode: −16 % VRAM, ×1.3 time" },
    { "none", "leaf", "the effect of offload_mode: −42 % VRAM, ×6.7 time" },
    { "model", "leaf", "the effect of offload_mode: −31 % VRAM, ×5.0 time" },
  };
  g_autoptr(AssayLedger) ledger = ledger_of (text);
  g_autoptr(GError) error = NULL;
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr(AssayComparison) comparison = compare (ledger, rows[i].a, rows[i].b);
      assert_says (comparison, ASSAY_COMPARISON_EFFECT, rows[i].says);
      g_assert_null (strstr (comparison->sentence, "best"));
    }
  g_autofree char *table = assay_export_ledger (ledger, NULL, ASSAY_EXPORT_CSV, &error);
  g_assert_no_error (error);
  g_assert_nonnull (strstr (table, "3600000000"));
  g_assert_nonnull (strstr (table, "21.4"));
}

/* Why offload is slow: every pass copies what waits on the CPU. */
static void
test_c09 (void)
{
  g_autoptr(AssayLedger) ledger
      = ledger_of ("run_id: a\noffload_mode: none\npeak_vram: 8GiB\nelapsed_seconds: 2\nlink_bytes: "
                   "1GiB\nlink_stall_seconds: 0\nstatus: completed\n\n"
                   "run_id: b\noffload_mode: sequential\npeak_vram: 2GiB\nelapsed_seconds: 20\nlink_bytes: "
                   "64GiB\nlink_stall_seconds: 15\nstatus: completed\n\n"
                   "run_id: d\noffload_mode: group\npeak_vram: 2GiB\nelapsed_seconds: 10\nlink_bytes: "
                   "64GiB\nlink_stall_seconds: 5\nstatus: completed\n\n"
                   "run_id: c\noffload_mode: sequential\nthreads: 4\npeak_vram: 2GiB\nelapsed_seconds: "
                   "20\nlink_bytes: 64GiB\nstatus: completed\n");
  g_autoptr(AssayComparison) offload = compare (ledger, "a", "b");
  g_autoptr(AssayComparison) threads = compare (ledger, "b", "c");
  assert_says (offload, ASSAY_COMPARISON_EFFECT,
               "−75 % VRAM, ×10 time, 64.0 GiB over the link instead of 1.00 GiB, waited for the link 15.00 s "
               "instead of 0.00 s");
  g_assert_null (strstr (threads->sentence, "link")); /* not what threads decide on */
  g_autoptr(AssayComparison) moved_alike = compare (ledger, "b", "d");
  assert_says (moved_alike, ASSAY_COMPARISON_EFFECT, "waited for the link 5.00 s instead of 15.00 s");
  g_assert_null (strstr (moved_alike->sentence, "over the link"));
}

/* Offload changed the text: the axis is named, and where the text parts; nothing is said of the hardware. */
static void
test_c10 (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  AssayRecord *a
      = judgment_run ("a", ASSAY_STATUS_COMPLETED, "offload_mode", "none", "temperature", "0", NULL);
  AssayRecord *b
      = judgment_run ("b", ASSAY_STATUS_COMPLETED, "offload_mode", "group", "temperature", "0", NULL);
  judgment_output (a, "q1", "The capital of France is the city of Paris.");
  judgment_output (b, "q1", "The capital of France is the city of Pairs.");
  judgment_add (ledger, a);
  judgment_add (ledger, b);
  g_autoptr(AssayComparison) comparison = compare (ledger, "a", "b");
  assert_says (comparison, ASSAY_COMPARISON_EFFECT, "the effect of offload_mode");
  assert_says (comparison, ASSAY_COMPARISON_EFFECT, "0 of 1 answer the same, q1 differs from character 40");
  g_assert_null (strstr (comparison->sentence, "reproducib"));
}

static const char three_kinds[]
    = "run_id: a\noffload_mode: none\npeak_vram: 0\npeak_vram.measure: kind=allocated; "
      "source=PyTorch\npeak_vram_reserved: 12455405158\n"
      "peak_vram_reserved.measure: kind=reserved; source=PyTorch\npeak_vram_process: 13314398617\n"
      "peak_vram_process.measure: kind=process; source=NVML\nstatus: completed\n\n"
      "run_id: b\noffload_mode: model\npeak_vram: 0\npeak_vram.measure: kind=allocated; "
      "source=PyTorch\npeak_vram_reserved: 6000000000\n"
      "peak_vram_process: 6657199308\npeak_vram_process.measure: kind=process; source=NVML\nstatus: "
      "completed\n\n"
      "run_id: c\noffload_mode: model\npeak_vram: 6657199308\npeak_vram.measure: kind=process; "
      "source=NVML\nstatus: completed\n\n"
      "run_id: d\noffload_mode: none\npeak_vram: 6000000000\npeak_vram.measure: kind=allocated; "
      "source=PyTorch\nstatus: completed\n\n"
      "run_id: e\noffload_mode: model\npeak_vram: 3000000000\nstatus: completed\n";

/* The framework says nothing is allocated, the driver 12.4 GB: three fields, and what is compared is of one
 * kind. */
static void
test_c23 (void)
{
  g_autoptr(AssayLedger) ledger = ledger_of (three_kinds);
  const AssayValues *burden = assay_record_get_burden (assay_ledger_find_run (ledger, "a"));
  static const struct
  {
    AssayFieldId field;
    gint64 bytes;
    const char *kind;
  } fields[] = {
    { ASSAY_FIELD_PEAK_VRAM, 0, "allocated" },
    { ASSAY_FIELD_PEAK_VRAM_RESERVED, G_GINT64_CONSTANT (12455405158), "reserved" },
    { ASSAY_FIELD_PEAK_VRAM_PROCESS, G_GINT64_CONSTANT (13314398617), "process" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (fields); i++)
    {
      gint64 bytes = -1;
      g_assert_true (assay_values_get_integer (burden, fields[i].field, &bytes));
      g_assert_cmpint (bytes, ==, fields[i].bytes);
      g_assert_cmpstr (assay_values_get_measure (burden, fields[i].field)->kind, ==, fields[i].kind);
    }
  g_autoptr(AssayComparison) comparison = compare (ledger, "a", "b");
  assert_says (comparison, ASSAY_COMPARISON_EFFECT, "−50 % VRAM of the process");
}

static void
test_c23_kinds_are_never_mixed (void)
{
  g_autoptr(AssayLedger) ledger = ledger_of (three_kinds);
  g_autoptr(AssayComparison) mixed = compare (ledger, "c", "d");
  g_autoptr(AssayComparison) half_known = compare (ledger, "d", "e");
  assert_says (mixed, ASSAY_COMPARISON_REFUSED,
               "peak_vram of run c is of the kind 'process', that of run d of the kind 'allocated'");
  g_assert_true (isnan (mixed->peak_ratio));
  assert_says (half_known, ASSAY_COMPARISON_EFFECT,
               "−50 % VRAM (only one run states the kind of the figure)");
}

static void
test_c23_the_four_kinds_are_labelled_apart (void)
{
  static const AssayFieldId kinds[] = { ASSAY_FIELD_PEAK_VRAM, ASSAY_FIELD_PEAK_VRAM_RESERVED,
                                        ASSAY_FIELD_PEAK_VRAM_PROCESS, ASSAY_FIELD_PEAK_VRAM_DEVICE };
  g_autoptr(GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_assert_true (g_hash_table_add (seen, (gpointer) assay_field_get_info (kinds[i])->label));
      g_assert_true (g_hash_table_add (seen, (gpointer) assay_field_get_info (kinds[i])->help));
    }
}

/* Allocated and reserved, in mebibytes and exact; a unit that may be either is not guessed. */
static void
test_c24 (void)
{
  g_autoptr(AssayLedger) ledger
      = ledger_of ("run_id: a\npeak_vram: 15006 MiB\npeak_vram_reserved: 16726 MiB\nstatus: completed\n");
  const AssayValues *burden = assay_record_get_burden (assay_ledger_get_run (ledger, 0));
  g_autoptr(GError) error = NULL;
  gint64 allocated, reserved;
  g_assert_true (assay_values_get_integer (burden, ASSAY_FIELD_PEAK_VRAM, &allocated));
  g_assert_true (assay_values_get_integer (burden, ASSAY_FIELD_PEAK_VRAM_RESERVED, &reserved));
  g_assert_cmpint (allocated, ==, G_GINT64_CONSTANT (15006) << 20);
  g_assert_cmpint (reserved, ==, G_GINT64_CONSTANT (16726) << 20);
  g_assert_null (assay_import_key_value ("peak_vram: 15006 Mb\n", -1, "case.txt", &error));
  g_assert_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_VALUE);
}

/* What drawing a token costs is a figure of its own, and what the speed counts is said. */
static void
test_c28 (void)
{
  g_autoptr(AssayLedger) ledger
      = ledger_of ("run_id: a\ntemperature: 0\ngenerate_seconds: 10\nsampling_seconds: 0.1\ngenerate_tokens_per_second: 30\n"
                   "status: completed\n\n"
                   "run_id: b\ntemperature: 1\ngenerate_seconds: 13\nsampling_seconds: 3.1\ngenerate_tokens_per_second: 23\n"
                   "status: completed\n");
  g_autoptr(AssayEffects) effects = assay_effects_find (ledger, FALSE);
  const AssayEffectFamily *family = effects->families->pdata[0];
  g_autofree char *words = assay_effect_dup_words (family->effects->pdata[0]);
  double seconds = 0;
  g_assert_nonnull (strstr (words, "speed 30 tokens/s → 23 tokens/s, −23 %"));
  g_assert_true (assay_values_get_real (assay_record_get_burden (assay_ledger_find_run (ledger, "b")),
                                        ASSAY_FIELD_SAMPLING_SECONDS, &seconds));
  g_assert_cmpfloat (seconds, ==, 3.1);
  g_assert_nonnull (strstr (assay_field_get_info (ASSAY_FIELD_GENERATE_TOKENS_PER_SECOND)->help, "sampling included"));
}

static AssayRecord *
phased (const char *id, const char *seconds, const AssayPhase *phases)
{
  AssayRecord *run = judgment_run (id, ASSAY_STATUS_COMPLETED, "runtime", "process", "steps", *id == 'a' ? "8" : "4",
                                   "elapsed_seconds", seconds, NULL);
  for (; phases->name != NULL; phases++)
    assay_series_add_phase (assay_record_get_series (run), phases);
  return run;
}

#define SECONDS(n) (G_GINT64_CONSTANT (1000000000) * (n))

/* Loading and compiling stay apart from the images, in the file too. */
static void
test_c31 (void)
{
  static const AssayPhase phases[] = {
    { (char *) "load", 0, SECONDS (12), -1, -1 },           { (char *) "compile", SECONDS (12), SECONDS (30), -1, -1 },
    { (char *) "image", SECONDS (42), SECONDS (2), -1, -1 }, { (char *) "image", SECONDS (44), SECONDS (2), -1, -1 },
    { NULL },
  };
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  g_autoptr(GError) error = NULL;
  judgment_add (ledger, phased ("a", "46", phases));
  g_autofree char *path = g_build_filename (g_get_tmp_dir (), "assay-c31.ledger.xml", NULL);
  g_assert_true (assay_store_save (ledger, path, &error));
  g_autoptr(AssayLedger) read = assay_store_load (path, &error);
  g_assert_no_error (error);
  g_autoptr(GPtrArray) kept = assay_series_dup_phases (assay_record_get_series (assay_ledger_get_run (read, 0)));
  g_assert_cmpuint (kept->len, ==, 4);
  for (guint i = 0; i < kept->len; i++)
    {
      const AssayPhase *phase = kept->pdata[i];
      g_assert_cmpstr (phase->name, ==, phases[i].name);
      g_assert_cmpint (phase->start_ns, ==, phases[i].start_ns);
      g_assert_cmpint (phase->duration_ns, ==, phases[i].duration_ns);
    }
  g_unlink (path);
}

/* A download within the time is told where times are compared. */
static void
test_c32 (void)
{
  static const AssayPhase fetched[] = { { (char *) "fetch", 0, SECONDS (40), -1, -1 }, { NULL } }, none[] = { { NULL } };
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  judgment_add (ledger, phased ("a", "60", fetched));
  judgment_add (ledger, phased ("b", "20", none));
  judgment_add (ledger, phased ("c", "21", none));
  g_autoptr(AssayComparison) with = compare (ledger, "a", "b");
  g_autoptr(AssayComparison) without = compare (ledger, "b", "c");
  assert_says (with, ASSAY_COMPARISON_EFFECT, "×0.3 time (fetching files is in it: 40.00 s and 0.00 s)");
  g_assert_null (strstr (without->sentence, "fetching"));
}

static GBytes *
hundred_runs_with_a_broken_one (void)
{
  GString *xml = g_string_new ("<ledger xmlns=\"urn:assay:ledger:1\" version=\"1.0\" id=\"x\" title=\"T\" task=\"language\">");
  for (guint i = 0; i < 100; i++)
    g_string_append_printf (xml,
                            "<run id=\"r%u\"><conditions><context_length>%s</context_length></conditions><burden>"
                            "<peak_vram>5</peak_vram><elapsed_seconds>1</elapsed_seconds></burden><outcome><status>completed"
                            "</status></outcome></run>",
                            i, i == 50 ? "many" : "2048");
  g_string_append (xml, "</ledger>");
  return g_string_free_to_bytes (xml);
}

/* One bad run, and the page shows the others. */
static void
test_c63 (void)
{
  g_autoptr(GBytes) xml = hundred_runs_with_a_broken_one ();
  g_autoptr(GError) error = NULL;
  g_autoptr(AssayLedger) ledger = assay_store_parse (xml, "case", &error);
  g_assert_no_error (error);
  g_assert_cmpuint (assay_ledger_get_n_runs (ledger), ==, 100);
  g_autoptr(GPtrArray) settings = assay_repeats_fold (ledger, TRUE);
  g_autoptr(AssayEffects) effects = assay_effects_find (ledger, FALSE);
  g_autoptr(AssayPareto) pareto = assay_pareto_new (ledger);
  g_assert_cmpuint (settings->len, ==, 2); /* ninety-nine repeats, and the damaged one by itself */
  g_assert_cmpuint (((GPtrArray *) settings->pdata[0])->len, ==, 99);
  g_assert_cmpuint (effects->kept_out->len, ==, 1);
  g_assert_cmpint (((AssayKeptOut *) effects->kept_out->pdata[0])->reason, ==, ASSAY_REASON_DAMAGED);
  g_assert_cmpint (((AssayParetoLeftOut *) pareto->left_out->pdata[0])->reason, ==, ASSAY_PARETO_DAMAGED);
  g_autoptr(AssayComparison) comparison = compare (ledger, "r1", "r50");
  assert_says (comparison, ASSAY_COMPARISON_REFUSED, "the entry of run r50 is damaged");
}

/* Nothing that may be absent hides a run. */
static void
test_c64 (void)
{
  static const char xml[]
      = "<ledger xmlns=\"urn:assay:ledger:1\" version=\"1.0\" id=\"x\" title=\"T\" task=\"language\">"
        "<run id=\"bare\"/><run id=\"no-review\"><outcome><status>completed</status></outcome></run>"
        "<run id=\"no-file\"><outcome><status>completed</status><output question=\"q1\" asset=\"0123456789abcdef.png\"/></outcome></run>"
        "</ledger>";
  static const char *const ids[] = { "bare", "no-review", "no-file" };
  g_autoptr(GBytes) bytes = g_bytes_new_static (xml, sizeof xml - 1);
  g_autoptr(GError) error = NULL;
  g_autoptr(AssayLedger) ledger = assay_store_parse (bytes, "case", &error);
  g_assert_no_error (error);
  g_autofree char *csv = assay_export_ledger (ledger, NULL, ASSAY_EXPORT_CSV, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (ids); i++)
    {
      AssayRecord *run = assay_ledger_get_run (ledger, i);
      g_assert_cmpstr (assay_record_get_id (run), ==, ids[i]);
      g_assert_false (assay_record_is_damaged (run));
      g_assert_nonnull (strstr (csv, ids[i]));
      g_assert_null (assay_record_get_next_trial (run));
      g_assert_cmpint (assay_values_get_state (assay_record_get_burden (run), ASSAY_FIELD_PEAK_VRAM), ==, ASSAY_VALUE_UNSET);
    }
}

/* A tool that was missing is no word on the model. */
static void
test_c69 (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  AssayRecord *run = judgment_run ("a", ASSAY_STATUS_FAILED, "error", "exit status 3; its last words: dotnet not found", NULL);
  judgment_output (run, "q1", "Some text came before.");
  judgment_review (run, "Ana", ASSAY_VERDICT_FAIL);
  run = judgment_add (ledger, run);
  g_autoptr(AssayGates) gates = assay_gates_judge (ledger, run);
  g_assert_cmpint (gates->verdict[ASSAY_GATE_FEASIBILITY], ==, ASSAY_VERDICT_FAIL);
  g_assert_cmpint (gates->verdict[ASSAY_GATE_QUALITY], ==, ASSAY_VERDICT_NOT_JUDGED);
  g_assert_nonnull (strstr (gates->evidence[ASSAY_GATE_FEASIBILITY], "dotnet not found"));
  g_assert_nonnull (strstr (gates->evidence[ASSAY_GATE_QUALITY], "kept and not counted: the run ended as failed"));
}

/* Of what never ran no percentage is made. */
static void
test_c70 (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  g_autoptr(GError) error = NULL;
  for (guint i = 0; i < 5; i++)
    {
      g_autofree char *id = g_strdup_printf ("r%u", i);
      judgment_add (ledger, judgment_run (id, ASSAY_STATUS_LOAD_FAILED, "model_id", "m", NULL));
    }
  g_autoptr(AssayEffects) effects = assay_effects_find (ledger, FALSE);
  g_autofree char *text = assay_export_ledger (ledger, NULL, ASSAY_EXPORT_MARKDOWN, &error);
  g_assert_no_error (error);
  g_assert_nonnull (strstr (text, "0 of 5 runs completed"));
  g_assert_null (strchr (text, '%'));
  g_assert_cmpuint (effects->n_settings, ==, 0);
  g_assert_cmpuint (effects->kept_out->len, ==, 5);
}

/* Figures that were printed before the crash are kept, and compared with nothing. */
static void
test_c71 (void)
{
  g_autoptr(AssayLedger) ledger
      = ledger_of ("run_id: a\nthreads: 4\ngenerate_tokens_per_second: 30\nelapsed_seconds: 9\npeak_ram: 7\nstatus: completed\n\n"
                   "run_id: b\nthreads: 8\ngenerate_tokens_per_second: 60\nelapsed_seconds: 4\npeak_ram: 7\nstatus: killed\n");
  g_autoptr(AssayComparison) comparison = compare (ledger, "a", "b");
  g_autoptr(AssayPareto) pareto = assay_pareto_new (ledger);
  g_autoptr(AssayEffects) effects = assay_effects_find (ledger, TRUE);
  g_autoptr(GError) error = NULL;
  g_autofree char *text = assay_export_ledger (ledger, "b", ASSAY_EXPORT_KEY_VALUE, &error);
  assert_says (comparison, ASSAY_COMPARISON_REFUSED, "run b did not complete (killed)");
  g_assert_true (isnan (comparison->time_ratio) && isnan (comparison->peak_ratio));
  g_assert_cmpuint (effects->families->len, ==, 0);
  g_assert_cmpint (((AssayParetoLeftOut *) pareto->left_out->pdata[0])->reason, ==, ASSAY_PARETO_NOT_RUN);
  g_assert_nonnull (strstr (text, "generate_tokens_per_second: 60\n"));
}

static AssayLedger *
clone_with_three_more (const char *who, GBytes *common)
{
  g_autoptr(GError) error = NULL;
  AssayLedger *ledger = assay_store_parse (common, "case", &error);
  g_assert_no_error (error);
  for (guint i = 0; i < 3; i++)
    {
      g_autofree char *id = g_strdup_printf ("%s-%u", who, i);
      judgment_add (ledger, judgment_run (id, ASSAY_STATUS_COMPLETED, "model_id", who, NULL));
    }
  return ledger;
}

/* Two people add to copies of one ledger: both keep all. */
static void
test_c72 (void)
{
  static const char xml[] = "<ledger xmlns=\"urn:assay:ledger:1\" version=\"1.0\" id=\"x\" title=\"T\" task=\"language\">"
                            "<run id=\"common\"/></ledger>";
  g_autoptr(GBytes) common = g_bytes_new_static (xml, sizeof xml - 1);
  g_autoptr(AssayLedger) ours = clone_with_three_more ("ana", common), theirs = clone_with_three_more ("bo", common);
  g_autoptr(AssayLedger) both = assay_merge_union (ours, theirs);
  static const char *const ids[] = { "common", "ana-0", "ana-1", "ana-2", "bo-0", "bo-1", "bo-2" };
  g_assert_cmpuint (assay_ledger_get_n_runs (both), ==, G_N_ELEMENTS (ids));
  for (guint i = 0; i < G_N_ELEMENTS (ids); i++)
    g_assert_nonnull (assay_ledger_find_run (both, ids[i]));
}

/* How many inputs are worked on at once is an axis; that the texts are the same is not promised but looked at. */
static void
test_c75 (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  static const char *const texts[] = { "one", "one", "two" };
  g_autoptr(GPtrArray) runs = g_ptr_array_new ();
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      AssayRecord *run = judgment_run (i == 0 ? "a" : i == 1 ? "b" : "c", ASSAY_STATUS_COMPLETED, "temperature", "0",
                                       "batch_size", i == 0 ? "1" : "8", NULL);
      judgment_output (run, "q1", texts[i]);
      g_ptr_array_add (runs, judgment_add (ledger, run));
    }
  g_autoptr(AssayComparison) comparison = compare (ledger, "a", "c");
  g_autoptr(GPtrArray) answers = assay_answers_compare (runs);
  const AssayAnswers *one = answers->pdata[0];
  g_autofree char *words = assay_answers_dup_words (one, TRUE);
  assert_says (comparison, ASSAY_COMPARISON_EFFECT, "the effect of batch_size");
  assert_says (comparison, ASSAY_COMPARISON_EFFECT, "0 of 1 answer the same");
  g_assert_cmpstr (words, ==, "q1: 2 different answers of 3, from character 1 on (run a against run c)");
  g_assert_cmpuint (assay_answers_count_same (answers), ==, 0);
}

/* The seed that was in effect is in the record, with where it came from; that alone is no axis. */
static void
test_c74 (void)
{
  g_autoptr(AssayLedger) ledger
      = ledger_of ("run_id: a\ntemperature: 0.8\nseed: 42\nleft_to_engine: seed, seed_source\nseed_source: "
                   "default\nstatus: completed\n\n"
                   "run_id: b\ntemperature: 0.8\nseed: 42\nleft_to_engine: seed_source\nseed_source: "
                   "asked\nstatus: completed\n\n"
                   "run_id: c\ntemperature: 0.8\nrequested.seed: -1\nseed: 977\nleft_to_engine: "
                   "seed_source\nseed_source: random\nstatus: completed\n");
  g_autoptr(AssayComparison) same = compare (ledger, "a", "b");
  g_autoptr(AssayComparison) drawn = compare (ledger, "b", "c");
  g_autoptr(GError) error = NULL;
  g_autofree char *text = assay_export_ledger (ledger, NULL, ASSAY_EXPORT_KEY_VALUE, &error);
  g_assert_no_error (error);
  assert_says (same, ASSAY_COMPARISON_SAME, "no axis moved");
  g_assert_cmpuint (same->differences->len, ==, 0);
  assert_says (drawn, ASSAY_COMPARISON_EFFECT, "seed: 42 → 977");
  g_assert_nonnull (strstr (text, "seed_source: default\n"));
  g_assert_nonnull (strstr (text, "seed_source: random\n"));
  g_assert_nonnull (strstr (text, "seed: 977\n"));
}

/* Another attention kernel wrote worse text: it is an axis, and its runs are no repeats whose reviews may be
 * joined. */
static void
test_c76 (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  AssayRecord *flash = judgment_run ("a", ASSAY_STATUS_COMPLETED, "model_id", "m",
                                     "effective.attention_kernel", "flash", NULL);
  AssayRecord *math = judgment_run ("b", ASSAY_STATUS_COMPLETED, "model_id", "m",
                                    "effective.attention_kernel", "math", NULL);
  judgment_review (flash, "Ana", ASSAY_VERDICT_PASS);
  judgment_review (math, "Ana", ASSAY_VERDICT_FAIL);
  judgment_add (ledger, flash);
  judgment_add (ledger, math);
  g_autoptr(AssayComparison) comparison = compare (ledger, "a", "b");
  g_autoptr(AssayComparison) accepted = assay_compare_runs_in_effect (ledger, assay_ledger_find_run (ledger, "a"),
                                                                      assay_ledger_find_run (ledger, "b"));
  g_autoptr(GPtrArray) repeats = assay_repeats_find (ledger, assay_ledger_find_run (ledger, "a"));
  assert_says (comparison, ASSAY_COMPARISON_REFUSED, "something moved that nobody chose (attention_kernel: flash → math)");
  assert_says (accepted, ASSAY_COMPARISON_EFFECT, "the effect of attention_kernel");
  assert_says (accepted, ASSAY_COMPARISON_EFFECT, "quality pass → fail");
  g_assert_cmpuint (repeats->len, ==, 1);
}

/* Two files that are equal but for their last bytes are two models, whatever they are called. */
static void
test_c77 (void)
{
  g_autoptr(AssayLedger) ledger
      = ledger_of ("run_id: a\nmodel_id: m\nmodel_bytes: 100\nmodel_metadata_sha256: 1\nmodel_content_hash: "
                   "x\nstatus: completed\n\n"
                   "run_id: b\nmodel_id: m\nmodel_bytes: 100\nmodel_metadata_sha256: 1\nmodel_content_hash: "
                   "y\nstatus: completed\n");
  g_autoptr(AssayComparison) comparison = compare (ledger, "a", "b");
  assert_says (comparison, ASSAY_COMPARISON_REFUSED, "nobody chose (model_content_hash: x → y)");
  g_assert_cmpint (comparison->reason, ==, ASSAY_REASON_MODEL_REPLACED);
  g_assert_null (strstr (comparison->sentence, "the same weights"));
}

/* An import rewrote the file: other metadata, the same tensors. */
static void
test_c78 (void)
{
  g_autoptr(AssayLedger) ledger = ledger_of (
      "run_id: a\nmodel_id: m\nmodel_metadata_sha256: 1\nmodel_content_hash: x\nstatus: completed\n\n"
      "run_id: b\nmodel_id: m\nmodel_metadata_sha256: 2\nmodel_content_hash: x\nstatus: completed\n\n"
      "run_id: c\nmodel_id: m\nmodel_metadata_sha256: 2\nmodel_content_hash: x\nthreads: 4\nstatus: "
      "completed\n");
  g_autoptr(AssayComparison) rewritten = compare (ledger, "a", "b");
  g_autoptr(AssayComparison) more = compare (ledger, "a", "c");
  assert_says (rewritten, ASSAY_COMPARISON_REFUSED, "the same weights in a different file");
  assert_says (more, ASSAY_COMPARISON_CONFOUNDED, "the same weights in a different file");
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
#define ADD(NAME, FUNC) g_test_add_func ("/ledger/cases/" NAME, FUNC)
  ADD ("C04-memory-and-time-of-three-modes", test_c04);
  ADD ("C09-what-offload-moves-is-told", test_c09);
  ADD ("C10-where-texts-part-under-offload", test_c10);
  ADD ("C23-allocated-reserved-and-process", test_c23);
  ADD ("C23-kinds-are-never-mixed", test_c23_kinds_are_never_mixed);
  ADD ("C23-the-four-kinds-are-labelled-apart", test_c23_the_four_kinds_are_labelled_apart);
  ADD ("C24-reserved-beside-allocated", test_c24);
  ADD ("C28-drawing-is-a-figure-of-its-own", test_c28);
  ADD ("C31-loading-and-compiling-stay-apart", test_c31);
  ADD ("C32-a-download-within-the-time-is-told", test_c32);
  ADD ("C63-one-broken-run-of-a-hundred-hides-none", test_c63);
  ADD ("C64-what-may-be-absent-hides-no-run", test_c64);
  ADD ("C69-a-missing-tool-is-no-word-on-the-model", test_c69);
  ADD ("C70-no-percentage-of-what-never-ran", test_c70);
  ADD ("C71-figures-before-a-crash-are-not-compared", test_c71);
  ADD ("C72-two-people-add-to-one-ledger", test_c72);
  ADD ("C75-inputs-at-once-are-an-axis", test_c75);
  ADD ("C74-the-seed-and-its-source", test_c74);
  ADD ("C76-attention-is-an-axis", test_c76);
  ADD ("C77-equal-but-for-the-last-bytes", test_c77);
  ADD ("C78-the-same-weights-in-a-rewritten-file", test_c78);
#undef ADD
  return g_test_run ();
}
