/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ledgers that should not be: what is refused whole, and that the message says where. */
#include <glib/gstdio.h>
#include <string.h>
#include <sys/resource.h>

#include "ledger-fixture.h"

#define RUN "<run id='a'><conditions><dtype>float32</dtype></conditions></run>"

static void
refuse_with_doctype (const char *doctype, const char *body)
{
  g_autofree char *xml
      = g_strconcat (doctype, "<ledger xmlns='urn:assay:ledger:1' version='1.0' task='language' id='i'>",
                     body, "</ledger>", NULL);
  fixture_refuses (xml, -1, ASSAY_LEDGER_ERROR_FORMAT, "DOCTYPE");
}

static void
test_x01_external_entity (void)
{
  refuse_with_doctype ("<?xml version='1.0'?><!DOCTYPE l [<!ENTITY x SYSTEM 'file:///etc/hostname'>]>",
                       "<run id='a'><conditions><prompt>&x;</prompt></conditions></run>");
}

static void
test_x02_entity_bombs (void)
{
  g_autofree char *big = g_strnfill (100000, 'x');
  g_autofree char *quadratic = g_strdup_printf ("<!DOCTYPE l [<!ENTITY a '%s'>]>", big);
  GString *uses = g_string_new (NULL);
  struct rusage before, after;

  for (guint i = 0; i < 10000; i++)
    g_string_append (uses, "&a;");
  getrusage (RUSAGE_SELF, &before);
  const gint64 start = g_get_monotonic_time ();
  refuse_with_doctype ("<!DOCTYPE l [<!ENTITY a 'lol'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;'>"
                       "<!ENTITY c '&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;'><!ENTITY d '&c;&c;&c;&c;&c;&c;&c;&c;'>]>",
                       "<run id='a'>&d;</run>");
  refuse_with_doctype (quadratic, uses->str);
  getrusage (RUSAGE_SELF, &after);
  g_assert_cmpint (g_get_monotonic_time () - start, <, G_USEC_PER_SEC);
  g_assert_cmpint (after.ru_maxrss - before.ru_maxrss, <, 32 * 1024);
  g_string_free (uses, TRUE);
}

static void
test_x03_external_subsets (void)
{
  refuse_with_doctype ("<!DOCTYPE l SYSTEM 'http://127.0.0.1:1/l.dtd'>", "");
  refuse_with_doctype ("<!DOCTYPE l SYSTEM 'file:///etc/passwd'>", "");
  refuse_with_doctype ("<!DOCTYPE l [<!ENTITY % p SYSTEM 'file:///etc/passwd'> %p;]>", "");
  refuse_with_doctype ("<!doctype l>", "");
}

static void
test_x05_huge_texts (void)
{
  const gsize sizes[] = { 10000001, 30000000 };
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_autofree char *text = g_strnfill (sizes[i], 'a');
      g_autofree char *xml = g_strconcat (FIXTURE_HEAD "<run id='a'><conditions><prompt>", text,
                                          "</prompt></conditions></run>" FIXTURE_TAIL, NULL);
      g_autofree char *size = g_strdup_printf ("%" G_GSIZE_FORMAT, sizes[i]);
      fixture_refuses (xml, -1, ASSAY_LEDGER_ERROR_FORMAT, size);
    }
}

static void
test_x06_huge_constructs (void)
{
  g_autofree char *text = g_strnfill (10000100, 'a');
  const char *around[][2] = {
    { "<!--", "-->" }, { "<run id='", "'/>" }, { "<run id='a'><![CDATA[", "]]></run>" }, { "<?a ", "?>" }
  };
  for (guint i = 0; i < G_N_ELEMENTS (around); i++)
    {
      g_autofree char *xml = g_strconcat (FIXTURE_HEAD, around[i][0], text, around[i][1], FIXTURE_TAIL, NULL);
      fixture_refuses (xml, -1, ASSAY_LEDGER_ERROR_FORMAT, "10000000");
    }
}

static void
test_x07_depth (void)
{
  const guint depths[] = { 257, 1000000 };
  for (guint i = 0; i < G_N_ELEMENTS (depths); i++)
    {
      GString *xml = g_string_new (FIXTURE_HEAD);
      for (guint k = 0; k < depths[i]; k++)
        g_string_append (xml, "<a>");
      for (guint k = 0; k < depths[i]; k++)
        g_string_append (xml, "</a>");
      g_string_append (xml, FIXTURE_TAIL);
      fixture_refuses (xml->str, -1, ASSAY_LEDGER_ERROR_FORMAT, "deep");
      g_string_free (xml, TRUE);
    }
}

