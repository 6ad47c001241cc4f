/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/shared/half.h: 16-bit floats in plain integer steps, and loads from unaligned bytes.
 *
 * Exact for subnormals, infinities and NaN; the vector versions use the processor's own conversions, which
 * agree. */
#pragma once

#include "portable.h"

#include <stdint.h>
#include <string.h>

ASSAY_SHARED uint16_t
load_u16 (const void *bytes)
{
  uint16_t value;
  memcpy (&value, bytes, sizeof value);
  return value;
}

ASSAY_SHARED uint32_t
load_u32 (const void *bytes)
{
  uint32_t value;
  memcpy (&value, bytes, sizeof value);
  return value;
}

ASSAY_SHARED float
float_from_bits (uint32_t bits)
{
  float value;
  memcpy (&value, &bits, sizeof value);
  return value;
}

ASSAY_SHARED uint32_t
bits_from_float (float value)
{
  return load_u32 (&value);
}

ASSAY_SHARED float
bf16_to_float (uint16_t bits)
{
  return float_from_bits ((uint32_t) bits << 16);
}

/* Rounds to nearest, ties to even; a NaN stays one. */
ASSAY_SHARED uint16_t
bf16_from_float (float value)
{
  const uint32_t bits = bits_from_float (value);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return (uint16_t) (bits >> 16 | 0x40);
  return (uint16_t) ((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* A half's magnitude read as the top of a float is 2^112 too small; the product normalises subnormals too. */
ASSAY_SHARED float
f16_to_float (uint16_t bits)
{
  const uint32_t magnitude = (uint32_t) (bits & 0x7fff) << 13;
  const uint32_t sign = (uint32_t) (bits & 0x8000) << 16;
  if (magnitude >= 0x0f800000)                        /* infinity or NaN, made quiet as processors do */
    return float_from_bits (sign | 0x7f800000 | (magnitude & 0x007fffff)
                            | (magnitude > 0x0f800000 ? 0x00400000 : 0));
  return float_from_bits (sign | bits_from_float (float_from_bits (magnitude) * 0x1p112f));
}

/* Rounds to nearest, ties to even. */
ASSAY_SHARED uint16_t
f16_from_float (float value)
{
  const uint32_t bits = bits_from_float (value);
  const uint32_t sign = bits >> 16 & 0x8000;
  const uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000)
    return (uint16_t) (sign | 0x7e00 | (magnitude >> 13 & 0x3ff));
  if (magnitude >= 0x477ff000)                        /* 65520 and above round to infinity */
    return (uint16_t) (sign | 0x7c00);
  if (magnitude < 0x38800000)                         /* subnormal: let the adder round at bit 2^-24 */
    return (uint16_t) (sign
                       | (bits_from_float (float_from_bits (magnitude) + 0.5f) - bits_from_float (0.5f)));
  return (uint16_t) (sign | ((magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1)) >> 13));
}

/* As it is after float16. */
ASSAY_SHARED float
f16_round (float value)
{
  return f16_to_float (f16_from_float (value));
}

/* As it is after bfloat16. */
ASSAY_SHARED float
bf16_round (float value)
{
  return bf16_to_float (bf16_from_float (value));
}

ASSAY_SHARED float
load_f16 (const void *bytes)
{
  return f16_to_float (load_u16 (bytes));
}
