/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values as text and back; series; records; times. */
#include <math.h>
#include <string.h>

#include "assay-timestamp.h"
#include "assay-values-private.h"
#include "ledger-fixture.h"

static void
test_fields_are_found_by_name (void)
{
  for (guint i = 0; i < ASSAY_N_FIELDS; i++)
    {
      const AssayFieldInfo *info = assay_field_get_info ((AssayFieldId) i);
      g_assert_cmpuint (info->id, ==, i);
      g_assert_cmpuint (assay_field_from_name (info->name), ==, i);
      g_assert_cmpuint (strlen (info->label), >, 0);
      g_assert_cmpuint (strlen (info->help), >, 0);
      g_assert_true ((assay_field_get_choices ((AssayFieldId)i) != NULL)
                     == (info->type == ASSAY_VALUE_TYPE_CHOICE));
      if (info->section == ASSAY_SECTION_ENVIRONMENT && info->axis != ASSAY_AXIS_NONE)
        g_assert_true (assay_axis_is_hidden (info->axis));
    }
  g_assert_cmpuint (assay_field_from_name ("nothing"), ==, ASSAY_FIELD_INVALID);
  g_assert_cmpuint (assay_field_from_name (NULL), ==, ASSAY_FIELD_INVALID);
  for (guint i = 1; i < ASSAY_N_AXES; i++)
    g_assert_cmpuint (assay_axis_from_name (assay_axis_get_name ((AssayAxis) i)), ==, i);
  g_assert_cmpuint (assay_axis_from_name ("context_length"), ==, ASSAY_AXIS_INPUT_SCALE);
}

static void
test_unset_unknown_and_set_stay_apart (void)
{
  g_autoptr(AssayValues) values = assay_values_new ();
  const AssayFieldId field = ASSAY_FIELD_PEAK_VRAM;
  gint64 out = 5;

  g_assert_cmpint (assay_values_get_state (values, field), ==, ASSAY_VALUE_UNSET);
  g_assert_null (assay_values_dup_text (values, field));
  assay_values_set_unknown (values, field, "why");
  g_assert_cmpint (assay_values_get_state (values, field), ==, ASSAY_VALUE_UNKNOWN);
  g_assert_false (assay_values_get_integer (values, field, &out));
  g_assert_cmpint (out, ==, 5);
  assay_values_set_integer (values, field, 0);
  g_assert_true (assay_values_get_integer (values, field, &out));
  g_assert_cmpint (out, ==, 0);
  g_assert_null (assay_values_get_reason (values, field));
  assay_values_unset (values, field);
  g_assert_cmpint (assay_values_get_state (values, field), ==, ASSAY_VALUE_UNSET);
  assay_values_set_text (values, ASSAY_FIELD_PROMPT, "");
  g_assert_cmpstr (assay_values_get_text (values, ASSAY_FIELD_PROMPT), ==, "");
}

static void
test_fields_are_compared_by_what_they_hold (void)
{
  const AssayMeasure measure = { "allocated", "allocator", 20000000, 42 };
  g_autoptr(AssayValues) a = assay_values_new (), b = assay_values_new ();
  g_assert_true (assay_values_equal_in (a, b, ASSAY_FIELD_PEAK_VRAM));
  assay_values_set_unknown (a, ASSAY_FIELD_PEAK_VRAM, "no NVML");
  g_assert_true (assay_values_equal_in (a, b, ASSAY_FIELD_PEAK_VRAM));
  assay_values_set_integer (b, ASSAY_FIELD_PEAK_VRAM, 0);
  g_assert_false (assay_values_equal_in (a, b, ASSAY_FIELD_PEAK_VRAM));
  assay_values_set_integer (a, ASSAY_FIELD_PEAK_VRAM, 0);
  assay_values_set_measure (a, ASSAY_FIELD_PEAK_VRAM, &measure);
  g_assert_true (assay_values_equal_in (a, b, ASSAY_FIELD_PEAK_VRAM));
  assay_values_set_text (a, ASSAY_FIELD_MODEL_ID, "one");
  assay_values_set_text (b, ASSAY_FIELD_MODEL_ID, "other");
  g_assert_false (assay_values_equal_in (a, b, ASSAY_FIELD_MODEL_ID));
  assay_values_set_real (a, ASSAY_FIELD_TEMPERATURE, 0.7);
  assay_values_set_real (b, ASSAY_FIELD_TEMPERATURE, 0.7);
  g_assert_true (assay_values_equal_in (a, b, ASSAY_FIELD_TEMPERATURE));
}

