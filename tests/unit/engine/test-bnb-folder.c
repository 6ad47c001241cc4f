/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/engine/test-bnb-folder.c: folders whose matrices bitsandbytes quantized, saved by Transformers.
 *
 * The fixtures are of tests/reference/bnb-folder.py: what bitsandbytes itself makes of each matrix, and the
 * logits that Transformers computes with those. */
#include "placed-fixture.h"

#include "assay-inspect.h"
#include "convert/assay-quantize.h"
#include "models/assay-model-private.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#define TOLERANCE 1e-5 /* relative, in the L2 norm */
#define CONTEXT 128

static char *scratch;

static char *
dup_path (const char *name)
{
  return engine_fixture_dup_path ("bnb-folder", name);
}

static void
init_setup (PlacedSetup *setup, const char *path)
{
  placed_setup_init (setup, path);
  setup->options.context_length = CONTEXT;
}

static gboolean
is_split (JsonObject *c)
{
  return g_str_equal (json_object_get_string_member (c, "name"), "phi3-nf4-double");
}

typedef void (*CaseFunc) (JsonObject *c, const char *path, GArray *ids);

static void
for_each_case (CaseFunc func)
{
  g_autoptr (JsonNode) root = engine_fixture_load_json ("bnb-folder", "bnb-folder.json");
  JsonObject *all = json_node_get_object (root);
  JsonArray *cases = json_object_get_array_member (all, "cases");
  g_autoptr (GArray) ids = engine_fixture_dup_ids (json_object_get_array_member (all, "ids"));
  g_assert_cmpuint (json_array_get_length (cases), ==, 9);
  for (guint i = 0; i < json_array_get_length (cases); i++)
    {
      JsonObject *c = json_array_get_object_element (cases, i);
      g_autofree char *path = dup_path (json_object_get_string_member (c, "name"));
      func (c, path, ids);
    }
}

/* --- matrices --- */

static const AssayTensorInfo *
find_own (AssayModelFile *file, const char *name)
{
  for (guint i = 0; i < assay_model_file_get_n_tensors (file); i++)
    {
      const AssayTensorInfo *info = assay_model_file_get_tensor (file, i);
      if (strlen (name) == info->name.length && memcmp (name, info->name.data, info->name.length) == 0)
        return info;
    }
  g_error ("no tensor %s", name);
}

/* As one piece, behind guard bytes. (transfer full) */
static guint8 *
dup_assembled (AssayModelFile *file, const AssayTensorInfo *info)
{
  guint8 *bytes = g_malloc (info->bytes + 64);
  memset (bytes, 0xa5, info->bytes + 64);
  assay_model_file_read_rows (file, info, 0, (guint64) info->shape[1], bytes);
  for (guint i = 0; i < 64; i++)
    g_assert_cmpuint (bytes[info->bytes + i], ==, 0xa5);
  return bytes;
}

static void
check_matrix (AssayBackend *b, AssayModelFile *file, const char *name, const char *hash, const char *method)
{
  const AssayTensorInfo *info = find_own (file, name);
  const gsize n = (gsize) info->shape[0] * (gsize) info->shape[1];
  g_autofree guint8 *bytes = dup_assembled (file, info);
  g_autofree float *x = g_new (float, n);
  const AssayTensor w
      = { .dtype = info->dtype, .shape = { info->shape[0], info->shape[1], 1, 1 }, .data = bytes };
  g_assert_cmpstr (assay_dtype_info (info->dtype)->name, ==, method);
  g_assert_cmpuint (info->bytes, ==, assay_dtype_matrix_bytes (info->dtype, info->shape[0], info->shape[1]));
  g_assert_cmpint (b->ops->dequantize (b, x, &w, 0, (gsize) info->shape[1]), ==, ASSAY_OK);
  for (gsize i = 0; i < n; i++)
    x[i] += 0.0f; /* -0 is 0 */
  g_autofree char *ours
      = g_compute_checksum_for_data (G_CHECKSUM_SHA256, (const guchar *) x, n * sizeof *x);
  if (!g_str_has_prefix (ours, hash))
    g_error ("%s of %s is not what bitsandbytes makes of it", name, assay_model_file_get_path (file));
}

