/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/assay-discovery.h: models that are on this machine; looked at and listed, never moved or copied.
 *
 * Stores and their environment variables: conventions of Hugging Face, llama.cpp, Ollama, LM Studio,
 * GPT4All, Jan, textgen, ComfyUI, llmfit, Alpaca, and Assay's own folder. Symlinks are followed, one file
 * is one entry, a split model is one entry. A file that cannot be used is listed with the reason. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

#define ASSAY_TYPE_FOUND_MODEL (assay_found_model_get_type ())
G_DECLARE_FINAL_TYPE (AssayFoundModel, assay_found_model, ASSAY, FOUND_MODEL, GObject)
/* Properties, read-only: "path", "name" (for people), "model-id", "revision", "store" ("Hugging Face
 * cache" …), "architecture", "quantization", "dtype" (native number format), "bytes" (uint64), "context-length" (uint), "problem" (NULL:
 * usable). */
const char *assay_found_model_get_path (AssayFoundModel *self);
const char *assay_found_model_get_name (AssayFoundModel *self);
const char *assay_found_model_get_store (AssayFoundModel *self);
const char *assay_found_model_get_problem (AssayFoundModel *self);

/* extra_folders: NULL-terminated or NULL, searched besides the stores. Bounded in depth and number;
 * cancellable. (element-type AssayFoundModel) (transfer full), usable ones first, then by name. */
GPtrArray *assay_discovery_scan (const char *const *extra_folders, gboolean stores,
                                 GCancellable *cancellable, GError **error);
void assay_discovery_scan_async (const char *const *extra_folders, gboolean stores,
                                 GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data);
GPtrArray *assay_discovery_scan_finish (GAsyncResult *result, GError **error);

/* Where `make run` puts the default model: the user's data folder, assay/models. (transfer full) */
char *assay_discovery_dup_own_folder (void);

G_END_DECLS
