/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/weights/test-st-discovery.c: models in Hugging Face's layout in the list (C43, C44, C46): one
 * entry a folder, by whatever store it lies in; and that such a model goes the whole way that a GGUF goes. */
#include "hostile.h"
#include "st-writer.h"

#include "assay-discovery.h"
#include "assay-inspect.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#define COMMIT "0123456789abcdef0123456789abcdef01234567"
#define PART(i) "model-0000" #i "-of-00003.safetensors"

static GPtrArray *
scan (const StFolder *root)
{
  const char *const folders[] = { root->path, NULL };
  g_autoptr (GError) error = NULL;
  GPtrArray *found = assay_discovery_scan (folders, FALSE, NULL, &error);
  g_assert_no_error (error);
  return found;
}

/* A folder below the root; its path is lent by `made`. */
static StFolder
below (const StFolder *root, const char *name, char **made)
{
  *made = st_folder_path (root, name);
  g_assert_cmpint (g_mkdir_with_parents (*made, 0700), ==, 0);
  return (StFolder) { *made };
}

static void
make_root (StFolder *root)
{
  st_folder_init (root);
  g_autofree char *config = st_folder_path (root, "config.json");
  g_assert_cmpint (g_unlink (config), ==, 0);
}

static void
unlink_in (const StFolder *folder, const char *name)
{
  g_autofree char *path = st_folder_path (folder, name);
  g_assert_cmpint (g_unlink (path), ==, 0);
}

static guint64
bytes_of (const StFolder *folder, const char *name)
{
  g_autofree char *path = st_folder_path (folder, name);
  GStatBuf st;
  g_assert_cmpint (g_stat (path, &st), ==, 0);
  return (guint64) st.st_size;
}

static void
assert_only (GPtrArray *found, const char *name, const char *path, const char *problem, guint64 bytes)
{
  guint64 its_bytes = 0;
  g_assert_cmpuint (found->len, ==, 1);
  AssayFoundModel *model = g_ptr_array_index (found, 0);
  const char *its_problem = assay_found_model_get_problem (model);
  g_assert_cmpstr (assay_found_model_get_name (model), ==, name);
  g_assert_cmpstr (assay_found_model_get_path (model), ==, path);
  if ((problem == NULL) != (its_problem == NULL)
      || (problem != NULL && !g_str_has_prefix (its_problem, problem)))
    g_error ("the problem is '%s', not '%s'", its_problem, problem);
  g_object_get (model, "bytes", &its_bytes, NULL);
  g_assert_cmpuint (its_bytes, ==, bytes);
}

static void
test_a_folder_is_one_entry (void)
{
  g_auto (StFolder) root;
  g_autofree char *path = NULL, *architecture = NULL, *quantization = NULL;
  make_root (&root);
  const StFolder model = below (&root, "Tiny-Llama", &path);
  st_folder_put_family (&model, "llama", 3);
  const guint64 sum = bytes_of (&model, PART (1)) + bytes_of (&model, PART (2)) + bytes_of (&model, PART (3));
  g_autoptr (GPtrArray) found = scan (&root);
  assert_only (found, "Tiny-Llama", path, NULL, sum);
  g_object_get (g_ptr_array_index (found, 0), "architecture", &architecture, "quantization", &quantization,
                NULL);
  g_assert_cmpstr (architecture, ==, "llama");
  g_assert_cmpstr (quantization, ==, "none");
}

static void
test_c44_strays_and_pickles_of_the_folder_are_no_entries (void)
{
  g_auto (StFolder) root;
  g_autofree char *path = NULL, *pickle = g_strnfill (2 << 20, 'x');
  make_root (&root);
  const StFolder model = below (&root, "Tiny", &path);
  st_folder_put_family (&model, "llama", 3);
  const guint64 sum = bytes_of (&model, PART (1)) + bytes_of (&model, PART (2)) + bytes_of (&model, PART (3));
  st_folder_put_tensors (&model, "model.safetensors", (const char *const[]) { "model.norm.weight", NULL });
  st_folder_put (&model, "pytorch_model.bin", pickle);
  g_autoptr (GPtrArray) found = scan (&root);
  assert_only (found, "Tiny", path, NULL, sum);
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayInspection) inspection = assay_inspect (path, FALSE, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (hostile_has_notice (inspection->file, "model.safetensors is not part of this model"));
}

static void
test_c43_incomplete_models_say_what_is_missing (void)
{
  g_auto (StFolder) root;
  g_autofree char *path = NULL;
  make_root (&root);
  const StFolder model = below (&root, "Tiny", &path);
  st_folder_put_family (&model, "llama", 3);
  unlink_in (&model, PART (3));
  g_autoptr (GPtrArray) found = scan (&root);
  assert_only (found, "Tiny", path, "incomplete 2 of 3: missing " PART (3),
               bytes_of (&model, PART (1)) + bytes_of (&model, PART (2)));
}

