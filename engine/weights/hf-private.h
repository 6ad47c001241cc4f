/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/hf-private.h: the parts of the translation. */
#pragma once

#include "gguf-build.h"
#include "hf-translate.h"
#include "json-tree.h"

G_BEGIN_DECLS

/* A model's class in transformers, and what it takes for granted where config.json is silent. 0: derived. */
typedef struct
{
  const char *model_type, *architecture; /* Hugging Face's and GGUF's word */
  guint n_vocab, n_embd, n_ff, n_layers, n_heads, n_kv_heads, head_dim, context_length;
  double norm_eps, rope_theta, rope_theta_local;
  gboolean tied;
  guint window; /* when the key is absent; null is none */
  double attention_cap, output_cap;
  guint full_period; /* every so many layers, one does not slide; 0: all do, where any does */
  gboolean half_split; /* GGUF's rows of q and k are in another order */
} HfClass;

/* What the parts tell each other. */
typedef struct
{
  const AssayHfFolder *folder;
  AssayHfNames *names;
  GgufBuild *out;
  const HfClass *class;
  const AssayJsonTree *config;
  const AssayJsonNode *model; /* what describes the model of language: mostly all of config */
  guint n_vocab, n_layers, n_heads, head_dim, context_length; /* once read */
  gboolean tied;
} HfTranslation;

/* ---- hf-read.c ---- */

/* FALSE, with an error that names the folder's file and the key (NULL: none). */
gboolean assay_hf_fail (const AssayHfFolder *folder, AssayEngineError code, const char *reason,
                        const char *file, const char *key, GError **error, const char *format, ...)
    G_GNUC_PRINTF (7, 8);
/* NULL with an error. */
AssayJsonTree *assay_hf_parse (const AssayHfFolder *folder, GBytes *text, const char *file, GError **error);

/* Of config.json. A member that is null counts as absent; then *out is the fallback. parent: an object. */
const AssayJsonNode *assay_hf_find (const HfTranslation *self, const AssayJsonNode *parent, const char *key);
gboolean assay_hf_read_uint (const HfTranslation *self, const AssayJsonNode *parent, const char *key,
                             guint least, guint most, guint fallback, guint *out, GError **error);
/* above < *out <= most. */
gboolean assay_hf_read_real (const HfTranslation *self, const AssayJsonNode *parent, const char *key,
                             double above, double most, double fallback, double *out, GError **error);
gboolean assay_hf_read_flag (const HfTranslation *self, const AssayJsonNode *parent, const char *key,
                             gboolean fallback, gboolean *out, GError **error);
/* NULL: absent. (lent by the tree) */
gboolean assay_hf_read_text (const HfTranslation *self, const AssayJsonNode *parent, const char *key,
                             const AssayJsonNode **out, GError **error);
gboolean assay_hf_fail_type (const HfTranslation *self, const AssayJsonNode *node, const char *key,
                             const char *wanted, GError **error);
gboolean assay_hf_fail_range (const HfTranslation *self, const AssayJsonNode *node, const char *key,
                              const char *allowed, GError **error);
gboolean assay_hf_unsupported (const HfTranslation *self, const char *key, GError **error, const char *format,
                               ...) G_GNUC_PRINTF (4, 5);

/* Keys of the architecture: "block_count" is written as llama.block_count. */
void assay_hf_put_uint (const HfTranslation *self, const char *name, guint value);
void assay_hf_put_real (const HfTranslation *self, const char *name, double value);
void assay_hf_put_text (const HfTranslation *self, const char *name, const char *value);

/* ---- the parts ---- */

/* hf-config.c: config.json's numbers, as keys of the architecture. */
gboolean assay_hf_translate_config (HfTranslation *self, GError **error);
/* hf-windows.c: which layers slide. */
gboolean assay_hf_translate_windows (HfTranslation *self, GError **error);
/* hf-rope.c */
gboolean assay_hf_translate_rope (HfTranslation *self, GError **error);
/* hf-tokenizer.c: every tokenizer.* key. */
gboolean assay_hf_translate_tokenizer (HfTranslation *self, GError **error);
/* hf-names.c. Returns: whether the folder has an output matrix of its own. */
gboolean assay_hf_translate_names (const AssayHfFolder *folder, const char *architecture,
                                   AssayHfNames *names);

G_END_DECLS
