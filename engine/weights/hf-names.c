/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/hf-names.c: the names that Hugging Face's models give their tensors, in GGUF's words.
 *
 * One name may mean two things: post_attention_layernorm comes before the feed-forward part in llama and
 * after attention in gemma. So each row says for which families it holds. */
#include "hf-private.h"

#include <string.h>

enum
{
  LLAMA = 1, /* and mistral */
  QWEN2 = 2,
  QWEN3 = 4,
  GEMMA2 = 8,
  GEMMA3 = 16,
  PHI3 = 32,
  GPT2 = 64,
  GEMMAS = GEMMA2 | GEMMA3,
  SEPARATE = LLAMA | QWEN2 | QWEN3 | GEMMAS, /* one matrix each for q, k, v, gate and up */
  ROTARY = SEPARATE | PHI3,
};

typedef struct
{
  guint families;
  const char *from, *to;
} HfName;

static const HfName in_layer[] = {
  { ROTARY, "input_layernorm", "attn_norm" },
  { SEPARATE, "self_attn.q_proj", "attn_q" },
  { SEPARATE, "self_attn.k_proj", "attn_k" },
  { SEPARATE, "self_attn.v_proj", "attn_v" },
  { PHI3, "self_attn.qkv_proj", "attn_qkv" },
  { ROTARY, "self_attn.o_proj", "attn_output" },
  { QWEN3 | GEMMA3, "self_attn.q_norm", "attn_q_norm" },
  { QWEN3 | GEMMA3, "self_attn.k_norm", "attn_k_norm" },
  { ROTARY & ~GEMMAS, "post_attention_layernorm", "ffn_norm" },
  { GEMMAS, "post_attention_layernorm", "post_attention_norm" },
  { GEMMAS, "pre_feedforward_layernorm", "ffn_norm" },
  { GEMMAS, "post_feedforward_layernorm", "post_ffw_norm" },
  { SEPARATE, "mlp.gate_proj", "ffn_gate" },
  { SEPARATE, "mlp.up_proj", "ffn_up" },
  { PHI3, "mlp.gate_up_proj", "ffn_up" }, /* GGUF's phi3 has both in ffn_up too, the gate first */
  { ROTARY, "mlp.down_proj", "ffn_down" },
  { GPT2, "ln_1", "attn_norm" },
  { GPT2, "attn.c_attn", "attn_qkv" },
  { GPT2, "attn.c_proj", "attn_output" },
  { GPT2, "ln_2", "ffn_norm" },
  { GPT2, "mlp.c_fc", "ffn_up" },
  { GPT2, "mlp.c_proj", "ffn_down" },
};

static const HfName outside[] = {
  { ROTARY, "embed_tokens", "token_embd" },
  { ROTARY, "norm", "output_norm" },
  { GPT2, "wte", "token_embd" },
  { GPT2, "wpe", "position_embd" },
  { GPT2, "ln_f", "output_norm" },
  { ROTARY | GPT2, "lm_head", "output" },
};

