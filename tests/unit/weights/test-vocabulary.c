/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/weights/test-vocabulary.c: rows M41 to M50: tokenizer data and chat templates that are not what
 * they say. */
#include "hostile.h"

#include "text/assay-chat.h"

#include <string.h>
#include <sys/mman.h>

#define FORMAT ASSAY_ENGINE_ERROR_FORMAT
#define UNSUPPORTED ASSAY_ENGINE_ERROR_UNSUPPORTED
#define KEY(name) "tokenizer.ggml." name

static const TinyModel score = { .tokenizer = TINY_LLAMA };
static const TinyModel bytes = { .tokenizer = TINY_GPT2 };

static AssayTokenizer *
tokenizer_of (GgufWriter *w, AssayModelFile **file)
{
  g_autoptr (GError) error = NULL;
  *file = hostile_open (w);
  AssayTokenizer *tokenizer = assay_tokenizer_new (*file, FALSE, &error);
  g_assert_no_error (error);
  return tokenizer;
}

static gboolean
tokenizer_notices (AssayTokenizer *tokenizer, const char *text)
{
  const char *const *notices = assay_tokenizer_get_notices (tokenizer);
  for (guint i = 0; notices[i] != NULL; i++)
    if (strstr (notices[i], text) != NULL)
      return TRUE;
  return FALSE;
}

static void
refuse_array (const TinyModel *model, const char *key, guint32 type, guint64 count, gsize bytes_each,
              const char *reason, const char *text)
{
  g_autoptr (GgufWriter) w = tiny_model_new (model);
  g_autofree guint8 *zeros = g_malloc0 (count * bytes_each + 1);
  gguf_writer_set_array (w, key, type, count, zeros, count * bytes_each);
  hostile_assert_writer_refused (w, FORMAT, reason, text);
}

static void
test_m41_element_types (void)
{
  refuse_array (&score, KEY ("scores"), GGUF_TYPE_U8, 48, 1, "tokenizer-bad-type", "scores");
  refuse_array (&score, KEY ("token_type"), GGUF_TYPE_U8, 48, 1, "tokenizer-bad-type", "token_type");
  refuse_array (&score, KEY ("token_type"), GGUF_TYPE_F32, 48, 4, "tokenizer-bad-type", "token_type");
  refuse_array (&score, KEY ("tokens"), GGUF_TYPE_U32, 48, 4, "tokenizer-bad-type", "tokens");
  refuse_array (&bytes, KEY ("merges"), GGUF_TYPE_U8, 3, 1, "tokenizer-bad-type", "merges");
}

static void
test_m42_counts (void)
{
  refuse_array (&score, KEY ("scores"), GGUF_TYPE_F32, 47, 4, "tokenizer-count", "47");
  refuse_array (&score, KEY ("token_type"), GGUF_TYPE_I32, 49, 4, "tokenizer-count", "49");
  refuse_array (&score, KEY ("tokens"), GGUF_TYPE_STRING, 0, 8, "tokenizer-size", NULL);
  g_autoptr (GgufWriter) none = tiny_model_new (&score);
  gguf_writer_remove (none, KEY ("tokens"));
  hostile_assert_writer_refused (none, FORMAT, "tokenizer-missing", "tokens");
  g_autoptr (GgufWriter) no_vocab = tiny_model_new (&score);
  gguf_writer_set_string (no_vocab, KEY ("model"), "no_vocab");
  hostile_assert_writer_refused (no_vocab, UNSUPPORTED, "tokenizer-unsupported", "no_vocab");
}

static void
test_m42_more_rows_than_tokens (void)
{
  g_autoptr (GgufWriter) w = tiny_model_new (&score);
  GgufWriterTensor *table = gguf_writer_get_tensor (w, "token_embd.weight");
  gguf_writer_remove (w, "llama.vocab_size");
  table->dims[1] = 64;
  g_byte_array_set_size (table->data, 64 * 32 * 4);
  memset (table->data->data + 48 * 32 * 4, 0, 16 * 32 * 4);
  hostile_assert_loads (w);
  g_autoptr (AssayModelFile) file = NULL;
  g_autoptr (AssayTokenizer) tokenizer = tokenizer_of (w, &file);
  g_assert_true (tokenizer_notices (tokenizer, "64 rows for 48 tokens"));
}

