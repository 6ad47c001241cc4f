/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/models/config-tensors.c: the tensors a family needs, and no others.
 *
 * Every weight the graph will read is there with the shape the numbers ask for, in a format that can be
 * computed; a tensor that would stay unused is refused too, for it may be part of the computation. */
#include "config-private.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <string.h>

enum { NAMED = 5, GROUPS_NAMED = 6, GROUPED = 100000 }; /* tensors looked at for a message */

/* Sizes of a tensor, as the model's numbers give them. */
typedef enum
{
  ONE, EMBD, VOCAB, POSITIONS, PAIRS, HEAD, Q, K, V, QKV, ATTENDED, FF, GATE_UP, N_SIZES,
} TensorSize;

typedef enum
{
  REQUIRED, OPTIONAL,
  ALIKE,    /* one of these makes all of them required: the graph adds them in every layer or in none */
  DIVISORS, /* optional, and float32: read on the host */
} TensorNeed;

typedef struct { const char *name; TensorSize fast, slow; guint families; TensorNeed need; } TensorWanted;

/* Before and after the layers; token_embd comes first, for the vocabulary's size. */
static const TensorWanted outside[] = {
  { "token_embd.weight", EMBD, VOCAB, ALL_FAMILIES, REQUIRED },
  { "position_embd.weight", EMBD, POSITIONS, GPT2, REQUIRED },
  { "output_norm.weight", EMBD, ONE, ALL_FAMILIES, REQUIRED },
  { "output_norm.bias", EMBD, ONE, GPT2, REQUIRED },
  { "output.weight", EMBD, VOCAB, ALL_FAMILIES, OPTIONAL },
  { "rope_freqs.weight", PAIRS, ONE, LLAMA | QWEN, DIVISORS },
  { "rope_factors_long.weight", PAIRS, ONE, LLAMA | PHI3, DIVISORS },
  { "rope_factors_short.weight", PAIRS, ONE, LLAMA | PHI3, DIVISORS },
};

static const TensorWanted in_layer[] = {
  { "attn_norm.weight", EMBD, ONE, ALL_FAMILIES, REQUIRED },
  { "attn_norm.bias", EMBD, ONE, GPT2, REQUIRED },
  { "attn_q.weight", EMBD, Q, ALL_FAMILIES & ~(GPT2 | PHI3), REQUIRED },
  { "attn_k.weight", EMBD, K, ALL_FAMILIES & ~(GPT2 | PHI3), REQUIRED },
  { "attn_v.weight", EMBD, V, ALL_FAMILIES & ~(GPT2 | PHI3), REQUIRED },
  { "attn_q.bias", Q, ONE, QWEN2, REQUIRED },
  { "attn_k.bias", K, ONE, QWEN2, REQUIRED },
  { "attn_v.bias", V, ONE, QWEN2, REQUIRED },
  { "attn_q.bias", Q, ONE, LLAMA, ALIKE },
  { "attn_k.bias", K, ONE, LLAMA, ALIKE },
  { "attn_v.bias", V, ONE, LLAMA, ALIKE },
  { "attn_qkv.weight", EMBD, QKV, GPT2 | PHI3, REQUIRED },
  { "attn_qkv.bias", QKV, ONE, GPT2, REQUIRED },
  { "attn_q_norm.weight", HEAD, ONE, QWEN3 | GEMMA3, REQUIRED },
  { "attn_k_norm.weight", HEAD, ONE, QWEN3 | GEMMA3, REQUIRED },
  { "attn_output.weight", ATTENDED, EMBD, ALL_FAMILIES, REQUIRED },
  { "attn_output.bias", EMBD, ONE, LLAMA, OPTIONAL },
  { "attn_output.bias", EMBD, ONE, GPT2, REQUIRED },
  { "post_attention_norm.weight", EMBD, ONE, GEMMA, REQUIRED },
  { "ffn_norm.weight", EMBD, ONE, ALL_FAMILIES, REQUIRED },
  { "ffn_norm.bias", EMBD, ONE, GPT2, REQUIRED },
  { "ffn_gate.weight", EMBD, FF, ALL_FAMILIES & ~(GPT2 | PHI3), REQUIRED },
  { "ffn_gate.bias", FF, ONE, LLAMA, OPTIONAL },
  { "ffn_up.weight", EMBD, FF, ALL_FAMILIES & ~PHI3, REQUIRED },
  { "ffn_up.weight", EMBD, GATE_UP, PHI3, REQUIRED },
  { "ffn_up.bias", FF, ONE, LLAMA, OPTIONAL },
  { "ffn_up.bias", FF, ONE, GPT2, REQUIRED },
  { "ffn_down.weight", FF, EMBD, ALL_FAMILIES, REQUIRED },
  { "ffn_down.bias", EMBD, ONE, LLAMA, OPTIONAL },
  { "ffn_down.bias", EMBD, ONE, GPT2, REQUIRED },
  { "post_ffw_norm.weight", EMBD, ONE, GEMMA, REQUIRED },
};

