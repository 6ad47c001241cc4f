/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One bad run, one odd value, one newer element: kept, shown, and never in the way of the rest. */
#include <string.h>

#include "ledger-fixture.h"

#define GOOD                                                                                                 \
  "<run "                                                                                                    \
  "id='good'><burden><peak_ram>7</peak_ram></burden><outcome><status>completed</status></outcome></run>"

/* The run `bad` is damaged for a reason that holds `part`; the other run works; a save writes both back as
 * they were. */
static void
isolates (const char *bad, const char *part)
{
  g_autofree char *both = g_strconcat (bad, GOOD, NULL);
  g_autoptr(AssayLedger) ledger = fixture_parse_run (both);
  AssayRecord *first = assay_ledger_get_run (ledger, 0);

  g_assert_cmpuint (assay_ledger_get_n_runs (ledger), ==, 2);
  if (!assay_record_is_damaged (first))
    g_error ("not damaged: %s", bad);
  if (strstr (assay_record_get_damage (first), part) == NULL)
    g_error ("“%s” is not in “%s”", part, assay_record_get_damage (first));
  g_autofree char *place = g_strdup_printf ("(the run begins at byte %zu)", strlen (FIXTURE_HEAD));
  g_assert_nonnull (strstr (assay_record_get_damage (first), place));
  g_assert_false (assay_values_get_integer (first->burden, ASSAY_FIELD_PEAK_RAM, NULL));
  g_assert_true (
      assay_values_get_integer (assay_ledger_get_run (ledger, 1)->burden, ASSAY_FIELD_PEAK_RAM, NULL));
  g_autofree char *saved = fixture_serialize (ledger);
  g_assert_nonnull (strstr (saved, bad));
}

static void
isolates_value (const char *field, const char *value, const char *part)
{
  const AssayFieldInfo *info = assay_field_get_info (assay_field_from_name (field));
  const char *section = assay_group_get_name (info->group);
  g_autofree char *bad
      = g_strdup_printf ("<run id='bad'><burden><peak_ram>1</peak_ram>%s<%s>%s</%s>%s</run>",
                         info->group == ASSAY_GROUP_BURDEN ? "" : "</burden><conditions>", field, value,
                         field, info->group == ASSAY_GROUP_BURDEN ? "</burden>" : "</conditions>");
  g_assert_nonnull (section);
  isolates (bad, part);
}

static void
test_x21_numbers_outside_the_grammar (void)
{
  const char *reals[] = { "1.250,5", "1,000.5", "1e3", "0x10", "NaN", "inf", "\xd9\xa1\xd9\xa2", "+5",
                          " 5",      "5 ",      "",    "5.",   ".5",  "05",  "1.0000000001",     "--1" };
  const char *integers[] = { "1,5", "1.0", "1e3", "0x10", "+5", " 5", "", "05", "1 000" };

  isolates_value ("elapsed_seconds", "11,25", "decimal comma?");
  for (guint i = 0; i < G_N_ELEMENTS (reals); i++)
    isolates_value ("elapsed_seconds", reals[i], "elapsed_seconds");
  for (guint i = 0; i < G_N_ELEMENTS (integers); i++)
    isolates_value ("peak_vram", integers[i], "peak_vram");
  isolates_value ("dtype", "float64", "float32");
  isolates_value ("pipeline_moved_to_cuda", "1", "true");
}

