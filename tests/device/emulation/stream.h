/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/emulation/stream.h: queues of operations, and what orders them against each other.
 *
 * An operation waits in its stream until those before it are done, and a wait until the record it is for is.
 * That is all that CUDA promises, and all that is kept: nothing runs at once, but any order that this allows
 * may happen. */
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cuda_runtime_api.h"
#include "emulation.h"

namespace emulation
{

struct Capture;

/* One cudaEventRecord(). */
struct Record
{
  CUstream_st *stream; /* whose turn brings it about */
  bool done;
  double seconds; /* when it was */
};

struct Operation
{
  std::string name; /* "copy", or the kernel's: two graphs are alike where these are */
  std::function<void ()> run;
  std::shared_ptr<Record> awaits; /* of a wait; runs where it is done */
};

}

struct CUstream_st
{
  int device;
  std::deque<emulation::Operation> queue;
  emulation::Capture *capture; /* its graph takes the operations instead */
  std::vector<size_t> tails;   /* nodes that the next one follows, while capturing */
};

struct CUevent_st
{
  unsigned flags;
  std::shared_ptr<emulation::Record> record; /* the last one */
  emulation::Capture *capture;               /* where it was recorded in one */
  std::vector<size_t> tails;
};

namespace emulation
{

/* Whether `stream` may be used; tells a fault for the legacy default stream and for what is none. */
bool stream_is_good (cudaStream_t stream, const char *call);
bool event_is_good (cudaEvent_t event);

/* Queues, or captures. The stream is good. */
void stream_add (cudaStream_t stream, Operation operation);

/* Runs until all of the stream (NULL: of all streams) is done. */
void stream_drain (cudaStream_t stream);
/* In the random order, some operations may run whenever something is called. */
void streams_stir ();
/* A stream is being captured in a mode that forbids waiting and allocating. */
bool streams_forbid_unsafe ();
/* Whether this stream's capture forbids it; the capture is spoiled then. */
bool stream_refuses_wait (cudaStream_t stream);
void streams_get_balance (AssayEmulationBalance *balance);

}
