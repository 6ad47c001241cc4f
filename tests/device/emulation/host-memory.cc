/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/emulation/host-memory.cc: see host-memory.h. */
#include "host-memory.h"

#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <map>

#include "call.h"
#include "fault.h"
#include "poison.h"
#include "state.h"
#include "stream.h"

#define GUARD_BYTES 4096 /* so that the data starts a page, as CUDA's does */

namespace emulation
{

struct Pinned
{
  size_t bytes;
  bool registered; /* someone else's */
};

static std::map<uintptr_t, Pinned> pinned;

/* What `at` lies in, or just behind; end () where nothing. */
static std::map<uintptr_t, Pinned>::iterator
pinned_find (const void *at)
{
  auto found = pinned.upper_bound ((uintptr_t) at);
  if (found == pinned.begin ())
    return pinned.end ();
  --found;
  return (uintptr_t) at <= found->first + found->second.bytes ? found : pinned.end ();
}

bool
host_memory_is_pinned (const void *at, size_t bytes)
{
  const auto found = pinned_find (at);
  return found != pinned.end () && bytes <= found->first + found->second.bytes - (uintptr_t) at;
}

bool
host_memory_is_mixed (const void *at, size_t bytes)
{
  const auto next = pinned.lower_bound ((uintptr_t) at);
  if (next != pinned.end () && bytes > 0 && next->first < (uintptr_t) at + bytes)
    return !host_memory_is_pinned (at, bytes);
  const auto found = pinned_find (at);
  return bytes > 0 && found != pinned.end () && (uintptr_t) at < found->first + found->second.bytes
         && !host_memory_is_pinned (at, bytes);
}

void
host_memory_get_balance (AssayEmulationBalance *balance)
{
  for (const auto &each : pinned)
    {
      balance->n_registered += each.second.registered;
      balance->n_pinned += !each.second.registered;
      balance->pinned_bytes += each.second.bytes;
    }
}

static void *
pinned_new (size_t bytes)
{
  AssayEmulationBalance now = {};
  host_memory_get_balance (&now);
  if (state.options.pinned_bytes > 0
      && (bytes > state.options.pinned_bytes || now.pinned_bytes > state.options.pinned_bytes - bytes))
    return nullptr;
  void *memory = nullptr;
  if (posix_memalign (&memory, 4096, bytes + 2 * GUARD_BYTES) != 0)
    return nullptr;
  unsigned char *data = (unsigned char *) memory + GUARD_BYTES;
  poison_fill (memory, GUARD_BYTES, POISON_GUARD);
  poison_fill (data, bytes, POISON_FRESH);
  poison_fill (data + bytes, GUARD_BYTES, POISON_GUARD);
  poison_forbid (memory, GUARD_BYTES);
  poison_forbid (data + bytes, GUARD_BYTES);
  pinned[(uintptr_t) data] = { bytes, false };
  return data;
}

static void
pinned_free (std::map<uintptr_t, Pinned>::iterator it)
{
  unsigned char *data = (unsigned char *) it->first;
  const size_t bytes = it->second.bytes;
  poison_release (data - GUARD_BYTES, bytes + 2 * GUARD_BYTES);
  if (!poison_is_whole (data - GUARD_BYTES, GUARD_BYTES, POISON_GUARD)
      || !poison_is_whole (data + bytes, GUARD_BYTES, POISON_GUARD))
    fault_tell ("memory around the %zu pinned bytes at %p was written", bytes, (void *) data);
  poison_fill (data, bytes, POISON_FREED);
  free (data - GUARD_BYTES);
  pinned.erase (it);
}

void
host_memory_reset ()
{
  for (auto it = pinned.begin (); it != pinned.end ();)
    {
      const auto now = it++;
      if (now->second.registered)
        pinned.erase (now);
      else
        pinned_free (now);
    }
}

}

using namespace emulation;

static cudaError_t
pinned_allocate (const char *name, void **out, size_t bytes)
{
  const Call call (name);
  *out = nullptr;
  if (call.failed ())
    return call.error ();
  if (streams_forbid_unsafe ())
    return call.finish (cudaErrorStreamCaptureUnsupported);
  *out = pinned_new (bytes);
  return call.finish (*out != nullptr ? cudaSuccess : cudaErrorMemoryAllocation);
}

extern "C" cudaError_t
cudaMallocHost (void **out, size_t bytes)
{
  return pinned_allocate ("cudaMallocHost", out, bytes);
}

extern "C" cudaError_t
cudaHostAlloc (void **out, size_t bytes, unsigned)
{
  return pinned_allocate ("cudaHostAlloc", out, bytes);
}

/* Waits for all that may still use it. */
extern "C" cudaError_t
cudaFreeHost (void *memory)
{
  const Call call ("cudaFreeHost");
  const auto found = pinned.find ((uintptr_t) memory);
  if (memory != nullptr && (found == pinned.end () || found->second.registered))
    {
      fault_tell ("cudaFreeHost was given %p, which it did not hand out or has taken back", memory);
      return call.finish (cudaErrorInvalidValue);
    }
  if (memory != nullptr)
    {
      stream_drain (nullptr);
      pinned_free (found);
    }
  return call.failed () ? call.error () : call.finish (cudaSuccess);
}

extern "C" cudaError_t
cudaHostRegister (void *memory, size_t bytes, unsigned)
{
  const Call call ("cudaHostRegister");
  if (call.failed ())
    return call.error ();
  if (memory == nullptr || bytes == 0)
    return call.finish (cudaErrorInvalidValue);
  const auto next = pinned.lower_bound ((uintptr_t) memory);
  const bool overlaps = next != pinned.end () && next->first < (uintptr_t) memory + bytes;
  if (overlaps || host_memory_is_pinned (memory, 1))
    return call.finish (cudaErrorHostMemoryAlreadyRegistered);
  pinned[(uintptr_t) memory] = { bytes, true };
  return call.finish (cudaSuccess);
}

extern "C" cudaError_t
cudaHostUnregister (void *memory)
{
  const Call call ("cudaHostUnregister");
  const auto found = pinned.find ((uintptr_t) memory);
  if (found == pinned.end () || !found->second.registered)
    return call.finish (cudaErrorHostMemoryNotRegistered);
  stream_drain (nullptr);
  pinned.erase (found);
  return call.failed () ? call.error () : call.finish (cudaSuccess);
}
