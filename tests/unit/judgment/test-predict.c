/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The steps where memory was short, what a planner says of each, and which comes first then. */
#include "assay-advice.h"
#include "assay-change.h"
#include "judgment.h"

static char *
list (const AssayAdvice *advice)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < advice->candidates->len; i++)
    {
      const AssayCandidate *candidate = advice->candidates->pdata[i];
      g_string_append_printf (text, "%s%s=%s", i > 0 ? " " : "",
                              candidate->field != ASSAY_FIELD_INVALID
                                  ? assay_field_get_info (candidate->field)->name
                                  : assay_axis_get_name (candidate->axis),
                              candidate->to != NULL ? candidate->to : "?");
    }
  return g_string_free (text, FALSE);
}

static AssayAdvice *
advice_for (AssayLedger *ledger, AssayRecord *record, const char *candidates)
{
  AssayAdvice *advice = assay_advice_for (ledger, judgment_add (ledger, record));
  g_autofree char *got = list (advice);
  g_assert_cmpstr (got, ==, candidates);
  return advice;
}

#define OOM(STATUS, ...) judgment_run ("r", ASSAY_STATUS_OOM_##STATUS, __VA_ARGS__, NULL)

static void
assert_ladder (AssayRecord *record, const char *candidates)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  g_autoptr(AssayAdvice) advice = advice_for (ledger, record, candidates);
  for (char **name = advice->held; *name != NULL; name++) /* what moves is not held */
    for (guint i = 0; i < advice->candidates->len; i++)
      g_assert_cmpint (assay_axis_from_name (*name), !=,
                       ((AssayCandidate *) advice->candidates->pdata[i])->axis);
}

static void
test_ladders_of_device_memory (void)
{
  assert_ladder (
      OOM (DEVICE, "device", "virtual", "offload_mode", "none", "prefetch", "true", "quantization", "none",
           "dtype", "float32", "kv_cache_type", "float32", "context_length", "512"),
      "offload_mode=model offload_mode=group offload_mode=sequential quantization=Q8_0 quantization=Q4_K "
      "dtype=float16 dtype=bfloat16 context_length=256 kv_cache_type=float16");
  assert_ladder (
      OOM (DEVICE, "device", "virtual", "offload_mode", "group", "offload_granularity", "1", "prefetch",
           "true", "quantization", "Q8_0", "kv_cache_type", "float16", "v_cache_type", "float16",
           "context_length", "64"),
      "prefetch=false offload_granularity=0 offload_mode=sequential quantization=Q6_K quantization=Q4_K "
      "context_length=? kv_cache_type=q8_0");
  assert_ladder (OOM (DEVICE, "device", "virtual", "offload_mode", "sequential", "prefetch", "false",
                      "quantization", "int8", "kv_cache_type", "q8_0", "v_cache_type", "float16",
                      "context_length", "64"),
                 "quantization=nf4 context_length=? v_cache_type=q8_0");
  assert_ladder (OOM (DEVICE, "device", "cpu", "quantization", "Q2_K", "dtype", "float32", "context_length",
                      "512", "kv_cache_type", "float16", "failed_phase", "prompt"),
                 "context_length=256 kv_cache_type=q8_0");
}

static void
test_ladders_of_host_memory (void)
{
  assert_ladder (OOM (HOST, "device", "virtual", "offload_mode", "sequential", "weight_access", "read",
                      "quantization", "none", "dtype", "float32", "kv_cache_type", "float16",
                      "context_length", "512"),
                 "weight_access=mapped quantization=Q8_0 quantization=Q4_K dtype=float16 dtype=bfloat16 "
                 "offload_mode=group "
                 "offload_mode=model offload_mode=none model_id=?");
  assert_ladder (OOM (HOST, "device", "cpu", "weight_access", "mapped", "quantization", "Q4_K",
                      "kv_cache_type", "float16"),
                 "kv_cache_type=q8_0 model_id=?");
  assert_ladder (OOM (HOST, "device", "cpu", "weight_access", "mapped", "quantization", "Q6_K",
                      "kv_cache_type", "q8_0"),
                 "quantization=Q5_K quantization=Q4_K model_id=?");
}

