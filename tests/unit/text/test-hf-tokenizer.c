/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A tokenizer.json gives the ids that the library it was written for gives, id for id; and those that lie are
 * refused. */
#include "hf-folder.h"
#include "text-fixture.h"

#include <string.h>

/* ---- against the reference ---- */

static AssayTokenizer *
open_tokenizer (HfFolder *folder, GError **error)
{
  g_autoptr (AssayModelFile) file = hf_folder_open (folder, error);
  return file != NULL ? assay_tokenizer_new (file, FALSE, error) : NULL;
}

/* The reference takes the letters of an added token for bytes too, and then has none that are UTF-8. */
static gboolean
loses_letters (AssayBytes decoded, AssayBytes text)
{
  return memmem (decoded.data, decoded.length, "\357\277\275", 3) != NULL
         && memmem (text.data, text.length, "\357\277\275", 3) == NULL;
}

static void
assert_text (GString *seen, AssayBytes wanted, AssayBytes text)
{
  if (loses_letters (wanted, text))
    return;
  if (seen->len == wanted.length && memcmp (seen->str, wanted.data, wanted.length) == 0)
    return;
  g_autofree char *a = assay_engine_escape (seen->str, seen->len);
  g_autofree char *b = assay_engine_escape (wanted.data, wanted.length);
  g_autofree char *c = assay_engine_escape (text.data, text.length);
  g_error ("of \"%s\": decoded \"%s\", the reference \"%s\"", c, a, b);
}

static void
check_string (AssayTokenizer *tokenizer, Fixture *fixture)
{
  const AssayBytes text = fixture_text (fixture);
  g_autoptr (GArray) wanted = fixture_list (fixture);
  g_autoptr (GArray) wanted_all = fixture_list (fixture);
  const AssayBytes rendered = fixture_text (fixture), plain = fixture_text (fixture);
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) ids = assay_tokenizer_encode (tokenizer, text.data, (gssize)text.length,
                                                   ASSAY_ENCODE_PARSE_SPECIAL, NULL, &error);
  g_assert_no_error (error);
  assert_ids (ids, (const guint32 *)wanted->data, wanted->len, text.data, text.length);
  g_autoptr (GArray) all
      = assay_tokenizer_encode (tokenizer, text.data, (gssize)text.length,
                                ASSAY_ENCODE_PARSE_SPECIAL | ASSAY_ENCODE_ADD_SPECIAL, NULL, &error);
  g_assert_no_error (error);
  /* a begin token that the text brings itself is not put before it again */
  const gboolean has_bos = ids->len > 0 && assay_tokenizer_adds_bos (tokenizer)
                           && g_array_index (ids, gint32, 0) == assay_tokenizer_get_bos (tokenizer);
  if (!has_bos)
    assert_ids (all, (const guint32 *)wanted_all->data, wanted_all->len, text.data, text.length);

  g_autoptr (GString) decoded
      = assay_tokenizer_decode (tokenizer, (const gint32 *)ids->data, ids->len, FALSE);
  assert_text (decoded, plain, text);
  if (g_str_equal (assay_tokenizer_get_model (tokenizer), "gpt2"))
    {
      g_autoptr (GString) with
          = assay_tokenizer_decode (tokenizer, (const gint32 *)ids->data, ids->len, TRUE);
      assert_text (with, rendered, text);
    }
}

static void
test_reference (gconstpointer data)
{
  g_auto (Fixture) fixture = { 0 };
  g_auto (HfFolder) folder = { 0 };
  g_autofree char *name = g_strconcat ("../hf-text/", data, ".gz", NULL);
  fixture_open (&fixture, name);
  hf_folder_init (&folder);
  const AssayBytes json = fixture_text (&fixture), config = fixture_text (&fixture);
  const AssayBytes model_type = fixture_text (&fixture);
  g_autofree char *type = g_strndup (model_type.data, model_type.length);
  const guint n_vocab = fixture_u32 (&fixture), n = fixture_u32 (&fixture);
  hf_folder_set_model (&folder, type, n_vocab);
  hf_folder_set (&folder, "tokenizer.json", json.data, (gssize)json.length);
  hf_folder_set (&folder, "tokenizer_config.json", config.data, (gssize)config.length);
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayTokenizer) tokenizer = open_tokenizer (&folder, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (n, >, 200);
  for (guint i = 0; i < n; i++)
    check_string (tokenizer, &fixture);
}

int
main (int argc, char *argv[])
{
  static const char *const names[]
      = { "gpt2",   "prefix-space", "llama3", "dbrx",    "qwen2", "smollm", "gpt4o",
          "tekken", "deepseek",     "llama2", "mistral", "words", "gemma",  "spaces", "twice" };
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_strconcat ("/text/hf-tokenizer/ids-of-the-reference/", names[i], NULL);
      g_test_add_data_func (path, names[i], test_reference);
    }
  return g_test_run ();
}
