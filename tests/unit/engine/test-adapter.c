/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/engine/test-adapter.c: LoRA adapters as files: what they say, and what is refused by name. */
#include "engine-fixture.h"
#include "gguf-writer.h"
#include "../weights/st-writer.h"

#include "models/assay-adapter.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

static char *scratch;

/* --- GGUF --- */

typedef struct
{
  guint64 n_in, n_out, rank_a, rank_b;
} Part;

static void
add_part (GgufWriter *w, const char *module, const Part *part)
{
  g_autofree char *a = g_strconcat (module, ".weight.lora_a", NULL),
                  *b = g_strconcat (module, ".weight.lora_b", NULL);
  gguf_writer_add_tensor (w, a, 2, (const guint64[]) { part->n_in, part->rank_a }, ASSAY_DTYPE_F32, NULL);
  gguf_writer_add_tensor (w, b, 2, (const guint64[]) { part->rank_b, part->n_out }, ASSAY_DTYPE_F32, NULL);
}

static GgufWriter *
make_adapter (void)
{
  GgufWriter *w = gguf_writer_new ();
  gguf_writer_set_string (w, "general.architecture", "llama");
  gguf_writer_set_string (w, "general.type", "adapter");
  gguf_writer_set_string (w, "adapter.type", "lora");
  gguf_writer_set_f32 (w, "adapter.lora.alpha", 8);
  add_part (w, "blk.0.attn_q", &(Part) { 32, 48, 4, 4 });
  add_part (w, "blk.1.ffn_down", &(Part) { 64, 32, 2, 2 });
  return w;
}

static AssayAdapter *
open_writer (GgufWriter *w, GError **error)
{
  g_autofree char *path = g_build_filename (scratch, "adapter.gguf", NULL);
  gguf_writer_save (w, path);
  return assay_adapter_open (path, NULL, error);
}

static void
judge (AssayAdapter *opened, GError *given, AssayEngineError code, const char *reason, const char *word,
       int line)
{
  g_autoptr (AssayAdapter) adapter = opened;
  g_autoptr (GError) error = given;
  if (adapter != NULL || error == NULL)
    g_error ("line %d: opens, but must be refused as %s", line, reason);
  if (!g_error_matches (error, ASSAY_ENGINE_ERROR, (gint) code)
      || strcmp (assay_engine_error_get_reason (error), reason) != 0)
    g_error ("line %d: '%s' is refused as %s, not %s", line, error->message,
             assay_engine_error_get_reason (error), reason);
  if (strstr (error->message, word) == NULL || strstr (error->message, scratch) == NULL
      || !g_utf8_validate (error->message, -1, NULL))
    g_error ("line %d: '%s' does not tell file and '%s'", line, error->message, word);
}

/* Takes the writer. */
static void
judge_writer (GgufWriter *w, AssayEngineError code, const char *reason, const char *word, int line)
{
  GError *error = NULL;
  AssayAdapter *adapter = open_writer (w, &error);
  judge (adapter, error, code, reason, word, line);
  gguf_writer_free (w);
}

