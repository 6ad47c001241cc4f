/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/assay-model-id.h: what a model is called, whatever file carries it. */
#pragma once

#include "weights/assay-model-file.h"

G_BEGIN_DECLS

/* From the store the path lies in: Hugging Face's cache (org/name, commit), Ollama's blobs (name:tag,
 * digest), LM Studio's folders (publisher/model). Both are NULL elsewhere. (transfer full) */
void assay_model_id_from_path (const char *path, char **model_id, char **revision);

/* From the metadata: general.basename with size and fine-tune, else general.name, else the file's name.
 * (transfer full) */
char *assay_model_id_from_metadata (AssayModelFile *file);

/* The same name without words like Q4_K_M or F16: quantization is an axis of its own. (transfer full) */
char *assay_model_id_strip_quantization (const char *name);

/* The blob's path that an Ollama manifest names as its model, NULL when it names none. models: the folder
 * that holds manifests/ and blobs/. (transfer full) */
char *assay_model_id_read_manifest (const char *models, const char *manifest_path);
/* "llama3.2:1b" of .../manifests/registry.ollama.ai/library/llama3.2/1b. (transfer full) */
char *assay_model_id_from_manifest_path (const char *manifest_path);

/* Calls visit for every manifest below models/manifests, at most 4096; stops when it answers FALSE. */
void assay_model_id_walk_manifests (const char *models,
                                    gboolean (*visit) (const char *manifest_path, gpointer data),
                                    gpointer data);

G_END_DECLS
