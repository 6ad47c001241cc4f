/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-lock.c: see assay-lock.h.
 *
 * Taking over a stale lock is the delicate part: two who find it stale must not both remove a file, the
 * second one the first one's new lock. So it is removed only under flock() on that very file, and only while
 * its name still leads to it. */
#include "assay-lock.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "assay-process.h"

#define LOCK_POLL_US 10000
#define LOCK_QUEUE_WAIT_MS 100u     /* to clear away the lock of a queue that was killed */
#define LOCK_ELSEWHERE_SECONDS 600  /* after which another machine's lock counts as forgotten */
#define LOCK_UNREADABLE_SECONDS 2   /* between making the file and naming the owner lie microseconds */

struct _AssayLock
{
  char *path;
  int fd;
};

typedef enum { LOCK_TAKEN, LOCK_HELD, LOCK_RETRY, LOCK_FAILED } LockOutcome;

static char *
lock_dup_path (const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *name = g_path_get_basename (path);
  g_autofree char *file = g_strdup_printf (".%.200s.lock", name);
  return g_build_filename (folder, file, NULL);
}

static gboolean
lock_fail (const char *path, GError **error)
{
  const int saved = errno;
  const gboolean closed = saved == EACCES || saved == EROFS || saved == EPERM;

  g_set_error (
      error, ASSAY_LEDGER_ERROR, closed ? ASSAY_LEDGER_ERROR_READ_ONLY : ASSAY_LEDGER_ERROR_SAVE,
      _("Nothing can be saved here: the lock file %s could not be made: %s. A few hundred bytes are needed "
         "for it. The ledger is as it was; save in another place."),
      path, g_strerror (saved));
  return FALSE;
}

static gboolean
lock_write_owner (int fd)
{
  g_autofree char *self = assay_process_dup_self ();
  g_autofree char *line = g_strconcat (self, "\n", NULL);
  const gsize length = strlen (line);

  for (gsize done = 0; done < length;)
    {
      const gssize n = write (fd, line + done, length - done);
      if (n < 0 && errno != EINTR)
        return FALSE;
      done += n > 0 ? (gsize) n : 0;
    }
  return TRUE;
}

static LockOutcome
lock_try_make (AssayLock *self, GError **error)
{
  self->fd = g_open (self->path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
  if (self->fd < 0 && errno == EEXIST)
    return LOCK_HELD;
  if (self->fd < 0)
    {
      lock_fail (self->path, error);
      return LOCK_FAILED;
    }
  /* An examiner holds it for microseconds; where there is no flock(), the name alone must do. */
  flock (self->fd, LOCK_EX);
  if (lock_write_owner (self->fd))
    return LOCK_TAKEN;
  lock_fail (self->path, error);
  g_unlink (self->path);
  close (self->fd);
  self->fd = -1;
  return LOCK_FAILED;
}

static gboolean
lock_is_stale (const char *owner, const struct stat *st)
{
  const gint64 age = (gint64) time (NULL) - (gint64) st->st_mtime;

  switch (assay_process_judge (owner))
    {
    case ASSAY_PROCESS_GONE: return TRUE;
    case ASSAY_PROCESS_ELSEWHERE: return age > LOCK_ELSEWHERE_SECONDS || age < -LOCK_ELSEWHERE_SECONDS;
    case ASSAY_PROCESS_UNREADABLE: return age > LOCK_UNREADABLE_SECONDS || age < -LOCK_UNREADABLE_SECONDS;
    case ASSAY_PROCESS_ALIVE:
    default: return FALSE;
    }
}

/* Looks at somebody's lock; removes it when it is stale. *owner: what it says, for the message. */
static LockOutcome
lock_examine (AssayLock *self, char **owner)
{
  char text[512] = "";
  struct stat st, named;
  LockOutcome outcome = LOCK_HELD;
  const int fd = g_open (self->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);

  if (fd < 0)
    return errno == ENOENT ? LOCK_RETRY : LOCK_HELD;
  const gboolean free_to_judge = flock (fd, LOCK_EX | LOCK_NB) == 0;
  const gssize n = read (fd, text, sizeof text - 1);
  text[MAX (n, 0)] = '\0';
  g_free (*owner);
  *owner = g_utf8_make_valid (g_strchomp (text), -1);
  if (free_to_judge && fstat (fd, &st) == 0 && lock_is_stale (text, &st))
    {
      if (stat (self->path, &named) == 0 && named.st_ino == st.st_ino && named.st_dev == st.st_dev)
        g_unlink (self->path);
      outcome = LOCK_RETRY;
    }
  close (fd);
  return outcome;
}

AssayLock *
assay_lock_take (const char *path, guint wait_ms, GError **error)
{
  AssayLock *self = g_new0 (AssayLock, 1);
  const gint64 deadline = g_get_monotonic_time () + (gint64) wait_ms * 1000;
  g_autofree char *owner = NULL;

  self->path = lock_dup_path (path);
  for (;;)
    {
      LockOutcome outcome = lock_try_make (self, error);
      if (outcome == LOCK_TAKEN)
        return self;
      if (outcome == LOCK_HELD)
        outcome = lock_examine (self, &owner);
      if (outcome == LOCK_FAILED)
        break;
      if (g_get_monotonic_time () > deadline)
        {
          g_set_error (
              error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_BUSY,
              _("%s is being saved by another program (%s). Try again; if no program is at it, remove %s"),
              path, owner == NULL ? "?" : owner, self->path);
          break;
        }
      if (outcome == LOCK_HELD)
        g_usleep (LOCK_POLL_US);
    }
  g_free (self->path);
  g_free (self);
  return NULL;
}

AssayLock *
assay_lock_take_queue (const char *path, GError **error)
{
  g_autofree char *name = g_strconcat (path, ".queue", NULL);
  return assay_lock_take (name, LOCK_QUEUE_WAIT_MS, error);
}

void
assay_lock_release (AssayLock *self)
{
  struct stat ours, named;

  if (self == NULL)
    return;
  if (fstat (self->fd, &ours) == 0 && stat (self->path, &named) == 0 && ours.st_ino == named.st_ino
      && ours.st_dev == named.st_dev)
    g_unlink (self->path); /* another's by now, when this machine slept through a takeover */
  close (self->fd);
  g_free (self->path);
  g_free (self);
}
