/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cpu/quantize-rows.c: float32 to the plain formats, and to those with blocks of 32. */
#include "quantize.h"

#include "shared/encode-rows.h"

void
cpu_quantize_f16 (void *blocks, const float *x, size_t n)
{
  uint8_t *out = blocks;
  for (size_t i = 0; i < n; i++)
    rows_store_f16 (out + 2 * i, x[i]);
}

void
cpu_quantize_bf16 (void *blocks, const float *x, size_t n)
{
  uint8_t *out = blocks;
  for (size_t i = 0; i < n; i++)
    {
      const uint16_t bits = bf16_from_float (x[i]);
      memcpy (out + 2 * i, &bits, sizeof bits);
    }
}

static void
quantize_f32 (void *blocks, const float *x, size_t n)
{
  if (n > 0)
    memcpy (blocks, x, n * sizeof *x);
}

/* One function for each format, of a loop over its blocks. */
#define QUANTIZE_ROWS(name, block_bytes)                          \
  void cpu_quantize_##name (void *blocks, const float *x, size_t n) \
  {                                                               \
    uint8_t *b = blocks;                                          \
    for (; n >= 32; n -= 32, b += block_bytes, x += 32)           \
      encode_##name (b, x);                                       \
  }

QUANTIZE_ROWS (q4_0, 18)
QUANTIZE_ROWS (q4_1, 20)
QUANTIZE_ROWS (q5_0, 22)
QUANTIZE_ROWS (q5_1, 24)
QUANTIZE_ROWS (q8_0, 34)

CpuQuantize
cpu_quantize_get (AssayDtype dtype)
{
  switch ((int) dtype)
    {
    case ASSAY_DTYPE_F32: return quantize_f32;
    case ASSAY_DTYPE_F16: return cpu_quantize_f16;
    case ASSAY_DTYPE_BF16: return cpu_quantize_bf16;
    case ASSAY_DTYPE_Q4_0: return cpu_quantize_q4_0;
    case ASSAY_DTYPE_Q4_1: return cpu_quantize_q4_1;
    case ASSAY_DTYPE_Q5_0: return cpu_quantize_q5_0;
    case ASSAY_DTYPE_Q5_1: return cpu_quantize_q5_1;
    case ASSAY_DTYPE_Q8_0: return cpu_quantize_q8_0;
    case ASSAY_DTYPE_Q4_K: return cpu_quantize_q4_k;
    case ASSAY_DTYPE_Q5_K: return cpu_quantize_q5_k;
    case ASSAY_DTYPE_Q6_K: return cpu_quantize_q6_k;
    default: return NULL;
    }
}
