/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/emulation/blas.cc: handles, and the rules a product must keep; see cublas_v2.h. */
#include "blas.h"

#include <set>

#include "arena.h"
#include "call.h"
#include "fault.h"
#include "poison.h"
#include "state.h"
#include "stream.h"

struct cublasContext
{
  cudaStream_t stream;
  void *workspace;
  size_t workspace_bytes;
  cublasMath_t mode;
};

namespace emulation
{

static std::set<cublasHandle_t> handles;

void
blas_get_balance (AssayEmulationBalance *balance)
{
  balance->n_blas_handles = handles.size ();
}

void
blas_reset ()
{
  for (cublasHandle_t handle : handles)
    delete handle;
  handles.clear ();
}

static cublasStatus_t
blas_status (cudaError_t error)
{
  return error == cudaSuccess                 ? CUBLAS_STATUS_SUCCESS
         : error == cudaErrorMemoryAllocation ? CUBLAS_STATUS_ALLOC_FAILED
                                              : CUBLAS_STATUS_EXECUTION_FAILED;
}

/* --- a product's rules --- */

static bool
matrix_is_inside (const Matrix &matrix, int n_batches, const char *name)
{
  const size_t each = (size_t) (matrix.columns - 1) * matrix.ld + matrix.rows,
               bytes
               = ((size_t) (n_batches - 1) * (size_t) matrix.stride + each) * blas_type_bytes (matrix.type);
  if (arena_room (matrix.data) >= (ptrdiff_t) bytes)
    return true;
  fault_tell ("cuBLAS: matrix %s, %zu bytes at %p, is not inside device memory", name, bytes, matrix.data);
  return false;
}

static bool
matrix_has_shape (const Matrix &matrix)
{
  return matrix.ld >= (matrix.rows > 1 ? matrix.rows : 1)
         && (uintptr_t) matrix.data % blas_type_bytes (matrix.type) == 0 && matrix.stride >= 0;
}

/* As in the table of cublasGemmEx()'s manual. */
static bool
product_has_types (const Product &p, cublasComputeType_t compute)
{
  const cudaDataType a = p.a.type, c = p.c.type;
  if (a != p.b.type)
    return false;
  switch (compute)
    {
    case CUBLAS_COMPUTE_32I: return a == CUDA_R_8I && c == CUDA_R_32I;
    case CUBLAS_COMPUTE_32F_FAST_TF32: return a == CUDA_R_32F && c == CUDA_R_32F;
    default:
      return ((a == CUDA_R_32F || a == CUDA_R_16F || a == CUDA_R_16BF) && (c == a || c == CUDA_R_32F))
             || (a == CUDA_R_8I && c == CUDA_R_32F);
    }
}

/* Products of bytes want everything in whole words. */
static bool
product_is_aligned (const Product &p)
{
  return p.a.type != CUDA_R_8I
         || (p.a.ld % 4 == 0 && p.b.ld % 4 == 0 && (uintptr_t) p.a.data % 4 == 0
             && (uintptr_t) p.b.data % 4 == 0);
}

static cublasStatus_t
product_check (const Product &p, cublasComputeType_t compute)
{
  if (p.m < 0 || p.n < 0 || p.k < 0 || p.n_batches < 0 || !matrix_has_shape (p.a) || !matrix_has_shape (p.b)
      || !matrix_has_shape (p.c))
    return CUBLAS_STATUS_INVALID_VALUE;
  if (!product_has_types (p, compute) || !product_is_aligned (p))
    return CUBLAS_STATUS_NOT_SUPPORTED;
  if ((p.a.type == CUDA_R_16BF || compute == CUBLAS_COMPUTE_32F_FAST_TF32) && state.options.compute_major < 8)
    return CUBLAS_STATUS_ARCH_MISMATCH;
  return CUBLAS_STATUS_SUCCESS;
}

static void
product_check_and_run (const Product &p, void *workspace, size_t workspace_bytes)
{
  const bool has_workspace = arena_room (workspace) >= (ptrdiff_t) workspace_bytes;
  if (!has_workspace)
    fault_tell ("cuBLAS: the workspace at %p was freed", workspace);
  if (has_workspace && matrix_is_inside (p.c, p.n_batches, "c")
      && (p.k == 0 || (matrix_is_inside (p.a, p.n_batches, "a") && matrix_is_inside (p.b, p.n_batches, "b"))))
    {
      poison_fill (workspace, workspace_bytes, POISON_FRESH);
      product_run (p);
    }
  else
    call_make_sticky (cudaErrorIllegalAddress);
}

static bool
handle_can_work (cublasHandle_t handle)
{
  if (!stream_is_good (handle->stream, "a cuBLAS product"))
    return false;
  if (handle->workspace != nullptr)
    return true;
  fault_tell ("cuBLAS has no workspace from the caller and would allocate one behind all accounts");
  return false;
}

static cublasStatus_t
product_queue (const char *name, cublasHandle_t handle, const Product &p, cublasComputeType_t compute)
{
  const Call call (name);
  if (call.failed ())
    return blas_status (call.error ());
  if (handles.count (handle) == 0)
    return CUBLAS_STATUS_NOT_INITIALIZED;
  const cublasStatus_t status = product_check (p, compute);
  if (status != CUBLAS_STATUS_SUCCESS)
    return status;
  if (!handle_can_work (handle))
    return CUBLAS_STATUS_EXECUTION_FAILED;
  if (p.m == 0 || p.n == 0 || p.n_batches == 0)
    return CUBLAS_STATUS_SUCCESS;
  Product kept = p;
  kept.tf32 |= p.a.type == CUDA_R_32F && handle->mode & CUBLAS_TF32_TENSOR_OP_MATH
               && (handle->mode & 3) == CUBLAS_TF32_TENSOR_OP_MATH && compute == CUBLAS_COMPUTE_32F;
  stream_add (handle->stream, { "product",
                                [kept, workspace = handle->workspace, bytes = handle->workspace_bytes] {
                                  product_check_and_run (kept, workspace, bytes);
                                },
                                nullptr });
  return blas_status (call.finish (cudaSuccess));
}

static Matrix
matrix_make (const void *data, cudaDataType type, int rows, int columns, cublasOperation_t op, int ld,
             long long stride)
{
  const bool turned = op != CUBLAS_OP_N;
  return { data, type, turned ? columns : rows, turned ? rows : columns, ld, stride, turned };
}

static float
scalar_read (const void *at, bool integers)
{
  return integers ? (float) *(const int32_t *) at : *(const float *) at;
}

}

