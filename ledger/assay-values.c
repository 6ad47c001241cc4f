/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-values.c: a sparse, sorted array of what is not unset.
 *
 * A ledger holds thousands of these with some thirty fields each, most of their texts the same (model,
 * device, build). So: no array over all fields, and texts are shared through GLib's table of
 * reference-counted strings. Reading and writing as text is in assay-value-text.c. */
#include "assay-values.h"

#include <math.h>
#include <string.h>

#include "assay-values-private.h"

typedef struct
{
  guint16 field;
  guint8 state;       /* AssayValueState, never UNSET */
  union
  {
    gint64 integer;   /* INTEGER, BOOLEAN */
    double real;
    char *text;       /* GRefString: TEXT, CHOICE, and the reason of an unknown */
  };
  AssayMeasure *measure;
} ValuesEntry;

struct _AssayValues
{
  gatomicrefcount refs;
  gboolean frozen;
  GArray *entries;    /* (element-type ValuesEntry), by field */
};

static AssayFieldType
values_type (guint field)
{
  return assay_field_get_info ((AssayFieldId) field)->type;
}

static gboolean
values_entry_has_text (const ValuesEntry *entry)
{
  const AssayFieldType type = values_type (entry->field);
  return entry->state == ASSAY_VALUE_UNKNOWN || type == ASSAY_VALUE_TYPE_TEXT
         || type == ASSAY_VALUE_TYPE_CHOICE;
}

/* Shared between copies of a set, not interned: in GLib 2.74 one thread can be handed an interned string that another
 * is just giving up. */
static char *
values_ref_text (const char *text)
{
  return text == NULL ? NULL : g_ref_string_new (text);
}

static void
values_measure_free (AssayMeasure *measure)
{
  if (measure == NULL)
    return;
  g_clear_pointer ((char **) &measure->kind, g_ref_string_release);
  g_clear_pointer ((char **) &measure->source, g_ref_string_release);
  g_free (measure);
}

static AssayMeasure *
values_measure_copy (const AssayMeasure *measure)
{
  if (measure == NULL)
    return NULL;
  AssayMeasure *copy = g_new (AssayMeasure, 1);
  *copy = *measure;
  copy->kind = values_ref_text (measure->kind);
  copy->source = values_ref_text (measure->source);
  return copy;
}

static void
values_entry_drop_value (ValuesEntry *entry)
{
  if (values_entry_has_text (entry))
    g_clear_pointer (&entry->text, g_ref_string_release);
}

static void
values_entry_clear (gpointer data)
{
  ValuesEntry *entry = data;
  values_entry_drop_value (entry);
  values_measure_free (entry->measure);
}

AssayValues *
assay_values_new (void)
{
  AssayValues *self = g_new0 (AssayValues, 1);
  g_atomic_ref_count_init (&self->refs);
  self->entries = g_array_new (FALSE, FALSE, sizeof (ValuesEntry));
  g_array_set_clear_func (self->entries, values_entry_clear);
  return self;
}

AssayValues *
assay_values_ref (AssayValues *self)
{
  g_atomic_ref_count_inc (&self->refs);
  return self;
}

void
assay_values_unref (AssayValues *self)
{
  if (self == NULL || !g_atomic_ref_count_dec (&self->refs))
    return;
  g_array_unref (self->entries);
  g_free (self);
}

void
assay_values_freeze (AssayValues *self)
{
  self->frozen = TRUE;
}

static void
values_entry_copy (ValuesEntry *to, const ValuesEntry *from)
{
  *to = *from;
  if (values_entry_has_text (from) && from->text != NULL)
    to->text = g_ref_string_acquire (from->text);
  to->measure = values_measure_copy (from->measure);
}

AssayValues *
assay_values_copy (const AssayValues *self)
{
  AssayValues *copy = assay_values_new ();

  g_array_set_size (copy->entries, self->entries->len);
  for (guint i = 0; i < self->entries->len; i++)
    {
      const ValuesEntry *from = &g_array_index (self->entries, ValuesEntry, i);
      ValuesEntry *to = &g_array_index (copy->entries, ValuesEntry, i);
      values_entry_copy (to, from);
    }
  return copy;
}

static gboolean
values_measure_equal (const AssayMeasure *a, const AssayMeasure *b)
{
  if (a == NULL || b == NULL)
    return a == b;
  return g_strcmp0 (a->kind, b->kind) == 0 && g_strcmp0 (a->source, b->source) == 0
         && a->interval_ns == b->interval_ns && a->n_samples == b->n_samples;
}

