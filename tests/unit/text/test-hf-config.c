/* SPDX-License-Identifier: GPL-3.0-or-later */
/* config.json and tensor names: what transformers' own classes and the gguf package say of them. */
#include "hf-folder.h"
#include "weights/hf-translate.h"

#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>

/* Bytes of a byte each would do, but one token is enough to open a folder. */
#define TOKENIZER                                                                                            \
  "{\"model\": {\"type\": \"BPE\", \"vocab\": {\"a\": 0}, \"merges\": []},"                                  \
  " \"pre_tokenizer\": {\"type\": \"ByteLevel\", \"add_prefix_space\": false}, \"decoder\": {\"type\": "     \
  "\"ByteLevel\"}}"

static JsonNode *
load_fixture (const char *name)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = g_build_filename (g_getenv ("ASSAY_TEST_DATA"), "hf-config", name, NULL);
  g_autoptr (JsonParser) parser = json_parser_new_immutable ();
  json_parser_load_from_file (parser, path, &error);
  g_assert_no_error (error);
  JsonNode *root = json_node_ref (json_parser_get_root (parser));
  g_test_message ("%s", json_object_get_string_member (json_node_get_object (root), "made_by"));
  return root;
}

/* ---- configuration ---- */

static void
assert_number (AssayModelFile *file, const char *key, double wanted)
{
  double seen;
  if (!assay_model_file_get_real (file, key, &seen))
    g_error ("%s is no number, but must be %g", key, wanted);
  if (fabs (seen - wanted) > 1e-6 * fabs (wanted))
    g_error ("%s is %.9g, but must be %.9g", key, seen, wanted);
}

static void
assert_array (AssayModelFile *file, const char *key, JsonArray *wanted)
{
  enum
  {
    F32 = 6,
    BOOL = 7
  };
  guint type;
  guint64 length;
  if (!assay_model_file_get_array (file, key, &type, &length) || length != json_array_get_length (wanted))
    g_error ("%s is no list of %u", key, json_array_get_length (wanted));
  const guint8 *data = assay_model_file_get_array_data (file, key);
  for (guint i = 0; i < length; i++)
    if (json_node_get_value_type (json_array_get_element (wanted, i)) == G_TYPE_BOOLEAN)
      {
        g_assert_cmpuint (type, ==, BOOL);
        if (data[i] != json_array_get_boolean_element (wanted, i))
          g_error ("%s: entry %u is %u", key, i, data[i]);
      }
    else
      {
        float value;
        g_assert_cmpuint (type, ==, F32);
        memcpy (&value, data + 4 * (gsize)i, sizeof value);
        g_assert_cmpfloat_with_epsilon (value, json_array_get_double_element (wanted, i), 1e-5);
      }
}

static void
assert_text (AssayModelFile *file, const char *key, const char *wanted)
{
  AssayBytes seen;
  g_assert_true (assay_model_file_get_string (file, key, &seen));
  g_autofree char *text = g_strndup (seen.data, seen.length);
  g_assert_cmpstr (text, ==, wanted);
}

static void
assert_key (AssayModelFile *file, const char *key, JsonNode *wanted)
{
  gboolean flag;
  if (JSON_NODE_HOLDS_NULL (wanted))
    {
      if (assay_model_file_has (file, key))
        g_error ("%s is there, but must not be", key);
    }
  else if (JSON_NODE_HOLDS_ARRAY (wanted))
    assert_array (file, key, json_node_get_array (wanted));
  else if (json_node_get_value_type (wanted) == G_TYPE_STRING)
    assert_text (file, key, json_node_get_string (wanted));
  else if (json_node_get_value_type (wanted) == G_TYPE_BOOLEAN)
    {
      g_assert_true (assay_model_file_get_bool (file, key, &flag));
      g_assert_cmpint (flag, ==, json_node_get_boolean (wanted));
    }
  else
    assert_number (file, key, json_node_get_double (wanted));
}

