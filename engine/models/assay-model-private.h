/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/models/assay-model-private.h: what a family's graph fills in and computes with.
 *
 * assay-model.c owns the memory, the position and the units; a family owns the order of the operations. */
#pragma once

#include "assay-model.h"

G_BEGIN_DECLS

typedef struct
{
  AssayTensor w;
  const float *bias;    /* or NULL */
  guint unit;
} AssayLinear;

typedef struct
{
  const float *w;
  guint unit;
} AssayNorm;

typedef struct
{
  AssayNorm attn_norm, ffn_norm;
  AssayLinear q, k, v, output, gate, up, down;
  AssayTensor k_cache, v_cache;
} AssayLayer;

/* One chunk's intermediate tensors, parts of one buffer. Attention and feed-forward share `scratch`. */
typedef struct
{
  float *x;             /* [chunk, n_embd]: the residual stream */
  float *h;             /* [chunk, n_embd]: normed, and what a block adds */
  float *scratch;       /* q, k, v, attended; or gate, up */
} AssayActivations;

typedef struct _AssayGraph AssayGraph;

struct _AssayModel
{
  AssayModelFile *file;
  AssayModelConfig config;
  AssayDevice *device;  /* borrowed */
  const AssayGraph *graph;
  guint context, chunk, position;
  AssayDtype kv_dtype;

  GArray *units;        /* AssayModelUnit */
  AssayTensor embedding;
  guint embedding_unit;
  AssayLayer *layers;
  AssayNorm output_norm;
  AssayLinear head;
  AssayRope rope;

  GPtrArray *converted; /* AssayBuffer: vectors that the file does not hold as float32 */
  AssayBuffer *kv, *activations, *workspace, *logits;
  AssayActivations a;

  AssayUnitFunc unit_func; /* during a forward pass */
  gpointer unit_data;
};

struct _AssayGraph
{
  const char *architecture;
  gboolean (*build) (AssayModel *self, GError **error);
  /* Floats of `scratch` for a chunk of n tokens. */
  guint64 (*scratch_floats) (const AssayModelConfig *config, guint n);
  /* Bytes of kernel scratch for chunks of up to n tokens. */
  guint64 (*workspace_bytes) (AssayModel *self, guint n);
  /* n tokens at the model's position; the head only when asked for, and only for the last one. */
  gboolean (*forward) (AssayModel *self, const gint32 *tokens, guint n, gboolean head, GError **error);
};

extern const AssayGraph assay_llama_graph;

/* For build(): the tensor by name must exist, since the config was read. Each makes its unit. */
gboolean assay_model_find_linear (AssayModel *self, const char *component, gint group, const char *module,
                                  AssayLinear *out, GError **error);
gboolean assay_model_find_norm (AssayModel *self, const char *component, gint group, const char *module,
                                AssayNorm *out, GError **error);
gboolean assay_model_find_embedding (AssayModel *self, const char *module, GError **error);
/* A vector as float32: in place, or converted once into device memory. NULL without an error when absent. */
const float *assay_model_find_vector (AssayModel *self, const char *name, GError **error);

/* Before each unit. */
gboolean assay_model_enter (AssayModel *self, guint unit, GError **error);

G_END_DECLS
