/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/emulation/fiber.h: stacks of execution that take turns on one system thread.
 *
 * A switch costs a dozen instructions on x86-64; elsewhere ucontext does it. AddressSanitizer is told of
 * every switch. Fibers are never destroyed, but reset and used again: their number is that of the largest
 * block. */
#pragma once

#include <cstddef>

namespace emulation
{

struct Fiber
{
  void *stack_pointer; /* while it is not running */
  void *context;       /* ucontext_t, where that does the switching */
  char *stack;
  size_t stack_bytes;
  void *fake_stack; /* AddressSanitizer's */
};

/* `entry` must not return. */
Fiber *fiber_new (void (*entry) ());
/* Back to its entry; whatever it did is forgotten. */
void fiber_reset (Fiber *fiber, void (*entry) ());
/* from: all zeros where a system thread leaves its own stack, to be switched back to. */
void fiber_switch (Fiber *from, Fiber *to);
/* First thing in an entry. */
void fiber_arrive (Fiber *self);

}
