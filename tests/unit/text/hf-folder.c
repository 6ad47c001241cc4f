/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hf-folder.h"

#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

void
hf_folder_init (HfFolder *self)
{
  g_autoptr (GError) error = NULL;
  self->path = g_dir_make_tmp ("assay-hf-XXXXXX", &error);
  g_assert_no_error (error);
}

void
hf_folder_clear (HfFolder *self)
{
  if (self->path == NULL)
    return;
  g_autoptr (GDir) dir = g_dir_open (self->path, 0, NULL);
  for (const char *name; dir != NULL && (name = g_dir_read_name (dir)) != NULL;)
    hf_folder_remove (self, name);
  g_rmdir (self->path);
  g_clear_pointer (&self->path, g_free);
}

/* Not g_file_set_contents(): that waits for the disk, and a sweep writes thousands. */
void
hf_folder_set (HfFolder *self, const char *name, const char *text, gssize length)
{
  g_autofree char *path = g_build_filename (self->path, name, NULL);
  FILE *file = g_fopen (path, "wb");
  const gsize n = length < 0 ? strlen (text) : (gsize) length;
  g_assert_nonnull (file);
  g_assert_cmpuint (fwrite (text, 1, n, file), ==, n);
  g_assert_cmpint (fclose (file), ==, 0);
}

void
hf_folder_remove (HfFolder *self, const char *name)
{
  g_autofree char *path = g_build_filename (self->path, name, NULL);
  g_assert_cmpint (g_unlink (path), ==, 0);
}

static gboolean
is_vector (const char *name)
{
  return g_str_has_suffix (name, ".bias") || strstr (name, "norm.") != NULL || strstr (name, "ln_") != NULL;
}

void
hf_folder_set_weights (HfFolder *self, const char *const *names, guint rows)
{
  const gsize each = 2 * (gsize)rows;
  gsize n = 0;
  g_autoptr (GString) header = g_string_new ("{");
  for (; names[n] != NULL; n++)
    g_string_append_printf (header,
                            "%s\"%s\":{\"dtype\":\"F16\",\"shape\":[%u%s],\"data_offsets\":[%" G_GSIZE_FORMAT
                            ",%" G_GSIZE_FORMAT "]}",
                            n > 0 ? "," : "", names[n], rows, is_vector (names[n]) ? "" : ",1", n * each,
                            (n + 1) * each);
  g_string_append_c (header, '}');
  while (header->len % 8 != 0)
    g_string_append_c (header, ' ');
  const guint64 length = GUINT64_TO_LE ((guint64)header->len);
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_byte_array_append (bytes, (const guint8 *)&length, sizeof length);
  g_byte_array_append (bytes, (const guint8 *)header->str, (guint)header->len);
  const guint data = bytes->len;
  g_byte_array_set_size (bytes, data + (guint)(n * each));
  memset (bytes->data + data, 0x3C, n * each);
  hf_folder_set (self, "model.safetensors", (const char *)bytes->data, bytes->len);
}

void
hf_folder_set_model (HfFolder *self, const char *model_type, guint n_vocab)
{
  const gboolean gpt2 = g_str_equal (model_type, "gpt2");
  const char *const names[] = { gpt2 ? "wte.weight" : "model.embed_tokens.weight", NULL };
  g_autofree char *config = g_strdup_printf (
      "{\"model_type\": \"%s\", \"vocab_size\": %u, \"tie_word_embeddings\": true}", model_type, n_vocab);
  hf_folder_set (self, "config.json", config, -1);
  hf_folder_set_weights (self, names, n_vocab);
}

AssayModelFile *
hf_folder_open (HfFolder *self, GError **error)
{
  return assay_model_file_open (self->path, NULL, error);
}
