/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/emulation/host-memory.h: pinned host memory: allocated here, or registered. */
#pragma once

#include <cstddef>

#include "emulation.h"

namespace emulation
{

/* Whether all of it is pinned; no bytes at all are where `at` lies in or just behind pinned memory. */
bool host_memory_is_pinned (const void *at, size_t bytes);
/* Part of it is and part is not: no copy takes that. */
bool host_memory_is_mixed (const void *at, size_t bytes);
void host_memory_get_balance (AssayEmulationBalance *balance);

}
