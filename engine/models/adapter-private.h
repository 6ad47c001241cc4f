/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/models/adapter-private.h: what both kinds of adapter files are read into.
 *
 *   assay-adapter.c       life, pairing of A with B, shapes
 *   adapter-gguf.c        a GGUF file of type "adapter"
 *   adapter-peft.c        a PEFT folder: config, then tensors
 *   adapter-peft-config.c adapter_config.json
 *   adapter-list.c        the condition `attached_components` */
#pragma once

#include "assay-adapter.h"

G_BEGIN_DECLS

#define ADAPTER_RANK_MAX 65536u /* bounds what a pass must hold: tokens times rank */
#define ADAPTER_ALPHA_MAX 1e6
#define PEFT_CONFIG_BYTES_MAX (4u << 20)

struct _AssayAdapter
{
  gatomicrefcount ref_count;
  AssayModelFile *file;
  char *architecture; /* or NULL */
  gboolean half_split;
  GArray *parts;         /* AssayAdapterPart; `module` is owned */
  GHashTable *by_module; /* module (borrowed from the part) → index; only while reading */
};

AssayAdapter *assay_adapter_new (AssayModelFile *file); /* takes the reference */

/* Pairs up: the A or B of `module`. module is copied. */
gboolean assay_adapter_add (AssayAdapter *self, const char *module, const AssayTensorInfo *tensor,
                            gboolean is_b, GError **error);
/* Every A has its B, and both their one rank. */
gboolean assay_adapter_check (AssayAdapter *self, GError **error);

/* A complaint about a tensor, by its own name in the file. Always FALSE. */
gboolean assay_adapter_fail (AssayAdapter *self, AssayEngineError code, const char *reason,
                             const AssayTensorInfo *tensor, GError **error, const char *format, ...)
    G_GNUC_PRINTF (6, 7);

AssayAdapter *assay_adapter_open_gguf (const char *path, GCancellable *cancellable, GError **error);
AssayAdapter *assay_adapter_open_peft (const char *folder, GCancellable *cancellable, GError **error);

/* --- adapter-peft-config.c --- */
typedef struct
{
  char *path;
  guint rank;
  double alpha;
  gboolean rank_stabilized;                  /* alpha / sqrt (rank) */
  GPtrArray *rank_patterns, *alpha_patterns; /* PeftPattern */
} PeftConfig;

/* text: of adapter_config.json; path: for messages. */
PeftConfig *assay_peft_config_read (GBytes *text, const char *path, GError **error);
void assay_peft_config_free (PeftConfig *self);
/* What the config says of a module by its name in the model: "model.layers.3.self_attn.q_proj".
 * FALSE with UNSUPPORTED for a pattern that cannot be matched within bounds. */
gboolean assay_peft_config_find (const PeftConfig *self, const char *module, guint *rank, double *alpha,
                                 GError **error);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PeftConfig, assay_peft_config_free)

G_END_DECLS
