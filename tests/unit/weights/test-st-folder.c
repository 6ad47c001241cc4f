/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/weights/test-st-folder.c: rows M64 to M68, M76 to M80 (C43 to C45): folders of safetensors
 * files, links and strangers among them. */
#include "hostile.h"
#include "st-writer.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FORMAT ASSAY_ENGINE_ERROR_FORMAT
#define PART(i, n) "model-0000" #i "-of-0000" #n ".safetensors"

/* name: asked for; NULL the folder. */
static void
refuse (const StFolder *folder, const char *name, const char *reason, const char *text)
{
  GError *error = NULL;
  const gint64 start = g_get_monotonic_time ();
  g_autoptr (AssayModelFile) file = st_folder_open (folder, name, &error);
  g_assert_cmpint (g_get_monotonic_time () - start, <, G_USEC_PER_SEC);
  if (file != NULL)
    g_error ("loads, but must be refused as %s", reason);
  if (strcmp (assay_engine_error_get_reason (error), reason) != 0)
    g_error ("refused as %s (%s), but must be %s", assay_engine_error_get_reason (error), error->message,
             reason);
  if (strstr (error->message, text) == NULL)
    g_error ("'%s' does not tell '%s'", error->message, text);
  g_assert_true (g_utf8_validate (error->message, -1, NULL));
  g_error_free (error);
}

/* (transfer full) */
static AssayModelFile *
load (const StFolder *folder, const char *name)
{
  g_autoptr (GError) error = NULL;
  AssayModelFile *file = st_folder_open (folder, name, &error);
  g_assert_no_error (error);
  return file;
}

#define TENSORS(...) ((const char *const[]) { __VA_ARGS__, NULL })

/* Three files of two tensors each, and the index. */
static void
make_set (StFolder *folder)
{
  st_folder_init (folder);
  st_folder_put_tensors (folder, PART (1, 3), TENSORS ("a", "b"));
  st_folder_put_tensors (folder, PART (2, 3), TENSORS ("c", "d"));
  st_folder_put_tensors (folder, PART (3, 3), TENSORS ("e", "f"));
  st_folder_put_index (folder, TENSORS ("a", PART (1, 3), "e", PART (3, 3), "b", PART (1, 3), "c",
                                        PART (2, 3), "d", PART (2, 3), "f", PART (3, 3)));
}

static void
unlink_in (const StFolder *folder, const char *name)
{
  g_autofree char *path = st_folder_path (folder, name);
  g_assert_cmpint (g_unlink (path), ==, 0);
}

static void
link_in (const StFolder *folder, const char *name, const char *target)
{
  g_autofree char *path = st_folder_path (folder, name);
  g_assert_cmpint (symlink (target, path), ==, 0);
}

static void
test_a_set_opens_from_any_of_its_files (void)
{
  static const char *const names[]
      = { NULL, "config.json", "model.safetensors.index.json", PART (1, 3), PART (2, 3), PART (3, 3) };
  g_auto (StFolder) folder;
  make_set (&folder);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (AssayModelFile) file = load (&folder, names[i]);
      g_autofree char *second = st_folder_path (&folder, PART (2, 3));
      g_assert_cmpuint (assay_model_file_get_n_tensors (file), ==, 6);
      g_assert_cmpuint (assay_model_file_get_n_parts (file), ==, 3);
      g_assert_cmpstr (assay_model_file_get_part_path (file, 1), ==, second);
      g_assert_cmpstr (assay_model_file_get_path (file), ==, folder.path);
      g_assert_null (assay_model_file_get_notices (file)[0]);
    }
}

static void
test_m64_every_shard_is_checked_before_it_is_mapped (void)
{
  for (guint part = 1; part <= 3; part++)
    {
      g_auto (StFolder) folder;
      make_set (&folder);
      g_autofree char *name = g_strdup_printf ("model-0000%u-of-00003.safetensors", part);
      g_autofree char *path = st_folder_path (&folder, name);
      struct stat st;
      g_assert_cmpint (stat (path, &st), ==, 0);
      g_assert_cmpint (truncate (path, st.st_size - 1), ==, 0);
      refuse (&folder, NULL, "safetensors-data-short", name);
      g_assert_cmpint (truncate (path, 20), ==, 0);
      refuse (&folder, NULL, "safetensors-truncated", name);
      g_assert_cmpint (truncate (path, 0), ==, 0);
      refuse (&folder, NULL, "safetensors-truncated", name);
    }
}