/* Of one field and one state. */
static gboolean
values_entry_says_same (const ValuesEntry *a, const ValuesEntry *b)
{
  if (values_entry_has_text (a))
    return g_strcmp0 (a->text, b->text) == 0;
  if (values_type (a->field) == ASSAY_VALUE_TYPE_REAL)
    return a->real == b->real;
  return a->integer == b->integer;
}

static gboolean
values_entry_equal (const ValuesEntry *a, const ValuesEntry *b)
{
  return a->field == b->field && a->state == b->state && values_measure_equal (a->measure, b->measure)
         && values_entry_says_same (a, b);
}

gboolean
assay_values_equal (const AssayValues *a, const AssayValues *b)
{
  if (a->entries->len != b->entries->len)
    return FALSE;
  for (guint i = 0; i < a->entries->len; i++)
    if (!values_entry_equal (&g_array_index (a->entries, ValuesEntry, i),
                             &g_array_index (b->entries, ValuesEntry, i)))
      return FALSE;
  return TRUE;
}

/* The position of a field, or of the place where it would be put in. */
static guint
values_locate (const AssayValues *self, AssayFieldId field, gboolean *found)
{
  guint low = 0, high = self->entries->len;

  while (low < high)
    {
      const guint middle = (low + high) / 2;
      if (g_array_index (self->entries, ValuesEntry, middle).field < field)
        low = middle + 1;
      else
        high = middle;
    }
  *found = low < self->entries->len && g_array_index (self->entries, ValuesEntry, low).field == field;
  return low;
}

static const ValuesEntry *
values_find (const AssayValues *self, AssayFieldId field)
{
  gboolean found;
  const guint at = values_locate (self, field, &found);
  return found ? &g_array_index (self->entries, ValuesEntry, at) : NULL;
}

static const ValuesEntry *
values_find_set (const AssayValues *self, AssayFieldId field)
{
  const ValuesEntry *entry = values_find (self, field);
  return entry != NULL && entry->state == ASSAY_VALUE_SET ? entry : NULL;
}

gboolean
assay_values_equal_in (const AssayValues *a, const AssayValues *b, AssayFieldId field)
{
  const ValuesEntry *one = values_find_set (a, field), *other = values_find_set (b, field);
  return one == NULL || other == NULL ? one == other : values_entry_says_same (one, other);
}

guint
assay_values_get_n (const AssayValues *self)
{
  return self->entries->len;
}

AssayFieldId
assay_values_get_nth (const AssayValues *self, guint i)
{
  return (AssayFieldId) g_array_index (self->entries, ValuesEntry, i).field;
}

AssayValueState
assay_values_get_state (const AssayValues *self, AssayFieldId field)
{
  const ValuesEntry *entry = values_find (self, field);
  return entry == NULL ? ASSAY_VALUE_UNSET : (AssayValueState) entry->state;
}

const char *
assay_values_get_reason (const AssayValues *self, AssayFieldId field)
{
  const ValuesEntry *entry = values_find (self, field);
  return entry != NULL && entry->state == ASSAY_VALUE_UNKNOWN ? entry->text : NULL;
}

gboolean
assay_values_get_integer (const AssayValues *self, AssayFieldId field, gint64 *out)
{
  const ValuesEntry *entry = values_find_set (self, field);

  g_return_val_if_fail (values_type (field) == ASSAY_VALUE_TYPE_INTEGER, FALSE);
  if (entry != NULL && out != NULL)
    *out = entry->integer;
  return entry != NULL;
}

gboolean
assay_values_get_real (const AssayValues *self, AssayFieldId field, double *out)
{
  const ValuesEntry *entry = values_find_set (self, field);
  const AssayFieldType type = values_type (field);

  g_return_val_if_fail (type == ASSAY_VALUE_TYPE_INTEGER || type == ASSAY_VALUE_TYPE_REAL, FALSE);
  if (entry != NULL && out != NULL)
    *out = type == ASSAY_VALUE_TYPE_REAL ? entry->real : (double) entry->integer;
  return entry != NULL;
}

gboolean
assay_values_get_boolean (const AssayValues *self, AssayFieldId field, gboolean *out)
{
  const ValuesEntry *entry = values_find_set (self, field);

  g_return_val_if_fail (values_type (field) == ASSAY_VALUE_TYPE_BOOLEAN, FALSE);
  if (entry != NULL && out != NULL)
    *out = entry->integer != 0;
  return entry != NULL;
}

const char *
assay_values_get_text (const AssayValues *self, AssayFieldId field)
{
  const ValuesEntry *entry = values_find_set (self, field);
  return entry != NULL && values_entry_has_text (entry) ? entry->text : NULL;
}

