/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-text-code.c: one pass over the bytes, a character at a time. */
#include "assay-text-code.h"

#include <string.h>

#define TEXT_LINE_MAX 2000u /* bytes of XML in a line before it is broken; files promise 4 KiB */

/* Length of the character at p that XML can carry; 0 when the byte at p begins none. */
static gsize
text_char_length (const char *p, gsize left)
{
  const guchar first = (guchar) *p;

  if (first < 0x80)
    return first >= 0x20 || first == '\t' || first == '\n' || first == '\r' ? 1 : 0;
  const gunichar c = g_utf8_get_char_validated (p, (gssize) left);
  if (c == (gunichar) -1 || c == (gunichar) -2 || c == 0xfffe || c == 0xffff)
    return 0;
  return (gsize) g_utf8_skip[first];
}

/* What stands for a character in XML, or NULL when it stands for itself. */
static const char *
text_reference (char c, AssayTextPlace place)
{
  switch (c)
    {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '\r': return "&#13;"; /* a bare one would come back as a line feed */
    case '"': return place == ASSAY_TEXT_ATTRIBUTE ? "&quot;" : NULL;
    case '\t': return place == ASSAY_TEXT_ATTRIBUTE ? "&#9;" : NULL;
    case '\n': return place == ASSAY_TEXT_ATTRIBUTE ? "&#10;" : NULL;
    default: return NULL;
    }
}

gboolean
assay_text_needs_escape (const char *bytes, gsize length)
{
  gsize column = 0;

  for (gsize i = 0; i < length;)
    {
      const gsize n = text_char_length (bytes + i, length - i);
      if (n == 0)
        return TRUE;
      const char *reference = text_reference (bytes[i], ASSAY_TEXT_ATTRIBUTE);
      column = bytes[i] == '\n' ? 0 : column + (reference == NULL ? n : strlen (reference));
      if (column > TEXT_LINE_MAX)
        return TRUE;
      i += n;
    }
  return FALSE;
}

static void
text_append_escaped_char (GString *xml, const char *p, gsize n)
{
  if (n == 0)
    g_string_append_printf (xml, "\\x%02x", (guchar) *p);
  else if (*p == '\\')
    g_string_append (xml, "\\\\");
  else
    g_string_append_len (xml, p, (gssize) n);
}

void
assay_text_append (GString *xml, const char *bytes, gsize length, AssayTextPlace place, gboolean escaped)
{
  gsize line = xml->len;

  for (gsize i = 0; i < length;)
    {
      const gsize n = text_char_length (bytes + i, length - i);
      const char *reference = n == 1 ? text_reference (bytes[i], place) : NULL;

      if (escaped && xml->len - line > TEXT_LINE_MAX)
        {
          g_string_append (xml, "\\\n");
          line = xml->len;
        }
      if (reference != NULL)
        g_string_append (xml, reference);
      else if (escaped)
        text_append_escaped_char (xml, bytes + i, n);
      else
        g_string_append_len (xml, bytes + i, (gssize) n);
      if (place == ASSAY_TEXT_ELEMENT && bytes[i] == '\n')
        line = xml->len;
      i += MAX (n, 1);
    }
}

char *
assay_text_unescape (const char *text, gsize length, gsize *out_length)
{
  GString *out = g_string_sized_new (length);

  for (gsize i = 0; i < length; i++)
    {
      if (text[i] != '\\' || i + 1 >= length)
        g_string_append_c (out, text[i]);
      else if (text[i + 1] == '\\')
        {
          g_string_append_c (out, '\\');
          i++;
        }
      else if (text[i + 1] == '\n' || text[i + 1] == ' ') /* in an attribute the line end reads as a blank */
        i++;
      else if (text[i + 1] == 'x' && i + 3 < length && g_ascii_isxdigit (text[i + 2])
               && g_ascii_isxdigit (text[i + 3]))
        {
          g_string_append_c (
              out, (char)(g_ascii_xdigit_value (text[i + 2]) * 16 + g_ascii_xdigit_value (text[i + 3])));
          i += 3;
        }
      else
        g_string_append_c (out, '\\');
    }
  if (out_length != NULL)
    *out_length = out->len;
  return g_string_free (out, FALSE);
}
