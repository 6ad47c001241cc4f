/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-series-text.c: columns of samples as text; see assay-series-private.h. */
#include <string.h>

#include "assay-series-private.h"

static const char *const column_names[ASSAY_SAMPLE_N_COLUMNS] = {
  "t_ns", "weights", "kv_cache", "activations", "workspace", "staging", "output",
  "reserved", "mapped_weights", "ram_anonymous", "ram_mapped", "ram_pinned", "ram_system", "vram_device",
  "link_bytes",
};
G_STATIC_ASSERT (sizeof (AssaySample) == ASSAY_SAMPLE_N_COLUMNS * sizeof (gint64));

const char *
assay_sample_get_column_name (guint column)
{
  return column_names[column];
}

guint
assay_sample_find_column (const char *name)
{
  for (guint i = 0; i < ASSAY_SAMPLE_N_COLUMNS; i++)
    if (g_strcmp0 (name, column_names[i]) == 0)
      return i;
  return G_MAXUINT;
}

static gint64
column_get (const GArray *samples, guint i, guint column)
{
  return ((const gint64 *) &g_array_index (samples, AssaySample, i))[column];
}

static void
column_append_token (GString *out, gsize *line, const char *token, guint times)
{
  if (out->len > *line)
    {
      const gboolean full = out->len - *line > 100;
      g_string_append_c (out, full ? '\n' : ' ');
      if (full)
        *line = out->len;
    }
  g_string_append (out, token);
  if (times > 1)
    g_string_append_printf (out, "*%u", times);
}

void
assay_samples_append_column (GString *out, const GArray *samples, guint column)
{
  char token[32] = "", last[32] = "";
  gint64 before = 0;
  guint times = 0;
  gsize line = out->len;

  for (guint i = 0; i < samples->len; i++)
    {
      const gint64 value = column_get (samples, i, column);
      if (value < 0)
        g_strlcpy (token, "-", sizeof token);
      else
        {
          g_snprintf (token, sizeof token, "%" G_GINT64_FORMAT, value - before);
          before = value;
        }
      if (times > 0 && strcmp (token, last) != 0)
        {
          column_append_token (out, &line, last, times);
          times = 0;
        }
      memcpy (last, token, sizeof last);
      times++;
    }
  if (times > 0)
    column_append_token (out, &line, last, times);
}

typedef struct
{
  gboolean unknown;
  gint64 step;
  guint64 times;
} ColumnToken;

/* A whole number of ASCII digits, of which there is at least one: g_ascii_strtoull() looks at the locale for each. */
static gboolean
column_read_number (const char **p, guint64 *number)
{
  *number = 0;
  for (; g_ascii_isdigit (**p); (*p)++)
    if (__builtin_mul_overflow (*number, 10, number) || __builtin_add_overflow (*number, (guint64) (**p - '0'), number))
      return FALSE;
  return TRUE;
}

static gboolean
column_is_blank (char c)
{
  return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

/* Reads one token; FALSE at the end or where the text is none. */
static gboolean
column_next (const char **p, ColumnToken *token)
{
  guint64 number;

  while (column_is_blank (**p))
    (*p)++;
  token->unknown = **p == '-' && !g_ascii_isdigit ((*p)[1]);
  token->step = 0;
  token->times = 1;
  if (token->unknown)
    (*p)++;
  else
    {
      const gboolean down = **p == '-';
      *p += down;
      if (!g_ascii_isdigit (**p) || !column_read_number (p, &number) || number > G_MAXINT64)
        return FALSE;
      token->step = down ? -(gint64) number : (gint64) number;
    }
  if (**p == '*')
    {
      (*p)++;
      if (!g_ascii_isdigit (**p) || !column_read_number (p, &token->times))
        return FALSE;
    }
  return **p == '\0' || column_is_blank (**p);
}

static void
column_put (GArray *samples, guint i, guint column, gint64 value)
{
  if (samples != NULL)
    ((gint64 *) &g_array_index (samples, AssaySample, i))[column] = value;
}

gboolean
assay_samples_parse_column (const char *text, guint column, guint n, GArray *samples)
{
  gint64 value = 0;
  guint i = 0;
  ColumnToken token;

  while (i < n && column_next (&text, &token))
    {
      if (token.times == 0 || token.times > n - i || (column == 0 && token.unknown))
        return FALSE;
      if (column == 0 && token.step < 0)
        return FALSE;
      for (guint64 k = 0; k < token.times; k++)
        {
          if (__builtin_add_overflow (value, token.step, &value) || value < 0)
            return FALSE;
          column_put (samples, i++, column, token.unknown ? -1 : value);
        }
    }
  while (column_is_blank (*text))
    text++;
  return i == n && *text == '\0';
}
