/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/emulation/arena.h: device memory.
 *
 * One range of addresses that the host may not touch: it is opened while the device works, and closed again
 * before a call returns. Allocations have guard words on both sides, whole at every free and every wait,
 * start out as NaN, and what is freed stays poisoned until it is used again. Under AddressSanitizer a kernel
 * that reads outside is told at once. */
#pragma once

#include <cstddef>

#include "emulation.h"

namespace emulation
{

/* NULL where the device's budget does not have it. */
void *arena_alloc (int device, size_t bytes);
/* False for what is not, or no longer, an allocation. */
bool arena_free (void *memory);

/* Bytes from here to the end of the allocation it lies in; -1 where it lies in none. Its end counts as
 * inside. */
ptrdiff_t arena_room (const void *at);
/* Whether this address is device memory, allocated or not. */
bool arena_owns (const void *at);
/* Whether allocations lie, or once lay, around this address. */
bool arena_was_used (const void *at);
size_t arena_get_used (int device);
/* Tells a fault for each broken guard. */
bool arena_check_guards ();
void arena_get_balance (AssayEmulationBalance *balance);

/* While one of these lives, device memory can be touched. */
struct ArenaOpen
{
  ArenaOpen ();
  ~ArenaOpen ();
  ArenaOpen (const ArenaOpen &) = delete;
};

}
