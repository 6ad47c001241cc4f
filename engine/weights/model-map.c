/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/model-map.c: the tensors' data, by memory map.
 *
 * The file is opened by its path again, so that a replaced one is noticed; from then on the descriptor holds
 * on to that very file. */
#include "model-private.h"
#include "bus-guard.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static gboolean
map_is_same (const ModelPart *part, const struct stat *st)
{
  const PartIdentity *known = &part->identity;
  const gint64 mtime_ns = (gint64) st->st_mtim.tv_sec * G_GINT64_CONSTANT (1000000000) + st->st_mtim.tv_nsec;
  return st->st_dev == known->device && st->st_ino == known->inode && (guint64) st->st_size == known->size
         && mtime_ns == known->mtime_ns;
}

static gboolean
map_set_changed (const ModelPart *part, GError **error)
{
  assay_engine_error_set (error, ASSAY_ENGINE_ERROR_CHANGED, "file-changed", part->path, NULL, -1,
                          "the file changed after it was looked at; run again");
  return FALSE;
}

static gboolean
map_set_io_error (const ModelPart *part, const char *what, GError **error)
{
  const int code = errno;
  g_autofree char *shown = g_filename_display_name (part->path);
  g_set_error (error, G_IO_ERROR, g_io_error_from_errno (code), "%s: %s: %s", shown, what, g_strerror (code));
  return FALSE;
}

/* Address space is memory too: a limit on it, or a machine that has no more, is the host's shortage and no
 * fault of the file. */
static gboolean
map_set_failed (const ModelPart *part, GError **error)
{
  if (errno != ENOMEM)
    return map_set_io_error (part, "cannot be mapped", error);
  assay_engine_error_set (error, ASSAY_ENGINE_ERROR_OOM_HOST, "no-host-memory", part->path, NULL, -1,
                          "no address space for its %" PRIu64
                          " bytes; raise the limit (ulimit -v) or choose a smaller model",
                          part->size);
  if (error != NULL)
    assay_engine_error_set_request (*error, part->size);
  return FALSE;
}

static void
map_close_part (ModelPart *part)
{
  if (part->region != NULL)
    assay_bus_guard_remove (g_steal_pointer (&part->region));
  if (part->map != NULL)
    munmap (g_steal_pointer (&part->map), part->size);
  if (part->fd >= 0)
    close (part->fd);
  part->fd = -1;
}

/* Size and time can be forged; the metadata is at hand, so it is compared. */
static gboolean
map_check_metadata (const ModelPart *part, GError **error)
{
  const gboolean same = memcmp (part->map, part->metadata, part->metadata_bytes) == 0;
  return (same && !assay_bus_guard_was_hit (part->region)) || map_set_changed (part, error);
}

static gboolean
map_open_part (ModelPart *part, GError **error)
{
  struct stat st;
  part->fd = open (part->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (part->fd < 0 || fstat (part->fd, &st) != 0)
    return map_set_io_error (part, "cannot be opened again", error);
  if (!map_is_same (part, &st))
    return map_set_changed (part, error);
  void *map = mmap (NULL, part->size, PROT_READ, MAP_SHARED, part->fd, 0);
  if (map == MAP_FAILED)
    return map_set_failed (part, error);
  part->map = map;
  part->region = assay_bus_guard_add (map, part->size);
  return map_check_metadata (part, error);
}

static void
map_close_all (AssayModelFile *self)
{
  for (guint i = 0; i < self->parts->len; i++)
    map_close_part (g_ptr_array_index (self->parts, i));
  self->mapped_bytes = 0;
}

gboolean
assay_model_file_map (AssayModelFile *self, GError **error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  if (self->mapped_bytes > 0)
    return TRUE;
  for (guint i = 0; i < self->parts->len; i++)
    {
      ModelPart *part = g_ptr_array_index (self->parts, i);
      if (!part->lent && !map_open_part (part, error))
        {
          map_close_all (self);
          return FALSE;
        }
      self->mapped_bytes += part->size;
    }
  return TRUE;
}

void
assay_model_file_unmap (AssayModelFile *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  map_close_all (self);
}

static const guint8 *
map_at (AssayModelFile *self, guint i, guint64 offset)
{
  const ModelPart *part = g_ptr_array_index (self->parts, i);
  const guint8 *start = part->lent ? part->metadata : part->map;
  g_return_val_if_fail (start != NULL, NULL);
  return start + offset;
}

const void *
assay_model_file_get_data (AssayModelFile *self, const AssayTensorInfo *tensor)
{
  g_return_val_if_fail (tensor->assembled == 0, NULL);
  return map_at (self, tensor->part, tensor->offset);
}

const guint8 *
assay_model_file_get_place (AssayModelFile *self, const TensorPlace *place)
{
  return map_at (self, place->part, place->offset);
}

static gboolean
map_part_changed (const ModelPart *part)
{
  struct stat st;
  if (part->lent)
    return FALSE;
  if (part->region != NULL && assay_bus_guard_was_hit (part->region))
    return TRUE;
  const int result = part->fd >= 0 ? fstat (part->fd, &st) : stat (part->path, &st);
  return result != 0 || !map_is_same (part, &st);
}

gboolean
assay_model_file_is_changed (AssayModelFile *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  for (guint i = 0; i < self->parts->len; i++)
    if (map_part_changed (g_ptr_array_index (self->parts, i)))
      return TRUE;
  return FALSE;
}

guint64
assay_model_file_get_mapped_bytes (AssayModelFile *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  return self->mapped_bytes;
}

/* For a file that is neither this user's nor writable the kernel answers "present" for every page, which
 * is worth nothing. */
static gboolean
map_may_count (const ModelPart *part)
{
  struct stat st;
  return fstat (part->fd, &st) == 0 && (st.st_uid == geteuid () || access (part->path, W_OK) == 0);
}

/* Pages are counted without touching them. */
static gboolean
map_count_cached (const ModelPart *part, guint64 *present, guint64 *pages)
{
  const guint64 page_bytes = (guint64) sysconf (_SC_PAGESIZE);
  const guint64 n = (part->size + page_bytes - 1) / page_bytes;
  if (part->map == NULL || !map_may_count (part))
    return FALSE;
  g_autofree guchar *resident = g_try_malloc (n);
  if (resident == NULL || mincore (part->map, part->size, resident) != 0)
    return FALSE;
  for (guint64 i = 0; i < n; i++)
    *present += resident[i] & 1;
  *pages += n;
  return TRUE;
}

double
assay_model_file_get_cached_share (AssayModelFile *self)
{
  guint64 present = 0, pages = 0;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  for (guint i = 0; i < self->parts->len; i++)
    if (!map_count_cached (g_ptr_array_index (self->parts, i), &present, &pages))
      return -1;
  return pages > 0 ? (double) present / (double) pages : -1;
}