static void
set_config (HfFolder *folder, JsonNode *config)
{
  static const char *const names[] = { "lm_head.weight", NULL };
  g_autofree char *text = json_to_string (config, FALSE);
  hf_folder_set (folder, "config.json", text, -1);
  hf_folder_set (folder, "tokenizer.json", TOKENIZER, -1);
  hf_folder_set_weights (folder, names, 1);
}

static void
test_configurations (void)
{
  g_autoptr (JsonNode) root = load_fixture ("cases.json");
  JsonArray *cases = json_object_get_array_member (json_node_get_object (root), "cases");
  g_assert_cmpuint (json_array_get_length (cases), >, 50);
  for (guint i = 0; i < json_array_get_length (cases); i++)
    {
      JsonObject *row = json_array_get_object_element (cases, i);
      JsonObject *wanted = json_object_get_object_member (row, "expected");
      g_auto (HfFolder) folder = { 0 };
      g_autoptr (GError) error = NULL;
      g_test_message ("%s", json_object_get_string_member (row, "name"));
      hf_folder_init (&folder);
      set_config (&folder, json_object_get_member (row, "config"));
      g_autoptr (AssayModelFile) file = hf_folder_open (&folder, &error);
      g_assert_no_error (error);
      g_autoptr (GList) keys = json_object_get_members (wanted);
      for (GList *key = keys; key != NULL; key = key->next)
        assert_key (file, key->data, json_object_get_member (wanted, key->data));
    }
}

/* ---- names ---- */

static const AssayTensorInfo *
find_by_own_name (AssayModelFile *file, const char *name)
{
  for (guint i = 0; i < assay_model_file_get_n_tensors (file); i++)
    {
      const AssayTensorInfo *tensor = assay_model_file_get_tensor (file, i);
      if (tensor->name.length == strlen (name) && memcmp (tensor->name.data, name, tensor->name.length) == 0)
        return tensor;
    }
  return NULL;
}

static void
assert_names (AssayModelFile *file, JsonArray *rows)
{
  for (guint i = 0; i < json_array_get_length (rows); i++)
    {
      JsonArray *row = json_array_get_array_element (rows, i);
      const char *name = json_array_get_string_element (row, 0),
                 *wanted = json_array_get_string_element (row, 1);
      const AssayTensorInfo *tensor = find_by_own_name (file, name);
      if (*wanted == '\0') /* sees images */
        {
          g_assert_null (tensor);
          continue;
        }
      if (tensor == NULL)
        g_error ("%s is lost", name);
      g_autofree char *seen = g_strndup (tensor->canonical.data, tensor->canonical.length);
      g_assert_cmpstr (seen, ==, wanted);
      const guint change = (json_array_get_boolean_element (row, 2) ? ASSAY_CHANGE_TRANSPOSE : 0)
                           | (json_array_get_boolean_element (row, 3) ? ASSAY_CHANGE_ADD_ONE : 0);
      if (tensor->change != change)
        g_error ("%s: changed by %u, but must be by %u", name, tensor->change, change);
    }
}

static void
test_names (void)
{
  g_autoptr (JsonNode) root = load_fixture ("names.json");
  JsonArray *models = json_object_get_array_member (json_node_get_object (root), "models");
  for (guint i = 0; i < json_array_get_length (models); i++)
    {
      JsonObject *model = json_array_get_object_element (models, i);
      JsonArray *rows = json_object_get_array_member (model, "tensors");
      g_autoptr (GPtrArray) names = g_ptr_array_new ();
      g_auto (HfFolder) folder = { 0 };
      g_autoptr (GError) error = NULL;
      for (guint k = 0; k < json_array_get_length (rows); k++)
        g_ptr_array_add (names,
                         (gpointer)json_array_get_string_element (json_array_get_array_element (rows, k), 0));
      g_ptr_array_add (names, NULL);
      g_autofree char *config = g_strdup_printf ("{\"model_type\": \"%s\", \"text_config\": {}}",
                                                 json_object_get_string_member (model, "model_type"));
      hf_folder_init (&folder);
      hf_folder_set (&folder, "config.json", config, -1);
      hf_folder_set (&folder, "tokenizer.json", TOKENIZER, -1);
      hf_folder_set_weights (&folder, (const char *const *)names->pdata, 2);
      g_autoptr (AssayModelFile) file = hf_folder_open (&folder, &error);
      g_assert_no_error (error);
      assert_names (file, rows);
    }
}

