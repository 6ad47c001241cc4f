/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-import.c: plain records read back.
 *
 * The file comes from a person, a script or another program, so nothing in it is guessed: what could be read
 * in two ways stops the import with the line, before anything is kept. A record is gathered as it is read and
 * made when it ends, since the lines that say what was asked for and what was in effect may come in any
 * order. */
#include "assay-export-private.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#include "assay-record-private.h"

#define IMPORT_MAX_BYTES (64 * 1024 * 1024)
#define IMPORT_REVIEWER "import"

typedef struct
{
  const char *name;            /* of the file, for messages */
  guint line;
  GPtrArray *records;
  GHashTable *ids;             /* of the records so far */
  /* the record being gathered */
  AssayRecord *record;         /* NULL between records */
  GHashTable *keys;            /* given so far */
  AssayValues *conditions;     /* as the file names them: in effect */
  AssayValues *requested;
  gboolean left_to_engine[ASSAY_N_FIELDS];
  gboolean had_verdicts;       /* lines of gates that passed or failed */
} Import;

static gboolean import_fail (Import *self, GError **error, AssayLedgerError code, const char *format, ...)
  G_GNUC_PRINTF (4, 5);

static gboolean
import_fail (Import *self, GError **error, AssayLedgerError code, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *message = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, ASSAY_LEDGER_ERROR, code, _("%s, line %u: %s"), self->name, self->line, message);
  return FALSE;
}

static char *
dup_shown (const char *text)
{
  g_autofree char *head = g_strndup (text, 60);
  return g_utf8_make_valid (head, -1);
}

/* Values */

/* Units that mean one number only: "Mb" may be megabits or a careless MiB, a bare "G" either of two sizes. */
static gboolean
size_unit_is_certain (const char *text)
{
  static const char *const units[]
      = { "B", "bytes", "KiB", "MiB", "GiB", "TiB", "kB", "MB", "GB", "TB", NULL };
  const char *unit = text + strspn (text, "0123456789.-");
  unit += strspn (unit, " ");
  g_autofree char *word = g_strdup (unit);
  if (g_str_has_suffix (word, "/s"))
    word[strlen (word) - 2] = '\0';
  return *word == '\0' || g_strv_contains (units, word);
}

static gboolean
import_parse (Import *self, AssayValues *values, AssayFieldId field, const char *text, GError **error)
{
  const AssayFieldInfo *info = assay_field_get_info (field);
  const gboolean is_size = info->unit == ASSAY_UNIT_BYTES || info->unit == ASSAY_UNIT_BYTES_PER_SECOND;
  const gboolean is_time = info->unit == ASSAY_UNIT_SECONDS || info->unit == ASSAY_UNIT_MILLISECONDS;
  g_autoptr(GError) failure = NULL;
  if (is_size && strchr (text, ',') == NULL && !size_unit_is_certain (text))
    {
      g_autofree char *shown = dup_shown (text);
      return import_fail (
          self, error, ASSAY_LEDGER_ERROR_VALUE,
          _("%s: “%s” can be read in more than one way; write bytes, or a size in KiB, MiB or GiB"),
          info->name, shown);
    }
  const gboolean fine = is_size || is_time ? assay_values_parse_user (values, field, text, &failure)
                                           : assay_values_parse (values, field, text, &failure);
  return fine || import_fail (self, error, ASSAY_LEDGER_ERROR_VALUE, "%s", failure->message);
}

/* Sets a field from the text of its line: nothing, unknown with or without a reason, or a value. */
static gboolean
import_value (Import *self, AssayValues *values, AssayFieldId field, const char *raw, GError **error)
{
  const AssayFieldInfo *info = assay_field_get_info (field);
  const gboolean unknown = g_str_equal (raw, "unknown") || g_str_has_prefix (raw, "unknown:");
  const char *body = unknown ? raw + strcspn (raw, ":") + (strchr (raw, ':') != NULL) : raw;
  body += strspn (body, " ");
  if (*raw == '\0')
    return TRUE;
  g_autofree char *text = plain_unescape (body, strlen (body));
  if (text == NULL)
    return import_fail (self, error, ASSAY_LEDGER_ERROR_FORMAT,
                        _("%s: a backslash begins \\n, \\r, \\t or \\xHH; write \\\\ for one"), info->name);
  if (unknown)
    {
      assay_values_set_unknown (values, field, text);
      return TRUE;
    }
  return import_parse (self, values, field, text, error);
}

/* Keys that are no field */

