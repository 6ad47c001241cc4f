/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/assay-hidden-name.c: see the header. */
#include "assay-hidden-name.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RANDOM_DIGITS = 8 };
#define MARK ".tmp-"

char *
assay_hidden_name_new (const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path), *name = g_path_get_basename (path);
  return g_strdup_printf ("%s/.%.60s" MARK "%d-%08x", folder, name, (int) getpid (), g_random_int ());
}

void
assay_hidden_name_hold (int fd)
{
  while (flock (fd, LOCK_EX | LOCK_NB) != 0 && errno == EINTR)
    ;
}

void
assay_hidden_name_remove (const char *path)
{
  g_autoptr (GDir) dir = NULL;
  if (g_unlink (path) == 0 || (dir = g_dir_open (path, 0, NULL)) == NULL)
    return;
  for (const char *name; (name = g_dir_read_name (dir)) != NULL;)
    {
      g_autofree char *file = g_build_filename (path, name, NULL);
      g_unlink (file);
    }
  g_rmdir (path);
}

/* The process in a name of ours; 0 when it is none. */
static gint64
hidden_get_process (const char *name)
{
  const char *mark = g_strrstr (name, MARK);
  if (*name != '.' || mark == NULL || mark == name)
    return 0;
  const char *number = mark + strlen (MARK);
  const gsize digits = strspn (number, "0123456789");
  const char *random = number + digits + 1;
  if (digits == 0 || digits > 10 || number[digits] != '-' || strlen (random) != RANDOM_DIGITS
      || strspn (random, "0123456789abcdef") != RANDOM_DIGITS)
    return 0;
  const gint64 process = g_ascii_strtoll (number, NULL, 10);
  return process <= G_MAXINT ? process : 0;
}

/* Numbers are given again: a process of another program, or of another user, has not made it. */
static gboolean
hidden_may_be_at_work (gint64 process)
{
  g_autofree char *link = g_strdup_printf ("/proc/%" PRId64 "/exe", process);
  if (kill ((pid_t) process, 0) != 0)
    return FALSE;
  g_autofree char *theirs = g_file_read_link (link, NULL), *own = g_file_read_link ("/proc/self/exe", NULL);
  return theirs == NULL || own == NULL || g_str_equal (theirs, own);
}

static gboolean
hidden_is_held (const char *path)
{
  const int fd = g_open (path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
  if (fd < 0)
    return TRUE;
  const gboolean held = flock (fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  close (fd);
  return held;
}

static gboolean
hidden_is_left (const char *path, const char *name)
{
  struct stat st;
  const gint64 process = hidden_get_process (name);
  return process > 0 && lstat (path, &st) == 0 && (S_ISREG (st.st_mode) || S_ISDIR (st.st_mode))
         && st.st_uid == geteuid () && !hidden_may_be_at_work (process) && !hidden_is_held (path);
}

void
assay_hidden_name_sweep (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  for (const char *name; dir != NULL && (name = g_dir_read_name (dir)) != NULL;)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      if (hidden_is_left (path, name))
        assay_hidden_name_remove (path);
    }
}

void
assay_hidden_name_reveal (GError *error, const char *hidden, const char *path)
{
  g_autofree char *from = g_filename_display_name (hidden), *to = g_filename_display_name (path);
  g_auto (GStrv) parts = error != NULL ? g_strsplit (error->message, from, -1) : NULL;
  if (parts == NULL)
    return;
  g_free (error->message);
  error->message = g_strjoinv (to, parts);
}