#define assert_refused(w, code, reason, word)                                                                \
  judge_writer (w, ASSAY_ENGINE_ERROR_##code, reason, word, __LINE__)

static void
test_gguf_opens (void)
{
  g_autoptr (GError) error = NULL;
  GgufWriter *w = make_adapter ();
  g_autoptr (AssayAdapter) adapter = open_writer (w, &error);
  gguf_writer_free (w);
  g_assert_no_error (error);
  g_assert_cmpuint (assay_adapter_get_n_parts (adapter), ==, 2);
  g_assert_cmpstr (assay_adapter_get_architecture (adapter), ==, "llama");
  g_assert_false (assay_adapter_is_half_split (adapter));
  const AssayAdapterPart *q = assay_adapter_get_part (adapter, 0),
                         *down = assay_adapter_get_part (adapter, 1);
  g_assert_cmpstr (q->module, ==, "blk.0.attn_q");
  g_assert_cmpuint (q->rank, ==, 4);
  g_assert_cmpfloat (q->scale, ==, 2);
  g_assert_cmpint (q->a->shape[0], ==, 32);
  g_assert_cmpint (q->b->shape[1], ==, 48);
  g_assert_cmpstr (down->module, ==, "blk.1.ffn_down");
  g_assert_cmpfloat (down->scale, ==, 4);
}

static void
test_gguf_alpha_zero (void)
{
  GgufWriter *w = make_adapter ();
  gguf_writer_set_f32 (w, "adapter.lora.alpha", 0);
  g_autoptr (AssayAdapter) adapter = open_writer (w, NULL);
  gguf_writer_free (w);
  g_assert_nonnull (adapter);
  g_assert_cmpfloat (assay_adapter_get_part (adapter, 0)->scale, ==, 1);
}

static void
test_gguf_kind (void)
{
  GgufWriter *w = make_adapter ();
  gguf_writer_set_string (w, "general.type", "model");
  assert_refused (w, FORMAT, "not-an-adapter", "general.type");
  w = make_adapter ();
  gguf_writer_remove (w, "general.type");
  assert_refused (w, FORMAT, "not-an-adapter", "general.type");
  w = make_adapter ();
  gguf_writer_set_string (w, "adapter.type", "control_vector");
  assert_refused (w, UNSUPPORTED, "adapter-type", "control_vector");
  w = make_adapter ();
  gguf_writer_set_array (w, "adapter.alora.invocation_tokens", GGUF_TYPE_U32, 1, "\1\0\0\0", 4);
  assert_refused (w, UNSUPPORTED, "adapter-activated", "activated");
}

static void
test_gguf_alpha (void)
{
  static const float bad[] = { NAN, INFINITY, -INFINITY, 2e6f };
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      GgufWriter *w = make_adapter ();
      gguf_writer_set_f32 (w, "adapter.lora.alpha", bad[i]);
      assert_refused (w, FORMAT, "adapter-alpha", "adapter.lora.alpha");
    }
  GgufWriter *w = make_adapter ();
  gguf_writer_set_string (w, "adapter.lora.alpha", "8");
  assert_refused (w, FORMAT, "adapter-alpha", "adapter.lora.alpha");
  w = make_adapter ();
  gguf_writer_remove (w, "adapter.lora.alpha");
  assert_refused (w, FORMAT, "adapter-alpha", "missing");
}

static void
test_gguf_pairs (void)
{
  GgufWriter *w = make_adapter ();
  gguf_writer_remove_tensor (w, "blk.1.ffn_down.weight.lora_b");
  assert_refused (w, FORMAT, "adapter-pair", "blk.1.ffn_down has no B");
  w = make_adapter ();
  gguf_writer_remove_tensor (w, "blk.0.attn_q.weight.lora_a");
  assert_refused (w, FORMAT, "adapter-pair", "blk.0.attn_q has no A");
  w = make_adapter ();
  while (w->tensors->len > 0)
    g_ptr_array_remove_index (w->tensors, 0);
  assert_refused (w, FORMAT, "adapter-empty", "no low-rank part");
}

static void
test_gguf_shapes (void)
{
  GgufWriter *w = make_adapter ();
  add_part (w, "blk.0.attn_k", &(Part) { 32, 48, 4, 5 });
  assert_refused (w, FORMAT, "adapter-rank", "A has rank 4, B has rank 5");
  w = make_adapter ();
  add_part (w, "blk.0.attn_k", &(Part) { 32, 48, 0, 0 });
  assert_refused (w, FORMAT, "adapter-shape", "blk.0.attn_k");
  w = make_adapter ();
  add_part (w, "blk.0.attn_k", &(Part) { 1, 1, 65537, 65537 });
  assert_refused (w, FORMAT, "adapter-rank", "65537");
  w = make_adapter ();
  gguf_writer_add_tensor (w, "blk.2.attn_q.weight.lora_a", 3, (const guint64[]) { 32, 4, 2 }, ASSAY_DTYPE_F32,
                          NULL);
  assert_refused (w, FORMAT, "adapter-shape", "3 dimensions");
  w = make_adapter ();
  gguf_writer_add_tensor (w, "blk.2.attn_q.weight.lora_a", 2, (const guint64[]) { 32, 4 }, ASSAY_DTYPE_I32,
                          NULL);
  assert_refused (w, UNSUPPORTED, "tensor-type-unsupported", "I32");
}

