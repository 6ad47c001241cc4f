/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cpu/isa-avx512.c: the inner loops for AVX-512 F, BW, VL, DQ and VNNI. Compiled with those
 * instructions allowed: nothing here may run before the processor was asked. */
#include "vec-avx512.h"

#define PANEL_TOKENS 12   /* two registers each, of 32 */
#define PANEL_UNROLL _Pragma ("GCC unroll 8")

#include "simd-rows.h"
#include "simd-float.h"
#include "simd-attention.h"
#include "simd-codes.h"
#include "simd-dequantize.h"
#include "simd-int8.h"
#include "simd-decode-wide.h"
#include "simd-vectorwise.h"
#include "simd-panel.h"

const CpuIsa cpu_isa_avx512 = { .id = ASSAY_CPU_AVX512, .name = "avx512-vnni", SIMD_ISA_MEMBERS };