static void
test_x23_numbers_out_of_range (void)
{
  g_autoptr(AssayLedger) ledger = fixture_parse_run (
    "<run id='a'><burden><peak_vram>9007199254740993</peak_vram></burden></run>");
  gint64 value = 0;

  g_assert_true (
      assay_values_get_integer (assay_ledger_get_run (ledger, 0)->burden, ASSAY_FIELD_PEAK_VRAM, &value));
  g_assert_cmpint (value, ==, G_GINT64_CONSTANT (9007199254740993));
  isolates_value ("peak_vram", "-1", "0..");
  isolates_value ("peak_vram", "9223372036854775808", "64 bits");
  isolates_value ("elapsed_seconds", "-3", "0..");
  isolates_value ("context_length", "0", "1..");
  isolates ("<run id='bad'><burden><samples count=\"2\"><column name=\"t_ns\">0 "
            "-5</column></samples></burden></run>",
            "t_ns");
  isolates ("<run id='bad'><burden><samples count=\"2\"><column "
            "name=\"t_ns\">0*9999999</column></samples></burden></run>",
            "t_ns");
  isolates ("<run id='bad'><burden><phase name=\"load\" duration_ns=\"-4\"/></burden></run>", "duration_ns");
}

static void
test_x24_units (void)
{
  isolates ("<run id='bad'><burden><peak_vram unit=\"MiB\">12</peak_vram></burden></run>", "bytes");
  isolates ("<run id='bad'><burden><elapsed_seconds unit=\"ms\">12</elapsed_seconds></burden></run>",
            "seconds");
  g_autoptr(AssayLedger) ledger
    = fixture_parse_run ("<run id='a'><burden><peak_vram unit='bytes'>12</peak_vram></burden></run>");
  g_assert_false (assay_record_is_damaged (assay_ledger_get_run (ledger, 0)));
}

static void
test_contradictions_in_a_run (void)
{
  isolates ("<run id='bad'><burden><peak_ram>1</peak_ram><peak_ram>2</peak_ram></burden></run>", "twice");
  isolates ("<run id='bad'><burden><peak_ram unknown=\"no\">1</peak_ram></burden></run>", "unknown");
  isolates ("<run><burden><peak_ram>1</peak_ram></burden></run>", "id");
}

static AssayRecord *
record_at (const char *started, const char *finished, AssayLedger **ledger)
{
  g_autofree char *run
      = g_strdup_printf ("<run id='a'><burden><started_at>%s</started_at><finished_at>%s</finished_at>"
                         "</burden></run>",
                         started, finished);
  *ledger = fixture_parse_run (run);
  return assay_ledger_get_run (*ledger, 0);
}

/* Run under the leak checker, this is also the test that the first one is let go. */
static void
test_of_a_text_that_comes_twice_the_last_stands (void)
{
  g_autoptr(AssayLedger) ledger = fixture_parse_run (
    "<run id='a'><burden><vram_baseline unit='bytes'>7</vram_baseline><holders>first</holders>"
    "<holders>second</holders></burden>"
    "<review id='r' reviewer='Ana' at='2026-11-30T07:20:11Z'><verdict>pass</verdict><quality_note>first</quality_note>"
    "<quality_note>second</quality_note></review>"
    "<next_trial signal='none' axis='seed' from='1' to='2'><note>first</note><note>second</note></next_trial></run>");
  AssayRecord *record = assay_ledger_get_run (ledger, 0);
  const AssayReview *review = assay_record_get_reviews (record)->pdata[0];
  g_assert_false (assay_record_is_damaged (record));
  g_assert_cmpstr (assay_record_get_baseline_holders (record), ==, "second");
  g_assert_cmpstr (review->quality_note, ==, "second");
  g_assert_cmpstr (assay_record_get_next_trial (record)->note, ==, "second");
}