const AssayMeasure *
assay_values_get_measure (const AssayValues *self, AssayFieldId field)
{
  const ValuesEntry *entry = values_find (self, field);
  return entry == NULL ? NULL : entry->measure;
}

/* The entry of a field with its old value dropped and its measure kept. */
static ValuesEntry *
values_claim (AssayValues *self, AssayFieldId field, AssayValueState state)
{
  gboolean found;
  const guint at = values_locate (self, field, &found);

  if (!found)
    {
      const ValuesEntry fresh = { .field = (guint16) field, .state = ASSAY_VALUE_UNKNOWN };
      g_array_insert_val (self->entries, at, fresh);
    }
  ValuesEntry *entry = &g_array_index (self->entries, ValuesEntry, at);
  values_entry_drop_value (entry);
  entry->state = (guint8) state;
  entry->integer = 0;
  return entry;
}

static gboolean
values_is_writable (AssayValues *self)
{
  return !self->frozen && g_atomic_ref_count_compare (&self->refs, 1);
}

void
assay_values_set_integer (AssayValues *self, AssayFieldId field, gint64 value)
{
  g_return_if_fail (values_is_writable (self));
  g_return_if_fail (values_type (field) == ASSAY_VALUE_TYPE_INTEGER);
  values_claim (self, field, ASSAY_VALUE_SET)->integer = value;
}

void
assay_values_set_real (AssayValues *self, AssayFieldId field, double value)
{
  g_return_if_fail (values_is_writable (self));
  g_return_if_fail (values_type (field) == ASSAY_VALUE_TYPE_REAL && isfinite (value));
  /* Files hold nine digits of seconds: what is kept is what a file would give back. */
  if (assay_field_get_info (field)->unit == ASSAY_UNIT_SECONDS && fabs (value) < 9e6)
    value = round (value * 1e9) / 1e9;
  values_claim (self, field, ASSAY_VALUE_SET)->real = value == 0 ? 0 : value;
}

void
assay_values_set_boolean (AssayValues *self, AssayFieldId field, gboolean value)
{
  g_return_if_fail (values_is_writable (self));
  g_return_if_fail (values_type (field) == ASSAY_VALUE_TYPE_BOOLEAN);
  values_claim (self, field, ASSAY_VALUE_SET)->integer = value != FALSE;
}

void
assay_values_set_text (AssayValues *self, AssayFieldId field, const char *value)
{
  const AssayFieldType type = values_type (field);

  g_return_if_fail (values_is_writable (self) && value != NULL);
  g_return_if_fail (type == ASSAY_VALUE_TYPE_TEXT || type == ASSAY_VALUE_TYPE_CHOICE);
  char *kept = values_ref_text (value); /* before the old one goes: it may be the same */
  values_claim (self, field, ASSAY_VALUE_SET)->text = kept;
}

void
assay_values_set_unknown (AssayValues *self, AssayFieldId field, const char *reason)
{
  g_return_if_fail (values_is_writable (self) && field < ASSAY_N_FIELDS);
  char *kept = values_ref_text (reason == NULL ? "" : reason);
  values_claim (self, field, ASSAY_VALUE_UNKNOWN)->text = kept;
}

void
assay_values_set_measure (AssayValues *self, AssayFieldId field, const AssayMeasure *measure)
{
  gboolean found;
  const guint at = values_locate (self, field, &found);

  g_return_if_fail (values_is_writable (self));
  g_return_if_fail (found); /* how it was had describes a value or an unknown */
  ValuesEntry *entry = &g_array_index (self->entries, ValuesEntry, at);
  AssayMeasure *kept = values_measure_copy (measure);
  values_measure_free (entry->measure);
  entry->measure = kept;
}

void
assay_values_unset (AssayValues *self, AssayFieldId field)
{
  gboolean found;
  const guint at = values_locate (self, field, &found);

  g_return_if_fail (values_is_writable (self));
  if (found)
    g_array_remove_index (self->entries, at);
}

void
assay_values_copy_field (AssayValues *self, const AssayValues *from, AssayFieldId field)
{
  gboolean found;
  const guint at = values_locate (from, field, &found);

  g_return_if_fail (values_is_writable (self) && self != from);
  if (!found)
    {
      assay_values_unset (self, field);
      return;
    }
  ValuesEntry *entry = values_claim (self, field, ASSAY_VALUE_UNKNOWN);
  values_measure_free (entry->measure);
  values_entry_copy (entry, &g_array_index (from->entries, ValuesEntry, at));
}