/* llama.cpp takes what the file holds; Diffusers quantizes while loading. */
static void
test_other_runtimes_have_their_own_ladder (void)
{
  assert_ladder (OOM (DEVICE, "device", "cpu", "runtime", "process", "weight_format", "gguf", "quantization",
                      "none", "dtype", "float32", "context_length", "64"),
                 "quantization=? context_length=?");
  assert_ladder (OOM (DEVICE, "device", "cuda:0", "runtime", "process", "weight_format", "safetensors",
                      "offload_mode", "sequential", "quantization", "none", "dtype", "bfloat16",
                      "context_length", "64"),
                 "quantization=int8 quantization=nf4 context_length=?");
}

static void
test_waiting_for_the_link_asks_for_prefetch (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  g_autoptr(AssayAdvice) advice = advice_for (
      ledger,
      judgment_run ("r", ASSAY_STATUS_TIME_LIMIT, "device", "virtual", "offload_mode", "group",
                    "offload_granularity", "0", "prefetch", "false", "context_length", "64", NULL),
      "prefetch=true offload_granularity=1 offload_mode=model offload_mode=none model_id=? context_length=?");
  g_assert_cmpuint (advice->candidates->len, ==, 6);
}

/* A planner that was told what fits. */

typedef struct
{
  const char *fits; /* field=value that fits, each with a blank before and behind */
  const char *refuses; /* likewise: cannot be run */
  const char *useless; /* likewise: needs what the run that failed needed; NULL: none */
  AssayValues *last; /* the conditions asked about last */
  guint n;
} Planner;

static gboolean
is_listed (const char *pairs, const AssayValues *base, const AssayValues *conditions)
{
  for (AssayFieldId field = 0; field < ASSAY_N_FIELDS; field++)
    {
      g_autofree char *was = assay_values_dup_text (base, field),
                      *is = assay_values_dup_text (conditions, field);
      g_autofree char *pair = g_strdup_printf (" %s=%s ", assay_field_get_info (field)->name, is);
      if (is != NULL && g_strcmp0 (was, is) != 0 && strstr (pairs, pair) != NULL)
        return TRUE;
    }
  return FALSE;
}

static AssayValues *asked_base; /* what the planner's conditions are told apart from */

#define NEED 1000 /* of the run itself */

static gboolean
is_unchanged (const AssayValues *conditions)
{
  for (AssayFieldId field = 0; field < ASSAY_N_FIELDS; field++)
    {
      g_autofree char *was = assay_values_dup_text (asked_base, field),
                      *is = assay_values_dup_text (conditions, field);
      if (g_strcmp0 (was, is) != 0)
        return FALSE;
    }
  return TRUE;
}

static gboolean
plan (const AssayValues *conditions, AssayPrediction *out, gpointer data, GError **error)
{
  Planner *planner = data;
  if (is_unchanged (conditions))
    {
      *out = (AssayPrediction){ .peak_vram = NEED, .peak_ram = 7, .link_bytes = 3, .seconds = 0.5 };
      return TRUE;
    }
  planner->n++;
  g_clear_pointer (&planner->last, assay_values_unref);
  planner->last = assay_values_copy (conditions);
  if (is_listed (planner->refuses, asked_base, conditions))
    {
      g_set_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_RULE, "attn_q: a row is no whole blocks");
      return FALSE;
    }
  const gboolean useless = planner->useless != NULL && is_listed (planner->useless, asked_base, conditions);
  out->peak_vram = useless ? NEED : 100 + planner->n;
  out->peak_ram = 7;
  out->link_bytes = 3;
  out->seconds = 0.5;
  out->fits = is_listed (planner->fits, asked_base, conditions);
  return TRUE;
}

static void
assert_ranked (const char *fits, const char *refuses, const char *ranked)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  AssayRecord *record
      = judgment_add (ledger, OOM (DEVICE, "device", "virtual", "offload_mode", "none", "quantization",
                                   "Q8_0", "kv_cache_type", "float16", "context_length", "64"));
  g_autoptr(AssayAdvice) advice = assay_advice_for (ledger, record);
  Planner planner = { .fits = fits, .refuses = refuses };
  asked_base = assay_change_dup_base (record);
  assay_advice_predict (advice, record, plan, &planner);
  g_autofree char *got = list (advice);
  g_assert_cmpstr (got, ==, ranked);
  for (guint i = 0; i < advice->candidates->len; i++)
    {
      const AssayCandidate *candidate = advice->candidates->pdata[i];
      const gboolean known = candidate->to != NULL && candidate->problem == NULL;
      g_assert_cmpint (candidate->predicted_peak_vram > 100, ==, known);
      g_assert_cmpint (candidate->predicted_peak_ram, ==, known ? 7 : -1);
      g_assert_cmpint (candidate->predicted_link_bytes, ==, known ? 3 : -1);
      g_assert_cmpfloat (candidate->predicted_seconds, ==, known ? 0.5 : -1);
    }
  g_clear_pointer (&asked_base, assay_values_unref);
  g_clear_pointer (&planner.last, assay_values_unref);
}