static void
test_m43_special_ids (void)
{
  static const char *const keys[] = { KEY ("bos_token_id"), KEY ("eos_token_id"), KEY ("unknown_token_id") };
  static const guint32 bad[] = { 48, 1u << 31, G_MAXUINT32 };
  for (guint k = 0; k < G_N_ELEMENTS (keys); k++)
    {
      for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
        {
          g_autoptr (GgufWriter) w = tiny_model_new (&score);
          gguf_writer_set_u32 (w, keys[k], bad[i]);
          hostile_assert_writer_refused (w, FORMAT, "tokenizer-id-range", keys[k]);
        }
      g_autoptr (GgufWriter) negative = tiny_model_new (&score);
      gguf_writer_set (negative, keys[k], GGUF_TYPE_I32, "\377\377\377\377", 4);
      hostile_assert_writer_refused (negative, FORMAT, "tokenizer-id-range", "-1");
    }
}

/* Two tokens: the defaults bos 1 and eos 2 of such files must not be believed blindly. */
static void
test_m43_defaults_out_of_range (void)
{
  g_autoptr (GgufWriter) w = tiny_model_new (&score);
  GgufWriterTensor *table = gguf_writer_get_tensor (w, "token_embd.weight");
  const char *const tokens[] = { "a", "b" };
  gguf_writer_remove (w, "llama.vocab_size");
  gguf_writer_remove (w, KEY ("bos_token_id"));
  gguf_writer_remove (w, KEY ("eos_token_id"));
  gguf_writer_remove (w, KEY ("unknown_token_id"));
  gguf_writer_remove (w, KEY ("token_type"));
  gguf_writer_set_strings (w, KEY ("tokens"), tokens, 2);
  gguf_writer_set_array (w, KEY ("scores"), GGUF_TYPE_F32, 2, "\0\0\0\0\0\0\0\0", 8);
  table->dims[1] = 2;
  g_byte_array_set_size (table->data, 2 * 32 * 4);
  hostile_assert_loads (w);
  g_autoptr (AssayModelFile) file = NULL;
  g_autoptr (AssayTokenizer) tokenizer = tokenizer_of (w, &file);
  g_autoptr (GArray) ids = assay_tokenizer_encode (tokenizer, "ab?", 3, ASSAY_ENCODE_ADD_SPECIAL, NULL, NULL);
  g_assert_cmpint (assay_tokenizer_get_bos (tokenizer), ==, -1);
  g_assert_cmpint (assay_tokenizer_get_eos (tokenizer), ==, -1);
  for (guint i = 0; i < ids->len; i++)
    g_assert_cmpint (g_array_index (ids, gint32, i), <, 2);
}

static void
test_m44_long_tokens (void)
{
  static const gsize lengths[] = { 65537, 10 << 20 };
  for (guint i = 0; i < G_N_ELEMENTS (lengths); i++)
    {
      g_autoptr (GgufWriter) w = tiny_model_new (&score);
      g_autofree char *token = g_strnfill (lengths[i], 't');
      const char *const tokens[] = { token };
      gguf_writer_set_strings (w, KEY ("tokens"), tokens, 1);
      hostile_assert_writer_refused (w, FORMAT, "gguf-string-length", "65536");
    }
}

