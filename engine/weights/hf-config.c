/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/hf-config.c: config.json's numbers as GGUF's keys.
 *
 * A key that is absent has the value that the model's class in transformers gives it, for what is saved may
 * leave defaults out; a key that is null is none. Keys that no class reads are ignored, as transformers does;
 * those that change the computation in a way that is not known here are refused by name. */
#include "hf-private.h"

#include <math.h>
#include <string.h>

enum
{
  MOST_LAYERS = 1024,
  MOST_HEADS = 1024,
  MOST_EMBD = 131072,
  MOST_FF = 1048576,
  MOST_VOCAB = 1 << 24
};

static const HfClass classes[] = {
  { "llama", "llama", 32000, 4096, 11008, 32, 32, 0, 0, 2048, 1e-6, 1e4, .half_split = TRUE },
  { "mistral", "llama", 32000, 4096, 14336, 32, 32, 8, 0, 131072, 1e-6, 1e4, .window = 4096,
    .half_split = TRUE },
  { "qwen2", "qwen2", 151936, 4096, 22016, 32, 32, 32, 0, 32768, 1e-6, 1e4, .window = 4096 },
  { "qwen3", "qwen3", 151936, 4096, 22016, 32, 32, 32, 128, 32768, 1e-6, 1e4, .window = 4096 },
  { "gemma2", "gemma2", 256000, 2304, 9216, 26, 8, 4, 256, 8192, 1e-6, 1e4, .tied = TRUE, .window = 4096,
    .attention_cap = 50, .output_cap = 30, .full_period = 2 },
  { "gemma3_text", "gemma3", 262208, 2304, 9216, 26, 8, 4, 256, 131072, 1e-6, 1e6, 1e4, .tied = TRUE,
    .window = 4096, .full_period = 6 },
  { "gpt2", "gpt2", 50257, 768, 0, 12, 12, 0, 0, 1024, 1e-5, .tied = TRUE },
  { "phi3", "phi3", 32064, 3072, 8192, 32, 32, 0, 0, 4096, 1e-5, 1e4 },
};

static gboolean
config_is (const HfTranslation *self, const char *architecture)
{
  return strcmp (self->class->architecture, architecture) == 0;
}

/* ---- which class ---- */

static gboolean
config_find_class (HfTranslation *self, const AssayJsonNode *type, GError **error)
{
  g_autoptr (GString) list = g_string_new ("gemma3");
  for (guint i = 0; i < G_N_ELEMENTS (classes); i++)
    {
      self->class = &classes[i];
      if (assay_json_node_is_text (type, self->class->model_type))
        return TRUE;
      g_string_append_printf (list, ", %s", self->class->model_type);
    }
  g_autofree char *shown = assay_json_node_dup_value (type);
  return assay_hf_fail (self->folder, ASSAY_ENGINE_ERROR_UNSUPPORTED, "hf-architecture", "config.json",
                        "model_type", error, "%s; this engine computes: %s. Choose another runtime or model",
                        shown, list->str);
}

/* gemma3 is a wrapper: images beside the model of language, which is described within. */
static gboolean
config_read_class (HfTranslation *self, GError **error)
{
  const AssayJsonNode *root = assay_json_tree_get_root (self->config), *type;
  self->model = root;
  if (!assay_hf_read_text (self, root, "model_type", &type, error))
    return FALSE;
  if (type == NULL)
    return assay_hf_fail (self->folder, ASSAY_ENGINE_ERROR_FORMAT, "hf-config-missing", "config.json",
                          "model_type", error,
                          "the key is missing; without it, nothing tells which model this is");
  if (!assay_json_node_is_text (type, "gemma3"))
    return config_find_class (self, type, error);
  self->model = assay_hf_find (self, root, "text_config");
  if (self->model == NULL || self->model->type != ASSAY_JSON_OBJECT)
    return assay_hf_fail (self->folder, ASSAY_ENGINE_ERROR_FORMAT, "hf-config-missing", "config.json",
                          "text_config", error, "the object that describes the model of language is missing");
  if (!assay_hf_read_text (self, self->model, "model_type", &type, error))
    return FALSE;
  for (guint i = 0; type == NULL && i < G_N_ELEMENTS (classes); i++)
    if (strcmp (classes[i].model_type, "gemma3_text") == 0)
      {
        self->class = &classes[i];
        return TRUE;
      }
  return config_find_class (self, type, error);
}

/* What the weights are for: a head that is no model of language is not there, or is not what it seems. */
static gboolean
config_check_heads (HfTranslation *self, GError **error)
{
  static const char *const known[] = { "ForCausalLM", "LMHeadModel", "ForConditionalGeneration", "Model" };
  const AssayJsonNode *root = assay_json_tree_get_root (self->config);
  const AssayJsonNode *list = assay_hf_find (self, root, "architectures");
  const AssayJsonNode *first = list != NULL ? assay_json_tree_first (self->config, list) : NULL;
  if (first == NULL)
    return TRUE;
  if (first->type != ASSAY_JSON_TEXT)
    return assay_hf_fail_type (self, first, "architectures", "a text", error);
  g_autofree char *name = assay_engine_escape (first->text.data, first->text.length);
  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (g_str_has_suffix (name, known[i]) && !g_str_has_suffix (name, "DoubleHeadsModel"))
      return TRUE;
  return assay_hf_unsupported (self, "architectures", error,
                               "%s answers with something else than text; choose another model", name);
}

