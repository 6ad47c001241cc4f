/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/text/assay-tokenizer.h: text to token ids and back.
 *
 * Byte-level BPE ("gpt2") and SentencePiece-style BPE by score ("llama"), from a GGUF's metadata. Text is
 * bytes: any are accepted. Immutable: any thread. */
#pragma once

#include "weights/assay-model-file.h"

G_BEGIN_DECLS

typedef struct _AssayTokenizer AssayTokenizer;

typedef enum
{
  ASSAY_ENCODE_DEFAULT = 0,
  ASSAY_ENCODE_ADD_SPECIAL = 1 << 0,   /* bos and eos as the model asks for */
  ASSAY_ENCODE_PARSE_SPECIAL = 1 << 1, /* control tokens in the text count as such; not for a person's text */
  ASSAY_ENCODE_CONTINUED = 1 << 2,     /* other tokens come before: the text does not begin here */
} AssayEncodeFlags;

/* allow_missing_pre: load a BPE model that does not name its pre-tokenizer (FORMAT "tokenizer-no-pre"
 * otherwise); its tokens may be wrong, and is_verified() is FALSE. */
AssayTokenizer *assay_tokenizer_new (AssayModelFile *file, gboolean allow_missing_pre, GError **error);
AssayTokenizer *assay_tokenizer_ref (AssayTokenizer *self);
void assay_tokenizer_unref (AssayTokenizer *self);

/* Returns: (element-type gint32) (transfer full). Errors: CONTEXT "prompt-too-large" above 2^30 bytes;
 * CANCELLED. */
GArray *assay_tokenizer_encode (AssayTokenizer *self, const char *text, gssize length, AssayEncodeFlags flags,
                                GCancellable *cancellable, GError **error);
/* Bytes of the tokens, not nul-safe as a string: use the length. render_special: control tokens as their
 * text. */
GString *assay_tokenizer_decode (AssayTokenizer *self, const gint32 *ids, gsize n, gboolean render_special);

guint assay_tokenizer_get_n_tokens (AssayTokenizer *self);
AssayBytes assay_tokenizer_get_piece (AssayTokenizer *self, gint32 id);       /* as stored */
gint32 assay_tokenizer_get_bos (AssayTokenizer *self);                        /* -1: none */
gint32 assay_tokenizer_get_eos (AssayTokenizer *self);
gboolean assay_tokenizer_adds_bos (AssayTokenizer *self);
/* A control or user-defined token; -1: none. */
gint32 assay_tokenizer_find_special (AssayTokenizer *self, const char *text);
gboolean assay_tokenizer_is_end (AssayTokenizer *self, gint32 id); /* eos, eot, eom and the known end texts */
gboolean assay_tokenizer_is_verified (AssayTokenizer *self);
const char *assay_tokenizer_get_model (AssayTokenizer *self);                 /* "gpt2", "llama" */
const char *assay_tokenizer_get_pre (AssayTokenizer *self);                   /* "smollm"; "" when absent */
const char *const *assay_tokenizer_get_notices (AssayTokenizer *self);

/* Streaming: bytes of one character may span tokens. push returns the complete UTF-8 that can be shown now;
 * invalid bytes come out as U+FFFD here only (the record keeps the bytes), and so does NUL.
 * (transfer full) */
typedef struct _AssayTextStream AssayTextStream;
AssayTextStream *assay_text_stream_new (AssayTokenizer *tokenizer);
char *assay_text_stream_push (AssayTextStream *self, gint32 id);
char *assay_text_stream_finish (AssayTextStream *self); /* what is left */
void assay_text_stream_free (AssayTextStream *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayTokenizer, assay_tokenizer_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayTextStream, assay_text_stream_free)

G_END_DECLS
