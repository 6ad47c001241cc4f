/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/emulation/call.cc: see call.h; counting, injected failures, and what the last error was. */
#include "call.h"

#include <map>
#include <string>

#include "state.h"
#include "stream.h"

namespace emulation
{

static struct
{
  std::map<std::string, uint64_t> counts;
  uint64_t n_calls;
  cudaError_t last, sticky;
  std::string fail_name; /* empty: any */
  uint64_t fail_in;      /* calls; 0: none is to fail */
  cudaError_t fail_error;
  bool fail_sticky, has_failed;
} calls;

/* Never destroyed: calls may come from other objects' destructors at the end of the process. */
std::recursive_mutex &
call_mutex ()
{
  static std::recursive_mutex *mutex = new std::recursive_mutex;
  return *mutex;
}

static cudaError_t
call_inject (const char *name)
{
  if (calls.fail_in == 0 || (!calls.fail_name.empty () && calls.fail_name != name) || --calls.fail_in > 0)
    return cudaSuccess;
  calls.has_failed = true;
  if (calls.fail_sticky)
    calls.sticky = calls.fail_error;
  return calls.fail_error;
}

Call::Call (const char *name) : lock_ (call_mutex ()), error_ (cudaSuccess)
{
  calls.counts[name]++;
  calls.n_calls++;
  if (state.options.no_driver)
    error_ = cudaErrorInsufficientDriver;
  else if (calls.sticky != cudaSuccess)
    error_ = calls.sticky;
  else
    error_ = call_inject (name);
  if (error_ != cudaSuccess)
    calls.last = error_;
  else
    streams_stir ();
}

cudaError_t
Call::finish (cudaError_t error) const
{
  if (error == cudaSuccess && calls.sticky != cudaSuccess)
    error = calls.sticky; /* what ran meanwhile broke the device */
  if (error != cudaSuccess && error != cudaErrorNotReady)
    calls.last = error;
  return error;
}

void
call_make_sticky (cudaError_t error)
{
  if (calls.sticky == cudaSuccess)
    calls.sticky = calls.last = error;
}

cudaError_t
call_get_sticky ()
{
  return calls.sticky;
}

void
call_reset ()
{
  calls = {};
}

}

using namespace emulation;

extern "C" cudaError_t
cudaPeekAtLastError (void)
{
  const std::lock_guard<std::recursive_mutex> lock (call_mutex ());
  return calls.last;
}

extern "C" cudaError_t
cudaGetLastError (void)
{
  const std::lock_guard<std::recursive_mutex> lock (call_mutex ());
  const cudaError_t last = calls.last;
  calls.last = calls.sticky;
  return last;
}

extern "C" void
assay_emulation_fail_call (const char *name, uint64_t n, int error, bool sticky)
{
  const std::lock_guard<std::recursive_mutex> lock (call_mutex ());
  calls.fail_name = name != nullptr ? name : "";
  calls.fail_in = n;
  calls.fail_error = (cudaError_t) error;
  calls.fail_sticky = sticky;
  calls.has_failed = false;
}

extern "C" bool
assay_emulation_has_failed (void)
{
  const std::lock_guard<std::recursive_mutex> lock (call_mutex ());
  return calls.has_failed;
}

extern "C" uint64_t
assay_emulation_get_n_calls (const char *name)
{
  const std::lock_guard<std::recursive_mutex> lock (call_mutex ());
  if (name == nullptr)
    return calls.n_calls;
  const auto found = calls.counts.find (name);
  return found != calls.counts.end () ? found->second : 0;
}
