/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/test-emulation-streams.cc: in which order the emulated device does things: streams, events,
 * graphs, copies beside a host that goes on. */
#include "test-emulation.h"

__global__ static void
add_kernel (int *y, int value, int factor)
{
  *y = *y * factor + value;
}

static void
launch_add (cudaStream_t where, int *y, int value, int factor = 10)
{
  ASSAY_LAUNCH (add_kernel, 1, 1, 0, where, y, value, factor);
}

static int
read_int (int *device)
{
  int value;
  g_assert_cmpint (cudaMemcpyAsync (&value, device, sizeof value, cudaMemcpyDeviceToHost, stream), ==,
                   cudaSuccess);
  return value;
}

/* A second stream beside the machine's, and an event. */
struct Second
{
  cudaStream_t stream;
  cudaEvent_t event;

  Second ()
  {
    g_assert_cmpint (cudaStreamCreateWithFlags (&stream, cudaStreamNonBlocking), ==, cudaSuccess);
    g_assert_cmpint (cudaEventCreateWithFlags (&event, cudaEventDisableTiming), ==, cudaSuccess);
  }

  ~Second ()
  {
    cudaStreamDestroy (stream);
    cudaEventDestroy (event);
  }
};

static void
zero (Device<int> &device)
{
  g_assert_cmpint (cudaMemsetAsync (device.at, 0, device.n * sizeof (int), stream), ==, cudaSuccess);
}

static void
test_a_stream_keeps_its_order (void)
{
  for (guint64 seed = 0; seed < 20; seed++)
    {
      const Machine machine (seed, EXPECTS_NONE, seed > 0 ? ASSAY_EMULATION_RANDOM : ASSAY_EMULATION_LAZY);
      Device<int> y (1);
      zero (y);
      for (int i = 1; i < 6; i++)
        launch_add (stream, y.at, i);
      g_assert_cmpint (read_int (y.at), ==, 12345);
    }
}

/* One stream writes, the other one reads; with the event the answer is always 1, without it not. */
static int
two_streams (bool waits)
{
  Device<int> y (2);
  const Second second;
  zero (y);
  cudaStreamSynchronize (stream);
  launch_add (second.stream, y.at, 1);
  cudaEventRecord (second.event, second.stream);
  if (waits)
    g_assert_cmpint (cudaStreamWaitEvent (stream, second.event), ==, cudaSuccess);
  cudaMemcpyAsync (y.at + 1, y.at, sizeof (int), cudaMemcpyDeviceToDevice, stream);
  return read_int (y.at + 1);
}

static void
test_events_order_streams (void)
{
  for (guint64 seed = 0; seed < 50; seed++)
    {
      const Machine machine (seed, EXPECTS_NONE, seed > 0 ? ASSAY_EMULATION_RANDOM : ASSAY_EMULATION_LAZY);
      g_assert_cmpint (two_streams (true), ==, 1);
    }
}

static void
test_a_missing_wait_shows (void)
{
  int n_wrong = 0, n_right = 0;
  for (guint64 seed = 1; seed <= 50; seed++)
    {
      const Machine machine (seed, EXPECTS_NONE, ASSAY_EMULATION_RANDOM);
      const int answer = two_streams (false);
      n_wrong += answer == 0;
      n_right += answer == 1;
    }
  g_test_message ("%d of 50 orders wrong", n_wrong);
  g_assert_cmpint (n_wrong, >, 5);
  g_assert_cmpint (n_right, >, 5);
  const Machine machine (0);
  g_assert_cmpint (two_streams (false), ==, 0);
}

static void
test_events_tell_and_time (void)
{
  const Machine machine (1);
  Device<int> y (1);
  cudaEvent_t from, to;
  float milliseconds = -1;
  cudaEventCreate (&from);
  cudaEventCreate (&to);
  zero (y);
  g_assert_cmpint (cudaEventQuery (from), ==, cudaSuccess);
  cudaEventRecord (from, stream);
  launch_add (stream, y.at, 1);
  cudaEventRecord (to, stream);
  g_assert_cmpint (cudaEventElapsedTime (&milliseconds, from, to), ==, cudaErrorNotReady);
  int n_asked = 0;
  while (cudaEventQuery (to) == cudaErrorNotReady)
    n_asked++;
  g_assert_cmpint (n_asked, ==, 4);
  g_assert_cmpint (cudaEventElapsedTime (&milliseconds, from, to), ==, cudaSuccess);
  g_assert_cmpfloat (milliseconds, >=, 0);
  g_assert_cmpint (cudaStreamQuery (stream), ==, cudaSuccess);
  cudaEventDestroy (from);
  cudaEventDestroy (to);
}

