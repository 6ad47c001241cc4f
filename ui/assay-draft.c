/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-draft.c: see the header. After every edit the whole draft is checked again: a hundred fields, no I/O, well
 * under a millisecond, and no rule can be forgotten. */
#include "assay-draft-private.h"

#include <glib/gi18n-lib.h>

#include "assay-axes.h"
#include "assay-change.h"
#include "assay-display-text.h"
#include "assay-idle-field.h"
#include "assay-trial.h"
#include "placement/assay-assembly.h"

G_DEFINE_FINAL_TYPE (AssayDraft, assay_draft, G_TYPE_OBJECT)

enum { PROP_0, PROP_PROBLEM, PROP_PARENT, PROP_OPEN_FIELD, N_PROPS };
static GParamSpec *properties[N_PROPS];
enum { SIGNAL_CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

void
draft_update (AssayDraft *self)
{
  if (self->question_set != NULL && !assay_draft_has_prompt (self))
    assay_values_set_text (self->values, ASSAY_FIELD_QUESTION_SET, self->question_set);
  else
    assay_values_unset (self->values, ASSAY_FIELD_QUESTION_SET);
  draft_find_rules (self);
  char *problem = draft_dup_problem (self);
  const gboolean same = g_strcmp0 (problem, self->problem) == 0;
  g_free (self->problem);
  self->problem = problem;
  if (!same)
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PROBLEM]);
  g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
}

/* What was found against other conditions, or done for them, is not held against new ones. */
static void
draft_clear_errors (AssayDraft *self)
{
  g_clear_pointer (&self->foretold, g_free);
  self->foretold_field = ASSAY_FIELD_INVALID;
  self->refused = FALSE;
  for (guint f = 0; f < ASSAY_N_FIELDS; f++)
    {
      g_clear_pointer (&self->typed_error[f], g_free);
      g_clear_pointer (&self->note[f], g_free);
      self->typed[f] = FALSE;
    }
}

static void
draft_notify_lock (AssayDraft *self)
{
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PARENT]);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_OPEN_FIELD]);
  draft_update (self);
}

/* What the machine found out by itself belongs to the run that found it; that a person let tokens pass which may be
 * wrong is no such finding. */
static AssayValues *
draft_dup_asked (const AssayValues *from)
{
  AssayValues *values = from != NULL ? assay_values_copy (from) : assay_values_new ();
  const gboolean unverified
    = g_strcmp0 (assay_values_get_text (values, ASSAY_FIELD_TOKENIZER_NOTE), "unverified") == 0;
  for (guint f = 0; f < ASSAY_N_FIELDS; f++)
    if (assay_field_get_info (f)->section == ASSAY_SECTION_ENVIRONMENT && f != ASSAY_FIELD_MODEL_BYTES
        && !(f == ASSAY_FIELD_TOKENIZER_NOTE && unverified))
      assay_values_unset (values, f);
  assay_values_unset (values, ASSAY_FIELD_OFFLOAD_API); /* follows from the other conditions */
  return values;
}

void
assay_draft_start_baseline (AssayDraft *self, const AssayValues *from)
{
  g_return_if_fail (ASSAY_IS_DRAFT (self));
  AssayValues *values = draft_dup_asked (from);
  assay_values_unref (self->values);
  self->values = values;
  assay_trial_fill_defaults (self->values);
  g_clear_pointer (&self->base, assay_values_unref);
  g_clear_object (&self->parent);
  self->open = ASSAY_FIELD_INVALID;
  draft_clear_errors (self);
  if (assay_values_get_state (self->values, ASSAY_FIELD_MODEL_PATH) != ASSAY_VALUE_SET)
    g_clear_pointer (&self->inspection, assay_inspection_free);
  draft_notify_lock (self);
}

void
assay_draft_continue (AssayDraft *self, AssayRecord *parent, AssayFieldId open, const char *to)
{
  g_return_if_fail (ASSAY_IS_DRAFT (self) && ASSAY_IS_RECORD (parent) && open < ASSAY_N_FIELDS);
  g_autoptr(AssayValues) base = assay_change_dup_base (parent);
  g_set_object (&self->parent, parent);
  self->open = open;
  draft_clear_errors (self);
  assay_values_unref (self->values);
  self->values = assay_values_copy (base);
  g_clear_pointer (&self->base, assay_values_unref);
  self->base = g_steal_pointer (&base);
  if (to != NULL && !assay_draft_is_from_file (open))
    assay_change_apply (self->values, open, to, NULL);
  draft_notify_lock (self);
}

