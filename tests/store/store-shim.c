/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/store/store-shim.c: a system that is allowed by POSIX and never met on a good day. Preloaded.
 *
 * ASSAY_SHIM=short   write() takes at most 7 bytes, and every third call is interrupted
 * ASSAY_SHIM=rename  rename() over a ledger does its work and reports EIO, as a network folder may */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
