/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/engine/test-logits.c: the graph against other implementations.
 *
 * The fixtures of tests/data/logits were written by tests/reference/logits.py. An error is relative in the L2
 * norm: |ours - theirs| / |theirs|. For the default model both norms are taken over the fixture's 512 token
 * ids, drawn at random once from the vocabulary; the norm over the whole vocabulary is compared besides. */
#include "engine-fixture.h"

#include "models/assay-model.h"

#include <math.h>

#define EXACT 1e-3
#define FAST 5e-3
#define GREEDY_GAP 0.1
#define GREEDY_SAME 12

/* Weights as the file has them. */
#define OPTIONS(context, cache) \
  .context_length = (context), .k_dtype = (cache), .v_dtype = (cache), \
  .format = { ASSAY_DTYPE_AS_STORED, ASSAY_DTYPE_AS_STORED }

typedef struct
{
  AssayModelFile *file;
  AssayModelConfig config;
  AssayDevice *device;
  AssayModel *model;
} Loaded;

static void
loaded_open (Loaded *self, const char *path, guint window, gboolean exact, guint n_threads,
             const AssayModelOptions *options)
{
  g_autoptr (GError) error = NULL;
  self->file = assay_model_file_open (path, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (assay_config_read (&self->config, self->file, &error));
  g_assert_true (assay_model_file_map (self->file, &error));
  self->config.window = window;
  self->device = assay_device_new_cpu (n_threads, exact ? ASSAY_COMPUTE_F32 : ASSAY_COMPUTE_INT8, 0, &error);
  g_assert_no_error (error);
  self->model = assay_model_new (self->file, &self->config, self->device, self->device, options, &error);
  g_assert_no_error (error);
  g_autoptr (AssayAssembly) assembly = assay_assembly_new_resident ();
  assay_model_place (self->model, assembly, NULL, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
}

static void
loaded_close (Loaded *self)
{
  assay_model_free (self->model);
  assay_device_free (self->device);
  assay_model_file_unref (self->file);
}

static void
forward (AssayModel *model, const gint32 *ids, guint n)
{
  g_autoptr (GError) error = NULL;
  g_assert_true (assay_model_prompt (model, 0, ids, n, NULL, NULL, &error));
  g_assert_no_error (error);
}

/* --- tiny models --- */

static void
check_tiny (JsonObject *c, guint chunk, AssayDtype kv_dtype, gboolean exact, double tolerance)
{
  g_autofree char *path = engine_fixture_dup_path ("logits", json_object_get_string_member (c, "file"));
  g_autoptr (GArray) ids = engine_fixture_dup_ids (json_object_get_array_member (c, "ids"));
  JsonArray *at = json_object_get_array_member (c, "at");
  const AssayModelOptions options = { OPTIONS (64, kv_dtype), .chunk = chunk };
  Loaded loaded;
  loaded_open (&loaded, path, (guint) json_object_get_int_member (c, "window"), exact, 2, &options);
  for (guint i = 0; i < json_array_get_length (at); i++)
    {
      JsonObject *one = json_array_get_object_element (at, i);
      const guint n = (guint) json_object_get_int_member (one, "n");
      assay_model_reset (loaded.model, 0);
      forward (loaded.model, (const gint32 *) ids->data, n);
      const double error = engine_fixture_relative_error (assay_model_get_logits (loaded.model, 0),
                                                          json_object_get_array_member (one, "logits"), NULL);
      g_test_message ("%s, %u tokens, chunks of %u: %.2e", json_object_get_string_member (c, "name"), n,
                      chunk, error);
      g_assert_cmpfloat (error, <, tolerance);
    }
  loaded_close (&loaded);
}

static void
each_tiny (guint chunk, AssayDtype kv_dtype, gboolean exact, double tolerance)
{
  g_autoptr (JsonNode) root = engine_fixture_load_json ("logits", "tiny.json");
  JsonArray *cases = json_object_get_array_member (json_node_get_object (root), "cases");
  g_assert_cmpuint (json_array_get_length (cases), ==, 4);
  for (guint i = 0; i < json_array_get_length (cases); i++)
    check_tiny (json_array_get_object_element (cases, i), chunk, kv_dtype, exact, tolerance);
}

static void
test_tiny_exact (void)
{
  each_tiny (0, ASSAY_DTYPE_F32, TRUE, 1e-5);
}

static void
test_tiny_chunks (void)
{
  each_tiny (1, ASSAY_DTYPE_F32, TRUE, 1e-5);
  each_tiny (7, ASSAY_DTYPE_F32, TRUE, 1e-5);
}

static void
test_tiny_half_cache (void)
{
  each_tiny (0, ASSAY_DTYPE_F16, TRUE, EXACT);
}

static void
test_tiny_fast (void)
{
  each_tiny (0, ASSAY_DTYPE_F16, FALSE, FAST);
}

/* The comparison must be able to fail. */
static void
test_planted_fault_is_seen (void)
{
  g_autoptr (JsonNode) root = engine_fixture_load_json ("logits", "tiny.json");
  JsonArray *cases = json_object_get_array_member (json_node_get_object (root), "cases");
  JsonObject *c = json_array_get_object_element (cases, 0), *other = json_array_get_object_element (cases, 1);
  g_autofree char *path = engine_fixture_dup_path ("logits", json_object_get_string_member (c, "file"));
  g_autoptr (GArray) ids = engine_fixture_dup_ids (json_object_get_array_member (c, "ids"));
  const AssayModelOptions options = { OPTIONS (64, ASSAY_DTYPE_F32) };
  Loaded loaded;
  loaded_open (&loaded, path, 0, TRUE, 1, &options);
  forward (loaded.model, (const gint32 *) ids->data, ids->len);
  JsonArray *windowed = json_object_get_array_member (other, "at"); /* the same weights with a window of 8 */
  JsonObject *last = json_array_get_object_element (windowed, json_array_get_length (windowed) - 1);
  g_assert_cmpfloat (engine_fixture_relative_error (assay_model_get_logits (loaded.model, 0),
                                                    json_object_get_array_member (last, "logits"), NULL),
                     >, EXACT);
  loaded_close (&loaded);
}

static gboolean
note_unit (const AssayModelUnit *unit, gpointer data, GError **error)
{
  g_hash_table_add (data, (gpointer) unit);
  return TRUE;
}

static void
test_units_are_all_entered (void)
{
  g_autofree char *path = engine_fixture_dup_path ("logits", "tiny-f32.gguf");
  const AssayModelOptions options = { OPTIONS (8, ASSAY_DTYPE_F32) };
  const gint32 ids[] = { 1, 2, 3 };
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  Loaded loaded;
  loaded_open (&loaded, path, 0, TRUE, 1, &options);
  g_assert_true (assay_model_prompt (loaded.model, 0, ids, 3, note_unit, seen, NULL));
  g_assert_cmpuint (g_hash_table_size (seen), ==, assay_model_get_n_units (loaded.model));
  guint64 bytes = 0;
  for (guint i = 0; i < assay_model_get_n_units (loaded.model); i++)
    bytes += assay_model_get_unit (loaded.model, i)->weight_bytes;
  guint64 stored = 0;
  for (guint i = 0; i < assay_model_file_get_n_tensors (loaded.file); i++)
    stored += assay_model_file_get_tensor (loaded.file, i)->bytes;
  g_assert_cmpuint (bytes, ==, stored); /* untied, no rope divisors: every tensor belongs to one unit */
  loaded_close (&loaded);
}

static void
test_refuses_what_does_not_fit (void)
{
  g_autofree char *path = engine_fixture_dup_path ("logits", "tiny-f32.gguf");
  const AssayModelOptions options = { OPTIONS (4, ASSAY_DTYPE_F32) };
  const gint32 ids[] = { 1, 2, 3, 4, 5 }, beyond[] = { 288 };
  g_autoptr (GError) error = NULL;
  Loaded loaded;
  loaded_open (&loaded, path, 0, TRUE, 1, &options);
  g_assert_false (assay_model_prompt (loaded.model, 0, ids, 5, NULL, NULL, &error));
  g_assert_error (error, ASSAY_ENGINE_ERROR, ASSAY_ENGINE_ERROR_CONTEXT);
  g_assert_nonnull (strstr (error->message, "5 tokens after 0 do not fit a context of 4"));
  g_assert_cmpuint (assay_model_get_position (loaded.model, 0), ==, 0);
  g_clear_error (&error);
  g_assert_false (assay_model_prompt (loaded.model, 0, beyond, 1, NULL, NULL, &error));
  g_assert_error (error, ASSAY_ENGINE_ERROR, ASSAY_ENGINE_ERROR_FORMAT);
  forward (loaded.model, ids, 4);
  g_assert_cmpuint (assay_model_get_position (loaded.model, 0), ==, 4);
  loaded_close (&loaded);
}

/* What is allocated is what the formula says, to the byte. */
static void
test_cache_bytes (void)
{
  AssayModelConfig c = { .n_layers = 32, .n_heads = 32, .n_kv_heads = 8, .head_dim = 128, .head_dim_v = 128 };
  g_assert_cmpuint (assay_config_get_kv_bytes (&c, 8192, ASSAY_DTYPE_F16), ==, 1073741824);
  g_assert_cmpuint (assay_config_get_kv_bytes (&c, 131072, ASSAY_DTYPE_F16), ==,
                    G_GUINT64_CONSTANT (17179869184));
  c.n_layers = 28;
  c.n_kv_heads = 4;
  g_assert_cmpuint (assay_config_get_kv_bytes (&c, 1, ASSAY_DTYPE_F16), ==, 57344);

  g_autofree char *path = engine_fixture_dup_path ("logits", "tiny-f32.gguf");
  for (AssayDtype dtype = ASSAY_DTYPE_F32; dtype <= ASSAY_DTYPE_F16; dtype++)
    {
      const AssayModelOptions options = { OPTIONS (37, dtype) };
      AssayDeviceFigures figures;
      Loaded loaded;
      loaded_open (&loaded, path, 0, TRUE, 1, &options);
      const gint32 id = 1;
      forward (loaded.model, &id, 1);
      assay_device_get_figures (loaded.device, &figures);
      g_assert_cmpuint (figures.allocated[ASSAY_MEMORY_KV_CACHE], ==,
                        assay_config_get_kv_bytes (&loaded.config, 37, dtype));
      g_assert_cmpuint (figures.allocated[ASSAY_MEMORY_OUTPUT], ==, 288 * sizeof (float));
      g_assert_cmpuint (figures.allocated[ASSAY_MEMORY_WEIGHTS], ==, 0); /* in place */
      loaded_close (&loaded);
    }
}

/* --- the default model --- */

static void
check_default (gboolean exact, double tolerance)
{
  g_autofree char *path = engine_fixture_dup_default_model ();
  if (path == NULL)
    return;
  g_autoptr (JsonNode) root = engine_fixture_load_json ("logits", "default-logits.json");
  JsonObject *fixture = json_node_get_object (root);
  JsonArray *subset = json_object_get_array_member (fixture, "subset");
  JsonArray *cases = json_object_get_array_member (fixture, "cases");
  const AssayModelOptions options = { OPTIONS (512, exact ? ASSAY_DTYPE_F32 : ASSAY_DTYPE_F16) };
  Loaded loaded;
  loaded_open (&loaded, path, 0, exact, 0, &options);
  double worst = 0;
  for (guint i = 0; i < json_array_get_length (cases); i++)
    {
      JsonObject *c = json_array_get_object_element (cases, i);
      g_autoptr (GArray) ids = engine_fixture_dup_ids (json_object_get_array_member (c, "ids"));
      if (ENGINE_SANITIZED && ids->len > 65)
        continue; /* the long ones in the plain run: they differ in size only */
      assay_model_reset (loaded.model, 0);
      forward (loaded.model, (const gint32 *) ids->data, ids->len);
      const float *logits = assay_model_get_logits (loaded.model, 0);
      const double error
          = engine_fixture_relative_error (logits, json_object_get_array_member (c, "logits"), subset);
      double norm = 0;
      for (guint k = 0; k < loaded.config.n_vocab; k++)
        norm += (double) logits[k] * logits[k];
      const double expected = json_object_get_double_member (c, "norm");
      worst = MAX (worst, error);
      g_test_message ("%u tokens: %.2e, norm %.2e", ids->len, error, fabs (sqrt (norm) / expected - 1));
      g_assert_cmpfloat (error, <, tolerance);
      g_assert_cmpfloat (fabs (sqrt (norm) / expected - 1), <, tolerance);
    }
  g_test_message ("worst of %u prompts: %.2e", json_array_get_length (cases), worst);
  loaded_close (&loaded);
}

static void
test_default_exact (void)
{
  check_default (TRUE, EXACT);
}

static void
test_default_fast (void)
{
  check_default (FALSE, FAST);
}

/* The position of the first difference, or the length. */
static guint
greedy_run (AssayModel *model, GArray *prompt, JsonArray *expected)
{
  const AssaySampling greedy = { .temperature = 0 };
  const guint n = json_array_get_length (expected);
  g_autoptr (GError) error = NULL;
  assay_model_reset (model, 0);
  forward (model, (const gint32 *) prompt->data, prompt->len);
  for (guint i = 0; i < n; i++)
    {
      gint32 token;
      g_assert_true (assay_model_sample (model, 0, &greedy, &token, &error));
      if (token != json_array_get_int_element (expected, i))
        return i;
      const guint sequence = 0;
      g_assert_true (assay_model_decode (model, &sequence, &token, 1, NULL, NULL, &error));
    }
  return n;
}

static void
check_greedy (gboolean exact)
{
  g_autofree char *path = engine_fixture_dup_default_model ();
  if (path == NULL)
    return;
  g_autoptr (JsonNode) root = engine_fixture_load_json ("logits", "default-greedy.json");
  JsonArray *cases = json_object_get_array_member (json_node_get_object (root), "cases");
  const guint n_cases = ENGINE_SANITIZED ? 2 : json_array_get_length (cases);
  const AssayModelOptions options = { OPTIONS (256, ASSAY_DTYPE_F16) };
  guint same = 0;
  Loaded loaded;
  loaded_open (&loaded, path, 0, exact, 0, &options);
  for (guint i = 0; i < n_cases; i++)
    {
      JsonObject *c = json_array_get_object_element (cases, i);
      g_autoptr (GArray) prompt = engine_fixture_dup_ids (json_object_get_array_member (c, "prompt"));
      JsonArray *tokens = json_object_get_array_member (c, "tokens");
      const guint at = greedy_run (loaded.model, prompt, tokens);
      if (at == json_array_get_length (tokens))
        {
          same++;
          continue;
        }
      const double gap = json_array_get_double_element (json_object_get_array_member (c, "gaps"), at);
      g_test_message ("text %u differs at token %u, where llama.cpp's two best lie %.3f apart", i, at, gap);
      g_assert_cmpfloat (gap, <=, GREEDY_GAP);
    }
  g_test_message ("%u of %u texts are the same", same, n_cases);
  if (!ENGINE_SANITIZED)
    g_assert_cmpuint (same, >=, GREEDY_SAME);
  loaded_close (&loaded);
}

static void
test_default_greedy_exact (void)
{
  check_greedy (TRUE);
}

static void
test_default_greedy_fast (void)
{
  check_greedy (FALSE);
}

int
main (int argc, char *argv[])
{
  engine_fixture_init (&argc, &argv);
  g_test_add_func ("/engine/logits/tiny-models-equal-transformers", test_tiny_exact);
  g_test_add_func ("/engine/logits/chunks-do-not-matter", test_tiny_chunks);
  g_test_add_func ("/engine/logits/half-precision-cache-is-close", test_tiny_half_cache);
  g_test_add_func ("/engine/logits/fast-products-are-close", test_tiny_fast);
  g_test_add_func ("/engine/logits/a-planted-fault-is-seen", test_planted_fault_is_seen);
  g_test_add_func ("/engine/logits/every-unit-is-entered", test_units_are_all_entered);
  g_test_add_func ("/engine/logits/refuses-tokens-that-do-not-fit", test_refuses_what_does_not_fit);
  g_test_add_func ("/engine/logits/cache-has-the-formula's-bytes", test_cache_bytes);
  g_test_add_func ("/engine/logits/default-model-equals-transformers", test_default_exact);
  g_test_add_func ("/engine/logits/default-model-is-close-on-the-fast-path", test_default_fast);
  g_test_add_func ("/engine/logits/greedy-text-is-llama.cpp's", test_default_greedy_exact);
  g_test_add_func ("/engine/logits/greedy-text-is-llama.cpp's-on-the-fast-path", test_default_greedy_fast);
  return g_test_run ();
}
