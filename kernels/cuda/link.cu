/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cuda/link.cu: copies that run beside compute, and the events that keep the two in order.
 *
 *   compute  ... op | fence        before . wait . after | op ...
 *   copy             wait fence | begin, copy, end
 *
 * The fence keeps a copy from overwriting what queued operations still read; waiting for `end` keeps later
 * ones from reading too early. The host waits for neither. Events are kept for the last copies; a slot is
 * taken anew when its copy is done, so the oldest one is waited for where the caller is far ahead. */
#include "backend.h"

#include <math.h>

AssayStatus
cuda_pinned_alloc (AssayBackend *b, size_t bytes, void **out)
{
  *out = NULL;
  CUDA_TRY (cuda_enter (b));
  const AssayStatus status
    = cuda_check (b, cudaMallocHost (out, bytes > 0 ? bytes : 1), "alloc pinned memory");
  if (status == ASSAY_NO_MEMORY)
    cuda_fault (b, status, "the system has no %zu bytes of memory that can be pinned", bytes);
  if (status != ASSAY_OK)
    *out = NULL;
  return status;
}

/* As cuda_free(). */
void
cuda_pinned_free (AssayBackend *b, void *memory)
{
  if (memory == NULL)
    return;
  cudaSetDevice (cuda_backend (b)->ordinal);
  const cudaError_t error = cudaFreeHost (memory);
  if (cuda_enter (b) == ASSAY_OK)
    cuda_check (b, error, "free pinned memory");
}

static CudaCopy *
link_slot (CudaBackend *self, uint64_t ticket)
{
  return &self->copies[ticket % CUDA_N_TICKETS];
}

/* NULL: the ticket is not known any more, since its copy is done and was ordered against compute. */
static CudaCopy *
link_find (CudaBackend *self, uint64_t ticket)
{
  CudaCopy *copy = link_slot (self, ticket);
  return ticket > 0 && copy->ticket == ticket ? copy : NULL;
}

static AssayStatus
link_elapsed (AssayBackend *b, cudaEvent_t from, cudaEvent_t to, int64_t *sum_ns)
{
  float ms = 0;
  CUDA_TRY (cuda_check (b, cudaEventElapsedTime (&ms, from, to), "copy"));
  *sum_ns += (int64_t) llround ((double) ms * 1e6);
  return ASSAY_OK;
}

/* Adds up what is known of a copy that is done. */
static AssayStatus
link_count (AssayBackend *b, CudaCopy *copy)
{
  CudaBackend *self = cuda_backend (b);
  if (!copy->busy_counted)
    {
      CUDA_TRY (link_elapsed (b, copy->begin, copy->end, &self->copied.busy_ns));
      self->copied.bytes += copy->bytes;
      self->copied.n_copies++;
      copy->busy_counted = true;
    }
  return ASSAY_OK;
}

static AssayStatus
link_count_stall (AssayBackend *b, CudaCopy *copy)
{
  if (copy->ordered && !copy->stall_counted)
    {
      CUDA_TRY (link_elapsed (b, copy->before, copy->after, &cuda_backend (b)->copied.stall_ns));
      copy->stall_counted = true;
    }
  return ASSAY_OK;
}

/* Waits for the copy that a slot was for. */
static AssayStatus
link_clear (AssayBackend *b, CudaCopy *copy)
{
  if (copy->ticket == 0)
    return ASSAY_OK;
  CUDA_TRY (cuda_check (b, cudaEventSynchronize (copy->end), "copy"));
  CUDA_TRY (link_count (b, copy));
  if (copy->ordered && !copy->stall_counted)
    {
      CUDA_TRY (cuda_check (b, cudaEventSynchronize (copy->after), "copy"));
      CUDA_TRY (link_count_stall (b, copy));
    }
  copy->ticket = 0;
  return ASSAY_OK;
}

