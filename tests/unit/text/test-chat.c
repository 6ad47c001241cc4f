/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One turn against what Transformers makes of each family's own template. */
#include "text-fixture.h"
#include "text/assay-chat.h"

#include <string.h>

#define DEFAULT_SYSTEM "You are a helpful AI assistant named SmolLM, trained by Hugging Face"

static const char *const all_specials[] = {
  "<s>",
  "</s>",
  "<|im_start|>",
  "<|im_end|>",
  "<|start_header_id|>",
  "<|end_header_id|>",
  "<|eot_id|>",
  "<start_of_turn>",
  "<end_of_turn>",
  "[INST]",
  "[/INST]",
  "<|system|>",
  "<|user|>",
  "<|assistant|>",
  "<|end|>",
  "<|endoftext|>",
  NULL,
};

static GgufWriter *
chat_vocabulary (const char *template, gssize length, const char *const *specials)
{
  GgufWriter *writer = byte_vocabulary ("gpt-2", specials, "");
  if (specials[0] != NULL && specials[1] != NULL)
    {
      gguf_writer_set_u32 (writer, "tokenizer.ggml.bos_token_id", 256);
      gguf_writer_set_u32 (writer, "tokenizer.ggml.eos_token_id", 257);
    }
  if (template != NULL)
    gguf_writer_set_string_n (writer, "tokenizer.chat_template", template,
                              length < 0 ? strlen (template) : (gsize)length);
  return writer;
}

static AssayTokenizer *
open_chat (const char *template, const char *const *specials, AssayModelFile **file)
{
  g_autoptr(GgufWriter) writer = chat_vocabulary (template, -1, specials);
  g_autoptr(GError) error = NULL;
  *file = file_from_writer (writer);
  AssayTokenizer *tokenizer = assay_tokenizer_new (*file, FALSE, &error);
  g_assert_no_error (error);
  return tokenizer;
}

static char *
chat_text (AssayTokenizer *tokenizer, AssayChatFormat format, const char *system, const char *user)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GArray) ids = assay_chat_encode (format, tokenizer, system, user, NULL, &error);
  g_assert_no_error (error);
  GString *text = assay_tokenizer_decode (tokenizer, (const gint32 *) ids->data, ids->len, TRUE);
  return g_string_free (text, FALSE);
}

static guint
count_specials (AssayTokenizer *tokenizer, AssayChatFormat format, const char *system, const char *user)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GArray) ids = assay_chat_encode (format, tokenizer, system, user, NULL, &error);
  g_assert_no_error (error);
  guint n = 0;
  for (guint i = 0; i < ids->len; i++)
    n += g_array_index (ids, gint32, i) >= 256;
  return n;
}

static AssayChatFormat
recognise (AssayModelFile *file, AssayTokenizer *tokenizer)
{
  AssayChatFormat format;
  g_autoptr(GError) error = NULL;
  g_assert_true (assay_chat_format_recognise (file, tokenizer, &format, &error));
  g_assert_no_error (error);
  return format;
}

static void
test_reference (void)
{
  g_auto(Fixture) chats = { NULL };
  fixture_open (&chats, "chats.gz");
  const guint32 n = fixture_u32 (&chats);
  g_assert_cmpuint (n, >=, 16);
  for (guint32 i = 0; i < n; i++)
    {
      const AssayBytes name = fixture_text (&chats), family = fixture_text (&chats),
                       template = fixture_text (&chats);
      g_autofree char *family_name = g_strndup (family.data, family.length);
      g_autofree char *source = g_strndup (template.data, template.length);
      g_autoptr(AssayModelFile) file = NULL;
      g_autoptr(AssayTokenizer) tokenizer = open_chat (source, all_specials, &file);
      const AssayChatFormat format = recognise (file, tokenizer);
      g_test_message ("%.*s", (int) name.length, name.data);
      g_assert_cmpstr (assay_chat_format_get_name (format), ==, family_name);

      for (guint32 n_cases = fixture_u32 (&chats); n_cases > 0; n_cases--)
        {
          const AssayBytes system = fixture_text (&chats), user = fixture_text (&chats),
                           wanted = fixture_text (&chats);
          g_autofree char *system_text = system.length > 0 ? g_strndup (system.data, system.length) : NULL;
          g_autofree char *user_text = g_strndup (user.data, user.length),
                          *wanted_text = g_strndup (wanted.data, wanted.length);
          g_autofree char *got = chat_text (tokenizer, format, system_text, user_text);
          g_assert_cmpstr (got, ==, wanted_text);
          g_assert_cmpuint (
              count_specials (tokenizer, format, system_text, user_text), ==,
              count_specials (tokenizer, format, system_text, "x")); /* none from the person's text */
        }
    }
}