static void
check_matrices (JsonObject *c, const char *path, GArray *ids)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayModelFile) file = assay_model_file_open (path, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (assay_model_file_map (file, &error));
  AssayDevice *device = assay_device_new_cpu (1, ASSAY_COMPUTE_F32, 0, &error);
  JsonObject *matrices = json_object_get_object_member (c, "matrices");
  JsonObjectIter at;
  const char *name;
  JsonNode *hash;
  g_assert_cmpuint (json_object_get_size (matrices), >=, 8);
  json_object_iter_init (&at, matrices);
  while (json_object_iter_next (&at, &name, &hash))
    check_matrix (assay_device_get_backend (device), file, name, json_node_get_string (hash),
                  json_object_get_string_member (c, "method"));
  assay_device_free (device);
}

static void
test_matrices (void)
{
  for_each_case (check_matrices);
}

/* --- logits --- */

static void
check_placed (JsonObject *c, PlacedSetup *setup, GArray *ids, double tolerance)
{
  g_autoptr (GError) error = NULL;
  JsonArray *at = json_object_get_array_member (c, "at");
  Placed placed;
  placed_open (&placed, setup, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < json_array_get_length (at); i++)
    {
      JsonObject *o = json_array_get_object_element (at, i);
      const guint n = (guint) json_object_get_int_member (o, "n");
      if (g_str_equal (json_object_get_string_member (c, "family"), "phi3") && n <= 32)
        continue; /* the context that was asked for chooses its rotation */
      assay_model_reset (placed.model, 0);
      g_assert_true (
          assay_model_prompt (placed.model, 0, (const gint32 *) (gpointer) ids->data, n, NULL, NULL, &error));
      const double e = engine_fixture_relative_error (assay_model_get_logits (placed.model, 0),
                                                      json_object_get_array_member (o, "logits"), NULL);
      g_test_message ("%s, %u tokens: %.2e", json_object_get_string_member (c, "name"), n, e);
      g_assert_cmpfloat (e, <, tolerance);
    }
  placed_close (&placed);
}

static void
check_logits (JsonObject *c, const char *path, GArray *ids)
{
  PlacedSetup setup;
  init_setup (&setup, path);
  if (is_split (c))
    return;
  check_placed (c, &setup, ids, TOLERANCE);
  setup.options.read_weights = TRUE;
  check_placed (c, &setup, ids, TOLERANCE);
  setup.options.read_weights = FALSE;
  setup.separate = TRUE;
  check_placed (c, &setup, ids, TOLERANCE);
  setup.assembly.mode = ASSAY_OFFLOAD_SEQUENTIAL;
  check_placed (c, &setup, ids, TOLERANCE);
}

static void
test_logits (void)
{
  for_each_case (check_logits);
}

/* Into floats it loses nothing, whether made at once or in pieces; one 8-bit step more is seen, but small. */
static void
check_converted (JsonObject *c, const char *path, GArray *ids)
{
  PlacedSetup setup;
  if (is_split (c))
    return;
  for (guint separate = 0; separate < 2; separate++)
    {
      init_setup (&setup, path);
      setup.separate = separate == 1;
      setup.options.format = (AssayWeightFormat) { ASSAY_DTYPE_F32, ASSAY_DTYPE_F32 };
      check_placed (c, &setup, ids, TOLERANCE);
      setup.options.format = (AssayWeightFormat) { ASSAY_DTYPE_AS_STORED, ASSAY_DTYPE_INT8 };
      check_placed (c, &setup, ids, 0.05);
    }
}

static void
test_converted (void)
{
  for_each_case (check_converted);
}

/* --- the planner --- */

