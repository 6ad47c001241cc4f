/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-export-plain.c: the plain record, "name: value" a line, and its escapes. */
#include "assay-export-private.h"

#include <string.h>

/* The names of the source section: written where they belong to the task, so that an empty line shows what is
 * not known yet. */
static const AssayFieldId base_fields[] = {
  ASSAY_FIELD_RUN_ID,
  ASSAY_FIELD_MODEL_ID,
  ASSAY_FIELD_MODEL_REVISION,
  ASSAY_FIELD_WEIGHT_FORMAT,
  ASSAY_FIELD_DTYPE,
  ASSAY_FIELD_QUANTIZATION,
  ASSAY_FIELD_QUANTIZATION_METHOD,
  ASSAY_FIELD_QUANTIZED_MODULES,
  ASSAY_FIELD_RUNTIME,
  ASSAY_FIELD_DEVICE,
  ASSAY_FIELD_OFFLOAD_MODE,
  ASSAY_FIELD_OFFLOAD_API,
  ASSAY_FIELD_PIPELINE_MOVED_TO_CUDA,
  ASSAY_FIELD_DEVICE_MAP,
  ASSAY_FIELD_ATTACHED_COMPONENTS,
  ASSAY_FIELD_INPUT_SIZE,
  ASSAY_FIELD_CONTEXT_LENGTH,
  ASSAY_FIELD_WIDTH,
  ASSAY_FIELD_HEIGHT,
  ASSAY_FIELD_BATCH_SIZE,
  ASSAY_FIELD_STEPS,
  ASSAY_FIELD_PEAK_VRAM,
  ASSAY_FIELD_PEAK_RAM,
  ASSAY_FIELD_ELAPSED_SECONDS,
  ASSAY_FIELD_STATUS,
  ASSAY_FIELD_QUALITY_NOTE,
  ASSAY_FIELD_NEXT_TRIAL,
};

static gboolean
field_is_base (AssayFieldId field, AssayTask task)
{
  if ((assay_field_get_info (field)->tasks & task) == 0)
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (base_fields); i++)
    if (base_fields[i] == field)
      return TRUE;
  return FALSE;
}

/* Escapes */

static void
escape_byte (GString *out, guchar byte)
{
  if (byte == '\\')
    g_string_append (out, "\\\\");
  else if (byte == '\n')
    g_string_append (out, "\\n");
  else if (byte == '\r')
    g_string_append (out, "\\r");
  else if (byte == '\t')
    g_string_append (out, "\\t");
  else
    g_string_append_printf (out, "\\x%02x", byte);
}

static gboolean
byte_needs_escape (guchar byte, gboolean at_edge)
{
  return byte < 0x20 || byte == 0x7f || byte == '\\' || (byte == ' ' && at_edge);
}

/* What a reader would take for something else: the word for no value, and the sign for an empty text. */
static gboolean
text_is_reserved (const char *text)
{
  return g_str_equal (text, "unknown") || g_str_has_prefix (text, "unknown:") || g_str_equal (text, "\"\"");
}

char *
plain_escape (const char *text)
{
  GString *out = g_string_new (NULL);
  const char *p = text, *end = text + strlen (text);
  if (p == end)
    g_string_append (out, "\"\"");
  else if (text_is_reserved (text))
    g_string_append_printf (out, "\\x%02x", (guchar) *p++);
  while (p < end)
    {
      const gunichar c = g_utf8_get_char_validated (p, end - p);
      if (c == (gunichar) -1 || c == (gunichar) -2)
        escape_byte (out, (guchar) *p++);
      else if (c < 0x80)
        {
          if (byte_needs_escape ((guchar) c, p == text || p + 1 == end))
            escape_byte (out, (guchar) c);
          else
            g_string_append_c (out, (char) c);
          p++;
        }
      else
        {
          const char *next = g_utf8_next_char (p);
          g_string_append_len (out, p, next - p);
          p = next;
        }
    }
  return g_string_free (out, FALSE);
}

