/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/tiny-model.c: see the header. Quantized weights are made as random codes under a chosen scale, so
 * that every format comes without its encoder. */
#include "tiny-model.h"

#include <math.h>
#include <string.h>

/* Where a block's half-precision scales stand, and what brings its values to about ±0.25. */
typedef struct
{
  AssayDtype dtype;
  gint scale_at, min_at; /* -1: none */
  float scale, min;
} TinyBlock;

static const TinyBlock blocks[] = {
  { ASSAY_DTYPE_Q4_0, 0, -1, 0.03f, 0 },     { ASSAY_DTYPE_Q4_1, 0, 2, 0.03f, -0.22f },
  { ASSAY_DTYPE_Q5_0, 0, -1, 0.015f, 0 },    { ASSAY_DTYPE_Q5_1, 0, 2, 0.015f, -0.23f },
  { ASSAY_DTYPE_Q8_0, 0, -1, 0.002f, 0 },    { ASSAY_DTYPE_Q2_K, 80, 82, 0.01f, 0.015f },
  { ASSAY_DTYPE_Q3_K, 108, -1, 0.002f, 0 },  { ASSAY_DTYPE_Q4_K, 0, 2, 0.0005f, 0.004f },
  { ASSAY_DTYPE_Q5_K, 0, 2, 0.00025f, 0.004f }, { ASSAY_DTYPE_Q6_K, 208, -1, 0.0001f, 0 },
  { ASSAY_DTYPE_IQ4_NL, 0, -1, 0.002f, 0 },  { ASSAY_DTYPE_IQ4_XS, 0, -1, 0.0001f, 0 },
  { ASSAY_DTYPE_TQ1_0, 52, -1, 0.2f, 0 },    { ASSAY_DTYPE_TQ2_0, 64, -1, 0.2f, 0 },
  { ASSAY_DTYPE_Q8_1, 0, 2, 0.002f, 0 },     { ASSAY_DTYPE_IQ1_S, 0, -1, 0.02f, 0 },
  { ASSAY_DTYPE_IQ2_XXS, 0, -1, 0.001f, 0 }, { ASSAY_DTYPE_IQ2_XS, 0, -1, 0.001f, 0 },
  { ASSAY_DTYPE_IQ2_S, 0, -1, 0.001f, 0 },   { ASSAY_DTYPE_IQ3_XXS, 0, -1, 0.0005f, 0 },
  { ASSAY_DTYPE_IQ3_S, 0, -1, 0.0003f, 0 },
};

static guint16
tiny_half (float value)
{
  guint32 bits;
  memcpy (&bits, &value, sizeof bits);
  const guint32 sign = bits >> 16 & 0x8000, exponent = bits >> 23 & 0xff, fraction = bits & 0x7fffff;
  if (exponent >= 113)                     /* normal halves; the values here are below 65504 */
    return (guint16) (sign | (exponent - 112) << 10 | fraction >> 13);
  if (exponent < 103)
    return (guint16) sign;
  return (guint16) (sign | (0x800000 | fraction) >> (126 - exponent)); /* subnormal */
}

static void
tiny_put_half (guint8 *at, float value)
{
  const guint16 half = GUINT16_TO_LE (tiny_half (value));
  memcpy (at, &half, sizeof half);
}

static void
tiny_fill_floats (GRand *rand, AssayDtype dtype, GByteArray *out, guint64 n)
{
  for (guint64 i = 0; i < n; i++)
    {
      const float value = (float) g_rand_double_range (rand, -0.25, 0.25);
      guint32 bits;
      memcpy (&bits, &value, sizeof bits);
      const guint16 top = GUINT16_TO_LE ((guint16) (bits >> 16));
      bits = GUINT32_TO_LE (bits);
      if (dtype == ASSAY_DTYPE_F32)
        memcpy (out->data + 4 * i, &bits, sizeof bits);
      else if (dtype == ASSAY_DTYPE_BF16)
        memcpy (out->data + 2 * i, &top, sizeof top);
      else
        tiny_put_half (out->data + 2 * i, value);
    }
}

