/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is written is read back the same, by us and by another parser. */
#include <locale.h>
#include <string.h>

#include "assay-text-code.h"
#include "ledger-fixture.h"

static void
test_everything_comes_back (void)
{
  g_autoptr(AssayLedger) ledger = fixture_ledger (3);
  g_autofree char *xml = fixture_serialize (ledger);
  g_autoptr(AssayLedger) again = fixture_parse (xml);
  g_autofree char *same = fixture_serialize (again);

  fixture_same_ledgers (ledger, again);
  g_assert_cmpstr (xml, ==, same);
  g_assert_cmpstr (assay_ledger_get_notices (again)[0], ==, NULL);
  g_assert_false (assay_ledger_is_read_only (again));
}

static void
check_output (const char *bytes, gsize length)
{
  g_autoptr(AssayLedger) ledger = assay_ledger_new (ASSAY_TASK_LANGUAGE, "t");
  g_autoptr(AssayRecord) record = fixture_record_with_output ("r", bytes, length);

  assay_ledger_add_run (ledger, record);
  g_autofree char *xml = fixture_serialize (ledger);
  g_autoptr(AssayLedger) again = fixture_parse (xml);
  fixture_same_ledgers (ledger, again);

  /* The other parser sees the same once the escapes are undone. */
  g_autofree char *seen = fixture_second_parser_text (xml, strlen (xml), "output", 0);
  const char *tag = strstr (xml, "<output");
  const gboolean escaped = memmem (tag, (gsize) (strchr (tag, '>') - tag), "escaped", 7) != NULL;
  gsize n = strlen (seen);
  g_autofree char *plain = escaped ? assay_text_unescape (seen, n, &n) : g_strdup (seen);
  g_assert_cmpmem (plain, n, bytes, length);
}

static void
test_x27_control_characters (void)
{
  static const char text[] = "\x1b[31mred\x1b[0m \a\b\0 nul \xef\xbf\xbe \xef\xbf\xbf end";
  check_output (text, sizeof text - 1);
}

static void
test_x28_broken_utf8 (void)
{
  static const char text[] = "\xed\xa0\x80 \xff\xfe caf\xe9 \xf0\x9f\x98";
  check_output (text, sizeof text - 1);
}

static void
test_x29_markup_in_text (void)
{
  const char *text = "]]> --> <? ?> &#x0; &amp;amp; <run> \\x41 \\\\ &lol;";
  check_output (text, strlen (text));
}

static void
test_x30_blanks_and_line_ends (void)
{
  const char *texts[]
      = { "\r\n a \r b \n", "   ", "\n", "\t", "", "  lead and trail  ", "\xc2\x85 \xe2\x80\xa8", "\\\n" };
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    check_output (texts[i], strlen (texts[i]));
}

static void
test_x30_blanks_in_attributes (void)
{
  g_autoptr(AssayLedger) ledger = assay_ledger_new (ASSAY_TASK_LANGUAGE, " a\tb\nc\r\"'<&>\x1b &#38; ");
  g_autofree char *xml = fixture_serialize (ledger);
  g_autoptr(AssayLedger) again = fixture_parse (xml);
  g_assert_cmpstr (assay_ledger_get_title (again), ==, assay_ledger_get_title (ledger));
}

static void
test_x31_lines_stay_short (void)
{
  g_autofree char *text = g_strnfill (200000, '&');
  g_autofree char *title = g_strnfill (9000, '"');
  g_autoptr(AssayLedger) ledger = assay_ledger_new (ASSAY_TASK_LANGUAGE, title);
  g_autoptr(AssayRecord) record = fixture_record_with_output ("r", text, 200000);

  assay_ledger_add_run (ledger, record);
  g_autofree char *xml = fixture_serialize (ledger);
  for (const char *p = xml; *p != '\0';)
    {
      const gsize line = strcspn (p, "\n");
      g_assert_cmpuint (line, <=, 4096);
      p += line + (p[line] == '\n');
    }
  check_output (text, 200000);
}

/* Free-text fields: an output, a prompt, a note, a title, a reviewer, a reason. */
static void
random_round (GRand *rand, gboolean second)
{
  char bytes[6][48];
  gsize length[6];

  for (guint i = 0; i < 6; i++)
    {
      length[i] = (gsize) g_rand_int_range (rand, 1, 48);
      for (gsize k = 0; k < length[i]; k++)
        bytes[i][k] = (char) g_rand_int_range (rand, i == 0 ? 0 : 1, 256); /* only outputs hold zero bytes */
      bytes[i][length[i] - (i > 0)] = i > 0 ? '\0' : bytes[i][length[i] - 1];
    }
  g_autoptr(AssayLedger) ledger = assay_ledger_new (ASSAY_TASK_LANGUAGE, bytes[1]);
  g_autoptr(AssayRecord) base = fixture_record_with_output ("r", bytes[0], length[0]);
  g_autoptr(AssayRecord) record = assay_record_copy (base);
  AssayReview *review = g_ptr_array_index (assay_record_get_reviews (record), 0);
  g_free (review->quality_note);
  review->quality_note = g_strdup (bytes[2]);
  g_free (review->reviewer);
  review->reviewer = g_strconcat ("r", bytes[3], NULL);
  assay_values_set_text (assay_record_get_conditions (record), ASSAY_FIELD_PROMPT, bytes[4]);
  assay_values_set_unknown (assay_record_get_burden (record), ASSAY_FIELD_PEAK_RAM, bytes[5]);
  assay_record_seal (record);
  assay_ledger_add_run (ledger, record);

  g_autofree char *xml = fixture_serialize (ledger);
  g_autoptr(AssayLedger) again = fixture_parse (xml);
  fixture_same_ledgers (ledger, again);
  if (!second)
    return;
  g_autofree char *note = fixture_second_parser_text (xml, strlen (xml), "quality_note", 0);
  g_assert_nonnull (note);
}