static void
test_gguf_others (void)
{
  GgufWriter *w = make_adapter ();
  add_part (w, "token_embd", &(Part) { 4, 4, 2, 2 });
  assert_refused (w, UNSUPPORTED, "adapter-embedding", "token_embd");
  w = make_adapter ();
  gguf_writer_add_tensor (w, "blk.0.attn_norm.weight", 1, (const guint64[]) { 32 }, ASSAY_DTYPE_F32, NULL);
  assert_refused (w, UNSUPPORTED, "adapter-tensor", "blk.0.attn_norm.weight");
}

/* --- PEFT --- */

#define CONFIG(more) "{\"peft_type\": \"LORA\", \"r\": 2, \"lora_alpha\": 3" more "}"
#define MODULE "base_model.model.model.layers.0.self_attn.q_proj"

static void
put_part (StWriter *w, const char *module, guint64 rank_a, guint64 rank_b)
{
  g_autofree char *a = g_strconcat (module, ".lora_A.weight", NULL),
                  *b = g_strconcat (module, ".lora_B.weight", NULL);
  st_writer_add (w, a, "F32", 2, (const guint64[]) { rank_a, 8 });
  st_writer_add (w, b, "F32", 2, (const guint64[]) { 6, rank_b });
}

static void
put_folder (StFolder *folder, const char *config, StWriter *w)
{
  st_folder_init (folder);
  if (config != NULL)
    st_folder_put (folder, "adapter_config.json", config);
  if (w == NULL)
    return;
  g_autoptr (GByteArray) bytes = st_writer_bytes (w);
  st_folder_put_bytes (folder, "adapter_model.safetensors", bytes);
}

static StWriter *
make_weights (void)
{
  StWriter *w = st_writer_new ();
  put_part (w, MODULE, 2, 2);
  return w;
}

static void
judge_peft (const char *config, StWriter *w, AssayEngineError code, const char *reason, const char *word,
            int line)
{
  g_auto (StFolder) folder = { 0 };
  GError *error = NULL;
  put_folder (&folder, config, w);
  AssayAdapter *adapter = assay_adapter_open (folder.path, NULL, &error);
  char *kept = scratch;
  scratch = folder.path; /* where the message must point */
  judge (adapter, error, code, reason, word, line);
  scratch = kept;
  if (w != NULL)
    st_writer_free (w);
}

#define assert_peft_refused(config, w, code, reason, word)                                                   \
  judge_peft (config, w, ASSAY_ENGINE_ERROR_##code, reason, word, __LINE__)
#define assert_config_refused(more, code, reason, word)                                                      \
  assert_peft_refused (CONFIG (more), make_weights (), code, reason, word)

static void
test_peft_opens (void)
{
  static const char *const names[] = { NULL, "adapter_model.safetensors", "adapter_config.json" };
  g_auto (StFolder) folder = { 0 };
  g_autoptr (StWriter) w = make_weights ();
  put_part (w, "base_model.model.model.layers.11.mlp.down_proj", 4, 4);
  put_part (w, "base_model.model.lm_head", 2, 2);
  put_folder (&folder,
              CONFIG (", \"rank_pattern\": {\"down_proj\": 4}, \"alpha_pattern\": {\"layers.11.*\": 1.5}"),
              w);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *path = names[i] != NULL ? st_folder_path (&folder, names[i]) : g_strdup (folder.path);
      g_autoptr (AssayAdapter) adapter = assay_adapter_open (path, NULL, &error);
      g_assert_no_error (error);
      g_assert_true (assay_adapter_is_half_split (adapter));
      g_assert_null (assay_adapter_get_architecture (adapter));
      g_assert_cmpuint (assay_adapter_get_n_parts (adapter), ==, 3);
      const AssayAdapterPart *q = assay_adapter_get_part (adapter, 0),
                             *down = assay_adapter_get_part (adapter, 1),
                             *head = assay_adapter_get_part (adapter, 2);
      g_assert_cmpstr (q->module, ==, "blk.0.attn_q");
      g_assert_cmpint (q->a->shape[0], ==, 8);
      g_assert_cmpint (q->a->shape[1], ==, 2);
      g_assert_cmpint (q->b->shape[1], ==, 6);
      g_assert_cmpfloat (q->scale, ==, 1.5f);
      g_assert_cmpstr (down->module, ==, "blk.11.ffn_down");
      g_assert_cmpuint (down->rank, ==, 4);
      g_assert_cmpfloat (down->scale, ==, 0.375f);
      g_assert_cmpstr (head->module, ==, "output");
    }
}

