/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cuda/matvec-plain.cu: products of few tokens with formats without blocks, and those of a whole matrix. */
#include "matvec.cuh"

MATVEC_FUNCTION (cuda_matvec_plain, ASSAY_CUDA_PLAIN)
