/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/fuzz/fuzz-model.c: a model file as far as it goes before it is run, and what people are shown of
 * it. */
#include "models/assay-config.h"
#include "text/assay-chat.h"

#include <string.h>

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static void
fuzz_show (AssayModelFile *file)
{
  for (guint i = 0; i < MIN (assay_model_file_get_n_keys (file), 64); i++)
    {
      const AssayBytes key = assay_model_file_get_key (file, i);
      g_autofree char *name = g_strndup (key.data, key.length);
      g_autofree char *value = assay_model_file_dup_value (file, name);
      if (value != NULL && !g_utf8_validate (value, -1, NULL))
        g_abort ();
    }
  g_autofree char *hash = assay_model_file_hash_content (file, TRUE, NULL, NULL, NULL, NULL);
  if (strlen (assay_model_file_get_metadata_sha256 (file)) != 64)
    g_abort ();
}

static void
fuzz_text (AssayModelFile *file, AssayTokenizer *tokenizer)
{
  static const char text[] = "the cat's 12 <|im_start|> \xe2\x96\x81\xff\n\n  end";
  AssayChatFormat format;
  assay_chat_format_recognise (file, tokenizer, &format, NULL);
  g_autoptr (GArray) ids = assay_tokenizer_encode (
      tokenizer, text, sizeof text - 1, ASSAY_ENCODE_ADD_SPECIAL | ASSAY_ENCODE_PARSE_SPECIAL, NULL, NULL);
  if (ids == NULL)
    return;
  for (guint i = 0; i < ids->len; i++)
    if ((guint) g_array_index (ids, gint32, i) >= assay_tokenizer_get_n_tokens (tokenizer))
      g_abort ();
  g_autoptr (GString) back
      = assay_tokenizer_decode (tokenizer, (const gint32 *) (gpointer) ids->data, ids->len, TRUE);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayModelFile) file = assay_model_file_open_bytes (data, size, "fuzzed.gguf", &error);
  if (file == NULL)
    return 0;
  fuzz_show (file);
  AssayModelConfig config;
  assay_config_read (&config, file, NULL);
  g_autoptr (AssayTokenizer) tokenizer = assay_tokenizer_new (file, TRUE, &error);
  if (tokenizer != NULL)
    fuzz_text (file, tokenizer);
  return 0;
}
