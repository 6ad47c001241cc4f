/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/weights/hostile.c: see the header. */
#include "hostile.h"

#include "models/assay-config.h"
#include "text/assay-tokenizer.h"

#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>

enum { SECONDS_MAX = 2 };

static char *hostile_folder;

static void
hostile_remove_folder (void)
{
  g_rmdir (hostile_folder);
  g_free (hostile_folder);
}

const char *
hostile_get_folder (void)
{
  if (hostile_folder != NULL)
    return hostile_folder;
  hostile_folder = g_dir_make_tmp ("assay-hostile-XXXXXX", NULL);
  g_assert_nonnull (hostile_folder);
  atexit (hostile_remove_folder);
  return hostile_folder;
}

/* Takes the file. */
static GError *
hostile_load (AssayModelFile *opened, GError *error)
{
  g_autoptr (AssayModelFile) file = opened;
  g_autoptr (AssayTokenizer) tokenizer = NULL;
  AssayModelConfig config;
  g_assert_true ((file != NULL) != (error != NULL));
  if (file != NULL && assay_config_read (&config, file, &error))
    tokenizer = assay_tokenizer_new (file, FALSE, &error);
  g_assert_true ((tokenizer != NULL) != (error != NULL));
  return error;
}

static GError *
hostile_check_bytes (const guint8 *data, gsize length)
{
  GError *error = NULL;
  AssayModelFile *file = assay_model_file_open_bytes (data, length, "hostile.gguf", &error);
  return hostile_load (file, error);
}

static GError *
hostile_check_file (const guint8 *data, gsize length)
{
  g_autofree char *path = g_build_filename (hostile_get_folder (), "hostile.gguf", NULL);
  GError *error = NULL;
  g_assert_true (g_file_set_contents (path, (const char *) data, (gssize) length, NULL));
  AssayModelFile *file = assay_model_file_open (path, NULL, &error);
  error = hostile_load (file, error);
  g_unlink (path);
  return error;
}

GError *
hostile_check (const guint8 *data, gsize length)
{
  const gint64 start = g_get_monotonic_time ();
  GError *from_bytes = hostile_check_bytes (data, length);
  g_autoptr (GError) from_file = hostile_check_file (data, length);
  g_assert_cmpint (g_get_monotonic_time () - start, <, 2 * SECONDS_MAX * G_USEC_PER_SEC);
  g_assert_cmpint (from_bytes == NULL, ==, from_file == NULL);
  if (from_bytes != NULL)
    g_assert_cmpstr (assay_engine_error_get_reason (from_bytes), ==,
                     assay_engine_error_get_reason (from_file));
  return from_bytes;
}

GError *
hostile_check_writer (GgufWriter *writer)
{
  g_autoptr (GByteArray) bytes = gguf_writer_bytes (writer);
  return hostile_check (bytes->data, bytes->len);
}

AssayModelFile *
hostile_open (GgufWriter *writer)
{
  g_autoptr (GError) error = NULL;
  GByteArray *bytes = gguf_writer_bytes (writer);
  AssayModelFile *file = assay_model_file_open_bytes (bytes->data, bytes->len, "hostile.gguf", &error);
  g_assert_no_error (error);
  g_test_queue_destroy ((GDestroyNotify) g_byte_array_unref, bytes);
  return file;
}

void
hostile_judge (GError *given, AssayEngineError code, const char *reason, const char *text, const char *file,
               int line)
{
  g_autoptr (GError) error = given;
  if (error == NULL)
    g_error ("%s:%d: loads, but must be refused as %s", file, line, reason);
  if (!g_error_matches (error, ASSAY_ENGINE_ERROR, (gint) code)
      || strcmp (assay_engine_error_get_reason (error), reason) != 0)
    g_error ("%s:%d: refused as %s %d (%s), but must be %s", file, line,
             assay_engine_error_get_reason (error), error->code, error->message, reason);
  if (text != NULL && strstr (error->message, text) == NULL)
    g_error ("%s:%d: '%s' does not tell '%s'", file, line, error->message, text);
  if (!g_utf8_validate (error->message, -1, NULL) || strstr (error->message, "hostile.gguf: ") == NULL)
    g_error ("%s:%d: not a message: '%s'", file, line, error->message);
}

void
hostile_judge_loads (GError *given, const char *file, int line)
{
  g_autoptr (GError) error = given;
  if (error != NULL)
    g_error ("%s:%d: refused: %s", file, line, error->message);
}

gboolean
hostile_has_notice (AssayModelFile *file, const char *text)
{
  const char *const *notices = assay_model_file_get_notices (file);
  for (guint i = 0; notices[i] != NULL; i++)
    if (strstr (notices[i], text) != NULL)
      return TRUE;
  return FALSE;
}
