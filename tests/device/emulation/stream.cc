/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/emulation/stream.cc: see stream.h. */
#include "stream.h"

#include <algorithm>
#include <ctime>
#include <set>

#include "arena.h"
#include "call.h"
#include "fault.h"
#include "graph.h"
#include "state.h"

namespace emulation
{

/* In the order they were made. */
static std::vector<cudaStream_t> streams;
static std::set<cudaEvent_t> events;

bool
stream_is_good (cudaStream_t stream, const char *call)
{
  if (stream == nullptr)
    fault_tell ("%s works on the legacy default stream, which waits for all others; name a stream", call);
  else if (std::find (streams.begin (), streams.end (), stream) == streams.end ())
    fault_tell ("%s was given a stream that is none", call);
  else
    return true;
  return false;
}

bool
event_is_good (cudaEvent_t event)
{
  return events.count (event) > 0;
}

/* --- what runs --- */

static bool
stream_can_run (const CUstream_st *stream)
{
  return !stream->queue.empty ()
         && (stream->queue.front ().awaits == nullptr || stream->queue.front ().awaits->done);
}

/* Nothing runs any more on a device that broke, but whoever waits comes to an end. */
static void
stream_run_one (CUstream_st *stream)
{
  const Operation operation = std::move (stream->queue.front ());
  stream->queue.pop_front ();
  if (operation.run && (call_get_sticky () == cudaSuccess || operation.name == "record"))
    operation.run ();
}

/* Where this one waits for another's record, the other goes first. */
static CUstream_st *
stream_first_needed (CUstream_st *stream)
{
  while (!stream_can_run (stream))
    stream = stream->queue.front ().awaits->stream;
  return stream;
}

static CUstream_st *
stream_draw ()
{
  std::vector<CUstream_st *> able;
  for (CUstream_st *stream : streams)
    if (stream_can_run (stream))
      able.push_back (stream);
  return able.empty () ? nullptr : able[state.random.below (able.size ())];
}

template <class Done>
static void
stream_run_until (CUstream_st *wanted, Done done)
{
  const ArenaOpen open;
  while (!done ())
    stream_run_one (state.options.order == ASSAY_EMULATION_RANDOM ? stream_draw ()
                                                                  : stream_first_needed (wanted));
}

void
stream_drain (cudaStream_t stream)
{
  if (stream != nullptr)
    stream_run_until (stream, [stream] { return stream->queue.empty (); });
  else
    for (CUstream_st *each : streams)
      stream_drain (each);
}

/* A device that is far behind the host shows other faults than one that keeps up: the seed says which this
 * is. */
void
streams_stir ()
{
  static const size_t one_in[] = { 0, 12, 2 };
  const size_t often = one_in[state.options.seed % 3];
  if (state.options.order != ASSAY_EMULATION_RANDOM || often == 0 || state.random.below (often) != 0)
    return;
  CUstream_st *stream = stream_draw ();
  if (stream == nullptr)
    return;
  const ArenaOpen open;
  for (size_t n = 1 + state.random.below (6); n > 0 && stream != nullptr; n--, stream = stream_draw ())
    stream_run_one (stream);
}

void
stream_add (cudaStream_t stream, Operation operation)
{
  if (stream->capture != nullptr)
    capture_add (stream, std::move (operation));
  else
    stream->queue.push_back (std::move (operation));
}

static double
clock_seconds ()
{
  timespec now;
  clock_gettime (CLOCK_MONOTONIC, &now);
  return (double) now.tv_sec + (double) now.tv_nsec * 1e-9;
}

bool
streams_forbid_unsafe ()
{
  for (const CUstream_st *stream : streams)
    if (stream->capture != nullptr && stream->capture->mode != cudaStreamCaptureModeRelaxed)
      {
        stream->capture->spoiled = true;
        return true;
      }
  return false;
}

bool
stream_refuses_wait (cudaStream_t stream)
{
  if (stream->capture == nullptr)
    return false;
  stream->capture->spoiled = true;
  return true;
}

void
streams_get_balance (AssayEmulationBalance *balance)
{
  balance->n_streams = streams.size ();
  balance->n_events = events.size ();
}

void
streams_reset ()
{
  for (CUstream_st *stream : streams)
    delete stream;
  streams.clear ();
  for (CUevent_st *event : events)
    delete event;
  events.clear ();
}

}

