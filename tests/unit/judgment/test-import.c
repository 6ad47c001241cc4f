/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plain records: read strictly, and the same text after a round trip. */
#include "assay-export.h"
#include "assay-store.h"
#include "judgment.h"

static AssayRecord *
import_one (const char *text)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) records = assay_import_key_value (text, -1, "t.txt", &error);
  g_assert_no_error (error);
  g_assert_cmpuint (records->len, ==, 1);
  g_assert_true (assay_record_is_sealed (records->pdata[0]));
  return g_object_ref (records->pdata[0]);
}

static void
assert_refused (const char *text, int code, const char *words)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) records = assay_import_key_value (text, -1, "t.txt", &error);
  g_assert_null (records);
  g_assert_error (error, ASSAY_LEDGER_ERROR, code);
  if (strstr (error->message, words) == NULL)
    g_error ("'%s' does not say '%s'", error->message, words);
}

static char *
export_all (GPtrArray *records)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  g_autoptr(GError) error = NULL;
  for (guint i = 0; i < records->len; i++)
    assay_ledger_add_run (ledger, records->pdata[i]);
  char *text = assay_export_ledger (ledger, NULL, ASSAY_EXPORT_KEY_VALUE, &error);
  g_assert_no_error (error);
  return text;
}

/* The section's own form, as a person fills it in. */
static const char section_record[] =
  "run_id: 2026-11-30-a\n"
  "model_id: SmolLM2-135M-Instruct\n"
  "model_revision:\n"
  "weight_format: gguf\n"
  "dtype: float32\n"
  "quantization: Q4_1\n"
  "runtime: native\n"
  "device: cpu\n"
  "offload_mode: none\n"
  "offload_api:\n"
  "pipeline_moved_to_cuda: false\n"
  "device_map:\n"
  "attached_components:\n"
  "input_size:\n"
  "context_length: 2048\n"
  "width:\n"
  "height:\n"
  "batch_size: 1\n"
  "steps:\n"
  "peak_vram:\n"
  "peak_ram: 157286400\n"
  "elapsed_seconds: 9.25\n"
  "status: completed\n"
  "quality_note: right, if short\n"
  "next_trial: try a longer context\n";

static void
test_section_record_reads (void)
{
  g_autoptr(AssayRecord) record = import_one (section_record);
  gint64 integer;
  double real;
  gboolean moved;
  g_assert_cmpstr (assay_record_get_id (record), ==, "2026-11-30-a");
  g_assert_cmpint (assay_record_get_status (record), ==, ASSAY_STATUS_COMPLETED);
  const AssayValues *conditions = assay_record_get_conditions (record);
  g_assert_true (assay_values_get_integer (conditions, ASSAY_FIELD_CONTEXT_LENGTH, &integer)
                 && integer == 2048);
  g_assert_true (assay_values_get_boolean (conditions, ASSAY_FIELD_PIPELINE_MOVED_TO_CUDA, &moved) && !moved);
  g_assert_cmpint (assay_values_get_state (conditions, ASSAY_FIELD_DEVICE_MAP), ==, ASSAY_VALUE_UNSET);
  const AssayValues *burden = assay_record_get_burden (record);
  g_assert_cmpint (assay_values_get_state (burden, ASSAY_FIELD_PEAK_VRAM), ==, ASSAY_VALUE_UNSET);
  g_assert_true (assay_values_get_real (burden, ASSAY_FIELD_ELAPSED_SECONDS, &real) && real == 9.25);
  g_assert_cmpuint (assay_record_get_reviews (record)->len, ==, 1);
  const AssayReview *review = assay_record_get_reviews (record)->pdata[0];
  g_assert_cmpstr (review->quality_note, ==, "right, if short");
  g_assert_cmpint (review->verdict, ==, ASSAY_VERDICT_NOT_JUDGED);
  g_assert_cmpstr (assay_record_get_next_trial (record)->note, ==, "try a longer context");
  g_assert_nonnull (assay_record_get_next_trial (record)->invalid);
}

static gboolean
is_of_other_tasks (const char *line)
{
  return g_str_equal (line, "width:") || g_str_equal (line, "height:") || g_str_equal (line, "steps:");
}

static void
test_section_record_is_written_back (void)
{
  g_autoptr(GPtrArray) records = assay_import_key_value (section_record, -1, "t", NULL);
  g_autofree char *text = export_all (records);
  g_auto(GStrv) lines = g_strsplit (section_record, "\n", -1);
  for (guint i = 0; lines[i] != NULL && *lines[i] != '\0'; i++)
    {
      g_autofree char *line = g_strconcat ("\n", lines[i], "\n", NULL);
      g_autofree char *padded = g_strconcat ("\n", text, NULL);
      if ((strstr (padded, line) == NULL) != is_of_other_tasks (lines[i]))
        g_error ("'%s' is not in, or needlessly in\n%s", lines[i], text);
    }
  g_assert_nonnull (strstr (text, "\ngate_quality: not judged\n"));
}

