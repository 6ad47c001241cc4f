/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/models/assay-config.h: a model's hyper-parameters, bounded and cross-checked.
 *
 * Every number is checked in type and range, and against the others and the tensors, before anything is
 * computed with it. Only metadata is read. What a family does differently is said here in single features, so
 * that no graph asks for a family's name. */
#pragma once

#include "rope-scaling.h"
#include "weights/assay-model-file.h"

G_BEGIN_DECLS

#define ASSAY_CONFIG_MAX_LAYERS 1024

/* Tensors beside the layers' that hold divisors of the rotation. */
typedef enum
{
  ASSAY_ROPE_TENSORS_NONE,
  ASSAY_ROPE_TENSORS_FREQS,
  ASSAY_ROPE_TENSORS_LONG_SHORT,
} AssayRopeTensors;

typedef struct
{
  char architecture[32];       /* "llama" */
  guint n_layers, n_embd, n_ff, n_heads, n_kv_heads, head_dim, head_dim_v, n_vocab;
  guint context_length;        /* of training; where positions are learned, the most there can be */

  float norm_eps;
  gboolean layer_norm;         /* norms subtract the mean and have a bias; else root mean square */
  gboolean qk_norm;            /* each head's q and k are normed before they turn */
  gboolean post_norms;         /* what a block adds is normed first */
  gboolean qkv_bias;
  gboolean fused_qkv;          /* attn_qkv holds the rows of q, k and v */
  gboolean fused_gate_up;      /* ffn_up holds the rows of gate and up */
  gboolean gated;              /* activation (gate) * up; else activation (up) */
  AssayActivation activation;
  gboolean tied_output;        /* the output matrix is token_embd */
  float embedding_scale;
  float attention_scale;       /* of the scores */
  float attention_soft_cap, output_soft_cap; /* 0: none */

  gboolean learned_positions;  /* a table position_embd of context_length rows; no rotation */
  AssayRope rope;              /* divisor is NULL here: assay_config_fill_rope_divisor() */
  gboolean has_rope_divisor;   /* rope needs divisors */
  AssayRopeScaling rope_scaling;
  AssayRopeTensors rope_tensors;
  gboolean has_rope_local;     /* layers with a window turn by rope_local, which has no divisor */
  AssayRope rope_local;
  guint window;                /* sliding window in tokens; 0 none */
  guint8 slides[ASSAY_CONFIG_MAX_LAYERS / 8]; /* a bit a layer: has the window */
} AssayModelConfig;

/* Vectors (norms, biases) are F32, F16 or BF16, divisors of the rotation F32; the vocabulary has at least as
 * many rows as tokens.
 * Returns: FALSE with FORMAT and one of
 *   config-missing, config-type, config-range, config-mismatch (both numbers are in the message),
 *   tensors-missing (the first five and the count), tensor-shape, tensor-type (a vector of blocks),
 * or UNSUPPORTED and one of
 *   architecture-unknown, not-a-model (an adapter, a projector),
 *   variant-unknown (a setting that is not known here),
 *   rope-scaling, per-layer-sizes, mixture-of-experts, quantization-version,
 *   tensor-type-unsupported (the first tensor, its type, how many), tensors-unused (by groups). */
gboolean assay_config_read (AssayModelConfig *self, AssayModelFile *file, GError **error);

/* The window of one layer; 0: it sees everything. */
guint assay_config_get_window (const AssayModelConfig *self, guint layer);

/* divisor [rope.n_dims / 2], on the host. Of longrope the long ones are chosen when context_length is
 * greater than the original one, as ggml does: one choice for a whole run, where transformers chooses anew
 * by each pass's length. Ones for tensors that are not mapped (a plan counts bytes only).
 * Returns: FALSE with FORMAT, "config-range": a divisor that is no positive number. */
gboolean assay_config_fill_rope_divisor (const AssayModelConfig *self, AssayModelFile *file,
                                         guint context_length, float *divisor, GError **error);

/* Bytes of a KV cache: 2 * layers * context * n_kv_heads * head_dim * bytes. */
guint64 assay_config_get_kv_bytes (const AssayModelConfig *self, guint context_length, AssayDtype dtype);

G_END_DECLS