static void
test_default_model (void)
{
  g_autoptr(AssayModelFile) file = open_default_model ();
  if (file == NULL)
    return;
  g_autoptr(GError) error = NULL;
  g_autoptr(AssayTokenizer) tokenizer = assay_tokenizer_new (file, FALSE, &error);
  g_assert_no_error (error);
  g_assert_cmpint (recognise (file, tokenizer), ==, ASSAY_CHAT_CHATML);
  g_autofree char *text = chat_text (tokenizer, ASSAY_CHAT_AUTO, NULL, "Hi");
  g_assert_cmpstr (text, ==,
                   "<|im_start|>system\n" DEFAULT_SYSTEM
                   "<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n");
  g_autofree char *bare = chat_text (tokenizer, ASSAY_CHAT_AUTO, "", "Hi");
  g_assert_cmpstr (bare, ==, "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n");
  g_autofree char *raw = chat_text (tokenizer, ASSAY_CHAT_RAW, NULL, "Hi");
  g_assert_cmpstr (raw, ==, "Hi");
}

static void
assert_unknown (const char *template, gssize length, const char *const *specials)
{
  g_autoptr(GgufWriter) writer = chat_vocabulary (template, length, specials);
  g_autoptr(AssayModelFile) file = file_from_writer (writer);
  g_autoptr(GError) error = NULL;
  g_autoptr(AssayTokenizer) tokenizer = assay_tokenizer_new (file, FALSE, &error);
  AssayChatFormat format;
  g_assert_no_error (error);
  g_assert_false (assay_chat_format_recognise (file, tokenizer, &format, &error));
  g_assert_error (error, ASSAY_ENGINE_ERROR, ASSAY_ENGINE_ERROR_UNSUPPORTED);
  g_assert_cmpstr (assay_engine_error_get_reason (error), ==, "chat-template-unknown");
  g_clear_error (&error);
  g_assert_null (assay_chat_encode (ASSAY_CHAT_AUTO, tokenizer, NULL, "Hi", NULL, &error));
  g_assert_error (error, ASSAY_ENGINE_ERROR, ASSAY_ENGINE_ERROR_UNSUPPORTED);
  g_autofree char *raw = chat_text (tokenizer, ASSAY_CHAT_RAW, NULL, "Hi"); /* a raw prompt is not affected */
  g_assert_cmpstr (raw, ==, "Hi");
}

static void
test_unknown (void)
{
  const char *const none[] = { NULL };
  const char *const templates[] = {
    "",
    "{{ messages }}",
    "{% import os %}{{ os.system('x') }}",
    "{% for i in range(10**9) %}{% endfor %}",
    "{% generation %}",
    "<|im_start|>user<|im_sep|>x<|im_end|>",
    "<|START_OF_TURN_TOKEN|>",
    "[SYSTEM_PROMPT]x[/SYSTEM_PROMPT][INST]y[/INST]",
    "<|user|>\n{{ message['content'] }}\n<|assistant|>\n",
  };
  for (guint i = 0; i < G_N_ELEMENTS (templates); i++)
    assert_unknown (templates[i], -1, all_specials);
  assert_unknown ("<|im_start|>\0<|im_en", 20, all_specials);
  assert_unknown ("<|im_start|><|im_end|>", -1, none); /* the tokens are not there */

  const gsize deep = 100000;
  g_autofree char *nested = g_malloc (deep);
  memset (nested, '(', deep);
  assert_unknown (nested, deep, all_specials);
  const gsize huge = (2 << 20) + 64;
  g_autofree char *long_one = g_strnfill (huge, ' ');
  memcpy (long_one + huge - 24, "<|im_start|><|im_end|>", 22);
  assert_unknown (long_one, huge, all_specials);
}

