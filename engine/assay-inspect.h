/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/assay-inspect.h: what a model file is, from its metadata alone, with the same verdict that
 * loading gives. */
#pragma once

#include "assay-values.h"
#include "models/assay-config.h"
#include "text/assay-chat.h"

G_BEGIN_DECLS

typedef struct
{
  char *path;              /* as it was asked for */
  gboolean allows_missing_pre;
  AssayModelFile *file;
  AssayModelConfig config;
  AssayTokenizer *tokenizer;
  AssayChatFormat chat_format;
  char *chat_problem;      /* why chat formatting is unavailable, or NULL */
  /* from the path's store (org/name), else general.basename and .name; never a quantization */
  char *model_id;
  char *model_revision;    /* snapshot commit, ollama digest, general.version, or NULL */
  char *quantization;      /* dtype that holds most bytes of the matrices: "Q4_1", or "none" */
} AssayInspection;

/* Reads metadata only. NULL with the error that loading would give. */
AssayInspection *assay_inspect (const char *path, gboolean allow_missing_pre, GCancellable *cancellable,
                                GError **error);
void assay_inspection_free (AssayInspection *self);

/* Sets model_id, model_revision, model_path, weight_format, architecture, quantization, quantization_method,
 * quantized_modules, dtype, and model_bytes; other fields stay. */
void assay_inspection_fill_conditions (const AssayInspection *self, AssayValues *conditions);
char *assay_inspection_dup_report (const AssayInspection *self, gboolean json); /* for `assay inspect` */

void assay_inspect_async (const char *path, GCancellable *cancellable, GAsyncReadyCallback callback,
                          gpointer data);
AssayInspection *assay_inspect_finish (GAsyncResult *result, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayInspection, assay_inspection_free)

G_END_DECLS
