/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/weights/test-split.c: rows M33 to M35 (C39 to C42): models in several files. */
#include "hostile.h"

#include <glib/gstdio.h>
#include <string.h>

#define FORMAT ASSAY_ENGINE_ERROR_FORMAT
#define N_PARTS 3

typedef struct
{
  char *folder, *prefix;
  GgufWriter *whole;
} Set;

static void
set_up (Set *set, gconstpointer data)
{
  set->folder = g_dir_make_tmp ("assay-split-XXXXXX", NULL);
  set->prefix = g_build_filename (set->folder, "hostile.gguf", NULL); /* so that messages can be looked for */
  set->whole = tiny_model_new (&(TinyModel) { .n_layers = 2, .matrices = ASSAY_DTYPE_Q8_0 });
  gguf_writer_save_split (set->whole, set->prefix, N_PARTS);
}

static char *
set_path (Set *set, guint part)
{
  return g_strdup_printf ("%s-%05u-of-%05u.gguf", set->prefix, part + 1, N_PARTS);
}

static void
tear_down (Set *set, gconstpointer data)
{
  for (guint i = 0; i < N_PARTS; i++)
    {
      g_autofree char *path = set_path (set, i);
      g_unlink (path);
    }
  g_rmdir (set->folder);
  gguf_writer_free (set->whole);
  g_free (set->folder);
  g_free (set->prefix);
}

static void
refuse (Set *set, guint opened, const char *reason, const char *text)
{
  g_autofree char *path = set_path (set, opened);
  GError *error = NULL;
  const gint64 start = g_get_monotonic_time ();
  g_autoptr (AssayModelFile) file = assay_model_file_open (path, NULL, &error);
  g_assert_cmpint (g_get_monotonic_time () - start, <, G_USEC_PER_SEC);
  g_assert_null (file);
  g_assert_error (error, ASSAY_ENGINE_ERROR, FORMAT);
  g_assert_cmpstr (assay_engine_error_get_reason (error), ==, reason);
  if (strstr (error->message, text) == NULL)
    g_error ("'%s' does not tell '%s'", error->message, text);
  g_error_free (error);
}

/* Writes part `number` anew, from another writer or with a key changed. */
static void
rewrite (Set *set, guint number, GgufWriter *from, const char *key, guint32 value)
{
  g_autofree char *path = set_path (set, number);
  g_autoptr (GgufWriter) part = gguf_writer_part (from, number, N_PARTS);
  if (key != NULL)
    gguf_writer_set_u32 (part, key, value);
  gguf_writer_save (part, path);
}

static void
test_opens_from_any_part (Set *set, gconstpointer data)
{
  g_autofree char *single = g_build_filename (set->folder, "single.gguf", NULL);
  g_autoptr (GError) error = NULL;
  gguf_writer_save (set->whole, single);
  g_autoptr (AssayModelFile) whole = assay_model_file_open (single, NULL, &error);
  g_assert_no_error (error);
  g_autofree char *whole_hash = assay_model_file_hash_content (whole, TRUE, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < N_PARTS; i++)
    {
      g_autofree char *path = set_path (set, i);
      g_autoptr (AssayModelFile) file = assay_model_file_open (path, NULL, &error);
      g_assert_no_error (error);
      g_assert_cmpuint (assay_model_file_get_n_parts (file), ==, N_PARTS);
      g_assert_cmpuint (assay_model_file_get_n_tensors (file), ==, assay_model_file_get_n_tensors (whole));
      g_assert_true (g_str_has_suffix (assay_model_file_get_path (file), "-00001-of-00003.gguf"));
      g_assert_cmpstr (assay_model_file_get_metadata_sha256 (file), ==,
                       assay_model_file_get_metadata_sha256 (whole));
      g_autofree char *hash = assay_model_file_hash_content (file, TRUE, NULL, NULL, NULL, &error);
      g_assert_no_error (error);
      g_assert_cmpstr (hash, ==, whole_hash);
      g_assert_cmpuint (assay_model_file_get_mapped_bytes (file), ==, assay_model_file_get_bytes (file));
    }
  g_unlink (single);
}

static void
test_missing_part (Set *set, gconstpointer data)
{
  g_autofree char *second = set_path (set, 1);
  g_unlink (second);
  refuse (set, 0, "gguf-split-missing", "incomplete 2/3: missing hostile.gguf-00002-of-00003.gguf");
  refuse (set, 2, "gguf-split-missing", "hostile.gguf-00002-of-00003.gguf");
}

