/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/text/hf-folder.h: a folder in Hugging Face's layout, in a temporary place, with weights of a few
 * bytes. */
#pragma once

#include "weights/assay-model-file.h"

G_BEGIN_DECLS

typedef struct
{
  char *path;
} HfFolder; /* owned */

void hf_folder_init (HfFolder *self);
void hf_folder_clear (HfFolder *self); /* removes it */
void hf_folder_set (HfFolder *self, const char *name, const char *text, gssize length);
void hf_folder_remove (HfFolder *self, const char *name);
/* model.safetensors with the named tensors, all F16 of `rows` rows and one column; biases and norms are
 * vectors. */
void hf_folder_set_weights (HfFolder *self, const char *const *names, guint rows);
/* A llama of no size with that vocabulary, tied: config.json and the weights. */
void hf_folder_set_model (HfFolder *self, const char *model_type, guint n_vocab);
AssayModelFile *hf_folder_open (HfFolder *self, GError **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HfFolder, hf_folder_clear)

G_END_DECLS
