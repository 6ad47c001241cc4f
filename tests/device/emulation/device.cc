/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/emulation/device.cc: which devices there are, what they say of themselves, and errors in
 * words. */
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "arena.h"
#include "call.h"
#include "fault.h"
#include "shared-memory.h"
#include "state.h"
#include "stream.h"

using namespace emulation;

static bool
device_exists (int device)
{
  return device >= 0 && (uint32_t) device < state.options.n_devices;
}

/* The loader's own business, answered without a driver too. */
extern "C" cudaError_t
cudaDriverGetVersion (int *version)
{
  *version = state.options.no_driver ? 0 : CUDART_VERSION;
  return cudaSuccess;
}

extern "C" cudaError_t
cudaRuntimeGetVersion (int *version)
{
  *version = CUDART_VERSION;
  return cudaSuccess;
}

extern "C" cudaError_t
cudaGetDeviceCount (int *n)
{
  const Call call ("cudaGetDeviceCount");
  *n = 0;
  if (call.failed ())
    return call.error ();
  *n = (int) state.options.n_devices;
  return call.finish (*n > 0 ? cudaSuccess : cudaErrorNoDevice);
}

static cudaError_t
device_choose (const char *name, int device)
{
  const Call call (name);
  if (call.failed ())
    return call.error ();
  if (!device_exists (device))
    return call.finish (cudaErrorInvalidDevice);
  state.device = device;
  return call.finish (cudaSuccess);
}

extern "C" cudaError_t
cudaSetDevice (int device)
{
  return device_choose ("cudaSetDevice", device);
}

extern "C" cudaError_t
cudaInitDevice (int device, unsigned, unsigned)
{
  return device_choose ("cudaInitDevice", device);
}

extern "C" cudaError_t
cudaGetDevice (int *device)
{
  const Call call ("cudaGetDevice");
  *device = state.device;
  return call.failed () ? call.error () : call.finish (cudaSuccess);
}

extern "C" cudaError_t
cudaSetDeviceFlags (unsigned)
{
  const Call call ("cudaSetDeviceFlags");
  return call.failed () ? call.error () : call.finish (cudaSuccess);
}

static void
device_describe (cudaDeviceProp *properties, int device)
{
  *properties = {};
  snprintf (properties->name, sizeof properties->name, "Emulated device %d", device);
  memcpy (properties->uuid.bytes, "assay-emulation", 16);
  properties->uuid.bytes[15] = (char) device;
  properties->totalGlobalMem = state.options.budget_bytes;
  properties->sharedMemPerBlock = SHARED_MEMORY_BYTES;
  properties->sharedMemPerBlockOptin = SHARED_MEMORY_OPT_IN;
  properties->sharedMemPerMultiprocessor = SHARED_MEMORY_OPT_IN + 1024;
  properties->warpSize = 32;
  properties->maxThreadsPerBlock = properties->maxThreadsDim[0] = properties->maxThreadsDim[1] = 1024;
  properties->maxThreadsDim[2] = 64;
  properties->maxGridSize[0] = INT32_MAX;
  properties->maxGridSize[1] = properties->maxGridSize[2] = 65535;
  properties->maxThreadsPerMultiProcessor = 1536;
  properties->major = state.options.compute_major;
  properties->minor = state.options.compute_minor;
  properties->multiProcessorCount = 4;
  properties->l2CacheSize = 4 << 20;
  properties->memoryBusWidth = 256;
  properties->regsPerBlock = 65536;
  properties->pciBusID = device + 1;
  properties->unifiedAddressing = properties->canMapHostMemory = 1;
  properties->asyncEngineCount = 2;
}

extern "C" cudaError_t
cudaGetDeviceProperties (cudaDeviceProp *properties, int device)
{
  const Call call ("cudaGetDeviceProperties");
  if (call.failed ())
    return call.error ();
  if (!device_exists (device))
    return call.finish (cudaErrorInvalidDevice);
  device_describe (properties, device);
  return call.finish (cudaSuccess);
}

static int
device_attribute (const cudaDeviceProp &p, cudaDeviceAttr attribute)
{
  switch (attribute)
    {
    case cudaDevAttrMaxThreadsPerBlock: return p.maxThreadsPerBlock;
    case cudaDevAttrMaxSharedMemoryPerBlock: return (int) p.sharedMemPerBlock;
    case cudaDevAttrWarpSize: return p.warpSize;
    case cudaDevAttrClockRate: return 1000000;
    case cudaDevAttrMultiProcessorCount: return p.multiProcessorCount;
    case cudaDevAttrMemoryClockRate: return 1000000;
    case cudaDevAttrGlobalMemoryBusWidth: return p.memoryBusWidth;
    case cudaDevAttrL2CacheSize: return p.l2CacheSize;
    case cudaDevAttrMaxThreadsPerMultiProcessor: return p.maxThreadsPerMultiProcessor;
    case cudaDevAttrComputeCapabilityMajor: return p.major;
    case cudaDevAttrComputeCapabilityMinor: return p.minor;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: return (int) p.sharedMemPerMultiprocessor;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: return (int) p.sharedMemPerBlockOptin;
    case cudaDevAttrMemoryPoolsSupported: return 1;
    }
  return 0;
}