static gboolean
import_measure (Import *self, AssayFieldId field, const char *text, GError **error)
{
  AssayValues *values = assay_record_get_burden (self->record);
  if (assay_values_get_state (values, field) == ASSAY_VALUE_UNSET)
    return *text == '\0'
           || import_fail (self, error, ASSAY_LEDGER_ERROR_FORMAT,
                           _("%s.measure: %s itself must come before"), assay_field_get_info (field)->name,
                           assay_field_get_info (field)->name);
  g_autofree char *plain = plain_unescape (text, strlen (text));
  g_autoptr(GHashTable) pairs = plain != NULL ? plain_pairs_parse (plain) : NULL;
  guint64 interval = 0, samples = 0;
  const char *interval_text = pairs != NULL ? g_hash_table_lookup (pairs, "interval_ns") : NULL;
  const char *samples_text = pairs != NULL ? g_hash_table_lookup (pairs, "samples") : NULL;
  if (pairs == NULL
      || (interval_text != NULL
          && !g_ascii_string_to_unsigned (interval_text, 10, 0, G_MAXINT64, &interval, NULL))
      || (samples_text != NULL
          && !g_ascii_string_to_unsigned (samples_text, 10, 0, G_MAXUINT64, &samples, NULL)))
    return import_fail (self, error, ASSAY_LEDGER_ERROR_VALUE,
                        _("%s.measure: wanted is 'kind=…; source=…; interval_ns=N; samples=N'"),
                        assay_field_get_info (field)->name);
  const AssayMeasure measure = { .kind = g_hash_table_lookup (pairs, "kind"),
                                 .source = g_hash_table_lookup (pairs, "source"),
                                 .interval_ns = (gint64) interval,
                                 .n_samples = samples };
  assay_values_set_measure (values, field, &measure);
  return TRUE;
}

static gboolean
import_left_to_engine (Import *self, const char *text, GError **error)
{
  g_auto(GStrv) names = g_strsplit (text, ",", -1);
  for (guint i = 0; names[i] != NULL; i++)
    {
      const char *name = g_strstrip (names[i]);
      const AssayFieldId field = assay_field_from_name (name);
      if (*name == '\0')
        continue;
      if (field == ASSAY_FIELD_INVALID || assay_field_get_info (field)->group != ASSAY_GROUP_CONDITIONS)
        {
          g_autofree char *shown = dup_shown (name);
          return import_fail (self, error, ASSAY_LEDGER_ERROR_FORMAT,
                              _("left_to_engine: “%s” is no condition"), shown);
        }
      self->left_to_engine[field] = TRUE;
    }
  return TRUE;
}

/* Verdicts are derived from what the record holds; a line of them is checked and let go, which import_end() tells. */
static gboolean
import_gate (Import *self, const char *key, const char *text, GError **error)
{
  gboolean known = FALSE;
  for (AssayGate gate = 0; gate < ASSAY_N_GATES; gate++)
    known |= g_str_equal (key + strlen ("gate_"), assay_gate_get_name (gate));
  if (!known)
    return import_fail (self, error, ASSAY_LEDGER_ERROR_FORMAT, _("unknown key “%s”"), key);
  for (AssayVerdict verdict = ASSAY_VERDICT_NOT_JUDGED; verdict <= ASSAY_VERDICT_FAIL; verdict++)
    if (*text == '\0' || g_str_equal (text, assay_verdict_get_name (verdict)))
      {
        self->had_verdicts |= *text != '\0' && verdict != ASSAY_VERDICT_NOT_JUDGED;
        return TRUE;
      }
  return import_fail (self, error, ASSAY_LEDGER_ERROR_VALUE, _("%s: allowed are pass, fail and not judged"),
                      key);
}

static gboolean
import_link (Import *self, const char *key, const char *raw, GError **error)
{
  g_autofree char *text = plain_unescape (raw, strlen (raw));
  if (text == NULL)
    return import_fail (self, error, ASSAY_LEDGER_ERROR_FORMAT,
                        _("%s: a backslash begins \\n, \\r, \\t or \\xHH"), key);
  const gboolean is_parent = g_str_equal (key, "parent");
  g_autofree char *parent = is_parent ? g_strdup (text) : g_strdup (assay_record_get_parent (self->record));
  g_autofree char *changed = is_parent ? g_strdup (assay_record_get_changed (self->record)) : g_strdup (text);
  assay_record_set_parent (self->record, parent, changed);
  return TRUE;
}

/* Fields with a place of their own */

static gboolean
import_run_id (Import *self, const char *text, GError **error)
{
  if (*text == '\0')
    return TRUE;
  for (const char *p = text; *p != '\0'; p++)
    if (!g_ascii_isgraph (*p) && (guchar) *p < 0x80)
      return import_fail (self, error, ASSAY_LEDGER_ERROR_VALUE,
                          _("run_id: blanks and control characters are not allowed"));
  if (strlen (text) > 200)
    return import_fail (self, error, ASSAY_LEDGER_ERROR_VALUE, _("run_id: longer than 200 bytes"));
  assay_record_set_id (self->record, text);
  return TRUE;
}