static void
test_x25_times (void)
{
  const char *good[] = { "2026-11-30T07:14:00Z", "2026-11-30T07:14:00.5+05:30", "2026-11-30T07:14:00-00:00",
                         "2016-12-31T23:59:60Z", "2016-12-31T23:59:59Z", "2038-01-19T03:14:08Z" };
  const char *bad[] = { "2026-11-30T24:00:00Z",
                        "2026-02-30T00:00:00Z",
                        "2026-11-30",
                        "now",
                        "2026-11-30T07:14Z",
                        "20261130T071400Z",
                        "2026-11-30T07:14:00+0530",
                        "" };

  for (guint i = 0; i < G_N_ELEMENTS (good); i++)
    {
      g_autoptr(AssayLedger) ledger = NULL;
      AssayRecord *record = record_at (good[i], "9999-12-31T23:59:59Z", &ledger);
      g_assert_false (assay_record_is_damaged (record));
      g_assert_null (assay_record_get_notices (record)[0]);
    }
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    isolates_value ("started_at", bad[i], "RFC 3339");

  g_autoptr(AssayLedger) ledger = NULL;
  AssayRecord *local = record_at ("2026-11-30T07:14:00", "2026-11-30T07:15:00Z", &ledger);
  g_assert_nonnull (strstr (assay_record_get_notices (local)[0], "local time unknown"));
  g_assert_cmpstr (assay_values_get_text (local->burden, ASSAY_FIELD_STARTED_AT), ==, "2026-11-30T07:14:00");
}

static void
test_x26_clock_set_back (void)
{
  g_autoptr(AssayLedger) ledger = NULL;
  AssayRecord *record = record_at ("2026-11-30T08:00:00+01:00", "2026-11-30T06:59:59Z", &ledger);

  g_assert_false (assay_record_is_damaged (record));
  g_assert_nonnull (strstr (assay_record_get_notices (record)[0], "clock"));
}

static void
test_x16_the_same_run_twice (void)
{
  g_autoptr(AssayLedger) ledger
      = fixture_parse_run (GOOD "<run id='good'>\n<burden>\n <peak_ram "
                                ">7</peak_ram></burden><outcome><status>completed</status></outcome></run>");
  g_assert_cmpuint (assay_ledger_get_n_runs (ledger), ==, 1);
  g_assert_nonnull (strstr (assay_ledger_get_notices (ledger)[0], "good"));
}

static void
test_x17_two_runs_of_one_id (void)
{
  const char *two = GOOD "<run id='good'><burden><peak_ram>8</peak_ram></burden></run>";
  g_autoptr(AssayLedger) ledger = fixture_parse_run (two);
  g_autofree char *saved = fixture_serialize (ledger);
  g_autoptr(AssayLedger) again = fixture_parse (saved);
  gint64 ram;

  for (guint i = 0; i < 2; i++)
    {
      AssayLedger *each = i == 0 ? ledger : again;
      AssayRecord *other = assay_ledger_get_run (each, 1);
      g_assert_cmpuint (assay_ledger_get_n_runs (each), ==, 2);
      g_assert_true (g_str_has_prefix (assay_record_get_id (other), "good-dup-"));
      g_assert_cmpstr (other->duplicate_of, ==, "good");
      g_assert_true (assay_values_get_integer (other->burden, ASSAY_FIELD_PEAK_RAM, &ram));
      g_assert_cmpint (ram, ==, 8);
      g_assert_nonnull (assay_record_get_notices (other)[0]);
    }
  g_assert_cmpstr (assay_record_get_id (assay_ledger_get_run (ledger, 1)), ==,
                   assay_record_get_id (assay_ledger_get_run (again, 1)));
}

#define NEWER_RUN                                                                                            \
  "<run f:colour=\"red\" id=\"a\" mood=\"good &amp; bad\"><!-- one --><conditions><dtype>float32</dtype>"    \
  "<warp_factor>9</warp_factor></conditions><f:extra><f:deep a='1'> x </f:deep></f:extra>"                   \
  "<outcome><status>completed</status></outcome><?keep this?><telemetry>t</telemetry></run>"
#define NEWER                                                                                                \
  "<?xml version=\"1.0\"?>\n<?xml-stylesheet href=\"a.xsl\"?><!-- before -->\n"                              \
  "<ledger xmlns=\"urn:assay:ledger:1\" xmlns:f=\"urn:foreign\" "                                            \
  "xmlns:xi=\"http://www.w3.org/2001/XInclude\" "                                                            \
  "version=\"1.7\" f:a=\"1\" id=\"i\" task=\"language\" theme=\"dark\">"                                     \
  "<f:head/><xi:include href=\"file:///etc/hostname\"/><criteria><feasibility "                              \
  "vram_budget=\"5\"/></criteria><novelty>n</novelty>" NEWER_RUN                                             \
  "<f:between/><run id=\"b\"/><!-- last --></ledger><!-- after -->"

