/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-durable.c: see assay-durable.h. Every call that can fail is looked at, close() included. */
#include "assay-durable.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#define DURABLE_CHUNK (1u << 20)
#define DURABLE_MAX_LINKS 40u
#define DURABLE_LARGE (8 << 20)

static AssayFileMark
mark_from_stat (const struct stat *st)
{
  return (AssayFileMark){
    .known = TRUE,
    .device = st->st_dev,
    .inode = st->st_ino,
    .size = (guint64) st->st_size,
    .mtime_ns = (gint64) st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec,
    .ctime_ns = (gint64) st->st_ctim.tv_sec * 1000000000 + st->st_ctim.tv_nsec,
  };
}

gboolean
assay_file_mark_equal (const AssayFileMark *a, const AssayFileMark *b)
{
  return a->known == b->known && a->device == b->device && a->inode == b->inode && a->size == b->size
         && a->mtime_ns == b->mtime_ns && a->ctime_ns == b->ctime_ns;
}

AssayFileMark
assay_file_mark_of (const char *path)
{
  struct stat st;
  const AssayFileMark none = { 0 };
  return stat (path, &st) == 0 ? mark_from_stat (&st) : none;
}

char *
assay_durable_dup_target (const char *path)
{
  char *at = g_canonicalize_filename (path, NULL);

  for (guint i = 0; i < DURABLE_MAX_LINKS; i++)
    {
      g_autofree char *link = g_file_read_link (at, NULL);
      if (link == NULL)
        break;
      g_autofree char *folder = g_path_get_dirname (at);
      g_free (at);
      at = g_canonicalize_filename (link, folder);
    }
  return at;
}

/* ---- reading ---- */

static gboolean
durable_read_all (int fd, char *data, gsize size, gsize *got)
{
  for (*got = 0; *got < size;)
    {
      const gssize n = read (fd, data + *got, MIN (size - *got, (gsize) DURABLE_CHUNK));
      if (n == 0)
        return TRUE;
      if (n < 0 && errno != EINTR)
        return FALSE;
      if (n > 0)
        *got += (gsize) n;
    }
  return TRUE;
}

/* What, where, and what to do: this is all that a row of the library says of the file. */
static gboolean
durable_fail_read (const char *path, GError **error)
{
  const int saved = errno;
  const gboolean closed = saved == EACCES || saved == EPERM;
  const gboolean gone = saved == ENOENT || saved == ENOTDIR || saved == ELOOP;
  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (saved),
               gone     ? _("%s: what this name leads to is not there (%s); bring the file back, or remove the name")
               : closed ? _("%s: not allowed to be read (%s); change the permissions of the file, or ask its owner")
                        : _("%s: could not be read (%s); try again, or take a copy from elsewhere"),
               path, g_strerror (saved));
  return FALSE;
}

GBytes *
assay_durable_read (const char *path, guint64 max, gboolean no_follow, AssayFileMark *mark, GError **error)
{
  struct stat st;
  gsize got = 0;
  /* not blocking: the name may be a FIFO that nobody writes */
  const int fd
      = g_open (path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY | (no_follow ? O_NOFOLLOW : 0), 0);

  if (fd < 0)
    {
      durable_fail_read (path, error);
      return NULL;
    }
  if (fstat (fd, &st) != 0 || !S_ISREG (st.st_mode) || (guint64) st.st_size > max)
    {
      g_set_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_FORMAT,
                   S_ISREG (st.st_mode)
                       ? _("%s: too large: at most %" PRIu64 " bytes are read; choose another file")
                       : _("%s: no plain file (at most %" PRIu64 " bytes of one are read); choose another"),
                   path, max);
      close (fd);
      return NULL;
    }
  char *data = g_try_malloc ((gsize) st.st_size + 1);
  if (data == NULL || !durable_read_all (fd, data, (gsize) st.st_size, &got))
    {
      if (data == NULL)
        errno = ENOMEM;
      durable_fail_read (path, error);
      g_free (data);
      close (fd);
      return NULL;
    }
  close (fd);
  if (mark != NULL)
    *mark = mark_from_stat (&st);
  return g_bytes_new_take (data, got);
}

/* ---- writing ---- */