static void
tiny_fix_scales (AssayDtype dtype, guint8 *block)
{
  for (guint i = 0; i < G_N_ELEMENTS (blocks); i++)
    if (blocks[i].dtype == dtype)
      {
        tiny_put_half (block + blocks[i].scale_at, blocks[i].scale);
        if (blocks[i].min_at >= 0)
          tiny_put_half (block + blocks[i].min_at, blocks[i].min);
      }
  if (dtype == ASSAY_DTYPE_MXFP4)
    block[0] = 123;                        /* an exponent */
  for (guint i = 0; dtype == ASSAY_DTYPE_NVFP4 && i < 4; i++)
    block[i] = 0x10;                       /* small E4M3 scales */
  for (guint i = 0; dtype == ASSAY_DTYPE_IQ1_M && i < 4; i++)
    block[49 + 2 * i]
        = (guint8) ((block[49 + 2 * i] & 0x0f) | (0x2519 >> (4 * i) & 0xf) << 4); /* 0.02, a digit a word */
  if (dtype == ASSAY_DTYPE_Q8_K)
    memcpy (block, "\x6f\x12\x03\x3b", 4); /* 0.002, a float */
}

GByteArray *
tiny_random_weights (GRand *rand, AssayDtype dtype, guint64 n_elements)
{
  const AssayDtypeInfo *info = assay_dtype_info (dtype);
  GByteArray *out = g_byte_array_new ();
  g_assert_cmpuint (n_elements % info->block_elements, ==, 0);
  g_byte_array_set_size (out, (guint) (n_elements / info->block_elements * info->block_bytes));
  if (dtype == ASSAY_DTYPE_F32 || dtype == ASSAY_DTYPE_F16 || dtype == ASSAY_DTYPE_BF16)
    {
      tiny_fill_floats (rand, dtype, out, n_elements);
      return out;
    }
  for (guint i = 0; i < out->len; i++)
    out->data[i] = (guint8) g_rand_int_range (rand, 0, 256);
  for (guint at = 0; at < out->len; at += info->block_bytes)
    tiny_fix_scales (dtype, out->data + at);
  return out;
}

static void
tiny_add_matrix (GgufWriter *w, GRand *rand, const char *name, AssayDtype dtype, guint64 fast, guint64 slow)
{
  g_autoptr (GByteArray) data = w->sparse ? NULL : tiny_random_weights (rand, dtype, fast * slow);
  gguf_writer_add_tensor (w, name, 2, (guint64[]) { fast, slow }, dtype, data != NULL ? data->data : NULL);
}

/* Norms lie around 1, biases around 0. */
static void
tiny_add_vector (GgufWriter *w, GRand *rand, const char *name, guint64 n, float middle)
{
  g_autofree guint32 *values = g_new (guint32, n);
  for (guint64 i = 0; i < n; i++)
    {
      const float value = middle + (float) g_rand_double_range (rand, -0.1, 0.1);
      memcpy (&values[i], &value, sizeof value);
      values[i] = GUINT32_TO_LE (values[i]);
    }
  gguf_writer_add_tensor (w, name, 1, &n, ASSAY_DTYPE_F32, values);
}

/* Where and how large, with the vector of its bias where the family has one. */
typedef struct { const char *name; guint64 fast, slow; gboolean bias; } TinyMatrix;

static void
tiny_add_layer_matrix (GgufWriter *w, GRand *rand, const TinyModel *o, guint layer, const TinyMatrix *m)
{
  char name[64];
  g_snprintf (name, sizeof name, "blk.%u.%s.weight", layer, m->name);
  tiny_add_matrix (w, rand, name, o->matrices, m->fast, m->slow);
  g_snprintf (name, sizeof name, "blk.%u.%s.bias", layer, m->name);
  if (m->bias)
    tiny_add_vector (w, rand, name, m->slow, 0);
}

static void
tiny_add_norm (GgufWriter *w, GRand *rand, const TinyModel *o, const char *name, guint64 n)
{
  g_autofree char *weight = g_strconcat (name, ".weight", NULL), *bias = g_strconcat (name, ".bias", NULL);
  tiny_add_vector (w, rand, weight, n, 1);
  if (o->family == TINY_FAMILY_GPT2)
    tiny_add_vector (w, rand, bias, n, 0);
}