static void
test_line_ends_bom_and_missing_newline (void)
{
  static const char *const texts[]
      = { "model_id: m\nstatus: completed\n", "model_id: m\r\nstatus: completed\r\n",
          "\xef\xbb\xbfmodel_id: m\nstatus: completed", "# a note\n\n\n model_id :  m \nstatus:completed\n\n",
          "\xef\xbb\xbfmodel_id: m\r\nstatus: completed\r" };
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr(AssayRecord) record = import_one (texts[i]);
      g_assert_cmpstr (assay_values_get_text (assay_record_get_conditions (record), ASSAY_FIELD_MODEL_ID), ==,
                       "m");
      g_assert_cmpint (assay_record_get_status (record), ==, ASSAY_STATUS_COMPLETED);
    }
}

static void
test_empty_line_parts_records (void)
{
  g_autoptr(GPtrArray) records = assay_import_key_value ("run_id: a\n\n\nrun_id: b\n", -1, "t", NULL);
  g_assert_cmpuint (records->len, ==, 2);
  g_assert_cmpstr (assay_record_get_id (records->pdata[1]), ==, "b");
}

static void
test_missing_run_id_gets_one (void)
{
  g_autoptr(AssayRecord) record = import_one ("run_id:\nmodel_id: m\n");
  g_assert_cmpint (strlen (assay_record_get_id (record)), >, 0);
}

static void
test_sizes (void)
{
  static const struct
  {
    const char *text;
    gint64 bytes;
  } rows[] = { { "499MiB", 523239424 },
               { "499 MiB", 523239424 },
               { "1.5GiB", 1610612736 },
               { "1.5GB", 1500000000 },
               { "12 kB", 12000 },
               { "523239424", 523239424 },
               { "7 B", 7 },
               { "0", 0 } };
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *line = g_strdup_printf ("peak_vram: %s\n", rows[i].text);
      g_autoptr(AssayRecord) record = import_one (line);
      gint64 bytes = -1;
      g_assert_true (
          assay_values_get_integer (assay_record_get_burden (record), ASSAY_FIELD_PEAK_VRAM, &bytes));
      g_assert_cmpint (bytes, ==, rows[i].bytes);
    }
}

static void
test_sizes_that_read_two_ways_are_refused (void)
{
  static const char *const texts[]
      = { "109Mb", "4G", "512m", "1,5 GB", "1,5", "499mib", "1.5GB-ish",           "12 Mb/s",        "0x10",
          "1e3",   "-5", "+5",   "NaN",    "inf", "٣",      "9223372036854775808", "99999999999 TiB" };
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autofree char *line = g_strdup_printf ("model_id: m\npeak_vram: %s\n", texts[i]);
      assert_refused (line, ASSAY_LEDGER_ERROR_VALUE, "t.txt, line 2: peak_vram");
    }
}

static void
test_unknown_key_names_its_line (void)
{
  assert_refused ("run_id: a\nmodel: m\n", ASSAY_LEDGER_ERROR_FORMAT, "t.txt, line 2: unknown key “model”");
  assert_refused ("gate_beauty: pass\n", ASSAY_LEDGER_ERROR_FORMAT, "gate_beauty");
  assert_refused ("requested.peak_vram: 3\n", ASSAY_LEDGER_ERROR_FORMAT, "requested.peak_vram");
  assert_refused ("requested.nonsense: 3\n", ASSAY_LEDGER_ERROR_FORMAT, "requested.nonsense");
  assert_refused ("model_id.measure: kind=x\n", ASSAY_LEDGER_ERROR_FORMAT, "model_id.measure");
  assert_refused ("left_to_engine: seed, peak_vram\n", ASSAY_LEDGER_ERROR_FORMAT, "peak_vram");
}

