/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What one axis does, found by itself: families, figures with their spread, and what is kept out. */
#include <math.h>

#include "assay-effects.h"
#include "judgment.h"

#define RUN(id, ...) judgment_run (id, ASSAY_STATUS_COMPLETED, __VA_ARGS__, NULL)

static AssayRecord *
add (AssayLedger *ledger, const char *id, const char *mode, const char *peak, const char *seconds)
{
  return judgment_add (ledger, RUN (id, "device", "cuda:0", "offload_mode", mode, "peak_vram", peak, "elapsed_seconds",
                                    seconds, "generate_tokens_per_second", "10"));
}

static const AssayEffect *
effect_at (const AssayEffects *effects, guint family, guint position)
{
  g_assert_cmpuint (family, <, effects->families->len);
  const AssayEffectFamily *one = effects->families->pdata[family];
  g_assert_cmpuint (position, <, one->effects->len);
  return one->effects->pdata[position];
}

static const AssayEffectFigure *
figure_of (const AssayEffect *effect, AssayFieldId field)
{
  for (guint i = 0; i < effect->figures->len; i++)
    if (g_array_index (effect->figures, AssayEffectFigure, i).field == field)
      return &g_array_index (effect->figures, AssayEffectFigure, i);
  g_error ("no figure of %s", assay_field_get_info (field)->name);
}

static void
assert_words (const AssayEffect *effect, const char *says)
{
  g_autofree char *words = assay_effect_dup_words (effect);
  g_test_message ("%s", words);
  if (strstr (words, says) == NULL)
    g_error ("'%s' does not say '%s'", words, says);
}

static void
test_a_family_is_told_from_its_oldest_setting (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  add (ledger, "a", "none", "6200", "3.2");
  add (ledger, "b", "model", "5200", "4.3");
  add (ledger, "c", "sequential", "3600", "21.4");
  g_autoptr(AssayEffects) effects = assay_effects_find (ledger, FALSE);
  g_assert_cmpuint (effects->families->len, ==, 1);
  g_assert_cmpuint (effects->kept_out->len, ==, 0);
  g_assert_cmpuint (effects->n_settings, ==, 3);
  const AssayEffectFamily *family = effects->families->pdata[0];
  g_assert_cmpint (family->axis, ==, ASSAY_AXIS_OFFLOAD_MODE);
  g_assert_cmpuint (family->effects->len, ==, 2);
  const AssayEffectFigure *peak = figure_of (effect_at (effects, 0, 1), ASSAY_FIELD_PEAK_VRAM);
  const AssayEffectFigure *time = figure_of (effect_at (effects, 0, 1), ASSAY_FIELD_ELAPSED_SECONDS);
  g_assert_cmpfloat_with_epsilon (peak->ratio, 3600.0 / 6200, 1e-9);
  g_assert_cmpfloat_with_epsilon (peak->difference, -2600, 1e-9);
  g_assert_cmpfloat_with_epsilon (time->ratio, 21.4 / 3.2, 1e-9);
  g_assert_cmpint (time->spread, ==, ASSAY_SPREAD_UNKNOWN);
  assert_words (effect_at (effects, 0, 1), "offload_mode: none → sequential; VRAM ");
  assert_words (effect_at (effects, 0, 1), ", −42 % (1 and 1 runs, spread unknown without repeats of both)");
  assert_words (effect_at (effects, 0, 1), "quality not judged");
}