static void
test_prefixes (void)
{
  static const struct
  {
    const char *architecture, *from, *to;
  } rows[] = {
    { "llama", "layers.0.self_attn.q_proj.weight", "blk.0.attn_q.weight" },
    { "mistral", "model.layers.31.self_attn.q_proj", "blk.31.attn_q" },
    { "gemma3", "language_model.model.layers.5.mlp.down_proj.weight", "blk.5.ffn_down.weight" },
    { "gemma3", "model.language_model.layers.5.self_attn.q_norm.weight", "blk.5.attn_q_norm.weight" },
    { "gemma3", "language_model.lm_head.weight", "output.weight" },
    { "gpt2", "transformer.h.7.attn.c_attn.bias", "blk.7.attn_qkv.bias" },
    { "gpt2", "h.7.attn.c_attn.weight", "blk.7.attn_qkv.weight" },
    { "phi3", "model.layers.1.mlp.gate_up_proj.weight", "blk.1.ffn_up.weight" },
    { "llama", "model.layers.01.self_attn.q_proj.weight", NULL },
    { "llama", "model.layers.1.self_attn.q_norm.weight", NULL },
    { "llama", "model.layers.1.self_attn.q_proj.weight_scale", NULL },
    { "llama", "model.layers.1.mlp.experts.0.w1.weight", NULL },
    { "llama", "model.layers.123456.mlp.up_proj.weight", NULL },
    { "bert", "model.layers.1.mlp.up_proj.weight", NULL },
    { "llama", "", NULL },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *seen = assay_hf_dup_canonical_name (rows[i].architecture, rows[i].from);
      g_assert_cmpstr (seen, ==, rows[i].to);
    }
}

/* Buffers of old files are no part of the model; a name that nobody knows stays, for the configuration to
 * refuse. */
