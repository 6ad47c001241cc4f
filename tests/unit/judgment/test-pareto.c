/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which settings are not beaten on memory and time at once, and which are left out and why. */
#include "assay-pareto.h"
#include "judgment.h"

/* A setting that completed; name tells it from the others. */
static AssayRecord *
setting (AssayLedger *ledger, const char *name, const char *peak, const char *seconds, AssayVerdict quality)
{
  AssayRecord *run = judgment_run (name, ASSAY_STATUS_COMPLETED, "device", "cuda:0", "device_map", name, "peak_vram",
                                   peak, "elapsed_seconds", seconds, NULL);
  if (quality != ASSAY_VERDICT_NOT_JUDGED)
    judgment_review (run, "Ana", quality);
  return judgment_add (ledger, run);
}

static const AssayParetoPoint *
find (const AssayPareto *pareto, const char *id)
{
  for (guint i = 0; i < pareto->groups->len; i++)
    {
      const AssayParetoGroup *group = pareto->groups->pdata[i];
      for (guint k = 0; k < group->points->len; k++)
        {
          const AssayParetoPoint *point = group->points->pdata[k];
          if (g_str_equal (assay_record_get_id (point->representative), id))
            return point;
        }
    }
  return NULL;
}

static const AssayParetoLeftOut *
find_left_out (const AssayPareto *pareto, const char *id)
{
  for (guint i = 0; i < pareto->left_out->len; i++)
    {
      const AssayParetoLeftOut *left_out = pareto->left_out->pdata[i];
      if (g_str_equal (assay_record_get_id (left_out->record), id))
        return left_out;
    }
  return NULL;
}

static void
test_only_what_passed_is_on_the_frontier_of_quality (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  setting (ledger, "fast", "900", "10", ASSAY_VERDICT_PASS);
  setting (ledger, "small", "300", "30", ASSAY_VERDICT_PASS);
  setting (ledger, "bad", "100", "5", ASSAY_VERDICT_FAIL);
  setting (ledger, "beaten", "950", "40", ASSAY_VERDICT_PASS);
  setting (ledger, "silent", "200", "20", ASSAY_VERDICT_NOT_JUDGED);
  g_autoptr(AssayPareto) pareto = assay_pareto_new (ledger);
  static const struct { const char *id; gboolean quality, ran; } rows[] = {
    { "fast", TRUE, FALSE }, { "small", TRUE, FALSE }, { "bad", FALSE, TRUE },
    { "beaten", FALSE, FALSE }, { "silent", FALSE, FALSE },
  };
  g_assert_cmpuint (pareto->groups->len, ==, 1);
  g_assert_cmpuint (pareto->left_out->len, ==, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      const AssayParetoPoint *point = find (pareto, rows[i].id);
      g_assert_cmpint (point->on_quality_frontier, ==, rows[i].quality);
      g_assert_cmpint (point->on_ran_frontier, ==, rows[i].ran);
    }
}

static void
test_equal_ones_beat_neither_and_half_equal_ones_do (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  setting (ledger, "a", "100", "10", ASSAY_VERDICT_PASS);
  setting (ledger, "b", "100", "10", ASSAY_VERDICT_PASS);
  setting (ledger, "c", "100", "11", ASSAY_VERDICT_PASS);
  setting (ledger, "d", "101", "10", ASSAY_VERDICT_PASS);
  g_autoptr(AssayPareto) pareto = assay_pareto_new (ledger);
  g_assert_true (find (pareto, "a")->on_quality_frontier && find (pareto, "b")->on_quality_frontier);
  g_assert_true (find (pareto, "a")->on_ran_frontier && find (pareto, "b")->on_ran_frontier);
  g_assert_false (find (pareto, "c")->on_quality_frontier || find (pareto, "d")->on_quality_frontier);
}

