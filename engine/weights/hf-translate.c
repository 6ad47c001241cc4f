/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/hf-translate.c: configuration, then tokenizer, then names. */
#include "hf-private.h"

static gboolean
translate_all (HfTranslation *self, GError **error)
{
  if (!assay_hf_translate_config (self, error) || !assay_hf_translate_tokenizer (self, error))
    return FALSE;
  /* Where nothing is tied, transformers would make the missing matrix up. */
  if (assay_hf_translate_names (self->folder, self->class->architecture, self->names) || self->tied)
    return TRUE;
  return assay_hf_fail (
      self->folder, ASSAY_ENGINE_ERROR_FORMAT, "hf-config-mismatch", "config.json", "tie_word_embeddings",
      error,
      "the output matrix is not the embedding's, but lm_head.weight is missing; fetch the model again");
}

gboolean
assay_hf_translate (const AssayHfFolder *folder, GByteArray *gguf_metadata, AssayHfNames *names,
                    GError **error)
{
  g_return_val_if_fail (folder != NULL && folder->config != NULL && gguf_metadata != NULL && names != NULL,
                        FALSE);
  GgufBuild out;
  g_autoptr (AssayJsonTree) config = assay_hf_parse (folder, folder->config, "config.json", error);
  if (config == NULL)
    return FALSE;
  HfTranslation self = { .folder = folder, .names = names, .out = &out, .config = config };
  assay_gguf_build_start (&out, gguf_metadata);
  if (!translate_all (&self, error))
    return FALSE;
  assay_gguf_build_finish (&out);
  return TRUE;
}