static void
test_m65_c43_absent_shards_are_named (void)
{
  g_auto (StFolder) folder;
  make_set (&folder);
  unlink_in (&folder, PART (3, 3));
  refuse (&folder, NULL, "safetensors-missing", "incomplete 2 of 3: missing " PART (3, 3));
  refuse (&folder, PART (1, 3), "safetensors-missing", PART (3, 3));
  link_in (&folder, PART (3, 3), "nowhere"); /* a link to nothing, as of a download that was broken off */
  refuse (&folder, NULL, "safetensors-missing", "incomplete 2 of 3: missing " PART (3, 3));
  unlink_in (&folder, PART (1, 3));
  refuse (&folder, NULL, "safetensors-missing", "incomplete 1 of 3: missing " PART (1, 3) ", " PART (3, 3));
  unlink_in (&folder, "model.safetensors.index.json");
  refuse (&folder, NULL, "safetensors-missing", "incomplete 1 of 3");
}

static void
test_c45_a_gap_is_named_and_other_files_count_apart (void)
{
  g_auto (StFolder) folder;
  st_folder_init (&folder);
  for (guint i = 1; i < 12; i++)
    {
      g_autofree char *name = g_strdup_printf ("model-%05u-of-00012.safetensors", i);
      g_autofree char *tensor = g_strdup_printf ("t%u", i);
      st_folder_put_tensors (&folder, name, TENSORS (tensor));
    }
  st_folder_put_tensors (&folder, "model-mtp-00001.safetensors", TENSORS ("m"));
  refuse (&folder, NULL, "safetensors-missing",
          "incomplete 11 of 12: missing model-00012-of-00012.safetensors (or "
          "model-00000-of-00012.safetensors, if they count from 0)");
  refuse (&folder, NULL, "safetensors-missing", "1 other safetensors files of the folder do not count");
  st_folder_put_tensors (&folder, "model-00000-of-00012.safetensors", TENSORS ("t0"));
  g_autoptr (AssayModelFile) file = load (&folder, NULL); /* counted from 0 */
  g_assert_cmpuint (assay_model_file_get_n_tensors (file), ==, 12);
  g_assert_true (hostile_has_notice (file, "without an index"));
  unlink_in (&folder, "model-00006-of-00012.safetensors");
  refuse (&folder, NULL, "safetensors-missing",
          "incomplete 11 of 12: missing model-00006-of-00012.safetensors;");
}

static void
test_m66_c44_the_index_decides_over_strays (void)
{
  g_auto (StFolder) folder;
  make_set (&folder);
  g_autoptr (AssayModelFile) before = load (&folder, NULL);
  st_folder_put_tensors (&folder, "model.safetensors", TENSORS ("a", "z"));
  st_folder_put_tensors (&folder, "consolidated.safetensors", TENSORS ("y"));
  g_autoptr (AssayModelFile) file = load (&folder, NULL);
  g_assert_cmpuint (assay_model_file_get_n_tensors (file), ==, 6);
  g_assert_null (assay_model_file_find_tensor (file, "c.z"));
  g_assert_true (hostile_has_notice (file, "model.safetensors is not part of this model"));
  g_assert_true (hostile_has_notice (file, "consolidated.safetensors is not part of this model"));
  g_assert_cmpstr (assay_model_file_get_metadata_sha256 (file), ==,
                   assay_model_file_get_metadata_sha256 (before));
  refuse (&folder, "model.safetensors", "safetensors-stray", "model.safetensors.index.json does not name it");
}

static void
test_m66_a_stale_index_is_refused (void)
{
  g_auto (StFolder) folder;
  make_set (&folder);
  st_folder_put_index (&folder, TENSORS ("a", PART (1, 3), "b", PART (1, 3), "c", PART (2, 3), "gone",
                                         PART (2, 3), "e", PART (3, 3), "f", PART (3, 3)));
  refuse (&folder, NULL, "safetensors-index-stale", "tensor 'gone'");
  refuse (&folder, NULL, "safetensors-index-stale", PART (2, 3));
  /* "c" and "d" exist, but not where the index says */
  st_folder_put_index (&folder, TENSORS ("a", PART (1, 3), "b", PART (1, 3), "c", PART (3, 3), "d",
                                         PART (3, 3), "e", PART (3, 3), "f", PART (3, 3)));
  refuse (&folder, NULL, "safetensors-index-stale", "2 of them");
}