static void
test_the_smallest_change_that_fits_comes_first (void)
{
  assert_ranked (
      " offload_mode=sequential offload_mode=group quantization=Q4_K ", "",
      "offload_mode=group offload_mode=sequential quantization=Q4_K offload_mode=model kv_cache_type=q8_0 "
      "quantization=Q6_K context_length=?");
  assert_ranked (
      " quantization=Q6_K kv_cache_type=q8_0 quantization=Q4_K ", "",
      "kv_cache_type=q8_0 quantization=Q6_K quantization=Q4_K offload_mode=model offload_mode=group "
      "offload_mode=sequential context_length=?");
  assert_ranked (
      "", "",
      "offload_mode=model offload_mode=group offload_mode=sequential kv_cache_type=q8_0 quantization=Q6_K "
      "quantization=Q4_K context_length=?");
}

static void
test_what_cannot_be_run_comes_last_or_not_at_all (void)
{
  assert_ranked (
      " quantization=Q4_K ", " offload_mode=model kv_cache_type=q8_0 ",
      "quantization=Q4_K offload_mode=group offload_mode=sequential quantization=Q6_K context_length=? "
      "kv_cache_type=q8_0");
}

static void
test_rows_of_no_whole_blocks_get_small_blocks (void)
{
  assert_ranked (
      " quantization=Q4_0 ", " quantization=Q4_K quantization=Q6_K ",
      "quantization=Q4_0 offload_mode=model offload_mode=group offload_mode=sequential kv_cache_type=q8_0 "
      "quantization=Q5_1 context_length=?");
}

static void
test_a_problem_is_kept_in_words (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  AssayRecord *record
      = judgment_add (ledger, OOM (DEVICE, "device", "cpu", "quantization", "Q8_0", "context_length", "64"));
  g_autoptr(AssayAdvice) advice = assay_advice_for (ledger, record);
  Planner planner = { .fits = "",
                      .refuses = " quantization=Q6_K  quantization=Q5_1  quantization=Q4_K  quantization=Q4_0 " };
  asked_base = assay_change_dup_base (record);
  for (guint i = 0; i < 2; i++) /* asked again, nothing is lost */
    assay_advice_predict (advice, record, plan, &planner);
  g_autofree char *got = list (advice);
  g_assert_cmpstr (got, ==, "context_length=? quantization=Q6_K");
  const AssayCandidate *candidate = advice->candidates->pdata[1];
  g_assert_cmpstr (candidate->problem, ==, "attn_q: a row is no whole blocks");
  g_assert_false (candidate->fits);
  g_clear_pointer (&asked_base, assay_values_unref);
  g_clear_pointer (&planner.last, assay_values_unref);
}

/* What the planner says of a run with these pairs set, as the candidates in their order. */
static char *
list_foretold (AssayRecord *run, Planner *planner, AssayAdvice **advice)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  AssayRecord *record = judgment_add (ledger, run);
  *advice = assay_advice_for (ledger, record);
  asked_base = assay_change_dup_base (record);
  assay_advice_predict (*advice, record, plan, planner);
  g_clear_pointer (&asked_base, assay_values_unref);
  g_clear_pointer (&planner->last, assay_values_unref);
  return list (*advice);
}

static void
test_what_needs_no_less_is_no_advice (void)
{
  Planner planner = { .fits = " offload_mode=sequential ", .refuses = "",
                      .useless = " prefetch=false  quantization=Q6_K  context_length=64 " };
  g_autoptr(AssayAdvice) advice = NULL;
  g_autofree char *got
      = list_foretold (OOM (DEVICE, "device", "virtual", "offload_mode", "group", "prefetch", "true", "quantization",
                            "Q8_0", "context_length", "128"), &planner, &advice);
  g_assert_cmpstr (got, ==, "offload_mode=sequential quantization=Q4_K");
  for (char **name = advice->held_with_candidates; *name != NULL; name++)
    g_assert_cmpint (assay_axis_from_name (*name) != ASSAY_AXIS_OFFLOAD_MODE
                         && assay_axis_from_name (*name) != ASSAY_AXIS_QUANTIZATION,
                     ==, g_strv_contains ((const char *const *) advice->held, *name));
}

