/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-write-out.c: see the header. Renaming a file over /dev/null takes it from the whole machine. */
#include "assay-write-out.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static gboolean
write_into (int fd, const char *data, gsize length)
{
  while (length > 0)
    {
      const gssize n = write (fd, data, length);
      if (n < 0 && errno != EINTR)
        return FALSE;
      data += MAX (n, 0);
      length -= (gsize) MAX (n, 0);
    }
  return TRUE;
}

static gboolean
write_to_device (const char *path, const char *data, gsize length, GError **error)
{
  const int fd = g_open (path, O_WRONLY | O_CLOEXEC, 0);
  const gboolean written = fd >= 0 && write_into (fd, data, length);
  const int saved = errno;
  const gboolean closed = fd < 0 || close (fd) == 0;
  if (written && closed)
    return TRUE;
  const int reason = written ? errno : saved;
  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (reason), "%s: %s", path, g_strerror (reason));
  return FALSE;
}

gboolean
assay_write_out (const char *path, const char *data, gsize length, GError **error)
{
  struct stat st;
  char *resolved = realpath (path, NULL);
  const char *target = resolved != NULL ? resolved : path;
  /* /dev/stdout may lead to a pipe, which has no path. */
  const gboolean device = stat (path, &st) == 0 && !S_ISREG (st.st_mode) && !S_ISDIR (st.st_mode);
  const gboolean done
      = device ? write_to_device (path, data, length, error)
               : g_file_set_contents_full (target, data, (gssize) length,
                                           G_FILE_SET_CONTENTS_CONSISTENT | G_FILE_SET_CONTENTS_DURABLE, 0666, error);
  free (resolved);
  return done;
}
