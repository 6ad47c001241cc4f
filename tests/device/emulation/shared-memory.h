/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/emulation/shared-memory.h: a block's own memory.
 *
 * The static part is this object's thread-local storage as a whole: __shared__ is thread_local, and nothing
 * else here is. The dynamic part is a buffer with guard words, of just the size asked for. */
#pragma once

#include <cstddef>

namespace emulation
{

#define SHARED_MEMORY_BYTES (48 * 1024)  /* without cudaFuncSetAttribute */
#define SHARED_MEMORY_OPT_IN (99 * 1024) /* with it */

/* Before a block: nothing of what was there can be taken for a number. */
void shared_memory_poison (size_t dynamic_bytes);
/* After it: whether the words around the dynamic part are untouched. */
bool shared_memory_check (size_t dynamic_bytes);

}