void
assay_draft_move_lock (AssayDraft *self, AssayFieldId open)
{
  g_return_if_fail (ASSAY_IS_DRAFT (self) && self->parent != NULL && open < ASSAY_N_FIELDS);
  assay_values_unref (self->values);
  self->values = assay_values_copy (self->base);
  self->open = open;
  draft_clear_errors (self);
  draft_notify_lock (self);
}

AssayTask
assay_draft_get_task (AssayDraft *self)
{
  return self->task;
}

void
assay_draft_set_task (AssayDraft *self, AssayTask task)
{
  self->task = task;
}

AssayRecord *
assay_draft_get_parent (AssayDraft *self)
{
  g_return_val_if_fail (ASSAY_IS_DRAFT (self), NULL);
  return self->parent;
}

AssayFieldId
assay_draft_get_open_field (AssayDraft *self)
{
  g_return_val_if_fail (ASSAY_IS_DRAFT (self), ASSAY_FIELD_INVALID);
  return self->open;
}

static gboolean
values_are_of_process (const AssayValues *values)
{
  return g_strcmp0 (assay_values_get_text (values, ASSAY_FIELD_RUNTIME), "process") == 0;
}

/* Which program and which script say what the runtime is: one change, of three fields. */
static gboolean
draft_is_fellow (AssayDraft *self, AssayFieldId field)
{
  return self->open == ASSAY_FIELD_RUNTIME && (field == ASSAY_FIELD_PROGRAM || field == ASSAY_FIELD_RECIPE);
}

gboolean
assay_draft_is_open (AssayDraft *self, AssayFieldId field)
{
  return self->parent == NULL || self->open == field || (draft_is_fellow (self, field) && assay_draft_is_process (self));
}

gboolean
assay_draft_is_process (AssayDraft *self)
{
  return values_are_of_process (self->values);
}

gboolean
assay_draft_is_typed (AssayDraft *self, AssayFieldId field)
{
  const gboolean names_model = field == ASSAY_FIELD_MODEL_ID || field == ASSAY_FIELD_MODEL_REVISION;
  return !assay_draft_is_from_file (field) || (names_model && assay_draft_is_process (self));
}

gboolean
assay_draft_shows (AssayDraft *self, AssayFieldId field)
{
  return assay_draft_asks (self->task, field);
}

gboolean
assay_draft_can_unlock (AssayDraft *self, AssayFieldId field)
{
  return assay_draft_can_change (self->task, field);
}

/* A field whose text is no value must stay within reach. */
const char *
assay_draft_get_idle_reason (AssayDraft *self, AssayFieldId field)
{
  return assay_draft_get_error (self, field) == NULL ? assay_idle_field_get_reason (self->values, field) : NULL;
}

const AssayValues *
assay_draft_get_values (AssayDraft *self)
{
  return self->values;
}

/* What the chosen file holds of the field; NULL while no file is known. (transfer full) */
static char *
draft_dup_stored (AssayDraft *self, AssayFieldId field)
{
  if (self->inspection == NULL)
    return NULL;
  g_autoptr(AssayValues) facts = assay_values_new ();
  assay_inspection_fill_conditions (self->inspection, facts);
  return assay_values_dup_text (facts, field);
}

/* The file form of what a person entered; NULL unsets, which for the weights' format means the file's own. */
static gboolean
draft_read_entered (AssayDraft *self, AssayFieldId field, const char *text, char **value, GError **error)
{
  const gboolean of_weights = field == ASSAY_FIELD_QUANTIZATION || field == ASSAY_FIELD_DTYPE;
  *value = *text == '\0' && of_weights ? draft_dup_stored (self, field) : NULL;
  if (*text == '\0')
    return TRUE;
  g_autoptr(AssayValues) read = assay_values_new ();
  if (!assay_values_parse_user (read, field, text, error))
    return FALSE;
  *value = assay_values_dup_text (read, field);
  return TRUE;
}

static void
draft_keep_fellows (AssayDraft *self, AssayValues *values)
{
  static const AssayFieldId runtime[] = { ASSAY_FIELD_RUNTIME, ASSAY_FIELD_PROGRAM, ASSAY_FIELD_RECIPE };
  for (guint i = 0; self->base != NULL && self->open == ASSAY_FIELD_RUNTIME && i < G_N_ELEMENTS (runtime); i++)
    assay_values_copy_field (values, self->values, runtime[i]);
}

/* The conditions with one field entered anew. A child's are always its parent's with one change, so that what a first
 * choice set free is held again when a second one takes it back. (transfer full) */
