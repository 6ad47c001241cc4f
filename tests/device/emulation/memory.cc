/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/emulation/memory.cc: device memory is allocated, copied and set. */
#include <cstring>
#include <vector>

#include "arena.h"
#include "call.h"
#include "fault.h"
#include "host-memory.h"
#include "state.h"
#include "stream.h"

using namespace emulation;

/* --- allocation --- */

extern "C" cudaError_t
cudaMalloc (void **out, size_t bytes)
{
  const Call call ("cudaMalloc");
  *out = nullptr;
  if (call.failed ())
    return call.error ();
  if (streams_forbid_unsafe ())
    return call.finish (cudaErrorStreamCaptureUnsupported);
  if (bytes == 0)
    return call.finish (cudaSuccess);
  *out = arena_alloc (state.device, bytes);
  return call.finish (*out != nullptr ? cudaSuccess : cudaErrorMemoryAllocation);
}

/* Waits for all streams, as CUDA does. */
extern "C" cudaError_t
cudaFree (void *memory)
{
  const Call call ("cudaFree");
  if (memory == nullptr)
    return call.failed () ? call.error () : call.finish (cudaSuccess);
  if (streams_forbid_unsafe ())
    return call.finish (cudaErrorStreamCaptureUnsupported);
  stream_drain (nullptr);
  if (!arena_free (memory))
    {
      fault_tell ("cudaFree was given %p, which it did not hand out or has taken back", memory);
      return call.finish (cudaErrorInvalidValue);
    }
  return call.failed () ? call.error () : call.finish (cudaSuccess);
}

/* There at once; CUDA promises it only to what comes later in the stream. */
extern "C" cudaError_t
cudaMallocAsync (void **out, size_t bytes, cudaStream_t stream)
{
  const Call call ("cudaMallocAsync");
  *out = nullptr;
  if (call.failed ())
    return call.error ();
  if (!stream_is_good (stream, "cudaMallocAsync"))
    return call.finish (cudaErrorInvalidResourceHandle);
  if (stream_refuses_wait (stream))
    return call.finish (cudaErrorStreamCaptureUnsupported);
  *out = bytes > 0 ? arena_alloc (state.device, bytes) : nullptr;
  return call.finish (*out != nullptr || bytes == 0 ? cudaSuccess : cudaErrorMemoryAllocation);
}

static void
memory_free_queued (void *memory)
{
  if (!arena_free (memory))
    fault_tell ("cudaFreeAsync was given %p, which was not handed out or is taken back", memory);
}

extern "C" cudaError_t
cudaFreeAsync (void *memory, cudaStream_t stream)
{
  const Call call ("cudaFreeAsync");
  if (!stream_is_good (stream, "cudaFreeAsync"))
    return call.finish (cudaErrorInvalidResourceHandle);
  if (stream_refuses_wait (stream))
    return call.finish (cudaErrorStreamCaptureUnsupported);
  if (memory != nullptr && call_get_sticky () != cudaSuccess)
    memory_free_queued (memory);
  else if (memory != nullptr)
    stream_add (stream, { "free", [memory] { memory_free_queued (memory); }, nullptr });
  return call.failed () ? call.error () : call.finish (cudaSuccess);
}

/* --- copies --- */

struct Copy
{
  unsigned char *to;
  const unsigned char *from;
  size_t to_pitch, from_pitch, width, height;

  size_t
  to_bytes () const
  {
    return height > 0 ? (height - 1) * to_pitch + width : 0;
  }
  size_t
  from_bytes () const
  {
    return height > 0 ? (height - 1) * from_pitch + width : 0;
  }
};

static void
copy_run (const Copy &copy)
{
  for (size_t row = 0; row < copy.height; row++)
    memmove (copy.to + row * copy.to_pitch, copy.from + row * copy.from_pitch, copy.width);
}

/* Device memory must be all of one allocation; it is looked up when the copy runs, too. */
static bool
copy_has_room (const void *at, size_t bytes)
{
  return !arena_owns (at) || arena_room (at) >= (ptrdiff_t) bytes;
}

static bool
copy_is_of_kind (const Copy &copy, cudaMemcpyKind kind)
{
  const bool to_device = arena_owns (copy.to), from_device = arena_owns (copy.from);
  switch (kind)
    {
    case cudaMemcpyHostToHost:
      return !to_device && !from_device;
    case cudaMemcpyHostToDevice:
      return to_device && !from_device;
    case cudaMemcpyDeviceToHost:
      return !to_device && from_device;
    case cudaMemcpyDeviceToDevice:
      return to_device && from_device;
    default:
      return true;
    }
}

static bool
copy_is_good (const Copy &copy, cudaMemcpyKind kind)
{
  if (!copy_is_of_kind (copy, kind))
    fault_tell ("a copy of %zu bytes from %p to %p is not of the kind it says, %d", copy.from_bytes (),
                (const void *) copy.from, (void *) copy.to, (int) kind);
  else if (!copy_has_room (copy.to, copy.to_bytes ()))
    fault_tell ("a copy of %zu bytes to %p ends outside device memory", copy.to_bytes (), (void *) copy.to);
  else if (!copy_has_room (copy.from, copy.from_bytes ()))
    fault_tell ("a copy of %zu bytes from %p begins outside device memory", copy.from_bytes (),
                (const void *) copy.from);
  else
    return true;
  return false;
}

