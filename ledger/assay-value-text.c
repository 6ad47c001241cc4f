/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-value-text.c: values as text, for files and for people.
 *
 * The grammar of files is narrow on purpose, so that a comma locale, a spreadsheet or a careless script is
 * noticed and never half-read: integer  -?(0|[1-9][0-9]*)           within 64 bits and the field's domain
 *   real     -?(0|[1-9][0-9]*)(\.[0-9]+)?  no exponent, no inf, no nan; seconds: at most nine decimals
 *   boolean  true|false
 * What people type is wider: units may follow. Everything here is the same in every locale. */
#include "assay-values.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "assay-ledger-error.h"
#include "assay-values-private.h"

typedef struct
{
  const char *suffix;  /* lower case */
  double factor;
} ValueUnit;

static const ValueUnit byte_units[] = {
  { "", 1 }, { "b", 1 }, { "bytes", 1 },
  { "kib", 1024.0 }, { "mib", 1048576.0 }, { "gib", 1073741824.0 }, { "tib", 1099511627776.0 },
  { "kb", 1e3 }, { "mb", 1e6 }, { "gb", 1e9 }, { "tb", 1e12 },
  { NULL, 0 },
};
static const ValueUnit second_units[] = {
  { "", 1 }, { "s", 1 }, { "sec", 1 }, { "seconds", 1 }, { "ms", 1e-3 }, { "min", 60 }, { "h", 3600 },
  { NULL, 0 },
};
static const ValueUnit millisecond_units[] = { { "", 1 }, { "ms", 1 }, { "s", 1000 }, { NULL, 0 } };

static gboolean
value_refuse (GError **error, AssayFieldId field, const char *text, const char *allowed)
{
  g_autofree char *shown = g_strndup (text, 80);
  g_autofree char *valid = g_utf8_make_valid (shown, -1);

  g_set_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_VALUE, _("%s: “%s” is not allowed; %s"),
               assay_field_get_info (field)->name, valid, allowed);
  return FALSE;
}

/* Length of -?(0|[1-9][0-9]*) at the start of text; 0 when there is none. */
static gsize
value_scan_integer (const char *text)
{
  gsize n = text[0] == '-' ? 1 : 0;

  if (text[n] == '0')
    return n + 1;
  const gsize digits = strspn (text + n, "0123456789");
  return digits == 0 ? 0 : n + digits;
}

static const char *
value_number_hint (const char *text)
{
  if (strchr (text, ',') != NULL)
    return _("a number with a decimal point is wanted (is this a decimal comma?)");
  return _("a plain decimal number is wanted, like 12 or 0.5");
}

static gboolean
value_check_domain (AssayFieldId field, const char *text, double value, GError **error)
{
  const char *domain = assay_field_get_info (field)->domain;
  const char *dots = strstr (domain, "..");

  if (dots == NULL)
    return TRUE;
  const gboolean low = dots == domain || value >= g_ascii_strtod (domain, NULL);
  const gboolean high = dots[2] == '\0' || value <= g_ascii_strtod (dots + 2, NULL);
  if (low && high)
    return TRUE;
  g_autofree char *allowed = g_strdup_printf (_("allowed is %s"), domain);
  return value_refuse (error, field, text, allowed);
}

static gboolean
value_parse_integer (AssayValues *self, AssayFieldId field, const char *text, GError **error)
{
  const gsize length = value_scan_integer (text);
  gint64 value;

  if (length == 0 || text[length] != '\0')
    return value_refuse (error, field, text,
                         strchr (text, ',') != NULL ? value_number_hint (text)
                                                    : _("a whole number in plain digits is wanted"));
  if (!g_ascii_string_to_signed (text, 10, G_MININT64, G_MAXINT64, &value, NULL))
    return value_refuse (error, field, text, _("it does not fit in 64 bits"));
  if (!value_check_domain (field, text, (double) value, error))
    return FALSE;
  assay_values_set_integer (self, field, value);
  return TRUE;
}

static gboolean
value_parse_real (AssayValues *self, AssayFieldId field, const char *text, GError **error)
{
  gsize length = value_scan_integer (text), decimals = 0;

  if (length > 0 && text[length] == '.')
    {
      decimals = strspn (text + length + 1, "0123456789");
      length = decimals == 0 ? 0 : length + 1 + decimals;
    }
  if (length == 0 || text[length] != '\0' || length > 400)
    return value_refuse (error, field, text, value_number_hint (text));
  if (decimals > 9 && assay_field_get_info (field)->unit == ASSAY_UNIT_SECONDS)
    return value_refuse (error, field, text, _("seconds have at most nine decimals"));
  const double value = g_ascii_strtod (text, NULL);
  if (!isfinite (value))
    return value_refuse (error, field, text, _("it is too large"));
  if (!value_check_domain (field, text, value, error))
    return FALSE;
  assay_values_set_real (self, field, value);
  return TRUE;
}