/* Address space only: the limit must be found before a byte of the text is read. */
static void
test_m45_prompt_too_large (void)
{
  const gsize length = (gsize) (G_GUINT64_CONSTANT (1) << 31) + 10;
  g_autoptr (GgufWriter) w = tiny_model_new (&score);
  g_autoptr (AssayModelFile) file = NULL;
  g_autoptr (AssayTokenizer) tokenizer = tokenizer_of (w, &file);
  g_autoptr (GError) error = NULL;
  char *text = mmap (NULL, length, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (text == MAP_FAILED)
    {
      g_test_skip ("no 2 GiB of address space");
      return;
    }
  g_assert_null (assay_tokenizer_encode (tokenizer, text, (gssize) length, 0, NULL, &error));
  g_assert_error (error, ASSAY_ENGINE_ERROR, ASSAY_ENGINE_ERROR_CONTEXT);
  munmap (text, length);
}

/* The n-th token's text replaced by another; the rest stay. */
static void
replace_token (GgufWriter *w, guint n, const char *text, gsize length)
{
  g_autoptr (AssayModelFile) file = hostile_open (w);
  g_autoptr (GByteArray) out = g_byte_array_new ();
  guint type;
  guint64 count;
  g_assert_true (assay_model_file_get_array (file, KEY ("tokens"), &type, &count));
  for (guint i = 0; i < count; i++)
    {
      const AssayBytes token = assay_model_file_get_array_string (file, KEY ("tokens"), i);
      gguf_put_string (out, i == n ? text : token.data, i == n ? length : token.length);
    }
  gguf_writer_set_array (w, KEY ("tokens"), GGUF_TYPE_STRING, count, out->data, out->len);
}

static void
test_m46_odd_tokens (void)
{
  g_autoptr (GgufWriter) w = tiny_model_new (&score);
  replace_token (w, 40, "\xff\xfe", 2); /* no UTF-8 */
  replace_token (w, 41, "", 0);
  replace_token (w, 42, "re", 2);       /* token 8's text */
  replace_token (w, 43, "a\0b", 3);
  hostile_assert_loads (w);
  g_autoptr (AssayModelFile) file = NULL;
  g_autoptr (AssayTokenizer) tokenizer = tokenizer_of (w, &file);
  g_assert_true (tokenizer_notices (tokenizer, "empty"));
  g_assert_true (tokenizer_notices (tokenizer, "repeat"));
  const gint32 odd = 40;
  g_autoptr (GString) back = assay_tokenizer_decode (tokenizer, &odd, 1, FALSE);
  g_assert_cmpmem (back->str, back->len, "\xff\xfe", 2);
  g_autoptr (GArray) ids = assay_tokenizer_encode (tokenizer, "re", 2, 0, NULL, NULL);
  for (guint i = 0; i < ids->len; i++)
    g_assert_cmpint (g_array_index (ids, gint32, i), !=, 42); /* the lowest id wins */

  const TinyModel with_bytes = { .tokenizer = TINY_LLAMA_BYTES };
  g_autoptr (GgufWriter) malformed = tiny_model_new (&with_bytes);
  replace_token (malformed, 10, "<0xZZ>", 6);
  hostile_assert_writer_refused (malformed, FORMAT, "tokenizer-bad-byte", "<0xZZ>");
}

static void
refuse_merge (const char *merge, const char *text)
{
  g_autoptr (GgufWriter) w = tiny_model_new (&bytes);
  const char *const merges[] = { "Ġ t", "h e", merge };
  gguf_writer_set_strings (w, KEY ("merges"), merges, 3);
  hostile_assert_writer_refused (w, FORMAT, "tokenizer-bad-merge", text);
}

static void
test_m47_merges (void)
{
  g_autofree char *longer = g_strdup_printf ("h %s", "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee");
  refuse_merge ("xyz q", "merge 2");
  refuse_merge (longer, "merge 2");
  refuse_merge ("h ", "merge 2");
  refuse_merge (" h", "merge 2");
  refuse_merge ("", "merge 2");
  refuse_merge ("z q", "result is no token");
}

/* The same merge two million times over: sound, if useless. */
static void
test_m47_two_million_merges (void)
{
  enum { N = 2000000 };
  g_autoptr (GgufWriter) w = tiny_model_new (&bytes);
  g_autoptr (GByteArray) merges = g_byte_array_new ();
  static const char *const texts[] = { "Ġ t", "h e", "Ġ a", "i n", "r e" };
  for (guint i = 0; i < N; i++)
    gguf_put_string (merges, texts[i % 5], strlen (texts[i % 5]));
  gguf_writer_set_array (w, KEY ("merges"), GGUF_TYPE_STRING, N, merges->data, merges->len);
  g_autoptr (AssayModelFile) file = hostile_open (w);
  g_autoptr (GError) error = NULL;
  const gint64 start = g_get_monotonic_time ();
  g_autoptr (AssayTokenizer) tokenizer = assay_tokenizer_new (file, FALSE, &error);
  g_assert_cmpint (g_get_monotonic_time () - start, <, 5 * G_USEC_PER_SEC);
  g_assert_no_error (error);
}

/* C34, C48 */
static void
test_m48_pre_tokenizers (void)
{
  g_autoptr (GgufWriter) w = tiny_model_new (&bytes);
  gguf_writer_set_string (w, KEY ("pre"), "gpt-4o-next");
  hostile_assert_writer_refused (w, UNSUPPORTED, "tokenizer-unknown-pre", "gpt-4o-next");
  gguf_writer_remove (w, KEY ("pre"));
  hostile_assert_writer_refused (w, FORMAT, "tokenizer-no-pre", KEY ("pre"));
  g_autoptr (AssayModelFile) file = hostile_open (w);
  g_autoptr (AssayTokenizer) tokenizer = assay_tokenizer_new (file, TRUE, NULL);
  g_assert_nonnull (tokenizer);
  g_assert_false (assay_tokenizer_is_verified (tokenizer));
  g_assert_true (tokenizer_notices (tokenizer, "may be wrong"));
}

/* The template is not understood, in no time, and everything but chat formatting works. */
static void
assert_raw_only (const char *template)
{
  g_autoptr (GgufWriter) w = tiny_model_new (&bytes);
  gguf_writer_set_string (w, "tokenizer.chat_template", template);
  hostile_assert_loads (w);
  g_autoptr (AssayModelFile) file = NULL;
  g_autoptr (AssayTokenizer) tokenizer = tokenizer_of (w, &file);
  g_autoptr (GError) error = NULL;
  AssayChatFormat format = ASSAY_CHAT_RAW;
  const gint64 start = g_get_monotonic_time ();
  g_assert_false (assay_chat_format_recognise (file, tokenizer, &format, &error));
  g_assert_cmpint (g_get_monotonic_time () - start, <, G_USEC_PER_SEC);
  g_assert_error (error, ASSAY_ENGINE_ERROR, UNSUPPORTED);
  g_assert_cmpstr (assay_engine_error_get_reason (error), ==, "chat-template-unknown");
  g_autoptr (GArray) ids = assay_chat_encode (ASSAY_CHAT_RAW, tokenizer, NULL, "the", NULL, NULL);
  g_assert_nonnull (ids);
}

static void
test_m49_hostile_templates (void)
{
  g_autofree char *parentheses = g_strnfill (100000, '(');
  g_autofree char *nested = g_strdup_printf ("{{ %s }}", parentheses);
  assert_raw_only ("{% import 'os' as os %}{{ os.system('id') }}");
  assert_raw_only ("{{ ''.__class__.__mro__[1].__subclasses__() }}");
  assert_raw_only ("{% for i in range(10**9) %}{% endfor %}");
  assert_raw_only ("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}");
  assert_raw_only (nested);
}

static void
test_m50_unknown_tag (void)
{
  assert_raw_only ("{% generation %}{{ messages }}{% endgeneration %}");
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
#define ROW(name, function) g_test_add_func ("/weights/vocabulary/" name, function)
  ROW ("M41-element-types", test_m41_element_types);
  ROW ("M42-counts", test_m42_counts);
  ROW ("M42-more-rows-than-tokens-is-a-notice", test_m42_more_rows_than_tokens);
  ROW ("M43-special-ids", test_m43_special_ids);
  ROW ("M43-defaults-out-of-range", test_m43_defaults_out_of_range);
  ROW ("M44-long-tokens", test_m44_long_tokens);
  ROW ("M45-prompt-too-large", test_m45_prompt_too_large);
  ROW ("M46-odd-tokens", test_m46_odd_tokens);
  ROW ("M47-merges", test_m47_merges);
  ROW ("M47-two-million-merges", test_m47_two_million_merges);
  ROW ("M48-pre-tokenizers", test_m48_pre_tokenizers);
  ROW ("M49-hostile-templates-are-never-run", test_m49_hostile_templates);
  ROW ("M50-a-tag-that-nobody-knows", test_m50_unknown_tag);
  return g_test_run ();
}