static void
check_in_order (const char *text, const char *const *parts)
{
  for (; *parts != NULL; parts++)
    {
      const char *at = strstr (text, *parts);
      if (at == NULL)
        g_error ("“%s” is missing or out of order", *parts);
      text = at + strlen (*parts);
    }
}

static void
test_x04_x18_newer_elements_survive_a_save (void)
{
  const char *const parts[] = { "<?xml-stylesheet href=\"a.xsl\"?>",
                                "<!-- before -->",
                                "version=\"1.7\"",
                                "f:a=\"1\"",
                                "theme=\"dark\"",
                                "<f:head/>",
                                "<xi:include href=\"file:///etc/hostname\"/>",
                                "<criteria><feasibility vram_budget=\"5\"/></criteria>",
                                "<novelty>n</novelty>",
                                "f:colour=\"red\" id=\"a\" mood=\"good &amp; bad\"",
                                "<!-- one -->",
                                "<warp_factor>9</warp_factor>",
                                "<f:extra><f:deep a='1'> x </f:deep></f:extra>",
                                "<?keep this?>",
                                "<telemetry>t</telemetry>",
                                "<f:between/>",
                                "<run",
                                "id=\"b\"/>",
                                "<!-- last -->",
                                "</ledger>",
                                "<!-- after -->",
                                NULL };
  g_autoptr(AssayLedger) ledger = fixture_parse (NEWER);
  g_autofree char *saved = fixture_serialize (ledger);
  g_autoptr(AssayLedger) again = fixture_parse (saved);
  g_autofree char *twice = fixture_serialize (again);

  g_assert_false (assay_ledger_is_read_only (ledger));
  check_in_order (saved, parts);
  g_assert_cmpstr (saved, ==, twice);
}

static void
test_x18_newer_elements_survive_an_edit (void)
{
  const char *const parts[] = { "id=\"a\"",
                                "f:colour=\"red\"",
                                "mood=\"good &amp; bad\"",
                                "<!-- one -->",
                                "<conditions><dtype>float32</dtype><warp_factor>9</warp_factor></conditions>",
                                "<f:extra><f:deep a='1'> x </f:deep></f:extra>",
                                "<outcome><status>completed</status></outcome>",
                                "<?keep this?>",
                                "<telemetry>t</telemetry>",
                                "<review",
                                "reviewer=\"Ada\"",
                                "<next_trial",
                                NULL };
  g_autoptr(AssayLedger) ledger = fixture_parse (NEWER);
  g_autoptr(AssayReview) review = assay_review_new ("Ada");
  g_autoptr(AssayNextTrial) next = assay_next_trial_new ();
  g_autoptr(GError) error = NULL;

  g_assert_true (assay_ledger_add_review (ledger, "a", review, &error));
  g_assert_no_error (error);
  next->signal = g_strdup ("quality_miss");
  next->axis = g_strdup ("dtype");
  next->from = g_strdup ("float32");
  next->to = g_strdup ("bfloat16");
  g_assert_true (assay_ledger_set_next_trial (ledger, "a", next, &error));
  g_assert_no_error (error);
  assay_ledger_set_title (ledger, "renamed");

  g_autofree char *saved = fixture_serialize (ledger);
  g_autoptr(AssayLedger) again = fixture_parse (saved);
  check_in_order (saved, parts);
  g_assert_nonnull (strstr (saved, "<novelty>n</novelty>"));
  fixture_same_ledgers (ledger, again);
}

