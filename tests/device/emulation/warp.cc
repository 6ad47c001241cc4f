/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/emulation/warp.cc: what the lanes of a warp do together. The last of a mask's lanes to come
 * works out everybody's result, so that nobody reads what a faster lane has put down since. */
#include "block-private.h"

namespace emulation
{

static Warp &
warp_of (const Thread *thread)
{
  return block.warps[thread->warp];
}

static bool
warp_same (const WarpOperation &a, const WarpOperation &b)
{
  return a.mask == b.mask && a.what == b.what && place_is (a.file, a.line, b.file, b.line);
}

static void
warp_check_mask (const Thread *self, const Warp &warp, const WarpOperation &operation)
{
  const Words who = thread_name (self), where = place_name (operation.file, operation.line);
  if (!(operation.mask >> self->index.lane & 1))
    block_fault ("%s is not in its own mask %08x at %s", who.text, operation.mask, where.text);
  if (operation.mask & ~warp.exists)
    block_fault ("%s waits at %s for lanes %08x, which the block does not have", who.text, where.text,
                 operation.mask & ~warp.exists);
  block_fault ("%s waits at %s for lanes %08x, which have ended", who.text, where.text,
               operation.mask & warp.ended);
}

/* The operation under way that this one is part of, or a new one. Lanes that wait at another place may be
 * on their way here, unless they wait there for this lane. */
static WarpOperation *
warp_find (const Thread *self, Warp &warp, const WarpOperation &operation)
{
  WarpOperation *found = nullptr;
  for (unsigned i = 0; i < warp.n_operations; i++)
    {
      WarpOperation *other = &warp.operations[i];
      if (warp_same (*other, operation))
        found = other;
      else if (other->mask >> self->index.lane & 1 && operation.mask & other->arrived)
        block_fault ("%s came to %s with mask %08x while lanes of it wait at %s with mask %08x",
                     thread_name (self).text, place_name (operation.file, operation.line).text,
                     operation.mask, place_name (other->file, other->line).text, other->mask);
    }
  if (found != nullptr)
    return found;
  warp.operations[warp.n_operations] = operation;
  return &warp.operations[warp.n_operations++];
}

static int64_t
reduce_two (int64_t a, int64_t b, Reduction what)
{
  switch (what)
    {
    case REDUCE_AND: return a & b;
    case REDUCE_OR: return a | b;
    case REDUCE_MIN: return a < b ? a : b;
    case REDUCE_MAX: return a > b ? a : b;
    default: return a + b;
    }
}

static uint64_t
warp_result (const Warp &warp, const WarpOperation &operation, const Thread &lane)
{
  uint64_t result = 0;
  bool first = true;
  for (unsigned i = 0; i < 32; i++)
    {
      if (!(operation.mask >> i & 1))
        continue;
      const uint64_t value = warp.lanes[i].value;
      if (operation.what == WAIT_BALLOT)
        result |= value << i;
      else if (operation.what == WAIT_MATCH)
        result |= (uint64_t) (value == lane.value) << i;
      else if (operation.what == WAIT_REDUCE)
        result = first ? value
                       : (uint64_t) reduce_two ((int64_t) result, (int64_t) value, operation.reduction);
      first = false;
    }
  return result;
}

static void
warp_complete (Warp &warp, WarpOperation *slot)
{
  const WarpOperation operation = *slot;
  const bool shuffles = operation.what == WAIT_SHUFFLE, matches = operation.what == WAIT_MATCH;
  const uint64_t shared = shuffles || matches ? 0 : warp_result (warp, operation, *warp.lanes);
  *slot = warp.operations[--warp.n_operations];
  for (unsigned i = 0; i < 32; i++)
    if (operation.mask >> i & 1)
      {
        Thread &lane = warp.lanes[i];
        lane.result = shuffles  ? warp.lanes[lane.source].value
                      : matches ? warp_result (warp, operation, lane)
                                : shared;
        thread_ready (&lane);
      }
}

static uint64_t
warp_arrive (const WarpOperation &operation, uint64_t value)
{
  Thread *self = current;
  Warp &warp = warp_of (self);
  const unsigned own = 1u << self->index.lane;
  if (!(operation.mask & own) || operation.mask & (~warp.exists | warp.ended))
    warp_check_mask (self, warp, operation);
  self->value = value;
  WarpOperation *under_way = warp_find (self, warp, operation);
  under_way->arrived |= own;
  if (under_way->arrived == operation.mask)
    {
      warp_complete (warp, under_way);
      thread_yield ();
    }
  else
    thread_wait (operation.what, operation.line, operation.file);
  return self->result;
}

void
warp_thread_ended (Thread *self)
{
  Warp &warp = warp_of (self);
  const unsigned own = 1u << self->index.lane;
  warp.ended |= own;
  for (unsigned i = 0; i < warp.n_operations; i++)
    if (warp.operations[i].mask & own)
      block_fault ("%s ended before %s, where lanes wait for it", thread_name (self).text,
                   place_name (warp.operations[i].file, warp.operations[i].line).text);
}

void
barrier_warp (unsigned mask, int line, const char *file)
{
  warp_arrive ({ mask, 0, WAIT_SYNCWARP, REDUCE_OR, line, file }, 0);
}

uint64_t
warp_shuffle (unsigned mask, uint64_t value, unsigned lane, int line, const char *file)
{
  if (lane > 31 || !(mask >> lane & 1))
    block_fault ("%s reads lane %u at %s, which is not in its mask %08x", thread_name (current).text, lane,
                 place_name (file, line).text, mask);
  current->source = lane;
  return warp_arrive ({ mask, 0, WAIT_SHUFFLE, REDUCE_OR, line, file }, value);
}

unsigned
warp_ballot (unsigned mask, bool value, int line, const char *file)
{
  return (unsigned) warp_arrive ({ mask, 0, WAIT_BALLOT, REDUCE_OR, line, file }, value);
}

int64_t
warp_reduce (unsigned mask, int64_t value, Reduction what, int line, const char *file)
{
  return (int64_t) warp_arrive ({ mask, 0, WAIT_REDUCE, what, line, file }, (uint64_t) value);
}

uint64_t
warp_match (unsigned mask, uint64_t value, int line, const char *file)
{
  return warp_arrive ({ mask, 0, WAIT_MATCH, REDUCE_OR, line, file }, value);
}

}