/* Half the context does not fit, nor a quarter; the eighth is what is offered, and nothing fits beside it. */
static void
test_where_nothing_fits_a_candidate_goes_further (void)
{
  static const struct { const char *fits, *refuses, *list; gboolean found; } rows[] = {
    { " context_length=512 ", "", "context_length=512 offload_mode=sequential kv_cache_type=float16", TRUE },
    { " kv_cache_type=q8_0 ", "", "kv_cache_type=q8_0 offload_mode=sequential context_length=2048", TRUE },
    { " context_length=512 ", " context_length=1024 ",
      "offload_mode=sequential context_length=2048 kv_cache_type=float16", FALSE }, /* it no longer holds the prompt */
    { " context_length=512 offload_mode=sequential ", "",
      "offload_mode=sequential context_length=2048 kv_cache_type=float16", TRUE }, /* one that fits is enough */
    { "", "", "offload_mode=sequential context_length=2048 kv_cache_type=float16", FALSE },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      Planner planner = { .fits = rows[i].fits, .refuses = rows[i].refuses };
      g_autoptr(AssayAdvice) advice = NULL;
      g_autofree char *got
          = list_foretold (OOM (DEVICE, "device", "virtual", "offload_mode", "group", "quantization", "Q2_K",
                                "kv_cache_type", "float32", "v_cache_type", "float32", "context_length", "4096"),
                           &planner, &advice);
      g_assert_cmpstr (got, ==, rows[i].list);
      for (guint k = 0; k < advice->candidates->len; k++)
        g_assert_cmpint (((AssayCandidate *) advice->candidates->pdata[k])->fits, ==, k == 0 && rows[i].found);
    }
}

/* 3 MiB and a byte were foretold, 2 MiB allowed. */
static void
test_a_budget_is_raised_where_the_machine_has_as_much (void)
{
  static const struct { const char *fits, *budget, *list; } rows[] = {
    { " vram_budget=4194304  vram_budget=0 ", "2097152", "vram_budget=4194304 context_length=64" },
    { " vram_budget=4194304  vram_budget=0  context_length=64 ", "2097152", "context_length=64 vram_budget=4194304" },
    { " vram_budget=4194304 ", "2097152", "context_length=64" }, /* the machine has less */
    { " vram_budget=0 ", "2097152", "context_length=64" },
    { " vram_budget=4194304  vram_budget=0 ", "4194304", "context_length=64" }, /* it was no limit */
    { " vram_budget=4194304  vram_budget=0 ", "0", "context_length=64" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      Planner planner = { .fits = rows[i].fits, .refuses = "" };
      g_autoptr(AssayAdvice) advice = NULL;
      g_autofree char *got
          = list_foretold (OOM (DEVICE, "device", "cpu", "quantization", "Q2_K", "context_length", "128",
                                "vram_budget", rows[i].budget, "predicted_peak_ram", "3145729"), &planner, &advice);
      g_assert_cmpstr (got, ==, rows[i].list);
    }
}

/* Q8_0 → Q6_K where no row is whole blocks: the planner finds the same bytes. */
static void
test_quantization_that_changes_no_tensor_is_not_offered (void)
{
  for (guint same = 0; same < 2; same++)
    {
      Planner planner = { .fits = " quantization=Q6_K ", .refuses = "", .useless = same ? " quantization=Q6_K " : "" };
      g_autoptr(AssayAdvice) advice = NULL;
      g_autofree char *got = list_foretold (judgment_run ("r", ASSAY_STATUS_COMPLETED, "device", "cpu", "quantization",
                                                          "Q8_0", NULL), &planner, &advice);
      g_assert_cmpint (strstr (got, "quantization=Q6_K") == NULL, ==, same);
    }
}

/* The planner foretells half a second for everything. */
static void
test_what_takes_longer_than_the_limit_does_not_fit (void)
{
  static const struct
  {
    const char *limit;
    gboolean fits;
  } rows[] = { { "0.4", FALSE }, { "0.5", TRUE }, { "0", TRUE } };
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr(AssayLedger) ledger = judgment_ledger ();
      AssayRecord *record = judgment_add (
          ledger, judgment_run ("r", ASSAY_STATUS_TIME_LIMIT, "device", "virtual", "offload_mode", "sequential",
                                "context_length", "64", "time_limit_seconds", rows[i].limit, NULL));
      g_autoptr(AssayAdvice) advice = assay_advice_for (ledger, record);
      Planner planner = { .fits = " offload_mode=group ", .refuses = "" };
      asked_base = assay_change_dup_base (record);
      assay_advice_predict (advice, record, plan, &planner);
      const AssayCandidate *first = advice->candidates->pdata[0];
      g_assert_cmpstr (first->to, ==, "group");
      g_assert_cmpint (first->fits, ==, rows[i].fits);
      g_clear_pointer (&asked_base, assay_values_unref);
      g_clear_pointer (&planner.last, assay_values_unref);
    }
}