static void
tiny_add_layer_norms (GgufWriter *w, GRand *rand, const TinyModel *o, guint layer)
{
  const guint64 head = o->n_embd / o->n_heads;
  const struct { TinyFamily family; const char *name; guint64 n; } norms[] = {
    { TINY_FAMILY_QWEN3, "attn_q_norm", head },
    { TINY_FAMILY_QWEN3, "attn_k_norm", head },
    { TINY_FAMILY_GEMMA2, "post_attention_norm", o->n_embd },
    { TINY_FAMILY_GEMMA2, "post_ffw_norm", o->n_embd },
    { o->family, "attn_norm", o->n_embd },
    { o->family, "ffn_norm", o->n_embd },
  };
  for (guint i = 0; i < G_N_ELEMENTS (norms); i++)
    {
      g_autofree char *name = g_strdup_printf ("blk.%u.%s", layer, norms[i].name);
      if (norms[i].family == o->family)
        tiny_add_norm (w, rand, o, name, norms[i].n);
    }
}

static void
tiny_add_layer (GgufWriter *w, GRand *rand, const TinyModel *o, guint layer)
{
  const guint64 kv = (guint64) o->n_embd / o->n_heads * o->n_kv_heads;
  const gboolean gpt2 = o->family == TINY_FAMILY_GPT2;
  const TinyMatrix split[] = {
    { "attn_q", o->n_embd, o->n_embd, o->qkv_bias }, { "attn_k", o->n_embd, kv, o->qkv_bias },
    { "attn_v", o->n_embd, kv, o->qkv_bias },        { "attn_output", o->n_embd, o->n_embd, FALSE },
    { "ffn_gate", o->n_embd, o->n_ff, FALSE },       { "ffn_up", o->n_embd, o->n_ff, FALSE },
    { "ffn_down", o->n_ff, o->n_embd, FALSE },
  };
  const TinyMatrix fused[] = {
    { "attn_qkv", o->n_embd, 3 * (guint64) o->n_embd, TRUE }, { "attn_output", o->n_embd, o->n_embd, TRUE },
    { "ffn_up", o->n_embd, o->n_ff, TRUE },                   { "ffn_down", o->n_ff, o->n_embd, TRUE },
  };
  for (guint i = 0; i < (gpt2 ? G_N_ELEMENTS (fused) : G_N_ELEMENTS (split)); i++)
    tiny_add_layer_matrix (w, rand, o, layer, gpt2 ? &fused[i] : &split[i]);
  tiny_add_layer_norms (w, rand, o, layer);
}

/* Tokens with their scores and kinds, as they gather. */
typedef struct
{
  GByteArray *tokens;
  GArray *scores, *kinds;
} TinyVocabulary;

static void
tiny_add_token (TinyVocabulary *v, const char *text, float score, gint32 kind)
{
  gguf_put_string (v->tokens, text, strlen (text));
  g_array_append_val (v->scores, score);
  g_array_append_val (v->kinds, kind);
}

static void
tiny_set_vocabulary (GgufWriter *w, TinyVocabulary *v, gboolean with_scores)
{
  gguf_writer_set_array (w, "tokenizer.ggml.tokens", GGUF_TYPE_STRING, v->kinds->len, v->tokens->data,
                         v->tokens->len);
  if (with_scores)
    gguf_writer_set_array (w, "tokenizer.ggml.scores", GGUF_TYPE_F32, v->scores->len, v->scores->data,
                           v->scores->len * 4);
  gguf_writer_set_array (w, "tokenizer.ggml.token_type", GGUF_TYPE_I32, v->kinds->len, v->kinds->data,
                         v->kinds->len * 4);
}

static void
tiny_fill_llama (TinyVocabulary *v, gboolean with_bytes)
{
  static const char *const words[] = { "▁t", "▁a", "he", "in", "▁the", "re", "on", "er", "▁s",
                                       "at", "▁w", "en", "or", "▁c",   "it", "is", "an", "▁of" };
  tiny_add_token (v, "<unk>", 0, 2);
  tiny_add_token (v, "<s>", 0, 3);
  tiny_add_token (v, "</s>", 0, 3);
  for (guint i = 0; with_bytes && i < 256; i++)
    {
      char text[8];
      g_snprintf (text, sizeof text, "<0x%02X>", i);
      tiny_add_token (v, text, 0, 6);
    }
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    tiny_add_token (v, words[i], -1.0f - (float) i, 1);
  tiny_add_token (v, "▁", -100, 1);
  for (char c = 'a'; c <= 'z'; c++)
    tiny_add_token (v, (char[]) { c, '\0' }, -101.0f - (float) (c - 'a'), 1);
}

