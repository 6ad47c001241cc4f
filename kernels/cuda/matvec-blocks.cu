/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cuda/matvec-blocks.cu: products of few tokens with blocks of codes with a scale. */
#include "matvec.cuh"

MATVEC_FUNCTION (cuda_matvec_blocks, ASSAY_CUDA_BLOCKS)
