/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows M69 to M75 of the hostile models: tokenizer.json files that lie; and the companions around a sound
 * one. */
#include "hf-folder.h"
#include "text-fixture.h"
#include "text/assay-chat.h"

#include <string.h>
#include <time.h>

#define FORMAT ASSAY_ENGINE_ERROR_FORMAT
#define UNSUPPORTED ASSAY_ENGINE_ERROR_UNSUPPORTED
#define MARK "\342\226\201"
#define BYTES_STEPS                                                                                          \
  "\"pre_tokenizer\": {\"type\": \"ByteLevel\", \"add_prefix_space\": false}, \"decoder\": {\"type\": "      \
  "\"ByteLevel\"}"
#define MARK_STEPS                                                                                           \
  "\"normalizer\": {\"type\": \"Replace\", \"pattern\": {\"String\": \" \"}, \"content\": \"" MARK "\"},"    \
  " \"decoder\": {\"type\": \"Replace\", \"pattern\": {\"String\": \"" MARK "\"}, \"content\": \" \"}"
#define BPE(vocab, merges) "\"model\": {\"type\": \"BPE\", \"vocab\": {" vocab "}, \"merges\": [" merges "]}"
#define BYTES(vocab, merges) "{" BPE (vocab, merges) ", " BYTES_STEPS "}"
#define MARKS(vocab, merges) "{" BPE (vocab, merges) ", " MARK_STEPS "}"
#define ADDED(tokens)                                                                                        \
  "{\"added_tokens\": [" tokens "], " BPE ("\"a\": 0, \"b\": 1, \"ab\": 2", "") ", " BYTES_STEPS "}"
#define ADDED_ONE(id, text) "{\"id\": " id ", \"content\": \"" text "\", \"special\": true}"

enum
{
  ROWS = 64
};

static AssayTokenizer *
open_tokenizer (HfFolder *folder, GError **error)
{
  g_autoptr (AssayModelFile) file = hf_folder_open (folder, error);
  return file != NULL ? assay_tokenizer_new (file, FALSE, error) : NULL;
}

static AssayTokenizer *
open_json (const char *json, gssize length, guint rows, GError **error)
{
  g_auto (HfFolder) folder = { 0 };
  hf_folder_init (&folder);
  hf_folder_set_model (&folder, "llama", rows);
  hf_folder_set (&folder, "tokenizer.json", json, length);
  return open_tokenizer (&folder, error);
}

static void
assert_error (const GError *error, AssayEngineError code, const char *reason, const char *said,
              const char *json)
{
  if (error == NULL)
    g_error ("loads, but must be refused: %.200s", json);
  g_assert_error (error, ASSAY_ENGINE_ERROR, (gint)code);
  if (strcmp (assay_engine_error_get_reason (error), reason) != 0 || strstr (error->message, said) == NULL)
    g_error ("refused as %s (%s), but must be as %s and say '%s'", assay_engine_error_get_reason (error),
             error->message, reason, said);
  g_assert_true (g_utf8_validate (error->message, -1, NULL));
}

static void
assert_refused (const char *json, AssayEngineError code, const char *reason, const char *said)
{
  g_autoptr (GError) error = NULL;
  const clock_t start = clock ();
  g_autoptr (AssayTokenizer) tokenizer = open_json (json, -1, ROWS, &error);
  g_assert_cmpint ((clock () - start) / CLOCKS_PER_SEC, <, 5);
  assert_error (error, code, reason, said, json);
}

static void
assert_ids_of (AssayTokenizer *tokenizer, const char *text, guint n, const guint32 *wanted)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) ids
      = assay_tokenizer_encode (tokenizer, text, -1, ASSAY_ENCODE_PARSE_SPECIAL, NULL, &error);
  g_assert_no_error (error);
  assert_ids (ids, wanted, n, text, strlen (text));
}

static AssayTokenizer *
load (const char *json)
{
  g_autoptr (GError) error = NULL;
  AssayTokenizer *tokenizer = open_json (json, -1, ROWS, &error);
  g_assert_no_error (error);
  return tokenizer;
}

/* ---- M69 ---- */

