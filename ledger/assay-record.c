/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-record.c: one run.
 *
 * Two things are made only when somebody asks: the series (a run of ten minutes is 70 KB decoded, and a list
 * of five thousand runs needs none of them) and the values of the groups quality and plan, which are told
 * from the reviews. Sealed records are shared between threads, so both are made under one lock, held for the
 * making. */
#include "assay-record-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "assay-splice.h"
#include "assay-timestamp.h"
#include "assay-values-private.h"

G_DEFINE_FINAL_TYPE (AssayRecord, assay_record, G_TYPE_OBJECT)

static GMutex late_lock;

AssayScope *
assay_scope_new (char **declarations)
{
  AssayScope *self = g_new0 (AssayScope, 1);
  g_atomic_ref_count_init (&self->refs);
  self->declarations = declarations;
  return self;
}

AssayScope *
assay_scope_ref (AssayScope *self)
{
  g_atomic_ref_count_inc (&self->refs);
  return self;
}

void
assay_scope_unref (AssayScope *self)
{
  if (self == NULL || !g_atomic_ref_count_dec (&self->refs))
    return;
  g_strfreev (self->declarations);
  g_free (self);
}

const char *
assay_scope_lookup (const AssayScope *self, const char *prefix)
{
  for (char **p = self->declarations; *p != NULL; p += 2)
    if (g_str_equal (p[0], prefix))
      return p[1];
  return NULL;
}

static void
assay_record_finalize (GObject *object)
{
  AssayRecord *self = ASSAY_RECORD (object);

  g_free (self->id);
  g_free (self->parent);
  g_free (self->changed);
  g_free (self->planned);
  g_free (self->duplicate_of);
  g_free (self->accepted);
  assay_values_unref (self->conditions);
  assay_values_unref (self->effective);
  assay_values_unref (self->burden);
  assay_values_unref (self->outcome);
  assay_values_unref (self->derived);
  g_ptr_array_unref (self->outputs);
  g_ptr_array_unref (self->reviews);
  g_strfreev (self->dropped);
  assay_next_trial_free (self->next_trial);
  assay_series_unref (self->series);
  g_free (self->holders);
  g_free (self->damage);
  g_clear_pointer (&self->notices, g_ptr_array_unref);
  g_clear_pointer (&self->source, g_bytes_unref);
  g_clear_pointer (&self->origin, g_bytes_unref);
  assay_scope_unref (self->scope);
  G_OBJECT_CLASS (assay_record_parent_class)->finalize (object);
}

static void
assay_record_class_init (AssayRecordClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = assay_record_finalize;
}

static void
assay_record_init (AssayRecord *self)
{
  self->conditions = assay_values_new ();
  self->effective = assay_values_new ();
  self->burden = assay_values_new ();
  self->outcome = assay_values_new ();
  self->outputs = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_output_free);
  self->reviews = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_review_free);
}

AssayRecord *
assay_record_new (void)
{
  AssayRecord *self = g_object_new (ASSAY_TYPE_RECORD, NULL);
  self->id = assay_dup_random_id ("");
  return self;
}

static void
record_copy_values (AssayValues **to, const AssayValues *from)
{
  assay_values_unref (*to);
  *to = assay_values_copy (from);
}

AssayRecord *
assay_record_copy (AssayRecord *self)
{
  AssayRecord *copy = g_object_new (ASSAY_TYPE_RECORD, NULL);

  copy->id = g_strdup (self->id);
  copy->parent = g_strdup (self->parent);
  copy->changed = g_strdup (self->changed);
  copy->duplicate_of = g_strdup (self->duplicate_of);
  copy->accepted = g_strdup (self->accepted);
  copy->planned = g_strdup (self->planned);
  copy->holders = g_strdup (self->holders);
  copy->damage = g_strdup (self->damage);
  record_copy_values (&copy->conditions, self->conditions);
  record_copy_values (&copy->effective, self->effective);
  record_copy_values (&copy->burden, self->burden);
  record_copy_values (&copy->outcome, self->outcome);
  for (guint i = 0; i < self->outputs->len; i++)
    g_ptr_array_add (copy->outputs, assay_output_copy (g_ptr_array_index (self->outputs, i)));
  for (guint i = 0; i < self->reviews->len; i++)
    g_ptr_array_add (copy->reviews, assay_review_copy (g_ptr_array_index (self->reviews, i)));
  copy->dropped = g_strdupv (self->dropped);
  copy->next_trial = self->next_trial == NULL ? NULL : assay_next_trial_copy (self->next_trial);
  for (guint i = 0; self->notices != NULL && i + 1 < self->notices->len; i++)
    assay_record_add_notice (copy, "%s", (char *) g_ptr_array_index (self->notices, i));
  copy->series = assay_series_ref (assay_record_get_series (self));

  g_mutex_lock (&late_lock);
  GBytes *bytes = self->source != NULL ? self->source : self->origin;
  copy->origin = bytes == NULL ? NULL : g_bytes_ref (bytes);
  copy->scope = self->scope == NULL ? NULL : assay_scope_ref (self->scope);
  copy->checksum = self->checksum;
  g_mutex_unlock (&late_lock);
  return copy;
}

