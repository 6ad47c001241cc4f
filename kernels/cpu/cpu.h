/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cpu/cpu.h: what the files of this folder share.
 *
 * Each operation is one file: it checks, cuts the work in chunks whose borders do not depend on the number of
 * threads, and calls inner loops through the CpuIsa table, which exists once for every instruction set.
 * Within a chunk the order of every sum is fixed, so results are the same bit for bit with any number of
 * threads. */
#pragma once

#include "kernels.h"
#include "threads.h"

/* --- integer products --- */

/* How a quantized format looks to the integer kernels: unsigned codes c, in groups with a scale d each, and
 * either a constant offset (value = d * (c - offset)) or a minimum (value = d * c + m). */
typedef struct
{
  AssayDtype dtype;
  uint32_t block_elements, block_bytes;
  uint32_t group;         /* elements that share d and m: 16 or 32 */
  int32_t offset;         /* of the codes; 0 where the format has minimums */
  bool has_min;
} CpuFormat;

/* NULL where the format has no integer kernels. */
const CpuFormat *cpu_format_get (AssayDtype dtype);

/* One block of 256 or 32 elements taken apart: codes [block_elements], d and m [block_elements / group]. */
void cpu_format_unpack (const CpuFormat *format, const uint8_t *block, uint8_t *codes, float *d, float *m);

/* Activations are rounded to 16 bits and multiplied as two terms of eight, for with eight alone an outlier
 * leaves next to nothing of them to its neighbours: a = d * (256 * high + low). Both terms are -127..127: a
 * low one of -128, which could not change its sign, becomes -127. A row is n high terms, then n low ones.
 * Groups are of the weights' size, d is that of 32 elements; a group's sum of products, 32 * 255 * 32639 at
 * most, fits 32 bits. */
typedef struct
{
  float d;
  union
  {
    float sum;            /* d * sum of both terms: goes with the minimum */
    int32_t bias;         /* -offset * sum of both terms: where the integer sum starts */
  };
} CpuGroup;

#define CPU_ACTIVATION_MAX 32512.0f /* 127 * 256 */

/* --- LLM.int8() products, see matmul-vectorwise.c --- */

/* One token's activations: value = scale / 127 * code. */
typedef struct
{
  float scale;
  int32_t sum;            /* of the codes */
} CpuToken;

/* Bytes from one token's codes to the next one's: zeros follow them, so that inner loops need no
 * remainders. */
static inline size_t
cpu_vectorwise_stride (size_t n)
{
  return (n + 63) / 64 * 64;
}

/* --- inner loops --- */

