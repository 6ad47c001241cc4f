/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/gguf-part.c: one GGUF file, from its path to a checked GgufPart. */
#include "gguf-private.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define GGUF_MAGIC 0x46554747u
enum { HEADER_BYTES = 24 };

static GgufPart *
gguf_part_new (const char *path, guint64 size)
{
  GgufPart *self = g_new0 (GgufPart, 1);
  self->path = g_strdup (path);
  self->size = size;
  self->alignment = 32;
  self->fd = -1;
  self->values = g_array_new (FALSE, FALSE, sizeof (GgufValue));
  self->string_at = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->tensors = g_array_new (FALSE, FALSE, sizeof (AssayTensorInfo));
  self->name_at = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->notices = g_ptr_array_new_with_free_func (g_free);
  return self;
}

void
assay_gguf_part_free (GgufPart *self)
{
  if (self == NULL)
    return;
  assay_name_table_free (self->keys);
  assay_name_table_free (self->names);
  g_array_unref (self->values);
  g_array_unref (self->string_at);
  g_array_unref (self->tensors);
  g_clear_pointer (&self->name_at, g_array_unref);
  g_ptr_array_unref (self->notices);
  if (!self->lent)
    g_free (self->metadata);
  g_free (self->path);
  g_free (self);
}

void
assay_gguf_part_notice (GgufPart *self, const char *format, ...)
{
  if (self->n_notices++ >= GGUF_NOTICES_MAX)
    return;
  va_list args;
  va_start (args, format);
  g_ptr_array_add (self->notices, g_strdup_vprintf (format, args));
  va_end (args);
}

static gboolean
gguf_check_version (GgufReader *r, guint32 version, GError **error)
{
  if (version == 2 || version == 3)
    return TRUE;
  if (version != 0 && (version & 0xffff) == 0)
    return assay_gguf_fail (
        r, "gguf-byte-order", 4, error,
        "the file was written for machines of the other byte order; fetch the little-endian file");
  if (version > 3)
    return assay_gguf_fail (r, "gguf-version", 4, error,
                            "GGUF version %u is newer than this program, which reads 2 and 3", version);
  return assay_gguf_fail (r, "gguf-version", 4, error,
                          "GGUF version %u is too old; versions 2 and 3 are read. Convert the model again",
                          version);
}

static gboolean
gguf_check_magic (GgufReader *r, GError **error)
{
  GgufPart *part = r->part;
  const gsize length = (gsize) MIN (part->size, (guint64) 16);
  guint32 magic = 0;
  if (!assay_gguf_need (r, length, error))
    return FALSE;
  if (length >= sizeof magic)
    memcpy (&magic, part->metadata, sizeof magic);
  if (GUINT32_FROM_LE (magic) == GGUF_MAGIC)
    {
      r->at = sizeof magic;
      return TRUE;
    }
  assay_gguf_set_kind_error (part->path, part->metadata, length, part->size, error);
  return FALSE;
}

static gboolean
gguf_read_part (GgufReader *r, GError **error)
{
  GgufPart *part = r->part;
  guint64 n_tensors, n_values;
  if (!gguf_check_magic (r, error) || !assay_gguf_read_u32 (r, &part->version, error)
      || !gguf_check_version (r, part->version, error) || !assay_gguf_read_u64 (r, &n_tensors, error)
      || !assay_gguf_read_u64 (r, &n_values, error))
    return FALSE;
  const guint64 most
      = MIN (assay_gguf_left (r) / 24, (guint64) GGUF_TENSORS_MAX); /* 24: the shortest tensor info */
  if (n_tensors > most)
    return assay_gguf_fail (r, "gguf-too-many-tensors", 8, error,
                            "%" G_GUINT64_FORMAT " tensors; with %" G_GUINT64_FORMAT
                            " bytes left there can be %" G_GUINT64_FORMAT " at most",
                            n_tensors, assay_gguf_left (r), most);
  return assay_gguf_read_values (r, n_values, error) && assay_gguf_read_tensors (r, n_tensors, error)
         && assay_gguf_check_layout (r, error);
}

/* Everything that could block or act when opened is refused before it is: pipes, devices, sockets. */
static gboolean
gguf_check_is_file (const char *path, const struct stat *st, GError **error)
{
  if (S_ISREG (st->st_mode))
    return TRUE;
  const char *kind = S_ISDIR (st->st_mode) ? "a folder" : S_ISFIFO (st->st_mode) ? "a pipe"
                     : S_ISSOCK (st->st_mode) ? "a socket" : "a device";
  assay_engine_error_set (error, ASSAY_ENGINE_ERROR_FORMAT, "not-a-file", path, NULL, -1,
                          "this is %s; choose a GGUF file", kind);
  return FALSE;
}