static AssayStatus
link_begin (AssayBackend *b, CudaCopy *copy, void *device, const void *host)
{
  CudaBackend *self = cuda_backend (b);
  CUDA_TRY (cuda_check (b, cudaEventRecord (copy->fence, self->compute_stream), "copy"));
  CUDA_TRY (cuda_check (b, cudaStreamWaitEvent (self->copy_stream, copy->fence, 0), "copy"));
  CUDA_TRY (cuda_check (b, cudaEventRecord (copy->begin, self->copy_stream), "copy"));
  if (copy->bytes > 0)
    CUDA_TRY (cuda_check (
      b, cudaMemcpyAsync (device, host, copy->bytes, cudaMemcpyHostToDevice, self->copy_stream), "copy"));
  return cuda_check (b, cudaEventRecord (copy->end, self->copy_stream), "copy");
}

AssayStatus
cuda_copy (AssayBackend *b, void *device, const void *host, size_t bytes, uint64_t *ticket)
{
  CudaBackend *self = cuda_backend (b);
  CUDA_TRY (cuda_enter_queue (b));
  CudaCopy *copy = link_slot (self, self->n_copies + 1);
  CUDA_TRY (link_clear (b, copy));
  copy->bytes = bytes;
  copy->ordered = copy->busy_counted = copy->stall_counted = false;
  CUDA_TRY (link_begin (b, copy, device, host));
  *ticket = copy->ticket = ++self->n_copies;
  return ASSAY_OK;
}

static AssayStatus
link_check_ticket (AssayBackend *b, uint64_t ticket)
{
  CUDA_TRY (cuda_enter_queue (b));
  if (ticket > cuda_backend (b)->n_copies)
    return cuda_fault (b, ASSAY_DEVICE_FAULT, "copy number %llu was never begun",
                       (unsigned long long) ticket);
  return ASSAY_OK;
}

/* Copies come one after another: waiting for one waits for those before it. */
AssayStatus
cuda_copy_order (AssayBackend *b, uint64_t ticket)
{
  CudaBackend *self = cuda_backend (b);
  CUDA_TRY (link_check_ticket (b, ticket));
  CudaCopy *copy = link_find (self, ticket);
  if (copy == NULL || copy->ordered)
    return ASSAY_OK;
  CUDA_TRY (cuda_check (b, cudaEventRecord (copy->before, self->compute_stream), "wait for a copy"));
  CUDA_TRY (cuda_check (b, cudaStreamWaitEvent (self->compute_stream, copy->end, 0), "wait for a copy"));
  CUDA_TRY (cuda_check (b, cudaEventRecord (copy->after, self->compute_stream), "wait for a copy"));
  copy->ordered = true;
  return ASSAY_OK;
}

/* For an event that was recorded. */
static AssayStatus
link_is_past (AssayBackend *b, cudaEvent_t event, bool *past)
{
  const cudaError_t error = cudaEventQuery (event);
  *past = error == cudaSuccess;
  if (error != cudaErrorNotReady)
    return cuda_check (b, error, "copy");
  cudaGetLastError ();
  return ASSAY_OK;
}

AssayStatus
cuda_copy_is_done (AssayBackend *b, uint64_t ticket, bool *done)
{
  CUDA_TRY (link_check_ticket (b, ticket));
  const CudaCopy *copy = link_find (cuda_backend (b), ticket);
  *done = true;
  return copy != NULL ? link_is_past (b, copy->end, done) : ASSAY_OK;
}

AssayStatus
cuda_copy_wait (AssayBackend *b, uint64_t ticket)
{
  CUDA_TRY (link_check_ticket (b, ticket));
  const CudaCopy *copy = link_find (cuda_backend (b), ticket);
  return copy != NULL ? cuda_check (b, cudaEventSynchronize (copy->end), "wait for a copy") : ASSAY_OK;
}

AssayStatus
cuda_copy_get_figures (AssayBackend *b, AssayCudaCopyFigures *out)
{
  CudaBackend *self = cuda_backend (b);
  CUDA_TRY (cuda_enter (b));
  for (unsigned i = 0; i < CUDA_N_TICKETS; i++)
    {
      CudaCopy *copy = &self->copies[i];
      bool past = false;
      if (copy->ticket > 0)
        CUDA_TRY (link_is_past (b, copy->end, &past));
      if (past)
        CUDA_TRY (link_count (b, copy));
      if (past && copy->ordered)
        CUDA_TRY (link_is_past (b, copy->after, &past));
      if (past)
        CUDA_TRY (link_count_stall (b, copy));
    }
  *out = self->copied;
  return ASSAY_OK;
}
