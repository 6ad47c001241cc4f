/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/fuzz/fuzz-safetensors.c: a folder of safetensors in one input: the weights' file, config.json,
 * tokenizer.json, tokenizer_config.json and the index, apart by a line "\n----\n". */
#include "models/assay-config.h"
#include "text/assay-chat.h"
#include "weights/safetensors-private.h"

#include <string.h>

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static const char separator[] = "\n----\n";

/* The next piece; NULL when there is none any more. */
static GBytes *
fuzz_take (const uint8_t **at, size_t *left)
{
  if (*at == NULL)
    return NULL;
  const uint8_t *end = *left > 0 ? memmem (*at, *left, separator, sizeof separator - 1) : NULL;
  GBytes *piece = g_bytes_new (*at, end != NULL ? (gsize) (end - *at) : *left);
  *left -= end != NULL ? (size_t) (end - *at) + sizeof separator - 1 : *left;
  *at = end != NULL ? end + sizeof separator - 1 : NULL;
  return piece;
}

/* The greatest end among the header's data_offsets, as a stranger to JSON sees it. */
static gsize
fuzz_guess_data (const char *header)
{
  enum { MOST = 1 << 20 };
  static const char word[] = "\"data_offsets\":[";
  guint64 most = 0;
  for (const char *at = strstr (header, word); at != NULL; at = strstr (at + 1, word))
    {
      const char *comma = at + strlen (word) + strspn (at + strlen (word), "0123456789");
      most = MAX (most, *comma == ',' ? g_ascii_strtoull (comma + 1, NULL, 10) : 0);
    }
  return (gsize) MIN (most, (guint64) MOST);
}

/* Takes the piece. */
static GBytes *
fuzz_complete (GBytes *piece)
{
  gsize length;
  const char *header = g_bytes_get_data (piece, &length);
  if (length == 0 || header[0] != '{')
    return piece;
  g_autofree char *text = g_strndup (header, length);
  const gsize data_bytes = fuzz_guess_data (text);
  const guint64 le = GUINT64_TO_LE ((guint64) length);
  guint8 *file = g_malloc0 (sizeof le + length + data_bytes);
  memcpy (file, &le, sizeof le);
  memcpy (file + sizeof le, header, length);
  g_bytes_unref (piece);
  return g_bytes_new_take (file, sizeof le + length + data_bytes);
}

static void
fuzz_index (GBytes *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SafetensorsIndex) index = assay_safetensors_index_new (text, "index.json", &error);
  if ((index == NULL) == (error == NULL))
    g_abort ();
  for (guint i = 0; index != NULL && i < index->files->len; i++)
    if (strchr (g_ptr_array_index (index->files, i), '/') != NULL)
      g_abort ();
}

static void
fuzz_assemble (AssayModelFile *file)
{
  enum { MOST = 1 << 20 };
  if (!assay_model_file_map (file, NULL))
    g_abort ();
  for (guint i = 0; i < assay_model_file_get_n_tensors (file); i++)
    {
      const AssayTensorInfo *tensor = assay_model_file_get_tensor (file, i);
      g_autofree guint8 *out = tensor->bytes <= MOST ? g_malloc (tensor->bytes) : NULL;
      if (tensor->assembled != 0 && out != NULL)
        assay_model_file_read_rows (file, tensor, 0, (guint64) tensor->shape[1], out);
    }
}

static void
fuzz_use (AssayModelFile *file)
{
  AssayModelConfig config;
  AssayChatFormat format;
  g_autofree char *hash = assay_model_file_hash_content (file, TRUE, NULL, NULL, NULL, NULL);
  if (strlen (assay_model_file_get_metadata_sha256 (file)) != 64)
    g_abort ();
  fuzz_assemble (file);
  assay_config_read (&config, file, NULL);
  g_autoptr (AssayTokenizer) tokenizer = assay_tokenizer_new (file, TRUE, NULL);
  if (tokenizer == NULL)
    return;
  assay_chat_format_recognise (file, tokenizer, &format, NULL);
  static const char text[] = "the cat's 12 <|im_start|> \xe2\x96\x81\xff\n\n  end";
  g_autoptr (GArray) ids = assay_tokenizer_encode (
      tokenizer, text, sizeof text - 1, ASSAY_ENCODE_ADD_SPECIAL | ASSAY_ENCODE_PARSE_SPECIAL, NULL, NULL);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  const uint8_t *at = data;
  g_autoptr (GBytes) weights = fuzz_complete (fuzz_take (&at, &size));
  g_autoptr (GBytes) config = fuzz_take (&at, &size);
  g_autoptr (GBytes) tokenizer = fuzz_take (&at, &size);
  g_autoptr (GBytes) tokenizer_config = fuzz_take (&at, &size);
  g_autoptr (GBytes) index = fuzz_take (&at, &size);
  g_autoptr (GError) error = NULL;
  if (config == NULL)
    config = g_bytes_new_static ("{}", 2);
  if (index != NULL)
    fuzz_index (index);
  const AssayHfFolder texts
      = { .path = "fuzzed", .config = config, .tokenizer = tokenizer, .tokenizer_config = tokenizer_config };
  gsize length;
  const void *bytes = g_bytes_get_data (weights, &length);
  g_autoptr (AssayModelFile) file = assay_safetensors_open_bytes (
      &texts, bytes != NULL ? bytes : "", length, "fuzzed.safetensors", assay_hf_translate, &error);
  if ((file == NULL) == (error == NULL))
    g_abort ();
  if (file != NULL)
    fuzz_use (file);
  return 0;
}
