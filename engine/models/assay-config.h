/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/models/assay-config.h: a model's hyper-parameters, bounded and cross-checked.
 *
 * Every number is checked in type and range, and against the others and the tensors, before anything is
 * computed with it. Only metadata is read. */
#pragma once

#include "weights/assay-model-file.h"

G_BEGIN_DECLS

typedef struct
{
  char architecture[32];       /* "llama" */
  guint n_layers, n_embd, n_ff, n_heads, n_kv_heads, head_dim, head_dim_v, n_vocab;
  guint context_length;        /* of training */
  float norm_eps;
  AssayRope rope;              /* divisor is NULL here; the graph fills it from rope_freqs */
  gboolean has_rope_divisor;   /* rope_freqs.weight is present */
  guint window;                /* sliding window in tokens; 0 none */
  gboolean tied_output;        /* the output matrix is token_embd */
  gboolean qkv_bias;
} AssayModelConfig;

/* Vectors (norms, biases, rope_freqs) are F32, F16 or BF16; the vocabulary has at least as many rows as
 * tokens.
 * Returns: FALSE with FORMAT and one of
 *   config-missing, config-type, config-range, config-mismatch (both numbers are in the message),
 *   tensors-missing (the first five and the count), tensor-shape, tensor-type (a vector of blocks),
 * or UNSUPPORTED and one of
 *   architecture-unknown, not-a-model (an adapter, a projector),
 *   variant-unknown (a setting that is not known here),
 *   rope-scaling, per-layer-sizes, mixture-of-experts, quantization-version,
 *   tensor-type-unsupported (the first tensor, its type, how many), tensors-unused (by groups). */
gboolean assay_config_read (AssayModelConfig *self, AssayModelFile *file, GError **error);

/* Bytes of a KV cache: 2 * layers * context * n_kv_heads * head_dim * bytes. */
guint64 assay_config_get_kv_bytes (const AssayModelConfig *self, guint context_length, AssayDtype dtype);

G_END_DECLS
