/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/text/assay-normalize.c: Unicode's form C, for the models that were trained on it. */
#include "assay-tokenizer-private.h"

#include <string.h>

static gboolean
is_ascii (const char *text, gsize length)
{
  for (gsize i = 0; i < length; i++)
    if ((guchar)text[i] >= 0x80)
      return FALSE;
  return TRUE;
}

/* GLib stops at NUL and at what is not UTF-8: these bytes go by as they are, and nothing combines across
 * them. */
GString *
assay_text_normalize (const char *text, gsize length)
{
  if (is_ascii (text, length))
    return NULL;
  GString *out = g_string_sized_new (length);
  for (const char *p = text, *end = text + length; p < end;)
    {
      const char *bad;
      g_utf8_validate_len (p, (gsize)(end - p), &bad);
      g_autofree char *normal = g_utf8_normalize (p, bad - p, G_NORMALIZE_NFC);
      g_string_append (out, normal);
      if (bad < end)
        g_string_append_c (out, *bad++);
      p = bad;
    }
  return out;
}
