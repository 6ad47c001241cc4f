/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/engine/test-families.c: every family's graph against transformers, from both kinds of files.
 *
 * The fixtures are of tests/reference/families.py: tiny models, and the last token's logits for prompts of
 * 3, 20 and 70 tokens. Windows hold 8 tokens and rotations are stretched from 32 on, so the longer prompts
 * go through both. An error is relative in the L2 norm: |ours - theirs| / |theirs|. */
#include "engine-fixture.h"

#include "models/assay-model.h"

#include <math.h>
#include <string.h>

#define EXACT 1e-5
#define HALF 1e-3 /* with a float16 cache */
#define SHORT_CONTEXT 32
#define LONG_CONTEXT 128
#define AS_STORED { .float_dtype = ASSAY_DTYPE_AS_STORED, .quantized = ASSAY_DTYPE_AS_STORED }

typedef struct
{
  AssayModelFile *file;
  AssayModelConfig config;
  AssayDevice *device;
  AssayModel *model;
} Loaded;

typedef struct { gboolean folder; guint chunk; AssayDtype kv_dtype; double tolerance; } Way;

static JsonNode *
load_fixture (void)
{
  return engine_fixture_load_json ("families", "families.json");
}

static JsonArray *
get_cases (JsonNode *root)
{
  return json_object_get_array_member (json_node_get_object (root), "cases");
}

static JsonObject *
get_case (JsonNode *root, const char *name)
{
  JsonArray *cases = get_cases (root);
  for (guint i = 0; i < json_array_get_length (cases); i++)
    if (g_str_equal (json_object_get_string_member (json_array_get_object_element (cases, i), "name"), name))
      return json_array_get_object_element (cases, i);
  g_assert_not_reached ();
}

static GArray *
dup_ids (JsonNode *root)
{
  return engine_fixture_dup_ids (json_object_get_array_member (json_node_get_object (root), "ids"));
}

static char *
dup_path (const char *name, gboolean folder)
{
  g_autofree char *file = g_strconcat (name, folder ? "" : ".gguf", NULL);
  return engine_fixture_dup_path ("families", file);
}

static void
loaded_describe (Loaded *self, const char *name, gboolean folder)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = dup_path (name, folder);
  *self = (Loaded) { .file = assay_model_file_open (path, NULL, &error) };
  g_assert_no_error (error);
  assay_config_read (&self->config, self->file, &error);
  g_assert_no_error (error);
}

static void
loaded_make (Loaded *self, const AssayModelOptions *options)
{
  g_autoptr (GError) error = NULL;
  g_assert_true (assay_model_file_map (self->file, &error));
  self->device = assay_device_new_cpu (2, ASSAY_COMPUTE_F32, 0, &error);
  g_assert_no_error (error);
  self->model = assay_model_new (self->file, &self->config, self->device, self->device, options, &error);
  g_assert_no_error (error);
}

static void
loaded_place (Loaded *self)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayAssembly) assembly = assay_assembly_new_resident ();
  assay_model_place (self->model, assembly, NULL, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
}

static void
loaded_close (Loaded *self)
{
  assay_model_free (self->model);
  g_clear_pointer (&self->device, assay_device_free);
  assay_model_file_unref (self->file);
}

static void
prompt (AssayModel *model, guint sequence, const gint32 *ids, guint n)
{
  g_autoptr (GError) error = NULL;
  assay_model_prompt (model, sequence, ids, n, NULL, NULL, &error);
  g_assert_no_error (error);
}

/* The expected logits after n tokens. */
static JsonArray *
get_expected (JsonObject *c, guint n)
{
  JsonArray *at = json_object_get_array_member (c, "at");
  for (guint i = 0; i < json_array_get_length (at); i++)
    if (json_object_get_int_member (json_array_get_object_element (at, i), "n") == n)
      return json_object_get_array_member (json_array_get_object_element (at, i), "logits");
  g_assert_not_reached ();
}

/* Longrope is chosen by the context, so each prompt runs in one of its own kind. */
static double
check_prompt (JsonObject *c, const Way *way, GArray *ids, guint n)
{
  const char *name = json_object_get_string_member (c, "name");
  const AssayModelOptions options = { .context_length = n <= SHORT_CONTEXT ? SHORT_CONTEXT : LONG_CONTEXT,
                                      .k_dtype = way->kv_dtype, .v_dtype = way->kv_dtype, .chunk = way->chunk,
                                      .format = AS_STORED };
  Loaded loaded;
  loaded_describe (&loaded, name, way->folder);
  loaded_make (&loaded, &options);
  loaded_place (&loaded);
  prompt (loaded.model, 0, (const gint32 *) ids->data, n);
  const double error
      = engine_fixture_relative_error (assay_model_get_logits (loaded.model, 0), get_expected (c, n), NULL);
  g_test_message ("%s%s, %u tokens, chunks of %u: %.2e", name, way->folder ? "/" : ".gguf", n, way->chunk,
                  error);
  g_assert_cmpfloat (error, <, way->tolerance);
  loaded_close (&loaded);
  return error;
}