typedef struct
{
  AssayCpuIsa id;
  const char *name;

  void (*rmsnorm) (float *y, const float *x, const float *w, size_t n, float eps);
  void (*layernorm) (float *y, const float *x, const float *w, const float *bias, size_t n, float eps);
  void (*gated) (float *y, const float *gate, const float *up, size_t n, AssayActivation activation);
  void (*activate) (float *y, const float *x, size_t n, AssayActivation activation);
  void (*add) (float *y, const float *x, size_t n, float scale);
  void (*softmax) (float *x, size_t n);
  void (*soft_cap) (float *x, size_t n, float cap);

  /* cos and sin of angle[n], in radians of any size */
  void (*sincos) (float *cosine, float *sine, const double *angle, size_t n);
  /* (a, b) [i * stride] turned by angle i; stride: 1, or 2 with b = a + 1 */
  void (*rotate) (float *a, float *b, const float *cosine, const float *sine, size_t n, size_t stride);

  /* dtype: F32, F16 or BF16 */
  void (*to_float) (float *y, const void *x, AssayDtype dtype, size_t n);
  void (*to_f16) (void *y, const float *x, size_t n);
  /* y = x rounded to F16 or BF16; y may be x */
  void (*round) (float *y, const float *x, AssayDtype dtype, size_t n);
  /* n elements of the blocks of a format with integer kernels; NULL where there is no fast version */
  void (*dequantize) (float *y, const CpuFormat *format, const void *blocks, size_t n);
  /* y [n_blocks, 64] = absmax [n_blocks] * the 16 values by codes, two a byte, the first in the high half;
   * NULL where there is no fast version */
  void (*dequantize_4bit) (float *y, const uint8_t *codes, const float *values, const float *absmax,
                           size_t n_blocks);
  /* what these are, times x [n_blocks, 64], in all; NULL likewise */
  float (*dot_4bit) (const float *x, const uint8_t *codes, const float *values, const float *absmax,
                     size_t n_blocks);
  float (*dot) (const float *x, const void *w, AssayDtype dtype, size_t n);
  /* scores [n_keys] = q [dim] * each key; rows of keys and values are `stride` bytes apart, F32, F16 or Q8_0
   * in whole blocks */
  void (*scores) (float *scores, const float *q, const void *k, size_t stride, AssayDtype dtype,
                  size_t n_keys, size_t dim);
  /* y [dim] += the values, weighted */
  void (*mix) (float *y, const float *weights, const void *v, size_t stride, AssayDtype dtype, size_t n_keys,
               size_t dim);
  /* x = x * scale, capped unless cap is 0; returns the greatest */
  float (*score) (float *x, size_t n, float scale, float cap);
  /* x = exp (x - max), 0 for -infinity; returns the sum */
  float (*exp_sum) (float *x, size_t n, float max);

  /* c [m, panel_width] = (add ? c : 0) + a [m, k] * panel [k, panel_width]; NULL where there is none */
  void (*gemm) (float *c, size_t ldc, const float *a, size_t lda, const float *panel, size_t m, size_t k,
                bool add);
  uint32_t panel_width;   /* a multiple of 8 */
  /* panel [i * panel_width + r] = rows [r * stride + i], eight rows of n elements each */
  void (*turn) (float *panel, const float *rows, size_t stride, size_t n);

  /* codes [2, n]: high and low terms */
  void (*quantize) (int8_t *codes, CpuGroup *groups, const float *x, size_t n, const CpuFormat *format);
  /* y [n_rows] = rows * one quantized activation row of n elements */
  void (*gemv_int8) (float *y, const CpuFormat *format, const uint8_t *rows, size_t row_bytes, size_t n_rows,
                     const int8_t *codes, const CpuGroup *groups, size_t n);
  /* Products of `panel_rows` rows at once, see simd-panel.h; NULL and 0 where there are none. A panel takes
   * cpu_panel_bytes(). */
  uint32_t panel_rows;
  void (*pack_int8) (void *panel, const CpuFormat *format, const uint8_t *rows, size_t row_bytes,
                     size_t n_rows, size_t n);
  void (*gemm_int8) (float *y, size_t ldy, const CpuFormat *format, const void *panel, size_t n_rows,
                     const int8_t *codes, const CpuGroup *groups, size_t n_tokens, size_t n);

  /* LLM.int8(): codes of float16 activations, 0 for outliers; returns the greatest magnitude that is none,
   * NaN where there is a NaN */
  float (*quantize_vectorwise) (int8_t *codes, const float *x, size_t n);
  /* y [n_tokens, n_rows], rows of it ldy apart: rows [n_rows, n] * codes [n_tokens, stride of n]. Up to 63
   * bytes behind the rows are read. */
  void (*dot_vectorwise) (int32_t *y, size_t ldy, const int8_t *rows, size_t n_rows, const int8_t *codes,
                          const CpuToken *tokens, size_t n_tokens, size_t n);
} CpuIsa;

extern const CpuIsa cpu_isa_scalar;
#ifdef ASSAY_HAVE_X86_KERNELS
extern const CpuIsa cpu_isa_avx2, cpu_isa_avx512;
#endif

/* --- the backend --- */

#define CPU_MAX_PAIRS 512

typedef struct
{
  AssayBackend base;
  const CpuIsa *isa;
  AssayCompute compute;
  bool shared_memory;
  CpuPool *pool;          /* owned */
  char kernel_name[48];

  /* The last rope's frequencies: a model asks for the same ones in every layer. */
  double frequency[CPU_MAX_PAIRS];
  float frequency_base;
  uint32_t frequency_dims;
} CpuBackend;

/* Writes the fault and returns `status`. */
AssayStatus cpu_fault (AssayBackend *b, AssayStatus status, const char *format, ...)
  __attribute__ ((format (printf, 3, 4)));

static inline CpuBackend *
cpu_backend (AssayBackend *b)
{
  return (CpuBackend *) b;
}

static inline size_t
cpu_panel_bytes (const CpuIsa *isa, const CpuFormat *format, size_t n)
{
  return isa->panel_rows * (n + n / format->group * sizeof (float) * (format->has_min ? 2 : 1));
}

/* First and last + 1 key that query i sees. */
static inline void
cpu_attention_range (const AssayAttention *a, size_t query, size_t *from, size_t *to)
{
  *to = a->first + query + 1;
  *from = a->window > 0 && *to > a->window ? *to - a->window : 0;
}

/* Bytes of n elements of a cache, whole blocks. */
static inline size_t
cpu_cache_bytes (AssayDtype dtype, size_t n)
{
  return dtype == ASSAY_DTYPE_Q8_0 ? n / 32 * 34 : n * (dtype == ASSAY_DTYPE_F16 ? 2 : 4);
}

static inline const uint8_t *
cpu_attention_row (const AssayTensor *cache, size_t key, size_t kv_head, size_t dim)
{
  return (const uint8_t *) cache->data + key * cache->row_bytes
         + cpu_cache_bytes (cache->dtype, kv_head * dim);
}

/* Whether rows of n elements can be cached in it: F32, F16, or Q8_0 and whole blocks. */
static inline bool
cpu_cache_holds (AssayDtype dtype, size_t n)
{
  return dtype == ASSAY_DTYPE_F32 || dtype == ASSAY_DTYPE_F16 || (dtype == ASSAY_DTYPE_Q8_0 && n % 32 == 0);
}