static AssayValues *
draft_dup_with (AssayDraft *self, AssayFieldId field, const char *value, GError **error)
{
  g_autofree char *from = assay_values_dup_text (self->values, field);
  g_autoptr(AssayValues) values = assay_values_copy (self->base != NULL ? self->base : self->values);
  draft_keep_fellows (self, values);
  if (!assay_change_apply (values, field, value, error))
    return NULL;
  if (!values_are_of_process (values))
    {
      assay_values_unset (values, ASSAY_FIELD_PROGRAM);
      assay_values_unset (values, ASSAY_FIELD_RECIPE);
    }
  if (self->base == NULL && field == ASSAY_FIELD_QUANTIZATION && g_strcmp0 (from, value) != 0)
    draft_follow_quantization (values, from);
  return g_steal_pointer (&values);
}

void
assay_draft_set_typed (AssayDraft *self, AssayFieldId field, const char *text)
{
  g_return_if_fail (ASSAY_IS_DRAFT (self) && assay_draft_is_open (self, field));
  g_autoptr(GError) error = NULL;
  g_autofree char *value = NULL;
  g_clear_pointer (&self->typed_error[field], g_free);
  g_clear_pointer (&self->note[field], g_free);
  self->typed[field] = TRUE;
  AssayValues *values = draft_read_entered (self, field, text, &value, &error)
                          ? draft_dup_with (self, field, value, &error) : NULL;
  if (values != NULL)
    {
      assay_values_unref (self->values);
      self->values = values;
    }
  else
    self->typed_error[field] = assay_display_labels (error->message);
  draft_update (self);
}

void
assay_draft_set_wrong_text (AssayDraft *self, AssayFieldId field, const char *error)
{
  g_return_if_fail (ASSAY_IS_DRAFT (self) && assay_draft_is_open (self, field) && error != NULL);
  g_free (self->typed_error[field]);
  self->typed_error[field] = g_strdup (error);
  draft_update (self);
}

gboolean
assay_draft_has_wrong_text (AssayDraft *self, AssayFieldId field)
{
  g_return_val_if_fail (ASSAY_IS_DRAFT (self), FALSE);
  for (guint f = 0; f < ASSAY_N_FIELDS; f++)
    if (self->typed_error[f] != NULL && (field == f || field == ASSAY_FIELD_INVALID))
      return TRUE;
  return FALSE;
}

const char *
assay_draft_get_error (AssayDraft *self, AssayFieldId field)
{
  if (self->typed_error[field] != NULL)
    return self->typed_error[field];
  const char *rule = draft_get_rule (self, field);
  if (rule != NULL)
    return rule;
  return self->foretold != NULL && self->foretold_field == field ? self->foretold : NULL;
}

const char *
assay_draft_get_note (AssayDraft *self, AssayFieldId field)
{
  g_return_val_if_fail (ASSAY_IS_DRAFT (self) && field < ASSAY_N_FIELDS, NULL);
  return self->note[field];
}

void
assay_draft_set_foretold_problem (AssayDraft *self, AssayFieldId field, const char *problem, gboolean refused)
{
  g_return_if_fail (ASSAY_IS_DRAFT (self));
  refused = refused && problem != NULL;
  if (field == self->foretold_field && refused == self->refused && g_strcmp0 (problem, self->foretold) == 0)
    return;
  g_free (self->foretold);
  self->foretold = g_strdup (problem);
  self->foretold_field = field;
  self->refused = refused;
  draft_update (self);
}

char *
assay_draft_dup_was (AssayDraft *self, AssayFieldId field)
{
  if (self->base == NULL)
    return NULL;
  g_autofree char *text = assay_values_dup_display (self->base, field);
  return text != NULL && *text != '\0' ? g_steal_pointer (&text) : g_strdup (_("not set"));
}

/* What these conditions break, apart from what is not chosen yet. (transfer full) */
static char *
conditions_dup_broken (AssayValues *conditions, AssayFieldId *where)
{
  if (assay_values_get_state (conditions, ASSAY_FIELD_MODEL_PATH) != ASSAY_VALUE_SET)
    assay_values_set_text (conditions, ASSAY_FIELD_MODEL_PATH, "-");
  if (assay_values_get_state (conditions, ASSAY_FIELD_PROMPT) != ASSAY_VALUE_SET)
    assay_values_set_text (conditions, ASSAY_FIELD_PROMPT, "-");
  if (values_are_of_process (conditions)
      && assay_values_get_state (conditions, ASSAY_FIELD_PROGRAM) != ASSAY_VALUE_SET)
    assay_values_set_text (conditions, ASSAY_FIELD_PROGRAM, "/");
  return assay_trial_check_conditions (conditions, where);
}

