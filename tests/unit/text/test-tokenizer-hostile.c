/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Vocabularies that lie. Each is refused with its reason, or loads with a notice; none does anything else. */
#include "text-fixture.h"
#include "text/assay-chat.h"

#include <math.h>
#include <string.h>
#include <time.h>

#define KEY(name) "tokenizer.ggml." name

static void
assert_refused (GgufWriter *writer, AssayEngineError code, const char *reason, const char *field,
                const char *said)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AssayTokenizer) tokenizer = tokenizer_from_writer (writer, FALSE, &error);
  g_assert_null (tokenizer);
  g_assert_error (error, ASSAY_ENGINE_ERROR, (gint) code);
  g_assert_cmpstr (assay_engine_error_get_reason (error), ==, reason);
  g_assert_cmpstr (assay_engine_error_get_field (error), ==, field);
  if (strstr (error->message, said) == NULL)
    g_error ("\"%s\" does not say \"%s\"", error->message, said);
}

static AssayTokenizer *
assert_noticed (GgufWriter *writer, const char *said)
{
  g_autoptr(GError) error = NULL;
  AssayTokenizer *tokenizer = tokenizer_from_writer (writer, TRUE, &error);
  g_assert_no_error (error);
  g_autofree char *all = g_strjoinv ("; ", (char **) assay_tokenizer_get_notices (tokenizer));
  if (strstr (all, said) == NULL)
    g_error ("\"%s\" does not say \"%s\"", all, said);
  return tokenizer;
}

static GgufWriter *
scores (void)
{
  const char *const pieces[] = { "▁", "a", "b", NULL };
  return score_vocabulary (pieces);
}

static GgufWriter *
bytes (void)
{
  return byte_vocabulary ("gpt-2", NULL, "a b");
}

/* ---- kinds and arrays ---- */

static void
test_models (void)
{
  const char *const models[] = { "t5", "bert", "rwkv", "no_vocab", "", "llama2", "gpt2 " };
  for (guint i = 0; i < G_N_ELEMENTS (models); i++)
    {
      g_autoptr(GgufWriter) writer = bytes ();
      gguf_writer_set_string (writer, KEY ("model"), models[i]);
      assert_refused (writer, ASSAY_ENGINE_ERROR_UNSUPPORTED, "tokenizer-unsupported", KEY ("model"),
                      models[i]);
    }
  g_autoptr(GgufWriter) writer = bytes ();
  gguf_writer_remove (writer, KEY ("model"));
  assert_refused (writer, ASSAY_ENGINE_ERROR_FORMAT, "tokenizer-missing", KEY ("model"), "does not say");
}