static void
test_repeats_are_one_point (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  static const char *const rows[][3] = { { "a", "100", "10" }, { "b", "103", "14" }, { "c", "106", "12" } };
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      AssayRecord *run = judgment_run (rows[i][0], ASSAY_STATUS_COMPLETED, "device", "cuda:0", "peak_vram", rows[i][1],
                                       "elapsed_seconds", rows[i][2], NULL);
      judgment_review (run, "Ana", i == 1 ? ASSAY_VERDICT_FAIL : ASSAY_VERDICT_PASS);
      judgment_add (ledger, run);
    }
  judgment_add (ledger, judgment_run ("d", ASSAY_STATUS_OOM_DEVICE, "device", "cuda:0", "peak_vram", "900",
                                      "elapsed_seconds", "1", NULL));
  g_autoptr(AssayPareto) pareto = assay_pareto_new (ledger);
  const AssayParetoPoint *point = find (pareto, "c"); /* the median time speaks for them */
  g_assert_nonnull (point);
  g_assert_cmpuint (point->runs->len, ==, 4);
  g_assert_cmpuint (point->n, ==, 3);
  g_assert_cmpuint (point->peak_bytes, ==, 103);
  g_assert_cmpfloat_with_epsilon (point->seconds, 12, 1e-9);
  g_assert_cmpint (point->quality, ==, ASSAY_VERDICT_FAIL); /* of all repeats: one that failed is not hidden */
  g_assert_cmpint (point->feasibility, ==, ASSAY_VERDICT_PASS);
  g_assert_true (point->on_ran_frontier && !point->on_quality_frontier);
  g_assert_cmpint (find_left_out (pareto, "d")->reason, ==, ASSAY_PARETO_NOT_RUN);
}

static void
test_what_is_left_out_says_why (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  setting (ledger, "whole", "500", "50", ASSAY_VERDICT_PASS);
  setting (ledger, "no-time", "100", "?the clock stopped", ASSAY_VERDICT_PASS);
  setting (ledger, "no-peak", "?no NVML", "10", ASSAY_VERDICT_PASS);
  judgment_add (ledger, judgment_run ("oom", ASSAY_STATUS_OOM_DEVICE, "device_map", "o", "peak_vram", "1",
                                      "elapsed_seconds", "1", NULL));
  AssayRecord *fell_back = judgment_run ("fell-back", ASSAY_STATUS_COMPLETED, "context_length", "8192",
                                         "effective.context_length", "4096", "peak_vram", "1", "elapsed_seconds", "1",
                                         NULL);
  judgment_review (fell_back, "Ana", ASSAY_VERDICT_PASS);
  judgment_add (ledger, fell_back);
  g_autoptr(AssayPareto) pareto = assay_pareto_new (ledger);
  static const struct { const char *id; AssayParetoReason reason; const char *name, *says; gboolean drawn; } rows[] = {
    { "no-time", ASSAY_PARETO_NO_TIME, "no_time", "its time is unknown", FALSE },
    { "no-peak", ASSAY_PARETO_NO_PEAK, "no_peak", "peak of memory is unknown", FALSE },
    { "oom", ASSAY_PARETO_NOT_RUN, "not_completed", "oom_device", TRUE },
    { "fell-back", ASSAY_PARETO_DEVIATES, "not_as_asked", "context_length: 4096 instead of 8192", TRUE },
  };
  g_assert_cmpuint (pareto->left_out->len, ==, G_N_ELEMENTS (rows));
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      const AssayParetoLeftOut *left_out = pareto->left_out->pdata[i];
      const AssayParetoPoint *point = find (pareto, rows[i].id);
      g_assert_cmpstr (assay_record_get_id (left_out->record), ==, rows[i].id);
      g_assert_cmpint (left_out->reason, ==, rows[i].reason);
      g_assert_cmpstr (assay_pareto_reason_get_name (left_out->reason), ==, rows[i].name);
      g_assert_nonnull (strstr (left_out->words, rows[i].says));
      g_assert_true ((point != NULL) == rows[i].drawn);
      g_assert_false (point != NULL && (point->on_quality_frontier || point->on_ran_frontier));
    }
  g_assert_true (find (pareto, "whole")->on_quality_frontier);
  g_assert_cmpuint (find (pareto, "oom")->n, ==, 0);
  g_assert_true (find (pareto, "fell-back")->deviates);
}

static AssayRecord *
measured (AssayLedger *ledger, const char *id, AssayFieldId field, const char *kind, gint64 bytes)
{
  const gboolean device = field == ASSAY_FIELD_PEAK_VRAM;
  AssayRecord *run = judgment_run (id, ASSAY_STATUS_COMPLETED, "device", device ? "cuda:0" : "cpu", "device_map", id,
                                   "elapsed_seconds", "1", NULL);
  assay_values_set_integer (assay_record_get_burden (run), field, bytes);
  if (kind != NULL)
    assay_values_set_measure (assay_record_get_burden (run), field, &(AssayMeasure){ .kind = kind });
  return judgment_add (ledger, run);
}

