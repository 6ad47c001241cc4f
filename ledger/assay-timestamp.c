/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-timestamp.c: a strict reader of RFC 3339.
 *
 * GLib's ISO 8601 reader is wider than the format (week dates, missing parts, 24:00) and takes a missing
 * offset for the local zone, which is the guess that must not be made. */
#include "assay-timestamp.h"

#include <string.h>

/* Reads exactly n digits. */
static gboolean
timestamp_digits (const char **p, guint n, gint *out)
{
  *out = 0;
  for (guint i = 0; i < n; i++, (*p)++)
    {
      if (!g_ascii_isdigit (**p))
        return FALSE;
      *out = *out * 10 + (**p - '0');
    }
  return TRUE;
}

static gboolean
timestamp_char (const char **p, const char *allowed)
{
  if (**p == '\0' || strchr (allowed, **p) == NULL)
    return FALSE;
  (*p)++;
  return TRUE;
}

static gboolean
timestamp_fraction (const char **p, gint64 *microseconds)
{
  gint64 scale = 100000;

  *microseconds = 0;
  if (**p != '.')
    return TRUE;
  (*p)++;
  if (!g_ascii_isdigit (**p))
    return FALSE;
  for (; g_ascii_isdigit (**p); (*p)++, scale /= 10)
    *microseconds += (**p - '0') * scale;
  return TRUE;
}

static gboolean
timestamp_offset (const char **p, gint *minutes)
{
  gint hour, minute;
  const gboolean west = **p == '-';

  *minutes = 0;
  if (timestamp_char (p, "Zz"))
    return TRUE;
  if (!timestamp_char (p, "+-") || !timestamp_digits (p, 2, &hour) || !timestamp_char (p, ":")
      || !timestamp_digits (p, 2, &minute) || hour > 23 || minute > 59)
    return FALSE;
  *minutes = (hour * 60 + minute) * (west ? -1 : 1);
  return TRUE;
}

AssayTimestampKind
assay_timestamp_parse (const char *text, gint64 *instant)
{
  gint year, month, day, hour, minute, second, offset;
  gint64 fraction;
  const char *p = text;

  if (!timestamp_digits (&p, 4, &year) || !timestamp_char (&p, "-") || !timestamp_digits (&p, 2, &month)
      || !timestamp_char (&p, "-") || !timestamp_digits (&p, 2, &day) || !timestamp_char (&p, "Tt ")
      || !timestamp_digits (&p, 2, &hour) || !timestamp_char (&p, ":") || !timestamp_digits (&p, 2, &minute)
      || !timestamp_char (&p, ":") || !timestamp_digits (&p, 2, &second)
      || !timestamp_fraction (&p, &fraction))
    return ASSAY_TIMESTAMP_INVALID;
  if (year < 1 || !g_date_valid_dmy (day, month, year) || hour > 23 || minute > 59 || second > 60)
    return ASSAY_TIMESTAMP_INVALID;
  if (*p == '\0')
    return ASSAY_TIMESTAMP_LOCAL;
  if (!timestamp_offset (&p, &offset) || *p != '\0')
    return ASSAY_TIMESTAMP_INVALID;

  GDate date;
  g_date_clear (&date, 1);
  g_date_set_dmy (&date, day, month, year);
  const gint64 days = (gint64) g_date_get_julian (&date) - 719163; /* day 1 is 0001-01-01 */
  *instant = (((days * 24 + hour) * 60 + minute - offset) * 60 + second) * G_USEC_PER_SEC + fraction;
  return ASSAY_TIMESTAMP_VALID;
}
