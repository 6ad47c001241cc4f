/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cuda/backend.cu: the table, and a backend's beginning and end. */
#include "backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIB (1024u * 1024u)

static void cuda_destroy (AssayBackend *b);

/* In the order of AssayKernels. */
static const AssayKernels cuda_kernels = {
  "cuda",
  cuda_destroy,
  cuda_alloc,
  cuda_free,
  cuda_upload,
  cuda_download,
  cuda_embed,
  cuda_rmsnorm,
  cuda_layernorm,
  cuda_rope,
  cuda_matmul,
  cuda_matmul_workspace,
  cuda_kv_store,
  cuda_attention,
  cuda_attention_workspace,
  cuda_gated,
  cuda_activate,
  cuda_add,
  cuda_softmax,
  cuda_soft_cap,
  cuda_sample,
  cuda_sample_workspace,
  cuda_dequantize,
  cuda_quantize,
  cuda_quantize_finish,
  cuda_quantize_scratch,
  cuda_sync,
};

static void
backend_destroy_copy (CudaCopy *copy)
{
  cudaEvent_t events[] = { copy->fence, copy->begin, copy->end, copy->before, copy->after };
  for (cudaEvent_t event : events)
    if (event != NULL)
      cudaEventDestroy (event);
}

/* Also where it was made by half, or is closed: then CUDA refuses, and there is nothing more to give back. */
static void
cuda_destroy (AssayBackend *b)
{
  CudaBackend *self = cuda_backend (b);
  if (self == NULL)
    return;
  if (self->sizes_only)
    {
      free (self);
      return;
    }
  cudaSetDevice (self->ordinal);
  if (self->recording)
    cuda_graph_end (b, false);
  if (self->compute_stream != NULL)
    cudaStreamSynchronize (self->compute_stream);
  if (self->copy_stream != NULL)
    cudaStreamSynchronize (self->copy_stream);
  if (self->graph != NULL)
    cudaGraphExecDestroy (self->graph);
  if (self->blas != NULL)
    cublasDestroy (self->blas);
  for (unsigned i = 0; i < CUDA_N_TICKETS; i++)
    backend_destroy_copy (&self->copies[i]);
  for (cudaEvent_t event : self->staged)
    if (event != NULL)
      cudaEventDestroy (event);
  if (self->fixed != NULL)
    cudaFree (self->fixed);
  if (self->pinned != NULL)
    cudaFreeHost (self->pinned);
  if (self->copy_stream != NULL)
    cudaStreamDestroy (self->copy_stream);
  if (self->compute_stream != NULL)
    cudaStreamDestroy (self->compute_stream);
  cudaGetLastError ();
  free (self);
}

/* What cuBLAS wants to find, says its manual. */
static size_t
backend_blas_bytes (const CudaBackend *self)
{
  return (self->sm >= 90 ? 32 : 8) * (size_t) MIB;
}

static AssayStatus
backend_make_streams (AssayBackend *b)
{
  CudaBackend *self = cuda_backend (b);
  CUDA_TRY (
    cuda_check (b, cudaStreamCreateWithFlags (&self->compute_stream, cudaStreamNonBlocking), "start"));
  CUDA_TRY (cuda_check (b, cudaStreamCreateWithFlags (&self->copy_stream, cudaStreamNonBlocking), "start"));
  for (cudaEvent_t &event : self->staged)
    CUDA_TRY (cuda_check (b, cudaEventCreateWithFlags (&event, cudaEventDisableTiming), "start"));
  for (CudaCopy &copy : self->copies)
    {
      CUDA_TRY (cuda_check (b, cudaEventCreateWithFlags (&copy.fence, cudaEventDisableTiming), "start"));
      for (cudaEvent_t *event : { &copy.begin, &copy.end, &copy.before, &copy.after })
        CUDA_TRY (cuda_check (b, cudaEventCreateWithFlags (event, cudaEventDefault), "start"));
    }
  return ASSAY_OK;
}

static const size_t rope_bytes = CUDA_MAX_PAIRS * sizeof (double);
static const size_t result_bytes = CUDA_RESULT_WORDS * sizeof (uint64_t);

static void
backend_size_blocks (CudaBackend *self)
{
  self->fixed_bytes = backend_blas_bytes (self) + CUDA_ROPE_SLOTS * rope_bytes + result_bytes;
  self->pinned_bytes = 2 * (size_t) CUDA_STAGING_BYTES + result_bytes;
}

