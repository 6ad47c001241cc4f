/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/models/assay-adapter.h: a LoRA adapter, from a GGUF file or a PEFT folder (adapter_config.json,
 * adapter_model.safetensors).
 *
 *   y = W x + scale * (alpha / rank) * B (A x)       A [rank, in], B [out, rank]
 *
 * Opening reads metadata only. Names are those of the model's tensors without ".weight": "blk.3.attn_q". Immutable, any
 * thread. */
#pragma once

#include "weights/assay-model-file.h"

G_BEGIN_DECLS

typedef struct _AssayAdapter AssayAdapter;

typedef struct
{
  const char *module;        /* "blk.3.attn_q" */
  const AssayTensorInfo *a, *b;
  guint rank;
  float scale;               /* alpha / rank, or alpha / sqrt (rank) */
} AssayAdapterPart;

/* FORMAT: not an adapter, A without B, ranks that differ; UNSUPPORTED: DoRA, modules_to_save, bias, an embedding's. */
AssayAdapter *assay_adapter_open (const char *path, GCancellable *cancellable, GError **error);
AssayAdapter *assay_adapter_ref (AssayAdapter *self);
void assay_adapter_unref (AssayAdapter *self);
AssayModelFile *assay_adapter_get_file (AssayAdapter *self);
const char *assay_adapter_get_architecture (AssayAdapter *self); /* "llama", or NULL when it does not say */
gboolean assay_adapter_is_half_split (AssayAdapter *self); /* q and k rows as Hugging Face orders them; FALSE: as GGUF */
guint assay_adapter_get_n_parts (AssayAdapter *self);
const AssayAdapterPart *assay_adapter_get_part (AssayAdapter *self, guint i);

/* Entries of `attached_components`: PATH or PATH@SCALE, one a line; "none" and "" are no entries. Where a
 * file of the whole name is there, an @ in it begins no scale; PATH@1 is always understood.
 * Returns: (transfer full) (element-type AssayAdapterEntry); NULL with RULE. */
#define ASSAY_ADAPTER_SCALE_MAX 100 /* of either sign */
typedef struct { char *path; float scale; } AssayAdapterEntry;
GPtrArray *assay_adapter_parse_list (const char *text, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayAdapter, assay_adapter_unref)

G_END_DECLS
