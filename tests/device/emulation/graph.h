/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/emulation/graph.h: operations recorded instead of run, and run again and again.
 *
 * A replay keeps to the order that the capture laid down between its nodes, in the random mode to no other.
 */
#pragma once

#include "stream.h"

namespace emulation
{

struct Node
{
  Operation operation;
  std::vector<size_t> after; /* nodes */
};

struct Capture
{
  CUstream_st *origin;
  cudaStreamCaptureMode mode;
  bool spoiled;
  CUgraph_st *graph; /* owned until it ends */
  std::vector<CUstream_st *> streams;
};

void capture_add (cudaStream_t stream, Operation operation);
/* cudaStreamWaitEvent() where one of both captures: the stream joins the event's capture. */
cudaError_t capture_wait (cudaStream_t stream, cudaEvent_t event);
/* The stream goes away in the midst of it. */
void capture_abandon (cudaStream_t stream);
void graphs_get_balance (AssayEmulationBalance *balance);

}

struct CUgraph_st
{
  std::vector<emulation::Node> nodes;
};

struct CUgraphExec_st
{
  std::vector<emulation::Node> nodes;
};