static void
test_peft_rank_stabilized (void)
{
  g_auto (StFolder) folder = { 0 };
  g_autoptr (StWriter) w = make_weights ();
  put_folder (&folder, CONFIG (", \"use_rslora\": true"), w);
  g_autoptr (AssayAdapter) adapter = assay_adapter_open (folder.path, NULL, NULL);
  g_assert_cmpfloat_with_epsilon (assay_adapter_get_part (adapter, 0)->scale, 3 / sqrtf (2), 1e-6f);
}

static void
test_peft_missing_files (void)
{
  assert_peft_refused (NULL, make_weights (), FORMAT, "not-an-adapter", "adapter_config.json is missing");
  assert_peft_refused (CONFIG (""), NULL, FORMAT, "not-an-adapter", "adapter_model.safetensors is missing");
  assert_peft_refused ("{\"peft_type\": ", make_weights (), FORMAT, "adapter-config", "adapter_config.json");
  assert_peft_refused ("[]", make_weights (), FORMAT, "adapter-config", "object");
  assert_peft_refused ("{}", make_weights (), FORMAT, "not-an-adapter", "peft_type");
  g_autofree char *deep = g_strnfill (100000, '[');
  assert_peft_refused (deep, make_weights (), FORMAT, "adapter-config", "adapter_config.json");
}

static void
test_peft_settings (void)
{
  assert_config_refused (", \"use_dora\": true", UNSUPPORTED, "adapter-dora", "DoRA");
  assert_config_refused (", \"bias\": \"all\"", UNSUPPORTED, "adapter-bias", "bias");
  assert_config_refused (", \"lora_bias\": true", UNSUPPORTED, "adapter-bias", "lora_bias");
  assert_config_refused (", \"modules_to_save\": [\"lm_head\"]", UNSUPPORTED, "adapter-modules",
                         "modules_to_save");
  assert_config_refused (", \"trainable_token_indices\": [1]", UNSUPPORTED, "adapter-tokens", "embeddings");
  assert_config_refused (", \"layer_replication\": [[0, 2]]", UNSUPPORTED, "adapter-replication", "layers");
  assert_config_refused (", \"alora_invocation_tokens\": [7]", UNSUPPORTED, "adapter-activated", "activated");
  assert_config_refused (", \"use_qalora\": true", UNSUPPORTED, "adapter-variant", "QALoRA");
  assert_config_refused (", \"init_lora_weights\": \"pissa\"", UNSUPPORTED, "adapter-init", "pissa");
  assert_config_refused (", \"init_lora_weights\": \"loftq\"", UNSUPPORTED, "adapter-init", "loftq");
  assert_config_refused (", \"use_rslora\": 1", FORMAT, "adapter-config", "true or false");
  assert_peft_refused ("{\"peft_type\": \"IA3\"}", make_weights (), UNSUPPORTED, "adapter-type", "IA3");
}

static void
test_peft_numbers (void)
{
  static const char *const ranks[]
      = { "0", "-1", "2.0", "65537", "1e30", "\"2\"", "null", "99999999999999999999" };
  static const char *const alphas[] = { "\"3\"", "1e999", "-2e6", "null", "true" };
  for (guint i = 0; i < G_N_ELEMENTS (ranks); i++)
    {
      g_autofree char *config
          = g_strdup_printf ("{\"peft_type\": \"LORA\", \"r\": %s, \"lora_alpha\": 3}", ranks[i]);
      assert_peft_refused (config, make_weights (), FORMAT, "adapter-rank", "r: is");
    }
  for (guint i = 0; i < G_N_ELEMENTS (alphas); i++)
    {
      g_autofree char *config
          = g_strdup_printf ("{\"peft_type\": \"LORA\", \"r\": 2, \"lora_alpha\": %s}", alphas[i]);
      assert_peft_refused (config, make_weights (), FORMAT, "adapter-alpha", "lora_alpha");
    }
  assert_peft_refused ("{\"peft_type\": \"LORA\", \"r\": 2, \"lora_alpha\": NaN}", make_weights (), FORMAT,
                       "adapter-config", "adapter_config.json");
  assert_peft_refused ("{\"peft_type\": \"LORA\", \"r\": 3, \"lora_alpha\": 1}", make_weights (), FORMAT,
                       "adapter-rank", "has rank 2, but adapter_config.json says 3");
}