static void
test_strangers (void)
{
  static const char *const names[]
      = { "model.embed_tokens.weight", "lm_head.weight", "model.layers.0.self_attn.rotary_emb.inv_freq",
          "model.layers.0.mlp.router.weight", NULL };
  static const char *const old[] = { "wte.weight", "h.0.attn.bias", "h.0.attn.masked_bias", NULL };
  g_auto (HfFolder) folder = { 0 };
  g_autoptr (GError) error = NULL;
  hf_folder_init (&folder);
  hf_folder_set_model (&folder, "llama", 4);
  hf_folder_set (&folder, "tokenizer.json", TOKENIZER, -1);
  hf_folder_set_weights (&folder, names, 4);
  g_autoptr (AssayModelFile) file = hf_folder_open (&folder, &error);
  g_assert_no_error (error);
  g_assert_null (find_by_own_name (file, names[2]));
  g_assert_nonnull (assay_model_file_find_tensor (file, names[3]));
  hf_folder_set_model (&folder, "gpt2", 4);
  hf_folder_set_weights (&folder, old, 4);
  g_autoptr (AssayModelFile) gpt2 = hf_folder_open (&folder, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (assay_model_file_get_n_tensors (gpt2), ==, 1);
}

/* ---- refusals ---- */

typedef struct
{
  const char *config;
  AssayEngineError code;
  const char *reason, *said;
} Refusal;

static void
assert_refused (const Refusal *row)
{
  g_auto (HfFolder) folder = { 0 };
  g_autoptr (GError) error = NULL;
  static const char *const names[] = { "model.embed_tokens.weight", NULL };
  hf_folder_init (&folder);
  hf_folder_set (&folder, "config.json", row->config, -1);
  hf_folder_set (&folder, "tokenizer.json", TOKENIZER, -1);
  hf_folder_set_weights (&folder, names, 4);
  g_autoptr (AssayModelFile) file = hf_folder_open (&folder, &error);
  if (file != NULL)
    g_error ("loads, but must be refused: %s", row->config);
  g_assert_error (error, ASSAY_ENGINE_ERROR, (gint)row->code);
  if (strcmp (assay_engine_error_get_reason (error), row->reason) != 0
      || strstr (error->message, row->said) == NULL)
    g_error ("refused as %s (%s), but must be as %s and say '%s'", assay_engine_error_get_reason (error),
             error->message, row->reason, row->said);
}

#define FORMAT ASSAY_ENGINE_ERROR_FORMAT
#define UNSUPPORTED ASSAY_ENGINE_ERROR_UNSUPPORTED
#define LLAMA(more) "{\"model_type\": \"llama\", \"tie_word_embeddings\": true, " more "}"

static void
test_refusals (void)
{
  static const Refusal rows[] = {
    { "{}", FORMAT, "hf-config-missing", "model_type" },
    { "[]", FORMAT, "hf-json", "not a JSON object" },
    { "{\"model_type\": 7}", FORMAT, "hf-config-type", "model_type" },
    { "{\"model_type\": \"mixtral\"}", UNSUPPORTED, "hf-architecture",
      "\"mixtral\"; this engine computes: gemma3, llama" },
    { "{\"model_type\": \"gemma3\"}", FORMAT, "hf-config-missing", "text_config" },
    { "{\"model_type\": \"gemma3\", \"text_config\": []}", FORMAT, "hf-config-missing", "text_config" },
    { "{\"model_type\": \"llama\"}", FORMAT, "hf-config-mismatch", "tie_word_embeddings: the output matrix" },
    { LLAMA ("\"hidden_size\": 0"), FORMAT, "hf-config-range", "hidden_size: is 0; from 1 to 131072" },
    { LLAMA ("\"hidden_size\": -1"), FORMAT, "hf-config-range", "hidden_size: is -1" },
    { LLAMA ("\"hidden_size\": 64.5"), FORMAT, "hf-config-type",
      "hidden_size: is 64.5 instead of a whole number" },
    { LLAMA ("\"hidden_size\": \"64\""), FORMAT, "hf-config-type", "hidden_size: is \"64\"" },
    { LLAMA ("\"hidden_size\": 99999999999999999999"), FORMAT, "hf-config-type", "hidden_size" },
    { LLAMA ("\"num_hidden_layers\": 4294967295"), FORMAT, "hf-config-range", "num_hidden_layers" },
    { LLAMA ("\"num_attention_heads\": 0"), FORMAT, "hf-config-range", "num_attention_heads" },
    { LLAMA ("\"num_attention_heads\": 33"), FORMAT, "hf-config-mismatch",
      "33 heads do not divide the 4096" },
    { LLAMA ("\"num_key_value_heads\": 5"), FORMAT, "hf-config-mismatch", "32 heads are no multiple of 5" },
    { LLAMA ("\"head_dim\": 63"), FORMAT, "hf-config-mismatch", "even" },
    { LLAMA ("\"rms_norm_eps\": 0"), FORMAT, "hf-config-range", "rms_norm_eps" },
    { LLAMA ("\"rms_norm_eps\": 1e400"), FORMAT, "hf-config-range", "rms_norm_eps" },
    { LLAMA ("\"rope_theta\": -1"), FORMAT, "hf-config-range", "rope_theta" },
    { LLAMA ("\"vocab_size\": 16777217"), FORMAT, "hf-config-range", "vocab_size" },
    { LLAMA ("\"hidden_act\": \"relu\""), UNSUPPORTED, "hf-variant", "hidden_act: \"relu\"" },
    { LLAMA ("\"partial_rotary_factor\": 0.5"), UNSUPPORTED, "hf-variant", "partial_rotary_factor: is 0.5" },
    { LLAMA ("\"is_encoder_decoder\": true"), UNSUPPORTED, "hf-variant", "is_encoder_decoder" },
    { LLAMA ("\"architectures\": [\"LlamaForSequenceClassification\"]"), UNSUPPORTED, "hf-variant",
      "LlamaForSequenceClassification" },
    { LLAMA ("\"quantization_config\": {\"quant_method\": \"gptq\"}"), UNSUPPORTED, "hf-quantized",
      "\"gptq\"" },
    { LLAMA ("\"rope_scaling\": {\"type\": \"ntk-by-parts\", \"factor\": 2}"), UNSUPPORTED, "hf-variant",
      "rope_scaling: type \"ntk-by-parts\"" },
    { LLAMA ("\"rope_scaling\": [1]"), FORMAT, "hf-config-type", "rope_scaling" },
    { LLAMA ("\"rope_scaling\": {\"type\": \"linear\"}"), FORMAT, "hf-config-missing", "factor" },
    { LLAMA ("\"rope_scaling\": {\"type\": \"linear\", \"factor\": 0}"), FORMAT, "hf-config-range",
      "factor" },
    { LLAMA ("\"rope_scaling\": {\"type\": \"llama3\", \"factor\": 8, \"low_freq_factor\": 4}"), FORMAT,
      "hf-config-missing", "high_freq_factor" },
    { LLAMA ("\"rope_scaling\": {\"type\": \"llama3\", \"factor\": 8, \"low_freq_factor\": 4, "
             "\"high_freq_factor\": 4}"),
      FORMAT, "hf-config-mismatch", "high_freq_factor" },
    { LLAMA ("\"rope_scaling\": {\"type\": \"longrope\", \"short_factor\": [1, 2]}"), FORMAT,
      "hf-config-mismatch", "2 divisors for 64 pairs" },
    { LLAMA ("\"rope_scaling\": {\"type\": \"longrope\"}"), FORMAT, "hf-config-missing", "short_factor" },
    { LLAMA ("\"rope_parameters\": {\"full_attention\": {}}"), UNSUPPORTED, "hf-variant", "gemma3 only" },
    { "{\"model_type\": \"gemma2\", \"layer_types\": [\"full_attention\"]}", FORMAT, "hf-config-mismatch",
      "1 types for 26 layers" },
    { "{\"model_type\": \"gemma2\", \"num_hidden_layers\": 1, \"layer_types\": [\"linear_attention\"]}",
      UNSUPPORTED, "hf-variant", "\"linear_attention\"" },
    { "{\"model_type\": \"gemma2\", \"use_bidirectional_attention\": true}", UNSUPPORTED, "hf-variant",
      "use_bidirectional_attention" },
    { "{\"model_type\": \"gpt2\", \"activation_function\": \"relu\"}", UNSUPPORTED, "hf-variant",
      "activation_function" },
    { "{\"model_type\": \"gpt2\", \"scale_attn_by_inverse_layer_idx\": true}", UNSUPPORTED, "hf-variant",
      "scale_attn_by_inverse_layer_idx" },
    { LLAMA ("\"a\": NaN"), FORMAT, "hf-json", "config.json" },
    { LLAMA ("\"a\": 1, \"a\": 2"), FORMAT, "hf-json", "config.json" },
    { LLAMA ("\"a\": 1") " x", FORMAT, "hf-json", "config.json" },
    { "", FORMAT, "hf-json", "config.json" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    assert_refused (&rows[i]);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/weights/hf/configuration-as-its-class-reads-it", test_configurations);
  g_test_add_func ("/weights/hf/names-and-changes-as-gguf-has-them", test_names);
  g_test_add_func ("/weights/hf/names-below-every-prefix", test_prefixes);
  g_test_add_func ("/weights/hf/buffers-are-left-out-and-strangers-are-not", test_strangers);
  g_test_add_func ("/weights/hf/configurations-that-are-refused", test_refusals);
  return g_test_run ();
}