static void
check_all (const Way *way)
{
  g_autoptr (JsonNode) root = load_fixture ();
  g_autoptr (GArray) ids = dup_ids (root);
  JsonArray *cases = get_cases (root);
  g_assert_cmpuint (json_array_get_length (cases), ==, 13);
  for (guint i = 0; i < json_array_get_length (cases); i++)
    {
      JsonObject *c = json_array_get_object_element (cases, i);
      if (!way->folder && !json_object_get_boolean_member (c, "gguf"))
        continue;
      check_prompt (c, way, ids, 3);
      check_prompt (c, way, ids, 20);
      check_prompt (c, way, ids, 70);
    }
}

static void
test_gguf (void)
{
  check_all (&(Way) { .kv_dtype = ASSAY_DTYPE_F32, .tolerance = EXACT });
}

static void
test_folders (void)
{
  check_all (&(Way) { .folder = TRUE, .kv_dtype = ASSAY_DTYPE_F32, .tolerance = EXACT });
}

static void
test_chunks (void)
{
  check_all (&(Way) { .chunk = 7, .kv_dtype = ASSAY_DTYPE_F32, .tolerance = EXACT });
}

static void
test_half_cache (void)
{
  check_all (&(Way) { .kv_dtype = ASSAY_DTYPE_F16, .tolerance = HALF });
}

/* Two sequences at different places, one token each in one pass. */
static void
check_two_sequences (JsonNode *root, const char *name)
{
  const AssayModelOptions options = { .context_length = LONG_CONTEXT, .n_sequences = 2,
                                      .k_dtype = ASSAY_DTYPE_F32, .v_dtype = ASSAY_DTYPE_F32,
                                      .format = AS_STORED };
  g_autoptr (GArray) ids = dup_ids (root);
  g_autoptr (GError) error = NULL;
  const gint32 *tokens = (const gint32 *) ids->data;
  const guint sequences[] = { 1, 0 };
  const gint32 next[] = { tokens[19], tokens[69] };
  Loaded loaded;
  loaded_describe (&loaded, name, FALSE);
  loaded_make (&loaded, &options);
  loaded_place (&loaded);
  prompt (loaded.model, 0, tokens, 69);
  prompt (loaded.model, 1, tokens, 19);
  assay_model_decode (loaded.model, sequences, next, 2, NULL, NULL, &error);
  g_assert_no_error (error);
  JsonObject *c = get_case (root, name);
  g_assert_cmpfloat (
      engine_fixture_relative_error (assay_model_get_logits (loaded.model, 0), get_expected (c, 20), NULL), <,
      EXACT);
  g_assert_cmpfloat (
      engine_fixture_relative_error (assay_model_get_logits (loaded.model, 1), get_expected (c, 70), NULL), <,
      EXACT);
  loaded_close (&loaded);
}

static void
test_sequences (void)
{
  static const char *const names[] = { "llama", "mistral", "qwen2", "qwen3", "gemma2", "gemma3", "gpt2" };
  g_autoptr (JsonNode) root = load_fixture ();
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    check_two_sequences (root, names[i]);
}

/* An adapter of a fused matrix reaches each part of it with its own rows. */
static void
check_adapter (JsonObject *c, GArray *ids)
{
  const AssayModelOptions options = { .context_length = SHORT_CONTEXT, .k_dtype = ASSAY_DTYPE_F32,
                                      .v_dtype = ASSAY_DTYPE_F32, .format = AS_STORED };
  const char *name = json_object_get_string_member (c, "name");
  g_autofree char *file = g_strconcat (name, "-lora", NULL), *path = dup_path (file, FALSE);
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayAdapter) adapter = assay_adapter_open (path, NULL, &error);
  g_assert_no_error (error);
  for (guint folder = 0; folder < 2; folder++)
    {
      Loaded loaded;
      loaded_describe (&loaded, name, folder);
      loaded_make (&loaded, &options);
      assay_model_attach (loaded.model, adapter, 1, &error);
      g_assert_no_error (error);
      loaded_place (&loaded);
      prompt (loaded.model, 0, (const gint32 *) ids->data, 20);
      const double deviation = engine_fixture_relative_error (assay_model_get_logits (loaded.model, 0),
                                                              get_expected (c, 20), NULL);
      g_test_message ("%s with an adapter: %.2e", name, deviation);
      g_assert_cmpfloat (deviation, <, EXACT);
      loaded_close (&loaded);
    }
}

