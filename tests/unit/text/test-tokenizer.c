/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tokens against other implementations, and what must hold for any text. */
#include "text-fixture.h"

#include <string.h>
#include <time.h>

static GArray *
encode (AssayTokenizer *tokenizer, const char *text, gssize length, AssayEncodeFlags flags)
{
  g_autoptr(GError) error = NULL;
  GArray *ids = assay_tokenizer_encode (tokenizer, text, length, flags, NULL, &error);
  g_assert_no_error (error);
  return ids;
}

static void
assert_encodes (AssayTokenizer *tokenizer, const char *text, AssayEncodeFlags flags, const char *expected)
{
  g_autoptr(GArray) ids = encode (tokenizer, text, -1, flags);
  g_autofree char *got = ids_to_string (ids);
  g_assert_cmpstr (got, ==, expected);
}

static AssayTokenizer *
open_tokenizer (AssayModelFile *file)
{
  g_autoptr(GError) error = NULL;
  AssayTokenizer *tokenizer = assay_tokenizer_new (file, FALSE, &error);
  g_assert_no_error (error);
  return tokenizer;
}

static AssayTokenizer *
open_writer (GgufWriter *writer)
{
  g_autoptr(GgufWriter) owned = writer;
  g_autoptr(GError) error = NULL;
  AssayTokenizer *tokenizer = tokenizer_from_writer (owned, FALSE, &error);
  g_assert_no_error (error);
  return tokenizer;
}

/* ---- against the references ---- */

static void
compare_with (AssayTokenizer *tokenizer, const char *fixture)
{
  g_auto(Fixture) strings = { NULL }, lists = { NULL };
  fixture_open (&strings, "strings.gz");
  fixture_open (&lists, fixture);
  const guint32 n = fixture_u32 (&strings);
  for (guint32 i = 0; i < n; i++)
    {
      const AssayBytes text = fixture_text (&strings);
      g_autoptr(GArray) expected = fixture_list (&lists),
                         ids = encode (tokenizer, text.data, text.length, ASSAY_ENCODE_DEFAULT);
      assert_ids (ids, (const guint32 *) expected->data, expected->len, text.data, text.length);
    }
  g_assert_true (lists.p == lists.end);
}

static void
test_default_model (void)
{
  g_autoptr(AssayModelFile) file = open_default_model ();
  if (file == NULL)
    return;
  g_autoptr(AssayTokenizer) tokenizer = open_tokenizer (file);
  g_assert_cmpstr (assay_tokenizer_get_pre (tokenizer), ==, "smollm");
  g_assert_cmpuint (assay_tokenizer_get_n_tokens (tokenizer), ==, 49152);
  g_assert_false (assay_tokenizer_adds_bos (tokenizer));
  g_assert_true (assay_tokenizer_is_verified (tokenizer));
  g_assert_true (assay_tokenizer_is_end (tokenizer, 0)); /* <|endoftext|> by its text, <|im_end|> as eos */
  g_assert_false (assay_tokenizer_is_end (tokenizer, 1));
  g_assert_true (assay_tokenizer_is_end (tokenizer, 2));
  compare_with (tokenizer, "smollm2.gz");
}

static AssayTokenizer *
score_tokenizer (GBytes **bytes)
{
  g_autoptr(GError) error = NULL;
  *bytes = fixture_bytes ("scores.gguf.gz");
  g_autoptr(AssayModelFile) file = assay_model_file_open_bytes (
      g_bytes_get_data (*bytes, NULL), g_bytes_get_size (*bytes), "scores.gguf", &error);
  g_assert_no_error (error);
  return open_tokenizer (file);
}

static void
test_scores (void)
{
  g_autoptr(GBytes) bytes = NULL;
  g_autoptr(AssayTokenizer) tokenizer = score_tokenizer (&bytes);
  g_assert_cmpstr (assay_tokenizer_get_model (tokenizer), ==, "llama");
  g_assert_true (assay_tokenizer_adds_bos (tokenizer));
  compare_with (tokenizer, "scores.gz");
}

/* ---- for any text ---- */

static char *
random_text (GRand *rand, gsize *length, guint most)
{
  static const char *const pieces[]
      = { "a",   "the ", "\n\n",         " ",     "é", "漢", "\360\237\230\200", "12",
          "'ll", "<s>",  "\342\226\201", "<0x41>" };
  GString *text = g_string_new (NULL);
  const guint n = g_rand_int_range (rand, 0, most);
  for (guint i = 0; i < n; i++)
    if (g_rand_boolean (rand))
      g_string_append (text, pieces[g_rand_int_range (rand, 0, G_N_ELEMENTS (pieces))]);
    else
      g_string_append_c (text, (char) g_rand_int_range (rand, 0, 256));
  *length = text->len;
  return g_string_free (text, FALSE);
}

