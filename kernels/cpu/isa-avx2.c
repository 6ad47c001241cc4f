/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cpu/isa-avx2.c: the inner loops for AVX2, FMA and F16C. Compiled with those instructions allowed:
 * nothing here may run before the processor was asked. */
#include "vec-avx2.h"

#define PANEL_TOKENS 4    /* two registers each, of 16 */
#define PANEL_UNROLL _Pragma ("GCC unroll 1") /* unrolled, loads move up and registers run out */

#include "simd-rows.h"
#include "simd-float.h"
#include "simd-attention.h"
#include "simd-codes.h"
#include "simd-dequantize.h"
#include "simd-int8.h"
#include "simd-decode.h"
#include "simd-vectorwise.h"
#include "simd-panel.h"

const CpuIsa cpu_isa_avx2 = { .id = ASSAY_CPU_AVX2, .name = "avx2-fma", SIMD_ISA_MEMBERS };
