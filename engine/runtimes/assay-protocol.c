/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/runtimes/assay-protocol.c: lines, escapes and sizes; see assay-protocol.h. */
#include "assay-protocol.h"

#include <math.h>
#include <string.h>

#define MOST_KEY 40

static const char escaped[] = "\n\r\t\\", letters[] = "nrt\\";

char *
assay_protocol_escape (const char *text)
{
  GString *out = g_string_new (NULL);
  for (const char *p = text; *p != '\0'; p++)
    {
      const char *at = strchr (escaped, *p);
      if (at != NULL)
        g_string_append_printf (out, "\\%c", letters[at - escaped]);
      else
        g_string_append_c (out, *p);
    }
  return g_string_free (out, FALSE);
}

char *
assay_protocol_unescape (const char *value, gsize length, gsize *out_length)
{
  GString *out = g_string_sized_new (length + 1);
  for (gsize i = 0; i < length; i++)
    {
      const char *at = value[i] == '\\' && i + 1 < length && value[i + 1] != '\0' ? strchr (letters, value[i + 1]) : NULL;
      g_string_append_c (out, at != NULL ? escaped[at - letters] : value[i]);
      i += at != NULL;
    }
  *out_length = out->len;
  return g_string_free (out, FALSE);
}

gboolean
assay_protocol_split (const char *line, gsize length, char key[41], const char **value, gsize *value_length)
{
  gsize n = 0;
  while (n < length && n < MOST_KEY && (g_ascii_islower (line[n]) || g_ascii_isdigit (line[n]) || line[n] == '_'))
    n++;
  if (n == 0 || n >= length || line[n] != ':')
    return FALSE;
  memcpy (key, line, n);
  key[n] = '\0';
  const gsize start = n + 1 + (n + 1 < length && line[n + 1] == ' '); /* one blank is the form's, more are the text's */
  *value = line + start;
  *value_length = length - start;
  return TRUE;
}

gboolean
assay_protocol_parse_bytes (const char *text, gint64 *bytes)
{
  static const struct
  {
    const char *unit;
    double factor;
  } units[] = { { "", 1 },         { "B", 1 },           { "bytes", 1 },           { "KiB", 1024.0 },
                { "MiB", 0x1p20 }, { "GiB", 0x1p30 }, { "TiB", 0x1p40 } };
  char *end;
  if (!g_ascii_isdigit (*text))
    return FALSE;
  const gsize whole = strspn (text, "0123456789");
  const gsize decimals = text[whole] == '.' ? strspn (text + whole + 1, "0123456789") : 0;
  const double number = g_ascii_strtod (text, &end);
  if (end != text + whole + (decimals > 0 ? decimals + 1 : 0)) /* no exponent, no hexadecimal */
    return FALSE;
  end += strspn (end, " ");
  for (guint i = 0; i < G_N_ELEMENTS (units); i++)
    if (g_str_equal (end, units[i].unit) && number * units[i].factor < 0x1p63 && (i > 2 || decimals == 0))
      {
        *bytes = i <= 2 ? g_ascii_strtoll (text, NULL, 10) : (gint64) llround (number * units[i].factor);
        return TRUE;
      }
  return FALSE;
}