static void
round_trip (AssayTokenizer *tokenizer, GRand *rand, guint rounds)
{
  for (guint i = 0; i < rounds; i++)
    {
      gsize length;
      g_autofree char *text = random_text (rand, &length, 60);
      g_autoptr(GArray) ids = encode (tokenizer, text, length, ASSAY_ENCODE_DEFAULT);
      g_autoptr(GString) back
          = assay_tokenizer_decode (tokenizer, (const gint32 *) ids->data, ids->len, FALSE);
      g_assert_cmpmem (back->str, back->len, text, length);
    }
}

static void
test_round_trip (void)
{
  const guint32 seed = g_test_rand_int ();
  g_autoptr(GRand) rand = g_rand_new_with_seed (seed);
  g_test_message ("seed %u", seed);
  const char *const pre[] = { "gpt-2", "smollm", "llama-bpe", "qwen2", "tekken", "gpt-4o", "deepseek-v3" };
  for (guint i = 0; i < G_N_ELEMENTS (pre); i++)
    {
      g_autoptr(AssayTokenizer) tokenizer
          = open_writer (byte_vocabulary (pre[i], NULL, "t h,h e,th e,Ġ the,Ċ Ċ,Ã ©"));
      round_trip (tokenizer, rand, 300);
    }
  const char *const pieces[] = { "▁", "▁the", "th", "he", "the", "e", "t", "h", "a", NULL };
  g_autoptr(AssayTokenizer) scores = open_writer (score_vocabulary (pieces));
  for (guint i = 0; i < 300; i++) /* U+2581 itself comes back as a space: leave it out */
    {
      gsize length;
      g_autofree char *text = random_text (rand, &length, 40);
      if (memmem (text, length, "\342\226\201", 3) != NULL)
        continue;
      g_autoptr(GArray) ids = encode (scores, text, length, ASSAY_ENCODE_DEFAULT);
      g_autoptr(GString) back = assay_tokenizer_decode (scores, (const gint32 *) ids->data, ids->len, FALSE);
      g_assert_cmpmem (back->str, back->len, text, length);
    }
}

static void
test_lost_bytes (void)
{
  g_autoptr(GgufWriter) writer = byte_vocabulary ("gpt-2", NULL, "");
  const char *const tokens[] = { "a", "b" };
  const gint32 types[] = { 1, 1 };
  gguf_writer_set_strings (writer, "tokenizer.ggml.tokens", tokens, 2);
  writer_set_types (writer, types, 2);
  g_autoptr(GError) error = NULL;
  g_autoptr(AssayTokenizer) tokenizer = tokenizer_from_writer (writer, FALSE, &error);
  g_assert_no_error (error);
  g_assert_nonnull (strstr (assay_tokenizer_get_notices (tokenizer)[0], "no token for the bytes"));
  assert_encodes (tokenizer, "abcab", ASSAY_ENCODE_DEFAULT, "0 1 0 1");
}

/* ---- merging ---- */

static void
test_merge_order (void)
{
  /* 256 ab, 257 bc, 258 abc, 259 aa, 260 aaaa: lowest rank first, the leftmost of equals */
  g_autoptr(AssayTokenizer) tokenizer
      = open_writer (byte_vocabulary ("gpt-2", NULL, "b c,a b,a bc,a a,aa aa"));
  assert_encodes (tokenizer, "abc", ASSAY_ENCODE_DEFAULT, "258");
  assert_encodes (tokenizer, "abb", ASSAY_ENCODE_DEFAULT, "257 98");
  assert_encodes (tokenizer, "aaaaa", ASSAY_ENCODE_DEFAULT, "260 97");
  assert_encodes (tokenizer, "aaa", ASSAY_ENCODE_DEFAULT, "259 97");
  assert_encodes (tokenizer, "", ASSAY_ENCODE_DEFAULT, "");
}

static void
test_whole_words (void)
{
  /* 256 is a token that no merge makes: only where whole words are looked up first */
  const char *const tokens = "abc";
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr(GgufWriter) writer = byte_vocabulary (i == 0 ? "llama-bpe" : "qwen2", NULL, "ab c");
      const char *merges[] = { "a b" };
      g_autoptr(GError) error = NULL;
      gguf_writer_set_strings (writer, "tokenizer.ggml.merges", merges, 0);
      g_autoptr(AssayTokenizer) tokenizer = tokenizer_from_writer (writer, FALSE, &error);
      g_assert_no_error (error);
      assert_encodes (tokenizer, tokens, ASSAY_ENCODE_DEFAULT, i == 0 ? "256" : "97 98 99");
    }
}

