/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/models/config-tensors.c: the tensors a llama needs, and no others.
 *
 * Every weight the graph will read is there with the shape the numbers ask for, in a format that can be
 * computed; a tensor that would stay unused is refused too, for it may be part of the computation. */
#include "config-private.h"

#include <string.h>

enum { NAMED = 5, GROUPS_NAMED = 6, GROUPED = 100000 }; /* tensors looked at for a message */

typedef enum { REQUIRED, OPTIONAL } TensorNeed;

typedef struct
{
  AssayModelConfig *config;
  AssayModelFile *file;
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
    g_string_append_printf (seen, "%s%" G_GINT64_FORMAT, i > 0 ? " × " : "", shape[i]);
  g_autofree char *message = g_strdup_printf (
      "its shape is %s; the model's numbers ask for %" G_GUINT64_FORMAT " × %" G_GUINT64_FORMAT,
      tensor->n_dims > 0 ? seen->str : "none at all", fast, slow);
  return tensors_fail (c, ASSAY_ENGINE_ERROR_FORMAT, "tensor-shape", tensor, error, message);
}

/* slow: 1 for a vector, which must be stored in floats. present: may be NULL. */
static gboolean
tensors_expect (TensorCheck *c, const char *name, guint64 fast, guint64 slow, TensorNeed need,
                gboolean *present, GError **error)
{
  const AssayTensorInfo *tensor = assay_model_file_find_tensor (c->file, name);
  if (present != NULL)
    *present = tensor != NULL;
  if (tensor == NULL)
    {
      if (need == REQUIRED && c->n_missing++ < NAMED)
        g_string_append_printf (c->missing, "%s%s", c->missing->len > 0 ? ", " : "", name);
      return TRUE;
    }
  c->used[tensor - assay_model_file_get_tensor (c->file, 0)] = 1;
  if (!tensors_check_shape (c, tensor, fast, slow, error))
    return FALSE;
  const gboolean is_float = tensor->dtype == ASSAY_DTYPE_F32 || tensor->dtype == ASSAY_DTYPE_F16
                            || tensor->dtype == ASSAY_DTYPE_BF16;
  if (slow > 1 || is_float)
    return TRUE;
  g_autofree char *message = g_strdup_printf ("a vector in %s; F32, F16 or BF16 is allowed",
                                              assay_dtype_info (tensor->dtype)->name);
  return tensors_fail (c, ASSAY_ENGINE_ERROR_FORMAT, "tensor-type", tensor, error, message);
}

static gboolean
tensors_expect_outside (TensorCheck *c, GError **error)
{
  AssayModelConfig *m = c->config;
  gboolean has_output;
  const AssayTensorInfo *table = assay_model_file_find_tensor (c->file, "token_embd.weight");
  m->n_vocab = table != NULL ? (guint) MIN (table->shape[1], (gint64) 1 << 24) : 0;
  if (table != NULL && m->n_vocab == 0)
    return tensors_fail (c, ASSAY_ENGINE_ERROR_FORMAT, "tensor-shape", table, error,
                         "the vocabulary is empty");
  if (!tensors_expect (c, "token_embd.weight", m->n_embd, m->n_vocab, REQUIRED, NULL, error)
      || !tensors_expect (c, "output_norm.weight", m->n_embd, 1, REQUIRED, NULL, error)
      || !tensors_expect (c, "output.weight", m->n_embd, m->n_vocab, OPTIONAL, &has_output, error)
      || !tensors_expect (c, "rope_freqs.weight", m->rope.n_dims / 2, 1, OPTIONAL, &m->has_rope_divisor,
                          error))
    return FALSE;
  m->tied_output = !has_output;
  return TRUE;
}