static void
test_x18_a_changed_section_keeps_what_it_held (void)
{
  g_autoptr(AssayLedger) ledger = fixture_parse (NEWER);
  g_autoptr(AssayRecord) copy = assay_record_copy (assay_ledger_get_run (ledger, 0));

  assay_values_set_text (assay_record_get_conditions (copy), ASSAY_FIELD_DTYPE, "bfloat16");
  assay_record_seal (copy);
  assay_ledger_replace_run (ledger, copy);
  g_autofree char *saved = fixture_serialize (ledger);
  g_autoptr(AssayLedger) again = fixture_parse (saved);
  fixture_same_ledgers (ledger, again);
  g_assert_nonnull (strstr (saved, "<warp_factor>9</warp_factor>"));
}

static void
test_prefixed_ledger (void)
{
  const char *xml
      = "<l:ledger xmlns:l='urn:assay:ledger:1' xmlns='urn:other' version='1.0' id='i' task='image' "
        "title='p'><note>n</note><l:run id='a'><l:conditions><l:steps>4</l:steps><own/></l:conditions>"
        "</l:run></l:ledger>";
  g_autoptr(AssayLedger) ledger = fixture_parse (xml);
  g_autoptr(AssayReview) review = assay_review_new ("Ada");

  g_assert_cmpuint (assay_ledger_get_n_runs (ledger), ==, 1);
  g_autofree char *saved = fixture_serialize (ledger);
  g_autoptr(AssayLedger) again = fixture_parse (saved);
  fixture_same_ledgers (ledger, again);
  g_assert_nonnull (strstr (saved, "<note xmlns=\"urn:other\">n</note>"));
  g_assert_true (assay_ledger_add_review (ledger, "a", review, NULL));
  g_autofree char *edited = fixture_serialize (ledger);
  g_autoptr(AssayLedger) third = fixture_parse (edited);
  fixture_same_ledgers (ledger, third);
}

static void
test_x34_reordered_and_reindented (void)
{
  const char *a = "<run id='r' parent='good' changed='dtype'><conditions><dtype>float32</dtype></conditions>"
                  "<burden><peak_ram kind='anonymous' unit='bytes'>7</peak_ram></burden></run>";
  const char *b
      = "<run\n changed=\"dtype\"\n parent=\"good\" id=\"r\"  >\n\n   "
        "<conditions>\n<dtype>float&#51;2</dtype>\n"
        "</conditions><!-- c -->\n<burden>\t<peak_ram unit='bytes'\nkind='anonymous'><![CDATA[7]]></peak_ram>"
        "</burden>\n</run>";
  g_autofree char *first = g_strconcat (GOOD, a, NULL), *second = g_strconcat (GOOD, b, NULL);
  g_autoptr(AssayLedger) x = fixture_parse_run (first), y = fixture_parse_run (second);

  fixture_same_ledgers (x, y);
  g_assert_cmpuint (assay_ledger_get_run (x, 1)->checksum, ==, assay_ledger_get_run (y, 1)->checksum);

  /* a saved ledger may be re-indented and stays whole */
  g_autoptr(AssayLedger) ledger = fixture_ledger (1);
  g_autofree char *saved = fixture_serialize (ledger);
  g_auto(GStrv) lines = g_strsplit (saved, "\n  ", -1);
  g_autofree char *indented = g_strjoinv ("\n\n      ", lines);
  g_autoptr(AssayLedger) again = fixture_parse (indented);
  g_assert_false (assay_ledger_is_read_only (again));
  g_assert_false (assay_record_is_damaged (assay_ledger_get_run (again, 0)));
}