static void
test_other_defects_are_refused (void)
{
  assert_refused ("", ASSAY_LEDGER_ERROR_FORMAT, "no record");
  assert_refused ("\n\n# only a note\n", ASSAY_LEDGER_ERROR_FORMAT, "no record");
  assert_refused ("just words\n", ASSAY_LEDGER_ERROR_FORMAT, "line 1: “just words”");
  assert_refused ("model_id: a\nmodel_id: b\n", ASSAY_LEDGER_ERROR_FORMAT,
                  "line 2: “model_id” a second time");
  assert_refused ("run_id: a\n\nrun_id: a\n", ASSAY_LEDGER_ERROR_FORMAT, "repeats run_id a");
  assert_refused ("model_id: caf\xe9\n", ASSAY_LEDGER_ERROR_FORMAT, "line 1: byte 14 is not UTF-8");
  assert_refused ("model_path: C:\\models\n", ASSAY_LEDGER_ERROR_FORMAT, "backslash");
  assert_refused ("model_id: a\\x00b\n", ASSAY_LEDGER_ERROR_FORMAT, "backslash");
  assert_refused ("status: finished\n", ASSAY_LEDGER_ERROR_VALUE, "finished");
  assert_refused ("run_id: two words\n", ASSAY_LEDGER_ERROR_VALUE, "run_id");
  assert_refused ("gate_quality: good\n", ASSAY_LEDGER_ERROR_VALUE, "gate_quality");
  assert_refused ("run_id: unknown\n", ASSAY_LEDGER_ERROR_VALUE, "run_id");
  assert_refused ("peak_ram.measure: kind=a\npeak_ram: 3\n", ASSAY_LEDGER_ERROR_FORMAT, "must come before");
  assert_refused ("peak_ram: 3\npeak_ram.measure: nonsense\n", ASSAY_LEDGER_ERROR_VALUE, "peak_ram.measure");
}

static void
test_nul_byte_is_refused (void)
{
  g_autoptr(GError) error = NULL;
  static const char text[] = "model_id: a\0b\n";
  g_assert_null (assay_import_key_value (text, sizeof text - 1, "t.txt", &error));
  g_assert_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_FORMAT);
}

static void
test_states_survive (void)
{
  g_autoptr(AssayRecord) record
      = import_one ("prompt: \"\"\nsystem_prompt:\ndriver: unknown: no GPU here\nmodel_id: \\x75nknown\n"
                    "peak_vram: unknown\ntop_k: 0\n");
  const AssayValues *conditions = assay_record_get_conditions (record);
  gint64 zero = -1;
  g_assert_cmpstr (assay_values_get_text (conditions, ASSAY_FIELD_PROMPT), ==, "");
  g_assert_cmpint (assay_values_get_state (conditions, ASSAY_FIELD_SYSTEM_PROMPT), ==, ASSAY_VALUE_UNSET);
  g_assert_cmpstr (assay_values_get_reason (conditions, ASSAY_FIELD_DRIVER), ==, "no GPU here");
  g_assert_cmpstr (assay_values_get_text (conditions, ASSAY_FIELD_MODEL_ID), ==, "unknown");
  g_assert_true (assay_values_get_integer (conditions, ASSAY_FIELD_TOP_K, &zero) && zero == 0);
  g_assert_cmpint (assay_values_get_state (assay_record_get_burden (record), ASSAY_FIELD_PEAK_VRAM), ==,
                   ASSAY_VALUE_UNKNOWN);
}

/* Round trips */

static AssayRecord *
full_record (void)
{
  AssayRecord *record = judgment_run (
      "20261130T071400Z-3f2a9c", ASSAY_STATUS_OOM_DEVICE, "model_id", "m", "context_length", "8192",
      "effective.context_length", "4096", "seed", "-1", "effective.seed", "9223372036854775807",
      "effective.threads", "4", "effective.driver", "?none", "temperature", "0.1", "peak_vram", "0",
      "elapsed_seconds", "0.000000001", "peak_ram", "?no /proc", "error", "no memory", NULL);
  const AssayMeasure measure
      = { .kind = "allocated", .source = "a; b=c\\d\ne", .interval_ns = 20000000, .n_samples = 312 };
  assay_values_set_measure (assay_record_get_burden (record), ASSAY_FIELD_PEAK_VRAM, &measure);
  assay_record_set_parent (record, "20261129T071400Z-000000", "context_length");
  AssayNextTrial *next = assay_next_trial_new ();
  static const char *const held[] = { "model_id", "evaluation_criterion", NULL };
  g_free (next->signal);
  g_free (next->axis);
  next->signal = g_strdup ("oom_device");
  next->axis = g_strdup ("context_length");
  next->from = g_strdup ("4096");
  next->to = g_strdup ("2048");
  next->note = g_strdup ("half; it=might \\ do\nor not");
  g_strfreev (next->held);
  next->held = g_strdupv ((char **) held);
  assay_record_take_next_trial (record, next);
  judgment_review (record, "Ana", ASSAY_VERDICT_NOT_JUDGED)->quality_note = g_strdup ("nothing\nto see");
  judgment_output (record, "q1", "part");
  assay_record_seal (record);
  return record;
}

