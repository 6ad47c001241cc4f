/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/emulation/graph.cc: see graph.h. */
#include "graph.h"

#include <algorithm>
#include <set>

#include "arena.h"
#include "call.h"
#include "fault.h"
#include "state.h"

namespace emulation
{

static std::set<cudaGraph_t> graphs;
static std::set<cudaGraphExec_t> execs;
static std::set<Capture *> captures;

/* --- capture --- */

void
capture_add (cudaStream_t stream, Operation operation)
{
  std::vector<Node> &nodes = stream->capture->graph->nodes;
  nodes.push_back ({ std::move (operation), stream->tails });
  stream->tails = { nodes.size () - 1 };
}

cudaError_t
capture_wait (cudaStream_t stream, cudaEvent_t event)
{
  Capture *capture = event->capture;
  if (capture == nullptr || captures.count (capture) == 0
      || (stream->capture != nullptr && stream->capture != capture))
    {
      if (stream->capture != nullptr)
        stream->capture->spoiled = true;
      return cudaErrorStreamCaptureIsolation;
    }
  if (stream->capture == nullptr)
    {
      stream->capture = capture;
      stream->tails.clear ();
      capture->streams.push_back (stream);
    }
  for (size_t tail : event->tails)
    if (std::find (stream->tails.begin (), stream->tails.end (), tail) == stream->tails.end ())
      stream->tails.push_back (tail);
  return cudaSuccess;
}

static void
capture_end (Capture *capture)
{
  for (CUstream_st *stream : capture->streams)
    {
      stream->capture = nullptr;
      stream->tails.clear ();
    }
  captures.erase (capture);
  delete capture;
}

void
capture_abandon (cudaStream_t stream)
{
  Capture *capture = stream->capture;
  if (capture == nullptr)
    return;
  delete capture->graph;
  capture_end (capture);
}

/* Whether all nodes come before the end of the stream the capture began on. */
static bool
capture_is_joined (const Capture *capture)
{
  const std::vector<Node> &nodes = capture->graph->nodes;
  std::vector<bool> reached (nodes.size ());
  std::vector<size_t> open = capture->origin->tails;
  size_t n = 0;
  while (!open.empty ())
    {
      const size_t at = open.back ();
      open.pop_back ();
      if (reached[at])
        continue;
      reached[at] = true;
      n++;
      open.insert (open.end (), nodes[at].after.begin (), nodes[at].after.end ());
    }
  return n == nodes.size ();
}

/* --- replay --- */

static std::vector<size_t>
graph_order (const std::vector<Node> &nodes)
{
  std::vector<size_t> order, able, n_before (nodes.size ());
  for (size_t i = 0; i < nodes.size (); i++)
    if ((n_before[i] = nodes[i].after.size ()) == 0)
      able.push_back (i);
  while (!able.empty ())
    {
      auto next = std::min_element (able.begin (), able.end ());
      if (state.options.order == ASSAY_EMULATION_RANDOM)
        next = able.begin () + (ptrdiff_t) state.random.below (able.size ());
      const size_t at = *next;
      able.erase (next);
      order.push_back (at);
      for (size_t i = at + 1; i < nodes.size (); i++)
        if (std::find (nodes[i].after.begin (), nodes[i].after.end (), at) != nodes[i].after.end ()
            && --n_before[i] == 0)
          able.push_back (i);
    }
  return order;
}

static void
graph_run (const std::vector<Node> &nodes)
{
  for (size_t at : graph_order (nodes))
    if (nodes[at].operation.run && call_get_sticky () == cudaSuccess)
      nodes[at].operation.run ();
}

static cudaGraphExecUpdateResult
graph_compare (const std::vector<Node> &a, const std::vector<Node> &b)
{
  if (a.size () != b.size ())
    return cudaGraphExecUpdateErrorTopologyChanged;
  for (size_t i = 0; i < a.size (); i++)
    {
      if (a[i].after != b[i].after)
        return cudaGraphExecUpdateErrorTopologyChanged;
      if (a[i].operation.name != b[i].operation.name)
        return cudaGraphExecUpdateErrorFunctionChanged;
    }
  return cudaGraphExecUpdateSuccess;
}

void
graphs_get_balance (AssayEmulationBalance *balance)
{
  balance->n_graphs = graphs.size ();
  balance->n_graph_execs = execs.size ();
}

void
graphs_reset ()
{
  while (!captures.empty ())
    capture_abandon ((*captures.begin ())->origin);
  for (cudaGraph_t graph : graphs)
    delete graph;
  for (cudaGraphExec_t exec : execs)
    delete exec;
  graphs.clear ();
  execs.clear ();
}

}

using namespace emulation;

extern "C" cudaError_t
cudaStreamBeginCapture (cudaStream_t stream, cudaStreamCaptureMode mode)
{
  const Call call ("cudaStreamBeginCapture");
  if (call.failed ())
    return call.error ();
  if (!stream_is_good (stream, "cudaStreamBeginCapture"))
    return call.finish (cudaErrorInvalidResourceHandle);
  if (stream->capture != nullptr)
    return call.finish (cudaErrorInvalidValue);
  stream->capture = new Capture{ stream, mode, false, new CUgraph_st (), { stream } };
  captures.insert (stream->capture);
  return call.finish (cudaSuccess);
}

