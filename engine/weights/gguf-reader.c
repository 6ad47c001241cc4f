/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/gguf-reader.c: the cursor over a file's metadata.
 *
 * Bytes are read in pieces of at least 256 KiB and at most as much again as is there already, so that the
 * memory held follows what was parsed, never what the file promises. */
#include "gguf-private.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

enum { FIRST_READ = 256 << 10 };

gboolean
assay_gguf_fail (const GgufReader *r, const char *reason, guint64 at, GError **error, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *message = g_strdup_vprintf (_(format), args);
  va_end (args);

  g_autofree char *field = NULL;
  if (r->what != NULL && r->name_length > 0)
    {
      g_autofree char *name = assay_engine_escape ((char *) r->part->metadata + r->name_at, r->name_length);
      field = g_strdup_printf ("%s %" PRIu64 " '%s'", r->what, r->index, name);
    }
  else if (r->what != NULL)
    field = g_strdup_printf ("%s %" PRIu64, r->what, r->index);

  assay_engine_error_set (error, ASSAY_ENGINE_ERROR_FORMAT, reason, r->part->path, field,
                          (gint64) MIN (at, (guint64) G_MAXINT64), "%s", message);
  return FALSE;
}

guint64
assay_gguf_left (const GgufReader *r)
{
  return r->part->size - r->at;
}

gboolean
assay_gguf_poll (const GgufReader *r, guint64 i, GError **error)
{
  return i % 4096 != 0 || !g_cancellable_set_error_if_cancelled (r->cancellable, error);
}

static gboolean
gguf_grow (GgufReader *r, guint64 end, GError **error)
{
  ModelPart *part = r->part;
  const guint64 wanted = MAX (MAX (end, (guint64) FIRST_READ), (guint64) part->metadata_bytes * 2);
  const gsize capacity = (gsize) MIN (MIN (wanted, part->size), GGUF_METADATA_MAX);
  return assay_model_part_read (part, r->fd, capacity, r->cancellable, error);
}

gboolean
assay_gguf_need (GgufReader *r, guint64 bytes, GError **error)
{
  if (bytes > assay_gguf_left (r))
    return assay_gguf_fail (r, "gguf-truncated", r->at, error,
                            "needs %" PRIu64 " more bytes, the file has %" PRIu64
                            " left; it is cut short or damaged: fetch it again",
                            bytes, assay_gguf_left (r));
  const guint64 end = r->at + bytes; /* at most the file's size */
  if (end > GGUF_METADATA_MAX)
    return assay_gguf_fail (r, "gguf-metadata-too-large", r->at, error,
                            "metadata of more than %" PRIu64 " bytes", GGUF_METADATA_MAX);
  return end <= r->part->metadata_bytes || gguf_grow (r, end, error);
}

gboolean
assay_gguf_skip (GgufReader *r, guint64 bytes, GError **error)
{
  if (!assay_gguf_need (r, bytes, error))
    return FALSE;
  r->at += bytes;
  return TRUE;
}

gboolean
assay_gguf_read_u32 (GgufReader *r, guint32 *out, GError **error)
{
  if (!assay_gguf_need (r, sizeof *out, error))
    return FALSE;
  memcpy (out, r->part->metadata + r->at, sizeof *out);
  *out = GUINT32_FROM_LE (*out);
  r->at += sizeof *out;
  return TRUE;
}

gboolean
assay_gguf_read_u64 (GgufReader *r, guint64 *out, GError **error)
{
  if (!assay_gguf_need (r, sizeof *out, error))
    return FALSE;
  memcpy (out, r->part->metadata + r->at, sizeof *out);
  *out = GUINT64_FROM_LE (*out);
  r->at += sizeof *out;
  return TRUE;
}

gboolean
assay_gguf_read_string (GgufReader *r, guint32 limit, guint32 *at, guint32 *length, GError **error)
{
  const guint64 start = r->at;
  guint64 n;
  if (!assay_gguf_read_u64 (r, &n, error))
    return FALSE;
  if (n > assay_gguf_left (r))
    return assay_gguf_fail (r, "gguf-string-length", start, error,
                            "a string of %" PRIu64 " bytes, but the file has %" PRIu64
                            " left; it is cut short or damaged: fetch it again",
                            n, assay_gguf_left (r));
  if (n > limit)
    return assay_gguf_fail (r, "gguf-string-length", start, error,
                            "a string of %" PRIu64 " bytes; at most %u are allowed here", n, limit);
  *at = (guint32) r->at;
  *length = (guint32) n;
  return assay_gguf_skip (r, n, error);
}
