/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/emulation/arena.cc: see arena.h. */
#include "arena.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <sys/mman.h>

#include "fault.h"
#include "poison.h"
#include "state.h"
#include "touch.h"

#define ALIGNMENT 256 /* CUDA's */
#define GUARD_BYTES 256
#define ARENA_BYTES ((size_t) 256 << 30) /* of addresses */
#define PAGE_BYTES                                                                                           \
  ((size_t) 2 << 20) /* huge ones, where there are any: opening and closing costs by the page */

namespace emulation
{

struct Allocation
{
  size_t bytes; /* as asked for */
  int device;
};

static struct
{
  unsigned char *base;
  size_t top; /* what was ever used lies below */
  int n_open;
  std::map<size_t, Allocation> live; /* by the offset of the data */
  std::map<size_t, size_t> holes;    /* offset -> bytes, all poisoned, none beside another */
} arena;

static size_t
arena_round (size_t bytes)
{
  return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* With its guards. */
static size_t
arena_span (size_t bytes)
{
  return arena_round (bytes) + 2 * GUARD_BYTES;
}

static void
arena_protect (int how)
{
  const size_t bytes = (arena.top + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
  if (bytes > 0 && mprotect (arena.base, bytes, how) != 0)
    {
      perror ("emulated device: mprotect");
      abort ();
    }
}

ArenaOpen::ArenaOpen ()
{
  if (arena.n_open++ == 0)
    arena_protect (PROT_READ | PROT_WRITE);
}

ArenaOpen::~ArenaOpen ()
{
  if (--arena.n_open == 0)
    arena_protect (PROT_NONE);
}

static void
arena_map ()
{
  if (arena.base != nullptr)
    return;
  void *memory = mmap (nullptr, ARENA_BYTES + PAGE_BYTES, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    {
      perror ("emulated device: no addresses for its memory");
      abort ();
    }
  arena.base = (unsigned char *) (((uintptr_t) memory + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES);
  madvise (arena.base, ARENA_BYTES, MADV_HUGEPAGE);
  touch_watch ();
}

/* --- places --- */

/* The first hole that is large enough, or new addresses. What a hole held must still be poison. */
static size_t
arena_take (size_t span)
{
  for (auto hole = arena.holes.begin (); hole != arena.holes.end (); ++hole)
    {
      const size_t at = hole->first, bytes = hole->second;
      if (bytes < span)
        continue;
      arena.holes.erase (hole);
      if (bytes > span)
        arena.holes[at + span] = bytes - span;
      poison_release (arena.base + at, span);
      if (!poison_is_whole (arena.base + at, span, POISON_FREED))
        fault_tell ("device memory at %p, %zu bytes, was written after it was freed",
                    (void *) (arena.base + at), span);
      return at;
    }
  if (span > ARENA_BYTES - arena.top)
    abort ();
  const size_t at = arena.top;
  arena.top += span;
  arena_protect (PROT_READ | PROT_WRITE);
  return at;
}

static void
arena_give_back (size_t at, size_t span)
{
  poison_release (arena.base + at, span);
  poison_fill (arena.base + at, span, POISON_FREED);
  poison_forbid (arena.base + at, span);
  auto after = arena.holes.lower_bound (at);
  if (after != arena.holes.end () && after->first == at + span)
    {
      span += after->second;
      after = arena.holes.erase (after);
    }
  if (after != arena.holes.begin () && std::prev (after)->first + std::prev (after)->second == at)
    std::prev (after)->second += span;
  else
    arena.holes[at] = span;
}

/* --- allocations --- */

size_t
arena_get_used (int device)
{
  size_t used = 0;
  for (const auto &each : arena.live)
    if (each.second.device == device)
      used += arena_round (each.second.bytes);
  return used;
}

void *
arena_alloc (int device, size_t bytes)
{
  const size_t budget = state.options.budget_bytes, used = arena_get_used (device);
  arena_map ();
  if (bytes > budget || used > budget || arena_round (bytes) > budget - used)
    return nullptr;
  const ArenaOpen open;
  const size_t start = arena_take (arena_span (bytes));
  unsigned char *data = arena.base + start + GUARD_BYTES;
  const size_t behind = arena_span (bytes) - GUARD_BYTES - bytes;
  poison_fill (data - GUARD_BYTES, GUARD_BYTES, POISON_GUARD);
  poison_fill (data, bytes, POISON_FRESH);
  poison_fill (data + bytes, behind, POISON_GUARD);
  poison_forbid (data - GUARD_BYTES, GUARD_BYTES);
  poison_forbid (data + bytes, behind);
  arena.live[start + GUARD_BYTES] = { bytes, device };
  return data;
}

static bool
arena_check (size_t at, const Allocation &allocation)
{
  unsigned char *data = arena.base + at;
  const size_t behind = arena_span (allocation.bytes) - GUARD_BYTES - allocation.bytes;
  poison_release (data - GUARD_BYTES, arena_span (allocation.bytes));
  const bool before_whole = poison_is_whole (data - GUARD_BYTES, GUARD_BYTES, POISON_GUARD),
             behind_whole = poison_is_whole (data + allocation.bytes, behind, POISON_GUARD);
  if (!before_whole || !behind_whole)
    {
      fault_tell ("device memory %s the %zu bytes at %p was written", before_whole ? "behind" : "before",
                  allocation.bytes, (void *) data);
      poison_fill (data - GUARD_BYTES, GUARD_BYTES, POISON_GUARD);
      poison_fill (data + allocation.bytes, behind, POISON_GUARD);
    }
  poison_forbid (data - GUARD_BYTES, GUARD_BYTES);
  poison_forbid (data + allocation.bytes, behind);
  return before_whole && behind_whole;
}

bool
arena_free (void *memory)
{
  const auto found = arena_owns (memory) ? arena.live.find ((size_t) ((unsigned char *) memory - arena.base))
                                         : arena.live.end ();
  if (found == arena.live.end ())
    return false;
  const ArenaOpen open;
  arena_check (found->first, found->second);
  arena_give_back (found->first - GUARD_BYTES, arena_span (found->second.bytes));
  arena.live.erase (found);
  return true;
}

bool
arena_check_guards ()
{
  const ArenaOpen open;
  bool whole = true;
  for (const auto &each : arena.live)
    whole &= arena_check (each.first, each.second);
  return whole;
}

bool
arena_owns (const void *at)
{
  const unsigned char *byte = (const unsigned char *) at;
  return arena.base != nullptr && byte >= arena.base && byte < arena.base + ARENA_BYTES;
}

bool
arena_was_used (const void *at)
{
  return arena_owns (at) && (const unsigned char *) at < arena.base + arena.top;
}

ptrdiff_t
arena_room (const void *at)
{
  if (!arena_owns (at))
    return -1;
  const size_t offset = (size_t) ((const unsigned char *) at - arena.base);
  auto after = arena.live.upper_bound (offset);
  if (after == arena.live.begin ())
    return -1;
  --after;
  const size_t end = after->first + after->second.bytes;
  return offset <= end ? (ptrdiff_t) (end - offset) : -1;
}

void
arena_get_balance (AssayEmulationBalance *balance)
{
  for (const auto &each : arena.live)
    {
      balance->n_device++;
      balance->device_bytes += each.second.bytes;
    }
}

void
arena_reset ()
{
  while (!arena.live.empty ())
    arena_free (arena.base + arena.live.begin ()->first);
}

}
