/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A ledger whose runs are read by several threads says what it says to one. The other suites ask it of all they read or
 * refuse, see fixture_reads_apart(); here is what could mislead the search for the runs. */
#include <string.h>

#include "ledger-fixture.h"

#define RUN(ID) "<run id='" ID "'><burden><peak_ram>7</peak_ram></burden></run>"

static void
reads_apart (const char *xml)
{
  if (!fixture_reads_apart (xml, strlen (xml)))
    g_error ("left to one pass: %s", xml);
}

static void
reads_body_apart (const char *body)
{
  g_autofree char *xml = g_strconcat (FIXTURE_HEAD, body, FIXTURE_TAIL, NULL);
  reads_apart (xml);
}

static void
leaves_body_to_one_pass (const char *body)
{
  g_autofree char *xml = g_strconcat (FIXTURE_HEAD, body, FIXTURE_TAIL, NULL);
  if (fixture_reads_apart (xml, strlen (xml)))
    g_error ("read by threads: %s", xml);
}

static void
test_whole_ledgers (void)
{
  for (guint n = 1; n < 60; n += 1 + n / 4)
    {
      g_autoptr(AssayLedger) ledger = fixture_ledger (n);
      g_autofree char *xml = fixture_serialize (ledger);
      reads_apart (xml);
    }
}

static void
test_what_looks_like_a_run (void)
{
  reads_body_apart (RUN ("a") "<!-- " RUN ("b") " -->" RUN ("c"));
  reads_body_apart (RUN ("a") "<!-- <run --><x><![CDATA[</run><run>]]></x>" RUN ("c"));
  reads_body_apart (RUN ("a") "<?p <run id='b'> ?>" RUN ("c"));
  reads_body_apart (RUN ("a") "<x><run id='b'/><run>" RUN ("c") "</run></x>" RUN ("d"));
  reads_body_apart (RUN ("a") "<x y='>&lt;run>' z=\"/>\">" RUN ("b") "</x>" RUN ("c"));
  reads_body_apart ("<run id='a'><run id='b'><run/></run></run>" RUN ("c"));
  reads_body_apart ("<run id='a' x='/>'><outcome><output>&lt;/run></output></outcome></run >" RUN ("b"));
  reads_body_apart ("<run\n id='a'\n><!-- </run> --><![CDATA[</run>]]></run\n>" RUN ("b"));
  reads_body_apart ("<runs>" RUN ("a") "</runs><run id='b'/><rerun></rerun>" RUN ("c"));
}

static void
test_namespaces (void)
{
  reads_body_apart ("<run xmlns='urn:other' id='a'><b/></run>" RUN ("b"));
  reads_body_apart ("<o:run xmlns:o='urn:other' id='a'><b/></o:run>" RUN ("b"));
  reads_body_apart ("<l:run xmlns:l='urn:assay:ledger:1' id='a'><l:burden/></l:run>" RUN ("b"));
  reads_body_apart ("<run id='a'><conditions xmlns:q='urn:q' q:x='1'/><x xmlns=''/></run>" RUN ("b"));
  reads_apart ("<l:ledger xmlns:l='urn:assay:ledger:1' xmlns:o='urn:other' version='1.0' id='i' task='image'>"
               "<l:run id='a'><l:burden><l:peak_ram>7</l:peak_ram></l:burden></l:run>"
               "<o:run id='b'><o:burden/></o:run><run id='c'><burden/></run></l:ledger>");
  reads_apart ("<ledger xmlns='urn:assay:ledger:3' version='3.1' id='i' task='other'>" RUN ("a") "</ledger>");
  leaves_body_to_one_pass (RUN ("a") "<q:run id='b'></q:run>" RUN ("c"));
}

static void
test_what_stands_between_runs (void)
{
  reads_body_apart ("<!-- first --><other/>" RUN ("a") "\n  " RUN ("b") "<x/>text<!-- c -->\n" RUN ("c") "<last/>end");
  reads_body_apart ("<planned id='p'><conditions><seed>4</seed></conditions></planned>" RUN ("a") RUN ("b")
                    "<removed run='z' at='2026-11-30T07:20:11Z'/><planned/><preference/><criteria/>" RUN ("c"));
  reads_body_apart (RUN ("a") RUN ("a") "<run id='a'><burden><peak_ram>8</peak_ram></burden></run>");
  reads_body_apart (RUN ("a") "<run id='b'><burden><peak_ram>x</peak_ram></burden></run><run></run>" RUN ("c"));
  reads_body_apart (RUN ("a") "<run id='b' parent='a' checksum='fnv1a64:0000000000000000'></run>" RUN ("c"));
}