extern "C" cudaError_t
cudaDeviceGetAttribute (int *value, cudaDeviceAttr attribute, int device)
{
  const Call call ("cudaDeviceGetAttribute");
  if (call.failed ())
    return call.error ();
  if (!device_exists (device))
    return call.finish (cudaErrorInvalidDevice);
  cudaDeviceProp properties;
  device_describe (&properties, device);
  *value = device_attribute (properties, attribute);
  return call.finish (cudaSuccess);
}

extern "C" cudaError_t
cudaDeviceGetPCIBusId (char *text, int size, int device)
{
  const Call call ("cudaDeviceGetPCIBusId");
  if (call.failed ())
    return call.error ();
  if (!device_exists (device))
    return call.finish (cudaErrorInvalidDevice);
  snprintf (text, (size_t) size, "0000:%02x:00.0", device + 1);
  return call.finish (cudaSuccess);
}

extern "C" cudaError_t
cudaMemGetInfo (size_t *free, size_t *total)
{
  const Call call ("cudaMemGetInfo");
  if (call.failed ())
    return call.error ();
  const size_t budget = state.options.budget_bytes;
  *total = budget;
  *free = budget - std::min (budget, arena_get_used (state.device));
  return call.finish (cudaSuccess);
}

/* All that lived on the device is gone, even where it was broken; the error that broke it stays. */
extern "C" cudaError_t
cudaDeviceReset (void)
{
  const Call call ("cudaDeviceReset");
  stream_drain (nullptr);
  blas_reset ();
  graphs_reset ();
  streams_reset ();
  arena_reset ();
  return call.failed () ? call.error () : call.finish (cudaSuccess);
}

/* --- errors in words --- */

struct ErrorWords
{
  cudaError_t error;
  const char *name, *text;
};

#define WORDS(error, text) { error, #error, text }

static const ErrorWords error_words[] = {
  WORDS (cudaSuccess, "no error"),
  WORDS (cudaErrorInvalidValue, "invalid argument"),
  WORDS (cudaErrorMemoryAllocation, "out of memory"),
  WORDS (cudaErrorInitializationError, "initialization error"),
  WORDS (cudaErrorInvalidConfiguration, "invalid configuration argument"),
  WORDS (cudaErrorInvalidDevicePointer, "invalid device pointer"),
  WORDS (cudaErrorInsufficientDriver, "CUDA driver version is insufficient for CUDA runtime version"),
  WORDS (cudaErrorInvalidDeviceFunction, "invalid device function"),
  WORDS (cudaErrorNoDevice, "no CUDA-capable device is detected"),
  WORDS (cudaErrorInvalidDevice, "invalid device ordinal"),
  WORDS (cudaErrorNoKernelImageForDevice, "no kernel image is available for execution on the device"),
  WORDS (cudaErrorECCUncorrectable, "uncorrectable ECC error encountered"),
  WORDS (cudaErrorInvalidResourceHandle, "invalid resource handle"),
  WORDS (cudaErrorNotReady, "device not ready"),
  WORDS (cudaErrorIllegalAddress, "an illegal memory access was encountered"),
  WORDS (cudaErrorLaunchOutOfResources, "too many resources requested for launch"),
  WORDS (cudaErrorLaunchTimeout, "the launch timed out and was terminated"),
  WORDS (cudaErrorAssert, "device-side assert triggered"),
  WORDS (cudaErrorHostMemoryAlreadyRegistered, "part or all of the requested memory range is already mapped"),
  WORDS (cudaErrorHostMemoryNotRegistered, "pointer does not correspond to a registered memory region"),
  WORDS (cudaErrorHardwareStackError, "hardware stack error"),
  WORDS (cudaErrorIllegalInstruction, "an illegal instruction was encountered"),
  WORDS (cudaErrorMisalignedAddress, "misaligned address"),
  WORDS (cudaErrorLaunchFailure, "unspecified launch failure"),
  WORDS (cudaErrorNotPermitted, "operation not permitted"),
  WORDS (cudaErrorNotSupported, "operation not supported"),
  WORDS (cudaErrorStreamCaptureUnsupported, "operation not permitted when stream is capturing"),
  WORDS (cudaErrorStreamCaptureInvalidated, "operation failed due to a previous error during capture"),
  WORDS (cudaErrorStreamCaptureUnmatched, "capture was not ended in the same stream as it began"),
  WORDS (cudaErrorStreamCaptureUnjoined, "capturing stream has unjoined work"),
  WORDS (cudaErrorStreamCaptureIsolation, "dependency created on uncaptured work in another stream"),
  WORDS (cudaErrorCapturedEvent, "operation not permitted on an event last recorded in a capturing stream"),
  WORDS (cudaErrorGraphExecUpdateFailure, "the graph update was not performed because it included changes"),
  WORDS (cudaErrorUnknown, "unknown error"),
};

static const ErrorWords *
error_find (cudaError_t error)
{
  for (const ErrorWords &each : error_words)
    if (each.error == error)
      return &each;
  return nullptr;
}

extern "C" const char *
cudaGetErrorString (cudaError_t error)
{
  const ErrorWords *words = error_find (error);
  return words != nullptr ? words->text : "unrecognized error code";
}

extern "C" const char *
cudaGetErrorName (cudaError_t error)
{
  const ErrorWords *words = error_find (error);
  return words != nullptr ? words->name : "unrecognized error code";
}