static void
test_copies_are_apart (void)
{
  g_autoptr(AssayRecord) record = fixture_record ("r", 3);
  AssayValues *burden = assay_record_get_burden (record);
  g_autoptr(AssayValues) copy = assay_values_copy (burden);

  g_assert_true (assay_values_equal (burden, copy));
  assay_values_set_integer (copy, ASSAY_FIELD_PEAK_VRAM, 4);
  g_assert_false (assay_values_equal (burden, copy));
  assay_values_set_integer (copy, ASSAY_FIELD_PEAK_VRAM, 3);
  g_assert_true (assay_values_equal (burden, copy)); /* the measure stayed with it */
  assay_values_set_measure (copy, ASSAY_FIELD_PEAK_VRAM, &(AssayMeasure){ "reserved", NULL, 0, 0 });
  g_assert_false (assay_values_equal (burden, copy));
}

static void
test_sealed_records_do_not_change (void)
{
  g_autoptr(AssayRecord) record = fixture_record ("r", 3);

  g_test_expect_message ("assay", G_LOG_LEVEL_CRITICAL, "*values_is_writable*");
  assay_values_set_integer (assay_record_get_burden (record), ASSAY_FIELD_PEAK_VRAM, 4);
  g_test_assert_expected_messages ();
  g_test_expect_message ("assay", G_LOG_LEVEL_CRITICAL, "*sealed*");
  assay_record_set_id (record, "other");
  g_test_assert_expected_messages ();
  g_assert_cmpstr (assay_record_get_id (record), ==, "r");
}

static void
test_reals_read_back_to_the_bit (void)
{
  const double numbers[]
      = { 0, 1, -1, 0.1, 1.0 / 3, 1e-7, 1.2345e-300, 1e22, 1.7976931348623157e308, 123456789.125 };
  g_autoptr(GRand) rand = g_rand_new_with_seed (7);

  for (guint i = 0; i < 20000; i++)
    {
      const double value = i < G_N_ELEMENTS (numbers)
                               ? numbers[i]
                               : ldexp (g_rand_double (rand), g_rand_int_range (rand, -60, 60));
      g_autofree char *text = assay_format_real (value);
      g_assert_null (strpbrk (text, "eE,+"));
      g_assert_cmpfloat (g_ascii_strtod (text, NULL), ==, value);
    }
}

static void
test_seconds_are_exact_to_the_nanosecond (void)
{
  g_autoptr(AssayValues) values = assay_values_new ();
  g_autoptr(AssayValues) again = assay_values_new ();
  g_autoptr(GRand) rand = g_rand_new_with_seed (8);

  for (guint i = 0; i < 20000; i++)
    {
      assay_values_set_real (values, ASSAY_FIELD_ELAPSED_SECONDS,
                             g_rand_double_range (rand, 0, i % 2 == 0 ? 10 : 1e6));
      g_autofree char *text = assay_values_dup_text (values, ASSAY_FIELD_ELAPSED_SECONDS);
      g_assert_true (assay_values_parse (again, ASSAY_FIELD_ELAPSED_SECONDS, text, NULL));
      g_assert_true (assay_values_equal (values, again));
    }
  assay_values_set_real (values, ASSAY_FIELD_ELAPSED_SECONDS, 1.5);
  g_autofree char *text = assay_values_dup_text (values, ASSAY_FIELD_ELAPSED_SECONDS);
  g_assert_cmpstr (text, ==, "1.5");
}

