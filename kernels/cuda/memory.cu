/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cuda/memory.cu: device memory, and what goes in and out of it in order with the operations.
 *
 * Copies pass through two pinned halves: the driver's own way for pageable memory is no faster, and keeps its
 * buffer outside all accounts. upload() is done with the caller's memory when it returns; the device gets it
 * before the next operation. */
#include "backend.h"

#include <string.h>

AssayStatus
cuda_alloc (AssayBackend *b, size_t bytes, void **out)
{
  *out = NULL;
  CUDA_TRY (cuda_enter (b));
  const AssayStatus status = cuda_check (b, cudaMalloc (out, bytes > 0 ? bytes : 1), "alloc");
  if (status == ASSAY_NO_MEMORY)
    {
      size_t free_bytes = 0, total_bytes = 0;
      if (cudaMemGetInfo (&free_bytes, &total_bytes) != cudaSuccess)
        cudaGetLastError ();
      cuda_fault (b, status, "the device has no %zu bytes in one piece: %zu of %zu are free", bytes,
                  free_bytes, total_bytes);
    }
  if (status != ASSAY_OK)
    *out = NULL;
  return status;
}

/* Waits for the device, as cudaFree() does. Tried on a closed backend too, where what does not go now goes
 * with the context. */
void
cuda_free (AssayBackend *b, void *memory, size_t bytes)
{
  (void) bytes;
  if (memory == NULL)
    return;
  cudaSetDevice (cuda_backend (b)->ordinal);
  const cudaError_t error = cudaFree (memory);
  if (cuda_enter (b) == ASSAY_OK)
    cuda_check (b, error, "free");
}

/* A half that the device has done with. */
static AssayStatus
memory_take_half (AssayBackend *b, unsigned *half, const char *operation)
{
  CudaBackend *self = cuda_backend (b);
  *half = self->half;
  self->half ^= 1;
  if (!self->is_staged[*half])
    return ASSAY_OK;
  self->is_staged[*half] = false;
  return cuda_check (b, cudaEventSynchronize (self->staged[*half]), operation);
}

static AssayStatus
memory_mark_half (AssayBackend *b, unsigned half, const char *operation)
{
  CudaBackend *self = cuda_backend (b);
  CUDA_TRY (cuda_check (b, cudaEventRecord (self->staged[half], self->compute_stream), operation));
  self->is_staged[half] = true;
  return ASSAY_OK;
}

AssayStatus
cuda_upload (AssayBackend *b, void *device, const void *host, size_t bytes)
{
  CudaBackend *self = cuda_backend (b);
  CUDA_TRY (cuda_enter_queue (b));
  for (size_t done = 0, part; done < bytes; done += part)
    {
      unsigned half;
      part = cuda_min (bytes - done, CUDA_STAGING_BYTES);
      CUDA_TRY (memory_take_half (b, &half, "upload"));
      uint8_t *staging = self->pinned + half * (size_t) CUDA_STAGING_BYTES;
      memcpy (staging, (const uint8_t *) host + done, part);
      CUDA_TRY (cuda_check (b,
                            cudaMemcpyAsync ((uint8_t *) device + done, staging, part, cudaMemcpyHostToDevice,
                                             self->compute_stream),
                            "upload"));
      CUDA_TRY (memory_mark_half (b, half, "upload"));
    }
  return ASSAY_OK;
}

/* Where a part of a download waits in its half. */
typedef struct
{
  unsigned half;
  size_t at, bytes;
} MemoryPart;

static AssayStatus
memory_fetch (AssayBackend *b, const void *device, const MemoryPart *part)
{
  CudaBackend *self = cuda_backend (b);
  CUDA_TRY (cuda_check (b,
                        cudaMemcpyAsync (self->pinned + part->half * (size_t) CUDA_STAGING_BYTES,
                                         (const uint8_t *) device + part->at, part->bytes,
                                         cudaMemcpyDeviceToHost, self->compute_stream),
                        "download"));
  return memory_mark_half (b, part->half, "download");
}

static AssayStatus
memory_hand_over (AssayBackend *b, void *host, const MemoryPart *part)
{
  CudaBackend *self = cuda_backend (b);
  self->is_staged[part->half] = false;
  CUDA_TRY (cuda_check (b, cudaEventSynchronize (self->staged[part->half]), "download"));
  memcpy ((uint8_t *) host + part->at, self->pinned + part->half * (size_t) CUDA_STAGING_BYTES, part->bytes);
  return ASSAY_OK;
}

/* One part is fetched while the one before is copied out. */
AssayStatus
cuda_download (AssayBackend *b, void *host, const void *device, size_t bytes)
{
  MemoryPart last = { 0, 0, 0 };
  CUDA_TRY (cuda_enter_queue (b));
  for (size_t done = 0; done < bytes; done += last.bytes)
    {
      MemoryPart part = { 0, done, cuda_min (bytes - done, CUDA_STAGING_BYTES) };
      CUDA_TRY (memory_take_half (b, &part.half, "download"));
      CUDA_TRY (memory_fetch (b, device, &part));
      if (last.bytes > 0)
        CUDA_TRY (memory_hand_over (b, host, &last));
      last = part;
    }
  return last.bytes > 0 ? memory_hand_over (b, host, &last) : ASSAY_OK;
}

AssayStatus
cuda_sync (AssayBackend *b)
{
  CudaBackend *self = cuda_backend (b);
  CUDA_TRY (cuda_enter_queue (b));
  CUDA_TRY (cuda_check (b, cudaStreamSynchronize (self->compute_stream), "wait"));
  return cuda_check (b, cudaStreamSynchronize (self->copy_stream), "wait");
}

AssayStatus
cuda_read_results (AssayBackend *b, unsigned n, const char *operation)
{
  CudaBackend *self = cuda_backend (b);
  CUDA_TRY (cuda_check (b,
                        cudaMemcpyAsync (self->host_results, self->results, n * sizeof *self->results,
                                         cudaMemcpyDeviceToHost, self->compute_stream),
                        operation));
  return cuda_check (b, cudaStreamSynchronize (self->compute_stream), operation);
}
