/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/emulation/block.h: runs one block of threads after another.
 *
 * A thread runs until it has to wait for others; who goes on then is drawn. Threads that never wait run one
 * after another on a single fiber, and cost no switch. */
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "vector-types.h"

namespace emulation
{

struct Launch
{
  const char *name;
  const void *function;
  dim3 grid, block;
  size_t shared_bytes;
  std::function<void ()> body;
};

/* Runs the whole grid on the calling thread. False where a rule was broken: the fault is told, *error is the
 * cudaError that a card's next call would return. */
bool grid_run (const Launch &launch, uint64_t seed, int *error);

/* Whether a kernel's thread is what runs now. */
bool grid_is_running ();

/* Ends the grid from within one of its threads, where a signal handler found it. */
[[noreturn]] void grid_abort (int error);

}