/* Settings that change the computation, each with the only value that is computed here. */
static gboolean
config_check_settings (HfTranslation *self, GError **error)
{
  static const char *const off[] = { "is_encoder_decoder", "add_cross_attention",
                                     "use_bidirectional_attention", "scale_attn_by_inverse_layer_idx" };
  for (guint i = 0; i < G_N_ELEMENTS (off); i++)
    {
      gboolean value;
      if (!assay_hf_read_flag (self, self->model, off[i], FALSE, &value, error))
        return FALSE;
      if (value)
        return assay_hf_unsupported (
            self, off[i], error,
            "is true, which this engine does not compute; choose another runtime or model");
    }
  return TRUE;
}

static gboolean
config_check_quantization (HfTranslation *self, GError **error)
{
  const AssayJsonNode *root = assay_json_tree_get_root (self->config);
  const AssayJsonNode *node = assay_hf_find (self, root, "quantization_config");
  if (node == NULL)
    node = assay_hf_find (self, self->model, "quantization_config");
  if (node == NULL)
    return TRUE;
  const AssayJsonNode *method = assay_hf_find (self, node, "quant_method");
  if (assay_json_node_is_text (method, "bitsandbytes"))
    return TRUE; /* what each matrix is, its tensors tell */
  g_autofree char *shown = method != NULL ? assay_json_node_dup_value (method) : g_strdup ("not named");
  return assay_hf_fail (
      self->folder, ASSAY_ENGINE_ERROR_UNSUPPORTED, "hf-quantized", "config.json", "quantization_config",
      error,
      "the weights are quantized by a method (%s) that this engine does not read; choose the "
      "unquantized model, or a GGUF of it",
      shown);
}

static gboolean
config_check_activation (HfTranslation *self, GError **error)
{
  const gboolean is_gemma = g_str_has_prefix (self->class->architecture, "gemma"),
                 is_gpt2 = config_is (self, "gpt2");
  const char *key = is_gemma ? "hidden_activation" : is_gpt2 ? "activation_function" : "hidden_act";
  const AssayJsonNode *node;
  if (!assay_hf_read_text (self, self->model, key, &node, error))
    return FALSE;
  const gboolean known = is_gemma || is_gpt2 ? assay_json_node_is_text (node, "gelu_pytorch_tanh")
                                                   || assay_json_node_is_text (node, "gelu_new")
                                             : assay_json_node_is_text (node, "silu")
                                                   || assay_json_node_is_text (node, "swish");
  if (node == NULL || known)
    return TRUE;
  g_autofree char *shown = assay_json_node_dup_value (node);
  return assay_hf_unsupported (self, key, error,
                               "%s, but %s is computed with %s only; choose another runtime", shown,
                               self->class->architecture, is_gemma || is_gpt2 ? "gelu_pytorch_tanh" : "silu");
}

/* ---- sizes ---- */

static gboolean
config_put_sizes (HfTranslation *self, guint *n_embd, GError **error)
{
  const HfClass *c = self->class;
  const gboolean gpt2 = config_is (self, "gpt2");
  guint n_ff;
  double eps;
  if (!assay_hf_read_uint (self, self->model, gpt2 ? "n_positions" : "max_position_embeddings", 1, G_MAXINT32,
                           c->context_length, &self->context_length, error)
      || !assay_hf_read_uint (self, self->model, gpt2 ? "n_embd" : "hidden_size", 1, MOST_EMBD, c->n_embd,
                              n_embd, error)
      || !assay_hf_read_uint (self, self->model, gpt2 ? "n_layer" : "num_hidden_layers", 1, MOST_LAYERS,
                              c->n_layers, &self->n_layers, error)
      || !assay_hf_read_uint (self, self->model, gpt2 ? "n_inner" : "intermediate_size", 1, MOST_FF,
                              gpt2 ? 4 * *n_embd : c->n_ff, &n_ff, error)
      || !assay_hf_read_uint (self, self->model, "vocab_size", 1, MOST_VOCAB, c->n_vocab, &self->n_vocab,
                              error)
      || !assay_hf_read_real (self, self->model, gpt2 ? "layer_norm_epsilon" : "rms_norm_eps", 0, 1,
                              c->norm_eps, &eps, error))
    return FALSE;
  assay_hf_put_uint (self, "embedding_length", *n_embd);
  assay_hf_put_uint (self, "block_count", self->n_layers);
  assay_hf_put_uint (self, "feed_forward_length", n_ff);
  assay_hf_put_uint (self, "vocab_size", self->n_vocab);
  assay_hf_put_real (self, gpt2 ? "attention.layer_norm_epsilon" : "attention.layer_norm_rms_epsilon", eps);
  return TRUE;
}