static void
test_random_bytes_come_back (void)
{
  const guint32 seed = (guint32) g_test_rand_int ();
  g_autoptr(GRand) rand = g_rand_new_with_seed (seed);

  g_test_message ("seed %u", seed);
  for (guint i = 0; i < 10000; i++)
    random_round (rand, TRUE);
}

static void
test_values_keep_three_states (void)
{
  g_autoptr(AssayLedger) ledger = fixture_parse_run (
    "<run id='a'><conditions><prompt></prompt></conditions>"
    "<burden><peak_vram unknown='no NVML'/><peak_ram>0</peak_ram></burden></run>");
  AssayRecord *run = assay_ledger_get_run (ledger, 0);
  gint64 ram = -1;

  g_assert_cmpstr (assay_values_get_text (run->conditions, ASSAY_FIELD_PROMPT), ==, "");
  g_assert_cmpint (assay_values_get_state (run->conditions, ASSAY_FIELD_MODEL_ID), ==, ASSAY_VALUE_UNSET);
  g_assert_cmpint (assay_values_get_state (run->burden, ASSAY_FIELD_PEAK_VRAM), ==, ASSAY_VALUE_UNKNOWN);
  g_assert_cmpstr (assay_values_get_reason (run->burden, ASSAY_FIELD_PEAK_VRAM), ==, "no NVML");
  g_assert_true (assay_values_get_integer (run->burden, ASSAY_FIELD_PEAK_RAM, &ram));
  g_assert_cmpint (ram, ==, 0);
}

static void
test_series_is_thinned_without_losing_peaks (void)
{
  g_autoptr(AssayRecord) record = assay_record_new ();
  AssaySeries *series = fixture_series (5000);
  g_autoptr(AssayLedger) ledger = assay_ledger_new (ASSAY_TASK_LANGUAGE, "t");
  AssaySample spike
      = { .t_ns = G_GINT64_CONSTANT (5001) * 20000123, .allocated = { 1 << 30, 0, 0, 0, 0, 0 } };
  AssaySample peak;

  assay_series_append (series, &spike);
  assay_record_take_series (record, series);
  assay_record_seal (record);
  assay_ledger_add_run (ledger, record);
  g_autofree char *xml = fixture_serialize (ledger);
  g_autoptr(AssayLedger) again = fixture_parse (xml);
  AssaySeries *kept = assay_record_get_series (assay_ledger_get_run (again, 0));
  g_assert_cmpuint (assay_series_get_length (kept), ==, ASSAY_SERIES_KEPT);
  g_assert_cmpuint (assay_series_get_n_measured (kept), ==, 5001);
  g_assert_true (assay_series_get_peak (kept, &peak));
  g_assert_cmpint (peak.allocated[ASSAY_MEMORY_WEIGHTS], ==, 1 << 30);
  g_assert_cmpint (peak.t_ns, ==, spike.t_ns);
  g_assert_cmpuint (strlen (xml), <, 40000);
}

/* Our namespace becomes the default when it is written: what stood there without one says so, and text stays text. */
static void
test_foreign_bytes_in_a_ledger_with_a_prefix (void)
{
  g_autoptr(AssayLedger) ledger = fixture_parse (
    "<l:ledger xmlns:l='urn:assay:ledger:1' version='1.0' id='i' task='image'><_x/><l:run id='a'></l:run>tt</l:ledger>");
  assay_ledger_set_title (ledger, "changed");
  g_autofree char *saved = fixture_serialize (ledger);
  g_assert_nonnull (strstr (saved, "<_x xmlns=\"\"/>\n"));
  g_assert_nonnull (strstr (saved, "  tt\n"));
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ledger/round-trip/everything-comes-back", test_everything_comes_back);
  g_test_add_func ("/ledger/round-trip/X27-control-characters", test_x27_control_characters);
  g_test_add_func ("/ledger/round-trip/X28-broken-utf8", test_x28_broken_utf8);
  g_test_add_func ("/ledger/round-trip/X29-markup-in-text", test_x29_markup_in_text);
  g_test_add_func ("/ledger/round-trip/X30-blanks-and-line-ends", test_x30_blanks_and_line_ends);
  g_test_add_func ("/ledger/round-trip/X30-blanks-in-attributes", test_x30_blanks_in_attributes);
  g_test_add_func ("/ledger/round-trip/X31-lines-stay-short", test_x31_lines_stay_short);
  g_test_add_func ("/ledger/round-trip/random-bytes-come-back", test_random_bytes_come_back);
  g_test_add_func ("/ledger/round-trip/values-keep-three-states", test_values_keep_three_states);
  g_test_add_func ("/ledger/round-trip/series-is-thinned-without-losing-peaks",
                   test_series_is_thinned_without_losing_peaks);
  g_test_add_func ("/ledger/round-trip/foreign-bytes-in-a-ledger-with-a-prefix",
                   test_foreign_bytes_in_a_ledger_with_a_prefix);
  return g_test_run ();
}