static void
test_spread_of_the_repeats_is_told (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  static const char *const rows[][4] = {
    { "a1", "none", "1000", "10" },   { "a2", "none", "1000", "11" },  { "b1", "model", "600", "10.5" },
    { "b2", "model", "610", "12.5" }, { "b3", "model", "605", "13" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    add (ledger, rows[i][0], rows[i][1], rows[i][2], rows[i][3]);
  g_autoptr(AssayEffects) effects = assay_effects_find (ledger, FALSE);
  const AssayEffect *effect = effect_at (effects, 0, 0);
  const AssayEffectFigure *peak = figure_of (effect, ASSAY_FIELD_PEAK_VRAM);
  const AssayEffectFigure *time = figure_of (effect, ASSAY_FIELD_ELAPSED_SECONDS);
  g_assert_cmpint (peak->spread, ==, ASSAY_SPREAD_BEYOND);
  g_assert_cmpuint (peak->from.n, ==, 2);
  g_assert_cmpuint (peak->to.n, ==, 3);
  g_assert_cmpfloat_with_epsilon (peak->to.mean, 605, 1e-9);
  g_assert_cmpfloat (peak->to.low, ==, 600);
  g_assert_cmpfloat (peak->to.high, ==, 610);
  g_assert_cmpint (time->spread, ==, ASSAY_SPREAD_WITHIN);
  g_assert_cmpfloat_with_epsilon (time->ratio, 12.0 / 10.5, 1e-9);
  assert_words (effect, "time 10.50 s (10.00 s to 11.00 s) → 12.00 s (10.50 s to 13.00 s), ×1.1 (2 and 3 runs, smaller than the "
                        "spread of the repeats)");
  assert_words (effect, "−40 % (2 and 3 runs, more than the spread of the repeats)");
}

static void
score (AssayRecord *run, const char *reviewer, gint value)
{
  AssayReview *review = judgment_review (run, reviewer, value >= 4 ? ASSAY_VERDICT_PASS : ASSAY_VERDICT_FAIL);
  assay_review_set_score (review, "groundedness", NULL, value);
}

static void
test_quality_is_told_with_its_reviews (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  g_ptr_array_add (judgment_criteria (ledger)->criteria, assay_criterion_new ("groundedness", ASSAY_CRITERION_SCALE));
  AssayRecord *a = RUN ("a", "quantization", "Q8_0"), *b = RUN ("b", "quantization", "Q2_K"),
              *c = RUN ("c", "quantization", "Q2_K"), *broken = judgment_run ("d", ASSAY_STATUS_KILLED, "quantization", "Q2_K", NULL);
  score (a, "Ana", 5);
  score (a, "Bo", 4);
  score (b, "Ana", 2);
  score (c, "Ana", 1);
  score (broken, "Ana", 5);
  judgment_add (ledger, a);
  judgment_add (ledger, b);
  judgment_add (ledger, c);
  judgment_add (ledger, broken);
  g_autoptr(AssayEffects) effects = assay_effects_find (ledger, FALSE);
  const AssayEffect *effect = effect_at (effects, 0, 0);
  g_assert_cmpint (effect->quality_from, ==, ASSAY_VERDICT_PASS);
  g_assert_cmpint (effect->quality_to, ==, ASSAY_VERDICT_FAIL);
  g_assert_cmpuint (effect->n_reviews_from, ==, 2);
  g_assert_cmpuint (effect->n_reviews_to, ==, 2); /* what was said of the run that died is kept, and not counted */
  g_assert_cmpuint (effect->criteria->len, ==, 1);
  const AssayEffectCriterion *criterion = effect->criteria->pdata[0];
  g_assert_cmpfloat_with_epsilon (criterion->from, 4.5, 1e-9);
  g_assert_cmpfloat_with_epsilon (criterion->to, 1.5, 1e-9);
  g_assert_cmpuint (criterion->n_from, ==, 1);
  g_assert_cmpuint (criterion->n_to, ==, 2);
  assert_words (effect, "quality pass → fail (4 reviews); groundedness: 4.5 → 1.5 of 5 (1 and 2 reviewed runs)");
}

/* What was said by other criteria is no word on the axis. */
static void
test_verdicts_by_changed_criteria_are_not_compared (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  AssayRecord *a = RUN ("a", "quantization", "Q8_0"), *b = RUN ("b", "quantization", "Q2_K");
  AssayReview *early = judgment_review (a, "Ana", ASSAY_VERDICT_PASS);
  judgment_review (b, "Ana", ASSAY_VERDICT_FAIL);
  g_free (early->at);
  early->at = g_strdup ("2026-01-01T00:00:00Z");
  judgment_criteria (ledger)->changed_at = g_strdup ("2026-02-01T00:00:00Z");
  judgment_add (ledger, a);
  judgment_add (ledger, b);
  g_autoptr(AssayEffects) effects = assay_effects_find (ledger, FALSE);
  g_assert_true (effect_at (effects, 0, 0)->criteria_changed);
  assert_words (effect_at (effects, 0, 0), "quality not compared (evaluation_criterion changed between the reviews)");
}

static void
test_runs_that_are_kept_out_say_why (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  add (ledger, "a", "none", "6200", "3.2");
  judgment_add (ledger, judgment_run ("oom", ASSAY_STATUS_OOM_DEVICE, "device", "cuda:0", "offload_mode", "model", NULL));
  judgment_add (ledger, RUN ("fell-back", "device", "cuda:0", "offload_mode", "group", "effective.offload_mode", "sequential",
                             "peak_vram", "1", "elapsed_seconds", "9"));
  g_autoptr(AssayEffects) strict = assay_effects_find (ledger, FALSE), in_effect = assay_effects_find (ledger, TRUE);
  const AssayKeptOut *first = strict->kept_out->pdata[0], *second = strict->kept_out->pdata[1];
  g_assert_cmpuint (strict->families->len, ==, 0);
  g_assert_cmpuint (strict->kept_out->len, ==, 2);
  g_assert_cmpint (first->reason, ==, ASSAY_REASON_NOT_COMPLETED);
  g_assert_cmpint (second->reason, ==, ASSAY_REASON_NOT_AS_ASKED);
  g_assert_nonnull (strstr (second->words, "offload_mode: sequential instead of group"));
  g_assert_cmpuint (in_effect->kept_out->len, ==, 1);
  assert_words (effect_at (in_effect, 0, 0), "offload_mode: none → sequential");
}

static void
test_a_hidden_axis_breaks_a_family (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  judgment_add (ledger, RUN ("a", "threads", "4", "driver", "1"));
  judgment_add (ledger, RUN ("b", "threads", "8", "driver", "2"));
  judgment_add (ledger, RUN ("c", "threads", "4", "driver", "2"));
  g_autoptr(AssayEffects) effects = assay_effects_find (ledger, FALSE);
  g_assert_cmpuint (effects->families->len, ==, 1); /* of threads alone: the driver is nobody's trial */
  const AssayEffect *effect = effect_at (effects, 0, 0);
  g_assert_cmpstr (assay_record_get_id (effect->from->pdata[0]), ==, "b");
  g_assert_cmpstr (assay_record_get_id (effect->to->pdata[0]), ==, "c");
}

static void
test_mixed_kinds_in_a_family_are_refused_there (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  AssayRecord *a = RUN ("a", "offload_mode", "none", "peak_vram", "9"), *b = RUN ("b", "offload_mode", "model", "peak_vram", "5");
  assay_values_set_measure (assay_record_get_burden (a), ASSAY_FIELD_PEAK_VRAM, &(AssayMeasure){ .kind = "allocated" });
  assay_values_set_measure (assay_record_get_burden (b), ASSAY_FIELD_PEAK_VRAM, &(AssayMeasure){ .kind = "process" });
  judgment_add (ledger, a);
  judgment_add (ledger, b);
  g_autoptr(AssayEffects) effects = assay_effects_find (ledger, FALSE);
  const AssayEffect *effect = effect_at (effects, 0, 0);
  g_assert_cmpint (effect->comparison->reason, ==, ASSAY_REASON_MIXED_MEMORY);
  g_assert_cmpuint (effect->figures->len, ==, 0);
  assert_words (effect, "is of the kind 'allocated'");
}

/* Random ledgers, every pair looked at */

static const char *const choices[][4] = {
  { "offload_mode", "none", "group", "sequential" }, { "offload_granularity", "0", "4", "8" },
  { "prefetch", "true", "false", "true" },           { "quantization", "Q8_0", "Q4_0", "none" },
  { "model_content_hash", "x", "y", "z" },           { "weight_format", "gguf", "safetensors", "gguf" },
  { "temperature", "0", "0.5", "0" },                { "seed", "1", "2", "1" },
  { "top_k", "0", "40", "0" },                       { "device", "cpu", "cuda:0", "virtual" },
  { "driver", "1", "2", "1" },                       { "attention_kernel", "flash", "math", "flash" },
  { "weight_access", "mapped", "read", "mapped" },   { "device_map", "none", "a=cpu", "none" },
  { "kv_cache_type", "float32", "q8_0", "float32" }, { "v_cache_type", "float32", "q8_0", "float32" },
  { "runtime", "native", "process", "native" },      { "model_path", "/m", "/n", "/m" },
};

static AssayRecord *
random_run (GRand *rand, guint i)
{
  g_autofree char *id = g_strdup_printf ("r%03u", i);
  AssayRecord *run = judgment_run (id, ASSAY_STATUS_COMPLETED, "elapsed_seconds", "1", NULL);
  for (gsize k = 0; k < G_N_ELEMENTS (choices); k++)
    {
      const gint pick = g_rand_int_range (rand, -20, 3); /* mostly the first */
      if (pick == -20)
        continue;
      g_autoptr(GError) error = NULL;
      assay_values_parse (assay_record_get_conditions (run), assay_field_from_name (choices[k][0]), choices[k][1 + MAX (pick, 0)],
                          &error);
      g_assert_no_error (error);
    }
  return run;
}

/* Whether the run is in a family of this axis. */
static gboolean
family_holds (const AssayEffects *effects, AssayAxis axis, AssayRecord *run)
{
  for (guint i = 0; i < effects->families->len; i++)
    {
      const AssayEffectFamily *family = effects->families->pdata[i];
      for (guint k = 0; family->axis == axis && k < family->effects->len; k++)
        {
          const AssayEffect *effect = family->effects->pdata[k];
          if (g_ptr_array_find (effect->from, run, NULL) || g_ptr_array_find (effect->to, run, NULL))
            return TRUE;
        }
    }
  return FALSE;
}

static void
check_families (const AssayEffects *effects)
{
  for (guint i = 0; i < effects->families->len; i++)
    {
      const AssayEffectFamily *family = effects->families->pdata[i];
      for (guint k = 0; k < family->effects->len; k++)
        {
          const AssayEffect *effect = family->effects->pdata[k];
          GPtrArray *differences = effect->comparison->differences;
          g_assert_cmpuint (assay_axes_count (differences), ==, 1);
          for (guint d = 0; d < differences->len; d++)
            if (!((AssayDifference *) differences->pdata[d])->implied)
              g_assert_cmpint (((AssayDifference *) differences->pdata[d])->axis, ==, family->axis);
        }
    }
}

static void
check_pair (const AssayEffects *effects, AssayRecord *a, AssayRecord *b)
{
  g_autoptr(GPtrArray) differences = assay_axes_diff (a, b);
  if (assay_axes_count (differences) != 1)
    return;
  for (guint i = 0; i < differences->len; i++)
    {
      const AssayDifference *one = differences->pdata[i];
      if (!one->implied && !assay_axis_is_hidden (one->axis))
        g_assert_true (family_holds (effects, one->axis, a) && family_holds (effects, one->axis, b));
    }
}

static void
test_random_ledgers_against_every_pair (void)
{
  const guint32 seed = g_test_rand_int ();
  g_autoptr(GRand) rand = g_rand_new_with_seed (seed);
  g_test_message ("seed %u", seed);
  for (guint round = 0; round < 40; round++)
    {
      g_autoptr(AssayLedger) ledger = judgment_ledger ();
      const guint n = (guint) g_rand_int_range (rand, 2, 40);
      for (guint i = 0; i < n; i++)
        judgment_add (ledger, random_run (rand, i));
      g_autoptr(AssayEffects) effects = assay_effects_find (ledger, TRUE);
      check_families (effects);
      g_autoptr(GPtrArray) settings = assay_repeats_fold (ledger, TRUE);
      for (guint i = 0; i < settings->len; i++)
        for (guint k = i + 1; k < settings->len; k++)
          check_pair (effects, assay_repeats_get_typical (settings->pdata[i]), assay_repeats_get_typical (settings->pdata[k]));
    }
}

/* A sweep with repeats, as many as a ledger may hold: one family, and no run beside the point. */
static void
test_ten_thousand_runs_are_one_sweep (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  for (guint i = 0; i < 10000; i++)
    {
      g_autofree char *id = g_strdup_printf ("r%05u", i), *context = g_strdup_printf ("%u", 64 * (1 + i % 1000));
      judgment_add (ledger, RUN (id, "context_length", context, "peak_vram", context, "elapsed_seconds", "1"));
    }
  g_test_timer_start ();
  g_autoptr(AssayEffects) effects = assay_effects_find (ledger, FALSE);
  const double seconds = g_test_timer_elapsed ();
  g_test_minimized_result (seconds, "effects of 10,000 runs: %.2f s", seconds);
  g_assert_cmpuint (effects->n_settings, ==, 1000);
  g_assert_cmpuint (effects->families->len, ==, 1);
  g_assert_cmpuint (((AssayEffectFamily *) effects->families->pdata[0])->effects->len, ==, 999);
  g_assert_cmpuint (figure_of (effect_at (effects, 0, 998), ASSAY_FIELD_PEAK_VRAM)->to.n, ==, 10);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
#define ADD(NAME, FUNC) g_test_add_func ("/ledger/effects/" NAME, FUNC)
  ADD ("a-family-is-told-from-its-oldest-setting", test_a_family_is_told_from_its_oldest_setting);
  ADD ("the-spread-of-the-repeats-is-told", test_spread_of_the_repeats_is_told);
  ADD ("quality-is-told-with-its-reviews", test_quality_is_told_with_its_reviews);
  ADD ("verdicts-by-changed-criteria-are-not-compared", test_verdicts_by_changed_criteria_are_not_compared);
  ADD ("runs-that-are-kept-out-say-why", test_runs_that_are_kept_out_say_why);
  ADD ("a-hidden-axis-breaks-a-family", test_a_hidden_axis_breaks_a_family);
  ADD ("mixed-kinds-in-a-family-are-refused-there", test_mixed_kinds_in_a_family_are_refused_there);
  ADD ("random-ledgers-against-every-pair", test_random_ledgers_against_every_pair);
  ADD ("ten-thousand-runs-are-one-sweep", test_ten_thousand_runs_are_one_sweep);
#undef ADD
  return g_test_run ();
}
