/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/emulation/block.cc: see block.h. Warp operations are in warp.cc. */
#include "block.h"

#include <cstdarg>
#include <cstdio>

#include "block-private.h"
#include "cuda_runtime_api.h"
#include "fault.h"
#include "random.h"
#include "shared-memory.h"
#include "touch.h"

namespace emulation
{

Thread *current;
uint3 block_index;
dim3 block_size, grid_size;
Block block;

/* --- whose turn it is --- */

/* Which of the threads that could run does: drawn for every block, since a missing barrier shows in one order
 * and hides in another. */
enum Turn
{
  TURN_ANY,
  TURN_LATEST,
  TURN_OLDEST
};

struct Turns
{
  Random random;
  Turn turn;
  bool start_first; /* a thread that has not run yet comes before those that wait no longer */
  std::vector<Thread *> ready;
  size_t n_taken;              /* from the front of `ready`, by TURN_OLDEST */
  std::vector<uint32_t> order; /* in which threads start */
  size_t n_started;
  std::vector<Fiber *> fibers; /* owned: all there are */
  std::vector<Fiber *> idle;
  Fiber *running;
  Fiber host;
  int error; /* why the grid ended */
};

/* Never destroyed: fibers are still there when the process ends. */
static Turns &turns = *new Turns ();

static bool
turn_can_start ()
{
  return turns.n_started < turns.order.size ();
}

static Thread *
turn_take_ready ()
{
  const size_t n = turns.ready.size () - turns.n_taken;
  if (turns.turn == TURN_OLDEST)
    return turns.ready[turns.n_taken++];
  if (turns.turn == TURN_ANY)
    std::swap (turns.ready.back (), turns.ready[turns.n_taken + turns.random.below (n)]);
  Thread *thread = turns.ready.back ();
  turns.ready.pop_back ();
  return thread;
}

/* Someone who waits no longer; NULL: a thread that has yet to start, or nobody. */
static Thread *
turn_draw ()
{
  if (turns.ready.empty () || (turns.start_first && turn_can_start ()))
    return nullptr;
  Thread *thread = turn_take_ready ();
  if (turns.n_taken == turns.ready.size ())
    {
      turns.ready.clear ();
      turns.n_taken = 0;
    }
  return thread;
}

static void turn_fiber ();

static Fiber *
turn_idle_fiber ()
{
  if (turns.idle.empty ())
    {
      turns.fibers.push_back (fiber_new (turn_fiber));
      return turns.fibers.back ();
    }
  Fiber *fiber = turns.idle.back ();
  turns.idle.pop_back ();
  return fiber;
}

static void
turn_go_to (Fiber *to)
{
  Fiber *from = turns.running;
  turns.running = to;
  fiber_switch (from, to);
}

void
thread_yield ()
{
  Thread *self = current;
  Thread *next = turn_draw ();
  if (next != self)
    turn_go_to (next != nullptr     ? (current = next)->fiber
                : turn_can_start () ? turn_idle_fiber ()
                                    : &turns.host);
}

void
thread_wait (Wait what, int line, const char *file)
{
  current->waits = what;
  current->line = line;
  current->file = file;
  thread_yield ();
}

void
thread_ready (Thread *thread)
{
  thread->waits = WAIT_NOT;
  turns.ready.push_back (thread);
}

/* --- one thread --- */

static void
thread_run (Fiber *fiber)
{
  Thread *self = &block.threads[turns.order[turns.n_started++]];
  self->fiber = fiber;
  current = self;
  (*block.body) ();
  self->waits = WAIT_OVER;
  block.n_exited++;
  if (block.n_waiting > 0)
    block_fault ("%s ended before the barrier at %s, where others wait", thread_name (self).text,
                 place_name (block.barrier_file, block.barrier_line).text);
  warp_thread_ended (self);
}

/* What every fiber does: it runs threads that have not started, and is idle where others are to go on. */
static void
turn_fiber ()
{
  Fiber *self = turns.running;
  fiber_arrive (self);
  for (;;)
    {
      thread_run (self);
      Thread *next = turn_draw ();
      if (next == nullptr && turn_can_start ())
        continue;
      turns.idle.push_back (self);
      turn_go_to (next != nullptr ? (current = next)->fiber : &turns.host);
    }
}

Words
thread_name (const Thread *thread)
{
  Words words;
  const uint3 &t = thread->index.thread;
  snprintf (words.text, sizeof words.text, "thread (%u, %u, %u) of block (%u, %u, %u)", t.x, t.y, t.z,
            block_index.x, block_index.y, block_index.z);
  return words;
}

Words
place_name (const char *file, int line)
{
  Words words;
  const char *base = strrchr (file, '/');
  snprintf (words.text, sizeof words.text, "%s:%d", base != nullptr ? base + 1 : file, line);
  return words;
}

void
grid_abort (int error)
{
  turns.error = error;
  turn_go_to (&turns.host);
  __builtin_unreachable ();
}

void
block_fault (const char *format, ...)
{
  char text[400];
  va_list args;
  va_start (args, format);
  vsnprintf (text, sizeof text, format, args);
  va_end (args);
  fault_tell ("kernel %s: %s", block.name, text);
  grid_abort (cudaErrorLaunchFailure);
}

void
thread_trap (int line, const char *file)
{
  block_fault ("%s came to the trap at %s", thread_name (current).text, place_name (file, line).text);
}

/* --- the barrier --- */

static void
barrier_arrive (int line, const char *file)
{
  if (block.n_exited > 0)
    block_fault ("%s waits at the barrier at %s, which other threads of the block have left out",
                 thread_name (current).text, place_name (file, line).text);
  if (block.n_waiting > 0 && !place_is (block.barrier_file, block.barrier_line, file, line))
    block_fault ("%s came to the barrier at %s while others wait at %s", thread_name (current).text,
                 place_name (file, line).text, place_name (block.barrier_file, block.barrier_line).text);
  block.barrier_line = line;
  block.barrier_file = file;
  block.n_waiting++;
}

int
barrier_block (int value, int line, const char *file)
{
  barrier_arrive (line, file);
  block.barrier_sum += value;
  if (block.n_waiting < block.threads.size ())
    thread_wait (WAIT_BARRIER, line, file);
  else
    {
      block.barrier_result = block.barrier_sum;
      block.barrier_sum = 0;
      block.n_waiting = 0;
      for (Thread &thread : block.threads)
        thread_ready (&thread);
      thread_yield ();
    }
  return block.barrier_result;
}

/* --- a block, a grid --- */

static void
block_shape (const Launch &launch)
{
  const dim3 &size = launch.block;
  block.name = launch.name;
  block.body = &launch.body;
  block.threads.resize ((size_t) size.x * size.y * size.z);
  block.warps.resize ((block.threads.size () + 31) / 32);
  turns.order.resize (block.threads.size ());
  for (uint32_t i = 0; i < block.threads.size (); i++)
    {
      Thread &thread = block.threads[i];
      thread.index = { { i % size.x, i / size.x % size.y, i / size.x / size.y }, i % 32 };
      thread.warp = i / 32;
      turns.order[i] = i;
    }
}

static void
block_prepare ()
{
  const size_t n = block.threads.size ();
  block.n_exited = block.n_waiting = 0;
  block.barrier_sum = 0;
  for (Thread &thread : block.threads)
    thread.waits = WAIT_NOT;
  for (size_t i = 0; i < block.warps.size (); i++)
    {
      Warp &warp = block.warps[i];
      const size_t lanes = n - 32 * i;
      warp.lanes = &block.threads[32 * i];
      warp.exists = lanes >= 32 ? 0xffffffff : (1u << lanes) - 1;
      warp.ended = warp.n_operations = 0;
    }
  turns.turn = (Turn) turns.random.below (3);
  turns.start_first = turns.random.below (2) == 0;
  turns.random.shuffle (turns.order.data (), n);
  turns.ready.clear ();
  turns.n_taken = turns.n_started = 0;
}

/* Nobody can go on, though not everyone has ended. */
static void
block_tell_stuck ()
{
  for (const Thread &thread : block.threads)
    if (thread.waits != WAIT_NOT && thread.waits != WAIT_OVER)
      {
        fault_tell ("kernel %s: %s waits for ever at %s", block.name, thread_name (&thread).text,
                    place_name (thread.file, thread.line).text);
        break;
      }
  turns.error = cudaErrorLaunchFailure;
}

/* Fibers whose threads were broken off start anew. */
static void
turn_clear ()
{
  turns.idle.clear ();
  for (Fiber *fiber : turns.fibers)
    {
      fiber_reset (fiber, turn_fiber);
      turns.idle.push_back (fiber);
    }
}

static bool
block_run (const Launch &launch)
{
  block_prepare ();
  shared_memory_poison (launch.shared_bytes);
  turns.host = Fiber ();
  turns.running = &turns.host;
  turn_go_to (turn_idle_fiber ());
  turns.running = nullptr;
  current = nullptr;
  if (turns.error == 0 && block.n_exited < block.threads.size ())
    block_tell_stuck ();
  if (turns.error == 0 && !shared_memory_check (launch.shared_bytes))
    {
      fault_tell ("kernel %s: block (%u, %u, %u) wrote outside its dynamic shared memory", block.name,
                  block_index.x, block_index.y, block_index.z);
      turns.error = cudaErrorLaunchFailure;
    }
  return turns.error == 0;
}

bool
grid_is_running ()
{
  return turns.running != nullptr && turns.running != &turns.host;
}

/* Blocks in an order of their own too: n steps of a size that shares no divisor with n meet each once. */
static size_t
grid_step (size_t n)
{
  for (;;)
    {
      size_t a = n, b = 1 + turns.random.below (n);
      const size_t step = b;
      while (b != 0)
        {
          const size_t rest = a % b;
          a = b;
          b = rest;
        }
      if (a == 1)
        return step;
    }
}

bool
grid_run (const Launch &launch, uint64_t seed, int *error)
{
  const size_t n = (size_t) launch.grid.x * launch.grid.y * launch.grid.z;
  touch_prepare_thread ();
  turns.random = Random (seed);
  turns.error = 0;
  block_shape (launch);
  block_size = launch.block;
  grid_size = launch.grid;
  const size_t step = grid_step (n);
  size_t at = turns.random.below (n);
  bool done = true;
  for (size_t i = 0; i < n && done; i++, at = (at + step) % n)
    {
      block_index = { (unsigned) (at % launch.grid.x), (unsigned) (at / launch.grid.x % launch.grid.y),
                      (unsigned) (at / launch.grid.x / launch.grid.y) };
      done = block_run (launch);
    }
  if (!done)
    turn_clear ();
  *error = turns.error;
  return done;
}

}