static void
test_the_default_stream_is_a_fault (void)
{
  int value = 0;
  const Machine machine (1, EXPECTS_FAULT);
  Device<int> y (1);
  g_assert_cmpint (cudaMemcpy (y.at, &value, sizeof value, cudaMemcpyHostToDevice), !=, cudaSuccess);
  g_assert_nonnull (strstr (assay_emulation_get_fault (), "legacy default stream"));
  assay_emulation_clear_fault ();
  launch_add (nullptr, y.at, 1);
  g_assert_cmpint (cudaGetLastError (), ==, cudaErrorInvalidResourceHandle);
  g_assert_nonnull (strstr (assay_emulation_get_fault (), "legacy default stream"));
}

/* --- copies --- */

/* What arrives when the host writes to the source behind the call. */
static int
overwrite (int *host)
{
  Device<int> y (1);
  *host = 1;
  g_assert_cmpint (cudaMemcpyAsync (y.at, host, sizeof *host, cudaMemcpyHostToDevice, stream), ==,
                   cudaSuccess);
  *host = 2;
  return read_int (y.at);
}

static void
test_pageable_memory_is_read_at_the_call (void)
{
  const Machine machine (1);
  int host;
  g_assert_cmpint (overwrite (&host), ==, 1);
}

static void
test_pinned_memory_is_read_when_the_copy_runs (void)
{
  const Machine machine (1);
  int *host, page[4];
  g_assert_cmpint (cudaMallocHost (&host, sizeof *host), ==, cudaSuccess);
  g_assert_cmpint (overwrite (host), ==, 2);
  g_assert_cmpint (cudaFreeHost (host), ==, cudaSuccess);
  g_assert_cmpint (cudaHostRegister (page, sizeof page, cudaHostRegisterDefault), ==, cudaSuccess);
  g_assert_cmpint (cudaHostRegister (page + 1, 4, cudaHostRegisterDefault), ==,
                   cudaErrorHostMemoryAlreadyRegistered);
  g_assert_cmpint (overwrite (page + 1), ==, 2);
  g_assert_cmpint (cudaHostUnregister (page), ==, cudaSuccess);
  g_assert_cmpint (overwrite (page + 1), ==, 1);
}

static void
test_copies_to_pinned_memory_are_not_waited_for (void)
{
  const Machine machine (1);
  Device<int> y (1);
  int *host;
  cudaMallocHost (&host, sizeof *host);
  *host = 5;
  zero (y);
  cudaMemcpyAsync (host, y.at, sizeof *host, cudaMemcpyDeviceToHost, stream);
  g_assert_cmpint (*host, ==, 5);
  cudaStreamSynchronize (stream);
  g_assert_cmpint (*host, ==, 0);
  cudaFreeHost (host);
}

/* --- graphs --- */

/* Stream a: 1, then 2 and 3 side by side, then 4. */
static cudaGraphExec_t
capture_diamond (Device<int> &y, const Second &second, cudaEvent_t joined)
{
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  size_t n;
  g_assert_cmpint (cudaStreamBeginCapture (stream, cudaStreamCaptureModeThreadLocal), ==, cudaSuccess);
  launch_add (stream, y.at, 1);
  cudaEventRecord (second.event, stream);
  cudaStreamWaitEvent (second.stream, second.event);
  launch_add (second.stream, y.at + 1, 2);
  launch_add (stream, y.at, 3);
  cudaEventRecord (joined, second.stream);
  cudaStreamWaitEvent (stream, joined);
  cudaMemcpyAsync (y.at + 2, y.at, 2 * sizeof (int), cudaMemcpyDeviceToDevice, stream);
  g_assert_cmpint (cudaStreamEndCapture (stream, &graph), ==, cudaSuccess);
  g_assert_cmpint (cudaGraphGetNodes (graph, nullptr, &n), ==, cudaSuccess);
  g_assert_cmpuint (n, ==, 4);
  g_assert_cmpint (cudaGraphInstantiate (&exec, graph), ==, cudaSuccess);
  g_assert_cmpint (cudaGraphDestroy (graph), ==, cudaSuccess);
  return exec;
}

static void
test_graphs_replay (void)
{
  for (guint64 seed = 0; seed < 20; seed++)
    {
      const Machine machine (seed, EXPECTS_NONE, seed > 0 ? ASSAY_EMULATION_RANDOM : ASSAY_EMULATION_LAZY);
      Device<int> y (4);
      cudaEvent_t joined;
      int got[4];
      const Second second;
      cudaEventCreate (&joined);
      zero (y);
      cudaGraphExec_t exec = capture_diamond (y, second, joined);
      y.get (got);
      g_assert_cmpint (got[0], ==, 0);
      for (int i = 0; i < 2; i++)
        g_assert_cmpint (cudaGraphLaunch (exec, stream), ==, cudaSuccess);
      y.get (got);
      g_assert_cmpint (got[2], ==, 1313);
      g_assert_cmpint (got[3], ==, 22);
      cudaGraphExecDestroy (exec);
      cudaEventDestroy (joined);
    }
}