using namespace emulation;

extern "C" cublasStatus_t
cublasGemmStridedBatchedEx (cublasHandle_t handle,
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
                            cublasGemmAlgo_t)
{
  const bool integers = compute == CUBLAS_COMPUTE_32I;
  const Product product = { matrix_make (a, a_type, m, k, op_a, lda, stride_a),
                            matrix_make (b, b_type, k, n, op_b, ldb, stride_b),
                            matrix_make (c, c_type, m, n, CUBLAS_OP_N, ldc, stride_c),
                            m, n, k, n_batches,
                            scalar_read (alpha, integers), scalar_read (beta, integers),
                            compute == CUBLAS_COMPUTE_32F_FAST_TF32, integers };
  return product_queue ("cublasGemmStridedBatchedEx", handle, product, compute);
}

extern "C" cublasStatus_t
cublasGemmEx (cublasHandle_t handle,
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
              cublasGemmAlgo_t)
{
  const bool integers = compute == CUBLAS_COMPUTE_32I;
  const Product product = { matrix_make (a, a_type, m, k, op_a, lda, 0),
                            matrix_make (b, b_type, k, n, op_b, ldb, 0),
                            matrix_make (c, c_type, m, n, CUBLAS_OP_N, ldc, 0),
                            m, n, k, 1,
                            scalar_read (alpha, integers), scalar_read (beta, integers),
                            compute == CUBLAS_COMPUTE_32F_FAST_TF32, integers };
  return product_queue ("cublasGemmEx", handle, product, compute);
}

extern "C" cublasStatus_t
cublasSgemm (cublasHandle_t handle,
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
             int ldc)
{
  const Product product = { matrix_make (a, CUDA_R_32F, m, k, op_a, lda, 0),
                            matrix_make (b, CUDA_R_32F, k, n, op_b, ldb, 0),
                            matrix_make (c, CUDA_R_32F, m, n, CUBLAS_OP_N, ldc, 0),
                            m, n, k, 1, *alpha, *beta, false, false };
  return product_queue ("cublasSgemm", handle, product, CUBLAS_COMPUTE_32F);
}

