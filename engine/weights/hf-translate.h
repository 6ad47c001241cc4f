/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/hf-translate.h: what a folder in Hugging Face's layout says, in GGUF's words.
 *
 * The container reads the folder's texts (bounded, no link out of the folder or its hub cache followed) and the list of
 * tensors; the translation answers with metadata as the public converter would write it and the GGUF name of each
 * tensor. Everything after that (configuration, tokenizer, chat format, loading) sees one kind of model. Texts and
 * names are as hostile as any file. Pure: reads no file, any thread. */
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

/* Tensor i of the folder is the model's `canonical` (copied), after `change` (ASSAY_CHANGE_* bits). Tensors that are
 * never set are no part of the model: they may be of any format, are not mapped, not hashed, and noticed by number.
 * Two tensors with one canonical name, or a tensor that is set and not readable or of more than four dimensions, are
 * refused by the caller. */
void assay_hf_names_set (AssayHfNames *names, guint i, const char *canonical, guint change);

/* Something odd but accepted, for the model's notices. */
void assay_hf_names_notice (AssayHfNames *names, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* Appends a GGUF file's beginning to gguf_metadata: magic, version 3, no tensors (n_tensors 0), the count of
 * key-values, the key-values (general.architecture, llama.block_count, tokenizer.ggml.tokens …); numbers
 * little-endian, nothing aligned, nothing after the last value.
 * Returns: FALSE with FORMAT or UNSUPPORTED, reason "hf-…", the message naming file and key. */
gboolean assay_hf_translate (const AssayHfFolder *folder, GByteArray *gguf_metadata, AssayHfNames *names,
                             GError **error);

G_END_DECLS
