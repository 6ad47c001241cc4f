/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/emulation/cuda_runtime_api.h: the part of CUDA's runtime that is emulated, under its own
 * names and numbers. A call that is not here does not compile, one that is does what CUDA's does. */
#pragma once

#include <cstddef>
#include <cstdint>

#define CUDART_VERSION 13000

typedef enum cudaError
{
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInitializationError = 3,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorInvalidDevicePointer = 17,
  cudaErrorInsufficientDriver = 35,
  cudaErrorInvalidDeviceFunction = 98,
  cudaErrorNoDevice = 100,
  cudaErrorInvalidDevice = 101,
  cudaErrorNoKernelImageForDevice = 209,
  cudaErrorECCUncorrectable = 214,
  cudaErrorInvalidResourceHandle = 400,
  cudaErrorNotReady = 600,
  cudaErrorIllegalAddress = 700,
  cudaErrorLaunchOutOfResources = 701,
  cudaErrorLaunchTimeout = 702,
  cudaErrorAssert = 710,
  cudaErrorHostMemoryAlreadyRegistered = 712,
  cudaErrorHostMemoryNotRegistered = 713,
  cudaErrorHardwareStackError = 714,
  cudaErrorIllegalInstruction = 715,
  cudaErrorMisalignedAddress = 716,
  cudaErrorLaunchFailure = 719,
  cudaErrorNotPermitted = 800,
  cudaErrorNotSupported = 801,
  cudaErrorStreamCaptureUnsupported = 900,
  cudaErrorStreamCaptureInvalidated = 901,
  cudaErrorStreamCaptureUnmatched = 903,
  cudaErrorStreamCaptureUnjoined = 904,
  cudaErrorStreamCaptureIsolation = 905,
  cudaErrorCapturedEvent = 907,
  cudaErrorGraphExecUpdateFailure = 910,
  cudaErrorUnknown = 999,
} cudaError_t;

typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef struct CUgraph_st *cudaGraph_t;
typedef struct CUgraphExec_st *cudaGraphExec_t;
typedef struct CUgraphNode_st *cudaGraphNode_t;
typedef void (*cudaHostFn_t) (void *data);

typedef enum cudaMemcpyKind
{
  cudaMemcpyHostToHost,
  cudaMemcpyHostToDevice,
  cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice,
  cudaMemcpyDefault,
} cudaMemcpyKind;

enum cudaStreamCaptureMode
{
  cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed,
};

enum cudaStreamCaptureStatus
{
  cudaStreamCaptureStatusNone, cudaStreamCaptureStatusActive, cudaStreamCaptureStatusInvalidated,
};

enum cudaFuncAttribute
{
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8, cudaFuncAttributePreferredSharedMemoryCarveout = 9,
};

enum cudaDeviceAttr
{
  cudaDevAttrMaxThreadsPerBlock = 1,
  cudaDevAttrMaxSharedMemoryPerBlock = 8,
  cudaDevAttrWarpSize = 10,
  cudaDevAttrClockRate = 13,
  cudaDevAttrMultiProcessorCount = 16,
  cudaDevAttrMemoryClockRate = 36,
  cudaDevAttrGlobalMemoryBusWidth = 37,
  cudaDevAttrL2CacheSize = 38,
  cudaDevAttrMaxThreadsPerMultiProcessor = 39,
  cudaDevAttrComputeCapabilityMajor = 75,
  cudaDevAttrComputeCapabilityMinor = 76,
  cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
  cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
  cudaDevAttrMemoryPoolsSupported = 115,
};

#define cudaStreamDefault 0u
#define cudaStreamNonBlocking 1u
#define cudaEventDefault 0u
#define cudaEventBlockingSync 1u
#define cudaEventDisableTiming 2u
#define cudaEventRecordDefault 0u
#define cudaEventWaitDefault 0u
#define cudaHostAllocDefault 0u
#define cudaHostAllocPortable 1u
#define cudaHostAllocMapped 2u
#define cudaHostAllocWriteCombined 4u
#define cudaHostRegisterDefault 0u
#define cudaHostRegisterPortable 1u
#define cudaHostRegisterMapped 2u
#define cudaHostRegisterReadOnly 8u
#define cudaDeviceScheduleAuto 0u
#define cudaDeviceScheduleSpin 1u
#define cudaDeviceScheduleYield 2u
#define cudaDeviceScheduleBlockingSync 4u

typedef struct CUuuid_st
{
  char bytes[16];
} cudaUUID_t;

/* Of CUDA's some ninety fields, those with a meaning here. */
typedef struct cudaDeviceProp
{
  char name[256];
  cudaUUID_t uuid;
  size_t totalGlobalMem, sharedMemPerBlock, sharedMemPerBlockOptin, sharedMemPerMultiprocessor;
  int warpSize, maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], maxThreadsPerMultiProcessor;
  int major, minor, multiProcessorCount, l2CacheSize, memoryBusWidth, regsPerBlock;
  int pciBusID, pciDeviceID, pciDomainID, integrated, unifiedAddressing, canMapHostMemory, asyncEngineCount,
      ECCEnabled;
} cudaDeviceProp;

typedef enum cudaGraphExecUpdateResult
{
  cudaGraphExecUpdateSuccess, cudaGraphExecUpdateError, cudaGraphExecUpdateErrorTopologyChanged,
  cudaGraphExecUpdateErrorNodeTypeChanged, cudaGraphExecUpdateErrorFunctionChanged,
} cudaGraphExecUpdateResult;

typedef struct cudaGraphExecUpdateResultInfo
{
  cudaGraphExecUpdateResult result;
  cudaGraphNode_t errorNode, errorFromNode;
} cudaGraphExecUpdateResultInfo;

