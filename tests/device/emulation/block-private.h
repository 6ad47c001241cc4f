/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/emulation/block-private.h: what block.cc and warp.cc share: the block that runs. */
#pragma once

#include <cstring>
#include <functional>
#include <vector>

#include "device-language.h"
#include "fiber.h"

namespace emulation
{

enum Wait
{
  WAIT_NOT,
  WAIT_BARRIER,
  WAIT_SYNCWARP,
  WAIT_SHUFFLE,
  WAIT_BALLOT,
  WAIT_REDUCE,
  WAIT_MATCH,
  WAIT_OVER
};

struct Thread
{
  ThreadIndex index; /* first, see device-language.h */
  unsigned warp;
  Wait waits;
  int line; /* where it waits */
  const char *file;
  Fiber *fiber;
  uint64_t value, result; /* of a warp operation */
  unsigned source;        /* the lane a shuffle reads */
};

/* One operation that some lanes of a warp have come to. */
struct WarpOperation
{
  unsigned mask, arrived;
  Wait what;
  Reduction reduction;
  int line;
  const char *file;
};

#define WARP_OPERATIONS 32 /* a lane waits at one */

struct Warp
{
  Thread *lanes; /* [32], those that exist */
  unsigned exists, ended;
  unsigned n_operations;
  WarpOperation operations[WARP_OPERATIONS];
};

struct Block
{
  const char *name; /* the kernel's */
  const std::function<void ()> *body;
  std::vector<Thread> threads;
  std::vector<Warp> warps;
  size_t n_exited, n_waiting; /* at the barrier */
  int barrier_line;
  const char *barrier_file;
  int barrier_sum, barrier_result;
};

extern Block block;

/* The running thread waits until someone calls thread_ready() with it. */
void thread_wait (Wait what, int line, const char *file);
void thread_ready (Thread *thread);
/* It could go on, but so could others. */
void thread_yield ();

void warp_thread_ended (Thread *self);

/* One place in the sources; the names are mostly one string. */
static inline bool
place_is (const char *file, int line, const char *other_file, int other_line)
{
  return line == other_line && (file == other_file || strcmp (file, other_file) == 0);
}

/* No string: frames that a fault leaves for good take nothing along. */
struct Words
{
  char text[120];
};

Words thread_name (const Thread *thread); /* "thread (3, 0, 0) of block (0, 0, 0)" */
Words place_name (const char *file, int line);

/* Tells the fault and ends the grid. */
[[noreturn]] void block_fault (const char *format, ...) __attribute__ ((format (printf, 1, 2)));

}
