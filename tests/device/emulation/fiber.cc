/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/emulation/fiber.cc: see fiber.h. */
#include "fiber.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>
#include <ucontext.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#define STACK_BYTES (256 * 1024) /* instrumented frames are fat */
#else
#define STACK_BYTES (64 * 1024)
#endif
#define PAGE_BYTES 4096

#if defined __x86_64__ && !defined ASSAY_EMULATION_UCONTEXT
#define FIBER_BY_HAND 1

extern "C" void assay_emulation_switch (void **from, void *to);

/* Saves what the calling convention wants kept, and the stack pointer with it. */
asm(".text\n"
    ".globl assay_emulation_switch\n"
    ".hidden assay_emulation_switch\n"
    ".type assay_emulation_switch, @function\n"
    "assay_emulation_switch:\n"
    "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
    "  movq %rsp, (%rdi)\n"
    "  movq %rsi, %rsp\n"
    "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n"
    "  ret\n"
    ".size assay_emulation_switch, .-assay_emulation_switch\n");
#endif

namespace emulation
{

#ifdef FIBER_BY_HAND
/* As a switch leaves it: six registers, the address to go to, and a return address that leads nowhere, which
 * puts the stack where a call would. */
static void
fiber_prepare (Fiber *fiber, void (*entry) ())
{
  void **top = (void **) (fiber->stack + fiber->stack_bytes);
  *--top = nullptr;
  *--top = (void *) entry;
  for (int i = 0; i < 6; i++)
    *--top = nullptr;
  fiber->stack_pointer = top;
}

static void
fiber_jump (Fiber *from, Fiber *to)
{
  assay_emulation_switch (&from->stack_pointer, to->stack_pointer);
}
#else
static ucontext_t *
fiber_context (Fiber *fiber)
{
  if (fiber->context == nullptr)
    fiber->context = calloc (1, sizeof (ucontext_t));
  return (ucontext_t *) fiber->context;
}

static void
fiber_prepare (Fiber *fiber, void (*entry) ())
{
  ucontext_t *context = fiber_context (fiber);
  getcontext (context);
  context->uc_stack.ss_sp = fiber->stack;
  context->uc_stack.ss_size = fiber->stack_bytes;
  context->uc_link = nullptr;
  makecontext (context, entry, 0);
}

static void
fiber_jump (Fiber *from, Fiber *to)
{
  swapcontext (fiber_context (from), fiber_context (to));
}
#endif

/* A page that cannot be touched lies below the stack. */
Fiber *
fiber_new (void (*entry) ())
{
  Fiber *fiber = (Fiber *) calloc (1, sizeof *fiber);
  void *memory = mmap (nullptr, STACK_BYTES + PAGE_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (fiber == nullptr || memory == MAP_FAILED || mprotect (memory, PAGE_BYTES, PROT_NONE) != 0)
    {
      fputs ("emulated device: no memory for another thread's stack\n", stderr);
      abort ();
    }
  fiber->stack = (char *) memory + PAGE_BYTES;
  fiber->stack_bytes = STACK_BYTES;
  fiber_prepare (fiber, entry);
  return fiber;
}

void
fiber_reset (Fiber *fiber, void (*entry) ())
{
#ifdef __SANITIZE_ADDRESS__
  __asan_unpoison_memory_region (fiber->stack, fiber->stack_bytes);
  fiber->fake_stack = nullptr;
#endif
  fiber_prepare (fiber, entry);
}

#ifdef __SANITIZE_ADDRESS__
/* Where the stack lies that a system thread has left; known only once a fiber was reached from there. */
static Fiber *fiber_thread;

static void
fiber_finish_switch (Fiber *self)
{
  const void *bottom;
  size_t size;
  __sanitizer_finish_switch_fiber (self->fake_stack, &bottom, &size);
  if (fiber_thread == nullptr)
    return;
  fiber_thread->stack = (char *) bottom;
  fiber_thread->stack_bytes = size;
  fiber_thread = nullptr;
}
#endif

void
fiber_switch (Fiber *from, Fiber *to)
{
#ifdef __SANITIZE_ADDRESS__
  if (from->stack == nullptr)
    fiber_thread = from;
  __sanitizer_start_switch_fiber (&from->fake_stack, to->stack, to->stack_bytes);
#endif
  fiber_jump (from, to);
#ifdef __SANITIZE_ADDRESS__
  fiber_finish_switch (from);
#endif
}

void
fiber_arrive (Fiber *self)
{
#ifdef __SANITIZE_ADDRESS__
  fiber_finish_switch (self);
#else
  (void) self;
#endif
}

}