static void
test_long_words (void)
{
  g_autoptr(AssayTokenizer) bytes = open_writer (byte_vocabulary ("gpt-2", NULL, "a a,aa aa,aaaa aaaa"));
  const char *const pieces[] = { "▁", "aaaa", "aa", "a", NULL };
  g_autoptr(AssayTokenizer) scores = open_writer (score_vocabulary (pieces));
  AssayTokenizer *const tokenizers[] = { bytes, scores };
  g_autofree char *text = g_malloc (1 << 20);
  memset (text, 'a', 1 << 20);
  for (guint i = 0; i < 2; i++)
    {
      const clock_t start = clock (); /* of this process: the machine may be busy */
      g_autoptr(GArray) ids = encode (tokenizers[i], text, 1 << 20, ASSAY_ENCODE_DEFAULT);
      const double took = (double) (clock () - start) / CLOCKS_PER_SEC;
      g_test_message ("%s: %.3f s", assay_tokenizer_get_model (tokenizers[i]), took);
      g_assert_cmpuint (ids->len, ==, i == 0 ? (1 << 20) / 8 : (1 << 20) / 4 + 1);
      g_assert_cmpfloat (took, <, 20); /* quadratic would take hours */
    }
}

static void
test_cancel (void)
{
  g_autoptr(AssayTokenizer) tokenizer = open_writer (byte_vocabulary ("gpt-2", NULL, "a a"));
  g_autoptr(GCancellable) cancellable = g_cancellable_new ();
  g_autoptr(GError) error = NULL;
  g_cancellable_cancel (cancellable);
  g_assert_null (assay_tokenizer_encode (tokenizer, "aa", 2, ASSAY_ENCODE_DEFAULT, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

static void
test_too_large (void)
{
  g_autoptr(AssayTokenizer) tokenizer = open_writer (byte_vocabulary ("gpt-2", NULL, "a a"));
  g_autoptr(GError) error = NULL;
  g_assert_null (assay_tokenizer_encode (tokenizer, "a", ((gssize) 1 << 30) + 1, ASSAY_ENCODE_DEFAULT, NULL,
                                         &error)); /* not read */
  g_assert_error (error, ASSAY_ENGINE_ERROR, ASSAY_ENGINE_ERROR_CONTEXT);
  g_assert_cmpstr (assay_engine_error_get_reason (error), ==, "prompt-too-large");
}

/* ---- special tokens ---- */

static void
test_special (void)
{
  const char *const specials[] = { "<|im_start|>", "<|im_end|>", "<|im|>", "<|im", NULL }; /* 256 … 259 */
  g_autoptr(GgufWriter) writer = byte_vocabulary ("gpt-2", specials, "");
  gguf_writer_set_u32 (writer, "tokenizer.ggml.bos_token_id", 256);
  gguf_writer_set_u32 (writer, "tokenizer.ggml.eos_token_id", 257);
  gguf_writer_set_bool (writer, "tokenizer.ggml.add_bos_token", 1);
  gguf_writer_set_bool (writer, "tokenizer.ggml.add_eos_token", 1);
  g_autoptr(GError) error = NULL;
  g_autoptr(AssayTokenizer) tokenizer = tokenizer_from_writer (writer, FALSE, &error);
  g_assert_no_error (error);
  assert_encodes (tokenizer, "<|im|>a", ASSAY_ENCODE_DEFAULT, "60 124 105 109 124 62 97");
  assert_encodes (tokenizer, "<|im|>a<|im<|im_end|>", ASSAY_ENCODE_PARSE_SPECIAL, "258 97 259 257");
  assert_encodes (tokenizer, "a", ASSAY_ENCODE_ADD_SPECIAL, "256 97 257");
  assert_encodes (tokenizer, "<|im_start|>a", ASSAY_ENCODE_ADD_SPECIAL | ASSAY_ENCODE_PARSE_SPECIAL,
                  "256 97 257"); /* one bos */
  assert_encodes (tokenizer, "", ASSAY_ENCODE_ADD_SPECIAL, "256 257");
  g_assert_cmpint (assay_tokenizer_find_special (tokenizer, "<|im|>"), ==, 258);
  g_assert_cmpint (assay_tokenizer_find_special (tokenizer, "<|im|"), ==, -1);
  g_assert_cmpint (assay_tokenizer_find_special (tokenizer, ""), ==, -1);
  g_assert_cmpint (assay_tokenizer_find_special (tokenizer, "a"), ==, -1);

  const gint32 ids[] = { 256, 97, 257, -5, 100000 };
  g_autoptr(GString) plain = assay_tokenizer_decode (tokenizer, ids, 5, FALSE);
  g_autoptr(GString) all = assay_tokenizer_decode (tokenizer, ids, 5, TRUE);
  g_assert_cmpstr (plain->str, ==, "a");
  g_assert_cmpstr (all->str, ==, "<|im_start|>a<|im_end|>");
}

static void
test_user_defined (void)
{
  const char *const pieces[] = { "▁", "a", "<x>", "▁a", "b", NULL }; /* 259 … 263 */
  g_autoptr(GgufWriter) writer = score_vocabulary (pieces);
  gint32 types[264] = { 2, 3, 3 };
  for (guint i = 3; i < 264; i++)
    types[i] = i < 259 ? 6 : i == 261 ? 4 : 1;
  writer_set_types (writer, types, 264);
  g_autoptr(GError) error = NULL;
  g_autoptr(AssayTokenizer) tokenizer = tokenizer_from_writer (writer, FALSE, &error);
  g_assert_no_error (error);
  assert_encodes (tokenizer, "a<x>b", ASSAY_ENCODE_DEFAULT, "262 261 259 263"); /* a space before each text */
  assert_encodes (tokenizer, "a</s>", ASSAY_ENCODE_ADD_SPECIAL,
                  "1 262 63 50 118 65"); /* a person's </s> is text */
  assert_encodes (tokenizer, "a</s>", ASSAY_ENCODE_PARSE_SPECIAL, "262 2");
  gguf_writer_set_bool (writer, "tokenizer.ggml.add_space_prefix", 0);
  g_autoptr(AssayTokenizer) bare = tokenizer_from_writer (writer, FALSE, &error);
  g_assert_no_error (error);
  assert_encodes (bare, "a<x>b", ASSAY_ENCODE_DEFAULT, "260 261 263");
}

static void
test_ends (void)
{
  const char *const specials[] = { "<|eot_id|>", "<|endoftext|>", "<bos>", "<x>", NULL };
  g_autoptr(GgufWriter) writer = byte_vocabulary ("gpt-2", specials, "");
  gguf_writer_set_u32 (writer, "tokenizer.ggml.eom_token_id", 259);
  gint32 types[260];
  for (guint i = 0; i < 260; i++)
    types[i] = i == 256 ? 4 : 1; /* none marked as control */
  writer_set_types (writer, types, 260);
  g_autoptr(GError) error = NULL;
  g_autoptr(AssayTokenizer) tokenizer = tokenizer_from_writer (writer, FALSE, &error);
  g_assert_no_error (error);
  const gboolean ends[] = { TRUE, TRUE, FALSE, TRUE };
  for (gint32 i = 0; i < 4; i++)
    g_assert_cmpint (assay_tokenizer_is_end (tokenizer, 256 + i), ==, ends[i]);
  g_assert_false (assay_tokenizer_is_end (tokenizer, -1));
  g_assert_false (assay_tokenizer_is_end (tokenizer, 260));
  g_autoptr(GArray) ids = encode (tokenizer, "<|eot_id|>", -1, ASSAY_ENCODE_DEFAULT);
  g_assert_cmpuint (ids->len, ==, 10); /* a person cannot end the turn */
  g_assert_cmpint (assay_tokenizer_get_bos (tokenizer), ==, -1); /* no default by number */
  g_assert_cmpint (assay_tokenizer_get_eos (tokenizer), ==, -1);
}

/* ---- streaming ---- */

static void
test_stream (void)
{
  g_autoptr(AssayTokenizer) tokenizer = open_writer (byte_vocabulary ("gpt-2", NULL, "Ã ©"));
  const struct { const char *bytes, *shown; } rows[] = {
    { "h\303\251!\360\237\230\200.", "h|\303\251|!||||\360\237\230\200|.|" }, /* é is one token */
    { "\360\237\230", "|||\357\277\275\357\277\275\357\277\275" },
    { "\360a", "|\357\277\275a|" },
    { "\377x", "\357\277\275|x|" },
    { "\342\202\342\202\254", "||\357\277\275\357\277\275||\342\202\254|" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr(AssayTextStream) stream = assay_text_stream_new (tokenizer);
      g_autoptr(GArray) ids = encode (tokenizer, rows[i].bytes, -1, ASSAY_ENCODE_DEFAULT);
      g_autoptr(GString) shown = g_string_new (NULL);
      for (guint k = 0; k < ids->len; k++)
        {
          g_autofree char *now = assay_text_stream_push (stream, g_array_index (ids, gint32, k));
          g_string_append_printf (shown, "%s|", now);
        }
      g_autofree char *rest = assay_text_stream_finish (stream);
      g_string_append (shown, rest);
      g_assert_cmpstr (shown->str, ==, rows[i].shown);
    }
}

static void
test_stream_is_whole (void)
{
  g_autoptr(GBytes) bytes = NULL;
  g_autoptr(AssayTokenizer) scores = score_tokenizer (&bytes);
  g_autoptr(AssayTokenizer) byte_level = open_writer (byte_vocabulary ("smollm", NULL, "t h,th e,Ġ the"));
  AssayTokenizer *const tokenizers[] = { scores, byte_level };
  const guint32 seed = g_test_rand_int ();
  g_autoptr(GRand) rand = g_rand_new_with_seed (seed);
  g_test_message ("seed %u", seed);
  for (guint i = 0; i < 600; i++)
    {
      AssayTokenizer *tokenizer = tokenizers[i % 2];
      g_autoptr(AssayTextStream) stream = assay_text_stream_new (tokenizer);
      g_autoptr(GArray) ids = g_array_new (FALSE, FALSE, sizeof (gint32));
      g_autoptr(GString) shown = g_string_new (NULL);
      for (guint k = 0; k < 30; k++)
        {
          const gint32 id
              = g_rand_int_range (rand, 0, i % 4 < 2 ? 259 : assay_tokenizer_get_n_tokens (tokenizer));
          g_array_append_val (ids, id);
          g_autofree char *now = assay_text_stream_push (stream, id);
          g_assert_true (g_utf8_validate (now, -1, NULL));
          g_string_append (shown, now);
        }
      g_autofree char *rest = assay_text_stream_finish (stream);
      g_assert_true (g_utf8_validate (rest, -1, NULL));
      g_string_append (shown, rest);

      g_autoptr(GString) whole
          = assay_tokenizer_decode (tokenizer, (const gint32 *) ids->data, ids->len, FALSE);
      g_autoptr(GString) wanted = g_string_new (NULL);
      for (const char *p = whole->str, *end = p + whole->len; p < end;)
        {
          const gunichar c = g_utf8_get_char_validated (p, end - p);
          const gboolean valid = c != (gunichar) -1 && c != (gunichar) -2 && c != 0;
          g_string_append_unichar (wanted, valid ? c : 0xFFFD);
          p = valid ? g_utf8_next_char (p) : p + 1;
        }
      g_assert_cmpstr (shown->str, ==, wanted->str);
    }
}

static void
test_space_prefix (void)
{
  const char *const pieces[] = { "▁", "▁a", "a", NULL };
  g_autoptr(AssayTokenizer) tokenizer = open_writer (score_vocabulary (pieces));
  const gint32 ids[] = { 1, 260, 260 };
  g_autoptr(GString) text = assay_tokenizer_decode (tokenizer, ids, 3, FALSE);
  g_assert_cmpstr (text->str, ==, "a a"); /* only the one that encoding puts before a text */
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/text/tokenizer/default-model-as-tokenizers-and-llama-cpp", test_default_model);
  g_test_add_func ("/text/tokenizer/scores-as-sentencepiece-and-llama-cpp", test_scores);
  g_test_add_func ("/text/tokenizer/any-bytes-come-back", test_round_trip);
  g_test_add_func ("/text/tokenizer/bytes-without-a-token-are-named", test_lost_bytes);
  g_test_add_func ("/text/tokenizer/merges-lowest-rank-then-leftmost", test_merge_order);
  g_test_add_func ("/text/tokenizer/whole-words-first-where-the-rule-says-so", test_whole_words);
  g_test_add_func ("/text/tokenizer/a-word-of-a-megabyte-is-not-quadratic", test_long_words);
  g_test_add_func ("/text/tokenizer/cancelling-is-an-error", test_cancel);
  g_test_add_func ("/text/tokenizer/more-than-a-gibibyte-is-refused", test_too_large);
  g_test_add_func ("/text/tokenizer/control-tokens-only-when-asked", test_special);
  g_test_add_func ("/text/tokenizer/user-defined-tokens-always", test_user_defined);
  g_test_add_func ("/text/tokenizer/end-set", test_ends);
  g_test_add_func ("/text/tokenizer/space-prefix-is-taken-off-once", test_space_prefix);
  g_test_add_func ("/text/stream/holds-incomplete-characters", test_stream);
  g_test_add_func ("/text/stream/equals-the-whole-decode", test_stream_is_whole);
  return g_test_run ();
}