static gboolean
value_parse_choice (AssayValues *self, AssayFieldId field, const char *text, GError **error)
{
  const char *const *choices = assay_field_get_choices (field);

  if (!g_strv_contains (choices, text))
    {
      g_autofree char *list = g_strjoinv (", ", (char **) choices);
      g_autofree char *allowed = g_strdup_printf (_("allowed are %s"), list);
      return value_refuse (error, field, text, allowed);
    }
  assay_values_set_text (self, field, text);
  return TRUE;
}

static gboolean
value_parse_boolean (AssayValues *self, AssayFieldId field, const char *text, GError **error)
{
  const gboolean yes = g_str_equal (text, "true");

  if (!yes && !g_str_equal (text, "false"))
    return value_refuse (error, field, text, _("allowed are true and false"));
  assay_values_set_boolean (self, field, yes);
  return TRUE;
}

gboolean
assay_values_parse (AssayValues *self, AssayFieldId field, const char *text, GError **error)
{
  g_return_val_if_fail (field < ASSAY_N_FIELDS && text != NULL, FALSE);
  switch (assay_field_get_info (field)->type)
    {
    case ASSAY_VALUE_TYPE_INTEGER: return value_parse_integer (self, field, text, error);
    case ASSAY_VALUE_TYPE_REAL: return value_parse_real (self, field, text, error);
    case ASSAY_VALUE_TYPE_BOOLEAN: return value_parse_boolean (self, field, text, error);
    case ASSAY_VALUE_TYPE_CHOICE: return value_parse_choice (self, field, text, error);
    case ASSAY_VALUE_TYPE_TEXT:
    default:
      assay_values_set_text (self, field, text);
      return TRUE;
    }
}

static const ValueUnit *
value_units_of (AssayUnit unit)
{
  switch (unit)
    {
    case ASSAY_UNIT_BYTES:
    case ASSAY_UNIT_BYTES_PER_SECOND: return byte_units;
    case ASSAY_UNIT_SECONDS: return second_units;
    case ASSAY_UNIT_MILLISECONDS: return millisecond_units;
    case ASSAY_UNIT_NONE:
    case ASSAY_UNIT_TOKENS:
    case ASSAY_UNIT_TOKENS_PER_SECOND:
    case ASSAY_UNIT_PIXELS:
    default: return NULL;
    }
}

static gboolean
value_find_factor (const ValueUnit *units, const char *word, gsize length, double *factor)
{
  for (; units->suffix != NULL; units++)
    if (strlen (units->suffix) == length && g_ascii_strncasecmp (units->suffix, word, length) == 0)
      {
        *factor = units->factor;
        return TRUE;
      }
  return FALSE;
}

