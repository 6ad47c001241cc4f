/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/emulation/call.h: what all calls of the runtime have in common. */
#pragma once

#include <mutex>

#include "cuda_runtime_api.h"

namespace emulation
{

/* One call, as long as it lasts: it is counted, may be the one that is to fail, and keeps other threads out.
 * Where failed(), the call returns error() and does nothing, unless it gives something back. */
class Call
{
public:
  explicit Call (const char *name);
  bool
  failed () const
  {
    return error_ != cudaSuccess;
  }
  cudaError_t
  error () const
  {
    return error_;
  }
  /* What the call returns, kept for cudaGetLastError() where it is an error. */
  cudaError_t finish (cudaError_t error) const;

private:
  std::unique_lock<std::recursive_mutex> lock_;
  cudaError_t error_;
};

std::recursive_mutex &call_mutex ();

/* From now on, whatever is called: an error that only the end of the process mends. */
void call_make_sticky (cudaError_t error);
cudaError_t call_get_sticky ();

void call_reset ();

}
