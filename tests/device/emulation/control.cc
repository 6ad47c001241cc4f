/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/emulation/control.cc: the test's strings, see emulation.h. */
#include <cstring>

#include "arena.h"
#include "blas.h"
#include "call.h"
#include "graph.h"
#include "host-memory.h"
#include "state.h"

namespace emulation
{

State state = { { false, false, 1, (size_t) 1 << 30, 0, 8, 0, ASSAY_EMULATION_LAZY, 1 }, Random (1), 0 };

}

using namespace emulation;

static AssayEmulationOptions
options_fill (const AssayEmulationOptions *given)
{
  AssayEmulationOptions options = given != nullptr ? *given : AssayEmulationOptions ();
  options.n_devices = options.no_device ? 0 : options.n_devices > 0 ? options.n_devices : 1;
  if (options.budget_bytes == 0)
    options.budget_bytes = (size_t) 1 << 30;
  if (options.compute_major == 0)
    options.compute_major = 8;
  return options;
}

extern "C" bool
assay_emulation_is_real (void)
{
  return false;
}

extern "C" void
assay_emulation_start (const AssayEmulationOptions *options)
{
  const std::lock_guard<std::recursive_mutex> lock (call_mutex ());
  blas_reset ();
  graphs_reset ();
  streams_reset ();
  host_memory_reset ();
  arena_reset ();
  functions_reset ();
  call_reset ();
  assay_emulation_clear_fault ();
  state.options = options_fill (options);
  state.random = Random (state.options.seed);
  state.device = 0;
}

extern "C" void
assay_emulation_set_order (AssayEmulationOrder order, uint64_t seed)
{
  const std::lock_guard<std::recursive_mutex> lock (call_mutex ());
  state.options.order = order;
  state.options.seed = seed;
  state.random = Random (seed);
}

extern "C" void
assay_emulation_set_budget (size_t bytes)
{
  const std::lock_guard<std::recursive_mutex> lock (call_mutex ());
  state.options.budget_bytes = bytes;
}

extern "C" AssayEmulationBalance
assay_emulation_get_balance (void)
{
  const std::lock_guard<std::recursive_mutex> lock (call_mutex ());
  AssayEmulationBalance balance = {};
  arena_get_balance (&balance);
  host_memory_get_balance (&balance);
  streams_get_balance (&balance);
  graphs_get_balance (&balance);
  blas_get_balance (&balance);
  return balance;
}

extern "C" bool
assay_emulation_is_balanced (void)
{
  const AssayEmulationBalance now = assay_emulation_get_balance (), none = {};
  return memcmp (&now, &none, sizeof now) == 0;
}

extern "C" bool
assay_emulation_check_guards (void)
{
  const std::lock_guard<std::recursive_mutex> lock (call_mutex ());
  return arena_check_guards ();
}
