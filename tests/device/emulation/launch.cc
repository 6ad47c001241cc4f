/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/emulation/launch.cc: kernels are queued, under CUDA's limits. */
#include <cstring>
#include <map>

#include "arena.h"
#include "block.h"
#include "call.h"
#include "emulated-launch.h"
#include "fault.h"
#include "host-memory.h"
#include "shared-memory.h"
#include "state.h"
#include "stream.h"

namespace emulation
{

/* What cudaFuncSetAttribute() has raised. */
static std::map<const void *, size_t> function_shared;

static size_t
function_shared_limit (const void *function)
{
  const auto found = function_shared.find (function);
  return found != function_shared.end () ? found->second : SHARED_MEMORY_BYTES;
}

void
functions_reset ()
{
  function_shared.clear ();
}

cudaError_t
function_set_attribute (const void *function, cudaFuncAttribute attribute, int value)
{
  const Call call ("cudaFuncSetAttribute");
  if (call.failed ())
    return call.error ();
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize)
    return call.finish (cudaSuccess);
  if (value < 0 || value > SHARED_MEMORY_OPT_IN)
    return call.finish (cudaErrorInvalidValue);
  function_shared[function] = (size_t) value;
  return call.finish (cudaSuccess);
}

cudaError_t
function_occupancy (int *n_blocks, const void *function, int block_size, size_t shared_bytes)
{
  const Call call ("cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  if (call.failed ())
    return call.error ();
  if (block_size <= 0 || block_size > 1024 || shared_bytes > function_shared_limit (function))
    return call.finish (cudaErrorInvalidValue);
  const int by_threads = 1536 / block_size;
  const int by_memory = (int) ((SHARED_MEMORY_OPT_IN + 1024) / (shared_bytes + 1024));
  *n_blocks = by_threads < by_memory ? by_threads : by_memory;
  return call.finish (cudaSuccess);
}

static bool
launch_has_shape (const Launch &launch)
{
  const dim3 &grid = launch.grid, &block = launch.block;
  return block.x > 0 && block.y > 0 && block.z > 0 && block.z <= 64 && block.x <= 1024 && block.y <= 1024
         && (size_t) block.x * block.y * block.z <= 1024 && grid.x > 0 && grid.y > 0 && grid.z > 0
         && grid.x <= INT32_MAX && grid.y <= 65535 && grid.z <= 65535;
}

void
launch_note_words (std::vector<Pointer> &pointers, int argument, const void *structure, size_t bytes)
{
  for (size_t i = 0; i + sizeof (void *) <= bytes; i += sizeof (void *))
    {
      const void *word;
      memcpy (&word, (const char *) structure + i, sizeof word);
      if (arena_was_used (word))
        pointers.push_back ({ argument, true, word });
    }
}

static bool
pointer_is_good (const Pointer &pointer)
{
  return pointer.at == nullptr || arena_room (pointer.at) >= 0
         || (!pointer.is_guess && host_memory_is_pinned (pointer.at, 0));
}

static bool
launch_can_reach (const Launch &launch, const std::vector<Pointer> &pointers)
{
  for (const Pointer &pointer : pointers)
    if (!pointer_is_good (pointer))
      {
        fault_tell ("kernel %s: argument %d, %p, points to no memory of the device", launch.name,
                    pointer.argument, pointer.at);
        return false;
      }
  return true;
}

static void
launch_run (const Launch &launch, const std::vector<Pointer> &pointers)
{
  int error = cudaErrorIllegalAddress;
  if (!launch_can_reach (launch, pointers) || !grid_run (launch, state.random.next (), &error))
    call_make_sticky ((cudaError_t) error);
}

static cudaError_t
launch_check (const Launch &launch, cudaStream_t stream)
{
  if (!stream_is_good (stream, launch.name))
    return cudaErrorInvalidResourceHandle;
  if (!launch_has_shape (launch))
    return cudaErrorInvalidConfiguration;
  return launch.shared_bytes <= function_shared_limit (launch.function) ? cudaSuccess : cudaErrorInvalidValue;
}

void
launch_queue (const char *name,
              const void *function,
              dim3 grid,
              dim3 block,
              size_t shared_bytes,
              cudaStream_t stream,
              std::function<void ()> body,
              std::vector<Pointer> pointers)
{
  const Call call ("cudaLaunchKernel");
  const Launch launch = { name, function, grid, block, shared_bytes, std::move (body) };
  if (call.failed () || call.finish (launch_check (launch, stream)) != cudaSuccess)
    return;
  stream_add (stream, { name, [launch, pointers] { launch_run (launch, pointers); }, nullptr });
}

}