static void
check_plan (JsonObject *c, const char *path, GArray *ids)
{
  static const AssayDtype formats[] = { ASSAY_DTYPE_AS_STORED, ASSAY_DTYPE_F32, ASSAY_DTYPE_INT8 };
  g_autoptr (GError) error = NULL;
  PlacedSetup setup;
  init_setup (&setup, path);
  for (guint i = 0; i < 2 * G_N_ELEMENTS (formats) && !is_split (c); i++)
    {
      Placed real, plan;
      AssayDeviceFigures a, b;
      setup.separate = i % 2 == 1;
      setup.options.format.quantized = formats[i / 2];
      g_assert_true (placed_open (&real, &setup, &error));
      g_assert_true (placed_open_plan (&plan, &setup, &error));
      assay_device_get_figures (real.device, &a);
      assay_device_get_figures (plan.device, &b);
      g_assert_cmpmem (a.peak, sizeof a.peak, b.peak, sizeof b.peak);
      assay_device_get_figures (real.host, &a);
      assay_device_get_figures (plan.host, &b);
      g_assert_cmpmem (a.peak, sizeof a.peak, b.peak, sizeof b.peak);
      g_assert_cmpuint (assay_model_get_mapped_bytes (real.model), ==,
                        assay_model_get_mapped_bytes (plan.model));
      placed_close (&real);
      placed_close (&plan);
    }
}

static void
test_plan (void)
{
  for_each_case (check_plan);
}

/* --- what assay quantize makes --- */

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

static char *
dup_quantized (const char *family, AssayDtype dtype)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = engine_fixture_dup_path ("families", family);
  g_autoptr (AssayModelFile) file = assay_model_file_open (path, NULL, &error);
  const AssayQuantizeOptions options = { .dtype = dtype, .threads = 1 };
  char *made = g_build_filename (scratch, "made", NULL);
  g_autoptr (AssayQuantizeReport) report
      = assay_quantize_folder (file, made, &options, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  return made;
}

static GArray *
dup_logits (const char *path, AssayDtype quantized, guint n)
{
  g_autoptr (GError) error = NULL;
  GArray *out = g_array_new (FALSE, FALSE, sizeof (float));
  gint32 ids[64];
  PlacedSetup setup;
  Placed placed;
  for (guint i = 0; i < n; i++)
    ids[i] = (gint32) (i * 7919 % 60 + 3);
  init_setup (&setup, path);
  setup.options.format.quantized = quantized;
  placed_open (&placed, &setup, &error);
  g_assert_no_error (error);
  g_assert_true (assay_model_prompt (placed.model, 0, ids, n, NULL, NULL, &error));
  g_array_append_vals (out, assay_model_get_logits (placed.model, 0), placed.config.n_vocab);
  placed_close (&placed);
  return out;
}

static void
test_round_trip (void)
{
  static const AssayDtype formats[] = { ASSAY_DTYPE_NF4, ASSAY_DTYPE_NF4_DOUBLE, ASSAY_DTYPE_FP4,
                                        ASSAY_DTYPE_FP4_DOUBLE, ASSAY_DTYPE_INT8 };
  g_autofree char *original = engine_fixture_dup_path ("families", "mistral");
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      g_autofree char *made = dup_quantized ("mistral", formats[i]);
      g_autoptr (GArray) at_load = dup_logits (original, formats[i], 20);
      g_autoptr (GArray) stored = dup_logits (made, ASSAY_DTYPE_AS_STORED, 20);
      g_assert_cmpmem (stored->data, stored->len * sizeof (float), at_load->data,
                       at_load->len * sizeof (float));
      remove_folder (made);
    }
}