static void
test_adapters_of_fused_matrices (void)
{
  g_autoptr (JsonNode) root = load_fixture ();
  g_autoptr (GArray) ids = dup_ids (root);
  JsonArray *adapters = json_object_get_array_member (json_node_get_object (root), "adapters");
  g_assert_cmpuint (json_array_get_length (adapters), ==, 2);
  for (guint i = 0; i < json_array_get_length (adapters); i++)
    check_adapter (json_array_get_object_element (adapters, i), ids);
}

/* --- what must not pass --- */

/* A changed feature is seen: the comparison can fail, and the fixtures depend on each of these. */
static void
check_fault (JsonNode *root, const char *name, guint n, void (*plant) (AssayModelConfig *c))
{
  const AssayModelOptions options = { .context_length = LONG_CONTEXT, .k_dtype = ASSAY_DTYPE_F32,
                                      .v_dtype = ASSAY_DTYPE_F32,
                                      .format = AS_STORED };
  g_autoptr (GArray) ids = dup_ids (root);
  Loaded loaded;
  loaded_describe (&loaded, name, FALSE);
  plant (&loaded.config);
  loaded_make (&loaded, &options);
  loaded_place (&loaded);
  prompt (loaded.model, 0, (const gint32 *) ids->data, n);
  const double error = engine_fixture_relative_error (assay_model_get_logits (loaded.model, 0),
                                                      get_expected (get_case (root, name), n), NULL);
  g_test_message ("%s, changed: %.2e", name, error);
  g_assert_cmpfloat (error, >, 100 * EXACT);
  loaded_close (&loaded);
}

static void plant_window (AssayModelConfig *c) { c->window = 9; }
static void plant_layer (AssayModelConfig *c) { c->slides[0] ^= 1; }
static void plant_cap (AssayModelConfig *c) { c->attention_soft_cap = 0; }
static void plant_output_cap (AssayModelConfig *c) { c->output_soft_cap = 0; }
static void plant_scale (AssayModelConfig *c) { c->attention_scale *= 1.1f; }
static void plant_embedding (AssayModelConfig *c) { c->embedding_scale *= 1.01f; }
static void plant_local (AssayModelConfig *c) { c->has_rope_local = FALSE; }
static void plant_activation (AssayModelConfig *c) { c->activation = ASSAY_ACTIVATION_SILU; }
static void plant_magnitude (AssayModelConfig *c) { c->rope.magnitude = 1; }
static void plant_original (AssayModelConfig *c) { c->rope_scaling.original_context *= 8; }

static void
test_planted_faults_are_seen (void)
{
  static const struct { const char *name; guint n; void (*plant) (AssayModelConfig *c); } faults[] = {
    { "mistral", 20, plant_window },  { "qwen2", 20, plant_layer },      { "gemma2", 3, plant_cap },
    { "gemma2", 3, plant_output_cap }, { "gemma2", 3, plant_scale },     { "gemma3", 3, plant_embedding },
    { "gemma3", 20, plant_local },    { "gemma3", 3, plant_activation }, { "gpt2", 3, plant_activation },
    { "llama-yarn", 20, plant_magnitude }, { "llama-yarn", 70, plant_original },
        { "phi3", 70, plant_original },
  };
  g_autoptr (JsonNode) root = load_fixture ();
  for (guint i = 0; i < G_N_ELEMENTS (faults); i++)
    check_fault (root, faults[i].name, faults[i].n, faults[i].plant);
}

static void
test_learned_positions_end (void)
{
  const AssayModelOptions options = { .context_length = LONG_CONTEXT + 1, .k_dtype = ASSAY_DTYPE_F32,
                                      .v_dtype = ASSAY_DTYPE_F32,
                                      .format = AS_STORED };
  g_autoptr (GError) error = NULL;
  Loaded loaded;
  loaded_describe (&loaded, "gpt2", FALSE);
  loaded.device = assay_device_new_cpu (1, ASSAY_COMPUTE_F32, 0, &error);
  g_assert_null (assay_model_new (loaded.file, &loaded.config, loaded.device, loaded.device, &options,
                                  &error));
  g_assert_error (error, ASSAY_ENGINE_ERROR, ASSAY_ENGINE_ERROR_RULE);
  g_assert_nonnull (strstr (error->message, "choose at most 128"));
  loaded_close (&loaded);
}