/* Ends the capture even where it comes to nothing. */
extern "C" cudaError_t
cudaStreamEndCapture (cudaStream_t stream, cudaGraph_t *out)
{
  const Call call ("cudaStreamEndCapture");
  *out = nullptr;
  if (!stream_is_good (stream, "cudaStreamEndCapture"))
    return call.finish (cudaErrorInvalidResourceHandle);
  Capture *capture = stream->capture;
  if (capture == nullptr)
    return call.failed () ? call.error () : call.finish (cudaErrorInvalidValue);
  cudaError_t error = call.error ();
  if (error == cudaSuccess)
    error = capture->spoiled               ? cudaErrorStreamCaptureInvalidated
            : capture->origin != stream    ? cudaErrorStreamCaptureUnmatched
            : !capture_is_joined (capture) ? cudaErrorStreamCaptureUnjoined
                                           : cudaSuccess;
  if (error == cudaSuccess)
    graphs.insert (*out = capture->graph);
  else
    delete capture->graph;
  capture_end (capture);
  return call.finish (error);
}

extern "C" cudaError_t
cudaStreamIsCapturing (cudaStream_t stream, cudaStreamCaptureStatus *out)
{
  const Call call ("cudaStreamIsCapturing");
  if (call.failed ())
    return call.error ();
  if (!stream_is_good (stream, "cudaStreamIsCapturing"))
    return call.finish (cudaErrorInvalidResourceHandle);
  *out = stream->capture == nullptr ? cudaStreamCaptureStatusNone
         : stream->capture->spoiled ? cudaStreamCaptureStatusInvalidated
                                    : cudaStreamCaptureStatusActive;
  return call.finish (cudaSuccess);
}

/* Only their number is told. */
extern "C" cudaError_t
cudaGraphGetNodes (cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n)
{
  const Call call ("cudaGraphGetNodes");
  if (call.failed ())
    return call.error ();
  if (graphs.count (graph) == 0 || nodes != nullptr)
    return call.finish (cudaErrorInvalidValue);
  *n = graph->nodes.size ();
  return call.finish (cudaSuccess);
}

extern "C" cudaError_t
cudaGraphInstantiate (cudaGraphExec_t *out, cudaGraph_t graph, unsigned long long)
{
  const Call call ("cudaGraphInstantiate");
  if (call.failed ())
    return call.error ();
  if (graphs.count (graph) == 0)
    return call.finish (cudaErrorInvalidValue);
  *out = new CUgraphExec_st{ graph->nodes };
  execs.insert (*out);
  return call.finish (cudaSuccess);
}

extern "C" cudaError_t
cudaGraphExecUpdate (cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *info)
{
  const Call call ("cudaGraphExecUpdate");
  if (call.failed ())
    return call.error ();
  if (execs.count (exec) == 0 || graphs.count (graph) == 0)
    return call.finish (cudaErrorInvalidValue);
  *info = { graph_compare (exec->nodes, graph->nodes), nullptr, nullptr };
  if (info->result != cudaGraphExecUpdateSuccess)
    return call.finish (cudaErrorGraphExecUpdateFailure);
  exec->nodes = graph->nodes;
  return call.finish (cudaSuccess);
}

extern "C" cudaError_t
cudaGraphUpload (cudaGraphExec_t exec, cudaStream_t stream)
{
  const Call call ("cudaGraphUpload");
  if (call.failed ())
    return call.error ();
  const bool good = stream_is_good (stream, "cudaGraphUpload") && execs.count (exec) > 0;
  return call.finish (good ? cudaSuccess : cudaErrorInvalidValue);
}

/* A later update or destruction does not touch a launch that is queued. */
extern "C" cudaError_t
cudaGraphLaunch (cudaGraphExec_t exec, cudaStream_t stream)
{
  const Call call ("cudaGraphLaunch");
  if (call.failed ())
    return call.error ();
  if (!stream_is_good (stream, "cudaGraphLaunch") || execs.count (exec) == 0)
    return call.finish (cudaErrorInvalidValue);
  stream_add (stream, { "graph", [nodes = exec->nodes] { graph_run (nodes); }, nullptr });
  return call.finish (cudaSuccess);
}

extern "C" cudaError_t
cudaGraphDestroy (cudaGraph_t graph)
{
  const Call call ("cudaGraphDestroy");
  if (graphs.erase (graph) == 0)
    return call.finish (cudaErrorInvalidValue);
  delete graph;
  return call.failed () ? call.error () : call.finish (cudaSuccess);
}

extern "C" cudaError_t
cudaGraphExecDestroy (cudaGraphExec_t exec)
{
  const Call call ("cudaGraphExecDestroy");
  if (execs.erase (exec) == 0)
    return call.finish (cudaErrorInvalidValue);
  delete exec;
  return call.failed () ? call.error () : call.finish (cudaSuccess);
}
