/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cuda/fault.cu: what CUDA's answers mean for the backend.
 *
 * Errors that spoil the context make every later call fail, in words that say nothing of the cause; so the first
 * one is kept, and CUDA is not asked again. Which errors do that, the manual says one by one; here those are
 * listed that do not, so that an unknown one closes the backend rather than being trusted. */
#include "backend.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

AssayStatus
cuda_fault (AssayBackend *b, AssayStatus status, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  vsnprintf (b->fault, sizeof b->fault, format, args);
  va_end (args);
  return status;
}

static bool
fault_is_harmless (cudaError_t error)
{
  switch ((int) error)
    {
    case cudaErrorInvalidValue:
    case cudaErrorMemoryAllocation:
    case cudaErrorInvalidConfiguration:
    case cudaErrorInvalidDevice:
    case cudaErrorInvalidDevicePointer:
    case cudaErrorInvalidResourceHandle:
    case cudaErrorInvalidDeviceFunction:
    case cudaErrorLaunchOutOfResources:
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorNotReady:
    case cudaErrorNotSupported:
    case cudaErrorStreamCaptureUnsupported:
    case cudaErrorStreamCaptureInvalidated:
    case cudaErrorStreamCaptureUnmatched:
    case cudaErrorStreamCaptureUnjoined:
    case cudaErrorStreamCaptureIsolation:
    case cudaErrorCapturedEvent:
    case cudaErrorGraphExecUpdateFailure:
      return true;
    default:
      return false;
    }
}

static AssayStatus
fault_close (AssayBackend *b)
{
  CudaBackend *self = cuda_backend (b);
  self->closed = true;
  memcpy (self->closed_fault, b->fault, sizeof self->closed_fault);
  return ASSAY_DEVICE_FAULT;
}

AssayStatus
cuda_check (AssayBackend *b, cudaError_t error, const char *operation)
{
  if (error == cudaSuccess)
    return ASSAY_OK;
  cudaGetLastError (); /* or the next look would meet it again */
  cuda_fault (b, ASSAY_DEVICE_FAULT, "%s: %s: %s", operation, cudaGetErrorName (error), cudaGetErrorString (error));
  if (error == cudaErrorMemoryAllocation)
    return ASSAY_NO_MEMORY;
  return fault_is_harmless (error) ? ASSAY_DEVICE_FAULT : fault_close (b);
}

AssayStatus
cuda_check_blas (AssayBackend *b, cublasStatus_t status, const char *operation)
{
  if (status == CUBLAS_STATUS_SUCCESS)
    return ASSAY_OK;
  cuda_fault (b, ASSAY_DEVICE_FAULT, "%s: %s: %s", operation, cublasGetStatusName (status),
              cublasGetStatusString (status));
  switch ((int) status)
    {
    case CUBLAS_STATUS_ALLOC_FAILED: return ASSAY_NO_MEMORY;
    case CUBLAS_STATUS_NOT_SUPPORTED:
    case CUBLAS_STATUS_ARCH_MISMATCH: return ASSAY_UNSUPPORTED;
    case CUBLAS_STATUS_INVALID_VALUE: return ASSAY_DEVICE_FAULT;
    default: return fault_close (b);
    }
}

AssayStatus
cuda_launched (AssayBackend *b, const char *operation)
{
  return cuda_check (b, cudaGetLastError (), operation);
}

AssayStatus
cuda_enter (AssayBackend *b)
{
  CudaBackend *self = cuda_backend (b);
  if (self->closed)
    {
      memcpy (b->fault, self->closed_fault, sizeof b->fault);
      return ASSAY_DEVICE_FAULT;
    }
  return cuda_check (b, cudaSetDevice (self->ordinal), "choose the device");
}

AssayStatus
cuda_enter_queue (AssayBackend *b)
{
  CUDA_TRY (cuda_enter (b));
  if (cuda_backend (b)->recording)
    return cuda_fault (b, ASSAY_UNSUPPORTED, "what waits cannot be part of a recorded pass");
  return ASSAY_OK;
}
