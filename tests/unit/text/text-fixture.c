/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "text-fixture.h"

#include <string.h>

/* ---- packed files ---- */

GBytes *
fixture_bytes (const char *name)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *path = g_build_filename (g_getenv ("ASSAY_TEST_DATA"), "text", name, NULL);
  g_autoptr(GFile) file = g_file_new_for_path (path);
  g_autoptr(GFileInputStream) packed = g_file_read (file, NULL, &error);
  g_assert_no_error (error);
  g_autoptr(GZlibDecompressor) unzip = g_zlib_decompressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP);
  g_autoptr(GInputStream) in = g_converter_input_stream_new (G_INPUT_STREAM (packed), G_CONVERTER (unzip));
  g_autoptr(GOutputStream) out = g_memory_output_stream_new_resizable ();
  g_output_stream_splice (out, in, G_OUTPUT_STREAM_SPLICE_CLOSE_TARGET, NULL, &error);
  g_assert_no_error (error);
  return g_memory_output_stream_steal_as_bytes (G_MEMORY_OUTPUT_STREAM (out));
}

void
fixture_open (Fixture *self, const char *name)
{
  gsize size;
  self->bytes = fixture_bytes (name);
  self->p = g_bytes_get_data (self->bytes, &size);
  self->end = self->p + size;
  const guint8 *line_end = memchr (self->p, '\n', size);
  g_assert_nonnull (line_end);
  g_test_message ("%s: %.*s", name, (int) (line_end - self->p), self->p);
  self->p = line_end + 1;
}

void
fixture_close (Fixture *self)
{
  g_clear_pointer (&self->bytes, g_bytes_unref);
}

guint32
fixture_u32 (Fixture *self)
{
  guint32 value;
  g_assert_cmpint (self->end - self->p, >=, 4);
  memcpy (&value, self->p, 4);
  self->p += 4;
  return GUINT32_FROM_LE (value);
}

AssayBytes
fixture_text (Fixture *self)
{
  const guint32 length = fixture_u32 (self);
  g_assert_cmpint (self->end - self->p, >=, length);
  self->p += length;
  return (AssayBytes) { (const char *) self->p - length, length };
}

GArray *
fixture_list (Fixture *self)
{
  const guint32 n = fixture_u32 (self);
  GArray *list = g_array_new (FALSE, FALSE, sizeof (guint32));
  for (guint32 i = 0; i < n; i++)
    {
      const guint32 value = fixture_u32 (self);
      g_array_append_val (list, value);
    }
  return list;
}

/* ---- files ---- */

static void
keep (GByteArray *bytes)
{
  static GPtrArray *kept;
  if (kept == NULL)
    kept = g_ptr_array_new ();
  g_ptr_array_add (kept, bytes);
}

AssayModelFile *
file_from_writer (GgufWriter *writer)
{
  g_autoptr(GError) error = NULL;
  GByteArray *bytes = gguf_writer_bytes (writer);
  keep (bytes);
  AssayModelFile *file = assay_model_file_open_bytes (bytes->data, bytes->len, "test.gguf", &error);
  g_assert_no_error (error);
  return file;
}

AssayTokenizer *
tokenizer_from_writer (GgufWriter *writer, gboolean allow_missing_pre, GError **error)
{
  g_autoptr(AssayModelFile) file = file_from_writer (writer);
  return assay_tokenizer_new (file, allow_missing_pre, error);
}

/* ---- vocabularies ---- */

static gunichar
byte_char (guint byte)
{
  guint above = 0;
  for (guint b = 0; b < 256; b++)
    {
      const gboolean printable = (b >= 0x21 && b <= 0x7E) || (b >= 0xA1 && b != 0xAD);
      if (b == byte)
        return printable ? b : 0x100 + above;
      above += !printable;
    }
  g_assert_not_reached ();
}

void
writer_set_types (GgufWriter *writer, const gint32 *types, guint n)
{
  gguf_writer_set_array (writer, "tokenizer.ggml.token_type", GGUF_TYPE_I32, n, types, n * sizeof *types);
}