static void
test_folders_that_are_skipped_say_why (void)
{
  static const struct { const char *lacking, *problem; } rows[] = {
    { "config.json", "config.json is missing beside the weights" },
    { "tokenizer.json", "" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_auto (StFolder) root;
      g_autofree char *path = NULL;
      make_root (&root);
      const StFolder model = below (&root, "Tiny", &path);
      st_folder_put_family (&model, "llama", 1);
      unlink_in (&model, rows[i].lacking);
      g_autoptr (GPtrArray) found = scan (&root);
      g_assert_cmpuint (found->len, ==, 1);
      const char *problem = assay_found_model_get_problem (g_ptr_array_index (found, 0));
      g_assert_nonnull (problem);
      g_test_message ("without %s: %s", rows[i].lacking, problem);
      g_assert_nonnull (strstr (problem, rows[i].problem));
      g_assert_nonnull (strstr (problem, rows[i].lacking));
    }
}

static void
test_c46_a_header_above_the_limit_is_told (void)
{
  g_auto (StFolder) root;
  g_autofree char *path = NULL;
  make_root (&root);
  const StFolder model = below (&root, "Large", &path);
  st_folder_put (&model, "config.json", "{}");
  st_folder_put_bytes (&model, "model.safetensors", &(GByteArray) { (guint8 *) "@\235\337\7\0\0\0\0{}", 10 });
  g_autoptr (GPtrArray) found = scan (&root);
  assert_only (found, "Large", path, "model.safetensors: header of 132095296 bytes, limit 100000000", 10);
}

static void
test_pickles_alone_are_one_entry (void)
{
  g_auto (StFolder) root;
  g_autofree char *path = NULL, *pickle = g_strnfill (1 << 20, 'x');
  make_root (&root);
  const StFolder model = below (&root, "Old", &path);
  st_folder_put (&model, "config.json", "{}");
  st_folder_put (&model, "pytorch_model-00001-of-00002.bin", pickle);
  st_folder_put (&model, "pytorch_model-00002-of-00002.bin", pickle);
  g_autoptr (GPtrArray) found = scan (&root);
  assert_only (found, "Old", path, "no .safetensors file, only PyTorch's own, such as pytorch_model-00001",
               2 << 20);
}

static void
test_a_gguf_in_the_folder_is_its_own_entry (void)
{
  g_auto (StFolder) root;
  g_autofree char *path = NULL;
  make_root (&root);
  const StFolder model = below (&root, "Both", &path);
  st_folder_put_family (&model, "llama", 1);
  g_autofree char *gguf = st_folder_path (&model, "tiny.gguf");
  tiny_model_save (NULL, gguf);
  g_autoptr (GPtrArray) found = scan (&root);
  g_assert_cmpuint (found->len, ==, 2);
  for (guint i = 0; i < 2; i++)
    g_assert_null (assay_found_model_get_problem (g_ptr_array_index (found, i)));
}

/* Hugging Face's cache: the files are links into blobs/, the folder's name is the revision. */
static void
test_a_snapshot_of_the_hub_is_one_entry (void)
{
  static const char *const names[] = { "config.json", "tokenizer.json", "model.safetensors" };
  g_auto (StFolder) root;
  g_autofree char *blobs_path = NULL, *snapshot_path = NULL, *revision = NULL, *model_id = NULL;
  make_root (&root);
  const StFolder blobs = below (&root, "models--acme--Anvil/blobs", &blobs_path);
  const StFolder snapshot = below (&root, "models--acme--Anvil/snapshots/" COMMIT, &snapshot_path);
  st_folder_put_family (&blobs, "qwen2", 1);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *from = st_folder_path (&blobs, names[i]), *link = st_folder_path (&snapshot, names[i]);
      g_autofree char *blob = g_strdup_printf ("%s/%u", blobs_path, 1000 + i);
      g_autofree char *target = g_strdup_printf ("../../blobs/%u", 1000 + i);
      g_assert_cmpint (g_rename (from, blob), ==, 0);
      g_assert_cmpint (symlink (target, link), ==, 0);
    }
  g_autoptr (GPtrArray) found = scan (&root);
  assert_only (found, "acme/Anvil", snapshot_path, NULL, bytes_of (&blobs, "1002"));
  g_object_get (g_ptr_array_index (found, 0), "revision", &revision, "model-id", &model_id, NULL);
  g_assert_cmpstr (revision, ==, COMMIT);
  g_assert_cmpstr (model_id, ==, "acme/Anvil");
}