static void
import_quality_note (Import *self, const char *text)
{
  AssayReview *review = assay_review_new (IMPORT_REVIEWER);
  review->quality_note = g_strdup (text);
  g_ptr_array_add (assay_record_get_reviews (self->record), review);
}

static void
import_next_trial (Import *self, const char *text)
{
  g_autoptr(GHashTable) pairs = plain_pairs_parse (text);
  AssayNextTrial *next = assay_next_trial_new ();
  const char *axis = pairs != NULL ? g_hash_table_lookup (pairs, "axis") : NULL;
  const char *signal = pairs != NULL ? g_hash_table_lookup (pairs, "signal") : NULL;
  const char *held = pairs != NULL ? g_hash_table_lookup (pairs, "held") : NULL;
  g_free (next->signal);
  next->signal = g_strdup (signal != NULL ? signal : "none");
  g_free (next->axis);
  next->axis = g_strdup (axis != NULL ? axis : "");
  if (axis == NULL)
    {
      next->note = g_strdup (text);
      next->invalid = g_strdup (_("it is free text and names no axis"));
    }
  else
    {
      next->from = g_strdup (g_hash_table_lookup (pairs, "from"));
      next->to = g_strdup (g_hash_table_lookup (pairs, "to"));
      next->note = g_strdup (g_hash_table_lookup (pairs, "note"));
    }
  g_strfreev (next->held);
  next->held = g_strsplit (held != NULL ? held : "", ", ", -1);
  assay_record_take_next_trial (self->record, next);
}

static gboolean
import_field (Import *self, AssayFieldId field, const char *raw, GError **error)
{
  const AssayGroup group = assay_field_get_info (field)->group;
  if (group == ASSAY_GROUP_CONDITIONS)
    return import_value (self, self->conditions, field, raw, error);
  if (group == ASSAY_GROUP_BURDEN)
    return import_value (self, assay_record_get_burden (self->record), field, raw, error);
  if (group == ASSAY_GROUP_OUTCOME)
    return import_value (self, assay_record_get_outcome (self->record), field, raw, error);
  if (*raw == '\0')
    return TRUE;
  g_autoptr(AssayValues) values = assay_values_new ();
  if (!import_value (self, values, field, raw, error))
    return FALSE;
  const char *text = assay_values_get_text (values, field);
  if (text == NULL)
    return import_fail (self, error, ASSAY_LEDGER_ERROR_VALUE, _("%s cannot be unknown: leave it empty"),
                        assay_field_get_info (field)->name);
  if (field == ASSAY_FIELD_RUN_ID)
    return import_run_id (self, text, error);
  if (field == ASSAY_FIELD_QUALITY_NOTE)
    import_quality_note (self, text);
  else if (field == ASSAY_FIELD_NEXT_TRIAL)
    import_next_trial (self, text);
  return TRUE;
}

/* Records */

static void
import_begin (Import *self)
{
  if (self->record != NULL)
    return;
  self->record = assay_record_new ();
  self->conditions = assay_values_new ();
  self->requested = assay_values_new ();
  memset (self->left_to_engine, 0, sizeof self->left_to_engine);
  self->had_verdicts = FALSE;
  g_hash_table_remove_all (self->keys);
}

static gboolean
import_end (Import *self, GError **error)
{
  if (self->record == NULL)
    return TRUE;
  if (!g_hash_table_add (self->ids, g_strdup (assay_record_get_id (self->record))))
    return import_fail (self, error, ASSAY_LEDGER_ERROR_FORMAT,
                        _("the record that ends here repeats run_id %s"),
                        assay_record_get_id (self->record));
  for (AssayFieldId field = 0; field < ASSAY_N_FIELDS; field++)
    {
      const gboolean deviates = assay_values_get_state (self->requested, field) != ASSAY_VALUE_UNSET;
      if (deviates)
        assay_values_copy_field (assay_record_get_conditions (self->record), self->requested, field);
      assay_values_copy_field (deviates || self->left_to_engine[field] ? assay_record_get_effective (self->record)
                                                                 : assay_record_get_conditions (self->record),
                         self->conditions, field);
    }
  if (self->had_verdicts)
    assay_record_add_notice (self->record, _("The verdicts of gates were not imported: they are judged anew, and "
                                             "reviews are not part of this format"));
  assay_record_seal (self->record);
  g_ptr_array_add (self->records, g_steal_pointer (&self->record));
  g_clear_pointer (&self->conditions, assay_values_unref);
  g_clear_pointer (&self->requested, assay_values_unref);
  return TRUE;
}