static void
test_element_types (void)
{
  static const guint8 zeros[262 * 8];
  const struct { const char *key; guint32 type; gsize size; } rows[] = {
    { KEY ("scores"), GGUF_TYPE_U8, 1 },      { KEY ("scores"), GGUF_TYPE_F64, 8 },
    { KEY ("scores"), GGUF_TYPE_I32, 4 },     { KEY ("token_type"), GGUF_TYPE_U8, 1 },
    { KEY ("token_type"), GGUF_TYPE_I64, 8 }, { KEY ("token_type"), GGUF_TYPE_F32, 4 },
    { KEY ("tokens"), GGUF_TYPE_U8, 1 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr(GgufWriter) writer = scores ();
      gguf_writer_set_array (writer, rows[i].key, rows[i].type, 262, zeros, 262 * rows[i].size);
      assert_refused (writer, ASSAY_ENGINE_ERROR_FORMAT, "tokenizer-bad-type", rows[i].key, "element type");
    }
  g_autoptr(GgufWriter) scalar = scores ();
  gguf_writer_set_u32 (scalar, KEY ("scores"), 7);
  assert_refused (scalar, ASSAY_ENGINE_ERROR_FORMAT, "tokenizer-bad-type", KEY ("scores"), "array");
  g_autoptr(GgufWriter) merges = bytes ();
  gguf_writer_set_array (merges, KEY ("merges"), GGUF_TYPE_I32, 4, zeros, 16);
  assert_refused (merges, ASSAY_ENGINE_ERROR_FORMAT, "tokenizer-bad-type", KEY ("merges"), "element type 5");
  g_autoptr(GgufWriter) flag = scores ();
  gguf_writer_set_string (flag, KEY ("add_bos_token"), "yes");
  assert_refused (flag, ASSAY_ENGINE_ERROR_FORMAT, "tokenizer-bad-type", KEY ("add_bos_token"),
                  "not true or false");
}

static void
test_counts (void)
{
  static const guint8 zeros[263 * 4];
  const struct { const char *key; guint32 type; guint n; } rows[] = {
    { KEY ("scores"), GGUF_TYPE_F32, 261 },     { KEY ("scores"), GGUF_TYPE_F32, 263 },
    { KEY ("scores"), GGUF_TYPE_F32, 0 },       { KEY ("token_type"), GGUF_TYPE_I32, 261 },
    { KEY ("token_type"), GGUF_TYPE_I32, 263 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr(GgufWriter) writer = scores ();
      gguf_writer_set_array (writer, rows[i].key, rows[i].type, rows[i].n, zeros, rows[i].n * 4);
      assert_refused (writer, ASSAY_ENGINE_ERROR_FORMAT, "tokenizer-count", rows[i].key, "262 tokens");
    }
  const char *const gone[] = { KEY ("tokens"), KEY ("scores") };
  for (guint i = 0; i < G_N_ELEMENTS (gone); i++)
    {
      g_autoptr(GgufWriter) writer = scores ();
      gguf_writer_remove (writer, gone[i]);
      assert_refused (writer, ASSAY_ENGINE_ERROR_FORMAT, "tokenizer-missing", gone[i], "");
    }
  g_autoptr(GgufWriter) none = scores ();
  gguf_writer_set_strings (none, KEY ("tokens"), NULL, 0);
  assert_refused (none, ASSAY_ENGINE_ERROR_FORMAT, "tokenizer-size", KEY ("tokens"), "0 tokens");
  g_autoptr(GgufWriter) no_merges = bytes ();
  gguf_writer_remove (no_merges, KEY ("merges"));
  assert_refused (no_merges, ASSAY_ENGINE_ERROR_FORMAT, "tokenizer-missing", KEY ("merges"), "merges");
}

static void
test_embedding_rows (void)
{
  const guint64 fewer[] = { 32, 261 }, same[] = { 32, 262 }, more[] = { 32, 300 };
  g_autoptr(GgufWriter) writer = scores ();
  gguf_writer_add_tensor (writer, "token_embd.weight", 2, fewer, ASSAY_DTYPE_F32, NULL);
  assert_refused (writer, ASSAY_ENGINE_ERROR_FORMAT, "tokenizer-count", KEY ("tokens"), "261 rows");
  gguf_writer_remove_tensor (writer, "token_embd.weight");
  gguf_writer_add_tensor (writer, "token_embd.weight", 2, more, ASSAY_DTYPE_F32, NULL);
  g_autoptr(AssayTokenizer) tokenizer = assert_noticed (writer, "300 rows for 262 tokens");
  gguf_writer_remove_tensor (writer, "token_embd.weight");
  gguf_writer_add_tensor (writer, "token_embd.weight", 2, same, ASSAY_DTYPE_F32, NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(AssayTokenizer) equal = tokenizer_from_writer (writer, FALSE, &error);
  g_assert_no_error (error);
  g_assert_null (assay_tokenizer_get_notices (equal)[0]);
}

static void
test_scores_that_are_no_numbers (void)
{
  float values[262] = { 0 };
  g_autoptr(GgufWriter) writer = scores ();
  values[261] = -INFINITY;
  gguf_writer_set_array (writer, KEY ("scores"), GGUF_TYPE_F32, 262, values, sizeof values);
  g_autoptr(GError) error = NULL;
  g_autoptr(AssayTokenizer) tokenizer = tokenizer_from_writer (writer, FALSE, &error);
  g_assert_no_error (error);
  values[7] = NAN;
  gguf_writer_set_array (writer, KEY ("scores"), GGUF_TYPE_F32, 262, values, sizeof values);
  assert_refused (writer, ASSAY_ENGINE_ERROR_FORMAT, "tokenizer-bad-score", KEY ("scores"), "score 7");
}

/* ---- ids ---- */

static void
test_ids (void)
{
  const char *const keys[] = { KEY ("bos_token_id"), KEY ("eos_token_id"), KEY ("unknown_token_id"),
                               KEY ("eot_token_id"), KEY ("eom_token_id") };
  const struct { guint32 type; gint64 value; } values[] = {
    { GGUF_TYPE_I32, -1 }, { GGUF_TYPE_I64, -1 }, { GGUF_TYPE_U32, 262 }, { GGUF_TYPE_U32, (gint64) 1 << 31 },
    { GGUF_TYPE_U64, G_MININT64 }, { GGUF_TYPE_U64, (gint64) 1 << 32 }, { GGUF_TYPE_F32, 0 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    for (guint k = 0; k < G_N_ELEMENTS (values); k++)
      {
        g_autoptr(GgufWriter) writer = scores ();
        const gsize size = values[k].type == GGUF_TYPE_U64 || values[k].type == GGUF_TYPE_I64 ? 8 : 4;
        gguf_writer_set (writer, keys[i], values[k].type, &values[k].value, size); /* little-endian */
        assert_refused (writer, ASSAY_ENGINE_ERROR_FORMAT, "tokenizer-id-range", keys[i], "0 to 261");
      }
}

static void
test_unused_ids (void)
{
  g_autoptr(GgufWriter) writer = scores ();
  gguf_writer_set_u32 (writer, KEY ("padding_token_id"), 262);
  g_autoptr(AssayTokenizer) tokenizer = assert_noticed (writer, "262 is no token");
}

static void
test_default_ids (void)
{
  const char *const tokens[] = { "a", "b" };
  const float values[] = { 0, 0 };
  const gint32 types[] = { 1, 1 };
  g_autoptr(GgufWriter) writer = scores ();
  gguf_writer_set_strings (writer, KEY ("tokens"), tokens, 2);
  gguf_writer_set_array (writer, KEY ("scores"), GGUF_TYPE_F32, 2, values, sizeof values);
  writer_set_types (writer, types, 2);
  g_autoptr(AssayTokenizer) tokenizer = assert_noticed (writer, "begin token is wanted");
  g_assert_cmpint (assay_tokenizer_get_bos (tokenizer), ==, -1);
  g_assert_cmpint (assay_tokenizer_get_eos (tokenizer), ==, -1);
  g_assert_false (assay_tokenizer_adds_bos (tokenizer));
  g_autoptr(GError) error = NULL;
  g_autoptr(GArray) ids
      = assay_tokenizer_encode (tokenizer, "axb", 3, ASSAY_ENCODE_ADD_SPECIAL, NULL, &error);
  g_autofree char *got = ids_to_string (ids);
  g_assert_cmpstr (got, ==, "0 1"); /* neither bytes nor an unknown token: left out, as the notice says */

  g_autoptr(GgufWriter) usual = scores ();
  g_autoptr(AssayTokenizer) llama = tokenizer_from_writer (usual, FALSE, &error);
  g_assert_no_error (error);
  g_assert_cmpint (assay_tokenizer_get_bos (llama), ==, 1);
  g_assert_cmpint (assay_tokenizer_get_eos (llama), ==, 2);
}

/* ---- tokens ---- */

static void
test_long_token (void)
{
  for (gsize extra = 0; extra < 2; extra++)
    {
      const gsize length = 64 * 1024 + extra;
      g_autofree char *long_token = g_strnfill (length, 'a');
      const char *const tokens[] = { "a", long_token };
      const gint32 types[] = { 1, 1 };
      g_autoptr(GgufWriter) writer = bytes ();
      gguf_writer_set_strings (writer, KEY ("tokens"), tokens, 2);
      gguf_writer_set_strings (writer, KEY ("merges"), NULL, 0);
      writer_set_types (writer, types, 2);
      g_autoptr(GByteArray) whole = gguf_writer_bytes (writer);
      g_autoptr(GError) error = NULL;
      g_autoptr(AssayModelFile) file
          = assay_model_file_open_bytes (whole->data, whole->len, "long.gguf", &error);
      g_autoptr(AssayTokenizer) tokenizer = file != NULL ? assay_tokenizer_new (file, FALSE, &error) : NULL;
      if (extra == 0)
        g_assert_no_error (error);
      else
        {
          g_assert_error (error, ASSAY_ENGINE_ERROR, ASSAY_ENGINE_ERROR_FORMAT);
          g_assert_nonnull (strstr (error->message, "65537 bytes"));
        }
    }
}

static void
test_odd_tokens (void)
{
  g_autoptr(GByteArray) raw = g_byte_array_new ();
  const char *const texts[] = { "a", "", "\377\376", "a", "b", "<x>", "<x>", "x\001\033[31m" };
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    gguf_put_string (raw, texts[i], strlen (texts[i]));
  const gint32 types[] = { 1, 1, 1, 1, 99, 4, 3, -1 };
  g_autoptr(GgufWriter) writer = bytes ();
  gguf_writer_set_array (writer, KEY ("tokens"), GGUF_TYPE_STRING, G_N_ELEMENTS (texts), raw->data, raw->len);
  gguf_writer_set_strings (writer, KEY ("merges"), NULL, 0);
  writer_set_types (writer, types, G_N_ELEMENTS (texts));
  g_autoptr(AssayTokenizer) empty = assert_noticed (writer, "1 tokens are empty");
  g_autoptr(AssayTokenizer) twice
      = assert_noticed (writer, "1 tokens repeat the text of an earlier one, the first is 3");
  g_autoptr(AssayTokenizer) types_noticed = assert_noticed (writer, "2 tokens have a type that is not known");
  g_autoptr(GError) error = NULL;
  g_autoptr(GArray) ids
      = assay_tokenizer_encode (empty, "ab<x>", -1, ASSAY_ENCODE_PARSE_SPECIAL, NULL, &error);
  g_autofree char *got = ids_to_string (ids);
  g_assert_cmpstr (got, ==, "0 4 5"); /* the lowest ids */
  const gint32 odd[] = { 2, 1 };
  g_autoptr(GString) text = assay_tokenizer_decode (empty, odd, 2, FALSE);
  g_assert_cmpmem (text->str, text->len, "\377\376", 2); /* bytes stay bytes */
}

static void
test_byte_tokens (void)
{
  const char *const bad[] = { "<0xZZ>", "<0x4>", "<0x041>", "<0X41>", "<0x41", "0x41", "<0x-1>", "" };
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      const char *const tokens[] = { "<unk>", bad[i] };
      const float values[] = { 0, 0 };
      const gint32 types[] = { 2, 6 };
      g_autoptr(GgufWriter) writer = scores ();
      gguf_writer_set_strings (writer, KEY ("tokens"), tokens, 2);
      gguf_writer_set_array (writer, KEY ("scores"), GGUF_TYPE_F32, 2, values, sizeof values);
      writer_set_types (writer, types, 2);
      assert_refused (writer, ASSAY_ENGINE_ERROR_FORMAT, "tokenizer-bad-byte", KEY ("tokens"), "token 1");
    }
}

/* A hostile vocabulary repeats millions of them. */
static void
test_repeated_bytes (void)
{
  const char *const tokens[] = { "<unk>", "<0x41>", "<0x41>", "<0x42>", "<0x41>", "<0x42>" };
  const float values[6] = { 0 };
  const gint32 types[] = { 2, 6, 6, 6, 6, 6 };
  g_autoptr(GgufWriter) writer = scores ();
  gguf_writer_set_strings (writer, KEY ("tokens"), tokens, 6);
  gguf_writer_set_array (writer, KEY ("scores"), GGUF_TYPE_F32, 6, values, sizeof values);
  writer_set_types (writer, types, 6);
  g_autoptr(AssayTokenizer) tokenizer
      = assert_noticed (writer, "3 tokens repeat a byte, the first is 2; the earlier ones are used");
  const char *const *notices = assay_tokenizer_get_notices (tokenizer);
  guint n = 0;
  for (guint i = 0; notices[i] != NULL; i++)
    n += strstr (notices[i], "a byte") != NULL;
  g_assert_cmpuint (n, ==, 1);
}

static void
test_without_types (void)
{
  g_autoptr(GgufWriter) writer = scores ();
  gguf_writer_remove (writer, KEY ("token_type"));
  g_autoptr(AssayTokenizer) tokenizer
      = assert_noticed (writer, "256 tokens are taken as bytes by their text");
  g_autoptr(GError) error = NULL;
  g_autoptr(GArray) ids = assay_tokenizer_encode (tokenizer, "a\n", 2, ASSAY_ENCODE_DEFAULT, NULL, &error);
  g_autofree char *got = ids_to_string (ids);
  g_assert_cmpstr (got, ==, "259 260 13");
}

static void
test_unknown_token (void)
{
  const char *const tokens[] = { "<unk>", "a", "b" };
  const float values[] = { 0, 0, 0 };
  const gint32 types[] = { 2, 1, 1 };
  g_autoptr(GgufWriter) writer = scores ();
  gguf_writer_set_strings (writer, KEY ("tokens"), tokens, 3);
  gguf_writer_set_array (writer, KEY ("scores"), GGUF_TYPE_F32, 3, values, sizeof values);
  writer_set_types (writer, types, 3);
  gguf_writer_set_bool (writer, KEY ("add_space_prefix"), 0);
  g_autoptr(AssayTokenizer) tokenizer = assert_noticed (writer, "become the unknown token");
  g_autoptr(GError) error = NULL;
  g_autoptr(GArray) ids
      = assay_tokenizer_encode (tokenizer, "a漢字b\377", -1, ASSAY_ENCODE_DEFAULT, NULL, &error);
  g_autofree char *got = ids_to_string (ids);
  g_assert_cmpstr (got, ==, "1 0 2 0"); /* as sentencepiece: one for a run */
}

/* ---- merges ---- */

static void
test_merges (void)
{
  const struct { const char *merge, *said; } rows[] = {
    { "", "merge 1" },   { " ", "merge 1" },          { "ab", "merge 1" },       { "a ", "merge 1" },
    { " a", "merge 1" }, { " a b", "first piece" },   { "zz a", "first piece" }, { "a zz", "second piece" },
    { "b a", "result" }, { "a b c", "second piece" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      const char *const merges[] = { "a b", rows[i].merge };
      g_autoptr(GgufWriter) writer = bytes ();
      gguf_writer_set_strings (writer, KEY ("merges"), merges, 2);
      assert_refused (writer, ASSAY_ENGINE_ERROR_FORMAT, "tokenizer-bad-merge", KEY ("merges"), "merge 1");
      assert_refused (writer, ASSAY_ENGINE_ERROR_FORMAT, "tokenizer-bad-merge", KEY ("merges"), rows[i].said);
    }
  g_autoptr(GgufWriter) writer = bytes ();
  const char *const twice[] = { "a b", "a b" };
  gguf_writer_set_strings (writer, KEY ("merges"), twice, 2);
  g_autoptr(AssayTokenizer) tokenizer = assert_noticed (writer, "1 merges are listed twice");
}

static void
test_merge_of_control (void)
{
  const char *const specials[] = { "<s>", NULL };
  const char *const merges[] = { "< s", "<s >" };
  g_autoptr(GgufWriter) writer = byte_vocabulary ("gpt-2", specials, "< s"); /* 256 "<s", 257 "<s>" */
  gguf_writer_set_strings (writer, KEY ("merges"), merges, 2);
  g_autoptr(AssayTokenizer) tokenizer = assert_noticed (writer, "1 merges name a control token");
  g_autoptr(GError) error = NULL;
  g_autoptr(GArray) ids = assay_tokenizer_encode (tokenizer, "<s>", -1, ASSAY_ENCODE_DEFAULT, NULL, &error);
  for (guint i = 0; i < ids->len; i++)
    g_assert_cmpint (g_array_index (ids, gint32, i), !=, 257);
}

static void
test_many_merges (void)
{
  enum { SIDE = 1415, N = SIDE * SIDE }; /* 2,002,225 */
  g_autoptr(GgufWriter) writer = bytes ();
  g_autoptr(GByteArray) tokens = g_byte_array_new (), merges = g_byte_array_new ();
  char pieces[SIDE][4];
  guint n = 0;
  for (guint i = 0; i < 62; i++, n++)
    {
      pieces[n][0] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"[i];
      gguf_put_string (tokens, pieces[n], 1);
    }
  for (guint i = 0; i < SIDE; i++)
    {
      g_snprintf (pieces[i], 4, "%c%c%c", 'a' + i / 144, 'a' + i / 12 % 12, 'a' + i % 12);
      gguf_put_string (tokens, pieces[i], 3);
    }
  for (guint a = 0; a < SIDE; a++)
    for (guint b = 0; b < SIDE; b++)
      {
        char text[8];
        g_snprintf (text, sizeof text, "%s %s", pieces[a], pieces[b]);
        gguf_put_string (merges, text, 7);
        g_snprintf (text, sizeof text, "%s%s", pieces[a], pieces[b]);
        gguf_put_string (tokens, text, 6);
      }
  gguf_writer_remove (writer, KEY ("token_type"));
  gguf_writer_set_array (writer, KEY ("tokens"), GGUF_TYPE_STRING, 62 + SIDE + N, tokens->data, tokens->len);
  gguf_writer_set_array (writer, KEY ("merges"), GGUF_TYPE_STRING, N, merges->data, merges->len);
  g_autoptr(AssayModelFile) file = file_from_writer (writer);
  const clock_t start = clock (); /* of this process: the machine may be busy */
  g_autoptr(GError) error = NULL;
  g_autoptr(AssayTokenizer) tokenizer = assay_tokenizer_new (file, FALSE, &error);
  g_assert_no_error (error);
  const double took = (double) (clock () - start) / CLOCKS_PER_SEC;
  g_test_message ("%d merges in %.2f s", N, took);
#ifndef __SANITIZE_ADDRESS__ /* three times as slow */
  g_assert_cmpfloat (took, <, 5.0);
#endif
}

/* ---- pre-tokenizers ---- */

static void
test_pre (void)
{
  const char *const unknown[] = { "gpt-4o-next", "GPT-2", "gpt-2 ", "\033[31m" };
  for (guint i = 0; i < G_N_ELEMENTS (unknown); i++)
    {
      g_autoptr(GgufWriter) writer = byte_vocabulary (unknown[i], NULL, "");
      assert_refused (writer, ASSAY_ENGINE_ERROR_UNSUPPORTED, "tokenizer-unknown-pre", KEY ("pre"),
                      "known are gpt-2, phi-2");
    }
  g_autoptr(GgufWriter) escaped = byte_vocabulary ("\033[31m", NULL, "");
  assert_refused (escaped, ASSAY_ENGINE_ERROR_UNSUPPORTED, "tokenizer-unknown-pre", KEY ("pre"), "\\x1B[31m");

  const char *const missing[] = { NULL, "", "default" };
  for (guint i = 0; i < G_N_ELEMENTS (missing); i++)
    {
      g_autoptr(GgufWriter) writer = byte_vocabulary (missing[i], NULL, "");
      assert_refused (writer, ASSAY_ENGINE_ERROR_FORMAT, "tokenizer-no-pre", KEY ("pre"),
                      "set tokenizer_note to 'unverified'");
      g_autoptr(AssayTokenizer) tokenizer = assert_noticed (writer, "tokens may be wrong");
      g_assert_false (assay_tokenizer_is_verified (tokenizer));
      g_autoptr(GError) error = NULL;
      g_autoptr(GArray) ids
          = assay_tokenizer_encode (tokenizer, "3.14 don't", -1, ASSAY_ENCODE_DEFAULT, NULL, &error);
      g_assert_no_error (error);
      g_assert_cmpuint (ids->len, ==, 10);
    }
  g_autoptr(GgufWriter) number = byte_vocabulary (NULL, NULL, "");
  gguf_writer_set_u32 (number, KEY ("pre"), 3);
  assert_refused (number, ASSAY_ENGINE_ERROR_FORMAT, "tokenizer-bad-type", KEY ("pre"), "not a string");
}

/* ---- anything ---- */

static void
use (AssayModelFile *file)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AssayTokenizer) tokenizer = assay_tokenizer_new (file, TRUE, &error);
  g_assert_true ((tokenizer == NULL) == (error != NULL));
  if (tokenizer == NULL)
    return;
  g_autoptr(GArray) ids = assay_tokenizer_encode (
      tokenizer, "ab <s>\377 漢", -1, ASSAY_ENCODE_ADD_SPECIAL | ASSAY_ENCODE_PARSE_SPECIAL, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < ids->len; i++)
    g_assert_cmpuint ((guint) g_array_index (ids, gint32, i), <, assay_tokenizer_get_n_tokens (tokenizer));
  g_string_free (assay_tokenizer_decode (tokenizer, (const gint32 *) ids->data, ids->len, TRUE), TRUE);
  g_autoptr(GArray) chat = assay_chat_encode (ASSAY_CHAT_AUTO, tokenizer, NULL, "x", NULL, &error);
  g_assert_true ((chat == NULL) == (error != NULL));
}

static void
test_damaged (void)
{
  const char *const specials[] = { "<s>", "<|im_start|>", "<|im_end|>", NULL };
  g_autoptr(GgufWriter) byte_level = byte_vocabulary ("smollm", specials, "a b");
  g_autoptr(GgufWriter) by_score = scores ();
  GgufWriter *const writers[] = { byte_level, by_score };
  const guint32 seed = g_test_rand_int ();
  g_autoptr(GRand) rand = g_rand_new_with_seed (seed);
  g_test_message ("seed %u", seed);
  for (guint w = 0; w < 2; w++)
    {
      gguf_writer_set_string (writers[w], "tokenizer.chat_template",
                              "{% if messages[0]['role'] != 'system' %}"
                              "{{ '<|im_start|>system\\nA<|im_end|>\\n' }}{% endif %}");
      gguf_writer_set_u32 (writers[w], KEY ("bos_token_id"), 1);
      g_autoptr(GByteArray) whole = gguf_writer_bytes (writers[w]);
      for (guint round = 0; round < 3000; round++)
        {
          g_autofree guint8 *damaged = g_memdup2 (whole->data, whole->len);
          for (guint n = g_rand_int_range (rand, 1, 5); n > 0; n--)
            damaged[g_rand_int_range (rand, 0, whole->len)] = (guint8) g_rand_int_range (rand, 0, 256);
          g_autoptr(GError) error = NULL;
          g_autoptr(AssayModelFile) file
              = assay_model_file_open_bytes (damaged, whole->len, "damaged.gguf", &error);
          if (file != NULL)
            use (file);
        }
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/text/hostile/other-tokenizers-are-named", test_models);
  g_test_add_func ("/text/hostile/element-types-must-match", test_element_types);
  g_test_add_func ("/text/hostile/counts-must-match", test_counts);
  g_test_add_func ("/text/hostile/embedding-has-a-row-for-each-token", test_embedding_rows);
  g_test_add_func ("/text/hostile/scores-are-numbers", test_scores_that_are_no_numbers);
  g_test_add_func ("/text/hostile/ids-are-in-range", test_ids);
  g_test_add_func ("/text/hostile/ids-that-nothing-uses-are-noticed", test_unused_ids);
  g_test_add_func ("/text/hostile/default-ids-are-checked-too", test_default_ids);
  g_test_add_func ("/text/hostile/a-token-has-at-most-64-kib", test_long_token);
  g_test_add_func ("/text/hostile/odd-tokens-are-noticed", test_odd_tokens);
  g_test_add_func ("/text/hostile/byte-tokens-are-well-formed", test_byte_tokens);
  g_test_add_func ("/text/hostile/repeated-bytes-are-one-notice", test_repeated_bytes);
  g_test_add_func ("/text/hostile/bytes-are-known-without-types", test_without_types);
  g_test_add_func ("/text/hostile/unknown-characters", test_unknown_token);
  g_test_add_func ("/text/hostile/merges-name-tokens", test_merges);
  g_test_add_func ("/text/hostile/merges-never-make-control-tokens", test_merge_of_control);
  g_test_add_func ("/text/hostile/two-million-merges-in-five-seconds", test_many_merges);
  g_test_add_func ("/text/hostile/pre-tokenizer-is-named-and-known", test_pre);
  g_test_add_func ("/text/hostile/damaged-files-never-crash", test_damaged);
  return g_test_run ();
}