/* --- configurations --- */

static void
check_windows (const char *name, const char *windows)
{
  for (guint folder = 0; folder < 2; folder++)
    {
      g_autoptr (GString) seen = g_string_new (NULL);
      Loaded loaded;
      loaded_describe (&loaded, name, folder);
      for (guint i = 0; i < loaded.config.n_layers; i++)
        g_string_append_printf (seen, "%s%u", i > 0 ? " " : "", assay_config_get_window (&loaded.config, i));
      g_assert_cmpstr (seen->str, ==, windows);
      loaded_close (&loaded);
    }
}

static void
test_windows (void)
{
  check_windows ("llama", "0 0");
  check_windows ("mistral", "8 8");
  check_windows ("qwen2", "0 8 8");
  check_windows ("qwen3", "0 0");
  check_windows ("gemma2", "8 0");
  check_windows ("gemma3", "8 8 8 8 8 0 8");
  check_windows ("gpt2", "0 0");
  check_windows ("phi3", "40 40");
}

/* One model from two kinds of files is one configuration, but for the order of llama's rows and of the
 * divisors' origin. */
static void
test_both_files_say_the_same (void)
{
  g_autoptr (JsonNode) root = load_fixture ();
  JsonArray *cases = get_cases (root);
  for (guint i = 0; i < json_array_get_length (cases); i++)
    {
      JsonObject *c = json_array_get_object_element (cases, i);
      const char *name = json_object_get_string_member (c, "name");
      Loaded gguf, folder;
      if (!json_object_get_boolean_member (c, "gguf"))
        continue;
      loaded_describe (&gguf, name, FALSE);
      loaded_describe (&folder, name, TRUE);
      const AssayModelConfig *a = &gguf.config, *b = &folder.config;
      g_assert_cmpstr (a->architecture, ==, json_object_get_string_member (c, "architecture"));
      g_assert_cmpstr (a->architecture, ==, b->architecture);
      g_assert_cmpmem (&a->n_layers, G_STRUCT_OFFSET (AssayModelConfig,
                                                      norm_eps) - G_STRUCT_OFFSET (AssayModelConfig,
                                                                                   n_layers),
                       &b->n_layers, G_STRUCT_OFFSET (AssayModelConfig,
                                                      norm_eps) - G_STRUCT_OFFSET (AssayModelConfig,
                                                                                   n_layers));
      g_assert_cmpfloat (a->norm_eps, ==, b->norm_eps);
      g_assert_cmpfloat_with_epsilon (a->attention_scale, b->attention_scale, 1e-7);
      g_assert_cmpfloat (a->attention_soft_cap, ==, b->attention_soft_cap);
      g_assert_cmpfloat (a->output_soft_cap, ==, b->output_soft_cap);
      g_assert_cmpfloat (a->rope.base, ==, b->rope.base);
      g_assert_cmpuint (a->rope.n_dims, ==, b->rope.n_dims);
      g_assert_cmpfloat (a->rope.scale, ==, b->rope.scale);
      g_assert_cmpfloat_with_epsilon (a->rope.magnitude, b->rope.magnitude, 1e-6);
      g_assert_cmpfloat (a->rope_local.base, ==, b->rope_local.base);
      g_assert_cmpint (a->has_rope_divisor, ==, b->has_rope_divisor);
      g_assert_cmpint (a->tied_output, ==, b->tied_output);
      loaded_close (&gguf);
      loaded_close (&folder);
    }
}

int
main (int argc, char *argv[])
{
  engine_fixture_init (&argc, &argv);
#define TEST(name, function) g_test_add_func ("/engine/families/" name, function)
  TEST ("windows-are-those-of-the-layers", test_windows);
  TEST ("both-kinds-of-files-say-the-same", test_both_files_say_the_same);
  TEST ("gguf-equals-transformers", test_gguf);
  TEST ("folders-equal-transformers", test_folders);
  TEST ("chunks-do-not-matter", test_chunks);
  TEST ("half-precision-cache-is-close", test_half_cache);
  TEST ("sequences-do-not-disturb-each-other", test_sequences);
  TEST ("adapters-of-fused-matrices", test_adapters_of_fused_matrices);
  TEST ("planted-faults-are-seen", test_planted_faults_are_seen);
  TEST ("learned-positions-end-with-their-table", test_learned_positions_end);
  return g_test_run ();
}
