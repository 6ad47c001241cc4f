/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/assay-output-file.c: see the header. */
#include "assay-output-file.h"

#include "assay-durable.h"
#include "assay-hidden-name.h"
#include "assay-values.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { PIECE = 8 << 20 };

struct _AssayOutputFile
{
  char *path; /* links resolved */
  char *folder;
  char *hidden; /* NULL once it has its name */
  gboolean overwrite;
  guint64 total, written;
  int fd;
};

static gboolean
output_fail (AssayOutputFile *self, const char *what, GError **error)
{
  const int code = errno;
  struct statvfs fs;
  g_autofree char *shown = g_filename_display_name (self->path);
  g_autofree char *needed = assay_format_bytes (self->total), *left = NULL;
  if (code == ENOSPC && statvfs (self->folder, &fs) == 0)
    left = assay_format_bytes ((guint64) fs.f_bavail * fs.f_frsize);
  g_set_error (error, G_IO_ERROR, g_io_error_from_errno (code),
               _("%s: %s: %s (needed there: %s%s%s); choose another place"), shown, what, g_strerror (code),
               needed, left != NULL ? ", free: " : "", left != NULL ? left : "");
  return FALSE;
}

static gboolean
output_refuse (AssayOutputFile *self, const char *reason, const char *message, GError **error)
{
  assay_engine_error_set (error, ASSAY_ENGINE_ERROR_RULE, reason, self->path, NULL, -1, "%s", message);
  return FALSE;
}

static gboolean
output_refuse_existing (AssayOutputFile *self, GError **error)
{
  return output_refuse (self, "output-exists",
                        "is there already; choose another name, or ask to replace it (--force)", error);
}

static gboolean
output_is_input (const struct stat *st, AssayModelFile *input)
{
  struct stat other;
  for (guint i = 0; i < assay_model_file_get_n_parts (input); i++)
    if (stat (assay_model_file_get_part_path (input, i), &other) == 0 && other.st_dev == st->st_dev
        && other.st_ino == st->st_ino)
      return TRUE;
  return FALSE;
}

static gboolean
output_check_place (AssayOutputFile *self, AssayModelFile *input, GError **error)
{
  struct stat st;
  if (stat (self->path, &st) != 0)
    return errno == ENOENT || output_fail (self, "cannot be looked at", error);
  if (input != NULL && output_is_input (&st, input))
    return output_refuse (self, "output-is-input", "is the model that is read; choose another name", error);
  if (!S_ISREG (st.st_mode))
    return output_refuse (self, "output-no-file", "is there and no plain file; choose another name", error);
  if (!self->overwrite)
    return output_refuse_existing (self, error);
  return access (self->path, W_OK) == 0 || output_fail (self, "cannot be replaced", error);
}

/* A file system that cannot reserve writes all the same. */
static gboolean
output_reserve (AssayOutputFile *self, GError **error)
{
  if (self->total == 0 || fallocate (self->fd, FALLOC_FL_KEEP_SIZE, 0, (off_t) self->total) == 0)
    return TRUE;
  return (errno != ENOSPC && errno != EDQUOT && errno != EFBIG) || output_fail (self, "no room", error);
}

AssayOutputFile *
assay_output_file_new (const char *path, guint64 total, gboolean overwrite, AssayModelFile *input,
                       GError **error)
{
  g_autoptr (AssayOutputFile) self = g_new0 (AssayOutputFile, 1);
  self->fd = -1;
  self->path = assay_durable_dup_target (path);
  self->folder = g_path_get_dirname (self->path);
  self->overwrite = overwrite;
  self->total = total;
  if (!output_check_place (self, input, error))
    return NULL;
  assay_hidden_name_sweep (self->folder);
  g_autofree char *hidden = assay_hidden_name_new (self->path);
  self->fd = g_open (hidden, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (self->fd < 0)
    {
      output_fail (self, "no file can be made", error);
      return NULL;
    }
  assay_hidden_name_hold (self->fd);
  self->hidden = g_steal_pointer (&hidden);
  return output_reserve (self, error) ? g_steal_pointer (&self) : NULL;
}

void
assay_output_file_free (AssayOutputFile *self)
{
  if (self == NULL)
    return;
  if (self->fd >= 0)
    close (self->fd);
  if (self->hidden != NULL)
    g_unlink (self->hidden);
  g_free (self->hidden);
  g_free (self->folder);
  g_free (self->path);
  g_free (self);
}

const char *
assay_output_file_get_path (AssayOutputFile *self)
{
  return self->path;
}

const char *
assay_output_file_get_hidden_path (AssayOutputFile *self)
{
  return self->hidden;
}

guint64
assay_output_file_get_written (AssayOutputFile *self)
{
  return self->written;
}

gboolean
assay_output_file_write_at (AssayOutputFile *self, guint64 offset, const void *data, gsize bytes,
                            GError **error)
{
  for (const guint8 *at = data; bytes > 0;)
    {
      const ssize_t n = pwrite (self->fd, at, MIN (bytes, (gsize) PIECE), (off_t) offset);
      if (n < 0 && errno == EINTR)
        continue;
      if (n == 0)
        errno = EIO;
      if (n <= 0)
        return output_fail (self, "writing failed", error);
      at += n;
      offset += (guint64) n;
      bytes -= (gsize) n;
      self->written += (guint64) n;
    }
  return TRUE;
}

gboolean
assay_output_file_write (AssayOutputFile *self, const void *data, gsize bytes, GError **error)
{
  return assay_output_file_write_at (self, self->written, data, bytes, error);
}

gboolean
assay_output_file_flush (AssayOutputFile *self, GError **error)
{
  return fsync (self->fd) == 0 || output_fail (self, "the disk did not take it", error);
}

/* Without leave to replace, the kernel itself refuses a file that came up meanwhile; file systems that cannot
 * promise this are asked once more just before. */
static gboolean
output_rename (AssayOutputFile *self, GError **error)
{
  if (self->overwrite)
    return g_rename (self->hidden, self->path) == 0 || output_fail (self, "renaming failed", error);
  if (renameat2 (AT_FDCWD, self->hidden, AT_FDCWD, self->path, RENAME_NOREPLACE) == 0)
    return TRUE;
  if (errno == EEXIST)
    return output_refuse_existing (self, error);
  if (errno != EINVAL && errno != ENOSYS)
    return output_fail (self, "renaming failed", error);
  return output_check_place (self, NULL, error)
         && (g_rename (self->hidden, self->path) == 0 || output_fail (self, "renaming failed", error));
}

gboolean
assay_output_file_finish (AssayOutputFile *self, GError **error)
{
  if (!assay_output_file_flush (self, error) || !output_rename (self, error))
    return FALSE;
  g_clear_pointer (&self->hidden, g_free);
  const int fd = g_steal_fd (&self->fd);
  if (close (fd) != 0 && errno != EINTR)
    return output_fail (self, "closing failed", error);
  return assay_durable_flush_folder (self->folder)
         || output_fail (self, "is written, but its folder did not reach the disk", error);
}
