/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/emulation/cuda_fp16.h: float16 as CUDA names it. Arithmetic is float32's, rounded once,
 * which for two halves is the same as a half's own. */
#pragma once

#include "half-type.h"

ASSAY_HALF_TYPE (__half, __half2, f16_to_float, f16_from_float)

typedef __half half;
typedef __half2 half2;

static inline float __half2float (__half x) { return assay_to_float (x); }
static inline __half __float2half (float x) { return assay_from_float<__half> (x); }
static inline __half __float2half_rn (float x) { return assay_from_float<__half> (x); }
static inline __half __short_as_half (short x) { return assay_from_bits<__half> ((unsigned short) x); }
static inline __half __ushort_as_half (unsigned short x) { return assay_from_bits<__half> (x); }
static inline short __half_as_short (__half x) { return (short) assay_bits (x); }
static inline unsigned short __half_as_ushort (__half x) { return assay_bits (x); }
static inline float2 __half22float2 (__half2 x) { return { assay_to_float (x.x), assay_to_float (x.y) }; }
static inline __half2 __floats2half2_rn (float x, float y) { return { __float2half (x), __float2half (y) }; }
static inline __half2 __float22half2_rn (float2 x) { return __floats2half2_rn (x.x, x.y); }
static inline __half2 __float2half2_rn (float x) { return __floats2half2_rn (x, x); }
static inline __half2 __halves2half2 (__half x, __half y) { return { x, y }; }
static inline __half2 __half2half2 (__half x) { return { x, x }; }
static inline __half2 make_half2 (__half x, __half y) { return { x, y }; }
static inline float __low2float (__half2 x) { return assay_to_float (x.x); }
static inline float __high2float (__half2 x) { return assay_to_float (x.y); }