static void
test_peft_patterns (void)
{
  assert_config_refused (", \"rank_pattern\": {\"(\": 2}", UNSUPPORTED, "adapter-pattern", "not understood");
  assert_config_refused (", \"rank_pattern\": {\"\": 2}", UNSUPPORTED, "adapter-pattern", "not understood");
  assert_config_refused (", \"rank_pattern\": {\"q_proj\": 0}", FORMAT, "adapter-rank", "rank_pattern");
  assert_config_refused (", \"rank_pattern\": [2]", FORMAT, "adapter-config", "rank_pattern");
  assert_config_refused (", \"alpha_pattern\": {\"q_proj\": \"x\"}", FORMAT, "adapter-alpha",
                         "alpha_pattern");
  /* an expression that tries every way to cut the name */
  assert_config_refused (", \"rank_pattern\": {\"(([a-z_.0-9]+)*)*[!?]\": 2}", UNSUPPORTED, "adapter-pattern",
                         "too long");
}

static StWriter *
weights_with (const char *name, guint n_dims)
{
  StWriter *w = make_weights ();
  st_writer_add (w, name, "F32", n_dims, (const guint64[]) { 2, 2, 2 });
  return w;
}

static void
test_peft_tensors (void)
{
  StWriter *w = st_writer_new ();
  st_writer_add (w, MODULE ".lora_A.weight", "F32", 2, (const guint64[]) { 2, 8 });
  assert_peft_refused (CONFIG (""), w, FORMAT, "adapter-pair", "blk.0.attn_q has no B");
  w = st_writer_new ();
  put_part (w, MODULE, 2, 3);
  assert_peft_refused (CONFIG (""), w, FORMAT, "adapter-rank", "A has rank 2, B has rank 3");
  w = st_writer_new ();
  put_part (w, MODULE, 0, 0);
  assert_peft_refused (CONFIG (""), w, FORMAT, "adapter-shape", "q_proj");
  assert_peft_refused (CONFIG (""), weights_with ("base_model.model.model.embed_tokens.lora_embedding_A", 2),
                       UNSUPPORTED, "adapter-embedding", "embedding");
  assert_peft_refused (CONFIG (""), weights_with (MODULE ".lora_magnitude_vector", 1), UNSUPPORTED,
                       "adapter-dora", "DoRA");
  assert_peft_refused (CONFIG (""), weights_with (MODULE ".lora_B.bias", 1), UNSUPPORTED, "adapter-bias",
                       "bias");
  assert_peft_refused (CONFIG (""), weights_with ("base_model.model.lm_head.weight", 2), UNSUPPORTED,
                       "adapter-modules", "lm_head.weight");
  assert_peft_refused (CONFIG (""),
                       weights_with ("base_model.model.model.layers.0.block_sparse.lora_A.weight", 2),
                       UNSUPPORTED, "adapter-module", "block_sparse");
  assert_peft_refused (CONFIG (""),
                       weights_with ("base_model.model.model.layers.1.mlp.up_proj.lora_A.weight", 3), FORMAT,
                       "adapter-shape", "3 dimensions");
  w = make_weights ();
  st_writer_add (w, "base_model.model.model.layers.1.mlp.up_proj.lora_A.weight", "F8_E4M3", 2,
                 (const guint64[]) { 2, 8 });
  assert_peft_refused (CONFIG (""), w, UNSUPPORTED, "safetensors-dtype", "F8_E4M3");
}

/* --- the condition --- */

static void
assert_list (const char *text, guint n, const char *path, float scale)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) list = assay_adapter_parse_list (text, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (list->len, ==, n);
  if (n == 0)
    return;
  const AssayAdapterEntry *last = g_ptr_array_index (list, n - 1);
  g_assert_cmpstr (last->path, ==, path);
  g_assert_cmpfloat (last->scale, ==, scale);
}

