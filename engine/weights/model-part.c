/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/model-part.c: one file of a model: opened without risk, its beginning read into private
 * memory. */
#include "model-private.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 4 << 20 };

ModelPart *
assay_model_part_new (const char *path, guint64 size)
{
  ModelPart *self = g_new0 (ModelPart, 1);
  self->path = g_strdup (path);
  self->size = size;
  self->fd = -1;
  self->notices = g_ptr_array_new_with_free_func (g_free);
  return self;
}

void
assay_model_part_free (ModelPart *self)
{
  if (self == NULL)
    return;
  assay_name_table_free (self->keys);
  assay_name_table_free (self->names);
  g_clear_pointer (&self->values, g_array_unref);
  g_clear_pointer (&self->string_at, g_array_unref);
  g_clear_pointer (&self->tensors, g_array_unref);
  g_clear_pointer (&self->name_at, g_array_unref);
  g_ptr_array_unref (self->notices);
  if (!self->lent)
    g_free (self->metadata);
  g_free (self->path);
  g_free (self);
}

void
assay_model_part_notice (ModelPart *self, const char *format, ...)
{
  if (self->n_notices++ >= MODEL_NOTICES_MAX)
    return;
  va_list args;
  va_start (args, format);
  g_ptr_array_add (self->notices, g_strdup_vprintf (_(format), args));
  va_end (args);
}

/* Everything that could block or act when opened is refused before it is: pipes, devices, sockets. */
static gboolean
part_check_is_file (const char *path, const struct stat *st, GError **error)
{
  if (S_ISREG (st->st_mode))
    return TRUE;
  const char *kind = S_ISDIR (st->st_mode) ? "a folder" : S_ISFIFO (st->st_mode) ? "a pipe"
                     : S_ISSOCK (st->st_mode) ? "a socket" : "a device";
  assay_engine_error_set (error, ASSAY_ENGINE_ERROR_FORMAT, "not-a-file", path, NULL, -1,
                          "this is %s; choose a model file", kind);
  return FALSE;
}

static gboolean
part_set_io_error (const char *path, GError **error)
{
  const int code = errno;
  g_autofree char *shown = g_filename_display_name (path);
  g_set_error (error, G_IO_ERROR, g_io_error_from_errno (code), _("%s: cannot be opened: %s"), shown,
               g_strerror (code));
  return FALSE;
}

static gboolean
part_open_file (const char *path, const char *place, gint *fd, struct stat *st, GError **error)
{
  const int no_link = place != NULL ? O_NOFOLLOW : 0;
  if (stat (path, st) != 0)
    return part_set_io_error (path, error);
  if (!part_check_is_file (path, st, error))
    return FALSE;
  /* it may have become a pipe since */
  *fd = open (place != NULL ? place : path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | no_link);
  if (*fd < 0)
    return part_set_io_error (path, error);
  if (fstat (*fd, st) == 0 && part_check_is_file (path, st, error))
    return TRUE;
  if (error != NULL && *error == NULL)
    part_set_io_error (path, error);
  close (*fd);
  return FALSE;
}

ModelPart *
assay_model_part_open (const char *path, const char *place, gint *fd, GError **error)
{
  struct stat st;
  if (!part_open_file (path, place, fd, &st, error))
    return NULL;
  ModelPart *self = assay_model_part_new (path, (guint64) st.st_size);
  self->identity = (PartIdentity) {
    .device = st.st_dev, .inode = st.st_ino, .size = (guint64) st.st_size,
    .mtime_ns = (gint64) st.st_mtim.tv_sec * G_GINT64_CONSTANT (1000000000) + st.st_mtim.tv_nsec,
  };
  return self;
}

static gboolean
part_set_shrunk (const ModelPart *self, GError **error)
{
  assay_engine_error_set (error, ASSAY_ENGINE_ERROR_FORMAT, "file-changed", self->path, NULL,
                          (gint64) self->metadata_bytes,
                          "the file became shorter while it was read; run again");
  return FALSE;
}

static gboolean
part_read_piece (ModelPart *self, gint fd, gsize end, GError **error)
{
  const gsize piece = MIN (end - self->metadata_bytes, (gsize) PIECE);
  const ssize_t got = pread (fd, self->metadata + self->metadata_bytes, piece, (off_t) self->metadata_bytes);
  if (got == 0)
    return part_set_shrunk (self, error);
  if (got < 0 && errno != EINTR)
    {
      g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno), _("%s: cannot be read at byte %zu: %s"),
                   self->path, self->metadata_bytes, g_strerror (errno));
      return FALSE;
    }
  self->metadata_bytes += (gsize) MAX (got, 0);
  return TRUE;
}

gboolean
assay_model_part_read (ModelPart *self, gint fd, gsize bytes, GCancellable *cancellable, GError **error)
{
  if (bytes <= self->metadata_bytes)
    return TRUE;
  guint8 *grown = g_try_realloc (self->metadata, bytes);
  if (grown == NULL)
    {
      assay_engine_error_set (error, ASSAY_ENGINE_ERROR_OOM_HOST, "no-host-memory", self->path, NULL, -1,
                              "no memory for %zu bytes of metadata", bytes);
      return FALSE;
    }
  self->metadata = grown;
  while (self->metadata_bytes < bytes)
    if (g_cancellable_set_error_if_cancelled (cancellable, error)
        || !part_read_piece (self, fd, bytes, error))
      return FALSE;
  return TRUE;
}
