/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cpu/dequantize.c: which format has which decoder; plain formats, and those with blocks of 32. */
#include "dequantize.h"

#include "shared/half.h"

static void
dequantize_f32 (float *y, const void *blocks, size_t n)
{
  memcpy (y, blocks, n * sizeof *y);
}

static void
dequantize_f16 (float *y, const void *blocks, size_t n)
{
  const uint8_t *in = blocks;
  for (size_t i = 0; i < n; i++)
    y[i] = load_f16 (in + 2 * i);
}

static void
dequantize_bf16 (float *y, const void *blocks, size_t n)
{
  const uint8_t *in = blocks;
  for (size_t i = 0; i < n; i++)
    y[i] = bf16_to_float (load_u16 (in + 2 * i));
}

static void
dequantize_f64 (float *y, const void *blocks, size_t n)
{
  const uint8_t *in = blocks;
  for (size_t i = 0; i < n; i++)
    {
      double value;
      memcpy (&value, in + 8 * i, sizeof value);
      y[i] = (float) value;
    }
}

static void
dequantize_q4_0 (float *y, const void *blocks, size_t n)
{
  const uint8_t *b = blocks;
  for (; n >= 32; n -= 32, b += 18, y += 32)
    {
      const float d = load_f16 (b);
      for (uint32_t i = 0; i < 16; i++)
        {
          y[i] = (float) ((b[2 + i] & 15) - 8) * d;
          y[i + 16] = (float) ((b[2 + i] >> 4) - 8) * d;
        }
    }
}

static void
dequantize_q4_1 (float *y, const void *blocks, size_t n)
{
  const uint8_t *b = blocks;
  for (; n >= 32; n -= 32, b += 20, y += 32)
    {
      const float d = load_f16 (b), m = load_f16 (b + 2);
      for (uint32_t i = 0; i < 16; i++)
        {
          y[i] = (float) (b[4 + i] & 15) * d + m;
          y[i + 16] = (float) (b[4 + i] >> 4) * d + m;
        }
    }
}

static void
dequantize_q5_0 (float *y, const void *blocks, size_t n)
{
  const uint8_t *b = blocks;
  for (; n >= 32; n -= 32, b += 22, y += 32)
    {
      const float d = load_f16 (b);
      const uint32_t high = load_u32 (b + 2);
      for (uint32_t i = 0; i < 16; i++)
        {
          y[i] = (float) ((int) ((b[6 + i] & 15) | (high >> i & 1) << 4) - 16) * d;
          y[i + 16] = (float) ((int) (b[6 + i] >> 4 | (high >> (i + 16) & 1) << 4) - 16) * d;
        }
    }
}

static void
dequantize_q5_1 (float *y, const void *blocks, size_t n)
{
  const uint8_t *b = blocks;
  for (; n >= 32; n -= 32, b += 24, y += 32)
    {
      const float d = load_f16 (b), m = load_f16 (b + 2);
      const uint32_t high = load_u32 (b + 4);
      for (uint32_t i = 0; i < 16; i++)
        {
          y[i] = (float) ((b[8 + i] & 15) | (high >> i & 1) << 4) * d + m;
          y[i + 16] = (float) (b[8 + i] >> 4 | (high >> (i + 16) & 1) << 4) * d + m;
        }
    }
}

/* Q8_0 and Q8_1 differ in the width of what stands before the codes. */
static void
dequantize_q8 (float *y, const uint8_t *b, size_t n, size_t header)
{
  for (; n >= 32; n -= 32, b += header + 32, y += 32)
    {
      const float d = load_f16 (b);
      for (uint32_t i = 0; i < 32; i++)
        y[i] = (float) (int8_t) b[header + i] * d;
    }
}

static void
dequantize_q8_0 (float *y, const void *blocks, size_t n)
{
  dequantize_q8 (y, blocks, n, 2);
}

static void
dequantize_q8_1 (float *y, const void *blocks, size_t n)
{
  dequantize_q8 (y, blocks, n, 4);
}

CpuDequantize
cpu_dequantize_get (AssayDtype dtype)
{
  switch (dtype)
    {
    case ASSAY_DTYPE_F32: return dequantize_f32;
    case ASSAY_DTYPE_F16: return dequantize_f16;
    case ASSAY_DTYPE_BF16: return dequantize_bf16;
    case ASSAY_DTYPE_F64: return dequantize_f64;
    case ASSAY_DTYPE_Q4_0: return dequantize_q4_0;
    case ASSAY_DTYPE_Q4_1: return dequantize_q4_1;
    case ASSAY_DTYPE_Q5_0: return dequantize_q5_0;
    case ASSAY_DTYPE_Q5_1: return dequantize_q5_1;
    case ASSAY_DTYPE_Q8_0: return dequantize_q8_0;
    case ASSAY_DTYPE_Q8_1: return dequantize_q8_1;
    case ASSAY_DTYPE_Q2_K: return cpu_dequantize_q2_k;
    case ASSAY_DTYPE_Q3_K: return cpu_dequantize_q3_k;
    case ASSAY_DTYPE_Q4_K: return cpu_dequantize_q4_k;
    case ASSAY_DTYPE_Q5_K: return cpu_dequantize_q5_k;
    case ASSAY_DTYPE_Q6_K: return cpu_dequantize_q6_k;
    case ASSAY_DTYPE_Q8_K: return cpu_dequantize_q8_k;
    case ASSAY_DTYPE_TQ1_0: return cpu_dequantize_tq1_0;
    case ASSAY_DTYPE_TQ2_0: return cpu_dequantize_tq2_0;
    case ASSAY_DTYPE_IQ1_S: return cpu_dequantize_iq1_s;
    case ASSAY_DTYPE_IQ1_M: return cpu_dequantize_iq1_m;
    case ASSAY_DTYPE_IQ2_XXS: return cpu_dequantize_iq2_xxs;
    case ASSAY_DTYPE_IQ2_XS: return cpu_dequantize_iq2_xs;
    case ASSAY_DTYPE_IQ2_S: return cpu_dequantize_iq2_s;
    case ASSAY_DTYPE_IQ3_XXS: return cpu_dequantize_iq3_xxs;
    case ASSAY_DTYPE_IQ3_S: return cpu_dequantize_iq3_s;
    case ASSAY_DTYPE_IQ4_NL: return cpu_dequantize_iq4_nl;
    case ASSAY_DTYPE_IQ4_XS: return cpu_dequantize_iq4_xs;
    case ASSAY_DTYPE_MXFP4: return cpu_dequantize_mxfp4;
    case ASSAY_DTYPE_NVFP4: return cpu_dequantize_nvfp4;
    default: return NULL;
    }
}

bool
assay_dtype_can_compute (uint32_t dtype)
{
  const AssayDtypeInfo *info = assay_dtype_info (dtype);
  return info != NULL && (info->whole || cpu_dequantize_get (info->dtype) != NULL);
}
