/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cpu/format.c: the formats with integer kernels, taken apart into codes, scales and minimums. */
#include "cpu.h"
#include "dequantize.h"
#include "shared/half.h"

static const CpuFormat formats[] = {
  { ASSAY_DTYPE_Q4_0, 32, 18, 32, 8, false },   { ASSAY_DTYPE_Q4_1, 32, 20, 32, 0, true },
  { ASSAY_DTYPE_Q5_0, 32, 22, 32, 16, false },  { ASSAY_DTYPE_Q5_1, 32, 24, 32, 0, true },
  { ASSAY_DTYPE_Q8_0, 32, 34, 32, 128, false }, { ASSAY_DTYPE_Q4_K, 256, 144, 32, 0, true },
  { ASSAY_DTYPE_Q5_K, 256, 176, 32, 0, true },  { ASSAY_DTYPE_Q6_K, 256, 210, 16, 32, false },
  { ASSAY_DTYPE_Q2_K, 256, 84, 16, 0, true },   { ASSAY_DTYPE_Q3_K, 256, 110, 16, 4, false },
  { ASSAY_DTYPE_IQ4_NL, 32, 18, 32, 128, false }, { ASSAY_DTYPE_IQ4_XS, 256, 136, 32, 128, false },
};

const CpuFormat *
cpu_format_get (AssayDtype dtype)
{
  for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
    if (formats[i].dtype == dtype)
      return &formats[i];
  return NULL;
}

static void
format_unpack_nibbles (const uint8_t *qs, uint32_t high, uint8_t *codes)
{
  for (uint32_t i = 0; i < 16; i++)
    {
      codes[i] = (uint8_t) ((qs[i] & 15) | (high >> i & 1) << 4);
      codes[i + 16] = (uint8_t) (qs[i] >> 4 | (high >> (i + 16) & 1) << 4);
    }
}

/* high: the 32 bytes of fifth bits, or NULL */
static void
format_unpack_k (const uint8_t *block, const uint8_t *high, const uint8_t *qs, uint8_t *codes, float *d,
                 float *m)
{
  for (uint32_t s = 0; s < 8; s++)
    {
      uint8_t sc, mn;
      q4_k_scale (block + 4, s, &sc, &mn);
      d[s] = load_f16 (block) * (float) sc;
      m[s] = -(load_f16 (block + 2) * (float) mn);
      for (uint32_t l = 0; l < 32; l++)
        codes[32 * s + l] = (uint8_t) ((qs[32 * (s >> 1) + l] >> (4 * (s & 1)) & 15)
                                       | (high != NULL ? high[l] >> s & 1 : 0) << 4);
    }
}

static void
format_unpack_q6_k (const uint8_t *block, uint8_t *codes, float *d)
{
  for (uint32_t s = 0; s < 16; s++)
    d[s] = load_f16 (block + 208) * (float) (int8_t) block[192 + s];
  for (uint32_t e = 0; e < 256; e++)
    {
      const uint32_t h = e >> 7, k = e >> 5 & 3, l = e & 31;
      codes[e] = (uint8_t) ((block[64 * h + 32 * (k & 1) + l] >> (k < 2 ? 0 : 4) & 15)
                            | (block[128 + 32 * h + l] >> (2 * k) & 3) << 4);
    }
}

static void
format_unpack_q2_k (const uint8_t *block, uint8_t *codes, float *d, float *m)
{
  for (uint32_t s = 0; s < 16; s++)
    {
      d[s] = load_f16 (block + 80) * (float) (block[s] & 15);
      m[s] = -(load_f16 (block + 82) * (float) (block[s] >> 4));
    }
  for (uint32_t e = 0; e < 256; e++)
    codes[e] = block[16 + 32 * (e >> 7) + (e & 31)] >> (2 * (e >> 5 & 3)) & 3;
}

static void
format_unpack_q3_k (const uint8_t *block, uint8_t *codes, float *d)
{
  for (uint32_t s = 0; s < 16; s++)
    d[s] = load_f16 (block + 108) * (float) q3_k_scale (block + 96, s);
  for (uint32_t e = 0; e < 256; e++)
    codes[e] = (uint8_t) ((block[32 + 32 * (e >> 7) + (e & 31)] >> (2 * (e >> 5 & 3)) & 3)
                          | (block[e & 31] >> (e >> 5) & 1) << 2);
}

/* n codes looked up, 128 added */
static void
format_look_up (uint8_t *codes, uint32_t n)
{
  for (uint32_t i = 0; i < n; i++)
    codes[i] = (uint8_t) (iq4_values[codes[i]] + 128);
}

static void
format_unpack_iq4_xs (const uint8_t *block, uint8_t *codes, float *d)
{
  for (uint32_t s = 0; s < 8; s++)
    {
      d[s] = load_f16 (block) * (float) iq4_xs_scale (block, s);
      format_unpack_nibbles (block + 8 + 16 * s, 0, codes + 32 * s);
    }
  format_look_up (codes, 256);
}

void
cpu_format_unpack (const CpuFormat *format, const uint8_t *block, uint8_t *codes, float *d, float *m)
{
  if (format->block_elements == 32)
    {
      d[0] = load_f16 (block);
      m[0] = format->has_min ? load_f16 (block + 2) : 0.0f;
    }
  switch ((int) format->dtype)
    {
    case ASSAY_DTYPE_Q4_0: format_unpack_nibbles (block + 2, 0, codes); break;
    case ASSAY_DTYPE_Q4_1: format_unpack_nibbles (block + 4, 0, codes); break;
    case ASSAY_DTYPE_Q5_0: format_unpack_nibbles (block + 6, load_u32 (block + 2), codes); break;
    case ASSAY_DTYPE_Q5_1: format_unpack_nibbles (block + 8, load_u32 (block + 4), codes); break;
    case ASSAY_DTYPE_Q4_K: format_unpack_k (block, NULL, block + 16, codes, d, m); break;
    case ASSAY_DTYPE_Q5_K: format_unpack_k (block, block + 16, block + 48, codes, d, m); break;
    case ASSAY_DTYPE_Q6_K: format_unpack_q6_k (block, codes, d); break;
    case ASSAY_DTYPE_Q2_K: format_unpack_q2_k (block, codes, d, m); break;
    case ASSAY_DTYPE_Q3_K: format_unpack_q3_k (block, codes, d); break;
    case ASSAY_DTYPE_IQ4_XS: format_unpack_iq4_xs (block, codes, d); break;
    case ASSAY_DTYPE_IQ4_NL:
      format_unpack_nibbles (block + 2, 0, codes);
      format_look_up (codes, 32);
      break;
    default:
      for (uint32_t i = 0; i < 32; i++)
        codes[i] = block[2 + i] ^ 0x80;
    }
}
