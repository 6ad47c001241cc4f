/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/emulation/touch.cc: see touch.h. */
#include "touch.h"

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <pthread.h>
#include <ucontext.h>
#include <unistd.h>

#include "arena.h"
#include "block-private.h"
#include "block.h"
#include "cuda_runtime_api.h"
#include "fault.h"

namespace emulation
{

static struct sigaction touch_before;
static const void *touch_address;

/* Runs on the fiber's own stack, as if the faulting instruction had called it. */
static void
touch_in_kernel ()
{
  fault_tell ("kernel %s: %s touched %p, which is no memory of the device", block.name,
              thread_name (current).text, touch_address);
  grid_abort (cudaErrorIllegalAddress);
}

#ifdef __x86_64__
static bool
touch_divert (void *context)
{
  greg_t *registers = ((ucontext_t *) context)->uc_mcontext.gregs;
  /* Below the red zone, aligned as behind a call. */
  registers[REG_RSP] = ((registers[REG_RSP] - 256) & ~(greg_t) 15) - 8;
  registers[REG_RIP] = (greg_t) (uintptr_t) touch_in_kernel;
  return true;
}
#else
static bool
touch_divert (void *)
{
  return false;
}
#endif

static void
touch_report_host (const void *address)
{
  char text[160];
  const int n
      = snprintf (text, sizeof text,
                  "emulated device: the host touched device memory at %p; it may only be copied\n", address);
  if (write (STDERR_FILENO, text, (size_t) n) < 0)
    return;
}

static void
on_touch (int number, siginfo_t *info, void *context)
{
  touch_address = info->si_addr;
  if (grid_is_running () && touch_divert (context))
    return;
  if (arena_owns (info->si_addr))
    touch_report_host (info->si_addr);
  /* Comes again, and then goes where it went before. */
  sigaction (number, &touch_before, nullptr);
}

void
touch_watch ()
{
  struct sigaction action = {};
  action.sa_sigaction = on_touch;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigaction (SIGSEGV, &action, &touch_before);
}

/* AddressSanitizer has given every thread one, and takes it back itself. */
void
touch_prepare_thread ()
{
#ifndef __SANITIZE_ADDRESS__
  static char stack[64 * 1024];
  static pthread_t owner;
  static bool has_owner;
  if (has_owner && pthread_equal (owner, pthread_self ()))
    return;
  const stack_t alternative = { stack, 0, sizeof stack };
  sigaltstack (&alternative, nullptr);
  owner = pthread_self ();
  has_owner = true;
#endif
}

}
