/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cpu/dequantize.h: block formats to float32, bit for bit what the formats define.
 *
 * y gets n elements, a multiple of the format's block; blocks may stand at any address. */
#pragma once

#include "kernels.h"
#include "shared/block-parts.h"

typedef void (*CpuDequantize) (float *y, const void *blocks, size_t n);

/* NULL for a format these kernels do not compute with. */
CpuDequantize cpu_dequantize_get (AssayDtype dtype);

void cpu_dequantize_q2_k (float *y, const void *blocks, size_t n);
void cpu_dequantize_q3_k (float *y, const void *blocks, size_t n);
void cpu_dequantize_q4_k (float *y, const void *blocks, size_t n);
void cpu_dequantize_q5_k (float *y, const void *blocks, size_t n);
void cpu_dequantize_q6_k (float *y, const void *blocks, size_t n);
void cpu_dequantize_q8_k (float *y, const void *blocks, size_t n);

void cpu_dequantize_iq1_s (float *y, const void *blocks, size_t n);
void cpu_dequantize_iq1_m (float *y, const void *blocks, size_t n);
void cpu_dequantize_iq2_xxs (float *y, const void *blocks, size_t n);
void cpu_dequantize_iq2_xs (float *y, const void *blocks, size_t n);
void cpu_dequantize_iq2_s (float *y, const void *blocks, size_t n);
void cpu_dequantize_iq3_xxs (float *y, const void *blocks, size_t n);
void cpu_dequantize_iq3_s (float *y, const void *blocks, size_t n);

void cpu_dequantize_tq1_0 (float *y, const void *blocks, size_t n);
void cpu_dequantize_tq2_0 (float *y, const void *blocks, size_t n);
void cpu_dequantize_iq4_nl (float *y, const void *blocks, size_t n);
void cpu_dequantize_iq4_xs (float *y, const void *blocks, size_t n);
void cpu_dequantize_mxfp4 (float *y, const void *blocks, size_t n);
void cpu_dequantize_nvfp4 (float *y, const void *blocks, size_t n);