void
assay_record_seal (AssayRecord *self)
{
  if (self->sealed)
    return;
  assay_values_freeze (self->conditions);
  assay_values_freeze (self->effective);
  assay_values_freeze (self->burden);
  assay_values_freeze (self->outcome);
  self->sealed = TRUE;
}

gboolean
assay_record_is_sealed (AssayRecord *self)
{
  return self->sealed;
}

const char *
assay_record_get_id (AssayRecord *self)
{
  return self->id;
}

const char *
assay_record_get_parent (AssayRecord *self)
{
  return self->parent;
}

const char *
assay_record_get_changed (AssayRecord *self)
{
  return self->changed;
}

const char *
assay_record_get_planned (AssayRecord *self)
{
  return self->planned;
}

void
assay_record_set_planned (AssayRecord *self, const char *planned)
{
  g_return_if_fail (!self->sealed);
  char *kept = g_strdup (planned);
  g_free (self->planned);
  self->planned = kept;
}

const char *
assay_record_get_accepted (AssayRecord *self)
{
  gint64 ignored;
  if (self->accepted == NULL || assay_timestamp_parse (self->accepted, &ignored) == ASSAY_TIMESTAMP_INVALID)
    return NULL;
  return self->accepted;
}

void
assay_record_set_accepted (AssayRecord *self, const char *accepted)
{
  g_return_if_fail (!self->sealed);
  char *kept = g_strdup (accepted);
  g_free (self->accepted);
  self->accepted = kept;
}

void
assay_record_set_id (AssayRecord *self, const char *id)
{
  g_return_if_fail (!self->sealed && id != NULL && *id != '\0');
  char *kept = g_strdup (id);
  g_free (self->id);
  self->id = kept;
}

void
assay_record_set_parent (AssayRecord *self, const char *parent, const char *changed)
{
  g_return_if_fail (!self->sealed);
  char *kept = g_strdup (parent), *kept_changed = g_strdup (changed);
  g_free (self->parent);
  g_free (self->changed);
  self->parent = kept;
  self->changed = kept_changed;
}

AssayValues *
assay_record_get_conditions (AssayRecord *self)
{
  return self->conditions;
}

AssayValues *
assay_record_get_effective (AssayRecord *self)
{
  return self->effective;
}

AssayValues *
assay_record_get_burden (AssayRecord *self)
{
  return self->burden;
}

AssayValues *
assay_record_get_outcome (AssayRecord *self)
{
  return self->outcome;
}

void
assay_record_take_conditions (AssayRecord *self, AssayValues *values)
{
  g_return_if_fail (!self->sealed && values != NULL);
  assay_values_unref (self->conditions);
  self->conditions = values;
}

static char *
record_describe_next_trial (const AssayNextTrial *next)
{
  g_autofree char *held = g_strjoinv (", ", next->held);
  GString *text = g_string_new (next->signal);

  g_string_append_printf (text, ": %s %s → %s", next->axis, next->from == NULL ? "–" : next->from,
                          next->to == NULL ? "–" : next->to);
  if (*held != '\0')
    g_string_append_printf (text, "; held: %s", held);
  if (next->note != NULL && *next->note != '\0')
    g_string_append_printf (text, "; %s", next->note);
  return g_string_free (text, FALSE);
}

static AssayValues *
record_derive (AssayRecord *self)
{
  AssayValues *derived = assay_values_new ();
  g_autoptr(GPtrArray) reviews = assay_record_get_current_reviews (self);

  assay_values_set_text (derived, ASSAY_FIELD_RUN_ID, self->id);
  for (guint i = reviews->len; i > 0; i--)
    {
      const AssayReview *review = g_ptr_array_index (reviews, i - 1);
      if (review->quality_note == NULL)
        continue;
      assay_values_set_text (derived, ASSAY_FIELD_QUALITY_NOTE, review->quality_note);
      break;
    }
  if (self->next_trial != NULL)
    {
      g_autofree char *next = record_describe_next_trial (self->next_trial);
      assay_values_set_text (derived, ASSAY_FIELD_NEXT_TRIAL, next);
    }
  return derived;
}

static const AssayValues *
record_get_derived (AssayRecord *self)
{
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&late_lock);

  if (!self->sealed)
    g_clear_pointer (&self->derived, assay_values_unref);
  if (self->derived == NULL)
    self->derived = record_derive (self);
  return self->derived;
}

