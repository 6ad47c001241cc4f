/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/assay-sweep-values.c: the values of a sweep from what a person wrote, in their file form. */
#include "assay-sweep-private.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#define TOLERANCE 1e-9 /* of a step: ten steps of 0.1 reach 1 */

static gboolean G_GNUC_PRINTF (2, 3)
values_refuse (GError **error, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *message = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error_literal (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_VALUE, message);
  return FALSE;
}

/* The file form of one value. */
static gboolean
values_add (GPtrArray *values, AssayFieldId field, const char *text, GError **error)
{
  g_autoptr (AssayValues) scratch = assay_values_new ();
  if (values->len >= ASSAY_SWEEP_MAX)
    return values_refuse (error, _("a sweep has at most %u values"), ASSAY_SWEEP_MAX);
  if (*text == '\0')
    return values_refuse (error, _("%s: a value is empty"), assay_field_get_info (field)->name);
  if (!assay_values_parse_user (scratch, field, text, error))
    return FALSE;
  g_ptr_array_add (values, assay_values_dup_text (scratch, field));
  return TRUE;
}

static gboolean
values_add_choices (GPtrArray *values, AssayFieldId field, GError **error)
{
  static const char *const booleans[] = { "false", "true", NULL };
  const AssayFieldInfo *info = assay_field_get_info (field);
  const char *const *choices
      = info->type == ASSAY_VALUE_TYPE_BOOLEAN ? booleans : assay_field_get_choices (field);
  if (choices == NULL)
    return values_refuse (error, _("%s has no list of choices for “*”: name the values, as in %s=A,B"), info->name,
                          info->name);
  for (; *choices != NULL; choices++)
    if (!values_add (values, field, *choices, error))
      return FALSE;
  return TRUE;
}

/* --- from … to --- */

typedef struct
{
  double from, to, step;
  gboolean by_factor;
} Range;

static gboolean
range_read_end (AssayFieldId field, const char *text, double *out, GError **error)
{
  g_autoptr (AssayValues) scratch = assay_values_new ();
  g_autofree char *stripped = g_strstrip (g_strdup (text));
  return assay_values_parse_user (scratch, field, stripped, error) && assay_values_get_real (scratch, field, out);
}

/* A step may lie outside what the field may hold; sizes and times may have their units. */
static gboolean
range_read_step (Range *self, AssayFieldId field, const char *text, GError **error)
{
  g_autofree char *stripped = g_strstrip (g_strdup (text));
  char *end;
  self->step = g_ascii_strtod (stripped, &end);
  if ((end == stripped || *end != '\0')
      && (self->by_factor || !range_read_end (field, stripped, &self->step, NULL)))
    return values_refuse (error, _("%s: “%s” is no step"), assay_field_get_info (field)->name, stripped);
  const gboolean moves = isfinite (self->step) && self->step > (self->by_factor ? 1 : 0)
                         && (!self->by_factor || self->from > 0);
  return moves || values_refuse (error, _("%s: a step is greater than 0, a factor greater than 1 and begins at more than 0"),
                                 assay_field_get_info (field)->name);
}

/* The sign of an exponent is no step. */
static const char *
range_find_step (const char *to)
{
  for (const char *c = to; *c != '\0'; c++)
    if (*c == 'x' || (*c == '+' && c > to && g_ascii_tolower (c[-1]) != 'e'))
      return c;
  return NULL;
}

static gboolean
range_read (Range *self, AssayFieldId field, const char *text, GError **error)
{
  const char *dots = strstr (text, "..");
  const char *step = range_find_step (dots + 2);
  g_autofree char *from = g_strndup (text, (gsize) (dots - text));
  g_autofree char *to = step != NULL ? g_strndup (dots + 2, (gsize) (step - dots - 2)) : g_strdup (dots + 2);
  if (!range_read_end (field, from, &self->from, error) || !range_read_end (field, to, &self->to, error))
    return FALSE;
  if (self->to < self->from)
    return values_refuse (error, _("%s: a range goes from the smaller value to the greater"),
                          assay_field_get_info (field)->name);
  self->by_factor = step != NULL && *step != '+';
  return range_read_step (self, field, step != NULL ? step + 1 : "1", error);
}

static char *
range_dup_text (AssayFieldId field, double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  if (assay_field_get_info (field)->type == ASSAY_VALUE_TYPE_INTEGER)
    return g_strdup_printf ("%" PRId64, (gint64) llround (value));
  return g_strdup (g_ascii_formatd (text, sizeof text, "%.12g", value));
}

static gboolean
values_add_range (GPtrArray *values, AssayFieldId field, const char *text, GError **error)
{
  Range range = { 0 };
  if (!range_read (&range, field, text, error))
    return FALSE;
  const double slack = range.by_factor ? range.to * TOLERANCE : range.step * TOLERANCE;
  double value = range.from;
  for (guint i = 1; value <= range.to + slack; i++)
    {
      g_autofree char *one = range_dup_text (field, value);
      if (!values_add (values, field, one, error))
        return FALSE;
      value = range.by_factor ? value * range.step : range.from + i * range.step;
    }
  return TRUE;
}

/* --- all --- */

/* Parts at commas; "\," is a comma. (transfer full) (element-type char*) */
static GPtrArray *
values_split (const char *text)
{
  GPtrArray *parts = g_ptr_array_new_with_free_func (g_free);
  GString *part = g_string_new (NULL);
  for (const char *c = text;; c++)
    if (*c == '\\' && c[1] == ',')
      g_string_append_c (part, *++c);
    else if (*c != ',' && *c != '\0')
      g_string_append_c (part, *c);
    else
      {
        g_ptr_array_add (parts, g_strdup (g_strstrip (part->str)));
        g_string_truncate (part, 0);
        if (*c == '\0')
          break;
      }
  g_string_free (part, TRUE);
  return parts;
}

static gboolean
field_is_number (AssayFieldId field)
{
  const AssayFieldType type = assay_field_get_info (field)->type;
  return type == ASSAY_VALUE_TYPE_INTEGER || type == ASSAY_VALUE_TYPE_REAL;
}

GPtrArray *
sweep_read_values (AssayFieldId field, const char *text, GError **error)
{
  g_autoptr (GPtrArray) parts = values_split (text), values = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < parts->len; i++)
    {
      const char *part = g_ptr_array_index (parts, i);
      const gboolean range = field_is_number (field) && strstr (part, "..") != NULL;
      const gboolean good = g_str_equal (part, "*") ? values_add_choices (values, field, error)
                            : range                ? values_add_range (values, field, part, error)
                                                   : values_add (values, field, part, error);
      if (!good)
        return NULL;
    }
  return g_steal_pointer (&values);
}
