/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cpu/quantize.h: float32 to the formats that weights are stored in.
 *
 * Numbers are finite and within the format's reach (quantize.c looks after that); blocks may stand at any
 * address. The same numbers give the same bytes on any processor. */
#pragma once

#include "whole-format.h"

/* n elements, whole blocks. */
typedef void (*CpuQuantize) (void *blocks, const float *x, size_t n);

/* NULL for a format that cannot be made, or holds a matrix as a whole. */
CpuQuantize cpu_quantize_get (AssayDtype dtype);

void cpu_quantize_f16 (void *blocks, const float *x, size_t n);
void cpu_quantize_bf16 (void *blocks, const float *x, size_t n);
void cpu_quantize_q4_0 (void *blocks, const float *x, size_t n);
void cpu_quantize_q4_1 (void *blocks, const float *x, size_t n);
void cpu_quantize_q5_0 (void *blocks, const float *x, size_t n);
void cpu_quantize_q5_1 (void *blocks, const float *x, size_t n);
void cpu_quantize_q8_0 (void *blocks, const float *x, size_t n);
void cpu_quantize_q4_k (void *blocks, const float *x, size_t n);
void cpu_quantize_q5_k (void *blocks, const float *x, size_t n);
void cpu_quantize_q6_k (void *blocks, const float *x, size_t n);

/* Elements [first, first + n) of a matrix in NF4 or FP4, plain or double; first: of a block. The blocks'
 * greatest magnitudes go to absmax [n_blocks of the matrix], the codes into the matrix. */
void cpu_quantize_4bit (const AssayTensor *w, float *absmax, const float *x, size_t first, size_t n);

/* The statistics of a matrix in *_DOUBLE, from those of all its blocks. */
void cpu_quantize_statistics (const AssayTensor *w, const AssayWholeLayout *layout, const float *absmax);

/* One row of a matrix in INT8. */
void cpu_quantize_int8_row (const AssayTensor *w, const AssayWholeLayout *layout, const float *x, size_t row);
