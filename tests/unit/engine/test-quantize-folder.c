/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/engine/test-quantize-folder.c: folders in bitsandbytes' form against what Transformers saves, by
 * tests/reference/quantize-folder.py: every tensor of it, to the byte. */
#include "engine-fixture.h"

#include "convert/assay-quantize.h"
#include "weights/safetensors-private.h"

#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

static char *scratch;

static AssayModelFile *
open_family (const char *name)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = engine_fixture_dup_path ("families", name);
  AssayModelFile *file = assay_model_file_open (path, NULL, &error);
  g_assert_no_error (error);
  return file;
}

static AssayQuantizeReport *
quantize (AssayModelFile *file, const char *path, const char *method, const char *modules, GError **error)
{
  AssayQuantizeOptions options = { .modules = modules, .threads = 2 };
  g_assert_true (assay_dtype_from_name (method, &options.dtype));
  return assay_quantize_folder (file, path, &options, NULL, NULL, NULL, error);
}

static void
remove_folder (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  for (const char *name; dir != NULL && (name = g_dir_read_name (dir)) != NULL;)
    {
      g_autofree char *file = g_build_filename (path, name, NULL);
      g_unlink (file);
    }
  g_rmdir (path);
}

static void
assert_left (guint expected)
{
  g_autoptr (GDir) dir = g_dir_open (scratch, 0, NULL);
  guint n = 0;
  while (g_dir_read_name (dir) != NULL)
    n++;
  g_assert_cmpuint (n, ==, expected);
}

/* --- against the fixture --- */

static void
check_state (JsonObject *expected, const char *bytes, gsize length)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_assert_true (json_parser_load_from_data (parser, bytes, (gssize) length, NULL));
  g_assert_true (json_node_equal (json_parser_get_root (parser), json_object_get_member (expected, "state")));
}

static void
check_tensor (JsonObject *expected, const AssayHfTensor *tensor, const char *bytes, gsize length)
{
  JsonArray *shape = json_object_get_array_member (expected, "shape");
  g_autofree char *hash = g_compute_checksum_for_data (G_CHECKSUM_SHA256, (const guchar *) bytes, length);
  g_assert_cmpstr (tensor->dtype_name, ==, json_object_get_string_member (expected, "dtype"));
  g_assert_cmpuint (tensor->n_dims, ==, json_array_get_length (shape));
  for (guint i = 0; i < tensor->n_dims; i++)
    g_assert_cmpint (tensor->shape[i], ==, json_array_get_int_element (shape, i));
  g_assert_true (g_str_has_prefix (hash, json_object_get_string_member (expected, "sha256")));
}

static void
check_weights (JsonObject *expected, const char *folder)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SafetensorsSet) set = assay_safetensors_set_new ();
  g_autofree char *path = g_build_filename (folder, "model.safetensors", NULL), *bytes = NULL;
  g_assert_true (assay_safetensors_read_part (set, path, NULL, NULL, &error));
  g_assert_true (g_file_get_contents (path, &bytes, NULL, NULL));
  g_assert_cmpuint (set->tensors->len, ==, json_object_get_size (expected));
  for (guint i = 0; i < set->tensors->len; i++)
    {
      const AssayHfTensor *tensor = &g_array_index (set->tensors, AssayHfTensor, i);
      const TensorPlace *place = &g_array_index (set->places, TensorPlace, i);
      g_autofree char *name = g_strndup (tensor->name.data, tensor->name.length);
      if (!json_object_has_member (expected, name))
        g_error ("%s is not among bitsandbytes' tensors", name);
      JsonObject *theirs = json_object_get_object_member (expected, name);
      if (json_object_has_member (theirs, "state"))
        check_state (theirs, bytes + place->offset, place->bytes);
      else
        check_tensor (theirs, tensor, bytes + place->offset, place->bytes);
    }
}

static void
check_config (const char *folder, const char *method, const char *compute)
{
  g_autofree char *path = g_build_filename (folder, "config.json", NULL);
  g_autofree char *tokenizer = g_build_filename (folder, "tokenizer.json", NULL);
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_assert_true (json_parser_load_from_file (parser, path, NULL));
  JsonObject *root = json_node_get_object (json_parser_get_root (parser));
  JsonObject *q = json_object_get_object_member (root, "quantization_config");
  g_assert_true (json_object_has_member (root, "model_type")); /* the model's own keys stay */
  g_assert_cmpint (json_object_get_boolean_member (q, "load_in_8bit"), ==, g_str_equal (method, "int8"));
  g_assert_cmpint (json_object_get_boolean_member (q, "bnb_4bit_use_double_quant"), ==,
                   g_str_has_suffix (method, "double"));
  g_assert_cmpstr (json_object_get_string_member (q, "bnb_4bit_compute_dtype"), ==, compute);
  g_assert_true (g_file_test (tokenizer, G_FILE_TEST_EXISTS));
}

static void
check_equals_bitsandbytes (const char *model, const char *compute)
{
  static const char *const methods[] = { "nf4", "nf4-double", "fp4", "fp4-double", "int8" };
  g_autoptr (JsonNode) root = engine_fixture_load_json ("quantize-folder", "bitsandbytes.json");
  JsonObject *models = json_object_get_object_member (json_node_get_object (root), "models");
  JsonObject *all = json_object_get_object_member (models, model);
  g_autoptr (AssayModelFile) source = open_family (model);
  g_autofree char *folder = g_build_filename (scratch, "made", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (methods); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (AssayQuantizeReport) report = quantize (source, folder, methods[i], NULL, &error);
      g_assert_no_error (error);
      check_weights (json_object_get_object_member (all, methods[i]), folder);
      check_config (folder, methods[i], compute);
      assert_left (1);
      remove_folder (folder);
    }
}

