/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cuda/assay-cuda.h: the module libassay-cuda.so, opened at run time, so that the app starts without
 * a driver. */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How many CUDA devices can be used. text gets a line for each, "cuda:0: NVIDIA H200, 139.8 GiB,
 * compute 9.0"; or, with none, why: "no driver", "driver too old: ...". Always terminated within `size`.
 * Any thread; never ends the process. */
int assay_cuda_probe (char *text, size_t size);

#ifdef __cplusplus
}
#endif