/* What the planner is asked */

static void
test_the_planner_is_asked_what_was_in_effect_with_one_change (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  AssayRecord *record = judgment_add (
      ledger, OOM (DEVICE, "device", "virtual", "offload_mode", "group", "effective.offload_api",
                   "enable_group_offload", "seed", "-1", "effective.seed", "7", "context_length", "8192",
                   "effective.context_length", "4096", "quantization", "Q2_K", "effective.driver", "580",
                   "effective.model_content_hash", "x", "effective.tokenizer_note", "verified"));
  g_autoptr(AssayAdvice) advice = assay_advice_for (ledger, record);
  Planner planner = { .fits = " context_length=2048 ", .refuses = "" };
  asked_base = assay_change_dup_base (record);
  assay_advice_predict (advice, record, plan, &planner);
  gint64 value;
  g_assert_cmpuint (planner.n, ==, 2); /* sequential, half the context */
  g_assert_true (assay_values_get_integer (planner.last, ASSAY_FIELD_CONTEXT_LENGTH, &value)
                 && value == 2048);
  g_assert_true (assay_values_get_integer (planner.last, ASSAY_FIELD_SEED, &value) && value == 7);
  g_assert_cmpstr (assay_values_get_text (planner.last, ASSAY_FIELD_OFFLOAD_API), ==, "enable_group_offload");
  g_assert_null (assay_values_get_text (planner.last, ASSAY_FIELD_DRIVER));
  g_assert_null (assay_values_get_text (planner.last, ASSAY_FIELD_MODEL_CONTENT_HASH));
  g_assert_null (assay_values_get_text (planner.last, ASSAY_FIELD_TOKENIZER_NOTE));
  g_clear_pointer (&asked_base, assay_values_unref);
  g_clear_pointer (&planner.last, assay_values_unref);
}

static void
test_what_only_described_the_old_value_is_set_free (void)
{
  static const struct
  {
    const char *field, *to, *follower, *stays;
  } rows[] = {
    { "offload_mode", "sequential", "offload_api", NULL },
    { "offload_mode", "group", "offload_api", "enable_group_offload" }, /* it is group already */
    { "attached_components", "lora.gguf", "offload_api", NULL },
    { "threads", "8", "offload_api", "enable_group_offload" },
    { "quantization", "Q4_K", "quantization_method", "gguf" },
    { "quantization", "nf4", "quantization_method", NULL },
    { "quantization", "none", "quantization_method", NULL },
    { "quantization", "Q4_K", "quantized_modules", "ffn_down" },
    { "kv_cache_type", "q8_0", "v_cache_type", NULL },
    { "prompt", "Hello", "question_set", NULL },
    { "device", "cpu", "link_bandwidth", NULL },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr(AssayRecord) record = judgment_run (
          "r", ASSAY_STATUS_COMPLETED, "device", "virtual", "link_bandwidth", "1000", "offload_mode", "group",
          "offload_api", "enable_group_offload", "quantization", "Q8_0", "quantization_method", "gguf",
          "quantized_modules", "ffn_down", "kv_cache_type", "float16", "v_cache_type", "float16",
          "question_set", "basic-12", "threads", "4", NULL);
      g_autoptr(AssayValues) conditions = assay_change_dup_base (record);
      g_autoptr(GError) error = NULL;
      assay_change_apply (conditions, assay_field_from_name (rows[i].field), rows[i].to, &error);
      g_assert_no_error (error);
      g_autofree char *got = assay_values_dup_text (conditions, assay_field_from_name (rows[i].follower));
      g_assert_cmpstr (got, ==, rows[i].stays);
    }
}

