/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/kernels.h: one table of operations, implemented by cpu/, cuda/ and plan/.
 *
 * A backend is a struct of functions, so that the engine, the planner and a fault-injecting test double look alike.
 * Activations are dense row-major float32; only weights and the KV cache come in other formats. Every slot of a table
 * is filled; an operation that cannot be done answers ASSAY_UNSUPPORTED. No globals, no exit, no GLib: this header is
 * also nvcc's. Launchers take any size, zero and odd ones included. One engine thread per backend; a backend may use
 * threads of its own. Nothing allocates behind the caller's back: scratch is asked for by size and passed in. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { ASSAY_OK, ASSAY_UNSUPPORTED, ASSAY_NO_MEMORY, ASSAY_DEVICE_FAULT } AssayStatus;

/* Element formats under GGUF's own numbers. */
typedef enum
{
  ASSAY_DTYPE_F32 = 0, ASSAY_DTYPE_F16 = 1, ASSAY_DTYPE_Q4_0 = 2, ASSAY_DTYPE_Q4_1 = 3, ASSAY_DTYPE_Q5_0 = 6,
  ASSAY_DTYPE_Q5_1 = 7, ASSAY_DTYPE_Q8_0 = 8, ASSAY_DTYPE_Q8_1 = 9, ASSAY_DTYPE_Q2_K = 10, ASSAY_DTYPE_Q3_K = 11,
  ASSAY_DTYPE_Q4_K = 12, ASSAY_DTYPE_Q5_K = 13, ASSAY_DTYPE_Q6_K = 14, ASSAY_DTYPE_Q8_K = 15, ASSAY_DTYPE_IQ2_XXS = 16,
  ASSAY_DTYPE_IQ2_XS = 17, ASSAY_DTYPE_IQ3_XXS = 18, ASSAY_DTYPE_IQ1_S = 19, ASSAY_DTYPE_IQ4_NL = 20,
  ASSAY_DTYPE_IQ3_S = 21, ASSAY_DTYPE_IQ2_S = 22, ASSAY_DTYPE_IQ4_XS = 23, ASSAY_DTYPE_I8 = 24, ASSAY_DTYPE_I16 = 25,
  ASSAY_DTYPE_I32 = 26, ASSAY_DTYPE_I64 = 27, ASSAY_DTYPE_F64 = 28, ASSAY_DTYPE_IQ1_M = 29, ASSAY_DTYPE_BF16 = 30,
  ASSAY_DTYPE_TQ1_0 = 34, ASSAY_DTYPE_TQ2_0 = 35, ASSAY_DTYPE_MXFP4 = 39, ASSAY_DTYPE_NVFP4 = 40,
  ASSAY_DTYPE_Q1_0 = 41, ASSAY_DTYPE_Q2_0 = 42,
  /* bitsandbytes' formats, which GGUF has no number for. They hold a matrix as a whole, see below. */
  ASSAY_DTYPE_NF4 = 1000, ASSAY_DTYPE_FP4 = 1001, ASSAY_DTYPE_NF4_DOUBLE = 1002, ASSAY_DTYPE_FP4_DOUBLE = 1003,
  ASSAY_DTYPE_INT8 = 1004,
} AssayDtype;

typedef struct
{
  AssayDtype dtype;
  const char *name;       /* "Q4_1" */
  uint32_t block_elements, block_bytes; /* of a format of rows; 1 and 0 of a whole one */
  bool quantized;
  bool whole;             /* a matrix is one piece: its rows cannot be told apart by row_bytes, which is 0 */
} AssayDtypeInfo;

/* NULL for a number that is not, or no longer, a format. */
const AssayDtypeInfo *assay_dtype_info (uint32_t dtype);
/* By its name in AssayDtypeInfo, or "float32", "float16", "bfloat16"; in any case of letters. */
bool assay_dtype_from_name (const char *name, AssayDtype *out);
/* Whether the CPU kernels dequantize it, hence every operation on weights works with it. */
bool assay_dtype_can_compute (uint32_t dtype);
/* Whether the CPU kernels' quantize() makes it. */
bool assay_dtype_can_quantize (uint32_t dtype);

/* Bytes of a matrix of n_rows rows of n elements; 0 where the rows are no whole blocks or it would not fit size_t.
 * Matrices in whole formats lie like this, every part padded to a multiple of 64 bytes, elements counted row by row:
 *   NF4, FP4: codes, two a byte, the first in the high half; float absmax [blocks of 64 elements]
 *   *_DOUBLE: codes; uint8 absmax codes [blocks]; float nested absmax [blocks / 256, up]; float offset
 *   INT8:     int8 codes [n_rows, n]; float scale [n_rows]: the row's greatest magnitude */