/* Only a whole literal turn counts, and only where the template writes it for want of a system message. */
static void
test_default_system (void)
{
#define TURN "{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>\\n' }}"
#define NO_SYSTEM "{% if messages[0]['role'] != 'system' %}"
  const struct { const char *template, *system; } rows[] = {
    { NO_SYSTEM "{{ '<|im_start|>system\\nBe kind.<|im_end|>\\n' }}{% endif %}" TURN, "Be kind." },
    { NO_SYSTEM "{{- \"<|im_start|>system\\nIt's \\\"so\\\".\\nYes<|im_end|>\\n\" -}}{% endif %}" TURN,
      "It's \"so\".\nYes" },
    { "{% if messages[0]['role'] == 'system' %}{{ 'x' }}{% else %}{{ '<|im_start|>system\nA<|im_end|>\n' "
      "}}{% endif %}" TURN,
      "A" },
    { "{{ '<|im_start|>system\\nalways<|im_end|>\\n' }}" TURN, NULL },
    { "{% if tools %}{{ '<|im_start|>system\\ntools<|im_end|>\\n' }}{% endif %}" TURN, NULL },
    { "{% if tools %}{{ 'x' }}{% else %}{{ '<|im_start|>system\\nno tools<|im_end|>\\n' }}{% endif %}" TURN,
      NULL },
    { NO_SYSTEM "{{ '<|im_start|>system\\nDate: ' + today + '<|im_end|>\\n' }}{% endif %}" TURN, NULL },
    { NO_SYSTEM "{{ '<|im_start|>system\\n\\x41<|im_end|>\\n' }}{% endif %}" TURN, NULL },
    { NO_SYSTEM "{{ '<|im_start|>system\\n<|im_end|>\\n' }}{% endif %}" TURN, NULL },
    { NO_SYSTEM "{{ '<|im_start|>system\\nA<|im_end|>\\n' + tail }}{% endif %}" TURN, NULL },
    { NO_SYSTEM "{{ '<|im_start|>system\\nA<|im_end|>\\n' }}{% endif %}" NO_SYSTEM
                "{{ '<|im_start|>system\\nB<|im_end|>\\n' }}{% endif %}" TURN,
      NULL },
    { "'<|im_start|>system\\nA<|im_end|>", NULL },
    { "%}{{'<|im_start|>system\\nA<|im_end|>'}}", NULL },
    { "{%%}{{'<|im_start|>system\\nA<|im_end|>'}}", NULL },
    { "<|im_start|>system", NULL },
  };
#undef TURN
#undef NO_SYSTEM
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr(AssayModelFile) file = NULL;
      g_autofree char *template = g_strconcat (rows[i].template, "<|im_end|>", NULL);
      g_autoptr(AssayTokenizer) tokenizer = open_chat (template, all_specials, &file);
      g_autofree char *got = chat_text (tokenizer, ASSAY_CHAT_CHATML, NULL, "Hi");
      g_autofree char *start = rows[i].system == NULL ? g_strdup ("")
                               : g_strdup_printf ("<|im_start|>system\n%s<|im_end|>\n", rows[i].system);
      g_autofree char *wanted
          = g_strconcat (start, "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n", NULL);
      g_assert_cmpstr (got, ==, wanted);
    }
}

static void
test_one_bos (void)
{
  for (guint adds = 0; adds < 2; adds++)
    for (guint writes = 0; writes < 2; writes++)
      {
        g_autoptr(GgufWriter) writer = chat_vocabulary (
            writes ? "{{ bos_token }}<|im_start|><|im_end|>" : "<|im_start|><|im_end|>", -1, all_specials);
        gguf_writer_set_bool (writer, "tokenizer.ggml.add_bos_token", (guint8) adds);
        g_autoptr(GError) error = NULL;
        g_autoptr(AssayTokenizer) tokenizer = tokenizer_from_writer (writer, FALSE, &error);
        g_assert_no_error (error);
        g_autoptr(GArray) ids = assay_chat_encode (ASSAY_CHAT_AUTO, tokenizer, NULL, "<s>", NULL, &error);
        g_assert_no_error (error);
        guint n = 0;
        for (guint i = 0; i < ids->len; i++)
          n += g_array_index (ids, gint32, i) == 256;
        g_assert_cmpuint (n, ==, adds || writes);
        g_assert_true (n == 0 || g_array_index (ids, gint32, 0) == 256);
      }
}

