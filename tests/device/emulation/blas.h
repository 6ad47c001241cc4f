/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/emulation/blas.h: a product of matrices by columns, as a queue keeps it. */
#pragma once

#include "cublas_v2.h"
#include "emulation.h"

namespace emulation
{

struct Matrix
{
  const void *data;
  cudaDataType type;
  int rows, columns, ld; /* as it lies */
  long long stride;      /* elements from one batch to the next */
  bool turned;
};

struct Product
{
  Matrix a, b, c;
  int m, n, k, n_batches;
  float alpha, beta; /* of CUBLAS_COMPUTE_32I too: 0 or 1 there */
  bool tf32, integers;
};

size_t blas_type_bytes (cudaDataType type);
void product_run (const Product &product);

void blas_get_balance (AssayEmulationBalance *balance);

}
