/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words against the regular expressions that models publish, cut by the reference's regex engine. */
#include "text-fixture.h"
#include "text/assay-pre-split.h"

#include <string.h>

static GPtrArray *
split (const char *rule_name, const char *text, gsize length)
{
  const AssayPreRule *rule = assay_pre_rule_find (rule_name, strlen (rule_name));
  g_assert_nonnull (rule);
  GPtrArray *words = g_ptr_array_new_with_free_func (g_free);
  AssayPreSplit self;
  const char *word, *at = text;
  gsize n;
  assay_pre_split_init (&self, rule, text, length);
  while ((n = assay_pre_split_next (&self, &word)) > 0)
    {
      g_assert_true (word == at); /* no gap, no overlap */
      at += n;
      g_ptr_array_add (words, g_strndup (word, n));
    }
  g_assert_true (at == text + length);
  return words;
}

static void
test_reference (void)
{
  g_auto(Fixture) strings = { NULL }, splits = { NULL };
  fixture_open (&strings, "strings.gz");
  fixture_open (&splits, "splits.gz");
  const guint32 n_strings = fixture_u32 (&strings);
  g_assert_cmpuint (n_strings, ==, 2000);
  const guint8 *first = strings.p;
  const guint32 n_rules = fixture_u32 (&splits);
  g_assert_cmpuint (n_rules, ==, 9);
  for (guint32 r = 0; r < n_rules; r++)
    {
      const AssayBytes name = fixture_text (&splits);
      const AssayPreRule *rule = assay_pre_rule_find (name.data, name.length);
      g_assert_nonnull (rule);
      strings.p = first;
      for (guint32 i = 0; i < n_strings; i++)
        {
          const AssayBytes text = fixture_text (&strings);
          g_autoptr(GArray) expected = fixture_list (&splits),
                             lengths = g_array_new (FALSE, FALSE, sizeof (gint32));
          AssayPreSplit self;
          const char *word;
          gint32 n;
          assay_pre_split_init (&self, rule, text.data, text.length);
          while ((n = (gint32) assay_pre_split_next (&self, &word)) > 0)
            g_array_append_val (lengths, n);
          assert_ids (lengths, (const guint32 *) expected->data, expected->len, text.data, text.length);
        }
      g_test_message ("%.*s: %u strings", (int) name.length, name.data, n_strings);
    }
}