static void
test_no_method_and_no_modules_are_no_ones (void)
{
  g_autoptr(AssayRecord) record
      = judgment_run ("r", ASSAY_STATUS_COMPLETED, "quantization", "none", "quantization_method", "none",
                      "quantized_modules", "none", "v_cache_type", "float16", "kv_cache_type", "q8_0", NULL);
  g_autoptr(AssayValues) conditions = assay_change_dup_base (record);
  g_assert_true (assay_change_apply (conditions, ASSAY_FIELD_QUANTIZATION, "Q8_0", NULL));
  g_assert_true (assay_change_apply (conditions, ASSAY_FIELD_KV_CACHE_TYPE, "float32", NULL));
  g_assert_null (assay_values_get_text (conditions, ASSAY_FIELD_QUANTIZATION_METHOD));
  g_assert_null (assay_values_get_text (conditions, ASSAY_FIELD_QUANTIZED_MODULES));
  g_assert_cmpstr (assay_values_get_text (conditions, ASSAY_FIELD_V_CACHE_TYPE), ==,
                   "float16"); /* a choice of its own */
}

static void
test_a_value_of_another_kind_changes_nothing (void)
{
  g_autoptr(AssayRecord) record = judgment_run ("r", ASSAY_STATUS_COMPLETED, "offload_mode", "group",
                                                 "offload_api", "enable_group_offload", NULL);
  g_autoptr(AssayValues) conditions = assay_change_dup_base (record);
  g_autoptr(AssayValues) before = assay_values_copy (conditions);
  g_autoptr(GError) error = NULL;
  g_assert_false (assay_change_apply (conditions, ASSAY_FIELD_OFFLOAD_MODE, "everything", &error));
  g_assert_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_VALUE);
  g_assert_true (assay_values_equal (conditions, before));
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ledger/predict/what-needs-no-less-is-no-advice", test_what_needs_no_less_is_no_advice);
  g_test_add_func ("/ledger/predict/where-nothing-fits-a-candidate-goes-further",
                   test_where_nothing_fits_a_candidate_goes_further);
  g_test_add_func ("/ledger/predict/a-budget-is-raised-where-the-machine-has-as-much",
                   test_a_budget_is_raised_where_the_machine_has_as_much);
  g_test_add_func ("/ledger/predict/quantization-that-changes-no-tensor-is-not-offered",
                   test_quantization_that_changes_no_tensor_is_not_offered);
#define ADD(NAME, FUNC) g_test_add_func ("/ledger/" NAME, FUNC)
  ADD ("predict/ladders-of-device-memory", test_ladders_of_device_memory);
  ADD ("predict/ladders-of-host-memory", test_ladders_of_host_memory);
  ADD ("predict/other-runtimes-have-their-own-ladder", test_other_runtimes_have_their_own_ladder);
  ADD ("predict/waiting-for-the-link-asks-for-prefetch", test_waiting_for_the_link_asks_for_prefetch);
  ADD ("predict/the-smallest-change-that-fits-comes-first", test_the_smallest_change_that_fits_comes_first);
  ADD ("predict/what-cannot-be-run-comes-last-or-not-at-all", test_what_cannot_be_run_comes_last_or_not_at_all);
  ADD ("predict/what-takes-longer-than-the-limit-does-not-fit",
       test_what_takes_longer_than_the_limit_does_not_fit);
  ADD ("predict/rows-of-no-whole-blocks-get-small-blocks", test_rows_of_no_whole_blocks_get_small_blocks);
  ADD ("predict/a-problem-is-kept-in-words", test_a_problem_is_kept_in_words);
  ADD ("predict/the-planner-is-asked-what-was-in-effect-with-one-change",
       test_the_planner_is_asked_what_was_in_effect_with_one_change);
  ADD ("change/what-only-described-the-old-value-is-set-free",
       test_what_only_described_the_old_value_is_set_free);
  ADD ("change/no-method-and-no-modules-are-no-ones", test_no_method_and_no_modules_are_no_ones);
  ADD ("change/a-value-of-another-kind-changes-nothing", test_a_value_of_another_kind_changes_nothing);
#undef ADD
  return g_test_run ();
}
