/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/models/assay-model.h: a decoder that can be run.
 *
 * A model describes itself as components → groups → modules, so that placement needs no knowledge of it. Its graph is
 * direct C calls on the kernel table, one file a family. One engine thread. */
#pragma once

#include "assay-config.h"
#include "assay-device.h"

G_BEGIN_DECLS

typedef struct _AssayModel AssayModel;

typedef struct
{
  const char *component;  /* embedding, decoder, head */
  gint group;             /* layer number; -1 outside the layers */
  const char *module;     /* "attn_q", "ffn_down" …; "" for the whole group */
  guint64 weight_bytes;   /* a tied output matrix counts in both of its units */
} AssayModelUnit;

typedef struct
{
  guint context_length;   /* capacity of the KV cache */
  AssayDtype kv_dtype;    /* F32 or F16 */
  guint chunk;            /* prompt tokens worked on at once; 0: 128 */
} AssayModelOptions;

/* Called before each unit is computed: FALSE stops the forward pass (cancelled, time limit). */
typedef gboolean (*AssayUnitFunc) (const AssayModelUnit *unit, gpointer data, GError **error);

/* Whether assay_model_new() changes the format of some weights: vectors that are not stored as float32. */
gboolean assay_model_file_needs_conversion (AssayModelFile *file);

/* The file is mapped and referenced. Allocates KV cache, activations, workspace and output on the device. */
AssayModel *assay_model_new (AssayModelFile *file, const AssayModelConfig *config, AssayDevice *device,
                             const AssayModelOptions *options, GError **error);
void assay_model_free (AssayModel *self);
const AssayModelConfig *assay_model_get_config (AssayModel *self);
guint assay_model_get_n_units (AssayModel *self);
const AssayModelUnit *assay_model_get_unit (AssayModel *self, guint i);

/* Runs tokens at positions [get_position(), +n) through the decoder and leaves the last token's logits.
 * CONTEXT when they do not fit. */
gboolean assay_model_forward (AssayModel *self, const gint32 *tokens, guint n, AssayUnitFunc unit, gpointer data, GError **error);
const float *assay_model_get_logits (AssayModel *self);   /* [n_vocab], on the device; valid until the next forward */
guint assay_model_get_position (AssayModel *self);
void assay_model_reset (AssayModel *self);                /* position 0; nothing is freed */
gboolean assay_model_sample (AssayModel *self, const AssaySampling *sampling, gint32 *token, GError **error); /* OUTPUT on NaN */
const char *assay_model_get_attention_kernel (AssayModel *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayModel, assay_model_free)

G_END_DECLS