static inline size_t
cpu_round_up (size_t n, size_t multiple)
{
  return (n + multiple - 1) / multiple * multiple;
}

static inline size_t
cpu_min (size_t a, size_t b)
{
  return a < b ? a : b;
}

/* n elements, whole blocks, of any format of rows that can be computed with, by the fastest way. */
void cpu_read_row (const CpuIsa *isa, float *y, AssayDtype dtype, const void *blocks, size_t n);

/* Elements [from, from + n) of a row of a matrix of any format that can be computed with, whole ones
 * included; both whole blocks where the format has rows. */
void cpu_read_matrix_part (const CpuIsa *isa, float *y, const AssayTensor *w, size_t row, size_t from,
                           size_t n);

/* Elements [first, first + n) of a matrix in a whole format, counted row by row. */
void cpu_dequantize_whole (const CpuIsa *isa, float *y, const AssayTensor *w, size_t first, size_t n);

/* Whether the blocks of w, NF4 or FP4, can be multiplied as they lie: y [n_rows] = rows from `first` on,
 * times x. */
bool cpu_whole_can_dot (const CpuIsa *isa, const AssayTensor *w);
void cpu_whole_dot (const CpuIsa *isa, float *y, const AssayTensor *w, const float *x, size_t first,
                    size_t n_rows);

/* All of a row. */
void cpu_read_matrix_row (const CpuIsa *isa, float *y, const AssayTensor *w, size_t row);

/* Rows of a weight, however many dimensions they are counted by. */
static inline size_t
cpu_n_rows (const AssayTensor *t)
{
  return (size_t) t->shape[1] * (size_t) t->shape[2] * (size_t) t->shape[3];
}

/* --- the operations, see kernels.h --- */

AssayStatus cpu_embed (AssayBackend *b, float *y, const AssayTensor *table, const int32_t *ids,
                       size_t n_tokens, float scale);
AssayStatus cpu_dequantize (AssayBackend *b, float *y, const AssayTensor *w, size_t first, size_t n_rows);
AssayStatus cpu_quantize (AssayBackend *b, const AssayTensor *w, const float *x, size_t first, size_t n_rows,
                          void *scratch);
AssayStatus cpu_quantize_finish (AssayBackend *b, const AssayTensor *w, void *scratch);
size_t cpu_quantize_scratch (AssayBackend *b, const AssayTensor *w);
AssayStatus cpu_kv_store (AssayBackend *b, const AssayTensor *cache, const float *x, size_t n_tokens,
                          uint32_t first);
AssayStatus cpu_rmsnorm (AssayBackend *b, float *y, const float *x, const float *w, size_t n_rows, size_t n,
                         float eps);
AssayStatus cpu_layernorm (AssayBackend *b, float *y, const float *x, const float *w, const float *bias,
                           size_t n_rows, size_t n, float eps);
AssayStatus cpu_rope (AssayBackend *b, float *x, const AssayRope *rope, size_t n_tokens, size_t n_heads,
                      size_t head_dim, uint32_t first);
AssayStatus cpu_matmul (AssayBackend *b, float *y, const AssayTensor *w, const float *x, size_t n_tokens,
                        const float *bias, void *workspace);
size_t cpu_matmul_workspace (AssayBackend *b, const AssayTensor *w, size_t n_tokens);

/* LLM.int8(), matmul-vectorwise.c: w is INT8. dtype: the form that x is rounded to already. */
size_t cpu_vectorwise_bytes (const AssayTensor *w, size_t n_tokens);
void cpu_vectorwise (CpuBackend *self, float *y, const AssayTensor *w, const float *x, AssayDtype dtype,
                     size_t n_tokens, const float *bias, void *workspace);

AssayStatus cpu_attention (AssayBackend *b, float *y, const float *q, const AssayAttention *a,
                           void *workspace);
size_t cpu_attention_workspace (AssayBackend *b, const AssayAttention *a);

/* Attention of many queries, attention-tile.c. */
bool cpu_attention_tile_is_used (const CpuIsa *isa, const AssayAttention *a);
size_t cpu_attention_tile_bytes (const CpuIsa *isa, const AssayAttention *a);   /* for each thread */
void cpu_attention_tile (CpuBackend *self, float *y, const float *q, const AssayAttention *a,
                         void *workspace);
AssayStatus cpu_gated (AssayBackend *b, float *y, const float *gate, const float *up, size_t n,
                       AssayActivation activation);
AssayStatus cpu_activate (AssayBackend *b, float *y, const float *x, size_t n, AssayActivation activation);
AssayStatus cpu_add (AssayBackend *b, float *y, const float *x, size_t n, float scale);
AssayStatus cpu_softmax (AssayBackend *b, float *x, size_t n_rows, size_t n);
AssayStatus cpu_soft_cap (AssayBackend *b, float *x, size_t n, float cap);
AssayStatus cpu_sample (AssayBackend *b, int32_t *token, const float *logits, size_t n,
                        const AssaySampling *s, void *workspace);
size_t cpu_sample_workspace (AssayBackend *b, size_t n);
