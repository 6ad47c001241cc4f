/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cuda/weight.h: a weight as kernels are given it, and the formats that they know. What travels with
 * a launch has no gaps: nothing undefined travels along.
 *
 * ASSAY_CUDA_FORMATS calls a macro for each format, so that there is one list of them. */
#pragma once

#include "backend.h"

typedef struct
{
  const uint8_t *data;
  size_t row_bytes;           /* of a format of rows */
  size_t n, n_rows;
  AssayDtype dtype;
  uint32_t aligned;           /* data and rows, as the format's own loads want it */
  const float *absmax, *nested, *offset, *scale; /* parts of whole formats, see whole-format.h */
  const uint8_t *absmax_codes;
} CudaWeight;

#define ASSAY_CUDA_PLAIN(X) X (F32) X (F16) X (BF16) X (F64) X (NF4) X (FP4) X (NF4_DOUBLE) X (FP4_DOUBLE) X (INT8)
#define ASSAY_CUDA_BLOCKS(X)                                                                            \
  X (Q4_0) X (Q4_1) X (Q5_0) X (Q5_1) X (Q8_0) X (Q8_1) X (Q2_K) X (Q3_K) X (Q4_K) X (Q5_K) X (Q6_K) X (Q8_K)
#define ASSAY_CUDA_CODEBOOKS(X)                                                                         \
  X (TQ1_0) X (TQ2_0) X (IQ1_S) X (IQ1_M) X (IQ2_XXS) X (IQ2_XS) X (IQ2_S) X (IQ3_XXS) X (IQ3_S)       \
  X (IQ4_NL) X (IQ4_XS) X (MXFP4) X (NVFP4)
#define ASSAY_CUDA_FORMATS(X) ASSAY_CUDA_PLAIN (X) ASSAY_CUDA_BLOCKS (X) ASSAY_CUDA_CODEBOOKS (X)

/* UNSUPPORTED, with why, for a format that the kernels do not know, and rows that are no whole blocks. */
AssayStatus cuda_weight_look (AssayBackend *b, CudaWeight *out, const AssayTensor *w);

/* y [n_rows, n] of rows [first, first + n_rows) as F32, F16 or BF16, which `to` says. Queued. */
AssayStatus cuda_weight_read (AssayBackend *b, void *y, AssayDtype to, const CudaWeight *w, size_t first,
                              size_t n_rows);

/* --- products of few tokens, matvec*.cu --- */

#define CUDA_MATVEC_TOKENS 8u

/* y [n_tokens, n_rows] = x [n_tokens, n] * w^T + bias (or NULL), of up to CUDA_MATVEC_TOKENS tokens. */
typedef struct
{
  float *y;
  CudaWeight w;               /* aligned */
  const float *x, *bias;
  size_t n_tokens;
  AssayDtype form;            /* what x is rounded to, F16 or BF16; F32: nothing */
  uint32_t x_aligned;         /* eights of x are whole 16 bytes */
} CudaMatvec;

/* Queue it, for a part of the formats: false for one that is not among them. The weights are read once. */
bool cuda_matvec_plain (const CudaMatvec *m, cudaStream_t stream);
bool cuda_matvec_blocks (const CudaMatvec *m, cudaStream_t stream);
bool cuda_matvec_codebooks (const CudaMatvec *m, cudaStream_t stream);

/* --- LLM.int8(), vectorwise.cu --- */

/* w is INT8. form: what x is rounded to first. */
size_t cuda_vectorwise_bytes (const CudaWeight *w, size_t n_tokens);
AssayStatus cuda_vectorwise (AssayBackend *b, float *y, const CudaWeight *w, const float *x, AssayDtype form,
                             size_t n_tokens, const float *bias, void *workspace);