extern "C"
{

cudaError_t cudaGetLastError (void);
cudaError_t cudaPeekAtLastError (void);
const char *cudaGetErrorString (cudaError_t error);
const char *cudaGetErrorName (cudaError_t error);

cudaError_t cudaDriverGetVersion (int *version);
cudaError_t cudaRuntimeGetVersion (int *version);
cudaError_t cudaGetDeviceCount (int *n);
cudaError_t cudaSetDevice (int device);
cudaError_t cudaInitDevice (int device, unsigned device_flags, unsigned flags);
cudaError_t cudaGetDevice (int *device);
cudaError_t cudaSetDeviceFlags (unsigned flags);
cudaError_t cudaGetDeviceProperties (cudaDeviceProp *properties, int device);
cudaError_t cudaDeviceGetAttribute (int *value, cudaDeviceAttr attribute, int device);
cudaError_t cudaDeviceGetPCIBusId (char *text, int size, int device);
cudaError_t cudaDeviceSynchronize (void);
cudaError_t cudaDeviceReset (void);
cudaError_t cudaMemGetInfo (size_t *free, size_t *total);

cudaError_t cudaMalloc (void **out, size_t bytes);
cudaError_t cudaFree (void *memory);
cudaError_t cudaMallocAsync (void **out, size_t bytes, cudaStream_t stream);
cudaError_t cudaFreeAsync (void *memory, cudaStream_t stream);
cudaError_t cudaMallocHost (void **out, size_t bytes);
cudaError_t cudaHostAlloc (void **out, size_t bytes, unsigned flags);
cudaError_t cudaFreeHost (void *memory);
cudaError_t cudaHostRegister (void *memory, size_t bytes, unsigned flags);
cudaError_t cudaHostUnregister (void *memory);

/* On the legacy default stream, hence a fault. */
cudaError_t cudaMemcpy (void *to, const void *from, size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemset (void *memory, int value, size_t bytes);

cudaError_t
cudaMemcpyAsync (void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t cudaMemcpy2DAsync (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                               size_t height, cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t cudaMemsetAsync (void *memory, int value, size_t bytes, cudaStream_t stream);

cudaError_t cudaStreamCreate (cudaStream_t *out);
cudaError_t cudaStreamCreateWithFlags (cudaStream_t *out, unsigned flags);
cudaError_t cudaStreamCreateWithPriority (cudaStream_t *out, unsigned flags, int priority);
cudaError_t cudaDeviceGetStreamPriorityRange (int *least, int *greatest);
cudaError_t cudaStreamDestroy (cudaStream_t stream);
cudaError_t cudaStreamSynchronize (cudaStream_t stream);
cudaError_t cudaStreamQuery (cudaStream_t stream);
cudaError_t cudaStreamWaitEvent (cudaStream_t stream, cudaEvent_t event, unsigned flags = 0);
cudaError_t cudaLaunchHostFunc (cudaStream_t stream, cudaHostFn_t function, void *data);

cudaError_t cudaEventCreate (cudaEvent_t *out);
cudaError_t cudaEventCreateWithFlags (cudaEvent_t *out, unsigned flags);
cudaError_t cudaEventDestroy (cudaEvent_t event);
cudaError_t cudaEventRecord (cudaEvent_t event, cudaStream_t stream = 0);
cudaError_t cudaEventQuery (cudaEvent_t event);
cudaError_t cudaEventSynchronize (cudaEvent_t event);
cudaError_t cudaEventElapsedTime (float *milliseconds, cudaEvent_t from, cudaEvent_t to);

cudaError_t cudaStreamBeginCapture (cudaStream_t stream, cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture (cudaStream_t stream, cudaGraph_t *out);
cudaError_t cudaStreamIsCapturing (cudaStream_t stream, cudaStreamCaptureStatus *out);
cudaError_t cudaGraphGetNodes (cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n);
cudaError_t cudaGraphInstantiate (cudaGraphExec_t *out, cudaGraph_t graph, unsigned long long flags = 0);
cudaError_t
cudaGraphExecUpdate (cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *info);
cudaError_t cudaGraphUpload (cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t cudaGraphLaunch (cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t cudaGraphDestroy (cudaGraph_t graph);
cudaError_t cudaGraphExecDestroy (cudaGraphExec_t exec);

}

namespace emulation
{
cudaError_t function_set_attribute (const void *function, cudaFuncAttribute attribute, int value);
cudaError_t function_occupancy (int *n_blocks, const void *function, int block_size, size_t shared_bytes);
}

template <class T>
static inline cudaError_t
cudaFuncSetAttribute (T *function, cudaFuncAttribute attribute, int value)
{
  return emulation::function_set_attribute ((const void *) function, attribute, value);
}

template <class T>
static inline cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessor (int *n_blocks,
                                               T *function,
                                               int block_size,
                                               size_t shared_bytes)
{
  return emulation::function_occupancy (n_blocks, (const void *) function, block_size, shared_bytes);
}

/* CUDA gives these a typed form too. */
template <class T>
static inline cudaError_t
cudaMalloc (T **out, size_t bytes)
{
  return cudaMalloc ((void **) out, bytes);
}

template <class T>
static inline cudaError_t
cudaMallocAsync (T **out, size_t bytes, cudaStream_t stream)
{
  return cudaMallocAsync ((void **) out, bytes, stream);
}

template <class T>
static inline cudaError_t
cudaMallocHost (T **out, size_t bytes)
{
  return cudaMallocHost ((void **) out, bytes);
}

template <class T>
static inline cudaError_t
cudaHostAlloc (T **out, size_t bytes, unsigned flags)
{
  return cudaHostAlloc ((void **) out, bytes, flags);
}
