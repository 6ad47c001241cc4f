/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cuda/quantize.h: what the files that make weights share. */
#pragma once

#include "backend.h"

/* Rows [first, first + n_rows) of a matrix in NF4, FP4 or INT8, all numbers within reach. absmax: of the matrix's
 * blocks, where the format is *_DOUBLE. Queued. */
AssayStatus cuda_quantize_whole (AssayBackend *b, const AssayTensor *w, const float *x, size_t first, size_t n_rows,
                                 float *absmax);
