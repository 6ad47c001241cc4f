/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/emulation/cublas_v2.h: cuBLAS answered by a plain product.
 *
 * Types are those asked for: bfloat16 and float16 with float32 sums, tf32 as float32 with eleven bits of
 * mantissa. Leading dimensions and bounds are held against the allocations. A handle has no workspace of
 * its own: a product before cublasSetWorkspace(), or after a cublasSetStream() that has undone it, is a
 * fault; the workspace is written over at every product, as it may be. */
#pragma once

#include "cuda_runtime_api.h"
#include "library_types.h"

typedef struct cublasContext *cublasHandle_t;

typedef enum
{
  CUBLAS_STATUS_SUCCESS = 0, CUBLAS_STATUS_NOT_INITIALIZED = 1, CUBLAS_STATUS_ALLOC_FAILED = 3,
  CUBLAS_STATUS_INVALID_VALUE = 7, CUBLAS_STATUS_ARCH_MISMATCH = 8, CUBLAS_STATUS_MAPPING_ERROR = 11,
  CUBLAS_STATUS_EXECUTION_FAILED = 13, CUBLAS_STATUS_INTERNAL_ERROR = 14, CUBLAS_STATUS_NOT_SUPPORTED = 15,
  CUBLAS_STATUS_LICENSE_ERROR = 16,
} cublasStatus_t;

typedef enum { CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C } cublasOperation_t;

typedef enum
{
  CUBLAS_DEFAULT_MATH = 0, CUBLAS_PEDANTIC_MATH = 2, CUBLAS_TF32_TENSOR_OP_MATH = 3,
  CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16,
} cublasMath_t;

typedef enum
{
  CUBLAS_COMPUTE_32F = 68, CUBLAS_COMPUTE_32F_PEDANTIC = 69, CUBLAS_COMPUTE_32I = 72,
  CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
} cublasComputeType_t;

typedef enum { CUBLAS_GEMM_DEFAULT = -1, CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99 } cublasGemmAlgo_t;

extern "C"
{

cublasStatus_t cublasCreate (cublasHandle_t *out);
cublasStatus_t cublasDestroy (cublasHandle_t handle);
cublasStatus_t cublasGetVersion (cublasHandle_t handle, int *version);
cublasStatus_t cublasSetStream (cublasHandle_t handle, cudaStream_t stream);
cublasStatus_t cublasSetWorkspace (cublasHandle_t handle, void *workspace, size_t bytes);
cublasStatus_t cublasSetMathMode (cublasHandle_t handle, cublasMath_t mode);
const char *cublasGetStatusName (cublasStatus_t status);
const char *cublasGetStatusString (cublasStatus_t status);

/* c [m, n] = alpha * op (a) [m, k] * op (b) [k, n] + beta * c, all by columns; alpha and beta on the host. */
cublasStatus_t cublasGemmEx (cublasHandle_t handle,
                             cublasOperation_t op_a,
                             cublasOperation_t op_b,
                             int m,
                             int n,
                             int k,
                             const void *alpha,
                             const void *a,
                             cudaDataType a_type,
                             int lda,
                             const void *b,
                             cudaDataType b_type,
                             int ldb,
                             const void *beta,
                             void *c,
                             cudaDataType c_type,
                             int ldc,
                             cublasComputeType_t compute,
                             cublasGemmAlgo_t algorithm);
cublasStatus_t cublasGemmStridedBatchedEx (cublasHandle_t handle,
                                           cublasOperation_t op_a,
                                           cublasOperation_t op_b,
                                           int m,
                                           int n,
                                           int k,
                                           const void *alpha,
                                           const void *a,
                                           cudaDataType a_type,
                                           int lda,
                                           long long stride_a,
                                           const void *b,
                                           cudaDataType b_type,
                                           int ldb,
                                           long long stride_b,
                                           const void *beta,
                                           void *c,
                                           cudaDataType c_type,
                                           int ldc,
                                           long long stride_c,
                                           int n_batches,
                                           cublasComputeType_t compute,
                                           cublasGemmAlgo_t algorithm);
cublasStatus_t cublasSgemm (cublasHandle_t handle,
                            cublasOperation_t op_a,
                            cublasOperation_t op_b,
                            int m,
                            int n,
                            int k,
                            const float *alpha,
                            const float *a,
                            int lda,
                            const float *b,
                            int ldb,
                            const float *beta,
                            float *c,
                            int ldc);
}
