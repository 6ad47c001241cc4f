/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/emulation/state.h: the machine as the test has set it up. */
#pragma once

#include "emulation.h"
#include "random.h"

namespace emulation
{

struct State
{
  AssayEmulationOptions options;
  Random random;
  int device; /* the current one, of all threads */
};

extern State state;

/* Every module forgets. */
void arena_reset ();
void host_memory_reset ();
void streams_reset ();
void graphs_reset ();
void functions_reset ();
void blas_reset ();

}