static void
test_equals_bitsandbytes (void)
{
  check_equals_bitsandbytes ("mistral", "bfloat16");
}

/* Its matrices are stored [in, out], and turned to be quantized. */
static void
test_turned_equals_bitsandbytes (void)
{
  check_equals_bitsandbytes ("gpt2", "float16");
}

/* --- the rest --- */

static void
test_modules_are_skipped_by_name (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayModelFile) source = open_family ("mistral");
  g_autofree char *folder = g_build_filename (scratch, "made", NULL);
  g_autofree char *path = g_build_filename (folder, "config.json", NULL), *text = NULL;
  g_autoptr (AssayQuantizeReport) report = quantize (source, folder, "nf4", "mlp.*, ffn_*", &error);
  g_assert_null (report); /* the first entry names nothing: a pattern holds for a whole name */
  g_assert_error (error, ASSAY_ENGINE_ERROR, ASSAY_ENGINE_ERROR_RULE);
  g_clear_error (&error);
  report = quantize (source, folder, "nf4", "ffn_*,output", &error);
  g_assert_no_error (error);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, "model.layers.1.self_attn.q_proj"));
  g_assert_null (strstr (text, "mlp.up_proj"));
  remove_folder (folder);
}

static void
test_refusals_leave_nothing (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayModelFile) gguf = open_family ("mistral.gguf");
  g_autoptr (AssayModelFile) source = open_family ("mistral");
  g_autofree char *folder = g_build_filename (scratch, "made", NULL);
  g_autofree char *nowhere = g_build_filename (scratch, "absent", "made", NULL);
  g_assert_null (quantize (gguf, folder, "nf4", NULL, &error));
  g_assert_cmpstr (assay_engine_error_get_reason (error), ==, "quantize-method");
  g_clear_error (&error);
  g_autofree char *inside = engine_fixture_dup_path ("families", "mistral/made");
  g_assert_null (quantize (source, inside, "nf4", NULL, &error));
  g_assert_cmpstr (assay_engine_error_get_reason (error), ==, "output-in-model");
  g_clear_error (&error);
  const AssayQuantizeOptions q8 = { .dtype = ASSAY_DTYPE_Q8_0 };
  g_assert_null (assay_quantize (source, inside, &q8, NULL, NULL, NULL, &error));
  g_assert_cmpstr (assay_engine_error_get_reason (error), ==, "output-in-model");
  g_clear_error (&error);
  g_assert_null (quantize (source, scratch, "nf4", NULL, &error));
  g_assert_cmpstr (assay_engine_error_get_reason (error), ==, "output-exists");
  g_clear_error (&error);
  g_assert_null (quantize (source, nowhere, "nf4", NULL, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND);
  g_clear_error (&error);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  const AssayQuantizeOptions options = { .dtype = ASSAY_DTYPE_INT8 };
  g_cancellable_cancel (cancellable);
  g_assert_null (assay_quantize_folder (source, folder, &options, NULL, NULL, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  assert_left (0);
}

static void
test_failures_name_the_folder (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayModelFile) source = open_family ("mistral");
  g_autofree char *folder = g_build_filename (scratch, "made", NULL);
  struct rlimit old, small;
  signal (SIGXFSZ, SIG_IGN);
  g_assert_cmpint (getrlimit (RLIMIT_FSIZE, &old), ==, 0);
  small = (struct rlimit){ 6000, old.rlim_max };
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &small), ==, 0);
  g_assert_null (quantize (source, folder, "nf4", NULL, &error));
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &old), ==, 0);
  g_assert_true (g_str_has_prefix (error->message, folder));
  g_assert_null (strstr (error->message, ".tmp-"));
  assert_left (0);
}

static void
put_another (guint64 done, guint64 total, gpointer data)
{
  if (done >= total / 2)
    g_mkdir (data, 0777);
}

static void
test_the_second_of_two_is_told (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayModelFile) source = open_family ("mistral");
  g_autofree char *folder = g_build_filename (scratch, "made", NULL);
  const AssayQuantizeOptions options = { .dtype = ASSAY_DTYPE_INT8 };
  g_assert_null (assay_quantize_folder (source, folder, &options, put_another, folder, NULL, &error));
  g_assert_cmpstr (assay_engine_error_get_reason (error), ==, "output-exists");
  assert_left (1);
  g_rmdir (folder);
}

int
main (int argc, char **argv)
{
  engine_fixture_init (&argc, &argv);
  scratch = g_dir_make_tmp ("assay-folder-XXXXXX", NULL);
  g_assert_nonnull (scratch);
  g_test_add_func ("/quantize/folder/every tensor is bitsandbytes' own", test_equals_bitsandbytes);
  g_test_add_func ("/quantize/folder/so is every tensor of matrices that are stored turned",
                   test_turned_equals_bitsandbytes);
  g_test_add_func ("/quantize/folder/failures name the folder that was asked for",
                   test_failures_name_the_folder);
  g_test_add_func ("/quantize/folder/the second of two at once is told that the first is there",
                   test_the_second_of_two_is_told);
  g_test_add_func ("/quantize/folder/modules that keep their format are named",
                   test_modules_are_skipped_by_name);
  g_test_add_func ("/quantize/folder/refused or cancelled, nothing is left", test_refusals_leave_nothing);
  const int status = g_test_run ();
  g_rmdir (scratch);
  g_free (scratch);
  return status;
}