/* A class' own number of key and value heads holds when the key is absent; null is as many as heads. */
static gboolean
config_put_heads (HfTranslation *self, guint n_embd, GError **error)
{
  const HfClass *c = self->class;
  const gboolean gpt2 = config_is (self, "gpt2");
  const gboolean absent = assay_json_tree_find (self->config, self->model, "num_key_value_heads") == NULL;
  const char *heads = gpt2 ? "n_head" : "num_attention_heads";
  guint n_kv;
  if (!assay_hf_read_uint (self, self->model, heads, 1, MOST_HEADS, c->n_heads, &self->n_heads, error)
      || !assay_hf_read_uint (self, self->model, "num_key_value_heads", 1, MOST_HEADS,
                              absent && c->n_kv_heads > 0 ? c->n_kv_heads : self->n_heads, &n_kv, error)
      || !assay_hf_read_uint (self, self->model, "head_dim", 2, 4096,
                              c->head_dim > 0 ? c->head_dim : n_embd / self->n_heads, &self->head_dim, error))
    return FALSE;
  const gboolean given = c->head_dim > 0 || assay_hf_find (self, self->model, "head_dim") != NULL;
  if (!given && n_embd % self->n_heads != 0)
    return assay_hf_fail (self->folder, ASSAY_ENGINE_ERROR_FORMAT, "hf-config-mismatch", "config.json", heads,
                          error, "%u heads do not divide the %u elements of the hidden size", self->n_heads,
                          n_embd);
  if (self->n_heads % n_kv != 0)
    return assay_hf_fail (self->folder, ASSAY_ENGINE_ERROR_FORMAT, "hf-config-mismatch", "config.json",
                          "num_key_value_heads", error, "%u heads are no multiple of %u", self->n_heads,
                          n_kv);
  assay_hf_put_uint (self, "attention.head_count", self->n_heads);
  if (gpt2)
    return TRUE;
  assay_hf_put_uint (self, "attention.head_count_kv", n_kv);
  assay_hf_put_uint (self, "attention.key_length", self->head_dim);
  assay_hf_put_uint (self, "attention.value_length", self->head_dim);
  return TRUE;
}

/* ---- attention ---- */

/* fallback: of an absent key; null is none. 0 is written, for a GGUF that is silent has the family's cap. */
static gboolean
config_put_cap (HfTranslation *self, const char *key, double fallback, GError **error)
{
  const gboolean absent = assay_json_tree_find (self->config, self->model, key) == NULL;
  double cap;
  if (!assay_hf_read_real (self, self->model, key, 0, 1e6, absent ? fallback : 0, &cap, error))
    return FALSE;
  if (cap > 0 || fallback > 0)
    assay_hf_put_real (self, key, cap); /* GGUF's word is the same */
  return TRUE;
}

static gboolean
config_put_scale (HfTranslation *self, GError **error)
{
  gboolean scaled;
  double scalar;
  if (!assay_hf_read_flag (self, self->model, "scale_attn_weights", TRUE, &scaled, error))
    return FALSE;
  if (config_is (self, "gpt2") && !scaled)
    assay_hf_put_real (self, "attention.scale", 1);
  if (!g_str_has_prefix (self->class->architecture, "gemma"))
    return TRUE;
  if (!assay_hf_read_real (self, self->model, "query_pre_attn_scalar", 0, 1e6, 256, &scalar, error))
    return FALSE;
  assay_hf_put_real (self, "attention.scale", 1 / sqrt (scalar));
  return config_put_cap (self, "attn_logit_softcapping", self->class->attention_cap, error)
         && config_put_cap (self, "final_logit_softcapping", self->class->output_cap, error);
}

gboolean
assay_hf_translate_config (HfTranslation *self, GError **error)
{
  guint n_embd;
  if (!config_read_class (self, error) || !config_check_heads (self, error)
      || !config_check_quantization (self, error) || !config_check_settings (self, error)
      || !config_check_activation (self, error))
    return FALSE;
  g_autofree char *name = g_path_get_basename (self->folder->path);
  assay_gguf_build_text (self->out, "general.architecture", self->class->architecture, -1);
  assay_gguf_build_text (self->out, "general.name", name, -1);
  if (!config_put_sizes (self, &n_embd, error) || !config_put_heads (self, n_embd, error)
      || !config_put_scale (self, error))
    return FALSE;
  /* The wrapper's own word on it is what transformers ties by. */
  const AssayJsonNode *root = assay_json_tree_get_root (self->config);
  if (!assay_hf_read_flag (self, root, "tie_word_embeddings", self->class->tied, &self->tied, error)
      || !assay_hf_translate_windows (self, error)
      || (!config_is (self, "gpt2") && !assay_hf_translate_rope (self, error)))
    return FALSE;
  assay_hf_put_uint (self, "context_length", self->context_length); /* which rotation may have stretched */
  return TRUE;
}
