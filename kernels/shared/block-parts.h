/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/shared/block-parts.h: the parts of GGUF's blocks that take more than a shift to read. */
#pragma once

#include "half.h"
#include "portable.h"

/* What the 16 codes of IQ4_NL and IQ4_XS stand for. */
ASSAY_TABLE int8_t iq4_values[16]
  = { -127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113 };
/* Those of MXFP4 and NVFP4, doubled. */
ASSAY_TABLE int8_t e2m1_doubled[16] = { 0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12 };

/* What the codes in an entry of the IQ codebooks stand for. */
ASSAY_TABLE float iq2_values[4] = { 8, 25, 43, 0 };
ASSAY_TABLE float iq3_xxs_values[16] = { 4, 12, 20, 28, 36, 44, 52, 62 };
ASSAY_TABLE float iq3_s_values[16] = { 1, 3, 5, 7, 9, 11, 13, 15 };

/* The 6-bit scale (sc) and minimum (mn) of sub-block s that Q4_K and Q5_K pack into 12 bytes. */
ASSAY_SHARED void
q4_k_scale (const uint8_t *packed, uint32_t s, uint8_t *sc, uint8_t *mn)
{
  if (s < 4)
    {
      *sc = packed[s] & 63;
      *mn = packed[s + 4] & 63;
      return;
    }
  *sc = (uint8_t) ((packed[s + 4] & 15) | (packed[s - 4] >> 6) << 4);
  *mn = (uint8_t) (packed[s + 4] >> 4 | (packed[s] >> 6) << 4);
}

/* The 6-bit scale of sub-block s of Q3_K, -32 .. 31, packed in 12 bytes. */
ASSAY_SHARED int
q3_k_scale (const uint8_t *packed, uint32_t s)
{
  const int low = s < 8 ? packed[s] & 15 : packed[s - 8] >> 4;
  return low + 16 * (packed[8 + (s & 3)] >> (2 * (s >> 2)) & 3) - 32;
}

/* The 6-bit scale of sub-block s of IQ4_XS, -32 .. 31, of a whole block. */
ASSAY_SHARED int
iq4_xs_scale (const uint8_t *block, uint32_t s)
{
  const int low = block[4 + (s >> 1)] >> (4 * (s & 1)) & 15;
  return low + 16 * (block[2 + (s >> 2)] >> (2 * (s & 3)) & 3) - 32;
}

/* Element e of a block of TQ1_0, -1 .. 1: base-3 digits, five a byte (four behind byte 48), the first one most
 * significant. */
ASSAY_SHARED int
tq1_0_code (const uint8_t *b, uint32_t e)
{
  const uint8_t byte = e < 160 ? b[e % 32] : e < 240 ? b[32 + (e - 160) % 16] : b[48 + (e - 240) % 4];
  const uint32_t digit = e < 160 ? e / 32 : e < 240 ? (e - 160) / 16 : (e - 240) / 4;
  const uint32_t power = digit == 0 ? 1 : digit == 1 ? 3 : digit == 2 ? 9 : digit == 3 ? 27 : 81;
  return (int) (3 * (byte * power & 255) >> 8) - 1;
}

/* 2^(e - 128): halved, since the table is doubled */
ASSAY_SHARED float
e8m0_half (uint8_t e)
{
  return float_from_bits (e < 2 ? UINT32_C (0x00200000) << e : (uint32_t) (e - 1) << 23);
}

/* Unsigned E4M3, halved. The sign bit is not looked at; 0x7f, its NaN, counts as nothing. */
ASSAY_SHARED float
e4m3_half (uint8_t x)
{
  const uint32_t exponent = x >> 3 & 15, mantissa = x & 7;
  if (x == 0x7f)
    return 0.0f;
  if (exponent == 0)
    return (float) mantissa * 0x1p-10f;
  return float_from_bits ((exponent - 7 + 127 - 1) << 23 | mantissa << 20);
}

/* Seven stored signs of the IQ formats; the eighth makes the number of minuses even. */
ASSAY_SHARED uint8_t
iq_signs (uint32_t stored)
{
  const uint32_t folded = stored ^ stored >> 4, pairs = folded ^ folded >> 2;
  return (uint8_t) (stored | ((pairs ^ pairs >> 1) & 1) << 7);
}

/* The float16 scale that IQ1_M spreads over the high bits of its scales, at byte 48. */
ASSAY_SHARED float
iq1_m_scale (const uint8_t *block)
{
  uint16_t half = 0;
  for (uint32_t i = 0; i < 4; i++)
    half |= (uint16_t) ((load_u16 (block + 48 + 2 * i) >> 12) << (4 * i));
  return f16_to_float (half);
}