static void
copy_check_and_run (const Copy &copy)
{
  if (copy_has_room (copy.to, copy.to_bytes ()) && copy_has_room (copy.from, copy.from_bytes ()))
    copy_run (copy);
  else
    {
      fault_tell ("a copy from %p to %p ran when its memory was freed", (const void *) copy.from,
                  (void *) copy.to);
      call_make_sticky (cudaErrorIllegalAddress);
    }
}

/* Pageable memory is read at the call: the copy carries what it read. */
static void
copy_queue_staged (const Copy &copy, cudaStream_t stream)
{
  std::vector<unsigned char> staged (copy.from, copy.from + copy.from_bytes ());
  stream_add (stream, { "copy",
                        [copy, staged = std::move (staged)] {
                          Copy now = copy;
                          now.from = staged.data ();
                          copy_check_and_run (now);
                        },
                        nullptr });
}

static cudaError_t
copy_queue (const Copy &copy, cudaMemcpyKind kind, cudaStream_t stream)
{
  if (!copy_is_good (copy, kind))
    return cudaErrorInvalidValue;
  const bool from_host = !arena_owns (copy.from), to_host = !arena_owns (copy.to);
  if ((from_host && host_memory_is_mixed (copy.from, copy.from_bytes ()))
      || (to_host && host_memory_is_mixed (copy.to, copy.to_bytes ())))
    {
      fault_tell ("a copy from %p to %p is partly of pinned, partly of pageable memory",
                  (const void *) copy.from, (void *) copy.to);
      return cudaErrorInvalidValue;
    }
  const bool from_pageable = from_host && !host_memory_is_pinned (copy.from, copy.from_bytes ()),
             to_pageable = to_host && !host_memory_is_pinned (copy.to, copy.to_bytes ());
  if (stream->capture != nullptr && (from_pageable || to_pageable))
    {
      fault_tell ("a graph would copy pageable memory at every replay");
      return cudaErrorStreamCaptureUnsupported;
    }
  if (from_pageable)
    copy_queue_staged (copy, stream);
  else
    stream_add (stream, { "copy", [copy] { copy_check_and_run (copy); }, nullptr });
  if (to_pageable)
    stream_drain (stream); /* to pageable memory the call waits */
  return cudaSuccess;
}

extern "C" cudaError_t
cudaMemcpyAsync (void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream)
{
  const Call call ("cudaMemcpyAsync");
  if (call.failed ())
    return call.error ();
  if (!stream_is_good (stream, "cudaMemcpyAsync"))
    return call.finish (cudaErrorInvalidResourceHandle);
  if (bytes == 0)
    return call.finish (cudaSuccess);
  const Copy copy = { (unsigned char *) to, (const unsigned char *) from, bytes, bytes, bytes, 1 };
  return call.finish (copy_queue (copy, kind, stream));
}

extern "C" cudaError_t
cudaMemcpy2DAsync (void *to,
                   size_t to_pitch,
                   const void *from,
                   size_t from_pitch,
                   size_t width,
                   size_t height,
                   cudaMemcpyKind kind,
                   cudaStream_t stream)
{
  const Call call ("cudaMemcpy2DAsync");
  if (call.failed ())
    return call.error ();
  if (!stream_is_good (stream, "cudaMemcpy2DAsync"))
    return call.finish (cudaErrorInvalidResourceHandle);
  if (width > to_pitch || width > from_pitch)
    return call.finish (cudaErrorInvalidValue);
  if (width == 0 || height == 0)
    return call.finish (cudaSuccess);
  const Copy copy
      = { (unsigned char *) to, (const unsigned char *) from, to_pitch, from_pitch, width, height };
  return call.finish (copy_queue (copy, kind, stream));
}

extern "C" cudaError_t
cudaMemcpy (void *, const void *, size_t, cudaMemcpyKind)
{
  const Call call ("cudaMemcpy");
  stream_is_good (nullptr, "cudaMemcpy");
  return call.finish (cudaErrorInvalidResourceHandle);
}

/* --- setting --- */

extern "C" cudaError_t
cudaMemset (void *, int, size_t)
{
  const Call call ("cudaMemset");
  stream_is_good (nullptr, "cudaMemset");
  return call.finish (cudaErrorInvalidResourceHandle);
}

extern "C" cudaError_t
cudaMemsetAsync (void *memory, int value, size_t bytes, cudaStream_t stream)
{
  const Call call ("cudaMemsetAsync");
  if (call.failed ())
    return call.error ();
  if (!stream_is_good (stream, "cudaMemsetAsync"))
    return call.finish (cudaErrorInvalidResourceHandle);
  if (bytes == 0)
    return call.finish (cudaSuccess);
  if (arena_room (memory) < (ptrdiff_t) bytes)
    {
      fault_tell ("cudaMemsetAsync of %zu bytes at %p ends outside device memory", bytes, memory);
      return call.finish (cudaErrorInvalidValue);
    }
  stream_add (stream, { "set", [memory, value, bytes] { memset (memory, value, bytes); }, nullptr });
  return call.finish (cudaSuccess);
}
