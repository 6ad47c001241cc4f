/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/emulation/cuda_bf16.h: bfloat16 as CUDA names it; see cuda_fp16.h. */
#pragma once

#include "half-type.h"

ASSAY_HALF_TYPE (__nv_bfloat16, __nv_bfloat162, bf16_to_float, bf16_from_float)

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

static inline float __bfloat162float (__nv_bfloat16 x) { return assay_to_float (x); }
static inline __nv_bfloat16 __float2bfloat16 (float x) { return assay_from_float<__nv_bfloat16> (x); }
static inline __nv_bfloat16 __float2bfloat16_rn (float x) { return assay_from_float<__nv_bfloat16> (x); }
static inline __nv_bfloat16
__ushort_as_bfloat16 (unsigned short x)
{
  return assay_from_bits<__nv_bfloat16> (x);
}
static inline unsigned short __bfloat16_as_ushort (__nv_bfloat16 x) { return assay_bits (x); }
static inline float2
__bfloat1622float2 (__nv_bfloat162 x)
{
  return { assay_to_float (x.x), assay_to_float (x.y) };
}
static inline __nv_bfloat162
__floats2bfloat162_rn (float x, float y)
{
  return { __float2bfloat16 (x), __float2bfloat16 (y) };
}
static inline __nv_bfloat162 __float22bfloat162_rn (float2 x) { return __floats2bfloat162_rn (x.x, x.y); }
static inline __nv_bfloat162 __halves2bfloat162 (__nv_bfloat16 x, __nv_bfloat16 y) { return { x, y }; }