static void
test_d18_changed_run_is_isolated (void)
{
  g_autoptr(AssayLedger) ledger = fixture_ledger (2);
  g_autofree char *saved = fixture_serialize (ledger);
  char *digit = strstr (saved, ">1000<");

  digit[1] = '9';
  g_autoptr(AssayLedger) read = fixture_parse (saved);
  g_assert_nonnull (strstr (assay_record_get_damage (assay_ledger_get_run (read, 0)), "checksum"));
  fixture_same_records (assay_ledger_get_run (read, 1), assay_ledger_get_run (ledger, 1));
  digit[1] = '1';
  char *budget = strstr (saved, "4294967296");
  budget[0] = '5';
  g_autoptr(AssayLedger) header = fixture_parse (saved);
  g_assert_nonnull (strstr (assay_ledger_get_read_only_reason (header), "checksum"));
}

static AssayRecord *
reviewed (const char *status, const char *inside, AssayLedger **ledger)
{
  g_autofree char *xml = g_strdup_printf (
      FIXTURE_HEAD "<criteria><quality><criterion id='g' kind='scale'/><criterion id='y' "
                   "kind='yes_no'/></quality></criteria>"
                   "<run id='a'><outcome><status>%s</status></outcome>%s</run>" FIXTURE_TAIL,
      status, inside);
  *ledger = fixture_parse (xml);
  return assay_ledger_get_run (*ledger, 0);
}

#define REVIEW(ID, WHO, SCORE)                                                                               \
  "<review id='" ID "' reviewer='" WHO "' at='2026-01-01T00:00:00Z'>" SCORE "</review>"

static void
test_x35_impossible_reviews_are_left_aside (void)
{
  const char *bad[] = { REVIEW ("1", "A", "<score criterion='g'>11</score>"),
                        REVIEW ("1", "A", "<score criterion='g'>0</score>"),
                        REVIEW ("1", "A", "<score criterion='g'>four</score>"),
                        REVIEW ("1", "A", "<score criterion='y'>2</score>"),
                        REVIEW ("1", "A", "<score criterion='other'>6</score>"),
                        "<review id='1' at='2026-01-01T00:00:00Z'/>",
                        "<review id='1' reviewer='A'/>",
                        "<review id='1' reviewer='A' at='yesterday'/>" };
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr(AssayLedger) ledger = NULL;
      g_autofree char *both = g_strconcat (bad[i], REVIEW ("2", "B", "<score criterion='g'>5</score>"), NULL);
      AssayRecord *record = reviewed ("completed", both, &ledger);
      g_autofree char *saved = fixture_serialize (ledger);
      g_assert_false (assay_record_is_damaged (record));
      g_assert_cmpuint (assay_record_get_reviews (record)->len, ==, 1);
      g_assert_nonnull (strstr (assay_record_get_notices (record)[0], "left aside"));
      g_assert_nonnull (strstr (saved, bad[i]));

      g_autoptr(AssayReview) more = assay_review_new ("C"); /* an edit keeps it as well */
      g_assert_true (assay_ledger_add_review (ledger, "a", more, NULL));
      g_autofree char *edited = fixture_serialize (ledger);
      g_assert_nonnull (strstr (edited, bad[i]));
    }
}

static void
test_x35_which_reviews_count (void)
{
  g_autoptr(AssayLedger) ledger = NULL, failed = NULL;
  AssayRecord *record
      = reviewed ("completed", REVIEW ("1", "A", "") REVIEW ("2", "B", "") REVIEW ("3", "A", ""), &ledger);
  g_autoptr(GPtrArray) current = assay_record_get_current_reviews (record);

  g_assert_cmpuint (assay_record_get_reviews (record)->len, ==, 3);
  g_assert_cmpuint (current->len, ==, 2);
  g_assert_cmpstr (((AssayReview *) g_ptr_array_index (current, 1))->id, ==, "3");

  AssayRecord *rated = reviewed ("oom_device", REVIEW ("1", "A", ""), &failed);
  g_autoptr(GPtrArray) none = assay_record_get_current_reviews (rated);
  g_assert_cmpuint (assay_record_get_reviews (rated)->len, ==, 1);
  g_assert_cmpuint (none->len, ==, 0);
  g_assert_nonnull (strstr (assay_record_get_notices (rated)[0], "do not count"));
}