static void
test_m66_tensors_outside_the_index_are_left_out (void)
{
  g_auto (StFolder) folder;
  make_set (&folder);
  st_folder_put_tensors (&folder, PART (2, 3),
                         TENSORS ("a", "c", "d", "extra")); /* "a" is the first file's */
  g_autoptr (AssayModelFile) file = load (&folder, NULL);
  g_assert_cmpuint (assay_model_file_get_n_tensors (file), ==, 6);
  g_assert_cmpuint (assay_model_file_find_tensor (file, "c.a")->part, ==, 0);
  g_assert_null (assay_model_file_find_tensor (file, "c.extra"));
  g_assert_true (hostile_has_notice (file, PART (2, 3) " has 2 tensors that the index does not give to it"));
}

static void
test_m66_several_sets_are_a_question (void)
{
  g_auto (StFolder) folder;
  st_folder_init (&folder);
  st_folder_put_tensors (&folder, "model.safetensors", TENSORS ("a"));
  st_folder_put_tensors (&folder, "model.fp16.safetensors", TENSORS ("b"));
  refuse (&folder, NULL, "safetensors-several", "model.fp16.safetensors, model.safetensors");
  g_autoptr (AssayModelFile) file = load (&folder, "model.fp16.safetensors");
  g_autofree char *path = st_folder_path (&folder, "model.fp16.safetensors");
  g_assert_nonnull (assay_model_file_find_tensor (file, "c.b"));
  g_assert_cmpstr (assay_model_file_get_path (file), ==,
                   path); /* the folder alone would not lead here again */
  g_assert_true (hostile_has_notice (file, "model.safetensors is not part of this model"));
}

static void
test_m66_two_files_of_one_tensor (void)
{
  g_auto (StFolder) folder;
  st_folder_init (&folder);
  st_folder_put_tensors (&folder, PART (1, 2), TENSORS ("a", "b"));
  st_folder_put_tensors (&folder, PART (2, 2), TENSORS ("b"));
  refuse (&folder, NULL, "safetensors-duplicate-tensor", "tensor 'b'");
}

static void
test_copies_under_other_names_are_left_alone (void)
{
  g_auto (StFolder) folder;
  st_folder_init (&folder);
  st_folder_put_tensors (&folder, "model.safetensors", TENSORS ("a"));
  st_folder_put_tensors (&folder, "consolidated.safetensors", TENSORS ("b"));
  st_folder_put_tensors (&folder, "adapter_model.safetensors", TENSORS ("d"));
  g_autoptr (AssayModelFile) file = load (&folder, NULL);
  g_assert_cmpuint (assay_model_file_get_n_tensors (file), ==, 1);
  g_assert_nonnull (assay_model_file_find_tensor (file, "c.a"));
  g_assert_true (hostile_has_notice (file, "consolidated.safetensors is not part"));
}

static void
test_m67_index_values_are_plain_names (void)
{
  static const char *const values[] = { "../../etc/passwd",
                                        "/etc/passwd",
                                        "..",
                                        "",
                                        "a/b.safetensors",
                                        "a\\\\b.safetensors",
                                        "../x.safetensors",
                                        "model.bin",
                                        ".safetensors",
                                        ".hidden.safetensors",
                                        "a\\u0000.safetensors",
                                        "a\\nb.safetensors" };
  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    {
      g_auto (StFolder) folder;
      make_set (&folder);
      st_folder_put_index (&folder, TENSORS ("a", values[i]));
      refuse (&folder, NULL, "safetensors-path", "plain name");
    }
}

