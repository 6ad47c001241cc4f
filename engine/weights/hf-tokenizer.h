/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/hf-tokenizer.h: tokenizer.json, taken apart. */
#pragma once

#include "hf-private.h"
#include "name-table.h"
#include "text/assay-token-type.h"

G_BEGIN_DECLS

/* Two pieces that merge, in the order of rank. */
typedef struct
{
  AssayBytes left, right;
} HfMerge;

typedef struct
{
  const HfTranslation *t;
  AssayJsonTree *json; /* owned; tokenizer.json, or vocab.json */
  AssayJsonTree *settings; /* owned; tokenizer_config.json, or NULL */
  AssayJsonTree *specials; /* owned; special_tokens_map.json, or NULL */
  AssayJsonTree *generation; /* owned; generation_config.json, or NULL */
  const char *file; /* what `json` was read from */

  guint n_tokens;
  AssayBytes *tokens; /* owned; data NULL: nothing has this id */
  guint8 *types, *flags; /* owned; AssayTokenType, and ASSAY_ADDED_* */
  NameTable *by_text; /* owned */
  GArray *merges; /* owned; HfMerge */

  gboolean byte_level, byte_fallback, ignore_merges, fuse_unknown;
  gint64 unknown; /* -1: none */

  /* from the steps around the model */
  GString *layout; /* owned; see assay_pre_rule_dup_name_of_layout() */
  gboolean nfc, marks_spaces, marks_early, split_words, strip_space, leads_space;
  const char *space_prefix; /* static */
  gint64 template_bos, template_eos; /* -1: none */
} HfTokenizer;

gboolean assay_hf_tokenizer_fail (const HfTokenizer *self, AssayEngineError code, const char *reason,
                                  const char *key, GError **error, const char *format, ...)
    G_GNUC_PRINTF (6, 7);
gint64 assay_hf_tokenizer_find (const HfTokenizer *self, AssayBytes text); /* -1 */

/* hf-vocab.c: tokens, types and merges, from tokenizer.json or from vocab.json and merges.txt. */
gboolean assay_hf_vocab_read (HfTokenizer *self, GError **error);
gboolean assay_hf_vocab_read_old (HfTokenizer *self, GError **error);
gboolean assay_hf_vocab_put (HfTokenizer *self, GError **error);
/* hf-steps.c: normalizer, pre_tokenizer, post_processor and decoder. After the vocabulary. */
gboolean assay_hf_steps_read (HfTokenizer *self, GError **error);
/* hf-merges.c */
gboolean assay_hf_merges_read (HfTokenizer *self, const AssayJsonNode *model, GError **error);
gboolean assay_hf_merges_read_text (HfTokenizer *self, GError **error);
gboolean assay_hf_merges_put (HfTokenizer *self, GError **error);

G_END_DECLS