static void
test_what_people_type (void)
{
  const struct { AssayFieldId field; const char *typed, *file;
  } good[] = {
    { ASSAY_FIELD_VRAM_BUDGET, "4GiB", "4294967296" },
    { ASSAY_FIELD_VRAM_BUDGET, " 512 MiB ", "536870912" },
    { ASSAY_FIELD_VRAM_BUDGET, "1.5 gib", "1610612736" },
    { ASSAY_FIELD_VRAM_BUDGET, "1 MB", "1000000" },
    { ASSAY_FIELD_VRAM_BUDGET, "77", "77" },
    { ASSAY_FIELD_LINK_BANDWIDTH, "16 GiB/s", "17179869184" },
    { ASSAY_FIELD_TIME_LIMIT_SECONDS, "90", "90" },
    { ASSAY_FIELD_TIME_LIMIT_SECONDS, "4 min 05 s", "245" },
    { ASSAY_FIELD_TIME_LIMIT_SECONDS, "1.5 h", "5400" },
    { ASSAY_FIELD_TIME_LIMIT_SECONDS, "250ms", "0.25" },
    { ASSAY_FIELD_SAMPLE_INTERVAL_MS, "0.2 s", "200" },
    { ASSAY_FIELD_PIPELINE_MOVED_TO_CUDA, "yes", "true" },
    { ASSAY_FIELD_SEED, "-1", "-1" },
    { ASSAY_FIELD_PROMPT, " as it is ", " as it is " },
  };
  const struct { AssayFieldId field; const char *typed;
  } bad[] = {
    { ASSAY_FIELD_VRAM_BUDGET, "4 apples" },
    { ASSAY_FIELD_VRAM_BUDGET, "GiB" },
    { ASSAY_FIELD_VRAM_BUDGET, "4,5 GiB" },
    { ASSAY_FIELD_VRAM_BUDGET, "-1" },
    { ASSAY_FIELD_VRAM_BUDGET, "1.2.3 GiB" },
    { ASSAY_FIELD_THREADS, "0" },
    { ASSAY_FIELD_THREADS, "4 threads" },
    { ASSAY_FIELD_TEMPERATURE, "0,7" },
    { ASSAY_FIELD_DTYPE, "float99" },
    { ASSAY_FIELD_TIME_LIMIT_SECONDS, "soon" },
    { ASSAY_FIELD_VRAM_BUDGET, "99999999 TiB" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (good); i++)
    {
      g_autoptr(AssayValues) values = assay_values_new ();
      g_autoptr(GError) error = NULL;
      assay_values_parse_user (values, good[i].field, good[i].typed, &error);
      g_assert_no_error (error);
      g_autofree char *text = assay_values_dup_text (values, good[i].field);
      g_assert_cmpstr (text, ==, good[i].file);
    }
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr(AssayValues) values = assay_values_new ();
      g_autoptr(GError) error = NULL;
      g_assert_false (assay_values_parse_user (values, bad[i].field, bad[i].typed, &error));
      g_assert_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_VALUE);
      g_assert_nonnull (strstr (error->message, assay_field_get_info (bad[i].field)->name));
      g_assert_cmpint (assay_values_get_state (values, bad[i].field), ==, ASSAY_VALUE_UNSET);
    }
}