extern "C" cublasStatus_t
cublasCreate (cublasHandle_t *out)
{
  const Call call ("cublasCreate");
  *out = nullptr;
  if (call.failed ())
    return call.error () == cudaErrorMemoryAllocation ? CUBLAS_STATUS_ALLOC_FAILED
                                                      : CUBLAS_STATUS_NOT_INITIALIZED;
  *out = new cublasContext ();
  handles.insert (*out);
  return blas_status (call.finish (cudaSuccess));
}

extern "C" cublasStatus_t
cublasDestroy (cublasHandle_t handle)
{
  const Call call ("cublasDestroy");
  if (handles.erase (handle) == 0)
    return CUBLAS_STATUS_NOT_INITIALIZED;
  delete handle;
  return blas_status (call.failed () ? call.error () : call.finish (cudaSuccess));
}

/* What the three settings share. */
template <class Set>
static cublasStatus_t
handle_set (const char *name, cublasHandle_t handle, Set set)
{
  const Call call (name);
  if (call.failed ())
    return blas_status (call.error ());
  return handles.count (handle) > 0 ? set () : CUBLAS_STATUS_NOT_INITIALIZED;
}

extern "C" cublasStatus_t
cublasGetVersion (cublasHandle_t handle, int *version)
{
  return handle_set ("cublasGetVersion", handle, [=] {
    *version = 130000;
    return CUBLAS_STATUS_SUCCESS;
  });
}

/* The workspace is cuBLAS's own again: so the manual says. */
extern "C" cublasStatus_t
cublasSetStream (cublasHandle_t handle, cudaStream_t stream)
{
  return handle_set ("cublasSetStream", handle, [=] {
    if (!stream_is_good (stream, "cublasSetStream"))
      return CUBLAS_STATUS_INVALID_VALUE;
    handle->stream = stream;
    handle->workspace = nullptr;
    return CUBLAS_STATUS_SUCCESS;
  });
}

extern "C" cublasStatus_t
cublasSetWorkspace (cublasHandle_t handle, void *workspace, size_t bytes)
{
  return handle_set ("cublasSetWorkspace", handle, [=] {
    if ((uintptr_t) workspace % 256 != 0 || arena_room (workspace) < (ptrdiff_t) bytes)
      return CUBLAS_STATUS_INVALID_VALUE;
    handle->workspace = workspace;
    handle->workspace_bytes = bytes;
    return CUBLAS_STATUS_SUCCESS;
  });
}

extern "C" cublasStatus_t
cublasSetMathMode (cublasHandle_t handle, cublasMath_t mode)
{
  return handle_set ("cublasSetMathMode", handle, [=] {
    handle->mode = mode;
    return CUBLAS_STATUS_SUCCESS;
  });
}

struct StatusWords
{
  cublasStatus_t status;
  const char *name, *text;
};

#define WORDS(status, text) { status, #status, text }

static const StatusWords status_words[] = {
  WORDS (CUBLAS_STATUS_SUCCESS, "success"),
  WORDS (CUBLAS_STATUS_NOT_INITIALIZED, "the library was not initialized"),
  WORDS (CUBLAS_STATUS_ALLOC_FAILED, "the resource allocation failed"),
  WORDS (CUBLAS_STATUS_INVALID_VALUE, "an unsupported value or parameter was passed to the function"),
  WORDS (CUBLAS_STATUS_ARCH_MISMATCH, "the function requires a feature absent from the device architecture"),
  WORDS (CUBLAS_STATUS_MAPPING_ERROR, "an access to GPU memory space failed"),
  WORDS (CUBLAS_STATUS_EXECUTION_FAILED, "the GPU program failed to execute"),
  WORDS (CUBLAS_STATUS_INTERNAL_ERROR, "an internal operation failed"),
  WORDS (CUBLAS_STATUS_NOT_SUPPORTED, "the functionality requested is not supported"),
  WORDS (CUBLAS_STATUS_LICENSE_ERROR, "the functionality requested requires some license"),
};

static const StatusWords *
status_find (cublasStatus_t status)
{
  for (const StatusWords &each : status_words)
    if (each.status == status)
      return &each;
  return nullptr;
}

extern "C" const char *
cublasGetStatusName (cublasStatus_t status)
{
  const StatusWords *words = status_find (status);
  return words != nullptr ? words->name : "unknown status";
}

extern "C" const char *
cublasGetStatusString (cublasStatus_t status)
{
  const StatusWords *words = status_find (status);
  return words != nullptr ? words->text : "unknown status";
}