static void
test_merges (void)
{
  static const char *const both[] = { MARKS ("\"a\": 0, \"b\": 1, \"ab\": 2", "\"a b\""),
                                      MARKS ("\"a\": 0, \"b\": 1, \"ab\": 2", "[\"a\", \"b\"]"),
                                      BYTES ("\"a\": 0, \"b\": 1, \"ab\": 2", "\"a b\""),
                                      BYTES ("\"a\": 0, \"b\": 1, \"ab\": 2", "[\"a\", \"b\"]") };
  for (guint i = 0; i < G_N_ELEMENTS (both); i++)
    {
      g_autoptr (AssayTokenizer) tokenizer = load (both[i]);
      assert_ids_of (tokenizer, "abba", 3, (const guint32[]){ 2, 1, 0 });
    }
  static const struct
  {
    const char *json, *said;
  } rows[] = {
    { BYTES ("\"a\": 0, \"b\": 1, \"ab\": 2", "\"a b\", \"a b c\""), "merge 1: more than one space" },
    { BYTES ("\"a\": 0, \"b\": 1, \"ab\": 2", "\"ab\""), "merge 0: not two pieces" },
    { BYTES ("\"a\": 0, \"b\": 1, \"ab\": 2", "\" b\""), "merge 0: not two pieces" },
    { BYTES ("\"a\": 0, \"b\": 1, \"ab\": 2", "\"a \""), "merge 0: not two pieces" },
    { BYTES ("\"a\": 0, \"b\": 1, \"ab\": 2", "[\"a\"]"), "merge 0: neither a text nor a pair" },
    { BYTES ("\"a\": 0, \"b\": 1, \"ab\": 2", "[\"a\", \"b\", \"c\"]"),
      "merge 0: neither a text nor a pair" },
    { BYTES ("\"a\": 0, \"b\": 1, \"ab\": 2", "[\"a\", 7]"), "merge 0: neither a text nor a pair" },
    { BYTES ("\"a\": 0, \"b\": 1, \"ab\": 2", "[\"\", \"b\"]"), "merge 0: neither a text nor a pair" },
    { BYTES ("\"a\": 0, \"b\": 1, \"ab\": 2", "null"), "merge 0: neither a text nor a pair" },
    { MARKS ("\"a\": 0, \"b\": 1, \"ab\": 2", "[\"a\", \" b\"]"), "merge 0: the second piece is no token" },
    { MARKS ("\"a\": 0, \"b\": 1, \"ab\": 2", "[\"a \", \"b\"]"), "merge 0: the first piece is no token" },
    { "{\"model\": {\"type\": \"BPE\", \"vocab\": {\"a\": 0}}, " BYTES_STEPS "}", "no list of merges" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    assert_refused (rows[i].json, FORMAT, "hf-merge", rows[i].said);
  static const char *const unknown[] = { BYTES ("\"a\": 0, \"b\": 1, \"ab\": 2", "\"a c\""),
                                         BYTES ("\"a\": 0, \"b\": 1, \"ab\": 2", "\"b a\""),
                                         MARKS ("\"a\": 0, \" b\": 1, \"ab\": 2", "[\"a\", \" b\"]") };
  for (guint i = 0; i < G_N_ELEMENTS (unknown); i++)
    assert_refused (unknown[i], FORMAT, "tokenizer-bad-merge", "merge 0");
}

/* ---- M70 ---- */

static void
test_ids (void)
{
  static const struct
  {
    const char *json, *said;
  } rows[] = {
    { BYTES ("\"a\": 0, \"b\": 0", ""), "its id 0 is also that of \"a\"" },
    { BYTES ("\"a\": -1", ""), "its id is -1" },
    { BYTES ("\"a\": 3.5", ""), "its id is 3.5" },
    { BYTES ("\"a\": 2147483648", ""), "its id is 2147483648; config.json's vocab_size allows 0 to 63" },
    { BYTES ("\"a\": 1e400", ""), "its id is inf" },
    { BYTES ("\"a\": \"0\"", ""), "its id is \"0\"" },
    { BYTES ("\"a\": null", ""), "its id is null" },
    { BYTES ("", ""), "the vocabulary is empty" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    assert_refused (rows[i].json, FORMAT, "hf-vocabulary", rows[i].said);
  assert_refused (BYTES ("\"a\": 0, \"a\": 1", ""), FORMAT, "hf-json", "tokenizer.json");

  g_autoptr (AssayTokenizer) holes = load (BYTES ("\"a\": 40, \"b\": 3", ""));
  assert_ids_of (holes, "ab", 2, (const guint32[]){ 40, 3 });
  g_assert_cmpuint (assay_tokenizer_get_n_tokens (holes), ==, 41);
  const gint32 hole = 7;
  g_autoptr (GString) nothing = assay_tokenizer_decode (holes, &hole, 1, FALSE);
  g_assert_cmpuint (nothing->len, ==, 0);
  assert_ids_of (holes, "[PAD7]", 0, NULL);

  g_autoptr (GError) error = NULL;
  g_autoptr (AssayTokenizer) sparse = open_json (BYTES ("\"a\": 16000000", ""), -1, 1 << 24, &error);
  assert_error (error, FORMAT, "hf-vocabulary", "1 tokens with ids up to 16000000", "sparse");
}

/* ---- M71 ---- */

static void
test_unknown (void)
{
  assert_refused ("{\"model\": {\"type\": \"Unigram\", \"unk_id\": 9, \"vocab\": [[\"a\", 0.0]]}}",
                  UNSUPPORTED, "hf-tokenizer", "model.type: \"Unigram\"");
  assert_refused ("{\"model\": {\"type\": \"Unigram\", \"vocab\": []}}", UNSUPPORTED, "hf-tokenizer",
                  "\"Unigram\"");
  assert_refused ("{\"model\": {\"type\": \"WordPiece\", \"vocab\": {\"a\": 0}}}", UNSUPPORTED,
                  "hf-tokenizer", "\"WordPiece\"");
  assert_refused ("{\"model\": {\"vocab\": {\"a\": 0}}}", UNSUPPORTED, "hf-tokenizer", "not named");
  assert_refused ("{\"model\": []}", FORMAT, "hf-vocabulary", "model");
  assert_refused ("{}", FORMAT, "hf-vocabulary", "model");
  assert_refused ("{\"model\": {\"type\": \"BPE\", \"unk_token\": \"<unk>\", \"vocab\": {\"a\": 0}, "
                  "\"merges\": []}, " MARK_STEPS "}",
                  FORMAT, "hf-vocabulary", "unk_token: \"<unk>\" is no token");
  /* a character without a token, and none to stand for it: as the reference does, it is left out */
  g_autoptr (AssayTokenizer) without = load (MARKS ("\"a\": 0", ""));
  assert_ids_of (without, "a\303\251a", 2, (const guint32[]){ 0, 0 });
  g_autofree char *notices = g_strjoinv ("; ", (char **)assay_tokenizer_get_notices (without));
  g_assert_nonnull (strstr (notices, "characters it lacks are left out"));
}

/* ---- M72 ---- */

static void
test_added (void)
{
  static const struct
  {
    const char *json, *said;
  } rows[] = {
    { ADDED (ADDED_ONE ("64", "<s>")), "its id is 64; config.json's vocab_size allows 0 to 63" },
    { ADDED (ADDED_ONE ("-1", "<s>")), "its id is -1" },
    { ADDED (ADDED_ONE ("1.0", "<s>")), "its id is 1" },
    { ADDED (ADDED_ONE ("1", "<s>")), "its id 1 is also that of \"b\"" },
    { ADDED (ADDED_ONE ("3", "a")), "it is added as 3, but is 0 already" },
    { ADDED (ADDED_ONE ("3", "<s>") ", " ADDED_ONE ("4", "<s>")), "it is added as 4, but is 3 already" },
    { ADDED (ADDED_ONE ("3", "")), "without text" },
    { ADDED ("{\"content\": \"<s>\"}"), "its id is missing" },
    { ADDED ("{\"id\": 3}"), "without text" },
    { ADDED ("7"), "its id is missing" },
    { ADDED ("{\"id\": 3, \"content\": \"x\", \"lstrip\": 1}"), "neither true nor false" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    assert_refused (rows[i].json, FORMAT, "hf-vocabulary", rows[i].said);
  g_autoptr (AssayTokenizer) tokenizer = load (ADDED (ADDED_ONE ("1", "b")));
  assert_ids_of (tokenizer, "ab", 2, (const guint32[]){ 0, 1 });
}

/* ---- M73 ---- */

static void
test_steps (void)
{
#define STEPS(normalizer, pre, decoder)                                                                      \
  "{" BPE ("\"a\": 0", "") ", \"normalizer\": " normalizer ", \"pre_tokenizer\": " pre                       \
                           ", \"decoder\": " decoder "}"
#define BYTE_LEVEL "{\"type\": \"ByteLevel\", \"add_prefix_space\": false}"
#define SPLIT(pattern, behavior)                                                                             \
  "{\"type\": \"Sequence\", \"pretokenizers\": [{\"type\": \"Split\", \"pattern\": {\"Regex\": \"" pattern   \
  "\"}, \"behavior\": \"" behavior                                                                           \
  "\", \"invert\": false}, {\"type\": \"ByteLevel\", \"add_prefix_space\": false, "                          \
  "\"use_regex\": false}]}"
  static const struct
  {
    const char *json, *said;
  } rows[] = {
    { STEPS ("null", SPLIT ("(a+)+$", "Isolated"), BYTE_LEVEL), "'split (a+)+$" },
    { STEPS ("null", SPLIT ("((", "Isolated"), BYTE_LEVEL), "'split ((" },
    { STEPS ("null", SPLIT ("\\\\p{N}{1,3}", "MergedWithNext"), BYTE_LEVEL), "\"MergedWithNext\"" },
    { STEPS ("{\"type\": \"Replace\", \"pattern\": {\"String\": \"a\"}, \"content\": \"aaaa\"}", BYTE_LEVEL,
             BYTE_LEVEL),
      "normalizer: \"Replace\"" },
    { STEPS ("{\"type\": \"Replace\", \"pattern\": {\"Regex\": \" \"}, \"content\": \"" MARK "\"}", "null",
             BYTE_LEVEL),
      "normalizer: \"Replace\"" },
    { STEPS ("{\"type\": \"Lowercase\"}", BYTE_LEVEL, BYTE_LEVEL), "normalizer: \"Lowercase\"" },
    { STEPS ("{\"type\": \"Sequence\"}", BYTE_LEVEL, BYTE_LEVEL), "normalizer: \"Sequence\"" },
    { STEPS ("{\"type\": \"Sequence\", \"normalizers\": [{\"type\": \"NFC\"}, {\"type\": \"NFKC\"}]}",
             BYTE_LEVEL, BYTE_LEVEL),
      "normalizer: \"NFKC\"" },
    { STEPS ("7", BYTE_LEVEL, BYTE_LEVEL), "normalizer: without a type" },
    { STEPS ("null", "{\"type\": \"BertPreTokenizer\"}", BYTE_LEVEL), "pre_tokenizer: \"BertPreTokenizer\"" },
    { STEPS ("null", "null", BYTE_LEVEL), "neither byte-level nor with marked spaces" },
    { STEPS ("null", "{\"type\": \"Metaspace\", \"replacement\": \"_\"}", BYTE_LEVEL),
      "pre_tokenizer: \"Metaspace\"" },
    { STEPS ("null", BYTE_LEVEL, "null"), "decoder" },
    { STEPS ("null", BYTE_LEVEL, "{\"type\": \"WordPiece\"}"), "decoder: \"WordPiece\"" },
    { "{\"model\": {\"type\": \"BPE\", \"vocab\": {\"a\": 0}, \"merges\": [], \"dropout\": 0.1}, " BYTES_STEPS
      "}",
      "dropout: 0.1" },
    { "{\"model\": {\"type\": \"BPE\", \"vocab\": {\"a\": 0}, \"merges\": [], \"end_of_word_suffix\": "
      "\"</w>\"}, " BYTES_STEPS "}",
      "end_of_word_suffix" },
    { "{\"post_processor\": {\"type\": \"BertProcessing\"}, " BPE ("\"a\": 0", "") ", " BYTES_STEPS "}",
      "post_processor: \"BertProcessing\"" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    assert_refused (rows[i].json, UNSUPPORTED, "hf-tokenizer", rows[i].said);
  assert_refused ("{\"post_processor\": {\"type\": \"TemplateProcessing\", \"single\": [{\"SpecialToken\": "
                  "{\"id\": \"<s>\"}}, "
                  "{\"Sequence\": {\"id\": \"A\"}}], \"special_tokens\": {\"<s>\": {\"ids\": [9]}}}, " BPE (
                      "\"a\": 0", "") ", " BYTES_STEPS "}",
                  FORMAT, "hf-vocabulary", "post_processor");
}

/* ---- M74 ---- */

static void
test_json (void)
{
  static const char *const rows[] = {
    "",
    "{",
    "{\"a\": \"\\ud800\"}",
    "{\"a\": \"\\udc00\\ud800\"}",
    "{\"a\": NaN}",
    "{\"a\": Infinity}",
    "{\"a\": 01}",
    "{\"a\": 1} {}",
    "{\"a\": 1}x",
    "\357\273\277{}",
    "{\"a\": \"\377\"}",
    "{\"a\": tru}",
    "{'a': 1}",
    "{\"a\": 1,}",
    "{\"a\": \"\t\"}",
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    assert_refused (rows[i], FORMAT, "hf-json", "tokenizer.json");
  assert_refused ("[]", FORMAT, "hf-json", "not a JSON object");

  g_autoptr (GString) deep = g_string_new ("{\"a\": ");
  for (guint i = 0; i < 100000; i++)
    g_string_append_c (deep, '[');
  assert_refused (deep->str, FORMAT, "hf-json", "tokenizer.json");

  /* more values than a vocabulary can have; cut off, so that the end is never seen */
  g_autoptr (GString) many = g_string_new ("{\"a\": [0");
  while (many->len < 9000000)
    g_string_append (many, ",0,0,0,0,0,0,0,0");
  assert_refused (many->str, FORMAT, "hf-json", "more than 4194304 values");
}

/* ---- M75 ---- */

static void
test_rows (void)
{
  g_auto (HfFolder) folder = { 0 };
  g_autoptr (GError) error = NULL;
  static const char *const names[] = { "model.embed_tokens.weight", NULL };
  static const char json[] = BYTES ("\"a\": 0, \"b\": 5", "");
  hf_folder_init (&folder);
  hf_folder_set_model (&folder, "llama", 6);
  hf_folder_set (&folder, "tokenizer.json", json, -1);
  g_autoptr (AssayTokenizer) same = open_tokenizer (&folder, &error);
  g_assert_no_error (error);
  hf_folder_set_weights (&folder, names, 5);
  g_autoptr (AssayTokenizer) fewer = open_tokenizer (&folder, &error);
  assert_error (error, FORMAT, "tokenizer-count", "6 tokens, but token_embd.weight has 5 rows", json);
  g_clear_error (&error);
  hf_folder_set_weights (&folder, names, 9);
  g_autoptr (AssayTokenizer) more = open_tokenizer (&folder, &error);
  g_assert_no_error (error);
  g_autofree char *notices = g_strjoinv ("; ", (char **)assay_tokenizer_get_notices (more));
  g_assert_nonnull (strstr (notices, "9 rows for 6 tokens"));
}

/* ---- companions ---- */

static void
test_old_files (void)
{
  g_auto (HfFolder) folder = { 0 };
  g_autoptr (GError) error = NULL;
  hf_folder_init (&folder);
  hf_folder_set_model (&folder, "gpt2", 8);
  hf_folder_set (&folder, "vocab.json",
                 "{\"a\": 0, \"b\": 1, \"\304\240\": 2, \"ab\": 3, \"\304\240ab\": 4, \"<|endoftext|>\": 7}",
                 -1);
  g_autoptr (AssayTokenizer) alone = open_tokenizer (&folder, &error);
  assert_error (error, UNSUPPORTED, "hf-tokenizer-missing", "there is vocab.json", "vocab.json");
  g_clear_error (&error);
  hf_folder_set (&folder, "merges.txt", "#version: 0.2\r\na b\r\n\304\240 ab\n", -1);
  g_autoptr (AssayTokenizer) tokenizer = open_tokenizer (&folder, &error);
  g_assert_no_error (error);
  assert_ids_of (tokenizer, "ab ab<|endoftext|>", 3, (const guint32[]){ 3, 4, 7 });
  hf_folder_set (&folder, "merges.txt", "a b c\n", -1);
  g_autoptr (AssayTokenizer) bad = open_tokenizer (&folder, &error);
  assert_error (error, FORMAT, "hf-merge", "merges.txt: merges: merge 0", "merges.txt");
  g_clear_error (&error);
  hf_folder_remove (&folder, "merges.txt");
  hf_folder_remove (&folder, "vocab.json");
  hf_folder_set (&folder, "tokenizer.model", "\n\016", -1);
  g_autoptr (AssayTokenizer) model = open_tokenizer (&folder, &error);
  assert_error (error, UNSUPPORTED, "hf-tokenizer-missing", "there is tokenizer.model", "tokenizer.model");
  g_clear_error (&error);
  hf_folder_remove (&folder, "tokenizer.model");
  g_autoptr (AssayTokenizer) none = open_tokenizer (&folder, &error);
  assert_error (error, UNSUPPORTED, "hf-tokenizer-missing", "tokenizer.json is missing", "nothing");
}

/* The ends of an answer, the chat format and what is put around a text come from five files. */
static void
test_companions (void)
{
  g_auto (HfFolder) folder = { 0 };
  g_autoptr (GError) error = NULL;
  AssayChatFormat format;
  hf_folder_init (&folder);
  hf_folder_set_model (&folder, "llama", ROWS);
  hf_folder_set (&folder, "tokenizer.json",
                 ADDED (ADDED_ONE ("3", "<|im_start|>") ", " ADDED_ONE ("4", "<|im_end|>") ", " ADDED_ONE (
                     "5", "<|x|>") ", " ADDED_ONE ("6", "<|y|>") ", " ADDED_ONE ("7", "<|z|>")),
                 -1);
  hf_folder_set (&folder, "tokenizer_config.json",
                 "{\"bos_token\": {\"content\": \"<|x|>\"}, \"add_bos_token\": true, \"chat_template\": "
                 "[{\"name\": \"default\", "
                 "\"template\": \"{% for message in messages %}{{'<|im_start|>' + message['role'] + '\\n' + "
                 "message['content'] + "
                 "'<|im_end|>' + '\\n'}}{% endfor %}\"}]}",
                 -1);
  hf_folder_set (&folder, "special_tokens_map.json", "{\"eos_token\": \"<|im_end|>\"}", -1);
  hf_folder_set (&folder, "generation_config.json", "{\"eos_token_id\": [6, 4, 7, 5000]}", -1);
  g_autoptr (AssayModelFile) file = hf_folder_open (&folder, &error);
  g_assert_no_error (error);
  g_autoptr (AssayTokenizer) tokenizer = assay_tokenizer_new (file, FALSE, &error);
  g_assert_no_error (error);
  g_assert_cmpint (assay_tokenizer_get_bos (tokenizer), ==, 5);
  g_assert_cmpint (assay_tokenizer_get_eos (tokenizer), ==, 4);
  g_assert_true (assay_tokenizer_adds_bos (tokenizer));
  for (gint32 id = 0; id < 8; id++)
    g_assert_cmpint (assay_tokenizer_is_end (tokenizer, id), ==, id == 4 || id == 6 || id == 7);
  g_autofree char *notices = g_strjoinv ("; ", (char **)assay_model_file_get_notices (file));
  g_assert_nonnull (strstr (notices, "5000, which should end an answer"));
  g_assert_true (assay_chat_format_recognise (file, tokenizer, &format, &error));
  g_assert_cmpint (format, ==, ASSAY_CHAT_CHATML);

  hf_folder_set (&folder, "chat_template.jinja", "{{ messages }}", -1); /* wins, and is of no known family */
  g_autoptr (AssayModelFile) other = hf_folder_open (&folder, &error);
  g_assert_no_error (error);
  g_assert_false (assay_chat_format_recognise (other, tokenizer, &format, &error));
}

/* ---- sweeps ---- */

/* Loads or is refused; what loads also encodes. */
static void
try_json (HfFolder *folder, const char *json, gsize length)
{
  g_autoptr (GError) error = NULL;
  hf_folder_set (folder, "tokenizer.json", json, (gssize)length);
  g_autoptr (AssayTokenizer) tokenizer = open_tokenizer (folder, &error);
  if (tokenizer == NULL)
    {
      g_assert_true (error->domain == ASSAY_ENGINE_ERROR);
      g_assert_cmpstr (assay_engine_error_get_reason (error), !=, "");
      return;
    }
  g_autoptr (GArray) ids = assay_tokenizer_encode (tokenizer, "ab <s> a\303\251b [R]  b", -1,
                                                   ASSAY_ENCODE_PARSE_SPECIAL, NULL, &error);
  g_assert_no_error (error);
  g_autoptr (GString) text = assay_tokenizer_decode (tokenizer, (const gint32 *)ids->data, ids->len, TRUE);
}

static void
test_sweeps (void)
{
  static const char json[]
      = "{\"added_tokens\": [{\"id\": 4, \"content\": \"<s>\", \"special\": true}, {\"id\": 5, \"content\": "
        "\"[R]\", "
        "\"rstrip\": true, \"lstrip\": true, \"single_word\": true, \"normalized\": true}], "
        "\"post_processor\": {\"type\": \"TemplateProcessing\", \"single\": [{\"SpecialToken\": {\"id\": "
        "\"<s>\"}}, "
        "{\"Sequence\": {\"id\": \"A\"}}], \"special_tokens\": {\"<s>\": {\"ids\": [4]}}}, "
        "\"model\": {\"type\": \"BPE\", \"unk_token\": \"u\", \"fuse_unk\": true, \"byte_fallback\": false, "
        "\"vocab\": {\"a\": 0, \"b\": 1, \"ab\": 2, \"u\": 3}, \"merges\": [\"a b\", [\"a\", "
        "\"b\"]]}, " MARK_STEPS "}";
  static const guint8 bytes[] = { 0x00, '"', '[', '}', '9', 0xFF };
  g_auto (HfFolder) folder = { 0 };
  hf_folder_init (&folder);
  hf_folder_set_model (&folder, "llama", ROWS);
  try_json (&folder, json, sizeof json - 1);
  for (gsize length = 0; length < sizeof json - 1; length++)
    try_json (&folder, json, length);
  g_autofree char *changed = g_strdup (json);
  for (gsize i = 0; i < sizeof json - 1; i++)
    for (guint k = 0; k < G_N_ELEMENTS (bytes); k++)
      {
        changed[i] = (char)bytes[k];
        try_json (&folder, changed, sizeof json - 1);
        changed[i] = json[i];
      }
}

/* As large as the largest vocabularies that are published. */
static void
test_size (void)
{
  enum
  {
    PIECES = 256000
  };
  g_autoptr (GString) json = g_string_new ("{\"model\": {\"type\": \"BPE\", \"vocab\": {\"a\": 0");
  for (guint i = 1; i < 26; i++)
    g_string_append_printf (json, ", \"%c\": %u", 'a' + i, i);
  for (guint i = 26; i < PIECES; i++)
    g_string_append_printf (json, ", \"%c%u\": %u", 'a' + i % 26, i, i);
  g_string_append (json, "}, \"merges\": []}, " MARK_STEPS "}");
  g_autoptr (GError) error = NULL;
  const clock_t start = clock ();
  g_autoptr (AssayTokenizer) tokenizer = open_json (json->str, (gssize)json->len, PIECES, &error);
  g_assert_no_error (error);
  g_test_message ("%u tokens in %.2f s", PIECES, (double)(clock () - start) / CLOCKS_PER_SEC);
  g_assert_cmpuint (assay_tokenizer_get_n_tokens (tokenizer), ==, PIECES);
  g_assert_cmpint ((clock () - start) / CLOCKS_PER_SEC, <, 5);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/text/hf-hostile/M69/merges-in-both-forms-and-none-that-is-ambiguous", test_merges);
  g_test_add_func ("/text/hf-hostile/M70/ids-with-holes-but-no-other-oddity", test_ids);
  g_test_add_func ("/text/hf-hostile/M71/unknown-tokens-and-other-models", test_unknown);
  g_test_add_func ("/text/hf-hostile/M72/added-tokens-that-collide", test_added);
  g_test_add_func ("/text/hf-hostile/M73/patterns-are-compared-and-never-run", test_steps);
  g_test_add_func ("/text/hf-hostile/M74/json-that-is-none", test_json);
  g_test_add_func ("/text/hf-hostile/M75/vocabularies-beside-the-embedding", test_rows);
  g_test_add_func ("/text/hf-hostile/older-files", test_old_files);
  g_test_add_func ("/text/hf-hostile/companions", test_companions);
  g_test_add_func ("/text/hf-hostile/no-byte-and-no-cut-makes-a-fault", test_sweeps);
  g_test_add_func ("/text/hf-hostile/large-vocabularies-load-quickly", test_size);
  return g_test_run ();
}