const AssayValues *
assay_record_get_values_for (AssayRecord *self, AssayFieldId field)
{
  switch (assay_field_get_info (field)->group)
    {
    case ASSAY_GROUP_CONDITIONS:
      return assay_values_get_state (self->effective, field) != ASSAY_VALUE_UNSET ? self->effective
                                                                                  : self->conditions;
    case ASSAY_GROUP_BURDEN: return self->burden;
    case ASSAY_GROUP_OUTCOME: return self->outcome;
    case ASSAY_GROUP_IDENTITY:
    case ASSAY_GROUP_QUALITY:
    case ASSAY_GROUP_PLAN:
    default: return record_get_derived (self);
    }
}

AssayRunStatus
assay_record_get_status (AssayRecord *self)
{
  return assay_run_status_from_name (assay_values_get_text (self->outcome, ASSAY_FIELD_STATUS));
}

void
assay_record_set_status (AssayRecord *self, AssayRunStatus status)
{
  g_return_if_fail (!self->sealed);
  if (status == ASSAY_STATUS_UNKNOWN)
    assay_values_unset (self->outcome, ASSAY_FIELD_STATUS);
  else
    assay_values_set_text (self->outcome, ASSAY_FIELD_STATUS, assay_run_status_get_name (status));
}

GPtrArray *
assay_record_get_outputs (AssayRecord *self)
{
  return self->outputs;
}

GPtrArray *
assay_record_get_reviews (AssayRecord *self)
{
  return self->reviews;
}

AssaySeries *
assay_record_get_series (AssayRecord *self)
{
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&late_lock);

  if (self->series == NULL && self->load_series != NULL)
    self->series = self->load_series (self);
  if (self->series == NULL)
    self->series = assay_series_new (0);
  return self->series;
}

void
assay_record_take_series (AssayRecord *self, AssaySeries *series)
{
  g_return_if_fail (!self->sealed && series != NULL);
  assay_series_unref (self->series);
  self->series = series;
}

const AssayNextTrial *
assay_record_get_next_trial (AssayRecord *self)
{
  return self->next_trial;
}

void
assay_record_take_next_trial (AssayRecord *self, AssayNextTrial *next)
{
  g_return_if_fail (!self->sealed);
  assay_next_trial_free (self->next_trial);
  self->next_trial = next;
}

/* Which reviews are corrected, and by which; by another than itself where several say so. */
static GHashTable *
record_index_corrections (AssayRecord *self)
{
  GHashTable *corrections = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < self->reviews->len; i++)
    {
      const AssayReview *review = g_ptr_array_index (self->reviews, i);
      if (review->supersedes != NULL
          && (review->id == NULL || !g_str_equal (review->supersedes, review->id)
              || !g_hash_table_contains (corrections, review->supersedes)))
        g_hash_table_insert (corrections, review->supersedes, (gpointer) review);
    }
  return corrections;
}

static const char *
review_get_reviewer (const AssayReview *review)
{
  return review->reviewer != NULL ? review->reviewer : "";
}

/* A file may hold tens of thousands of reviews of one run: once through them, whatever they are. */
static void
record_list_current (AssayRecord *self, GPtrArray *current)
{
  g_autoptr(GHashTable) corrections = record_index_corrections (self);
  g_autoptr(GHashTable) last = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < self->reviews->len; i++)
    {
      AssayReview *review = g_ptr_array_index (self->reviews, i);
      g_hash_table_insert (last, (gpointer) review_get_reviewer (review), review);
    }
  for (guint i = 0; i < self->reviews->len; i++)
    {
      AssayReview *review = g_ptr_array_index (self->reviews, i);
      const AssayReview *by = review->id != NULL ? g_hash_table_lookup (corrections, review->id) : NULL;
      if ((by == NULL || by == review) && g_hash_table_lookup (last, review_get_reviewer (review)) == review)
        g_ptr_array_add (current, review);
    }
}

/* A rating of a run that ended early and left nothing to rate is kept in the file and counts nowhere. */
static gboolean
record_has_nothing_to_rate (AssayRecord *self)
{
  const AssayRunStatus status = assay_record_get_status (self);
  return self->outputs->len == 0 && status != ASSAY_STATUS_COMPLETED && status != ASSAY_STATUS_UNKNOWN;
}

GPtrArray *
assay_record_get_current_reviews (AssayRecord *self)
{
  GPtrArray *current = g_ptr_array_new ();

  if (self->reviews->len > 0 && !record_has_nothing_to_rate (self))
    record_list_current (self, current);
  return current;
}

const char *
assay_record_get_baseline_holders (AssayRecord *self)
{
  return self->holders;
}