static void
test_what_is_not_well_formed (void)
{
  leaves_body_to_one_pass (RUN ("a") "<run id='b'></burden></run>" RUN ("c"));
  leaves_body_to_one_pass (RUN ("a") "<run id='b'></ruin>" RUN ("c"));
  leaves_body_to_one_pass (RUN ("a") "<run id='b' id='b'></run>" RUN ("c"));
  leaves_body_to_one_pass (RUN ("a") "<run id='b'><x></run></x>" RUN ("c"));
  leaves_body_to_one_pass (RUN ("a") "<!-- -- <run></run> -->" RUN ("c"));
  leaves_body_to_one_pass (RUN ("a") "<x y='<run>'></x>" RUN ("c"));
  leaves_body_to_one_pass (RUN ("a") "<run id='b'>&nothing;</run>" RUN ("c"));
  leaves_body_to_one_pass (RUN ("a") "<run/ >" RUN ("b") "</run>" RUN ("c"));
  leaves_body_to_one_pass (RUN ("a") "</ledger><ledger>" RUN ("b"));
  leaves_body_to_one_pass (RUN ("a") "</ledger>" RUN ("b") "<ledger>" RUN ("c"));
  leaves_body_to_one_pass ("<run id='a'></run x='1'>" RUN ("b"));
}

/* Words of markup strung together at random: far more of what is nearly right than damage brings. */
static void
test_random_words (void)
{
  static const char *const words[]
      = { "<run>", "<run id='a'>", "</run>", "<run/>", "<run id='b' xmlns='urn:x'>", "<l:run>", "</l:run>", "<x>", "</x>",
          "<!--", "-->", "<![CDATA[", "]]>", "<?p ", "?>", "'", "\"", ">", "/>", "</", "<", " ", "t", "</ledger>",
          "<ledger>", "<x y='", "<x y=\"", "<burden>", "</burden>", RUN ("c"), RUN ("d"), RUN ("e") };
  const guint32 seed = (guint32) g_test_rand_int ();
  g_autoptr(GRand) rand = g_rand_new_with_seed (seed);
  guint n_read = 0;

  g_test_message ("seed %u", seed);
  for (guint round = 0; round < 6000; round++)
    {
      g_autoptr(GString) xml = g_string_new (FIXTURE_HEAD);
      for (gint n = g_rand_int_range (rand, 1, 9); n > 0; n--)
        g_string_append (xml, words[g_rand_int_range (rand, 0, G_N_ELEMENTS (words))]);
      g_string_append (xml, FIXTURE_TAIL);
      n_read += fixture_reads_apart (xml->str, xml->len);
    }
  g_assert_cmpuint (n_read, >, 0);
}

/* Large enough for the threads to be asked: what is wrong is told as ever, with its place in the whole file. */
static void
test_large_files (void)
{
  g_autofree char *text = g_strnfill (30000, 'x');
  g_autoptr(AssayLedger) ledger = fixture_ledger (0);
  for (guint i = 0; i < 160; i++)
    {
      g_autofree char *id = g_strdup_printf ("run-%u", i), *unlike = g_strdup_printf ("%u %s", i, text);
      g_autoptr(AssayRecord) record = fixture_record_with_output (id, unlike, strlen (unlike));
      assay_ledger_add_run (ledger, record);
    }
  g_autofree char *xml = fixture_serialize (ledger);
  const gsize length = strlen (xml);
  reads_apart (xml);
  g_autoptr(AssayLedger) read = fixture_parse (xml);
  fixture_same_ledgers (ledger, read);

  char *last = g_strrstr (xml, "</run>");
  last[2] = 'b';
  g_autofree char *place = g_strdup_printf ("byte %zu", (gsize) (last - xml) + strlen ("</bun>"));
  fixture_refuses (xml, (gssize) length, ASSAY_LEDGER_ERROR_FORMAT, place);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
#define ADD(NAME, FUNC) g_test_add_func ("/ledger/apart/" NAME, FUNC)
  ADD ("whole-ledgers", test_whole_ledgers);
  ADD ("what-looks-like-a-run", test_what_looks_like_a_run);
  ADD ("namespaces", test_namespaces);
  ADD ("what-stands-between-runs", test_what_stands_between_runs);
  ADD ("what-is-not-well-formed", test_what_is_not_well_formed);
  ADD ("random-words", test_random_words);
  ADD ("large-files", test_large_files);
  return g_test_run ();
}