static void
test_full_record_round_trip (void)
{
  g_autoptr(GPtrArray) records = g_ptr_array_new_with_free_func (g_object_unref);
  g_ptr_array_add (records, full_record ());
  g_autofree char *first = export_all (records);
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) back = assay_import_key_value (first, -1, "t", &error);
  g_assert_no_error (error);
  AssayRecord *a = records->pdata[0], *b = back->pdata[0];
  g_assert_cmpstr (assay_record_get_id (a), ==, assay_record_get_id (b));
  g_assert_cmpstr (assay_record_get_parent (b), ==, "20261129T071400Z-000000");
  g_assert_cmpstr (assay_record_get_changed (b), ==, "context_length");
  g_assert_true (assay_values_equal (assay_record_get_conditions (a), assay_record_get_conditions (b)));
  g_assert_true (assay_values_equal (assay_record_get_effective (a), assay_record_get_effective (b)));
  g_assert_true (assay_values_equal (assay_record_get_burden (a), assay_record_get_burden (b)));
  g_assert_true (assay_values_equal (assay_record_get_outcome (a), assay_record_get_outcome (b)));
  const AssayMeasure *measure = assay_values_get_measure (assay_record_get_burden (b), ASSAY_FIELD_PEAK_VRAM);
  g_assert_cmpstr (measure->source, ==, "a; b=c\\d\ne");
  g_assert_cmpuint (measure->n_samples, ==, 312);
  const AssayNextTrial *next = assay_record_get_next_trial (b);
  g_assert_cmpstr (next->axis, ==, "context_length");
  g_assert_cmpstr (next->to, ==, "2048");
  g_assert_cmpstr (next->note, ==, "half; it=might \\ do\nor not");
  g_assert_cmpuint (g_strv_length (next->held), ==, 2);
  g_assert_cmpstr (next->held[1], ==, "evaluation_criterion");
  /* the note of a run that left output is its own; without output it is kept and not current */
  g_assert_cmpstr (((AssayReview *)assay_record_get_reviews (b)->pdata[0])->quality_note, ==,
                   "nothing\nto see");
}

static void
test_imported_records_are_kept_by_a_ledger (void)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) records = assay_import_key_value (section_record, -1, "t", &error);
  g_assert_no_error (error);
  g_ptr_array_add (records, full_record ());
  g_autofree char *before = export_all (records);
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  for (guint i = 0; i < records->len; i++)
    assay_ledger_add_run (ledger, records->pdata[i]);
  g_autoptr(GBytes) xml = assay_store_serialize (ledger, &error);
  g_assert_no_error (error);
  g_autoptr(AssayLedger) back = assay_store_parse (xml, "t.ledger.xml", &error);
  g_assert_no_error (error);
  g_autofree char *after = assay_export_ledger (back, NULL, ASSAY_EXPORT_KEY_VALUE, &error);
  g_assert_cmpstr (before, ==, after);
}

static char *
hostile_text (GRand *rand)
{
  static const char *const pieces[] = { "\n",
                                        "\r\n",
                                        ": ",
                                        "unknown",
                                        "unknown:",
                                        "\"\"",
                                        "\\",
                                        "\\n",
                                        "\\x41",
                                        " ",
                                        "\t",
                                        "#",
                                        "\x1b[31m",
                                        "\x7f",
                                        "\xff",
                                        "\xed\xa0\x80",
                                        "é",
                                        "한",
                                        "\xf0\x9f\x98\x80",
                                        "=",
                                        ";",
                                        "run_id: x",
                                        "\xe2\x80\xa8",
                                        "\xef\xbb\xbf",
                                        "a",
                                        "\x01" };
  GString *text = g_string_new (NULL);
  for (guint n = g_rand_int_range (rand, 0, 9); n > 0; n--)
    g_string_append (text, pieces[g_rand_int_range (rand, 0, G_N_ELEMENTS (pieces))]);
  return g_string_free (text, FALSE);
}

