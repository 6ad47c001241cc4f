/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-export-csv.c: one line a run, one column a field; RFC 4180.
 *
 * A note or a model's name can be anything, also "=HYPERLINK(…)": a text cell that a spreadsheet would take
 * for a formula begins with an apostrophe. Numbers are never touched, so that −1 stays a number. */
#include "assay-export-private.h"

#include <string.h>

static void
csv_add_cell (GString *out, const char *text)
{
  if (strpbrk (text, ",\"\r\n") == NULL && *text != ' ' && (*text == '\0' || text[strlen (text) - 1] != ' '))
    {
      g_string_append (out, text);
      return;
    }
  g_string_append_c (out, '"');
  for (const char *p = text; *p != '\0'; p++)
    {
      if (*p == '"')
        g_string_append_c (out, '"');
      g_string_append_c (out, *p);
    }
  g_string_append_c (out, '"');
}

static void
csv_add_comma (GString *out)
{
  if (out->len > 0 && out->str[out->len - 1] != '\n')
    g_string_append_c (out, ',');
}

/* What a terminal or a spreadsheet would act on becomes visible: ESC is shown as ␛. */
static char *
csv_dup_visible (const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  GString *out = g_string_new (NULL);
  for (const char *p = valid; *p != '\0'; p = g_utf8_next_char (p))
    {
      const gunichar c = g_utf8_get_char (p);
      const gboolean control = (c < 0x20 && c != '\n' && c != '\r' && c != '\t') || c == 0x7f;
      g_string_append_unichar (out, !control ? c : c == 0x7f ? 0x2421 : 0x2400 + c);
    }
  return g_string_free (out, FALSE);
}

static gboolean
text_is_formula (const char *text)
{
  text += strspn (text, " ");
  return *text != '\0' && strchr ("=+-@\t\r\n", *text) != NULL;
}

void
assay_export_add_csv_text (GString *out, const char *text)
{
  csv_add_comma (out);
  if (text == NULL)
    return;
  g_autofree char *visible = csv_dup_visible (text);
  g_autofree char *guarded = text_is_formula (visible) ? g_strconcat ("'", visible, NULL) : NULL;
  csv_add_cell (out, guarded != NULL ? guarded : visible);
}

static void
csv_add_field (GString *out, AssayRecord *record, AssayFieldId field)
{
  const AssayValues *values = assay_record_get_values_for (record, field);
  g_autofree char *text = assay_values_dup_text (values, field);
  const AssayFieldType type = assay_field_get_info (field)->type;
  if (type == ASSAY_VALUE_TYPE_INTEGER || type == ASSAY_VALUE_TYPE_REAL)
    {
      csv_add_comma (out);
      g_string_append (out, text != NULL ? text : "");
    }
  else
    assay_export_add_csv_text (out, text);
}

static void
list_add (GString *list, AssayFieldId field, const char *separator, const char *text)
{
  g_string_append_printf (list, "%s%s%s%s", list->len > 0 ? "; " : "", assay_field_get_info (field)->name,
                          separator, text);
}

/* Three lists that columns of their own would double the table for. */
static void
csv_add_lists (GString *out, AssayRecord *record)
{
  g_autoptr(GString) unknown = g_string_new (NULL);
  g_autoptr(GString) requested = g_string_new (NULL);
  g_autoptr(GString) left = g_string_new (NULL);
  for (AssayFieldId field = 0; field < ASSAY_N_FIELDS; field++)
    {
      const char *reason = assay_values_get_reason (assay_record_get_values_for (record, field), field);
      g_autofree char *asked = assay_values_dup_text (assay_record_get_conditions (record), field);
      if (reason != NULL)
        list_add (unknown, field, ": ", reason);
      if (export_is_deviation (record, field))
        list_add (requested, field, "=", asked != NULL ? asked : "");
      if (export_is_left_to_engine (record, field))
        list_add (left, field, "", "");
    }
  assay_export_add_csv_text (out, unknown->str);
  assay_export_add_csv_text (out, requested->str);
  assay_export_add_csv_text (out, left->str);
}

static void
csv_add_record (GString *out, AssayLedger *ledger, AssayRecord *record)
{
  g_autoptr(AssayGates) gates = assay_gates_judge (ledger, record);
  g_autoptr(GPtrArray) reviews = assay_record_get_current_reviews (record);
  for (AssayFieldId field = 0; field < ASSAY_N_FIELDS; field++)
    if (field == ASSAY_FIELD_RUN_ID)
      {
        assay_export_add_csv_text (out, assay_record_get_id (record));
        assay_export_add_csv_text (out, assay_record_get_parent (record));
        assay_export_add_csv_text (out, assay_record_get_changed (record));
      }
    else
      csv_add_field (out, record, field);
  csv_add_lists (out, record);
  for (AssayGate gate = 0; gate < ASSAY_N_GATES; gate++)
    assay_export_add_csv_text (out, export_get_gate (gates, gate));
  g_string_append_printf (out, ",%u", reviews->len);
  assay_export_add_csv_text (out, assay_record_get_damage (record));
  g_string_append (out, "\r\n");
}

static void
csv_add_header (GString *out)
{
  for (AssayFieldId field = 0; field < ASSAY_N_FIELDS; field++)
    {
      csv_add_comma (out);
      g_string_append (out, assay_field_get_info (field)->name);
      if (field == ASSAY_FIELD_RUN_ID)
        g_string_append (out, ",parent,changed");
    }
  g_string_append (out, ",unknown,requested,left_to_engine");
  for (AssayGate gate = 0; gate < ASSAY_N_GATES; gate++)
    g_string_append_printf (out, ",gate_%s", assay_gate_get_name (gate));
  g_string_append (out, ",reviews,damage\r\n");
}

char *
export_csv (AssayLedger *ledger, GPtrArray *runs)
{
  GString *out = g_string_new (NULL);
  csv_add_header (out);
  for (guint i = 0; i < runs->len; i++)
    csv_add_record (out, ledger, runs->pdata[i]);
  return g_string_free (out, FALSE);
}