using namespace emulation;

/* --- streams --- */

static cudaError_t
stream_new (const char *name, cudaStream_t *out, unsigned flags)
{
  const Call call (name);
  if (call.failed ())
    return call.error ();
  if (flags != cudaStreamNonBlocking)
    {
      fault_tell ("a stream without cudaStreamNonBlocking waits for the legacy default stream");
      return call.finish (cudaErrorInvalidValue);
    }
  *out = new CUstream_st ();
  (*out)->device = state.device;
  streams.push_back (*out);
  return call.finish (cudaSuccess);
}

extern "C" cudaError_t
cudaStreamCreateWithPriority (cudaStream_t *out, unsigned flags, int)
{
  return stream_new ("cudaStreamCreateWithPriority", out, flags);
}

extern "C" cudaError_t
cudaStreamCreateWithFlags (cudaStream_t *out, unsigned flags)
{
  return stream_new ("cudaStreamCreateWithFlags", out, flags);
}

extern "C" cudaError_t
cudaStreamCreate (cudaStream_t *out)
{
  return stream_new ("cudaStreamCreate", out, cudaStreamDefault);
}

extern "C" cudaError_t
cudaDeviceGetStreamPriorityRange (int *least, int *greatest)
{
  const Call call ("cudaDeviceGetStreamPriorityRange");
  *least = 0;
  *greatest = -5;
  return call.failed () ? call.error () : call.finish (cudaSuccess);
}

/* What is queued is still done. */
extern "C" cudaError_t
cudaStreamDestroy (cudaStream_t stream)
{
  const Call call ("cudaStreamDestroy");
  if (!stream_is_good (stream, "cudaStreamDestroy"))
    return call.finish (cudaErrorInvalidResourceHandle);
  stream_drain (stream);
  capture_abandon (stream);
  streams.erase (std::find (streams.begin (), streams.end (), stream));
  delete stream;
  return call.failed () ? call.error () : call.finish (cudaSuccess);
}

extern "C" cudaError_t
cudaStreamSynchronize (cudaStream_t stream)
{
  const Call call ("cudaStreamSynchronize");
  if (call.failed ())
    return call.error ();
  if (!stream_is_good (stream, "cudaStreamSynchronize"))
    return call.finish (cudaErrorInvalidResourceHandle);
  if (stream_refuses_wait (stream))
    return call.finish (cudaErrorStreamCaptureUnsupported);
  stream_drain (stream);
  arena_check_guards ();
  return call.finish (cudaSuccess);
}

extern "C" cudaError_t
cudaDeviceSynchronize (void)
{
  const Call call ("cudaDeviceSynchronize");
  if (call.failed ())
    return call.error ();
  if (streams_forbid_unsafe ())
    return call.finish (cudaErrorStreamCaptureUnsupported);
  stream_drain (nullptr);
  arena_check_guards ();
  return call.finish (cudaSuccess);
}

/* Each question takes the work one step on, so that whoever keeps asking gets there. */
extern "C" cudaError_t
cudaStreamQuery (cudaStream_t stream)
{
  const Call call ("cudaStreamQuery");
  if (call.failed ())
    return call.error ();
  if (!stream_is_good (stream, "cudaStreamQuery"))
    return call.finish (cudaErrorInvalidResourceHandle);
  if (stream_refuses_wait (stream))
    return call.finish (cudaErrorStreamCaptureUnsupported);
  if (stream->queue.empty ())
    return call.finish (cudaSuccess);
  const ArenaOpen open;
  stream_run_one (stream_first_needed (stream));
  return call.finish (cudaErrorNotReady);
}

extern "C" cudaError_t
cudaStreamWaitEvent (cudaStream_t stream, cudaEvent_t event, unsigned)
{
  const Call call ("cudaStreamWaitEvent");
  if (call.failed ())
    return call.error ();
  if (!stream_is_good (stream, "cudaStreamWaitEvent") || !event_is_good (event))
    return call.finish (cudaErrorInvalidResourceHandle);
  if (event->capture != nullptr || stream->capture != nullptr)
    return call.finish (capture_wait (stream, event));
  if (event->record != nullptr && !event->record->done)
    stream_add (stream, { "wait", nullptr, event->record });
  return call.finish (cudaSuccess);
}