static gboolean
gguf_set_io_error (const char *path, GError **error)
{
  const int code = errno;
  g_autofree char *shown = g_filename_display_name (path);
  g_set_error (error, G_IO_ERROR, g_io_error_from_errno (code), "%s: cannot be opened: %s", shown,
               g_strerror (code));
  return FALSE;
}

static gboolean
gguf_open_file (const char *path, gint *fd, struct stat *st, GError **error)
{
  if (stat (path, st) != 0)
    return gguf_set_io_error (path, error);
  if (!gguf_check_is_file (path, st, error))
    return FALSE;
  *fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); /* it may have become a pipe since */
  if (*fd < 0)
    return gguf_set_io_error (path, error);
  if (fstat (*fd, st) == 0 && gguf_check_is_file (path, st, error))
    return TRUE;
  if (error != NULL && *error == NULL)
    gguf_set_io_error (path, error);
  close (*fd);
  return FALSE;
}

/* The content decides what a file is; a name that says otherwise is worth a word. */
static void
gguf_note_name (GgufPart *part)
{
  static const char *const others[] = { ".safetensors", ".bin", ".pt", ".pth", ".ckpt" };
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    if (g_str_has_suffix (part->path, others[i]))
      assay_gguf_part_notice (part, "the file is GGUF, though its name ends in %s", others[i]);
}

GgufPart *
assay_gguf_part_open (const char *path, GCancellable *cancellable, GError **error)
{
  struct stat st;
  gint fd = -1;
  if (!gguf_open_file (path, &fd, &st, error))
    return NULL;

  g_autoptr (GgufPart) part = gguf_part_new (path, (guint64) st.st_size);
  part->identity = (GgufIdentity) {
    .device = st.st_dev, .inode = st.st_ino, .size = (guint64) st.st_size,
    .mtime_ns = (gint64) st.st_mtim.tv_sec * G_GINT64_CONSTANT (1000000000) + st.st_mtim.tv_nsec,
  };
  gguf_note_name (part);
  GgufReader reader = { .part = part, .fd = fd, .cancellable = cancellable };
  const gboolean ok = gguf_read_part (&reader, error);
  close (fd);
  return ok ? g_steal_pointer (&part) : NULL;
}

GgufPart *
assay_gguf_part_open_bytes (const void *data, gsize length, const char *name, GError **error)
{
  g_autoptr (GgufPart) part = gguf_part_new (name, length);
  part->lent = TRUE;
  part->metadata = (guint8 *) data;
  part->metadata_bytes = length;
  GgufReader reader = { .part = part, .fd = -1 };
  return gguf_read_part (&reader, error) ? g_steal_pointer (&part) : NULL;
}

const GgufValue *
assay_gguf_part_find (GgufPart *self, const char *key)
{
  const gint64 i = assay_name_table_find (self->keys, key, strlen (key));
  return i >= 0 ? &g_array_index (self->values, GgufValue, i) : NULL;
}

/* Sign-extended; FALSE for other kinds. is_signed tells whether negative ones can be among them. */
static gboolean
gguf_read_integer (const guint8 *at, guint type, guint64 *out, gboolean *is_signed)
{
  const guint bytes = assay_gguf_type_bytes (type);
  guint64 raw = 0;
  for (guint i = 0; i < bytes; i++)
    raw |= (guint64) at[i] << (8 * i);
  *is_signed = type == GGUF_I8 || type == GGUF_I16 || type == GGUF_I32 || type == GGUF_I64;
  if (*is_signed && bytes < 8 && (raw >> (8 * bytes - 1)) != 0)
    raw |= G_MAXUINT64 << (8 * bytes);
  *out = raw;
  return *is_signed || type == GGUF_U8 || type == GGUF_U16 || type == GGUF_U32 || type == GGUF_U64;
}

gboolean
assay_gguf_part_get_uint (GgufPart *self, const GgufValue *value, guint64 *out)
{
  gboolean is_signed;
  guint64 raw;
  if (value == NULL || !gguf_read_integer (self->metadata + value->value_at, value->type, &raw, &is_signed)
      || (is_signed && (gint64) raw < 0))
    return FALSE;
  *out = raw;
  return TRUE;
}

gboolean
assay_gguf_part_get_int (GgufPart *self, const GgufValue *value, gint64 *out)
{
  gboolean is_signed;
  guint64 raw;
  if (value == NULL || !gguf_read_integer (self->metadata + value->value_at, value->type, &raw, &is_signed)
      || (!is_signed && raw > G_MAXINT64))
    return FALSE;
  *out = (gint64) raw;
  return TRUE;
}