static guint
names_family (const char *architecture)
{
  static const struct
  {
    const char *name;
    guint family;
  } families[] = {
    { "llama", LLAMA },   { "mistral", LLAMA }, { "qwen2", QWEN2 }, { "qwen3", QWEN3 },
    { "gemma2", GEMMA2 }, { "gemma3", GEMMA3 }, { "phi3", PHI3 },   { "gpt2", GPT2 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (families); i++)
    if (strcmp (architecture, families[i].name) == 0)
      return families[i].family;
  return 0;
}

/* The name without what the classes around the model put before it. */
static const char *
names_skip_prefix (const char *name)
{
  static const char *const prefixes[]
      = { "model.language_model.", "language_model.model.", "language_model.", "model.", "transformer." };
  for (guint i = 0; i < G_N_ELEMENTS (prefixes); i++)
    if (g_str_has_prefix (name, prefixes[i]))
      return name + strlen (prefixes[i]);
  return name;
}

/* What follows the row's name: "", ".weight" or ".bias"; NULL: it is another tensor. */
static const char *
names_suffix (const char *name, const char *from)
{
  if (!g_str_has_prefix (name, from))
    return NULL;
  const char *rest = name + strlen (from);
  return *rest == '\0' || strcmp (rest, ".weight") == 0 || strcmp (rest, ".bias") == 0 ? rest : NULL;
}

static const char *
names_find (const HfName *rows, guint n_rows, guint family, const char *name, const char **suffix)
{
  for (guint i = 0; i < n_rows; i++)
    if ((rows[i].families & family) != 0 && (*suffix = names_suffix (name, rows[i].from)) != NULL)
      return rows[i].to;
  return NULL;
}

/* "layers.7.mlp…" or "h.7.mlp…": the layer, and *rest after it; -1: no such. */
static gint
names_layer (const char *name, guint family, const char **rest)
{
  const char *list = family == GPT2 ? "h." : "layers.";
  if (!g_str_has_prefix (name, list))
    return -1;
  const char *digits = name + strlen (list);
  const gsize n = strspn (digits, "0123456789");
  if (n == 0 || n > 5 || digits[n] != '.' || (n > 1 && digits[0] == '0'))
    return -1;
  *rest = digits + n + 1;
  return (gint)g_ascii_strtoull (digits, NULL, 10);
}

char *
assay_hf_dup_canonical_name (const char *architecture, const char *hf_name)
{
  g_return_val_if_fail (architecture != NULL && hf_name != NULL, NULL);
  const guint family = names_family (architecture);
  const char *name = names_skip_prefix (hf_name), *rest = NULL, *suffix = NULL;
  const gint layer = names_layer (name, family, &rest);
  if (layer < 0)
    {
      const char *to = names_find (outside, G_N_ELEMENTS (outside), family, name, &suffix);
      return to != NULL ? g_strconcat (to, suffix, NULL) : NULL;
    }
  const char *to = names_find (in_layer, G_N_ELEMENTS (in_layer), family, rest, &suffix);
  return to != NULL ? g_strdup_printf ("blk.%d.%s%s", layer, to, suffix) : NULL;
}

/* Buffers that old files carry: the computation makes its own. */
static gboolean
names_is_buffer (guint family, const char *name)
{
  if (family == GPT2)
    return g_str_has_suffix (name, ".attn.bias") || g_str_has_suffix (name, ".attn.masked_bias");
  return g_str_has_suffix (name, "rotary_emb.inv_freq");
}

/* Parts that see images, beside the model of language. */
static gboolean
names_is_vision (guint family, const char *name)
{
  static const char *const parts[] = { "vision_tower.", "multi_modal_projector." };
  const char *bare = g_str_has_prefix (name, "model.") ? name + strlen ("model.") : name;
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    if (family == GEMMA3 && g_str_has_prefix (bare, parts[i]))
      return TRUE;
  return FALSE;
}

static guint
names_change (guint family, const char *canonical, const AssayHfTensor *tensor)
{
  if ((family & GEMMAS) != 0 && g_str_has_suffix (canonical, "norm.weight"))
    return ASSAY_CHANGE_ADD_ONE;
  /* Conv1D: [in, out]; of the matrices, only the two tables are stored as everybody else does. */
  if (family == GPT2 && g_str_has_prefix (canonical, "blk.") && tensor->n_dims == 2
      && !assay_dtype_info (tensor->dtype)->whole) /* quantizing turned it already */
    return ASSAY_CHANGE_TRANSPOSE;
  return ASSAY_CHANGE_NONE;
}

gboolean
assay_hf_translate_names (const AssayHfFolder *folder, const char *architecture, AssayHfNames *names)
{
  const guint family = names_family (architecture);
  guint n_vision = 0;
  gboolean has_output = FALSE;
  for (guint i = 0; i < folder->n_tensors; i++)
    {
      g_autofree char *name = g_strndup (folder->tensors[i].name.data, folder->tensors[i].name.length);
      const gboolean is_vision = names_is_vision (family, name);
      n_vision += is_vision;
      if (is_vision || names_is_buffer (family, name))
        continue;
      g_autofree char *canonical = assay_hf_dup_canonical_name (architecture, name);
      has_output = has_output || g_strcmp0 (canonical, "output.weight") == 0;
      if (canonical == NULL) /* kept under its own name, which the model's configuration will not know */
        assay_hf_names_set (names, i, name, ASSAY_CHANGE_NONE);
      else
        assay_hf_names_set (names, i, canonical, names_change (family, canonical, &folder->tensors[i]));
    }
  if (n_vision > 0)
    assay_hf_names_notice (names, "%u tensors see images; only the model of language is used", n_vision);
  return has_output;
}