static void
test_hostile_text_round_trip (void)
{
  const guint32 seed = g_test_rand_int ();
  g_autoptr(GRand) rand = g_rand_new_with_seed (seed);
  g_test_message ("seed %u", seed);
  for (guint i = 0; i < 2000; i++)
    {
      g_autofree char *text = hostile_text (rand);
      g_autofree char *reason = hostile_text (rand);
      g_autoptr(GPtrArray) records = g_ptr_array_new_with_free_func (g_object_unref);
      AssayRecord *record = judgment_run ("r", ASSAY_STATUS_UNKNOWN, NULL);
      assay_values_set_text (assay_record_get_conditions (record), ASSAY_FIELD_PROMPT, text);
      assay_values_set_unknown (assay_record_get_conditions (record), ASSAY_FIELD_DRIVER, reason);
      assay_values_set_text (assay_record_get_effective (record), ASSAY_FIELD_DEVICE_NAME, text);
      judgment_review (record, "Ana", ASSAY_VERDICT_NOT_JUDGED)->quality_note = g_strdup (text);
      assay_record_seal (record);
      g_ptr_array_add (records, record);
      g_autofree char *first = export_all (records);
      g_autoptr(GError) error = NULL;
      g_autoptr(GPtrArray) back = assay_import_key_value (first, -1, "t", &error);
      g_assert_no_error (error);
      g_assert_cmpuint (back->len, ==, 1);
      g_assert_cmpstr (
          assay_values_get_text (assay_record_get_conditions (back->pdata[0]), ASSAY_FIELD_PROMPT), ==, text);
      g_assert_cmpstr (
          assay_values_get_reason (assay_record_get_conditions (back->pdata[0]), ASSAY_FIELD_DRIVER), ==,
          reason);
      g_autofree char *second = export_all (back);
      g_assert_cmpstr (first, ==, second);
    }
}

static void
test_random_bytes_never_crash (void)
{
  const guint32 seed = g_test_rand_int ();
  g_autoptr(GRand) rand = g_rand_new_with_seed (seed);
  g_test_message ("seed %u", seed);
  for (guint i = 0; i < 3000; i++)
    {
      g_autoptr(GString) text = g_string_new (section_record);
      for (guint n = g_rand_int_range (rand, 1, 6); n > 0; n--)
        text->str[g_rand_int_range (rand, 0, text->len)] = (char) g_rand_int_range (rand, 0, 256);
      g_autoptr(GError) error = NULL;
      g_autoptr(GPtrArray) records = assay_import_key_value (text->str, text->len, "t", &error);
      g_assert_true ((records == NULL) == (error != NULL));
    }
}

static void
test_verdicts_that_are_let_go_are_told (void)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) records = assay_import_key_value (
    "status: completed\ngate_quality: pass\n\nstatus: completed\ngate_quality: not judged\ngate_operation:\n", -1, "t",
    &error);
  g_assert_no_error (error);
  g_assert_cmpuint (records->len, ==, 2);
  const char *const *told = assay_record_get_notices (records->pdata[0]);
  g_assert_nonnull (told[0]);
  g_assert_nonnull (strstr (told[0], "judged anew"));
  g_assert_null (told[1]);
  const char *const *silent = assay_record_get_notices (records->pdata[1]);
  g_assert_true (silent == NULL || silent[0] == NULL);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ledger/import/section-record-reads", test_section_record_reads);
  g_test_add_func ("/ledger/import/section-record-is-written-back", test_section_record_is_written_back);
  g_test_add_func ("/ledger/import/line-ends-bom-and-missing-newline",
                   test_line_ends_bom_and_missing_newline);
  g_test_add_func ("/ledger/import/empty-line-parts-records", test_empty_line_parts_records);
  g_test_add_func ("/ledger/import/missing-run-id-gets-one", test_missing_run_id_gets_one);
  g_test_add_func ("/ledger/import/C26-sizes-with-units", test_sizes);
  g_test_add_func ("/ledger/import/C26-sizes-that-read-two-ways-are-refused",
                   test_sizes_that_read_two_ways_are_refused);
  g_test_add_func ("/ledger/import/unknown-key-names-its-line", test_unknown_key_names_its_line);
  g_test_add_func ("/ledger/import/other-defects-are-refused", test_other_defects_are_refused);
  g_test_add_func ("/ledger/import/nul-byte-is-refused", test_nul_byte_is_refused);
  g_test_add_func ("/ledger/import/unset-unknown-empty-and-zero-survive", test_states_survive);
  g_test_add_func ("/ledger/import/full-record-round-trip", test_full_record_round_trip);
  g_test_add_func ("/ledger/import/imported-records-are-kept-by-a-ledger",
                   test_imported_records_are_kept_by_a_ledger);
  g_test_add_func ("/ledger/import/hostile-text-round-trip", test_hostile_text_round_trip);
  g_test_add_func ("/ledger/import/random-bytes-never-crash", test_random_bytes_never_crash);
  g_test_add_func ("/ledger/import/verdicts-that-are-let-go-are-told", test_verdicts_that_are_let_go_are_told);
  return g_test_run ();
}