static void
test_x35_reviews_are_checked_when_added (void)
{
  g_autoptr(AssayLedger) ledger = NULL;
  AssayRecord *record = reviewed ("completed", "", &ledger);
  g_autoptr(AssayReview) review = assay_review_new ("A"), nobody = assay_review_new ("");
  g_autoptr(GError) error = NULL;

  assay_review_set_score (review, "g", NULL, 11);
  g_assert_false (assay_ledger_add_review (ledger, "a", review, &error));
  g_assert_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_VALUE);
  g_clear_error (&error);
  g_assert_false (assay_ledger_add_review (ledger, "a", nobody, &error));
  g_assert_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_VALUE);
  g_clear_error (&error);
  assay_review_set_score (review, "g", NULL, 5);
  g_assert_false (assay_ledger_add_review (ledger, "none", review, &error));
  g_assert_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_NO_SUCH);
  g_assert_true (assay_ledger_get_run (ledger, 0) == record); /* nothing was changed */
  g_assert_false (assay_ledger_is_unsaved (ledger));
}

static void
test_x36_next_trials_that_cannot_be (void)
{
  const char *bad[][2] = {
    { "axis='dtype,steps' from='float32' to='float16'", "more than one" },
    { "axis='offload_mode dtype' from='none' to='model'", "more than one" },
    { "axis='colour' from='a' to='b'", "no axis" },
    { "axis='dtype' from='float32' to='float32'", "nothing changes" },
    { "axis='dtype' to='float32'", "already" },
    { "axis='dtype' from='float16' to='bfloat16'", "not" },
    { "axis='driver' from='1' to='2'", "cannot be chosen" },
    { "from='a' to='b'", "no axis" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autofree char *run = g_strdup_printf ("<run id='a'><conditions><dtype>float32</dtype></conditions>"
                                              "<next_trial signal='too_slow' %s/></run>",
                                              bad[i][0]);
      g_autoptr(AssayLedger) ledger = fixture_parse_run (run);
      AssayRecord *record = assay_ledger_get_run (ledger, 0);
      const AssayNextTrial *next = assay_record_get_next_trial (record);
      g_autoptr(GError) error = NULL;
      g_assert_nonnull (next);
      if (next->invalid == NULL || strstr (next->invalid, bad[i][1]) == NULL)
        g_error ("“%s” is not in “%s”", bad[i][1], next->invalid);
      g_assert_false (assay_ledger_set_next_trial (ledger, "a", (AssayNextTrial *) next, &error));
      g_assert_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_RULE);
    }
}

static void
test_x36_two_next_trials_and_missing_parents (void)
{
  g_autoptr(AssayLedger) two = fixture_parse_run (
    "<run id='a'><next_trial axis='dtype' to='float16'/><next_trial axis='steps' to='4'/></run>");
  g_autoptr(AssayLedger) orphan = fixture_parse_run ("<run id='a' parent='gone'/>");

  g_assert_nonnull (assay_record_get_next_trial (assay_ledger_get_run (two, 0))->invalid);
  g_assert_nonnull (strstr (assay_record_get_notices (assay_ledger_get_run (orphan, 0))[0], "gone"));
}

