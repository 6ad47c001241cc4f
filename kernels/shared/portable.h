/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/shared/portable.h: how what lies in this folder is declared, in C and in code for a CUDA device.
 *
 * The folder holds facts of the formats and the steps that must give the same bytes everywhere: written once, in
 * the part of C that is C++ too, and compiled for each. Where they are to be exact, products and sums must not be
 * fused: -ffp-contract=off, or -fmad=false. */
#pragma once

#ifdef __CUDACC__
#define ASSAY_SHARED static __device__ inline
#define ASSAY_TABLE [[maybe_unused]] static __device__ const
#else
#define ASSAY_SHARED static inline
#define ASSAY_TABLE static const
#endif