static gboolean
import_dotted (Import *self, const char *key, const char *raw, GError **error)
{
  if (g_str_has_prefix (key, "requested."))
    {
      const AssayFieldId field = assay_field_from_name (key + strlen ("requested."));
      if (field != ASSAY_FIELD_INVALID && assay_field_get_info (field)->group == ASSAY_GROUP_CONDITIONS)
        return import_value (self, self->requested, field, raw, error);
    }
  else if (g_str_has_suffix (key, ".measure"))
    {
      g_autofree char *name = g_strndup (key, strlen (key) - strlen (".measure"));
      const AssayFieldId field = assay_field_from_name (name);
      if (field != ASSAY_FIELD_INVALID && assay_field_get_info (field)->group == ASSAY_GROUP_BURDEN)
        return import_measure (self, field, raw, error);
    }
  g_autofree char *shown = dup_shown (key);
  return import_fail (self, error, ASSAY_LEDGER_ERROR_FORMAT,
                      _("unknown key “%s”: keys are the record's field names, which 'assay fields' lists"),
                      shown);
}

static gboolean
import_pair (Import *self, const char *key, const char *raw, GError **error)
{
  const AssayFieldId field = assay_field_from_name (key);
  import_begin (self);
  if (!g_hash_table_add (self->keys, g_strdup (key)))
    return import_fail (self, error, ASSAY_LEDGER_ERROR_FORMAT,
                        _("“%s” a second time in one record: an empty line parts two records"), key);
  if (field != ASSAY_FIELD_INVALID)
    return import_field (self, field, raw, error);
  if (g_str_has_prefix (key, "gate_"))
    return import_gate (self, key, raw, error);
  if (g_str_equal (key, "left_to_engine"))
    return import_left_to_engine (self, raw, error);
  if (g_str_equal (key, "parent") || g_str_equal (key, "changed"))
    return *raw == '\0' || import_link (self, key, raw, error);
  return import_dotted (self, key, raw, error);
}

/* line: without its end. */
static gboolean
import_line (Import *self, const char *line, gsize length, GError **error)
{
  g_autofree char *text = g_strndup (line, length);
  if (memchr (line, '\0', length) != NULL)
    return import_fail (self, error, ASSAY_LEDGER_ERROR_FORMAT, _("a NUL byte: this is not a text file"));
  const char *invalid;
  if (!g_utf8_validate (text, -1, &invalid))
    return import_fail (self, error, ASSAY_LEDGER_ERROR_FORMAT,
                        _("byte %u is not UTF-8: save the file as UTF-8"), (guint)(invalid - text) + 1);
  g_strstrip (text);
  if (*text == '\0')
    return import_end (self, error);
  if (*text == '#')
    return TRUE;
  char *colon = strchr (text, ':');
  if (colon == NULL)
    {
      g_autofree char *shown = dup_shown (text);
      return import_fail (self, error, ASSAY_LEDGER_ERROR_FORMAT, _("“%s” is not 'name: value'"), shown);
    }
  *colon = '\0';
  return import_pair (self, g_strchomp (text), g_strstrip (colon + 1), error);
}

static gboolean
import_text (Import *self, const char *text, gsize length, GError **error)
{
  const char *p = text, *end = text + length;
  if (length > IMPORT_MAX_BYTES)
    return import_fail (self, error, ASSAY_LEDGER_ERROR_FORMAT, _("larger than 64 MiB: import it in parts"));
  if (length >= 3 && memcmp (p, "\xef\xbb\xbf", 3) == 0)
    p += 3;
  while (p < end)
    {
      const char *stop = memchr (p, '\n', (gsize) (end - p));
      const char *next = stop != NULL ? stop + 1 : end;
      gsize n = (gsize) ((stop != NULL ? stop : end) - p);
      self->line++;
      if (n > 0 && p[n - 1] == '\r')
        n--;
      if (!import_line (self, p, n, error))
        return FALSE;
      p = next;
    }
  return import_end (self, error);
}

GPtrArray *
assay_import_key_value (const char *text, gssize length, const char *name, GError **error)
{
  g_return_val_if_fail (text != NULL, NULL);
  Import self = { .name = name != NULL ? name : "-" };
  self.records = g_ptr_array_new_with_free_func (g_object_unref);
  self.ids = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self.keys = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  gboolean fine = import_text (&self, text, length < 0 ? strlen (text) : (gsize) length, error);
  if (fine && self.records->len == 0)
    fine = import_fail (&self, error, ASSAY_LEDGER_ERROR_FORMAT, _("there is no record in it"));
  g_clear_object (&self.record);
  g_clear_pointer (&self.conditions, assay_values_unref);
  g_clear_pointer (&self.requested, assay_values_unref);
  g_hash_table_unref (self.ids);
  g_hash_table_unref (self.keys);
  if (!fine)
    g_clear_pointer (&self.records, g_ptr_array_unref);
  return self.records;
}
