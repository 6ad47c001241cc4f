/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/hf-translate.h: what a folder in Hugging Face's layout says, in GGUF's words.
 *
 * The container reads the folder's texts (bounded, no link out of the folder or its hub cache followed) and
 * the list of tensors; the translation answers with metadata as the public converter would write it and the
 * GGUF name of each tensor. Everything after that (configuration, tokenizer, chat format, loading) sees one
 * kind of model. Texts and names are as hostile as any file. Pure: reads no file, any thread.
 *
 * What GGUF has no word for is written under keys of our own:
 *   assay.rope.half_split   bool: q and k rows pair i with i + n/2, as Hugging Face orders them, in an
 *       architecture whose GGUF rows pair 2i with 2i + 1 (llama)
 *   ARCH.rope.scaling.type   also "llama3" and "longrope"; with ARCH.rope.scaling.factor,
 *       .original_context_length and the next four
 *   assay.rope.low_freq_factor, assay.rope.high_freq_factor   f32, llama3
 *   assay.rope.short_factor, assay.rope.long_factor   f32 [rotated dimensions / 2], longrope: divisors of
 *       each frequency, short while the context is at most .original_context_length
 *   assay.rope.attention_factor   f32, yarn and longrope: the magnitude itself, where the model gives one
 *   assay.rope.truncate   bool, yarn: FALSE: the corrected range keeps its fractions
 *   ARCH.rope.freq_base_swa   f32, gemma3: the base of the sliding layers; they are not scaled
 *   ARCH.attention.sliding_window_pattern   bool [layers], TRUE: the layer slides; always there when some do
 *       and some do not
 *   ARCH.attention.scale   of the scores, where it is not 1 / sqrt (key_length) by definition (gemma, gpt2)
 *   assay.tokenizer.space_prefix   text, in every folder: "never", "always" (before each part of a text),
 *       "unless-space", "first-unless-space" (where the text begins)
 *   assay.tokenizer.normalizer   text: "nfc"
 *   assay.tokenizer.by_rank   bool, "llama": pairs merge by rank, not by the score of what they make
 *   assay.tokenizer.merge_ids   i32 [2 merges]: left and right ids, instead of tokenizer.ggml.merges, when a
 *       piece has a space in it
 *   assay.tokenizer.ignore_merges   bool: a word that is a token is that token
 *   assay.tokenizer.byte_fallback, .fuse_unknown   bool: what becomes of characters without a token
 *   assay.tokenizer.marks_early   bool: spaces are marked by normalizing, not later
 *   assay.tokenizer.split_words   bool: merges stay between one marked space and the next
 *   assay.tokenizer.strip_space   bool: decoding leaves out the space that a text begins with
 *   assay.tokenizer.added_flags   u8 [tokens], ASSAY_ADDED_* of text/assay-token-type.h
 *   assay.tokenizer.end_token_ids   i32: every token that ends an answer */
#pragma once

#include "assay-model-file.h"

G_BEGIN_DECLS

/* A tensor as its file has it. Names are unique, valid UTF-8 without NUL, 1 to 4096 bytes. */
typedef struct
{
  AssayBytes name;
  AssayDtype dtype;        /* meaningful when `readable` */
  gboolean readable;       /* FALSE: the engine has no such format (F8_E4M3, U8 …) */
  const char *dtype_name;  /* as written in the file: "BF16"; static */
  guint n_dims;            /* 0 to 8 */
  gint64 shape[8];         /* in the file's order, slowest first; unused ones 1 */
} AssayHfTensor;

/* Texts are NULL when the folder has no such file. They may hold any bytes and are not terminated. */
typedef struct
{
  const char *path;              /* the folder, for messages */
  GBytes *config;                /* config.json; always there */
  GBytes *generation_config;     /* generation_config.json */
  GBytes *tokenizer;             /* tokenizer.json */
  GBytes *tokenizer_config;      /* tokenizer_config.json */
  GBytes *special_tokens_map;    /* special_tokens_map.json */
  GBytes *added_tokens;          /* added_tokens.json */
  GBytes *vocab;                 /* vocab.json */
  GBytes *merges;                /* merges.txt */
  GBytes *chat_template;         /* chat_template.jinja */
  GBytes *tokenizer_model;       /* tokenizer.model: SentencePiece's own file */
  const AssayHfTensor *tensors;  /* of all shards */
  guint n_tensors;
} AssayHfFolder;

typedef struct _AssayHfNames AssayHfNames;

/* Tensor i of the folder is the model's `canonical` (copied), after `change` (ASSAY_CHANGE_* bits). Tensors
 * that are never set are no part of the model: they may be of any format, are not mapped, not hashed, and
 * noticed by number. Two tensors with one canonical name, or a tensor that is set and not readable or of more
 * than four dimensions, are refused by the caller. */
void assay_hf_names_set (AssayHfNames *names, guint i, const char *canonical, guint change);

/* Something odd but accepted, for the model's notices. */
void assay_hf_names_notice (AssayHfNames *names, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* Appends a GGUF file's beginning to gguf_metadata: magic, version 3, no tensors (n_tensors 0), the count of
 * key-values, the key-values (general.architecture, llama.block_count, tokenizer.ggml.tokens …); numbers
 * little-endian, nothing aligned, nothing after the last value.
 * Returns: FALSE, the message naming file and key, with FORMAT and one of
 *   hf-json                no sound JSON, or above its limits
 *   hf-config-missing, hf-config-type, hf-config-range, hf-config-mismatch    as for a GGUF's keys
 *   hf-vocabulary          ids, tokens or flags that cannot be
 *   hf-merge               not two pieces, or more than one way to read them (the line is named)
 * or UNSUPPORTED and one of
 *   hf-architecture        a class that is not computed here
 *   hf-quantized           weights of a quantization_config, but for bitsandbytes, whose tensors tell
 *   hf-variant             a setting of config.json that changes the computation
 *   hf-tokenizer           a model or step of tokenizer.json that is not computed here
 *   hf-tokenizer-missing   no tokenizer.json */
gboolean assay_hf_translate (const AssayHfFolder *folder, GByteArray *gguf_metadata, AssayHfNames *names,
                             GError **error);

/* GGUF's name of a tensor or module: "blk.3.attn_q.weight" of "model.layers.3.self_attn.q_proj.weight",
 * "blk.3.attn_q" without the suffix. architecture: GGUF's word ("llama" …). (transfer full); NULL: no such
 * part. */
char *assay_hf_dup_canonical_name (const char *architecture, const char *hf_name);

G_END_DECLS