void
assay_record_set_baseline_holders (AssayRecord *self, const char *holders)
{
  g_return_if_fail (!self->sealed);
  char *kept = g_strdup (holders);
  g_free (self->holders);
  self->holders = kept;
}

gboolean
assay_record_is_damaged (AssayRecord *self)
{
  return self->damage != NULL;
}

const char *
assay_record_get_damage (AssayRecord *self)
{
  return self->damage;
}

void
assay_record_set_damage (AssayRecord *self, const char *damage)
{
  g_return_if_fail (!self->sealed);
  if (self->damage == NULL) /* the first reason explains the others */
    self->damage = g_strdup (damage);
}

const char *const *
assay_record_get_notices (AssayRecord *self)
{
  static const char *const none[] = { NULL };
  return self->notices == NULL ? none : (const char *const *) self->notices->pdata;
}

void
assay_record_add_notice (AssayRecord *self, const char *format, ...)
{
  va_list args;

  if (self->notices == NULL)
    {
      self->notices = g_ptr_array_new_with_free_func (g_free);
      g_ptr_array_add (self->notices, NULL);
    }
  va_start (args, format);
  g_ptr_array_insert (self->notices, (gint) self->notices->len - 1, g_strdup_vprintf (format, args));
  va_end (args);
}

void
assay_record_keep_source (AssayRecord *self, GBytes *source, AssayScope *scope, guint64 checksum)
{
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&late_lock);

  g_clear_pointer (&self->source, g_bytes_unref);
  g_clear_pointer (&self->origin, g_bytes_unref);
  assay_scope_ref (scope);
  assay_scope_unref (self->scope);
  self->source = g_bytes_ref (source);
  self->scope = scope;
  self->seal = assay_splice_seal (g_bytes_get_data (source, NULL), g_bytes_get_size (source));
  self->has_seal = TRUE;
  self->led = FALSE;
  self->checksum = checksum;
  self->has_checksum = TRUE;
}

GBytes *
assay_record_dup_passage (AssayRecord *self, AssayScope **scope, guint64 *seal, gboolean *led)
{
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&late_lock);

  /* one without a checksum of its own gets one when it is written */
  if (self->source == NULL || !self->has_seal || (self->damage == NULL && !self->has_checksum))
    return NULL;
  *scope = assay_scope_ref (self->scope);
  *seal = self->seal;
  *led = self->led;
  return g_bytes_ref (self->source);
}

static GBytes *
record_dup_bytes (AssayRecord *self, GBytes *const *bytes, AssayScope **scope)
{
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&late_lock);

  *scope = *bytes == NULL ? NULL : assay_scope_ref (self->scope);
  return *bytes == NULL ? NULL : g_bytes_ref (*bytes);
}

GBytes *
assay_record_dup_source (AssayRecord *self, AssayScope **scope)
{
  return record_dup_bytes (self, &self->source, scope);
}

GBytes *
assay_record_dup_origin (AssayRecord *self, AssayScope **scope)
{
  return record_dup_bytes (self, &self->origin, scope);
}

/* A value of the record in file form: NULL when unset or unknown. */
static char *
record_dup_value (AssayRecord *self, AssayFieldId field)
{
  return assay_values_dup_text (assay_record_get_values_for (self, field), field);
}

char *
assay_record_check_next_trial (AssayRecord *self, const AssayNextTrial *next)
{
  const char *axis = next->axis == NULL ? "" : next->axis;
  const AssayFieldId field = assay_field_from_name (axis);

  if (strpbrk (axis, ",;| ") != NULL)
    return g_strdup_printf (_("“%s” names more than one axis: one signal, one changed axis"), axis);
  if (assay_axis_from_name (axis) == ASSAY_AXIS_NONE)
    return g_strdup_printf (_("“%s” is no axis that a trial can change"), axis);
  if (assay_axis_is_hidden (assay_axis_from_name (axis)))
    return g_strdup_printf (_("“%s” is recorded and cannot be chosen"), axis);
  if (next->held != NULL && g_strv_contains ((const char *const *) next->held, axis))
    return g_strdup_printf (_("“%s” is both changed and held fixed"), axis);
  if (g_strcmp0 (next->from, next->to) == 0)
    return g_strdup_printf (_("nothing changes: %s stays “%s”"), axis, next->to == NULL ? "–" : next->to);
  if (field == ASSAY_FIELD_INVALID)
    return NULL;

  g_autofree char *present = record_dup_value (self, field);
  if (next->to != NULL && g_strcmp0 (next->to, present) == 0)
    return g_strdup_printf (_("nothing changes: %s is “%s” already"), axis, present);
  if (next->from != NULL && g_strcmp0 (next->from, present) != 0)
    return g_strdup_printf (_("%s is “%s” in this run, not “%s”"), axis, present == NULL ? "–" : present,
                            next->from);
  return NULL;
}
