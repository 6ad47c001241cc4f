/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/weights/test-json-scan.c: rows M62 and M74: JSON of a hostile file, item by item. */
#include "weights/json-scan.h"

#include <string.h>

/* What comes, as text: "{ a=1 b=[ "x" ] }", and "!" with the fault's number where it ends early. (transfer
 * full) */
static char *
trace (const char *text, gssize length, guint depth_max)
{
  static const char *const words[] = { "{", "[", "/", NULL, NULL, "true", "false", "null", "." };
  g_autoptr (AssayJsonScan) scan
      = assay_json_scan_new (text, length >= 0 ? (gsize) length : strlen (text), depth_max);
  GString *out = g_string_new (NULL);
  AssayJsonItem item = { 0 };
  while (assay_json_scan_next (scan, &item))
    {
      if (item.is_member)
        g_string_append_printf (out, "%.*s=", (int) item.name.length, item.name.data);
      if (words[item.kind] != NULL)
        g_string_append (out, words[item.kind]);
      else
        g_string_append_printf (out, item.kind == ASSAY_JSON_ITEM_STRING ? "'%.*s'" : "%.*s",
                                (int) item.text.length, item.text.data);
      if (item.kind == ASSAY_JSON_ITEM_END)
        break;
      g_string_append_c (out, ' ');
    }
  if (assay_json_scan_get_fault (scan) != ASSAY_JSON_FAULT_NONE)
    {
      g_assert_nonnull (assay_json_scan_get_problem (scan));
      g_string_append_printf (out, "!%u at %zu", assay_json_scan_get_fault (scan),
                              assay_json_scan_get_offset (scan));
      g_assert_false (assay_json_scan_next (scan, &item)); /* and from then on */
    }
  return g_string_free (out, FALSE);
}

static void
assert_trace (const char *text, const char *expected)
{
  g_autofree char *seen = trace (text, -1, 16);
  g_assert_cmpstr (seen, ==, expected);
}

static void
test_items_come_in_the_order_of_the_text (void)
{
  assert_trace (" {\"a\" : 1,\n\"b\":[\"x\",{},[],true,false,null] ,\"\":-0.5e+3}\t",
                "{ a=1 b=[ 'x' { / [ / true false null / =-0.5e+3 / .");
  assert_trace ("\"bare\"", "'bare' .");
  assert_trace ("18446744073709551616", "18446744073709551616 ."); /* as written, not as a double has it */
}

static void
test_strings_are_decoded (void)
{
  assert_trace ("\"a\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\u00e9\\ud83d\\ude00z\"",
                "'a\"\\/\b\f\n\r\tA\xc3\xa9\xf0\x9f\x98\x80z' .");
  g_autoptr (AssayJsonScan) scan = assay_json_scan_new ("\"a\\u0000b\"", 10, 1);
  AssayJsonItem item;
  g_assert_true (assay_json_scan_next (scan, &item));
  g_assert_cmpmem (item.text.data, item.text.length, "a\0b", 3);
}

