/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cuda/launch.h: the two pieces of CUDA that are no C++: a launch, and shared memory sized by it.
 *
 * The same sources are also built for the CPU, against an emulation of the runtime, where each CUDA thread is a
 * fiber; its header gives both words another meaning. Kernels with more than one template argument stand in
 * parentheses: ASSAY_LAUNCH ((k<a, b>), ...). */
#pragma once

#include <cuda_runtime.h>

#ifdef ASSAY_CUDA_EMULATED
#include "emulated-launch.h"
#else

/* grid and block: a dim3 or a number; shared_bytes: of the dynamic array. */
#define ASSAY_LAUNCH(kernel, grid, block, shared_bytes, stream, ...) \
  (kernel)<<<(grid), (block), (shared_bytes), (stream)>>> (__VA_ARGS__)

/* Declares `type *name`, the block's dynamic array, aligned to 16 bytes. Once a kernel. */
#define ASSAY_DYNAMIC_SHARED(type, name)                          \
  extern __shared__ __align__ (16) unsigned char assay_dynamic_shared[]; \
  type *const name = reinterpret_cast<type *> (assay_dynamic_shared)

#endif