/* Length of the escape at p, and its byte; 0 when it is none. */
static gsize
unescape_one (const char *p, gsize left, guchar *byte)
{
  static const char letters[] = "nrt\\", bytes[] = "\n\r\t\\";
  const char *known = left >= 2 && p[1] != '\0' ? strchr (letters, p[1]) : NULL;
  if (known != NULL)
    {
      *byte = (guchar) bytes[known - letters];
      return 2;
    }
  if (left < 4 || p[1] != 'x' || !g_ascii_isxdigit (p[2]) || !g_ascii_isxdigit (p[3]))
    return 0;
  *byte = (guchar) (g_ascii_xdigit_value (p[2]) * 16 + g_ascii_xdigit_value (p[3]));
  return *byte != 0 ? 4 : 0;
}

char *
plain_unescape (const char *text, gsize length)
{
  g_autoptr(GString) out = g_string_sized_new (length);
  if (length == 2 && memcmp (text, "\"\"", 2) == 0)
    return g_strdup ("");
  for (gsize i = 0; i < length;)
    {
      guchar byte = (guchar) text[i];
      const gsize n = byte == '\\' ? unescape_one (text + i, length - i, &byte) : 1;
      if (n == 0)
        return NULL;
      g_string_append_c (out, (char) byte);
      i += n;
    }
  return g_string_free (g_steal_pointer (&out), FALSE);
}

/* Pairs */

void
plain_pairs_add (GString *pairs, const char *name, const char *value)
{
  if (value == NULL)
    return;
  g_string_append_printf (pairs, "%s%s=", pairs->len > 0 ? "; " : "", name);
  for (const char *p = value; *p != '\0'; p++)
    {
      if (strchr (";=\\", *p) != NULL)
        g_string_append_c (pairs, '\\');
      g_string_append_c (pairs, *p);
    }
}

/* Takes text up to an unescaped stop, and leaves *text behind it; NULL when it does not come (or, for the
 * last value, gives what is left). */
static char *
pairs_take (const char **text, char stop, gboolean may_end)
{
  g_autoptr(GString) out = g_string_new (NULL);
  const char *p = *text;
  for (; *p != '\0' && *p != stop; p++)
    {
      if (*p == '\\' && p[1] != '\0')
        p++;
      g_string_append_c (out, *p);
    }
  if (*p == '\0' && !may_end)
    return NULL;
  *text = *p == stop ? p + 1 : p;
  return g_string_free (g_steal_pointer (&out), FALSE);
}

GHashTable *
plain_pairs_parse (const char *text)
{
  g_autoptr(GHashTable) pairs = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  while (*text != '\0')
    {
      text += strspn (text, " ");
      g_autofree char *name = pairs_take (&text, '=', FALSE);
      if (name == NULL || *name == '\0' || strspn (name, "abcdefghijklmnopqrstuvwxyz_") != strlen (name))
        return NULL;
      char *value = pairs_take (&text, ';', TRUE);
      if (!g_hash_table_insert (pairs, g_steal_pointer (&name), value))
        return NULL; /* a name given twice */
    }
  return g_steal_pointer (&pairs);
}

/* Writing */

static void
plain_add (GString *out, const char *name, const char *suffix, const char *value)
{
  g_string_append_printf (out, "%s%s:%s%s\n", name, suffix, value != NULL && *value != '\0' ? " " : "",
                          value != NULL ? value : "");
}

static char *
plain_dup_value (const AssayValues *values, AssayFieldId field)
{
  const char *reason = assay_values_get_reason (values, field);
  if (assay_values_get_state (values, field) == ASSAY_VALUE_UNKNOWN)
    {
      g_autofree char *escaped = reason != NULL && *reason != '\0' ? plain_escape (reason) : NULL;
      return escaped != NULL ? g_strconcat ("unknown: ", escaped, NULL) : g_strdup ("unknown");
    }
  g_autofree char *text = assay_values_dup_text (values, field);
  return text != NULL ? plain_escape (text) : NULL;
}

static void
plain_add_measure (GString *out, const AssayValues *values, AssayFieldId field)
{
  const AssayMeasure *measure = assay_values_get_measure (values, field);
  if (measure == NULL)
    return;
  g_autoptr(GString) pairs = g_string_new (NULL);
  plain_pairs_add (pairs, "kind", measure->kind);
  plain_pairs_add (pairs, "source", measure->source);
  g_string_append_printf (pairs, "%sinterval_ns=%" G_GINT64_FORMAT "; samples=%" G_GUINT64_FORMAT,
                          pairs->len > 0 ? "; " : "", measure->interval_ns, measure->n_samples);
  g_autofree char *escaped = plain_escape (pairs->str);
  plain_add (out, assay_field_get_info (field)->name, ".measure", escaped);
}