static gboolean
tensors_expect_layer (TensorCheck *c, guint layer, GError **error)
{
  const AssayModelConfig *m = c->config;
  const guint64 q = (guint64) m->n_heads * m->head_dim, k = (guint64) m->n_kv_heads * m->head_dim;
  const guint64 v = (guint64) m->n_kv_heads * m->head_dim_v, o = (guint64) m->n_heads * m->head_dim_v;
  const TensorNeed bias = m->qkv_bias ? REQUIRED : OPTIONAL;
  const struct { const char *name; guint64 fast, slow; TensorNeed need; } wanted[] = {
    { "attn_norm.weight", m->n_embd, 1, REQUIRED },  { "attn_q.weight", m->n_embd, q, REQUIRED },
    { "attn_k.weight", m->n_embd, k, REQUIRED },     { "attn_v.weight", m->n_embd, v, REQUIRED },
    { "attn_output.weight", o, m->n_embd, REQUIRED }, { "ffn_norm.weight", m->n_embd, 1, REQUIRED },
    { "ffn_gate.weight", m->n_embd, m->n_ff, REQUIRED }, { "ffn_up.weight", m->n_embd, m->n_ff, REQUIRED },
    { "ffn_down.weight", m->n_ff, m->n_embd, REQUIRED }, { "attn_q.bias", q, 1, bias },
    { "attn_k.bias", k, 1, bias },                   { "attn_v.bias", v, 1, bias },
    { "attn_output.bias", m->n_embd, 1, OPTIONAL },  { "ffn_gate.bias", m->n_ff, 1, OPTIONAL },
    { "ffn_up.bias", m->n_ff, 1, OPTIONAL },         { "ffn_down.bias", m->n_embd, 1, OPTIONAL },
  };
  for (guint i = 0; i < G_N_ELEMENTS (wanted); i++)
    {
      char name[80];
      g_snprintf (name, sizeof name, "blk.%u.%s", layer, wanted[i].name);
      if (!tensors_expect (c, name, wanted[i].fast, wanted[i].slow, wanted[i].need, NULL, error))
        return FALSE;
    }
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
tensors_check_complete (TensorCheck *c, GError **error)
{
  guint n_unused;
  g_autofree char *unused = tensors_dup_unused (c, &n_unused);
  if (c->n_missing > 0)
    return assay_config_fail (
        c->file, ASSAY_ENGINE_ERROR_FORMAT, "tensors-missing", NULL, error,
        "%u %s that %s needs %s missing: %s%s; %u %s of the file %s unused%s%s", c->n_missing,
        c->n_missing == 1 ? "tensor" : "tensors", c->config->architecture,
        c->n_missing == 1 ? "is" : "are", c->missing->str, c->n_missing > NAMED ? " and more" : "", n_unused,
        n_unused == 1 ? "tensor" : "tensors", n_unused == 1 ? "is" : "are", n_unused > 0 ? ": " : "", unused);
  if (n_unused > 0)
    return assay_config_fail (
        c->file, ASSAY_ENGINE_ERROR_UNSUPPORTED, "tensors-unused", NULL, error,
        "%u %s no part of %s as this engine computes it: %s; choose another runtime or model", n_unused,
        n_unused == 1 ? "tensor is" : "tensors are", c->config->architecture, unused);
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
                              "a vocabulary of %" G_GUINT64_FORMAT ", but token_embd.weight has %u rows",
                              size, c->config->n_vocab);
  if (assay_model_file_get_array (c->file, "tokenizer.ggml.tokens", &type, &size)
      && size > c->config->n_vocab)
    return assay_config_fail (c->file, ASSAY_ENGINE_ERROR_FORMAT, "config-mismatch", "tokenizer.ggml.tokens",
                              error, "%" G_GUINT64_FORMAT " tokens, but token_embd.weight has %u rows", size,
                              c->config->n_vocab);
  return TRUE;
}

/* One bias makes all of them required: the graph adds them in every layer or in none. */
static gboolean
tensors_have_bias (const AssayModelConfig *config, AssayModelFile *file)
{
  static const char *const names[] = { "attn_q", "attn_k", "attn_v" };
  for (guint i = 0; i < config->n_layers * G_N_ELEMENTS (names); i++)
    {
      char name[80];
      g_snprintf (name, sizeof name, "blk.%u.%s.bias", i / (guint) G_N_ELEMENTS (names),
                  names[i % G_N_ELEMENTS (names)]);
      if (assay_model_file_find_tensor (file, name) != NULL)
        return TRUE;
    }
  return FALSE;
}

gboolean
assay_config_check_tensors (AssayModelConfig *config, AssayModelFile *file, GError **error)
{
  g_autofree guint8 *used = g_malloc0 (assay_model_file_get_n_tensors (file) + 1);
  g_autoptr (GString) missing = g_string_new (NULL);
  TensorCheck c = { .config = config, .file = file, .used = used, .missing = missing };
  config->qkv_bias = tensors_have_bias (config, file);
  if (!tensors_check_formats (&c, error) || !tensors_expect_outside (&c, error))
    return FALSE;
  for (guint i = 0; i < config->n_layers; i++)
    if (!tensors_expect_layer (&c, i, error))
      return FALSE;
  return tensors_check_complete (&c, error) && tensors_check_vocabulary (&c, error);
}