static void
test_x08_attributes_namespaces_names (void)
{
  GString *xml = g_string_new (FIXTURE_HEAD "<run id='a'");
  const gint64 start = g_get_monotonic_time ();

  for (guint i = 0; i < 1000000; i++)
    g_string_append_printf (xml, " a%u='1'", i);
  g_string_append (xml, "/>" FIXTURE_TAIL);
  fixture_refuses (xml->str, -1, ASSAY_LEDGER_ERROR_FORMAT, "attributes");
  g_string_assign (xml, FIXTURE_HEAD "<run id='a'");
  for (guint i = 0; i < 100000; i++)
    g_string_append_printf (xml, " xmlns:n%u='urn:%u'", i, i);
  g_string_append (xml, "/>" FIXTURE_TAIL);
  fixture_refuses (xml->str, -1, ASSAY_LEDGER_ERROR_FORMAT, "attributes");
  g_string_assign (xml, FIXTURE_HEAD "<");
  for (guint i = 0; i < 60000; i++)
    g_string_append_c (xml, 'n');
  g_string_append (xml, "/>" FIXTURE_TAIL);
  fixture_refuses (xml->str, -1, ASSAY_LEDGER_ERROR_FORMAT, "name");
  g_string_free (xml, TRUE);
  g_assert_cmpint (g_get_monotonic_time () - start, <, 5 * G_USEC_PER_SEC);
}

static void
test_x09_latin1_called_utf8 (void)
{
  g_autofree char *xml = g_strconcat (FIXTURE_HEAD, "<run id='caf\xe9'/>", FIXTURE_TAIL, NULL);
  g_autofree char *offset = g_strdup_printf ("byte %u", (guint) strlen (FIXTURE_HEAD "<run id='caf"));
  fixture_refuses (xml, -1, ASSAY_LEDGER_ERROR_FORMAT, offset);
  fixture_refuses (xml, -1, ASSAY_LEDGER_ERROR_FORMAT, "e9");
}

static void
test_x10_byte_order_mark (void)
{
  g_autoptr(AssayLedger) marked = fixture_parse ("\xef\xbb\xbf" FIXTURE_HEAD RUN FIXTURE_TAIL);
  g_autoptr(AssayLedger) contradicted = fixture_parse (
    "\xef\xbb\xbf<?xml version='1.0' encoding='ISO-8859-1'?><ledger xmlns='urn:assay:ledger:1' version='1.0' "
    "task='language' id='i' title='caf\xc3\xa9'/>");
  g_autofree char *saved = fixture_serialize (marked);

  g_assert_cmpuint (assay_ledger_get_n_runs (marked), ==, 1);
  g_assert_true (g_str_has_prefix (saved, "<?xml"));
  g_assert_cmpstr (assay_ledger_get_title (contradicted), ==, "caf\xc3\xa9");
  g_assert_nonnull (strstr (assay_ledger_get_notices (contradicted)[0], "ISO-8859-1"));
}

static void
test_x11_other_encodings (void)
{
  gsize length = 0;
  g_autofree char *utf16
      = g_convert (FIXTURE_HEAD RUN FIXTURE_TAIL, -1, "UTF-16", "UTF-8", NULL, &length, NULL);
  g_autoptr(GBytes) bytes = g_bytes_new (utf16, length);
  g_autoptr(GError) error = NULL;
  g_autoptr(AssayLedger) ledger = assay_store_parse (bytes, "x.ledger.xml", &error);
  g_autofree char *long_name = g_strnfill (1000000, 'E');
  g_autofree char *declared = g_strdup_printf ("<?xml version='1.0' encoding='%s'?><ledger/>", long_name);

  g_assert_no_error (error);
  g_assert_cmpuint (assay_ledger_get_n_runs (ledger), ==, 1);
  g_assert_nonnull (strstr (assay_ledger_get_notices (ledger)[0], "UTF-16"));
  fixture_refuses (utf16, (gssize) length - 1, ASSAY_LEDGER_ERROR_FORMAT, NULL);
  fixture_refuses ("<?xml version='1.0' encoding='UTF-7'?><ledger/>", -1, ASSAY_LEDGER_ERROR_FORMAT, "UTF-7");
  fixture_refuses ("<?xml version=\"1.0\" encoding = \"ISO-8859-1\"?><ledger/>", -1,
                   ASSAY_LEDGER_ERROR_FORMAT, "ISO-8859-1");
  fixture_refuses ("\x4c\x6f\xa7\x94\x93", -1, ASSAY_LEDGER_ERROR_FORMAT, NULL); /* "<?xml" in EBCDIC */
  fixture_refuses (declared, -1, ASSAY_LEDGER_ERROR_FORMAT, NULL);
}