size_t assay_dtype_matrix_bytes (AssayDtype dtype, int64_t n, int64_t n_rows);

#define ASSAY_INT8_THRESHOLD 6.0f /* LLM.int8(): activations from here on are outliers and keep their format */

/* A weight: rows of `shape[0]` contiguous elements, GGUF order (fastest first), shape[1] rows, and so on. */
typedef struct
{
  AssayDtype dtype;
  int64_t shape[4];       /* unused ones are 1 */
  size_t row_bytes;
  const void *data;       /* on the backend's device */
} AssayTensor;

/* Angle of pair i at position p: p * scale * base^(-2i/n_dims) / divisor[i]; cos and sin times `magnitude`. */
typedef struct
{
  uint32_t n_dims;        /* dimensions of a head that rotate, even; the rest pass through */
  bool adjacent;          /* pairs (2i, 2i+1), else (i, i + n_dims/2) */
  float base, scale, magnitude;
  const float *divisor;   /* [n_dims/2], or NULL for ones */
} AssayRope;

typedef struct
{
  const AssayTensor *k, *v; /* caches: shape {n_kv_heads * head_dim, capacity}, each F32, F16, or Q8_0 where
                             * head_dim is whole blocks of 32 */
  uint32_t n_heads, n_kv_heads, head_dim, head_dim_v;
  uint32_t n_tokens;      /* queries */
  uint32_t first;         /* position of the first query; keys 0 .. first + i are visible to query i */
  uint32_t window;        /* keys older than this many positions are not visible; 0: no window */
  float scale;            /* of the scores, usually 1/sqrt(head_dim) */
  float soft_cap;         /* cap * tanh(score / cap); 0: none */
} AssayAttention;

typedef enum { ASSAY_ACTIVATION_SILU, ASSAY_ACTIVATION_GELU_TANH, ASSAY_ACTIVATION_GELU } AssayActivation;

/* Draws from softmax(logits / temperature) cut by top_k then top_p; temperature 0 takes the greatest, ties the lowest
 * id. Counter-based (Philox 4x32-10): the same (seed, stream, counter) gives the same number on any backend. */
typedef struct
{
  float temperature, top_p;
  uint32_t top_k;         /* 0: all */
  uint64_t seed, stream, counter; /* stream: which answer; counter: which token of it */
} AssaySampling;

typedef struct AssayBackend AssayBackend;

