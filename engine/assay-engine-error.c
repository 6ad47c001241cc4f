/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/assay-engine-error.c: engine errors carry their reason code, field and offset as extended GError
 * data, so that the record can hold them apart from the sentence. */
#include "assay-engine-error.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

typedef struct
{
  char *reason;
  char *field;
  gint64 offset;
  guint64 request;
} AssayEngineErrorPrivate;

static void
assay_engine_error_private_init (AssayEngineErrorPrivate *priv)
{
  priv->offset = -1;
}

static void
assay_engine_error_private_copy (const AssayEngineErrorPrivate *src, AssayEngineErrorPrivate *dest)
{
  *dest = (AssayEngineErrorPrivate) {
    .reason = g_strdup (src->reason),
    .field = g_strdup (src->field),
    .offset = src->offset,
    .request = src->request,
  };
}

static void
assay_engine_error_private_clear (AssayEngineErrorPrivate *priv)
{
  g_free (priv->reason);
  g_free (priv->field);
}

G_DEFINE_EXTENDED_ERROR (AssayEngineError, assay_engine_error)

void
assay_engine_error_set (GError **error, AssayEngineError code, const char *reason, const char *file,
                        const char *field, gint64 offset, const char *format, ...)
{
  if (error == NULL)
    return;
  g_return_if_fail (*error == NULL);

  g_autoptr (GString) message = g_string_new (NULL);
  g_autofree char *shown = file != NULL ? g_filename_display_name (file) : NULL; /* a path may be any bytes */
  if (shown != NULL)
    g_string_append_printf (message, "%s: ", shown);
  if (field != NULL)
    g_string_append_printf (message, "%s: ", field);
  va_list args;
  va_start (args, format);
  g_string_append_vprintf (message, _(format), args);
  va_end (args);
  if (offset >= 0)
    g_string_append_printf (message, " (at byte %" PRId64 ")", offset);

  *error = g_error_new_literal (ASSAY_ENGINE_ERROR, code, message->str);
  AssayEngineErrorPrivate *priv = assay_engine_error_get_private (*error);
  priv->reason = g_strdup (reason);
  priv->field = g_strdup (field);
  priv->offset = offset;
}

static const AssayEngineErrorPrivate *
engine_error_lookup (const GError *error)
{
  if (error == NULL || error->domain != ASSAY_ENGINE_ERROR)
    return NULL;
  return assay_engine_error_get_private (error);
}

const char *
assay_engine_error_get_reason (const GError *error)
{
  const AssayEngineErrorPrivate *priv = engine_error_lookup (error);
  return priv != NULL && priv->reason != NULL ? priv->reason : "";
}

const char *
assay_engine_error_get_field (const GError *error)
{
  const AssayEngineErrorPrivate *priv = engine_error_lookup (error);
  return priv != NULL ? priv->field : NULL;
}

gint64
assay_engine_error_get_offset (const GError *error)
{
  const AssayEngineErrorPrivate *priv = engine_error_lookup (error);
  return priv != NULL ? priv->offset : -1;
}

guint64
assay_engine_error_get_request (const GError *error)
{
  const AssayEngineErrorPrivate *priv = engine_error_lookup (error);
  return priv != NULL ? priv->request : 0;
}

void
assay_engine_error_set_request (GError *error, guint64 bytes)
{
  g_return_if_fail (error != NULL && error->domain == ASSAY_ENGINE_ERROR);
  assay_engine_error_get_private (error)->request = bytes;
}

void
assay_engine_error_set_field (GError *error, const char *field)
{
  g_return_if_fail (error != NULL && error->domain == ASSAY_ENGINE_ERROR);
  AssayEngineErrorPrivate *priv = assay_engine_error_get_private (error);
  g_free (priv->field);
  priv->field = g_strdup (field);
}

char *
assay_engine_escape (const char *bytes, gsize length)
{
  enum { SHOWN = 200 };
  GString *out = g_string_new (NULL);
  const char *end = length > 0 ? bytes + length : bytes; /* NULL: no bytes */
  for (const char *p = bytes; p < end && out->len < SHOWN;)
    {
      const gunichar c = g_utf8_get_char_validated (p, end - p);
      const gboolean readable = c != (gunichar) -1 && c != (gunichar) -2 && c != 0 && g_unichar_isprint (c)
                                && g_unichar_type (c) != G_UNICODE_FORMAT; /* no bidi overrides */
      if (readable)
        {
          g_string_append_unichar (out, c);
          p = g_utf8_next_char (p);
        }
      else
        g_string_append_printf (out, "\\x%02X", (guint8) *p++);
    }
  if (out->len >= SHOWN)
    g_string_append (out, "…");
  return g_string_free (out, FALSE);
}