static void
test_x12_truncated_at_every_byte (void)
{
  g_autoptr(AssayLedger) ledger = fixture_ledger (2);
  g_autofree char *xml = fixture_serialize (ledger);
  g_autofree char *folder = fixture_dup_folder ();
  g_autofree char *path = g_build_filename (folder, "cut.ledger.xml", NULL);
  const gsize length = strlen (xml) - 1; /* without the last line end it is whole */
  const char *second = strstr (strstr (xml, "<run ") + 1, "<run ");

  for (gsize cut = 0; cut < length; cut++)
    {
      g_autoptr(GError) error = NULL;
      g_autoptr(GBytes) bytes = g_bytes_new (xml, cut);
      g_autoptr(AssayLedger) read = assay_store_parse (bytes, "cut", &error);
      const int code = cut == 0 ? ASSAY_LEDGER_ERROR_LOST : ASSAY_LEDGER_ERROR_FORMAT;
      g_assert_null (read);
      g_assert_error (error, ASSAY_LEDGER_ERROR, code);
    }
  /* The run before the cut can be had, and the file stays as it is. */
  const gsize cut = (gsize) (second - xml) + 100;
  g_autoptr(GError) error = NULL;
  fixture_write (path, xml, (gssize) cut);
  g_autoptr(AssayLedger) salvaged = assay_store_salvage (path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (assay_ledger_get_n_runs (salvaged), ==, 1);
  g_assert_true (assay_ledger_is_read_only (salvaged));
  g_assert_null (assay_ledger_get_path (salvaged));
  fixture_same_records (assay_ledger_get_run (salvaged, 0), assay_ledger_get_run (ledger, 0));
  gsize now;
  g_autofree char *after = fixture_read (path, &now);
  g_assert_cmpmem (after, now, xml, cut);
  fixture_remove_folder (folder);
}

static void
test_x12_salvage_reads_behind_the_damage (void)
{
  g_autoptr(AssayLedger) ledger = fixture_ledger (3);
  g_autofree char *xml = fixture_serialize (ledger);
  g_autofree char *folder = fixture_dup_folder ();
  g_autofree char *path = g_build_filename (folder, "hole.ledger.xml", NULL);
  char *second = strstr (xml, "<run id=\"run-1\"");
  g_autoptr(GError) error = NULL;

  memset (second + 200, '\xff', 40);
  fixture_write (path, xml, -1);
  g_assert_null (assay_store_load (path, NULL));
  g_autoptr(AssayLedger) salvaged = assay_store_salvage (path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (assay_ledger_get_n_runs (salvaged), ==, 2);
  g_assert_nonnull (assay_ledger_find_run (salvaged, "run-2"));
  g_assert_cmpstr (assay_ledger_get_title (salvaged), ==, assay_ledger_get_title (ledger));
  fixture_remove_folder (folder);
}

static void
test_x13_lost_in_a_crash (void)
{
  g_autofree char *zeros = g_malloc0 (5000);
  const char *texts[] = { "", " \n\t \r\n" };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    fixture_refuses (texts[i], -1, ASSAY_LEDGER_ERROR_LOST, "as a crash");
  fixture_refuses (zeros, 5000, ASSAY_LEDGER_ERROR_LOST, "nothing but blanks or zeros");
}

static void
test_x13_never_saved_over (void)
{
  g_autofree char *folder = fixture_dup_folder ();
  g_autofree char *path = g_build_filename (folder, "lost.ledger.xml", NULL);
  g_autoptr(AssayLedger) ledger = fixture_ledger (1);
  g_autoptr(GError) error = NULL;
  gsize length;

  fixture_write (path, "\0\0\0\0", 4);
  g_assert_false (assay_store_save (ledger, path, &error));
  g_assert_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_SAVE);
  g_autofree char *after = fixture_read (path, &length);
  g_assert_cmpmem (after, length, "\0\0\0\0", 4);
  g_assert_true (assay_ledger_is_unsaved (ledger));
  fixture_remove_folder (folder);
}

static void
test_x14_trailing_garbage (void)
{
  g_autofree char *twice = g_strconcat (FIXTURE_HEAD RUN FIXTURE_TAIL, FIXTURE_HEAD RUN FIXTURE_TAIL, NULL);
  fixture_refuses (FIXTURE_HEAD RUN FIXTURE_TAIL "garbage", -1, ASSAY_LEDGER_ERROR_FORMAT, "byte ");
  fixture_refuses (FIXTURE_HEAD RUN FIXTURE_TAIL "<ledger/>", -1, ASSAY_LEDGER_ERROR_FORMAT, "line ");
  fixture_refuses (twice, -1, ASSAY_LEDGER_ERROR_FORMAT, "byte ");
}

static void
test_x15_merge_conflict (void)
{
  g_autofree char *folder = fixture_dup_folder ();
  g_autofree char *path = g_build_filename (folder, "both.ledger.xml", NULL);
  const char *xml = FIXTURE_HEAD "<run id='a'><burden><peak_ram>1</peak_ram></burden></run>\n"
                                 "<<<<<<< HEAD\n<run id='b'><burden><peak_ram>2</peak_ram></burden></run>\n"
                                 "=======\n<run id='c'><burden><peak_ram>3</peak_ram></burden></run>\n"
                                 ">>>>>>> other\n" FIXTURE_TAIL;
  g_autoptr(GError) error = NULL;

  fixture_refuses (xml, -1, ASSAY_LEDGER_ERROR_CONFLICT, "merge conflict");
  fixture_write (path, xml, -1);
  g_autoptr(AssayLedger) both = assay_store_salvage (path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (assay_ledger_get_n_runs (both), ==, 3);
  g_assert_nonnull (assay_ledger_find_run (both, "b"));
  g_assert_nonnull (assay_ledger_find_run (both, "c"));
  fixture_remove_folder (folder);
}

static void
test_x15_merge_conflict_inside_a_run (void)
{
  g_autofree char *folder = fixture_dup_folder ();
  g_autofree char *path = g_build_filename (folder, "both.ledger.xml", NULL);
  const char *xml = FIXTURE_HEAD
    "<run id='a'><outcome><status>completed</status></outcome>\n"
    "<<<<<<< HEAD\n<review id='1' reviewer='A' at='2026-01-01T00:00:00Z'><verdict>pass</verdict></review>\n"
    "||||||| base\n"
    "=======\n<review id='2' reviewer='B' at='2026-01-01T00:00:00Z'><verdict>fail</verdict></review>\n"
    ">>>>>>> other\n</run>" FIXTURE_TAIL;
  g_autoptr(GError) error = NULL;

  fixture_write (path, xml, -1);
  g_autoptr(AssayLedger) both = assay_store_salvage (path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (assay_ledger_get_n_runs (both), ==, 1);
  g_assert_cmpuint (assay_record_get_reviews (assay_ledger_get_run (both, 0))->len, ==, 2);
  fixture_remove_folder (folder);
}

static void
test_x19_newer_major_version (void)
{
  const char *roots[] = { "<ledger xmlns='urn:assay:ledger:1' version='2.3' id='i' task='language'>",
                          "<ledger xmlns='urn:assay:ledger:2' version='2.3' id='i' task='sound'>" };
  for (guint i = 0; i < G_N_ELEMENTS (roots); i++)
    {
      g_autofree char *xml = g_strconcat (roots[i], RUN, FIXTURE_TAIL, NULL);
      g_autoptr(AssayLedger) ledger = fixture_parse (xml);
      g_autoptr(GError) error = NULL;
      g_assert_cmpuint (assay_ledger_get_n_runs (ledger), ==, 1);
      g_assert_true (assay_ledger_is_read_only (ledger));
      g_assert_nonnull (strstr (assay_ledger_get_read_only_reason (ledger), "2.3"));
      g_autofree char *elsewhere = g_build_filename (g_get_tmp_dir (), "assay-newer.ledger.xml", NULL);
      g_assert_false (assay_store_save (ledger, elsewhere, &error));
      g_assert_false (g_file_test (elsewhere, G_FILE_TEST_EXISTS));
      g_assert_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_READ_ONLY);
    }
}

static void
test_x20_versions_that_never_were (void)
{
  const char *versions[] = { "0.9", "1", "one", "1.x", "", "-1.0", "1.0.0" };
  for (guint i = 0; i < G_N_ELEMENTS (versions); i++)
    {
      g_autofree char *xml = g_strdup_printf (
        "<ledger xmlns='urn:assay:ledger:1' version='%s' id='i' task='language'/>", versions[i]);
      fixture_refuses (xml, -1, ASSAY_LEDGER_ERROR_FORMAT, "version");
    }
}

static void
test_x32_undefined_entities (void)
{
  fixture_refuses (FIXTURE_HEAD
                   "<run id='a'><conditions><prompt>&lol;</prompt></conditions></run>" FIXTURE_TAIL,
                   -1, ASSAY_LEDGER_ERROR_FORMAT, "lol");
  fixture_refuses (FIXTURE_HEAD "<run id='&nbsp;'/>" FIXTURE_TAIL, -1, ASSAY_LEDGER_ERROR_FORMAT, "nbsp");
  fixture_refuses (FIXTURE_HEAD "<run id='a'>&#1;</run>" FIXTURE_TAIL, -1, ASSAY_LEDGER_ERROR_FORMAT, "byte");
}

static void
test_x33_not_well_formed_names (void)
{
  fixture_refuses (FIXTURE_HEAD "<run id='a' id='b'/>" FIXTURE_TAIL, -1, ASSAY_LEDGER_ERROR_FORMAT, NULL);
  fixture_refuses (FIXTURE_HEAD "<x:run id='a'/>" FIXTURE_TAIL, -1, ASSAY_LEDGER_ERROR_FORMAT, "x");
  fixture_refuses (FIXTURE_HEAD "<run id='a' xmlns:xml='urn:other'/>" FIXTURE_TAIL, -1,
                   ASSAY_LEDGER_ERROR_FORMAT, NULL);
}

static void
test_other_roots (void)
{
  fixture_refuses ("<html/>", -1, ASSAY_LEDGER_ERROR_FORMAT, "html");
  fixture_refuses ("<ledger/>", -1, ASSAY_LEDGER_ERROR_FORMAT, "ledger");
  fixture_refuses ("not xml", -1, ASSAY_LEDGER_ERROR_FORMAT, "byte 0");
  fixture_refuses ("<ledger xmlns='urn:assay:ledger:1' version='1.0' task='sound'/>", -1,
                   ASSAY_LEDGER_ERROR_FORMAT, "sound");
}

static void
test_x38_odd_files (void)
{
  g_autofree char *folder = fixture_dup_folder ();
  g_autofree char *fifo = g_build_filename (folder, "fifo.ledger.xml", NULL);
  g_autofree char *missing = g_build_filename (folder, "missing.ledger.xml", NULL);
  const char *odd[] = { fifo, folder, "/dev/zero" };

  g_assert_cmpint (mkfifo (fifo, 0600), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (odd); i++)
    {
      g_autoptr(GError) error = NULL;
      g_assert_null (assay_store_load (odd[i], &error));
      g_assert_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_FORMAT);
      g_assert_nonnull (strstr (error->message, odd[i]));
    }
  g_autoptr(GError) error = NULL;
  g_assert_null (assay_store_load (missing, &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT);
  fixture_remove_folder (folder);
}

/* Whatever one changed byte does, it is refused, isolated or harmless: never another number. */
static void
test_d18_every_flipped_byte_is_noticed (void)
{
  g_autoptr(AssayLedger) ledger = fixture_ledger (1);
  g_autofree char *xml = fixture_serialize (ledger);
  const gsize length = strlen (xml);
  const guchar flips[] = { 0x01, 0x04, 0x20, 0x80 };
  guint harmless = 0;

  for (gsize i = 0; i < length; i++)
    {
      g_autofree char *bad = g_strdup (xml);
      bad[i] = (char) ((guchar) bad[i] ^ flips[i % G_N_ELEMENTS (flips)]);
      g_autoptr(GBytes) bytes = g_bytes_new (bad, length);
      g_autoptr(AssayLedger) read = assay_store_parse (bytes, "x", NULL);
      fixture_reads_apart (bad, length);
      if (read == NULL || assay_ledger_is_read_only (read) || assay_ledger_get_n_runs (read) != 1
          || assay_record_is_damaged (assay_ledger_get_run (read, 0)))
        continue;
      harmless++;
      fixture_same_ledgers (ledger, read);
    }
  g_assert_cmpuint (harmless, <, length / 4); /* blanks, and the checksums themselves */
}

/* Random damage: nothing may crash, hang or be half-read; run it under the sanitizers. */
static void
test_random_damage (void)
{
  const guint32 seed = (guint32) g_test_rand_int ();
  g_autoptr(GRand) rand = g_rand_new_with_seed (seed);
  g_autoptr(AssayLedger) ledger = fixture_ledger (2);
  g_autofree char *xml = fixture_serialize (ledger);
  g_autofree char *folder = fixture_dup_folder ();
  g_autofree char *path = g_build_filename (folder, "bad.ledger.xml", NULL);
  const gint length = (gint) strlen (xml);

  g_test_message ("seed %u", seed);
  for (guint round = 0; round < 1500; round++)
    {
      GString *bad = g_string_new_len (xml, length);
      for (gint cuts = g_rand_int_range (rand, 1, 5); cuts > 0; cuts--)
        {
          const gint at = g_rand_int_range (rand, 0, (gint) bad->len);
          const gint wanted = g_rand_int_range (rand, 1, 40), n = MIN (wanted, (gint) bad->len - at);
          switch (g_rand_int_range (rand, 0, 4))
            {
            case 0: g_string_erase (bad, at, n); break;
            case 1: g_string_insert_len (bad, at, xml + g_rand_int_range (rand, 0, length - 40), 40); break;
            case 2: bad->str[at] = (char) g_rand_int_range (rand, 0, 256); break;
            default: bad->str[at] = "<>&\"'/ =!?-["[g_rand_int_range (rand, 0, 12)]; break;
            }
        }
      g_autoptr(GBytes) bytes = g_string_free_to_bytes (bad);
      g_autoptr(AssayLedger) read = assay_store_parse (bytes, "x", NULL);
      fixture_reads_apart (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
      if (read != NULL && !assay_ledger_is_read_only (read))
        {
          g_autoptr(GError) error = NULL;
          g_autoptr(GBytes) saved = assay_store_serialize (read, &error);
          if (saved == NULL) /* what was read can be saved */
            g_error ("%s\n%.*s", error->message, (int) g_bytes_get_size (bytes),
                     (const char *) g_bytes_get_data (bytes, NULL));
        }
      if (round % 10 != 0)
        continue;
      fixture_write (path, g_bytes_get_data (bytes, NULL), (gssize) g_bytes_get_size (bytes));
      g_autoptr(AssayLedger) salvaged = assay_store_salvage (path, NULL);
      g_assert_true (salvaged == NULL || assay_ledger_is_read_only (salvaged));
    }
  fixture_remove_folder (folder);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
#define ADD(NAME, FUNC) g_test_add_func ("/ledger/hostile/" NAME, FUNC)
  ADD ("X01-external-entity", test_x01_external_entity);
  ADD ("X02-entity-bombs", test_x02_entity_bombs);
  ADD ("X03-external-subsets", test_x03_external_subsets);
  ADD ("X05-huge-texts", test_x05_huge_texts);
  ADD ("X06-huge-constructs", test_x06_huge_constructs);
  ADD ("X07-depth", test_x07_depth);
  ADD ("X08-attributes-namespaces-names", test_x08_attributes_namespaces_names);
  ADD ("X09-latin1-called-utf8", test_x09_latin1_called_utf8);
  ADD ("X10-byte-order-mark", test_x10_byte_order_mark);
  ADD ("X11-other-encodings", test_x11_other_encodings);
  ADD ("X12-truncated-at-every-byte", test_x12_truncated_at_every_byte);
  ADD ("X12-salvage-reads-behind-the-damage", test_x12_salvage_reads_behind_the_damage);
  ADD ("X13-lost-in-a-crash", test_x13_lost_in_a_crash);
  ADD ("X13-never-saved-over", test_x13_never_saved_over);
  ADD ("X14-trailing-garbage", test_x14_trailing_garbage);
  ADD ("X15-merge-conflict", test_x15_merge_conflict);
  ADD ("X15-merge-conflict-inside-a-run", test_x15_merge_conflict_inside_a_run);
  ADD ("X19-newer-major-version", test_x19_newer_major_version);
  ADD ("X20-versions-that-never-were", test_x20_versions_that_never_were);
  ADD ("X32-undefined-entities", test_x32_undefined_entities);
  ADD ("X33-not-well-formed-names", test_x33_not_well_formed_names);
  ADD ("X38-odd-files", test_x38_odd_files);
  ADD ("D18-every-flipped-byte-is-noticed", test_d18_every_flipped_byte_is_noticed);
  ADD ("random-damage", test_random_damage);
  ADD ("other-roots", test_other_roots);
  return g_test_run ();
}
