/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/emulation/library_types.h: element types as CUDA's libraries number them. */
#pragma once

typedef enum cudaDataType_t
{
  CUDA_R_32F = 0, CUDA_R_64F = 1, CUDA_R_16F = 2, CUDA_R_8I = 3, CUDA_R_32I = 10, CUDA_R_16BF = 14,
} cudaDataType_t;

typedef cudaDataType_t cudaDataType;