static void
test_sizes_and_times_for_people (void)
{
  const struct { guint64 bytes; const char *text;
  } sizes[] = {
    { 0, "0 B" },
    { 999, "999 B" },
    { 1024, "1.00 KiB" },
    { 1010 * 1024, "0.986 MiB" },
    { 4294967296, "4.00 GiB" },
    { G_GUINT64_CONSTANT (4155380858), "3.87 GiB" },
    { 104857600, "100 MiB" },
    { G_MAXUINT64, "16.0 EiB" },
  };
  const struct { double seconds; const char *text;
  } times[] = {
    { 0, "0.00 s" },       { 1.234, "1.23 s" },         { 59.99, "59.99 s" },  { 59.999, "1 min 00 s" },
    { 245, "4 min 05 s" }, { 3725, "1 h 02 min 05 s" }, { 0.0123, "12.3 ms" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_autofree char *text = assay_format_bytes (sizes[i].bytes);
      g_assert_cmpstr (text, ==, sizes[i].text);
    }
  for (guint i = 0; i < G_N_ELEMENTS (times); i++)
    {
      g_autofree char *text = assay_format_seconds (times[i].seconds);
      g_assert_cmpstr (text, ==, times[i].text);
    }
}

static void
test_instants (void)
{
  gint64 a, b;

  g_assert_cmpint (assay_timestamp_parse ("1970-01-01T00:00:00Z", &a), ==, ASSAY_TIMESTAMP_VALID);
  g_assert_cmpint (a, ==, 0);
  g_assert_cmpint (assay_timestamp_parse ("2026-11-30T12:44:00.25+05:30", &a), ==, ASSAY_TIMESTAMP_VALID);
  g_assert_cmpint (assay_timestamp_parse ("2026-11-30T07:14:00.25Z", &b), ==, ASSAY_TIMESTAMP_VALID);
  g_assert_cmpint (a, ==, b);
  g_autoptr(GDateTime) time = g_date_time_new_utc (2026, 11, 30, 7, 14, 0.25);
  g_assert_cmpint (b / G_USEC_PER_SEC, ==, g_date_time_to_unix (time));
}

static void
test_series_joins_without_losing_a_peak (void)
{
  g_autoptr(AssaySeries) series = assay_series_new (1000);
  AssaySample out;
  const guint n = ASSAY_SERIES_LIMIT + 5001;

  for (guint i = 0; i < n; i++)
    {
      AssaySample sample = { .t_ns = i, .allocated = { 1, 2, 3, 4, 5, 6 }, .ram_anonymous = 10 };
      if (i == 77777)
        sample.allocated[ASSAY_MEMORY_KV_CACHE] = 1000000;
      if (i == 200001)
        sample.ram_anonymous = 2000000;
      assay_series_append (series, &sample);
    }
  g_assert_cmpuint (assay_series_get_n_measured (series), ==, n);
  g_assert_cmpuint (assay_series_get_length (series), <=, ASSAY_SERIES_LIMIT);
  g_autoptr(GArray) samples = assay_series_dup_samples (series);
  gint64 kv = 0, ram = 0;
  for (guint i = 0; i < samples->len; i++)
    {
      const AssaySample *sample = &g_array_index (samples, AssaySample, i);
      g_assert_true (i == 0 || sample->t_ns > g_array_index (samples, AssaySample, i - 1).t_ns);
      kv = MAX (kv, sample->allocated[ASSAY_MEMORY_KV_CACHE]);
      ram = MAX (ram, sample->ram_anonymous);
    }
  g_assert_cmpint (kv, ==, 1000000);
  g_assert_cmpint (ram, ==, 2000000);
  g_assert_true (assay_series_get_peak (series, &out));
  g_assert_cmpint (out.t_ns, ==, 77777);

  g_autoptr(GArray) few = assay_series_dup_downsampled (series, 0, n, 100);
  g_assert_cmpuint (few->len, ==, 100);
  gboolean found = FALSE;
  for (guint i = 0; i < few->len; i++)
    found = found || (g_array_index (few, AssaySample, i).t_ns == 77777
                      && g_array_index (few, AssaySample, i).allocated[ASSAY_MEMORY_KV_CACHE] == 1000000);
  g_assert_true (found);
  g_assert_true (assay_series_get_at (series, 1000, &out));
  g_assert_cmpint (out.t_ns, <=, 1000);
  g_assert_false (assay_series_get_at (series, -1, &out));
}

static void
test_phases_follow_each_other (void)
{
  g_autoptr(AssaySeries) series = assay_series_new (1000);
  const AssaySample sample = { .t_ns = 15, .ram_anonymous = 100, .ram_pinned = 20 };

  assay_series_begin_phase (series, "load", 0);
  assay_series_begin_phase (series, "prompt", 10);
  assay_series_append (series, &sample);
  assay_series_end_phase (series, 30, 777);
  assay_series_end_phase (series, 40, 1); /* nothing is open: nothing happens */
  g_autoptr(GPtrArray) phases = assay_series_dup_phases (series);
  const AssayPhase *load = g_ptr_array_index (phases, 0), *prompt = g_ptr_array_index (phases, 1);
  g_assert_cmpuint (phases->len, ==, 2);
  g_assert_cmpint (load->duration_ns, ==, 10);
  g_assert_cmpint (prompt->duration_ns, ==, 20);
  g_assert_cmpint (prompt->peak_allocated, ==, 777);
  g_assert_cmpint (prompt->peak_ram, ==, 120);
  g_assert_cmpint (assay_series_get_end_ns (series), ==, 30);
}

static void
test_ledger_is_a_list (void)
{
  g_autoptr(AssayLedger) ledger = fixture_ledger (3);
  g_autoptr(AssayRecord) replacement = fixture_record ("run-1", 99);
  g_autoptr(AssayLedger) snapshot = NULL;

  snapshot = assay_ledger_snapshot (ledger);
  assay_ledger_replace_run (ledger, replacement);
  g_assert_true (assay_ledger_find_run (ledger, "run-1") == replacement);
  g_assert_true (assay_ledger_get_run (ledger, 1) == replacement);
  g_assert_true (assay_ledger_remove_run (ledger, "run-0"));
  g_assert_false (assay_ledger_remove_run (ledger, "run-0"));
  g_assert_true (assay_ledger_get_run (ledger, 0) == replacement);
  g_assert_cmpuint (assay_ledger_get_n_runs (snapshot), ==, 3);
  g_assert_true (assay_ledger_find_run (snapshot, "run-1") != replacement);
  g_assert_nonnull (assay_ledger_find_question (ledger, "q1"));
}

static void
test_effective_values_win (void)
{
  g_autoptr(AssayRecord) record = fixture_record ("r", 1);
  gint64 context = 0;

  g_assert_true (assay_values_get_integer (assay_record_get_values_for (record, ASSAY_FIELD_CONTEXT_LENGTH),
                                           ASSAY_FIELD_CONTEXT_LENGTH, &context));
  g_assert_cmpint (context, ==, 4096);
  g_assert_cmpstr (assay_values_get_text (assay_record_get_values_for (record, ASSAY_FIELD_QUALITY_NOTE),
                                          ASSAY_FIELD_QUALITY_NOTE),
                   ==, "fine\n");
  g_assert_nonnull (
      strstr (assay_values_get_text (assay_record_get_values_for (record, ASSAY_FIELD_NEXT_TRIAL),
                                     ASSAY_FIELD_NEXT_TRIAL),
              "offload_mode none → model"));
}

/* What interned strings of GLib 2.74 cannot do: the same text made and dropped on several threads. */
static gpointer
make_and_drop (gpointer unused)
{
  for (guint i = 0; i < 20000; i++)
    {
      g_autoptr(AssayValues) values = assay_values_new ();
      assay_values_set_text (values, ASSAY_FIELD_DEVICE, "cpu");
      assay_values_set_unknown (values, ASSAY_FIELD_PEAK_VRAM, "no memory of its own");
      if (g_strcmp0 (assay_values_get_text (values, ASSAY_FIELD_DEVICE), "cpu") != 0)
        return GINT_TO_POINTER (1);
    }
  return NULL;
}

static void
test_threads_may_use_the_same_text (void)
{
  GThread *threads[4];
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("values", make_and_drop, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_assert_null (g_thread_join (threads[i]));
}

static void
test_zero_of_a_limit_reads_no_limit (void)
{
  static const struct { AssayFieldId field; const char *text, *display; } rows[] = {
    { ASSAY_FIELD_TIME_LIMIT_SECONDS, "0", "no limit" }, { ASSAY_FIELD_TIME_LIMIT_SECONDS, "2", "2.00 s" },
    { ASSAY_FIELD_VRAM_BUDGET, "0", "no limit" },        { ASSAY_FIELD_PEAK_VRAM, "0", "0 B" },
    { ASSAY_FIELD_ELAPSED_SECONDS, "0", "0.00 s" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr(AssayValues) values = assay_values_new ();
      g_assert_true (assay_values_parse (values, rows[i].field, rows[i].text, NULL));
      g_autofree char *display = assay_values_dup_display (values, rows[i].field);
      g_autofree char *file = assay_values_dup_text (values, rows[i].field);
      g_assert_cmpstr (display, ==, rows[i].display);
      g_assert_cmpstr (file, ==, rows[i].text);
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
#define ADD(NAME, FUNC) g_test_add_func ("/ledger/values/" NAME, FUNC)
  ADD ("fields-are-found-by-name", test_fields_are_found_by_name);
  ADD ("unset-unknown-and-set-stay-apart", test_unset_unknown_and_set_stay_apart);
  ADD ("threads-may-use-the-same-text", test_threads_may_use_the_same_text);
  ADD ("fields-are-compared-by-what-they-hold", test_fields_are_compared_by_what_they_hold);
  ADD ("copies-are-apart", test_copies_are_apart);
  ADD ("sealed-records-do-not-change", test_sealed_records_do_not_change);
  ADD ("reals-read-back-to-the-bit", test_reals_read_back_to_the_bit);
  ADD ("seconds-are-exact-to-the-nanosecond", test_seconds_are_exact_to_the_nanosecond);
  ADD ("what-people-type", test_what_people_type);
  ADD ("sizes-and-times-for-people", test_sizes_and_times_for_people);
  ADD ("instants", test_instants);
  ADD ("series-joins-without-losing-a-peak", test_series_joins_without_losing_a_peak);
  ADD ("phases-follow-each-other", test_phases_follow_each_other);
  ADD ("ledger-is-a-list", test_ledger_is_a_list);
  ADD ("effective-values-win", test_effective_values_win);
  g_test_add_func ("/ledger/values/zero-of-a-limit-reads-no-limit", test_zero_of_a_limit_reads_no_limit);
  return g_test_run ();
}