static char *
plain_dup_next_trial (const AssayNextTrial *next)
{
  GString *pairs = g_string_new (NULL);
  if (next->axis == NULL || *next->axis == '\0') /* free text that an import once brought */
    {
      g_string_free (pairs, TRUE);
      return next->note != NULL ? plain_escape (next->note) : NULL;
    }
  g_autofree char *held = next->held != NULL ? g_strjoinv (", ", next->held) : NULL;
  plain_pairs_add (pairs, "signal", next->signal);
  plain_pairs_add (pairs, "axis", next->axis);
  plain_pairs_add (pairs, "from", next->from);
  plain_pairs_add (pairs, "to", next->to);
  plain_pairs_add (pairs, "held", held != NULL && *held != '\0' ? held : NULL);
  plain_pairs_add (pairs, "note", next->note);
  g_autofree char *text = g_string_free (pairs, FALSE);
  return plain_escape (text);
}

static void
plain_add_field (GString *out, AssayRecord *record, AssayTask task, AssayFieldId field)
{
  const AssayFieldInfo *info = assay_field_get_info (field);
  const AssayValues *values = assay_record_get_values_for (record, field);
  const AssayNextTrial *next = assay_record_get_next_trial (record);
  if (assay_values_get_state (values, field) == ASSAY_VALUE_UNSET && !field_is_base (field, task))
    return;
  g_autofree char *value = field != ASSAY_FIELD_NEXT_TRIAL ? plain_dup_value (values, field)
                           : next != NULL                  ? plain_dup_next_trial (next)
                                                           : NULL;
  plain_add (out, info->name, "", value);
  if (export_is_deviation (record, field))
    {
      g_autofree char *asked = plain_dup_value (assay_record_get_conditions (record), field);
      g_autofree char *name = g_strconcat ("requested.", info->name, NULL);
      plain_add (out, name, "", asked);
    }
  plain_add_measure (out, values, field);
}

static void
plain_add_left_to_engine (GString *out, AssayRecord *record)
{
  g_autoptr(GString) names = g_string_new (NULL);
  for (AssayFieldId field = 0; field < ASSAY_N_FIELDS; field++)
    if (export_is_left_to_engine (record, field))
      g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "", assay_field_get_info (field)->name);
  if (names->len > 0)
    plain_add (out, "left_to_engine", "", names->str);
}

static void
plain_add_link (GString *out, const char *name, const char *value)
{
  if (value == NULL)
    return;
  g_autofree char *escaped = plain_escape (value);
  plain_add (out, name, "", escaped);
}

static void
plain_add_record (GString *out, AssayLedger *ledger, AssayRecord *record)
{
  const AssayTask task = assay_ledger_get_task (ledger);
  g_autoptr(AssayGates) gates = assay_gates_judge (ledger, record);
  for (AssayFieldId field = 0; field < ASSAY_N_FIELDS; field++)
    {
      plain_add_field (out, record, task, field);
      if (field != ASSAY_FIELD_RUN_ID)
        continue;
      plain_add_link (out, "parent", assay_record_get_parent (record));
      plain_add_link (out, "changed", assay_record_get_changed (record));
    }
  plain_add_left_to_engine (out, record);
  for (AssayGate gate = 0; gate < ASSAY_N_GATES; gate++)
    g_string_append_printf (out, "gate_%s: %s\n", assay_gate_get_name (gate), export_get_gate (gates, gate));
}

char *
export_key_value (AssayLedger *ledger, GPtrArray *runs)
{
  GString *out = g_string_new (NULL);
  for (guint i = 0; i < runs->len; i++)
    {
      if (assay_record_is_damaged (runs->pdata[i]))
        continue;
      if (out->len > 0)
        g_string_append_c (out, '\n');
      plain_add_record (out, ledger, runs->pdata[i]);
    }
  return g_string_free (out, FALSE);
}