static void
test_x37_side_files (void)
{
  g_autofree char *folder = fixture_dup_folder ();
  g_autofree char *path = g_build_filename (folder, "big.ledger.xml", NULL);
  g_autofree char *assets = assay_store_dup_assets_path (path);
  g_autofree char *text = g_strnfill (300000, 'x');
  g_autoptr(AssayLedger) ledger = assay_ledger_new (ASSAY_TASK_LANGUAGE, "t");
  g_autoptr(AssayRecord) record = fixture_record_with_output ("r", text, 300000);
  g_autoptr(GError) error = NULL;
  gsize length;

  assay_ledger_add_run (ledger, record);
  g_assert_true (assay_store_save (ledger, path, &error));
  g_assert_no_error (error);
  g_autofree char *xml = fixture_read (path, &length);
  g_assert_cmpuint (length, <, 10000);
  g_autoptr(AssayLedger) again = assay_store_load (path, &error);
  g_assert_no_error (error);
  fixture_same_ledgers (ledger, again);

  g_autoptr(GDir) dir = g_dir_open (assets, 0, NULL);
  g_autofree char *side = g_build_filename (assets, g_dir_read_name (dir), NULL);
  text[5] = 'y';
  fixture_write (side, text, 300000);
  g_autoptr(AssayLedger) changed = assay_store_load (path, &error);
  AssayOutput *output = g_ptr_array_index (assay_record_get_outputs (assay_ledger_get_run (changed, 0)), 0);
  g_assert_true (output->asset_missing);
  g_assert_null (output->text);
  g_assert_nonnull (
      strstr (assay_record_get_notices (assay_ledger_get_run (changed, 0))[0], "missing or was changed"));
  fixture_remove_folder (folder);
}

static void
test_x37_paths_outside_are_refused (void)
{
  const char *names[] = { "../../.ssh/id_rsa", "/etc/passwd", "sha256-..", "a.txt" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *run
          = g_strdup_printf ("<run id='a'><outcome><output asset='%s'/></outcome></run>", names[i]);
      g_autoptr(AssayLedger) ledger = fixture_parse_run (run);
      AssayRecord *record = assay_ledger_get_run (ledger, 0);
      AssayOutput *output = g_ptr_array_index (assay_record_get_outputs (record), 0);
      g_assert_true (output->asset_missing);
      g_assert_nonnull (strstr (assay_record_get_notices (record)[0], names[i]));
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
#define ADD(NAME, FUNC) g_test_add_func ("/ledger/isolation/" NAME, FUNC)
  ADD ("X04-X18-newer-elements-survive-a-save", test_x04_x18_newer_elements_survive_a_save);
  ADD ("X16-the-same-run-twice", test_x16_the_same_run_twice);
  ADD ("X17-two-runs-of-one-id", test_x17_two_runs_of_one_id);
  ADD ("X18-newer-elements-survive-an-edit", test_x18_newer_elements_survive_an_edit);
  ADD ("X18-a-changed-section-keeps-what-it-held", test_x18_a_changed_section_keeps_what_it_held);
  ADD ("X21-numbers-outside-the-grammar", test_x21_numbers_outside_the_grammar);
  ADD ("X23-numbers-out-of-range", test_x23_numbers_out_of_range);
  ADD ("X24-units", test_x24_units);
  ADD ("of-a-text-that-comes-twice-the-last-stands", test_of_a_text_that_comes_twice_the_last_stands);
  ADD ("X25-times", test_x25_times);
  ADD ("X26-clock-set-back", test_x26_clock_set_back);
  ADD ("X34-reordered-and-reindented", test_x34_reordered_and_reindented);
  ADD ("X35-impossible-reviews-are-left-aside", test_x35_impossible_reviews_are_left_aside);
  ADD ("X35-which-reviews-count", test_x35_which_reviews_count);
  ADD ("X35-reviews-are-checked-when-added", test_x35_reviews_are_checked_when_added);
  ADD ("X36-next-trials-that-cannot-be", test_x36_next_trials_that_cannot_be);
  ADD ("X36-two-next-trials-and-missing-parents", test_x36_two_next_trials_and_missing_parents);
  ADD ("X37-side-files", test_x37_side_files);
  ADD ("X37-paths-outside-are-refused", test_x37_paths_outside_are_refused);
  ADD ("D18-changed-run-is-isolated", test_d18_changed_run_is_isolated);
  ADD ("contradictions-in-a-run", test_contradictions_in_a_run);
  ADD ("prefixed-ledger", test_prefixed_ledger);
  return g_test_run ();
}