GgufWriter *
byte_vocabulary (const char *pre, const char *const *specials, const char *merges)
{
  g_autoptr(GPtrArray) tokens = g_ptr_array_new_with_free_func (g_free);
  g_autoptr(GArray) types = g_array_new (FALSE, FALSE, sizeof (gint32));
  g_auto(GStrv) merge = g_strsplit (merges, ",", -1);
  const guint n_merges = *merges == '\0' ? 0 : g_strv_length (merge);
  for (guint byte = 0; byte < 256; byte++)
    {
      char *token = g_malloc0 (7);
      g_unichar_to_utf8 (byte_char (byte), token);
      g_ptr_array_add (tokens, token);
    }
  for (guint i = 0; i < n_merges; i++)
    {
      g_auto(GStrv) halves = g_strsplit (merge[i], " ", 2);
      g_ptr_array_add (tokens, g_strjoinv ("", halves));
    }
  const gint32 normal = 1, control = 3;
  for (guint i = 0; i < tokens->len; i++)
    g_array_append_val (types, normal);
  for (; specials != NULL && *specials != NULL; specials++)
    {
      g_ptr_array_add (tokens, g_strdup (*specials));
      g_array_append_val (types, control);
    }

  GgufWriter *writer = gguf_writer_new ();
  gguf_writer_set_string (writer, "general.architecture", "llama");
  gguf_writer_set_string (writer, "tokenizer.ggml.model", "gpt2");
  if (pre != NULL)
    gguf_writer_set_string (writer, "tokenizer.ggml.pre", pre);
  gguf_writer_set_strings (writer, "tokenizer.ggml.tokens", (const char *const *) tokens->pdata, tokens->len);
  writer_set_types (writer, (const gint32 *) types->data, types->len);
  gguf_writer_set_strings (writer, "tokenizer.ggml.merges", (const char *const *) merge, n_merges);
  return writer;
}

GgufWriter *
score_vocabulary (const char *const *pieces)
{
  g_autoptr(GPtrArray) tokens = g_ptr_array_new_with_free_func (g_free);
  const guint n_pieces = g_strv_length ((char **) pieces), n = 259 + n_pieces;
  g_autofree gint32 *types = g_new (gint32, n);
  g_autofree float *scores = g_new0 (float, n);
  g_ptr_array_add (tokens, g_strdup ("<unk>"));
  g_ptr_array_add (tokens, g_strdup ("<s>"));
  g_ptr_array_add (tokens, g_strdup ("</s>"));
  types[0] = 2;
  types[1] = types[2] = 3;
  for (guint byte = 0; byte < 256; byte++)
    {
      g_ptr_array_add (tokens, g_strdup_printf ("<0x%02X>", byte));
      types[3 + byte] = 6;
    }
  for (guint i = 0; i < n_pieces; i++)
    {
      g_ptr_array_add (tokens, g_strdup (pieces[i]));
      types[259 + i] = 1;
      scores[259 + i] = -(float) i;
    }

  GgufWriter *writer = gguf_writer_new ();
  gguf_writer_set_string (writer, "general.architecture", "llama");
  gguf_writer_set_string (writer, "tokenizer.ggml.model", "llama");
  gguf_writer_set_strings (writer, "tokenizer.ggml.tokens", (const char *const *) tokens->pdata, n);
  gguf_writer_set_array (writer, "tokenizer.ggml.scores", GGUF_TYPE_F32, n, scores, n * sizeof *scores);
  writer_set_types (writer, types, n);
  return writer;
}

AssayModelFile *
open_default_model (void)
{
  const char *path = g_getenv ("ASSAY_DEFAULT_MODEL");
  g_autofree char *usual = NULL;
  if (path == NULL)
    path = usual = g_build_filename (g_get_user_data_dir (), "assay", "models",
                                     "SmolLM2-135M-Instruct.Q4_1.gguf", NULL);
  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    {
      g_autofree char *reason = g_strdup_printf ("the default model is not at %s", path);
      g_test_skip (reason);
      return NULL;
    }
  g_autoptr(GError) error = NULL;
  AssayModelFile *file = assay_model_file_open (path, NULL, &error);
  g_assert_no_error (error);
  return file;
}

/* ---- comparing ---- */

char *
ids_to_string (GArray *ids)
{
  GString *out = g_string_new (NULL);
  for (guint i = 0; i < ids->len; i++)
    g_string_append_printf (out, i == 0 ? "%d" : " %d", g_array_index (ids, gint32, i));
  return g_string_free (out, FALSE);
}

void
assert_ids (GArray *ids, const guint32 *expected, guint n, const char *text, gsize length)
{
  if (ids->len == n && (n == 0 || memcmp (ids->data, expected, n * sizeof *expected) == 0))
    return;
  g_autoptr(GArray) other = g_array_new (FALSE, FALSE, sizeof (gint32));
  g_array_append_vals (other, expected, n);
  g_autofree char *shown = g_strndup (text, length), *escaped = g_strescape (shown, NULL);
  g_autofree char *got = ids_to_string (ids), *wanted = ids_to_string (other);
  g_test_message ("text: %s\ngot:    %s\nwanted: %s", escaped, got, wanted);
  g_test_fail ();
}