char *
assay_draft_dup_choice_problem (AssayDraft *self, AssayFieldId field, const char *choice)
{
  AssayFieldId where = ASSAY_FIELD_INVALID, present;
  g_autoptr(GError) error = NULL;
  g_autoptr(AssayValues) conditions = draft_dup_with (self, field, choice, &error);
  if (conditions == NULL)
    return g_strdup (error->message);
  if (self->parent == NULL)
    assay_trial_fill_defaults (conditions);
  g_autofree char *rule = conditions_dup_broken (conditions, &where);
  if (rule == NULL || where == field)
    return g_steal_pointer (&rule);
  g_autoptr(AssayValues) now = assay_draft_dup_conditions (self);
  g_autofree char *already = conditions_dup_broken (now, &present);
  /* Told of another field, and broken by this choice. */
  return g_strcmp0 (rule, already) != 0 ? g_steal_pointer (&rule) : NULL;
}

char *
assay_draft_dup_calls (AssayDraft *self)
{
  if (assay_draft_is_process (self))
    return g_strdup (_("told by the process"));
  g_autofree char *calls = assay_assembly_dup_calls (self->values);
  return *calls != '\0' ? g_steal_pointer (&calls) : g_strdup (_("none"));
}

void
assay_draft_set_question_set (AssayDraft *self, const char *question_set)
{
  g_return_if_fail (ASSAY_IS_DRAFT (self));
  g_free (self->question_set);
  self->question_set = g_strdup (question_set);
  draft_update (self);
}

gboolean
assay_draft_has_prompt (AssayDraft *self)
{
  const char *prompt = assay_values_get_text (self->values, ASSAY_FIELD_PROMPT);
  return prompt != NULL && *prompt != '\0';
}

const char *
assay_draft_get_problem (AssayDraft *self)
{
  return self->problem;
}

AssayValues *
assay_draft_dup_conditions (AssayDraft *self)
{
  g_return_val_if_fail (ASSAY_IS_DRAFT (self), NULL);
  AssayValues *conditions = assay_values_copy (self->values);
  if (self->parent == NULL)
    assay_trial_fill_defaults (conditions);
  return conditions;
}

const char *
assay_draft_get_changed (AssayDraft *self)
{
  return self->parent != NULL ? assay_field_get_info (self->open)->name : NULL;
}

static void
assay_draft_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  AssayDraft *self = ASSAY_DRAFT (object);
  switch (id)
    {
    case PROP_PROBLEM: g_value_set_string (value, self->problem); break;
    case PROP_PARENT: g_value_set_object (value, self->parent); break;
    case PROP_OPEN_FIELD: g_value_set_uint (value, self->open); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
assay_draft_finalize (GObject *object)
{
  AssayDraft *self = ASSAY_DRAFT (object);
  draft_clear_errors (self);
  g_clear_pointer (&self->values, assay_values_unref);
  g_clear_pointer (&self->base, assay_values_unref);
  g_clear_object (&self->parent);
  g_clear_pointer (&self->inspection, assay_inspection_free);
  g_free (self->question_set);
  g_clear_pointer (&self->rules, g_ptr_array_unref);
  g_free (self->problem);
  G_OBJECT_CLASS (assay_draft_parent_class)->finalize (object);
}

static void
assay_draft_class_init (AssayDraftClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  object_class->get_property = assay_draft_get_property;
  object_class->finalize = assay_draft_finalize;
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;
  properties[PROP_PROBLEM] = g_param_spec_string ("problem", NULL, NULL, NULL, flags);
  properties[PROP_PARENT] = g_param_spec_object ("parent", NULL, NULL, ASSAY_TYPE_RECORD, flags);
  properties[PROP_OPEN_FIELD] =
    g_param_spec_uint ("open-field", NULL, NULL, 0, ASSAY_FIELD_INVALID, ASSAY_FIELD_INVALID, flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);
  signals[SIGNAL_CHANGED] = g_signal_new ("changed", ASSAY_TYPE_DRAFT, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                          G_TYPE_NONE, 0);
}

static void
assay_draft_init (AssayDraft *self)
{
  self->task = ASSAY_TASK_LANGUAGE;
  self->values = assay_values_new ();
  self->rules = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_broken_rule_free);
  self->open = self->foretold_field = ASSAY_FIELD_INVALID;
}

AssayDraft *
assay_draft_new (AssayTask task)
{
  AssayDraft *self = g_object_new (ASSAY_TYPE_DRAFT, NULL);
  self->task = task;
  assay_draft_start_baseline (self, NULL);
  return self;
}
