/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/tiny-model.h: a whole decoder of a few kilobytes, with a tokenizer and seeded random weights.
 *
 * Every field of the options may be 0: then the default in the comment holds. The same options give the
 * same bytes. */
#pragma once

#include "gguf-writer.h"

G_BEGIN_DECLS

typedef enum
{
  TINY_LLAMA,       /* SentencePiece-style: <unk> <s> </s>, pieces of letters, no byte tokens: 48 tokens */
  TINY_LLAMA_BYTES, /* the same and the 256 byte tokens: 304 */
  TINY_GPT2,        /* byte-level BPE: 256 bytes, 13 merges, 3 specials as in ChatML, 16 of padding: 288 */
} TinyTokenizer;

typedef enum
{
  TINY_FAMILY_LLAMA,
  TINY_FAMILY_QWEN3,  /* q_norm and k_norm */
  TINY_FAMILY_GEMMA2, /* norms on both sides of each block */
  TINY_FAMILY_GPT2,   /* layer norms, learned positions, one fused matrix for q, k and v */
} TinyFamily;

typedef struct
{
  TinyFamily family;    /* llama */
  guint n_layers;       /* 1 */
  guint n_embd;         /* 32; a multiple of the block of `matrices` (256 for K-quants) */
  guint n_ff;           /* 2 n_embd */
  guint n_heads;        /* 2 */
  guint n_kv_heads;     /* 1 */
  guint context_length; /* 128 */
  AssayDtype matrices;  /* F32 */
  AssayDtype embedding; /* F32; also of output.weight */
  TinyTokenizer tokenizer;
  guint n_vocab;        /* TINY_GPT2: 288; more is padding */
  const char *pre;      /* TINY_GPT2: "smollm" */
  gboolean own_output;  /* output.weight is there; else tied */
  gboolean qkv_bias;
  gboolean rope_freqs;
  guint32 alignment;    /* 32 */
  gboolean sparse;      /* no weights at all, so that the numbers may be those of a large model */
  guint32 seed;
} TinyModel;

GgufWriter *tiny_model_new (const TinyModel *options); /* (transfer full); options NULL: all defaults */
void tiny_model_save (const TinyModel *options, const char *path);

/* Random blocks of a format that dequantize to finite values of about ±0.25. (transfer full) */
GByteArray *tiny_random_weights (GRand *rand, AssayDtype dtype, guint64 n_elements);

G_END_DECLS