static void
test_clashing_numbers (Set *set, gconstpointer data)
{
  rewrite (set, 1, set->whole, "split.no", 2);
  refuse (set, 0, "gguf-split-mismatch", "split.no says part 3, its name says part 2");
}

static void
test_other_count (Set *set, gconstpointer data)
{
  rewrite (set, 1, set->whole, "split.count", 4);
  refuse (set, 0, "gguf-split-mismatch", "of 4 parts");
}

static void
test_other_total (Set *set, gconstpointer data)
{
  rewrite (set, 0, set->whole, "split.tensors.count", 99);
  refuse (set, 0, "gguf-split-mismatch", "split.tensors.count");
  for (guint i = 0; i < N_PARTS; i++)
    rewrite (set, i, set->whole, "split.tensors.count", 99);
  refuse (set, 1, "gguf-split-mismatch", "split.tensors.count says 99");
}

static void
test_other_quantization (Set *set, gconstpointer data)
{
  const TinyModel model = { .n_layers = 2, .matrices = ASSAY_DTYPE_Q4_0 };
  g_autoptr (GgufWriter) other = tiny_model_new (&model);
  rewrite (set, 2, other, NULL, 0);
  refuse (set, 0, "gguf-split-mismatch", "different quantizations");
}

static void
test_tensor_in_two_parts (Set *set, gconstpointer data)
{
  g_autoptr (GgufWriter) part = gguf_writer_part (set->whole, 1, N_PARTS);
  g_autofree char *path = set_path (set, 1);
  gguf_writer_rename_tensor (g_ptr_array_index (part->tensors, 0), "token_embd.weight", 17);
  gguf_writer_save (part, path);
  refuse (set, 0, "gguf-duplicate-tensor", "token_embd.weight");
}

static void
test_truncated_part (Set *set, gconstpointer data)
{
  g_autofree char *path = set_path (set, 2);
  GStatBuf st;
  g_assert_cmpint (g_stat (path, &st), ==, 0);
  g_assert_cmpint (truncate (path, st.st_size - 40), ==, 0);
  refuse (set, 0, "gguf-data-short", "-00003-of-00003.gguf");
}

static void
test_m34_joined (Set *set, gconstpointer data)
{
  g_autoptr (GByteArray) joined = g_byte_array_new ();
  for (guint i = 0; i < N_PARTS; i++)
    {
      g_autoptr (GgufWriter) part = gguf_writer_part (set->whole, i, N_PARTS);
      g_autoptr (GByteArray) bytes = gguf_writer_bytes (part);
      g_byte_array_append (joined, bytes->data, bytes->len);
    }
  hostile_assert_refused (joined->data, joined->len, FORMAT, "gguf-split-joined",
                          "part 1 of 3, or parts joined byte by byte");
  g_autofree char *path = set_path (set, 0); /* the name of a part does not make it one */
  g_assert_true (g_file_set_contents (path, (char *) joined->data, joined->len, NULL));
  refuse (set, 0, "gguf-split-joined", "parts joined");
}

static void
test_m35_name_without_split (Set *set, gconstpointer data)
{
  g_autofree char *path = g_build_filename (set->folder, "x-00001-of-00013.gguf", NULL);
  g_autoptr (GError) error = NULL;
  gguf_writer_save (set->whole, path);
  g_autoptr (AssayModelFile) file = assay_model_file_open (path, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (assay_model_file_get_n_parts (file), ==, 1);
  g_unlink (path);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
#define ROW(name, function) g_test_add ("/weights/split/" name, Set, NULL, set_up, function, tear_down)
  ROW ("M33-opens-from-any-part-as-one-model", test_opens_from_any_part);
  ROW ("M33-missing-part-is-named-at-once", test_missing_part);
  ROW ("M33-two-parts-of-one-number", test_clashing_numbers);
  ROW ("M33-count-differs", test_other_count);
  ROW ("M33-total-differs", test_other_total);
  ROW ("M33-parts-of-two-quantizations", test_other_quantization);
  ROW ("M33-one-tensor-in-two-parts", test_tensor_in_two_parts);
  ROW ("M26-a-part-cut-short", test_truncated_part);
  ROW ("M34-parts-joined-with-cat", test_m34_joined);
  ROW ("M35-a-part's-name-without-split-metadata-loads", test_m35_name_without_split);
  return g_test_run ();
}
