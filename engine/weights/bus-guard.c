/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/bus-guard.c: the handler runs on the thread that touched the page, with anything locked; it
 * therefore only loads atomics, maps one page and returns. Regions are kept in a list that only grows: a
 * removed one stays as a free node, so that a handler walking the list never meets freed memory. */
#include "bus-guard.h"

#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

struct _BusRegion
{
  atomic_uintptr_t start; /* 0: a free node */
  atomic_uintptr_t end;
  atomic_bool hit;
  BusRegion *next;        /* written once, before the node is published */
};

static _Atomic (BusRegion *) regions;
static GMutex regions_lock; /* adding and removing; never taken by the handler */
static struct sigaction previous;
static guintptr page_bytes;

static BusRegion *
bus_guard_find (guintptr address)
{
  for (BusRegion *r = atomic_load (&regions); r != NULL; r = r->next)
    {
      const guintptr start = atomic_load (&r->start);
      if (start != 0 && address >= start && address < atomic_load (&r->end))
        return r;
    }
  return NULL;
}

static void
bus_guard_chain (int number, siginfo_t *info, void *context)
{
  if ((previous.sa_flags & SA_SIGINFO) != 0 && previous.sa_sigaction != NULL)
    previous.sa_sigaction (number, info, context);
  else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN)
    previous.sa_handler (number);
  else
    /* the instruction faults again, and ends us */
    sigaction (SIGBUS, &(struct sigaction) { .sa_handler = SIG_DFL }, NULL);
}

static void
bus_guard_handle (int number, siginfo_t *info, void *context)
{
  const guintptr address = (guintptr) info->si_addr;
  BusRegion *region = info->si_code == BUS_ADRERR ? bus_guard_find (address) : NULL;
  void *page = (void *) (address & ~(page_bytes - 1));
  if (region == NULL
      || mmap (page, page_bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
    {
      bus_guard_chain (number, info, context);
      return;
    }
  atomic_store (&region->hit, TRUE);
}

static void
bus_guard_install (void)
{
  static gsize once;
  if (!g_once_init_enter (&once))
    return;
  page_bytes = (guintptr) sysconf (_SC_PAGESIZE);
  struct sigaction action = { .sa_sigaction = bus_guard_handle, .sa_flags = SA_SIGINFO | SA_ONSTACK };
  sigemptyset (&action.sa_mask);
  sigaction (SIGBUS, NULL, &previous); /* known before the handler can run */
  sigaction (SIGBUS, &action, NULL);
  g_once_init_leave (&once, 1);
}

BusRegion *
assay_bus_guard_add (const void *start, gsize length)
{
  bus_guard_install ();
  g_mutex_lock (&regions_lock);
  BusRegion *region = atomic_load (&regions);
  while (region != NULL && atomic_load (&region->start) != 0)
    region = region->next;
  const gboolean is_new = region == NULL;
  if (is_new)
    region = g_new0 (BusRegion, 1);
  atomic_store (&region->hit, FALSE);
  atomic_store (&region->end, (guintptr) start + length);
  atomic_store (&region->start, (guintptr) start);
  if (is_new)
    {
      region->next = atomic_load (&regions);
      atomic_store (&regions, region);
    }
  g_mutex_unlock (&regions_lock);
  return region;
}

void
assay_bus_guard_remove (BusRegion *region)
{
  g_mutex_lock (&regions_lock);
  atomic_store (&region->start, 0);
  g_mutex_unlock (&regions_lock);
}

gboolean
assay_bus_guard_was_hit (const BusRegion *region)
{
  return atomic_load (&region->hit);
}