static void
test_m67_links_out_and_what_is_no_file (void)
{
  g_auto (StFolder) folder;
  g_auto (StFolder) outside;
  make_set (&folder);
  st_folder_init (&outside);
  st_folder_put_tensors (&outside, "x.safetensors", TENSORS ("e", "f"));
  g_autofree char *target = st_folder_path (&outside, "x.safetensors");
  unlink_in (&folder, PART (3, 3));
  link_in (&folder, PART (3, 3), target);
  refuse (&folder, NULL, "safetensors-path", "a link out of the model's folder");
  unlink_in (&folder, PART (3, 3));
  link_in (&folder, PART (3, 3), "/dev/zero");
  refuse (&folder, NULL, "safetensors-path", "/dev/zero");
  unlink_in (&folder, PART (3, 3));
  g_autofree char *pipe_path = st_folder_path (&folder, PART (3, 3));
  g_assert_cmpint (mkfifo (pipe_path, 0600), ==, 0);
  refuse (&folder, NULL, "not-a-file", "a pipe");
  unlink_in (&folder, PART (3, 3));
  g_assert_cmpint (g_mkdir (pipe_path, 0700), ==, 0);
  refuse (&folder, NULL, "not-a-file", "a folder");
  g_assert_cmpint (g_rmdir (pipe_path), ==, 0);

  st_folder_put_tensors (&folder, "elsewhere", TENSORS ("e", "f"));
  link_in (&folder, PART (3, 3), "elsewhere"); /* within the folder */
  g_autoptr (AssayModelFile) file = load (&folder, NULL);
  g_assert_cmpuint (assay_model_file_get_n_tensors (file), ==, 6);
}

static void
test_m67_texts_do_not_lead_out_either (void)
{
  static const char *const names[] = { "config.json", "tokenizer.json", "chat_template.jinja" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_auto (StFolder) folder;
      g_auto (StFolder) outside;
      st_folder_init (&folder);
      st_folder_init (&outside);
      g_autofree char *target = st_folder_path (&outside, "config.json");
      g_autofree char *path = st_folder_path (&folder, names[i]);
      st_folder_put_tensors (&folder, "model.safetensors", TENSORS ("a"));
      g_unlink (path);
      link_in (&folder, names[i], target);
      refuse (&folder, NULL, "safetensors-path", names[i]);
      unlink_in (&folder, names[i]);
      g_assert_cmpint (mkfifo (path, 0600), ==, 0);
      refuse (&folder, NULL, "not-a-file", "a pipe");
    }
}

/* models--ORG--NAME/{blobs, snapshots/COMMIT}, whose files are links to ../../blobs/HASH. */
static void
test_m67_links_within_a_hub_cache_are_followed (void)
{
  g_auto (StFolder) root;
  st_folder_init (&root);
  g_autofree char *snapshot = st_folder_path (&root, "models--org--name/snapshots/0123");
  g_autofree char *blobs = st_folder_path (&root, "models--org--name/blobs");
  g_assert_true (g_mkdir_with_parents (snapshot, 0700) == 0 && g_mkdir_with_parents (blobs, 0700) == 0);
  const StFolder blob_folder = { blobs }, folder = { snapshot };
  st_folder_put_tensors (&blob_folder, "1111", TENSORS ("a", "b"));
  st_folder_put (&blob_folder, "2222", "{}");
  st_folder_put (&blob_folder, "3333",
                 "{\"weight_map\":{\"a\":\"model.safetensors\",\"b\":\"model.safetensors\"}}");
  link_in (&folder, "model.safetensors", "../../blobs/1111");
  link_in (&folder, "config.json", "../../blobs/2222");
  link_in (&folder, "model.safetensors.index.json", "../../blobs/3333");
  g_autoptr (AssayModelFile) file = load (&folder, NULL);
  g_autofree char *path = st_folder_path (&folder, "model.safetensors");
  g_assert_cmpuint (assay_model_file_get_n_tensors (file), ==, 2);
  g_assert_cmpstr (assay_model_file_get_part_path (file, 0), ==, path);
  g_assert_true (assay_model_file_map (file, NULL));

  unlink_in (&folder, "model.safetensors");
  st_folder_put_tensors (&root, "stranger", TENSORS ("a", "b"));
  link_in (&folder, "model.safetensors", "../../../stranger"); /* beside the repository, not in its blobs */
  refuse (&folder, NULL, "safetensors-path", "a link out");
}

static AssayModelFile *
open_single (StFolder *folder)
{
  st_folder_init (folder);
  st_folder_put_tensors (folder, "model.safetensors", TENSORS ("a", "b"));
  return load (folder, NULL);
}