typedef struct
{
  const char *name;       /* "cpu" */

  void (*destroy) (AssayBackend *b);
  AssayStatus (*alloc) (AssayBackend *b, size_t bytes, void **out); /* 64-byte aligned */
  void (*free) (AssayBackend *b, void *memory, size_t bytes);       /* NULL is fine */
  AssayStatus (*upload) (AssayBackend *b, void *device, const void *host, size_t bytes);
  AssayStatus (*download) (AssayBackend *b, void *host, const void *device, size_t bytes);

  /* y [n_tokens, shape[0]] = scale * table row ids[i] */
  AssayStatus (*embed) (AssayBackend *b, float *y, const AssayTensor *table, const int32_t *ids, size_t n_tokens, float scale);
  /* y [n_rows, n] = x / sqrt(mean(x^2) + eps) * w; y may be x */
  AssayStatus (*rmsnorm) (AssayBackend *b, float *y, const float *x, const float *w, size_t n_rows, size_t n, float eps);
  /* y [n_rows, n] = (x - mean) / sqrt(var + eps) * w + bias; bias may be NULL; y may be x */
  AssayStatus (*layernorm) (AssayBackend *b, float *y, const float *x, const float *w, const float *bias, size_t n_rows, size_t n, float eps);
  /* x [n_tokens, n_heads, head_dim], in place; token i stands at position first + i */
  AssayStatus (*rope) (AssayBackend *b, float *x, const AssayRope *rope, size_t n_tokens, size_t n_heads, size_t head_dim, uint32_t first);
  /* y [n_tokens, shape[1]] = x [n_tokens, shape[0]] * w^T + bias (or NULL). workspace: matmul_workspace() bytes. */
  AssayStatus (*matmul) (AssayBackend *b, float *y, const AssayTensor *w, const float *x, size_t n_tokens, const float *bias, void *workspace);
  size_t (*matmul_workspace) (AssayBackend *b, const AssayTensor *w, size_t n_tokens);
  /* rows [first, first + n_tokens) of the cache = x, converted. x [n_tokens, cache->shape[0]] */
  AssayStatus (*kv_store) (AssayBackend *b, const AssayTensor *cache, const float *x, size_t n_tokens, uint32_t first);
  /* y [n_tokens, n_heads, head_dim_v], q [n_tokens, n_heads, head_dim]. workspace: attention_workspace() bytes. */
  AssayStatus (*attention) (AssayBackend *b, float *y, const float *q, const AssayAttention *a, void *workspace);
  size_t (*attention_workspace) (AssayBackend *b, const AssayAttention *a);
  /* y[n] = activation (gate[n]) * up[n]; y may be gate or up */
  AssayStatus (*gated) (AssayBackend *b, float *y, const float *gate, const float *up, size_t n, AssayActivation activation);
  /* y[n] = activation (x[n]); y may be x */
  AssayStatus (*activate) (AssayBackend *b, float *y, const float *x, size_t n, AssayActivation activation);
  /* y[n] += scale * x[n] */
  AssayStatus (*add) (AssayBackend *b, float *y, const float *x, size_t n, float scale);
  /* each row of x [n_rows, n] becomes its softmax, in place */
  AssayStatus (*softmax) (AssayBackend *b, float *x, size_t n_rows, size_t n);
  /* x[n] = cap * tanh (x[n] / cap), in place */
  AssayStatus (*soft_cap) (AssayBackend *b, float *x, size_t n, float cap);
  /* *token drawn from logits [n]. workspace: sample_workspace() bytes. A NaN among the logits: ASSAY_DEVICE_FAULT. */
  AssayStatus (*sample) (AssayBackend *b, int32_t *token, const float *logits, size_t n, const AssaySampling *s, void *workspace);
  size_t (*sample_workspace) (AssayBackend *b, size_t n);
  /* y [n_rows, shape[0]]: rows [first, first + n_rows) of w as float32 */
  AssayStatus (*dequantize) (AssayBackend *b, float *y, const AssayTensor *w, size_t first, size_t n_rows);
  /* Rows [first, first + n_rows) of w become x [n_rows, shape[0]] in w's format. n_rows a multiple of 64, but for the
   * last rows. *_DOUBLE lacks its statistics, which the scratch gathers, until quantize_finish(). scratch:
   * quantize_scratch() bytes, the same for all rows of a matrix. UNSUPPORTED for a format that cannot be made here,
   * DEVICE_FAULT for a number that is not finite or too great for the format: the fault says which. */
  AssayStatus (*quantize) (AssayBackend *b, const AssayTensor *w, const float *x, size_t first, size_t n_rows, void *scratch);
  AssayStatus (*quantize_finish) (AssayBackend *b, const AssayTensor *w, void *scratch);
  size_t (*quantize_scratch) (AssayBackend *b, const AssayTensor *w);
  /* waits; faults of queued work surface here */
  AssayStatus (*sync) (AssayBackend *b);
} AssayKernels;

/* First member of each backend's own struct. `fault` says what went wrong after any status but OK. */
struct AssayBackend
{
  const AssayKernels *ops;
  char fault[240];
};

/* --- cpu/ --- */

typedef enum
{
  ASSAY_CPU_SCALAR, /* the reference every other version is judged by */
  ASSAY_CPU_AVX2,   /* with FMA and F16C */
  ASSAY_CPU_AVX512, /* F, BW, VL, DQ and VNNI */
  ASSAY_CPU_BEST,   /* the widest this processor has */
} AssayCpuIsa;

/* The form in which activations enter a product with weights; sums are float32 always. Weights in INT8 are
 * dequantized for F32; else the product is that of LLM.int8(): integers, but for the columns where any token of the
 * call has an outlier, and results rounded to F16 or BF16 where that is the form. */
typedef enum
{
  ASSAY_COMPUTE_F32,      /* as they are */
  ASSAY_COMPUTE_F16,      /* rounded to float16 */
  ASSAY_COMPUTE_BF16,     /* rounded to bfloat16 */
  ASSAY_COMPUTE_INT8,     /* 16-bit, in two int8 terms, with the formats whose blocks the integer kernels know
                           * (Q*, IQ4_*); else as they are */
} AssayCompute;

typedef struct
{
  uint32_t n_threads;     /* 0: the number of cores this process may use */
  AssayCpuIsa isa;
  AssayCompute compute;
  bool shared_memory;     /* alloc() hands out shared mappings, which the system counts apart from the process's own
                           * memory: a device that only pretends to have its own */
} AssayCpuOptions;

/* NULL when there is no memory or the processor lacks `isa`. Results never depend on n_threads. */
AssayBackend *assay_cpu_backend_new (const AssayCpuOptions *options);
uint32_t assay_cpu_get_n_threads (const AssayBackend *b);
AssayCpuIsa assay_cpu_get_isa (const AssayBackend *b);
const char *assay_cpu_get_kernel_name (const AssayBackend *b); /* "avx512-vnni int8x2", "scalar float16" … for the record */
bool assay_cpu_has_isa (AssayCpuIsa isa);

#ifdef __cplusplus
}
#endif
