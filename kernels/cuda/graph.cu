/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cuda/graph.cu: the launches of a pass, handed to the device at once.
 *
 * A pass of one token is some hundreds of launches, each as short as the way to it. Recorded as a graph they
 * cost the host less and follow each other closer. Positions and tokens are the launches' own arguments, so
 * every pass is recorded anew and only put into the graph of the one before: that takes what changed. Where
 * the order of launches is another (attention begins to split its keys), a new graph is made. */
#include "backend.h"

/* The mode that forbids the least: memory may be taken and given back meanwhile. */
AssayStatus
cuda_graph_begin (AssayBackend *b)
{
  CudaBackend *self = cuda_backend (b);
  CUDA_TRY (cuda_enter_queue (b));
  CUDA_TRY (
    cuda_check (b, cudaStreamBeginCapture (self->compute_stream, cudaStreamCaptureModeRelaxed), "record"));
  self->recording = true;
  return ASSAY_OK;
}

static AssayStatus
graph_make_anew (AssayBackend *b, cudaGraph_t graph)
{
  CudaBackend *self = cuda_backend (b);
  cudaGraphExec_t old = self->graph;
  self->graph = NULL;
  if (old != NULL)
    CUDA_TRY (cuda_check (b, cudaGraphExecDestroy (old), "record"));
  const AssayStatus status = cuda_check (b, cudaGraphInstantiate (&self->graph, graph, 0), "record");
  if (status != ASSAY_OK)
    self->graph = NULL;
  return status;
}

/* Into the last graph, where that has the same shape. */
static AssayStatus
graph_put (AssayBackend *b, cudaGraph_t graph)
{
  CudaBackend *self = cuda_backend (b);
  cudaGraphExecUpdateResultInfo info;
  if (self->graph == NULL)
    return graph_make_anew (b, graph);
  const cudaError_t error = cudaGraphExecUpdate (self->graph, graph, &info);
  if (error != cudaErrorGraphExecUpdateFailure)
    return cuda_check (b, error, "record");
  cudaGetLastError ();
  return graph_make_anew (b, graph);
}

static AssayStatus
graph_run (AssayBackend *b, cudaGraph_t graph)
{
  CudaBackend *self = cuda_backend (b);
  CUDA_TRY (graph_put (b, graph));
  return cuda_check (b, cudaGraphLaunch (self->graph, self->compute_stream), "run what was recorded");
}

AssayStatus
cuda_graph_end (AssayBackend *b, bool run)
{
  CudaBackend *self = cuda_backend (b);
  cudaGraph_t graph = NULL;
  if (!self->recording)
    return cuda_fault (b, ASSAY_DEVICE_FAULT, "nothing is being recorded");
  self->recording = false;
  AssayStatus status = cuda_check (b, cudaStreamEndCapture (self->compute_stream, &graph), "record");
  if (status == ASSAY_OK && run)
    status = graph_run (b, graph);
  if (graph != NULL)
    cudaGraphDestroy (graph);
  if (status != ASSAY_OK || !run) /* tables may have been filled only on record */
    for (CudaRopeSlot &slot : self->ropes)
      slot.n_dims = 0;
  return self->closed ? cuda_enter (b) : status;
}