/* The space that the tokenizer puts before a text is the one that the template begins it with. */
static void
test_score_spaces (void)
{
  const char *const pieces[]
      = { "▁",     "[INST]",   "[/INST]", "▁[INST]",       "H", "▁H", "▁[/INST]", "[INS", "T]",
          "[/INS", "<|user|>", "<|end|>", "<|assistant|>", NULL };
  const struct { const char *template; gboolean marks; const char *ids; } rows[] = {
    { "{{ bos_token + '[INST] ' + message['content'] + ' [/INST]' }}", FALSE,
      "1 259 94 76 81 86 87 96 264 259 94 50 76 81 86 87 96" },
    { "{{ bos_token }}{{ ' [INST] ' + system_message }}{{ ' [INST] ' + message['content'] + ' [/INST]' }}",
      FALSE, "1 259 94 76 81 86 87 96 264 259 94 50 76 81 86 87 96" },
    { "{{ bos_token }}{{ \"[INST] \" + message[\"content\"] + \"[/INST]\" }}", TRUE, "1 260 264 261" },
    { "{{ '<|user|>\\n' + message['content'] + '<|end|>\\n' }}{{ '<|assistant|>\\n' }}", TRUE,
      "1 269 264 270 271" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr(GgufWriter) writer = score_vocabulary (pieces);
      gint32 types[272] = { 2, 3, 3 };
      for (guint k = 3; k < 272; k++)
        types[k] = k < 259                                                 ? 6
                   : k >= 269 || ((k == 260 || k == 261) && rows[i].marks) ? 3
                   : k == 260 || k == 261 || k == 262 || k >= 265          ? 5
                                                                           : 1;
      writer_set_types (writer, types, 272);
      gguf_writer_set_string (writer, "tokenizer.chat_template", rows[i].template);
      g_autoptr(GError) error = NULL;
      g_autoptr(AssayTokenizer) tokenizer = tokenizer_from_writer (writer, FALSE, &error);
      g_assert_no_error (error);
      g_autoptr(GArray) ids = assay_chat_encode (ASSAY_CHAT_AUTO, tokenizer, NULL, "H", NULL, &error);
      g_assert_no_error (error);
      g_autofree char *got = ids_to_string (ids);
      g_assert_cmpstr (got, ==, rows[i].ids);
    }
}

static void
test_without_template (void)
{
  g_autoptr(AssayModelFile) file = NULL;
  g_autoptr(AssayTokenizer) tokenizer = open_chat (NULL, all_specials, &file);
  g_autoptr(GError) error = NULL;
  g_assert_cmpint (recognise (file, tokenizer), ==, ASSAY_CHAT_RAW);
  g_autofree char *llama3 = chat_text (tokenizer, ASSAY_CHAT_LLAMA3, NULL, " Hi ");
  g_assert_cmpstr (llama3, ==,
                   "<s><|start_header_id|>user<|end_header_id|>\n\nHi<|eot_id|><|start_header_id|>assistant<|"
                   "end_header_id|>\n\n");
  g_autofree char *zephyr = chat_text (tokenizer, ASSAY_CHAT_ZEPHYR, "", "Hi");
  g_assert_cmpstr (zephyr, ==, "<|user|>\nHi</s>\n<|assistant|>\n");
  g_assert_null (assay_chat_encode (ASSAY_CHAT_RAW, tokenizer, "system", "Hi", NULL, &error));
  g_assert_error (error, ASSAY_ENGINE_ERROR, ASSAY_ENGINE_ERROR_RULE);
  g_clear_error (&error);

  const char *const few[] = { "<s>", "</s>", NULL };
  g_autoptr(AssayModelFile) other_file = NULL;
  g_autoptr(AssayTokenizer) other = open_chat (NULL, few, &other_file);
  g_assert_null (assay_chat_encode (ASSAY_CHAT_GEMMA, other, NULL, "Hi", NULL, &error));
  g_assert_error (error, ASSAY_ENGINE_ERROR, ASSAY_ENGINE_ERROR_RULE);
  g_assert_cmpstr (assay_engine_error_get_field (error), ==, "chat_format");
  g_assert_nonnull (strstr (error->message, "<start_of_turn>, <end_of_turn>"));
  g_assert_null (strstr (error->message, "chat_template"));
}

static void
test_names (void)
{
  for (AssayChatFormat format = ASSAY_CHAT_AUTO; format <= ASSAY_CHAT_ZEPHYR; format++)
    {
      AssayChatFormat back;
      g_assert_true (assay_chat_format_from_name (assay_chat_format_get_name (format), &back));
      g_assert_cmpint (back, ==, format);
    }
  AssayChatFormat untouched = ASSAY_CHAT_PHI;
  g_assert_false (assay_chat_format_from_name ("ChatML", &untouched));
  g_assert_false (assay_chat_format_from_name (NULL, &untouched));
  g_assert_cmpint (untouched, ==, ASSAY_CHAT_PHI);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/text/chat/every-family-as-transformers", test_reference);
  g_test_add_func ("/text/chat/default-model", test_default_model);
  g_test_add_func ("/text/chat/unknown-templates-leave-raw-prompts", test_unknown);
  g_test_add_func ("/text/chat/default-system-only-from-a-plain-literal", test_default_system);
  g_test_add_func ("/text/chat/exactly-one-bos", test_one_bos);
  g_test_add_func ("/text/chat/no-doubled-space-by-score", test_score_spaces);
  g_test_add_func ("/text/chat/families-without-a-template", test_without_template);
  g_test_add_func ("/text/chat/names-go-both-ways", test_names);
  return g_test_run ();
}