typedef struct
{
  const char *path;
  char *folder;
  char *temporary;
  AssaySplice *splice;
  GError **error;
  struct stat old;
  gboolean has_old;
  guint64 inode;          /* of the temporary file */
  int held;               /* the last backup, or -1 */
} Durable;

static gboolean
durable_fail (Durable *self, const char *what)
{
  const int saved = errno;
  const gboolean closed = saved == EACCES || saved == EROFS || saved == EPERM;
  g_autofree char *name = g_path_get_basename (self->path);

  g_set_error (
      self->error, ASSAY_LEDGER_ERROR, closed ? ASSAY_LEDGER_ERROR_READ_ONLY : ASSAY_LEDGER_ERROR_SAVE,
      _("%s could not be saved in %s: %s: %s. %zu bytes are needed there. The file is as it "
         "was; try again, or save in another place."),
      name, self->folder, what, g_strerror (saved), assay_splice_get_length (self->splice));
  return FALSE;
}

/* The disk begins while the rest is still being written; whether it went well is for fsync() to say. */
static void
durable_begin_flush (int fd, gssize written)
{
#ifdef SYNC_FILE_RANGE_WRITE
  if (written == DURABLE_CHUNK)
    sync_file_range (fd, lseek (fd, 0, SEEK_CUR) - written, written, SYNC_FILE_RANGE_WRITE);
#endif
}

static gboolean
durable_write_all (int fd, const char *data, gsize length)
{
  guint refused = 0;

  for (gsize done = 0; done < length;)
    {
      const gssize n = write (fd, data + done, MIN (length - done, (gsize) DURABLE_CHUNK));
      if (n > 0)
        {
          durable_begin_flush (fd, n);
          done += (gsize) n;
          refused = 0;
        }
      else if (n < 0 && errno == EINTR)
        continue;
      else if (n < 0 && errno != EAGAIN)
        return FALSE;
      else if (++refused > 100) /* EAGAIN, or nothing taken at all: wait a while, not for ever */
        {
          errno = n < 0 ? EAGAIN : EIO;
          return FALSE;
        }
      else
        g_usleep (10000);
    }
  return TRUE;
}

typedef struct
{
  int fd;
  gsize length;
  char small[1u << 16]; /* collects what would be many small writes */
} Writer;

static gboolean
writer_flush (Writer *self)
{
  const gsize length = self->length;
  self->length = 0;
  return durable_write_all (self->fd, self->small, length);
}

static gboolean
writer_put (const char *data, gsize length, gpointer writer)
{
  Writer *self = writer;

  if (length > sizeof self->small - self->length && !writer_flush (self))
    return FALSE;
  if (length > sizeof self->small)
    return durable_write_all (self->fd, data, length);
  memcpy (self->small + self->length, data, length);
  self->length += length;
  return TRUE;
}

/* Mode, group, owner and extended attributes (access lists among them) as the old file has them. */
static void
durable_take_over (Durable *self, int fd, AssayDurableSave *save)
{
  char names[4096], value[4096];

  if (fchown (fd, self->old.st_uid, self->old.st_gid) != 0)
    {
      const gboolean group = fchown (fd, (uid_t) -1, self->old.st_gid) == 0;
      if (save != NULL && (self->old.st_uid != geteuid () || !group))
        save->owner_lost = TRUE;
    }
  if (fchmod (fd, self->old.st_mode & 07777) != 0 && save != NULL)
    save->owner_lost = TRUE;
  const gssize length = listxattr (self->path, names, sizeof names);
  for (gssize at = 0; at < length; at += (gssize) strlen (names + at) + 1)
    {
      const gssize n = getxattr (self->path, names + at, value, sizeof value);
      if (n >= 0 && fsetxattr (fd, names + at, value, (gsize) n, 0) != 0 && save != NULL
          && g_str_has_prefix (names + at, "system.posix_acl"))
        save->owner_lost = TRUE;
    }
}