static void
test_a_folder_of_lm_studio_has_its_name (void)
{
  g_auto (StFolder) root;
  g_autofree char *path = NULL, *model_id = NULL;
  make_root (&root);
  const StFolder model = below (&root, ".lmstudio/models/acme/Hammer", &path);
  st_folder_put_family (&model, "gpt2", 1);
  g_autoptr (GPtrArray) found = scan (&root);
  assert_only (found, "acme/Hammer", path, NULL, bytes_of (&model, "model.safetensors"));
  g_object_get (g_ptr_array_index (found, 0), "model-id", &model_id, NULL);
  g_assert_cmpstr (model_id, ==, "acme/Hammer");
}

static char *
hash_of (const StFolder *folder, guint *n_parts)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayModelFile) file = assay_model_file_open (folder->path, NULL, &error);
  g_assert_no_error (error);
  g_autofree char *hash = assay_model_file_hash_content (file, TRUE, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  *n_parts = assay_model_file_get_n_parts (file);
  return g_strconcat (assay_model_file_get_metadata_sha256 (file), " ", hash, NULL);
}

static void
test_hashes_do_not_depend_on_the_parts (void)
{
  static const char *const families[] = { "llama", "gpt2", "gemma3" };
  for (guint i = 0; i < G_N_ELEMENTS (families); i++)
    {
      g_auto (StFolder) whole;
      g_auto (StFolder) parts;
      guint n = 0;
      st_folder_init (&whole);
      st_folder_init (&parts);
      st_folder_put_family (&whole, families[i], 1);
      st_folder_put_family (&parts, families[i], 4);
      g_autofree char *a = hash_of (&whole, &n), *b = hash_of (&parts, &n);
      g_assert_cmpuint (n, ==, 4);
      g_assert_cmpstr (a, ==, b);
    }
}

static void
test_inspection_tells_the_container (void)
{
  g_auto (StFolder) folder;
  g_autoptr (GError) error = NULL;
  st_folder_init (&folder);
  st_folder_put_family (&folder, "qwen3", 2);
  g_autoptr (AssayInspection) inspection = assay_inspect (folder.path, FALSE, NULL, &error);
  g_assert_no_error (error);
  g_autoptr (AssayValues) conditions = assay_values_new ();
  assay_inspection_fill_conditions (inspection, conditions);
  g_assert_cmpstr (assay_values_get_text (conditions, ASSAY_FIELD_WEIGHT_FORMAT), ==, "safetensors, 2 files");
  g_assert_cmpstr (assay_values_get_text (conditions, ASSAY_FIELD_MODEL_PATH), ==, folder.path);
  g_assert_cmpstr (assay_values_get_text (conditions, ASSAY_FIELD_QUANTIZATION_METHOD), ==, "none");
}

static void
test_bytes_alone_ask_for_their_folder (void)
{
  g_autoptr (GByteArray) bytes = st_file_of ("{}", -1, 0);
  g_autoptr (GError) error = NULL;
  g_assert_null (assay_model_file_open_bytes (bytes->data, bytes->len, "model.safetensors", &error));
  g_assert_cmpstr (assay_engine_error_get_reason (error), ==, "safetensors-alone");
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
#define ROW(name, function) g_test_add_func ("/weights/st-discovery/" name, function)
  ROW ("a-folder-is-one-entry", test_a_folder_is_one_entry);
  ROW ("C44-strays-and-pickles-of-the-folder-are-no-entries",
       test_c44_strays_and_pickles_of_the_folder_are_no_entries);
  ROW ("C43-incomplete-models-say-what-is-missing", test_c43_incomplete_models_say_what_is_missing);
  ROW ("folders-that-are-skipped-say-why", test_folders_that_are_skipped_say_why);
  ROW ("C46-a-header-above-the-limit-is-told", test_c46_a_header_above_the_limit_is_told);
  ROW ("pickles-alone-are-one-entry", test_pickles_alone_are_one_entry);
  ROW ("a-gguf-in-the-folder-is-its-own-entry", test_a_gguf_in_the_folder_is_its_own_entry);
  ROW ("a-snapshot-of-the-hub-is-one-entry", test_a_snapshot_of_the_hub_is_one_entry);
  ROW ("a-folder-of-lm-studio-has-its-name", test_a_folder_of_lm_studio_has_its_name);
  ROW ("hashes-do-not-depend-on-the-parts", test_hashes_do_not_depend_on_the_parts);
  ROW ("inspection-tells-the-container", test_inspection_tells_the_container);
  ROW ("bytes-alone-ask-for-their-folder", test_bytes_alone_ask_for_their_folder);
  return g_test_run ();
}
