/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/text/assay-tokenizer-private.h: one struct for both kinds; each kind's file fills and reads its
 * part. */
#pragma once

#include "assay-merger.h"
#include "assay-pre-split.h"
#include "assay-token-tables.h"
#include "assay-token-type.h"
#include "assay-tokenizer.h"

G_BEGIN_DECLS

enum { ASSAY_TOKEN_TYPE_MASK = 0x7F, ASSAY_TOKEN_IS_END = 0x80 };

/* Whether a space is put before a text that is cut at special tokens. */
typedef enum
{
  ASSAY_SPACE_NEVER,
  ASSAY_SPACE_ALWAYS,             /* before each part */
  ASSAY_SPACE_UNLESS_SPACE,       /* before each part that does not begin with one */
  ASSAY_SPACE_FIRST_UNLESS_SPACE, /* only where the text begins */
} AssaySpacePrefix;

/* Of a part of a text. */
enum
{
  ASSAY_PART_FIRST = 1,  /* the text begins here */
  ASSAY_PART_MARKED = 2, /* its spaces are written as the vocabulary has them */
};

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
  gboolean add_bos, add_eos, verified;
  AssaySpacePrefix space_prefix;
  gboolean strip_space;         /* decoding leaves out the space that a text begins with */
  gboolean nfc;                 /* texts are brought into Unicode's form C first */
  gboolean by_rank;             /* pairs merge by their rank */
  gboolean fuse_unknown;        /* neighbouring unknown characters are one token */
  const guint8 *added;          /* lent by the file; [n_tokens] ASSAY_ADDED_*, or NULL */
  AssayBytes *late_texts;       /* owned; [n_tokens], or NULL: normalized texts of what follows */
  GStringChunk *late_chunk;     /* owned, or NULL */
  AssaySpecialIndex late;       /* those of them that are looked for after normalizing */
  char *pre_name;               /* owned */
  GPtrArray *notices;           /* owned; NULL-terminated when loaded */

  /* byte-level */
  const AssayPreRule *pre;
  gboolean whole_words;         /* a word that is a token is that token, whatever the merges say */
  gboolean last_merge_counts;   /* of those that are listed twice, as in Hugging Face's layout */
  AssayPairTable pairs;         /* also of "llama" by rank */
  /* by score */
  guint32 *orders;              /* owned; [n_tokens] smaller merges first */
  gboolean byte_fallback;
  gboolean split_words;         /* merges stay between one space and the next */
  gboolean marks_early;         /* spaces are marked by normalizing */
};

struct _AssayTokenizerKind
{
  const char *model;            /* tokenizer.ggml.model */
  /* After tokens and types. */
  gboolean (*load) (AssayTokenizer *self, gboolean allow_missing_pre, GError **error);
  /* place: ASSAY_PART_*. */
  gboolean (*encode) (AssayTokenizer *self, AssayMerger *merger, const char *text, gsize length, guint place,
                      GArray *ids, GCancellable *cancellable, GError **error);
  /* Text as the vocabulary writes it: (transfer full), NULL: no memory. The slot is NULL where there is no
   * such writing. */
  char *(*mark) (AssayTokenizer *self, const char *text, gsize length, guint place, gsize *marked_length);
  void (*decode) (AssayTokenizer *self, gint32 id, GString *out); /* a normal or byte token */
};

extern const AssayTokenizerKind assay_byte_bpe_kind, assay_score_bpe_kind;

/* By pairs of ids. */
gboolean assay_byte_bpe_lookup (gconstpointer owner, const char *text, const AssaySymbol *left,
                                const AssaySymbol *right, guint32 *order, gint32 *merged);
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

/* assay-tokenizer-folder.c: what only models in Hugging Face's layout say. After tokens and types; then, once
 * the kind is loaded, the specials of the normalized text. */
gboolean assay_tokenizer_load_folder (AssayTokenizer *self, GError **error);
void assay_tokenizer_load_late (AssayTokenizer *self);
/* An array of one element a token. FALSE with an error; else *data, NULL when the key is absent. */
gboolean assay_tokenizer_load_array (AssayTokenizer *self, const char *key, guint wanted, const guint8 **data,
                                     GError **error);
/* tokenizer.ggml.merges into pairs. */
gboolean assay_tokenizer_load_merges (AssayTokenizer *self, GError **error);

/* assay-special-split.c: a text cut at its specials, and what lies between given to the kind. */
gboolean assay_tokenizer_encode_text (AssayTokenizer *self, AssayMerger *merger, const char *text,
                                      gsize length, gboolean parse_special, gboolean is_first, GArray *ids,
                                      GCancellable *cancellable, GError **error);
/* assay-normalize.c: form C of what is UTF-8; other bytes stay. NULL: it is in that form as it stands.
 * (transfer full) */
GString *assay_text_normalize (const char *text, gsize length);

/* One token's bytes. *at_start: only control tokens came before; updated. */
void assay_tokenizer_decode_one (AssayTokenizer *self, gint32 id, gboolean render_special, gboolean *at_start,
                                 GString *out);

G_END_DECLS