static void
test_m74_faults_say_where (void)
{
  static const struct { const char *text, *seen; } rows[] = {
    { "", "!1 at 0" },
    { "[1,]", "[ 1 !1 at 3" },
    { "[1 2]", "[ 1 !1 at 3" },
    { "{\"a\":1,}", "{ a=1 !1 at 7" },
    { "[NaN]", "[ !1 at 1" },
    { "[Infinity]", "[ !1 at 1" },
    { "[01]", "[ !1 at 1" },
    { "[1.]", "[ !1 at 1" },
    { "[.5]", "[ !1 at 1" },
    { "[+1]", "[ !1 at 1" },
    { "[1e]", "[ !1 at 1" },
    { "[-]", "[ !1 at 1" },
    { "['a']", "[ !1 at 1" },
    { "[\"\\ud800\"]", "[ !2 at 2" },
    { "[\"\\udc00\"]", "[ !2 at 2" },
    { "[\"\\ud800\\ud800\"]", "[ !2 at 2" },
    { "[\"\xff\"]", "!2 at 2" },
    { "[\"\xed\xa0\x80\"]", "!2 at 2" }, /* half a pair, as UTF-8 would have it */
    { "{\"a\":1,\"b\":{\"a\":1},\"a\":2}", "{ a=1 b={ a=1 / !4 at 19" },
    { "{} {}", "{ / !1 at 3" },
    { "[[]", "[ [ / !1 at 3" },
    { "]", "!1 at 0" },
    { "[}", "[ !1 at 1" },
    { "tru", "!1 at 0" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    assert_trace (rows[i].text, rows[i].seen);
}

static void
test_m62_depth_costs_no_stack (void)
{
  enum { DEEP = 1000000 };
  g_autofree char *text = g_strnfill (DEEP, '[');
  g_autofree char *deep = trace (text, DEEP, 16), *most = trace (text, DEEP, 1000);
  g_assert_true (g_str_has_suffix (deep, "!3 at 16"));
  g_assert_true (g_str_has_suffix (most, "!3 at 64"));
}

/* Objects that follow each other may have the same names, whatever came before: one table serves a depth. */
static void
test_names_count_within_one_object (void)
{
  enum { N = 5000 };
  g_autoptr (GString) text = g_string_new ("[{");
  for (guint i = 0; i < N; i++)
    g_string_append_printf (text, "%s\"n%u\":0", i > 0 ? "," : "", i);
  g_string_append (text, "}");
  for (guint i = 0; i < N; i++)
    g_string_append (text, ",{\"n0\":0,\"n1\":0}");
  g_string_append (text, "]");
  const gint64 start = g_get_monotonic_time ();
  g_autofree char *seen = trace (text->str, -1, 16);
  g_assert_true (g_str_has_suffix (seen, "/ / ."));
  g_assert_cmpint (g_get_monotonic_time () - start, <, G_USEC_PER_SEC);
}

static void
test_whole_numbers (void)
{
  static const struct { const char *text; gboolean ok; guint64 value; } rows[] = {
    { "0", TRUE, 0 },       { "18446744073709551615", TRUE, G_MAXUINT64 },
    { "-1", FALSE, 0 },     { "18446744073709551616", FALSE, 0 },
    { "-0", FALSE, 0 },     { "9007199254740993", TRUE, G_GUINT64_CONSTANT (9007199254740993) },
    { "1.0", FALSE, 0 },    { "1e3", FALSE, 0 },
    { "\"1\"", FALSE, 0 },  { "true", FALSE, 0 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (AssayJsonScan) scan = assay_json_scan_new (rows[i].text, strlen (rows[i].text), 1);
      AssayJsonItem item;
      guint64 value = 0;
      g_assert_true (assay_json_scan_next (scan, &item));
      g_assert_cmpint (assay_json_item_get_uint (&item, &value), ==, rows[i].ok);
      g_assert_cmpuint (rows[i].ok ? value : 0, ==, rows[i].value);
    }
}

static void
test_what_is_skipped_is_checked_all_the_same (void)
{
  static const char text[] = "{\"a\":[1,{\"b\":[2]}],\"c\":3}",
                    bad[] = "{\"a\":[1,{\"b\":1,\"b\":2}],\"c\":3}";
  g_autoptr (AssayJsonScan) scan = assay_json_scan_new (text, sizeof text - 1, 8);
  g_autoptr (AssayJsonScan) other = assay_json_scan_new (bad, sizeof bad - 1, 8);
  AssayJsonItem item;
  g_assert_true (assay_json_scan_next (scan, &item) && assay_json_scan_next (scan, &item));
  g_assert_true (assay_json_scan_skip (scan, &item) && assay_json_scan_next (scan, &item));
  g_assert_true (assay_json_bytes_are (item.name, "c"));
  g_assert_true (assay_json_scan_skip (scan, &item)); /* a number has no rest */
  g_assert_true (assay_json_scan_next (other, &item) && assay_json_scan_next (other, &item));
  g_assert_false (assay_json_scan_skip (other, &item));
  g_assert_cmpint (assay_json_scan_get_fault (other), ==, ASSAY_JSON_FAULT_DUPLICATE);
  g_assert_true (assay_json_bytes_are (assay_json_scan_get_twice (other), "b"));
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
#define ROW(name, function) g_test_add_func ("/weights/json-scan/" name, function)
  ROW ("items-come-in-the-order-of-the-text", test_items_come_in_the_order_of_the_text);
  ROW ("strings-are-decoded", test_strings_are_decoded);
  ROW ("M74-faults-say-where", test_m74_faults_say_where);
  ROW ("M62-depth-costs-no-stack", test_m62_depth_costs_no_stack);
  ROW ("names-count-within-one-object", test_names_count_within_one_object);
  ROW ("whole-numbers", test_whole_numbers);
  ROW ("what-is-skipped-is-checked-all-the-same", test_what_is_skipped_is_checked_all_the_same);
  return g_test_run ();
}