/* Other tools wrote one of them, in another order. */
static void
test_same_content (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *theirs_path = dup_path ("mistral-nf4-double"), *other_path = dup_path ("mistral-nf4");
  g_autofree char *ours_path = dup_quantized ("mistral", ASSAY_DTYPE_NF4_DOUBLE);
  g_autoptr (AssayModelFile) theirs = assay_model_file_open (theirs_path, NULL, &error);
  g_autoptr (AssayModelFile) ours = assay_model_file_open (ours_path, NULL, &error);
  g_autoptr (AssayModelFile) other = assay_model_file_open (other_path, NULL, &error);
  g_autofree char *a = assay_model_file_hash_content (theirs, TRUE, NULL, NULL, NULL, &error);
  g_autofree char *b = assay_model_file_hash_content (ours, TRUE, NULL, NULL, NULL, &error);
  g_autofree char *c = assay_model_file_hash_content (other, TRUE, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (a, ==, b);
  g_assert_cmpstr (a, !=, c);
  remove_folder (ours_path);
}

static void
test_is_not_quantized_again (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = dup_path ("mistral-nf4"), *made = g_build_filename (scratch, "twice", NULL);
  g_autoptr (AssayModelFile) file = assay_model_file_open (path, NULL, &error);
  AssayQuantizeOptions options = { .dtype = ASSAY_DTYPE_Q8_0, .threads = 1 };
  g_assert_null (assay_quantize (file, made, &options, NULL, NULL, NULL, &error));
  g_assert_cmpstr (assay_engine_error_get_reason (error), ==, "quantize-source");
  g_clear_error (&error);
  options.dtype = ASSAY_DTYPE_NF4;
  g_assert_null (assay_quantize_folder (file, made, &options, NULL, NULL, NULL, &error));
  g_assert_cmpstr (assay_engine_error_get_reason (error), ==, "quantize-source");
}

/* --- the rest --- */

/* Blocks of 64 × 256 elements lie across the border between q and k. */
static void
test_border_in_a_block_is_refused (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = dup_path ("phi3-nf4-double");
  PlacedSetup setup;
  Placed placed;
  init_setup (&setup, path);
  g_assert_false (placed_open (&placed, &setup, &error));
  g_assert_cmpstr (assay_engine_error_get_reason (error), ==, "format-split");
  placed_close (&placed);
}

static void
check_inspection (JsonObject *c, const char *path, GArray *ids)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayValues) values = assay_values_new ();
  const char *method = json_object_get_string_member (c, "method");
  g_autofree char *list = g_strconcat (method, ": ", NULL);
  AssayInspection *inspection = assay_inspect (path, FALSE, NULL, &error);
  g_assert_no_error (error);
  assay_inspection_fill_conditions (inspection, values);
  g_assert_cmpstr (assay_values_get_text (values, ASSAY_FIELD_QUANTIZATION), ==, method);
  g_assert_cmpstr (assay_values_get_text (values, ASSAY_FIELD_QUANTIZATION_METHOD), ==, "bitsandbytes");
  const char *modules = assay_values_get_text (values, ASSAY_FIELD_QUANTIZED_MODULES);
  g_assert_true (g_str_has_prefix (modules, list));
  g_assert_nonnull (strstr (modules, "ffn_down"));
  g_assert_null (strstr (modules, "token_embd"));
  g_assert_cmpstr (assay_values_get_text (values, ASSAY_FIELD_DTYPE), ==, "bfloat16");
  assay_inspection_free (inspection);
}

static void
test_inspection (void)
{
  for_each_case (check_inspection);
}

int
main (int argc, char **argv)
{
  engine_fixture_init (&argc, &argv);
  scratch = g_dir_make_tmp ("assay-bnb-XXXXXX", NULL);
  g_assert_nonnull (scratch);
  g_test_add_func ("/bnb-folder/matrices are bitsandbytes' own, to the bit", test_matrices);
  g_test_add_func ("/bnb-folder/logits are Transformers', wherever the weights are", test_logits);
  g_test_add_func ("/bnb-folder/stored matrices change their format", test_converted);
  g_test_add_func ("/bnb-folder/the plan counts what the run takes", test_plan);
  g_test_add_func ("/bnb-folder/what assay quantize wrote runs as if quantized at load", test_round_trip);
  g_test_add_func ("/bnb-folder/the same weights have one hash, whoever wrote them", test_same_content);
  g_test_add_func ("/bnb-folder/is not quantized again", test_is_not_quantized_again);
  g_test_add_func ("/bnb-folder/a border within a block is refused", test_border_in_a_block_is_refused);
  g_test_add_func ("/bnb-folder/inspection tells format, method and modules", test_inspection);
  const int status = g_test_run ();
  g_rmdir (scratch);
  g_free (scratch);
  return status;
}
