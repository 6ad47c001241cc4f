/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/store/store-shim.c: a system that is allowed by POSIX and never met on a good day. Preloaded.
 *
 * ASSAY_SHIM=short   write() takes at most 7 bytes, and every third call is interrupted
 * ASSAY_SHIM=rename  rename() over a ledger does its work and reports EIO, as a network folder may
 * ASSAY_SHIM=clock   the clock on the wall is set back by an hour, and again at every look at it
 * ASSAY_SHIM=memory  the allocation of number ASSAY_SHIM_AT is refused, counted from store_shim_arm() */
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int
shim_is (const char *what)
{
  const char *chosen = getenv ("ASSAY_SHIM");
  return chosen != NULL && strcmp (chosen, what) == 0;
}

ssize_t
write (int fd, const void *data, size_t length)
{
  static ssize_t (*real) (int, const void *, size_t);
  static unsigned calls;

  if (real == NULL)
    *(void **) &real = dlsym (RTLD_NEXT, "write");
  if (!shim_is ("short") || fd <= 2)
    return real (fd, data, length);
  if (++calls % 3 == 0)
    {
      errno = EINTR;
      return -1;
    }
  return real (fd, data, length > 7 ? 7 : length);
}

int
rename (const char *from, const char *to)
{
  static int (*real) (const char *, const char *);
  const size_t length = strlen (to);

  if (real == NULL)
    *(void **) &real = dlsym (RTLD_NEXT, "rename");
  const int result = real (from, to);
  if (!shim_is ("rename") || length < 11 || strcmp (to + length - 11, ".ledger.xml") != 0)
    return result;
  errno = EIO;
  return -1;
}

static time_t
shim_set_back (void)
{
  static _Atomic time_t looks;
  return shim_is ("clock") ? 3600 * ++looks : 0;
}

int
clock_gettime (clockid_t which, struct timespec *out)
{
  static int (*real) (clockid_t, struct timespec *);

  if (real == NULL)
    *(void **) &real = dlsym (RTLD_NEXT, "clock_gettime");
  const int result = real (which, out);
  if (result == 0 && which == CLOCK_REALTIME)
    out->tv_sec -= shim_set_back ();
  return result;
}

int
gettimeofday (struct timeval *restrict out, void *restrict zone)
{
  struct timespec now;

  (void) zone;
  if (clock_gettime (CLOCK_REALTIME, &now) != 0)
    return -1;
  *out = (struct timeval) { .tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000 };
  return 0;
}

time_t
time (time_t *out)
{
  struct timespec now;

  clock_gettime (CLOCK_REALTIME, &now);
  if (out != NULL)
    *out = now.tv_sec;
  return now.tv_sec;
}

/* glibc's own names of the allocator, so that nothing has to be allocated to find it. */
extern void *__libc_malloc (size_t size);
extern void *__libc_calloc (size_t n, size_t size);
extern void *__libc_realloc (void *memory, size_t size);

static atomic_long allocations_left;

void store_shim_arm (void);

void
store_shim_arm (void)
{
  const char *at = getenv ("ASSAY_SHIM_AT");
  allocations_left = shim_is ("memory") && at != NULL ? strtol (at, NULL, 10) : 0;
}

static int
shim_refuses_memory (void)
{
  if (allocations_left <= 0 || --allocations_left > 0)
    return 0;
  errno = ENOMEM;
  return 1;
}

void *
malloc (size_t size)
{
  return shim_refuses_memory () ? NULL : __libc_malloc (size);
}

void *
calloc (size_t n, size_t size)
{
  return shim_refuses_memory () ? NULL : __libc_calloc (n, size);
}

void *
realloc (void *memory, size_t size)
{
  return shim_refuses_memory () ? NULL : __libc_realloc (memory, size);
}