static gboolean
durable_write_temporary (Durable *self, AssayDurableSave *save)
{
  Writer writer = { .fd = -1 };
  struct stat st;
  const int fd = g_open (self->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                         self->has_old ? 0600 : 0666);

  if (fd < 0)
    return durable_fail (self, _("no file can be made"));
  writer.fd = fd;
  if (!assay_splice_write (self->splice, writer_put, &writer) || !writer_flush (&writer))
    {
      durable_fail (self, _("writing failed"));
      close (fd);
      return FALSE;
    }
  if (self->has_old)
    durable_take_over (self, fd, save);
  if (fstat (fd, &st) != 0 || fsync (fd) != 0)
    {
      durable_fail (self, _("the disk did not take it"));
      close (fd);
      return FALSE;
    }
  self->inode = st.st_ino;
  if (close (fd) != 0 && errno != EINTR)
    return durable_fail (self, _("closing failed"));
  return TRUE;
}

static gssize
durable_read_some (char *buffer, gsize length, gpointer fd)
{
  gssize n;

  do
    n = read (GPOINTER_TO_INT (fd), buffer, MIN (length, (gsize) DURABLE_CHUNK));
  while (n < 0 && errno == EINTR);
  return n;
}

/* The new part of the text as it lies there; NULL when it is not what was written. */
static GBytes *
durable_read_text (Durable *self)
{
  const int fd = g_open (self->temporary, O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0);
  GBytes *text = NULL;

  if (fd < 0)
    return NULL;
  assay_splice_compare (self->splice, durable_read_some, GINT_TO_POINTER (fd), &text);
  close (fd);
  return text;
}

static gboolean
durable_read_back (Durable *self, AssayDurableSave *save)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GBytes) text = durable_read_text (self);

  if (text == NULL)
    {
      errno = EIO;
      return durable_fail (self, _("what was read back is not what was written"));
    }
  if (save == NULL || save->verify == NULL || save->verify (text, save->data, &error))
    return TRUE;
  g_set_error (
      self->error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_SAVE,
      _("%s was not saved: what would be written could not be read again: %s. The file is as it was."),
      self->path, error->message);
  return FALSE;
}

static gpointer
close_thread (gpointer fd)
{
  close (GPOINTER_TO_INT (fd));
  return NULL;
}

/* Giving back the blocks of two hundred megabytes takes a third as long as writing them, and is done by whoever lets go
 * of the file last: so that one is no one who waits. Returns: what to hand to durable_let_go() */
static int
durable_hold (const char *path)
{
  struct stat st;

  if (stat (path, &st) != 0 || !S_ISREG (st.st_mode) || st.st_size < DURABLE_LARGE)
    return -1;
  return g_open (path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW, 0);
}

static void
durable_let_go (int fd)
{
  if (fd < 0)
    return;
  GThread *thread = g_thread_try_new ("let-go", close_thread, GINT_TO_POINTER (fd), NULL);
  if (thread != NULL)
    g_thread_unref (thread);
  else
    close (fd);
}

/* The old file under a second name, which then takes the place of the last backup. */
static gboolean
durable_keep_backup (Durable *self)
{
  g_autofree char *backup = g_strconcat (self->path, ".bak", NULL);
  g_autofree char *passing = g_strconcat (self->temporary, "b", NULL);

  if (link (self->path, passing) == 0)
    {
      self->held = durable_hold (backup);
      if (g_rename (passing, backup) == 0)
        {
          g_unlink (passing); /* renaming over another name of the same file does nothing */
          return TRUE;
        }
      durable_fail (self, _("the backup could not be named"));
      g_unlink (passing);
      return FALSE;
    }
  if (errno != EPERM && errno != EOPNOTSUPP && errno != EMLINK && errno != ENOSYS)
    return durable_fail (self, _("the backup could not be made"));
  g_autoptr(GBytes) old = assay_durable_read (self->path, G_MAXINT64, FALSE, NULL, self->error);
  return old != NULL
         && assay_durable_replace (backup, old, NULL, self->error); /* no hard links here: a copy */
}

static gboolean
durable_rename (Durable *self)
{
  struct stat st;

  if (g_rename (self->temporary, self->path) == 0)
    return TRUE;
  const int saved = errno;
  /* a network folder may report a failure for what it has done */
  if (stat (self->path, &st) == 0 && st.st_ino == self->inode && g_access (self->temporary, F_OK) != 0)
    return TRUE;
  errno = saved;
  return durable_fail (self, _("renaming failed"));
}

