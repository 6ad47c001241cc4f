/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cuda/attention.h: what attention's plan and its kernels agree on. */
#pragma once

#include "backend.h"

#define ATTENTION_MAX_ROWS 16u /* of a tile */

/* One cache, keys or values. */
typedef struct
{
  const uint8_t *data;
  size_t row_bytes;
  AssayDtype dtype;
  uint32_t dim;
  size_t eights; /* whether heads are whole eights, aligned to be read as such */
} AttentionCache;

typedef struct
{
  float *y;
  const float *q;
  AttentionCache k, v;
  uint32_t n_heads, group, n_tokens, first, window; /* group: heads that share a key head */
  uint32_t tile_rows, n_splits;
  float scale, soft_cap;
  float *partial; /* [rows of all heads, n_splits, 2 + dim_v]: maximum, sum, output; NULL: one split */
} AttentionJob;

/* Floats of shared memory that a tile of so many rows takes. */
size_t cuda_attention_shared_floats (size_t rows, size_t dim, size_t dim_v);

/* Queues the kernels: rows: of each key head. */
AssayStatus cuda_attention_queue (AssayBackend *b, const AttentionJob *job, size_t rows, uint32_t n_kv_heads);
