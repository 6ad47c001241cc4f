/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-canon.c: see assay-canon.h. Each part is preceded by a byte that says what it is. */
#include "assay-canon.h"

#include <string.h>

guint64
assay_canon_new (void)
{
  return G_GUINT64_CONSTANT (0xcbf29ce484222325);
}

static guint64
canon_bytes (guint64 hash, char kind, const char *bytes, gsize length)
{
  hash = (hash ^ (guchar) kind) * G_GUINT64_CONSTANT (0x100000001b3);
  for (gsize i = 0; i < length; i++)
    hash = (hash ^ (guchar) bytes[i]) * G_GUINT64_CONSTANT (0x100000001b3);
  return hash;
}

static int
canon_compare (const AssayCanonAttribute *a, const AssayCanonAttribute *b)
{
  const int by_uri = *a->uri == '\0' && *b->uri == '\0' ? 0 : strcmp (a->uri, b->uri); /* mostly */
  return by_uri != 0 ? by_uri : strcmp (a->name, b->name);
}

guint64
assay_canon_start (guint64 hash, const char *uri, const char *name, AssayCanonAttribute *attributes, guint n)
{
  hash = canon_bytes (hash, 'e', uri, strlen (uri));
  hash = canon_bytes (hash, 'n', name, strlen (name));
  for (guint i = 1; i < n; i++) /* few and mostly in order already */
    for (guint k = i; k > 0 && canon_compare (&attributes[k - 1], &attributes[k]) > 0; k--)
      {
        const AssayCanonAttribute swap = attributes[k];
        attributes[k] = attributes[k - 1];
        attributes[k - 1] = swap;
      }
  for (guint i = 0; i < n; i++)
    {
      hash = canon_bytes (hash, 'u', attributes[i].uri, strlen (attributes[i].uri));
      hash = canon_bytes (hash, 'a', attributes[i].name, strlen (attributes[i].name));
      hash = canon_bytes (hash, 'v', attributes[i].value, attributes[i].length);
    }
  return hash;
}

guint64
assay_canon_text (guint64 hash, const char *text, gsize length)
{
  return canon_bytes (hash, 't', text, length);
}

guint64
assay_canon_end (guint64 hash)
{
  return canon_bytes (hash, '/', NULL, 0);
}

char *
assay_canon_format (guint64 hash)
{
  return g_strdup_printf (ASSAY_CANON_PREFIX "%016" G_GINT64_MODIFIER "x", hash);
}

gboolean
assay_canon_parse (const char *text, guint64 *hash)
{
  if (strlen (text) != ASSAY_CANON_LENGTH || !g_str_has_prefix (text, ASSAY_CANON_PREFIX))
    return FALSE;
  return g_ascii_string_to_unsigned (text + strlen (ASSAY_CANON_PREFIX), 16, 0, G_MAXUINT64, hash, NULL);
}