static void
test_list_entries (void)
{
  assert_list (NULL, 0, NULL, 0);
  assert_list ("", 0, NULL, 0);
  assert_list ("none", 0, NULL, 0);
  assert_list ("\n none \n\n", 0, NULL, 0);
  assert_list ("a.gguf", 1, "a.gguf", 1);
  assert_list ("a.gguf@0.5", 1, "a.gguf", 0.5f);
  assert_list ("a.gguf@-100", 1, "a.gguf", -100);
  assert_list ("a.gguf@1e-1\r\n/b c;d/e.gguf@2", 2, "/b c;d/e.gguf", 2);
  assert_list ("me@home/a.gguf", 1, "me@home/a.gguf", 1);
  assert_list ("me@2/a.gguf@0", 1, "me@2/a.gguf", 0);
  assert_list ("a;b", 1, "a;b", 1);
}

static void
test_list_takes_a_file_by_its_name (void)
{
  g_autofree char *path = g_build_filename (scratch, "lora@2", NULL);
  g_autofree char *scaled = g_strconcat (path, "@0.5", NULL), *cut = g_build_filename (scratch, "lora", NULL);
  assert_list (path, 1, cut, 2);
  g_assert_true (g_file_set_contents (path, "", 0, NULL));
  assert_list (path, 1, path, 1);
  assert_list (scaled, 1, path, 0.5f);
  g_remove (path);
}

static void
test_list_refusals (void)
{
  static const char *const bad[] = { "a@nan", "a@inf", "a@-inf",  "a@1e999", "a@100.5", "a@-101",
                                     "a@",    "a@0,5", "a@1.2.3", "@1",      "b\na@1e" };
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL;
      g_assert_null (assay_adapter_parse_list (bad[i], &error));
      g_assert_error (error, ASSAY_ENGINE_ERROR, ASSAY_ENGINE_ERROR_RULE);
      g_assert_cmpstr (assay_engine_error_get_reason (error), ==, "attached-components");
      g_assert_nonnull (strstr (error->message, "PATH@SCALE"));
      g_assert_nonnull (strstr (error->message, "PATH@1"));
    }
  g_autoptr (GString) many = g_string_new (NULL);
  for (guint i = 0; i < 65; i++)
    g_string_append (many, "a.gguf\n");
  g_assert_null (assay_adapter_parse_list (many->str, NULL));
}

int
main (int argc, char **argv)
{
  engine_fixture_init (&argc, &argv);
  scratch = g_dir_make_tmp ("assay-adapter-XXXXXX", NULL);
  g_assert_nonnull (scratch);
  g_test_add_func ("/adapter/gguf/opens with names, ranks and scales", test_gguf_opens);
  g_test_add_func ("/adapter/gguf/an alpha of 0 scales by one", test_gguf_alpha_zero);
  g_test_add_func ("/adapter/gguf/other kinds of file are refused by name", test_gguf_kind);
  g_test_add_func ("/adapter/gguf/alpha is a finite number", test_gguf_alpha);
  g_test_add_func ("/adapter/gguf/A without B is refused, and B without A", test_gguf_pairs);
  g_test_add_func ("/adapter/gguf/shapes and ranks that do not fit are refused", test_gguf_shapes);
  g_test_add_func ("/adapter/gguf/embeddings and norms are refused by name", test_gguf_others);
  g_test_add_func ("/adapter/peft/opens with names, ranks and scales", test_peft_opens);
  g_test_add_func ("/adapter/peft/rank-stabilized adapters divide by the root", test_peft_rank_stabilized);
  g_test_add_func ("/adapter/peft/a folder that lacks a file or a sound config is refused",
                   test_peft_missing_files);
  g_test_add_func ("/adapter/peft/settings that change what is computed are refused by name",
                   test_peft_settings);
  g_test_add_func ("/adapter/peft/rank and alpha are numbers within bounds", test_peft_numbers);
  g_test_add_func ("/adapter/peft/patterns are bounded", test_peft_patterns);
  g_test_add_func ("/adapter/peft/tensors that are no pair are refused by name", test_peft_tensors);
  g_test_add_func ("/adapter/list/paths and scales", test_list_entries);
  g_test_add_func ("/adapter/list/a file whose name ends in @NUMBER is taken by its name",
                   test_list_takes_a_file_by_its_name);
  g_test_add_func ("/adapter/list/what is no scale is refused", test_list_refusals);
  const int status = g_test_run ();
  g_autofree char *left = g_build_filename (scratch, "adapter.gguf", NULL);
  g_unlink (left);
  g_rmdir (scratch);
  g_free (scratch);
  return status;
}