static void
test_m68_replaced_or_shortened_between_looking_and_loading (void)
{
  g_auto (StFolder) folder;
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayModelFile) file = open_single (&folder);
  g_assert_false (assay_model_file_is_changed (file));
  st_folder_put_tensors (&folder, "model.safetensors", TENSORS ("a", "c"));
  g_assert_true (assay_model_file_is_changed (file));
  g_assert_false (assay_model_file_map (file, &error));
  g_assert_error (error, ASSAY_ENGINE_ERROR, ASSAY_ENGINE_ERROR_CHANGED);
  g_clear_error (&error);

  g_autoptr (AssayModelFile) again = load (&folder, NULL);
  g_autofree char *path = st_folder_path (&folder, "model.safetensors");
  g_assert_cmpint (truncate (path, (off_t) assay_model_file_get_bytes (again) - 4), ==, 0);
  g_assert_false (assay_model_file_map (again, &error));
  g_assert_error (error, ASSAY_ENGINE_ERROR, ASSAY_ENGINE_ERROR_CHANGED);
}

/* Size and time are as before; the header is not. */
static void
test_m68_header_changed_in_place (void)
{
  g_auto (StFolder) folder;
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayModelFile) file = open_single (&folder);
  g_autofree char *path = st_folder_path (&folder, "model.safetensors");
  struct stat st;
  g_assert_cmpint (stat (path, &st), ==, 0);
  FILE *out = g_fopen (path, "r+");
  g_assert_true (out != NULL && fseek (out, 12, SEEK_SET) == 0 && fputc ('M', out) == 'M'
                 && fclose (out) == 0);
  const struct timespec times[] = { st.st_atim, st.st_mtim };
  g_assert_cmpint (utimensat (AT_FDCWD, path, times, 0), ==, 0);
  g_assert_false (assay_model_file_is_changed (file));
  g_assert_false (assay_model_file_map (file, &error));
  g_assert_error (error, ASSAY_ENGINE_ERROR, ASSAY_ENGINE_ERROR_CHANGED);
}

static void
test_m64_a_shard_cut_while_mapped_reads_as_zeros (void)
{
  g_auto (StFolder) folder;
  g_autoptr (GError) error = NULL;
  static const guint64 shape[] = { 64, 1024 };
  st_folder_init (&folder);
  g_autoptr (StWriter) w = st_writer_new ();
  st_writer_add (w, "a", "F32", 2, shape);
  g_autoptr (GByteArray) bytes = st_writer_bytes (w);
  st_folder_put_bytes (&folder, "model.safetensors", bytes);
  g_autoptr (AssayModelFile) file = load (&folder, NULL);
  g_assert_true (assay_model_file_map (file, &error));
  g_autofree char *path = st_folder_path (&folder, "model.safetensors");
  g_assert_cmpint (truncate (path, 4096), ==, 0);
  g_assert_null (assay_model_file_hash_content (file, FALSE, NULL, NULL, NULL, &error));
  g_assert_error (error, ASSAY_ENGINE_ERROR, ASSAY_ENGINE_ERROR_CHANGED);
  g_assert_true (assay_model_file_is_changed (file));
}