typedef struct
{
  AssayModelConfig *config;
  const ConfigFamily *family;
  AssayModelFile *file;
  guint64 sizes[N_SIZES];
  gboolean alike;      /* those alike are there */
  guint8 *used;        /* one byte a tensor of the file */
  GString *missing;
  guint n_missing;
} TensorCheck;

static gboolean
tensors_fail (TensorCheck *c, AssayEngineError code, const char *reason, const AssayTensorInfo *tensor,
              GError **error, const char *message)
{
  g_autofree char *name = assay_engine_escape (tensor->name.data, tensor->name.length);
  g_autofree char *field = g_strdup_printf ("tensor '%s'", name);
  assay_engine_error_set (error, code, reason, assay_model_file_get_part_path (c->file, tensor->part), field,
                          (gint64) tensor->offset, "%s", message);
  return FALSE;
}

static gboolean
tensors_check_shape (TensorCheck *c, const AssayTensorInfo *tensor, guint64 fast, guint64 slow,
                     GError **error)
{
  const gint64 *shape = tensor->shape;
  if (tensor->n_dims > 0 && (guint64) shape[0] == fast && (guint64) shape[1] == slow && shape[2] == 1
      && shape[3] == 1)
    return TRUE;
  g_autoptr (GString) seen = g_string_new (NULL);
  for (guint i = 0; i < tensor->n_dims; i++)
    g_string_append_printf (seen, "%s%" PRId64, i > 0 ? " × " : "", shape[i]);
  g_autofree char *message = g_strdup_printf (
      "its shape is %s; the model's numbers ask for %" PRIu64 " × %" PRIu64,
      tensor->n_dims > 0 ? seen->str : "none at all", fast, slow);
  return tensors_fail (c, ASSAY_ENGINE_ERROR_FORMAT, "tensor-shape", tensor, error, message);
}

/* Vectors are stored in floats. */
static gboolean
tensors_check_type (TensorCheck *c, const AssayTensorInfo *tensor, const TensorWanted *wanted, GError **error)
{
  const gboolean is_float = tensor->dtype == ASSAY_DTYPE_F32 || tensor->dtype == ASSAY_DTYPE_F16
                            || tensor->dtype == ASSAY_DTYPE_BF16;
  const gboolean is_exact = wanted->need == DIVISORS;
  if (wanted->slow != ONE || (is_exact ? tensor->dtype == ASSAY_DTYPE_F32 : is_float))
    return TRUE;
  g_autofree char *message = g_strdup_printf ("a vector in %s; %s is allowed",
                                              assay_dtype_info (tensor->dtype)->name,
                                              is_exact ? "F32" : "F32, F16 or BF16");
  return tensors_fail (c, ASSAY_ENGINE_ERROR_FORMAT, "tensor-type", tensor, error, message);
}

static gboolean
tensors_expect (TensorCheck *c, const TensorWanted *wanted, const char *name, GError **error)
{
  const AssayTensorInfo *tensor = assay_model_file_find_tensor (c->file, name);
  const gboolean required = wanted->need == REQUIRED || (wanted->need == ALIKE && c->alike);
  if (tensor == NULL)
    {
      if (required && c->n_missing++ < NAMED)
        g_string_append_printf (c->missing, "%s%s", c->missing->len > 0 ? ", " : "", name);
      return TRUE;
    }
  c->used[tensor - assay_model_file_get_tensor (c->file, 0)] = 1;
  return tensors_check_shape (c, tensor, c->sizes[wanted->fast], c->sizes[wanted->slow], error)
         && tensors_check_type (c, tensor, wanted, error);
}

static gboolean
tensors_expect_outside (TensorCheck *c, GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (outside); i++)
    if ((outside[i].families & c->family->bit) != 0
        && !tensors_expect (c, &outside[i], outside[i].name, error))
      return FALSE;
  return TRUE;
}