/* "4 min 05 s", "1.5GiB", "16 GiB/s": numbers each with a unit, added up. FALSE when it does not read so. */
static gboolean
value_sum_units (const char *text, const ValueUnit *units, gboolean per_second, double *total)
{
  const char *p = text;

  *total = 0;
  do
    {
      const gsize digits = strspn (p, "0123456789.");
      g_autofree char *number = g_strndup (p, digits);
      char *end = NULL;
      const double amount = g_ascii_strtod (number, &end);
      double factor;

      if (digits == 0 || *end != '\0')
        return FALSE;
      p += digits;
      p += strspn (p, " ");
      const gsize letters = strspn (p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
      if (!value_find_factor (units, p, letters, &factor))
        return FALSE;
      *total += amount * factor;
      p += letters;
      if (per_second && g_str_has_prefix (p, "/s"))
        p += 2;
      p += strspn (p, " ");
    }
  while (*p != '\0');
  return TRUE;
}

static gboolean
value_parse_user_boolean (AssayValues *self, AssayFieldId field, const char *text, GError **error)
{
  if (g_ascii_strcasecmp (text, "yes") == 0)
    text = "true";
  else if (g_ascii_strcasecmp (text, "no") == 0)
    text = "false";
  return value_parse_boolean (self, field, text, error);
}

gboolean
assay_values_parse_user (AssayValues *self, AssayFieldId field, const char *text, GError **error)
{
  const AssayFieldInfo *info = assay_field_get_info (field);
  g_autofree char *trimmed = g_strstrip (g_strdup (text));
  const ValueUnit *units = value_units_of (info->unit);
  double total;

  if (info->type == ASSAY_VALUE_TYPE_TEXT)
    return assay_values_parse (self, field, text, error);
  if (info->type == ASSAY_VALUE_TYPE_BOOLEAN)
    return value_parse_user_boolean (self, field, trimmed, error);
  if (units == NULL || strpbrk (trimmed, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == NULL)
    return assay_values_parse (self, field, trimmed, error);
  if (!value_sum_units (trimmed, units, info->unit == ASSAY_UNIT_BYTES_PER_SECOND, &total)
      || total > 9007199254740992.0)
    return value_refuse (error, field, text,
                         units == byte_units ? _("a size is wanted, like 512 MiB or 4 GiB")
                                             : _("a time is wanted, like 90 s or 2 min"));

  g_autofree char *plain = info->type == ASSAY_VALUE_TYPE_INTEGER
                             ? g_strdup_printf ("%" G_GINT64_FORMAT, (gint64) llround (total))
                             : assay_format_real (round (total * 1e9) / 1e9);
  return assay_values_parse (self, field, plain, error);
}

/* "1.25e-07" → "0.000000125": moves the point by hand, since the grammar of files knows no exponent. */
static char *
value_expand_exponent (const char *text)
{
  const char *e = strchr (text, 'e');
  const int exponent = (int) g_ascii_strtoll (e + 1, NULL, 10);
  g_autoptr(GString) digits = g_string_new (NULL);
  int point = 0;
  GString *out = g_string_new (*text == '-' ? "-" : "");

  for (const char *p = *text == '-' ? text + 1 : text; p < e; p++)
    if (*p == '.')
      point = (int) digits->len;
    else
      g_string_append_c (digits, *p);
  if (memchr (text, '.', e - text) == NULL)
    point = (int) digits->len;
  point += exponent;
  if (point <= 0)
    g_string_append (out, "0.");
  for (int i = point; i < 0; i++)
    g_string_append_c (out, '0');
  for (int i = 0; i < MAX ((int) digits->len, point); i++)
    {
      if (i > 0 && i == point)
        g_string_append_c (out, '.');
      g_string_append_c (out, i < (int) digits->len ? digits->str[i] : '0');
    }
  return g_string_free (out, FALSE);
}

char *
assay_format_real (double value)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  for (int precision = 15; precision <= 17; precision++)
    {
      char format[8];
      g_snprintf (format, sizeof format, "%%.%dg", precision);
      g_ascii_formatd (buffer, sizeof buffer, format, value);
      if (g_ascii_strtod (buffer, NULL) == value)
        break;
    }
  return strchr (buffer, 'e') != NULL ? value_expand_exponent (buffer) : g_strdup (buffer);
}

static char *
value_format_file_seconds (double value)
{
  char buffer[64];

  if (fabs (value) >= 9e6)
    return assay_format_real (round (value));
  g_ascii_formatd (buffer, sizeof buffer, "%.9f", value);
  gsize length = strlen (buffer);
  while (buffer[length - 1] == '0')
    length--;
  if (buffer[length - 1] == '.')
    length--;
  return g_strndup (buffer, length);
}

char *
assay_values_dup_text (const AssayValues *self, AssayFieldId field)
{
  const AssayFieldInfo *info = assay_field_get_info (field);
  gint64 integer;
  double real;
  gboolean yes;

  if (assay_values_get_state (self, field) != ASSAY_VALUE_SET)
    return NULL;
  switch (info->type)
    {
    case ASSAY_VALUE_TYPE_INTEGER:
      assay_values_get_integer (self, field, &integer);
      return g_strdup_printf ("%" G_GINT64_FORMAT, integer);
    case ASSAY_VALUE_TYPE_REAL:
      assay_values_get_real (self, field, &real);
      return info->unit == ASSAY_UNIT_SECONDS ? value_format_file_seconds (real) : assay_format_real (real);
    case ASSAY_VALUE_TYPE_BOOLEAN:
      assay_values_get_boolean (self, field, &yes);
      return g_strdup (yes ? "true" : "false");
    case ASSAY_VALUE_TYPE_TEXT:
    case ASSAY_VALUE_TYPE_CHOICE:
    default:
      return g_strdup (assay_values_get_text (self, field));
    }
}

static char *
value_three_digits (double value, const char *unit)
{
  char number[32];
  const char *format = value < 9.995 ? "%.2f" : value < 99.95 ? "%.1f" : "%.0f";

  if (value < 0.9995)
    format = "%.3f";
  g_ascii_formatd (number, sizeof number, format, value);
  return g_strdup_printf ("%s %s", number, unit);
}

static gint decimal_sizes; /* atomic */

void
assay_format_use_decimal (gboolean decimal)
{
  g_atomic_int_set (&decimal_sizes, decimal);
}

gboolean
assay_format_is_decimal (void)
{
  return g_atomic_int_get (&decimal_sizes);
}

char *
assay_format_bytes (guint64 bytes)
{
  static const char *const binary[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
  static const char *const decimal[] = { "B", "kB", "MB", "GB", "TB", "PB", "EB" };
  G_STATIC_ASSERT (G_N_ELEMENTS (binary) == G_N_ELEMENTS (decimal));
  const gboolean is_decimal = assay_format_is_decimal ();
  const char *const *units = is_decimal ? decimal : binary;
  double value = (double) bytes;
  guint unit = 0;

  if (bytes < 1000)
    return g_strdup_printf ("%u B", (guint) bytes);
  while (value >= 999.5 && unit + 1 < G_N_ELEMENTS (binary))
    {
      value /= is_decimal ? 1000 : 1024;
      unit++;
    }
  return value_three_digits (value, units[unit]);
}

char *
assay_format_seconds (double seconds)
{
  char number[32];

  if (seconds > 0 && seconds < 0.9995)
    return seconds < 0.0009995 ? value_three_digits (seconds * 1e6, "µs")
                               : value_three_digits (seconds * 1e3, "ms");
  if (seconds < 59.995)
    {
      g_ascii_formatd (number, sizeof number, "%.2f", seconds);
      return g_strdup_printf ("%s s", number);
    }
  const gint64 whole = llround (MIN (seconds, 9e15));
  if (whole < 3600)
    return g_strdup_printf ("%d min %02d s", (int) (whole / 60), (int) (whole % 60));
  return g_strdup_printf ("%" G_GINT64_FORMAT " h %02d min %02d s", whole / 3600,
                          (int) (whole / 60 % 60), (int) (whole % 60));
}

static gboolean
value_is_no_limit (AssayFieldId field, double value)
{
  return value == 0 && (field == ASSAY_FIELD_TIME_LIMIT_SECONDS || field == ASSAY_FIELD_VRAM_BUDGET);
}

static char *
value_display_number (const AssayFieldInfo *info, const AssayValues *self)
{
  double value = 0;
  g_autofree char *text = assay_values_dup_text (self, info->id);
  g_autofree char *size = NULL;

  assay_values_get_real (self, info->id, &value);
  if (value_is_no_limit (info->id, value))
    return g_strdup (_("no limit"));
  switch (info->unit)
    {
    case ASSAY_UNIT_BYTES: return assay_format_bytes ((guint64) MAX (value, 0));
    case ASSAY_UNIT_BYTES_PER_SECOND:
      size = assay_format_bytes ((guint64) MAX (value, 0));
      return g_strconcat (size, "/s", NULL);
    case ASSAY_UNIT_SECONDS: return assay_format_seconds (value);
    case ASSAY_UNIT_MILLISECONDS: return g_strdup_printf ("%s ms", text);
    case ASSAY_UNIT_TOKENS:
      return g_strdup_printf (ngettext ("%s token", "%s tokens", (gulong) value), text);
    case ASSAY_UNIT_TOKENS_PER_SECOND: return value_three_digits (value, _("tokens/s"));
    case ASSAY_UNIT_PIXELS: return g_strdup_printf ("%s px", text);
    case ASSAY_UNIT_NONE:
    default: return g_steal_pointer (&text);
    }
}

/* Reasons are kept in English, as the record is; those of this program are shown in the person's language. */
static char *
dup_unknown (const char *reason)
{
  return g_strdup_printf (_("unknown: %s"), *reason != '\0' ? _(reason) : "");
}

char *
assay_values_dup_display (const AssayValues *self, AssayFieldId field)
{
  const AssayFieldInfo *info = assay_field_get_info (field);
  gboolean yes;

  switch (assay_values_get_state (self, field))
    {
    case ASSAY_VALUE_UNSET: return g_strdup ("");
    case ASSAY_VALUE_UNKNOWN:
      return dup_unknown (assay_values_get_reason (self, field));
    case ASSAY_VALUE_SET:
    default: break;
    }
  if (info->type == ASSAY_VALUE_TYPE_BOOLEAN)
    {
      assay_values_get_boolean (self, field, &yes);
      return g_strdup (yes ? _("yes") : _("no"));
    }
  if (info->type == ASSAY_VALUE_TYPE_INTEGER || info->type == ASSAY_VALUE_TYPE_REAL)
    return value_display_number (info, self);
  return assay_values_dup_text (self, field);
}
