/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/text/assay-tokenizer-private.h: one struct for both kinds; each kind's file fills and reads its
 * part. */
#pragma once

#include "assay-merger.h"
#include "assay-pre-split.h"
#include "assay-token-tables.h"
#include "assay-tokenizer.h"

G_BEGIN_DECLS

typedef enum /* as stored in tokenizer.ggml.token_type */
{
  ASSAY_TOKEN_NORMAL = 1,
  ASSAY_TOKEN_UNKNOWN = 2,
  ASSAY_TOKEN_CONTROL = 3,
  ASSAY_TOKEN_USER_DEFINED = 4,
  ASSAY_TOKEN_UNUSED = 5,
  ASSAY_TOKEN_BYTE = 6,
} AssayTokenType;

enum { ASSAY_TOKEN_TYPE_MASK = 0x7F, ASSAY_TOKEN_IS_END = 0x80 };

typedef struct _AssayTokenizerKind AssayTokenizerKind;

struct _AssayTokenizer
{
  gatomicrefcount ref_count;
  AssayModelFile *file;         /* owned; what the pieces point into */
  const AssayTokenizerKind *kind;
  guint n_tokens;
  AssayBytes *tokens;           /* owned; [n_tokens] */
  guint8 *types;                /* owned; [n_tokens] type | IS_END */
  gsize longest;                /* bytes of the longest token */
  AssayPieceTable pieces;       /* normal and user-defined tokens; byte-level's in its alphabet */
  AssaySpecialIndex specials;   /* control, unknown and user-defined tokens */
  gint32 byte_ids[256];         /* -1: the vocabulary lacks it */
  gint32 bos, eos, eot, eom, unknown; /* -1: none */
  gboolean add_bos, add_eos, space_prefix, verified;
  char *pre_name;               /* owned */
  GPtrArray *notices;           /* owned; NULL-terminated when loaded */

  /* byte-level */
  const AssayPreRule *pre;
  AssayPairTable pairs;
  /* by score */
  guint32 *orders;              /* owned; [n_tokens] smaller merges first */
  gboolean byte_fallback;
};

struct _AssayTokenizerKind
{
  const char *model;            /* tokenizer.ggml.model */
  /* After tokens and types. */
  gboolean (*load) (AssayTokenizer *self, gboolean allow_missing_pre, GError **error);
  gboolean (*encode) (AssayTokenizer *self, AssayMerger *merger, const char *text, gsize length,
                      gboolean space_before, GArray *ids, GCancellable *cancellable, GError **error);
  void (*decode) (AssayTokenizer *self, gint32 id, GString *out); /* a normal or byte token */
};

extern const AssayTokenizerKind assay_byte_bpe_kind, assay_score_bpe_kind;

/* For files without token types: marks what reads <0xXX> as a byte. */
void assay_score_bpe_guess_bytes (AssayTokenizer *self);

static inline AssayTokenType
tokenizer_type (const AssayTokenizer *self, gint32 id)
{
  return (AssayTokenType) (self->types[id] & ASSAY_TOKEN_TYPE_MASK);
}

/* For messages: FORMAT about one of the file's keys. */
void assay_tokenizer_set_error (AssayTokenizer *self, GError **error, const char *reason, const char *key,
                                const char *format, ...) G_GNUC_PRINTF (5, 6);
void assay_tokenizer_notice (AssayTokenizer *self, const char *format, ...) G_GNUC_PRINTF (2, 3);
char *assay_tokenizer_escape (AssayTokenizer *self, gint32 id);

gboolean assay_tokenizer_load (AssayTokenizer *self, gboolean allow_missing_pre, GError **error);
/* Flags of the file; *out is left alone when absent. */
gboolean assay_tokenizer_load_flag (AssayTokenizer *self, const char *key, gboolean *out, GError **error);

/* Text without specials between two of them; space_before: the text's start, or after a special. */
gboolean assay_tokenizer_encode_fragment (AssayTokenizer *self, AssayMerger *merger, const char *text,
                                          gsize length, gboolean space_before, GArray *ids,
                                          GCancellable *cancellable, GError **error);
/* One token's bytes. *at_start: only control tokens came before; updated. */
void assay_tokenizer_decode_one (AssayTokenizer *self, gint32 id, gboolean render_special, gboolean *at_start,
                                 GString *out);

G_END_DECLS