gboolean
assay_durable_flush_folder (const char *folder)
{
  const int fd = g_open (folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);

  if (fd < 0)
    return FALSE;
  const int failed = fsync (fd);
  const int saved = errno;
  close (fd);
  errno = saved;
  return failed == 0 || saved == EINVAL || saved == ENOTSUP; /* a file system without such a call */
}

static gboolean
durable_flush (Durable *self)
{
  if (assay_durable_flush_folder (self->folder))
    return TRUE;
  const int saved = errno;
  g_set_error (
      self->error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_SAVE,
      _("%s: the new state is in place, but the folder %s did not reach the disk: %s (%zu bytes). "
         "Save again, or in another place."),
      self->path, self->folder, g_strerror (saved), assay_splice_get_length (self->splice));
  return FALSE;
}

static char *
durable_dup_prefix (const char *path)
{
  g_autofree char *name = g_path_get_basename (path);
  return g_strdup_printf (".%.60s-%08x.tmp-", name, g_str_hash (name));
}

static gboolean
durable_prepare (Durable *self)
{
  g_autofree char *prefix = durable_dup_prefix (self->path);

  self->folder = g_path_get_dirname (self->path);
  self->temporary = g_strdup_printf ("%s/%s%d-%08x", self->folder, prefix, (int) getpid (), g_random_int ());
  self->has_old = stat (self->path, &self->old) == 0;
  if (!self->has_old)
    return errno == ENOENT || durable_fail (self, _("the old file cannot be looked at"));
  if (!S_ISREG (self->old.st_mode))
    {
      errno = EISDIR;
      return durable_fail (self, _("this name is no plain file"));
    }
  if ((self->old.st_mode & 0222) == 0 || access (self->path, W_OK) != 0)
    {
      errno = EACCES;
      return durable_fail (self, _("the file is read-only"));
    }
  return TRUE;
}

gboolean
assay_durable_replace (const char *path, GBytes *bytes, AssayDurableSave *save, GError **error)
{
  g_autoptr(AssaySplice) splice = assay_splice_new_for_bytes (bytes);
  return assay_durable_replace_splice (path, splice, save, error);
}

gboolean
assay_durable_replace_splice (const char *path, AssaySplice *splice, AssayDurableSave *save, GError **error)
{
  Durable self = { .path = path, .splice = splice, .error = error, .held = -1 };
  const gboolean backup = save != NULL && save->keep_backup;
  gboolean renamed = FALSE;
  struct stat now;

  gboolean done
      = durable_prepare (&self) && durable_write_temporary (&self, save) && durable_read_back (&self, save);
  if (done && save != NULL && self.has_old)
    save->links_parted = self.old.st_nlink > 1;
  done = done && (!backup || !self.has_old || durable_keep_backup (&self));
  if (done)
    done = renamed = durable_rename (&self);
  if (!renamed)
    g_unlink (self.temporary);
  done = done && durable_flush (&self);
  if (done && save != NULL && stat (path, &now) == 0)
    save->mark = mark_from_stat (&now);
  durable_let_go (self.held);
  g_free (self.folder);
  g_free (self.temporary);
  return done;
}

gboolean
assay_durable_make_folder (const char *path, GError **error)
{
  g_autofree char *parent = g_path_get_dirname (path);

  if (g_mkdir (path, 0777) == 0)
    {
      if (assay_durable_flush_folder (parent))
        return TRUE;
    }
  else if (errno == EEXIST && g_file_test (path, G_FILE_TEST_IS_DIR))
    return TRUE;
  const int saved = errno;
  g_set_error (error, ASSAY_LEDGER_ERROR,
               saved == EACCES || saved == EROFS ? ASSAY_LEDGER_ERROR_READ_ONLY : ASSAY_LEDGER_ERROR_SAVE,
               _("The folder %s could not be made: %s"), path, g_strerror (saved));
  return FALSE;
}

void
assay_durable_sweep (const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *prefix = durable_dup_prefix (path);
  g_autoptr(GDir) dir = g_dir_open (folder, 0, NULL);

  for (const char *name; dir != NULL && (name = g_dir_read_name (dir)) != NULL;)
    if (g_str_has_prefix (name, prefix))
      {
        g_autofree char *left = g_build_filename (folder, name, NULL);
        g_unlink (left);
      }
}