static void
test_m76_m77_m79_other_formats_are_told_by_content (void)
{
  static const struct { const char *bytes; gsize length; const char *reason, *text; } rows[] = {
    { "PK\3\4\0\0\0\0\0\0archive/data.pkl", 26, "zip-archive", "convert" },
    { "\200\2}q\0(X\6\0\0\0", 11, "python-pickle", "never opened" },
    { "\200\4\225\0\0\0\0\0\0\0\0", 11, "python-pickle", "convert" },
    { "version https://git-lfs.github.com/spec/v1\n", 43, "git-lfs-pointer", "git lfs pull" },
    { "<!DOCTYPE html><html>", 21, "web-page", "fetch" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_auto (StFolder) folder;
      st_folder_init (&folder);
      const GByteArray bytes = { (guint8 *) rows[i].bytes, (guint) rows[i].length };
      st_folder_put_bytes (&folder, "model.safetensors", &bytes);
      refuse (&folder, NULL, rows[i].reason, rows[i].text);
      refuse (&folder, "model.safetensors", rows[i].reason, "not safetensors, but");
    }
}

static void
test_m76_a_folder_of_pickles_says_how_to_convert (void)
{
  g_auto (StFolder) folder;
  st_folder_init (&folder);
  refuse (&folder, NULL, "not-a-file", "a folder without model files");
  st_folder_put (&folder, "pytorch_model.bin", "PK\3\4");
  refuse (&folder, NULL, "python-pickle", "such as pytorch_model.bin");
  refuse (&folder, "config.json", "python-pickle", "save_pretrained");
  st_folder_put (&folder, "model-q4.gguf", "GGUF");
  refuse (&folder, NULL, "not-a-file", "choose one of its GGUF files, such as model-q4.gguf");
}

static void
test_m77_safetensors_under_another_name (void)
{
  g_auto (StFolder) folder;
  st_folder_init (&folder);
  st_folder_put_tensors (&folder, "pytorch_model.bin", TENSORS ("a"));
  g_autoptr (AssayModelFile) file = load (&folder, "pytorch_model.bin");
  g_assert_nonnull (assay_model_file_find_tensor (file, "c.a"));
  g_assert_true (hostile_has_notice (file, "the file is safetensors, though its name does not end so"));
}

static void
test_m80_programs_beside_the_weights_are_never_run (void)
{
  g_auto (StFolder) folder;
  g_autoptr (AssayModelFile) plain = open_single (&folder);
  g_assert_null (assay_model_file_get_notices (plain)[0]);
  st_folder_put (&folder, "modeling_strange.py", "import os; os.abort ()");
  g_autoptr (AssayModelFile) file = load (&folder, NULL);
  g_assert_true (hostile_has_notice (file, "Python programs; none of them is ever run"));
}

static void
test_weights_without_config_say_what_the_folder_is (void)
{
  g_auto (StFolder) folder;
  st_folder_init (&folder);
  st_folder_put_tensors (&folder, "adapter_model.safetensors", TENSORS ("a"));
  unlink_in (&folder, "config.json");
  refuse (&folder, NULL, "safetensors-config-missing", "config.json is missing");
  st_folder_put (&folder, "adapter_config.json", "{}");
  refuse (&folder, "adapter_model.safetensors", "safetensors-config-missing", "holds an adapter");
}

static void
test_long_texts_are_refused_unread (void)
{
  g_auto (StFolder) folder;
  g_autoptr (AssayModelFile) file = open_single (&folder);
  g_autofree char *path = st_folder_path (&folder, "tokenizer.json");
  st_folder_put (&folder, "tokenizer.json", "{}");
  g_assert_cmpint (truncate (path, 200000000), ==, 0); /* M74: 200 MB, sparse */
  refuse (&folder, NULL, "safetensors-text-too-large", "200000000 bytes");
}

static void
test_hashes_are_the_same_in_one_file_or_several (void)
{
  g_auto (StFolder) set;
  g_auto (StFolder) whole;
  g_autoptr (GError) error = NULL;
  make_set (&set);
  st_folder_init (&whole);
  st_folder_put_tensors (&whole, "model.safetensors", TENSORS ("f", "a", "c", "b", "e", "d"));
  g_autoptr (AssayModelFile) a = load (&set, NULL), b = load (&whole, NULL);
  g_assert_cmpstr (assay_model_file_get_metadata_sha256 (a), ==, assay_model_file_get_metadata_sha256 (b));
  g_autofree char *hash_a = assay_model_file_hash_content (a, TRUE, NULL, NULL, NULL, &error);
  g_autofree char *hash_b = assay_model_file_hash_content (b, TRUE, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (hash_a, ==, hash_b);

  st_folder_put_tensors (&whole, "model.safetensors", TENSORS ("f", "a", "c", "b", "e", "g"));
  g_autoptr (AssayModelFile) c = load (&whole, NULL);
  g_autofree char *hash_c = assay_model_file_hash_content (c, TRUE, NULL, NULL, NULL, &error);
  g_assert_cmpstr (hash_a, !=, hash_c);
  g_assert_cmpstr (assay_model_file_get_metadata_sha256 (a), !=, assay_model_file_get_metadata_sha256 (c));
}

static void
test_a_file_just_written_is_cached (void)
{
  g_auto (StFolder) folder;
  g_autoptr (AssayModelFile) file = open_single (&folder);
  g_assert_cmpfloat (assay_model_file_get_cached_share (file), ==, -1);
  g_assert_true (assay_model_file_map (file, NULL));
  g_assert_cmpfloat (assay_model_file_get_cached_share (file), ==, 1); /* one page, read a moment ago */
}

static void
test_broken_indices (void)
{
  static const struct { const char *text, *reason, *say; } rows[] = {
    { "", "safetensors-json", "the index ends" },
    { "[]", "safetensors-index", "no object" },
    { "{}", "safetensors-index", "no weight_map" },
    { "{\"weight_map\":{}}", "safetensors-index", "no weight_map that names a file" },
    { "{\"weight_map\":[]}", "safetensors-index", "'weight_map'" },
    { "{\"weight_map\":{\"a\":7}}", "safetensors-path", "plain name" },
    { "{\"weight_map\":{\"a\":\"x.safetensors\",\"a\":\"x.safetensors\"}}", "safetensors-duplicate", "'a'" },
    { "{\"metadata\":{\"x\":[{\"b\":1,\"\\u0062\":2}]}}", "safetensors-duplicate", "'b'" },
    { "{\"weight_map\":{\"a\":\"\\ud800.safetensors\"}}", "safetensors-unicode", "surrogate" },
    { "{\"weight_map\":{\"a\":\"x.safetensors\"}} x", "safetensors-json", "goes on" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_auto (StFolder) folder;
      make_set (&folder);
      st_folder_put (&folder, "model.safetensors.index.json", rows[i].text);
      refuse (&folder, NULL, rows[i].reason, rows[i].say);
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
#define ROW(name, function) g_test_add_func ("/weights/st-folder/" name, function)
  ROW ("a-set-opens-from-any-of-its-files", test_a_set_opens_from_any_of_its_files);
  ROW ("M64-every-shard-is-checked-before-it-is-mapped", test_m64_every_shard_is_checked_before_it_is_mapped);
  ROW ("M64-a-shard-cut-while-mapped-reads-as-zeros", test_m64_a_shard_cut_while_mapped_reads_as_zeros);
  ROW ("M65-C43-absent-shards-are-named", test_m65_c43_absent_shards_are_named);
  ROW ("C45-a-gap-is-named-and-other-files-count-apart", test_c45_a_gap_is_named_and_other_files_count_apart);
  ROW ("M66-C44-the-index-decides-over-strays", test_m66_c44_the_index_decides_over_strays);
  ROW ("M66-a-stale-index-is-refused", test_m66_a_stale_index_is_refused);
  ROW ("M66-tensors-outside-the-index-are-left-out", test_m66_tensors_outside_the_index_are_left_out);
  ROW ("M66-several-sets-are-a-question", test_m66_several_sets_are_a_question);
  ROW ("M66-two-files-of-one-tensor", test_m66_two_files_of_one_tensor);
  ROW ("copies-under-other-names-are-left-alone", test_copies_under_other_names_are_left_alone);
  ROW ("M67-index-values-are-plain-names", test_m67_index_values_are_plain_names);
  ROW ("M67-links-out-and-what-is-no-file", test_m67_links_out_and_what_is_no_file);
  ROW ("M67-texts-do-not-lead-out-either", test_m67_texts_do_not_lead_out_either);
  ROW ("M67-links-within-a-hub-cache-are-followed", test_m67_links_within_a_hub_cache_are_followed);
  ROW ("M68-replaced-or-shortened-between-looking-and-loading",
       test_m68_replaced_or_shortened_between_looking_and_loading);
  ROW ("M68-header-changed-in-place", test_m68_header_changed_in_place);
  ROW ("M76-M77-M79-other-formats-are-told-by-content", test_m76_m77_m79_other_formats_are_told_by_content);
  ROW ("M76-a-folder-of-pickles-says-how-to-convert", test_m76_a_folder_of_pickles_says_how_to_convert);
  ROW ("M77-safetensors-under-another-name", test_m77_safetensors_under_another_name);
  ROW ("M80-programs-beside-the-weights-are-never-run", test_m80_programs_beside_the_weights_are_never_run);
  ROW ("weights-without-config-say-what-the-folder-is", test_weights_without_config_say_what_the_folder_is);
  ROW ("M74-long-texts-are-refused-unread", test_long_texts_are_refused_unread);
  ROW ("hashes-are-the-same-in-one-file-or-several", test_hashes_are_the_same_in_one_file_or_several);
  ROW ("a-file-just-written-is-cached", test_a_file_just_written_is_cached);
  ROW ("broken-indices", test_broken_indices);
  return g_test_run ();
}