/* The printable stand-in of a byte in byte-level vocabularies. */
static void
tiny_put_byte_char (GString *out, guint byte)
{
  guint next = 0x100;
  for (guint b = 0; b <= byte; b++)
    {
      const gboolean printable = (b >= 0x21 && b <= 0x7e) || (b >= 0xa1 && b <= 0xac) || b >= 0xae;
      if (b == byte)
        g_string_append_unichar (out, printable ? b : next);
      else if (!printable)
        next++;
    }
}

static guint
tiny_fill_gpt2 (GgufWriter *w, TinyVocabulary *v, guint n_vocab)
{
  static const char *const merges[]
      = { "Ġ t", "h e", "Ġ a", "i n", "Ġt he", "r e", "o n", "e r", "Ġ s", "a t", "l l", "Ġ w", "i s" };
  for (guint byte = 0; byte < 256; byte++)
    {
      g_autoptr (GString) text = g_string_new (NULL);
      tiny_put_byte_char (text, byte);
      tiny_add_token (v, text->str, 0, 1);
    }
  for (guint i = 0; i < G_N_ELEMENTS (merges); i++)
    {
      g_auto (GStrv) halves = g_strsplit (merges[i], " ", 2);
      g_autofree char *text = g_strconcat (halves[0], halves[1], NULL);
      tiny_add_token (v, text, 0, 1);
    }
  const guint first_special = v->kinds->len;
  tiny_add_token (v, "<|endoftext|>", 0, 3);
  tiny_add_token (v, "<|im_start|>", 0, 3);
  tiny_add_token (v, "<|im_end|>", 0, 3);
  for (guint i = 0; v->kinds->len < n_vocab; i++)
    {
      g_autofree char *text = g_strdup_printf ("[PAD%u]", i);
      tiny_add_token (v, text, 0, 5);
    }
  gguf_writer_set_strings (w, "tokenizer.ggml.merges", merges, G_N_ELEMENTS (merges));
  return first_special;
}

/* Returns: the number of tokens. */
static guint
tiny_add_tokenizer (GgufWriter *w, const TinyModel *o)
{
  g_autoptr (GByteArray) tokens = g_byte_array_new ();
  g_autoptr (GArray) scores = g_array_new (FALSE, FALSE, sizeof (float));
  g_autoptr (GArray) kinds = g_array_new (FALSE, FALSE, sizeof (gint32));
  TinyVocabulary v = { tokens, scores, kinds };
  if (o->tokenizer == TINY_GPT2)
    {
      gguf_writer_set_string (w, "tokenizer.ggml.model", "gpt2");
      gguf_writer_set_string (w, "tokenizer.ggml.pre", o->pre);
      const guint special = tiny_fill_gpt2 (w, &v, o->n_vocab);
      gguf_writer_set_u32 (w, "tokenizer.ggml.bos_token_id", special);
      gguf_writer_set_u32 (w, "tokenizer.ggml.eos_token_id", special + 2);
    }
  else
    {
      gguf_writer_set_string (w, "tokenizer.ggml.model", "llama");
      tiny_fill_llama (&v, o->tokenizer == TINY_LLAMA_BYTES);
      gguf_writer_set_u32 (w, "tokenizer.ggml.bos_token_id", 1);
      gguf_writer_set_u32 (w, "tokenizer.ggml.eos_token_id", 2);
      gguf_writer_set_u32 (w, "tokenizer.ggml.unknown_token_id", 0);
    }
  tiny_set_vocabulary (w, &v, o->tokenizer != TINY_GPT2);
  return kinds->len;
}

static const char *
tiny_get_architecture (const TinyModel *o)
{
  static const char *const names[] = { "llama", "qwen3", "gemma2", "gpt2" };
  return names[o->family];
}

static void
tiny_set_u32 (GgufWriter *w, const TinyModel *o, const char *name, guint32 value)
{
  g_autofree char *key = g_strdup_printf ("%s.%s", tiny_get_architecture (o), name);
  gguf_writer_set_u32 (w, key, value);
}

static void
tiny_set_f32 (GgufWriter *w, const TinyModel *o, const char *name, float value)
{
  g_autofree char *key = g_strdup_printf ("%s.%s", tiny_get_architecture (o), name);
  gguf_writer_set_f32 (w, key, value);
}