static gboolean
tensors_expect_layer (TensorCheck *c, guint layer, GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (in_layer); i++)
    {
      char name[80];
      if ((in_layer[i].families & c->family->bit) == 0)
        continue;
      g_snprintf (name, sizeof name, "blk.%u.%s", layer, in_layer[i].name);
      if (!tensors_expect (c, &in_layer[i], name, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
tensors_have_alike (const TensorCheck *c)
{
  for (guint i = 0; i < c->config->n_layers * G_N_ELEMENTS (in_layer); i++)
    {
      const TensorWanted *wanted = &in_layer[i % G_N_ELEMENTS (in_layer)];
      char name[80];
      if (wanted->need != ALIKE || (wanted->families & c->family->bit) == 0)
        continue;
      g_snprintf (name, sizeof name, "blk.%u.%s", i / (guint) G_N_ELEMENTS (in_layer), wanted->name);
      if (assay_model_file_find_tensor (c->file, name) != NULL)
        return TRUE;
    }
  return FALSE;
}

static gboolean
tensors_set_sizes (TensorCheck *c, GError **error)
{
  AssayModelConfig *m = c->config;
  const guint64 q = (guint64) m->n_heads * m->head_dim, k = (guint64) m->n_kv_heads * m->head_dim;
  const guint64 v = (guint64) m->n_kv_heads * m->head_dim_v;
  const AssayTensorInfo *table = assay_model_file_find_tensor (c->file, "token_embd.weight");
  m->n_vocab = table != NULL ? (guint) MIN (table->shape[1], (gint64) 1 << 24) : 0;
  if (table != NULL && m->n_vocab == 0)
    return tensors_fail (c, ASSAY_ENGINE_ERROR_FORMAT, "tensor-shape", table, error,
                         "the vocabulary is empty");
  const guint64 sizes[N_SIZES] = {
    [ONE] = 1, [EMBD] = m->n_embd, [VOCAB] = m->n_vocab, [POSITIONS] = m->context_length,
    [PAIRS] = m->rope.n_dims / 2, [HEAD] = m->head_dim, [Q] = q, [K] = k, [V] = v, [QKV] = q + k + v,
    [ATTENDED] = (guint64) m->n_heads * m->head_dim_v, [FF] = m->n_ff, [GATE_UP] = 2 * (guint64) m->n_ff,
  };
  memcpy (c->sizes, sizes, sizeof sizes);
  c->alike = tensors_have_alike (c);
  m->qkv_bias = c->alike || m->learned_positions || c->family->bit == QWEN2;
  m->tied_output = assay_model_file_find_tensor (c->file, "output.weight") == NULL;
  return TRUE;
}

/* The group of a tensor, for a message: "v.blk.N.attn_q.weight" of "v.blk.3.attn_q.weight". (transfer
 * full) */
static char *
tensors_dup_group (const AssayTensorInfo *tensor)
{
  g_autofree char *name = assay_engine_escape (tensor->name.data, tensor->name.length);
  g_auto (GStrv) words = g_strsplit (name, ".", -1);
  GString *group = g_string_new (NULL);
  for (guint i = 0; words[i] != NULL; i++)
    g_string_append_printf (group, "%s%s", i > 0 ? "." : "",
                            words[i][0] != '\0' && g_ascii_isdigit (words[i][0]) ? "N" : words[i]);
  return g_string_free (group, FALSE);
}

/* "4 of v.blk.N.attn_q.weight, 1 of mm.0.bias"; n: how many tensors. (transfer full) */
static char *
tensors_dup_unused (TensorCheck *c, guint *n)
{
  g_autoptr (GHashTable) counts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autoptr (GPtrArray) order = g_ptr_array_new ();
  *n = 0;
  for (guint i = 0; i < assay_model_file_get_n_tensors (c->file); i++)
    {
      if (c->used[i] || (*n)++ >= GROUPED)
        continue;
      g_autofree char *group = tensors_dup_group (assay_model_file_get_tensor (c->file, i));
      guint *count = g_hash_table_lookup (counts, group);
      if (count == NULL)
        {
          count = g_new0 (guint, 1);
          g_ptr_array_add (order, group);
          g_hash_table_insert (counts, g_steal_pointer (&group), count);
        }
      (*count)++;
    }
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < MIN (order->len, GROUPS_NAMED); i++)
    g_string_append_printf (text, "%s%u of %s", i > 0 ? ", " : "",
                            *(guint *) g_hash_table_lookup (counts, g_ptr_array_index (order, i)),
                            (char *) g_ptr_array_index (order, i));
  if (order->len > GROUPS_NAMED)
    g_string_append (text, ", …");
  return g_string_free (text, FALSE);
}

static gboolean
tensors_fail_missing (TensorCheck *c, guint n_unused, const char *unused, GError **error)
{
  g_autofree char *missing
      = g_strdup_printf (ngettext ("%u tensor that %s needs is missing: %s%s",
                                   "%u tensors that %s needs are missing: %s%s", c->n_missing),
                         c->n_missing, c->config->architecture, c->missing->str,
                         c->n_missing > NAMED ? _(" and more") : "");
  g_autofree char *rest = g_strdup_printf (ngettext ("%u tensor of the file is unused%s%s",
                                                     "%u tensors of the file are unused%s%s", n_unused),
                                           n_unused, n_unused > 0 ? ": " : "", unused);
  return assay_config_fail (c->file, ASSAY_ENGINE_ERROR_FORMAT, "tensors-missing", NULL, error, "%s; %s", missing,
                            rest);
}

static gboolean
tensors_check_complete (TensorCheck *c, GError **error)
{
  guint n_unused;
  g_autofree char *unused = tensors_dup_unused (c, &n_unused);
  if (c->n_missing > 0)
    return tensors_fail_missing (c, n_unused, unused, error);
  if (n_unused > 0)
    return assay_config_fail (
        c->file, ASSAY_ENGINE_ERROR_UNSUPPORTED, "tensors-unused", NULL, error,
        ngettext ("%u tensor is no part of %s as this engine computes it: %s; choose another runtime or model",
                  "%u tensors are no part of %s as this engine computes it: %s; choose another runtime or model",
                  n_unused),
        n_unused, c->config->architecture, unused);
  return TRUE;
}

static gboolean
tensors_check_formats (TensorCheck *c, GError **error)
{
  const AssayTensorInfo *first = NULL;
  guint n = 0;
  for (guint i = 0; i < assay_model_file_get_n_tensors (c->file); i++)
    {
      const AssayTensorInfo *tensor = assay_model_file_get_tensor (c->file, i);
      if (assay_dtype_can_compute (tensor->dtype))
        continue;
      first = first != NULL ? first : tensor;
      n++;
    }
  if (first == NULL)
    return TRUE;
  g_autofree char *message = g_strdup_printf ("type %u %s is not computed by this engine (%u %s cannot "
                                              "be used); choose another quantization or runtime",
                                              (guint) first->dtype, assay_dtype_info (first->dtype)->name, n,
                                              n == 1 ? "tensor" : "tensors");
  return tensors_fail (c, ASSAY_ENGINE_ERROR_UNSUPPORTED, "tensor-type-unsupported", first, error, message);
}

/* Every id the tokenizer can produce must have a row; rows beyond are padding. */
static gboolean
tensors_check_vocabulary (TensorCheck *c, GError **error)
{
  g_autofree char *key = g_strdup_printf ("%s.vocab_size", c->config->architecture);
  guint type;
  guint64 size = 0;
  if (c->n_missing > 0)
    return TRUE;
  if (assay_model_file_has (c->file, key)
      && (!assay_model_file_get_uint (c->file, key, &size) || size != c->config->n_vocab))
    return assay_config_fail (c->file, ASSAY_ENGINE_ERROR_FORMAT, "config-mismatch", key, error,
                              "a vocabulary of %" PRIu64 ", but token_embd.weight has %u rows",
                              size, c->config->n_vocab);
  if (assay_model_file_get_array (c->file, "tokenizer.ggml.tokens", &type, &size)
      && size > c->config->n_vocab)
    return assay_config_fail (c->file, ASSAY_ENGINE_ERROR_FORMAT, "config-mismatch", "tokenizer.ggml.tokens",
                              error, "%" PRIu64 " tokens, but token_embd.weight has %u rows", size,
                              c->config->n_vocab);
  return TRUE;
}

/* The long divisors are of no use without the short ones, nor the other way. */
static gboolean
tensors_check_pair (TensorCheck *c, GError **error)
{
  static const char *const names[] = { "rope_factors_long.weight", "rope_factors_short.weight" };
  const AssayTensorInfo *pair[2];
  for (guint i = 0; i < 2; i++)
    pair[i] = assay_model_file_find_tensor (c->file, names[i]);
  if ((pair[0] != NULL) == (pair[1] != NULL))
    return TRUE;
  return assay_config_fail (c->file, ASSAY_ENGINE_ERROR_FORMAT, "tensors-missing", NULL, error,
                            "%s is there without %s", names[pair[0] == NULL], names[pair[0] != NULL]);
}

gboolean
assay_config_check_tensors (AssayModelConfig *config, const ConfigFamily *family, AssayModelFile *file,
                            GError **error)
{
  g_autofree guint8 *used = g_malloc0 (assay_model_file_get_n_tensors (file) + 1);
  g_autoptr (GString) missing = g_string_new (NULL);
  TensorCheck c = { .config = config, .family = family, .file = file, .used = used, .missing = missing };
  if (!tensors_check_formats (&c, error) || !tensors_set_sizes (&c, error)
      || !tensors_expect_outside (&c, error))
    return FALSE;
  for (guint i = 0; i < config->n_layers; i++)
    if (!tensors_expect_layer (&c, i, error))
      return FALSE;
  return tensors_check_complete (&c, error) && tensors_check_pair (&c, error)
         && tensors_check_vocabulary (&c, error);
}