static void
test_table (void)
{
  const struct { const char *rule, *text, *words; } rows[] = {
    { "gpt-2", "Hello  world", "Hello| | world" },
    { "llama3", "Hello  world", "Hello| | world" },
    { "gpt-2", "I'LL pay $12345.67 now", "I|'|LL| pay| $|12345|.|67| now" },
    { "llama-bpe", "I'LL pay $12345.67 now", "I|'LL| pay| $|123|45|.|67| now" },
    { "qwen2", "I'LL pay $12345.67 now", "I|'LL| pay| $|1|2|3|4|5|.|6|7| now" },
    { "gpt-2", "a\n\n  b", "a|\n\n | b" },
    { "llama-v3", "a\n\n  b", "a|\n\n| | b" },
    { "gpt-2", "x = y;\n\treturn", "x| =| y|;|\n|\t|return" },
    { "falcon3", "x = y;\n\treturn", "x| =| y|;\n|\treturn" },
    { "gpt-2", "it's\302\240é", "it|'s|\302\240|é" },
    { "smaug-bpe", "it's\302\240é", "it|'s|\302\240é" },
    { "gpt-2", "tabs\t\tx", "tabs|\t|\t|x" },
    { "megrez", "tabs\t\tx", "tabs|\t|\tx" },
    { "gpt-2", "a\r\nb", "a|\r|\n|b" },
    { "dbrx", "a\r\nb", "a|\r\n|b" },
    { "mpt", "end   ", "end|   " },
    { "qwen2", "end   ", "end|   " },
    { "gpt-2", "don't!!!\n\nOK", "don|'t|!!!|\n|\n|OK" },
    { "stablelm2", "don't!!!\n\nOK", "don|'t|!!!\n\n|OK" },
    { "smollm", "a  12 3.14", "a|  |1|2| |3|.|1|4" },
    { "starcoder", "x10", "x|1|0" },
    { "tekken", "HTTPServer fooBar", "HTTPServer| foo|Bar" },
    { "gpt-4o", "HTTPServer's", "HTTPServer's" },
    { "deepseek-v3", "12345漢字.foo x", "123|45|漢字|.foo| x" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr(GPtrArray) words = split (rows[i].rule, rows[i].text, strlen (rows[i].text));
      g_ptr_array_add (words, NULL);
      g_autofree char *joined = g_strjoinv ("|", (char **) words->pdata);
      g_assert_cmpstr (joined, ==, rows[i].words);
    }
}

static void
test_any_bytes (void)
{
  const char *const rules[]
      = { "gpt-2", "smollm", "llama3", "qwen2", "qwen35", "tekken", "gpt-4o", "deepseek-v3" };
  const guint32 seed = g_test_rand_int ();
  g_autoptr(GRand) rand = g_rand_new_with_seed (seed);
  g_test_message ("seed %u", seed);
  for (guint round = 0; round < 2000; round++)
    {
      char text[64];
      const guint n = g_rand_int_range (rand, 0, sizeof text + 1);
      for (guint i = 0; i < n; i++)
        text[i] = (char) g_rand_int_range (rand, 0, g_rand_boolean (rand) ? 256 : 64);
      g_autoptr(GPtrArray) words = split (rules[round % G_N_ELEMENTS (rules)], text, n);
      g_assert_true (n == 0 || words->len > 0);
    }
}

static void
test_unknown (void)
{
  g_assert_null (assay_pre_rule_find ("gpt-4o-next", 11));
  g_assert_null (assay_pre_rule_find ("gpt", 3));
  g_assert_null (assay_pre_rule_find ("gpt-2,phi-2", 11));
  g_assert_null (assay_pre_rule_find ("", 0));
  g_assert_null (assay_pre_rule_find ("default", 7));
}

static void
test_classes (void)
{
  for (gunichar c = 0; c < 128; c++) /* the quick table says what GLib does */
    {
      const AssayUniClass class = assay_unicode_class (c);
      g_assert_cmpint (class == ASSAY_UNI_SPACE, ==, g_ascii_isspace (c) || c == '\v');
      g_assert_cmpint (class == ASSAY_UNI_UPPER, ==, g_ascii_isupper (c));
      g_assert_cmpint (class == ASSAY_UNI_LOWER, ==, g_ascii_islower (c));
      g_assert_cmpint (class == ASSAY_UNI_NUMBER, ==, g_ascii_isdigit (c));
      const GUnicodeType type = g_unichar_type (c);
      g_assert_cmpint (class == ASSAY_UNI_SYMBOL, ==,
                       type >= G_UNICODE_CURRENCY_SYMBOL && type <= G_UNICODE_OTHER_SYMBOL);
      g_assert_cmpint (class == ASSAY_UNI_PUNCT, ==,
                       type >= G_UNICODE_CONNECT_PUNCTUATION && type <= G_UNICODE_OPEN_PUNCTUATION);
    }
  guint n_letters = 0, n_numbers = 0, n_spaces = 0;
  for (gunichar c = 0; c <= 0x10FFFF; c++)
    {
      const guint bit = ASSAY_UNI_BIT (assay_unicode_class (c));
      n_letters += (bit & ASSAY_UNI_IS_LETTER) != 0;
      n_numbers += (bit & ASSAY_UNI_IS_NUMBER) != 0;
      n_spaces += (bit & ASSAY_UNI_IS_SPACE) != 0;
    }
  g_assert_cmpuint (n_letters, ==, 141028); /* Unicode 16 */
  g_assert_cmpuint (n_numbers, ==, 1911);
  g_assert_cmpuint (n_spaces, ==, 25);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/text/pre-split/every-rule-cuts-as-its-regular-expression", test_reference);
  g_test_add_func ("/text/pre-split/known-vectors", test_table);
  g_test_add_func ("/text/pre-split/words-make-up-any-bytes", test_any_bytes);
  g_test_add_func ("/text/pre-split/unknown-names-are-unknown", test_unknown);
  g_test_add_func ("/text/unicode/classes-are-those-of-unicode-16", test_classes);
  return g_test_run ();
}
