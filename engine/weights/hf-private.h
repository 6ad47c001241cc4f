/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/hf-private.h: the parts of the translation. */
#pragma once

#include "gguf-build.h"
#include "hf-translate.h"
#include "json-tree.h"

G_BEGIN_DECLS

/* What the parts tell each other. */
typedef struct
{
  const AssayHfFolder *folder;
  AssayHfNames *names;
  GgufBuild *out;
  AssayJsonTree *config;            /* owned */
  const AssayJsonNode *text_config; /* the model of language within config: mostly all of it */
  const char *architecture;         /* GGUF's word: "llama" for mistral too */
  const char *model_type;           /* Hugging Face's */
  guint n_vocab;                    /* config.json's */
} HfTranslation;

/* FALSE, with an error that names the folder's file and the key (may be NULL). */
gboolean assay_hf_fail (const AssayHfFolder *folder, AssayEngineError code, const char *reason, const char *file,
                        const char *key, GError **error, const char *format, ...) G_GNUC_PRINTF (7, 8);
/* NULL with an error. */
AssayJsonTree *assay_hf_parse (const AssayHfFolder *folder, GBytes *text, const char *file, GError **error);

/* hf-config.c: every ARCH.* key. */
gboolean assay_hf_translate_config (HfTranslation *self, GError **error);
/* hf-tokenizer.c: every tokenizer.* key. */
gboolean assay_hf_translate_tokenizer (HfTranslation *self, GError **error);
/* hf-names.c. has_output: the folder has its own output matrix. */
void assay_hf_translate_names (const AssayHfFolder *folder, const char *architecture, AssayHfNames *names,
                               gboolean *has_output);

G_END_DECLS