static cudaGraph_t
capture_one (int *y, int value)
{
  cudaGraph_t graph;
  cudaStreamBeginCapture (stream, cudaStreamCaptureModeThreadLocal);
  launch_add (stream, y, value);
  g_assert_cmpint (cudaStreamEndCapture (stream, &graph), ==, cudaSuccess);
  return graph;
}

static void
test_graphs_take_new_arguments (void)
{
  const Machine machine (1);
  Device<int> y (1);
  cudaGraphExec_t exec;
  cudaGraphExecUpdateResultInfo info;
  zero (y);
  cudaGraph_t first = capture_one (y.at, 1), later = capture_one (y.at, 2);
  cudaGraphInstantiate (&exec, first);
  cudaGraphLaunch (exec, stream);
  g_assert_cmpint (cudaGraphExecUpdate (exec, later, &info), ==, cudaSuccess);
  cudaGraphLaunch (exec, stream);
  g_assert_cmpint (read_int (y.at), ==, 12);
  cudaGraphDestroy (first);
  cudaGraphDestroy (later);
  cudaGraphExecDestroy (exec);
}

static void
test_captures_have_cudas_limits (void)
{
  const Machine machine (1);
  cudaGraph_t graph;
  void *memory;
  {
    const Second second;
    cudaStreamBeginCapture (stream, cudaStreamCaptureModeThreadLocal);
    g_assert_cmpint (cudaStreamSynchronize (stream), ==, cudaErrorStreamCaptureUnsupported);
    g_assert_cmpint (cudaStreamEndCapture (stream, &graph), ==, cudaErrorStreamCaptureInvalidated);
    cudaStreamBeginCapture (stream, cudaStreamCaptureModeThreadLocal);
    g_assert_cmpint (cudaMalloc (&memory, 4), ==, cudaErrorStreamCaptureUnsupported);
    g_assert_cmpint (cudaStreamEndCapture (stream, &graph), ==, cudaErrorStreamCaptureInvalidated);
    cudaEventRecord (second.event, second.stream);
    cudaStreamBeginCapture (stream, cudaStreamCaptureModeThreadLocal);
    g_assert_cmpint (cudaStreamWaitEvent (stream, second.event), ==, cudaErrorStreamCaptureIsolation);
    g_assert_cmpint (cudaStreamEndCapture (stream, &graph), ==, cudaErrorStreamCaptureInvalidated);
  }
  Device<int> y (1);
  const Second second;
  cudaStreamBeginCapture (stream, cudaStreamCaptureModeThreadLocal);
  cudaEventRecord (second.event, stream);
  cudaStreamWaitEvent (second.stream, second.event);
  launch_add (second.stream, y.at, 1);
  g_assert_cmpint (cudaStreamEndCapture (stream, &graph), ==, cudaErrorStreamCaptureUnjoined);
  g_assert_null (graph);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, nullptr);
  g_test_add_func ("/device/emulation/a-stream-keeps-its-order", test_a_stream_keeps_its_order);
  g_test_add_func ("/device/emulation/events-order-streams", test_events_order_streams);
  g_test_add_func ("/device/emulation/a-missing-wait-shows", test_a_missing_wait_shows);
  g_test_add_func ("/device/emulation/events-tell-and-time", test_events_tell_and_time);
  g_test_add_func ("/device/emulation/the-default-stream-is-a-fault", test_the_default_stream_is_a_fault);
  g_test_add_func ("/device/emulation/pageable-memory-is-read-at-the-call",
                   test_pageable_memory_is_read_at_the_call);
  g_test_add_func ("/device/emulation/pinned-memory-is-read-when-the-copy-runs",
                   test_pinned_memory_is_read_when_the_copy_runs);
  g_test_add_func ("/device/emulation/copies-to-pinned-memory-are-not-waited-for",
                   test_copies_to_pinned_memory_are_not_waited_for);
  g_test_add_func ("/device/emulation/graphs-replay", test_graphs_replay);
  g_test_add_func ("/device/emulation/graphs-take-new-arguments", test_graphs_take_new_arguments);
  g_test_add_func ("/device/emulation/captures-have-cudas-limits", test_captures_have_cudas_limits);
  return g_test_run ();
}