static void
tiny_add_numbers (GgufWriter *w, const TinyModel *o)
{
  const gboolean gpt2 = o->family == TINY_FAMILY_GPT2;
  gguf_writer_set_string (w, "general.architecture", tiny_get_architecture (o));
  gguf_writer_set_string (w, "general.name", "Tiny");
  tiny_set_u32 (w, o, "block_count", o->n_layers);
  tiny_set_u32 (w, o, "context_length", o->context_length);
  tiny_set_u32 (w, o, "embedding_length", o->n_embd);
  tiny_set_u32 (w, o, "feed_forward_length", o->n_ff);
  tiny_set_u32 (w, o, "attention.head_count", o->n_heads);
  if (!gpt2)
    {
      tiny_set_u32 (w, o, "attention.head_count_kv", o->n_kv_heads);
      tiny_set_f32 (w, o, "attention.layer_norm_rms_epsilon", 1e-5f);
      tiny_set_f32 (w, o, "rope.freq_base", 10000);
    }
  else
    tiny_set_f32 (w, o, "attention.layer_norm_epsilon", 1e-5f);
  if (o->family == TINY_FAMILY_LLAMA)
    tiny_set_u32 (w, o, "rope.dimension_count", o->n_embd / o->n_heads);
  if (o->family == TINY_FAMILY_GEMMA2 || o->family == TINY_FAMILY_QWEN3)
    {
      tiny_set_u32 (w, o, "attention.key_length", o->n_embd / o->n_heads);
      tiny_set_u32 (w, o, "attention.value_length", o->n_embd / o->n_heads);
    }
  if (o->family == TINY_FAMILY_GEMMA2)
    {
      tiny_set_u32 (w, o, "attention.sliding_window", 16);
      tiny_set_f32 (w, o, "attn_logit_softcapping", 50);
      tiny_set_f32 (w, o, "final_logit_softcapping", 30);
    }
  gguf_writer_set_u32 (w, "general.quantization_version", 2);
}

static TinyModel
tiny_with_defaults (const TinyModel *options)
{
  TinyModel o = options != NULL ? *options : (TinyModel) { 0 };
  o.n_layers = o.n_layers > 0 ? o.n_layers : 1;
  o.n_embd = o.n_embd > 0 ? o.n_embd : 32;
  o.n_ff = o.n_ff > 0 ? o.n_ff : 2 * o.n_embd;
  o.n_heads = o.n_heads > 0 ? o.n_heads : 2;
  o.n_kv_heads = o.family == TINY_FAMILY_GPT2 ? o.n_heads : o.n_kv_heads > 0 ? o.n_kv_heads : 1;
  o.context_length = o.context_length > 0 ? o.context_length : 128;
  o.n_vocab = MAX (o.n_vocab, 288);
  o.pre = o.pre != NULL ? o.pre : "smollm";
  return o;
}

GgufWriter *
tiny_model_new (const TinyModel *options)
{
  const TinyModel o = tiny_with_defaults (options);
  g_autoptr (GRand) rand = g_rand_new_with_seed (o.seed);
  GgufWriter *w = gguf_writer_new ();
  w->sparse = o.sparse;
  tiny_add_numbers (w, &o);
  if (o.alignment > 0)
    gguf_writer_set_alignment (w, o.alignment);
  const guint n_vocab = tiny_add_tokenizer (w, &o);
  if (o.family == TINY_FAMILY_LLAMA)
    tiny_set_u32 (w, &o, "vocab_size", n_vocab);
  tiny_add_matrix (w, rand, "token_embd.weight", o.embedding, o.n_embd, n_vocab);
  if (o.family == TINY_FAMILY_GPT2)
    tiny_add_matrix (w, rand, "position_embd.weight", ASSAY_DTYPE_F32, o.n_embd, o.context_length);
  for (guint i = 0; i < o.n_layers; i++)
    tiny_add_layer (w, rand, &o, i);
  if (o.rope_freqs)
    tiny_add_vector (w, rand, "rope_freqs.weight", o.n_embd / o.n_heads / 2, 1);
  tiny_add_norm (w, rand, &o, "output_norm", o.n_embd);
  if (o.own_output)
    tiny_add_matrix (w, rand, "output.weight", o.embedding, o.n_embd, n_vocab);
  return w;
}

void
tiny_model_save (const TinyModel *options, const char *path)
{
  g_autoptr (GgufWriter) w = tiny_model_new (options);
  gguf_writer_save (w, path);
}