static void
test_kinds_of_memory_are_apart (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  measured (ledger, "allocated", ASSAY_FIELD_PEAK_VRAM, "allocated", 900);
  measured (ledger, "allocated-more", ASSAY_FIELD_PEAK_VRAM, "allocated", 950);
  measured (ledger, "process", ASSAY_FIELD_PEAK_VRAM, "process", 500);
  measured (ledger, "unstated", ASSAY_FIELD_PEAK_VRAM, NULL, 100);
  measured (ledger, "engine", ASSAY_FIELD_PEAK_RAM_ENGINE, "allocated", 10);
  measured (ledger, "engine-unstated", ASSAY_FIELD_PEAK_RAM_ENGINE, NULL, 5);
  g_autoptr(AssayPareto) pareto = assay_pareto_new (ledger);
  g_assert_cmpuint (pareto->groups->len, ==, 4); /* one kind alone of the engine's RAM: what states none joins it */
  const AssayParetoGroup *first = pareto->groups->pdata[0];
  g_assert_cmpstr (first->label, ==, "Peak VRAM (allocated)");
  g_assert_cmpuint (first->points->len, ==, 2);
  g_assert_true (find (pareto, "allocated")->on_ran_frontier && find (pareto, "process")->on_ran_frontier);
  g_assert_true (find (pareto, "unstated")->on_ran_frontier && find (pareto, "engine-unstated")->on_ran_frontier);
  g_assert_false (find (pareto, "allocated-more")->on_ran_frontier || find (pareto, "engine")->on_ran_frontier);
}

static gboolean
beats (const AssayParetoPoint *a, const AssayParetoPoint *b)
{
  return a->peak_bytes <= b->peak_bytes && a->seconds <= b->seconds
         && (a->peak_bytes < b->peak_bytes || a->seconds < b->seconds);
}

static void
check_against_every_other (const AssayParetoGroup *group)
{
  for (guint i = 0; i < group->points->len; i++)
    {
      const AssayParetoPoint *point = group->points->pdata[i];
      gboolean ran = TRUE, judged = point->quality == ASSAY_VERDICT_PASS;
      for (guint k = 0; k < group->points->len; k++)
        {
          const AssayParetoPoint *other = group->points->pdata[k];
          ran &= !beats (other, point);
          judged &= !(other->quality == ASSAY_VERDICT_PASS && beats (other, point));
        }
      g_assert_cmpint (point->on_ran_frontier, ==, ran);
      g_assert_cmpint (point->on_quality_frontier, ==, judged);
    }
}

static void
test_random_clouds_against_every_pair (void)
{
  const guint32 seed = g_test_rand_int ();
  g_autoptr(GRand) rand = g_rand_new_with_seed (seed);
  g_test_message ("seed %u", seed);
  for (guint round = 0; round < 60; round++)
    {
      g_autoptr(AssayLedger) ledger = judgment_ledger ();
      const gint n = g_rand_int_range (rand, 1, 40), range = g_rand_int_range (rand, 1, 30);
      for (gint i = 0; i < n; i++)
        {
          g_autofree char *name = g_strdup_printf ("s%d", i);
          g_autofree char *peak = g_strdup_printf ("%d", g_rand_int_range (rand, 0, range));
          g_autofree char *seconds = g_strdup_printf ("%d", g_rand_int_range (rand, 0, range));
          setting (ledger, name, peak, seconds, (AssayVerdict) g_rand_int_range (rand, 0, 3));
        }
      g_autoptr(AssayPareto) pareto = assay_pareto_new (ledger);
      g_assert_cmpuint (pareto->groups->len, ==, 1);
      check_against_every_other (pareto->groups->pdata[0]);
    }
}

static void
test_empty_ledger_has_no_group (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  g_autoptr(AssayPareto) pareto = assay_pareto_new (ledger);
  g_assert_cmpuint (pareto->groups->len, ==, 0);
  g_assert_cmpuint (pareto->left_out->len, ==, 0);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
#define ADD(NAME, FUNC) g_test_add_func ("/ledger/pareto/" NAME, FUNC)
  ADD ("only-what-passed-is-on-the-frontier-of-quality", test_only_what_passed_is_on_the_frontier_of_quality);
  ADD ("equal-ones-beat-neither-and-half-equal-ones-do", test_equal_ones_beat_neither_and_half_equal_ones_do);
  ADD ("repeats-are-one-point", test_repeats_are_one_point);
  ADD ("what-is-left-out-says-why", test_what_is_left_out_says_why);
  ADD ("kinds-of-memory-are-apart", test_kinds_of_memory_are_apart);
  ADD ("random-clouds-against-every-pair", test_random_clouds_against_every_pair);
  ADD ("an-empty-ledger-has-no-group", test_empty_ledger_has_no_group);
#undef ADD
  return g_test_run ();
}