/* The fixed blocks, cut up. */
static AssayStatus
backend_make_blocks (AssayBackend *b)
{
  CudaBackend *self = cuda_backend (b);
  const size_t blas_bytes = backend_blas_bytes (self);
  CUDA_TRY (cuda_check (b, cudaMalloc ((void **) &self->fixed, self->fixed_bytes), "start"));
  CUDA_TRY (cuda_check (b, cudaMallocHost ((void **) &self->pinned, self->pinned_bytes), "start"));
  for (unsigned i = 0; i < CUDA_ROPE_SLOTS; i++)
    self->ropes[i].frequency = (double *) (self->fixed + blas_bytes + i * rope_bytes);
  self->results = (uint64_t *) (self->fixed + blas_bytes + CUDA_ROPE_SLOTS * rope_bytes);
  self->host_results = (uint64_t *) (self->pinned + 2 * (size_t) CUDA_STAGING_BYTES);
  return ASSAY_OK;
}

/* Sums stay float32 to the end, also those that are split among blocks. */
static AssayStatus
backend_make_blas (AssayBackend *b)
{
  CudaBackend *self = cuda_backend (b);
  const int mode = CUBLAS_DEFAULT_MATH | CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION;
  CUDA_TRY (cuda_check_blas (b, cublasCreate (&self->blas), "start cuBLAS"));
  CUDA_TRY (cuda_check_blas (b, cublasSetStream (self->blas, self->compute_stream), "start cuBLAS"));
  CUDA_TRY (cuda_check_blas (b, cublasSetWorkspace (self->blas, self->fixed, backend_blas_bytes (self)),
                             "start cuBLAS"));
  return cuda_check_blas (b, cublasSetMathMode (self->blas, (cublasMath_t) mode), "start cuBLAS");
}

static const char *
backend_compute_name (const CudaBackend *self)
{
  switch (self->compute)
    {
    case ASSAY_COMPUTE_F16:
      return "float16";
    case ASSAY_COMPUTE_BF16:
      return "bfloat16";
    case ASSAY_COMPUTE_INT8:
      return "int8x2";
    default:
      return self->tf32 ? "tf32" : "float32";
    }
}

/* What the driver knows of a device without a context. */
static AssayStatus
backend_describe (AssayBackend *b)
{
  CudaBackend *self = cuda_backend (b);
  int major = 0, minor = 0;
  CUDA_TRY (cuda_check (b, cudaDeviceGetAttribute (&major, cudaDevAttrComputeCapabilityMajor, self->ordinal),
                        "start"));
  CUDA_TRY (cuda_check (b, cudaDeviceGetAttribute (&minor, cudaDevAttrComputeCapabilityMinor, self->ordinal),
                        "start"));
  CUDA_TRY (cuda_check (
    b, cudaDeviceGetAttribute (&self->n_multiprocessors, cudaDevAttrMultiProcessorCount, self->ordinal),
    "start"));
  self->sm = 10 * major + minor;
  if (self->sm < 75)
    return cuda_fault (b, ASSAY_UNSUPPORTED, "a device of compute %d.%d is too old: 7.5 is needed", major,
                       minor);
  snprintf (self->kernel_name, sizeof self->kernel_name, "cuda sm_%d %s", self->sm,
            backend_compute_name (self));
  backend_size_blocks (self);
  return ASSAY_OK;
}

static AssayStatus
backend_start (AssayBackend *b)
{
  CudaBackend *self = cuda_backend (b);
  CUDA_TRY (backend_describe (b));
  if (self->sizes_only)
    {
      self->closed = true;
      snprintf (self->closed_fault, sizeof self->closed_fault, "this backend was made for its sizes only");
      return ASSAY_OK;
    }
  CUDA_TRY (cuda_enter (b));
  CUDA_TRY (backend_make_streams (b));
  CUDA_TRY (backend_make_blocks (b));
  return backend_make_blas (b);
}

AssayBackend *
cuda_backend_new (const AssayCudaOptions *options, char *fault, size_t fault_bytes)
{
  CudaBackend *self = (CudaBackend *) calloc (1, sizeof *self);
  if (self == NULL)
    {
      snprintf (fault, fault_bytes, "there is no memory for a backend");
      return NULL;
    }
  self->base.ops = &cuda_kernels;
  self->ordinal = options->ordinal;
  self->compute = options->compute;
  self->tf32 = options->tf32;
  self->sizes_only = options->sizes_only;
  if (backend_start (&self->base) == ASSAY_OK)
    return &self->base;
  snprintf (fault, fault_bytes, "%s", self->base.fault);
  cuda_destroy (&self->base);
  return NULL;
}
