/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cuda/matvec-codebooks.cu: products of few tokens with codes that are looked up. */
#include "matvec.cuh"

MATVEC_FUNCTION (cuda_matvec_codebooks, ASSAY_CUDA_CODEBOOKS)