extern "C" cudaError_t
cudaLaunchHostFunc (cudaStream_t stream, cudaHostFn_t function, void *data)
{
  const Call call ("cudaLaunchHostFunc");
  if (call.failed ())
    return call.error ();
  if (!stream_is_good (stream, "cudaLaunchHostFunc"))
    return call.finish (cudaErrorInvalidResourceHandle);
  stream_add (stream, { "host function", [function, data] { function (data); }, nullptr });
  return call.finish (cudaSuccess);
}

/* --- events --- */

static cudaError_t
event_new (const char *name, cudaEvent_t *out, unsigned flags)
{
  const Call call (name);
  if (call.failed ())
    return call.error ();
  *out = new CUevent_st ();
  (*out)->flags = flags;
  events.insert (*out);
  return call.finish (cudaSuccess);
}

extern "C" cudaError_t
cudaEventCreateWithFlags (cudaEvent_t *out, unsigned flags)
{
  return event_new ("cudaEventCreateWithFlags", out, flags);
}

extern "C" cudaError_t
cudaEventCreate (cudaEvent_t *out)
{
  return event_new ("cudaEventCreate", out, cudaEventDefault);
}

extern "C" cudaError_t
cudaEventDestroy (cudaEvent_t event)
{
  const Call call ("cudaEventDestroy");
  if (events.erase (event) == 0)
    return call.finish (cudaErrorInvalidResourceHandle);
  delete event;
  return call.failed () ? call.error () : call.finish (cudaSuccess);
}

extern "C" cudaError_t
cudaEventRecord (cudaEvent_t event, cudaStream_t stream)
{
  const Call call ("cudaEventRecord");
  if (call.failed ())
    return call.error ();
  if (!stream_is_good (stream, "cudaEventRecord") || !event_is_good (event))
    return call.finish (cudaErrorInvalidResourceHandle);
  event->capture = stream->capture;
  event->tails = stream->tails;
  if (stream->capture != nullptr)
    return call.finish (cudaSuccess);
  event->record = std::make_shared<Record> (Record{ stream, false, 0 });
  stream_add (stream, { "record",
                        [record = event->record] {
                          record->done = true;
                          record->seconds = clock_seconds ();
                        },
                        nullptr });
  return call.finish (cudaSuccess);
}

extern "C" cudaError_t
cudaEventQuery (cudaEvent_t event)
{
  const Call call ("cudaEventQuery");
  if (call.failed ())
    return call.error ();
  if (!event_is_good (event))
    return call.finish (cudaErrorInvalidResourceHandle);
  if (event->capture != nullptr)
    return call.finish (cudaErrorCapturedEvent);
  if (event->record == nullptr || event->record->done)
    return call.finish (cudaSuccess);
  const ArenaOpen open;
  stream_run_one (stream_first_needed (event->record->stream));
  return call.finish (cudaErrorNotReady);
}

extern "C" cudaError_t
cudaEventSynchronize (cudaEvent_t event)
{
  const Call call ("cudaEventSynchronize");
  if (call.failed ())
    return call.error ();
  if (!event_is_good (event))
    return call.finish (cudaErrorInvalidResourceHandle);
  if (event->capture != nullptr)
    return call.finish (cudaErrorCapturedEvent);
  if (event->record != nullptr)
    stream_run_until (event->record->stream, [record = event->record] { return record->done; });
  arena_check_guards ();
  return call.finish (cudaSuccess);
}

extern "C" cudaError_t
cudaEventElapsedTime (float *milliseconds, cudaEvent_t from, cudaEvent_t to)
{
  const Call call ("cudaEventElapsedTime");
  if (call.failed ())
    return call.error ();
  if (!event_is_good (from) || !event_is_good (to) || from->record == nullptr || to->record == nullptr
      || (from->flags | to->flags) & cudaEventDisableTiming)
    return call.finish (cudaErrorInvalidResourceHandle);
  if (!from->record->done || !to->record->done)
    return call.finish (cudaErrorNotReady);
  *milliseconds = (float) ((to->record->seconds - from->record->seconds) * 1e3);
  return call.finish (cudaSuccess);
}
