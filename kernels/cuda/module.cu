/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cuda/module.cu: the table that a program finds in the module. */
#include "backend.h"

#include <stdio.h>
#include <string.h>

static void
module_put_uuid (const cudaUUID_t *uuid, char *out, size_t size)
{
  size_t at = (size_t) snprintf (out, size, "GPU-");
  for (unsigned i = 0; i < sizeof uuid->bytes && at < size; i++)
    at += (size_t) snprintf (out + at, size - at, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
                             (unsigned) (unsigned char) uuid->bytes[i]);
}

/* 0 where the driver does not say. */
static int
module_read_attribute (cudaDeviceAttr attribute, int ordinal)
{
  int value = 0;
  if (cudaDeviceGetAttribute (&value, attribute, ordinal) != cudaSuccess)
    {
      cudaGetLastError ();
      return 0;
    }
  return value;
}

static bool
module_get_info (int ordinal, AssayCudaInfo *out, char *fault, size_t fault_bytes)
{
  cudaDeviceProp properties;
  memset (out, 0, sizeof *out);
  cudaError_t error = cudaGetDeviceProperties (&properties, ordinal);
  if (error == cudaSuccess)
    error = cudaDeviceGetPCIBusId (out->pci_bus_id, (int) sizeof out->pci_bus_id, ordinal);
  if (error != cudaSuccess)
    {
      cudaGetLastError ();
      if (error == cudaErrorInsufficientDriver || error == cudaErrorNoDevice)
        cuda_explain_absence (fault, fault_bytes, error);
      else
        snprintf (fault, fault_bytes, "cuda:%d: %s: %s", ordinal, cudaGetErrorName (error),
                  cudaGetErrorString (error));
      return false;
    }
  snprintf (out->name, sizeof out->name, "%s", properties.name);
  module_put_uuid (&properties.uuid, out->uuid, sizeof out->uuid);
  out->compute_major = properties.major;
  out->compute_minor = properties.minor;
  out->n_multiprocessors = properties.multiProcessorCount;
  out->memory_bytes = properties.totalGlobalMem;
  out->integrated = properties.integrated != 0;
  out->memory_bus_bits = module_read_attribute (cudaDevAttrGlobalMemoryBusWidth, ordinal);
  out->memory_clock_khz = module_read_attribute (cudaDevAttrMemoryClockRate, ordinal);
  cudaDriverGetVersion (&out->driver_version);
  cudaRuntimeGetVersion (&out->runtime_version);
  return true;
}

static const char *
module_get_kernel_name (const AssayBackend *b)
{
  return ((const CudaBackend *) b)->kernel_name;
}

static void
module_get_fixed_bytes (const AssayBackend *b, uint64_t *device_bytes, uint64_t *pinned_bytes)
{
  *device_bytes = ((const CudaBackend *) b)->fixed_bytes;
  *pinned_bytes = ((const CudaBackend *) b)->pinned_bytes;
}

static bool
module_is_closed (const AssayBackend *b)
{
  return ((const CudaBackend *) b)->closed;
}

static AssayStatus
module_get_memory (AssayBackend *b, uint64_t *free_bytes, uint64_t *total_bytes)
{
  size_t unused = 0, all = 0;
  CUDA_TRY (cuda_enter (b));
  CUDA_TRY (cuda_check (b, cudaMemGetInfo (&unused, &all), "ask for the memory"));
  *free_bytes = unused;
  *total_bytes = all;
  return ASSAY_OK;
}

/* In the order of AssayCudaModule. */
const AssayCudaModule assay_cuda_module = {
  ASSAY_CUDA_VERSION, sizeof (AssayCudaModule), assay_cuda_probe,       module_get_info,
  cuda_backend_new,   module_get_kernel_name,   module_get_fixed_bytes, module_is_closed,
  module_get_memory,  cuda_pinned_alloc,        cuda_pinned_free,       cuda_copy,
  cuda_copy_order,    cuda_copy_is_done,        cuda_copy_wait,         cuda_copy_get_figures,
  cuda_graph_begin,   cuda_graph_end,
};
